/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of the conflict address table (contract: include/cowarp/unit/conflict_address_table.h).
 *
 * An update waits a cycle before it is applied, so that a query finds what the contract lets it see; what comes of both waits for the cycle
 * of its answer.
 */
#include "cowarp/unit/conflict_address_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"
#include "unit/h3.h"

typedef struct cw_conflict_address_table_in cat_in;
typedef struct cw_conflict_address_table_out cat_out;

#define WAYS_MAX 8u

/* Words in any order. */
struct set {
    uint32_t cnt, word[WAYS_MAX];
};

struct cat {
    struct cw_conflict_address_table_params p;
    struct cw_h3 hash;
    uint32_t key_mask, tag_mask;
    struct set *set;
    uint32_t wait; /* cycles until operations are taken */
    uint32_t cnt;  /* words in the table */
    /* The update of the cycle before, which is not applied; the one before that, and its outcome. */
    bool pending, pending_remove, applied, applied_refused;
    uint32_t pending_word;
    cat_out asked; /* ans_* of the query of the cycle before */
    cat_out out;   /* of this cycle, without ready and idle */
};

static void cat_reset(void *self)
{
    struct cat *t = self;
    const uint32_t sets = 1u << t->p.set_w;
    for (uint32_t i = 0; i < sets; i++)
        t->set[i].cnt = 0;
    t->wait = sets;
    t->cnt = 0;
    t->pending = t->applied = t->applied_refused = false;
    memset(&t->asked, 0, sizeof t->asked);
    memset(&t->out, 0, sizeof t->out);
    t->out.empty = 1;
}

static void cat_destroy(void *self)
{
    struct cat *t = self;
    if (t == NULL)
        return;
    free(t->set);
    free(t);
}

static int cat_create(void **self, const void *params)
{
    const struct cw_conflict_address_table_params *p = params;
    if (cw_unit_params_check(&cw_conflict_address_table_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct cat *t = calloc(1, sizeof *t);
    if (t == NULL)
        return CW_ENOMEM;
    t->p = *p;
    t->key_mask = (1u << p->key_w) - 1;
    t->tag_mask = (1u << p->tag_w) - 1;
    t->set = calloc((size_t)1 << p->set_w, sizeof *t->set);
    if (t->set == NULL) {
        free(t);
        return CW_ENOMEM;
    }
    cw_h3_init(&t->hash, CW_CONFLICT_ADDRESS_TABLE_SEED, p->key_w, p->set_w);
    cat_reset(t);
    *self = t;
    return CW_OK;
}

static void cat_eval(void *self, const void *inputs, void *outputs)
{
    const struct cat *t = self;
    cat_out *out = outputs;
    (void)inputs;
    *out = t->out;
    out->ready = t->wait == 0;
    out->idle = t->wait == 0 && !t->pending && !t->applied && !t->out.upd_done && !t->asked.ans_valid && !t->out.ans_valid;
}

/* Place of the word in its set, or the set's count. */
static uint32_t find(const struct set *s, uint32_t word)
{
    uint32_t i = 0;
    while (i < s->cnt && s->word[i] != word)
        i++;
    return i;
}

/* Whether there is no room. */
static bool apply(struct cat *t, uint32_t word, bool leaves)
{
    struct set *const s = t->set + cw_h3(&t->hash, word);
    const uint32_t i = find(s, word);
    if (leaves && i < s->cnt) {
        s->word[i] = s->word[--s->cnt];
        t->cnt--;
    } else if (!leaves && i == s->cnt) {
        if (s->cnt == t->p.ways)
            return true;
        s->word[s->cnt++] = word;
        t->cnt++;
    }
    return false;
}

static cat_out ask(const struct cat *t, const cat_in *in)
{
    const uint32_t word = (uint32_t)in->qry_word & t->key_mask;
    const struct set *const s = t->set + cw_h3(&t->hash, word);
    return (cat_out){.ans_valid = 1, .ans_tag = in->qry_tag & t->tag_mask, .ans_held = find(s, word) < s->cnt};
}

static void cat_tick(void *self, const void *inputs)
{
    struct cat *t = self;
    const cat_in *in = inputs;
    const bool taken = t->wait == 0;
    t->out = t->asked;
    t->out.upd_done = t->applied;
    t->out.upd_refused = t->applied_refused;
    t->out.empty = t->cnt == 0;
    t->asked = taken && in->qry_valid ? ask(t, in) : (cat_out){0};
    t->applied = t->pending;
    t->applied_refused = t->pending && apply(t, t->pending_word, t->pending_remove);
    t->pending = taken && in->upd_valid;
    t->pending_remove = in->upd_remove & 1;
    t->pending_word = (uint32_t)in->upd_word & t->key_mask;
    t->wait -= !taken;
}

static void cat_state(void *self, struct cw_state *s)
{
    struct cat *t = self;
    for (uint32_t i = 0; i < 1u << t->p.set_w; i++) {
        cw_state_count(s, "words of a set", &t->set[i].cnt, t->p.ways);
        cw_state_array(s, "word", t->set[i].word, t->set[i].cnt, sizeof t->set[i].word[0]);
    }
    CW_STATE(s, t->wait);
    CW_STATE(s, t->cnt);
    CW_STATE(s, t->pending);
    CW_STATE(s, t->pending_remove);
    CW_STATE(s, t->applied);
    CW_STATE(s, t->applied_refused);
    CW_STATE(s, t->pending_word);
    CW_STATE_PORTS(s, t->asked);
    CW_STATE_PORTS(s, t->out);
}

#define CW_UNIT__PARAMS_T struct cw_conflict_address_table_params
#define CW_UNIT__IN_T     struct cw_conflict_address_table_in
#define CW_UNIT__OUT_T    struct cw_conflict_address_table_out
CW_UNIT_DEFINE(conflict_address_table, CW_CONFLICT_ADDRESS_TABLE_PARAMS, CW_CONFLICT_ADDRESS_TABLE_PORTS, cat_create, cat_destroy,
               cat_reset, cat_eval, cat_tick, cat_state);
