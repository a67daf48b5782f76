/* SPDX-License-Identifier: Apache-2.0 */
/* The oracles bite: a protocol that is broken on purpose is reported by name, and a kernel that deadlocks is ended with a report. */
#include "cw_test.h"
#include "system/run.h"

static struct run sabotaged(const char *how)
{
    struct run r = {.workload = "ht-h",
                    .system = "getm",
                    .variant = COWARP_TX,
                    .check_serial = 1,
                    .sabotage = how,
                    .param = {"blocks=30", "buckets=60"},
                    .settings = {"watchdog.cycles=200000"}};
    run_workload(&r);
    return r;
}

static void test_oracles__skipped_owner_check_is_a_violation(void **state)
{
    (void)state;
    struct run r = sabotaged("skip-owner-check");
    assert_int_equal(r.status, COWARP_ECHECK);
    assert_non_null(strstr(r.message, "serializ"));
}

static void test_oracles__dropped_rts_update_is_a_violation(void **state)
{
    (void)state;
    struct run r = {.workload = "atm",
                    .system = "getm",
                    .variant = COWARP_TX,
                    .check_serial = 1,
                    .sabotage = "drop-rts-update",
                    .param = {"accounts=40", "transfers=6000", "blocks=30"}};
    run_workload(&r);
    assert_int_equal(r.status, COWARP_ECHECK);
    assert_non_null(strstr(r.message, "serializ"));
}

static void test_oracles__forgotten_writes_decrement_is_a_deadlock(void **state)
{
    (void)state;
    struct run r = sabotaged("forget-writes-decrement");
    assert_int_equal(r.status, COWARP_EDEADLOCK);
    assert_true(strlen(r.report) > 0);
}

static void test_oracles__shared_token_is_a_violation(void **state)
{
    (void)state;
    const struct run sound = {
        .workload = "ht-h", .system = "serial", .variant = COWARP_TX, .check_serial = 1, .param = {"blocks=4", "buckets=10"}};
    struct run a = sound, b = sound;
    b.sabotage = "share-token";
    run_workload(&a);
    run_workload(&b);
    assert_int_equal(a.status, COWARP_OK);
    assert_int_equal(b.status, COWARP_ECHECK);
    assert_non_null(strstr(b.message, "serializ"));
}

static void test_oracles__sound_protocol_passes(void **state)
{
    (void)state;
    struct run r = sabotaged(NULL);
    assert_int_equal(r.status, COWARP_OK);
}

static void test_oracles__unknown_sabotage_is_refused(void **state)
{
    (void)state;
    struct run r = sabotaged("skip-owner-chek");
    assert_int_equal(r.status, COWARP_EINVAL);
}

/*
 * Value-based validation. Each transaction reads one of 64 words and writes two others blindly, so that the order of commits matters apart
 * from any value that is read. The words lie in all partitions.
 */
static const char blind_writes[] = ".version 7.0\n.target sm_35\n.address_size 64\n"
                                   ".extern .func tx_begin\n()\n;\n.extern .func tx_commit\n()\n;\n"
                                   ".visible .entry blind(.param .u64 words)\n{\n"
                                   ".reg .b32 %r<16>;\n.reg .b64 %a<16>;\n"
                                   "ld.param.u64 %a1, [words];\n"
                                   "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
                                   "mad.lo.s32 %r4, %r1, %r2, %r3;\n"
                                   "mul.lo.s32 %r5, %r4, 40503;\nshr.u32 %r5, %r5, 4;\nand.b32 %r5, %r5, 63;\n"
                                   "mul.lo.s32 %r6, %r4, 30011;\nshr.u32 %r6, %r6, 6;\nand.b32 %r6, %r6, 63;\n"
                                   "mul.lo.s32 %r7, %r4, 27127;\nshr.u32 %r7, %r7, 5;\nand.b32 %r7, %r7, 63;\n"
                                   "mul.wide.u32 %a2, %r5, 256;\nadd.s64 %a2, %a1, %a2;\n"
                                   "mul.wide.u32 %a3, %r6, 256;\nadd.s64 %a3, %a1, %a3;\n"
                                   "mul.wide.u32 %a4, %r7, 256;\nadd.s64 %a4, %a1, %a4;\n"
                                   "call.uni tx_begin, ();\n"
                                   "ld.volatile.global.u32 %r8, [%a2];\n"
                                   "st.volatile.global.u32 [%a3], %r4;\n"
                                   "st.volatile.global.u32 [%a4], %r4;\n"
                                   "call.uni tx_commit, ();\n"
                                   "ret;\n}\n";

static int run_blind_writes(const char *system, const char *sabotage, const char *warps, char message[512])
{
    struct cowarp_options options;
    struct cowarp_gpu *gpu;
    struct cowarp_module *module;
    const char *settings[] = {warps, "tm.backoff_cycles=100", NULL};
    uint64_t words;
    cowarp_options_init(&options);
    options.settings = settings;
    options.system = system;
    options.sabotage = sabotage;
    options.check_serial = 1;
    assert_int_equal(cowarp_create(&gpu, &options), 0);
    assert_int_equal(cowarp_load(gpu, &module, blind_writes, sizeof blind_writes - 1, "blind.ptx"), 0);
    assert_int_equal(cowarp_alloc(gpu, &words, 64 * 256), 0);
    const struct cowarp_arg args[] = {COWARP_U64(words)};
    const struct cowarp_launch launch = {
        .size = sizeof launch, .kernel = "blind", .grid = {30, 1, 1}, .block = {64, 1, 1}, .arg_count = 1, .args = args};
    int status = cowarp_run(gpu, module, &launch);
    snprintf(message, 512, "%s", cowarp_error(gpu));
    cowarp_destroy(gpu);
    return status;
}

/* Whether transactions get in each other's way as the fault needs it is a matter of timing: at one of these limits they do. */
static void expect_violation(const char *system, const char *fault)
{
    static const char *const warps[] = {"tm.warps=2", "tm.warps=4", "tm.warps=8"};
    char message[512];
    int reported = 0;
    for (size_t i = 0; i < 3 && reported == 0; i++) {
        int status = run_blind_writes(system, fault, warps[i], message);
        reported = status == COWARP_ECHECK && strstr(message, "serializ") != NULL;
        if (status != COWARP_OK && !reported)
            fail_msg("%s with %s: status %d, %s", system, fault, status, message);
    }
    if (!reported)
        fail_msg("%s with %s: nothing noticed", system, fault);
}

static void test_oracles__value_based_validation(void **state)
{
    static const char *const systems[] = {"kilotm", "warptm", "eapg", "warptm-el", "ideal"};
    char message[512];
    (void)state;
    for (size_t s = 0; s < 5; s++) {
        if (run_blind_writes(systems[s], NULL, "tm.warps=2", message) != COWARP_OK)
            fail_msg("%s: %s", systems[s], message);
        if (s >= 3)
            continue;
        expect_violation(systems[s], "skip-revalidation");
        expect_violation(systems[s], "ignore-hazard");
    }
    /* warps as a whole hardly ever overtake each other: for warptm and eapg, test_kilo_protocol forces them to */
    expect_violation("kilotm", "commit-out-of-order");
}

/*
 * Doomed transactions (Fung 2015, 4.2.2). Odd warps write two words equally, even warps read them with some way between and, should they
 * differ, loop for ever: only a validation ends that.
 */
static const char doomed[] = ".version 7.0\n.target sm_35\n.address_size 64\n"
                             ".extern .func tx_begin\n()\n;\n.extern .func tx_commit\n()\n;\n"
                             ".visible .entry doomed(.param .u64 words)\n{\n"
                             ".reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %a<4>;\n"
                             "ld.param.u64 %a1, [words];\n"
                             "mov.u32 %r1, %ctaid.x;\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 1;\n"
                             "@%p1 bra WRITER;\n"
                             "call.uni tx_begin, ();\n"
                             "ld.volatile.global.u32 %r3, [%a1];\n"
                             "ld.volatile.global.u32 %r4, [%a1+4096];\n"
                             "add.u32 %r5, %r3, %r4;\n"
                             "ld.volatile.global.u32 %r6, [%a1+512];\n"
                             "LOOP:\n"
                             "setp.ne.u32 %p2, %r6, %r3;\n"
                             "@%p2 bra LOOP;\n"
                             "call.uni tx_commit, ();\n"
                             "ret;\n"
                             "WRITER:\n"
                             "call.uni tx_begin, ();\n"
                             "st.volatile.global.u32 [%a1], %r1;\n"
                             "st.volatile.global.u32 [%a1+512], %r1;\n"
                             "call.uni tx_commit, ();\n"
                             "ret;\n}\n";

static int run_doomed(const char *system, const char *watchdog, uint64_t *probes)
{
    struct cowarp_options options;
    struct cowarp_gpu *gpu;
    struct cowarp_module *module;
    const char *settings[] = {"watchdog.cycles=100000", "watchdog.livelock_cycles=200000", watchdog, NULL};
    uint64_t words;
    const char *name = "", *unit, *what;
    cowarp_options_init(&options);
    options.settings = settings;
    options.system = system;
    options.check_serial = 1;
    assert_int_equal(cowarp_create(&gpu, &options), 0);
    assert_int_equal(cowarp_load(gpu, &module, doomed, sizeof doomed - 1, "doomed.ptx"), 0);
    assert_int_equal(cowarp_alloc(gpu, &words, 8192), 0);
    const struct cowarp_arg args[] = {COWARP_U64(words)};
    const struct cowarp_launch launch = {
        .size = sizeof launch, .kernel = "doomed", .grid = {400, 1, 1}, .block = {1, 1, 1}, .arg_count = 1, .args = args};
    int status = cowarp_run(gpu, module, &launch);
    for (uint32_t i = 0; strcmp(name, "tx_probes") != 0 && cowarp_counter_at(gpu, i, &name, probes, &unit, &what); i++)
        ;
    cowarp_destroy(gpu);
    return status;
}

static void test_oracles__doomed_transactions_end(void **state)
{
    static const char *const systems[] = {"kilotm", "warptm", "eapg"};
    uint64_t probes;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(run_doomed(systems[i], "kilo.watchdog_cycles=2000", &probes), COWARP_OK);
        assert_true(probes > 0);
    }
    assert_int_equal(run_doomed("kilotm", "kilo.watchdog_cycles=100000000", &probes), COWARP_EDEADLOCK);
}

/* A walk over 300 lines in one transaction, which is alone: its volatile loads look like polling, and nothing commits for long. */
static const char walk[] = ".version 7.0\n.target sm_35\n.address_size 64\n"
                           ".extern .func tx_begin ();\n.extern .func tx_commit ();\n"
                           ".visible .entry walk(.param .u64 words)\n{\n"
                           ".reg .pred %p;\n.reg .b32 %r<4>;\n.reg .b64 %a;\n"
                           "ld.param.u64 %a, [words];\n"
                           "mov.u32 %r1, 300;\n"
                           "call.uni tx_begin, ();\n"
                           "STEP:\n"
                           "ld.volatile.global.u32 %r2, [%a];\n"
                           "add.u64 %a, %a, 128;\n"
                           "sub.u32 %r1, %r1, 1;\n"
                           "setp.ne.u32 %p, %r1, 0;\n"
                           "@%p bra STEP;\n"
                           "st.volatile.global.u32 [%a], %r2;\n"
                           "call.uni tx_commit, ();\n"
                           "ret;\n}\n";

static void test_oracles__a_long_transaction_is_no_livelock(void **state)
{
    static const char *const systems[] = {"getm", "warptm", "kilotm", "ideal"};
    (void)state;
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        struct cowarp_options options;
        struct cowarp_gpu *gpu;
        struct cowarp_module *module;
        uint64_t words;
        const char *settings[] = {"watchdog.cycles=10000", "watchdog.livelock_cycles=20000", NULL};
        cowarp_options_init(&options);
        options.settings = settings;
        options.system = systems[i];
        assert_int_equal(cowarp_create(&gpu, &options), 0);
        if (cowarp_load(gpu, &module, walk, sizeof walk - 1, "walk.ptx") != 0)
            fail_msg("%s", cowarp_error(gpu));
        assert_int_equal(cowarp_alloc(gpu, &words, 301 * 128), 0);
        const struct cowarp_arg args[] = {COWARP_U64(words)};
        const struct cowarp_launch launch = {
            .size = sizeof launch, .kernel = "walk", .grid = {1, 1, 1}, .block = {1, 1, 1}, .arg_count = 1, .args = args};
        const int status = cowarp_run(gpu, module, &launch);
        if (status != 0)
            fail_msg("%s: status %d: %s", systems[i], status, cowarp_error(gpu));
        assert_true(cowarp_cycles(gpu) > 3 * 20000);
        cowarp_destroy(gpu);
    }
}

/* Fung 2015, Example 1: lanes of a warp spin for a lock that another lane of the same warp holds while it waits at the reconvergence point.
 */
static const char naive_lock[] = ".version 7.0\n.target sm_35\n.address_size 64\n"
                                 ".visible .entry naive(.param .u64 lock)\n{\n"
                                 ".reg .pred %p;\n.reg .b32 %r;\n.reg .b64 %a;\n"
                                 "ld.param.u64 %a, [lock];\n"
                                 "SPIN:\n"
                                 "atom.global.cas.b32 %r, [%a], 0, 1;\n"
                                 "setp.ne.u32 %p, %r, 0;\n"
                                 "@%p bra SPIN;\n"
                                 "atom.global.exch.b32 %r, [%a], 0;\n"
                                 "ret;\n}\n";

static int run_naive_lock(struct cowarp_gpu *gpu)
{
    struct cowarp_module *module;
    uint64_t lock;
    int status = cowarp_load(gpu, &module, naive_lock, sizeof naive_lock - 1, "naive.ptx");
    if (status == 0)
        status = cowarp_alloc(gpu, &lock, 4);
    if (status != 0)
        return status;
    const struct cowarp_arg args[] = {COWARP_U64(lock)};
    const struct cowarp_launch launch = {
        .size = sizeof launch, .kernel = "naive", .grid = {1, 1, 1}, .block = {32, 1, 1}, .arg_count = 1, .args = args};
    return cowarp_run(gpu, module, &launch);
}

static void test_oracles__simt_deadlock_is_named(void **state)
{
    (void)state;
    struct cowarp_options options;
    struct cowarp_gpu *gpu;
    const char *settings[] = {"watchdog.cycles=100000", "watchdog.livelock_cycles=200000", NULL};
    cowarp_options_init(&options);
    options.settings = settings;
    assert_int_equal(cowarp_create(&gpu, &options), 0);
    assert_int_equal(run_naive_lock(gpu), COWARP_EDEADLOCK);
    assert_non_null(strstr(cowarp_report(gpu), "SIMT deadlock"));
    const char *where = strstr(cowarp_report(gpu), "naive.ptx:");
    unsigned line = 0;
    assert_non_null(where);
    assert_int_equal(sscanf(where, "naive.ptx:%u", &line), 1);
    assert_in_range(line, 11, 13); /* atom.cas, setp, bra */
    assert_non_null(strstr(cowarp_report(gpu), "lanes 0xfffffffe have polled"));
    assert_non_null(strstr(cowarp_report(gpu), "lanes 0x00000001 of the same warp wait")); /* the one that has the lock */
    cowarp_destroy(gpu);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_oracles__sound_protocol_passes),
    cmocka_unit_test(test_oracles__skipped_owner_check_is_a_violation),
    cmocka_unit_test(test_oracles__dropped_rts_update_is_a_violation),
    cmocka_unit_test(test_oracles__shared_token_is_a_violation),
    cmocka_unit_test(test_oracles__forgotten_writes_decrement_is_a_deadlock),
    cmocka_unit_test(test_oracles__unknown_sabotage_is_refused),
    cmocka_unit_test(test_oracles__value_based_validation),
    cmocka_unit_test(test_oracles__doomed_transactions_end),
    cmocka_unit_test(test_oracles__a_long_transaction_is_no_livelock),
    cmocka_unit_test(test_oracles__simt_deadlock_is_named),
};

CW_TEST_MAIN(tests)
