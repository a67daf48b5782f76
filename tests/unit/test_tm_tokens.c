/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/tm/tokens.h"

#include "cw_test.h"
#include "mech/tm/backoff.h"

static void test_tm_tokens__limit_and_order(void **state)
{
    (void)state;
    struct cw_tokens t = {.limit = 2};
    assert_true(cw_tokens_take(&t, 5));
    assert_true(cw_tokens_take(&t, 9));
    assert_false(cw_tokens_take(&t, 3));
    assert_false(cw_tokens_take(&t, 1));
    assert_false(cw_tokens_take(&t, 3)); /* asks again: keeps its place */
    assert_int_equal(cw_tokens_next(&t), -1);
    cw_tokens_release(&t);
    assert_int_equal(cw_tokens_next(&t), 3);
    assert_false(cw_tokens_take(&t, 1)); /* not yet its turn */
    assert_false(cw_tokens_take(&t, 7));
    assert_true(cw_tokens_take(&t, 3));
    assert_int_equal(cw_tokens_next(&t), -1);
    cw_tokens_release(&t);
    cw_tokens_release(&t);
    assert_int_equal(cw_tokens_next(&t), 1);
    assert_true(cw_tokens_take(&t, 1));
    assert_int_equal(cw_tokens_next(&t), 7);
    assert_true(cw_tokens_take(&t, 7));
    assert_int_equal(t.used, 2);
}

static void test_tm_tokens__unlimited(void **state)
{
    (void)state;
    struct cw_tokens t = {.limit = 0};
    for (uint32_t w = 0; w < 64; w++)
        assert_true(cw_tokens_take(&t, w));
    assert_int_equal(t.used, 64);
}

/* (aborts mod r) units, r uniform in 1 .. 10, capped: with 12 aborts the residues are 0 0 0 0 2 0 5 4 3 2, 1.6 units on average. */
static void test_tm_tokens__backoff_distribution(void **state)
{
    (void)state;
    const struct cw_tm_keys keys = {.tm_backoff_cycles = 1000, .tm_backoff_max_cycles = 4500};
    struct cw_rng rng;
    uint64_t sum = 0, seen[5] = {0};
    cw_rng_seed(&rng, cw_test_seed(8));
    for (uint32_t i = 0; i < 100000; i++) {
        uint64_t cycles = cw_backoff_cycles(&keys, &rng, 12);
        assert_true(cycles == 4500 || (cycles % 1000 == 0 && cycles <= 4000 && cycles != 1000));
        sum += cycles;
        seen[cycles / 1000]++;
    }
    assert_in_range(sum / 100000, 1520, 1580); /* 1.55 units, the 5 being capped at 4.5 */
    assert_in_range(seen[0], 49000, 51000);
    assert_in_range(seen[2], 19000, 21000);
    for (uint32_t i = 0; i < 100; i++)
        assert_true(cw_backoff_cycles(&keys, &rng, 0) == 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_tm_tokens__limit_and_order),
    cmocka_unit_test(test_tm_tokens__unlimited),
    cmocka_unit_test(test_tm_tokens__backoff_distribution),
};

CW_TEST_MAIN(tests)
