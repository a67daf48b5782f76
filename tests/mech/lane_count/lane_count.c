/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane_count: a mechanism that is one hardware unit per core. Socket `issued` hands it each instruction; in its next tick the core's lane
 * counter has one clock with all instructions of the cycle before.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cowarp/unit/lane_counter.h"
#include "mech/mech.h"

struct counters {
#define X CW_COUNTER_FIELD
#include "counters.def"
#undef X
};

static const struct cw_counter counter[] = {
#define X CW_COUNTER_SUM
#include "counters.def"
#undef X
};
static const struct cw_counter_set set = {.owner = "lane_count", .counter = counter, .counter_cnt = sizeof counter / sizeof counter[0]};
static const struct cw_counter_set *const counter_sets[] = {&set, NULL};

struct lane_core {
    struct counters *counters;
    struct cw_unit_instance unit;
    struct cw_lane_counter_in in; /* of the unit's next cycle */
    uint32_t slots;               /* used of it */
    uint64_t counted;             /* of the unit's total, what is in the statistics */
};

struct lane_count {
    uint32_t core_cnt;
    struct lane_core core[];
};

/* A core has at most four schedulers, and each issues at most one instruction per cycle. */
static void issued(void *self, uint32_t warp, const struct cw_uop *uop, cw_lanes lanes, cw_time now)
{
    struct lane_core *c = self;
    uint64_t *const slot[CW_LANE_COUNTER_SLOTS] = {&c->in.lanes_0, &c->in.lanes_1, &c->in.lanes_2, &c->in.lanes_3};
    (void)warp;
    (void)uop;
    (void)now;
    *slot[c->slots] = lanes;
    c->in.issue_valid |= UINT64_C(1) << c->slots++;
}

static cw_time tick(void *self, cw_time now)
{
    struct lane_core *c = self;
    struct cw_lane_counter_out out;
    (void)now;
    if (c->slots == 0)
        return CW_TIME_NEVER;
    c->unit.ops->eval(c->unit.self, &c->in, &out);
    c->unit.ops->tick(c->unit.self, &c->in);
    c->counters->lane_count_busy++;
    c->in = (struct cw_lane_counter_in){0};
    c->slots = 0;
    return CW_TIME_NEVER;
}

/* The kernel is not over before the unit has counted its last instruction. */
static bool core_idle(const void *self)
{
    return ((const struct lane_core *)self)->slots == 0;
}

static const struct cw_core_sockets sockets = {.issued = issued, .tick = tick, .idle = core_idle};

static void destroy(void *self)
{
    struct lane_count *l = self;
    for (uint32_t i = 0; i < l->core_cnt; i++)
        if (l->core[i].unit.ops != NULL)
            l->core[i].unit.ops->destroy(l->core[i].unit.self);
    free(l);
}

static int create(void **self, const struct cw_mech_host *host, struct cw_error *err)
{
    const uint32_t cnt = host->config->core_count;
    struct lane_count *l = calloc(1, sizeof *l + cnt * sizeof l->core[0]);
    struct cw_lane_counter_params p;
    int status = CW_OK;
    if (l == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for lane counters");
    cw_unit_params_default(&cw_lane_counter_unit, &p);
    p.lanes = host->config->core_warp_width;
    l->core_cnt = cnt;
    for (uint32_t i = 0; i < cnt && status == CW_OK; i++) {
        char name[40];
        snprintf(name, sizeof name, "core%u.lane_counter", i);
        l->core[i].counters = cw_stats_own(host->stats, &set);
        status = host->units->open(host->units->context, &cw_lane_counter_unit, name, &p, &l->core[i].unit, err);
    }
    if (status != CW_OK)
        destroy(l);
    else
        *self = l;
    return status;
}

static void *core_self(void *self, uint32_t core)
{
    struct lane_count *l = self;
    return l->core + core;
}

/* Reads the sums out of the units. */
static void finish(void *self)
{
    static const struct cw_lane_counter_in nothing;
    struct lane_count *l = self;
    for (uint32_t i = 0; i < l->core_cnt; i++) {
        struct lane_core *c = &l->core[i];
        struct cw_lane_counter_out out;
        c->unit.ops->eval(c->unit.self, &nothing, &out);
        c->counters->lane_count_total += out.total - c->counted;
        c->counted = out.total;
    }
}

static const struct cw_mech_unit units[] = {
    {.unit = &cw_lane_counter_unit, .what = "adds up the lanes of issued instructions; one per core", .domain = CW_DOMAIN_CORE},
};

const struct cw_mech cw_mech_lane_count = {
    .name = "lane_count",
    .what = "a hardware unit per core that adds up the lanes of issued instructions",
    .any_width = true,
    .any_line = true,
    .unit = units,
    .unit_cnt = sizeof units / sizeof units[0],
    .counters = counter_sets,
    .create = create,
    .destroy = destroy,
    .core = &sockets,
    .core_self = core_self,
    .finish = finish,
};
