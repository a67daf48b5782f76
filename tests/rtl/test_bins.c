/* SPDX-License-Identifier: Apache-2.0 */
/* Files of bins: what their expressions mean, what they count, and what is wrong with others. */
#include "bins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cowarp/unit/block_stack.h"
#include "cowarp/unit/stall_buffer.h"
#include "cw_test.h"

#define FILE_NAME "test_bins.txt"

static const struct cw_stall_buffer_params params = {4, 4, 30, 32, 24};

static int open_text(struct cw_bins **bins, const struct cw_unit *unit, const char *text, struct cw_error *err)
{
    FILE *f = fopen(FILE_NAME, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    const int status = cw_bins_open(bins, unit, FILE_NAME, err);
    remove(FILE_NAME);
    return status;
}

static struct cw_bins *bins_of(const struct cw_unit *unit, const char *text)
{
    struct cw_error err = {{0}};
    struct cw_bins *bins = NULL;
    if (open_text(&bins, unit, text, &err) != CW_OK)
        fail_msg("%s", err.text);
    return bins;
}

/* Fails unless the only bin of the text has so many hits after these cycles of push_valid, of which 'R' is a reset. */
static void expect_hits(const char *text, const char *pushes, uint64_t hits)
{
    struct cw_bins *bins = bins_of(&cw_stall_buffer_unit, text);
    struct cw_bin_probe *probe = cw_bin_probe_create(bins, &params);
    const struct cw_stall_buffer_out out = {0};
    assert_int_equal(cw_bins_count(bins), 1);
    for (; *pushes != '\0'; pushes++) {
        const struct cw_stall_buffer_in in = {.push_valid = *pushes == '1'};
        if (*pushes == 'R')
            cw_bin_probe_reset(probe);
        else
            cw_bin_probe_cycle(probe, &in, &out);
    }
    if (cw_bins_hits(bins, 0) != hits)
        fail_msg("%s: %u hits, not %u", text, (unsigned)cw_bins_hits(bins, 0), (unsigned)hits);
    cw_bin_probe_destroy(probe);
    cw_bins_close(bins);
}

/* The compiler says what an expression of C means. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#define E(x)              \
    {                     \
#x, (uint64_t)(x) \
    }
static void test_bins__expressions_mean_what_they_mean_in_c(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } expressions[] = {E(1 + 2 * 3 - 4 / 2 % 5),
                       E(20 - 5 - 4),
                       E(7 & 3 == 3),
                       E(1 | 2 ^ 3 & 6),
                       E(1 << 2 + 1),
                       E(64 >> 2 >> 1),
                       E(3 < 5 == 1),
                       E(5 <= 4 || 2 >= 2),
                       E(1 || 0 && 0),
                       E(!0 + !5),
                       E(0x1f & ~3),
                       E(1 ? 2 : 3),
                       E(0   ? 2
                         : 0 ? 4
                             : 5),
                       E(3 != 4 && 4 > 3),
                       E((2 + 3) * 4),
                       E(10 - (4 - 1) ? 7 : 8),
                       E(6 % 4 * 2 < 5)};
    (void)state;
    for (size_t i = 0; i < sizeof expressions / sizeof expressions[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "bin b: (%s) == %u\n", expressions[i].text, (unsigned)expressions[i].value);
        expect_hits(text, "0", 1);
    }
}
#pragma GCC diagnostic pop

static void test_bins__words_of_their_own(void **state)
{
    (void)state;
    expect_hits("bin b: ones(0xf0f) == 8\n", "0", 1);
    expect_hits("bin b: LINES * ENTRIES == 16 && GRANULE_W == 30\n", "0", 1);
    expect_hits("bin b: 7 / 0 == 0 && 7 % 0 == 0\n", "0", 1);
    expect_hits("bin b: 1 << 64 == 0 && 1 >> 64 == 0 && 1 << 63 != 0\n", "0", 1);
    expect_hits("bin b: -1 == ~0\n", "0", 1);
    expect_hits("# a remark\n\nlet both = push_valid\n  && !retry_valid\nbin b: both\n", "101", 2);
}

static void test_bins__history(void **state)
{
    (void)state;
    expect_hits("bin b: push_valid\n", "0110", 2);
    expect_hits("bin b: past(push_valid)\n", "0110", 2);
    expect_hits("bin b: past(push_valid, 3)\n", "110000", 2);
    expect_hits("bin b: past(push_valid, 3)\n", "110", 0);
    expect_hits("bin b: past(past(push_valid), 2) && !push_valid\n", "1001", 0);
    expect_hits("bin b: past(push_valid)\n", "1R0", 0);
    expect_hits("reg count = count + push_valid\nbin b: count == 2\n", "01100010", 4);
    expect_hits("reg count = count + push_valid\nbin b: count == 2\n", "11R11000", 3);
    expect_hits("reg last = push_valid\nreg before = last\nbin b: before && !last\n", "1000", 1);
    expect_hits("bin b: push_valid\n", "R", 0);
}

static void test_bins__arrays_and_holes(void **state)
{
    struct cw_bins *bins = bins_of(&cw_stall_buffer_unit, "bin after[2..4]: push_valid && past(push_valid, n) && n != 3\n"
                                                          "bin other: drain\nhole after[3]: n is never 3\n  here\n");
    struct cw_bin_probe *probe = cw_bin_probe_create(bins, &params);
    const struct cw_stall_buffer_out out = {0};
    (void)state;
    for (const char *c = "10101"; *c != '\0'; c++) {
        const struct cw_stall_buffer_in in = {.push_valid = *c == '1'};
        cw_bin_probe_cycle(probe, &in, &out);
    }
    assert_int_equal(cw_bins_count(bins), 4);
    assert_string_equal(cw_bins_name(bins, 0), "after[2]");
    assert_string_equal(cw_bins_name(bins, 3), "other");
    assert_int_equal(cw_bins_hits(bins, 0), 2);
    assert_int_equal(cw_bins_hits(bins, 1), 0);
    assert_int_equal(cw_bins_hits(bins, 2), 1);
    assert_int_equal(cw_bins_hits(bins, 3), 0);
    assert_true(cw_bins_missed(bins, 0));
    assert_null(cw_bins_hole(bins, 0));
    assert_string_equal(cw_bins_hole(bins, 1), "n is never 3   here");
    cw_bin_probe_destroy(probe);
    cw_bins_close(bins);
}

static void test_bins__ports_have_their_width(void **state)
{
    struct cw_bins *bins =
        bins_of(&cw_block_stack_unit, "bin cut: op_block == 5\nbin word: op_home[2] == 0x12345678\n"
                                      "bin last: op_home[7] == 9\nbin none: op_home[8] == 0\nbin out: top_mask[31] == 6\n");
    struct cw_block_stack_params p;
    struct cw_block_stack_in in;
    struct cw_block_stack_out out;
    (void)state;
    memset(&in, 0, sizeof in);
    memset(&out, 0, sizeof out);
    cw_unit_params_default(&cw_block_stack_unit, &p);
    in.op_block = 0x35;
    in.op_home[2] = 0x12345678;
    in.op_home[7] = 9;
    out.top_mask[31] = 6;
    struct cw_bin_probe *probe = cw_bin_probe_create(bins, &p);
    cw_bin_probe_cycle(probe, &in, &out);
    for (uint32_t i = 0; i < cw_bins_count(bins); i++)
        if (cw_bins_hits(bins, i) != 1)
            fail_msg("%s", cw_bins_name(bins, i));
    cw_bin_probe_destroy(probe);
    cw_bins_close(bins);
}

static void test_bins__counts_up_to_enough_over_all_probes(void **state)
{
    struct cw_bins *bins = bins_of(&cw_stall_buffer_unit, "bin always: 1\nbin now: push_valid\n");
    struct cw_bin_probe *probe[2] = {cw_bin_probe_create(bins, &params), cw_bin_probe_create(bins, &params)};
    const struct cw_stall_buffer_in idle = {0}, pushes = {.push_valid = 1};
    const struct cw_stall_buffer_out out = {0};
    (void)state;
    for (uint32_t i = 0; i < CW_BINS_ENOUGH; i++)
        cw_bin_probe_cycle(probe[i % 2], &idle, &out);
    assert_int_equal(cw_bins_hits(bins, 0), CW_BINS_ENOUGH);
    cw_bin_probe_cycle(probe[0], &pushes, &out);
    cw_bin_probe_cycle(probe[1], &pushes, &out);
    assert_int_equal(cw_bins_hits(bins, 0), CW_BINS_ENOUGH);
    assert_int_equal(cw_bins_hits(bins, 1), 2);
    assert_false(cw_bins_missed(bins, 0));
    assert_true(cw_bins_missed(bins, 1));
    cw_bin_probe_destroy(probe[0]);
    cw_bin_probe_destroy(probe[1]);
    cw_bins_close(bins);
}

static void test_bins__says_what_is_wrong(void **state)
{
    static const char *const faults[][2] = {{"\nbin a: drian\n", ":2: 'drian' is no port"},
                                            {"bin a: (drain\n", ":1: ')' is missing"},
                                            {"bin a: drain drain\n", ":1: 'drain' stands behind the expression"},
                                            {"bin a:\n", ":1: a value is missing"},
                                            {"bin : drain\n", ":1: a name is missing"},
                                            {"bin a: drain\nbin a: drain\n", ":2: there is a bin 'a' already"},
                                            {"let drain = 1\n", ":1: 'drain' is a name already"},
                                            {"let LINES = 1\n", ":1: 'LINES' is a name already"},
                                            {"let a = b\nlet b = 1\n", ":1: 'b' is no port"},
                                            {"bin a: past(drain, 0)\n", ":1: past of 0 cycles"},
                                            {"bin a: past(drain, 65)\n", ":1: past of 65 cycles"},
                                            {"bin a[3..2]: drain\n", ":1: bins 3 to 2"},
                                            {"bin a: n\n", ":1: 'n' is no port"},
                                            {"bin a: drain\nhole b: why\n", ":2: there is no bin 'b'"},
                                            {"bin a: drain\nhole a:\n", ":2: the hole 'a' has no reason"},
                                            {"let a =\n  drain\n\nbni a: 1\n", ":4: 'bni a: 1' is none of"},
                                            {"bin a: 1 + 0x\n", ":1: "}};
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct cw_error err = {{0}};
        struct cw_bins *bins = NULL;
        const int status = open_text(&bins, &cw_stall_buffer_unit, faults[i][0], &err);
        if (status != CW_EINVAL || bins != NULL || strstr(err.text, faults[i][1]) == NULL)
            fail_msg("%s: %d %s", faults[i][0], status, err.text);
    }
    char deep[200] = "bin a: ";
    for (int i = 0; i < 40; i++)
        strcat(deep, "1+(");
    struct cw_error err = {{0}};
    struct cw_bins *bins = NULL;
    assert_int_equal(open_text(&bins, &cw_stall_buffer_unit, strcat(deep, "1\n"), &err), CW_EINVAL);
    assert_non_null(strstr(err.text, ":1: the expression is too long"));
    assert_int_equal(cw_bins_open(&bins, &cw_stall_buffer_unit, "test_bins.not_there", &err), CW_EIO);
    assert_string_equal(err.text, "cannot read test_bins.not_there, the bins of stall_buffer");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bins__expressions_mean_what_they_mean_in_c),
    cmocka_unit_test(test_bins__words_of_their_own),
    cmocka_unit_test(test_bins__history),
    cmocka_unit_test(test_bins__arrays_and_holes),
    cmocka_unit_test(test_bins__ports_have_their_width),
    cmocka_unit_test(test_bins__counts_up_to_enough_over_all_probes),
    cmocka_unit_test(test_bins__says_what_is_wrong),
};
CW_TEST_MAIN(tests)
