/* SPDX-License-Identifier: Apache-2.0 */
/* What is not supported in a function's body refuses the kernels that have it or call it, and no others. */
#include "ptx_fixture.h"

#define GOOD \
    ".visible .entry good(.param .u64 p) {\n.reg .b64 %d<3>; ld.param.u64 %d1, [p]; mov.u64 %d2, v; st.global.u64 [%d1], %d2; ret; }\n"
#define VARS ".global .u64 v = 5;\n.global .u64 w = 6;\n"

static struct cw_module *load(const char *text)
{
    struct cw_module *m;
    struct cw_error err;
    if (cw_ptx_load(&m, text, strlen(text), "t.ptx", px_intrinsics, NULL, &err) != CW_OK)
        fail_msg("%s", err.text);
    return m;
}

static const char *refused(const struct cw_module *m, const char *name)
{
    const struct cw_kernel *k = cw_module_kernel(m, name);
    assert_non_null(k);
    assert_int_equal(k->refused != NULL, k->uop_cnt == 0);
    return k->refused;
}

/* As the file without what is refused has it: each constant that names a variable has its address too. */
static void expect_good(struct cw_module *m)
{
    struct cw_module *alone = load(PX_HEAD VARS GOOD);
    struct cw_error err;
    const struct cw_kernel *a = cw_module_kernel(m, "good"), *b = cw_module_kernel(alone, "good");
    assert_null(refused(m, "good"));
    assert_int_equal(cw_module_place(m, CW_GLOBAL_BASE, &err), CW_OK);
    assert_int_equal(cw_module_place(alone, CW_GLOBAL_BASE, &err), CW_OK);
    assert_int_equal(a->uop_cnt, b->uop_cnt);
    assert_true(a->digest == b->digest);
    assert_int_equal(a->c64_cnt, b->c64_cnt);
    uint32_t addresses = 0;
    for (uint32_t i = 0; i < a->c64_cnt; i++)
        addresses += a->c64[i * 32] == CW_GLOBAL_BASE;
    assert_true(addresses == 1 && memcmp(a->c64, b->c64, a->c64_cnt * 32 * sizeof *a->c64) == 0);
    cw_module_destroy(alone);
    cw_module_destroy(m);
}

static void test_ptx_refused__a_kernel(void **state)
{
    (void)state;
    static const struct {
        const char *body, *said;
    } bad[] = {
        {"tex.2d.v4.f32.s32 {%f1}, [%d1];", "t.ptx:7:1: textures are not supported: tex.2d.v4.f32.s32 {"},
        /* what stands behind it is not looked at: labels, blocks, names that an unknown declaration would have had */
        {".reg .bf16 %q;\nadd.bf16 %q, %q, %q; bra nowhere;", "t.ptx:7:6: unknown or unsupported type: .reg .bf16 %q;"},
        {"bra out; { { frob; } mov.u32 %r1, {%x}; }\nout: ret;", "t.ptx:7:14: unknown instruction: frob;"},
        {"a: .callprototype _ (.param .bf16 x);", "t.ptx:7:29: unknown or unsupported type: a: .callprototype _ (.param .bf16 x);"},
        {NULL, NULL},
    };
    for (uint32_t i = 0; bad[i].said != NULL; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "%s.visible .entry bad(.param .u32 n, .param .f64 x) .reqntid 32 {\n.reg .b32 %%r<4>; .reg .b64 %%d<4>;\n.reg .f32 "
                 "%%f<4>;\n%s\nret; }\n%s%s",
                 PX_HEAD, bad[i].body, VARS, GOOD);
        struct cw_module *m = load(text);
        assert_string_equal(refused(m, "bad"), bad[i].said);
        const struct cw_kernel *k = cw_module_kernel(m, "bad");
        assert_int_equal(k->param_cnt, 2);
        assert_string_equal(k->param[1].name, "x");
        assert_int_equal(k->param[1].offset, 8);
        assert_int_equal(k->reqntid[0], 32);
        expect_good(m);
    }
}

static void test_ptx_refused__who_calls_it(void **state)
{
    (void)state;
    static const char line[] = "t.ptx:4:16: unknown instruction: frob;";
    struct cw_module *m =
        load(PX_HEAD ".func leaf() { frob; ret; }\n.func via() { call leaf; ret; }\n.func fine() { ret; }\n.func other();\n"
                     ".alias other, leaf;\n.entry a() { call via; ret; }\n.entry b() { call fine; ret; }\n"
                     ".entry c() { .reg .b64 d; mov.u64 d, via; p: .callprototype _ (); call d, (), p; ret; }\n"
                     ".entry d() { call other; ret; }\n" VARS GOOD);
    assert_string_equal(refused(m, "a"), line);
    assert_null(refused(m, "b"));
    assert_string_equal(refused(m, "c"), line);
    assert_string_equal(refused(m, "d"), line);
    expect_good(m);
}

static void test_ptx_refused__calls(void **state)
{
    (void)state;
    struct cw_module *m = load(PX_HEAD ".extern .func nobody();\n.func f() { call nobody; ret; }\n.func g() {\ncall f; ret; }\n"
                                       ".entry a() { call f; ret; }\n.entry b() { call g; ret; }\n"
                                       ".entry c() { call nobody; ret; }\n.entry d() { call nobody; frob; ret; }\n" VARS GOOD);
    static const char what[] = "call of an external function that this machine does not have: nobody";
    assert_non_null(strstr(refused(m, "a"), "t.ptx:5:13: "));
    assert_non_null(strstr(refused(m, "a"), what));
    assert_string_equal(refused(m, "b"), refused(m, "a"));
    assert_string_equal(refused(m, "d"), "t.ptx:11:27: unknown instruction: frob;"); /* the reader has come to this first */
    assert_non_null(strstr(refused(m, "c"), "t.ptx:10:14: "));
    assert_non_null(strstr(refused(m, "c"), what));
    expect_good(m);
}

/* What a function that no kernel calls has, or one that is declared only, refuses nothing. */
static void test_ptx_refused__nobodys_function(void **state)
{
    (void)state;
    struct cw_module *m =
        load(PX_HEAD ".func unused() { frob; ret; }\n.extern .func odd(.param .frob x);\n.func odder(.param .frob x) { ret; }\n"
                     ".func wrong() { add.u32 x, y, z; }\n.entry a() { call odder; ret; }\n" VARS GOOD);
    assert_non_null(strstr(refused(m, "a"), "t.ptx:6:")); /* where what it calls is wrong */
    expect_good(m);
}

/* Text that is wrong in a function is of that function, as long as its braces show where it ends. */
static void test_ptx_refused__wrong_text_in_a_function(void **state)
{
    (void)state;
    static const char *const bad[] = {
        ".entry bad() { add.u32 x, y; ret; }",
        ".entry bad() { bra nowhere; ret; }",
        ".entry bad() { .reg .b32 a; a: ret; }",
        ".entry bad() { { { bra out; } } mov.u32 1, 2; out: ret; }",
        ".entry bad() { .reg .pred p; @q ret; }",
        ".entry bad() { .shared .b8 x[0x7fffffff]; ret; }",
        ".entry bad() { )(; ret; }",
        ".entry bad(.param .u32 a, .param .frob b) { ret; }",
        ".entry bad(.param .u32 a) .frob 7 { ret; }",
        ".func f(.param .b32 a) { ret; }\n.entry bad() { .param .b64 x; call f, (x); ret; }",
        ".func g(.param .b32 a) { ret; }\n.entry bad() { call g; ret; }",
        ".extern .func tx_begin(.param .b64 x);\n.entry bad() { .param .b64 x; call tx_begin, (x); ret; }",
    };
    for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[2000];
        snprintf(text, sizeof text, "%s%s\n%s%s", PX_HEAD, bad[i], VARS, GOOD);
        struct cw_module *m = load(text);
        assert_non_null(refused(m, "bad"));
        expect_good(m);
    }
}

/* Found when the kernel's micro-operations are made, some after its constants have been. */
static void test_ptx_refused__late(void **state)
{
    (void)state;
    struct cw_module *m = load(PX_HEAD VARS ".extern .global .u32 nowhere;\n.entry big() {\n.reg .b64 a; .local .b8 room[20000000];\n"
                                            "mov.u64 a, w; st.global.u64 [a], a; mov.u64 a, room; st.local.u64 [a], a; ret; }\n"
                                            ".entry lost() {\n.reg .b64 a; mov.u64 a, w; mov.u64 a, nowhere; ret; }\n" GOOD);
    assert_non_null(strstr(refused(m, "big"), "bytes of local memory per thread"));
    assert_non_null(strstr(refused(m, "lost"), "variable nowhere is declared .extern and defined nowhere"));
    expect_good(m);
}

/* An instruction or a label that is wrong refuses its kernel, as what is not supported does. */
static void test_ptx_refused__malformed_statements(void **state)
{
    (void)state;
    static const struct {
        const char *body, *said;
    } bad[] = {
        {"add.u32 x, y;", "t.ptx:4:23: expected a register: add.u32 x, y;"},
        {".reg .u32 x; { { mov.u32 x, nothing; } } .reg .u32 x;", "t.ptx:4:43: name is not declared: mov.u32 x, nothing;"},
        {"bra nowhere; { there: ret; }", "t.ptx:4:19: label nowhere is not defined"},
        {".reg .u32 x, x;", "t.ptx:4:28: x is defined twice: .reg .u32 x, x;"},
        {"@p ret;", "t.ptx:4:16: expected a predicate register after '@': @p ret;"},
    };
    for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[1000];
        snprintf(text, sizeof text, "%s.entry bad() {%s}\n.func g() {%s}\n.entry calls() { call g; ret; }\n%s%s", PX_HEAD, bad[i].body,
                 bad[i].body, VARS, GOOD);
        struct cw_module *m = load(text);
        assert_string_equal(refused(m, "bad"), bad[i].said);
        assert_int_equal(cw_module_kernel(m, "bad")->refused_status, CW_EINVAL);
        assert_non_null(refused(m, "calls"));
        expect_good(m);
    }
}

/* Text whose parts cannot be told apart refuses the file, wherever it is, also behind what is not supported. */
static void test_ptx_refused__malformed_text(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {PX_HEAD ".entry a() { add.u32 x, y; { ret; }\n", "expected a register: add.u32 x, y;"},
        {PX_HEAD ".entry a() { frob; ret; }\n;x y;\n", "t.ptx:5:2: expected a directive"},
        {PX_HEAD ".entry a() { frob; \"open\nret; }\n" GOOD, "t.ptx:4:"},
        {PX_HEAD ".entry a() { frob; { ret; }\n", "a brace is not closed"},
        {PX_HEAD ".entry a() { frob; ret; } }\n", "t.ptx:4:"},
        {PX_HEAD ".entry a() { frob; ret; }\n.entry a() { ret; }\n", "t.ptx:5:8: a is defined twice"},
    };
    for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct cw_module *m;
        struct cw_error err;
        assert_int_not_equal(cw_ptx_load(&m, bad[i][0], strlen(bad[i][0]), "t.ptx", px_intrinsics, NULL, &err), CW_OK);
        assert_null(m);
        if (strstr(err.text, bad[i][1]) == NULL)
            fail_msg("%s, but expected %s", err.text, bad[i][1]);
    }
}

/* Bodies with words that are left out, doubled, exchanged or replaced, as no compiler writes them: whatever comes of such a function, the
 * file is read, and its other kernel is as it is without. */
static void test_ptx_refused__broken_bodies(void **state)
{
    (void)state;
    static const char *const junk[] = {"1", "(", ")",   "[", "]",      ",", ";", "%q", "0f3f800000", "ret", ".reg .b32 %r<4>;",
                                       "@", ":", "%p1", "s", "add.u32"};
    static const char *const words[] = {".reg .b32 %r<4>;",
                                        ".reg .b64 %d<4>;",
                                        ".reg .pred %p<2>;",
                                        ".shared .align 4 .b8 s[8];",
                                        ".local .b8 l[8];",
                                        "ld.param.u64 %d1, [p];",
                                        "setp.eq.u32",
                                        "%p1, %r1, 2;",
                                        "@%p1",
                                        "bra out;",
                                        "add.u32",
                                        "%r1, %r2, %r3;",
                                        "st.shared.u32 [s], %r1;",
                                        "mov.v4.u32",
                                        "{%r1, %r2, %r3, %r0}, %tid;",
                                        ".reg .v4 .u32 v;",
                                        "st.global.v4.u32 [%d1], v;",
                                        "mov.b64 {%r1, %r2}, %d1;",
                                        "call f, (%r1);",
                                        "a: .callprototype _ ();",
                                        "b: .branchtargets out, in;",
                                        "brx.idx %r1, b;",
                                        "in:",
                                        "out:",
                                        ".global .u32 g = 5;"};
    enum { WORDS = sizeof words / sizeof words[0], BODIES = 3000 };
    uint32_t random = 12345, refusals = 0;
    for (uint32_t n = 0; n < BODIES; n++) {
        char text[8192];
        int at = snprintf(text, sizeof text, "%s.func f(.reg .u32 x) { ret; }\n%s %s(.param .u64 p) {\n", PX_HEAD,
                          n % 2 == 0 ? ".visible .entry" : ".func", n % 2 == 0 ? "bad" : "inner");
        for (uint32_t i = 0; i < WORDS; i++) {
            random = random * 1664525u + 1013904223u;
            const uint32_t what = random >> 24 & 127;
            const char *word = what == 1 ? junk[random >> 8 & 15] : words[i], *again = what == 2 ? words[i] : "";
            at += snprintf(text + at, sizeof text - (size_t)at, "%s %s\n", what == 0 ? "" : word, again);
        }
        snprintf(text + at, sizeof text - (size_t)at, "ret; }\n%s%s%s",
                 n % 2 == 0 ? "" : ".entry bad() { .param .u64 p; call inner, (p); ret; }\n", VARS, GOOD);
        struct cw_module *m = load(text);
        refusals += refused(m, "bad") != NULL;
        assert_null(refused(m, "good"));
        assert_int_equal(cw_module_kernel(m, "good")->uop_cnt, 4);
        cw_module_destroy(m);
    }
    printf("%u bodies, %u refused\n", BODIES, refusals);
    assert_true(refusals > BODIES / 10 && refusals < BODIES);
}

/* Without a place for the error's text the kernels still have theirs. */
static void test_ptx_refused__nobody_asks_for_errors(void **state)
{
    (void)state;
    static const char text[] = PX_HEAD ".entry a() { frob; ret; }\n";
    struct cw_module *m;
    assert_int_equal(cw_ptx_load(&m, text, strlen(text), "t.ptx", NULL, NULL, NULL), CW_OK);
    assert_string_equal(refused(m, "a"), "t.ptx:4:14: unknown instruction: frob;");
    cw_module_destroy(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ptx_refused__a_kernel),
    cmocka_unit_test(test_ptx_refused__who_calls_it),
    cmocka_unit_test(test_ptx_refused__calls),
    cmocka_unit_test(test_ptx_refused__nobodys_function),
    cmocka_unit_test(test_ptx_refused__late),
    cmocka_unit_test(test_ptx_refused__wrong_text_in_a_function),
    cmocka_unit_test(test_ptx_refused__malformed_statements),
    cmocka_unit_test(test_ptx_refused__broken_bodies),
    cmocka_unit_test(test_ptx_refused__malformed_text),
    cmocka_unit_test(test_ptx_refused__nobody_asks_for_errors),
};

CW_TEST_MAIN(tests)
