/* SPDX-License-Identifier: Apache-2.0 */
/* SIMT stack: reconvergence, exits, and the transaction entries of Fung 2015, Figure 4.3. */
#include <stdio.h>

#include "base/rng.h"
#include "control/simt_stack.h"
#include "cw_test.h"

#define ALL UINT32_MAX

static void expect(const struct cw_simt *s, uint32_t pc, uint32_t active)
{
    assert_int_equal(cw_simt_pc(s), pc);
    assert_int_equal(cw_simt_active(s), active);
}

/* if (lane < 8) A; else B; C */
static void test_simt_stack__both_sides_of_an_if_run_and_reconverge(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    cw_simt_reset(&s, 0, ALL);
    assert_true(cw_simt_branch(&s, 0xff, 10, 1, 20));
    expect(&s, 10, 0xff);
    assert_int_equal(cw_simt_waiting(&s), ALL & ~0xffu);
    cw_simt_advance(&s, 20);
    expect(&s, 1, ALL & ~0xffu);
    cw_simt_advance(&s, 2);
    expect(&s, 2, ALL & ~0xffu);
    cw_simt_advance(&s, 20);
    expect(&s, 20, ALL);
    assert_int_equal(s.depth, 1);
}

/* if without else: the other lanes wait at the reconvergence point at once */
static void test_simt_stack__an_empty_side_waits_without_an_entry(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    cw_simt_reset(&s, 0, 0xf);
    assert_true(cw_simt_branch(&s, 0x3, 20, 1, 20));
    assert_int_equal(s.depth, 2);
    expect(&s, 1, 0xc);
    cw_simt_advance(&s, 20);
    expect(&s, 20, 0xf);
}

/* Fung 2015, Figure 2.3: threads 1 to 4 are lanes 0 to 3, and the numbers are those of the figure's states. */
static void test_simt_stack__figure_2_3(void **state)
{
    (void)state;
    enum { A = 0, B = 10, C = 20, D = 30, E = 40, F = 50, G = 60 };
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    cw_simt_reset(&s, A, 0xf); /* 1 */
    expect(&s, A, 0xf);
    assert_true(cw_simt_branch(&s, 0x7, B, F, G)); /* 2: 1, 2, 3 to B; 4 to F */
    expect(&s, B, 0x7);
    assert_int_equal(s.depth, 3);
    assert_int_equal(cw_simt_waiting(&s), 0x8);
    assert_true(cw_simt_branch(&s, 0x1, C, D, E)); /* 3: 1 to C; 2, 3 to D */
    expect(&s, C, 0x1);
    assert_int_equal(s.depth, 5);
    assert_int_equal(cw_simt_waiting(&s), 0xe);
    cw_simt_advance(&s, E);
    expect(&s, D, 0x6);
    assert_int_equal(s.depth, 4);
    cw_simt_advance(&s, E); /* 4 */
    expect(&s, E, 0x7);
    assert_int_equal(s.depth, 3);
    cw_simt_advance(&s, G); /* 5 */
    expect(&s, F, 0x8);
    assert_int_equal(s.depth, 2);
    cw_simt_advance(&s, G); /* 6 */
    expect(&s, G, 0xf);
    assert_int_equal(s.depth, 1);
}

static void test_simt_stack__a_uniform_branch_pushes_nothing(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    cw_simt_reset(&s, 0, 0xf);
    assert_false(cw_simt_branch(&s, 0xf, 7, 1, 9));
    expect(&s, 7, 0xf);
    assert_false(cw_simt_branch(&s, 0, 7, 8, 9));
    expect(&s, 8, 0xf);
    assert_false(cw_simt_branch(&s, 0x1, 9, 9, 12)); /* both ways lead to the next instruction */
    expect(&s, 9, 0xf);
    assert_int_equal(s.depth, 1);
}

/* do { body } while (--n[lane]); lane i makes i + 1 iterations: 32 divergences, one entry */
static void test_simt_stack__a_loop_with_different_trip_counts_keeps_one_entry(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    cw_simt_reset(&s, 5, ALL);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t running = ALL << i;
        expect(&s, 5, running);
        cw_simt_advance(&s, 6);
        cw_simt_branch(&s, running << 1, 5, 7, 7);
        assert_in_range(s.depth, 1, 2);
    }
    expect(&s, 7, ALL);
    assert_int_equal(s.depth, 1);
}

static void test_simt_stack__nested_divergence_reconverges_inside_out(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    cw_simt_reset(&s, 0, 0xff);
    cw_simt_branch(&s, 0x0f, 10, 1, 50);
    cw_simt_branch(&s, 0x03, 20, 11, 30);
    expect(&s, 20, 0x03);
    cw_simt_advance(&s, 30);
    expect(&s, 11, 0x0c);
    cw_simt_advance(&s, 30);
    expect(&s, 30, 0x0f);
    cw_simt_advance(&s, 50);
    expect(&s, 1, 0xf0);
    cw_simt_advance(&s, 50);
    expect(&s, 50, 0xff);
}

/* An inner branch that reconverges where the outer one does needs no entry of its own. */
static void test_simt_stack__branches_with_the_same_reconvergence_share_it(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    cw_simt_reset(&s, 0, 0xff);
    cw_simt_branch(&s, 0x0f, 10, 1, 50);
    cw_simt_branch(&s, 0x03, 20, 11, 50);
    assert_int_equal(s.depth, 4);
    expect(&s, 20, 0x03);
    cw_simt_advance(&s, 50);
    expect(&s, 11, 0x0c);
    cw_simt_advance(&s, 50);
    expect(&s, 1, 0xf0);
    cw_simt_advance(&s, 50);
    expect(&s, 50, 0xff);
}

static void test_simt_stack__exits_in_divergent_code_leave_all_entries(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    cw_simt_reset(&s, 0, 0xf);
    cw_simt_branch(&s, 0x3, 10, 1, 50);
    cw_simt_exit(&s, 0x1);
    expect(&s, 10, 0x2);
    cw_simt_exit(&s, 0x2);
    expect(&s, 1, 0xc);
    cw_simt_advance(&s, 50);
    expect(&s, 50, 0xc);
    cw_simt_exit(&s, 0xc);
    assert_int_equal(s.depth, 0);
    expect(&s, CW_PC_NONE, 0);
}

static void test_simt_stack__without_a_reconvergence_point_both_sides_run_to_exit(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    cw_simt_reset(&s, 0, 0xf);
    assert_true(cw_simt_branch(&s, 0x5, 10, 1, CW_PC_NONE));
    expect(&s, 10, 0x5);
    cw_simt_exit(&s, 0x5);
    expect(&s, 1, 0xa);
    cw_simt_exit(&s, 0xa);
    assert_int_equal(s.depth, 0);
}

static void test_simt_stack__a_branch_table_runs_each_target_once(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    uint32_t target[32];
    for (uint32_t i = 0; i < 32; i++)
        target[i] = i % 4 == 3 ? 90 : 10 * (i % 4 + 1);
    cw_simt_reset(&s, 0, ALL);
    assert_true(cw_simt_branch_indexed(&s, target, 90));
    for (uint32_t k = 0; k < 3; k++) {
        expect(&s, 10 * (k + 1), 0x11111111u << k);
        cw_simt_advance(&s, 90);
    }
    expect(&s, 90, ALL);
}

static void expect_entry(const struct cw_simt *s, uint32_t i, enum cw_simt_type type, uint32_t pc, uint32_t mask)
{
    assert_int_equal((int)cw_simt_type_at(s, i), type);
    assert_int_equal(s->entry[i].pc, pc);
    assert_int_equal(s->entry[i].mask, mask);
}

/* Figure 4.3. B = tx_begin at 1, C at 2, F = tx_commit at 5, G at 6; four lanes. */
static void test_simt_stack__transaction_entries_follow_figure_4_3(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    uint32_t resume[32];
    for (uint32_t i = 0; i < 32; i++)
        resume[i] = 6;
    cw_simt_reset(&s, 0, 0xf);
    cw_simt_advance(&s, 1);
    cw_simt_tx_begin(&s, 2);
    /* 1: R is empty and points behind tx_begin; T holds the attempt */
    assert_int_equal(s.depth, 3);
    expect_entry(&s, 0, CW_SIMT_N, 1, 0xf);
    expect_entry(&s, 1, CW_SIMT_R, 2, 0x0);
    expect_entry(&s, 2, CW_SIMT_T, 2, 0xf);
    cw_simt_advance(&s, 5);
    assert_true(cw_simt_tx_reach(&s, 0xf, 6));
    expect(&s, 6, 0);
    /* 2: lanes 1 and 2 fail validation */
    assert_true(cw_simt_tx_abort(&s, 0x6));
    expect_entry(&s, 1, CW_SIMT_R, 2, 0x6);
    expect_entry(&s, 2, CW_SIMT_T, 6, 0x9);
    assert_int_equal(cw_simt_aborted(&s), 0x6);
    /* 3: they restart under a new T, and R is empty again */
    assert_true(cw_simt_tx_end(&s, resume, CW_PC_NONE));
    assert_int_equal(s.depth, 3);
    expect_entry(&s, 1, CW_SIMT_R, 2, 0x0);
    expect_entry(&s, 2, CW_SIMT_T, 2, 0x6);
    /* 4: divergence inside works as outside */
    assert_true(cw_simt_branch(&s, 0x2, 4, 3, 5));
    assert_int_equal(s.depth, 5);
    expect(&s, 4, 0x2);
    cw_simt_advance(&s, 5);
    expect(&s, 3, 0x4);
    cw_simt_advance(&s, 5);
    expect(&s, 5, 0x6);
    assert_true(cw_simt_tx_reach(&s, 0x6, 6));
    /* 5: nothing in R: both go, and the N entry goes on behind tx_commit with all lanes */
    assert_false(cw_simt_tx_end(&s, resume, CW_PC_NONE));
    assert_int_equal(s.depth, 1);
    expect(&s, 6, 0xf);
    assert_false(cw_simt_in_tx(&s));
}

static void test_simt_stack__lanes_that_commit_in_divergent_code_wait_for_the_others(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    uint32_t resume[32];
    cw_simt_reset(&s, 0, 0xf);
    cw_simt_tx_begin(&s, 1);
    cw_simt_branch(&s, 0x3, 10, 2, CW_PC_NONE); /* two tx_commit, at 12 and at 4 */
    cw_simt_advance(&s, 12);
    assert_false(cw_simt_tx_reach(&s, 0x3, 13));
    expect(&s, 2, 0xc);
    cw_simt_advance(&s, 4);
    assert_true(cw_simt_tx_reach(&s, 0xc, 5));
    assert_int_equal(s.reached, 0xf);
    for (uint32_t i = 0; i < 32; i++)
        resume[i] = i < 2 ? 13 : 5;
    assert_false(cw_simt_tx_end(&s, resume, CW_PC_NONE));
    expect(&s, 13, 0x3);
    cw_simt_exit(&s, 0x3);
    expect(&s, 5, 0xc);
}

/* A lane that reached tx_commit under divergence must not run again when its reconvergence entry comes up. */
static void test_simt_stack__reached_lanes_leave_the_reconvergence_entries(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    cw_simt_reset(&s, 0, 0xf);
    cw_simt_tx_begin(&s, 1);
    cw_simt_branch(&s, 0x7, 10, 20, 30);
    cw_simt_branch(&s, 0x1, 12, 11, 15);
    assert_false(cw_simt_tx_reach(&s, 0x1, 13));
    expect(&s, 11, 0x6);
    cw_simt_advance(&s, 15);
    expect(&s, 15, 0x6);
    cw_simt_advance(&s, 30);
    expect(&s, 20, 0x8);
    cw_simt_advance(&s, 30);
    expect(&s, 30, 0xe);
    assert_true(cw_simt_tx_reach(&s, 0xe, 31));
}

static void test_simt_stack__an_abort_empties_entries_above_t(void **state)
{
    (void)state;
    struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
    struct cw_simt s = {.width = 32, .entry = entry};
    uint32_t resume[32] = {0};
    cw_simt_reset(&s, 0, 0xf);
    cw_simt_tx_begin(&s, 1);
    cw_simt_branch(&s, 0x3, 10, 2, 20);
    assert_false(cw_simt_tx_abort(&s, 0x1));
    expect(&s, 10, 0x2);
    assert_false(cw_simt_tx_abort(&s, 0x2));
    expect(&s, 2, 0xc);
    assert_true(cw_simt_tx_abort(&s, 0xf)); /* lanes that are gone already do not matter */
    assert_int_equal(cw_simt_aborted(&s), 0xf);
    assert_true(cw_simt_tx_end(&s, resume, CW_PC_NONE));
    expect(&s, 1, 0xf);
}

/* Every lane walks a random structured program of its own choice of branches; whatever the shape, each lane executes the
 * instructions that it would execute alone, in order. Program: a binary tree of ifs, PC of a node's join = 2000 + node. */
static void test_simt_stack__random_ifs_execute_each_lane_as_if_alone(void **state)
{
    (void)state;
    struct cw_rng rng;
    cw_rng_seed(&rng, cw_test_seed(7));
    uint32_t checks = 0;
    for (uint32_t round = 0; round < 200; round++) {
        uint32_t choice[64]; /* mask of lanes that take the branch of node 1 .. 31 */
        uint32_t at[32];     /* independent walk: leaf of each lane */
        for (uint32_t n = 1; n < 32; n++)
            choice[n] = (uint32_t)cw_rng_next(&rng);
        for (uint32_t lane = 0; lane < 32; lane++) {
            at[lane] = 1;
            while (at[lane] < 32)
                at[lane] = 2 * at[lane] + (choice[at[lane]] >> lane & 1u);
        }
        struct cw_simt_entry entry[CW_SIMT_DEPTH(32)];
        struct cw_simt s = {.width = 32, .entry = entry};
        uint32_t seen = 0;
        cw_simt_reset(&s, 1, ALL);
        while (cw_simt_pc(&s) != 2001) {
            uint32_t pc = cw_simt_pc(&s), active = (uint32_t)cw_simt_active(&s);
            if (pc >= 2000) { /* join of an inner node: on to the join of its parent */
                cw_simt_advance(&s, 2000 + (pc - 2000) / 2);
            } else if (pc >= 32) {
                for (uint32_t lane = 0; lane < 32; lane++)
                    if ((active >> lane & 1u) != 0) {
                        assert_int_equal(at[lane], pc);
                        checks++;
                    }
                assert_int_equal(seen & active, 0);
                seen |= active;
                cw_simt_advance(&s, 2000 + pc / 2);
            } else {
                cw_simt_branch(&s, choice[pc] & active, 2 * pc + 1, 2 * pc, 2000 + pc);
            }
        }
        assert_int_equal(seen, ALL);
        expect(&s, 2001, ALL);
    }
    printf("%u checks\n", checks);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_simt_stack__both_sides_of_an_if_run_and_reconverge),
    cmocka_unit_test(test_simt_stack__an_empty_side_waits_without_an_entry),
    cmocka_unit_test(test_simt_stack__figure_2_3),
    cmocka_unit_test(test_simt_stack__a_uniform_branch_pushes_nothing),
    cmocka_unit_test(test_simt_stack__a_loop_with_different_trip_counts_keeps_one_entry),
    cmocka_unit_test(test_simt_stack__nested_divergence_reconverges_inside_out),
    cmocka_unit_test(test_simt_stack__branches_with_the_same_reconvergence_share_it),
    cmocka_unit_test(test_simt_stack__exits_in_divergent_code_leave_all_entries),
    cmocka_unit_test(test_simt_stack__without_a_reconvergence_point_both_sides_run_to_exit),
    cmocka_unit_test(test_simt_stack__a_branch_table_runs_each_target_once),
    cmocka_unit_test(test_simt_stack__transaction_entries_follow_figure_4_3),
    cmocka_unit_test(test_simt_stack__lanes_that_commit_in_divergent_code_wait_for_the_others),
    cmocka_unit_test(test_simt_stack__reached_lanes_leave_the_reconvergence_entries),
    cmocka_unit_test(test_simt_stack__an_abort_empties_entries_above_t),
    cmocka_unit_test(test_simt_stack__random_ifs_execute_each_lane_as_if_alone),
};
CW_TEST_MAIN(tests)
