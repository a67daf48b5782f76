/* SPDX-License-Identifier: Apache-2.0 */
/* Why schedulers do not issue, of whole runs: each scheduler of each core has one reason for each cycle, and counting them moves nothing
 * else. tests/unit/test_core_stalls.c has kernels whose reasons one can count by hand. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "cw_test.h"
#include "system/run.h"

#define HT                       .param = {"blocks=4", "buckets=200"}
#define TX(system_name)          .workload = "ht-h", .system = system_name, .variant = COWARP_TX, HT
#define GRAPH                    .workload = "bfs2", .variant = COWARP_PLAIN, .param = {"nodes=300", "degree=6"}
#define DIVERGENCE(policy, more) GRAPH, .preset = "thesis-tbc", .settings = {"core.divergence=" policy, more}

static const struct run runs[] = {
    {TX("getm")},
    {TX("getm"), .settings = {"core.buffer=2", "core.collectors=6", "icache.bytes=1024", "const.bytes=64", "const.ways=1"}},
    {TX("warptm"), .preset = "thesis-warptm"},
    {TX("kilotm"), .settings = {"tm.warps=2"}},
    {TX("eapg")},
    {.workload = "ht-h", .system = "serial", .variant = COWARP_TX, .param = {"blocks=1", "buckets=200"}},
    {.workload = "ht-h", .variant = COWARP_FGLOCK, HT},
    {.workload = "lht-hc", .system = "localtm", .preset = "localtm", .variant = COWARP_TX, .param = {"groups=2", "wavefronts=2", "keys=2"}},
    {.workload = "lps", .variant = COWARP_PLAIN, .preset = "gtx480", .param = {"n=18"}},
    {.workload = "aes", .variant = COWARP_PLAIN, .preset = "gtx480", .param = {"kbytes=3"}},
    {DIVERGENCE("pdom", NULL)},
    {DIVERGENCE("tbc", NULL)},
    {DIVERGENCE("tbc", "core.scoreboard=register")},
    {DIVERGENCE("dwf", NULL)},
    {DIVERGENCE("dwf-wb", "core.pipeline=split")},
    {.workload = "red",
     .variant = COWARP_PLAIN,
     .preset = "sbrp-near",
     .persistency = "sbrp",
     .param = {"n=2048", "launches=2", "blocks=3"}},
    {.workload = "reduction", .variant = COWARP_PLAIN, .settings = {"core.schedulers=3", "core.warps=80"}, .param = {"n=20000"}},
};
#define RUN_CNT ((uint32_t)(sizeof runs / sizeof runs[0]))

static struct cowarp_gpu *gpu_for_names;

static struct run run_it(struct run r)
{
    run_workload(&r);
    if (r.status != 0)
        fail_msg("%s (%s, %s): %s\n%s", r.workload, r.system != NULL ? r.system : "none", r.preset != NULL ? r.preset : "getm", r.message,
                 r.report);
    return r;
}

static bool is_reason(uint32_t counter)
{
    const char *name, *unit, *what;
    uint64_t value;
    return cowarp_counter_at(gpu_for_names, counter, &name, &value, &unit, &what) != 0 && strncmp(name, "issue_", 6) == 0;
}

static uint32_t setting(const struct run *r, const char *name)
{
    struct cowarp_options options;
    struct cowarp_gpu *gpu;
    uint32_t value;
    cowarp_options_init(&options);
    options.preset = r->preset != NULL ? r->preset : "getm";
    options.settings = r->settings;
    options.system = r->system; /* it reads its keys */
    options.persistency = r->persistency;
    assert_int_equal(cowarp_create(&gpu, &options), 0);
    assert_int_equal(cowarp_config_value(gpu, name, &value), 0);
    cowarp_destroy(gpu);
    return value;
}

static void test_stalls__of_each_cycle_of_each_scheduler(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < RUN_CNT; i++) {
        struct run counted = runs[i];
        uint64_t sum = 0;
        counted.count_stalls = 1;
        const struct run r = run_it(counted), without = run_it(runs[i]);
        assert_int_equal(r.cycles, without.cycles);
        for (uint32_t k = 0; k < r.counter_cnt; k++) {
            sum += is_reason(k) ? r.counter[k] : 0;
            assert_int_equal(without.counter[k], is_reason(k) ? 0 : r.counter[k]);
        }
        if (sum != r.cycles * setting(&runs[i], "core.count") * setting(&runs[i], "core.schedulers"))
            fail_msg("run %u, %s: %llu scheduler cycles have a reason", i, r.workload, (unsigned long long)sum);
    }
}

static void test_stalls__do_not_depend_on_ticks(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < RUN_CNT; i++) {
        struct run a = runs[i], b;
        a.count_stalls = 1;
        b = a;
        b.tick_always = 1;
        b.reverse_ticks = 1;
        const struct run r = run_it(a), every = run_it(b);
        for (uint32_t k = 0; k < r.counter_cnt; k++)
            if (r.counter[k] != every.counter[k])
                fail_msg("run %u, %s: counter %u is %llu, and %llu with a tick in each cycle", i, r.workload, k,
                         (unsigned long long)r.counter[k], (unsigned long long)every.counter[k]);
    }
}

/* The member of the statistics in the file, which goes; to be freed. */
static char *waits_in(const char *path)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    const long bytes = ftell(f);
    char *text = calloc(1, (size_t)bytes + 1);
    assert_non_null(text);
    rewind(f);
    assert_int_equal(fread(text, 1, (size_t)bytes, f), bytes);
    fclose(f);
    remove(path);
    char *from = strstr(text, "\"waits\""), *to = from != NULL ? strstr(from, "]") : NULL;
    assert_non_null(to);
    *to = '\0';
    memmove(text, from, strlen(from) + 1);
    return text;
}

/* Rows by line and place are made of what cores, crossbars and partitions say in one instant, in any order. */
static void test_stalls__rows_do_not_depend_on_the_order(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < RUN_CNT; i++) {
        struct run a = runs[i], b;
        char stats[] = "/tmp/cowarp-stalls-XXXXXX";
        const int file = mkstemp(stats);
        assert_true(file >= 0);
        close(file);
        a.count_stalls = 1;
        a.stats = stats;
        b = a;
        b.reverse_ticks = 1;
        run_it(a);
        char *r = waits_in(stats);
        run_it(b);
        char *reverse = waits_in(stats);
        if (strcmp(r, reverse) != 0)
            fail_msg("run %u, %s: rows differ\n%s\n%s", i, runs[i].workload, r, reverse);
        free(r);
        free(reverse);
    }
}

static int open_names(void **state)
{
    struct cowarp_options options;
    (void)state;
    cowarp_options_init(&options);
    return cowarp_create(&gpu_for_names, &options);
}

static int close_names(void **state)
{
    (void)state;
    cowarp_destroy(gpu_for_names);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_stalls__of_each_cycle_of_each_scheduler, open_names, close_names),
    cmocka_unit_test_setup_teardown(test_stalls__do_not_depend_on_ticks, open_names, close_names),
    cmocka_unit_test(test_stalls__rows_do_not_depend_on_the_order),
};

CW_TEST_MAIN(tests)
