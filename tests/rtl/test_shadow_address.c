/* SPDX-License-Identifier: Apache-2.0 */
/* Shadow address: C model and RTL in lockstep, broken copies, and all places of whole work-groups on both. */
#include "cowarp/unit/shadow_address.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_shadow_address_params params_t;
typedef struct cw_shadow_address_in in_t;
typedef struct cw_shadow_address_out out_t;

#define DUT_UNIT cw_shadow_address_unit
#include "dut.h"
#include "fill/shadow_address.h"

static const params_t lds = {5, 9};
static const params_t minimal = {1, 3};
static const params_t large = {6, 12};

/* Mostly a group of which some words fit. */
static void constrain(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    in_t *in = inputs;
    (void)context;
    (void)last_out;
    in->req_base = cw_rng_below(rng, 2) != 0 ? cw_rng_below(rng, 8) : cw_rng_next(rng);
    in->req_words = cw_rng_below(rng, 1u << (3 + cw_rng_below(rng, 16)));
    in->req_bank = cw_rng_next(rng);
    in->req_word = cw_rng_below(rng, 2) != 0 ? cw_rng_next(rng) : cw_rng_below(rng, 1 + (uint32_t)(in->req_words >> 1));
}

static const struct cw_lockstep_set sets[] = {{"lds", &lds, 0}, {"minimal", &minimal, 0}, {"large", &large, 0}};
static const struct cw_lockstep_bench bench = {&cw_shadow_address_unit, sets, 3, constrain, NULL};

static void test_shadow_address__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_shadow_address__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"all banks have as many words", "cw_shadow_address", "more  = req_bank_i < req_words_i[BANK_W-1:0]",
         "more  = req_bank_i <= req_words_i[BANK_W-1:0]", 0},
        {"the owners begin with the backups", "cw_shadow_address", "{n, 1'b0} + ", "{1'b0, n} + ", 0},
        {"a row has two owners", "cw_shadow_address", "{4'b0000, req_word_i[ROW_W-1:2]}", "{3'b000, req_word_i[ROW_W-1:1]}", 0},
        {"a word that the bank does not have fits", "cw_shadow_address", "{1'b0, req_word_i} < n &&", "{1'b0, req_word_i} <= n &&", 0},
        {"rows behind the bank's last one fit", "cw_shadow_address", "owner[ROW_W+1:ROW_W] == 2'd0", "!owner[ROW_W]", 0},
        {"a row of words is left out", "cw_shadow_address", "data_q   <= data;", "data_q   <= data + 1'b1;", 0},
        {"the answer changes without a request", "cw_shadow_address", "end else if (req_valid_i) begin\n            data_q   <= data",
         "end else if (req_valid_i || fits_q) begin\n            data_q   <= data", 0},
        {"a reset leaves what fits", "cw_shadow_address", "fits_q   <= 1'b0;", "fits_q   <= fits_q;", 0}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

#define ROWS  512u
#define BANKS 32u

static void ask(struct dut *d, uint32_t base, uint32_t words, uint32_t bank, uint32_t word)
{
    d->in = (in_t){.req_valid = 1, .req_base = base, .req_words = words, .req_bank = bank, .req_word = word};
    dut_cycle(d);
    dut_eval(d);
}

/* Takes the bytes, which nobody may have yet. */
static void take(uint8_t *taken, uint64_t row, uint64_t first, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        assert_int_equal(taken[4 * row + first + i]++, 0);
}

/* All places of a group: how many of its words fit. */
static uint32_t fitting(struct dut *d, uint32_t base, uint32_t words)
{
    uint32_t fits = 0;
    for (uint32_t bank = 0; bank < BANKS; bank++) {
        uint8_t taken[4 * ROWS] = {0};
        for (uint32_t word = 0; word < ROWS; word++) {
            ask(d, base, words, bank, word);
            assert_true(!d->out.adr_fits || word * BANKS + bank < words);
            if (!d->out.adr_fits)
                continue;
            fits++;
            assert_int_equal(d->out.adr_data, base + word);
            take(taken, d->out.adr_data, 0, 4);
            take(taken, d->out.adr_backup, 0, 4);
            take(taken, d->out.adr_owner, d->out.adr_byte, 1);
        }
        for (uint32_t byte = 0; byte < 4 * base; byte++)
            assert_int_equal(taken[byte], 0);
    }
    return fits;
}

/* The paper's 7,281 words are 65,529 of 65,536 bytes. In 17 banks the last four words would need 4 bytes more than the bank has. */
static void test_shadow_address__no_two_words_meet(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &lds, backends[b]);
        assert_int_equal(fitting(&d, 0, 32), 32);
        assert_int_equal(fitting(&d, 3, 45), 45);
        assert_int_equal(fitting(&d, 300, 1000), 1000);
        assert_int_equal(fitting(&d, 0, 7264), 7264);
        assert_int_equal(fitting(&d, 0, 7281), 7281 - 17 * 4);
        assert_int_equal(fitting(&d, 511, 2), 0);
        dut_close(&d);
    }
}

/* 40 words: banks 0 to 7 have two. */
static void test_shadow_address__places_by_hand(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &lds, backends[b]);
        ask(&d, 10, 40, 7, 1);
        assert_int_equal(d.out.adr_data, 11);
        assert_int_equal(d.out.adr_backup, 13);
        assert_int_equal(d.out.adr_owner, 14);
        assert_int_equal(d.out.adr_byte, 1);
        assert_int_equal(d.out.adr_fits, 1);
        ask(&d, 10, 40, 8, 0);
        assert_int_equal(d.out.adr_backup, 11);
        assert_int_equal(d.out.adr_owner, 12);
        assert_int_equal(d.out.adr_byte, 0);
        assert_int_equal(d.out.adr_fits, 1);
        ask(&d, 10, 40, 8, 1);
        assert_int_equal(d.out.adr_fits, 0);
        dut_close(&d);
    }
}

static void test_shadow_address__holds_without_a_request(void **state)
{
    static const out_t nothing = {0};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &lds, backends[b]);
        dut_eval(&d);
        assert_memory_equal(&d.out, &nothing, sizeof nothing);
        ask(&d, 10, 40, 7, 1);
        const out_t answer = d.out;
        d.in = (in_t){.req_base = 3, .req_words = 64, .req_bank = 1};
        dut_cycle(&d);
        dut_eval(&d);
        assert_memory_equal(&d.out, &answer, sizeof answer);
        d.inst.ops->reset(d.inst.self);
        dut_eval(&d);
        assert_memory_equal(&d.out, &nothing, sizeof nothing);
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_shadow_address__fills),
    cmocka_unit_test(test_shadow_address__c_equals_rtl),
    cmocka_unit_test(test_shadow_address__broken_copies_are_caught),
    cmocka_unit_test(test_shadow_address__no_two_words_meet),
    cmocka_unit_test(test_shadow_address__places_by_hand),
    cmocka_unit_test(test_shadow_address__holds_without_a_request),
};
CW_TEST_MAIN(tests)
