// SPDX-License-Identifier: Apache-2.0
//
// Select of the transaction conflict mask: csim/unit/tcm_select.c against rtl/tcm_select/cw_tcm_select.v, by induction over cycles: every
// input, from every state.
#include "model.h"

#include CW_MODEL

using equiv::signal;

namespace
{

selector *create(void)
{
    cw_tcm_select_params p;
    void *self;
    equiv_params(&p);
    select_create(&self, &p);
    return static_cast<selector *>(self);
}

/* The RTL's registers are the model's state, one for one. */
void abstract(selector *s, int time)
{
    s->tcm = signal(time, "tcm_q");
    s->run = signal(time, "run_q");
    s->mode = signal(time, "mode_q");
    s->want = signal(time, "want_q");
    s->free = signal(time, "free_q");
}

void require_same(const selector &s)
{
    selector *next = create();
    abstract(next, 1);
    equiv::require(s.tcm == next->tcm, "tcm");
    equiv::require(s.run == next->run, "run");
    equiv::require(s.mode == next->mode, "mode");
    equiv::require(s.want == next->want, "want");
    equiv::require(s.free == next->free, "free");
    select_destroy(next);
}

void step(void)
{
    cw_tcm_select_in in;
    cw_tcm_select_out out;
    selector *s = create();
    equiv::assume(signal(0, "rst_i") == 0, "no reset");
    abstract(s, 0);
    equiv_drive(&in);
    select_eval(s, &in, &out);
    equiv_compare(&out);
    select_tick(s, &in);
    require_same(*s);
    select_destroy(s);
}

/* From any state at all. */
void reset(void)
{
    selector *s = create();
    equiv::assume(signal(0, "rst_i") == 1, "reset");
    select_reset(s);
    require_same(*s);
    select_destroy(s);
}

} // namespace

const equiv_case equiv_cases[] = {{"reset", reset}, {"step", step}, {nullptr, nullptr}};
