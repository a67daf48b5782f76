/* SPDX-License-Identifier: Apache-2.0 */
#include "tm/resolver.h"

#include <stdio.h>
#include <stdlib.h>

struct cw_resolver {
    struct cw_unit_instance unit;
    struct cw_ownership_table_in in;
    struct cw_ownership_table_out out;
    bool clearing;
};

static void drive(struct cw_resolver *r, const struct cw_resolver_op *op)
{
    struct cw_ownership_table_in *in = &r->in;
    in->result_ready = 1;
    in->start_valid = op != NULL && op->start;
    in->op_valid = op != NULL && !op->start;
    if (in->start_valid)
        in->start_lanes = op->lanes;
    if (!in->op_valid)
        return;
    in->op_kind = op->kind;
    in->op_lanes = op->lanes;
    for (uint32_t rest = op->lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        in->op_addr[lane] = (uint32_t)(op->addr[lane] - CW_GLOBAL_BASE);
    }
}

struct cw_resolver_answer cw_resolver_clock(struct cw_resolver *r, struct cw_core *core, const struct cw_resolver_op *op, cw_time now)
{
    struct cw_resolver_answer answer = {0};
    drive(r, op);
    r->unit.ops->eval(r->unit.self, &r->in, &r->out);
    r->clearing &= !r->out.op_ready;
    if ((r->clearing || r->out.access || r->out.write) && !cw_core_tx_shared_access(core, now))
        return answer;
    answer.taken = (r->in.start_valid && r->out.start_ready) || (r->in.op_valid && r->out.op_ready);
    answer.cleared = !r->clearing;
    answer.over = r->out.result_valid;
    answer.lanes = (uint32_t)r->out.result_lanes;
    r->clearing |= r->in.start_valid && r->out.start_ready;
    r->unit.ops->tick(r->unit.self, &r->in);
    return answer;
}

int cw_resolver_create(struct cw_resolver **out, const struct cw_tm_config *cfg, uint32_t core, uint32_t index, struct cw_error *err)
{
    struct cw_resolver *r = *out = calloc(1, sizeof *r);
    if (r == NULL)
        return CW_ENOMEM;
    struct cw_ownership_table_params p;
    char name[64];
    cw_unit_params_default(&cw_ownership_table_unit, &p);
    uint32_t words_w = (uint32_t)__builtin_ctz(cfg->config->tm_ownership_entries) - 2; /* of four entries */
    p.bank_w = words_w > p.bank_w ? p.bank_w : words_w - 1;
    p.row_w = words_w - p.bank_w;
    snprintf(name, sizeof name, "core%u.ownership_table%u", core, index);
    return cfg->units->open(cfg->units->context, &cw_ownership_table_unit, name, &p, &r->unit, err);
}

void cw_resolver_destroy(struct cw_resolver *r)
{
    if (r == NULL)
        return;
    if (r->unit.ops != NULL)
        r->unit.ops->destroy(r->unit.self);
    free(r);
}
