/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the writer table (contract: include/cowarp/unit/writer_table.h). */
#include "cowarp/unit/writer_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"
#include "unit/h3.h"

typedef struct cw_writer_table_in writer_in;
typedef struct cw_writer_table_out writer_out;

#define IDS_MAX  1024u
#define WAYS_MAX 8u
#define STAGES   4u /* an operation leaves behind them, with its answer */

struct entry {
    uint64_t word;
    uint16_t id;
    bool used;
};

/* What was taken in one cycle. */
struct stage {
    bool busy, row;
    uint32_t used; /* entries after it */
    writer_out answer;
};

struct writer_table {
    struct cw_writer_table_params p;
    uint64_t word_mask;
    uint32_t id_mask;
    uint32_t rows[WAYS_MAX];
    struct cw_h3 hash[CW_H3_WAYS];
    struct entry *entry[WAYS_MAX]; /* by row */
    enum { NOBODY, RUNS, COMMITTED } state[IDS_MAX];
    uint32_t used, shown;       /* entries; as of what has left the stages */
    uint32_t clearing;          /* cycles until operations are taken */
    uint32_t blocked;           /* cycles until the next operation or row */
    bool rows_turn;             /* the last was an operation with an answer: a row of the sweep is next */
    struct stage stage[STAGES]; /* of the last cycles, the newest first */
    bool left;                  /* something, in the last cycle */
    bool sweeping, last_row;
    uint32_t row; /* of the sweep, next */
    writer_out current;
};

static void writer_reset(void *self)
{
    struct writer_table *t = self;
    for (uint32_t w = 0; w < t->p.ways; w++)
        memset(t->entry[w], 0, t->rows[w] * sizeof *t->entry[w]);
    memset(t->state, 0, sizeof t->state);
    memset(t->stage, 0, sizeof t->stage);
    memset(&t->current, 0, sizeof t->current);
    const uint32_t state_rows = t->p.id_w > 4 ? 1u << (t->p.id_w - 4) : 1;
    t->clearing = t->rows[0] > state_rows ? t->rows[0] : state_rows;
    t->used = t->shown = t->blocked = t->row = 0;
    t->rows_turn = t->left = t->sweeping = t->last_row = false;
}

static void writer_destroy(void *self)
{
    struct writer_table *t = self;
    for (uint32_t w = 0; w < WAYS_MAX; w++)
        free(t->entry[w]);
    free(t);
}

static int writer_create(void **self, const void *params)
{
    const struct cw_writer_table_params *p = params;
    if (cw_unit_params_check(&cw_writer_table_unit, p, NULL) != CW_OK || p->entries < p->ways)
        return CW_EINVAL;
    struct writer_table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return CW_ENOMEM;
    t->p = *p;
    t->word_mask = (UINT64_C(1) << p->word_w) - 1;
    t->id_mask = (1u << p->id_w) - 1;
    for (uint32_t i = 0; i < CW_H3_WAYS; i++)
        cw_h3_init(t->hash + i, cw_h3_way_seed(i), p->word_w, 32);
    for (uint32_t w = 0; w < p->ways; w++) {
        t->rows[w] = (p->entries + p->ways - 1 - w) / p->ways;
        t->entry[w] = calloc(t->rows[w], sizeof *t->entry[w]);
        if (t->entry[w] == NULL) {
            writer_destroy(t);
            return CW_ENOMEM;
        }
    }
    writer_reset(t);
    *self = t;
    return CW_OK;
}

static bool is_ready(const struct writer_table *t)
{
    return t->clearing == 0 && t->blocked == 0 && !(t->sweeping && t->rows_turn);
}

static void writer_eval(void *self, const void *inputs, void *outputs)
{
    const struct writer_table *t = self;
    writer_out *out = outputs;
    (void)inputs;
    *out = t->current;
    out->op_ready = is_ready(t);
    out->sweep_busy = t->sweeping;
    out->used = t->shown;
    out->idle = t->clearing == 0 && !t->left && !t->sweeping;
    for (uint32_t i = 0; i < STAGES; i++)
        out->idle = out->idle && !t->stage[i].busy;
}

static struct entry *place(struct writer_table *t, uint32_t way, uint64_t word)
{
    const uint32_t hash = cw_h3(t->hash + way % CW_H3_WAYS, word) >> (way < CW_H3_WAYS ? 0 : 16) & 0xffff;
    return t->entry[way] + ((uint64_t)hash * t->rows[way] >> 16);
}

static void claim(struct writer_table *t, writer_out *a, struct entry *room, uint64_t word, uint32_t id)
{
    if (a->ans_result != CW_WRITER_GRANTED)
        return;
    if (room == NULL) {
        a->ans_result = CW_WRITER_FULL;
        return;
    }
    t->used += room->used ? 0 : 1;
    *room = (struct entry){.word = word, .id = (uint16_t)id, .used = true};
}

/* QUERY, CLAIM, RELEASE: takes effect at once, and is answered later. */
static void look(struct writer_table *t, writer_out *a, uint64_t kind, uint64_t word, uint32_t id)
{
    struct entry *room = NULL, *own = NULL, *owner = NULL;
    a->ans_valid = 1;
    for (uint32_t w = 0; w < t->p.ways; w++) {
        struct entry *e = place(t, w, word);
        const bool counts = e->used && t->state[e->id] != NOBODY, same = e->used && e->word == word;
        if (room == NULL && !counts)
            room = e;
        if (same && e->id == id)
            own = e;
        if (!same || e->id == id || !counts)
            continue;
        a->ans_writers |= UINT64_C(1) << w;
        a->ans_ids[w / 2] |= (uint32_t)e->id << 16 * (w % 2);
        if (owner == NULL && t->state[e->id] == RUNS)
            owner = e;
    }
    a->ans_result = own != NULL ? CW_WRITER_OWN : CW_WRITER_GRANTED;
    if (kind == CW_WRITER_CLAIM && own == NULL && owner != NULL) {
        a->ans_result = CW_WRITER_OWNED;
        a->ans_owner = owner->id;
    }
    if (kind == CW_WRITER_CLAIM)
        claim(t, a, room, word, id);
    if (kind == CW_WRITER_RELEASE && own != NULL) {
        own->used = false;
        t->used--;
    }
}

static void sweep_row(struct writer_table *t)
{
    for (uint32_t w = 0; w < t->p.ways; w++) {
        if (t->row >= t->rows[w])
            continue;
        struct entry *e = t->entry[w] + t->row;
        if (!e->used || t->state[e->id] != NOBODY)
            continue;
        e->used = false;
        t->used--;
    }
    t->last_row = ++t->row == t->rows[0];
}

/* An operation, else a row of the sweep, goes into the first stage. */
static void begin(struct writer_table *t, const writer_in *in, struct stage *first)
{
    const uint64_t kind = in->op_kind & 7;
    const uint32_t id = (uint32_t)in->op_id & t->id_mask;
    const bool taken = in->op_valid && is_ready(t), row = !taken && t->sweeping;
    if (taken && kind >= CW_WRITER_RUN)
        t->state[id] = kind == CW_WRITER_RUN ? RUNS : kind == CW_WRITER_COMMIT ? COMMITTED : NOBODY;
    else if (taken)
        look(t, &first->answer, kind, in->op_word & t->word_mask, id);
    else if (row)
        sweep_row(t);
    if (row || (taken && (kind == CW_WRITER_CLAIM || kind == CW_WRITER_RELEASE)))
        t->blocked = STAGES;
    if (row || (taken && kind < CW_WRITER_RUN))
        t->rows_turn = taken;
    first->busy = taken || row;
    first->row = row;
    first->used = t->used;
}

static void leave(struct writer_table *t, const struct stage *last)
{
    t->current = last->answer;
    t->left = last->busy;
    if (last->busy)
        t->shown = last->used;
    if (last->row && t->last_row)
        t->sweeping = false;
}

static void writer_tick(void *self, const void *inputs)
{
    struct writer_table *t = self;
    const writer_in *in = inputs;
    struct stage first = {0};
    if (t->clearing > 0)
        t->clearing--;
    else if (t->blocked > 0)
        t->blocked--;
    else
        begin(t, in, &first);
    leave(t, t->stage + STAGES - 1);
    memmove(t->stage + 1, t->stage, (STAGES - 1) * sizeof *t->stage);
    t->stage[0] = first;
    if (in->sweep) {
        t->sweeping = true;
        t->last_row = false;
        t->row = 0;
    }
}

static void entries_state(struct cw_state *s, struct writer_table *t)
{
    for (uint32_t w = 0; w < t->p.ways; w++)
        for (uint32_t i = 0; i < t->rows[w]; i++) {
            CW_STATE(s, t->entry[w][i].word);
            CW_STATE(s, t->entry[w][i].id);
            CW_STATE(s, t->entry[w][i].used);
        }
    cw_state_array(s, "state", t->state, t->id_mask + 1, sizeof t->state[0]);
}

static void writer_state(void *self, struct cw_state *s)
{
    struct writer_table *t = self;
    entries_state(s, t);
    CW_STATE(s, t->used);
    CW_STATE(s, t->shown);
    CW_STATE(s, t->clearing);
    CW_STATE(s, t->blocked);
    CW_STATE(s, t->rows_turn);
    for (uint32_t i = 0; i < STAGES; i++) {
        CW_STATE(s, t->stage[i].busy);
        CW_STATE(s, t->stage[i].row);
        CW_STATE(s, t->stage[i].used);
        CW_STATE_PORTS(s, t->stage[i].answer);
    }
    CW_STATE(s, t->left);
    CW_STATE(s, t->sweeping);
    CW_STATE(s, t->last_row);
    cw_state_count(s, "row", &t->row, t->rows[0]);
    CW_STATE_PORTS(s, t->current);
}

#define CW_UNIT__PARAMS_T struct cw_writer_table_params
#define CW_UNIT__IN_T     struct cw_writer_table_in
#define CW_UNIT__OUT_T    struct cw_writer_table_out
CW_UNIT_DEFINE_WORDS(writer_table, CW_WRITER_TABLE_PARAMS, CW_WRITER_TABLE_PORTS, CW_WRITER_TABLE_WORDS, writer_create, writer_destroy,
                     writer_reset, writer_eval, writer_tick, writer_state);
