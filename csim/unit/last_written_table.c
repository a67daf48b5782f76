/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of TCD's last written time table, exact to the bit and the cycle: include/cowarp/unit/last_written_table.h is the
 * specification (Fung 2015, section 6.4). The times are kept in the C model of the recency Bloom filter.
 */
#include "cowarp/unit/last_written_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/recency_bloom_filter.h"

struct table {
    struct cw_last_written_table_params p;
    struct cw_last_written_table_out out;
    uint64_t time_mask, addr_mask;
    uint64_t first[CW_LAST_WRITTEN_TABLE_LATENCY - 1]; /* first-load time of the READ of the last cycle, of that before, and so on */
    bool answered, conflict;                           /* what the READ of four cycles ago is answered */
    uint64_t answer;
    bool early_warning;
    void *bloom;
    struct cw_recency_bloom_filter_out bloom_out;
};

static const struct cw_unit_ops *bloom_ops(void)
{
    return &cw_recency_bloom_filter_unit.c_model;
}

static uint64_t mask_of(uint32_t width)
{
    return width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static void present(struct table *t)
{
    const struct cw_recency_bloom_filter_out *b = &t->bloom_out;
    struct cw_last_written_table_out *o = &t->out;
    o->op_ready = b->lkp_ready;
    o->rsp_valid = t->answered;
    o->rsp_time = t->answer;
    o->rsp_conflict = t->conflict;
    o->early_warning = t->early_warning;
    o->busy = b->busy || t->answered;
}

static void table_tick(void *self, const void *inputs)
{
    struct table *t = self;
    const struct cw_last_written_table_in *in = inputs;
    if (!t->out.busy && !(in->op_valid & 1) && !(in->clear & 1))
        return;
    const uint64_t time = in->op_time & t->time_mask;
    const bool write = (in->op_valid & 1) && (in->op_write & 1), read = (in->op_valid & 1) && !(in->op_write & 1);
    const struct cw_recency_bloom_filter_in op = {
        .ins_valid = write,
        .ins_key = (in->op_addr & t->addr_mask) >> t->p.block_w,
        .ins_v0 = time,
        .lkp_valid = read,
        .lkp_key = (in->op_addr & t->addr_mask) >> t->p.block_w,
        .clear = in->clear & 1,
    };
    if (write && t->out.op_ready && time >> (t->p.time_w - 3) == 7)
        t->early_warning = true;
    if (in->clear & 1)
        t->early_warning = false;
    t->answered = t->bloom_out.rsp_valid;
    t->answer = t->answered ? t->bloom_out.rsp_v0 : 0;
    t->conflict = t->answer > t->first[2];
    t->first[2] = t->first[1];
    t->first[1] = t->first[0];
    t->first[0] = time; /* matters only if this cycle's operation is a READ */
    bloom_ops()->tick(t->bloom, &op);
    bloom_ops()->eval(t->bloom, &(struct cw_recency_bloom_filter_in){0}, &t->bloom_out);
    present(t);
}

static void table_eval(void *self, const void *inputs, void *outputs)
{
    const struct table *t = self;
    (void)inputs;
    memcpy(outputs, &t->out, sizeof t->out);
}

static void table_reset(void *self)
{
    struct table *t = self;
    t->early_warning = false;
    t->answered = t->conflict = false;
    t->answer = 0;
    memset(t->first, 0, sizeof t->first);
    bloom_ops()->reset(t->bloom);
    bloom_ops()->eval(t->bloom, &(struct cw_recency_bloom_filter_in){0}, &t->bloom_out);
    present(t);
}

static void table_destroy(void *self)
{
    struct table *t = self;
    if (t == NULL)
        return;
    bloom_ops()->destroy(t->bloom);
    free(t);
}

static int table_create(void **self, const void *params)
{
    const struct cw_last_written_table_params *p = params;
    if (cw_unit_params_check(&cw_last_written_table_unit, p, NULL) != CW_OK || p->block_w >= p->addr_w)
        return CW_EINVAL;
    struct table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return CW_ENOMEM;
    t->p = *p;
    t->time_mask = mask_of(p->time_w);
    t->addr_mask = mask_of(p->addr_w);
    const struct cw_recency_bloom_filter_params bloom = {
        .ways = p->ways, .row_w = p->row_w, .key_w = p->addr_w - p->block_w, .fields = 1, .value_w = p->time_w, .dual_read = 0};
    int status = bloom_ops()->create(&t->bloom, &bloom);
    if (status != CW_OK) {
        table_destroy(t);
        return status;
    }
    table_reset(t);
    *self = t;
    return CW_OK;
}

static void table_state(void *self, struct cw_state *s)
{
    struct table *t = self;
    CW_STATE_PORTS(s, t->out);
    CW_STATE(s, t->first);
    CW_STATE(s, t->answered);
    CW_STATE(s, t->conflict);
    CW_STATE(s, t->answer);
    CW_STATE(s, t->early_warning);
    bloom_ops()->state(t->bloom, s);
    CW_STATE_PORTS(s, t->bloom_out);
}

#define CW_UNIT__PARAMS_T struct cw_last_written_table_params
#define CW_UNIT__IN_T     struct cw_last_written_table_in
#define CW_UNIT__OUT_T    struct cw_last_written_table_out
CW_UNIT_DEFINE_WORDS(last_written_table, CW_LAST_WRITTEN_TABLE_PARAMS, CW_LAST_WRITTEN_TABLE_PORTS, CW_LAST_WRITTEN_TABLE_WORDS,
                     table_create, table_destroy, table_reset, table_eval, table_tick, table_state);
