/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Likely-convergence points (Fung 2015, 3.4) by the counts of an earlier run, as the edges of Figure 3.8 have probabilities. The thesis
 * says that a point may come from a profile, and not how. We decide:
 *
 * - Who starts at the branch, or with one of its outcomes, goes along likely ways. An edge is likely when at least LIKELY as many threads
 *   took it as have started. So that a way always goes on, the edge that most threads at the end of a block took is likely as well, and so
 *   is the one by which most threads left a loop that does not hold the branch. All edges are likely behind a branch that no thread came
 * to.
 * - A way ends at the exit, at the branch's reconvergence point, and where it comes to the branch's own block again, with that block.
 * - Two outcomes that were taken, however rarely, meet in the first block that all likely ways of either pass. This is then a meeting place
 *   for branches with that reconvergence point.
 * - The point of a branch is the first meeting place that all its likely ways pass. The outcomes that meet there need not be its own: C of
 *   Figure 3.8 has one likely way, to E, where those of A meet. A block that only one side of the branch comes to is no meeting place, and
 *   the branch's own block one round later is its point only when its own outcomes meet there.
 * - There is none for a branch that no thread came to, none when a likely way does not end (a loop that nobody left), and none when the
 *   first place is the reconvergence point.
 *
 * A wrong guess costs stack entries and no result: threads wait at a point for others that do not come.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/passes.h"

#define LIKELY    0.5                 /* who waits issues nothing, so a point pays as soon as more threads come to it than not */
#define MAX_STEPS (UINT32_C(1) << 25) /* of the walks of one kernel; later branches then have no point */

/* A meeting place of the branches that reconverge in block `meet`, which may be the exit: where outcomes of the branch `of` meet. */
struct place {
    uint32_t meet, block, of;
};

struct guess {
    struct cw_ir *ir;
    struct cw_code *k;
    const struct cw_cfg *cfg;
    const struct cw_loops *l;
    double *edge;       /* [edge of cfg]: threads */
    double *all, *most; /* [block]: of its edges the sum and the largest; all 0: no counts, or no threads */
    double *way;        /* [loop]: threads that left it by the edge that most took */
    CW_VEC(struct place) place;
    /* the blocks on likely ways from a branch, and the likely edges between them; number 0 is where they start */
    CW_VEC(uint32_t) block, succ;
    CW_VEC(uint32_t) found;  /* blocks that all these ways pass */
    uint32_t *number, *seen; /* [block]: its number there when seen is the number of the walk */
    uint32_t *passed;        /* [block]: the last branch of which an outcome passes it, by the count of branches */
    struct cw_cfg part;
    uint32_t walks, rounds, steps;
};

/* ---- the counts ---- */

static bool is_conditional(const struct cw_vop *v)
{
    return v->u.op == CW_OP_BRX || (v->u.op == CW_OP_BRA && v->guard != CW_IR_NONE);
}

static struct cw_branch_shape shape_of(const struct cw_code *k, uint32_t at)
{
    const struct cw_vop *v = &k->code.a[at];
    struct cw_branch_shape s = {.at = at, .guarded = v->guard != CW_IR_NONE, .target = &v->u.target, .target_cnt = 1};
    if (v->u.op == CW_OP_BRX) {
        s.target = k->table.a[v->u.target].target;
        s.target_cnt = k->table.a[v->u.target].cnt;
    }
    return s;
}

/* Whether the entry's next branch is this one. */
static bool same_branch(struct cw_ir *ir, const struct cw_kernel_counts *c, uint32_t next, const struct cw_branch_shape *s)
{
    const struct cw_branch_count *b = next < c->branch_cnt ? &c->branch[next] : NULL;
    uint32_t *to = cw_ir_alloc(ir, (size_t)s->target_cnt + 1, sizeof *to);
    if (to == NULL)
        return true;
    const uint32_t cnt = cw_branch_ways(s, to);
    bool same = b != NULL && b->at == s->at && b->falls == s->guarded && b->way_cnt == cnt;
    for (uint32_t i = 0; same && i < cnt; i++)
        same = c->way[b->way + i].to == to[i];
    free(to);
    return same;
}

/* The digest says that the entry is this kernel's; so a difference is damage. */
static void check_entry(struct cw_ir *ir, const struct cw_code *k, const struct cw_kernel_counts *c)
{
    uint32_t next = 0;
    bool same = true;
    for (uint32_t i = 0; same && i < k->code.n && ir->status == CW_OK; i++) {
        const struct cw_branch_shape s = shape_of(k, i);
        if (is_conditional(&k->code.a[i]))
            same = same_branch(ir, c, next++, &s);
    }
    if (ir->status != CW_OK || (same && next == c->branch_cnt))
        return;
    const uint32_t wrong = same ? next : next - 1;
    ir->status = cw_fail(ir->err, CW_EINVAL, "%s:%u: kernel '%s' has no such branch; record it again (--record-branches)",
                         ir->profile->file, wrong < c->branch_cnt ? c->branch[wrong].where : c->where, c->name);
}

/* The entry of the kernel. NULL: there is none, or none that fits. */
static const struct cw_kernel_counts *entry_of(struct cw_ir *ir, const struct cw_code *k, const char *name, size_t length)
{
    const struct cw_branch_counts *all = ir->profile;
    const struct cw_kernel_counts *c = cw_branch_counts_find(all, name, length, k->digest);
    if (c != NULL) {
        check_entry(ir, k, c);
        return ir->status == CW_OK ? c : NULL;
    }
    for (uint32_t i = 0; i < all->kernel_cnt; i++)
        if (strlen(all->kernel[i]->name) == length && memcmp(all->kernel[i]->name, name, length) == 0)
            ir->status = cw_fail(ir->err, CW_EINVAL, "%s:%u: kernel '%s' is not the one of %s; record that one (--record-branches)",
                                 all->file, all->kernel[i]->where, all->kernel[i]->name, ir->file);
    return NULL;
}

static void take_branch(struct guess *g, const struct cw_kernel_counts *c, const struct cw_branch_count *b)
{
    const uint32_t from = g->cfg->block_of[b->at];
    const struct cw_basic_block *k = &g->cfg->block[from];
    for (uint32_t i = 0; i < b->way_cnt; i++) {
        const struct cw_branch_way *w = &c->way[b->way + i];
        uint32_t e = k->succ;
        while (g->cfg->succ[e] != g->cfg->block_of[w->to])
            e++;
        g->edge[e] += (double)w->threads;
        g->all[from] += (double)w->threads;
    }
    for (uint32_t e = k->succ; e < k->succ + k->succ_cnt; e++)
        g->most[from] = g->edge[e] > g->most[from] ? g->edge[e] : g->most[from];
}

/* Innermost loop that the edge leaves, and by next_left those around it; CW_IR_NONE: no more. */
static uint32_t next_left(const struct guess *g, uint32_t loop, uint32_t to)
{
    return loop == CW_IR_NONE || (to < g->cfg->block_cnt && cw_loops_has(g->l, loop, to)) ? CW_IR_NONE : loop;
}

static void count_exits(struct guess *g, uint32_t from)
{
    const struct cw_basic_block *k = &g->cfg->block[from];
    for (uint32_t e = k->succ; e < k->succ + k->succ_cnt; e++) {
        uint32_t y = next_left(g, g->l->of[from], g->cfg->succ[e]);
        for (; y != CW_IR_NONE; y = next_left(g, g->l->loop.a[y].parent, g->cfg->succ[e]))
            g->way[y] = g->edge[e] > g->way[y] ? g->edge[e] : g->way[y];
    }
}

/* ---- likely ways ---- */

/* Who starts at the end of a branch's block: all threads, or those of one outcome. */
struct start {
    uint32_t branch;
    uint32_t outcome; /* edge, or CW_IR_NONE */
    double threads;
};

static bool is_likely(const struct guess *g, const struct start *s, uint32_t from, uint32_t e)
{
    if (g->all[from] <= 0)
        return true;
    if (g->edge[e] <= 0)
        return false;
    if (g->edge[e] >= LIKELY * s->threads || g->edge[e] >= g->most[from])
        return true;
    uint32_t y = next_left(g, g->l->of[from], g->cfg->succ[e]);
    for (; y != CW_IR_NONE; y = next_left(g, g->l->loop.a[y].parent, g->cfg->succ[e]))
        if (!cw_loops_has(g->l, y, s->branch) && g->edge[e] >= g->way[y])
            return true;
    return false;
}

/* Whether a likely way goes along this edge of the i-th block. */
static bool goes_along(const struct guess *g, const struct start *s, uint32_t i, uint32_t e)
{
    const uint32_t b = g->block.a[i];
    if (i == 0 && s->outcome != CW_IR_NONE)
        return e == s->outcome;
    return (i == 0 || b != s->branch) && is_likely(g, s, b, e);
}

static bool is_end(const struct guess *g, const struct start *s, uint32_t b)
{
    return b == g->cfg->block_cnt || b == g->cfg->block[s->branch].ipdom;
}

static void walk(struct guess *g, const struct start *s)
{
    g->walks++;
    g->block.n = 0;
    CW_PUSH(g->ir, &g->block, s->branch);
    for (uint32_t i = 0; i < g->block.n && g->ir->status == CW_OK; i++, g->steps++) {
        const struct cw_basic_block *k = &g->cfg->block[g->block.a[i]];
        for (uint32_t e = k->succ; e < k->succ + k->succ_cnt; e++) {
            const uint32_t to = g->cfg->succ[e];
            if (!goes_along(g, s, i, e) || is_end(g, s, to) || g->seen[to] == g->walks)
                continue;
            g->seen[to] = g->walks;
            g->number[to] = g->block.n;
            CW_PUSH(g->ir, &g->block, to);
        }
    }
}

/* The likely edges of the i-th block: one to the exit first, when a likely way ends there. */
static void connect(struct guess *g, const struct start *s, uint32_t i)
{
    const struct cw_basic_block *k = &g->cfg->block[g->block.a[i]];
    struct cw_basic_block *part = &g->part.block[i];
    bool ends = i > 0 && g->block.a[i] == s->branch;
    for (uint32_t e = k->succ; e < k->succ + k->succ_cnt; e++)
        ends = ends || (goes_along(g, s, i, e) && is_end(g, s, g->cfg->succ[e]));
    part->succ = g->succ.n;
    if (ends)
        CW_PUSH(g->ir, &g->succ, g->block.n);
    for (uint32_t e = k->succ; e < k->succ + k->succ_cnt; e++)
        if (goes_along(g, s, i, e) && !is_end(g, s, g->cfg->succ[e]))
            CW_PUSH(g->ir, &g->succ, g->number[g->cfg->succ[e]]);
    part->succ_cnt = g->succ.n - part->succ;
}

/* Fills found with the blocks that all likely ways pass, in their order. None when a way does not end. */
static void follow(struct guess *g, const struct start *s)
{
    walk(g, s);
    g->succ.n = g->found.n = 0;
    g->part = (struct cw_cfg){.block_cnt = g->block.n, .block = cw_ir_alloc(g->ir, g->block.n, sizeof *g->part.block)};
    for (uint32_t i = 0; i < g->block.n && g->ir->status == CW_OK; i++)
        connect(g, s, i);
    g->part.succ = g->succ.a;
    g->part.edge_cnt = g->succ.n;
    if (g->ir->status == CW_OK && cw_cfg_post_dominate(g->ir, &g->part) && g->ir->status == CW_OK)
        for (uint32_t i = g->part.block[0].ipdom; i < g->part.block_cnt; i = g->part.block[i].ipdom)
            CW_PUSH(g->ir, &g->found, g->block.a[i]);
    free(g->part.block);
    free(g->part.pred);
}

/* ---- points ---- */

/* Notes where outcomes of the branch meet. */
static void find_places(struct guess *g, uint32_t branch)
{
    const struct cw_basic_block *k = &g->cfg->block[branch];
    const uint32_t round = ++g->rounds;
    for (uint32_t e = k->succ; e < k->succ + k->succ_cnt && g->steps < MAX_STEPS; e++) {
        bool met = false;
        if (g->edge[e] <= 0)
            continue;
        follow(g, &(struct start){branch, e, g->edge[e]});
        for (uint32_t i = 0; i < g->found.n && g->ir->status == CW_OK; i++) {
            const uint32_t b = g->found.a[i];
            if (g->passed[b] == round && !met) {
                met = true;
                CW_PUSH(g->ir, &g->place, (struct place){k->ipdom, b, branch});
            }
            g->passed[b] = round;
        }
    }
}

static bool is_place(struct guess *g, uint32_t branch, uint32_t block)
{
    for (uint32_t i = 0; i < g->place.n && g->steps < MAX_STEPS; i++, g->steps++) {
        const struct place *p = &g->place.a[i];
        if (p->meet == g->cfg->block[branch].ipdom && p->block == block && (block != branch || p->of == branch))
            return true;
    }
    return false;
}

static void choose(struct guess *g, uint32_t branch)
{
    uint32_t i = 0;
    follow(g, &(struct start){branch, CW_IR_NONE, g->all[branch]});
    while (i < g->found.n && !is_place(g, branch, g->found.a[i]))
        i++;
    if (i < g->found.n)
        g->k->code.a[g->cfg->block[branch].end - 1].u.lpc = g->cfg->block[g->found.a[i]].first;
}

static void each_branch(struct guess *g, void (*what)(struct guess *g, uint32_t branch))
{
    g->steps = 0;
    for (uint32_t b = 0; b < g->cfg->block_cnt && g->ir->status == CW_OK && g->steps < MAX_STEPS; b++)
        if (g->all[b] > 0)
            what(g, b);
}

static void find_points(struct guess *g, const struct cw_kernel_counts *c)
{
    for (uint32_t i = 0; i < c->branch_cnt; i++)
        take_branch(g, c, &c->branch[i]);
    for (uint32_t b = 0; b < g->cfg->block_cnt; b++)
        count_exits(g, b);
    for (uint32_t i = 0; i < g->k->code.n; i++)
        g->k->code.a[i].u.lpc = CW_PC_NONE;
    each_branch(g, find_places);
    each_branch(g, choose);
    g->k->profiled = true;
}

void cw_lpc_profile(struct cw_ir *ir, struct cw_code *k, const struct cw_cfg *cfg, const struct cw_loops *l, const char *name,
                    size_t length)
{
    const struct cw_kernel_counts *c = entry_of(ir, k, name, length);
    if (c == NULL)
        return;
    struct guess g = {.ir = ir,
                      .k = k,
                      .cfg = cfg,
                      .l = l,
                      .edge = cw_ir_alloc(ir, cfg->edge_cnt, sizeof *g.edge),
                      .all = cw_ir_alloc(ir, cfg->block_cnt, sizeof *g.all),
                      .most = cw_ir_alloc(ir, cfg->block_cnt, sizeof *g.most),
                      .way = cw_ir_alloc(ir, l->loop.n, sizeof *g.way),
                      .number = cw_ir_alloc(ir, cfg->block_cnt, sizeof *g.number),
                      .seen = cw_ir_alloc(ir, cfg->block_cnt, sizeof *g.seen),
                      .passed = cw_ir_alloc(ir, cfg->block_cnt, sizeof *g.passed)};
    if (ir->status == CW_OK)
        find_points(&g, c);
    void *owned[] = {g.edge, g.all, g.most, g.way, g.number, g.seen, g.passed, g.place.a, g.block.a, g.succ.a, g.found.a};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}
