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

/* ---- by the counts of an earlier run ---- */

static void expect_profile(const char *text, const uint64_t *threads, uint32_t cnt, const uint32_t *lpc)
{
    struct cw_branch_counts *c = px_counts(text, threads, cnt);
    struct cw_module *m;
    struct cw_error err;
    uint32_t n = 0;
    if (cw_ptx_load(&m, text, strlen(text), "t.ptx", px_intrinsics, &(struct cw_ir_wishes){.profile = c}, &err) != CW_OK)
        fail_msg("%s", err.text);
    const struct cw_kernel *k = &m->kernel[0];
    assert_true(k->profiled);
    for (uint32_t i = 0; i < k->uop_cnt; i++)
        if (k->uop[i].op == CW_OP_BRX || (k->uop[i].op == CW_OP_BRA && k->uop[i].guard >= 0)) {
            if (k->uop[i].lpc != lpc[n])
                fail_msg("branch %u is likely to converge at %u, not %u", n, k->uop[i].lpc, lpc[n]);
            n++;
        } else {
            assert_int_equal(k->uop[i].op == CW_OP_BRA ? k->uop[i].lpc : NONE, NONE);
        }
    cw_module_destroy(m);
    cw_branch_counts_destroy(c);
}

#define THREADS(...) ((const uint64_t[]){__VA_ARGS__}), (uint32_t)(sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
#define POINTS(...)  ((const uint32_t[]){__VA_ARGS__})

/* Figure 3.8, as above: A 0, C 2, D 3, E 4, B 7, F 9. 100 threads come to A: 25 % to B, 75 % to C, 2 % of all to D, 4 % of those at E to F.
 */
static void test_ptx_lpc__profile_of_figure_3_8(void **state)
{
    (void)state;
    const char *text =
        PX_KERNEL("A:" NOPS "@%p1 bra B;\n@!%p2 bra E;\nbra.uni F;\nE:" NOPS "@%p3 bra A;\nbra.uni F;\nB:" NOPS "bra.uni E;\n"
                  "F:" NOPS "ret;");
    expect_profile(text, THREADS(25, 75, 73, 2, 94, 4), POINTS(4, 4, NONE));
    expect_profile(text, THREADS(25, 75, 40, 35, 61, 4), POINTS(4, 4, NONE));       /* more of them break, and still fewer than not */
    expect_profile(text, THREADS(25, 75, 35, 40, 56, 4), POINTS(NONE, NONE, NONE)); /* most of those at C break: E is not likely */
    expect_profile(text, THREADS(25, 75, 73, 2, 4, 94), POINTS(4, 4, NONE));        /* a loop of one round */
    expect_profile(text, THREADS(0, 100, 98, 2, 94, 4), POINTS(NONE, NONE, NONE));  /* nobody comes to E another way */
    expect_profile(text, THREADS(0, 0, 0, 0, 0, 0), POINTS(NONE, NONE, NONE));      /* never run */
    expect_profile(text, THREADS(1, UINT64_MAX, UINT64_MAX, 1, 7, 1), POINTS(4, 4, NONE)); /* no overflow */
}

/* What post-dominates needs no point, however rare a side is. */
static void test_ptx_lpc__profile_of_what_always_meets(void **state)
{
    (void)state;
    const char *choice = PX_KERNEL("@%p1 bra R;\n" NOPS "bra.uni J;\nR:" NOPS "J:" NOPS "ret;");
    expect_profile(choice, THREADS(1, 99), POINTS(NONE));
    expect_profile(choice, THREADS(50, 50), POINTS(NONE));
    /* a place where an inner choice meets lies on one side only of the outer one */
    expect_profile(PX_KERNEL("@%p1 bra R;\n@%p2 bra I;\n" NOPS "I:" NOPS "bra.uni J;\nR:" NOPS "J:" NOPS "ret;"), THREADS(1, 99, 50, 49),
                   POINTS(NONE, NONE));
    /* a loop with a break, and nothing else that meets */
    expect_profile(PX_KERNEL("H:" NOPS "@%p1 bra X;\n" NOPS "@%p2 bra H;\nX:" NOPS "ret;"), THREADS(1, 99, 98, 1), POINTS(NONE, NONE));
}

/* Two sides go to W, and each may go past it. 0: to X 4 or Z 1; Z: 1-3; X: 4-6; W: 7; R: 8. */
static void test_ptx_lpc__profile_without_a_loop(void **state)
{
    (void)state;
    const char *text =
        PX_KERNEL("@%p1 bra X;\n" NOPS "@%p2 bra R;\nbra.uni W;\nX:" NOPS "@%p3 bra R;\nbra.uni W;\nW:" NOPS "R:" NOPS "ret;");
    expect_profile(text, THREADS(50, 50, 1, 49, 2, 48), POINTS(7, 7, 7));
    expect_profile(text, THREADS(1, 99, 1, 98, 0, 1), POINTS(7, 7, 7));             /* a rare side may meet the others */
    expect_profile(text, THREADS(50, 50, 1, 49, 30, 20), POINTS(NONE, NONE, NONE)); /* most of one side go past it */
}

/* The same as a part of the likely side of another branch, which has a reconvergence point of its own: 0, to Y 10. Its threads do not meet
 * at W, 8. */
static void test_ptx_lpc__profile_of_a_part(void **state)
{
    (void)state;
    const char *text = PX_KERNEL("@%p4 bra Y;\n@%p1 bra X;\n" NOPS "@%p2 bra R;\nbra.uni W;\nX:" NOPS "@%p3 bra R;\nbra.uni W;\nW:" NOPS
                                 "R:" NOPS "Y:" NOPS "ret;");
    expect_profile(text, THREADS(1, 99, 50, 49, 1, 48, 2, 48), POINTS(NONE, 8, 8, 8));
}

/* Who goes on with the next round, by two ways, meets at its beginning: the branch's own block, 0. */
static void test_ptx_lpc__profile_of_a_continue(void **state)
{
    (void)state;
    const char *text =
        PX_KERNEL("H:" NOPS "@%p1 bra C;\n" NOPS "@%p2 bra X;\nbra.uni H;\nC:" NOPS "@%p3 bra X;\nbra.uni H;\nX:" NOPS "ret;");
    expect_profile(text, THREADS(40, 60, 3, 57, 2, 38), POINTS(0, 0, 0));
    expect_profile(text, THREADS(40, 60, 3, 57, 38, 2), POINTS(NONE, NONE, NONE)); /* one side ends the loop */
}

/* A loop in a side is left after a hundred rounds: by the only way out, or by one of two that are taken alike. */
static void test_ptx_lpc__profile_of_an_inner_loop(void **state)
{
    (void)state;
    /* A: 0-1, to B 9; C: 2-3, I: 4-5, again I; 6: to D 7 or E 11 */
    const char *text =
        PX_KERNEL("A:" NOPS "@%p1 bra B;\n" NOPS NOPS "I:" NOPS "@%p4 bra I;\n@!%p2 bra E;\nbra.uni F;\nB:" NOPS "membar.gl;\n"
                  "E:" NOPS "@%p3 bra A;\nF:" NOPS "ret;");
    expect_profile(text, THREADS(50, 50, 4950, 50, 49, 1, 95, 4), POINTS(10, NONE, 10, NONE));
    /* 3: out of I to K 8, 4: out to L 6, or again; both go to E 10, D 9 breaks */
    text =
        PX_KERNEL("A:" NOPS "@%p1 bra E;\nI:" NOPS "@%p4 bra K;\n@%p5 bra I;\n" NOPS "bra.uni M;\nK:" NOPS "M: @!%p2 bra E;\nbra.uni F;\n"
                  "E:" NOPS "@%p3 bra A;\nF:" NOPS "ret;");
    expect_profile(text, THREADS(50, 50, 25, 4975, 4950, 25, 49, 1, 95, 4), POINTS(10, NONE, NONE, 10, NONE));
}

/* A loop that nobody has left, so that no likely way ends. */
static void test_ptx_lpc__profile_of_a_loop_without_end(void **state)
{
    (void)state;
    const char *text =
        PX_KERNEL("A:" NOPS "@%p1 bra E;\n@!%p2 bra E;\nI:" NOPS "@%p4 bra I;\nbra.uni F;\nE:" NOPS "@%p3 bra A;\nF:" NOPS "ret;");
    expect_profile(text, THREADS(50, 50, 48, 2, 900, 2, 94, 4), POINTS(6, 6, NONE, NONE));
    expect_profile(text, THREADS(50, 50, 2, 48, 900, 0, 52, 0), POINTS(NONE, NONE, NONE, NONE));
}

/* Both sides go to a loop, I 4; that one has been left, or never. */
static void test_ptx_lpc__profile_before_a_loop(void **state)
{
    (void)state;
    const char *text = PX_KERNEL("@%p1 bra Y;\n@%p2 bra F;\nbra.uni I;\nY:" NOPS "I:" NOPS "@%p4 bra I;\nF:" NOPS "ret;");
    expect_profile(text, THREADS(50, 50, 2, 48, 900, 98), POINTS(4, 4, NONE));
    expect_profile(text, THREADS(50, 50, 2, 48, 900, 0), POINTS(NONE, NONE, NONE));
}

/* Three ways, two of which meet; and a guarded one, whose last way is the next instruction. B 1, C 3, M 4, X 5. */
static void test_ptx_lpc__profile_of_an_indexed_branch(void **state)
{
    (void)state;
    const char *plain =
        PX_KERNEL("ts: .branchtargets B, C, X, B;\nbrx.idx %r1, ts;\nB:" NOPS "bra.uni M;\nC:" NOPS "M:" NOPS "X:" NOPS "ret;");
    expect_profile(plain, THREADS(40, 40, 20), POINTS(4));
    expect_profile(plain, THREADS(40, 0, 60), POINTS(NONE));
    const char *guarded =
        PX_KERNEL("ts: .branchtargets C, X;\n@%p1 brx.idx %r1, ts;\nB:" NOPS "bra.uni M;\nC:" NOPS "M:" NOPS "X:" NOPS "ret;");
    expect_profile(guarded, THREADS(40, 20, 40), POINTS(4));
}

/* Each of these is another kernel than the first. */
static void test_ptx_lpc__profile_of_a_similar_kernel(void **state)
{
    (void)state;
    static const char *const body[] = {
        "setp.eq.u32 %p1, %r1, 5; @%p1 bra J; add.u32 %r2, %r3, %r1; J: ret;",
        "setp.eq.u32 %p1, %r1, 6; @%p1 bra J; add.u32 %r2, %r3, %r1; J: ret;",
        "setp.ne.u32 %p1, %r1, 5; @%p1 bra J; add.u32 %r2, %r3, %r1; J: ret;",
        "setp.eq.u16 %p1, %h1, 5; @%p1 bra J; add.u32 %r2, %r3, %r1; J: ret;",
        "setp.eq.u32 %p1, %r1, 5; @!%p1 bra J; add.u32 %r2, %r3, %r1; J: ret;",
        "setp.eq.u32 %p1, %r1, 5; @%p1 bra J; add.u32 %r2, %r1, %r1; J: ret;",
        "setp.eq.u32 %p1, %r1, 5; @%p1 bra J; add.u32 %r1, %r3, %r1; J: ret;",
        "setp.eq.u32 %p1, %r1, 5; @%p1 bra J; sub.u32 %r2, %r3, %r1; J: ret;",
        "setp.eq.u32 %p1, %r1, 5; J: @%p1 bra J; add.u32 %r2, %r3, %r1; ret;",
    };
    uint64_t digest[sizeof body / sizeof body[0]];
    for (uint32_t i = 0; i < sizeof body / sizeof body[0]; i++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s\n}\n", PX_START, body[i]);
        struct cw_module *m = px_load(text);
        digest[i] = m->kernel[0].digest;
        cw_module_destroy(m);
        for (uint32_t j = 0; j < i; j++)
            if (digest[i] == digest[j])
                fail_msg("kernels %u and %u are one", i, j);
    }
}

static void test_ptx_lpc__profile_of_another_kernel(void **state)
{
    (void)state;
    const char *text = PX_KERNEL("@%p1 bra J;\n" NOPS "J:" NOPS "ret;"), *other = PX_KERNEL("@%p1 bra J;\nmembar.gl;\nJ:" NOPS "ret;");
    struct cw_branch_counts *c = px_counts(text, THREADS(1, 2));
    struct cw_module *m;
    struct cw_error err;
    c->kernel[0]->where = 2;
    assert_int_equal(cw_ptx_load(&m, other, strlen(other), "o.ptx", px_intrinsics, &(struct cw_ir_wishes){.profile = c}, &err), CW_EINVAL);
    assert_string_equal(err.text, "t.txt:2: kernel 'k' is not the one of o.ptx; record that one (--record-branches)");
    /* the same one with other names and more blanks */
    other = PX_KERNEL("// more\n\n@%p1 bra ELSEWHERE;\n" NOPS "ELSEWHERE:" NOPS "ret;");
    assert_int_equal(cw_ptx_load(&m, other, strlen(other), "o.ptx", px_intrinsics, &(struct cw_ir_wishes){.profile = c}, &err), CW_OK);
    assert_true(m->kernel[0].profiled);
    cw_module_destroy(m);
    /* one that is not in it may be loaded, beside one that is */
    other = PX_HEAD ".visible .entry another() { ret; }\n";
    assert_int_equal(cw_ptx_load(&m, other, strlen(other), "o.ptx", px_intrinsics, &(struct cw_ir_wishes){.profile = c}, &err), CW_OK);
    assert_false(m->kernel[0].profiled);
    cw_module_destroy(m);
    cw_branch_counts_destroy(c);
}

/* The digest is right, and the branches are not the kernel's. */
static void test_ptx_lpc__profile_that_is_damaged(void **state)
{
    (void)state;
    const char *text = PX_KERNEL("@%p1 bra J;\n" NOPS "J: @%p2 bra K;\n" NOPS "K:" NOPS "ret;");
    for (uint32_t damage = 0; damage < 6; damage++) {
        struct cw_branch_counts *c = px_counts(text, THREADS(1, 2, 3, 4));
        struct cw_kernel_counts *k = c->kernel[0];
        struct cw_module *m;
        struct cw_error err;
        k->where = 2;
        k->branch[0].where = 3;
        k->branch[1].where = 4;
        k->branch[1].at += damage == 0;
        k->branch[1].falls ^= damage == 1;
        k->branch[1].way_cnt -= damage == 2;
        k->way[2].to += damage == 3;
        k->branch_cnt -= damage == 4;
        k->branch[0].at += damage == 5;
        assert_int_equal(cw_ptx_load(&m, text, strlen(text), "t.ptx", px_intrinsics, &(struct cw_ir_wishes){.profile = c}, &err),
                         CW_EINVAL);
        const char *where = damage < 4 ? "t.txt:4:" : damage == 4 ? "t.txt:2:" : "t.txt:3:";
        if (strncmp(err.text, where, strlen(where)) != 0)
            fail_msg("damage %u: %s", damage, err.text);
        cw_branch_counts_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ptx_lpc__example_4),
        cmocka_unit_test(test_ptx_lpc__without_break),
        cmocka_unit_test(test_ptx_lpc__nested),
        cmocka_unit_test(test_ptx_lpc__continue),
        cmocka_unit_test(test_ptx_lpc__indexed),
        cmocka_unit_test(test_ptx_lpc__out_of_line),
        cmocka_unit_test(test_ptx_lpc__two_entries),
        cmocka_unit_test(test_ptx_lpc__profile_of_figure_3_8),
        cmocka_unit_test(test_ptx_lpc__profile_of_what_always_meets),
        cmocka_unit_test(test_ptx_lpc__profile_without_a_loop),
        cmocka_unit_test(test_ptx_lpc__profile_of_a_part),
        cmocka_unit_test(test_ptx_lpc__profile_of_a_continue),
        cmocka_unit_test(test_ptx_lpc__profile_of_an_inner_loop),
        cmocka_unit_test(test_ptx_lpc__profile_of_a_loop_without_end),
        cmocka_unit_test(test_ptx_lpc__profile_before_a_loop),
        cmocka_unit_test(test_ptx_lpc__profile_of_an_indexed_branch),
        cmocka_unit_test(test_ptx_lpc__profile_of_a_similar_kernel),
        cmocka_unit_test(test_ptx_lpc__profile_of_another_kernel),
        cmocka_unit_test(test_ptx_lpc__profile_that_is_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
