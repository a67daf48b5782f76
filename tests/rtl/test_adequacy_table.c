/* SPDX-License-Identifier: Apache-2.0 */
/* Predictor of compaction-adequacy: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/adequacy_table.h"

#include <stdbool.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_adequacy_table_params params_t;
typedef struct cw_adequacy_table_in in_t;
typedef struct cw_adequacy_table_out out_t;

#define DUT_UNIT cw_adequacy_table_unit
#include "dut.h"
#include "fill/adequacy_table.h"

/*                              lanes row_w count_w index_w tag_w */
static const params_t core = {32, 7, 6, 6, 10};
static const params_t minimal = {1, 1, 1, 1, 1};
static const params_t odd = {5, 2, 3, 3, 4};
static const params_t few = {2, 1, 2, 2, 2};
static const params_t largest = {32, 8, 6, 10, 22};

enum { CORE, MINIMAL, ODD, FEW, LARGEST, SETS };

/* Few rows and few branches. Phases: any threads; one thread of each warp, where compaction pays; all threads, where it does not; the same threads
 * again and again until a count is full. */
static void few_branches(void *context, struct cw_rng *rng, const void *last_out, void *in)
{
    static uint32_t phase;
    in_t *i = in;
    (void)context;
    (void)last_out;
    if (cw_rng_below(rng, 64) == 0)
        phase = cw_rng_below(rng, 4);
    if (cw_rng_below(rng, 16) != 0)
        i->op_row &= 3;
    i->op_pc &= cw_rng_below(rng, 16) != 0 ? 0x13 : UINT64_MAX;
    i->op_first = cw_rng_below(rng, phase == 3 ? 128 : 8) == 0;
    i->op_last = cw_rng_below(rng, phase == 3 ? 16 : 3) == 0;
    i->forget = cw_rng_below(rng, 48) == 0;
    if (phase == 1) {
        i->op_taken = cw_rng_below(rng, 3) != 0 ? UINT64_C(1) << cw_rng_below(rng, 32) : 0;
        i->op_other = cw_rng_below(rng, 3) != 0 ? UINT64_C(1) << cw_rng_below(rng, 32) : 0;
    } else if (phase >= 2) {
        i->op_taken = cw_rng_below(rng, 8) != 0 ? UINT64_MAX : 0;
        i->op_other = cw_rng_below(rng, 4) == 0 ? UINT64_MAX : 0;
    }
}

static const struct cw_lockstep_set sets[SETS] = {
    {"core", &core, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0}, {"few", &few, 0}, {"largest", &largest, 0}};

static const struct cw_lockstep_bench bench = {&cw_adequacy_table_unit, sets, SETS, few_branches, NULL};

static void test_adequacy_table__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

#define UNIT "cw_adequacy_table"

static void test_adequacy_table__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"any branch of the entry is known", UNIT,
         "read_known_q && read_tag ==", "read_known_q && (1'b1 || |read_tag) || read_tag ==", ODD},
        {"a branch that is not known does not wait", UNIT, "predicts = !(read_known_q", "predicts = (1'b0 && read_known_q", ODD},
        {"the row is not told what its first operation was", UNIT, "row_is = {row_was[WAIT],",
         "row_is = {(row_was[WAIT] && 1'b0) || predicts,", ODD},
        {"a first operation keeps the counts", UNIT, "read_first_q <= op_first_i ||", "read_first_q <= (op_first_i && 1'b0) ||", ODD},
        {"a row that has begun keeps on beginning", UNIT, "op_first_i || !begun_q[op_row_i]", "op_first_i || 1'b1 || !begun_q[op_row_i]",
         ODD},
        {"an operation of the row just before is not seen", UNIT, "done_q && done_row_q == read_row_q",
         "done_q && 1'b0 && done_row_q == read_row_q", FEW},
        {"a row of another number is taken for the one before", UNIT, "done_q && done_row_q == read_row_q", "done_q", ODD},
        {"what is read is older than what is written", "cw_ram_1r1w_fwd", "fwd_q ? fwd_data_q : ram_data",
         "fwd_q && 1'b0 ? fwd_data_q : ram_data", FEW},
        {"a warp has one side", UNIT, "come = {{COUNT_W{1'b0}}, |read_taken_q} + ", "come = ", ODD},
        {"those that go on are not counted", UNIT, "COUNTS_W], read_other_q)", "COUNTS_W], read_other_q & {LANES{1'b0}})", ODD},
        {"a count stays when it is full", UNIT, "counts[b*LANES +: LANES] ^ carry;", "counts[b*LANES +: LANES] | carry;", FEW},
        {"the fullest lane is the lowest one", UNIT, "greatest = {LANES{1'b1}};", "greatest = {{(LANES-1){1'b0}}, 1'b1};", ODD},
        {"as many warps as before are adequate", UNIT, "judge_other_q} < judge_sides_q", "judge_other_q} <= judge_sides_q", ODD},
        {"one way is enough", UNIT, "{1'b0, judge_taken_q} + {1'b0, judge_other_q}",
         "{1'b0, judge_taken_q} + {1'b0, judge_other_q & {COUNT_W{1'b0}}}", ODD},
        {"a judgement stays unknown", UNIT, "known_q | learn_oh", "known_q | (learn_oh & {ENTRIES{1'b0}})", ODD},
        {"it learns the contrary", UNIT, ".wr_data_i({adequate,", ".wr_data_i({!adequate,", ODD},
        {"nothing is forgotten", UNIT, "known_d  = forget_i ?", "known_d  = forget_i && 1'b0 ?", ODD},
        {"what was taken before the forgetting is learned", UNIT, "judge_learns_q <= done_learns_q && !forget_i;",
         "judge_learns_q <= (done_learns_q || 1'b1) && !forget_i;", ODD},
        {"what was taken just before the forgetting is learned", UNIT, "done_learns_q  <= !forget_i;", "done_learns_q  <= 1'b1;", ODD},
        {"idle comes before the judgement", UNIT, "!read_q && !done_q && !judge_q;", "!read_q && !done_q;", CORE}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Directed */

static in_t warp_at(uint64_t row, uint64_t pc, uint64_t taken, uint64_t other)
{
    return (in_t){.op_valid = 1, .op_row = row, .op_pc = pc, .op_taken = taken, .op_other = other};
}

static in_t first_at(uint64_t row, uint64_t pc, uint64_t taken, uint64_t other)
{
    in_t in = warp_at(row, pc, taken, other);
    in.op_first = 1;
    return in;
}

static in_t last(in_t in)
{
    in.op_last = 1;
    return in;
}

/* Gives it to the unit, and waits for its answer. */
static uint64_t told(struct dut *d, in_t in)
{
    d->in = in;
    dut_cycle(d);
    dut_cycle(d);
    assert_int_equal(d->out.ans_valid, 0);
    dut_cycle(d);
    assert_int_equal(d->out.ans_valid, 1);
    return d->out.ans_wait;
}

/* The same of a last one, with its judgement. */
static uint64_t judged(struct dut *d, in_t in)
{
    told(d, last(in));
    assert_int_equal(d->out.jdg_valid, 0);
    dut_cycle(d);
    assert_int_equal(d->out.jdg_valid, 1);
    return d->out.jdg_adequate;
}

static void test_adequacy_table__a_branch_is_known_by_its_pc(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]); /* eight entries */
        assert_int_equal(told(&d, first_at(0, 0x25, 3, 0)), 1);
        assert_int_equal(judged(&d, first_at(0, 0x25, 3, 0)), 0);
        assert_int_equal(told(&d, first_at(1, 0x25, 3, 0)), 0);
        assert_int_equal(told(&d, first_at(1, 0x2d, 3, 0)), 1); /* of the same entry */
        assert_int_equal(told(&d, first_at(1, 0x24, 3, 0)), 1); /* of the entry before */
        assert_int_equal(judged(&d, first_at(2, 0x2d, 1, 0)), 0);
        assert_int_equal(told(&d, first_at(1, 0x2d, 3, 0)), 0);
        assert_int_equal(told(&d, first_at(1, 0x25, 3, 0)), 1); /* has lost its entry */
        for (uint64_t pc = 0x40; pc < 0x48; pc++)
            judged(&d, first_at(pc & 3, pc, 1, 0));
        for (uint64_t pc = 0x40; pc < 0x48; pc++)
            assert_int_equal(told(&d, first_at(0, pc, 0, 1)), 0);
        told(&d, first_at(3, 0x44, 1, 0));
        assert_int_equal(judged(&d, warp_at(3, 0x44, 2, 0)), 1);
        assert_int_equal(told(&d, first_at(0, 0x44, 0, 1)), 1); /* it pays now */
        d.inst.ops->reset(d.inst.self);
        assert_int_equal(told(&d, first_at(0, 0x45, 0, 1)), 1);
        dut_close(&d);
    }
}

/* All warps that come to a branch hear what the first one has heard, whatever the table has learned since. */
static void test_adequacy_table__a_row_has_one_answer(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &core, backends[b]);
        assert_int_equal(told(&d, first_at(127, 9, 3, 0)), 1);
        assert_int_equal(judged(&d, first_at(126, 9, 3, 0)), 0);
        assert_int_equal(told(&d, warp_at(127, 9, 3, 0)), 1);
        assert_int_equal(told(&d, warp_at(126, 9, 3, 0)), 1);
        assert_int_equal(told(&d, first_at(126, 9, 3, 0)), 0);
        d.in = (in_t){.forget = 1};
        dut_cycle(&d);
        assert_int_equal(told(&d, warp_at(126, 9, 3, 0)), 0);
        assert_int_equal(told(&d, warp_at(127, 9, 3, 0)), 1);
        dut_close(&d);
    }
}

/* One operation in each cycle: answers two cycles after each, judgements three; the table knows a branch from the cycle of its judgement on. */
static void test_adequacy_table__operations_follow_each_other(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &core, backends[b]);
        for (uint32_t t = 0; t < 12; t++) {
            d.in = t == 0 ? last(first_at(5, 0x123, 1, 0)) : t < 8 ? first_at(t, 0x123, 1, 0) : (in_t){0};
            dut_eval(&d);
            assert_int_equal(d.out.ans_valid, t >= 2 && t < 10);
            assert_int_equal(d.out.ans_wait, t >= 2 && t < 5); /* of operations 0, 1, 2 */
            assert_int_equal(d.out.jdg_valid, t == 3);
            assert_int_equal(d.out.jdg_adequate, 0);
            assert_int_equal(d.out.idle, t == 0 || t >= 10);
            dut_tick(&d);
        }
        for (uint32_t t = 0; t < 6; t++) { /* four warps of one row, one after the other */
            d.in = t < 4 ? warp_at(9, 0x55, UINT64_C(1) << t, UINT64_C(16) << t) : (in_t){0};
            d.in.op_first = t == 0;
            d.in.op_last = t == 3;
            dut_cycle(&d);
        }
        dut_cycle(&d);
        assert_int_equal(d.out.jdg_valid, 1);
        assert_int_equal(d.out.jdg_adequate, 1); /* eight sides, two warps */
        dut_close(&d);
    }
}

static void test_adequacy_table__compaction_is_judged(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &core, backends[b]);
        /* all go one way: as many warps as before */
        told(&d, first_at(0, 1, 0xffffffff, 0));
        assert_int_equal(judged(&d, warp_at(0, 1, 0xffffffff, 0)), 0);
        /* the same lanes of both warps part: four sides, four warps */
        told(&d, first_at(0, 1, 0xffff, 0xffff0000));
        assert_int_equal(judged(&d, warp_at(0, 1, 0xffff, 0xffff0000)), 0);
        /* other lanes: four sides, two warps */
        told(&d, first_at(0, 1, 0xffff, 0xffff0000));
        assert_int_equal(judged(&d, warp_at(0, 1, 0xffff0000, 0xffff)), 1);
        /* the fullest lanes of the ways are not the same one: three sides, two and one */
        told(&d, first_at(0, 1, 0x80000001, 2));
        assert_int_equal(judged(&d, warp_at(0, 1, 0x80000000, 0)), 0);
        told(&d, first_at(0, 1, 0x80000001, 2));
        assert_int_equal(judged(&d, warp_at(0, 1, 0x80000000, 4)), 1);
        /* a warp whose threads are all gone has no side */
        told(&d, first_at(0, 1, 0, 0));
        assert_int_equal(judged(&d, warp_at(0, 1, 1, 2)), 0);
        /* a row without a first one since the reset begins by itself */
        told(&d, warp_at(77, 1, 1, 2));
        assert_int_equal(judged(&d, warp_at(77, 1, 2, 1)), 1);
        /* a first one alone is of nobody before it */
        assert_int_equal(judged(&d, first_at(77, 1, 1, 0)), 0);
        dut_close(&d);
    }
}

/* Counts of two bits: four threads of a lane are none, eight sides are none. */
static void test_adequacy_table__counts_go_round(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &few, backends[b]);
        for (uint32_t n = 1; n <= 9; n++) {
            const in_t in = n == 1 ? first_at(1, 3, 1, 0) : warp_at(1, 3, 1, 0);
            assert_int_equal(judged(&d, in), n % 4 < n % 8);
        }
        dut_close(&d);
    }
}

static void test_adequacy_table__it_forgets(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t when = 0; when < 6; when++) {
            struct dut d;
            dut_open(&d, &core, backends[b]);
            judged(&d, first_at(0, 7, 1, 0));
            assert_int_equal(told(&d, first_at(1, 7, 1, 0)), 0);
            for (uint32_t t = 0; t < 6; t++) { /* the branch is judged again, and in one of these cycles all is forgotten */
                d.in = t == 0 ? last(first_at(0, 7, 1, 0)) : (in_t){0};
                d.in.forget = t == when;
                dut_cycle(&d);
                assert_int_equal(d.out.jdg_valid, t == 3);
            }
            assert_int_equal(told(&d, first_at(1, 7, 1, 0)), when != 0);
            d.in = first_at(1, 7, 1, 0);
            d.in.forget = 1;
            assert_int_equal(told(&d, d.in), 1); /* an operation of the same cycle sees nothing */
            dut_close(&d);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_adequacy_table__fills),
    cmocka_unit_test(test_adequacy_table__c_equals_rtl),
    cmocka_unit_test(test_adequacy_table__broken_copies_are_caught),
    cmocka_unit_test(test_adequacy_table__a_branch_is_known_by_its_pc),
    cmocka_unit_test(test_adequacy_table__a_row_has_one_answer),
    cmocka_unit_test(test_adequacy_table__operations_follow_each_other),
    cmocka_unit_test(test_adequacy_table__compaction_is_judged),
    cmocka_unit_test(test_adequacy_table__counts_go_round),
    cmocka_unit_test(test_adequacy_table__it_forgets),
};
CW_TEST_MAIN(tests)
