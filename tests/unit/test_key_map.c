/* SPDX-License-Identifier: Apache-2.0 */
/* The oracles' map of keys, against an array that is searched from end to end. */
#include "check/key_map.h"

#include "base/rng.h"
#include "cw_test.h"

#define KEYS 3000u

static void test_key_map__adds_and_removes(void **state)
{
    (void)state;
    static bool there[KEYS];
    struct cw_key_map m = {0};
    struct cw_rng rng;
    uint32_t cnt = 0;
    cw_rng_seed(&rng, cw_test_seed(1));
    assert_int_equal(cw_key_map_find(&m, 5), CW_KEY_MAP_NONE);
    cw_key_map_remove(&m, 5);
    for (uint32_t step = 0; step < 200000; step++) {
        const uint32_t i = cw_rng_below(&rng, KEYS);
        const uint64_t key = (uint64_t)i << 32 | i * 4;
        assert_int_equal(cw_key_map_find(&m, key), there[i] ? i : CW_KEY_MAP_NONE);
        if (there[i]) {
            cw_key_map_remove(&m, key);
            cnt--;
        } else {
            assert_true(cw_key_map_add(&m, key, i));
            cnt++;
        }
        there[i] = !there[i];
        assert_int_equal(m.cnt, cnt);
    }
    cw_key_map_free(&m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_key_map__adds_and_removes),
};
CW_TEST_MAIN(tests)
