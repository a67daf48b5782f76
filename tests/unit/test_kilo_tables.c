/* SPDX-License-Identifier: Apache-2.0 */
/* The Kilo TM family's tables: last-writer history, last-written times, conflict addresses; sequential intra-warp resolution. */
#include <string.h>

#include "cw_test.h"

#include "base/rng.h"
#include "tm/intra_warp.h"
#include "tm/kilo_cat.h"
#include "tm/kilo_history.h"
#include "tm/kilo_written.h"

/* Against an exact record: never too old an ID, and exact while the table has room. */
static void test_kilo_tables__history_is_conservative(void **state)
{
    enum { WORDS = 4096 };
    static uint64_t last[WORDS];
    struct cw_kilo_history *h = cw_kilo_history_create(16, 16);
    struct cw_rng rng;
    uint64_t id = 1, evicted = 0;
    bool filter;
    (void)state;
    assert_non_null(h);
    cw_rng_seed(&rng, 11);
    memset(last, 0, sizeof last);
    for (uint32_t i = 0; i < 20000; i++, id += cw_rng_below(&rng, 2)) {
        uint32_t word = cw_rng_below(&rng, WORDS), other = cw_rng_below(&rng, WORDS);
        evicted += cw_kilo_history_enter(h, word, id);
        last[word] = id;
        assert_int_equal(cw_kilo_history_find(h, word, &filter), id);
        assert_false(filter);
        uint64_t found = cw_kilo_history_find(h, other, &filter);
        assert_true(found >= last[other] && found <= id);
        if (!filter)
            assert_int_equal(found, last[other]);
    }
    assert_true(evicted > 10000);
    cw_kilo_history_clear(h);
    for (uint32_t word = 0; word < WORDS; word++)
        assert_int_equal(cw_kilo_history_find(h, word, &filter), 0);
    cw_kilo_history_destroy(h);
}

/* Of a full set the oldest ID goes, and the filter still knows it. One set of four entries: every word meets. */
static void test_kilo_tables__history_evicts_the_oldest(void **state)
{
    struct cw_kilo_history *h = cw_kilo_history_create(1, 256);
    bool filter;
    (void)state;
    for (uint64_t i = 0; i < 4; i++)
        assert_false(cw_kilo_history_enter(h, 100 + i, 10 + i));
    assert_false(cw_kilo_history_enter(h, 100, 20)); /* 101 is the oldest now */
    assert_true(cw_kilo_history_enter(h, 200, 21));
    assert_int_equal(cw_kilo_history_find(h, 100, &filter), 20);
    assert_false(filter);
    assert_int_equal(cw_kilo_history_find(h, 101, &filter), 11);
    assert_true(filter);
    cw_kilo_history_destroy(h);
}

static void test_kilo_tables__written_times_are_conservative(void **state)
{
    enum { BLOCKS = 600 };
    static uint64_t last[BLOCKS];
    struct cw_kilo_written *w = cw_kilo_written_create(64, 8);
    struct cw_rng rng;
    uint32_t exact = 0;
    (void)state;
    assert_non_null(w);
    cw_rng_seed(&rng, 5);
    memset(last, 0, sizeof last);
    for (uint64_t time = 1; time < 5000; time++) {
        uint32_t block = cw_rng_below(&rng, BLOCKS), other = cw_rng_below(&rng, BLOCKS);
        cw_kilo_written_enter(w, block, time);
        last[block] = time;
        assert_true(cw_kilo_written_find(w, other) >= last[other]);
        exact += cw_kilo_written_find(w, other) == last[other];
    }
    assert_true(exact > 100);
    cw_kilo_written_destroy(w);
}

static void test_kilo_tables__expected_writes_are_counted(void **state)
{
    struct cw_kilo_written *w = cw_kilo_written_create(64, 512);
    uint32_t others = 0;
    (void)state;
    cw_kilo_written_expect(w, 7, 2);
    cw_kilo_written_expect(w, 7, -1);
    assert_true(cw_kilo_written_expected(w, 7));
    for (uint64_t block = 8; block < 108; block++)
        others += cw_kilo_written_expected(w, block);
    assert_true(others < 5); /* 100 blocks, one counter of 512 taken */
    cw_kilo_written_expect(w, 7, -1);
    assert_false(cw_kilo_written_expected(w, 7));
    cw_kilo_written_destroy(w);
}

static void test_kilo_tables__conflict_addresses(void **state)
{
    struct cw_kilo_cat *t = cw_kilo_cat_create(3);
    (void)state;
    assert_true(cw_kilo_cat_enter(t, 0x1000, 1));
    assert_true(cw_kilo_cat_enter(t, 0x1000, 2));
    assert_true(cw_kilo_cat_enter(t, 0x2000, 2));
    assert_false(cw_kilo_cat_enter(t, 0x3000, 3));
    cw_kilo_cat_remove(t, 0x1000, 1);
    assert_true(cw_kilo_cat_has(t, 0x1000)); /* of commit 2 */
    cw_kilo_cat_remove(t, 0x3000, 3);        /* never entered */
    cw_kilo_cat_remove(t, 0x1000, 2);
    assert_false(cw_kilo_cat_has(t, 0x1000));
    assert_true(cw_kilo_cat_has(t, 0x2000));
    assert_true(cw_kilo_cat_enter(t, 0x3000, 3));
    cw_kilo_cat_destroy(t);
}

/* The example of Fung 2015, Figure 6.6, whose lanes X1 and X2 survive two-phase resolution. Sequentially, lane by lane: X1 stays; X2 stays,
 * for it touches nothing that X1 writes; X3 reads 0x10, which X1 writes; X4 writes 0x08, which X2 writes. */
static void test_kilo_tables__sequential_resolution(void **state)
{
    static const uint64_t reads[2][4] = {{0x04, 0x04, 0x04, 0x04}, {0x0c, 0x08, 0x10, 0}};
    static const uint64_t writes[2][4] = {{0x0c, 0x08, 0x10, 0x04}, {0x10, 0x14, 0x14, 0x08}};
    struct cw_redo_log log = {0};
    uint8_t filter[4096];
    (void)state;
    struct cw_write_row write[2] = {{.lanes = 15}, {.lanes = 15}};
    struct cw_read_row read[2] = {{.lanes = 15}, {.lanes = 7}};
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t lane = 0; lane < 4; lane++) {
            write[i].addr[lane] = writes[i][lane];
            read[i].addr[lane] = reads[i][lane];
        }
    log.write = write;
    log.read = read;
    log.write_cnt = log.read_cnt = 2;
    assert_int_equal(cw_intra_warp_sequential(&log, 15, filter, 32768), 0xc);
    assert_int_equal(cw_intra_warp_sequential(&log, 0xc, filter, 32768), 0); /* without X1 and X2, the other two do not meet */
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_kilo_tables__history_is_conservative),
    cmocka_unit_test(test_kilo_tables__history_evicts_the_oldest),
    cmocka_unit_test(test_kilo_tables__written_times_are_conservative),
    cmocka_unit_test(test_kilo_tables__expected_writes_are_counted),
    cmocka_unit_test(test_kilo_tables__conflict_addresses),
    cmocka_unit_test(test_kilo_tables__sequential_resolution),
};

CW_TEST_MAIN(tests)
