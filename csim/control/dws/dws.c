/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dynamic warp subdivision (Meng 2010) on independent threads (csim/control/its): a group of lanes in which some wait for a load and others do not is
 * divided, and while one group waits another one runs. README.md tells the protocol.
 */
#include <stdlib.h>

#include "control/dws/dws_state.h"

static struct dws *of(const struct cw_control *p)
{
    return cw_its_own(p);
}

static void stalls(struct cw_control *p, uint32_t warp)
{
    cw_its_stalls_note(p, &of(p)->stalls, warp);
}

static void forget(struct cw_control *p, uint32_t warp)
{
    cw_slots_put(&of(p)->stalls.warps, warp, false);
}

/* Lanes that have been left behind go on as soon as their own loads are there. */
static void loaded(struct cw_control *p, uint32_t home, cw_lanes lanes)
{
    const struct cw_control_host *host = cw_its_host(p);
    uint32_t pc;
    if (host->stalled(host->context, home) == 0)
        forget(p, home);
    for (cw_lanes among = lanes, group; (group = cw_its_stopped(p, home, among, &pc)) != 0; among &= ~group) {
        const cw_lanes goes = group & ~host->awaits(host->context, home, pc, group);
        if (goes == 0)
            continue;
        cw_its_resume(p, home, goes);
        of(p)->counters->dws_wakes++;
    }
}

/* Some lanes of the group could go on: they first get a place to wait for the others, and do not go if they stand there. Returns whether they do
 * something. */
static bool divide(struct cw_control *p, uint32_t warp, cw_lanes waits)
{
    struct dws *d = of(p);
    const struct cw_front *f = &p->front[warp];
    const uint32_t limit = d->limit[f->pc];
    if (limit == CW_PC_NONE || limit == f->pc)
        return false;
    if (d->meets[warp] != f->pc) {
        d->meets[warp] = f->pc;
        cw_its_meet(p, warp, waits, limit);
        return true;
    }
    d->meets[warp] = CW_PC_NONE;
    d->counters->dws_splits++;
    cw_its_stop(p, warp, waits);
    return true;
}

/* The group has waited long enough. Returns whether somebody else goes on. */
static bool help(struct cw_control *p, uint32_t warp, cw_lanes waits)
{
    struct dws *d = of(p);
    if (cw_its_keeps(p, warp))
        return false;
    if (waits != p->front[warp].active)
        return d->keys->memory == CW_ON && divide(p, warp, waits);
    if (cw_its_others(p, warp) == 0)
        return false;
    d->counters->dws_switches++;
    cw_its_stop(p, warp, waits);
    return true;
}

/* Returns the cycle from which the warp's group has waited long enough; UINT64_MAX: somebody will say when there is something to do. */
static uint64_t look(struct cw_control *p, uint32_t warp, uint64_t cycle)
{
    struct dws *d = of(p);
    const struct cw_control_host *host = cw_its_host(p);
    const cw_lanes waits = host->stalled(host->context, warp);
    const bool has_place = d->meets[warp] == p->front[warp].pc; /* To wait at: it has waited here before. */
    const uint64_t due = d->stalls.since[warp] + (has_place ? 0 : d->keys->wait_cycles);
    if (waits != 0 && cycle < due)
        return due;
    if (waits != 0 && !help(p, warp, waits))
        return UINT64_MAX;
    forget(p, warp);
    return waits != 0 ? cycle + 1 : UINT64_MAX;
}

static uint64_t tick(struct cw_control *p, uint64_t cycle)
{
    return cw_its_stalls_look(p, &of(p)->stalls, cycle, cw_its_tick(p, cycle), look);
}

static void start(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    forget(p, warp);
    of(p)->meets[warp] = CW_PC_NONE;
    cw_its_start(p, warp, lanes);
}

/* Where lanes that run ahead stop: at what decides where a warp goes, and at what waits for others. */
static bool is_limit(const struct cw_uop *u)
{
    switch (u->op) {
    case CW_OP_BRA:
    case CW_OP_BRX:
    case CW_OP_EXIT:
    case CW_OP_BAR:
    case CW_OP_SHFL:
    case CW_OP_VOTE:
    case CW_OP_MATCH:
    case CW_OP_REDUX:
    case CW_OP_ELECT:
    case CW_OP_ACTIVEMASK:
    case CW_OP_MMA:
    case CW_OP_REGION_BEGIN:
    case CW_OP_REGION_END:
        return true;
    default:
        return false;
    }
}

static int prepare(struct cw_control *p, const struct cw_kernel *kernel, const char *file, bool static_warps, struct cw_error *err)
{
    struct dws *d = of(p);
    const int status = cw_its_prepare(p, kernel, file, static_warps, err);
    if (status != CW_OK)
        return status;
    free(d->limit);
    d->limit = malloc(((size_t)kernel->uop_cnt + 1) * sizeof *d->limit);
    if (d->limit == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a kernel's meeting points");
    d->limit[kernel->uop_cnt] = CW_PC_NONE;
    for (uint32_t i = kernel->uop_cnt; i-- > 0;)
        d->limit[i] = is_limit(&kernel->uop[i]) ? i : d->limit[i + 1];
    return CW_OK;
}

static void state(struct cw_control *p, struct cw_state *s)
{
    cw_its_state(p, s);
    cw_its_stalls_state(p, s, &of(p)->stalls);
    CW_STATE(s, of(p)->meets);
}

static void destroy(struct cw_control *p)
{
    if (p != NULL)
        free(of(p)->limit);
    cw_its_destroy(p);
}

static int create(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err)
{
    const int status = cw_its_create_for(out, config, sizeof(struct dws), err);
    if (status != CW_OK)
        return status;
    of(*out)->keys = cw_config_own(config->config, &cw_dws_keys);
    of(*out)->counters = cw_stats_own(config->stats, &cw_dws_counters);
    return CW_OK;
}

static const struct cw_key_set *const key_sets[] = {&cw_its_keys, &cw_dws_keys, NULL};
static const struct cw_counter_set *const counter_sets[] = {&cw_dws_counters, NULL};

const struct cw_control_ops cw_control_dws = {
    CW_ITS_POLICY,
    .name = "dws",
    .what = "dynamic warp subdivision: independent threads; lanes whose loads have come run ahead of those that wait (Meng 2010)",
    .keys = key_sets,
    .counters = counter_sets,
    .create = create,
    .destroy = destroy,
    .state = state,
    .prepare = prepare,
    .tick = tick,
    .start = start,
    .stalls = stalls,
    .loaded = loaded,
};
