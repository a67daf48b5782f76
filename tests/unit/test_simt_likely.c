/* SPDX-License-Identifier: Apache-2.0 */
/* Likely-convergence points in the SIMT stack (Fung 2015, 3.4). */
#include <stdio.h>

#include "base/rng.h"
#include "base/stats.h"
#include "control/control.h"
#include "control/ipdom.h"
#include "control/simt_stack.h"
#include "cw_test.h"

#define NONE CW_PC_NONE

struct want {
    uint32_t pc, rpc, lpc, lpos, mask; /* lpos counts only with an lpc */
};

static void expect_stack(const struct cw_simt *s, const struct want *want, uint32_t depth)
{
    assert_int_equal(s->depth, depth);
    for (uint32_t i = 0; i < depth; i++) {
        const struct cw_simt_entry *e = &s->entry[i];
        if (e->pc != want[i].pc || e->rpc != want[i].rpc || e->lpc != want[i].lpc || e->mask != want[i].mask ||
            (e->lpc != NONE && e->lpos != want[i].lpos))
            fail_msg("entry %u is pc %u rpc %u lpc %u lpos %u mask %llx", i, e->pc, e->rpc, e->lpc, e->lpos, (unsigned long long)e->mask);
    }
}

#define EXPECT(s, ...)                                                       \
    do {                                                                     \
        static const struct want want[] = __VA_ARGS__;                       \
        expect_stack((s), want, (uint32_t)(sizeof(want) / sizeof(want[0]))); \
    } while (0)

enum { A = 10, B = 20, C = 30, D = 40, E = 50, F = 60 };

/* Figure 3.8, numbers in brackets as there. Thread n is bit n - 1. Threads that are at E already need no entry to be popped. */
static void test_simt_likely__figure_3_8(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    cw_simt_reset(&s, A, 0xf);
    assert_true(cw_simt_branch_likely(&s, 0xe, C, B, F, E)); /* (1): 2, 3, 4 go to C, 1 to B */
    EXPECT(&s, {{F, NONE, NONE, 0, 0xf}, {E, F, NONE, 0, 0}, {B, F, E, 1, 0x1}, {C, F, E, 1, 0xe}});
    /* (3): 3 and 4 go to D, 2 to E, where it joins (5) */
    assert_true(cw_simt_branch_likely(&s, 0xc, D, E, F, E));
    EXPECT(&s, {{F, NONE, NONE, 0, 0xf}, {E, F, NONE, 0, 0x2}, {B, F, E, 1, 0x1}, {D, F, E, 1, 0xc}});
    assert_int_equal(s.joins, 1);
    cw_simt_advance(&s, F); /* (6), (7): 3 and 4 wait at F */
    EXPECT(&s, {{F, NONE, NONE, 0, 0xf}, {E, F, NONE, 0, 0x2}, {B, F, E, 1, 0x1}});
    cw_simt_advance(&s, E); /* (8), (9): 1 joins 2 */
    EXPECT(&s, {{F, NONE, NONE, 0, 0xf}, {E, F, NONE, 0, 0x3}});
    assert_int_equal(s.joins, 2);
    assert_int_equal(cw_simt_active(&s), 0x3);
    cw_simt_advance(&s, F); /* (10) */
    EXPECT(&s, {{F, NONE, NONE, 0, 0xf}});
}

/* The counter of the deepest stack: Figure 3.8 draws four entries. A warp that does not part has one, as AES in Table 3.3. */
static void test_simt_likely__the_deepest_stack_is_counted(void **state)
{
    (void)state;
    struct cw_stats stats = {0};
    struct cw_error err;
    struct cw_control *p;
    const struct cw_control_config config = {.warps = 2, .width = 32, .stats = &stats};
    assert_int_equal(cw_control_ipdom.create(&p, &config, &err), CW_OK);
    cw_control_ipdom.start(p, 0, 0xf);
    cw_control_ipdom.branch(p, 0, 0xf, &(struct cw_branch){.target = A, .next = B, .rpc = F, .lpc = E});
    assert_int_equal(stats.simt_stack_max, 1);
    cw_control_ipdom.branch(p, 0, 0xe, &(struct cw_branch){.target = C, .next = B, .rpc = F, .lpc = E});
    assert_int_equal(stats.simt_stack_max, 4);
    cw_control_ipdom.branch(p, 0, 0xc, &(struct cw_branch){.target = D, .next = E, .rpc = F, .lpc = E});
    cw_control_ipdom.start(p, 1, 0xf);
    assert_int_equal(stats.simt_stack_max, 4);
    cw_control_ipdom.destroy(p);
}

/* Nobody comes to the point: its entry goes with the last side. */
static void test_simt_likely__an_empty_entry_goes(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    cw_simt_reset(&s, A, 0xf);
    cw_simt_branch_likely(&s, 0x3, C, B, F, E);
    cw_simt_advance(&s, F);
    cw_simt_advance(&s, F);
    EXPECT(&s, {{F, NONE, NONE, 0, 0xf}});
    assert_int_equal(s.joins, 0);
    /* lanes that exit leave it, too */
    cw_simt_reset(&s, A, 0xf);
    cw_simt_branch_likely(&s, 0x3, E, B, F, E);
    EXPECT(&s, {{F, NONE, NONE, 0, 0xf}, {E, F, NONE, 0, 0x3}, {B, F, E, 1, 0xc}});
    cw_simt_exit(&s, 0xf);
    assert_int_equal(s.depth, 0);
}

/* A point that is the reconvergence point is none. */
static void test_simt_likely__the_reconvergence_point_is_no_other_one(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    cw_simt_reset(&s, A, 0xf);
    cw_simt_branch_likely(&s, 0x3, C, B, F, F);
    EXPECT(&s, {{F, NONE, NONE, 0, 0xf}, {B, F, NONE, 0, 0xc}, {C, F, NONE, 0, 0x3}});
}

/* Sides of a branch without a point of its own, with the same reconvergence point: they still may meet the others at E. An if in the
 * side does not change the side. */
static void test_simt_likely__sides_keep_the_point(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    cw_simt_reset(&s, A, 0xf);
    cw_simt_branch_likely(&s, 0x7, C, B, F, E);
    cw_simt_branch(&s, 0x1, D, C + 1, F);
    EXPECT(&s, {{F, NONE, NONE, 0, 0xf}, {E, F, NONE, 0, 0}, {B, F, E, 1, 0x8}, {C + 1, F, E, 1, 0x6}, {D, F, E, 1, 0x1}});
    cw_simt_advance(&s, E);
    cw_simt_branch(&s, 0x2, C + 5, C + 2, C + 9);
    EXPECT(&s, {{F, NONE, NONE, 0, 0xf},
                {E, F, NONE, 0, 0x1},
                {B, F, E, 1, 0x8},
                {C + 9, F, E, 1, 0x6},
                {C + 2, C + 9, NONE, 0, 0x4},
                {C + 5, C + 9, NONE, 0, 0x2}});
    cw_simt_advance(&s, C + 9);
    cw_simt_advance(&s, C + 9);
    cw_simt_advance(&s, E);
    EXPECT(&s, {{F, NONE, NONE, 0, 0xf}, {E, F, NONE, 0, 0x7}, {B, F, E, 1, 0x8}});
}

/* A branch in an inner loop, which a break leaves together with the outer one: lanes meet at the end of the inner iteration (D), and from
 * there on at the end of the outer one (E). */
static void test_simt_likely__points_of_nested_loops(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    cw_simt_reset(&s, A, 0xf);
    cw_simt_branch_likely(&s, 0x7, C, B, F, E);
    cw_simt_branch_likely(&s, 0x1, C + 5, C + 1, F, D);
    EXPECT(&s,
           {{F, NONE, NONE, 0, 0xf}, {E, F, NONE, 0, 0}, {B, F, E, 1, 0x8}, {D, F, E, 1, 0}, {C + 1, F, D, 3, 0x6}, {C + 5, F, D, 3, 0x1}});
    cw_simt_advance(&s, D);
    cw_simt_advance(&s, D);
    EXPECT(&s, {{F, NONE, NONE, 0, 0xf}, {E, F, NONE, 0, 0}, {B, F, E, 1, 0x8}, {D, F, E, 1, 0x7}});
    cw_simt_advance(&s, E);
    cw_simt_advance(&s, E);
    EXPECT(&s, {{F, NONE, NONE, 0, 0xf}, {E, F, NONE, 0, 0xf}});
}

static void test_simt_likely__a_branch_table(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    const uint32_t target[32] = {B, E, F, C, B};
    cw_simt_reset(&s, A, 0x1f);
    assert_true(cw_simt_indexed_likely(&s, target, F, E));
    EXPECT(&s, {{F, NONE, NONE, 0, 0x1f}, {E, F, NONE, 0, 0x2}, {C, F, E, 1, 0x8}, {B, F, E, 1, 0x11}});
}

/* ---- random programs ---- */

#define BLOCKS 20u /* block BLOCKS is the exit; block n goes to n + 1 or to target[n] */

struct program {
    uint32_t target[BLOCKS], rpc[BLOCKS], lpc[BLOCKS];
    uint32_t seed;
};

/* Immediate post-dominators by sets of blocks. */
static void find_rpc(struct program *p)
{
    uint32_t pdom[BLOCKS + 1];
    const uint32_t all = (UINT32_C(1) << (BLOCKS + 1)) - 1;
    for (uint32_t n = 0; n <= BLOCKS; n++)
        pdom[n] = n == BLOCKS ? UINT32_C(1) << n : all;
    for (int changed = 1; changed;) {
        changed = 0;
        for (uint32_t n = BLOCKS; n-- > 0;) {
            const uint32_t now = (pdom[n + 1] & pdom[p->target[n]]) | UINT32_C(1) << n;
            changed |= now != pdom[n];
            pdom[n] = now;
        }
    }
    for (uint32_t n = 0; n < BLOCKS; n++)
        for (uint32_t m = 0; m <= BLOCKS; m++) /* the nearest: all other post-dominators of n post-dominate it */
            if (m != n && (pdom[n] >> m & 1u) != 0 && (pdom[n] & ~(UINT32_C(1) << n)) == pdom[m])
                p->rpc[n] = m;
}

/* What lane does when it is at block n for the visit-th time; after a few it goes on, so every walk ends. */
static bool takes(const struct program *p, uint32_t lane, uint32_t n, uint32_t visit)
{
    const uint32_t h = (p->seed + lane * 0x9e3779b9u + n * 0x85ebca6bu + visit * 0xc2b2ae35u) * 0x27d4eb2fu;
    return visit < 4 && (h >> 15 & 3u) == 0;
}

/* Runs the program on the stack, and each lane as if alone beside it. Returns how often lanes met at a likely point. */
static uint32_t run(const struct program *p, uint32_t *checks)
{
    static struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    uint32_t at[32] = {0}, visits[32][BLOCKS] = {{0}};
    cw_simt_reset(&s, 0, UINT32_MAX);
    while (s.depth != 0) {
        const uint32_t pc = cw_simt_pc(&s), active = (uint32_t)cw_simt_active(&s);
        uint32_t taken = 0;
        assert_true(active != 0);
        for (uint32_t lane = 0; lane < 32; lane++) {
            if ((active >> lane & 1u) == 0)
                continue;
            assert_int_equal(at[lane], pc);
            ++*checks;
            if (pc == BLOCKS)
                continue;
            const bool t = takes(p, lane, pc, visits[lane][pc]++);
            taken |= (uint32_t)t << lane;
            at[lane] = t ? p->target[pc] : pc + 1;
        }
        if (pc == BLOCKS)
            cw_simt_exit(&s, active);
        else
            cw_simt_branch_likely(&s, taken, p->target[pc], pc + 1, p->rpc[pc] != BLOCKS ? p->rpc[pc] : NONE, p->lpc[pc]);
    }
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(at[lane], BLOCKS);
    return s.joins;
}

/* Any block may be a likely point, however bad: each lane still executes what it would execute alone. */
static void test_simt_likely__random_programs(void **state)
{
    (void)state;
    struct cw_rng rng;
    uint32_t checks = 0, joins = 0;
    cw_rng_seed(&rng, cw_test_seed(11));
    for (uint32_t round = 0; round < 2000; round++) {
        struct program p = {.seed = (uint32_t)cw_rng_next(&rng)};
        for (uint32_t n = 0; n < BLOCKS; n++) {
            p.target[n] = (uint32_t)cw_rng_next(&rng) % (BLOCKS + 1);
            p.lpc[n] = cw_rng_next(&rng) % 4 == 0 ? NONE : (uint32_t)cw_rng_next(&rng) % BLOCKS;
        }
        find_rpc(&p);
        joins += run(&p, &checks);
    }
    printf("%u checks, %u joins\n", checks, joins);
    assert_true(checks > 500000 && joins > 10000);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_simt_likely__figure_3_8),           cmocka_unit_test(test_simt_likely__the_deepest_stack_is_counted),
    cmocka_unit_test(test_simt_likely__an_empty_entry_goes),  cmocka_unit_test(test_simt_likely__the_reconvergence_point_is_no_other_one),
    cmocka_unit_test(test_simt_likely__sides_keep_the_point), cmocka_unit_test(test_simt_likely__points_of_nested_loops),
    cmocka_unit_test(test_simt_likely__a_branch_table),       cmocka_unit_test(test_simt_likely__random_programs),
};

CW_TEST_MAIN(tests)
