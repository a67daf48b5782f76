/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/warp_lut.h"

#include <stdlib.h>
#include <string.h>

#include "adapt/open.h"

struct cw_adapt_warp_lut {
    struct cw_unit_instance unit;
    struct cw_warp_lut_in in;
    struct cw_warp_lut_out out;
    bool awake;
};

int cw_adapt_warp_lut_create(struct cw_adapt_warp_lut **out, const struct cw_unit_provider *units, uint32_t core, uint32_t entries,
                             uint32_t ways, struct cw_error *err)
{
    struct cw_adapt_warp_lut *l = *out = calloc(1, sizeof *l);
    struct cw_warp_lut_params p;
    if (l == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a warp table");
    cw_unit_params_default(&cw_warp_lut_unit, &p);
    p.ways = ways;
    p.set_w = (uint32_t)__builtin_ctz(entries / ways);
    return cw_adapt_open(&l->unit, units, &cw_warp_lut_unit, "core", core, &p, err);
}

void cw_adapt_warp_lut_destroy(struct cw_adapt_warp_lut *l)
{
    if (l == NULL)
        return;
    cw_adapt_close(&l->unit);
    free(l);
}

void cw_adapt_warp_lut_clock(struct cw_adapt_warp_lut *l, const struct cw_adapt_warp_lut_in *in, struct cw_adapt_warp_lut_view *view)
{
    memset(view, 0, sizeof *view);
    if (!l->awake && !in->update && !in->close)
        return;
    l->in = (struct cw_warp_lut_in){.upd_valid = in->update,
                                    .upd_pc = in->pc,
                                    .upd_lanes = in->lanes,
                                    .upd_warp = in->name,
                                    .close_valid = in->close,
                                    .close_warp = in->closed};
    l->unit.ops->eval(l->unit.self, &l->in, &l->out);
    view->answer = l->out.ans_valid;
    view->join_lanes = (uint32_t)l->out.ans_join_lanes;
    view->join = (uint32_t)l->out.ans_join_warp;
    view->begin_lanes = (uint32_t)l->out.ans_begin_lanes;
    view->begin = (uint32_t)l->out.ans_begin_warp;
    view->evicted = l->out.evict_valid;
    l->awake = l->out.busy || in->update || in->close;
    l->unit.ops->tick(l->unit.self, &l->in);
}

void cw_adapt_warp_lut_state(struct cw_state *s, struct cw_adapt_warp_lut *l)
{
    cw_adapt_state(s, &l->unit);
    CW_STATE_PORTS(s, l->in);
    CW_STATE_PORTS(s, l->out);
    CW_STATE(s, l->awake);
}
