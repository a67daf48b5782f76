/* SPDX-License-Identifier: Apache-2.0 */
/* Last written time table: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/last_written_table.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_last_written_table_params params_t;
typedef struct cw_last_written_table_in in_t;
typedef struct cw_last_written_table_out out_t;

#define DUT_UNIT cw_last_written_table_unit
#include "dut.h"
#include "fill/last_written_table.h"

/*                               ways row_w addr_w block_w time_w */
static const params_t tcd_2k = {4, 9, 30, 5, 64};
static const params_t tcd_128 = {4, 5, 30, 5, 32};
static const params_t minimal = {1, 1, 1, 0, 4};
static const params_t odd = {3, 3, 13, 2, 17};
static const params_t largest = {4, 12, 64, 16, 64};

static const struct cw_lockstep_set any_sets[] = {
    {"2k", &tcd_2k, 4096}, {"128", &tcd_128, 512}, {"minimal", &minimal, 64}, {"odd", &odd, 64}, {"largest", &largest, 0}};
static const struct cw_lockstep_bench any = {&cw_last_written_table_unit, any_sets, 5, NULL, NULL};

/* As a partition uses it: the timer runs, first loads lie a little behind it, addresses come again, a clear is rare. */
struct partition {
    uint64_t now;
};

static void like_a_partition(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct partition *u = context;
    in_t *in = inputs;
    (void)last_out;
    u->now = u->now + 4 < 1u << 17 ? u->now + 4 : 0; /* time_w = 17 is the narrowest here */
    uint64_t behind = cw_rng_below(rng, 200);
    in->op_addr = cw_rng_below(rng, 8192);
    in->op_time = in->op_write || u->now < behind ? u->now : u->now - behind;
    in->clear = u->now == 0;
}

static struct partition clock_of_both;
static const struct cw_lockstep_set timed_sets[] = {{"2k-timed", &tcd_2k, 4096}, {"odd-timed", &odd, 512}};
static const struct cw_lockstep_bench timed = {&cw_last_written_table_unit, timed_sets, 2, like_a_partition, &clock_of_both};

static void test_last_written_table__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&any);
}

static void test_last_written_table__c_equals_rtl_with_a_running_timer(void **state)
{
    (void)state;
    cw_lockstep_run_narrow(&timed);
}

static void test_last_written_table__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"written in the cycle of the first load counts", "cw_last_written_table", "bloom_time > first_s3_q",
         "bloom_rsp_valid && bloom_time >= first_s3_q", 1},
        {"the wrong transaction's first load", "cw_last_written_table", "first_s2_q <= first_s1_q",
         "first_s2_q <= op_valid_i ? op_time_i : first_s1_q", 1},
        {"blocks of half the size", "cw_last_written_table", "block    = op_addr_i[ADDR_W-1:BLOCK_W]",
         "block    = op_addr_i[ADDR_W-2:BLOCK_W-1]", 1},
        {"warning is not sticky", "cw_last_written_table",
         "else if (op_store && op_ready_o && &op_time_i[TIME_W-1 -: 3])\n            early_warning_q <= 1'b1;",
         "else early_warning_q <= op_store && op_ready_o && &op_time_i[TIME_W-1 -: 3];", 1},
        {"no forwarding", "cw_recency_bloom_filter", "rd_hit_s2 = ins_s2_q &&", "rd_hit_s2 = ins_s2_q && clearing_q &&", 1},
        {"busy ends before the answer", "cw_last_written_table", "bloom_busy || rsp_valid_q", "bloom_busy", 1},
        {"a clear beside an access is lost", "cw_last_written_table", ".clear_i    (clear_i)", ".clear_i    (clear_i && !op_valid_i)", 1},
        {"a READ before a clear has no answer", "cw_last_written_table", "<= bloom_rsp_valid;", "<= bloom_rsp_valid && op_ready_o;", 1},
        {"a reset starts no sweep", "cw_recency_bloom_filter", "clearing_q  <= 1'b1;", "clearing_q  <= !rst_i;", 1},
        {"what is no answer is not 0", "cw_recency_bloom_filter", "if (lkp_s2_q) begin", "if (1'b1) begin", 1}};
    (void)state;
    cw_lockstep_catches(&timed, mutants, sizeof mutants / sizeof mutants[0]);
}

static void wait_for_sweep(struct dut *d, const params_t *p)
{
    uint32_t cycles = 0;
    for (dut_cycle(d); !d->out.op_ready; dut_cycle(d))
        cycles++;
    assert_int_equal(cycles, 1u << p->row_w);
}

/* Open, and cleared since the reset. */
static void open_cleared(struct dut *d, const params_t *p, enum cw_unit_backend backend)
{
    dut_open(d, p, backend);
    wait_for_sweep(d, p);
}

static void operate(struct dut *d, uint64_t is_write, uint64_t addr, uint64_t time)
{
    d->in.op_valid = 1;
    d->in.op_write = is_write;
    d->in.op_addr = addr;
    d->in.op_time = time;
    dut_cycle(d);
    assert_int_equal(d->out.op_ready, 1);
}

/* READs and waits for the answer, which is left in d->out. */
static uint64_t read_time(struct dut *d, uint64_t addr, uint64_t first)
{
    operate(d, 0, addr, first);
    for (uint32_t i = 1; i <= CW_LAST_WRITTEN_TABLE_LATENCY; i++) {
        assert_int_equal(d->out.rsp_valid, 0);
        dut_cycle(d);
    }
    assert_int_equal(d->out.rsp_valid, 1);
    return d->out.rsp_time;
}

/* Figure 6.8: X_C loads 0x10 at 1; X_A writes it at 7; X_C loads 0x30 at 10; X_B writes 0x20 at 15; X_C loads 0x20 at 18: conflict.
 * The figure's addresses are blocks of their own; here blocks have 32 words. */
static void test_last_written_table__follows_the_papers_example(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        open_cleared(&d, &tcd_2k, backends[b]);
        assert_int_equal(read_time(&d, 0x10 * 32, 1), 0);
        assert_int_equal(d.out.rsp_conflict, 0);
        operate(&d, 1, 0x10 * 32, 7);
        assert_int_equal(read_time(&d, 0x30 * 32, 1), 0);
        assert_int_equal(d.out.rsp_conflict, 0);
        operate(&d, 1, 0x20 * 32 + 31, 15); /* any word of the block */
        assert_int_equal(read_time(&d, 0x20 * 32, 1), 15);
        assert_int_equal(d.out.rsp_conflict, 1);
        assert_int_equal(read_time(&d, 0x20 * 32, 15), 15); /* a snapshot of 15 has it */
        assert_int_equal(d.out.rsp_conflict, 0);
        assert_int_equal(read_time(&d, 0x20 * 32, 14), 15);
        assert_int_equal(d.out.rsp_conflict, 1);
        assert_int_equal(read_time(&d, 0x21 * 32, 1), 0);
        dut_cycle(&d);
        assert_int_equal(d.out.rsp_valid, 0);
        assert_int_equal(d.out.rsp_time, 0);
        assert_int_equal(d.out.busy, 0);
        dut_close(&d);
    }
}

/* WRITE, READ, WRITE, READ ... of one block without a pause: each READ sees the WRITE of the cycle before it. */
static void test_last_written_table__takes_an_access_each_cycle(void **state)
{
    enum { PAIRS = 40 };
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        uint64_t answers = 0;
        open_cleared(&d, &tcd_128, backends[b]);
        for (uint64_t n = 0; n < 2 * PAIRS + CW_LAST_WRITTEN_TABLE_LATENCY; n++) {
            if (n < 2 * PAIRS)
                operate(&d, n % 2 == 0, 3, n % 2 == 0 ? n / 2 + 1 : n / 2);
            else
                dut_cycle(&d);
            if (d.out.rsp_valid) {
                assert_int_equal(d.out.rsp_time, ++answers);
                assert_int_equal(d.out.rsp_conflict, 1); /* first load: the time of the WRITE before */
            }
        }
        dut_cycle(&d);
        assert_int_equal(answers + d.out.rsp_valid, PAIRS);
        dut_close(&d);
    }
}

static void test_last_written_table__warns_and_is_cleared(void **state)
{
    const uint64_t top = (uint64_t)7 << 29;
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        open_cleared(&d, &tcd_128, backends[b]);
        operate(&d, 1, 64, top - 1);
        dut_cycle(&d);
        assert_int_equal(d.out.early_warning, 0);
        assert_int_equal(read_time(&d, 64, top), top - 1); /* a READ's time does not count */
        assert_int_equal(d.out.early_warning, 0);
        operate(&d, 1, 96, top);
        dut_cycle(&d);
        assert_int_equal(d.out.early_warning, 1);
        dut_cycle(&d);
        assert_int_equal(d.out.early_warning, 1);
        operate(&d, 0, 64, 0);
        d.in.clear = 1;
        operate(&d, 1, 128, top); /* in the cycle of clear: taken and forgotten */
        for (uint32_t i = 1; i <= 1u << tcd_128.row_w; i++) {
            dut_cycle(&d);
            assert_int_equal(d.out.op_ready, 0);
            assert_int_equal(d.out.early_warning, 0);
            /* the READ of the cycle before the clear */
            assert_int_equal(d.out.rsp_valid, i + 1 == CW_LAST_WRITTEN_TABLE_LATENCY);
            assert_int_equal(d.out.rsp_time, d.out.rsp_valid ? top - 1 : 0);
        }
        for (uint64_t block = 0; block < 8; block++)
            assert_int_equal(read_time(&d, block * 32, 0), 0);
        dut_close(&d);
    }
}

/* Against an exact map: never too early; and more sub-arrays of the same total guess better when blocks are few. */
static void test_last_written_table__is_never_too_early(void **state)
{
    enum { BLOCKS = 64, OPERATIONS = 3000 };
    (void)state;
    for (int b = 0; b < 2; b++) {
        uint64_t exact[BLOCKS] = {0};
        uint32_t reads = 0, late = 0, conflicts = 0;
        struct cw_rng rng;
        struct dut d;
        cw_rng_seed(&rng, cw_test_seed(3));
        open_cleared(&d, &tcd_128, backends[b]);
        for (uint64_t now = 1; now <= OPERATIONS; now++) {
            uint32_t block = cw_rng_below(&rng, BLOCKS);
            uint64_t addr = block * 32u * 613u + cw_rng_below(&rng, 32), behind = cw_rng_below(&rng, 100);
            if (cw_rng_below(&rng, 2) != 0) {
                operate(&d, 1, addr, now);
                exact[block] = now;
                continue;
            }
            uint64_t first = now > behind ? now - behind : 0, time = read_time(&d, addr, first);
            assert_true(time >= exact[block] && time <= now);
            assert_int_equal(d.out.rsp_conflict, time > first);
            conflicts += exact[block] > first;
            late += time > exact[block];
            reads++;
        }
        printf("%u reads, %u true conflicts, %u too late\n", reads, conflicts, late);
        assert_true(reads > 1000 && conflicts > 100 && late > 0 && late < reads / 2);
        dut_close(&d);
    }
}

static void test_last_written_table__refuses_blocks_without_an_address(void **state)
{
    params_t p = odd;
    struct cw_unit_instance inst;
    struct cw_error err = {""};
    (void)state;
    p.block_w = p.addr_w;
    assert_int_equal(cw_unit_provider_c()->open(NULL, &cw_last_written_table_unit, "table", &p, &inst, &err), CW_EINVAL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_last_written_table__fills),
    cmocka_unit_test(test_last_written_table__c_equals_rtl),
    cmocka_unit_test(test_last_written_table__c_equals_rtl_with_a_running_timer),
    cmocka_unit_test(test_last_written_table__broken_copies_are_caught),
    cmocka_unit_test(test_last_written_table__follows_the_papers_example),
    cmocka_unit_test(test_last_written_table__takes_an_access_each_cycle),
    cmocka_unit_test(test_last_written_table__warns_and_is_cleared),
    cmocka_unit_test(test_last_written_table__is_never_too_early),
    cmocka_unit_test(test_last_written_table__refuses_blocks_without_an_address),
};
CW_TEST_MAIN(tests)
