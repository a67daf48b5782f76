/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the sides of a branch meet. That is the branch's immediate post-dominator (Fung 2015, 2.1.3), but ways that only leave do not
 * count: lanes that leave for good keep the others from nothing. A compiler writes `return` as a jump to the one `ret` of the kernel. By
 * the post-dominators of the whole graph every branch around such a return would meet at that `ret`, and its sides would pass the barriers
 * behind it one after the other.
 *
 * We decide what leaves:
 * - A block only leaves when it does nothing but exit or jump to such a block, or when every way from it ends in a trap.
 * - Where a barrier, or an operation across lanes, can be reached on one side of a branch and not on the other, the other side leaves,
 *   whatever it does before that.
 *
 * An edge to what leaves does not count at a block that has another edge. So a branch of which one side is left meets where this side
 * begins: the lanes that leave run to their end first, as if they executed a guarded exit. One case is left as the whole graph has it: when
 * no other branch of the kernel meets anywhere else for it, lanes that do nothing but leave may as well wait at the `ret`. That is the
 * usual `if (i >= n) return;`.
 *
 * A loop out of which only such edges lead has no way to the exit any more. It gets one behind each round.
 */
#include <stdlib.h>

#include "ir/passes.h"

struct meet {
    struct cw_ir *ir;
    struct cw_code *k;
    struct cw_cfg *cfg;
    uint8_t *pure;   /* [block]: does nothing; its last micro-op may jump, and may exit */
    uint8_t *stops;  /* [block]: the run ends in it */
    uint8_t *leaves; /* [block]: only leaves */
    uint8_t *syncs;  /* [block]: an operation that other threads wait for can be reached */
    uint8_t *kept;   /* [edge of cfg] */
    uint32_t *stack, *left;
    struct cw_cfg part; /* the edges that count */
    CW_VEC(uint32_t) succ;
};

/* ---- what blocks do ---- */

static bool ends_run(const struct cw_vop *v)
{
    return (v->u.op == CW_OP_TRAP || v->u.op == CW_OP_ASSERT) && v->guard == CW_IR_NONE;
}

static bool is_sync(const struct cw_vop *v)
{
    return v->u.op == CW_OP_BAR || v->u.op == CW_OP_SHFL || v->u.op == CW_OP_VOTE || v->u.op == CW_OP_MATCH || v->u.op == CW_OP_REDUX ||
           v->u.op == CW_OP_ELECT || v->u.op == CW_OP_MMA;
}

static bool does_nothing(const struct cw_vop *v)
{
    return v->u.op == CW_OP_NOP || v->u.op == CW_OP_BRA || v->u.op == CW_OP_EXIT;
}

static void look_at(struct meet *m, uint32_t b)
{
    const struct cw_basic_block *k = &m->cfg->block[b];
    m->pure[b] = 1;
    for (uint32_t i = k->first; i < k->end && !m->stops[b]; i++) {
        const struct cw_vop *v = &m->k->code.a[i];
        m->stops[b] = ends_run(v);
        m->syncs[b] |= is_sync(v);
        m->pure[b] &= does_nothing(v);
    }
}

/* Whether all ways from the end of the block lead to a trap. */
static bool all_stop(const struct meet *m, uint32_t b)
{
    const struct cw_basic_block *k = &m->cfg->block[b];
    bool all = true;
    for (uint32_t e = k->succ; e < k->succ + k->succ_cnt; e++)
        all = all && m->cfg->succ[e] < m->cfg->block_cnt && m->stops[m->cfg->succ[e]];
    return all;
}

/* Who leaves: blocks are taken from their ends backwards, each when all blocks behind it are known to leave. */
static void find_leaving(struct meet *m)
{
    const struct cw_cfg *cfg = m->cfg;
    uint32_t depth = 0;
    for (uint32_t b = 0; b < cfg->block_cnt; b++) {
        const struct cw_basic_block *k = &cfg->block[b];
        const bool exits = k->succ_cnt > 0 && cfg->succ[k->succ] == cfg->block_cnt;
        m->left[b] = k->succ_cnt - exits;
        m->leaves[b] = m->stops[b] || (exits && m->pure[b] && m->left[b] == 0);
        if (m->leaves[b])
            m->stack[depth++] = b;
    }
    while (depth > 0) {
        const uint32_t b = m->stack[--depth];
        for (uint32_t i = 0; i < cfg->block[b].pred_cnt; i++) {
            const uint32_t q = cfg->pred[cfg->block[b].pred + i];
            if (--m->left[q] != 0 || m->leaves[q])
                continue;
            m->stops[q] = all_stop(m, q);
            if (!m->pure[q] && !m->stops[q])
                continue;
            m->leaves[q] = 1;
            m->stack[depth++] = q;
        }
    }
}

static void find_syncs(struct meet *m)
{
    const struct cw_cfg *cfg = m->cfg;
    uint32_t depth = 0;
    for (uint32_t b = 0; b < cfg->block_cnt; b++)
        if (m->syncs[b])
            m->stack[depth++] = b;
    while (depth > 0) {
        const struct cw_basic_block *k = &cfg->block[m->stack[--depth]];
        for (uint32_t i = 0; i < k->pred_cnt; i++) {
            const uint32_t q = cfg->pred[k->pred + i];
            if (m->syncs[q] || m->stops[q])
                continue;
            m->syncs[q] = 1;
            m->stack[depth++] = q;
        }
    }
}

/* ---- edges ---- */

static bool to_exit(const struct meet *m, uint32_t e)
{
    return m->cfg->succ[e] == m->cfg->block_cnt;
}

/* Marks the edges of a block that count; returns whether there is one that does not. */
static bool keep_edges(struct meet *m, uint32_t b)
{
    const struct cw_basic_block *k = &m->cfg->block[b];
    bool to_sync = false, to_work = false, dropped = false;
    for (uint32_t e = k->succ; e < k->succ + k->succ_cnt; e++) {
        to_sync |= !to_exit(m, e) && m->syncs[m->cfg->succ[e]];
        to_work |= to_exit(m, e) || !m->leaves[m->cfg->succ[e]];
    }
    for (uint32_t e = k->succ; e < k->succ + k->succ_cnt; e++) {
        const uint32_t to = m->cfg->succ[e];
        m->kept[e] = to_exit(m, e) || !((to_sync && !m->syncs[to]) || (to_work && m->leaves[to]));
        dropped |= !m->kept[e];
    }
    return dropped;
}

/* The graph of the edges that count; ends: blocks with a way to the exit of their own, or NULL. */
static bool build_part(struct meet *m, const uint8_t *ends)
{
    const uint32_t n = m->cfg->block_cnt;
    m->succ.n = 0;
    for (uint32_t b = 0; b < n && m->ir->status == CW_OK; b++) {
        const struct cw_basic_block *k = &m->cfg->block[b];
        const bool exits = m->stops[b] || (ends != NULL && ends[b]) || (k->succ_cnt > 0 && to_exit(m, k->succ));
        m->part.block[b] = (struct cw_basic_block){.succ = m->succ.n};
        if (exits)
            CW_PUSH(m->ir, &m->succ, n);
        for (uint32_t e = k->succ; e < k->succ + k->succ_cnt && !m->stops[b]; e++)
            if (m->kept[e] && !to_exit(m, e))
                CW_PUSH(m->ir, &m->succ, m->cfg->succ[e]);
        m->part.block[b].succ_cnt = m->succ.n - m->part.block[b].succ;
    }
    free(m->part.pred);
    m->part.pred = NULL;
    m->part.succ = m->succ.a;
    m->part.edge_cnt = m->succ.n;
    return m->ir->status == CW_OK && cw_cfg_post_dominate(m->ir, &m->part);
}

/* ---- loops without a way out ---- */

/* Marks the blocks that come to b. */
static void mark_before(struct meet *m, uint8_t *mark, uint32_t b)
{
    uint32_t depth = 0;
    mark[b] = 1;
    m->stack[depth++] = b;
    while (depth > 0) {
        const struct cw_basic_block *k = &m->part.block[m->stack[--depth]];
        for (uint32_t i = 0; i < k->pred_cnt; i++) {
            const uint32_t q = m->part.pred[k->pred + i];
            if (!mark[q])
                m->stack[depth++] = q;
            mark[q] = 1;
        }
    }
}

static uint32_t ways(const struct meet *m, uint32_t b)
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < m->cfg->block[b].succ_cnt; i++)
        cnt += m->kept[m->cfg->block[b].succ + i];
    return cnt;
}

static bool is_left(const struct meet *m, uint32_t b)
{
    return ways(m, b) < m->cfg->block[b].succ_cnt;
}

/* Where a round of the loops with this header ends: at the one block that leads back, or at the header; at the one of them that an edge
 * leaves which does not count, if only one is. CW_IR_NONE: it is no header. */
static uint32_t round_end(const struct meet *m, const struct cw_loops *l, uint32_t header)
{
    const struct cw_basic_block *k = &m->part.block[header];
    uint32_t latch = CW_IR_NONE, cnt = 0;
    for (uint32_t i = 0; i < k->pred_cnt; i++) {
        const uint32_t q = m->part.pred[k->pred + i];
        if (l->number[q] == CW_IR_NONE || l->number[q] < l->number[header])
            continue;
        latch = q;
        cnt++;
    }
    const bool at_header = cnt > 1 || (cnt == 1 && !is_left(m, latch) && is_left(m, header));
    return at_header ? header : latch;
}

/* Gives such loops a way out, from the outer ones inwards. */
static void end_rounds(struct meet *m, const struct cw_loops *l)
{
    const uint32_t n = m->cfg->block_cnt;
    uint8_t *ends = cw_ir_alloc(m->ir, n, 1), *known = cw_ir_alloc(m->ir, n, 1);
    for (uint32_t b = 0; m->ir->status == CW_OK && b < n; b++)
        if (!known[b] && m->part.block[b].succ_cnt > 0 && m->succ.a[m->part.block[b].succ] == n)
            mark_before(m, known, b);
    for (uint32_t i = 0; m->ir->status == CW_OK && i < l->cnt; i++) {
        const uint32_t b = l->order[i], end = known[b] ? CW_IR_NONE : round_end(m, l, b);
        if (end == CW_IR_NONE)
            continue;
        ends[end] = 1;
        mark_before(m, known, end);
    }
    if (m->ir->status == CW_OK)
        build_part(m, ends);
    free(ends);
    free(known);
}

/* ---- points ---- */

/* Where the sides of the block's branch meet by the edges that count: a single one that is left begins there. */
static uint32_t point_of(const struct meet *m, uint32_t b)
{
    const struct cw_basic_block *k = &m->cfg->block[b];
    if (ways(m, b) == 1)
        for (uint32_t e = k->succ; e < k->succ + k->succ_cnt; e++)
            if (m->kept[e])
                return m->cfg->succ[e];
    return m->part.block[b].ipdom;
}

/* Whether a branch of whose sides several are left meets elsewhere. */
static bool moves(const struct meet *m, uint32_t b)
{
    const uint32_t at = m->part.block[b].ipdom;
    return ways(m, b) > 1 && at < m->cfg->block_cnt && at != m->cfg->block[b].ipdom;
}

/* Whether lanes leave here with something to do before. */
static bool works_first(const struct meet *m, uint32_t b)
{
    const struct cw_basic_block *k = &m->cfg->block[b];
    for (uint32_t e = k->succ; e < k->succ + k->succ_cnt; e++)
        if (!m->kept[e] && !m->leaves[m->cfg->succ[e]])
            return true;
    return false;
}

static void choose(struct meet *m)
{
    const uint32_t n = m->cfg->block_cnt;
    bool all = false;
    for (uint32_t b = 0; b < n; b++)
        all |= moves(m, b);
    for (uint32_t b = 0; b < n; b++) {
        struct cw_basic_block *k = &m->cfg->block[b];
        const uint32_t at = point_of(m, b);
        if (at < n && k->succ_cnt > 1 && (all || k->ipdom == n || works_first(m, b)))
            k->ipdom = at;
    }
}

static void meet_earlier(struct meet *m, const struct cw_loops *l)
{
    bool dropped = false;
    for (uint32_t b = 0; b < m->cfg->block_cnt; b++)
        look_at(m, b);
    find_leaving(m);
    find_syncs(m);
    for (uint32_t i = 0; i < m->k->code.n; i++)
        m->k->code.a[i].u.leaves = !m->syncs[m->cfg->block_of[i]];
    for (uint32_t b = 0; b < m->cfg->block_cnt; b++)
        dropped |= keep_edges(m, b);
    if (!dropped)
        return;
    if (!build_part(m, NULL) && m->ir->status == CW_OK)
        end_rounds(m, l);
    if (m->ir->status == CW_OK)
        choose(m);
}

void cw_meet_find(struct cw_ir *ir, struct cw_code *k, struct cw_cfg *cfg, const struct cw_loops *l)
{
    const size_t n = cfg->block_cnt;
    struct meet m = {.ir = ir,
                     .k = k,
                     .cfg = cfg,
                     .pure = cw_ir_alloc(ir, n, 1),
                     .stops = cw_ir_alloc(ir, n, 1),
                     .leaves = cw_ir_alloc(ir, n, 1),
                     .syncs = cw_ir_alloc(ir, n, 1),
                     .kept = cw_ir_alloc(ir, cfg->edge_cnt, 1),
                     .stack = cw_ir_alloc(ir, n, 4),
                     .left = cw_ir_alloc(ir, n, 4),
                     .part = {.block_cnt = cfg->block_cnt, .block = cw_ir_alloc(ir, n, sizeof *m.part.block)}};
    if (ir->status == CW_OK)
        meet_earlier(&m, l);
    for (uint32_t i = 0; i < k->code.n && ir->status == CW_OK; i++) {
        struct cw_uop *u = &k->code.a[i].u;
        const uint32_t at = cfg->block[cfg->block_of[i]].ipdom;
        u->rpc = (u->op == CW_OP_BRA || u->op == CW_OP_BRX) && at < cfg->block_cnt ? cfg->block[at].first : CW_PC_NONE;
    }
    void *owned[] = {m.pure, m.stops, m.leaves, m.syncs, m.kept, m.stack, m.left, m.part.block, m.part.pred, m.succ.a};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

/* ---- regions ---- */

/*
 * Lanes of a warp may leave a region by different ends, and go on at different places. Without a place to meet they would stay apart up to
 * their exit, and a barrier would pass in the name of lanes that have not come. They meet at the nearest block that all ways from the ends
 * of the region come through.
 */

#define NESTS 8u /* deeper regions count as the deepest */

struct regions {
    const struct cw_code *k;
    const struct cw_cfg *cfg;
    uint8_t *nests; /* [block]: depths at which ways from the begin have come here, a bit each */
    uint8_t *above; /* [block]: lies on the way to the exit from the meeting so far */
    uint32_t *stack, depth;
};

static uint16_t last_op(const struct regions *s, uint32_t b)
{
    return (uint16_t)s->k->code.a[s->cfg->block[b].end - 1].u.op;
}

static void come(struct regions *s, uint32_t b, uint32_t nest)
{
    if (b >= s->cfg->block_cnt || (s->nests[b] >> nest & 1u) != 0)
        return;
    s->nests[b] |= (uint8_t)(1u << nest);
    s->stack[s->depth++] = b * NESTS + nest;
}

/* The nearest block that both come through; block_cnt: the exit. Meetings of branches may lead in a circle; then it is the exit, too. */
static uint32_t meeting(struct regions *s, uint32_t a, uint32_t b)
{
    const uint32_t n = s->cfg->block_cnt;
    uint32_t steps = 0;
    for (uint32_t i = 0; i < n; i++)
        s->above[i] = 0;
    for (; a < n && !s->above[a]; a = s->cfg->block[a].ipdom)
        s->above[a] = 1;
    for (; b < n && !s->above[b] && steps < n; steps++)
        b = s->cfg->block[b].ipdom;
    return b < n && s->above[b] ? b : n;
}

static uint32_t meet_of(struct regions *s, uint32_t begin)
{
    const struct cw_cfg *cfg = s->cfg;
    uint32_t meet = CW_IR_NONE;
    for (uint32_t b = 0; b < cfg->block_cnt; b++)
        s->nests[b] = 0;
    for (uint32_t i = 0; i < cfg->block[begin].succ_cnt; i++)
        come(s, cfg->succ[cfg->block[begin].succ + i], 1);
    while (s->depth > 0) {
        const uint32_t b = s->stack[--s->depth] / NESTS, nest = s->stack[s->depth] % NESTS;
        const struct cw_basic_block *k = &cfg->block[b];
        const uint16_t op = last_op(s, b);
        const uint32_t behind = op == CW_OP_REGION_BEGIN && nest < NESTS - 1 ? nest + 1 : op == CW_OP_REGION_END ? nest - 1 : nest;
        for (uint32_t i = 0; i < k->succ_cnt; i++) {
            const uint32_t next = cfg->succ[k->succ + i];
            if (behind > 0)
                come(s, next, behind);
            else
                meet = meet == CW_IR_NONE ? next : meeting(s, meet, next);
        }
    }
    return meet < cfg->block_cnt ? cfg->block[meet].first : CW_PC_NONE;
}

void cw_region_meet(struct cw_ir *ir, struct cw_code *k, const struct cw_cfg *cfg)
{
    const size_t n = cfg->block_cnt;
    struct regions s = {
        .k = k, .cfg = cfg, .nests = cw_ir_alloc(ir, n, 1), .above = cw_ir_alloc(ir, n, 1), .stack = cw_ir_alloc(ir, n * NESTS, 4)};
    for (uint32_t b = 0; b < n && ir->status == CW_OK; b++)
        if (last_op(&s, b) == CW_OP_REGION_BEGIN)
            k->code.a[cfg->block[b].end - 1].u.rpc = meet_of(&s, b);
    free(s.nests);
    free(s.above);
    free(s.stack);
}
