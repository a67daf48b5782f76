/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory (banks, conflicts, atomics) and constant memory. */
#include "core/core_state.h"

/* Atomics in lane order: a lane sees what the lanes before it left. */
static void atomics(struct cw_core *c, struct cw_mem_inst *m, uint8_t *slice)
{
    uint64_t old[CW_LANES] = {0};
    for (uint32_t left = m->lanes; left != 0; left &= left - 1) {
        uint32_t lane = cw_core__lowest(left);
        uint8_t *p = slice + m->addr[lane];
        old[lane] = cw_core__load_element(p, m->elem_bytes);
        uint64_t v =
            cw_atomic_apply((enum cw_atom)m->uop->atom, (enum cw_type)m->uop->type, old[lane], m->value[0][lane], m->value[1][lane]);
        cw_core__store_element(p, m->elem_bytes, v);
    }
    cw_core__write_old(c, m, m->lanes, old);
}

static void transfer(struct cw_mem_inst *m, uint8_t *slice)
{
    for (uint32_t e = 0; e < m->vec; e++)
        for (uint32_t left = m->lanes; left != 0; left &= left - 1) {
            uint32_t lane = cw_core__lowest(left);
            uint8_t *p = slice + m->addr[lane] + e * m->elem_bytes;
            if (m->uop->op == CW_OP_ST)
                cw_core__store_element(p, m->elem_bytes, m->value[e][lane]);
            else
                m->value[e][lane] = cw_core__load_element(p, m->elem_bytes);
        }
}

/* Cycles that the access holds the banks: one pass per 32-bit word of a lane, each as long as its worst bank; an atomic serialises
 * on its most wanted address instead when that is longer. */
static uint32_t passes(const struct cw_core *c, const struct cw_mem_inst *m)
{
    uint32_t words = (uint32_t)m->elem_bytes * m->vec / 4, cycles = 0;
    uint64_t addr[CW_LANES];
    for (uint32_t k = 0; k < (words > 0 ? words : 1); k++) {
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            addr[lane] = m->addr[lane] + 4 * k;
        cycles += 1 + cw_bank_conflicts(addr, m->lanes, c->config->shared_banks);
    }
    if (m->uop->op == CW_OP_ATOM) {
        uint32_t same = cw_address_multiplicity(m->addr, m->lanes);
        cycles = same > cycles ? same : cycles;
    }
    return cycles;
}

void cw_core__shared_access(struct cw_core *c, struct cw_core_inst *inst)
{
    struct cw_mem_inst *m = &inst->m;
    uint8_t *slice = c->shared + c->block[c->warp[m->warp].block].shared_base;
    uint32_t cycles = passes(c, m);
    if (m->uop->op == CW_OP_ATOM) {
        atomics(c, m, slice);
    } else {
        transfer(m, slice);
        if (m->uop->op == CW_OP_LD)
            cw_core__write_back(c, m, m->lanes);
    }
    c->cfg.stats->shared_conflict_cycles += cycles - 1;
    c->shared_free_at = c->cycle + cycles;
    cw_core__inst_done(c, inst, c->cycle + c->config->shared_latency + cycles - 1);
}

bool cw_core_tx_shared_access(struct cw_core *c, cw_time now)
{
    (void)now;
    if (c->shared_free_at > c->cycle)
        return false;
    c->shared_free_at = c->cycle + 1;
    return true;
}

/* The constant cache serves one address per cycle to all lanes that want it. */
bool cw_core__const_load(struct cw_core *c, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, uint32_t mask,
                         const uint64_t addr[CW_LANES])
{
    const struct cw_module *module = c->launch->module;
    struct cw_mem_inst m = {.uop = u, .warp = w, .lanes = mask, .vec = u->vec, .elem_bytes = (uint8_t)cw_type_bytes((enum cw_type)u->type)};
    uint32_t bytes = (uint32_t)m.elem_bytes * m.vec;
    if (mask == 0)
        return true;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = cw_core__lowest(left);
        bool bounds = addr[lane] <= module->const_bytes && bytes <= module->const_bytes - addr[lane];
        if (!bounds || addr[lane] % bytes != 0) {
            cw_core__fault(c, w, lane, u, CW_EFAULT, "ld of %u bytes at const address 0x%llx: %s", bytes, (unsigned long long)addr[lane],
                           bounds ? "misaligned" : "beyond constant memory");
            return false;
        }
        for (uint32_t e = 0; e < m.vec; e++)
            m.value[e][lane] = cw_core__load_element(module->const_image + addr[lane] + e * m.elem_bytes, m.elem_bytes);
    }
    cw_core__write_back(c, &m, mask);
    cw_scoreboard_set(c->warp[w].slot_cycle, op, c->cycle + c->config->fu_alu_latency + cw_address_distinct(addr, mask) - 1);
    return true;
}
