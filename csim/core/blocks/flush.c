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

#include "core/blocks/blocks.h"

static uint32_t kind_of(uint64_t line)
{
    return cw_memory_is_pm(line) ? CW_LINES_PERSISTENT : CW_LINES_VOLATILE;
}

uint32_t cw_core__flush_ask(struct cw_core_blocks *blocks, uint32_t kinds)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_flush *f = &blocks->flush;
    f->asked |= kinds;
    f->busy = 1;
    if (!f->active && f->next > warps->cycle + 1)
        f->next = warps->cycle + 1;
    return f->started + 1;
}

bool cw_core__flushed(const struct cw_core_blocks *blocks, uint32_t job)
{
    return (int32_t)(blocks->flush.finished - job) >= 0;
}

/* Those who waited for the job. */
static void finish(struct cw_core_blocks *blocks)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_flush *f = &blocks->flush;
    f->active = false;
    f->finished = f->started;
    f->busy = f->asked != 0;
    f->next = f->asked != 0 ? warps->cycle + 1 : CW_CYCLE_NEVER;
    for (uint32_t w = 0; w < warps->slots; w++) {
        if (warps->warp[w].wait != CW_WAIT_FENCE)
            continue;
        warps->warp[w].wait = CW_WAIT_NONE; /* the instruction is tried again */
        cw_core__requeue(warps, w);
    }
    for (uint32_t i = 0; i < warps->mech_cnt; i++)
        if (warps->mech[i].sockets->l1_flushed != NULL)
            warps->mech[i].sockets->l1_flushed(warps->mech[i].self, f->finished, warps->now);
}

/* The next dirty line of the job's kinds. */
static struct cw_l1_line *next_line(struct cw_core_blocks *blocks)
{
    struct cw_flush *f = &blocks->flush;
    struct cw_l1_line *e = cw_l1_next_dirty(&blocks->cache.l1, &f->at);
    while (e != NULL && ((f->kinds & kind_of(e->line)) == 0 || cw_core__is_kept(blocks, e->line)))
        e = cw_l1_next_dirty(&blocks->cache.l1, &f->at);
    return e;
}

static void scan(struct cw_core_blocks *blocks)
{
    struct cw_flush *f = &blocks->flush;
    const uint32_t at = f->at;
    struct cw_l1_line *e = next_line(blocks);
    if (e == NULL) {
        f->scanning = false;
        f->generation ^= 1u;
    } else if (cw_core__write_line(&blocks->cache, e, cw_core__flush_tag(blocks))) {
        f->out[f->generation]++;
    } else {
        f->at = at;
    }
}

void cw_core__flush_tick(struct cw_core_blocks *blocks)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_flush *f = &blocks->flush;
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
        scan(blocks);
    if (f->scanning)
        f->next = warps->cycle + 1;
    else if (f->out[f->generation ^ 1u] == 0)
        finish(blocks);
}

void cw_core__written_back(struct cw_core_blocks *blocks, uint32_t tag)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_flush *f = &blocks->flush;
    if ((tag & CW_TAG_KEPT) != 0) {
        blocks->keeper->sockets->l1_written(blocks->keeper->self, warps->now);
        return;
    }
    assert(f->out[tag] > 0);
    if (--f->out[tag] == 0 && f->active && !f->scanning)
        f->next = warps->cycle;
}

bool cw_core__has_dirty(const struct cw_core_blocks *blocks)
{
    uint32_t at = 0;
    struct cw_l1_line *e = cw_l1_next_dirty(&blocks->cache.l1, &at);
    while (e != NULL && cw_core__is_kept(blocks, e->line))
        e = cw_l1_next_dirty(&blocks->cache.l1, &at);
    return e != NULL || (blocks->flush.out[0] | blocks->flush.out[1]) != 0;
}

void cw_core__end_kernel(struct cw_core_blocks *blocks, cw_time now)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    if (cw_core__has_dirty(blocks))
        cw_core__flush_ask(blocks, CW_LINES_VOLATILE | CW_LINES_PERSISTENT);
    else if (blocks->keeper == NULL)
        return;
    if (blocks->keeper != NULL && blocks->keeper->sockets->kernel_end != NULL)
        blocks->keeper->sockets->kernel_end(blocks->keeper->self, now);
    const cw_time next = now + warps->period;
    *warps->wake = next < *warps->wake ? next : *warps->wake;
}

uint32_t cw_core__flush_lines(struct cw_core_blocks *blocks, uint32_t kinds)
{
    return cw_core__flush_ask(blocks, kinds);
}

void cw_core__forget_lines(struct cw_core_blocks *blocks, uint32_t kinds)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    uint32_t at = 0;
    for (struct cw_l1_line *e; (e = cw_l1_next_global(&blocks->cache.l1, &at)) != NULL;)
        if ((kinds & kind_of(e->line)) != 0) {
            cw_core__tell_line(warps, CW_L1_LINE_INVALIDATED, e->line, CW_CORE_WARPS_MAX);
            cw_l1_forget(&blocks->cache.l1, e);
        }
}

/* ---- lines of persistent memory that a mechanism keeps: what it decides about stores and evictions, and what it asks of the core ---- */

bool cw_core__keeper_stores(struct cw_core_blocks *blocks, const struct cw_pipe_entry *e, const struct cw_l1_line *line)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const struct cw_l1_store s = {.warp = e->inst->m.warp,
                                  .index = line != NULL ? cw_l1_index(&blocks->cache.l1, line) : 0,
                                  .dirty = line != NULL && cw_l1_is_dirty(line),
                                  .past = line == NULL,
                                  .returns = e->inst->m.uop->dst_cnt != 0};
    return blocks->keeper->sockets->l1_store(blocks->keeper->self, &s, warps->now);
}

bool cw_core__keeps(const struct cw_core_blocks *blocks, uint64_t addr, uint64_t bytes)
{
    uint32_t at = 0;
    for (const struct cw_l1_line *e; (e = cw_l1_next_dirty(&blocks->cache.l1, &at)) != NULL;)
        if (e->line < addr + bytes && addr < e->line + blocks->cache.line_bytes)
            return true;
    return false;
}

bool cw_core__write_line_back(struct cw_core_blocks *blocks, uint32_t index)
{
    return cw_core__write_line(&blocks->cache, &blocks->cache.l1.line[index], CW_TAG_KEPT);
}

void cw_core__drop_line(struct cw_core_blocks *blocks, uint32_t index)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_l1_line *e = &blocks->cache.l1.line[index];
    cw_core__tell_line(warps, CW_L1_LINE_INVALIDATED, e->line, CW_CORE_WARPS_MAX);
    cw_l1_forget(&blocks->cache.l1, e);
}

bool cw_core__settle(struct cw_core_blocks *blocks, uint32_t w, bool all)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_warp *warp = &warps->warp[w];
    const bool settled = warp->queued == 0 && warp->piped == 0 && warp->acks == 0 && (!all || warp->insts == 0);
    if (!settled)
        warp->wait = CW_WAIT_PIPE;
    return settled;
}

void cw_core__settled(struct cw_core_blocks *blocks, uint32_t w)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    if (warps->warp[w].wait != CW_WAIT_PIPE)
        return;
    warps->warp[w].wait = CW_WAIT_NONE; /* the instruction is tried again */
    cw_core__requeue(warps, w);
}
