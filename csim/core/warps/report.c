/* SPDX-License-Identifier: Apache-2.0 */
/* Faults, the deadlock report, and what counts as progress. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/warps/warps.h"

/* " (file.cu:12)", where the PTX says what it was compiled from. */
static void name_source(const struct cw_module *module, uint32_t line, char text[200])
{
    uint32_t source_line = 0;
    const char *source = cw_module_source(module, line, &source_line);
    text[0] = '\0';
    if (source != NULL)
        snprintf(text, 200, " (%.160s:%u)", source, source_line);
}

void cw_core__fault(struct cw_core_warps *warps, uint32_t w, uint32_t lane, const struct cw_uop *u, int status, const char *fmt, ...)
{
    struct cw_error what, text;
    char source[200];
    w = cw_core__home(warps, warps->warp[w].dynamic, w, lane);
    const uint32_t *block = warps->block[warps->warp[w].block].ctaid;
    uint32_t(*tid)[CW_LANES] = warps->storage.tid[w * warps->halves + lane / CW_LANES];
    va_list ap;
    if (warps->faulted)
        return;
    warps->faulted = true;
    va_start(ap, fmt);
    cw_vfail(&what, status, fmt, ap);
    va_end(ap);
    name_source(warps->launch->module, u->line, source);
    cw_fail(&text, status, "kernel %s: %s:%u%s: block (%u, %u, %u) thread (%u, %u, %u): %s", warps->launch->kernel->name,
            warps->launch->module->file, u->line, source, block[0], block[1], block[2], tid[0][lane % CW_LANES], tid[1][lane % CW_LANES],
            tid[2][lane % CW_LANES], what.text);
    if (warps->cfg.events.fault != NULL)
        warps->cfg.events.fault(warps->cfg.events.context, status, text.text);
}

void cw_core__find(struct cw_core_warps *warps, enum cw_check check, uint32_t w, uint32_t lane, const struct cw_uop *u, uint64_t addr,
                   uint32_t bytes, const char *fmt, ...)
{
    struct cw_finding f = {.check = check, .line = u->line, .address = addr, .bytes = bytes};
    va_list ap;
    if (warps->cfg.events.finding == NULL)
        return;
    w = cw_core__home(warps, warps->warp[w].dynamic, w, lane);
    memcpy(f.block, warps->block[warps->warp[w].block].ctaid, sizeof f.block);
    for (int d = 0; d < 3; d++)
        f.thread[d] = warps->storage.tid[w * warps->halves + lane / CW_LANES][d][lane % CW_LANES];
    va_start(ap, fmt);
    vsnprintf(f.text, sizeof f.text, fmt, ap);
    va_end(ap);
    warps->cfg.events.finding(warps->cfg.events.context, &f);
}

/* A lane takes part with a membermask that does not name it. */
static void find_stranger(const struct cw_core_warps *warps, const struct cw_uop *u, const struct cw_exec *x, uint32_t lane,
                          uint32_t members)
{
    struct cw_finding f = {.check = CW_CHECK_SYNC, .line = u->line};
    for (int d = 0; d < 3; d++) {
        f.block[d] = x->ctaid[d];
        f.thread[d] = x->tid[d][lane];
    }
    snprintf(f.text, sizeof f.text, "the membermask 0x%08x of %s does not name the lane itself, which is %u", members,
             cw_op_mnemonic((enum cw_op)u->op), lane);
    if (warps->cfg.events.finding != NULL)
        warps->cfg.events.finding(warps->cfg.events.context, &f);
}

void cw_core__tell_open(const struct cw_core_warps *warps, const struct cw_uop *u, const struct cw_exec *x, enum cw_exec_open what,
                        uint32_t lane, uint32_t other)
{
    const struct cw_core_events *e = &warps->cfg.events;
    const char *const file = warps->launch->module->file;
    struct cw_error who, text;
    if (cw_core__checks(warps, CW_CHECK_SYNC) && what == CW_EXEC_OPEN_STRANGER) {
        find_stranger(warps, u, x, lane, other);
        return;
    }
    if (e->notice_once == NULL)
        return;
    cw_fail(&who, CW_OK, "kernel %s: %s:%u: block (%u, %u, %u) thread (%u, %u, %u), lane %u:", warps->launch->kernel->name, file, u->line,
            x->ctaid[0], x->ctaid[1], x->ctaid[2], x->tid[0][lane], x->tid[1][lane], x->tid[2][lane], lane);
    if (what == CW_EXEC_OPEN_ABSENT)
        cw_fail(&text, CW_OK, "%s shfl reads lane %u, which does not take part: the value is 0 (PTX leaves it open)", who.text, other);
    else
        cw_fail(&text, CW_OK, "%s the membermask 0x%08x of %s does not name the lane itself: it counts for nothing (PTX leaves it open)",
                who.text, other, cw_op_mnemonic((enum cw_op)u->op));
    e->notice_once(e->context, file, u->line, (uint32_t)what, text.text);
}

/*
 * Progress and spinning. A warp makes progress when one of its threads exits, it stores to global or shared memory, an atomic of it
 * changes memory, it passes a barrier, or it takes a backward branch after an iteration in which it asked memory nothing that another
 * thread could answer: a loop without an atomic and without a volatile load computes, and is not a livelock however long it runs, if a way
 * leads out of it. An iteration with such an access and without progress is a polling iteration; `spin` counts them since the last
 * progress. A volatile load beyond all addresses that the warp has polled is no such access. Inside a transaction only commits (counted by the system) are progress: an attempt that is aborted for ever computes in vain.
 */
/* A dynamic warp is another one in each round, so its threads are asked, each at its home. */
static void backward_branch_mixed(struct cw_core_warps *warps, struct cw_warp *warp, const struct cw_uop *u)
{
    bool polled = false;
    for (uint32_t i = 0; i < warp->dynamic->cnt; i++) {
        const struct cw_dynamic_part *p = &warp->dynamic->part[i];
        struct cw_warp *home = &warps->warp[p->home];
        const uint32_t lanes = home->polled_lanes & p->lanes;
        polled |= lanes != 0;
        home->polled_lanes &= ~p->lanes;
        home->spin = lanes != 0 ? home->spin + 1 : 0;
        home->spin_at = u;
        home->spin_lanes = lanes;
    }
    if (!polled && !(u->flags & CW_UF_ENDLESS) && warps->cfg.progress != NULL)
        ++*warps->cfg.progress;
}

void cw_core__backward_branch(struct cw_core_warps *warps, struct cw_warp *warp, const struct cw_uop *u)
{
    if (warps->mixes) {
        backward_branch_mixed(warps, warp, u);
        return;
    }
    const struct cw_control_ops *ops = warps->control->ops;
    if (!warp->polled) {
        if (!warp->in_region && !(u->flags & CW_UF_ENDLESS))
            cw_core__progress(warps, warp);
        return;
    }
    warp->spin++;
    if (ops->spins != NULL && !warp->in_region && ops->spins(warps->control, (uint32_t)(warp - warps->warp), warp->spin))
        warps->unusual = true;
    warp->polled = false;
}

/* A loop is taken for a spin after this many polling iterations. */
#define SPIN_ITERATIONS 64u

bool cw_core__spin_report(const struct cw_core_warps *warps, struct cw_core_spin *spin)
{
    memset(spin, 0, sizeof *spin);
    for (uint32_t w = 0; w < warps->slots; w++) {
        const struct cw_warp *warp = &warps->warp[w];
        if (warp->wait == CW_WAIT_FREE || warp->wait == CW_WAIT_EXIT || warp->spin < SPIN_ITERATIONS)
            continue;
        /* transactions that abort each other hold no lock */
        const cw_lanes waiting = warp->in_region ? 0 : warps->control->ops->waiting(warps->control, w);
        if (spin->iterations != 0 && (spin->waiting != 0 || waiting == 0)) /* the first warp; one with waiting lanes is better */
            continue;
        uint32_t pc = cw_core__pc(warps, w);
        *spin = (struct cw_core_spin){.warp = w,
                                      .pc = pc,
                                      .line = warps->uop[pc].line,
                                      .lanes = warps->front[w].active,
                                      .waiting = waiting,
                                      .iterations = warp->spin};
        if (warps->mixes && warp->spin_at != NULL) {
            spin->pc = (uint32_t)(warp->spin_at - warps->uop);
            spin->line = warp->spin_at->line;
            spin->lanes = warp->spin_lanes;
        }
        memcpy(spin->ctaid, warps->block[warp->block].ctaid, sizeof spin->ctaid);
    }
    if (spin->iterations != 0 && warps->warp[spin->warp].poll != NULL) {
        spin->poll = warps->warp[spin->warp].poll;
        spin->poll_at = warps->warp[spin->warp].poll_at / 4 * 4;
    }
    return spin->iterations != 0;
}

/* Who spins asks memory in each iteration of a short loop. A long iteration may compute by volatile variables as by others. */
#define FEW_ITERATIONS 256u
#define LONG_CYCLES    4096u

void cw_core__add_patience(const struct cw_core_warps *warps, uint64_t cycle, uint64_t livelock_cycles, uint64_t still_cycles,
                           struct cw_core_patience *p)
{
    for (uint32_t w = 0; w < warps->slots; w++) {
        const struct cw_warp *warp = &warps->warp[w];
        const uint64_t age = warp->in_region ? cycle - warp->attempt_since : 0;
        p->backs_off |= (warp->in_region || warp->wait == CW_WAIT_NONE) && warp->not_before > cycle;
        p->long_attempt |= age > livelock_cycles && age / 20 < livelock_cycles;
        if (!warp->in_region && warp->spin < FEW_ITERATIONS && (uint64_t)warp->spin * LONG_CYCLES < still_cycles)
            p->polls += warp->spin;
    }
    if (warps->checkpoint.longest_back_off > p->longest_back_off)
        p->longest_back_off = warps->checkpoint.longest_back_off;
}

static bool is_pending(const struct cw_core_warps *warps, uint32_t w, uint32_t slot)
{
    struct cw_part p;
    for (uint32_t i = 0; cw_core__part(warps, warps->warp[w].dynamic, w, 0, i, &p); i++)
        if (warps->warp[p.home].slot_cycle[slot] == CW_CYCLE_PENDING ||
            (warps->by_lane && (warps->warp[p.home].slot_lanes[slot] & warps->front[w].active) != 0))
            return true;
    return false;
}

static void report_registers(const struct cw_core_warps *warps, uint32_t w, uint32_t pc, FILE *out)
{
    const struct cw_warp *warp = &warps->warp[w];
    const struct cw_issue_op *op = &warps->op[pc];
    const struct cw_kernel *k = warps->launch->kernel;
    for (uint32_t i = 0; i < op->slot_cnt; i++) {
        uint32_t s = op->slot[i];
        if (!is_pending(warps, w, s))
            continue;
        if (s < k->r32_cnt)
            fprintf(out, "a memory access into 32-bit slot %u", s);
        else if (s < k->r32_cnt + k->r64_cnt)
            fprintf(out, "a memory access into 64-bit slot %u", s - k->r32_cnt);
        else
            fprintf(out, "a predicate");
        fprintf(out, " (%u memory instructions outstanding)", warp->insts);
        return;
    }
    if (warp->not_before > warps->cycle)
        fprintf(out, "cycle %llu (fetch, sleep or back-off)", (unsigned long long)warp->not_before);
    else
        fprintf(out, warp->ready_at <= warps->cycle ? "nothing: ready to issue" : "a register of an instruction in execution");
}

static void report_wait(const struct cw_core_warps *warps, uint32_t w, FILE *out)
{
    const struct cw_warp *warp = &warps->warp[w];
    const struct cw_block *block = &warps->block[warp->block];
    const struct cw_barrier *b = &block->barrier[warp->bar_id];
    fprintf(out, "waits for ");
    switch ((enum cw_wait)warp->wait) {
    case CW_WAIT_BARRIER:
        fprintf(out, "barrier %u: %u of %u threads arrived", warp->bar_id, b->expected != 0 ? b->places : b->arrived,
                b->expected != 0 ? b->expected : block->threads_live);
        break;
    case CW_WAIT_FENCE:
        fprintf(out, "earlier accesses (fence or release): %u memory instructions, %u acknowledgements", warp->insts, warp->acks);
        break;
    case CW_WAIT_PIPE:
        fprintf(out, "earlier accesses: %u queued, %u in the pipeline, %u acknowledgements", warp->queued, warp->piped, warp->acks);
        break;
    case CW_WAIT_REGION_LOADS:
        fprintf(out, "%u memory instructions before %s", warp->insts, warps->uop[cw_core__pc(warps, w)].intrinsic->name);
        break;
    case CW_WAIT_REGION_DRAIN:
    case CW_WAIT_EXIT:
        fprintf(out, "%u memory instructions before %s", warp->insts, warp->wait == CW_WAIT_EXIT ? "it can leave" : "its region can end");
        break;
    case CW_WAIT_MECH:
        fprintf(out, "a mechanism's leave: %s",
                warps->uop[cw_core__pc(warps, w)].intrinsic != NULL ? warps->uop[cw_core__pc(warps, w)].intrinsic->name : "a fence");
        break;
    case CW_WAIT_REGION_END:
        fprintf(out, "the end of its commit: attempt %u", warp->attempt - warp->attempt_first);
        break;
    default:
        if (warps->front[w].active == 0)
            fprintf(out, "the other warps of its block");
        else if (warp->acquiring)
            fprintf(out, "an access with acquire semantics (%u memory instructions outstanding)", warp->insts);
        else
            report_registers(warps, w, cw_core__pc(warps, w), out);
        break;
    }
}

static uint32_t line_of(const void *context, uint32_t pc)
{
    const struct cw_core_warps *warps = context;
    return pc < warps->launch->kernel->uop_cnt ? warps->uop[pc].line : 0;
}

static void report_warp(const struct cw_core_warps *warps, uint32_t w, FILE *out)
{
    const struct cw_warp *warp = &warps->warp[w];
    const uint32_t *id = warps->block[warp->block].ctaid;
    const uint32_t pc = cw_core__pc(warps, w);
    fprintf(out, "core %u warp %u block (%u, %u, %u)", warps->cfg.index, w, id[0], id[1], id[2]);
    if (warps->front[w].active != 0 && pc < warps->launch->kernel->uop_cnt)
        fprintf(out, " at %s:%u (micro-op %u, %s)", warps->launch->module->file, warps->uop[pc].line, pc,
                cw_op_mnemonic((enum cw_op)warps->uop[pc].op));
    fprintf(out, ": %u lanes active, %u wait for reconvergence; ", cw_lanes_count(warps->front[w].active),
            cw_lanes_count(warps->control->ops->waiting(warps->control, w)));
    report_wait(warps, w, out);
    if (warp->spin > 0)
        fprintf(out, "; has polled memory for %u iterations in vain", warp->spin);
    warps->control->ops->report(warps->control, w, line_of, warps, out);
    fprintf(out, "\n");
}

void cw_core__report(const struct cw_core_warps *warps, FILE *out)
{
    for (uint32_t w = 0; w < warps->slots; w++)
        if (warps->warp[w].wait != CW_WAIT_FREE)
            report_warp(warps, w, out);
}

uint32_t cw_look_state(const struct cw_core_warps *warps, uint32_t w)
{
    const struct cw_warp *warp = &warps->warp[w];
    switch ((enum cw_wait)warp->wait) {
    case CW_WAIT_FREE:
        return 0;
    case CW_WAIT_BARRIER:
        return 3;
    case CW_WAIT_FENCE:
    case CW_WAIT_REGION_LOADS:
    case CW_WAIT_EXIT:
        return 4;
    case CW_WAIT_MECH:
        return 5;
    case CW_WAIT_REGION_DRAIN:
    case CW_WAIT_REGION_END:
        return 6;
    default:
        break;
    }
    if (warps->front[w].active == 0)
        return 3;
    if (warp->ready_at == CW_CYCLE_NEVER)
        return 4;
    if ((warps->row[w / 64].ready & cw_core__bit(w)) != 0)
        return 1;
    return warp->in_region && warp->attempt > warp->attempt_first && warp->not_before > warps->cycle + warps->config->core_fetch_cycles ? 7
                                                                                                                                        : 2;
}

/* ---- core/look.h ---- */

uint32_t cw_look_slots(const struct cw_core_warps *warps)
{
    return warps->slots;
}

bool cw_look_warp(const struct cw_core_warps *warps, uint32_t w, struct cw_look_warp *look)
{
    const struct cw_warp *warp = &warps->warp[w];
    *look = (struct cw_look_warp){.launch = warps->launch};
    if (w >= warps->slots || warps->launch == NULL || warp->wait == CW_WAIT_FREE)
        return false;
    look->state = cw_look_state(warps, w);
    look->pc = cw_core__pc(warps, w);
    look->active = warps->front[w].active;
    look->live = warp->live;
    look->block = warp->block;
    memcpy(look->ctaid, warps->block[warp->block].ctaid, sizeof look->ctaid);
    look->number = warp->number;
    look->in_region = warp->in_region;
    look->attempt = warp->attempt - warp->attempt_first;
    return true;
}

cw_lanes cw_look_active(const struct cw_core_warps *warps, uint32_t w)
{
    const bool is = w < warps->slots && warps->launch != NULL && warps->warp[w].wait != CW_WAIT_FREE;
    return is ? warps->front[w].active : 0;
}

void cw_look_thread(const struct cw_core_warps *warps, uint32_t w, uint32_t lane, uint32_t tid[3])
{
    const uint32_t home = cw_core__home(warps, warps->warp[w].dynamic, w, lane);
    for (int d = 0; d < 3; d++)
        tid[d] = warps->storage.tid[home * warps->halves + lane / CW_LANES][d][lane % CW_LANES];
}

bool cw_look_is_pending(const struct cw_core_warps *warps, uint32_t w, struct cw_opnd o)
{
    const struct cw_kernel *k = warps->launch->kernel;
    const uint32_t base = o.kind == CW_OPND_R32 ? 0 : o.kind == CW_OPND_R64 ? k->r32_cnt : k->r32_cnt + k->r64_cnt;
    return is_pending(warps, w, base + o.idx);
}

void cw_look_next(const struct cw_core_warps *warps, uint32_t w, uint64_t *there, uint64_t *ready)
{
    const struct cw_warp *warp = &warps->warp[w];
    *there = warps->buffer != 0 ? warp->fetched_at : warp->not_before;
    *ready = warp->ready_at != CW_CYCLE_NEVER ? warp->ready_at : warps->cycle;
}

uint64_t cw_look_results(const struct cw_core_warps *warps, uint32_t w, const struct cw_uop *uop)
{
    const struct cw_issue_op *op = &warps->op[uop - warps->uop];
    const struct cw_warp *warp = &warps->warp[w];
    const uint32_t homes = warp->dynamic != NULL ? warp->dynamic->cnt : 1;
    uint64_t latest = warps->started + op->latency;
    for (uint32_t i = 0; i < homes; i++) {
        const struct cw_warp *home = warp->dynamic != NULL ? &warps->warp[warp->dynamic->part[i].home] : warp;
        for (uint32_t d = 0; d < op->dst_cnt; d++) {
            const uint64_t at = home->slot_cycle[op->slot[d]];
            latest = at != CW_CYCLE_PENDING && at > latest ? at : latest;
        }
    }
    return latest;
}

void cw_look_tell_wait(const struct cw_core_warps *warps, uint32_t w, FILE *out)
{
    report_wait(warps, w, out);
}

void cw_look_tell_stack(const struct cw_core_warps *warps, uint32_t w, FILE *out)
{
    warps->control->ops->report(warps->control, w, line_of, warps, out);
}
