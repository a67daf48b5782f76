/* SPDX-License-Identifier: Apache-2.0 */
/* Thread compactor: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/thread_compactor.h"

#include <string.h>

#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_thread_compactor_params params_t;
typedef struct cw_thread_compactor_in in_t;
typedef struct cw_thread_compactor_out out_t;

#define DUT_UNIT cw_thread_compactor_unit
#include "dut.h"
#include "fill/thread_compactor.h"

/*                               lanes warps */
static const params_t tbc = {32, 32};
static const params_t minimal = {1, 1};
static const params_t odd = {5, 7};
static const params_t wide = {32, 3};
static const params_t small = {4, 8}; /* of the directed tests */

/* Masks as branches leave them: sparse or dense, of few warps or many, with one lane in which the threads pile up. */
static void constrain(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    in_t *in = inputs;
    const uint32_t sparse = cw_rng_below(rng, 6), warps = 1 + cw_rng_below(rng, 32);
    const uint32_t pile = cw_rng_below(rng, 3) == 0 ? 1u << cw_rng_below(rng, 5) : 0;
    (void)context;
    (void)last_out;
    for (uint32_t w = 0; w < 32; w++) {
        in->start_mask[w] = (uint32_t)cw_rng_next(rng);
        for (uint32_t i = 0; i < sparse; i++)
            in->start_mask[w] &= (uint32_t)cw_rng_next(rng);
        if (cw_rng_below(rng, 32) >= warps || sparse == 5)
            in->start_mask[w] = 0;
        if (cw_rng_below(rng, 2) != 0)
            in->start_mask[w] |= pile;
    }
    in->start_static = cw_rng_below(rng, 3) == 0;
    if (cw_rng_below(rng, 4) != 0)
        in->start_valid = 1;
}

static const struct cw_lockstep_set sets[] = {{"tbc", &tbc, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0}, {"wide", &wide, 0}};

static const struct cw_lockstep_bench bench = {&cw_thread_compactor_unit, sets, 4, constrain, NULL};

static void test_thread_compactor__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_thread_compactor__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"a lane that does not go loses its thread", "cw_thread_compactor", "(take && goes[l])", "take", 2},
        {"a mask that comes during a warp counts", "cw_thread_compactor", "start_valid_i && !left_q[0]", "start_valid_i && !left_q[1]", 2},
        {"a count that compares the low bits alone", "cw_thread_compactor", "(high[(q/8)*LANES +: LANES] & low[(q%8)*LANES +: LANES])",
         "low[(q%8)*LANES +: LANES]", 0},
        {"an adder forgets its carry", "cw_thread_compactor", "(left & right) | (carry & (left ^ right))", "left & right", 2},
        {"a lane of a higher static warp goes", "cw_thread_compactor", "p < 6; p = p + 1", "p < 1; p = p + 1", 2},
        {"static warps are counted as compacted ones", "cw_thread_compactor", "start_static_i ? rows > q[5:0]",
         "start_static_i && !(|occupied) ? rows > q[5:0]", 2},
        {"static warps are compacted", "cw_thread_compactor", "static_q ? lowest :", "static_q && !lowest[0] ? lowest :", 2},
        {"a count that repeats", "cw_thread_compactor", "counted_q <= start;", "counted_q <= start || (counted_q && !take);", 2},
        {"the last but one is the last", "cw_thread_compactor", "warp_last_o   = left_q[1:0] == 2'd1",
         "warp_last_o   = left_q[2:1] == 2'd1", 2},
        {"the count is there without its valid", "cw_thread_compactor", "ones(left_q) & {6{counted_q}}", "ones(left_q)", 2},
        {"a reset leaves the warps", "cw_thread_compactor", "left_q    <= 32'd0;", "left_q    <= left_q;", 2},
        {"the last static warp is forgotten", "cw_thread_compactor", "i < WARPS; i = i + 1", "i < WARPS - 1; i = i + 1", 2}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

static uint32_t home(const struct dut *d, uint32_t lane)
{
    return d->out.warp_home[lane / 4] >> 8 * (lane % 4) & 0xff;
}

/* Sends a mask and gives the number of warps that it makes. The first one is offered then. */
static uint64_t start(struct dut *d, const uint32_t *mask, uint32_t warps, uint64_t is_static)
{
    dut_eval(d);
    assert_int_equal(d->out.start_ready, 1);
    d->in.start_valid = 1;
    d->in.start_static = is_static;
    memcpy(d->in.start_mask, mask, warps * sizeof mask[0]);
    dut_cycle(d);
    dut_eval(d);
    assert_int_equal(d->out.count_valid, 1);
    return d->out.count;
}

/* Takes the warp that is offered; its threads are as `thread` has them, per lane, numbered from 1 over the static warps; 0: none. */
static void expect_warp(struct dut *d, const uint32_t *thread, uint32_t lanes, uint64_t last)
{
    dut_eval(d);
    assert_int_equal(d->out.warp_valid, 1);
    assert_int_equal(d->out.warp_last, last);
    assert_int_equal(d->out.start_ready, 0);
    for (uint32_t l = 0; l < lanes; l++) {
        assert_int_equal(d->out.warp_lanes >> l & 1, thread[l] != 0);
        assert_int_equal(home(d, l), thread[l] != 0 ? (thread[l] - 1) / lanes : 0);
    }
    d->in.warp_ready = 1;
    dut_tick(d);
}

static void expect_no_more(struct dut *d)
{
    dut_eval(d);
    assert_int_equal(d->out.warp_valid, 0);
    assert_int_equal(d->out.warp_lanes, 0);
    assert_int_equal(d->out.start_ready, 1);
}

/* Threads 1 to 12 in three static warps of four. C: 2, 3, 4, 5, 8, 11. B: the others. */
static void test_thread_compactor__figure_3_7(void **state)
{
    static const uint32_t c[] = {0xe, 0x9, 0x4}, b[] = {0x1, 0x6, 0xb};
    static const uint32_t c_warps[][4] = {{5, 2, 3, 4}, {0, 0, 11, 8}};
    static const uint32_t b_warps[][4] = {{1, 6, 7, 12}, {9, 10, 0, 0}};
    (void)state;
    for (int backend = 0; backend < 2; backend++) {
        struct dut d;
        dut_open(&d, &small, backends[backend]);
        assert_int_equal(start(&d, c, 3, 0), 2);
        expect_warp(&d, c_warps[0], 4, 0);
        expect_warp(&d, c_warps[1], 4, 1);
        expect_no_more(&d);
        assert_int_equal(start(&d, b, 3, 0), 2);
        expect_warp(&d, b_warps[0], 4, 0);
        expect_warp(&d, b_warps[1], 4, 1);
        expect_no_more(&d);
        dut_close(&d);
    }
}

/* Two static warps of four. C has threads 1, 6, 7; B has 2, 3, 4, 5, 8. All are one warp more in their static warps. */
static void test_thread_compactor__figure_3_5(void **state)
{
    static const uint32_t c[] = {0x1, 0x6}, b[] = {0xe, 0x9}, d_all[] = {0xf, 0xf};
    static const uint32_t c_warp[] = {1, 6, 7, 0}, b_warps[][4] = {{5, 2, 3, 4}, {0, 0, 0, 8}}, all[][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    static const uint32_t c_static[][4] = {{1, 0, 0, 0}, {0, 6, 7, 0}};
    (void)state;
    for (int backend = 0; backend < 2; backend++) {
        struct dut d;
        dut_open(&d, &small, backends[backend]);
        assert_int_equal(start(&d, c, 2, 0), 1);
        expect_warp(&d, c_warp, 4, 1);
        assert_int_equal(start(&d, b, 2, 0), 2);
        expect_warp(&d, b_warps[0], 4, 0);
        expect_warp(&d, b_warps[1], 4, 1);
        for (uint64_t is_static = 0; is_static < 2; is_static++) { /* all threads: the static warps again */
            assert_int_equal(start(&d, d_all, 2, is_static), 2);
            expect_warp(&d, all[0], 4, 0);
            expect_warp(&d, all[1], 4, 1);
        }
        assert_int_equal(start(&d, c, 2, 1), 2);
        expect_warp(&d, c_static[0], 4, 0);
        expect_warp(&d, c_static[1], 4, 1);
        expect_no_more(&d);
        dut_close(&d);
    }
}

static void test_thread_compactor__static_warps_skip_empty_ones(void **state)
{
    static const uint32_t mask[] = {0x0, 0x8, 0x0, 0x0, 0x5};
    static const uint32_t warps[][4] = {{0, 0, 0, 8}, {17, 0, 19, 0}}, one[] = {17, 0, 19, 8};
    (void)state;
    for (int backend = 0; backend < 2; backend++) {
        struct dut d;
        dut_open(&d, &small, backends[backend]);
        assert_int_equal(start(&d, mask, 5, 1), 2);
        expect_warp(&d, warps[0], 4, 0);
        expect_warp(&d, warps[1], 4, 1);
        assert_int_equal(start(&d, mask, 5, 0), 1);
        expect_warp(&d, one, 4, 1);
        expect_no_more(&d);
        dut_close(&d);
    }
}

static void test_thread_compactor__an_empty_mask_answers_0(void **state)
{
    static const uint32_t nobody[32] = {0};
    static const uint32_t elsewhere[] = {~0xfu, ~0xfu, ~0xfu, ~0xfu, ~0xfu, ~0xfu, ~0xfu, ~0xfu, ~0u, ~0u};
    (void)state;
    for (int backend = 0; backend < 2; backend++)
        for (uint64_t is_static = 0; is_static < 2; is_static++) {
            struct dut d;
            dut_open(&d, &small, backends[backend]);
            assert_int_equal(start(&d, nobody, 32, is_static), 0);
            expect_no_more(&d);
            assert_int_equal(start(&d, elsewhere, 10, is_static), 0); /* lanes and warps that there are not */
            expect_no_more(&d);
            dut_cycle(&d);
            dut_eval(&d);
            assert_int_equal(d.out.count_valid, 0);
            dut_close(&d);
        }
}

/* 1,024 threads: all 32 static warps; and one lane of them all, a warp of one thread each. */
static void test_thread_compactor__a_full_block_and_one_lane(void **state)
{
    uint32_t all[32], lane[32], thread[32];
    (void)state;
    memset(all, 0xff, sizeof all);
    for (uint32_t w = 0; w < 32; w++)
        lane[w] = 1u << 17;
    for (int backend = 0; backend < 2; backend++) {
        struct dut d;
        dut_open(&d, &tbc, backends[backend]);
        assert_int_equal(start(&d, all, 32, 0), 32);
        for (uint32_t w = 0; w < 32; w++) {
            for (uint32_t l = 0; l < 32; l++)
                thread[l] = 32 * w + l + 1;
            expect_warp(&d, thread, 32, w == 31);
        }
        assert_int_equal(start(&d, lane, 32, 0), 32);
        for (uint32_t w = 0; w < 32; w++) {
            memset(thread, 0, sizeof thread);
            thread[17] = 32 * w + 18;
            expect_warp(&d, thread, 32, w == 31);
        }
        expect_no_more(&d);
        dut_close(&d);
    }
}

static void test_thread_compactor__a_warp_waits_and_keeps_masks_out(void **state)
{
    static const uint32_t mask[] = {0x3, 0x9}, other[] = {0xf, 0xf};
    static const uint32_t warps[][4] = {{1, 2, 0, 8}, {5, 0, 0, 0}};
    (void)state;
    for (int backend = 0; backend < 2; backend++) {
        struct dut d;
        dut_open(&d, &small, backends[backend]);
        assert_int_equal(start(&d, mask, 2, 0), 2);
        for (uint32_t i = 0; i < 4; i++) {
            memcpy(d.in.start_mask, other, sizeof other);
            d.in.start_valid = 1; /* is not taken */
            dut_cycle(&d);
            assert_int_equal(d.out.start_ready, 0);
            assert_int_equal(d.out.count_valid, i == 0);
            assert_int_equal(d.out.warp_lanes, 0xb);
            assert_int_equal(d.out.warp_last, 0);
        }
        expect_warp(&d, warps[0], 4, 0);
        expect_warp(&d, warps[1], 4, 1);
        expect_no_more(&d);
        dut_close(&d);
    }
}

/* A mask of n warps occupies the unit for n + 1 cycles. */
static void test_thread_compactor__n_plus_one_cycles(void **state)
{
    (void)state;
    for (int backend = 0; backend < 2; backend++)
        for (uint32_t n = 0; n <= 8; n++) {
            uint32_t mask[8] = {0};
            struct dut d;
            dut_open(&d, &small, backends[backend]);
            for (uint32_t w = 0; w < n; w++)
                mask[w] = 0x6;
            assert_int_equal(start(&d, mask, 8, 0), n);
            uint64_t cycles = 1;
            for (; !d.out.start_ready; cycles++) {
                d.in.warp_ready = 1;
                dut_tick(&d);
                dut_eval(&d);
            }
            assert_int_equal(cycles, n + 1);
            dut_close(&d);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_thread_compactor__fills),
    cmocka_unit_test(test_thread_compactor__c_equals_rtl),
    cmocka_unit_test(test_thread_compactor__broken_copies_are_caught),
    cmocka_unit_test(test_thread_compactor__figure_3_7),
    cmocka_unit_test(test_thread_compactor__figure_3_5),
    cmocka_unit_test(test_thread_compactor__static_warps_skip_empty_ones),
    cmocka_unit_test(test_thread_compactor__an_empty_mask_answers_0),
    cmocka_unit_test(test_thread_compactor__a_full_block_and_one_lane),
    cmocka_unit_test(test_thread_compactor__a_warp_waits_and_keeps_masks_out),
    cmocka_unit_test(test_thread_compactor__n_plus_one_cycles),
};
CW_TEST_MAIN(tests)
