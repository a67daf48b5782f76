/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random operations on persistent memory (persist.ptx), under every model, on machines that reorder what is not ordered: small
 * write-pending queues and slow devices make one partition wait while another does not. The oracle judges by Box 2 (Pandey et al., ASPLOS
 * 2023), and when a kernel has ended what loads see is what is durable. Faults planted in the model are found.
 */
#include "cw_test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cowarp/cowarp.h"

#define WORDS 512u

struct run {
    const char *preset, *persistency, *sabotage;
    const char *kernel; /* NULL: draw */
    const char *settings[9], *units[3];
    uint32_t blocks, threads, words, steps, seed, more; /* more: further launches */
    /* result */
    int status;
    char text[1300];
    uint64_t cycles, persists, stores;
};

static const char *const slow = "pm.wpq=1", *const slower = "pm.write_mbps=2000";

static void run(struct run *r)
{
    struct cowarp_options options;
    struct cowarp_gpu *gpu;
    struct cowarp_module *module = NULL;
    uint64_t pm, pmflag, flag;
    cowarp_options_init(&options);
    options.preset = r->preset != NULL ? r->preset : "sbrp-near";
    options.settings = r->settings;
    options.units = r->units;
    options.persistency = r->persistency;
    options.sabotage = r->sabotage;
    options.check_persist = 1;
    if (cowarp_create(&gpu, &options) != COWARP_OK ||
        cowarp_load_file(gpu, &module, CW_SOURCE_DIR "/tests/system/persist.ptx") != COWARP_OK)
        fail_msg("%s", cowarp_error(gpu));
    assert_int_equal(cowarp_pm_alloc(gpu, &pm, "words", WORDS * 4), COWARP_OK);
    assert_int_equal(cowarp_pm_alloc(gpu, &pmflag, "flags", 256), COWARP_OK);
    assert_int_equal(cowarp_alloc(gpu, &flag, 256), COWARP_OK);
    const struct cowarp_arg args[] = {COWARP_U64(pm),           COWARP_U64(pmflag),   COWARP_U64(flag),
                                      COWARP_U32(r->words - 1), COWARP_U32(r->steps), COWARP_U32(r->seed)};
    const struct cowarp_launch launch = {.size = sizeof launch,
                                         .kernel = r->kernel != NULL ? r->kernel : "draw",
                                         .grid = {r->blocks, 1, 1},
                                         .block = {r->threads, 1, 1},
                                         .arg_count = 6,
                                         .args = args};
    r->status = cowarp_run(gpu, module, &launch);
    for (uint32_t i = 0; i < r->more && r->status == COWARP_OK; i++)
        r->status = cowarp_run(gpu, module, &launch);
    snprintf(r->text, sizeof r->text, "%s", cowarp_error(gpu));
    r->cycles = cowarp_cycles(gpu);
    assert_int_equal(cowarp_counter(gpu, "nvm_writes", &r->persists), COWARP_OK);
    assert_int_equal(cowarp_counter(gpu, "l1_pm_writes", &r->stores), COWARP_OK);
    cowarp_destroy(gpu);
}

static void must_pass(struct run r)
{
    run(&r);
    if (r.status != COWARP_OK)
        fail_msg("%s, %s, seed %u: %s", r.persistency, r.settings[0] != NULL ? r.settings[0] : "", r.seed, r.text);
    assert_true(r.stores > 100 && r.persists > 100); /* the kernel has done something */
}

static void test_persist_runs__every_model_keeps_the_order(void **state)
{
    static const char *const models[] = {"gpm", "epoch", "sbrp"}, *const presets[] = {"sbrp-near", "sbrp-far", "sbrp-artifact-near"};
    (void)state;
    for (uint32_t m = 0; m < 3; m++)
        for (uint32_t p = 0; p < 3; p++) {
            struct run r = {.preset = presets[p],
                            .persistency = models[m],
                            .settings = {slow, slower},
                            .blocks = 4,
                            .threads = 48,
                            .words = WORDS,
                            .steps = 32,
                            .seed = 3 * m + p};
            if (m == 2 && strcmp(presets[p], "sbrp-artifact-near") == 0) /* which the others do not read */
                r.settings[2] = "pm.acquire=return";                     /* issue, as it is there, is wrong: see below */
            must_pass(r);
        }
}

static void test_persist_runs__every_size_and_policy_of_sbrp(void **state)
{
    static const char *const drains[] = {"pm.drain=window", "pm.drain=eager", "pm.drain=lazy"};
    static const char *const buffers[] = {"pm.pb_entries=1", "pm.pb_entries=3", "pm.pb_entries=256"};
    (void)state;
    for (uint32_t d = 0; d < 3; d++)
        for (uint32_t b = 0; b < 3; b++)
            must_pass((struct run){.persistency = "sbrp",
                                   .settings = {drains[d], buffers[b], d == 0 ? "pm.window=1" : "pm.patience=8", slow, slower},
                                   .blocks = 2,
                                   .threads = 64,
                                   .words = 256,
                                   .steps = 32,
                                   .seed = 10 * d + b});
}

/* An L1 of eight lines of 16: dirty lines have to make room all the time. */
static void test_persist_runs__evictions(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 3; seed++)
        must_pass((struct run){.persistency = "sbrp",
                               .settings = {"l1.bytes=1024", "l1.ways=8", slow, slower, seed == 2 ? "pm.drain=lazy" : "pm.drain=window"},
                               .blocks = 2,
                               .threads = 64,
                               .words = WORDS,
                               .steps = 32,
                               .seed = seed});
}

/* Lines that outlive their kernel, or leave the L1 with the head of the buffer, keep the order as well. */
static void test_persist_runs__kernel_ends_and_flushed_lines(void **state)
{
    static const char *const ends[] = {"pm.kernel_end=keep", "pm.kernel_end=drain", "pm.kernel_end=keep"};
    static const char *const flushed[] = {"pm.flushed_line=keep", "pm.flushed_line=drop", "pm.flushed_line=drop"};
    static const char *const drains[] = {"pm.drain=lazy", "pm.drain=window", "pm.drain=eager"};
    static const char *const backends[] = {"persist_buffer=lockstep", "persist_buffer=rtl", "persist_buffer=rtl"};
    (void)state;
    for (uint32_t form = 0; form < 3; form++)
        for (uint32_t machine = 0; machine < 3; machine++) {
            struct run r = {.persistency = "sbrp",
                            .settings = {ends[form], flushed[form], drains[(form + machine) % 3], slow, slower},
                            .units = {machine == 0 ? backends[form] : NULL},
                            .blocks = 2,
                            .threads = 64,
                            .words = WORDS,
                            .steps = 24,
                            .seed = 10 * form + machine,
                            .more = 2};
            if (machine == 1) { /* evictions */
                r.settings[5] = "l1.bytes=1024";
                r.settings[6] = "l1.ways=8";
            }
            if (machine == 2)
                r.settings[5] = "pm.pb_entries=3";
            must_pass(r);
        }
}

/* The same run with the units as Verilog, and with both side by side. */
static void test_persist_runs__rtl_is_equal(void **state)
{
    (void)state;
    const struct run r = {
        .persistency = "sbrp", .settings = {slow, slower}, .blocks = 2, .threads = 64, .words = 256, .steps = 32, .seed = 5};
    static const char *const backends[][2] = {{"persist_buffer=rtl", "order_masks=rtl"},
                                              {"persist_buffer=lockstep", "order_masks=lockstep"}};
    struct run c = r;
    run(&c);
    assert_int_equal(c.status, COWARP_OK);
    for (uint32_t i = 0; i < 2; i++) {
        struct run other = r;
        memcpy(other.units, backends[i], sizeof backends[i]);
        run(&other);
        if (other.status != COWARP_OK)
            fail_msg("%s", other.text);
        assert_int_equal(other.cycles, c.cycles);
    }
}

/* What stands in that line of persist.ptx. */
static void read_line(char *line, int size, unsigned number)
{
    FILE *f = fopen(CW_SOURCE_DIR "/tests/system/persist.ptx", "r");
    assert_non_null(f);
    line[0] = '\0';
    for (unsigned i = 0; i < number && fgets(line, size, f) != NULL; i++) {
    }
    fclose(f);
}

/* Both writes are named by a line of the file, and a store is there. */
static void names_stores(const char *text)
{
    static const char name[] = "/persist.ptx:";
    const char *fence = strstr(text, "; dfence complete"); /* that is in a line, too */
    uint32_t found = 0;
    for (const char *at = strstr(text, name); at != NULL && (fence == NULL || at < fence); at = strstr(at + 1, name), found++) {
        char line[256];
        read_line(line, sizeof line, (unsigned)strtoul(at + strlen(name), NULL, 10));
        if (strstr(line, "st.") == NULL && strstr(line, "atom.") == NULL && strstr(line, "red.") == NULL)
            fail_msg("'%s': no store is in that line: %s", at, line);
    }
    if (found != (fence != NULL ? 1u : 2u) && (fence != NULL || strstr(text, "ordered before it") != NULL))
        fail_msg("'%s' names %u stores", text, found);
}

/* Each fault of the model is found on one of a few seeds, of one of two kernels. */
static void test_persist_runs__faults_are_found(void **state)
{
    static const char *const faults[] = {"drop-ofence", "ignore-fsm", "early-ack", "release-before-drain", "device-as-block"};
    (void)state;
    for (uint32_t f = 0; f < 5; f++) {
        bool found = false;
        struct run r = {0};
        for (uint32_t i = 2; i < 14 && !found; i++) {
            r = (struct run){.persistency = "sbrp",
                             .sabotage = faults[f],
                             .kernel = i % 2 != 0 ? "fences" : "draw",
                             .settings = {slow, slower},
                             .blocks = 8,
                             .threads = 64,
                             .words = WORDS,
                             .steps = 100,
                             .seed = i / 2};
            run(&r);
            found = r.status == COWARP_ECHECK;
            assert_true(found || r.status == COWARP_OK);
        }
        if (found)
            names_stores(r.text);
        else
            fail_msg("%s: nobody has noticed", faults[f]);
    }
}

/* The entry of an acquire that is made at issue lies ahead of the release whose value the load then returns. So nothing holds the
 * acquirer's line back, and it is durable before the releaser's. When it is made with the value, it lies behind. */
static void test_persist_runs__an_acquire_made_at_issue_is_overtaken(void **state)
{
    static const char *const moments[] = {"pm.acquire=return", "pm.acquire=issue"};
    static const char *const backends[] = {NULL, "persist_buffer=lockstep"};
    (void)state;
    for (uint32_t b = 0; b < 2; b++)
        for (uint32_t issue = 0; issue < 2; issue++) {
            struct run r = {.persistency = "sbrp",
                            .kernel = "overtake",
                            .settings = {moments[issue], "core.count=1", "partition.count=2", "pm.window=32", slow, "pm.write_mbps=200"},
                            .units = {backends[b]},
                            .blocks = 1,
                            .threads = 64};
            run(&r);
            assert_int_equal(r.stores, 9);
            assert_int_equal(r.status, issue ? COWARP_ECHECK : COWARP_OK);
            if (issue && (strstr(r.text, "release of") == NULL || strstr(r.text, "acquire of") == NULL))
                fail_msg("%s", r.text);
        }
}

static void is_refused(const char *preset, const char *setting, const char *why)
{
    static const char *const models[] = {"gpm", "epoch", "sbrp"};
    for (uint32_t m = 0; m < 3; m++) {
        const char *const settings[] = {setting, setting != NULL ? "core.scheduler=lrr" : NULL, NULL};
        struct cowarp_options options;
        struct cowarp_gpu *gpu;
        cowarp_options_init(&options);
        options.preset = preset;
        options.persistency = models[m];
        options.settings = settings;
        assert_int_equal(cowarp_create(&gpu, &options), COWARP_EINVAL);
        if (strstr(cowarp_error(gpu), why) == NULL)
            fail_msg("%s: %s", models[m], cowarp_error(gpu));
        cowarp_destroy(gpu);
    }
}

/* Models need an L1 that writes back, and threads that stay in their warps. */
static void test_persist_runs__other_machines_are_refused(void **state)
{
    (void)state;
    is_refused("getm", NULL, "l1.global=write-back");
    is_refused("sbrp-near", "core.divergence=tbc", "core.divergence=pdom");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_persist_runs__every_model_keeps_the_order),
    cmocka_unit_test(test_persist_runs__every_size_and_policy_of_sbrp),
    cmocka_unit_test(test_persist_runs__evictions),
    cmocka_unit_test(test_persist_runs__kernel_ends_and_flushed_lines),
    cmocka_unit_test(test_persist_runs__rtl_is_equal),
    cmocka_unit_test(test_persist_runs__faults_are_found),
    cmocka_unit_test(test_persist_runs__an_acquire_made_at_issue_is_overtaken),
    cmocka_unit_test(test_persist_runs__other_machines_are_refused),
};
CW_TEST_MAIN(tests)
