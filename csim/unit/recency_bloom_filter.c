/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of the recency Bloom filter (contract: include/cowarp/unit/recency_bloom_filter.h).
 *
 * An insertion is visible to the lookups of the next cycle, so the model applies it at once, after the lookup of the same
 * cycle; a lookup's answer is fixed when it is accepted and only travels through a delay of three cycles afterwards.
 */
#include "cowarp/unit/recency_bloom_filter.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"
#include "unit/h3.h"

typedef struct cw_recency_bloom_filter_in bloom_in;
typedef struct cw_recency_bloom_filter_out bloom_out;

struct answer {
    bool valid;
    uint64_t v[2];
};

struct bloom {
    struct cw_recency_bloom_filter_params p;
    struct cw_h3x4 hash;
    uint64_t value_mask;
    uint64_t key_mask;
    uint32_t clear_left;   /* cycles of the sweep still to come; 0: not clearing */
    uint32_t moving_left;  /* cycles until no lookup and no insertion is under way */
    struct answer fetched; /* lookup accepted in the last cycle */
    struct answer found;   /* lookup accepted two cycles ago */
    struct answer rsp;     /* lookup accepted three cycles ago; all 0 when there was none */
    uint64_t (*row)[2];    /* [ways << row_w]: way-major */
};

static uint64_t mask_of(uint32_t width)
{
    return width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static void bloom_clear(struct bloom *b)
{
    memset(b->row, 0, ((size_t)b->p.ways << b->p.row_w) * sizeof *b->row);
    b->clear_left = 1u << b->p.row_w;
}

static void bloom_reset(void *self)
{
    struct bloom *b = self;
    b->moving_left = 0;
    memset(&b->fetched, 0, sizeof b->fetched);
    memset(&b->found, 0, sizeof b->found);
    memset(&b->rsp, 0, sizeof b->rsp);
    bloom_clear(b);
}

static void bloom_destroy(void *self)
{
    struct bloom *b = self;
    if (b != NULL)
        free(b->row);
    free(b);
}

static int bloom_create(void **self, const void *params)
{
    const struct cw_recency_bloom_filter_params *p = params;
    if (cw_unit_params_check(&cw_recency_bloom_filter_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct bloom *b = calloc(1, sizeof *b);
    if (b == NULL)
        return CW_ENOMEM;
    b->p = *p;
    b->row = calloc((size_t)p->ways << p->row_w, sizeof *b->row);
    if (b->row == NULL) {
        free(b);
        return CW_ENOMEM;
    }
    b->value_mask = mask_of(p->value_w);
    b->key_mask = mask_of(p->key_w);
    cw_h3x4_init(&b->hash, p->key_w, p->row_w);
    bloom_reset(b);
    *self = b;
    return CW_OK;
}

/* The row that the key has in each way. */
static void find_rows(const struct bloom *b, uint64_t key, uint64_t *row[CW_H3_WAYS])
{
    uint64_t hash = cw_h3x4(&b->hash, key & b->key_mask);
    for (uint32_t w = 0; w < b->p.ways; w++, hash >>= 16)
        row[w] = b->row[((size_t)w << b->p.row_w) + (hash & 0xffff)];
}

static void bloom_eval(void *self, const void *inputs, void *outputs)
{
    const struct bloom *b = self;
    const bloom_in *in = inputs;
    bloom_out *out = outputs;
    bool clearing = b->clear_left != 0;
    out->lkp_ready = !clearing;
    out->ins_ready = !clearing && (b->p.dual_read || !in->lkp_valid);
    out->rsp_valid = b->rsp.valid;
    out->rsp_v0 = b->rsp.v[0];
    out->rsp_v1 = b->rsp.v[1];
    out->busy = clearing || b->moving_left != 0;
}

static void look_up(struct bloom *b, uint64_t key)
{
    uint64_t *row[CW_H3_WAYS];
    find_rows(b, key, row);
    uint64_t v0 = UINT64_MAX, v1 = UINT64_MAX; /* there is at least one way */
    for (uint32_t w = 0; w < b->p.ways; w++) {
        v0 = row[w][0] < v0 ? row[w][0] : v0;
        v1 = row[w][1] < v1 ? row[w][1] : v1;
    }
    b->fetched.v[0] = v0;
    b->fetched.v[1] = v1;
}

static void insert(struct bloom *b, uint64_t key, uint64_t v0, uint64_t v1)
{
    uint64_t *row[CW_H3_WAYS];
    find_rows(b, key, row);
    for (uint32_t w = 0; w < b->p.ways; w++) {
        row[w][0] = v0 > row[w][0] ? v0 : row[w][0];
        row[w][1] = v1 > row[w][1] ? v1 : row[w][1];
    }
}

static void bloom_tick(void *self, const void *inputs)
{
    struct bloom *b = self;
    const bloom_in *in = inputs;
    bool clearing = b->clear_left != 0;
    bool look = in->lkp_valid && !clearing;
    bool inserts = in->ins_valid && !clearing && (b->p.dual_read || !in->lkp_valid);

    b->rsp = b->found;
    b->found = b->fetched;
    b->fetched = (struct answer){.valid = look};
    if (look)
        look_up(b, in->lkp_key);
    if (look)
        b->moving_left = CW_RECENCY_BLOOM_FILTER_LATENCY;
    else if (inserts)
        b->moving_left = 2;
    else if (b->moving_left != 0)
        b->moving_left--;
    if (inserts)
        insert(b, in->ins_key, in->ins_v0 & b->value_mask, b->p.fields == 2 ? in->ins_v1 & b->value_mask : 0);
    if (in->clear)
        bloom_clear(b);
    else if (clearing)
        b->clear_left--;
}

static void answer_state(struct cw_state *s, struct answer *a)
{
    CW_STATE(s, a->valid);
    CW_STATE(s, a->v);
}

static void bloom_state(void *self, struct cw_state *s)
{
    struct bloom *b = self;
    cw_state_array(s, "row", b->row, ((size_t)b->p.ways << b->p.row_w) * 2, sizeof(uint64_t));
    CW_STATE(s, b->clear_left);
    CW_STATE(s, b->moving_left);
    answer_state(s, &b->fetched);
    answer_state(s, &b->found);
    answer_state(s, &b->rsp);
}

#define CW_UNIT__PARAMS_T struct cw_recency_bloom_filter_params
#define CW_UNIT__IN_T     struct cw_recency_bloom_filter_in
#define CW_UNIT__OUT_T    struct cw_recency_bloom_filter_out
CW_UNIT_DEFINE(recency_bloom_filter, CW_RECENCY_BLOOM_FILTER_PARAMS, CW_RECENCY_BLOOM_FILTER_PORTS, bloom_create, bloom_destroy,
               bloom_reset, bloom_eval, bloom_tick, bloom_state);
