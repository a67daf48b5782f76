/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barriers of a block. They count threads: those that arrive with a warp, which the control policy says (control.h, barrier). Without a
 * count a barrier waits for all threads of the block that have not exited, so a warp that exits completes it for the others. With a count a
 * warp counts with all its lanes, and the count is rounded up to warps (PTX ISA, bar). bar.warp.sync needs nothing: the lanes of a warp
 * execute in lock step and its memory instructions in order.
 */
#include "core/core_state.h"

static void write_half(const struct cw_exec *x, const struct cw_uop *u, uint32_t lanes, const struct cw_barrier *b)
{
    const uint32_t idx = u->dst[0].idx;
    if (u->dst[0].kind == CW_OPND_PRED) {
        uint32_t *p = &x->pred[idx * x->pred_stride];
        bool v = u->cmp == CW_BAR_RED_AND ? b->all : b->any;
        *p = (*p & ~lanes) | (v ? lanes : 0);
    } else if (u->dst[0].kind == CW_OPND_R32) {
        for (; lanes != 0; lanes &= lanes - 1)
            x->r32[idx * x->r32_stride + (uint32_t)__builtin_ctz(lanes)] = b->popc;
    }
}

static void write_reduction(struct cw_core *c, struct cw_warp *warp, const struct cw_barrier *b)
{
    const struct cw_uop *u = warp->bar_uop;
    if (u->dst_cnt == 0)
        return;
    for (uint32_t half = 0; half < c->halves; half++)
        write_half(&warp->x[half], u, cw_lanes_half(warp->bar_lanes, half), b);
    cw_scoreboard_set(warp->slot_cycle, &c->op[u - c->uop], cw_core__past_collectors(c) + c->result_stages + c->config->fu_alu_latency);
}

static void release(struct cw_core *c, const struct cw_block *block, struct cw_barrier *b)
{
    cw_core__order_block(c, (uint32_t)(block - c->block));
    for (uint64_t left = b->waiting; left != 0; left &= left - 1) {
        uint32_t w = (uint32_t)__builtin_ctzll(left);
        struct cw_warp *warp = &c->warp[w];
        write_reduction(c, warp, b);
        warp->wait = CW_WAIT_NONE;
        warp->not_before = c->cycle + c->stage;
        cw_core__progress(c, warp);
        cw_core__requeue(c, w);
    }
    *b = (struct cw_barrier){0};
}

static void check(struct cw_core *c, const struct cw_block *block, struct cw_barrier *b)
{
    const bool complete = b->expected != 0 ? b->places >= b->expected : b->arrived >= block->threads_live;
    if (b->places > 0 && complete)
        release(c, block, b);
}

static uint64_t operand(const struct cw_warp *warp, struct cw_opnd o, uint32_t lane)
{
    uint64_t v[CW_LANES];
    cw_core__read_operand(&warp->x[lane / CW_LANES], o, v);
    return v[lane % CW_LANES];
}

/* Predicate operand o of a half, a bit per lane. */
static uint32_t predicate(const struct cw_exec *x, struct cw_opnd o)
{
    uint32_t p = UINT32_MAX;
    if (o.kind == CW_OPND_PRED)
        p = x->pred[(uint32_t)o.idx * x->pred_stride];
    else if (o.kind == CW_OPND_CPRED)
        p = o.idx != 0 ? UINT32_MAX : 0;
    return o.neg ? ~p : p;
}

static void reduce(const struct cw_core *c, const struct cw_warp *warp, struct cw_barrier *b, const struct cw_uop *u, cw_lanes lanes)
{
    cw_lanes p = 0;
    for (uint32_t half = 0; half < c->halves; half++)
        p |= (cw_lanes)predicate(&warp->x[half], u->src[2]) << (CW_LANES * half);
    b->popc += cw_lanes_count(p & lanes);
    b->all = (b->places == 0 || b->all) && (p & lanes) == lanes;
    b->any = b->any || (p & lanes) != 0;
}

void cw_core__barrier(struct cw_core *c, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_warp *warp = &c->warp[w];
    struct cw_block *block = &c->block[warp->block];
    if (mask == 0)
        return;
    c->cfg.stats->barriers++;
    uint32_t first = cw_lanes_first(mask);
    uint64_t id = u->src_cnt > 0 ? operand(warp, u->src[0], first) : 0;
    uint64_t count = u->src_cnt > 1 && u->src[1].kind != CW_OPND_NONE ? operand(warp, u->src[1], first) : 0;
    if (warp->in_region || id >= CW_BARRIERS) {
        cw_core__fault(c, w, first, u, CW_EFAULT, "%s", id >= CW_BARRIERS ? "barrier number above 15" : "barrier inside a transaction");
        return;
    }
    struct cw_barrier *b = &block->barrier[id];
    if (count != 0)
        b->expected = (uint32_t)((count + c->width - 1) / c->width * c->width);
    if (u->cmp >= CW_BAR_RED_POPC && u->cmp <= CW_BAR_RED_OR)
        reduce(c, warp, b, u, mask);
    b->arrived += cw_lanes_count(c->control->ops->barrier(c->control, w, mask, warp->live));
    b->places += c->width;
    if (u->cmp != CW_BAR_ARRIVE) {
        b->waiting |= cw_core__bit(w);
        warp->wait = CW_WAIT_BARRIER;
        warp->bar_lanes = mask;
        warp->bar_id = (uint8_t)id;
        warp->bar_uop = u;
    }
    check(c, block, b);
}

void cw_core__barrier_exit(struct cw_core *c, struct cw_block *b)
{
    for (uint32_t i = 0; i < CW_BARRIERS; i++)
        check(c, b, &b->barrier[i]);
}
