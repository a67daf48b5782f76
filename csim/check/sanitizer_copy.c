/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that are copied only, as the padding of structures is: loaded, moved, stored, and nothing else. Which loads these are the kernel's
 * text shows. Bytes of such a load that nobody has written are no finding; where the thread stores the value they stay unwritten.
 */
#include <stdlib.h>
#include <string.h>

#include "check/sanitizer_private.h"

#define MOVES 8u /* registers that a value goes through; one that goes through more counts as used */

/* What becomes of one element that a load has read. */
struct cw_sanitizer_flow {
    bool is_copied;
    uint8_t *stores; /* [micro-op] bit e: it stores the value as its element e */
};

/* Bytes of a lane's element that are on their way from a load to a store. */
struct cw_sanitizer_carried {
    uint32_t load; /* 4 * micro-op + element */
    uint8_t half, lane, bytes;
};

struct walk {
    const struct cw_kernel *kernel;
    struct cw_sanitizer_flow *flow;
    uint8_t *seen; /* [micro-op] bit r: the value is in reg[r] there */
    uint32_t *next;
    uint32_t next_cnt, reg_cnt;
    struct cw_opnd reg[MOVES];
};

static bool is_reg(const struct cw_opnd *a, const struct cw_opnd *b)
{
    return a->kind == b->kind && a->idx == b->idx;
}

/* The value is in reg[r] when the micro-op comes. */
static void go(struct walk *w, uint32_t pc, uint32_t r)
{
    if (pc >= w->kernel->uop_cnt || (w->seen[pc] >> r & 1u) != 0)
        return;
    w->seen[pc] |= (uint8_t)(1u << r);
    w->next[w->next_cnt++] = pc * MOVES + r;
}

static bool move(struct walk *w, uint32_t pc, const struct cw_opnd *to)
{
    uint32_t r = 0;
    while (r < w->reg_cnt && !is_reg(&w->reg[r], to))
        r++;
    if (r == MOVES)
        return false;
    if (r == w->reg_cnt)
        w->reg[w->reg_cnt++] = *to;
    go(w, pc + 1, r);
    return true;
}

/* false: the value is used for something else than to be stored. */
static bool read_by(struct walk *w, uint32_t pc, uint32_t r)
{
    const struct cw_uop *u = &w->kernel->uop[pc];
    if (u->op == CW_OP_MMA)
        return false;
    for (uint32_t i = 0; i < u->src_cnt; i++) {
        if (!is_reg(&u->src[i], &w->reg[r]))
            continue;
        if (u->op == CW_OP_ST && i > 0)
            w->flow->stores[pc] |= (uint8_t)(1u << (i - 1));
        else if (u->op != CW_OP_MOV || u->guard >= 0 || !move(w, pc, &u->dst[0]))
            return false;
    }
    return true;
}

static void go_on(struct walk *w, uint32_t pc, uint32_t r)
{
    const struct cw_uop *u = &w->kernel->uop[pc];
    const struct cw_brx_table *t = u->op == CW_OP_BRX ? &w->kernel->brx[u->target] : NULL;
    const bool leaves = u->op == CW_OP_BRA || u->op == CW_OP_BRX || u->op == CW_OP_EXIT || u->op == CW_OP_TRAP;
    if (u->op == CW_OP_BRA)
        go(w, u->target, r);
    for (uint32_t i = 0; t != NULL && i < t->cnt; i++)
        go(w, t->target[i], r);
    if (!leaves || u->guard >= 0)
        go(w, pc + 1, r);
}

static bool is_overwritten(const struct walk *w, uint32_t pc, uint32_t r)
{
    const struct cw_uop *u = &w->kernel->uop[pc];
    for (uint32_t i = 0; i < u->dst_cnt; i++)
        if (is_reg(&u->dst[i], &w->reg[r]) && u->guard < 0)
            return true;
    return false;
}

static void follow(struct walk *w, uint32_t load)
{
    w->reg[w->reg_cnt++] = w->kernel->uop[load / 4].dst[load % 4];
    w->flow->is_copied = w->reg[0].kind == CW_OPND_R32 || w->reg[0].kind == CW_OPND_R64;
    go(w, load / 4 + 1, 0);
    while (w->next_cnt > 0 && w->flow->is_copied) {
        const uint32_t at = w->next[--w->next_cnt];
        w->flow->is_copied = read_by(w, at / MOVES, at % MOVES);
        if (!is_overwritten(w, at / MOVES, at % MOVES))
            go_on(w, at / MOVES, at % MOVES);
    }
}

/* NULL: out of memory. */
static const struct cw_sanitizer_flow *flow_of(struct cw_sanitizer *s, uint32_t load)
{
    const struct cw_kernel *k = s->launch.kernel;
    if (s->flow == NULL && (s->flow = calloc((size_t)k->uop_cnt * 4, sizeof *s->flow)) == NULL)
        return NULL;
    s->flows = k->uop_cnt * 4;
    if (s->flow[load] != NULL)
        return s->flow[load];
    struct cw_sanitizer_flow *f = calloc(1, sizeof *f);
    struct walk w = {.kernel = k, .flow = f, .seen = calloc(k->uop_cnt, 1), .next = calloc((size_t)k->uop_cnt * MOVES, sizeof *w.next)};
    if (f != NULL)
        f->stores = calloc(k->uop_cnt, 1);
    if (f != NULL && f->stores != NULL && w.seen != NULL && w.next != NULL) {
        follow(&w, load);
        s->flow[load] = f;
    } else if (f != NULL) {
        free(f->stores);
        free(f);
    }
    free(w.seen);
    free(w.next);
    return s->flow[load];
}

void cw_sanitizer__forget_flows(struct cw_sanitizer *s)
{
    for (uint32_t i = 0; s->flow != NULL && i < s->flows; i++)
        if (s->flow[i] != NULL) {
            free(s->flow[i]->stores);
            free(s->flow[i]);
        }
    free(s->flow);
    s->flow = NULL;
}

static bool carry(struct cw_sanitizer_carry *list, struct cw_sanitizer_carried c)
{
    if (list->cnt == list->room) {
        const uint32_t room = list->room == 0 ? 64 : 2 * list->room;
        struct cw_sanitizer_carried *more = realloc(list->of, room * sizeof *more);
        if (more == NULL)
            return false;
        list->of = more;
        list->room = room;
    }
    list->of[list->cnt++] = c;
    return true;
}

static uint32_t uop_of(const struct cw_sanitizer *s, const struct cw_sanitizer_access *a)
{
    return (uint32_t)(a->event->u.lanes.uop - s->launch.kernel->uop);
}

uint32_t cw_sanitizer__copied(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a, uint32_t unwritten)
{
    const uint32_t size = a->event->u.lanes.elem_bytes, load = 4 * uop_of(s, a), half = a->event->u.lanes.half;
    struct cw_sanitizer_carry *list = &b->carry[a->event->u.lanes.number];
    for (uint32_t i = 0; i < list->cnt;)
        if (list->of[i].load / 4 == load / 4 && list->of[i].half == half && list->of[i].lane == a->lane)
            list->of[i] = list->of[--list->cnt];
        else
            i++;
    for (uint32_t e = 0; e < a->event->u.lanes.vec && unwritten != 0; e++) {
        const uint32_t bytes = unwritten >> e * size & ((1u << size) - 1);
        const struct cw_sanitizer_flow *f = bytes != 0 ? flow_of(s, load + e) : NULL;
        if (f == NULL || !f->is_copied)
            continue;
        unwritten &= ~(((1u << size) - 1) << e * size);
        s->out_of_memory |= !carry(list, (struct cw_sanitizer_carried){load + e, (uint8_t)half, (uint8_t)a->lane, (uint8_t)bytes});
    }
    return unwritten;
}

uint32_t cw_sanitizer__carried(struct cw_sanitizer *s, struct cw_sanitizer_block *b, const struct cw_sanitizer_access *a)
{
    const uint32_t size = a->event->u.lanes.elem_bytes, store = uop_of(s, a), half = a->event->u.lanes.half;
    struct cw_sanitizer_carry *list = &b->carry[a->event->u.lanes.number];
    uint32_t unwritten = 0;
    for (uint32_t i = 0; i < list->cnt; i++) {
        const struct cw_sanitizer_carried *c = &list->of[i];
        const uint32_t elements = s->flow[c->load]->stores[store];
        for (uint32_t e = 0; e < a->event->u.lanes.vec && c->half == half && c->lane == a->lane; e++)
            if ((elements >> e & 1u) != 0)
                unwritten |= (c->bytes & ((1u << size) - 1)) << e * size;
    }
    return unwritten;
}
