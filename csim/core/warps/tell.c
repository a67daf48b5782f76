/* SPDX-License-Identifier: Apache-2.0 */
/* What the core tells mechanisms about lines of the L1, and listeners about persistent memory and what the sanitizer looks at. */
#include "core/warps/warps.h"

void cw_core__tell_line(struct cw_core_warps *warps, enum cw_l1_event what, uint64_t line, uint32_t warp)
{
    for (uint32_t i = 0; (warps->taken & CW_SOCKET_L1_LINE) != 0 && i < warps->mech_cnt; i++)
        if (warps->mech[i].sockets->l1_line != NULL)
            warps->mech[i].sockets->l1_line(warps->mech[i].self, what, line, warp, warps->now);
}

static void tell_word(const struct cw_core_warps *warps, struct cw_event *e, uint64_t addr, uint64_t value, uint32_t bytes)
{
    const uint32_t shift = (uint32_t)(addr % 4);
    e->u.word.addr = addr - shift;
    e->u.word.persistent = cw_memory_is_pm(addr);
    e->u.word.value = (uint32_t)(value << 8 * shift);
    e->u.word.bytes = ((1u << bytes) - 1) << shift;
    cw_events_tell(warps->cfg.stream, e);
}

/* The words of these lanes; `window`: what their addresses are short of those that all spaces share. */
static void tell_words(const struct cw_core_warps *warps, enum cw_event_type type, const struct cw_core_inst *inst, cw_lanes lanes,
                       uint64_t window)
{
    const struct cw_mem_inst *m = &inst->m;
    struct cw_event w = {.type = (uint8_t)type, .core = warps->cfg.index, .attempt = m->attempt, .now = warps->now};
    w.u.word.unknown = m->uop->op == CW_OP_ATOM;
    w.u.word.outside = type == CW_EVENT_REGION_LOAD && !inst->in_region;
    w.u.word.stamp = inst->stamp;
    w.u.word.uop = m->uop;
    for (cw_lanes left = lanes; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        w.warp = cw_core__home(warps, m->dynamic, m->warp, lane);
        w.lane = lane + CW_LANES * m->half;
        for (uint32_t i = 0; i < m->vec; i++) {
            const uint64_t addr = window + m->addr[lane] + i * m->elem_bytes;
            tell_word(warps, &w, addr, m->value[i][lane], m->elem_bytes < 4 ? m->elem_bytes : 4);
            if (m->elem_bytes == 8)
                tell_word(warps, &w, addr + 4, m->value[i][lane] >> 32, 4);
        }
    }
}

void cw_core__tell_stores(struct cw_core_warps *warps, const struct cw_pipe_entry *e)
{
    if (cw_events_want(warps->cfg.stream, CW_EVENT_PM_STORE))
        tell_words(warps, CW_EVENT_PM_STORE, e->inst, e->access.lanes, 0);
}

/* Lanes of a global access whose addresses lie in persistent memory. */
static cw_lanes persistent_lanes(const struct cw_mem_inst *m)
{
    cw_lanes lanes = 0;
    for (cw_lanes left = m->space == CW_SPACE_GLOBAL ? m->lanes : 0; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        lanes |= (cw_lanes)cw_memory_is_pm(m->addr[lane]) << lane;
    }
    return lanes;
}

/* Each lane's element of a strong access. */
static void tell_strong(const struct cw_core_warps *warps, const struct cw_mem_inst *m, cw_lanes lanes, enum cw_event_strong kind,
                        const uint64_t *value)
{
    const bool atomic = m->uop->op == CW_OP_ATOM;
    struct cw_event e = {.type = CW_EVENT_STRONG, .core = warps->cfg.index, .now = warps->now};
    e.u.strong.kind = (uint8_t)kind;
    e.u.strong.atomic = atomic;
    e.u.strong.returns = m->uop->dst_cnt != 0;
    for (cw_lanes left = lanes; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        e.warp = cw_core__home(warps, m->dynamic, m->warp, lane);
        e.lane = lane + CW_LANES * m->half;
        for (uint32_t i = 0; i < m->vec; i++) {
            e.u.strong.addr = (m->space == CW_SPACE_SHARED ? CW_SHARED_WINDOW : 0) + m->addr[lane] + i * m->elem_bytes;
            e.u.strong.value = value != NULL ? value[lane] : atomic ? 0 : m->value[i][lane];
            cw_events_tell(warps->cfg.stream, &e);
        }
    }
}

static bool is_strong(const struct cw_uop *u)
{
    return u->op == CW_OP_ATOM || (u->flags & (CW_UF_VOLATILE | CW_UF_ACQUIRE | CW_UF_RELEASE)) != 0;
}

void cw_core__tell_loads(const struct cw_core_warps *warps, const struct cw_core_inst *inst)
{
    const struct cw_mem_inst *m = &inst->m;
    if (m->uop->op == CW_OP_LD && is_strong(m->uop) && m->space <= CW_SPACE_SHARED && !inst->in_region)
        tell_strong(warps, m, m->lanes, CW_STRONG_READ, NULL);
}

void cw_core__tell_old(const struct cw_core_warps *warps, const struct cw_mem_inst *m, cw_lanes lanes, const uint64_t *old)
{
    if (m->uop->dst_cnt != 0)
        tell_strong(warps, m, lanes, CW_STRONG_READ, old);
}

void cw_core__tell_shared_atomic(const struct cw_core_warps *warps, const struct cw_mem_inst *m, uint32_t lane, uint64_t old,
                                 uint64_t value)
{
    struct cw_event e = {.type = CW_EVENT_STRONG, .core = warps->cfg.index, .lane = lane + CW_LANES * m->half, .now = warps->now};
    e.warp = cw_core__home(warps, m->dynamic, m->warp, lane);
    e.u.strong.kind = CW_STRONG_PERFORM;
    e.u.strong.addr = CW_SHARED_WINDOW + m->addr[lane];
    e.u.strong.old = old;
    e.u.strong.value = value;
    cw_events_tell(warps->cfg.stream, &e);
}

void cw_core__tell_exchange(const struct cw_core_warps *warps, uint32_t w, cw_lanes lanes)
{
    struct cw_event e = {.type = CW_EVENT_STRONG, .core = warps->cfg.index, .warp = w, .now = warps->now};
    e.u.strong.kind = CW_STRONG_EXCHANGE;
    e.u.strong.lanes = lanes;
    if (warps->warp[w].dynamic == NULL)
        cw_events_tell(warps->cfg.stream, &e);
}

void cw_core__tell_flight(const struct cw_core_warps *warps, const struct cw_core_inst *inst, bool ends, uint64_t cycle)
{
    const struct cw_event e = {.type = CW_EVENT_FLIGHT,
                               .core = warps->cfg.index,
                               .warp = inst->m.warp,
                               .now = cycle * warps->period,
                               .u.flight = {.uop = inst->m.uop, .id = inst->leader->index, .ends = ends}};
    cw_events_tell(warps->cfg.stream, &e);
}

void cw_core__stamp(struct cw_core_warps *warps, struct cw_core_inst *inst)
{
    const struct cw_mem_inst *m = &inst->m;
    if ((warps->taken & CW_SOCKET_FLIGHT) != 0)
        cw_core__tell_flight(warps, inst, false, warps->cycle);
    if ((warps->taken & (CW_SOCKET_PM | CW_SOCKET_PROGRAM)) == 0)
        return;
    inst->stamp = ++warps->stamps;
    if (cw_events_want(warps->cfg.stream, CW_EVENT_STRONG) && m->uop->op != CW_OP_LD && is_strong(m->uop) && m->space <= CW_SPACE_SHARED &&
        !inst->in_region)
        tell_strong(warps, m, m->lanes, m->uop->op == CW_OP_ATOM ? CW_STRONG_ATOMIC : CW_STRONG_STORE, NULL);
    if (m->uop->op == CW_OP_LD || m->space > CW_SPACE_SHARED)
        return;
    if (inst->in_region) {
        if ((warps->taken & CW_SOCKET_PROGRAM) != 0)
            tell_words(warps, CW_EVENT_REGION_ISSUE, inst, m->lanes, 0);
        return;
    }
    if ((warps->taken & CW_SOCKET_PM) == 0)
        return;
    const bool strong = m->uop->op == CW_OP_ST && (m->uop->flags & (CW_UF_VOLATILE | CW_UF_RELEASE)) != 0;
    const cw_lanes lanes = strong ? m->lanes : persistent_lanes(m);
    tell_words(warps, CW_EVENT_PM_ISSUE, inst, lanes, m->space == CW_SPACE_SHARED ? CW_SHARED_WINDOW : 0);
}

void cw_core__tell_region_loads(const struct cw_core_warps *warps, const struct cw_core_inst *inst, cw_lanes lanes)
{
    if (inst->in_region)
        tell_words(warps, CW_EVENT_REGION_LOAD, inst, lanes, 0);
}

void cw_core__tell_completed(const struct cw_core_warps *warps, const struct cw_core_inst *inst)
{
    const struct cw_mem_inst *m = &inst->m;
    const bool orders = m->uop->op == CW_OP_ATOM ? m->uop->dst_cnt > 0 : m->uop->op == CW_OP_LD && (m->uop->flags & CW_UF_VOLATILE) != 0;
    if (!inst->in_region && orders && m->space == CW_SPACE_GLOBAL)
        tell_words(warps, CW_EVENT_REGION_LOAD, inst, m->lanes, 0);
}

void cw_core__tell_reads(const struct cw_core_warps *warps, const struct cw_core_inst *inst)
{
    const struct cw_mem_inst *m = &inst->m;
    if (m->uop->op == CW_OP_LD && m->elem_bytes >= 4 && m->space == CW_SPACE_GLOBAL && cw_memory_is_pm(m->addr[cw_lanes_first(m->lanes)]))
        tell_words(warps, CW_EVENT_PM_READ, inst, persistent_lanes(m), 0);
}

/* ---- what orders persists ---- */

static struct cw_event order_event(const struct cw_core_warps *warps, uint32_t w, uint8_t kind, cw_time now)
{
    struct cw_event e = {.type = CW_EVENT_PM_ORDER, .core = warps->cfg.index, .warp = w, .now = now};
    e.u.order.kind = kind;
    e.u.order.block = warps->block[warps->warp[w].block].number;
    return e;
}

void cw_core__tell_begin(const struct cw_core_warps *warps, uint32_t w, cw_time now)
{
    const struct cw_event e = order_event(warps, w, CW_ORDER_BEGIN, now);
    cw_events_tell(warps->cfg.stream, &e);
}

void cw_core__tell_fence(struct cw_core_warps *warps, uint32_t w, const struct cw_uop *u, cw_lanes lanes)
{
    struct cw_event e = order_event(warps, w, CW_ORDER_FENCE, warps->now);
    e.u.order.device = u->scope != CW_SCOPE_CTA;
    e.u.order.stamp = ++warps->stamps;
    e.u.order.uop = u;
    for (; lanes != 0; lanes = cw_lanes_rest(lanes)) {
        e.lane = cw_lanes_first(lanes);
        e.warp = cw_core__home(warps, warps->warp[w].dynamic, w, e.lane);
        cw_events_tell(warps->cfg.stream, &e);
    }
}

void cw_core__tell_call(struct cw_core_warps *warps, const struct cw_core_call *call)
{
    struct cw_event e = order_event(warps, call->warp, call->uop->intrinsic->order, warps->now);
    const bool variable = e.u.order.kind == CW_ORDER_RELEASE || e.u.order.kind == CW_ORDER_ACQUIRE;
    e.u.order.stamp = ++warps->stamps;
    e.u.order.uop = call->uop;
    for (cw_lanes left = call->lanes; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        e.lane = lane;
        e.warp = cw_core__home(warps, warps->warp[call->warp].dynamic, call->warp, lane);
        if (variable) {
            e.u.order.addr = call->arg[0][lane];
            e.u.order.value = (uint32_t)call->arg[1][lane];
            e.u.order.device = call->arg[2][lane] != 0;
        }
        cw_events_tell(warps->cfg.stream, &e);
    }
}

/* ---- what leaves ---- */

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

void cw_core__persist_leaves(struct cw_core_warps *warps, struct cw_message *p)
{
    if (!cw_memory_is_pm(p->addr) || p->kind == CW_MSG_READ)
        return;
    p->attempt = ++warps->departures;
    if (!cw_events_want(warps->cfg.stream, CW_EVENT_PM_LEAVE))
        return;
    uint32_t mask[4];
    if (p->kind == CW_MSG_ATOMIC)
        atomic_mask(p, mask);
    else
        memcpy(mask, cw_line_body_of(p)->byte_mask, sizeof mask);
    const struct cw_event e = {.type = CW_EVENT_PM_LEAVE,
                               .core = warps->cfg.index,
                               .now = warps->now,
                               .u.line = {.addr = p->addr, .id = p->attempt, .byte_mask = mask}};
    cw_events_tell(warps->cfg.stream, &e);
}

/* ---- for the sanitizer ---- */

void cw_core__tell_lanes(const struct cw_core_warps *warps, const struct cw_mem_inst *m)
{
    struct cw_event e = {.type = CW_EVENT_LANES, .core = warps->cfg.index, .now = warps->now};
    struct cw_part p;
    e.u.lanes.uop = m->uop;
    e.u.lanes.addr = m->addr;
    e.u.lanes.value = m->value;
    e.u.lanes.half = m->half;
    e.u.lanes.space = m->space;
    e.u.lanes.elem_bytes = m->elem_bytes;
    e.u.lanes.vec = m->vec;
    e.u.lanes.in_region = warps->warp[m->warp].in_region;
    for (uint32_t i = 0; cw_core__part(warps, m->dynamic, m->warp, m->half, i, &p); i++) {
        e.warp = p.home;
        e.u.lanes.x = p.x;
        e.u.lanes.lanes = p.lanes & (uint32_t)m->lanes;
        e.u.lanes.block = warps->warp[p.home].block;
        e.u.lanes.number = warps->warp[p.home].number;
        if (e.u.lanes.lanes != 0)
            cw_events_tell(warps->cfg.stream, &e);
    }
}

void cw_core__tell_stream(const struct cw_core_warps *warps, enum cw_event_type type, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    const struct cw_event e = {.type = (uint8_t)type,
                               .core = warps->cfg.index,
                               .warp = w,
                               .attempt = warps->warp[w].attempt,
                               .now = warps->now,
                               .u.access = {.uop = u, .lanes = mask}};
    cw_events_tell(warps->cfg.stream, &e);
}

void cw_core__tell_sync(const struct cw_core_warps *warps, uint32_t w, enum cw_event_sync kind, cw_lanes lanes, uint32_t id)
{
    struct cw_event e = {.type = CW_EVENT_SYNC, .core = warps->cfg.index, .now = warps->now};
    struct cw_part p;
    e.u.sync.kind = (uint8_t)kind;
    e.u.sync.id = id;
    for (uint32_t i = 0; cw_core__part(warps, warps->warp[w].dynamic, w, 0, i, &p); i++) {
        const struct cw_warp *home = &warps->warp[p.home];
        e.warp = p.home;
        e.u.sync.lanes = warps->warp[w].dynamic != NULL ? lanes & p.lanes : lanes;
        e.u.sync.all = e.u.sync.lanes == home->live;
        e.u.sync.block = home->block;
        e.u.sync.number = home->number;
        if (e.u.sync.lanes != 0)
            cw_events_tell(warps->cfg.stream, &e);
    }
}

void cw_core__tell_pass(const struct cw_core_warps *warps, uint32_t block, uint32_t id)
{
    struct cw_event e = {.type = CW_EVENT_SYNC, .core = warps->cfg.index, .now = warps->now};
    e.u.sync.kind = CW_SYNC_PASS;
    e.u.sync.block = block;
    e.u.sync.id = id;
    cw_events_tell(warps->cfg.stream, &e);
}
