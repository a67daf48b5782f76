/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of independent threads for the unit: who comes where, and who waits. */
#include <assert.h>
#include <string.h>

#include "control/its/its_state.h"

/* There is room: each lane of a warp can exit and go on from a barrier once before its group has to wait. */
struct cw_adapt_convergence_barriers_op *cw_its__tell(struct its *d, uint32_t warp, enum cw_convergence_op kind, cw_lanes lanes)
{
    struct its_scheduler *s = &d->scheduler[warp % d->scheduler_cnt];
    assert(s->op_ring.cnt < d->op_cap);
    struct cw_adapt_convergence_barriers_op *op = &s->op[cw_ring_add(&s->op_ring, d->op_cap)];
    *op = (struct cw_adapt_convergence_barriers_op){
        .kind = kind, .warp = warp / d->scheduler_cnt, .lanes = lanes, .meet = CW_ADAPT_CONVERGENCE_BARRIERS_NONE};
    d->warp[warp].pending++;
    d->config.host.wake(d->config.host.context);
    return op;
}

void cw_its__resume(struct its *d, uint32_t warp, cw_lanes lanes)
{
    struct its_warp *w = &d->warp[warp];
    w->stopped &= ~lanes;
    w->parked &= ~lanes;
    while (lanes != 0) {
        const uint32_t pc = w->at[cw_lanes_first(lanes)];
        const cw_lanes group = cw_its__at(w->at, lanes, pc);
        cw_its__tell(d, warp, CW_CONVERGENCE_RESUME, group)->target = pc;
        lanes &= ~group;
    }
}

struct cw_adapt_convergence_barriers_op *cw_its__ask(struct its *d, uint32_t warp, enum cw_convergence_op kind, cw_lanes lanes)
{
    struct cw_front *f = &d->control.front[warp];
    cw_its__resume(d, warp, d->warp[warp].stopped);
    d->warp[warp].last = f->active;
    f->active = 0;
    f->stop = CW_PC_NONE;
    return cw_its__tell(d, warp, kind, lanes);
}

void cw_its__forget_places(struct its *d, uint32_t warp)
{
    d->warp[warp].place_cnt = 0;
    memset(cw_its__place(d, warp, 0), 0, (d->uop_cnt / 64 + 1) * sizeof *d->place);
}

uint32_t cw_its__next_place(const struct its *d, uint32_t warp, uint32_t pc, uint32_t end)
{
    const uint32_t last = end < d->uop_cnt ? end : d->uop_cnt;
    for (; pc < last; pc = (pc / 64 + 1) * 64) {
        const uint64_t bits = *cw_its__place(d, warp, pc) & ~UINT64_C(0) << (pc % 64);
        const uint32_t at = bits != 0 ? pc / 64 * 64 + (uint32_t)__builtin_ctzll(bits) : last;
        if (at < last)
            return at;
    }
    return end;
}

void cw_its__note_place(struct its_warp *w, cw_lanes lanes, uint32_t pc)
{
    for (; lanes != 0; lanes = cw_lanes_rest(lanes))
        w->at[cw_lanes_first(lanes)] = pc;
}

cw_lanes cw_its__at(const uint32_t *pcs, cw_lanes lanes, uint32_t pc)
{
    cw_lanes there = 0;
    for (; lanes != 0; lanes = cw_lanes_rest(lanes))
        there |= pcs[cw_lanes_first(lanes)] == pc ? cw_lanes_one(cw_lanes_first(lanes)) : 0;
    return there;
}

void cw_its__part(struct its *d, uint32_t warp, cw_lanes lanes, bool first, bool yields, const struct cw_branch *b)
{
    struct its_warp *w = &d->warp[warp];
    cw_its__note_place(w, d->control.front[warp].active, b->next);
    cw_its__note_place(w, lanes, b->target);
    if (yields)
        w->branches = 0;
    struct cw_adapt_convergence_barriers_op *op = cw_its__ask(d, warp, CW_CONVERGENCE_BRANCH, lanes);
    op->target = b->target;
    op->next = b->next;
    op->meet = b->rpc;
    op->first = first;
    op->yields = yields;
}

void cw_its__go(struct its *d, uint32_t warp, uint32_t pc, bool yielding)
{
    struct cw_front *f = &d->control.front[warp];
    const struct its_warp *w = &d->warp[warp];
    const struct cw_branch there = {.target = pc, .next = pc, .rpc = CW_PC_NONE};
    if (yielding || (w->barred && (d->meet[pc] == pc || cw_its__is_place(d, warp, pc)))) {
        cw_its__part(d, warp, f->active, true, yielding, &there);
        return;
    }
    f->pc = pc;
    f->stop = cw_its__stop(d, warp, pc);
}

/* Lanes with more than two targets are held but for the first ones, and go on at once: the unit takes one PC for an operation, and no barrier
 * opens in between, as some lane can run. */
void cw_its__scatter(struct its *d, uint32_t warp, const uint32_t *target, uint32_t meet)
{
    const cw_lanes active = d->control.front[warp].active;
    const uint32_t first = target[cw_lanes_first(active)];
    cw_lanes left = active & ~cw_its__at(target, active, first);
    if (left == 0) {
        cw_its__go(d, warp, first, false);
        return;
    }
    const uint32_t second = target[cw_lanes_first(left)];
    if (cw_its__at(target, left, second) == left) {
        const struct cw_branch sides = {.target = first, .next = second, .rpc = meet};
        cw_its__part(d, warp, active & ~left, true, false, &sides);
        return;
    }
    struct its_warp *w = &d->warp[warp];
    cw_its__note_place(w, active & ~left, first);
    cw_its__ask(d, warp, CW_CONVERGENCE_BLOCK, left)->next = first;
    while (left != 0) {
        const uint32_t pc = target[cw_lanes_first(left)];
        const cw_lanes lanes = cw_its__at(target, left, pc);
        cw_its__note_place(w, lanes, pc);
        cw_its__tell(d, warp, CW_CONVERGENCE_RESUME, lanes)->target = pc;
        left &= ~lanes;
    }
}
