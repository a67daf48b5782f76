/* SPDX-License-Identifier: Apache-2.0 */
/* Abort predictor: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/abort_predictor.h"

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_abort_predictor_params params_t;
typedef struct cw_abort_predictor_in in_t;
typedef struct cw_abort_predictor_out out_t;

/*                               index_w count_w */
static const params_t core = {6, 2};
static const params_t minimal = {1, 2};
static const params_t odd = {3, 5};

/* Few indices, so that counters reach their ends and queries meet updates; now and then any. */
static void few_warps(void *context, struct cw_rng *rng, const void *last_out, void *in)
{
    in_t *i = in;
    (void)context;
    (void)last_out;
    if (cw_rng_below(rng, 16) != 0) {
        i->upd_index &= 1;
        i->qry_index &= 1;
    }
}

static const struct cw_lockstep_set sets[] = {{"core", &core, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0}};

static const struct cw_lockstep_bench bench = {&cw_abort_predictor_unit, sets, 3, few_warps, NULL};

static void test_abort_predictor__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_abort_predictor__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"a counter wraps at its top", "cw_abort_predictor", "upd_abort_i ? &count : ", "upd_abort_i ? 1'b0 : ", 0},
        {"a counter wraps at 0", "cw_abort_predictor", ": !(|count)", ": 1'b0 && |count", 0},
        {"an abort is predicted at the top only", "cw_abort_predictor", "= qry_count_o[COUNT_W-1]", "= &qry_count_o", 0},
        {"a commit changes nothing", "cw_abort_predictor", "count + ONE : count - ONE", "count + ONE : count", 0},
        {"a reset leaves the counters", "cw_abort_predictor", "<= {(ENTRIES*COUNT_W){1'b0}};", "<= count_q;", 0},
        {"each clock counts", "cw_abort_predictor", "else if (upd_valid_i && !stay)", "else if (!stay)", 0}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* An update of warp 5, which is asked about in the same cycle. Returns what is predicted before the update counts. */
static uint64_t update(struct cw_unit_instance *u, uint64_t abort)
{
    const in_t in = {.qry_index = 5, .upd_valid = 1, .upd_index = 5, .upd_abort = abort};
    out_t out;
    u->ops->eval(u->self, &in, &out);
    u->ops->tick(u->self, &in);
    return out.qry_abort;
}

/* Two bits: 0 and 1 trust the warp, 2 and 3 do not. */
static void test_abort_predictor__takes_two_aborts_to_be_convinced(void **state)
{
    static const enum cw_unit_backend backends[] = {CW_UNIT_C, CW_UNIT_RTL};
    static const uint8_t aborts[] = {1, 1, 1, 1, 0, 0, 0, 0, 1, 0};
    static const uint8_t expected[] = {0, 0, 1, 1, 1, 1, 0, 0, 0, 0};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct cw_unit_instance u;
        struct cw_unit_provider provider = cw_directed_open(&cw_abort_predictor_unit, &core, backends[b], &u);
        for (uint32_t i = 0; i < sizeof aborts; i++)
            assert_int_equal(update(&u, aborts[i]), expected[i]);
        cw_directed_close(&provider, &u);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_abort_predictor__c_equals_rtl),
    cmocka_unit_test(test_abort_predictor__broken_copies_are_caught),
    cmocka_unit_test(test_abort_predictor__takes_two_aborts_to_be_convinced),
};
CW_TEST_MAIN(tests)
