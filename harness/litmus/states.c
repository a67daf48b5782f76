/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of states, as text and against the clauses of a test. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "litmus/litmus.h"

bool litmus_add_state(struct litmus_allowed *a, const struct litmus_state *s)
{
    if (a->cnt == a->cap) {
        const uint32_t cap = a->cap == 0 ? 64 : 2 * a->cap;
        struct litmus_state *larger = realloc(a->state, cap * sizeof *larger);
        if (larger == NULL)
            return false;
        a->state = larger;
        a->cap = cap;
    }
    a->state[a->cnt++] = *s;
    return true;
}

bool litmus_is_told(const struct litmus_test *t, uint32_t place)
{
    return t->place[place].space == (t->memory ? LITMUS_GLOBAL : LITMUS_PERSISTENT);
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, offsetof(struct litmus_state, needs));
}

/* Of equal ones, the one that needs the least is first. */
static int compare_all(const void *a, const void *b)
{
    const int order = compare(a, b);
    return order != 0 ? order : ((const struct litmus_state *)a)->needs - ((const struct litmus_state *)b)->needs;
}

static void sort(struct litmus_allowed *a)
{
    uint32_t cnt = 0;
    if (a->cnt > 0)
        qsort(a->state, a->cnt, sizeof a->state[0], compare_all);
    for (uint32_t i = 0; i < a->cnt; i++)
        if (cnt == 0 || compare(&a->state[i], &a->state[cnt - 1]) != 0)
            a->state[cnt++] = a->state[i];
    a->cnt = cnt;
}

static bool satisfies(const struct litmus_state *s, const struct litmus_clause *c)
{
    for (uint32_t i = 0; i < c->cnt; i++)
        if ((c->term[i].read ? s->read : s->place)[c->term[i].index] != c->term[i].value)
            return false;
    return true;
}

static int check_clauses(const struct litmus_allowed *a, const struct litmus_test *t, struct cw_error *err)
{
    for (uint32_t k = 0; k < t->clause_cnt; k++) {
        bool found = false;
        for (uint32_t i = 0; i < a->cnt; i++)
            found |= satisfies(&a->state[i], &t->clause[k]);
        if (found == t->clause[k].never)
            return cw_fail(err, CW_ECHECK, "%s: the condition in line %u is wrong: %s %s such a state", t->name, t->clause[k].line,
                           t->memory ? "PTX" : "Box 2", found ? "allows" : "does not allow");
    }
    return CW_OK;
}

int litmus_conclude(struct litmus_allowed *a, const struct litmus_test *t, struct cw_error *err)
{
    sort(a);
    return check_clauses(a, t, err);
}

void litmus_allowed_free(struct litmus_allowed *a)
{
    free(a->state);
    *a = (struct litmus_allowed){0};
}

uint32_t litmus_find(const struct litmus_allowed *a, const struct litmus_state *s)
{
    const struct litmus_state *found = a->cnt > 0 ? bsearch(s, a->state, a->cnt, sizeof *s, compare) : NULL;
    return found != NULL ? (uint32_t)(found - a->state) : a->cnt;
}

void litmus_describe(char *text, size_t bytes, const struct litmus_test *t, const struct litmus_state *s)
{
    const char *comma = "";
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < t->place_cnt && n < bytes; i++) {
        if (!litmus_is_told(t, i))
            continue;
        n += (size_t)snprintf(text + n, bytes - n, "%s%s = %" PRIu64, comma, t->place[i].name, s->place[i]);
        comma = ", ";
    }
    for (uint32_t i = 0; i < t->read_cnt && n < bytes; i++) {
        n += (size_t)snprintf(text + n, bytes - n, "%s%s = %" PRIu64, comma, t->read[i], s->read[i]);
        comma = ", ";
    }
}

static const char *verb(const struct litmus_op *op)
{
    return op->kind == LITMUS_MEMORY_LOAD ? "the load of" : op->kind == LITMUS_MEMORY_STORE ? "the store to" : "the atomic on";
}

/* What keeps the machine from letting b pass a; NULL: nothing, and more runs may show it. */
static const char *kept(const struct litmus_test *t, const struct litmus_op *a, const struct litmus_op *b)
{
    if (t->place[a->place].space == LITMUS_SHARED || t->place[b->place].space == LITMUS_SHARED)
        return "an access of shared memory is performed where it stands in its warp";
    if (t->place[a->place].line == t->place[b->place].line)
        return "accesses of a warp to one line are performed in their order, but for weak loads";
    return NULL;
}

void litmus_explain(char *text, size_t bytes, const struct litmus_test *t, const struct litmus_state *s)
{
    if (s->needs == LITMUS_NEEDS_NOTHING)
        snprintf(text, bytes, "an interleaving gives it: needs more runs");
    else if (s->needs == LITMUS_NEEDS_VIEWS)
        snprintf(text, bytes,
                 "needs two threads that see stores in different orders: here a store is performed for all at once, in its L2 slice");
    else {
        const struct litmus_op *a = &t->op[s->late], *b = &t->op[s->first];
        const char *why = kept(t, a, b);
        snprintf(text, bytes, "needs %s %s in %s to be performed before %s %s: %s", verb(b), t->place[b->place].name,
                 t->thread[a->thread].name, verb(a), t->place[a->place].name, why != NULL ? why : "needs more runs, or the adversary");
    }
}
