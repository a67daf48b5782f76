/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared main of every cmocka test. It speaks GoogleTest's command line and XML, so that editors, CTest and CI list, choose and
 * run single tests without a plug-in of our own:
 *
 *     static void test_fifo__keeps_order(void **state) { ... }
 *
 *     static const struct CMUnitTest tests[] = {cmocka_unit_test(test_fifo__keeps_order)};
 *     CW_TEST_MAIN(tests)
 *
 * The suite is the executable's stem without a leading "test_"; a test's name is its function's without "test_<stem>__". Each
 * test runs in a process of its own, so a crash, a sanitizer's report or a leak is the failure of that test and the
 * others still run (--gtest_break_on_failure runs in this process instead, for a debugger).
 */
#ifndef CW_TEST_H
#define CW_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Runs the tests that the command line asks for. Exit status: 0 when at least one ran and none failed, 1 when one failed, 2 when the
 * request was wrong (unknown option, a filter that selects nothing, an XML file that cannot be written). */
int cw_test_main(int argc, char **argv, const struct CMUnitTest *test, size_t cnt);

/* Seed for a random test: that of --gtest_random_seed=N when given and not 0, else fallback. Prints it, so that a failing run can
 * be repeated. */
uint64_t cw_test_seed(uint64_t fallback);

#define CW_TEST_MAIN(tests)                                                         \
    int main(int argc, char **argv)                                                 \
    {                                                                               \
        return cw_test_main(argc, argv, (tests), sizeof(tests) / sizeof(tests)[0]); \
    }

#endif
