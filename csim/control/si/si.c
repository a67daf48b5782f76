/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subwarp interleaving (HPCA 2022): the sides of a branch are groups of independent threads (csim/control/its), and a group that waits long for
 * a load lets another group of its warp run. README.md tells the protocol.
 */
#include "control/si/si_state.h"

static struct si *of(const struct cw_control *p)
{
    return cw_its_own(p);
}

static void forget(struct si *d, uint32_t warp)
{
    cw_slots_put(&d->stalls.warps, warp, false);
    cw_slots_put(&d->counted, warp, false);
}

static void stalls(struct cw_control *p, uint32_t warp)
{
    cw_its_stalls_note(p, &of(p)->stalls, warp);
}

/* A group that has stopped goes on when all its loads are there. */
static void loaded(struct cw_control *p, uint32_t home, cw_lanes lanes)
{
    const struct cw_control_host *host = cw_its_host(p);
    uint32_t pc;
    if (host->stalled(host->context, home) == 0)
        forget(of(p), home);
    for (cw_lanes among = ~(cw_lanes)0, group; (group = cw_its_stopped(p, home, among, &pc)) != 0; among &= ~group)
        if ((group & lanes) != 0 && host->awaits(host->context, home, pc, group) == 0) {
            cw_its_resume(p, home, group);
            of(p)->counters->subwarp_wakes++;
        }
}

/* Looks at a warp whose group waits for a load. Returns the cycle from which it has waited long enough; UINT64_MAX: somebody will say when
 * there is something to do. */
static uint64_t look(struct cw_control *p, uint32_t warp, uint64_t cycle)
{
    struct si *d = of(p);
    const struct cw_control_host *host = cw_its_host(p);
    const uint64_t due = d->stalls.since[warp] + d->keys->wait_cycles;
    if (host->stalled(host->context, warp) == 0) {
        forget(d, warp);
        return UINT64_MAX;
    }
    if (cycle < due)
        return due;
    d->counters->subwarp_stalls += !cw_slots_has(&d->counted, warp);
    cw_slots_put(&d->counted, warp, true);
    if (cw_its_others(p, warp) == 0)
        return UINT64_MAX;
    forget(d, warp);
    d->counters->subwarp_switches++;
    cw_its_stop(p, warp, p->front[warp].active);
    return cycle + 1;
}

static uint64_t tick(struct cw_control *p, uint64_t cycle)
{
    return cw_its_stalls_look(p, &of(p)->stalls, cycle, cw_its_tick(p, cycle), look);
}

static void start(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    forget(of(p), warp);
    cw_its_start(p, warp, lanes);
}

static void state(struct cw_control *p, struct cw_state *s)
{
    struct si *d = of(p);
    cw_its_state(p, s);
    cw_its_stalls_state(p, s, &d->stalls);
    CW_STATE(s, d->counted);
}

static int create(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err)
{
    const int status = cw_its_create_for(out, config, sizeof(struct si), err);
    if (status != CW_OK)
        return status;
    of(*out)->keys = cw_config_own(config->config, &cw_subwarp_keys);
    of(*out)->counters = cw_stats_own(config->stats, &cw_subwarp_counters);
    return CW_OK;
}

static const struct cw_key_set *const key_sets[] = {&cw_its_keys, &cw_subwarp_keys, NULL};
static const struct cw_counter_set *const counter_sets[] = {&cw_subwarp_counters, NULL};

const struct cw_control_ops cw_control_si = {
    CW_ITS_POLICY,
    .name = "si",
    .what = "subwarp interleaving: independent threads; a side of a branch that waits long for a load lets another one run (HPCA 2022)",
    .keys = key_sets,
    .counters = counter_sets,
    .create = create,
    .destroy = cw_its_destroy,
    .state = state,
    .prepare = cw_its_prepare,
    .tick = tick,
    .start = start,
    .stalls = stalls,
    .loaded = loaded,
};
