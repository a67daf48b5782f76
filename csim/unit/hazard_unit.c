/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of Kilo TM's hazard detection, exact to the bit and the cycle: include/cowarp/unit/hazard_unit.h is the specification (Fung
 * 2015, section 4.2.5). The C model of the last writer history is a part. All outputs are functions of the state, so a tick leaves
 * the next cycle's outputs in `out`.
 */
#include "cowarp/unit/hazard_unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/last_writer_history.h"

#define TURNS   CW_LAST_WRITER_HISTORY_LATENCY
#define RESULTS CW_HAZARD_UNIT_RESULTS

/* An entry on its way through the history. */
struct entry {
    bool valid, last;
    uint64_t cid, rcid;
    uint32_t id;
};

struct result {
    uint64_t ycid; /* 0: no hazard */
    uint32_t id;
    bool exact;
};

struct hazard {
    struct cw_hazard_unit_params p;
    struct cw_hazard_unit_out out;
    uint64_t cid_mask;

    struct entry entry[TURNS]; /* by the cycle in which it was accepted, modulo TURNS */
    uint32_t now;              /* the place of the entry whose turn it is, and of the next one to be accepted */
    uint32_t under_way;        /* valid ones among them */
    struct result so_far;      /* of the transaction whose turn it is */
    struct result result[RESULTS];
    uint32_t first_result, results, claims;

    void *history;
    struct cw_last_writer_history_out history_out;
};

static const struct cw_unit_ops *history_ops(void)
{
    return &cw_last_writer_history_unit.c_model;
}

/* Adds what the history answered to the CHECK e. */
static void take_answer(struct hazard *h, const struct entry *e)
{
    uint64_t writer = h->history_out.rsp_cid;
    bool exact = h->history_out.rsp_exact;
    if (e->cid != 0 && writer >= e->cid) {
        writer = e->cid - 1;
        exact = false;
    }
    if (writer == 0 || writer < e->rcid)
        return;
    h->out.evt_exact = h->history_out.rsp_exact;
    h->out.evt_approx = !h->history_out.rsp_exact;
    if (writer > h->so_far.ycid)
        h->so_far = (struct result){.ycid = writer, .exact = exact};
    else if (writer == h->so_far.ycid && exact)
        h->so_far.exact = true;
}

static void take_turn(struct hazard *h)
{
    struct entry *e = &h->entry[h->now];
    h->out.evt_exact = h->out.evt_approx = 0;
    if (!e->valid)
        return;
    if (h->history_out.rsp_valid)
        take_answer(h, e);
    if (e->last) {
        h->so_far.id = e->id;
        h->result[(h->first_result + h->results++) % RESULTS] = h->so_far;
        h->so_far = (struct result){0};
    }
    e->valid = false;
    h->under_way--;
}

static void accept_entry(struct hazard *h, const struct cw_hazard_unit_in *in)
{
    struct entry *e = &h->entry[h->now];
    e->valid = true;
    e->last = in->ent_last & 1;
    e->cid = in->ent_cid & h->cid_mask;
    e->rcid = in->ent_rcid & h->cid_mask;
    e->id = (uint32_t)in->ent_id & ((1u << h->p.id_w) - 1);
    h->claims += e->last;
    h->under_way++;
}

static void present(struct hazard *h)
{
    struct cw_hazard_unit_out *o = &h->out;
    const struct result none = {0}, *r = h->results > 0 ? &h->result[h->first_result] : &none;
    o->ent_ready = h->history_out.op_ready && h->claims < RESULTS;
    o->res_valid = h->results > 0;
    o->res_id = r->id;
    o->res_hazard = r->ycid != 0;
    o->res_ycid = r->ycid;
    o->res_exact = r->exact;
    o->evt_evict = h->history_out.evt_evict;
    o->busy = h->history_out.busy || h->under_way > 0 || h->results > 0 || o->evt_exact || o->evt_approx;
}

static void hazard_tick(void *self, const void *inputs)
{
    struct hazard *h = self;
    const struct cw_hazard_unit_in *in = inputs;
    if (!h->out.busy && !(in->ent_valid & 1) && !(in->clear & 1))
        return;
    bool accept = h->out.ent_ready && (in->ent_valid & 1);
    if (h->out.res_valid && (in->res_ready & 1)) {
        h->first_result = (h->first_result + 1) % RESULTS;
        h->results--;
        h->claims--;
    }
    take_turn(h);
    if (accept)
        accept_entry(h, in);
    h->now = (h->now + 1) % TURNS;

    const struct cw_last_writer_history_in op = {
        .op_valid = accept && !(in->ent_kind >> 1 & 1),
        .op_write = in->ent_kind & 1,
        .op_addr = in->ent_addr,
        .op_cid = in->ent_cid,
        .live_cid = in->live_cid,
        .clear = in->clear,
    };
    history_ops()->tick(h->history, &op);
    history_ops()->eval(h->history, &op, &h->history_out);
    present(h);
}

static void hazard_eval(void *self, const void *inputs, void *outputs)
{
    const struct hazard *h = self;
    (void)inputs;
    memcpy(outputs, &h->out, sizeof h->out);
}

static void hazard_reset(void *self)
{
    struct hazard *h = self;
    memset(h->entry, 0, sizeof h->entry);
    h->so_far = (struct result){0};
    h->now = h->under_way = h->first_result = h->results = h->claims = 0;
    memset(&h->out, 0, sizeof h->out);
    history_ops()->reset(h->history);
    history_ops()->eval(h->history, &(struct cw_last_writer_history_in){0}, &h->history_out);
    present(h);
}

static void hazard_destroy(void *self)
{
    struct hazard *h = self;
    if (h == NULL)
        return;
    history_ops()->destroy(h->history);
    free(h);
}

static int hazard_create(void **self, const void *params)
{
    const struct cw_hazard_unit_params *p = params;
    if (cw_unit_params_check(&cw_hazard_unit_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct hazard *h = calloc(1, sizeof *h);
    if (h == NULL)
        return CW_ENOMEM;
    h->p = *p;
    h->cid_mask = ((uint64_t)1 << p->cid_w) - 1;
    const struct cw_last_writer_history_params history = {.ways = p->ways,
                                                          .set_w = p->set_w,
                                                          .addr_w = p->addr_w,
                                                          .cid_w = p->cid_w,
                                                          .bloom_ways = p->bloom_ways,
                                                          .bloom_row_w = p->bloom_row_w};
    int status = history_ops()->create(&h->history, &history);
    if (status != CW_OK) {
        hazard_destroy(h);
        return status;
    }
    hazard_reset(h);
    *self = h;
    return CW_OK;
}

static void entry_state(struct cw_state *s, struct entry *e)
{
    CW_STATE(s, e->valid);
    CW_STATE(s, e->last);
    CW_STATE(s, e->cid);
    CW_STATE(s, e->rcid);
    CW_STATE(s, e->id);
}

static void result_state(struct cw_state *s, struct result *r)
{
    CW_STATE(s, r->ycid);
    CW_STATE(s, r->id);
    CW_STATE(s, r->exact);
}

static void hazard_state(void *self, struct cw_state *s)
{
    struct hazard *h = self;
    CW_STATE_PORTS(s, h->out);
    for (uint32_t i = 0; i < TURNS; i++)
        entry_state(s, &h->entry[i]);
    cw_state_count(s, "turn", &h->now, TURNS - 1);
    CW_STATE(s, h->under_way);
    result_state(s, &h->so_far);
    for (uint32_t i = 0; i < RESULTS; i++)
        result_state(s, &h->result[i]);
    cw_state_count(s, "first result", &h->first_result, RESULTS - 1);
    cw_state_count(s, "results", &h->results, RESULTS);
    CW_STATE(s, h->claims);
    history_ops()->state(h->history, s);
    CW_STATE_PORTS(s, h->history_out);
}

#define CW_UNIT__PARAMS_T struct cw_hazard_unit_params
#define CW_UNIT__IN_T     struct cw_hazard_unit_in
#define CW_UNIT__OUT_T    struct cw_hazard_unit_out
CW_UNIT_DEFINE_WORDS(hazard_unit, CW_HAZARD_UNIT_PARAMS, CW_HAZARD_UNIT_PORTS, CW_HAZARD_UNIT_WORDS, hazard_create, hazard_destroy,
                     hazard_reset, hazard_eval, hazard_tick, hazard_state);
