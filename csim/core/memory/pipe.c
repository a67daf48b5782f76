/* SPDX-License-Identifier: Apache-2.0 */
/* Load/store pipeline: line accesses on their way to the L1 or the crossbar, replies on their way back, accesses to mechanisms' logs. */
#include <assert.h>
#include <string.h>

#include "base/rng.h"
#include "core/memory/memory.h"
#include "mem/address.h"

/* Load data has come. */
static void deliver(struct cw_core_memory *memory, struct cw_core_inst *inst, cw_lanes lanes, uint32_t piece, const uint8_t *line,
                    uint64_t cycle)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    const struct cw_pipe_entry e = {.inst = inst, .piece = piece, .access = {.lanes = lanes}};
    cw_core__values_from_line(cache, &e, line);
    if (__builtin_expect(cache->warps.by_lane, 0))
        cw_core__inst_lands(memory, inst, lanes, cycle);
    cw_core__inst_answered(memory, inst, cycle);
}

/* ---- L1 ---- */

enum progress { MOVED, RETRY, WAIT_FILL, WAIT_CROSSBAR, WAIT_KEEPER, WAIT_PORT };

/* An access has left for memory. */
static void take_port(struct cw_core_memory *memory)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    memory->pipe.free_at = warps->cycle + memory->pass.miss;
}

/* A dirty line makes room for an access of the warp. */
static enum progress evict(struct cw_core_memory *memory, struct cw_l1_line *e, uint32_t warp)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_blocks *const blocks = &memory->blocks;
    if (cw_core__is_kept(blocks, e->line)) {
        blocks->keeper->sockets->l1_evict(blocks->keeper->self, cw_l1_index(&cache->l1, e), warp, warps->now);
        return WAIT_KEEPER;
    }
    const bool global = e->global;
    if (cw_core__write_line(cache, e, cw_core__flush_tag(blocks)) && global)
        blocks->flush.out[blocks->flush.generation]++;
    return RETRY;
}

/* What a refusal means for the one who asked. */
static enum progress refused(struct cw_core_memory *memory, enum cw_l1_result r, struct cw_l1_line *victim, uint32_t warp)
{
    return r == CW_L1_BUSY ? WAIT_FILL : evict(memory, victim, warp);
}

static enum progress l1_load(struct cw_core_memory *memory, const struct cw_pipe_entry *e)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    struct cw_core_cache *const cache = &memory->blocks.cache;
    const struct cw_l1_waiter who = {
        .inst = e->inst, .global = e->inst->m.space == CW_SPACE_GLOBAL, .lanes = (uint32_t)e->access.lanes, .piece = e->piece};
    uint64_t need[2];
    uint8_t *data = NULL;
    uint32_t mshr = 0;
    struct cw_l1_line *victim = NULL;
    if (!cw_core__miss_has_room(cache))
        return RETRY;
    cw_core__touched(cache, e, need);
    enum cw_l1_result r = cw_l1_read(&cache->l1, e->access.line, need, &who, &data, &mshr, &victim);
    if (r == CW_L1_BUSY || r == CW_L1_EVICT)
        return refused(memory, r, victim, e->inst->m.warp);
    warps->cfg.stats->l1_reads++;
    warps->cfg.stats->l1_read_misses += r != CW_L1_HIT;
    warps->cfg.stats->l1_read_sectors += cw_sectors_count(e->access.sectors);
    if (cw_memory_is_pm(e->access.line)) {
        warps->cfg.stats->l1_pm_reads++;
        warps->cfg.stats->l1_pm_read_misses += r != CW_L1_HIT;
    }
    if (r == CW_L1_HIT) {
        cw_core__tell_line(warps, CW_L1_LINE_HIT, e->access.line, e->inst->m.warp);
        deliver(memory, e->inst, e->access.lanes, e->piece, data, warps->cycle + warps->config->l1_latency);
    } else if (r == CW_L1_MISS) {
        warps->cfg.stats->l1_fetched_sectors += cw_sectors_count(cache->l1.mshr[mshr].ask);
        cw_core__send_miss(cache, e->access.line, cache->l1.mshr[mshr].ask, CW_TAG_MSHR | mshr);
        take_port(memory);
    }
    return MOVED;
}

/* The keeper of the line is asked when the line has its place. */
static enum progress ask_keeper(struct cw_core_memory *memory, const struct cw_pipe_entry *e, const uint64_t mask[2])
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_l1_line *line = NULL, *victim = NULL;
    const enum cw_l1_result r = cw_l1_reserve(&cache->l1, e->access.line, mask, &line, &victim);
    if (r != CW_L1_HIT)
        return refused(memory, r, victim, e->inst->m.warp);
    const bool stores = cw_core__keeper_stores(&memory->blocks, e, line);
    cache->l1.held = stores ? NULL : line;
    return stores ? MOVED : WAIT_KEEPER;
}

static enum progress l1_store(struct cw_core_memory *memory, const struct cw_pipe_entry *e)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    struct cw_core_cache *const cache = &memory->blocks.cache;
    const bool global = e->inst->m.space == CW_SPACE_GLOBAL;
    uint64_t mask[2];
    uint8_t *data = NULL;
    bool allocated = false;
    struct cw_l1_line *victim = NULL;
    cw_core__touched(cache, e, mask);
    const enum progress p = global && cw_core__is_kept(&memory->blocks, e->access.line) ? ask_keeper(memory, e, mask) : MOVED;
    if (p != MOVED)
        return p;
    enum cw_l1_result r = cw_l1_write(&cache->l1, e->access.line, mask, global, &data, &allocated, &victim);
    if (r != CW_L1_HIT)
        return refused(memory, r, victim, e->inst->m.warp);
    cw_core__values_to_line(cache, e, data);
    cw_core__tell_line(warps, CW_L1_LINE_WRITTEN, e->access.line, e->inst->m.warp);
    if (cw_memory_is_pm(e->access.line)) {
        warps->cfg.stats->l1_pm_writes++;
        warps->cfg.stats->l1_pm_write_misses += allocated;
        cw_core__tell_stores(warps, e);
    }
    warps->cfg.stats->l1_writes++;
    warps->cfg.stats->l1_write_misses += allocated;
    cw_core__inst_answered(memory, e->inst, warps->cycle + 1);
    return MOVED;
}

/* A hit of the texture cache, or a read of its line; bytes lie where they lie in the line of L1 and L2. */
static __attribute__((noinline)) enum progress texture_load(struct cw_core_memory *memory, const struct cw_pipe_entry *e)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    struct cw_core_cache *const cache = &memory->blocks.cache;
    static const uint64_t whole[2] = {UINT64_MAX, UINT64_MAX};
    const struct cw_l1_waiter who = {.inst = e->inst, .global = true, .lanes = (uint32_t)e->access.lanes};
    uint8_t *data = NULL;
    uint32_t mshr = 0;
    struct cw_l1_line *victim = NULL;
    if (!cw_core__miss_has_room(cache))
        return RETRY;
    const enum cw_l1_result r = cw_l1_read(&cache->texture, e->access.line, whole, &who, &data, &mshr, &victim);
    if (r == CW_L1_BUSY)
        return WAIT_FILL;
    warps->cfg.stats->texture_reads++;
    warps->cfg.stats->texture_read_misses += r != CW_L1_HIT;
    if (r == CW_L1_HIT)
        deliver(memory, e->inst, e->access.lanes, 0, data, warps->cycle + warps->config->texture_latency);
    if (r == CW_L1_MISS) {
        cw_core__send_miss(cache, e->access.line, cw_core__sectors(cache, e->access.line, cache->texture.line_bytes),
                           CW_TAG_TEXTURE | mshr);
        take_port(memory);
    }
    return MOVED;
}

/* With write-back relaxed accesses of block scope, too: all threads of a block have one L1. */
static bool uses_l1(const struct cw_core_memory *memory, const struct cw_mem_inst *m)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const struct cw_uop *u = m->uop;
    const uint32_t cache = u->flags & (CW_UF_CACHE_ALL | CW_UF_VOLATILE | CW_UF_ACQUIRE | CW_UF_RELEASE);
    if (m->space == CW_SPACE_LOCAL)
        return true;
    if ((u->flags & CW_UF_NC) != 0 && warps->config->l1_read_only == CW_OFF)
        return false;
    if (warps->config->l1_global == CW_L1_WRITE_BACK)
        return u->op != CW_OP_ATOM && (cache == CW_UF_CACHE_ALL || (cache == CW_UF_VOLATILE && u->scope == CW_SCOPE_CTA));
    return warps->config->l1_global == CW_L1_ON && u->op == CW_OP_LD && cache == CW_UF_CACHE_ALL;
}

/* A relaxed store of device scope to a line whose keeper wants such stores in the L1. */
static bool kept_release(const struct cw_core_memory *memory, const struct cw_pipe_entry *e)
{
    const struct cw_core_mech *keeper = memory->blocks.keeper;
    const struct cw_uop *u = e->inst->m.uop;
    const uint32_t form = u->flags & (CW_UF_CACHE_ALL | CW_UF_VOLATILE | CW_UF_SCOPED | CW_UF_ACQUIRE | CW_UF_RELEASE);
    return u->op == CW_OP_ST && form == (CW_UF_VOLATILE | CW_UF_SCOPED) && u->scope == CW_SCOPE_GPU &&
           cw_core__is_kept(&memory->blocks, e->access.line) && keeper->sockets->l1_takes_device != NULL &&
           keeper->sockets->l1_takes_device(keeper->self);
}

/* ---- the pipe ---- */

bool cw_core__pipe_has_room(const struct cw_core_memory *memory)
{
    return memory->pipe.cnt < memory->pipe.cap;
}

void cw_core__pipe_push(struct cw_core_memory *memory, const struct cw_pipe_entry *e)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    uint32_t tail = memory->pipe.head + memory->pipe.cnt++;
    memory->pipe.entry[tail < memory->pipe.cap ? tail : tail - memory->pipe.cap] = *e;
    const uint64_t ready = e->ready > warps->cycle ? e->ready : warps->cycle + 1;
    if (memory->pipe.cnt == 1 && ready < memory->pipe.next)
        memory->pipe.next = ready;
}

static enum progress l1_access(struct cw_core_memory *memory, const struct cw_pipe_entry *e)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    if (memory->pipe.log_until > warps->cycle)
        return RETRY;
    if (memory->pipe.log_refused) { /* log accesses take turns with the pipe */
        memory->pipe.log_refused = false;
        return RETRY;
    }
    memory->pipe.port_cycle = warps->cycle;
    const enum progress r = e->inst->m.uop->op == CW_OP_ST ? l1_store(memory, e) : l1_load(memory, e);
    if (r == MOVED)
        memory->pipe.port_free_at = warps->cycle + memory->pass.line;
    return r;
}

/* With write-back: what the L1 holds dirty of the line goes first. */
static enum progress make_way(struct cw_core_memory *memory, const struct cw_pipe_entry *e)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_l1_line *line = cw_l1_find(&cache->l1, e->access.line);
    if (line == NULL || !cw_l1_is_dirty(line))
        return MOVED;
    return line->mshr != 0 ? WAIT_FILL : evict(memory, line, e->inst->m.warp);
}

/* For the adversary of programs. */
static void loosen(const struct cw_core_inst *inst, struct cw_message *p)
{
    const struct cw_uop *u = inst->m.uop;
    p->loose = u->op != CW_OP_ATOM && (u->flags & (CW_UF_VOLATILE | CW_UF_ACQUIRE | CW_UF_RELEASE)) == 0 ? CW_LOOSE_WEAK : CW_LOOSE_STRONG;
    p->epoch = inst->epoch;
}

/* The access leaves for memory. */
static void leave(struct cw_core_memory *memory, const struct cw_pipe_entry *e, struct cw_message *p)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    const bool unanswered = p->kind == CW_MSG_WRITE || (p->kind == CW_MSG_ATOMIC && p->needs_reply == 0);
    if (unanswered)
        cw_core__expect_ack(cache, p, e->inst->flight);
    if (p->kind != CW_MSG_READ && cw_memory_is_pm(p->addr))
        cw_core__tell_stores(warps, e);
    if (__builtin_expect(memory->hostile, 0))
        loosen(e->inst, p);
    cw_core__persist_leaves(warps, p);
    if (unanswered || p->kind == CW_MSG_READ || p->needs_reply != 0)
        cw_trips_begin(warps->cfg.trips, p, warps->now);
    cw_crossbar_push(warps->cfg.up, warps->cfg.index, p, warps->now);
    take_port(memory);
    memory->pipe.packet = NULL;
    if (warps->config->l1_global != CW_L1_OFF && p->kind != CW_MSG_READ) {
        cw_l1_invalidate(&cache->l1, e->access.line);
        cw_core__tell_line(warps, CW_L1_LINE_INVALIDATED, e->access.line, e->inst->m.warp);
    }
    if (unanswered)
        cw_core__inst_answered(memory, e->inst, warps->cycle + 1);
}

static enum progress bypass(struct cw_core_memory *memory, const struct cw_pipe_entry *e)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    struct cw_core_cache *const cache = &memory->blocks.cache;
    const enum progress way = warps->config->l1_global == CW_L1_WRITE_BACK ? make_way(memory, e) : MOVED;
    if (way != MOVED)
        return way;
    if (memory->pipe.packet == NULL)
        memory->pipe.packet = cw_core__packet(cache, e);
    struct cw_message *p = memory->pipe.packet;
    if (!cw_core__crossbar_takes(cache, p->flits))
        return WAIT_CROSSBAR;
    if (p->kind != CW_MSG_READ && cw_core__is_kept(&memory->blocks, p->addr) && !cw_core__keeper_stores(&memory->blocks, e, NULL))
        return WAIT_KEEPER;
    leave(memory, e, p);
    return MOVED;
}

/* With l1.write_miss=around: a store to global memory whose line the L1 does not have, and no keeper wants there. */
static bool goes_around(const struct cw_core_memory *memory, const struct cw_pipe_entry *e)
{
    const struct cw_core_cache *const cache = &memory->blocks.cache;
    return cache->l1.around && e->inst->m.uop->op == CW_OP_ST && e->inst->m.space == CW_SPACE_GLOBAL &&
           !cw_core__is_kept(&memory->blocks, e->access.line) && cw_l1_find(&cache->l1, e->access.line) == NULL;
}

/* With the adversary a weak load may go past a clean line: an older one that stays there is read later. An access that is tried again
 * gets the answer of its first try. */
static __attribute__((noinline)) bool skips_l1(struct cw_core_memory *memory, const struct cw_pipe_entry *e)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    const struct cw_mem_inst *m = &e->inst->m;
    if (memory->pipe.packet != NULL)
        return true;
    const bool weak = m->uop->op == CW_OP_LD && m->space == CW_SPACE_GLOBAL && (m->uop->flags & CW_UF_VOLATILE) == 0;
    const struct cw_l1_line *line = weak ? cw_l1_find(&cache->l1, e->access.line) : NULL;
    if (!weak || cw_core__is_kept(&memory->blocks, e->access.line) || (line != NULL && cw_l1_is_dirty(line)))
        return false;
    struct cw_rng access;
    cw_rng_seed(&access, memory->whim ^ e->access.line ^ e->ready << 40);
    return cw_rng_below(&access, 4) == 0;
}

static enum progress global_access(struct cw_core_memory *memory, const struct cw_pipe_entry *e)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    if (!uses_l1(memory, &e->inst->m) && !kept_release(memory, e))
        return bypass(memory, e);
    if (__builtin_expect(memory->hostile, 0) && skips_l1(memory, e))
        return bypass(memory, e);
    if (!goes_around(memory, e))
        return l1_access(memory, e);
    const enum progress r = bypass(memory, e);
    warps->cfg.stats->l1_writes += r == MOVED;
    warps->cfg.stats->l1_write_misses += r == MOVED;
    return r;
}

static void pipe_stall(struct cw_core_memory *memory, enum progress why)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    if (memory->pipe.stalled_at == CW_CYCLE_NEVER)
        memory->pipe.stalled_at = warps->cycle;
    if (why == RETRY)
        memory->pipe.next = warps->cycle + 1;
    else if (why == WAIT_PORT)
        memory->pipe.next = memory->pipe.free_at;
    else if (why == WAIT_CROSSBAR) {
        const cw_time when = cw_crossbar_space_at(warps->cfg.up, warps->cfg.index, memory->pipe.packet->flits, warps->now);
        memory->pipe.next = when == CW_TIME_NEVER ? CW_CYCLE_NEVER : (when + warps->period - 1) / warps->period;
    }
}

static void end_stall(struct cw_core_memory *memory, bool texture)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    struct cw_stats *s = warps->cfg.stats;
    const uint64_t cycles = warps->cycle - memory->pipe.stalled_at;
    *(texture ? &s->texture_stalls : &s->l1_stalls) += cycles;
    *(texture ? &s->mem_stall_texture : &s->mem_stall_global) += cycles;
    memory->pipe.stalled_at = CW_CYCLE_NEVER;
}

static uint64_t warp_bit(const struct cw_pipe_entry *e)
{
    return UINT64_C(1) << (e->inst->m.warp % 64);
}

static void drop_head(struct cw_access_pipe *p)
{
    p->head = p->head + 1 < p->cap ? p->head + 1 : 0;
    p->cnt--;
}

/* The warps of which an access is parked. */
static uint64_t parked_warps(const struct cw_access_pipe *p)
{
    uint64_t warps = 0;
    for (uint32_t i = 0; i < p->parked_cnt; i++)
        warps |= warp_bit(p->parked + i);
    return warps;
}

/* The first access that is parked and may be tried; parked_cnt: none. */
static uint32_t first_parked(const struct cw_access_pipe *p)
{
    uint32_t i = 0;
    while (i < p->parked_cnt && (p->waiting & warp_bit(p->parked + i)) != 0)
        i++;
    return i;
}

/* What is tried now: what has been tried before; else what was parked; else the head, unless one of its warp is parked, behind which it then
 * waits. NULL: nothing yet. */
static __attribute__((noinline)) struct cw_pipe_entry *choose(struct cw_core_memory *memory, uint64_t cycle)
{
    struct cw_access_pipe *const p = &memory->pipe;
    const uint32_t i = p->at == CW_PIPE_AT_PARKED ? p->at_parked : p->at == CW_PIPE_AT_NONE ? first_parked(p) : p->parked_cnt;
    if (i < p->parked_cnt) {
        p->at = CW_PIPE_AT_PARKED;
        p->at_parked = i;
        return p->parked + i;
    }
    const uint64_t warps = parked_warps(p);
    while (p->at == CW_PIPE_AT_NONE && p->cnt > 0 && p->entry[p->head].ready <= cycle && (warps & warp_bit(p->entry + p->head)) != 0) {
        if (p->parked_cnt == p->parked_cap)
            return NULL;
        p->parked[p->parked_cnt++] = p->entry[p->head];
        drop_head(p);
    }
    if (p->cnt == 0)
        return NULL;
    p->at = CW_PIPE_AT_HEAD;
    return p->entry + p->head;
}

/* The access has got on. */
static void take_out(struct cw_access_pipe *p, uint64_t cycle)
{
    if (p->at != CW_PIPE_AT_PARKED) {
        drop_head(p);
    } else {
        p->parked_cnt--;
        for (uint32_t i = p->at_parked; i < p->parked_cnt; i++)
            p->parked[i] = p->parked[i + 1];
    }
    p->at = CW_PIPE_AT_NONE;
    if (p->cnt > 0)
        p->next = p->entry[p->head].ready > cycle ? p->entry[p->head].ready : cycle + 1;
    if (p->parked_cnt > 0 && first_parked(p) < p->parked_cnt)
        p->next = cycle + 1;
}

void cw_core__pipe_tick(struct cw_core_memory *memory)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    const struct cw_pipe_entry *e =
        __builtin_expect(memory->pipe.parked_cnt != 0, 0) ? choose(memory, warps->cycle) : &memory->pipe.entry[memory->pipe.head];
    if (e == NULL)
        return;
    if (e->ready > warps->cycle) {
        memory->pipe.at = CW_PIPE_AT_NONE;
        memory->pipe.next = e->ready;
        return;
    }
    if (memory->pipe.free_at > warps->cycle) {
        pipe_stall(memory, WAIT_PORT);
        return;
    }
    const uint32_t w = e->inst->m.warp; /* the instruction may be complete when it has moved */
    struct cw_warp *warp = &warps->warp[w];
    const bool texture = cw_core__uses_texture(cache, &e->inst->m);
    enum progress r = texture ? texture_load(memory, e) : global_access(memory, e);
    if (r != MOVED) {
        memory->pipe.at = memory->pipe.at == CW_PIPE_AT_PARKED ? CW_PIPE_AT_PARKED : CW_PIPE_AT_HEAD;
        pipe_stall(memory, r);
        return;
    }
    if (memory->pipe.stalled_at != CW_CYCLE_NEVER)
        end_stall(memory, texture);
    if (--warp->piped == 0 && warp->wait == CW_WAIT_PIPE)
        cw_core__settled(&memory->blocks, w);
    take_out(&memory->pipe, warps->cycle);
}

/* ---- replies ---- */

static void fill(struct cw_core_memory *memory, struct cw_message *p)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    struct cw_core_cache *const cache = &memory->blocks.cache;
    uint32_t mshr = p->tag & ~CW_TAG_MSHR;
    struct cw_l1_mshr *m = &cache->l1.mshr[mshr];
    struct cw_l1_waiter served[CW_L1_MERGE_MAX];
    const uint8_t *line = cw_l1_fill(&cache->l1, mshr, p->sectors, cw_line_body(p)->data);
    const uint32_t cnt = cw_l1_take_served(m, served);
    cw_core__tell_line(warps, CW_L1_LINE_FILLED, m->line, CW_CORE_WARPS_MAX);
    for (uint32_t i = 0; i < cnt; i++) {
        const struct cw_l1_waiter *who = &served[i];
        if (who->inst == NULL)
            memory->blocks.region->sockets->log_done(memory->blocks.region->self, who->warp, who->piece, warps->now);
        else
            deliver(memory, who->inst, who->lanes, who->piece, line, warps->cycle + 1);
    }
    cw_l1_release(&cache->l1, mshr);
}

static __attribute__((noinline)) void texture_fill(struct cw_core_memory *memory, struct cw_message *p)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    struct cw_core_cache *const cache = &memory->blocks.cache;
    const uint32_t mshr = p->tag & ~CW_TAG_TEXTURE;
    const struct cw_l1_mshr *m = &cache->texture.mshr[mshr];
    const uint8_t *line = cw_l1_fill_line(&cache->texture, mshr, cw_line_body(p)->data);
    warps->cfg.stats->texture_fills++;
    for (uint32_t i = 0; i < m->waiter_cnt; i++)
        deliver(memory, m->waiter[i].inst, m->waiter[i].lanes, 0, line, warps->cycle + 1);
    cw_l1_release(&cache->texture, mshr);
}

/* Whose miss a line answers, or the instruction that asked for it. */
static void read_reply(struct cw_core_memory *memory, struct cw_message *p)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    if ((p->tag & CW_TAG_MSHR) != 0)
        fill(memory, p);
    else if ((p->tag & CW_TAG_CODE) != 0)
        cw_core__code_fill(&memory->blocks, p->tag & ~CW_TAG_CODE);
    else if ((p->tag & CW_TAG_CONST) != 0)
        cw_core__const_fill(memory, p->tag & ~CW_TAG_CONST);
    else if ((p->tag & CW_TAG_TEXTURE) != 0)
        texture_fill(memory, p);
    else
        deliver(memory, cw_core__inst_of(memory, p->tag), p->lanes, 0, cw_line_body(p)->data, warps->cycle + 1);
}

static void acknowledge(struct cw_core_memory *memory, uint32_t w, uint8_t flight)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    struct cw_core_cache *const cache = &memory->blocks.cache;
    assert(cache->acks > 0 && warps->warp[w].acks > 0);
    cache->acks--;
    cw_core__order_done(&memory->blocks, flight);
    if (--warps->warp[w].acks == 0) {
        cw_core__settled(&memory->blocks, w);
        cw_core__drained(memory, w);
    }
}

void cw_core__reply_tick(struct cw_core_memory *memory)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    struct cw_message *p = cw_crossbar_pop(warps->cfg.down, warps->cfg.index, warps->now);
    if (p == NULL)
        return;
    switch (p->kind) {
    case CW_MSG_READ_REPLY:
        read_reply(memory, p);
        break;
    case CW_MSG_ATOMIC_REPLY: {
        struct cw_core_inst *inst = cw_core__inst_of(memory, p->tag);
        if (cw_core__wants_strong(warps))
            cw_core__tell_old(warps, &inst->m, p->lanes, cw_atomic_body(p)->a);
        cw_core__write_old(warps, &inst->m, p->lanes, cw_atomic_body(p)->a);
        cw_core__inst_answered(memory, inst, warps->cycle + 1);
        break;
    }
    case CW_MSG_WRITE_ACK:
        if (p->warp == CW_NO_WARP)
            cw_core__written_back(&memory->blocks, p->tag);
        else
            acknowledge(memory, p->warp, p->flight);
        break;
    default:
        assert(p->mech != 0 && p->mech <= warps->mech_cnt);
        warps->mech[p->mech - 1].sockets->message(warps->mech[p->mech - 1].self, p, warps->now); /* which frees it */
        return;
    }
    cw_message_free(warps->cfg.pool, p);
}

/* ---- mechanisms: their messages, and their logs ---- */

bool cw_core__send(struct cw_core_memory *memory, struct cw_message *p, cw_time now)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    if (!cw_crossbar_can_push(warps->cfg.up, warps->cfg.index, p->flits, now))
        return false;
    p->core = (uint16_t)warps->cfg.index;
    p->partition = (uint16_t)cw_address_partition(warps->config, p->addr);
    if (p->kind == CW_MSG_WRITE && p->needs_reply)
        cw_core__expect_ack(cache, p, cw_core__order_flight(warps, p->warp));
    cw_trips_begin(warps->cfg.trips, p, now);
    cw_crossbar_push(warps->cfg.up, warps->cfg.index, p, now);
    return true;
}

bool cw_core__log_access(struct cw_core_memory *memory, uint32_t warp, uint32_t word, bool write, uint32_t cookie, cw_time now)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    struct cw_core_cache *const cache = &memory->blocks.cache;
    static const uint64_t all[2] = {UINT64_MAX, UINT64_MAX};
    uint64_t line = cw_core__local_word(cache, warp, 0, 0, warps->launch->log_offset + 4 * (uint64_t)word);
    const struct cw_l1_waiter who = {.inst = NULL, .warp = warp, .piece = cookie};
    uint8_t *data = NULL;
    uint32_t mshr = 0;
    bool allocated = false;
    struct cw_l1_line *victim = NULL;
    (void)now;
    if (memory->pipe.port_free_at > warps->cycle || memory->pipe.port_cycle == warps->cycle ||
        memory->pipe.log_cnt == memory->pipe.log_cap || !cw_core__miss_has_room(cache)) {
        memory->pipe.log_refused = memory->pipe.port_cycle == warps->cycle;
        return false;
    }
    enum cw_l1_result r = write ? cw_l1_write(&cache->l1, line, all, false, &data, &allocated, &victim)
                                : cw_l1_read(&cache->l1, line, all, &who, &data, &mshr, &victim);
    memory->pipe.port_cycle = warps->cycle;
    if (r == CW_L1_BUSY || r == CW_L1_EVICT) {
        refused(memory, r, victim, warp);
        return false;
    }
    memory->pipe.port_free_at = memory->pipe.log_until = warps->cycle + memory->pass.line;
    *(write ? &warps->cfg.stats->l1_writes : &warps->cfg.stats->l1_reads) += 1;
    *(write ? &warps->cfg.stats->l1_write_misses : &warps->cfg.stats->l1_read_misses) += write ? allocated : r != CW_L1_HIT;
    if (r == CW_L1_MISS)
        cw_core__send_miss(cache, line, cache->l1.mshr[mshr].ask, CW_TAG_MSHR | mshr);
    if (r == CW_L1_HIT)
        memory->pipe.log_done[(memory->pipe.log_head + memory->pipe.log_cnt++) % memory->pipe.log_cap] =
            (struct cw_log_done){warps->cycle + warps->config->l1_latency, warp, cookie};
    return true;
}

void cw_core__log_tick(struct cw_core_memory *memory)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    while (memory->pipe.log_cnt > 0 && memory->pipe.log_done[memory->pipe.log_head].ready <= warps->cycle) {
        struct cw_log_done d = memory->pipe.log_done[memory->pipe.log_head];
        memory->pipe.log_head = (memory->pipe.log_head + 1) % memory->pipe.log_cap;
        memory->pipe.log_cnt--;
        memory->blocks.region->sockets->log_done(memory->blocks.region->self, d.warp, d.cookie, warps->now);
    }
}

/* ---- accesses that give way ---- */

bool cw_core__park(struct cw_core_memory *memory)
{
    struct cw_access_pipe *const p = &memory->pipe;
    struct cw_core_cache *const cache = &memory->blocks.cache;
    if (p->at == CW_PIPE_AT_NONE || p->packet != NULL || (p->at == CW_PIPE_AT_HEAD && p->parked_cnt == p->parked_cap))
        return false;
    const struct cw_pipe_entry *e = p->at == CW_PIPE_AT_HEAD ? p->entry + p->head : p->parked + p->at_parked;
    p->waiting |= warp_bit(e);
    if (p->at == CW_PIPE_AT_HEAD) {
        p->parked[p->parked_cnt++] = *e;
        drop_head(p);
    }
    p->at = CW_PIPE_AT_NONE;
    cache->l1.held = NULL;
    if (p->stalled_at != CW_CYCLE_NEVER)
        end_stall(memory, false);
    cw_core__retry_store(memory);
    return true;
}

void cw_core__unpark(struct cw_core_memory *memory, uint32_t warp)
{
    memory->pipe.waiting &= ~(UINT64_C(1) << warp % 64);
    if (memory->pipe.parked_cnt > 0)
        cw_core__retry_store(memory);
}

void cw_core__retry_store(struct cw_core_memory *memory)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    if (memory->pipe.next > warps->cycle + 1)
        memory->pipe.next = warps->cycle + 1;
}
