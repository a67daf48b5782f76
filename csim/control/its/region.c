/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of independent threads (csim/control/control.h). The group that begins one is the warp's until it is over: its lanes run by a SIMT stack
 * with the entries of Fung 2015, 4.2.1, and the other groups stay where they are, since for the unit this one is active all the time. */
#include "control/its/its_state.h"

/* The stack, with the PC up to which the front has gone on by itself. */
static struct cw_simt *current(struct its *d, uint32_t warp)
{
    struct cw_simt *s = &d->stack[warp];
    s->entry[s->depth - 1].pc = d->control.front[warp].pc;
    return s;
}

static void show(struct its *d, uint32_t warp)
{
    const struct cw_simt *s = &d->stack[warp];
    d->control.front[warp] = (struct cw_front){.pc = cw_simt_pc(s), .stop = s->entry[s->depth - 1].rpc, .active = cw_simt_active(s)};
}

void cw_its_region_begin(struct cw_control *p, uint32_t warp, uint32_t pc)
{
    struct its *d = (struct its *)p;
    struct cw_front *f = &p->front[warp];
    cw_simt_reset(&d->stack[warp], f->pc, f->active);
    cw_simt_tx_begin(&d->stack[warp], pc);
    show(d, warp);
}

void cw_its__region_arrive(struct its *d, uint32_t warp)
{
    cw_simt_settle(current(d, warp));
    show(d, warp);
}

bool cw_its__region_branch(struct its *d, uint32_t warp, cw_lanes taken, const struct cw_branch *b)
{
    const bool diverged = cw_simt_branch(current(d, warp), taken, b->target, b->next, b->rpc);
    show(d, warp);
    return diverged;
}

bool cw_its__region_indexed(struct its *d, uint32_t warp, const uint32_t *target, const struct cw_branch *b)
{
    const bool diverged = cw_simt_branch_indexed(current(d, warp), target, b->rpc);
    show(d, warp);
    return diverged;
}

bool cw_its_region_reach(struct cw_control *p, uint32_t warp, cw_lanes lanes, uint32_t next)
{
    struct its *d = (struct its *)p;
    const bool over = cw_simt_tx_reach(current(d, warp), lanes, next);
    show(d, warp);
    return over;
}

bool cw_its_region_abort(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    struct its *d = (struct its *)p;
    const bool over = cw_simt_tx_abort(current(d, warp), lanes);
    show(d, warp);
    return over;
}

bool cw_its_region_end(struct cw_control *p, uint32_t warp, const uint32_t resume[CW_WARP_LANES_MAX], uint32_t meet)
{
    struct its *d = (struct its *)p;
    struct cw_simt *s = current(d, warp);
    const cw_lanes lanes = s->entry[0].mask;
    if (cw_simt_tx_next(s)) {
        show(d, warp);
        return true;
    }
    s->depth = 0;
    p->front[warp].active = lanes;
    cw_its__scatter(d, warp, resume, meet);
    return false;
}

cw_lanes cw_its_region_lanes(const struct cw_control *p, uint32_t warp)
{
    const struct cw_simt *s = &((const struct its *)p)->stack[warp];
    return s->entry[s->t].mask;
}

cw_lanes cw_its_region_aborted(const struct cw_control *p, uint32_t warp)
{
    return cw_simt_aborted(&((const struct its *)p)->stack[warp]);
}

cw_lanes cw_its_region_reached(const struct cw_control *p, uint32_t warp)
{
    return ((const struct its *)p)->stack[warp].reached;
}
