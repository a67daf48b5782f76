/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/version_index_table.h"

#include <stdlib.h>

#include "adapt/open.h"

#define LATENCY 2u /* of an answer, in clocks */

struct cw_adapt_version_index_table {
    struct cw_unit_instance unit;
    uint32_t regions;
    uint32_t awake; /* clocks that it still needs */
};

static void clock(struct cw_adapt_version_index_table *t, const struct cw_version_index_table_in *in,
                  struct cw_version_index_table_out *out)
{
    t->unit.ops->eval(t->unit.self, in, out);
    t->unit.ops->tick(t->unit.self, in);
    t->awake -= t->awake > 0;
    if (in->qry_valid)
        t->awake = LATENCY;
    else if (in->op_valid && t->awake == 0)
        t->awake = 1;
}

int cw_adapt_version_index_table_create(struct cw_adapt_version_index_table **out, const struct cw_unit_provider *units,
                                        const struct cw_adapt_version_index_table_config *config, struct cw_error *err)
{
    struct cw_adapt_version_index_table *t = *out = calloc(1, sizeof *t);
    struct cw_version_index_table_params p;
    if (t == NULL)
        return CW_ENOMEM;
    cw_unit_params_default(&cw_version_index_table_unit, &p);
    p.stride_w = cw_adapt_bits(config->stride);
    p.row_w = cw_adapt_bits(config->rows); /* `rows` itself is the end of the last region */
    p.row_w = p.row_w > p.stride_w ? p.row_w : p.stride_w + 1;
    p.time_w = config->time_bits;
    p.versions = config->versions;
    p.regions = t->regions = config->regions;
    return cw_adapt_open(&t->unit, units, &cw_version_index_table_unit, "partition", config->partition, &p, err);
}

void cw_adapt_version_index_table_destroy(struct cw_adapt_version_index_table *t)
{
    if (t == NULL)
        return;
    cw_adapt_close(&t->unit);
    free(t);
}

void cw_adapt_version_index_table_launch(struct cw_adapt_version_index_table *t, const struct cw_adapt_version_index_table_region *region,
                                         uint32_t cnt, uint32_t slot)
{
    struct cw_version_index_table_out none;
    for (uint32_t i = 0; i < t->regions; i++) {
        struct cw_version_index_table_in in = {.set_valid = 1, .set_index = i};
        if (i < cnt) {
            in.set_used = 1;
            in.set_first = region[i].first;
            in.set_end = region[i].end;
            in.set_far = region[i].far;
            in.set_shift = region[i].shift;
            in.set_stride = region[i].stride;
            in.set_moved = region[i].moved;
        }
        clock(t, &in, &none);
    }
    const struct cw_version_index_table_in restart = {.op_valid = 1, .op_kind = CW_VERSION_RESTART, .op_slot = slot};
    clock(t, &restart, &none);
}

bool cw_adapt_version_index_table_busy(const struct cw_adapt_version_index_table *t)
{
    return t->awake > 0;
}

void cw_adapt_version_index_table_clock(struct cw_adapt_version_index_table *t, const struct cw_adapt_version_index_table_look *look,
                                        const struct cw_adapt_version_index_table_op *op,
                                        struct cw_adapt_version_index_table_answer *answer)
{
    struct cw_version_index_table_in in = {0};
    struct cw_version_index_table_out out;
    *answer = (struct cw_adapt_version_index_table_answer){0};
    if (look == NULL && op == NULL && t->awake == 0)
        return;
    if (look != NULL) {
        in.qry_valid = 1;
        in.qry_kind = (uint64_t)look->kind;
        in.qry_row = look->row;
        in.qry_time = look->time;
        in.qry_slot = look->slot;
    }
    if (op != NULL) {
        in.op_valid = 1;
        in.op_kind = (uint64_t)op->kind;
        in.op_slot = op->slot;
        in.op_time = op->time;
        in.op_cnt = op->cnt;
    }
    clock(t, &in, &out);
    *answer = (struct cw_adapt_version_index_table_answer){.refused = out.op_refused != 0,
                                                           .valid = out.ans_valid != 0,
                                                           .versioned = out.ans_versioned != 0,
                                                           .found = out.ans_found != 0,
                                                           .state = (enum cw_version_state)out.ans_state,
                                                           .slot = (uint32_t)out.ans_slot,
                                                           .row = out.ans_row};
}

void cw_adapt_version_index_table_state(struct cw_state *s, struct cw_adapt_version_index_table *t)
{
    cw_adapt_state(s, &t->unit);
    CW_STATE(s, t->awake);
}
