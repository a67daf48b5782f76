/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/validation_unit.h"

#include <stdlib.h>
#include <string.h>

#include "adapt/open.h"

#define OVERFLOW_W 12u /* log2 of the overflow area's entries */

static void drive_memory(struct cw_adapt_validation_unit *u, cw_time now)
{
    u->in.mem_ready = now >= u->memory_free;
    u->in.mem_rsp_valid = u->memory_answer <= now;
    if (u->in.mem_rsp_valid)
        memcpy(u->in.mem_rdata, u->overflow[u->memory_addr], sizeof u->in.mem_rdata);
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

bool cw_adapt_validation_unit_clock(struct cw_adapt_validation_unit *u, bool drain, bool flush, cw_time now)
{
    u->in.drain = drain;
    u->in.flush = flush;
    drive_memory(u, now);
    u->unit.ops->eval(u->unit.self, &u->in, &u->out);
    serve_memory(u, now);
    bool more = u->out.busy || (u->in.req_valid && u->out.req_ready) || flush || u->in.mem_rsp_valid;
    if (more || u->in.req_valid || drain)
        u->unit.ops->tick(u->unit.self, &u->in);
    return more;
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
    p->bloom_copies = c->bloom_copies;
    p->stash_entries = c->stash;
    p->max_swaps = c->max_swaps;
    p->stall_lines = c->stall_lines;
    p->stall_entries = c->stall_entries;
    p->overflow_w = OVERFLOW_W;
}

int cw_adapt_validation_unit_open(struct cw_adapt_validation_unit *u, const struct cw_adapt_validation_unit_config *config,
                                  struct cw_error *err)
{
    struct cw_validation_unit_params params;
    *u = (struct cw_adapt_validation_unit){
        .in.rsp_ready = 1, .latency = config->overflow_latency, .stream = config->overflow_stream, .memory_answer = CW_TIME_NEVER};
    u->overflow = calloc(UINT32_C(1) << OVERFLOW_W, sizeof *u->overflow);
    if (u->overflow == NULL)
        return CW_ENOMEM;
    set_params(&params, config);
    return cw_adapt_open(&u->unit, config->units, &cw_validation_unit_unit, "partition", config->partition, &params, err);
}

void cw_adapt_validation_unit_close(struct cw_adapt_validation_unit *u)
{
    cw_adapt_close(&u->unit);
    free(u->overflow);
}

void cw_adapt_validation_unit_state(struct cw_state *s, struct cw_adapt_validation_unit *u)
{
    cw_adapt_state(s, &u->unit);
    CW_STATE_PORTS(s, u->in);
    CW_STATE_PORTS(s, u->out);
    cw_state_array(s, "overflow", u->overflow, (size_t)CW_VU_OVERFLOW_WORDS << OVERFLOW_W, sizeof(uint32_t));
    CW_STATE(s, u->memory_free);
    CW_STATE(s, u->memory_answer);
    CW_STATE(s, u->memory_addr);
}
