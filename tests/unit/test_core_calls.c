/* SPDX-License-Identifier: Apache-2.0 */
/* Calls through addresses of functions, and what nvcc makes of printf and assert. Results are worked out by hand. */
#include "core_rig.h"

/* A machine that has run the kernel, with the module's variables in memory of their own. */
static struct rig *run_module(const char *text, uint32_t threads)
{
    struct rig *r = new_rig();
    struct cw_error err;
    uint64_t base;
    create_machine(r);
    load(r, text);
    assert_int_equal(cw_memory_alloc(r->memory, &base, r->module->global_bytes + 1, CW_REGION_MODULE, &err), 0);
    assert_int_equal(cw_module_place(r->module, base, &err), 0);
    if (r->module->global_bytes > 0)
        cw_memory_write(r->memory, base, r->module->global_image, r->module->global_bytes);
    prepare(r, threads, 1);
    run(r);
    return r;
}

static struct rig *run_well(const char *text, uint32_t threads)
{
    struct rig *r = run_module(text, threads);
    assert_string_equal(r->fault_text, "");
    return r;
}

/* add(a, b), mul(a, b), sub(a, b), and one with another parameter list */
#define FUNCTIONS                                                                                                                 \
    ".func (.param .b32 r) add(.param .b32 a, .param .b32 b);\n"                                                                  \
    ".func (.param .b32 r) mul(.param .b32 a, .param .b32 b) {\n.reg .b32 %x<4>; ld.param.b32 %x1, [a]; ld.param.b32 %x2, [b];\n" \
    "mul.lo.u32 %x3, %x1, %x2; st.param.b32 [r], %x3; ret; }\n"                                                                   \
    ".global .align 8 .u64 two[2] = {add, mul};\n"                                                                                \
    ".func (.param .b32 r) add(.param .b32 a, .param .b32 b) {\n.reg .b32 %x<4>; ld.param.b32 %x1, [a]; ld.param.b32 %x2, [b];\n" \
    "add.u32 %x3, %x1, %x2; st.param.b32 [r], %x3; ret; }\n"                                                                      \
    ".func (.param .b32 r) sub(.param .b32 a, .param .b32 b) {\n.reg .b32 %x<4>; ld.param.b32 %x1, [a]; ld.param.b32 %x2, [b];\n" \
    "sub.u32 %x3, %x1, %x2; st.param.b32 [r], %x3; ret; }\n"                                                                      \
    ".func other(.param .b64 a) { ret; }\n"
/* %r9 = the function at %d1 of (%n, 5) */
#define CALL(list)                                                                                            \
    "{ .param .b32 p0; st.param.b32 [p0], %n; .param .b32 p1; st.param.b32 [p1], 5; .param .b32 back;\n" list \
    "ld.param.b32 %r9, [back]; }\nst.global.u32 [%e], %r9; ret; }"
#define PROTOTYPE "proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\ncall (back), %d1, (p0, p1), proto;\n"
#define OF_TABLE  "and.b32 %r1, %n, 1; mul.wide.u32 %d2, %r1, 8; mov.u64 %d3, two; add.u64 %d3, %d3, %d2; ld.global.u64 %d1, [%d3];\n"

/* Even threads add and odd ones multiply. */
static void test_core_calls__divergent_targets(void **state)
{
    (void)state;
    struct rig *r = run_well(PTX_HEAD FUNCTIONS ENTRY OF_TABLE CALL(PROTOTYPE), 96);
    for (uint32_t n = 0; n < 96; n++)
        assert_int_equal(word(r, n), n % 2 == 0 ? n + 5 : n * 5);
    destroy_rig(r);
}

/* A list names all that may be meant: taking an address is not needed, and one that is not in the list is no target. */
static void test_core_calls__a_list_of_targets(void **state)
{
    (void)state;
    static const char text[] = PTX_HEAD FUNCTIONS ENTRY "mov.u64 %d1, sub; setp.lt.u32 %p1, %n, 7; @%p1 mov.u64 %d1, add;\n" CALL(
        "list: .calltargets add, sub;\ncall (back), %d1, (p0, p1), list;\n");
    struct rig *r = run_well(text, 64);
    for (uint32_t n = 0; n < 64; n++)
        assert_int_equal(word(r, n), n < 7 ? n + 5 : n - 5);
    destroy_rig(r);
}

/* Lanes whose guard is false do not call, whatever their address. */
static void test_core_calls__under_a_predicate(void **state)
{
    (void)state;
    static const char text[] = PTX_HEAD FUNCTIONS ENTRY OF_TABLE "setp.lt.u32 %p1, %n, 10; @!%p1 mov.u64 %d1, 0;\n" CALL(
        "mov.b32 %r8, 77; st.param.b32 [back], %r8;\nproto: .callprototype (.param .b32 _) _ "
        "(.param .b32 _, .param .b32 _);\n@%p1 call (back), %d1, (p0, p1), proto;\n");
    struct rig *r = run_well(text, 32);
    for (uint32_t n = 0; n < 32; n++)
        assert_int_equal(word(r, n), n >= 10 ? 77 : n % 2 == 0 ? n + 5 : n * 5);
    destroy_rig(r);
}

static void faults(const char *text, const char *expected)
{
    struct rig *r = run_module(text, 32);
    if (strstr(r->fault_text, expected) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", r->fault_text, expected);
    assert_int_equal(r->fault, CW_EFAULT);
    destroy_rig(r);
}

static void test_core_calls__no_such_function(void **state)
{
    (void)state;
    static const char *const addresses[] = {"mov.u64 %d1, 0;", "mov.u64 %d1, other;", "mov.u64 %d1, sub; add.u64 %d1, %d1, 1;"};
    for (size_t i = 0; i < 3; i++) {
        char text[4096];
        snprintf(text, sizeof text, "%s%s\n%s", PTX_HEAD FUNCTIONS ENTRY, addresses[i], CALL(PROTOTYPE));
        faults(text, "indirect call of something that is no function with these parameters");
    }
}

/* A function that calls by address one like itself: once works, into itself does not. */
static void test_core_calls__recursion_by_address(void **state)
{
    (void)state;
    static const char text[] = PTX_HEAD
        ".func (.param .b32 r) leaf(.param .b64 f) { .reg .b32 %x; mov.u32 %x, 3; st.param.b32 [r], %x; ret; }\n"
        ".func (.param .b32 r) via(.param .b64 f) { .reg .b32 %x; .reg .b64 %y; ld.param.b64 %y, [f];\n"
        "{ .param .b64 p; st.param.b64 [p], %y; .param .b32 b; q: .callprototype (.param .b32 _) _ (.param .b64 _); call (b), %y, (p), q;\n"
        "ld.param.b32 %x, [b]; }\nadd.u32 %x, %x, 10; st.param.b32 [r], %x; ret; }\n" ENTRY
        "mov.u64 %d1, via; mov.u64 %d2, %s;\n{ .param .b64 p; st.param.b64 [p], %d2; .param .b32 b;\n"
        "q: .callprototype (.param .b32 _) _ (.param .b64 _); call (b), %d1, (p), q; ld.param.b32 %r1, [b]; }\nst.global.u32 [%e], %r1; "
        "ret; }";
    char good[4096], bad[4096];
    const char *at = strstr(text, "%s");
    snprintf(good, sizeof good, "%.*sleaf%s", (int)(at - text), text, at + 2);
    snprintf(bad, sizeof bad, "%.*svia%s", (int)(at - text), text, at + 2);
    struct rig *r = run_well(good, 32);
    assert_int_equal(word(r, 31), 13);
    destroy_rig(r);
    faults(bad, "recursion through a pointer is not supported");
}

/* ---- printing ---- */

#define EXTERN                                                               \
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n" \
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
#define PRINT(buffer)                                                                                     \
    "mov.u64 %d1, text; { .param .b64 f; st.param.b64 [f], %d1; .param .b64 a; st.param.b64 [a], " buffer \
    "; .param .b32 back; call.uni (back), vprintf, (f, a); ld.param.b32 %r9, [back]; }\n"

/* A string as the bytes of an initialiser. */
static const char *bytes_of(const char *s)
{
    static char text[1024];
    size_t n = 0;
    for (const char *c = s;; c++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%d", c == s ? "" : ", ", *c);
        if (*c == '\0')
            return text;
    }
}

/* What a kernel of one thread prints; the arguments are stored at %d4, in local memory. */
static void prints(const char *format, const char *store, const char *expected, uint32_t conversions)
{
    char text[4096];
    snprintf(text, sizeof text,
             "%s.global .align 1 .b8 text[] = {%s};\n%s.local .align 8 .b8 l[64]; mov.u64 %%d3, l; cvta.local.u64 %%d4, %%d3;\n%s\n%s"
             "st.global.u32 [%%e], %%r9; ret; }",
             PTX_HEAD EXTERN ".global .align 1 .b8 word[] = {119, 111, 114, 100, 0};\n", bytes_of(format), ENTRY, store, PRINT("%d4"));
    struct rig *r = run_well(text, 1);
    assert_string_equal(r->printed, expected);
    assert_int_equal(word(r, 0), conversions);
    destroy_rig(r);
}

static void test_core_calls__printf_formats(void **state)
{
    (void)state;
    prints("plain\n", "", "plain\n", 0);
    prints("%d %u|", "mov.b32 %r1, -7; st.local.u32 [%d3], %r1; st.local.u32 [%d3+4], %r1;", "-7 4294967289|", 2);
    prints("%5.2f,%e", "mov.f64 %d5, 0d3FF8000000000000; st.local.f64 [%d3], %d5; st.local.f64 [%d3+8], %d5;", " 1.50,1.500000e+00", 2);
    prints("%d:%f", "mov.b32 %r1, 9; st.local.u32 [%d3], %r1; mov.b64 %d5, 0x4000000000000000; st.local.b64 [%d3+8], %d5;", "9:2.000000",
           2);
    prints("%lld %llx %ld", "mov.b64 %d5, -3; st.local.b64 [%d3], %d5; st.local.b64 [%d3+8], %d5; st.local.b64 [%d3+16], %d5;",
           "-3 fffffffffffffffd -3", 3);
    prints("100%% %c%s", "mov.b32 %r1, 65; st.local.u32 [%d3], %r1; mov.u64 %d5, word; st.local.u64 [%d3+8], %d5;", "100% Aword", 2);
    prints("%-4d|%*d|%04x", "mov.b32 %r1, 5; st.local.v4.u32 [%d3], {%r1, %r1, %r1, %r1};", "5   |    5|0005", 3);
    prints("%6s|%-6s|%.2s", "mov.u64 %d5, word; st.local.u64 [%d3], %d5; st.local.u64 [%d3+8], %d5; st.local.u64 [%d3+16], %d5;",
           "  word|word  |wo", 3);
    prints("%p", "mov.b64 %d5, 0x1234; st.local.u64 [%d3], %d5;", "0x1234", 1);
}

/* Thread by thread, lanes in order; the ones under a false predicate do not print. */
static void test_core_calls__printf_by_lane(void **state)
{
    (void)state;
    char text[4096];
    snprintf(text, sizeof text,
             "%s.global .align 1 .b8 text[] = {%s};\n%s.local .align 8 .b8 l[8]; mov.u64 %%d3, l; cvta.local.u64 %%d4, %%d3;\n"
             "st.local.u32 [%%d3], %%n; and.b32 %%r1, %%n, 1; setp.eq.u32 %%p1, %%r1, 1; @%%p1 bra SKIP;\n%sSKIP: ret; }",
             PTX_HEAD EXTERN, bytes_of("<%d>"), ENTRY, PRINT("%d4"));
    struct rig *r = run_well(text, 8);
    assert_string_equal(r->printed, "<0><2><4><6>");
    destroy_rig(r);
}

/* The call itself under a predicate: threads that do not call have no arguments to load, their address is none. */
static void test_core_calls__printf_under_a_predicate(void **state)
{
    (void)state;
    char text[4096];
    for (uint32_t negated = 0; negated < 2; negated++) {
        snprintf(text, sizeof text,
                 "%s.global .align 1 .b8 text[] = {%s};\n%s.local .align 8 .b8 l[8]; mov.u64 %%d3, l; cvta.local.u64 %%d4, %%d3;\n"
                 "st.local.u32 [%%d3], %%n; setp.lt.u32 %%p1, %%n, 3; mov.u64 %%d1, text; @%s%%p1 mov.u64 %%d4, 7;\n"
                 "{ .param .b64 f; st.param.b64 [f], %%d1; .param .b64 a; st.param.b64 [a], %%d4; .param .b32 back;\n"
                 "@%s%%p1 call (back), vprintf, (f, a); } ret; }",
                 PTX_HEAD EXTERN, bytes_of("<%d>"), ENTRY, negated ? "" : "!", negated ? "!" : "");
        struct rig *r = run_well(text, 5);
        assert_string_equal(r->printed, negated ? "<3><4>" : "<0><1><2>");
        destroy_rig(r);
    }
}

/* printf without arguments gets none. */
static void test_core_calls__printf_without_arguments(void **state)
{
    (void)state;
    char text[4096];
    snprintf(text, sizeof text, "%s.global .align 1 .b8 text[] = {%s};\n.global .b8 more[] = {37, 100, 0};\n%s%sret; }", PTX_HEAD EXTERN,
             bytes_of("hello"), ENTRY, PRINT("0"));
    struct rig *r = run_well(text, 1);
    assert_string_equal(r->printed, "hello");
    destroy_rig(r);
}

static void test_core_calls__assert_ends_the_run(void **state)
{
    (void)state;
    char text[4096];
    snprintf(text, sizeof text,
             "%s.global .b8 what[] = {%s};\n.global .b8 where[] = {97, 46, 99, 117, 0};\n%s"
             "setp.ne.u32 %%p1, %%n, 5; @%%p1 bra GOOD; mov.u64 %%d1, what; mov.u64 %%d2, where;\n"
             "{ .param .b64 a; st.param.b64 [a], %%d1; .param .b64 b; st.param.b64 [b], %%d2; .param .b32 c; st.param.b32 [c], 12;\n"
             ".param .b64 d; st.param.b64 [d], %%d2; .param .b64 f; st.param.b64 [f], 1; call.uni __assertfail, (a, b, c, d, f); }\n"
             "GOOD: ret; }",
             PTX_HEAD EXTERN, bytes_of("n != 5"), ENTRY);
    faults(text, "thread (5, 0, 0): a.cu:12: a.cu: assertion `n != 5` failed");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_core_calls__divergent_targets),    cmocka_unit_test(test_core_calls__a_list_of_targets),
    cmocka_unit_test(test_core_calls__under_a_predicate),    cmocka_unit_test(test_core_calls__no_such_function),
    cmocka_unit_test(test_core_calls__recursion_by_address), cmocka_unit_test(test_core_calls__printf_formats),
    cmocka_unit_test(test_core_calls__printf_by_lane),       cmocka_unit_test(test_core_calls__printf_without_arguments),
    cmocka_unit_test(test_core_calls__assert_ends_the_run),  cmocka_unit_test(test_core_calls__printf_under_a_predicate),
};

CW_TEST_MAIN(tests)
