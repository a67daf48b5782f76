/* SPDX-License-Identifier: Apache-2.0 */
/* Post-dating unit: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/postdate_unit.h"

#include <stdbool.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_postdate_unit_params params_t;
typedef struct cw_postdate_unit_in in_t;
typedef struct cw_postdate_unit_out out_t;

#define DUT_UNIT cw_postdate_unit_unit
#include "dut.h"
#include "fill/postdate_unit.h"

/*                               id_w time_w rules step tag_w */
static const params_t table = {10, 24, 0, 10, 8};
static const params_t minimal = {1, 2, 0, 1, 1};
static const params_t infinite = {3, 9, 1, 100, 4};
static const params_t printed = {3, 8, 2, 10, 4};
static const params_t wide = {4, 32, 2, 255, 16};
static const params_t few = {2, 6, 0, 255, 3}; /* the step does not fit into a time */

enum { TABLE, MINIMAL, INFINITE, PRINTED, WIDE, FEW, SETS };

/* Few transactions with small times, so that edges meet; most operations are edges, and clears are rare, as each is followed by a wait; now
 * and then one comes in it. Now and then a time near the end of its range. */
static void few_transactions(void *context, struct cw_rng *rng, const void *last_out, void *in)
{
    in_t *i = in;
    (void)context;
    i->clear = cw_rng_below(rng, ((const out_t *)last_out)->op_ready ? 20000 : 1000) == 0;
    if (cw_rng_below(rng, 16) != 0) {
        i->op_a &= 7;
        i->op_b &= 7;
    }
    if (cw_rng_below(rng, 8) != 0)
        i->op_time &= 63;
    if (i->op_kind != CW_POSTDATE_EDGE && cw_rng_below(rng, 4) != 0)
        i->op_kind = CW_POSTDATE_EDGE;
    if (i->op_kind != CW_POSTDATE_EDGE && cw_rng_below(rng, 3) == 0)
        i->op_kind = CW_POSTDATE_BEGIN;
}

static const struct cw_lockstep_set sets[SETS] = {{"table", &table, 0},     {"minimal", &minimal, 0}, {"infinite", &infinite, 0},
                                                  {"printed", &printed, 0}, {"wide", &wide, 0},       {"few", &few, 0}};

static const struct cw_lockstep_bench bench = {&cw_postdate_unit_unit, sets, SETS, few_transactions, NULL};

static void test_postdate_unit__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

#define UNIT "cw_postdate_unit"
static void test_postdate_unit__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"the midpoint of the CTS only", UNIT, "sum        = {1'b0, cts_a} + {1'b0, pdts_b}", "sum        = {1'b0, cts_a} + {1'b0, cts_b}",
         INFINITE},
        {"a missing PDTS is a number by rule 0", UNIT, "bound_a ? under_mid : RULES != 2", "bound_a ? under_mid : RULES == 1", TABLE},
        {"a missing PDTS is infinity by rule 2", UNIT, "bound_a ? under_mid : RULES != 2", "bound_a ? under_mid : 1'b1", PRINTED},
        {"a CTS falls by rule 0", UNIT, "(RULES != 0 || above)", "(1'b1 || above)", TABLE},
        {"a CTS only grows by rule 1", UNIT, "(RULES != 0 || above)", "(RULES == 2 || above)", INFINITE},
        {"by rule 2 T is not -1", UNIT, "cts        = minus ? ZERO", "cts        = minus && 1'b0 ? ZERO", PRINTED},
        {"equal times are no loop", UNIT, "below_p = cts_a < pdts_b", "below_p = cts_a <= pdts_b", TABLE},
        {"a committed writer may be equalled", UNIT, "below_c = cts_a < cts_b", "below_c = cts_a <= cts_b", INFINITE},
        {"a committed reader is judged by its PDTS", UNIT, "is_cts     = !runs_a", "is_cts     = 1'b0 && !runs_a", TABLE},
        {"the writer's question counts as the reader's", UNIT, "(by_q ? runs_b : runs_a)", "(by_q && 1'b0 ? runs_b : runs_a)", TABLE},
        {"times wrap", UNIT, "over_pdts  = is_leap", "over_pdts  = 1'b0 && is_leap", FEW},
        {"a CTS wraps", UNIT, "(climb && over_cts)", "(climb && over_cts && judged && 1'b0)", MINIMAL},
        {"an overflow changes the reader", UNIT, "(fall || first) && !overflow", "(fall || first)", MINIMAL},
        {"a clear leaves the last transaction", UNIT, "(sweep_q && !(&sweep_id_q))", "(sweep_q && !(&(sweep_id_q | NEXT)))", FEW},
        {"an operation does not see the one before it", UNIT, "match_q[1] && cts_we_q", "match_q[1] && cts_we_q && 1'b0", TABLE},
        {"the midpoint is rounded up", UNIT, "TWO    = 2;", "TWO    = 3;", PRINTED},
        {"a row that is being written is read as it was", "cw_ram_1r1w_fwd", "fwd_q ? fwd_data_q : ram_data",
         "fwd_q && 1'b0 ? fwd_data_q : ram_data", TABLE},
        {"an answer has the next tag", UNIT, "commit ? tag_q : {TAG_W{1'b0}}", "commit ? tag_q & op_tag_i : {TAG_W{1'b0}}", TABLE},
        {"a loop takes back what the reader got", UNIT, "(fall || first) && !overflow", "(fall || first) && !overflow && !loop", INFINITE},
        {"an edge to itself is judged", UNIT, "is_edge && !same_q && ", "is_edge && (!same_q || 1'b1) && ", FEW},
        {"an edge of nobody is judged", UNIT, "state_a != NOBODY && state_b", "state_b", FEW},
        {"a clear stops what was taken", UNIT, "valid_q        <= take || sweep_q", "valid_q        <= (take && !clear_i) || sweep_q", FEW},
        {"a clear does not begin anew", UNIT,
         "sweep_id_q     <= clear_i ? FIRST :", "sweep_id_q     <= clear_i && !sweep_q ? FIRST :", TABLE},
        {"idle while an answer is due", UNIT, "!sweep_q && !valid_q && !done_q", "!sweep_q && !done_q", TABLE},
        {"an edge has a time too", UNIT, "commit && runs_a ? last : ZERO", "runs_a ? last : ZERO", TABLE},
        {"a transaction that is freed runs on", UNIT, "kind_q == COMMIT ? COMMITTED : NOBODY,",
         "kind_q == COMMIT || a_q == b_q ? COMMITTED : NOBODY,", TABLE},
        {"a begin counts on", UNIT, "kind_q == BEGIN ? time_q : commit", "kind_q == BEGIN ? time_q + ONE : commit", TABLE},
        {"by rule 2 a committed writer has a bound", UNIT, "limit      = fixed && RULES != 2", "limit      = fixed && RULES != 3", PRINTED},
        {"a commit keeps the CTS", UNIT, "last       = RULES != 0 ? cts_a", "last       = RULES != 3 ? cts_a", TABLE},
        {"a commit moves the state of nobody", UNIT, "kind_q != COMMIT || runs_a", "kind_q != COMMIT || 1'b1", TABLE}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Directed */

static void operate(struct dut *d, uint64_t kind, uint64_t a, uint64_t b, uint64_t time)
{
    dut_eval(d);
    while (!d->out.op_ready)
        dut_cycle(d), dut_eval(d);
    d->in.op_valid = 1;
    d->in.op_kind = kind;
    d->in.op_a = a;
    d->in.op_b = b;
    d->in.op_by = 1;
    d->in.op_time = time;
    dut_cycle(d);
}

/* Of the operation before: the cycle in progress is the second after it. */
static void answer(struct dut *d)
{
    dut_cycle(d);
    dut_eval(d);
    assert_int_equal(d->out.ans_valid, 1);
}

static void begin(struct dut *d, uint64_t id, uint64_t cts)
{
    operate(d, CW_POSTDATE_BEGIN, id, 0, cts);
}

/* Whether it is accepted. */
static bool edge(struct dut *d, uint64_t reader, uint64_t writer)
{
    operate(d, CW_POSTDATE_EDGE, reader, writer, 0);
    answer(d);
    assert_int_equal(d->out.ans_accepted + d->out.ans_loop + d->out.ans_overflow, 1);
    return d->out.ans_accepted;
}

/* Of an edge that an access of the reader has found. */
static bool found_by_reader(struct dut *d, uint64_t reader, uint64_t writer)
{
    dut_eval(d);
    d->in = (in_t){.op_valid = 1, .op_kind = CW_POSTDATE_EDGE, .op_a = reader, .op_b = writer};
    dut_cycle(d);
    answer(d);
    return d->out.ans_accepted;
}

/* The last CTS of who commits with that CTS and PDTS; none: it has none. The step is 10. */
static const uint64_t none = UINT64_MAX;

static uint64_t last(uint32_t rules, uint64_t cts, uint64_t pdts)
{
    return rules != 0 ? cts : pdts != none ? pdts : cts + 40;
}

static uint64_t commit(struct dut *d, uint64_t id)
{
    operate(d, CW_POSTDATE_COMMIT, id, 0, 0);
    answer(d);
    return d->out.ans_time;
}

/* Figure 8: T1, T2 and T3 begin with CTS 1; A leads from T1 to T2, B from T2 to T3, C from T3 to T1. By the order A, B, C: PDTS of T1 is 11, of
 * T2 12 + 10 = 22, of T3 23 + 10 = 33, and C is refused (34 is above 11). By A, C, B: C gives T3 the midpoint of 1 and 11 by the
 * corrected rules (6, where the figure has 5), and B asks for a CTS of T3 above 22. By the printed ones T3's PDTS stays missing, and B goes. */
static void test_postdate_unit__figure_8(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t rules = 0; rules < 3; rules++) {
            struct dut d;
            const params_t p = {2, 24, rules, 10, 8};
            dut_open(&d, &p, backends[b]);
            for (uint64_t id = 1; id <= 3; id++)
                begin(&d, id, 1);
            assert_true(edge(&d, 1, 2));
            assert_true(edge(&d, 2, 3));
            assert_false(edge(&d, 3, 1));
            assert_int_equal(d.out.ans_loop, 1);
            assert_int_equal(commit(&d, 3), last(rules, 23, 33));
            for (uint64_t id = 1; id <= 3; id++)
                begin(&d, id, 1);
            assert_true(edge(&d, 1, 2));
            assert_true(edge(&d, 3, 1));
            assert_int_equal(edge(&d, 2, 3), rules == 2);
            assert_int_equal(commit(&d, 2), last(rules, 12, 22));
            assert_int_equal(commit(&d, 1), rules == 2 ? 0 : last(rules, 7, 11));
            dut_close(&d);
        }
}

static void test_postdate_unit__committed_transactions_do_not_move(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t rules = 0; rules < 3; rules++) {
            struct dut d;
            const params_t p = {2, 24, rules, 10, 8};
            dut_open(&d, &p, backends[b]);
            begin(&d, 0, 5);
            begin(&d, 1, 1);
            begin(&d, 2, 8);
            const uint64_t fixed = last(rules, 5, none);
            assert_int_equal(commit(&d, 0), fixed);
            operate(&d, CW_POSTDATE_EDGE, 1, 0, 0); /* the committed writer asks: too late */
            answer(&d);
            assert_int_equal(d.out.ans_accepted, 1);
            d.in.op_by = 0;
            assert_true(edge(&d, 0, 1)); /* the writer 1 has to exceed that */
            assert_int_equal(commit(&d, 1), last(rules, fixed + 1, none));
            assert_int_equal(commit(&d, 1), 0);
            assert_int_equal(d.out.ans_accepted, 0);
            dut_close(&d);
        }
}

/* A reader asks about a writer that has committed: its PDTS has to be below. */
static void test_postdate_unit__a_reader_stays_below_a_committed_writer(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t rules = 0; rules < 3; rules++) {
            struct dut d;
            const params_t p = {2, 24, rules, 10, 8};
            dut_open(&d, &p, backends[b]);
            const uint64_t fixed = last(rules, 5, none);
            begin(&d, 0, 5);
            begin(&d, 1, fixed - 1);
            begin(&d, 2, fixed);
            begin(&d, 3, fixed - 1);
            commit(&d, 0);
            for (uint64_t reader = 1; reader <= 2; reader++) {
                d.in.op_valid = 1;
                d.in.op_kind = CW_POSTDATE_EDGE;
                d.in.op_a = reader;
                dut_cycle(&d);
                answer(&d);
                assert_int_equal(d.out.ans_accepted, reader == 1 || rules == 2);
            }
            assert_int_equal(edge(&d, 3, 1), rules == 2); /* 1 cannot exceed its CTS now: that is its PDTS */
            dut_close(&d);
        }
}

/* Both begin at one time, and the writer commits without an edge: the reader of the version before is before it. So is one that has itself
 * come behind another reader. The figure as printed lets both pass. */
static void test_postdate_unit__a_reader_beside_an_unrelated_commit(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t rules = 0; rules < 3; rules++) {
            struct dut d;
            const params_t p = {2, 24, rules, 10, 8};
            dut_open(&d, &p, backends[b]);
            for (uint64_t id = 0; id < 4; id++)
                begin(&d, id, 1);
            assert_true(edge(&d, 2, 3)); /* 3 becomes 12 */
            commit(&d, 0);
            for (uint64_t reader = 1; reader <= 3; reader += 2) {
                dut_eval(&d);
                d.in.op_valid = 1;
                d.in.op_kind = CW_POSTDATE_EDGE;
                d.in.op_a = reader;
                d.in.op_b = d.in.op_by = 0;
                dut_cycle(&d);
                answer(&d);
                assert_int_equal(d.out.ans_accepted, rules != 1);
            }
            dut_close(&d);
        }
}

static void test_postdate_unit__an_overflow_changes_nothing(void **state)
{
    static const params_t p = {2, 4, 0, 10, 8};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &p, backends[b]);
        begin(&d, 0, 6);
        begin(&d, 1, 5);
        begin(&d, 2, 0);
        assert_false(edge(&d, 0, 1)); /* 6 + 10 */
        assert_int_equal(d.out.ans_overflow, 1);
        assert_false(edge(&d, 1, 0)); /* a PDTS of 15 fits, a CTS of 16 does not */
        assert_int_equal(d.out.ans_overflow, 1);
        assert_int_equal(commit(&d, 0), 6);
        assert_int_equal(commit(&d, 1), 5);
        d.in.clear = 1;
        dut_cycle(&d);
        for (int i = 0; i < 4; i++) {
            dut_eval(&d);
            assert_int_equal(d.out.op_ready, 0);
            dut_cycle(&d);
        }
        dut_eval(&d);
        assert_int_equal(d.out.op_ready, 1);
        assert_true(edge(&d, 2, 0)); /* nobody's */
        assert_int_equal(commit(&d, 2), 0);
        assert_int_equal(d.out.ans_accepted, 0);
        dut_close(&d);
    }
}

/* The largest time is 63: each way to it, and to one more. */
static void test_postdate_unit__the_largest_times_fit(void **state)
{
    static const params_t p = {2, 6, 0, 10, 8};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &p, backends[b]);
        begin(&d, 0, 23);
        assert_int_equal(commit(&d, 0), 63); /* CTS + 4 step */
        begin(&d, 0, 24);
        assert_int_equal(commit(&d, 0), 24); /* 64 does not fit */
        begin(&d, 0, 52);
        begin(&d, 1, 0);
        assert_true(edge(&d, 0, 1)); /* a PDTS of 62, a CTS of 63 */
        assert_int_equal(commit(&d, 0), 62);
        assert_int_equal(commit(&d, 1), 63);
        begin(&d, 0, 53);
        begin(&d, 1, 0);
        assert_false(edge(&d, 0, 1)); /* a PDTS of 63 would fit, a CTS of 64 does not */
        assert_int_equal(d.out.ans_overflow, 1);
        begin(&d, 0, 62);
        begin(&d, 1, 1);
        begin(&d, 2, 63);
        assert_int_equal(commit(&d, 0), 62);
        assert_true(edge(&d, 0, 1)); /* the reader has committed */
        assert_int_equal(commit(&d, 1), 63);
        begin(&d, 1, 1);
        assert_int_equal(commit(&d, 2), 63);
        assert_false(edge(&d, 2, 1));
        assert_int_equal(d.out.ans_overflow, 1);
        begin(&d, 0, 62);
        assert_true(found_by_reader(&d, 0, 2)); /* the writer has committed */
        assert_int_equal(commit(&d, 0), 62);
        begin(&d, 0, 63);
        assert_false(found_by_reader(&d, 0, 2));
        assert_int_equal(d.out.ans_loop, 1);
        dut_close(&d);
    }
}

/* Reader 0 has CTS 4; writers: 1 with PDTS 11, 2 without. The midpoint of 4 and 11 is 7, rounded down. */
static void test_postdate_unit__first_bound_and_midpoint(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t rules = 0; rules < 3; rules++) {
            struct dut d;
            const params_t p = {2, 24, rules, 10, 8};
            dut_open(&d, &p, backends[b]);
            begin(&d, 0, 4);
            begin(&d, 1, 1);
            begin(&d, 2, 2);
            begin(&d, 3, 30);
            assert_true(edge(&d, 1, 3)); /* PDTS of 1: 11. 3 is above it, and becomes 12 unless times only grow */
            assert_true(edge(&d, 0, 1)); /* PDTS of 0: 7, and 1 becomes 8. By rule 2: missing, and 1 becomes 0 */
            assert_true(edge(&d, 0, 2)); /* the PDTS stays, and 2 becomes 8. By rule 2: 14, and 2 becomes 15 */
            assert_true(edge(&d, 0, 1)); /* no change. By rule 2: 14 falls to 7, and 1 becomes 8 */
            assert_int_equal(commit(&d, 3), rules == 0 ? 70 : 12);
            assert_int_equal(commit(&d, 2), rules == 2 ? 15 : last(rules, 8, none));
            assert_int_equal(commit(&d, 1), last(rules, 8, 11));
            begin(&d, 1, 0);
            assert_true(edge(&d, 0, 1)); /* 7 is the PDTS by all rules */
            assert_int_equal(commit(&d, 1), last(rules, 8, none));
            assert_int_equal(commit(&d, 0), last(rules, 4, 7));
            dut_close(&d);
        }
}

/* A loop leaves the reader the PDTS that it got: 3 keeps 30, so that the midpoint 40 of 20 and 60 is not below it. */
static void test_postdate_unit__a_loop_leaves_the_readers_bound(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t rules = 0; rules < 3; rules++) {
            struct dut d;
            const params_t p = {2, 24, rules, 10, 8};
            dut_open(&d, &p, backends[b]);
            begin(&d, 0, 50);
            begin(&d, 1, 5);
            begin(&d, 2, 1);
            begin(&d, 3, 20);
            assert_true(edge(&d, 0, 2));  /* PDTS of 0: 60 */
            assert_true(edge(&d, 1, 2));  /* PDTS of 1: 15 */
            assert_false(edge(&d, 3, 1)); /* 3 gets 30, which is not below 15 */
            assert_int_equal(d.out.ans_loop, 1);
            assert_int_equal(commit(&d, 1), last(rules, 5, 15));
            assert_true(edge(&d, 3, 0));
            assert_int_equal(commit(&d, 0), rules == 0 ? 60 : 31);
            begin(&d, 1, 0);
            assert_true(edge(&d, 3, 1));
            assert_int_equal(commit(&d, 1), last(rules, 31, none));
            dut_close(&d);
        }
}

static void test_postdate_unit__edges_that_say_nothing(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t rules = 0; rules < 3; rules++) {
            struct dut d;
            const params_t p = {2, 24, rules, 10, 8};
            dut_open(&d, &p, backends[b]);
            begin(&d, 0, 9);
            begin(&d, 1, 3);
            assert_true(edge(&d, 0, 0));
            assert_true(edge(&d, 0, 2)); /* 2 is nobody's */
            assert_true(edge(&d, 2, 0));
            assert_int_equal(commit(&d, 1), last(rules, 3, none));
            assert_true(edge(&d, 0, 1)); /* 1 asks, and does not run */
            begin(&d, 3, 0);
            assert_true(edge(&d, 0, 3)); /* so this is the first of 0: 19 */
            assert_int_equal(commit(&d, 3), last(rules, 20, none));
            operate(&d, CW_POSTDATE_FREE, 3, 0, 0);
            assert_true(edge(&d, 3, 0)); /* it was 20, and later */
            assert_int_equal(commit(&d, 0), last(rules, 9, 19));
            operate(&d, CW_POSTDATE_FREE, 0, 0, 0);
            assert_int_equal(commit(&d, 0), 0);
            assert_int_equal(d.out.ans_accepted, 0);
            begin(&d, 0, 2); /* a committed, then freed number begins anew, and a running one too */
            assert_true(edge(&d, 0, 0));
            begin(&d, 0, 4);
            assert_int_equal(commit(&d, 0), last(rules, 4, none));
            begin(&d, 0, 1);
            assert_int_equal(commit(&d, 0), last(rules, 1, none));
            dut_close(&d);
        }
}

/* Whether the cycle in progress has an answer, and this one. */
static void expect_answer(struct dut *d, uint64_t valid, uint64_t tag, uint64_t accepted, uint64_t time)
{
    dut_eval(d);
    assert_int_equal(d->out.ans_valid, valid);
    assert_int_equal(d->out.ans_tag, tag);
    assert_int_equal(d->out.ans_accepted, accepted);
    assert_int_equal(d->out.ans_loop + d->out.ans_overflow, 0);
    assert_int_equal(d->out.ans_time, time);
}

static void take(struct dut *d, uint64_t kind, uint64_t a, uint64_t b, uint64_t tag)
{
    assert_int_equal(d->out.op_ready, 1);
    d->in.op_valid = 1;
    d->in.op_kind = kind;
    d->in.op_a = a;
    d->in.op_b = b;
    d->in.op_time = 7;
    d->in.op_tag = tag;
    dut_tick(d);
}

/* An operation per cycle, each of which sees those before it; answers come in the second cycle after. */
static void test_postdate_unit__one_per_cycle(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        const params_t p = {2, 24, 0, 10, 8};
        dut_open(&d, &p, backends[b]);
        begin(&d, 1, 3);
        dut_cycle(&d);
        dut_cycle(&d);
        expect_answer(&d, 0, 0, 0, 0);
        assert_int_equal(d.out.idle, 1);
        take(&d, CW_POSTDATE_BEGIN, 0, 0, 1);
        expect_answer(&d, 0, 0, 0, 0);
        assert_int_equal(d.out.idle, 0);
        take(&d, CW_POSTDATE_EDGE, 0, 1, 2); /* PDTS of 0: 17, and 1 becomes 18 */
        expect_answer(&d, 0, 0, 0, 0);
        take(&d, CW_POSTDATE_COMMIT, 1, 0, 3);
        expect_answer(&d, 1, 2, 1, 0);
        take(&d, CW_POSTDATE_COMMIT, 1, 0, 4);
        expect_answer(&d, 1, 3, 1, last(0, 18, none));
        take(&d, CW_POSTDATE_FREE, 0, 0, 5);
        expect_answer(&d, 1, 4, 0, 0);
        take(&d, CW_POSTDATE_COMMIT, 0, 0, 6);
        expect_answer(&d, 0, 0, 0, 0);
        dut_tick(&d);
        expect_answer(&d, 1, 6, 0, 0);
        assert_int_equal(d.out.idle, 0);
        dut_tick(&d);
        expect_answer(&d, 0, 0, 0, 0);
        assert_int_equal(d.out.idle, 1);
        dut_close(&d);
    }
}

/* What was taken with the clear is answered, all others wait 2^2 cycles after the last clear; then nothing changes without an operation. */
static void test_postdate_unit__a_clear_and_another(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        const params_t p = {2, 24, 0, 10, 8};
        dut_open(&d, &p, backends[b]);
        for (uint64_t id = 0; id < 4; id++)
            begin(&d, id, 7);
        dut_eval(&d);
        d.in.clear = 1;
        take(&d, CW_POSTDATE_COMMIT, 3, 0, 9);
        for (int i = 0; i < 2 + 4; i++) {
            expect_answer(&d, i == 1, i == 1 ? 9 : 0, i == 1, i == 1 ? last(0, 7, none) : 0);
            assert_int_equal(d.out.op_ready + d.out.idle, 0);
            d.in.clear = i == 1;
            d.in.op_valid = 1; /* not taken */
            d.in.op_kind = CW_POSTDATE_BEGIN;
            dut_tick(&d);
        }
        for (uint64_t id = 0; id < 4; id++) {
            assert_int_equal(commit(&d, id), 0);
            assert_int_equal(d.out.ans_accepted, 0);
        }
        begin(&d, 1, 5);
        do
            dut_cycle(&d);
        while (!d.out.idle && d.cycle < 100);
        for (int i = 0; i < 20; i++) {
            dut_cycle(&d);
            assert_int_equal(d.out.idle, 1);
        }
        assert_int_equal(commit(&d, 1), last(0, 5, none));
        dut_close(&d);
    }
}

/*
 * All orders of distinct edges among n transactions that run, all with CTS 1 and no PDTS: an order goes on, edge by edge, until one
 * closes a circle of edges, or is refused though it closes none, or until it has `most` edges. Counted: the orders that close a circle,
 * those of them in which this edge is accepted, and those that end by an edge refused without a circle. The counts are those of a
 * separate program of Figure 7's lines (in Python, with a search of the graph); the first step is 10.
 */
struct count {
    uint32_t circles, missed, refused;
};

struct walk {
    struct dut *d;
    uint32_t n, most, length;
    uint8_t reader[6], writer[6];
    struct count count;
};

/* The order from its beginning on a fresh table, without a pause; whether its last edge is accepted. */
static bool play(struct walk *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        begin(w->d, i, 1);
    for (uint32_t i = 0; i < w->length; i++)
        operate(w->d, CW_POSTDATE_EDGE, w->reader[i], w->writer[i], 0);
    answer(w->d);
    assert_int_equal(w->d->out.ans_overflow, 0);
    return w->d->out.ans_accepted;
}

static bool leads(const struct walk *w, uint32_t from, uint32_t to)
{
    uint32_t reached = 1u << from, last = 0;
    while (reached != last) {
        last = reached;
        for (uint32_t i = 0; i + 1 < w->length; i++)
            if ((reached >> w->reader[i] & 1) != 0)
                reached |= 1u << w->writer[i];
    }
    return (reached >> to & 1) != 0;
}

static bool is_new(const struct walk *w, uint32_t reader, uint32_t writer)
{
    for (uint32_t i = 0; i < w->length; i++)
        if (w->reader[i] == reader && w->writer[i] == writer)
            return false;
    return reader != writer;
}

static void walk(struct walk *w)
{
    for (uint8_t at = 0; w->length < w->most && at < w->n * w->n; at++) {
        const uint8_t reader = (uint8_t)(at / w->n), writer = (uint8_t)(at % w->n);
        if (!is_new(w, reader, writer))
            continue;
        w->reader[w->length] = reader;
        w->writer[w->length++] = writer;
        const bool accepted = play(w), circle = leads(w, writer, reader);
        w->count.circles += circle ? 1 : 0;
        w->count.missed += circle && accepted ? 1 : 0;
        w->count.refused += !circle && !accepted ? 1 : 0;
        if (!circle && accepted)
            walk(w);
        w->length--;
    }
}

static void test_postdate_unit__all_orders_of_edges(void **state)
{
    static const struct {
        uint32_t n, most;
        struct count by_rules[3];
    } cases[] = {{2, 2, {{2, 0, 0}, {2, 0, 0}, {2, 0, 0}}},
                 {3, 6, {{174, 0, 0}, {174, 12, 0}, {174, 24, 0}}},
                 {4, 4, {{3756, 0, 312}, {3756, 72, 312}, {3756, 816, 336}}},
                 {4, 5, {{24060, 0, 912}, {24060, 1488, 912}, {23916, 5280, 1008}}}};
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t i = 0; i < 4; i++)
            for (uint32_t rules = 0; rules < 3; rules++) {
                struct dut d;
                const params_t p = {2, 24, rules, 10, 8};
                dut_open(&d, &p, backends[b]);
                struct walk w = {.d = &d, .n = cases[i].n, .most = cases[i].most};
                walk(&w);
                assert_memory_equal(&w.count, &cases[i].by_rules[rules], sizeof w.count);
                dut_close(&d);
            }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_postdate_unit__fills),
    cmocka_unit_test(test_postdate_unit__c_equals_rtl),
    cmocka_unit_test(test_postdate_unit__broken_copies_are_caught),
    cmocka_unit_test(test_postdate_unit__figure_8),
    cmocka_unit_test(test_postdate_unit__committed_transactions_do_not_move),
    cmocka_unit_test(test_postdate_unit__a_reader_stays_below_a_committed_writer),
    cmocka_unit_test(test_postdate_unit__a_reader_beside_an_unrelated_commit),
    cmocka_unit_test(test_postdate_unit__an_overflow_changes_nothing),
    cmocka_unit_test(test_postdate_unit__the_largest_times_fit),
    cmocka_unit_test(test_postdate_unit__first_bound_and_midpoint),
    cmocka_unit_test(test_postdate_unit__a_loop_leaves_the_readers_bound),
    cmocka_unit_test(test_postdate_unit__edges_that_say_nothing),
    cmocka_unit_test(test_postdate_unit__one_per_cycle),
    cmocka_unit_test(test_postdate_unit__a_clear_and_another),
    cmocka_unit_test(test_postdate_unit__all_orders_of_edges),
};
CW_TEST_MAIN(tests)
