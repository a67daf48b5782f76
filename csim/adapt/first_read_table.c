/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/first_read_table.h"

#include <assert.h>
#include <stdlib.h>

#include "adapt/open.h"
#include "base/machine.h"
#include "cowarp/unit/first_read_table.h"

struct cw_adapt_first_read_table {
    struct cw_unit_instance unit;
    uint32_t ports;
    struct cw_first_read_table_in in;
    struct cw_first_read_table_out out;
    uint64_t beginning;   /* warps whose begin waits */
    cw_lanes lanes[64];   /* that begin, per warp */
    uint32_t asker;       /* warp of the query */
    bool asked, answered; /* in this cycle; in the one before, and the answer has not been taken */
    bool awake;
    uint64_t responding;            /* warps with responses that wait */
    cw_lanes waiting[64];           /* of these, per warp: lanes with one */
    uint64_t written[64][CW_LANES]; /* its time: of several the latest, which alone decides */
};

int cw_adapt_first_read_table_create(struct cw_adapt_first_read_table **out, const struct cw_unit_provider *units, uint32_t core,
                                     uint32_t warps, uint32_t ports, struct cw_error *err)
{
    struct cw_adapt_first_read_table *f = *out = calloc(1, sizeof *f);
    if (f == NULL)
        return CW_ENOMEM;
    f->ports = ports;
    struct cw_first_read_table_params p;
    cw_unit_params_default(&cw_first_read_table_unit, &p);
    p.warps = warps;
    return cw_adapt_open(&f->unit, units, &cw_first_read_table_unit, "core", core, &p, err);
}

void cw_adapt_first_read_table_destroy(struct cw_adapt_first_read_table *f)
{
    if (f == NULL)
        return;
    cw_adapt_close(&f->unit);
    free(f);
}

void cw_adapt_first_read_table_begin(struct cw_adapt_first_read_table *f, uint32_t warp, cw_lanes lanes)
{
    f->lanes[warp] = (f->beginning >> warp & 1) != 0 ? f->lanes[warp] | lanes : lanes;
    f->beginning |= UINT64_C(1) << warp;
    f->waiting[warp] &= ~lanes; /* of an attempt that nobody asks about any more */
}

void cw_adapt_first_read_table_load(struct cw_adapt_first_read_table *f, uint32_t warp, cw_lanes lanes, cw_time now)
{
    assert(!f->in.load_valid);
    f->in.load_valid = 1;
    f->in.load_warp = warp;
    f->in.load_lanes = lanes;
    f->in.now = now;
}

void cw_adapt_first_read_table_reply(struct cw_adapt_first_read_table *f, uint32_t warp, cw_lanes lanes, uint64_t written)
{
    for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
        if (!cw_lanes_has(f->waiting[warp], lane) || written > f->written[warp][lane])
            f->written[warp][lane] = written;
    }
    f->waiting[warp] |= lanes;
    f->responding |= UINT64_C(1) << warp;
}

bool cw_adapt_first_read_table_ask(struct cw_adapt_first_read_table *f, uint32_t warp, cw_lanes *conflict)
{
    if (f->answered && f->asker == warp) {
        *conflict = f->out.ans_conflict;
        f->answered = false;
        return true;
    }
    if (!f->asked && !f->answered && f->waiting[warp] == 0) {
        f->asked = true;
        f->asker = warp;
        f->in.qry_valid = 1;
        f->in.qry_warp = warp;
    }
    return false;
}

/* The begin of the warp that loads, else the one that waits on the lowest warp. */
static void choose_begin(struct cw_adapt_first_read_table *f)
{
    uint32_t warp = (uint32_t)f->in.load_warp;
    f->in.beg_valid = f->beginning != 0;
    if (f->beginning == 0)
        return;
    if (!f->in.load_valid || (f->beginning >> warp & 1) == 0)
        warp = (uint32_t)__builtin_ctzll(f->beginning);
    f->in.beg_warp = warp;
    f->in.beg_lanes = f->lanes[warp];
    f->beginning &= ~(UINT64_C(1) << warp);
}

/* The lanes of the lowest warp with a response that have the same time as its lowest lane. */
static void choose_response(struct cw_adapt_first_read_table *f)
{
    while (f->responding != 0 && f->waiting[__builtin_ctzll(f->responding)] == 0)
        f->responding &= f->responding - 1;
    if (f->responding == 0)
        return;
    uint32_t warp = (uint32_t)__builtin_ctzll(f->responding);
    uint64_t written = f->written[warp][cw_lanes_first(f->waiting[warp])];
    cw_lanes lanes = 0;
    for (cw_lanes rest = f->waiting[warp]; rest != 0; rest = cw_lanes_rest(rest))
        lanes |= f->written[warp][cw_lanes_first(rest)] == written ? cw_lanes_one(cw_lanes_first(rest)) : 0;
    f->in.rsp_valid = 1;
    f->in.rsp_warp = warp;
    f->in.rsp_lanes = lanes;
    f->in.rsp_written = written;
    f->waiting[warp] &= ~lanes;
}

bool cw_adapt_first_read_table_clock(struct cw_adapt_first_read_table *f)
{
    struct cw_first_read_table_in *in = &f->in;
    choose_begin(f);
    if (f->ports == 2 || !in->load_valid)
        choose_response(f);
    bool work = in->beg_valid || in->load_valid || in->rsp_valid || in->qry_valid;
    if (!work && !f->awake)
        return false;
    f->unit.ops->eval(f->unit.self, in, &f->out);
    f->unit.ops->tick(f->unit.self, in);
    in->beg_valid = in->load_valid = in->rsp_valid = in->qry_valid = 0;
    f->unit.ops->eval(f->unit.self, in, &f->out);
    f->awake = !f->out.idle;
    f->answered = f->asked;
    f->asked = false;
    assert(f->answered == (f->out.ans_valid != 0));
    return f->awake || f->beginning != 0 || f->responding != 0;
}

void cw_adapt_first_read_table_state(struct cw_state *s, struct cw_adapt_first_read_table *f)
{
    cw_adapt_state(s, &f->unit);
    CW_STATE_PORTS(s, f->in);
    CW_STATE_PORTS(s, f->out);
    CW_STATE(s, f->beginning);
    CW_STATE(s, f->lanes);
    CW_STATE(s, f->asker);
    CW_STATE(s, f->asked);
    CW_STATE(s, f->answered);
    CW_STATE(s, f->awake);
    CW_STATE(s, f->responding);
    CW_STATE(s, f->waiting);
    CW_STATE(s, f->written);
}
