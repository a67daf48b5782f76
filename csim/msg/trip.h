/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the requests of cores are on their way: when each has left its core, has come to its partition, and so on. Only a GPU that counts
 * stalls has these; they decide nothing.
 *
 * Whoever moves a message tells the list of it, and the pool when it has ended. A core reads the times of its own requests, to say what a load waits for.
 */
#ifndef CW_MSG_TRIP_H
#define CW_MSG_TRIP_H

#include "msg/message.h"

/* What a request has done. */
enum cw_trip_step {
    CW_TRIP_LEFT,     /* It is in the queue of the crossbar to memory. */
    CW_TRIP_CAME,     /* The partition has taken it. */
    CW_TRIP_DUE,      /* It has had the ROP delay, and waits for the L2's port. */
    CW_TRIP_MISSED,   /* The L2 waits for DRAM with it. */
    CW_TRIP_SERVED,   /* The L2 has performed it, behind DRAM's answer or at once. */
    CW_TRIP_HANDED,   /* The mechanism has it, whose it is. */
    CW_TRIP_RETURNED, /* Its reply has left the L2. */
    CW_TRIP_STEPS
};

struct cw_trip {
    cw_time at[CW_TRIP_STEPS]; /* CW_TIME_NEVER: not yet, or never */
    cw_time ended;             /* CW_TIME_NEVER: It is on its way. */
    uint64_t number;           /* Differs from those of all other requests; 0: the place is free */
    uint32_t tag;              /* As the message's */
    uint16_t core, warp, partition;
    uint8_t kind, mech;      /* As they were when it left */
    uint32_t older, younger; /* Of the core; 0: none. Of a free place younger is the next free one. */
};

/* Why a partition's port takes none of the requests that are due. */
enum cw_trip_block {
    CW_BLOCKED_DOWN, /* Replies before them wait for the crossbar back */
    CW_BLOCKED_DRAM, /* Misses before them wait for DRAM */
    CW_BLOCKS        /* It does */
};

/* How long it has taken none: `total`, and since then. */
struct cw_trip_port {
    cw_time total[CW_BLOCKS], since;
    uint8_t why;
};

struct cw_trips {
    struct cw_trip *trip; /* [0] is nobody's */
    uint32_t cap, free, cores, ports;
    uint64_t begun;
    const cw_time *now;          /* The machine's. */
    uint32_t *oldest, *youngest; /* [core]; 0: none */
    struct cw_trip_port *port;   /* [partition] */
    cw_time *seen;               /* [(core * ports + partition) * CW_BLOCKS + why]: how long, when the core has looked last */
};

/* NULL: no memory. */
struct cw_trips *cw_trips_create(uint32_t cores, uint32_t partitions, const cw_time *now);
void cw_trips_destroy(struct cw_trips *trips);
void cw_trips_state(struct cw_state *s, struct cw_trips *trips);
/* The message leaves its core. Out of memory, it has no trip. */
void cw_trips__begin(struct cw_trips *trips, struct cw_message *m, cw_time now);
/* Requests of the core that have ended before that time leave the list. */
void cw_trips_sweep(struct cw_trips *trips, uint32_t core, cw_time before);

/* The same where there may be no list. */
static inline void cw_trips_begin(struct cw_trips *trips, struct cw_message *m, cw_time now)
{
    if (__builtin_expect(trips != NULL, 0))
        cw_trips__begin(trips, m, now);
}
static inline void cw_trips_pass(struct cw_trips *trips, const struct cw_message *m, enum cw_trip_step step, cw_time now)
{
    if (__builtin_expect(trips != NULL, 0) && m->trip != 0)
        trips->trip[m->trip].at[step] = now;
}
static inline void cw_trips_pass_two(struct cw_trips *trips, const struct cw_message *m, enum cw_trip_step first, cw_time now,
                                     enum cw_trip_step second, cw_time then)
{
    if (__builtin_expect(trips != NULL, 0) && m->trip != 0) {
        trips->trip[m->trip].at[first] = now;
        trips->trip[m->trip].at[second] = then;
    }
}
/* It has ended, with its reply or without, and stays in the list until its core has counted the cycles before. */
static inline void cw_trips_end(struct cw_trips *trips, struct cw_message *m)
{
    if (__builtin_expect(trips != NULL, 0) && m->trip != 0)
        trips->trip[m->trip].ended = *trips->now;
}

/* A partition's port takes requests, or why not, from now on. */
static inline void cw_trips_block(struct cw_trips *trips, uint32_t partition, enum cw_trip_block why, cw_time now)
{
    if (__builtin_expect(trips == NULL, 1) || trips->port[partition].why == why)
        return;
    struct cw_trip_port *p = &trips->port[partition];
    if (p->why != CW_BLOCKS)
        p->total[p->why] += now - p->since;
    p->why = (uint8_t)why;
    p->since = now;
}
/* How long it has taken none for that. */
static inline cw_time cw_trips_blocked(const struct cw_trips *trips, uint32_t partition, enum cw_trip_block why, cw_time now)
{
    const struct cw_trip_port *p = &trips->port[partition];
    return p->total[why] + (p->why == why ? now - p->since : 0);
}

#endif
