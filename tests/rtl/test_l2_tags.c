/* SPDX-License-Identifier: Apache-2.0 */
/* Tags of an L2 slice: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/l2_tags.h"

#include <stdbool.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_l2_tags_params params_t;
typedef struct cw_l2_tags_in in_t;
typedef struct cw_l2_tags_out out_t;

#define DUT_UNIT cw_l2_tags_unit
#include "dut.h"
#include "fill/l2_tags.h"

/*                               ways set_w tag_w sectors */
static const params_t slice = {8, 7, 25, 4};
static const params_t minimal = {1, 1, 1, 1};
static const params_t odd = {3, 1, 3, 2};
static const params_t wide = {16, 2, 32, 8};
static const params_t few = {5, 1, 4, 3};
static const params_t largest = {16, 13, 32, 8};

enum { SLICE, MINIMAL, ODD, WIDE, FEW, LARGEST, SETS };

/* Few lines, most of them named again; phases in which most are held, and in which lines are dropped. Four of five operations that have an
 * answer change something. */
static void few_lines(void *context, struct cw_rng *rng, const void *last_out, void *in)
{
    static uint32_t phase;
    in_t *i = in;
    (void)context;
    (void)last_out;
    if (cw_rng_below(rng, 64) == 0)
        phase = cw_rng_below(rng, 4);
    if (cw_rng_below(rng, 16) != 0)
        i->op_set &= 3;
    if (cw_rng_below(rng, 32) != 0)
        i->op_tag &= phase == 3 ? 3 : 15;
    i->act_valid = cw_rng_below(rng, 5) != 0;
    i->act_drop = cw_rng_below(rng, phase == 2 ? 3 : 16) == 0;
    i->act_hold = cw_rng_below(rng, 8) < (phase == 1 ? 7 : 1);
}

static const struct cw_lockstep_set sets[SETS] = {{"slice", &slice, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0},
                                                  {"wide", &wide, 0},   {"few", &few, 0},         {"largest", &largest, 0}};

static const struct cw_lockstep_bench bench = {&cw_l2_tags_unit, sets, SETS, few_lines, NULL};

static void test_l2_tags__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_l2_tags__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"the next operation of a set does not wait", "cw_l2_tags", "&& !(read_q && op_set_i == read_set_q)",
         "&& !(read_q && 1'b0 && op_set_i == read_set_q)", SLICE},
        {"a line that is not present is found", "cw_l2_tags", "= row[LINE_W-1] && row[TAG_W-1:0] == read_tag_q",
         "= (row[LINE_W-1] || 1'b1) && row[TAG_W-1:0] == read_tag_q", ODD},
        {"a held line goes", "cw_l2_tags", "read_oldest[w]  = !read_held[w] &&", "read_oldest[w]  =", ODD},
        {"an older line that is held stands in the way", "cw_l2_tags", "older[v] = !read_held[v] && read_ranks", "older[v] = read_ranks",
         ODD},
        {"an empty way is not preferred", "cw_l2_tags", "|empty ? empty_oh : read_oldest", "|empty && 1'b0 ? empty_oh : read_oldest", FEW},
        {"a use changes no order", "cw_l2_tags", "(done_victim_q || act_use_i)", "(done_victim_q || (act_use_i && 1'b0))", FEW},
        {"a new line is not the one used last", "cw_l2_tags", "(done_victim_q || act_use_i)", "act_use_i", FEW},
        {"lines used before a use move, too", "cw_l2_tags", "done_rank < rank ? done_rank", "done_rank < rank || 1'b1 ? done_rank", FEW},
        {"a new line has the sectors of the old one", "cw_l2_tags", "done_victim_q ? NOTHING : line_valid", "line_valid", ODD},
        {"a new line is dirty as the old one", "cw_l2_tags", "done_victim_q || act_clean_i ? NOTHING", "act_clean_i ? NOTHING", ODD},
        {"a line that is cleaned is not dirty from a write", "cw_l2_tags", "new_dirty = old_dirty | act_write_i",
         "new_dirty = old_dirty | (act_clean_i ? NOTHING : act_write_i)", ODD},
        {"a line is changed without act_valid", "cw_l2_tags", "done_q && act_valid_i &&", "done_q && (act_valid_i || 1'b1) &&", SLICE},
        {"the sweep leaves the last set", "cw_l2_tags", "sweep_q && !(&sweep_set_q)", "sweep_q && !(&(sweep_set_q | NEXT))", WIDE},
        {"the sweep leaves the order", "cw_l2_tags", "wr_en_i  (sweep_q || use_it)", "wr_en_i  (use_it)", FEW},
        {"what is read is older than what is written", "cw_ram_1r1w_fwd", "fwd_q ? fwd_data_q : ram_data",
         "fwd_q && 1'b0 ? fwd_data_q : ram_data", SLICE},
        {"idle comes before the answer", "cw_l2_tags", "!read_q && !done_q;", "!read_q;", SLICE}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Directed */

static void wait_idle(struct dut *d)
{
    dut_eval(d);
    while (!d->out.idle)
        dut_cycle(d), dut_eval(d);
}

/* Asks for a line, and leaves the answer in d->out with the cycle open for act_*. */
static void ask(struct dut *d, uint64_t set, uint64_t tag)
{
    wait_idle(d);
    d->in.op_valid = 1;
    d->in.op_set = set;
    d->in.op_tag = tag;
    dut_cycle(d);
    assert_int_equal(d->out.op_ready, 1);
    assert_int_equal(d->out.ans_valid, 0);
    dut_cycle(d);
    assert_int_equal(d->out.ans_valid, 0);
    dut_eval(d);
    assert_int_equal(d->out.ans_valid, 1);
}

/* Ends that cycle with these inputs. */
static void act(struct dut *d, in_t in)
{
    in.act_valid = 1;
    d->in = in;
    dut_cycle(d);
}

/* The line comes into the way that is named, which is this one. */
static void bring(struct dut *d, uint64_t set, uint64_t tag, uint64_t way, bool held)
{
    ask(d, set, tag);
    assert_int_equal(d->out.ans_victim, 1);
    assert_int_equal(d->out.ans_way, way);
    act(d, (in_t){.act_hold = held});
}

static void use(struct dut *d, uint64_t set, uint64_t tag)
{
    ask(d, set, tag);
    assert_int_equal(d->out.ans_hit, 1);
    act(d, (in_t){.act_use = 1, .act_hold = d->out.ans_held});
}

/* Who would go now for a line that is not present. */
static uint64_t victim(struct dut *d, uint64_t set)
{
    ask(d, set, 7);
    assert_int_equal(d->out.ans_hit, 0);
    assert_int_equal(d->out.ans_victim, 1);
    return d->out.ans_way;
}

static void test_l2_tags__each_set_has_its_ways(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        for (uint64_t set = 0; set < 2; set++)
            for (uint64_t way = 0; way < 3; way++)
                bring(&d, set, 2 * way + set, way, false);
        for (uint64_t set = 0; set < 2; set++)
            for (uint64_t tag = 0; tag < 8; tag++) {
                ask(&d, set, tag);
                const bool here = tag < 6 && tag % 2 == set;
                assert_int_equal(d.out.ans_hit, here);
                assert_int_equal(d.out.ans_victim, !here);
                if (here) {
                    assert_int_equal(d.out.ans_way, tag / 2);
                    assert_int_equal(d.out.ans_tag, tag);
                }
            }
        dut_close(&d);
    }
}

static void test_l2_tags__the_one_unused_for_longest_goes(void **state)
{
    static const in_t no_use[] = {
        {.act_fill = 1}, {.act_write = 2}, {.act_fill = 3, .act_write = 3}, {.act_clean = 1}, {.act_clean = 1, .act_write = 1}, {0}};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        for (uint64_t way = 0; way < 3; way++)
            bring(&d, 0, way, way, false);
        assert_int_equal(victim(&d, 0), 0);
        use(&d, 0, 0);
        assert_int_equal(victim(&d, 0), 1);
        use(&d, 0, 2);
        assert_int_equal(victim(&d, 0), 1);
        use(&d, 0, 1);
        assert_int_equal(victim(&d, 0), 0);
        for (size_t i = 0; i < sizeof no_use / sizeof no_use[0]; i++) {
            ask(&d, 0, 0);
            act(&d, no_use[i]);
            assert_int_equal(victim(&d, 0), 0);
        }
        bring(&d, 0, 5, 0, false); /* comes, and is the one used last */
        assert_int_equal(victim(&d, 0), 2);
        ask(&d, 0, 0);
        assert_int_equal(d.out.ans_hit, 0);
        dut_close(&d);
    }
}

static void test_l2_tags__a_held_line_stays(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        for (uint64_t way = 0; way < 3; way++)
            bring(&d, 0, way, way, way != 1);
        use(&d, 0, 1);
        assert_int_equal(victim(&d, 0), 1);
        ask(&d, 0, 1);
        act(&d, (in_t){.act_hold = 1});
        ask(&d, 0, 7); /* all are held */
        assert_int_equal(d.out.ans_hit | d.out.ans_victim, 0);
        assert_int_equal(d.out.ans_way | d.out.ans_tag | d.out.ans_sectors | d.out.ans_dirty | d.out.ans_held, 0);
        act(&d, (in_t){.act_fill = 3, .act_write = 3}); /* of nobody */
        for (uint64_t tag = 0; tag < 3; tag++) {
            ask(&d, 0, tag);
            assert_int_equal(d.out.ans_hit, 1);
            assert_int_equal(d.out.ans_held, 1);
            assert_int_equal(d.out.ans_sectors, 0);
        }
        act(&d, (in_t){0}); /* tag 2 is free to go */
        assert_int_equal(victim(&d, 0), 2);
        dut_close(&d);
    }
}

static void test_l2_tags__sectors_come_and_are_written(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &slice, backends[b]);
        ask(&d, 77, 5);
        act(&d, (in_t){.act_fill = 1, .act_write = 8, .act_hold = 1});
        ask(&d, 77, 5);
        assert_int_equal(d.out.ans_sectors, 1);
        assert_int_equal(d.out.ans_dirty, 8);
        assert_int_equal(d.out.ans_held, 1);
        act(&d, (in_t){.act_fill = 4, .act_write = 2});
        ask(&d, 77, 5);
        assert_int_equal(d.out.ans_sectors, 5);
        assert_int_equal(d.out.ans_dirty, 10);
        assert_int_equal(d.out.ans_held, 0);
        act(&d, (in_t){.act_clean = 1, .act_write = 1});
        ask(&d, 77, 5);
        assert_int_equal(d.out.ans_sectors, 5);
        assert_int_equal(d.out.ans_dirty, 1);
        d.in = (in_t){.act_drop = 1, .act_fill = 15, .act_write = 15}; /* no act_valid: nothing */
        dut_cycle(&d);
        ask(&d, 77, 5);
        assert_int_equal(d.out.ans_dirty, 1);
        act(&d, (in_t){.act_drop = 1, .act_fill = 15, .act_write = 15, .act_hold = 1});
        ask(&d, 77, 5);
        assert_int_equal(d.out.ans_hit, 0);
        assert_int_equal(d.out.ans_way, 0);
        assert_int_equal(d.out.ans_tag | d.out.ans_sectors | d.out.ans_dirty | d.out.ans_held, 0);
        dut_close(&d);
    }
}

/* The victim's own sectors are told, for those who write them back, and the line that comes has none of them. A victim that is dropped leaves
 * its way empty, and is no use of it. */
static void test_l2_tags__a_victim_tells_what_it_has(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &minimal, backends[b]);
        ask(&d, 1, 1);
        act(&d, (in_t){.act_fill = 1, .act_write = 1});
        ask(&d, 1, 0);
        assert_int_equal(d.out.ans_victim, 1);
        assert_int_equal(d.out.ans_tag, 1);
        assert_int_equal(d.out.ans_sectors, 1);
        assert_int_equal(d.out.ans_dirty, 1);
        act(&d, (in_t){0});
        ask(&d, 1, 0);
        assert_int_equal(d.out.ans_hit, 1);
        assert_int_equal(d.out.ans_sectors | d.out.ans_dirty, 0);
        ask(&d, 1, 1);
        act(&d, (in_t){.act_drop = 1});
        ask(&d, 1, 0);
        assert_int_equal(d.out.ans_hit, 0);
        dut_close(&d);
    }
}

/* An operation in each cycle, of one set and then of two sets by turns: a set is taken every other cycle, and each answer sees the one before. */
static void test_l2_tags__operations_follow_each_other(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t sets_cnt = 1; sets_cnt <= 2; sets_cnt++) {
            struct dut d;
            uint32_t answers[2] = {0}, taken = 0, answered = 0;
            uint32_t order[64];
            dut_open(&d, &wide, backends[b]);
            wait_idle(&d);
            for (uint32_t t = 0; t < 20; t++) {
                const uint32_t set = t % sets_cnt;
                d.in = (in_t){.op_valid = t < 16, .op_set = set, .op_tag = 9, .act_valid = 1};
                dut_eval(&d);
                if (t < 16) {
                    assert_int_equal(d.out.op_ready, sets_cnt == 2 || t % 2 == 0);
                    if (d.out.op_ready)
                        order[taken++] = set;
                }
                if (d.out.ans_valid) {
                    const uint32_t of = order[answered++];
                    d.in.act_fill = 1u << answers[of] % 8;
                    assert_int_equal(d.out.ans_sectors, (1u << answers[of]) - 1);
                    assert_int_equal(d.out.ans_hit, answers[of] > 0);
                    answers[of]++;
                }
                dut_tick(&d);
            }
            assert_int_equal(answered, sets_cnt == 2 ? 16 : 8);
            assert_int_equal(taken, answered);
            dut_close(&d);
        }
}

/* 2^set_w cycles, in which nothing is taken; the lines of before are gone, and idle says when nothing is under way. */
static void test_l2_tags__a_reset_sweeps(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &wide, backends[b]);
        for (uint64_t set = 0; set < 4; set++)
            bring(&d, set, 3, 0, true);
        d.inst.ops->reset(d.inst.self);
        for (uint32_t t = 0; t < 8; t++) {
            d.in = (in_t){.op_valid = t < 4, .op_set = t % 4, .op_tag = 3};
            dut_cycle(&d);
            assert_int_equal(d.out.op_ready, t >= 4);
            assert_int_equal(d.out.idle, t >= 4);
            assert_int_equal(d.out.ans_valid, 0);
        }
        for (uint64_t set = 0; set < 4; set++) {
            ask(&d, set, 3);
            assert_int_equal(d.out.ans_hit, 0);
            assert_int_equal(d.out.ans_way, 0);
        }
        wait_idle(&d);
        for (uint32_t t = 0; t < 5; t++) {
            d.in.op_valid = t == 0;
            dut_cycle(&d);
            assert_int_equal(d.out.idle, t == 0 || t > 2);
        }
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_l2_tags__fills),
    cmocka_unit_test(test_l2_tags__c_equals_rtl),
    cmocka_unit_test(test_l2_tags__broken_copies_are_caught),
    cmocka_unit_test(test_l2_tags__each_set_has_its_ways),
    cmocka_unit_test(test_l2_tags__the_one_unused_for_longest_goes),
    cmocka_unit_test(test_l2_tags__a_held_line_stays),
    cmocka_unit_test(test_l2_tags__sectors_come_and_are_written),
    cmocka_unit_test(test_l2_tags__a_victim_tells_what_it_has),
    cmocka_unit_test(test_l2_tags__operations_follow_each_other),
    cmocka_unit_test(test_l2_tags__a_reset_sweeps),
};
CW_TEST_MAIN(tests)
