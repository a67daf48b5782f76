/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle of the units of thread block compaction: operations go to the block stack, its tops to the compactor, and its warps to the core.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "control/tbc/tbc_state.h"

/* The START of a block, whose threads the core has named by now. */
static void start_blocks(struct tbc *t)
{
    for (uint32_t i = 0; i < t->blocks; i++) {
        struct tbc_block *b = &t->block[i];
        if (!b->starts || t->op_ring.cnt == t->op_cap)
            continue;
        struct cw_adapt_block_stack_op *op = &t->op[cw_ring_add(&t->op_ring, t->op_cap)];
        *op = (struct cw_adapt_block_stack_op){.kind = CW_BLOCK_STACK_START, .block = i, .first_pc = 0};
        memcpy(op->mask, b->live, sizeof b->live);
        b->starts = false;
    }
}

/* The slot for a warp: static warps have their own, others take the block's in order. */
static uint32_t slot_for(struct tbc *t, const struct tbc_block *b, const struct cw_adapt_thread_compactor_view *v)
{
    const uint32_t next = b->slot[t->compacted_next++];
    return t->is_static ? v->home[__builtin_ctz(v->lanes)] : next;
}

static void form(struct tbc *t, const struct cw_adapt_thread_compactor_view *v)
{
    const struct tbc_block *b = &t->block[t->compacted];
    const uint32_t slot = slot_for(t, b, v);
    struct tbc_warp *w = &t->warp[slot];
    assert(t->control.front[slot].active == 0);
    *w = (struct tbc_warp){.block = t->compacted};
    memcpy(w->home, v->home, sizeof v->home);
    t->control.front[slot] = (struct cw_front){.pc = t->compacted_pc, .stop = cw_tbc__stop(b, t->compacted_pc), .active = v->lanes};
    t->counters->tbc_threads_out += cw_lanes_count(v->lanes);
    t->compacted_left -= cw_lanes_count(v->lanes);
    t->config.host.form(t->config.host.context, slot, v->lanes, w->home, false);
}

/* The stack has a new top, and the compactor takes it. */
static void begin(struct tbc *t, const struct cw_adapt_block_stack_view *top)
{
    struct tbc_block *b = &t->block[top->block];
    t->compacted = top->block;
    t->compacted_next = 0;
    t->compacted_pc = top->pc;
    b->rpc = top->rpc;
    b->lpc = top->lpc;
    b->end = TBC_END_NONE;
    b->goes_first = b->goes_second = false;
    b->ended = b->dynamic = b->gone = 0;
    b->entry = ++t->top_cnt;
    memset(b->top, 0, sizeof b->top);
    memcpy(b->top, top->mask, t->config.warps * sizeof b->top[0]);
    while (b->side_cnt > 0 && (b->side[b->side_cnt - 1] == top->pc || top->rpc == CW_PC_NONE))
        b->side_cnt--;
    t->counters->tbc_compactions++;
    assert(t->compacted_left == 0);
    for (uint32_t w = 0; w < t->config.warps; w++)
        t->compacted_left += cw_lanes_count(b->top[w]);
    t->counters->tbc_threads_in += t->compacted_left;
}

/* Which sides wait below, for reports: of a branch, the second one, of which the last operation speaks for all. */
static void note_side(struct tbc *t, const struct cw_adapt_block_stack_op *op)
{
    struct tbc_block *b = &t->block[op->block];
    if (op->kind == CW_BLOCK_STACK_BRANCH && (op->lanes & ~op->first) != 0 && op->second_pc != op->rpc && b->side_cnt < TBC_SIDES &&
        (b->side_cnt == 0 || b->side[b->side_cnt - 1] != op->second_pc))
        b->side[b->side_cnt++] = op->second_pc;
}

static void finish_op(struct tbc *t)
{
    note_side(t, &t->op[t->op_ring.head]);
    cw_ring_take(&t->op_ring, t->op_cap);
}

static void check_overflow(struct tbc *t, const struct cw_adapt_block_stack_view *s)
{
    cw_stat_max(&t->counters->block_stack_max, s->peak);
    if (s->overflow)
        t->config.host.fault(t->config.host.context, t->block[t->op[t->op_ring.head].block].slot[0],
                             "a block-wide stack has more entries than the unit block_stack can number");
}

/* One cycle of the units. Returns whether the next one has work. */
static bool clock(struct tbc *t)
{
    struct cw_adapt_thread_compactor_view c;
    struct cw_adapt_block_stack_view s;
    cw_adapt_thread_compactor_see(t->compactor, &c);
    const struct cw_adapt_block_stack_in in = {
        .op = t->op_ring.cnt != 0 ? &t->op[t->op_ring.head] : NULL,
        .take = c.ready,
        .dynamic = c.counted,
        .made_block = t->compacted,
        .made_count = c.count,
    };
    cw_adapt_block_stack_clock(t->stack, &in, &s);
    if (c.counted) {
        t->block[t->compacted].dynamic = c.count;
        t->counters->tbc_warps_made += c.count;
    }
    if (c.warp)
        form(t, &c);
    if (s.taken)
        finish_op(t);
    const bool top = s.top && c.ready;
    const bool more = cw_adapt_thread_compactor_clock(t->compactor, top ? s.mask : NULL, t->is_static, c.warp);
    if (top)
        begin(t, &s);
    if (s.peak != 0)
        check_overflow(t, &s);
    return more || s.busy || t->op_ring.cnt != 0;
}

uint64_t cw_tbc_tick(struct cw_control *p, uint64_t cycle)
{
    struct tbc *t = (struct tbc *)p;
    const uint32_t stage = t->config.config->core_stage_cycles;
    if (cycle % stage != 0)
        return (cycle / stage + 1) * stage;
    start_blocks(t);
    return clock(t) ? cycle + stage : UINT64_MAX;
}
