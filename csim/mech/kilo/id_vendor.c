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

#include "base/ring.h"
#include "mech/kilo/parts.h"

#define WAITING 16384u

struct cw_kilo_vendor {
    struct cw_component component;
    struct cw_kilo *tm;
    uint64_t next, epoch_start;
    uint32_t epoch;
    struct cw_kilo_request *waiting[WAITING]; /* ring */
    struct cw_ring ring;
    uint64_t *oldest; /* by partition: ID that has not retired */
};

/* Whether that many IDs may be given now. */
static bool room(struct cw_kilo_vendor *v, uint32_t cnt)
{
    const struct cw_config *config = v->tm->config;
    uint64_t oldest = UINT64_MAX;
    for (uint32_t i = 0; i < config->partition_count; i++)
        oldest = v->oldest[i] < oldest ? v->oldest[i] : oldest;
    if (v->next + cnt - v->epoch_start >= UINT64_C(1) << v->tm->keys->kilo_id_bits) {
        if (oldest < v->next)
            return false;
        v->epoch_start = v->next;
        v->epoch++;
        v->tm->counters->id_rollovers++;
    }
    return v->next + cnt - oldest <= v->tm->window;
}

static void grant(struct cw_kilo_vendor *v, struct cw_kilo_request *r, cw_time now)
{
    r->first = v->next;
    r->epoch = v->epoch;
    v->next += cw_lanes_count(r->members);
    cw_fifo_push(v->tm->wires.grant + r->core, now, v->tm->keys->kilo_id_latency * cw_kilo_period(v->tm, CW_DOMAIN_CORE), r);
}

static void tick(void *self, cw_time now)
{
    struct cw_kilo_vendor *v = self;
    const struct cw_kilo_wires *wires = &v->tm->wires;
    cw_time next = CW_TIME_NEVER;
    for (uint32_t i = 0; i < wires->partitions; i++) {
        void *entry;
        while ((entry = cw_fifo_pop(wires->retired + i, now)) != NULL)
            v->oldest[i] = (uint64_t)(uintptr_t)entry - 1;
        next = cw_fifo_next(wires->retired + i) < next ? cw_fifo_next(wires->retired + i) : next;
    }
    for (uint32_t i = 0; i < wires->cores; i++) {
        struct cw_kilo_request *r;
        while ((r = cw_fifo_pop(wires->ask + i, now)) != NULL)
            v->waiting[cw_ring_add(&v->ring, WAITING)] = r;
        next = cw_fifo_next(wires->ask + i) < next ? cw_fifo_next(wires->ask + i) : next;
    }
    while (v->ring.cnt > 0 && room(v, cw_lanes_count(v->waiting[v->ring.head]->members))) {
        grant(v, v->waiting[v->ring.head], now);
        cw_ring_take(&v->ring, WAITING);
    }
    v->component.wake = next;
}

static void state(void *self, struct cw_state *s)
{
    struct cw_kilo_vendor *v = self;
    CW_STATE(s, v->next);
    CW_STATE(s, v->epoch_start);
    CW_STATE(s, v->epoch);
    cw_state_count(s, "head", &v->ring.head, WAITING - 1);
    cw_state_count(s, "waiting", &v->ring.cnt, WAITING);
    for (uint32_t i = 0; i < v->ring.cnt; i++) {
        void *r = v->waiting[cw_ring_at(&v->ring, i, WAITING)];
        cw_kilo_request_slot_state(s, &r, &v->tm->wires);
        v->waiting[cw_ring_at(&v->ring, i, WAITING)] = r;
    }
    cw_state_array(s, "oldest", v->oldest, v->tm->wires.partitions, sizeof *v->oldest);
}

static const struct cw_component_ops component_ops = {.kind = "kilo_id_vendor", .domain = CW_DOMAIN_CORE, .tick = tick, .state = state};

int cw_kilo__vendor_create(struct cw_kilo_vendor **out, struct cw_kilo *tm)
{
    struct cw_kilo_vendor *v = *out = calloc(1, sizeof *v);
    if (v == NULL)
        return CW_ENOMEM;
    v->tm = tm;
    v->component = cw_component_of(&component_ops, v, 0);
    v->oldest = calloc(tm->wires.partitions, sizeof *v->oldest);
    for (uint32_t i = 0; i < tm->wires.partitions; i++)
        tm->wires.retired[i].wake = &v->component.wake;
    for (uint32_t i = 0; i < tm->wires.cores; i++)
        tm->wires.ask[i].wake = &v->component.wake;
    return v->oldest != NULL ? CW_OK : CW_ENOMEM;
}

void cw_kilo__vendor_destroy(struct cw_kilo_vendor *v)
{
    if (v == NULL)
        return;
    free(v->oldest);
    free(v);
}

struct cw_component *cw_kilo__vendor_component(struct cw_kilo_vendor *v)
{
    return &v->component;
}
