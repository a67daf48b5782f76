/* SPDX-License-Identifier: Apache-2.0 */
/* Version index table: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/version_index_table.h"

#include <stdbool.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_version_index_table_params params_t;
typedef struct cw_version_index_table_in in_t;
typedef struct cw_version_index_table_out out_t;

#define DUT_UNIT cw_version_index_table_unit
#include "dut.h"
#include "fill/version_index_table.h"

/*                               row_w stride_w time_w count_w versions regions */
static const params_t table = {20, 12, 32, 11, 8, 32};
static const params_t minimal = {2, 1, 2, 1, 2, 1};
static const params_t odd = {7, 5, 6, 4, 5, 3};
static const params_t many = {30, 16, 32, 16, 16, 64};
static const params_t few = {8, 3, 4, 3, 3, 5}; /* times run over */

enum { TABLE, MINIMAL, ODD, MANY, FEW, SETS };

/* The time up to which versions have been closed, or tried to be. */
static uint64_t lockstep_time;

/* Few rows, of regions that are in order, and times that mostly grow by little, so that versions live through all their states. A restart is
 * rare: it ends all of that. */
static void few_rows(void *context, struct cw_rng *rng, const void *last_out, void *in)
{
    in_t *i = in;
    uint64_t *time = context;
    (void)last_out;
    if (cw_rng_below(rng, 16) != 0) {
        i->qry_row &= 63;
        i->set_first &= 31;
        i->set_end = i->set_first + cw_rng_below(rng, 16);
        i->set_far = i->set_end + cw_rng_below(rng, 16);
    }
    i->set_valid = cw_rng_below(rng, 32) == 0;
    i->qry_time = *time - cw_rng_below(rng, 8);
    if (cw_rng_below(rng, 4) != 0) {
        i->op_slot &= 3;
        i->op_cnt &= 3;
    }
    if (i->op_kind == CW_VERSION_RESTART && cw_rng_below(rng, 32) != 0)
        i->op_kind = CW_VERSION_CLOSE;
    if (i->op_kind == CW_VERSION_RENUMBER && cw_rng_below(rng, 4) != 0)
        i->op_kind = CW_VERSION_FREE;
    i->op_time = *time + cw_rng_below(rng, 3);
    if (i->op_valid && i->op_kind >= CW_VERSION_RESTART)
        i->op_time = cw_rng_below(rng, 4);
    if (i->op_valid && (i->op_kind >= CW_VERSION_RESTART || i->op_kind == CW_VERSION_CLOSE))
        *time = i->op_time;
}

static const struct cw_lockstep_set sets[SETS] = {
    {"table", &table, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0}, {"many", &many, 0}, {"few", &few, 0}};

static const struct cw_lockstep_bench bench = {&cw_version_index_table_unit, sets, SETS, few_rows, &lockstep_time};

static void test_version_index_table__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

#define UNIT "cw_version_index_table"
static void test_version_index_table__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"a version that is not readable is read", UNIT, "? readable & in_time :", "? in_time :", TABLE},
        {"a version from after the begin is read", UNIT, "? readable & in_time :", "? readable & (in_time | readable) :", TABLE},
        {"a version of the moment of the begin is not read", UNIT, "in_time[v]  = time_q <= qry_time_i",
         "in_time[v]  = time_q < qry_time_i", TABLE},
        {"not the youngest of those that may be read", UNIT, "|(candidate & younger_q)", "|(readable & younger_q)", ODD},
        {"a version that closes anew stays old", UNIT, "at_oh[v] ? {VERSIONS{1'b0}} : younger_q | at_oh", "younger_q | at_oh", FEW},
        {"a version with readers is freed", UNIT, "at_count == COUNT_0 && !at_newest", "!at_newest", TABLE},
        {"the newest version is freed", UNIT, "at_count == COUNT_0 && !at_newest", "at_count == COUNT_0", TABLE},
        {"a version is closed that is still being copied", UNIT, "== CLOSE   && at_state == S2", "== CLOSE   && !at_state[1]", TABLE},
        {"times wrap", UNIT, "op_time_i > newest_time", "op_time_i != newest_time", FEW},
        {"two versions of one time", UNIT, "op_time_i > newest_time", "op_time_i >= newest_time", TABLE},
        {"a count wraps above", UNIT, "!(|sum[SUM_W-1:COUNT_W])", "!(|sum[SUM_W-1:COUNT_W] && 1'b0)", FEW},
        {"a count wraps below", UNIT, "at_state == S3 && !rest[SUM_W-1]", "at_state == S3 && (!rest[SUM_W-1] || rest[SUM_W-1])", TABLE},
        {"a restart leaves the readers", UNIT, "else if (restart)\n                        count_q <= COUNT_0;", "else count_q <= count_q;",
         ODD},
        {"a restart leaves the states", UNIT, "else if (restart)\n                        state_q <= S4;", "else state_q <= state_q;", ODD},
        {"a version with readers gets another time", UNIT, "&& at_count == COUNT_0 && readable == at_oh", "&& readable == at_oh", FEW},
        {"the newest of two gets another time", UNIT, "&& at_count == COUNT_0 && readable == at_oh", "&& at_count == COUNT_0", FEW},
        {"the row behind a region has versions", UNIT, "versioned = qry_row_i < end_q", "versioned = qry_row_i <= end_q", TABLE},
        {"the last displaced row is forgotten", UNIT, "qry_row_i < far_q", "qry_row_i + 1'b1 < far_q", TABLE},
        {"the highest of two regions", UNIT, "hit & (~hit + ONE_R)", "hit & ~((hit + ONE_R - ONE_R) >> 1)", TABLE},
        {"what is displaced goes to its slot", UNIT, "versioned ? stride_q : {STRIDE_W{1'b0}}", "stride_q", TABLE},
        {"a look-up sees the region of its own cycle", UNIT, "hit[r] = used_q && first_q",
         "hit[r] = (used_q && !(set && !set_used_i)) && first_q", TABLE},
        {"a region is never taken out", UNIT, "used_q <= set_used_i;", "used_q <= set_used_i || used_q;", TABLE},
        {"kind 3 looks for the newest", UNIT, "qry_kind_i == NEWEST ? newest_oh_q",
         "qry_kind_i == NEWEST || qry_kind_i == 2'd3 ? newest_oh_q", TABLE},
        {"what is not found shows its slot", UNIT, "ans_found_q     <= valid_q && versioned_q && found_q",
         "ans_found_q     <= valid_q && versioned_q", ODD},
        {"an operation on no slot is allowed", UNIT, "allowed  = at_any && (", "allowed  = (", ODD},
        {"a refusal is told a cycle late", UNIT, "op_refused_o    = refused_q", "op_refused_o    = refused_q && !op_valid_i", TABLE},
        {"a version is readable when it is ready", UNIT, "readable[v] = state_q == S3", "readable[v] = state_q == S3 || state_q == S2",
         TABLE},
        {"a free version is called copying", UNIT, "copy ? S1 : ready", "copy ? S2 : ready", TABLE},
        {"idle while an answer is due", UNIT, "!valid_q && !ans_valid_q", "!ans_valid_q", TABLE},
        {"a reset leaves the regions", UNIT, "if (rst_i)\n                    used_q <= 1'b0;\n                else if (set)", "if (set)",
         TABLE},
        {"a region that there is not is the first", UNIT, "set_valid_i && set_index_i == R[5:0]",
         "set_valid_i && (set_index_i == R[5:0] || (r == 0 && {26'd0, set_index_i} >= REGIONS))", ODD},
        {"an answer without a version has a row", UNIT, "!valid_q || lost", "!valid_q || (lost && !lost)", ODD}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Directed */

/* Whether it is allowed. */
static bool operate(struct dut *d, uint64_t kind, uint64_t slot, uint64_t value)
{
    d->in.op_valid = 1;
    d->in.op_kind = kind;
    d->in.op_slot = slot;
    d->in.op_time = d->in.op_cnt = value;
    dut_cycle(d);
    dut_eval(d);
    return d->out.op_refused == 0;
}

/* The answer, which is two cycles later. */
static void look(struct dut *d, uint64_t kind, uint64_t row, uint64_t value)
{
    d->in.qry_valid = 1;
    d->in.qry_kind = kind;
    d->in.qry_row = row;
    d->in.qry_time = d->in.qry_slot = value;
    dut_cycle(d);
    dut_eval(d);
    assert_int_equal(d->out.ans_valid, 0);
    dut_cycle(d);
    dut_eval(d);
    assert_int_equal(d->out.ans_valid, 1);
}

static uint64_t row_at(struct dut *d, uint64_t row, uint64_t time)
{
    look(d, CW_VERSION_SNAPSHOT, row, time);
    assert_int_equal(d->out.ans_found, d->out.ans_versioned);
    return d->out.ans_row;
}

static void set(struct dut *d, uint64_t index, uint64_t first, uint64_t end, uint64_t far, uint64_t stride, uint64_t spare)
{
    d->in.set_valid = d->in.set_used = 1;
    d->in.set_index = index;
    d->in.set_first = first;
    d->in.set_end = end;
    d->in.set_far = far;
    d->in.set_stride = stride;
    d->in.set_moved = spare - end;
    dut_cycle(d);
}

/* A version's way to S3. */
static void make(struct dut *d, uint64_t slot, uint64_t time)
{
    assert_true(operate(d, CW_VERSION_COPY, slot, 0));
    assert_true(operate(d, CW_VERSION_READY, slot, 0));
    assert_true(operate(d, CW_VERSION_CLOSE, slot, time));
}

/* Figure 6: the region at 0x800000, with rows of 0x10000 bytes: version 1 is in the next row of the bank. Its versions have the times 17, 123,
 * 193 and 255. Figure 5: what they displace is at 0xA00000. */
static void test_version_index_table__figures_5_and_6(void **state)
{
    static const params_t p = {16, 4, 32, 11, 4, 4};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &p, backends[b]);
        set(&d, 0, 0x80, 0x81, 0x84, 1, 0xa0);
        assert_true(operate(&d, CW_VERSION_RESTART, 0, 17));
        make(&d, 1, 123);
        make(&d, 2, 193);
        make(&d, 3, 255);
        assert_int_equal(row_at(&d, 0x80, 17), 0x80);
        assert_int_equal(row_at(&d, 0x80, 122), 0x80);
        assert_int_equal(row_at(&d, 0x80, 123), 0x81);
        assert_int_equal(row_at(&d, 0x80, 192), 0x81);
        assert_int_equal(row_at(&d, 0x80, 193), 0x82);
        assert_int_equal(row_at(&d, 0x80, 1000), 0x83);
        assert_int_equal(row_at(&d, 0x81, 123), 0xa0);
        assert_int_equal(row_at(&d, 0x83, 123), 0xa2);
        assert_int_equal(row_at(&d, 0x84, 123), 0x84);
        assert_int_equal(row_at(&d, 0x7f, 123), 0x7f);
        look(&d, CW_VERSION_NEWEST, 0x80, 0);
        assert_int_equal(d.out.ans_row, 0x83);
        look(&d, CW_VERSION_SNAPSHOT, 0x80, 16); /* from before all versions */
        assert_int_equal(d.out.ans_versioned, 1);
        assert_int_equal(d.out.ans_found, 0);
        assert_int_equal(d.out.ans_row, 0);
        dut_close(&d);
    }
}

/* Figure 4: copying, written to, readable, free, and nothing but a readable version is read. */
static void test_version_index_table__a_version_lives_through_four_states(void **state)
{
    static const params_t p = {16, 4, 32, 11, 2, 1};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &p, backends[b]);
        set(&d, 0, 4, 6, 8, 2, 100);
        const struct {
            uint64_t kind, slot, value, allowed, row, state_1; /* afterwards: row 5 at time 9 is there; state of slot 1 */
        } steps[] = {{CW_VERSION_READY, 1, 0, 0, 5, CW_VERSION_S4},   {CW_VERSION_COPY, 0, 0, 0, 5, CW_VERSION_S4},
                     {CW_VERSION_COPY, 1, 0, 1, 5, CW_VERSION_S1},    {CW_VERSION_CLOSE, 1, 5, 0, 5, CW_VERSION_S1},
                     {CW_VERSION_READY, 1, 0, 1, 5, CW_VERSION_S2},   {CW_VERSION_HOLD, 1, 1, 0, 5, CW_VERSION_S2},
                     {CW_VERSION_CLOSE, 1, 0, 0, 5, CW_VERSION_S2},   {CW_VERSION_HOLD, 0, 3, 1, 5, CW_VERSION_S2},
                     {CW_VERSION_CLOSE, 1, 5, 1, 7, CW_VERSION_S3},   {CW_VERSION_FREE, 0, 0, 0, 7, CW_VERSION_S3},
                     {CW_VERSION_RELEASE, 0, 4, 0, 7, CW_VERSION_S3}, {CW_VERSION_RELEASE, 0, 2, 1, 7, CW_VERSION_S3},
                     {CW_VERSION_FREE, 0, 0, 0, 7, CW_VERSION_S3},    {CW_VERSION_RELEASE, 0, 1, 1, 7, CW_VERSION_S3},
                     {CW_VERSION_FREE, 1, 0, 0, 7, CW_VERSION_S3},    {CW_VERSION_FREE, 0, 0, 1, 7, CW_VERSION_S3},
                     {CW_VERSION_COPY, 2, 0, 0, 7, CW_VERSION_S3}};
        for (uint32_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            assert_int_equal(operate(&d, steps[i].kind, steps[i].slot, steps[i].value), steps[i].allowed);
            assert_int_equal(row_at(&d, 5, 9), steps[i].row);
            look(&d, CW_VERSION_SLOT, 4, 1);
            assert_int_equal(d.out.ans_state, steps[i].state_1);
            assert_int_equal(d.out.ans_row, 6);
        }
        look(&d, CW_VERSION_SLOT, 4, 2);
        assert_int_equal(d.out.ans_found, 0);
        dut_close(&d);
    }
}

/* Times and counts end at their largest value, and go on after a restart. */
static void test_version_index_table__times_and_counts_run_over(void **state)
{
    static const params_t p = {16, 4, 6, 4, 2, 1};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &p, backends[b]);
        for (uint64_t time = 1; time < 64; time++) {
            make(&d, time % 2, time);
            assert_true(operate(&d, CW_VERSION_FREE, 1 - time % 2, 0));
        }
        assert_true(operate(&d, CW_VERSION_COPY, 0, 0));
        assert_true(operate(&d, CW_VERSION_READY, 0, 0));
        assert_false(operate(&d, CW_VERSION_CLOSE, 0, 64)); /* 64 is 0 */
        assert_true(operate(&d, CW_VERSION_HOLD, 1, 15));
        assert_false(operate(&d, CW_VERSION_HOLD, 1, 1));
        assert_int_equal(d.out.readable, 2);
        assert_int_equal(d.out.held, 2);
        assert_false(operate(&d, CW_VERSION_RENUMBER, 1, 0)); /* it is read */
        assert_true(operate(&d, CW_VERSION_RELEASE, 1, 15));
        assert_true(operate(&d, CW_VERSION_RENUMBER, 1, 0));
        assert_true(operate(&d, CW_VERSION_CLOSE, 0, 1)); /* it has kept its state */
        assert_false(operate(&d, CW_VERSION_RENUMBER, 0, 2));
        assert_true(operate(&d, CW_VERSION_RESTART, 0, 0));
        assert_int_equal(d.out.readable, 1);
        assert_int_equal(d.out.held, 0);
        make(&d, 1, 1);
        dut_close(&d);
    }
}

/* Regions 1 and 3 of `few` overlap; sums run over 2^8. Region 5 does not exist. */
static void test_version_index_table__the_lowest_region(void **state)
{
    static const in_t low = {.set_index = 1, .set_used = 1, .set_first = 11, .set_end = 30, .set_far = 30, .set_stride = 1};
    static const in_t high = {
        .set_index = 3, .set_used = 1, .set_first = 10, .set_end = 12, .set_far = 20, .set_shift = 250, .set_stride = 2, .set_moved = 245};
    static const in_t none = {.set_index = 5, .set_used = 1, .set_end = 255, .set_far = 255, .set_shift = 1};
    (void)state;
    for (int b = 0; b < 2; b++) {
        const in_t *const regions[] = {&low, &high, &none};
        struct dut d;
        dut_open(&d, &few, backends[b]);
        assert_int_equal(row_at(&d, 15, 0), 15); /* no region is used */
        for (uint32_t i = 0; i < 3; i++) {
            d.in = *regions[i];
            d.in.set_valid = 1;
            dut_cycle(&d);
        }
        assert_int_equal(row_at(&d, 10, 0), 4); /* 260 */
        assert_int_equal(row_at(&d, 11, 0), 11);
        make(&d, 1, 1);
        assert_int_equal(row_at(&d, 10, 1), 6);
        assert_int_equal(row_at(&d, 11, 1), 12);
        assert_int_equal(row_at(&d, 29, 1), 30);
        assert_int_equal(row_at(&d, 30, 1), 30);
        assert_int_equal(row_at(&d, 9, 1), 9);
        d.in = low;
        d.in.set_valid = d.in.qry_valid = 1;
        d.in.set_used = 0;
        d.in.qry_row = 15;
        d.in.qry_time = 1;
        dut_cycle(&d); /* region 1 is there up to the end of this cycle */
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.ans_versioned, 1);
        assert_int_equal(d.out.ans_row, 16);
        look(&d, CW_VERSION_SNAPSHOT, 15, 1);
        assert_int_equal(d.out.ans_versioned + d.out.ans_found + d.out.ans_slot + d.out.ans_state, 0);
        assert_int_equal(d.out.ans_row, 4); /* displaced, by region 3: 260 */
        assert_int_equal(row_at(&d, 20, 1), 20);
        dut_close(&d);
    }
}

/* A look-up and an operation per cycle: the look-up sees the table as before the operation, and its answer comes two cycles later. */
static void test_version_index_table__one_per_cycle(void **state)
{
    static const struct {
        uint64_t op, kind, value;         /* of slot 1; look-up of row 5; op_time, op_cnt and qry_time */
        uint64_t refused, readable, held; /* in the next cycle */
        uint64_t slot, answer, row;       /* in two cycles */
    } steps[] = {{CW_VERSION_COPY, CW_VERSION_SLOT, 0, 0, 1, 0, 1, CW_VERSION_S4, 7},
                 {CW_VERSION_READY, CW_VERSION_SLOT, 0, 0, 1, 0, 1, CW_VERSION_S1, 7},
                 {CW_VERSION_CLOSE, CW_VERSION_SLOT + 1, 3, 0, 3, 0, 1, CW_VERSION_S2, 7},
                 {CW_VERSION_READY, CW_VERSION_NEWEST, 3, 1, 3, 0, 1, CW_VERSION_S3, 7},
                 {CW_VERSION_HOLD, CW_VERSION_SNAPSHOT, 2, 0, 3, 2, 0, CW_VERSION_S3, 5},
                 {CW_VERSION_HOLD, CW_VERSION_SNAPSHOT, 5, 0, 3, 2, 1, CW_VERSION_S3, 7},
                 {CW_VERSION_HOLD, CW_VERSION_NEWEST, 1, 1, 3, 2, 1, CW_VERSION_S3, 7},
                 {CW_VERSION_FREE, CW_VERSION_SLOT, 0, 1, 3, 2, 1, CW_VERSION_S3, 7},
                 {CW_VERSION_RELEASE, CW_VERSION_SLOT, 7, 0, 3, 0, 1, CW_VERSION_S3, 7},
                 {CW_VERSION_RELEASE, CW_VERSION_SLOT, 1, 1, 3, 0, 1, CW_VERSION_S3, 7}};
    enum { STEPS = sizeof steps / sizeof steps[0] };
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &few, backends[b]);
        set(&d, 4, 4, 6, 8, 2, 6);
        dut_cycle(&d);
        assert_int_equal(d.out.idle, 1);
        for (uint32_t i = 0; i < STEPS + 2; i++) {
            if (i < STEPS) {
                d.in.op_valid = d.in.qry_valid = d.in.op_slot = d.in.qry_slot = 1;
                d.in.op_kind = steps[i].op;
                d.in.op_time = d.in.op_cnt = d.in.qry_time = steps[i].value;
                d.in.qry_kind = steps[i].kind;
                d.in.qry_row = 5;
            }
            dut_eval(&d);
            const bool answer = i >= 2;
            assert_int_equal(d.out.ans_valid, answer);
            assert_int_equal(d.out.ans_found, answer);
            assert_int_equal(d.out.ans_slot, answer ? steps[i - 2].slot : 0);
            assert_int_equal(d.out.ans_state, answer ? steps[i - 2].answer : 0);
            assert_int_equal(d.out.ans_row, answer ? steps[i - 2].row : 0);
            assert_int_equal(d.out.idle, i == 0);
            if (i > 0 && i <= STEPS) {
                assert_int_equal(d.out.op_refused, steps[i - 1].refused);
                assert_int_equal(d.out.readable, steps[i - 1].readable);
                assert_int_equal(d.out.held, steps[i - 1].held);
            }
            dut_tick(&d);
        }
        for (int i = 0; i < 20; i++) {
            dut_cycle(&d);
            assert_int_equal(d.out.idle, 1);
            assert_int_equal(d.out.ans_valid + d.out.ans_found + d.out.ans_slot + d.out.ans_state + d.out.ans_row + d.out.op_refused, 0);
        }
        assert_int_equal(d.out.readable, 3);
        dut_close(&d);
    }
}

/* A restart, and a reset: which version is left, and who reads. */
static void test_version_index_table__what_is_left(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &few, backends[b]);
        set(&d, 0, 4, 6, 8, 2, 6);
        make(&d, 1, 3);
        make(&d, 2, 5);
        assert_true(operate(&d, CW_VERSION_HOLD, 1, 7));
        assert_true(operate(&d, CW_VERSION_HOLD, 2, 1));
        assert_true(operate(&d, CW_VERSION_RESTART, 2, 4));
        assert_int_equal(d.out.readable, 4);
        assert_int_equal(d.out.held, 0);
        assert_int_equal(row_at(&d, 5, 4), 9);
        look(&d, CW_VERSION_SNAPSHOT, 5, 3);
        assert_int_equal(d.out.ans_found, 0);
        assert_false(operate(&d, CW_VERSION_RELEASE, 2, 1));
        make(&d, 1, 5); /* it was in S4 */
        d.inst.ops->reset(d.inst.self);
        dut_eval(&d);
        assert_int_equal(d.out.readable, 1);
        assert_int_equal(d.out.held, 0);
        assert_int_equal(row_at(&d, 5, 15), 5); /* of no region */
        set(&d, 0, 4, 6, 8, 2, 6);
        look(&d, CW_VERSION_SNAPSHOT, 5, 0);
        assert_int_equal(d.out.ans_found, 1);
        assert_int_equal(d.out.ans_slot, 0);
        look(&d, CW_VERSION_SLOT, 5, 1);
        assert_int_equal(d.out.ans_state, CW_VERSION_S4);
        dut_close(&d);
    }
}

static void slot_at(struct dut *d, uint64_t time, uint64_t slot)
{
    look(d, CW_VERSION_SNAPSHOT, 8, time);
    assert_int_equal(d->out.ans_found, 1);
    assert_int_equal(d->out.ans_slot, slot);
}

/* Of two versions the one that was closed later is the younger, whichever slots they have: all pairs of five slots. */
static void test_version_index_table__the_younger_of_each_pair(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        set(&d, 0, 8, 9, 12, 1, 32);
        for (uint64_t older = 0; older < 5; older++)
            for (uint64_t younger = 0; younger < 5; younger++) {
                if (older == younger)
                    continue;
                const uint64_t third = older != 1 && younger != 1   ? 1
                                       : older != 2 && younger != 2 ? 2
                                                                    : 3; /* so that slot 0 can be made anew */
                assert_true(operate(&d, CW_VERSION_RESTART, 0, 1));
                make(&d, third, 2);
                assert_true(operate(&d, CW_VERSION_FREE, 0, 0));
                make(&d, older, 3);
                make(&d, younger, 5);
                slot_at(&d, 2, third);
                slot_at(&d, 3, older);
                slot_at(&d, 4, older);
                slot_at(&d, 5, younger);
                slot_at(&d, 60, younger);
            }
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_version_index_table__fills),
    cmocka_unit_test(test_version_index_table__c_equals_rtl),
    cmocka_unit_test(test_version_index_table__broken_copies_are_caught),
    cmocka_unit_test(test_version_index_table__figures_5_and_6),
    cmocka_unit_test(test_version_index_table__a_version_lives_through_four_states),
    cmocka_unit_test(test_version_index_table__times_and_counts_run_over),
    cmocka_unit_test(test_version_index_table__the_lowest_region),
    cmocka_unit_test(test_version_index_table__one_per_cycle),
    cmocka_unit_test(test_version_index_table__what_is_left),
    cmocka_unit_test(test_version_index_table__the_younger_of_each_pair),
};
CW_TEST_MAIN(tests)
