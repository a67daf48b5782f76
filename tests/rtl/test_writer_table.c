/* SPDX-License-Identifier: Apache-2.0 */
/* Writer table: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/writer_table.h"

#include <stdbool.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_writer_table_params params_t;
typedef struct cw_writer_table_in in_t;
typedef struct cw_writer_table_out out_t;

#define DUT_UNIT cw_writer_table_unit
#include "dut.h"

/*                               word_w id_w entries ways */
static const params_t table = {30, 10, 500, 8};
static const params_t minimal = {1, 1, 1, 1};
static const params_t odd = {9, 5, 23, 3};
static const params_t wide = {40, 10, 2000, 5};
static const params_t few = {8, 3, 8, 4};
static const params_t largest = {40, 10, 65536, 8};

enum { TABLE, MINIMAL, ODD, WIDE, FEW, LARGEST, SETS };

/* Few words and few transactions, so that they meet; many claims, and commits, so that a word's places become full; sweeps are rare. */
static void few_words(void *context, struct cw_rng *rng, const void *last_out, void *in)
{
    in_t *i = in;
    (void)context;
    (void)last_out;
    i->sweep = cw_rng_below(rng, 1000) == 0;
    if (cw_rng_below(rng, 16) != 0) {
        i->op_word &= 15;
        i->op_id &= 31;
    }
    if (cw_rng_below(rng, 3) != 0)
        i->op_kind = CW_WRITER_CLAIM;
    else if (i->op_kind >= CW_WRITER_FREE && cw_rng_below(rng, 4) != 0)
        i->op_kind = CW_WRITER_COMMIT;
}

static const struct cw_lockstep_set sets[SETS] = {{"table", &table, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0},
                                                  {"wide", &wide, 0},   {"few", &few, 0},         {"largest", &largest, 0}};

static const struct cw_lockstep_bench bench = {&cw_writer_table_unit, sets, SETS, few_words, NULL};

static void test_writer_table__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

#define UNIT "cw_writer_table"
static void test_writer_table__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"a second one that runs is granted the word", UNIT, "wants   = claim && !own && !owner_any", "wants   = claim && !own", TABLE},
        {"one that has committed still owns the word", UNIT, "writers[w] && state == RUNS", "writers[w]", TABLE},
        {"a place that does not count stays taken", UNIT, "room[w]     = !counts[w] && !room_any", "room[w]     = !used4_q[w] && !room_any",
         FEW},
        {"entries of nobody count", UNIT, "used4_q[w] && state != NOBODY", "used4_q[w]", TABLE},
        {"an entry of any word counts", UNIT, "at[WORD_W-1:0] == word2_q", "(at[WORD_W-1:0] == word2_q || 1'b1)", TABLE},
        {"a release leaves the entry", UNIT, ": gives ? own4_q", ": gives && 1'b0 ? own4_q", TABLE},
        {"the sweep takes out what counts", UNIT, "is_row ? used4_q & ~counts", "is_row ? used4_q", ODD},
        {"the sweep leaves the last row", UNIT, "(take_row ? sweep_row_q == LAST_ROW", "(take_row ? sweep_row_q + ROW_ONE == LAST_ROW",
         ODD},
        {"operations hold up the sweep", UNIT, "free && !(sweep_q && rows_turn_q)", "free && !(sweep_q && rows_turn_q && 1'b0)", TABLE},
        {"high ways order the bits of their hash otherwise", UNIT, "= out[31:16]", "= {out[30:16], out[31]}", TABLE},
        {"one row more than a way has", UNIT, "(ENTRIES + WAYS - 1 - g) / WAYS", "(ENTRIES + WAYS - 1) / WAYS", ODD},
        {"a used place counts twice", UNIT, "grows   = |(fill & ~used4_q)", "grows   = |fill", FEW},
        {"the states are not cleared", UNIT, "(clear_q || sets)", "(sets)", TABLE}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Directed */

static void operate(struct dut *d, uint64_t kind, uint64_t word, uint64_t id)
{
    dut_eval(d);
    while (!d->out.op_ready)
        dut_cycle(d), dut_eval(d);
    d->in.op_valid = 1;
    d->in.op_kind = kind;
    d->in.op_word = word;
    d->in.op_id = id;
    dut_cycle(d);
}

/* The result of an operation with an answer, which is five cycles after it. */
static uint64_t ask(struct dut *d, uint64_t kind, uint64_t word, uint64_t id)
{
    operate(d, kind, word, id);
    for (int i = 1; i < 5; i++) {
        dut_cycle(d);
        assert_int_equal(d->out.ans_valid, 0);
    }
    dut_eval(d);
    assert_int_equal(d->out.ans_valid, 1);
    return d->out.ans_result;
}

static void begin(struct dut *d, uint64_t first, uint64_t cnt)
{
    for (uint64_t id = first; id < first + cnt; id++)
        operate(d, CW_WRITER_RUN, 0, id);
}

/* Whether the answer that is there lists the transaction. */
static bool lists(const struct dut *d, const params_t *p, uint64_t id)
{
    for (uint32_t w = 0; w < p->ways; w++) {
        const uint64_t found = d->out.ans_ids[w / 2] >> 16 * (w % 2) & 0xffff;
        if ((d->out.ans_writers >> w & 1) != 0 && found == id)
            return true;
    }
    return false;
}

static void sweep(struct dut *d)
{
    d->in.sweep = 1;
    do
        dut_cycle(d), dut_eval(d);
    while (d->out.sweep_busy);
}

static void test_writer_table__one_writer_runs(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &table, backends[b]);
        begin(&d, 1, 4);
        assert_int_equal(ask(&d, CW_WRITER_CLAIM, 100, 1), CW_WRITER_GRANTED);
        assert_int_equal(ask(&d, CW_WRITER_CLAIM, 100, 2), CW_WRITER_OWNED);
        assert_int_equal(d.out.ans_owner, 1);
        assert_int_equal(ask(&d, CW_WRITER_CLAIM, 101, 2), CW_WRITER_GRANTED);
        assert_int_equal(ask(&d, CW_WRITER_CLAIM, 100, 1), CW_WRITER_OWN);
        assert_int_equal(ask(&d, CW_WRITER_RELEASE, 100, 2), CW_WRITER_GRANTED); /* it has none */
        assert_int_equal(ask(&d, CW_WRITER_CLAIM, 100, 3), CW_WRITER_OWNED);
        operate(&d, CW_WRITER_COMMIT, 0, 1);
        assert_int_equal(ask(&d, CW_WRITER_CLAIM, 100, 3), CW_WRITER_GRANTED);
        assert_true(lists(&d, &table, 1));
        assert_int_equal(ask(&d, CW_WRITER_QUERY, 100, 4), CW_WRITER_GRANTED);
        assert_true(lists(&d, &table, 1) && lists(&d, &table, 3) && !lists(&d, &table, 2));
        assert_int_equal(d.out.used, 3);
        assert_int_equal(ask(&d, CW_WRITER_RELEASE, 100, 3), CW_WRITER_OWN);
        assert_int_equal(ask(&d, CW_WRITER_CLAIM, 100, 4), CW_WRITER_GRANTED);
        assert_true(lists(&d, &table, 1) && !lists(&d, &table, 3));
        dut_close(&d);
    }
}

/* A word has as many entries as there are ways; room comes when one of their transactions is nobody's, and with it the word's own entry. */
static void test_writer_table__full(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &table, backends[b]);
        begin(&d, 0, 9);
        for (uint64_t id = 0; id < 8; id++) {
            assert_int_equal(ask(&d, CW_WRITER_CLAIM, 7, id), CW_WRITER_GRANTED);
            operate(&d, CW_WRITER_COMMIT, 0, id);
        }
        assert_int_equal(ask(&d, CW_WRITER_CLAIM, 7, 8), CW_WRITER_FULL);
        operate(&d, CW_WRITER_FREE, 0, 5);
        assert_int_equal(ask(&d, CW_WRITER_QUERY, 7, 8), CW_WRITER_GRANTED);
        assert_false(lists(&d, &table, 5));
        assert_int_equal(ask(&d, CW_WRITER_CLAIM, 7, 8), CW_WRITER_GRANTED);
        assert_int_equal(d.out.used, 8);
        dut_close(&d);
    }
}

/* Every place can be used: 64 words at most of 8 bits, 23 entries. */
static void test_writer_table__as_many_entries_as_it_has(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        begin(&d, 0, 1);
        for (uint64_t word = 0; word < 512; word++)
            ask(&d, CW_WRITER_CLAIM, word, 0);
        assert_int_equal(d.out.used, 23);
        operate(&d, CW_WRITER_FREE, 0, 0);
        sweep(&d);
        assert_int_equal(d.out.used, 0);
        dut_close(&d);
    }
}

/* Claims of distinct words by one transaction until the first that finds no room: how full the default table is by then. If all ways were
 * equally full, all places of a word would be taken with x^8 at a load x, and one such claim be expected at 500 x^9 / 9 = 1, x = 0.64. The lowest ways
 * are fuller than the others, and the product of unequal loads is smaller than that. */
static void test_writer_table__conflicts(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        uint64_t sum = 0;
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct dut d;
            dut_open(&d, &table, backends[b]);
            begin(&d, 0, 1);
            for (uint64_t i = 0; ask(&d, CW_WRITER_CLAIM, (seed * 1000 + i) * 0x9e3779b1u & 0x3fffffff, 0) == CW_WRITER_GRANTED; i++)
                ;
            sum += d.out.used;
            dut_close(&d);
        }
        assert_in_range(sum / 20, 320, 450);
    }
}

static void test_writer_table__a_sweep_goes_on_beside_operations(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &table, backends[b]);
        begin(&d, 0, 2);
        for (uint64_t word = 0; word < 100; word++)
            ask(&d, CW_WRITER_CLAIM, word, word & 1);
        operate(&d, CW_WRITER_FREE, 0, 0);
        d.in.sweep = 1;
        dut_cycle(&d);
        uint32_t operations = 0;
        for (dut_eval(&d); d.out.sweep_busy; dut_eval(&d), operations++)
            assert_int_equal(ask(&d, CW_WRITER_QUERY, operations % 100, 1), operations % 2 == 1 ? CW_WRITER_OWN : CW_WRITER_GRANTED);
        assert_in_range(operations, 62, 64); /* 63 rows take turns with as many operations */
        assert_int_equal(d.out.used, 50);
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_writer_table__c_equals_rtl),
    cmocka_unit_test(test_writer_table__broken_copies_are_caught),
    cmocka_unit_test(test_writer_table__one_writer_runs),
    cmocka_unit_test(test_writer_table__full),
    cmocka_unit_test(test_writer_table__as_many_entries_as_it_has),
    cmocka_unit_test(test_writer_table__conflicts),
    cmocka_unit_test(test_writer_table__a_sweep_goes_on_beside_operations),
};
CW_TEST_MAIN(tests)
