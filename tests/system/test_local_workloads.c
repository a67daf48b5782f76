/* SPDX-License-Identifier: Apache-2.0 */
/* The workloads with transactions in shared memory: each under all detectors and serialisations, with its own check and the oracle; and
 * what is known of their transactions, whatever runs them. */
#include "cw_test.h"
#include "system/run.h"

static const char *const detects[] = {"ltm.detect=prw-sig", "ltm.detect=swo-sig", "ltm.detect=dcd", "ltm.detect=smdcd"};
static const char *const serials[] = {"ltm.serial=ascending-single", "ltm.serial=descending-single", "ltm.serial=ascending-multiple",
                                      "ltm.serial=descending-multiple"};

/* commits: of a run, 0 where they depend on it. read_only: some are. words: the most that one writes. */
static const struct {
    const char *name, *param[4];
    uint32_t commits, read_only, words;
} workloads[] = {
    {"lht-hc", {"groups=3", "wavefronts=2"}, 0, 1, 1},
    {"lht-lc", {"groups=3", "wavefronts=2"}, 0, 1, 1},
    {"it-hc", {"groups=3", "wavefronts=2"}, 3 * 2 * 64 * 2, 0, 1},
    {"it-lc", {"groups=3", "wavefronts=2"}, 3 * 2 * 64 * 2, 0, 1},
    {"gc-hc", {"groups=3", "wavefronts=2", "vertices=128", "edges=256"}, 0, 1, 1},
    {"gc-lc", {"groups=3", "wavefronts=2", "vertices=128", "edges=128"}, 0, 1, 1},
    {"km-hc", {"groups=2", "wavefronts=2", "points=1"}, 2 * 2 * 64, 0, 35},
    {"km-lc", {"groups=2", "wavefronts=2", "points=1"}, 2 * 2 * 64, 0, 35},
};
#define WORKLOAD_CNT (sizeof workloads / sizeof workloads[0])

static void expect_ok(struct run *r)
{
    run_workload(r);
    if (r->status != 0)
        fail_msg("%s %s %s: status %d: %s\n%s", r->workload, r->settings[0] != NULL ? r->settings[0] : "", r->system, r->status, r->message,
                 r->report);
}

static struct run small(size_t w, const char *system)
{
    struct run r = {.workload = workloads[w].name, .system = system, .preset = "localtm", .variant = COWARP_TX, .check_serial = 1};
    memcpy(r.param, workloads[w].param, sizeof workloads[w].param);
    return r;
}

static void expect_transactions(const struct run *r, size_t w)
{
    const uint64_t commits = run_counter(r, "tx_committed"), read_only = run_counter(r, "tx_read_only");
    if (workloads[w].commits != 0)
        assert_int_equal(commits, workloads[w].commits);
    assert_int_equal(read_only != 0, workloads[w].read_only);
    assert_int_equal(run_counter(r, "tx_write_words"), workloads[w].words * (commits - read_only));
}

/* All 16. */
static void test_local_workloads__every_combination(void **state)
{
    (void)state;
    for (size_t w = 0; w < WORKLOAD_CNT; w++) {
        for (size_t i = 0; i < 16; i++) {
            struct run r = small(w, "localtm");
            r.settings[0] = detects[i / 4];
            r.settings[1] = "core.count=2"; /* several work-groups meet on a core */
            r.settings[2] = serials[i % 4];
            expect_ok(&r);
            expect_transactions(&r, w);
            assert_int_equal(run_counter(&r, "ltm_transactional") + run_counter(&r, "ltm_wf_serial") + run_counter(&r, "ltm_wg_serial"),
                             run_counter(&r, "tx_committed"));
        }
    }
}

static void test_local_workloads__others(void **state)
{
    static const char *const wavefronts[] = {"wavefronts=1", "wavefronts=4"};
    (void)state;
    for (size_t w = 0; w < WORKLOAD_CNT; w++) {
        struct run lock = small(w, "lds-lock"), serial = small(w, "serial"), own = small(w, "none");
        lock.check_serial = own.check_serial = 0;
        own.variant = COWARP_CGLOCK;
        expect_ok(&lock);
        expect_ok(&serial);
        expect_ok(&own);
        expect_transactions(&serial, w);
        for (size_t i = 0; i < 2; i++) {
            struct run r = small(w, "localtm");
            r.param[1] = wavefronts[i];
            r.settings[0] = i == 0 ? "core.warp_width=32" : NULL;
            expect_ok(&r);
        }
    }
}

/* A launch whose registers do not fit is refused before the run, with both numbers. */
static void test_local_workloads__refused(void **state)
{
    (void)state;
    struct run r = small(6, "localtm");
    r.settings[0] = "ltm.scalar_registers=64";
    r.settings[1] = "ltm.detect=swo-sig";
    run_workload(&r);
    assert_int_equal(r.status, COWARP_EINVAL);
    assert_non_null(strstr(r.message, "too few scalar registers for ltm.detect=swo-sig and ltm.serial=ascending-single"));
    assert_int_equal(r.cycles, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_workloads__every_combination),
        cmocka_unit_test(test_local_workloads__others),
        cmocka_unit_test(test_local_workloads__refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
