/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedulers and issue: one warp instruction per scheduler, executed at once, its timing left to the scoreboard.
 *
 * The host spends much of its time between the scheduler and the end of an instruction, so all of that is inlined into the core's tick.
 * What is rare is a call (noinline): the compiler gives up where a function gets too large.
 */
#include "core/core_state.h"

static __attribute__((noinline)) uint32_t dynamic_guard(const struct cw_core *c, uint32_t w, const struct cw_uop *u, uint32_t active)
{
    struct cw_part p;
    uint32_t lanes = 0;
    for (uint32_t i = 0; cw_core__part(c, c->warp[w].dynamic, w, 0, i, &p); i++)
        lanes |= cw_exec_guard(u, p.x, active & p.lanes);
    return lanes;
}

/* The warp's lanes whose guard is true. */
static inline __attribute__((always_inline)) cw_lanes guard(const struct cw_core *c, uint32_t w, const struct cw_uop *u)
{
    const struct cw_exec *x = c->warp[w].x;
    const cw_lanes active = c->front[w].active;
    if (u->guard < 0)
        return active;
    if (c->dynamic != NULL)
        return dynamic_guard(c, w, u, (uint32_t)active);
    cw_lanes lanes = cw_exec_guard(u, &x[0], cw_lanes_half(active, 0));
    for (uint32_t half = 1; half < c->halves; half++)
        lanes |= (cw_lanes)cw_exec_guard(u, &x[half], cw_lanes_half(active, half)) << (CW_LANES * half);
    return lanes;
}

/* When the warp may issue again; without an instruction buffer, a taken branch and the like costs a fetch. from is the PC of the
 * instruction that issued. */
static inline __attribute__((always_inline)) void set_fetch(struct cw_core *c, uint32_t w, uint32_t from)
{
    const bool taken = c->buffer == 0 && cw_core__pc(c, w) != from + 1;
    c->warp[w].not_before = c->cycle + (taken ? c->config->core_fetch_cycles : c->stage);
}

/* Cycle from which the results of the instruction that is issuing may be used. */
static inline __attribute__((always_inline)) uint64_t result_cycle(struct cw_core *c, const struct cw_issue_op *op, uint32_t w)
{
    const uint64_t cycle = c->issue.started + c->result_stages + op->latency;
    return __builtin_expect(c->collects, 0) ? cw_operands_write(&c->operands, op, w, cycle, c->cycle) : cycle;
}

static __attribute__((noinline)) void set_clock(const struct cw_core *c, struct cw_exec *x)
{
    x->clock = c->cycle;
    x->globaltimer_ns = (uint64_t)((unsigned __int128)c->now * 1000u / c->cfg.clocks->units_per_us);
}

/* Home after home. */
static __attribute__((noinline)) void execute_dynamic(struct cw_core *c, struct cw_warp *warp, const struct cw_uop *u,
                                                      const struct cw_issue_op *op, uint32_t mask)
{
    const struct cw_dynamic_warp *dynamic = warp->dynamic;
    for (uint32_t i = 0; i < dynamic->cnt; i++) {
        struct cw_exec *x = &c->warp[dynamic->part[i].home].x[0];
        if (op->kind == CW_ISSUE_CLOCK)
            set_clock(c, x);
        if ((dynamic->part[i].lanes & mask) != 0)
            u->exec(u, x, dynamic->part[i].lanes & mask);
    }
    cw_core__set_slots(c, dynamic, 0, op, result_cycle(c, op, (uint32_t)(warp - c->warp)));
}

static inline __attribute__((always_inline)) void execute(struct cw_core *c, struct cw_warp *warp, const struct cw_uop *u,
                                                          const struct cw_issue_op *op, cw_lanes mask)
{
    if (mask == 0)
        return;
    if (c->dynamic != NULL) {
        execute_dynamic(c, warp, u, op, (uint32_t)mask);
        return;
    }
    for (uint32_t half = 0; op->kind == CW_ISSUE_CLOCK && half < c->halves; half++)
        set_clock(c, &warp->x[half]);
    if (cw_lanes_half(mask, 0) != 0)
        u->exec(u, &warp->x[0], cw_lanes_half(mask, 0));
    if (cw_lanes_half(mask, 1) != 0)
        u->exec(u, &warp->x[1], cw_lanes_half(mask, 1));
    cw_scoreboard_set(warp->slot_cycle, op, result_cycle(c, op, (uint32_t)(warp - c->warp)));
}

__attribute__((noinline)) bool cw_core__indexed_targets(struct cw_core *c, uint32_t w, const struct cw_uop *u, uint32_t pc, cw_lanes mask,
                                                        uint32_t *target)
{
    const struct cw_brx_table *t = &c->launch->kernel->brx[u->target];
    uint64_t index[CW_WARP_LANES_MAX];
    cw_core__read_warp(c, w, u->src[0], index);
    for (cw_lanes left = c->front[w].active; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        target[lane] = pc + 1;
        if (!cw_lanes_has(mask, lane))
            continue;
        if (index[lane] >= t->cnt) {
            cw_core__fault(c, w, lane, u, CW_EFAULT, "index beyond the branch table of %u targets", t->cnt);
            return false;
        }
        target[lane] = t->target[index[lane]];
    }
    return true;
}

/* Who wants to know where threads go. target: of an indexed branch, else NULL. */
static __attribute__((noinline)) void tell_branch(const struct cw_core *c, uint32_t w, const struct cw_uop *u, cw_lanes mask,
                                                  const uint32_t *target)
{
    const struct cw_control_ops *ops = c->control->ops;
    if (u->op == CW_OP_BRA && u->guard < 0)
        return;
    const cw_lanes once = c->front[w].active & ~(ops->repeats != NULL ? ops->repeats(c->control, w) : 0);
    const struct cw_event e = {
        .type = CW_EVENT_BRANCH,
        .core = c->cfg.index,
        .warp = w,
        .attempt = c->warp[w].attempt,
        .now = c->now,
        .u.branch = {.uop = u, .taken = once & mask, .falls = once & ~mask, .target = target},
    };
    cw_events_tell(c->cfg.stream, &e);
}

static __attribute__((noinline)) void tell_branched(const struct cw_core *c, uint32_t w, const struct cw_uop *u, bool diverged)
{
    const struct cw_event e = {.type = CW_EVENT_BRANCHED,
                               .core = c->cfg.index,
                               .warp = w,
                               .attempt = c->warp[w].attempt,
                               .now = c->now,
                               .u.branched = {u, diverged}};
    cw_events_tell(c->cfg.stream, &e);
}

static void branch(struct cw_core *c, uint32_t w, const struct cw_uop *u, uint32_t pc, cw_lanes mask)
{
    if (cw_core__checks(c, CW_CHECK_SYNC))
        cw_core__note_side(c, w, 0);
    const struct cw_branch *b = &c->branch[pc];
    const bool told = __builtin_expect((c->taken & CW_SOCKET_BRANCH) != 0, 0);
    bool diverged;
    if (u->op == CW_OP_BRA) {
        if (told)
            tell_branch(c, w, u, mask, NULL);
        diverged = c->control->ops->branch(c->control, w, mask, b);
    } else {
        uint32_t target[CW_WARP_LANES_MAX];
        if (!cw_core__indexed_targets(c, w, u, pc, mask, target))
            return;
        if (told)
            tell_branch(c, w, u, mask, target);
        diverged = c->control->ops->branch_indexed(c->control, w, target, b);
    }
    c->cfg.stats->branches++;
    c->cfg.stats->branches_divergent += diverged;
    if (__builtin_expect((c->taken & CW_SOCKET_BRANCHED) != 0, 0))
        tell_branched(c, w, u, diverged);
    if (mask != 0 && u->op == CW_OP_BRA && u->target <= pc)
        cw_core__backward_branch(c, &c->warp[w], u);
}

/* Unless the mechanism has said what it is to wait for (cw_core_settle). */
static void wait_for_mechanism(struct cw_warp *warp)
{
    if (warp->wait == CW_WAIT_NONE)
        warp->wait = CW_WAIT_MECH;
}

/* A fence is a release and an acquire. */
static bool fence(struct cw_core *c, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    if (!cw_core__order_release(c, w, u->scope))
        return false;
    if ((c->taken & CW_SOCKET_FENCE) != 0)
        cw_core__tell_mechanisms(c);
    for (uint32_t i = 0; (c->taken & CW_SOCKET_FENCE) != 0 && i < c->mech_cnt; i++)
        if (c->mech[i].sockets->fence != NULL && !c->mech[i].sockets->fence(c->mech[i].self, w, u, c->now)) {
            wait_for_mechanism(&c->warp[w]);
            return false;
        }
    cw_core__order_acquired(c, u->scope);
    if (__builtin_expect((c->taken & CW_SOCKET_PM) != 0, 0))
        cw_core__tell_fence(c, w, u, mask);
    return true;
}

/* Mechanisms let the warp arrive at a barrier. */
static bool may_arrive(struct cw_core *c, uint32_t w)
{
    if ((c->taken & CW_SOCKET_BARRIER) == 0)
        return true;
    cw_core__tell_mechanisms(c);
    for (uint32_t i = 0; i < c->mech_cnt; i++)
        if (c->mech[i].sockets->barrier != NULL && !c->mech[i].sockets->barrier(c->mech[i].self, w, c->now)) {
            wait_for_mechanism(&c->warp[w]);
            return false;
        }
    return true;
}

static __attribute__((noinline)) bool constant(struct cw_core *c, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op,
                                               cw_lanes mask)
{
    for (uint32_t half = 0; half < c->halves; half++) {
        struct cw_mem_inst m = {.uop = u, .dynamic = c->warp[w].dynamic, .warp = w, .half = half, .space = u->space, .vec = u->vec};
        m.lanes = cw_lanes_half(mask, half);
        m.elem_bytes = (uint8_t)cw_type_bytes((enum cw_type)u->type);
        if (m.lanes == 0)
            continue;
        cw_core__read_addresses(c, w, half, u, m.addr);
        if (!cw_core__const_check(c, &m))
            return false;
        cw_core__const_load(c, &m, op);
    }
    return true;
}

/* A call of an intrinsic; op->owner carries it out. */
static __attribute__((noinline)) bool intrinsic(struct cw_core *c, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op,
                                                cw_lanes mask)
{
    struct cw_warp *warp = &c->warp[w];
    struct cw_core_call call = {.uop = u, .warp = w, .lanes = mask};
    if (mask == 0)
        return true;
    const struct cw_core_mech *m = op->owner < c->mech_cnt ? &c->mech[op->owner] : NULL;
    if (m == NULL || m->sockets->intrinsic == NULL) {
        cw_core__fault(c, w, cw_lanes_first(mask), u, CW_EFAULT, "no mechanism carries out %s", u->intrinsic->name);
        return false;
    }
    for (uint32_t i = 0; i < u->src_cnt; i++)
        cw_core__read_warp(c, w, u->src[i], call.arg[i]);
    cw_core__tell_mechanisms(c);
    if (!m->sockets->intrinsic(m->self, &call, c->now)) {
        wait_for_mechanism(warp);
        return false;
    }
    if ((c->taken & CW_SOCKET_PM) != 0 && u->intrinsic->order != 0)
        cw_core__tell_call(c, &call);
    if (u->dst_cnt != 0)
        cw_core__write_warp(c, w, u->dst[0], u->intrinsic->result, mask, call.result);
    cw_core__set_slots(c, warp->dynamic, w, op, result_cycle(c, op, w));
    return true;
}

static __attribute__((noinline)) void nap(struct cw_core *c, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    uint64_t ns[CW_WARP_LANES_MAX], longest = 0;
    cw_core__read_warp(c, w, u->src[0], ns);
    for (; mask != 0; mask = cw_lanes_rest(mask)) {
        uint64_t t = ns[cw_lanes_first(mask)];
        longest = t > longest ? t : longest;
    }
    longest = longest > 1000000u ? 1000000u : longest; /* PTX: at most one millisecond */
    const uint64_t cycles = longest * c->config->clock_core_mhz / 1000u;
    c->warp[w].not_before = c->cycle + 1 + cycles;
    cw_core__note_wait(c, cycles);
    if (c->stalls != NULL)
        c->stalls->delay[w] = CW_STALL_SLEEP;
}

static __attribute__((noinline)) bool leave(struct cw_core *c, uint32_t w, const struct cw_uop *u, uint32_t pc, cw_lanes mask)
{
    if (mask != 0 && c->warp[w].in_region) {
        cw_core__fault(c, w, cw_lanes_first(mask), u, CW_EFAULT, "exit inside a transaction");
        return false;
    }
    const bool all = mask == c->front[w].active;
    if (mask != 0)
        cw_core__exit_lanes(c, w, mask);
    if (!all)
        cw_control_advance(c->control, w, pc + 1);
    return true;
}

/* What compilers make of cooperative groups' grid.sync() asks %envreg for the launch's barrier, and traps when there is none. */
static bool asks_for_cooperation(const struct cw_core *c)
{
    const struct cw_kernel *k = c->launch->kernel;
    for (uint32_t i = 0; i < k->uop_cnt; i++)
        if (c->uop[i].op == CW_OP_MOV && c->uop[i].src[0].kind == CW_OPND_SREG &&
            (c->uop[i].src[0].idx == CW_SREG_ENVREG1 || c->uop[i].src[0].idx == CW_SREG_ENVREG2))
            return true;
    return false;
}

static const char *trap_text(const struct cw_core *c, const struct cw_uop *u)
{
    if (u->op != CW_OP_TRAP)
        return "breakpoint";
    if (u->cmp == CW_TRAP_CALL)
        return "indirect call of something that is no function with these parameters, or of one that is being called already (recursion "
               "through a pointer is not supported)";
    if (c->launch->grid_workspace == 0 && asks_for_cooperation(c))
        return "trap; the kernel reads %envreg1, by which grid.sync() of cooperative groups finds its barrier, and the launch is not "
               "cooperative (cudaLaunchCooperativeKernel, exec --cooperative)";
    return "trap";
}

/* free cannot free what the first lane gives it. */
static void bad_free(struct cw_core *c, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    uint64_t address[CW_WARP_LANES_MAX], state[CW_WARP_LANES_MAX], heap[CW_WARP_LANES_MAX];
    const uint32_t lane = cw_lanes_first(mask);
    char text[300];
    cw_core__read_warp(c, w, u->src[0], address);
    cw_core__read_warp(c, w, u->src[1], state);
    cw_core__read_warp(c, w, u->src[2], heap);
    cw_heap_why_not_free(c->cfg.memory, heap[lane], address[lane], (uint32_t)state[lane], text);
    cw_core__fault(c, w, lane, u, CW_EFAULT, "free of 0x%llx, %s", (unsigned long long)address[lane], text);
}

__attribute__((noinline)) void cw_core__trap(struct cw_core *c, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    if (u->op == CW_OP_TRAP && u->cmp == CW_TRAP_DEPTH)
        cw_core__fault(c, w, cw_lanes_first(mask), u, CW_EFAULT,
                       "stack of recursion deeper than %u: a function is called inside %u calls of it, and is expanded no further",
                       (uint32_t)u->imm, (uint32_t)u->imm);
    else if (u->op == CW_OP_TRAP && u->cmp == CW_TRAP_FREE)
        bad_free(c, w, u, mask);
    else
        cw_core__fault(c, w, cw_lanes_first(mask), u, CW_EFAULT, "%s", trap_text(c, u));
}

/* Control instructions other than branches. Returns false when the warp has to wait and try again. */
static bool control(struct cw_core *c, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, uint32_t pc, cw_lanes mask)
{
    switch (op->kind) {
    case CW_ISSUE_EXIT:
        return leave(c, w, u, pc, mask);
    case CW_ISSUE_TRAP:
        if (mask != 0)
            cw_core__trap(c, w, u, mask);
        break;
    case CW_ISSUE_BARRIER:
        if (mask != 0 && !may_arrive(c, w))
            return false;
        if (c->dynamic == NULL || mask == 0) /* a dynamic warp stays at its barrier until it may go on */
            cw_control_advance(c->control, w, pc + 1);
        cw_core__barrier(c, w, u, mask);
        return !c->faulted;
    case CW_ISSUE_WARP_BARRIER:
        if (mask != c->warp[w].live && !cw_core__members_came(c, w, u, mask))
            return false;
        if (cw_core__checks(c, CW_CHECK_SYNC))
            cw_core__find_strangers(c, w, u, mask);
        cw_core__synced(c, w, CW_SYNC_WARP, mask, 0);
        break;
    case CW_ISSUE_SLEEP:
        cw_control_advance(c->control, w, pc + 1);
        set_fetch(c, w, pc);
        nap(c, w, u, mask);
        return true;
    case CW_ISSUE_REGION_BEGIN:
        return cw_core__region_begin(c, w, c->front[w].active, mask);
    case CW_ISSUE_REGION_END:
        cw_core__region_reach(c, w, mask);
        return !c->faulted;
    default:
        break;
    }
    cw_control_advance(c->control, w, pc + 1);
    return !c->faulted;
}

/* Executes the instruction at the warp's front. false: it did not issue. */
static inline __attribute__((always_inline)) bool perform(struct cw_core *c, uint32_t w, const struct cw_uop *u,
                                                          const struct cw_issue_op *op, uint32_t pc, cw_lanes mask)
{
    switch (op->kind) {
    case CW_ISSUE_EXEC:
    case CW_ISSUE_CLOCK:
        execute(c, &c->warp[w], u, op, mask);
        break;
    case CW_ISSUE_WARP:
        if (mask != c->warp[w].live && !cw_core__members_came(c, w, u, mask))
            return false;
        execute(c, &c->warp[w], u, op, mask);
        if (cw_core__wants_strong(c))
            cw_core__tell_exchange(c, w, mask);
        break;
    case CW_ISSUE_MEM:
        if (!cw_core__issue_mem(c, w, u, op, mask))
            return false;
        break;
    case CW_ISSUE_CONST:
        if (!constant(c, w, u, op, mask))
            return false;
        break;
    case CW_ISSUE_FENCE:
        if (mask != 0 && !fence(c, w, u, mask))
            return false;
        cw_core__synced(c, w, CW_SYNC_FENCE, mask, u->scope);
        break;
    case CW_ISSUE_INTRINSIC:
        if (!intrinsic(c, w, u, op, mask))
            return false;
        break;
    case CW_ISSUE_PRINT:
        if (mask != 0 && !cw_core__print(c, w, u, mask))
            return false;
        cw_core__set_slots(c, c->warp[w].dynamic, w, op, result_cycle(c, op, w));
        break;
    case CW_ISSUE_BRANCH:
    case CW_ISSUE_BRANCH_INDEXED:
        branch(c, w, u, pc, mask);
        set_fetch(c, w, pc);
        return !c->faulted;
    default:
        c->warp[w].not_before = c->cycle + c->stage;
        return control(c, w, u, op, pc, mask);
    }
    cw_control_advance(c->control, w, pc + 1);
    set_fetch(c, w, pc);
    return true;
}

/* Takes the unit of an instruction that has issued. */
static void occupy(struct cw_core *c, uint32_t s, const struct cw_issue_op *op)
{
    uint64_t until = c->cycle + op->interval;
    if (op->fu == CW_FU_ALU || op->fu == CW_FU_FP || op->fu == CW_FU_TENSOR || op->fu == CW_FU_CTRL) {
        c->issue.fu_free[s][op->fu] = until;
        return;
    }
    for (uint32_t i = 0; i < c->scheduler_cnt; i++)
        c->issue.fu_free[i][op->fu] = until;
}

/* Whether the instruction may be refused, by a mechanism or because it has to wait. */
static bool may_wait(const struct cw_issue_op *op)
{
    return op->kind == CW_ISSUE_FENCE || op->kind == CW_ISSUE_REGION_BEGIN || op->kind == CW_ISSUE_INTRINSIC;
}

/* With operand collectors: reserves the instruction's way to its unit. What may be refused goes past the collectors, and what it
 * returns takes the time of an instruction without operands. */
static __attribute__((noinline)) void collect(struct cw_core *c, uint32_t w, const struct cw_issue_op *op)
{
    if (may_wait(op)) {
        c->issue.started = cw_core__past_collectors(c);
        return;
    }
    c->issue.started = cw_operands_issue(&c->operands, op, w, c->cycle);
    const uint64_t entry = cw_operands_entry(&c->operands, (enum cw_pipe)op->pipe);
    for (uint32_t s = 0; s < c->scheduler_cnt; s++)
        c->issue.fu_free[s][op->fu] = entry;
}

/* Who wants to know what issues: mechanisms, and the stream. */
static __attribute__((noinline)) void tell_issued(struct cw_core *c, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    const struct cw_event e = {.type = CW_EVENT_ISSUE,
                               .core = c->cfg.index,
                               .warp = w,
                               .attempt = c->warp[w].attempt,
                               .now = c->now,
                               .u.access = {.uop = u, .lanes = mask}};
    cw_events_tell(c->cfg.stream, &e);
    for (uint32_t i = 0; i < c->mech_cnt; i++)
        if (c->mech[i].sockets->issued != NULL) {
            c->mech[i].sockets->issued(c->mech[i].self, w, u, mask, c->now);
            cw_core__tell_mechanisms(c);
        }
}

/* With core.scoreboard=warp: when the instruction that has issued is complete, but for accesses to memory. */
static __attribute__((noinline)) void note_completion(const struct cw_core *c, struct cw_warp *warp, const struct cw_issue_op *op)
{
    warp->done_at = c->issue.started + c->result_stages + op->latency;
    for (uint32_t i = 0; i < op->dst_cnt; i++) {
        const uint64_t at = warp->slot_cycle[op->slot[i]];
        if (at != CW_CYCLE_PENDING && at > warp->done_at)
            warp->done_at = at;
    }
}

/* The same of each thread of a dynamic warp. The instruction has issued, or not; its registers may come later than its unit's latency says,
 * and an access to memory has said more. */
static __attribute__((noinline)) void settle_threads(struct cw_core *c, const struct cw_dynamic_warp *dynamic, const struct cw_issue_op *op,
                                                     cw_lanes active, bool issued)
{
    if (!issued) {
        cw_core__set_done(c, dynamic, active, c->cycle);
        return;
    }
    uint64_t latest = 0;
    for (uint32_t i = 0; i < dynamic->cnt; i++)
        for (uint32_t d = 0; d < op->dst_cnt; d++) {
            const uint64_t at = c->warp[dynamic->part[i].home].slot_cycle[op->slot[d]];
            latest = at != CW_CYCLE_PENDING && at > latest ? at : latest;
        }
    if (latest > c->issue.started + c->result_stages + op->latency)
        cw_core__set_done(c, dynamic, active, latest);
}

/* With core.scoreboard=warp, around what an instruction does: the policy may put its threads into other warps and use the slot again, and
 * those warps wait for all their threads. So the core keeps who has issued. */
static void begin_alone(struct cw_core *c, uint32_t w, const struct cw_issue_op *op)
{
    if (c->dynamic == NULL)
        return;
    c->issue.alone = *c->warp[w].dynamic;
    c->issue.alone_active = c->front[w].active;
    cw_core__set_done(c, &c->issue.alone, c->issue.alone_active, c->issue.started + c->result_stages + op->latency);
}

static void end_alone(struct cw_core *c, uint32_t w, const struct cw_issue_op *op, bool issued)
{
    if (c->dynamic != NULL)
        settle_threads(c, &c->issue.alone, op, c->issue.alone_active, issued);
    else if (issued)
        note_completion(c, &c->warp[w], op);
}

static __attribute__((noinline)) bool unusual_perform(struct cw_core *c, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op,
                                                      uint32_t pc, cw_lanes mask)
{
    if (c->one_by_one)
        begin_alone(c, w, op);
    const bool issued = perform(c, w, u, op, pc, mask);
    if (c->one_by_one)
        end_alone(c, w, op, issued);
    return issued;
}

/* An instruction of so many threads takes the issue slot. Cycles that an instruction of another scheduler has stay that one's. */
static inline void take_slot(struct cw_core *c, uint32_t threads)
{
    const uint64_t until = c->cycle + c->config->core_issue_cycles;
    if (c->classes.counted < c->cycle)
        cw_classes_count_gap(&c->classes, c->cfg.stats, c->cycle);
    if (until == c->classes.counted)
        return;
    c->classes.slot = c->classes.threads[threads];
    *c->classes.slot += until - c->classes.counted;
    c->classes.counted = until;
}

/* unusual: as the core says; here and below a constant, so that most machines' code has none of what they have not. */
static inline __attribute__((always_inline)) bool issue(struct cw_core *c, uint32_t s, uint32_t w, const bool unusual)
{
    const uint32_t pc = cw_core__pc(c, w);
    const struct cw_issue_op *op = &c->op[pc];
    const struct cw_uop *u = &c->uop[pc];
    const cw_lanes mask = guard(c, w, u);
    c->issue.started = c->cycle;
    if (c->collects)
        collect(c, w, op);
    c->warp[w].buffer_next = pc + 1;
    const uint64_t classed = c->classes.counted;
    const cw_lanes active = c->front[w].active;
    const uint32_t threads = active == c->all_lanes ? c->width : cw_lanes_count(active);
    take_slot(c, threads);
    if (unusual && c->stalls != NULL)
        cw_core__stalls_issue(c, w, op);
    const bool issued = unusual ? unusual_perform(c, w, u, op, pc, mask) : perform(c, w, u, op, pc, mask);
    if (!issued)
        c->warp[w].buffer_next = pc;
    cw_core__requeue(c, w);
    if (!issued) {
        cw_core__declass(c, classed);
        return false;
    }
    c->cfg.stats->warp_instructions++;
    c->cfg.stats->thread_instructions += mask == active ? threads : cw_lanes_count(mask);
    if (!c->collects)
        occupy(c, s, op);
    if ((c->taken & (CW_SOCKET_ISSUED | CW_SOCKET_STREAM)) != 0)
        tell_issued(c, w, u, mask);
    return true;
}

static void need(struct cw_core *c, uint64_t cycle)
{
    if (cycle < c->issue.next)
        c->issue.next = cycle;
}

/* ---- more than one row of slots: candidates are a set ---- */

/* The ready warps of a scheduler: those of slots that are it modulo the number of schedulers. */
static void wide_candidates(const struct cw_core *c, uint32_t s, struct cw_slots *set)
{
    for (uint32_t row = 0; row < c->rows; row++) {
        set->word[row] = c->row[row].ready;
        for (uint64_t left = c->scheduler_cnt > 1 ? set->word[row] : 0; left != 0; left &= left - 1)
            if ((64 * row + (uint32_t)__builtin_ctzll(left)) % c->scheduler_cnt != s)
                set->word[row] &= ~(left & -left);
    }
}

static uint32_t oldest(const struct cw_core *c, const struct cw_slots *set)
{
    uint32_t best = CW_SLOTS_MAX;
    for (uint32_t row = 0; row < c->rows; row++)
        for (uint64_t left = set->word[row]; left != 0; left &= left - 1) {
            const uint32_t w = 64 * row + (uint32_t)__builtin_ctzll(left);
            if (best == CW_SLOTS_MAX || c->warp[w].age < c->warp[best].age)
                best = w;
        }
    return best;
}

/* The first slot of the set behind `last`, cyclically; the set is not empty. */
static uint32_t next_slot(const struct cw_core *c, const struct cw_slots *set, uint32_t last)
{
    uint32_t row = last / 64;
    uint64_t left = last % 64 < 63 ? set->word[row] & ~UINT64_C(0) << (last % 64 + 1) : 0;
    while (left == 0) {
        row = row + 1 < c->rows ? row + 1 : 0;
        left = set->word[row];
    }
    return 64 * row + (uint32_t)__builtin_ctzll(left);
}

/* As cw_scheduler_pick. */
static uint32_t wide_pick(const struct cw_core *c, const struct cw_scheduler *sched, const struct cw_slots *set)
{
    if (sched->policy != CW_SCHED_GTO)
        return next_slot(c, set, sched->last);
    return (set->word[sched->last / 64] & cw_core__bit(sched->last)) != 0 ? sched->last : oldest(c, set);
}

/* Makes the next warp of the set the only candidate; returns its bit, 0 when there is none. */
static uint64_t wide_choose(struct cw_core *c, uint32_t s)
{
    for (uint32_t row = 0; row < c->rows; row++)
        if (c->issue.wide.word[row] != 0) {
            c->issue.wide_only = wide_pick(c, &c->scheduler[s], &c->issue.wide);
            return cw_core__bit(c->issue.wide_only);
        }
    return 0;
}

static __attribute__((noinline)) uint64_t wide_first(struct cw_core *c, uint32_t s)
{
    wide_candidates(c, s, &c->issue.wide);
    return wide_choose(c, s);
}

/* The candidate has not issued. */
static __attribute__((noinline)) uint64_t wide_next(struct cw_core *c, uint32_t s)
{
    c->issue.wide.word[c->issue.wide_only / 64] &= ~cw_core__bit(c->issue.wide_only);
    return wide_choose(c, s);
}

/* ---- who issues ---- */

/* The warp that is tried next: the only candidate of a core with more rows, or one that the policy puts first. */
static __attribute__((noinline)) uint32_t unusual_pick(const struct cw_core *c, uint32_t s, uint64_t candidates)
{
    if (c->rows > 1)
        return c->issue.wide_only;
    if (c->control->ops->first != NULL)
        candidates = c->control->ops->first(c->control, s, c->cycle, candidates);
    return cw_scheduler_pick(&c->scheduler[s], &c->ages, candidates);
}

/* Whether the policy lets a candidate issue, and whether a dynamic one is ready still. */
static __attribute__((noinline)) bool unusual_may_issue(struct cw_core *c, uint32_t w)
{
    if (c->control->ops->may_issue != NULL && !c->control->ops->may_issue(c->control, w))
        return false;
    const bool own = c->thread_done != NULL && !c->mixes; /* nothing that the warp waits for is another warp's */
    return c->dynamic == NULL || own || cw_core__still_ready(c, w);
}

/* Tries candidates, which are warps of one row, until one issues. */
static inline __attribute__((always_inline)) bool schedule(struct cw_core *c, uint32_t s, uint64_t candidates, const bool unusual)
{
    struct cw_scheduler *sched = &c->scheduler[s];
    while (candidates != 0 && !c->faulted) {
        const uint32_t w = unusual ? unusual_pick(c, s, candidates) : cw_scheduler_pick(sched, &c->ages, candidates);
        uint32_t fu = c->warp[w].fu;
        if (c->issue.fu_free[s][fu] > c->cycle) {
            need(c, c->issue.fu_free[s][fu]);
            candidates &= ~c->warp[w].row->fu_warps[fu];
        } else if (fu == CW_FU_MEM && c->lsu.cnt >= c->lsu.most) {
            candidates &= ~c->warp[w].row->fu_warps[fu]; /* the load/store unit's own ticks end this */
        } else if (unusual && !unusual_may_issue(c, w)) {
            candidates &= ~cw_core__bit(w);
        } else if (issue(c, s, w, unusual)) {
            sched->last = w;
            sched->free_at = c->cycle + c->config->core_issue_cycles;
            if ((c->row[0].ready & sched->warps) != 0)
                need(c, sched->free_at);
            return true;
        } else {
            candidates &= ~cw_core__bit(w);
        }
    }
    return false;
}

/* Schedulers that compete for a pipeline's entries take turns in going first. */
static uint32_t first_scheduler(const struct cw_core *c)
{
    return c->collects ? (uint32_t)(c->cycle >> c->turn_shift) % c->scheduler_cnt : 0;
}

/* One scheduler's cycle; it has candidates, and is free. */
static bool unusual_schedule(struct cw_core *c, uint32_t s, uint64_t candidates)
{
    for (;;) {
        const bool issued = schedule(c, s, candidates, true);
        if (c->rows == 1)
            return issued;
        if (issued)
            need(c, c->scheduler[s].free_at);
        candidates = issued ? 0 : wide_next(c, s);
        if (candidates == 0)
            return issued;
    }
}

static bool has_ready(const struct cw_core *c)
{
    uint64_t ready = 0;
    for (uint32_t row = 0; row < c->rows; row++)
        ready |= c->row[row].ready;
    return ready != 0;
}

/* In one pipeline a memory instruction that keeps its stage stops all others. */
static __attribute__((noinline)) bool stalls(struct cw_core *c)
{
    uint64_t until;
    if (!cw_core__memory_stalls(c, &until))
        return false;
    if (has_ready(c))
        need(c, until);
    return true;
}

static inline __attribute__((always_inline)) void tick(struct cw_core *c, const bool unusual)
{
    bool issued = false;
    uint32_t s = first_scheduler(c);
    for (uint32_t i = 0; i < c->scheduler_cnt; i++, s = s + 1 < c->scheduler_cnt ? s + 1 : 0) {
        const uint64_t candidates = unusual && c->rows > 1 ? wide_first(c, s) : c->row[0].ready & c->scheduler[s].warps;
        if (candidates == 0)
            continue;
        if (c->scheduler[s].free_at > c->cycle)
            need(c, c->scheduler[s].free_at);
        else
            issued |= unusual ? unusual_schedule(c, s, candidates) : schedule(c, s, candidates, false);
    }
    c->cfg.stats->core_issue_cycles += issued;
}

/* Why nothing issues until something does. */
static inline __attribute__((always_inline)) void set_gap(struct cw_core *c, bool ready)
{
    const enum cw_gap gap = ready ? CW_GAP_STALL : c->pool.out != 0 ? CW_GAP_MEM : CW_GAP_IDLE;
    if (gap == c->classes.gap)
        return;
    if (c->classes.counted < c->cycle && c->room.resident != 0)
        cw_classes_count_gap(&c->classes, c->cfg.stats, c->cycle);
    c->classes.gap = gap;
}

static __attribute__((noinline)) void unusual_tick(struct cw_core *c)
{
    if (c->stalls != NULL)
        cw_core__stalls_charge(c, c->cycle);
    const bool stopped = c->unified && stalls(c);
    if (!stopped && has_ready(c))
        tick(c, true);
    set_gap(c, has_ready(c));
    if (c->stalls != NULL) {
        c->stalls->stopped = stopped;
        cw_core__stalls_judge(c);
    }
}

void cw_core__issue_tick(struct cw_core *c)
{
    c->issue.next = CW_CYCLE_NEVER;
    if (__builtin_expect(c->unusual, 0)) {
        unusual_tick(c);
        return;
    }
    if (c->row[0].ready != 0)
        tick(c, false);
    set_gap(c, c->row[0].ready != 0);
}
