/* SPDX-License-Identifier: Apache-2.0 */
#include "cw_test.h"

#include "mem/address.h"

static struct cw_config config_of(uint32_t partitions, uint32_t interleave)
{
    struct cw_config c = {0};
    c.partition_count = partitions;
    c.partition_interleave = interleave;
    return c;
}

static void test_address__deals_chunks_in_turn(void **state)
{
    (void)state;
    struct cw_config c = config_of(6, 256);
    for (uint64_t chunk = 0; chunk < 100; chunk++)
        for (uint64_t b = 0; b < 256; b += 51) {
            uint64_t addr = CW_GLOBAL_BASE + chunk * 256 + b;
            assert_int_equal(cw_address_partition(&c, addr), chunk % 6);
            assert_int_equal(cw_address_local(&c, addr), chunk / 6 * 256 + b);
        }
}

/* (partition, local) and address are in one-to-one relation, and each partition's local addresses have no gap. */
static void check_bijection(uint32_t hash)
{
    static const uint32_t counts[] = {1, 2, 3, 6, 8, 11, 64}, interleaves[] = {128, 256, 384, 4096};
    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j < 4; j++) {
            struct cw_config c = config_of(counts[i], interleaves[j]);
            uint64_t next[64] = {0};
            c.partition_hash = hash;
            for (uint64_t a = 0; a < (uint64_t)counts[i] * interleaves[j] * 5; a += 128) {
                uint32_t p = cw_address_partition(&c, CW_GLOBAL_BASE + a);
                assert_true(p < counts[i]);
                assert_int_equal(cw_address_local(&c, CW_GLOBAL_BASE + a), next[p]);
                assert_int_equal(cw_address_global(&c, p, next[p]), CW_GLOBAL_BASE + a);
                next[p] += 128;
            }
            for (uint32_t p = 0; p < counts[i]; p++)
                assert_int_equal(next[p], (uint64_t)interleaves[j] * 5);
        }
}

static void test_address__is_a_bijection(void **state)
{
    (void)state;
    check_bijection(CW_OFF);
    check_bijection(CW_ON);
}

/* Half of the places that 256 accesses could have, of every stride that is a power of two: a random choice leaves fewer out. */
static void test_address__no_stride_meets_few_partitions(void **state)
{
    (void)state;
    static const uint32_t counts[] = {36, 40, 44, 48, 64};
    for (size_t i = 0; i < 5; i++)
        for (uint64_t stride = 256; stride <= UINT64_C(1) << 20; stride *= 2) {
            struct cw_config c = config_of(counts[i], 256);
            bool met[64] = {false};
            uint32_t cnt = 0;
            c.partition_hash = CW_ON;
            for (uint64_t n = 0; n < 256; n++) {
                bool *m = &met[cw_address_partition(&c, CW_GLOBAL_BASE + n * stride)];
                cnt += !*m;
                *m = true;
            }
            if (2 * cnt < counts[i])
                fail_msg("%u partitions: a stride of %llu meets %u", counts[i], (unsigned long long)stride, cnt);
        }
}

static void test_address__holds_at_the_end_of_memory(void **state)
{
    (void)state;
    struct cw_config c = config_of(6, 128);
    uint64_t last = (UINT64_C(16) << 30) - 1, chunk = last / 128;
    assert_int_equal(cw_address_partition(&c, CW_GLOBAL_BASE + last), chunk % 6);
    assert_int_equal(cw_address_local(&c, CW_GLOBAL_BASE + last), chunk / 6 * 128 + 127);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_address__deals_chunks_in_turn),
    cmocka_unit_test(test_address__is_a_bijection),
    cmocka_unit_test(test_address__no_stride_meets_few_partitions),
    cmocka_unit_test(test_address__holds_at_the_end_of_memory),
};
CW_TEST_MAIN(tests)
