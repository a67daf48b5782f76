/* SPDX-License-Identifier: Apache-2.0 */
/* Redo log and write set against a flat byte memory per lane. */
#include "mech/tm/redo_log.h"

#include <string.h>

#include "base/rng.h"
#include "cw_test.h"
#include "mech/tm/write_set.h"

#define BYTES 512u
#define BASE  CW_GLOBAL_BASE

static struct cw_mem_inst random_inst(struct cw_rng *rng)
{
    static const uint8_t elem[] = {1, 2, 4, 8}, vec[] = {1, 2, 4};
    struct cw_mem_inst inst = {.lanes = (uint32_t)cw_rng_next(rng), .elem_bytes = elem[cw_rng_below(rng, 4)]};
    do
        inst.vec = vec[cw_rng_below(rng, 3)];
    while (cw_inst_bytes(&inst) > CW_ACCESS_BYTES);
    for (uint32_t lane = 0; lane < CW_LANES; lane++) {
        inst.addr[lane] = BASE + cw_rng_below(rng, BYTES / cw_inst_bytes(&inst)) * cw_inst_bytes(&inst);
        for (uint32_t v = 0; v < inst.vec; v++)
            inst.value[v][lane] = inst.elem_bytes == 8 ? cw_rng_next(rng) : cw_rng_next(rng) & ((1ull << (8 * inst.elem_bytes)) - 1);
    }
    return inst;
}

static void test_tm_redo_log__finds_own_bytes(void **state)
{
    (void)state;
    struct cw_rng rng;
    uint32_t checks = 0;
    cw_rng_seed(&rng, cw_test_seed(5));
    for (uint32_t round = 0; round < 200; round++) {
        static uint8_t value[CW_LANES][BYTES], known[CW_LANES][BYTES];
        struct cw_redo_log log = {0};
        memset(known, 0, sizeof known);
        for (uint32_t i = 0; i < 12; i++) {
            struct cw_mem_inst inst = random_inst(&rng);
            uint32_t before = log.write_cnt, length = cw_inst_bytes(&inst);
            for (uint32_t lane = 0; lane < CW_LANES; lane++) {
                uint8_t got[CW_ACCESS_BYTES] = {0};
                uint32_t mask = cw_redo_log_find(&log, lane, inst.addr[lane], length, got);
                for (uint32_t b = 0; b < length; b++, checks++) {
                    uint64_t at = inst.addr[lane] - BASE + b;
                    assert_int_equal(mask >> b & 1, known[lane][at]);
                    if (known[lane][at])
                        assert_int_equal(got[b], value[lane][at]);
                }
            }
            assert_int_equal(cw_redo_log_store(&log, &inst, inst.lanes), CW_OK);
            assert_int_equal(log.write_cnt - before, length < 4 ? 1 : length / 4);
            for (uint32_t lane = 0; lane < CW_LANES; lane++)
                for (uint32_t b = 0; b < length && (inst.lanes >> lane & 1); b++) {
                    uint64_t at = inst.addr[lane] - BASE + b;
                    value[lane][at] = (uint8_t)(inst.value[b / inst.elem_bytes][lane] >> (8 * (b % inst.elem_bytes)));
                    known[lane][at] = 1;
                }
        }
        cw_redo_log_free(&log);
    }
    print_message("%u bytes checked\n", checks);
}

static void test_tm_redo_log__bytes_round_trip(void **state)
{
    (void)state;
    struct cw_rng rng;
    cw_rng_seed(&rng, cw_test_seed(6));
    for (uint32_t i = 0; i < 500; i++) {
        struct cw_mem_inst inst = random_inst(&rng), copy = inst;
        uint8_t bytes[CW_ACCESS_BYTES];
        memset(copy.value, 0, sizeof copy.value);
        for (uint32_t lane = 0; lane < CW_LANES; lane++) {
            cw_inst_get_bytes(&inst, lane, bytes);
            cw_inst_set_bytes(&copy, lane, bytes);
        }
        for (uint32_t v = 0; v < inst.vec; v++)
            assert_memory_equal(copy.value[v], inst.value[v], sizeof inst.value[v]);
    }
}

/* Layout of the thesis: read log, write log; address and value lines alternate; nothing overlaps or exceeds the announced size. */
static void test_tm_redo_log__layout(void **state)
{
    (void)state;
    uint8_t seen[64] = {0};
    for (uint32_t log = 0; log < 2; log++)
        for (uint32_t i = 0; i < 16; i++)
            for (uint32_t v = 0; v < 2; v++) {
                uint32_t word = cw_redo_log_word(log == 1, i, v == 1, 16);
                assert_in_range(word, 0, cw_redo_log_bytes(16) / 4 - 1);
                assert_int_equal(seen[word]++, 0);
            }
    assert_int_equal(cw_redo_log_word(true, 3, true, 16) - cw_redo_log_word(true, 3, false, 16), 1);
}

/* The merged words are what the lanes' stores leave in memory; counts are per granule, whatever is merged. */
static void test_tm_redo_log__write_set(void **state)
{
    (void)state;
    struct cw_rng rng;
    cw_rng_seed(&rng, cw_test_seed(7));
    struct cw_write_set set = {0};
    for (uint32_t round = 0; round < 300; round++) {
        uint8_t memory[CW_LANES * 64] = {0}, merged[CW_LANES * 64] = {0};
        uint32_t counts[CW_LANES * 2] = {0};
        struct cw_redo_log log = {0};
        uint32_t survivors = (uint32_t)cw_rng_next(&rng);
        for (uint32_t i = 0; i < 8; i++) {
            struct cw_mem_inst inst = random_inst(&rng);
            uint32_t length = cw_inst_bytes(&inst);
            for (uint32_t lane = 0; lane < CW_LANES; lane++) {
                inst.addr[lane] = BASE + 64 * lane + inst.addr[lane] % 64 / length * length; /* 64 bytes of its own */
                if ((inst.lanes & survivors) >> lane & 1)
                    cw_inst_get_bytes(&inst, lane, memory + (inst.addr[lane] - BASE));
                uint64_t granule = (inst.addr[lane] - BASE) / 32;
                if (cw_rng_below(&rng, 2)) {
                    assert_int_equal(cw_write_set_count(&set, granule), CW_OK);
                    counts[granule]++;
                }
            }
            assert_int_equal(cw_redo_log_store(&log, &inst, inst.lanes), CW_OK);
        }
        assert_int_equal(cw_write_set_merge(&set, &log, survivors, BASE, 5), CW_OK);
        for (uint32_t g = 0; g < set.granule_cnt; g++) {
            assert_int_equal(set.granule[g].count, counts[set.granule[g].granule]);
            counts[set.granule[g].granule] = 0;
            for (uint32_t i = set.granule[g].first; i != CW_WRITE_SET_NONE; i = set.word[i].next) {
                assert_int_equal((set.word[i].addr - BASE) / 32, set.granule[g].granule);
                assert_int_equal(set.word[i].lane, (set.word[i].addr - BASE) / 64);
                for (uint32_t b = 0; b < 4; b++)
                    if (set.word[i].bytes >> b & 1)
                        merged[set.word[i].addr - BASE + b] = (uint8_t)(set.word[i].value >> (8 * b));
            }
        }
        for (uint32_t g = 0; g < CW_LANES * 2; g++)
            assert_int_equal(counts[g], 0);
        assert_memory_equal(merged, memory, sizeof memory);
        cw_write_set_clear(&set);
        cw_redo_log_free(&log);
    }
    cw_write_set_free(&set);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_tm_redo_log__finds_own_bytes),
    cmocka_unit_test(test_tm_redo_log__bytes_round_trip),
    cmocka_unit_test(test_tm_redo_log__layout),
    cmocka_unit_test(test_tm_redo_log__write_set),
};

CW_TEST_MAIN(tests)
