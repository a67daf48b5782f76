/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the reference count table (contract: include/cowarp/unit/reference_count_table.h). */
#include "cowarp/unit/reference_count_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"
#include "unit/h3.h"

typedef struct cw_reference_count_table_in rct_in;
typedef struct cw_reference_count_table_out rct_out;

#define WAYS_MAX 8u

struct entry {
    uint32_t word, count;
};

/* Entries with a count above 0, in any order. */
struct set {
    uint32_t cnt;
    struct entry entry[WAYS_MAX];
};

struct rct {
    struct cw_reference_count_table_params p;
    struct cw_h3 hash;
    uint32_t key_mask, largest;
    struct set *set;
    uint32_t wait;         /* cycles until operations are taken */
    rct_out next, current; /* answer to the operation of the cycle before; answer of this cycle */
};

static void rct_reset(void *self)
{
    struct rct *t = self;
    const uint32_t sets = 1u << t->p.set_w;
    for (uint32_t i = 0; i < sets; i++)
        t->set[i].cnt = 0;
    t->wait = sets;
    memset(&t->next, 0, sizeof t->next);
    memset(&t->current, 0, sizeof t->current);
}

static void rct_destroy(void *self)
{
    struct rct *t = self;
    if (t == NULL)
        return;
    free(t->set);
    free(t);
}

static int rct_create(void **self, const void *params)
{
    const struct cw_reference_count_table_params *p = params;
    if (cw_unit_params_check(&cw_reference_count_table_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct rct *t = calloc(1, sizeof *t);
    if (t == NULL)
        return CW_ENOMEM;
    t->p = *p;
    t->key_mask = (1u << p->key_w) - 1;
    t->largest = (1u << p->count_w) - 1;
    t->set = calloc((size_t)1 << p->set_w, sizeof *t->set);
    if (t->set == NULL) {
        free(t);
        return CW_ENOMEM;
    }
    cw_h3_init(&t->hash, CW_REFERENCE_COUNT_TABLE_SEED, p->key_w, p->set_w);
    rct_reset(t);
    *self = t;
    return CW_OK;
}

static void rct_eval(void *self, const void *inputs, void *outputs)
{
    const struct rct *t = self;
    rct_out *out = outputs;
    (void)inputs;
    *out = t->current;
    out->op_ready = t->wait == 0;
    out->idle = t->wait == 0 && !t->next.ans_valid && !t->current.ans_valid;
}

/* NULL: the word's count is 0. */
static struct entry *find(struct set *s, uint32_t word)
{
    for (uint32_t i = 0; i < s->cnt; i++)
        if (s->entry[i].word == word)
            return s->entry + i;
    return NULL;
}

static void acquire(const struct rct *t, struct set *s, uint32_t word, rct_out *answer)
{
    struct entry *e = find(s, word);
    if (e == NULL && s->cnt < t->p.ways) {
        e = s->entry + s->cnt++;
        *e = (struct entry){.word = word};
        answer->ans_edge = 1;
    }
    if (e == NULL || e->count == t->largest)
        return;
    e->count++;
    answer->ans_counted = 1;
}

static void release(struct set *s, uint32_t word, rct_out *answer)
{
    struct entry *e = find(s, word);
    if (e == NULL)
        return;
    answer->ans_counted = 1;
    if (--e->count > 0)
        return;
    answer->ans_edge = 1;
    *e = s->entry[--s->cnt];
}

static void rct_tick(void *self, const void *inputs)
{
    struct rct *t = self;
    const rct_in *in = inputs;
    t->current = t->next;
    memset(&t->next, 0, sizeof t->next);
    if (t->wait > 0) {
        t->wait--;
        return;
    }
    if (!in->op_valid)
        return;
    const uint32_t word = (uint32_t)in->op_word & t->key_mask;
    struct set *const s = t->set + cw_h3(&t->hash, word);
    t->next.ans_valid = 1;
    if (in->op_release & 1)
        release(s, word, &t->next);
    else
        acquire(t, s, word, &t->next);
}

static void set_state(struct cw_state *s, struct set *set, uint32_t ways)
{
    cw_state_count(s, "entries of a set", &set->cnt, ways);
    for (uint32_t i = 0; i < set->cnt; i++) {
        CW_STATE(s, set->entry[i].word);
        CW_STATE(s, set->entry[i].count);
    }
}

static void rct_state(void *self, struct cw_state *s)
{
    struct rct *t = self;
    for (uint32_t i = 0; i < 1u << t->p.set_w; i++)
        set_state(s, &t->set[i], t->p.ways);
    CW_STATE(s, t->wait);
    CW_STATE_PORTS(s, t->next);
    CW_STATE_PORTS(s, t->current);
}

#define CW_UNIT__PARAMS_T struct cw_reference_count_table_params
#define CW_UNIT__IN_T     struct cw_reference_count_table_in
#define CW_UNIT__OUT_T    struct cw_reference_count_table_out
CW_UNIT_DEFINE(reference_count_table, CW_REFERENCE_COUNT_TABLE_PARAMS, CW_REFERENCE_COUNT_TABLE_PORTS, rct_create, rct_destroy, rct_reset,
               rct_eval, rct_tick, rct_state);
