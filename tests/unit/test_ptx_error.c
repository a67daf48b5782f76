/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the PTX reader: file, line, column, what is wrong, the offending text. Positions are counted by hand. */
#include "ptx_fixture.h"

static void test_ptx_error__instruction(void **state)
{
    (void)state;
    px_expect_error(PX_KERNEL("mov.u32 %r1, 1;\n  frob.u32 %r1,\n     %r2;"), CW_EUNSUP,
                    "t.ptx:8:3: unknown instruction: frob.u32 %r1, %r2;");
    px_expect_error(PX_KERNEL("@%p1 tex.2d.v4.f32.s32 {%f1}, [%d1];"), CW_EUNSUP,
                    "t.ptx:7:6: textures are not supported: @%p1 tex.2d.v4.f32.s32 {");
    px_expect_error(PX_KERNEL("add.q32 %r1, %r2, %r3;"), CW_EUNSUP,
                    "t.ptx:7:1: unknown or unsupported form of add: add.q32 %r1, %r2, %r3;");
    px_expect_error(PX_KERNEL("add.u32 %r1, %d1, %r3;"), CW_EINVAL, "t.ptx:7:14: %d1 does not fit .u32: add.u32 %r1, %d1, %r3;");
    px_expect_error(PX_KERNEL("add.u32 %r1, %r2;"), CW_EINVAL, "t.ptx:7:17: expected ',': add.u32 %r1, %r2;");
    px_expect_error(PX_KERNEL("atom.gpu.sys.global.add.u32 %r1, [%d1], 1;"), CW_EUNSUP,
                    "t.ptx:7:1: unknown or unsupported form of atom: atom.gpu.sys.global.add.u32 %r1, [%d1], 1;");
    px_expect_error(PX_KERNEL("atom.global.gpu.u32 %r1, [%d1], 1;"), CW_EUNSUP,
                    "t.ptx:7:1: unknown or unsupported form of atom: atom.global.gpu.u32 %r1, [%d1], 1;");
    px_expect_error(PX_KERNEL("mov.u32 %r1, %envreg32;"), CW_EUNSUP,
                    "t.ptx:7:14: %envreg32 is neither declared nor a special register of this machine: mov.u32 %r1, %envreg32;");
    px_expect_error(PX_KERNEL("vadd.s32.s32.s32 %r1, %r2.b4, %r3;"), CW_EINVAL,
                    "t.ptx:7:23: the instruction has no selector .b4: vadd.s32.s32.s32 %r1, %r2.b4, %r3;");
    px_expect_error(PX_KERNEL("vadd4.u32.u32.u32 %r1.b01, %r2, %r3, %r4;"), CW_EINVAL,
                    "t.ptx:7:19: the instruction has no selector .b01: vadd4.u32.u32.u32 %r1.b01, %r2, %r3, %r4;");
    px_expect_error(PX_KERNEL("vmad.s32.s32.s32 %r1, -%r2, %r3, -%r4;"), CW_EINVAL,
                    "t.ptx:7:1: vmad negates the product or the addend, not both: vmad.s32.s32.s32 %r1, -%r2, %r3, -%r4;");
    px_expect_error(PX_KERNEL("cvt.rn.e4m3x2.f32 %h1, %f1, %f2;"), CW_EUNSUP,
                    "t.ptx:7:1: unknown or unsupported form of cvt: cvt.rn.e4m3x2.f32 %h1, %f1, %f2;");
    px_expect_error(PX_KERNEL("add.bf16 %h1, %h2, %r3;"), CW_EINVAL, "t.ptx:7:20: %r3 does not fit .bf16: add.bf16 %h1, %h2, %r3;");
    px_expect_error(PX_KERNEL(".reg .bf16 %q;"), CW_EUNSUP, "t.ptx:7:6: unknown or unsupported type: .reg .bf16 %q;");
    px_expect_error(PX_KERNEL("bra L9;"), CW_EINVAL, "t.ptx:7:5: label L9 is not defined");
    px_expect_error(PX_KERNEL("ret; ld.global.u32 %r1, [q];"), CW_EINVAL, "t.ptx:7:26: address is not declared: ld.global.u32 %r1, [q];");
}

static void test_ptx_error__module(void **state)
{
    (void)state;
    px_expect_error("hello", CW_EINVAL, "t.ptx:1:1: not PTX: the first directive has to be .version: hello");
    px_expect_error("", CW_EINVAL, "t.ptx:1:1: not PTX: the first directive has to be .version: the file ends here");
    px_expect_error(PX_HEAD "/* open", CW_EINVAL, "t.ptx:4:1: comment is not closed");
    px_expect_error(PX_HEAD ".entry k() { ret;", CW_EINVAL, "t.ptx:4:18: expected '}': the file ends here");
    px_expect_error(PX_HEAD ".entry k() { ret; }\n.entry k() { ret; }", CW_EINVAL, "t.ptx:5:8: k is defined twice: .entry k() {");
    px_expect_error(PX_HEAD ".entry k() { .reg .b32 %r<4>; .reg .u32 a; .reg .u64 a; ret; }", CW_EINVAL,
                    "t.ptx:4:54: a is defined twice: .reg .u64 a;");
    px_expect_error(PX_HEAD ".global .u32 x[2] = {1, 2, 3};", CW_EINVAL,
                    "t.ptx:4:29: more initial values than elements: .global .u32 x[2] = {");
    px_expect_error(PX_HEAD ".global .align 3 .u32 x;", CW_EINVAL,
                    "t.ptx:4:18: alignment has to be a power of two: .global .align 3 .u32 x;");
    px_expect_error(PX_HEAD ".global .u32 x = 1/0;", CW_EINVAL,
                    "t.ptx:4:21: division by zero in a constant expression: .global .u32 x = 1/0;");
}

static void test_ptx_error__calls(void **state)
{
    (void)state;
    px_expect_error(PX_HEAD ".extern .func (.param .b32 r) malloc_(.param .b64 a, .param .b64 b);\n.entry k() {\n.param .b32 r; .param "
                            ".b64 a;\ncall (r), malloc_, (a, a);\nret; }",
                    CW_EUNSUP,
                    "t.ptx:7:1: call of an external function that this machine does not have: malloc_: call (r), malloc_, (a, a);");
    px_expect_error(PX_HEAD ".func f(.param .b32 a) { ret; }\n.entry k() {\ncall f;\nret; }", CW_EINVAL,
                    "t.ptx:6:7: too few arguments or returned values: call f;");
    px_expect_error(PX_HEAD ".func f(.param .b32 a) { ret; }\n.entry k() { .param .b64 x;\ncall f, (x);\nret; }", CW_EINVAL,
                    "t.ptx:6:10: argument has 8 bytes, the parameter 4: call f, (x);");
    px_expect_error(PX_KERNEL("call %d1, ();"), CW_EINVAL,
                    "t.ptx:7:13: an indirect call needs the name of a .callprototype or .calltargets: call %d1, ();");
    px_expect_error(PX_KERNEL("a: .calltargets k;"), CW_EINVAL, "t.ptx:7:17: expected the name of a declared function: a: .calltargets k;");
    px_expect_error(PX_KERNEL("a: .callprototype _ (.param .b32 _);\ncall %d1, a;"), CW_EINVAL,
                    "t.ptx:8:11: too few arguments or returned values: call %d1, a;");
}

/* Doubling call chains: a gigabyte of code from a kilobyte of text is refused, and soon. */
static void test_ptx_error__code_explosion(void **state)
{
    (void)state;
    char text[8192];
    struct cw_module *m;
    struct cw_error err;
    int n = snprintf(text, sizeof(text), "%s.func f0() { .reg .u32 a; add.u32 a, a, 1; add.u32 a, a, a; not.b32 a, a; ret; }\n", PX_HEAD);
    for (int i = 1; i < 60; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, ".func f%d() { call f%d; call f%d; ret; }\n", i, i - 1, i - 1);
    snprintf(text + n, sizeof(text) - (size_t)n, ".entry k() { call f59; ret; }\n");
    assert_int_equal(px_try(&m, text, &err), CW_EUNSUP);
    assert_non_null(strstr(err.text, "kernel has more than 1000000 micro-operations after calls are expanded"));
}

/* Every prefix of a text, and every single changed byte, is an error or a module, never a crash. */
static void test_ptx_error__broken_texts(void **state)
{
    (void)state;
    static const char text[] = PX_HEAD ".global .u64 t[2] = {generic(t), 1};\n.func (.param .b32 r) f(.param .b32 a) { .reg .b32 x; "
                                       "ld.param.b32 x, [a]; st.param.b32 [r], x; ret; }\n"
                                       ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<4>; .reg .pred %p<2>; .reg .b64 %d<2>;\n "
                                       "ld.param.u64 %d1, [p];\nL: { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;\n"
                                       "call (b), f, (a); ld.param.b32 %r2, [b]; }\nsetp.lt.and.s32 %p0|%p1, %r2, (3 << 2), !%p1; @%p1 bra "
                                       "L;\nts: .branchtargets L, M; brx.idx %r1, ts;\nM: st.global.v2.u32 [%d1+-4], {%r1, 0xff}; ret; }\n";
    char copy[sizeof(text)];
    uint32_t loaded = 0, cases = 0;
    for (size_t i = 0; i < sizeof(text); i++) {
        for (uint32_t j = 0; j < 9; j++, cases++) {
            struct cw_module *m;
            struct cw_error err;
            memcpy(copy, text, sizeof(text));
            copy[i] = "\0 ;}{,.9%"[j];
            if (cw_ptx_load(&m, copy, j == 0 ? i : sizeof(text) - 1, "t.ptx", px_intrinsics, NULL, &err) == CW_OK) {
                cw_module_destroy(m);
                loaded++;
            }
        }
    }
    printf("%u texts, %u of them loaded\n", cases, loaded);
    assert_true(loaded > 0 && loaded < cases);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ptx_error__instruction),  cmocka_unit_test(test_ptx_error__module),
    cmocka_unit_test(test_ptx_error__calls),        cmocka_unit_test(test_ptx_error__code_explosion),
    cmocka_unit_test(test_ptx_error__broken_texts),
};

CW_TEST_MAIN(tests)
