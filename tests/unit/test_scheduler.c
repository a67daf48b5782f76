/* SPDX-License-Identifier: Apache-2.0 */
#include "base/config.h"
#include "core/warps/scheduler.h"
#include "cw_test.h"

static uint64_t bit(uint32_t w)
{
    return UINT64_C(1) << w;
}

static void test_scheduler__gto_stays_with_the_last_warp_then_takes_the_oldest(void **state)
{
    (void)state;
    struct cw_scheduler s = {.policy = CW_SCHED_GTO, .last = 6};
    struct cw_ages ages = {0};
    const uint32_t order[] = {4, 6, 2, 0}; /* started in this order */
    for (uint32_t i = 0; i < 4; i++)
        cw_age_start(&ages, order[i]);
    assert_int_equal(cw_scheduler_pick(&s, &ages, bit(0) | bit(2) | bit(4) | bit(6)), 6);
    assert_int_equal(cw_scheduler_pick(&s, &ages, bit(0) | bit(2) | bit(4)), 4);
    assert_int_equal(cw_scheduler_pick(&s, &ages, bit(0) | bit(2)), 2);
    assert_int_equal(cw_scheduler_pick(&s, &ages, bit(0)), 0);
}

static void test_scheduler__a_reused_slot_is_the_youngest(void **state)
{
    (void)state;
    struct cw_scheduler s = {.policy = CW_SCHED_GTO, .last = 63};
    struct cw_ages ages = {0};
    for (uint32_t w = 0; w < 64; w++)
        cw_age_start(&ages, w);
    assert_int_equal(cw_scheduler_pick(&s, &ages, bit(0) | bit(1)), 0);
    cw_age_end(&ages, 0);
    cw_age_start(&ages, 0);
    assert_int_equal(cw_scheduler_pick(&s, &ages, bit(0) | bit(1)), 1);
    assert_int_equal(cw_scheduler_pick(&s, &ages, bit(0) | bit(62)), 62);
}

static void test_scheduler__lrr_takes_the_next_ready_warp_cyclically(void **state)
{
    (void)state;
    struct cw_scheduler s = {.policy = CW_SCHED_LRR, .last = 2};
    struct cw_ages ages = {0};
    const uint64_t ready = bit(0) | bit(2) | bit(10) | bit(63);
    const uint32_t expected[] = {10, 63, 0, 2, 10};
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t w = cw_scheduler_pick(&s, &ages, ready);
        assert_int_equal(w, expected[i]);
        s.last = w;
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_scheduler__gto_stays_with_the_last_warp_then_takes_the_oldest),
    cmocka_unit_test(test_scheduler__a_reused_slot_is_the_youngest),
    cmocka_unit_test(test_scheduler__lrr_takes_the_next_ready_warp_cyclically),
};
CW_TEST_MAIN(tests)
