/* SPDX-License-Identifier: Apache-2.0 */
/* The state of thread block compaction (base/state.h). */
#include "control/tbc/tbc_state.h"

static void warp_state(struct cw_state *s, struct tbc_warp *w)
{
    cw_state_count(s, "block", &w->block, CW_ADAPT_BLOCK_STACK_BLOCKS - 1);
    CW_STATE(s, w->home);
    CW_STATE(s, w->waits);
    CW_STATE(s, w->since);
    CW_STATE(s, w->indexed);
    CW_STATE(s, w->target);
}

static void branch_state(struct cw_state *s, struct cw_branch *b)
{
    CW_STATE(s, b->target);
    CW_STATE(s, b->next);
    CW_STATE(s, b->rpc);
    CW_STATE(s, b->lpc);
    CW_STATE(s, b->kind);
    CW_STATE(s, b->uniform);
}

/* How the warps of the top have ended so far. */
static void end_state(struct cw_state *s, struct tbc_block *b)
{
    CW_STATE(s, b->entry);
    CW_STATE(s, b->gone);
    CW_STATE(s, b->dynamic);
    CW_STATE(s, b->ended);
    CW_STATE(s, b->end);
    CW_STATE(s, b->end_pc);
    branch_state(s, &b->branch);
    CW_STATE(s, b->goes_first);
    CW_STATE(s, b->goes_second);
    CW_STATE(s, b->indexed);
}

static void block_state(struct cw_state *s, struct tbc_block *b)
{
    CW_STATE(s, b->slots);
    cw_state_count(s, "slots", &b->slot_cnt, TBC_WARPS);
    CW_STATE(s, b->slot);
    CW_STATE(s, b->number);
    CW_STATE(s, b->starts);
    CW_STATE(s, b->live);
    CW_STATE(s, b->top);
    CW_STATE(s, b->again);
    CW_STATE(s, b->rpc);
    CW_STATE(s, b->lpc);
    end_state(s, b);
    cw_state_count(s, "sides", &b->side_cnt, TBC_SIDES);
    cw_state_array(s, "side", b->side, b->side_cnt, sizeof b->side[0]);
}

static void op_state(struct cw_state *s, struct cw_adapt_block_stack_op *op)
{
    CW_STATE(s, op->kind);
    cw_state_count(s, "block", &op->block, CW_ADAPT_BLOCK_STACK_BLOCKS - 1);
    CW_STATE(s, op->lanes);
    CW_STATE(s, op->first);
    CW_STATE(s, op->first_pc);
    CW_STATE(s, op->second_pc);
    CW_STATE(s, op->rpc);
    CW_STATE(s, op->lpc);
    CW_STATE(s, op->last);
    CW_STATE(s, op->home);
    CW_STATE(s, op->mask);
}

static void ops_state(struct cw_state *s, struct tbc *t)
{
    cw_state_count(s, "head", &t->op_ring.head, t->op_cap - 1);
    cw_state_count(s, "operations", &t->op_ring.cnt, t->op_cap);
    for (uint32_t i = 0; i < t->op_ring.cnt; i++)
        op_state(s, &t->op[cw_ring_at(&t->op_ring, i, t->op_cap)]);
}

static void compaction_state(struct cw_state *s, struct tbc *t)
{
    cw_state_count(s, "compacted", &t->compacted, CW_ADAPT_BLOCK_STACK_BLOCKS - 1);
    CW_STATE(s, t->compacted_next);
    CW_STATE(s, t->compacted_pc);
    CW_STATE(s, t->compacted_left);
    cw_adapt_block_stack_state(s, t->stack);
    cw_adapt_thread_compactor_state(s, t->compactor);
}

void cw_tbc_state(struct cw_control *p, struct cw_state *s)
{
    struct tbc *t = (struct tbc *)p;
    CW_STATE(s, t->is_static);
    CW_STATE(s, t->at);
    for (uint32_t w = 0; w < t->config.warps; w++)
        warp_state(s, &t->warp[w]);
    for (uint32_t b = 0; b < t->blocks; b++)
        block_state(s, &t->block[b]);
    CW_STATE(s, t->block_cnt);
    CW_STATE(s, t->top_cnt);
    CW_STATE(s, t->sticky);
    ops_state(s, t);
    compaction_state(s, t);
}
