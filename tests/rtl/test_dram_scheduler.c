/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduler of a DRAM channel: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/dram_scheduler.h"

#include <stdbool.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_dram_scheduler_params params_t;
typedef struct cw_dram_scheduler_in in_t;
typedef struct cw_dram_scheduler_out out_t;

#define DUT_UNIT cw_dram_scheduler_unit
#include "dut.h"
#include "fill/dram_scheduler.h"

enum kind { READ, WRITE, ACTIVATE, PRECHARGE };

/*                            queue bank group row tag rcd ras rp rc rrd ccd ccdl rtw wtr rtp wtp cap */
static const params_t gddr5 = {32, 4, 2, 24, 5, 12, 28, 12, 40, 6, 2, 3, 12, 11, 2, 18, 2144};
static const params_t minimal = {1, 1, 1, 1, 1, 4, 4, 1, 1, 1, 1, 2, 1, 1, 2, 2, 1};
static const params_t odd = {5, 3, 1, 3, 3, 4, 7, 3, 9, 3, 2, 4, 5, 6, 3, 7, 60};
static const params_t tight = {7, 2, 4, 2, 3, 4, 4, 1, 1, 1, 1, 2, 1, 3, 2, 2, 12};
/* Rows that are open, and opened again, for longer than all else takes. */
static const params_t rows = {3, 1, 1, 1, 2, 4, 14, 3, 20, 3, 1, 2, 2, 2, 2, 2, 40};
static const params_t slow = {3, 1, 1, 2, 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 65535};
static const params_t largest = {64, 6, 4, 32, 8, 22, 53, 22, 75, 6, 2, 4, 24, 10, 6, 24, 8000};

enum { GDDR5, MINIMAL, ODD, TIGHT, ROWS, SLOW, LARGEST, SETS };

/* Phases: the queue is full; it is nearly empty; most requests are of one row; of one bank and many rows. Rows and banks are few, so that
 * requests hit. */
static void phases(void *context, struct cw_rng *rng, const void *last_out, void *in)
{
    static uint32_t phase, bank, row;
    in_t *i = in;
    (void)context;
    (void)last_out;
    if (cw_rng_below(rng, 256) == 0) {
        phase = cw_rng_below(rng, 5);
        bank = cw_rng_below(rng, 64);
        row = cw_rng_below(rng, 4);
    }
    i->step = cw_rng_below(rng, 8) != 0;
    i->push_valid = cw_rng_below(rng, 16) < (phase == 1 ? 1u : phase == 4 ? 0u : 12u);
    if (cw_rng_below(rng, 32) != 0)
        i->push_row &= 3;
    i->push_bursts = cw_rng_below(rng, 3) != 0 ? 0 : i->push_bursts;
    if (phase >= 2 && cw_rng_below(rng, 8) != 0)
        i->push_bank = bank;
    if (phase == 2 && cw_rng_below(rng, 16) != 0)
        i->push_row = row;
}

static const struct cw_lockstep_set sets[SETS] = {{"gddr5", &gddr5, 0},    {"minimal", &minimal, 0}, {"odd", &odd, 0},
                                                  {"tight", &tight, 0},    {"rows", &rows, 0},       {"slow", &slow, 0},
                                                  {"largest", &largest, 0}};

static const struct cw_lockstep_bench bench = {&cw_dram_scheduler_unit, sets, SETS, phases, NULL};

static void test_dram_scheduler__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_dram_scheduler__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"a place is free that is taken", "cw_dram_scheduler_queue", "full_o   = valid_q[QUEUE-1]", "full_o   = valid_q[QUEUE-1] && 1'b0",
         ODD},
        {"requests do not move up", "cw_dram_scheduler_queue", "up     = from(gone)", "up     = gone", ODD},
        {"times pass without step", "cw_dram_scheduler_timer", "step_i && !ready_o", "(step_i || !ready_o) && !ready_o", ODD},
        {"a command is told again", "cw_dram_scheduler", "valid_q         <= !rst_i && give;",
         "valid_q         <= !rst_i && (give || valid_q);", ODD},
        {"a closed bank stays open", "cw_dram_scheduler_banks", " & ~(cmd_oh_i & {BANKS{precharge_i}})", "", ODD},
        {"a request has one burst", "cw_dram_scheduler_queue", "= bursts_q == 3'd0;", "= bursts_q == 3'd0 || 1'b1;", ODD},
        {"each request of an opened bank hits", "cw_dram_scheduler_queue", "is_moved & is_row &", "is_moved & (is_row | is_moved) &", ODD},
        {"a request that comes does not hit", "cw_dram_scheduler", ".put_hit_i      (put_hit)", ".put_hit_i      (put_hit && 1'b0)", ODD},
        {"a row is closed that a request hits", "cw_dram_scheduler_choice", "late_i ? (first & oldest_i) == {QUEUE{1'b0}} : !hits_i[b]",
         "late_i || !hits_i[b] || !first[0]", ODD},
        {"rc", "cw_dram_scheduler_banks", ".TIME_A(RC)", ".TIME_A(1)", ROWS},
        {"rp", "cw_dram_scheduler_banks", ".TIME_B(RP)", ".TIME_B(1)", ODD},
        {"rrd", "cw_dram_scheduler_banks", ".TIME_A(RRD)", ".TIME_A(1)", ODD},
        {"rcd", "cw_dram_scheduler_banks", ".TIME_A(RCD)", ".TIME_A(RCD - 1)", ODD},
        {"ccdl", "cw_dram_scheduler_banks", ".TIME_A(CCDL)", ".TIME_A(CCDL - 1)", ODD},
        {"the group is the bank", "cw_dram_scheduler_banks", "GROUP_W < BANK_W ? GROUP_W", "GROUP_W < BANK_W ? BANK_W", ODD},
        {"wtr", "cw_dram_scheduler_banks", "longer(CCD, WTR)", "CCD", ODD},
        {"rtw", "cw_dram_scheduler_banks", "longer(CCD, RTW)", "CCD", ODD},
        {"ras", "cw_dram_scheduler_banks", ".TIME_A(RAS)", ".TIME_A(3)", ROWS},
        {"rtp", "cw_dram_scheduler_banks", ".TIME_B(RTP)", ".TIME_B(2)", ODD},
        {"wtp", "cw_dram_scheduler_banks", ".TIME_C(WTP)", ".TIME_C(2)", ODD},
        {"the youngest goes first", "cw_dram_scheduler_choice", "from(columns)", "from(|(columns >> 1) ? columns & ~oldest_i : columns)",
         ODD},
        {"rows are opened before others are read", "cw_dram_scheduler_choice", "is_column   = |columns;",
         "is_column   = |columns && !(|others);", ODD},
        {"late a cycle later", "cw_dram_scheduler_queue", "SOON    = AGE_CAP - 1", "SOON    = AGE_CAP", ODD},
        {"others are served, too", "cw_dram_scheduler_choice", "late_i ? all_columns & oldest_i : all_columns", "all_columns", ODD},
        {"a command of another request", "cw_dram_scheduler_queue", "given  = next(give_oh_i, up", "given  = next(give_oh_i, given_oh_q",
         ODD},
        {"a kind without a command", "cw_dram_scheduler", "cmd_kind & {2{give}}", "cmd_kind", ODD},
        {"a reset leaves rows open", "cw_dram_scheduler_banks", "open_q <= rst_i ? {BANKS{1'b0}}", "open_q <= rst_i ? open_q", ODD},
        {"empty with a request", "cw_dram_scheduler_queue", "any_o    = |(valid_q & oldest_o)",
         "any_o    = |(valid_q & oldest_o) && !put_i", ODD},
        {"idle while times run", "cw_dram_scheduler", "!any && rest", "!any && (rest || !any)", ODD}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Directed */

static void push(struct dut *d, bool write, uint64_t bank, uint64_t row, uint64_t bursts, uint64_t tag)
{
    d->in = (in_t){.push_valid = 1, .push_write = write, .push_bank = bank, .push_row = row, .push_bursts = bursts - 1, .push_tag = tag};
    dut_eval(d);
    assert_int_equal(d->out.push_ready, 1);
    dut_tick(d);
    dut_cycle(d); /* until it is looked at */
}

/* A command cycle; d->out has its command. */
static void step(struct dut *d)
{
    d->in = (in_t){.step = 1};
    dut_cycle(d);
    dut_eval(d);
}

/* Command cycles until a command is given, which is this one; `after` is how many cycles there are before it. */
static void given(struct dut *d, uint32_t after, enum kind kind, uint64_t bank, uint64_t row, uint64_t tag, bool last)
{
    for (uint32_t t = 0;; t++) {
        step(d);
        if (!d->out.cmd_valid) {
            assert_int_equal(d->out.cmd_kind | d->out.cmd_bank | d->out.cmd_row | d->out.cmd_tag | d->out.cmd_last, 0);
            assert_true(t < after);
            continue;
        }
        assert_int_equal(t, after);
        assert_int_equal(d->out.cmd_kind, kind);
        assert_int_equal(d->out.cmd_bank, bank);
        assert_int_equal(d->out.cmd_row, row);
        assert_int_equal(d->out.cmd_tag, tag);
        assert_int_equal(d->out.cmd_last, last);
        return;
    }
}

static void nothing(struct dut *d, uint32_t cycles)
{
    for (uint32_t t = 0; t < cycles; t++) {
        step(d);
        assert_int_equal(d->out.cmd_valid, 0);
    }
}

/* One request after the other, of one bank: each time that follows from a command. */
static void test_dram_scheduler__times_of_a_bank(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &gddr5, backends[b]);
        push(&d, false, 5, 100, 2, 1);
        given(&d, 0, ACTIVATE, 5, 100, 1, false);
        given(&d, 11, READ, 5, 0, 1, false); /* rcd = 12 */
        given(&d, 2, READ, 5, 0, 1, true);   /* ccdl = 3 */
        push(&d, false, 5, 200, 1, 2);
        given(&d, 12, PRECHARGE, 5, 0, 2, false);  /* 28 after the activate */
        given(&d, 11, ACTIVATE, 5, 200, 2, false); /* rp = 12, and 40 after the activate */
        given(&d, 11, READ, 5, 0, 2, true);
        nothing(&d, 20);
        push(&d, true, 5, 200, 1, 3);
        given(&d, 0, WRITE, 5, 0, 3, true);
        push(&d, false, 5, 201, 1, 4);
        given(&d, 17, PRECHARGE, 5, 0, 4, false); /* wtp = 18 */
        given(&d, 11, ACTIVATE, 5, 201, 4, false);
        nothing(&d, 11);
        given(&d, 0, READ, 5, 0, 4, true);
        nothing(&d, 30);
        push(&d, false, 5, 201, 1, 5);
        given(&d, 0, READ, 5, 0, 5, true);
        push(&d, false, 5, 202, 1, 6);
        given(&d, 1, PRECHARGE, 5, 0, 6, false); /* rtp = 2 */
        dut_close(&d);
    }
}

static void test_dram_scheduler__times_of_the_channel(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &gddr5, backends[b]);
        push(&d, false, 0, 7, 1, 0);
        push(&d, false, 1, 7, 2, 1);
        push(&d, true, 2, 7, 1, 2);
        push(&d, false, 4, 7, 1, 3); /* of the group of bank 0 */
        given(&d, 0, ACTIVATE, 0, 7, 0, false);
        given(&d, 5, ACTIVATE, 1, 7, 1, false); /* rrd = 6 */
        given(&d, 5, READ, 0, 0, 0, true);      /* before the third activate, which is allowed, too */
        given(&d, 0, ACTIVATE, 2, 7, 2, false);
        given(&d, 4, READ, 1, 0, 1, false);
        given(&d, 0, ACTIVATE, 4, 7, 3, false);
        given(&d, 1, READ, 1, 0, 1, true); /* ccdl = 3 */
        given(&d, 9, READ, 4, 0, 3, true); /* 12 after its activate; the write of bank 2, which is older, waits: rtw = 12 after a read */
        given(&d, 11, WRITE, 2, 0, 2, true);
        push(&d, false, 0, 7, 1, 4);
        push(&d, false, 4, 7, 1, 5);
        push(&d, false, 1, 7, 1, 6);
        given(&d, 10, READ, 0, 0, 4, true); /* wtr = 11 */
        given(&d, 1, READ, 1, 0, 6, true);  /* ccd = 2; bank 4 is of the same group as bank 0: ccdl = 3 */
        given(&d, 1, READ, 4, 0, 5, true);
        dut_close(&d);
    }
}

/* First ready, first come, first served. */
static void test_dram_scheduler__who_hits_goes_first(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &gddr5, backends[b]);
        push(&d, false, 3, 10, 1, 0);
        push(&d, false, 3, 11, 1, 1);
        push(&d, false, 3, 10, 1, 2);
        push(&d, false, 3, 11, 1, 3);
        push(&d, false, 9, 10, 1, 4);
        given(&d, 0, ACTIVATE, 3, 10, 0, false);
        given(&d, 5, ACTIVATE, 9, 10, 4, false); /* bank 3 has a row that is asked for */
        given(&d, 5, READ, 3, 0, 0, true);
        given(&d, 2, READ, 3, 0, 2, true);
        given(&d, 2, READ, 9, 0, 4, true);
        push(&d, false, 3, 10, 1, 5); /* so the row stays open */
        given(&d, 1, READ, 3, 0, 5, true);
        given(&d, 7, PRECHARGE, 3, 0, 1, false); /* 28 after its activate */
        given(&d, 11, ACTIVATE, 3, 11, 1, false);
        given(&d, 11, READ, 3, 0, 1, true);
        given(&d, 2, READ, 3, 0, 3, true);
        dut_close(&d);
    }
}

/* A row that is hit again and again: the oldest request, of another row, is served alone from its age cap, 60, on. */
static void test_dram_scheduler__old_requests_are_served_alone(void **state)
{
    const in_t hits = {.step = 1, .push_valid = 1, .push_bank = 1, .push_row = 5, .push_bursts = 7, .push_tag = 2};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        push(&d, false, 1, 5, 1, 0);
        given(&d, 0, ACTIVATE, 1, 5, 0, false);
        push(&d, false, 1, 6, 1, 1); /* the old one */
        for (uint32_t t = 0; t < 73; t++) {
            d.in = hits;
            dut_eval(&d);
            assert_int_equal(d.out.late, t >= 60); /* then those behind it, too */
            dut_tick(&d);
            dut_eval(&d);
            if (t < 60) {
                assert_int_equal(d.out.cmd_valid, t >= 3 && (t - 3) % 4 == 0); /* rcd, ccdl */
                assert_int_equal(d.out.cmd_kind, READ);
                continue;
            }
            /* Its own commands when they are allowed, and no others: the last read was in cycle 59. */
            assert_int_equal(d.out.cmd_valid, t == 62 || t == 65 || t == 69 || t == 72);
            if (d.out.cmd_valid) {
                assert_int_equal(d.out.cmd_kind, t == 65 ? ACTIVATE : t == 69 ? READ : PRECHARGE);
                assert_int_equal(d.out.cmd_tag, t < 72 ? 1 : 2);
            }
        }
        dut_close(&d);
    }
}

static void test_dram_scheduler__nothing_moves_without_step(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &gddr5, backends[b]);
        push(&d, true, 2, 3, 1, 9);
        for (uint32_t t = 0; t < 50; t++) {
            dut_cycle(&d);
            assert_int_equal(d.out.cmd_valid, 0);
        }
        given(&d, 0, ACTIVATE, 2, 3, 9, false);
        for (uint32_t t = 0; t < 50; t++) {
            dut_cycle(&d);
            assert_int_equal(d.out.cmd_valid, t == 0);
        }
        given(&d, 11, WRITE, 2, 0, 9, true);
        assert_int_equal(d.out.empty, 1);
        for (uint32_t t = 0; t < 50; t++) {
            dut_cycle(&d);
            assert_int_equal(d.out.idle, 0);
        }
        nothing(&d, 38);
        assert_int_equal(d.out.idle, 0);
        nothing(&d, 1);
        assert_int_equal(d.out.idle, 1); /* the next command cycle is rc = 40 after the write */
        dut_close(&d);
    }
}

static void test_dram_scheduler__the_queue_has_its_places(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        for (uint64_t r = 0; r < 5; r++)
            push(&d, false, r, 1, 1, r);
        d.in = (in_t){.push_valid = 1, .push_bank = 7, .push_tag = 7};
        dut_cycle(&d);
        assert_int_equal(d.out.push_ready, 0);
        for (uint64_t left = 5; left > 0;) { /* with a request that waits for the place */
            d.in = (in_t){.step = 1};
            dut_cycle(&d);
            left -= d.out.cmd_last;
            assert_int_equal(d.out.push_ready, left < 5);
            if (d.out.cmd_valid)
                assert_true(d.out.cmd_tag < 5);
        }
        dut_cycle(&d);
        assert_int_equal(d.out.empty, 1);
        dut_close(&d);
    }
}

/* The youngest request of a full queue leaves; the one before it is its bank's oldest, and is served in the command cycle after that. */
static void test_dram_scheduler__the_last_place_leaves(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint64_t bank = 0; bank < 8; bank++) {
            const uint64_t open = (bank + 1) & 7, busy = (bank + 2) & 7;
            struct dut d;
            dut_open(&d, &odd, backends[b]);
            push(&d, false, open, 1, 1, 0);
            given(&d, 0, ACTIVATE, open, 1, 0, false);
            given(&d, 3, READ, open, 0, 0, true);
            nothing(&d, 10);
            for (uint64_t tag = 0; tag < 3; tag++)
                push(&d, true, busy, 1, 1, tag);
            push(&d, false, bank, 2, 1, 3);
            given(&d, 0, ACTIVATE, busy, 1, 0, false);
            nothing(&d, 2); /* rrd = 3, rcd = 4 */
            push(&d, false, open, 1, 1, 4);
            given(&d, 0, READ, open, 0, 4, true);
            d.in = (in_t){0};
            dut_cycle(&d);
            given(&d, 0, ACTIVATE, bank, 2, 3, false);
            given(&d, 3, WRITE, busy, 0, 0, true); /* rtw = 5 */
            dut_close(&d);
        }
}

static void test_dram_scheduler__a_reset_closes_all(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &gddr5, backends[b]);
        push(&d, false, 5, 100, 1, 1);
        push(&d, false, 6, 100, 1, 1);
        given(&d, 0, ACTIVATE, 5, 100, 1, false);
        nothing(&d, 2);
        d.inst.ops->reset(d.inst.self);
        dut_eval(&d);
        assert_int_equal(d.out.empty & d.out.idle & d.out.push_ready, 1);
        push(&d, false, 5, 100, 1, 2);
        given(&d, 0, ACTIVATE, 5, 100, 2, false);
        given(&d, 11, READ, 5, 0, 2, true);
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_dram_scheduler__fills),
    cmocka_unit_test(test_dram_scheduler__c_equals_rtl),
    cmocka_unit_test(test_dram_scheduler__broken_copies_are_caught),
    cmocka_unit_test(test_dram_scheduler__times_of_a_bank),
    cmocka_unit_test(test_dram_scheduler__times_of_the_channel),
    cmocka_unit_test(test_dram_scheduler__who_hits_goes_first),
    cmocka_unit_test(test_dram_scheduler__old_requests_are_served_alone),
    cmocka_unit_test(test_dram_scheduler__nothing_moves_without_step),
    cmocka_unit_test(test_dram_scheduler__the_queue_has_its_places),
    cmocka_unit_test(test_dram_scheduler__the_last_place_leaves),
    cmocka_unit_test(test_dram_scheduler__a_reset_closes_all),
};
CW_TEST_MAIN(tests)
