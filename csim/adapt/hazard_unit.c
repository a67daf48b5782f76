/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/hazard_unit.h"

#include <stdlib.h>

#include "adapt/open.h"

struct cw_adapt_hazard_unit {
    struct cw_unit_instance unit;
    struct cw_hazard_unit_params params;
    struct cw_hazard_unit_in in;
    struct cw_hazard_unit_out out;
    uint64_t memory_base;
    uint64_t epoch_first; /* the system's ID of the hardware's 1 */
    uint64_t newest;      /* the last entry that was accepted */
    bool awake;
};

static uint64_t to_unit(const struct cw_adapt_hazard_unit *h, uint64_t id)
{
    uint64_t cid = id - h->epoch_first + 1, limit = (UINT64_C(1) << h->params.cid_w) - 1;
    return cid < limit ? cid : limit; /* the retire pointer may stand behind the epoch's last ID */
}

/* A tag is the end of a commit ID; the one meant is the youngest not above the newest. */
static uint64_t entry_of(const struct cw_adapt_hazard_unit *h, uint64_t tag)
{
    return h->newest - ((h->newest - tag) & ((UINT64_C(1) << h->params.id_w) - 1));
}

static void drive(struct cw_adapt_hazard_unit *h, const struct cw_adapt_hazard_unit_word *e, uint64_t live)
{
    struct cw_hazard_unit_in *in = &h->in;
    in->res_ready = 1;
    in->live_cid = to_unit(h, live);
    in->ent_valid = e != NULL;
    if (e == NULL)
        return;
    in->ent_kind = e->kind;
    in->ent_last = e->last;
    in->ent_id = e->entry & ((UINT64_C(1) << h->params.id_w) - 1);
    in->ent_addr = e->kind == CW_HAZARD_NONE ? 0 : (e->addr - h->memory_base) / 4;
    in->ent_cid = e->kind == CW_HAZARD_NONE ? 0 : to_unit(h, e->id);
    in->ent_rcid = e->kind == CW_HAZARD_CHECK ? to_unit(h, e->rcid) : 0;
}

static void take_result(const struct cw_adapt_hazard_unit *h, struct cw_adapt_hazard_unit_result *result)
{
    const struct cw_hazard_unit_out *out = &h->out;
    result->valid = out->res_valid;
    result->entry = entry_of(h, out->res_id);
    result->hazard = out->res_hazard;
    result->exact = out->res_exact;
    result->evicted = out->evt_evict;
    result->ycid = out->res_hazard ? out->res_ycid - 1 + h->epoch_first : 0;
}

bool cw_adapt_hazard_unit_clock(struct cw_adapt_hazard_unit *h, const struct cw_adapt_hazard_unit_word *e, uint64_t live,
                                struct cw_adapt_hazard_unit_result *result)
{
    result->valid = result->evicted = false;
    if (!h->awake && e == NULL)
        return false;
    drive(h, e, live);
    h->unit.ops->eval(h->unit.self, &h->in, &h->out);
    take_result(h, result);
    bool taken = e != NULL && h->out.ent_ready;
    if (taken)
        h->newest = e->entry;
    h->awake = h->out.busy || taken || h->in.clear;
    if (h->awake)
        h->unit.ops->tick(h->unit.self, &h->in);
    h->in.clear = 0;
    return taken;
}

bool cw_adapt_hazard_unit_busy(const struct cw_adapt_hazard_unit *h)
{
    return h->awake;
}

void cw_adapt_hazard_unit_begin_epoch(struct cw_adapt_hazard_unit *h, uint64_t first)
{
    h->epoch_first = first;
    h->in.clear = 1;
    h->awake = true;
}

static int sweep(struct cw_adapt_hazard_unit *h, struct cw_error *err)
{
    h->unit.ops->eval(h->unit.self, &h->in, &h->out);
    for (uint32_t cycle = 0; h->out.busy && cycle < CW_ADAPT_REST_CYCLES; cycle++) {
        h->unit.ops->tick(h->unit.self, &h->in);
        h->unit.ops->eval(h->unit.self, &h->in, &h->out);
    }
    return h->out.busy ? cw_adapt_restless(&h->unit, "busy", err) : CW_OK;
}

int cw_adapt_hazard_unit_create(struct cw_adapt_hazard_unit **out, const struct cw_adapt_hazard_unit_config *config, struct cw_error *err)
{
    struct cw_adapt_hazard_unit *h = *out = calloc(1, sizeof *h);
    if (h == NULL)
        return CW_ENOMEM;
    struct cw_hazard_unit_params *p = &h->params;
    h->memory_base = config->memory_base;
    cw_unit_params_default(&cw_hazard_unit_unit, p);
    p->set_w = (uint32_t)__builtin_ctz(config->sets);
    p->bloom_row_w = (uint32_t)__builtin_ctz(config->rows);
    p->cid_w = config->id_bits;
    for (p->addr_w = 1; UINT64_C(1) << p->addr_w < config->memory_bytes / 4;)
        p->addr_w++;
    int status = cw_adapt_open(&h->unit, config->units, &cw_hazard_unit_unit, "partition", config->partition, p, err);
    if (status == CW_OK)
        status = sweep(h, err);
    return status;
}

void cw_adapt_hazard_unit_destroy(struct cw_adapt_hazard_unit *h)
{
    if (h == NULL)
        return;
    cw_adapt_close(&h->unit);
    free(h);
}

void cw_adapt_hazard_unit_state(struct cw_state *s, struct cw_adapt_hazard_unit *h)
{
    cw_adapt_state(s, &h->unit);
    CW_STATE_PORTS(s, h->in);
    CW_STATE_PORTS(s, h->out);
    CW_STATE(s, h->epoch_first);
    CW_STATE(s, h->newest);
    CW_STATE(s, h->awake);
}
