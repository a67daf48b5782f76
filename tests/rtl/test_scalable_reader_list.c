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

#define UNIT "cw_scalable_reader_list"
static void test_scalable_reader_list__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"what was made for a root without room stays", UNIT, "writes = hit_q;\n            frees  = 1'b1",
         "writes = 1'b0;\n            frees  = 1'b1", FEW},
        {"an empty leaf stays", UNIT, "frees    = no_leaf;", "frees    = 1'b0;", ODD},
        {"an empty root stays", UNIT, "frees    = no_root;", "frees    = no_root && 1'b0;", ODD},
        {"a leaf of another number is taken", UNIT, "&& at[WORD_W+LEAVES +: ROOT_W] == leaf_no", "", FEW},
        {"an entry of any word is taken", UNIT, "at[0 +: WORD_W] == word_q", "(at[0 +: WORD_W] == word_q || 1'b1)", ODD},
        {"the sweep takes all", UNIT, "keep_q & has", "keep_q & has & 3'd0", ODD},
        {"the sweep leaves leaves", UNIT, "body_q[LEAVES-1:0] & live[LEAVES-1:0]", "body_q[LEAVES-1:0]", ODD},
        {"a reader is there twice", UNIT, "result = has_id ? SAME", "result = has_id && 1'b0 ? SAME", ODD},
        {"readers do not wait", UNIT, "!(kind_q == LIST && !give_over)", "!(kind_q == LIST && !give_over && 1'b0)", ODD},
        {"one row more than a way has", UNIT, "(ENTRIES + WAYS - 1 - g) / WAYS", "(ENTRIES + WAYS - 1) / WAYS", ODD},
        {"what is at hand is of another word", UNIT, "op_word_i == word_q", "1'b1", ODD},
        {"what is at hand is of another leaf", UNIT, "op_id_i[ID_W-1:LEAF_W] == id_q[ID_W-1:LEAF_W]", "1'b1", ODD},
        {"a row leaves what is at hand", UNIT, "begins || take_row || ends", "begins || ends", ODD},
        {"the root is written to the leaf's place", UNIT, "writes_root ? root_place_q[g] : place_q[g]",
         "writes_root && 1'b0 ? root_place_q[g] : place_q[g]", ODD},
        {"the sweep has no turn", UNIT, "!(sweep_q && turns_q[3])", "1'b1", ODD},
        {"who runs is not cleared", UNIT, "(state_q == CLEAR || sets)", "(sets)", TABLE}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Directed */

static void offer(struct dut *d, uint64_t kind, uint64_t word, uint64_t id)
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
        d.in.sweep = 1;
        do
            dut_cycle(&d), dut_eval(&d);
        while (d.out.sweep_busy);
        assert_int_equal(d.out.used, 1 + 3 + 1); /* of 100 a root, leaves of 0, 9, 18; of 7 a plain entry; of 8 none */
        assert_int_equal(list(&d, 100, got, &cycles), 3);
        assert_true(got[0] == 0 && got[1] == 9 && got[2] == 18);
        assert_int_equal(list(&d, 7, got, &cycles), 1);
        assert_int_equal(got[0], 18);
        assert_int_equal(list(&d, 8, got, &cycles), 0);
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_scalable_reader_list__c_equals_rtl),    cmocka_unit_test(test_scalable_reader_list__broken_copies_are_caught),
    cmocka_unit_test(test_scalable_reader_list__plain_root_leaf), cmocka_unit_test(test_scalable_reader_list__all_read_a_word),
    cmocka_unit_test(test_scalable_reader_list__sweep),
};
CW_TEST_MAIN(tests)
