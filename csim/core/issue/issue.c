/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedulers and issue: one warp instruction per scheduler, executed at once, its timing left to the scoreboard.
 *
 * The host spends much of its time between the scheduler and the end of an instruction, so all of that is inlined into the core's tick.
 * What is rare is a call (noinline): the compiler gives up where a function gets too large.
 */
#include "core/issue/issue.h"

static __attribute__((noinline)) uint32_t dynamic_guard(const struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u,
                                                        uint32_t active)
{
    const struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    struct cw_part p;
    uint32_t lanes = 0;
    for (uint32_t i = 0; cw_core__part(warps, warps->warp[w].dynamic, w, 0, i, &p); i++)
        lanes |= cw_exec_guard(u, p.x, active & p.lanes);
    return lanes;
}

/* The warp's lanes whose guard is true. */
static inline __attribute__((always_inline)) cw_lanes guard(const struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u)
{
    const struct cw_core_blocks *const blocks = &issue->memory.blocks;
    const struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    const struct cw_exec *x = warps->warp[w].x;
    const cw_lanes active = warps->front[w].active;
    if (u->guard < 0)
        return active;
    if (blocks->dynamic != NULL)
        return dynamic_guard(issue, w, u, (uint32_t)active);
    cw_lanes lanes = cw_exec_guard(u, &x[0], cw_lanes_half(active, 0));
    for (uint32_t half = 1; half < warps->halves; half++)
        lanes |= (cw_lanes)cw_exec_guard(u, &x[half], cw_lanes_half(active, half)) << (CW_LANES * half);
    return lanes;
}

/* When the warp may issue again; without an instruction buffer, a taken branch and the like costs a fetch. from is the PC of the
 * instruction that issued. */
static inline __attribute__((always_inline)) void set_fetch(struct cw_core_issue *issue, uint32_t w, uint32_t from)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    const bool taken = warps->buffer == 0 && cw_core__pc(warps, w) != from + 1;
    warps->warp[w].not_before = warps->cycle + (taken ? warps->config->core_fetch_cycles : warps->stage);
}

/* Cycle from which the results of the instruction that is issuing may be used. */
static inline __attribute__((always_inline)) uint64_t result_cycle(struct cw_core_issue *issue, const struct cw_issue_op *op, uint32_t w)
{
    struct cw_core_blocks *const blocks = &issue->memory.blocks;
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    const uint64_t cycle = warps->started + blocks->result_stages + op->latency;
    return __builtin_expect(warps->collects, 0) ? cw_operands_write(&issue->operands, op, w, cycle, warps->cycle) : cycle;
}

static __attribute__((noinline)) void set_clock(const struct cw_core_issue *issue, struct cw_exec *x)
{
    const struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    x->clock = warps->cycle;
    x->globaltimer_ns = (uint64_t)((unsigned __int128)warps->now * 1000u / warps->cfg.clocks->units_per_us);
}

/* Home after home. */
static __attribute__((noinline)) void execute_dynamic(struct cw_core_issue *issue, struct cw_warp *warp, const struct cw_uop *u,
                                                      const struct cw_issue_op *op, uint32_t mask)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    const struct cw_dynamic_warp *dynamic = warp->dynamic;
    for (uint32_t i = 0; i < dynamic->cnt; i++) {
        struct cw_exec *x = &warps->warp[dynamic->part[i].home].x[0];
        if (op->kind == CW_ISSUE_CLOCK)
            set_clock(issue, x);
        if ((dynamic->part[i].lanes & mask) != 0)
            u->exec(u, x, dynamic->part[i].lanes & mask);
    }
    cw_core__set_slots(warps, dynamic, 0, op, result_cycle(issue, op, (uint32_t)(warp - warps->warp)));
}

static inline __attribute__((always_inline)) void execute(struct cw_core_issue *issue, struct cw_warp *warp, const struct cw_uop *u,
                                                          const struct cw_issue_op *op, cw_lanes mask)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    struct cw_core_blocks *const blocks = &issue->memory.blocks;
    if (mask == 0)
        return;
    if (blocks->dynamic != NULL) {
        execute_dynamic(issue, warp, u, op, (uint32_t)mask);
        return;
    }
    for (uint32_t half = 0; op->kind == CW_ISSUE_CLOCK && half < warps->halves; half++)
        set_clock(issue, &warp->x[half]);
    if (cw_lanes_half(mask, 0) != 0)
        u->exec(u, &warp->x[0], cw_lanes_half(mask, 0));
    if (cw_lanes_half(mask, 1) != 0)
        u->exec(u, &warp->x[1], cw_lanes_half(mask, 1));
    cw_scoreboard_set(warp->slot_cycle, op, result_cycle(issue, op, (uint32_t)(warp - warps->warp)));
}

__attribute__((noinline)) bool cw_core__indexed_targets(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, uint32_t pc,
                                                        cw_lanes mask, uint32_t *target)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    const struct cw_brx_table *t = &warps->launch->kernel->brx[u->target];
    uint64_t index[CW_WARP_LANES_MAX];
    cw_core__read_warp(warps, w, u->src[0], index);
    for (cw_lanes left = warps->front[w].active; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        target[lane] = pc + 1;
        if (!cw_lanes_has(mask, lane))
            continue;
        if (index[lane] >= t->cnt) {
            cw_core__fault(warps, w, lane, u, CW_EFAULT, "index beyond the branch table of %u targets", t->cnt);
            return false;
        }
        target[lane] = t->target[index[lane]];
    }
    return true;
}

/* Who wants to know where threads go. target: of an indexed branch, else NULL. */
static __attribute__((noinline)) void tell_branch(const struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, cw_lanes mask,
                                                  const uint32_t *target)
{
    const struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    const struct cw_core_warps *const warps = &cache->warps;
    const struct cw_control_ops *ops = warps->control->ops;
    if (u->op == CW_OP_BRA && u->guard < 0)
        return;
    const cw_lanes once = warps->front[w].active & ~(ops->repeats != NULL ? ops->repeats(warps->control, w) : 0);
    const struct cw_event e = {
        .type = CW_EVENT_BRANCH,
        .core = warps->cfg.index,
        .warp = w,
        .attempt = warps->warp[w].attempt,
        .now = warps->now,
        .u.branch = {.uop = u, .taken = once & mask, .falls = once & ~mask, .target = target},
    };
    cw_events_tell(warps->cfg.stream, &e);
}

static __attribute__((noinline)) void tell_branched(const struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, bool diverged)
{
    const struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    const struct cw_core_warps *const warps = &cache->warps;
    const struct cw_event e = {.type = CW_EVENT_BRANCHED,
                               .core = warps->cfg.index,
                               .warp = w,
                               .attempt = warps->warp[w].attempt,
                               .now = warps->now,
                               .u.branched = {u, diverged}};
    cw_events_tell(warps->cfg.stream, &e);
}

static void branch(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, uint32_t pc, cw_lanes mask)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_blocks *const blocks = &issue->memory.blocks;
    struct cw_core_warps *const warps = &cache->warps;
    if (cw_core__checks(warps, CW_CHECK_SYNC))
        cw_core__note_side(blocks, w, 0);
    const struct cw_branch *b = &issue->branch[pc];
    const bool told = __builtin_expect((warps->taken & CW_SOCKET_BRANCH) != 0, 0);
    bool diverged;
    if (u->op == CW_OP_BRA) {
        if (told)
            tell_branch(issue, w, u, mask, NULL);
        diverged = warps->control->ops->branch(warps->control, w, mask, b);
    } else {
        uint32_t target[CW_WARP_LANES_MAX];
        if (!cw_core__indexed_targets(issue, w, u, pc, mask, target))
            return;
        if (told)
            tell_branch(issue, w, u, mask, target);
        diverged = warps->control->ops->branch_indexed(warps->control, w, target, b);
    }
    warps->cfg.stats->branches++;
    warps->cfg.stats->branches_divergent += diverged;
    if (__builtin_expect((warps->taken & CW_SOCKET_BRANCHED) != 0, 0))
        tell_branched(issue, w, u, diverged);
    if (mask != 0 && u->op == CW_OP_BRA && u->target <= pc)
        cw_core__backward_branch(warps, &warps->warp[w], u);
}

/* Unless the mechanism has said what it is to wait for (cw_core_settle). */
static void wait_for_mechanism(struct cw_warp *warp)
{
    if (warp->wait == CW_WAIT_NONE)
        warp->wait = CW_WAIT_MECH;
}

/* A fence is a release and an acquire. */
static bool fence(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_blocks *const blocks = &issue->memory.blocks;
    struct cw_core_warps *const warps = &cache->warps;
    if (!cw_core__order_release(blocks, w, u->scope))
        return false;
    if ((warps->taken & CW_SOCKET_FENCE) != 0)
        cw_core__tell_mechanisms(warps);
    for (uint32_t i = 0; (warps->taken & CW_SOCKET_FENCE) != 0 && i < warps->mech_cnt; i++)
        if (warps->mech[i].sockets->fence != NULL && !warps->mech[i].sockets->fence(warps->mech[i].self, w, u, warps->now)) {
            wait_for_mechanism(&warps->warp[w]);
            return false;
        }
    cw_core__order_acquired(blocks, u->scope);
    if (__builtin_expect((warps->taken & CW_SOCKET_PM) != 0, 0))
        cw_core__tell_fence(warps, w, u, mask);
    return true;
}

/* Mechanisms let the warp arrive at a barrier. */
static bool may_arrive(struct cw_core_issue *issue, uint32_t w)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    if ((warps->taken & CW_SOCKET_BARRIER) == 0)
        return true;
    cw_core__tell_mechanisms(warps);
    for (uint32_t i = 0; i < warps->mech_cnt; i++)
        if (warps->mech[i].sockets->barrier != NULL && !warps->mech[i].sockets->barrier(warps->mech[i].self, w, warps->now)) {
            wait_for_mechanism(&warps->warp[w]);
            return false;
        }
    return true;
}

static __attribute__((noinline)) bool constant(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u,
                                               const struct cw_issue_op *op, cw_lanes mask)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    for (uint32_t half = 0; half < warps->halves; half++) {
        struct cw_mem_inst m = {.uop = u, .dynamic = warps->warp[w].dynamic, .warp = w, .half = half, .space = u->space, .vec = u->vec};
        m.lanes = cw_lanes_half(mask, half);
        m.elem_bytes = (uint8_t)cw_type_bytes((enum cw_type)u->type);
        if (m.lanes == 0)
            continue;
        cw_core__read_addresses(warps, w, half, u, m.addr);
        if (!cw_core__const_check(&issue->memory, &m))
            return false;
        cw_core__const_load(&issue->memory, &m, op);
    }
    return true;
}

/* A call of an intrinsic; op->owner carries it out. */
static __attribute__((noinline)) bool intrinsic(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u,
                                                const struct cw_issue_op *op, cw_lanes mask)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    struct cw_warp *warp = &warps->warp[w];
    struct cw_core_call call = {.uop = u, .warp = w, .lanes = mask};
    if (mask == 0)
        return true;
    const struct cw_core_mech *m = op->owner < warps->mech_cnt ? &warps->mech[op->owner] : NULL;
    if (m == NULL || m->sockets->intrinsic == NULL) {
        cw_core__fault(warps, w, cw_lanes_first(mask), u, CW_EFAULT, "no mechanism carries out %s", u->intrinsic->name);
        return false;
    }
    for (uint32_t i = 0; i < u->src_cnt; i++)
        cw_core__read_warp(warps, w, u->src[i], call.arg[i]);
    cw_core__tell_mechanisms(warps);
    if (!m->sockets->intrinsic(m->self, &call, warps->now)) {
        wait_for_mechanism(warp);
        return false;
    }
    if ((warps->taken & CW_SOCKET_PM) != 0 && u->intrinsic->order != 0)
        cw_core__tell_call(warps, &call);
    if (u->dst_cnt != 0)
        cw_core__write_warp(warps, w, u->dst[0], u->intrinsic->result, mask, call.result);
    cw_core__set_slots(warps, warp->dynamic, w, op, result_cycle(issue, op, w));
    return true;
}

static __attribute__((noinline)) void nap(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_blocks *const blocks = &issue->memory.blocks;
    struct cw_core_warps *const warps = &cache->warps;
    uint64_t ns[CW_WARP_LANES_MAX], longest = 0;
    cw_core__read_warp(warps, w, u->src[0], ns);
    for (; mask != 0; mask = cw_lanes_rest(mask)) {
        uint64_t t = ns[cw_lanes_first(mask)];
        longest = t > longest ? t : longest;
    }
    longest = longest > 1000000u ? 1000000u : longest; /* PTX: at most one millisecond */
    const uint64_t cycles = longest * warps->config->clock_core_mhz / 1000u;
    warps->warp[w].not_before = warps->cycle + 1 + cycles;
    cw_core__note_wait(blocks, cycles);
    if (warps->stalls != NULL)
        warps->stalls->delay[w] = CW_STALL_SLEEP;
}

static __attribute__((noinline)) bool leave(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, uint32_t pc, cw_lanes mask)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_blocks *const blocks = &issue->memory.blocks;
    struct cw_core_warps *const warps = &cache->warps;
    if (mask != 0 && warps->warp[w].in_region) {
        cw_core__fault(warps, w, cw_lanes_first(mask), u, CW_EFAULT, "exit inside a transaction");
        return false;
    }
    const bool all = mask == warps->front[w].active;
    if (mask != 0)
        cw_core__exit_lanes(blocks, w, mask);
    if (!all)
        cw_control_advance(warps->control, w, pc + 1);
    return true;
}

/* Control instructions other than branches. Returns false when the warp has to wait and try again. */
static bool control(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, uint32_t pc,
                    cw_lanes mask)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    struct cw_core_blocks *const blocks = &issue->memory.blocks;
    switch (op->kind) {
    case CW_ISSUE_EXIT:
        return leave(issue, w, u, pc, mask);
    case CW_ISSUE_TRAP:
        if (mask != 0)
            cw_core__trap(issue, w, u, mask);
        break;
    case CW_ISSUE_BARRIER:
        if (mask != 0 && (!may_arrive(issue, w) || cw_core__barrier_waits(blocks, w, u, mask)))
            return false;
        if (blocks->dynamic == NULL || mask == 0) /* a dynamic warp stays at its barrier until it may go on */
            cw_control_advance(warps->control, w, pc + 1);
        cw_core__barrier(blocks, w, u, mask);
        return !warps->faulted;
    case CW_ISSUE_WARP_BARRIER:
        if (mask != warps->warp[w].live && !cw_core__members_came(blocks, w, u, mask))
            return false;
        if (cw_core__checks(warps, CW_CHECK_SYNC))
            cw_core__find_strangers(blocks, w, u, mask);
        cw_core__synced(warps, w, CW_SYNC_WARP, mask, 0);
        break;
    case CW_ISSUE_SLEEP:
        cw_control_advance(warps->control, w, pc + 1);
        set_fetch(issue, w, pc);
        nap(issue, w, u, mask);
        return true;
    case CW_ISSUE_REGION_BEGIN:
        return cw_core__region_begin(blocks, w, warps->front[w].active, mask);
    case CW_ISSUE_REGION_END:
        cw_core__region_reach(blocks, w, mask);
        return !warps->faulted;
    default:
        break;
    }
    cw_control_advance(warps->control, w, pc + 1);
    return !warps->faulted;
}

static bool issue_riders(struct cw_core_issue *issue, uint32_t w, uint32_t pc, cw_lanes mask);
static void count_other(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, cw_lanes mask);

/* Lanes on several sides of a branch execute one operation across lanes. */
static __attribute__((noinline)) bool perform_together(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u)
{
    struct cw_core_blocks *const blocks = &issue->memory.blocks;
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_exec_side side[CW_LANES];
    const uint32_t cnt = cw_core__guarded_sides(warps, w, side), pc = cw_core__pc(warps, w);
    cw_lanes mask = 0;
    for (uint32_t i = 0; i < cnt; i++)
        mask |= side[i].lanes;
    if (mask != warps->warp[w].live && !cw_core__members_came(blocks, w, u, mask))
        return false;
    if (cnt != 0)
        cw_exec_together(side, cnt, &warps->warp[w].x[0]);
    for (uint32_t i = 0; i < cnt; i++) {
        const struct cw_issue_op *op = &warps->op[side[i].uop - warps->uop];
        cw_scoreboard_set(warps->warp[w].slot_cycle, op, result_cycle(issue, op, w));
        if (side[i].uop != u)
            count_other(issue, w, side[i].uop, side[i].lanes);
    }
    if (cw_core__wants_strong(warps))
        cw_core__tell_exchange(warps, w, mask);
    warps->control->ops->part(warps->control, w);
    set_fetch(issue, w, pc);
    return true;
}

/* A wide load has issued: true, for who asks that. Its other parts are instructions of the text, too. */
static __attribute__((noinline)) bool pass_parts(struct cw_core_issue *issue, uint32_t w, uint32_t pc, uint32_t parts, cw_lanes mask)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    for (uint32_t i = 1; i < parts; i++) {
        if (cw_events_want(warps->cfg.stream, CW_EVENT_BEFORE))
            cw_core__tell_stream(warps, CW_EVENT_BEFORE, w, &warps->uop[pc + i], mask);
        count_other(issue, w, &warps->uop[pc + i], mask);
    }
    warps->warp[w].buffer_next = pc + parts;
    cw_control_advance_over(warps->control, w, pc + parts);
    set_fetch(issue, w, pc + parts - 1);
    return true;
}

/* Executes the instruction at the warp's front. false: it did not issue. */
static inline __attribute__((always_inline)) bool perform(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u,
                                                          const struct cw_issue_op *op, uint32_t pc, cw_lanes mask)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_blocks *const blocks = &issue->memory.blocks;
    struct cw_core_warps *const warps = &cache->warps;
    switch (op->kind) {
    case CW_ISSUE_EXEC:
    case CW_ISSUE_CLOCK:
        execute(issue, &warps->warp[w], u, op, mask);
        break;
    case CW_ISSUE_SPECIAL:
        execute(issue, &warps->warp[w], u, op, mask);
        cw_core__pass_special(&issue->memory, w, op, mask);
        break;
    case CW_ISSUE_WARP:
        if (__builtin_expect(cw_core__guests(warps, w) != 0, 0))
            return perform_together(issue, w, u);
        if (mask != warps->warp[w].live && !cw_core__members_came(blocks, w, u, mask))
            return false;
        execute(issue, &warps->warp[w], u, op, mask);
        if (cw_core__wants_strong(warps))
            cw_core__tell_exchange(warps, w, mask);
        break;
    case CW_ISSUE_MEM:
        if (!cw_core__issue_mem(&issue->memory, w, u, op, mask))
            return false;
        if (__builtin_expect(op->parts > 1, 0))
            return pass_parts(issue, w, pc, op->parts, mask);
        break;
    case CW_ISSUE_CONST:
        if (!constant(issue, w, u, op, mask))
            return false;
        break;
    case CW_ISSUE_FENCE:
        if (mask != 0 && !fence(issue, w, u, mask))
            return false;
        cw_core__synced(warps, w, CW_SYNC_FENCE, mask, u->scope);
        break;
    case CW_ISSUE_INTRINSIC:
        if (!intrinsic(issue, w, u, op, mask))
            return false;
        break;
    case CW_ISSUE_PRINT:
        if (mask != 0 && !cw_core__print(issue, w, u, mask))
            return false;
        cw_core__set_slots(warps, warps->warp[w].dynamic, w, op, result_cycle(issue, op, w));
        break;
    case CW_ISSUE_BRANCH:
    case CW_ISSUE_BRANCH_INDEXED:
        branch(issue, w, u, pc, mask);
        set_fetch(issue, w, pc);
        return !warps->faulted;
    case CW_ISSUE_RIDES:
        return issue_riders(issue, w, pc, mask);
    default:
        warps->warp[w].not_before = warps->cycle + warps->stage;
        return control(issue, w, u, op, pc, mask);
    }
    cw_control_advance(warps->control, w, pc + 1);
    set_fetch(issue, w, pc);
    return true;
}

/* Takes the unit of an instruction that has issued. */
static void occupy(struct cw_core_issue *issue, uint32_t s, const struct cw_issue_op *op)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    const uint64_t until = warps->cycle + op->interval;
    const bool own = warps->config->core_sub_cores == CW_ON && op->fu != CW_FU_MEM;
    if (own || op->fu == CW_FU_ALU || op->fu == CW_FU_FP || op->fu == CW_FU_TENSOR || op->fu == CW_FU_CTRL) {
        warps->fu_free[s][op->fu] = until;
        return;
    }
    for (uint32_t i = 0; i < warps->scheduler_cnt; i++)
        warps->fu_free[i][op->fu] = until;
}

/* Whether the instruction may be refused, by a mechanism or because it has to wait. */
static bool may_wait(const struct cw_issue_op *op)
{
    return op->kind == CW_ISSUE_FENCE || op->kind == CW_ISSUE_REGION_BEGIN || op->kind == CW_ISSUE_INTRINSIC;
}

/* With operand collectors: reserves the instruction's way to its unit. What may be refused goes past the collectors, and what it
 * returns takes the time of an instruction without operands. */
static __attribute__((noinline)) void collect(struct cw_core_issue *issue, uint32_t w, const struct cw_issue_op *op)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    if (may_wait(op)) {
        warps->started = cw_core__past_collectors(warps);
        return;
    }
    warps->started = cw_operands_issue(&issue->operands, op, w, warps->cycle);
    const uint64_t entry = cw_operands_entry(&issue->operands, (enum cw_pipe)op->pipe);
    for (uint32_t s = 0; s < warps->scheduler_cnt; s++)
        warps->fu_free[s][op->fu] = entry;
}

/* Who wants to know what issues: mechanisms, and the stream. */
static __attribute__((noinline)) void tell_issued(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    cw_core__tell_stream(warps, CW_EVENT_ISSUE, w, u, mask);
    for (uint32_t i = 0; i < warps->mech_cnt; i++)
        if (warps->mech[i].sockets->issued != NULL) {
            warps->mech[i].sockets->issued(warps->mech[i].self, w, u, mask, warps->now);
            cw_core__tell_mechanisms(warps);
        }
}

/* ---- micro-operations that ride ---- */

/* Nothing of what it writes is waited for: the warp has waited for that. */
static void execute_rider(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    struct cw_warp *const warp = &warps->warp[w];
    for (uint32_t i = 0; warp->dynamic != NULL && i < warp->dynamic->cnt; i++) {
        const uint32_t lanes = warp->dynamic->part[i].lanes & (uint32_t)mask;
        if (lanes != 0)
            u->exec(u, &warps->warp[warp->dynamic->part[i].home].x[0], lanes);
    }
    for (uint32_t half = 0; warp->dynamic == NULL && half < warps->halves; half++)
        if (cw_lanes_half(mask, half) != 0)
            u->exec(u, &warp->x[half], cw_lanes_half(mask, half));
}

/* One that issues in the slot of another counts as an instruction of the text, too. */
static void count_other(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    warps->cfg.stats->warp_instructions++;
    warps->cfg.stats->thread_instructions += cw_lanes_count(mask);
    if ((warps->taken & (CW_SOCKET_ISSUED | CW_SOCKET_STREAM)) != 0)
        tell_issued(issue, w, u, mask);
}

/* The instruction at pc and what follows, up to the one that they ride on; the caller counts the first. */
static __attribute__((noinline)) bool issue_riders(struct cw_core_issue *issue, uint32_t w, uint32_t pc, cw_lanes mask)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    const uint32_t stop = warps->front[w].stop; /* Where the policy wants to hear of the warp */
    const bool tells = cw_events_want(warps->cfg.stream, CW_EVENT_BEFORE);
    uint32_t at = pc;
    for (; warps->op[at].kind == CW_ISSUE_RIDES && (at != stop || at == pc); at++) {
        const cw_lanes lanes = at == pc ? mask : guard(issue, w, &warps->uop[at]);
        if (tells && at != pc)
            cw_core__tell_stream(warps, CW_EVENT_BEFORE, w, &warps->uop[at], lanes);
        execute_rider(issue, w, &warps->uop[at], lanes);
        if (at != pc)
            count_other(issue, w, &warps->uop[at], lanes);
    }
    warps->warp[w].buffer_next = at;
    if (at == stop) {
        cw_control_advance(warps->control, w, at);
        set_fetch(issue, w, at - 1);
        return true;
    }
    const cw_lanes lanes = guard(issue, w, &warps->uop[at]);
    warps->warp[w].buffer_next = at + 1;
    if (tells)
        cw_core__tell_stream(warps, CW_EVENT_BEFORE, w, &warps->uop[at], lanes);
    const bool issued = perform(issue, w, &warps->uop[at], &warps->op[at], at, lanes);
    if (issued)
        count_other(issue, w, &warps->uop[at], lanes);
    return issued;
}

/* With core.scoreboard=warp: when the instruction that has issued is complete, but for accesses to memory. */
static __attribute__((noinline)) void note_completion(const struct cw_core_issue *issue, struct cw_warp *warp, const struct cw_issue_op *op)
{
    const struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    const struct cw_core_blocks *const blocks = &issue->memory.blocks;
    warp->done_at = warps->started + blocks->result_stages + op->latency;
    for (uint32_t i = 0; i < op->dst_cnt; i++) {
        const uint64_t at = warp->slot_cycle[op->slot[i]];
        if (at != CW_CYCLE_PENDING && at > warp->done_at)
            warp->done_at = at;
    }
}

/* The same of each thread of a dynamic warp. The instruction has issued, or not; its registers may come later than its unit's latency says,
 * and an access to memory has said more. */
static __attribute__((noinline)) void settle_threads(struct cw_core_issue *issue, const struct cw_dynamic_warp *dynamic,
                                                     const struct cw_issue_op *op, cw_lanes active, bool issued)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_blocks *const blocks = &issue->memory.blocks;
    struct cw_core_warps *const warps = &cache->warps;
    if (!issued) {
        cw_core__set_done(warps, dynamic, active, warps->cycle);
        return;
    }
    uint64_t latest = 0;
    for (uint32_t i = 0; i < dynamic->cnt; i++)
        for (uint32_t d = 0; d < op->dst_cnt; d++) {
            const uint64_t at = warps->warp[dynamic->part[i].home].slot_cycle[op->slot[d]];
            latest = at != CW_CYCLE_PENDING && at > latest ? at : latest;
        }
    if (latest > warps->started + blocks->result_stages + op->latency)
        cw_core__set_done(warps, dynamic, active, latest);
}

/* With core.scoreboard=warp, around what an instruction does: the policy may put its threads into other warps and use the slot again, and
 * those warps wait for all their threads. So the core keeps who has issued. */
static void begin_alone(struct cw_core_issue *issue, uint32_t w, const struct cw_issue_op *op)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_blocks *const blocks = &issue->memory.blocks;
    struct cw_core_warps *const warps = &cache->warps;
    if (blocks->dynamic == NULL)
        return;
    cw_core__copy_dynamic(&issue->alone, warps->warp[w].dynamic);
    issue->alone_active = warps->front[w].active;
    cw_core__set_done(warps, &issue->alone, issue->alone_active, warps->started + blocks->result_stages + op->latency);
}

static void end_alone(struct cw_core_issue *issue, uint32_t w, const struct cw_issue_op *op, bool issued)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    struct cw_core_blocks *const blocks = &issue->memory.blocks;
    if (blocks->dynamic != NULL)
        settle_threads(issue, &issue->alone, op, issue->alone_active, issued);
    else if (issued)
        note_completion(issue, &warps->warp[w], op);
}

static __attribute__((noinline)) bool unusual_perform(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u,
                                                      const struct cw_issue_op *op, uint32_t pc, cw_lanes mask)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    if (cw_events_want(warps->cfg.stream, CW_EVENT_BEFORE))
        cw_core__tell_stream(warps, CW_EVENT_BEFORE, w, u, mask);
    if (warps->one_by_one)
        begin_alone(issue, w, op);
    const bool issued = perform(issue, w, u, op, pc, mask);
    if (warps->one_by_one)
        end_alone(issue, w, op, issued);
    return issued;
}

/* An instruction of so many threads takes the issue slot. Cycles that an instruction of another scheduler has stay that one's. */
static inline void take_slot(struct cw_core_issue *issue, uint32_t threads, uint32_t cycles)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    const uint64_t until = warps->cycle + cycles;
    if (warps->classes.counted < warps->cycle)
        cw_classes_count_gap(&warps->classes, warps->cfg.stats, warps->cycle);
    if (until == warps->classes.counted)
        return;
    warps->classes.slot = warps->classes.threads[threads];
    *warps->classes.slot += until - warps->classes.counted;
    warps->classes.counted = until;
}

/* Returns the cycles for which the slot is taken; 0: it has not issued. unusual: as the core says; here and below a constant, so that most
 * machines' code has none of what they have not. */
static inline __attribute__((always_inline)) uint32_t issue_warp(struct cw_core_issue *issue, uint32_t s, uint32_t w, const bool unusual)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    const uint32_t pc = cw_core__pc(warps, w);
    const struct cw_issue_op *op = &warps->op[pc];
    const struct cw_uop *u = &warps->uop[pc];
    cw_lanes mask = guard(issue, w, u);
    if (unusual && op->kind == CW_ISSUE_WARP)
        mask &= ~cw_core__guests(warps, w);
    warps->started = warps->cycle;
    if (warps->collects)
        collect(issue, w, op);
    warps->warp[w].buffer_next = pc + 1;
    const uint64_t classed = warps->classes.counted;
    const cw_lanes active = warps->front[w].active;
    const uint32_t threads = active == warps->all_lanes ? warps->width : cw_lanes_count(active);
    take_slot(issue, threads, op->taken);
    if (unusual && warps->stalls != NULL)
        cw_core__stalls_issue(warps, w, op);
    const bool issued = unusual ? unusual_perform(issue, w, u, op, pc, mask) : perform(issue, w, u, op, pc, mask);
    if (!issued)
        warps->warp[w].buffer_next = pc;
    cw_core__requeue(warps, w);
    if (!issued) {
        cw_core__declass(warps, classed);
        return 0;
    }
    warps->cfg.stats->warp_instructions++;
    warps->cfg.stats->thread_instructions += mask == active ? threads : cw_lanes_count(mask);
    if (!warps->collects)
        occupy(issue, s, op);
    if ((warps->taken & (CW_SOCKET_ISSUED | CW_SOCKET_STREAM)) != 0)
        tell_issued(issue, w, u, mask);
    return op->taken;
}

static void need(struct cw_core_issue *issue, uint64_t cycle)
{
    if (cycle < issue->next)
        issue->next = cycle;
}

/* ---- more than one row of slots: candidates are a set ---- */

/* The ready warps of a scheduler: those of slots that are it modulo the number of schedulers. */
static void wide_candidates(const struct cw_core_issue *issue, uint32_t s, struct cw_slots *set)
{
    const struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    const struct cw_core_warps *const warps = &cache->warps;
    for (uint32_t row = 0; row < warps->rows; row++) {
        set->word[row] = warps->row[row].ready;
        for (uint64_t left = warps->scheduler_cnt > 1 ? set->word[row] : 0; left != 0; left &= left - 1)
            if ((64 * row + (uint32_t)__builtin_ctzll(left)) % warps->scheduler_cnt != s)
                set->word[row] &= ~(left & -left);
    }
}

static uint32_t oldest(const struct cw_core_issue *issue, const struct cw_slots *set)
{
    const struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    const struct cw_core_warps *const warps = &cache->warps;
    uint32_t best = CW_SLOTS_MAX;
    for (uint32_t row = 0; row < warps->rows; row++)
        for (uint64_t left = set->word[row]; left != 0; left &= left - 1) {
            const uint32_t w = 64 * row + (uint32_t)__builtin_ctzll(left);
            if (best == CW_SLOTS_MAX || warps->warp[w].age < warps->warp[best].age)
                best = w;
        }
    return best;
}

/* The first slot of the set behind `last`, cyclically; the set is not empty. */
static uint32_t next_slot(const struct cw_core_issue *issue, const struct cw_slots *set, uint32_t last)
{
    const struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    uint32_t row = last / 64;
    uint64_t left = last % 64 < 63 ? set->word[row] & ~UINT64_C(0) << (last % 64 + 1) : 0;
    while (left == 0) {
        row = row + 1 < warps->rows ? row + 1 : 0;
        left = set->word[row];
    }
    return 64 * row + (uint32_t)__builtin_ctzll(left);
}

/* As cw_scheduler_pick. */
static uint32_t wide_pick(const struct cw_core_issue *issue, const struct cw_scheduler *sched, const struct cw_slots *set)
{
    if (sched->policy != CW_SCHED_GTO)
        return next_slot(issue, set, sched->last);
    return (set->word[sched->last / 64] & cw_core__bit(sched->last)) != 0 ? sched->last : oldest(issue, set);
}

/* Makes the next warp of the set the only candidate; returns its bit, 0 when there is none. */
static uint64_t wide_choose(struct cw_core_issue *issue, uint32_t s)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    for (uint32_t row = 0; row < warps->rows; row++)
        if (issue->wide.word[row] != 0) {
            issue->wide_only = wide_pick(issue, &warps->scheduler[s], &issue->wide);
            return cw_core__bit(issue->wide_only);
        }
    return 0;
}

static __attribute__((noinline)) uint64_t wide_first(struct cw_core_issue *issue, uint32_t s)
{
    wide_candidates(issue, s, &issue->wide);
    return wide_choose(issue, s);
}

/* The candidate has not issued. */
static __attribute__((noinline)) uint64_t wide_next(struct cw_core_issue *issue, uint32_t s)
{
    issue->wide.word[issue->wide_only / 64] &= ~cw_core__bit(issue->wide_only);
    return wide_choose(issue, s);
}

/* ---- who issues ---- */

/* The warp that is tried next: the only candidate of a core with more rows, or one that the policy puts first. */
static __attribute__((noinline)) uint32_t unusual_pick(const struct cw_core_issue *issue, uint32_t s, uint64_t candidates)
{
    const struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    const struct cw_core_warps *const warps = &cache->warps;
    if (warps->rows > 1)
        return issue->wide_only;
    if (warps->control->ops->first != NULL)
        candidates = warps->control->ops->first(warps->control, s, warps->cycle, candidates);
    return cw_scheduler_pick(&warps->scheduler[s], &warps->ages, candidates);
}

/* Whether the policy lets a candidate issue, and whether a dynamic one is ready still. */
static __attribute__((noinline)) bool unusual_may_issue(struct cw_core_issue *issue, uint32_t w)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_blocks *const blocks = &issue->memory.blocks;
    struct cw_core_warps *const warps = &cache->warps;
    if (warps->control->ops->may_issue != NULL && !warps->control->ops->may_issue(warps->control, w))
        return false;
    const bool own = warps->thread_done != NULL && !warps->mixes; /* nothing that the warp waits for is another warp's */
    return blocks->dynamic == NULL || own || cw_core__still_ready(warps, w);
}

/* Tries candidates, which are warps of one row, until one issues. */
static inline __attribute__((always_inline)) bool schedule(struct cw_core_issue *issue, uint32_t s, uint64_t candidates, const bool unusual)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    struct cw_scheduler *sched = &warps->scheduler[s];
    while (candidates != 0 && !warps->faulted) {
        const uint32_t w = unusual ? unusual_pick(issue, s, candidates) : cw_scheduler_pick(sched, &warps->ages, candidates);
        uint32_t fu = warps->warp[w].fu, taken;
        if (warps->fu_free[s][fu] > warps->cycle) {
            need(issue, warps->fu_free[s][fu]);
            candidates &= ~warps->warp[w].row->fu_warps[fu];
        } else if (fu == CW_FU_MEM && warps->mem_queue.cnt >= warps->mem_queue.most) {
            candidates &= ~warps->warp[w].row->fu_warps[fu]; /* the load/store unit's own ticks end this */
        } else if (unusual && !unusual_may_issue(issue, w)) {
            candidates &= ~cw_core__bit(w);
        } else if ((taken = issue_warp(issue, s, w, unusual)) != 0) {
            sched->last = w;
            sched->free_at = warps->cycle + taken;
            if ((warps->row[0].ready & sched->warps) != 0)
                need(issue, sched->free_at);
            return true;
        } else {
            candidates &= ~cw_core__bit(w);
        }
    }
    return false;
}

/* Schedulers that compete for a pipeline's entries take turns in going first. */
static uint32_t first_scheduler(const struct cw_core_issue *issue)
{
    const struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    const struct cw_core_warps *const warps = &cache->warps;
    return warps->collects ? (uint32_t)(warps->cycle >> issue->turn_shift) % warps->scheduler_cnt : 0;
}

/* One scheduler's cycle; it has candidates, and is free. */
static bool unusual_schedule(struct cw_core_issue *issue, uint32_t s, uint64_t candidates)
{
    struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    for (;;) {
        const bool issued = schedule(issue, s, candidates, true);
        if (warps->rows == 1)
            return issued;
        if (issued)
            need(issue, warps->scheduler[s].free_at);
        candidates = issued ? 0 : wide_next(issue, s);
        if (candidates == 0)
            return issued;
    }
}

static bool has_ready(const struct cw_core_issue *issue)
{
    const struct cw_core_warps *const warps = &issue->memory.blocks.cache.warps;
    uint64_t ready = 0;
    for (uint32_t row = 0; row < warps->rows; row++)
        ready |= warps->row[row].ready;
    return ready != 0;
}

/* In one pipeline a memory instruction that keeps its stage stops all others. */
static __attribute__((noinline)) bool stalls(struct cw_core_issue *issue)
{
    uint64_t until;
    if (!cw_core__memory_stalls(&issue->memory, &until))
        return false;
    if (has_ready(issue))
        need(issue, until);
    return true;
}

static inline __attribute__((always_inline)) void tick(struct cw_core_issue *issue, const bool unusual)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    bool issued = false;
    uint32_t s = first_scheduler(issue);
    for (uint32_t i = 0; i < warps->scheduler_cnt; i++, s = s + 1 < warps->scheduler_cnt ? s + 1 : 0) {
        const uint64_t candidates = unusual && warps->rows > 1 ? wide_first(issue, s) : warps->row[0].ready & warps->scheduler[s].warps;
        if (candidates == 0)
            continue;
        if (warps->scheduler[s].free_at > warps->cycle)
            need(issue, warps->scheduler[s].free_at);
        else
            issued |= unusual ? unusual_schedule(issue, s, candidates) : schedule(issue, s, candidates, false);
    }
    warps->cfg.stats->core_issue_cycles += issued;
}

/* Why nothing issues until something does. */
static inline __attribute__((always_inline)) void set_gap(struct cw_core_issue *issue, bool ready)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_blocks *const blocks = &issue->memory.blocks;
    struct cw_core_warps *const warps = &cache->warps;
    const enum cw_gap gap = ready ? CW_GAP_STALL : issue->memory.pool.out != 0 ? CW_GAP_MEM : CW_GAP_IDLE;
    if (gap == warps->classes.gap)
        return;
    if (warps->classes.counted < warps->cycle && blocks->room.resident != 0)
        cw_classes_count_gap(&warps->classes, warps->cfg.stats, warps->cycle);
    warps->classes.gap = gap;
}

static __attribute__((noinline)) void unusual_tick(struct cw_core_issue *issue)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    const bool stopped = issue->memory.unified && stalls(issue);
    if (!stopped && has_ready(issue))
        tick(issue, true);
    set_gap(issue, has_ready(issue));
    if (warps->stalls != NULL)
        cw_core__stalls_tick(issue, stopped);
}

void cw_core__issue_tick(struct cw_core_issue *issue)
{
    struct cw_core_cache *const cache = &issue->memory.blocks.cache;
    struct cw_core_warps *const warps = &cache->warps;
    issue->next = CW_CYCLE_NEVER;
    if (__builtin_expect(warps->unusual, 0)) {
        unusual_tick(issue);
        return;
    }
    if (warps->row[0].ready != 0)
        tick(issue, false);
    set_gap(issue, warps->row[0].ready != 0);
}
