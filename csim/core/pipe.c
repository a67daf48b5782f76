/* SPDX-License-Identifier: Apache-2.0 */
/* Load/store pipeline: line accesses on their way to the L1 or the crossbar, replies on their way back, accesses to mechanisms' logs. */
#include <assert.h>
#include <string.h>

#include "core/core_state.h"
#include "mem/address.h"

/* Load data has come. */
static void deliver(struct cw_core *c, struct cw_core_inst *inst, cw_lanes lanes, uint32_t piece, const uint8_t *line, uint64_t cycle)
{
    const struct cw_pipe_entry e = {.inst = inst, .piece = piece, .access = {.lanes = lanes}};
    cw_core__values_from_line(c, &e, line);
    cw_core__inst_answered(c, inst, cycle);
}

/* ---- L1 ---- */

enum progress { MOVED, RETRY, WAIT_FILL, WAIT_CROSSBAR, WAIT_KEEPER, WAIT_PORT };

/* An access has left for memory. */
static void take_port(struct cw_core *c)
{
    c->pipe.free_at = c->cycle + c->pass.miss;
}

/* A dirty line makes room for an access of the warp. */
static enum progress evict(struct cw_core *c, struct cw_l1_line *e, uint32_t warp)
{
    if (cw_core__is_kept(c, e->line)) {
        c->keeper->sockets->l1_evict(c->keeper->self, cw_l1_index(&c->l1, e), warp, c->now);
        return WAIT_KEEPER;
    }
    const bool global = e->global;
    if (cw_core__write_line(c, e, cw_core__flush_tag(c)) && global)
        c->flush.out[c->flush.generation]++;
    return RETRY;
}

/* What a refusal means for the one who asked. */
static enum progress refused(struct cw_core *c, enum cw_l1_result r, struct cw_l1_line *victim, uint32_t warp)
{
    return r == CW_L1_BUSY ? WAIT_FILL : evict(c, victim, warp);
}

static enum progress l1_load(struct cw_core *c, const struct cw_pipe_entry *e)
{
    const struct cw_l1_waiter who = {
        .inst = e->inst, .global = e->inst->m.space == CW_SPACE_GLOBAL, .lanes = (uint32_t)e->access.lanes, .piece = e->piece};
    uint64_t need[2];
    uint8_t *data = NULL;
    uint32_t mshr = 0;
    struct cw_l1_line *victim = NULL;
    if (!cw_core__miss_has_room(c))
        return RETRY;
    cw_core__touched(c, e, need);
    enum cw_l1_result r = cw_l1_read(&c->l1, e->access.line, need, &who, &data, &mshr, &victim);
    if (r == CW_L1_BUSY || r == CW_L1_EVICT)
        return refused(c, r, victim, e->inst->m.warp);
    c->cfg.stats->l1_reads++;
    c->cfg.stats->l1_read_misses += r != CW_L1_HIT;
    if (cw_memory_is_pm(e->access.line)) {
        c->cfg.stats->l1_pm_reads++;
        c->cfg.stats->l1_pm_read_misses += r != CW_L1_HIT;
    }
    if (r == CW_L1_HIT) {
        cw_core__tell_line(c, CW_L1_LINE_HIT, e->access.line, e->inst->m.warp);
        deliver(c, e->inst, e->access.lanes, e->piece, data, c->cycle + c->config->l1_latency);
    } else if (r == CW_L1_MISS) {
        cw_core__send_miss(c, e->access.line, c->l1.mshr[mshr].ask, CW_TAG_MSHR | mshr);
        take_port(c);
    }
    return MOVED;
}

/* The keeper of the line is asked when the line has its place. */
static enum progress ask_keeper(struct cw_core *c, const struct cw_pipe_entry *e, const uint64_t mask[2])
{
    struct cw_l1_line *line = NULL, *victim = NULL;
    const enum cw_l1_result r = cw_l1_reserve(&c->l1, e->access.line, mask, &line, &victim);
    if (r != CW_L1_HIT)
        return refused(c, r, victim, e->inst->m.warp);
    const bool stores = cw_core__keeper_stores(c, e, line);
    c->l1.held = stores ? NULL : line;
    return stores ? MOVED : WAIT_KEEPER;
}

static enum progress l1_store(struct cw_core *c, const struct cw_pipe_entry *e)
{
    const bool global = e->inst->m.space == CW_SPACE_GLOBAL;
    uint64_t mask[2];
    uint8_t *data = NULL;
    bool allocated = false;
    struct cw_l1_line *victim = NULL;
    cw_core__touched(c, e, mask);
    const enum progress p = global && cw_core__is_kept(c, e->access.line) ? ask_keeper(c, e, mask) : MOVED;
    if (p != MOVED)
        return p;
    enum cw_l1_result r = cw_l1_write(&c->l1, e->access.line, mask, global, &data, &allocated, &victim);
    if (r != CW_L1_HIT)
        return refused(c, r, victim, e->inst->m.warp);
    cw_core__values_to_line(c, e, data);
    cw_core__tell_line(c, CW_L1_LINE_WRITTEN, e->access.line, e->inst->m.warp);
    if (cw_memory_is_pm(e->access.line)) {
        c->cfg.stats->l1_pm_writes++;
        c->cfg.stats->l1_pm_write_misses += allocated;
        cw_core__tell_stores(c, e);
    }
    c->cfg.stats->l1_writes++;
    c->cfg.stats->l1_write_misses += allocated;
    cw_core__inst_answered(c, e->inst, c->cycle + 1);
    return MOVED;
}

/* A hit of the texture cache, or a read of its line; bytes lie where they lie in the line of L1 and L2. */
static __attribute__((noinline)) enum progress texture_load(struct cw_core *c, const struct cw_pipe_entry *e)
{
    static const uint64_t whole[2] = {UINT64_MAX, UINT64_MAX};
    const struct cw_l1_waiter who = {.inst = e->inst, .global = true, .lanes = (uint32_t)e->access.lanes};
    uint8_t *data = NULL;
    uint32_t mshr = 0;
    struct cw_l1_line *victim = NULL;
    if (!cw_core__miss_has_room(c))
        return RETRY;
    const enum cw_l1_result r = cw_l1_read(&c->texture, e->access.line, whole, &who, &data, &mshr, &victim);
    if (r == CW_L1_BUSY)
        return WAIT_FILL;
    c->cfg.stats->texture_reads++;
    c->cfg.stats->texture_read_misses += r != CW_L1_HIT;
    if (r == CW_L1_HIT)
        deliver(c, e->inst, e->access.lanes, 0, data, c->cycle + c->config->texture_latency);
    if (r == CW_L1_MISS) {
        cw_core__send_miss(c, e->access.line, cw_core__sectors(c, e->access.line, c->texture.line_bytes), CW_TAG_TEXTURE | mshr);
        take_port(c);
    }
    return MOVED;
}

/* With write-back relaxed accesses of block scope, too: all threads of a block have one L1. */
static bool uses_l1(const struct cw_core *c, const struct cw_mem_inst *m)
{
    const struct cw_uop *u = m->uop;
    const uint32_t cache = u->flags & (CW_UF_CACHE_ALL | CW_UF_VOLATILE | CW_UF_ACQUIRE | CW_UF_RELEASE);
    if (m->space == CW_SPACE_LOCAL)
        return true;
    if (c->config->l1_global == CW_L1_WRITE_BACK)
        return u->op != CW_OP_ATOM && (cache == CW_UF_CACHE_ALL || (cache == CW_UF_VOLATILE && u->scope == CW_SCOPE_CTA));
    return c->config->l1_global == CW_L1_ON && u->op == CW_OP_LD && cache == CW_UF_CACHE_ALL;
}

/* ---- the pipe ---- */

bool cw_core__pipe_has_room(const struct cw_core *c)
{
    return c->pipe.cnt < c->pipe.cap;
}

void cw_core__pipe_push(struct cw_core *c, const struct cw_pipe_entry *e)
{
    uint32_t tail = c->pipe.head + c->pipe.cnt++;
    c->pipe.entry[tail < c->pipe.cap ? tail : tail - c->pipe.cap] = *e;
    if (c->pipe.cnt == 1)
        c->pipe.next = e->ready > c->cycle ? e->ready : c->cycle + 1;
}

static enum progress l1_access(struct cw_core *c, const struct cw_pipe_entry *e)
{
    if (c->pipe.log_until > c->cycle)
        return RETRY;
    if (c->pipe.log_refused) { /* log accesses take turns with the pipe */
        c->pipe.log_refused = false;
        return RETRY;
    }
    c->pipe.port_cycle = c->cycle;
    const enum progress r = e->inst->m.uop->op == CW_OP_ST ? l1_store(c, e) : l1_load(c, e);
    if (r == MOVED)
        c->pipe.port_free_at = c->cycle + c->pass.line;
    return r;
}

/* With write-back: what the L1 holds dirty of the line goes first. */
static enum progress make_way(struct cw_core *c, const struct cw_pipe_entry *e)
{
    struct cw_l1_line *line = cw_l1_find(&c->l1, e->access.line);
    if (line == NULL || !cw_l1_is_dirty(line))
        return MOVED;
    return line->mshr != 0 ? WAIT_FILL : evict(c, line, e->inst->m.warp);
}

/* For the adversary of programs. */
static void loosen(const struct cw_core_inst *inst, struct cw_message *p)
{
    const struct cw_uop *u = inst->m.uop;
    p->loose = u->op != CW_OP_ATOM && (u->flags & (CW_UF_VOLATILE | CW_UF_ACQUIRE | CW_UF_RELEASE)) == 0 ? CW_LOOSE_WEAK : CW_LOOSE_STRONG;
    p->epoch = inst->epoch;
}

/* The access leaves for memory. */
static void leave(struct cw_core *c, const struct cw_pipe_entry *e, struct cw_message *p)
{
    const bool unanswered = p->kind == CW_MSG_WRITE || (p->kind == CW_MSG_ATOMIC && p->needs_reply == 0);
    if (unanswered)
        cw_core__expect_ack(c, p, e->inst->flight);
    if (p->kind != CW_MSG_READ && cw_memory_is_pm(p->addr))
        cw_core__tell_stores(c, e);
    if (__builtin_expect(c->hostile, 0))
        loosen(e->inst, p);
    cw_core__persist_leaves(c, p);
    cw_crossbar_push(c->cfg.up, c->cfg.index, p, c->now);
    take_port(c);
    c->pipe.packet = NULL;
    if (c->config->l1_global != CW_L1_OFF && p->kind != CW_MSG_READ) {
        cw_l1_invalidate(&c->l1, e->access.line);
        cw_core__tell_line(c, CW_L1_LINE_INVALIDATED, e->access.line, e->inst->m.warp);
    }
    if (unanswered)
        cw_core__inst_answered(c, e->inst, c->cycle + 1);
}

static enum progress bypass(struct cw_core *c, const struct cw_pipe_entry *e)
{
    const enum progress way = c->config->l1_global == CW_L1_WRITE_BACK ? make_way(c, e) : MOVED;
    if (way != MOVED)
        return way;
    if (c->pipe.packet == NULL)
        c->pipe.packet = cw_core__packet(c, e);
    struct cw_message *p = c->pipe.packet;
    if (!cw_core__crossbar_takes(c, p->flits))
        return WAIT_CROSSBAR;
    if (p->kind != CW_MSG_READ && cw_core__is_kept(c, p->addr) && !cw_core__keeper_stores(c, e, NULL))
        return WAIT_KEEPER;
    leave(c, e, p);
    return MOVED;
}

/* With l1.write_miss=around: a store to global memory whose line the L1 does not have, and no keeper wants there. */
static bool goes_around(const struct cw_core *c, const struct cw_pipe_entry *e)
{
    return c->l1.around && e->inst->m.uop->op == CW_OP_ST && e->inst->m.space == CW_SPACE_GLOBAL && !cw_core__is_kept(c, e->access.line) &&
           cw_l1_find(&c->l1, e->access.line) == NULL;
}

/* With the adversary a weak load may go past a clean line: an older one that stays there is read later. An access that is tried again
 * gets the answer of its first try. */
static __attribute__((noinline)) bool skips_l1(struct cw_core *c, const struct cw_pipe_entry *e)
{
    const struct cw_mem_inst *m = &e->inst->m;
    if (c->pipe.packet != NULL)
        return true;
    const bool weak = m->uop->op == CW_OP_LD && m->space == CW_SPACE_GLOBAL && (m->uop->flags & CW_UF_VOLATILE) == 0;
    const struct cw_l1_line *line = weak ? cw_l1_find(&c->l1, e->access.line) : NULL;
    if (!weak || cw_core__is_kept(c, e->access.line) || (line != NULL && cw_l1_is_dirty(line)))
        return false;
    struct cw_rng access;
    cw_rng_seed(&access, c->whim ^ e->access.line ^ e->ready << 40);
    return cw_rng_below(&access, 4) == 0;
}

static enum progress global_access(struct cw_core *c, const struct cw_pipe_entry *e)
{
    if (!uses_l1(c, &e->inst->m) || (__builtin_expect(c->hostile, 0) && skips_l1(c, e)))
        return bypass(c, e);
    if (!goes_around(c, e))
        return l1_access(c, e);
    const enum progress r = bypass(c, e);
    c->cfg.stats->l1_writes += r == MOVED;
    c->cfg.stats->l1_write_misses += r == MOVED;
    return r;
}

static void pipe_stall(struct cw_core *c, enum progress why)
{
    if (c->pipe.stalled_at == CW_CYCLE_NEVER)
        c->pipe.stalled_at = c->cycle;
    if (why == RETRY)
        c->pipe.next = c->cycle + 1;
    else if (why == WAIT_PORT)
        c->pipe.next = c->pipe.free_at;
    else if (why == WAIT_CROSSBAR) {
        const cw_time when = cw_crossbar_space_at(c->cfg.up, c->cfg.index, c->pipe.packet->flits, c->now);
        c->pipe.next = when == CW_TIME_NEVER ? CW_CYCLE_NEVER : (when + c->period - 1) / c->period;
    }
}

static void end_stall(struct cw_core *c, bool texture)
{
    struct cw_stats *s = c->cfg.stats;
    const uint64_t cycles = c->cycle - c->pipe.stalled_at;
    *(texture ? &s->texture_stalls : &s->l1_stalls) += cycles;
    *(texture ? &s->mem_stall_texture : &s->mem_stall_global) += cycles;
    c->pipe.stalled_at = CW_CYCLE_NEVER;
}

void cw_core__pipe_tick(struct cw_core *c)
{
    c->pipe.next = CW_CYCLE_NEVER;
    if (c->pipe.cnt == 0)
        return;
    const struct cw_pipe_entry *e = &c->pipe.entry[c->pipe.head];
    if (e->ready > c->cycle) {
        c->pipe.next = e->ready;
        return;
    }
    if (c->pipe.free_at > c->cycle) {
        pipe_stall(c, WAIT_PORT);
        return;
    }
    const uint32_t w = e->inst->m.warp; /* the instruction may be complete when it has moved */
    struct cw_warp *warp = &c->warp[w];
    const bool texture = cw_core__uses_texture(c, &e->inst->m);
    enum progress r = texture ? texture_load(c, e) : global_access(c, e);
    if (r != MOVED) {
        pipe_stall(c, r);
        return;
    }
    if (c->pipe.stalled_at != CW_CYCLE_NEVER)
        end_stall(c, texture);
    if (--warp->piped == 0 && warp->wait == CW_WAIT_PIPE)
        cw_core__settled(c, w);
    c->pipe.head = c->pipe.head + 1 < c->pipe.cap ? c->pipe.head + 1 : 0;
    if (--c->pipe.cnt > 0) {
        uint64_t ready = c->pipe.entry[c->pipe.head].ready;
        c->pipe.next = ready > c->cycle ? ready : c->cycle + 1;
    }
}

/* ---- replies ---- */

static void fill(struct cw_core *c, struct cw_message *p)
{
    uint32_t mshr = p->tag & ~CW_TAG_MSHR;
    struct cw_l1_mshr *m = &c->l1.mshr[mshr];
    struct cw_l1_waiter served[CW_L1_MERGE_MAX];
    const uint8_t *line = cw_l1_fill(&c->l1, mshr, p->sectors, cw_line_body(p)->data);
    const uint32_t cnt = cw_l1_take_served(m, served);
    cw_core__tell_line(c, CW_L1_LINE_FILLED, m->line, CW_CORE_WARPS_MAX);
    for (uint32_t i = 0; i < cnt; i++) {
        const struct cw_l1_waiter *who = &served[i];
        if (who->inst == NULL)
            c->region->sockets->log_done(c->region->self, who->warp, who->piece, c->now);
        else
            deliver(c, who->inst, who->lanes, who->piece, line, c->cycle + 1);
    }
    cw_l1_release(&c->l1, mshr);
}

static __attribute__((noinline)) void texture_fill(struct cw_core *c, struct cw_message *p)
{
    const uint32_t mshr = p->tag & ~CW_TAG_TEXTURE;
    const struct cw_l1_mshr *m = &c->texture.mshr[mshr];
    const uint8_t *line = cw_l1_fill_line(&c->texture, mshr, cw_line_body(p)->data);
    c->cfg.stats->texture_fills++;
    for (uint32_t i = 0; i < m->waiter_cnt; i++)
        deliver(c, m->waiter[i].inst, m->waiter[i].lanes, 0, line, c->cycle + 1);
    cw_l1_release(&c->texture, mshr);
}

/* Whose miss a line answers, or the instruction that asked for it. */
static void read_reply(struct cw_core *c, struct cw_message *p)
{
    if ((p->tag & CW_TAG_MSHR) != 0)
        fill(c, p);
    else if ((p->tag & CW_TAG_CODE) != 0)
        cw_core__code_fill(c, p->tag & ~CW_TAG_CODE);
    else if ((p->tag & CW_TAG_CONST) != 0)
        cw_core__const_fill(c, p->tag & ~CW_TAG_CONST);
    else if ((p->tag & CW_TAG_TEXTURE) != 0)
        texture_fill(c, p);
    else
        deliver(c, cw_core__inst_of(c, p->tag), p->lanes, 0, cw_line_body(p)->data, c->cycle + 1);
}

static void acknowledge(struct cw_core *c, uint32_t w, uint8_t flight)
{
    assert(c->acks > 0 && c->warp[w].acks > 0);
    c->acks--;
    cw_core__order_done(c, flight);
    if (--c->warp[w].acks == 0) {
        cw_core__settled(c, w);
        cw_core__drained(c, w);
    }
}

void cw_core__reply_tick(struct cw_core *c)
{
    struct cw_message *p = cw_crossbar_pop(c->cfg.down, c->cfg.index, c->now);
    if (p == NULL)
        return;
    switch (p->kind) {
    case CW_MSG_READ_REPLY:
        read_reply(c, p);
        break;
    case CW_MSG_ATOMIC_REPLY: {
        struct cw_core_inst *inst = cw_core__inst_of(c, p->tag);
        if (cw_core__wants_strong(c))
            cw_core__tell_old(c, &inst->m, p->lanes, cw_atomic_body(p)->a);
        cw_core__write_old(c, &inst->m, p->lanes, cw_atomic_body(p)->a);
        cw_core__inst_answered(c, inst, c->cycle + 1);
        break;
    }
    case CW_MSG_WRITE_ACK:
        if (p->warp == CW_NO_WARP)
            cw_core__written_back(c, p->tag);
        else
            acknowledge(c, p->warp, p->flight);
        break;
    default:
        assert(p->mech != 0 && p->mech <= c->mech_cnt);
        c->mech[p->mech - 1].sockets->message(c->mech[p->mech - 1].self, p, c->now); /* which frees it */
        return;
    }
    cw_message_free(c->cfg.pool, p);
}

/* ---- mechanisms: their messages, and their logs ---- */

bool cw_core_send(struct cw_core *c, struct cw_message *p, cw_time now)
{
    if (!cw_crossbar_can_push(c->cfg.up, c->cfg.index, p->flits, now))
        return false;
    p->core = (uint16_t)c->cfg.index;
    p->partition = (uint16_t)cw_address_partition(c->config, p->addr);
    if (p->kind == CW_MSG_WRITE && p->needs_reply)
        cw_core__expect_ack(c, p, cw_core__order_flight(c, p->warp));
    cw_crossbar_push(c->cfg.up, c->cfg.index, p, now);
    return true;
}

bool cw_core_log_access(struct cw_core *c, uint32_t warp, uint32_t word, bool write, uint32_t cookie, cw_time now)
{
    static const uint64_t all[2] = {UINT64_MAX, UINT64_MAX};
    uint64_t line = cw_core__local_word(c, warp, 0, 0, c->launch->log_offset + 4 * (uint64_t)word);
    const struct cw_l1_waiter who = {.inst = NULL, .warp = warp, .piece = cookie};
    uint8_t *data = NULL;
    uint32_t mshr = 0;
    bool allocated = false;
    struct cw_l1_line *victim = NULL;
    (void)now;
    if (c->pipe.port_free_at > c->cycle || c->pipe.port_cycle == c->cycle || c->pipe.log_cnt == c->pipe.log_cap ||
        !cw_core__miss_has_room(c)) {
        c->pipe.log_refused = c->pipe.port_cycle == c->cycle;
        return false;
    }
    enum cw_l1_result r = write ? cw_l1_write(&c->l1, line, all, false, &data, &allocated, &victim)
                                : cw_l1_read(&c->l1, line, all, &who, &data, &mshr, &victim);
    c->pipe.port_cycle = c->cycle;
    if (r == CW_L1_BUSY || r == CW_L1_EVICT) {
        refused(c, r, victim, warp);
        return false;
    }
    c->pipe.port_free_at = c->pipe.log_until = c->cycle + c->pass.line;
    *(write ? &c->cfg.stats->l1_writes : &c->cfg.stats->l1_reads) += 1;
    *(write ? &c->cfg.stats->l1_write_misses : &c->cfg.stats->l1_read_misses) += write ? allocated : r != CW_L1_HIT;
    if (r == CW_L1_MISS)
        cw_core__send_miss(c, line, c->l1.mshr[mshr].ask, CW_TAG_MSHR | mshr);
    if (r == CW_L1_HIT)
        c->pipe.log_done[(c->pipe.log_head + c->pipe.log_cnt++) % c->pipe.log_cap] =
            (struct cw_log_done){c->cycle + c->config->l1_latency, warp, cookie};
    return true;
}

void cw_core__log_tick(struct cw_core *c)
{
    while (c->pipe.log_cnt > 0 && c->pipe.log_done[c->pipe.log_head].ready <= c->cycle) {
        struct cw_log_done d = c->pipe.log_done[c->pipe.log_head];
        c->pipe.log_head = (c->pipe.log_head + 1) % c->pipe.log_cap;
        c->pipe.log_cnt--;
        c->region->sockets->log_done(c->region->self, d.warp, d.cookie, c->now);
    }
}
