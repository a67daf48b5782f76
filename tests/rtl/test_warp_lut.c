/* SPDX-License-Identifier: Apache-2.0 */
/* PC-warp table: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/warp_lut.h"

#include <string.h>

#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_warp_lut_params params_t;
typedef struct cw_warp_lut_in in_t;
typedef struct cw_warp_lut_out out_t;

#define DUT_UNIT cw_warp_lut_unit
#include "dut.h"
#include "fill/warp_lut.h"

/*                               lanes set_w ways pc_w warp_w */
static const params_t dwf = {32, 3, 4, 16, 10};
static const params_t minimal = {1, 1, 1, 7, 1};
static const params_t odd = {7, 2, 3, 9, 5};
static const params_t wide = {32, 1, 8, 24, 6};
static const params_t largest = {32, 6, 8, 24, 10};

/* How many PCs there are, over how many sets, and how full the warps are that come. */
struct phase {
    uint32_t pcs, sparse, closes; /* closes of 8 cycles */
    uint64_t next_warp, spread, base;
};

static void constrain(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct phase *phase = context;
    in_t *in = inputs;
    (void)last_out;
    if (phase->pcs == 0 || cw_rng_below(rng, 128) == 0) {
        phase->pcs = 1 + cw_rng_below(rng, 12);
        phase->sparse = cw_rng_below(rng, 5);
        phase->closes = cw_rng_below(rng, 5);
        phase->spread = cw_rng_below(rng, 2) != 0 ? 1 : 64; /* all in one set, if there are not more */
        phase->base = cw_rng_next(rng);                     /* so that every bit of a PC is 0 and 1 */
    }
    in->upd_pc = phase->base + cw_rng_below(rng, phase->pcs) * phase->spread;
    in->upd_lanes = cw_rng_next(rng);
    for (uint32_t i = 0; i < phase->sparse; i++)
        in->upd_lanes &= cw_rng_next(rng);
    in->upd_warp = phase->next_warp++; /* names come again */
    in->close_valid = cw_rng_below(rng, 8) < phase->closes;
    in->close_warp = phase->next_warp - cw_rng_below(rng, 20);
}

static const struct cw_lockstep_set sets[] = {
    {"dwf", &dwf, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0}, {"wide", &wide, 0}, {"largest", &largest, 0}};

static struct phase lockstep_phase;
static const struct cw_lockstep_bench bench = {&cw_warp_lut_unit, sets, 5, constrain, &lockstep_phase};

static void test_warp_lut__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_warp_lut__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"the write before is not seen", "cw_warp_lut", "near[w] ? write_taken_q : read", "near[w] && 1'b0 ? write_taken_q : read", 2},
        {"the tag of the write before is not seen", "cw_warp_lut", "(near[w] ? same_q : match_q[w])",
         "(near[w] && 1'b0 ? same_q : match_q[w])", 2},
        {"the tag of the update two before is not seen", "cw_warp_lut", "write_q[a] && in_near ? in_same",
         "write_q[a] && in_near && 1'b0 ? in_same", 2},
        {"the old tag of the update two before is not seen", "cw_warp_lut", "write_q[a] && in_near ? write_tag_q",
         "write_q[a] && in_near && 1'b0 ? write_tag_q", 2},
        {"the old tag of the write before is not seen", "cw_warp_lut", "(near[e] ? write_tag_q :", "(near[e] && 1'b0 ? write_tag_q :", 2},
        {"a close does not see the name of the update before", "cw_warp_lut", "(named_q && near[w] ? newest_q : leaves_q[w])",
         "(named_q && near[w] && 1'b0 ? newest_q : leaves_q[w])", 2},
        {"a close of another set does not see it", "cw_warp_lut", "write_oh_q[i/WAYS] ? newest_q", "write_oh_q[i/WAYS] && 1'b0 ? newest_q",
         2},
        {"an update does not see who has just begun", "cw_warp_lut",
         "next_used[o] = open[o] || (upd_q && way[o%WAYS] && set_oh_q[o/WAYS]);", "next_used[o] = open[o];", 2},
        {"the entry keeps its old lanes beside the new warp's", "cw_warp_lut", "begin_any ? begins : lanes_q | taken", "lanes_q | taken",
         2},
        {"the entry keeps its old warp", "cw_warp_lut", "if (begin_any && way[m])", "if (begin_any && !found && way[m])", 2},
        {"a close comes a cycle late", "cw_warp_lut", "set_used_q[w] && !(close_q &&", "set_used_q[w] && !(close_q && 1'b0 &&", 2},
        {"the tag is not compared", "cw_warp_lut", "(near[w] ? same_q : match_q[w])", "(near[w] ? same_q : match_q[w] || w == 1)", 2},
        {"the turn stays", "cw_warp_lut", "if (evict)\n                turn_q", "if (evict && !evict)\n                turn_q", 2},
        {"a free way is not taken", "cw_warp_lut", "found ? hit : free_any ? free_oh : set_turn",
         "found ? hit : free_any && !set_open[0] ? free_oh : set_turn", 2},
        {"busy is short", "cw_warp_lut", "upd_valid_i ? 2'd2", "upd_valid_i ? 2'd1", 2},
        {"sets share their tags", "cw_warp_lut", "wire [SET_W-1:0]          in_set   = upd_pc_i[SET_W-1:0];",
         "wire [SET_W-1:0]          in_set   = upd_pc_i[SET_W-1:0] & ~{{(SET_W-1){1'b0}}, 1'b1};", 2},
        {"an update without a lane is one", "cw_warp_lut", "upd_q   <= upd_valid_i && upd_lanes_i != {LANES{1'b0}}",
         "upd_q   <= upd_valid_i", 2},
        {"a reset keeps the entries", "cw_warp_lut", "used_q  <= {ENTRIES{1'b0}};", "used_q  <= used_q;", 2},
        {"a close needs no valid", "cw_warp_lut", "close_q <= close_valid_i;", "close_q <= close_valid_i || upd_valid_i;", 2}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

static void update(struct dut *d, uint64_t pc, uint64_t lanes, uint64_t warp)
{
    d->in.upd_valid = 1;
    d->in.upd_pc = pc;
    d->in.upd_lanes = lanes;
    d->in.upd_warp = warp;
    dut_cycle(d);
    dut_eval(d);
}

static void expect(const struct dut *d, uint64_t found, uint64_t join_warp, uint64_t join, uint64_t begin_warp, uint64_t begin)
{
    assert_int_equal(d->out.ans_valid, 1);
    assert_int_equal(d->out.ans_found, found);
    assert_int_equal(d->out.ans_join_warp, join_warp);
    assert_int_equal(d->out.ans_join_lanes, join);
    assert_int_equal(d->out.ans_begin_warp, begin_warp);
    assert_int_equal(d->out.ans_begin_lanes, begin);
}

/* Two static warps of four threads after a divergent branch, as in Figure 3.5: 1, 6, 7 go to C, the others to B, one update each. */
static void test_warp_lut__merges_the_sides_of_figure_3_5(void **state)
{
    static const params_t p = {4, 3, 4, 16, 10};
    enum { B = 0x22, C = 0x33 };
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &p, backends[b]);
        update(&d, C, 0x1, 100); /* thread 1 */
        expect(&d, 0, 0, 0, 100, 0x1);
        update(&d, B, 0xe, 101); /* 2, 3, 4 */
        expect(&d, 0, 0, 0, 101, 0xe);
        update(&d, C, 0x6, 102); /* 6, 7 fit beside 1 */
        expect(&d, 1, 100, 0x6, 0, 0);
        update(&d, B, 0x9, 103); /* 5 fits, 8 has the lane of 4 */
        expect(&d, 1, 101, 0x1, 103, 0x8);
        update(&d, B, 0x3, 104); /* 101 takes nobody more: 103 does */
        expect(&d, 1, 103, 0x3, 0, 0);
        dut_close(&d);
    }
}

static void test_warp_lut__a_full_conflict_only_begins(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &dwf, backends[b]);
        update(&d, 7, 0xffffffff, 1);
        expect(&d, 0, 0, 0, 1, 0xffffffff);
        update(&d, 7, 0x00f0, 2);
        expect(&d, 1, 1, 0, 2, 0x00f0);
        update(&d, 7, 0x00ff, 3);
        expect(&d, 1, 2, 0x000f, 3, 0x00f0);
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.ans_valid, 0);
        assert_int_equal(d.out.ans_join_warp, 0);
        dut_close(&d);
    }
}

static void close_one(struct dut *d, uint64_t warp)
{
    d->in.close_valid = 1;
    d->in.close_warp = warp;
}

/* A close counts for the update of its own cycle, and after those before. */
static void test_warp_lut__a_warp_that_issues_takes_nobody(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &dwf, backends[b]);
        update(&d, 7, 0x1, 1);
        close_one(&d, 1);
        update(&d, 7, 0x2, 2); /* in the cycle of the close */
        expect(&d, 0, 0, 0, 2, 0x2);
        close_one(&d, 1); /* nobody's name */
        update(&d, 7, 0x4, 3);
        expect(&d, 1, 2, 0x4, 0, 0);
        close_one(&d, 2);
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.busy, 1);
        update(&d, 7, 0x8, 4);
        expect(&d, 0, 0, 0, 4, 0x8);
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.busy, 1);
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.busy, 0);
        dut_close(&d);
    }
}

/* Five PCs of one set of four: way 0 goes, then way 1. A free way is taken before anybody goes. */
static void test_warp_lut__evicts_in_turn(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &dwf, backends[b]);
        for (uint64_t i = 0; i < 4; i++) {
            update(&d, 3 + 8 * i, 0x1, 10 + i);
            assert_int_equal(d.out.evict_valid, 0);
        }
        update(&d, 3 + 8 * 4, 0x1, 14);
        assert_int_equal(d.out.evict_valid, 1);
        assert_int_equal(d.out.evict_pc, 3);
        assert_int_equal(d.out.evict_warp, 10);
        update(&d, 3, 0x2, 15); /* is not found any more, and takes the next one's place */
        expect(&d, 0, 0, 0, 15, 0x2);
        assert_int_equal(d.out.evict_pc, 3 + 8);
        update(&d, 4, 0x1, 16); /* another set */
        assert_int_equal(d.out.evict_valid, 0);
        close_one(&d, 13);
        update(&d, 3 + 8, 0x4, 17); /* way 3 is free */
        expect(&d, 0, 0, 0, 17, 0x4);
        assert_int_equal(d.out.evict_valid, 0);
        update(&d, 3 + 8 * 5, 0x4, 18); /* way 2's turn */
        assert_int_equal(d.out.evict_pc, 3 + 16);
        assert_int_equal(d.out.evict_warp, 12);
        dut_close(&d);
    }
}

/* Lanes that have joined are taken as those are with which the warp began; and an idle clock changes nothing. */
static void test_warp_lut__who_has_joined_is_taken(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &dwf, backends[b]);
        update(&d, 7, 0x1, 1);
        update(&d, 7, 0x2, 2);
        expect(&d, 1, 1, 0x2, 0, 0);
        for (uint32_t i = 0; i < 5; i++) {
            d.in = (in_t){.upd_pc = 7, .upd_lanes = 0xf, .upd_warp = 9, .close_warp = 1};
            dut_cycle(&d);
        }
        assert_int_equal(d.out.busy, 0);
        update(&d, 7, 0x6, 3);
        expect(&d, 1, 1, 0x4, 3, 0x2);
        dut_close(&d);
    }
}

static void test_warp_lut__nobody_comes(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &dwf, backends[b]);
        update(&d, 7, 0, 1);
        assert_int_equal(d.out.ans_valid, 0);
        update(&d, 7, 0x1, 2);
        expect(&d, 0, 0, 0, 2, 0x1);
        d.inst.ops->reset(d.inst.self);
        update(&d, 7, 0x2, 3);
        expect(&d, 0, 0, 0, 3, 0x2);
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_warp_lut__fills),
    cmocka_unit_test(test_warp_lut__c_equals_rtl),
    cmocka_unit_test(test_warp_lut__broken_copies_are_caught),
    cmocka_unit_test(test_warp_lut__merges_the_sides_of_figure_3_5),
    cmocka_unit_test(test_warp_lut__a_full_conflict_only_begins),
    cmocka_unit_test(test_warp_lut__a_warp_that_issues_takes_nobody),
    cmocka_unit_test(test_warp_lut__evicts_in_turn),
    cmocka_unit_test(test_warp_lut__who_has_joined_is_taken),
    cmocka_unit_test(test_warp_lut__nobody_comes),
};
CW_TEST_MAIN(tests)
