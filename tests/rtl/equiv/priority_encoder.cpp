// SPDX-License-Identifier: Apache-2.0
//
// Priority encoder: csim/unit/priority_encoder.c against rtl/priority_encoder/cw_priority_encoder.v, by induction over cycles: every
// vector, from every state.
#include "model.h"

#include CW_MODEL

using equiv::signal;

namespace
{

encoder *create(void)
{
    cw_priority_encoder_params p;
    void *self;
    equiv_params(&p);
    encoder_create(&self, &p);
    return static_cast<encoder *>(self);
}

/* The RTL's registers are the model's state, one for one. */
void abstract(encoder *e, int time)
{
    e->none = signal(time, "none_q");
    e->index = bits<32>(signal(time, "index_q"));
    e->rest = signal(time, "rest_q");
}

void require_same(const encoder &e)
{
    encoder *next = create();
    abstract(next, 1);
    equiv::require(e.none == next->none, "none");
    equiv::require(e.index == next->index, "index");
    equiv::require(e.rest == next->rest, "rest");
    encoder_destroy(next);
}

void step(void)
{
    cw_priority_encoder_in in;
    cw_priority_encoder_out out;
    encoder *e = create();
    equiv::assume(signal(0, "rst_i") == 0, "no reset");
    abstract(e, 0);
    equiv_drive(&in);
    encoder_eval(e, &in, &out);
    equiv_compare(&out);
    encoder_tick(e, &in);
    require_same(*e);
    encoder_destroy(e);
}

/* From any state at all. */
void reset(void)
{
    encoder *e = create();
    equiv::assume(signal(0, "rst_i") == 1, "reset");
    encoder_reset(e);
    require_same(*e);
    encoder_destroy(e);
}

} // namespace

const equiv_case equiv_cases[] = {{"reset", reset}, {"step", step}, {nullptr, nullptr}};
