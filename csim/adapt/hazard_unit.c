/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/hazard_unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "mech/kilo/detector.h"

struct cw_kilo_hazard {
    const struct cw_mech_host *cfg;
    struct cw_unit_instance unit;
    struct cw_hazard_unit_params params;
    struct cw_hazard_unit_in in;
    struct cw_hazard_unit_out out;
    uint64_t epoch_first; /* the system's ID of the hardware's 1 */
    uint64_t newest;      /* the last entry that was accepted */
    bool awake;
    struct cw_kilo_detector *detector; /* instead of the unit; NULL: the unit */
};

static uint64_t to_unit(const struct cw_kilo_hazard *h, uint64_t id)
{
    uint64_t cid = id - h->epoch_first + 1, limit = (UINT64_C(1) << h->params.cid_w) - 1;
    return cid < limit ? cid : limit; /* the retire pointer may stand behind the epoch's last ID */
}

/* A tag is the end of a commit ID; the one meant is the youngest not above the newest. */
static uint64_t entry_of(const struct cw_kilo_hazard *h, uint64_t tag)
{
    return h->newest - ((h->newest - tag) & ((UINT64_C(1) << h->params.id_w) - 1));
}

static void drive(struct cw_kilo_hazard *h, const struct cw_kilo_hazard_entry *e, uint64_t live)
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
    in->ent_addr = e->kind == CW_HAZARD_NONE ? 0 : (e->addr - CW_GLOBAL_BASE) / 4;
    in->ent_cid = e->kind == CW_HAZARD_NONE ? 0 : to_unit(h, e->id);
    in->ent_rcid = e->kind == CW_HAZARD_CHECK ? to_unit(h, e->rcid) : 0;
}

static void take_result(const struct cw_kilo_hazard *h, struct cw_kilo_hazard_result *result)
{
    const struct cw_hazard_unit_out *out = &h->out;
    result->valid = out->res_valid;
    result->entry = entry_of(h, out->res_id);
    result->hazard = out->res_hazard;
    result->exact = out->res_exact;
    result->ycid = out->res_hazard ? out->res_ycid - 1 + h->epoch_first : 0;
}

static bool clock_detector(struct cw_kilo_hazard *h, const struct cw_kilo_hazard_entry *e, uint64_t live,
                           struct cw_kilo_hazard_result *result)
{
    bool taken = cw_kilo_detector_clock(h->detector, e, live, result);
    h->awake = cw_kilo_detector_busy(h->detector);
    if (cw_kilo_detector_failed(h->detector) && h->cfg->fault != NULL)
        h->cfg->fault(h->cfg->fault_context, CW_ENOMEM, "out of host memory for hazard detection");
    return taken;
}

bool cw_kilo_hazard_clock(struct cw_kilo_hazard *h, const struct cw_kilo_hazard_entry *e, uint64_t live,
                          struct cw_kilo_hazard_result *result)
{
    result->valid = false;
    if (!h->awake && e == NULL)
        return false;
    if (h->detector != NULL)
        return clock_detector(h, e, live, result);
    drive(h, e, live);
    h->unit.ops->eval(h->unit.self, &h->in, &h->out);
    take_result(h, result);
    h->cfg->stats->cu_history_evictions += h->out.evt_evict;
    bool taken = e != NULL && h->out.ent_ready;
    if (taken)
        h->newest = e->entry;
    h->awake = h->out.busy || taken || h->in.clear;
    if (h->awake)
        h->unit.ops->tick(h->unit.self, &h->in);
    h->in.clear = 0;
    return taken;
}

bool cw_kilo_hazard_busy(const struct cw_kilo_hazard *h)
{
    return h->awake;
}

void cw_kilo_hazard_begin_epoch(struct cw_kilo_hazard *h, uint64_t first)
{
    if (h->detector != NULL)
        return; /* all writers have retired, and the detectors' IDs go on */
    h->epoch_first = first;
    h->in.clear = 1;
    h->awake = true;
}

static void sweep(struct cw_kilo_hazard *h)
{
    h->unit.ops->eval(h->unit.self, &h->in, &h->out);
    while (h->out.busy) {
        h->unit.ops->tick(h->unit.self, &h->in);
        h->unit.ops->eval(h->unit.self, &h->in, &h->out);
    }
}

int cw_kilo_hazard_create(struct cw_kilo_hazard **out, const struct cw_mech_host *cfg, uint32_t partition, struct cw_error *err)
{
    const struct cw_config *c = cfg->config;
    struct cw_kilo_hazard *h = *out = calloc(1, sizeof *h);
    if (h == NULL)
        return CW_ENOMEM;
    struct cw_hazard_unit_params *p = &h->params;
    char name[64];
    h->cfg = cfg;
    if (c->kilo_hazard != CW_KILO_HISTORY)
        return cw_kilo_detector_create(&h->detector, (enum cw_kilo_detection)c->kilo_hazard);
    cw_unit_params_default(&cw_hazard_unit_unit, p);
    p->set_w = (uint32_t)__builtin_ctz(c->kilo_history_sets);
    p->bloom_row_w = (uint32_t)__builtin_ctz(c->kilo_history_rows);
    p->cid_w = c->kilo_id_bits;
    for (p->addr_w = 1; UINT64_C(1) << p->addr_w < ((uint64_t)c->mem_mbytes << 20) / 4;)
        p->addr_w++;
    snprintf(name, sizeof name, "partition%u.hazard_unit", partition);
    int status = cfg->units->open(cfg->units->context, &cw_hazard_unit_unit, name, p, &h->unit, err);
    if (status == CW_OK)
        sweep(h);
    return status;
}

void cw_kilo_hazard_destroy(struct cw_kilo_hazard *h)
{
    if (h == NULL)
        return;
    if (h->unit.ops != NULL)
        h->unit.ops->destroy(h->unit.self);
    cw_kilo_detector_destroy(h->detector);
    free(h);
}
