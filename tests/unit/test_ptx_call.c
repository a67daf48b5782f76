/* SPDX-License-Identifier: Apache-2.0 */
/* Calls expanded in place: code, parameters in registers or in local memory, transactions. */
#include "ptx_fixture.h"

#define ENTRY ".entry k(.param .u64 p) {\n.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<9>; .reg .b16 %h<9>; .reg .f32 %f<9>;\n"

static void test_ptx_call__scalar_is_moves(void **state)
{
    (void)state;
    struct cw_module *m =
        px_load(PX_HEAD ".func (.param .b32 o) f(.param .b32 a, .param .b64 b) { .reg .b32 %r<4>; .reg .b64 %d<4>;\nld.param.u32 %r1, "
                        "[a];\nld.param.u64 %d1, [b];\ncvt.u32.u64 %r2, %d1;\n"
                        "add.u32 %r3, %r1, %r2;\nst.param.b32 [o+0], %r3;\nret; }\n" ENTRY
                        "{ .param .b32 p0; .param .b64 p1; .param .b32 r;\nst.param.b32 [p0+0], %r1;\nst.param.b64 [p1+0], 77;\n"
                        "call.uni (r), f, (p0, p1);\nld.param.b32 %r2, [r+0]; }\nst.global.u32 [%d1], %r2;\nret; }");
    static const uint16_t ops[] = {CW_OP_MOV, CW_OP_MOV, CW_OP_MOV, CW_OP_MOV, CW_OP_CVT,
                                   CW_OP_ADD, CW_OP_MOV, CW_OP_MOV, CW_OP_ST,  CW_OP_EXIT};
    const struct cw_kernel *k = &m->kernel[0];
    assert_int_equal(k->uop_cnt, sizeof(ops) / sizeof(ops[0]));
    for (uint32_t i = 0; i < k->uop_cnt; i++)
        assert_int_equal(k->uop[i].op, ops[i]);
    assert_int_equal(px_const(k, k->uop[1].src[0]), 77);
    assert_int_equal(k->local_bytes, 0);
    cw_module_destroy(m);
}

#define PASS_16(callee, store)                                                                                                    \
    PX_HEAD ".func f(.param .align 8 .b8 s[16]) { .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .b16 %h<3>;\n" callee "\nret; }\n" ENTRY \
            ".local .align 4 .b8 depot[20];\n{ .param .align 8 .b8 s[16];\n" store "\ncall f, (s); }\nret; }"

/* Where a struct lives: in registers as long as the accesses agree, in local memory behind the frame of the caller otherwise. */
static void test_ptx_call__struct_storage(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t local_bytes;
    } cases[] = {
        {PASS_16("ld.param.u32 %r1, [s+4];\nld.param.u64 %d1, [s+8];", "st.param.v2.b32 [s], {%r1, %r2};\nst.param.b64 [s+8], %d1;"), 20},
        {PASS_16("ld.param.u8 %h1, [s+4];", "st.param.b32 [s+4], %r1;"), 20},                        /* low part of a cell */
        {PASS_16("ld.param.u64 %d1, [s];", "st.param.b32 [s], %r1;\nst.param.b32 [s+4], %r2;"), 40}, /* wider than what was stored */
        {PASS_16("ld.param.u64 %d1, [s];", "st.param.b32 [s], %r1;"), 40},
        {PASS_16("ld.param.u32 %r1, [s+4];", "st.param.b64 [s], %d1;"), 40},                        /* inside */
        {PASS_16("mov.b64 %d1, s;\nld.param.u32 %r1, [%d1+12];", "st.param.b32 [s+12], %r1;"), 40}, /* address taken */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cw_module *m = px_load(cases[i].text);
        const struct cw_kernel *k = &m->kernel[0];
        bool in_memory = cases[i].local_bytes > 20;
        assert_int_equal(k->local_bytes, cases[i].local_bytes);
        assert_int_equal(px_count(k, CW_OP_LD) > 0, in_memory);
        assert_int_equal(px_count(k, CW_OP_ST) > 0, in_memory);
        for (uint32_t j = 0; j < k->uop_cnt; j++)
            if (k->uop[j].op == CW_OP_ST) {
                assert_int_equal(k->uop[j].space, CW_SPACE_LOCAL);
                assert_int_equal(px_const(k, k->uop[j].src[0]), 24); /* depot's 20, aligned to 8 */
            }
        cw_module_destroy(m);
    }
}

/* s8 and s16 parameters are extended to the register, narrow stores cut. */
static void test_ptx_call__narrow_parameters(void **state)
{
    (void)state;
    struct cw_module *m =
        px_load(PX_HEAD ".func f(.param .b8 a, .param .b32 b) { .reg .b16 %h<3>; .reg .b32 %r<4>;\nld.param.s8 %h1, [a];\nld.param.u8 %h2, "
                        "[b];\nld.param.s16 %r1, [b];\nret; }\n" ENTRY
                        "{ .param .b8 x; .param .b32 y;\nst.param.b8 [x], %h1;\nst.param.b32 [y], %r1;\ncall f, (x, y); }\nret; }");
    const struct cw_uop *u = m->kernel[0].uop;
    assert_true(u[0].op == CW_OP_CVT && u[0].type == CW_U32 && u[0].stype == CW_U8);
    assert_true(u[1].op == CW_OP_MOV);
    assert_true(u[2].op == CW_OP_CVT && u[2].type == CW_S16 && u[2].stype == CW_S8);
    assert_true(u[3].op == CW_OP_CVT && u[3].type == CW_U32 && u[3].stype == CW_U8);
    assert_true(u[4].op == CW_OP_CVT && u[4].type == CW_S32 && u[4].stype == CW_S16);
    cw_module_destroy(m);
}

/* @p call: the body is skipped by a branch; ret in the middle goes to its end, exit leaves the kernel. */
static void test_ptx_call__control_flow(void **state)
{
    (void)state;
    struct cw_module *m = px_load(
        PX_HEAD ".func f() { .reg .pred %p<3>; .reg .b32 %r<3>;\n@%p1 ret;\nL: @%p2 bra L;\n@!%p1 exit;\nmembar.cta;\nret; }\n" ENTRY
                "@!%p4 call f;\ncall f;\nret; }");
    const struct cw_uop *u = m->kernel[0].uop;
    /* 0 bra 5; 1 @p1 bra 5; 2 L: bra 2; 3 @!p1 exit; 4 membar; 5 @p1 bra 9; 6 bra 6; 7 exit; 8 membar; 9 exit */
    assert_int_equal(m->kernel[0].uop_cnt, 10);
    assert_true(u[0].op == CW_OP_BRA && u[0].target == 5 && !u[0].guard_neg && u[0].rpc == 5);
    assert_true(u[1].op == CW_OP_BRA && u[1].target == 5 && !u[1].guard_neg && u[1].rpc == 5);
    assert_true(u[2].op == CW_OP_BRA && u[2].target == 2 && u[2].rpc == 3);
    assert_true(u[3].op == CW_OP_EXIT && u[3].guard_neg);
    assert_true(u[5].op == CW_OP_BRA && u[5].target == 9 && u[6].target == 6);
    assert_true(u[9].op == CW_OP_EXIT && u[9].guard == -1);
    cw_module_destroy(m);
}

/* Frames are a stack: calls one after the other share memory, nested ones do not. */
static void test_ptx_call__frames(void **state)
{
    (void)state;
    struct cw_module *m =
        px_load(PX_HEAD ".func leaf() { .local .align 8 .b8 x[40]; .reg .b64 %d<3>;\nmov.u64 %d1, x;\nst.local.u64 [x+8], %d1;\nret; "
                        "}\n.func mid() { .local .b8 y[10];\n.reg .b64 %d<3>;\nmov.u64 %d1, y;\ncall leaf; ret; }\n" ENTRY
                        ".local .b8 z[3];\ncall leaf;\ncall mid;\nret; }");
    const struct cw_kernel *k = &m->kernel[0];
    assert_int_equal(k->local_bytes, 16 + 40); /* z 0..2, y 3..12, leaf behind it at 16; alone it is at 8 */
    assert_int_equal(px_const(k, k->uop[0].src[0]), 8);
    assert_int_equal(px_const(k, k->uop[2].src[0]), 3);
    assert_int_equal(px_const(k, k->uop[3].src[0]), 16);
    assert_int_equal(px_const(k, k->uop[4].src[0]), 16);
    assert_int_equal(k->uop[4].imm, 8);
    cw_module_destroy(m);
}

static void test_ptx_call__registers_as_parameters(void **state)
{
    (void)state;
    struct cw_module *m = px_load(PX_HEAD ".func (.reg .u32 o) f(.reg .u32 i, .reg .f32 x) { add.u32 o, i, 1; ret; }\n" ENTRY
                                          "call (%r2), f, (%r1, 0f3F800000);\nst.global.u32 [%d1], %r2;\nret; }");
    const struct cw_kernel *k = &m->kernel[0];
    assert_int_equal(px_count(k, CW_OP_ADD), 1);
    assert_int_equal(px_count(k, CW_OP_ST), 1);
    assert_int_equal(k->uop_cnt, 4 + 1 + 2 + 2); /* two in: twice two moves; add; out: two moves; store, exit */
    cw_module_destroy(m);
}

static void test_ptx_call__transactions(void **state)
{
    (void)state;
    struct cw_module *m = px_load(PX_HEAD ".extern .func tx_begin\n()\n;\n.extern .func _Z9tx_commitv();\n" ENTRY
                                          "{ // callseq 0, 0\n.reg .b32 temp_param_reg;\ncall.uni \ntx_begin, \n(\n);\n} // callseq "
                                          "0\nmembar.cta;\n@%p1 call _Z9tx_commitv;\nret; }");
    const struct cw_kernel *k = &m->kernel[0];
    assert_true(k->uop[0].op == CW_OP_REGION_BEGIN && k->uop[0].guard == -1);
    assert_true(k->uop[2].op == CW_OP_REGION_END && k->uop[2].guard == 0);
    assert_true(k->uses_region);
    cw_module_destroy(m);
    m = px_load(PX_HEAD ".func tx_begin() { membar.gl; ret; }\n" ENTRY
                        "call tx_begin;\nret; }"); /* a function of that name with a body is just that */
    assert_int_equal(m->kernel[0].uop[0].op, CW_OP_MEMBAR);
    assert_false(m->kernel[0].uses_region);
    cw_module_destroy(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ptx_call__scalar_is_moves),
    cmocka_unit_test(test_ptx_call__struct_storage),
    cmocka_unit_test(test_ptx_call__narrow_parameters),
    cmocka_unit_test(test_ptx_call__control_flow),
    cmocka_unit_test(test_ptx_call__frames),
    cmocka_unit_test(test_ptx_call__registers_as_parameters),
    cmocka_unit_test(test_ptx_call__transactions),
};

CW_TEST_MAIN(tests)
