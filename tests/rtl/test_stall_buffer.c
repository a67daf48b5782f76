/* SPDX-License-Identifier: Apache-2.0 */
/* Stall buffer: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/stall_buffer.h"

#include <stdio.h>

#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_stall_buffer_params params_t;
typedef struct cw_stall_buffer_in in_t;
typedef struct cw_stall_buffer_out out_t;

#define DUT_UNIT cw_stall_buffer_unit
#include "dut.h"

/*                               lines entries granule_w ts_w payload_w */
static const params_t getm = {4, 4, 30, 32, 24};
static const params_t minimal = {1, 1, 1, 1, 1};
static const params_t odd = {3, 5, 8, 4, 64};

static const struct cw_lockstep_set sets[] = {{"getm", &getm, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0}};

static const struct cw_lockstep_bench bench = {&cw_stall_buffer_unit, sets, 3, NULL, NULL};

static void test_stall_buffer__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_stall_buffer__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"youngest of equals", "cw_stall_buffer", "&& req_q[n*REQ_W + PAYLOAD_W +: TS_W] < min_req",
         "&& req_q[n*REQ_W + PAYLOAD_W +: TS_W] <= min_req", 2},
        {"highest line of equals", "cw_stall_buffer", "line_best[i*REQ_W + PAYLOAD_W +: TS_W] < best_req",
         "line_best[i*REQ_W + PAYLOAD_W +: TS_W] <= best_req", 2},
        {"wake misses the line that the push opens", "cw_stall_buffer", "push_here ? push_granule_i == wake_granule_i",
         "push_here ? used_oh[l] && push_granule_i == wake_granule_i", 2},
        {"sleep wins over wake", "cw_stall_buffer", "(awake_q & ~sleep_oh) | wake_oh", "(awake_q | wake_oh) & ~sleep_oh", 2},
        {"a freed line stays awake", "cw_stall_buffer", "| wake_oh) & held_oh", "| wake_oh) & (held_oh | pop_oh)", 2},
        {"removal shifts the older entries too", "cw_stall_buffer", "(min_oh << (ENTRIES - 1 - m)) != {ENTRIES{1'b0}}",
         "(min_oh << (ENTRIES - 1 - m)) != {ENTRIES{1'b0}} || pop", 2},
        {"push and pop in one cycle lose a count", "cw_stall_buffer", "else if (pop && !push)", "else if (pop)", 0}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Returns push_ready. */
static uint64_t push(struct dut *d, uint64_t granule, uint64_t warpts, uint64_t payload)
{
    d->in.push_valid = 1;
    d->in.push_granule = granule;
    d->in.push_warpts = warpts;
    d->in.push_payload = payload;
    dut_cycle(d);
    return d->out.push_ready;
}

static void wake(struct dut *d, uint64_t granule)
{
    d->in.wake_valid = 1;
    d->in.wake_granule = granule;
    dut_cycle(d);
}

/* Takes one request; fails when none is offered. Returns its payload. */
static uint64_t retry(struct dut *d)
{
    d->in.retry_ready = 1;
    dut_cycle(d);
    assert_int_equal(d->out.retry_valid, 1);
    return d->out.retry_payload;
}

static void test_stall_buffer__gives_smallest_warpts_then_oldest(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &getm, backends[b]);
        assert_int_equal(push(&d, 7, 30, 1), 1);
        assert_int_equal(push(&d, 7, 10, 2), 1);
        assert_int_equal(push(&d, 7, 20, 3), 1);
        assert_int_equal(push(&d, 7, 10, 4), 1);
        dut_cycle(&d);
        assert_int_equal(d.out.retry_valid, 0); /* asleep */
        assert_int_equal(d.out.occupancy, 4);
        assert_int_equal(d.out.lines_used, 1);
        wake(&d, 7);
        assert_int_equal(retry(&d), 2);
        assert_int_equal(d.out.retry_granule, 7);
        assert_int_equal(retry(&d), 4);
        assert_int_equal(retry(&d), 3);
        assert_int_equal(retry(&d), 1);
        dut_cycle(&d);
        assert_int_equal(d.out.retry_valid, 0);
        assert_int_equal(d.out.occupancy, 0);
        assert_int_equal(d.out.lines_used, 0);
        dut_close(&d);
    }
}

static void test_stall_buffer__full_is_seen_before_the_push(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &getm, backends[b]);
        for (uint64_t i = 0; i < getm.entries; i++)
            assert_int_equal(push(&d, 1, i, i), 1);
        assert_int_equal(push(&d, 1, 9, 9), 0); /* its line is full */
        for (uint64_t g = 2; g <= getm.lines; g++)
            assert_int_equal(push(&d, g, 0, 0), 1);
        assert_int_equal(push(&d, 100, 0, 0), 0); /* no line left */
        assert_int_equal(push(&d, 2, 0, 0), 1);   /* but its own line has room */
        d.in.push_granule = 100;                  /* without valid: the answer is the same */
        dut_cycle(&d);
        assert_int_equal(d.out.push_ready, 0);
        assert_int_equal(d.out.occupancy, getm.entries + getm.lines);
        dut_close(&d);
    }
}

static void test_stall_buffer__sleep_withdraws_and_wake_is_never_lost(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &getm, backends[b]);
        d.in.wake_valid = 1; /* in the very cycle of the push that opens the line */
        d.in.wake_granule = 5;
        push(&d, 5, 1, 11);
        d.in.sleep_valid = 1;
        d.in.sleep_granule = 5;
        dut_cycle(&d);
        assert_int_equal(d.out.retry_valid, 1);
        dut_cycle(&d);
        assert_int_equal(d.out.retry_valid, 0);
        d.in.sleep_valid = 1; /* with a wake of the same cycle: the wake wins */
        d.in.sleep_granule = 5;
        wake(&d, 5);
        assert_int_equal(retry(&d), 11);
        dut_close(&d);
    }
}

static void test_stall_buffer__drain_empties_sleeping_lines(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &getm, backends[b]);
        for (uint64_t g = 0; g < getm.lines; g++)
            push(&d, g, 10 - g, g);
        d.in.drain = 1;
        dut_cycle(&d);
        assert_int_equal(d.out.retry_valid, 0);
        for (uint64_t g = getm.lines; g-- > 0;) {
            d.in.drain = 1;
            assert_int_equal(retry(&d), g);
        }
        dut_cycle(&d);
        assert_int_equal(d.out.occupancy, 0);
        dut_close(&d);
    }
}

static void test_stall_buffer__line_survives_its_last_pop_when_pushed(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &getm, backends[b]);
        push(&d, 3, 5, 1);
        wake(&d, 3);
        d.in.retry_ready = 1; /* takes the line's only request while another arrives */
        push(&d, 3, 6, 2);
        assert_int_equal(d.out.retry_payload, 1);
        assert_int_equal(retry(&d), 2); /* still awake */
        dut_cycle(&d);
        assert_int_equal(d.out.lines_used, 0);
        push(&d, 3, 7, 3); /* a new line is asleep */
        dut_cycle(&d);
        assert_int_equal(d.out.retry_valid, 0);
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_stall_buffer__c_equals_rtl),
    cmocka_unit_test(test_stall_buffer__broken_copies_are_caught),
    cmocka_unit_test(test_stall_buffer__gives_smallest_warpts_then_oldest),
    cmocka_unit_test(test_stall_buffer__full_is_seen_before_the_push),
    cmocka_unit_test(test_stall_buffer__sleep_withdraws_and_wake_is_never_lost),
    cmocka_unit_test(test_stall_buffer__drain_empties_sleeping_lines),
    cmocka_unit_test(test_stall_buffer__line_survives_its_last_pop_when_pushed),
};
CW_TEST_MAIN(tests)
