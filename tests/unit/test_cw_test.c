/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared test main, tried on suites of made-up tests in a child process: a main that reports a failure as success
 * would make every other test worthless.
 */
#define _GNU_SOURCE
#include "cw_test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_demo__good(void **state)
{
    (void)state;
    assert_int_equal(2 + 2, 4);
}

static void test_demo__bad(void **state)
{
    (void)state;
    assert_string_equal("a<b", "a&b");
}

static void test_demo__aborts(void **state)
{
    (void)state;
    abort();
}

static void test_demo__leaves(void **state)
{
    (void)state;
    exit(0);
}

static void test_demo__skips(void **state)
{
    (void)state;
    skip();
}

static void unprefixed(void **state)
{
    (void)state;
    assert_int_equal(cw_test_seed(5), 77);
}

static const struct CMUnitTest demo[] = {
    cmocka_unit_test(test_demo__good),   cmocka_unit_test(test_demo__bad),   cmocka_unit_test(test_demo__aborts),
    cmocka_unit_test(test_demo__leaves), cmocka_unit_test(test_demo__skips), cmocka_unit_test(unprefixed),
};

static char out[16384], xml[16384];

static void slurp(const char *path, char *to, size_t size)
{
    FILE *f = fopen(path, "r");
    size_t n = f != NULL ? fread(to, 1, size - 1, f) : 0;
    to[n] = '\0';
    if (f != NULL)
        fclose(f);
    remove(path);
}

/* Runs the demo suite with up to two options; its output is left in out, its exit status returned. */
static int run_demo(const char *option1, const char *option2)
{
    char path[] = "/tmp/cw_test_XXXXXX";
    int fd = mkstemp(path), status = 0;
    assert_true(fd >= 0);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        char *argv[4] = {(char *)(uintptr_t) "/some/where/test_demo", (char *)(uintptr_t)option1, (char *)(uintptr_t)option2, NULL};
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
        _exit(cw_test_main(option2 != NULL ? 3 : option1 != NULL ? 2 : 1, argv, demo, sizeof demo / sizeof demo[0]));
    }
    close(fd);
    waitpid(pid, &status, 0);
    slurp(path, out, sizeof out);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no '%s' in:\n%s", part, text);
}

static void has_not(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("'%s' in:\n%s", part, text);
}

static void test_cw_test__lists_in_googletest_format(void **state)
{
    (void)state;
    assert_int_equal(run_demo("--gtest_list_tests", NULL), 0);
    assert_string_equal(out, "demo.\n  good\n  bad\n  aborts\n  leaves\n  skips\n  unprefixed\n");
    assert_int_equal(run_demo("--gtest_list_tests", "--gtest_filter=*.g*"), 0);
    assert_string_equal(out, "demo.\n  good\n");
}

static void test_cw_test__all_passed_is_exit_0(void **state)
{
    (void)state;
    assert_int_equal(run_demo("--gtest_filter=demo.good:demo.skips", "--gtest_color=no"), 0);
    has(out, "[ RUN      ] demo.good\n[       OK ] demo.good (");
    has(out, "[  SKIPPED ] demo.skips (");
    has(out, "[  PASSED  ] 1 tests.\n");
    has_not(out, "FAILED");
}

static void test_cw_test__one_failure_is_exit_1(void **state)
{
    (void)state;
    assert_int_equal(run_demo("--gtest_filter=demo.good:demo.bad", NULL), 1);
    has(out, "[  FAILED  ] demo.bad (");
    has(out, "\"a<b\" != \"a&b\"");
    has(out, "[  PASSED  ] 1 tests.\n[  FAILED  ] 1 tests, listed below:\n[  FAILED  ] demo.bad\n");
}

static void test_cw_test__death_and_early_exit_are_failures(void **state)
{
    (void)state;
    assert_int_equal(run_demo("--gtest_filter=*.aborts:*.leaves:*.good", NULL), 1);
    has(out, "killed by signal 6");
    has(out, "ended early with exit status 0");
    has(out, "[  FAILED  ] 2 tests");
    has(out, "[       OK ] demo.good"); /* the others still ran */
}

static void test_cw_test__xml_holds_the_failure(void **state)
{
    (void)state;
    char option[64], path[] = "/tmp/cw_test_xml_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    snprintf(option, sizeof option, "--gtest_output=xml:%s", path);
    assert_int_equal(run_demo(option, "--gtest_filter=demo.good:demo.bad:demo.skips"), 1);
    slurp(path, xml, sizeof xml);
    has(xml, "<testsuites tests=\"3\" failures=\"1\" disabled=\"0\" skipped=\"1\" errors=\"0\"");
    has(xml, "<testsuite name=\"demo\" tests=\"3\" failures=\"1\"");
    has(xml, "<testcase name=\"good\" status=\"run\" result=\"completed\"");
    has(xml, "<failure message=\"");
    has(xml, "a&#x3c;b&#x22; != &#x22;a&#x26;b"); /* attribute: escaped */
    has(xml, "\"a<b\" != \"a&b\"");               /* CDATA: as it is */
    has(xml, "<testcase name=\"skips\" status=\"run\" result=\"skipped\"");
    assert_int_equal(run_demo("--gtest_output=xml:/no/such/folder/x.xml", "--gtest_filter=demo.good"), 2);
    has(out, "cannot write /no/such/folder/x.xml");
}

static void test_cw_test__filters_as_googletest_does(void **state)
{
    (void)state;
    assert_int_equal(run_demo("--gtest_list_tests", "--gtest_filter=-*.b*:*.a*"), 0);
    assert_string_equal(out, "demo.\n  good\n  leaves\n  skips\n  unprefixed\n");
    assert_int_equal(run_demo("--gtest_list_tests", "--gtest_filter=demo.????:*s-*kip*"), 0);
    assert_string_equal(out, "demo.\n  good\n  aborts\n  leaves\n");
    assert_int_equal(run_demo("--gtest_filter=nothing", NULL), 2);
    has(out, "selects no test");
    has_not(out, "PASSED");
    setenv("GTEST_FILTER", "*.good:*.bad", 1);
    assert_int_equal(run_demo("--gtest_list_tests", NULL), 0);
    assert_string_equal(out, "demo.\n  good\n  bad\n");
    assert_int_equal(run_demo("--gtest_list_tests", "--gtest_filter=*.good"), 0);
    assert_string_equal(out, "demo.\n  good\n");
}

static void test_cw_test__repeat_seed_and_fail_fast(void **state)
{
    (void)state;
    assert_int_equal(run_demo("--gtest_filter=demo.unprefixed", "--gtest_random_seed=77"), 0);
    assert_int_equal(run_demo("--gtest_filter=demo.unprefixed", NULL), 1);
    has(out, "seed 5");
    assert_int_equal(run_demo("--gtest_filter=demo.good", "--gtest_repeat=2"), 0);
    char *first = strstr(out, "[ RUN      ] demo.good");
    assert_non_null(first);
    has(first + 1, "[ RUN      ] demo.good");
    assert_int_equal(run_demo("--gtest_fail_fast", NULL), 1);
    has_not(out, "demo.aborts");
}

static void test_cw_test__wrong_requests_are_exit_2(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "--gtest_fliter=x", "--foo", "extra", "--gtest_output=json:x", "--gtest_repeat=0", "--gtest_repeat=2x", "--gtest_random_seed="};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(run_demo(wrong[i], NULL), 2);
        has(out, wrong[i]);
        assert_ptr_equal(strchr(out, '\n'), out + strlen(out) - 1); /* one line */
    }
    assert_int_equal(run_demo("--help", NULL), 0);
    has(out, "--gtest_filter");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cw_test__lists_in_googletest_format), cmocka_unit_test(test_cw_test__all_passed_is_exit_0),
    cmocka_unit_test(test_cw_test__one_failure_is_exit_1),      cmocka_unit_test(test_cw_test__death_and_early_exit_are_failures),
    cmocka_unit_test(test_cw_test__xml_holds_the_failure),      cmocka_unit_test(test_cw_test__filters_as_googletest_does),
    cmocka_unit_test(test_cw_test__repeat_seed_and_fail_fast),  cmocka_unit_test(test_cw_test__wrong_requests_are_exit_2),
};

CW_TEST_MAIN(tests)
