/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the scalable reader list (contract: include/cowarp/unit/scalable_reader_list.h). */
#include "cowarp/unit/scalable_reader_list.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"
#include "unit/h3.h"

typedef struct cw_scalable_reader_list_in reader_in;
typedef struct cw_scalable_reader_list_out reader_out;

#define IDS_MAX  1024u
#define WAYS_MAX 8u
#define STEP     4u /* cycles */
#define TURNS    8u /* operations before a row */
#define NO_LEAF  UINT32_MAX

struct entry {
    enum { UNUSED, PLAIN, ROOT, LEAF } type;
    uint64_t word;
    uint32_t leaf; /* LEAF: its number */
    uint32_t bits; /* ROOT, LEAF */
    uint32_t cnt;  /* PLAIN */
    uint32_t id[3];
};

struct reader_list {
    struct cw_scalable_reader_list_params p;
    uint64_t word_mask;
    uint32_t id_mask;
    uint32_t rows[WAYS_MAX];
    struct cw_h3 hash[CW_H3_WAYS];
    struct entry *entry[WAYS_MAX]; /* by row */
    bool live[IDS_MAX];
    uint32_t used, shown;
    uint32_t clearing, busy; /* cycles until operations are taken, of the clearing; of an operation or row */
    bool answers;            /* what is busy is an operation */
    bool open;               /* the last one was an ADD that was not FULL: of open_word, and of open_leaf if that has a root */
    uint64_t open_word;
    uint32_t open_leaf;
    uint32_t result;
    bool sweeping, last_row;
    uint32_t turns; /* operations since the last row */
    uint32_t row;   /* of the sweep, next */
    /* LIST */
    bool lists;
    uint64_t word;
    uint32_t step;   /* cycles that the step still takes, at least; 0: no more steps */
    bool first;      /* it is for the plain entry or root */
    uint32_t leaves; /* that have not been looked up */
    uint32_t given[32], given_cnt, given_at;
    reader_out current;
};

static void reader_reset(void *self)
{
    struct reader_list *t = self;
    for (uint32_t w = 0; w < t->p.ways; w++)
        memset(t->entry[w], 0, t->rows[w] * sizeof *t->entry[w]);
    memset(t->live, 0, sizeof t->live);
    memset(&t->current, 0, sizeof t->current);
    const uint32_t roots = 1u << (t->p.id_w - t->p.leaf_w);
    t->clearing = t->rows[0] > roots ? t->rows[0] : roots;
    t->used = t->shown = t->busy = t->row = t->given_cnt = t->given_at = t->turns = 0;
    t->sweeping = t->last_row = t->lists = t->answers = t->open = false;
}

static void reader_destroy(void *self)
{
    struct reader_list *t = self;
    for (uint32_t w = 0; w < WAYS_MAX; w++)
        free(t->entry[w]);
    free(t);
}

static int reader_create(void **self, const void *params)
{
    const struct cw_scalable_reader_list_params *p = params;
    if (cw_unit_params_check(&cw_scalable_reader_list_unit, p, NULL) != CW_OK || p->entries < p->ways || p->id_w <= p->leaf_w ||
        p->id_w > p->leaf_w + 5)
        return CW_EINVAL;
    struct reader_list *t = calloc(1, sizeof *t);
    if (t == NULL)
        return CW_ENOMEM;
    t->p = *p;
    t->word_mask = (UINT64_C(1) << p->word_w) - 1;
    t->id_mask = (1u << p->id_w) - 1;
    for (uint32_t i = 0; i < CW_H3_WAYS; i++)
        cw_h3_init(t->hash + i, cw_h3_way_seed(i), 1 + p->id_w - p->leaf_w + p->word_w, 32);
    for (uint32_t w = 0; w < p->ways; w++) {
        t->rows[w] = (p->entries + p->ways - 1 - w) / p->ways;
        t->entry[w] = calloc(t->rows[w], sizeof *t->entry[w]);
        if (t->entry[w] == NULL) {
            reader_destroy(t);
            return CW_ENOMEM;
        }
    }
    reader_reset(t);
    *self = t;
    return CW_OK;
}

/* Table */

static struct entry *place(const struct reader_list *t, uint32_t way, uint64_t word, uint32_t leaf)
{
    const uint32_t roots_w = t->p.id_w - t->p.leaf_w;
    const uint64_t key = leaf == NO_LEAF ? word : ((UINT64_C(1) << roots_w | leaf) << t->p.word_w) | word;
    const uint32_t hash = cw_h3(t->hash + way % CW_H3_WAYS, key) >> (way < CW_H3_WAYS ? 0 : 16) & 0xffff;
    return t->entry[way] + ((uint64_t)hash * t->rows[way] >> 16);
}

/* The word's leaf; its plain entry or root (NO_LEAF); NULL: none. */
static struct entry *find(const struct reader_list *t, uint64_t word, uint32_t leaf)
{
    for (uint32_t w = 0; w < t->p.ways; w++) {
        struct entry *e = place(t, w, word, leaf);
        if (e->word != word || e->type == UNUSED)
            continue;
        if (leaf == NO_LEAF ? e->type != LEAF : e->type == LEAF && e->leaf == leaf)
            return e;
    }
    return NULL;
}

/* A new entry, NULL: there is no room. */
static struct entry *make(struct reader_list *t, uint64_t word, uint32_t leaf)
{
    for (uint32_t w = 0; w < t->p.ways; w++) {
        struct entry *e = place(t, w, word, leaf);
        if (e->type != UNUSED)
            continue;
        *e = (struct entry){.type = leaf == NO_LEAF ? PLAIN : LEAF, .word = word, .leaf = leaf};
        t->used++;
        return e;
    }
    return NULL;
}

static void drop(struct reader_list *t, struct entry *e)
{
    e->type = UNUSED;
    t->used--;
}

static uint32_t leaf_of(const struct reader_list *t, uint32_t id)
{
    return id >> t->p.leaf_w;
}

static uint32_t bit_of(const struct reader_list *t, uint32_t id)
{
    return 1u << (id & ((1u << t->p.leaf_w) - 1));
}

static bool plain_has(const struct entry *e, uint32_t id)
{
    for (uint32_t i = 0; i < e->cnt; i++)
        if (e->id[i] == id)
            return true;
    return false;
}

/* ADD of a fourth reader to a plain entry. Its cycles. */
static uint32_t convert(struct reader_list *t, struct entry *plain, uint32_t id)
{
    const uint32_t ids[4] = {plain->id[0], plain->id[1], plain->id[2], id};
    uint32_t roots = 0;
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t leaf = leaf_of(t, ids[k]);
        struct entry *e = find(t, plain->word, leaf);
        if (e == NULL)
            e = make(t, plain->word, leaf);
        if (e != NULL) {
            e->bits |= bit_of(t, ids[k]);
            roots |= 1u << leaf;
            continue;
        }
        for (uint32_t i = 0; i < k; i++) {
            struct entry *made = find(t, plain->word, leaf_of(t, ids[i]));
            if (made != NULL)
                drop(t, made);
        }
        t->result = CW_READER_FULL;
        return 8 + 8 * k;
    }
    *plain = (struct entry){.type = ROOT, .word = plain->word, .bits = roots};
    return 21;
}

static uint32_t add_to_root(struct reader_list *t, struct entry *root, uint32_t id, bool again)
{
    const uint32_t leaf = leaf_of(t, id);
    struct entry *l = find(t, root->word, leaf);
    if (l != NULL) {
        t->result = (l->bits & bit_of(t, id)) != 0 ? CW_READER_SAME : CW_READER_DONE;
        l->bits |= bit_of(t, id);
        return again && leaf == t->open_leaf ? 2 : 5;
    }
    l = make(t, root->word, leaf);
    if (l == NULL) {
        t->result = CW_READER_FULL;
        return 5;
    }
    l->bits = bit_of(t, id);
    root->bits |= 1u << leaf;
    return 6;
}

static uint32_t add(struct reader_list *t, uint64_t word, uint32_t id)
{
    const bool again = t->open && t->open_word == word;
    struct entry *e = find(t, word, NO_LEAF);
    if (e == NULL)
        e = make(t, word, NO_LEAF);
    if (e == NULL) {
        t->result = CW_READER_FULL;
        return 4;
    }
    if (e->type == ROOT)
        return add_to_root(t, e, id, again);
    if (plain_has(e, id))
        t->result = CW_READER_SAME;
    else if (e->cnt == 3)
        return convert(t, e, id);
    else
        e->id[e->cnt++] = id;
    return again && (e->cnt < 3 || t->result == CW_READER_DONE) ? 2 : 4;
}

static void plain_keep(struct reader_list *t, struct entry *e, const bool *stays)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->cnt; i++)
        if (stays[i])
            e->id[kept++] = e->id[i];
    e->cnt = kept;
    if (kept == 0)
        drop(t, e);
}

/* Frees a leaf, and with the last one the root. */
static void drop_leaf(struct reader_list *t, struct entry *l)
{
    struct entry *root = find(t, l->word, NO_LEAF);
    drop(t, l);
    root->bits &= ~(1u << l->leaf);
    if (root->bits == 0)
        drop(t, root);
}

static uint32_t take_out(struct reader_list *t, uint64_t word, uint32_t id)
{
    struct entry *e = find(t, word, NO_LEAF);
    t->result = CW_READER_SAME;
    if (e == NULL || (e->type == PLAIN && !plain_has(e, id)))
        return 4;
    if (e->type == PLAIN) {
        const bool stays[3] = {e->id[0] != id, e->id[1] != id, e->id[2] != id};
        plain_keep(t, e, stays);
        t->result = CW_READER_DONE;
        return 4;
    }
    struct entry *l = find(t, word, leaf_of(t, id));
    if (l == NULL)
        return 4;
    if ((l->bits & bit_of(t, id)) == 0)
        return 5;
    t->result = CW_READER_DONE;
    l->bits &= ~bit_of(t, id);
    if (l->bits != 0)
        return 5;
    drop_leaf(t, l);
    return 6;
}

/* A row of the sweep. Its cycles. */
static uint32_t sweep_row(struct reader_list *t)
{
    uint32_t cycles = 2;
    for (uint32_t w = 0; w < t->p.ways; w++) {
        if (t->row >= t->rows[w])
            continue;
        struct entry *e = t->entry[w] + t->row;
        if (e->type == PLAIN) {
            const bool stays[3] = {t->live[e->id[0]], t->live[e->id[1]], t->live[e->id[2]]};
            const uint32_t before = e->cnt;
            plain_keep(t, e, stays);
            cycles += e->cnt == before ? 4 : 5;
        } else if (e->type == LEAF) {
            const uint32_t before = e->bits;
            for (uint32_t i = 0; i < 1u << t->p.leaf_w; i++)
                if (!t->live[e->leaf << t->p.leaf_w | i])
                    e->bits &= ~(1u << i);
            cycles += e->bits == before ? 4 : e->bits != 0 ? 5 : 9;
            if (e->bits == 0)
                drop_leaf(t, e);
        }
    }
    t->last_row = ++t->row == t->rows[0];
    return cycles;
}

/* Cycles */

static bool is_ready(const struct reader_list *t)
{
    return t->clearing == 0 && t->busy == 0 && !t->lists && !(t->sweeping && t->turns == TURNS);
}

static void reader_eval(void *self, const void *inputs, void *outputs)
{
    const struct reader_list *t = self;
    reader_out *out = outputs;
    (void)inputs;
    *out = t->current;
    out->op_ready = is_ready(t);
    out->rdr_valid = t->given_at < t->given_cnt;
    out->rdr_id = out->rdr_valid ? t->given[t->given_at] : 0;
    out->sweep_busy = t->sweeping;
    out->used = t->shown;
    out->idle = t->clearing == 0 && t->busy == 0 && !t->lists && !t->sweeping && !t->current.ans_valid;
}

static void finish(struct reader_list *t, bool answer)
{
    t->shown = t->used;
    t->current.ans_valid = answer;
    t->current.ans_result = answer ? t->result : 0;
}

static void give(struct reader_list *t, uint32_t id)
{
    t->given[t->given_cnt++] = id;
}

/* The end of a step of a LIST: what it has found. */
static void found(struct reader_list *t)
{
    t->given_cnt = t->given_at = 0;
    if (t->first) {
        const struct entry *e = find(t, t->word, NO_LEAF);
        for (uint32_t i = 0; e->type == PLAIN && i < e->cnt; i++)
            give(t, e->id[i]);
        t->leaves = e->type == ROOT ? e->bits : 0;
        t->first = false;
    } else {
        const uint32_t leaf = (uint32_t)__builtin_ctz(t->leaves);
        const struct entry *e = find(t, t->word, leaf);
        for (uint32_t i = 0; i < 1u << t->p.leaf_w; i++)
            if ((e->bits >> i & 1) != 0)
                give(t, leaf << t->p.leaf_w | i);
        t->leaves &= t->leaves - 1;
    }
    t->step = t->leaves != 0 ? STEP : 0;
}

static void list(struct reader_list *t)
{
    const bool all_given = t->given_at == t->given_cnt;
    if (t->step > 1) {
        t->step--;
    } else if (t->step == 1 && all_given) {
        found(t);
    } else if (t->step == 0 && all_given) {
        t->lists = false;
        finish(t, true);
    }
}

static void operate(struct reader_list *t, const reader_in *in)
{
    const uint64_t kind = in->op_kind & 7, word = in->op_word & t->word_mask;
    const uint32_t id = (uint32_t)in->op_id & t->id_mask;
    if (kind >= CW_READER_RUN) {
        t->live[id] = kind == CW_READER_RUN;
        return;
    }
    t->answers = true;
    t->turns += t->turns < TURNS;
    t->result = CW_READER_DONE;
    if (kind == CW_READER_LIST && find(t, word, NO_LEAF) != NULL) {
        t->lists = t->first = true;
        t->word = word;
        t->step = STEP - 1;
        t->open = false;
        return;
    }
    const uint32_t cycles = kind == CW_READER_ADD ? add(t, word, id) : kind == CW_READER_REMOVE ? take_out(t, word, id) : STEP;
    t->busy = cycles - 1;
    t->open = kind == CW_READER_ADD && t->result != CW_READER_FULL;
    t->open_word = word;
    t->open_leaf = leaf_of(t, id);
}

/* A cycle in which nothing was under way. */
static void begin(struct reader_list *t, const reader_in *in)
{
    if (in->op_valid && is_ready(t)) {
        operate(t, in);
    } else if (t->sweeping) {
        t->answers = t->open = false;
        t->turns = 0;
        t->busy = sweep_row(t) - 1;
    }
}

static void reader_tick(void *self, const void *inputs)
{
    struct reader_list *t = self;
    const reader_in *in = inputs;
    memset(&t->current, 0, sizeof t->current);
    if (t->given_at < t->given_cnt && in->rdr_ready)
        t->given_at++;
    if (t->clearing > 0) {
        t->clearing--;
    } else if (t->lists) {
        list(t);
    } else if (t->busy > 0) {
        if (--t->busy == 0) {
            finish(t, t->answers);
            t->sweeping = t->sweeping && (t->answers || !t->last_row);
        }
    } else {
        begin(t, in);
    }
    if (in->sweep) {
        t->sweeping = true;
        t->last_row = false;
        t->row = 0;
    }
}

/* State */

static void entry_state(struct cw_state *s, struct entry *e)
{
    CW_STATE(s, e->type);
    if (e->type == UNUSED)
        return;
    CW_STATE(s, e->word);
    CW_STATE(s, e->leaf);
    CW_STATE(s, e->bits);
    CW_STATE(s, e->cnt);
    CW_STATE(s, e->id);
}

static void table_state(struct cw_state *s, struct reader_list *t)
{
    for (uint32_t w = 0; w < t->p.ways; w++)
        for (uint32_t i = 0; i < t->rows[w]; i++)
            entry_state(s, &t->entry[w][i]);
    CW_STATE(s, t->live);
    CW_STATE(s, t->used);
    CW_STATE(s, t->shown);
}

static void list_state(struct cw_state *s, struct reader_list *t)
{
    CW_STATE(s, t->lists);
    CW_STATE(s, t->word);
    CW_STATE(s, t->step);
    CW_STATE(s, t->first);
    CW_STATE(s, t->leaves);
    CW_STATE(s, t->given);
    cw_state_count(s, "given", &t->given_cnt, sizeof t->given / sizeof t->given[0]);
    cw_state_count(s, "given next", &t->given_at, t->given_cnt);
}

static void reader_state(void *self, struct cw_state *s)
{
    struct reader_list *t = self;
    table_state(s, t);
    CW_STATE(s, t->clearing);
    CW_STATE(s, t->busy);
    CW_STATE(s, t->answers);
    CW_STATE(s, t->open);
    CW_STATE(s, t->open_word);
    CW_STATE(s, t->open_leaf);
    CW_STATE(s, t->result);
    CW_STATE(s, t->sweeping);
    CW_STATE(s, t->last_row);
    CW_STATE(s, t->turns);
    cw_state_count(s, "row", &t->row, t->rows[0]);
    list_state(s, t);
    CW_STATE_PORTS(s, t->current);
}

#define CW_UNIT__PARAMS_T struct cw_scalable_reader_list_params
#define CW_UNIT__IN_T     struct cw_scalable_reader_list_in
#define CW_UNIT__OUT_T    struct cw_scalable_reader_list_out
CW_UNIT_DEFINE_WORDS(scalable_reader_list, CW_SCALABLE_READER_LIST_PARAMS, CW_SCALABLE_READER_LIST_PORTS, CW_SCALABLE_READER_LIST_WORDS,
                     reader_create, reader_destroy, reader_reset, reader_eval, reader_tick, reader_state);
