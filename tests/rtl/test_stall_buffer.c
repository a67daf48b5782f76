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
#include "fill/stall_buffer.h"

/*                               lines entries granule_w ts_w payload_w */
static const params_t getm = {4, 4, 30, 32, 24};
static const params_t minimal = {1, 1, 1, 1, 1};
static const params_t odd = {3, 5, 8, 4, 64};
static const params_t deep = {2, 16, 3, 6, 7};
static const params_t largest = {16, 16, 64, 64, 64};

/* Where the stimulus is: what was asked, and how often something happens. */
struct phase {
    uint64_t asked[2]; /* in the last cycle and the one before */
    uint64_t granules;
    uint32_t pushes, wakes, takes; /* of 8 cycles */
};

/* Few granules, so that lines fill up; a push is of the granule that was asked two cycles before. */
static void constrain(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct phase *phase = context;
    in_t *in = inputs;
    (void)last_out;
    if (phase->granules == 0 || cw_rng_below(rng, 256) == 0) {
        phase->granules = 1 + cw_rng_below(rng, 7);
        phase->pushes = 1 + cw_rng_below(rng, 8);
        phase->wakes = cw_rng_below(rng, 4);
        phase->takes = 1 + cw_rng_below(rng, 8);
    }
    in->ask_granule = cw_rng_below(rng, (uint32_t)phase->granules) * 0x5bd1e995u;
    in->wake_granule = cw_rng_below(rng, (uint32_t)phase->granules) * 0x5bd1e995u;
    in->push_granule = phase->asked[1];
    in->push_valid = cw_rng_below(rng, 8) < phase->pushes;
    in->wake_valid = cw_rng_below(rng, 8) < phase->wakes;
    in->retry_ready = cw_rng_below(rng, 8) < phase->takes;
    if (cw_rng_below(rng, 2) != 0)
        in->push_warpts &= 3; /* equal ones are common */
    if (cw_rng_below(rng, 8) != 0)
        in->drain = 0;
    phase->asked[1] = phase->asked[0];
    phase->asked[0] = in->ask_granule;
}

static const struct cw_lockstep_set sets[] = {
    {"getm", &getm, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0}, {"deep", &deep, 0}, {"largest", &largest, 0}};

static struct phase lockstep_phase;
static const struct cw_lockstep_bench bench = {&cw_stall_buffer_unit, sets, 5, constrain, &lockstep_phase};

static void test_stall_buffer__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_stall_buffer__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"the last of equals", "cw_stall_buffer", "req[REQ_W-1:PAYLOAD_W] < best_q[REQ_W-1:PAYLOAD_W]",
         "req[REQ_W-1:PAYLOAD_W] <= best_q[REQ_W-1:PAYLOAD_W]", 2},
        {"the scan before counts", "cw_stall_buffer", "best_valid_q <= 1'b0;", "best_valid_q <= best_valid_q;", 2},
        {"a question has not seen the push of its own cycle", "cw_stall_buffer", "place2_q && !pushed1_q && !pushed2_q;",
         "place2_q && !pushed1_q && (!pushed2_q || 1'b1);", 2},
        {"a full line has a place", "cw_stall_buffer", "ask_hit ? !(|(asked & full)) : free_below",
         "(ask_hit && (|full || 1'b1)) || free_below", 2},
        {"the question of the cycle before", "cw_stall_buffer", "slot2_q  <= slot1_q;", "slot2_q  <= ask_slot | (slot1_q & {SLOTS{1'b0}});",
         2},
        {"sleep wins over wake", "cw_stall_buffer", "((awake_q & ~sleeps) | woken) & used_next",
         "((awake_q | woken) & ~sleeps) & used_next", 2},
        {"an empty line stays awake", "cw_stall_buffer", "| woken) & used_next", "| woken) & (used_next | awake_q)", 2},
        {"an empty line is woken", "cw_stall_buffer", "if (used[i] && wake_valid_i)", "if (wake_valid_i)", 2},
        {"done while it is offered", "cw_stall_buffer", "done_valid_i && state_q == ST_TAKEN", "done_valid_i && state_q >= ST_OFFER", 2},
        {"a request that sleeps leaves", "cw_stall_buffer", "wire             leave  = done && !done_sleep_i;",
         "wire             leave  = done && (!done_sleep_i || &awake_q);", 2},
        {"push and leave in one cycle lose a count", "cw_stall_buffer", "occupancy_q + {8'd0, push} -",
         "occupancy_q + {8'd0, push && !leave} -", 2},
        {"drain counts at once", "cw_stall_buffer", "awake_q[i] || drain_q", "awake_q[i] || drain_q || drain_i", 2},
        {"one row for two entries", "cw_stall_buffer", "(l << ENTRY_W) + e;", "(l << ENTRY_W) + e / 2 * 2;", 2},
        {"the answer comes two cycles later", "cw_stall_buffer", "assign ask_place_o = place1_q;", "assign ask_place_o = place2_q;", 2},
        {"an answer from before the reset", "cw_stall_buffer", "place1_q  <= 1'b0;", "place1_q  <= free_below;", 2},
        {"what is done stays", "cw_stall_buffer", "& ~(best_oh_q & {SLOTS{leave}})", "& ~(best_oh_q & {SLOTS{leave && !push}})", 2},
        {"drain wakes for good", "cw_stall_buffer", "| woken) & used_next", "| woken | {LINES{drain_q}}) & used_next", 2},
        {"what is not offered shows", "cw_stall_buffer", "& {TS_W{retry_valid_o}}", "& {TS_W{state_q != ST_IDLE}}", 2},
        {"what is being retried is not pending", "cw_stall_buffer", "state_q != ST_IDLE || |awake",
         "(|state_q && state_q != ST_TAKEN) || |awake", 2},
        {"full lines only are counted", "cw_stall_buffer", "{4'd0, used[i]}", "{4'd0, full[i]}", 2}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Asks for a place, and pushes whatever the answer is. Three cycles. Returns the answer. */
static uint64_t push(struct dut *d, uint64_t granule, uint64_t warpts, uint64_t payload)
{
    d->in.ask_granule = granule;
    dut_cycle(d);
    dut_cycle(d);
    uint64_t place = d->out.ask_place;
    d->in.push_valid = 1;
    d->in.push_granule = granule;
    d->in.push_warpts = warpts;
    d->in.push_payload = payload;
    dut_cycle(d);
    return place;
}

static void wake(struct dut *d, uint64_t granule)
{
    d->in.wake_valid = 1;
    d->in.wake_granule = granule;
    dut_cycle(d);
}

/* Waits for an offer and takes it; returns its payload. Fails when none comes. */
static uint64_t take(struct dut *d)
{
    for (uint32_t i = 0; i < 300; i++) {
        d->in.retry_ready = 1;
        dut_cycle(d);
        if (d->out.retry_valid)
            return d->out.retry_payload;
    }
    fail_msg("no offer");
    return 0;
}

static void done(struct dut *d, uint64_t sleep)
{
    d->in.done_valid = 1;
    d->in.done_sleep = sleep;
    dut_cycle(d);
}

/* Takes an offer, which leaves. Returns its payload. */
static uint64_t retry(struct dut *d)
{
    uint64_t payload = take(d);
    done(d, 0);
    return payload;
}

/* Fails unless nothing is offered in the next cycles and nothing is pending. */
static void expect_quiet(struct dut *d)
{
    for (uint32_t i = 0; i < 40; i++) {
        dut_cycle(d);
        assert_int_equal(d->out.retry_valid, 0);
        assert_int_equal(d->out.pending, 0);
    }
}

static void test_stall_buffer__answers_a_cycle_later(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &minimal, backends[b]);
        d.in.ask_granule = 1;
        dut_cycle(&d);
        assert_int_equal(d.out.ask_place, 0); /* nothing was asked before */
        dut_cycle(&d);
        assert_int_equal(d.out.ask_place, 1);
        d.in.push_valid = d.in.push_granule = d.in.push_warpts = d.in.push_payload = 1;
        d.in.ask_granule = 1; /* in the cycle of the push: it is not seen */
        dut_cycle(&d);
        assert_int_equal(d.out.occupancy, 0);
        d.in.ask_granule = 1; /* now it is */
        dut_cycle(&d);
        assert_int_equal(d.out.occupancy, 1);
        assert_int_equal(d.out.lines_used, 1);
        assert_int_equal(d.out.ask_place, 1);
        dut_cycle(&d);
        assert_int_equal(d.out.ask_place, 0);
        dut_close(&d);
    }
}

static void test_stall_buffer__a_push_too_close_is_ignored(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &getm, backends[b]);
        for (uint64_t t = 0; t < 12; t++) { /* asked in every cycle, pushed from the third on: obeyed in 2, 5, 8, 11 */
            d.in.ask_granule = d.in.push_granule = 7;
            d.in.push_valid = 1;
            d.in.push_payload = t;
            dut_cycle(&d);
            assert_int_equal(d.out.occupancy, t / 3);
        }
        wake(&d, 7);
        for (uint64_t i = 0; i < 4; i++)
            assert_int_equal(retry(&d), 2 + 3 * i); /* equal times: the lowest entry */
        expect_quiet(&d);
        dut_close(&d);
    }
}

static void test_stall_buffer__no_place_and_the_push_is_ignored(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &getm, backends[b]);
        for (uint64_t i = 0; i < getm.entries; i++)
            assert_int_equal(push(&d, 1, 10 + i, i), 1);
        assert_int_equal(push(&d, 1, 0, 99), 0); /* its line is full */
        for (uint64_t g = 2; g <= getm.lines; g++)
            assert_int_equal(push(&d, g, 20 + g, 100 + g), 1);
        assert_int_equal(push(&d, 100, 0, 99), 0); /* no line is left */
        assert_int_equal(push(&d, 2, 21, 98), 1);  /* but a line that has one has room */
        dut_cycle(&d);
        assert_int_equal(d.out.occupancy, getm.entries + getm.lines);
        assert_int_equal(d.out.lines_used, getm.lines);
        for (uint64_t g = 1; g <= getm.lines; g++)
            wake(&d, g);
        static const uint64_t order[] = {0, 1, 2, 3, 98, 102, 103, 104};
        for (uint32_t i = 0; i < sizeof order / sizeof order[0]; i++)
            assert_int_equal(retry(&d), order[i]);
        expect_quiet(&d);
        assert_int_equal(d.out.occupancy, 0);
        assert_int_equal(d.out.lines_used, 0);
        dut_close(&d);
    }
}

static void test_stall_buffer__offers_the_smallest_and_of_equals_the_lowest(void **state)
{
    /* warpts of (granule, push): lines in the order of first pushes */
    static const uint64_t pushes[][2] = {{5, 30}, {6, 10}, {5, 10}, {6, 10}, {8, 5}, {5, 10}};
    static const uint64_t order[] = {2, 5, 1, 3, 0}; /* line of 5: entries 1, 2; then line of 6; granule 8 sleeps */
    enum { N = sizeof pushes / sizeof pushes[0] };
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &getm, backends[b]);
        for (uint64_t i = 0; i < N; i++)
            push(&d, pushes[i][0], pushes[i][1], i);
        expect_quiet(&d); /* asleep */
        wake(&d, 6);      /* two requests; the other line is woken during their scan */
        wake(&d, 5);
        assert_int_equal(retry(&d), 1); /* what was awake when the scan began */
        d.in = (in_t){0};
        for (uint32_t i = 0; i < N - 1; i++)
            if (order[i] != 1) {
                assert_int_equal(retry(&d), order[i]);
            }
        expect_quiet(&d);
        assert_int_equal(d.out.occupancy, 1);
        dut_close(&d);
    }
}

static void test_stall_buffer__an_offer_comes_n_plus_two_cycles_later(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint64_t n = 1; n <= getm.entries; n++) {
            struct dut d;
            dut_open(&d, &getm, backends[b]);
            for (uint64_t i = 0; i < n; i++)
                push(&d, 3, 40 - i, i);
            wake(&d, 3);
            uint64_t awake = d.cycle; /* the first cycle in which the line is seen awake */
            for (; d.cycle < awake + n + 2;) {
                dut_cycle(&d);
                assert_int_equal(d.out.retry_valid, 0);
                assert_int_equal(d.out.retry_warpts, 0);
                assert_int_equal(d.out.pending, 1);
            }
            dut_cycle(&d);
            assert_int_equal(d.out.retry_valid, 1);
            assert_int_equal(d.out.retry_warpts, 41 - n);
            assert_int_equal(d.out.retry_granule, 3);
            dut_close(&d);
        }
}

static void test_stall_buffer__an_offer_does_not_change(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &getm, backends[b]);
        push(&d, 3, 20, 1);
        wake(&d, 3);
        for (uint64_t i = 0; i < 4; i++)
            dut_cycle(&d);
        push(&d, 3, 10, 2); /* into the awake line, older */
        push(&d, 4, 5, 3);
        wake(&d, 4);
        done(&d, 0); /* nothing has been taken: ignored */
        dut_cycle(&d);
        assert_int_equal(d.out.retry_valid, 1);
        assert_int_equal(d.out.retry_payload, 1);
        assert_int_equal(d.out.retry_granule, 3);
        assert_int_equal(d.out.occupancy, 3);
        assert_int_equal(retry(&d), 1);
        assert_int_equal(retry(&d), 3);
        assert_int_equal(retry(&d), 2);
        expect_quiet(&d);
        dut_close(&d);
    }
}

static void test_stall_buffer__one_that_waits_again_keeps_its_place(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &getm, backends[b]);
        push(&d, 3, 20, 1);
        push(&d, 3, 10, 2);
        wake(&d, 3);
        assert_int_equal(take(&d), 2);
        for (uint64_t i = 0; i < 5; i++) {
            dut_cycle(&d); /* being retried: nothing else is offered, and its place is kept */
            assert_int_equal(d.out.retry_valid, 0);
            assert_int_equal(d.out.pending, 1);
            assert_int_equal(d.out.occupancy, 2);
        }
        done(&d, 1);
        expect_quiet(&d);
        assert_int_equal(d.out.occupancy, 2);
        wake(&d, 3);
        assert_int_equal(take(&d), 2);
        d.in.wake_valid = 1; /* in the cycle in which it goes to sleep: the wake counts */
        d.in.wake_granule = 3;
        done(&d, 1);
        assert_int_equal(retry(&d), 2);
        assert_int_equal(retry(&d), 1);
        expect_quiet(&d);
        dut_close(&d);
    }
}

static void test_stall_buffer__a_wake_finds_what_was_there_before(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &getm, backends[b]);
        wake(&d, 3); /* nobody waits: nothing is remembered */
        d.in.ask_granule = 3;
        dut_cycle(&d);
        dut_cycle(&d);
        d.in.push_valid = d.in.wake_valid = 1; /* the push that opens the line is not seen */
        d.in.push_granule = d.in.wake_granule = 3;
        dut_cycle(&d);
        expect_quiet(&d);
        wake(&d, 4);
        expect_quiet(&d);
        wake(&d, 3);
        assert_int_equal(retry(&d), 0);
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
        assert_int_equal(d.out.pending, 0);
        dut_cycle(&d); /* drain is 0 again, and this cycle sees that it was 1 */
        assert_int_equal(d.out.pending, 1);
        assert_int_equal(retry(&d), getm.lines - 1);
        expect_quiet(&d); /* the others have never been awake on their own */
        for (uint64_t g = getm.lines - 1; g-- > 0;) {
            d.in.drain = 1;
            dut_cycle(&d);
            assert_int_equal(retry(&d), g);
        }
        dut_cycle(&d);
        assert_int_equal(d.out.occupancy, 0);
        dut_close(&d);
    }
}

static void test_stall_buffer__a_line_that_is_emptied_and_filled_again(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint64_t late = 0; late < 2; late++) { /* the push comes with the removal, or a cycle after it */
            struct dut d;
            dut_open(&d, &getm, backends[b]);
            push(&d, 3, 5, 1);
            wake(&d, 3);
            assert_int_equal(take(&d), 1);
            if (!late)
                dut_cycle(&d);
            d.in.ask_granule = 3; /* the line still holds the request that is being retried */
            dut_cycle(&d);
            if (late)
                done(&d, 0);
            else
                dut_cycle(&d);
            assert_int_equal(d.out.ask_place, 1);
            d.in.done_valid = !late;
            d.in.push_valid = 1;
            d.in.push_granule = 3;
            d.in.push_payload = 2;
            dut_cycle(&d);
            dut_cycle(&d);
            assert_int_equal(d.out.occupancy, 1);
            assert_int_equal(d.out.lines_used, 1);
            if (late)
                expect_quiet(&d); /* it was empty, so it fell asleep */
            else
                assert_int_equal(retry(&d), 2);
            push(&d, 3, 7, 3); /* the same granule: one line still */
            push(&d, 9, 7, 4);
            dut_cycle(&d);
            assert_int_equal(d.out.lines_used, 2);
            dut_close(&d);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_stall_buffer__fills),
    cmocka_unit_test(test_stall_buffer__c_equals_rtl),
    cmocka_unit_test(test_stall_buffer__broken_copies_are_caught),
    cmocka_unit_test(test_stall_buffer__answers_a_cycle_later),
    cmocka_unit_test(test_stall_buffer__a_push_too_close_is_ignored),
    cmocka_unit_test(test_stall_buffer__no_place_and_the_push_is_ignored),
    cmocka_unit_test(test_stall_buffer__offers_the_smallest_and_of_equals_the_lowest),
    cmocka_unit_test(test_stall_buffer__an_offer_comes_n_plus_two_cycles_later),
    cmocka_unit_test(test_stall_buffer__an_offer_does_not_change),
    cmocka_unit_test(test_stall_buffer__one_that_waits_again_keeps_its_place),
    cmocka_unit_test(test_stall_buffer__a_wake_finds_what_was_there_before),
    cmocka_unit_test(test_stall_buffer__drain_empties_sleeping_lines),
    cmocka_unit_test(test_stall_buffer__a_line_that_is_emptied_and_filled_again),
};
CW_TEST_MAIN(tests)
