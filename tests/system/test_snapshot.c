/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation (systems sitm-ts and sitm-oracle): write skew, lost updates and loops by small programs whose result says what went wrong, random
 * programs against the serializability oracle, deliberate faults, and what is refused. The kernels are in snapshot.ptx.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cowarp/cowarp.h"
#include "cw_test.h"

enum { LOAD, STORE, ADD, WAIT, TAKE, COPY, NOTHING, END };

#define OP(kind, word, value) ((uint32_t)(kind) | (uint32_t)(word) << 3 | (uint32_t)(value) << 16)
#define WORDS                 256u
#define THREADS               256u
#define OPS                   16u
#define TXS                   8u

struct machine {
    struct cowarp_gpu *gpu;
    struct cowarp_module *module;
    uint64_t words, program, out;
    char setting[12][48];
    const char *settings[13];
};

static uint32_t program[THREADS * TXS * OPS], word[WORDS], result[THREADS * TXS];
static const char *snapshots = "sitm-ts";
static uint32_t ticks; /* 1: in reverse order; 2: always */

/* sitm-oracle has no tables and no times. */
static bool is_read(const char *setting)
{
    static const char *const keys[] = {"si.reader_entries", "si.postdate_latency", "si.time_bits", "si.step"};
    bool own = false;
    for (uint32_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        own |= strncmp(setting, keys[i], strlen(keys[i])) == 0;
    return !own || strcmp(snapshots, "sitm-ts") == 0;
}

/* settings: words "key=value" with blanks between. */
static int open_machine(struct machine *m, const char *settings, const char *sabotage)
{
    struct cowarp_options options;
    uint32_t cnt = 0;
    memset(m, 0, sizeof *m);
    for (const char *at = settings; *at != '\0' && cnt < 12; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        snprintf(m->setting[cnt], sizeof m->setting[cnt], "%.*s", (int)length, at);
        m->settings[cnt] = m->setting[cnt];
        cnt += is_read(m->setting[cnt]);
        at += length;
    }
    m->settings[cnt] = NULL;
    cowarp_options_init(&options);
    options.system = snapshots;
    options.settings = m->settings;
    options.sabotage = sabotage;
    options.check_serial = 1;
    options.reverse_ticks = ticks == 1;
    options.tick_always = ticks == 2;
    int status = cowarp_create(&m->gpu, &options);
    if (status == COWARP_OK)
        status = cowarp_load_file(m->gpu, &m->module, CW_SOURCE_DIR "/tests/system/snapshot.ptx");
    if (status == COWARP_OK)
        status = cowarp_alloc_versioned(m->gpu, &m->words, sizeof word);
    if (status == COWARP_OK)
        status = cowarp_alloc(m->gpu, &m->program, sizeof program);
    if (status == COWARP_OK)
        status = cowarp_alloc(m->gpu, &m->out, sizeof result);
    return status;
}

static void open_sound(struct machine *m, const char *settings)
{
    if (open_machine(m, settings, NULL) != COWARP_OK)
        fail_msg("%s: %s", settings, cowarp_error(m->gpu));
}

static int baseline; /* of launches */

/* Runs the programs of blocks x threads threads on word[], which then has what memory has. */
static int run(struct machine *m, uint32_t blocks, uint32_t threads, uint32_t txs, uint32_t ops)
{
    const struct cowarp_arg args[] = {COWARP_U64(m->words), COWARP_U64(m->program), COWARP_U64(m->out), COWARP_U32(txs), COWARP_U32(ops)};
    const struct cowarp_launch launch = {.size = sizeof launch,
                                         .kernel = "mix",
                                         .grid = {blocks, 1, 1},
                                         .block = {threads, 1, 1},
                                         .arg_count = 5,
                                         .args = args,
                                         .baseline = baseline};
    int status = cowarp_write(m->gpu, m->program, program, 4ull * blocks * threads * txs * ops);
    if (status == COWARP_OK)
        status = cowarp_write(m->gpu, m->words, word, sizeof word);
    if (status == COWARP_OK)
        status = cowarp_run(m->gpu, m->module, &launch);
    if (status == COWARP_OK)
        status = cowarp_read(m->gpu, word, m->words, sizeof word);
    if (status == COWARP_OK)
        status = cowarp_read(m->gpu, result, m->out, 4ull * blocks * threads * txs);
    return status;
}

static void run_sound(struct machine *m, uint32_t blocks, uint32_t threads, uint32_t txs, uint32_t ops)
{
    if (run(m, blocks, threads, txs, ops) != COWARP_OK)
        fail_msg("%s", cowarp_error(m->gpu));
}

static uint64_t count(struct machine *m, const char *name)
{
    uint64_t value = 0;
    assert_int_equal(cowarp_counter(m->gpu, name, &value), COWARP_OK);
    return value;
}

/* What must hold of the counters of any run. */
static void check_counters(struct machine *m)
{
    assert_int_equal(count(m, "tx_begun"), count(m, "tx_committed"));
    assert_int_equal(count(m, "tx_aborted_single_writer") + count(m, "tx_aborted_loop") + count(m, "tx_aborted_write_write") +
                         count(m, "tx_aborted_table"),
                     count(m, "tx_aborted"));
    assert_int_equal(count(m, "si_copies"), count(m, "dram_row_copies"));
    assert_true(count(m, "si_loops") <= count(m, "si_edges"));
    assert_true(count(m, "si_false_loops") <= count(m, "si_loops"));
}

/* The textbook's write skew: two of a pair may each take one, as long as both are there. Pair p has words 2p and 2p + 1, both 1, and two
 * threads, which read both and then wait. late: turns by which the second one waits longer. */

#define PAIRS 24u

static void make_skew(uint32_t first, uint32_t late)
{
    const uint32_t ops = 4;
    for (uint32_t i = 0; i < 2 * PAIRS; i++) {
        const uint32_t pair = i / 2, mine = i % 2;
        uint32_t *op = program + i * ops;
        op[0] = OP(LOAD, 2 * pair, 0);
        op[1] = OP(LOAD, 2 * pair + 1, 0);
        op[2] = OP(WAIT, 0, mine == 0 ? first : first + late);
        op[3] = OP(TAKE, 2 * pair + mine, 2);
    }
    for (uint32_t i = 0; i < WORDS; i++)
        word[i] = 1;
}

static uint32_t skewed(void)
{
    uint32_t cnt = 0;
    for (uint32_t pair = 0; pair < PAIRS; pair++)
        cnt += word[2 * pair] + word[2 * pair + 1] == 0;
    return cnt;
}

/* Each way in which the two may overlap: both read, then both write; one has committed before the other writes. */
static void test_snapshot__no_write_skew(void **state)
{
    (void)state;
    uint64_t loops = 0, false_loops = 0;
    for (uint32_t late = 0; late < 1000; late = late * 3 + 20) {
        struct machine m;
        open_sound(&m, "core.count=4");
        make_skew(50, late);
        run_sound(&m, 2 * PAIRS, 1, 1, 4);
        assert_int_equal(skewed(), 0);
        check_counters(&m);
        loops += count(&m, "si_loops");
        false_loops += count(&m, "si_false_loops");
        cowarp_destroy(m.gpu);
    }
    assert_true(loops - false_loops >= PAIRS); /* most pairs are loops, and nothing else is refused but for want of a number */
    assert_true(false_loops < loops / 10);
}

/* The exact graph beside the logical times changes no cycle, and finds the loops that they refuse. A pair's threads read what the other one writes. */
static void test_snapshot__exact_graph_counts(void **state)
{
    static const char *const names[] = {"core_active_cycles", "tx_aborted", "si_edges", "si_loops", "dram_reads"};
    uint64_t first[5] = {0};
    (void)state;
    for (uint32_t graph = 0; graph < 2; graph++) {
        struct machine m;
        open_sound(&m, graph == 0 ? "core.count=4" : "core.count=4 si.graph=on");
        make_skew(50, 0);
        run_sound(&m, 2 * PAIRS, 1, 1, 4);
        for (uint32_t k = 0; k < 5; k++) {
            if (graph == 0)
                first[k] = count(&m, names[k]);
            assert_int_equal(first[k], count(&m, names[k]));
        }
        assert_int_equal(count(&m, "si_exact_loops"), graph * (count(&m, "si_loops") - count(&m, "si_false_loops")));
        assert_true(graph == 0 || count(&m, "si_exact_loops") >= PAIRS / 2);
        assert_true(count(&m, "si_pairs_read_write") >= graph * PAIRS / 2 && count(&m, "si_pairs_read_write") <= count(&m, "si_pairs"));
        assert_int_equal(count(&m, "si_pairs_write_write"), 0);
        cowarp_destroy(m.gpu);
    }
}

/* What goes wrong without the tables' help, so that the test above can fail. */
static void test_snapshot__skew_without_times(void **state)
{
    (void)state;
    struct machine m;
    if (open_machine(&m, "core.count=4", "no-postdating") != COWARP_OK)
        fail_msg("%s", cowarp_error(m.gpu));
    make_skew(50, 0);
    assert_int_equal(run(&m, 2 * PAIRS, 1, 1, 4), COWARP_ECHECK);
    assert_non_null(strstr(cowarp_error(m.gpu), "cycle of 2 transactions"));
    cowarp_destroy(m.gpu);
}

/* The published form forgets what a committed transaction has read. */
static void test_snapshot__skew_as_published(void **state)
{
    (void)state;
    bool found = false;
    for (uint32_t late = 100; late < 3000 && !found; late *= 2) {
        struct machine m;
        open_sound(&m, "core.count=4 si.retain=published");
        make_skew(50, late);
        found = run(&m, 2 * PAIRS, 1, 1, 4) == COWARP_ECHECK;
        cowarp_destroy(m.gpu);
    }
    assert_true(found);
}

/* Threads add to few words: nothing is lost. */
static void test_snapshot__no_lost_update(void **state)
{
    (void)state;
    static const char *const settings[] = {"core.count=2", "core.count=4 si.versions=2", "core.count=4 si.merge_warps=1",
                                           "core.count=4 si.id_bits=5 tm.warps=8", "core.count=2 tm.warps=1 si.reader_entries=1200"};
    for (uint32_t s = 0; s < sizeof settings / sizeof settings[0]; s++) {
        struct machine m;
        open_sound(&m, settings[s]);
        memset(word, 0, sizeof word);
        for (uint32_t i = 0; i < 128 * 3; i++) {
            program[2 * i] = OP(ADD, i % 5, 1);
            program[2 * i + 1] = OP(ADD, 5 + i % 7, 2);
        }
        run_sound(&m, 8, 16, 3, 2);
        for (uint32_t w = 0; w < 12; w++)
            assert_int_equal(word[w], w < 5 ? (384 + 4 - w) / 5 : 2 * ((384 + 6 - (w - 5)) / 7));
        check_counters(&m);
        cowarp_destroy(m.gpu);
    }
}

static uint32_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 33);
}

static void make_random(uint64_t seed, uint32_t threads, uint32_t txs, uint32_t words)
{
    static const uint8_t kinds[] = {LOAD, LOAD, LOAD, COPY, ADD, TAKE, WAIT, STORE};
    uint64_t state = seed;
    for (uint32_t i = 0; i < threads * txs * OPS; i++) {
        const uint32_t kind = kinds[next_random(&state) % 8], last = i % OPS == OPS - 1 || next_random(&state) % 12 == 0;
        program[i] = last ? OP(END, 0, 0) : OP(kind, next_random(&state) % words, next_random(&state) % (kind == WAIT ? 30 : 9));
    }
    for (uint32_t i = 0; i < WORDS; i++)
        word[i] = i % 4;
}

struct shape {
    uint32_t blocks, threads, txs, words;
    const char *settings;
};

static const struct shape shapes[] = {
    {12, 1, 6, 6, "core.count=4"},
    {6, 3, 4, 12, "core.count=3 si.versions=2"},
    {4, 32, 2, 40, "core.count=2 tm.warps=2"},
    {8, 8, 3, 8, "core.count=4 si.merge_warps=1 dram.map=banks"},
    {3, 64, 2, 200, "core.count=2 tm.warps=3 si.postdate_latency=40"},
    {10, 2, 8, 10, "core.count=5 tm.warps=1 si.id_bits=8"},
    {8, 8, 4, 12, "core.count=4 si.time_bits=7 si.step=1"},
};

/* Whatever the programs do, every run is serializable, as the oracle judges it by values. */
static void test_snapshot__random_programs(void **state)
{
    (void)state;
    uint64_t loops = 0, edges = 0;
    for (uint32_t seed = 1; seed <= 30; seed++) {
        const struct shape *s = &shapes[seed % (sizeof shapes / sizeof shapes[0])];
        struct machine m;
        open_sound(&m, s->settings);
        make_random(seed, s->blocks * s->threads, s->txs, s->words);
        if (run(&m, s->blocks, s->threads, s->txs, OPS) != COWARP_OK)
            fail_msg("seed %u, %s: %s", seed, s->settings, cowarp_error(m.gpu));
        check_counters(&m);
        loops += count(&m, "si_loops");
        edges += count(&m, "si_edges");
        cowarp_destroy(m.gpu);
    }
    assert_true(loops > 50 && edges > 500); /* the programs do meet */
}

/* Rules as printed in Figure 7, and tables that forget, let loops through: the oracle finds them in the same programs. */
static void found_by_oracle(const char *setting, const char *sabotage)
{
    uint32_t found = 0;
    for (uint32_t seed = 1; seed <= 60 && found == 0; seed++) {
        const struct shape *s = &shapes[seed % (sizeof shapes / sizeof shapes[0])];
        struct machine m;
        char settings[128];
        snprintf(settings, sizeof settings, "%s watchdog.cycles=100000 watchdog.livelock_cycles=200000 %s", s->settings, setting);
        if (open_machine(&m, settings, sabotage) != COWARP_OK)
            fail_msg("%s: %s", settings, cowarp_error(m.gpu));
        make_random(seed, s->blocks * s->threads, s->txs, s->words);
        found += run(&m, s->blocks, s->threads, s->txs, OPS) == COWARP_ECHECK;
        cowarp_destroy(m.gpu);
    }
    if (found == 0)
        fail_msg("%s%s: the oracle finds nothing", setting, sabotage != NULL ? sabotage : "");
}

static void test_snapshot__oracle_finds_faults(void **state)
{
    (void)state;
    found_by_oracle("si.rules=published", NULL);
    found_by_oracle("si.rules=infinite", NULL);
    found_by_oracle("si.retain=published", NULL);
    found_by_oracle("", "no-postdating");
    found_by_oracle("", "stale-index");
    found_by_oracle("", "early-close");
    found_by_oracle("", "no-write-check");
}

/* The order in which components tick, and ticks that are not needed, change nothing. */
static void test_snapshot__ticks_do_not_matter(void **state)
{
    (void)state;
    static const char *const names[] = {"core_active_cycles", "tx_aborted", "si_edges",   "si_loops",
                                        "si_versions",        "si_copies",  "dram_reads", "noc_up_packets"};
    for (uint32_t i = 0; i < 4; i += 3) {
        uint64_t first[8];
        for (ticks = 0; ticks < 3; ticks++) {
            const struct shape *s = &shapes[i];
            struct machine m;
            open_sound(&m, s->settings);
            make_random(100 + i, s->blocks * s->threads, s->txs, s->words);
            run_sound(&m, s->blocks, s->threads, s->txs, OPS);
            for (uint32_t k = 0; k < 8; k++) {
                if (ticks == 0)
                    first[k] = count(&m, names[k]);
                else if (first[k] != count(&m, names[k]))
                    fail_msg("%s, ticks %u: %s is %llu and was %llu", s->settings, ticks, names[k], (unsigned long long)count(&m, names[k]),
                             (unsigned long long)first[k]);
            }
            cowarp_destroy(m.gpu);
        }
        ticks = 0;
    }
}

/* Kernels that follow each other see what the last one has left, whatever the slot; the host writes between. */
static void test_snapshot__launches_follow_each_other(void **state)
{
    (void)state;
    struct machine m;
    open_sound(&m, "core.count=2 si.versions=3");
    memset(word, 0, sizeof word);
    for (uint32_t i = 0; i < 64; i++)
        program[i] = OP(ADD, i % 3, 1);
    for (uint32_t round = 1; round <= 7; round++) {
        uint32_t plain[32];
        const struct cowarp_arg args[] = {COWARP_U64(m.words), COWARP_U64(m.out)};
        const struct cowarp_launch load = {
            .size = sizeof load, .kernel = "plain_load", .grid = {1, 1, 1}, .block = {32, 1, 1}, .arg_count = 2, .args = args};
        word[100] = round;
        run_sound(&m, 4, 16, 1, 1);
        assert_int_equal(word[0], 22 * round);
        assert_int_equal(word[1], 21 * round);
        assert_int_equal(word[2], 21 * round);
        assert_int_equal(word[100], round);
        assert_int_equal(cowarp_run(m.gpu, m.module, &load), COWARP_OK);
        assert_int_equal(cowarp_read(m.gpu, plain, m.out, sizeof plain), COWARP_OK);
        assert_memory_equal(plain, word, sizeof plain);
    }
    cowarp_destroy(m.gpu);
}

/* A machine that is made anew finds memory as the last kernel has left it, in whatever slot. */
static void test_snapshot__reset(void **state)
{
    (void)state;
    struct machine m;
    open_sound(&m, "core.count=2 si.versions=4");
    memset(word, 0, sizeof word);
    for (uint32_t i = 0; i < 64; i++)
        program[i] = OP(ADD, 0, 1);
    for (uint32_t round = 1; round <= 5; round++) {
        assert_int_equal(cowarp_reset(m.gpu), COWARP_OK);
        run_sound(&m, 4, 16, 1, 1);
        assert_int_equal(word[0], 64 * round);
    }
    cowarp_destroy(m.gpu);
}

/* Launches with snapshots and under the baseline by turns, each twice: none of the words is lost, whatever slot has them, and those that versions
 * displace (the programs, the results) are where they were. */
static void test_snapshot__off_per_launch(void **state)
{
    struct machine m;
    uint64_t versions = 0, reads = 0;
    (void)state;
    open_sound(&m, "core.count=2 si.versions=4");
    memset(word, 0, sizeof word);
    for (uint32_t i = 0; i < 64; i++)
        program[i] = OP(ADD, i % 3, 1);
    for (uint32_t round = 1; round <= 8; round++) {
        baseline = round % 4 >= 2;
        word[100] = round;
        memset(result, 0xee, sizeof result);
        assert_int_equal(cowarp_write(m.gpu, m.out, result, sizeof result), COWARP_OK);
        run_sound(&m, 4, 16, 1, 1);
        for (uint32_t i = 0; i < 64; i++)
            assert_int_not_equal(result[i], 0xeeeeeeee); /* what the kernel has stored is where the host looks for it */
        assert_int_equal(word[0], 22 * round);
        assert_int_equal(word[1], 21 * round);
        assert_int_equal(word[2], 21 * round);
        assert_int_equal(word[100], round);
        assert_int_equal(count(&m, "tx_committed"), 64 * round);
        assert_true((count(&m, "si_versions") > versions) == !baseline);
        assert_true((count(&m, "cu_read_words") > reads) == baseline);
        versions = count(&m, "si_versions");
        reads = count(&m, "cu_read_words");
    }
    cowarp_destroy(m.gpu);
}

/* si.mode=off: all launches run under warptm, and a launch that asks for it changes nothing. */
static void test_snapshot__off_for_all(void **state)
{
    uint64_t cycles[2];
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct machine m;
        baseline = (int)i;
        open_sound(&m, "core.count=3 si.mode=off");
        make_random(7, 12, 6, 6);
        run_sound(&m, 12, 1, 6, OPS);
        cycles[i] = cowarp_cycles(m.gpu);
        assert_int_equal(count(&m, "si_versions"), 0);
        assert_true(count(&m, "cu_read_words") > 0);
        cowarp_destroy(m.gpu);
    }
    assert_int_equal(cycles[0], cycles[1]);
}

static void refused(struct machine *m, int status, int expected, const char *why)
{
    assert_int_equal(status, expected);
    if (strstr(cowarp_error(m->gpu), why) == NULL)
        fail_msg("'%s' is not in: %s", why, cowarp_error(m->gpu));
}

/* Times of six bits run over again and again: each time they begin anew, and no transaction is lost. */
static void test_snapshot__times_run_over(void **state)
{
    (void)state;
    struct machine m;
    open_sound(&m, "core.count=2 si.time_bits=6");
    memset(word, 0, sizeof word);
    for (uint32_t i = 0; i < 128 * TXS; i++)
        program[i] = OP(ADD, 0, 1);
    run_sound(&m, 128, 1, TXS, 1);
    assert_int_equal(word[0], 128 * TXS);
    assert_true(count(&m, "si_rollovers") >= 128 * TXS / 64); /* each commit is later than the one before it */
    check_counters(&m);
    cowarp_destroy(m.gpu);
}

/* Kernels whose transactions only read end while the ends of their snapshots are on the way to the partitions: the next kernel's tables do not
 * count them. */
static void test_snapshot__kernels_that_read(void **state)
{
    (void)state;
    struct machine m;
    open_sound(&m, "core.count=2 si.index_latency=60 si.wire_latency=300");
    memset(word, 0, sizeof word);
    for (uint32_t i = 0; i < 64; i++)
        program[i] = OP(LOAD, i % 3, 0);
    for (uint32_t round = 0; round < 4; round++)
        run_sound(&m, 4, 16, 1, 1);
    assert_int_equal(count(&m, "tx_committed"), 4 * 64);
    cowarp_destroy(m.gpu);
}

/* Copies over the data bus: 32 bursts of 64 bytes are read and written for each row, and the DRAM copies none by itself. */
static void test_snapshot__copies_over_the_bus(void **state)
{
    (void)state;
    struct machine m;
    open_sound(&m, "core.count=2 si.copy=bus");
    memset(word, 0, sizeof word);
    for (uint32_t i = 0; i < 128 * TXS; i++)
        program[i] = OP(ADD, 0, 1);
    run_sound(&m, 128, 1, TXS, 1);
    assert_int_equal(word[0], 128 * TXS);
    assert_true(count(&m, "si_copies") > 0);
    assert_int_equal(count(&m, "dram_row_copies"), 0);
    assert_true(count(&m, "dram_writes") >= 32 * count(&m, "si_copies"));
    cowarp_destroy(m.gpu);
}

/* Numbers of versions of three bits run over after seven versions, on wires of several lengths. */
static void test_snapshot__numbers_of_versions_run_over(void **state)
{
    static const char *const wires[] = {"core.count=2 si.version_bits=3 si.merge_warps=1",
                                        "core.count=2 si.version_bits=3 si.merge_warps=1 si.wire_latency=200",
                                        "core.count=2 si.version_bits=3 si.merge_warps=1 si.index_latency=1"};
    (void)state;
    for (uint32_t w = 0; w < sizeof wires / sizeof wires[0]; w++) {
        struct machine m;
        open_sound(&m, wires[w]);
        memset(word, 0, sizeof word);
        for (uint32_t i = 0; i < 128 * TXS; i++)
            program[i] = OP(ADD, 0, 1);
        run_sound(&m, 128, 1, TXS, 1);
        assert_int_equal(word[0], 128 * TXS);
        assert_true(count(&m, "si_renumbered") >= count(&m, "si_versions") / 7 - 1);
        assert_true(count(&m, "si_renumbered") > 0);
        check_counters(&m);
        cowarp_destroy(m.gpu);
    }
}

/* The ideal form is held to the same. It copies without time, and no table is ever full. */
static void test_snapshot__ideal(void **state)
{
    snapshots = "sitm-oracle";
    test_snapshot__no_write_skew(state);
    test_snapshot__no_lost_update(state);
    test_snapshot__random_programs(state);
    test_snapshot__ticks_do_not_matter(state);
    test_snapshot__launches_follow_each_other(state);
    test_snapshot__reset(state);
    test_snapshot__kernels_that_read(state);
    test_snapshot__numbers_of_versions_run_over(state);
}

static void test_snapshot__oracle_finds_faults_of_ideal(void **state)
{
    (void)state;
    snapshots = "sitm-oracle";
    found_by_oracle("", "no-postdating");
    found_by_oracle("", "stale-index");
    found_by_oracle("", "early-close");
}

/* Two threads that write words which nobody reads write them in one order each; under sitm-ts the second one is refused by the first one's claim. */
static void test_snapshot__many_writers(void **state)
{
    static const char *const names[] = {"sitm-ts", "sitm-oracle"};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct machine m;
        snapshots = names[i];
        open_sound(&m, "core.count=4");
        for (uint32_t t = 0; t < 16; t++) {
            program[3 * t] = OP(STORE, 7, t);
            program[3 * t + 1] = OP(WAIT, 0, 100 + 10 * t);
            program[3 * t + 2] = OP(STORE, 9, t);
        }
        memset(word, 0, sizeof word);
        run_sound(&m, 16, 1, 1, 3);
        assert_int_equal(word[7], word[9]);
        check_counters(&m);
        assert_true((count(&m, "tx_aborted_single_writer") > 0) == (i == 0));
        assert_true(count(&m, "tx_aborted_write_write") > 0 || i == 0);
        cowarp_destroy(m.gpu);
    }
}

static void test_snapshot__refuses(void **state)
{
    (void)state;
    struct machine m;
    struct cowarp_options options;
    open_sound(&m, "core.count=2");
    const struct cowarp_arg args[] = {COWARP_U64(m.words)};
    const struct cowarp_launch store = {
        .size = sizeof store, .kernel = "plain_store", .grid = {1, 1, 1}, .block = {1, 1, 1}, .arg_count = 1, .args = args};
    refused(&m, cowarp_keep_versions(m.gpu, m.words, 64), COWARP_EINVAL, "meet those");
    refused(&m, cowarp_keep_versions(m.gpu, m.program + 256, 64), COWARP_EINVAL, "does not begin at a row");
    refused(&m, cowarp_free(m.gpu, m.words), COWARP_EINVAL, "it has versions");
    refused(&m, cowarp_run(m.gpu, m.module, &store), COWARP_EFAULT, "outside transactions");
    cowarp_destroy(m.gpu);
    open_sound(&m, "core.count=2 si.regions=1");
    uint64_t second;
    assert_int_equal(cowarp_alloc_versioned(m.gpu, &second, 64), COWARP_OK);
    refused(&m, cowarp_run(m.gpu, m.module, &store), COWARP_EINVAL, "set si.regions higher");
    cowarp_destroy(m.gpu);
    refused(&m, open_machine(&m, "tm.warps=2 si.index_latency=100", NULL), COWARP_EINVAL, "si.index_latency");
    cowarp_destroy(m.gpu);
    refused(&m, open_machine(&m, "si.reader_entries=4194304", NULL), COWARP_EINVAL, "si.reader_entries is 4194304");
    cowarp_destroy(m.gpu);
    refused(&m, open_machine(&m, "core.count=2", "no-postdates"), COWARP_EINVAL, "no-postdates");
    cowarp_destroy(m.gpu);
    snapshots = "sitm-oracle"; /* without a check at the commit units there is nothing to leave out */
    refused(&m, open_machine(&m, "core.count=2", "no-write-check"), COWARP_EINVAL, "no-write-check");
    cowarp_destroy(m.gpu);
    snapshots = "getm";
    open_sound(&m, "core.count=2");
    const struct cowarp_launch off = {
        .size = sizeof off, .kernel = "plain_store", .grid = {1, 1, 1}, .block = {1, 1, 1}, .arg_count = 1, .args = args, .baseline = 1};
    refused(&m, cowarp_run(m.gpu, m.module, &off), COWARP_EINVAL, "sitm-ts and sitm-oracle have one");
    assert_int_equal(cowarp_run(m.gpu, m.module, &store), COWARP_OK); /* nothing has changed */
    cowarp_destroy(m.gpu);
    cowarp_options_init(&options);
    options.system = "warptm";
    assert_int_equal(cowarp_create(&m.gpu, &options), COWARP_OK);
    assert_int_equal(cowarp_alloc_versioned(m.gpu, &m.words, 100), COWARP_OK);
    refused(&m, cowarp_keep_versions(m.gpu, m.words, 100), COWARP_EINVAL, "keeps none");
    cowarp_destroy(m.gpu);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_snapshot__no_write_skew),
    cmocka_unit_test(test_snapshot__exact_graph_counts),
    cmocka_unit_test(test_snapshot__skew_without_times),
    cmocka_unit_test(test_snapshot__skew_as_published),
    cmocka_unit_test(test_snapshot__no_lost_update),
    cmocka_unit_test(test_snapshot__random_programs),
    cmocka_unit_test(test_snapshot__oracle_finds_faults),
    cmocka_unit_test(test_snapshot__ticks_do_not_matter),
    cmocka_unit_test(test_snapshot__launches_follow_each_other),
    cmocka_unit_test(test_snapshot__reset),
    cmocka_unit_test(test_snapshot__times_run_over),
    cmocka_unit_test(test_snapshot__kernels_that_read),
    cmocka_unit_test(test_snapshot__copies_over_the_bus),
    cmocka_unit_test(test_snapshot__numbers_of_versions_run_over),
    cmocka_unit_test(test_snapshot__off_per_launch),
    cmocka_unit_test(test_snapshot__off_for_all),
    cmocka_unit_test(test_snapshot__ideal),
    cmocka_unit_test(test_snapshot__oracle_finds_faults_of_ideal),
    cmocka_unit_test(test_snapshot__many_writers),
    cmocka_unit_test(test_snapshot__refuses),
};
CW_TEST_MAIN(tests)
