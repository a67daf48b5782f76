/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates against textbooks and against themselves: intervals hold what they promise, on numbers whose truth is known. */
#include "gpu/estimate.h"

#include <math.h>

#include "base/rng.h"
#include "cw_test.h"

#define TRIALS 4000u

/* About normal, mean 0 and deviation 1: a sum of twelve uniform numbers (Irwin and Hall). */
static double normal(struct cw_rng *rng)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(cw_rng_next(rng) >> 11) / (double)(UINT64_C(1) << 53);
    return sum;
}

/* Cycles are three for each instruction: the ratio is three, and nothing is left open. */
static void test_estimate__exact_samples_leave_nothing_open(void **state)
{
    (void)state;
    struct cw_samples s = {0};
    assert_true(cw_samples_ratio(&s) == 0 && isinf(cw_samples_half(&s)));
    cw_samples_add(&s, 300, 100);
    assert_true(isinf(cw_samples_half(&s)));
    cw_samples_add(&s, 900, 300);
    assert_true(cw_samples_ratio(&s) == 3 && cw_samples_half(&s) < 1e-6);
}

/* With equal instructions the interval is Student's, of the mean: 2, 4, 6 have the mean 4, the deviation 2, and with two degrees of freedom 4.303
 * times 2 / sqrt(3). With ten and thirty the quantiles are 2.228 and 2.042. */
static void test_estimate__the_interval_is_students(void **state)
{
    (void)state;
    struct cw_samples s = {0};
    for (int i = 1; i <= 3; i++)
        cw_samples_add(&s, 2 * i, 1);
    assert_true(fabs(cw_samples_half(&s) - 4.303 * 2 / sqrt(3)) < 1e-9);
    const struct {
        int cnt;
        double t;
    } table[] = {{11, 2.228}, {31, 2.042}};
    for (int k = 0; k < 2; k++) {
        struct cw_samples e = {0};
        double squares = 0;
        for (int i = 0; i < table[k].cnt; i++) {
            cw_samples_add(&e, i, 1);
            squares += (i - (table[k].cnt - 1) / 2.0) * (i - (table[k].cnt - 1) / 2.0);
        }
        const double error = sqrt(squares / (table[k].cnt - 1) / table[k].cnt);
        assert_true(fabs(cw_samples_half(&e) / error - table[k].t) < 2e-3);
    }
}

/* Of intervals that hold the truth with 95 percent, 93 to 97 of 100 do: four deviations of the share in so many trials are 1.4 percent. */
static void test_estimate__intervals_hold_the_truth(void **state)
{
    (void)state;
    struct cw_rng rng;
    uint32_t held = 0;
    cw_rng_seed(&rng, cw_test_seed(1));
    for (uint32_t t = 0; t < TRIALS; t++) {
        struct cw_samples s = {0};
        for (int i = 0; i < 8; i++) {
            const double x = 1000 + 100 * normal(&rng);
            cw_samples_add(&s, 3 * x * (1 + 0.05 * normal(&rng)), x);
        }
        held += fabs(cw_samples_ratio(&s) - 3) <= cw_samples_half(&s);
    }
    assert_true(held > TRIALS * 93 / 100 && held < TRIALS * 97 / 100);
}

/* A thousand launches, equal but for the first one: the first four take time, and then so few that their number grows with the logarithm. */
static void test_estimate__equal_launches_are_timed_seldom(void **state)
{
    (void)state;
    struct cw_launch_kinds kinds = {0};
    const uint32_t grid[3] = {10, 1, 1}, block[3] = {64, 1, 1}, other[3] = {11, 1, 1};
    uint32_t timed = 0;
    double cycles = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        struct cw_launch_kind *k = cw_launch_kind(&kinds, &kinds, grid, block);
        if (cw_launch_wants_time(k, 0.01)) {
            cw_launch_timed(k, i == 0 ? 900 : 500, 100);
            timed++;
            cycles += i == 0 ? 900 : 500;
        } else
            cycles += cw_launch_untimed(k, 100);
        assert_true(i >= 4 || timed == i + 1);
    }
    assert_true(fabs(cycles - 500400) < 1e-3);
    assert_true(timed > 10 && timed < 40);
    assert_true(cw_launch_wants_time(cw_launch_kind(&kinds, &kinds, other, block), 0.01));
    struct cw_estimate e = {0};
    cw_launch_kinds_sum(&kinds, &e);
    assert_true(cw_estimate_half(&e) < 1);
    cw_launch_kinds_free(&kinds);
}

/* Launches of 100 and of 10,000 instructions take 50 and 1 cycles for each: sizes are told apart, though kernel and grid are the same. */
static void test_estimate__sizes_are_told_apart(void **state)
{
    (void)state;
    struct cw_launch_kinds kinds = {0};
    const uint32_t shape[3] = {1, 1, 1};
    struct cw_launch_kind *k = cw_launch_kind(&kinds, &kinds, shape, shape);
    cw_launch_timed(k, 7000, 100);
    for (int i = 0; i < 3; i++) {
        cw_launch_timed(k, 5000, 100);
        cw_launch_timed(k, 10000, 10000);
    }
    assert_true(fabs(cw_launch_untimed(k, 100) - 5000) < 1e-6);
    assert_true(fabs(cw_launch_untimed(k, 10000) - 10000) < 1e-6);
    /* One that nobody has seen is taken from the nearest, and may be half as long again. */
    assert_true(fabs(cw_launch_untimed(k, 20000) - 20000) < 1e-6);
    assert_true(cw_launch_wants_time(k, 0.5));
    struct cw_estimate e = {0};
    cw_launch_kinds_sum(&kinds, &e);
    assert_true(fabs(cw_estimate_half(&e) - 10000) < 1);
    cw_launch_kinds_free(&kinds);
}

/* Times that vary by a fifth are not known to a percent after three launches, and are after 2,000: it asks until then. */
static void test_estimate__it_asks_until_it_knows(void **state)
{
    (void)state;
    struct cw_launch_kinds kinds = {0};
    const uint32_t shape[3] = {1, 1, 1};
    struct cw_rng rng;
    struct cw_launch_kind *k = cw_launch_kind(&kinds, &kinds, shape, shape);
    uint32_t timed = 0;
    cw_rng_seed(&rng, cw_test_seed(2));
    for (uint32_t i = 0; i < 20000; i++)
        if (cw_launch_wants_time(k, 0.01)) {
            cw_launch_timed(k, 500 * (1 + 0.2 * normal(&rng)), 100);
            timed++;
        } else
            cw_launch_untimed(k, 100);
    /* 1.96 times 0.2 over the root of n is 0.01 for n = 1,537. */
    assert_true(timed > 1000 && timed < 2200);
    cw_launch_kinds_free(&kinds);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_estimate__exact_samples_leave_nothing_open),
    cmocka_unit_test(test_estimate__the_interval_is_students),
    cmocka_unit_test(test_estimate__intervals_hold_the_truth),
    cmocka_unit_test(test_estimate__equal_launches_are_timed_seldom),
    cmocka_unit_test(test_estimate__sizes_are_told_apart),
    cmocka_unit_test(test_estimate__it_asks_until_it_knows),
};

CW_TEST_MAIN(tests)
