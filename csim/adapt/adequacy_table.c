/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/adequacy_table.h"

#include <stdlib.h>

#include "adapt/open.h"

struct cw_adapt_adequacy_table {
    struct cw_unit_instance unit;
    struct cw_adequacy_table_in in;
    struct cw_adequacy_table_out out;
    bool awake;   /* An operation is under way. */
    bool forgets; /* The next cycle that it is clocked in begins with an empty table. */
};

int cw_adapt_adequacy_table_create(struct cw_adapt_adequacy_table **out, const struct cw_unit_provider *units,
                                   const struct cw_adapt_adequacy_table_config *config, struct cw_error *err)
{
    struct cw_adapt_adequacy_table *t = *out = calloc(1, sizeof *t);
    struct cw_adequacy_table_params p;
    if (t == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a predictor of compaction-adequacy");
    cw_unit_params_default(&cw_adequacy_table_unit, &p);
    p.row_w = cw_adapt_bits(config->rows - 1);
    p.index_w = cw_adapt_bits(config->entries - 1);
    p.tag_w = config->pc_w - p.index_w;
    return cw_adapt_open(&t->unit, units, &cw_adequacy_table_unit, "core", config->core, &p, err);
}

void cw_adapt_adequacy_table_destroy(struct cw_adapt_adequacy_table *t)
{
    if (t == NULL)
        return;
    cw_adapt_close(&t->unit);
    free(t);
}

void cw_adapt_adequacy_table_forget(struct cw_adapt_adequacy_table *t)
{
    t->forgets = true;
}

void cw_adapt_adequacy_table_clock(struct cw_adapt_adequacy_table *t, const struct cw_adapt_adequacy_table_op *op,
                                   struct cw_adapt_adequacy_table_view *view)
{
    *view = (struct cw_adapt_adequacy_table_view){0};
    if (op == NULL && !t->awake)
        return;
    t->in = (struct cw_adequacy_table_in){.forget = t->forgets};
    if (op != NULL) {
        t->in.op_valid = 1;
        t->in.op_row = op->row;
        t->in.op_first = op->first;
        t->in.op_last = op->last;
        t->in.op_pc = op->pc;
        t->in.op_taken = op->taken;
        t->in.op_other = op->other;
    }
    t->unit.ops->eval(t->unit.self, &t->in, &t->out);
    view->answer = t->out.ans_valid;
    view->wait = t->out.ans_wait;
    view->judged = t->out.jdg_valid;
    view->adequate = t->out.jdg_adequate;
    t->awake = view->busy = op != NULL || !t->out.idle;
    t->forgets = false;
    t->unit.ops->tick(t->unit.self, &t->in);
}

void cw_adapt_adequacy_table_state(struct cw_state *s, struct cw_adapt_adequacy_table *t)
{
    cw_adapt_state(s, &t->unit);
    CW_STATE(s, t->awake);
    CW_STATE(s, t->forgets);
    CW_STATE_PORTS(s, t->in);
    CW_STATE_PORTS(s, t->out);
}
