/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control-flow graph of a kernel's micro-ops and its immediate post-dominators, where a SIMT stack reconverges (Fung 2015, 2.1.3). meet.c
 * corrects them where ways only leave.
 *
 * A guarded exit or return takes some lanes away but is no end of a block for the others, so it has no edge to the virtual exit: a branch
 * before it still reconverges behind it. A trap ends the run, not the lane: it has no such edge either. Blocks that cannot reach an
 * exit (endless loops) get an edge to it from the last of them, so that branches inside still have a post-dominator.
 */
#include <stdlib.h>

#include "ir/passes.h"

#define MAX_EDGES (1u << 24)

static bool ends_block(const struct cw_vop *v)
{
    uint16_t op = v->u.op;
    return op == CW_OP_BRA || op == CW_OP_BRX || (op == CW_OP_EXIT && v->guard == CW_IR_NONE) || op == CW_OP_REGION_BEGIN ||
           op == CW_OP_REGION_END;
}

static void mark_leaders(const struct cw_code *k, uint8_t *leader)
{
    leader[0] = 1;
    for (uint32_t i = 0; i < k->code.n; i++) {
        const struct cw_vop *v = &k->code.a[i];
        if (ends_block(v))
            leader[i + 1] = 1;
        if (v->u.op == CW_OP_BRA)
            leader[v->u.target] = 1;
    }
    for (uint32_t i = 0; i < k->table.n; i++)
        for (uint32_t j = 0; j < k->table.a[i].cnt; j++)
            leader[k->table.a[i].target[j]] = 1;
}

static void make_blocks(struct cw_ir *ir, const struct cw_code *k, struct cw_cfg *cfg)
{
    uint8_t *leader = cw_ir_alloc(ir, (size_t)k->code.n + 1, 1);
    cfg->block_of = cw_ir_alloc(ir, k->code.n, sizeof(*cfg->block_of));
    if (leader != NULL && cfg->block_of != NULL) {
        mark_leaders(k, leader);
        for (uint32_t i = 0; i < k->code.n; i++)
            cfg->block_cnt += leader[i];
        cfg->block = cw_ir_alloc(ir, cfg->block_cnt, sizeof(*cfg->block));
    }
    uint32_t b = 0;
    for (uint32_t i = 0; cfg->block != NULL && i < k->code.n; i++) {
        if (leader[i])
            cfg->block[b++].first = i;
        cfg->block_of[i] = b - 1;
        cfg->block[b - 1].end = i + 1;
    }
    free(leader);
}

struct edges {
    CW_VEC(uint32_t) to;
    uint32_t *seen; /* [block]: last block that had an edge to it */
};

static void add_edge(struct cw_ir *ir, struct edges *e, uint32_t from, uint32_t to)
{
    if (e->seen[to] == from + 1)
        return;
    e->seen[to] = from + 1;
    if (e->to.n == MAX_EDGES)
        cw_ir_fail(ir, CW_EUNSUP, "control flow with more than %u edges", MAX_EDGES);
    else
        CW_PUSH(ir, &e->to, to);
}

static void block_edges(struct cw_ir *ir, const struct cw_code *k, struct cw_cfg *cfg, struct edges *e, uint32_t b)
{
    const struct cw_vop *last = &k->code.a[cfg->block[b].end - 1];
    bool always = last->guard == CW_IR_NONE;
    cfg->block[b].succ = e->to.n;
    if (last->u.op == CW_OP_BRA)
        add_edge(ir, e, b, cfg->block_of[last->u.target]);
    for (uint32_t j = 0; last->u.op == CW_OP_BRX && j < k->table.a[last->u.target].cnt; j++)
        add_edge(ir, e, b, cfg->block_of[k->table.a[last->u.target].target[j]]);
    if (last->u.op == CW_OP_EXIT && always)
        add_edge(ir, e, b, cfg->block_cnt);
    else if (!(always && (last->u.op == CW_OP_BRA || last->u.op == CW_OP_BRX)))
        add_edge(ir, e, b, b + 1); /* there is a next block: the code ends in an EXIT or a jump */
    cfg->block[b].succ_cnt = e->to.n - cfg->block[b].succ;
}

static void make_preds(struct cw_ir *ir, struct cw_cfg *cfg)
{
    uint32_t n = cfg->block_cnt;
    cfg->pred = cw_ir_alloc(ir, cfg->edge_cnt, sizeof(*cfg->pred));
    uint32_t *fill = cw_ir_alloc(ir, n, sizeof(*fill));
    for (uint32_t i = 0; fill != NULL && i < cfg->edge_cnt; i++)
        if (cfg->succ[i] < n)
            cfg->block[cfg->succ[i]].pred_cnt++;
    for (uint32_t b = 0, at = 0; fill != NULL && b < n; b++) {
        cfg->block[b].pred = fill[b] = at;
        at += cfg->block[b].pred_cnt;
    }
    for (uint32_t b = 0; fill != NULL && cfg->pred != NULL && b < n; b++)
        for (uint32_t i = 0; i < cfg->block[b].succ_cnt; i++)
            if (cfg->succ[cfg->block[b].succ + i] < n)
                cfg->pred[fill[cfg->succ[cfg->block[b].succ + i]]++] = b;
    free(fill);
}

static void make_edges(struct cw_ir *ir, const struct cw_code *k, struct cw_cfg *cfg)
{
    struct edges e = {.seen = cw_ir_alloc(ir, (size_t)cfg->block_cnt + 1, sizeof(*e.seen))};
    for (uint32_t b = 0; b < cfg->block_cnt && ir->status == CW_OK; b++)
        block_edges(ir, k, cfg, &e, b);
    cfg->succ = e.to.a;
    cfg->edge_cnt = e.to.n;
    free(e.seen);
}

/* ---- post-dominators: Cooper, Harvey and Kennedy on the reversed graph ---- */

#define UNKNOWN UINT32_MAX

struct walk {
    uint32_t *number; /* [block, and the exit]: postorder number, UNKNOWN while unvisited */
    uint32_t *order;  /* the reverse */
    uint32_t count;
    uint32_t *stack, *edge;
    uint8_t *is_root; /* blocks with an edge to the exit, given or added */
    bool added;       /* some of them are added */
};

/* Depth-first over predecessors, without recursion. */
static void walk_from(const struct cw_cfg *cfg, struct walk *w, uint32_t root)
{
    uint32_t depth = 0;
    w->number[root] = UNKNOWN - 1;
    w->edge[0] = 0;
    w->stack[depth++] = root;
    while (depth > 0) {
        uint32_t b = w->stack[depth - 1];
        if (w->edge[depth - 1] == cfg->block[b].pred_cnt) {
            w->number[b] = w->count;
            w->order[w->count++] = b;
            depth--;
            continue;
        }
        uint32_t q = cfg->pred[cfg->block[b].pred + w->edge[depth - 1]++];
        if (w->number[q] != UNKNOWN)
            continue;
        w->number[q] = UNKNOWN - 1;
        w->edge[depth] = 0;
        w->stack[depth++] = q;
    }
}

static void number_blocks(const struct cw_cfg *cfg, struct walk *w)
{
    uint32_t n = cfg->block_cnt;
    for (uint32_t b = 0; b <= n; b++)
        w->number[b] = UNKNOWN;
    for (uint32_t b = 0; b < n; b++) {
        const struct cw_basic_block *k = &cfg->block[b];
        w->is_root[b] = k->succ_cnt > 0 && cfg->succ[k->succ] == n;
        if (w->is_root[b] && w->number[b] == UNKNOWN)
            walk_from(cfg, w, b);
    }
    for (uint32_t b = n; b-- > 0;) {
        if (w->number[b] != UNKNOWN)
            continue;
        w->is_root[b] = 1;
        w->added = true;
        walk_from(cfg, w, b);
    }
    w->number[n] = w->count;
    w->order[w->count++] = n;
}

static uint32_t intersect(const struct cw_cfg *cfg, const struct walk *w, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (w->number[a] < w->number[b])
            a = cfg->block[a].ipdom;
        while (w->number[b] < w->number[a])
            b = cfg->block[b].ipdom;
    }
    return a;
}

static bool update(struct cw_cfg *cfg, const struct walk *w, uint32_t b)
{
    struct cw_basic_block *k = &cfg->block[b];
    uint32_t n = cfg->block_cnt, now = w->is_root[b] ? n : UNKNOWN;
    for (uint32_t i = 0; i < k->succ_cnt; i++) {
        uint32_t s = cfg->succ[k->succ + i];
        if (s == n || cfg->block[s].ipdom != UNKNOWN)
            now = now == UNKNOWN ? s : intersect(cfg, w, s, now);
    }
    bool changed = k->ipdom != now;
    k->ipdom = now;
    return changed;
}

bool cw_cfg_post_dominate(struct cw_ir *ir, struct cw_cfg *cfg)
{
    make_preds(ir, cfg);
    size_t n = (size_t)cfg->block_cnt + 1;
    struct walk w = {.number = cw_ir_alloc(ir, n, sizeof(uint32_t)),
                     .order = cw_ir_alloc(ir, n, sizeof(uint32_t)),
                     .stack = cw_ir_alloc(ir, n, sizeof(uint32_t)),
                     .edge = cw_ir_alloc(ir, n, sizeof(uint32_t)),
                     .is_root = cw_ir_alloc(ir, n, 1)};
    if (ir->status == CW_OK) {
        number_blocks(cfg, &w);
        for (uint32_t b = 0; b < cfg->block_cnt; b++)
            cfg->block[b].ipdom = UNKNOWN;
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t i = w.count - 1; i-- > 0;) /* reverse postorder, the exit itself left out */
                changed |= update(cfg, &w, w.order[i]);
        }
    }
    free(w.number);
    free(w.order);
    free(w.stack);
    free(w.edge);
    free(w.is_root);
    return !w.added;
}

/* Whether a thread, or the run, may end in the block; a guarded exit counts too. */
static bool may_end(const struct cw_code *k, const struct cw_basic_block *b)
{
    for (uint32_t i = b->first; i < b->end; i++)
        if (k->code.a[i].u.op == CW_OP_EXIT || k->code.a[i].u.op == CW_OP_TRAP)
            return true;
    return false;
}

/* Marks the branches of blocks from which no way leads to an end. */
static void mark_endless(struct cw_ir *ir, struct cw_code *k, const struct cw_cfg *cfg)
{
    uint32_t *stack = cw_ir_alloc(ir, cfg->block_cnt, sizeof *stack), depth = 0;
    uint8_t *ends = cw_ir_alloc(ir, cfg->block_cnt, 1);
    for (uint32_t b = 0; ir->status == CW_OK && b < cfg->block_cnt; b++)
        if ((ends[b] = may_end(k, &cfg->block[b])) != 0)
            stack[depth++] = b;
    while (depth > 0) {
        const struct cw_basic_block *b = &cfg->block[stack[--depth]];
        for (uint32_t i = 0; i < b->pred_cnt; i++) {
            const uint32_t from = cfg->pred[b->pred + i];
            if (!ends[from])
                stack[depth++] = from;
            ends[from] = 1;
        }
    }
    for (uint32_t i = 0; ir->status == CW_OK && i < k->code.n; i++)
        if (k->code.a[i].u.op == CW_OP_BRA && !ends[cfg->block_of[i]])
            k->code.a[i].u.flags |= CW_UF_ENDLESS;
    free(stack);
    free(ends);
}

void cw_cfg_build(struct cw_ir *ir, struct cw_code *k, struct cw_cfg *cfg)
{
    *cfg = (struct cw_cfg){0};
    make_blocks(ir, k, cfg);
    if (ir->status == CW_OK)
        make_edges(ir, k, cfg);
    if (ir->status == CW_OK)
        cw_cfg_post_dominate(ir, cfg);
    if (ir->status == CW_OK)
        mark_endless(ir, k, cfg);
}

void cw_cfg_free(struct cw_cfg *cfg)
{
    free(cfg->block);
    free(cfg->block_of);
    free(cfg->succ);
    free(cfg->pred);
}
