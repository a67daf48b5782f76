/* SPDX-License-Identifier: Apache-2.0 */
/* Scalable reader list: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/scalable_reader_list.h"

#include <stdbool.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_scalable_reader_list_params params_t;
typedef struct cw_scalable_reader_list_in in_t;
typedef struct cw_scalable_reader_list_out out_t;

#define DUT_UNIT cw_scalable_reader_list_unit
#include "dut.h"
#include "fill/scalable_reader_list.h"

/*                               word_w id_w leaf_w entries ways */
static const params_t table = {30, 10, 5, 14642, 8};
static const params_t minimal = {1, 2, 1, 1, 1};
static const params_t odd = {9, 6, 3, 61, 3};
static const params_t wide = {40, 9, 4, 2000, 5};
static const params_t few = {4, 8, 5, 40, 6};
static const params_t largest = {40, 10, 5, 65536, 8};

enum { TABLE, MINIMAL, ODD, WIDE, FEW, LARGEST, SETS };

/* Few words, so that they have many readers; adds and removes, few sweeps, and a user that lets readers wait. */
static void few_words(void *context, struct cw_rng *rng, const void *last_out, void *in)
{
    in_t *i = in;
    (void)context;
    (void)last_out;
    i->sweep = cw_rng_below(rng, 1000) == 0;
    if (cw_rng_below(rng, 8) != 0)
        i->op_word &= 7;
    if (cw_rng_below(rng, 4) != 0)
        i->op_id &= 127;
    i->rdr_ready = cw_rng_below(rng, 4) != 0;
    if (cw_rng_below(rng, 3) != 0)
        i->op_kind = cw_rng_below(rng, 12) != 0 ? CW_READER_ADD : CW_READER_LIST;
    else if (i->op_kind >= CW_READER_FREE && cw_rng_below(rng, 4) != 0)
        i->op_kind = CW_READER_RUN;
}

static const struct cw_lockstep_set sets[SETS] = {{"table", &table, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0},
                                                  {"wide", &wide, 0},   {"few", &few, 0},         {"largest", &largest, 0}};

static const struct cw_lockstep_bench bench = {&cw_scalable_reader_list_unit, sets, SETS, few_words, NULL};

static void test_scalable_reader_list__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_scalable_reader_list__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"what was made for a root without room stays", "cw_reader_list_decide", "writes = hit_i;\n            frees  = 1'b1",
         "writes = 1'b0;\n            frees  = 1'b1", FEW},
        {"an empty leaf stays", "cw_reader_list_decide", "frees    = no_leaf;", "frees    = 1'b0;", ODD},
        {"an empty root stays", "cw_reader_list_decide", "frees    = no_root;", "frees    = no_root && 1'b0;", ODD},
        {"a leaf of another number is taken", "cw_reader_list_compare", "at[WORD_W+LEAVES +: ROOT_W] == leaf_no_i",
         "(at[WORD_W+LEAVES +: ROOT_W] == leaf_no_i || 1'b1)", FEW},
        {"an entry of any word is taken", "cw_reader_list_compare", "at[0 +: WORD_W] == word_i", "(at[0 +: WORD_W] == word_i || 1'b1)",
         ODD},
        {"the sweep takes all", "cw_reader_list_decide", "keep_i & has", "keep_i & has & 3'd0", ODD},
        {"the sweep leaves leaves", "cw_scalable_reader_list", "body[LEAVES-1:0] & live[LEAVES-1:0]", "body[LEAVES-1:0]", ODD},
        {"a reader is there twice", "cw_reader_list_decide", "result = has_id ? SAME", "result = has_id && 1'b0 ? SAME", ODD},
        {"readers do not wait", "cw_scalable_reader_list", "!(kind_q == LIST && !give_over)", "!(kind_q == LIST && !give_over && 1'b0)",
         ODD},
        {"one row more than a way has", "cw_reader_list_ways", "(ENTRIES + WAYS - 1 - g) / WAYS", "(ENTRIES + WAYS - 1) / WAYS", ODD},
        {"what is at hand is of another word", "cw_scalable_reader_list", "op_word_i == word_q", "1'b1", ODD},
        {"what is at hand is of another leaf", "cw_scalable_reader_list", "op_id_i[ID_W-1:LEAF_W] == id_q[ID_W-1:LEAF_W]", "1'b1", ODD},
        {"a row leaves what is at hand", "cw_scalable_reader_list", "begins || take_row || ends", "begins || ends", ODD},
        {"the root is written to the leaf's place", "cw_reader_list_find", "(writes_root_i ? root_place_i : place_q)",
         "(writes_root_i && 1'b0 ? root_place_i : place_q)", ODD},
        {"the sweep has no turn", "cw_scalable_reader_list", "!(sweep_q && turns_q[3])", "1'b1", ODD},
        {"who runs is not cleared", "cw_reader_list_live", "(clear_i || sets_i)", "(sets_i)", TABLE},
        {"a root becomes plain as a leaf goes", "cw_reader_list_decide", "new_type = ROOT;", "new_type = kind_i == REMOVE ? PLAIN : ROOT;",
         ODD},
        {"a word without room is told done", "cw_reader_list_decide", "has_id ? SAME : !hit_i && !room_i ? FULL",
         "has_id ? SAME : !hit_i && !room_i && writes_root_i ? FULL", FEW},
        {"a leaf without room is told done", "cw_reader_list_decide", "kind_i == ADD && !hit_i && !room_i ? FULL",
         "kind_i == ADD && !hit_i && !room_i && convert_i ? FULL", FEW},
        {"an operation is taken before the row's turn", "cw_scalable_reader_list", "op_valid_i && op_ready_o",
         "op_valid_i && state_q == IDLE", ODD},
        {"three numbers are at hand", "cw_scalable_reader_list", ": cnt != 2'd3);", ": 1'b1);", ODD},
        {"a removal always writes the root", "cw_reader_list_decide", "kind_i == ADD ? hit_i : !no_leaf", "kind_i == ADD ? hit_i : 1'b0",
         ODD},
        {"a root keeps a leaf that is freed", "cw_reader_list_decide", "kind_i == ADD ? hit_i : !no_leaf", "kind_i == ADD ? hit_i : 1'b1",
         ODD},
        {"a list of nobody waits", "cw_reader_list_decide", "over = !hit_i;", "over = 1'b0;", ODD},
        {"RUN has an answer", "cw_scalable_reader_list", "take && op_kind_i < RUN", "take && op_kind_i <= RUN", ODD},
        {"ready while a row is looked at", "cw_scalable_reader_list", "op_ready_o = state_q == IDLE",
         "op_ready_o = (state_q == IDLE || state_q == PICK)", ODD},
        {"a sweep in the meantime goes on", "cw_scalable_reader_list", "sweep_i ? {ROW_W{1'b0}}", "sweep_i && !sweep_q ? {ROW_W{1'b0}}",
         ODD},
        {"used counts at once", "cw_scalable_reader_list", "if (ends || (state_q == PICK", "if (ends || write || (state_q == PICK", ODD},
        {"a reset takes a cycle less", "cw_scalable_reader_list", "clear_row_q == LAST_CLEAR", "clear_row_q + CLEAR_ONE == LAST_CLEAR",
         ODD},
        {"idle before the answer has left", "cw_scalable_reader_list", "!sweep_q && !ans_valid_q", "!sweep_q", ODD}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Directed */

/* Until operations are taken. */
static void wait_ready(struct dut *d)
{
    for (dut_eval(d); !d->out.op_ready; dut_eval(d))
        dut_tick(d);
}

#define SWEEP_MAX 1000u /* cycles; more than a sweep of the small sets takes */

/* The cycles from the sweep on in which sweep_busy is 1. */
static uint32_t sweep_time(struct dut *d)
{
    uint32_t cycles = 0;
    d->in.sweep = 1;
    dut_cycle(d);
    assert_int_equal(d->out.sweep_busy, 0);
    for (dut_eval(d); d->out.sweep_busy; cycles++) {
        assert_true(cycles < SWEEP_MAX);
        dut_cycle(d), dut_eval(d);
    }
    return cycles;
}

static void offer(struct dut *d, uint64_t kind, uint64_t word, uint64_t id)
{
    wait_ready(d);
    d->in.op_valid = 1;
    d->in.op_kind = kind;
    d->in.op_word = word;
    d->in.op_id = id;
    dut_cycle(d);
}

/* The result of an ADD or REMOVE, which is there after so many cycles. */
static uint64_t change(struct dut *d, uint64_t kind, uint64_t word, uint64_t id, uint32_t cycles)
{
    offer(d, kind, word, id);
    for (uint32_t i = 1; i < cycles; i++) {
        dut_eval(d);
        assert_int_equal(d->out.ans_valid, 0);
        dut_cycle(d);
    }
    dut_eval(d);
    assert_int_equal(d->out.ans_valid, 1);
    return d->out.ans_result;
}

/* The readers of a word, in the order in which they come; the count. */
static uint32_t list(struct dut *d, uint64_t word, uint64_t *id, uint32_t *cycles)
{
    uint32_t cnt = 0;
    offer(d, CW_READER_LIST, word, 0);
    for (*cycles = 1;; ++*cycles) {
        d->in.rdr_ready = 1;
        dut_cycle(d);
        if (d->out.ans_valid)
            return cnt;
        if (d->out.rdr_valid)
            id[cnt++] = d->out.rdr_id;
    }
}

/* Figure 10: three readers in a plain entry, the fourth makes vectors; transaction 683 is bit 11 of leaf 21. */
static void test_scalable_reader_list__plain_root_leaf(void **state)
{
    static const uint64_t ids[4] = {683, 1, 700, 672};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint64_t got[1024];
        uint32_t cycles;
        dut_open(&d, &table, backends[b]);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(change(&d, CW_READER_ADD, 5, ids[i], i == 0 ? 4 : 2), CW_READER_DONE);
            assert_int_equal(d.out.used, 1);
        }
        assert_int_equal(change(&d, CW_READER_ADD, 5, 1, 4), CW_READER_SAME);
        assert_int_equal(list(&d, 5, got, &cycles), 3);
        assert_true(got[0] == 683 && got[1] == 1 && got[2] == 700);
        assert_int_equal(change(&d, CW_READER_ADD, 5, ids[3], 21), CW_READER_DONE);
        assert_int_equal(d.out.used, 3); /* root, leaves 0 and 21 */
        assert_int_equal(list(&d, 5, got, &cycles), 4);
        assert_true(got[0] == 1 && got[1] == 672 && got[2] == 683 && got[3] == 700);
        assert_int_equal(change(&d, CW_READER_ADD, 5, 1023, 6), CW_READER_DONE);
        assert_int_equal(change(&d, CW_READER_ADD, 5, 684, 5), CW_READER_DONE);
        assert_int_equal(change(&d, CW_READER_ADD, 5, 684, 2), CW_READER_SAME);
        assert_int_equal(change(&d, CW_READER_REMOVE, 5, 2, 5), CW_READER_SAME);
        assert_int_equal(change(&d, CW_READER_REMOVE, 5, 1, 6), CW_READER_DONE); /* its leaf goes */
        assert_int_equal(change(&d, CW_READER_REMOVE, 5, 1, 4), CW_READER_SAME);
        assert_int_equal(d.out.used, 3);
        assert_int_equal(list(&d, 5, got, &cycles), 5);
        assert_int_equal(list(&d, 6, got, &cycles), 0);
        assert_int_equal(cycles, 4);
        dut_close(&d);
    }
}

/* All 1,024 transactions read a word: 33 entries (4.3), and a reader per cycle. */
static void test_scalable_reader_list__all_read_a_word(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint64_t got[1024];
        uint32_t cycles;
        dut_open(&d, &table, backends[b]);
        for (uint64_t id = 0; id < 1024; id++)
            offer(&d, CW_READER_ADD, 0x3fffffff, id);
        assert_int_equal(list(&d, 0x3fffffff, got, &cycles), 1024);
        assert_int_equal(d.out.used, 33);
        for (uint64_t id = 0; id < 1024; id++)
            assert_int_equal(got[id], id);
        assert_int_equal(cycles, 8 + 1024); /* two steps before the first; the others are beside the readers */
        dut_close(&d);
    }
}

/* The sweep takes out who is free, frees leaves and roots, and leaves who runs. */
static void test_scalable_reader_list__sweep(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint64_t got[1024];
        uint32_t cycles;
        dut_open(&d, &odd, backends[b]);
        for (uint64_t id = 0; id < 64; id += 9)
            offer(&d, CW_READER_RUN, 0, id);
        for (uint64_t id = 0; id < 20; id++)
            offer(&d, CW_READER_ADD, 100, id);
        for (uint64_t id = 17; id < 20; id++)
            offer(&d, CW_READER_ADD, 7, id);
        for (uint64_t id = 20; id < 25; id++)
            offer(&d, CW_READER_ADD, 8, id);
        offer(&d, CW_READER_LIST, 0, 0);
        sweep_time(&d);
        assert_int_equal(d.out.used, 1 + 3 + 1); /* of 100 a root, leaves of 0, 9, 18; of 7 a plain entry; of 8 none */
        assert_int_equal(list(&d, 100, got, &cycles), 3);
        assert_true(got[0] == 0 && got[1] == 9 && got[2] == 18);
        assert_int_equal(list(&d, 7, got, &cycles), 1);
        assert_int_equal(got[0], 18);
        assert_int_equal(list(&d, 8, got, &cycles), 0);
        dut_close(&d);
    }
}

/* An ADD that takes so many cycles and changes the word. */
static void add(struct dut *d, uint64_t word, uint64_t id, uint32_t cycles)
{
    assert_int_equal(change(d, CW_READER_ADD, word, id, cycles), CW_READER_DONE);
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

/* Places of the set "wide": 2,000 in five ways. */
#define WIDE_WAYS 5u
#define WIDE_ROWS 400u

/* The lowest place of a key that is not taken; NULL: there is none. */
static bool *wide_place(bool taken[WIDE_WAYS][WIDE_ROWS], uint64_t key)
{
    static const uint32_t seeds[] = {0x10203040, 0x20304010, 0x30401020, 0x40102030};
    for (uint32_t w = 0; w < WIDE_WAYS; w++) {
        const uint32_t hash = readme_hash(seeds[w % 4], key) >> (w < 4 ? 0 : 16) & 0xffff;
        bool *place = &taken[w][hash * WIDE_ROWS >> 16];
        if (!*place)
            return place;
    }
    return NULL;
}

static uint64_t wide_leaf_key(uint64_t word, uint64_t leaf)
{
    return (1u << 5 | leaf) << 40 | word;
}

/* The number of the four leaves from `first` on that found room, and are taken; with less than four all are given back. */
static uint32_t wide_leaves(bool taken[WIDE_WAYS][WIDE_ROWS], uint64_t word, uint64_t first)
{
    bool *place[4];
    for (uint32_t k = 0; k < 4; k++) {
        place[k] = wide_place(taken, wide_leaf_key(word, first + k));
        if (place[k] == NULL) {
            for (uint32_t i = 0; i < k; i++)
                *place[i] = false;
            return k;
        }
        *place[k] = true;
    }
    return 4;
}

/*
 * Words with three readers, then a fourth and a fifth, each of a leaf of its own. Each entry lies where the contract says, so it is known from
 * the hashes alone which ones find no room, and at which leaf. Returns how many have found none: of a word, at leaf 0 to 3, of the fifth.
 */
static void fill_wide(struct dut *d, uint32_t full[6])
{
    enum { WORDS = 560 };
    bool taken[WIDE_WAYS][WIDE_ROWS] = {{false}}, *place;
    uint32_t used = 0;
    for (uint64_t i = 0; i < WORDS; i++) {
        const uint64_t word = i * 0x9e3779b97fu & 0xffffffffff, first = i % 28;
        place = wide_place(taken, word);
        full[0] += place == NULL;
        assert_int_equal(change(d, CW_READER_ADD, word, first << 4, 4), place != NULL ? CW_READER_DONE : CW_READER_FULL);
        if (place == NULL)
            continue;
        *place = true;
        add(d, word, (first + 1) << 4, 2);
        add(d, word, (first + 2) << 4, 2);
        const uint32_t found = wide_leaves(taken, word, first);
        used += found == 4 ? 5 : 1;
        assert_int_equal(change(d, CW_READER_ADD, word, (first + 3) << 4, found == 4 ? 21 : 8 + 8 * found),
                         found == 4 ? CW_READER_DONE : CW_READER_FULL);
        assert_int_equal(d->out.used, used);
        full[1 + found] += found < 4;
        if (found < 4)
            continue;
        place = wide_place(taken, wide_leaf_key(word, first + 4));
        full[5] += place == NULL;
        used += place != NULL;
        assert_int_equal(change(d, CW_READER_ADD, word, (first + 4) << 4, place != NULL ? 6 : 5),
                         place != NULL ? CW_READER_DONE : CW_READER_FULL);
        assert_int_equal(d->out.used, used);
        if (place != NULL)
            *place = true;
    }
}

static void test_scalable_reader_list__places_are_those_of_the_readme(void **state)
{
    (void)state;
    assert_int_equal(readme_hash(0x10203040, 0x12345678) & 0xff, 0x9c);
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint32_t full[6] = {0};
        dut_open(&d, &wide, backends[b]);
        fill_wide(&d, full);
        for (uint32_t i = 0; i < 6; i++)
            assert_in_range(full[i], 1, 559);
        dut_close(&d);
    }
}

/* One place for all: a second word finds none, nor do leaves of the first, which stays as it was. */
static void test_scalable_reader_list__a_refusal_changes_nothing(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint64_t got[4];
        uint32_t cycles;
        dut_open(&d, &minimal, backends[b]);
        add(&d, 0, 3, 4);
        assert_int_equal(change(&d, CW_READER_ADD, 1, 0, 4), CW_READER_FULL);
        add(&d, 0, 1, 4);
        add(&d, 0, 2, 2);
        for (uint32_t i = 0; i < 2; i++)
            assert_int_equal(change(&d, CW_READER_ADD, 0, 0, 8), CW_READER_FULL);
        assert_int_equal(d.out.used, 1);
        assert_int_equal(list(&d, 1, got, &cycles), 0);
        assert_int_equal(list(&d, 0, got, &cycles), 3);
        assert_true(got[0] == 3 && got[1] == 1 && got[2] == 2);
        dut_close(&d);
    }
}

/* What is at hand after an ADD: two cycles, if the next one has the word, and the leaf if there are leaves, and nothing has come between. */
static void test_scalable_reader_list__an_add_behind_an_add(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint64_t got[9];
        uint32_t cycles;
        dut_open(&d, &odd, backends[b]);
        add(&d, 5, 8, 4);
        assert_int_equal(change(&d, CW_READER_ADD, 5, 8, 2), CW_READER_SAME);
        add(&d, 5, 9, 2);
        add(&d, 6, 9, 4); /* another word */
        add(&d, 5, 10, 4);
        assert_int_equal(change(&d, CW_READER_ADD, 5, 8, 4), CW_READER_SAME); /* three numbers are not at hand */
        add(&d, 5, 16, 21);
        add(&d, 5, 17, 2);
        assert_int_equal(change(&d, CW_READER_ADD, 5, 16, 2), CW_READER_SAME);
        add(&d, 5, 11, 5); /* another leaf */
        add(&d, 5, 24, 6);
        add(&d, 5, 25, 2);
        offer(&d, CW_READER_RUN, 5, 28); /* has no answer, and changes nothing of that */
        add(&d, 5, 26, 2);
        assert_int_equal(change(&d, CW_READER_REMOVE, 5, 26, 5), CW_READER_DONE);
        add(&d, 5, 26, 5);
        assert_int_equal(list(&d, 5, got, &cycles), 9);
        dut_close(&d);
    }
}

/* A sweep that is only asked for leaves what is at hand; a row of it does not. */
static void test_scalable_reader_list__a_row_between_adds(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        offer(&d, CW_READER_RUN, 0, 28);
        add(&d, 5, 28, 4);
        d.in.sweep = 1;
        dut_cycle(&d);
        add(&d, 5, 29, 2);
        dut_cycle(&d); /* a row begins, for no operation is offered */
        assert_int_equal(change(&d, CW_READER_ADD, 5, 28, 4), CW_READER_SAME);
        dut_close(&d);
    }
}

/* The reverse of ADD. A root stays one, with one reader too, until it has none. */
static void test_scalable_reader_list__removes(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint64_t got[8];
        uint32_t cycles;
        dut_open(&d, &odd, backends[b]);
        assert_int_equal(change(&d, CW_READER_REMOVE, 5, 8, 4), CW_READER_SAME);
        add(&d, 5, 30, 4);
        add(&d, 5, 20, 2);
        add(&d, 5, 10, 2);
        assert_int_equal(change(&d, CW_READER_REMOVE, 5, 8, 4), CW_READER_SAME);
        assert_int_equal(change(&d, CW_READER_REMOVE, 5, 20, 4), CW_READER_DONE);
        assert_int_equal(list(&d, 5, got, &cycles), 2);
        assert_true(got[0] == 30 && got[1] == 10);
        add(&d, 5, 9, 4);
        add(&d, 5, 8, 21);
        assert_int_equal(d.out.used, 3); /* root, leaves 1 and 3 */
        assert_int_equal(change(&d, CW_READER_REMOVE, 5, 40, 4), CW_READER_SAME);
        assert_int_equal(change(&d, CW_READER_REMOVE, 5, 31, 5), CW_READER_SAME);
        assert_int_equal(change(&d, CW_READER_REMOVE, 5, 30, 6), CW_READER_DONE);
        assert_int_equal(d.out.used, 2);
        assert_int_equal(change(&d, CW_READER_REMOVE, 5, 30, 4), CW_READER_SAME);
        assert_int_equal(change(&d, CW_READER_REMOVE, 5, 10, 5), CW_READER_DONE);
        assert_int_equal(change(&d, CW_READER_REMOVE, 5, 9, 5), CW_READER_DONE);
        add(&d, 5, 63, 6); /* not plain again: one reader, then one more leaf */
        assert_int_equal(d.out.used, 3);
        assert_int_equal(change(&d, CW_READER_REMOVE, 5, 63, 6), CW_READER_DONE);
        assert_int_equal(change(&d, CW_READER_REMOVE, 5, 8, 6), CW_READER_DONE);
        assert_int_equal(d.out.used, 0);
        add(&d, 5, 63, 4);
        assert_int_equal(d.out.used, 1);
        dut_close(&d);
    }
}

/* From the cycle after a LIST was taken on: in the cycles of `shown` a reader is there, which is taken in those of `taken`; the answer in `ends`. */
static void listed(struct dut *d, uint64_t word, const uint64_t *ids, uint64_t shown, uint64_t taken, uint32_t ends)
{
    offer(d, CW_READER_LIST, word, 0);
    for (uint32_t i = 1; i <= ends; i++) {
        d->in.rdr_ready = taken >> i & 1;
        dut_eval(d);
        assert_int_equal(d->out.rdr_valid, shown >> i & 1);
        assert_int_equal(d->out.rdr_id, d->out.rdr_valid ? *ids : 0);
        assert_int_equal(d->out.ans_valid, i == ends);
        assert_int_equal(d->out.ans_result, CW_READER_DONE);
        assert_int_equal(d->out.op_ready, i == ends);
        ids += taken >> i & 1;
        if (i < ends)
            dut_tick(d);
    }
}

/* Steps of four cycles, the next one beside the readers of the one before, whose last cycle lasts until they are taken. */
static void test_scalable_reader_list__readers_in_time(void **state)
{
    static const uint64_t plain[] = {40, 50, 3}, many[] = {8, 9, 10, 11, 12, 24, 48};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        listed(&d, 7, plain, 0, 0, 4);
        for (uint32_t i = 0; i < 3; i++)
            add(&d, 7, plain[i], i == 0 ? 4 : 2);
        listed(&d, 7, plain, 0x70, 0x70, 7);
        listed(&d, 7, plain, 0x3f0, 0x320, 10); /* taken in 5, 8 and 9 */
        for (uint32_t i = 0; i < 7; i++)
            offer(&d, CW_READER_ADD, 8, many[6 - i]);
        /* The root's step ends with cycle 3, that of leaf 1 with 7, of leaf 3 with 12, when the fifth reader is taken, of leaf 6 with 16. */
        listed(&d, 8, many, 0x1f00 | 1 << 13 | 1 << 17, 0x1f00 | 1 << 13 | 1 << 17, 18);
        /* The third reader is taken in 13 only, so the fifth in 15, and all is three cycles later; the last one is taken in 22. */
        listed(&d, 8, many, 0xff00 | 1 << 16 | 7 << 20, 0xe300 | 1 << 16 | 1 << 22, 23);
        dut_close(&d);
    }
}

/* RUN and FREE come in a row and have no answer. After a reset all are free. Kinds 5 to 7 are FREE. */
static void test_scalable_reader_list__who_runs(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint64_t got[8];
        uint32_t cycles;
        dut_open(&d, &odd, backends[b]);
        wait_ready(&d);
        for (uint64_t id = 0; id < 32; id++) {
            d.in.op_valid = 1;
            d.in.op_kind = id < 16 ? (uint64_t)CW_READER_RUN : 4 + id % 4;
            d.in.op_id = id % 16 * (id < 16 ? 1 : 3) % 16;
            if (id >= 16 && d.in.op_id % 4 == 0)
                d.in.op_kind = CW_READER_RUN;
            dut_cycle(&d);
            assert_int_equal(d.out.op_ready, 1);
            assert_int_equal(d.out.ans_valid, 0);
        }
        for (uint64_t id = 0; id < 16; id++)
            offer(&d, CW_READER_ADD, 9, id);
        offer(&d, CW_READER_ADD, 10, 20); /* has never run */
        offer(&d, CW_READER_LIST, 3, 0);
        sweep_time(&d);
        assert_int_equal(list(&d, 9, got, &cycles), 4);
        assert_true(got[0] == 0 && got[1] == 4 && got[2] == 8 && got[3] == 12);
        assert_int_equal(list(&d, 10, got, &cycles), 0);
        dut_close(&d);
    }
}

/* 21 rows of two cycles each, and what their entries take. */
static void test_scalable_reader_list__rows_in_time(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint64_t got[8];
        uint32_t cycles;
        dut_open(&d, &odd, backends[b]);
        wait_ready(&d);
        assert_int_equal(sweep_time(&d), 42);
        for (uint64_t id = 0; id < 3; id++)
            offer(&d, CW_READER_RUN, 0, id);
        add(&d, 77, 0, 4);
        add(&d, 77, 1, 2);
        assert_int_equal(sweep_time(&d), 42 + 4);
        add(&d, 77, 50, 4);
        assert_int_equal(sweep_time(&d), 42 + 5); /* 50 goes */
        add(&d, 77, 3, 4);
        add(&d, 77, 50, 21);
        assert_int_equal(d.out.used, 3);
        assert_int_equal(sweep_time(&d), 42 + 5 + 9); /* 3 goes from leaf 0; leaf 6 goes; the root takes no time */
        assert_int_equal(d.out.used, 2);
        assert_int_equal(sweep_time(&d), 42 + 4);
        for (uint64_t id = 0; id < 3; id++)
            offer(&d, CW_READER_FREE, 0, id);
        assert_int_equal(sweep_time(&d), 42 + 9); /* and the root with its last leaf */
        assert_int_equal(d.out.used, 0);
        add(&d, 77, 50, 4);
        assert_int_equal(sweep_time(&d), 42 + 5); /* a plain entry is freed */
        assert_int_equal(list(&d, 77, got, &cycles), 0);
        dut_close(&d);
    }
}

/* A sweep that comes again in cycle 11, in which the sixth row begins, begins anew in 13: 42 cycles. */
static void test_scalable_reader_list__a_sweep_anew(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        wait_ready(&d);
        for (uint32_t cycle = 0; cycle <= 55; cycle++) {
            d.in.sweep = cycle == 0 || cycle == 11;
            dut_cycle(&d);
            assert_int_equal(d.out.sweep_busy, cycle >= 1 && cycle < 55);
        }
        dut_close(&d);
    }
}

/* Operations go before rows; after eight of them a row has its turn. RUN and FREE do not count. */
static void test_scalable_reader_list__a_row_has_its_turn(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        d.in.sweep = 1;
        dut_cycle(&d);
        for (uint32_t round = 0; round < 3; round++) {
            for (uint32_t i = 0; i < 8; i++) {
                offer(&d, CW_READER_RUN, 0, i);
                assert_int_equal(change(&d, CW_READER_REMOVE, 100, i, 4), CW_READER_SAME);
                assert_int_equal(d.out.op_ready, i < 7);
            }
            for (uint32_t cycle = 0; cycle < 2; cycle++) { /* of the row */
                d.in.op_valid = 1;
                dut_cycle(&d);
                assert_int_equal(d.out.op_ready, 0);
                assert_int_equal(d.out.sweep_busy, 1);
            }
            dut_eval(&d);
            assert_int_equal(d.out.op_ready, 1);
        }
        dut_close(&d);
    }
}

/* Nothing is taken while the list is cleared: a cycle for each row of way 0, or for each leaf's number if there are more of these. */
static void test_scalable_reader_list__a_reset_clears(void **state)
{
    static const struct {
        const params_t *p;
        uint32_t cycles;
    } cases[] = {{&odd, 21}, {&minimal, 2}, {&few, 8}};
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t i = 0; i < 3; i++) {
            struct dut d;
            uint64_t got[4];
            uint32_t cycles;
            dut_open(&d, cases[i].p, backends[b]);
            offer(&d, CW_READER_RUN, 0, 1);
            add(&d, 1, 1, 4);
            offer(&d, CW_READER_LIST, 1, 0);
            d.in.sweep = 1;
            for (uint32_t cycle = 0; cycle < 5; cycle++)
                dut_cycle(&d);
            assert_int_equal(d.out.rdr_valid, 1);
            d.inst.ops->reset(d.inst.self);
            for (uint32_t cycle = 0; cycle < cases[i].cycles; cycle++) {
                dut_cycle(&d);
                assert_int_equal(d.out.op_ready | d.out.idle | d.out.rdr_valid | d.out.ans_valid | d.out.sweep_busy | d.out.used, 0);
            }
            dut_eval(&d);
            assert_int_equal(d.out.op_ready & d.out.idle, 1);
            assert_int_equal(list(&d, 1, got, &cycles), 0);
            add(&d, 1, 1, 4);
            sweep_time(&d);
            assert_int_equal(list(&d, 1, got, &cycles), 0); /* 1 runs no more */
            dut_close(&d);
        }
}

/* idle: no operation, no answer, no sweep. used changes when an operation is over, not before. */
static void test_scalable_reader_list__idle_and_used(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        for (uint64_t id = 0; id < 24; id += 8)
            add(&d, 3, id, id == 0 ? 4 : 2);
        assert_int_equal(d.out.idle, 0);
        dut_cycle(&d), dut_eval(&d);
        assert_int_equal(d.out.idle, 1);
        offer(&d, CW_READER_ADD, 3, 24);
        for (uint32_t cycle = 1; cycle <= 22; cycle++) {
            dut_cycle(&d);
            assert_int_equal(d.out.used, cycle < 21 ? 1 : 5);
            assert_int_equal(d.out.idle, cycle == 22);
            assert_int_equal(d.out.ans_valid, cycle == 21);
        }
        d.in.sweep = 1;
        dut_cycle(&d);
        assert_int_equal(d.out.idle, 1);
        do {
            dut_cycle(&d), dut_eval(&d);
            assert_int_equal(d.out.idle, !d.out.sweep_busy);
        } while (d.out.sweep_busy);
        assert_int_equal(d.out.used, 0);
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_scalable_reader_list__fills),
    cmocka_unit_test(test_scalable_reader_list__c_equals_rtl),
    cmocka_unit_test(test_scalable_reader_list__broken_copies_are_caught),
    cmocka_unit_test(test_scalable_reader_list__plain_root_leaf),
    cmocka_unit_test(test_scalable_reader_list__all_read_a_word),
    cmocka_unit_test(test_scalable_reader_list__sweep),
    cmocka_unit_test(test_scalable_reader_list__places_are_those_of_the_readme),
    cmocka_unit_test(test_scalable_reader_list__a_refusal_changes_nothing),
    cmocka_unit_test(test_scalable_reader_list__an_add_behind_an_add),
    cmocka_unit_test(test_scalable_reader_list__a_row_between_adds),
    cmocka_unit_test(test_scalable_reader_list__removes),
    cmocka_unit_test(test_scalable_reader_list__readers_in_time),
    cmocka_unit_test(test_scalable_reader_list__who_runs),
    cmocka_unit_test(test_scalable_reader_list__rows_in_time),
    cmocka_unit_test(test_scalable_reader_list__a_sweep_anew),
    cmocka_unit_test(test_scalable_reader_list__a_row_has_its_turn),
    cmocka_unit_test(test_scalable_reader_list__a_reset_clears),
    cmocka_unit_test(test_scalable_reader_list__idle_and_used),
};
CW_TEST_MAIN(tests)
