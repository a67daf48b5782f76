/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/last_written_table.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "cowarp/unit/last_written_table.h"
#include "unit/h3.h"

#define KEY_W 28u /* 128-byte blocks of 32 GiB */

struct cw_kilo_written {
    struct cw_unit_instance unit;
    struct cw_last_written_table_in in;
    struct cw_last_written_table_out out;
    bool awake;
    uint32_t granule_bytes;
    uint32_t counters;
    uint32_t *counter; /* the hardware's 8 bits saturate into "always expected"; here they never do */
    struct cw_h3x4 hash;
};

static int open_unit(struct cw_kilo_written *w, const struct cw_mech_host *cfg, uint32_t partition, struct cw_error *err)
{
    const struct cw_config *c = cfg->config;
    struct cw_last_written_table_params p;
    char name[64];
    cw_unit_params_default(&cw_last_written_table_unit, &p);
    p.ways = c->tcd_ways;
    p.row_w = (uint32_t)__builtin_ctz(c->tcd_rows);
    p.block_w = (uint32_t)__builtin_ctz(w->granule_bytes / 4);
    for (p.addr_w = p.block_w + 1; UINT64_C(1) << p.addr_w < ((uint64_t)c->mem_mbytes << 20) / 4;)
        p.addr_w++;
    snprintf(name, sizeof name, "partition%u.last_written_table", partition);
    int status = cfg->units->open(cfg->units->context, &cw_last_written_table_unit, name, &p, &w->unit, err);
    if (status != CW_OK)
        return status;
    w->unit.ops->eval(w->unit.self, &w->in, &w->out);
    while (w->out.busy) {
        w->unit.ops->tick(w->unit.self, &w->in);
        w->unit.ops->eval(w->unit.self, &w->in, &w->out);
    }
    return CW_OK;
}

int cw_kilo_written_create(struct cw_kilo_written **out, const struct cw_mech_host *cfg, uint32_t partition, struct cw_error *err)
{
    struct cw_kilo_written *w = *out = calloc(1, sizeof *w);
    if (w == NULL)
        return CW_ENOMEM;
    w->granule_bytes = cfg->config->tcd_granule_bytes;
    w->counters = cfg->config->tcd_pending;
    w->counter = calloc(w->counters, sizeof *w->counter);
    cw_h3x4_init(&w->hash, KEY_W + (uint32_t)__builtin_ctz(CW_LINE_BYTES / w->granule_bytes), 16);
    return w->counter != NULL ? open_unit(w, cfg, partition, err) : CW_ENOMEM;
}

void cw_kilo_written_destroy(struct cw_kilo_written *w)
{
    if (w == NULL)
        return;
    if (w->unit.ops != NULL)
        w->unit.ops->destroy(w->unit.self);
    free(w->counter);
    free(w);
}

bool cw_kilo_written_clock(struct cw_kilo_written *w, const struct cw_kilo_written_op *op, bool *answered, uint64_t *time)
{
    *answered = false;
    if (!w->awake && op == NULL)
        return false;
    w->in.op_valid = op != NULL;
    if (op != NULL) {
        w->in.op_write = op->write;
        w->in.op_addr = (op->block - CW_GLOBAL_BASE / w->granule_bytes) * (w->granule_bytes / 4);
        w->in.op_time = op->write ? op->time : 0; /* the core compares */
    }
    w->unit.ops->eval(w->unit.self, &w->in, &w->out);
    *answered = w->out.rsp_valid;
    *time = w->out.rsp_time;
    bool taken = op != NULL && w->out.op_ready;
    w->awake = w->out.busy || taken;
    if (w->awake)
        w->unit.ops->tick(w->unit.self, &w->in);
    return taken;
}

bool cw_kilo_written_busy(const struct cw_kilo_written *w)
{
    return w->awake;
}

static uint32_t *counter_of(const struct cw_kilo_written *w, uint64_t block)
{
    return w->counter + (cw_h3x4(&w->hash, block) & (w->counters - 1));
}

void cw_kilo_written_expect(struct cw_kilo_written *w, uint64_t block, int change)
{
    uint32_t *c = counter_of(w, block);
    assert(change > 0 || *c > 0);
    *c += (uint32_t)change;
}

bool cw_kilo_written_expected(const struct cw_kilo_written *w, uint64_t block)
{
    return *counter_of(w, block) != 0;
}
