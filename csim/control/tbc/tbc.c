/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread block compaction (Fung 2015, 3.3). README.md tells the protocol. The stacks are those of the unit block_stack, and warps are made
 * by the unit thread_compactor; what is here brings them what the core says, and brings the core the warps.
 */
#include "control/tbc/tbc_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct tbc *of(struct cw_control *p)
{
    return (struct tbc *)p;
}

/* ---- operations for the block stack ---- */

/* The operation that a warp's branch, arrival or exit is. There is room: may_issue looks. */
static struct cw_adapt_block_stack_op *tell(struct tbc *t, enum cw_block_stack_op kind, uint32_t block)
{
    assert(t->op_ring.cnt < t->op_cap);
    struct cw_adapt_block_stack_op *op = &t->op[cw_ring_add(&t->op_ring, t->op_cap)];
    *op = (struct cw_adapt_block_stack_op){.kind = kind, .block = block};
    t->config.host.wake(t->config.host.context);
    return op;
}

static struct cw_adapt_block_stack_op *tell_of(struct tbc *t, enum cw_block_stack_op kind, uint32_t warp, uint32_t lanes)
{
    struct cw_adapt_block_stack_op *op = tell(t, kind, t->warp[warp].block);
    op->lanes = lanes;
    memcpy(op->home, t->warp[warp].home, sizeof op->home);
    return op;
}

/* ---- the end of a warp ---- */

/* Whether threads of the block are at a likely-convergence point as soon as they have branched: one of this branch, which both sides take, or
 * the top's, which stays when all go one way (block_stack.h). */
static bool joins_at_branch(const struct tbc_block *b)
{
    const struct cw_branch *at = &b->branch;
    const bool own = at->lpc != CW_PC_NONE && at->lpc != at->rpc;
    const uint32_t lpc = b->goes_first && b->goes_second ? (own ? at->lpc : CW_PC_NONE) : b->lpc;
    return lpc != CW_PC_NONE && ((b->goes_first && at->target == lpc) || (b->goes_second && at->next == lpc));
}

/* The block's last warp has ended: those that came before have waited for it. */
static void all_ended(struct tbc *t, struct tbc_block *b)
{
    for (uint32_t i = 0; i < b->slot_cnt; i++) {
        struct tbc_warp *w = &t->warp[b->slot[i]];
        if (w->waits)
            t->counters->tbc_sync_cycles += *t->config.host.cycle - w->since;
        w->waits = false;
    }
    t->config.stats->lcp_joins += b->end == TBC_END_JOIN || joins_at_branch(b);
}

/* The warp has no thread to run any more; waits: it has threads. */
static void end(struct tbc *t, uint32_t warp, bool waits)
{
    struct tbc_block *b = &t->block[t->warp[warp].block];
    t->control.front[warp].active = 0;
    t->warp[warp].waits = waits;
    t->warp[warp].since = *t->config.host.cycle;
    t->counters->tbc_warps_ended++;
    b->gone += !waits;
    if (++b->ended == b->dynamic)
        all_ended(t, b);
}

/* The warps of an entry have to end alike (block_stack.h). They do unless a branch that the block does not synchronise at has parted them.
 */
static bool ends_alike(struct tbc *t, uint32_t warp, enum tbc_end how)
{
    struct tbc_block *b = &t->block[t->warp[warp].block];
    const uint32_t pc = t->control.front[warp].pc;
    if (b->end == TBC_END_NONE) {
        b->end = how;
        b->end_pc = pc;
    }
    if (b->end == how && b->end_pc == pc)
        return true;
    t->config.host.fault(t->config.host.context, warp,
                         "the warps of a block have parted at a branch that is marked .uni; set tbc.sync=all, or core.divergence=pdom");
    return false;
}

/* With static warps: the lanes go on at this PC when they are in the top again. */
static void note_place(struct tbc *t, uint32_t warp, uint32_t lanes, uint32_t pc)
{
    uint32_t *at = t->at[warp];
    for (uint32_t lane = 0; t->is_static && lane < CW_LANES; lane++)
        at[lane] = (lanes >> lane & 1u) != 0 ? pc : at[lane];
}

void cw_tbc_arrive(struct cw_control *p, uint32_t warp)
{
    struct tbc *t = of(p);
    const bool joins = p->front[warp].pc != t->block[t->warp[warp].block].rpc; /* at the likely-convergence PC */
    if (!ends_alike(t, warp, joins ? TBC_END_JOIN : TBC_END_ARRIVE))
        return;
    tell_of(t, joins ? CW_BLOCK_STACK_JOIN : CW_BLOCK_STACK_ARRIVE, warp, 0);
    note_place(t, warp, (uint32_t)p->front[warp].active, p->front[warp].pc);
    end(t, warp, true);
}

/* ---- branches ---- */

/* Whether the warps of a block wait for each other at the branch. */
static bool synchronises(const struct tbc *t, const struct cw_branch *b)
{
    if (b->kind == CW_BRANCH_ALWAYS || (b->uniform && t->keys->sync == CW_TBC_SYNC_PROVED))
        return false;
    return b->kind == CW_BRANCH_OPEN || t->keys->sync == CW_TBC_SYNC_ALL;
}

/* The warp goes on at pc without its block. */
static void go(struct tbc *t, uint32_t warp, uint32_t pc)
{
    t->control.front[warp].stop = cw_tbc__stop(&t->block[t->warp[warp].block], pc);
    cw_control_advance(&t->control, warp, pc);
}

/* A branch without a reconvergence point of its own meets where its entry does. */
static uint32_t rpc_of(const struct tbc *t, uint32_t warp, const struct cw_branch *b)
{
    return b->rpc != CW_PC_NONE ? b->rpc : t->block[t->warp[warp].block].rpc;
}

bool cw_tbc_branch(struct cw_control *p, uint32_t warp, cw_lanes taken, const struct cw_branch *b)
{
    struct tbc *t = of(p);
    const cw_lanes active = p->front[warp].active;
    const bool diverged = taken != 0 && taken != active && b->target != b->next;
    if (!synchronises(t, b)) {
        if (diverged)
            t->config.host.fault(t->config.host.context, warp,
                                 "threads of a warp disagree at a branch that is marked .uni; set tbc.sync=all, or core.divergence=pdom");
        else
            go(t, warp, taken != 0 ? b->target : b->next);
        return diverged;
    }
    if (!ends_alike(t, warp, TBC_END_BRANCH))
        return false;
    struct cw_adapt_block_stack_op *op = tell_of(t, CW_BLOCK_STACK_BRANCH, warp, (uint32_t)active);
    op->first = (uint32_t)taken;
    op->first_pc = b->target;
    op->second_pc = b->next;
    op->rpc = rpc_of(t, warp, b);
    op->lpc = b->lpc;
    note_place(t, warp, (uint32_t)taken, b->target);
    note_place(t, warp, (uint32_t)(active & ~taken), b->next);
    struct tbc_block *block = &t->block[t->warp[warp].block];
    block->branch = (struct cw_branch){.target = b->target, .next = b->next, .rpc = op->rpc, .lpc = b->lpc};
    block->goes_first = block->goes_first || taken != 0;
    block->goes_second = block->goes_second || taken != active;
    end(t, warp, true);
    return diverged;
}

/* Takes these lanes out of a set of threads by home. */
static void forget(const struct tbc_warp *w, uint32_t lanes, uint32_t *mask)
{
    for (; lanes != 0; lanes &= lanes - 1)
        mask[w->home[__builtin_ctz(lanes)]] &= ~(lanes & -lanes);
}

/* The target of the lowest thread of those that wait at the block's indexed branch. */
static uint32_t lowest_target(const struct tbc *t, const struct tbc_block *b)
{
    uint32_t best = UINT32_MAX, target = 0;
    for (uint32_t i = 0; i < b->slot_cnt; i++) {
        const struct tbc_warp *w = &t->warp[b->slot[i]];
        for (uint32_t left = w->indexed; left != 0; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left), thread = w->home[lane] * CW_LANES + lane;
            if (thread < best) {
                best = thread;
                target = w->target[lane];
            }
        }
    }
    return target;
}

/* All warps of the entry are at its indexed branch. The unit has two sides: threads with the target of the lowest thread go there first,
 * and the others come back to the branch. */
static void branch_all(struct tbc *t, struct tbc_block *b)
{
    const struct cw_branch *what = &b->branch;
    const uint32_t target = b->branch.target = lowest_target(t, b);
    b->goes_first = true;
    for (uint32_t i = 0; i < b->slot_cnt; i++) {
        struct tbc_warp *w = &t->warp[b->slot[i]];
        if (w->indexed == 0)
            continue;
        struct cw_adapt_block_stack_op *op = tell_of(t, CW_BLOCK_STACK_BRANCH, b->slot[i], w->indexed);
        for (uint32_t left = w->indexed; left != 0; left &= left - 1)
            if (w->target[__builtin_ctz(left)] == target)
                op->first |= left & -left;
        forget(w, op->first, b->again);
        for (uint32_t left = w->indexed & ~op->first; left != 0; left &= left - 1)
            b->again[w->home[__builtin_ctz(left)]] |= left & -left;
        op->first_pc = target;
        op->second_pc = b->end_pc;
        op->rpc = what->rpc;
        op->lpc = what->lpc;
        b->goes_second = b->goes_second || op->first != w->indexed;
        note_place(t, b->slot[i], op->first, target);
        note_place(t, b->slot[i], w->indexed & ~op->first, b->end_pc);
        w->indexed = 0;
    }
    t->config.stats->lcp_joins += joins_at_branch(b);
    b->indexed = false;
}

bool cw_tbc_branch_indexed(struct cw_control *p, uint32_t warp, const uint32_t target[CW_WARP_LANES_MAX], const struct cw_branch *b)
{
    struct tbc *t = of(p);
    struct tbc_warp *w = &t->warp[warp];
    struct tbc_block *block = &t->block[w->block];
    const uint32_t active = (uint32_t)p->front[warp].active, first = target[__builtin_ctz(active)];
    bool diverged = false;
    if (!ends_alike(t, warp, TBC_END_BRANCH))
        return false;
    for (uint32_t left = active; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        w->target[lane] = target[lane];
        diverged = diverged || target[lane] != first;
    }
    w->indexed = active;
    block->indexed = true;
    block->branch = (struct cw_branch){.next = block->end_pc, .rpc = rpc_of(t, warp, b), .lpc = b->lpc};
    end(t, warp, true);
    if (block->ended == block->dynamic)
        branch_all(t, block);
    return diverged;
}

/* Threads that do not have the target of the lowest one come back to the branch (branch_all). */
cw_lanes cw_tbc_repeats(const struct cw_control *p, uint32_t warp)
{
    const struct tbc *t = (const struct tbc *)p;
    const struct tbc_warp *w = &t->warp[warp];
    cw_lanes lanes = 0;
    for (cw_lanes left = p->front[warp].active; left != 0; left = cw_lanes_rest(left))
        lanes |= t->block[w->block].again[w->home[cw_lanes_first(left)]] & cw_lanes_one(cw_lanes_first(left));
    return lanes;
}

/* ---- for a policy that adds to this one ---- */

void *cw_tbc_own(const struct cw_control *p)
{
    return ((const struct tbc *)p)->own;
}

bool cw_tbc_waits_at(const struct cw_control *p, const struct cw_branch *b)
{
    return synchronises((const struct tbc *)p, b);
}

uint32_t cw_tbc_meet(const struct cw_control *p, uint32_t warp, const struct cw_branch *b)
{
    return rpc_of((const struct tbc *)p, warp, b);
}

void cw_tbc_go(struct cw_control *p, uint32_t warp, uint32_t pc)
{
    go(of(p), warp, pc);
}

void cw_tbc_see(const struct cw_control *p, uint32_t warp, struct cw_tbc_view *view)
{
    const struct tbc *t = (const struct tbc *)p;
    const struct tbc_warp *w = &t->warp[warp];
    const struct tbc_block *b = &t->block[w->block];
    *view = (struct cw_tbc_view){.block = w->block,
                                 .home = w->home,
                                 .slots = b->slots,
                                 .entry = b->entry,
                                 .warps = b->dynamic,
                                 .left = b->gone,
                                 .is_static = t->is_static};
}

bool cw_tbc_is_free(const struct cw_control *p, uint32_t block)
{
    const struct tbc_block *b = &((const struct tbc *)p)->block[block];
    uint32_t live = 0;
    for (uint32_t i = 0; i < b->slot_cnt; i++)
        live |= b->live[b->slot[i]];
    return live == 0;
}

/* ---- exit, barriers ---- */

void cw_tbc_leave(struct cw_control *p, uint32_t warp, cw_lanes lanes, bool others)
{
    struct tbc *t = of(p);
    struct tbc_block *b = &t->block[t->warp[warp].block];
    struct cw_front *f = &p->front[warp];
    f->active &= ~lanes;
    forget(&t->warp[warp], (uint32_t)lanes, b->live);
    forget(&t->warp[warp], (uint32_t)lanes, b->top);
    struct cw_adapt_block_stack_op *op = tell_of(t, CW_BLOCK_STACK_EXIT, warp, (uint32_t)lanes);
    op->last = f->active == 0 && !others;
    if (!op->last)
        return;
    end(t, warp, false);
    if (b->indexed && b->ended == b->dynamic)
        branch_all(t, b);
}

void cw_tbc_exit(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    cw_tbc_leave(p, warp, lanes, false);
}

/* The active threads arrive together. */
cw_lanes cw_tbc_barrier(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes live)
{
    (void)p;
    (void)warp;
    (void)lanes;
    return live;
}

uint32_t cw_tbc_held(const struct cw_control *p, uint32_t block)
{
    const struct tbc *t = (const struct tbc *)p;
    uint32_t n = 0, top = 0;
    for (uint32_t w = 0; w < t->config.warps; w++) {
        n += (uint32_t)__builtin_popcount(t->block[block].live[w] & ~t->block[block].top[w]);
        top |= t->block[block].top[w];
    }
    return top != 0 ? n : 0; /* Between two tops nobody waits for anyone. */
}

cw_lanes cw_tbc_below(const struct cw_control *p, uint32_t home)
{
    const struct tbc *t = (const struct tbc *)p;
    const struct tbc_block *b = &t->block[t->warp[home].block];
    return b->live[home] & ~b->top[home];
}

uint32_t cw_tbc_where(const struct cw_control *p, uint32_t home, uint32_t lane)
{
    const struct tbc *t = (const struct tbc *)p;
    return t->is_static ? t->at[home][lane] : CW_PC_NONE;
}

cw_lanes cw_tbc_waiting(const struct cw_control *p, uint32_t warp)
{
    const struct tbc *t = (const struct tbc *)p;
    const struct tbc_block *b = &t->block[t->warp[warp].block];
    cw_lanes lanes = 0;
    for (uint32_t w = 0; w < t->config.warps; w++)
        lanes |= b->live[w] & ~b->top[w];
    return lanes;
}

/* ---- which warps issue first ---- */

bool cw_tbc_may_issue(const struct cw_control *p, uint32_t warp)
{
    const struct tbc *t = (const struct tbc *)p;
    (void)warp;
    return t->op_ring.cnt + 2 * t->config.warps + t->blocks < t->op_cap;
}

/* The candidates of the oldest block. */
static uint64_t first_age(const struct tbc *t, uint64_t candidates)
{
    const struct tbc_block *oldest = NULL;
    for (uint32_t i = 0; i < t->blocks; i++)
        if ((t->block[i].slots & candidates) != 0 && (oldest == NULL || t->block[i].number < oldest->number))
            oldest = &t->block[i];
    return oldest != NULL ? oldest->slots & candidates : candidates;
}

/* The candidates of the first block from `block` on that has any. */
static uint64_t first_from(const struct tbc *t, uint64_t candidates, uint32_t *block)
{
    for (uint32_t i = 0; i < t->blocks; i++, *block = *block + 1 < t->blocks ? *block + 1 : 0)
        if ((t->block[*block].slots & candidates) != 0)
            return t->block[*block].slots & candidates;
    return candidates;
}

uint64_t cw_tbc_first(struct cw_control *p, uint32_t scheduler, uint64_t cycle, uint64_t candidates)
{
    struct tbc *t = of(p);
    if (t->keys->priority == CW_TBC_AGE)
        return first_age(t, candidates);
    if (t->keys->priority == CW_TBC_SRR)
        return first_from(t, candidates, &t->sticky[scheduler]);
    uint32_t turn = (uint32_t)(cycle / t->config.config->core_issue_cycles % t->blocks);
    return first_from(t, candidates, &turn);
}

/* ---- blocks and launches ---- */

void cw_tbc_block_start(struct cw_control *p, uint32_t block, const struct cw_slots *slots)
{
    struct tbc *t = of(p);
    uint64_t warps = slots->word[0];
    struct tbc_block *b = &t->block[block];
    *b = (struct tbc_block){.slots = warps, .number = t->block_cnt++, .rpc = CW_PC_NONE, .lpc = CW_PC_NONE, .starts = true};
    for (; warps != 0; warps &= warps - 1) {
        const uint32_t slot = (uint32_t)__builtin_ctzll(warps);
        b->slot[b->slot_cnt++] = slot;
        t->warp[slot] = (struct tbc_warp){.block = block};
    }
    t->config.host.wake(t->config.host.context);
}

void cw_tbc_start(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    struct tbc *t = of(p);
    t->block[t->warp[warp].block].live[warp] = (uint32_t)lanes;
    p->front[warp] = (struct cw_front){.pc = 0, .stop = CW_PC_NONE};
}

static const char *warp_wide(const struct cw_uop *u)
{
    const bool needs = u->op == CW_OP_SHFL || u->op == CW_OP_VOTE || u->op == CW_OP_MATCH || u->op == CW_OP_ELECT || u->op == CW_OP_REDUX ||
                       u->op == CW_OP_ACTIVEMASK || u->op == CW_OP_MMA || (u->op == CW_OP_BAR && u->cmp == CW_BAR_WARP);
    return !needs ? NULL : u->op == CW_OP_BAR ? "bar.warp" : cw_op_mnemonic((enum cw_op)u->op);
}

/* Instructions that speak of a warp mean its static warp. */
static void notice_static(struct tbc *t, const struct cw_kernel *kernel, const char *file, const struct cw_uop *u)
{
    struct cw_error text;
    if (t->noticed == kernel || t->config.core != 0)
        return;
    t->noticed = kernel;
    cw_fail(&text, CW_OK, "kernel %s: %s:%u: %s works on a static warp; its threads stay in their static warps", kernel->name, file,
            u->line, warp_wide(u));
    t->config.host.notice(t->config.host.context, text.text);
}

int cw_tbc_prepare(struct cw_control *p, const struct cw_kernel *kernel, const char *file, bool static_warps, struct cw_error *err)
{
    struct tbc *t = of(p);
    if (kernel->uop_cnt > CW_ADAPT_BLOCK_STACK_PC_MAX)
        return cw_fail(err, CW_EUNSUP, "kernel %s has %u instructions, and PCs of the unit block_stack end at %u; set core.divergence=pdom",
                       kernel->name, kernel->uop_cnt, CW_ADAPT_BLOCK_STACK_PC_MAX);
    t->is_static = static_warps || t->keys->arrangement == CW_TBC_STATIC;
    for (uint32_t i = 0; i < kernel->uop_cnt && !t->is_static; i++)
        if (warp_wide(&kernel->uop[i]) != NULL) {
            notice_static(t, kernel, file, &kernel->uop[i]);
            t->is_static = true;
        }
    return CW_OK;
}

void cw_tbc_report(const struct cw_control *p, uint32_t warp, uint32_t (*line)(const void *context, uint32_t pc), const void *context,
                   FILE *out)
{
    const struct tbc *t = (const struct tbc *)p;
    const struct tbc_block *b = &t->block[t->warp[warp].block];
    if (p->front[warp].active == 0) {
        if (t->warp[warp].waits)
            fprintf(out, " at line %u: %u of %u have come", line(context, p->front[warp].pc), b->ended, b->dynamic);
        return;
    }
    if (b->side_cnt == 0)
        return;
    fprintf(out, "; %u threads of the block wait for them, to go on at", cw_tbc_held(p, t->warp[warp].block));
    for (uint32_t i = b->side_cnt; i-- > 0;)
        fprintf(out, " line %u", line(context, b->side[i]));
}

/* ---- creation ---- */

void cw_tbc_destroy(struct cw_control *p)
{
    struct tbc *t = of(p);
    if (t == NULL)
        return;
    cw_adapt_block_stack_destroy(t->stack);
    cw_adapt_thread_compactor_destroy(t->compactor);
    free(t->control.front);
    free(t->warp);
    free(t->op);
    free(t->own);
    free(t);
}

static int open_units(struct tbc *t, const struct cw_control_config *config, struct cw_error *err)
{
    const struct cw_config *c = config->config;
    const uint32_t stage = c->core_stage_cycles, latency = (c->l1_pipeline + c->l1_latency + stage - 1) / stage;
    int status = cw_adapt_block_stack_create(&t->stack, config->units, config->core, config->warps, t->blocks, latency, err);
    if (status == CW_OK)
        status = cw_adapt_thread_compactor_create(&t->compactor, config->units, config->core, config->warps, err);
    return status;
}

int cw_tbc_create_for(struct cw_control **out, const struct cw_control_config *config, size_t bytes, uint32_t blocks, struct cw_error *err)
{
    struct tbc *t = calloc(1, sizeof *t);
    *out = t != NULL ? &t->control : NULL;
    if (t == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for block-wide stacks");
    t->config = *config;
    t->blocks = blocks;
    t->own = calloc(1, bytes + 1);
    t->op_cap = 4 * config->warps + 2 * t->blocks;
    t->control.front = calloc(config->warps, sizeof *t->control.front);
    t->warp = calloc(config->warps, sizeof *t->warp);
    t->op = calloc(t->op_cap, sizeof *t->op);
    t->keys = cw_config_own(config->config, &cw_tbc_keys);
    t->counters = cw_stats_own(config->stats, &cw_tbc_counters);
    int status = t->own != NULL && t->control.front != NULL && t->warp != NULL && t->op != NULL
                     ? CW_OK
                     : cw_fail(err, CW_ENOMEM, "no memory for block-wide stacks");
    if (status == CW_OK)
        status = open_units(t, config, err);
    if (status == CW_OK)
        return CW_OK;
    cw_tbc_destroy(*out);
    *out = NULL;
    return status;
}

int cw_tbc_create(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err)
{
    return cw_tbc_create_for(out, config, 0, config->config->core_blocks, err);
}

static const struct cw_key_set *const key_sets[] = {&cw_tbc_keys, NULL};
static const struct cw_counter_set *const counter_sets[] = {&cw_tbc_counters, NULL};
const char *const cw_tbc_compactor_inner[] = {"priority_encoder", NULL};
const struct cw_mech_unit cw_tbc_units[2] = {CW_TBC_UNITS};

const struct cw_control_ops cw_control_tbc = {
    CW_TBC_POLICY,
    CW_TBC_CLOCK,
    .name = "tbc",
    .what = "thread block compaction: a stack per block; warps wait for each other at branches, and are made anew (Fung 2015, 3.3)",
    .keys = key_sets,
    .counters = counter_sets,
    .create = cw_tbc_create,
    .destroy = cw_tbc_destroy,
    .state = cw_tbc_state,
    .prepare = cw_tbc_prepare,
    .block_start = cw_tbc_block_start,
    .arrive = cw_tbc_arrive,
    .branch = cw_tbc_branch,
    .branch_indexed = cw_tbc_branch_indexed,
    .repeats = cw_tbc_repeats,
    .exit = cw_tbc_exit,
    .held = cw_tbc_held,
    .may_issue = cw_tbc_may_issue,
    .first = cw_tbc_first,
    .waiting = cw_tbc_waiting,
    .where = cw_tbc_where,
    .below = cw_tbc_below,
    .report = cw_tbc_report,
};
