/* SPDX-License-Identifier: Apache-2.0 */
/* Convergence barriers: C model and RTL in lockstep, broken copies, and directed tests of the contract on both. */
#include "cowarp/unit/convergence_barriers.h"

#include <stdbool.h>
#include <string.h>

#include "cw_test.h"
#include "lockstep_driver.h"

typedef struct cw_convergence_barriers_params params_t;
typedef struct cw_convergence_barriers_in in_t;
typedef struct cw_convergence_barriers_out out_t;

#define DUT_UNIT cw_convergence_barriers_unit
#include "dut.h"
#include "fill/convergence_barriers.h"

/*                               lanes warp_w barriers pc_w */
static const params_t its = {32, 4, 16, 16};
static const params_t minimal = {1, 1, 1, 1};
static const params_t odd = {5, 2, 3, 4};
static const params_t few = {8, 1, 2, 6};
static const params_t largest = {64, 10, 16, 24};

/* Which operations come, for which warps, at which PCs. */
struct phase {
    uint32_t warps, pcs, dense, stalls, kinds[8];
    uint64_t base, first_warp;
};

static void some_phase(struct phase *phase, struct cw_rng *rng)
{
    static const uint32_t most[8] = {2, 40, 8, 4, 6, 6, 1, 1};
    phase->warps = 1 + cw_rng_below(rng, 3);
    phase->pcs = 1 + cw_rng_below(rng, 6);
    phase->dense = cw_rng_below(rng, 4);
    phase->stalls = cw_rng_below(rng, 6);
    phase->base = cw_rng_next(rng);
    phase->first_warp = cw_rng_next(rng);
    for (uint32_t k = 0; k < 8; k++)
        phase->kinds[k] = cw_rng_below(rng, most[k] + 1);
    phase->kinds[CW_CONVERGENCE_START]++;
}

static uint64_t some_kind(const struct phase *phase, struct cw_rng *rng)
{
    uint32_t sum = 0, kind = 0;
    for (uint32_t k = 0; k < 8; k++)
        sum += phase->kinds[k];
    for (uint32_t at = cw_rng_below(rng, sum); at >= phase->kinds[kind]; kind++)
        at -= phase->kinds[kind];
    return kind;
}

static uint64_t some_lanes(uint32_t dense, struct cw_rng *rng)
{
    uint64_t lanes = cw_rng_next(rng);
    for (uint32_t i = dense; i < 2; i++)
        lanes &= cw_rng_next(rng);
    for (uint32_t i = 2; i < dense; i++)
        lanes |= cw_rng_next(rng);
    return lanes;
}

static void constrain(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct phase *phase = context;
    in_t *in = inputs;
    (void)last_out;
    if (phase->warps == 0 || cw_rng_below(rng, 2048) == 0)
        some_phase(phase, rng);
    in->op_valid = cw_rng_below(rng, 16) >= phase->stalls;
    in->op_kind = some_kind(phase, rng);
    in->op_warp = phase->first_warp + cw_rng_below(rng, phase->warps);
    in->op_lanes = some_lanes(in->op_kind == CW_CONVERGENCE_START ? 3 : in->op_kind == CW_CONVERGENCE_EXIT ? 0 : phase->dense, rng);
    in->op_named = some_lanes(phase->dense, rng);
    in->op_target = phase->base + cw_rng_below(rng, phase->pcs);
    in->op_next = phase->base + cw_rng_below(rng, phase->pcs);
    in->op_meet = phase->base + cw_rng_below(rng, phase->pcs);
    in->op_meet_valid = cw_rng_below(rng, 4) != 0;
    in->op_yield = cw_rng_below(rng, 4) == 0;
}

static const struct cw_lockstep_set sets[] = {
    {"its", &its, 0}, {"minimal", &minimal, 0}, {"odd", &odd, 0}, {"few", &few, 0}, {"largest", &largest, 0}};

static struct phase lockstep_phase;
static const struct cw_lockstep_bench bench = {&cw_convergence_barriers_unit, sets, 5, constrain, &lockstep_phase};

static void test_convergence_barriers__c_equals_rtl(void **state)
{
    (void)state;
    cw_lockstep_run(&bench);
}

static void test_convergence_barriers__broken_copies_are_caught(void **state)
{
    static const struct cw_mutant mutants[] = {
        {"sides change places", "cw_convergence_pick", "branches_i && first_i) ? here_i", "branches_i && !first_i) ? here_i", 2},
        {"a branch without RPC meets", "cw_convergence_apply", "kind_i == BRANCH && meets_i &&",
         "kind_i == BRANCH && (meets_i || target_i[0]) &&", 2},
        {"each branch takes a barrier", "cw_convergence_apply", "wants_i && !found_any && free_oh[j]",
         "wants_i && (!found_any || !syncs) && free_oh[j]", 2},
        {"the highest free barrier", "cw_convergence_apply", "free_oh[a]  = free_i[a] && !free_any;",
         "free_oh[a]  = free_i[a] && (a == BARRIERS - 1 || !free_i[(a+1)%BARRIERS]) && !free_any;", 2},
        {"the PC of a barrier is not compared", "cw_convergence_apply", "strict_i[n] == syncs && bpc_i[n*PC_W +: PC_W] == want_pc",
         "strict_i[n] == syncs", 2},
        {"a barrier of the other kind is enough", "cw_convergence_apply", "strict_i[n] == syncs && bpc_i", "bpc_i", 2},
        {"a yield is forgotten", "cw_convergence_barriers", "{LANES{yield_q && kind_q == BRANCH}}",
         "{LANES{yield_q && kind_q == WARPSYNC}}", 2},
        {"lanes that have exited are waited for", "cw_convergence_apply", "here | (named_i & live_i)",
         "here | (named_i & (live_i | ~live_i))", 2},
        {"who finds no strict barrier has not yielded", "cw_convergence_barriers", "yielded_q | (here & {LANES{spins}})",
         "yielded_q | (here & {LANES{spins && first_q}})", 2},
        {"held lanes are not told from ready ones", "cw_convergence_barriers", "held_q    <= held_q | here;", "held_q    <= held_q;", 2},
        {"the others of BLOCK stay where they are", "cw_convergence_apply", "moves && others[i] ? next_i",
         "moves && kind_i != BLOCK && others[i] ? next_i", 2},
        {"who comes back from a hold is not stopped", "cw_convergence_apply", "resumed_o = resumed", "resumed_o = {LANES{1'b0}}", 2},
        {"an exit leaves barriers waiting", "cw_convergence_apply", "in_i[j*LANES +: LANES] & ~gone", "in_i[j*LANES +: LANES]", 2},
        {"a strict barrier without lanes stays", "cw_convergence_apply", "{LANES{left_oh[j] || start}}",
         "{LANES{(left_oh[j] && wants_i) || start}}", 3},
        {"other kinds do something", "cw_convergence_barriers", "BRANCH:\n                        active_q",
         "BRANCH, 3'd7:\n                        active_q", 2},
        {"nobody is stopped at op_next", "cw_convergence_open", "bpc_i[c*PC_W +: PC_W] == next_i",
         "target_i[0] && bpc_i[c*PC_W +: PC_W] == next_i", 2},
        {"a strict barrier opens for who has yielded", "cw_convergence_open", "& ~(without & {LANES{!strict_i[o]}})", "& ~without", 2},
        {"who leaves a barrier leaves the next one as well", "cw_convergence_barriers", "at_q       <= at_q & ~opened;",
         "at_q       <= at_q & ~(opened | (opened << LANES));", 2},
        {"who waits at a strict barrier is told as released", "cw_convergence_barriers", "waited_q & ~(blocked | synced)",
         "waited_q & ~blocked", 2},
        {"nobody runs for ever", "cw_convergence_barriers", "(state_q == ST_AGAIN && nobody)", "(state_q == ST_AGAIN && nobody && first_q)",
         2},
        {"the other side is not second", "cw_convergence_pick", "may & group_i & {LANES{branches_i}}", "{LANES{1'b0}}", 2},
        {"who has yielded is first", "cw_convergence_pick", "may   = ready_i & ~yielded_i", "may   = ready_i", 2},
        {"rounds do not end", "cw_convergence_barriers", "served_q & ~{LANES{over}}", "served_q & ~{LANES{over && first_q}}", 2},
        {"who yields has the first turn again", "cw_convergence_pick", "ready_i & ~(group_i & yielded_i)", "ready_i", 2},
        {"no turn is noted", "cw_convergence_barriers", "served_q  <= served_q | there", "served_q  <= served_q", 2},
        {"the lead is the highest lane", "cw_convergence_pick", "for (l = LANES - 1; l >= 0; l = l - 1)",
         "for (l = 0; l < LANES; l = l + 1)", 2},
        {"a group is of those in turn only", "cw_convergence_pick", "there_o[g] = ready_i[g] &&", "there_o[g] = ready_i[g] && from_i[g] &&",
         2},
        {"a reset keeps the warps", "cw_convergence_barriers", "known_q <= {WARPS{1'b0}};", "known_q <= known_q;", 2},
        {"warps share a row", "cw_convergence_barriers", "row_addr = take ? op_warp_i : warp_q",
         "row_addr = {WARP_W{1'b0}} & (take ? op_warp_i : warp_q)", 2},
        {"barred by a strict barrier", "cw_convergence_open", "barred_o || (!strict_i[b] &&", "barred_o || (", 2},
        {"START keeps barriers", "cw_convergence_apply", "{LANES{left_oh[j] || start}}", "{LANES{left_oh[j]}}", 2},
        {"an answer comes early", "cw_convergence_barriers", "state_q <= ST_LOAD;", "state_q <= ST_FIND;", 2}};
    (void)state;
    cw_lockstep_catches(&bench, mutants, sizeof mutants / sizeof mutants[0]);
}

/* ---- directed ---- */

/* The cycles up to the answer, in which the unit says that it is at work and says nothing else. */
static void ask(struct dut *d, in_t op)
{
    op.op_valid = 1;
    d->in = op;
    dut_eval(d);
    assert_int_equal(d->out.op_ready, 1);
    assert_int_equal(d->out.busy, 0);
    for (uint32_t cycle = 1; cycle <= CW_CONVERGENCE_BARRIERS_CYCLES; cycle++) {
        const out_t silent = {.busy = 1};
        dut_tick(d);
        d->in = (in_t){.op_valid = 1, .op_lanes = UINT64_MAX}; /* is not taken */
        dut_eval(d);
        if (cycle < CW_CONVERGENCE_BARRIERS_CYCLES)
            assert_memory_equal(&d->out, &silent, sizeof silent);
    }
    assert_int_equal(d->out.ans_valid, 1);
    assert_int_equal(d->out.op_ready, 0);
    assert_int_equal(d->out.ans_warp, op.op_warp);
    const out_t answer = d->out;
    dut_tick(d);
    d->in = (in_t){0};
    dut_eval(d);
    assert_int_equal(d->out.ans_valid, 0);
    d->out = answer;
}

static void runs(const struct dut *d, uint64_t group, uint64_t pc)
{
    assert_int_equal(d->out.ans_keep, 0);
    assert_int_equal(d->out.ans_group, group);
    assert_int_equal(d->out.ans_pc, pc);
}

static void keeps(const struct dut *d, uint64_t group)
{
    assert_int_equal(d->out.ans_keep, 1);
    assert_int_equal(d->out.ans_group, group);
    assert_int_equal(d->out.ans_pc, 0);
}

static void wait_there(const struct dut *d, uint64_t blocked, uint64_t parked)
{
    assert_int_equal(d->out.ans_blocked, blocked);
    assert_int_equal(d->out.ans_parked, parked);
}

static void start(struct dut *d, uint64_t lanes)
{
    ask(d, (in_t){.op_kind = CW_CONVERGENCE_START, .op_lanes = lanes});
}

/* Lanes go to target, the others of the group to next; they are to meet, unless at PC 0. */
static void branch(struct dut *d, uint64_t lanes, uint64_t target, uint64_t next, uint64_t meet)
{
    ask(d, (in_t){.op_kind = CW_CONVERGENCE_BRANCH,
                  .op_lanes = lanes,
                  .op_target = target,
                  .op_next = next,
                  .op_meet_valid = meet != 0,
                  .op_meet = meet});
}

/* The whole group comes to the PC. */
static void come(struct dut *d, uint64_t pc, uint64_t yield)
{
    ask(d, (in_t){.op_kind = CW_CONVERGENCE_BRANCH, .op_lanes = UINT64_MAX, .op_target = pc, .op_first = 1, .op_yield = yield});
}

static void warpsync(struct dut *d, uint64_t lanes, uint64_t named, uint64_t pc)
{
    ask(d, (in_t){.op_kind = CW_CONVERGENCE_WARPSYNC, .op_lanes = lanes, .op_named = named, .op_target = pc, .op_next = pc + 1});
}

static void other(struct dut *d, enum cw_convergence_op kind, uint64_t lanes, uint64_t pc)
{
    ask(d, (in_t){.op_kind = kind, .op_lanes = lanes, .op_target = pc, .op_next = pc + 1});
}

static const params_t small = {4, 1, 3, 8};

/* The sides of a branch, and the place where they meet. */
static void test_convergence_barriers__a_branch_parts_and_meets(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &small, backends[b]);
        start(&d, 0xf);
        keeps(&d, 0xf);
        assert_int_equal(d.out.ans_barred, 0);
        branch(&d, 0x3, 10, 20, 30);
        runs(&d, 0xc, 20);
        assert_int_equal(d.out.ans_barred, 1);
        come(&d, 30, 0); /* they wait, and the other side runs */
        runs(&d, 0x3, 10);
        wait_there(&d, 0xc, 0);
        assert_int_equal(d.out.ans_released, 0);
        come(&d, 30, 0);
        runs(&d, 0xf, 30);
        wait_there(&d, 0, 0);
        assert_int_equal(d.out.ans_released, 0xf);
        assert_int_equal(d.out.ans_barred, 0);
        branch(&d, 0xf, 11, 21, 31); /* nobody parts: there is no barrier */
        runs(&d, 0xf, 11);
        assert_int_equal(d.out.ans_barred, 0);
        dut_close(&d);
    }
}

/* The side that is at the meeting place already waits at once. Nested branches that meet there need no other barrier. */
static void test_convergence_barriers__one_barrier_is_enough(void **state)
{
    static const params_t one = {4, 1, 1, 8};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &one, backends[b]);
        start(&d, 0xf);
        branch(&d, 0x1, 30, 20, 30);
        runs(&d, 0xe, 20);
        wait_there(&d, 0x1, 0);
        branch(&d, 0x2, 40, 21, 30);
        branch(&d, 0x4, 41, 22, 30);
        runs(&d, 0x8, 22);
        come(&d, 30, 0);
        runs(&d, 0x2, 40);
        wait_there(&d, 0x9, 0);
        come(&d, 30, 0);
        runs(&d, 0x4, 41);
        come(&d, 30, 0);
        runs(&d, 0xf, 30);
        dut_close(&d);
    }
}

/* Two barriers at one PC: of lanes 0 and 1, and of all. Who leaves the first waits on at the second. */
static void test_convergence_barriers__waits_at_two_barriers(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &small, backends[b]);
        start(&d, 0xf);
        branch(&d, 0xc, 10, 20, 0);
        runs(&d, 0x3, 20);
        branch(&d, 0x1, 50, 50, 30);
        runs(&d, 0x3, 50);
        come(&d, 50, 1);
        runs(&d, 0xc, 10);
        come(&d, 50, 0);
        runs(&d, 0xf, 50);
        branch(&d, 0x1, 30, 51, 30);
        runs(&d, 0xe, 51);
        branch(&d, 0x2, 30, 52, 0);
        runs(&d, 0xc, 52);
        wait_there(&d, 0x3, 0);
        assert_int_equal(d.out.ans_released, 0);
        come(&d, 30, 0);
        runs(&d, 0xf, 30);
        assert_int_equal(d.out.ans_released, 0xf);
        dut_close(&d);
    }
}

/* Three barriers nest; the fourth branch finds none free, and its sides run on apart. */
static void test_convergence_barriers__without_a_free_barrier_they_run_apart(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        static const params_t p = {8, 1, 3, 8};
        struct dut d;
        dut_open(&d, &p, backends[b]);
        start(&d, 0x1f);
        for (uint64_t i = 0; i < 4; i++)
            branch(&d, UINT64_C(1) << i, 10 + i, 20, 40 + i);
        runs(&d, 0x10, 20);
        come(&d, 43, 0); /* no barrier is there */
        runs(&d, 0x10, 43);
        wait_there(&d, 0, 0);
        come(&d, 42, 0); /* there is one */
        runs(&d, 0x1, 10);
        wait_there(&d, 0x10, 0);
        dut_close(&d);
    }
}

/* A lane that spins yields; the barrier opens without it. It meets the others at the next one. */
static void test_convergence_barriers__opens_without_who_has_yielded(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &small, backends[b]);
        start(&d, 0x7);
        branch(&d, 0x6, 10, 20, 30); /* lane 0 goes on at 20 */
        runs(&d, 0x1, 20);
        come(&d, 30, 0);
        runs(&d, 0x6, 10);
        come(&d, 10, 1); /* the others spin: the one at the barrier goes on, and it is its turn */
        assert_int_equal(d.out.ans_released, 0x1);
        runs(&d, 0x1, 30);
        branch(&d, 0x1, 31, 32, 33);
        other(&d, CW_CONVERGENCE_EXIT, 0x1, 0);
        runs(&d, 0x6, 10);
        come(&d, 30, 0); /* nobody is missing now */
        runs(&d, 0x6, 30);
        dut_close(&d);
    }
}

/* Lanes of an operation across lanes wait for those that it names, wherever these are; a lane that has exited is not named. */
static void test_convergence_barriers__waits_for_named_lanes(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &small, backends[b]);
        start(&d, 0xf);
        other(&d, CW_CONVERGENCE_EXIT, 0x8, 0);
        keeps(&d, 0x7);
        branch(&d, 0x1, 50, 20, 0);
        runs(&d, 0x6, 20);
        warpsync(&d, 0x2, 0xb, 50); /* lane 1 waits for lanes 0 and 3, which is gone; lane 2 goes on behind it */
        runs(&d, 0x1, 50);
        wait_there(&d, 0, 0x2);
        assert_int_equal(d.out.ans_barred, 0);
        warpsync(&d, 0x1, 0xb, 50);
        runs(&d, 0x3, 50); /* first, though it is lane 2's turn */
        assert_int_equal(d.out.ans_released, 0x3);
        come(&d, 60, 1);
        runs(&d, 0x4, 51);
        warpsync(&d, 0x4, 0x5, 61);
        wait_there(&d, 0, 0x4); /* who has yielded is waited for all the same */
        runs(&d, 0x3, 60);
        other(&d, CW_CONVERGENCE_EXIT, 0x3, 0);
        runs(&d, 0x4, 61); /* nobody else is left */
        dut_close(&d);
    }
}

/* A lane that waits at a strict barrier is told as released by the operation that opens it, and by none before. */
static void test_convergence_barriers__tells_once_who_is_released(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &small, backends[b]);
        start(&d, 0x3);
        branch(&d, 0x1, 50, 20, 0);
        runs(&d, 0x2, 20);
        warpsync(&d, 0x2, 0x3, 50);
        wait_there(&d, 0, 0x2);
        assert_int_equal(d.out.ans_released, 0);
        for (uint64_t pc = 51; pc < 54; pc++) {
            come(&d, pc, 0);
            wait_there(&d, 0, 0x2);
            assert_int_equal(d.out.ans_released, 0);
        }
        warpsync(&d, 0x1, 0x3, 50);
        runs(&d, 0x3, 50);
        assert_int_equal(d.out.ans_released, 0x3);
        dut_close(&d);
    }
}

static void sync_at_50(struct dut *d, uint64_t lanes, uint64_t named)
{
    ask(d, (in_t){.op_kind = CW_CONVERGENCE_WARPSYNC, .op_lanes = lanes, .op_named = named, .op_target = 50, .op_next = 50});
}

/* Two strict barriers at one PC both wait for lane 1: it comes to the one that was taken first. */
static void test_convergence_barriers__takes_the_lowest(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &small, backends[b]);
        start(&d, 0x7);
        sync_at_50(&d, 0x1, 0x3);
        runs(&d, 0x6, 50);
        sync_at_50(&d, 0x4, 0x6);
        runs(&d, 0x2, 50);
        wait_there(&d, 0, 0x5);
        sync_at_50(&d, 0x2, 0x2);
        runs(&d, 0x3, 50);
        wait_there(&d, 0, 0x4);
        dut_close(&d);
    }
}

/* The one barrier is taken: who is to wait at a strict one is ready instead, and has yielded. */
static void test_convergence_barriers__who_finds_no_strict_barrier_yields(void **state)
{
    static const params_t one = {4, 1, 1, 8};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &one, backends[b]);
        start(&d, 0x3);
        branch(&d, 0x1, 10, 20, 30);
        runs(&d, 0x2, 20);
        warpsync(&d, 0x2, 0x3, 50);
        runs(&d, 0x1, 10);
        wait_there(&d, 0, 0);
        come(&d, 30, 0);
        runs(&d, 0x1, 30);
        assert_int_equal(d.out.ans_released, 0x1);
        other(&d, CW_CONVERGENCE_EXIT, 0x1, 0);
        runs(&d, 0x2, 50);
        dut_close(&d);
    }
}

static void test_convergence_barriers__holds_and_resumes(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &small, backends[b]);
        start(&d, 0x3);
        other(&d, CW_CONVERGENCE_BLOCK, 0x1, 10);
        runs(&d, 0x2, 11);
        wait_there(&d, 0, 0x1);
        other(&d, CW_CONVERGENCE_RESUME, 0x3, 15); /* lane 1 is not held */
        keeps(&d, 0x2);
        wait_there(&d, 0, 0);
        other(&d, CW_CONVERGENCE_EXIT, 0x2, 0);
        runs(&d, 0x1, 15);
        other(&d, CW_CONVERGENCE_BLOCK, 0x1, 16);
        runs(&d, 0, 0);
        wait_there(&d, 0, 0x1);
        other(&d, CW_CONVERGENCE_RESUME, 0x1, 17);
        runs(&d, 0x1, 17);
        dut_close(&d);
    }
}

/* A lane is held that another one is to meet: nobody could run, so the other does not wait. The held one finds the barrier open. */
static void test_convergence_barriers__somebody_runs(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &small, backends[b]);
        start(&d, 0x3);
        branch(&d, 0x1, 10, 20, 30);
        come(&d, 30, 0);
        runs(&d, 0x1, 10);
        other(&d, CW_CONVERGENCE_BLOCK, 0x1, 10);
        runs(&d, 0x2, 30);
        wait_there(&d, 0, 0x1);
        assert_int_equal(d.out.ans_released, 0x2);
        other(&d, CW_CONVERGENCE_RESUME, 0x1, 30);
        keeps(&d, 0x2);
        assert_int_equal(d.out.ans_released, 0x1);
        dut_close(&d);
    }
}

/* A strict barrier whose only waiting lane exits is free for others. */
static void test_convergence_barriers__exits_free_barriers(void **state)
{
    static const params_t one = {4, 1, 1, 8};
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &one, backends[b]);
        start(&d, 0xf);
        warpsync(&d, 0x1, 0x3, 50);
        wait_there(&d, 0, 0x1);
        other(&d, CW_CONVERGENCE_EXIT, 0x1, 0);
        keeps(&d, 0xe);
        wait_there(&d, 0, 0);
        branch(&d, 0x2, 10, 20, 30);
        runs(&d, 0xc, 20);
        assert_int_equal(d.out.ans_barred, 1);
        come(&d, 30, 0);
        runs(&d, 0x2, 10);
        other(&d, CW_CONVERGENCE_EXIT, 0x2, 0);
        runs(&d, 0xc, 30);
        dut_close(&d);
    }
}

static void test_convergence_barriers__a_side_is_first(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        in_t op = {.op_kind = CW_CONVERGENCE_BRANCH, .op_lanes = 0x1, .op_target = 10, .op_next = 20, .op_first = 1};
        dut_open(&d, &small, backends[b]);
        start(&d, 0x3);
        ask(&d, op);
        runs(&d, 0x1, 10);
        start(&d, 0x3);
        op.op_first = 0;
        ask(&d, op);
        runs(&d, 0x2, 20);
        start(&d, 0x3);
        op.op_first = op.op_meet_valid = 1;
        op.op_meet = 10;
        ask(&d, op); /* the first one waits at once */
        runs(&d, 0x2, 20);
        wait_there(&d, 0x1, 0);
        dut_close(&d);
    }
}

/* Three lanes that spin have their turns one after another; one that is alone has it again and again. */
static void test_convergence_barriers__turns_go_round(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &small, backends[b]);
        start(&d, 0x7);
        branch(&d, 0x1, 10, 20, 0);
        branch(&d, 0x2, 11, 21, 0);
        runs(&d, 0x4, 21);
        come(&d, 21, 1);
        runs(&d, 0x1, 10); /* the others have had their turn */
        come(&d, 10, 1);
        runs(&d, 0x2, 11); /* a round begins, and not with lane 0 */
        come(&d, 11, 1);
        runs(&d, 0x1, 10);
        come(&d, 10, 1);
        runs(&d, 0x4, 21);
        come(&d, 21, 1);
        for (uint32_t round = 0; round < 3; round++) {
            runs(&d, 0x1, 10);
            come(&d, 10, 1);
            runs(&d, 0x2, 11);
            come(&d, 11, 1);
            runs(&d, 0x4, 21);
            come(&d, 21, 1);
        }
        start(&d, 0x1);
        come(&d, 5, 1);
        runs(&d, 0x1, 5);
        dut_close(&d);
    }
}

static void test_convergence_barriers__warps_are_apart(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++) {
        struct dut d;
        dut_open(&d, &small, backends[b]);
        start(&d, 0x3);
        ask(&d, (in_t){.op_warp = 1, .op_kind = CW_CONVERGENCE_START, .op_lanes = 0xc});
        branch(&d, 0x1, 10, 20, 30);
        ask(&d, (in_t){.op_warp = 1, .op_kind = 6, .op_lanes = 0xf, .op_target = 7, .op_yield = 1});
        keeps(&d, 0xc);
        assert_int_equal(d.out.ans_barred, 0);
        ask(&d, (in_t){.op_kind = 7, .op_lanes = 0xf});
        keeps(&d, 0x2);
        assert_int_equal(d.out.ans_barred, 1);
        d.inst.ops->reset(d.inst.self);
        ask(&d, (in_t){.op_kind = 7});
        runs(&d, 0, 0);
        ask(&d, (in_t){.op_warp = 1, .op_kind = CW_CONVERGENCE_BRANCH, .op_lanes = 0xf, .op_target = 7});
        runs(&d, 0, 0);
        dut_close(&d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_convergence_barriers__fills),
    cmocka_unit_test(test_convergence_barriers__c_equals_rtl),
    cmocka_unit_test(test_convergence_barriers__broken_copies_are_caught),
    cmocka_unit_test(test_convergence_barriers__a_branch_parts_and_meets),
    cmocka_unit_test(test_convergence_barriers__one_barrier_is_enough),
    cmocka_unit_test(test_convergence_barriers__waits_at_two_barriers),
    cmocka_unit_test(test_convergence_barriers__without_a_free_barrier_they_run_apart),
    cmocka_unit_test(test_convergence_barriers__opens_without_who_has_yielded),
    cmocka_unit_test(test_convergence_barriers__waits_for_named_lanes),
    cmocka_unit_test(test_convergence_barriers__tells_once_who_is_released),
    cmocka_unit_test(test_convergence_barriers__takes_the_lowest),
    cmocka_unit_test(test_convergence_barriers__who_finds_no_strict_barrier_yields),
    cmocka_unit_test(test_convergence_barriers__holds_and_resumes),
    cmocka_unit_test(test_convergence_barriers__somebody_runs),
    cmocka_unit_test(test_convergence_barriers__exits_free_barriers),
    cmocka_unit_test(test_convergence_barriers__a_side_is_first),
    cmocka_unit_test(test_convergence_barriers__turns_go_round),
    cmocka_unit_test(test_convergence_barriers__warps_are_apart),
};
CW_TEST_MAIN(tests)
