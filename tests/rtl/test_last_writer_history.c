/* SPDX-License-Identifier: Apache-2.0 */
/* Last writer history: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/last_writer_history.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cw_test.h"
#include "lockstep_driver.h"
#include "unit/h3.h"

typedef struct cw_last_writer_history_params params_t;
typedef struct cw_last_writer_history_in in_t;
typedef struct cw_last_writer_history_out out_t;

/* From cycle to cycle live_cid stays. */
#define DUT_UNIT    cw_last_writer_history_unit
#define DUT_NEXT(d) ((in_t){.live_cid = (d)->in.live_cid})
#include "dut.h"
#include "fill/last_writer_history.h"

/*                                ways set_w addr_w cid_w bloom_ways bloom_row_w */
static const params_t kilo_5k = {4, 7, 30, 16, 4, 8};
static const params_t kilo_512 = {4, 4, 30, 16, 4, 4};
static const params_t minimal = {1, 1, 1, 2, 1, 1};
static const params_t odd = {3, 2, 13, 9, 3, 3};
static const params_t wide = {8, 3, 64, 48, 2, 2};
static const params_t largest = {8, 12, 64, 48, 4, 12};

/* Anything at all. */
static const struct cw_lockstep_set any_sets[] = {{"5k", &kilo_5k, 4096}, {"512", &kilo_512, 512}, {"minimal", &minimal, 64},
                                                  {"odd", &odd, 128},     {"wide", &wide, 128},    {"largest", &largest, 0}};
static const struct cw_lockstep_bench any = {&cw_last_writer_history_unit, any_sets, 6, NULL, NULL};

/* As a commit unit uses it: commit IDs rise, live_cid follows at a distance, addresses come again, a clear is rare. */
struct commit_unit {
    uint64_t cid, live;
    uint32_t addresses, distance;
};

static void like_a_commit_unit(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct commit_unit *u = context;
    in_t *in = inputs;
    (void)last_out;
    if (u->cid < 500) /* cid_w = 9 is the narrowest here */
        u->cid += cw_rng_below(rng, 8) == 0;
    else
        in->clear = 1;
    if (in->clear && (u->cid >= 500 || cw_rng_below(rng, 64) == 0))
        u->cid = 1;
    else
        in->clear = 0;
    in->op_addr = cw_rng_below(rng, u->addresses);
    in->op_cid = u->cid;
    in->live_cid = u->cid > u->distance ? u->cid - u->distance : 0;
}

static struct commit_unit many_writers = {1, 0, 4096, 400}, few_writers = {1, 0, 64, 24};
static const struct cw_lockstep_set many_sets[] = {{"5k-in-order", &kilo_5k, 4096}, {"512-in-order", &kilo_512, 512}};
static const struct cw_lockstep_set few_sets[] = {{"odd-in-order", &odd, 512}};
static const struct cw_lockstep_bench many = {&cw_last_writer_history_unit, many_sets, 2, like_a_commit_unit, &many_writers};
static const struct cw_lockstep_bench few = {&cw_last_writer_history_unit, few_sets, 1, like_a_commit_unit, &few_writers};

static void test_last_writer_history__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&any);
}

static void test_last_writer_history__c_equals_rtl_in_commit_order(void **state)
{
    (void)state;
    cw_lockstep_run_narrow(&many);
    cw_lockstep_run_narrow(&few);
}

static void test_last_writer_history__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"youngest is replaced", "cw_last_writer_history", "CID_W] <= s2_row_q[j", "CID_W] >= s2_row_q[j", 0},
        {"the last way is never replaced", "cw_last_writer_history", "for (j = i + 1; j < WAYS;", "for (j = i + 1; j < WAYS - 1;", 0},
        {"retired ones go to the filter", "cw_last_writer_history", "&& oldest_cid >= live_cid_i;", ";  wire unused = &live_cid_i;", 0},
        {"a hit makes a second entry", "cw_last_writer_history", "place_oh = match ? match_oh : oldest_oh",
         "place_oh = match && s2_check_q ? match_oh : oldest_oh", 0},
        {"no forwarding in the cycle of the read", "cw_ram_1r1w_fwd", "assign rd_data_o = fwd_q ? fwd_data_q : ram_data;",
         "wire unused = &{fwd_q, fwd_data_q}; assign rd_data_o = ram_data;", 0},
        {"nor in the cycle after", "cw_last_writer_history", "forward = record &&", "forward = record && sweep_q &&", 0},
        {"the evicted address is the new one", "cw_last_writer_history", "s2_check_q ? s2_addr_q : oldest_addr;",
         "s2_check_q || sweep_q || s1_valid_q ? s2_addr_q : oldest_addr;", 0},
        {"the filter's answer comes beside the table's", "cw_last_writer_history", "check && !match;", "check;", 0},
        {"sweep does not wait for the operations inside", "cw_last_writer_history", "pending_q && !s1_valid_q;", "pending_q;", 0},
        {"sweep leaves the last set", "cw_last_writer_history", "sweep_last  = &sweep_set_q", "sweep_last  = &(sweep_set_q | 1)", 0}};
    (void)state;
    cw_lockstep_catches(&few, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Ends when operations are taken; returns the cycles that this took. */
static uint32_t wait_for_sweep(struct dut *d)
{
    uint32_t cycles = 0;
    for (dut_cycle(d); !d->out.op_ready; dut_cycle(d))
        cycles++;
    return cycles;
}

/* Open, and cleared since the reset. */
static void open_cleared(struct dut *d, const params_t *p, enum cw_unit_backend backend)
{
    dut_open(d, p, backend);
    uint32_t sweep = 1u << (p->set_w > p->bloom_row_w ? p->set_w : p->bloom_row_w);
    assert_int_equal(wait_for_sweep(d), sweep);
}

static void operate(struct dut *d, uint64_t write, uint64_t addr, uint64_t cid)
{
    d->in.op_valid = 1;
    d->in.op_write = write;
    d->in.op_addr = addr;
    d->in.op_cid = cid;
    dut_cycle(d);
    assert_int_equal(d->out.op_ready, 1);
}

static void record(struct dut *d, uint64_t addr, uint64_t cid)
{
    operate(d, 1, addr, cid);
}

/* CHECKs and waits for the answer, which is left in d->out. */
static uint64_t check(struct dut *d, uint64_t addr)
{
    operate(d, 0, addr, 0);
    for (uint32_t i = 1; i <= CW_LAST_WRITER_HISTORY_LATENCY; i++) {
        assert_int_equal(d->out.rsp_valid, 0);
        dut_cycle(d);
    }
    assert_int_equal(d->out.rsp_valid, 1);
    return d->out.rsp_cid;
}

static void test_last_writer_history__answers_the_last_writer_exactly(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        open_cleared(&d, &kilo_5k, backends[b]);
        assert_int_equal(check(&d, 77), 0);
        assert_int_equal(d.out.rsp_exact, 0);
        dut_cycle(&d);
        assert_int_equal(d.out.rsp_valid, 0);
        assert_int_equal(d.out.busy, 0);
        record(&d, 77, 3);
        record(&d, 77, 9);
        record(&d, 78, 10);
        record(&d, 77, 0); /* no transaction: nothing happens */
        assert_int_equal(check(&d, 77), 9);
        assert_int_equal(d.out.rsp_exact, 1);
        assert_int_equal(check(&d, 78), 10);
        assert_int_equal(check(&d, 79), 0);
        dut_close(&d);
    }
}

/* One operation per cycle: each CHECK sees the RECORD of the cycle before it, and not that of the cycle after. */
static void test_last_writer_history__takes_an_operation_each_cycle(void **state)
{
    enum { PAIRS = 40 };
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint32_t answers = 0;
        open_cleared(&d, &kilo_512, backends[b]);
        for (uint64_t n = 1; n <= PAIRS + CW_LAST_WRITER_HISTORY_LATENCY / 2; n++)
            for (uint64_t write = 1; write < 2; write--) {
                d.in.op_valid = n <= PAIRS;
                d.in.op_write = write;
                d.in.op_addr = 5;
                d.in.op_cid = n;
                dut_cycle(&d);
                assert_int_equal(d.out.op_ready, 1);
                if (d.out.rsp_valid)
                    assert_int_equal(d.out.rsp_cid, ++answers);
            }
        dut_cycle(&d);
        answers += (uint32_t)d.out.rsp_valid;
        assert_int_equal(answers, PAIRS);
        dut_close(&d);
    }
}

/* 64 writers over 12 entries: the table keeps the youngest of each set, the filter answers for the others, and never too old. */
static void test_last_writer_history__evicts_the_oldest_into_the_filter(void **state)
{
    enum { ADDRESSES = 64 };
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint32_t exact = 0, evictions = 0, over = 0;
        open_cleared(&d, &odd, backends[b]);
        for (uint64_t a = 0; a < ADDRESSES; a++) {
            record(&d, a * 101, a + 1);
            evictions += (uint32_t)d.out.evt_evict;
        }
        for (uint64_t i = 0; i < 3; i++) {
            dut_cycle(&d);
            evictions += (uint32_t)d.out.evt_evict;
        }
        for (uint64_t a = 0; a < ADDRESSES; a++) {
            uint64_t cid = check(&d, a * 101);
            assert_true(cid >= a + 1 && cid <= ADDRESSES);
            if (d.out.rsp_exact)
                assert_int_equal(cid, a + 1);
            exact += (uint32_t)d.out.rsp_exact;
            over += cid > a + 1;
        }
        printf("%u exact, %u evictions, %u too young\n", exact, evictions, over);
        assert_int_equal(exact, odd.ways << odd.set_w); /* every set is full after 64 writers */
        assert_int_equal(evictions, ADDRESSES - exact);
        assert_true(over < ADDRESSES - exact);
        dut_close(&d);
    }
}

/* Addresses of one set: the first count of them that hash to set 1. */
static void addresses_of_a_set(const params_t *p, uint64_t *addr, uint64_t count)
{
    struct cw_h3 hash;
    uint64_t found = 0;
    cw_h3_init(&hash, 0x50607080, p->addr_w, p->set_w); /* rtl/README.md */
    for (uint64_t a = 1; found < count; a++)
        if (cw_h3(&hash, a) == 1)
            addr[found++] = a;
}

/* A set of three takes three writers, and the fourth drives the first one out, three cycles after it. live_cid is looked at two cycles
 * after it: in the cycle `at` it is too high for the first one. */
static void test_last_writer_history__live_cid_counts_two_cycles_later(void **state)
{
    uint64_t addr[4];
    (void)state;
    addresses_of_a_set(&odd, addr, 4);
    for (int b = 0; b < 2; b++)
        for (uint64_t at = 0; at < 5; at++) {
            struct dut d;
            open_cleared(&d, &odd, backends[b]);
            for (uint64_t i = 0; i < 3; i++)
                record(&d, addr[i], 5 + i);
            for (uint64_t i = 0; i < 4; i++) {
                dut_cycle(&d);
                assert_int_equal(d.out.evt_evict, 0); /* empty entries go first */
            }
            for (uint64_t i = 0; i < 5; i++) {
                d.in.live_cid = i == at ? 6 : 5;
                if (i == 0)
                    record(&d, addr[3], 8);
                else
                    dut_cycle(&d);
                assert_int_equal(d.out.evt_evict, i == 3 && at != 2);
                assert_int_equal(d.out.rsp_valid, 0); /* a RECORD has no response */
            }
            assert_int_equal(check(&d, addr[0]), at == 2 ? 0 : 5);
            assert_int_equal(d.out.rsp_exact, 0);
            dut_close(&d);
        }
}

/* What is dead stays in the table until its place is needed, and is answered. A CHECK brings no commit ID. */
static void test_last_writer_history__answers_what_is_dead(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        open_cleared(&d, &kilo_512, backends[b]);
        record(&d, 77, 3);
        d.in.live_cid = 9;
        for (uint64_t cid = 0; cid < 6; cid++) {
            operate(&d, 0, 77, cid);
            for (int i = 0; i < CW_LAST_WRITER_HISTORY_LATENCY; i++)
                dut_cycle(&d);
            assert_int_equal(d.out.rsp_valid, 1);
            assert_int_equal(d.out.rsp_cid, 3);
            assert_int_equal(d.out.rsp_exact, 1);
        }
        dut_cycle(&d);
        assert_int_equal(d.out.rsp_valid, 0);
        assert_int_equal(d.out.rsp_cid, 0);
        assert_int_equal(d.out.rsp_exact, 0);
        dut_close(&d);
    }
}

/* One cycle without ready before the sweep when nothing comes beside the clear, else two; a CHECK beside the clear is answered. */
static void test_last_writer_history__a_clear_waits_for_the_operation_beside_it(void **state)
{
    static const uint32_t sweep = 16;
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint32_t beside = 0; beside < 2; beside++)
            for (uint32_t again = 0; again < 1 + beside + sweep; again++) { /* in this cycle without ready comes another clear */
                struct dut d;
                open_cleared(&d, &kilo_512, backends[b]);
                record(&d, 77, 3);
                d.in = (in_t){.clear = 1, .op_valid = beside, .op_addr = 77};
                dut_cycle(&d);
                assert_int_equal(d.out.op_ready, 1);
                for (uint32_t i = 0; i < 1 + beside + sweep; i++) {
                    d.in = (in_t){.clear = i == again, .op_valid = 1, .op_write = 1, .op_addr = 78, .op_cid = 4}; /* not accepted */
                    dut_cycle(&d);
                    assert_int_equal(d.out.op_ready, 0);
                    assert_int_equal(d.out.busy, 1);
                    bool answer = beside && i + 1 == CW_LAST_WRITER_HISTORY_LATENCY;
                    assert_int_equal(d.out.rsp_valid, answer);
                    assert_int_equal(d.out.rsp_cid, answer ? 3 : 0);
                }
                assert_int_equal(check(&d, 77), 0);
                assert_int_equal(check(&d, 78), 0);
                dut_close(&d);
            }
}

/* After busy has fallen nothing comes any more: the answer of a CHECK is out, and what a RECORD drives out is in the filter. */
static void test_last_writer_history__busy_lasts_to_the_end(void **state)
{
    uint64_t addr[4];
    (void)state;
    addresses_of_a_set(&odd, addr, 4);
    for (int b = 0; b < 2; b++) {
        struct dut d;
        open_cleared(&d, &odd, backends[b]);
        assert_int_equal(d.out.busy, 0);
        operate(&d, 0, addr[0], 0);
        assert_int_equal(d.out.busy, 0); /* of the state, not of the inputs */
        for (int i = 1; i <= CW_LAST_WRITER_HISTORY_LATENCY; i++) {
            dut_cycle(&d);
            assert_int_equal(d.out.busy, 1);
        }
        assert_int_equal(d.out.rsp_valid, 1);
        dut_cycle(&d);
        assert_int_equal(d.out.busy, 0);
        for (uint64_t i = 0; i < 4; i++)
            record(&d, addr[i], 5);
        for (int i = 1; i <= 4; i++) { /* two cycles to the table, two in the filter */
            dut_cycle(&d);
            assert_int_equal(d.out.busy, 1);
        }
        dut_cycle(&d);
        assert_int_equal(d.out.busy, 0);
        dut_close(&d);
    }
}

/* One transaction writes one word more than a set has entries: of equal commit IDs the lowest way's goes, which was filled first. */
static void test_last_writer_history__replaces_the_lowest_way_of_equal_ones(void **state)
{
    enum { WORDS = 4 };
    uint64_t addr[WORDS];
    (void)state;
    assert_int_equal(odd.ways, WORDS - 1);
    addresses_of_a_set(&odd, addr, WORDS);
    for (int b = 0; b < 2; b++) {
        struct dut d;
        open_cleared(&d, &odd, backends[b]);
        for (uint64_t i = 0; i < WORDS; i++)
            record(&d, addr[i], 5);
        for (uint64_t i = 0; i < WORDS; i++) {
            assert_int_equal(check(&d, addr[i]), 5);
            assert_int_equal(d.out.rsp_exact, i != 0);
        }
        dut_close(&d);
    }
}

/* 64 younger writers drive the oldest one out of its set: to the filter while it is live, away when it is not. */
static void test_last_writer_history__drops_what_has_retired(void **state)
{
    enum { YOUNGER = 64 };
    const uint64_t replaced = YOUNGER + 1 - (odd.ways << odd.set_w);
    (void)state;
    for (int b = 0; b < 2; b++)
        for (uint64_t live = 5; live <= 8; live++) {
            struct dut d;
            uint64_t evictions = 0;
            open_cleared(&d, &odd, backends[b]);
            record(&d, 0, 6);
            d.in.live_cid = live;
            for (uint64_t a = 1; a <= YOUNGER + 3; a++) {
                if (a <= YOUNGER)
                    record(&d, a * 101, 7);
                else
                    dut_cycle(&d);
                evictions += d.out.evt_evict;
            }
            uint64_t cid = check(&d, 0);
            assert_int_equal(d.out.rsp_exact, 0);
            if (live <= 6)
                assert_true(cid == 6 || cid == 7); /* 7: of addresses that share its buckets */
            else
                assert_true(cid == 0 || (cid == 7 && live == 7));
            assert_int_equal(evictions, live == 8 ? 0 : live == 7 ? replaced - 1 : replaced);
            dut_close(&d);
        }
}

static void test_last_writer_history__clear_forgets_and_answers(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        open_cleared(&d, &kilo_512, backends[b]);
        for (uint64_t a = 0; a < 128; a++)
            record(&d, a, 7);
        operate(&d, 0, 127, 0);
        d.in.clear = 1;
        record(&d, 500, 8); /* in the cycle of clear: taken and forgotten */
        dut_cycle(&d);
        assert_int_equal(d.out.op_ready, 0);
        assert_int_equal(d.out.busy, 1);
        d.in.clear = 1; /* no effect */
        for (int i = 3; i <= CW_LAST_WRITER_HISTORY_LATENCY; i++) {
            assert_int_equal(d.out.rsp_valid, 0);
            dut_cycle(&d);
        }
        assert_int_equal(d.out.rsp_valid, 1);
        assert_int_equal(d.out.rsp_cid, 7);
        /* One cycle until the RECORD meets the table, one in which the sweep starts, the sweep; five of these have been seen. */
        assert_int_equal(wait_for_sweep(&d), 2 + 16 - 5);
        for (uint64_t a = 0; a < 128; a++)
            assert_int_equal(check(&d, a), 0);
        assert_int_equal(check(&d, 500), 0);
        dut_close(&d);
    }
}

/* Against an exact map, over rising commit IDs with retirement: never older than the last live writer; exact when it says so. */
static void test_last_writer_history__is_never_too_old(void **state)
{
    enum { WORDS = 96, OPERATIONS = 4000, WINDOW = 300 };
    (void)state;
    for (int b = 0; b < 2; b++) {
        uint64_t exact[WORDS] = {0};
        uint32_t checks = 0, too_young = 0;
        struct cw_rng rng;
        struct dut d;
        cw_rng_seed(&rng, cw_test_seed(11));
        open_cleared(&d, &kilo_512, backends[b]);
        for (uint64_t n = 1; n <= OPERATIONS; n++) {
            uint32_t word = cw_rng_below(&rng, WORDS);
            uint64_t live = n > WINDOW ? n - WINDOW : 0;
            d.in.live_cid = live;
            if (cw_rng_below(&rng, 4) != 0) {
                record(&d, word * 4099u, n);
                exact[word] = n;
                continue;
            }
            uint64_t cid = check(&d, word * 4099u);
            if (exact[word] >= live)
                assert_true(cid >= exact[word]);
            if (d.out.rsp_exact)
                assert_int_equal(cid, exact[word]);
            too_young += cid > exact[word] && cid >= live;
            checks++;
        }
        printf("%u checks, %u too young\n", checks, too_young);
        assert_true(checks > 500 && too_young > 0 && too_young < checks / 4);
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_last_writer_history__fills),
    cmocka_unit_test(test_last_writer_history__c_equals_rtl),
    cmocka_unit_test(test_last_writer_history__c_equals_rtl_in_commit_order),
    cmocka_unit_test(test_last_writer_history__broken_copies_are_caught),
    cmocka_unit_test(test_last_writer_history__answers_the_last_writer_exactly),
    cmocka_unit_test(test_last_writer_history__takes_an_operation_each_cycle),
    cmocka_unit_test(test_last_writer_history__evicts_the_oldest_into_the_filter),
    cmocka_unit_test(test_last_writer_history__replaces_the_lowest_way_of_equal_ones),
    cmocka_unit_test(test_last_writer_history__live_cid_counts_two_cycles_later),
    cmocka_unit_test(test_last_writer_history__answers_what_is_dead),
    cmocka_unit_test(test_last_writer_history__a_clear_waits_for_the_operation_beside_it),
    cmocka_unit_test(test_last_writer_history__busy_lasts_to_the_end),
    cmocka_unit_test(test_last_writer_history__drops_what_has_retired),
    cmocka_unit_test(test_last_writer_history__clear_forgets_and_answers),
    cmocka_unit_test(test_last_writer_history__is_never_too_old),
};
CW_TEST_MAIN(tests)
