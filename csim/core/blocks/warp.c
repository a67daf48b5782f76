/* SPDX-License-Identifier: Apache-2.0 */
/* Thread blocks and warps: start, identity of the lanes, exit. */
#include <assert.h>
#include <stdlib.h>

#include "core/blocks/blocks.h"

void cw_core__account(struct cw_core_blocks *blocks, uint64_t cycle)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    if (cycle <= warps->classes.active)
        return;
    if (blocks->room.resident > 0)
        warps->cfg.stats->core_active_cycles += cycle - warps->classes.active;
    warps->classes.active = cycle;
}

bool cw_core__can_take_block(const struct cw_core_blocks *blocks)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    return warps->launch != NULL && blocks->room.blocks < blocks->room.blocks_max &&
           blocks->room.resident + warps->launch->warps <= warps->config->core_warps &&
           blocks->room.registers_used + blocks->room.block_regs <= warps->config->core_registers &&
           blocks->room.shared_used + blocks->room.block_shared <= warps->config->core_shared_bytes;
}

static uint32_t free_block(const struct cw_core_blocks *blocks)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    uint32_t b = 0;
    while (warps->block[b].used)
        b++;
    return b;
}

/* Position of thread number n in its block. */
static void position(const struct cw_launch *l, uint32_t n, uint32_t p[3])
{
    p[0] = n % l->block[0];
    p[1] = n / l->block[0] % l->block[1];
    p[2] = n / l->block[0] / l->block[1];
}

static void set_identity(struct cw_core_blocks *blocks, uint32_t w, uint32_t half, const struct cw_block *b)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const struct cw_launch *l = warps->launch;
    struct cw_warp *warp = &warps->warp[w];
    struct cw_exec *x = &warp->x[half];
    uint32_t(*tid)[CW_LANES] = warps->storage.tid[w * warps->halves + half];
    uint32_t p[3];
    position(l, warp->number * warps->width + half * CW_LANES, p);
    for (uint32_t lane = 0; lane < CW_LANES; lane++) {
        for (uint32_t d = 0; d < 3; d++)
            tid[d][lane] = p[d];
        if (++p[0] == l->block[0]) {
            p[0] = 0;
            if (++p[1] == l->block[1]) {
                p[1] = 0;
                p[2]++;
            }
        }
    }
    for (uint32_t d = 0; d < 3; d++) {
        x->tid[d] = tid[d];
        x->ctaid[d] = b->ctaid[d];
        x->ntid[d] = l->block[d];
        x->nctaid[d] = l->grid[d];
    }
    x->warpid = w;
    x->first_lane = half * CW_LANES;
}

/* The parts of a dynamic warp, in the order of their lowest lanes. */
void cw_core__form(struct cw_core_blocks *blocks, uint32_t w, cw_lanes lanes, const uint8_t *home, bool fetched)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_warp *warp = &warps->warp[w];
    struct cw_dynamic_warp *dynamic = warp->dynamic;
    uint64_t starts = 0;
    dynamic->blocks = dynamic->cnt = 0;
    for (uint32_t left = (uint32_t)lanes; left != 0;) {
        const uint32_t h = home[__builtin_ctz(left)];
        const uint32_t own = cw_lanes_equal(home, (uint8_t)h) & left;
        dynamic->part[dynamic->cnt++] = (struct cw_dynamic_part){h, own};
        dynamic->blocks |= 1u << warps->warp[h].block;
        starts = starts > blocks->starts_at[h] ? starts : blocks->starts_at[h];
        left &= ~own;
    }
    const uint64_t fetch = warps->cycle + (warps->buffer == 0 && !fetched ? warps->config->core_fetch_cycles : warps->stage);
    warp->not_before = fetch > starts ? fetch : starts;
    warp->buffer_next = warp->buffer_end = 0;
    cw_core__requeue(warps, w);
}

void cw_core__go(struct cw_core_blocks *blocks, uint32_t w)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_warp *warp = &warps->warp[w];
    const uint64_t fetched = warps->cycle + (warps->buffer == 0 ? warps->config->core_fetch_cycles : warps->stage);
    warp->not_before = warp->not_before > fetched ? warp->not_before : fetched; /* It may sleep. */
    warp->buffer_next = warp->buffer_end = 0;
    cw_core__requeue(warps, w);
}

static void start_warp(struct cw_core_blocks *blocks, uint32_t w, uint32_t block, uint32_t number, uint64_t cycle)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_warp *warp = &warps->warp[w];
    const uint32_t left = warps->launch->threads - number * warps->width;
    warp->live = cw_lanes_below(left < warps->width ? left : warps->width);
    warp->block = (uint8_t)block;
    warp->number = number;
    warp->wait = CW_WAIT_NONE;
    warp->spin = 0;
    warp->polled = warp->in_region = warp->acquiring = warp->releasing = false;
    warp->polled_lanes = warp->spin_lanes = 0;
    warp->poll_low = UINT64_MAX;
    warp->poll_high = 0;
    warp->spin_at = warp->poll = NULL;
    warp->attempt_first = warp->attempt;
    warp->not_before = cycle;
    warp->done_at = 0;
    warp->fetched_at = cycle;
    warp->buffer_next = warp->buffer_end = 0;
    warp->fetch = CW_FETCH_NONE;
    warp->bar_homes = 0;
    warp->passed = warp->came = warp->sided = 0;
    warp->came_to = NULL;
    memset(warp->bar_waiting, 0, sizeof warp->bar_waiting);
    warp->dynamic = blocks->dynamic != NULL ? &blocks->dynamic[w] : NULL;
    if (warp->dynamic != NULL) {
        warp->dynamic->blocks = warp->dynamic->cnt = 0;
        blocks->starts_at[w] = cycle;
    }
    if (warps->thread_done != NULL)
        memset(&warps->thread_done[w * CW_LANES], 0, CW_LANES * sizeof *warps->thread_done);
    memset(warp->slot_cycle, 0, cw_scoreboard_slots(warps->launch->kernel) * sizeof *warp->slot_cycle);
    if (warps->by_lane)
        memset(warp->slot_lanes, 0, cw_scoreboard_slots(warps->launch->kernel) * sizeof *warp->slot_lanes);
    for (uint32_t half = 0; half < warps->halves; half++)
        set_identity(blocks, w, half, &warps->block[block]);
    warp->age = blocks->room.started_cnt++;
    if (warps->rows == 1)
        cw_age_start(&warps->ages, w);
    blocks->room.resident++;
}

/* The policy and the mechanisms hear of the block when all its warps are in their slots. */
static void announce(struct cw_core_blocks *blocks, uint32_t block, const struct cw_slots *slots, cw_time now)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    if (warps->control->ops->block_start != NULL)
        warps->control->ops->block_start(warps->control, block, slots);
    for (uint32_t row = 0; row < warps->rows; row++)
        for (uint64_t left = slots->word[row]; left != 0; left &= left - 1) {
            const uint32_t w = 64 * row + (uint32_t)__builtin_ctzll(left);
            warps->control->ops->start(warps->control, w, warps->warp[w].live);
            if ((warps->taken & CW_SOCKET_PM) != 0)
                cw_core__tell_begin(warps, w, now);
            cw_core__requeue(warps, w);
        }
    for (uint32_t i = 0; (warps->taken & CW_SOCKET_BLOCK) != 0 && i < warps->mech_cnt; i++)
        if (warps->mech[i].sockets->block_start != NULL)
            warps->mech[i].sockets->block_start(warps->mech[i].self, block, slots->word[0], now); /* one row: see cw_core_create */
}

static void tell_block(const struct cw_core_blocks *blocks, enum cw_event_type type, uint32_t slot, cw_time now)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    const uint32_t *id = warps->block[slot].ctaid;
    const struct cw_event e = {.type = (uint8_t)type, .core = warps->cfg.index, .now = now, .u.block = {slot, {id[0], id[1], id[2]}}};
    cw_events_tell(warps->cfg.stream, &e);
}

/* Of the next warp of a block that the core takes in this cycle. */
static uint64_t start_cycle(struct cw_core_blocks *blocks, uint64_t cycle)
{
    const struct cw_config *c = blocks->cache.warps.config;
    const uint64_t earliest = cycle + 1 + c->core_block_cycles, free = blocks->room.start_free;
    const uint64_t start = earliest > free ? earliest : free;
    blocks->room.start_free = start + c->core_warp_cycles;
    return start;
}

void cw_core__start_block(struct cw_core_blocks *blocks, const uint32_t ctaid[3], cw_time now)
{
    assert(cw_core__can_take_block(blocks));
    uint64_t cycle = now / blocks->cache.warps.period;
    cw_core__account(blocks, cycle);
    if (blocks->room.resident == 0)
        cw_core__begin_classes(&blocks->cache.warps);
    if (blocks->cache.warps.cycle + 1 < cycle) /* asleep since then, so nothing in the wheel lies between; its span starts here */
        blocks->cache.warps.cycle = cycle - 1;
    uint32_t slot = free_block(blocks);
    struct cw_block *b = &blocks->cache.warps.block[slot];
    memset(b, 0, sizeof *b);
    if (!blocks->cache.warps.mixes)
        blocks->cache.warps.order[slot].is_owed = false;
    b->used = true;
    b->warps_left = blocks->cache.warps.launch->warps;
    b->threads_live = blocks->cache.warps.launch->threads;
    b->shared_base = slot * blocks->room.block_shared;
    memset(blocks->shared + b->shared_base, 0, blocks->cache.warps.launch->kernel->reserved_shared_bytes);
    memcpy(b->ctaid, ctaid, sizeof b->ctaid);
    b->number = blocks->cache.warps.cfg.index << 20 | ((uint32_t)blocks->room.started_cnt & 0xfffffu);
    if (cw_events_want(blocks->cache.warps.cfg.stream, CW_EVENT_BLOCK_BEGIN))
        tell_block(blocks, CW_EVENT_BLOCK_BEGIN, slot, now);
    blocks->room.blocks++;
    blocks->room.registers_used += blocks->room.block_regs;
    blocks->room.shared_used += blocks->room.block_shared;
    uint32_t w = 0;
    struct cw_slots warps = {0};
    for (uint32_t i = 0; i < blocks->cache.warps.launch->warps; i++, w++) {
        while (blocks->cache.warps.warp[w].wait != CW_WAIT_FREE)
            w++;
        start_warp(blocks, w, slot, i, start_cycle(blocks, cycle));
        warps.word[w / 64] |= cw_core__bit(w);
    }
    const uint64_t due = blocks->control_next;
    announce(blocks, slot, &warps, now);
    if (blocks->control_next != due) /* in the first cycle of its warps, whether or not the core is awake in this one */
        blocks->control_next = due <= cycle ? due : cycle + 1;
    if (blocks->cache.warps.asks.cnt != 0)
        cw_core__fetch_tick(blocks);
    cw_time wake = (cycle + 1) * blocks->cache.warps.period;
    if (wake < *blocks->cache.warps.wake)
        *blocks->cache.warps.wake = wake;
}

void cw_core__free_warp(struct cw_core_blocks *blocks, uint32_t w)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_warp *warp = &warps->warp[w];
    struct cw_block *b = &warps->block[warp->block];
    cw_core__account(blocks, warps->cycle + 1);
    warp->wait = CW_WAIT_FREE;
    cw_core__requeue(warps, w);
    if (warps->rows == 1)
        cw_age_end(&warps->ages, w);
    if (--blocks->room.resident == 0)
        cw_core__end_classes(warps);
    if (--b->warps_left > 0)
        return;
    for (uint32_t i = 0; (warps->taken & CW_SOCKET_BLOCK) != 0 && i < warps->mech_cnt; i++)
        if (warps->mech[i].sockets->block_end != NULL)
            warps->mech[i].sockets->block_end(warps->mech[i].self, warp->block, warps->now);
    if (cw_events_want(warps->cfg.stream, CW_EVENT_BLOCK_END))
        tell_block(blocks, CW_EVENT_BLOCK_END, warp->block, warps->now);
    b->used = false;
    blocks->room.blocks--;
    blocks->room.registers_used -= blocks->room.block_regs;
    blocks->room.shared_used -= blocks->room.block_shared;
    warps->cfg.stats->blocks_finished++;
    if (warps->cfg.events.block_done != NULL)
        warps->cfg.events.block_done(warps->cfg.events.context, warps->cfg.index);
}

void cw_core__free_block(struct cw_core_blocks *blocks, uint32_t block)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    for (uint32_t w = 0; w < warps->config->core_warps; w++)
        if (warps->warp[w].wait == CW_WAIT_EXIT && warps->warp[w].block == block)
            cw_core__free_warp(blocks, w);
}

/* The last thread of the block has exited: no slot of it has a thread. */
static void leave_block(struct cw_core_blocks *blocks, uint32_t block)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    for (uint32_t w = 0; w < warps->config->core_warps; w++)
        if (warps->warp[w].wait != CW_WAIT_FREE && warps->warp[w].block == block) {
            warps->warp[w].wait = CW_WAIT_EXIT;
            cw_core__requeue(warps, w);
        }
    if (warps->block[block].insts == 0)
        cw_core__free_block(blocks, block);
}

static void exit_dynamic(struct cw_core_blocks *blocks, uint32_t w, uint32_t lanes)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_part p;
    for (uint32_t i = 0; cw_core__part(warps, warps->warp[w].dynamic, w, 0, i, &p); i++) {
        struct cw_warp *home = &warps->warp[p.home];
        home->live &= ~(cw_lanes)(p.lanes & lanes);
        warps->block[home->block].threads_live -= (uint32_t)__builtin_popcount(p.lanes & lanes);
    }
    warps->control->ops->exit(warps->control, w, lanes);
    warps->cfg.stats->threads_exited += (uint32_t)__builtin_popcount(lanes);
    cw_core__progress(warps, &warps->warp[w]);
    for (uint32_t left = warps->warp[w].dynamic->blocks; left != 0; left &= left - 1) {
        const uint32_t block = (uint32_t)__builtin_ctz(left);
        cw_core__barrier_exit(blocks, &warps->block[block]);
        if (warps->block[block].threads_live == 0)
            leave_block(blocks, block);
    }
}

void cw_core__exit_lanes(struct cw_core_blocks *blocks, uint32_t w, cw_lanes lanes)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    if (cw_core__checks(warps, CW_CHECK_SYNC))
        cw_core__note_side(blocks, w, 0);
    struct cw_warp *warp = &warps->warp[w];
    struct cw_block *b = &warps->block[warp->block];
    if (blocks->dynamic != NULL) {
        exit_dynamic(blocks, w, (uint32_t)lanes);
        return;
    }
    warp->live &= ~lanes;
    b->threads_live -= cw_lanes_count(lanes);
    warps->control->ops->exit(warps->control, w, lanes);
    warps->cfg.stats->threads_exited += cw_lanes_count(lanes);
    cw_core__progress(warps, warp);
    if (warp->live != 0)
        return;
    cw_core__barrier_exit(blocks, b);
    warp->wait = CW_WAIT_EXIT;
    if (warp->insts == 0)
        cw_core__free_warp(blocks, w);
}
