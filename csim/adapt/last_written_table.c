/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/last_written_table.h"

#include <stdlib.h>

#include "adapt/open.h"
#include "cowarp/unit/last_written_table.h"

struct cw_adapt_last_written_table {
    struct cw_unit_instance unit;
    struct cw_last_written_table_in in;
    struct cw_last_written_table_out out;
    bool awake;
    uint32_t granule_bytes;
    uint64_t base_block; /* of the first byte of memory */
};

static int sweep(struct cw_adapt_last_written_table *w, struct cw_error *err)
{
    w->unit.ops->eval(w->unit.self, &w->in, &w->out);
    for (uint32_t cycle = 0; w->out.busy && cycle < CW_ADAPT_REST_CYCLES; cycle++) {
        w->unit.ops->tick(w->unit.self, &w->in);
        w->unit.ops->eval(w->unit.self, &w->in, &w->out);
    }
    return w->out.busy ? cw_adapt_restless(&w->unit, "busy", err) : CW_OK;
}

int cw_adapt_last_written_table_create(struct cw_adapt_last_written_table **out, const struct cw_adapt_last_written_table_config *config,
                                       struct cw_error *err)
{
    struct cw_adapt_last_written_table *w = *out = calloc(1, sizeof *w);
    if (w == NULL)
        return CW_ENOMEM;
    struct cw_last_written_table_params p;
    w->granule_bytes = config->granule_bytes;
    w->base_block = config->memory_base / config->granule_bytes;
    cw_unit_params_default(&cw_last_written_table_unit, &p);
    p.ways = config->ways;
    p.row_w = (uint32_t)__builtin_ctz(config->rows);
    p.block_w = (uint32_t)__builtin_ctz(config->granule_bytes / 4);
    for (p.addr_w = p.block_w + 1; UINT64_C(1) << p.addr_w < config->memory_bytes / 4;)
        p.addr_w++;
    int status = cw_adapt_open(&w->unit, config->units, &cw_last_written_table_unit, "partition", config->partition, &p, err);
    if (status == CW_OK)
        status = sweep(w, err);
    return status;
}

void cw_adapt_last_written_table_destroy(struct cw_adapt_last_written_table *w)
{
    if (w == NULL)
        return;
    cw_adapt_close(&w->unit);
    free(w);
}

bool cw_adapt_last_written_table_clock(struct cw_adapt_last_written_table *w, const struct cw_adapt_last_written_table_op *op,
                                       bool *answered, uint64_t *time)
{
    *answered = false;
    if (!w->awake && op == NULL)
        return false;
    w->in.op_valid = op != NULL;
    if (op != NULL) {
        w->in.op_write = op->write;
        w->in.op_addr = (op->block - w->base_block) * (w->granule_bytes / 4);
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

bool cw_adapt_last_written_table_busy(const struct cw_adapt_last_written_table *w)
{
    return w->awake;
}

void cw_adapt_last_written_table_state(struct cw_state *s, struct cw_adapt_last_written_table *w)
{
    cw_adapt_state(s, &w->unit);
    CW_STATE_PORTS(s, w->in);
    CW_STATE_PORTS(s, w->out);
    CW_STATE(s, w->awake);
}
