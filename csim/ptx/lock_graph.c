/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/lock_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct walk {
    struct cw_lock_point *point;
    uint32_t cnt;
    uint32_t *target; /* of a branch: index of its label; cnt: none here */
    uint32_t *stack, depth;
    bool *seen;
    const char *why;
    uint32_t line;
};

static uint32_t label_of(const struct walk *w, const struct cw_lock_point *branch)
{
    for (uint32_t i = 0; i < w->cnt; i++) {
        const struct cw_lock_point *p = &w->point[i];
        if (p->kind == CW_LOCK_LABEL && p->length == branch->length && memcmp(p->name, branch->name, p->length) == 0)
            return i;
    }
    return w->cnt;
}

static void visit(struct walk *w, uint32_t i)
{
    if (i < w->cnt && !w->seen[i]) {
        w->seen[i] = true;
        w->stack[w->depth++] = i;
    }
}

/* Where ways go on behind a point that is no begin and no end. */
static void pass(struct walk *w, uint32_t i)
{
    const struct cw_lock_point *p = &w->point[i];
    if (p->kind == CW_LOCK_BRANCH)
        visit(w, w->target[i]);
    for (uint32_t k = 0; p->kind == CW_LOCK_ANY_BRANCH && k < w->cnt; k++)
        if (w->point[k].kind == CW_LOCK_LABEL)
            visit(w, k);
    if (p->kind == CW_LOCK_LABEL || p->guarded)
        visit(w, i + 1);
}

static uint32_t root(const struct walk *w, uint32_t i)
{
    while (w->point[i].group != i)
        i = w->point[i].group;
    return i;
}

static void join(struct walk *w, uint32_t a, uint32_t b)
{
    const uint32_t x = root(w, a), y = root(w, b);
    w->point[x > y ? x : y].group = x < y ? x : y;
}

static int refuse(struct walk *w, const char *why, uint32_t line)
{
    w->why = why;
    w->line = line;
    return CW_EUNSUP;
}

/* All ways from a point on to the next begin or end. begin: that of the transaction they are in; cnt: in none. */
static int follow(struct walk *w, uint32_t from, uint32_t begin)
{
    bool ends = false;
    memset(w->seen, 0, w->cnt * sizeof *w->seen);
    w->depth = 0;
    visit(w, from);
    while (w->depth > 0) {
        const uint32_t i = w->stack[--w->depth];
        const struct cw_lock_point *p = &w->point[i];
        if (p->kind == CW_LOCK_BEGIN && begin < w->cnt)
            return refuse(w, "a transaction in a transaction", p->line);
        if (p->kind == CW_LOCK_END && begin == w->cnt)
            return refuse(w, "an end without a begin on a way to it", p->line);
        if (p->kind == CW_LOCK_END) {
            join(w, begin, i);
            ends = true;
        }
        if (p->kind != CW_LOCK_BEGIN && p->kind != CW_LOCK_END)
            pass(w, i);
    }
    if (begin < w->cnt && !ends)
        return refuse(w, "a transaction does not end in its function", w->point[begin].line);
    return CW_OK;
}

static int follow_all(struct walk *w)
{
    for (uint32_t i = 0; i < w->cnt; i++)
        w->target[i] = w->point[i].kind == CW_LOCK_BRANCH ? label_of(w, &w->point[i]) : w->cnt;
    int status = follow(w, 0, w->cnt);
    for (uint32_t i = 0; status == CW_OK && i < w->cnt; i++)
        if (w->point[i].kind == CW_LOCK_BEGIN)
            status = follow(w, i + 1, i);
        else if (w->point[i].kind == CW_LOCK_END)
            status = follow(w, i + 1, w->cnt);
    for (uint32_t i = 0; i < w->cnt; i++)
        w->point[i].group = root(w, i);
    return status;
}

int cw_lock_graph(struct cw_lock_point *point, uint32_t cnt, const char **why, uint32_t *line)
{
    struct walk w = {.point = point, .cnt = cnt};
    for (uint32_t i = 0; i < cnt; i++)
        point[i].group = i;
    w.target = calloc(cnt + 1, sizeof *w.target);
    w.stack = calloc(cnt + 1, sizeof *w.stack);
    w.seen = calloc(cnt + 1, sizeof *w.seen);
    const int status = w.target == NULL || w.stack == NULL || w.seen == NULL ? CW_ENOMEM : follow_all(&w);
    free(w.target);
    free(w.stack);
    free(w.seen);
    *why = w.why;
    *line = w.line;
    return status;
}
