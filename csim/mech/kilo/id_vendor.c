/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vendor of commit IDs (Fung 2015, 4.2.5): gives a committing warp contiguous IDs, in order of arrival. It also keeps the credits for
 * commit unit entries (the thesis gives each core a pool of its own): a warp gets IDs when every commit unit has room for them. When the
 * IDs of kilo.id_bits are used up (0 is none), it waits until all of them have retired everywhere, and begins an epoch; an ID here is 64
 * bits wide and goes on.
 *
 * Requests and grants take kilo.id_latency core cycles each on wires of their own.
 */
#include <stdlib.h>

#include "mech/kilo/kilo_state.h"

#define WAITING 16384u

struct waiting {
    uint16_t core;
    uint8_t warp, cnt;
};

struct cw_kilo_vendor {
    struct cw_component component;
    struct cw_kilo *tm;
    uint64_t next, epoch_start;
    uint32_t epoch;
    struct waiting waiting[WAITING]; /* ring */
    uint32_t head, cnt;
    struct cw_kilo_grant *grant; /* [core][core.warps + 1] */
    uint32_t *granted;           /* per core */
    struct cw_fifo *retired;     /* per partition: oldest ID that has not retired, + 1 */
    uint64_t *oldest;
};

/* Whether that many IDs may be given now. */
static bool room(struct cw_kilo_vendor *v, uint32_t cnt)
{
    const struct cw_config *config = v->tm->config;
    uint64_t oldest = UINT64_MAX;
    for (uint32_t i = 0; i < config->partition_count; i++)
        oldest = v->oldest[i] < oldest ? v->oldest[i] : oldest;
    if (v->next + cnt - v->epoch_start >= UINT64_C(1) << config->kilo_id_bits) {
        if (oldest < v->next)
            return false;
        v->epoch_start = v->next;
        v->epoch++;
        v->tm->cfg.stats->id_rollovers++;
    }
    return v->next + cnt - oldest <= v->tm->window;
}

static void grant(struct cw_kilo_vendor *v, const struct waiting *w, cw_time now)
{
    const struct cw_config *config = v->tm->config;
    uint32_t places = config->core_warps + 1;
    struct cw_kilo_grant *g = v->grant + w->core * places + v->granted[w->core]++ % places;
    *g = (struct cw_kilo_grant){.first = v->next, .warp = w->warp, .epoch = v->epoch};
    v->next += w->cnt;
    cw_fifo_push(&v->tm->core[w->core].grant, now, config->kilo_id_latency * cw_kilo_period(v->tm, CW_DOMAIN_CORE), g);
}

static void tick(void *self, cw_time now)
{
    struct cw_kilo_vendor *v = self;
    const struct cw_config *config = v->tm->config;
    cw_time next = CW_TIME_NEVER;
    for (uint32_t i = 0; i < config->partition_count; i++) {
        void *entry;
        while ((entry = cw_fifo_pop(v->retired + i, now)) != NULL)
            v->oldest[i] = (uint64_t)(uintptr_t)entry - 1;
        next = cw_fifo_next(v->retired + i) < next ? cw_fifo_next(v->retired + i) : next;
    }
    for (uint32_t i = 0; i < config->core_count; i++) {
        struct cw_fifo *from = &v->tm->core[i].request;
        void *entry;
        while ((entry = cw_fifo_pop(from, now)) != NULL) {
            uintptr_t code = (uintptr_t)entry;
            v->waiting[(v->head + v->cnt++) % WAITING] =
                (struct waiting){.core = (uint16_t)i, .warp = (uint8_t)(code & 0xff), .cnt = (uint8_t)(code >> 8)};
        }
        next = cw_fifo_next(from) < next ? cw_fifo_next(from) : next;
    }
    while (v->cnt > 0 && room(v, v->waiting[v->head].cnt)) {
        grant(v, v->waiting + v->head, now);
        v->head = (v->head + 1) % WAITING;
        v->cnt--;
    }
    v->component.wake = next;
}

void cw_kilo__ask_id(struct cw_kilo_core *c, uint32_t warp, uint32_t cnt, cw_time now)
{
    uintptr_t code = (uintptr_t)warp | (uintptr_t)cnt << 8;
    cw_time period = cw_kilo_period(c->tm, CW_DOMAIN_CORE);
    uint32_t cycles = cw_kilo_arbitrated(c->tm) ? 1 : c->tm->config->kilo_id_latency;
    cw_fifo_push(&c->request, now, cycles * period, (void *)code);
    c->asking++;
}

int cw_kilo__vendor_create(struct cw_kilo_vendor **out, struct cw_kilo *tm)
{
    const struct cw_config *config = tm->config;
    struct cw_kilo_vendor *v = *out = calloc(1, sizeof *v);
    if (v == NULL)
        return CW_ENOMEM;
    v->tm = tm;
    v->component = (struct cw_component){.tick = tick, .self = v, .wake = CW_TIME_NEVER, .domain = CW_DOMAIN_CORE};
    v->grant = calloc((size_t)config->core_count * (config->core_warps + 1), sizeof *v->grant);
    v->granted = calloc(config->core_count, sizeof *v->granted);
    v->retired = calloc(config->partition_count, sizeof *v->retired);
    v->oldest = calloc(config->partition_count, sizeof *v->oldest);
    if (v->grant == NULL || v->granted == NULL || v->retired == NULL || v->oldest == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < config->partition_count; i++)
        if (cw_fifo_create(v->retired + i, 4096, &v->component.wake) != CW_OK)
            return CW_ENOMEM;
    for (uint32_t i = 0; i < config->core_count; i++)
        tm->core[i].request.wake = &v->component.wake;
    return CW_OK;
}

void cw_kilo__vendor_destroy(struct cw_kilo_vendor *v)
{
    if (v == NULL)
        return;
    for (uint32_t i = 0; v->retired != NULL && i < v->tm->config->partition_count; i++)
        cw_fifo_destroy(v->retired + i);
    free(v->grant);
    free(v->granted);
    free(v->retired);
    free(v->oldest);
    free(v);
}

struct cw_component *cw_kilo__vendor_component(struct cw_kilo_vendor *v)
{
    return &v->component;
}

struct cw_fifo *cw_kilo__vendor_retired(struct cw_kilo_vendor *v, uint32_t partition)
{
    return v->retired + partition;
}
