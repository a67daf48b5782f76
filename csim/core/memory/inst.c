/* SPDX-License-Identifier: Apache-2.0 */
/* Memory instructions under way: their pool, their end, and who waits for it. */
#include <assert.h>
#include <stdlib.h>

#include "core/memory/memory.h"

struct cw_core_inst *cw_core__inst_of(const struct cw_core_memory *memory, uint32_t index)
{
    return &memory->pool.chunk[index / CW_INST_CHUNK][index % CW_INST_CHUNK];
}

bool cw_core__inst_grow(struct cw_core_memory *memory)
{
    struct cw_core_inst *chunk = calloc(CW_INST_CHUNK, sizeof *chunk);
    struct cw_core_inst **table = realloc(memory->pool.chunk, (memory->pool.chunk_cnt + 1) * sizeof *table);
    if (table != NULL)
        memory->pool.chunk = table;
    if (chunk == NULL || table == NULL) {
        free(chunk);
        return false;
    }
    table[memory->pool.chunk_cnt] = chunk;
    for (uint32_t i = CW_INST_CHUNK; i-- > 0;) {
        chunk[i].index = memory->pool.chunk_cnt * CW_INST_CHUNK + i;
        chunk[i].m.next = (struct cw_mem_inst *)memory->pool.free;
        memory->pool.free = &chunk[i];
    }
    memory->pool.chunk_cnt++;
    return true;
}

void cw_core__inst_shrink(struct cw_core_memory *memory, uint32_t chunks)
{
    while (memory->pool.chunk_cnt > chunks)
        free(memory->pool.chunk[--memory->pool.chunk_cnt]);
    memory->pool.free = NULL;
}

struct cw_core_inst *cw_core__inst_new(struct cw_core_memory *memory)
{
    if (memory->pool.free == NULL && !cw_core__inst_grow(memory))
        return NULL;
    struct cw_core_inst *i = memory->pool.free;
    memory->pool.free = (struct cw_core_inst *)i->m.next;
    memory->pool.out++;
    return i;
}

static void free_inst(struct cw_core_memory *memory, struct cw_core_inst *i)
{
    i->m.next = (struct cw_mem_inst *)memory->pool.free;
    memory->pool.free = i;
    memory->pool.out--;
}

void cw_core__drained(struct cw_core_memory *memory, uint32_t w)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    struct cw_warp *warp = &warps->warp[w];
    if (warp->insts != 0 || (warp->dynamic != NULL && warp->wait == CW_WAIT_EXIT)) /* dynamic warps: see block_answered */
        return;
    switch (warp->wait) {
    case CW_WAIT_EXIT:
        cw_core__free_warp(&memory->blocks, w);
        break;
    case CW_WAIT_FENCE: /* the instruction is tried again */
    case CW_WAIT_PIPE:
    case CW_WAIT_REGION_LOADS:
        warp->wait = CW_WAIT_NONE;
        cw_core__requeue(warps, w);
        break;
    case CW_WAIT_REGION_DRAIN:
        cw_core__region_drained(&memory->blocks, w);
        break;
    default:
        break;
    }
}

/* The warp's access with acquire semantics has its values: later ones may follow, and find nothing older. */
static void acquired(struct cw_core_memory *memory, uint32_t w, const struct cw_dynamic_warp *dynamic, const struct cw_uop *u)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    if ((u->flags & CW_UF_ACQUIRE) == 0)
        return;
    cw_core__order_acquired(&memory->blocks, u->scope);
    if (!warps->mixes) {
        warps->warp[w].acquiring = false;
        cw_core__requeue(warps, w);
        return;
    }
    for (uint32_t i = 0; i < dynamic->cnt; i++)
        warps->warp[dynamic->part[i].home].acquiring = false;
    cw_core__loaded(warps, dynamic->blocks);
}

/* An instruction of dynamic warps with threads of these blocks is complete. */
static void block_answered(struct cw_core_memory *memory, uint32_t blocks)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    for (; blocks != 0; blocks &= blocks - 1) {
        const uint32_t block = (uint32_t)__builtin_ctz(blocks);
        if (--warps->block[block].insts == 0 && warps->block[block].threads_live == 0)
            cw_core__free_block(&memory->blocks, block);
    }
}

void cw_core__inst_done(struct cw_core_memory *memory, struct cw_core_inst *inst, uint64_t cycle)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    uint32_t w = inst->m.warp;
    const uint32_t blocks = inst->m.dynamic != NULL ? inst->dynamic.blocks : 0;
    struct cw_warp *warp = &warps->warp[w];
    struct cw_core_inst *leader = inst->leader;
    cw_core__order_done(&memory->blocks, inst->flight);
    if (inst != leader)
        free_inst(memory, inst);
    warp->insts--;
    const uint64_t written = cycle + memory->write_stages, from = written > leader->read_until ? written : leader->read_until;
    if (--leader->parts == 0) {
        if (__builtin_expect((warps->taken & CW_SOCKET_FLIGHT) != 0, 0))
            cw_core__tell_flight(warps, leader, true, from);
        if (warp->acquiring || warps->mixes)
            acquired(memory, w, leader->m.dynamic, leader->m.uop);
        if (warps->by_lane)
            cw_core__lanes_loaded(warps, w, leader->op, leader->threads, from);
        else
            cw_core__set_slots(warps, leader->m.dynamic, w, leader->op, from);
        warp->done_at = from;
        if (__builtin_expect(warps->thread_done != NULL, 0)) {
            cw_core__set_done(warps, &leader->dynamic, leader->threads, from);
            if (warps->control->ops->completed != NULL)
                warps->control->ops->completed(warps->control);
        }
        if ((leader->op->dst_cnt != 0 || warps->one_by_one) && warp->ready_at == CW_CYCLE_NEVER)
            cw_core__requeue(warps, w);
        if ((leader->op->dst_cnt != 0 || warps->one_by_one) && leader->m.dynamic != NULL)
            cw_core__loaded(warps, leader->dynamic.blocks);
        free_inst(memory, leader);
    } else {
        leader->read_until = from;
    }
    block_answered(memory, blocks);
    cw_core__drained(memory, w);
}

static void tell_acquire(struct cw_core_memory *memory, const struct cw_mem_inst *inst)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    for (uint32_t i = 0; i < warps->mech_cnt; i++)
        if (warps->mech[i].sockets->acquire != NULL)
            warps->mech[i].sockets->acquire(warps->mech[i].self, inst, warps->now);
}

/* Not where a lane's words lie in several lines, where the lanes may still abort, or where later accesses wait for all. */
__attribute__((noinline)) void cw_core__inst_lands(struct cw_core_memory *memory, struct cw_core_inst *inst, cw_lanes lanes, uint64_t cycle)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const struct cw_uop *u = inst->m.uop;
    const uint32_t w = inst->m.warp;
    if (u->op != CW_OP_LD || inst->piece_cnt > 1 || inst->in_region || (u->flags & CW_UF_ACQUIRE) != 0)
        return;
    const cw_lanes of_warp = lanes << (CW_LANES * inst->m.half);
    cw_core__write_back(warps, &inst->m, lanes);
    inst->landed |= lanes;
    inst->leader->threads &= ~of_warp;
    cw_core__lanes_loaded(warps, w, inst->op, of_warp, cycle + memory->write_stages);
    if (warps->warp[w].ready_at == CW_CYCLE_NEVER)
        cw_core__requeue(warps, w);
}

void cw_core__inst_answered(struct cw_core_memory *memory, struct cw_core_inst *inst, uint64_t cycle)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    if (--inst->m.accesses_pending > 0)
        return;
    if (__builtin_expect((warps->taken & CW_SOCKET_PM) != 0, 0))
        cw_core__tell_reads(warps, inst);
    if (__builtin_expect((warps->taken & CW_SOCKET_PROGRAM) != 0, 0))
        cw_core__tell_completed(warps, inst);
    if (cw_core__wants_strong(warps))
        cw_core__tell_loads(warps, inst);
    if (inst->m.uop->op == CW_OP_LD)
        cw_core__write_back(warps, &inst->m, inst->m.lanes & ~inst->landed);
    if ((warps->taken & CW_SOCKET_ACQUIRE) != 0 && (inst->m.uop->flags & CW_UF_ACQUIRE) != 0)
        tell_acquire(memory, &inst->m);
    cw_core__inst_done(memory, inst, cycle);
}

void cw_core__mem_done(struct cw_core_memory *memory, struct cw_mem_inst *inst, cw_time now)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    (void)now;
    if (inst->uop->op == CW_OP_LD) {
        const struct cw_warp *warp = &warps->warp[inst->warp];
        cw_lanes lanes = inst->lanes;
        if (((const struct cw_core_inst *)inst)->in_region) /* lanes may have aborted */
            lanes &= cw_lanes_half(warps->control->ops->region_lanes(warps->control, inst->warp), inst->half);
        assert(!warp->in_region || inst->attempt == warp->attempt);
        (void)warp;
        if (__builtin_expect((warps->taken & CW_SOCKET_PROGRAM) != 0, 0))
            cw_core__tell_region_loads(warps, (const struct cw_core_inst *)inst, lanes);
        cw_core__write_back(warps, inst, lanes);
    }
    cw_core__inst_done(memory, (struct cw_core_inst *)inst, warps->cycle + 1);
}
