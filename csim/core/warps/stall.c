/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a warp scheduler does not issue (issue_* in base/stats.def), of every cycle of a launch. Only a core that is asked to count has this;
 * it then takes the path of issue.c that machines with something unusual take.
 *
 * What a warp waits for is worked out when it is put into the ready mask or the wheel, for what comes last of its registers, its fetch and
 * its back-off is known then. So the slots are sets by what they wait for, and a scheduler's reason follows from these sets at the end of a
 * tick. Between two ticks nothing changes, so the next tick counts all cycles up to itself at once.
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
    s->last = calloc((size_t)warps->slots * CW_LANES, sizeof *s->last);
    if (s->why == NULL || s->delay == NULL || s->last == NULL) {
        cw_core__stalls_destroy(s);
        return NULL;
    }
    memset(s->why, CW_STALL_NO_WARP, warps->slots);
    memset(s->delay, CW_STALL_FETCH, warps->slots);
    for (uint32_t w = 0; w < warps->slots; w++)
        s->mine[w % warps->scheduler_cnt][w / 64] |= cw_core__bit(w);
    for (uint32_t i = 0; i < warps->scheduler_cnt; i++)
        s->scheduler[i].why = CW_STALL_NO_WARP;
    return s;
}

void cw_core__stalls_destroy(struct cw_stalls *s)
{
    if (s == NULL)
        return;
    free(s->why);
    free(s->delay);
    free(s->last);
    free(s->producer);
    free(s);
}

int cw_core__stalls_prepare(struct cw_core_warps *warps, const struct cw_kernel *kernel, struct cw_error *err)
{
    struct cw_stalls *s = warps->stalls;
    s->registers = cw_scoreboard_slots(kernel);
    free(s->producer);
    s->producer = calloc((size_t)warps->slots * s->registers, sizeof *s->producer);
    return s->producer != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "no memory for the registers of kernel %s", kernel->name);
}

/* ---- what a warp waits for ---- */

struct wait {
    uint64_t until;
    uint8_t why;
};

static void later(struct wait *wait, uint64_t until, uint8_t why)
{
    if (until > wait->until)
        *wait = (struct wait){until, why};
}

/* The registers of the threads at home in the slot. */
static void registers(const struct cw_core_warps *warps, uint32_t home, const struct cw_issue_op *op, struct wait *wait)
{
    const struct cw_stalls *s = warps->stalls;
    for (uint32_t i = 0; i < op->slot_cnt; i++)
        later(wait, warps->warp[home].slot_cycle[op->slot[i]], s->producer[(size_t)home * s->registers + op->slot[i]]);
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
            later(wait, warps->thread_done[at], warps->stalls->last[at]);
        }
        if (warps->mixes && warps->warp[home].acquiring)
            later(wait, CW_CYCLE_PENDING, CW_STALL_MEMORY);
    }
}

/* Of a warp that waits for no event. */
static uint8_t next_instruction(const struct cw_core_warps *warps, uint32_t w)
{
    const struct cw_warp *warp = &warps->warp[w];
    const struct cw_issue_op *op = &warps->op[cw_core__pc(warps, w)];
    struct wait wait = {0, CW_STALL_FETCH};
    if (warp->dynamic != NULL)
        dynamic_registers(warps, w, op, &wait);
    else
        registers(warps, w, op, &wait);
    if (warps->one_by_one && warp->dynamic == NULL)
        later(&wait, warp->insts != 0 ? CW_CYCLE_PENDING : warp->done_at, warps->stalls->last[w * CW_LANES]);
    later(&wait, warp->not_before, warps->stalls->delay[w]);
    later(&wait, warp->fetched_at, CW_STALL_FETCH);
    return wait.why;
}

static uint8_t what_for(const struct cw_core_warps *warps, uint32_t w)
{
    const struct cw_warp *warp = &warps->warp[w];
    switch ((enum cw_wait)warp->wait) {
    case CW_WAIT_FREE:
    case CW_WAIT_EXIT:
        return CW_STALL_NO_WARP;
    case CW_WAIT_BARRIER:
        return CW_STALL_BARRIER;
    case CW_WAIT_FENCE:
        return CW_STALL_MEMORY;
    case CW_WAIT_NONE:
        break;
    default:
        return CW_STALL_MECHANISM;
    }
    if (warps->front[w].active == 0)
        return CW_STALL_MECHANISM;
    return warp->acquiring && !warps->mixes ? CW_STALL_MEMORY : next_instruction(warps, w);
}

void cw_core__stalls_note(struct cw_core_warps *warps, uint32_t w)
{
    struct cw_stalls *s = warps->stalls;
    const uint8_t why = what_for(warps, w);
    if (warps->warp[w].wait == CW_WAIT_FREE)
        s->delay[w] = CW_STALL_FETCH;
    s->waits[s->why[w]][w / 64] &= ~cw_core__bit(w);
    s->waits[why][w / 64] |= cw_core__bit(w);
    s->why[w] = why;
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
    for (uint32_t i = 0; i < op->dst_cnt; i++)
        s->producer[(size_t)home * s->registers + op->slot[i]] = class;
    for (; warps->one_by_one && lanes != 0; lanes &= lanes - 1)
        s->last[home * CW_LANES + (uint32_t)__builtin_ctz(lanes)] = class;
}

void cw_core__stalls_issue(struct cw_core_warps *warps, uint32_t w, const struct cw_issue_op *op)
{
    const struct cw_dynamic_warp *dynamic = warps->warp[w].dynamic;
    warps->stalls->delay[w] = CW_STALL_FETCH;
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

/* The next instruction of the warp of these that would issue first. */
static uint32_t next_pc(const struct cw_core_warps *warps, uint32_t s, enum cw_stall why, const struct cw_slots *slots)
{
    uint32_t w = CW_SLOTS_MAX;
    if (warps->rows == 1)
        w = cw_scheduler_pick(&warps->scheduler[s], &warps->ages, slots->word[0]);
    for (uint32_t row = 0; warps->rows > 1 && row < warps->rows; row++)
        for (uint64_t left = slots->word[row]; left != 0; left &= left - 1) {
            const uint32_t i = 64 * row + (uint32_t)__builtin_ctzll(left);
            if (w == CW_SLOTS_MAX || warps->warp[i].age < warps->warp[w].age)
                w = i;
        }
    return why == CW_STALL_BARRIER ? (uint32_t)(warps->warp[w].bar_uop - warps->uop) : cw_core__pc(warps, w);
}

static void judge(struct cw_core_warps *warps, uint32_t s)
{
    struct cw_slots slots;
    const bool told = cw_events_want(warps->cfg.stream, CW_EVENT_STALL);
    for (uint32_t why = CW_STALL_STRUCTURAL; why < CW_STALL_NO_WARP; why++) {
        uint64_t any = 0;
        for (uint32_t row = 0; row < warps->rows; row++)
            any |= slots.word[row] = waiting(warps, s, row, (enum cw_stall)why);
        if (any == 0)
            continue;
        warps->stalls->scheduler[s].why = (uint8_t)why;
        warps->stalls->scheduler[s].pc = told ? next_pc(warps, s, (enum cw_stall)why, &slots) : 0;
        return;
    }
    warps->stalls->scheduler[s].why = CW_STALL_NO_WARP;
}

void cw_core__stalls_judge(struct cw_core_warps *warps)
{
    for (uint32_t s = 0; s < warps->scheduler_cnt; s++)
        judge(warps, s);
}

static uint64_t *counter_of(struct cw_stats *s, uint8_t why)
{
    static const size_t offset[CW_STALLS] = {
        [CW_STALL_ISSUED] = offsetof(struct cw_stats, issue_issued),
        [CW_STALL_STRUCTURAL] = offsetof(struct cw_stats, issue_structural),
        [CW_STALL_MEMORY] = offsetof(struct cw_stats, issue_memory),
        [CW_STALL_FETCH] = offsetof(struct cw_stats, issue_fetch),
        [CW_STALL_SCOREBOARD_ALU] = offsetof(struct cw_stats, issue_scoreboard_alu),
        [CW_STALL_SCOREBOARD_SFU] = offsetof(struct cw_stats, issue_scoreboard_sfu),
        [CW_STALL_SCOREBOARD_MEMORY] = offsetof(struct cw_stats, issue_scoreboard_memory),
        [CW_STALL_SLEEP] = offsetof(struct cw_stats, issue_sleep),
        [CW_STALL_MECHANISM] = offsetof(struct cw_stats, issue_mechanism),
        [CW_STALL_BARRIER] = offsetof(struct cw_stats, issue_barrier),
        [CW_STALL_NO_WARP] = offsetof(struct cw_stats, issue_no_warp),
    };
    return (uint64_t *)(void *)((char *)s + offset[why]);
}

static void tell(const struct cw_core_warps *warps, uint32_t s, uint64_t cycle, uint64_t cycles)
{
    const struct cw_event e = {
        .type = CW_EVENT_STALL,
        .core = warps->cfg.index,
        .now = cycle * warps->period,
        .u.stall = {&warps->uop[warps->stalls->scheduler[s].pc], warps->stalls->scheduler[s].why, s, cycles},
    };
    cw_events_tell(warps->cfg.stream, &e);
}

void cw_core__stalls_charge(struct cw_core_warps *warps, uint64_t cycle)
{
    struct cw_stalls *st = warps->stalls;
    if (cycle <= st->charged)
        return;
    const bool told = cw_events_want(warps->cfg.stream, CW_EVENT_STALL);
    for (uint32_t s = 0; s < warps->scheduler_cnt; s++) {
        const uint64_t taken = warps->scheduler[s].free_at, from = taken < st->charged ? st->charged : taken < cycle ? taken : cycle;
        const uint8_t why = st->scheduler[s].why;
        warps->cfg.stats->issue_issued += from - st->charged;
        *counter_of(warps->cfg.stats, why) += cycle - from;
        if (told && from < cycle && why != CW_STALL_NO_WARP)
            tell(warps, s, cycle, cycle - from);
    }
    st->charged = cycle;
}
