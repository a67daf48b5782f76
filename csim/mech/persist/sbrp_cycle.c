/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One clock of a core's persist buffer and order masks: what has been asked in this cycle goes in, what comes out reaches the core.
 * A cycle in which nothing is asked, nothing comes and the units are not busy is not clocked.
 */
#include "mech/persist/sbrp.h"

#include <assert.h>
#include <string.h>

static uint64_t bit(uint32_t warp)
{
    return UINT64_C(1) << warp;
}

const struct cw_adapt_order_masks_view *cw_sbrp__masks(struct cw_sbrp_core *c, cw_time now)
{
    if (c->viewed != now)
        cw_adapt_order_masks_look(c->masks, &c->view);
    if (c->sbrp->fault == CW_SBRP_IGNORE_FSM)
        c->view.fsm = 0;
    c->viewed = now;
    return &c->view;
}

bool cw_sbrp__keeps(const struct cw_sbrp_core *c)
{
    return c->ends && c->sbrp->keys->pm_kernel_end == CW_PM_END_KEEP && c->asked_ring.cnt == 0 && c->pipe == CW_SBRP_PIPE_FREE &&
           c->evict == CW_SBRP_EVICT_NONE;
}

bool cw_sbrp__drains(const struct cw_sbrp_core *c)
{
    return (c->sbrp->keys->pm_drain != CW_PM_DRAIN_LAZY || c->past_waits || c->ends) && !cw_sbrp__keeps(c);
}

/* ---- warps and the pipe go on ---- */

static void retry(struct cw_sbrp_core *c)
{
    c->pipe = CW_SBRP_PIPE_FREE;
    cw_core_retry_store(c->core);
}

static void done(struct cw_sbrp_core *c, uint32_t w, cw_time now)
{
    c->warp[w].step = CW_SBRP_DONE;
    cw_core_wake_warp(c->core, w, now);
}

static void resume(struct cw_sbrp_core *c, cw_time now)
{
    const struct cw_adapt_order_masks_view *m = &c->view;
    if (m->invalidate) {
        cw_core_forget_lines(c->core, CW_LINES_PERSISTENT);
        c->sbrp->counters->pm_invalidated++;
    }
    for (uint64_t left = m->resume ? m->resume_warps : 0; left != 0; left &= left - 1) {
        const uint32_t w = (uint32_t)__builtin_ctzll(left);
        if (c->warp[w].step == CW_SBRP_STALLS && (m->odm & bit(w)) == 0) /* else it was in EDM for something else */
            done(c, w, now);
        cw_core_unpark_stores(c->core, w);
        if (c->evict == CW_SBRP_EVICT_WAITS && c->evict_warp == w)
            c->evict = CW_SBRP_EVICT_WANTED;
        if (c->pipe == CW_SBRP_PIPE_RESUME)
            retry(c);
    }
    if (c->pipe == CW_SBRP_PIPE_ASKED)
        cw_core_retry_store(c->core);
    if (c->pipe == CW_SBRP_PIPE_NEXT)
        retry(c);
}

/* ---- into the buffer ---- */

/* The port is free when no store has taken it: the next warp's ordering entry, which the buffer answers in the next cycle. Nor does one come
 * between a store's question and its answer: in the gaps of a stream of stores, the fence of a warp would go ahead of the stores of others, whose
 * fences then could not join it. */
static void offer_order(struct cw_sbrp_core *c)
{
    if (c->in.insert || c->answers_store || c->asked_ring.cnt == 0)
        return;
    const uint32_t w = c->asked[c->asked_ring.head];
    c->in.insert = true;
    c->in.warp = w;
    c->in.kind = (enum cw_persist_kind)c->warp[w].kind;
}

/* An entry names the warp from now on. */
static void note_order(struct cw_sbrp_core *c, uint32_t w, const struct cw_adapt_persist_buffer_view *v)
{
    if (v->answer == CW_PERSIST_APPENDED)
        c->ordered[v->at] = 0;
    else
        c->sbrp->counters->pm_merged++;
    c->warp[w].orders += (c->ordered[v->at] & bit(w)) == 0;
    c->ordered[v->at] |= bit(w);
}

static void take_order(struct cw_sbrp_core *c, const struct cw_adapt_persist_buffer_view *v, cw_time now)
{
    const uint32_t w = c->posed.warp;
    if (v->answer != CW_PERSIST_APPENDED && v->answer != CW_PERSIST_MERGED) {
        c->sbrp->counters->pm_full_stalls += v->answer == CW_PERSIST_FULL;
        return;
    }
    note_order(c, w, v);
    cw_ring_take(&c->asked_ring, 64);
    c->sbrp->counters->pm_orderings++;
    if (c->posed.kind < CW_PERSIST_ACQ_DEV || c->sbrp->fault == CW_SBRP_RELEASE_BEFORE_DRAIN) {
        done(c, w, now);
        return;
    }
    c->warp[w].step = CW_SBRP_STALLS;
    c->masks_in.stall = true;
    c->masks_in.stall_warp = w;
}

/* To what was asked in the cycle before, unless the pipe has it. A store whose line has left meanwhile has not come back for its answer. */
static void take_answer(struct cw_sbrp_core *c, cw_time now)
{
    struct cw_adapt_persist_buffer_view v;
    if (!c->posed.insert)
        return;
    cw_adapt_persist_buffer_look(c->buffer, &c->in, &v);
    if (c->posed.kind != CW_PERSIST_LINE)
        take_order(c, &v, now);
    else
        assert(v.answer != CW_PERSIST_APPENDED && v.answer != CW_PERSIST_COALESCED);
}

/* ---- out of the buffer ---- */

static bool has_room(const struct cw_sbrp_core *c)
{
    const struct cw_persist_keys *k = c->sbrp->keys;
    const uint32_t window = k->pm_window + (k->pm_window_form == CW_PM_WINDOW_PLUS_ONE);
    const bool urgent = k->pm_urgent == CW_PM_URGENT_ALL && c->view.odm != 0;
    return !cw_sbrp__keeps(c) && !c->view.full && (k->pm_drain != CW_PM_DRAIN_WINDOW || urgent || c->view.actr < window);
}

static void leave_by_head(struct cw_sbrp_core *c, const struct cw_adapt_persist_buffer_view *v)
{
    if (v->flush && has_room(c) && cw_core_write_line_back(c->core, v->flush_line)) {
        c->in.flush_taken = c->masks_in.flush = true;
        c->sbrp->counters->pm_flushes++;
        if (c->sbrp->keys->pm_flushed_line == CW_PM_FLUSHED_DROP)
            cw_core_drop_line(c->core, v->flush_line);
        c->masks_in.ack |= c->sbrp->fault == CW_SBRP_EARLY_ACK;
        if (c->evict != CW_SBRP_EVICT_NONE && c->evict_line == v->flush_line) { /* it need not be evicted any more */
            c->evict = CW_SBRP_EVICT_NONE;
            retry(c);
        }
    }
    if (!v->order)
        return;
    c->in.order_taken = c->masks_in.order = true;
    c->masks_in.order_kind = v->order_kind;
    c->masks_in.order_warps = v->order_warps;
    for (uint64_t left = v->order_warps; left != 0; left &= left - 1)
        c->warp[(uint32_t)__builtin_ctzll(left)].orders--;
}

static void ask_eviction(struct cw_sbrp_core *c)
{
    c->in.evict = c->evict == CW_SBRP_EVICT_WANTED && !c->view.full;
    c->in.evict_entry = c->entry[c->evict_line];
}

static void evict(struct cw_sbrp_core *c, const struct cw_adapt_persist_buffer_view *v)
{
    if (c->evict == CW_SBRP_EVICT_ASKED && v->evict_done && v->evict_go) {
        c->masks_in.evict = true;
        c->sbrp->counters->pm_flushes++;
        c->sbrp->counters->pm_evictions++;
        c->evict = CW_SBRP_EVICT_GOES;
    } else if (c->evict == CW_SBRP_EVICT_ASKED && v->evict_done) {
        c->sbrp->counters->pm_evict_stalls++;
        c->masks_in.delay = true;
        c->masks_in.delay_warp = c->evict_warp;
        c->evict = CW_SBRP_EVICT_WAITS;
    } else if (c->evict == CW_SBRP_EVICT_ASKED) {
        c->evict = CW_SBRP_EVICT_WANTED;
    } else if (c->in.evict) {
        c->evict = CW_SBRP_EVICT_ASKED;
    }
    if (c->evict == CW_SBRP_EVICT_GOES && cw_core_write_line_back(c->core, c->evict_line)) {
        c->evict = CW_SBRP_EVICT_NONE;
        retry(c);
    }
}

/* The access at the end of the pipeline waits for its warp's bit in EDM: it gives way to those of other warps. */
static void give_way(struct cw_sbrp_core *c)
{
    const bool evicts = c->evict == CW_SBRP_EVICT_WAITS && c->pipe == CW_SBRP_PIPE_EVICT;
    if (c->sbrp->keys->pm_stall == CW_PM_STALL_PIPE || (!evicts && c->pipe != CW_SBRP_PIPE_RESUME) || !cw_core_park_store(c->core))
        return;
    c->pipe = CW_SBRP_PIPE_FREE;
    c->evict = evicts ? CW_SBRP_EVICT_NONE : c->evict;
}

/* ---- the cycle ---- */

static uint32_t warps_in(uint64_t mask)
{
    return (uint32_t)__builtin_popcountll(mask);
}

/* The masks have been what they are since the last clock. */
static void count(struct cw_sbrp_core *c, const struct cw_adapt_persist_buffer_view *v, cw_time now)
{
    struct cw_persist_counters *n = c->sbrp->counters;
    const uint64_t cycles = (now - c->clocked) / c->sbrp->period;
    n->pm_odm_cycles += cycles * warps_in(c->view.odm);
    n->pm_edm_cycles += cycles * warps_in(c->view.edm);
    if (v->count != 0 && c->view.fsm != 0 && !v->flush && !v->order && !v->busy)
        n->pm_head_blocked_cycles += cycles;
    n->pm_buffer_max = v->count > n->pm_buffer_max ? v->count : n->pm_buffer_max;
    n->pm_outstanding_max = c->view.actr > n->pm_outstanding_max ? c->view.actr : n->pm_outstanding_max;
    c->clocked = now;
}

static bool active(const struct cw_sbrp_core *c)
{
    return c->asked_ring.cnt != 0 || c->pipe == CW_SBRP_PIPE_NEXT || c->pipe == CW_SBRP_PIPE_ASKED ||
           (c->evict != CW_SBRP_EVICT_NONE && c->evict != CW_SBRP_EVICT_WAITS);
}

cw_time cw_sbrp__tick(struct cw_sbrp_core *c, cw_time now)
{
    struct cw_adapt_persist_buffer_view v;
    if (!c->awake)
        return CW_TIME_NEVER;
    const struct cw_adapt_order_masks_view *m = cw_sbrp__masks(c, now);
    resume(c, now);
    take_answer(c, now);
    offer_order(c);
    ask_eviction(c);
    c->in.fsm = m->fsm;
    c->in.hold = m->hold;
    c->in.drain = cw_sbrp__drains(c) && has_room(c);
    cw_adapt_persist_buffer_look(c->buffer, &c->in, &v);
    evict(c, &v);
    leave_by_head(c, &v);
    give_way(c);
    count(c, &v, now);
    const bool blocked = v.flush && !c->in.flush_taken && has_room(c); /* by the crossbar */
    const bool moved = c->in.insert || c->in.evict || c->in.flush_taken || c->in.order_taken || c->masks_in.ack || c->masks_in.delay;
    cw_adapt_persist_buffer_clock(c->buffer, &c->in);
    cw_adapt_order_masks_clock(c->masks, &c->masks_in);
    c->posed = c->in;
    c->answers_store = c->in.insert && c->in.kind == CW_PERSIST_LINE;
    memset(&c->in, 0, sizeof c->in);
    memset(&c->masks_in, 0, sizeof c->masks_in);
    c->viewed = CW_TIME_NEVER;
    c->awake = moved || v.busy || m->busy || blocked || active(c);
    return c->awake ? now + c->sbrp->period : CW_TIME_NEVER;
}
