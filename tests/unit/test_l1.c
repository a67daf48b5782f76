/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "core/l1.h"
#include "cw_test.h"

#define LINE(n) (UINT64_C(0x100000000) + 128u * (uint64_t)(n))

static const uint64_t all[2] = {UINT64_MAX, UINT64_MAX};
static const uint64_t low_half[2] = {UINT64_MAX, 0};

/* One set of two ways, two miss registers of two requests each. */
static void small(struct cw_l1 *l1)
{
    struct cw_error err;
    assert_int_equal(cw_l1_create(l1, 128, 256, 2, 2, 2, &err), 0);
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
    x.r = cw_l1_write(l1, line, mask, &x.data, &x.allocated, &x.victim);
    for (uint32_t b = 0; x.r == CW_L1_HIT && b < 128; b++)
        if ((mask[b / 64] >> (b % 64) & 1u) != 0)
            x.data[b] = value;
    return x;
}

static void fill(struct cw_l1 *l1, uint32_t mshr, uint8_t value)
{
    uint8_t data[128];
    memset(data, value, sizeof data);
    cw_l1_fill(l1, mshr, data);
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
    cw_l1_clean(x.victim);
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
    assert_int_equal(cw_l1_create(&l1, 128, 256, 2, 4, 2, &err), 0);
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
    assert_int_equal(cw_l1_create(&l1, 128, 512, 4, 2, 2, &err), 0);
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
    assert_ptr_equal(cw_l1_fill(&l1, x.mshr, data), data);
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
            assert_int_equal(cw_l1_create(&l1, 128, 512, 1, 2, 2, &err), 0);
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
    assert_int_equal(cw_l1_create(&l1, 128, 1000, 2, 2, 2, &err), CW_EINVAL);
    assert_int_equal(cw_l1_create(&l1, 128, 49152, 6, 32, 8, &err), 0); /* 64 sets */
    assert_int_equal(l1.sets, 64);
    cw_l1_destroy(&l1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_l1__a_miss_fetches_once_and_then_hits),
    cmocka_unit_test(test_l1__sets_are_folded_or_linear),
    cmocka_unit_test(test_l1__a_write_allocates_without_a_fetch),
    cmocka_unit_test(test_l1__the_least_recently_used_line_goes_and_dirty_bytes_first),
    cmocka_unit_test(test_l1__a_write_waits_for_an_outstanding_miss),
    cmocka_unit_test(test_l1__lines_with_a_miss_outstanding_are_not_replaced),
    cmocka_unit_test(test_l1__misses_are_limited_by_their_registers),
    cmocka_unit_test(test_l1__a_store_passing_a_miss_keeps_the_stale_line_out),
    cmocka_unit_test(test_l1__refuses_a_size_that_is_not_whole_sets),
};
CW_TEST_MAIN(tests)
