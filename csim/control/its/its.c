/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Independent threads: each lane of a warp has its own PC, as from Volta on. Lanes at one PC run as a group, one group of a warp at a time.
 *
 * At a branch that parts a group a convergence barrier takes its lanes, at the branch's immediate post-dominator. A lane that comes there
 * waits for the others of the barrier. Exits leave all barriers. A barrier that has no register free is not made: its lanes run on apart.
 *
 * Every lane that can run, runs. A group that has taken its.yield_branches backward branches yields: the group that has waited longest runs,
 * and barriers open without lanes that have yielded, so that a lane that waits at the end of a loop can do what the others spin for.
 *
 * A barrier of the block, and an operation across lanes, park a group until the lanes that they wait for stand there too (await).
 */
#include "control/its/its.h"

#include <stdlib.h>

#define BARRIERS 16u /* Registers of a warp (Hanoi, arXiv 2407.02944). */

struct convergence_barrier {
    uint32_t pc;
    cw_lanes in; /* Lanes that it waits for, and those that wait there; 0: it is free. */
};

/* Each lane that has not exited is active, ready, blocked or parked. */
struct threads {
    cw_lanes live, ready;
    cw_lanes blocked;                      /* At a convergence barrier. */
    cw_lanes parked;                       /* At an instruction that waits for others. */
    cw_lanes yielded;                      /* Of the ready ones. */
    uint32_t pc[CW_WARP_LANES_MAX];        /* Of lanes that are not active. */
    uint64_t since[CW_WARP_LANES_MAX];     /* Of ready lanes: the smallest runs first. */
    cw_lanes waits_for[CW_WARP_LANES_MAX]; /* Of parked lanes. */
    uint32_t id[CW_WARP_LANES_MAX];        /* Of these: the block's barrier, or CW_AWAIT_HERE. */
    struct convergence_barrier barrier[BARRIERS];
    uint64_t turns;
    uint32_t branches; /* Backward ones of the active group since its turn began. */
};

struct its {
    struct cw_control control;
    const struct cw_its_keys *keys;
    struct threads *warp; /* [slot] */
    uint32_t warps;
};

static struct threads *threads_of(struct cw_control *p, uint32_t warp)
{
    return ((struct its *)p)->warp + warp;
}

static const struct threads *const_threads_of(const struct cw_control *p, uint32_t warp)
{
    return ((const struct its *)p)->warp + warp;
}

/* Those of the lanes that stand at this PC. */
static cw_lanes at_pc(const struct threads *t, cw_lanes lanes, uint32_t pc)
{
    cw_lanes there = 0;
    for (; lanes != 0; lanes = cw_lanes_rest(lanes))
        there |= t->pc[cw_lanes_first(lanes)] == pc ? cw_lanes_one(cw_lanes_first(lanes)) : 0;
    return there;
}

/* ---- barriers ---- */

/* Lanes of barriers at this PC. */
static cw_lanes held_at(const struct threads *t, uint32_t pc)
{
    cw_lanes lanes = 0;
    for (uint32_t b = 0; b < BARRIERS; b++)
        lanes |= t->barrier[b].pc == pc ? t->barrier[b].in : 0;
    return lanes;
}

/* These lanes part, and meet at the PC. One barrier there is enough for all that wait for them. */
static void join_barrier(struct threads *t, cw_lanes lanes, uint32_t pc)
{
    struct convergence_barrier *unused = NULL;
    if (pc == CW_PC_NONE)
        return;
    for (uint32_t b = 0; b < BARRIERS; b++) {
        struct convergence_barrier *at = &t->barrier[b];
        if (at->in == 0)
            unused = at;
        else if (at->pc == pc && (lanes & ~at->in) == 0)
            return;
    }
    if (unused != NULL)
        *unused = (struct convergence_barrier){.pc = pc, .in = lanes};
}

static void make_ready(struct threads *t, cw_lanes lanes)
{
    t->ready |= lanes;
    t->turns++;
    for (; lanes != 0; lanes = cw_lanes_rest(lanes))
        t->since[cw_lanes_first(lanes)] = t->turns;
}

/* Lanes that are nowhere come to the PC. */
static void come(struct threads *t, cw_lanes lanes, uint32_t pc)
{
    const cw_lanes held = held_at(t, pc) & lanes;
    for (cw_lanes left = lanes; left != 0; left = cw_lanes_rest(left))
        t->pc[cw_lanes_first(left)] = pc;
    t->blocked |= held;
    make_ready(t, lanes & ~held);
}

/* Opens the barrier when all that it waits for are there, but for those that it does without. */
static bool open_one(struct threads *t, struct convergence_barrier *b, cw_lanes without)
{
    const cw_lanes there = at_pc(t, b->in & t->blocked, b->pc);
    if (there == 0 || (b->in & ~there & ~without) != 0)
        return false;
    b->in &= ~there;
    const cw_lanes on = there & ~held_at(t, b->pc);
    t->blocked &= ~on;
    make_ready(t, on);
    return true;
}

/* Parked lanes that are where this one is: at its barrier of the block, or at its instruction. */
static cw_lanes with_lane(const struct threads *t, uint32_t lane)
{
    cw_lanes there = 0;
    if (t->id[lane] == CW_AWAIT_HERE)
        return at_pc(t, t->parked, t->pc[lane]);
    for (cw_lanes left = t->parked; left != 0; left = cw_lanes_rest(left))
        there |= t->id[cw_lanes_first(left)] == t->id[lane] ? cw_lanes_one(cw_lanes_first(left)) : 0;
    return there;
}

/* Parked lanes go on when those that they wait for stand with them. At a barrier of the block one group is enough: it arrives for all
 * (barrier). */
static void wake_parked(struct threads *t)
{
    for (cw_lanes left = t->parked; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        const cw_lanes there = with_lane(t, lane);
        cw_lanes wanted = (t->waits_for[lane] & t->live) | cw_lanes_one(lane);
        if (!cw_lanes_has(t->parked, lane) || (wanted & ~there) != 0)
            continue;
        if (t->id[lane] != CW_AWAIT_HERE)
            wanted = at_pc(t, there, t->pc[lane]);
        t->parked &= ~wanted;
        make_ready(t, wanted);
        if (t->id[lane] != CW_AWAIT_HERE)
            return;
    }
}

static void open_without(struct threads *t, cw_lanes without)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t b = 0; b < BARRIERS; b++)
            more |= open_one(t, &t->barrier[b], without);
    }
}

static void open_barriers(struct threads *t)
{
    open_without(t, t->yielded);
    wake_parked(t);
}

/* ---- groups ---- */

/* The first PC behind this one at which a lane of the group is to meet others. A branch comes to an earlier one. */
static uint32_t stop_of(const struct threads *t, cw_lanes lanes, uint32_t pc)
{
    uint32_t stop = CW_PC_NONE;
    for (uint32_t b = 0; b < BARRIERS; b++)
        if ((t->barrier[b].in & lanes) != 0 && t->barrier[b].pc > pc && (stop == CW_PC_NONE || t->barrier[b].pc < stop))
            stop = t->barrier[b].pc;
    return stop;
}

/* Ready lanes at the PC are the active group. */
static void run(struct cw_control *p, uint32_t warp, uint32_t pc)
{
    struct threads *t = threads_of(p, warp);
    const cw_lanes group = at_pc(t, t->ready, pc);
    t->ready &= ~group;
    t->yielded &= ~group;
    p->front[warp] = (struct cw_front){.pc = pc, .stop = stop_of(t, group, pc), .active = group};
}

/* The group that has waited longest runs. */
static void choose(struct cw_control *p, uint32_t warp)
{
    struct threads *t = threads_of(p, warp);
    t->branches = 0;
    if (t->ready == 0)
        open_without(t, t->parked); /* Parked lanes may wait for those that are to meet them. */
    if (t->ready == 0) {
        p->front[warp].active = 0;
        p->front[warp].stop = CW_PC_NONE;
        return;
    }
    uint32_t first = cw_lanes_first(t->ready);
    for (cw_lanes left = t->ready; left != 0; left = cw_lanes_rest(left))
        if (t->since[cw_lanes_first(left)] < t->since[first])
            first = cw_lanes_first(left);
    run(p, warp, t->pc[first]);
}

/* Of these lanes, which were active, those at the PC go on if they are ready; else others. */
static void go_on(struct cw_control *p, uint32_t warp, cw_lanes lanes, uint32_t pc)
{
    const struct threads *t = threads_of(p, warp);
    if (at_pc(t, t->ready & lanes, pc) != 0)
        run(p, warp, pc);
    else
        choose(p, warp);
}

/* Whether the group, which has taken a backward branch, has had its turn. */
static bool yields(const struct its *d, struct threads *t)
{
    return ++t->branches >= d->keys->yield_branches && (t->ready | t->blocked) != 0;
}

/* ---- what the core says ---- */

static void start(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    struct threads *t = threads_of(p, warp);
    *t = (struct threads){.live = lanes};
    come(t, lanes, 0);
    choose(p, warp);
}

static void arrive(struct cw_control *p, uint32_t warp)
{
    struct threads *t = threads_of(p, warp);
    const uint32_t pc = p->front[warp].pc;
    const cw_lanes lanes = p->front[warp].active;
    come(t, lanes, pc);
    open_barriers(t);
    go_on(p, warp, lanes, pc);
}

static bool branch(struct cw_control *p, uint32_t warp, cw_lanes taken, const struct cw_branch *b)
{
    struct threads *t = threads_of(p, warp);
    const cw_lanes active = p->front[warp].active, on = active & ~taken;
    const bool parts = taken != 0 && on != 0 && b->target != b->next, back = taken != 0 && b->target <= p->front[warp].pc;
    if (parts)
        join_barrier(t, active, b->rpc);
    come(t, taken, b->target);
    come(t, on, b->next);
    if (back && yields((struct its *)p, t)) {
        t->yielded |= active & t->ready;
        open_barriers(t);
        choose(p, warp);
        return parts;
    }
    open_barriers(t);
    if (back && at_pc(t, t->ready & taken, b->target) != 0)
        run(p, warp, b->target);
    else if (on != 0 && at_pc(t, t->ready & on, b->next) != 0)
        run(p, warp, b->next);
    else
        go_on(p, warp, taken, b->target);
    return parts;
}

static bool branch_indexed(struct cw_control *p, uint32_t warp, const uint32_t *target, const struct cw_branch *b)
{
    struct threads *t = threads_of(p, warp);
    const cw_lanes active = p->front[warp].active;
    const uint32_t first = target[cw_lanes_first(active)], pc = p->front[warp].pc;
    bool parts = false, back = false;
    for (cw_lanes left = active; left != 0; left = cw_lanes_rest(left)) {
        parts = parts || target[cw_lanes_first(left)] != first;
        back = back || target[cw_lanes_first(left)] <= pc;
    }
    if (parts)
        join_barrier(t, active, b->rpc);
    for (cw_lanes left = active; left != 0; left = cw_lanes_rest(left))
        come(t, cw_lanes_one(cw_lanes_first(left)), target[cw_lanes_first(left)]);
    const bool yielding = back && yields((struct its *)p, t);
    if (yielding)
        t->yielded |= active & t->ready;
    open_barriers(t);
    if (yielding)
        choose(p, warp);
    else
        go_on(p, warp, active, first);
    return parts;
}

static void exit_lanes(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    struct threads *t = threads_of(p, warp);
    t->live &= ~lanes;
    p->front[warp].active &= ~lanes;
    for (uint32_t b = 0; b < BARRIERS; b++)
        t->barrier[b].in &= ~lanes;
    open_barriers(t);
    if (p->front[warp].active == 0)
        choose(p, warp);
}

/* All lanes have come (await). Those that have come to another instruction go on behind theirs when the warp does. */
static cw_lanes barrier(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes live)
{
    struct threads *t = threads_of(p, warp);
    const cw_lanes others = t->parked;
    (void)lanes;
    t->parked = 0;
    for (cw_lanes left = others; left != 0; left = cw_lanes_rest(left))
        come(t, cw_lanes_one(cw_lanes_first(left)), t->pc[cw_lanes_first(left)] + 1);
    return live;
}

static bool await(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes named, uint32_t id)
{
    struct threads *t = threads_of(p, warp);
    const uint32_t pc = p->front[warp].pc;
    const cw_lanes others = p->front[warp].active & ~lanes;
    cw_lanes come_already = lanes;
    for (cw_lanes left = id != CW_AWAIT_HERE ? t->parked : 0; left != 0; left = cw_lanes_rest(left))
        come_already |= t->id[cw_lanes_first(left)] == id ? cw_lanes_one(cw_lanes_first(left)) : 0;
    if ((named & t->live & ~come_already) == 0)
        return false;
    for (cw_lanes left = lanes; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        t->pc[lane] = pc;
        t->waits_for[lane] = named;
        t->id[lane] = id;
    }
    t->parked |= lanes;
    come(t, others, pc + 1);
    open_barriers(t);
    choose(p, warp);
    return true;
}

static cw_lanes waiting(const struct cw_control *p, uint32_t warp)
{
    return const_threads_of(p, warp)->live & ~p->front[warp].active;
}

static uint32_t where(const struct cw_control *p, uint32_t warp, uint32_t lane)
{
    const struct threads *t = const_threads_of(p, warp);
    return cw_lanes_has(t->live, lane) ? t->pc[lane] : CW_PC_NONE;
}

static void report(const struct cw_control *p, uint32_t warp, uint32_t (*line)(const void *context, uint32_t pc), const void *context,
                   FILE *out)
{
    const struct threads *t = const_threads_of(p, warp);
    for (cw_lanes left = t->blocked | t->parked; left != 0;) {
        const uint32_t lane = cw_lanes_first(left);
        const bool is_parked = cw_lanes_has(t->parked, lane);
        const cw_lanes group = at_pc(t, is_parked ? t->parked : t->blocked, t->pc[lane]);
        fprintf(out, "; lanes %08llx %s at line %u", (unsigned long long)group, is_parked ? "wait for others" : "are to meet others",
                line(context, t->pc[lane]));
        left &= ~group;
    }
}

/* ---- creation, state ---- */

static void warp_state(struct cw_state *s, struct threads *t)
{
    CW_STATE(s, t->live);
    CW_STATE(s, t->ready);
    CW_STATE(s, t->blocked);
    CW_STATE(s, t->parked);
    CW_STATE(s, t->yielded);
    CW_STATE(s, t->pc);
    CW_STATE(s, t->since);
    CW_STATE(s, t->waits_for);
    CW_STATE(s, t->id);
    for (uint32_t b = 0; b < BARRIERS; b++) {
        CW_STATE(s, t->barrier[b].pc);
        CW_STATE(s, t->barrier[b].in);
    }
    CW_STATE(s, t->turns);
    CW_STATE(s, t->branches);
}

static void state(struct cw_control *p, struct cw_state *s)
{
    struct its *d = (struct its *)p;
    for (uint32_t w = 0; w < d->warps; w++)
        warp_state(s, &d->warp[w]);
}

static void destroy(struct cw_control *p)
{
    struct its *d = (struct its *)p;
    if (d == NULL)
        return;
    free(d->control.front);
    free(d->warp);
    free(d);
}

static int create(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err)
{
    struct its *d = calloc(1, sizeof *d);
    *out = d != NULL ? &d->control : NULL;
    if (d == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a core's threads");
    d->keys = cw_config_own(config->config, &cw_its_keys);
    d->warps = config->warps;
    d->warp = calloc(config->warps, sizeof *d->warp);
    d->control.front = calloc(config->warps, sizeof *d->control.front);
    if (d->warp != NULL && d->control.front != NULL)
        return CW_OK;
    destroy(*out);
    *out = NULL;
    return cw_fail(err, CW_ENOMEM, "no memory for a core's threads");
}

static const struct cw_key_set *const key_sets[] = {&cw_its_keys, NULL};

const struct cw_control_ops cw_control_its = {
    .name = "its",
    .what = "independent threads: a PC per lane, convergence barriers, every lane that can run runs (Volta; Hanoi, arXiv 2407.02944)",
    .keys = key_sets,
    .create = create,
    .destroy = destroy,
    .state = state,
    .start = start,
    .arrive = arrive,
    .branch = branch,
    .branch_indexed = branch_indexed,
    .exit = exit_lanes,
    .barrier = barrier,
    .await = await,
    .waiting = waiting,
    .where = where,
    .report = report,
};
