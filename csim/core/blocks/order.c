/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order between threads: what a release waits for, and what an acquire makes a core forget. docs/model.md states the model.
 *
 * At block scope earlier accesses only have to be in the order that all warps of the core share, the crossbar input: a later load of any of
 * them goes the same way, or finds in the L1 what has passed there.
 */
#include "core/blocks/blocks.h"

/* Whether the accesses of that generation, the running one at most, and of those before it are performed. */
static bool performed(const struct cw_order *o, uint32_t generation)
{
    if (o->generation == generation)
        return (o->flight[0] | o->flight[1]) == 0;
    return o->generation != generation + 1 || o->flight[generation & 1u] == 0;
}

/* The generation that is owed ends, as soon as there is a count for the next one. */
static void turn(struct cw_order *o)
{
    if (o->generation == o->owed && o->flight[(o->generation + 1) & 1u] == 0)
        o->generation++;
    o->is_owed = !performed(o, o->owed);
}

void cw_core__order_block(struct cw_core_blocks *blocks, uint32_t block)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_order *o = &warps->order[warps->mixes ? 0 : block];
    blocks->epoch++;
    o->owed = o->generation;
    turn(o);
}

void cw_core__order_drained(struct cw_core_blocks *blocks, uint32_t block)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    turn(&warps->order[block]);
    for (uint32_t w = 0; w < warps->slots; w++) {
        struct cw_warp *warp = &warps->warp[w];
        if (warp->wait != CW_WAIT_FENCE || (warp->block != block && !warps->mixes))
            continue;
        warp->wait = CW_WAIT_NONE; /* the instruction is tried again */
        cw_core__requeue(warps, w);
    }
}

static bool dynamic_released(struct cw_core_blocks *blocks, struct cw_warp *warp)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const struct cw_order *o = &warps->order[warps->mixes ? 0 : warp->block];
    if (!warp->releasing) {
        cw_core__order_block(blocks, warp->block);
        warp->owed = o->owed;
    }
    warp->releasing = !performed(o, warp->owed);
    return !warp->releasing;
}

/* What it owes is settled when a release begins to wait: later synchronisations cannot hold it up. */
static bool released(struct cw_core_blocks *blocks, struct cw_warp *warp)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const struct cw_order *o = &warps->order[warp->block];
    if (warp->dynamic != NULL) /* its threads' earlier accesses are their block's, whatever warps they were in */
        return dynamic_released(blocks, warp);
    if (!warp->releasing) {
        warp->owes = o->is_owed;
        warp->owed = o->owed;
    }
    warp->releasing = warp->insts != 0 || warp->acks != 0 || (warp->owes && !performed(o, warp->owed));
    return !warp->releasing;
}

/* With l1.global=write-back: what the L1 holds dirty has reached memory, where the others of the device see it. A keeper of persistent
 * memory sees to its lines itself (socket fence). */
static bool flushed(struct cw_core_blocks *blocks, struct cw_warp *warp)
{
    if (warp->flush == 0 && cw_core__has_dirty(blocks))
        warp->flush = cw_core__flush_ask(blocks, CW_LINES_VOLATILE | CW_LINES_PERSISTENT);
    if (warp->flush != 0 && !cw_core__flushed(blocks, warp->flush))
        return false;
    warp->flush = 0;
    return true;
}

bool cw_core__order_release(struct cw_core_blocks *blocks, uint32_t w, uint8_t scope)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_warp *warp = &warps->warp[w];
    const bool block = scope == CW_SCOPE_CTA && warp->dynamic == NULL;
    if (block ? warp->insts != 0 : !released(blocks, warp))
        warp->wait = CW_WAIT_FENCE;
    else if (block)
        cw_core__order_block(blocks, warp->block);
    else if (warps->config->l1_global == CW_L1_WRITE_BACK && !flushed(blocks, warp))
        warp->wait = CW_WAIT_FENCE;
    return warp->wait == CW_WAIT_NONE;
}

void cw_core__order_acquired(struct cw_core_blocks *blocks, uint8_t scope)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    if (scope == CW_SCOPE_CTA)
        return;
    uint32_t at = 0;
    for (struct cw_l1_line *e; (e = cw_l1_next_global(&blocks->cache.texture, &at)) != NULL;)
        cw_l1_invalidate(&blocks->cache.texture, e->line);
    if (warps->config->l1_global != CW_L1_OFF)
        cw_core__forget_lines(blocks, CW_LINES_VOLATILE | CW_LINES_PERSISTENT);
}
