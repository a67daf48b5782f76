/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list scheduler. It plays the issue of one warp: one instruction in a cycle, and each waits for its operands. Of those that could
 * issue now it takes the one with the longest way to the end; when none could, it waits for the first.
 *
 * Loads that come early hold registers for longer. A core with more registers per thread runs fewer warps, so the words that are live
 * at once have a limit. At the limit, what ends more values than it makes goes first; if nothing does, the order of the text goes on.
 */
#include <stdlib.h>

#include "ir/lower.h"

struct list {
    struct cw_lower *l;
    uint32_t *ready, ready_cnt; /* Micro-ops that nothing has to precede any more */
    uint64_t *from;             /* [micro-op]: cycle from which it may issue */
    uint64_t cycle;
    uint32_t words; /* Live now */
};

static uint32_t words_of(const struct cw_lower *l, uint32_t reg)
{
    return (l->k->vreg.a[reg].bytes + 3u) / 4;
}

/* The registers that it reads, each once; returns how many. */
static uint32_t sources(const struct cw_vop *v, uint32_t *reg)
{
    uint32_t n = 0;
    if (v->guard != CW_IR_NONE)
        reg[n++] = v->guard;
    for (uint32_t j = 0; j < CW_UOP_SRCS; j++) {
        uint32_t i = 0;
        while (i < n && reg[i] != v->src[j].id)
            i++;
        if (v->src[j].kind == CW_V_REG && i == n)
            reg[n++] = v->src[j].id;
    }
    return n;
}

/* Words that are live after it and not before, less those that end with it. */
static int32_t growth_of(const struct cw_lower *l, const struct cw_vop *v)
{
    uint32_t reg[CW_UOP_SRCS + 1];
    int32_t words = 0;
    const uint32_t n = sources(v, reg);
    for (uint32_t i = 0; i < n; i++)
        if (l->uses[reg[i]] == 1 && (l->live[reg[i]] & CW_LIVE_BEHIND) == 0)
            words -= (int32_t)words_of(l, reg[i]);
    for (uint32_t j = 0; j < v->u.dst_cnt; j++)
        if (v->dst[j].kind == CW_V_REG && (l->live[v->dst[j].id] & CW_LIVE_NOW) == 0)
            words += (int32_t)words_of(l, v->dst[j].id);
    return words;
}

static int32_t growth(const struct cw_lower *l, uint32_t op)
{
    int32_t words = 0;
    for (uint32_t i = 0; i < cw_wide_parts(&l->op[op]); i++)
        words += growth_of(l, &l->op[op + i]);
    return words;
}

static void end_use(struct list *s, uint32_t reg)
{
    struct cw_lower *l = s->l;
    if (--l->uses[reg] != 0 || (l->live[reg] & CW_LIVE_BEHIND) != 0 || (l->live[reg] & CW_LIVE_NOW) == 0)
        return;
    l->live[reg] &= (uint8_t)~CW_LIVE_NOW;
    s->words -= words_of(l, reg);
}

static void change_words(struct list *s, const struct cw_vop *v)
{
    uint32_t reg[CW_UOP_SRCS + 1];
    const uint32_t n = sources(v, reg);
    for (uint32_t i = 0; i < n; i++)
        end_use(s, reg[i]);
    for (uint32_t j = 0; j < v->u.dst_cnt; j++) {
        const uint32_t to = v->dst[j].id;
        if (v->dst[j].kind != CW_V_REG || (s->l->live[to] & CW_LIVE_NOW) != 0 ||
            (s->l->uses[to] == 0 && (s->l->live[to] & CW_LIVE_BEHIND) == 0))
            continue;
        s->l->live[to] |= CW_LIVE_NOW;
        s->words += words_of(s->l, to);
    }
}

/* Whether candidate a is to be taken rather than b; both may issue in the same cycle, or are compared by when they may. */
static bool before(const struct list *s, uint32_t a, uint32_t b)
{
    const uint64_t at = s->from[a] > s->cycle ? s->from[a] : s->cycle, bt = s->from[b] > s->cycle ? s->from[b] : s->cycle;
    if (at != bt)
        return at < bt;
    if (s->l->node.a[a].height != s->l->node.a[b].height)
        return s->l->node.a[a].height > s->l->node.a[b].height;
    return a < b;
}

/* Index in ready. */
static uint32_t choose(const struct list *s)
{
    uint32_t best = CW_IR_NONE, least = CW_IR_NONE;
    for (uint32_t i = 0; i < s->ready_cnt; i++) {
        const int32_t more = growth(s->l, s->ready[i]);
        const bool fits = more <= 0 || s->words + (uint32_t)more <= s->l->limit;
        if (fits && (best == CW_IR_NONE || before(s, s->ready[i], s->ready[best])))
            best = i;
        if (least == CW_IR_NONE || s->ready[i] < s->ready[least])
            least = i;
    }
    return best != CW_IR_NONE ? best : least;
}

static void release(struct list *s, uint32_t op)
{
    for (uint32_t e = s->l->node.a[op].edge; e != CW_IR_NONE; e = s->l->edge.a[e].next) {
        const struct cw_lower_edge *k = &s->l->edge.a[e];
        if (s->cycle + k->cycles > s->from[k->to])
            s->from[k->to] = s->cycle + k->cycles;
        if (--s->l->node.a[k->to].earlier == 0)
            s->ready[s->ready_cnt++] = k->to;
    }
}

static void count_uses(struct cw_lower *l)
{
    uint32_t reg[CW_UOP_SRCS + 1];
    for (uint32_t i = 0; i < l->cnt; i++) {
        const uint32_t n = sources(&l->op[i], reg);
        for (uint32_t j = 0; j < n; j++)
            l->uses[reg[j]]++;
    }
}

/* Whether `later` has to stay behind v: it reads or writes what v writes, or writes what v reads. */
static bool follows(const struct cw_vop *v, const struct cw_vop *later)
{
    uint32_t reads[CW_UOP_SRCS + 1], needs[CW_UOP_SRCS + 1];
    const uint32_t n = sources(v, reads), m = sources(later, needs);
    for (uint32_t j = 0; j < v->u.dst_cnt; j++) {
        for (uint32_t i = 0; i < m && v->dst[j].kind == CW_V_REG; i++)
            if (needs[i] == v->dst[j].id)
                return true;
        for (uint32_t i = 0; i < later->u.dst_cnt && v->dst[j].kind == CW_V_REG; i++)
            if (later->dst[i].kind == CW_V_REG && later->dst[i].id == v->dst[j].id)
                return true;
    }
    for (uint32_t j = 0; j < later->u.dst_cnt; j++)
        for (uint32_t i = 0; i < n && later->dst[j].kind == CW_V_REG; i++)
            if (reads[i] == later->dst[j].id)
                return true;
    return false;
}

/* The same of all parts of the later one. */
static bool follows_any(const struct cw_lower *l, uint32_t op, uint32_t later)
{
    bool found = false;
    for (uint32_t i = 0; i < cw_wide_parts(&l->op[later]); i++)
        found |= follows(&l->op[op], &l->op[later + i]);
    return found;
}

/* What rides goes down to the first that needs it: it would keep another one waiting for its operands. */
static void sink(struct cw_lower *l)
{
    for (uint32_t p = l->cnt; p-- > 0;) {
        const uint32_t op = l->order[p];
        uint32_t at = p;
        while (l->op[op].u.rides && l->op[op].u.op != CW_OP_NOP && at + 1 < l->cnt && !follows_any(l, op, l->order[at + 1]))
            for (uint32_t left = cw_wide_parts(&l->op[l->order[at + 1]]); left > 0; left--, at++)
                l->order[at] = l->order[at + 1];
        l->order[at] = op;
    }
}

void cw_list_schedule(struct cw_lower *l)
{
    struct list s = {.l = l, .words = l->words};
    s.ready = cw_ir_alloc(l->ir, l->cnt, sizeof *s.ready);
    s.from = cw_ir_alloc(l->ir, l->cnt, sizeof *s.from);
    for (uint32_t i = 0; l->ir->status == CW_OK && i < l->cnt; i += cw_wide_parts(&l->op[i]))
        if (l->node.a[i].earlier == 0)
            s.ready[s.ready_cnt++] = i;
    if (l->ir->status == CW_OK)
        count_uses(l);
    for (uint32_t n = 0; s.ready_cnt > 0 && l->ir->status == CW_OK;) {
        const uint32_t i = choose(&s), op = s.ready[i];
        s.ready[i] = s.ready[--s.ready_cnt];
        s.cycle = s.from[op] > s.cycle ? s.from[op] : s.cycle;
        for (uint32_t j = 0; j < cw_wide_parts(&l->op[op]); j++) {
            l->order[n++] = op + j;
            change_words(&s, &l->op[op + j]);
        }
        release(&s, op);
        s.cycle += l->op[op].u.rides ? 0 : 1u + l->op[op].u.slots;
    }
    if (l->ir->status == CW_OK)
        sink(l);
    free(s.ready);
    free(s.from);
}
