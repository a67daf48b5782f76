/* SPDX-License-Identifier: Apache-2.0 */
/* The oracles bite: a protocol that is broken on purpose is reported by name, and a kernel that deadlocks is ended with a report. */
#include "cw_test.h"
#include "system/run.h"

static struct run sabotaged(const char *how)
{
    struct run r = {.workload = "ht-h", .system = "getm", .variant = COWARP_TX, .check_serial = 1, .sabotage = how,
                    .param = {"blocks=30", "buckets=60"}, .settings = {"watchdog.cycles=200000"}};
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
    struct run r = {.workload = "atm", .system = "getm", .variant = COWARP_TX, .check_serial = 1, .sabotage = "drop-rts-update",
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

/* Fung 2015, Example 1: lanes of a warp spin for a lock that another lane of the same warp holds while it waits at the reconvergence point. */
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
    const struct cowarp_launch launch = {.kernel = "naive", .grid = {1, 1, 1}, .block = {32, 1, 1}, .arg_count = 1, .args = args};
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
    cmocka_unit_test(test_oracles__forgotten_writes_decrement_is_a_deadlock),
    cmocka_unit_test(test_oracles__unknown_sabotage_is_refused),
    cmocka_unit_test(test_oracles__simt_deadlock_is_named),
};

CW_TEST_MAIN(tests)
