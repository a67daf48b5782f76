/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of functions that mechanisms carry out: the micro-op that they become, and how a wrong declaration is refused. */
#include "ptx_fixture.h"

#define NOTE    PX_HEAD ".extern .func (.param .b32 r) note(.param .b64 a, .param .b32 b);\n"
#define PERSIST PX_HEAD ".extern .func persist(.param .b64 a);\n"
#define ENTRY   ".entry k(.param .u64 p) {\n.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<9>; .reg .f32 %f<9>;\n" /* body: line 7 */

static bool same(struct cw_opnd a, struct cw_opnd b)
{
    return a.kind == b.kind && a.idx == b.idx;
}

static void expect_ops(const struct cw_kernel *k, const uint16_t *ops, uint32_t n)
{
    assert_int_equal(k->uop_cnt, n);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(k->uop[i].op, ops[i]);
}

/* As clang passes them: the arguments' own registers are the operands, and the result's register the destination. */
static void test_ptx_intrinsic__arguments_and_result(void **state)
{
    (void)state;
    struct cw_module *m =
        px_load(NOTE ENTRY "{ .param .b64 x; .param .b32 y; .param .b32 z;\nst.param.b64 [x], %d1;\nst.param.f32 [y], "
                           "%f1;\ncall.uni (z), note, (x, y);\nld.param.b32 %r2, [z]; }\nst.global.u32 [%d2], %r2;\nret; }");
    static const uint16_t ops[] = {CW_OP_MOV, CW_OP_MOV, CW_OP_INTRINSIC, CW_OP_MOV, CW_OP_ST, CW_OP_EXIT};
    const struct cw_kernel *k = &m->kernel[0];
    expect_ops(k, ops, sizeof(ops) / sizeof(ops[0]));
    const struct cw_uop *u = &k->uop[2];
    assert_ptr_equal(u->intrinsic, &px_calls[0]);
    assert_true(u->fu == CW_FU_CTRL && u->type == CW_U32 && u->line == 10 && u->guard == -1);
    assert_true(u->src_cnt == 2 && u->dst_cnt == 1);
    assert_true(u->src[0].kind == CW_OPND_R64 && same(u->src[0], u[-2].dst[0]));
    assert_true(u->src[1].kind == CW_OPND_R32 && same(u->src[1], u[-1].dst[0]));
    assert_true(u->dst[0].kind == CW_OPND_R32 && same(u->dst[0], u[1].src[0]));
    assert_false(same(u->dst[0], u->src[1])); /* the mechanism may write lanes before it has read all */
    assert_true(k->intrinsic_cnt == 1 && k->intrinsic[0] == &px_calls[0] && !k->uses_region);
    assert_null(k->uop[0].intrinsic);
    cw_module_destroy(m);
}

/* The guard holds for the call and for what it returns, so that lanes that do not call keep their register. */
static void test_ptx_intrinsic__guarded(void **state)
{
    (void)state;
    struct cw_module *m = px_load(NOTE ENTRY "@!%p1 call (%r2), note, (%d1, 0f3F800000);\nst.global.u32 [%d2], %r2;\nret; }");
    const struct cw_kernel *k = &m->kernel[0];
    const uint32_t call = px_find(k, CW_OP_INTRINSIC, 0);
    assert_true(k->uop[call].guard >= 0 && k->uop[call].guard_neg);
    assert_true(k->uop[call + 1].op == CW_OP_MOV && k->uop[call + 1].guard == k->uop[call].guard && k->uop[call + 1].guard_neg);
    assert_true(same(k->uop[call + 1].src[0], k->uop[call].dst[0]));
    assert_int_equal(px_const(k, k->uop[call - 1].src[0]), 0x3f800000);
    cw_module_destroy(m);
}

/* Parameters that are accessed in pieces live in local memory: they are read before the call and written after it. */
static void test_ptx_intrinsic__parameters_in_memory(void **state)
{
    (void)state;
    struct cw_module *m =
        px_load(NOTE ENTRY "{ .param .b64 x; .param .b32 z;\nst.param.v2.b32 [x], {%r1, %r2};\n@!%p1 call (z), note, (x, %f1);\n"
                           "ld.param.u16 %r3, [z+2]; }\nst.global.u32 [%d3], %r3;\nret; }");
    static const uint16_t ops[] = {CW_OP_ST, CW_OP_MOV, CW_OP_LD, CW_OP_INTRINSIC, CW_OP_ST, CW_OP_LD, CW_OP_ST, CW_OP_EXIT};
    const struct cw_kernel *k = &m->kernel[0];
    expect_ops(k, ops, sizeof(ops) / sizeof(ops[0]));
    const struct cw_uop *u = &k->uop[3];
    assert_true(u[-1].space == CW_SPACE_LOCAL && u[-1].type == CW_U64 && same(u[-1].dst[0], u->src[0]));
    assert_true(u[1].space == CW_SPACE_LOCAL && u[1].type == CW_U32 && same(u[1].src[1], u->dst[0]));
    assert_true(u->guard >= 0 && u[-1].guard == u->guard && u[1].guard == u->guard);
    assert_true(u->guard_neg && u[-1].guard_neg && u[1].guard_neg);
    assert_int_equal(px_const(k, u[-1].src[0]), px_const(k, k->uop[0].src[0]));
    assert_int_equal(px_const(k, u[1].src[0]), px_const(k, u[2].src[0]));
    assert_int_equal(k->local_bytes, 12);
    cw_module_destroy(m);
}

/* A function around the intrinsic hands its own parameter on. */
static void test_ptx_intrinsic__inside_a_function(void **state)
{
    (void)state;
    struct cw_module *m = px_load(PERSIST ".func f(.param .b64 a) { call persist, (a); ret; }\n" ENTRY
                                          "{ .param .b64 x;\nst.param.b64 [x], 77;\ncall f, (x); }\nret; }");
    static const uint16_t ops[] = {CW_OP_MOV, CW_OP_INTRINSIC, CW_OP_EXIT};
    const struct cw_kernel *k = &m->kernel[0];
    expect_ops(k, ops, sizeof(ops) / sizeof(ops[0]));
    assert_true(same(k->uop[0].dst[0], k->uop[1].src[0]) && k->uop[1].dst_cnt == 0 && k->uop[1].dst[0].kind == CW_OPND_NONE);
    assert_int_equal(px_const(k, k->uop[0].src[0]), 77);
    cw_module_destroy(m);
}

static void test_ptx_intrinsic__list_of_the_kernel(void **state)
{
    (void)state;
    struct cw_module *m = px_load(PERSIST ".extern .func tx_begin();\n.extern .func _Z9tx_commitv();\n" ENTRY
                                          "call tx_begin;\ncall persist, (%d1);\ncall persist, (%d1);\ncall _Z9tx_commitv;\nret; }\n"
                                          ".entry plain() { ret; }");
    const struct cw_kernel *k = &m->kernel[0];
    assert_true(k->uop[0].op == CW_OP_REGION_BEGIN && k->uop[0].intrinsic == &px_regions[0]);
    assert_int_equal(px_count(k, CW_OP_INTRINSIC), 2);
    const struct cw_uop *end = &k->uop[px_find(k, CW_OP_REGION_END, 0)];
    assert_true(end->intrinsic == &px_regions[1] && end->type == CW_TYPE_NONE);
    assert_int_equal(k->intrinsic_cnt, 3);
    assert_true(k->intrinsic[0] == &px_regions[0] && k->intrinsic[1] == &px_calls[1] && k->intrinsic[2] == &px_regions[1]);
    assert_true(k->uses_region);
    assert_true(m->kernel[1].intrinsic_cnt == 0 && !m->kernel[1].uses_region);
    assert_true(cw_intrinsic_in(px_calls, k->intrinsic[1]) && !cw_intrinsic_in(px_regions, k->intrinsic[1]));
    cw_module_destroy(m);
}

/* C++ spells the types behind the name, and how long the name is before it. */
static void test_ptx_intrinsic__mangled_name(void **state)
{
    (void)state;
    struct cw_module *m = px_load(PX_HEAD ".extern .func _Z7persistPVj(.param .b64 a);\n" ENTRY "call _Z7persistPVj, (%d1);\nret; }");
    assert_ptr_equal(m->kernel[0].uop[1].intrinsic, &px_calls[1]);
    cw_module_destroy(m);
    px_expect_error(PX_HEAD ".extern .func _Z8persistPVj(.param .b64 a);\n" ENTRY "call _Z8persistPVj, (%d1);\nret; }", CW_EUNSUP,
                    "t.ptx:7:1: call of an external function that this machine does not have: _Z8persistPVj; did you mean persist?: call "
                    "_Z8persistPVj, (%d1);");
    px_expect_error(PX_HEAD ".extern .func _Z7persist();\n" ENTRY "call _Z7persist;\nret; }", CW_EUNSUP,
                    "t.ptx:7:1: call of an external function that this machine does not have: _Z7persist; did you mean persist?: call "
                    "_Z7persist;");
}

/* The place is where the declaration differs: the parameter, or the name when there are too many or too few. */
static void test_ptx_intrinsic__wrong_declaration(void **state)
{
    (void)state;
    px_expect_error(PX_HEAD ".extern .func (.param .b32 r) note(.param .b64 a);\n" ENTRY "call (%r1), note, (%d1);\nret; }", CW_EINVAL,
                    "t.ptx:4:31: intrinsic note has 2 arguments, declared here with 1: .extern .func (.param .b32 r) note(.param .b64 a);");
    px_expect_error(
        PX_HEAD ".extern .func persist(.param .b64 a,\n  .param .b64 b);\n" ENTRY "call persist, (%d1, %d2);\nret; }", CW_EINVAL,
        "t.ptx:4:15: intrinsic persist has 1 argument, declared here with 2: .extern .func persist(.param .b64 a, .param .b64 b);");
    px_expect_error(PX_HEAD ".extern .func (.param .b32 r) note(.param .b64 a,\n  .param .b64 b);\n" ENTRY
                            "call (%r1), note, (%d1, %d2);\nret; }",
                    CW_EINVAL,
                    "t.ptx:5:15: intrinsic note has .f32 as argument 2, declared here as .b64: .extern .func (.param .b32 r) note(.param "
                    ".b64 a, .param .b64 b);");
    px_expect_error(PX_HEAD ".extern .func persist(.param .align 8 .b8 a[8]);\n" ENTRY
                            "{ .param .align 8 .b8 x[8]; call persist, (x); }\nret; }",
                    CW_EINVAL,
                    "t.ptx:4:43: intrinsic persist has .u64 as argument 1, declared here as an array or vector: .extern .func "
                    "persist(.param .align 8 .b8 a[8]);");
    px_expect_error(PX_HEAD ".extern .func tx_begin(.param .b32 a);\n" ENTRY "call tx_begin, (%r1);\nret; }", CW_EINVAL,
                    "t.ptx:4:15: intrinsic tx_begin has 0 arguments, declared here with 1: .extern .func tx_begin(.param .b32 a);");
}

static void test_ptx_intrinsic__wrong_result(void **state)
{
    (void)state;
    px_expect_error(PX_HEAD ".extern .func note(.param .b64 a, .param .b32 b);\n" ENTRY "call note, (%d1, %r1);\nret; }", CW_EINVAL,
                    "t.ptx:4:15: intrinsic note returns .u32, declared here without a result: .extern .func note(.param .b64 a, .param "
                    ".b32 b);");
    px_expect_error(PX_HEAD ".extern .func (.param .b32 r) persist(.param .b64 a);\n" ENTRY "call (%r1), persist, (%d1);\nret; }",
                    CW_EINVAL,
                    "t.ptx:4:31: intrinsic persist returns nothing, declared here with a result: .extern .func (.param .b32 r) "
                    "persist(.param .b64 a);");
    px_expect_error(PX_HEAD ".extern .func (.param .b64 r) note(.param .b64 a, .param .b32 b);\n" ENTRY
                            "call (%d2), note, (%d1, %r1);\nret; }",
                    CW_EINVAL,
                    "t.ptx:4:28: intrinsic note has .u32 as result, declared here as .b64: .extern .func (.param .b64 r) note(.param .b64 "
                    "a, .param .b32 b);");
    px_expect_error(PX_HEAD ".extern .func (.param .b32 r, .param .b32 s) note(.param .b64 a, .param .b32 b);\n" ENTRY
                            "call (%r1, %r2), note, (%d1, %r1);\nret; }",
                    CW_EINVAL,
                    "t.ptx:4:46: intrinsic note returns one value, declared here with 2: .extern .func (.param .b32 r, .param .b32 s) "
                    "note(.param .b64 a, .param .b32 b);");
    /* the call against the declaration */
    px_expect_error(NOTE ENTRY "call (%r1), note, (%d1);\nret; }", CW_EINVAL,
                    "t.ptx:7:23: too few arguments or returned values: call (%r1), note, (%d1);");
    px_expect_error(NOTE ENTRY "call note, (%d1, %r1);\nret; }", CW_EINVAL,
                    "t.ptx:7:6: too few arguments or returned values: call note, (%d1, %r1);");
}

static void test_ptx_intrinsic__unknown_name(void **state)
{
    (void)state;
    px_expect_error(PX_HEAD ".extern .func tx_comit();\n" ENTRY "  call tx_comit;\nret; }", CW_EUNSUP,
                    "t.ptx:7:3: call of an external function that this machine does not have: tx_comit; did you mean tx_commit?: call "
                    "tx_comit;");
    px_expect_error(PX_HEAD ".extern .func frobnicate();\n" ENTRY "call frobnicate;\nret; }", CW_EUNSUP,
                    "t.ptx:7:1: call of an external function that this machine does not have: frobnicate: call frobnicate;");
    struct cw_module *m;
    struct cw_error err;
    static const char text[] = PERSIST ENTRY "call persist, (%d1);\nret; }";
    assert_int_equal(load_all(&m, text, "t.ptx", NULL, &err), CW_EUNSUP); /* known to nobody */
    assert_string_equal(err.text, "t.ptx:7:1: call of an external function that this machine does not have: persist: call persist, (%d1);");
}

/* A function of that name with a body is just that, and a declaration that nobody calls does no harm. */
static void test_ptx_intrinsic__own_function(void **state)
{
    (void)state;
    struct cw_module *m = px_load(PX_HEAD ".func persist() { membar.gl; ret; }\n.extern .func note();\n" ENTRY "call persist;\nret; }");
    assert_int_equal(m->kernel[0].uop[0].op, CW_OP_MEMBAR);
    assert_int_equal(m->kernel[0].intrinsic_cnt, 0);
    cw_module_destroy(m);
}

static void test_ptx_intrinsic__dump(void **state)
{
    (void)state;
    char text[128];
    struct cw_module *m = px_load(PERSIST ENTRY "call persist, (%d1);\nret; }");
    cw_uop_text(&m->kernel[0], &m->kernel[0].uop[1], text, sizeof(text));
    assert_non_null(strstr(text, "persist"));
    cw_module_destroy(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ptx_intrinsic__arguments_and_result),
    cmocka_unit_test(test_ptx_intrinsic__guarded),
    cmocka_unit_test(test_ptx_intrinsic__parameters_in_memory),
    cmocka_unit_test(test_ptx_intrinsic__inside_a_function),
    cmocka_unit_test(test_ptx_intrinsic__list_of_the_kernel),
    cmocka_unit_test(test_ptx_intrinsic__mangled_name),
    cmocka_unit_test(test_ptx_intrinsic__wrong_declaration),
    cmocka_unit_test(test_ptx_intrinsic__wrong_result),
    cmocka_unit_test(test_ptx_intrinsic__unknown_name),
    cmocka_unit_test(test_ptx_intrinsic__own_function),
    cmocka_unit_test(test_ptx_intrinsic__dump),
};

CW_TEST_MAIN(tests)
