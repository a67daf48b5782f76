/* SPDX-License-Identifier: Apache-2.0 */
/*
 * abort_watch: asks an abort predictor per core about each attempt of a transaction, and counts how often it was right. It listens to the
 * stream of events, so it works beside every transactional system and changes none.
 *
 * Events of one instant come in any order. What is heard at an instant counts from the next core cycle on, so the order does not matter.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cowarp/unit/abort_predictor.h"
#include "mech/mech.h"

struct counters {
#define X CW_COUNTER_FIELD
#include "mech/abort_watch/counters.def"
#undef X
};

static const struct cw_counter counter[] = {
#define X CW_COUNTER_SUM
#include "mech/abort_watch/counters.def"
#undef X
};
static const struct cw_counter_set set = {.owner = "abort_watch", .counter = counter, .counter_cnt = sizeof counter / sizeof counter[0]};
static const struct cw_counter_set *const counter_sets[] = {&set, NULL};

/* The attempts of a warp. */
struct watched {
    uint32_t running; /* lanes that have begun and have not ended */
    bool aborted;     /* one of them has */
    bool over;        /* the attempt has ended, with over_aborted; the predictor has not learnt it yet */
    bool over_aborted;
    cw_time ended;
};

struct watch {
    struct cw_component component;
    struct cw_event_listener listener;
    struct counters *counters;
    cw_time period;
    uint32_t core_cnt, warp_cnt, over_cnt;
    struct cw_unit_instance *predictor; /* [core] */
    struct watched *warp;               /* [core * warp_cnt + warp] */
};

static void hear(void *self, const struct cw_event *e)
{
    struct watch *w = self;
    struct watched *a = w->warp + (size_t)e->core * w->warp_cnt + e->warp;
    if (e->type == CW_EVENT_REGION_BEGIN) {
        a->aborted = a->running++ != 0 && a->aborted;
        return;
    }
    a->aborted = a->aborted || e->type == CW_EVENT_REGION_ABORT;
    if (a->running == 0 || --a->running > 0)
        return;
    w->over_cnt += !a->over;
    a->over = true;
    a->over_aborted = a->aborted;
    a->ended = e->now;
    if (w->component.wake > e->now + 1)
        w->component.wake = e->now + 1;
}

/* The predictor's cycle: what it expected of the warp, and what it learns. */
static void teach(struct watch *w, const struct cw_unit_instance *u, uint32_t warp, bool aborted)
{
    const struct cw_abort_predictor_in in = {.qry_index = warp, .upd_valid = 1, .upd_index = warp, .upd_abort = aborted};
    struct cw_abort_predictor_out out;
    u->ops->eval(u->self, &in, &out);
    u->ops->tick(u->self, &in);
    if ((out.qry_abort != 0) == aborted)
        w->counters->predicted_right++;
    else
        w->counters->predicted_wrong++;
}

/* One update per core and cycle, lowest warp first. */
static void tick(void *self, cw_time now)
{
    struct watch *w = self;
    for (uint32_t core = 0; core < w->core_cnt && w->over_cnt > 0; core++)
        for (uint32_t warp = 0; warp < w->warp_cnt; warp++) {
            struct watched *a = w->warp + (size_t)core * w->warp_cnt + warp;
            if (!a->over || a->ended >= now)
                continue;
            teach(w, w->predictor + core, warp, a->over_aborted);
            a->over = false;
            w->over_cnt--;
            break;
        }
    w->component.wake = w->over_cnt > 0 ? now + w->period : CW_TIME_NEVER;
}

static void destroy(void *self)
{
    struct watch *w = self;
    for (uint32_t i = 0; w->predictor != NULL && i < w->core_cnt; i++)
        if (w->predictor[i].ops != NULL)
            w->predictor[i].ops->destroy(w->predictor[i].self);
    free(w->predictor);
    free(w->warp);
    free(w);
}

static int open_predictors(struct watch *w, const struct cw_mech_host *host, struct cw_error *err)
{
    struct cw_abort_predictor_params p;
    int status = CW_OK;
    cw_unit_params_default(&cw_abort_predictor_unit, &p);
    for (uint32_t i = 0; i < w->core_cnt && status == CW_OK; i++) {
        char name[40];
        snprintf(name, sizeof name, "core%u.abort_predictor", i);
        status = host->units->open(host->units->context, &cw_abort_predictor_unit, name, &p, w->predictor + i, err);
    }
    return status;
}

static int create(void **self, const struct cw_mech_host *host, struct cw_error *err)
{
    struct watch *w = calloc(1, sizeof *w);
    if (w == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for abort predictors");
    w->component = (struct cw_component){.tick = tick, .self = w, .wake = CW_TIME_NEVER, .domain = CW_DOMAIN_CORE};
    w->listener.types = 1u << CW_EVENT_REGION_BEGIN | 1u << CW_EVENT_REGION_COMMIT | 1u << CW_EVENT_REGION_ABORT;
    w->listener.self = w;
    w->listener.hear = hear;
    w->counters = cw_stats_own(host->stats, &set);
    w->period = host->clocks->period[CW_DOMAIN_CORE];
    w->core_cnt = host->config->core_count;
    w->warp_cnt = host->config->core_warps;
    w->predictor = calloc(w->core_cnt, sizeof *w->predictor);
    w->warp = calloc((size_t)w->core_cnt * w->warp_cnt, sizeof *w->warp);
    int status = w->predictor != NULL && w->warp != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "no memory for abort predictors");
    if (status == CW_OK)
        status = open_predictors(w, host, err);
    if (status == CW_OK)
        cw_events_listen(host->events, &w->listener);
    else
        destroy(w);
    *self = status == CW_OK ? w : NULL;
    return status;
}

static uint32_t components(void *self, struct cw_component **list, uint32_t max)
{
    (void)max;
    list[0] = &((struct watch *)self)->component;
    return 1;
}

static bool idle(const void *self)
{
    return ((const struct watch *)self)->over_cnt == 0;
}

static const struct cw_mech_unit units[] = {
    {.unit = &cw_abort_predictor_unit, .what = "expects aborts of warps that have lately aborted; one per core", .domain = CW_DOMAIN_CORE},
};

const struct cw_mech cw_mech_abort_watch = {
    .name = "abort_watch",
    .what = "asks an abort predictor about each transaction, and counts how often it is right",
    .unit = units,
    .unit_cnt = sizeof units / sizeof units[0],
    .counters = counter_sets,
    .create = create,
    .destroy = destroy,
    .components = components,
    .idle = idle,
};
