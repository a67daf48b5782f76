/* SPDX-License-Identifier: Apache-2.0 */
#include "cw_test.h"

#include <string.h>

#include "base/error.h"

static void test_error__stores_text_and_returns_status(void **state)
{
    (void)state;
    struct cw_error err = {{0}};
    assert_int_equal(cw_fail(&err, CW_EINVAL, "core.count: %d is above %s", 99, "64"), CW_EINVAL);
    assert_string_equal(err.text, "core.count: 99 is above 64");
}

static void test_error__null_context_is_allowed(void **state)
{
    (void)state;
    assert_int_equal(cw_fail(NULL, CW_EIO, "%d", 1), CW_EIO);
}

static void test_error__is_one_line_and_bounded(void **state)
{
    (void)state;
    struct cw_error err;
    char big[sizeof err.text + 100];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    big[3] = '\n';
    cw_fail(&err, CW_EUNSUP, "%s", big);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_int_equal(err.text[3], ' ');
}

static void test_error__text_may_be_its_own_argument(void **state)
{
    (void)state;
    struct cw_error err;
    cw_fail(&err, CW_EIO, "no such file");
    cw_fail(&err, CW_EIO, "a.ptx: %s (is the path right?)", err.text);
    assert_string_equal(err.text, "a.ptx: no such file (is the path right?)");
}

static void test_error__nearest_suggests_only_what_is_near(void **state)
{
    (void)state;
    static const char *const names[] = {"core.count", "core.warps", "l2.line_bytes", "dram.mhz"};
    assert_string_equal(cw_nearest("core.cuont", names, 4), "core.count"); /* neighbours exchanged */
    assert_string_equal(cw_nearest("core.warp", names, 4), "core.warps");
    assert_string_equal(cw_nearest("l2_linebytes", names, 4), "l2.line_bytes");
    assert_string_equal(cw_nearest("dram.mhz", names, 4), "dram.mhz");
    assert_string_equal(cw_nearest("DRA", names, 4), "dram.mhz"); /* the only one that begins so */
    assert_null(cw_nearest("core", names, 4));                    /* two begin so, and neither is near */
    assert_null(cw_nearest("dr", names, 4));
    assert_null(cw_nearest("frequency", names, 4));
    assert_null(cw_nearest("", names, 4));
    assert_null(cw_nearest("core.count", names, 0));
}

static void test_error__nearest_copes_with_very_long_words(void **state)
{
    (void)state;
    char big[300];
    memset(big, 'q', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    const char *const names[] = {big, "short"};
    assert_null(cw_nearest(big, names, 2));
    assert_string_equal(cw_nearest("shirt", names, 2), "short");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_error__stores_text_and_returns_status),
    cmocka_unit_test(test_error__null_context_is_allowed),
    cmocka_unit_test(test_error__is_one_line_and_bounded),
    cmocka_unit_test(test_error__text_may_be_its_own_argument),
    cmocka_unit_test(test_error__nearest_suggests_only_what_is_near),
    cmocka_unit_test(test_error__nearest_copes_with_very_long_words),
};

CW_TEST_MAIN(tests)
