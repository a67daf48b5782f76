/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A control-flow policy that serialises divergence lane by lane: after a branch on which the lanes of a warp disagree, each lane that has
 * not reached the reconvergence point yet runs alone up to it, the lowest lane first. Then all lanes go on together. It is slower than a
 * SIMT stack, and shows what a SIMT stack is worth.
 *
 * A lane that runs alone cannot diverge, so there is one divergence at a time and no stack. A branch without a reconvergence point sends
 * every lane alone to its exit. As in ipdom a warp arrives at a barrier as a whole, so a barrier must be where the lanes run together. The
 * policy has no regions: no transactional system works with it.
 */
#include <stdlib.h>

#include "control/control.h"

struct serialised {
    cw_lanes live;                  /* lanes that have not exited */
    cw_lanes alone;                 /* of these, the lanes that have not reached the meeting point; the lowest runs; 0: all run together */
    uint32_t meet;                  /* PC of the meeting point; CW_PC_NONE: the lanes meet no more */
    uint32_t pc[CW_WARP_LANES_MAX]; /* where a lane that waits for its turn begins */
};

struct serialise {
    struct cw_control control;
    struct serialised *warp; /* [slot] */
};

static struct serialised *warp_of(struct cw_control *p, uint32_t warp)
{
    return ((struct serialise *)p)->warp + warp;
}

/* The lowest of the lanes that run alone begins. */
static void begin_lane(struct cw_control *p, uint32_t warp)
{
    const struct serialised *s = warp_of(p, warp);
    const uint32_t lane = cw_lanes_first(s->alone);
    p->front[warp] = (struct cw_front){.pc = s->pc[lane], .stop = s->meet, .active = cw_lanes_one(lane)};
}

static void go_together(struct cw_control *p, uint32_t warp, uint32_t pc)
{
    const struct serialised *s = warp_of(p, warp);
    p->front[warp] = (struct cw_front){.pc = s->live != 0 ? pc : CW_PC_NONE, .stop = CW_PC_NONE, .active = s->live};
}

static void next_lane(struct cw_control *p, uint32_t warp)
{
    const struct serialised *s = warp_of(p, warp);
    if (s->alone != 0)
        begin_lane(p, warp);
    else
        go_together(p, warp, s->meet);
}

static void start(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    *warp_of(p, warp) = (struct serialised){.live = lanes, .meet = CW_PC_NONE};
    go_together(p, warp, 0);
}

/* Only a lane that runs alone has a stop: it has reached the meeting point. */
static void arrive(struct cw_control *p, uint32_t warp)
{
    struct serialised *s = warp_of(p, warp);
    s->alone = cw_lanes_rest(s->alone);
    next_lane(p, warp);
}

/* Every active lane has its PC in s->pc. */
static bool go_to(struct cw_control *p, uint32_t warp, uint32_t rpc)
{
    struct serialised *s = warp_of(p, warp);
    const cw_lanes active = p->front[warp].active;
    const uint32_t first = s->pc[cw_lanes_first(active)];
    cw_lanes away = 0;
    bool diverged = false;
    for (cw_lanes rest = active; rest != 0; rest = cw_lanes_rest(rest)) {
        const uint32_t lane = cw_lanes_first(rest);
        diverged = diverged || s->pc[lane] != first;
        away |= s->pc[lane] != rpc ? cw_lanes_one(lane) : 0;
    }
    if (!diverged) {
        cw_control_advance(p, warp, first);
        return false;
    }
    s->alone = away;
    s->meet = rpc;
    begin_lane(p, warp);
    return true;
}

static bool branch(struct cw_control *p, uint32_t warp, cw_lanes taken, const struct cw_branch *b)
{
    struct serialised *s = warp_of(p, warp);
    for (cw_lanes rest = p->front[warp].active; rest != 0; rest = cw_lanes_rest(rest)) {
        const uint32_t lane = cw_lanes_first(rest);
        s->pc[lane] = cw_lanes_has(taken, lane) ? b->target : b->next;
    }
    return go_to(p, warp, b->rpc);
}

static bool branch_indexed(struct cw_control *p, uint32_t warp, const uint32_t *target, const struct cw_branch *b)
{
    struct serialised *s = warp_of(p, warp);
    for (cw_lanes rest = p->front[warp].active; rest != 0; rest = cw_lanes_rest(rest))
        s->pc[cw_lanes_first(rest)] = target[cw_lanes_first(rest)];
    return go_to(p, warp, b->rpc);
}

static void exit_lanes(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    struct serialised *s = warp_of(p, warp);
    const bool together = s->alone == 0;
    s->live &= ~lanes;
    s->alone &= ~lanes;
    if (together)
        go_together(p, warp, p->front[warp].pc);
    else if (p->front[warp].active == lanes)
        next_lane(p, warp);
}

static cw_lanes barrier(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes live)
{
    (void)p;
    (void)warp;
    (void)lanes;
    return live;
}

static cw_lanes waiting(const struct cw_control *p, uint32_t warp)
{
    return cw_lanes_without(((const struct serialise *)p)->warp[warp].live, p->front[warp].active);
}

static void report(const struct cw_control *p, uint32_t warp, uint32_t (*line)(const void *context, uint32_t pc), const void *context,
                   FILE *out)
{
    const struct serialised *s = ((const struct serialise *)p)->warp + warp;
    if (s->alone == 0)
        return;
    fprintf(out, "; lane %u runs alone, %u lanes have their turn after it", cw_lanes_first(s->alone), cw_lanes_count(s->alone) - 1);
    if (s->meet != CW_PC_NONE)
        fprintf(out, ", all meet at line %u", line(context, s->meet));
}

static void destroy(struct cw_control *p)
{
    struct serialise *d = (struct serialise *)p;
    if (d == NULL)
        return;
    free(d->control.front);
    free(d->warp);
    free(d);
}

static int create(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err)
{
    struct serialise *d = calloc(1, sizeof *d);
    *out = NULL;
    if (d != NULL) {
        d->control.front = calloc(config->warps, sizeof *d->control.front);
        d->warp = calloc(config->warps, sizeof *d->warp);
    }
    if (d == NULL || d->control.front == NULL || d->warp == NULL) {
        destroy(d != NULL ? &d->control : NULL);
        return cw_fail(err, CW_ENOMEM, "no memory for the warps' lanes");
    }
    *out = &d->control;
    return CW_OK;
}

const struct cw_control_ops cw_control_serialise = {
    .name = "serialise",
    .what = "after a divergent branch each lane runs alone up to the reconvergence point",
    .create = create,
    .destroy = destroy,
    .start = start,
    .arrive = arrive,
    .branch = branch,
    .branch_indexed = branch_indexed,
    .exit = exit_lanes,
    .barrier = barrier,
    .waiting = waiting,
    .report = report,
};
