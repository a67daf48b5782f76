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
#include "fill/writer_table.h"

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
        {"the highest place first", UNIT, "room[w]     = !counts[w] && !room_any",
         "room[w]     = !counts[w] && (w == WAYS - 1 || !room_any)", FEW},
        {"a free transaction is called committed", UNIT, "kind3_q == COMMIT ? COMMITTED : NOBODY",
         "kind3_q == COMMIT || kind3_q == FREE ? COMMITTED : NOBODY", TABLE},
        {"a release lets the next one in at once", UNIT, "(op_kind_i == CLAIM || op_kind_i == RELEASE)", "(op_kind_i == CLAIM)", TABLE},
        {"an answer to a state", UNIT, "step_q[3] && kind4_q < RUN", "step_q[3] && kind4_q < COMMIT", TABLE},
        {"the asker is listed too", UNIT, "same4_q[w] && !own4_q[w] && counts[w]", "same4_q[w] && counts[w]", TABLE},
        {"the owner of the highest way", UNIT, "{ID_W{owners[w] && !owner_any}}", "{ID_W{owners[w]}}", FEW},
        {"a sweep is busy a cycle less", UNIT, "sweep_busy_o  = sweep_q", "sweep_busy_o  = sweep_q && !(step_q[3] && is_row && last_row_q)",
         ODD},
        {"a second sweep goes on where the first one is", UNIT,
         "sweep_row_q <= sweep_i ? {ROW_W{1'b0}} :", "sweep_row_q <= sweep_i && !sweep_q ? {ROW_W{1'b0}} :", TABLE},
        {"ready while it is cleared", UNIT, "free     = !clear_q && alone_q", "free     = alone_q", TABLE},
        {"idle before the answer has left", UNIT, "step_q == 5'd0 && !sweep_q", "(step_q & 5'h0f) == 5'd0 && !sweep_q", TABLE},
        {"the operation's owner shows without being asked", UNIT, "answers && claim && !own ? owner", "answers && !own ? owner", TABLE},
        {"used counts at once", UNIT, "if (step_q[3])\n                used_q", "if (step_q[3] || is_row)\n                used_q", ODD},
        {"kind 6 is a row", UNIT, "kind3_q >= RUN && kind3_q != ROW", "kind3_q >= RUN && kind3_q < 3'd6", TABLE},
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

/* After a reset as long as the larger of the rows of a way and those of the states takes: 63 and 64, 8 and 2. */
static void test_writer_table__a_reset_clears(void **state)
{
    static const struct {
        const params_t *p;
        uint32_t cycles;
    } cases[] = {{&table, 64}, {&odd, 8}};
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t i = 0; i < 2; i++) {
            struct dut d;
            dut_open(&d, cases[i].p, backends[b]);
            begin(&d, 1, 1);
            assert_int_equal(ask(&d, CW_WRITER_CLAIM, 5, 1), CW_WRITER_GRANTED);
            d.inst.ops->reset(d.inst.self);
            for (uint32_t cycle = 0; cycle < cases[i].cycles; cycle++) {
                dut_cycle(&d);
                assert_int_equal(d.out.op_ready + d.out.idle, 0);
            }
            dut_eval(&d);
            assert_int_equal(d.out.op_ready, 1);
            assert_int_equal(d.out.idle, 1);
            assert_int_equal(ask(&d, CW_WRITER_QUERY, 5, 1), CW_WRITER_GRANTED);
            dut_close(&d);
        }
}

/* The answer of the cycle in progress, in which no way above 1 has a writer. */
static void expect_answer(struct dut *d, uint64_t result, uint64_t owner, uint64_t writers, uint64_t ids)
{
    assert_int_equal(d->out.ans_valid, 1);
    assert_int_equal(d->out.ans_result, result);
    assert_int_equal(d->out.ans_owner, owner);
    assert_int_equal(d->out.ans_writers, writers);
    assert_int_equal(d->out.ans_ids[0], ids);
    assert_int_equal(d->out.ans_ids[1] | d->out.ans_ids[2] | d->out.ans_ids[3], 0);
}

/* A claim takes the lowest place; the owner of the lowest way is told, though two run, which the user should not let happen. */
static void test_writer_table__the_lowest_way(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &table, backends[b]);
        begin(&d, 1, 3);
        ask(&d, CW_WRITER_CLAIM, 100, 1);
        expect_answer(&d, CW_WRITER_GRANTED, 0, 0, 0);
        operate(&d, CW_WRITER_COMMIT, 0, 1);
        ask(&d, CW_WRITER_CLAIM, 100, 2);
        expect_answer(&d, CW_WRITER_GRANTED, 0, 1, 1);
        ask(&d, CW_WRITER_CLAIM, 100, 3);
        expect_answer(&d, CW_WRITER_OWNED, 2, 3, 2 << 16 | 1);
        begin(&d, 1, 1);
        ask(&d, CW_WRITER_CLAIM, 100, 3);
        expect_answer(&d, CW_WRITER_OWNED, 1, 3, 2 << 16 | 1);
        ask(&d, CW_WRITER_RELEASE, 100, 1);
        expect_answer(&d, CW_WRITER_OWN, 0, 2, 2 << 16);
        ask(&d, CW_WRITER_QUERY, 100, 1);
        expect_answer(&d, CW_WRITER_GRANTED, 0, 2, 2 << 16);
        operate(&d, CW_WRITER_COMMIT, 0, 2);
        ask(&d, CW_WRITER_CLAIM, 100, 3);
        expect_answer(&d, CW_WRITER_GRANTED, 0, 2, 2 << 16);
        operate(&d, CW_WRITER_FREE + 1, 0, 2); /* counts as FREE, and so does the next kind */
        ask(&d, CW_WRITER_QUERY, 100, 1);
        expect_answer(&d, CW_WRITER_GRANTED, 0, 1, 3);
        operate(&d, CW_WRITER_FREE + 2, 0, 3);
        ask(&d, CW_WRITER_QUERY, 100, 1);
        expect_answer(&d, CW_WRITER_GRANTED, 0, 0, 0);
        assert_int_equal(d.out.used, 2);
        dut_close(&d);
    }
}

/* An operation per cycle: answers come in the fifth cycle after, and each sees those before it. */
static void test_writer_table__one_per_cycle(void **state)
{
    static const struct {
        uint64_t kind, id, valid, result, writers;
    } steps[] = {
        {CW_WRITER_QUERY, 2, 1, CW_WRITER_GRANTED, 1}, {CW_WRITER_COMMIT, 1, 0, 0, 0}, {CW_WRITER_QUERY, 1, 1, CW_WRITER_OWN, 0},
        {CW_WRITER_QUERY, 2, 1, CW_WRITER_GRANTED, 1}, {CW_WRITER_FREE, 1, 0, 0, 0},   {CW_WRITER_QUERY, 2, 1, CW_WRITER_GRANTED, 0},
        {CW_WRITER_CLAIM, 2, 1, CW_WRITER_GRANTED, 0}};
    enum { STEPS = sizeof steps / sizeof steps[0] };
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &few, backends[b]);
        begin(&d, 1, 2);
        assert_int_equal(ask(&d, CW_WRITER_CLAIM, 9, 1), CW_WRITER_GRANTED);
        dut_cycle(&d);
        for (uint32_t i = 0; i < STEPS + 5; i++) {
            d.in.op_valid = i < STEPS;
            d.in.op_kind = i < STEPS ? steps[i].kind : 0;
            d.in.op_id = i < STEPS ? steps[i].id : 0;
            d.in.op_word = 9;
            dut_eval(&d);
            assert_int_equal(d.out.op_ready, i < STEPS || i == STEPS + 4); /* after the claim it is 0 in four cycles */
            assert_int_equal(d.out.ans_valid, i >= 5 && steps[i - 5].valid);
            assert_int_equal(d.out.ans_result, i >= 5 ? steps[i - 5].result : 0);
            assert_int_equal(d.out.ans_writers, i >= 5 ? steps[i - 5].writers : 0);
            assert_int_equal(d.out.ans_ids[0], i >= 5 ? steps[i - 5].writers : 0); /* transaction 1, in way 0 */
            assert_int_equal(d.out.idle, i == 0);
            assert_int_equal(d.out.used, 1); /* the claim takes the place of an entry that does not count */
            dut_tick(&d);
        }
        for (int i = 0; i < 20; i++) {
            dut_cycle(&d);
            assert_int_equal(d.out.idle, 1);
        }
        assert_int_equal(ask(&d, CW_WRITER_CLAIM, 9, 2), CW_WRITER_OWN);
        dut_close(&d);
    }
}

/* Two rows, of which one begins in the cycle after `sweep`, the other five cycles later; a second `sweep` begins with the first row anew. */
static void test_writer_table__a_sweep_in_time(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t again = 0; again < 2; again++) {
            const uint32_t end = again ? 21 : 11;
            struct dut d;
            dut_open(&d, &few, backends[b]);
            begin(&d, 1, 2);
            for (uint64_t word = 0; word < 4; word++)
                assert_int_equal(ask(&d, CW_WRITER_CLAIM, word, 1 + word % 2), CW_WRITER_GRANTED);
            operate(&d, CW_WRITER_FREE, 0, 1);
            for (uint32_t i = 0; i < 5; i++)
                dut_cycle(&d);
            assert_int_equal(d.out.used, 4);
            for (uint32_t i = 0; i <= end; i++) {
                d.in.sweep = i == 0 || (again && i == 7);
                dut_cycle(&d);
                assert_int_equal(d.out.sweep_busy, i > 0 && i < end);
                assert_int_equal(d.out.idle, i == 0);
                assert_int_equal(d.out.op_ready, i == 0 || (i > 1 && i % 5 == 1));
                assert_in_range(d.out.used, 2, i < 11 ? 4 : 2);
            }
            assert_int_equal(ask(&d, CW_WRITER_CLAIM, 1, 2), CW_WRITER_OWN);
            assert_int_equal(ask(&d, CW_WRITER_CLAIM, 3, 2), CW_WRITER_OWN);
            dut_close(&d);
        }
}

/* rtl/README.md's hash, built from its text. */
static uint32_t step32(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

static uint32_t readme_hash(uint32_t seed, uint64_t key)
{
    uint32_t hash = 0, x = seed;
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t low = step32(x), high = step32(low);
        hash |= (uint32_t)__builtin_parityll(key & ((uint64_t)high << 32 | low)) << i;
        x = high;
    }
    return hash;
}

/* Words claimed by one transaction lie where the contract says: each in the lowest way whose row is not taken. */
static void test_writer_table__places_are_those_of_the_readme(void **state)
{
    static const uint32_t seeds[] = {0x10203040, 0x20304010, 0x30401020, 0x40102030};
    enum { WORDS = 600, WAYS = 8 };
    (void)state;
    assert_int_equal(readme_hash(seeds[0], 0x12345678) & 0xff, 0x9c);
    for (int b = 0; b < 2; b++) {
        bool taken[WAYS][64] = {{false}};
        uint32_t used = 0;
        struct dut d;
        dut_open(&d, &table, backends[b]);
        begin(&d, 1, 1);
        for (uint64_t i = 0; i < WORDS; i++) {
            const uint64_t word = i * 0x9e3779b1u & 0x3fffffff;
            uint32_t way = 0;
            for (bool room = false; way < WAYS && !room; way += room ? 0 : 1) {
                const uint64_t rows = (500 + WAYS - 1 - way) / WAYS,
                               hash = readme_hash(seeds[way % 4], word) >> (way < 4 ? 0 : 16) & 0xffff;
                room = !taken[way][hash * rows >> 16];
                taken[way][hash * rows >> 16] = true;
            }
            used += way < WAYS ? 1 : 0;
            assert_int_equal(ask(&d, CW_WRITER_CLAIM, word, 1), way < WAYS ? CW_WRITER_GRANTED : CW_WRITER_FULL);
            assert_int_equal(d.out.used, used);
            ask(&d, CW_WRITER_QUERY, word, 2);
            assert_int_equal(d.out.ans_writers, way < WAYS ? 1 << way : 0);
        }
        assert_in_range(used, 450, 499);
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_writer_table__fills),
    cmocka_unit_test(test_writer_table__c_equals_rtl),
    cmocka_unit_test(test_writer_table__broken_copies_are_caught),
    cmocka_unit_test(test_writer_table__one_writer_runs),
    cmocka_unit_test(test_writer_table__full),
    cmocka_unit_test(test_writer_table__as_many_entries_as_it_has),
    cmocka_unit_test(test_writer_table__conflicts),
    cmocka_unit_test(test_writer_table__a_sweep_goes_on_beside_operations),
    cmocka_unit_test(test_writer_table__a_reset_clears),
    cmocka_unit_test(test_writer_table__the_lowest_way),
    cmocka_unit_test(test_writer_table__one_per_cycle),
    cmocka_unit_test(test_writer_table__a_sweep_in_time),
    cmocka_unit_test(test_writer_table__places_are_those_of_the_readme),
};
CW_TEST_MAIN(tests)
