/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Independent threads: each lane of a warp has its own PC, as from Volta on. Lanes at one PC run as a group, one group of a warp at a time.
 * Who waits for whom, and who runs next, is the unit convergence_barriers' (include/cowarp/unit/convergence_barriers.h), one per scheduler.
 *
 * At a branch that parts a group a convergence barrier takes its lanes, at the branch's immediate post-dominator. A lane that comes there
 * waits for the others of the barrier. A warp asks its unit when it parts, comes to where sides of a branch meet, waits, yields or exits, and
 * runs on when the unit has answered. All else goes past the unit.
 *
 * Every lane that can run, runs. A group that has taken its.yield_branches backward branches yields: others have their turn, and barriers open
 * without lanes that have yielded, so that a lane that waits at the end of a loop can do what the others spin for.
 *
 * An operation across lanes parks a group at a strict barrier. Lanes that come to another instruction of the same operation, on the other side of
 * a branch, are its guests there: all execute the operation together, and part again. So does a WARPSYNC that calls a common shuffle. A barrier of
 * the block holds it until all lanes of the warp have come (await).
 *
 * A group that begins a region keeps the warp until the region is over (region.c).
 */
#include <assert.h>
#include <stdlib.h>

#include "control/its/its_state.h"

static struct its *of(struct cw_control *p)
{
    return (struct its *)p;
}

/* ---- branches ---- */

void cw_its_arrive(struct cw_control *p, uint32_t warp)
{
    if (cw_its__in_region(of(p), warp)) {
        cw_its__region_arrive(of(p), warp);
        return;
    }
    const struct cw_front *f = &p->front[warp];
    const struct cw_branch here = {.target = f->pc, .next = f->pc, .rpc = CW_PC_NONE};
    cw_its__part(of(p), warp, f->active, true, false, &here);
}

/* Whether the group, which takes a backward branch, has had its turn. */
static bool yields(const struct its *d, uint32_t warp)
{
    struct its_warp *w = &d->warp[warp];
    return ++w->branches >= d->keys->yield_branches && w->live != d->control.front[warp].active;
}

bool cw_its_branch(struct cw_control *p, uint32_t warp, cw_lanes taken, const struct cw_branch *b)
{
    struct its *d = of(p);
    const cw_lanes active = p->front[warp].active;
    const bool parts = taken != 0 && taken != active && b->target != b->next;
    if (cw_its__in_region(d, warp))
        return cw_its__region_branch(d, warp, taken, b);
    const bool back = taken != 0 && b->target <= p->front[warp].pc, yielding = back && yields(d, warp);
    d->warp[warp].again &= ~active;
    if (parts)
        cw_its__part(d, warp, taken, back, yielding, b);
    else
        cw_its__go(d, warp, taken != 0 ? b->target : b->next, yielding);
    return parts;
}

/* The lanes with the lowest lane's target go there; the others come back to the branch. */
bool cw_its_branch_indexed(struct cw_control *p, uint32_t warp, const uint32_t target[CW_WARP_LANES_MAX], const struct cw_branch *b)
{
    struct its *d = of(p);
    struct its_warp *w = &d->warp[warp];
    const cw_lanes active = p->front[warp].active;
    const uint32_t first = target[cw_lanes_first(active)], pc = p->front[warp].pc;
    if (cw_its__in_region(d, warp))
        return cw_its__region_indexed(d, warp, target, b);
    const bool yielding = first <= pc && yields(d, warp);
    const cw_lanes taken = cw_its__at(target, active, first);
    const struct cw_branch sides = {.target = first, .next = pc, .rpc = b->rpc};
    w->again = (w->again & ~active) | (active & ~taken);
    if (taken == active)
        cw_its__go(d, warp, first, yielding);
    else
        cw_its__part(d, warp, taken, true, yielding, &sides);
    return taken != active;
}

cw_lanes cw_its_repeats(const struct cw_control *p, uint32_t warp)
{
    return ((const struct its *)p)->warp[warp].again;
}

/* ---- barriers of the block, operations across lanes ---- */

/* These lanes, which are held at one PC, come to another one. */
static void resume(struct its *d, uint32_t warp, cw_lanes lanes, uint32_t target)
{
    struct its_warp *w = &d->warp[warp];
    w->held &= ~lanes;
    cw_its__note_place(w, lanes, target);
    cw_its__tell(d, warp, CW_CONVERGENCE_RESUME, lanes)->target = target;
}

/* Held lanes at the barrier with this number; at a barrier of the warp, those that name the same lanes. */
static cw_lanes held_at(const struct its_warp *w, uint32_t id, cw_lanes named)
{
    cw_lanes there = 0;
    for (cw_lanes left = w->held; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        const bool is = w->id[lane] == id && (id != CW_AWAIT_WARP || w->named[lane] == named);
        there |= is ? cw_lanes_one(lane) : 0;
    }
    return there;
}

/* All lanes that are left have come to a barrier of the block: one group is enough, it arrives for all (barrier). */
static void wake_held(struct its *d, uint32_t warp)
{
    const struct its_warp *w = &d->warp[warp];
    const uint32_t id = w->held != 0 ? w->id[cw_lanes_first(w->held)] : CW_AWAIT_WARP;
    if (id == CW_AWAIT_WARP || w->held != w->live || held_at(w, id, 0) != w->held)
        return;
    const uint32_t pc = w->at[cw_lanes_first(w->held)];
    resume(d, warp, cw_its__at(w->at, w->held, pc), pc);
}

/* All have come to their barrier of the warp, wherever each of them stands. They execute it once more, and pass (await). */
static void let_pass(struct its *d, uint32_t warp, cw_lanes lanes)
{
    struct its_warp *w = &d->warp[warp];
    w->pass |= lanes;
    while (lanes != 0) {
        const uint32_t pc = w->at[cw_lanes_first(lanes)];
        const cw_lanes group = cw_its__at(w->at, lanes, pc);
        resume(d, warp, group, pc);
        lanes &= ~group;
    }
}

/* Lanes have exited for which others may have waited at barriers of the warp. */
static void wake_synced(struct its *d, uint32_t warp)
{
    struct its_warp *w = &d->warp[warp];
    for (cw_lanes left = w->held; left != 0;) {
        const uint32_t lane = cw_lanes_first(left);
        const cw_lanes group = held_at(w, w->id[lane], w->named[lane]);
        if (w->id[lane] == CW_AWAIT_WARP && (w->named[lane] & w->live & ~group) == 0)
            let_pass(d, warp, group);
        left &= ~group;
    }
}

/* All lanes have come (await), and the front is behind the barrier. Those that have come to this instruction go on together with the active ones;
 * those that have come to another one go on behind theirs when the warp does. */
cw_lanes cw_its_barrier(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes live)
{
    struct its *d = of(p);
    struct its_warp *w = &d->warp[warp];
    bool together = false;
    (void)lanes;
    while (w->held != 0) {
        const uint32_t pc = w->at[cw_lanes_first(w->held)];
        together |= pc + 1 == p->front[warp].pc;
        resume(d, warp, cw_its__at(w->at, w->held, pc), pc + 1);
    }
    if (together && p->front[warp].active != 0)
        cw_its_arrive(p, warp);
    return live;
}

/* Active lanes at a barrier of the warp to which all that they name have come now. true: those held at this instruction pass together with them. */
static bool passes(struct its *d, uint32_t warp, cw_lanes lanes, cw_lanes held)
{
    struct its_warp *w = &d->warp[warp];
    const bool together = cw_its__at(w->at, held, d->control.front[warp].pc) != 0;
    let_pass(d, warp, held);
    if (together) {
        w->pass |= lanes;
        cw_its_arrive(&d->control, warp);
    }
    return together;
}

/* Lanes of the slot that wait at the operation and name the same lanes. */
static cw_lanes across_at(const struct its_warp *w, cw_lanes named, uint32_t id)
{
    cw_lanes there = 0;
    for (cw_lanes left = w->across; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        there |= w->id[lane] == id && w->named[lane] == named ? cw_lanes_one(lane) : 0;
    }
    return there;
}

/* The lanes, at the front's PC, are to wait at an operation across lanes. Returns where: as guests of those that wait there already. */
static uint32_t join(struct its *d, uint32_t warp, cw_lanes lanes, cw_lanes named, uint32_t id)
{
    struct its_warp *w = &d->warp[warp];
    const uint32_t pc = d->control.front[warp].pc;
    const cw_lanes hosts = across_at(w, named, id);
    const uint32_t target = hosts != 0 ? w->at[cw_lanes_first(hosts)] : pc;
    for (cw_lanes left = lanes; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        w->own[lane] = cw_lanes_has(w->guests, lane) ? w->own[lane] : pc;
        if (w->own[lane] == target)
            w->guests &= ~cw_lanes_one(lane);
        else
            w->guests |= cw_lanes_one(lane);
    }
    w->across |= lanes;
    return target;
}

/* The lanes stay at a barrier that has a number or at this instruction, or where others wait for the same operation. */
static void stay(struct its *d, uint32_t warp, cw_lanes lanes, cw_lanes named, uint32_t id)
{
    struct its_warp *w = &d->warp[warp];
    const uint32_t pc = d->control.front[warp].pc;
    const bool here = id == CW_AWAIT_HERE, operation = !here && id >= CW_AWAIT_OPERATIONS && id != CW_AWAIT_WARP;
    const uint32_t target = operation ? join(d, warp, lanes, named, id) : pc;
    cw_its__note_place(w, d->control.front[warp].active, pc + 1);
    cw_its__note_place(w, lanes, target);
    for (cw_lanes left = here ? 0 : lanes; left != 0; left = cw_lanes_rest(left)) {
        w->id[cw_lanes_first(left)] = id;
        w->named[cw_lanes_first(left)] = named;
    }
    w->held |= here || operation ? 0 : lanes;
    const enum cw_convergence_op kind = here || operation ? CW_CONVERGENCE_WARPSYNC : CW_CONVERGENCE_BLOCK;
    struct cw_adapt_convergence_barriers_op *op = cw_its__ask(d, warp, kind, lanes);
    op->named = named;
    op->target = target;
    op->next = pc + 1;
}

bool cw_its_await(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes named, uint32_t id)
{
    struct its *d = of(p);
    struct its_warp *w = &d->warp[warp];
    const cw_lanes passing = id == CW_AWAIT_WARP ? lanes & w->pass : 0, waiting = lanes & ~passing;
    w->pass &= ~passing;
    if (waiting == 0)
        return false;
    const cw_lanes held = held_at(w, id, named);
    if ((named & w->live & ~waiting & ~held) == 0)
        return id == CW_AWAIT_WARP && passes(d, warp, waiting, held);
    stay(d, warp, waiting, named, id);
    return true;
}

cw_lanes cw_its_guests(const struct cw_control *p, uint32_t warp)
{
    return ((const struct its *)p)->warp[warp].guests & p->front[warp].active;
}

void cw_its_part(struct cw_control *p, uint32_t warp)
{
    struct its *d = of(p);
    struct its_warp *w = &d->warp[warp];
    const cw_lanes active = p->front[warp].active;
    uint32_t target[CW_WARP_LANES_MAX];
    for (cw_lanes left = active; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        target[lane] = (cw_lanes_has(w->guests, lane) ? w->own[lane] : p->front[warp].pc) + 1;
    }
    w->guests &= ~active;
    cw_its__scatter(d, warp, target, CW_PC_NONE);
}

/* ---- groups that a policy stops ---- */

void *cw_its_own(const struct cw_control *p)
{
    return ((const struct its *)p)->own;
}

const struct cw_control_host *cw_its_host(const struct cw_control *p)
{
    return &((const struct its *)p)->config.host;
}

cw_lanes cw_its_others(const struct cw_control *p, uint32_t warp)
{
    const struct its *d = (const struct its *)p;
    const struct its_warp *w = &d->warp[warp];
    return cw_its__in_region(d, warp) ? 0 : w->live & ~p->front[warp].active & ~w->blocked & ~w->parked & ~w->stopped;
}

void cw_its_stop(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    struct its *d = of(p);
    struct its_warp *w = &d->warp[warp];
    struct cw_front *f = &p->front[warp];
    const uint32_t pc = f->pc;
    cw_its__note_place(w, f->active, pc);
    w->last = f->active;
    f->active = 0;
    f->stop = CW_PC_NONE;
    struct cw_adapt_convergence_barriers_op *op = cw_its__tell(d, warp, CW_CONVERGENCE_BLOCK, lanes);
    op->target = op->next = pc;
    w->stopped |= lanes;
}

void cw_its_resume(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    cw_its__resume(of(p), warp, lanes);
}

cw_lanes cw_its_stopped(const struct cw_control *p, uint32_t warp, cw_lanes among, uint32_t *pc)
{
    const struct its_warp *w = &((const struct its *)p)->warp[warp];
    const cw_lanes lanes = w->stopped & among;
    *pc = lanes != 0 ? w->at[cw_lanes_first(lanes)] : CW_PC_NONE;
    return cw_its__at(w->at, lanes, *pc);
}

bool cw_its_keeps(const struct cw_control *p, uint32_t warp)
{
    return cw_its__in_region((const struct its *)p, warp);
}

void cw_its_meet(struct cw_control *p, uint32_t warp, cw_lanes lanes, uint32_t meet)
{
    struct its *d = of(p);
    if (!cw_its__is_place(d, warp, meet)) {
        d->warp[warp].place_cnt++;
        *cw_its__place(d, warp, meet) |= UINT64_C(1) << (meet % 64);
    }
    const uint32_t pc = p->front[warp].pc;
    const struct cw_branch here = {.target = pc, .next = pc, .rpc = meet};
    cw_its__part(of(p), warp, lanes, true, false, &here);
}

/* ---- warps that come from a stack ---- */

#define NOWHERE CW_ADAPT_CONVERGENCE_BARRIERS_PC_MAX /* A PC of no instruction: of lanes that are to be put to their places. */

bool cw_its_can_run(const struct cw_kernel *kernel)
{
    return kernel->uop_cnt < NOWHERE;
}

/* From the base of the stack upwards, who stays there parts from who is above. */
void cw_its_enter(struct cw_control *p, uint32_t warp, const struct cw_simt *stack)
{
    struct its *d = of(p);
    struct its_warp *w = &d->warp[warp];
    cw_lanes left = p->front[warp].active | cw_simt_waiting(stack);
    *w = (struct its_warp){.live = left, .pending = w->pending};
    cw_its__tell(d, warp, CW_CONVERGENCE_START, left);
    for (uint32_t i = 0; i + 1 < stack->depth; i++) {
        const struct cw_simt_entry *e = &stack->entry[i];
        cw_lanes above = 0;
        for (uint32_t j = i + 1; j < stack->depth; j++)
            above |= stack->entry[j].mask;
        const cw_lanes stay = e->mask & ~above;
        if (stay == 0)
            continue;
        left &= ~stay;
        cw_its__note_place(w, stay, e->pc);
        struct cw_adapt_convergence_barriers_op *op = cw_its__tell(d, warp, CW_CONVERGENCE_BRANCH, left);
        op->target = NOWHERE;
        op->next = e->pc;
        op->meet = (e->mask & above) != 0 ? e->pc : e->rpc;
        op->first = true;
    }
    assert(left == p->front[warp].active);
    w->skips = w->pending;
}

void cw_its_yield(struct cw_control *p, uint32_t warp)
{
    const struct cw_front *f = &p->front[warp];
    const struct cw_branch here = {.target = f->pc, .next = f->pc, .rpc = CW_PC_NONE};
    cw_its__part(of(p), warp, f->active, true, true, &here);
}

void cw_its_whole(struct cw_control *p, void (*whole)(struct cw_control *p, uint32_t warp))
{
    of(p)->whole = whole;
}

/* ---- what else the core says ---- */

void cw_its_start(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    struct its *d = of(p);
    if (d->warp[warp].place_cnt != 0)
        cw_its__forget_places(d, warp);
    d->warp[warp] = (struct its_warp){.live = lanes, .pending = d->warp[warp].pending};
    d->stack[warp].depth = 0;
    p->front[warp] = (struct cw_front){.pc = 0, .stop = CW_PC_NONE, .active = lanes};
    cw_its__tell(d, warp, CW_CONVERGENCE_START, lanes);
}

void cw_its_exit(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    struct its *d = of(p);
    struct its_warp *w = &d->warp[warp];
    w->live &= ~lanes;
    w->held &= ~lanes;
    w->across &= ~lanes;
    w->again &= ~lanes;
    if (p->front[warp].active == lanes)
        cw_its__ask(d, warp, CW_CONVERGENCE_EXIT, lanes);
    else
        cw_its__tell(d, warp, CW_CONVERGENCE_EXIT, lanes);
    p->front[warp].active &= ~lanes;
    w->pass &= ~lanes;
    wake_held(d, warp);
    wake_synced(d, warp);
}

int cw_its_prepare(struct cw_control *p, const struct cw_kernel *kernel, const char *file, bool static_warps, struct cw_error *err)
{
    struct its *d = of(p);
    (void)file;
    (void)static_warps;
    if (kernel->uop_cnt > CW_ADAPT_CONVERGENCE_BARRIERS_PC_MAX)
        return cw_fail(err, CW_EUNSUP,
                       "kernel %s has %u instructions, and PCs of the unit convergence_barriers end at %u; set core.divergence=pdom",
                       kernel->name, kernel->uop_cnt, CW_ADAPT_CONVERGENCE_BARRIERS_PC_MAX);
    free(d->meet);
    free(d->place);
    d->uop_cnt = kernel->uop_cnt;
    d->meet = malloc(((size_t)kernel->uop_cnt + 1) * sizeof *d->meet);
    d->place = calloc((size_t)d->config.warps * (kernel->uop_cnt / 64 + 1), sizeof *d->place);
    if (d->meet == NULL || d->place == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a kernel's meeting points");
    for (uint32_t i = 0; i <= kernel->uop_cnt; i++)
        d->meet[i] = CW_PC_NONE;
    for (uint32_t i = 0; i < kernel->uop_cnt; i++) {
        const struct cw_uop *u = &kernel->uop[i];
        if ((u->op == CW_OP_BRA || u->op == CW_OP_BRX) && u->rpc < kernel->uop_cnt)
            d->meet[u->rpc] = u->rpc;
    }
    for (uint32_t i = kernel->uop_cnt; i-- > 0;)
        d->meet[i] = d->meet[i] == i ? i : d->meet[i + 1];
    return CW_OK;
}

cw_lanes cw_its_waiting(const struct cw_control *p, uint32_t warp)
{
    return ((const struct its *)p)->warp[warp].live & ~p->front[warp].active;
}

uint32_t cw_its_where(const struct cw_control *p, uint32_t warp, uint32_t lane)
{
    const struct its *d = (const struct its *)p;
    const struct its_warp *w = &d->warp[warp];
    const uint32_t in_region = cw_simt_where(&d->stack[warp], p->front[warp].pc, lane);
    return in_region != CW_PC_NONE ? in_region : cw_lanes_has(w->live, lane) ? cw_its__stand(w, lane) : CW_PC_NONE;
}

void cw_its_report(const struct cw_control *p, uint32_t warp, uint32_t (*line)(const void *context, uint32_t pc), const void *context,
                   FILE *out)
{
    const struct its_warp *w = &((const struct its *)p)->warp[warp];
    if (w->stopped != 0)
        fprintf(out, "; lanes %08llx wait for loads", (unsigned long long)w->stopped);
    for (cw_lanes left = (w->blocked | w->parked) & ~w->stopped; left != 0;) {
        const uint32_t lane = cw_lanes_first(left);
        const bool is_parked = cw_lanes_has(w->parked, lane);
        const uint32_t pc = cw_its__stand(w, lane);
        cw_lanes group = 0;
        for (cw_lanes among = is_parked ? w->parked : w->blocked; among != 0; among = cw_lanes_rest(among))
            group |= cw_its__stand(w, cw_lanes_first(among)) == pc ? cw_lanes_one(cw_lanes_first(among)) : 0;
        fprintf(out, "; lanes %08llx %s at line %u", (unsigned long long)group, is_parked ? "wait for others" : "are to meet others",
                line(context, pc));
        left &= ~group;
    }
}

/* ---- creation ---- */

void cw_its_destroy(struct cw_control *p)
{
    struct its *d = of(p);
    if (d == NULL)
        return;
    for (uint32_t s = 0; d->scheduler != NULL && s < d->scheduler_cnt; s++) {
        cw_adapt_convergence_barriers_destroy(d->scheduler[s].unit);
        free(d->scheduler[s].op);
    }
    free(d->scheduler);
    free(d->control.front);
    free(d->warp);
    free(d->stack);
    free(d->entries);
    free(d->meet);
    free(d->place);
    free(d->own);
    free(d);
}

static int open_unit(struct its *d, uint32_t s, uint32_t warps, struct cw_error *err)
{
    const struct cw_control_config *c = &d->config;
    char name[64];
    snprintf(name, sizeof name, "core%u.convergence_barriers%u", c->core, s);
    d->scheduler[s].op = calloc(d->op_cap, sizeof *d->scheduler[s].op);
    if (d->scheduler[s].op == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a core's threads");
    return cw_adapt_convergence_barriers_create(&d->scheduler[s].unit, c->units, name, c->width, warps, err);
}

int cw_its_create_for(struct cw_control **out, const struct cw_control_config *config, size_t bytes, struct cw_error *err)
{
    struct its *d = calloc(1, sizeof *d);
    *out = d != NULL ? &d->control : NULL;
    if (d == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a core's threads");
    d->config = *config;
    d->keys = cw_config_own(config->config, &cw_its_keys);
    d->scheduler_cnt = config->config->core_schedulers;
    const size_t depth = CW_SIMT_DEPTH(config->width);
    const uint32_t warps = (config->warps + d->scheduler_cnt - 1) / d->scheduler_cnt;
    d->op_cap = warps * (4 * config->width + 4);
    d->warp = calloc(config->warps, sizeof *d->warp);
    d->stack = calloc(config->warps, sizeof *d->stack);
    d->entries = malloc(config->warps * depth * sizeof *d->entries);
    d->scheduler = calloc(d->scheduler_cnt, sizeof *d->scheduler);
    d->control.front = calloc(config->warps, sizeof *d->control.front);
    d->own = calloc(1, bytes + 1);
    const bool has_room =
        d->own != NULL && d->warp != NULL && d->stack != NULL && d->entries != NULL && d->scheduler != NULL && d->control.front != NULL;
    int status = has_room ? CW_OK : cw_fail(err, CW_ENOMEM, "no memory for a core's threads");
    for (uint32_t w = 0; status == CW_OK && w < config->warps; w++)
        d->stack[w] = (struct cw_simt){.width = config->width, .entry = d->entries + w * depth};
    for (uint32_t s = 0; status == CW_OK && s < d->scheduler_cnt; s++)
        status = open_unit(d, s, warps, err);
    if (status == CW_OK)
        return CW_OK;
    cw_its_destroy(*out);
    *out = NULL;
    return status;
}

int cw_its_create(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err)
{
    return cw_its_create_for(out, config, 0, err);
}

static const struct cw_key_set *const key_sets[] = {&cw_its_keys, NULL};
const struct cw_mech_unit cw_its_units[1] = {
    {.unit = &cw_convergence_barriers_unit,
     .what = "convergence barriers of a scheduler's warps, and which lanes run next (Volta; Hanoi, arXiv 2407.02944); one per scheduler",
     .domain = CW_DOMAIN_CORE,
     .needs = "core.divergence=its"},
};

const struct cw_control_ops cw_control_its = {
    .name = "its",
    .what = "independent threads: a PC per lane, convergence barriers, every lane that can run runs (Volta; Hanoi, arXiv 2407.02944)",
    .keys = key_sets,
    .create = cw_its_create,
    .destroy = cw_its_destroy,
    .state = cw_its_state,
    .prepare = cw_its_prepare,
    .tick = cw_its_tick,
    .start = cw_its_start,
    CW_ITS_POLICY,
};
