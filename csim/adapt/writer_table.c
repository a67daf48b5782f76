/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/writer_table.h"

#include <stdlib.h>

#include "adapt/open.h"

struct cw_adapt_writer_table {
    struct cw_unit_instance unit;
    uint32_t ways;
    bool sweep;             /* to be asked for */
    bool sweeping, working; /* as the unit has said in its last cycle, or will in the next one */
    uint32_t used;
};

static void clock(struct cw_adapt_writer_table *t, const struct cw_writer_table_in *in, struct cw_writer_table_out *out)
{
    t->unit.ops->eval(t->unit.self, in, out);
    t->unit.ops->tick(t->unit.self, in);
    t->sweeping = in->sweep || out->sweep_busy;
    t->working = t->sweeping || (in->op_valid && out->op_ready) || !out->idle;
    t->used = (uint32_t)out->used;
}

int cw_adapt_writer_table_create(struct cw_adapt_writer_table **out, const struct cw_unit_provider *units, uint32_t partition,
                                 uint32_t entries, uint32_t id_bits, struct cw_error *err)
{
    struct cw_adapt_writer_table *t = *out = calloc(1, sizeof *t);
    struct cw_writer_table_params p;
    if (t == NULL)
        return CW_ENOMEM;
    cw_unit_params_default(&cw_writer_table_unit, &p);
    p.entries = entries;
    p.id_w = id_bits;
    p.ways = p.ways < entries ? p.ways : entries;
    t->ways = p.ways;
    const int status = cw_adapt_open(&t->unit, units, &cw_writer_table_unit, "partition", partition, &p, err);
    t->working = true;
    for (uint32_t cycle = 0; status == CW_OK && t->working && cycle < CW_ADAPT_REST_CYCLES; cycle++) {
        const struct cw_writer_table_in in = {0};
        struct cw_writer_table_out none;
        clock(t, &in, &none);
    }
    return status == CW_OK && t->working ? cw_adapt_restless(&t->unit, "idle", err) : status;
}

void cw_adapt_writer_table_destroy(struct cw_adapt_writer_table *t)
{
    if (t == NULL)
        return;
    cw_adapt_close(&t->unit);
    free(t);
}

bool cw_adapt_writer_table_busy(const struct cw_adapt_writer_table *t)
{
    return t->working || t->sweep;
}

void cw_adapt_writer_table_sweep(struct cw_adapt_writer_table *t)
{
    t->sweep = true;
}

bool cw_adapt_writer_table_sweeps(const struct cw_adapt_writer_table *t)
{
    return t->sweep || t->sweeping;
}

uint32_t cw_adapt_writer_table_used(const struct cw_adapt_writer_table *t)
{
    return t->used;
}

bool cw_adapt_writer_table_clock(struct cw_adapt_writer_table *t, const struct cw_adapt_writer_table_op *op,
                                 struct cw_adapt_writer_table_answer *answer)
{
    struct cw_writer_table_in in = {.sweep = t->sweep};
    struct cw_writer_table_out out;
    answer->valid = false;
    if (op == NULL && !cw_adapt_writer_table_busy(t))
        return false;
    if (op != NULL)
        in = (struct cw_writer_table_in){
            .op_valid = 1, .op_kind = (uint64_t)op->kind, .op_word = op->word >> 2, .op_id = op->id, .sweep = t->sweep};
    t->sweep = false;
    clock(t, &in, &out);
    if (out.ans_valid) {
        *answer = (struct cw_adapt_writer_table_answer){
            .valid = true, .result = (enum cw_writer_result)out.ans_result, .owner = (uint32_t)out.ans_owner};
        for (uint32_t w = 0; w < t->ways; w++)
            if ((out.ans_writers >> w & 1) != 0)
                answer->id[answer->cnt++] = (uint16_t)(out.ans_ids[w / 2] >> 16 * (w % 2));
    }
    return op != NULL && out.op_ready;
}

void cw_adapt_writer_table_state(struct cw_state *s, struct cw_adapt_writer_table *t)
{
    cw_adapt_state(s, &t->unit);
    CW_STATE(s, t->sweep);
    CW_STATE(s, t->sweeping);
    CW_STATE(s, t->working);
    CW_STATE(s, t->used);
}
