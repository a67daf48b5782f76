/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets an oracle that wants the calls of struct cw_tm_observer hear a stream of events (csim/event/event.h): it finds the observer's number
 * of an attempt by core, warp, lane and the warp's number of the attempt. Reads of an attempt that has aborted are passed over.
 */
#ifndef CW_TESTS_UNIT_EVENT_ORACLE_H
#define CW_TESTS_UNIT_EVENT_ORACLE_H

#include <stdlib.h>

#include "event/event.h"
#include "mech/tm/tm.h"

#define M_EVENT_CORES 256
#define M_EVENT_WARPS 64

struct m_event_oracle {
    struct cw_event_listener listener;
    struct cw_tm_observer *observer;
    struct m_event_warp {
        struct {
            uint64_t number[CW_LANES];
            uint32_t aborted;
        } * attempt; /* by the attempt's number */
        uint32_t cnt;
    } warp[M_EVENT_CORES][M_EVENT_WARPS];
};

static inline void m_event_hear(void *self, const struct cw_event *e)
{
    struct m_event_oracle *m = self;
    struct m_event_warp *w = &m->warp[e->core][e->warp];
    const struct cw_tm_observer *o = m->observer;
    while (w->cnt <= e->attempt) {
        w->attempt = realloc(w->attempt, (w->cnt + 1) * sizeof *w->attempt);
        if (w->attempt == NULL)
            abort();
        memset(w->attempt + w->cnt++, 0, sizeof *w->attempt);
    }
    uint64_t *number = &w->attempt[e->attempt].number[e->lane];
    uint32_t *aborted = &w->attempt[e->attempt].aborted, bit = 1u << e->lane;
    if (e->type == CW_EVENT_REGION_BEGIN) {
        if (*number != 0) /* a name is used once */
            abort();
        *number = o->begin(o->self, e->core, e->warp, e->lane, e->now);
        return;
    }
    if (*number == 0) /* every name has begun */
        abort();
    if (e->type == CW_EVENT_REGION_READ && (*aborted & bit) == 0)
        o->read(o->self, *number, e->u.word.addr, e->u.word.value, e->now);
    else if (e->type == CW_EVENT_REGION_WRITE)
        o->write(o->self, *number, e->u.word.addr, e->u.word.value, e->u.word.bytes, e->now);
    else if (e->type == CW_EVENT_REGION_COMMIT)
        o->commit(o->self, *number, e->u.set.cnt, e->u.set.addr, e->u.set.value, e->now);
    else if (e->type == CW_EVENT_REGION_ABORT) {
        *aborted |= bit;
        o->abort(o->self, *number, e->now);
    }
}

/* The oracle hears these events from now on; free it behind the stream. NULL when out of memory. */
static inline struct m_event_oracle *m_event_oracle_listen(struct cw_events *events, struct cw_tm_observer *observer)
{
    struct m_event_oracle *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->observer = observer;
    m->listener = (struct cw_event_listener){
        .types = 1u << CW_EVENT_REGION_BEGIN | 1u << CW_EVENT_REGION_READ | 1u << CW_EVENT_REGION_WRITE | 1u << CW_EVENT_REGION_COMMIT |
                 1u << CW_EVENT_REGION_ABORT,
        .self = m,
        .hear = m_event_hear,
    };
    cw_events_listen(events, &m->listener);
    return m;
}

static inline void m_event_oracle_free(struct m_event_oracle *m)
{
    for (uint32_t i = 0; m != NULL && i < M_EVENT_CORES * M_EVENT_WARPS; i++)
        free(m->warp[i / M_EVENT_WARPS][i % M_EVENT_WARPS].attempt);
    free(m);
}

#endif
