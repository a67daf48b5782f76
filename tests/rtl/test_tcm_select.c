/* SPDX-License-Identifier: Apache-2.0 */
/* Select of the transaction conflict mask: C model and RTL in lockstep, broken copies, and directed tests on both. */
#include "cowarp/unit/tcm_select.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/rng.h"
#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_tcm_select_params params_t;
typedef struct cw_tcm_select_in in_t;
typedef struct cw_tcm_select_out out_t;

#define DUT_UNIT cw_tcm_select_unit
#include "dut.h"
#include "fill/tcm_select.h"

static const params_t wavefront = {64};
static const params_t minimal = {2};
static const params_t odd = {5};
static const params_t warp = {32};

/* Masks of which each is often within another one, or equal to it. */
static void constrain(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    in_t *in = inputs;
    (void)context;
    (void)last_out;
    in->ask_before = cw_rng_next(rng) & (cw_rng_below(rng, 2) != 0 ? UINT64_MAX : cw_rng_next(rng) & cw_rng_next(rng));
    in->ask_tcm = in->ask_before & (cw_rng_below(rng, 3) != 0 ? UINT64_MAX : cw_rng_next(rng));
    in->ask_start = in->ask_tcm & (cw_rng_below(rng, 2) != 0 ? UINT64_MAX : cw_rng_next(rng));
    in->ask_mcm = cw_rng_below(rng, 4) != 0 ? cw_rng_next(rng) : ~in->ask_tcm;
    if (cw_rng_below(rng, 32) == 0)
        in->ask_tcm = cw_rng_next(rng);
    if (cw_rng_below(rng, 32) == 0)
        in->ask_tcm = 0;
    if (cw_rng_below(rng, 64) == 0)
        in->ask_tcm = UINT64_MAX;
    in->ask_descending = cw_rng_below(rng, 2);
    in->ask_multiple = cw_rng_below(rng, 2);
    in->ask_keep = cw_rng_below(rng, 2);
    in->ask_token = cw_rng_below(rng, 2);
    in->ask_mode = cw_rng_below(rng, 4);
}

static const struct cw_lockstep_set sets[] = {{"wavefront", &wavefront, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0}, {"warp", &warp, 0}};
static const struct cw_lockstep_bench bench = {&cw_tcm_select_unit, sets, 4, constrain, NULL};

static void test_tcm_select__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_tcm_select__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"a deadlock is not seen", "cw_tcm_select", "mode_d = same ? WAVEFRONT : TRANSACTIONAL", "mode_d = TRANSACTIONAL", 2},
        {"a conflict in wavefront serialisation is not seen", "cw_tcm_select",
         "(ask_tcm_i & ~ask_start_i) !=", "(ask_tcm_i & ~ask_tcm_i & ~ask_start_i) !=", 2},
        {"the highest lane never runs first", "cw_tcm_select", "line[n] = ask_tcm_i[LANES-1-n];", "line[n] = ask_tcm_i[n];", 2},
        {"multiple selects nobody", "cw_tcm_select", "|| apart == {LANES{1'b0}}", "", 2},
        {"work-group serialisation runs several lanes", "cw_tcm_select", "mode_d == WORK_GROUP || !ask_multiple_i", "!ask_multiple_i", 2},
        {"mode 3 is not mode 2", "cw_tcm_select", "stuck || ask_keep_i ? WORK_GROUP",
         "(stuck || ask_keep_i) && ask_mode_i != 2'd3 ? WORK_GROUP", 2},
        {"the token is wanted twice", "cw_tcm_select", "mode_d == WORK_GROUP && !ask_token_i", "mode_d == WORK_GROUP", 2},
        {"the token is kept", "cw_tcm_select", "mode_d != WORK_GROUP && ask_token_i", "over && ask_token_i", 2},
        {"an answer changes without a question", "cw_tcm_select", "end else if (ask_valid_i) begin\n            tcm_q  <= ask_tcm_i",
         "end else if (ask_valid_i || want_q) begin\n            tcm_q  <= ask_tcm_i", 2},
        {"a reset leaves who runs", "cw_tcm_select", "run_q  <= {LANES{1'b0}};", "run_q  <= run_q;", 2}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* Lanes as the paper prints them: lane 0 leftmost. */
static uint64_t lanes(const char *text)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; text[i] != '\0'; i++)
        mask |= (uint64_t)(text[i] == '1') << i;
    return mask;
}

/* The end of an attempt, and what has to follow. */
struct step {
    const char *what;
    const char *tcm, *start, *before, *mcm;
    uint64_t mode;
    uint64_t descending, multiple, keep, token;
    const char *held, *run; /* of the next */
    uint64_t next, want, free;
};

/* Without a question the answer stays, whatever the other inputs are. */
static void expect_hold(struct dut *d)
{
    const out_t answer = d->out;
    d->in = (in_t){.ask_tcm = ~answer.sel_tcm, .ask_mode = CW_LOCAL_WORK_GROUP, .ask_token = !answer.sel_free};
    dut_cycle(d);
    dut_eval(d);
    assert_memory_equal(&d->out, &answer, sizeof answer);
}

/* After a reset the answer is that of a transaction that is over. */
static void expect_reset(struct dut *d)
{
    static const out_t over = {0};
    d->in = (in_t){.ask_valid = 1, .ask_tcm = 6, .ask_before = 6, .ask_mode = CW_LOCAL_WAVEFRONT};
    dut_cycle(d);
    dut_eval(d);
    assert_int_equal(d->out.sel_run, 2);
    d->inst.ops->reset(d->inst.self);
    dut_eval(d);
    assert_memory_equal(&d->out, &over, sizeof over);
}

static void play(const struct step *steps, uint32_t step_cnt)
{
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &wavefront, backends[b]);
        for (uint32_t i = 0; i < step_cnt; i++) {
            const struct step *s = steps + i;
            d.in = (in_t){.ask_valid = 1,
                          .ask_tcm = lanes(s->tcm),
                          .ask_start = lanes(s->start),
                          .ask_before = lanes(s->before),
                          .ask_mcm = lanes(s->mcm),
                          .ask_mode = s->mode,
                          .ask_descending = s->descending,
                          .ask_multiple = s->multiple,
                          .ask_keep = s->keep,
                          .ask_token = s->token};
            dut_cycle(&d);
            dut_eval(&d);
            if (d.out.sel_tcm != lanes(s->held) || d.out.sel_run != lanes(s->run) || d.out.sel_mode != s->next ||
                d.out.sel_want != s->want || d.out.sel_free != s->free)
                fail_msg("%s, step %u, %s: TCM 0x%llx, run 0x%llx, mode %llu, want %llu, free %llu", b == 0 ? "C" : "RTL", i, s->what,
                         (unsigned long long)d.out.sel_tcm, (unsigned long long)d.out.sel_run, (unsigned long long)d.out.sel_mode,
                         (unsigned long long)d.out.sel_want, (unsigned long long)d.out.sel_free);
            expect_hold(&d);
        }
        expect_reset(&d);
        dut_close(&d);
    }
}
#define PLAY(steps) play(steps, sizeof(steps) / sizeof(steps)[0])

#define TX CW_LOCAL_TRANSACTIONAL
#define WF CW_LOCAL_WAVEFRONT
#define WG CW_LOCAL_WORK_GROUP

/* Table 1: work-items 0 and 1 make each other fail twice, then 0 runs alone, then 1. */
static void test_tcm_select__table_1(void **state)
{
    static const struct step steps[] = {
        {"2 and 3 commit", "1100", "0000", "0000", "1111", TX, 0, 0, 0, 0, "0000", "1100", TX, 0, 0},
        {"deadlock", "1100", "0000", "1100", "1111", TX, 0, 0, 0, 0, "0100", "1000", WF, 0, 0},
        {"0 commits", "0100", "0100", "1100", "1111", WF, 0, 0, 0, 0, "0000", "0100", TX, 0, 0},
        {"1 commits", "0000", "0000", "0100", "1111", TX, 0, 0, 0, 0, "0000", "0000", TX, 0, 0},
    };
    (void)state;
    PLAY(steps);
}

/* Section 3: A and B conflict, and C and D. Single serialises one, multiple two: those whose bit in MCM is 1. */
static void test_tcm_select__two_pairs(void **state)
{
    static const struct step steps[] = {
        {"ascending-single: A", "1111", "0000", "1111", "1010", TX, 0, 0, 0, 0, "0111", "1000", WF, 0, 0},
        {"descending-single: D", "1111", "0000", "1111", "0101", TX, 1, 0, 0, 0, "1110", "0001", WF, 0, 0},
        {"ascending-multiple: A and C", "1111", "0000", "1111", "1010", TX, 0, 1, 0, 0, "0101", "1010", WF, 0, 0},
        {"descending-multiple: B and D", "1111", "0000", "1111", "0101", TX, 1, 1, 0, 0, "1010", "0101", WF, 0, 0},
        {"both commit", "0101", "0101", "1111", "1111", WF, 0, 1, 0, 0, "0000", "0101", TX, 0, 0},
        {"A commits, C does not: a conflict", "0111", "0101", "1111", "1111", WF, 0, 1, 0, 0, "0011", "0100", WG, 1, 0},
        {"MCM has nobody: the first lane", "0110", "0000", "0110", "1001", TX, 0, 1, 0, 0, "0010", "0100", WF, 0, 0},
        {"or the last", "0110", "0000", "0110", "1001", TX, 1, 1, 0, 0, "0100", "0010", WF, 0, 0},
        {"lanes outside of TCM do not run", "0110", "0000", "0110", "1111", TX, 0, 1, 0, 0, "0000", "0110", WF, 0, 0},
    };
    (void)state;
    PLAY(steps);
}

/* Section 3.2: wavefronts that block each other. The token is for one transaction, or for the wavefront. */
static void test_tcm_select__work_group_serialisation(void **state)
{
    static const struct step steps[] = {
        {"the lane that ran meets another wavefront", "1100", "0100", "1100", "1111", WF, 0, 0, 0, 0, "0100", "1000", WG, 1, 0},
        {"it runs with the token, and gives it back", "0100", "0100", "1100", "1111", WG, 0, 0, 0, 1, "0000", "0100", TX, 0, 1},
        {"it keeps the token for the next lane", "0110", "0110", "1110", "1111", WG, 0, 1, 1, 1, "0010", "0100", WG, 0, 0},
        {"and gives it back after the last", "0000", "0000", "0010", "1111", WG, 0, 0, 1, 1, "0000", "0000", TX, 0, 1},
        {"a conflict all the same: again", "1100", "0100", "1100", "1111", WG, 0, 0, 0, 1, "0100", "1000", WG, 0, 0},
        {"the lane that ran is left, another one is not: again", "1010", "0110", "1110", "1111", WG, 0, 0, 0, 1, "0010", "1000", WG, 0, 0},
        {"nobody ran and nobody is gone: again", "0110", "0110", "0110", "1111", WG, 0, 0, 0, 1, "0010", "0100", WG, 0, 0},
        {"the same after wavefront serialisation", "0110", "0110", "0110", "1111", WF, 0, 0, 0, 0, "0010", "0100", WG, 1, 0},
        {"the lane that ran is gone: no more of it", "0010", "0110", "1110", "1111", WG, 0, 0, 0, 1, "0000", "0010", TX, 0, 1},
        {"mode 3 is work-group serialisation", "0110", "0110", "1110", "1111", 3, 0, 1, 1, 1, "0010", "0100", WG, 0, 0},
        {"a single lane cannot get on: wavefront first", "1000", "0000", "1000", "1111", TX, 0, 0, 0, 0, "0000", "1000", WF, 0, 0},
        {"then the work-group", "1000", "0000", "1000", "1111", WF, 0, 0, 0, 0, "0000", "1000", WG, 1, 0},
    };
    (void)state;
    PLAY(steps);
}

/* What a wavefront meets in an attempt: each lane that runs conflicts, but in work-group serialisation. */
struct run {
    uint64_t tcm, start, before, mode, runs;
    uint32_t attempts;
};

/* The contract's bound, with lanes that conflict as badly as they may: 3 attempts for each lane of the first TCM. */
static void bound(struct dut *d, struct cw_rng *rng, uint32_t n, uint64_t multiple, uint64_t keep, bool worst)
{
    struct run r = {.tcm = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX};
    while (r.tcm != 0) {
        d->in = (in_t){.ask_valid = 1,
                       .ask_tcm = r.tcm,
                       .ask_start = r.start,
                       .ask_before = r.before,
                       .ask_mcm = worst ? UINT64_MAX : cw_rng_next(rng),
                       .ask_mode = r.mode,
                       .ask_multiple = multiple,
                       .ask_keep = keep,
                       .ask_token = r.mode == WG};
        dut_cycle(d);
        dut_eval(d);
        r = (struct run){r.tcm, d->out.sel_tcm, r.tcm, d->out.sel_mode, d->out.sel_run, r.attempts + 1};
        assert_true(r.runs != 0 && (r.runs & ~r.before) == 0 && (r.runs | r.start) == r.before && (r.runs & r.start) == 0);
        r.tcm = r.mode == WG ? r.start : r.start | (worst ? r.runs : r.runs & cw_rng_next(rng));
        assert_in_range(r.attempts, 1, 3 * n);
    }
    if (worst && !keep)
        assert_int_equal(r.attempts, 3 * n);
}

static void test_tcm_select__attempts_are_bounded(void **state)
{
    static const uint32_t lane_cnt[] = {1, 2, 7, 64};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        struct cw_rng rng;
        cw_rng_seed(&rng, 1);
        dut_open(&d, &wavefront, backends[b]);
        for (uint32_t i = 0; i < 4; i++)
            for (uint32_t policy = 0; policy < 4; policy++) {
                bound(&d, &rng, lane_cnt[i], policy & 1, policy >> 1, true);
                for (uint32_t n = 0; n < 100; n++)
                    bound(&d, &rng, lane_cnt[i], policy & 1, policy >> 1, false);
            }
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_tcm_select__fills),
    cmocka_unit_test(test_tcm_select__c_equals_rtl),
    cmocka_unit_test(test_tcm_select__broken_copies_are_caught),
    cmocka_unit_test(test_tcm_select__table_1),
    cmocka_unit_test(test_tcm_select__two_pairs),
    cmocka_unit_test(test_tcm_select__work_group_serialisation),
    cmocka_unit_test(test_tcm_select__attempts_are_bounded),
};
CW_TEST_MAIN(tests)
