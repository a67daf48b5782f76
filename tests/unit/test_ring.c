/* SPDX-License-Identifier: Apache-2.0 */
/* A ring against a plain array that is shifted: what goes in comes out in order, in as many places as there are and not in others. */
#include "base/ring.h"

#include <stdlib.h>
#include <string.h>

#include "cw_test.h"

#define MOST 5u

/* Every place count, every fill, every position of the head: each entry is found by its age and leaves in order. */
static void test_ring__entries_leave_in_order(void **state)
{
    (void)state;
    for (uint32_t places = 1; places <= MOST; places++) {
        struct cw_ring ring = {0};
        uint32_t entry[MOST], next = 0, oldest = 0;
        for (uint32_t step = 0; step < 200; step++) {
            const uint32_t fill = step * 7 % (places + 1);
            while (ring.cnt < fill)
                entry[cw_ring_add(&ring, places)] = next++;
            for (uint32_t i = 0; i < ring.cnt; i++)
                assert_int_equal(entry[cw_ring_at(&ring, i, places)], oldest + i);
            while (ring.cnt > step * 3 % (fill + 1)) {
                const uint32_t at = cw_ring_take(&ring, places);
                assert_true(at < places);
                assert_int_equal(entry[at], oldest++);
            }
            assert_int_equal(ring.cnt, next - oldest);
        }
        assert_true(next >= 100);
    }
}

/* Grown from nothing and grown with the oldest entry in the middle. */
static void test_ring__grows_with_its_entries_in_order(void **state)
{
    (void)state;
    struct cw_ring ring = {0};
    uint32_t *entry = NULL, places = 0, next = 0, oldest = 0;
    for (uint32_t round = 0; round < 3; round++) {
        entry = cw_ring_grow(&ring, entry, &places, sizeof *entry);
        assert_non_null(entry);
        assert_int_equal(places, 64u << round);
        for (uint32_t i = 0; i < ring.cnt; i++)
            assert_int_equal(entry[cw_ring_at(&ring, i, places)], oldest + i);
        for (uint32_t i = 0; i < 20; i++, next++)
            entry[cw_ring_add(&ring, places)] = next;
        for (uint32_t i = 0; i < 20; i++)
            assert_int_equal(entry[cw_ring_take(&ring, places)], oldest++);
        while (ring.cnt < places)
            entry[cw_ring_add(&ring, places)] = next++;
    }
    free(entry);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ring__entries_leave_in_order),
    cmocka_unit_test(test_ring__grows_with_its_entries_in_order),
};

CW_TEST_MAIN(tests)
