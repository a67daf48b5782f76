/* SPDX-License-Identifier: Apache-2.0 */
#include "control/simt_stack.h"

#include <assert.h>

void cw_simt_reset(struct cw_simt *s, uint32_t pc, cw_lanes mask)
{
    s->depth = 1;
    s->t = 0;
    s->reached = 0;
    s->entry[0] = (struct cw_simt_entry){pc, CW_PC_NONE, mask};
}

void cw_simt_settle(struct cw_simt *s)
{
    while (s->depth > 0) {
        const struct cw_simt_entry *e = &s->entry[s->depth - 1];
        bool arrived = e->rpc != CW_PC_NONE && e->pc == e->rpc;
        if (cw_simt_type_at(s, s->depth - 1) != CW_SIMT_N || (e->mask != 0 && !arrived))
            return;
        s->depth--;
    }
}

static void push(struct cw_simt *s, uint32_t pc, uint32_t rpc, cw_lanes mask)
{
    assert(s->depth < CW_SIMT_DEPTH(s->width));
    s->entry[s->depth++] = (struct cw_simt_entry){pc, rpc, mask};
}

/* The top entry becomes the reconvergence entry of the sides about to be pushed, or goes when the one below already is that. Without
 * a reconvergence PC of their own the sides reconverge where the entry would have. Returns the sides' reconvergence PC. */
static uint32_t open_divergence(struct cw_simt *s, uint32_t rpc)
{
    struct cw_simt_entry *e = &s->entry[s->depth - 1];
    if (rpc == CW_PC_NONE)
        rpc = e->rpc;
    if (cw_simt_type_at(s, s->depth - 1) == CW_SIMT_N && e->rpc == rpc)
        s->depth--;
    else
        e->pc = rpc;
    return rpc;
}

bool cw_simt_branch(struct cw_simt *s, cw_lanes taken, uint32_t target, uint32_t next, uint32_t rpc)
{
    cw_lanes active = cw_simt_active(s);
    if (taken == active || taken == 0 || target == next) {
        cw_simt_advance(s, taken != 0 ? target : next);
        return false;
    }
    rpc = open_divergence(s, rpc);
    if (next != rpc)
        push(s, next, rpc, active & ~taken);
    if (target != rpc)
        push(s, target, rpc, taken);
    return true;
}

bool cw_simt_branch_indexed(struct cw_simt *s, const uint32_t *target, uint32_t rpc)
{
    uint32_t side[CW_WARP_LANES_MAX], side_cnt = 0;
    cw_lanes mask[CW_WARP_LANES_MAX];
    for (cw_lanes left = cw_simt_active(s); left != 0; left &= ~mask[side_cnt++]) {
        side[side_cnt] = target[cw_lanes_first(left)];
        mask[side_cnt] = 0;
        for (cw_lanes rest = left; rest != 0; rest = cw_lanes_rest(rest))
            if (target[cw_lanes_first(rest)] == side[side_cnt])
                mask[side_cnt] |= cw_lanes_one(cw_lanes_first(rest));
    }
    if (side_cnt <= 1) {
        if (side_cnt == 1)
            cw_simt_advance(s, side[0]);
        return false;
    }
    rpc = open_divergence(s, rpc);
    while (side_cnt-- > 0)
        if (side[side_cnt] != rpc)
            push(s, side[side_cnt], rpc, mask[side_cnt]);
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
    push(s, pc, CW_PC_NONE, 0);
    push(s, pc, CW_PC_NONE, mask);
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

bool cw_simt_tx_end(struct cw_simt *s, const uint32_t *resume)
{
    assert(s->t != 0 && s->depth == s->t + 1);
    struct cw_simt_entry *r = &s->entry[s->t - 1];
    s->reached = 0;
    s->depth--;
    if (r->mask != 0) {
        push(s, r->pc, CW_PC_NONE, r->mask);
        r->mask = 0;
        return true;
    }
    s->depth--;
    s->t = 0;
    cw_simt_branch_indexed(s, resume, CW_PC_NONE);
    return false;
}

cw_lanes cw_simt_waiting(const struct cw_simt *s)
{
    cw_lanes all = 0;
    for (uint32_t i = 0; i < s->depth; i++)
        all |= s->entry[i].mask;
    return all & ~cw_simt_active(s);
}
