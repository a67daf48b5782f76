/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timed wire: a number that one part of the chip drives and one other part reads, a fixed latency later. It stands for signals that are too
 * small to be messages: a request line, a ring of single wires.
 *
 * What is driven at time t can be read from time t + latency on; until then the reader sees the number before. The latency is at least one
 * unit of time, so neither side can see what the other did at the same instant, and the order in which the two tick cannot change a result.
 * This is the rule of the timed FIFO (csim/base/fifo.h) for a value that is looked at and not taken away.
 *
 * A wire holds two numbers, so the next one may be driven only when the last one can be read.
 */
#ifndef CW_BASE_WIRE_H
#define CW_BASE_WIRE_H

#include <assert.h>

#include "base/fifo.h"
#include "base/state.h"

struct cw_wire {
    uint64_t value;  /* driven last */
    uint64_t before; /* what the reader sees until `from` */
    cw_time from;
    cw_time latency;
    cw_time *wake; /* reader's wake time, lowered when a number is driven; may be NULL */
};

/* A wire that has carried 0 for ever. latency: at least 1. The wire does not own *wake, which the reader's component owns. */
static inline void cw_wire_init(struct cw_wire *w, cw_time latency, cw_time *wake)
{
    assert(latency > 0);
    *w = (struct cw_wire){.latency = latency, .wake = wake};
}

static inline void cw_wire_drive(struct cw_wire *w, cw_time now, uint64_t value)
{
    assert(now >= w->from);
    w->before = w->value;
    w->value = value;
    w->from = now + w->latency;
    if (w->wake != NULL && w->from < *w->wake)
        *w->wake = w->from;
}

static inline uint64_t cw_wire_read(const struct cw_wire *w, cw_time now)
{
    return now >= w->from ? w->value : w->before;
}

/* When the reader will see a number that it does not see at time now; CW_TIME_NEVER: nothing is on its way. */
static inline cw_time cw_wire_next(const struct cw_wire *w, cw_time now)
{
    return w->from > now ? w->from : CW_TIME_NEVER;
}

static inline void cw_wire_state(struct cw_state *s, struct cw_wire *w)
{
    CW_STATE(s, w->value);
    CW_STATE(s, w->before);
    CW_STATE(s, w->from);
}

#endif
