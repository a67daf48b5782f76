/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cw_test.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum outcome { NOT_RUN, PASSED, FAILED, SKIPPED };

struct result {
    enum outcome outcome;
    double seconds;
    char *message; /* of a failure; owned */
};

struct run {
    const struct CMUnitTest *test;
    size_t cnt;
    char suite[128];
    const char *filter, *output; /* output: NULL or what follows "xml" */
    long repeat;
    bool list, help, in_process, fail_fast;
    struct result *result;
    char timestamp[32];
};

struct text {
    char *data;
    size_t length, capacity;
};

/* the only state that outlives a call: a test function has no other way to its command line */
static uint64_t seed_option;

uint64_t cw_test_seed(uint64_t fallback)
{
    uint64_t seed = seed_option != 0 ? seed_option : fallback;
    printf("seed %llu (repeat with --gtest_random_seed=%llu)\n", (unsigned long long)seed, (unsigned long long)seed);
    return seed;
}

static void text_add(struct text *t, const char *data, size_t length)
{
    if (t->length + length + 1 > t->capacity) {
        t->capacity = 2 * (t->length + length + 1);
        t->data = realloc(t->data, t->capacity);
        if (t->data == NULL) {
            perror("cw_test");
            exit(2);
        }
    }
    memcpy(t->data + t->length, data, length);
    t->length += length;
    t->data[t->length] = '\0';
}

static const char *test_name(const struct run *r, size_t i)
{
    const char *name = r->test[i].name;
    size_t stem = strlen(r->suite);
    if (strncmp(name, "test_", 5) == 0 && strncmp(name + 5, r->suite, stem) == 0 && strncmp(name + 5 + stem, "__", 2) == 0 &&
        name[stem + 7] != '\0')
        return name + stem + 7;
    return name;
}

/* GoogleTest's patterns: * any string, ? any character. end is one past the pattern. */
static bool pattern_matches(const char *p, const char *end, const char *s)
{
    if (p == end)
        return *s == '\0';
    if (*p == '*')
        return pattern_matches(p + 1, end, s) || (*s != '\0' && pattern_matches(p, end, s + 1));
    return *s != '\0' && (*p == '?' || *p == *s) && pattern_matches(p + 1, end, s + 1);
}

static bool any_matches(const char *p, const char *end, const char *s)
{
    while (p < end) {
        const char *colon = memchr(p, ':', (size_t)(end - p));
        const char *stop = colon != NULL ? colon : end;
        if (stop > p && pattern_matches(p, stop, s))
            return true;
        p = stop + 1;
    }
    return false;
}

static bool selected(const struct run *r, size_t i)
{
    char full[512];
    snprintf(full, sizeof full, "%s.%s", r->suite, test_name(r, i));
    const char *end = r->filter + strlen(r->filter);
    const char *minus = strchr(r->filter, '-');
    const char *positive_end = minus != NULL ? minus : end;
    bool in = positive_end == r->filter || any_matches(r->filter, positive_end, full);
    return in && (minus == NULL || !any_matches(minus + 1, end, full));
}

/* cmocka's own progress lines repeat ours; what it says about a failure is kept. */
static bool is_progress(const char *line)
{
    static const char *const noise[] = {"[==========]", "[ RUN      ]", "[       OK ]", "[  PASSED  ]", "[  FAILED  ]"};
    for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++)
        if (strncmp(line, noise[i], strlen(noise[i])) == 0)
            return true;
    return strstr(line, " FAILED TEST(S)\n") != NULL || strstr(line, " SKIPPED TEST(S)\n") != NULL;
}

/* Copies a test's output to ours as it comes and keeps it in log. Returns cmocka's verdict: a test that calls exit(0) half way has none. */
static enum outcome relay(FILE *from, struct text *log)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t n;
    enum outcome verdict = FAILED;
    while ((n = getline(&line, &capacity, from)) > 0) {
        if (strstr(line, "[       OK ] ") != NULL) /* not always at its start: the test may have left a line open */
            verdict = PASSED;
        if (strncmp(line, "[  SKIPPED ]", 12) == 0)
            verdict = SKIPPED;
        else if (strcmp(line, "\n") != 0 && !is_progress(line)) {
            fputs(line, stdout);
            fflush(stdout);
            text_add(log, line, (size_t)n);
        }
    }
    free(line);
    return verdict;
}

static int run_group(const struct run *r, size_t i)
{
    unsetenv("CMOCKA_MESSAGE_OUTPUT");
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return _cmocka_run_group_tests(r->suite, r->test + i, 1, NULL, NULL);
}

static void child(const struct run *r, size_t i, const int fd[2])
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that hangs must not outlive a runner that CTest killed */
    close(fd[0]);
    dup2(fd[1], STDOUT_FILENO);
    dup2(fd[1], STDERR_FILENO);
    close(fd[1]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    exit(run_group(r, i) == 0 ? 0 : 1); /* not _exit: coverage counters and the leak checker work at exit */
}

/* Says why a test failed where cmocka could not. */
static enum outcome explain(int status, struct text *log)
{
    char line[96] = "the test failed without a message\n";
    if (WIFSIGNALED(status))
        snprintf(line, sizeof line, "killed by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 1)
        snprintf(line, sizeof line, "the test's process ended early with exit status %d\n", WEXITSTATUS(status));
    else if (log->length > 0)
        return FAILED;
    fputs(line, stdout);
    text_add(log, line, strlen(line));
    return FAILED;
}

static enum outcome run_child(const struct run *r, size_t i, struct text *log)
{
    int fd[2], status = 0;
    fflush(NULL);
    pid_t pid = pipe(fd) == 0 ? fork() : -1;
    if (pid < 0) {
        perror("cw_test");
        exit(2);
    }
    if (pid == 0)
        child(r, i, fd);
    close(fd[1]);
    FILE *from = fdopen(fd[0], "r");
    enum outcome verdict = from != NULL ? relay(from, log) : FAILED;
    if (from != NULL)
        fclose(from);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && verdict != FAILED)
        return verdict;
    return explain(status, log);
}

static void run_one(struct run *r, size_t i)
{
    struct result *res = &r->result[i];
    struct text log = {0};
    struct timespec t0, t1;
    printf("[ RUN      ] %s.%s\n", r->suite, test_name(r, i));
    fflush(stdout);
    clock_gettime(CLOCK_MONOTONIC, &t0);
    if (r->in_process)
        res->outcome = run_group(r, i) == 0 ? PASSED : FAILED;
    else
        res->outcome = run_child(r, i, &log);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    res->seconds = (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec);
    free(res->message);
    res->message = log.data;
    static const char *const label[] = {"", "[       OK ]", "[  FAILED  ]", "[  SKIPPED ]"};
    printf("%s %s.%s (%.0f ms)\n", label[res->outcome], r->suite, test_name(r, i), res->seconds * 1e3);
    fflush(stdout);
}

static size_t count(const struct run *r, enum outcome o)
{
    size_t n = 0;
    for (size_t i = 0; i < r->cnt; i++)
        n += r->result[i].outcome == o;
    return n;
}

static void summary(const struct run *r, size_t ran)
{
    size_t failed = count(r, FAILED), skipped = count(r, SKIPPED);
    printf("[==========] %zu tests from 1 test suite ran.\n", ran);
    if (count(r, PASSED) > 0)
        printf("[  PASSED  ] %zu tests.\n", count(r, PASSED));
    if (skipped > 0)
        printf("[  SKIPPED ] %zu tests.\n", skipped);
    if (failed > 0)
        printf("[  FAILED  ] %zu tests, listed below:\n", failed);
    for (size_t i = 0; i < r->cnt; i++)
        if (r->result[i].outcome == FAILED)
            printf("[  FAILED  ] %s.%s\n", r->suite, test_name(r, i));
    fflush(stdout);
}

/* One pass over the selected tests. Returns how many failed. */
static size_t run_all(struct run *r)
{
    size_t want = 0;
    for (size_t i = 0; i < r->cnt; i++) {
        r->result[i].outcome = NOT_RUN;
        want += selected(r, i);
    }
    printf("[==========] Running %zu tests from 1 test suite.\n", want);
    for (size_t i = 0; i < r->cnt; i++) {
        if (!selected(r, i))
            continue;
        run_one(r, i);
        if (r->fail_fast && r->result[i].outcome == FAILED)
            break;
    }
    summary(r, r->cnt - count(r, NOT_RUN));
    return count(r, FAILED);
}

/* Text as an XML attribute's value or as CDATA; characters that XML 1.0 forbids become '?'. */
static void xml_text(FILE *f, const char *s, bool attribute)
{
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;
        if (c < 0x20 && c != '\n' && c != '\t')
            c = '?';
        if (!attribute && strncmp(s, "]]>", 3) == 0) {
            fputs("]]]]><![CDATA[>", f);
            s += 2;
        } else if (!attribute)
            fputc(c, f);
        else if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\n')
            fprintf(f, "&#x%x;", c);
        else
            fputc(c, f);
    }
}

static void xml_case(FILE *f, const struct run *r, size_t i)
{
    const struct result *res = &r->result[i];
    fprintf(f, "    <testcase name=\"%s\" status=\"%s\" result=\"%s\" time=\"%.3f\" timestamp=\"%s\" classname=\"%s\"", test_name(r, i),
            res->outcome == NOT_RUN ? "notrun" : "run",
            res->outcome == NOT_RUN   ? "suppressed"
            : res->outcome == SKIPPED ? "skipped"
                                      : "completed",
            res->seconds, r->timestamp, r->suite);
    if (res->outcome == FAILED) {
        const char *message = res->message != NULL ? res->message : "see the output";
        fputs(">\n      <failure message=\"", f);
        xml_text(f, message, true);
        fputs("\" type=\"\"><![CDATA[", f);
        xml_text(f, message, false);
        fputs("]]></failure>\n    </testcase>\n", f);
    } else if (res->outcome == SKIPPED)
        fputs(">\n      <skipped message=\"\"/>\n    </testcase>\n", f);
    else
        fputs(" />\n", f);
}

static void xml_document(FILE *f, const struct run *r)
{
    double seconds = 0;
    size_t ran = r->cnt - count(r, NOT_RUN);
    char common[256];
    for (size_t i = 0; i < r->cnt; i++)
        seconds += r->result[i].outcome != NOT_RUN ? r->result[i].seconds : 0;
    snprintf(common, sizeof common,
             "tests=\"%zu\" failures=\"%zu\" disabled=\"0\" skipped=\"%zu\" errors=\"0\" time=\"%.3f\" "
             "timestamp=\"%s\"",
             ran, count(r, FAILED), count(r, SKIPPED), seconds, r->timestamp);
    fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites %s name=\"AllTests\">\n", common);
    fprintf(f, "  <testsuite name=\"%s\" %s>\n", r->suite, common);
    for (size_t i = 0; i < r->cnt; i++)
        if (r->result[i].outcome != NOT_RUN)
            xml_case(f, r, i);
    fputs("  </testsuite>\n</testsuites>\n", f);
}

/* As GoogleTest: xml is test_detail.xml, xml:DIR/ is DIR/<suite>.xml. A killed run leaves no half file. */
static int xml_write(const struct run *r)
{
    char path[1024], temp[1100];
    const char *given = r->output[0] == ':' ? r->output + 1 : "";
    size_t n = strlen(given);
    if (n == 0)
        snprintf(path, sizeof path, "test_detail.xml");
    else if (given[n - 1] == '/')
        snprintf(path, sizeof path, "%s%s.xml", given, r->suite);
    else
        snprintf(path, sizeof path, "%s", given);
    snprintf(temp, sizeof temp, "%s.tmp%ld", path, (long)getpid());
    if (n > 0 && given[n - 1] == '/')
        mkdir(given, 0777);
    FILE *f = fopen(temp, "w");
    if (f != NULL) {
        xml_document(f, r);
        int bad = ferror(f);
        if ((fclose(f) | bad) == 0 && rename(temp, path) == 0)
            return 0;
        remove(temp);
    }
    fprintf(stderr, "%s: cannot write %s: %s\n", r->suite, path, strerror(errno));
    return 2;
}

static void set_suite(struct run *r, const char *program)
{
    const char *slash = strrchr(program, '/');
    const char *stem = slash != NULL ? slash + 1 : program;
    if (strncmp(stem, "test_", 5) == 0)
        stem += 5;
    snprintf(r->suite, sizeof r->suite, "%s", stem);
    for (char *c = r->suite; *c != '\0'; c++)
        if (*c == '.') /* the separator of suite and name */
            *c = '_';
}

/* The value of option --gtest_NAME=VALUE, "" for a bare --gtest_NAME, NULL for another option. */
static const char *value_of(const char *arg, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(arg, "--gtest_", 8) != 0 || strncmp(arg + 8, name, n) != 0)
        return NULL;
    if (arg[8 + n] == '=')
        return arg + 8 + n + 1;
    return arg[8 + n] == '\0' ? "" : NULL;
}

static bool is_on(const char *value)
{
    return value[0] == '\0' || strchr("1tTyY", value[0]) != NULL;
}

static bool number(const char *value, long long *out)
{
    char *end;
    errno = 0;
    *out = strtoll(value, &end, 0);
    return errno == 0 && end != value && *end == '\0';
}

/* False when the option is unknown or its value is wrong. */
static bool parse_option(struct run *r, const char *arg)
{
    static const char *const accepted[] = {"color", "print_time", "catch_exceptions", "also_run_disabled_tests", "brief"};
    const char *v;
    long long n;
    if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0)
        return r->help = true;
    if ((v = value_of(arg, "list_tests")) != NULL)
        return r->list = is_on(v), true;
    if ((v = value_of(arg, "filter")) != NULL)
        return r->filter = v, true;
    if ((v = value_of(arg, "output")) != NULL)
        return r->output = v + 3, strncmp(v, "xml", 3) == 0 && (v[3] == ':' || v[3] == '\0');
    if ((v = value_of(arg, "break_on_failure")) != NULL)
        return r->in_process = is_on(v), true;
    if ((v = value_of(arg, "fail_fast")) != NULL)
        return r->fail_fast = is_on(v), true;
    if ((v = value_of(arg, "repeat")) != NULL)
        return number(v, &n) && n > 0 ? r->repeat = (long)n, true : false;
    if ((v = value_of(arg, "random_seed")) != NULL)
        return number(v, &n) && n >= 0 ? seed_option = (uint64_t)n, true : false;
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++)
        if (value_of(arg, accepted[i]) != NULL)
            return true;
    return false;
}

static int print_help(const struct run *r)
{
    printf("Tests of %s. Options are GoogleTest's:\n"
           "  --gtest_list_tests             list the tests, run none\n"
           "  --gtest_filter=POS[-NEG]       patterns with * and ?, separated by ':', of SUITE.NAME\n"
           "  --gtest_output=xml[:FILE|DIR/] write results in GoogleTest's XML\n"
           "  --gtest_repeat=N               run the tests N times\n"
           "  --gtest_random_seed=N          seed of the random tests (default: each test's own)\n"
           "  --gtest_fail_fast              stop at the first failure\n"
           "  --gtest_break_on_failure       run in this process, for a debugger\n"
           "  --gtest_color, --gtest_print_time, --gtest_brief and others that change no result are ignored\n"
           "Exit status: 0 all passed, 1 a test failed, 2 the request was wrong.\n",
           r->suite);
    return 0;
}

static int list_tests(const struct run *r)
{
    bool any = false;
    for (size_t i = 0; i < r->cnt; i++) {
        if (!selected(r, i))
            continue;
        if (!any)
            printf("%s.\n", r->suite);
        any = true;
        printf("  %s\n", test_name(r, i));
    }
    return 0;
}

static int run_repeated(struct run *r)
{
    size_t failed = 0;
    time_t now = time(NULL);
    struct tm tm;
    strftime(r->timestamp, sizeof r->timestamp, "%Y-%m-%dT%H:%M:%S", localtime_r(&now, &tm));
    r->result = calloc(r->cnt + 1, sizeof *r->result);
    if (r->result == NULL)
        return 2;
    for (long k = 0; k < r->repeat; k++)
        failed += run_all(r);
    int status = failed > 0 ? 1 : 0;
    if (count(r, NOT_RUN) == r->cnt) {
        fprintf(stderr, "%s: the filter '%s' selects no test\n", r->suite, r->filter);
        status = 2;
    }
    if (r->output != NULL && xml_write(r) != 0)
        status = 2;
    for (size_t i = 0; i < r->cnt; i++)
        free(r->result[i].message);
    free(r->result);
    return status;
}

int cw_test_main(int argc, char **argv, const struct CMUnitTest *test, size_t cnt)
{
    const char *filter = getenv("GTEST_FILTER"); /* as GoogleTest, for who cannot reach the command line */
    struct run r = {.test = test, .cnt = cnt, .filter = filter != NULL && *filter != '\0' ? filter : "*", .repeat = 1};
    set_suite(&r, argv[0]);
    for (int i = 1; i < argc; i++) {
        if (!parse_option(&r, argv[i])) {
            fprintf(stderr, "%s: unknown option or bad value: %s (--help lists the options)\n", r.suite, argv[i]);
            return 2;
        }
    }
    if (r.help)
        return print_help(&r);
    return r.list ? list_tests(&r) : run_repeated(&r);
}
