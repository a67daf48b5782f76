/* SPDX-License-Identifier: Apache-2.0 */
/* Every workload in every form, on small inputs, with its own check, the serializability oracle, and the statistics' conservation laws. */
#include "cw_test.h"
#include "system/run.h"

static void expect_ok(struct run *r)
{
    run_workload(r);
    if (r->status != 0)
        fail_msg("%s: status %d: %s\n%s", r->workload, r->status, r->message, r->report);
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

static void test_workloads__locks(void **state)
{
    (void)state;
    struct run r[] = {
        {.workload = "ht-h", .variant = COWARP_FGLOCK, .param = {"blocks=20", "buckets=500"}},
        {.workload = "ht-h", .variant = COWARP_FGLOCK, .param = {"blocks=4", "buckets=1"}},
        {.workload = "ht-h", .variant = COWARP_CGLOCK, .param = {"blocks=4"}},
        {.workload = "atm", .variant = COWARP_FGLOCK, .param = {"accounts=1000", "transfers=4000", "blocks=10"}},
        {.workload = "atm", .variant = COWARP_CGLOCK, .param = {"accounts=1000", "transfers=400", "blocks=2"}},
    };
    for (size_t i = 0; i < sizeof r / sizeof r[0]; i++)
        expect_ok(&r[i]);
}

static void test_workloads__getm(void **state)
{
    (void)state;
    static const char *const warps[] = {"tm.warps=1", "tm.warps=2", "tm.warps=4", "tm.warps=8", "tm.warps=16", "tm.warps=0"};
    for (size_t i = 0; i < sizeof warps / sizeof warps[0]; i++) {
        struct run ht = {.workload = "ht-h", .system = "getm", .variant = COWARP_TX, .check_serial = 1, .settings = {warps[i]},
                         .param = {"blocks=30", "buckets=1000"}};
        expect_ok(&ht);
        expect_conservation(&ht, 30 * 192);
        assert_int_equal(run_counter(&ht, "tx_write_words"), 4 * 30 * 192); /* entry and bucket head */
        struct run atm = {.workload = "atm", .system = "getm", .variant = COWARP_TX, .check_serial = 1, .settings = {warps[i]},
                          .param = {"accounts=2000", "transfers=4000", "blocks=10"}};
        expect_ok(&atm);
        expect_conservation(&atm, 4000);
    }
}

/* The Kilo TM family at every concurrency limit. */
static void test_workloads__kilo_family(void **state)
{
    static const char *const systems[] = {"kilotm", "warptm", "eapg", "warptm-el", "ideal"};
    static const char *const warps[] = {"tm.warps=1", "tm.warps=2", "tm.warps=4", "tm.warps=8", "tm.warps=16", "tm.warps=0"};
    (void)state;
    for (size_t s = 0; s < sizeof systems / sizeof systems[0]; s++)
        for (size_t i = 0; i < sizeof warps / sizeof warps[0]; i++) {
            struct run ht = {.workload = "ht-h", .system = systems[s], .variant = COWARP_TX, .check_serial = 1, .settings = {warps[i]},
                             .param = {"blocks=30", "buckets=1000"}};
            expect_ok(&ht);
            expect_conservation(&ht, 30 * 192);
            assert_int_equal(run_counter(&ht, "tx_write_words"), 4 * 30 * 192);
            struct run atm = {.workload = "atm", .system = systems[s], .variant = COWARP_TX, .check_serial = 1, .settings = {warps[i]},
                              .param = {"accounts=2000", "transfers=4000", "blocks=10"}};
            expect_ok(&atm);
            expect_conservation(&atm, 4000);
        }
}

/* Each option of the family on a contended table: timing may change, results may not. */
static void test_workloads__kilo_options(void **state)
{
    static const struct {
        const char *system, *settings[4];
    } shape[] = {
        {"kilotm", {"kilo.entries=32"}},
        {"kilotm", {"kilo.id_bits=7"}},
        {"kilotm", {"kilo.history_sets=1", "kilo.history_rows=2"}},
        {"kilotm", {"kilo.hazard_rate=2", "kilo.walker=row"}},
        {"kilotm", {"tcd.mode=closed"}},
        {"kilotm", {"kilo.read_words=1", "kilo.write_words=1"}},
        {"warptm", {"kilo.read_words=1", "kilo.write_words=2", "tcd.mode=published"}},
        {"warptm", {"kilo.entries=40", "kilo.id_bits=9"}},
        {"warptm", {"kilo.history_sets=1", "kilo.history_rows=2"}},
        {"warptm", {"warptm.resolution=scr"}},
        {"warptm", {"warptm.resolution=2pcr-free", "warptm.aggregate=off", "warptm.coalesce=off"}},
        {"warptm", {"warptm.coalesce=off", "tcd.mode=off"}},
        {"warptm", {"warptm.aggregate=off"}},
        {"warptm", {"warptm.resolution=none", "warptm.aggregate=off", "warptm.coalesce=off"}},
        {"warptm", {"core.count=3", "partition.count=5"}},
        {"eapg", {"eapg.cat_entries=4", "eapg.rct_entries=40"}},
        {"eapg", {"eapg.pause_max_cycles=10"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++) {
        struct run r = {.workload = "ht-h", .system = shape[i].system, .variant = COWARP_TX, .check_serial = 1,
                        .param = {"blocks=12", "buckets=300"}};
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
}

/* All forms leave the same table size; the lock form is checked by the workload itself. Granularity and table sizes change timing only. */
static void test_workloads__getm_shapes(void **state)
{
    (void)state;
    static const char *const settings[][4] = {
        {"tm.granule_bytes=4"}, {"tm.granule_bytes=16"}, {"tm.granule_bytes=64"}, {"tm.granule_bytes=128"},
        {"core.count=1"}, {"partition.count=1"}, {"core.count=3", "partition.count=5"}, {"core.scheduler=lrr"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        struct run r = {.workload = "ht-h", .system = "getm", .variant = COWARP_TX, .check_serial = 1, .param = {"blocks=12", "buckets=300"}};
        memcpy(r.settings, settings[i], sizeof settings[i]);
        expect_ok(&r);
        expect_conservation(&r, 12 * 192);
    }
}

/* Tiny tables: entries go to the stash and to the overflow area in memory, and come back. */
static void test_workloads__getm_overflow(void **state)
{
    (void)state;
    struct run r = {.workload = "ht-h", .system = "getm", .variant = COWARP_TX, .check_serial = 1, .param = {"blocks=30", "buckets=3000"},
                    .settings = {"getm.table_rows=2", "getm.bloom_rows=2", "getm.stash=1", "getm.max_swaps=2"}};
    expect_ok(&r);
    expect_conservation(&r, 30 * 192);
    assert_true(run_counter(&r, "vu_stashed") > 0);
    assert_true(run_counter(&r, "vu_overflows") > 0);
    assert_true(run_counter(&r, "vu_evictions") > 0);
}

/* Narrow timestamps: the GPU rolls over several times, and nothing is lost. */
static void test_workloads__getm_rollover(void **state)
{
    (void)state;
    struct run r = {.workload = "ht-h", .system = "getm", .variant = COWARP_TX, .check_serial = 1, .param = {"blocks=20", "buckets=50"},
                    .settings = {"getm.ts_bits=14"}}; /* 10 bits of warp number, 4 of logical time */
    expect_ok(&r);
    expect_conservation(&r, 20 * 192);
    assert_true(run_counter(&r, "rollovers") > 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_workloads__plain),
    cmocka_unit_test(test_workloads__locks),
    cmocka_unit_test(test_workloads__getm),
    cmocka_unit_test(test_workloads__kilo_family),
    cmocka_unit_test(test_workloads__kilo_options),
    cmocka_unit_test(test_workloads__getm_worst_contention),
    cmocka_unit_test(test_workloads__serialised),
    cmocka_unit_test(test_workloads__getm_shapes),
    cmocka_unit_test(test_workloads__getm_overflow),
    cmocka_unit_test(test_workloads__getm_rollover),
};

CW_TEST_MAIN(tests)
