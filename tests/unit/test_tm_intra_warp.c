/* SPDX-License-Identifier: Apache-2.0 */
/* Two-phase parallel conflict resolution: the example of Fung 2015, Figure 6.6, and an independent judge of random logs. */
#include "mech/tm/intra_warp.h"

#include <string.h>

#include "base/rng.h"
#include "cw_test.h"

#define ENTRIES 4096

static const struct cw_uop load_uop = {.op = CW_OP_LD}, store_uop = {.op = CW_OP_ST};

/* One row of 32-bit accesses; addr of the lanes in the mask. */
static void row(struct cw_redo_log *log, bool store, uint32_t lanes, const uint64_t *addr)
{
    struct cw_mem_inst inst = {.uop = store ? &store_uop : &load_uop, .lanes = lanes, .elem_bytes = 4, .vec = 1};
    memcpy(inst.addr, addr, sizeof inst.addr);
    assert_int_equal(store ? cw_redo_log_store(log, &inst, lanes) : cw_redo_log_load(log, &inst, lanes), CW_OK);
}

/* X1 .. X4 are lanes 0 .. 3. X3 aborts for reading 0x10, which X1 writes; X4 for writing 0x08, which X2 writes. */
static void test_tm_intra_warp__figure_6_6(void **state)
{
    (void)state;
    static const uint64_t rl1[CW_LANES] = {0x04, 0x04, 0x04, 0x04}, rl2[CW_LANES] = {0x0c, 0x08, 0x10};
    static const uint64_t wl1[CW_LANES] = {0x0c, 0x08, 0x10, 0x04}, wl2[CW_LANES] = {0x10, 0x14, 0x14, 0x08};
    struct cw_redo_log log = {0};
    uint8_t table[ENTRIES];
    row(&log, false, 0xf, rl1);
    row(&log, false, 0x7, rl2);
    row(&log, true, 0xf, wl1);
    row(&log, true, 0xf, wl2);
    assert_int_equal(cw_intra_warp_resolve(&log, 0xf, table, ENTRIES), 0xc);
    assert_int_equal(table[cw_intra_warp_hash(0x04, ENTRIES)], 3);
    assert_int_equal(table[cw_intra_warp_hash(0x08, ENTRIES)], 1);
    assert_int_equal(table[cw_intra_warp_hash(0x0c, ENTRIES)], 0);
    assert_int_equal(table[cw_intra_warp_hash(0x10, ENTRIES)], 0);
    assert_int_equal(table[cw_intra_warp_hash(0x14, ENTRIES)], 1);
    cw_redo_log_free(&log);
}

static void test_tm_intra_warp__readers_of_a_higher_lanes_word_survive(void **state)
{
    (void)state;
    static const uint64_t x[CW_LANES] = {0x40, 0x40};
    struct cw_redo_log log = {0};
    uint8_t table[ENTRIES];
    row(&log, false, 1, x);
    row(&log, true, 2, x);
    assert_int_equal(cw_intra_warp_resolve(&log, 3, table, ENTRIES), 0);
    cw_redo_log_clear(&log);
    row(&log, true, 1, x);
    row(&log, false, 2, x);
    assert_int_equal(cw_intra_warp_resolve(&log, 3, table, ENTRIES), 2);
    assert_int_equal(cw_intra_warp_resolve(&log, 2, table, ENTRIES), 0); /* lanes that aborted before don't count */
    cw_redo_log_free(&log);
}

/* Of the real sets: lane `b` would see or overwrite what lane a, lower, writes. */
static bool conflict(const struct cw_redo_log *log, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < log->write_cnt; i++) {
        if ((log->write[i].lanes >> a & 1) == 0)
            continue;
        for (uint32_t k = 0; k < log->write_cnt; k++)
            if ((log->write[k].lanes >> b & 1) && log->write[k].addr[b] == log->write[i].addr[a])
                return true;
        for (uint32_t k = 0; k < log->read_cnt; k++)
            if ((log->read[k].lanes >> b & 1) && log->read[k].addr[b] == log->write[i].addr[a])
                return true;
    }
    return false;
}

/* Survivors never conflict, the lowest lane survives, and with a table that has an entry for each word nobody aborts without a conflict. */
static void test_tm_intra_warp__random_logs(void **state)
{
    (void)state;
    struct cw_rng rng;
    uint8_t table[65536];
    uint32_t checks = 0;
    cw_rng_seed(&rng, cw_test_seed(4));
    for (uint32_t round = 0; round < 2000; round++) {
        struct cw_redo_log log = {0};
        uint32_t words = 1 + cw_rng_below(&rng, 200), lanes = (uint32_t)cw_rng_next(&rng) | 1, entries = round % 2 ? 65536 : 64;
        for (uint32_t i = 0; i < 6; i++) {
            uint64_t addr[CW_LANES];
            for (uint32_t lane = 0; lane < CW_LANES; lane++)
                addr[lane] = CW_GLOBAL_BASE + 4 * cw_rng_below(&rng, words);
            row(&log, i % 2, (uint32_t)cw_rng_next(&rng), addr);
        }
        uint32_t losers = (uint32_t)cw_intra_warp_resolve(&log, lanes, table, entries), kept = lanes & ~losers;
        assert_int_equal(losers & ~lanes, 0);
        assert_int_equal(losers & lanes & -lanes, 0);
        for (uint32_t b = 0; b < CW_LANES; b++) {
            bool lost = false;
            for (uint32_t a = 0; a < b; a++) {
                bool c = (lanes >> a & 1) && (lanes >> b & 1) && conflict(&log, a, b);
                assert_false(c && (kept >> a & 1) && (kept >> b & 1));
                lost = lost || c;
                checks++;
            }
            if (entries == 65536 && (lanes >> b & 1))
                assert_int_equal(losers >> b & 1, lost);
        }
        cw_redo_log_free(&log);
    }
    print_message("%u pairs of lanes checked\n", checks);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_tm_intra_warp__figure_6_6),
    cmocka_unit_test(test_tm_intra_warp__readers_of_a_higher_lanes_word_survive),
    cmocka_unit_test(test_tm_intra_warp__random_logs),
};

CW_TEST_MAIN(tests)
