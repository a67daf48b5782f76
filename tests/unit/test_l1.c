/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/rng.h"
#include "core/cache/l1.h"
#include "cw_test.h"

#define LINE(n) (UINT64_C(0x100000000) + 128u * (uint64_t)(n))

static const uint64_t all[2] = {UINT64_MAX, UINT64_MAX};
static const uint64_t low_half[2] = {UINT64_MAX, 0};

/* One set of two ways, two miss registers of two requests each. */
static void small(struct cw_l1 *l1)
{
    struct cw_error err;
    assert_int_equal(cw_l1_create(l1, 128, 256, 2, CW_REPLACE_LRU, 2, 2, &err), 0);
}

struct result {
    enum cw_l1_result r;
    uint8_t *data;
    uint32_t mshr;
    struct cw_l1_line *victim;
    bool allocated;
};

static struct result rd(struct cw_l1 *l1, uint64_t line, const uint64_t need[2], uint32_t who)
{
    struct result x = {0};
    const struct cw_l1_waiter w = {.lanes = who};
    x.r = cw_l1_read(l1, line, need, &w, &x.data, &x.mshr, &x.victim);
    return x;
}

static struct result wr(struct cw_l1 *l1, uint64_t line, const uint64_t mask[2], uint8_t value)
{
    struct result x = {0};
    x.r = cw_l1_write(l1, line, mask, false, &x.data, &x.allocated, &x.victim);
    for (uint32_t b = 0; x.r == CW_L1_HIT && b < 128; b++)
        if ((mask[b / 64] >> (b % 64) & 1u) != 0)
            x.data[b] = value;
    return x;
}

static void fill(struct cw_l1 *l1, uint32_t mshr, uint8_t value)
{
    uint8_t data[128];
    memset(data, value, sizeof data);
    cw_l1_fill_line(l1, mshr, data);
    cw_l1_release(l1, mshr);
}

static void test_l1__a_miss_fetches_once_and_then_hits(void **state)
{
    (void)state;
    struct cw_l1 l1;
    small(&l1);
    struct result x = rd(&l1, LINE(1), all, 11);
    assert_int_equal(x.r, CW_L1_MISS);
    assert_int_equal(rd(&l1, LINE(1), low_half, 12).r, CW_L1_MERGED);
    assert_int_equal(rd(&l1, LINE(1), low_half, 13).r, CW_L1_BUSY); /* merges are limited */
    assert_int_equal(l1.mshr[x.mshr].waiter_cnt, 2);
    assert_int_equal(l1.mshr[x.mshr].waiter[0].lanes, 11);
    assert_int_equal(l1.mshr[x.mshr].waiter[1].lanes, 12);
    fill(&l1, x.mshr, 0x5a);
    x = rd(&l1, LINE(1), all, 0);
    assert_int_equal(x.r, CW_L1_HIT);
    assert_int_equal(x.data[127], 0x5a);
    cw_l1_destroy(&l1);
}

static void test_l1__a_write_allocates_without_a_fetch(void **state)
{
    (void)state;
    struct cw_l1 l1;
    small(&l1);
    struct result x = wr(&l1, LINE(1), low_half, 7);
    assert_int_equal(x.r, CW_L1_HIT);
    assert_true(x.allocated);
    x = rd(&l1, LINE(1), low_half, 0);
    assert_int_equal(x.r, CW_L1_HIT);
    assert_int_equal(x.data[63], 7);
    /* the other half is not there; its fetch keeps the written bytes */
    x = rd(&l1, LINE(1), all, 0);
    assert_int_equal(x.r, CW_L1_MISS);
    fill(&l1, x.mshr, 9);
    x = rd(&l1, LINE(1), all, 0);
    assert_int_equal(x.r, CW_L1_HIT);
    assert_int_equal(x.data[63], 7);
    assert_int_equal(x.data[64], 9);
    cw_l1_destroy(&l1);
}

static void test_l1__the_least_recently_used_line_goes_and_dirty_bytes_first(void **state)
{
    (void)state;
    struct cw_l1 l1;
    small(&l1);
    wr(&l1, LINE(1), low_half, 1);
    wr(&l1, LINE(2), all, 2);
    assert_int_equal(rd(&l1, LINE(1), low_half, 0).r, CW_L1_HIT); /* now line 2 is the older one */
    struct result x = wr(&l1, LINE(3), all, 3);
    assert_int_equal(x.r, CW_L1_EVICT);
    assert_int_equal(x.victim->line, LINE(2));
    assert_int_equal(x.victim->data[0], 2);
    cw_l1_clean(&l1, x.victim);
    assert_int_equal(wr(&l1, LINE(3), all, 3).r, CW_L1_HIT);
    x = rd(&l1, LINE(2), all, 0);
    assert_int_equal(x.r, CW_L1_EVICT);
    assert_int_equal(x.victim->line, LINE(1));
    assert_true(x.victim->dirty[0] == UINT64_MAX && x.victim->dirty[1] == 0);
    cw_l1_destroy(&l1);
}

/* The reads that wait for a line are older than the write. */
static void test_l1__a_write_waits_for_an_outstanding_miss(void **state)
{
    (void)state;
    struct cw_l1 l1;
    small(&l1);
    struct result x = rd(&l1, LINE(1), all, 0);
    assert_int_equal(wr(&l1, LINE(1), all, 1).r, CW_L1_BUSY);
    fill(&l1, x.mshr, 2);
    assert_int_equal(wr(&l1, LINE(1), all, 1).r, CW_L1_HIT);
    cw_l1_destroy(&l1);
}

static void test_l1__lines_with_a_miss_outstanding_are_not_replaced(void **state)
{
    (void)state;
    struct cw_l1 l1;
    struct cw_error err;
    assert_int_equal(cw_l1_create(&l1, 128, 256, 2, CW_REPLACE_LRU, 4, 2, &err), 0);
    struct result x = rd(&l1, LINE(1), all, 0);
    assert_int_equal(rd(&l1, LINE(2), all, 0).r, CW_L1_MISS);
    assert_int_equal(rd(&l1, LINE(3), all, 0).r, CW_L1_BUSY);
    fill(&l1, x.mshr, 0);
    assert_int_equal(rd(&l1, LINE(3), all, 0).r, CW_L1_MISS);
    cw_l1_destroy(&l1);
}

static void test_l1__misses_are_limited_by_their_registers(void **state)
{
    (void)state;
    struct cw_l1 l1;
    struct cw_error err;
    assert_int_equal(cw_l1_create(&l1, 128, 512, 4, CW_REPLACE_LRU, 2, 2, &err), 0);
    assert_int_equal(rd(&l1, LINE(1), all, 0).r, CW_L1_MISS);
    assert_int_equal(rd(&l1, LINE(2), all, 0).r, CW_L1_MISS);
    assert_int_equal(rd(&l1, LINE(3), all, 0).r, CW_L1_BUSY);
    cw_l1_destroy(&l1);
}

/* A store that passes a miss makes its data stale: those who waited get it (their loads are older), nobody else does. */
static void test_l1__a_store_passing_a_miss_keeps_the_stale_line_out(void **state)
{
    (void)state;
    struct cw_l1 l1;
    small(&l1);
    struct result x = rd(&l1, LINE(1), all, 0);
    cw_l1_invalidate(&l1, LINE(1));
    assert_int_equal(rd(&l1, LINE(1), all, 0).r, CW_L1_BUSY);
    uint8_t data[128] = {42};
    assert_int_equal(cw_l1_fill_line(&l1, x.mshr, data)[0], 42);
    cw_l1_release(&l1, x.mshr);
    assert_int_equal(rd(&l1, LINE(1), all, 0).r, CW_L1_MISS);
    cw_l1_destroy(&l1);
}

/* Four sets of one way: lines 0 and 4 meet in a linear cache. Folded, line 4 is 4 ^ 1 = 5, which meets line 1. */
static void test_l1__sets_are_folded_or_linear(void **state)
{
    (void)state;
    for (uint32_t linear = 0; linear < 2; linear++)
        for (uint32_t first = 0; first < 2; first++) {
            struct cw_l1 l1;
            struct cw_error err;
            assert_int_equal(cw_l1_create(&l1, 128, 512, 1, CW_REPLACE_LRU, 2, 2, &err), 0);
            l1.linear = linear;
            struct result x = rd(&l1, 128u * first, all, 0);
            fill(&l1, x.mshr, 1);
            x = rd(&l1, 128u * 4, all, 0);
            fill(&l1, x.mshr, 2);
            assert_int_equal(rd(&l1, 128u * first, all, 0).r, first == 1 - linear ? CW_L1_MISS : CW_L1_HIT);
            cw_l1_destroy(&l1);
        }
}

static void test_l1__refuses_a_size_that_is_not_whole_sets(void **state)
{
    (void)state;
    struct cw_l1 l1;
    struct cw_error err;
    assert_int_equal(cw_l1_create(&l1, 128, 1000, 2, CW_REPLACE_LRU, 2, 2, &err), CW_EINVAL);
    assert_int_equal(cw_l1_create(&l1, 128, 49152, 6, CW_REPLACE_LRU, 32, 8, &err), 0); /* 64 sets */
    assert_int_equal(l1.sets, 64);
    cw_l1_destroy(&l1);
}

/* ---- a cache of many ways, and lines of global memory ---- */

#define WAYS 80u

/* The plainest model of one set: its lines in the order of use, the oldest first. */
struct lru {
    uint64_t line[WAYS];
    bool dirty[WAYS];
    uint32_t cnt;
};

static uint32_t position(const struct lru *m, uint64_t line)
{
    uint32_t i = 0;
    while (i < m->cnt && m->line[i] != line)
        i++;
    return i;
}

static void drop(struct lru *m, uint32_t i)
{
    m->cnt--;
    memmove(m->line + i, m->line + i + 1, (m->cnt - i) * sizeof m->line[0]);
    memmove(m->dirty + i, m->dirty + i + 1, (m->cnt - i) * sizeof m->dirty[0]);
}

/* Makes the line the youngest; false: the victim is dirty, and nothing changes. */
static bool touch(struct lru *m, uint64_t line, bool write)
{
    uint32_t i = position(m, line);
    const bool held = i < m->cnt && m->dirty[i];
    if (i == m->cnt && m->cnt == WAYS && m->dirty[0])
        return false;
    if (i < m->cnt || m->cnt == WAYS)
        drop(m, i < m->cnt ? i : 0);
    m->line[m->cnt] = line;
    m->dirty[m->cnt++] = held || write;
    return true;
}

/* Reads that hit or are filled at once, writes, invalidations and write-backs of random lines: hits, victims and dirty lines are the
 * model's. */
static void test_l1__many_ways_are_as_few(void **state)
{
    (void)state;
    struct cw_l1 l1;
    struct cw_error err;
    struct lru m = {.cnt = 0};
    struct cw_rng rng;
    cw_rng_seed(&rng, 1);
    assert_int_equal(cw_l1_create(&l1, 128, WAYS * 128, WAYS, CW_REPLACE_LRU, 2, 2, &err), 0);
    for (uint32_t step = 0; step < 200000; step++) {
        const uint64_t r = cw_rng_next(&rng), line = LINE(r % 150);
        const uint32_t i = position(&m, line);
        struct cw_l1_line *e = cw_l1_find(&l1, line);
        assert_int_equal(e != NULL, i < m.cnt);
        if (r >> 32 & 4 && e != NULL && !m.dirty[i]) { /* as a store that passes by */
            cw_l1_invalidate(&l1, line);
            drop(&m, i);
            continue;
        }
        const bool write = (r >> 32 & 3) == 0;
        struct cw_l1_line *victim = NULL;
        uint8_t *data;
        bool allocated;
        const struct cw_l1_waiter who = {.global = true};
        uint32_t mshr;
        enum cw_l1_result got =
            write ? cw_l1_write(&l1, line, all, true, &data, &allocated, &victim) : cw_l1_read(&l1, line, all, &who, &data, &mshr, &victim);
        if (got == CW_L1_MISS)
            fill(&l1, mshr, 0);
        assert_int_equal(got == CW_L1_EVICT, !touch(&m, line, write));
        if (got == CW_L1_EVICT) {
            assert_int_equal(victim->line, m.line[0]);
            cw_l1_clean(&l1, victim);
            m.dirty[0] = false;
        }
    }
    uint32_t at = 0, dirty = 0, expected = 0;
    while (cw_l1_next_dirty(&l1, &at) != NULL)
        dirty++;
    for (uint32_t i = 0; i < m.cnt; i++)
        expected += m.dirty[i];
    assert_int_equal(dirty, expected);
    assert_true(expected > 0);
    cw_l1_destroy(&l1);
}

/* An acquire drops what others may have written, and keeps what the core itself has. */
static void test_l1__forgetting_keeps_dirty_bytes(void **state)
{
    (void)state;
    static const uint64_t first[2] = {0xf, 0};
    struct cw_l1 l1;
    small(&l1);
    uint8_t *data;
    bool allocated;
    struct cw_l1_line *victim;
    struct result x = rd(&l1, LINE(1), all, 0);
    fill(&l1, x.mshr, 1);
    assert_int_equal(cw_l1_write(&l1, LINE(1), first, true, &data, &allocated, &victim), CW_L1_HIT);
    memset(data, 2, 4);
    cw_l1_forget(&l1, cw_l1_find(&l1, LINE(1)));
    x = rd(&l1, LINE(1), first, 0);
    assert_int_equal(x.r, CW_L1_HIT);
    assert_int_equal(x.data[0], 2);
    x = rd(&l1, LINE(1), all, 0); /* the others are fetched anew, around the dirty ones */
    assert_int_equal(x.r, CW_L1_MISS);
    fill(&l1, x.mshr, 3);
    x = rd(&l1, LINE(1), all, 0);
    assert_int_equal(x.data[0], 2);
    assert_int_equal(x.data[4], 3);
    cw_l1_destroy(&l1);
}

/* What a miss brings after an acquire does not stay, and who waited for it finds the core's own bytes in it, also when they have been
 * written back meanwhile: the read had left before them. */
static void test_l1__a_miss_on_its_way_through_an_acquire(void **state)
{
    (void)state;
    static const uint64_t first[2] = {0xf, 0};
    struct cw_l1 l1;
    small(&l1);
    uint8_t *data, line[128];
    bool allocated;
    struct cw_l1_line *victim;
    assert_int_equal(cw_l1_write(&l1, LINE(1), first, true, &data, &allocated, &victim), CW_L1_HIT);
    memset(data, 2, 4);
    struct result x = rd(&l1, LINE(1), all, 0);
    assert_int_equal(x.r, CW_L1_MISS);
    cw_l1_clean(&l1, cw_l1_find(&l1, LINE(1)));
    cw_l1_forget(&l1, cw_l1_find(&l1, LINE(1)));
    assert_int_equal(rd(&l1, LINE(1), first, 0).r, CW_L1_BUSY);
    memset(line, 3, sizeof line);
    const uint8_t *served = cw_l1_fill_line(&l1, x.mshr, line);
    assert_int_equal(served[0], 2);
    assert_int_equal(served[4], 3);
    cw_l1_release(&l1, x.mshr);
    assert_int_equal(rd(&l1, LINE(1), first, 0).r, CW_L1_MISS);
    cw_l1_destroy(&l1);
}

/* With l1.write_miss=around a store waits for older reads of its bytes, and not for the line. */
static void test_l1__a_write_beside_what_is_waited_for(void **state)
{
    (void)state;
    static const uint64_t first[2] = {0xf, 0}, second[2] = {0xf0, 0}, both[2] = {0xff, 0};
    for (uint32_t around = 0; around < 2; around++) {
        struct cw_l1 l1;
        small(&l1);
        l1.around = around;
        struct result x = rd(&l1, LINE(1), first, 10);
        assert_int_equal(x.r, CW_L1_MISS);
        assert_int_equal(wr(&l1, LINE(1), first, 9).r, CW_L1_BUSY);
        assert_int_equal(wr(&l1, LINE(1), both, 9).r, CW_L1_BUSY);
        assert_int_equal(wr(&l1, LINE(1), second, 9).r, around ? CW_L1_HIT : CW_L1_BUSY);
        if (around)
            assert_int_equal(rd(&l1, LINE(1), second, 11).r, CW_L1_HIT);
        fill(&l1, x.mshr, 5);
        x = rd(&l1, LINE(1), both, 12);
        assert_int_equal(x.r, CW_L1_HIT);
        assert_int_equal(x.data[0], 5);
        assert_int_equal(x.data[4], around ? 9 : 5);
        x = rd(&l1, LINE(2), first, 13); /* the next miss in this register begins with nothing that is needed */
        assert_int_equal(x.r, CW_L1_MISS);
        assert_int_equal(wr(&l1, LINE(2), second, 9).r, around ? CW_L1_HIT : CW_L1_BUSY);
        cw_l1_destroy(&l1);
    }
}

/* ---- sectors ---- */

static uint32_t served_by(struct cw_l1 *l1, uint32_t mshr, uint8_t sectors, uint8_t value, struct cw_l1_waiter *served)
{
    uint8_t data[128];
    memset(data, value, sizeof data);
    cw_l1_fill(l1, mshr, sectors, data);
    const uint32_t cnt = cw_l1_take_served(&l1->mshr[mshr], served);
    cw_l1_release(l1, mshr);
    return cnt;
}

static void test_l1__a_sectored_miss_fetches_what_it_lacks(void **state)
{
    (void)state;
    static const uint64_t zero[2] = {0xf, 0}, one[2] = {UINT64_C(0xf) << 32, 0}, both[2] = {UINT64_C(0xf0) | UINT64_C(0xf) << 32, 0};
    static const uint64_t three[2] = {0, UINT64_C(1) << 63};
    struct cw_l1_waiter served[8];
    struct cw_l1 l1;
    assert_int_equal(cw_l1_create(&l1, 128, 256, 2, CW_REPLACE_LRU, 2, 3, NULL), CW_OK);
    l1.sectored = true;
    struct result x = rd(&l1, LINE(1), zero, 10);
    assert_int_equal(x.r, CW_L1_MISS);
    assert_int_equal(l1.mshr[x.mshr].ask, 1);
    assert_int_equal(rd(&l1, LINE(1), zero, 11).r, CW_L1_MERGED);
    const uint32_t first = x.mshr;
    x = rd(&l1, LINE(1), both, 12); /* sector 0 is on its way */
    assert_int_equal(x.r, CW_L1_MISS);
    assert_int_equal(x.mshr, first);
    assert_int_equal(l1.mshr[first].ask, 2);
    assert_int_equal(wr(&l1, LINE(1), one, 9).r, CW_L1_BUSY); /* the third read, which is older, needs it */
    assert_int_equal(wr(&l1, LINE(1), three, 9).r, CW_L1_HIT);
    assert_int_equal(served_by(&l1, first, 1, 5, served), 2);
    assert_int_equal(served[0].lanes, 10);
    assert_int_equal(served[1].lanes, 11);
    x = rd(&l1, LINE(1), zero, 13);
    assert_int_equal(x.r, CW_L1_HIT); /* while sector 1 is on its way */
    assert_int_equal(x.data[0], 5);
    assert_int_equal(served_by(&l1, first, 2, 6, served), 1);
    assert_int_equal(served[0].lanes, 12);
    assert_int_equal(l1.mshr_used, 0);
    assert_int_equal(wr(&l1, LINE(1), one, 9).r, CW_L1_HIT);
    x = rd(&l1, LINE(1), all, 14); /* of sector 3 one byte is here */
    assert_int_equal(x.r, CW_L1_MISS);
    assert_int_equal(l1.mshr[x.mshr].ask, 0xc);
    cw_l1_fill_line(&l1, x.mshr, (uint8_t[128]){0});
    cw_l1_release(&l1, x.mshr);
    x = rd(&l1, LINE(1), all, 15);
    assert_int_equal(x.r, CW_L1_HIT);
    assert_int_equal(x.data[127], 9);
    cw_l1_destroy(&l1);
}

/* Reads and writes of one word, replies in any order, write-backs: each read has the value of the time when the cache took it. */
struct random_read {
    uint64_t line;
    uint32_t byte;
    uint8_t value;
};

struct random_reply {
    uint32_t mshr;
    uint64_t line;
    uint8_t sectors, data[128];
};

static void reads_have_the_value_of_their_time(bool sectored, bool around)
{
    enum { LINES = 12, STEPS = 200000, OUT = 64 };
    static uint8_t now[LINES][128], memory[LINES][128];
    static struct random_read read[STEPS];
    static struct random_reply out[OUT];
    uint32_t seed = 1, out_cnt = 0, reads = 0, served_cnt = 0, passed = 0;
    struct cw_l1 l1;
    memset(now, 0, sizeof now);
    memset(memory, 0, sizeof memory);
    assert_int_equal(cw_l1_create(&l1, 128, 1024, 8, CW_REPLACE_LRU, 6, 4, NULL), CW_OK);
    l1.sectored = sectored;
    l1.around = around;
    for (uint32_t step = 0; step < STEPS; step++) {
        seed = seed * 1664525u + 1013904223u;
        const uint32_t n = (seed >> 8) % LINES, byte = 4 * ((seed >> 16) % 32), kind = (seed >> 24) % 8;
        const uint64_t need[2] = {byte < 64 ? UINT64_C(0xf) << byte : 0, byte < 64 ? 0 : UINT64_C(0xf) << (byte - 64)};
        struct result x = {.r = CW_L1_BUSY};
        if (kind < 4) {
            x = rd(&l1, LINE(n), need, reads);
            if (x.r == CW_L1_HIT)
                assert_int_equal(x.data[byte], now[n][byte]);
            if (x.r == CW_L1_MISS || x.r == CW_L1_MERGED)
                read[reads++] = (struct random_read){LINE(n), byte, now[n][byte]};
            if (x.r == CW_L1_MISS) {
                assert_true(out_cnt < OUT);
                out[out_cnt] = (struct random_reply){.mshr = x.mshr, .line = LINE(n), .sectors = l1.mshr[x.mshr].ask};
                memcpy(out[out_cnt++].data, memory[n], 128); /* as it is when the read gets there */
            }
        } else if (kind == 4) {
            x = wr(&l1, LINE(n), need, (uint8_t)step);
            if (x.r == CW_L1_HIT)
                memset(now[n] + byte, (uint8_t)step, 4);
        } else if (kind == 5 && seed >> 28 == 0) { /* a store that passes by */
            const struct cw_l1_line *e = cw_l1_find(&l1, LINE(n));
            if (e == NULL || !cw_l1_is_dirty(e)) {
                passed += e != NULL && e->mshr != 0;
                cw_l1_invalidate(&l1, LINE(n));
                memset(memory[n] + byte, (uint8_t)step, 4);
                memcpy(now[n] + byte, memory[n] + byte, 4);
            }
        } else if (kind > 5 && out_cnt != 0) {
            struct cw_l1_waiter served[4];
            const uint32_t i = (seed >> 16) % out_cnt;
            const struct random_reply r = out[i];
            out[i] = out[--out_cnt];
            const uint8_t *data = cw_l1_fill(&l1, r.mshr, r.sectors, r.data);
            const uint32_t cnt = cw_l1_take_served(&l1.mshr[r.mshr], served);
            for (uint32_t k = 0; k < cnt; k++) {
                assert_int_equal(read[served[k].lanes].line, r.line);
                assert_int_equal(data[read[served[k].lanes].byte], read[served[k].lanes].value);
            }
            served_cnt += cnt;
            cw_l1_release(&l1, r.mshr);
        }
        if (x.r == CW_L1_EVICT) {
            const uint32_t v = (uint32_t)(x.victim->line / 128 % 1024) - (uint32_t)(LINE(0) / 128 % 1024);
            for (uint32_t b = 0; b < 128; b++)
                if ((x.victim->dirty[b / 64] >> (b % 64) & 1u) != 0)
                    memory[v][b] = x.victim->data[b];
            cw_l1_clean(&l1, x.victim);
        }
    }
    assert_true(reads > 1000 && served_cnt > 1000 && passed > 10);
    assert_true(reads - served_cnt <= 6 * 4);
    cw_l1_destroy(&l1);
}

static void test_l1__reads_have_the_value_of_their_time(void **state)
{
    (void)state;
    reads_have_the_value_of_their_time(true, false);
    reads_have_the_value_of_their_time(false, false);
    reads_have_the_value_of_their_time(false, true);
    reads_have_the_value_of_their_time(true, true);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_l1__a_sectored_miss_fetches_what_it_lacks),
    cmocka_unit_test(test_l1__reads_have_the_value_of_their_time),
    cmocka_unit_test(test_l1__a_write_beside_what_is_waited_for),
    cmocka_unit_test(test_l1__a_miss_fetches_once_and_then_hits),
    cmocka_unit_test(test_l1__sets_are_folded_or_linear),
    cmocka_unit_test(test_l1__a_write_allocates_without_a_fetch),
    cmocka_unit_test(test_l1__the_least_recently_used_line_goes_and_dirty_bytes_first),
    cmocka_unit_test(test_l1__a_write_waits_for_an_outstanding_miss),
    cmocka_unit_test(test_l1__lines_with_a_miss_outstanding_are_not_replaced),
    cmocka_unit_test(test_l1__misses_are_limited_by_their_registers),
    cmocka_unit_test(test_l1__a_store_passing_a_miss_keeps_the_stale_line_out),
    cmocka_unit_test(test_l1__refuses_a_size_that_is_not_whole_sets),
    cmocka_unit_test(test_l1__many_ways_are_as_few),
    cmocka_unit_test(test_l1__forgetting_keeps_dirty_bytes),
    cmocka_unit_test(test_l1__a_miss_on_its_way_through_an_acquire),
};
CW_TEST_MAIN(tests)
