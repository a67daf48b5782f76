/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/tcm_select.h"

#include <stdlib.h>

#include "adapt/open.h"

struct cw_adapt_tcm_select {
    struct cw_unit_instance unit;
    struct cw_tcm_select_in in;
    struct cw_tcm_select_out out;
};

int cw_adapt_tcm_select_create(struct cw_adapt_tcm_select **out, const struct cw_unit_provider *units, uint32_t core, uint32_t lanes,
                               struct cw_error *err)
{
    struct cw_adapt_tcm_select *s = *out = calloc(1, sizeof *s);
    struct cw_tcm_select_params p;
    if (s == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a select of the conflict mask");
    cw_unit_params_default(&cw_tcm_select_unit, &p);
    p.lanes = lanes;
    return cw_adapt_open(&s->unit, units, &cw_tcm_select_unit, "core", core, &p, err);
}

void cw_adapt_tcm_select_destroy(struct cw_adapt_tcm_select *s)
{
    if (s == NULL)
        return;
    cw_adapt_close(&s->unit);
    free(s);
}

void cw_adapt_tcm_select_ask(struct cw_adapt_tcm_select *s, const struct cw_adapt_tcm_select_ask *ask,
                             struct cw_adapt_tcm_select_answer *answer)
{
    s->in = (struct cw_tcm_select_in){.ask_valid = 1,
                                      .ask_tcm = ask->tcm,
                                      .ask_start = ask->start,
                                      .ask_before = ask->before,
                                      .ask_mcm = ask->mcm,
                                      .ask_mode = ask->mode,
                                      .ask_descending = ask->descending,
                                      .ask_multiple = ask->multiple,
                                      .ask_keep = ask->keep,
                                      .ask_token = ask->token};
    s->unit.ops->eval(s->unit.self, &s->in, &s->out);
    s->unit.ops->tick(s->unit.self, &s->in);
    s->in.ask_valid = 0;
    s->unit.ops->eval(s->unit.self, &s->in, &s->out);
    *answer = (struct cw_adapt_tcm_select_answer){.tcm = s->out.sel_tcm,
                                                  .run = s->out.sel_run,
                                                  .mode = (enum cw_local_mode)s->out.sel_mode,
                                                  .want = s->out.sel_want,
                                                  .free = s->out.sel_free};
}

void cw_adapt_tcm_select_state(struct cw_state *s, struct cw_adapt_tcm_select *t)
{
    cw_adapt_state(s, &t->unit);
    CW_STATE_PORTS(s, t->in);
    CW_STATE_PORTS(s, t->out);
}
