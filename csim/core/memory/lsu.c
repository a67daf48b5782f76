/* SPDX-License-Identifier: Apache-2.0 */
/* Load/store unit: memory instructions from issue to their line accesses. */
#include "core/memory/memory.h"

/* ---- issue ---- */

void cw_core__read_values(const struct cw_core_memory *memory, struct cw_mem_inst *m)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const struct cw_uop *u = m->uop;
    uint64_t keep = m->elem_bytes == 8 ? UINT64_MAX : (UINT64_C(1) << (8u * m->elem_bytes)) - 1;
    uint32_t n = u->op == CW_OP_ST ? m->vec : u->op == CW_OP_ATOM ? 2 : 0;
    for (uint32_t e = 0; e < n; e++) {
        struct cw_opnd o = e + 1 < u->src_cnt ? u->src[e + 1] : (struct cw_opnd){.kind = CW_OPND_NONE};
        cw_core__read_operand(warps, m->dynamic, m->warp, m->half, o, m->value[e]);
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            m->value[e][lane] &= keep;
    }
    if (u->op == CW_OP_LD && m->space == CW_SPACE_LOCAL)
        memset(m->value, 0, sizeof m->value[0] * m->vec);
}

/* The instruction remembers whose it is, and counts for their blocks. */
static void keep_dynamic(struct cw_core_memory *memory, struct cw_core_inst *i, const struct cw_dynamic_warp *dynamic)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    i->m.dynamic = dynamic != NULL ? &i->dynamic : NULL;
    if (dynamic == NULL)
        return;
    cw_core__copy_dynamic(&i->dynamic, dynamic);
    for (uint32_t left = dynamic->blocks; left != 0; left &= left - 1)
        warps->block[(uint32_t)__builtin_ctz(left)].insts++;
}

static void join_queue(struct cw_core_memory *memory, struct cw_core_inst *i)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    warps->warp[i->m.warp].queued++;
    i->arrives = warps->started + memory->mem_stages;
    if (warps->mem_queue.cnt == 0)
        memory->lsu.next = i->arrives;
    memory->lsu.queue[(memory->lsu.head + warps->mem_queue.cnt++) % memory->lsu.cap] = i;
}

/* A part of a wide load goes through the unit with the first one, behind the others. */
static void join_leader(struct cw_core_inst *leader, struct cw_core_inst *i)
{
    struct cw_mem_inst *last = &leader->m;
    while (last->next != NULL)
        last = last->next;
    last->next = &i->m;
}

static struct cw_core_inst *enqueue(struct cw_core_memory *memory, const struct cw_mem_part *p, struct cw_core_inst *leader)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    const struct cw_uop *u = p->uop;
    struct cw_core_inst *i = cw_core__inst_new(memory);
    if (i == NULL) {
        cw_core__fault(warps, p->warp, p->half * CW_LANES + (uint32_t)__builtin_ctz(p->lanes), u, CW_ENOMEM, "out of host memory");
        return NULL;
    }
    struct cw_warp *warp = &warps->warp[p->warp];
    i->m.uop = u;
    i->m.warp = p->warp;
    i->m.half = p->half;
    i->m.lanes = p->lanes;
    i->m.space = (uint8_t)p->space;
    i->m.elem_bytes = (uint8_t)cw_type_bytes((enum cw_type)u->type);
    i->m.vec = u->op == CW_OP_ATOM ? 1 : u->vec;
    memcpy(i->m.addr, p->addr, sizeof i->m.addr);
    keep_dynamic(memory, i, warp->dynamic);
    i->m.accesses_pending = 1; /* held until the last line access has been made */
    i->m.attempt = warp->attempt;
    i->op = p->op;
    i->leader = leader != NULL ? leader : i;
    i->parts = leader != NULL ? 0 : 1;
    i->leader->parts += leader != NULL;
    i->lanes_left = p->lanes;
    i->chunk_left = i->landed = 0;
    i->read_until = 0;
    i->piece = 0;
    uint32_t bytes = (uint32_t)i->m.elem_bytes * i->m.vec;
    i->piece_cnt = (uint8_t)(p->space == CW_SPACE_LOCAL && bytes > 4 ? bytes / 4 : 1);
    i->in_region =
        warp->in_region && p->space == CW_SPACE_GLOBAL && u->op != CW_OP_ATOM && memory->blocks.region->sockets->region_access != NULL;
    i->asked = i->in_region || p->space >= CW_SPACE_CONST || (warps->taken & CW_SOCKET_ACCESS) == 0 ? warps->mech_cnt : 0;
    cw_core__read_values(memory, &i->m);
    cw_core__issued(warps, &i->m);
    if (__builtin_expect((warps->taken & (CW_SOCKET_PM | CW_SOCKET_PROGRAM | CW_SOCKET_FLIGHT)) != 0, 0))
        cw_core__stamp(warps, i);
    i->epoch = memory->blocks.epoch;
    i->flight = cw_core__order_flight(warps, p->warp);
    cw_core__order_begin(warps, i->flight);
    warp->insts++;
    i->m.next = NULL;
    if (leader != NULL && p->op->parts > 1)
        join_leader(leader, i);
    else
        join_queue(memory, i);
    return i;
}

bool cw_core__check_part(struct cw_core_memory *memory, struct cw_mem_part *p)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const struct cw_uop *u = p->uop;
    if (p->lanes == 0)
        return true;
    p->bytes = cw_type_bytes((enum cw_type)u->type) * (u->op == CW_OP_ATOM ? 1u : u->vec);
    if (!cw_core__check_bounds(memory, p))
        return false;
    if (p->lanes != 0 && u->op == CW_OP_ATOM && p->space == CW_SPACE_LOCAL) {
        cw_core__fault(warps, p->warp, p->half * CW_LANES + (uint32_t)__builtin_ctz(p->lanes), u, CW_EFAULT, "atomic on local memory");
        return false;
    }
    return true;
}

/* The first part of an instruction leads. */
static bool add_part(struct cw_core_memory *memory, struct cw_mem_part *p, struct cw_core_inst **leader)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    const struct cw_uop *u = p->uop;
    if (!cw_core__check_part(memory, p))
        return false;
    if (p->lanes == 0)
        return true;
    if (p->space == CW_SPACE_SHARED)
        warps->cfg.stats->shared_accesses++;
    else
        warps->cfg.stats->mem_instructions++;
    struct cw_core_inst *i = enqueue(memory, p, *leader);
    if (*leader == NULL)
        *leader = i;
    if (u->op != CW_OP_LD && p->space != CW_SPACE_LOCAL && cw_core__checks(warps, CW_CHECK_SYNC))
        cw_core__note_side(&memory->blocks, p->warp, (cw_lanes)p->lanes << (CW_LANES * p->half));
    const bool undone = warps->warp[p->warp].in_region && u->op == CW_OP_ST; /* perhaps: no progress before the region ends */
    if (i != NULL && u->op != CW_OP_LD && p->space != CW_SPACE_LOCAL && !undone && (u->op == CW_OP_ST || u->dst_cnt == 0))
        cw_core__progress(warps, &warps->warp[p->warp]);
    return i != NULL;
}

void cw_core__resolve(uint64_t addr[CW_LANES], uint32_t mask, uint32_t lanes[CW_SPACE_PARAM + 1])
{
    static const struct {
        uint64_t window;
        uint32_t space;
    } windows[] = {{CW_SHARED_WINDOW, CW_SPACE_SHARED},
                   {CW_LOCAL_WINDOW, CW_SPACE_LOCAL},
                   {CW_CONST_WINDOW, CW_SPACE_CONST},
                   {CW_PARAM_WINDOW, CW_SPACE_PARAM}};
    lanes[CW_SPACE_GLOBAL] = mask;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (addr[lane] >= CW_GLOBAL_BASE)
            continue;
        for (uint32_t i = 0; i < sizeof windows / sizeof windows[0]; i++)
            if (addr[lane] - windows[i].window < CW_WINDOW_BYTES) {
                lanes[windows[i].space] |= 1u << lane;
                lanes[CW_SPACE_GLOBAL] &= ~(1u << lane);
                addr[lane] -= windows[i].window;
                break;
            }
    }
}

/* Constant memory and parameters answer with what the launch holds. The lanes of other spaces have their own accesses, and a register is there
 * when the last of them is complete. */
static bool load_constant(struct cw_core_memory *memory, const struct cw_mem_part *p, struct cw_core_inst **leader)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const struct cw_uop *u = p->uop;
    if (u->op != CW_OP_LD) {
        cw_core__fault(warps, p->warp, p->half * CW_LANES + (uint32_t)__builtin_ctz(p->lanes), u, CW_EFAULT, "%s cannot be written",
                       p->space == CW_SPACE_PARAM ? "parameters of a kernel" : "constant memory");
        return false;
    }
    if (memory->constants.cache.sets != 0) {
        struct cw_core_inst *i = enqueue(memory, p, *leader);
        *leader = *leader == NULL ? i : *leader;
        return i != NULL && cw_core__const_check(memory, &i->m);
    }
    struct cw_mem_inst m = {
        .uop = u, .dynamic = warps->warp[p->warp].dynamic, .warp = p->warp, .half = p->half, .lanes = p->lanes, .vec = u->vec};
    m.space = (uint8_t)p->space;
    m.elem_bytes = (uint8_t)cw_type_bytes((enum cw_type)u->type);
    memcpy(m.addr, p->addr, sizeof m.addr);
    if (!cw_core__const_check(memory, &m))
        return false;
    const uint64_t until = cw_core__const_load(memory, &m, p->op);
    if (*leader != NULL && until > (*leader)->read_until)
        (*leader)->read_until = until;
    return true;
}

__attribute__((noinline)) bool cw_core__load_constants(struct cw_core_memory *memory, struct cw_mem_part p,
                                                       const uint32_t lanes[CW_SPACE_PARAM + 1], struct cw_core_inst **leader)
{
    for (p.space = CW_SPACE_CONST; p.space <= CW_SPACE_PARAM; p.space++) {
        p.lanes = lanes[p.space];
        if (p.lanes != 0 && !load_constant(memory, &p, leader))
            return false;
    }
    return true;
}

/* One half's part in the instruction. */
static bool issue_half(struct cw_core_memory *memory, struct cw_mem_part p, struct cw_core_inst **leader)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const struct cw_uop *u = p.uop;
    uint64_t addr[CW_LANES];
    uint32_t lanes[CW_SPACE_PARAM + 1] = {0};
    cw_core__read_addresses(warps, p.warp, p.half, u, addr);
    if (u->space == CW_SPACE_GENERIC)
        cw_core__resolve(addr, p.lanes, lanes);
    else
        lanes[u->space] = p.lanes;
    p.addr = addr;
    for (p.space = CW_SPACE_GLOBAL; p.space <= CW_SPACE_LOCAL; p.space++) {
        p.lanes = lanes[p.space];
        if (!add_part(memory, &p, leader))
            return false;
    }
    return (lanes[CW_SPACE_CONST] | lanes[CW_SPACE_PARAM]) == 0 || cw_core__load_constants(memory, p, lanes, leader);
}

/* The lanes ask memory something that another thread may answer. */
static void note_poll(struct cw_core_memory *memory, struct cw_warp *warp, uint32_t mask)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    warp->polled = true;
    for (uint32_t i = 0; warps->mixes && i < warp->dynamic->cnt; i++)
        warps->warp[warp->dynamic->part[i].home].polled_lanes |= warp->dynamic->part[i].lanes & mask;
}

/* Where the first lane polls. A load beyond all that the warp has polled goes through an array, and does not ask again. */
static void note_poll_at(const struct cw_core_memory *memory, struct cw_warp *warp, const struct cw_uop *u, uint64_t addr)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    warp->poll = u;
    warp->poll_at = addr;
    if (u->op == CW_OP_LD && (addr < warp->poll_low || addr > warp->poll_high) && !warps->mixes)
        warp->polled = false;
    warp->poll_low = addr < warp->poll_low ? addr : warp->poll_low;
    warp->poll_high = addr > warp->poll_high ? addr : warp->poll_high;
}

/* An instruction that brings nothing takes its turn there. */
static void take_turn(const struct cw_core_memory *memory, uint64_t *free_at)
{
    const uint64_t cycle = memory->blocks.cache.warps.cycle;
    *free_at = (*free_at > cycle ? *free_at : cycle) + memory->pass.least;
}

/* All lanes are off. */
static void pass_empty(struct cw_core_memory *memory, const struct cw_uop *u)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    if (warps->config->core_mem_off == CW_MEM_OFF_TAKEN && u->space != CW_SPACE_CONST && u->space != CW_SPACE_PARAM)
        take_turn(memory, u->space == CW_SPACE_SHARED ? &memory->lsu.shared_free_at : &memory->lsu.stage_free_at);
    cw_core__lsu_together(memory);
}

void cw_core__pass_special(struct cw_core_memory *memory, uint32_t w, const struct cw_issue_op *op, cw_lanes mask)
{
    struct cw_warp *const warp = &memory->blocks.cache.warps.warp[w];
    take_turn(memory, &memory->lsu.stage_free_at);
    const uint64_t later = memory->lsu.stage_free_at - memory->pass.least - memory->blocks.cache.warps.cycle;
    cw_core__lsu_together(memory);
    if (mask != 0 && warp->dynamic == NULL) /* a thread that changes warps has it at once */
        cw_scoreboard_set(warp->slot_cycle, op, warp->slot_cycle[op->slot[0]] + later);
}

__attribute__((noinline)) bool cw_core__issue_mem(struct cw_core_memory *memory, uint32_t w, const struct cw_uop *u,
                                                  const struct cw_issue_op *op, cw_lanes mask)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    struct cw_warp *warp = &warps->warp[w];
    struct cw_core_inst *leader = NULL;
    const bool polls = u->op == CW_OP_ATOM || ((u->flags & CW_UF_VOLATILE) != 0 && u->op != CW_OP_ST);
    if (mask == 0) {
        pass_empty(memory, u);
        return true;
    }
    if ((u->flags & CW_UF_RELEASE) != 0 && !cw_core__order_release(&memory->blocks, w, u->scope))
        return false;
    if (polls)
        note_poll(memory, warp, (uint32_t)mask);
    const bool wide = op->parts > 1; /* A part for each micro-op; all are of the first half */
    for (uint32_t part = 0; part < (wide ? op->parts : warps->halves); part++) {
        const uint32_t half = wide ? 0 : part;
        struct cw_mem_part p = {.warp = w, .half = half, .lanes = cw_lanes_half(mask, half), .uop = wide ? u + part : u, .op = op};
        if (p.lanes != 0 && !issue_half(memory, p, &leader))
            return false;
    }
    if (polls && leader != NULL && leader->m.space == CW_SPACE_GLOBAL)
        note_poll_at(memory, warp, u, leader->m.addr[__builtin_ctzll(leader->m.lanes)]);
    if (leader != NULL && warps->by_lane) {
        leader->threads = mask;
        cw_core__lanes_load(warps, w, op, mask);
    } else if (leader != NULL) /* else constant memory has answered at once */
        cw_core__set_slots(warps, warp->dynamic, w, op, CW_CYCLE_PENDING);
    if (__builtin_expect(warps->thread_done != NULL, 0) && leader != NULL) {
        leader->threads = warps->front[w].active;
        cw_core__set_done(warps, &leader->dynamic, leader->threads, CW_CYCLE_PENDING);
    }
    const bool acquires = leader != NULL && (u->flags & CW_UF_ACQUIRE) != 0;
    for (uint32_t i = 0; warps->mixes && acquires && i < leader->dynamic.cnt; i++) /* the threads are in other warps soon */
        warps->warp[leader->dynamic.part[i].home].acquiring = true;
    if (!warps->mixes)
        warp->acquiring = acquires;
    return true;
}

/* ---- the queue's head ---- */

enum outcome { DONE, AGAIN, BLOCKED /* until another stage has moved */ };

/* The lines that an instruction's lanes touch. */
static uint32_t line_cnt(const struct cw_core_memory *memory, const struct cw_mem_inst *m)
{
    const struct cw_core_cache *const cache = &memory->blocks.cache;
    uint32_t n = 0;
    for (cw_lanes left = m->lanes; left != 0; n++)
        cw_coalesce_next(m->addr, cache->line_bytes, &left);
    return n;
}

/* Of what was an instruction's; the mechanism may have given it back. */
static void tell_region_access(const struct cw_core_memory *memory, const struct cw_event *e)
{
    const struct cw_core_cache *const cache = &memory->blocks.cache;
    const struct cw_core_warps *const warps = &cache->warps;
    struct cw_event told = *e;
    told.type = CW_EVENT_REGION_ACCESS;
    told.core = warps->cfg.index;
    told.now = warps->now;
    cw_events_tell(warps->cfg.stream, &told);
}

static enum outcome region_access(struct cw_core_memory *memory, struct cw_core_inst *i)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    struct cw_warp *warp = &warps->warp[i->m.warp];
    if (warp->piped != 0)
        return BLOCKED;
    i->m.lanes &=
        cw_lanes_half(warps->control->ops->region_lanes(warps->control, i->m.warp), i->m.half); /* lanes may have aborted since issue */
    if (i->m.lanes == 0) {
        cw_core__inst_done(memory, i, warps->cycle + 1);
        return DONE;
    }
    const uint32_t lines = line_cnt(memory, &i->m); /* now: the mechanism may give the instruction back at once */
    const bool told = cw_events_want(warps->cfg.stream, CW_EVENT_REGION_ACCESS);
    struct cw_event e;
    if (told)
        e = (struct cw_event){.warp = i->m.warp,
                              .attempt = i->m.attempt,
                              .u.access = {.uop = i->m.uop, .lanes = i->m.lanes << 32u * i->m.half, .lines = lines}};
    if (!memory->blocks.region->sockets->region_access(memory->blocks.region->self, &i->m, warps->now))
        return AGAIN;
    warps->cfg.stats->mem_accesses += lines;
    if (told)
        tell_region_access(memory, &e);
    return DONE;
}

/* Mechanisms before the L1: DONE when one has taken the instruction, BLOCKED until *again when one holds it; AGAIN: it may go on now. */
static enum outcome ask_mechanisms(struct cw_core_memory *memory, struct cw_core_inst *i, cw_time *again)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    for (; i->asked < warps->mech_cnt; i->asked++) {
        const struct cw_core_mech *m = &warps->mech[i->asked];
        if (m->sockets->access == NULL)
            continue;
        const enum cw_access_verdict v = m->sockets->access(m->self, &i->m, warps->now, again);
        if (v == CW_ACCESS_TAKEN)
            cw_core__tell_mechanisms(warps);
        if (v != CW_ACCESS_GO)
            return v == CW_ACCESS_TAKEN ? DONE : BLOCKED;
    }
    return AGAIN;
}

/* The next line of the lanes that are left. With chunks a line of the same chunk comes first. */
static inline struct cw_line_access next_line(const struct cw_core_memory *memory, struct cw_core_inst *i, const uint64_t addr[CW_LANES],
                                              uint32_t line_bytes)
{
    if (__builtin_expect(!memory->chunks, 1))
        return cw_coalesce_next(addr, line_bytes, &i->lanes_left);
    if (i->chunk_left == 0) {
        cw_lanes others = i->lanes_left;
        cw_coalesce_next(addr, CW_CHUNK_BYTES, &others);
        i->chunk_left = i->lanes_left & ~others;
    }
    const struct cw_line_access a = cw_coalesce_next(addr, line_bytes, &i->chunk_left);
    i->lanes_left &= ~a.lanes;
    return a;
}

/* The next line of a local access: of those lanes' words that lie in it. */
static struct cw_line_access next_local(const struct cw_core_memory *memory, struct cw_core_inst *i)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const struct cw_core_cache *const cache = &memory->blocks.cache;
    uint64_t addr[CW_LANES];
    for (cw_lanes left = i->lanes_left; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        const uint32_t home = cw_core__home(warps, i->m.dynamic, i->m.warp, lane);
        addr[lane] = cw_core__local_word(cache, home, i->m.half, lane, i->m.addr[lane] + 4u * i->piece);
    }
    return next_line(memory, i, addr, cache->line_bytes);
}

/* An access keeps the memory stage for a pass, in one pipeline the accesses to one chunk do. only: the instruction has this one. */
static __attribute__((noinline)) void take_stage(struct cw_core_memory *memory, const struct cw_core_inst *i, bool more, bool only)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    const uint32_t cycles = only && memory->pass.least > memory->pass.line ? memory->pass.least : memory->pass.line;
    if (memory->lsu.stage_free_at <= warps->cycle)
        memory->lsu.stage_free_at = warps->cycle + cycles;
    cw_core__lsu_together(memory);
    if (more)
        warps->cfg.stats->mem_stall_coalesce += i->chunk_left == 0 ? memory->pass.line : memory->pass.line == 1;
}

/* To those who listen to CW_EVENT_MEMORY. */
static void tell_access(const struct cw_core_memory *memory, const struct cw_core_inst *i, const struct cw_line_access *a)
{
    const struct cw_core_cache *const cache = &memory->blocks.cache;
    const struct cw_core_warps *const warps = &cache->warps;
    const struct cw_event e = {.type = CW_EVENT_MEMORY,
                               .core = warps->cfg.index,
                               .warp = i->m.warp,
                               .attempt = i->m.attempt,
                               .now = warps->now,
                               .u.access = {.uop = i->m.uop, .lanes = a->lanes << 32u * i->m.half, .addr = a->line}};
    cw_events_tell(warps->cfg.stream, &e);
}

static enum outcome line_access(struct cw_core_memory *memory, struct cw_core_inst *i)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    struct cw_core_cache *const cache = &memory->blocks.cache;
    if (!cw_core__pipe_has_room(memory))
        return BLOCKED;
    struct cw_pipe_entry e = {.ready = warps->cycle + warps->config->l1_pipeline - 1, .inst = i, .piece = i->piece};
    const uint32_t line_bytes = cw_core__uses_texture(cache, &i->m) ? cache->texture.line_bytes : cache->line_bytes;
    e.access = i->m.space == CW_SPACE_LOCAL ? next_local(memory, i) : next_line(memory, i, i->m.addr, line_bytes);
    bool more = i->lanes_left != 0;
    if (!more && ++i->piece < i->piece_cnt) {
        i->lanes_left = i->m.lanes;
        more = true;
    }
    i->m.accesses_pending += more; /* the last one takes over the hold */
    warps->warp[i->m.warp].piped++;
    cw_core__pipe_push(memory, &e);
    warps->cfg.stats->mem_accesses++;
    if (__builtin_expect(memory->unified || memory->pass.line > 1 || memory->pass.least > 1, 0))
        take_stage(memory, i, more, !more && i->piece_cnt <= 1 && e.access.lanes == i->m.lanes);
    else
        warps->cfg.stats->mem_stall_coalesce += more;
    if (cw_events_want(warps->cfg.stream, CW_EVENT_MEMORY))
        tell_access(memory, i, &e.access);
    return more ? AGAIN : DONE;
}

static enum outcome const_access(struct cw_core_memory *memory, struct cw_core_inst *i)
{
    static const enum outcome outcomes[] = {[CW_CONST_DONE] = DONE, [CW_CONST_MORE] = AGAIN, [CW_CONST_STALLED] = BLOCKED};
    return outcomes[cw_core__const_access(memory, i)];
}

static enum outcome serve_head(struct cw_core_memory *memory, struct cw_core_inst *i)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    if (i->m.space == CW_SPACE_GLOBAL || i->m.space == CW_SPACE_LOCAL) {
        if (memory->lsu.stage_free_at > warps->cycle && !memory->unified) /* in one pipeline stage_takes has asked */
            return AGAIN;
        return i->in_region ? region_access(memory, i) : line_access(memory, i);
    }
    if (i->m.space != CW_SPACE_SHARED)
        return const_access(memory, i);
    if (memory->lsu.shared_free_at > warps->cycle)
        return AGAIN;
    cw_core__shared_access(memory, i);
    return DONE;
}

/* When what the head needs is free. */
static uint64_t head_waits_for(const struct cw_core_memory *memory)
{
    const struct cw_core_inst *i = memory->lsu.queue[memory->lsu.head];
    return i->m.space == CW_SPACE_SHARED  ? memory->lsu.shared_free_at
           : i->m.space >= CW_SPACE_CONST ? memory->constants.free_at
           : i->chunk_left == 0           ? memory->lsu.stage_free_at
                                          : 0;
}

/* The same, next cycle at the earliest. */
static uint64_t head_free_at(const struct cw_core_memory *memory)
{
    const struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    const uint64_t at = head_waits_for(memory);
    return at > warps->cycle ? at : warps->cycle + 1;
}

/* ---- one pipeline (core.pipeline=unified) ---- */

/* When the memory stage takes another access. */
static uint64_t stage_free_at(const struct cw_core_memory *memory)
{
    const uint64_t shared = memory->lsu.shared_free_at > memory->constants.free_at ? memory->lsu.shared_free_at : memory->constants.free_at;
    return memory->lsu.stage_free_at > shared ? memory->lsu.stage_free_at : shared;
}

/* Whether the head may go on in this cycle; the pipe behind the stage does not close up, so it stands still when its end does. */
static __attribute__((noinline)) bool stage_takes(struct cw_core_memory *memory, const struct cw_core_inst *i)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    if (memory->pipe.stalled_at != CW_CYCLE_NEVER)
        return false;
    if (i->chunk_left != 0 || stage_free_at(memory) <= warps->cycle)
        return true;
    memory->lsu.next = stage_free_at(memory);
    return false;
}

/* An instruction that issues now reaches the stage after mem_stages cycles. */
__attribute__((noinline)) bool cw_core__memory_stalls(const struct cw_core_memory *memory, uint64_t *until)
{
    const struct cw_core_cache *const cache = &memory->blocks.cache;
    const struct cw_core_warps *const warps = &cache->warps;
    const uint64_t last = stage_free_at(memory);
    const bool head = warps->mem_queue.cnt != 0 && memory->lsu.queue[memory->lsu.head]->arrives <= warps->cycle;
    const bool stalls = head || memory->pipe.stalled_at != CW_CYCLE_NEVER;
    *until = stalls ? CW_CYCLE_NEVER : last - memory->mem_stages;
    return stalls || last > warps->cycle + memory->mem_stages;
}

static void leave_queue(struct cw_core_memory *memory, uint32_t w)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    if (--warps->warp[w].queued == 0 && warps->warp[w].wait == CW_WAIT_PIPE)
        cw_core__settled(&memory->blocks, w);
}

void cw_core__lsu_tick(struct cw_core_memory *memory)
{
    struct cw_core_cache *const cache = &memory->blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    struct cw_core_inst *i = memory->lsu.queue[memory->lsu.head];
    if (i->arrives > warps->cycle) {
        memory->lsu.next = i->arrives;
        return;
    }
    if (__builtin_expect(memory->unified, 0) && !stage_takes(memory, i))
        return;
    const uint32_t w = i->m.warp; /* the instruction may be complete when it is done here */
    enum outcome o = AGAIN;
    cw_time again = CW_TIME_NEVER;
    if (i->asked < warps->mech_cnt) {
        if (head_waits_for(memory) > warps->cycle) { /* how early a mechanism is asked must not depend on who else wakes the core */
            memory->lsu.next = head_free_at(memory);
            return;
        }
        o = ask_mechanisms(memory, i, &again);
    }
    if (i->asked == warps->mech_cnt)
        o = serve_head(memory, i);
    if (o == DONE) {
        leave_queue(memory, w);
        memory->lsu.head = (memory->lsu.head + 1) % memory->lsu.cap;
        warps->mem_queue.cnt--;
    }
    if (warps->mem_queue.cnt > 0 && o != BLOCKED) {
        memory->lsu.next = head_free_at(memory);
    } else if (again != CW_TIME_NEVER) {
        memory->lsu.next = again / warps->period > warps->cycle ? again / warps->period : warps->cycle + 1;
    }
}

void cw_core__refuse(struct cw_core_memory *memory, const struct cw_mem_inst *inst, const char *text)
{
    struct cw_core_warps *const warps = &memory->blocks.cache.warps;
    cw_core__fault(warps, inst->warp, inst->half * CW_LANES + cw_lanes_first(inst->lanes), inst->uop, CW_EFAULT, "%s", text);
}
