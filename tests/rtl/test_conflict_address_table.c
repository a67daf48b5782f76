/* SPDX-License-Identifier: Apache-2.0 */
/* Conflict address table: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/conflict_address_table.h"

#include <stdbool.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"
#include "unit/h3.h"

typedef struct cw_conflict_address_table_params params_t;
typedef struct cw_conflict_address_table_in in_t;
typedef struct cw_conflict_address_table_out out_t;

#define DUT_UNIT cw_conflict_address_table_unit
#include "dut.h"
#include "fill/conflict_address_table.h"

/*                               ways set_w key_w tag_w */
static const params_t table = {8, 7, 30, 7};
static const params_t minimal = {1, 1, 4, 1};
static const params_t artifact = {6, 3, 8, 16}; /* the ways of 3,072 entries */
static const params_t small = {3, 1, 6, 4};
static const params_t largest = {8, 13, 30, 16};

enum { TABLE, MINIMAL, ARTIFACT, SMALL, LARGEST, SETS };

/* Few words, so that sets fill, words come again, and queries meet updates; phases in which words come and in which they go. */
static void few_words(void *context, struct cw_rng *rng, const void *last_out, void *in)
{
    in_t *i = in;
    (void)context;
    (void)last_out;
    if (cw_rng_below(rng, 32) != 0) {
        i->upd_word &= 0x1f;
        i->qry_word &= 0x1f;
    }
    if (cw_rng_below(rng, 4) == 0)
        i->qry_word = i->upd_word;
}

static const struct cw_lockstep_set sets[SETS] = {
    {"table", &table, 0}, {"minimal", &minimal, 0}, {"artifact", &artifact, 0}, {"small", &small, 0}, {"largest", &largest, 0}};

static const struct cw_lockstep_bench bench = {&cw_conflict_address_table_unit, sets, SETS, few_words, NULL};

static void test_conflict_address_table__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_conflict_address_table__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"an update does not see the one before it", "cw_conflict_address_table", "= near && change[w]", "= near && 1'b0 && change[w]",
         TABLE},
        {"an update does not see the last but one", "cw_conflict_address_table", "read_near && wrote_q[w]",
         "read_near && 1'b0 && wrote_q[w]", TABLE},
        {"the last but one comes before the last", "cw_conflict_address_table",
         "moves ? enter && same : moved ? wrote_enter_q && read_same", "moved ? wrote_enter_q && read_same : moves ? enter && same", TABLE},
        {"a word that the one before has entered is another", "cw_conflict_address_table", "enter && same", "enter && !same", TABLE},
        {"a word that the last but one has entered is another", "cw_conflict_address_table", "wrote_enter_q && read_same",
         "wrote_enter_q && !read_same", TABLE},
        {"a word is entered twice", "cw_conflict_address_table", "= write_q && !write_remove_q && !known && !full",
         "= write_q && !write_remove_q && !full", SMALL},
        {"a full set takes a word more", "cw_conflict_address_table", "refuse  = write_q && !write_remove_q && !known && full",
         "refuse  = write_q && !write_remove_q && !known && full && 1'b0", SMALL},
        {"a word that is there is refused", "cw_conflict_address_table", "refuse  = write_q && !write_remove_q && !known",
         "refuse  = write_q && !write_remove_q", SMALL},
        {"a removal of nothing is counted", "cw_conflict_address_table", "leave   = write_q && write_remove_q && known",
         "leave   = write_q && write_remove_q", TABLE},
        {"a query finds words that are gone", "cw_conflict_address_table", "asked_row[KEY_W] && asked_row",
         "(asked_row[KEY_W] || 1'b1) && asked_row", SMALL},
        {"the sweep leaves the last set", "cw_conflict_address_table", "sweep_q && !(&sweep_set_q)", "sweep_q && !(&(sweep_set_q | NEXT))",
         ARTIFACT},
        {"a query sees an update too late", "cw_conflict_address_table", "asked_near && wrote_q[w]", "asked_near && 1'b0 && wrote_q[w]",
         TABLE},
        {"sets are chosen by another hash", "cw_conflict_address_table", "32'h0ca7ca75", "32'h10203040", SMALL},
        {"idle comes before the answers", "cw_conflict_address_table", "!done_q && !asked_q && !ans_valid_q;", "!asked_q;", TABLE},
        {"the tag comes without a query", "cw_conflict_address_table", "asked_q ? asked_tag_q", "asked_q || 1'b1 ? asked_tag_q", TABLE}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Directed */

static void wait_ready(struct dut *d)
{
    dut_eval(d);
    while (!d->out.ready)
        dut_cycle(d), dut_eval(d);
}

/* An update, and whether it was refused. */
static bool update(struct dut *d, uint64_t word, bool leaves)
{
    wait_ready(d);
    d->in.upd_valid = 1;
    d->in.upd_word = word;
    d->in.upd_remove = leaves;
    dut_cycle(d);
    dut_cycle(d);
    dut_cycle(d);
    dut_eval(d);
    assert_int_equal(d->out.upd_done, 1);
    return d->out.upd_refused;
}

static bool held(struct dut *d, uint64_t word)
{
    wait_ready(d);
    d->in.qry_valid = 1;
    d->in.qry_word = word;
    d->in.qry_tag = 1;
    dut_cycle(d);
    dut_cycle(d);
    dut_eval(d);
    assert_int_equal(d->out.ans_valid, 1);
    assert_int_equal(d->out.ans_tag, 1);
    return d->out.ans_held;
}

static void test_conflict_address_table__is_a_set(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &table, backends[b]);
        assert_false(held(&d, 77));
        assert_false(update(&d, 77, false));
        assert_false(update(&d, 77, false));
        assert_true(held(&d, 77));
        assert_int_equal(d.out.empty, 0);
        assert_false(update(&d, 78, true));
        assert_true(held(&d, 77));
        assert_false(update(&d, 77, true));
        assert_false(held(&d, 77));
        assert_int_equal(d.out.empty, 1);
        dut_close(&d);
    }
}

/* Two sets of three: of seven words or more at least one is refused, six are there, and a place that is free again is taken. */
static void test_conflict_address_table__refuses_what_has_no_room(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint32_t there = 0, last = 0;
        dut_open(&d, &small, backends[b]);
        for (uint32_t word = 0; word < 64; word++) {
            const bool refused = update(&d, word, false);
            assert_int_equal(held(&d, word), !refused);
            there += !refused;
            last = refused ? last : word;
        }
        assert_int_equal(there, 6);
        assert_true(update(&d, last + 1, false));
        assert_false(update(&d, last, true));
        there = 0;
        for (uint32_t word = 0; word < 64; word++)
            there += held(&d, word);
        assert_int_equal(there, 5);
        assert_false(update(&d, last, false));
        dut_close(&d);
    }
}

/* Each word goes to the set of its hash, and is refused exactly when three words of that set are there. */
static void test_conflict_address_table__a_set_is_a_hash(void **state)
{
    struct cw_h3 hash;
    (void)state;
    cw_h3_init(&hash, 0x0ca7ca75, small.key_w, small.set_w);
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint32_t there[2] = {0};
        dut_open(&d, &small, backends[b]);
        for (uint32_t word = 0; word < 64; word++) {
            const uint32_t set = cw_h3(&hash, word);
            assert_int_equal(update(&d, word, false), there[set] == small.ways);
            there[set] += there[set] < small.ways;
        }
        assert_int_equal(there[0] + there[1], 6);
        dut_close(&d);
    }
}

/* An update in each cycle: two words of one set of one place. An answer each, three cycles later, and in the end what they leave. */
static void test_conflict_address_table__updates_follow_each_other(void **state)
{
    static const struct {
        bool other, remove, refused;
    } steps[] = {
        {false, false, false}, /* enters */
        {true, false, true},   /* no room */
        {false, false, false}, /* is there, though its set is full */
        {true, true, false},   /* is not there: no effect */
        {true, false, true},   /* still no room */
        {false, true, false},  /* leaves */
        {true, false, false},  /* enters */
        {false, true, false},  /* is not there */
        {false, false, true},  /* no room */
        {true, true, false},   /* leaves */
        {true, true, false},   /* is not there */
        {false, false, false}, /* enters */
    };
    enum { STEPS = sizeof steps / sizeof steps[0] };
    struct cw_h3 hash;
    uint32_t other = 1;
    (void)state;
    cw_h3_init(&hash, 0x0ca7ca75, minimal.key_w, minimal.set_w);
    while (cw_h3(&hash, other) != cw_h3(&hash, 0))
        other++;
    for (int b = 0; b < 2; b++)
        for (uint32_t apart = 1; apart <= 4; apart++) { /* cycles from one to the next */
            struct dut d;
            dut_open(&d, &minimal, backends[b]);
            wait_ready(&d);
            for (uint32_t t = 0; t < STEPS * apart + 3; t++) {
                const uint32_t n = t / apart;
                d.in.upd_valid = t % apart == 0 && n < STEPS;
                d.in.upd_word = n < STEPS && steps[n].other ? other : 0;
                d.in.upd_remove = n < STEPS && steps[n].remove;
                dut_cycle(&d);
                const bool done = t >= 3 && (t - 3) % apart == 0 && (t - 3) / apart < STEPS;
                assert_int_equal(d.out.upd_done, done);
                assert_int_equal(d.out.upd_refused, done && steps[(t - 3) / apart].refused);
            }
            assert_true(held(&d, 0));
            assert_false(held(&d, other));
            dut_close(&d);
        }
}

/* Three cycles after an update, and idle as long; a query keeps the unit awake for two. */
static void test_conflict_address_table__empty_counts_three_cycles_later(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &table, backends[b]);
        wait_ready(&d);
        for (uint32_t removes = 0; removes < 2; removes++)
            for (uint32_t t = 0; t < 5; t++) {
                d.in = (in_t){.upd_valid = t == 0, .upd_word = 9, .upd_remove = removes};
                dut_cycle(&d);
                assert_int_equal(d.out.empty, (t >= 3) == (removes == 1));
                assert_int_equal(d.out.idle, t == 0 || t > 3);
            }
        for (uint32_t t = 0; t < 4; t++) {
            d.in = (in_t){.qry_valid = t == 0};
            dut_cycle(&d);
            assert_int_equal(d.out.idle, t == 0 || t > 2);
        }
        dut_close(&d);
    }
}

/* A query in each cycle, of words that are there by turns; the tag goes with the answer, and what is no answer is 0. */
static void test_conflict_address_table__a_query_each_cycle(void **state)
{
    enum { QUERIES = 20 };
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &table, backends[b]);
        for (uint32_t word = 0; word < QUERIES; word += 2)
            assert_false(update(&d, word * 1001, false));
        dut_cycle(&d);
        for (uint32_t t = 0; t < QUERIES + 4; t++) {
            d.in = (in_t){.qry_valid = t < QUERIES, .qry_word = t * 1001, .qry_tag = 127 - t};
            dut_cycle(&d);
            const bool answered = t >= 2 && t < QUERIES + 2;
            assert_int_equal(d.out.ans_valid, answered);
            assert_int_equal(d.out.ans_tag, answered ? 127 - (t - 2) : 0);
            assert_int_equal(d.out.ans_held, answered && t % 2 == 0);
        }
        dut_close(&d);
    }
}

/* 2^set_w cycles after a reset, in which nothing is taken. */
static void test_conflict_address_table__the_sweep_takes_nothing(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &table, backends[b]);
        for (uint32_t t = 0; t < (1u << table.set_w) + 4; t++) {
            const bool sweeps = t < 1u << table.set_w;
            d.in = (in_t){.upd_valid = sweeps, .qry_valid = sweeps, .upd_word = 9, .qry_word = 9, .qry_tag = 3};
            dut_cycle(&d);
            assert_int_equal(d.out.ready, !sweeps);
            assert_int_equal(d.out.idle, !sweeps);
            assert_int_equal(d.out.upd_done, 0);
            assert_int_equal(d.out.ans_valid, 0);
            assert_int_equal(d.out.empty, 1);
        }
        assert_false(held(&d, 9));
        dut_close(&d);
    }
}

/* The query of cycle t sees the update of t - 2, and not that of t - 1. */
static void test_conflict_address_table__query_sees_updates_two_cycles_older(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t after = 0; after < 4; after++) {
            struct dut d;
            dut_open(&d, &table, backends[b]);
            wait_ready(&d);
            d.in.upd_valid = 1;
            d.in.upd_word = d.in.qry_word = 9;
            d.in.qry_valid = after == 0;
            dut_cycle(&d);
            for (uint32_t i = 1; i <= after; i++) {
                d.in.qry_valid = i == after;
                d.in.qry_word = 9;
                dut_cycle(&d);
            }
            dut_cycle(&d);
            dut_eval(&d);
            assert_int_equal(d.out.ans_valid, 1);
            assert_int_equal(d.out.ans_held, after >= 2);
            dut_close(&d);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_conflict_address_table__fills),
    cmocka_unit_test(test_conflict_address_table__c_equals_rtl),
    cmocka_unit_test(test_conflict_address_table__broken_copies_are_caught),
    cmocka_unit_test(test_conflict_address_table__is_a_set),
    cmocka_unit_test(test_conflict_address_table__refuses_what_has_no_room),
    cmocka_unit_test(test_conflict_address_table__a_set_is_a_hash),
    cmocka_unit_test(test_conflict_address_table__updates_follow_each_other),
    cmocka_unit_test(test_conflict_address_table__empty_counts_three_cycles_later),
    cmocka_unit_test(test_conflict_address_table__a_query_each_cycle),
    cmocka_unit_test(test_conflict_address_table__the_sweep_takes_nothing),
    cmocka_unit_test(test_conflict_address_table__query_sees_updates_two_cycles_older),
};
CW_TEST_MAIN(tests)
