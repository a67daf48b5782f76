/* SPDX-License-Identifier: Apache-2.0 */
/* Recency Bloom filter: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/recency_bloom_filter.h"

#include <stdio.h>

#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_recency_bloom_filter_params params_t;
typedef struct cw_recency_bloom_filter_in in_t;
typedef struct cw_recency_bloom_filter_out out_t;

#define DUT_UNIT cw_recency_bloom_filter_unit
#include "dut.h"

/*                               ways row_w key_w fields value_w dual_read */
static const params_t getm = {4, 6, 30, 2, 32, 1};
static const params_t minimal = {1, 1, 1, 1, 1, 0};
static const params_t odd = {3, 3, 13, 2, 17, 0};
static const params_t kilo = {4, 8, 32, 1, 64, 1};

/* Small filters sweep in few cycles, so they can be cleared often: phases are short. */
static const struct cw_lockstep_set sets[] = {{"getm", &getm, 512}, {"minimal", &minimal, 64}, {"odd", &odd, 64}, {"kilo", &kilo, 2048}};

static const struct cw_lockstep_bench bench = {&cw_recency_bloom_filter_unit, sets, 4, NULL, NULL};

static void test_recency_bloom_filter__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_recency_bloom_filter__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"no forwarding", "cw_ram_1r1w_fwd", "assign rd_data_o = fwd_q ? fwd_data_q : ram_data;",
         "wire unused = &{fwd_q, fwd_data_q}; assign rd_data_o = ram_data;", 2},
        {"answer is not held", "cw_recency_bloom_filter", "if (lkp_s1_q)\n                rsp_q <=", "rsp_q <=", 2},
        {"last value instead of the largest", "cw_recency_bloom_filter", "(ins_v0_s1_q > ins_old[VALUE_W-1:0])", "(ins_v0_s1_q >= 1)", 2},
        {"seed of way 2", "cw_recency_bloom_filter", "32'h30401020", "32'h30401021", 2},
        {"sweep ends a row early", "cw_recency_bloom_filter", "clear_last = &clear_row_q", "clear_last = &(clear_row_q | 1)", 2},
        {"insertion ignores the lookup's claim", "cw_recency_bloom_filter", "(DUAL_READ != 0 || !lkp_valid_i)",
         "(DUAL_READ != 0 || !lkp_valid_i || ins_v0_i == 0)", 2}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

static void wait_for_sweep(struct dut *d, const params_t *p)
{
    uint32_t busy = 0;
    for (dut_cycle(d); !d->out.lkp_ready; dut_cycle(d))
        busy++;
    assert_int_equal(busy, 1u << p->row_w);
}

static void insert(struct dut *d, uint64_t key, uint64_t v0, uint64_t v1)
{
    d->in.ins_valid = 1;
    d->in.ins_key = key;
    d->in.ins_v0 = v0;
    d->in.ins_v1 = v1;
    dut_cycle(d);
    assert_int_equal(d->out.ins_ready, 1);
}

static void look_up(struct dut *d, uint64_t key)
{
    d->in.lkp_valid = 1;
    d->in.lkp_key = key;
    dut_cycle(d);
    assert_int_equal(d->out.lkp_ready, 1);
}

static void test_recency_bloom_filter__answers_after_two_cycles(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &getm, backends[b]);
        wait_for_sweep(&d, &getm);
        insert(&d, 5, 10, 20);
        insert(&d, 5, 7, 30);
        look_up(&d, 5);
        assert_int_equal(d.out.rsp_valid, 0);
        dut_cycle(&d);
        assert_int_equal(d.out.rsp_valid, 0);
        dut_cycle(&d);
        assert_int_equal(d.out.rsp_valid, 1);
        assert_int_equal(d.out.rsp_v0, 10);
        assert_int_equal(d.out.rsp_v1, 30);
        dut_cycle(&d);
        assert_int_equal(d.out.rsp_valid, 0);
        assert_int_equal(d.out.rsp_v0, 10);
        assert_int_equal(d.out.busy, 0);
        dut_close(&d);
    }
}

static void test_recency_bloom_filter__covers_earlier_cycles_only(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &getm, backends[b]);
        wait_for_sweep(&d, &getm);
        d.in = (in_t){.lkp_valid = 1, .lkp_key = 9}; /* with the first insertion: must not see it */
        insert(&d, 9, 3, 4);
        d.in = (in_t){.lkp_valid = 1, .lkp_key = 9}; /* one cycle after: sees the first, not the second */
        insert(&d, 9, 6, 1);
        dut_cycle(&d);
        assert_int_equal(d.out.rsp_valid, 1);
        assert_int_equal(d.out.rsp_v0, 0);
        dut_cycle(&d);
        assert_int_equal(d.out.rsp_v0, 3);
        assert_int_equal(d.out.rsp_v1, 4);
        dut_close(&d);
    }
}

static void test_recency_bloom_filter__clear_forgets_all_before_it(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &odd, backends[b]);
        wait_for_sweep(&d, &odd);
        insert(&d, 1, 100, 100);
        look_up(&d, 1);
        d.in.clear = 1;
        insert(&d, 2, 100, 100);
        dut_cycle(&d); /* first cycle of the sweep: the lookup before the clear is still answered */
        assert_int_equal(d.out.rsp_valid, 1);
        assert_int_equal(d.out.rsp_v0, 100);
        assert_int_equal(d.out.lkp_ready, 0);
        for (uint32_t i = 1; i < 1u << odd.row_w; i++) {
            dut_cycle(&d);
            assert_int_equal(d.out.lkp_ready, 0);
        }
        for (uint64_t key = 0; key < 16; key++) {
            look_up(&d, key);
            dut_cycle(&d);
            dut_cycle(&d);
            assert_int_equal(d.out.rsp_valid, 1);
            assert_int_equal(d.out.rsp_v0, 0);
        }
        dut_close(&d);
    }
}

/* Against an exact map: never too little, and with few keys in a big filter mostly exact. */
static void test_recency_bloom_filter__never_underestimates(void **state)
{
    enum { KEYS = 64, INSERTIONS = 400 };
    (void)state;
    for (int b = 0; b < 2; b++) {
        uint64_t exact[KEYS] = {0};
        uint32_t over = 0;
        struct cw_rng rng;
        struct dut d;
        cw_rng_seed(&rng, cw_test_seed(7));
        dut_open(&d, &getm, backends[b]);
        wait_for_sweep(&d, &getm);
        for (int i = 0; i < INSERTIONS; i++) {
            uint32_t key = cw_rng_below(&rng, KEYS);
            uint64_t v = cw_rng_below(&rng, 1000);
            insert(&d, key * 977u, v, v);
            exact[key] = v > exact[key] ? v : exact[key];
        }
        for (uint32_t key = 0; key < KEYS; key++) {
            look_up(&d, key * 977u);
            dut_cycle(&d);
            dut_cycle(&d);
            assert_true(d.out.rsp_v0 >= exact[key] && d.out.rsp_v1 >= exact[key]);
            over += d.out.rsp_v0 > exact[key];
        }
        printf("%u of %u keys overestimated\n", over, (unsigned)KEYS);
        assert_true(over < KEYS);
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_recency_bloom_filter__c_equals_rtl),
    cmocka_unit_test(test_recency_bloom_filter__broken_copies_are_caught),
    cmocka_unit_test(test_recency_bloom_filter__answers_after_two_cycles),
    cmocka_unit_test(test_recency_bloom_filter__covers_earlier_cycles_only),
    cmocka_unit_test(test_recency_bloom_filter__clear_forgets_all_before_it),
    cmocka_unit_test(test_recency_bloom_filter__never_underestimates),
};
CW_TEST_MAIN(tests)
