/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cache/coalesce.h"
#include "cw_test.h"

#define ALL  UINT32_MAX
#define BASE UINT64_C(0x100000000)

static void strided(uint64_t addr[32], uint64_t base, uint64_t stride)
{
    for (uint32_t i = 0; i < 32; i++)
        addr[i] = base + i * stride;
}

static uint32_t lines_of(const uint64_t addr[32], cw_lanes lanes)
{
    uint32_t n = 0;
    cw_lanes all = lanes, seen = 0;
    while (lanes != 0) {
        struct cw_line_access a = cw_coalesce_next(addr, 128, &lanes);
        assert_int_equal(a.line % CW_LINE_BYTES, 0);
        assert_int_equal(a.lanes & seen, 0);
        seen |= a.lanes;
        n++;
    }
    assert_int_equal(seen, all);
    return n;
}

static void test_coalesce__consecutive_words_are_one_line(void **state)
{
    (void)state;
    uint64_t addr[32];
    cw_lanes lanes = ALL;
    strided(addr, BASE, 4);
    struct cw_line_access a = cw_coalesce_next(addr, 128, &lanes);
    assert_int_equal(a.line, BASE);
    assert_int_equal(a.lanes, ALL);
    assert_int_equal(a.sectors, 0xf);
    assert_int_equal(lanes, 0);
}

static void test_coalesce__a_shifted_row_is_two_lines(void **state)
{
    (void)state;
    uint64_t addr[32];
    cw_lanes lanes = ALL;
    strided(addr, BASE + 64, 4);
    struct cw_line_access a = cw_coalesce_next(addr, 128, &lanes);
    assert_int_equal(a.line, BASE);
    assert_int_equal(a.lanes, 0xffff);
    assert_int_equal(a.sectors, 0xc);
    a = cw_coalesce_next(addr, 128, &lanes);
    assert_int_equal(a.line, BASE + 128);
    assert_int_equal(a.lanes, 0xffff0000u);
    assert_int_equal(a.sectors, 0x3);
}

static void test_coalesce__strides_make_the_expected_number_of_lines(void **state)
{
    (void)state;
    uint64_t addr[32];
    const uint32_t expected[][2] = {{0, 1}, {1, 1}, {4, 1}, {8, 2}, {16, 4}, {32, 8}, {128, 32}, {4096, 32}};
    for (uint32_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        strided(addr, BASE, expected[i][0]);
        assert_int_equal(lines_of(addr, ALL), expected[i][1]);
    }
}

static void test_coalesce__inactive_lanes_do_not_count(void **state)
{
    (void)state;
    uint64_t addr[32];
    cw_lanes lanes = 0x80000001u;
    strided(addr, BASE, 4);
    addr[7] = BASE + 8192;
    struct cw_line_access a = cw_coalesce_next(addr, 128, &lanes);
    assert_int_equal(a.lanes, 0x80000001u);
    assert_int_equal(a.sectors, 0x9); /* word 0 and word 31 */
    assert_int_equal(lanes, 0);
}

static void test_coalesce__lines_come_in_the_order_of_their_lowest_lane(void **state)
{
    (void)state;
    uint64_t addr[32];
    cw_lanes lanes = ALL;
    for (uint32_t i = 0; i < 32; i++)
        addr[i] = BASE + (i % 2 == 0 ? 1280 : 0) + 4 * i;
    assert_int_equal(cw_coalesce_next(addr, 128, &lanes).line, BASE + 1280);
    assert_int_equal(lanes, 0xaaaaaaaau);
    assert_int_equal(cw_coalesce_next(addr, 128, &lanes).line, BASE);
}

/* With 32 banks a stride of s words conflicts gcd(s, 32) - 1 times. */
static void test_coalesce__bank_conflicts_follow_the_stride(void **state)
{
    (void)state;
    uint64_t addr[32];
    for (uint32_t stride = 1; stride <= 64; stride++) {
        uint32_t a = stride, b = 32;
        while (b != 0) {
            uint32_t r = a % b;
            a = b;
            b = r;
        }
        strided(addr, 0, 4 * stride);
        assert_int_equal(cw_bank_conflicts(addr, ALL, 32), a - 1);
    }
}

static void test_coalesce__a_word_read_by_all_lanes_has_no_conflict(void **state)
{
    (void)state;
    uint64_t addr[32];
    strided(addr, 256, 0);
    assert_int_equal(cw_bank_conflicts(addr, ALL, 32), 0);
    strided(addr, 256, 1); /* bytes of eight words */
    assert_int_equal(cw_bank_conflicts(addr, ALL, 32), 0);
    addr[5] = 256 + 128; /* the same bank as word 256, another word */
    assert_int_equal(cw_bank_conflicts(addr, ALL, 32), 1);
    assert_int_equal(cw_bank_conflicts(addr, 0, 32), 0);
}

static void test_coalesce__counts_equal_and_distinct_addresses(void **state)
{
    (void)state;
    uint64_t addr[32];
    for (uint32_t i = 0; i < 32; i++)
        addr[i] = 4 * (i / 10); /* 10, 10, 10, 2 */
    assert_int_equal(cw_address_multiplicity(addr, ALL), 10);
    assert_int_equal(cw_address_distinct(addr, ALL), 4);
    assert_int_equal(cw_address_multiplicity(addr, 0xc0000000u), 2);
    assert_int_equal(cw_address_distinct(addr, 0xc0000000u), 1);
    assert_int_equal(cw_address_multiplicity(addr, 0), 0);
}

static uint32_t chunks(const uint32_t *thread)
{
    uint64_t addr[32] = {0};
    uint32_t n = 0;
    for (uint32_t lane = 0; lane < 4; lane++)
        addr[lane] = 0x100 + 4 * ((uint64_t)thread[lane] - 1);
    for (cw_lanes left = 0xf; left != 0; n++)
        cw_coalesce_next(addr, 128, &left);
    return n;
}

/* Fung 2015, Figure 3.3(b): threads 1 to 4 read at 0x100, and 33 to 36 at 0x180. Two static warps make an access each, and the same threads
 * in two warps that mix them make two each. */
static void test_coalesce__figure_3_3(void **state)
{
    (void)state;
    static const uint32_t w0[] = {1, 2, 3, 4}, w1[] = {33, 34, 35, 36}, wx[] = {1, 34, 3, 36}, wy[] = {33, 2, 35, 4};
    assert_int_equal(chunks(w0) + chunks(w1), 2);
    assert_int_equal(chunks(wx) + chunks(wy), 4);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_coalesce__figure_3_3),
    cmocka_unit_test(test_coalesce__consecutive_words_are_one_line),
    cmocka_unit_test(test_coalesce__a_shifted_row_is_two_lines),
    cmocka_unit_test(test_coalesce__strides_make_the_expected_number_of_lines),
    cmocka_unit_test(test_coalesce__inactive_lanes_do_not_count),
    cmocka_unit_test(test_coalesce__lines_come_in_the_order_of_their_lowest_lane),
    cmocka_unit_test(test_coalesce__bank_conflicts_follow_the_stride),
    cmocka_unit_test(test_coalesce__a_word_read_by_all_lanes_has_no_conflict),
    cmocka_unit_test(test_coalesce__counts_equal_and_distinct_addresses),
};
CW_TEST_MAIN(tests)
