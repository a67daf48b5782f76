/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/persist_buffer.h"

#include <stdlib.h>

#include "adapt/open.h"

struct cw_adapt_persist_buffer {
    struct cw_unit_instance unit;
    struct cw_persist_buffer_in in;
    struct cw_persist_buffer_out out;
};

int cw_adapt_persist_buffer_create(struct cw_adapt_persist_buffer **out, const struct cw_unit_provider *units, uint32_t core,
                                   uint32_t entries, uint32_t warps, uint32_t lines, struct cw_error *err)
{
    struct cw_adapt_persist_buffer *b = *out = calloc(1, sizeof *b);
    struct cw_persist_buffer_params p;
    if (b == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a persist buffer");
    cw_unit_params_default(&cw_persist_buffer_unit, &p);
    p.entries = entries;
    p.warps = warps;
    for (p.line_w = 1; lines > 1u << p.line_w;)
        p.line_w++;
    return cw_adapt_open(&b->unit, units, &cw_persist_buffer_unit, "core", core, &p, err);
}

void cw_adapt_persist_buffer_destroy(struct cw_adapt_persist_buffer *b)
{
    if (b == NULL)
        return;
    cw_adapt_close(&b->unit);
    free(b);
}

static void drive(struct cw_adapt_persist_buffer *b, const struct cw_adapt_persist_buffer_in *in)
{
    b->in = (struct cw_persist_buffer_in){.ins_valid = in->insert,
                                          .ins_kind = in->kind,
                                          .ins_warp = in->warp,
                                          .ins_line = in->line,
                                          .ins_held = in->held,
                                          .ins_entry = in->entry,
                                          .evict_valid = in->evict,
                                          .evict_entry = in->evict_entry,
                                          .flush_ready = in->flush_taken,
                                          .order_ready = in->order_taken,
                                          .fsm = in->fsm,
                                          .hold = in->hold,
                                          .drain = in->drain};
}

void cw_adapt_persist_buffer_look(struct cw_adapt_persist_buffer *b, const struct cw_adapt_persist_buffer_in *in,
                                  struct cw_adapt_persist_buffer_view *view)
{
    drive(b, in);
    b->unit.ops->eval(b->unit.self, &b->in, &b->out);
    *view = (struct cw_adapt_persist_buffer_view){.answer = (enum cw_persist_answer)b->out.ins_answer,
                                                  .at = (uint32_t)b->out.ins_at,
                                                  .evict_done = b->out.evict_done,
                                                  .evict_go = b->out.evict_go,
                                                  .flush = b->out.flush_valid,
                                                  .order = b->out.order_valid,
                                                  .flush_line = (uint32_t)b->out.flush_line,
                                                  .order_kind = (enum cw_persist_kind)b->out.order_kind,
                                                  .order_warps = b->out.order_warps,
                                                  .count = (uint32_t)b->out.count,
                                                  .demand = b->out.demand,
                                                  .busy = b->out.busy};
}

void cw_adapt_persist_buffer_clock(struct cw_adapt_persist_buffer *b, const struct cw_adapt_persist_buffer_in *in)
{
    drive(b, in);
    b->unit.ops->eval(b->unit.self, &b->in, &b->out);
    b->unit.ops->tick(b->unit.self, &b->in);
}

void cw_adapt_persist_buffer_state(struct cw_state *s, struct cw_adapt_persist_buffer *b)
{
    cw_adapt_state(s, &b->unit);
    CW_STATE_PORTS(s, b->in);
    CW_STATE_PORTS(s, b->out);
}
