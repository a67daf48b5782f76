/* SPDX-License-Identifier: Apache-2.0 */
/* Reference count table: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/reference_count_table.h"

#include <stdbool.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_reference_count_table_params params_t;
typedef struct cw_reference_count_table_in in_t;
typedef struct cw_reference_count_table_out out_t;

#define DUT_UNIT cw_reference_count_table_unit
#include "dut.h"
#include "fill/reference_count_table.h"

/*                               ways set_w key_w count_w */
static const params_t table = {6, 9, 30, 10};
static const params_t minimal = {1, 1, 4, 1};
static const params_t crowded = {5, 1, 6, 2};
static const params_t full = {8, 3, 9, 16};
static const params_t largest = {8, 13, 30, 16};

enum { TABLE, MINIMAL, CROWDED, FULL, LARGEST, SETS };

/* Few words, so that sets fill, counts reach their ends, and an operation is of the word before. */
static void few_words(void *context, struct cw_rng *rng, const void *last_out, void *in)
{
    in_t *i = in;
    (void)context;
    (void)last_out;
    if (cw_rng_below(rng, 32) != 0)
        i->op_word &= cw_rng_below(rng, 2) != 0 ? 0x1f : 3;
}

static const struct cw_lockstep_set sets[SETS] = {
    {"table", &table, 0}, {"minimal", &minimal, 0}, {"crowded", &crowded, 0}, {"full", &full, 0}, {"largest", &largest, 0}};

static const struct cw_lockstep_bench bench = {&cw_reference_count_table_unit, sets, SETS, few_words, NULL};

static void test_reference_count_table__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

#define UNIT "cw_reference_count_table"
static void test_reference_count_table__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"an operation does not see the one before it", UNIT, "read_near_q && write_q[w]", "read_near_q && 1'b0 && write_q[w]", TABLE},
        {"a count wraps at its top", UNIT, "(known ? !(&count) : |free)", "(known ? 1'b1 : |free)", CROWDED},
        {"a new word takes an entry that is not free", UNIT, "(known ? !(&count) : |free)", "(known ? !(&count) : 1'b1)", CROWDED},
        {"a word without an entry is released", UNIT, "down    = read_release_q && known", "down    = read_release_q", TABLE},
        {"the edge comes a release early", UNIT, "known && count == ONE", "known && count == ONE + ONE", FULL},
        {"every acquire is an edge", UNIT, ": !known && |free);", ": |free);", TABLE},
        {"a free entry has a word", UNIT, "= !free[w] && row", "= row", CROWDED},
        {"a release counts up", UNIT, "read_release_q ? count - ONE", "read_release_q && 1'b0 ? count - ONE", FULL},
        {"the sweep leaves the last set", UNIT, "sweep_q && !(&sweep_set_q)", "sweep_q && !(&(sweep_set_q | NEXT))", FULL},
        {"the answer comes at once", UNIT, "done_q      <= read_q;", "done_q      <= take;", TABLE},
        {"a refused release is called counted", UNIT, "read_q && (up || down);", "read_q && (up || read_release_q);", TABLE},
        {"idle while an answer is due", UNIT, "!sweep_q && !read_q && !done_q", "!sweep_q && !done_q", TABLE},
        {"the second of two refused acquires is an edge", UNIT, ": !known && |free);", ": !known && (|free || read_near_q));", CROWDED},
        {"ready during the sweep", UNIT, "op_ready_o    = !sweep_q", "op_ready_o    = !(sweep_q && sweep_set_q[0])", TABLE},
        {"a hash of another seed", UNIT, "32'h4ef0c043", "32'h4ef0c041", CROWDED},
        {"a row that is being written is read as it was", "cw_ram_1r1w_fwd", "fwd_q ? fwd_data_q : ram_data",
         "fwd_q && 1'b0 ? fwd_data_q : ram_data", TABLE}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Directed */

enum { REFUSED, COUNTED, EDGE = 3 }; /* ans_counted, and twice ans_edge */

static int operate(struct dut *d, bool release, uint64_t word)
{
    dut_eval(d);
    while (!d->out.op_ready)
        dut_cycle(d), dut_eval(d);
    d->in.op_valid = 1;
    d->in.op_release = release;
    d->in.op_word = word;
    dut_cycle(d);
    dut_cycle(d);
    dut_eval(d);
    assert_int_equal(d->out.ans_valid, 1);
    return (int)(d->out.ans_counted + 2 * d->out.ans_edge);
}

static int acquire(struct dut *d, uint64_t word)
{
    return operate(d, false, word);
}

static int release(struct dut *d, uint64_t word)
{
    return operate(d, true, word);
}

static void test_reference_count_table__first_and_last_are_edges(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &table, backends[b]);
        assert_int_equal(release(&d, 5), REFUSED);
        assert_int_equal(acquire(&d, 5), EDGE);
        assert_int_equal(acquire(&d, 5), COUNTED);
        assert_int_equal(acquire(&d, 6), EDGE);
        assert_int_equal(release(&d, 5), COUNTED);
        assert_int_equal(release(&d, 5), EDGE);
        assert_int_equal(release(&d, 5), REFUSED);
        assert_int_equal(release(&d, 6), EDGE);
        dut_close(&d);
    }
}

static void test_reference_count_table__largest_count(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &table, backends[b]);
        assert_int_equal(acquire(&d, 5), EDGE);
        for (int i = 1; i < 1023; i++)
            assert_int_equal(acquire(&d, 5), COUNTED);
        assert_int_equal(acquire(&d, 5), REFUSED);
        for (int i = 1; i < 1023; i++)
            assert_int_equal(release(&d, 5), COUNTED);
        assert_int_equal(release(&d, 5), EDGE);
        dut_close(&d);
    }
}

/* Two sets of five: ten words find room, a word that has it is counted on, and room that is left is taken. */
static void test_reference_count_table__refuses_what_has_no_room(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint32_t there = 0, last = 0;
        dut_open(&d, &crowded, backends[b]);
        for (uint32_t word = 0; word < 64; word++)
            if (acquire(&d, word) == EDGE) {
                there++;
                last = word;
            }
        assert_int_equal(there, 10);
        assert_int_equal(acquire(&d, last), COUNTED);
        assert_int_equal(acquire(&d, last + 1), REFUSED);
        assert_int_equal(release(&d, last), COUNTED);
        assert_int_equal(release(&d, last), EDGE);
        there = 0;
        for (uint32_t word = 0; word < 64; word++)
            there += acquire(&d, word) == EDGE;
        assert_int_equal(there, 1);
        dut_close(&d);
    }
}

/* An operation per cycle, of one word, with counts up to 3: each sees those before it, and is answered two cycles later. */
static void test_reference_count_table__one_per_cycle(void **state)
{
    static const struct {
        int release, answer;
    } steps[] = {{1, REFUSED}, {0, EDGE},    {0, COUNTED}, {0, COUNTED}, {0, REFUSED},
                 {1, COUNTED}, {1, COUNTED}, {1, EDGE},    {1, REFUSED}, {0, EDGE}};
    enum { STEPS = sizeof steps / sizeof steps[0] };
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &crowded, backends[b]);
        assert_int_equal(release(&d, 9), REFUSED);
        dut_cycle(&d);
        for (uint32_t i = 0; i < STEPS + 20; i++) {
            const bool answer = i >= 2 && i < STEPS + 2;
            d.in.op_valid = i < STEPS;
            d.in.op_release = i < STEPS && steps[i].release;
            d.in.op_word = 9;
            dut_eval(&d);
            assert_int_equal(d.out.op_ready, 1);
            assert_int_equal(d.out.ans_valid, answer);
            assert_int_equal(d.out.ans_counted + 2 * d.out.ans_edge, answer ? steps[i - 2].answer : 0);
            assert_int_equal(d.out.idle, i == 0 || i >= STEPS + 2);
            dut_tick(&d);
        }
        assert_int_equal(release(&d, 9), EDGE);
        dut_close(&d);
    }
}

/* Bits 8:0 of the hash of rtl/README.md with the contract's seed, built from its text. */
static uint32_t readme_set(uint64_t key)
{
    uint32_t x = 0x4ef0c043, word[2], set = 0;
    for (uint32_t bit = 0; bit < 9; bit++) {
        for (int i = 0; i < 2; i++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            word[i] = x;
        }
        set |= (uint32_t)__builtin_parityll(key & ((uint64_t)word[1] << 32 | word[0])) << bit;
    }
    return set;
}

/* 512 sets of six entries, and words from all over. A word of a full set is refused, and leaves the words that are there as they are. */
static void test_reference_count_table__sets_are_those_of_the_readme(void **state)
{
    enum { WORDS = 4000 };
    static bool counted[WORDS];
    (void)state;
    for (int b = 0; b < 2; b++) {
        uint32_t there[512] = {0}, refused = 0;
        struct dut d;
        dut_open(&d, &table, backends[b]);
        for (uint32_t i = 0; i < WORDS; i++) {
            const uint64_t word = i * 0x9e3779b1u & 0x3fffffff;
            counted[i] = there[readme_set(word)]++ < 6;
            refused += !counted[i];
            assert_int_equal(acquire(&d, word), counted[i] ? EDGE : REFUSED);
        }
        assert_in_range(refused, WORDS - 512 * 6, WORDS / 2);
        for (uint32_t i = 0; i < WORDS; i++)
            assert_int_equal(release(&d, i * 0x9e3779b1u & 0x3fffffff), counted[i] ? EDGE : REFUSED);
        dut_close(&d);
    }
}

static void test_reference_count_table__a_reset_clears(void **state)
{
    static const struct {
        const params_t *p;
        uint32_t cycles;
    } cases[] = {{&table, 512}, {&crowded, 2}};
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t i = 0; i < 2; i++) {
            struct dut d;
            dut_open(&d, cases[i].p, backends[b]);
            for (uint64_t word = 0; word < 4; word++)
                assert_int_equal(acquire(&d, word), EDGE);
            d.inst.ops->reset(d.inst.self);
            for (uint32_t cycle = 0; cycle < cases[i].cycles; cycle++) {
                d.in.op_valid = 1; /* not taken */
                dut_cycle(&d);
                assert_int_equal(d.out.op_ready + d.out.idle + d.out.ans_valid, 0);
            }
            dut_cycle(&d);
            assert_int_equal(d.out.op_ready, 1);
            assert_int_equal(d.out.idle, 1);
            for (uint64_t word = 0; word < 4; word++)
                assert_int_equal(release(&d, word), REFUSED);
            dut_close(&d);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_reference_count_table__fills),
    cmocka_unit_test(test_reference_count_table__c_equals_rtl),
    cmocka_unit_test(test_reference_count_table__broken_copies_are_caught),
    cmocka_unit_test(test_reference_count_table__first_and_last_are_edges),
    cmocka_unit_test(test_reference_count_table__largest_count),
    cmocka_unit_test(test_reference_count_table__refuses_what_has_no_room),
    cmocka_unit_test(test_reference_count_table__one_per_cycle),
    cmocka_unit_test(test_reference_count_table__sets_are_those_of_the_readme),
    cmocka_unit_test(test_reference_count_table__a_reset_clears),
};
CW_TEST_MAIN(tests)
