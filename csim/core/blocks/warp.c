/* SPDX-License-Identifier: Apache-2.0 */
/* Thread blocks and warps: start, identity of the lanes, exit. */
#include <assert.h>
#include <stdlib.h>

#include "core/blocks/blocks.h"

void cw_core__account(struct cw_core_blocks *blocks, uint64_t cycle)
{
    if (cycle <= blocks->warps->classes.active)
        return;
    if (blocks->room.resident > 0)
        blocks->warps->cfg.stats->core_active_cycles += cycle - blocks->warps->classes.active;
    blocks->warps->classes.active = cycle;
}

bool cw_core__can_take_block(const struct cw_core_blocks *blocks)
{
    return blocks->warps->launch != NULL && blocks->room.blocks < blocks->room.blocks_max &&
           blocks->room.resident + blocks->warps->launch->warps <= blocks->warps->config->core_warps &&
           blocks->room.registers_used + blocks->room.block_regs <= blocks->warps->config->core_registers &&
           blocks->room.shared_used + blocks->room.block_shared <= blocks->warps->config->core_shared_bytes;
}

static uint32_t free_block(const struct cw_core_blocks *blocks)
{
    uint32_t b = 0;
    while (blocks->warps->block[b].used)
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
    const struct cw_launch *l = blocks->warps->launch;
    struct cw_warp *warp = &blocks->warps->warp[w];
    struct cw_exec *x = &warp->x[half];
    uint32_t(*tid)[CW_LANES] = blocks->warps->storage.tid[w * blocks->warps->halves + half];
    uint32_t p[3];
    position(l, warp->number * blocks->warps->width + half * CW_LANES, p);
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
    struct cw_warp *warp = &blocks->warps->warp[w];
    struct cw_dynamic_warp *dynamic = warp->dynamic;
    dynamic->blocks = dynamic->cnt = 0;
    for (uint32_t left = (uint32_t)lanes; left != 0;) {
        const uint32_t h = home[__builtin_ctz(left)];
        uint32_t own = 0;
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            own |= (uint32_t)(home[lane] == h) << lane;
        own &= left;
        dynamic->part[dynamic->cnt++] = (struct cw_dynamic_part){h, own};
        dynamic->blocks |= 1u << blocks->warps->warp[h].block;
        left &= ~own;
    }
    warp->not_before =
        blocks->warps->cycle + (blocks->warps->buffer == 0 && !fetched ? blocks->warps->config->core_fetch_cycles : blocks->warps->stage);
    warp->buffer_next = warp->buffer_end = 0;
    cw_core__requeue(blocks->warps, w);
}

static void start_warp(struct cw_core_blocks *blocks, uint32_t w, uint32_t block, uint32_t number, uint64_t cycle)
{
    struct cw_warp *warp = &blocks->warps->warp[w];
    const uint32_t left = blocks->warps->launch->threads - number * blocks->warps->width;
    warp->live = cw_lanes_below(left < blocks->warps->width ? left : blocks->warps->width);
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
    if (warp->dynamic != NULL)
        warp->dynamic->blocks = warp->dynamic->cnt = 0;
    if (blocks->warps->thread_done != NULL)
        memset(&blocks->warps->thread_done[w * CW_LANES], 0, CW_LANES * sizeof *blocks->warps->thread_done);
    memset(warp->slot_cycle, 0, cw_scoreboard_slots(blocks->warps->launch->kernel) * sizeof *warp->slot_cycle);
    for (uint32_t half = 0; half < blocks->warps->halves; half++)
        set_identity(blocks, w, half, &blocks->warps->block[block]);
    warp->age = blocks->room.started_cnt++;
    if (blocks->warps->rows == 1)
        cw_age_start(&blocks->warps->ages, w);
    blocks->room.resident++;
}

/* The policy and the mechanisms hear of the block when all its warps are in their slots. */
static void announce(struct cw_core_blocks *blocks, uint32_t block, const struct cw_slots *warps, cw_time now)
{
    if (blocks->warps->control->ops->block_start != NULL)
        blocks->warps->control->ops->block_start(blocks->warps->control, block, warps);
    for (uint32_t row = 0; row < blocks->warps->rows; row++)
        for (uint64_t left = warps->word[row]; left != 0; left &= left - 1) {
            const uint32_t w = 64 * row + (uint32_t)__builtin_ctzll(left);
            blocks->warps->control->ops->start(blocks->warps->control, w, blocks->warps->warp[w].live);
            if ((blocks->warps->taken & CW_SOCKET_PM) != 0)
                cw_core__tell_begin(blocks->warps, w, now);
            cw_core__requeue(blocks->warps, w);
        }
    for (uint32_t i = 0; (blocks->warps->taken & CW_SOCKET_BLOCK) != 0 && i < blocks->warps->mech_cnt; i++)
        if (blocks->warps->mech[i].sockets->block_start != NULL)
            blocks->warps->mech[i].sockets->block_start(blocks->warps->mech[i].self, block, warps->word[0],
                                                        now); /* one row: see cw_core_create */
}

static void tell_block(const struct cw_core_blocks *blocks, enum cw_event_type type, uint32_t slot, cw_time now)
{
    const uint32_t *id = blocks->warps->block[slot].ctaid;
    const struct cw_event e = {
        .type = (uint8_t)type, .core = blocks->warps->cfg.index, .now = now, .u.block = {slot, {id[0], id[1], id[2]}}};
    cw_events_tell(blocks->warps->cfg.stream, &e);
}

void cw_core__start_block(struct cw_core_blocks *blocks, const uint32_t ctaid[3], cw_time now)
{
    assert(cw_core__can_take_block(blocks));
    uint64_t cycle = now / blocks->warps->period;
    cw_core__account(blocks, cycle);
    if (blocks->room.resident == 0)
        cw_core__begin_classes(blocks->warps);
    if (blocks->warps->cycle + 1 < cycle) /* asleep since then, so nothing in the wheel lies between; its span starts here */
        blocks->warps->cycle = cycle - 1;
    uint32_t slot = free_block(blocks);
    struct cw_block *b = &blocks->warps->block[slot];
    memset(b, 0, sizeof *b);
    if (!blocks->warps->mixes)
        blocks->warps->order[slot].is_owed = false;
    b->used = true;
    b->warps_left = blocks->warps->launch->warps;
    b->threads_live = blocks->warps->launch->threads;
    b->shared_base = slot * blocks->room.block_shared;
    memset(blocks->shared + b->shared_base, 0, blocks->warps->launch->kernel->reserved_shared_bytes);
    memcpy(b->ctaid, ctaid, sizeof b->ctaid);
    b->number = blocks->warps->cfg.index << 20 | ((uint32_t)blocks->room.started_cnt & 0xfffffu);
    if (cw_events_want(blocks->warps->cfg.stream, CW_EVENT_BLOCK_BEGIN))
        tell_block(blocks, CW_EVENT_BLOCK_BEGIN, slot, now);
    blocks->room.blocks++;
    blocks->room.registers_used += blocks->room.block_regs;
    blocks->room.shared_used += blocks->room.block_shared;
    uint32_t w = 0;
    struct cw_slots warps = {0};
    for (uint32_t i = 0; i < blocks->warps->launch->warps; i++, w++) {
        while (blocks->warps->warp[w].wait != CW_WAIT_FREE)
            w++;
        start_warp(blocks, w, slot, i, cycle + 1);
        warps.word[w / 64] |= cw_core__bit(w);
    }
    const uint64_t due = blocks->control_next;
    announce(blocks, slot, &warps, now);
    if (blocks->control_next != due) /* in the first cycle of its warps, whether or not the core is awake in this one */
        blocks->control_next = due <= cycle ? due : cycle + 1;
    if (blocks->warps->asks.cnt != 0)
        cw_core__fetch_tick(blocks);
    if (blocks->warps->stalls != NULL) { /* what was so far is over, whether or not the core is awake in this cycle */
        cw_core__stalls_charge(blocks->warps, cycle);
        cw_core__stalls_judge(blocks->warps);
    }
    cw_time wake = (cycle + 1) * blocks->warps->period;
    if (wake < *blocks->warps->wake)
        *blocks->warps->wake = wake;
}

void cw_core__free_warp(struct cw_core_blocks *blocks, uint32_t w)
{
    struct cw_warp *warp = &blocks->warps->warp[w];
    struct cw_block *b = &blocks->warps->block[warp->block];
    cw_core__account(blocks, blocks->warps->cycle + 1);
    warp->wait = CW_WAIT_FREE;
    cw_core__requeue(blocks->warps, w);
    if (blocks->warps->rows == 1)
        cw_age_end(&blocks->warps->ages, w);
    if (--blocks->room.resident == 0)
        cw_core__end_classes(blocks->warps);
    if (--b->warps_left > 0)
        return;
    for (uint32_t i = 0; (blocks->warps->taken & CW_SOCKET_BLOCK) != 0 && i < blocks->warps->mech_cnt; i++)
        if (blocks->warps->mech[i].sockets->block_end != NULL)
            blocks->warps->mech[i].sockets->block_end(blocks->warps->mech[i].self, warp->block, blocks->warps->now);
    if (cw_events_want(blocks->warps->cfg.stream, CW_EVENT_BLOCK_END))
        tell_block(blocks, CW_EVENT_BLOCK_END, warp->block, blocks->warps->now);
    b->used = false;
    blocks->room.blocks--;
    blocks->room.registers_used -= blocks->room.block_regs;
    blocks->room.shared_used -= blocks->room.block_shared;
    blocks->warps->cfg.stats->blocks_finished++;
    if (blocks->warps->cfg.events.block_done != NULL)
        blocks->warps->cfg.events.block_done(blocks->warps->cfg.events.context, blocks->warps->cfg.index);
}

void cw_core__free_block(struct cw_core_blocks *blocks, uint32_t block)
{
    for (uint32_t w = 0; w < blocks->warps->config->core_warps; w++)
        if (blocks->warps->warp[w].wait == CW_WAIT_EXIT && blocks->warps->warp[w].block == block)
            cw_core__free_warp(blocks, w);
}

/* The last thread of the block has exited: no slot of it has a thread. */
static void leave_block(struct cw_core_blocks *blocks, uint32_t block)
{
    for (uint32_t w = 0; w < blocks->warps->config->core_warps; w++)
        if (blocks->warps->warp[w].wait != CW_WAIT_FREE && blocks->warps->warp[w].block == block) {
            blocks->warps->warp[w].wait = CW_WAIT_EXIT;
            cw_core__requeue(blocks->warps, w);
        }
    if (blocks->warps->block[block].insts == 0)
        cw_core__free_block(blocks, block);
}

static void exit_dynamic(struct cw_core_blocks *blocks, uint32_t w, uint32_t lanes)
{
    struct cw_part p;
    for (uint32_t i = 0; cw_core__part(blocks->warps, blocks->warps->warp[w].dynamic, w, 0, i, &p); i++) {
        struct cw_warp *home = &blocks->warps->warp[p.home];
        home->live &= ~(cw_lanes)(p.lanes & lanes);
        blocks->warps->block[home->block].threads_live -= (uint32_t)__builtin_popcount(p.lanes & lanes);
    }
    blocks->warps->control->ops->exit(blocks->warps->control, w, lanes);
    blocks->warps->cfg.stats->threads_exited += (uint32_t)__builtin_popcount(lanes);
    cw_core__progress(blocks->warps, &blocks->warps->warp[w]);
    for (uint32_t left = blocks->warps->warp[w].dynamic->blocks; left != 0; left &= left - 1) {
        const uint32_t block = (uint32_t)__builtin_ctz(left);
        cw_core__barrier_exit(blocks, &blocks->warps->block[block]);
        if (blocks->warps->block[block].threads_live == 0)
            leave_block(blocks, block);
    }
}

void cw_core__exit_lanes(struct cw_core_blocks *blocks, uint32_t w, cw_lanes lanes)
{
    if (cw_core__checks(blocks->warps, CW_CHECK_SYNC))
        cw_core__note_side(blocks, w, 0);
    struct cw_warp *warp = &blocks->warps->warp[w];
    struct cw_block *b = &blocks->warps->block[warp->block];
    if (blocks->dynamic != NULL) {
        exit_dynamic(blocks, w, (uint32_t)lanes);
        return;
    }
    warp->live &= ~lanes;
    b->threads_live -= cw_lanes_count(lanes);
    blocks->warps->control->ops->exit(blocks->warps->control, w, lanes);
    blocks->warps->cfg.stats->threads_exited += cw_lanes_count(lanes);
    cw_core__progress(blocks->warps, warp);
    if (warp->live != 0)
        return;
    cw_core__barrier_exit(blocks, b);
    warp->wait = CW_WAIT_EXIT;
    if (warp->insts == 0)
        cw_core__free_warp(blocks, w);
}
