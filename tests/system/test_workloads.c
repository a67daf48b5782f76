/* SPDX-License-Identifier: Apache-2.0 */
/* Every workload in every form, on small inputs, with its own check, the serializability oracle, and the statistics' conservation laws. */
#include <math.h>
#include <stdbool.h>

#include "cw_test.h"
#include "system/run.h"

static void expect_ok(struct run *r)
{
    run_workload(r);
    if (r->status != 0)
        fail_msg("%s: status %d: %s\n%s", r->workload, r->status, r->message, r->report);
    assert_true(run_classes_add_up(r));
}

static void expect_conservation(const struct run *r, uint64_t transactions)
{
    assert_int_equal(run_counter(r, "tx_begun"), transactions);
    assert_int_equal(run_counter(r, "tx_committed"), transactions);
    assert_int_equal(run_counter(r, "tx_aborted"), run_counter(r, "tx_aborted_timestamp") + run_counter(r, "tx_aborted_stall_full") +
                                                       run_counter(r, "tx_aborted_intra_warp") + run_counter(r, "tx_aborted_rollover") +
                                                       run_counter(r, "tx_aborted_validation") + run_counter(r, "tx_aborted_early"));
    assert_int_equal(run_counter(r, "vu_stalls"), run_counter(r, "vu_retries"));
}

static void test_workloads__plain(void **state)
{
    (void)state;
    struct run r[] = {
        {.workload = "vecadd", .variant = COWARP_PLAIN, .param = {"n=10000"}},
        {.workload = "vecadd", .variant = COWARP_PLAIN, .param = {"n=1", "threads=32"}},
        {.workload = "vecadd", .variant = COWARP_PLAIN, .param = {"n=20000"}, .settings = {"l1.global=on"}},
        {.workload = "reduction", .variant = COWARP_PLAIN, .param = {"n=20000"}},
        {.workload = "bfs", .variant = COWARP_PLAIN, .param = {"nodes=2000"}},
        {.workload = "laplace", .variant = COWARP_PLAIN, .param = {"n=20"}},
    };
    for (size_t i = 0; i < sizeof r / sizeof r[0]; i++) {
        expect_ok(&r[i]);
        assert_true(run_counter(&r[i], "thread_instructions") >= run_counter(&r[i], "warp_instructions"));
    }
}

/* Plain workloads and locks on warps of 64 lanes and lines of 64 bytes; what works on 32 lanes or 128 bytes only is refused by name. */
static void test_workloads__widths(void **state)
{
    (void)state;
    static const struct {
        const char *workload, *param;
        enum cowarp_variant variant;
    } plain[] = {{"vecadd", "n=10000", COWARP_PLAIN},
                 {"reduction", "n=20000", COWARP_PLAIN},
                 {"bfs", "nodes=2000", COWARP_PLAIN},
                 {"laplace", "n=20", COWARP_PLAIN},
                 {"ht-h", "blocks=8", COWARP_FGLOCK}};
    static const char *const machines[][2] = {
        {"core.warp_width=64", NULL}, {"mem.line_bytes=64", "l1.global=on"}, {"core.warp_width=64", "mem.line_bytes=64"}};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        struct run base = {.workload = plain[i].workload, .variant = plain[i].variant, .param = {plain[i].param}};
        expect_ok(&base);
        for (size_t k = 0; k < sizeof machines / sizeof machines[0]; k++) {
            struct run r = {.workload = plain[i].workload, .variant = plain[i].variant, .param = {plain[i].param}};
            r.settings[0] = machines[k][0];
            r.settings[1] = machines[k][1];
            expect_ok(&r);
            assert_int_equal(run_counter(&r, "threads_exited"), run_counter(&base, "threads_exited"));
            if (k != 1)
                assert_true(run_counter(&r, "warp_instructions") < run_counter(&base, "warp_instructions"));
        }
    }
    static const char *const systems[] = {"getm", "kilotm", "warptm", "warptm-el", "eapg", "ideal"};
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++)
        for (uint32_t k = 0; k < 2; k++) {
            char says[80];
            struct run r = {.workload = "ht-h", .system = systems[i], .variant = COWARP_TX, .param = {"blocks=1"}};
            r.settings[0] = machines[k][0];
            run_workload(&r);
            snprintf(says, sizeof says, "%s works on %s", systems[i], k == 0 ? "warps of 32 lanes" : "lines of 128 bytes");
            if (r.status != COWARP_EINVAL || strstr(r.message, says) == NULL)
                fail_msg("status %d, \"%s\" does not say \"%s\"", r.status, r.message, says);
        }
    for (uint32_t k = 0; k < 3; k++) {
        struct run r = {.workload = "ht-h", .system = "serial", .variant = COWARP_TX, .param = {"blocks=1"}, .check_serial = 1};
        r.settings[0] = machines[k][0];
        r.settings[1] = machines[k][1];
        expect_ok(&r);
    }
}

/* All 20 popular items of so few records are frequent: 190 pairs; triples follow. */
#define AP_SMALL "records=400", "popular=20", "support=12"

static void test_workloads__locks(void **state)
{
    (void)state;
    struct run r[] = {
        {.workload = "ht-h", .variant = COWARP_FGLOCK, .param = {"blocks=20", "buckets=500"}},
        {.workload = "ht-h", .variant = COWARP_FGLOCK, .param = {"blocks=4", "buckets=1"}},
        {.workload = "ht-h", .variant = COWARP_CGLOCK, .param = {"blocks=4"}},
        {.workload = "atm", .variant = COWARP_FGLOCK, .param = {"accounts=1000", "transfers=4000", "blocks=10"}},
        {.workload = "atm", .variant = COWARP_CGLOCK, .param = {"accounts=1000", "transfers=400", "blocks=2"}},
        {.workload = "cl", .variant = COWARP_FGLOCK, .param = {"cloths=2", "width=9", "height=12"}},
        {.workload = "cl", .variant = COWARP_CGLOCK, .param = {"cloths=1", "width=5", "height=8", "threads=64"}},
        {.workload = "clto", .variant = COWARP_FGLOCK, .param = {"cloths=2", "width=9", "height=12", "group=1"}},
        {.workload = "clto", .variant = COWARP_CGLOCK, .param = {"cloths=1", "width=5", "height=8", "threads=64"}},
        {.workload = "ap", .variant = COWARP_FGLOCK, .param = {AP_SMALL}},
        {.workload = "ap", .variant = COWARP_FGLOCK, .param = {AP_SMALL, "limit=1", "fanout=2"}}, /* splits everywhere */
        {.workload = "ap", .variant = COWARP_CGLOCK, .param = {AP_SMALL, "limit=4"}},
        {.workload = "bh-h", .variant = COWARP_FGLOCK, .param = {"bodies=3000", "blocks=6"}},
        {.workload = "bh-l", .variant = COWARP_FGLOCK, .param = {"bodies=1", "blocks=1"}},
        {.workload = "bh-l", .variant = COWARP_CGLOCK, .param = {"bodies=300", "blocks=2"}},
        {.workload = "cc", .variant = COWARP_FGLOCK, .param = {"width=70", "height=50"}},
        {.workload = "cc", .variant = COWARP_FGLOCK, .param = {"width=1", "height=1", "noise=255"}},
        {.workload = "cc", .variant = COWARP_CGLOCK, .param = {"width=24", "height=20"}},
    };
    for (size_t i = 0; i < sizeof r / sizeof r[0]; i++)
        expect_ok(&r[i]);
}

/* What is known of a workload's transactions, whatever system runs them. */

static void expect_inserts(const struct run *r)
{
    const uint64_t n = run_counter(r, "tx_committed");
    assert_int_equal(n % 192, 0);
    assert_int_equal(run_counter(r, "tx_write_words"), 4 * n); /* entry and bucket head */
    assert_int_equal(run_counter(r, "tx_read_only"), 0);
}

static void expect_transfers(const struct run *r)
{
    assert_int_equal(run_counter(r, "tx_committed"), 768);
    assert_int_equal(run_counter(r, "tx_read_only"), 0);
}

/* One transaction per rope of a triangulated 9 x 12 cloth. What it reads is in kernels/cloth/kernel.cl: 2 positions of 4 words and the
 * spring of 2, and 2 inverse masses if it pulls; then it writes both positions. clto reads the positions only. */
static void expect_ropes(const struct run *r)
{
    const uint64_t w = 9, h = 12, ropes = 3 * w * h - 2 * w - 2 * h + 1, pulls = ropes - run_counter(r, "tx_read_only");
    assert_int_equal(run_counter(r, "tx_committed"), ropes);
    assert_true(pulls > ropes / 4 && pulls < ropes);
    assert_int_equal(run_counter(r, "tx_read_words"), strcmp(r->workload, "cl") == 0 ? 10 * ropes + 2 * pulls : 8 * ropes);
    assert_int_equal(run_counter(r, "tx_write_words"), 8 * pulls);
}

/* The transactions of the octree of 600 bodies: read-only on the way down; an insertion writes the body, or a new cell: 14 words. */
static void expect_octree(const struct run *r)
{
    const uint64_t bodies = 600, insertions = run_counter(r, "tx_committed") - run_counter(r, "tx_read_only");
    assert_true(insertions > bodies);
    assert_int_equal(run_counter(r, "tx_write_words"), bodies + 14 * (insertions - bodies));
    assert_true(run_counter(r, "tx_read_only") > insertions);
}

/* The transactions of the graph cut write what they read, 4 words or 1. */
static void expect_cut(const struct run *r)
{
    const uint64_t words = run_counter(r, "tx_write_words"), transactions = run_counter(r, "tx_committed");
    assert_int_equal(run_counter(r, "tx_read_words"), words);
    assert_int_equal(run_counter(r, "tx_read_only"), 0);
    assert_true(words > transactions && words < 4 * transactions);
    assert_int_equal((words - transactions) % 3, 0);
}

static void expect_candidates(const struct run *r)
{
    const uint64_t n = run_counter(r, "tx_committed");
    assert_int_equal(n, 190);
    assert_int_equal(run_counter(r, "tx_read_only"), 0);
    assert_true(run_counter(r, "tx_write_words") >= 6 * n); /* items, support and links of the candidate, and the leaf's count */
}

/* The oracle has seen the transactions of all launches. */
static void expect_judged(const struct run *r)
{
    unsigned long long seen = 0;
    assert_int_equal(sscanf(r->oracle, "serializable: %llu transactions", &seen), 1);
    assert_int_equal(seen, run_counter(r, "tx_committed"));
}

#define CLOTH                                            \
    {                                                    \
        "cloths=1", "width=9", "height=12", "threads=64" \
    }

static const struct {
    const char *name, *param[6];
    void (*expect)(const struct run *r);
} transactional[] = {
    {"ht-h", {"blocks=4", "buckets=200"}, expect_inserts},
    {"ht-m", {"blocks=4", "buckets=600"}, expect_inserts},
    {"ht-l", {"blocks=4", "buckets=2000"}, expect_inserts},
    {"atm", {"accounts=500", "transfers=768", "blocks=3"}, expect_transfers},
    {"cl", CLOTH, expect_ropes},
    {"clto", CLOTH, expect_ropes},
    {"bh-h", {"bodies=600", "blocks=2"}, expect_octree},
    {"bh-l", {"bodies=600", "blocks=5"}, expect_octree},
    {"cc", {"width=24", "height=16"}, expect_cut},
    {"ap", {AP_SMALL, "passes=2", "limit=6"}, expect_candidates},
};
#define TRANSACTIONAL_CNT (sizeof transactional / sizeof transactional[0])

#define COMMIT_PATH "commit_unit=lockstep", "hazard_unit=lockstep"
#define WARP_LEVEL  "first_read_table=lockstep", "last_written_table=lockstep", "ownership_table=lockstep"

static const struct {
    const char *name, *units[8];
    bool has_commit_log; /* reads kilo.entries */
} systems[] = {
    {"getm", {"validation_unit=lockstep", "ownership_table=lockstep"}, false},
    {"kilotm", {COMMIT_PATH}, true},
    {"warptm", {COMMIT_PATH, WARP_LEVEL}, true},
    {"eapg", {COMMIT_PATH, WARP_LEVEL, "conflict_address_table=lockstep", "reference_count_table=lockstep"}, true},
    {"warptm-el", {"ownership_table=lockstep"}, true},
    {"ideal", {NULL}, true},
    {"serial", {NULL}, false},
};
#define SYSTEM_CNT (sizeof systems / sizeof systems[0])

static void run_judged(size_t workload, struct run *r)
{
    r->workload = transactional[workload].name;
    r->variant = COWARP_TX;
    r->check_serial = 1;
    memcpy(r->param, transactional[workload].param, sizeof transactional[workload].param);
    expect_ok(r);
    expect_conservation(r, run_counter(r, "tx_committed"));
    expect_judged(r);
    transactional[workload].expect(r);
}

/* Every workload under every system, at two limits of concurrency; the serialised system has none. */
static void test_workloads__every_system(void **state)
{
    static const char *const warps[] = {"tm.warps=2", "tm.warps=0"};
    uint64_t aborts = 0;
    (void)state;
    for (size_t w = 0; w < TRANSACTIONAL_CNT; w++)
        for (size_t i = 0; i < 2 * SYSTEM_CNT - 1; i++) {
            struct run r = {.system = systems[i / 2].name};
            r.settings[0] = i < 2 * SYSTEM_CNT - 2 ? warps[i % 2] : NULL;
            run_judged(w, &r);
            aborts += run_counter(&r, "tx_aborted");
        }
    assert_true(aborts > 10000); /* they do meet */
}

/* Every workload under both forms of snapshot isolation, with the arrays that transactions write in memory with versions. ap cannot: it takes numbers of
 * candidates, and counts support, by atomics on words that transactions share, and those are no transactions. */
static void test_workloads__snapshots(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * TRANSACTIONAL_CNT; i++) {
        const size_t w = i / 2;
        struct run r = {.workload = transactional[w].name, .preset = "si-tm", .variant = COWARP_TX, .check_serial = 1};
        r.system = i % 2 == 0 ? "sitm-ts" : "sitm-oracle";
        memcpy(r.param, transactional[w].param, sizeof transactional[w].param);
        if (strcmp(r.workload, "ap") == 0) {
            run_workload(&r);
            assert_int_equal(r.status, COWARP_EINVAL);
            assert_non_null(strstr(r.message, "memory with versions"));
            continue;
        }
        expect_ok(&r);
        expect_judged(&r);
        transactional[w].expect(&r);
    }
}

/* With several reader lists the words of a store are asked about at once, and one that is asked again comes behind the last: the access
 * waits for it. One that went on before hung this run with 8 lists, and lost its place with 1, 2 and 4. */
static void test_workloads__reader_lists(void **state)
{
    static const char *const lists[] = {"si.lists=1", "si.lists=2", "si.lists=4", "si.lists=8"};
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct run r = {.workload = "cl",
                        .preset = "si-tm",
                        .system = "sitm-ts",
                        .variant = COWARP_TX,
                        .check_serial = 1,
                        .param = {"cloths=1", "width=12", "height=12"},
                        .settings = {lists[i]}};
        run_workload(&r);
        expect_ok(&r);
        expect_judged(&r);
    }
}

/* A reader list with room for a tenth of what the transactions would enter: they take turns, and all commit (SI-TM 4.3). With less than one
 * transaction needs, the run ends with that. Of several lists each has a part of the room, and a transaction's readers are in one. */
static void test_workloads__full_tables(void **state)
{
    static const struct {
        const char *entries;
        int status;
    } cases[] = {{"si.reader_entries=300", 0}, {"si.reader_entries=64", COWARP_ELIMIT}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run r = {.workload = "bt-1",
                        .preset = "si-tm",
                        .system = "sitm-ts",
                        .variant = COWARP_TX,
                        .check_serial = 1,
                        .param = {"elements=400", "removes=400"},
                        .settings = {cases[i].entries, "si.lists=1"}};
        run_workload(&r);
        if (r.status != cases[i].status)
            fail_msg("%s: status %d: %s", cases[i].entries, r.status, r.message);
        assert_true(run_counter(&r, "si_crowded") > 0);
        if (r.status != 0) {
            assert_non_null(strstr(r.message, "needs more entries than the tables have"));
            continue;
        }
        expect_judged(&r);
        assert_int_equal(run_counter(&r, "tx_committed"), 400);
        assert_true(run_counter(&r, "tx_aborted_table") > 0);
        assert_true(run_counter(&r, "tx_aborted") < 20 * 400); /* with back-offs alone 39 per commit */
    }
}

/* The same on a small GPU with all units of the system in lockstep: no port differs in any cycle. */
static void test_workloads__every_system_in_lockstep(void **state)
{
    (void)state;
    for (size_t w = 0; w < TRANSACTIONAL_CNT; w++)
        for (size_t s = 0; s < SYSTEM_CNT && systems[s].units[0] != NULL; s++) {
            struct run r = {.system = systems[s].name, .settings = {"core.count=3", "partition.count=2"}};
            r.settings[2] = systems[s].has_commit_log ? "kilo.entries=256" : NULL;
            memcpy(r.units, systems[s].units, sizeof systems[s].units);
            run_judged(w, &r);
        }
}

/* Limits in between, with more transactions. */
static void test_workloads__every_limit(void **state)
{
    static const char *const warps[] = {"tm.warps=1", "tm.warps=2", "tm.warps=4", "tm.warps=8", "tm.warps=16", "tm.warps=0"};
    (void)state;
    for (size_t s = 0; s < SYSTEM_CNT - 1; s++)
        for (size_t i = 0; i < sizeof warps / sizeof warps[0]; i++) {
            struct run ht = {.workload = "ht-h",
                             .system = systems[s].name,
                             .variant = COWARP_TX,
                             .check_serial = 1,
                             .settings = {warps[i]},
                             .param = {"blocks=30", "buckets=1000"}};
            expect_ok(&ht);
            expect_conservation(&ht, 30 * 192);
            expect_inserts(&ht);
            struct run atm = {.workload = "atm",
                              .system = systems[s].name,
                              .variant = COWARP_TX,
                              .check_serial = 1,
                              .settings = {warps[i]},
                              .param = {"accounts=2000", "transfers=4000", "blocks=10"}};
            expect_ok(&atm);
            expect_conservation(&atm, 4000);
        }
}

/* Leaves that split, passes that follow each other, many cells. */
static void test_workloads__larger_shapes(void **state)
{
    (void)state;
    struct run r[] = {
        {.workload = "ap", .system = "getm", .settings = {"tm.warps=0"}, .param = {AP_SMALL, "passes=2", "limit=2", "fanout=3"}},
        {.workload = "ap", .system = "getm", .settings = {"tm.warps=1"}, .param = {AP_SMALL, "limit=6"}},
        {.workload = "ap", .system = "warptm", .settings = {"tm.warps=1"}, .param = {AP_SMALL, "limit=6"}},
        {.workload = "bh-h", .system = "getm", .settings = {"tm.warps=8"}, .param = {"bodies=2000", "blocks=4"}},
        {.workload = "cc", .system = "getm", .settings = {"tm.warps=8"}, .param = {"width=60", "height=40"}},
        {.workload = "cc", .system = "kilotm", .settings = {"tm.warps=0"}, .param = {"width=60", "height=40"}},
    };
    for (size_t i = 0; i < sizeof r / sizeof r[0]; i++) {
        r[i].variant = COWARP_TX;
        r[i].check_serial = 1;
        expect_ok(&r[i]);
        expect_conservation(&r[i], run_counter(&r[i], "tx_committed"));
        expect_judged(&r[i]);
        if (strcmp(r[i].workload, "bh-h") == 0) /* a deeper tree */
            assert_true(run_counter(&r[i], "tx_committed") > 4 * (run_counter(&r[i], "tx_committed") - run_counter(&r[i], "tx_read_only")));
    }
}

/* The mix at full size is that of thesis Table 4.3 (read set 11.2 words, write set 4.8) and section 6.4 (40 percent read-only). */
static void test_workloads__cloth_mix(void **state)
{
    (void)state;
    struct run r = {.workload = "cl", .system = "getm", .variant = COWARP_TX, .settings = {"tm.warps=4"}};
    expect_ok(&r);
    const double n = (double)run_counter(&r, "tx_committed");
    assert_true(n == 60200);
    assert_true(fabs((double)run_counter(&r, "tx_read_words") / n - 11.2) < 0.1);
    assert_true(fabs((double)run_counter(&r, "tx_write_words") / n - 4.8) < 0.1);
    assert_true(fabs((double)run_counter(&r, "tx_read_only") / n - 0.40) < 0.02);
}

/*
 * Insertions into one sorted list: each attempt reads what the others write, and takes longer than the published back-off, so warps abort
 * each other for ever. That ends the run as what it is: no lane holds a lock. A back-off that grows lets all of them commit.
 */
static void test_workloads__livelock_of_transactions(void **state)
{
    (void)state;
    struct run r = {.workload = "ll-2",
                    .preset = "si-tm-base",
                    .system = "getm",
                    .variant = COWARP_TX,
                    .seed = 2,
                    .max_cycles = 50000000,
                    .settings = {"getm.patience=0"}};
    run_workload(&r);
    assert_int_equal(r.status, COWARP_EDEADLOCK);
    assert_non_null(strstr(r.message, "livelock_cycles"));
    assert_non_null(strstr(r.report, "spinning: core"));
    assert_null(strstr(r.report, "SIMT deadlock"));
    r.settings[0] = "getm.patience=16";
    r.counter_cnt = 0;
    expect_ok(&r);
    assert_int_equal(run_counter(&r, "tx_committed"), 200);
}

/* Isolation broken on purpose: the workloads' own checks see it, without the oracle. */
static void test_workloads__checks_bite(void **state)
{
    (void)state;
    struct run r[] = {
        {.workload = "cl", .param = {"cloths=2", "width=12", "height=12"}},
        {.workload = "clto", .param = {"cloths=2", "width=12", "height=12"}},
        {.workload = "ap",
         .seed = 2,
         .param = {AP_SMALL, "limit=8", "fanout=8"}}, /* a run whose tree is broken may also walk it for ever */
    };
    for (size_t i = 0; i < sizeof r / sizeof r[0]; i++) {
        r[i].system = "getm";
        r[i].variant = COWARP_TX;
        r[i].sabotage = "drop-rts-update";
        r[i].settings[0] = "tm.warps=0";
        run_workload(&r[i]);
        assert_int_equal(r[i].status, COWARP_ECHECK);
    }
}

/* A limit of iterations that does not suffice is a failure, and says so. */
static void test_workloads__graph_cut_unfinished(void **state)
{
    (void)state;
    struct run r = {.workload = "cc", .variant = COWARP_FGLOCK, .param = {"width=60", "height=40", "period=1", "iterations=2"}};
    run_workload(&r);
    assert_int_equal(r.status, COWARP_ECHECK);
    assert_non_null(strstr(r.message, "not finished after 2 iterations"));
}

/* Each option of the family on a contended table: timing may change, results may not. */
static void test_workloads__kilo_options(void **state)
{
    static const struct {
        const char *system, *settings[4];
    } shape[] = {
        {"kilotm", {"kilo.entries=32"}},
        {"kilotm", {"kilo.id_bits=7"}},
        {"kilotm", {"kilo.history_sets=2", "kilo.history_rows=2"}},
        {"kilotm", {"kilo.hazard_rate=2", "kilo.walker=row"}},
        {"kilotm", {"kilo.hazard=perfect"}},
        {"kilotm", {"kilo.hazard=bloom-array"}},
        {"kilotm", {"l2.port_bytes=32", "partition.count=12", "l2.bytes=65536", "dram.bytes_per_cycle=16"}},
        {"kilotm", {"tcd.mode=closed"}},
        {"kilotm", {"kilo.read_words=1", "kilo.write_words=1"}},
        {"warptm", {"kilo.read_words=1", "kilo.write_words=2", "tcd.mode=published"}},
        {"warptm", {"tcd.granule_bytes=4", "tcd.rows=32"}},
        {"eapg", {"tcd.granule_bytes=16", "tcd.ways=1"}},
        {"warptm", {"kilo.entries=40", "kilo.id_bits=9"}},
        {"warptm", {"kilo.history_sets=2", "kilo.history_rows=2"}},
        {"warptm", {"warptm.resolution=scr"}},
        {"warptm", {"warptm.resolution=2pcr-free", "warptm.aggregate=off", "warptm.coalesce=off"}},
        {"warptm", {"warptm.coalesce=off", "tcd.mode=off"}},
        {"warptm", {"warptm.aggregate=off"}},
        {"warptm", {"warptm.resolution=none", "warptm.aggregate=off", "warptm.coalesce=off"}},
        {"warptm", {"core.count=3", "partition.count=5"}},
        {"eapg", {"eapg.cat_entries=4", "eapg.cat_banks=1", "eapg.rct_entries=40"}},
        {"eapg", {"eapg.pause_max_cycles=10"}},
        {"eapg", {"eapg.ideal=on", "eapg.cat_entries=4", "eapg.cat_banks=1", "eapg.rct_entries=40"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++) {
        struct run r = {
            .workload = "ht-h", .system = shape[i].system, .variant = COWARP_TX, .check_serial = 1, .param = {"blocks=12", "buckets=300"}};
        memcpy(r.settings, shape[i].settings, sizeof shape[i].settings);
        expect_ok(&r);
        expect_conservation(&r, 12 * 192);
        if (strcmp(shape[i].settings[0], "kilo.id_bits=7") == 0)
            assert_true(run_counter(&r, "id_rollovers") > 10);
        if (strcmp(shape[i].settings[0], "kilo.read_words=1") == 0)
            assert_true(run_counter(&r, "cu_resends") > 0);
        if (strcmp(shape[i].settings[0], "kilo.entries=32") == 0)
            assert_true(run_counter(&r, "cu_entries_max") <= 32);
    }
}

/* A load that finds words in the conflict address table waits for its answer, unless the machine is ideal. So the same list, with the same commits
 * and aborts, is searched in less time. */
static void test_workloads__an_ideal_eapg_waits_for_no_table(void **state)
{
    (void)state;
    struct run real = {.workload = "ll-1",
                       .system = "eapg",
                       .variant = COWARP_TX,
                       .check_serial = 1,
                       .settings = {"eapg.cat_banks=1"},
                       .param = {"threads=60"}};
    struct run ideal = real;
    ideal.settings[1] = "eapg.ideal=on";
    expect_ok(&real);
    expect_ok(&ideal);
    assert_true(run_counter(&real, "eapg_broadcasts") > 0);
    assert_int_equal(run_counter(&real, "tx_committed"), run_counter(&ideal, "tx_committed"));
    assert_int_equal(run_counter(&real, "tx_aborted"), run_counter(&ideal, "tx_aborted"));
    assert_true(run_counter(&ideal, "tx_exec_cycles") < run_counter(&real, "tx_exec_cycles"));
}

/* All at once, in lockstep: a ring of one row, IDs that begin again after 127, buffers for one word. */
static void test_workloads__least_commit_unit(void **state)
{
    static const char *const family[] = {"kilotm", "warptm", "eapg"};
    (void)state;
    for (size_t s = 0; s < 3; s++) {
        struct run r = {.workload = "ht-h",
                        .system = family[s],
                        .variant = COWARP_TX,
                        .check_serial = 1,
                        .settings = {"kilo.entries=32", "kilo.id_bits=7", "kilo.read_words=1", "kilo.write_words=1", "tcd.mode=published"},
                        .units = {COMMIT_PATH},
                        .param = {"blocks=4", "buckets=100"}};
        expect_ok(&r);
        expect_conservation(&r, 4 * 192);
        expect_inserts(&r);
        assert_true(run_counter(&r, "cu_entries_max") <= 32);
        assert_true(run_counter(&r, "id_rollovers") > 5);
        assert_true(run_counter(&r, "cu_resends") > 1000);
    }
}

/* One bucket: every transaction conflicts with every other. */
static void test_workloads__getm_worst_contention(void **state)
{
    (void)state;
    struct run r = {.workload = "ht-h", .system = "getm", .variant = COWARP_TX, .check_serial = 1, .param = {"blocks=4", "buckets=1"}};
    expect_ok(&r);
    expect_conservation(&r, 4 * 192);
    assert_true(run_counter(&r, "tx_aborted_intra_warp") > 0);
}

static void test_workloads__serialised(void **state)
{
    (void)state;
    struct run r = {.workload = "ht-h", .system = "serial", .variant = COWARP_TX, .check_serial = 1, .param = {"blocks=2", "buckets=100"}};
    expect_ok(&r);
    assert_int_equal(run_counter(&r, "tx_committed"), 2 * 192);
    /* one lane at a time: every memory instruction touches one line */
    assert_true(run_counter(&r, "mem_instructions") > 0);
    assert_int_equal(run_counter(&r, "mem_accesses"), run_counter(&r, "mem_instructions"));
}

/* All forms leave the same table size; the lock form is checked by the workload itself. Granularity and table sizes change timing only. */
static void test_workloads__getm_shapes(void **state)
{
    (void)state;
    static const char *const settings[][4] = {
        {"tm.granule_bytes=4"},
        {"tm.granule_bytes=16"},
        {"tm.granule_bytes=64"},
        {"tm.granule_bytes=128"},
        {"core.count=1"},
        {"partition.count=1"},
        {"core.count=3", "partition.count=5"},
        {"core.scheduler=lrr"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        struct run r = {
            .workload = "ht-h", .system = "getm", .variant = COWARP_TX, .check_serial = 1, .param = {"blocks=12", "buckets=300"}};
        memcpy(r.settings, settings[i], sizeof settings[i]);
        expect_ok(&r);
        expect_conservation(&r, 12 * 192);
    }
}

/* Eight rows per partition: entries go to the stash and to the overflow area in memory, and come back. Either every store may use the
 * area, or those of a warp that has been refused four times. */
static void test_workloads__getm_overflow(void **state)
{
    static const struct {
        const char *spill_after, *tx_warps;
    } cases[] = {{"getm.spill_after=0", "tm.warps=1"}, {"getm.spill_after=4", "tm.warps=4"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run r = {.workload = "ht-h",
                        .system = "getm",
                        .variant = COWARP_TX,
                        .check_serial = 1,
                        .param = {"blocks=8", "buckets=3000"},
                        .settings = {"getm.table_rows=2", "getm.stash=1", "getm.max_swaps=2", cases[i].spill_after, cases[i].tx_warps}};
        expect_ok(&r);
        expect_conservation(&r, 8 * 192);
        assert_true(run_counter(&r, "vu_stashed") > 0);
        assert_true(run_counter(&r, "vu_overflows") > 0);
        assert_true(run_counter(&r, "vu_evictions") > 0);
    }
}

/* Narrow timestamps: the GPU rolls over several times, and nothing is lost. */
static void test_workloads__getm_rollover(void **state)
{
    (void)state;
    struct run r = {.workload = "ht-h",
                    .system = "getm",
                    .variant = COWARP_TX,
                    .check_serial = 1,
                    .param = {"blocks=20", "buckets=50"},
                    .settings = {"getm.ts_bits=14"}}; /* 10 bits of warp number, 4 of logical time */
    expect_ok(&r);
    expect_conservation(&r, 20 * 192);
    assert_true(run_counter(&r, "rollovers") > 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_workloads__plain),
    cmocka_unit_test(test_workloads__widths),
    cmocka_unit_test(test_workloads__locks),
    cmocka_unit_test(test_workloads__every_system),
    cmocka_unit_test(test_workloads__snapshots),
    cmocka_unit_test(test_workloads__reader_lists),
    cmocka_unit_test(test_workloads__full_tables),
    cmocka_unit_test(test_workloads__every_system_in_lockstep),
    cmocka_unit_test(test_workloads__every_limit),
    cmocka_unit_test(test_workloads__larger_shapes),
    cmocka_unit_test(test_workloads__cloth_mix),
    cmocka_unit_test(test_workloads__livelock_of_transactions),
    cmocka_unit_test(test_workloads__checks_bite),
    cmocka_unit_test(test_workloads__graph_cut_unfinished),
    cmocka_unit_test(test_workloads__kilo_options),
    cmocka_unit_test(test_workloads__an_ideal_eapg_waits_for_no_table),
    cmocka_unit_test(test_workloads__least_commit_unit),
    cmocka_unit_test(test_workloads__getm_worst_contention),
    cmocka_unit_test(test_workloads__serialised),
    cmocka_unit_test(test_workloads__getm_shapes),
    cmocka_unit_test(test_workloads__getm_overflow),
    cmocka_unit_test(test_workloads__getm_rollover),
};

CW_TEST_MAIN(tests)
