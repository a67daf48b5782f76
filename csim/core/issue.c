/* SPDX-License-Identifier: Apache-2.0 */
/* Schedulers and issue: one warp instruction per scheduler, executed at once, its timing left to the scoreboard. */
#include "core/core_state.h"

void cw_core__set_fetch(struct cw_core *c, struct cw_warp *warp, uint32_t from)
{
    bool taken = cw_simt_pc(&warp->simt) != from + 1;
    warp->not_before = c->cycle + (taken ? c->config->core_fetch_cycles : 1);
}

static void execute(struct cw_core *c, struct cw_warp *warp, const struct cw_uop *u, const struct cw_issue_op *op, uint32_t mask)
{
    if (mask == 0)
        return;
    if (op->kind == CW_ISSUE_CLOCK) {
        warp->x.clock = c->cycle;
        warp->x.globaltimer_ns = (uint64_t)((unsigned __int128)c->now * 1000u / c->cfg.clocks->units_per_us);
    }
    u->exec(u, &warp->x, mask);
    cw_scoreboard_set(warp->slot_cycle, op, c->cycle + op->latency);
}

static void branch(struct cw_core *c, struct cw_warp *warp, const struct cw_uop *u, uint32_t pc, uint32_t mask)
{
    bool diverged;
    if (u->op == CW_OP_BRA) {
        diverged = cw_simt_branch(&warp->simt, mask, u->target, pc + 1, u->rpc);
    } else {
        const struct cw_brx_table *t = &c->launch->kernel->brx[u->target];
        uint64_t index[CW_LANES];
        uint32_t target[CW_LANES];
        cw_core__read_operand(&warp->x, u->src[0], index);
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            target[lane] = (mask >> lane & 1u) == 0 ? pc + 1 : index[lane] < t->cnt ? t->target[index[lane]] : CW_PC_NONE;
        for (uint32_t left = mask; left != 0; left &= left - 1)
            if (target[cw_core__lowest(left)] == CW_PC_NONE) {
                cw_core__fault(c, (uint32_t)(warp - c->warp), cw_core__lowest(left), u, CW_EFAULT,
                               "index beyond the branch table of %u targets", t->cnt);
                return;
            }
        diverged = cw_simt_branch_indexed(&warp->simt, target, u->rpc);
    }
    c->cfg.stats->branches++;
    c->cfg.stats->branches_divergent += diverged;
    if (mask != 0 && u->op == CW_OP_BRA && u->target <= pc)
        cw_core__backward_branch(c, warp);
}

/* membar: a fence at block scope only needs earlier accesses to be in the order that all warps of the core share, the crossbar input. */
static bool fence(struct cw_warp *warp, const struct cw_uop *u)
{
    if (warp->insts == 0 && (u->scope == CW_SCOPE_CTA || warp->acks == 0))
        return true;
    warp->wait = CW_WAIT_FENCE;
    return false;
}

static bool constant(struct cw_core *c, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, uint32_t mask)
{
    uint64_t addr[CW_LANES];
    cw_core__read_operand(&c->warp[w].x, u->src[0], addr);
    for (uint32_t lane = 0; lane < CW_LANES; lane++)
        addr[lane] += (uint64_t)u->imm;
    return cw_core__const_load(c, w, u, op, mask, addr);
}

static void nap(struct cw_core *c, struct cw_warp *warp, const struct cw_uop *u, uint32_t mask)
{
    uint64_t ns[CW_LANES], longest = 0;
    cw_core__read_operand(&warp->x, u->src[0], ns);
    for (; mask != 0; mask &= mask - 1) {
        uint64_t t = ns[cw_core__lowest(mask)];
        longest = t > longest ? t : longest;
    }
    longest = longest > 1000000u ? 1000000u : longest; /* PTX: at most one millisecond */
    warp->not_before = c->cycle + 1 + longest * c->config->clock_core_mhz / 1000u;
}

/* A call that some mechanism has to carry out. */
static void intrinsic(struct cw_core *c, uint32_t w, const struct cw_uop *u, uint32_t mask)
{
    if (mask != 0)
        cw_core__fault(c, w, cw_core__lowest(mask), u, CW_EFAULT, "no mechanism carries out %s", u->intrinsic->name);
}

/* Control instructions other than branches. Returns false when the warp has to wait and try again. */
static bool control(struct cw_core *c, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, uint32_t pc, uint32_t mask)
{
    struct cw_warp *warp = &c->warp[w];
    uint32_t active = cw_simt_active(&warp->simt);
    switch (op->kind) {
    case CW_ISSUE_EXIT:
        if (mask != 0 && cw_simt_in_tx(&warp->simt)) {
            cw_core__fault(c, w, cw_core__lowest(mask), u, CW_EFAULT, "exit inside a transaction");
            return false;
        }
        if (mask != active)
            cw_simt_advance(&warp->simt, pc + 1);
        if (mask != 0)
            cw_core__exit_lanes(c, w, mask);
        return true;
    case CW_ISSUE_TRAP:
        if (mask != 0)
            cw_core__fault(c, w, cw_core__lowest(mask), u, CW_EFAULT, "%s", u->op == CW_OP_TRAP ? "trap" : "breakpoint");
        break;
    case CW_ISSUE_BARRIER:
        cw_simt_advance(&warp->simt, pc + 1);
        cw_core__barrier(c, w, u, mask);
        return !c->faulted;
    case CW_ISSUE_SLEEP:
        cw_simt_advance(&warp->simt, pc + 1);
        cw_core__set_fetch(c, warp, pc);
        nap(c, warp, u, mask);
        return true;
    case CW_ISSUE_TX_BEGIN:
        return cw_core__tx_begin(c, w, active, mask);
    case CW_ISSUE_TX_COMMIT:
        cw_core__tx_commit(c, w, mask);
        return !c->faulted;
    case CW_ISSUE_INTRINSIC:
        intrinsic(c, w, u, mask);
        break;
    default:
        break;
    }
    cw_simt_advance(&warp->simt, pc + 1);
    return !c->faulted;
}

/* Executes the instruction at the top of the warp's stack. false: it did not issue. */
static bool perform(struct cw_core *c, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, uint32_t pc, uint32_t mask)
{
    struct cw_warp *warp = &c->warp[w];
    switch (op->kind) {
    case CW_ISSUE_EXEC:
    case CW_ISSUE_CLOCK:
        execute(c, warp, u, op, mask);
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
        if (mask != 0 && !fence(warp, u))
            return false;
        break;
    case CW_ISSUE_BRANCH:
    case CW_ISSUE_BRANCH_INDEXED:
        branch(c, warp, u, pc, mask);
        cw_core__set_fetch(c, warp, pc);
        return !c->faulted;
    default:
        warp->not_before = c->cycle + 1;
        return control(c, w, u, op, pc, mask);
    }
    cw_simt_advance(&warp->simt, pc + 1);
    cw_core__set_fetch(c, warp, pc);
    return true;
}

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

static bool issue(struct cw_core *c, uint32_t s, uint32_t w)
{
    struct cw_warp *warp = &c->warp[w];
    uint32_t pc = cw_simt_pc(&warp->simt);
    const struct cw_issue_op *op = &c->op[pc];
    const struct cw_uop *u = &c->uop[pc];
    uint32_t mask = cw_exec_guard(u, &warp->x, cw_simt_active(&warp->simt));
    bool issued = perform(c, w, u, op, pc, mask);
    cw_core__requeue(c, w);
    if (!issued)
        return false;
    c->cfg.stats->warp_instructions++;
    c->cfg.stats->thread_instructions += (uint32_t)__builtin_popcount(mask);
    occupy(c, s, op);
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
    while (candidates != 0 && !c->faulted) {
        uint32_t w = cw_scheduler_pick(sched, &c->ages, candidates);
        uint32_t fu = c->warp[w].fu;
        if (c->fu_free[s][fu] > c->cycle) {
            need(c, c->fu_free[s][fu]);
            candidates &= ~c->fu_warps[fu];
        } else if (fu == CW_FU_MEM && c->queue_cnt >= c->config->core_mem_queue) {
            candidates &= ~c->fu_warps[fu]; /* the load/store unit's own ticks end this */
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

void cw_core__issue_tick(struct cw_core *c)
{
    bool issued = false;
    c->issue_next = CW_CYCLE_NEVER;
    for (uint32_t s = 0; s < c->scheduler_cnt && !c->faulted; s++) {
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
