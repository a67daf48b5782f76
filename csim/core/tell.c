/* SPDX-License-Identifier: Apache-2.0 */
/* What the core tells mechanisms about lines of the L1, and listeners about persistent memory. */
#include "core/core_state.h"

void cw_core__tell_line(struct cw_core *c, enum cw_l1_event what, uint64_t line, uint32_t warp)
{
    for (uint32_t i = 0; (c->taken & CW_SOCKET_L1_LINE) != 0 && i < c->mech_cnt; i++)
        if (c->mech[i].sockets->l1_line != NULL)
            c->mech[i].sockets->l1_line(c->mech[i].self, what, line, warp, c->now);
}

static void tell_word(struct cw_core *c, struct cw_event *e, uint64_t addr, uint64_t value, uint32_t bytes)
{
    const uint32_t shift = (uint32_t)(addr % 4);
    e->u.word.addr = addr - shift;
    e->u.word.value = (uint32_t)(value << 8 * shift);
    e->u.word.bytes = ((1u << bytes) - 1) << shift;
    cw_events_tell(c->cfg.stream, e);
}

void cw_core__tell_stores(struct cw_core *c, const struct cw_pipe_entry *e)
{
    const struct cw_mem_inst *m = &e->inst->m;
    if (!cw_events_want(c->cfg.stream, CW_EVENT_PM_STORE))
        return;
    struct cw_event w = {.type = CW_EVENT_PM_STORE, .core = c->cfg.index, .now = c->now};
    w.u.word.unknown = m->uop->op == CW_OP_ATOM;
    w.u.word.uop = m->uop;
    for (cw_lanes left = e->access.lanes; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        w.warp = cw_core__home(c, m->dynamic, m->warp, lane);
        w.lane = lane + CW_LANES * m->half;
        for (uint32_t i = 0; i < m->vec; i++) {
            const uint64_t addr = m->addr[lane] + i * m->elem_bytes;
            tell_word(c, &w, addr, m->value[i][lane], m->elem_bytes < 4 ? m->elem_bytes : 4);
            if (m->elem_bytes == 8)
                tell_word(c, &w, addr + 4, m->value[i][lane] >> 32, 4);
        }
    }
}

/* The bytes that an atomic may write. */
static void atomic_mask(const struct cw_message *p, uint32_t mask[4])
{
    const struct cw_atomic_body *b = cw_atomic_body_of(p);
    const uint32_t ones = cw_type_bytes((enum cw_type)b->type) == 8 ? 0xffu : 0xfu;
    memset(mask, 0, 4 * sizeof mask[0]);
    for (cw_lanes left = p->lanes; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t at = b->lane_offset[cw_lanes_first(left)];
        mask[at / 32] |= ones << at % 32;
    }
}

void cw_core__persist_leaves(struct cw_core *c, struct cw_message *p)
{
    if (!cw_memory_is_pm(p->addr) || p->kind == CW_MSG_READ)
        return;
    p->attempt = ++c->departures;
    if (!cw_events_want(c->cfg.stream, CW_EVENT_PM_LEAVE))
        return;
    uint32_t mask[4];
    if (p->kind == CW_MSG_ATOMIC)
        atomic_mask(p, mask);
    else
        memcpy(mask, cw_line_body_of(p)->byte_mask, sizeof mask);
    const struct cw_event e = {
        .type = CW_EVENT_PM_LEAVE, .core = c->cfg.index, .now = c->now, .u.line = {.addr = p->addr, .id = p->attempt, .byte_mask = mask}};
    cw_events_tell(c->cfg.stream, &e);
}
