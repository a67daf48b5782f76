/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions: the warp's side of Fung 2015, section 4.2.1, and the services of core.h for the mechanism that owns them.
 *
 * Nested regions are flattened: a counter per lane. Registers: an aborted lane restarts with the register values it had at the begin.
 * The thesis (4.2.3) leaves that to compiled checkpoint code, whose cost it neglects; here the core saves the warp's registers at
 * the begin, at no cost in cycles, so that kernels need no such code. For the same reason the begin waits for the warp's outstanding loads.
 * Local and shared memory are not restored. Atomics inside a region are performed at once and are not undone.
 */
#include <assert.h>

#include "core/blocks/blocks.h"

static void copy_half(struct cw_core_blocks *blocks, uint32_t w, uint32_t half, bool save, uint32_t lanes)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const struct cw_kernel *k = warps->launch->kernel;
    const size_t own = (size_t)w * warps->halves + half;
    for (uint32_t i = 0; i < k->r32_cnt; i++) {
        size_t at = (own * k->r32_cnt + i) * CW_LANES;
        uint32_t *to = (save ? warps->checkpoint.r32 : warps->storage.r32) + at;
        const uint32_t *from = (save ? warps->storage.r32 : warps->checkpoint.r32) + at;
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            to[lane] = (lanes >> lane & 1u) != 0 ? from[lane] : to[lane];
    }
    for (uint32_t i = 0; i < k->r64_cnt; i++) {
        size_t at = (own * k->r64_cnt + i) * CW_LANES;
        uint64_t *to = (save ? warps->checkpoint.r64 : warps->storage.r64) + at;
        const uint64_t *from = (save ? warps->storage.r64 : warps->checkpoint.r64) + at;
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            to[lane] = (lanes >> lane & 1u) != 0 ? from[lane] : to[lane];
    }
    for (uint32_t i = 0; i < k->pred_cnt; i++) {
        size_t at = own * k->pred_cnt + i;
        uint32_t *to = (save ? warps->checkpoint.pred : warps->storage.pred) + at;
        uint32_t from = (save ? warps->storage.pred : warps->checkpoint.pred)[at];
        *to = (*to & ~lanes) | (from & lanes);
    }
}

static void copy_registers(struct cw_core_blocks *blocks, uint32_t w, bool save, cw_lanes lanes)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    for (uint32_t half = 0; half < warps->halves; half++)
        if (cw_lanes_half(lanes, half) != 0)
            copy_half(blocks, w, half, save, cw_lanes_half(lanes, half));
}

static const char *name_of(const struct cw_core_blocks *blocks, uint32_t pc)
{
    return blocks->cache.warps.uop[pc].intrinsic->name;
}

/* Why the lanes cannot begin a region here, or NULL. */
static const char *refusal(const struct cw_core_blocks *blocks, const struct cw_warp *warp, cw_lanes active, cw_lanes mask)
{
    if (blocks->region == NULL)
        return "needs a transactional system";
    return mask != active && !warp->in_region ? "under a predicate: use a branch" : NULL;
}

static void tell_enter(const struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes lanes)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    const struct cw_event e = {.type = CW_EVENT_REGION_ENTER,
                               .core = warps->cfg.index,
                               .warp = w,
                               .attempt = warps->warp[w].attempt,
                               .now = warps->now,
                               .u.access = {.uop = u, .lanes = lanes}};
    cw_events_tell(warps->cfg.stream, &e);
}

void cw_core__note_wait(struct cw_core_blocks *blocks, uint64_t cycles)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    if (cycles > warps->checkpoint.longest_back_off)
        warps->checkpoint.longest_back_off = cycles;
}

bool cw_core__region_begin(struct cw_core_blocks *blocks, uint32_t w, cw_lanes active, cw_lanes mask)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_warp *warp = &warps->warp[w];
    const uint32_t pc = cw_core__pc(warps, w);
    if (mask == 0) {
        cw_control_advance(warps->control, w, pc + 1);
        return true;
    }
    const char *why = refusal(blocks, warp, active, mask);
    if (why != NULL) {
        cw_core__fault(warps, w, cw_lanes_first(mask), &warps->uop[pc], CW_EFAULT, "%s %s", name_of(blocks, pc), why);
        return false;
    }
    if (warp->in_region) {
        for (; mask != 0; mask = cw_lanes_rest(mask))
            warp->nest[cw_lanes_first(mask)]++;
        cw_control_advance(warps->control, w, pc + 1);
        return true;
    }
    if (warp->insts != 0) {
        warp->wait = CW_WAIT_REGION_LOADS;
        return false;
    }
    cw_core__tell_mechanisms(warps);
    if (!blocks->region->sockets->region_begin(blocks->region->self, w, mask, warps->now)) {
        warp->wait = CW_WAIT_MECH;
        return false;
    }
    memset(warp->nest, 1, sizeof warp->nest);
    copy_registers(blocks, w, true, mask);
    warp->meet = warps->uop[pc].rpc;
    warps->control->ops->region_begin(warps->control, w, pc + 1);
    warp->in_region = true;
    warp->attempt_since = warps->cycle;
    if (cw_events_want(warps->cfg.stream, CW_EVENT_REGION_ENTER))
        tell_enter(blocks, w, &warps->uop[pc], mask);
    return true;
}

void cw_core__region_drained(struct cw_core_blocks *blocks, uint32_t w)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    warps->warp[w].wait = CW_WAIT_REGION_END;
    cw_core__requeue(warps, w);
    cw_core__tell_mechanisms(warps);
    blocks->region->sockets->region_end(blocks->region->self, w, warps->control->ops->region_reached(warps->control, w), warps->now);
}

/* No lane is left to run: when the warp's memory instructions are back, the mechanism resolves the attempt. */
static void attempt_over(struct cw_core_blocks *blocks, uint32_t w)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_warp *warp = &warps->warp[w];
    warp->wait = CW_WAIT_REGION_DRAIN;
    cw_core__requeue(warps, w);
    if (warp->insts == 0)
        cw_core__region_drained(blocks, w);
}

void cw_core__region_reach(struct cw_core_blocks *blocks, uint32_t w, cw_lanes mask)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_warp *warp = &warps->warp[w];
    const uint32_t pc = cw_core__pc(warps, w);
    cw_lanes outer = 0;
    if (mask == 0) {
        cw_control_advance(warps->control, w, pc + 1);
        return;
    }
    if (!warp->in_region) {
        cw_core__fault(warps, w, cw_lanes_first(mask), &warps->uop[pc], CW_EFAULT, "%s outside a transaction", name_of(blocks, pc));
        return;
    }
    for (cw_lanes left = mask; left != 0; left = cw_lanes_rest(left)) {
        uint32_t lane = cw_lanes_first(left);
        warp->resume[lane] = pc + 1;
        if (--warp->nest[lane] == 0)
            outer |= cw_lanes_one(lane);
    }
    if (outer == 0)
        cw_control_advance(warps->control, w, pc + 1);
    else if (warps->control->ops->region_reach(warps->control, w, outer, pc + 1))
        attempt_over(blocks, w);
}

/* ---- services ---- */

void cw_core__wake_warp(struct cw_core_blocks *blocks, uint32_t w, cw_time now)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    (void)now;
    if (warps->warp[w].wait == CW_WAIT_MECH)
        warps->warp[w].wait = CW_WAIT_NONE;
    cw_core__requeue(warps, w);
}

void cw_core__region_abort(struct cw_core_blocks *blocks, uint32_t w, cw_lanes lanes)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_warp *warp = &warps->warp[w];
    assert(warp->in_region);
    warp->releasing = false;
    bool over = warps->control->ops->region_abort(warps->control, w, lanes);
    if (warp->wait == CW_WAIT_REGION_DRAIN || warp->wait == CW_WAIT_REGION_END)
        return; /* the attempt was over already */
    if (over)
        attempt_over(blocks, w);
    else
        cw_core__requeue(warps, w);
}

void cw_core__region_end(struct cw_core_blocks *blocks, uint32_t w, cw_time now, cw_time restart)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_warp *warp = &warps->warp[w];
    cw_lanes again = warps->control->ops->region_aborted(warps->control, w);
    (void)now;
    assert(warp->wait == CW_WAIT_REGION_END && warp->insts == 0);
    warp->wait = CW_WAIT_NONE;
    warp->attempt++;
    warp->not_before = warps->cycle + 1;
    warp->in_region = warps->control->ops->region_end(warps->control, w, warp->resume, warp->meet);
    if (warp->in_region) {
        warp->attempt_since = warps->cycle;
        uint64_t at = (restart + warps->period - 1) / warps->period;
        copy_registers(blocks, w, false, again);
        memset(warp->nest, 1, sizeof warp->nest);
        warp->not_before = at > warp->not_before ? at : warp->not_before;
        cw_core__note_wait(blocks, warp->not_before - warps->cycle);
        if (warps->stalls != NULL)
            warps->stalls->delay[w] = CW_STALL_MECHANISM;
    }
    cw_core__requeue(warps, w);
}

cw_lanes cw_core__region_lanes(const struct cw_core_blocks *blocks, uint32_t w)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    return warps->warp[w].in_region ? warps->control->ops->region_lanes(warps->control, w) : 0;
}

cw_lanes cw_core__region_aborted(const struct cw_core_blocks *blocks, uint32_t w)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    return warps->warp[w].in_region ? warps->control->ops->region_aborted(warps->control, w) : 0;
}

uint32_t cw_core__attempt(const struct cw_core_blocks *blocks, uint32_t w)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    return warps->warp[w].attempt;
}
