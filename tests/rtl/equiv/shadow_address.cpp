// SPDX-License-Identifier: Apache-2.0
//
// Shadow address: csim/unit/shadow_address.c against rtl/shadow_address/cw_shadow_address.v, by induction over cycles: every
// input, from every state.
#include "model.h"

#include CW_MODEL

using equiv::signal;

namespace
{

address *create(void)
{
    cw_shadow_address_params p;
    void *self;
    equiv_params(&p);
    address_create(&self, &p);
    return static_cast<address *>(self);
}

/* The RTL's registers are the model's state, one for one. */
void abstract(address *a, int time)
{
    a->data = bits<32>(signal(time, "data_q"));
    a->backup = bits<32>(signal(time, "backup_q"));
    a->owner = bits<32>(signal(time, "owner_q"));
    a->byte = bits<32>(signal(time, "byte_q"));
    a->fits = signal(time, "fits_q");
}

void require_same(const address &a)
{
    address *next = create();
    abstract(next, 1);
    equiv::require(a.data == next->data, "data");
    equiv::require(a.backup == next->backup, "backup");
    equiv::require(a.owner == next->owner, "owner");
    equiv::require(a.byte == next->byte, "byte");
    equiv::require(a.fits == next->fits, "fits");
    address_destroy(next);
}

void step(void)
{
    cw_shadow_address_in in;
    cw_shadow_address_out out;
    address *a = create();
    equiv::assume(signal(0, "rst_i") == 0, "no reset");
    abstract(a, 0);
    equiv_drive(&in);
    address_eval(a, &in, &out);
    equiv_compare(&out);
    address_tick(a, &in);
    require_same(*a);
    address_destroy(a);
}

/* From any state at all. */
void reset(void)
{
    address *a = create();
    equiv::assume(signal(0, "rst_i") == 1, "reset");
    address_reset(a);
    require_same(*a);
    address_destroy(a);
}

} // namespace

const equiv_case equiv_cases[] = {{"reset", reset}, {"step", step}, {nullptr, nullptr}};
