/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of states, as text and against the clauses of a test. */
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
    return memcmp(a, b, sizeof(struct litmus_state));
}

static void sort(struct litmus_allowed *a)
{
    uint32_t cnt = 0;
    if (a->cnt > 0)
        qsort(a->state, a->cnt, sizeof a->state[0], compare);
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
        n += (size_t)snprintf(text + n, bytes - n, "%s%s = %u", comma, t->place[i].name, s->place[i]);
        comma = ", ";
    }
    for (uint32_t i = 0; i < t->read_cnt && n < bytes; i++) {
        n += (size_t)snprintf(text + n, bytes - n, "%s%s = %u", comma, t->read[i], s->read[i]);
        comma = ", ";
    }
}
