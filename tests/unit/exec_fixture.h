/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A warp's registers and one micro-op, for the tests of the executor. The registers are a slice in the middle of a larger file, as in
 * a core, and everything around is checked for stray writes. Each case runs on every instruction set that the host has.
 */
#ifndef CW_TESTS_EXEC_FIXTURE_H
#define CW_TESTS_EXEC_FIXTURE_H

#include "cw_test.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "exec/exec_private.h"

#define FX_REGS  8
#define FX_WARPS 3 /* the warp under test is the middle one */
#define FX_D     4 /* destination registers start here; sources are 0 .. 3 */

struct fixture {
    uint32_t r32[FX_REGS][FX_WARPS][CW_LANES];
    uint64_t r64[FX_REGS][FX_WARPS][CW_LANES];
    uint32_t pred[FX_REGS][FX_WARPS], cc, tid[3][CW_LANES];
    uint8_t param[64];
    uint32_t c32[2][CW_LANES];
    uint64_t c64[2][CW_LANES];
    struct cw_kernel kernel;
    struct cw_exec x;
};

/* Everything random, also what must not change. */
static inline void fx_init(struct fixture *f, uint64_t seed)
{
    struct cw_rng rng;
    cw_rng_seed(&rng, seed);
    memset(f, 0, sizeof *f);
    for (uint32_t r = 0; r < FX_REGS; r++) {
        for (uint32_t w = 0; w < FX_WARPS; w++) {
            f->pred[r][w] = (uint32_t)(cw_rng_next(&rng) >> 32);
            for (uint32_t l = 0; l < CW_LANES; l++) {
                f->r32[r][w][l] = (uint32_t)(cw_rng_next(&rng) >> 32);
                f->r64[r][w][l] = cw_rng_next(&rng);
            }
        }
    }
    for (uint32_t l = 0; l < CW_LANES; l++) {
        f->tid[0][l] = l % 8;
        f->tid[1][l] = l / 8 % 2;
        f->tid[2][l] = l / 16;
    }
    f->kernel = (struct cw_kernel){.c32 = f->c32[0], .c64 = f->c64[0], .c32_cnt = 2, .c64_cnt = 2, .param_bytes = sizeof f->param};
    f->x = (struct cw_exec){.r32 = f->r32[0][1],
                            .r64 = f->r64[0][1],
                            .pred = &f->pred[0][1],
                            .cc = &f->cc,
                            .r32_stride = FX_WARPS * CW_LANES,
                            .r64_stride = FX_WARPS * CW_LANES,
                            .pred_stride = FX_WARPS,
                            .kernel = &f->kernel,
                            .param = f->param,
                            .tid = {f->tid[0], f->tid[1], f->tid[2]}};
}

/* Binds and runs one micro-op; false when the host lacks the instruction set. */
static inline bool fx_run(struct fixture *f, struct cw_uop *u, enum cw_exec_isa isa, uint32_t mask)
{
    struct cw_error err = {""};
    f->kernel.uop = u;
    f->kernel.uop_cnt = 1;
    int status = cw_exec__bind_isa(&f->kernel, isa, &err);
    if (status != CW_OK && isa == CW_EXEC_AVX2 && strstr(err.text, "AVX2") != NULL)
        return false;
    if (status != CW_OK || u->exec == NULL)
        fail_msg("bind: %s", err.text);
    u->exec(u, &f->x, mask);
    return true;
}

static inline struct cw_opnd fx_opnd(enum cw_opnd_kind kind, uint32_t idx)
{
    return (struct cw_opnd){(uint8_t)kind, 0, (uint16_t)idx};
}

static inline struct cw_opnd fx_reg(enum cw_type type, uint32_t idx)
{
    return fx_opnd(type == CW_PRED ? CW_OPND_PRED : cw_type_bytes(type) == 8 ? CW_OPND_R64 : CW_OPND_R32, idx);
}

/* One line of a table: what, with which values, gives what. Unused sources are 0. */
struct fx_case {
    enum cw_op op;
    enum cw_type type, stype;
    uint32_t flags;
    uint32_t mode; /* round, cmp or testp ..., by operation */
    uint64_t src[4];
    uint64_t expected;
    const char *why;
};

/* Registers that the operation's operands live in. */
static inline enum cw_type fx_src_type(const struct fx_case *c, uint32_t i)
{
    bool wide = (c->flags & CW_UF_WIDE) != 0;
    switch (c->op) {
    case CW_OP_SHL:
    case CW_OP_SHR:
        return i == 1 ? CW_U32 : c->type;
    case CW_OP_BFE:
        return i > 0 ? CW_U32 : c->type;
    case CW_OP_BFI:
        return i > 1 ? CW_U32 : c->type;
    case CW_OP_CVT:
    case CW_OP_SET:
        return c->stype;
    case CW_OP_SLCT:
        return i == 2 ? CW_U32 : c->type;
    case CW_OP_MUL:
    case CW_OP_MAD:
        return wide && i < 2 ? c->stype : c->type;
    default:
        return c->type;
    }
}

static inline enum cw_type fx_dst_type(const struct fx_case *c)
{
    switch (c->op) {
    case CW_OP_SETP:
    case CW_OP_TESTP:
    case CW_OP_ISSPACEP:
        return CW_PRED;
    case CW_OP_POPC:
    case CW_OP_CLZ:
    case CW_OP_BFIND:
        return CW_U32;
    default:
        return c->type;
    }
}

static inline struct cw_uop fx_uop(const struct fx_case *c)
{
    struct cw_uop u = {
        .op = (uint16_t)c->op, .type = (uint8_t)c->type, .stype = (uint8_t)c->stype, .flags = (uint16_t)c->flags, .guard = -1, .line = 1};
    u.round = u.cmp = (uint8_t)c->mode;
    if (c->op == CW_OP_LOP3)
        u.imm = (int64_t)c->src[3];
    if (c->op == CW_OP_CVTA || c->op == CW_OP_ISSPACEP)
        u.space = (uint8_t)c->mode;
    for (uint32_t i = 0; i < 4; i++)
        u.src[i] = fx_reg(fx_src_type(c, i), i);
    if (c->op == CW_OP_SETP)
        u.src[2] = u.src[3] = fx_opnd(CW_OPND_NONE, 0);
    u.dst[0] = fx_reg(fx_dst_type(c), FX_D);
    u.dst_cnt = 1;
    u.src_cnt = 4;
    return u;
}

/* Sets source registers in the lanes of mask; the others keep their random content. */
static inline void fx_load(struct fixture *f, const struct fx_case *c, uint32_t mask)
{
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t l = 0; l < CW_LANES; l++) {
            if (!((mask >> l) & 1))
                continue;
            f->r32[i][1][l] = (uint32_t)c->src[i];
            f->r64[i][1][l] = c->src[i];
        }
    }
}

/* What the slots of the destination must hold: narrow results are compared in their low bits. */
static inline uint64_t fx_result_mask(const struct fx_case *c)
{
    return UINT64_MAX >> (64 - 8 * cw_type_bytes(fx_dst_type(c)));
}

static inline void fx_check_lane(const struct fixture *f, const struct fixture *before, const struct fx_case *c, uint32_t l, bool on)
{
    enum cw_type t = fx_dst_type(c);
    uint64_t keep = t == CW_PRED ? 1 : fx_result_mask(c);
    uint64_t got = t == CW_PRED ? f->pred[FX_D][1] >> l : cw_type_bytes(t) == 8 ? f->r64[FX_D][1][l] : f->r32[FX_D][1][l];
    uint64_t was = t == CW_PRED ? before->pred[FX_D][1] >> l : cw_type_bytes(t) == 8 ? before->r64[FX_D][1][l] : before->r32[FX_D][1][l];
    uint64_t want = on ? c->expected : was;
    if (on ? (got & keep) != (want & keep) : ((got ^ was) & (t == CW_PRED ? 1 : UINT64_MAX)) != 0)
        fail_msg("%s.%s.%s flags %x mode %u (%llx, %llx, %llx, %llx): lane %u %s: %llx, not %llx  %s", cw_op_mnemonic(c->op),
                 cw_type_name(c->type), cw_type_name(c->stype), c->flags, c->mode, (unsigned long long)c->src[0],
                 (unsigned long long)c->src[1], (unsigned long long)c->src[2], (unsigned long long)c->src[3], l, on ? "on" : "off",
                 (unsigned long long)(got & keep), (unsigned long long)(want & keep), c->why != NULL ? c->why : "");
}

/* Nothing but the destination register of the warp under test may have changed. */
static inline void fx_check_rest(struct fixture *f, const struct fixture *before)
{
    memcpy(f->r32[FX_D][1], before->r32[FX_D][1], sizeof f->r32[0][1]);
    memcpy(f->r64[FX_D][1], before->r64[FX_D][1], sizeof f->r64[0][1]);
    f->pred[FX_D][1] = before->pred[FX_D][1];
    assert_memory_equal(f->r32, before->r32, sizeof f->r32);
    assert_memory_equal(f->r64, before->r64, sizeof f->r64);
    assert_memory_equal(f->pred, before->pred, sizeof f->pred);
    assert_int_equal(f->cc, before->cc);
}

static inline void fx_check(const struct fx_case *c)
{
    static const uint32_t masks[] = {CW_FULL_MASK, 0x5a0ff081, 0x80000000, 1, 0};
    static struct fixture f, before;
    for (int isa = CW_EXEC_BASE; isa <= CW_EXEC_AVX2; isa++) {
        for (uint32_t m = 0; m < sizeof masks / sizeof masks[0]; m++) {
            struct cw_uop u = fx_uop(c);
            fx_init(&f, 99 + m);
            fx_load(&f, c, masks[m]);
            before = f;
            if (!fx_run(&f, &u, (enum cw_exec_isa)isa, masks[m]))
                return;
            for (uint32_t l = 0; l < CW_LANES; l++)
                fx_check_lane(&f, &before, c, l, (masks[m] >> l) & 1);
            fx_check_rest(&f, &before);
        }
    }
}

#define FX_CHECK_ALL(table)                                              \
    do {                                                                 \
        for (size_t i_ = 0; i_ < sizeof(table) / sizeof(table)[0]; i_++) \
            fx_check(&(table)[i_]);                                      \
        printf("%zu cases\n", sizeof(table) / sizeof(table)[0]);         \
    } while (0)

static inline uint64_t fx_f32(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline uint64_t fx_f64(double f)
{
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

#endif
