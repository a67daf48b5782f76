/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With l1.global=write-back: the L1 writes its dirty lines of global memory back, when a release of device scope asks for it, when a
 * mechanism does, or at the end of the kernel.
 *
 * A job looks at each line once, sends one write-back per cycle, and waits for the acknowledgements. Who asks while a job is on its way
 * waits for the next one, which serves all who have asked by then. Write-backs count in two generations, so that evictions made while a job
 * waits do not keep it from its end.
 */
#include <assert.h>

#include "core/core_state.h"

static uint32_t kind_of(uint64_t line)
{
    return cw_memory_is_pm(line) ? CW_LINES_PERSISTENT : CW_LINES_VOLATILE;
}

uint32_t cw_core__flush_ask(struct cw_core *c, uint32_t kinds)
{
    struct cw_flush *f = &c->flush;
    f->asked |= kinds;
    f->busy = 1;
    if (!f->active && f->next > c->cycle + 1)
        f->next = c->cycle + 1;
    return f->started + 1;
}

bool cw_core__flushed(const struct cw_core *c, uint32_t job)
{
    return (int32_t)(c->flush.finished - job) >= 0;
}

/* Those who waited for the job. */
static void finish(struct cw_core *c)
{
    struct cw_flush *f = &c->flush;
    f->active = false;
    f->finished = f->started;
    f->busy = f->asked != 0;
    f->next = f->asked != 0 ? c->cycle + 1 : CW_CYCLE_NEVER;
    for (uint32_t w = 0; w < c->slots; w++) {
        if (c->warp[w].wait != CW_WAIT_FENCE)
            continue;
        c->warp[w].wait = CW_WAIT_NONE; /* the instruction is tried again */
        cw_core__requeue(c, w);
    }
    for (uint32_t i = 0; i < c->mech_cnt; i++)
        if (c->mech[i].sockets->l1_flushed != NULL)
            c->mech[i].sockets->l1_flushed(c->mech[i].self, f->finished, c->now);
}

/* The next dirty line of the job's kinds. */
static struct cw_l1_line *next_line(struct cw_core *c)
{
    struct cw_flush *f = &c->flush;
    struct cw_l1_line *e = cw_l1_next_dirty(&c->l1, &f->at);
    while (e != NULL && ((f->kinds & kind_of(e->line)) == 0 || cw_core__is_kept(c, e->line)))
        e = cw_l1_next_dirty(&c->l1, &f->at);
    return e;
}

static void scan(struct cw_core *c)
{
    struct cw_flush *f = &c->flush;
    const uint32_t at = f->at;
    struct cw_l1_line *e = next_line(c);
    if (e == NULL) {
        f->scanning = false;
        f->generation ^= 1u;
    } else if (cw_core__write_line(c, e, cw_core__flush_tag(c))) {
        f->out[f->generation]++;
    } else {
        f->at = at;
    }
}

void cw_core__flush_tick(struct cw_core *c)
{
    struct cw_flush *f = &c->flush;
    f->next = CW_CYCLE_NEVER;
    if (!f->active) {
        if (f->asked == 0)
            return;
        f->kinds = f->asked;
        f->asked = f->at = 0;
        f->started++;
        f->active = f->scanning = true;
    }
    if (f->scanning)
        scan(c);
    if (f->scanning)
        f->next = c->cycle + 1;
    else if (f->out[f->generation ^ 1u] == 0)
        finish(c);
}

void cw_core__written_back(struct cw_core *c, uint32_t tag)
{
    struct cw_flush *f = &c->flush;
    if ((tag & CW_TAG_KEPT) != 0) {
        c->keeper->sockets->l1_written(c->keeper->self, c->now);
        return;
    }
    assert(f->out[tag] > 0);
    if (--f->out[tag] == 0 && f->active && !f->scanning)
        f->next = c->cycle;
}

bool cw_core__has_dirty(const struct cw_core *c)
{
    uint32_t at = 0;
    struct cw_l1_line *e = cw_l1_next_dirty(&c->l1, &at);
    while (e != NULL && cw_core__is_kept(c, e->line))
        e = cw_l1_next_dirty(&c->l1, &at);
    return e != NULL || (c->flush.out[0] | c->flush.out[1]) != 0;
}

void cw_core_end_kernel(struct cw_core *c, cw_time now)
{
    if (cw_core__has_dirty(c))
        cw_core__flush_ask(c, CW_LINES_VOLATILE | CW_LINES_PERSISTENT);
    else if (c->keeper == NULL)
        return;
    if (c->keeper != NULL && c->keeper->sockets->kernel_end != NULL)
        c->keeper->sockets->kernel_end(c->keeper->self, now);
    const cw_time next = now + c->period;
    c->component.wake = next < c->component.wake ? next : c->component.wake;
}

uint32_t cw_core_flush_lines(struct cw_core *c, uint32_t kinds)
{
    return cw_core__flush_ask(c, kinds);
}

void cw_core_forget_lines(struct cw_core *c, uint32_t kinds)
{
    uint32_t at = 0;
    for (struct cw_l1_line *e; (e = cw_l1_next_global(&c->l1, &at)) != NULL;)
        if ((kinds & kind_of(e->line)) != 0) {
            cw_core__tell_line(c, CW_L1_LINE_INVALIDATED, e->line, CW_CORE_WARPS_MAX);
            cw_l1_forget(&c->l1, e);
        }
}

/* ---- lines of persistent memory that a mechanism keeps: what it decides about stores and evictions, and what it asks of the core ---- */

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
