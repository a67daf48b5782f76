/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/order_masks.h"

#include <stdlib.h>
#include <string.h>

#include "adapt/open.h"

struct cw_adapt_order_masks {
    struct cw_unit_instance unit;
    struct cw_order_masks_in in;
    struct cw_order_masks_out out;
};

int cw_adapt_order_masks_create(struct cw_adapt_order_masks **out, const struct cw_unit_provider *units, uint32_t core, uint32_t warps,
                                uint32_t actr_bits, uint32_t patience, struct cw_error *err)
{
    struct cw_adapt_order_masks *m = *out = calloc(1, sizeof *m);
    struct cw_order_masks_params p;
    if (m == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for order masks");
    cw_unit_params_default(&cw_order_masks_unit, &p);
    p.warps = warps;
    p.actr_w = actr_bits;
    p.patience = patience;
    return cw_adapt_open(&m->unit, units, &cw_order_masks_unit, "core", core, &p, err);
}

void cw_adapt_order_masks_destroy(struct cw_adapt_order_masks *m)
{
    if (m == NULL)
        return;
    cw_adapt_close(&m->unit);
    free(m);
}

void cw_adapt_order_masks_look(struct cw_adapt_order_masks *m, struct cw_adapt_order_masks_view *view)
{
    memset(&m->in, 0, sizeof m->in);
    m->unit.ops->eval(m->unit.self, &m->in, &m->out);
    *view = (struct cw_adapt_order_masks_view){.odm = m->out.odm,
                                               .edm = m->out.edm,
                                               .fsm = m->out.fsm,
                                               .actr = (uint32_t)m->out.actr,
                                               .full = m->out.actr_full,
                                               .hold = m->out.hold,
                                               .resume = m->out.resume_valid,
                                               .invalidate = m->out.invalidate,
                                               .resume_warps = m->out.resume_warps,
                                               .busy = m->out.busy};
}

void cw_adapt_order_masks_clock(struct cw_adapt_order_masks *m, const struct cw_adapt_order_masks_in *in)
{
    m->in = (struct cw_order_masks_in){.stall_valid = in->stall,
                                       .stall_warp = in->stall_warp,
                                       .delay_valid = in->delay,
                                       .delay_warp = in->delay_warp,
                                       .order_valid = in->order,
                                       .order_kind = in->order_kind,
                                       .order_warps = in->order_warps,
                                       .flush_valid = in->flush,
                                       .evict_valid = in->evict,
                                       .ack_valid = in->ack};
    m->unit.ops->eval(m->unit.self, &m->in, &m->out);
    m->unit.ops->tick(m->unit.self, &m->in);
}

void cw_adapt_order_masks_state(struct cw_state *s, struct cw_adapt_order_masks *m)
{
    cw_adapt_state(s, &m->unit);
    CW_STATE_PORTS(s, m->in);
    CW_STATE_PORTS(s, m->out);
}
