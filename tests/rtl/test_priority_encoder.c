/* SPDX-License-Identifier: Apache-2.0 */
/* Priority encoder: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/priority_encoder.h"

#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_priority_encoder_params params_t;
typedef struct cw_priority_encoder_in in_t;
typedef struct cw_priority_encoder_out out_t;

#define DUT_UNIT cw_priority_encoder_unit
#include "dut.h"
#include "fill/priority_encoder.h"

/*                                width */
static const params_t tbc = {32};
static const params_t minimal = {1};
static const params_t odd = {13};
static const params_t widest = {64};

/* Sparse and dense vectors, any of them, and the rest of the vector before. */
static void constrain(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    in_t *in = inputs;
    (void)context;
    in->in_vector = cw_rng_next(rng);
    for (uint32_t sparse = cw_rng_below(rng, 6); sparse > 0; sparse--)
        in->in_vector &= cw_rng_next(rng);
    if (cw_rng_below(rng, 64) == 0)
        in->in_vector = UINT64_MAX;
    if (cw_rng_below(rng, 4) == 0 && last_out != NULL)
        in->in_vector = ((const out_t *)last_out)->rest;
}

static const struct cw_lockstep_set sets[] = {{"tbc", &tbc, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0}, {"widest", &widest, 0}};

static const struct cw_lockstep_bench bench = {&cw_priority_encoder_unit, sets, 4, constrain, NULL};

static void test_priority_encoder__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_priority_encoder__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"the index has bits of all set bits", "cw_priority_encoder", "lowest = below & ~(below << 1)", "lowest = in_vector_i", 0},
        {"a bit of the index is lost", "cw_priority_encoder", "64'hf0f0f0f0_f0f0f0f0", "64'hf0f0f0f0_f0f0f0e0", 0},
        {"the upper bits have no rest", "cw_priority_encoder", "s < WIDTH; s = 2 * s", "s < WIDTH / 2; s = 2 * s", 0},
        {"the bit stays", "cw_priority_encoder", "in_vector_i & (below << 1)", "in_vector_i & below", 2},
        {"a vector comes in each cycle", "cw_priority_encoder", "end else if (in_valid_i) begin\n            none_q",
         "end else if (in_valid_i || 1'b1) begin\n            none_q", 1},
        {"the index of nothing", "cw_priority_encoder", "{|(one & 64'hffffffff_00000000)", "{one == 64'd0", 2},
        {"a reset says that there is a bit", "cw_priority_encoder", "none_q  <= 1'b1;", "none_q  <= 1'b0;", 2}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

static void send(struct dut *d, uint64_t vector)
{
    d->in.in_valid = 1;
    d->in.in_vector = vector;
    dut_cycle(d);
    dut_eval(d);
}

static void expect(const struct dut *d, uint64_t none, uint64_t index, uint64_t rest)
{
    assert_int_equal(d->out.none, none);
    assert_int_equal(d->out.index, index);
    assert_int_equal(d->out.rest, rest);
}

static void test_priority_encoder__takes_the_lowest_bit(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &widest, backends[b]);
        dut_eval(&d);
        expect(&d, 1, 0, 0);
        send(&d, UINT64_C(0x8000000000000000));
        expect(&d, 0, 63, 0);
        send(&d, UINT64_C(0x8000000000000001));
        expect(&d, 0, 0, UINT64_C(0x8000000000000000));
        send(&d, UINT64_C(0xffffffff00000000));
        expect(&d, 0, 32, UINT64_C(0xfffffffe00000000));
        send(&d, 0x28);
        expect(&d, 0, 3, 0x20);
        send(&d, 0);
        expect(&d, 1, 0, 0);
        dut_close(&d);
    }
}

/* Each width, each bit alone and with all above it. */
static void test_priority_encoder__every_bit_of_every_width(void **state)
{
    (void)state;
    for (uint32_t width = 1; width <= 64; width++) {
        const params_t p = {width};
        struct dut d;
        dut_open(&d, &p, CW_UNIT_C);
        const uint64_t all = UINT64_MAX >> (64 - width);
        for (uint32_t i = 0; i < width; i++) {
            send(&d, (uint64_t)1 << i);
            expect(&d, 0, i, 0);
            send(&d, UINT64_MAX << i); /* what is above the port's width does not count */
            expect(&d, 0, i, i == 63 ? 0 : (UINT64_MAX << (i + 1)) & all);
        }
        dut_close(&d);
    }
}

static void test_priority_encoder__holds_without_a_vector(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &tbc, backends[b]);
        send(&d, 0xc0);
        for (uint32_t i = 0; i < 3; i++) {
            d.in.in_vector = 0x3;
            dut_cycle(&d);
            expect(&d, 0, 6, 0x80);
        }
        d.inst.ops->reset(d.inst.self);
        dut_eval(&d);
        expect(&d, 1, 0, 0);
        dut_close(&d);
    }
}

/* Figure 3.7: what the four encoders give for block B, first and second warp. */
static void test_priority_encoder__figure_3_7_lane_by_lane(void **state)
{
    /* Home lanes of Figure 3.7, bit w of a lane is the thread of static warp W(w+1). Block B: threads 1, 6, 7, 9, 10, 12. */
    static const uint64_t lane_b[] = {0x5, 0x6, 0x2, 0x4};
    static const uint64_t first[] = {0, 1, 1, 2};        /* threads 1, 6, 7, 12 */
    static const uint64_t rest[] = {0x4, 0x4, 0x0, 0x0}; /* threads 9, 10 are left */
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t lane = 0; lane < 4; lane++) {
            const params_t p = {3};
            struct dut d;
            dut_open(&d, &p, backends[b]);
            send(&d, lane_b[lane]);
            expect(&d, 0, first[lane], rest[lane]);
            send(&d, d.out.rest);
            expect(&d, rest[lane] == 0, rest[lane] == 0 ? 0 : 2, 0);
            dut_close(&d);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_priority_encoder__fills),
    cmocka_unit_test(test_priority_encoder__c_equals_rtl),
    cmocka_unit_test(test_priority_encoder__broken_copies_are_caught),
    cmocka_unit_test(test_priority_encoder__takes_the_lowest_bit),
    cmocka_unit_test(test_priority_encoder__every_bit_of_every_width),
    cmocka_unit_test(test_priority_encoder__holds_without_a_vector),
    cmocka_unit_test(test_priority_encoder__figure_3_7_lane_by_lane),
};
CW_TEST_MAIN(tests)
