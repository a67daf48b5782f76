/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wire.h"
#include "cw_test.h"

static void test_wire__carries_zero_at_first(void **state)
{
    (void)state;
    struct cw_wire w;
    cw_wire_init(&w, 3, NULL);
    assert_int_equal(cw_wire_read(&w, 0), 0);
    assert_true(cw_wire_next(&w, 0) == CW_TIME_NEVER);
}

/* The number before is read until exactly one latency later. */
static void test_wire__is_read_a_latency_later(void **state)
{
    (void)state;
    struct cw_wire w;
    cw_wire_init(&w, 3, NULL);
    cw_wire_drive(&w, 0, 7);
    cw_wire_drive(&w, 10, 9);
    for (cw_time now = 10; now < 13; now++) {
        assert_int_equal(cw_wire_read(&w, now), 7);
        assert_int_equal(cw_wire_next(&w, now), 13);
    }
    assert_int_equal(cw_wire_read(&w, 13), 9);
    assert_true(cw_wire_next(&w, 13) == CW_TIME_NEVER);
}

/* The shortest latency hides a number from whoever reads at the instant at which it is driven. */
static void test_wire__hides_the_same_instant(void **state)
{
    (void)state;
    struct cw_wire w;
    cw_wire_init(&w, 1, NULL);
    cw_wire_drive(&w, 5, 1);
    assert_int_equal(cw_wire_read(&w, 5), 0);
    cw_wire_drive(&w, 6, 2);
    assert_int_equal(cw_wire_read(&w, 6), 1);
}

static void test_wire__wakes_its_reader(void **state)
{
    (void)state;
    struct cw_wire w;
    cw_time wake = CW_TIME_NEVER;
    cw_wire_init(&w, 4, &wake);
    cw_wire_drive(&w, 20, 1);
    assert_int_equal(wake, 24);
    wake = 25;
    cw_wire_drive(&w, 30, 2);
    assert_int_equal(wake, 25); /* it ticks before anyway */
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_wire__carries_zero_at_first),
    cmocka_unit_test(test_wire__is_read_a_latency_later),
    cmocka_unit_test(test_wire__hides_the_same_instant),
    cmocka_unit_test(test_wire__wakes_its_reader),
};

CW_TEST_MAIN(tests)
