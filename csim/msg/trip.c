/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/trip.h"

#include <stdlib.h>

#define FIRST_CAP 256u
#define CAP_MAX   (UINT32_C(1) << 24)

struct cw_trips *cw_trips_create(uint32_t cores, uint32_t partitions, const cw_time *now)
{
    struct cw_trips *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->cores = cores;
    t->ports = partitions;
    t->now = now;
    t->oldest = calloc(cores, sizeof *t->oldest);
    t->youngest = calloc(cores, sizeof *t->youngest);
    t->port = calloc(partitions, sizeof *t->port);
    t->seen = calloc((size_t)cores * partitions * CW_BLOCKS, sizeof *t->seen);
    if (t->oldest == NULL || t->youngest == NULL || t->port == NULL || t->seen == NULL) {
        cw_trips_destroy(t);
        return NULL;
    }
    for (uint32_t i = 0; i < partitions; i++)
        t->port[i].why = CW_BLOCKS;
    return t;
}

void cw_trips_destroy(struct cw_trips *t)
{
    if (t == NULL)
        return;
    free(t->trip);
    free(t->oldest);
    free(t->youngest);
    free(t->port);
    free(t->seen);
    free(t);
}

/* Room for so many, place 0 among them. */
static bool grow(struct cw_trips *t, uint32_t cap)
{
    struct cw_trip *trip = realloc(t->trip, cap * sizeof *trip);
    if (trip == NULL)
        return false;
    for (uint32_t i = t->cap; i < cap; i++)
        trip[i] = (struct cw_trip){.younger = i + 1 < cap ? i + 1 : 0};
    t->free = t->cap != 0 ? t->cap : 1;
    t->trip = trip;
    t->cap = cap;
    return true;
}

void cw_trips__begin(struct cw_trips *t, struct cw_message *m, cw_time now)
{
    m->trip = 0;
    if (t->free == 0 && !grow(t, t->cap != 0 ? 2 * t->cap : FIRST_CAP))
        return;
    const uint32_t i = t->free;
    t->free = t->trip[i].younger;
    t->trip[i] = (struct cw_trip){.ended = CW_TIME_NEVER,
                                  .number = ++t->begun,
                                  .tag = m->tag,
                                  .core = m->core,
                                  .warp = m->warp,
                                  .partition = m->partition,
                                  .kind = m->kind,
                                  .mech = m->mech,
                                  .older = t->youngest[m->core]};
    for (uint32_t step = 0; step < CW_TRIP_STEPS; step++)
        t->trip[i].at[step] = step == CW_TRIP_LEFT ? now : CW_TIME_NEVER;
    *(t->trip[i].older != 0 ? &t->trip[t->trip[i].older].younger : &t->oldest[m->core]) = i;
    t->youngest[m->core] = i;
    m->trip = i;
}

static void forget(struct cw_trips *t, uint32_t i)
{
    struct cw_trip *trip = &t->trip[i];
    *(trip->older != 0 ? &t->trip[trip->older].younger : &t->oldest[trip->core]) = trip->younger;
    *(trip->younger != 0 ? &t->trip[trip->younger].older : &t->youngest[trip->core]) = trip->older;
    *trip = (struct cw_trip){.younger = t->free};
    t->free = i;
}

void cw_trips_sweep(struct cw_trips *t, uint32_t core, cw_time before)
{
    for (uint32_t i = t->oldest[core], next; i != 0; i = next) {
        next = t->trip[i].younger;
        if (t->trip[i].ended < before)
            forget(t, i);
    }
}

void cw_trips_state(struct cw_state *s, struct cw_trips *t)
{
    uint32_t cap = t->cap;
    cw_state_count(s, "cap", &cap, CAP_MAX);
    if (cap > t->cap && !grow(t, cap)) {
        cw_state_fail(s, CW_ENOMEM, "no memory for the requests on their way");
        return;
    }
    for (uint32_t i = 0; i < cap; i++) {
        struct cw_trip *trip = &t->trip[i];
        CW_STATE(s, trip->at);
        CW_STATE(s, trip->ended);
        CW_STATE(s, trip->number);
        CW_STATE(s, trip->tag);
        CW_STATE(s, trip->core);
        CW_STATE(s, trip->warp);
        CW_STATE(s, trip->partition);
        CW_STATE(s, trip->kind);
        CW_STATE(s, trip->mech);
        CW_STATE(s, trip->older);
        CW_STATE(s, trip->younger);
    }
    CW_STATE(s, t->free);
    CW_STATE(s, t->begun);
    cw_state_array(s, "oldest", t->oldest, t->cores, sizeof *t->oldest);
    cw_state_array(s, "youngest", t->youngest, t->cores, sizeof *t->youngest);
    for (uint32_t i = 0; i < t->ports; i++) {
        CW_STATE(s, t->port[i].total);
        CW_STATE(s, t->port[i].since);
        CW_STATE(s, t->port[i].why);
    }
    cw_state_array(s, "seen", t->seen, (size_t)t->cores * t->ports * CW_BLOCKS, sizeof *t->seen);
}
