/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant memory, and the constant cache (const.bytes). Constant memory and the parameters of the kernel do not change while a kernel
 * runs, so a core needs no bytes of them from the L2: the cache knows which lines it would hold, and values come from the module and the
 * launch.
 *
 * Without the cache a constant load is an instruction of the integer units that always hits. With it, the load goes to the load/store unit.
 * There it reads one line after the other. The cache gives one address per cycle to all lanes that want it, so a line that is read at n
 * addresses keeps it for n cycles. A line that is absent is read through the crossbar and the L2, whole; loads behind it go on.
 * Those that wait for one line get it one after the other, one per cycle. Without a miss register, or without a place in it, the load waits
 * at the head of the queue, and with it all memory instructions of the core.
 *
 *     t                          issue, without operand collectors
 *     t+1                        the load/store unit looks up
 *     t + const.latency + n - 1  a dependent instruction may issue
 */
#include "core/memory/memory.h"
#include "mem/address.h"

static bool is_param(const struct cw_mem_inst *m)
{
    return m->space == CW_SPACE_PARAM;
}

/* In param space a load may lie outside the parameters, and reads zeros there. At a generic address it may not. */
bool cw_core__const_check(struct cw_core_memory *memory, const struct cw_mem_inst *m)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    const uint64_t size = is_param(m) ? warps->launch->kernel->param_bytes : warps->launch->module->const_bytes;
    const uint32_t bytes = (uint32_t)m->elem_bytes * m->vec;
    for (cw_lanes left = m->uop->space == CW_SPACE_PARAM ? 0 : m->lanes; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        const uint64_t addr = m->addr[lane];
        const bool bounds = addr <= size && bytes <= size - addr;
        if (!bounds || addr % bytes != 0) {
            cw_core__fault(warps, m->warp, m->half * CW_LANES + lane, m->uop, CW_EFAULT, "ld of %u bytes at %s address 0x%llx: %s", bytes,
                           is_param(m) ? "param" : "const", (unsigned long long)addr,
                           bounds        ? "misaligned"
                           : is_param(m) ? "beyond the kernel's parameters"
                                         : "beyond constant memory");
            return false;
        }
    }
    return true;
}

/* Whether the address has no register, and so is the same in all lanes. */
static bool is_uniform(const struct cw_uop *u)
{
    return u->src[0].kind != CW_OPND_R32 && u->src[0].kind != CW_OPND_R64;
}

/* What lies outside the parameters reads as zero. */
static uint64_t value_at(const struct cw_core_memory *memory, const struct cw_mem_inst *m, uint64_t addr)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const struct cw_launch *l = warps->launch;
    const uint64_t size = is_param(m) ? l->kernel->param_bytes : l->module->const_bytes;
    const bool inside = addr <= size && m->elem_bytes <= size - addr;
    return inside ? cw_core__load_element((is_param(m) ? l->param : l->module->const_image) + addr, m->elem_bytes) : 0;
}

static void read_values(const struct cw_core_memory *memory, struct cw_mem_inst *m)
{
    if (m->lanes == 0)
        return;
    const bool uniform = is_uniform(m->uop);
    for (uint32_t e = 0; e < m->vec; e++) {
        const uint64_t value = uniform ? value_at(memory, m, m->addr[cw_lanes_first(m->lanes)] + e * m->elem_bytes) : 0;
        for (uint32_t lane = 0; uniform && lane < CW_LANES; lane++)
            m->value[e][lane] = value;
        for (cw_lanes left = uniform ? 0 : m->lanes; left != 0; left = cw_lanes_rest(left))
            m->value[e][cw_lanes_first(left)] = value_at(memory, m, m->addr[cw_lanes_first(left)] + e * m->elem_bytes);
    }
}

uint64_t cw_core__const_load(struct cw_core_memory *memory, struct cw_mem_inst *m, const struct cw_issue_op *op)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    read_values(memory, m);
    cw_core__write_back(warps, m, m->lanes);
    const uint32_t reads = m->lanes != 0 ? cw_address_distinct(m->addr, (uint32_t)m->lanes) - 1 : 0;
    const uint64_t cycle = warps->started + memory->blocks.result_stages + warps->config->fu_alu_latency + reads * memory->pass.constant;
    cw_core__set_slots(warps, m->dynamic, m->warp, op, cycle);
    return cycle;
}

/* ---- the cache ---- */

static struct cw_line_access only_line(const struct cw_core_memory *memory, const struct cw_core_inst *i, cw_lanes *left)
{
    const uint64_t addr = i->m.addr[cw_lanes_first(i->lanes_left)];
    *left = 0;
    return (struct cw_line_access){.line = addr & ~(uint64_t)(memory->constants.cache.line_bytes - 1), .lanes = i->lanes_left};
}

/* Looks up the line of the access. */
static enum cw_l1_result look_up(struct cw_core_memory *memory, struct cw_core_inst *i, const struct cw_line_access *a)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    struct cw_core_cache *const cache = &memory->blocks.cache;
    static const uint64_t whole[2] = {UINT64_MAX, UINT64_MAX};
    const struct cw_launch *l = warps->launch;
    const uint64_t line = (is_param(&i->m) ? CW_PARAM_BASE + l->param_offset : CW_CONST_BASE + l->const_offset) + a->line;
    const struct cw_l1_waiter who = {.inst = i, .warp = i->m.warp};
    struct cw_l1_line *victim;
    uint8_t *data;
    uint32_t mshr;
    const enum cw_l1_result r = cw_l1_read(&memory->constants.cache, line, whole, &who, &data, &mshr, &victim);
    if (r == CW_L1_MISS)
        cw_core__miss_push(cache, warps->cycle + 1, line, memory->constants.cache.line_bytes, CW_TAG_CONST | mshr);
    return r;
}

static void count(struct cw_core_memory *memory, enum cw_l1_result r, uint32_t addresses)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    struct cw_stats *s = warps->cfg.stats;
    s->const_reads++;
    s->const_read_misses += r != CW_L1_HIT;
    const uint64_t stalled = memory->constants.stalled_at != CW_CYCLE_NEVER ? warps->cycle - memory->constants.stalled_at : 0;
    s->const_conflict_cycles += (addresses - 1) * memory->pass.constant;
    s->const_stalls += stalled;
    s->mem_stall_const += (addresses - 1) * memory->pass.constant + stalled;
    memory->constants.stalled_at = CW_CYCLE_NEVER;
}

/* Outside the core's tick, which is faster without it. */
__attribute__((noinline)) enum cw_const_step cw_core__const_access(struct cw_core_memory *memory, struct cw_core_inst *i)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    if (memory->constants.free_at > warps->cycle)
        return CW_CONST_MORE;
    cw_lanes left = i->lanes_left;
    const bool uniform = is_uniform(i->m.uop);
    const struct cw_line_access a =
        uniform ? only_line(memory, i, &left) : cw_coalesce_next(i->m.addr, memory->constants.cache.line_bytes, &left);
    const enum cw_l1_result r = look_up(memory, i, &a);
    if (r == CW_L1_BUSY) {
        if (memory->constants.stalled_at == CW_CYCLE_NEVER)
            memory->constants.stalled_at = warps->cycle;
        return CW_CONST_STALLED;
    }
    const uint32_t addresses = uniform ? 1 : cw_address_distinct(i->m.addr, (uint32_t)a.lanes);
    count(memory, r, addresses);
    memory->constants.free_at = warps->cycle + addresses * memory->pass.constant;
    i->read_until = warps->cycle + (addresses - 1) * memory->pass.constant + warps->config->const_latency - 1;
    i->m.accesses_pending += r != CW_L1_HIT;
    i->lanes_left = left;
    if (left != 0)
        return CW_CONST_MORE;
    read_values(memory, &i->m);
    cw_core__inst_answered(memory, i, i->read_until);
    return CW_CONST_DONE;
}

__attribute__((noinline)) void cw_core__const_fill(struct cw_core_memory *memory, uint32_t mshr)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    static const uint8_t nothing[CW_LINE_BYTES];
    const struct cw_l1_mshr *m = &memory->constants.cache.mshr[mshr];
    cw_l1_fill_line(&memory->constants.cache, mshr, nothing);
    warps->cfg.stats->const_fills++;
    for (uint32_t n = 0; n < m->waiter_cnt; n++) {
        struct cw_core_inst *i = m->waiter[n].inst;
        const uint64_t turn = warps->cycle + 1 + n;
        cw_core__inst_answered(memory, i, i->read_until > turn ? i->read_until : turn);
    }
    cw_l1_release(&memory->constants.cache, mshr);
}
