/* SPDX-License-Identifier: Apache-2.0 */
/* What core.h offers to the GPU: blocks to start, and what warps wait for. */
#include "core/core_state.h"

bool cw_core_can_take_block(const struct cw_core *c)
{
    return cw_core__can_take_block(c->blocks);
}

void cw_core_start_block(struct cw_core *c, const uint32_t ctaid[3], cw_time now)
{
    if (c->warps->stalls != NULL) /* What was so far is over, whether or not the core is awake in this cycle */
        cw_core__stalls_charge(&c->issue, now / c->warps->period);
    cw_core__start_block(c->blocks, ctaid, now);
}

void cw_core_report(const struct cw_core *c, FILE *out)
{
    cw_core__report(c->warps, out);
    if (c->warps->mem_queue.cnt + c->memory->pipe.cnt + c->memory->pipe.parked_cnt != 0 || c->cache->acks != 0 ||
        c->cache->l1.mshr_used != 0)
        fprintf(out,
                "core %u: %u instructions and %u line accesses in the load/store unit, %u L1 misses, %llu acknowledgements outstanding\n",
                c->warps->cfg.index, c->warps->mem_queue.cnt, c->memory->pipe.cnt + c->memory->pipe.parked_cnt, c->cache->l1.mshr_used,
                (unsigned long long)c->cache->acks);
}

void cw_core_find_waiting(struct cw_core *c)
{
    cw_core__find_waiting(c->blocks);
}

bool cw_core_spin_report(const struct cw_core *c, struct cw_core_spin *spin)
{
    return cw_core__spin_report(c->warps, spin);
}

bool cw_core_copy_report(const struct cw_core *c, uint64_t addr, struct cw_core_copy *copy)
{
    return cw_core__copy_report(c->cache, addr, copy);
}

void cw_core_add_patience(const struct cw_core *c, cw_time now, uint64_t livelock_cycles, uint64_t still_cycles, struct cw_core_patience *p)
{
    cw_core__add_patience(c->warps, now / c->warps->period, livelock_cycles, still_cycles, p);
}

const struct cw_core_warps *cw_core_look(const struct cw_core *c)
{
    return c->warps;
}
