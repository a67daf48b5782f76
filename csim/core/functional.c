/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core without time. A warp executes instruction after instruction until it has to wait, so its registers stay in the host's caches. Warps
 * that poll memory give way to others soon: what they wait for is another one's work.
 */
#include "core/functional.h"

#include "core/core_local.h"
#include "core/core_state.h"
#include "core/native_private.h"
#include "mem/direct.h"

#define TURN_INSTRUCTIONS 100000u /* of a warp in a turn, at the most */

/* ---- memory ---- */

/* Where byte `offset` behind each lane's address in its local memory lies in device memory. */
static void local_bytes(const struct cw_core *c, const struct cw_mem_inst *m, uint32_t offset, uint64_t at[CW_LANES])
{
    for (uint32_t left = (uint32_t)m->lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t addr = m->addr[lane] + offset;
        at[lane] = cw_core__local_word(c->cache, m->warp, m->half, lane, addr) + addr % 4;
    }
}

/* One element of each lane, in the 32-bit words in which local memory is interleaved. */
static void local_element(struct cw_functional *f, struct cw_mem_inst *m, uint32_t e)
{
    const uint32_t bytes = m->elem_bytes < 4 ? m->elem_bytes : 4;
    for (uint32_t first = 0; first < m->elem_bytes; first += 4) {
        uint64_t at[CW_LANES], word[CW_LANES];
        local_bytes(f->core, m, e * m->elem_bytes + first, at);
        if (m->uop->op == CW_OP_LD)
            cw_memory_load_lanes(f->memory, at, 0, (uint32_t)m->lanes, bytes, word);
        for (uint32_t left = (uint32_t)m->lanes; left != 0; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left);
            if (m->uop->op == CW_OP_LD)
                m->value[e][lane] |= word[lane] << 8 * first;
            else
                word[lane] = m->value[e][lane] >> 8 * first;
        }
        if (m->uop->op == CW_OP_ST)
            cw_memory_store_lanes(f->memory, at, 0, (uint32_t)m->lanes, bytes, word);
    }
}

/* An atomic of which nobody can tell in which order it came: integers, and nothing reads the result. */
static bool any_order(const struct cw_uop *u)
{
    const bool integer = u->type == CW_U32 || u->type == CW_S32 || u->type == CW_U64 || u->type == CW_S64;
    return (u->flags & CW_UF_UNREAD) != 0 && integer &&
           (u->atom == CW_ATOM_ADD || u->atom == CW_ATOM_MIN || u->atom == CW_ATOM_MAX || u->atom == CW_ATOM_AND || u->atom == CW_ATOM_OR ||
            u->atom == CW_ATOM_XOR);
}

/* Cores of other threads may do the same. */
static void beside_others(struct cw_functional *f, const struct cw_mem_inst *m)
{
    const struct cw_uop *u = m->uop;
    for (uint32_t left = (uint32_t)m->lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t old = 0, next; /* The first exchange tells what is there, where a load would race. */
        do
            next = cw_atomic_apply((enum cw_atom)u->atom, (enum cw_type)u->type, old, m->value[0][lane], m->value[1][lane]);
        while (!cw_memory_exchange(f->memory, m->addr[lane], m->elem_bytes, &old, next));
    }
}

/* In the order of the lanes: each sees what those before it have left. */
static void global_atomics(struct cw_functional *f, struct cw_mem_inst *m)
{
    const struct cw_uop *u = m->uop;
    uint64_t old[CW_LANES] = {0}, next[CW_LANES];
    if (f->has_others && any_order(u)) {
        beside_others(f, m);
        return;
    }
    for (uint32_t left = (uint32_t)m->lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left), one = left & -left;
        cw_memory_load_lanes(f->memory, m->addr, 0, one, m->elem_bytes, old);
        next[lane] = cw_atomic_apply((enum cw_atom)u->atom, (enum cw_type)u->type, old[lane], m->value[0][lane], m->value[1][lane]);
        cw_memory_store_lanes(f->memory, m->addr, 0, one, m->elem_bytes, next);
    }
    cw_core__write_old(f->core->warps, m, m->lanes, old);
}

static void global_access(struct cw_functional *f, struct cw_mem_inst *m)
{
    for (uint32_t e = 0; e < m->vec; e++) {
        const uint32_t offset = e * m->elem_bytes;
        if (m->space == CW_SPACE_LOCAL)
            local_element(f, m, e);
        else if (m->uop->op == CW_OP_LD)
            cw_memory_load_lanes(f->memory, m->addr, offset, (uint32_t)m->lanes, m->elem_bytes, m->value[e]);
        else
            cw_memory_store_lanes(f->memory, m->addr, offset, (uint32_t)m->lanes, m->elem_bytes, m->value[e]);
    }
    if (m->uop->op == CW_OP_LD)
        cw_core__write_back(f->core->warps, m, m->lanes);
}

/* The lanes of one space. */
static bool access_part(struct cw_functional *f, struct cw_mem_part *p)
{
    struct cw_core *c = f->core;
    const struct cw_uop *u = p->uop;
    struct cw_mem_inst m;
    if (!cw_core__check_part(c->memory, p))
        return false;
    if (p->lanes == 0)
        return true;
    m.uop = u;
    m.dynamic = NULL;
    m.warp = p->warp;
    m.half = p->half;
    m.lanes = p->lanes;
    m.space = (uint8_t)p->space;
    m.elem_bytes = (uint8_t)cw_type_bytes((enum cw_type)u->type);
    m.vec = u->op == CW_OP_ATOM ? 1 : u->vec;
    memcpy(m.addr, p->addr, sizeof m.addr);
    cw_core__read_values(c->memory, &m);
    cw_core__issued(c->warps, &m);
    if (u->op != CW_OP_LD && p->space != CW_SPACE_LOCAL && cw_core__checks(c->warps, CW_CHECK_SYNC))
        cw_core__note_side(c->blocks, p->warp, (cw_lanes)p->lanes << (CW_LANES * p->half));
    if (p->space == CW_SPACE_SHARED)
        cw_core__shared_perform(c->memory, &m);
    else if (u->op == CW_OP_ATOM)
        global_atomics(f, &m);
    else
        global_access(f, &m);
    if (u->op == CW_OP_ST && p->space != CW_SPACE_LOCAL)
        cw_core__progress(c->warps, &c->warps->warp[p->warp]);
    return true;
}

/* The lanes of one half. */
static bool access_half(struct cw_functional *f, const struct cw_issue_op *op, struct cw_mem_part p)
{
    const struct cw_uop *u = p.uop;
    uint64_t addr[CW_LANES];
    uint32_t lanes[CW_SPACE_PARAM + 1] = {0};
    cw_core__read_addresses(f->core->warps, p.warp, p.half, u, addr);
    if (u->space == CW_SPACE_GENERIC)
        cw_core__resolve(addr, p.lanes, lanes);
    else
        lanes[u->space] = p.lanes;
    p.addr = addr;
    p.op = op;
    for (p.space = CW_SPACE_GLOBAL; p.space <= CW_SPACE_LOCAL; p.space++) {
        p.lanes = lanes[p.space];
        if (p.lanes != 0 && !access_part(f, &p))
            return false;
    }
    struct cw_core_inst *none = NULL;
    return (lanes[CW_SPACE_CONST] | lanes[CW_SPACE_PARAM]) == 0 || cw_core__load_constants(f->core->memory, p, lanes, &none);
}

static bool access_memory(struct cw_functional *f, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, cw_lanes mask)
{
    if (u->op == CW_OP_ATOM || ((u->flags & CW_UF_VOLATILE) != 0 && u->op != CW_OP_ST))
        f->core->warps->warp[w].polled = true;
    for (uint32_t half = 0; half < f->core->warps->halves; half++) {
        const uint32_t lanes = cw_lanes_half(mask, half);
        if (lanes != 0 && !access_half(f, op, (struct cw_mem_part){.warp = w, .half = half, .lanes = lanes, .uop = u}))
            return false;
    }
    return true;
}

/* ---- regions: one lane after the other ---- */

static bool may_begin(void *self, uint32_t w, cw_lanes lanes, cw_time now)
{
    (void)self;
    (void)w;
    (void)lanes;
    (void)now;
    return true;
}

/* All lanes of the attempt but the first one wait for the next attempt; they have done nothing in this one. */
static void leave_first(struct cw_core *c, uint32_t w)
{
    const cw_lanes active = c->warps->front[w].active, others = active & ~cw_lanes_one(cw_lanes_first(active));
    if (others != 0)
        cw_core__region_abort(c->blocks, w, others);
}

static void attempt_ends(void *self, uint32_t w, cw_lanes lanes, cw_time now)
{
    struct cw_functional *f = self;
    (void)lanes;
    cw_core__region_end(f->core->blocks, w, now, now);
    cw_core__progress(f->core->warps, &f->core->warps->warp[w]);
    if (f->core->warps->warp[w].in_region)
        leave_first(f->core, w);
}

static bool begin_region(struct cw_core *c, uint32_t w, cw_lanes mask)
{
    const bool inside = c->warps->warp[w].in_region;
    if (!cw_core__region_begin(c->blocks, w, c->warps->front[w].active, mask))
        return false;
    if (!inside && c->warps->warp[w].in_region)
        leave_first(c, w);
    return true;
}

int cw_functional_attach(struct cw_functional *f, struct cw_error *err)
{
    static const struct cw_core_sockets sockets = {.region_begin = may_begin, .region_end = attempt_ends};
    return cw_core_attach(f->core, &sockets, f, NULL, err);
}

/* ---- instructions ---- */

static cw_lanes guarded(const struct cw_core_warps *warps, uint32_t w, const struct cw_uop *u)
{
    const cw_lanes active = warps->front[w].active;
    cw_lanes lanes = 0;
    if (u->guard < 0)
        return active;
    for (uint32_t half = 0; half < warps->halves; half++)
        lanes |= (cw_lanes)cw_exec_guard(u, &warps->warp[w].x[half], cw_lanes_half(active, half)) << (CW_LANES * half);
    return lanes;
}

static void execute(const struct cw_core_warps *warps, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    for (uint32_t half = 0; half < warps->halves; half++)
        if (cw_lanes_half(mask, half) != 0)
            u->exec(u, &warps->warp[w].x[half], cw_lanes_half(mask, half));
}

/* The time that a program can ask for: instructions, as if each took one cycle. */
static void tell_time(struct cw_core *c, uint32_t w)
{
    for (uint32_t half = 0; half < c->warps->halves; half++) {
        struct cw_exec *x = &c->warps->warp[w].x[half];
        x->clock = c->warps->cycle;
        x->globaltimer_ns = c->warps->cycle * 1000u / c->warps->config->clock_core_mhz;
    }
}

static void branch(struct cw_core *c, uint32_t w, const struct cw_uop *u, uint32_t pc, cw_lanes mask)
{
    if (cw_core__checks(c->warps, CW_CHECK_SYNC))
        cw_core__note_side(c->blocks, w, 0);
    if (u->op == CW_OP_BRA) {
        c->warps->control->ops->branch(c->warps->control, w, mask, &c->issue.branch[pc]);
        if (mask != 0 && u->target <= pc)
            cw_core__backward_branch(c->warps, &c->warps->warp[w], u);
        return;
    }
    uint32_t target[CW_WARP_LANES_MAX];
    if (cw_core__indexed_targets(&c->issue, w, u, pc, mask, target))
        c->warps->control->ops->branch_indexed(c->warps->control, w, target, &c->issue.branch[pc]);
}

static void leave(struct cw_core *c, uint32_t w, const struct cw_uop *u, uint32_t pc, cw_lanes mask)
{
    const bool all = mask == c->warps->front[w].active;
    if (mask != 0 && c->warps->warp[w].in_region)
        cw_core__fault(c->warps, w, cw_lanes_first(mask), u, CW_EFAULT, "exit inside a transaction");
    else if (mask != 0)
        cw_core__exit_lanes(c->blocks, w, mask);
    if (!all)
        cw_control_advance(c->warps->control, w, pc + 1);
}

/* Instructions after which the warp may stand anywhere, or wait. They say themselves where it goes on. */
static void steer(struct cw_core *c, uint32_t w, const struct cw_uop *u, enum cw_issue_kind kind, uint32_t pc, cw_lanes mask)
{
    switch (kind) {
    case CW_ISSUE_BRANCH:
    case CW_ISSUE_BRANCH_INDEXED:
        branch(c, w, u, pc, mask);
        break;
    case CW_ISSUE_EXIT:
        leave(c, w, u, pc, mask);
        break;
    case CW_ISSUE_BARRIER:
        if (mask != 0 && cw_core__barrier_waits(c->blocks, w, u, mask))
            break;
        cw_control_advance(c->warps->control, w, pc + 1);
        cw_core__barrier(c->blocks, w, u, mask);
        break;
    case CW_ISSUE_REGION_BEGIN:
        begin_region(c, w, mask);
        break;
    default:
        cw_core__region_reach(c->blocks, w, mask);
        break;
    }
}

/* Instructions behind which the warp goes on. false: a fault. */
static bool perform(struct cw_functional *f, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, cw_lanes mask)
{
    struct cw_core *c = f->core;
    switch (op->kind) {
    case CW_ISSUE_CLOCK:
        tell_time(c, w);
        execute(c->warps, w, u, mask);
        return true;
    case CW_ISSUE_SPECIAL:
        execute(c->warps, w, u, mask);
        return true;
    case CW_ISSUE_WARP:
        if (mask != c->warps->warp[w].live && !cw_core__members_came(c->blocks, w, u, mask))
            return false;
        execute(c->warps, w, u, mask);
        return true;
    case CW_ISSUE_WARP_BARRIER:
        if (cw_core__checks(c->warps, CW_CHECK_SYNC))
            cw_core__find_strangers(c->blocks, w, u, mask);
        cw_core__synced(c->warps, w, CW_SYNC_WARP, mask, 0);
        return mask == c->warps->warp[w].live || cw_core__members_came(c->blocks, w, u, mask);
    case CW_ISSUE_FENCE:
        cw_core__synced(c->warps, w, CW_SYNC_FENCE, mask, u->scope);
        return true;
    case CW_ISSUE_MEM:
    case CW_ISSUE_CONST:
        return access_memory(f, w, u, op, mask);
    case CW_ISSUE_PRINT:
        return cw_core__print(&c->issue, w, u, mask);
    case CW_ISSUE_TRAP:
        cw_core__trap(&c->issue, w, u, mask);
        return false;
    default: /* the calls of a persistency model order what is in order */
        return true;
    }
}

static bool steers(enum cw_issue_kind kind)
{
    return kind == CW_ISSUE_BRANCH || kind == CW_ISSUE_BRANCH_INDEXED || kind == CW_ISSUE_EXIT || kind == CW_ISSUE_BARRIER ||
           kind == CW_ISSUE_REGION_BEGIN || kind == CW_ISSUE_REGION_END;
}

/* Lanes on several sides of a branch execute one operation across lanes. Returns them. */
static __attribute__((noinline)) cw_lanes step_together(const struct cw_functional *f, uint32_t w, const struct cw_uop *u)
{
    struct cw_core *c = f->core;
    struct cw_exec_side side[CW_LANES];
    const uint32_t cnt = cw_core__guarded_sides(c->warps, w, side);
    cw_lanes mask = 0;
    for (uint32_t i = 0; i < cnt; i++)
        mask |= side[i].lanes;
    if (mask != c->warps->warp[w].live && !cw_core__members_came(c->blocks, w, u, mask))
        return mask;
    if (cnt != 0)
        cw_exec_together(side, cnt, &c->warps->warp[w].x[0]);
    c->warps->control->ops->part(c->warps->control, w);
    return mask;
}

/* The instruction at the warp's front. Returns the lanes that execute it. */
static inline cw_lanes step(struct cw_functional *f, uint32_t w)
{
    struct cw_core *c = f->core;
    const uint32_t pc = cw_core__pc(c->warps, w);
    const struct cw_uop *u = &c->warps->uop[pc];
    const struct cw_issue_op *op = &c->warps->op[pc];
    c->warps->cycle++;
    if (op->kind == CW_ISSUE_WARP && cw_core__guests(c->warps, w) != 0)
        return step_together(f, w, u);
    const cw_lanes mask = guarded(c->warps, w, u);
    if (op->kind == CW_ISSUE_EXEC || op->kind == CW_ISSUE_RIDES)
        execute(c->warps, w, u, mask);
    else if (steers((enum cw_issue_kind)op->kind))
        steer(c, w, u, (enum cw_issue_kind)op->kind, pc, mask);
    else if (mask != 0 && !perform(f, w, u, op, mask))
        return mask;
    if (!steers((enum cw_issue_kind)op->kind))
        cw_control_advance(c->warps->control, w, pc + 1);
    return mask;
}

/* ---- warps ---- */

static bool can_run(const struct cw_core_warps *warps, uint32_t w)
{
    return warps->warp[w].wait == CW_WAIT_NONE && warps->front[w].active != 0;
}

/* What the control policy does in time, it does at once. */
static inline void settle(struct cw_core_blocks *blocks)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    while (__builtin_expect(blocks->control_next != CW_CYCLE_NEVER, 0))
        blocks->control_next = warps->control->ops->tick(warps->control, warps->cycle);
}

/* Whether the warp's turn is over, behind the instruction at pc. */
static inline bool gives_way(const struct cw_core *c, uint32_t w, uint32_t pc, uint64_t since)
{
    const struct cw_warp *warp = &c->warps->warp[w];
    if (c->warps->faulted || !can_run(c->warps, w) || c->warps->cycle - since >= TURN_INSTRUCTIONS)
        return true;
    const bool polls = c->warps->op[pc].kind == CW_ISSUE_BRANCH && warp->spin != 0 && warp->spin % CW_TURN_POLLS == 0;
    return (polls || c->warps->op[pc].kind == CW_ISSUE_SLEEP) && !warp->in_region;
}

/* Returns whether the warp did more than poll. */
static bool run_warp(struct cw_functional *f, uint32_t w)
{
    struct cw_core *c = f->core;
    const uint64_t since = c->warps->cycle;
    uint64_t threads = 0;
    uint32_t pc;
    do {
        if (f->native != NULL) {
            threads += cw_core__native_run(f->native, c->memory, c->issue.branch, w, TURN_INSTRUCTIONS - (c->warps->cycle - since));
            if (c->warps->cycle - since == TURN_INSTRUCTIONS)
                break;
        }
        pc = cw_core__pc(c->warps, w);
        threads += cw_lanes_count(step(f, w));
        settle(c->blocks);
    } while (!gives_way(c, w, pc, since));
    f->warp_instructions += c->warps->cycle - since;
    f->thread_instructions += threads;
    return c->warps->warp[w].spin == 0;
}

bool cw_functional_turn(struct cw_functional *f)
{
    struct cw_core *c = f->core;
    const uint32_t first = f->in_region ? f->warp : 0;
    bool any = false;
    f->spins = true;
    f->in_region = false;
    for (uint32_t w = first; w < f->slots && !c->warps->faulted && !f->in_region; w++) {
        if (!can_run(c->warps, w))
            continue;
        any = true;
        f->spins &= !run_warp(f, w);
        f->in_region = c->warps->warp[w].in_region;
        f->warp = w;
    }
    return any;
}

void cw_functional_native(struct cw_functional *f, struct cw_native *n)
{
    f->native = cw_core__native_launch(n, f->core->memory, f->memory) ? n : NULL;
}

static bool reads_core(const struct cw_uop *u)
{
    for (uint32_t i = 0; i < CW_UOP_SRCS; i++)
        if (u->src[i].kind == CW_OPND_SREG && u->src[i].idx == CW_SREG_SMID)
            return true;
    return false;
}

static bool is_apart(const struct cw_uop *u, enum cw_issue_kind kind)
{
    switch (kind) {
    case CW_ISSUE_MEM:
        if (u->op == CW_OP_ATOM)
            return u->space == CW_SPACE_SHARED || any_order(u);
        return u->space == CW_SPACE_SHARED || u->op == CW_OP_ST || (u->flags & CW_UF_VOLATILE) == 0;
    case CW_ISSUE_CLOCK:
    case CW_ISSUE_SLEEP:
    case CW_ISSUE_REGION_BEGIN:
    case CW_ISSUE_REGION_END:
    case CW_ISSUE_INTRINSIC:
    case CW_ISSUE_PRINT:
        return false;
    default:
        return !reads_core(u);
    }
}

bool cw_functional_apart(const struct cw_functional *f)
{
    const struct cw_core_warps *warps = f->core->warps;
    bool apart = warps->launch->grid_workspace == 0;
    for (uint32_t i = 0; apart && i < warps->launch->kernel->uop_cnt; i++)
        apart = is_apart(&warps->uop[i], (enum cw_issue_kind)warps->op[i].kind);
    return apart;
}

void cw_functional_start_block(struct cw_functional *f, const uint32_t ctaid[3])
{
    cw_core__start_block(f->core->blocks, ctaid, f->core->warps->cycle * f->core->warps->period);
    settle(f->core->blocks);
    for (f->slots = f->core->warps->slots; f->core->warps->warp[f->slots - 1].wait == CW_WAIT_FREE;)
        f->slots--;
}
