/* SPDX-License-Identifier: Apache-2.0 */
#include "cw_test.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/fifo.h"
#include "base/rng.h"

static int item[8];

static void test_fifo__entry_appears_after_its_latency(void **state)
{
    (void)state;
    struct cw_fifo f;
    assert_int_equal(cw_fifo_create(&f, 2, NULL), CW_OK);
    assert_true(cw_fifo_next(&f) == CW_TIME_NEVER);
    cw_fifo_push(&f, 100, 3, &item[0]);
    assert_true(cw_fifo_next(&f) == 103);
    assert_null(cw_fifo_peek(&f, 102));
    assert_null(cw_fifo_pop(&f, 102));
    assert_ptr_equal(cw_fifo_peek(&f, 103), &item[0]);
    assert_ptr_equal(cw_fifo_pop(&f, 103), &item[0]);
    assert_null(cw_fifo_pop(&f, 103));
    cw_fifo_destroy(&f);
}

static void test_fifo__keeps_order_round_the_ring(void **state)
{
    (void)state;
    struct cw_fifo f;
    assert_int_equal(cw_fifo_create(&f, 3, NULL), CW_OK); /* not a power of two */
    for (unsigned i = 0; i < 20; i++) {
        cw_fifo_push(&f, 10 * i, 1, &item[i % 8]);
        cw_fifo_push(&f, 10 * i, 1, &item[(i + 1) % 8]);
        assert_ptr_equal(cw_fifo_pop(&f, 10 * i + 1), &item[i % 8]);
        assert_ptr_equal(cw_fifo_pop(&f, 10 * i + 2), &item[(i + 1) % 8]);
    }
    assert_true(f.pushes == 40 && f.pops == 40 && f.count == 0);
    cw_fifo_destroy(&f);
}

/* The rule that makes the tick order irrelevant. */
static void test_fifo__freed_space_shows_only_later(void **state)
{
    (void)state;
    struct cw_fifo f;
    assert_int_equal(cw_fifo_create(&f, 2, NULL), CW_OK);
    assert_int_equal(cw_fifo_space(&f, 0), 2);
    cw_fifo_push(&f, 0, 1, &item[0]);
    cw_fifo_push(&f, 0, 1, &item[1]);
    assert_false(cw_fifo_can_push(&f, 1));
    assert_non_null(cw_fifo_pop(&f, 1));
    assert_false(cw_fifo_can_push(&f, 1));
    assert_int_equal(cw_fifo_space(&f, 2), 1);
    assert_non_null(cw_fifo_pop(&f, 2));
    assert_int_equal(cw_fifo_space(&f, 2), 1);
    assert_int_equal(cw_fifo_space(&f, 3), 2);
    cw_fifo_destroy(&f);
}

static void test_fifo__push_lowers_wake_time_only(void **state)
{
    (void)state;
    struct cw_fifo f;
    cw_time wake = CW_TIME_NEVER;
    assert_int_equal(cw_fifo_create(&f, 4, &wake), CW_OK);
    cw_fifo_push(&f, 10, 5, &item[0]);
    assert_true(wake == 15);
    cw_fifo_push(&f, 11, 9, &item[1]);
    assert_true(wake == 15);
    cw_fifo_push(&f, 11, 1, &item[2]);
    assert_true(wake == 12);
    cw_fifo_destroy(&f);
}

static void test_fifo__reset_empties(void **state)
{
    (void)state;
    struct cw_fifo f;
    assert_int_equal(cw_fifo_create(&f, 1, NULL), CW_OK);
    cw_fifo_push(&f, 7, 1, &item[0]);
    assert_non_null(cw_fifo_pop(&f, 8));
    cw_fifo_reset(&f);
    assert_true(cw_fifo_can_push(&f, 8)); /* also in the instant of the last pop before the reset */
    assert_null(cw_fifo_peek(&f, 1000));
    assert_true(f.pushes == 0 && f.pops == 0);
    cw_fifo_destroy(&f);
    cw_fifo_destroy(&f); /* twice is harmless */
}

struct trace {
    uint64_t hash;
    uint32_t moved;
};

static void produce(struct cw_fifo *f, cw_time now, struct cw_rng *rng, struct trace *t)
{
    uint32_t want = cw_rng_below(rng, 3);
    while (want-- > 0 && cw_fifo_can_push(f, now))
        cw_fifo_push(f, now, 1, &item[now % 8]);
    t->hash = t->hash * 31 + cw_fifo_space(f, now);
}

static void consume(struct cw_fifo *f, cw_time now, struct cw_rng *rng, struct trace *t)
{
    uint32_t want = cw_rng_below(rng, 3);
    void *e;
    while (want-- > 0 && (e = cw_fifo_pop(f, now)) != NULL) {
        t->hash = t->hash * 37 + (uint64_t)((int *)e - item);
        t->moved++;
    }
}

static void test_fifo__tick_order_changes_nothing(void **state)
{
    (void)state;
    uint64_t seed = cw_test_seed(1);
    struct trace end[2][2] = {{{0, 0}}};
    for (int reverse = 0; reverse < 2; reverse++) {
        struct cw_fifo f;
        struct cw_rng p, c;
        assert_int_equal(cw_fifo_create(&f, 3, NULL), CW_OK);
        cw_rng_seed(&p, seed);
        cw_rng_seed(&c, seed + 1);
        for (cw_time now = 0; now < 5000; now++) {
            if (reverse)
                consume(&f, now, &c, &end[1][1]);
            produce(&f, now, &p, &end[reverse][0]);
            if (!reverse)
                consume(&f, now, &c, &end[0][1]);
            assert_true(f.pushes - f.pops == f.count);
        }
        cw_fifo_destroy(&f);
    }
    assert_true(end[0][0].hash == end[1][0].hash && end[0][1].hash == end[1][1].hash);
    assert_true(end[0][1].moved == end[1][1].moved && end[0][1].moved > 1000);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_fifo__entry_appears_after_its_latency),
    cmocka_unit_test(test_fifo__keeps_order_round_the_ring),
    cmocka_unit_test(test_fifo__freed_space_shows_only_later),
    cmocka_unit_test(test_fifo__push_lowers_wake_time_only),
    cmocka_unit_test(test_fifo__reset_empties),
    cmocka_unit_test(test_fifo__tick_order_changes_nothing),
};

CW_TEST_MAIN(tests)
