/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration of the machine and of mechanisms. Expected values are those that the papers' tables print, not what config.def holds. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/config.h"
#include "base/program.h"
#include "control/control.h"
#include "cw_test.h"
#include "mech/getm/keys.h"
#include "mech/mechs.h"
#include "mech/tm/keys.h"

/* Two made-up mechanisms with keys. This program's list of mechanisms has them behind the others, so the linker does not take the
 * library's. */
struct weave_keys {
    uint32_t rows, shuttle;
};
struct loom_keys {
    uint32_t width;
};
static const struct cw_key weave_table[] = {
    CW_KEY_POWER(rows, "weave.rows", 8, 1, 64, "rows", "a paper", "rows of the weave")
        CW_KEY_CHOICE(shuttle, "weave.shuttle", 1, "slow|fast|off", "model", "what the shuttle does")};
static const struct cw_key_preset weave_presets[] = {{"thesis-kilotm", CW_KEY_AT(struct weave_keys, shuttle), 2, "thesis, a page"}};
static int weave_check(const struct cw_config *config, const void *own, struct cw_error *err)
{
    const struct weave_keys *keys = own;
    return keys->rows <= config->core_warps ? CW_OK : cw_fail(err, CW_EINVAL, "weave.rows = %u: above core.warps", keys->rows);
}
static const struct cw_key_set weave_set = {
    .owner = "weave", .key = weave_table, .key_cnt = 2, .preset = weave_presets, .preset_cnt = 1, .check = weave_check};
static const struct cw_key loom_table[] = {CW_KEY_NUMBER(width, "loom.width", 5, 0, 9, "threads", "model", "how wide")};
static const struct cw_key_set loom_set = {.owner = "loom", .key = loom_table, .key_cnt = 1};
static const struct cw_key_set *weave_sets[] = {&weave_set, NULL, NULL};
static const struct cw_key_set *const loom_sets[] = {&weave_set, &loom_set, NULL};
static const struct cw_mech weave = {.name = "weave", .what = "made up", .keys = weave_sets};
static const struct cw_mech loom = {.name = "loom", .what = "made up", .keys = loom_sets};

extern const struct cw_mech cw_mech_getm, cw_mech_kilotm, cw_mech_warptm, cw_mech_warptm_el, cw_mech_eapg, cw_mech_ideal, cw_mech_serial;
const struct cw_control_ops *const cw_controls[] = {NULL};
const struct cw_mech *const cw_mechs[] = {
    &cw_mech_getm, &cw_mech_kilotm, &cw_mech_warptm, &cw_mech_warptm_el, &cw_mech_eapg, &cw_mech_ideal, &cw_mech_serial, &weave, &loom,
    NULL};

static struct cw_config preset(const char *name)
{
    struct cw_config c;
    struct cw_error err;
    assert_int_equal(cw_config_preset(&c, name, &err), CW_OK);
    return c;
}

/* Fails, and the text holds each of the words. */
static void assert_text(const struct cw_error *err, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strstr(err->text, *words) == NULL)
            fail_msg("'%s' does not say '%s'", err->text, *words);
}
#define ASSERT_TEXT(err, ...) assert_text(&(err), (const char *const[]){__VA_ARGS__, NULL})

#define ASSERT_SET_FAILS(config, text, ...)                                  \
    do {                                                                     \
        struct cw_error err_;                                                \
        assert_int_equal(cw_config_set((config), (text), &err_), CW_EINVAL); \
        ASSERT_TEXT(err_, __VA_ARGS__);                                      \
    } while (0)

/* Loads a file with this text. */
static int load_text(struct cw_config *c, const char *text, size_t length, struct cw_error *err)
{
    char path[] = "/tmp/cw_test_config_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), (ssize_t)length);
    close(fd);
    int status = cw_config_load(c, path, NULL, err);
    unlink(path);
    return status;
}

#define ASSERT_LOAD_FAILS(text, ...)                                              \
    do {                                                                          \
        struct cw_config c_ = preset("getm"), before_ = c_;                       \
        struct cw_error err_;                                                     \
        assert_int_equal(load_text(&c_, (text), strlen(text), &err_), CW_EINVAL); \
        ASSERT_TEXT(err_, __VA_ARGS__);                                           \
        assert_memory_equal(&c_, &before_, sizeof c_);                            \
    } while (0)

/* GETM Table II, row by row. */
static void test_config__getm_is_table_ii(void **state)
{
    (void)state;
    const struct cw_config c = preset("getm");
    assert_int_equal(c.core_count, 15);
    assert_int_equal(c.core_warps, 48);
    assert_int_equal(c.core_schedulers * (32 / c.core_issue_cycles), 2 * 16); /* 2 x 16-wide SIMD */
    assert_int_equal(c.core_scheduler, CW_SCHED_GTO);
    assert_int_equal(c.core_registers, 32768);
    assert_int_equal(c.core_shared_bytes, 16 * 1024);
    assert_int_equal(c.l1_bytes, 48 * 1024);
    assert_int_equal(c.l1_ways, 6);
    assert_int_equal(c.l2_bytes, 128 * 1024);
    assert_int_equal(c.l2_ways, 8);
    assert_int_equal(c.noc_latency, 5);
    assert_int_equal(c.clock_core_mhz, 1400);
    assert_int_equal(c.clock_noc_mhz, 1400);
    assert_int_equal(c.clock_l2_mhz, 1400); /* validation unit */
    assert_int_equal(c.clock_cu_mhz, 700);
    assert_int_equal(c.clock_dram_mhz, 924);
    assert_int_equal(c.partition_count, 6);
    assert_int_equal(c.dram_queue, 32);
    assert_int_equal(c.dram_latency, 200);
    assert_int_equal(cw_getm_keys_of(&c)->getm_stash, 4);
    assert_int_equal(cw_getm_keys_of(&c)->getm_stall_lines, 4);
    assert_int_equal(cw_getm_keys_of(&c)->getm_stall_entries, 4);
    assert_int_equal(cw_tm_keys_of(&c)->cu_write_bytes, 32);
    assert_int_equal(cw_tm_keys_of(&c)->tm_ownership_entries, 4096);
    /* 177 GB/s: bytes per microsecond of all partitions, within the paper's rounding */
    const double bandwidth = (double)c.partition_count * c.dram_bytes_per_cycle * c.clock_dram_mhz;
    assert_true(bandwidth > 176500 && bandwidth < 177500);
    assert_true(c.partition_count * 4 * cw_getm_keys_of(&c)->getm_table_rows >= 4096);
    assert_true(c.partition_count * 4 * cw_getm_keys_of(&c)->getm_bloom_rows >= 1024);
}

/* GETM VI.A: 56 cores, 4 MB in eight 8-way banks, twice the 4K precise entries, the 1K approximate ones not doubled. */
static void test_config__getm_56_is_section_vi_a(void **state)
{
    (void)state;
    const struct cw_config c = preset("getm-56");
    assert_int_equal(c.core_count, 56);
    assert_int_equal(c.partition_count, 8);
    assert_int_equal(c.partition_count * c.l2_bytes, 4 << 20);
    assert_int_equal(c.l2_ways, 8);
    assert_int_equal(c.partition_count * 4 * cw_getm_keys_of(&c)->getm_table_rows, 2 * 4096);
    assert_int_equal(c.partition_count * 4 * cw_getm_keys_of(&c)->getm_bloom_rows, 1024);
    assert_int_equal(c.clock_core_mhz, 1400);
}

/* Thesis Table 6.1. */
static void test_config__thesis_warptm_is_table_6_1(void **state)
{
    (void)state;
    const struct cw_config c = preset("thesis-warptm");
    assert_int_equal(c.core_count, 15);
    assert_int_equal(c.core_warps * 32, 1536);
    assert_int_equal(c.core_shared_bytes, 16 * 1024);
    assert_int_equal(c.l1_bytes, 48 * 1024);
    assert_int_equal(c.l1_global, CW_OFF);
    assert_int_equal(c.noc_flit_bytes, 32);
    assert_int_equal(cw_tm_keys_of(&c)->tm_resolvers, 3);
    assert_int_equal(c.clock_dram_mhz, 924);
    assert_int_equal(c.clock_cu_mhz, 700);
    /* the published simulator has one clock for L2 and commit units; Table 6.1's L2 latency stays 330 core cycles */
    const struct cw_config getm = preset("getm");
    assert_int_equal(c.clock_l2_mhz, c.clock_cu_mhz);
    assert_int_equal(c.l2_rop_latency * getm.clock_l2_mhz, getm.l2_rop_latency * c.clock_l2_mhz);
    assert_int_equal(c.l2_latency * getm.clock_l2_mhz, getm.l2_latency * c.clock_l2_mhz);
}

/* Time is kept when the clock is halved: each latency in nanoseconds is that of the 1400-MHz machine. */
/* The authors' file has classes of instructions of their own (tests/system/presets.csv); Table II has no latencies of units. Its
 * simulator's L2 has queues and no latency, and l2.latency of getm is what makes Table II's sum. */
static bool of_a_class(const char *name, uint32_t in_getm)
{
    return in_getm == 0 || strcmp(name, "fu.imul_latency") == 0 || strcmp(name, "fu.fdiv_interval") == 0;
}

static void test_config__halved_clock_keeps_latencies(void **state)
{
    (void)state;
    const struct cw_config full = preset("getm"), half = preset("getm-artifact");
    assert_int_equal(half.clock_core_mhz * 2, full.clock_core_mhz);
    assert_int_equal(half.clock_noc_mhz, full.clock_noc_mhz);
    for (uint32_t i = 0; i < cw_config_count(); i++) {
        struct cw_config_info a, b;
        cw_config_info(&full, i, &a);
        cw_config_info(&half, i, &b);
        if (strncmp(a.name, "fu.", 3) == 0 || strcmp(a.name, "l2.rop_latency") == 0 || strcmp(a.name, "dram.latency") == 0 ||
            strcmp(a.name, "tm.backoff_cycles") == 0 || strcmp(a.name, "getm.overflow_latency") == 0)
            if (a.value != 2 * b.value && !of_a_class(a.name, a.value))
                fail_msg("%s: %u is not twice %u", a.name, a.value, b.value);
    }
    assert_int_equal(half.l2_bytes / half.l2_ways / 128, 64); /* sets */
    assert_int_equal(half.dram_queue, 16);
}

static void test_config__every_preset_passes_its_checks(void **state)
{
    (void)state;
    uint32_t cnt = 0;
    for (const char *const *name = cw_config_presets(); *name != NULL; name++, cnt++) {
        struct cw_error err = {""};
        const struct cw_config c = preset(*name);
        if (cw_config_check(&c, &err) != CW_OK)
            fail_msg("%s: %s", *name, err.text);
        assert_string_equal(c.preset, *name);
        assert_non_null(cw_config_preset_what(*name));
    }
    assert_int_equal(cnt, 20);
}

static void test_config__values_lie_in_their_ranges_and_name_a_source(void **state)
{
    (void)state;
    for (const char *const *name = cw_config_presets(); *name != NULL; name++) {
        const struct cw_config c = preset(*name);
        for (uint32_t i = 0; i < cw_config_count(); i++) {
            struct cw_config_info info;
            cw_config_info(&c, i, &info);
            if (info.words == NULL && (info.value < info.minimum || info.value > info.maximum))
                fail_msg("%s: %s = %u", *name, info.name, info.value);
            assert_true(info.source[0] != '\0' && info.what[0] != '\0');
            assert_true(info.words != NULL || info.unit[0] != '\0');
            assert_string_not_equal(info.source, "set by the user");
        }
    }
}

static void test_config__source_follows_the_value(void **state)
{
    (void)state;
    struct cw_config c = preset("getm-56");
    struct cw_config_info info;
    struct cw_error err;
    uint32_t i;
    assert_int_equal(cw_config_find(&i, "core.count", &err), CW_OK);
    cw_config_info(&c, i, &info);
    assert_non_null(strstr(info.source, "VI.A"));
    assert_int_equal(cw_config_set(&c, "core.count=57", &err), CW_OK);
    cw_config_info(&c, i, &info);
    assert_string_equal(info.source, "set by the user");
}

static void test_config__set_takes_toml_integers_and_words(void **state)
{
    (void)state;
    struct cw_config c = preset("getm");
    struct cw_error err;
    assert_int_equal(cw_config_set(&c, "watchdog.cycles=1_000_000", &err), CW_OK);
    assert_int_equal(c.watchdog_cycles, 1000000);
    assert_int_equal(cw_config_set(&c, "core.registers=0x8000", &err), CW_OK);
    assert_int_equal(c.core_registers, 32768);
    assert_int_equal(cw_config_set(&c, "tm.warps=0", &err), CW_OK);
    assert_int_equal(cw_tm_keys_of(&c)->tm_warps, 0);
    assert_int_equal(cw_config_set(&c, "tm.warps=+4", &err), CW_OK);
    assert_int_equal(cw_tm_keys_of(&c)->tm_warps, 4);
    assert_int_equal(cw_config_set(&c, "core.scheduler=lrr", &err), CW_OK);
    assert_int_equal(c.core_scheduler, CW_SCHED_LRR);
}

static void test_config__set_refuses_and_says_the_range(void **state)
{
    (void)state;
    struct cw_config c = preset("getm");
    const struct cw_config before = c;
    ASSERT_SET_FAILS(&c, "core.count=0", "core.count", "1 to 256", "cores");
    ASSERT_SET_FAILS(&c, "core.count=257", "1 to 256");
    ASSERT_SET_FAILS(&c, "core.count=-1", "1 to 256");
    ASSERT_SET_FAILS(&c, "core.count=4294967311", "1 to 256");           /* 15 in 32 bits */
    ASSERT_SET_FAILS(&c, "core.count=18446744073709551631", "1 to 256"); /* 15 in 64 bits */
    ASSERT_SET_FAILS(&c, "core.count=99999999999999999999999999999999999999", "1 to 256");
    ASSERT_SET_FAILS(&c, "core.count=", "not a whole number");
    ASSERT_SET_FAILS(&c, "core.count=15x", "not a whole number");
    ASSERT_SET_FAILS(&c, "core.count=1.5", "not a whole number");
    ASSERT_SET_FAILS(&c, "core.count= 15", "not a whole number");
    ASSERT_SET_FAILS(&c, "core.count=015", "not a whole number");
    ASSERT_SET_FAILS(&c, "core.count=1__5", "not a whole number");
    ASSERT_SET_FAILS(&c, "core.count=15_", "not a whole number");
    ASSERT_SET_FAILS(&c, "core.count=0x", "not a whole number");
    ASSERT_SET_FAILS(&c, "core.scheduler=fifo", "gto|lrr");
    ASSERT_SET_FAILS(&c, "core.scheduler=gt", "gto|lrr");
    ASSERT_SET_FAILS(&c, "core.scheduler=", "gto|lrr");
    ASSERT_SET_FAILS(&c, "core.count", "name=value");
    ASSERT_SET_FAILS(&c, "=5", "unknown parameter");
    assert_memory_equal(&c, &before, sizeof c);
}

static void test_config__unknown_names_get_a_suggestion(void **state)
{
    (void)state;
    struct cw_config c = preset("getm");
    struct cw_error err;
    ASSERT_SET_FAILS(&c, "core.cuont=15", "unknown parameter", "core.count");
    ASSERT_SET_FAILS(&c, "l2.way=8", "l2.ways");
    assert_int_equal(cw_config_preset(&c, "gtem", &err), CW_EINVAL);
    ASSERT_TEXT(err, "unknown preset", "'getm'");
    assert_int_equal(cw_config_preset(&c, "quite another machine", &err), CW_EINVAL);
    ASSERT_TEXT(err, "cowarp list");
    char longest[400] = "core.";
    memset(longest + 5, 'x', sizeof longest - 8);
    strcpy(longest + sizeof longest - 3, "=1");
    ASSERT_SET_FAILS(&c, longest, "unknown parameter");
}

static void test_config__file_of_toml(void **state)
{
    (void)state;
    static const char text[] = "# a machine\r\n"
                               "noc.latency = 7 # dotted key\n"
                               "\n"
                               "[core]\n"
                               "count=3\n"
                               "  scheduler = \"lrr\"\t# word\n"
                               "[ l2 ]\n"
                               "ways = 1_6\n"
                               "bytes = 0x20000";
    struct cw_config c = preset("getm"), expected = c;
    struct cw_error err = {""};
    expected.noc_latency = 7;
    expected.core_count = 3;
    expected.core_scheduler = CW_SCHED_LRR;
    expected.l2_ways = 16;
    expected.l2_bytes = 131072;
    assert_int_equal(load_text(&c, text, sizeof text - 1, &err), CW_OK);
    assert_memory_equal(&c, &expected, sizeof c);
}

static void test_config__file_errors_name_the_line(void **state)
{
    (void)state;
    ASSERT_LOAD_FAILS("[core]\n\ncuont = 15\n", ":3:", "core.cuont", "core.count");
    ASSERT_LOAD_FAILS("[core]\ncount = 1000\n", ":2:", "1 to 256");
    ASSERT_LOAD_FAILS("[core]\ncount = 3\ncount = 4\n", ":3:", "already set in line 2");
    ASSERT_LOAD_FAILS("core.count = 3\n[core]\ncount = 4\n", ":3:", "already set in line 1");
    ASSERT_LOAD_FAILS("[core\ncount = 3\n", ":1:", "expected ]");
    ASSERT_LOAD_FAILS("[]\n", ":1:", "expected a name");
    ASSERT_LOAD_FAILS("[[core]]\n", ":1:", "arrays of tables");
    ASSERT_LOAD_FAILS("[core] count = 3\n", ":1:", "end of the line");
    ASSERT_LOAD_FAILS("core.count 3\n", ":1:", "expected =");
    ASSERT_LOAD_FAILS("core.count =\n", ":1:", "expected a value");
    ASSERT_LOAD_FAILS("core.count = # none\n", ":1:", "expected a value");
    ASSERT_LOAD_FAILS("core.count = 3 4\n", ":1:", "end of the line");
    ASSERT_LOAD_FAILS("core.count = \"3\"\n", ":1:", "without quotes");
    ASSERT_LOAD_FAILS("core.scheduler = lrr\n", ":1:", "in quotes");
    ASSERT_LOAD_FAILS("core.scheduler = \"lrr\n", ":1:", "closing quote");
    ASSERT_LOAD_FAILS("core. = 3\n", ":1:", "expected a name");
    ASSERT_LOAD_FAILS("core.count = [3]\n", ":1:", "not a whole number");
    ASSERT_LOAD_FAILS("core.count = true\n", ":1:", "not a whole number");
    char text[256] = "[";
    memset(text + 1, 'a', 200);
    ASSERT_LOAD_FAILS(text, ":1:", "too long");
}

static void test_config__file_that_is_none(void **state)
{
    (void)state;
    struct cw_config c = preset("getm");
    struct cw_error err;
    assert_int_equal(cw_config_load(&c, "/nonexistent/machine.toml", NULL, &err), CW_EIO);
    ASSERT_TEXT(err, "/nonexistent/machine.toml");
    assert_int_equal(cw_config_load(&c, "/tmp", NULL, &err), CW_EIO);
    assert_int_equal(load_text(&c, "core.count\0= 3", 14, &err), CW_EINVAL);
    ASSERT_TEXT(err, "NUL");
}

/* Writing and reading is the identity for every preset and for a changed machine. */
static void test_config__write_and_load_round_trip(void **state)
{
    (void)state;
    for (const char *const *name = cw_config_presets(); *name != NULL; name++) {
        struct cw_config written = preset(*name), read = preset("getm");
        struct cw_error err = {""};
        char *text;
        size_t length;
        written.core_scheduler = CW_SCHED_LRR;
        written.mem_mbytes = 77;
        assert_int_equal(cw_config_set(&written, "weave.rows=32", &err), CW_OK);
        assert_int_equal(cw_config_set(&written, "weave.shuttle=slow", &err), CW_OK);
        FILE *f = open_memstream(&text, &length);
        assert_non_null(f);
        cw_config_write(&written, f);
        fclose(f);
        if (load_text(&read, text, length, &err) != CW_OK)
            fail_msg("%s: %s", *name, err.text);
        free(text);
        memcpy(read.preset, written.preset, sizeof read.preset);
        assert_memory_equal(&written, &read, sizeof read);
    }
}

/* The settings, one at a time on a good machine, must be refused with a text that names the parameter. */
static void test_config__conditions_between_parameters(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"tm.granule_bytes=24", "power of two"},
        {"getm.table_rows=300", "power of two"},
        {"getm.bloom_rows=3", "power of two"},
        {"partition.interleave=384", "power of two"},
        {"mem.line_bytes=96", "power of two"},
        {"dram.banks=12", "power of two"},
        {"l1.ways=7", "l1.bytes"},
        {"l2.ways=7", "l2.bytes"},
        {"l2.bytes=131073", "l2.bytes"},
        {"noc.flit_bytes=4", "noc."},
        {"noc.in_flits=8", "noc.in_flits"},
        {"noc.out_flits=8", "noc.out_flits"},
        {"dram.banks=2", "dram.bank_groups"},
        {"dram.burst_bytes=256", "dram.burst_bytes"},
        {"dram.sharing=4", "dram.sharing"}, /* of 6 partitions */
        {"dram.ccdl=1", "dram.ccdl"},
        {"dram.rc=20", "dram.rc"},
        {"tm.backoff_max_cycles=10", "tm.backoff_max_cycles"},
        {"watchdog.livelock_cycles=1000", "watchdog.livelock_cycles"},
    };
    for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct cw_config c = preset("getm");
        struct cw_error err = {""};
        assert_int_equal(cw_config_set(&c, bad[i][0], &err), CW_OK);
        if (cw_config_check(&c, &err) != CW_EINVAL)
            fail_msg("%s is accepted", bad[i][0]);
        ASSERT_TEXT(err, bad[i][1]);
    }
}

/* What depends on the line: a machine is good with one of 128 bytes and refused with one of 64. */
static void test_config__line_bounds_other_parameters(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"dram.burst_bytes=128", "a burst is at most one line of mem.line_bytes = 64"},
        {"tm.granule_bytes=128", "a granule must lie in one line, at most mem.line_bytes = 64"},
    };
    for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct cw_config c = preset("getm");
        struct cw_error err = {""};
        assert_int_equal(cw_config_set(&c, bad[i][0], &err), CW_OK);
        assert_int_equal(cw_config_check(&c, &err), CW_OK);
        assert_int_equal(cw_config_set(&c, "mem.line_bytes=64", &err), CW_OK);
        assert_int_equal(cw_config_check(&c, &err), CW_EINVAL);
        ASSERT_TEXT(err, bad[i][1]);
    }
    struct cw_config c = preset("getm");
    struct cw_error err = {""};
    assert_int_equal(cw_config_set(&c, "mem.line_bytes=64", &err), CW_OK);
    assert_int_equal(cw_config_check(&c, &err), CW_OK);
    /* 15 sets of eight ways with lines of 64 bytes; with lines of 128, half a set is left */
    assert_int_equal(cw_config_set(&c, "l2.bytes=7680", &err), CW_OK);
    assert_int_equal(cw_config_check(&c, &err), CW_OK);
    assert_int_equal(cw_config_set(&c, "mem.line_bytes=128", &err), CW_OK);
    assert_int_equal(cw_config_check(&c, &err), CW_EINVAL);
    ASSERT_TEXT(err, "l2.bytes");
}

/* Five large primes: their product passes 10^12 units per microsecond. */
static void test_config__clocks_must_have_a_small_common_multiple(void **state)
{
    (void)state;
    struct cw_config c = preset("getm");
    struct cw_error err;
    c.clock_core_mhz = 9973;
    c.clock_noc_mhz = 9967;
    c.clock_l2_mhz = 9949;
    c.clock_cu_mhz = 9941;
    c.clock_dram_mhz = 9931;
    assert_int_equal(cw_config_check(&c, &err), CW_EINVAL);
    ASSERT_TEXT(err, "clock.*");
}

static const struct weave_keys *weave_of(const struct cw_config *c)
{
    return cw_config_own(c, &weave_set);
}

static void test_config__a_mechanism_has_its_keys(void **state)
{
    (void)state;
    struct cw_config c = preset("getm");
    struct cw_error err = {""};
    assert_int_equal(weave_of(&c)->rows, 8);
    assert_int_equal(weave_of(&c)->shuttle, 1);
    assert_int_equal(((const struct loom_keys *)cw_config_own(&c, &loom_set))->width, 5);
    assert_int_equal(cw_config_set(&c, "weave.rows=16", &err), CW_OK);
    assert_int_equal(cw_config_set(&c, "weave.shuttle=off", &err), CW_OK);
    assert_int_equal(cw_config_set(&c, "loom.width=0", &err), CW_OK);
    assert_int_equal(weave_of(&c)->rows, 16);
    assert_int_equal(weave_of(&c)->shuttle, 2);
    assert_int_equal(((const struct loom_keys *)cw_config_own(&c, &loom_set))->width, 0);
    const struct cw_config copy = c, fresh = preset("getm");
    assert_int_equal(weave_of(&copy)->rows, 16);
    assert_memory_equal(&c, &fresh, offsetof(struct cw_config, own)); /* nothing of the machine has changed */
    ASSERT_SET_FAILS(&c, "weave.rows=65", "weave.rows", "1 to 64", "rows");
    ASSERT_SET_FAILS(&c, "weave.shuttle=medium", "slow|fast|off");
    ASSERT_SET_FAILS(&c, "weave.shutle=fast", "did you mean 'weave.shuttle'");
}

/* A set that two mechanisms name has its keys once, at the end of the list. */
static void test_config__keys_are_listed_once(void **state)
{
    (void)state;
    static const char *const last[] = {"weave.rows", "weave.shuttle", "loom.width"};
    struct cw_config c = preset("getm");
    struct cw_config_info a, b;
    for (uint32_t i = 0; i < cw_config_count(); i++)
        for (uint32_t k = i + 1; k < cw_config_count(); k++) {
            cw_config_info(&c, i, &a);
            cw_config_info(&c, k, &b);
            if (strcmp(a.name, b.name) == 0)
                fail_msg("%s is there twice", a.name);
        }
    for (uint32_t i = 0; i < 3; i++) {
        cw_config_info(&c, cw_config_count() - 3 + i, &a);
        assert_string_equal(a.name, last[i]);
    }
}

static void test_config__presets_set_a_mechanisms_keys(void **state)
{
    (void)state;
    struct cw_config c = preset("thesis-kilotm"), other = preset("thesis-warptm");
    struct cw_config_info info;
    struct cw_error err;
    uint32_t i;
    assert_int_equal(weave_of(&c)->shuttle, 2);
    assert_int_equal(weave_of(&other)->shuttle, 1);
    assert_int_equal(cw_config_find(&i, "weave.shuttle", &err), CW_OK);
    cw_config_info(&c, i, &info);
    assert_string_equal(info.source, "thesis, a page");
    cw_config_info(&other, i, &info);
    assert_string_equal(info.source, "model");
}

/* A value for a preset or a key that does not exist would be ignored in silence. */
static void test_config__values_for_presets_name_a_preset_and_a_key(void **state)
{
    (void)state;
    for (uint32_t n = 0; cw_program.key_set_at(n) != NULL; n++) {
        const struct cw_key_set *set = cw_program.key_set_at(n);
        for (uint32_t i = 0; i < set->preset_cnt; i++) {
            const struct cw_key_preset *p = &set->preset[i];
            if (cw_config_preset_what(p->preset) == NULL)
                fail_msg("%s: there is no preset %s", set->owner, p->preset);
            assert_true(p->key < set->key_cnt);
            for (uint32_t k = 0; k < i; k++)
                if (set->preset[k].key == p->key && strcmp(set->preset[k].preset, p->preset) == 0)
                    fail_msg("%s sets %s twice in %s", set->owner, set->key[p->key].name, p->preset);
        }
    }
}

static void test_config__a_mechanism_checks_its_keys(void **state)
{
    (void)state;
    struct cw_config c = preset("getm");
    struct cw_error err = {""};
    assert_int_equal(cw_config_check(&c, &err), CW_OK);
    assert_int_equal(cw_config_set(&c, "weave.rows=12", &err), CW_OK);
    assert_int_equal(cw_config_check(&c, &err), CW_EINVAL);
    ASSERT_TEXT(err, "weave.rows = 12", "power of two");
    assert_int_equal(cw_config_set(&c, "weave.rows=64", &err), CW_OK);
    assert_int_equal(cw_config_check(&c, &err), CW_EINVAL);
    ASSERT_TEXT(err, "above core.warps");
}

static void test_config__too_many_keys_are_refused(void **state)
{
    (void)state;
    static const struct cw_key_set large = {.owner = "carpet", .key = weave_table, .key_cnt = CW_CONFIG_OWN};
    struct cw_config c;
    struct cw_error err;
    weave_sets[1] = &large;
    const int status = cw_config_preset(&c, "getm", &err);
    weave_sets[1] = NULL;
    assert_int_equal(status, CW_EINVAL);
    ASSERT_TEXT(err, "too many configuration keys", "carpet", "CW_CONFIG_OWN");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_config__getm_is_table_ii),
    cmocka_unit_test(test_config__getm_56_is_section_vi_a),
    cmocka_unit_test(test_config__thesis_warptm_is_table_6_1),
    cmocka_unit_test(test_config__halved_clock_keeps_latencies),
    cmocka_unit_test(test_config__every_preset_passes_its_checks),
    cmocka_unit_test(test_config__values_lie_in_their_ranges_and_name_a_source),
    cmocka_unit_test(test_config__source_follows_the_value),
    cmocka_unit_test(test_config__set_takes_toml_integers_and_words),
    cmocka_unit_test(test_config__set_refuses_and_says_the_range),
    cmocka_unit_test(test_config__unknown_names_get_a_suggestion),
    cmocka_unit_test(test_config__file_of_toml),
    cmocka_unit_test(test_config__file_errors_name_the_line),
    cmocka_unit_test(test_config__file_that_is_none),
    cmocka_unit_test(test_config__write_and_load_round_trip),
    cmocka_unit_test(test_config__conditions_between_parameters),
    cmocka_unit_test(test_config__line_bounds_other_parameters),
    cmocka_unit_test(test_config__clocks_must_have_a_small_common_multiple),
    cmocka_unit_test(test_config__a_mechanism_has_its_keys),
    cmocka_unit_test(test_config__keys_are_listed_once),
    cmocka_unit_test(test_config__presets_set_a_mechanisms_keys),
    cmocka_unit_test(test_config__values_for_presets_name_a_preset_and_a_key),
    cmocka_unit_test(test_config__a_mechanism_checks_its_keys),
    cmocka_unit_test(test_config__too_many_keys_are_refused),
};
CW_TEST_MAIN(tests)
