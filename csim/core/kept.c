/* SPDX-License-Identifier: Apache-2.0 */
/* Persistent memory whose lines a mechanism keeps in the L1: what it decides about stores and evictions, and what it asks of the core. */
#include "core/core_state.h"

bool cw_core__keeper_stores(struct cw_core *c, const struct cw_pipe_entry *e, const struct cw_l1_line *line)
{
    const struct cw_l1_store s = {.warp = e->inst->m.warp,
                                  .index = line != NULL ? cw_l1_index(&c->l1, line) : 0,
                                  .dirty = line != NULL && cw_l1_is_dirty(line),
                                  .past = line == NULL,
                                  .returns = e->inst->m.uop->dst_cnt != 0};
    return c->keeper->sockets->l1_store(c->keeper->self, &s, c->now);
}

bool cw_core_keeps(const struct cw_core *c, uint64_t addr, uint64_t bytes)
{
    uint32_t at = 0;
    for (const struct cw_l1_line *e; (e = cw_l1_next_dirty(&c->l1, &at)) != NULL;)
        if (e->line < addr + bytes && addr < e->line + c->line_bytes)
            return true;
    return false;
}

bool cw_core_write_line_back(struct cw_core *c, uint32_t index)
{
    return cw_core__write_line(c, &c->l1.line[index], CW_TAG_KEPT);
}

void cw_core_drop_line(struct cw_core *c, uint32_t index)
{
    struct cw_l1_line *e = &c->l1.line[index];
    cw_core__tell_line(c, CW_L1_LINE_INVALIDATED, e->line, CW_CORE_WARPS_MAX);
    cw_l1_forget(&c->l1, e);
}

void cw_core_retry_store(struct cw_core *c)
{
    if (c->pipe.next > c->cycle + 1)
        c->pipe.next = c->cycle + 1;
}

bool cw_core_settle(struct cw_core *c, uint32_t w, bool all)
{
    struct cw_warp *warp = &c->warp[w];
    const bool settled = warp->queued == 0 && warp->piped == 0 && warp->acks == 0 && (!all || warp->insts == 0);
    if (!settled)
        warp->wait = CW_WAIT_PIPE;
    return settled;
}

void cw_core__settled(struct cw_core *c, uint32_t w)
{
    if (c->warp[w].wait != CW_WAIT_PIPE)
        return;
    c->warp[w].wait = CW_WAIT_NONE; /* the instruction is tried again */
    cw_core__requeue(c, w);
}
