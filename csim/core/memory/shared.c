/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory: banks, conflicts, atomics. */
#include "core/memory/memory.h"

/* Where the part's accesses lie in the core's shared memory: lane l at *slice + addr[l]. With lanes of several blocks the addresses are
 * worked out in `own`. */
static const uint64_t *places(struct cw_core_memory *memory, const struct cw_mem_inst *m, uint8_t **slice, uint64_t own[CW_LANES])
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const struct cw_dynamic_warp *dynamic = m->dynamic;
    const bool mixed = dynamic != NULL && (dynamic->blocks & (dynamic->blocks - 1)) != 0;
    const uint32_t block = dynamic != NULL ? (uint32_t)__builtin_ctz(dynamic->blocks) : warps->warp[m->warp].block;
    *slice = memory->blocks.shared + (mixed ? 0 : warps->block[block].shared_base);
    struct cw_part p;
    for (uint32_t i = 0; mixed && cw_core__part(warps, dynamic, m->warp, 0, i, &p); i++)
        for (uint32_t left = p.lanes & (uint32_t)m->lanes; left != 0; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left);
            own[lane] = m->addr[lane] + warps->block[warps->warp[p.home].block].shared_base;
        }
    return mixed ? own : m->addr;
}

/* Atomics in lane order: a lane sees what the lanes before it left. */
static void atomics(struct cw_core_memory *memory, struct cw_mem_inst *m, uint8_t *slice, const uint64_t *addr)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    uint64_t old[CW_LANES] = {0};
    for (cw_lanes left = m->lanes; left != 0; left = cw_lanes_rest(left)) {
        uint32_t lane = cw_lanes_first(left);
        uint8_t *p = slice + addr[lane];
        old[lane] = cw_core__load_element(p, m->elem_bytes);
        uint64_t v =
            cw_atomic_apply((enum cw_atom)m->uop->atom, (enum cw_type)m->uop->type, old[lane], m->value[0][lane], m->value[1][lane]);
        cw_core__store_element(p, m->elem_bytes, v);
        if (cw_core__wants_strong(warps))
            cw_core__tell_shared_atomic(warps, m, lane, old[lane], v);
    }
    if (cw_core__wants_strong(warps))
        cw_core__tell_old(warps, m, m->lanes, old);
    cw_core__write_old(warps, m, m->lanes, old);
}

static void transfer(struct cw_mem_inst *m, uint8_t *slice, const uint64_t *addr)
{
    for (uint32_t e = 0; e < m->vec; e++)
        for (uint32_t left = (uint32_t)m->lanes; left != 0; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            uint8_t *p = slice + addr[lane] + e * m->elem_bytes;
            if (m->uop->op == CW_OP_ST)
                cw_core__store_element(p, m->elem_bytes, m->value[e][lane]);
            else
                m->value[e][lane] = cw_core__load_element(p, m->elem_bytes);
        }
}

/* Passes over the banks for these lanes, each with `words` 32-bit words one after the other. */
static uint32_t passes_by_word(const struct cw_core_memory *memory, const struct cw_mem_inst *m, uint32_t lanes, uint32_t words)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    uint64_t addr[CW_LANES];
    uint32_t cycles = 0;
    for (uint32_t k = 0; k < words; k++) {
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            addr[lane] = m->addr[lane] + 4 * k;
        cycles += 1 + cw_bank_conflicts(addr, lanes, warps->config->shared_banks);
    }
    return cycles;
}

/* Whether each lane whose partner, one or two lanes on, is on has its address: the registers of the two then come back together. */
static bool in_pairs(const struct cw_mem_inst *m, uint32_t apart)
{
    const uint32_t lanes = (uint32_t)m->lanes;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        if ((lanes >> (lane ^ apart) & 1) != 0 && m->addr[lane] != m->addr[lane ^ apart])
            return false;
    }
    return true;
}

/* Lanes that do not get their words from a partner. */
static uint32_t without_partners(const struct cw_core_memory *memory, const struct cw_mem_inst *m)
{
    const uint32_t lanes = (uint32_t)m->lanes;
    if (memory->blocks.cache.warps.config->shared_pairs == CW_OFF || m->uop->op != CW_OP_LD)
        return lanes;
    const uint32_t next = lanes << 1 & 0xaaaaaaaau, second = lanes << 2 & 0xccccccccu;
    if ((lanes & next) != 0 && in_pairs(m, 1))
        return lanes & ~next;
    return in_pairs(m, 2) ? lanes & ~second : lanes;
}

/* The same, with the words of a lane side by side: `words` times fewer lanes meet in the banks, so 32 words at a time. A GTX 480 takes a
 * quarter-warp's load as one that meets in two (shared.quad_passes). */
static uint32_t passes_by_part(const struct cw_core_memory *memory, const struct cw_mem_inst *m, uint32_t words)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const uint32_t lanes = without_partners(memory, m);
    const uint32_t width = CW_LANES / words * (lanes != (uint32_t)m->lanes ? 2 : 1);
    const uint32_t quad = words == 4 && m->uop->op == CW_OP_LD ? warps->config->shared_quad_passes : 1;
    const uint32_t least = quad > memory->pass.wide ? quad : memory->pass.wide;
    uint32_t cycles = 0;
    for (uint32_t from = 0; from < CW_LANES; from += width) {
        uint64_t addr[CW_LANES] = {0};
        uint32_t n = 0;
        for (uint32_t lane = from; lane < from + width; lane++)
            for (uint32_t k = 0; k < words && (lanes >> lane & 1) != 0; k++)
                addr[n++] = m->addr[lane] + 4 * k;
        const uint32_t found = n != 0 ? 1 + cw_bank_conflicts(addr, (uint32_t)cw_lanes_below(n), warps->config->shared_banks) : 0;
        cycles += found != 0 && found < least ? least : found;
    }
    return cycles;
}

/* 32-bit words of a lane that one access brings; 0: less than one. Of a wide load the first part may be any of them: all lanes' addresses are
 * as far from the access, so the same of them meet in a bank. */
static uint32_t words_of(const struct cw_mem_inst *m, const struct cw_issue_op *op)
{
    return (op->parts > 1 ? op->wide : (uint32_t)m->elem_bytes * m->vec) / 4;
}

/* Cycles that the access holds the banks; an atomic serialises on its most wanted address instead when that is longer. */
static uint32_t passes(const struct cw_core_memory *memory, const struct cw_mem_inst *m, const struct cw_issue_op *op)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const uint32_t words = words_of(m, op);
    const bool by_part = warps->config->shared_wide == CW_SHARED_PARTS && (words == 2 || words == 4);
    uint32_t cycles = by_part ? passes_by_part(memory, m, words) : passes_by_word(memory, m, (uint32_t)m->lanes, words > 0 ? words : 1);
    if (m->uop->op == CW_OP_ATOM) {
        uint32_t same = cw_address_multiplicity(m->addr, (uint32_t)m->lanes);
        cycles = same > cycles ? same : cycles;
    }
    return cycles;
}

void cw_core__shared_perform(struct cw_core_memory *memory, struct cw_mem_inst *m)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    uint64_t own[CW_LANES];
    uint8_t *slice;
    const uint64_t *addr = places(memory, m, &slice, own);
    if (m->uop->op == CW_OP_ATOM) {
        atomics(memory, m, slice, addr);
    } else {
        transfer(m, slice, addr);
        if (m->uop->op == CW_OP_LD)
            cw_core__write_back(warps, m, m->lanes);
    }
}

/* The first lane's word stands for the access. */
static __attribute__((noinline)) void tell_banks(const struct cw_core_warps *warps, const struct cw_mem_inst *m, uint32_t cycles)
{
    const struct cw_event e = {
        .type = CW_EVENT_CONFLICT,
        .core = warps->cfg.index,
        .warp = m->warp,
        .now = warps->now,
        .u.conflict = {.kind = CW_CONTENTION_BANK, .addr = CW_SHARED_WINDOW + m->addr[cw_lanes_first(m->lanes)], .cycles = cycles}};
    cw_events_tell(warps->cfg.stream, &e);
}

void cw_core__shared_access(struct cw_core_memory *memory, struct cw_core_inst *inst)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    const uint32_t cycles = passes(memory, &inst->m, inst->op);
    const uint32_t further = (cycles - 1) * memory->pass.shared;
    if (further != 0 && cw_events_want(warps->cfg.stream, CW_EVENT_CONFLICT))
        tell_banks(warps, &inst->m, further);
    warps->cfg.stats->shared_conflict_cycles += further;
    warps->cfg.stats->mem_stall_shared += further;
    const uint32_t busy = further + memory->pass.shared;
    memory->lsu.shared_free_at = warps->cycle + (busy > memory->pass.least ? busy : memory->pass.least);
    cw_core__lsu_together(memory);
    for (struct cw_core_inst *next; inst != NULL; inst = next) { /* The parts of a wide load */
        next = (struct cw_core_inst *)inst->m.next;
        cw_core__shared_perform(memory, &inst->m);
        if (cw_core__wants_strong(warps))
            cw_core__tell_loads(warps, inst);
        cw_core__inst_done(memory, inst, warps->cycle + warps->config->shared_latency + further);
    }
}

bool cw_core__take_shared(struct cw_core_memory *memory, cw_time now)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    (void)now;
    if (memory->lsu.shared_free_at > warps->cycle)
        return false;
    memory->lsu.shared_free_at = warps->cycle + memory->pass.shared;
    return true;
}

cw_time cw_core__hold_shared(struct cw_core_memory *memory, uint32_t cnt)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    const uint64_t from = memory->lsu.shared_free_at > warps->cycle ? memory->lsu.shared_free_at : warps->cycle;
    memory->lsu.shared_free_at = from + (uint64_t)cnt * memory->pass.shared;
    return memory->lsu.shared_free_at * warps->period;
}

uint8_t *cw_core__shared_of(struct cw_core_memory *memory, uint32_t block)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    return memory->blocks.shared + warps->block[block].shared_base;
}

uint32_t cw_core__shared_word(const struct cw_core_memory *memory, uint32_t block, uint32_t offset)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    uint32_t value = 0;
    if (warps->block[block].used)
        memcpy(&value, memory->blocks.shared + warps->block[block].shared_base + offset, sizeof value);
    return value;
}
