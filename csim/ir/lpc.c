/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Likely-convergence points (Fung 2015, 3.4): where the lanes of a divergent branch may meet before its immediate post-dominator. As in the
 * thesis's evaluation (footnote 5) the point is the closest enclosing backward taken branch, so that lanes meet at the end of an iteration
 * though a `break` may lead past it.
 *
 * The thesis leaves open what that is when the source has no such words. We decide:
 * - The point is the start of the block that leads back, as block E of Figure 3.8, not the branch at its end.
 * - "Backward" means back to the header of a natural loop, wherever the blocks lie in the text.
 * - When several blocks lead back to one header (`continue`), lanes on different ones meet at the header first, so that is the point.
 * - A branch does not enclose itself: for the branch that leads back the next loop around it counts.
 * - There is none when it is the reconvergence point, or when no path comes to it before the reconvergence point: an entry for it would
 *   stay empty.
 */
#include <stdlib.h>

#include "ir/passes.h"

#define MAX_STEPS (UINT32_C(1) << 22) /* of the walks of one kernel; later branches then have no point */

struct search {
    const struct cw_cfg *cfg;
    uint32_t *mark; /* [block]: 1 + number of the walk that came here last */
    uint32_t *stack;
    uint32_t walks, steps;
};

/* Whether a path leads from a successor of block `from` to block `to` without passing block `avoid`. */
static bool reaches(struct search *s, uint32_t from, uint32_t to, uint32_t avoid)
{
    uint32_t depth = 0, b = from;
    s->walks++;
    for (;;) {
        const struct cw_basic_block *k = &s->cfg->block[b];
        for (uint32_t i = 0; i < k->succ_cnt; i++) {
            const uint32_t next = s->cfg->succ[k->succ + i];
            if (next == to)
                return true;
            if (next == avoid || next == s->cfg->block_cnt || s->mark[next] == s->walks)
                continue;
            s->mark[next] = s->walks;
            s->stack[depth++] = next;
        }
        if (depth == 0 || s->steps++ == MAX_STEPS)
            return false;
        b = s->stack[--depth];
    }
}

/* The block at which the lanes of the branch at the end of block b are likely to meet, or CW_IR_NONE. */
static uint32_t point_of(struct search *s, const struct cw_loops *l, uint32_t b)
{
    uint32_t loop = l->of[b];
    while (loop != CW_IR_NONE && l->loop.a[loop].latch_cnt == 1 && l->loop.a[loop].latch == b)
        loop = l->loop.a[loop].parent;
    if (loop == CW_IR_NONE)
        return CW_IR_NONE;
    const struct cw_loop *o = &l->loop.a[loop];
    const uint32_t at = o->latch_cnt == 1 ? o->latch : o->header, meet = s->cfg->block[b].ipdom;
    if (at == meet)
        return CW_IR_NONE;
    if (meet < s->cfg->block_cnt && cw_loops_has(l, loop, meet) && !reaches(s, b, at, meet))
        return CW_IR_NONE;
    return at;
}

void cw_lpc_find(struct cw_ir *ir, struct cw_code *k, const struct cw_cfg *cfg, const struct cw_loops *l)
{
    struct search s = {.cfg = cfg, .mark = cw_ir_alloc(ir, cfg->block_cnt, 4), .stack = cw_ir_alloc(ir, cfg->block_cnt, 4)};
    for (uint32_t i = 0; i < k->code.n; i++)
        k->code.a[i].u.lpc = CW_PC_NONE;
    for (uint32_t b = 0; b < cfg->block_cnt && ir->status == CW_OK && s.steps < MAX_STEPS; b++) {
        struct cw_vop *v = &k->code.a[cfg->block[b].end - 1];
        if (v->u.op != CW_OP_BRX && (v->u.op != CW_OP_BRA || v->guard == CW_IR_NONE))
            continue;
        const uint32_t at = point_of(&s, l, b);
        v->u.lpc = at != CW_IR_NONE ? cfg->block[at].first : CW_PC_NONE;
    }
    free(s.mark);
    free(s.stack);
}
