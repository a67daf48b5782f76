/* SPDX-License-Identifier: Apache-2.0 */
/* Cache array beside a model that keeps each set as a list in order of age, and small caches whose replacements are worked out by hand. */
#include "mem/cache_array.h"

#include <string.h>

#include "base/rng.h"
#include "cw_test.h"

#define SETS_MAX 8u
#define WAYS_MAX 128u

/* A set of the model: tags from the oldest to the youngest. */
struct model {
    uint64_t tag[SETS_MAX][WAYS_MAX];
    uint32_t cnt[SETS_MAX];
};

static uint32_t place(const struct model *m, uint32_t set, uint64_t tag)
{
    uint32_t i = 0;
    while (i < m->cnt[set] && m->tag[set][i] != tag)
        i++;
    return i;
}

static void take_out(struct model *m, uint32_t set, uint32_t at)
{
    memmove(&m->tag[set][at], &m->tag[set][at + 1], (--m->cnt[set] - at) * sizeof m->tag[0][0]);
}

static bool is_pinned(const struct cw_cache_array *a, uint32_t set, uint64_t tag)
{
    return a->pinned[cw_cache_array_find(a, set, tag)];
}

/* One use of a tag, on both. */
static void use(struct cw_cache_array *a, struct model *m, enum cw_replacement policy, uint32_t set, uint64_t tag)
{
    const uint32_t at = place(m, set, tag), line = cw_cache_array_find(a, set, tag);
    assert_int_equal(line != CW_CACHE_NONE, at < m->cnt[set]);
    if (line != CW_CACHE_NONE) {
        assert_int_equal(a->tag[line], tag);
        cw_cache_array_hit(a, line);
        if (policy == CW_REPLACE_LRU) {
            take_out(m, set, at);
            m->tag[set][m->cnt[set]++] = tag;
        }
        return;
    }
    const uint32_t victim = cw_cache_array_victim(a, set);
    uint32_t oldest = 0;
    while (m->cnt[set] == a->ways && oldest < m->cnt[set] && is_pinned(a, set, m->tag[set][oldest]))
        oldest++;
    if (oldest == a->ways) {
        assert_int_equal(victim, CW_CACHE_NONE);
        return;
    }
    assert_int_equal(victim / a->ways, set);
    assert_int_equal(a->tag[victim], m->cnt[set] == a->ways ? m->tag[set][oldest] : CW_CACHE_EMPTY);
    if (m->cnt[set] == a->ways)
        take_out(m, set, oldest);
    cw_cache_array_name(a, victim, tag);
    cw_cache_array_filled(a, victim);
    m->tag[set][m->cnt[set]++] = tag;
}

static void random_uses(uint32_t sets, uint32_t ways, enum cw_replacement policy, uint64_t seed)
{
    struct cw_cache_array a;
    static struct model m;
    struct cw_rng rng;
    memset(&m, 0, sizeof m);
    cw_rng_seed(&rng, seed);
    assert_int_equal(cw_cache_array_create(&a, sets, ways, policy, NULL), CW_OK);
    for (uint32_t step = 0; step < 4000; step++) {
        const uint32_t set = cw_rng_below(&rng, sets), what = cw_rng_below(&rng, 16);
        const uint64_t tag = cw_rng_below(&rng, 2 * ways + 1) * (uint64_t)sets + set;
        const uint32_t line = cw_cache_array_find(&a, set, tag);
        if (what == 0 && line != CW_CACHE_NONE && !a.pinned[line]) {
            cw_cache_array_name(&a, line, CW_CACHE_EMPTY);
            take_out(&m, set, place(&m, set, tag));
        } else if (what < 4 && line != CW_CACHE_NONE) {
            a.pinned[line] = !a.pinned[line];
        } else {
            use(&a, &m, policy, set, tag);
        }
    }
    cw_cache_array_destroy(&a);
}

static void test_cache_array__equals_a_list_by_age(void **state)
{
    static const uint32_t ways[] = {1, 2, 3, 8, CW_CACHE_SCAN_WAYS, CW_CACHE_SCAN_WAYS + 1, WAYS_MAX};
    (void)state;
    for (uint32_t p = 0; p <= CW_REPLACE_FIFO; p++)
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
            for (uint32_t sets = 1; sets <= SETS_MAX; sets += 7)
                random_uses(sets, ways[w], (enum cw_replacement)p, 1 + w);
}

/* Tags 1 and 2 fill the two ways, 1 is used again, 3 comes: all give up 2, but FIFO gives up 1. */
static void test_cache_array__a_hit_saves_a_line_but_under_fifo(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < CW_REPLACE_CNT; p++) {
        struct cw_cache_array a;
        assert_int_equal(cw_cache_array_create(&a, 1, 2, (enum cw_replacement)p, NULL), CW_OK);
        for (uint64_t tag = 1; tag <= 2; tag++) {
            const uint32_t line = cw_cache_array_victim(&a, 0);
            cw_cache_array_name(&a, line, tag);
            cw_cache_array_filled(&a, line);
        }
        cw_cache_array_hit(&a, cw_cache_array_find(&a, 0, 1));
        assert_int_equal(a.tag[cw_cache_array_victim(&a, 0)], p == CW_REPLACE_FIFO ? 1 : 2);
        cw_cache_array_reset(&a);
        assert_int_equal(cw_cache_array_find(&a, 0, 1), CW_CACHE_NONE);
        cw_cache_array_destroy(&a);
    }
}

/* The tree of a set as hardware keeps it: a bit per node, the nodes of 2^n ways in an array as a heap has them. */
static void point_away(bool *node, uint32_t ways, uint32_t way)
{
    for (uint32_t at = 1, cnt = ways / 2; cnt > 0; cnt /= 2) {
        const bool upper = way / cnt % 2 != 0;
        node[at] = !upper; /* the half to replace from */
        at = 2 * at + upper;
    }
}

static uint32_t follow(const bool *node, uint32_t ways)
{
    uint32_t at = 1;
    while (at < ways)
        at = 2 * at + node[at];
    return at - ways;
}

static void test_cache_array__plru_is_a_tree_of_bits(void **state)
{
    static const uint32_t ways[] = {2, 4, 8, 16, CW_CACHE_SCAN_WAYS, WAYS_MAX};
    (void)state;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        struct cw_cache_array a;
        struct cw_rng rng;
        bool node[WAYS_MAX] = {false};
        uint32_t fills = 0;
        cw_rng_seed(&rng, 1 + w);
        assert_int_equal(cw_cache_array_create(&a, 1, ways[w], CW_REPLACE_PLRU, NULL), CW_OK);
        for (uint32_t step = 0; step < 4000; step++) {
            const uint64_t tag = step < ways[w] ? step : cw_rng_below(&rng, 2 * ways[w]);
            uint32_t line = cw_cache_array_find(&a, 0, tag);
            if (line != CW_CACHE_NONE) {
                cw_cache_array_hit(&a, line);
            } else {
                line = cw_cache_array_victim(&a, 0);
                if (step >= ways[w])
                    assert_int_equal(line, follow(node, ways[w]));
                fills++;
                cw_cache_array_name(&a, line, tag);
                cw_cache_array_filled(&a, line);
            }
            point_away(node, ways[w], line);
        }
        assert_true(fills > 1500);
        cw_cache_array_destroy(&a);
    }
}

/* Ways 0 to 3 filled in this order; the tree points at 0, and then at what is left. */
static void test_cache_array__plru_passes_over_pinned_ways(void **state)
{
    static const uint32_t next[] = {0, 1, 2, 3};
    struct cw_cache_array a;
    (void)state;
    assert_int_equal(cw_cache_array_create(&a, 1, 4, CW_REPLACE_PLRU, NULL), CW_OK);
    for (uint64_t tag = 0; tag < 4; tag++) {
        const uint32_t line = cw_cache_array_victim(&a, 0);
        cw_cache_array_name(&a, line, tag);
        cw_cache_array_filled(&a, line);
    }
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(cw_cache_array_victim(&a, 0), next[i]);
        a.pinned[next[i]] = true;
    }
    assert_int_equal(cw_cache_array_victim(&a, 0), CW_CACHE_NONE);
    cw_cache_array_destroy(&a);
}

/* One use; whether the tag was there. */
static bool touch(struct cw_cache_array *a, uint64_t tag)
{
    uint32_t line = cw_cache_array_find(a, 0, tag);
    if (line != CW_CACHE_NONE) {
        cw_cache_array_hit(a, line);
        return true;
    }
    line = cw_cache_array_victim(a, 0);
    cw_cache_array_name(a, line, tag);
    cw_cache_array_filled(a, line);
    return false;
}

/* The example of Jaleel (ISCA 2010), Figure 3: a scan b1 to b4 comes between uses of a1 and a2, in four ways. LRU loses both, RRIP none. */
static void test_cache_array__rrip_keeps_what_was_hit_from_a_scan(void **state)
{
    enum { A1 = 1, A2, B1, B2, B3, B4 };
    static const uint64_t use[] = {A1, A2, A2, A1, B1, B2, B3, B4, A1, A2};
    static const enum cw_replacement policy[] = {CW_REPLACE_LRU, CW_REPLACE_RRIP};
    static const uint32_t hits[] = {2, 4};
    (void)state;
    for (uint32_t p = 0; p < 2; p++) {
        struct cw_cache_array a;
        uint32_t found = 0;
        assert_int_equal(cw_cache_array_create(&a, 1, 4, policy[p], NULL), CW_OK);
        for (size_t i = 0; i < sizeof use / sizeof use[0]; i++)
            found += touch(&a, use[i]);
        assert_int_equal(found, hits[p]);
        cw_cache_array_destroy(&a);
    }
}

/* As the paper writes it: a victim is the first line with 3; while there is none, all are counted up. */
static uint32_t eager_victim(uint8_t *rrpv, const uint64_t *tag, uint32_t ways)
{
    for (uint32_t way = 0; way < ways; way++)
        if (tag[way] == CW_CACHE_EMPTY)
            return way;
    for (;;) {
        for (uint32_t way = 0; way < ways; way++)
            if (rrpv[way] == 3)
                return way;
        for (uint32_t way = 0; way < ways; way++)
            rrpv[way]++;
    }
}

static void test_cache_array__rrip_is_as_its_paper_writes_it(void **state)
{
    static const uint32_t ways[] = {1, 4, 7, 16, WAYS_MAX};
    (void)state;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        struct cw_cache_array a;
        struct cw_rng rng;
        uint8_t rrpv[WAYS_MAX] = {0};
        uint64_t tag[WAYS_MAX];
        uint32_t fills = 0, hits = 0;
        memset(tag, 0xff, sizeof tag);
        cw_rng_seed(&rng, 7 + w);
        assert_int_equal(cw_cache_array_create(&a, 1, ways[w], CW_REPLACE_RRIP, NULL), CW_OK);
        for (uint32_t step = 0; step < 4000; step++) {
            const uint64_t next = cw_rng_below(&rng, 2 * ways[w]);
            uint32_t way = 0;
            while (way < ways[w] && tag[way] != next)
                way++;
            const bool hit = way < ways[w];
            if (!hit) {
                way = eager_victim(rrpv, tag, ways[w]);
                assert_int_equal(cw_cache_array_victim(&a, 0), way);
                tag[way] = next;
            }
            rrpv[way] = hit ? 0 : 2;
            assert_int_equal(touch(&a, next), hit);
            fills += !hit;
            hits += hit;
        }
        assert_true(fills > 1000 && hits > 1000);
        cw_cache_array_destroy(&a);
    }
}

/* Five tags in turn through four ways: LRU never hits; BRRIP keeps some, which is what it is for. */
static void test_cache_array__brrip_keeps_a_part_of_a_loop(void **state)
{
    static const enum cw_replacement policy[] = {CW_REPLACE_LRU, CW_REPLACE_BRRIP};
    (void)state;
    for (uint32_t p = 0; p < 2; p++) {
        struct cw_cache_array a;
        uint32_t found = 0;
        assert_int_equal(cw_cache_array_create(&a, 1, 4, policy[p], NULL), CW_OK);
        for (uint32_t i = 0; i < 5000; i++)
            found += touch(&a, i % 5);
        if (policy[p] == CW_REPLACE_LRU)
            assert_int_equal(found, 0);
        else
            assert_in_range(found, 2500, 3000); /* three of five stay at best; a fill of 32 lets another set of three in */
        cw_cache_array_destroy(&a);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cache_array__rrip_keeps_what_was_hit_from_a_scan),
    cmocka_unit_test(test_cache_array__rrip_is_as_its_paper_writes_it),
    cmocka_unit_test(test_cache_array__brrip_keeps_a_part_of_a_loop),
    cmocka_unit_test(test_cache_array__equals_a_list_by_age),
    cmocka_unit_test(test_cache_array__a_hit_saves_a_line_but_under_fifo),
    cmocka_unit_test(test_cache_array__plru_is_a_tree_of_bits),
    cmocka_unit_test(test_cache_array__plru_passes_over_pinned_ways),
};

CW_TEST_MAIN(tests)
