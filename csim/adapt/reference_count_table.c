/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/reference_count_table.h"

#include <assert.h>
#include <stdlib.h>

#include "adapt/open.h"
#include "adapt/sets.h"
#include "cowarp/unit/reference_count_table.h"

struct cw_adapt_reference_count_table {
    struct cw_unit_instance unit;
    struct cw_reference_count_table_in in;
    uint64_t memory_base;
    bool awake;
};

int cw_adapt_reference_count_table_create(struct cw_adapt_reference_count_table **out,
                                          const struct cw_adapt_reference_count_table_config *config, struct cw_error *err)
{
    struct cw_adapt_reference_count_table *t = *out = calloc(1, sizeof *t);
    struct cw_reference_count_table_params p;
    struct cw_reference_count_table_out view;
    if (t == NULL)
        return CW_ENOMEM;
    cw_unit_params_default(&cw_reference_count_table_unit, &p);
    if (!cw_adapt_sets(config->entries, &p.ways, &p.set_w))
        return CW_EINVAL;
    t->memory_base = config->memory_base;
    const int status = cw_adapt_open(&t->unit, config->units, &cw_reference_count_table_unit, "partition", config->partition, &p, err);
    if (status != CW_OK)
        return status;
    for (t->unit.ops->eval(t->unit.self, &t->in, &view); !view.op_ready; t->unit.ops->eval(t->unit.self, &t->in, &view))
        t->unit.ops->tick(t->unit.self, &t->in);
    return CW_OK;
}

void cw_adapt_reference_count_table_destroy(struct cw_adapt_reference_count_table *t)
{
    if (t == NULL)
        return;
    cw_adapt_close(&t->unit);
    free(t);
}

void cw_adapt_reference_count_table_operate(struct cw_adapt_reference_count_table *t, uint64_t addr, bool release)
{
    assert(!t->in.op_valid);
    t->in.op_valid = 1;
    t->in.op_release = release;
    t->in.op_word = (addr - t->memory_base) / 4;
}

void cw_adapt_reference_count_table_clock(struct cw_adapt_reference_count_table *t, struct cw_adapt_reference_count_table_answer *answer)
{
    struct cw_reference_count_table_out out;
    *answer = (struct cw_adapt_reference_count_table_answer){0};
    if (!t->in.op_valid && !t->awake)
        return;
    t->unit.ops->eval(t->unit.self, &t->in, &out);
    t->unit.ops->tick(t->unit.self, &t->in);
    t->awake = t->in.op_valid || !out.idle;
    t->in = (struct cw_reference_count_table_in){0};
    *answer = (struct cw_adapt_reference_count_table_answer){
        .valid = out.ans_valid != 0, .counted = out.ans_counted != 0, .edge = out.ans_edge != 0};
}

void cw_adapt_reference_count_table_state(struct cw_state *s, struct cw_adapt_reference_count_table *t)
{
    cw_adapt_state(s, &t->unit);
    CW_STATE_PORTS(s, t->in);
    CW_STATE(s, t->awake);
}
