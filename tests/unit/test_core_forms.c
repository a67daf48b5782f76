/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of memory instructions, and calls of functions that call themselves, from text to memory. Results are worked out by hand. */
#include "core_rig.h"

static struct rig *run_well(const char *text, uint32_t threads)
{
    struct rig *r = run_kernel(new_rig(), text, threads, 1);
    assert_string_equal(r->fault_text, "");
    return r;
}

/* ---- registers of several elements ---- */

/* Word i of the buffer is i. Thread n copies words 4 n .. 4 n + 3 behind 1024. */
static void check_copy(const char *copy)
{
    char text[2048];
    snprintf(text, sizeof text, "%s mul.wide.u32 %%d1, %%n, 16; add.u64 %%d1, %%d1, %%a; %s ret; }", PTX_HEAD ENTRY, copy);
    struct rig *r = run_well(text, 64);
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(word(r, 1024 + i), i);
    destroy_rig(r);
}

static void test_core_forms__vectors_in_memory(void **state)
{
    (void)state;
    check_copy(".reg .v4 .u32 v; ld.global.v4.u32 v, [%d1]; st.global.v4.u32 [%d1+4096], v;");
    check_copy(".reg .v4 .b32 v<9>; ld.v4.global.b32 v7, [%d1]; st.u32.v4.global [%d1+4096], v7;");
    check_copy(".reg .v2 .u64 v; ld.global.v2.u64 v, [%d1]; st.global.v2.u64 [%d1+4096], v;");
    check_copy(".reg .v2 .u64 v; .reg .v4 .u32 w; ld.global.v2.u64 v, [%d1]; mov.b64 {w.x, w.y}, v.x; mov.b64 {w.z, w.w}, v.y;"
               "st.global.v2.u32 [%d1+4096], {w.x, w.y}; st.global.v2.u32 [%d1+4104], {w.z, w.w};");
    check_copy(".reg .b128 q; ld.global.b128 q, [%d1]; st.global.b128 [%d1+4096], q;");
    check_copy(".reg .b128 q, s; ld.b128.global.relaxed.gpu q, [%d1]; mov.b128 s, q; st.volatile.global.b128 [%d1+4096], s;");
    check_copy(".reg .v2 .u64 w; ld.global.v2.u32 w, [%d1]; st.global.v2.u32 [%d1+4096], w; ld.global.v2.u32 w, [%d1+8];"
               "st.global.v2.u32 [%d1+4104], w;"); /* registers that are wider than the type */
}

/* A name says which memory it is in, also where the instruction does not. */
static void test_core_forms__names_without_a_space(void **state)
{
    (void)state;
    struct rig *r = run_well(PTX_HEAD ".shared .align 16 .b8 tile[256];\n.shared .u32 sum;\n" ENTRY
                                      ".local .align 8 .b8 own[16]; st.u32 [own+4], %n; ld.u32 %r1, [own+4]; st.u32 [sum], 0;\n"
                                      "bar.sync 0; red.add.u32 [sum], %r1; bar.sync 0; ld.u32 %r2, [sum]; ld.volatile.u32 %r3, [sum];\n"
                                      "add.u32 %r2, %r2, %r3; st.global.u32 [%e], %r2; ret; }",
                             32);
    for (uint32_t n = 0; n < 32; n++)
        assert_int_equal(word(r, n), 2 * (31 * 32 / 2));
    destroy_rig(r);
}

static void test_core_forms__constants_are_cut(void **state)
{
    (void)state;
    struct rig *r = run_well(PTX_HEAD ENTRY "st.global.u32 [%e], 0; st.global.u8 [%e], 0x377; st.global.u16 [%e+2], -40000;\n"
                                            "bar.sync 0x100000003; ret; }",
                             32);
    for (uint32_t n = 0; n < 32; n++)
        assert_int_equal(word(r, n), 0x77u | (uint32_t)(65536 - 40000) % 65536 << 16);
    destroy_rig(r);
}

/* Thread (x, y) of 8 by 4. */
static void test_core_forms__special_registers_as_vectors(void **state)
{
    (void)state;
    static const char text[] =
        PTX_HEAD ENTRY ".reg .v4 .u32 v; .reg .v4 .u16 h; mov.v4.u32 v, %tid; st.global.u32 [%e], v.x;\n"
                       "mov.v4.b32 {%r1, %r2, %r3, %r4}, %ntid; mad.lo.u32 %r1, %r1, 1000, %r2; add.u32 %r1, %r1, %r4;\n"
                       "st.global.u32 [%e+4096], %r1; mov.v4.u16 h, %tid; st.global.u16 [%e+8192], h.x;\n"
                       "st.global.u16 [%e+8194], h.w; ret; }";
    struct rig *r = run_well(text, 32);
    for (uint32_t n = 0; n < 32; n++) {
        assert_int_equal(word(r, n), n);
        assert_int_equal(word(r, 1024 + n), 32001);
        assert_int_equal(word(r, 2048 + n), n);
    }
    destroy_rig(r);
}

/* ---- recursion ---- */

#define FACT                                                                                                                             \
    ".func (.param .b32 r) fact(.param .b32 a);\n.func (.param .b32 r) fact(.param .b32 a) {\n.reg .b32 %x<4>; .reg .pred %q;\n"         \
    "ld.param.b32 %x0, [a]; setp.gt.u32 %q, %x0, 1; @%q bra more; mov.u32 %x1, 1; st.param.b32 [r], %x1; ret;\nmore: sub.u32 %x2, %x0, " \
    "1;\n"                                                                                                                               \
    "{ .param .b32 p; .param .b32 b; st.param.b32 [p], %x2;\ncall (b), fact, (p); ld.param.b32 %x3, [b]; }\n"                            \
    "mul.lo.u32 %x1, %x3, %x0; st.param.b32 [r], %x1; ret; }\n"
#define FIB                                                                                                                  \
    ".func (.reg .u32 r) fib(.reg .u32 a) {\n.reg .b32 %x<4>; .reg .pred %q; mov.u32 r, a; setp.lt.u32 %q, a, 2; @%q ret;\n" \
    "sub.u32 %x0, a, 1; call (%x1), fib, (%x0); sub.u32 %x0, a, 2; call (%x2), fib, (%x0); add.u32 r, %x1, %x2; ret; }\n"
/* even(n) and odd(n) call each other; how deep is counted in a variable of the frame. */
#define EVEN                                                                                                                    \
    ".func (.param .b32 r) odd(.param .b32 a);\n.func (.param .b32 r) even(.param .b32 a) {\n.reg .b32 %x<3>; .reg .pred %q;\n" \
    "ld.param.b32 %x0, [a]; setp.eq.u32 %q, %x0, 0; @%q st.param.b32 [r], 1; @%q ret; sub.u32 %x0, %x0, 1;\n"                   \
    "{ .param .b32 p; .param .b32 b; st.param.b32 [p], %x0; call (b), odd, (p); ld.param.b32 %x1, [b]; }\n"                     \
    "st.param.b32 [r], %x1; ret; }\n"                                                                                           \
    ".func (.param .b32 r) odd(.param .b32 a) {\n.reg .b32 %x<3>; .reg .pred %q;\n"                                             \
    "ld.param.b32 %x0, [a]; setp.eq.u32 %q, %x0, 0; @%q st.param.b32 [r], 0; @%q ret; sub.u32 %x0, %x0, 1;\n"                   \
    "{ .param .b32 p; .param .b32 b; st.param.b32 [p], %x0; call (b), even, (p); ld.param.b32 %x1, [b]; }\n"                    \
    "st.param.b32 [r], %x1; ret; }\n"
/* sum(n) = n + sum(n - 1), where n waits in the frame's own memory */
#define SUM                                                                                                                   \
    ".func (.param .b64 r) sum(.param .align 16 .b8 a[16]) {\n.reg .b64 %x<4>; .reg .pred %q; .local .align 8 .b8 keep[8];\n" \
    "ld.param.b64 %x0, [a+8]; st.local.u64 [keep], %x0; setp.eq.u64 %q, %x0, 0; @%q st.param.b64 [r], 0; @%q ret;\n"          \
    "sub.u64 %x0, %x0, 1; { .param .align 16 .b8 p[16]; .param .b64 b; st.param.v2.b64 [p], {0, %x0}; call (b), sum, (p);\n"  \
    "ld.param.b64 %x1, [b]; } ld.local.u64 %x2, [keep]; add.u64 %x1, %x1, %x2; st.param.b64 [r], %x1; ret; }\n"
#define OF(function)                                                            \
    "{ .param .b32 p; .param .b32 b; st.param.b32 [p], %n; call (b), " function \
    ", (p); ld.param.b32 %r1, [b]; }\nst.global.u32 [%e], %r1; ret; }"

static void test_core_forms__recursion(void **state)
{
    (void)state;
    struct rig *r = run_well(PTX_HEAD FACT ENTRY OF("fact"), 32);
    for (uint32_t n = 0, want = 1; n < 32; n++, want *= n)
        assert_int_equal(word(r, n), want);
    destroy_rig(r);
    r = run_well(PTX_HEAD FIB ENTRY "min.u32 %r1, %n, 7; call (%r2), fib, (%r1); st.global.u32 [%e], %r2; ret; }", 64);
    static const uint32_t fib[] = {0, 1, 1, 2, 3, 5, 8, 13};
    for (uint32_t n = 0; n < 64; n++)
        assert_int_equal(word(r, n), fib[n < 7 ? n : 7]);
    destroy_rig(r);
    r = run_well(PTX_HEAD EVEN ENTRY OF("even"), 64);
    for (uint32_t n = 0; n < 64; n++)
        assert_int_equal(word(r, n), n % 2 == 0);
    destroy_rig(r);
    r = run_well(PTX_HEAD SUM ENTRY "cvt.u64.u32 %d1, %n; { .param .align 16 .b8 p[16]; .param .b64 b; st.param.v2.b64 [p], {0, %d1};\n"
                                    "call (b), sum, (p); ld.param.b64 %d2, [b]; } st.global.u32 [%e], %d2; ret; }",
                 32);
    for (uint32_t n = 0; n < 32; n++)
        assert_int_equal(word(r, n), n * (n + 1) / 2);
    destroy_rig(r);
}

/* Deeper than it is expanded: the thread that goes there, the line of the call, and how deep it is. */
static void test_core_forms__recursion_that_is_too_deep(void **state)
{
    (void)state;
    static const char text[] = PTX_HEAD FACT ENTRY "mov.u32 %n, 64; setp.eq.u32 %p1, %t, 5; @%p1 mov.u32 %n, 65;\n" OF("fact");
    struct rig *r = new_rig();
    create_machine(r);
    load(r, text);
    prepare(r, 32, 1);
    run(r);
    assert_int_equal(r->fault, CW_EFAULT);
    assert_non_null(strstr(r->fault_text, "k.ptx:10: block (0, 0, 0) thread (5, 0, 0): "));
    assert_non_null(strstr(r->fault_text, "inside 64 calls of it"));
    destroy_rig(r);
}

/* A function that calls itself many times is expanded as far as the code stays small, and its kernel loads. */
static void test_core_forms__recursion_that_grows(void **state)
{
    (void)state;
    char text[8192];
    int n = snprintf(text, sizeof text,
                     "%s.func (.reg .u32 r) tree(.reg .u32 a) {\n.reg .b32 %%x<3>; .reg .pred %%q; mov.u32 r, 1;\n"
                     "setp.eq.u32 %%q, a, 0; @%%q ret; sub.u32 %%x0, a, 1;\n",
                     PTX_HEAD);
    for (int i = 0; i < 9; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "call (%%x1), tree, (%%x0); add.u32 r, r, %%x1;\n");
    snprintf(text + n, sizeof text - (size_t)n, "ret; }\n%s",
             ENTRY "and.b32 %r1, %n, 1; call (%r2), tree, (%r1); st.global.u32 [%e], %r2; ret; }");
    struct rig *r = run_well(text, 32);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(word(r, t), t % 2 == 0 ? 1 : 10);
    assert_true(r->kernel->uop_cnt < 31000);
    destroy_rig(r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_core_forms__vectors_in_memory),
    cmocka_unit_test(test_core_forms__names_without_a_space),
    cmocka_unit_test(test_core_forms__constants_are_cut),
    cmocka_unit_test(test_core_forms__special_registers_as_vectors),
    cmocka_unit_test(test_core_forms__recursion),
    cmocka_unit_test(test_core_forms__recursion_that_is_too_deep),
    cmocka_unit_test(test_core_forms__recursion_that_grows),
};

CW_TEST_MAIN(tests)
