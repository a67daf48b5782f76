/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/convergence_barriers.h"

#include <stdlib.h>
#include <string.h>

#include "adapt/open.h"

struct cw_adapt_convergence_barriers {
    struct cw_unit_instance unit;
    struct cw_convergence_barriers_in in;
    struct cw_convergence_barriers_out out;
    bool awake;
};

int cw_adapt_convergence_barriers_create(struct cw_adapt_convergence_barriers **out, const struct cw_unit_provider *units, const char *name,
                                         uint32_t lanes, uint32_t warps, struct cw_error *err)
{
    struct cw_adapt_convergence_barriers *b = *out = calloc(1, sizeof *b);
    struct cw_convergence_barriers_params p;
    if (b == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for convergence barriers");
    cw_unit_params_default(&cw_convergence_barriers_unit, &p);
    p.lanes = lanes;
    for (p.warp_w = 1; 1u << p.warp_w < warps;)
        p.warp_w++;
    return units->open(units->context, &cw_convergence_barriers_unit, name, &p, &b->unit, err);
}

void cw_adapt_convergence_barriers_destroy(struct cw_adapt_convergence_barriers *b)
{
    if (b == NULL)
        return;
    cw_adapt_close(&b->unit);
    free(b);
}

static void drive(struct cw_adapt_convergence_barriers *b, const struct cw_adapt_convergence_barriers_op *op)
{
    b->in.op_valid = op != NULL;
    if (op == NULL)
        return;
    const bool meets = op->kind == CW_CONVERGENCE_BRANCH && op->meet != CW_ADAPT_CONVERGENCE_BARRIERS_NONE;
    b->in = (struct cw_convergence_barriers_in){.op_valid = 1,
                                                .op_kind = op->kind,
                                                .op_warp = op->warp,
                                                .op_lanes = op->lanes,
                                                .op_named = op->named,
                                                .op_target = op->target,
                                                .op_next = op->next,
                                                .op_meet_valid = meets,
                                                .op_meet = meets ? op->meet : 0,
                                                .op_first = op->first,
                                                .op_yield = op->yields};
}

void cw_adapt_convergence_barriers_clock(struct cw_adapt_convergence_barriers *b, const struct cw_adapt_convergence_barriers_op *op,
                                         struct cw_adapt_convergence_barriers_view *view)
{
    const struct cw_convergence_barriers_out *out = &b->out;
    memset(view, 0, sizeof *view);
    if (!b->awake && op == NULL)
        return;
    drive(b, op);
    b->unit.ops->eval(b->unit.self, &b->in, &b->out);
    view->taken = op != NULL && out->op_ready;
    view->answer = out->ans_valid;
    view->warp = (uint32_t)out->ans_warp;
    view->keep = out->ans_keep;
    view->group = out->ans_group;
    view->pc = (uint32_t)out->ans_pc;
    view->blocked = out->ans_blocked;
    view->parked = out->ans_parked;
    view->barred = out->ans_barred;
    b->awake = view->busy = view->taken || (out->busy && !out->ans_valid);
    b->unit.ops->tick(b->unit.self, &b->in);
}

void cw_adapt_convergence_barriers_state(struct cw_state *s, struct cw_adapt_convergence_barriers *b)
{
    cw_adapt_state(s, &b->unit);
    CW_STATE_PORTS(s, b->in);
    CW_STATE_PORTS(s, b->out);
    CW_STATE(s, b->awake);
}
