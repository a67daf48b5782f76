/* SPDX-License-Identifier: Apache-2.0 */
/* Hazard detection: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/hazard_unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_hazard_unit_params params_t;
typedef struct cw_hazard_unit_in in_t;
typedef struct cw_hazard_unit_out out_t;

/* From cycle to cycle live_cid stays. */
#define DUT_UNIT    cw_hazard_unit_unit
#define DUT_NEXT(d) ((in_t){.live_cid = (d)->in.live_cid})
#include "dut.h"
#include "fill/hazard_unit.h"

/*                                ways set_w addr_w cid_w bloom_ways bloom_row_w id_w */
static const params_t kilo_5k = {4, 7, 30, 16, 4, 8, 10};
static const params_t kilo_512 = {4, 4, 30, 16, 4, 4, 10};
static const params_t minimal = {1, 1, 1, 2, 1, 1, 1};
static const params_t odd = {3, 2, 13, 9, 3, 3, 7};
static const params_t largest = {8, 12, 64, 48, 4, 12, 16};

/* Anything at all. */
static const struct cw_lockstep_set any_sets[] = {
    {"5k", &kilo_5k, 4096}, {"minimal", &minimal, 64}, {"odd", &odd, 128}, {"largest", &largest, 0}};
static const struct cw_lockstep_bench any = {&cw_hazard_unit_unit, any_sets, 4, NULL, NULL};

/* As a commit unit sends them: transactions in order, CHECKs before RECORDs, addresses that come again. */
struct commit_unit {
    uint64_t cid;
    uint32_t addresses, distance, left, records;
};

static void like_a_commit_unit(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct commit_unit *u = context;
    in_t *in = inputs;
    (void)last_out;
    if (u->left == 0) {
        u->left = 1 + cw_rng_below(rng, 6);
        u->records = cw_rng_below(rng, u->left + 1);
        u->cid = u->cid < 500 ? u->cid + 1 : 1; /* cid_w = 9 is the narrowest here */
    }
    in->clear = u->cid == 1;
    in->ent_cid = u->cid;
    in->ent_rcid = u->cid > u->distance ? u->cid - cw_rng_below(rng, u->distance) : 0;
    in->live_cid = u->cid > u->distance ? u->cid - u->distance : 0;
    in->ent_addr = cw_rng_below(rng, u->addresses);
    in->ent_last = u->left == 1;
    if (cw_rng_below(rng, 16) != 0) /* else any kind: the order within a transaction is the user's promise, not a condition */
        in->ent_kind = u->left <= u->records ? CW_HAZARD_RECORD : CW_HAZARD_CHECK;
    u->left -= (uint32_t)in->ent_valid;
}

static struct commit_unit wide_apart = {.addresses = 4096, .distance = 300}, close_by = {.addresses = 64, .distance = 24};
static const struct cw_lockstep_set many_sets[] = {{"5k-in-order", &kilo_5k, 4096}, {"512-in-order", &kilo_512, 512}};
static const struct cw_lockstep_set few_sets[] = {{"odd-in-order", &odd, 512}};
static const struct cw_lockstep_bench many = {&cw_hazard_unit_unit, many_sets, 2, like_a_commit_unit, &wide_apart};
static const struct cw_lockstep_bench few = {&cw_hazard_unit_unit, few_sets, 1, like_a_commit_unit, &close_by};

static void test_hazard_unit__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&any);
}

static void test_hazard_unit__c_equals_rtl_in_commit_order(void **state)
{
    (void)state;
    cw_lockstep_run_narrow(&many);
    cw_lockstep_run_narrow(&few);
}

static void test_hazard_unit__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"last conflict instead of the youngest", "cw_hazard_unit", "younger ? writer : ycid_q", "conflict ? writer : ycid_q", 0},
        {"RCID itself is no conflict", "cw_hazard_unit", "&& writer >= turn_rcid;", "&& writer > turn_rcid;", 0},
        {"own writes hide nothing", "cw_hazard_unit", "own      = rsp_cid > prior;", "own      = 1'b0;", 0},
        {"conflicts outlive their transaction", "cw_hazard_unit", "if (rst_i || finish) begin", "if (rst_i) begin", 0},
        {"one result too many inside", "cw_hazard_unit", "history_ready && !res_claim_cnt_q[3]",
         "history_ready && !(res_claim_cnt_q[3] && res_claim_cnt_q[0])", 0},
        {"a filter's answer counts as exact", "cw_hazard_unit", "sure    = rsp_exact && !own", "sure    = !own", 0},
        {"the queue is passed by", "cw_hazard_unit", "wait_push = finish && (waiting || !res_free)", "wait_push = finish && !res_free", 0},
        {"live_cid does not reach the history", "cw_hazard_unit", ".live_cid_i (live_cid_i)", ".live_cid_i (live_cid_i >> 1)", 0}};
    (void)state;
    cw_lockstep_catches(&few, mutants, sizeof mutants / sizeof mutants[0]);
}

static void wait_until_ready(struct dut *d)
{
    uint32_t cycles = 0;
    for (dut_cycle(d); !d->out.ent_ready; dut_cycle(d))
        assert_true(++cycles < 5000);
}

/* Open, and cleared since the reset. */
static void open_cleared(struct dut *d, const params_t *p, enum cw_unit_backend backend)
{
    dut_open(d, p, backend);
    wait_until_ready(d);
}

static void present_entry(struct dut *d, enum cw_hazard_kind kind, uint64_t addr, uint64_t cid, uint64_t rcid, bool last)
{
    d->in.ent_valid = 1;
    d->in.ent_kind = kind;
    d->in.ent_addr = addr;
    d->in.ent_cid = cid;
    d->in.ent_rcid = rcid;
    d->in.ent_last = last;
    d->in.ent_id = cid * 3 & 0x3f;
}

/* res_ready is 0. */
static void send(struct dut *d, enum cw_hazard_kind kind, uint64_t addr, uint64_t cid, uint64_t rcid, bool last)
{
    present_entry(d, kind, addr, cid, rcid, last);
    dut_cycle(d);
    assert_int_equal(d->out.ent_ready, 1);
}

/* Waits for a result, takes it, and compares. */
static void expect(struct dut *d, uint64_t cid, uint64_t ycid, bool exact)
{
    uint32_t cycles = 0;
    for (d->in.res_ready = 1, dut_cycle(d); !d->out.res_valid; d->in.res_ready = 1, dut_cycle(d))
        assert_true(++cycles < CW_HAZARD_UNIT_LATENCY);
    assert_int_equal(d->out.res_id, cid * 3 & 0x3f);
    assert_int_equal(d->out.res_ycid, ycid);
    assert_int_equal(d->out.res_hazard, ycid != 0);
    assert_int_equal(d->out.res_exact, exact);
}

static void test_hazard_unit__finds_the_youngest_conflict(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        open_cleared(&d, &kilo_5k, backends[b]);
        for (uint64_t cid = 3; cid <= 5; cid++)
            send(&d, CW_HAZARD_RECORD, 100 + cid, cid, 1, true);
        for (uint64_t cid = 3; cid <= 5; cid++)
            expect(&d, cid, 0, false);
        send(&d, CW_HAZARD_CHECK, 103, 6, 1, false); /* 3, then 5, then 4 */
        send(&d, CW_HAZARD_CHECK, 105, 6, 1, false);
        send(&d, CW_HAZARD_CHECK, 104, 6, 1, false);
        send(&d, CW_HAZARD_RECORD, 103, 6, 1, true);
        expect(&d, 6, 5, true);
        send(&d, CW_HAZARD_CHECK, 103, 7, 3, true); /* 6 has written it since */
        expect(&d, 7, 6, true);
        send(&d, CW_HAZARD_CHECK, 200, 8, 1, true);
        expect(&d, 8, 0, false);
        dut_close(&d);
    }
}

/* A writer that had retired when the speculative validation started is no hazard; that which was the oldest then is. */
static void test_hazard_unit__rcid_is_the_oldest_that_counts(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint64_t rcid = 3; rcid <= 5; rcid++) {
            struct dut d;
            open_cleared(&d, &kilo_5k, backends[b]);
            send(&d, CW_HAZARD_RECORD, 9, 4, 1, true);
            send(&d, CW_HAZARD_CHECK, 9, 6, rcid, true);
            expect(&d, 4, 0, false);
            expect(&d, 6, rcid <= 4 ? 4 : 0, rcid <= 4);
            dut_close(&d);
        }
}

/* Out of order within the transaction: nothing is missed, and it never waits for itself. */
static void test_hazard_unit__own_write_counts_as_the_transaction_before(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        open_cleared(&d, &kilo_5k, backends[b]);
        send(&d, CW_HAZARD_RECORD, 9, 7, 1, false);
        send(&d, CW_HAZARD_CHECK, 9, 7, 1, true);
        expect(&d, 7, 6, false);
        send(&d, CW_HAZARD_CHECK, 9, 7, 7, true); /* all before 7 had retired: nothing to wait for */
        expect(&d, 7, 0, false);
        send(&d, CW_HAZARD_CHECK, 9, 0, 1, true); /* no ID of its own */
        expect(&d, 0, 7, true);
        dut_close(&d);
    }
}

/* One transaction of one entry per cycle: one result per cycle, seven cycles later, and ready all the time. */
static void test_hazard_unit__takes_an_entry_each_cycle(void **state)
{
    enum { ENTRIES = 50 };
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        open_cleared(&d, &kilo_512, backends[b]);
        for (uint64_t n = 1; n <= ENTRIES + CW_HAZARD_UNIT_LATENCY; n++) {
            if (n <= ENTRIES)
                present_entry(&d, n % 2 ? CW_HAZARD_RECORD : CW_HAZARD_CHECK, 5, n, 1, true);
            d.in.res_ready = 1;
            dut_cycle(&d);
            assert_int_equal(d.out.ent_ready, 1);
            assert_int_equal(d.out.res_valid, n > CW_HAZARD_UNIT_LATENCY);
            if (d.out.res_valid) {
                uint64_t cid = n - CW_HAZARD_UNIT_LATENCY;
                assert_int_equal(d.out.res_id, cid * 3 & 0x3f);
                assert_int_equal(d.out.res_ycid, cid % 2 ? 0 : cid - 1);
            }
        }
        dut_cycle(&d);
        assert_int_equal(d.out.busy, 0);
        dut_close(&d);
    }
}

static void test_hazard_unit__results_wait_without_loss(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint64_t accepted = 0;
        open_cleared(&d, &kilo_512, backends[b]);
        for (uint32_t i = 0; i < 40; i++) {
            present_entry(&d, CW_HAZARD_NONE, 0, accepted + 1, 0, true);
            dut_cycle(&d);
            accepted += d.out.ent_ready;
        }
        assert_int_equal(accepted, CW_HAZARD_UNIT_RESULTS);
        for (uint64_t n = 1; n <= accepted; n++) {
            dut_cycle(&d); /* not taken: the same again */
            assert_int_equal(d.out.res_id, n * 3 & 0x3f);
            expect(&d, n, 0, false);
        }
        dut_cycle(&d);
        assert_int_equal(d.out.res_valid, 0);
        assert_int_equal(d.out.ent_ready, 1);
        dut_close(&d);
    }
}

static void test_hazard_unit__clear_forgets_writers(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        open_cleared(&d, &kilo_512, backends[b]);
        send(&d, CW_HAZARD_RECORD, 9, 4, 1, true);
        expect(&d, 4, 0, false);
        d.in.clear = 1;
        send(&d, CW_HAZARD_CHECK, 9, 5, 1, false); /* in the cycle of clear: answered from before, and kept */
        dut_cycle(&d);
        assert_int_equal(d.out.ent_ready, 0);
        wait_until_ready(&d);
        send(&d, CW_HAZARD_CHECK, 9, 5, 1, true);
        expect(&d, 5, 4, true);
        send(&d, CW_HAZARD_CHECK, 9, 6, 1, true);
        expect(&d, 6, 0, false);
        dut_close(&d);
    }
}

/* Two CHECKs with one answer: 6 from the table, and 6 as the transaction before 7, whose own write hides who wrote before. */
static void test_hazard_unit__one_exact_conflict_of_equals_is_enough(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (int order = 0; order < 3; order++) { /* the exact one last, first, not at all */
            struct dut d;
            open_cleared(&d, &kilo_5k, backends[b]);
            send(&d, CW_HAZARD_RECORD, 8, 6, 1, true);
            expect(&d, 6, 0, false);
            send(&d, CW_HAZARD_RECORD, 9, 7, 1, false);
            send(&d, CW_HAZARD_CHECK, order == 1 ? 8 : 9, 7, 1, false);
            send(&d, CW_HAZARD_CHECK, order == 0 ? 8 : 9, 7, 1, true);
            expect(&d, 7, 6, order != 2);
            dut_close(&d);
        }
}

/* Neither kind of NONE asks or enters anything, with a result or without. */
static void test_hazard_unit__none_only_gives_a_result(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t kind = CW_HAZARD_NONE; kind < 4; kind++) {
            struct dut d;
            open_cleared(&d, &kilo_5k, backends[b]);
            send(&d, CW_HAZARD_RECORD, 9, 4, 1, true);
            expect(&d, 4, 0, false);
            send(&d, kind, 9, 5, 1, false);
            send(&d, kind, 9, 5, 1, true);
            expect(&d, 5, 0, false);
            send(&d, CW_HAZARD_CHECK, 9, 6, 1, true);
            expect(&d, 6, 4, true);
            dut_close(&d);
        }
}

/* Seven cycles to the result, which stays until it is taken; busy is as long, and then there is nothing to be seen. */
static void test_hazard_unit__busy_lasts_until_the_result_is_taken(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        open_cleared(&d, &kilo_512, backends[b]);
        assert_int_equal(d.out.busy, 0);
        send(&d, CW_HAZARD_RECORD, 9, 4, 1, false);
        send(&d, CW_HAZARD_CHECK, 9, 5, 1, true);
        for (int i = 1; i < CW_HAZARD_UNIT_LATENCY + 5; i++) {
            dut_cycle(&d);
            assert_int_equal(d.out.busy, 1);
            assert_int_equal(d.out.res_valid, i >= CW_HAZARD_UNIT_LATENCY);
            assert_int_equal(d.out.res_ycid, i >= CW_HAZARD_UNIT_LATENCY ? 4 : 0);
            assert_int_equal(d.out.res_id, i >= CW_HAZARD_UNIT_LATENCY ? 15 : 0);
        }
        expect(&d, 5, 4, true);
        dut_cycle(&d);
        assert_int_equal(d.out.busy, 0);
        assert_int_equal(d.out.res_valid, 0);
        assert_int_equal(d.out.res_hazard, 0);
        assert_int_equal(d.out.res_ycid, 0);
        assert_int_equal(d.out.res_id, 0);
        assert_int_equal(d.out.res_exact, 0);
        dut_close(&d);
    }
}

struct counts {
    uint32_t exact, approx, evict;
};

static void count_cycle(struct dut *d, struct counts *n)
{
    dut_cycle(d);
    n->exact += (uint32_t)d->out.evt_exact;
    n->approx += (uint32_t)d->out.evt_approx;
    n->evict += (uint32_t)d->out.evt_evict;
}

/* 64 writers over 12 entries, and a CHECK of each: 12 conflicts come from the table, 52 from the filter, into which 52 writers went. A CHECK of
 * which the writer is before RCID is no conflict and no event. What is below live_cid leaves the table and goes nowhere. */
static void test_hazard_unit__events_tell_where_conflicts_come_from(void **state)
{
    enum { WRITERS = 64, HELD = 12 };
    (void)state;
    assert_int_equal(odd.ways << odd.set_w, HELD);
    for (int b = 0; b < 2; b++)
        for (uint64_t mode = 0; mode < 3; mode++) { /* all count; RCID is above all; live_cid is above all */
            struct counts n = {0};
            struct dut d;
            open_cleared(&d, &odd, backends[b]);
            d.in.live_cid = mode == 2 ? 100 : 0;
            for (uint64_t i = 0; i < 2 * WRITERS; i++) {
                uint64_t a = i % WRITERS;
                present_entry(&d, i < WRITERS ? CW_HAZARD_RECORD : CW_HAZARD_CHECK, a * 101, i < WRITERS ? a + 1 : 70, mode == 1 ? 70 : 1,
                              false);
                count_cycle(&d, &n);
                assert_int_equal(d.out.ent_ready, 1);
            }
            for (int i = 0; i < 10; i++)
                count_cycle(&d, &n);
            assert_int_equal(n.exact, mode == 1 ? 0 : HELD);
            assert_int_equal(n.approx, mode == 0 ? WRITERS - HELD : 0);
            assert_int_equal(n.evict, mode == 2 ? 0 : WRITERS - HELD);
            dut_close(&d);
        }
}

/* A conflict that has been found when the clear comes is the transaction's still. */
static void test_hazard_unit__a_clear_keeps_the_conflicts_found(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        open_cleared(&d, &kilo_512, backends[b]);
        send(&d, CW_HAZARD_RECORD, 9, 4, 1, true);
        expect(&d, 4, 0, false);
        send(&d, CW_HAZARD_CHECK, 9, 5, 1, false);
        for (int i = 0; i < CW_HAZARD_UNIT_LATENCY; i++)
            dut_cycle(&d);
        d.in.clear = 1;
        dut_cycle(&d);
        wait_until_ready(&d);
        send(&d, CW_HAZARD_CHECK, 9, 5, 1, true);
        expect(&d, 5, 4, true);
        dut_close(&d);
    }
}

/* Random transactions against all their write-sets kept as they are: no hazard is missed, and an exact one is true. */
enum { TRANSACTIONS = 2000, SET = 3, WORDS = 4000, WINDOW = 400 };

static void test_hazard_unit__misses_no_hazard(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        static uint32_t written[TRANSACTIONS + 1][SET];
        uint32_t hazards = 0, reported = 0, exact = 0, too_young = 0;
        struct cw_rng rng;
        struct dut d;
        cw_rng_seed(&rng, cw_test_seed(5));
        open_cleared(&d, &kilo_5k, backends[b]);
        for (uint32_t cid = 1; cid <= TRANSACTIONS; cid++) {
            uint32_t read[SET], rcid = cid > WINDOW ? cid - cw_rng_below(&rng, WINDOW) : 1, youngest = 0;
            bool true_writer = false;
            d.in.live_cid = cid > WINDOW ? cid - WINDOW : 1;
            for (uint32_t i = 0; i < SET; i++) {
                read[i] = cw_rng_below(&rng, WORDS);
                send(&d, CW_HAZARD_CHECK, read[i] * 257u, cid, rcid, false);
            }
            for (uint32_t i = 0; i < SET; i++) {
                written[cid][i] = cw_rng_below(&rng, WORDS);
                send(&d, CW_HAZARD_RECORD, written[cid][i] * 257u, cid, rcid, i == SET - 1);
            }
            for (d.in.res_ready = 1, dut_cycle(&d); !d.out.res_valid; d.in.res_ready = 1, dut_cycle(&d))
                ;
            for (uint32_t other = rcid; other < cid; other++)
                for (uint32_t i = 0; i < SET * SET; i++)
                    if (written[other][i / SET] == read[i % SET]) {
                        youngest = other;
                        true_writer |= other == d.out.res_ycid;
                    }
            assert_true(d.out.res_ycid >= youngest && d.out.res_ycid < cid);
            if (d.out.res_exact)
                assert_true(true_writer && d.out.res_ycid == youngest);
            hazards += youngest != 0;
            reported += d.out.res_hazard != 0;
            exact += d.out.res_exact != 0;
            too_young += d.out.res_ycid > youngest;
        }
        printf("%u transactions, %u hazards, %u reported, %u exact, %u too young\n", (unsigned)TRANSACTIONS, hazards, reported, exact,
               too_young);
        /* Both kinds of answer must have been there, and a filter of this size is no random guess. */
        assert_true(hazards > 300 && hazards < TRANSACTIONS - 300 && exact > 100 && exact < reported);
        assert_true(too_young > 0 && too_young < TRANSACTIONS / 4);
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_hazard_unit__fills),
    cmocka_unit_test(test_hazard_unit__c_equals_rtl),
    cmocka_unit_test(test_hazard_unit__c_equals_rtl_in_commit_order),
    cmocka_unit_test(test_hazard_unit__broken_copies_are_caught),
    cmocka_unit_test(test_hazard_unit__finds_the_youngest_conflict),
    cmocka_unit_test(test_hazard_unit__rcid_is_the_oldest_that_counts),
    cmocka_unit_test(test_hazard_unit__own_write_counts_as_the_transaction_before),
    cmocka_unit_test(test_hazard_unit__takes_an_entry_each_cycle),
    cmocka_unit_test(test_hazard_unit__results_wait_without_loss),
    cmocka_unit_test(test_hazard_unit__clear_forgets_writers),
    cmocka_unit_test(test_hazard_unit__one_exact_conflict_of_equals_is_enough),
    cmocka_unit_test(test_hazard_unit__none_only_gives_a_result),
    cmocka_unit_test(test_hazard_unit__busy_lasts_until_the_result_is_taken),
    cmocka_unit_test(test_hazard_unit__events_tell_where_conflicts_come_from),
    cmocka_unit_test(test_hazard_unit__a_clear_keeps_the_conflicts_found),
    cmocka_unit_test(test_hazard_unit__misses_no_hazard),
};
CW_TEST_MAIN(tests)
