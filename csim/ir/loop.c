/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Natural loops of a kernel. A loop has one header, through which it is entered, and one or more latches: blocks with an edge back to the
 * header. The loop is the header and all blocks from which a latch can be reached without passing the header. Two loops with different
 * headers lie apart, or one lies in the other.
 *
 * A walk in depth first from the entry finds the edges that lead back. Headers are taken in postorder, so an inner loop comes before the
 * loops around it, and each block is looked at once. When a walk backwards from a latch comes to the kernel's entry, the cycle can be
 * entered beside its header: such a kernel counts as one without loops, and says so.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/passes.h"

struct back { /* an edge back */
    uint32_t latch;
    uint32_t next; /* the next one to the same header, or CW_IR_NONE */
};

struct find {
    struct cw_ir *ir;
    const struct cw_cfg *cfg;
    struct cw_loops *l;
    uint8_t *state; /* [block]: 0 not seen, 1 on the way, 2 left */
    uint32_t *stack, *edge;
    uint32_t *head; /* [block]: first edge back to it, or CW_IR_NONE */
    CW_VEC(struct back) back;
};

static void see_edge(struct find *f, uint32_t from, uint32_t to, uint32_t *depth)
{
    if (f->state[to] == 1) {
        const uint32_t next = f->head[to];
        f->head[to] = f->back.n;
        CW_PUSH(f->ir, &f->back, (struct back){from, next});
    } else if (f->state[to] == 0) {
        f->state[to] = 1;
        f->edge[*depth] = 0;
        f->stack[(*depth)++] = to;
    }
}

/* Fills order backwards, so that it ends up in reverse postorder. */
static void walk(struct find *f)
{
    const struct cw_cfg *cfg = f->cfg;
    uint32_t depth = 0, free_place = cfg->block_cnt;
    f->state[0] = 1;
    f->edge[0] = 0;
    f->stack[depth++] = 0;
    while (depth > 0) {
        const uint32_t b = f->stack[depth - 1];
        if (f->edge[depth - 1] == cfg->block[b].succ_cnt) {
            f->state[b] = 2;
            f->l->order[--free_place] = b;
            depth--;
            continue;
        }
        const uint32_t s = cfg->succ[cfg->block[b].succ + f->edge[depth - 1]++];
        if (s < cfg->block_cnt)
            see_edge(f, b, s, &depth);
    }
    f->l->cnt = cfg->block_cnt - free_place;
    memmove(f->l->order, f->l->order + free_place, f->l->cnt * sizeof *f->l->order);
    for (uint32_t i = 0; i < f->l->cnt; i++)
        f->l->number[f->l->order[i]] = i;
}

static uint32_t outermost(const struct cw_loops *l, uint32_t loop)
{
    while (l->loop.a[loop].parent != CW_IR_NONE)
        loop = l->loop.a[loop].parent;
    return loop;
}

static uint32_t push_preds(struct find *f, uint32_t *stack, uint32_t depth, uint32_t b)
{
    const struct cw_basic_block *k = &f->cfg->block[b];
    for (uint32_t i = 0; i < k->pred_cnt; i++)
        stack[depth++] = f->cfg->pred[k->pred + i];
    return depth;
}

/* One block found on the way back from a latch of loop number id; returns the depth of the stack. */
static uint32_t take_block(struct find *f, uint32_t id, uint32_t *stack, uint32_t depth, uint32_t b)
{
    struct cw_loops *l = f->l;
    if (l->number[b] == CW_IR_NONE)
        return depth;
    if (l->of[b] == CW_IR_NONE) {
        l->of[b] = id;
    } else {
        const uint32_t root = outermost(l, l->of[b]);
        if (root == id)
            return depth;
        l->loop.a[root].parent = id;
        b = l->loop.a[root].header;
    }
    if (b == l->loop.a[id].header)
        return depth;
    l->irreducible |= b == 0;
    return push_preds(f, stack, depth, b);
}

/* The loop of header h. stack has room for every edge, once as an edge back. */
static void make_loop(struct find *f, uint32_t h, uint32_t *stack)
{
    struct cw_loop loop = {.header = h, .parent = CW_IR_NONE};
    const uint32_t id = f->l->loop.n;
    uint32_t depth = 0;
    for (uint32_t e = f->head[h]; e != CW_IR_NONE; e = f->back.a[e].next) {
        loop.latch = stack[depth++] = f->back.a[e].latch;
        loop.latch_cnt++;
    }
    CW_PUSH(f->ir, &f->l->loop, loop);
    while (depth > 0 && f->ir->status == CW_OK && !f->l->irreducible) {
        const uint32_t b = stack[--depth];
        depth = take_block(f, id, stack, depth, b);
    }
}

static void make_loops(struct find *f)
{
    uint32_t *stack = cw_ir_alloc(f->ir, 2 * (size_t)f->cfg->edge_cnt + 1, sizeof(*stack));
    for (uint32_t i = f->l->cnt; i-- > 0 && f->ir->status == CW_OK && !f->l->irreducible;)
        if (f->head[f->l->order[i]] != CW_IR_NONE)
            make_loop(f, f->l->order[i], stack);
    free(stack);
    if (!f->l->irreducible)
        return;
    f->l->loop.n = 0;
    memset(f->l->of, 0xff, f->cfg->block_cnt * sizeof *f->l->of);
}

void cw_loops_find(struct cw_ir *ir, const struct cw_cfg *cfg, struct cw_loops *l)
{
    const size_t n = cfg->block_cnt;
    *l = (struct cw_loops){.of = cw_ir_alloc(ir, n, 4), .order = cw_ir_alloc(ir, n, 4), .number = cw_ir_alloc(ir, n, 4)};
    struct find f = {.ir = ir,
                     .cfg = cfg,
                     .l = l,
                     .state = cw_ir_alloc(ir, n, 1),
                     .stack = cw_ir_alloc(ir, n, 4),
                     .edge = cw_ir_alloc(ir, n, 4),
                     .head = cw_ir_alloc(ir, n, 4)};
    if (ir->status == CW_OK) {
        memset(l->of, 0xff, n * 4);
        memset(l->number, 0xff, n * 4);
        memset(f.head, 0xff, n * 4);
        walk(&f);
        make_loops(&f);
    }
    free(f.state);
    free(f.stack);
    free(f.edge);
    free(f.head);
    free(f.back.a);
}

void cw_loops_free(struct cw_loops *l)
{
    free(l->loop.a);
    free(l->of);
    free(l->order);
    free(l->number);
}

bool cw_loops_has(const struct cw_loops *l, uint32_t loop, uint32_t block)
{
    for (uint32_t i = l->of[block]; i != CW_IR_NONE; i = l->loop.a[i].parent)
        if (i == loop)
            return true;
    return false;
}
