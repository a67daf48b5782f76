/* SPDX-License-Identifier: Apache-2.0 */
/* Thread blocks and warps: start, exit, and when a warp's next instruction is ready. */
#include <assert.h>
#include <string.h>

#include "core/core_state.h"

static void wheel_insert(struct cw_core *c, uint32_t w, uint64_t cycle)
{
    if (cycle - c->cycle >= CW_WHEEL_SLOTS) /* far away: looked at again when the wheel has turned once */
        cycle = c->cycle + CW_WHEEL_SLOTS - 1;
    uint32_t slot = (uint32_t)(cycle % CW_WHEEL_SLOTS);
    c->wheel[slot] |= cw_core__bit(w);
    c->wheel_used[slot / 64] |= UINT64_C(1) << (slot % 64);
    c->wheel_words |= 1u << slot / 64;
}

void cw_core__requeue(struct cw_core *c, uint32_t w)
{
    struct cw_warp *warp = &c->warp[w];
    c->ready &= ~cw_core__bit(w);
    warp->ready_at = CW_CYCLE_NEVER;
    if (warp->wait != CW_WAIT_NONE)
        return;
    const struct cw_issue_op *op = &c->op[cw_simt_pc(&warp->simt)];
    if (warp->fu != op->fu) {
        c->fu_warps[warp->fu] &= ~cw_core__bit(w);
        c->fu_warps[op->fu] |= cw_core__bit(w);
        warp->fu = op->fu;
    }
    uint64_t at = cw_scoreboard_ready(warp->slot_cycle, op);
    if (at == CW_CYCLE_PENDING)
        return;
    at = at > warp->not_before ? at : warp->not_before;
    warp->ready_at = at;
    if (at <= c->cycle)
        c->ready |= cw_core__bit(w);
    else
        wheel_insert(c, w, at);
}

/* Earlier ticks have emptied all slots before this cycle: the component wakes for each. */
void cw_core__wheel_tick(struct cw_core *c)
{
    uint32_t slot = (uint32_t)(c->cycle % CW_WHEEL_SLOTS);
    uint64_t due = c->wheel[slot];
    if (due == 0)
        return;
    c->wheel[slot] = 0;
    c->wheel_used[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
    c->wheel_words &= ~((uint32_t)(c->wheel_used[slot / 64] == 0) << slot / 64);
    for (; due != 0; due &= due - 1) {
        uint32_t w = (uint32_t)__builtin_ctzll(due);
        uint64_t at = c->warp[w].ready_at;
        if (at <= c->cycle)
            c->ready |= cw_core__bit(w);
        else if (at != CW_CYCLE_NEVER)
            wheel_insert(c, w, at);
    }
}

/* Next cycle after the current one with an entry in the wheel. */
uint64_t cw_core__wheel_next(const struct cw_core *c)
{
    if (c->wheel_words == 0)
        return CW_CYCLE_NEVER;
    const uint32_t from = (uint32_t)((c->cycle + 1) % CW_WHEEL_SLOTS);
    uint32_t word = from / 64;
    uint64_t bits = c->wheel_used[word] & ~UINT64_C(0) << (from % 64);
    if (bits == 0) { /* the following words in turn, last the part of this one before from */
        const uint32_t after = c->wheel_words >> (word + 1);
        word = after != 0 ? word + 1 + cw_core__lowest(after) : cw_core__lowest(c->wheel_words);
        bits = c->wheel_used[word];
    }
    const uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
    return c->cycle + 1 + (slot - from) % CW_WHEEL_SLOTS;
}

void cw_core__account(struct cw_core *c, uint64_t cycle)
{
    if (cycle <= c->accounted)
        return;
    if (c->resident > 0)
        c->cfg.stats->core_active_cycles += cycle - c->accounted;
    c->accounted = cycle;
}

bool cw_core_can_take_block(const struct cw_core *c)
{
    return c->launch != 0 && c->blocks < c->blocks_max && c->resident + c->launch->warps <= c->config->core_warps &&
           c->registers_used + c->block_regs <= c->config->core_registers &&
           c->shared_used + c->block_shared <= c->config->core_shared_bytes;
}

static uint32_t free_block(const struct cw_core *c)
{
    uint32_t b = 0;
    while (c->block[b].used)
        b++;
    return b;
}

static void set_identity(struct cw_core *c, uint32_t w, const struct cw_block *b)
{
    const struct cw_launch *l = c->launch;
    struct cw_warp *warp = &c->warp[w];
    struct cw_exec *x = &warp->x;
    uint32_t id = warp->number * CW_LANES;
    uint32_t p[3] = {id % l->block[0], id / l->block[0] % l->block[1], id / l->block[0] / l->block[1]};
    for (uint32_t lane = 0; lane < CW_LANES; lane++) {
        for (uint32_t d = 0; d < 3; d++)
            c->tid[w][d][lane] = p[d];
        if (++p[0] == l->block[0]) {
            p[0] = 0;
            if (++p[1] == l->block[1]) {
                p[1] = 0;
                p[2]++;
            }
        }
    }
    for (uint32_t d = 0; d < 3; d++) {
        x->tid[d] = c->tid[w][d];
        x->ctaid[d] = b->ctaid[d];
        x->ntid[d] = l->block[d];
        x->nctaid[d] = l->grid[d];
    }
    x->warpid = w;
}

static void start_warp(struct cw_core *c, uint32_t w, uint32_t block, uint32_t number, uint64_t cycle)
{
    struct cw_warp *warp = &c->warp[w];
    uint32_t left = c->launch->threads - number * CW_LANES;
    warp->live = left >= CW_LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
    warp->block = (uint8_t)block;
    warp->number = number;
    warp->wait = CW_WAIT_NONE;
    warp->spin = 0;
    warp->polled = false;
    warp->attempt_first = warp->attempt;
    warp->not_before = cycle;
    cw_simt_reset(&warp->simt, 0, warp->live);
    uint32_t slots = cw_scoreboard_slots(c->launch->kernel);
    memset(warp->slot_cycle, 0, slots * sizeof *warp->slot_cycle);
    set_identity(c, w, &c->block[block]);
    cw_age_start(&c->ages, w);
    c->resident++;
    cw_core__requeue(c, w);
}

void cw_core_start_block(struct cw_core *c, const uint32_t ctaid[3], cw_time now)
{
    assert(cw_core_can_take_block(c));
    uint64_t cycle = now / c->period;
    cw_core__account(c, cycle);
    if (c->cycle + 1 < cycle) /* asleep since then, so nothing in the wheel lies between; its span starts here */
        c->cycle = cycle - 1;
    uint32_t slot = free_block(c);
    struct cw_block *b = &c->block[slot];
    memset(b, 0, sizeof *b);
    b->used = true;
    b->warps_left = b->warps_live = c->launch->warps;
    b->shared_base = slot * c->block_shared;
    memcpy(b->ctaid, ctaid, sizeof b->ctaid);
    c->blocks++;
    c->registers_used += c->block_regs;
    c->shared_used += c->block_shared;
    uint32_t w = 0;
    for (uint32_t i = 0; i < c->launch->warps; i++, w++) {
        while (c->warp[w].wait != CW_WAIT_FREE)
            w++;
        start_warp(c, w, slot, i, cycle + 1);
    }
    cw_time wake = (cycle + 1) * c->period;
    if (wake < c->component.wake)
        c->component.wake = wake;
}

static void free_warp(struct cw_core *c, uint32_t w)
{
    struct cw_warp *warp = &c->warp[w];
    struct cw_block *b = &c->block[warp->block];
    cw_core__account(c, c->cycle + 1);
    warp->wait = CW_WAIT_FREE;
    cw_core__requeue(c, w);
    cw_age_end(&c->ages, w);
    c->resident--;
    if (--b->warps_left > 0)
        return;
    b->used = false;
    c->blocks--;
    c->registers_used -= c->block_regs;
    c->shared_used -= c->block_shared;
    c->cfg.stats->blocks_finished++;
    if (c->cfg.events.block_done != 0)
        c->cfg.events.block_done(c->cfg.events.context, c->cfg.index);
}

void cw_core__exit_lanes(struct cw_core *c, uint32_t w, uint32_t lanes)
{
    struct cw_warp *warp = &c->warp[w];
    warp->live &= ~lanes;
    cw_simt_exit(&warp->simt, lanes);
    c->cfg.stats->threads_exited += (uint32_t)__builtin_popcount(lanes);
    cw_core__progress(c, warp);
    if (warp->live != 0)
        return;
    struct cw_block *b = &c->block[warp->block];
    b->warps_live--;
    cw_core__barrier_exit(c, b);
    warp->wait = CW_WAIT_EXIT;
    cw_core__drained(c, w);
}

void cw_core__drained(struct cw_core *c, uint32_t w)
{
    struct cw_warp *warp = &c->warp[w];
    if (warp->insts != 0)
        return;
    switch (warp->wait) {
    case CW_WAIT_EXIT:
        free_warp(c, w);
        break;
    case CW_WAIT_FENCE: /* the instruction is tried again */
    case CW_WAIT_TX_LOADS:
        warp->wait = CW_WAIT_NONE;
        cw_core__requeue(c, w);
        break;
    case CW_WAIT_TX_DRAIN:
        cw_core__tx_drained(c, w);
        break;
    default:
        break;
    }
}
