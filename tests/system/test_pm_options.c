/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of lines in the persist buffer when a kernel ends (pm.kernel_end), and in the L1 when they have left (pm.flushed_line), with
 * the units in C and as Verilog. Numbers are of one core and of 32 threads whose words fill one line each time.
 */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <string.h>

#include "cowarp/cowarp.h"
#include "cw_test.h"
#include "pm_folder.h"

#define WORDS 32u
#define LINES 8u

/* write: a line per block, no fence. copy: what loads see. settle: all that the thread has written is durable. again: a line that has left
 * is read. hand: all blocks but the last store to one word, with device scope; the last one waits for it. */
static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func dfence ();\n"
    ".visible .entry write(.param .u64 words, .param .u32 value)\n{\n"
    ".reg .b32 %t, %b, %v;\n.reg .b64 %a, %o;\n"
    "ld.param.u64 %a, [words];\nld.param.u32 %v, [value];\nmov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\n"
    "mad.lo.u32 %t, %b, 32, %t;\nmul.wide.u32 %o, %t, 4;\nadd.u64 %a, %a, %o;\nst.global.u32 [%a], %v;\nret;\n}\n"
    ".visible .entry copy(.param .u64 words, .param .u64 to)\n{\n"
    ".reg .b32 %t, %v;\n.reg .b64 %a, %o;\n"
    "mov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, 4;\nld.param.u64 %a, [words];\nadd.u64 %a, %a, %o;\n"
    "ld.global.u32 %v, [%a];\nld.param.u64 %a, [to];\nadd.u64 %a, %a, %o;\nst.global.u32 [%a], %v;\nret;\n}\n"
    ".visible .entry settle(.param .u64 words)\n{\ncall.uni dfence, ();\nret;\n}\n"
    ".visible .entry idle(.param .u64 words)\n{\n"
    ".reg .b32 %n;\n.reg .pred %p;\nmov.u32 %n, 2000;\nLOOP:\nsub.u32 %n, %n, 1;\nsetp.ne.u32 %p, %n, 0;\n@%p bra LOOP;\n"
    "ret;\n}\n"
    ".visible .entry again(.param .u64 words)\n{\n"
    ".reg .b32 %t, %v;\n.reg .b64 %a, %o;\n"
    "mov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, 4;\nld.param.u64 %a, [words];\nadd.u64 %a, %a, %o;\n"
    "st.global.u32 [%a], %t;\ncall.uni dfence, ();\nld.global.u32 %v, [%a];\nadd.u32 %v, %v, 1;\n"
    "st.global.u32 [%a+128], %v;\nret;\n}\n"
    ".visible .entry hand(.param .u64 words, .param .u32 last)\n{\n"
    ".reg .b32 %b, %v;\n.reg .b64 %a;\n.reg .pred %p;\n"
    "ld.param.u64 %a, [words];\nld.param.u32 %v, [last];\nmov.u32 %b, %ctaid.x;\nsetp.eq.u32 %p, %b, %v;\n@%p bra WAIT;\n"
    "st.relaxed.gpu.global.u32 [%a], 7;\nret;\n"
    "WAIT:\nld.relaxed.gpu.global.u32 %v, [%a];\nsetp.ne.u32 %p, %v, 7;\n@%p bra WAIT;\nret;\n}\n";

static const char *const backends[][3] = {
    {NULL}, {"persist_buffer=rtl", "order_masks=rtl", NULL}, {"persist_buffer=lockstep", "order_masks=lockstep", NULL}};
#define BACKENDS (sizeof backends / sizeof backends[0])

struct machine {
    struct cowarp_gpu *gpu;
    struct cowarp_module *module;
    uint64_t words; /* LINES lines of persistent memory */
};

static void start_model(struct machine *m, const char *model, const char *const *units, const char *file, const char *const *settings)
{
    struct cowarp_options options;
    cowarp_options_init(&options);
    options.preset = "sbrp-near";
    options.persistency = model;
    options.settings = settings;
    options.units = units;
    options.pm_file = file;
    options.check_persist = 1;
    if (cowarp_create(&m->gpu, &options) != COWARP_OK || cowarp_load(m->gpu, &m->module, text, strlen(text), "options.ptx") != COWARP_OK)
        fail_msg("%s", cowarp_error(m->gpu));
    assert_int_equal(cowarp_pm_alloc(m->gpu, &m->words, "words", LINES * WORDS * 4), COWARP_OK);
}

static void start(struct machine *m, const char *const *units, const char *file, const char *one, const char *two, const char *three)
{
    const char *const settings[] = {"core.count=1", one, two, three, NULL};
    start_model(m, "sbrp", units, file, settings);
}

static int try_launch(struct machine *m, const char *kernel, uint32_t blocks, const struct cowarp_arg *second)
{
    const struct cowarp_arg args[] = {COWARP_U64(m->words), second != NULL ? *second : (struct cowarp_arg)COWARP_U64(0)};
    const struct cowarp_launch launch = {.size = sizeof launch,
                                         .kernel = kernel,
                                         .grid = {blocks, 1, 1},
                                         .block = {32, 1, 1},
                                         .arg_count = second != NULL ? 2 : 1,
                                         .args = args};
    return cowarp_run(m->gpu, m->module, &launch);
}

static void run(struct machine *m, const char *kernel, uint32_t blocks, const struct cowarp_arg *second)
{
    if (try_launch(m, kernel, blocks, second) != COWARP_OK)
        fail_msg("%s: %s", kernel, cowarp_error(m->gpu));
}

static void write_lines(struct machine *m, uint32_t blocks, uint32_t value)
{
    const struct cowarp_arg arg = COWARP_U32(value);
    run(m, "write", blocks, &arg);
}

static uint64_t counter(struct machine *m, const char *name)
{
    uint64_t value;
    assert_int_equal(cowarp_counter(m->gpu, name, &value), COWARP_OK);
    return value;
}

/* All words of so many lines are `value` in what the host reads. */
static void host_sees(struct machine *m, uint32_t lines, uint32_t value)
{
    uint32_t seen[LINES * WORDS];
    assert_int_equal(cowarp_read(m->gpu, seen, m->words, sizeof seen), COWARP_OK);
    for (uint32_t i = 0; i < lines * WORDS; i++)
        assert_int_equal(seen[i], value);
}

/* The same in the file, which is what a power failure leaves. */
static void is_durable(uint32_t lines, uint32_t value)
{
    struct machine next;
    start(&next, NULL, path, NULL, NULL, NULL);
    host_sees(&next, lines, value);
    cowarp_pm_discard(next.gpu);
    cowarp_destroy(next.gpu);
}

static void stop(struct machine *m)
{
    cowarp_destroy(m->gpu);
}

/* The power fails now: are all words of so many lines `value`? */
static void power_fails(struct machine *m, uint32_t lines, uint32_t value)
{
    assert_int_equal(cowarp_pm_save(m->gpu, path), COWARP_OK);
    is_durable(lines, value);
}

static void test_pm_options__a_kernel_ends_with_an_empty_buffer(void **state)
{
    (void)state;
    for (uint32_t b = 0; b < BACKENDS; b++) {
        struct machine m;
        start(&m, backends[b], NULL, "pm.kernel_end=drain", "pm.drain=lazy", NULL);
        write_lines(&m, LINES, 7);
        assert_int_equal(counter(&m, "nvm_writes"), LINES);
        host_sees(&m, LINES, 7);
        power_fails(&m, LINES, 7);
        stop(&m);
    }
}

/* Lines stay over the ends of kernels: they are seen by their own core, joined by stores, and durable when a fence asks for it. */
static void test_pm_options__lines_are_kept_over_kernels(void **state)
{
    (void)state;
    for (uint32_t b = 0; b < BACKENDS; b++) {
        struct machine m;
        uint64_t to;
        start(&m, backends[b], NULL, "pm.kernel_end=keep", "pm.drain=lazy", NULL);
        assert_int_equal(cowarp_alloc(m.gpu, &to, WORDS * 4), COWARP_OK);
        const struct cowarp_arg arg = COWARP_U64(to);
        uint32_t seen[WORDS];
        write_lines(&m, LINES, 7);
        assert_int_equal(counter(&m, "nvm_writes"), 0);
        power_fails(&m, LINES, 0);
        run(&m, "copy", 1, &arg);
        assert_int_equal(cowarp_read(m.gpu, seen, to, sizeof seen), COWARP_OK);
        for (uint32_t i = 0; i < WORDS; i++)
            assert_int_equal(seen[i], 7);
        write_lines(&m, LINES, 8);
        assert_int_equal(counter(&m, "pm_coalesced"), LINES); /* the second value of each line has joined the first */
        run(&m, "settle", 1, NULL);
        assert_int_equal(counter(&m, "nvm_writes"), LINES);
        host_sees(&m, LINES, 8);
        power_fails(&m, LINES, 8);
        stop(&m);
    }
}

/* With lines that leave as they come, those that had not left go on in the next kernel, if it has a block on their core. */
static void test_pm_options__kept_lines_go_on_in_the_next_kernel(void **state)
{
    (void)state;
    uint64_t cycles[BACKENDS], to;
    for (uint32_t b = 0; b < BACKENDS; b++) {
        struct machine m;
        start(&m, backends[b], NULL, "pm.kernel_end=keep", "pm.window=1", "pm.wpq=1");
        write_lines(&m, LINES, 7);
        assert_int_equal(cowarp_alloc(m.gpu, &to, WORDS * 4), COWARP_OK);
        const struct cowarp_arg arg = COWARP_U64(to);
        const uint64_t first = counter(&m, "nvm_writes");
        assert_true(first < LINES);
        run(&m, "copy", 1, &arg); /* it has no business with the buffer */
        assert_true(counter(&m, "nvm_writes") > first);
        run(&m, "settle", 1, NULL);
        assert_int_equal(counter(&m, "nvm_writes"), LINES);
        power_fails(&m, LINES, 7);
        cycles[b] = cowarp_cycles(m.gpu);
        assert_int_equal(cycles[b], cycles[0]);
        stop(&m);
    }
}

/* They go on though the next kernel has no access at all that would wake their buffer: on the first core, which has slept while the last
 * one's persist was on its way. */
static void test_pm_options__kept_lines_leave_beside_a_kernel_without_accesses(void **state)
{
    (void)state;
    struct machine m;
    start(&m, NULL, NULL, "core.count=2", "pm.kernel_end=keep", "pm.window=1");
    write_lines(&m, LINES, 7);
    const uint64_t first = counter(&m, "nvm_writes");
    assert_true(first < LINES);
    run(&m, "idle", 2, NULL);
    assert_int_equal(counter(&m, "nvm_writes"), LINES); /* in some 10,000 cycles all have had their time */
    power_fails(&m, LINES, 7);
    stop(&m);
}

/* What was not durable at the end of a run is not in its file. */
static void test_pm_options__a_file_has_what_is_durable(void **state)
{
    static const char *const ends[] = {"pm.kernel_end=drain", "pm.kernel_end=keep"};
    (void)state;
    for (uint32_t keep = 0; keep < 2; keep++) {
        struct machine m;
        start(&m, NULL, path, ends[keep], "pm.drain=lazy", NULL);
        write_lines(&m, 1, 5);
        run(&m, "settle", 1, NULL);
        write_lines(&m, 1, 6);
        stop(&m);
        is_durable(1, keep ? 5 : 6);
        unlink(path);
    }
}

/* The L1 has the whole line, all 128 bytes of which the warp has written: a load behind the fence hits, unless the line was dropped. */
static void test_pm_options__a_line_that_has_left(void **state)
{
    static const char *const forms[] = {"pm.flushed_line=keep", "pm.flushed_line=drop"};
    (void)state;
    for (uint32_t drop = 0; drop < 2; drop++)
        for (uint32_t b = 0; b < BACKENDS; b++) {
            struct machine m;
            uint32_t seen[2 * WORDS];
            start(&m, backends[b], NULL, forms[drop], NULL, NULL);
            run(&m, "again", 1, NULL);
            assert_int_equal(counter(&m, "l1_pm_reads"), 1);
            assert_int_equal(counter(&m, "l1_pm_read_misses"), drop);
            assert_int_equal(cowarp_read(m.gpu, seen, m.words, sizeof seen), COWARP_OK);
            for (uint32_t i = 0; i < WORDS; i++) {
                assert_int_equal(seen[i], i);
                assert_int_equal(seen[WORDS + i], i + 1);
            }
            stop(&m);
        }
}

static void refused(const struct machine *m, int status, const char *what)
{
    assert_int_equal(status, COWARP_EINVAL);
    if (strstr(cowarp_error(m->gpu), what) != cowarp_error(m->gpu) || strstr(cowarp_error(m->gpu), "dfence()") == NULL)
        fail_msg("%s", cowarp_error(m->gpu));
}

/* Memory has not got what is in an L1: the host may not use those bytes. It may use others, and these when they have left. */
static void test_pm_options__the_host_keeps_off(void **state)
{
    (void)state;
    struct machine m;
    uint32_t word = 9;
    start(&m, NULL, NULL, "pm.kernel_end=keep", "pm.drain=lazy", NULL);
    write_lines(&m, LINES - 1, 7);
    const uint64_t last = m.words + (LINES - 2) * WORDS * 4 + 124, behind = last + 4;
    refused(&m, cowarp_read(m.gpu, &word, m.words, 4), "read");
    refused(&m, cowarp_read(m.gpu, &word, last, 4), "read");
    refused(&m, cowarp_write(m.gpu, last, &word, 4), "write");
    refused(&m, cowarp_pm_free(m.gpu, "words"), "free");
    assert_int_equal(cowarp_write(m.gpu, behind, &word, 4), COWARP_OK);
    run(&m, "settle", 1, NULL);
    host_sees(&m, LINES - 1, 7);
    assert_int_equal(cowarp_read(m.gpu, &word, behind, 4), COWARP_OK);
    assert_int_equal(word, 9);
    assert_int_equal(cowarp_pm_free(m.gpu, "words"), COWARP_OK);
    stop(&m);
}

/* A persist to absent sectors reads them as well with l2.pm_miss=fetch, and the next one to the same line finds them. */
static void test_pm_options__a_persist_that_misses_fetches(void **state)
{
    (void)state;
    for (uint32_t fetch = 0; fetch < 2; fetch++) {
        struct machine m;
        start(&m, NULL, NULL, fetch ? "l2.pm_miss=fetch" : "l2.pm_miss=install", NULL, NULL);
        for (uint32_t value = 7; value < 9; value++) {
            write_lines(&m, LINES, value);
            assert_int_equal(counter(&m, "nvm_reads"), fetch ? LINES : 0);
            assert_int_equal(counter(&m, "nvm_writes"), (value - 6) * LINES);
            host_sees(&m, LINES, value);
        }
        stop(&m);
    }
}

static void hand(struct machine *m, uint32_t blocks)
{
    const struct cowarp_arg last = COWARP_U32(blocks - 1);
    uint32_t word;
    run(m, "hand", blocks, &last);
    assert_int_equal(cowarp_read(m->gpu, &word, m->words, 4), COWARP_OK);
    assert_int_equal(word, 7);
}

/* Stores of device scope: past the L1 each is a persist. In the L1 the second one, behind a window of one line, has the others join it. Another core sees
 * the word. */
static void test_pm_options__released_words_share_an_entry(void **state)
{
    (void)state;
    for (uint32_t b = 0; b < BACKENDS; b++) {
        struct machine m;
        start(&m, backends[b], NULL, "pm.release=memory", NULL, NULL);
        hand(&m, 9);
        assert_int_equal(counter(&m, "pm_past"), 8);
        assert_int_equal(counter(&m, "nvm_writes"), 8);
        stop(&m);
        start(&m, backends[b], NULL, "pm.release=buffer", "pm.window=1", NULL);
        hand(&m, 9);
        assert_int_equal(counter(&m, "pm_past"), 0);
        assert_int_equal(counter(&m, "pm_persists"), 8);
        assert_int_equal(counter(&m, "pm_coalesced"), 6);
        assert_int_equal(counter(&m, "nvm_writes"), 2);
        stop(&m);
        start(&m, backends[b], NULL, "pm.release=buffer", "core.count=2", NULL);
        hand(&m, 4);
        stop(&m);
    }
}

/* GPM's second fence (pm.gpm_fences=2) waits once more, and is still one ordering operation. */
static void test_pm_options__a_second_fence(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (uint32_t second = 0; second < 2; second++) {
        const char *const settings[] = {"core.count=1", "pm.fence_cycles=1000", second ? "pm.gpm_fences=2" : "pm.gpm_fences=1", NULL};
        struct machine m;
        start_model(&m, "gpm", NULL, NULL, settings);
        run(&m, "settle", 1, NULL);
        assert_int_equal(counter(&m, "pm_orderings"), 1);
        cycles[second] = cowarp_cycles(m.gpu);
        stop(&m);
    }
    assert_in_range(cycles[1] - cycles[0], 1000, 1100);
}

/* The latency of epoch's fence begins with the flush. A persist's round trip takes 100 to 500 cycles near, so one of 100 cycles is hidden by it,
 * and it hides a part of one of 1,000. */
static void test_pm_options__a_fence_begins_with_its_flush(void **state)
{
    (void)state;
    static const char *const fence[] = {"pm.fence_cycles=0", "pm.fence_cycles=100", "pm.fence_cycles=1000"};
    uint64_t cycles[3];
    for (uint32_t i = 0; i < 3; i++) {
        const char *const settings[] = {"core.count=1", fence[i], NULL};
        struct machine m;
        start_model(&m, "epoch", NULL, NULL, settings);
        run(&m, "again", 1, NULL);
        cycles[i] = cowarp_cycles(m.gpu);
        stop(&m);
    }
    assert_int_equal(cycles[1], cycles[0]);
    assert_in_range(cycles[2] - cycles[0], 500, 900);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_pm_options__a_kernel_ends_with_an_empty_buffer, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_pm_options__lines_are_kept_over_kernels, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_pm_options__kept_lines_go_on_in_the_next_kernel, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_pm_options__kept_lines_leave_beside_a_kernel_without_accesses, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_pm_options__a_file_has_what_is_durable, make_folder, remove_folder),
    cmocka_unit_test(test_pm_options__a_line_that_has_left),
    cmocka_unit_test(test_pm_options__the_host_keeps_off),
    cmocka_unit_test(test_pm_options__a_persist_that_misses_fetches),
    cmocka_unit_test(test_pm_options__released_words_share_an_entry),
    cmocka_unit_test(test_pm_options__a_second_fence),
    cmocka_unit_test(test_pm_options__a_fence_begins_with_its_flush),
};
CW_TEST_MAIN(tests)
