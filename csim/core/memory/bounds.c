/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses that a memory instruction may not use: where they lie, and what becomes of their lanes. One that is misaligned, or outside of
 * shared or local memory, ends the run. One in no allocation of device memory does so too, unless the user has it go on (struct cw_oob):
 * its lane then loads zero, stores nothing, and asks memory nothing. A transaction has no such way out, for what it reads is to be judged.
 * With CW_CHECK_MEMORY all of them go on so, and the sanitizer is told of each lane.
 */
#include "core/memory/memory.h"

/* The parameter that points into the allocation, counted from 1; 0: none. */
static uint32_t argument_of(const struct cw_core_memory *memory, const struct cw_region *r)
{
    const struct cw_core_cache *const cache = &memory->blocks.cache;
    const struct cw_core_warps *const warps = &cache->warps;
    const struct cw_kernel *k = warps->launch->kernel;
    for (uint32_t i = 0; i < k->param_cnt; i++) {
        uint64_t value = 0;
        if (k->param[i].bytes != sizeof value)
            continue;
        memcpy(&value, warps->launch->param + k->param[i].offset, sizeof value);
        if (cw_memory_region(warps->cfg.memory, value) == r)
            return i + 1;
    }
    return 0;
}

static void name_region(const struct cw_core_memory *memory, const struct cw_region *r, char text[200])
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    static const char *const kinds[] = {[CW_REGION_GLOBAL] = "the allocation",         [CW_REGION_LOCAL] = "the threads' local memory",
                                        [CW_REGION_MODULE] = "the module's variables", [CW_REGION_PERSISTENT] = "the persistent region",
                                        [CW_REGION_HEAP] = "the heap of malloc",       [CW_REGION_CHILDREN] = "the children of kernels"};
    const uint32_t argument = argument_of(memory, r);
    if (argument != 0)
        snprintf(text, 200, "argument %u (%.80s), %llu bytes at 0x%llx", argument, warps->launch->kernel->param[argument - 1].name,
                 (unsigned long long)r->bytes, (unsigned long long)r->base);
    else
        snprintf(text, 200, "%s of %llu bytes at 0x%llx",
                 r->kind <= CW_REGION_CHILDREN && kinds[r->kind] != NULL ? kinds[r->kind] : "the allocation", (unsigned long long)r->bytes,
                 (unsigned long long)r->base);
}

/* Where an address in no allocation lies. */
static void place_outside(const struct cw_core_memory *memory, uint64_t addr, uint32_t bytes, char text[300])
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const struct cw_region *r = cw_memory_nearest(warps->cfg.memory, addr);
    struct cw_region freed;
    char region[200];
    if (cw_memory_was_freed(warps->cfg.memory, addr, &freed)) {
        snprintf(text, 300, "freed: %llu bytes into an allocation of %llu bytes that is there no longer",
                 (unsigned long long)(addr - freed.base), (unsigned long long)freed.bytes);
        return;
    }
    if (r == NULL) {
        snprintf(text, 300, "not allocated: no memory is");
        return;
    }
    const uint64_t end = r->base + r->bytes;
    name_region(memory, r, region);
    if (addr < CW_CODE_WINDOW)
        snprintf(text, 300, "no memory there (a null or small pointer)");
    else if (addr < r->base)
        snprintf(text, 300, "not allocated: %llu bytes below %s", (unsigned long long)(r->base - addr), region);
    else if (addr < end)
        snprintf(text, 300, "not allocated: %llu of these bytes lie past the end of %s", (unsigned long long)(addr + bytes - end), region);
    else if (addr == end)
        snprintf(text, 300, "not allocated: just past the end of %s", region);
    else
        snprintf(text, 300, "not allocated: %llu bytes past the end of %s", (unsigned long long)(addr - end), region);
}

static const char *const space_names[] = {"generic", "global", "shared", "local", "const", "param"};

/* What is wrong with a lane's address. */
static const char *wrong(const struct cw_core_memory *memory, const struct cw_mem_part *a, uint32_t lane, char outside[300])
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    if (a->addr[lane] % a->bytes != 0)
        return "misaligned";
    if (a->space == CW_SPACE_SHARED)
        return "beyond the block's shared memory";
    if (a->space == CW_SPACE_LOCAL)
        return "beyond the thread's local memory";
    if (!cw_memory_holds(warps->cfg.memory, a->addr[lane], a->bytes) ||
        cw_heap_in_block(warps->cfg.memory, a->addr[lane], a->bytes, outside))
        place_outside(memory, a->addr[lane], a->bytes, outside);
    return outside;
}

static bool address_fault(struct cw_core_memory *memory, const struct cw_mem_part *a, uint32_t lane, bool may_go_on)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    char outside[300];
    const char *why = wrong(memory, a, lane, outside);
    cw_core__fault(warps, a->warp, a->half * CW_LANES + lane, a->uop, CW_EFAULT, "%s of %u bytes at %s address 0x%llx: %s%s",
                   cw_op_mnemonic((enum cw_op)a->uop->op), a->bytes, space_names[a->space], (unsigned long long)a->addr[lane], why,
                   why == outside && may_go_on ? "; --oob warn or --oob zero lets the run go on" : "");
    return false;
}

static void find(struct cw_core_memory *memory, const struct cw_mem_part *a, uint32_t lane)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    char outside[300];
    cw_core__find(warps, CW_CHECK_MEMORY, a->warp, a->half * CW_LANES + lane, a->uop, a->addr[lane], a->bytes,
                  "%s of %u bytes at %s address 0x%llx: %s", cw_op_mnemonic((enum cw_op)a->uop->op), a->bytes, space_names[a->space],
                  (unsigned long long)a->addr[lane], wrong(memory, a, lane, outside));
}

static bool in_bounds(const struct cw_core_memory *memory, uint32_t space, uint64_t first, uint64_t bytes)
{
    const struct cw_core_cache *const cache = &memory->blocks.cache;
    const struct cw_core_warps *const warps = &cache->warps;
    if (space == CW_SPACE_GLOBAL)
        return first >= CW_GLOBAL_BASE && cw_memory_holds(warps->cfg.memory, first, bytes);
    uint64_t size = space == CW_SPACE_SHARED ? warps->launch->shared_bytes : warps->launch->kernel->local_bytes;
    return first <= size && bytes <= size - first;
}

/* Whether a lane of the program, not of malloc or free, keeps to blocks that malloc has given, if it is in the heap. */
static bool lane_in_block(const struct cw_core_memory *memory, const struct cw_mem_part *a, uint32_t lane)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    char outside[300];
    return a->space != CW_SPACE_GLOBAL || (a->uop->flags & CW_UF_HEAP) != 0 || !cw_core__checks(warps, CW_CHECK_MEMORY) ||
           cw_heap_in_block(warps->cfg.memory, a->addr[lane], a->bytes, outside);
}

static bool in_blocks(const struct cw_core_memory *memory, const struct cw_mem_part *a)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    bool all = true;
    for (uint32_t left = cw_core__checks(warps, CW_CHECK_MEMORY) ? a->lanes : 0; left != 0 && all; left &= left - 1)
        all = lane_in_block(memory, a, (uint32_t)__builtin_ctz(left));
    return all;
}

/* Once for each line of a file. */
static void warn(struct cw_core_memory *memory, const struct cw_mem_part *a, uint32_t lane)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    struct cw_oob *oob = warps->cfg.oob;
    const struct cw_module *module = warps->launch->module;
    const uint32_t line = a->uop->line;
    char outside[300], text[700];
    for (uint32_t i = 0; i < oob->told; i++)
        if (oob->line[i].module == module && oob->line[i].line == line)
            return;
    if (oob->told == CW_OOB_LINES || warps->cfg.events.notice == NULL)
        return;
    oob->line[oob->told].module = module;
    oob->line[oob->told++].line = line;
    place_outside(memory, a->addr[lane], a->bytes, outside);
    snprintf(text, sizeof text, "%.150s:%u: kernel %.100s: %s of %u bytes at global address 0x%llx: %s; %s%s", module->file, line,
             warps->launch->kernel->name, cw_op_mnemonic((enum cw_op)a->uop->op), a->bytes, (unsigned long long)a->addr[lane], outside,
             a->uop->op == CW_OP_ST   ? "it stores nothing"
             : a->uop->op == CW_OP_LD ? "it loads 0"
                                      : "it gives 0 and changes nothing",
             oob->told == CW_OOB_LINES ? " (further lines are not told)" : "");
    warps->cfg.events.notice(warps->cfg.events.context, text);
}

/* These lanes have no part in the instruction. */
static void let_go(struct cw_core_memory *memory, struct cw_mem_part *a, uint32_t outside)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    const struct cw_uop *u = a->uop;
    struct cw_mem_inst m = {.uop = u,
                            .dynamic = warps->warp[a->warp].dynamic,
                            .warp = a->warp,
                            .half = a->half,
                            .lanes = outside,
                            .vec = u->op == CW_OP_ATOM ? 1 : u->vec};
    const bool checked = cw_core__checks(warps, CW_CHECK_MEMORY);
    for (uint32_t left = checked ? outside : 0; left != 0; left &= left - 1)
        find(memory, a, (uint32_t)__builtin_ctz(left));
    if (!checked && warps->cfg.oob->mode == CW_OOB_WARN)
        warn(memory, a, (uint32_t)__builtin_ctz(outside));
    if (u->op == CW_OP_LD || u->dst_cnt != 0)
        cw_core__write_back(warps, &m, outside);
    if (a->space == CW_SPACE_GLOBAL)
        warps->cfg.stats->out_of_bounds += (uint32_t)__builtin_popcount(outside);
    a->lanes &= ~outside;
}

/* All lanes' addresses lie between the lowest and the highest: memory is allocated in large pieces, so one look does for most. */
bool cw_core__check_bounds(struct cw_core_memory *memory, struct cw_mem_part *a)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    uint64_t low = UINT64_MAX, high = 0, bits = 0;
    uint32_t outside = 0;
    for (uint32_t lane = 0; lane < CW_LANES; lane++) {
        if ((a->lanes >> lane & 1u) == 0)
            continue;
        low = a->addr[lane] < low ? a->addr[lane] : low;
        high = a->addr[lane] > high ? a->addr[lane] : high;
        bits |= a->addr[lane];
    }
    if (bits % a->bytes == 0 && high <= UINT64_MAX - a->bytes && in_bounds(memory, a->space, low, high - low + a->bytes) &&
        in_blocks(memory, a))
        return true;
    const bool may_go_on = a->space == CW_SPACE_GLOBAL && warps->cfg.oob != NULL && !warps->warp[a->warp].in_region;
    const bool checked = cw_core__checks(warps, CW_CHECK_MEMORY) && !warps->warp[a->warp].in_region;
    for (uint32_t left = a->lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const bool misaligned = a->addr[lane] % a->bytes != 0;
        if (!misaligned && in_bounds(memory, a->space, a->addr[lane], a->bytes) && lane_in_block(memory, a, lane))
            continue;
        if (!checked && (misaligned || !may_go_on || warps->cfg.oob->mode == CW_OOB_FAULT))
            return address_fault(memory, a, lane, may_go_on);
        outside |= 1u << lane;
    }
    if (outside != 0)
        let_go(memory, a, outside);
    return true;
}
