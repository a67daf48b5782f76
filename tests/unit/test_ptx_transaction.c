/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader says about the transactions of a kernel, and about values that are equal in all lanes: kernels worked out by hand. */
#include "ptx_fixture.h"

static struct cw_module *load(const char *body)
{
    char text[4096];
    snprintf(text, sizeof text, "%s.extern .func tx_begin();\n.extern .func tx_commit();\n%s%s\nret;\n}\n", PX_HEAD,
             strstr(PX_START, ".visible"), body);
    return px_load(text);
}

static void expect(const char *body, uint32_t cnt, uint32_t words, uint32_t has_read_only, uint32_t reads_as_wrote, uint32_t has_loop)
{
    struct cw_module *m = load(body);
    const struct cw_transactions t = m->kernel[0].transactions;
    if (t.cnt != cnt || t.words != words || t.has_read_only != has_read_only || t.reads_as_wrote != reads_as_wrote ||
        t.has_loop != has_loop)
        fail_msg("%u regions, %u words, read-only %u, reads as wrote %u, loop %u:\n%s", t.cnt, t.words, t.has_read_only, t.reads_as_wrote,
                 t.has_loop, body);
    cw_module_destroy(m);
}

static void expect_uniform_words(const char *body, uint32_t words)
{
    struct cw_module *m = load(body);
    if (m->kernel[0].uniform_regs != words)
        fail_msg("%u words, not %u:\n%s", m->kernel[0].uniform_regs, words, body);
    cw_module_destroy(m);
}

#define TX(body)  "call tx_begin; " body " call tx_commit; "
#define LD(r, at) "ld.shared.u32 %r" #r ", [" at "]; "
#define ST(at, r) "st.shared.u32 [" at "], %r" #r "; "

static void test_ptx_transaction__words(void **state)
{
    (void)state;
    expect(LD(1, "%r9") ST("%r9", 1), 0, 0, 0, 0, 0); /* no region */
    expect(TX(""), 1, 0, 0, 0, 0);
    expect(TX(LD(1, "%r9") ST("%r9", 1)), 1, 1, 0, 1, 0);
    expect(TX(LD(1, "%r9") LD(2, "%r9+4") ST("%r9", 1) ST("%r9+4", 1)), 1, 2, 0, 1, 0);
    expect(TX(LD(1, "%r9") LD(2, "%r9+4") ST("%r9", 1)), 1, 2, 0, 0, 0);
    expect(TX(LD(1, "%r9") ST("%r8", 1)), 1, 2, 0, 0, 0);
    expect(TX("ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r9]; st.shared.u32 [%r9], %r1;"), 1, 5, 0, 0, 0);
    expect(TX("ld.shared.u64 %d1, [%r9]; st.shared.u64 [%r9], %d1;"), 1, 2, 0, 1, 0);
    expect(TX("atom.shared.add.u32 %r1, [%r9], 1;"), 1, 1, 0, 1, 0);
    expect(TX("ld.global.u32 %r1, [%d1]; st.global.u32 [%d1], %r1;"), 1, 0, 0, 0, 0);
    expect(TX(LD(1, "%r9") ST("%r9", 1)) TX(LD(1, "%r8") LD(2, "%r7") ST("%r8", 2) ST("%r7", 1)), 2, 2, 0, 1, 0);
}

/* A register that the region writes once is one address, wherever it is used; one that it writes twice may be two. */
static void test_ptx_transaction__addresses(void **state)
{
    (void)state;
    expect(TX("add.u32 %r9, %r8, 4; " LD(1, "%r9") ST("%r9", 1)), 1, 1, 0, 1, 0);
    expect(TX(LD(1, "%r9") "add.u32 %r9, %r9, 4; add.u32 %r9, %r9, %r1; " ST("%r9", 1)), 1, 2, 0, 0, 0);
}

static void test_ptx_transaction__ways(void **state)
{
    (void)state;
    expect(TX(LD(1, "%r9")), 1, 1, 1, 0, 0);
    expect("setp.ne.u32 %p1, %r3, 0; " TX(LD(1, "%r9") "@%p1 bra E; " ST("%r9", 1) "E: membar.cta;"), 1, 1, 1, 1, 0);
    expect("setp.ne.u32 %p1, %r3, 0; " TX(LD(1, "%r9") "@%p1 " ST("%r9", 1)), 1, 1, 1, 1, 0);
    expect("setp.ne.u32 %p1, %r3, 0; " TX("@%p1 bra E; " LD(1, "%r9") ST("%r9", 1) "E: membar.cta;"), 1, 1, 0, 1, 0); /* nothing at all */
    expect("setp.ne.u32 %p1, %r3, 0; " TX(ST("%r9", 1) "@%p1 bra E; " LD(1, "%r9") "E: membar.cta;"), 1, 1, 0, 1, 0);
}

static void test_ptx_transaction__loops(void **state)
{
    (void)state;
    expect("setp.ne.u32 %p1, %r3, 0; " TX("L: " LD(1, "%r9") ST("%r9", 1) "@%p1 bra L;"), 1, 1, 0, 1, 1);
    expect("setp.ne.u32 %p1, %r3, 0; " TX("L: membar.cta; @%p1 bra L; " LD(1, "%r9") ST("%r9", 1)), 1, 1, 0, 1, 0);
    expect("setp.ne.u32 %p1, %r3, 0; L: " TX(LD(1, "%r9") ST("%r9", 1)) "@%p1 bra L;", 1, 1, 0, 1, 0); /* around the region */
}

/* Parameters and what is computed of them are equal in all lanes, until a region or a loop that lanes leave one by one writes them. */
static void test_ptx_transaction__uniform_words(void **state)
{
    (void)state;
    expect_uniform_words("", 0);
    expect_uniform_words("ld.param.u32 %r1, [p1]; mov.u32 %r2, %tid.x; add.u32 %r3, %r1, %r2; st.shared.u32 [%r3], %r1;", 1);
    expect_uniform_words("ld.param.u64 %d1, [p0]; ld.param.u32 %r1, [p1]; st.global.u32 [%d1], %r1;", 3);
    expect_uniform_words("mov.u32 %r1, %tid.x; st.shared.u32 [0], %r1;", 0);
    expect_uniform_words("ld.param.u32 %r1, [p1]; " TX("ld.param.u32 %r2, [p1]; st.shared.u32 [%r2], %r2; ") "st.shared.u32 [0], %r1;", 1);
    expect_uniform_words("ld.param.u32 %r1, [p1]; ld.param.u32 %r2, [p1]; " TX("st.shared.u32 [%r2], %r2; ") "st.shared.u32 [0], %r1;", 2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ptx_transaction__words),         cmocka_unit_test(test_ptx_transaction__addresses),
        cmocka_unit_test(test_ptx_transaction__ways),          cmocka_unit_test(test_ptx_transaction__loops),
        cmocka_unit_test(test_ptx_transaction__uniform_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
