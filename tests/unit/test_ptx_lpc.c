/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Likely-convergence points: control-flow shapes whose points are worked out by hand (Fung 2015, 3.4). Every statement stands on a line of
 * its own and becomes one micro-op, so that a line of the body (from 7 on) is micro-op line - 7.
 */
#include "ptx_fixture.h"

#define NONE CW_PC_NONE
#define NOPS "membar.cta;\n"

static void expect_lpc(const char *text, const uint32_t (*pairs)[2], uint32_t cnt)
{
    struct cw_module *m = px_load(text);
    const struct cw_kernel *k = &m->kernel[0];
    uint32_t branches = 0;
    for (uint32_t i = 0; i < k->uop_cnt; i++)
        branches += k->uop[i].op == CW_OP_BRX || (k->uop[i].op == CW_OP_BRA && k->uop[i].guard >= 0);
    assert_int_equal(branches, cnt); /* none is left out */
    for (uint32_t i = 0; i < cnt; i++)
        if (k->uop[pairs[i][0]].lpc != pairs[i][1])
            fail_msg("micro-op %u is likely to converge at %u, not %u", pairs[i][0], k->uop[pairs[i][0]].lpc, pairs[i][1]);
    for (uint32_t i = 0; i < k->uop_cnt; i++)
        if (k->uop[i].op == CW_OP_BRA && k->uop[i].guard < 0)
            assert_int_equal(k->uop[i].lpc, NONE);
    cw_module_destroy(m);
}

#define EXPECT(text, ...)                                                      \
    do {                                                                       \
        static const uint32_t pairs[][2] = __VA_ARGS__;                        \
        expect_lpc(text, pairs, (uint32_t)(sizeof(pairs) / sizeof(pairs[0]))); \
    } while (0)

/* Example 4 and Figure 3.8. A: 0-1, B: 6-7, C: 2, D: 3, E: 4-5, F: 8. */
static void test_ptx_lpc__example_4(void **state)
{
    (void)state;
    const char *text = PX_KERNEL("A:" NOPS        /* 0 */
                                 "@%p1 bra B;\n"  /* 1: to C or B; F is its post-dominator, E its point */
                                 "@!%p2 bra E;\n" /* 2: C, to D or E */
                                 "bra.uni F;\n"   /* 3: D */
                                 "E:" NOPS        /* 4 */
                                 "@%p3 bra A;\n"  /* 5: leads back, so it has none */
                                 "bra.uni F;\n"   /* 6 */
                                 "B:" NOPS        /* 7 */
                                 "bra.uni E;\n"   /* 8 */
                                 "F:" NOPS "ret;");
    EXPECT(text, {{1, 4}, {2, 4}, {5, NONE}});
    struct cw_module *m = px_load(text);
    assert_int_equal(m->kernel[0].uop[1].rpc, 9);
    assert_int_equal(m->kernel[0].uop[2].rpc, 9);
    cw_module_destroy(m);
}

static void test_ptx_lpc__without_break(void **state)
{
    (void)state;
    EXPECT(PX_KERNEL("@%p1 bra L;\n" NOPS "L:" NOPS "ret;"), {{0, NONE}}); /* no loop */
    /* both sides meet in the loop: behind the if, before the end of the iteration */
    EXPECT(PX_KERNEL("A:" NOPS "@%p1 bra J;\n" NOPS "J:" NOPS "membar.gl;\n@%p2 bra A;\nret;"), {{1, NONE}, {5, NONE}});
    EXPECT(PX_KERNEL("A:" NOPS "@%p1 bra J;\n" NOPS "J:" NOPS "@%p2 bra K;\n" NOPS "K:" NOPS "@%p3 bra A;\nret;"),
           {{1, NONE}, {4, NONE}, {7, NONE}});
    /* the post-dominator is the block that leads back itself */
    EXPECT(PX_KERNEL("A:" NOPS "@%p1 bra J;\n" NOPS "J:" NOPS "@%p2 bra A;\nret;"), {{1, NONE}, {4, NONE}});
    /* a while loop, left at its top: lanes that leave wait behind it, the others have one way */
    EXPECT(PX_KERNEL("A: @%p1 bra X;\n" NOPS "bra.uni A;\nX:" NOPS "ret;"), {{0, 1}});
}

/* The way out of the inner loop lies beyond the outer one: inner branches meet at the end of the inner loop, its last one at the end of
 * the outer. O: 0, I: 1-2, 3-4: leads back to I, 5-6: leads back to O, X: 7. */
static void test_ptx_lpc__nested(void **state)
{
    (void)state;
    EXPECT(PX_KERNEL("O:" NOPS "I:" NOPS "@%p1 bra X;\n" NOPS "@%p2 bra I;\n" NOPS "@%p3 bra O;\nX:" NOPS "ret;"),
           {{2, 3}, {4, 5}, {6, NONE}});
}

/* Two blocks lead back to A: 3 (continue) and 5. Lanes meet at A. */
static void test_ptx_lpc__continue(void **state)
{
    (void)state;
    EXPECT(PX_KERNEL("A:" NOPS "@%p1 bra X;\n@%p2 bra C;\n" NOPS "@%p3 bra A;\nbra.uni X;\nC:" NOPS "@%p4 bra A;\nX:" NOPS "ret;"),
           {{1, 0}, {2, 0}, {4, 0}, {7, 0}});
}

/* brx with a case that leaves the loop. */
static void test_ptx_lpc__indexed(void **state)
{
    (void)state;
    EXPECT(PX_KERNEL("A:" NOPS "ts: .branchtargets B, C, X;\nbrx.idx %r1, ts;\nB:" NOPS "C:" NOPS "@%p1 bra A;\nX:" NOPS "ret;"),
           {{1, 3}, {4, NONE}});
}

/* The block that leads back lies above the header in the text, and falls into it. */
static void test_ptx_lpc__out_of_line(void **state)
{
    (void)state;
    /* 0 jumps to the header 2; 1 is the end of an iteration; 3 leaves, 4 goes to it by way of 5 or straight */
    EXPECT(PX_KERNEL("bra.uni H;\nE:" NOPS "H:" NOPS "@%p1 bra X;\n@%p2 bra E;\n" NOPS "@%p3 bra X;\nbra.uni E;\nX:" NOPS "ret;"),
           {{3, 1}, {4, 1}, {6, 1}});
}

static void test_ptx_lpc__two_entries(void **state)
{
    (void)state;
    EXPECT(PX_KERNEL("@%p1 bra B;\nA:" NOPS "B:" NOPS "@%p2 bra A;\nret;"), {{0, NONE}, {3, NONE}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ptx_lpc__example_4),   cmocka_unit_test(test_ptx_lpc__without_break),
        cmocka_unit_test(test_ptx_lpc__nested),      cmocka_unit_test(test_ptx_lpc__continue),
        cmocka_unit_test(test_ptx_lpc__indexed),     cmocka_unit_test(test_ptx_lpc__out_of_line),
        cmocka_unit_test(test_ptx_lpc__two_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
