// SPDX-License-Identifier: Apache-2.0
//
// Order masks: csim/unit/order_masks.c against rtl/order_masks/cw_order_masks.v, by induction over cycles: every input, from every state in
// which no line is counted while nobody is in EDM.
#include "model.h"

#include CW_MODEL

using equiv::signal;

namespace
{

masks *create(void)
{
    cw_order_masks_params p;
    void *self;
    equiv_params(&p);
    masks_create(&self, &p);
    return static_cast<masks *>(self);
}

/* The RTL's registers are the model's state, one for one. */
void abstract(masks *m, int time)
{
    m->odm = signal(time, "odm_q");
    m->edm = signal(time, "edm_q");
    m->fsm = signal(time, "fsm_q");
    m->actr = bits<32>(signal(time, "actr_q"));
    m->left = bits<32>(signal(time, "left_q"));
    m->armed = signal(time, "armed_q");
    m->resume = signal(time, "resume_q");
    m->resume_warps = signal(time, "resume_warps_q");
    m->invalidate = signal(time, "invalidate_q");
}

/* Lines are counted while somebody is in EDM only. */
bits<1> sound(const masks &m)
{
    return (m.edm != 0) | (m.left == 0); // no way of its own for each
}

void require_same(const masks &m)
{
    masks *next = create();
    abstract(next, 1);
    equiv::require(m.odm == next->odm, "odm");
    equiv::require(m.edm == next->edm, "edm");
    equiv::require(m.fsm == next->fsm, "fsm");
    equiv::require(m.actr == next->actr, "actr");
    equiv::require(m.left == next->left, "left");
    equiv::require(m.armed == next->armed, "armed");
    equiv::require(m.resume == next->resume, "resume");
    equiv::require(m.resume_warps == next->resume_warps, "resume_warps");
    equiv::require(m.invalidate == next->invalidate, "invalidate");
    equiv::require(sound(*next), "sound");
    masks_destroy(next);
}

void step(void)
{
    cw_order_masks_in in;
    cw_order_masks_out out;
    masks *m = create();
    equiv::assume(signal(0, "rst_i") == 0, "no reset");
    abstract(m, 0);
    equiv::assume(sound(*m), "invariant: nothing is counted while nobody waits");
    equiv_drive(&in);
    masks_eval(m, &in, &out);
    equiv_compare(&out);
    masks_tick(m, &in);
    require_same(*m);
    masks_destroy(m);
}

/* From any state at all. */
void reset(void)
{
    masks *m = create();
    equiv::assume(signal(0, "rst_i") == 1, "reset");
    masks_reset(m);
    require_same(*m);
    masks_destroy(m);
}

} // namespace

const equiv_case equiv_cases[] = {{"reset", reset}, {"step", step}, {nullptr, nullptr}};
