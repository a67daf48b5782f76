/* SPDX-License-Identifier: Apache-2.0 */
/* The state of independent threads (base/state.h). */
#include "control/its/its_state.h"

static void warp_state(struct cw_state *s, struct its_warp *w)
{
    CW_STATE(s, w->live);
    CW_STATE(s, w->held);
    CW_STATE(s, w->across);
    CW_STATE(s, w->guests);
    CW_STATE(s, w->own);
    CW_STATE(s, w->pass);
    CW_STATE(s, w->named);
    CW_STATE(s, w->again);
    CW_STATE(s, w->stopped);
    CW_STATE(s, w->last);
    CW_STATE(s, w->blocked);
    CW_STATE(s, w->parked);
    CW_STATE(s, w->at);
    CW_STATE(s, w->id);
    CW_STATE(s, w->branches);
    CW_STATE(s, w->pending);
    CW_STATE(s, w->skips);
    CW_STATE(s, w->place_cnt);
    CW_STATE(s, w->barred);
}

static void op_state(struct cw_state *s, struct cw_adapt_convergence_barriers_op *op, uint32_t warps)
{
    CW_STATE(s, op->kind);
    cw_state_count(s, "warp", &op->warp, warps - 1);
    CW_STATE(s, op->lanes);
    CW_STATE(s, op->named);
    CW_STATE(s, op->target);
    CW_STATE(s, op->next);
    CW_STATE(s, op->meet);
    CW_STATE(s, op->first);
    CW_STATE(s, op->yields);
}

void cw_its_state(struct cw_control *p, struct cw_state *s)
{
    struct its *d = (struct its *)p;
    for (uint32_t w = 0; w < d->config.warps; w++) {
        warp_state(s, &d->warp[w]);
        cw_simt_state(s, &d->stack[w]);
        if (d->warp[w].place_cnt != 0)
            cw_state_array(s, "places", cw_its__place(d, w, 0), d->uop_cnt / 64 + 1, sizeof *d->place);
    }
    for (uint32_t i = 0; i < d->scheduler_cnt; i++) {
        struct its_scheduler *at = &d->scheduler[i];
        cw_adapt_convergence_barriers_state(s, at->unit);
        cw_state_count(s, "head", &at->op_ring.head, d->op_cap - 1);
        cw_state_count(s, "operations", &at->op_ring.cnt, d->op_cap);
        for (uint32_t k = 0; k < at->op_ring.cnt; k++)
            op_state(s, &at->op[cw_ring_at(&at->op_ring, k, d->op_cap)], d->config.warps);
    }
}
