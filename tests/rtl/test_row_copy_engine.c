/* SPDX-License-Identifier: Apache-2.0 */
/* Row copy engine: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/row_copy_engine.h"

#include <stdbool.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_row_copy_engine_params params_t;
typedef struct cw_row_copy_engine_in in_t;
typedef struct cw_row_copy_engine_out out_t;

#define DUT_UNIT cw_row_copy_engine_unit
#include "dut.h"
#include "fill/row_copy_engine.h"

/*                               row_w stride_w banks lines regions out_w */
static const params_t chip = {20, 12, 16, 16, 32, 10};
static const params_t minimal = {2, 1, 1, 1, 1, 2};
static const params_t odd = {7, 5, 5, 3, 11, 3};
static const params_t large = {30, 16, 64, 2, 64, 16};
static const params_t narrow = {12, 6, 4, 1, 3, 4};
static const params_t largest = {30, 16, 64, 64, 64, 16};

enum { CHIP, MINIMAL, ODD, LARGE, NARROW, LARGEST, SETS };

struct returns {
    uint32_t pause;
    uint64_t bank; /* whose copy was offered last */
};

/* Mostly regions of few rows, and few of them in a job, so that jobs end. Commands mostly come back, now and then none for a while; and mostly
 * the copy that is wanted, so that a region of many rows ends too. */
static void short_jobs(void *context, struct cw_rng *rng, const void *last_out, void *in)
{
    in_t *i = in;
    struct returns *r = context;
    const out_t *out = last_out;
    if (out->cmd_valid && out->cmd_kind == CW_ROW_COPY_COPY)
        r->bank = out->cmd_bank;
    i->set_rows &= cw_rng_below(rng, 64) != 0 ? 3 : 31;
    if (cw_rng_below(rng, 12) == 0) /* one more than eight rows */
        i->set_rows |= 8;
    i->set_valid = cw_rng_below(rng, 16) == 0;
    if (cw_rng_below(rng, 4) != 0)
        i->set_index &= 3;
    if (cw_rng_below(rng, 4) != 0)
        i->set_tail &= cw_rng_below(rng, 4) != 0 ? 7 : 31;
    i->start_regions &= cw_rng_next(rng) & cw_rng_next(rng) & cw_rng_next(rng);
    if (cw_rng_below(rng, 2) != 0)
        i->start_regions |= 1u << cw_rng_below(rng, 4); /* that are set, mostly */
    if (cw_rng_below(rng, 2000) == 0)
        r->pause = cw_rng_below(rng, 100);
    r->pause -= r->pause > 0;
    i->ret_valid = r->pause == 0 && cw_rng_below(rng, 16) != 0;
    i->ret_copy = cw_rng_below(rng, 4) != 0;
    if (cw_rng_below(rng, 8) != 0)
        i->ret_bank &= 15;
    if (cw_rng_below(rng, 2) != 0)
        i->ret_bank = r->bank;
    i->cmd_ready = cw_rng_below(rng, 8) != 0;
}

static const struct cw_lockstep_set sets[SETS] = {{"chip", &chip, 0},   {"minimal", &minimal, 0}, {"odd", &odd, 0},
                                                  {"large", &large, 0}, {"narrow", &narrow, 0},   {"largest", &largest, 0}};

static struct returns lockstep_returns;
static const struct cw_lockstep_bench bench = {&cw_row_copy_engine_unit, sets, SETS, short_jobs, &lockstep_returns};

static void test_row_copy_engine__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

#define UNIT "cw_row_copy_engine"
static void test_row_copy_engine__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"a bank copies two rows at once", UNIT, "!(is_copy && |(copying_q & bank_oh))", "1'b1", ODD},
        {"a version is ready while commands are out", UNIT, "state_q == ST_WAIT && out_q == OUT_0", "state_q == ST_WAIT", ODD},
        {"too many commands are out", UNIT, "!(&out_q) && ", "", ODD},
        {"the last row is forgotten", UNIT, "last_row  = rows_q == ONE_ROW", "last_row  = rows_q <= ONE_ROW + ONE_ROW", ODD},
        {"the last row has all banks", UNIT, "== (last_row ? tail_q : ALL)", "== (last_row && 1'b0 ? tail_q : ALL)", NARROW},
        {"every row has the banks of the last one", UNIT, "== (last_row ? tail_q : ALL)", "== tail_q", NARROW},
        {"one line is not cleaned", UNIT, "COPY_STEP = {LINES_P[6:0], 1'b0}", "COPY_STEP = {LINES_P[6:0], 1'b0} - 8'd2", CHIP},
        {"the target is the source", UNIT, "to_q   <= base + to_offset[ROW_W-1:0]", "to_q   <= base + from_offset[ROW_W-1:0]", ODD},
        {"the highest region first", UNIT, "mask_q & (~mask_q + ONE_R)", "mask_q & ~(mask_q >> 1)", ODD},
        {"the second of neighbours is left out", UNIT, "mask_q & ~chosen_oh", "mask_q & ~(chosen_oh | chosen_oh << 1)", ODD},
        {"a region that was never set is walked", UNIT, "none        = !known_q || ", "none        = (known_q && 1'b0) || ", ODD},
        {"a command counts when it is offered", UNIT, "taken     = offer && cmd_ready_i", "taken     = offer && (cmd_ready_i || 1'b1)",
         CHIP},
        {"a region that is set as it is chosen is as it was", "cw_ram_1r1w_fwd", "fwd_q ? fwd_data_q : ram_data",
         "fwd_q && 1'b0 ? fwd_data_q : ram_data", ODD},
        {"a region is never out of reach", UNIT, "set_valid_i && {1'b0, set_index_i} < REGIONS_P[6:0]",
         "set_valid_i && ({1'b0, set_index_i} < REGIONS_P[6:0] || 1'b1)", ODD},
        {"a reset keeps the regions", UNIT, "set_q     <= {REGIONS{1'b0}};", "", ODD},
        {"a reset keeps the job", UNIT, "state_q   <= ST_IDLE;\n            set_q", "set_q", ODD},
        {"an engine that walks is idle", UNIT, "(state_q == ST_WAIT && !done)", "(state_q != ST_IDLE && !done)", ODD},
        {"what is not offered shows", UNIT, "cmd_row_o     = offer ? row_q : {ROW_W{1'b0}}", "cmd_row_o     = row_q", ODD},
        {"a job is wanted with done", UNIT, "start_ready_o = state_q == ST_IDLE", "start_ready_o = state_q == ST_IDLE || done", ODD},
        {"what comes back too often counts", UNIT, "returns   = ret_valid_i && out_q != OUT_0", "returns   = ret_valid_i", ODD}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Directed */

static const params_t one_bank = {8, 4, 1, 1, 3, 4};

static void set(struct dut *d, uint64_t index, uint64_t first, uint64_t rows, uint64_t tail, uint64_t shift, uint64_t stride)
{
    d->in.set_valid = 1;
    d->in.set_index = index;
    d->in.set_first = first;
    d->in.set_rows = rows;
    d->in.set_tail = tail;
    d->in.set_shift = shift;
    d->in.set_stride = stride;
    dut_cycle(d);
}

static void start(struct dut *d, uint64_t from, uint64_t to, uint64_t regions)
{
    d->in.start_valid = 1;
    d->in.start_from = from;
    d->in.start_to = to;
    d->in.start_regions = regions;
    dut_cycle(d);
}

/* The command of this cycle, which is taken. */
static void expect(struct dut *d, uint64_t kind, uint64_t row, uint64_t from, uint64_t to, uint64_t bank, uint64_t line)
{
    dut_eval(d);
    assert_int_equal(d->out.cmd_valid, 1);
    assert_int_equal(d->out.cmd_kind, kind);
    assert_int_equal(d->out.cmd_row, row);
    assert_int_equal(d->out.cmd_from, from);
    assert_int_equal(d->out.cmd_to, to);
    assert_int_equal(d->out.cmd_bank, bank);
    assert_int_equal(d->out.cmd_line, line);
    d->in.cmd_ready = 1;
    dut_cycle(d);
}

static void comes_back(struct dut *d, uint64_t copy, uint64_t bank)
{
    d->in.ret_valid = 1;
    d->in.ret_copy = copy;
    d->in.ret_bank = bank;
    dut_cycle(d);
}

static void expect_row(struct dut *d, uint64_t row, uint64_t from, uint64_t to, uint64_t bank, uint64_t lines)
{
    for (uint64_t line = 0; line < lines; line++) {
        expect(d, CW_ROW_COPY_CLEAN, row, from, to, bank, line);
        expect(d, CW_ROW_COPY_DROP, row, from, to, bank, line);
        comes_back(d, 0, 0);
        comes_back(d, 0, 0);
    }
    expect(d, CW_ROW_COPY_COPY, row, from, to, bank, 0);
}

/* Two regions, the second without rows; three rows of two banks, of the last row only one. */
static void test_row_copy_engine__copies_each_row_once(void **state)
{
    static const params_t p = {8, 4, 2, 2, 3, 4};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &p, backends[b]);
        set(&d, 2, 40, 3, 1, 10, 8);
        start(&d, 1, 3, 7);
        for (int i = 0; i < 6; i++) { /* two regions without rows, and the choice and the reading of the third */
            dut_eval(&d);
            assert_int_equal(d.out.cmd_valid, 0);
            assert_int_equal(d.out.start_ready, 0);
            dut_tick(&d);
        }
        for (uint64_t row = 40; row < 43; row++)
            for (uint64_t bank = 0; bank < (row == 42 ? 1 : 2); bank++) {
                expect_row(&d, row, row + 18, row + 34, bank, 2);
                comes_back(&d, 1, bank);
            }
        dut_eval(&d);
        assert_int_equal(d.out.done, 1);
        dut_cycle(&d);
        dut_eval(&d);
        assert_int_equal(d.out.start_ready, 1);
        assert_int_equal(d.out.done, 0);
        dut_close(&d);
    }
}

/* The copy of a bank's next row waits for the one before it; the version is ready when the last one is back. */
static void test_row_copy_engine__waits_for_copies(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &one_bank, backends[b]);
        set(&d, 0, 5, 2, 0, 0, 2);
        start(&d, 0, 1, 1);
        dut_cycle(&d);
        dut_cycle(&d);
        expect_row(&d, 5, 5, 7, 0, 1);
        expect(&d, CW_ROW_COPY_CLEAN, 6, 6, 8, 0, 0);
        expect(&d, CW_ROW_COPY_DROP, 6, 6, 8, 0, 0);
        for (int i = 0; i < 10; i++) {
            d.in.cmd_ready = 1;
            dut_eval(&d);
            assert_int_equal(d.out.cmd_valid, 0);
            dut_tick(&d);
        }
        comes_back(&d, 1, 0);
        expect(&d, CW_ROW_COPY_COPY, 6, 6, 8, 0, 0);
        comes_back(&d, 0, 0);
        comes_back(&d, 0, 0);
        for (int i = 0; i < 10; i++) {
            dut_eval(&d);
            assert_int_equal(d.out.done, 0);
            dut_tick(&d);
        }
        comes_back(&d, 1, 0);
        dut_eval(&d);
        assert_int_equal(d.out.done, 1);
        dut_close(&d);
    }
}

static void expect_nothing(struct dut *d, uint32_t cycles)
{
    for (uint32_t i = 0; i < cycles; i++) {
        d->in.cmd_ready = 1;
        dut_eval(d);
        assert_int_equal(d->out.cmd_valid, 0);
        assert_int_equal(d->out.cmd_kind + d->out.cmd_row + d->out.cmd_from + d->out.cmd_to + d->out.cmd_bank + d->out.cmd_line, 0);
        dut_tick(d);
    }
}

/* Regions 0 and 2, of one row each: the first command in the third cycle after the start, or after the last command of the region before. */
static void test_row_copy_engine__regions_in_order_and_in_time(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &one_bank, backends[b]);
        set(&d, 2, 5, 1, 0, 100, 3);
        set(&d, 0, 250, 1, 0, 9, 2);
        set(&d, 3, 77, 1, 0, 0, 1); /* there is no such region */
        start(&d, 2, 15, 5);
        expect_nothing(&d, 2);
        expect_row(&d, 250, (250 + 9 + 4) % 256, (250 + 9 + 30) % 256, 0, 1);
        expect_nothing(&d, 2);
        comes_back(&d, 1, 0);
        expect_row(&d, 5, 111, 150, 0, 1);
        expect_nothing(&d, 1); /* the choice: no region is left */
        for (int i = 0; i < 5; i++) {
            d.in.start_valid = 1; /* not taken */
            dut_eval(&d);
            assert_int_equal(d.out.start_ready + d.out.done, 0);
            assert_int_equal(d.out.idle, 1);
            dut_tick(&d);
        }
        comes_back(&d, 1, 0);
        dut_cycle(&d);
        assert_int_equal(d.out.done, 1);
        assert_int_equal(d.out.start_ready, 0);
        dut_cycle(&d);
        assert_int_equal(d.out.done, 0);
        assert_int_equal(d.out.start_ready, 1);
        assert_int_equal(d.out.idle, 1);
        dut_close(&d);
    }
}

/* With two bits for their number three commands are out at most. What comes back when none is out does not count. */
static void test_row_copy_engine__few_commands_are_out(void **state)
{
    static const params_t p = {8, 4, 1, 2, 1, 2};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &p, backends[b]);
        for (int i = 0; i < 3; i++)
            comes_back(&d, 1, 0);
        set(&d, 0, 1, 1, 0, 0, 1);
        start(&d, 0, 1, 1);
        expect_nothing(&d, 2);
        expect(&d, CW_ROW_COPY_CLEAN, 1, 1, 2, 0, 0);
        expect(&d, CW_ROW_COPY_DROP, 1, 1, 2, 0, 0);
        for (int i = 0; i < 3; i++) { /* not taken: on offer, unchanged, and nothing more is out */
            dut_cycle(&d);
            assert_int_equal(d.out.cmd_valid, 1);
            assert_int_equal(d.out.cmd_line, 1);
            assert_int_equal(d.out.idle, 0);
        }
        expect(&d, CW_ROW_COPY_CLEAN, 1, 1, 2, 0, 1);
        expect_nothing(&d, 4);
        comes_back(&d, 0, 0);
        d.in.ret_valid = 1; /* one comes back as one is taken */
        expect(&d, CW_ROW_COPY_DROP, 1, 1, 2, 0, 1);
        expect(&d, CW_ROW_COPY_COPY, 1, 1, 2, 0, 0);
        expect_nothing(&d, 3);
        comes_back(&d, 1, 0); /* the copy, which was the last, before the two that are left */
        comes_back(&d, 0, 0);
        dut_cycle(&d);
        assert_int_equal(d.out.done, 0);
        comes_back(&d, 0, 0);
        dut_cycle(&d);
        assert_int_equal(d.out.done, 1);
        dut_close(&d);
    }
}

/* A region counts as in the cycle of its choice. A reset ends the job, and takes the regions out. */
static void test_row_copy_engine__a_region_is_as_it_has_been_set(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (int late = 0; late < 2; late++) {
            struct dut d;
            dut_open(&d, &one_bank, backends[b]);
            set(&d, 0, 3, 1, 0, 0, 1);
            start(&d, 0, 1, 3);
            if (late)
                dut_cycle(&d);
            set(&d, 0, 7, 1, 0, 0, 1);
            if (!late)
                dut_cycle(&d);
            expect(&d, CW_ROW_COPY_CLEAN, late ? 3 : 7, late ? 3 : 7, late ? 4 : 8, 0, 0);
            d.inst.ops->reset(d.inst.self);
            dut_eval(&d);
            assert_int_equal(d.out.start_ready, 1);
            start(&d, 0, 1, 3);
            expect_nothing(&d, 5); /* two choices and readings, a choice: no region has rows */
            dut_cycle(&d);
            assert_int_equal(d.out.done, 1);
            dut_close(&d);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_row_copy_engine__fills),
    cmocka_unit_test(test_row_copy_engine__c_equals_rtl),
    cmocka_unit_test(test_row_copy_engine__broken_copies_are_caught),
    cmocka_unit_test(test_row_copy_engine__copies_each_row_once),
    cmocka_unit_test(test_row_copy_engine__waits_for_copies),
    cmocka_unit_test(test_row_copy_engine__regions_in_order_and_in_time),
    cmocka_unit_test(test_row_copy_engine__few_commands_are_out),
    cmocka_unit_test(test_row_copy_engine__a_region_is_as_it_has_been_set),
};
CW_TEST_MAIN(tests)
