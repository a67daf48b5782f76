/* SPDX-License-Identifier: Apache-2.0 */
/* The Kilo TM family's tables: hazard unit, last-written times, conflict addresses; sequential intra-warp resolution. */
#include <string.h>

#include "cw_test.h"

#include "base/rng.h"
#include "tm/intra_warp.h"
#include "tm/kilo_cat.h"
#include "tm/kilo_hazard.h"
#include "tm/kilo_written.h"

/* One transaction through the hazard unit; its result. */
static struct cw_kilo_hazard_result detect(struct cw_kilo_hazard *h, uint64_t id, uint64_t rcid, uint32_t read, uint32_t write)
{
    const uint64_t base = CW_GLOBAL_BASE;
    const struct cw_kilo_hazard_entry entry[] = {
        {.kind = CW_HAZARD_CHECK, .entry = id, .addr = base + 4 * read, .id = id, .rcid = rcid},
        {.kind = CW_HAZARD_RECORD, .entry = id, .addr = base + 4 * write, .id = id, .rcid = rcid, .last = true},
    };
    struct cw_kilo_hazard_result result = {0};
    for (uint32_t i = 0, clocks = 0; !result.valid; clocks++) {
        assert_true(clocks < 4096);
        i += cw_kilo_hazard_clock(h, i < 2 ? entry + i : NULL, rcid, &result);
    }
    assert_int_equal(result.entry, id);
    return result;
}

/* Against an exact record, over several epochs of 100 commit IDs of 7 bits each: no live writer is missed, none is answered that is younger
 * than the asker or in memory, and exact is exact. */
static void test_kilo_tables__hazards_are_conservative(void **state)
{
    enum { WORDS = 64, EPOCH = 100, WINDOW = 30 };
    struct cw_config config;
    struct cw_stats stats = {0};
    struct cw_rng rng;
    uint64_t last[WORDS], found = 0, guessed = 0;
    (void)state;
    assert_int_equal(cw_config_preset(&config, "getm", NULL), CW_OK);
    config.kilo_id_bits = 7;
    config.kilo_history_sets = 2;
    config.kilo_history_rows = 16;
    const struct cw_tm_config cfg = {.config = &config, .stats = &stats, .units = cw_unit_provider_c()};
    struct cw_kilo_hazard *h = NULL;
    assert_int_equal(cw_kilo_hazard_create(&h, &cfg, 0, NULL), CW_OK);
    assert_false(cw_kilo_hazard_busy(h));
    cw_rng_seed(&rng, 11);
    for (uint64_t id = 0; id < 20 * EPOCH; id++) {
        uint64_t first = id / EPOCH * EPOCH, rcid = id - first < WINDOW ? first : id - WINDOW;
        uint32_t read = cw_rng_below(&rng, WORDS), write = cw_rng_below(&rng, WORDS);
        if (id == first) {
            memset(last, 0, sizeof last); /* of IDs + 1 */
            cw_kilo_hazard_begin_epoch(h, first);
        }
        struct cw_kilo_hazard_result r = detect(h, id, rcid, read, write);
        bool is_live = last[read] > rcid;
        assert_true(r.hazard || !is_live);
        assert_true(!r.hazard || (r.ycid >= rcid && r.ycid < id && r.ycid + 1 >= last[read]));
        assert_true(!r.exact || r.ycid + 1 == last[read]);
        assert_true(!r.hazard || r.exact || id - first > 4); /* until then a set of four has room, and the filter is empty */
        found += is_live;
        guessed += r.hazard && !r.exact;
        last[write] = id + 1;
    }
    assert_true(found > 300 && guessed > 100);
    assert_true(stats.cu_history_evictions > 500);
    while (cw_kilo_hazard_busy(h))
        cw_kilo_hazard_clock(h, NULL, 20 * EPOCH, &(struct cw_kilo_hazard_result){0});
    cw_kilo_hazard_destroy(h);
}

static struct cw_kilo_written *new_written(struct cw_config *config, uint32_t rows)
{
    struct cw_kilo_written *w = NULL;
    assert_int_equal(cw_config_preset(config, "getm", NULL), CW_OK);
    config->tcd_rows = rows;
    const struct cw_tm_config cfg = {.config = config, .units = cw_unit_provider_c()};
    assert_int_equal(cw_kilo_written_create(&w, &cfg, 0, NULL), CW_OK);
    assert_false(cw_kilo_written_busy(w));
    return w;
}

/* A READ is answered in order, two cycles after it was taken, with a time at or after the block's last WRITE. */
static void test_kilo_tables__written_times_are_conservative(void **state)
{
    enum { BLOCKS = 600, BASE = CW_GLOBAL_BASE / CW_LINE_BYTES };
    uint64_t last[BLOCKS] = {0}, least[4], time;
    struct cw_config config;
    struct cw_kilo_written *w = new_written(&config, 64);
    struct cw_rng rng;
    uint32_t exact = 0, asked = 0, answers = 0;
    bool answered, due[2] = {false, false};
    (void)state;
    cw_rng_seed(&rng, 5);
    for (uint64_t now = 1; now < 10000; now++) {
        uint32_t block = cw_rng_below(&rng, BLOCKS);
        const struct cw_kilo_written_op op = {.write = cw_rng_below(&rng, 2) != 0, .block = BASE + block, .time = now};
        bool idle = cw_rng_below(&rng, 4) == 0;
        assert_int_equal(cw_kilo_written_clock(w, idle ? NULL : &op, &answered, &time), !idle);
        assert_int_equal(answered, due[1]);
        due[1] = due[0];
        due[0] = !idle && !op.write;
        if (answered) {
            assert_true(time >= least[answers % 4]);
            exact += time == least[answers++ % 4];
        }
        if (due[0])
            least[asked++ % 4] = last[block];
        else if (!idle)
            last[block] = now;
    }
    assert_true(exact > 100 && exact < answers);
    cw_kilo_written_destroy(w);
}

static void test_kilo_tables__expected_writes_are_counted(void **state)
{
    struct cw_config config;
    struct cw_kilo_written *w = new_written(&config, 64);
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
    cmocka_unit_test(test_kilo_tables__hazards_are_conservative),    cmocka_unit_test(test_kilo_tables__written_times_are_conservative),
    cmocka_unit_test(test_kilo_tables__expected_writes_are_counted), cmocka_unit_test(test_kilo_tables__conflict_addresses),
    cmocka_unit_test(test_kilo_tables__sequential_resolution),
};

CW_TEST_MAIN(tests)
