/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branches that are uniform over a thread block: kernels whose answers are worked out by hand. A string of one letter per branch with a
 * condition, in the order of the text: u proved uniform, d not.
 */
#include "ptx_fixture.h"

static void expect_of_module(struct cw_module *m, const char *want)
{
    const struct cw_kernel *k = &m->kernel[0];
    char got[64] = "";
    for (uint32_t i = 0, n = 0; i < k->uop_cnt; i++) {
        if (k->uop[i].op == CW_OP_BRA && k->uop[i].guard < 0)
            assert_true(k->uop[i].uniform);
        else if (k->uop[i].op == CW_OP_BRX || k->uop[i].op == CW_OP_BRA)
            got[n++] = k->uop[i].uniform ? 'u' : 'd';
    }
    assert_string_equal(got, want);
    cw_module_destroy(m);
}

static void expect_uniform(const char *text, const char *want)
{
    expect_of_module(px_load(text), want);
}

#define EXPECT(body, want) expect_uniform(PX_KERNEL(body), want)
#define IF(reg)            "setp.ne.u32 %p9, " reg ", 0; @%p9 bra J; membar.cta; J: ret;"

static void test_ptx_uniform__values(void **state)
{
    (void)state;
    EXPECT("ld.param.u32 %r1, [p1];" IF("%r1"), "u");
    EXPECT("mov.u32 %r1, %ctaid.x;" IF("%r1"), "u");
    EXPECT("mov.u32 %r1, %ntid.y; mov.u32 %r2, %nctaid.z; mad.lo.s32 %r1, %r1, %r2, 7;" IF("%r1"), "u");
    EXPECT("mov.u32 %r1, %tid.x;" IF("%r1"), "d");
    EXPECT("mov.u32 %r1, %tid.z;" IF("%r1"), "d");
    EXPECT("mov.u32 %r1, %laneid;" IF("%r1"), "d");
    EXPECT("mov.u32 %r1, %warpid;" IF("%r1"), "d"); /* uniform over a warp, not over the block */
    EXPECT("mov.u32 %r1, %clock;" IF("%r1"), "d");
    EXPECT("ld.param.u64 %d1, [p0]; ld.global.u32 %r1, [%d1];" IF("%r1"), "d"); /* others may write it meanwhile */
    EXPECT("ld.param.u64 %d1, [p0]; atom.global.add.u32 %r1, [%d1], 1;" IF("%r1"), "d");
    EXPECT("ld.param.u32 %r2, [p1]; setp.ne.u32 %p2, %r2, 0; vote.sync.any.pred %p1, %p2, -1; @%p1 bra J; membar.cta; J: ret;", "d");
    EXPECT("activemask.b32 %r1;" IF("%r1"), "d");
    EXPECT(IF("%r1"), "d"); /* never written */
}

static void test_ptx_uniform__barrier(void **state)
{
    (void)state;
    const char *const load = "ld.param.u64 %d1, [p0]; ld.global.u32 %r2, [%d1]; setp.ne.u32 %p2, %r2, 0;";
    char text[1024];
    snprintf(text, sizeof text, "%s%s%s\n}\n", PX_START, load, "barrier.sync 0; bar.red.popc.u32 %r1, 0, %p2;" IF("%r1"));
    expect_uniform(text, "u");
    snprintf(text, sizeof text, "%s%s%s\n}\n", PX_START, load, "bar.red.popc.u32 %r1, 0, 64, %p2;" IF("%r1")); /* of 64 threads */
    expect_uniform(text, "d");
}

static void test_ptx_uniform__guards(void **state)
{
    (void)state;
    const char *const id = "mov.u32 %r2, %tid.x; ld.param.u32 %r1, [p1]; setp.ne.u32 %p2, %r2, 0;";
    char text[1024];
    snprintf(text, sizeof text, "%s%s%s\n}\n", PX_START, id, "@%p2 mov.u32 %r1, 5;" IF("%r1")); /* only some threads write it */
    expect_uniform(text, "d");
    snprintf(text, sizeof text, "%s%s%s\n}\n", PX_START, id, "@%p2 exit;" IF("%r1")); /* those that stay agree */
    expect_uniform(text, "u");
    EXPECT("ld.param.u32 %r1, [p1]; setp.ne.u32 %p2, %r1, 0; @%p2 mov.u32 %r1, 5;" IF("%r1"), "u");
}

/* Threads that have come along different ways hold different values, though each way writes the same one for all. */
static void test_ptx_uniform__joins(void **state)
{
    (void)state;
    const char *const id = "mov.u32 %r2, %tid.x; setp.ne.u32 %p2, %r2, 0; ld.param.u32 %r3, [p1]; setp.ne.u32 %p3, %r3, 0;";
    char text[1024];
#define WITH_ID(body, want)                                             \
    do {                                                                \
        snprintf(text, sizeof text, "%s%s%s\n}\n", PX_START, id, body); \
        expect_uniform(text, want);                                     \
    } while (0)
    WITH_ID("@%p2 bra A; mov.u32 %r1, 1; bra.uni B; A: mov.u32 %r1, 2; B:" IF("%r1"), "dd");
    WITH_ID("@%p3 bra A; mov.u32 %r1, 1; bra.uni B; A: mov.u32 %r1, 2; B:" IF("%r1"), "uu"); /* all take the same way */
    WITH_ID("mov.u32 %r1, 1; @%p2 bra B; mov.u32 %r1, 2; B:" IF("%r1"), "dd");
    /* on one side, and read there only: the threads that are there agree */
    WITH_ID("@%p2 bra B; mov.u32 %r1, %r3; setp.ne.u32 %p1, %r1, 0; @%p1 bra B; membar.cta; B: ret;", "du");
    /* written again before it is read */
    WITH_ID("@%p2 bra A; mov.u32 %r1, 1; bra.uni B; A: mov.u32 %r1, 2; B: mov.u32 %r1, 3;" IF("%r1"), "du");
    /* the way of the guard of most kernels: what lies behind it is for those that stay */
    WITH_ID("@%p2 bra X; mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r3; @%p1 bra L; X: ret;", "du");
}

static void test_ptx_uniform__loops(void **state)
{
    (void)state;
    const char *const id = "mov.u32 %r2, %tid.x; setp.ne.u32 %p2, %r2, 0; ld.param.u32 %r3, [p1]; mov.u32 %r1, 0;";
    char text[1024];
    WITH_ID("L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r3; @%p1 bra L; ret;", "u");
    WITH_ID("L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r2; @%p1 bra L; ret;", "d");
    /* an if in the loop does not disturb the loop */
    WITH_ID("L: @%p2 bra M; membar.cta; M: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r3; @%p1 bra L; ret;", "du");
    /* a break by some threads: those that stay agree on the counter... */
    WITH_ID("L: ld.global.u32 %r4, [%d1]; setp.ne.u32 %p4, %r4, 0; @%p4 bra X; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r3; @%p1 bra L;"
            "X: ret;",
            "du");
    /* ...but behind the loop it says when a thread left */
    WITH_ID("L: ld.global.u32 %r4, [%d1]; setp.ne.u32 %p4, %r4, 0; @%p4 bra X; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r3; @%p1 bra L;"
            "X:" IF("%r1"),
            "ddd");
    /* one write only, in a loop that is left in different iterations */
    WITH_ID("L: mov.u32 %r5, %r1; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r2; @%p1 bra L;" IF("%r5"), "dd");
    /* ...which says nothing about a loop around that one */
    WITH_ID("L: mov.u32 %r6, 0; I: add.u32 %r6, %r6, 1; setp.lt.u32 %p5, %r6, %r2; @%p5 bra I; add.u32 %r1, %r1, 1;"
            "setp.lt.u32 %p1, %r1, %r3; @%p1 bra L;" IF("%r1"),
            "duu");
    /* a loop that begins where two ways join: what it writes is behind the join */
    WITH_ID("@%p2 bra N; membar.cta; N: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r3; @%p1 bra N; ret;", "du");
    /* Figure 3.8 with a counter: ways join at the end of the iteration */
    WITH_ID("L: @%p2 bra M; ld.global.u32 %r4, [%d1]; setp.ne.u32 %p4, %r4, 0; @%p4 bra X; M: add.u32 %r1, %r1, 1;"
            "setp.lt.u32 %p1, %r1, %r3; @%p1 bra L; X: ret;",
            "ddu");
    /* an inner loop on one side of a divergent branch in an outer one */
    WITH_ID("L: @%p2 bra M; mov.u32 %r6, 0; I: add.u32 %r6, %r6, 1; setp.lt.u32 %p5, %r6, %r3; @%p5 bra I; M: add.u32 %r1, %r1, 1;"
            "setp.lt.u32 %p1, %r1, %r3; @%p1 bra L; ret;",
            "duu");
    /* threads wait behind the branch while others go on to the next iteration and come again: what they count is not the same there... */
    WITH_ID("L: add.u32 %r1, %r1, 1; setp.lt.u32 %p4, %r1, %r2; @%p4 bra L; setp.lt.u32 %p1, %r1, %r3; @%p1 bra L; ret;", "dd");
    /* ...also when the branch does not begin the loop, and when it is an outer one in which they go on */
    WITH_ID("setp.ne.u32 %p3, %r3, 0; L: add.u32 %r1, %r1, 1; @%p3 bra M; membar.cta; M: setp.lt.u32 %p4, %r1, %r2; @%p4 bra L;"
            "setp.lt.u32 %p1, %r1, %r3; @%p1 bra L; ret;",
            "udd");
    WITH_ID("setp.ne.u32 %p3, %r3, 0; L: add.u32 %r1, %r1, 1; mov.u32 %r6, 0; I: add.u32 %r6, %r6, 1; setp.lt.u32 %p4, %r6, %r2;"
            "@%p4 bra L; @%p3 bra I; setp.lt.u32 %p1, %r1, %r3; @%p1 bra L; ret;",
            "dud");
    /* what no iteration writes is still the same for all */
    WITH_ID("setp.ne.u32 %p3, %r3, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p4, %r1, %r2; @%p4 bra L; @%p3 bra M; membar.cta;"
            "M: mov.u32 %r6, %r3; setp.lt.u32 %p1, %r6, 7; @%p1 bra L; ret;",
            "duu");
}

static void test_ptx_uniform__indexed(void **state)
{
    (void)state;
    EXPECT("ld.param.u32 %r1, [p1]; ts: .branchtargets A, B; brx.idx %r1, ts; A: membar.cta; B: ret;", "u");
    EXPECT("mov.u32 %r1, %tid.x; ts: .branchtargets A, B; brx.idx %r1, ts; A: membar.cta; B: ret;", "d");
}

static void test_ptx_uniform__carry(void **state)
{
    (void)state;
    EXPECT("ld.param.u32 %r1, [p1]; add.cc.u32 %r2, %r1, %r1; addc.u32 %r3, 0, 0;" IF("%r3"), "u");
    EXPECT("mov.u32 %r1, %tid.x; add.cc.u32 %r2, %r1, %r1; addc.u32 %r3, 0, 0;" IF("%r3"), "d");
}

/* Most of either side meet at P, which is then the point of a profile; some come to it one round later, past it and round by L. With the
 * points of loops all threads wait for each other at L. */
static void test_ptx_uniform__points_of_a_profile(void **state)
{
    (void)state;
    static const uint64_t threads[] = {50, 50, 2, 48, 2, 48, 90, 6, 94, 4};
    const char *const text =
        PX_KERNEL("mov.u32 %r2, %tid.x; setp.lt.u32 %p1, %r2, 9; ld.param.u32 %r3, [p1]; mov.u32 %r1, 0;"
                  "H: add.u32 %r1, %r1, 1; @%p1 bra S; ld.global.u32 %r4, [%d1]; setp.ne.u32 %p2, %r4, 0; @%p2 bra L; bra.uni P;"
                  "S: ld.global.u32 %r5, [%d1]; setp.ne.u32 %p4, %r5, 0; @%p4 bra X; P: setp.lt.u32 %p5, %r1, %r3; @%p5 bra L; membar.cta;"
                  "L: setp.lt.u32 %p3, %r1, %r3; @%p3 bra H; X: membar.cta; ret;");
    expect_uniform(text, "ddduu");
    struct cw_branch_counts *c = px_counts(text, threads, sizeof threads / sizeof threads[0]);
    struct cw_module *m;
    struct cw_error err;
    assert_int_equal(cw_ptx_load(&m, text, strlen(text), "t.ptx", px_intrinsics, &(struct cw_ir_wishes){.profile = c}, &err), CW_OK);
    const uint32_t point = px_find(&m->kernel[0], CW_OP_BRA, 4) - 1; /* P: the comparison before the fifth branch */
    assert_int_equal(m->kernel[0].uop[px_find(&m->kernel[0], CW_OP_BRA, 0)].lpc, point);
    expect_of_module(m, "ddddd");
    cw_branch_counts_destroy(c);
}

/* A cycle with two entries, and a region: nothing is proved. */
static void test_ptx_uniform__not_looked_at(void **state)
{
    (void)state;
    EXPECT("ld.param.u32 %r1, [p1]; setp.ne.u32 %p1, %r1, 0; @%p1 bra B; A: membar.cta; B: membar.cta; @%p1 bra A; ret;", "dd");
    expect_uniform(PX_HEAD ".extern .func tx_begin();\n.extern .func tx_commit();\n"
                           ".visible .entry k(.param .u32 p1) {\n" PX_REGS
                           "ld.param.u32 %r1, [p1]; { call tx_begin; } { call tx_commit; }" IF("%r1") "}\n",
                   "d");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ptx_uniform__values),        cmocka_unit_test(test_ptx_uniform__barrier),
        cmocka_unit_test(test_ptx_uniform__guards),        cmocka_unit_test(test_ptx_uniform__joins),
        cmocka_unit_test(test_ptx_uniform__loops),         cmocka_unit_test(test_ptx_uniform__indexed),
        cmocka_unit_test(test_ptx_uniform__carry),         cmocka_unit_test(test_ptx_uniform__points_of_a_profile),
        cmocka_unit_test(test_ptx_uniform__not_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
