/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a warp scheduler does not issue (issue_* in base/stats.def), of every cycle of a launch. Only a core that is asked to count has this;
 * it then takes the path of issue.c that machines with something unusual take.
 *
 * What a warp waits for is worked out when it is put into the ready mask or the wheel, for what comes last of its registers, its fetch and
 * its back-off is known then, and which instruction that is. So the slots are sets by what they wait for, and a scheduler's reason follows
 * from these sets at the end of a tick. Between two ticks nothing changes, so the next tick counts all cycles up to itself at once
 * (issue/charge.c).
 */
#include "core/warps/warps.h"

#include <stdlib.h>

struct cw_stalls *cw_core__stalls_create(const struct cw_core_warps *warps)
{
    struct cw_stalls *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->why = calloc(warps->slots, sizeof *s->why);
    s->delay = calloc(warps->slots, sizeof *s->delay);
    s->at = calloc(warps->slots, sizeof *s->at);
    s->last = calloc((size_t)warps->slots * CW_LANES, sizeof *s->last);
    s->by = calloc(warps->slots, sizeof *s->by);
    s->issued = calloc(warps->slots, sizeof *s->issued);
    s->begun = calloc(warps->slots, sizeof *s->begun);
    s->last_pc = calloc((size_t)warps->slots * CW_LANES, sizeof *s->last_pc);
    if (s->why == NULL || s->delay == NULL || s->at == NULL || s->last == NULL || s->by == NULL || s->issued == NULL || s->begun == NULL ||
        s->last_pc == NULL) {
        cw_core__stalls_destroy(s);
        return NULL;
    }
    memset(s->why, CW_STALL_NO_WARP, warps->slots);
    memset(s->delay, CW_STALL_FETCH, warps->slots);
    for (uint32_t w = 0; w < warps->slots; w++)
        s->mine[w % warps->scheduler_cnt][w / 64] |= cw_core__bit(w);
    s->idle = CW_STALL_NO_WARP;
    return s;
}

void cw_core__stalls_destroy(struct cw_stalls *s)
{
    if (s == NULL)
        return;
    void *owned[] = {s->why, s->delay, s->last, s->producer, s->at, s->by, s->issued, s->begun, s->last_pc, s->producer_pc, s};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

int cw_core__stalls_prepare(struct cw_core_warps *warps, const struct cw_kernel *kernel, struct cw_error *err)
{
    struct cw_stalls *s = warps->stalls;
    s->registers = cw_scoreboard_slots(kernel);
    free(s->producer);
    free(s->producer_pc);
    s->producer = calloc((size_t)warps->slots * s->registers, sizeof *s->producer);
    s->producer_pc = calloc((size_t)warps->slots * s->registers, sizeof *s->producer_pc);
    memset(s->found, 0, sizeof s->found);
    memset(s->by, 0, warps->slots * sizeof *s->by);
    memset(s->issued, 0, warps->slots * sizeof *s->issued);
    memset(s->begun, 0, warps->slots * sizeof *s->begun);
    memset(s->last_pc, 0, (size_t)warps->slots * CW_LANES * sizeof *s->last_pc);
    return s->producer != NULL && s->producer_pc != NULL
               ? CW_OK
               : cw_fail(err, CW_ENOMEM, "no memory for the registers of kernel %s", kernel->name);
}

/* ---- what a warp waits for ---- */

struct wait {
    uint64_t until;
    uint8_t why, at;
    uint32_t by;
};

static void later(struct wait *wait, uint64_t until, uint8_t why, uint32_t by)
{
    if (until > wait->until)
        *wait = (struct wait){until, why, CW_AT_NONE, by};
}

/* The warp's next instruction; where its policy has none, its last one. */
static uint32_t own(const struct cw_core_warps *warps, uint32_t w)
{
    return warps->front[w].active != 0 ? cw_core__pc(warps, w) : warps->stalls->issued[w];
}

/* The registers of the threads at home in the slot. */
static void registers(const struct cw_core_warps *warps, uint32_t home, const struct cw_issue_op *op, struct wait *wait)
{
    const struct cw_stalls *s = warps->stalls;
    for (uint32_t i = 0; i < op->slot_cnt; i++) {
        const struct cw_warp *warp = &warps->warp[home];
        const bool pends = warps->by_lane && (warp->slot_lanes[op->slot[i]] & warps->front[home].active) != 0;
        later(wait, pends ? CW_CYCLE_PENDING : warp->slot_cycle[op->slot[i]], s->producer[(size_t)home * s->registers + op->slot[i]],
              s->producer_pc[(size_t)home * s->registers + op->slot[i]]);
    }
}

/* As ready.c has it of a dynamic warp. */
static void dynamic_registers(const struct cw_core_warps *warps, uint32_t w, const struct cw_issue_op *op, struct wait *wait)
{
    const struct cw_dynamic_warp *dynamic = warps->warp[w].dynamic;
    for (uint32_t i = 0; i < dynamic->cnt; i++) {
        const uint32_t home = dynamic->part[i].home;
        if (warps->thread_done == NULL)
            registers(warps, home, op, wait);
        for (uint32_t left = dynamic->part[i].lanes & (uint32_t)warps->front[w].active; warps->thread_done != NULL && left != 0;
             left &= left - 1) {
            const uint32_t at = home * CW_LANES + (uint32_t)__builtin_ctz(left);
            later(wait, warps->thread_done[at], warps->stalls->last[at], warps->stalls->last_pc[at]);
        }
        if (warps->mixes && warps->warp[home].acquiring)
            later(wait, CW_CYCLE_PENDING, CW_STALL_MEMORY, own(warps, w));
    }
}

/* The instruction for which the warp issues later than it could. */
static uint32_t delayed_by(const struct cw_core_warps *warps, uint32_t w)
{
    const struct cw_stalls *s = warps->stalls;
    return s->delay[w] == CW_STALL_MECHANISM ? s->begun[w] : s->delay[w] == CW_STALL_FETCH ? cw_core__pc(warps, w) : s->issued[w];
}

/* Of a warp that waits for no event. */
static struct wait next_instruction(const struct cw_core_warps *warps, uint32_t w)
{
    const struct cw_warp *warp = &warps->warp[w];
    const struct cw_stalls *s = warps->stalls;
    const uint32_t pc = cw_core__pc(warps, w);
    const struct cw_issue_op *op = &warps->op[pc];
    struct wait wait = {0, CW_STALL_FETCH, CW_AT_NONE, pc};
    if (warp->dynamic != NULL)
        dynamic_registers(warps, w, op, &wait);
    else
        registers(warps, w, op, &wait);
    if (warps->one_by_one && warp->dynamic == NULL)
        later(&wait, warp->insts != 0 ? CW_CYCLE_PENDING : warp->done_at, s->last[w * CW_LANES], s->last_pc[w * CW_LANES]);
    later(&wait, warp->not_before, s->delay[w], delayed_by(warps, w));
    if (wait.why == CW_STALL_MECHANISM)
        wait.at = CW_AT_BACK_OFF;
    later(&wait, warp->fetched_at, CW_STALL_FETCH, pc);
    return wait;
}

/* Of a warp that a mechanism, or its region, holds back. */
static struct wait held(const struct cw_core_warps *warps, uint32_t w)
{
    const uint32_t last = warps->stalls->issued[w];
    const bool begins = warps->op[own(warps, w)].kind == CW_ISSUE_REGION_BEGIN;
    switch ((enum cw_wait)warps->warp[w].wait) {
    case CW_WAIT_REGION_DRAIN:
        return (struct wait){0, CW_STALL_MECHANISM, CW_AT_DRAINING, last};
    case CW_WAIT_REGION_END:
        return (struct wait){0, CW_STALL_MECHANISM, CW_AT_COMMIT, last};
    default:
        return (struct wait){0, CW_STALL_MECHANISM, begins ? CW_AT_BEGIN : CW_AT_MECHANISM, own(warps, w)};
    }
}

static struct wait what_for(const struct cw_core_warps *warps, uint32_t w)
{
    const struct cw_warp *warp = &warps->warp[w];
    switch ((enum cw_wait)warp->wait) {
    case CW_WAIT_FREE:
    case CW_WAIT_EXIT:
        return (struct wait){.why = CW_STALL_NO_WARP};
    case CW_WAIT_BARRIER:
        return (struct wait){.why = CW_STALL_BARRIER, .by = warps->stalls->issued[w]};
    case CW_WAIT_FENCE:
        return (struct wait){.why = CW_STALL_MEMORY, .by = own(warps, w)};
    case CW_WAIT_NONE:
        break;
    default:
        return held(warps, w);
    }
    if (warps->front[w].active == 0)
        return (struct wait){.why = CW_STALL_MECHANISM, .by = own(warps, w)};
    return warp->acquiring && !warps->mixes ? (struct wait){.why = CW_STALL_MEMORY, .by = warps->stalls->issued[w]}
                                            : next_instruction(warps, w);
}

void cw_core__stalls_note(struct cw_core_warps *warps, uint32_t w)
{
    struct cw_stalls *s = warps->stalls;
    const struct wait wait = what_for(warps, w);
    if (warps->warp[w].wait == CW_WAIT_FREE)
        s->delay[w] = CW_STALL_FETCH;
    s->waits[s->why[w]][w / 64] &= ~cw_core__bit(w);
    s->waits[wait.why][w / 64] |= cw_core__bit(w);
    s->why[w] = wait.why;
    s->at[w] = wait.at;
    s->by[w] = wait.by;
}

/* ---- what an instruction makes others wait for ---- */

static uint8_t class_of(const struct cw_issue_op *op)
{
    if (op->kind == CW_ISSUE_MEM || op->kind == CW_ISSUE_CONST)
        return CW_STALL_SCOREBOARD_MEMORY;
    switch ((enum cw_fu)op->fu) {
    case CW_FU_IDIV:
    case CW_FU_FDIV:
    case CW_FU_SFU:
    case CW_FU_DP:
    case CW_FU_DPDIV:
        return CW_STALL_SCOREBOARD_SFU;
    default:
        return CW_STALL_SCOREBOARD_ALU;
    }
}

static void write_class(const struct cw_core_warps *warps, uint32_t home, uint32_t lanes, const struct cw_issue_op *op)
{
    struct cw_stalls *s = warps->stalls;
    const uint8_t class = class_of(op);
    const uint32_t pc = (uint32_t)(op - warps->op);
    for (uint32_t i = 0; i < op->dst_cnt; i++) {
        s->producer[(size_t)home * s->registers + op->slot[i]] = class;
        s->producer_pc[(size_t)home * s->registers + op->slot[i]] = pc;
    }
    for (; warps->one_by_one && lanes != 0; lanes &= lanes - 1) {
        s->last[home * CW_LANES + (uint32_t)__builtin_ctz(lanes)] = class;
        s->last_pc[home * CW_LANES + (uint32_t)__builtin_ctz(lanes)] = pc;
    }
}

void cw_core__stalls_issue(struct cw_core_warps *warps, uint32_t w, const struct cw_issue_op *op)
{
    const struct cw_dynamic_warp *dynamic = warps->warp[w].dynamic;
    warps->stalls->delay[w] = CW_STALL_FETCH;
    warps->stalls->issued[w] = (uint32_t)(op - warps->op);
    if (op->kind == CW_ISSUE_REGION_BEGIN)
        warps->stalls->begun[w] = warps->stalls->issued[w];
    if (dynamic == NULL)
        write_class(warps, w, 1, op);
    for (uint32_t i = 0; dynamic != NULL && i < dynamic->cnt; i++)
        write_class(warps, dynamic->part[i].home, dynamic->part[i].lanes & (uint32_t)warps->front[w].active, op);
}

/* ---- a scheduler's reason ---- */

/* Ready warps of a row whose unit is taken. */
static uint64_t without_unit(const struct cw_core_warps *warps, uint32_t s, uint32_t row, uint64_t ready)
{
    uint64_t taken = 0;
    for (uint32_t fu = 0; fu < CW_FU_COUNT; fu++)
        if (warps->fu_free[s][fu] > warps->cycle)
            taken |= warps->row[row].fu_warps[fu];
    return ready & taken;
}

/* Warps of a row that wait for that. A ready one waits for its unit, or for the load/store unit, or the policy does not let it issue. */
static uint64_t waiting(const struct cw_core_warps *warps, uint32_t s, uint32_t row, enum cw_stall why)
{
    const struct cw_stalls *st = warps->stalls;
    const uint64_t ready = warps->row[row].ready & st->mine[s][row], unready = st->waits[why][row] & st->mine[s][row] & ~ready;
    if (ready == 0 || (why != CW_STALL_STRUCTURAL && why != CW_STALL_MEMORY && why != CW_STALL_MECHANISM))
        return unready;
    const uint64_t no_unit = st->stopped ? 0 : without_unit(warps, s, row, ready);
    const uint64_t full = warps->mem_queue.cnt >= warps->mem_queue.most ? warps->row[row].fu_warps[CW_FU_MEM] : 0;
    const uint64_t no_room = st->stopped ? ready : ready & full & ~no_unit;
    return unready | (why == CW_STALL_STRUCTURAL ? no_unit : why == CW_STALL_MEMORY ? no_room : ready & ~no_unit & ~no_room);
}

/* The warp of these that would issue first. */
static uint32_t first_of(const struct cw_core_warps *warps, uint32_t s, const struct cw_slots *slots)
{
    uint32_t w = CW_SLOTS_MAX;
    if (warps->rows == 1)
        return cw_scheduler_pick(&warps->scheduler[s], &warps->ages, slots->word[0]);
    for (uint32_t row = 0; row < warps->rows; row++)
        for (uint64_t left = slots->word[row]; left != 0; left &= left - 1) {
            const uint32_t i = 64 * row + (uint32_t)__builtin_ctzll(left);
            if (w == CW_SLOTS_MAX || warps->warp[i].age < warps->warp[w].age)
                w = i;
        }
    return w;
}

static bool is_ready(const struct cw_core_warps *warps, uint32_t w)
{
    return (warps->row[w / 64].ready & cw_core__bit(w)) != 0;
}

/* Whom a warp at a barrier waits for: of the warps of its block that are still to come the one that waits for what is over last. */
static uint32_t missing(const struct cw_core_warps *warps, uint32_t w)
{
    const struct cw_stalls *st = warps->stalls;
    uint32_t last = w;
    for (uint32_t i = 0; i < warps->slots && warps->warp[w].dynamic == NULL; i++) {
        if (warps->warp[i].block != warps->warp[w].block || st->why[i] >= CW_STALL_BARRIER)
            continue;
        if (last == w || (is_ready(warps, last) && !is_ready(warps, i)) || (st->why[i] > st->why[last] && !is_ready(warps, i)))
            last = i;
    }
    return last;
}

/* What the event says of the slots that wait for that. */
static void say(const struct cw_core_warps *warps, uint32_t s, struct cw_stalled *to, const struct cw_slots *slots)
{
    const struct cw_stalls *st = warps->stalls;
    const uint32_t w = first_of(warps, s, slots);
    const bool barrier = to->why == CW_STALL_BARRIER;
    to->pc = barrier ? st->by[w] : own(warps, w);
    to->warp = barrier && warps->warp[w].wait == CW_WAIT_BARRIER ? missing(warps, w) : w;
    to->ready = is_ready(warps, to->warp);
    to->of = !barrier ? to->why : to->ready ? CW_STALL_STRUCTURAL : st->why[to->warp];
    to->at = to->ready ? CW_AT_NONE : st->at[to->warp];
    to->by = to->ready ? own(warps, to->warp) : st->by[to->warp];
}

struct cw_stalled cw_core__stalls_judge(const struct cw_core_warps *warps, uint32_t s)
{
    struct cw_slots slots;
    struct cw_stalled to = {.why = warps->stalls->idle};
    for (uint32_t why = CW_STALL_STRUCTURAL; why < CW_STALL_NO_WARP; why++) {
        uint64_t any = 0;
        for (uint32_t row = 0; row < warps->rows; row++)
            any |= slots.word[row] = waiting(warps, s, row, (enum cw_stall)why);
        if (any == 0)
            continue;
        to.why = (uint8_t)why;
        if (cw_events_want(warps->cfg.stream, CW_EVENT_STALL))
            say(warps, s, &to, &slots);
        break;
    }
    return to;
}
