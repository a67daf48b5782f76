/* SPDX-License-Identifier: Apache-2.0 */
/* Schedulers and issue: one warp instruction per scheduler, executed at once, its timing left to the scoreboard. */
#include "core/core_state.h"

/* The warp's lanes whose guard is true. */
static cw_lanes guard(const struct cw_core *c, uint32_t w, const struct cw_uop *u)
{
    const struct cw_exec *x = c->warp[w].x;
    const cw_lanes active = c->front[w].active;
    if (u->guard < 0)
        return active;
    cw_lanes lanes = cw_exec_guard(u, &x[0], cw_lanes_half(active, 0));
    for (uint32_t half = 1; half < c->halves; half++)
        lanes |= (cw_lanes)cw_exec_guard(u, &x[half], cw_lanes_half(active, half)) << (CW_LANES * half);
    return lanes;
}

/* When the warp may issue again; without an instruction buffer, a taken branch and the like costs a fetch. from is the PC of the
 * instruction that issued. */
static void set_fetch(struct cw_core *c, uint32_t w, uint32_t from)
{
    bool taken = c->config->core_buffer == 0 && cw_core__pc(c, w) != from + 1;
    c->warp[w].not_before = c->cycle + (taken ? c->config->core_fetch_cycles : c->stage);
}

/* Cycle from which the results of the instruction that is issuing may be used. */
static uint64_t result_cycle(struct cw_core *c, const struct cw_issue_op *op, uint32_t w)
{
    const uint64_t cycle = c->started + c->result_stages + op->latency;
    return __builtin_expect(c->collects, 0) ? cw_operands_write(&c->operands, op, w, cycle, c->cycle) : cycle;
}

static void execute(struct cw_core *c, struct cw_warp *warp, const struct cw_uop *u, const struct cw_issue_op *op, cw_lanes mask)
{
    if (mask == 0)
        return;
    for (uint32_t half = 0; op->kind == CW_ISSUE_CLOCK && half < c->halves; half++) {
        warp->x[half].clock = c->cycle;
        warp->x[half].globaltimer_ns = (uint64_t)((unsigned __int128)c->now * 1000u / c->cfg.clocks->units_per_us);
    }
    if (cw_lanes_half(mask, 0) != 0)
        u->exec(u, &warp->x[0], cw_lanes_half(mask, 0));
    if (cw_lanes_half(mask, 1) != 0)
        u->exec(u, &warp->x[1], cw_lanes_half(mask, 1));
    cw_scoreboard_set(warp->slot_cycle, op, result_cycle(c, op, (uint32_t)(warp - c->warp)));
}

/* Operand o of all lanes of the warp. */
static void read_lanes(const struct cw_core *c, const struct cw_warp *warp, struct cw_opnd o, uint64_t v[CW_WARP_LANES_MAX])
{
    for (uint32_t half = 0; half < c->halves; half++)
        cw_core__read_operand(&warp->x[half], o, v + CW_LANES * half);
}

/* Targets of a brx; false: a lane's index is beyond the table. */
static bool indexed_targets(struct cw_core *c, uint32_t w, const struct cw_uop *u, uint32_t pc, cw_lanes mask, uint32_t *target)
{
    const struct cw_brx_table *t = &c->launch->kernel->brx[u->target];
    uint64_t index[CW_WARP_LANES_MAX];
    read_lanes(c, &c->warp[w], u->src[0], index);
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

static void branch(struct cw_core *c, uint32_t w, const struct cw_uop *u, uint32_t pc, cw_lanes mask)
{
    bool diverged;
    if (u->op == CW_OP_BRA) {
        diverged = c->control->ops->branch(c->control, w, mask, u->target, pc + 1, u->rpc);
    } else {
        uint32_t target[CW_WARP_LANES_MAX];
        if (!indexed_targets(c, w, u, pc, mask, target))
            return;
        diverged = c->control->ops->branch_indexed(c->control, w, target, u->rpc);
    }
    c->cfg.stats->branches++;
    c->cfg.stats->branches_divergent += diverged;
    if (mask != 0 && u->op == CW_OP_BRA && u->target <= pc)
        cw_core__backward_branch(c, &c->warp[w]);
}

/* A fence is a release and an acquire. */
static bool fence(struct cw_core *c, uint32_t w, const struct cw_uop *u)
{
    if (!cw_core__order_release(c, w, u->scope))
        return false;
    for (uint32_t i = 0; (c->taken & CW_SOCKET_FENCE) != 0 && i < c->mech_cnt; i++)
        if (c->mech[i].sockets->fence != NULL && !c->mech[i].sockets->fence(c->mech[i].self, w, u, c->now)) {
            c->warp[w].wait = CW_WAIT_MECH;
            return false;
        }
    cw_core__order_acquired(c, u->scope);
    return true;
}

static bool constant(struct cw_core *c, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, cw_lanes mask)
{
    for (uint32_t half = 0; half < c->halves; half++) {
        struct cw_mem_inst m = {.uop = u, .warp = w, .half = half, .lanes = cw_lanes_half(mask, half), .space = u->space, .vec = u->vec};
        m.elem_bytes = (uint8_t)cw_type_bytes((enum cw_type)u->type);
        if (m.lanes == 0)
            continue;
        cw_core__read_addresses(&c->warp[w].x[half], u, m.addr);
        if (!cw_core__const_check(c, &m))
            return false;
        cw_core__const_load(c, &m, op);
    }
    return true;
}

/* A call of an intrinsic; op->owner carries it out. */
static bool intrinsic(struct cw_core *c, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, cw_lanes mask)
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
        read_lanes(c, warp, u->src[i], call.arg[i]);
    cw_core__tell_mechanisms(c);
    if (!m->sockets->intrinsic(m->self, &call, c->now)) {
        warp->wait = CW_WAIT_MECH;
        return false;
    }
    for (uint32_t half = 0; u->dst_cnt != 0 && half < c->halves; half++)
        cw_core__write_lanes(&warp->x[half], u->dst[0], u->intrinsic->result, false, cw_lanes_half(mask, half),
                             call.result + CW_LANES * half);
    cw_scoreboard_set(warp->slot_cycle, op, result_cycle(c, op, w));
    return true;
}

static void nap(struct cw_core *c, struct cw_warp *warp, const struct cw_uop *u, cw_lanes mask)
{
    uint64_t ns[CW_WARP_LANES_MAX], longest = 0;
    read_lanes(c, warp, u->src[0], ns);
    for (; mask != 0; mask = cw_lanes_rest(mask)) {
        uint64_t t = ns[cw_lanes_first(mask)];
        longest = t > longest ? t : longest;
    }
    longest = longest > 1000000u ? 1000000u : longest; /* PTX: at most one millisecond */
    warp->not_before = c->cycle + 1 + longest * c->config->clock_core_mhz / 1000u;
}

static bool leave(struct cw_core *c, uint32_t w, const struct cw_uop *u, uint32_t pc, cw_lanes mask)
{
    if (mask != 0 && c->warp[w].in_region) {
        cw_core__fault(c, w, cw_lanes_first(mask), u, CW_EFAULT, "exit inside a transaction");
        return false;
    }
    if (mask != c->front[w].active)
        cw_control_advance(c->control, w, pc + 1);
    if (mask != 0)
        cw_core__exit_lanes(c, w, mask);
    return true;
}

/* Control instructions other than branches. Returns false when the warp has to wait and try again. */
static const char *trap_text(const struct cw_uop *u)
{
    if (u->op != CW_OP_TRAP)
        return "breakpoint";
    if (u->cmp == CW_TRAP_CALL)
        return "indirect call of something that is no function with these parameters, or of one that is being called already (recursion is "
               "not supported)";
    return "trap";
}

static bool control(struct cw_core *c, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, uint32_t pc, cw_lanes mask)
{
    switch (op->kind) {
    case CW_ISSUE_EXIT:
        return leave(c, w, u, pc, mask);
    case CW_ISSUE_TRAP:
        if (mask != 0)
            cw_core__fault(c, w, cw_lanes_first(mask), u, CW_EFAULT, "%s", trap_text(u));
        break;
    case CW_ISSUE_BARRIER:
        cw_control_advance(c->control, w, pc + 1);
        cw_core__barrier(c, w, u, mask);
        return !c->faulted;
    case CW_ISSUE_SLEEP:
        cw_control_advance(c->control, w, pc + 1);
        set_fetch(c, w, pc);
        nap(c, &c->warp[w], u, mask);
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
static bool perform(struct cw_core *c, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, uint32_t pc, cw_lanes mask)
{
    switch (op->kind) {
    case CW_ISSUE_EXEC:
    case CW_ISSUE_CLOCK:
        execute(c, &c->warp[w], u, op, mask);
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
        if (mask != 0 && !fence(c, w, u))
            return false;
        break;
    case CW_ISSUE_INTRINSIC:
        if (!intrinsic(c, w, u, op, mask))
            return false;
        break;
    case CW_ISSUE_PRINT:
        if (mask != 0 && !cw_core__print(c, w, u, mask))
            return false;
        cw_scoreboard_set(c->warp[w].slot_cycle, op, result_cycle(c, op, w));
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
    if (op->fu == CW_FU_ALU || op->fu == CW_FU_FP || op->fu == CW_FU_CTRL) {
        c->fu_free[s][op->fu] = until;
        return;
    }
    for (uint32_t i = 0; i < c->scheduler_cnt; i++)
        c->fu_free[i][op->fu] = until;
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
        c->started = cw_core__past_collectors(c);
        return;
    }
    c->started = cw_operands_issue(&c->operands, op, w, c->cycle);
    const uint64_t entry = cw_operands_entry(&c->operands, (enum cw_pipe)op->pipe);
    for (uint32_t s = 0; s < c->scheduler_cnt; s++)
        c->fu_free[s][op->fu] = entry;
}

/* Who wants to know what issues: mechanisms, and the stream. */
static void tell_issued(struct cw_core *c, uint32_t w, const struct cw_uop *u, cw_lanes mask)
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

static bool issue(struct cw_core *c, uint32_t s, uint32_t w)
{
    const uint32_t pc = cw_core__pc(c, w);
    const struct cw_issue_op *op = &c->op[pc];
    const struct cw_uop *u = &c->uop[pc];
    const cw_lanes mask = guard(c, w, u);
    c->started = c->cycle;
    if (c->collects)
        collect(c, w, op);
    c->warp[w].buffer_next = pc + 1;
    const bool issued = perform(c, w, u, op, pc, mask);
    if (!issued)
        c->warp[w].buffer_next = pc;
    cw_core__requeue(c, w);
    if (!issued)
        return false;
    c->cfg.stats->warp_instructions++;
    c->cfg.stats->thread_instructions += cw_lanes_count(mask);
    if (!c->collects)
        occupy(c, s, op);
    if ((c->taken & (CW_SOCKET_ISSUED | CW_SOCKET_STREAM)) != 0)
        tell_issued(c, w, u, mask);
    return true;
}

static void need(struct cw_core *c, uint64_t cycle)
{
    if (cycle < c->issue_next)
        c->issue_next = cycle;
}

static bool schedule(struct cw_core *c, uint32_t s, uint64_t candidates)
{
    struct cw_scheduler *sched = &c->scheduler[s];
    bool (*const may_issue)(const struct cw_control *, uint32_t) = c->control->ops->may_issue;
    while (candidates != 0 && !c->faulted) {
        uint32_t w = cw_scheduler_pick(sched, &c->ages, candidates);
        uint32_t fu = c->warp[w].fu;
        if (c->fu_free[s][fu] > c->cycle) {
            need(c, c->fu_free[s][fu]);
            candidates &= ~c->fu_warps[fu];
        } else if (fu == CW_FU_MEM && c->queue_cnt >= c->config->core_mem_queue) {
            candidates &= ~c->fu_warps[fu]; /* the load/store unit's own ticks end this */
        } else if (may_issue != NULL && !may_issue(c->control, w)) {
            candidates &= ~cw_core__bit(w);
        } else if (issue(c, s, w)) {
            sched->last = w;
            sched->free_at = c->cycle + c->config->core_issue_cycles;
            if ((c->ready & sched->warps) != 0)
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

void cw_core__issue_tick(struct cw_core *c)
{
    bool issued = false;
    c->issue_next = CW_CYCLE_NEVER;
    uint32_t s = first_scheduler(c);
    for (uint32_t i = 0; i < c->scheduler_cnt && !c->faulted; i++, s = s + 1 < c->scheduler_cnt ? s + 1 : 0) {
        uint64_t candidates = c->ready & c->scheduler[s].warps;
        if (candidates == 0)
            continue;
        if (c->scheduler[s].free_at > c->cycle)
            need(c, c->scheduler[s].free_at);
        else
            issued |= schedule(c, s, candidates);
    }
    c->cfg.stats->core_issue_cycles += issued;
}
