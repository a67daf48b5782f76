/* SPDX-License-Identifier: Apache-2.0 */
/* Immediate post-dominators: a SIMT stack per warp (Fung 2015, 2.2.1), with entries for transactions (4.2.1) and with likely-convergence
 * points (3.4) where the core gives some. */
#include "control/ipdom.h"

#include <stdlib.h>

struct ipdom {
    struct cw_control control;
    struct cw_simt *warp; /* [slot] */
    struct cw_simt_entry *entries;
    struct cw_stats *stats;
    uint32_t warps; /* slots */
};

static struct cw_simt *stack_of(struct cw_control *p, uint32_t warp)
{
    return ((struct ipdom *)p)->warp + warp;
}

static const struct cw_simt *const_stack_of(const struct cw_control *p, uint32_t warp)
{
    return ((const struct ipdom *)p)->warp + warp;
}

/* The stack, with the PC up to which the front has gone on by itself. */
static struct cw_simt *current(struct cw_control *p, uint32_t warp)
{
    struct cw_simt *s = stack_of(p, warp);
    if (s->depth != 0)
        s->entry[s->depth - 1].pc = p->front[warp].pc;
    return s;
}

/* Of the PCs at which the entry ends, the one to which it comes first: without a branch the PC only grows, and after one the front is shown
 * again. */
static uint32_t stop_of(const struct cw_simt_entry *e)
{
    const bool likely_first = __builtin_expect(e->lpc != CW_PC_NONE, 0) && e->lpc > e->pc && (e->rpc < e->pc || e->lpc < e->rpc);
    return likely_first ? e->lpc : e->rpc;
}

/* The top entry has changed. */
static inline __attribute__((always_inline)) void show(struct cw_control *p, uint32_t warp)
{
    struct cw_simt *s = stack_of(p, warp);
    const struct cw_simt_entry *e = s->depth != 0 ? &s->entry[s->depth - 1] : NULL;
    p->front[warp] = (struct cw_front){.pc = cw_simt_pc(s), .stop = e != NULL ? stop_of(e) : CW_PC_NONE, .active = cw_simt_active(s)};
    if (__builtin_expect(s->joins != 0, 0)) {
        ((struct ipdom *)p)->stats->lcp_joins += s->joins;
        s->joins = 0;
    }
}

/* The stack may have more entries than before; all operations that push some end here. */
static void note_depth(struct cw_control *p, uint32_t warp)
{
    cw_stat_max(&((struct ipdom *)p)->stats->simt_stack_max, stack_of(p, warp)->depth);
}

static void show_grown(struct cw_control *p, uint32_t warp)
{
    note_depth(p, warp);
    show(p, warp);
}

static void start(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    cw_simt_reset(stack_of(p, warp), 0, lanes);
    show_grown(p, warp);
}

static void arrive(struct cw_control *p, uint32_t warp)
{
    cw_simt_settle(current(p, warp));
    show(p, warp);
}

static bool branch(struct cw_control *p, uint32_t warp, cw_lanes taken, const struct cw_branch *b)
{
    const bool diverged = cw_simt_branch_likely(current(p, warp), taken, b->target, b->next, b->rpc, b->lpc);
    if (diverged)
        note_depth(p, warp);
    show(p, warp);
    return diverged;
}

static bool branch_indexed(struct cw_control *p, uint32_t warp, const uint32_t *target, const struct cw_branch *b)
{
    const bool diverged = cw_simt_indexed_likely(current(p, warp), target, b->rpc, b->lpc);
    show_grown(p, warp);
    return diverged;
}

static void exit_lanes(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    cw_simt_exit(current(p, warp), lanes);
    show(p, warp);
}

/* As before PTX 6: a warp arrives as a whole when any of its lanes executes the barrier. */
static cw_lanes barrier(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes live)
{
    (void)p;
    (void)warp;
    (void)lanes;
    return live;
}

static void region_begin(struct cw_control *p, uint32_t warp, uint32_t pc)
{
    cw_simt_tx_begin(current(p, warp), pc);
    show_grown(p, warp);
}

static bool region_reach(struct cw_control *p, uint32_t warp, cw_lanes lanes, uint32_t next)
{
    const bool over = cw_simt_tx_reach(current(p, warp), lanes, next);
    show(p, warp);
    return over;
}

static bool region_abort(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    const bool over = cw_simt_tx_abort(current(p, warp), lanes);
    show(p, warp);
    return over;
}

static bool region_end(struct cw_control *p, uint32_t warp, const uint32_t *resume, uint32_t meet)
{
    const bool again = cw_simt_tx_end(current(p, warp), resume, meet);
    show_grown(p, warp);
    return again;
}

static cw_lanes region_lanes(const struct cw_control *p, uint32_t warp)
{
    const struct cw_simt *s = const_stack_of(p, warp);
    return s->entry[s->t].mask;
}

static cw_lanes region_aborted(const struct cw_control *p, uint32_t warp)
{
    return cw_simt_aborted(const_stack_of(p, warp));
}

static cw_lanes region_reached(const struct cw_control *p, uint32_t warp)
{
    return const_stack_of(p, warp)->reached;
}

static cw_lanes waiting(const struct cw_control *p, uint32_t warp)
{
    return cw_simt_waiting(const_stack_of(p, warp));
}

static uint32_t where(const struct cw_control *p, uint32_t warp, uint32_t lane)
{
    return cw_simt_where(const_stack_of(p, warp), p->front[warp].pc, lane);
}

static void report(const struct cw_control *p, uint32_t warp, uint32_t (*line)(const void *context, uint32_t pc), const void *context,
                   FILE *out)
{
    static const char types[] = "NRT";
    const struct cw_simt *s = const_stack_of(p, warp);
    if (s->depth < 2)
        return;
    fprintf(out, "; stack");
    for (uint32_t i = s->depth; i-- > 0;) {
        const struct cw_simt_entry *e = &s->entry[i];
        const uint32_t pc = i + 1 == s->depth ? p->front[warp].pc : e->pc;
        fprintf(out, " %c(line %u, %08llx)", types[cw_simt_type_at(s, i)], line(context, pc), (unsigned long long)e->mask);
    }
}

static void state(struct cw_control *p, struct cw_state *s)
{
    struct ipdom *d = (struct ipdom *)p;
    for (uint32_t w = 0; w < d->warps; w++)
        cw_simt_state(s, &d->warp[w]);
}

struct cw_simt *cw_ipdom_stack(struct cw_control *p, uint32_t warp)
{
    return current(p, warp);
}

static void destroy(struct cw_control *p)
{
    struct ipdom *d = (struct ipdom *)p;
    if (d == NULL)
        return;
    free(d->control.front);
    free(d->warp);
    free(d->entries);
    free(d);
}

static int create(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err)
{
    const size_t depth = CW_SIMT_DEPTH(config->width);
    struct ipdom *d = calloc(1, sizeof *d);
    *out = &d->control;
    if (d != NULL) {
        d->control.front = calloc(config->warps, sizeof *d->control.front);
        d->warp = calloc(config->warps, sizeof *d->warp);
        d->entries = malloc(config->warps * depth * sizeof *d->entries);
    }
    if (d == NULL || d->control.front == NULL || d->warp == NULL || d->entries == NULL) {
        destroy(*out);
        *out = NULL;
        return cw_fail(err, CW_ENOMEM, "no memory for SIMT stacks");
    }
    d->stats = config->stats;
    d->warps = config->warps;
    for (uint32_t w = 0; w < config->warps; w++)
        d->warp[w] = (struct cw_simt){.width = config->width, .entry = d->entries + w * depth};
    return CW_OK;
}

const struct cw_control_ops cw_control_ipdom = {
    .name = "ipdom",
    .what = "SIMT stack: the sides of a branch run one after the other and meet at the immediate post-dominator (Fung 2015, 2.2.1)",
    .create = create,
    .destroy = destroy,
    .state = state,
    .start = start,
    .arrive = arrive,
    .branch = branch,
    .branch_indexed = branch_indexed,
    .exit = exit_lanes,
    .barrier = barrier,
    .region_begin = region_begin,
    .region_reach = region_reach,
    .region_abort = region_abort,
    .region_end = region_end,
    .region_lanes = region_lanes,
    .region_aborted = region_aborted,
    .region_reached = region_reached,
    .waiting = waiting,
    .where = where,
    .report = report,
};
