/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/scalable_reader_list.h"

#include <stdlib.h>

#include "adapt/open.h"

struct cw_adapt_scalable_reader_list {
    struct cw_unit_instance unit;
    bool sweep;             /* to be asked for */
    bool sweeping, working; /* as the unit has said in its last cycle, or will in the next one */
    uint32_t used;
};

static void clock(struct cw_adapt_scalable_reader_list *t, const struct cw_scalable_reader_list_in *in,
                  struct cw_scalable_reader_list_out *out)
{
    t->unit.ops->eval(t->unit.self, in, out);
    t->unit.ops->tick(t->unit.self, in);
    t->sweeping = in->sweep || out->sweep_busy;
    t->working = t->sweeping || (in->op_valid && out->op_ready) || !out->idle;
    t->used = (uint32_t)out->used;
}

int cw_adapt_scalable_reader_list_create(struct cw_adapt_scalable_reader_list **out, const struct cw_unit_provider *units,
                                         const struct cw_adapt_scalable_reader_list_config *config, struct cw_error *err)
{
    char name[64];
    struct cw_adapt_scalable_reader_list *t = *out = calloc(1, sizeof *t);
    struct cw_scalable_reader_list_params p;
    if (t == NULL)
        return CW_ENOMEM;
    cw_unit_params_default(&cw_scalable_reader_list_unit, &p);
    p.entries = config->entries;
    p.id_w = config->id_bits;
    p.leaf_w = p.leaf_w < p.id_w ? p.leaf_w : p.id_w - 1;
    p.ways = p.ways < p.entries ? p.ways : p.entries;
    snprintf(name, sizeof name, "partition%u.scalable_reader_list", config->partition);
    if (config->lists > 1)
        snprintf(name, sizeof name, "partition%u.scalable_reader_list%u", config->partition, config->list);
    const int status = units->open(units->context, &cw_scalable_reader_list_unit, name, &p, &t->unit, err);
    t->working = true;
    for (uint32_t cycle = 0; status == CW_OK && t->working && cycle < CW_ADAPT_REST_CYCLES; cycle++) {
        const struct cw_scalable_reader_list_in in = {0};
        struct cw_scalable_reader_list_out none;
        clock(t, &in, &none);
    }
    return status == CW_OK && t->working ? cw_adapt_restless(&t->unit, "idle", err) : status;
}

void cw_adapt_scalable_reader_list_destroy(struct cw_adapt_scalable_reader_list *t)
{
    if (t == NULL)
        return;
    cw_adapt_close(&t->unit);
    free(t);
}

bool cw_adapt_scalable_reader_list_busy(const struct cw_adapt_scalable_reader_list *t)
{
    return t->working || t->sweep;
}

void cw_adapt_scalable_reader_list_sweep(struct cw_adapt_scalable_reader_list *t)
{
    t->sweep = true;
}

bool cw_adapt_scalable_reader_list_sweeps(const struct cw_adapt_scalable_reader_list *t)
{
    return t->sweep || t->sweeping;
}

uint32_t cw_adapt_scalable_reader_list_used(const struct cw_adapt_scalable_reader_list *t)
{
    return t->used;
}

bool cw_adapt_scalable_reader_list_clock(struct cw_adapt_scalable_reader_list *t, const struct cw_adapt_scalable_reader_list_op *op,
                                         bool takes, struct cw_adapt_scalable_reader_list_answer *answer)
{
    struct cw_scalable_reader_list_in in = {.rdr_ready = takes, .sweep = t->sweep};
    struct cw_scalable_reader_list_out out;
    *answer = (struct cw_adapt_scalable_reader_list_answer){.reader = false};
    if (op == NULL && !cw_adapt_scalable_reader_list_busy(t))
        return false;
    if (op != NULL) {
        in.op_valid = 1;
        in.op_kind = (uint64_t)op->kind;
        in.op_word = op->word >> 2;
        in.op_id = op->id;
    }
    t->sweep = false;
    clock(t, &in, &out);
    *answer = (struct cw_adapt_scalable_reader_list_answer){.reader = out.rdr_valid && takes,
                                                            .over = out.ans_valid,
                                                            .id = (uint32_t)out.rdr_id,
                                                            .result = (enum cw_reader_result)out.ans_result};
    return op != NULL && out.op_ready;
}

void cw_adapt_scalable_reader_list_state(struct cw_state *s, struct cw_adapt_scalable_reader_list *t)
{
    cw_adapt_state(s, &t->unit);
    CW_STATE(s, t->sweep);
    CW_STATE(s, t->sweeping);
    CW_STATE(s, t->working);
    CW_STATE(s, t->used);
}
