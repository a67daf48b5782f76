/* SPDX-License-Identifier: Apache-2.0 */
/* What only a host program meets of the sanitizer: memory that it frees, writes and marks, and findings as the library tells them. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cowarp/cowarp.h"
#include "cw_test.h"

static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".file 3 \"copy.cu\"\n"
                           ".visible .entry copy(.param .u64 to, .param .u64 from)\n"
                           "{ .reg .b64 %rd<4>; .reg .b32 %r<4>; ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from];\n"
                           ".loc 3 12 1\n"
                           "ld.global.u32 %r1, [%rd2];\n" /* line 8 */
                           "add.u32 %r1, %r1, 0; st.global.u32 [%rd1], %r1; ret; }\n";
#define LOAD_LINE 8

struct machine {
    struct cowarp_gpu *gpu;
    struct cowarp_module *module;
    char said[300];
};

static void on_message(void *context, const char *line)
{
    struct machine *m = context;
    snprintf(m->said, sizeof m->said, "%s", line);
}

static void start(struct machine *m, const char *checks)
{
    struct cowarp_options options;
    cowarp_options_init(&options);
    memset(m, 0, sizeof *m);
    options.checks = checks;
    options.check_lines = 1;
    options.on_message = on_message;
    options.context = m;
    assert_int_equal(cowarp_create(&m->gpu, &options), COWARP_OK);
    if (cowarp_load(m->gpu, &m->module, text, sizeof text - 1, "t.ptx") != COWARP_OK)
        fail_msg("%s", cowarp_error(m->gpu));
}

static uint64_t alloc(struct machine *m, uint64_t bytes)
{
    uint64_t address;
    assert_int_equal(cowarp_alloc(m->gpu, &address, bytes), COWARP_OK);
    return address;
}

static void copy(struct machine *m, uint64_t to, uint64_t from, int functional)
{
    const struct cowarp_arg args[] = {COWARP_U64(to), COWARP_U64(from)};
    const struct cowarp_launch l = {
        .size = sizeof l, .kernel = "copy", .grid = {1, 1, 1}, .block = {1, 1, 1}, .arg_count = 2, .args = args, .functional = functional};
    if (cowarp_run(m->gpu, m->module, &l) != COWARP_OK)
        fail_msg("%s", cowarp_error(m->gpu));
}

static void test_sanitizer__freed_memory_is_said_to_be_freed(void **state)
{
    (void)state;
    struct machine m;
    struct cowarp_finding f = {.size = sizeof f};
    uint32_t value = 7;
    start(&m, "memory");
    const uint64_t to = alloc(&m, 4), gone = alloc(&m, 100);
    assert_int_equal(cowarp_free(m.gpu, gone), COWARP_OK);
    assert_true(alloc(&m, 100) != gone); /* the place is kept for such accesses */
    assert_int_equal(cowarp_write(m.gpu, to, &value, 4), COWARP_OK);
    assert_int_equal(cowarp_finding_at(m.gpu, 0, &f), 0);
    copy(&m, to, gone + 40, 0);
    copy(&m, to, gone + 40, 1);
    assert_int_equal(cowarp_read(m.gpu, &value, to, 4), COWARP_OK);
    assert_int_equal(value, 0); /* the load has given 0, and the run went on */
    assert_int_equal(cowarp_finding_at(m.gpu, 0, &f), 1);
    assert_string_equal(f.check, "memory");
    assert_string_equal(f.kernel, "copy");
    assert_string_equal(f.file, "t.ptx");
    assert_string_equal(f.source_file, "copy.cu");
    assert_int_equal(f.source_line, 12);
    assert_int_equal(f.line, LOAD_LINE);
    assert_int_equal(f.other_line, 0);
    assert_int_equal(f.address, gone + 40);
    assert_int_equal(f.bytes, 4);
    assert_int_equal(f.count, 2);
    assert_non_null(strstr(f.text, "freed: 40 bytes into an allocation of 100 bytes that is there no longer"));
    assert_non_null(strstr(m.said, "check memory: kernel copy: t.ptx:8 (copy.cu:12): block (0, 0, 0) thread (0, 0, 0): ld of 4 bytes"));
    assert_int_equal(cowarp_finding_at(m.gpu, 1, &f), 0);
    assert_int_equal(cowarp_findings(m.gpu, "memory"), 2);
    assert_int_equal(cowarp_findings(m.gpu, "race"), 0);
    assert_int_equal(cowarp_findings(m.gpu, NULL), 2);
    cowarp_destroy(m.gpu);
}

static void test_sanitizer__what_the_host_writes_is_written(void **state)
{
    (void)state;
    struct machine m;
    const uint32_t value = 7;
    start(&m, "init");
    const uint64_t to = alloc(&m, 4), from = alloc(&m, 64);
    copy(&m, to, from, 0); /* fresh memory is zeros */
    assert_int_equal(cowarp_findings(m.gpu, NULL), 0);
    cowarp_mark_unwritten(m.gpu, from, 61);
    copy(&m, to, from, 0);
    assert_int_equal(cowarp_findings(m.gpu, NULL), 1);
    copy(&m, to, from + 60, 1); /* of which one byte was marked */
    assert_int_equal(cowarp_findings(m.gpu, NULL), 2);
    assert_int_equal(cowarp_write(m.gpu, from, &value, 4), COWARP_OK);
    copy(&m, to, from, 0);
    copy(&m, to, from, 1);
    assert_int_equal(cowarp_findings(m.gpu, NULL), 2);
    copy(&m, from + 8, to, 0); /* a kernel writes */
    copy(&m, to, from + 8, 1);
    assert_int_equal(cowarp_findings(m.gpu, NULL), 2);
    copy(&m, to, from + 12, 1);
    assert_int_equal(cowarp_findings(m.gpu, NULL), 3);
    cowarp_mark_written(m.gpu, from, 61);
    copy(&m, to, from + 60, 0);
    assert_int_equal(cowarp_findings(m.gpu, NULL), 3);
    cowarp_mark_unwritten(m.gpu, from, 64);
    assert_int_equal(cowarp_free(m.gpu, from), COWARP_OK);
    assert_int_equal(alloc(&m, 64), from); /* zeros again */
    copy(&m, to, from, 0);
    assert_int_equal(cowarp_findings(m.gpu, NULL), 3);
    cowarp_destroy(m.gpu);
}

static void test_sanitizer__survives_a_reset_and_older_callers(void **state)
{
    (void)state;
    struct machine m;
    struct cowarp_finding f = {.size = 0};
    start(&m, "init,memory");
    const uint64_t to = alloc(&m, 4), from = alloc(&m, 4);
    cowarp_mark_unwritten(m.gpu, from, 4);
    assert_int_equal(cowarp_reset(m.gpu), COWARP_OK);
    copy(&m, to, from, 0);
    copy(&m, to, from, 1);
    assert_int_equal(cowarp_findings(m.gpu, "init"), 2);
    assert_int_equal(cowarp_finding_at(m.gpu, 0, &f), 0); /* a size of 0 */
    f = (struct cowarp_finding){.size = offsetof(struct cowarp_finding, source_file), .source_line = 99};
    assert_int_equal(cowarp_finding_at(m.gpu, 0, &f), 1);
    assert_int_equal(f.line, LOAD_LINE);
    assert_int_equal(f.source_line, 99);
    cowarp_destroy(m.gpu);
    start(&m, NULL);
    assert_int_equal(cowarp_findings(m.gpu, NULL), 0);
    cowarp_mark_unwritten(m.gpu, 0, 4); /* nobody looks */
    cowarp_destroy(m.gpu);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sanitizer__freed_memory_is_said_to_be_freed),
    cmocka_unit_test(test_sanitizer__what_the_host_writes_is_written),
    cmocka_unit_test(test_sanitizer__survives_a_reset_and_older_callers),
};

CW_TEST_MAIN(tests)
