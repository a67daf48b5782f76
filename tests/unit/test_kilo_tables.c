/* SPDX-License-Identifier: Apache-2.0 */
/* The Kilo TM family's tables and wires: hazard unit, last-written times, conflict addresses; sequential intra-warp resolution. */
#include <stdlib.h>
#include <string.h>

#include "cw_test.h"

#include "adapt/first_read_table.h"
#include "adapt/last_written_table.h"
#include "adapt/sets.h"
#include "base/rng.h"
#include "cowarp/unit/commit_unit.h"
#include "cowarp/unit/last_written_table.h"
#include "mech/kilo/port/expected_writes.h"
#include "mech/kilo/shared.h"
#include "mech/kilo/unit/census.h"
#include "mech/kilo/unit/hazard.h"
#include "mech/kilo/wires.h"
#include "mech/mechs.h"
#include "mech/tm/intra_warp.h"
#include "own_keys.h"

/* One transaction through the hazard unit; its result. */
static struct cw_adapt_hazard_unit_result detect(struct cw_kilo_hazard *h, uint64_t id, uint64_t rcid, uint32_t read, uint32_t write)
{
    const uint64_t base = CW_GLOBAL_BASE;
    const struct cw_adapt_hazard_unit_word entry[] = {
        {.kind = CW_HAZARD_CHECK, .entry = id, .addr = base + 4 * read, .id = id, .own = id, .rcid = rcid},
        {.kind = CW_HAZARD_RECORD, .entry = id, .addr = base + 4 * write, .id = id, .own = id, .rcid = rcid, .last = true},
    };
    struct cw_adapt_hazard_unit_result result = {0};
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
    kilo_keys(&config)->kilo_id_bits = 7;
    kilo_keys(&config)->kilo_history_sets = 2;
    kilo_keys(&config)->kilo_history_rows = 16;
    const struct cw_mech_host cfg = {.config = &config, .stats = &stats, .units = cw_unit_provider_c()};
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
        struct cw_adapt_hazard_unit_result r = detect(h, id, rcid, read, write);
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
    assert_true(cw_kilo_counters_of(&stats)->cu_history_evictions > 500);
    while (cw_kilo_hazard_busy(h))
        cw_kilo_hazard_clock(h, NULL, 20 * EPOCH, &(struct cw_adapt_hazard_unit_result){0});
    cw_kilo_hazard_destroy(h);
}

/* kilo.hazard = perfect answers the youngest live writer and nothing else. bloom-array answers the youngest live transaction that has
 * written the word read, or has read or written the word written: none is missed, and of 30 pairs of signatures hardly one lies. */
static void test_kilo_tables__other_detectors(void **state)
{
    enum { WORDS = 4096, WINDOW = 30, IDS = 3000 };
    static uint64_t written[WORDS], touched[WORDS]; /* of IDs + 1 */
    (void)state;
    for (uint32_t kind = CW_KILO_PERFECT; kind <= CW_KILO_BLOOM_ARRAY; kind++) {
        struct cw_config config;
        struct cw_rng rng;
        struct cw_kilo_hazard *h = NULL;
        uint32_t found = 0, by_write = 0, lies = 0;
        assert_int_equal(cw_config_preset(&config, "getm", NULL), CW_OK);
        kilo_keys(&config)->kilo_hazard = kind;
        struct cw_stats stats = {0};
        const struct cw_mech_host cfg = {.config = &config, .stats = &stats, .units = cw_unit_provider_c()};
        assert_int_equal(cw_kilo_hazard_create(&h, &cfg, 0, NULL), CW_OK);
        memset(written, 0, sizeof written);
        memset(touched, 0, sizeof touched);
        cw_rng_seed(&rng, 17);
        for (uint64_t id = 0; id < IDS; id++) {
            uint64_t rcid = id < WINDOW ? 0 : id - WINDOW;
            uint32_t spread = id % 2 == 0 ? 100 : WORDS, read = cw_rng_below(&rng, spread), write = cw_rng_below(&rng, spread);
            uint64_t youngest = written[read], waw = kind == CW_KILO_BLOOM_ARRAY ? touched[write] : 0;
            struct cw_adapt_hazard_unit_result r = detect(h, id, rcid, read, write);
            by_write += waw > rcid && youngest <= rcid;
            youngest = waw > youngest ? waw : youngest;
            found += youngest > rcid;
            assert_true(r.hazard || youngest <= rcid);
            assert_true(!r.hazard || (r.ycid + 1 >= youngest && r.ycid < id && r.ycid >= rcid));
            lies += r.hazard && (youngest <= rcid || r.ycid + 1 != youngest);
            written[write] = touched[write] = touched[read] = id + 1;
        }
        assert_true(found > 200);
        assert_int_equal(by_write > 100, kind == CW_KILO_BLOOM_ARRAY);
        assert_true(kind == CW_KILO_PERFECT ? lies == 0 : lies < 5);
        assert_false(cw_kilo_hazard_busy(h));
        cw_kilo_hazard_destroy(h);
    }
}

/* Lanes 20 to 23 of one warp: what a mate has written hides neither the writer before the warp nor makes the warp wait for itself. */
static void test_kilo_tables__mates_are_no_hazard(void **state)
{
    (void)state;
    for (uint32_t kind = CW_KILO_PERFECT; kind <= CW_KILO_BLOOM_ARRAY; kind++) {
        struct cw_config config;
        struct cw_kilo_hazard *h = NULL;
        struct cw_adapt_hazard_unit_result r = {0};
        assert_int_equal(cw_config_preset(&config, "getm", NULL), CW_OK);
        kilo_keys(&config)->kilo_hazard = kind;
        struct cw_stats stats = {0};
        const struct cw_mech_host cfg = {.config = &config, .stats = &stats, .units = cw_unit_provider_c()};
        assert_int_equal(cw_kilo_hazard_create(&h, &cfg, 0, NULL), CW_OK);
        assert_false(detect(h, 10, 0, 500, 7).hazard);
        const uint64_t word[] = {7, 7, 8, 7}, expected[] = {10, 10, 0, 10};
        for (uint64_t id = 20; id < 24; id++) { /* each reads a word and writes it */
            const struct cw_adapt_hazard_unit_word entry[] = {
                {.kind = CW_HAZARD_CHECK, .entry = id, .addr = CW_GLOBAL_BASE + 4 * word[id - 20], .id = 20, .own = 20},
                {.kind = CW_HAZARD_RECORD, .entry = id, .addr = CW_GLOBAL_BASE + 4 * word[id - 20], .id = id, .own = 20, .last = true},
            };
            for (uint32_t i = 0; i == 0 || !r.valid; i++)
                cw_kilo_hazard_clock(h, i < 2 ? entry + i : NULL, 0, &r);
            assert_int_equal(r.hazard, expected[id - 20] != 0);
            assert_int_equal(r.ycid, expected[id - 20]);
        }
        cw_kilo_hazard_destroy(h);
    }
}

/* Levels over time, summed in periods of 10; sizes as Figure 4.12 cumulates them. */
static void test_kilo_tables__census(void **state)
{
    struct cw_kilo_counters counters = {0};
    struct cw_kilo_census c = {0};
    (void)state;
    cw_kilo_census_add(&c, &counters, CW_KILO_USED, 2, 100, 10);
    cw_kilo_census_add(&c, &counters, CW_KILO_USED, 3, 130, 10); /* two for three cycles */
    cw_kilo_census_add(&c, &counters, CW_KILO_USED, -4, 130, 10);
    cw_kilo_census_add(&c, &counters, CW_KILO_USED, -1, 200, 10); /* one for seven */
    cw_kilo_census_add(&c, &counters, CW_KILO_USED, 1, 900, 10);  /* none */
    assert_int_equal(counters.cu_used_cycles, 2 * 3 + 7);
    assert_int_equal(counters.cu_used_max, 5);
    assert_int_equal(counters.cu_needed_cycles + counters.cu_needed_max, 0);
    cw_kilo_census_sizes(&counters, 0, 3);
    cw_kilo_census_sizes(&counters, 5, 33);
    assert_int_equal(counters.cu_accessed, 2);
    assert_int_equal(counters.cu_reads_0, 1);
    assert_int_equal(counters.cu_reads_4, 1);
    assert_int_equal(counters.cu_reads_8, 2);
    assert_int_equal(counters.cu_reads_32, 2);
    assert_int_equal(counters.cu_writes_2, 0);
    assert_int_equal(counters.cu_writes_4, 1);
    assert_int_equal(counters.cu_writes_32, 1);
}

static struct cw_adapt_last_written_table *new_written(struct cw_config *config, uint32_t rows)
{
    struct cw_adapt_last_written_table *w = NULL;
    assert_int_equal(cw_config_preset(config, "getm", NULL), CW_OK);
    const struct cw_adapt_last_written_table_config table = {.units = cw_unit_provider_c(),
                                                             .ways = kilo_keys(config)->tcd_ways,
                                                             .rows = rows,
                                                             .granule_bytes = kilo_keys(config)->tcd_granule_bytes,
                                                             .memory_base = CW_GLOBAL_BASE,
                                                             .memory_bytes = (uint64_t)config->mem_mbytes << 20};
    assert_int_equal(cw_adapt_last_written_table_create(&w, &table, NULL), CW_OK);
    assert_false(cw_adapt_last_written_table_busy(w));
    return w;
}

/* A READ is answered in order, two cycles after it was taken, with a time at or after the block's last WRITE. */
static void test_kilo_tables__written_times_are_conservative(void **state)
{
    enum { BLOCKS = 600, BASE = CW_GLOBAL_BASE / CW_LINE_BYTES, LATENCY = CW_LAST_WRITTEN_TABLE_LATENCY, INSIDE = 2 * LATENCY };
    uint64_t last[BLOCKS] = {0}, least[INSIDE], time;
    struct cw_config config;
    struct cw_adapt_last_written_table *w = new_written(&config, 64);
    struct cw_rng rng;
    uint32_t exact = 0, asked = 0, answers = 0;
    bool answered, due[LATENCY] = {false}; /* by the clock, modulo LATENCY */
    (void)state;
    cw_rng_seed(&rng, 5);
    for (uint64_t now = 1; now < 10000; now++) {
        uint32_t block = cw_rng_below(&rng, BLOCKS);
        const struct cw_adapt_last_written_table_op op = {.write = cw_rng_below(&rng, 2) != 0, .block = BASE + block, .time = now};
        bool idle = cw_rng_below(&rng, 4) == 0;
        assert_int_equal(cw_adapt_last_written_table_clock(w, idle ? NULL : &op, &answered, &time), !idle);
        assert_int_equal(answered, due[now % LATENCY]);
        due[now % LATENCY] = !idle && !op.write;
        if (answered) {
            assert_true(time >= least[answers % INSIDE]);
            exact += time == least[answers++ % INSIDE];
        }
        if (due[now % LATENCY])
            least[asked++ % INSIDE] = last[block];
        else if (!idle)
            last[block] = now;
    }
    assert_true(exact > 100 && exact < answers);
    cw_adapt_last_written_table_destroy(w);
}

static void test_kilo_tables__expected_writes_are_counted(void **state)
{
    struct cw_kilo_expected *e = cw_kilo_expected_create(512, 128);
    uint32_t others = 0;
    (void)state;
    cw_kilo_expected_add(e, 7, 2);
    cw_kilo_expected_add(e, 7, -1);
    assert_true(cw_kilo_expected_has(e, 7));
    for (uint64_t block = 8; block < 108; block++)
        others += cw_kilo_expected_has(e, block);
    assert_true(others < 5); /* 100 blocks, one counter of 512 taken */
    cw_kilo_expected_add(e, 7, -1);
    assert_false(cw_kilo_expected_has(e, 7));
    cw_kilo_expected_destroy(e);
}

/* The shapes that presets and tests name: as many ways as there can be, and at least two sets. */
static void test_kilo_tables__sets_of_entries(void **state)
{
    static const uint32_t shapes[][3] = {{1024, 8, 7}, {3072, 6, 9}, {65536, 8, 13}, {40, 5, 3}, {4, 2, 1}, {2, 1, 1}, {14, 7, 1}};
    static const uint32_t none[] = {0, 1, 3, 9, 1000, 1022, 65535};
    uint32_t ways, set_bits;
    (void)state;
    for (uint32_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        assert_true(cw_adapt_sets(shapes[i][0], &ways, &set_bits));
        assert_int_equal(ways, shapes[i][1]);
        assert_int_equal(set_bits, shapes[i][2]);
    }
    for (uint32_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_false(cw_adapt_sets(none[i], &ways, &set_bits));
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

static cw_lanes conflicts(struct cw_adapt_first_read_table *f, uint32_t warp)
{
    cw_lanes found = 0;
    for (uint32_t cycles = 0; !cw_adapt_first_read_table_ask(f, warp, &found); cycles++) {
        assert_true(cycles < 64);
        cw_adapt_first_read_table_clock(f);
    }
    return found;
}

/* Lanes of one reply with times of their own: the table takes one time per cycle, and the question waits for all of them. */
static void test_kilo_tables__first_reads_by_lane(void **state)
{
    struct cw_config config;
    struct cw_adapt_first_read_table *f = NULL;
    (void)state;
    assert_int_equal(cw_config_preset(&config, "getm", NULL), CW_OK);
    assert_int_equal(cw_adapt_first_read_table_create(&f, cw_unit_provider_c(), 0, config.core_warps, 2, NULL), CW_OK);
    cw_adapt_first_read_table_begin(f, 3, 0xff);
    cw_adapt_first_read_table_load(f, 3, 0xff, 1000);
    cw_adapt_first_read_table_clock(f);
    for (uint32_t lane = 0; lane < 8; lane++)
        cw_adapt_first_read_table_reply(f, 3, 1u << lane, 997 + lane); /* later than the first read from lane 4 on */
    cw_adapt_first_read_table_reply(f, 3, 1u, 2000);                   /* a second load of lane 0, of what was written later */
    cw_adapt_first_read_table_reply(f, 3, 0x10u, 5); /* and one of lane 4, of what was written long ago: its conflict stays */
    assert_int_equal(conflicts(f, 3), 0xf1);
    /* What has not been taken when the attempt ends is forgotten with it, for the lanes that begin again. */
    cw_adapt_first_read_table_begin(f, 3, 0xff);
    cw_adapt_first_read_table_load(f, 3, 0xff, 3000);
    cw_adapt_first_read_table_clock(f);
    for (uint32_t lane = 0; lane < 8; lane++)
        cw_adapt_first_read_table_reply(f, 3, 1u << lane, 4000 + lane);
    cw_adapt_first_read_table_begin(f, 3, 0x0f);
    cw_adapt_first_read_table_load(f, 3, 0x0f, 3500);
    assert_int_equal(conflicts(f, 3), 0xf0);
    cw_adapt_first_read_table_destroy(f);
}

/* Cycles until the table has recorded a load of a second warp and checked the first one's response, which came together. */
static uint32_t response_beside_a_load(uint32_t ports)
{
    struct cw_adapt_first_read_table *f = NULL;
    cw_lanes found = 0;
    assert_int_equal(cw_adapt_first_read_table_create(&f, cw_unit_provider_c(), 0, 8, ports, NULL), CW_OK);
    cw_adapt_first_read_table_begin(f, 3, 1);
    cw_adapt_first_read_table_load(f, 3, 1, 1000);
    cw_adapt_first_read_table_clock(f);
    uint32_t cycles = 0;
    cw_adapt_first_read_table_reply(f, 3, 1, 2000);
    cw_adapt_first_read_table_load(f, 5, 1, 2000);
    for (; !cw_adapt_first_read_table_ask(f, 3, &found); cycles++)
        cw_adapt_first_read_table_clock(f);
    assert_int_equal(found, 1);
    cw_adapt_first_read_table_destroy(f);
    return cycles;
}

static void test_kilo_tables__one_port_for_loads_and_responses(void **state)
{
    (void)state;
    assert_int_equal(response_beside_a_load(1), response_beside_a_load(2) + 1);
}

/* A reader sees what was told before this instant, whether it looks before or after the writer in the same one. Who is too far behind
 * misses the oldest and nothing else. */
static void test_kilo_tables__overwritten_words(void **state)
{
    struct cw_config config;
    struct cw_kilo_wires w;
    uint64_t place = 0, late = 0;
    (void)state;
    assert_int_equal(cw_config_preset(&config, "getm", NULL), CW_OK);
    assert_int_equal(cw_kilo_wires_create(&w, &config, true), CW_OK);
    cw_kilo_overwritten_push(&w.overwritten, (struct cw_kilo_overwrite){.word = 4, .commit = 1}, 10);
    assert_null(cw_kilo_overwritten_next(&w.overwritten, &place, 10));
    cw_kilo_overwritten_push(&w.overwritten, (struct cw_kilo_overwrite){.word = 8, .commit = 2}, 11);
    assert_int_equal(cw_kilo_overwritten_next(&w.overwritten, &place, 11)->word, 4);
    assert_null(cw_kilo_overwritten_next(&w.overwritten, &place, 11));
    assert_int_equal(cw_kilo_overwritten_next(&w.overwritten, &place, 12)->word, 8);
    assert_null(cw_kilo_overwritten_next(&w.overwritten, &place, 12));
    for (uint64_t i = 3; i <= CW_KILO_OVERWRITTEN + 5; i++)
        cw_kilo_overwritten_push(&w.overwritten, (struct cw_kilo_overwrite){.word = 4 * i, .commit = i}, 12 + i);
    /* of the last instant nobody knows yet, so of CW_KILO_OVERWRITTEN + 4 words the first four are lost */
    assert_int_equal(cw_kilo_overwritten_next(&w.overwritten, &late, CW_KILO_OVERWRITTEN + 17)->commit, 5);
    assert_int_equal(cw_kilo_overwritten_next(&w.overwritten, &place, CW_KILO_OVERWRITTEN + 17)->commit, 5);
    for (uint64_t i = 6; i <= CW_KILO_OVERWRITTEN + 4; i++)
        assert_int_equal(cw_kilo_overwritten_next(&w.overwritten, &late, CW_KILO_OVERWRITTEN + 17)->commit, i);
    assert_null(cw_kilo_overwritten_next(&w.overwritten, &late, CW_KILO_OVERWRITTEN + 17));
    cw_kilo_wires_destroy(&w);
}

/* Idealised writes come out in order, however many there are, and wake the port in time. */
static void test_kilo_tables__idealised_writes(void **state)
{
    struct cw_kilo_writes q = {0};
    cw_time wake = CW_TIME_NEVER;
    uint64_t in = 0, out = 0;
    (void)state;
    q.wake = &wake;
    for (uint32_t round = 1; round < 40; round++) {
        for (uint32_t i = 0; i < 30 * round; i++, in++)
            assert_int_equal(cw_kilo_writes_push(&q, &(struct cw_kilo_write){.addr = in, .ready = 1000 + in}), CW_OK);
        for (uint32_t i = 0; i < 20 * round; i++, out++) {
            assert_int_equal(cw_kilo_writes_first(&q)->addr, out);
            cw_kilo_writes_pop(&q);
        }
    }
    assert_int_equal(wake, 1000);
    assert_int_equal(q.ring.cnt, in - out);
    free(q.at);
}

static bool offers(const char *system, const char *unit, const struct cw_config *config)
{
    const struct cw_mech *m = cw_mech_find(system);
    for (uint32_t i = 0; i < m->unit_cnt; i++)
        if (strcmp(m->unit[i].unit->name, unit) == 0)
            return m->unit[i].used == NULL || m->unit[i].used(config);
    return false;
}

/* A unit is offered where the configuration has it. */
static void test_kilo_tables__units_of_systems(void **state)
{
    struct cw_config config;
    (void)state;
    assert_int_equal(cw_config_preset(&config, "getm", NULL), CW_OK);
    kilo_keys(&config)->tcd_mode = CW_KILO_TCD_AUTO;
    kilo_keys(&config)->warptm_resolution = CW_KILO_2PCR;
    kilo_keys(&config)->kilo_hazard = CW_KILO_HISTORY;
    assert_true(offers("kilotm", "hazard_unit", &config) && offers("warptm", "hazard_unit", &config));
    assert_true(offers("kilotm", "commit_unit", &config) &&
                offers("eapg", "commit_unit", &config)); /* by default a ring that is hardware */
    assert_false(offers("warptm-el", "commit_unit", &config) || offers("ideal", "commit_unit", &config));
    kilo_keys(&config)->kilo_entries = CW_COMMIT_UNIT_HARDWARE;
    assert_true(offers("warptm", "commit_unit", &config));
    kilo_keys(&config)->kilo_entries = CW_COMMIT_UNIT_HARDWARE + 1;
    assert_false(offers("warptm", "commit_unit", &config));
    kilo_keys(&config)->kilo_entries = 0;
    assert_false(offers("kilotm", "commit_unit", &config));
    assert_false(offers("warptm-el", "hazard_unit", &config));
    assert_false(offers("kilotm", "first_read_table", &config));
    assert_true(offers("warptm", "first_read_table", &config) && offers("eapg", "last_written_table", &config));
    assert_true(offers("warptm-el", "ownership_table", &config) && !offers("kilotm", "ownership_table", &config));
    kilo_keys(&config)->tcd_mode = CW_KILO_TCD_PUBLISHED;
    kilo_keys(&config)->warptm_resolution = CW_KILO_SCR;
    kilo_keys(&config)->kilo_hazard = CW_KILO_PERFECT;
    assert_false(offers("eapg", "hazard_unit", &config));
    assert_true(offers("kilotm", "first_read_table", &config) && offers("kilotm", "last_written_table", &config));
    assert_false(offers("warptm", "ownership_table", &config));
    kilo_keys(&config)->tcd_mode = CW_KILO_TCD_OFF;
    assert_false(offers("warptm", "first_read_table", &config));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_kilo_tables__hazards_are_conservative),
    cmocka_unit_test(test_kilo_tables__written_times_are_conservative),
    cmocka_unit_test(test_kilo_tables__expected_writes_are_counted),
    cmocka_unit_test(test_kilo_tables__sets_of_entries),
    cmocka_unit_test(test_kilo_tables__sequential_resolution),
    cmocka_unit_test(test_kilo_tables__other_detectors),
    cmocka_unit_test(test_kilo_tables__mates_are_no_hazard),
    cmocka_unit_test(test_kilo_tables__census),
    cmocka_unit_test(test_kilo_tables__first_reads_by_lane),
    cmocka_unit_test(test_kilo_tables__one_port_for_loads_and_responses),
    cmocka_unit_test(test_kilo_tables__overwritten_words),
    cmocka_unit_test(test_kilo_tables__idealised_writes),
    cmocka_unit_test(test_kilo_tables__units_of_systems),
};

CW_TEST_MAIN(tests)
