/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp's promises about persistent memory: named regions, their file, the log of what becomes durable, crashes; and phases. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cowarp/cowarp.h"
#include "cw_test.h"
#include "mem/device_memory.h"
#include "pm_folder.h"

#define THREADS 64u
#define BYTES   (4 * THREADS)

/* Thread t writes t + step to word t, then waits until it is durable. */
static const char text[] = ".version 7.0\n.target sm_35\n.address_size 64\n.extern .func dfence\n()\n;\n"
                           ".visible .entry fill(.param .u64 words, .param .u32 step)\n{\n"
                           ".reg .b32 %r<4>;\n.reg .b64 %a<4>;\n"
                           "ld.param.u64 %a1, [words];\nld.param.u32 %r2, [step];\n"
                           "mov.u32 %r1, %tid.x;\nmul.wide.u32 %a2, %r1, 4;\nadd.s64 %a1, %a1, %a2;\n"
                           "add.u32 %r1, %r1, %r2;\nst.global.u32 [%a1], %r1;\ncall.uni dfence, ();\nret;\n}\n";

static struct cowarp_options machine(const char *file)
{
    static const char *const settings[] = {"l1.global=write-back", "core.count=2", "partition.count=2", "pm.ack=device", NULL};
    struct cowarp_options o;
    cowarp_options_init(&o);
    o.persistency = "sbrp";
    o.settings = settings;
    o.pm_file = file;
    return o;
}

static struct cowarp_gpu *create(const struct cowarp_options *o)
{
    struct cowarp_gpu *gpu;
    if (cowarp_create(&gpu, o) != COWARP_OK)
        fail_msg("%s", cowarp_error(gpu));
    return gpu;
}

static void refused(int status, int expected, const struct cowarp_gpu *gpu, const char *says)
{
    assert_int_equal(status, expected);
    if (strstr(cowarp_error(gpu), says) == NULL)
        fail_msg("'%s' is not in '%s'", says, cowarp_error(gpu));
}

/* A GPU that cannot be made, and why. */
static void not_created(const struct cowarp_options *o, int expected, const char *says)
{
    struct cowarp_gpu *gpu;
    const int status = cowarp_create(&gpu, o);
    refused(status, expected, gpu, says);
    assert_null(strchr(cowarp_error(gpu), '\n'));
    cowarp_destroy(gpu);
}

static void fill(struct cowarp_gpu *gpu, uint64_t words, uint32_t step)
{
    struct cowarp_module *m;
    const struct cowarp_arg args[] = {COWARP_U64(words), COWARP_U32(step)};
    const struct cowarp_launch l = {
        .size = sizeof l, .kernel = "fill", .grid = {1, 1, 1}, .block = {THREADS, 1, 1}, .arg_count = 2, .args = args};
    assert_int_equal(cowarp_load(gpu, &m, text, strlen(text), "pm.ptx"), COWARP_OK);
    if (cowarp_run(gpu, m, &l) != COWARP_OK)
        fail_msg("%s", cowarp_error(gpu));
}

static uint32_t word(struct cowarp_gpu *gpu, uint64_t address)
{
    uint32_t value;
    assert_int_equal(cowarp_read(gpu, &value, address, sizeof value), COWARP_OK);
    return value;
}

static void test_pm__regions_have_names(void **state)
{
    (void)state;
    const struct cowarp_options o = machine(NULL);
    struct cowarp_gpu *gpu = create(&o);
    uint64_t a, b, again, bytes;
    const char *name;
    assert_int_equal(cowarp_pm_alloc(gpu, &a, "first", 100), COWARP_OK);
    assert_int_equal(a, CW_PM_BASE);
    assert_int_equal(cowarp_pm_alloc(gpu, &b, "second-2_x.y", 300), COWARP_OK);
    assert_int_equal(b, CW_PM_BASE + 256);
    const uint32_t value = 7;
    assert_int_equal(cowarp_write(gpu, a, &value, 4), COWARP_OK);
    assert_int_equal(cowarp_pm_alloc(gpu, &again, "first", 100), COWARP_OK);
    assert_int_equal(again, a);
    assert_int_equal(word(gpu, a), 7);
    refused(cowarp_pm_alloc(gpu, &again, "first", 101), COWARP_EINVAL, gpu, "region 'first' has 100 bytes, 101 are asked for");
    assert_int_equal(cowarp_pm_find(gpu, "second-2_x.y", &again, &bytes), COWARP_OK);
    assert_true(again == b && bytes == 300);
    refused(cowarp_pm_find(gpu, "third", &again, &bytes), COWARP_EINVAL, gpu, "there is no region 'third'");
    assert_int_equal(cowarp_pm_at(gpu, 1, &name, &again, &bytes), 1);
    assert_string_equal(name, "second-2_x.y");
    assert_int_equal(cowarp_pm_at(gpu, 2, &name, &again, &bytes), 0);
    static const char *const wrong[] = {"", "a b", "a/b", "a:b", "0123456789012345678901234567890123456789012345678901234567890123"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        refused(cowarp_pm_alloc(gpu, &again, wrong[i], 8), COWARP_EINVAL, gpu, "is no name");
    assert_int_equal(cowarp_pm_alloc(gpu, &again, wrong[4] + 1, 8), COWARP_OK); /* 63 are allowed */
    refused(cowarp_free(gpu, a), COWARP_EINVAL, gpu, "use cowarp_pm_free");
    assert_int_equal(cowarp_pm_free(gpu, "first"), COWARP_OK);
    refused(cowarp_pm_free(gpu, "first"), COWARP_EINVAL, gpu, "there is no region");
    assert_int_equal(cowarp_pm_alloc(gpu, &again, "first", 101), COWARP_OK);
    assert_int_equal(again, a);
    assert_int_equal(word(gpu, a), 0);
    cowarp_destroy(gpu);
}

static void test_pm__goes_with_no_transactional_system(void **state)
{
    (void)state;
    struct cowarp_options o;
    struct cowarp_gpu *gpu;
    uint64_t a;
    cowarp_options_init(&o);
    o.system = "getm";
    gpu = create(&o);
    refused(cowarp_pm_alloc(gpu, &a, "a", 8), COWARP_EINVAL, gpu, "transactional system getm");
    cowarp_destroy(gpu);
    o.persistency = "sbrp";
    not_created(&o, COWARP_EINVAL, "sbrp cannot be combined with transactional system getm");
}

/* Three GPUs, one after the other: each finds what the one before has left, at the same addresses. */
static void test_pm__regions_outlive_a_gpu(void **state)
{
    (void)state;
    const struct cowarp_options o = machine(path);
    struct cowarp_gpu *gpu = create(&o);
    uint64_t a, b, bytes;
    assert_int_equal(cowarp_pm_alloc(gpu, &a, "a", 70000), COWARP_OK); /* more than is read at once */
    assert_int_equal(cowarp_pm_alloc(gpu, &b, "b", BYTES), COWARP_OK);
    const uint32_t last = 0x12345678;
    assert_int_equal(cowarp_write(gpu, a + 69996, &last, 4), COWARP_OK);
    fill(gpu, b, 100);
    cowarp_destroy(gpu); /* closes the file too */
    gpu = create(&o);
    uint64_t found;
    assert_int_equal(cowarp_pm_find(gpu, "b", &found, &bytes), COWARP_OK);
    assert_true(found == b && bytes == BYTES);
    for (uint32_t t = 0; t < THREADS; t++)
        assert_int_equal(word(gpu, b + 4 * t), t + 100);
    assert_int_equal(word(gpu, a + 69996), 0x12345678);
    assert_int_equal(cowarp_pm_free(gpu, "a"), COWARP_OK);
    assert_int_equal(cowarp_finish(gpu), COWARP_OK);
    cowarp_destroy(gpu);
    gpu = create(&o);
    assert_int_equal(cowarp_pm_find(gpu, "a", &found, &bytes), COWARP_EINVAL);
    assert_int_equal(cowarp_pm_find(gpu, "b", &found, &bytes), COWARP_OK);
    assert_int_equal(found, b); /* where it was, though what lay below it is gone */
    assert_int_equal(word(gpu, b), 100);
    cowarp_destroy(gpu);
}

/* A file has one lock, whatever names it has; and a symbolic link is there still when the file has been replaced. */
static void test_pm__other_names(void **state)
{
    (void)state;
    const struct cowarp_options o = machine(path);
    char soft[600], hard[600];
    struct stat about;
    uint64_t a, bytes;
    snprintf(soft, sizeof soft, "%s.soft", path);
    snprintf(hard, sizeof hard, "%s.hard", path);
    struct cowarp_gpu *gpu = create(&o);
    assert_int_equal(cowarp_pm_alloc(gpu, &a, "a", 8), COWARP_OK);
    cowarp_destroy(gpu);
    assert_int_equal(symlink(path, soft), 0);
    assert_int_equal(link(path, hard), 0);
    const struct cowarp_options by_soft = machine(soft), by_hard = machine(hard);
    gpu = create(&o);
    not_created(&by_soft, COWARP_EIO, "is in use by another run");
    not_created(&by_hard, COWARP_EIO, "is in use by another run");
    cowarp_destroy(gpu);
    gpu = create(&by_soft);
    not_created(&o, COWARP_EIO, "is in use by another run");
    assert_int_equal(cowarp_pm_alloc(gpu, &a, "b", 8), COWARP_OK);
    cowarp_destroy(gpu);
    assert_true(lstat(soft, &about) == 0 && S_ISLNK(about.st_mode));
    gpu = create(&o); /* has what was written through the link */
    assert_int_equal(cowarp_pm_find(gpu, "b", &a, &bytes), COWARP_OK);
    cowarp_destroy(gpu);
    assert_int_equal(unlink(soft) | unlink(hard) | unlink(path), 0);
}

static void test_pm__open_and_close(void **state)
{
    (void)state;
    const struct cowarp_options none = machine(NULL), o = machine(path);
    struct cowarp_gpu *gpu = create(&none), *other;
    uint64_t a;
    assert_int_equal(cowarp_pm_open(gpu, path), COWARP_OK);
    refused(cowarp_pm_open(gpu, path), COWARP_EINVAL, gpu, "close it first");
    not_created(&o, COWARP_EIO, "is in use by another run");
    assert_int_equal(cowarp_pm_alloc(gpu, &a, "a", 8), COWARP_OK);
    assert_int_equal(access(path, F_OK), -1); /* written when it is closed */
    assert_int_equal(cowarp_pm_close(gpu), COWARP_OK);
    assert_int_equal(access(path, F_OK), 0);
    refused(cowarp_pm_open(gpu, path), COWARP_EINVAL, gpu, "has persistent regions already");
    other = create(&o); /* it is free again */
    const uint32_t value = 5;
    assert_int_equal(cowarp_write(other, a, &value, 4), COWARP_OK);
    cowarp_pm_discard(other);
    cowarp_destroy(other);
    other = create(&o);
    assert_int_equal(word(other, a), 0); /* what was discarded is not there */
    cowarp_destroy(other);
    cowarp_destroy(gpu);
}

static long size_of_file(void)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return (long)st.st_size;
}

static char *slurp(long *bytes)
{
    FILE *f = fopen(path, "rb");
    *bytes = size_of_file();
    char *data = malloc((size_t)*bytes + 1);
    assert_int_equal(fread(data, 1, (size_t)*bytes, f), *bytes);
    fclose(f);
    return data;
}

static void spit(const char *data, long bytes)
{
    FILE *f = fopen(path, "wb");
    assert_int_equal(fwrite(data, 1, (size_t)bytes, f), bytes);
    fclose(f);
}

/* Every byte of the file, changed, and every length that is too short: refused, and the file stays as it is. */
static void test_pm__damaged_files_are_refused(void **state)
{
    (void)state;
    struct cowarp_options o = machine(path);
    struct cowarp_gpu *gpu = create(&o);
    uint64_t a;
    long bytes, after, refusals = 0;
    const uint32_t value = 5;
    assert_int_equal(cowarp_pm_alloc(gpu, &a, "some", 12), COWARP_OK);
    assert_int_equal(cowarp_write(gpu, a + 4, &value, 4), COWARP_OK);
    cowarp_destroy(gpu);
    char *good = slurp(&bytes), *bad = malloc((size_t)bytes + 1);
    assert_int_equal(bytes, 24 + 88 + 12);
    for (long i = 0; i < 2 * bytes + 1; i++) {
        const long length = i < bytes ? bytes : i < 2 * bytes ? i - bytes : bytes + 1;
        memcpy(bad, good, (size_t)bytes);
        bad[bytes] = 0;
        if (i < bytes)
            bad[i] = (char)(bad[i] ^ 0x10);
        if (length == 0) /* an empty file is none of persistent memory either */
            bad[0] = 0;
        spit(bad, length);
        not_created(&o, COWARP_EINVAL, path);
        char *now = slurp(&after);
        assert_int_equal(after, length);
        assert_memory_equal(now, bad, (size_t)length);
        free(now);
        refusals++;
    }
    spit(good, bytes);
    static const char *const small[] = {"l1.global=write-back", "pm.mbytes=0", NULL};
    o.settings = small;
    not_created(&o, COWARP_EINVAL, "set pm.mbytes higher");
    print_message("%ld files refused\n", refusals);
    free(good);
    free(bad);
}

/* The log of a run, and the GPU that a crash leaves, against a model: the bytes that were durable, told by the log itself. */
static void test_pm__crashes(void **state)
{
    (void)state;
    struct cowarp_options o = machine(NULL);
    uint64_t a, b, bytes, checks = 0;
    struct cowarp_gpu *to = create(&o);
    o.pm_log = 1;
    struct cowarp_gpu *from = create(&o);
    const uint32_t first = 9;
    uint8_t model[BYTES] = {9}, got[BYTES];
    assert_int_equal(cowarp_pm_alloc(from, &a, "a", BYTES), COWARP_OK);
    assert_int_equal(cowarp_write(from, a, &first, 4), COWARP_OK);
    assert_int_equal(cowarp_persist_count(from), 0);
    fill(from, a, 1000);
    const uint64_t before = cowarp_persist_count(from);
    assert_int_equal(cowarp_pm_alloc(from, &b, "b", 8), COWARP_OK);
    fill(from, a, 2000);
    const uint64_t all = cowarp_persist_count(from);
    assert_true(before >= BYTES / 128 && all >= 2 * before);
    for (uint64_t n = 0; n <= all; n++) {
        struct cowarp_persist p;
        assert_int_equal(cowarp_pm_crash(to, from, n), COWARP_OK);
        assert_int_equal(cowarp_read(to, got, a, BYTES), COWARP_OK);
        assert_memory_equal(got, model, BYTES);
        assert_int_equal(cowarp_pm_find(to, "b", &b, &bytes), n >= before ? COWARP_OK : COWARP_EINVAL);
        checks++;
        if (cowarp_persist_at(from, n, &p) == 0)
            break;
        assert_true(p.cycle > 0 && p.cycle <= cowarp_cycles(from) && p.bytes <= 128);
        for (uint32_t k = 0; k < p.bytes; k++)
            if (p.mask[k / 32] >> k % 32 & 1)
                model[p.address + k - a] = p.data[k];
    }
    assert_int_equal(checks, all + 1);
    assert_int_equal(word(from, a), 2000);
    assert_memory_equal(model, &(uint32_t){2000}, 4);          /* dfence: all is durable */
    assert_int_equal(cowarp_pm_crash(to, from, 0), COWARP_OK); /* back to the beginning */
    assert_int_equal(word(to, a), 9);
    refused(cowarp_pm_crash(to, from, all + 1), COWARP_EINVAL, to, "have been made");
    refused(cowarp_pm_crash(to, to, 0), COWARP_EINVAL, to, "takes the log");
    cowarp_destroy(from);
    cowarp_destroy(to);
}

/* What is in the file after a launch that has failed is what was durable. */
static void test_pm__a_failed_launch_leaves_what_was_durable(void **state)
{
    (void)state;
    struct cowarp_options o = machine(path);
    struct cowarp_gpu *gpu = create(&o);
    struct cowarp_module *m;
    uint64_t a;
    assert_int_equal(cowarp_pm_alloc(gpu, &a, "a", BYTES), COWARP_OK);
    fill(gpu, a, 1);
    assert_int_equal(cowarp_load(gpu, &m, text, strlen(text), "pm.ptx"), COWARP_OK);
    const struct cowarp_arg args[] = {COWARP_U64(64), COWARP_U32(5)}; /* no memory there */
    const struct cowarp_launch l = {
        .size = sizeof l, .kernel = "fill", .grid = {1, 1, 1}, .block = {THREADS, 1, 1}, .arg_count = 2, .args = args};
    assert_int_equal(cowarp_run(gpu, m, &l), COWARP_EFAULT);
    cowarp_destroy(gpu);
    gpu = create(&o);
    assert_int_equal(word(gpu, a + 4), 2);
    cowarp_destroy(gpu);
}

/* A launch is cut off at many moments. What loads see is ahead of what is durable then, and the file has the second. */
static void test_pm__the_file_has_what_was_durable(void **state)
{
    (void)state;
    static const char *const settings[] = {"l1.global=write-back", "core.count=2", "partition.count=2", "pm.ack=device", NULL};
    struct cowarp_options o = machine(path);
    uint32_t seen[THREADS], durable[THREADS], ahead = 0, checks = 0;
    o.settings = settings; /* the way to what is durable is longer */
    o.pm_log = 1;
    for (uint64_t cycles = 600; cycles < 2400; cycles += 20, checks++) {
        uint64_t a;
        struct cowarp_module *m;
        struct cowarp_persist p;
        uint8_t model[BYTES] = {0};
        o.max_cycles = cycles;
        struct cowarp_gpu *gpu = create(&o);
        assert_int_equal(cowarp_pm_alloc(gpu, &a, "a", BYTES), COWARP_OK);
        const struct cowarp_arg args[] = {COWARP_U64(a), COWARP_U32(1)};
        const struct cowarp_launch l = {
            .size = sizeof l, .kernel = "fill", .grid = {1, 1, 1}, .block = {THREADS, 1, 1}, .arg_count = 2, .args = args};
        assert_int_equal(cowarp_load(gpu, &m, text, strlen(text), "pm.ptx"), COWARP_OK);
        const int status = cowarp_run(gpu, m, &l);
        assert_true(status == COWARP_OK || status == COWARP_ELIMIT);
        for (uint64_t i = 0; cowarp_persist_at(gpu, i, &p) != 0; i++)
            for (uint32_t k = 0; k < p.bytes; k++)
                if (p.mask[k / 32] >> k % 32 & 1)
                    model[p.address + k - a] = p.data[k];
        assert_int_equal(cowarp_read(gpu, seen, a, BYTES), COWARP_OK);
        cowarp_destroy(gpu);
        gpu = create(&o);
        assert_int_equal(cowarp_read(gpu, durable, a, BYTES), COWARP_OK);
        cowarp_destroy(gpu);
        assert_memory_equal(durable, model, BYTES);
        ahead += memcmp(seen, durable, BYTES) != 0;
        unlink(path);
    }
    print_message("%u moments, loads ahead in %u\n", checks, ahead);
    assert_true(ahead > 0 && ahead < checks);
}

static void test_pm__phases_and_launches_take_cycles(void **state)
{
    (void)state;
    static const char *const late[] = {"l1.global=write-back", "core.count=2",           "partition.count=2",
                                       "pm.ack=device",        "gpu.launch_cycles=5000", NULL};
    struct cowarp_options o = machine(NULL);
    uint64_t cycles[2], a;
    for (int i = 0; i < 2; i++) {
        struct cowarp_gpu *gpu = create(&o);
        assert_int_equal(cowarp_pm_alloc(gpu, &a, "a", BYTES), COWARP_OK);
        assert_int_equal(cowarp_phase(gpu, "work"), COWARP_OK);
        fill(gpu, a, 1);
        const uint64_t once = cowarp_cycles(gpu);
        assert_int_equal(cowarp_phase(gpu, "other"), COWARP_OK);
        fill(gpu, a, 2);
        assert_int_equal(cowarp_phase(gpu, NULL), COWARP_OK);
        cycles[i] = once;
        refused(cowarp_phase(gpu, ""), COWARP_EINVAL, gpu, "1 to 63 characters");
        assert_int_equal(cowarp_write_stats(gpu, path, NULL, NULL, NULL), COWARP_OK);
        long bytes;
        char *json = slurp(&bytes), wanted[80];
        json[bytes] = '\0';
        snprintf(wanted, sizeof wanted, "\"phases\": [{\"name\": \"work\", \"cycles\": %llu,", (unsigned long long)once);
        assert_non_null(strstr(json, wanted));
        snprintf(wanted, sizeof wanted, "{\"name\": \"other\", \"cycles\": %llu,", (unsigned long long)(cowarp_cycles(gpu) - once));
        assert_non_null(strstr(json, wanted));
        free(json);
        cowarp_destroy(gpu);
        o.settings = late;
    }
    assert_int_equal(cycles[1], cycles[0] + 5000);
}

#define PM_TEST(name) cmocka_unit_test_setup_teardown(test_pm__##name, make_folder, remove_folder)
static const struct CMUnitTest tests[] = {
    PM_TEST(regions_have_names),
    PM_TEST(goes_with_no_transactional_system),
    PM_TEST(regions_outlive_a_gpu),
    PM_TEST(other_names),
    PM_TEST(open_and_close),
    PM_TEST(damaged_files_are_refused),
    PM_TEST(crashes),
    PM_TEST(a_failed_launch_leaves_what_was_durable),
    PM_TEST(the_file_has_what_was_durable),
    PM_TEST(phases_and_launches_take_cycles),
};

CW_TEST_MAIN(tests)
