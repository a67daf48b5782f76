/* SPDX-License-Identifier: Apache-2.0 */
#include "core/simt_stack.h"

#include <assert.h>

void cw_simt_reset(struct cw_simt *s, uint32_t pc, uint32_t mask)
{
    s->depth = 1;
    s->t = 0;
    s->reached = 0;
    s->entry[0] = (struct cw_simt_entry){pc, CW_PC_NONE, mask, CW_SIMT_N};
}

void cw_simt_settle(struct cw_simt *s)
{
    while (s->depth > 0) {
        const struct cw_simt_entry *e = &s->entry[s->depth - 1];
        bool arrived = e->rpc != CW_PC_NONE && e->pc == e->rpc;
        if (e->type != CW_SIMT_N || (e->mask != 0 && !arrived))
            return;
        s->depth--;
    }
}

static void push(struct cw_simt *s, uint32_t pc, uint32_t rpc, uint32_t mask, enum cw_simt_type type)
{
    assert(s->depth < CW_SIMT_DEPTH);
    s->entry[s->depth++] = (struct cw_simt_entry){pc, rpc, mask, type};
}

/* The top entry becomes the reconvergence entry of the sides about to be pushed, or goes when the one below already is that. Without
 * a reconvergence PC of their own the sides reconverge where the entry would have. Returns the sides' reconvergence PC. */
static uint32_t open_divergence(struct cw_simt *s, uint32_t rpc)
{
    struct cw_simt_entry *e = &s->entry[s->depth - 1];
    if (rpc == CW_PC_NONE)
        rpc = e->rpc;
    if (e->type == CW_SIMT_N && e->rpc == rpc)
        s->depth--;
    else
        e->pc = rpc;
    return rpc;
}

bool cw_simt_branch(struct cw_simt *s, uint32_t taken, uint32_t target, uint32_t next, uint32_t rpc)
{
    uint32_t active = cw_simt_active(s);
    if (taken == active || taken == 0 || target == next) {
        cw_simt_advance(s, taken != 0 ? target : next);
        return false;
    }
    rpc = open_divergence(s, rpc);
    if (next != rpc)
        push(s, next, rpc, active & ~taken, CW_SIMT_N);
    if (target != rpc)
        push(s, target, rpc, taken, CW_SIMT_N);
    return true;
}

bool cw_simt_branch_indexed(struct cw_simt *s, const uint32_t target[32], uint32_t rpc)
{
    uint32_t active = cw_simt_active(s), side_cnt = 0;
    uint32_t side[32], mask[32];
    for (uint32_t left = active; left != 0; side_cnt++) {
        uint32_t first = target[__builtin_ctz(left)];
        side[side_cnt] = first;
        mask[side_cnt] = 0;
        for (uint32_t lane = 0; lane < 32; lane++)
            if ((left >> lane & 1u) != 0 && target[lane] == first)
                mask[side_cnt] |= 1u << lane;
        left &= ~mask[side_cnt];
    }
    if (side_cnt <= 1) {
        if (side_cnt == 1)
            cw_simt_advance(s, side[0]);
        return false;
    }
    rpc = open_divergence(s, rpc);
    while (side_cnt-- > 0)
        if (side[side_cnt] != rpc)
            push(s, side[side_cnt], rpc, mask[side_cnt], CW_SIMT_N);
    return true;
}

void cw_simt_exit(struct cw_simt *s, uint32_t lanes)
{
    assert(s->t == 0);
    for (uint32_t i = 0; i < s->depth; i++)
        s->entry[i].mask &= ~lanes;
    cw_simt_settle(s);
}

void cw_simt_tx_begin(struct cw_simt *s, uint32_t pc)
{
    assert(s->t == 0 && s->depth > 0);
    uint32_t mask = s->entry[s->depth - 1].mask;
    push(s, pc, CW_PC_NONE, 0, CW_SIMT_R);
    push(s, pc, CW_PC_NONE, mask, CW_SIMT_T);
    s->t = s->depth - 1;
    s->reached = 0;
}

/* Nothing above T and no lane of T to run. */
static bool attempt_done(const struct cw_simt *s)
{
    return s->depth == s->t + 1 && cw_simt_active(s) == 0;
}

bool cw_simt_tx_reach(struct cw_simt *s, uint32_t lanes, uint32_t next)
{
    assert(s->t != 0);
    s->entry[s->depth - 1].pc = next;
    s->reached |= lanes;
    for (uint32_t i = s->t + 1; i < s->depth; i++)
        s->entry[i].mask &= ~lanes;
    cw_simt_settle(s);
    return attempt_done(s);
}

bool cw_simt_tx_abort(struct cw_simt *s, uint32_t lanes)
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

bool cw_simt_tx_end(struct cw_simt *s, const uint32_t resume[32])
{
    assert(s->t != 0 && s->depth == s->t + 1);
    struct cw_simt_entry *r = &s->entry[s->t - 1];
    s->reached = 0;
    s->depth--;
    if (r->mask != 0) {
        push(s, r->pc, CW_PC_NONE, r->mask, CW_SIMT_T);
        r->mask = 0;
        return true;
    }
    s->depth--;
    s->t = 0;
    cw_simt_branch_indexed(s, resume, CW_PC_NONE);
    return false;
}

uint32_t cw_simt_waiting(const struct cw_simt *s)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < s->depth; i++)
        all |= s->entry[i].mask;
    return all & ~cw_simt_active(s);
}
