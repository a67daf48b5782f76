/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that exists in versions: where its bytes are. What a place is in DRAM is asked of the channel's own map. */
#include <string.h>

#include "base/rng.h"
#include "cw_test.h"
#include "mem/address.h"
#include "mem/dram.h"
#include "mem/row.h"
#include "mem/version.h"

static const struct cw_config defaults = {
#define X(field, name, def, lo, hi, unit, source, what) .field = def,
#define E(field, name, def, words, source, what)        .field = def,
#include "base/config.def"
#undef X
#undef E
};

#define SET UINT64_C(0x30000) /* 16 banks x 2 KB x 6 partitions */

static struct cw_config config;
static struct cw_memory *memory;
static struct cw_dram *dram;
static struct cw_dram_port *port;
static struct cw_stats stats;
static struct cw_error err;

static void create(void)
{
    struct cw_clocks clocks = {.units_per_us = 1000, .period = {1, 1, 1, 1, 1}};
    cw_time wake;
    assert_int_equal(cw_memory_create(&memory, UINT64_C(512) << 20, 0, &err), CW_OK);
    assert_int_equal(cw_dram_create(&dram, &config, &clocks, &stats, 8, &err), CW_OK);
    port = cw_dram_connect(dram, 0, &wake);
}

static void destroy(void)
{
    cw_memory_destroy(memory);
    cw_dram_destroy(dram);
}

struct at {
    uint32_t partition, bank, column;
    uint64_t row;
};

static struct at in_dram(uint64_t place)
{
    struct at at = {.partition = cw_address_partition(&config, place)};
    uint32_t group;
    const uint64_t local = cw_address_local(&config, place);
    cw_dram_map(port, local, &group, &at.bank, &at.row);
    if (config.dram_map == CW_DRAM_GROUPS_LOW)
        at.column = (uint32_t)(local / (128 * 4) % 16);
    return at;
}

static void check_versions(uint64_t base, uint64_t bytes, uint32_t slots)
{
    struct cw_rng rng;
    cw_rng_seed(&rng, 1);
    for (uint32_t i = 0; i < 20000; i++) {
        const uint64_t addr = base + cw_rng_below(&rng, (uint32_t)bytes);
        const struct at first = in_dram(cw_version_place(memory, addr, 0));
        assert_int_equal(first.partition, cw_address_partition(&config, addr));
        for (uint32_t slot = 1; slot < slots; slot++) {
            const uint64_t place = cw_version_place(memory, addr, slot);
            const struct at at = in_dram(place);
            assert_int_equal(at.partition, first.partition);
            assert_int_equal(at.bank, first.bank);
            assert_int_equal(at.column, first.column);
            assert_int_equal(at.row / 64, first.row / 64);
            assert_int_not_equal(at.row, first.row);
            assert_int_equal(place % 128, addr % 128);
        }
    }
}

/* Rows that are versions of each other share partition, bank, column and subarray, in each address map, whatever the size. */
static void test_version__versions_share_a_subarray(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 4 * SET, 8 * SET, 9 * SET, UINT64_C(16) << 20};
    for (uint32_t map = 0; map <= CW_DRAM_COLUMNS_LOW; map++)
        for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            uint64_t addr;
            config = defaults;
            config.dram_map = map;
            create();
            assert_int_equal(cw_memory_alloc(memory, &addr, 1000, CW_REGION_GLOBAL, &err), CW_OK);
            assert_int_equal(cw_version_alloc(memory, &config, &addr, sizes[i], 8, &err), CW_OK);
            assert_int_equal(cw_version_add(memory, &config, addr, sizes[i], 8, &err), CW_OK);
            check_versions(addr, cw_version_at(memory, 0)->bytes, 8);
            destroy();
        }
}

/* A byte of each address is alone: no two addresses, and no two versions of one, have a place together. */
static void test_version__places_do_not_meet(void **state)
{
    (void)state;
    static uint8_t taken[64 * SET / 128];
    const uint64_t first = CW_GLOBAL_BASE + 64 * SET;
    uint64_t addr;
    config = defaults;
    create();
    memset(taken, 0, sizeof taken);
    assert_int_equal(cw_memory_alloc(memory, &addr, 128 * SET, CW_REGION_GLOBAL, &err), CW_OK);
    assert_int_equal(cw_version_add(memory, &config, first, 3 * SET, 8, &err), CW_OK);
    const struct cw_version_range *r = cw_version_at(memory, 0);
    assert_int_equal(r->reach, 24);
    for (uint64_t line = first; line < first + 64 * SET; line += 128)
        for (uint32_t slot = 0; slot < (line < first + 3 * SET ? 8 : 1); slot++) {
            const uint64_t place = cw_version_place(memory, line, slot);
            if (place >= cw_row_base(&config, r->spare)) { /* displaced */
                assert_true(line >= first + 3 * SET && line < first + 24 * SET);
                assert_int_equal(place - cw_row_base(&config, r->spare), line - first - 3 * SET);
                continue;
            }
            assert_true(place >= first && place < first + 64 * SET);
            assert_int_equal(taken[(place - first) / 128], 0);
            taken[(place - first) / 128] = 1;
        }
    for (uint32_t i = 0; i < 24 * SET / 128; i++)
        assert_int_equal(taken[i], 1);
    assert_int_equal(cw_version_place(memory, first - 128, 0), first - 128);
    assert_int_equal(cw_version_place(memory, first + 24 * SET, 0), first + 24 * SET);
    destroy();
}

/* The host reads and writes the newest version, and displaced bytes as ever. */
static void test_version__host_sees_the_newest(void **state)
{
    (void)state;
    static uint8_t pattern[32 * SET], back[32 * SET];
    uint64_t addr;
    uint32_t word = 0;
    config = defaults;
    create();
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)(i * 7 + i / 251);
    assert_int_equal(cw_memory_alloc(memory, &addr, sizeof pattern, CW_REGION_GLOBAL, &err), CW_OK);
    cw_memory_write(memory, addr, pattern, sizeof pattern);
    assert_int_equal(cw_version_add(memory, &config, addr, 2 * SET, 4, &err), CW_OK);
    cw_memory_read(memory, addr, back, sizeof back);
    assert_memory_equal(pattern, back, sizeof back);
    for (uint64_t line = 0; line < 2 * SET; line += 2048 * 6) /* any line of each row will do */
        for (uint32_t bank = 0; bank < 16; bank++)
            for (uint32_t p = 0; p < 6; p++) {
                const uint64_t at = cw_address_global(&config, p, line / 6 * 16 + bank % 4 * 128 + bank / 4 * 8192);
                cw_version_copy_row(memory, cw_version_place(memory, at, 0), cw_version_place(memory, at, 1));
            }
    cw_version_publish(memory, 1);
    assert_int_equal(cw_version_newest(memory), 1);
    cw_memory_read(memory, addr + 40, &word, 4);
    assert_memory_equal(&word, pattern + 40, 4);
    word = 0x12345678;
    cw_memory_write(memory, addr + 40, &word, 4);
    cw_version_publish(memory, 0);
    cw_memory_read(memory, addr, back, sizeof back);
    assert_memory_equal(pattern, back, sizeof back);
    cw_version_publish(memory, 1);
    cw_memory_read(memory, addr + 40, &word, 4);
    assert_int_equal(word, 0x12345678);
    destroy();
}

/* All lines of a row, and no others, in each map. */
static void test_version__columns_of_a_row(void **state)
{
    (void)state;
    for (uint32_t map = 0; map <= CW_DRAM_COLUMNS_LOW; map++) {
        struct cw_rng rng;
        cw_rng_seed(&rng, 2);
        config = defaults;
        config.dram_map = map;
        create();
        for (uint32_t i = 0; i < 1000; i++) {
            const uint64_t addr = CW_GLOBAL_BASE + cw_rng_below(&rng, 1u << 28);
            const struct at row = in_dram(addr);
            bool met = false;
            for (uint32_t c = 0; c < 16; c++) {
                const uint64_t line = cw_row_column(&config, addr, c);
                const struct at at = in_dram(line);
                assert_true(at.partition == row.partition && at.bank == row.bank && at.row == row.row);
                for (uint32_t other = 0; other < c; other++)
                    assert_int_not_equal(line, cw_row_column(&config, addr, other));
                met |= line == addr / 128 * 128;
            }
            assert_true(met);
        }
        destroy();
    }
}

static void refused(uint64_t addr, uint64_t bytes, uint32_t slots, const char *why)
{
    assert_int_not_equal(cw_version_add(memory, &config, addr, bytes, slots, &err), CW_OK);
    assert_non_null(strstr(err.text, why));
}

static void test_version__refuses(void **state)
{
    (void)state;
    uint64_t addr, other;
    config = defaults;
    create();
    assert_int_equal(cw_memory_alloc(memory, &addr, 100, CW_REGION_GLOBAL, &err), CW_OK);
    assert_int_equal(cw_memory_alloc(memory, &other, 256 * SET - 256, CW_REGION_GLOBAL, &err), CW_OK);
    refused(addr, 100, 8, "another allocation");
    refused(addr, 101, 8, "not within one allocation");
    refused(CW_GLOBAL_BASE + UINT64_C(0x10000000), 100, 8, "not within one allocation");
    refused(CW_GLOBAL_BASE + 8 * SET, 100, 1, "1 versions");
    refused(CW_GLOBAL_BASE + 8 * SET, 100, 65, "65 versions");
    refused(CW_GLOBAL_BASE + SET, SET, 8, "does not begin at a row");
    assert_int_equal(cw_version_add(memory, &config, CW_GLOBAL_BASE + 8 * SET, SET, 8, &err), CW_OK);
    refused(CW_GLOBAL_BASE + 8 * SET, SET, 8, "meet those");
    assert_int_equal(cw_version_cnt(memory), 1);
    assert_int_equal(cw_memory_free(memory, CW_GLOBAL_BASE, &err), CW_OK);
    config.dram_sharing = 2;
    refused(CW_GLOBAL_BASE + 64 * SET, SET, 8, "dram.sharing");
    config.dram_sharing = 1;
    uint64_t before = 0, after = 0;
    assert_int_equal(cw_memory_alloc_top(memory, &before, 256, CW_REGION_GLOBAL, &err), CW_OK);
    refused(CW_GLOBAL_BASE + 64 * SET, 180 * SET, 64, "beyond device memory");
    assert_int_equal(cw_memory_alloc_top(memory, &after, 256, CW_REGION_GLOBAL, &err), CW_OK);
    assert_int_equal(after, before - 256);
    destroy();
}

/* A large range behind a small one: it begins behind the slots of the small one, and a third, small one in front of its own. */
static void test_version__ranges_keep_out_of_each_others_slots(void **state)
{
    static const uint64_t bytes[] = {3 * SET, 20 * SET, SET, 70 * SET, 5 * SET};
    uint64_t addr[5];
    (void)state;
    config = defaults;
    create();
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(cw_version_alloc(memory, &config, &addr[i], bytes[i], 8, &err), CW_OK);
        if (cw_version_add(memory, &config, addr[i], bytes[i], 8, &err) != CW_OK)
            fail_msg("range %u: %s", i, err.text);
    }
    for (uint32_t i = 0; i < 5; i++)
        check_versions(addr[i], bytes[i], 8);
    assert_int_equal(cw_version_alloc(memory, &config, &addr[0], UINT64_C(300) << 20, 8, &err), CW_ENOMEM);
    destroy();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_version__ranges_keep_out_of_each_others_slots),
    cmocka_unit_test(test_version__versions_share_a_subarray),
    cmocka_unit_test(test_version__places_do_not_meet),
    cmocka_unit_test(test_version__host_sees_the_newest),
    cmocka_unit_test(test_version__columns_of_a_row),
    cmocka_unit_test(test_version__refuses),
};
CW_TEST_MAIN(tests)
