/* SPDX-License-Identifier: Apache-2.0 */
/* Thread blocks and warps: start, identity of the lanes, exit. */
#include <assert.h>
#include <stdlib.h>

#include "core/core_state.h"

void cw_core__account(struct cw_core *c, uint64_t cycle)
{
    if (cycle <= c->classes.active)
        return;
    if (c->room.resident > 0)
        c->cfg.stats->core_active_cycles += cycle - c->classes.active;
    c->classes.active = cycle;
}

bool cw_core_can_take_block(const struct cw_core *c)
{
    return c->launch != NULL && c->room.blocks < c->room.blocks_max && c->room.resident + c->launch->warps <= c->config->core_warps &&
           c->room.registers_used + c->room.block_regs <= c->config->core_registers &&
           c->room.shared_used + c->room.block_shared <= c->config->core_shared_bytes;
}

static uint32_t free_block(const struct cw_core *c)
{
    uint32_t b = 0;
    while (c->block[b].used)
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

static void set_identity(struct cw_core *c, uint32_t w, uint32_t half, const struct cw_block *b)
{
    const struct cw_launch *l = c->launch;
    struct cw_warp *warp = &c->warp[w];
    struct cw_exec *x = &warp->x[half];
    uint32_t(*tid)[CW_LANES] = c->storage.tid[w * c->halves + half];
    uint32_t p[3];
    position(l, warp->number * c->width + half * CW_LANES, p);
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
void cw_core__form(void *context, uint32_t w, cw_lanes lanes, const uint8_t *home, bool fetched)
{
    struct cw_core *c = context;
    struct cw_warp *warp = &c->warp[w];
    struct cw_dynamic_warp *dynamic = warp->dynamic;
    dynamic->blocks = dynamic->cnt = 0;
    for (uint32_t left = (uint32_t)lanes; left != 0;) {
        const uint32_t h = home[__builtin_ctz(left)];
        uint32_t own = 0;
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            own |= (uint32_t)(home[lane] == h) << lane;
        own &= left;
        dynamic->part[dynamic->cnt++] = (struct cw_dynamic_part){h, own};
        dynamic->blocks |= 1u << c->warp[h].block;
        left &= ~own;
    }
    warp->not_before = c->cycle + (c->buffer == 0 && !fetched ? c->config->core_fetch_cycles : c->stage);
    warp->buffer_next = warp->buffer_end = 0;
    cw_core__requeue(c, w);
}

static void start_warp(struct cw_core *c, uint32_t w, uint32_t block, uint32_t number, uint64_t cycle)
{
    struct cw_warp *warp = &c->warp[w];
    const uint32_t left = c->launch->threads - number * c->width;
    warp->live = cw_lanes_below(left < c->width ? left : c->width);
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
    warp->dynamic = c->dynamic != NULL ? &c->dynamic[w] : NULL;
    if (warp->dynamic != NULL)
        warp->dynamic->blocks = warp->dynamic->cnt = 0;
    if (c->thread_done != NULL)
        memset(&c->thread_done[w * CW_LANES], 0, CW_LANES * sizeof *c->thread_done);
    memset(warp->slot_cycle, 0, cw_scoreboard_slots(c->launch->kernel) * sizeof *warp->slot_cycle);
    for (uint32_t half = 0; half < c->halves; half++)
        set_identity(c, w, half, &c->block[block]);
    warp->age = c->room.started_cnt++;
    if (c->rows == 1)
        cw_age_start(&c->ages, w);
    c->room.resident++;
}

/* The policy and the mechanisms hear of the block when all its warps are in their slots. */
static void announce(struct cw_core *c, uint32_t block, const struct cw_slots *warps, cw_time now)
{
    if (c->control->ops->block_start != NULL)
        c->control->ops->block_start(c->control, block, warps);
    for (uint32_t row = 0; row < c->rows; row++)
        for (uint64_t left = warps->word[row]; left != 0; left &= left - 1) {
            const uint32_t w = 64 * row + (uint32_t)__builtin_ctzll(left);
            c->control->ops->start(c->control, w, c->warp[w].live);
            if ((c->taken & CW_SOCKET_PM) != 0)
                cw_core__tell_begin(c, w, now);
            cw_core__requeue(c, w);
        }
    for (uint32_t i = 0; (c->taken & CW_SOCKET_BLOCK) != 0 && i < c->mech_cnt; i++)
        if (c->mech[i].sockets->block_start != NULL)
            c->mech[i].sockets->block_start(c->mech[i].self, block, warps->word[0], now); /* one row: see cw_core_create */
}

static void tell_block(const struct cw_core *c, enum cw_event_type type, uint32_t slot, cw_time now)
{
    const uint32_t *id = c->block[slot].ctaid;
    const struct cw_event e = {.type = (uint8_t)type, .core = c->cfg.index, .now = now, .u.block = {slot, {id[0], id[1], id[2]}}};
    cw_events_tell(c->cfg.stream, &e);
}

void cw_core_start_block(struct cw_core *c, const uint32_t ctaid[3], cw_time now)
{
    assert(cw_core_can_take_block(c));
    uint64_t cycle = now / c->period;
    cw_core__account(c, cycle);
    if (c->room.resident == 0)
        cw_core__begin_classes(c);
    if (c->cycle + 1 < cycle) /* asleep since then, so nothing in the wheel lies between; its span starts here */
        c->cycle = cycle - 1;
    uint32_t slot = free_block(c);
    struct cw_block *b = &c->block[slot];
    memset(b, 0, sizeof *b);
    if (!c->mixes)
        c->order[slot].is_owed = false;
    b->used = true;
    b->warps_left = c->launch->warps;
    b->threads_live = c->launch->threads;
    b->shared_base = slot * c->room.block_shared;
    memset(c->shared + b->shared_base, 0, c->launch->kernel->reserved_shared_bytes);
    memcpy(b->ctaid, ctaid, sizeof b->ctaid);
    b->number = c->cfg.index << 20 | ((uint32_t)c->room.started_cnt & 0xfffffu);
    if (cw_events_want(c->cfg.stream, CW_EVENT_BLOCK_BEGIN))
        tell_block(c, CW_EVENT_BLOCK_BEGIN, slot, now);
    c->room.blocks++;
    c->room.registers_used += c->room.block_regs;
    c->room.shared_used += c->room.block_shared;
    uint32_t w = 0;
    struct cw_slots warps = {0};
    for (uint32_t i = 0; i < c->launch->warps; i++, w++) {
        while (c->warp[w].wait != CW_WAIT_FREE)
            w++;
        start_warp(c, w, slot, i, cycle + 1);
        warps.word[w / 64] |= cw_core__bit(w);
    }
    const uint64_t due = c->control_next;
    announce(c, slot, &warps, now);
    if (c->control_next != due) /* in the first cycle of its warps, whether or not the core is awake in this one */
        c->control_next = due <= cycle ? due : cycle + 1;
    if (c->fetch.ask_cnt != 0)
        cw_core__fetch_tick(c);
    if (c->stalls != NULL) { /* what was so far is over, whether or not the core is awake in this cycle */
        cw_core__stalls_charge(c, cycle);
        cw_core__stalls_judge(c);
    }
    cw_time wake = (cycle + 1) * c->period;
    if (wake < c->component.wake)
        c->component.wake = wake;
}

void cw_core__free_warp(struct cw_core *c, uint32_t w)
{
    struct cw_warp *warp = &c->warp[w];
    struct cw_block *b = &c->block[warp->block];
    cw_core__account(c, c->cycle + 1);
    warp->wait = CW_WAIT_FREE;
    cw_core__requeue(c, w);
    if (c->rows == 1)
        cw_age_end(&c->ages, w);
    if (--c->room.resident == 0)
        cw_core__end_classes(c);
    if (--b->warps_left > 0)
        return;
    for (uint32_t i = 0; (c->taken & CW_SOCKET_BLOCK) != 0 && i < c->mech_cnt; i++)
        if (c->mech[i].sockets->block_end != NULL)
            c->mech[i].sockets->block_end(c->mech[i].self, warp->block, c->now);
    if (cw_events_want(c->cfg.stream, CW_EVENT_BLOCK_END))
        tell_block(c, CW_EVENT_BLOCK_END, warp->block, c->now);
    b->used = false;
    c->room.blocks--;
    c->room.registers_used -= c->room.block_regs;
    c->room.shared_used -= c->room.block_shared;
    c->cfg.stats->blocks_finished++;
    if (c->cfg.events.block_done != NULL)
        c->cfg.events.block_done(c->cfg.events.context, c->cfg.index);
}

void cw_core__free_block(struct cw_core *c, uint32_t block)
{
    for (uint32_t w = 0; w < c->config->core_warps; w++)
        if (c->warp[w].wait == CW_WAIT_EXIT && c->warp[w].block == block)
            cw_core__free_warp(c, w);
}

/* The last thread of the block has exited: no slot of it has a thread. */
static void leave_block(struct cw_core *c, uint32_t block)
{
    for (uint32_t w = 0; w < c->config->core_warps; w++)
        if (c->warp[w].wait != CW_WAIT_FREE && c->warp[w].block == block) {
            c->warp[w].wait = CW_WAIT_EXIT;
            cw_core__requeue(c, w);
        }
    if (c->block[block].insts == 0)
        cw_core__free_block(c, block);
}

static void exit_dynamic(struct cw_core *c, uint32_t w, uint32_t lanes)
{
    struct cw_part p;
    for (uint32_t i = 0; cw_core__part(c, c->warp[w].dynamic, w, 0, i, &p); i++) {
        struct cw_warp *home = &c->warp[p.home];
        home->live &= ~(cw_lanes)(p.lanes & lanes);
        c->block[home->block].threads_live -= (uint32_t)__builtin_popcount(p.lanes & lanes);
    }
    c->control->ops->exit(c->control, w, lanes);
    c->cfg.stats->threads_exited += (uint32_t)__builtin_popcount(lanes);
    cw_core__progress(c, &c->warp[w]);
    for (uint32_t left = c->warp[w].dynamic->blocks; left != 0; left &= left - 1) {
        const uint32_t block = (uint32_t)__builtin_ctz(left);
        cw_core__barrier_exit(c, &c->block[block]);
        if (c->block[block].threads_live == 0)
            leave_block(c, block);
    }
}

void cw_core__exit_lanes(struct cw_core *c, uint32_t w, cw_lanes lanes)
{
    if (cw_core__checks(c, CW_CHECK_SYNC))
        cw_core__note_side(c, w, 0);
    struct cw_warp *warp = &c->warp[w];
    struct cw_block *b = &c->block[warp->block];
    if (c->dynamic != NULL) {
        exit_dynamic(c, w, (uint32_t)lanes);
        return;
    }
    warp->live &= ~lanes;
    b->threads_live -= cw_lanes_count(lanes);
    c->control->ops->exit(c->control, w, lanes);
    c->cfg.stats->threads_exited += cw_lanes_count(lanes);
    cw_core__progress(c, warp);
    if (warp->live != 0)
        return;
    cw_core__barrier_exit(c, b);
    warp->wait = CW_WAIT_EXIT;
    if (warp->insts == 0)
        cw_core__free_warp(c, w);
}
