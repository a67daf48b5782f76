/* SPDX-License-Identifier: Apache-2.0 */
/* When a warp's next instruction is ready: the ready mask and the timing wheel. */
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
    if (c->buffer != 0)
        cw_core__refill(c, w);
    if (warp->wait != CW_WAIT_NONE || warp->acquiring)
        return;
    const struct cw_issue_op *op = &c->op[cw_core__pc(c, w)];
    if (warp->fu != op->fu) {
        c->fu_warps[warp->fu] &= ~cw_core__bit(w);
        c->fu_warps[op->fu] |= cw_core__bit(w);
        warp->fu = op->fu;
    }
    uint64_t at = cw_scoreboard_ready(warp->slot_cycle, op);
    if (at == CW_CYCLE_PENDING)
        return;
    at = at > warp->not_before ? at : warp->not_before;
    at = at > warp->fetched_at ? at : warp->fetched_at;
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
        word = after != 0 ? word + 1 + (uint32_t)__builtin_ctz(after) : (uint32_t)__builtin_ctz(c->wheel_words);
        bits = c->wheel_used[word];
    }
    const uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
    return c->cycle + 1 + (slot - from) % CW_WHEEL_SLOTS;
}
