/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which branches are uniform over a thread block: all threads of the block that come to the branch together take one target. Thread block
 * compaction needs no synchronisation of the block's warps there (Fung 2015, 3.3.1). "Together" are threads that have parted at no branch,
 * or have met again since: those of one entry of a block-wide stack.
 *
 * A register is taken for divergent, wherever it is read, when
 * - an instruction writes it whose result depends on the thread or on the time: tid, laneid, warpid, the clock, a load other than of
 *   parameters and constants, an atomic, anything across lanes, an intrinsic;
 * - an instruction writes it that reads a divergent register, or is guarded by one;
 * - it may be read before it is written;
 * - it is written on a way from a divergent branch to a block where ways of that branch join, and is live there: threads that have come
 *   along different ways may hold different values;
 * - it is written in a loop that threads may leave in different iterations, and is live where the loop is left;
 * - it is written in a loop in which a thread may come to the branch again (`continue`) while others wait at its post-dominator, and is
 *   live there;
 * - it is written in either kind of loop, and is live at the branch's likely-convergence point, when a thread may come to that point one
 *   iteration later than those that wait there: the point lies in a loop inside of that one, or beside a way round it. Points of a profile
 *   count for all branches: a side of one divergence that parts again waits at the point of either.
 * What remains is uniform: parameters, constants, ctaid, ntid and what is computed of them.
 *
 * Where ways join: the ways that leave the branch get labels, one per successor. A block that is reached with two labels is a join and
 * passes on a label of its own. No label goes beyond the branch's immediate post-dominator, nor through the branch itself. A loop is left
 * in different iterations when it holds a divergent branch whose post-dominator lies outside it.
 *
 * No branch is proved in a kernel with regions, where lanes restart on their own, and nothing at all in one with cycles of two entries, or
 * beyond a bound on time; but a branch without a guard always is uniform.
 *
 * The registers that remain say how many values a compiler could keep once per warp instead of once per lane. In a kernel with regions,
 * what a region writes is taken for divergent: lanes write it in different attempts.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/passes.h"

#define MAX_STEPS (UINT32_C(1) << 23)

struct lists { /* per register; the carry flag is the register behind the last one */
    uint32_t *start, *item;
};

struct pass {
    struct cw_ir *ir;
    const struct cw_code *k;
    const struct cw_cfg *cfg;
    const struct cw_loops *l;
    const struct cw_live *live;
    struct lists uses, defs;    /* micro-ops */
    uint8_t *divergent;         /* [register] */
    uint8_t *parts;             /* [block]: the branch at its end is divergent */
    uint8_t *uneven;            /* [loop]: threads may leave it in different iterations */
    uint8_t *waited;            /* [loop]: it has had all points of a profile */
    CW_VEC(uint32_t) work;      /* divergent registers whose readers have not been visited */
    uint32_t *label;            /* [block], where seen says so */
    uint32_t *seen, *on_way;    /* [block]: 1 + the walk that was here last */
    uint8_t *pending, *is_join; /* [block] */
    CW_VEC(uint32_t) join, found;
    CW_VEC(uint32_t) point; /* likely-convergence points of a profile, each once */
    uint32_t walks, ways, steps;
};

static uint32_t carry_of(const struct pass *s)
{
    return s->k->vreg.n;
}

/* ---- who reads and writes a register ---- */

/* The registers that micro-op number `at` reads, or writes: counts them in start, or with an item appends it to their lists. */
static void note_registers(const struct pass *s, const struct cw_vop *v, bool writes, uint32_t *start, uint32_t *item, uint32_t at)
{
    const struct cw_vopnd *o = writes ? v->dst : v->src;
    const uint32_t cnt = writes ? v->u.dst_cnt : CW_UOP_SRCS;
    uint32_t reg[CW_UOP_SRCS + 2], n = 0;
    for (uint32_t j = 0; j < cnt; j++)
        if (o[j].kind == CW_V_REG)
            reg[n++] = o[j].id;
    if (!writes && v->guard != CW_IR_NONE)
        reg[n++] = v->guard;
    if ((v->u.flags & (writes ? CW_UF_COUT : CW_UF_CIN)) != 0)
        reg[n++] = carry_of(s);
    for (uint32_t j = 0; j < n; j++) {
        if (item == NULL)
            start[reg[j] + 2]++;
        else
            item[start[reg[j] + 1]++] = at;
    }
}

static struct lists index_registers(struct pass *s, bool writes)
{
    const uint32_t regs = s->k->vreg.n + 1;
    struct lists l = {.start = cw_ir_alloc(s->ir, (size_t)regs + 2, 4)};
    if (l.start == NULL)
        return l;
    for (uint32_t i = 0; i < s->k->code.n; i++)
        note_registers(s, &s->k->code.a[i], writes, l.start, NULL, i);
    for (uint32_t i = 2; i < regs + 2; i++)
        l.start[i] += l.start[i - 1];
    l.item = cw_ir_alloc(s->ir, l.start[regs + 1], 4);
    for (uint32_t i = 0; i < s->k->code.n && l.item != NULL; i++)
        note_registers(s, &s->k->code.a[i], writes, l.start, l.item, i);
    return l;
}

static void mark(struct pass *s, uint32_t reg)
{
    if (s->divergent[reg])
        return;
    s->divergent[reg] = 1;
    CW_PUSH(s->ir, &s->work, reg);
}

static void mark_results(struct pass *s, const struct cw_vop *v)
{
    for (uint32_t j = 0; j < v->u.dst_cnt; j++)
        if (v->dst[j].kind == CW_V_REG)
            mark(s, v->dst[j].id);
    if ((v->u.flags & CW_UF_COUT) != 0)
        mark(s, carry_of(s));
}

/* ---- sources of divergence ---- */

static bool is_uniform_register(uint32_t sreg)
{
    static const uint8_t of_block[CW_SREG_COUNT] = {
        [CW_SREG_NTID_X] = 1,           [CW_SREG_NTID_Y] = 1,       [CW_SREG_NTID_Z] = 1,     [CW_SREG_CTAID_X] = 1,
        [CW_SREG_CTAID_Y] = 1,          [CW_SREG_CTAID_Z] = 1,      [CW_SREG_NCTAID_X] = 1,   [CW_SREG_NCTAID_Y] = 1,
        [CW_SREG_NCTAID_Z] = 1,         [CW_SREG_NWARPID] = 1,      [CW_SREG_SMID] = 1,       [CW_SREG_NSMID] = 1,
        [CW_SREG_GRIDID] = 1,           [CW_SREG_DYNAMIC_SMEM] = 1, [CW_SREG_TOTAL_SMEM] = 1, [CW_SREG_AGGR_SMEM] = 1,
        [CW_SREG_EXPLICIT_CLUSTER] = 1, [CW_SREG_ZERO] = 1,         [CW_SREG_ZERO64] = 1,     [CW_SREG_ONE] = 1,
        [CW_SREG_ENVREG1] = 1,          [CW_SREG_ENVREG2] = 1,
    };
    return of_block[sreg];
}

/* Whether the result may differ between threads that read the same operands. A reduction over a barrier gives all threads of the block one
 * value when all of them take part. */
static bool is_source(const struct cw_vop *v)
{
    switch (v->u.op) {
    case CW_OP_MOV:
        return v->src[0].kind == CW_V_SREG && !is_uniform_register(v->src[0].id);
    case CW_OP_LD:
        return v->u.space != CW_SPACE_PARAM && v->u.space != CW_SPACE_CONST;
    case CW_OP_BAR:
        return v->src[0].kind != CW_V_CONST || v->src[1].kind != CW_V_NONE;
    case CW_OP_ATOM:
    case CW_OP_SHFL:
    case CW_OP_VOTE:
    case CW_OP_MATCH:
    case CW_OP_ACTIVEMASK:
    case CW_OP_ELECT:
    case CW_OP_REDUX:
    case CW_OP_MMA:
    case CW_OP_INTRINSIC:
    case CW_OP_PRINT:
        return true;
    default:
        return false;
    }
}

static void find_sources(struct pass *s)
{
    for (uint32_t i = 0; i < s->k->code.n; i++)
        if (is_source(&s->k->code.a[i]))
            mark_results(s, &s->k->code.a[i]);
    for (uint32_t i = s->live->in_start[0]; i < s->live->in_start[1]; i++)
        mark(s, s->live->in[i]); /* read before it is written */
}

/* ---- where the ways of a branch join ---- */

/* What the edge from block q brings into a block: its label; of the branch itself, the block. false: nothing. */
static bool brought(const struct pass *s, uint32_t branch, uint32_t meet, uint32_t q, uint32_t to, uint32_t *label)
{
    *label = q == branch ? to : s->label[q];
    return q == branch || (q != meet && s->seen[q] == s->walks);
}

/* Works out the label of a block; returns whether it has changed. */
static bool relabel(struct pass *s, uint32_t branch, uint32_t meet, uint32_t b)
{
    const struct cw_basic_block *k = &s->cfg->block[b];
    uint32_t label = CW_IR_NONE, one;
    bool join = s->seen[b] == s->walks && s->is_join[b];
    for (uint32_t i = 0; i < k->pred_cnt && !join; i++) {
        if (!brought(s, branch, meet, s->cfg->pred[k->pred + i], b, &one))
            continue;
        join = label != CW_IR_NONE && label != one;
        label = one;
    }
    const bool first = s->seen[b] != s->walks;
    join |= !first && s->label[b] != label; /* so a label changes once at most */
    if (join)
        label = b;
    const bool changed = first || s->label[b] != label;
    if (join && (first || !s->is_join[b]))
        CW_PUSH(s->ir, &s->join, b);
    s->is_join[b] = join;
    s->seen[b] = s->walks;
    s->label[b] = label;
    return changed;
}

static uint32_t push_successors(struct pass *s, uint32_t b)
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < s->cfg->block[b].succ_cnt; i++) {
        const uint32_t next = s->cfg->succ[s->cfg->block[b].succ + i];
        if (next == s->cfg->block_cnt || s->pending[next])
            continue;
        s->pending[next] = 1;
        cnt++;
    }
    return cnt;
}

/* Fills join with the blocks where ways from the branch join. Blocks are visited in reverse postorder, so that all ways into a block have
 * their labels first; edges back need another round. */
static void find_joins(struct pass *s, uint32_t branch)
{
    const uint32_t meet = s->cfg->block[branch].ipdom;
    uint32_t at = s->l->number[branch], left;
    s->walks++;
    s->join.n = 0;
    for (left = push_successors(s, branch); left > 0 && s->ir->status == CW_OK; s->steps++) {
        at = at + 1 < s->l->cnt ? at + 1 : 0;
        const uint32_t b = s->l->order[at];
        if (!s->pending[b])
            continue;
        s->pending[b] = 0;
        left--;
        if (b != branch && relabel(s, branch, meet, b) && b != meet)
            left += push_successors(s, b);
    }
}

/* Marks the blocks on ways from the branch to a join. */
static void find_ways(struct pass *s, uint32_t branch, uint32_t join, uint32_t walk)
{
    s->found.n = 0;
    CW_PUSH(s->ir, &s->found, join);
    for (uint32_t i = 0; i < s->found.n && s->ir->status == CW_OK; i++) {
        const struct cw_basic_block *k = &s->cfg->block[s->found.a[i]];
        for (uint32_t j = 0; j < k->pred_cnt; j++, s->steps++) {
            const uint32_t q = s->cfg->pred[k->pred + j];
            if (q == branch || q == join || s->seen[q] != s->walks || s->on_way[q] == walk)
                continue;
            s->on_way[q] = walk;
            CW_PUSH(s->ir, &s->found, q);
        }
    }
}

static bool written_on_way(struct pass *s, uint32_t reg, uint32_t walk)
{
    const uint32_t *start = s->defs.start + reg;
    for (uint32_t i = start[0]; i < start[1]; i++, s->steps++)
        if (s->on_way[s->cfg->block_of[s->defs.item[i]]] == walk)
            return true;
    return false;
}

/* A register with one write holds what that wrote, on whatever way. The carry flag counts as live everywhere. */
static void join_values(struct pass *s, uint32_t join, uint32_t walk)
{
    for (uint32_t i = s->live->in_start[join]; i < s->live->in_start[join + 1]; i++, s->steps++) {
        const uint32_t reg = s->live->in[i];
        if (!s->divergent[reg] && s->defs.start[reg + 1] - s->defs.start[reg] > 1 && written_on_way(s, reg, walk))
            mark(s, reg);
    }
    if (!s->divergent[carry_of(s)] && written_on_way(s, carry_of(s), walk))
        mark(s, carry_of(s));
}

/* ---- loops that are left in different iterations ---- */

static bool written_in_loop(struct pass *s, uint32_t reg, uint32_t loop)
{
    for (uint32_t i = s->defs.start[reg]; i < s->defs.start[reg + 1]; i++, s->steps++)
        if (cw_loops_has(s->l, loop, s->cfg->block_of[s->defs.item[i]]))
            return true;
    return false;
}

static void leave_loop(struct pass *s, uint32_t loop, uint32_t to)
{
    for (uint32_t i = s->live->in_start[to]; i < s->live->in_start[to + 1]; i++)
        if (!s->divergent[s->live->in[i]] && written_in_loop(s, s->live->in[i], loop))
            mark(s, s->live->in[i]);
    if (written_in_loop(s, carry_of(s), loop))
        mark(s, carry_of(s));
}

static void make_uneven(struct pass *s, uint32_t loop)
{
    if (s->uneven[loop])
        return;
    s->uneven[loop] = 1;
    for (uint32_t b = 0; b < s->cfg->block_cnt; b++, s->steps++) {
        const struct cw_basic_block *k = &s->cfg->block[b];
        for (uint32_t i = 0; cw_loops_has(s->l, loop, b) && i < k->succ_cnt; i++) {
            const uint32_t to = s->cfg->succ[k->succ + i];
            if (to < s->cfg->block_cnt && !cw_loops_has(s->l, loop, to))
                leave_loop(s, loop, to);
        }
    }
}

/* ---- all together ---- */

/* Whether the result depends on the register: a reduction over a barrier takes its operand from all threads. */
static bool passes_on(const struct cw_vop *v, uint32_t reg)
{
    return v->u.op != CW_OP_BAR || is_source(v) || v->guard == reg;
}

/* Whether a way round the loop leads from the branch to it again, past where its ways meet. The branch's ways have been walked last. */
static bool comes_again(const struct pass *s, uint32_t b, uint32_t loop, uint32_t meet)
{
    const struct cw_basic_block *header = &s->cfg->block[s->l->loop.a[loop].header];
    for (uint32_t i = 0; i < header->pred_cnt; i++) {
        const uint32_t q = s->cfg->pred[header->pred + i];
        if (cw_loops_has(s->l, loop, q) && q != meet && (q == b || s->seen[q] == s->walks))
            return true;
    }
    return false;
}

/* Threads wait at the point. Unless each round of the loop passes it, others may come there a round later. */
static void wait_at(struct pass *s, uint32_t loop, uint32_t lpc)
{
    const struct cw_loop *l = &s->l->loop.a[loop];
    const uint32_t at = lpc != CW_PC_NONE ? s->cfg->block_of[lpc] : CW_IR_NONE;
    if (lpc == CW_PC_NONE || !cw_loops_has(s->l, loop, at))
        return;
    if (s->l->of[at] != loop || (at != l->header && (at != l->latch || l->latch_cnt > 1)))
        leave_loop(s, loop, at);
}

/* The points where threads that part at the branch may wait: its own, and by a profile those of branches around it. */
static void wait_at_points(struct pass *s, uint32_t b, uint32_t loop)
{
    if (!s->k->profiled)
        wait_at(s, loop, s->k->code.a[s->cfg->block[b].end - 1].u.lpc);
    for (uint32_t i = 0; s->k->profiled && !s->waited[loop] && i < s->point.n; i++, s->steps++)
        wait_at(s, loop, s->point.a[i]);
    s->waited[loop] = 1;
}

/* The branch at the end of block b is divergent. */
static void part(struct pass *s, uint32_t b)
{
    const uint32_t meet = s->cfg->block[b].ipdom;
    if (s->parts[b] || s->l->number[b] == CW_IR_NONE)
        return;
    s->parts[b] = 1;
    find_joins(s, b);
    for (uint32_t i = 0; i < s->join.n && s->ir->status == CW_OK; i++) {
        const uint32_t walk = ++s->ways;
        find_ways(s, b, s->join.a[i], walk);
        join_values(s, s->join.a[i], walk);
    }
    for (uint32_t loop = s->l->of[b]; loop != CW_IR_NONE; loop = s->l->loop.a[loop].parent) {
        const bool inside = meet < s->cfg->block_cnt && cw_loops_has(s->l, loop, meet);
        if (inside && !comes_again(s, b, loop, meet))
            continue;
        if (inside)
            leave_loop(s, loop, meet);
        else
            make_uneven(s, loop);
        wait_at_points(s, b, loop);
    }
}

static void spread(struct pass *s)
{
    while (s->work.n > 0 && s->ir->status == CW_OK && s->steps < MAX_STEPS) {
        const uint32_t reg = s->work.a[--s->work.n];
        for (uint32_t i = s->uses.start[reg]; i < s->uses.start[reg + 1]; i++, s->steps++) {
            const struct cw_vop *v = &s->k->code.a[s->uses.item[i]];
            if (passes_on(v, reg))
                mark_results(s, v);
            if (v->u.op == CW_OP_BRA || v->u.op == CW_OP_BRX)
                part(s, s->cfg->block_of[s->uses.item[i]]);
        }
    }
}

static bool has_regions(const struct cw_code *k)
{
    for (uint32_t i = 0; i < k->code.n; i++)
        if (k->code.a[i].u.op == CW_OP_REGION_BEGIN)
            return true;
    return false;
}

/* Marks what a region writes, from the block of its REGION_BEGIN on. */
static void mark_region(struct pass *s, uint32_t begin)
{
    CW_VEC(uint32_t) todo = {0};
    s->walks++;
    CW_PUSH(s->ir, &todo, begin);
    while (todo.n > 0) {
        const uint32_t b = todo.a[--todo.n];
        const struct cw_basic_block *k = &s->cfg->block[b];
        for (uint32_t i = k->first; i < k->end && b != begin; i++)
            mark_results(s, &s->k->code.a[i]);
        if (b != begin && s->k->code.a[k->end - 1].u.op == CW_OP_REGION_END)
            continue;
        for (uint32_t i = 0; i < k->succ_cnt; i++) {
            const uint32_t next = s->cfg->succ[k->succ + i];
            if (next >= s->cfg->block_cnt || s->seen[next] == s->walks)
                continue;
            s->seen[next] = s->walks;
            CW_PUSH(s->ir, &todo, next);
        }
    }
    free(todo.a);
}

static void mark_regions(struct pass *s)
{
    for (uint32_t b = 0; b < s->cfg->block_cnt && s->ir->status == CW_OK; b++)
        if (s->k->code.a[s->cfg->block[b].end - 1].u.op == CW_OP_REGION_BEGIN)
            mark_region(s, b);
}

/* The largest number of words of uniform registers that live at once, by the hulls of their live ranges. */
static uint32_t uniform_words(const struct pass *s)
{
    const size_t steps = 2 * (size_t)s->k->code.n + 2;
    int64_t now = 0, most = 0, *change = cw_ir_alloc(s->ir, steps, sizeof *change);
    if (change == NULL)
        return 0;
    for (uint32_t reg = 0; reg < s->k->vreg.n; reg++) {
        const uint32_t words = (s->k->vreg.a[reg].bytes + 3u) / 4;
        if (s->divergent[reg] || s->live->first[reg] > s->live->last[reg])
            continue;
        change[s->live->first[reg]] += words;
        change[s->live->last[reg] + 1] -= words;
    }
    for (size_t i = 0; i < steps; i++) {
        now += change[i];
        most = now > most ? now : most;
    }
    free(change);
    return (uint32_t)most;
}

static void list_points(struct pass *s)
{
    uint8_t *listed = cw_ir_alloc(s->ir, s->cfg->block_cnt, 1);
    for (uint32_t i = 0; i < s->k->code.n && listed != NULL; i++) {
        const struct cw_uop *u = &s->k->code.a[i].u;
        if ((u->op != CW_OP_BRA && u->op != CW_OP_BRX) || u->lpc == CW_PC_NONE || listed[s->cfg->block_of[u->lpc]])
            continue;
        listed[s->cfg->block_of[u->lpc]] = 1;
        CW_PUSH(s->ir, &s->point, u->lpc);
    }
    free(listed);
}

static void create(struct pass *s)
{
    const size_t n = s->cfg->block_cnt;
    s->uses = index_registers(s, false);
    s->defs = index_registers(s, true);
    s->divergent = cw_ir_alloc(s->ir, (size_t)s->k->vreg.n + 1, 1);
    s->parts = cw_ir_alloc(s->ir, n, 1);
    s->uneven = cw_ir_alloc(s->ir, s->l->loop.n, 1);
    s->waited = cw_ir_alloc(s->ir, s->l->loop.n, 1);
    s->label = cw_ir_alloc(s->ir, n, 4);
    s->seen = cw_ir_alloc(s->ir, n, 4);
    s->on_way = cw_ir_alloc(s->ir, n, 4);
    s->pending = cw_ir_alloc(s->ir, n, 1);
    s->is_join = cw_ir_alloc(s->ir, n, 1);
    if (s->k->profiled)
        list_points(s);
}

static void destroy(struct pass *s)
{
    void *owned[] = {s->uses.start, s->uses.item, s->defs.start, s->defs.item, s->divergent, s->parts,   s->uneven,  s->label, s->seen,
                     s->on_way,     s->pending,   s->is_join,    s->work.a,    s->join.a,    s->found.a, s->point.a, s->waited};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

uint32_t cw_uniform_find(struct cw_ir *ir, struct cw_code *k, const struct cw_cfg *cfg, const struct cw_loops *l,
                         const struct cw_live *live)
{
    struct pass s = {.ir = ir, .k = k, .cfg = cfg, .l = l, .live = live};
    const bool looked = !l->irreducible && k->code.n > 0, regions = has_regions(k);
    uint32_t words = 0;
    if (looked) {
        create(&s);
        if (ir->status == CW_OK)
            find_sources(&s);
        if (ir->status == CW_OK)
            mark_regions(&s);
        spread(&s);
        if (ir->status == CW_OK && s.steps < MAX_STEPS)
            words = uniform_words(&s);
    }
    for (uint32_t i = 0; i < k->code.n && ir->status == CW_OK; i++) {
        struct cw_vop *v = &k->code.a[i];
        const bool always = v->u.op == CW_OP_BRA && v->guard == CW_IR_NONE;
        const bool proved =
            looked && !regions && s.steps < MAX_STEPS && (v->u.op == CW_OP_BRA || v->u.op == CW_OP_BRX) && !s.parts[cfg->block_of[i]];
        v->u.uniform = always || proved;
    }
    destroy(&s);
    return words;
}
