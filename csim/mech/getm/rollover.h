/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A partition's part in a timestamp rollover (GETM V.B.1): a part of the validation unit's component, which holds it and ticks it.
 * README.md has the order of events. Partition 0 leads: it hears the others over timed wires, stops the cores and lets them go on.
 */
#ifndef CW_MECH_GETM_ROLLOVER_H
#define CW_MECH_GETM_ROLLOVER_H

#include "mech/getm/shared.h"

struct cw_getm_rollover {
    /* read by the component around it, which counts acks */
    bool draining;          /* a rollover is under way here */
    bool drain_unit;        /* the validation unit is to answer what is stalled */
    bool flush_unit;        /* and is to clear its tables in this cycle */
    uint32_t acks;          /* cores that have told this partition that nothing of theirs is in flight */
    uint32_t messages_left; /* partition 0: to cores, not yet sent */
    /* rollover.c's own */
    const struct cw_getm *getm;
    const struct cw_wire *stop; /* to this partition */
    uint32_t index;
    uint64_t flushed;      /* rollovers that this partition has done its part of */
    uint64_t wanted;       /* the last one that it has asked for */
    uint32_t flush_cycles; /* since the flush, its cycle included; 0: not yet */
    /* partition 0 */
    bool stopping;
    uint64_t finished; /* rollovers */
    cw_time listen;    /* before this time nothing new can be heard */
    uint32_t message;  /* CW_GETM_STOP or _RESUME */
};

/* wake: the component's wake time, which the wires lower. */
void cw_getm__rollover_init(struct cw_getm_rollover *r, const struct cw_getm *g, uint32_t index, cw_time *wake);

/* What the component around it knows. */
struct cw_getm_rollover_view {
    bool asked; /* the unit has seen a time in the top eighth of the range */
    bool busy;  /* the unit is at work */
    bool empty; /* no request and no release waits in the component */
};

/* One cycle, before the unit's: of partition 0 as the leader, and of every partition. The latter may be left out when it is not due. */
void cw_getm__rollover_lead(struct cw_getm_rollover *r, cw_time now);
void cw_getm__rollover_follow(struct cw_getm_rollover *r, struct cw_getm_rollover_view view, cw_time now);
static inline bool cw_getm__rollover_due(const struct cw_getm_rollover *r, bool asked, cw_time now)
{
    return asked || r->draining || cw_wire_read(r->stop, now) > r->flushed;
}

/* The next message to a core, to be sent now; only while messages_left is not 0. */
struct cw_message *cw_getm__rollover_message(struct cw_getm_rollover *r, cw_time now);
/* When it next needs a tick; a time not after now: at the next edge. */
cw_time cw_getm__rollover_next(const struct cw_getm_rollover *r, cw_time now);
void cw_getm__rollover_state(struct cw_state *s, struct cw_getm_rollover *r);
/* No rollover is under way here, or, in partition 0, anywhere. */
bool cw_getm__rollover_idle(const struct cw_getm_rollover *r);

#endif
