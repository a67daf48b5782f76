/* SPDX-License-Identifier: Apache-2.0 */
/* SBRP's sockets in a core: stores and evictions of lines of persistent memory, and ordering operations of warps. */
#include "mech/persist/sbrp.h"

static uint64_t bit(uint32_t warp)
{
    return UINT64_C(1) << warp;
}

/* ---- stores ---- */

/* An atomic or a store past the L1 becomes durable by itself, so what is ordered before it has to be durable. */
static bool passes(struct cw_sbrp_core *c, const struct cw_l1_store *s, cw_time now)
{
    const bool free = c->warp[s->warp].orders == 0 && (cw_sbrp__masks(c, now)->fsm & bit(s->warp)) == 0;
    c->past_waits = !free;
    c->pipe = free ? CW_SBRP_PIPE_FREE : CW_SBRP_PIPE_NEXT;
    c->warp[s->warp].returns |= free && s->returns;
    c->sbrp->counters->pm_past += free;
    return free;
}

static bool stored(struct cw_sbrp_core *c, const struct cw_l1_store *s, const struct cw_adapt_persist_buffer_view *v)
{
    struct cw_persist_counters *n = c->sbrp->counters;
    switch (v->answer) {
    case CW_PERSIST_APPENDED:
        c->entry[s->index] = v->at;
        n->pm_persists++;
        c->pipe = CW_SBRP_PIPE_FREE;
        return true;
    case CW_PERSIST_COALESCED:
        n->pm_persists++;
        n->pm_coalesced++;
        c->pipe = CW_SBRP_PIPE_FREE;
        return true;
    case CW_PERSIST_CONFLICT:
        n->pm_conflicts++;
        c->masks_in.delay = true;
        c->masks_in.delay_warp = s->warp;
        c->pipe = CW_SBRP_PIPE_RESUME;
        return false;
    case CW_PERSIST_FULL:
        n->pm_full_stalls++;
        c->pipe = CW_SBRP_PIPE_NEXT;
        return false;
    default:
        c->pipe = CW_SBRP_PIPE_NEXT;
        return false;
    }
}

static void ask(struct cw_sbrp_core *c, const struct cw_l1_store *s)
{
    c->in.insert = true;
    c->in.kind = CW_PERSIST_LINE;
    c->in.warp = s->warp;
    c->in.line = s->index;
    c->in.held = s->dirty;
    c->in.entry = c->entry[s->index];
    c->pipe = CW_SBRP_PIPE_ASKED;
}

/* The buffer is asked in one cycle, and answers in the next one. The pipe is in order, and the line keeps its place: this is the same access. */
static bool l1_store(void *self, const struct cw_l1_store *s, cw_time now)
{
    struct cw_sbrp_core *c = self;
    struct cw_adapt_persist_buffer_view v;
    if (c->pipe == CW_SBRP_PIPE_RESUME)
        return false;
    c->awake = true;
    if (s->past)
        return passes(c, s, now);
    if (!c->posed.insert || c->posed.kind != CW_PERSIST_LINE || c->posed.line != s->index) {
        ask(c, s);
        return false;
    }
    cw_adapt_persist_buffer_look(c->buffer, &c->in, &v);
    c->posed.insert = false;
    return stored(c, s, &v);
}

/* Lazily kept, a released value would not be seen before somebody asks for its line. */
static bool l1_takes_device(const void *self)
{
    const struct cw_sbrp_core *c = self;
    return c->sbrp->keys->pm_release == CW_PM_RELEASE_BUFFER && c->sbrp->keys->pm_drain != CW_PM_DRAIN_LAZY;
}

static void l1_evict(void *self, uint32_t index, uint32_t warp, cw_time now)
{
    struct cw_sbrp_core *c = self;
    (void)now;
    c->awake = true;
    c->pipe = CW_SBRP_PIPE_EVICT;
    if (c->evict != CW_SBRP_EVICT_NONE)
        return;
    c->evict = CW_SBRP_EVICT_WANTED;
    c->evict_line = index;
    c->evict_warp = warp;
}

static void l1_written(void *self, cw_time now)
{
    struct cw_sbrp_core *c = self;
    (void)now;
    c->awake = true;
    c->masks_in.ack = true;
}

/* ---- ordering operations ---- */

static enum cw_persist_kind kind_of(const struct cw_sbrp_core *c, const struct cw_persist_order *o)
{
    const bool device = o->device && c->sbrp->fault != CW_SBRP_DEVICE_AS_BLOCK;
    switch ((enum cw_event_order)o->kind) {
    case CW_ORDER_DFENCE:
        return CW_PERSIST_DFENCE;
    case CW_ORDER_RELEASE:
        return device ? CW_PERSIST_REL_DEV : CW_PERSIST_REL_BLOCK;
    case CW_ORDER_ACQUIRE:
        return device ? CW_PERSIST_ACQ_DEV : CW_PERSIST_ACQ_BLOCK;
    default:
        return CW_PERSIST_OFENCE;
    }
}

/* Whether the operation is done, as far as its warp has to wait; else it is on its way. */
static bool carry_out(struct cw_sbrp_core *c, uint32_t w, enum cw_persist_kind kind)
{
    if (c->warp[w].step == CW_SBRP_DONE) {
        c->warp[w].step = CW_SBRP_NONE;
        return true;
    }
    if (kind == CW_PERSIST_OFENCE && c->sbrp->fault == CW_SBRP_DROP_OFENCE)
        return true;
    if (c->warp[w].step != CW_SBRP_NONE || !cw_core_settle(c->core, w, c->warp[w].returns))
        return false;
    c->warp[w].returns = false;
    c->warp[w].step = CW_SBRP_ASKED;
    c->warp[w].kind = (uint8_t)kind;
    c->asked[cw_ring_add(&c->asked_ring, 64)] = w;
    c->awake = true;
    return false;
}

static bool intrinsic(void *self, struct cw_core_call *call, cw_time now)
{
    struct cw_sbrp_core *c = self;
    struct cw_persist_order order;
    const bool begins = !cw_persist_order_of(call, &order), acquire = order.kind == CW_ORDER_ACQUIRE;
    const bool at_issue = c->sbrp->keys->pm_acquire == CW_PM_ACQUIRE_ISSUE;
    (void)now;
    return (acquire && begins != at_issue) || carry_out(c, call->warp, kind_of(c, &order));
}

/* Fences of PTX order persists, too (5.2): of device scope they make them durable. */
static bool fence(void *self, uint32_t warp, const struct cw_uop *uop, cw_time now)
{
    struct cw_sbrp_core *c = self;
    const bool block = uop->scope == CW_SCOPE_CTA;
    (void)now;
    return carry_out(c, warp, block ? CW_PERSIST_OFENCE : CW_PERSIST_DFENCE);
}

static bool barrier(void *self, uint32_t warp, cw_time now)
{
    struct cw_sbrp_core *c = self;
    (void)now;
    if (c->sbrp->keys->pm_barrier == CW_PM_BARRIER_ORDER)
        return carry_out(c, warp, CW_PERSIST_OFENCE);
    return c->sbrp->keys->pm_stall == CW_PM_STALL_PIPE || cw_core_settle(c->core, warp, false); /* a store may have given way */
}

/* ---- the rest ---- */

static void block_start(void *self, uint32_t block, uint64_t warps, cw_time now)
{
    struct cw_sbrp_core *c = self;
    (void)block;
    (void)warps;
    (void)now;
    c->awake |= cw_sbrp__keeps(c); /* lines of the kernel before may leave now */
    c->ends = false;
}

static void kernel_end(void *self, cw_time now)
{
    struct cw_sbrp_core *c = self;
    (void)now;
    c->ends = c->awake = true;
}

static bool idle(const void *self)
{
    const struct cw_sbrp_core *c = self;
    struct cw_adapt_order_masks_view m;
    struct cw_adapt_persist_buffer_view v;
    cw_adapt_order_masks_look(c->masks, &m);
    cw_adapt_persist_buffer_look(c->buffer, &(struct cw_adapt_persist_buffer_in){.fsm = m.fsm}, &v);
    return (v.count == 0 || cw_sbrp__keeps(c)) && m.actr == 0 && c->asked_ring.cnt == 0;
}

static cw_time tick(void *self, cw_time now)
{
    return cw_sbrp__tick(self, now);
}

/* What nothing can end any more: the machine stands still when this is asked. */
static void report_masks(const struct cw_sbrp_core *c, const struct cw_adapt_order_masks_view *m, uint32_t entries, FILE *out)
{
    uint64_t stalls = 0;
    for (uint32_t w = 0; w < 64; w++)
        stalls |= c->warp[w].step == CW_SBRP_STALLS ? bit(w) : 0;
    if (m->odm != 0 && entries == 0)
        fprintf(out, "  order masks: ODM has warps %llx wait for their ordering entries, and the persist buffer is empty\n",
                (unsigned long long)m->odm);
    if ((m->edm | m->fsm) != 0 && m->actr == 0)
        fprintf(out, "  order masks: EDM has warps %llx wait, FSM holds back lines of warps %llx, and no line is outstanding\n",
                (unsigned long long)m->edm, (unsigned long long)m->fsm);
    if ((stalls & ~(m->odm | m->edm)) != 0)
        fprintf(out, "  order masks: warps %llx wait for their ordering entries, and neither ODM nor EDM has them\n",
                (unsigned long long)(stalls & ~(m->odm | m->edm)));
    if (m->actr != 0)
        fprintf(out, "  order masks: %u acknowledgements of lines that have left have not come\n", m->actr);
    if (m->hold && m->edm == 0)
        fprintf(out, "  order masks: the persist buffer is held back, and no warp is in EDM\n");
}

static void report(const void *self, FILE *out)
{
    const struct cw_sbrp_core *c = self;
    struct cw_adapt_order_masks_view m;
    struct cw_adapt_persist_buffer_view v;
    cw_adapt_order_masks_look(c->masks, &m);
    cw_adapt_persist_buffer_look(c->buffer, &(struct cw_adapt_persist_buffer_in){.fsm = m.fsm}, &v);
    if (v.count != 0 || m.actr != 0)
        fprintf(out, "  persist buffer: %u entries, %u lines outstanding, ODM %llx, EDM %llx, FSM %llx\n", v.count, m.actr,
                (unsigned long long)m.odm, (unsigned long long)m.edm, (unsigned long long)m.fsm);
    report_masks(c, &m, v.count, out);
}

const struct cw_core_sockets cw_sbrp_sockets = {.l1_store = l1_store,
                                                .l1_takes_device = l1_takes_device,
                                                .l1_evict = l1_evict,
                                                .l1_written = l1_written,
                                                .intrinsic = intrinsic,
                                                .fence = fence,
                                                .barrier = barrier,
                                                .block_start = block_start,
                                                .kernel_end = kernel_end,
                                                .tick = tick,
                                                .idle = idle,
                                                .report = report};
