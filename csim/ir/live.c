/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Liveness, the register count for occupancy, and the hull of each live range for slot allocation.
 *
 * A virtual register is live at a point when some path from there reads it before an unguarded write of it, and some write of it can reach
 * the point (the second half matters only for registers that are live at the kernel's entry: values undefined on some path). A guarded
 * write does not kill, because lanes whose guard is false keep the old value; temporaries of the reader, which are written and read under
 * one guard, are the exception.
 *
 * live_regs is the largest number of 32-bit words that are live at once, over all points before and after an instruction: a register of up
 * to 32 bits is one word, of 64 bits two, a predicate none; what an instruction writes counts after it even if nobody reads it.
 *
 * Divergence. Lanes of a warp that took the other side of a branch wait with their values while this side runs. That is no hazard for
 * sharing slots: a write is masked, it changes the slot only in the lanes that execute it, and each lane by itself runs along one path of
 * the control-flow graph. So it is enough that no two registers of one slot are live at the same point of one such path. Disjoint hulls
 * over the linear order of micro-ops imply that, for a hull contains every point at which the register is live, on whatever side of a
 * branch, and all of a loop through which it is live. The exception is an instruction that reads other lanes than it writes, or writes a
 * destination before it has read all sources: for these (shfl, vote, match, redux, intrinsics, several destinations) sources live on
 * until after the write.
 *
 * Regions, for example transactions. A lane that aborts, at the end or at any access before, restarts behind its REGION_BEGIN. So what is
 * live there must keep its slot until the region is over: it counts as live in every block that can be reached from REGION_BEGIN without
 * passing a REGION_END (and in the block of the REGION_END). It is not restored: registers that a transaction reads and then overwrites are
 * the compiler's business (Fung 2015, 4.2.3).
 */
#include <stdlib.h>
#include <string.h>

#include "ir/passes.h"

#define MAX_PAIRS (UINT32_C(1) << 27) /* (block, register) facts held at once */
#define MAX_STEPS (UINT64_C(1) << 30) /* of the walks over blocks, all registers together: some seconds */

struct pair {
    uint32_t block, reg;
};

typedef CW_VEC(struct pair) pair_vec;

struct lists {       /* per key, a slice of item */
    uint32_t *start; /* [key count + 1] */
    uint32_t *item;
};

struct pass {
    struct cw_ir *ir;
    const struct cw_code *k;
    const struct cw_cfg *cfg;
    struct cw_live *live;
    pair_vec exposed, defined; /* read before a kill in the block; written in the block */
    pair_vec killed;
    pair_vec in;     /* live at the start of the block */
    pair_vec out;    /* live at the end of the block */
    pair_vec pinned; /* live throughout the block, for a restart */
};

static void add_pair(struct pass *s, pair_vec *v, uint32_t block, uint32_t reg)
{
    if (v->n == MAX_PAIRS)
        cw_ir_fail(s->ir, CW_EUNSUP, "kernel too large: more than %u live values at block ends", MAX_PAIRS);
    else
        CW_PUSH(s->ir, v, (struct pair){block, reg});
}

/* Counting sort by register or by block. */
static struct lists group(struct pass *s, const pair_vec *v, uint32_t keys, bool by_reg)
{
    struct lists l = {.start = cw_ir_alloc(s->ir, (size_t)keys + 2, sizeof(uint32_t)), .item = cw_ir_alloc(s->ir, v->n, sizeof(uint32_t))};
    if (l.start == NULL || l.item == NULL)
        return l;
    for (uint32_t i = 0; i < v->n; i++)
        l.start[(by_reg ? v->a[i].reg : v->a[i].block) + 2]++;
    for (uint32_t i = 2; i < keys + 2; i++)
        l.start[i] += l.start[i - 1];
    for (uint32_t i = 0; i < v->n; i++)
        l.item[l.start[(by_reg ? v->a[i].reg : v->a[i].block) + 1]++] = by_reg ? v->a[i].block : v->a[i].reg;
    return l;
}

static void free_lists(struct lists *l)
{
    free(l->start);
    free(l->item);
}

static bool kills(const struct cw_code *k, const struct cw_vop *v, uint32_t reg)
{
    return v->guard == CW_IR_NONE || k->vreg.a[reg].is_temp;
}

/* ---- what each block reads and writes ---- */

struct stamps { /* [register]: 1 + the block that was noted last */
    uint32_t *exposed, *defined, *killed;
};

static void note_use(struct pass *s, const struct stamps *t, uint32_t b, uint32_t reg)
{
    if (t->killed[reg] == b + 1 || t->exposed[reg] == b + 1)
        return;
    t->exposed[reg] = b + 1;
    add_pair(s, &s->exposed, b, reg);
}

static void note_def(struct pass *s, const struct stamps *t, uint32_t b, uint32_t reg, bool kill)
{
    if (t->defined[reg] != b + 1)
        add_pair(s, &s->defined, b, reg);
    t->defined[reg] = b + 1;
    if (kill && t->killed[reg] != b + 1) {
        t->killed[reg] = b + 1;
        add_pair(s, &s->killed, b, reg);
    }
}

static void scan_blocks(struct pass *s)
{
    size_t n = s->k->vreg.n;
    struct stamps t = {cw_ir_alloc(s->ir, n, 4), cw_ir_alloc(s->ir, n, 4), cw_ir_alloc(s->ir, n, 4)};
    for (uint32_t b = 0; b < s->cfg->block_cnt && s->ir->status == CW_OK; b++) {
        for (uint32_t i = s->cfg->block[b].first; i < s->cfg->block[b].end; i++) {
            const struct cw_vop *v = &s->k->code.a[i];
            if (v->guard != CW_IR_NONE)
                note_use(s, &t, b, v->guard);
            for (uint32_t j = 0; j < CW_UOP_SRCS; j++)
                if (v->src[j].kind == CW_V_REG)
                    note_use(s, &t, b, v->src[j].id);
            for (uint32_t j = 0; j < v->u.dst_cnt; j++)
                if (v->dst[j].kind == CW_V_REG)
                    note_def(s, &t, b, v->dst[j].id, kills(s->k, v, v->dst[j].id));
        }
    }
    free(t.exposed);
    free(t.defined);
    free(t.killed);
}

/* ---- live at block ends: for each register, backwards from the blocks that read it first ---- */

struct explore {
    uint32_t *in, *out; /* [block]: 1 + register that was found live there last */
    uint32_t *kill;     /* [block]: 1 + register that it kills */
    uint32_t *have;     /* [block]: 1 + register of which a write reaches the end of the block */
    uint32_t *stack;
    struct lists exposed, defined, killed;
    CW_VEC(uint32_t) found; /* blocks at whose end the register is live */
    uint64_t steps;
};

static uint32_t push_once(uint32_t *mark, uint32_t *stack, uint32_t depth, uint32_t block, uint32_t reg)
{
    if (mark[block] == reg + 1)
        return depth;
    mark[block] = reg + 1;
    stack[depth] = block;
    return depth + 1;
}

/* The register is live at the start of the block. */
static uint32_t enter(struct pass *s, struct explore *e, uint32_t depth, uint32_t block, uint32_t reg)
{
    const uint32_t after = push_once(e->in, e->stack, depth, block, reg);
    if (after != depth)
        add_pair(s, &s->in, block, reg);
    return after;
}

static void backwards(struct pass *s, struct explore *e, uint32_t reg)
{
    const struct cw_cfg *cfg = s->cfg;
    uint32_t depth = 0;
    e->found.n = 0;
    for (uint32_t i = e->killed.start[reg]; i < e->killed.start[reg + 1]; i++)
        e->kill[e->killed.item[i]] = reg + 1;
    for (uint32_t i = e->exposed.start[reg]; i < e->exposed.start[reg + 1]; i++)
        depth = enter(s, e, depth, e->exposed.item[i], reg);
    while (depth > 0) {
        const struct cw_basic_block *b = &cfg->block[e->stack[--depth]];
        for (uint32_t i = 0; i < b->pred_cnt; i++) {
            uint32_t q = cfg->pred[b->pred + i];
            if (e->out[q] != reg + 1)
                CW_PUSH(s->ir, &e->found, q);
            e->out[q] = reg + 1;
            if (e->kill[q] != reg + 1)
                depth = enter(s, e, depth, q, reg);
        }
    }
}

static void forwards(struct pass *s, struct explore *e, uint32_t reg)
{
    const struct cw_cfg *cfg = s->cfg;
    uint32_t depth = 0;
    for (uint32_t i = e->defined.start[reg]; i < e->defined.start[reg + 1]; i++)
        depth = push_once(e->have, e->stack, depth, e->defined.item[i], reg);
    while (depth > 0) {
        const struct cw_basic_block *b = &cfg->block[e->stack[--depth]];
        for (uint32_t i = 0; i < b->succ_cnt; i++)
            if (cfg->succ[b->succ + i] < cfg->block_cnt)
                depth = push_once(e->have, e->stack, depth, cfg->succ[b->succ + i], reg);
    }
}

static void live_at_ends(struct pass *s)
{
    uint32_t regs = s->k->vreg.n;
    size_t n = s->cfg->block_cnt;
    struct explore e = {.in = cw_ir_alloc(s->ir, n, 4),
                        .out = cw_ir_alloc(s->ir, n, 4),
                        .kill = cw_ir_alloc(s->ir, n, 4),
                        .have = cw_ir_alloc(s->ir, n, 4),
                        .stack = cw_ir_alloc(s->ir, n, 4)};
    e.exposed = group(s, &s->exposed, regs, true);
    e.defined = group(s, &s->defined, regs, true);
    e.killed = group(s, &s->killed, regs, true);
    for (uint32_t reg = 0; reg < regs && s->ir->status == CW_OK; reg++) {
        if (e.steps > MAX_STEPS)
            cw_ir_fail(s->ir, CW_EUNSUP, "kernel too large: liveness takes too long");
        if (e.exposed.start[reg] == e.exposed.start[reg + 1])
            continue;
        backwards(s, &e, reg);
        e.steps += e.found.n;
        bool at_entry = e.in[0] == reg + 1;
        if (at_entry)
            forwards(s, &e, reg);
        for (uint32_t i = 0; i < e.found.n && s->ir->status == CW_OK; i++)
            if (!at_entry || e.have[e.found.a[i]] == reg + 1)
                add_pair(s, &s->out, e.found.a[i], reg);
    }
    free(e.in);
    free(e.out);
    free(e.kill);
    free(e.have);
    free(e.stack);
    free(e.found.a);
    free_lists(&e.exposed);
    free_lists(&e.defined);
    free_lists(&e.killed);
}

/* ---- regions ---- */

/* Pins what is live at the end of begin, the block of a REGION_BEGIN, to all blocks of the region. */
static void pin_region(struct pass *s, const struct lists *out, uint32_t begin, uint32_t *mark, uint32_t *stack)
{
    const struct cw_cfg *cfg = s->cfg;
    uint32_t depth = push_once(mark, stack, 0, begin + 1, begin);
    while (depth > 0 && s->ir->status == CW_OK) {
        uint32_t b = stack[--depth];
        const struct cw_basic_block *k = &cfg->block[b];
        for (uint32_t i = out->start[begin]; i < out->start[begin + 1] && s->ir->status == CW_OK; i++)
            add_pair(s, &s->pinned, b, out->item[i]);
        if (s->k->code.a[k->end - 1].u.op == CW_OP_REGION_END)
            continue;
        for (uint32_t i = 0; i < k->succ_cnt; i++)
            if (cfg->succ[k->succ + i] < cfg->block_cnt)
                depth = push_once(mark, stack, depth, cfg->succ[k->succ + i], begin);
    }
}

static void pin_regions(struct pass *s)
{
    uint32_t n = s->cfg->block_cnt;
    struct lists out = group(s, &s->out, n, false);
    uint32_t *mark = cw_ir_alloc(s->ir, n, 4), *stack = cw_ir_alloc(s->ir, n, 4);
    for (uint32_t b = 0; b < n && s->ir->status == CW_OK; b++)
        if (s->k->code.a[s->cfg->block[b].end - 1].u.op == CW_OP_REGION_BEGIN)
            pin_region(s, &out, b, mark, stack);
    free(mark);
    free(stack);
    free_lists(&out);
}

/* ---- within blocks ---- */

struct scan {
    uint8_t *is_live;
    uint32_t *pin; /* [register]: 1 + block in which it is pinned */
    CW_VEC(uint32_t) touched;
    uint32_t words, max_words;
};

static void touch(struct cw_live *live, uint32_t reg, uint32_t at)
{
    if (at < live->first[reg])
        live->first[reg] = at;
    if (live->first[reg] == at && live->last[reg] == 0)
        live->last[reg] = at;
    if (at > live->last[reg])
        live->last[reg] = at;
}

static uint32_t words_of(const struct pass *s, uint32_t reg)
{
    return (s->k->vreg.a[reg].bytes + 3u) / 4;
}

static void become_live(struct pass *s, struct scan *c, uint32_t reg, uint32_t at)
{
    touch(s->live, reg, at);
    if (c->is_live[reg])
        return;
    c->is_live[reg] = 1;
    c->words += words_of(s, reg);
    CW_PUSH(s->ir, &c->touched, reg);
}

static void become_dead(struct pass *s, struct scan *c, uint32_t reg)
{
    if (!c->is_live[reg])
        return;
    c->is_live[reg] = 0;
    c->words -= words_of(s, reg);
}

static void note_max(struct scan *c)
{
    c->max_words = c->words > c->max_words ? c->words : c->max_words;
}

static bool sources_outlive_write(const struct cw_uop *u)
{
    return u->dst_cnt > 1 || u->op == CW_OP_MMA || u->op == CW_OP_SHFL || u->op == CW_OP_VOTE || u->op == CW_OP_MATCH ||
           u->op == CW_OP_REDUX || u->op == CW_OP_INTRINSIC; /* whose mechanism may read and write in any order */
}

static void scan_op(struct pass *s, struct scan *c, uint32_t b, uint32_t i)
{
    const struct cw_vop *v = &s->k->code.a[i];
    uint32_t read = sources_outlive_write(&v->u) ? 2 * i + 1 : 2 * i;
    for (uint32_t j = 0; j < v->u.dst_cnt; j++)
        if (v->dst[j].kind == CW_V_REG)
            become_live(s, c, v->dst[j].id, 2 * i + 1);
    note_max(c);
    for (uint32_t j = 0; j < v->u.dst_cnt; j++)
        if (v->dst[j].kind == CW_V_REG && kills(s->k, v, v->dst[j].id) && c->pin[v->dst[j].id] != b + 1)
            become_dead(s, c, v->dst[j].id);
    if (v->guard != CW_IR_NONE)
        become_live(s, c, v->guard, read);
    for (uint32_t j = 0; j < CW_UOP_SRCS; j++)
        if (v->src[j].kind == CW_V_REG)
            become_live(s, c, v->src[j].id, read);
    note_max(c);
}

static void scan_block(struct pass *s, struct scan *c, const struct lists *out, const struct lists *pinned, uint32_t b)
{
    uint32_t first = s->cfg->block[b].first, end = s->cfg->block[b].end;
    c->touched.n = 0;
    for (uint32_t i = out->start[b]; i < out->start[b + 1]; i++)
        become_live(s, c, out->item[i], 2 * end - 1);
    for (uint32_t i = pinned->start[b]; i < pinned->start[b + 1]; i++) {
        become_live(s, c, pinned->item[i], 2 * end - 1);
        c->pin[pinned->item[i]] = b + 1;
    }
    note_max(c);
    for (uint32_t i = end; i-- > first;)
        scan_op(s, c, b, i);
    for (uint32_t i = 0; i < c->touched.n; i++) {
        if (c->is_live[c->touched.a[i]])
            touch(s->live, c->touched.a[i], 2 * first);
        become_dead(s, c, c->touched.a[i]);
    }
}

static void scan_all(struct pass *s)
{
    size_t regs = s->k->vreg.n;
    uint32_t n = s->cfg->block_cnt;
    struct lists out = group(s, &s->out, n, false), pinned = group(s, &s->pinned, n, false);
    struct scan c = {.is_live = cw_ir_alloc(s->ir, regs, 1), .pin = cw_ir_alloc(s->ir, regs, 4)};
    for (uint32_t b = 0; b < n && s->ir->status == CW_OK; b++)
        scan_block(s, &c, &out, &pinned, b);
    s->live->live_regs = c.max_words;
    free(c.is_live);
    free(c.pin);
    free(c.touched.a);
    free_lists(&out);
    free_lists(&pinned);
}

void cw_live_compute(struct cw_ir *ir, const struct cw_code *k, const struct cw_cfg *cfg, struct cw_live *live)
{
    struct pass s = {.ir = ir, .k = k, .cfg = cfg, .live = live};
    *live = (struct cw_live){.first = cw_ir_alloc(ir, k->vreg.n, 4), .last = cw_ir_alloc(ir, k->vreg.n, 4)};
    if (ir->status != CW_OK)
        return;
    memset(live->first, 0xff, (size_t)k->vreg.n * 4);
    scan_blocks(&s);
    if (ir->status == CW_OK)
        live_at_ends(&s);
    if (ir->status == CW_OK)
        pin_regions(&s);
    if (ir->status == CW_OK)
        scan_all(&s);
    if (ir->status == CW_OK) {
        const struct lists in = group(&s, &s.in, cfg->block_cnt, false);
        live->in_start = in.start;
        live->in = in.item;
    }
    free(s.exposed.a);
    free(s.defined.a);
    free(s.killed.a);
    free(s.in.a);
    free(s.out.a);
    free(s.pinned.a);
}

void cw_live_free(struct cw_live *live)
{
    free(live->first);
    free(live->last);
    free(live->in_start);
    free(live->in);
}
