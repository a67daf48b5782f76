/* SPDX-License-Identifier: Apache-2.0 */
/* The baseline's and AVX2's vector loops: the same bits, lane for lane, for every entry of their tables, on random and on special values.
 */
#include <stdlib.h>

#include "exec/powers.h"
#include "exec_fixture.h"

static const uint64_t special[] = {
    0,
    1,
    2,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x3c00,
    0x7c00,
    0x7e00,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x3f800000,
    0xbf800000,
    0x7f800000,
    0xff800000,
    0x7fc00001,
    0xffc00001,
    0x7f800001,
    0x00800000,
    0x007fffff,
    0x7f7fffff,
    0x3ff0000000000000,
    0x7ff0000000000000,
    0xfff8000000000001,
    0x7ff0000000000001,
    0x8000000000000000,
    0x7fffffffffffffff,
    UINT64_MAX,
    0x000fffffffffffff,
    31,
    32,
    33,
    63,
    64,
};

static void fill(struct fixture *f, struct cw_rng *rng)
{
    const uint32_t n = sizeof special / sizeof special[0];
    fx_init(f, cw_rng_next(rng));
    for (uint32_t r = 0; r < 4; r++) {
        for (uint32_t l = 0; l < CW_LANES; l++) {
            if (cw_rng_below(rng, 2))
                f->r32[r][1][l] = (uint32_t)special[cw_rng_below(rng, n)];
            if (cw_rng_below(rng, 2))
                f->r64[r][1][l] = special[cw_rng_below(rng, n)];
        }
    }
}

static struct cw_uop uop_of(const struct cw_exec_entry *e, struct cw_rng *rng)
{
    static const uint16_t flags[] = {0, CW_UF_FTZ, CW_UF_SAT, CW_UF_NAN, CW_UF_XORSIGN, CW_UF_WRAP, CW_UF_SHIFTAMT, CW_UF_FTZ | CW_UF_SAT};
    struct cw_uop u = {.op = e->op, .type = e->type, .stype = CW_S32, .flags = flags[cw_rng_below(rng, 8)], .imm = cw_rng_below(rng, 256)};
    u.cmp = e->op == CW_OP_PRMT ? (uint8_t)cw_rng_below(rng, 7) : 0;
    u.boolop = (uint8_t)cw_rng_below(rng, 4);
    for (uint32_t i = 0; i < 4; i++) /* indices only: the loop knows which file it reads */
        u.src[i] = fx_opnd(CW_OPND_R32, i);
    if (e->op == CW_OP_SELP || e->op == CW_OP_SETP)
        u.src[2] = fx_opnd(CW_OPND_PRED, 2);
    u.dst[0] = fx_opnd(e->op == CW_OP_SETP ? CW_OPND_PRED : CW_OPND_R32, FX_D);
    u.dst[1] = fx_opnd(e->op == CW_OP_SETP ? CW_OPND_PRED : CW_OPND_NONE, FX_D + 1);
    return u;
}

static void test_exec_isa__same_bits(void **state)
{
    (void)state;
    static struct fixture a, b;
    struct cw_uop nop = {.op = CW_OP_NOP};
    struct cw_rng rng;
    uint32_t checks = 0;
    fx_init(&a, 1);
    if (!fx_run(&a, &nop, CW_EXEC_AVX2, 0))
        skip();
    cw_rng_seed(&rng, cw_test_seed(40));
    assert_int_equal(cw_exec__lane_base_cnt, cw_exec__lane_avx2_cnt);
    for (size_t i = 0; i < cw_exec__lane_base_cnt; i++) {
        const struct cw_exec_entry *e = &cw_exec__lane_base[i], *v = &cw_exec__lane_avx2[i];
        assert_true(e->op == v->op && e->type == v->type && e->form == v->form && e->fn != v->fn);
        for (uint32_t k = 0; k < 60; k++, checks++) {
            struct cw_uop u = uop_of(e, &rng);
            uint32_t mask = k & 1 ? CW_FULL_MASK : (uint32_t)(cw_rng_next(&rng) >> 32);
            fill(&a, &rng);
            b = a;
            b.x.r32 = b.r32[0][1], b.x.r64 = b.r64[0][1], b.x.pred = &b.pred[0][1], b.x.cc = &b.cc;
            e->fn(&u, &a.x, mask);
            v->fn(&u, &b.x, mask);
            if (memcmp(a.r32, b.r32, sizeof a.r32) != 0 || memcmp(a.r64, b.r64, sizeof a.r64) != 0 ||
                memcmp(a.pred, b.pred, sizeof a.pred) != 0)
                fail_msg("%s.%s form %u flags %x differs", cw_op_mnemonic((enum cw_op)e->op), cw_type_name((enum cw_type)e->type), e->form,
                         u.flags);
        }
    }
    printf("%zu loops, %u warps compared\n", cw_exec__lane_base_cnt, checks);
}

/* No key twice: the second would be dead. */
static void test_exec_isa__keys_are_unique(void **state)
{
    (void)state;
    const struct cw_exec_entry *t = cw_exec__lane_base;
    for (size_t i = 0; i < cw_exec__lane_base_cnt; i++)
        for (size_t k = 0; k < i; k++)
            assert_false(t[i].op == t[k].op && t[i].type == t[k].type && t[i].form == t[k].form);
}

static void same(uint32_t x, double ours, double library, const char *name)
{
    const uint32_t a = cw_f32_bits((float)ours), b = cw_f32_bits((float)library);
    if (a != b)
        fail_msg("%s(0x%08x) is 0x%08x, by the C library 0x%08x", name, x, a, b);
}

static void compare_powers(uint32_t x)
{
    const double d = (double)cw_f32_of(x);
    same(x, cw_exp2_of_float(d), exp2(d), "exp2");
    same(x, cw_log2_of_float(d), log2(d), "log2");
}

/* Rounded to a float: of some floats, among them the one whose power lies nearest to the middle of two floats, or of every one, which takes two minutes. */
static void test_exec_isa__powers(void **state)
{
    (void)state;
    const uint64_t step = getenv("COWARP_EVERY_FLOAT") != NULL ? 1 : 2999;
    for (uint64_t x = 0; x <= UINT32_MAX; x += step)
        compare_powers((uint32_t)x);
    for (uint32_t i = 0; i < sizeof special / sizeof special[0]; i++)
        compare_powers((uint32_t)special[i]);
    compare_powers(cw_f32_raw(0x1.853a6ep-9f));
}

/* Rounded to half precision, of each such number: what EX2 of .f16 and .bf16 is. */
static void test_exec_isa__powers_of_halves(void **state)
{
    (void)state;
    for (uint32_t x = 0; x < 0x10000; x++) {
        const double half = cw_f16_load(x), brain = cw_bf16_load(x);
        assert_int_equal(cw_f16_store(cw_exp2_of_float(half), false), cw_f16_store(exp2(half), false));
        assert_int_equal(cw_bf16_store(cw_exp2_of_float(brain)), cw_bf16_store(exp2(brain)));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_exec_isa__powers),
    cmocka_unit_test(test_exec_isa__powers_of_halves),
    cmocka_unit_test(test_exec_isa__same_bits),
    cmocka_unit_test(test_exec_isa__keys_are_unique),
};

CW_TEST_MAIN(tests)
