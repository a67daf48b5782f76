/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a core (base/state.h), part by part. A core is loaded when it has been prepared for the same launch: what that has set up is
 * there already.
 */
#include <stdlib.h>

#include "core/core_state.h"

/* ---- pointers ---- */

/* An instruction of the launch's kernel. A warp's may still be one of an earlier kernel, which nobody reads any more. */
static void uop_ref(struct cw_state *s, const struct cw_core *c, const char *name, const struct cw_uop **at)
{
    const size_t cnt = c->warps->launch != NULL ? c->warps->launch->kernel->uop_cnt : 0;
    const uintptr_t from = (uintptr_t)c->warps->uop, to = (uintptr_t)*at;
    void *u = !cw_state_loads(s) && to >= from && to < from + cnt * sizeof **at ? (void *)to : NULL;
    cw_state_ref(s, name, &u, c->warps->uop, sizeof **at, cnt);
    *at = u;
}

#define REF_UOP(s, c, field) uop_ref((s), (c), #field, &(field))

/* A memory instruction by its number in the pool. */
static void inst_ref(struct cw_state *s, const struct cw_core *c, struct cw_core_inst **at)
{
    const uint32_t cnt = c->memory->pool.chunk_cnt * CW_INST_CHUNK;
    uint32_t number = !cw_state_loads(s) && *at != NULL ? (*at)->index + 1 : 0;
    cw_state_count(s, "instruction", &number, cnt);
    if (cw_state_loads(s))
        *at = number != 0 ? cw_core__inst_of(c->memory, number - 1) : NULL;
}

/* ---- warps ---- */

/* What a block gives its threads; the rest is the launch's. */
static void exec_state(struct cw_state *s, struct cw_core *c, uint32_t w, uint32_t half)
{
    struct cw_exec *x = &c->warps->warp[w].x[half];
    bool has_threads = x->tid[0] != NULL;
    CW_STATE(s, has_threads);
    for (uint32_t d = 0; d < 3; d++)
        x->tid[d] = has_threads ? c->warps->storage.tid[w * c->warps->halves + half][d] : NULL;
    CW_STATE(s, x->ctaid);
    CW_STATE(s, x->ntid);
    CW_STATE(s, x->nctaid);
    CW_STATE(s, x->warpid);
    CW_STATE(s, x->first_lane);
    CW_STATE(s, x->clock);
    CW_STATE(s, x->globaltimer_ns);
}

/* Times and counts of a warp at issue. */
static void warp_issue_state(struct cw_state *s, struct cw_core *c, struct cw_warp *w)
{
    CW_STATE(s, w->ready_at);
    CW_STATE(s, w->not_before);
    CW_STATE(s, w->done_at);
    CW_STATE(s, w->fetched_at);
    CW_STATE(s, w->insts);
    CW_STATE(s, w->acks);
    CW_STATE(s, w->queued);
    CW_STATE(s, w->piped);
    CW_STATE(s, w->wait);
    CW_STATE(s, w->fu);
    CW_STATE(s, w->block);
    CW_STATE(s, w->fetch);
    CW_STATE(s, w->acquiring);
    CW_STATE(s, w->releasing);
    CW_STATE(s, w->owes);
    CW_STATE(s, w->owed);
    CW_STATE(s, w->flush);
    CW_STATE(s, w->in_region);
    CW_STATE(s, w->age);
    CW_STATE(s, w->number);
    CW_STATE(s, w->buffer_next);
    CW_STATE(s, w->buffer_end);
    CW_STATE(s, w->live);
    CW_STATE_REF(s, w->dynamic, c->blocks->dynamic, c->blocks->dynamic != NULL ? c->warps->slots : 0);
}

/* What the watchdog knows of it. */
static void warp_spin_state(struct cw_state *s, struct cw_core *c, struct cw_warp *w)
{
    CW_STATE(s, w->polled);
    REF_UOP(s, c, w->spin_at);
    CW_STATE(s, w->spin_lanes);
    CW_STATE(s, w->polled_lanes);
    CW_STATE(s, w->spin);
    REF_UOP(s, c, w->poll);
    CW_STATE(s, w->poll_at);
    CW_STATE(s, w->poll_low);
    CW_STATE(s, w->poll_high);
}

static void warp_barrier_state(struct cw_state *s, struct cw_core *c, struct cw_warp *w)
{
    CW_STATE(s, w->bar_next);
    CW_STATE(s, w->bar_lanes);
    CW_STATE(s, w->bar_id);
    CW_STATE(s, w->bar_waiting);
    CW_STATE(s, w->bar_homes);
    REF_UOP(s, c, w->bar_uop);
    CW_STATE(s, w->passed);
    CW_STATE(s, w->passed_line);
}

static void warp_region_state(struct cw_state *s, struct cw_warp *w)
{
    CW_STATE(s, w->attempt);
    CW_STATE(s, w->attempt_first);
    CW_STATE(s, w->attempt_since);
    CW_STATE(s, w->nest);
    CW_STATE(s, w->resume);
    CW_STATE(s, w->meet);
}

static void warp_print_state(struct cw_state *s, struct cw_warp *w)
{
    bool prints = w->print != NULL;
    CW_STATE(s, prints);
    if (cw_state_loads(s) && prints && w->print == NULL)
        w->print = calloc(2 * CW_PRINT_ARGS, sizeof *w->print);
    if (prints && w->print == NULL)
        cw_state_fail(s, CW_ENOMEM, "out of host memory");
    else if (prints)
        cw_state_array(s, "print", w->print, (size_t)2 * CW_PRINT_ARGS * CW_WARP_LANES_MAX, sizeof(uint32_t));
}

static void dynamic_state(struct cw_state *s, struct cw_dynamic_warp *d)
{
    CW_STATE(s, d->blocks);
    cw_state_count(s, "homes", &d->cnt, CW_LANES);
    for (uint32_t i = 0; i < d->cnt; i++) {
        CW_STATE(s, d->part[i].home);
        CW_STATE(s, d->part[i].lanes);
    }
}

static void warps_state(struct cw_state *s, struct cw_core *c)
{
    for (uint32_t w = 0; w < c->warps->slots; w++) {
        warp_issue_state(s, c, &c->warps->warp[w]);
        warp_spin_state(s, c, &c->warps->warp[w]);
        warp_barrier_state(s, c, &c->warps->warp[w]);
        warp_region_state(s, &c->warps->warp[w]);
        warp_print_state(s, &c->warps->warp[w]);
        for (uint32_t half = 0; w < c->warps->config->core_warps && half < c->warps->halves; half++)
            exec_state(s, c, w, half);
        if (c->blocks->dynamic != NULL) {
            dynamic_state(s, &c->blocks->dynamic[w]);
            CW_STATE(s, c->blocks->starts_at[w]);
        }
    }
}

/* ---- registers ---- */

static void registers_state(struct cw_state *s, struct cw_core *c)
{
    const struct cw_kernel *k = c->warps->launch->kernel;
    const size_t vectors = (size_t)c->warps->config->core_warps * c->warps->halves, lanes = vectors * CW_LANES,
                 saved = k->uses_region ? 1 : 0;
    cw_state_array(s, "tid", c->warps->storage.tid, (size_t)c->warps->slots * c->warps->halves * 3 * CW_LANES, sizeof(uint32_t));
    cw_state_array(s, "r32", c->warps->storage.r32, k->r32_cnt * lanes, sizeof *c->warps->storage.r32);
    cw_state_array(s, "r64", c->warps->storage.r64, k->r64_cnt * lanes, sizeof *c->warps->storage.r64);
    cw_state_array(s, "pred", c->warps->storage.pred, k->pred_cnt * vectors, sizeof *c->warps->storage.pred);
    cw_state_array(s, "cc", c->warps->storage.cc, vectors, sizeof *c->warps->storage.cc);
    cw_state_array(s, "slot_cycle", c->warps->storage.slot_cycle, (size_t)cw_scoreboard_slots(k) * c->warps->slots,
                   sizeof *c->warps->storage.slot_cycle);
    if (c->warps->by_lane)
        cw_state_array(s, "slot_lanes", c->warps->storage.slot_lanes, (size_t)cw_scoreboard_slots(k) * c->warps->slots,
                       sizeof *c->warps->storage.slot_lanes);
    cw_state_array(s, "r32", c->warps->checkpoint.r32, saved * k->r32_cnt * lanes, sizeof *c->warps->checkpoint.r32);
    cw_state_array(s, "r64", c->warps->checkpoint.r64, saved * k->r64_cnt * lanes, sizeof *c->warps->checkpoint.r64);
    cw_state_array(s, "pred", c->warps->checkpoint.pred, saved * k->pred_cnt * vectors, sizeof *c->warps->checkpoint.pred);
    for (uint32_t i = 0; i < k->uop_cnt; i++)
        CW_STATE(s, c->warps->op[i].told);
}

/* ---- memory instructions ---- */

static void inst_state(struct cw_state *s, struct cw_core *c, struct cw_core_inst *i)
{
    struct cw_core_inst *next = (struct cw_core_inst *)i->m.next;
    bool dynamic = i->m.dynamic != NULL;
    REF_UOP(s, c, i->m.uop);
    CW_STATE_REF(s, i->op, c->warps->op, c->warps->launch != NULL ? c->warps->launch->kernel->uop_cnt : 0);
    CW_STATE(s, dynamic);
    i->m.dynamic = dynamic ? &i->dynamic : NULL;
    if (dynamic)
        dynamic_state(s, &i->dynamic);
    CW_STATE(s, i->m.warp);
    CW_STATE(s, i->m.half);
    CW_STATE(s, i->m.lanes);
    CW_STATE(s, i->m.space);
    CW_STATE(s, i->m.elem_bytes);
    CW_STATE(s, i->m.vec);
    CW_STATE(s, i->m.addr);
    CW_STATE(s, i->m.value);
    CW_STATE(s, i->m.accesses_pending);
    CW_STATE(s, i->m.attempt);
    inst_ref(s, c, &next);
    i->m.next = (struct cw_mem_inst *)next;
    inst_ref(s, c, &i->leader);
    CW_STATE(s, i->threads);
    CW_STATE(s, i->parts);
    CW_STATE(s, i->lanes_left);
    CW_STATE(s, i->landed);
    CW_STATE(s, i->chunk_left);
    CW_STATE(s, i->piece);
    CW_STATE(s, i->piece_cnt);
    CW_STATE(s, i->in_region);
    CW_STATE(s, i->flight);
    CW_STATE(s, i->arrives);
    CW_STATE(s, i->read_until);
    CW_STATE(s, i->stamp);
    CW_STATE(s, i->epoch);
    CW_STATE(s, i->asked);
}

/* Numbers of the free ones, in the order of their list; the others are under way. */
static void pool_state(struct cw_state *s, struct cw_core *c)
{
    uint32_t chunks = c->memory->pool.chunk_cnt;
    CW_STATE(s, chunks);
    while (cw_state_loads(s) && s->status == CW_OK && c->memory->pool.chunk_cnt < chunks)
        if (!cw_core__inst_grow(c->memory))
            cw_state_fail(s, CW_ENOMEM, "out of host memory");
    if (cw_state_loads(s) && s->status == CW_OK && c->memory->pool.chunk_cnt > chunks)
        cw_core__inst_shrink(c->memory, chunks);
    CW_STATE(s, c->memory->pool.out);
    const uint32_t all = c->memory->pool.chunk_cnt * CW_INST_CHUNK;
    bool *is_free = calloc(all + 1, sizeof *is_free);
    if (is_free == NULL)
        cw_state_fail(s, CW_ENOMEM, "out of host memory");
    struct cw_core_inst **link = &c->memory->pool.free;
    for (bool more = is_free != NULL; more && s->status == CW_OK;) {
        inst_ref(s, c, link);
        more = *link != NULL;
        if (more) {
            is_free[(*link)->index] = true;
            link = (struct cw_core_inst **)(void *)&(*link)->m.next;
        }
    }
    for (uint32_t i = 0; i < all && is_free != NULL && s->status == CW_OK; i++)
        if (!is_free[i])
            inst_state(s, c, cw_core__inst_of(c->memory, i));
    free(is_free);
}

static void access_state(struct cw_state *s, const struct cw_core *c, struct cw_pipe_entry *e)
{
    CW_STATE(s, e->ready);
    inst_ref(s, c, &e->inst);
    CW_STATE(s, e->access.line);
    CW_STATE(s, e->access.lanes);
    CW_STATE(s, e->access.sectors);
    CW_STATE(s, e->piece);
    CW_STATE(s, e->last);
}

static void lsu_state(struct cw_state *s, struct cw_core *c)
{
    cw_state_count(s, "queued", &c->warps->mem_queue.cnt, c->memory->lsu.cap);
    cw_state_count(s, "head", &c->memory->lsu.head, c->memory->lsu.cap - 1);
    for (uint32_t i = 0; i < c->warps->mem_queue.cnt; i++)
        inst_ref(s, c, &c->memory->lsu.queue[(c->memory->lsu.head + i) % c->memory->lsu.cap]);
    CW_STATE(s, c->memory->lsu.next);
    CW_STATE(s, c->memory->lsu.stage_free_at);
    CW_STATE(s, c->memory->lsu.shared_free_at);
}

static void pipe_state(struct cw_state *s, struct cw_core *c)
{
    struct cw_access_pipe *p = &c->memory->pipe;
    cw_state_count(s, "accesses", &p->cnt, p->cap);
    cw_state_count(s, "head", &p->head, p->cap - 1);
    for (uint32_t i = 0; i < p->cnt; i++)
        access_state(s, c, &p->entry[(p->head + i) % p->cap]);
    cw_state_count(s, "parked accesses", &p->parked_cnt, p->parked_cap);
    for (uint32_t i = 0; i < p->parked_cnt; i++)
        access_state(s, c, &p->parked[i]);
    CW_STATE(s, p->waiting);
    CW_STATE(s, p->at);
    CW_STATE(s, p->at_parked);
    CW_STATE(s, p->next);
    CW_STATE(s, p->free_at);
    CW_STATE(s, p->port_cycle);
    CW_STATE(s, p->port_free_at);
    CW_STATE(s, p->log_until);
    CW_STATE(s, p->stalled_at);
    cw_message_state(s, &p->packet);
    CW_STATE(s, p->log_refused);
    cw_state_count(s, "log accesses", &p->log_cnt, p->log_cap);
    cw_state_count(s, "head", &p->log_head, p->log_cap - 1);
    for (uint32_t i = 0; i < p->log_cnt; i++) {
        struct cw_log_done *d = &p->log_done[(p->log_head + i) % p->log_cap];
        CW_STATE(s, d->ready);
        CW_STATE(s, d->warp);
        CW_STATE(s, d->cookie);
    }
}

static void misses_state(struct cw_state *s, struct cw_misses *m)
{
    cw_state_count(s, "misses", &m->cnt, m->cap);
    CW_STATE(s, m->head);
    for (uint32_t i = 0; i < m->cnt; i++) {
        struct cw_miss *e = &m->entry[(m->head + i) % m->cap];
        CW_STATE(s, e->ready);
        CW_STATE(s, e->line);
        CW_STATE(s, e->bytes);
        CW_STATE(s, e->tag);
    }
}

/* ---- caches ---- */

static void waiter_ref(struct cw_state *s, void **inst, void *context)
{
    struct cw_core_inst *i = *inst;
    inst_ref(s, context, &i);
    *inst = i;
}

/* A cache that the machine does not have has no sets. */
static void cache_state(struct cw_state *s, struct cw_core *c, struct cw_l1 *l1)
{
    if (l1->sets != 0)
        cw_l1_state(s, l1, waiter_ref, c);
}

static void calendar_state(struct cw_state *s, struct cw_calendar *c)
{
    CW_STATE(s, c->taken);
    CW_STATE(s, c->from);
    CW_STATE(s, c->behind);
}

static void fetch_state(struct cw_state *s, struct cw_core *c)
{
    struct cw_fetch_port *f = &c->blocks->fetch;
    struct cw_fetch_asks *asks = &c->warps->asks;
    cache_state(s, c, &f->cache);
    calendar_state(s, &f->port);
    cw_state_count(s, "asks", &asks->cnt, c->warps->slots);
    for (uint32_t i = 0; i < asks->cnt; i++) {
        CW_STATE(s, asks->ask[i].cycle);
        CW_STATE(s, asks->ask[i].warp);
        CW_STATE(s, asks->ask[i].astray);
    }
    CW_STATE(s, f->busy_cnt);
    CW_STATE(s, f->last);
}

/* ---- issue ---- */

static void scheduler_state(struct cw_state *s, struct cw_core *c)
{
    for (uint32_t i = 0; i < c->warps->scheduler_cnt; i++) {
        CW_STATE(s, c->warps->scheduler[i].free_at);
        CW_STATE(s, c->warps->scheduler[i].last);
    }
    CW_STATE(s, c->warps->fu_free);
    CW_STATE(s, c->issue.next);
    CW_STATE(s, c->warps->started);
    CW_STATE(s, c->warps->ages.resident);
    CW_STATE(s, c->warps->ages.older);
    for (uint32_t row = 0; row < c->warps->rows; row++) {
        CW_STATE(s, c->warps->row[row].ready);
        CW_STATE(s, c->warps->row[row].fu_warps);
    }
    cw_state_array(s, "wheel", c->warps->wheel.slot, (size_t)CW_WHEEL_SLOTS * c->warps->rows, sizeof *c->warps->wheel.slot);
    CW_STATE(s, c->warps->wheel.used);
    CW_STATE(s, c->warps->wheel.words);
}

static void operands_state(struct cw_state *s, struct cw_operands *o)
{
    for (uint32_t i = 0; i < CW_PIPE_COUNT; i++) {
        CW_STATE(s, o->pipe[i].entry);
        CW_STATE(s, o->pipe[i].exit);
        CW_STATE(s, o->pipe[i].unit);
        CW_STATE(s, o->pipe[i].collector);
    }
    CW_STATE(s, o->bank_free);
    for (uint32_t i = 0; i < CW_BANKS_MAX; i++)
        calendar_state(s, &o->writes[i]);
}

static void classes_state(struct cw_state *s, struct cw_core_warps *warps)
{
    uint64_t *const counters = (uint64_t *)warps->cfg.stats;
    CW_STATE(s, warps->classes.active);
    CW_STATE(s, warps->classes.counted);
    CW_STATE_REF(s, warps->classes.slot, counters, sizeof *warps->cfg.stats / sizeof *counters);
    CW_STATE(s, warps->classes.gap);
}

static void stalls_state(struct cw_state *s, struct cw_core *c)
{
    struct cw_stalls *t = c->warps->stalls;
    bool counts = t != NULL;
    CW_STATE(s, counts);
    if (counts != (t != NULL))
        cw_state_fail(s, CW_EINVAL, "one of the two runs counts stalls (--stalls), the other does not");
    if (t == NULL)
        return;
    CW_STATE(s, t->charged);
    CW_STATE(s, t->idle);
    for (uint32_t i = 0; i < c->warps->scheduler_cnt; i++) {
        CW_STATE(s, t->found[i].trip);
        CW_STATE(s, t->found[i].number);
    }
    CW_STATE(s, t->mine);
    CW_STATE(s, t->waits);
    cw_state_array(s, "why", t->why, c->warps->slots, sizeof *t->why);
    cw_state_array(s, "delay", t->delay, c->warps->slots, sizeof *t->delay);
    cw_state_array(s, "last", t->last, (size_t)c->warps->slots * CW_LANES, sizeof *t->last);
    cw_state_array(s, "producer", t->producer, (size_t)c->warps->slots * t->registers, sizeof *t->producer);
    cw_state_array(s, "at", t->at, c->warps->slots, sizeof *t->at);
    cw_state_array(s, "by", t->by, c->warps->slots, sizeof *t->by);
    cw_state_array(s, "issued", t->issued, c->warps->slots, sizeof *t->issued);
    cw_state_array(s, "begun", t->begun, c->warps->slots, sizeof *t->begun);
    cw_state_array(s, "last_pc", t->last_pc, (size_t)c->warps->slots * CW_LANES, sizeof *t->last_pc);
    cw_state_array(s, "producer_pc", t->producer_pc, (size_t)c->warps->slots * t->registers, sizeof *t->producer_pc);
    CW_STATE(s, t->stopped);
    CW_STATE(s, t->refused);
}

/* ---- blocks ---- */

static void barrier_state(struct cw_state *s, struct cw_barrier *b)
{
    CW_STATE(s, b->arrived);
    CW_STATE(s, b->places);
    CW_STATE(s, b->expected);
    CW_STATE(s, b->waiting);
    CW_STATE(s, b->waits);
    CW_STATE(s, b->popc);
    CW_STATE(s, b->all);
    CW_STATE(s, b->any);
}

static void block_state(struct cw_state *s, struct cw_block *b)
{
    CW_STATE(s, b->used);
    CW_STATE(s, b->warps_left);
    CW_STATE(s, b->threads_live);
    CW_STATE(s, b->insts);
    CW_STATE(s, b->shared_base);
    CW_STATE(s, b->ctaid);
    CW_STATE(s, b->number);
    for (uint32_t i = 0; i < CW_BARRIERS; i++)
        barrier_state(s, &b->barrier[i]);
}

static void blocks_state(struct cw_state *s, struct cw_core *c)
{
    for (uint32_t i = 0; i < CW_CORE_BLOCKS_MAX; i++) {
        struct cw_order *o = &c->warps->order[i];
        block_state(s, &c->warps->block[i]);
        CW_STATE(s, o->flight);
        CW_STATE(s, o->generation);
        CW_STATE(s, o->owed);
        CW_STATE(s, o->is_owed);
    }
    CW_STATE(s, c->blocks->room.blocks);
    CW_STATE(s, c->blocks->room.registers_used);
    CW_STATE(s, c->blocks->room.shared_used);
    CW_STATE(s, c->blocks->room.resident);
    CW_STATE(s, c->blocks->room.started_cnt);
    CW_STATE(s, c->blocks->room.start_free);
    cw_state_array(s, "shared", c->blocks->shared, c->warps->config->core_shared_bytes, 1);
}

static void flush_state(struct cw_state *s, struct cw_flush *f)
{
    CW_STATE(s, f->next);
    CW_STATE(s, f->asked);
    CW_STATE(s, f->kinds);
    CW_STATE(s, f->started);
    CW_STATE(s, f->finished);
    CW_STATE(s, f->at);
    CW_STATE(s, f->generation);
    CW_STATE(s, f->out);
    CW_STATE(s, f->busy);
    CW_STATE(s, f->active);
    CW_STATE(s, f->scanning);
}

/* ---- the core ---- */

static void control_state(struct cw_state *s, struct cw_core *c)
{
    CW_STATE(s, c->blocks->control_next);
    for (uint32_t w = 0; w < c->warps->slots; w++) {
        CW_STATE(s, c->warps->control->front[w].pc);
        CW_STATE(s, c->warps->control->front[w].stop);
        CW_STATE(s, c->warps->control->front[w].active);
    }
    if (c->warps->control->ops->state == NULL)
        cw_state_fail(s, CW_EUNSUP, "control policy %s cannot be saved", c->warps->control->ops->name);
    else
        c->warps->control->ops->state(c->warps->control, s);
    c->warps->unusual |= c->warps->control->ops->stacked != NULL; /* some warp may have none */
    const size_t lanes = (size_t)c->warps->slots * CW_LANES;
    if (c->warps->thread_done != NULL)
        cw_state_array(s, "thread_done", c->warps->thread_done, lanes, sizeof *c->warps->thread_done);
    for (size_t i = 0; c->blocks->bar_insn != NULL && i < lanes; i++)
        REF_UOP(s, c, c->blocks->bar_insn[i]);
}

static void clock_state(struct cw_state *s, struct cw_core *c)
{
    CW_STATE(s, c->warps->cycle);
    CW_STATE(s, c->warps->now);
    CW_STATE(s, c->warps->mech_next);
    CW_STATE(s, c->warps->faulted);
    CW_STATE(s, c->cache->acks);
    CW_STATE(s, c->warps->barrier_free);
    CW_STATE(s, c->warps->departures);
    CW_STATE(s, c->warps->stamps);
    CW_STATE(s, c->blocks->epoch);
    CW_STATE(s, c->warps->checkpoint.longest_back_off);
}

void cw_core__state(void *self, struct cw_state *s)
{
    struct cw_core *c = self;
    bool launched = c->warps->launch != NULL;
    CW_STATE(s, launched);
    if (launched != (c->warps->launch != NULL))
        cw_state_fail(s, CW_EINVAL, "it was saved %s a launch", launched ? "in" : "before");
    clock_state(s, c);
    if (launched && s->status == CW_OK)
        registers_state(s, c);
    warps_state(s, c);
    pool_state(s, c);
    lsu_state(s, c);
    pipe_state(s, c);
    misses_state(s, &c->cache->misses);
    cache_state(s, c, &c->cache->l1);
    cache_state(s, c, &c->memory->constants.cache);
    cache_state(s, c, &c->cache->texture);
    CW_STATE(s, c->memory->constants.free_at);
    CW_STATE(s, c->memory->constants.stalled_at);
    fetch_state(s, c);
    scheduler_state(s, c);
    operands_state(s, &c->issue.operands);
    classes_state(s, c->warps);
    stalls_state(s, c);
    blocks_state(s, c);
    flush_state(s, &c->blocks->flush);
    control_state(s, c);
}

void cw_core_inst_state(struct cw_state *s, struct cw_core *c, struct cw_mem_inst **inst)
{
    struct cw_core_inst *i = (struct cw_core_inst *)*inst;
    inst_ref(s, c, &i);
    *inst = (struct cw_mem_inst *)i;
}
