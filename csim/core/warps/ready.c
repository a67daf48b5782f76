/* SPDX-License-Identifier: Apache-2.0 */
/* When a warp's next instruction is ready: the ready mask and the timing wheel. */
#include "core/warps/warps.h"

static void wheel_insert(struct cw_core_warps *warps, uint32_t w, uint64_t cycle)
{
    if (cycle - warps->cycle >= CW_WHEEL_SLOTS) /* far away: looked at again when the wheel has turned once */
        cycle = warps->cycle + CW_WHEEL_SLOTS - 1;
    uint32_t slot = (uint32_t)(cycle % CW_WHEEL_SLOTS);
    warps->warp[w].wheel[slot] |= cw_core__bit(w);
    warps->wheel.used[slot / 64] |= UINT64_C(1) << (slot % 64);
    warps->wheel.words |= 1u << slot / 64;
}

/* The latest cycle of some lanes. All lanes of one home, as most warps have, need no search for those. */
static inline uint64_t latest_of(const uint64_t *cycle, uint32_t lanes)
{
    uint64_t latest = 0;
    if (lanes == UINT32_MAX) {
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            latest = cycle[lane] > latest ? cycle[lane] : latest;
        return latest;
    }
    for (; lanes != 0; lanes &= lanes - 1)
        latest = cycle[__builtin_ctz(lanes)] > latest ? cycle[__builtin_ctz(lanes)] : latest;
    return latest;
}

/* With core.scoreboard=warp: when the previous instructions of the warp's threads are complete. They may have been of several warps. */
static __attribute__((noinline)) uint64_t threads_done(const struct cw_core_warps *warps, uint32_t w)
{
    const struct cw_dynamic_warp *dynamic = warps->warp[w].dynamic;
    uint64_t latest = 0;
    for (uint32_t i = 0; i < dynamic->cnt; i++) {
        const uint32_t lanes = dynamic->part[i].lanes & (uint32_t)warps->front[w].active;
        const uint64_t at = latest_of(&warps->thread_done[dynamic->part[i].home * CW_LANES], lanes);
        latest = at > latest ? at : latest;
    }
    return latest;
}

/* With core.scoreboard=warp nothing of a thread is on its way when its last instruction is complete, so its registers need no look. Those
 * of its home may be of other threads. */
static uint64_t dynamic_ready(const struct cw_core_warps *warps, uint32_t w, const struct cw_issue_op *op)
{
    const struct cw_dynamic_warp *dynamic = warps->warp[w].dynamic;
    const bool one_by_one = __builtin_expect(warps->thread_done != NULL, 0);
    uint64_t latest = one_by_one ? threads_done(warps, w) : 0;
    for (uint32_t i = 0; i < dynamic->cnt; i++) {
        const struct cw_warp *home = &warps->warp[dynamic->part[i].home];
        uint64_t at = one_by_one ? 0 : cw_scoreboard_ready(home->slot_cycle, op);
        if (warps->mixes && home->acquiring)
            at = CW_CYCLE_PENDING;
        latest = at > latest ? at : latest;
    }
    return latest;
}

/* When the scoreboard lets a dynamic warp issue, or one that waits for its previous instruction. */
static __attribute__((noinline)) uint64_t unusual_ready(const struct cw_core_warps *warps, uint32_t w, const struct cw_issue_op *op)
{
    const struct cw_warp *warp = &warps->warp[w];
    if (warp->dynamic != NULL)
        return dynamic_ready(warps, w, op);
    if (warps->by_lane && cw_core__lanes_await(warp, op, warps->front[w].active) != 0)
        return CW_CYCLE_PENDING;
    const uint64_t at = cw_scoreboard_ready(warp->slot_cycle, op);
    if (!warps->one_by_one)
        return at;
    return warp->insts != 0 ? CW_CYCLE_PENDING : at > warp->done_at ? at : warp->done_at;
}

/* The warp runs and has lanes for its next instruction. unusual: as the core says, a constant. */
static inline __attribute__((always_inline)) void queue_next(struct cw_core_warps *warps, uint32_t w, const bool unusual)
{
    struct cw_warp *warp = &warps->warp[w];
    struct cw_slot_row *row = warp->row;
    const struct cw_issue_op *op = &warps->op[cw_core__pc(warps, w)];
    if (warp->fu != op->fu) {
        row->fu_warps[warp->fu] &= ~cw_core__bit(w);
        row->fu_warps[op->fu] |= cw_core__bit(w);
        warp->fu = op->fu;
    }
    uint64_t at = unusual ? unusual_ready(warps, w, op) : cw_scoreboard_ready(warp->slot_cycle, op);
    if (at == CW_CYCLE_PENDING)
        return;
    at = at > warp->not_before ? at : warp->not_before;
    at = at > warp->fetched_at ? at : warp->fetched_at;
    warp->ready_at = at;
    if (at <= warps->cycle)
        row->ready |= cw_core__bit(w);
    else
        wheel_insert(warps, w, at);
}

static bool waits(const struct cw_core_warps *warps, const struct cw_warp *warp)
{
    return warp->wait != CW_WAIT_NONE || (warp->acquiring && !warps->mixes);
}

cw_lanes cw_core__stalled_lanes(const struct cw_core_warps *warps, uint32_t w)
{
    const struct cw_warp *warp = &warps->warp[w];
    if (!warps->by_lane || waits(warps, warp) || warps->front[w].active == 0)
        return 0;
    return cw_core__lanes_await(warp, &warps->op[cw_core__pc(warps, w)], warps->front[w].active);
}

void cw_core__lanes_load(struct cw_core_warps *warps, uint32_t w, const struct cw_issue_op *op, cw_lanes lanes)
{
    for (uint32_t i = 0; i < op->dst_cnt; i++)
        warps->warp[w].slot_lanes[op->slot[i]] |= lanes;
}

/* What other lanes have written with a fixed latency may come later still. */
void cw_core__lanes_loaded(struct cw_core_warps *warps, uint32_t w, const struct cw_issue_op *op, cw_lanes lanes, uint64_t cycle)
{
    struct cw_warp *warp = &warps->warp[w];
    for (uint32_t i = 0; i < op->dst_cnt; i++) {
        uint64_t *at = &warp->slot_cycle[op->slot[i]];
        warp->slot_lanes[op->slot[i]] &= ~lanes;
        *at = cycle > *at ? cycle : *at;
    }
    if (op->dst_cnt != 0 && warps->control->ops->loaded != NULL)
        warps->control->ops->loaded(warps->control, w, lanes);
}

static __attribute__((noinline)) void requeue_unusual(struct cw_core_warps *warps, uint32_t w)
{
    if (!waits(warps, &warps->warp[w]) && warps->front[w].active != 0)
        queue_next(warps, w, true);
    if (warps->by_lane && warps->control->ops->stalls != NULL && cw_core__stalled_lanes(warps, w) != 0)
        warps->control->ops->stalls(warps->control, w);
    if (warps->stalls != NULL)
        cw_core__stalls_note(warps, w);
}

void cw_core__requeue(struct cw_core_warps *warps, uint32_t w)
{
    struct cw_warp *warp = &warps->warp[w];
    warp->row->ready &= ~cw_core__bit(w);
    warp->ready_at = CW_CYCLE_NEVER;
    if (warps->buffer != 0)
        cw_core__refill(warps, w);
    if (__builtin_expect(warps->unusual, 0))
        requeue_unusual(warps, w);
    else if (!waits(warps, warp))
        queue_next(warps, w, false);
}

/* Whether a thread's home waits for an acquire. */
static bool acquires(const struct cw_core_warps *warps, const struct cw_dynamic_warp *dynamic)
{
    bool some = false;
    for (uint32_t i = 0; warps->mixes && i < dynamic->cnt; i++)
        some |= warps->warp[dynamic->part[i].home].acquiring;
    return some;
}

/* An instruction that is complete stays so until its thread issues the next one; registers of a home may be others' again. */
bool cw_core__still_ready(struct cw_core_warps *warps, uint32_t w)
{
    if (warps->thread_done != NULL ? !acquires(warps, warps->warp[w].dynamic)
                                   : dynamic_ready(warps, w, &warps->op[cw_core__pc(warps, w)]) <= warps->cycle)
        return true;
    cw_core__requeue(warps, w);
    return false;
}

void cw_core__loaded(struct cw_core_warps *warps, uint32_t blocks)
{
    for (uint32_t w = 0; w < warps->config->core_warps; w++) {
        const struct cw_warp *warp = &warps->warp[w];
        if (warp->ready_at == CW_CYCLE_NEVER && warp->wait == CW_WAIT_NONE && (warp->dynamic->blocks & blocks) != 0)
            cw_core__requeue(warps, w);
    }
}

/* Warps of one row that the wheel gives back. */
static inline void look_again(struct cw_core_warps *warps, uint32_t row, uint64_t due)
{
    for (; due != 0; due &= due - 1) {
        const uint32_t w = 64 * row + (uint32_t)__builtin_ctzll(due);
        const uint64_t at = warps->warp[w].ready_at;
        if (at <= warps->cycle)
            warps->row[row].ready |= cw_core__bit(w);
        else if (at != CW_CYCLE_NEVER)
            wheel_insert(warps, w, at);
    }
}

static inline void empty_slot(struct cw_core_warps *warps, uint32_t slot)
{
    warps->wheel.used[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
    warps->wheel.words &= ~((uint32_t)(warps->wheel.used[slot / 64] == 0) << slot / 64);
}

static __attribute__((noinline)) void wide_wheel_tick(struct cw_core_warps *warps, uint32_t slot)
{
    empty_slot(warps, slot);
    for (uint32_t row = 0; row < warps->rows; row++) {
        const uint64_t due = warps->wheel.slot[row * CW_WHEEL_SLOTS + slot];
        warps->wheel.slot[row * CW_WHEEL_SLOTS + slot] = 0;
        look_again(warps, row, due);
    }
}

/* Earlier ticks have emptied all slots before this cycle: the component wakes for each. */
void cw_core__wheel_tick(struct cw_core_warps *warps)
{
    const uint32_t slot = (uint32_t)(warps->cycle % CW_WHEEL_SLOTS);
    if (__builtin_expect(warps->rows > 1, 0)) {
        wide_wheel_tick(warps, slot);
        return;
    }
    const uint64_t due = warps->wheel.slot[slot];
    if (due == 0)
        return;
    warps->wheel.slot[slot] = 0;
    empty_slot(warps, slot);
    look_again(warps, 0, due);
}

/* Next cycle after the current one with an entry in the wheel. */
uint64_t cw_core__wheel_next(const struct cw_core_warps *warps)
{
    if (warps->wheel.words == 0)
        return CW_CYCLE_NEVER;
    const uint32_t from = (uint32_t)((warps->cycle + 1) % CW_WHEEL_SLOTS);
    uint32_t word = from / 64;
    uint64_t bits = warps->wheel.used[word] & ~UINT64_C(0) << (from % 64);
    if (bits == 0) { /* the following words in turn, last the part of this one before from */
        const uint32_t after = warps->wheel.words >> (word + 1);
        word = after != 0 ? word + 1 + (uint32_t)__builtin_ctz(after) : (uint32_t)__builtin_ctz(warps->wheel.words);
        bits = warps->wheel.used[word];
    }
    const uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
    return warps->cycle + 1 + (slot - from) % CW_WHEEL_SLOTS;
}
