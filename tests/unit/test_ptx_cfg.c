/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reconvergence points: control-flow shapes whose immediate post-dominators are worked out by hand. Every statement stands on a line of its
 * own and becomes one micro-op, so that a line of the body (from 7 on) is micro-op line - 7.
 */
#include "ptx_fixture.h"

static void expect_rpc(const char *text, const uint32_t (*pairs)[2], uint32_t cnt)
{
    struct cw_module *m = px_load(text);
    const struct cw_kernel *k = &m->kernel[0];
    for (uint32_t i = 0; i < cnt; i++) {
        const struct cw_uop *u = &k->uop[pairs[i][0]];
        assert_true(u->op == CW_OP_BRA || u->op == CW_OP_BRX);
        if (u->rpc != pairs[i][1])
            fail_msg("micro-op %u reconverges at %u, not %u", pairs[i][0], u->rpc, pairs[i][1]);
    }
    cw_module_destroy(m);
}

#define NOPS "membar.cta;\n"
#define EXPECT(text, ...)                                                      \
    do {                                                                       \
        static const uint32_t pairs[][2] = __VA_ARGS__;                        \
        expect_rpc(text, pairs, (uint32_t)(sizeof(pairs) / sizeof(pairs[0]))); \
    } while (0)

static void test_ptx_cfg__if(void **state)
{
    (void)state;
    EXPECT(PX_KERNEL("@%p1 bra L;\n" NOPS "L:" NOPS "ret;"), {{0, 2}});
    EXPECT(PX_KERNEL("@%p1 bra E;\n" NOPS "bra.uni J;\nE:" NOPS "J:" NOPS "ret;"), {{0, 4}, {2, 4}});  /* if-else */
    EXPECT(PX_KERNEL("@%p1 bra J;\n@%p2 bra I;\n" NOPS "I:" NOPS "J:" NOPS "ret;"), {{0, 4}, {1, 3}}); /* nested */
}

static void test_ptx_cfg__loops(void **state)
{
    (void)state;
    EXPECT(PX_KERNEL("L:" NOPS "@%p1 bra L;\n" NOPS "ret;"), {{1, 2}});
    /* break out of the middle and continue: both reconverge where the loop is left; the continue's diamond at the latch */
    EXPECT(PX_KERNEL("L:" NOPS "@%p1 bra X;\n@%p2 bra C;\n" NOPS "C:" NOPS "@%p3 bra L;\nX:" NOPS "ret;"), {{1, 6}, {2, 4}, {5, 6}});
    /* a loop in a loop */
    EXPECT(PX_KERNEL("O:" NOPS "I:" NOPS "@%p1 bra I;\n@%p2 bra O;\nret;"), {{2, 3}, {3, 4}});
}

static void test_ptx_cfg__exits(void **state)
{
    (void)state;
    /* both sides return: nothing to reconverge at */
    EXPECT(PX_KERNEL("@%p1 bra E;\n" NOPS "ret;\nE:" NOPS "exit;"), {{0, CW_PC_NONE}});
    /* a guarded exit takes lanes away but leaves the reconvergence of the others alone */
    EXPECT(PX_KERNEL("@%p1 bra E;\n@%p2 exit;\n" NOPS "E:" NOPS "ret;"), {{0, 3}});
    EXPECT(PX_KERNEL("@%p1 bra E;\n@%p2 ret;\n" NOPS "E:" NOPS "ret;"), {{0, 3}});
    /* an early return that a branch jumps around keeps the others from nothing: they meet where they begin */
    EXPECT(PX_KERNEL("@%p1 bra C;\nret;\nC:" NOPS "ret;"), {{0, 2}});
    /* a trap ends the run, not the lane */
    EXPECT(PX_KERNEL("@%p1 bra C;\ntrap;\nC:" NOPS "ret;"), {{0, 2}});
}

#define BAR "bar.sync 0;\n"

/* Ways that only leave: where the sides meet that stay. One common `ret`, as compilers write it. */
static void test_ptx_cfg__leaving(void **state)
{
    (void)state;
    /* if (a) { work; if (b) return; } more: the outer branch meets before `more`, and so does the inner one */
    EXPECT(PX_KERNEL("@%p1 bra M;\n" NOPS "@%p2 bra R;\nM:" NOPS "R: ret;"), {{0, 3}, {2, 3}});
    /* the same return in a loop and in a switch */
    EXPECT(PX_KERNEL("L:" NOPS "@%p1 bra R;\n@%p2 bra L;\n" NOPS "R: ret;"), {{1, 2}, {2, 3}});
    EXPECT(PX_KERNEL("ts: .branchtargets A, B, R;\nbrx.idx %r1, ts;\nA:" NOPS "bra.uni J;\nB:" NOPS "J:" NOPS "R: ret;"), {{0, 4}});
    /* if (i >= n) return; for all threads alike: they may wait at the ret */
    EXPECT(PX_KERNEL("@%p1 bra R;\n" NOPS "R: ret;"), {{0, 2}});
    /* by a chain of jumps; and a trap at the end of a side, behind other work */
    EXPECT(PX_KERNEL("@%p1 bra M;\n" NOPS "@%p2 bra Q;\nM:" NOPS "R: ret;\nQ: bra.uni R;"), {{0, 3}, {2, 3}});
    EXPECT(PX_KERNEL("@%p1 bra M;\n@%p2 bra I;\nbra.uni T;\nI:" NOPS "M:" NOPS "ret;\nT:" NOPS "trap;"), {{0, 4}, {1, 3}});
    /* what a side does before it leaves counts only where no barrier can be reached on the other one */
    EXPECT(PX_KERNEL("@%p1 bra M;\n" NOPS "@!%p2 bra M;\n" NOPS "bra.uni R;\nM:" BAR "R: ret;"), {{0, 5}, {2, 5}});
    EXPECT(PX_KERNEL("@%p1 bra M;\n" NOPS "@!%p2 bra M;\n" NOPS "bra.uni R;\nM:" NOPS "R: ret;"), {{0, 6}, {2, 6}});
    /* the common end does something; behind the barrier the whole graph counts again */
    EXPECT(PX_KERNEL("@%p1 bra M;\n@%p2 bra R;\nM:" BAR "@%p3 bra R;\n" NOPS "R:" NOPS "ret;"), {{0, 2}, {1, 2}, {3, 5}});
    /* a barrier in a loop, and an if with a return in it: the if meets before the barrier */
    EXPECT(PX_KERNEL("L: @%p1 bra S;\n" NOPS "@%p2 bra R;\nS:" BAR "@%p3 bra L;\n" NOPS "R: ret;"), {{0, 3}, {2, 3}, {4, 0}});
    EXPECT(PX_KERNEL("L: @%p1 bra S;\n" NOPS "@%p2 bra R;\nS:" NOPS "@%p3 bra L;\n" NOPS "R: ret;"), {{0, 3}, {2, 3}, {4, 5}});
}

static void test_ptx_cfg__endless(void **state)
{
    (void)state;
    /* an endless loop with an if in it: the if has its join, the rest has none */
    EXPECT(PX_KERNEL("L:@%p1 bra J;\n" NOPS "J:" NOPS "bra L;"), {{0, 2}, {3, CW_PC_NONE}});
    EXPECT(PX_KERNEL("S: bra S;"), {{0, CW_PC_NONE}});
    /* irreducible: two entries into a cycle A <-> B, left from B only */
    EXPECT(PX_KERNEL("@%p1 bra B;\nA:" NOPS "B:" NOPS "@%p2 bra A;\nret;"), {{0, 2}, {3, 4}});
}

static void test_ptx_cfg__indexed(void **state)
{
    (void)state;
    struct cw_module *m = px_load(PX_KERNEL("ts: .branchtargets A, B, J;\nbrx.idx %r1, ts;\nA:" NOPS "bra J;\nB:" NOPS "J:" NOPS "ret;"));
    const struct cw_kernel *k = &m->kernel[0];
    assert_int_equal(k->uop[0].op, CW_OP_BRX);
    assert_int_equal(k->uop[0].rpc, 4);
    assert_int_equal(k->brx_cnt, 1);
    assert_int_equal(k->brx[k->uop[0].target].cnt, 3);
    assert_int_equal(k->brx[0].target[0], 1);
    assert_int_equal(k->brx[0].target[1], 3);
    assert_int_equal(k->brx[0].target[2], 4);
    cw_module_destroy(m);
}

/* Labels belong to their block: inlined assembly uses one name again and again. */
static void test_ptx_cfg__label_scopes(void **state)
{
    (void)state;
    struct cw_module *m = px_load(PX_KERNEL("{ L:" NOPS "@%p1 bra L; }\n{ " NOPS "L:" NOPS "@%p1 bra L;\n@%p2 bra OUT; }\nOUT: ret;"));
    const struct cw_kernel *k = &m->kernel[0];
    assert_int_equal(k->uop[1].target, 0);
    assert_int_equal(k->uop[4].target, 3);
    assert_int_equal(k->uop[5].target, 6);
    assert_true((k->uop[4].flags & CW_UF_UNI) == 0);
    cw_module_destroy(m);
}

/* An inner declaration hides an outer one, range or not. */
static void test_ptx_cfg__register_scopes(void **state)
{
    (void)state;
    struct cw_module *m = px_load(
        PX_HEAD ".entry k() {\n.reg .b32 a1, b<4>;\nmov.u32 a1, 1;\nmov.u32 b3, 2;\n{ .reg .b64 a<3>; .reg .b64 b3;\nmov.u64 a1, 3;\n"
                "mov.u64 b3, 4;\nmov.u64 a2, a1;\nmov.u64 b3, a2; mov.u32 b2, 0; }\nadd.u32 a1, a1, b3; st.shared.u32 [a1], b2;\nret; }");
    const struct cw_uop *u = m->kernel[0].uop;
    static const uint8_t files[] = {CW_OPND_R32, CW_OPND_R32, CW_OPND_R64, CW_OPND_R64, CW_OPND_R64, CW_OPND_R64, CW_OPND_R32, CW_OPND_R32};
    for (uint32_t i = 0; i < sizeof(files); i++)
        assert_int_equal(u[i].dst[0].kind, files[i]);
    cw_module_destroy(m);
}

/* A body may end without ret, and a label may stand at its end: both mean exit. */
static void test_ptx_cfg__open_end(void **state)
{
    (void)state;
    struct cw_module *m = px_load(PX_KERNEL(NOPS "@%p1 bra E;\nret;\nE:"));
    const struct cw_kernel *k = &m->kernel[0];
    assert_int_equal(k->uop_cnt, 4);
    assert_int_equal(k->uop[1].target, 3);
    assert_int_equal(k->uop[3].op, CW_OP_EXIT);
    cw_module_destroy(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ptx_cfg__if),           cmocka_unit_test(test_ptx_cfg__loops),           cmocka_unit_test(test_ptx_cfg__exits),
    cmocka_unit_test(test_ptx_cfg__leaving),      cmocka_unit_test(test_ptx_cfg__endless),         cmocka_unit_test(test_ptx_cfg__indexed),
    cmocka_unit_test(test_ptx_cfg__label_scopes), cmocka_unit_test(test_ptx_cfg__register_scopes), cmocka_unit_test(test_ptx_cfg__open_end),
};

CW_TEST_MAIN(tests)
