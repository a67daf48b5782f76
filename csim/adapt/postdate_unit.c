/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/postdate_unit.h"

#include <assert.h>
#include <stdlib.h>

#include "adapt/open.h"

struct cw_adapt_postdate_unit {
    struct cw_unit_instance unit;
    uint32_t sweep; /* cycles of a sweep */
    uint32_t awake; /* clocks that it still needs */
    uint32_t wait;  /* of these, clocks in which it takes nothing */
    bool clear;
};

static void clock(struct cw_adapt_postdate_unit *u, const struct cw_postdate_unit_in *in, struct cw_postdate_unit_out *out)
{
    u->unit.ops->eval(u->unit.self, in, out);
    u->unit.ops->tick(u->unit.self, in);
    assert(!in->op_valid || out->op_ready);
    u->awake -= u->awake > 0;
    u->wait -= u->wait > 0;
    if (in->op_valid && u->awake < CW_ADAPT_POSTDATE_UNIT_LATENCY)
        u->awake = CW_ADAPT_POSTDATE_UNIT_LATENCY;
    if (in->clear) {
        u->wait = u->sweep;
        u->awake = u->sweep + CW_ADAPT_POSTDATE_UNIT_LATENCY;
    }
}

int cw_adapt_postdate_unit_create(struct cw_adapt_postdate_unit **out, const struct cw_unit_provider *units,
                                  const struct cw_adapt_postdate_unit_config *config, struct cw_error *err)
{
    struct cw_adapt_postdate_unit *u = *out = calloc(1, sizeof *u);
    struct cw_postdate_unit_params p;
    if (u == NULL)
        return CW_ENOMEM;
    cw_unit_params_default(&cw_postdate_unit_unit, &p);
    p.id_w = config->id_bits;
    p.time_w = config->time_bits;
    p.rules = config->rules;
    p.step = config->step;
    const int status = units->open(units->context, &cw_postdate_unit_unit, "version_manager.postdate_unit", &p, &u->unit, err);
    u->sweep = u->wait = 1u << p.id_w;
    u->awake = u->sweep + CW_ADAPT_POSTDATE_UNIT_LATENCY;
    while (status == CW_OK && u->awake > 0) {
        const struct cw_postdate_unit_in in = {0};
        struct cw_postdate_unit_out none;
        clock(u, &in, &none);
    }
    return status;
}

void cw_adapt_postdate_unit_destroy(struct cw_adapt_postdate_unit *u)
{
    if (u == NULL)
        return;
    if (u->unit.ops != NULL)
        u->unit.ops->destroy(u->unit.self);
    free(u);
}

bool cw_adapt_postdate_unit_ready(const struct cw_adapt_postdate_unit *u)
{
    return u->wait == 0 && !u->clear;
}

bool cw_adapt_postdate_unit_busy(const struct cw_adapt_postdate_unit *u)
{
    return u->awake > 0 || u->clear;
}

void cw_adapt_postdate_unit_clear(struct cw_adapt_postdate_unit *u)
{
    u->clear = true;
}

void cw_adapt_postdate_unit_clock(struct cw_adapt_postdate_unit *u, const struct cw_adapt_postdate_unit_op *op,
                                  struct cw_adapt_postdate_unit_answer *answer)
{
    struct cw_postdate_unit_in in = {.clear = u->clear};
    struct cw_postdate_unit_out out;
    *answer = (struct cw_adapt_postdate_unit_answer){0};
    if (op == NULL && !cw_adapt_postdate_unit_busy(u))
        return;
    if (op != NULL)
        in = (struct cw_postdate_unit_in){.op_valid = 1,
                                          .op_kind = (uint64_t)op->kind,
                                          .op_a = op->a,
                                          .op_b = op->b,
                                          .op_by = op->writer_asks,
                                          .op_time = op->time,
                                          .op_tag = op->tag,
                                          .clear = u->clear};
    u->clear = false;
    clock(u, &in, &out);
    *answer = (struct cw_adapt_postdate_unit_answer){.valid = out.ans_valid != 0,
                                                     .tag = (uint8_t)out.ans_tag,
                                                     .accepted = out.ans_accepted != 0,
                                                     .loop = out.ans_loop != 0,
                                                     .overflow = out.ans_overflow != 0,
                                                     .time = (uint32_t)out.ans_time};
}

void cw_adapt_postdate_unit_state(struct cw_state *s, struct cw_adapt_postdate_unit *u)
{
    cw_adapt_state(s, &u->unit);
    CW_STATE(s, u->awake);
    CW_STATE(s, u->wait);
    CW_STATE(s, u->clear);
}
