/* SPDX-License-Identifier: Apache-2.0 */
/* First-read time table: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/first_read_table.h"

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_first_read_table_params params_t;
typedef struct cw_first_read_table_in in_t;
typedef struct cw_first_read_table_out out_t;

#define DUT_UNIT cw_first_read_table_unit
#include "dut.h"
#include "fill/first_read_table.h"

/*                               warps lanes time_w */
static const params_t core = {48, 32, 64};
static const params_t minimal = {1, 1, 1};
static const params_t odd = {5, 3, 6};
static const params_t largest = {64, 32, 64};

/* Few warps, so that operations meet; all 64 numbers now and then. Most rebases become loads. */
static void few_warps(void *context, struct cw_rng *rng, const void *last_out, void *in)
{
    in_t *i = in;
    (void)context;
    (void)last_out;
    if (cw_rng_below(rng, 16) != 0) {
        i->beg_warp %= 6;
        i->load_warp %= 6;
        i->rsp_warp %= 6;
        i->qry_warp %= 6;
    }
    if (i->load_rebase && cw_rng_below(rng, 4) != 0)
        i->load_rebase = 0;
}

static const struct cw_lockstep_set sets[] = {{"core", &core, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0}, {"largest", &largest, 0}};

static const struct cw_lockstep_bench bench = {&cw_first_read_table_unit, sets, 4, few_warps, NULL};

static void test_first_read_table__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_first_read_table__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"every load is a first load", "cw_first_read_table", "load_lanes_i & (~load_has | load_begin)", "load_lanes_i", 2},
        {"equal times conflict", "cw_first_read_table", "written_q > first_time", "written_q >= first_time", 2},
        {"a rebase is not seen by the response of its cycle", "cw_first_read_table", "load_warp_i == rsp_warp_i ? rebase : {LANES{1'b0}}",
         "{LANES{1'b0}}", 2},
        {"an answer does not cover the response in flight", "cw_first_read_table", "qry_warp_i == warp_q ? conflict", "1'b0 ? conflict", 2},
        {"a stale response marks the next attempt", "cw_first_read_table", "wire [LANES-1:0]        record     = conflict & ~late_begin;",
         "wire [LANES-1:0]        record     = conflict | (late_begin & {LANES{1'b0}});", 2},
        {"a warp that does not exist writes a row", "cw_first_read_table", "load_valid_i && EXISTS[load_warp_i]",
         "load_valid_i && (EXISTS[load_warp_i] || load_warp_i == 6'd8)", 2},
        {"an answer stays", "cw_first_read_table", "ans_read_q     <= qry_valid_i ? read_flags",
         "ans_read_q     <= qry_valid_i || ans_valid_q ? read_flags", 2},
        {"idle while an answer is due", "cw_first_read_table", "&& !found_valid_q && !ans_valid_q;", "&& !found_valid_q;", 2},
        {"who begins with the response is accepted", "cw_first_read_table", "rsp_lanes_i & rsp_has & ~rsp_begin",
         "rsp_lanes_i & rsp_has & ~(rsp_begin & ~rsp_has)", 2},
        {"found lanes are those that were accepted", "cw_first_read_table", "found_lanes_q  <= record;",
         "found_lanes_q  <= judge_q & {LANES{|record}};", 2}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

static void begin(struct dut *d, uint64_t warp, uint64_t lanes)
{
    d->in.beg_valid = 1;
    d->in.beg_warp = warp;
    d->in.beg_lanes = lanes;
    dut_cycle(d);
}

static void load(struct dut *d, uint64_t warp, uint64_t lanes, uint64_t now)
{
    d->in.load_valid = 1;
    d->in.load_warp = warp;
    d->in.load_lanes = lanes;
    d->in.now = now;
    dut_cycle(d);
}

static void respond(struct dut *d, uint64_t warp, uint64_t lanes, uint64_t written)
{
    d->in.rsp_valid = 1;
    d->in.rsp_warp = warp;
    d->in.rsp_lanes = lanes;
    d->in.rsp_written = written;
    dut_cycle(d);
}

/* Lanes in conflict. */
static uint64_t ask(struct dut *d, uint64_t warp)
{
    d->in.qry_valid = 1;
    d->in.qry_warp = warp;
    dut_cycle(d);
    dut_cycle(d);
    assert_int_equal(d->out.ans_valid, 1);
    return d->out.ans_conflict;
}

/* Fung 2015, Figure 6.8: first load of 0x10 at T = 1, 0x30 was last written at 0, 0x20 at 15. */
static void test_first_read_table__figure_6_8(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &core, backends[b]);
        begin(&d, 3, 4);
        load(&d, 3, 4, 1);
        respond(&d, 3, 4, 0);
        load(&d, 3, 4, 10);
        respond(&d, 3, 4, 0);
        assert_int_equal(ask(&d, 3), 0);
        assert_int_equal(d.out.ans_read, 4);
        load(&d, 3, 4, 18);
        respond(&d, 3, 4, 15);
        dut_cycle(&d);
        dut_cycle(&d);
        assert_int_equal(d.out.found_valid, 1);
        assert_int_equal(d.out.found_warp, 3);
        assert_int_equal(d.out.found_lanes, 4);
        assert_int_equal(ask(&d, 3), 4);
        begin(&d, 3, 4);
        assert_int_equal(ask(&d, 3), 0);
        assert_int_equal(d.out.ans_read, 0);
        dut_close(&d);
    }
}

static void test_first_read_table__threads_have_their_own_time(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &core, backends[b]);
        for (uint64_t warp = 0; warp < 48; warp++)
            for (uint64_t lane = 0; lane < 32; lane++)
                load(&d, warp, 1u << lane, (1ull << 40) + 32 * warp + lane);
        for (uint64_t warp = 0; warp < 48; warp++)
            respond(&d, warp, 0xffffffff, (1ull << 40) + 32 * 20 + 7); /* later than the first loads of warps 0..19 and lanes 0..6 of 20 */
        for (uint64_t warp = 0; warp < 48; warp++)
            assert_int_equal(ask(&d, warp), warp < 20 ? 0xffffffff : warp == 20 ? 0x7f : 0);
        dut_close(&d);
    }
}

static void test_first_read_table__answer_covers_the_cycle_before(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &core, backends[b]);
        load(&d, 1, 1, 5);
        d.in.qry_valid = 1; /* in the response's own cycle: not covered */
        d.in.qry_warp = 1;
        respond(&d, 1, 1, 6);
        d.in.qry_valid = 1; /* in the next: covered */
        d.in.qry_warp = 1;
        dut_cycle(&d);
        assert_int_equal(d.out.ans_conflict, 0);
        dut_cycle(&d);
        assert_int_equal(d.out.ans_conflict, 1);
        dut_close(&d);
    }
}

static void test_first_read_table__rebase_makes_times_zero(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &core, backends[b]);
        load(&d, 2, 1, UINT64_MAX);
        d.in.load_rebase = 1; /* lane 1 has no first read and gets none */
        load(&d, 2, 3, 0);
        respond(&d, 2, 3, 0); /* not written since the roll-over */
        assert_int_equal(ask(&d, 2), 0);
        assert_int_equal(d.out.ans_read, 1);
        respond(&d, 2, 3, 1);
        assert_int_equal(ask(&d, 2), 1);
        dut_close(&d);
    }
}

/* A lane begins in the cycle of its response, or in the next one: the response is of the attempt before, and marks nothing. */
static void test_first_read_table__a_late_response_does_not_mark_the_next_attempt(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t late = 0; late < 3; late++) {
            struct dut d;
            dut_open(&d, &core, backends[b]);
            load(&d, 5, 3, 7);
            for (uint32_t t = 0; t < 4; t++) {
                d.in = (in_t){.rsp_valid = t == 0, .rsp_warp = 5, .rsp_lanes = 3, .rsp_written = 8};
                d.in.beg_valid = d.in.load_valid = t == late; /* and loads again at once */
                d.in.beg_warp = d.in.load_warp = 5;
                d.in.beg_lanes = d.in.load_lanes = 1;
                d.in.now = 9;
                dut_cycle(&d);
                assert_int_equal(d.out.found_valid, t == 2);
                assert_int_equal(d.out.found_lanes, t != 2 ? 0 : late < 2 ? 2 : 3); /* what begins in t + 2 is reported still */
            }
            assert_int_equal(ask(&d, 5), 2);
            assert_int_equal(d.out.ans_read, 3);
            dut_close(&d);
        }
}

/* A warp that there is not; and nothing shows while nothing is answered. */
static void test_first_read_table__a_warp_that_there_is_not(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &core, backends[b]);
        load(&d, 48, 1, 7);
        load(&d, 47, 1, 7);
        respond(&d, 48, 1, 8);
        assert_int_equal(ask(&d, 48), 0);
        assert_int_equal(d.out.ans_read, 0);
        assert_int_equal(d.out.found_valid, 0);
        assert_int_equal(ask(&d, 47), 0);
        assert_int_equal(d.out.ans_read, 1);
        dut_cycle(&d);
        assert_int_equal(d.out.ans_valid | d.out.ans_read | d.out.ans_conflict | d.out.found_warp | d.out.found_lanes, 0);
        assert_int_equal(d.out.idle, 1);
        d.in.qry_valid = 1;
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.idle, 0);
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_first_read_table__fills),
    cmocka_unit_test(test_first_read_table__c_equals_rtl),
    cmocka_unit_test(test_first_read_table__broken_copies_are_caught),
    cmocka_unit_test(test_first_read_table__figure_6_8),
    cmocka_unit_test(test_first_read_table__threads_have_their_own_time),
    cmocka_unit_test(test_first_read_table__answer_covers_the_cycle_before),
    cmocka_unit_test(test_first_read_table__rebase_makes_times_zero),
    cmocka_unit_test(test_first_read_table__a_late_response_does_not_mark_the_next_attempt),
    cmocka_unit_test(test_first_read_table__a_warp_that_there_is_not),
};
CW_TEST_MAIN(tests)
