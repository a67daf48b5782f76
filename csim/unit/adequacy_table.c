/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of the predictor of compaction-adequacy (contract: include/cowarp/unit/adequacy_table.h).
 *
 * What an operation will be told is known as soon as it is taken, since rows see operations in their order. It then waits for the cycles of
 * its prediction and of its judgement.
 */
#include "cowarp/unit/adequacy_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"

typedef struct cw_adequacy_table_in table_in;
typedef struct cw_adequacy_table_out table_out;

#define LANES_MAX 32u
#define AGES      3u /* Cycles from an operation to its judgement. */

struct entry {
    uint32_t pc;
    bool known, adequate;
};

struct row {
    bool begun, wait;
    uint8_t sides;
    uint8_t taken[LANES_MAX], other[LANES_MAX]; /* Threads by lane. */
};

/* An operation under way. */
struct told {
    uint32_t pc;
    bool there, wait, last, adequate;
    bool learns; /* Nothing was forgotten since it was taken. */
};

struct table {
    struct cw_adequacy_table_params p;
    uint32_t lane_mask, row_mask, pc_mask, index_mask;
    uint8_t count_mask, side_mask;
    struct entry *entry;
    struct row *row;
    struct told told[AGES]; /* Taken one cycle before, two, three. */
};

static void table_reset(void *self)
{
    struct table *t = self;
    memset(t->entry, 0, sizeof *t->entry << t->p.index_w);
    memset(t->row, 0, sizeof *t->row << t->p.row_w);
    memset(t->told, 0, sizeof t->told);
}

static void table_destroy(void *self)
{
    struct table *t = self;
    if (t == NULL)
        return;
    free(t->entry);
    free(t->row);
    free(t);
}

static uint32_t mask_of(uint32_t width)
{
    return width >= 32 ? UINT32_MAX : (1u << width) - 1;
}

static int table_create(void **self, const void *params)
{
    const struct cw_adequacy_table_params *p = params;
    if (cw_unit_params_check(&cw_adequacy_table_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return CW_ENOMEM;
    t->p = *p;
    t->lane_mask = mask_of(p->lanes);
    t->row_mask = mask_of(p->row_w);
    t->pc_mask = mask_of(p->index_w + p->tag_w);
    t->index_mask = mask_of(p->index_w);
    t->count_mask = (uint8_t)mask_of(p->count_w);
    t->side_mask = (uint8_t)mask_of(p->count_w + 1);
    t->entry = calloc((size_t)1 << p->index_w, sizeof *t->entry);
    t->row = calloc((size_t)1 << p->row_w, sizeof *t->row);
    if (t->entry == NULL || t->row == NULL) {
        table_destroy(t);
        return CW_ENOMEM;
    }
    *self = t;
    return CW_OK;
}

static void table_eval(void *self, const void *inputs, void *outputs)
{
    const struct table *t = self;
    const struct told *answered = &t->told[1], *judged = &t->told[2];
    (void)inputs;
    *(table_out *)outputs = (table_out){
        .ans_valid = answered->there,
        .ans_wait = answered->there && answered->wait,
        .jdg_valid = judged->there && judged->last,
        .jdg_adequate = judged->there && judged->last && judged->adequate,
        .idle = !t->told[0].there && !answered->there && !(judged->there && judged->last),
    };
}

static void learn(struct table *t, const struct told *judged)
{
    if (judged->there && judged->last && judged->learns)
        t->entry[judged->pc & t->index_mask] = (struct entry){.pc = judged->pc, .known = true, .adequate = judged->adequate};
}

static void forget(struct table *t)
{
    for (uint32_t i = 0; i <= t->index_mask; i++)
        t->entry[i].known = false;
    for (uint32_t i = 0; i < AGES; i++)
        t->told[i].learns = false;
}

static void count(uint8_t threads[LANES_MAX], uint32_t lanes, uint8_t mask)
{
    for (uint32_t l = 0; l < LANES_MAX; l++)
        threads[l] = (uint8_t)((threads[l] + (lanes >> l & 1u)) & mask);
}

static uint32_t fullest(const uint8_t threads[LANES_MAX])
{
    uint32_t most = 0;
    for (uint32_t l = 0; l < LANES_MAX; l++)
        most = threads[l] > most ? threads[l] : most;
    return most;
}

/* The operation as it will be told. */
static struct told take(struct table *t, const table_in *in)
{
    const uint32_t pc = (uint32_t)in->op_pc & t->pc_mask, taken = (uint32_t)in->op_taken & t->lane_mask,
                   other = (uint32_t)in->op_other & t->lane_mask;
    const struct entry *e = &t->entry[pc & t->index_mask];
    struct row *r = &t->row[in->op_row & t->row_mask];
    if ((in->op_first & 1) != 0 || !r->begun)
        *r = (struct row){.begun = true, .wait = !e->known || e->pc != pc || e->adequate};
    count(r->taken, taken, t->count_mask);
    count(r->other, other, t->count_mask);
    r->sides = (uint8_t)((r->sides + (taken != 0) + (other != 0)) & t->side_mask);
    return (struct told){.pc = pc,
                         .there = true,
                         .wait = r->wait,
                         .last = in->op_last & 1,
                         .adequate = fullest(r->taken) + fullest(r->other) < r->sides,
                         .learns = true};
}

static void table_tick(void *self, const void *inputs)
{
    struct table *t = self;
    const table_in *in = inputs;
    learn(t, &t->told[2]);
    if ((in->forget & 1) != 0)
        forget(t);
    memmove(t->told + 1, t->told, (AGES - 1) * sizeof t->told[0]);
    t->told[0] = (in->op_valid & 1) != 0 ? take(t, in) : (struct told){0};
}

static void table_state(void *self, struct cw_state *s)
{
    struct table *t = self;
    for (uint32_t i = 0; i <= t->index_mask; i++) {
        CW_STATE(s, t->entry[i].pc);
        CW_STATE(s, t->entry[i].known);
        CW_STATE(s, t->entry[i].adequate);
    }
    for (uint32_t i = 0; i <= t->row_mask; i++) {
        struct row *r = &t->row[i];
        CW_STATE(s, r->begun);
        CW_STATE(s, r->wait);
        CW_STATE(s, r->sides);
        CW_STATE(s, r->taken);
        CW_STATE(s, r->other);
    }
    for (uint32_t i = 0; i < AGES; i++) {
        CW_STATE(s, t->told[i].pc);
        CW_STATE(s, t->told[i].there);
        CW_STATE(s, t->told[i].wait);
        CW_STATE(s, t->told[i].last);
        CW_STATE(s, t->told[i].adequate);
        CW_STATE(s, t->told[i].learns);
    }
}

#define CW_UNIT__PARAMS_T struct cw_adequacy_table_params
#define CW_UNIT__IN_T     struct cw_adequacy_table_in
#define CW_UNIT__OUT_T    struct cw_adequacy_table_out
CW_UNIT_DEFINE(adequacy_table, CW_ADEQUACY_TABLE_PARAMS, CW_ADEQUACY_TABLE_PORTS, table_create, table_destroy, table_reset, table_eval,
               table_tick, table_state);
