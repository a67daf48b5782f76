/* SPDX-License-Identifier: Apache-2.0 */
#include "control/simt_stack.h"

#include <assert.h>

void cw_simt_reset(struct cw_simt *s, uint32_t pc, cw_lanes mask)
{
    s->depth = 1;
    s->t = 0;
    s->reached = 0;
    s->entry[0] = (struct cw_simt_entry){.pc = pc, .rpc = CW_PC_NONE, .mask = mask, .lpc = CW_PC_NONE};
}

/* The top entry has arrived at its likely-convergence PC: its lanes join the entry that waits there. */
static void join(struct cw_simt *s)
{
    const struct cw_simt_entry *e = &s->entry[s->depth - 1];
    assert(e->lpos < s->depth - 1 && s->entry[e->lpos].pc == e->lpc);
    s->entry[e->lpos].mask |= e->mask;
    s->joins++;
}

void cw_simt_settle(struct cw_simt *s)
{
    while (s->depth > 0) {
        const struct cw_simt_entry *e = &s->entry[s->depth - 1];
        const bool arrived = e->pc != CW_PC_NONE && (e->pc == e->rpc || e->pc == e->lpc);
        if (cw_simt_type_at(s, s->depth - 1) != CW_SIMT_N || (e->mask != 0 && !arrived))
            return;
        if (e->mask != 0 && e->pc != e->rpc)
            join(s);
        s->depth--;
    }
}

static void push(struct cw_simt *s, struct cw_simt_entry e)
{
    assert(s->depth < CW_SIMT_DEPTH(s->width));
    s->entry[s->depth++] = e;
}

/* The top entry becomes the reconvergence entry of the sides about to be pushed, or goes when the one below already is that. Without
 * a reconvergence PC of their own the sides reconverge where the entry would have. Returns a side as it is to be pushed, but for its PC and
 * lanes. */
static struct cw_simt_entry open_divergence(struct cw_simt *s, uint32_t rpc, uint32_t lpc)
{
    struct cw_simt_entry *e = &s->entry[s->depth - 1], side = {.rpc = rpc != CW_PC_NONE ? rpc : e->rpc};
    struct cw_simt_entry likely = {.pc = lpc, .rpc = side.rpc, .lpc = CW_PC_NONE};
    if (cw_simt_type_at(s, s->depth - 1) == CW_SIMT_N && e->rpc == side.rpc) {
        likely.lpc = side.lpc = e->lpc; /* the sides, or who joins, may meet the others of e's divergence where e would have */
        likely.lpos = side.lpos = e->lpos;
        s->depth--;
    } else {
        side.lpc = CW_PC_NONE;
        e->pc = side.rpc;
    }
    if (lpc != CW_PC_NONE && lpc != side.rpc && lpc != side.lpc) {
        side.lpc = lpc;
        side.lpos = s->depth;
        push(s, likely);
    }
    return side;
}

/* Lanes at the reconvergence PC are in the entry below already; those at the likely-convergence PC need no entry either. */
static void push_side(struct cw_simt *s, struct cw_simt_entry side, uint32_t pc, cw_lanes lanes)
{
    if (pc == side.rpc)
        return;
    side.pc = pc;
    side.mask = lanes;
    push(s, side);
    if (pc != side.lpc)
        return;
    join(s);
    s->depth--;
}

bool cw_simt_branch_likely(struct cw_simt *s, cw_lanes taken, uint32_t target, uint32_t next, uint32_t rpc, uint32_t lpc)
{
    cw_lanes active = cw_simt_active(s);
    if (taken == active || taken == 0 || target == next) {
        cw_simt_advance(s, taken != 0 ? target : next);
        return false;
    }
    const struct cw_simt_entry side = open_divergence(s, rpc, lpc);
    push_side(s, side, next, active & ~taken);
    push_side(s, side, target, taken);
    cw_simt_settle(s); /* a likely-convergence entry that nobody has joined */
    return true;
}

bool cw_simt_indexed_likely(struct cw_simt *s, const uint32_t *target, uint32_t rpc, uint32_t lpc)
{
    uint32_t pc[CW_WARP_LANES_MAX], side_cnt = 0;
    cw_lanes mask[CW_WARP_LANES_MAX];
    for (cw_lanes left = cw_simt_active(s); left != 0; left &= ~mask[side_cnt++]) {
        pc[side_cnt] = target[cw_lanes_first(left)];
        mask[side_cnt] = 0;
        for (cw_lanes rest = left; rest != 0; rest = cw_lanes_rest(rest))
            if (target[cw_lanes_first(rest)] == pc[side_cnt])
                mask[side_cnt] |= cw_lanes_one(cw_lanes_first(rest));
    }
    if (side_cnt <= 1) {
        if (side_cnt == 1)
            cw_simt_advance(s, pc[0]);
        return false;
    }
    const struct cw_simt_entry side = open_divergence(s, rpc, lpc);
    while (side_cnt-- > 0)
        push_side(s, side, pc[side_cnt], mask[side_cnt]);
    cw_simt_settle(s);
    return true;
}

void cw_simt_exit(struct cw_simt *s, cw_lanes lanes)
{
    assert(s->t == 0);
    for (uint32_t i = 0; i < s->depth; i++)
        s->entry[i].mask &= ~lanes;
    cw_simt_settle(s);
}

void cw_simt_tx_begin(struct cw_simt *s, uint32_t pc)
{
    assert(s->t == 0 && s->depth > 0);
    const cw_lanes mask = s->entry[s->depth - 1].mask;
    push(s, (struct cw_simt_entry){.pc = pc, .rpc = CW_PC_NONE, .lpc = CW_PC_NONE});
    push(s, (struct cw_simt_entry){.pc = pc, .rpc = CW_PC_NONE, .mask = mask, .lpc = CW_PC_NONE});
    s->t = s->depth - 1;
    s->reached = 0;
}

/* Nothing above T and no lane of T to run. */
static bool attempt_done(const struct cw_simt *s)
{
    return s->depth == s->t + 1 && cw_simt_active(s) == 0;
}

bool cw_simt_tx_reach(struct cw_simt *s, cw_lanes lanes, uint32_t next)
{
    assert(s->t != 0);
    s->entry[s->depth - 1].pc = next;
    s->reached |= lanes;
    for (uint32_t i = s->t + 1; i < s->depth; i++)
        s->entry[i].mask &= ~lanes;
    cw_simt_settle(s);
    return attempt_done(s);
}

bool cw_simt_tx_abort(struct cw_simt *s, cw_lanes lanes)
{
    assert(s->t != 0);
    lanes &= s->entry[s->t].mask;
    s->entry[s->t - 1].mask |= lanes;
    s->reached &= ~lanes;
    for (uint32_t i = s->t; i < s->depth; i++)
        s->entry[i].mask &= ~lanes;
    cw_simt_settle(s);
    return attempt_done(s);
}

bool cw_simt_tx_next(struct cw_simt *s)
{
    assert(s->t != 0 && s->depth == s->t + 1);
    struct cw_simt_entry *r = &s->entry[s->t - 1];
    s->reached = 0;
    s->depth--;
    if (r->mask != 0) {
        push(s, (struct cw_simt_entry){.pc = r->pc, .rpc = CW_PC_NONE, .mask = r->mask, .lpc = CW_PC_NONE});
        r->mask = 0;
        return true;
    }
    s->depth--;
    s->t = 0;
    return false;
}

bool cw_simt_tx_end(struct cw_simt *s, const uint32_t *resume, uint32_t meet)
{
    if (cw_simt_tx_next(s))
        return true;
    cw_simt_branch_indexed(s, resume, meet);
    return false;
}

cw_lanes cw_simt_waiting(const struct cw_simt *s)
{
    cw_lanes all = 0;
    for (uint32_t i = 0; i < s->depth; i++)
        all |= s->entry[i].mask;
    return all & ~cw_simt_active(s);
}

uint32_t cw_simt_where(const struct cw_simt *s, uint32_t top, uint32_t lane)
{
    for (uint32_t i = s->depth; i-- > 0;)
        if (cw_lanes_has(s->entry[i].mask, lane))
            return i + 1 == s->depth ? top : s->entry[i].pc;
    return CW_PC_NONE;
}

void cw_simt_state(struct cw_state *s, struct cw_simt *stack)
{
    cw_state_count(s, "depth", &stack->depth, CW_SIMT_DEPTH(stack->width));
    CW_STATE(s, stack->t);
    CW_STATE(s, stack->joins);
    CW_STATE(s, stack->reached);
    for (uint32_t i = 0; i < stack->depth; i++) {
        CW_STATE(s, stack->entry[i].pc);
        CW_STATE(s, stack->entry[i].rpc);
        CW_STATE(s, stack->entry[i].mask);
        CW_STATE(s, stack->entry[i].lpc);
        CW_STATE(s, stack->entry[i].lpos);
    }
}
