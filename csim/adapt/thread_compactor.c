/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/thread_compactor.h"

#include <stdlib.h>
#include <string.h>

#include "adapt/open.h"

struct cw_adapt_thread_compactor {
    struct cw_unit_instance unit;
    uint32_t warps;
    bool idle; /* nothing has come since it showed that it holds nothing: out is still right, and need not be asked for */
    struct cw_thread_compactor_in in;
    struct cw_thread_compactor_out out;
};

int cw_adapt_thread_compactor_create(struct cw_adapt_thread_compactor **out, const struct cw_unit_provider *units, uint32_t core,
                                     uint32_t warps, struct cw_error *err)
{
    struct cw_adapt_thread_compactor *t = *out = calloc(1, sizeof *t);
    struct cw_thread_compactor_params p;
    if (t == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a thread compactor");
    cw_unit_params_default(&cw_thread_compactor_unit, &p);
    p.warps = t->warps = warps;
    return cw_adapt_open(&t->unit, units, &cw_thread_compactor_unit, "core", core, &p, err);
}

void cw_adapt_thread_compactor_destroy(struct cw_adapt_thread_compactor *t)
{
    if (t == NULL)
        return;
    cw_adapt_close(&t->unit);
    free(t);
}

void cw_adapt_thread_compactor_see(struct cw_adapt_thread_compactor *t, struct cw_adapt_thread_compactor_view *view)
{
    const struct cw_thread_compactor_out *out = &t->out;
    t->in.start_valid = t->in.warp_ready = 0;
    if (!t->idle)
        t->unit.ops->eval(t->unit.self, &t->in, &t->out);
    view->ready = out->start_ready;
    view->counted = out->count_valid;
    view->count = (uint32_t)out->count;
    view->warp = out->warp_valid;
    view->last = out->warp_last;
    view->lanes = (uint32_t)out->warp_lanes;
    for (uint32_t l = 0; view->warp && l < CW_ADAPT_COMPACTOR_LANES; l++)
        view->home[l] = (uint8_t)(out->warp_home[l / 4] >> 8 * (l % 4));
}

bool cw_adapt_thread_compactor_clock(struct cw_adapt_thread_compactor *t, const uint32_t *mask, bool is_static, bool take)
{
    t->in.start_valid = mask != NULL;
    t->in.start_static = is_static;
    t->in.warp_ready = take;
    if (mask != NULL)
        memcpy(t->in.start_mask, mask, t->warps * sizeof mask[0]);
    t->idle = !t->in.start_valid && !t->out.warp_valid && !t->out.count_valid && t->out.start_ready;
    if (t->idle)
        return false;
    t->unit.ops->eval(t->unit.self, &t->in, &t->out);
    t->unit.ops->tick(t->unit.self, &t->in);
    return true;
}

void cw_adapt_thread_compactor_state(struct cw_state *s, struct cw_adapt_thread_compactor *t)
{
    cw_adapt_state(s, &t->unit);
    CW_STATE(s, t->idle);
    CW_STATE_PORTS(s, t->in);
    CW_STATE_PORTS(s, t->out);
}
