/* SPDX-License-Identifier: Apache-2.0 */
/* Memory instructions under way: their pool, their end, and who waits for it. */
#include <assert.h>
#include <stdlib.h>

#include "core/core_state.h"

struct cw_core_inst *cw_core__inst_of(const struct cw_core *c, uint32_t index)
{
    return &c->pool.chunk[index / CW_INST_CHUNK][index % CW_INST_CHUNK];
}

bool cw_core__inst_grow(struct cw_core *c)
{
    struct cw_core_inst *chunk = calloc(CW_INST_CHUNK, sizeof *chunk);
    struct cw_core_inst **table = realloc(c->pool.chunk, (c->pool.chunk_cnt + 1) * sizeof *table);
    if (table != NULL)
        c->pool.chunk = table;
    if (chunk == NULL || table == NULL) {
        free(chunk);
        return false;
    }
    table[c->pool.chunk_cnt] = chunk;
    for (uint32_t i = CW_INST_CHUNK; i-- > 0;) {
        chunk[i].index = c->pool.chunk_cnt * CW_INST_CHUNK + i;
        chunk[i].m.next = (struct cw_mem_inst *)c->pool.free;
        c->pool.free = &chunk[i];
    }
    c->pool.chunk_cnt++;
    return true;
}

void cw_core__inst_shrink(struct cw_core *c, uint32_t chunks)
{
    while (c->pool.chunk_cnt > chunks)
        free(c->pool.chunk[--c->pool.chunk_cnt]);
    c->pool.free = NULL;
}

struct cw_core_inst *cw_core__inst_new(struct cw_core *c)
{
    if (c->pool.free == NULL && !cw_core__inst_grow(c))
        return NULL;
    struct cw_core_inst *i = c->pool.free;
    c->pool.free = (struct cw_core_inst *)i->m.next;
    c->pool.out++;
    return i;
}

static void free_inst(struct cw_core *c, struct cw_core_inst *i)
{
    i->m.next = (struct cw_mem_inst *)c->pool.free;
    c->pool.free = i;
    c->pool.out--;
}

void cw_core__drained(struct cw_core *c, uint32_t w)
{
    struct cw_warp *warp = &c->warp[w];
    if (warp->insts != 0 || (warp->dynamic != NULL && warp->wait == CW_WAIT_EXIT)) /* dynamic warps: see block_answered */
        return;
    switch (warp->wait) {
    case CW_WAIT_EXIT:
        cw_core__free_warp(c, w);
        break;
    case CW_WAIT_FENCE: /* the instruction is tried again */
    case CW_WAIT_PIPE:
    case CW_WAIT_REGION_LOADS:
        warp->wait = CW_WAIT_NONE;
        cw_core__requeue(c, w);
        break;
    case CW_WAIT_REGION_DRAIN:
        cw_core__region_drained(c, w);
        break;
    default:
        break;
    }
}

/* The warp's access with acquire semantics has its values: later ones may follow, and find nothing older. */
static void acquired(struct cw_core *c, uint32_t w, const struct cw_dynamic_warp *dynamic, const struct cw_uop *u)
{
    if ((u->flags & CW_UF_ACQUIRE) == 0)
        return;
    cw_core__order_acquired(c, u->scope);
    if (!c->mixes) {
        c->warp[w].acquiring = false;
        cw_core__requeue(c, w);
        return;
    }
    for (uint32_t i = 0; i < dynamic->cnt; i++)
        c->warp[dynamic->part[i].home].acquiring = false;
    cw_core__loaded(c, dynamic->blocks);
}

/* An instruction of dynamic warps with threads of these blocks is complete. */
static void block_answered(struct cw_core *c, uint32_t blocks)
{
    for (; blocks != 0; blocks &= blocks - 1) {
        const uint32_t block = (uint32_t)__builtin_ctz(blocks);
        if (--c->block[block].insts == 0 && c->block[block].threads_live == 0)
            cw_core__free_block(c, block);
    }
}

void cw_core__inst_done(struct cw_core *c, struct cw_core_inst *inst, uint64_t cycle)
{
    uint32_t w = inst->m.warp;
    const uint32_t blocks = inst->m.dynamic != NULL ? inst->dynamic.blocks : 0;
    struct cw_warp *warp = &c->warp[w];
    struct cw_core_inst *leader = inst->leader;
    cw_core__order_done(c, inst->flight);
    if (inst != leader)
        free_inst(c, inst);
    warp->insts--;
    const uint64_t written = cycle + c->write_stages, from = written > leader->read_until ? written : leader->read_until;
    if (--leader->parts == 0) {
        if (warp->acquiring || c->mixes)
            acquired(c, w, leader->m.dynamic, leader->m.uop);
        cw_core__set_slots(c, leader->m.dynamic, w, leader->op, from);
        warp->done_at = from;
        if (__builtin_expect(c->thread_done != NULL, 0)) {
            cw_core__set_done(c, &leader->dynamic, leader->threads, from);
            if (c->control->ops->completed != NULL)
                c->control->ops->completed(c->control);
        }
        if ((leader->op->dst_cnt != 0 || c->one_by_one) && warp->ready_at == CW_CYCLE_NEVER)
            cw_core__requeue(c, w);
        if ((leader->op->dst_cnt != 0 || c->one_by_one) && leader->m.dynamic != NULL)
            cw_core__loaded(c, leader->dynamic.blocks);
        free_inst(c, leader);
    } else {
        leader->read_until = from;
    }
    block_answered(c, blocks);
    cw_core__drained(c, w);
}

static void tell_acquire(struct cw_core *c, const struct cw_mem_inst *inst)
{
    for (uint32_t i = 0; i < c->mech_cnt; i++)
        if (c->mech[i].sockets->acquire != NULL)
            c->mech[i].sockets->acquire(c->mech[i].self, inst, c->now);
}

void cw_core__inst_answered(struct cw_core *c, struct cw_core_inst *inst, uint64_t cycle)
{
    if (--inst->m.accesses_pending > 0)
        return;
    if (__builtin_expect((c->taken & CW_SOCKET_PM) != 0, 0))
        cw_core__tell_reads(c, inst);
    if (__builtin_expect((c->taken & CW_SOCKET_PROGRAM) != 0, 0))
        cw_core__tell_completed(c, inst);
    if (cw_core__wants_strong(c))
        cw_core__tell_loads(c, inst);
    if (inst->m.uop->op == CW_OP_LD)
        cw_core__write_back(c, &inst->m, inst->m.lanes);
    if ((c->taken & CW_SOCKET_ACQUIRE) != 0 && (inst->m.uop->flags & CW_UF_ACQUIRE) != 0)
        tell_acquire(c, &inst->m);
    cw_core__inst_done(c, inst, cycle);
}

void cw_core_mem_done(struct cw_core *c, struct cw_mem_inst *inst, cw_time now)
{
    (void)now;
    if (inst->uop->op == CW_OP_LD) {
        const struct cw_warp *warp = &c->warp[inst->warp];
        cw_lanes lanes = inst->lanes;
        if (((const struct cw_core_inst *)inst)->in_region) /* lanes may have aborted */
            lanes &= cw_lanes_half(c->control->ops->region_lanes(c->control, inst->warp), inst->half);
        assert(!warp->in_region || inst->attempt == warp->attempt);
        (void)warp;
        if (__builtin_expect((c->taken & CW_SOCKET_PROGRAM) != 0, 0))
            cw_core__tell_region_loads(c, (const struct cw_core_inst *)inst, lanes);
        cw_core__write_back(c, inst, lanes);
    }
    cw_core__inst_done(c, (struct cw_core_inst *)inst, c->cycle + 1);
}
