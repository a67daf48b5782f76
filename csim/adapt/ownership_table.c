/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/ownership_table.h"

#include <stdlib.h>

#include "adapt/open.h"

struct cw_adapt_ownership_table {
    struct cw_unit_instance unit;
    struct cw_ownership_table_in in;
    struct cw_ownership_table_out out;
    struct cw_adapt_ownership_table_banks banks;
    uint64_t base;
    bool clearing;
};

static void drive(struct cw_adapt_ownership_table *t, const struct cw_adapt_ownership_table_op *op)
{
    struct cw_ownership_table_in *in = &t->in;
    in->result_ready = 1;
    in->start_valid = op != NULL && op->start;
    in->op_valid = op != NULL && !op->start;
    if (in->start_valid)
        in->start_lanes = op->lanes;
    if (!in->op_valid)
        return;
    in->op_kind = op->kind;
    in->op_lanes = op->lanes;
    for (cw_lanes rest = op->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
        in->op_addr[lane] = (uint32_t)(op->addr[lane] - t->base);
    }
}

struct cw_adapt_ownership_table_answer cw_adapt_ownership_table_clock(struct cw_adapt_ownership_table *t,
                                                                      const struct cw_adapt_ownership_table_op *op, cw_time now)
{
    struct cw_adapt_ownership_table_answer answer = {0};
    drive(t, op);
    t->unit.ops->eval(t->unit.self, &t->in, &t->out);
    t->clearing &= !t->out.op_ready;
    if ((t->clearing || t->out.access || t->out.write) && !t->banks.take(t->banks.context, now))
        return answer;
    answer.taken = (t->in.start_valid && t->out.start_ready) || (t->in.op_valid && t->out.op_ready);
    answer.cleared = !t->clearing;
    answer.over = t->out.result_valid;
    answer.lanes = t->out.result_lanes;
    t->clearing |= t->in.start_valid && t->out.start_ready;
    t->unit.ops->tick(t->unit.self, &t->in);
    return answer;
}

int cw_adapt_ownership_table_create(struct cw_adapt_ownership_table **out, const struct cw_unit_provider *units, const char *name,
                                    uint32_t entries, uint64_t base, const struct cw_adapt_ownership_table_banks *banks,
                                    struct cw_error *err)
{
    struct cw_adapt_ownership_table *t = *out = calloc(1, sizeof *t);
    if (t == NULL)
        return CW_ENOMEM;
    struct cw_ownership_table_params p;
    cw_unit_params_default(&cw_ownership_table_unit, &p);
    uint32_t words_w = (uint32_t)__builtin_ctz(entries) - 2; /* of four entries */
    p.bank_w = words_w > p.bank_w ? p.bank_w : words_w - 1;
    p.row_w = words_w - p.bank_w;
    t->banks = *banks;
    t->base = base;
    return units->open(units->context, &cw_ownership_table_unit, name, &p, &t->unit, err);
}

void cw_adapt_ownership_table_destroy(struct cw_adapt_ownership_table *t)
{
    if (t == NULL)
        return;
    cw_adapt_close(&t->unit);
    free(t);
}

void cw_adapt_ownership_table_state(struct cw_state *s, struct cw_adapt_ownership_table *t)
{
    cw_adapt_state(s, &t->unit);
    CW_STATE_PORTS(s, t->in);
    CW_STATE_PORTS(s, t->out);
    CW_STATE(s, t->clearing);
}
