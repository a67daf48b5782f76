/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/validation_unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OVERFLOW_W 12u /* log2 of the overflow area's entries */

struct cw_adapt_validation_unit {
    struct cw_unit_instance unit;
    struct cw_validation_unit_in in;
    struct cw_validation_unit_out out;
    bool awake; /* the unit may have work of its own */
    /* overflow area */
    uint32_t (*overflow)[CW_VU_OVERFLOW_WORDS];
    cw_time latency, stream;
    cw_time memory_free;   /* when it takes the next access */
    cw_time memory_answer; /* when the read entry arrives; CW_TIME_NEVER: none is on its way */
    uint32_t memory_addr;  /* entry read last */
};

static void drive(struct cw_adapt_validation_unit *u, const struct cw_adapt_validation_unit_request *r,
                  struct cw_adapt_validation_unit_control control, cw_time now)
{
    struct cw_validation_unit_in *in = &u->in;
    in->req_valid = r != NULL;
    if (r != NULL) {
        in->req_kind = r->kind;
        in->req_granule = r->granule;
        in->req_warpts = r->warpts;
        in->req_owner = r->owner;
        in->req_id = r->id;
        in->req_count = r->count;
        in->req_spill = r->spill;
    }
    in->rsp_ready = 1;
    in->drain = control.drain;
    in->flush = control.flush;
    in->mem_ready = now >= u->memory_free;
    in->mem_rsp_valid = u->memory_answer <= now;
    if (in->mem_rsp_valid)
        memcpy(in->mem_rdata, u->overflow[u->memory_addr], sizeof in->mem_rdata);
}

static void serve_memory(struct cw_adapt_validation_unit *u, cw_time now)
{
    const struct cw_validation_unit_out *out = &u->out;
    if (u->in.mem_rsp_valid)
        u->memory_answer = CW_TIME_NEVER;
    if (!u->in.mem_ready || !out->mem_valid)
        return;
    bool scan = !out->mem_write && out->mem_addr == u->memory_addr + 1;
    u->memory_free = now + (scan ? u->stream : u->latency);
    if (out->mem_write) {
        memcpy(u->overflow[out->mem_addr], out->mem_wdata, sizeof out->mem_wdata);
    } else {
        u->memory_addr = (uint32_t)out->mem_addr;
        u->memory_answer = u->memory_free;
    }
}

static void read_ports(const struct cw_adapt_validation_unit *u, struct cw_adapt_validation_unit_cycle *cycle)
{
    const struct cw_validation_unit_out *out = &u->out;
    cycle->taken = u->in.req_valid && out->req_ready;
    cycle->answered = out->rsp_valid;
    cycle->id = (uint32_t)out->rsp_id;
    cycle->outcome = (enum cw_vu_outcome)out->rsp_outcome;
    cycle->ts = out->rsp_ts;
    cycle->lookups = (uint32_t)out->evt_lookup;
    cycle->table_cycles = out->evt_lookup ? (uint32_t)out->evt_table_cycles : 0;
    cycle->stalls = (uint32_t)out->evt_stall;
    cycle->retries = (uint32_t)out->evt_retry;
    cycle->evictions = (uint32_t)out->evt_evict;
    cycle->stashed = (uint32_t)out->evt_stash;
    cycle->overflows = (uint32_t)out->evt_overflow;
    cycle->stalled = (uint32_t)out->stall_occupancy;
    cycle->stalled_lines = (uint32_t)out->stall_lines_used;
}

bool cw_adapt_validation_unit_clock(struct cw_adapt_validation_unit *u, const struct cw_adapt_validation_unit_request *r,
                                    struct cw_adapt_validation_unit_control control, cw_time now,
                                    struct cw_adapt_validation_unit_cycle *cycle)
{
    if (!u->awake && r == NULL && !control.keep_awake)
        return false;
    drive(u, r, control, now);
    u->unit.ops->eval(u->unit.self, &u->in, &u->out);
    read_ports(u, cycle);
    serve_memory(u, now);
    u->awake = u->out.busy || cycle->taken || control.keep_awake || u->in.mem_rsp_valid;
    if (u->awake || u->in.req_valid)
        u->unit.ops->tick(u->unit.self, &u->in);
    return true;
}

bool cw_adapt_validation_unit_awake(const struct cw_adapt_validation_unit *u)
{
    return u->awake;
}

bool cw_adapt_validation_unit_busy(const struct cw_adapt_validation_unit *u)
{
    return u->out.busy;
}

bool cw_adapt_validation_unit_rollover(const struct cw_adapt_validation_unit *u)
{
    return u->out.rollover;
}

static void set_params(struct cw_validation_unit_params *p, const struct cw_adapt_validation_unit_config *c)
{
    cw_unit_params_default(&cw_validation_unit_unit, p);
    p->ts_w = c->ts_bits;
    p->id_w = c->id_bits > p->id_w ? c->id_bits : p->id_w;
    while (UINT32_C(1) << p->owner_w < c->owners)
        p->owner_w++;
    while (UINT64_C(1) << p->granule_w < c->granules)
        p->granule_w++;
    p->row_w = (uint32_t)__builtin_ctz(c->table_rows);
    p->bloom_row_w = (uint32_t)__builtin_ctz(c->bloom_rows);
    p->stash_entries = c->stash;
    p->max_swaps = c->max_swaps;
    p->stall_lines = c->stall_lines;
    p->stall_entries = c->stall_entries;
    p->overflow_w = OVERFLOW_W;
}

int cw_adapt_validation_unit_create(struct cw_adapt_validation_unit **out, const struct cw_adapt_validation_unit_config *config,
                                    struct cw_error *err)
{
    struct cw_validation_unit_params params;
    char name[64];
    struct cw_adapt_validation_unit *u = *out = calloc(1, sizeof *u);
    if (u == NULL)
        return CW_ENOMEM;
    u->overflow = calloc(UINT32_C(1) << OVERFLOW_W, sizeof *u->overflow);
    if (u->overflow == NULL)
        return CW_ENOMEM;
    u->latency = config->overflow_latency;
    u->stream = config->overflow_stream;
    u->memory_answer = CW_TIME_NEVER;
    u->awake = true;
    set_params(&params, config);
    snprintf(name, sizeof name, "partition%u.validation_unit", config->partition);
    return config->units->open(config->units->context, &cw_validation_unit_unit, name, &params, &u->unit, err);
}

void cw_adapt_validation_unit_destroy(struct cw_adapt_validation_unit *u)
{
    if (u == NULL)
        return;
    if (u->unit.ops != NULL)
        u->unit.ops->destroy(u->unit.self);
    free(u->overflow);
    free(u);
}
