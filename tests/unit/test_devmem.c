/* SPDX-License-Identifier: Apache-2.0 */
#include "cw_test.h"

#include "mem/devmem.h"
#include "ptx/uop.h"

static void test_devmem__allocations_are_aligned_apart_and_zero(void **state)
{
    (void)state;
    struct cw_devmem m;
    struct cw_error err;
    assert_int_equal(cw_devmem_create(&m, 1 << 20, &err), CW_OK);
    uint64_t end = CW_GLOBAL_BASE;
    for (uint64_t bytes = 1; bytes < 2000; bytes += 97) {
        uint64_t addr;
        assert_int_equal(cw_devmem_alloc(&m, &addr, bytes, &err), CW_OK);
        assert_int_equal(addr % 256, 0);
        assert_true(addr >= end);
        for (uint64_t b = 0; b < bytes; b++)
            assert_int_equal(*cw_devmem_at(&m, addr + b), 0);
        *cw_devmem_at(&m, addr + bytes - 1) = 0xff; /* must not appear in the next one */
        end = addr + bytes;
    }
    cw_devmem_destroy(&m);
}

static void test_devmem__valid_ends_with_the_allocation(void **state)
{
    (void)state;
    struct cw_devmem m;
    struct cw_error err;
    uint64_t a;
    assert_int_equal(cw_devmem_create(&m, 1 << 16, &err), CW_OK);
    assert_false(cw_devmem_valid(&m, CW_GLOBAL_BASE, 1));
    assert_int_equal(cw_devmem_alloc(&m, &a, 512, &err), CW_OK);
    assert_int_equal(a, CW_GLOBAL_BASE);
    assert_true(cw_devmem_valid(&m, a, 512));
    assert_true(cw_devmem_valid(&m, a + 511, 1));
    assert_false(cw_devmem_valid(&m, a + 511, 2));
    assert_false(cw_devmem_valid(&m, a + 512, 1));
    assert_false(cw_devmem_valid(&m, a - 1, 1));
    assert_false(cw_devmem_valid(&m, 0, 1));
    assert_false(cw_devmem_valid(&m, a, UINT64_MAX));
    assert_false(cw_devmem_valid(&m, UINT64_MAX, 2));
    cw_devmem_destroy(&m);
}

static void test_devmem__full_is_an_error_and_changes_nothing(void **state)
{
    (void)state;
    struct cw_devmem m;
    struct cw_error err;
    uint64_t a;
    assert_int_equal(cw_devmem_create(&m, 1000, &err), CW_OK);
    assert_int_equal(cw_devmem_alloc(&m, &a, 1001, &err), CW_ENOMEM);
    assert_int_equal(cw_devmem_alloc(&m, &a, UINT64_MAX, &err), CW_ENOMEM);
    assert_int_equal(cw_devmem_alloc(&m, &a, 0, &err), CW_EINVAL);
    assert_int_equal(cw_devmem_alloc(&m, &a, 513, &err), CW_OK);   /* 768 */
    assert_int_equal(cw_devmem_alloc(&m, &a, 1, &err), CW_ENOMEM); /* 232 left: not a whole 256 */
    assert_int_equal(m.used, 768);
    cw_devmem_destroy(&m);
    assert_int_equal(cw_devmem_create(&m, 0, &err), CW_EINVAL);
}

static void test_devmem__reserving_much_touches_little(void **state)
{
    (void)state;
    struct cw_devmem m;
    struct cw_error err;
    uint64_t a;
    assert_int_equal(cw_devmem_create(&m, UINT64_C(16) << 30, &err), CW_OK);
    assert_int_equal(cw_devmem_alloc(&m, &a, UINT64_C(16) << 30, &err), CW_OK);
    uint8_t *last = cw_devmem_at(&m, a + (UINT64_C(16) << 30) - 1);
    *last = 1;
    assert_int_equal(*last, 1);
    cw_devmem_destroy(&m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_devmem__allocations_are_aligned_apart_and_zero),
    cmocka_unit_test(test_devmem__valid_ends_with_the_allocation),
    cmocka_unit_test(test_devmem__full_is_an_error_and_changes_nothing),
    cmocka_unit_test(test_devmem__reserving_much_touches_little),
};
CW_TEST_MAIN(tests)
