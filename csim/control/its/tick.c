/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle of the units of independent threads: operations go to the convergence barriers, and groups that they choose go on. */
#include "control/its/its_state.h"

/* The unit has said who runs. Lanes that have been active all the time know it. */
static void follow(struct its *d, uint32_t warp, const struct cw_adapt_convergence_barriers_view *v)
{
    struct its_warp *w = &d->warp[warp];
    w->pending--;
    if (w->skips != 0) {
        w->skips--;
        return;
    }
    w->blocked = v->blocked;
    w->parked = v->parked;
    if (v->keep || v->group == 0)
        return;
    w->barred = v->barred;
    w->across &= ~v->group;
    if (w->place_cnt != 0 && v->group == w->live && !v->barred)
        cw_its__forget_places(d, warp);
    if ((v->group & w->last) == 0)
        w->branches = 0;
    d->control.front[warp] = (struct cw_front){.pc = v->pc, .stop = cw_its__stop(d, warp, v->pc), .active = v->group};
    if ((v->group & w->pass) != 0 && (w->named[cw_lanes_first(v->group & w->pass)] & w->live & ~v->group) == 0)
        w->pass &= ~v->group; /* All are together: nobody asks who has come. */
    if (d->whole != NULL && v->group == w->live && w->guests == 0)
        d->whole(&d->control, warp);
    d->config.host.go(d->config.host.context, warp);
}

/* One cycle of a scheduler's unit. Returns whether the next one has work. */
static bool clock(struct its *d, uint32_t s)
{
    struct its_scheduler *at = &d->scheduler[s];
    struct cw_adapt_convergence_barriers_view v;
    cw_adapt_convergence_barriers_clock(at->unit, at->op_ring.cnt != 0 ? &at->op[at->op_ring.head] : NULL, &v);
    if (v.taken)
        cw_ring_take(&at->op_ring, d->op_cap);
    if (v.answer)
        follow(d, v.warp * d->scheduler_cnt + s, &v);
    return v.busy || at->op_ring.cnt != 0;
}

uint64_t cw_its_tick(struct cw_control *p, uint64_t cycle)
{
    struct its *d = (struct its *)p;
    const uint32_t stage = d->config.config->core_stage_cycles;
    bool more = false;
    if (cycle % stage != 0)
        return (cycle / stage + 1) * stage;
    for (uint32_t s = 0; s < d->scheduler_cnt; s++)
        more |= clock(d, s);
    return more ? cycle + stage : UINT64_MAX;
}
