/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dynamic warp formation (Fung 2015, 2.4 and 3.2): after every instruction the threads of a warp go back by their next PCs, and make warps
 * with others of the core. README.md tells the protocol. The table that finds a warp to join is the unit warp_lut.
 */
#include <stdlib.h>
#include <string.h>

#include "control/dwf/dwf_state.h"

/* ---- what the core says ---- */

static void block_start(struct cw_control *p, uint32_t block, const struct cw_slots *slots)
{
    struct dwf *d = cw_dwf__of(p);
    d->live[block] = 0;
    d->block_slots[block] = (uint32_t)slots->word[0];
    d->used_slots |= d->block_slots[block];
    for (uint64_t warps = slots->word[0]; warps != 0; warps &= warps - 1)
        d->slot_block[__builtin_ctzll(warps)] = block;
}

static void start(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    struct dwf *d = cw_dwf__of(p);
    uint8_t home[CW_WARP_LANES_MAX];
    memset(home, (int)warp, sizeof home);
    p->front[warp] = (struct cw_front){.stop = CW_PC_NONE};
    d->live[d->slot_block[warp]] += cw_lanes_count(lanes);
    d->home[warp] = (struct dwf_home){.live = (uint32_t)lanes};
    cw_dwf__go(d, 0, (uint32_t)lanes, home);
}

/* The threads of the warp in the slot: it has issued. */
static struct dwf_group issued(struct dwf *d, uint32_t slot)
{
    const uint32_t name = d->slot_name[slot];
    const struct dwf_group g = d->warp[name].g;
    d->counters->dwf_threads_out += (uint32_t)__builtin_popcount(g.lanes);
    cw_dwf__end_warp(d, name);
    return g;
}

static void arrive(struct cw_control *p, uint32_t warp)
{
    const uint32_t pc = p->front[warp].pc;
    const struct dwf_group g = issued(cw_dwf__of(p), warp);
    cw_dwf__go(cw_dwf__of(p), pc, g.lanes, g.home);
}

static bool branch(struct cw_control *p, uint32_t warp, cw_lanes taken, const struct cw_branch *b)
{
    const struct dwf_group g = issued(cw_dwf__of(p), warp);
    const uint32_t on = g.lanes & ~(uint32_t)taken;
    if (b->target == b->next) {
        cw_dwf__go(cw_dwf__of(p), b->next, g.lanes, g.home);
        return false;
    }
    if (taken != 0 && on != 0)
        cw_dwf__part(cw_dwf__of(p), &g, b->rpc);
    cw_dwf__go(cw_dwf__of(p), b->target, (uint32_t)taken, g.home);
    cw_dwf__go(cw_dwf__of(p), b->next, on, g.home);
    return taken != 0 && on != 0;
}

static bool branch_indexed(struct cw_control *p, uint32_t warp, const uint32_t *target, const struct cw_branch *b)
{
    const struct dwf_group g = issued(cw_dwf__of(p), warp);
    uint32_t sides = 0;
    for (uint32_t left = g.lanes; left != 0; left &= left - 1)
        if (target[__builtin_ctz(left)] != target[__builtin_ctz(g.lanes)]) {
            cw_dwf__part(cw_dwf__of(p), &g, b->rpc);
            break;
        }
    for (uint32_t left = g.lanes; left != 0; sides++) {
        const uint32_t to = target[__builtin_ctz(left)];
        uint32_t lanes = 0;
        for (uint32_t rest = left; rest != 0; rest &= rest - 1)
            lanes |= target[__builtin_ctz(rest)] == to ? rest & -rest : 0;
        cw_dwf__go(cw_dwf__of(p), to, lanes, g.home);
        left &= ~lanes;
    }
    return sides > 1;
}

/* Lanes leave the warp that executes; the others go on when the core says where. */
static void leave(struct dwf *d, uint32_t slot, uint32_t lanes)
{
    const uint32_t name = d->slot_name[slot];
    struct dwf_warp *w = &d->warp[name];
    d->counters->dwf_threads_out += (uint32_t)__builtin_popcount(lanes);
    d->threads[w->g.pc] -= (uint32_t)__builtin_popcount(lanes);
    w->g.lanes &= ~lanes;
    d->control.front[slot].active = w->g.lanes;
    if (w->g.lanes == 0)
        cw_dwf__end_warp(d, name);
}

static void exit_lanes(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    struct dwf *d = cw_dwf__of(p);
    const struct dwf_warp *w = &d->warp[d->slot_name[warp]];
    for (uint32_t left = (uint32_t)lanes; left != 0; left &= left - 1) {
        const uint32_t block = d->slot_block[w->g.home[__builtin_ctz(left)]];
        if (--d->live[block] > 0)
            continue;
        for (uint32_t s = 0; s < d->config.warps; s++)
            d->slot_block[s] = d->slot_block[s] == block ? DWF_NONE : d->slot_block[s];
        d->used_slots &= ~d->block_slots[block];
        d->block_slots[block] = 0;
    }
    const struct dwf_group g = w->g;
    leave(d, warp, (uint32_t)lanes);
    for (uint32_t left = (uint32_t)lanes; left != 0; left &= left - 1)
        d->home[g.home[__builtin_ctz(left)]].live &= ~(left & -left);
    for (uint32_t left = (uint32_t)lanes; d->has_barriers && left != 0; left &= left - 1)
        cw_dwf__meet(d, g.home[__builtin_ctz(left)]);
}

static cw_lanes barrier(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes live)
{
    struct dwf *d = cw_dwf__of(p);
    const struct dwf_warp *w = &d->warp[d->slot_name[warp]];
    (void)live;
    for (cw_lanes left = lanes; left != 0; left = cw_lanes_rest(left))
        d->resume_at[w->g.home[cw_lanes_first(left)]][cw_lanes_first(left)] = p->front[warp].pc + 1;
    leave(d, warp, (uint32_t)lanes);
    return lanes;
}

static void resume(struct cw_control *p, uint32_t home, cw_lanes lanes)
{
    struct dwf *d = cw_dwf__of(p);
    uint8_t homes[CW_WARP_LANES_MAX];
    memset(homes, (int)home, sizeof homes);
    while (lanes != 0) {
        const uint32_t pc = d->resume_at[home][cw_lanes_first(lanes)];
        uint32_t same = 0;
        for (cw_lanes left = lanes; left != 0; left = cw_lanes_rest(left))
            same |= d->resume_at[home][cw_lanes_first(left)] == pc ? 1u << cw_lanes_first(left) : 0;
        cw_dwf__go(d, pc, same, homes);
        lanes &= ~(cw_lanes)same;
    }
}

/* Threads at a warp barrier wait for others of their static warp. */
static uint32_t held(const struct cw_control *p, uint32_t block)
{
    const struct dwf *d = (const struct dwf *)p;
    uint32_t n = 0;
    for (uint32_t s = 0; d->has_barriers && s < d->config.warps; s++)
        n += d->slot_block[s] == block && d->home[s].apart ? (uint32_t)__builtin_popcount(d->home[s].there) : 0;
    return n;
}

/* ---- who issues ---- */

static bool may_issue(const struct cw_control *p, uint32_t warp)
{
    (void)warp;
    return ((const struct dwf *)p)->queue_ring.cnt < DWF_QUEUE / 2;
}

/* Whether a warp has waited too long: its threads may hold what those of the majority spin for. */
static void look_for_old(struct dwf *d, uint64_t cycle)
{
    const uint64_t patience = d->keys->patience_cycles;
    uint64_t oldest = cycle;
    for (uint32_t i = 0; i < d->list_cnt; i++)
        oldest = d->warp[d->list[i]].since < oldest ? d->warp[d->list[i]].since : oldest;
    d->look_at = cycle + patience / 4;
    if (cycle - oldest < patience)
        return;
    d->fair_until = cycle + patience;
    d->look_at = d->fair_until + patience;
}

/* The candidate that has waited longest. */
static uint64_t oldest_of(const struct dwf *d, uint64_t candidates)
{
    uint32_t oldest = (uint32_t)__builtin_ctzll(candidates);
    for (uint64_t left = candidates; left != 0; left &= left - 1) {
        const uint32_t slot = (uint32_t)__builtin_ctzll(left);
        if (d->warp[d->slot_name[slot]].since < d->warp[d->slot_name[oldest]].since)
            oldest = slot;
    }
    return UINT64_C(1) << oldest;
}

/* The PC with most threads issues until none is left. While it has to wait for registers, others may. */
static uint64_t first(struct cw_control *p, uint32_t scheduler, uint64_t cycle, uint64_t candidates)
{
    struct dwf *d = cw_dwf__of(p);
    uint64_t most = 0;
    (void)scheduler;
    if (cycle >= d->look_at)
        look_for_old(d, cycle);
    if (cycle < d->fair_until)
        return oldest_of(d, candidates);
    cw_dwf__choose(d);
    for (uint64_t left = candidates; left != 0; left &= left - 1)
        if (p->front[__builtin_ctzll(left)].pc == d->majority)
            most |= left & -left;
    return most != 0 ? most : candidates;
}

static cw_lanes waiting(const struct cw_control *p, uint32_t warp)
{
    (void)p;
    (void)warp;
    return 0;
}

static void report(const struct cw_control *p, uint32_t warp, uint32_t (*line)(const void *context, uint32_t pc), const void *context,
                   FILE *out)
{
    const struct dwf *d = (const struct dwf *)p;
    const struct dwf_home *h = &d->home[warp];
    if (d->has_barriers && d->slot_block[warp] != DWF_NONE && h->apart && h->there != 0)
        fprintf(out, "; lanes 0x%08x at home in the slot wait at their warp barrier, line %u, for lanes 0x%08x", h->there,
                line(context, h->meet), h->live & ~h->there);
    fprintf(out, "; the slot's home has %u threads of its block left, the core %u warps",
            d->slot_block[warp] != DWF_NONE ? d->live[d->slot_block[warp]] : 0, d->list_cnt);
}

/* ---- launches, creation ---- */

static bool warp_wide(const struct cw_uop *u)
{
    return u->op == CW_OP_SHFL || u->op == CW_OP_VOTE || u->op == CW_OP_MATCH || u->op == CW_OP_ELECT || u->op == CW_OP_REDUX ||
           u->op == CW_OP_ACTIVEMASK || u->op == CW_OP_MMA || (u->op == CW_OP_BAR && u->cmp == CW_BAR_WARP);
}

static int prepare(struct cw_control *p, const struct cw_kernel *kernel, const char *file, bool static_warps, struct cw_error *err)
{
    struct dwf *d = cw_dwf__of(p);
    if (static_warps)
        return cw_fail(err, CW_EINVAL,
                       "kernel %s: dynamic warp formation takes static warps apart, and the launch asks for them; set core.divergence=tbc "
                       "or pdom",
                       kernel->name);
    if (kernel->uop_cnt > CW_ADAPT_WARP_LUT_PC_MAX)
        return cw_fail(err, CW_EUNSUP, "kernel %s has %u instructions, and PCs of the unit warp_lut end at %u; set core.divergence=pdom",
                       kernel->name, kernel->uop_cnt, CW_ADAPT_WARP_LUT_PC_MAX);
    for (uint32_t i = 0; i < kernel->uop_cnt; i++)
        if (warp_wide(&kernel->uop[i]))
            return cw_fail(
                err, CW_EUNSUP,
                "kernel %s: %s:%u: %s works on a static warp, which dynamic warp formation takes apart; set core.divergence=pdom",
                kernel->name, file, kernel->uop[i].line,
                kernel->uop[i].op == CW_OP_BAR ? "bar.warp" : cw_op_mnemonic((enum cw_op)kernel->uop[i].op));
    free(d->threads);
    free(d->in_heap);
    d->pcs = kernel->uop_cnt + 1;
    d->threads = calloc(d->pcs, sizeof *d->threads);
    d->in_heap = calloc(d->pcs, sizeof *d->in_heap);
    d->heap_cnt = 0;
    d->majority = 0;
    return d->threads != NULL && d->in_heap != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "no memory for the PCs of a kernel");
}

static void destroy(struct cw_control *p)
{
    struct dwf *d = cw_dwf__of(p);
    if (d == NULL)
        return;
    cw_adapt_warp_lut_destroy(d->lut);
    free(d->control.front);
    free(d->queue);
    free(d->outstanding);
    free(d->threads);
    free(d->in_heap);
    free(d);
}

static int create(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err)
{
    struct dwf *d = calloc(1, sizeof *d);
    *out = d != NULL ? &d->control : NULL;
    if (d == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a core's warps");
    d->config = *config;
    d->step = config->config->core_stage_cycles > 1 ? config->config->core_stage_cycles / 2 : 1;
    d->has_barriers = config->config->core_divergence == CW_DIVERGENCE_DWF_WB;
    d->keys = cw_config_own(config->config, &cw_dwf_keys);
    d->counters = cw_stats_own(config->stats, &cw_dwf_counters);
    d->control.front = calloc(config->warps, sizeof *d->control.front);
    d->queue = calloc(DWF_QUEUE, sizeof *d->queue);
    d->outstanding_next = UINT64_MAX;
    const bool waits = config->config->core_scoreboard == CW_SCOREBOARD_WARP;
    if (waits)
        d->outstanding = calloc((size_t)DWF_SLOTS * CW_LANES, sizeof *d->outstanding);
    for (uint32_t s = 0; s < DWF_SLOTS; s++)
        d->slot_name[s] = d->slot_block[s] = DWF_NONE;
    d->free_slots = UINT32_MAX;
    for (uint32_t n = DWF_NAMES; n-- > 0;)
        d->free[d->free_cnt++] = n;
    int status = d->control.front != NULL && d->queue != NULL && (d->outstanding != NULL || !waits)
                     ? CW_OK
                     : cw_fail(err, CW_ENOMEM, "no memory for a core's warps");
    if (status == CW_OK)
        status = cw_adapt_warp_lut_create(&d->lut, config->units, config->core, d->keys->lut_entries, d->keys->lut_ways, err);
    if (status == CW_OK)
        return CW_OK;
    destroy(*out);
    *out = NULL;
    return status;
}

static const struct cw_key_set *const key_sets[] = {&cw_dwf_keys, NULL};
static const struct cw_counter_set *const counter_sets[] = {&cw_dwf_counters, NULL};
static const struct cw_mech_unit units[] = {
    {.unit = &cw_warp_lut_unit,
     .what = "PC-warp table of dynamic warp formation (Fung 2015, 2.4); one per core",
     .domain = CW_DOMAIN_CORE,
     .needs = "core.divergence=dwf"},
};

#define POLICY                                                                                                                            \
    .regroups = true, .mixes = true, .unit = units, .unit_cnt = sizeof units / sizeof units[0], .keys = key_sets,                         \
    .counters = counter_sets, .create = create, .destroy = destroy, .state = cw_dwf__state, .prepare = prepare, .tick = cw_dwf__tick,     \
    .block_start = block_start, .start = start, .arrive = arrive, .branch = branch, .branch_indexed = branch_indexed, .exit = exit_lanes, \
    .barrier = barrier, .resume = resume, .completed = cw_dwf__completed, .held = held, .may_issue = may_issue, .first = first,           \
    .waiting = waiting, .report = report

const struct cw_control_ops cw_control_dwf = {
    .name = "dwf",
    .what = "dynamic warp formation: after each instruction the threads of a core that are at one PC make warps anew (Fung 2015, 2.4)",
    POLICY,
};

const struct cw_control_ops cw_control_dwf_wb = {
    .name = "dwf-wb",
    .what = "the same with warp barriers: static warps until they part, and again where the sides meet (Fung 2015, 3.2.1)",
    POLICY,
};
