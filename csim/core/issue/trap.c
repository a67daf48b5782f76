/* SPDX-License-Identifier: Apache-2.0 */
/* What ends a run on purpose: traps, and a free of what cannot be freed. */
#include "core/issue/issue.h"

/* What compilers make of cooperative groups' grid.sync() asks %envreg for the launch's barrier, and traps when there is none. */
static bool asks_for_cooperation(const struct cw_core_issue *issue)
{
    const struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    const struct cw_core_warps *const warps = &cache->warps;
    const struct cw_kernel *k = warps->launch->kernel;
    for (uint32_t i = 0; i < k->uop_cnt; i++)
        if (warps->uop[i].op == CW_OP_MOV && warps->uop[i].src[0].kind == CW_OPND_SREG &&
            (warps->uop[i].src[0].idx == CW_SREG_ENVREG1 || warps->uop[i].src[0].idx == CW_SREG_ENVREG2))
            return true;
    return false;
}

static const char *trap_text(const struct cw_core_issue *issue, const struct cw_uop *u)
{
    if (u->op != CW_OP_TRAP)
        return "breakpoint";
    if (u->cmp == CW_TRAP_CALL)
        return "indirect call of something that is no function with these parameters, or of one that is being called already (recursion "
               "through a pointer is not supported)";
    if (issue->memory.blocks.cache.warps.launch->grid_workspace == 0 && asks_for_cooperation(issue))
        return "trap; the kernel reads %envreg1, by which grid.sync() of cooperative groups finds its barrier, and the launch is not "
               "cooperative (cudaLaunchCooperativeKernel, exec --cooperative)";
    return "trap";
}

/* free cannot free what the first lane gives it. */
static void bad_free(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    uint64_t address[CW_WARP_LANES_MAX], state[CW_WARP_LANES_MAX], heap[CW_WARP_LANES_MAX];
    const uint32_t lane = cw_lanes_first(mask);
    char text[300];
    cw_core__read_warp(warps, w, u->src[0], address);
    cw_core__read_warp(warps, w, u->src[1], state);
    cw_core__read_warp(warps, w, u->src[2], heap);
    cw_heap_why_not_free(warps->cfg.memory, heap[lane], address[lane], (uint32_t)state[lane], text);
    cw_core__fault(warps, w, lane, u, CW_EFAULT, "free of 0x%llx, %s", (unsigned long long)address[lane], text);
}

void cw_core__trap(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    if (u->op == CW_OP_TRAP && u->cmp == CW_TRAP_DEPTH)
        cw_core__fault(warps, w, cw_lanes_first(mask), u, CW_EFAULT,
                       "stack of recursion deeper than %u: a function is called inside %u calls of it, and is expanded no further",
                       (uint32_t)u->imm, (uint32_t)u->imm);
    else if (u->op == CW_OP_TRAP && u->cmp == CW_TRAP_FREE)
        bad_free(issue, w, u, mask);
    else
        cw_core__fault(warps, w, cw_lanes_first(mask), u, CW_EFAULT, "%s", trap_text(issue, u));
}
