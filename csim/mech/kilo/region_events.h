/* SPDX-License-Identifier: Apache-2.0 */
/* What the family tells the event stream (event/event.h) of its transactions, which are regions there. */
#ifndef CW_MECH_KILO_REGION_EVENTS_H
#define CW_MECH_KILO_REGION_EVENTS_H

#include "mech/kilo/shared.h"
#include "mech/tm/write_set.h"

/* A warp's attempt: with a lane, the name of a region. */
struct cw_kilo_region {
    uint32_t core, warp, attempt;
};

static inline bool cw_kilo_wanted(const struct cw_kilo *tm, enum cw_event_type type)
{
    return cw_events_want(tm->host.events, type);
}

/* These cost a test when nobody listens. BEGIN or ABORT of the lanes. */
void cw_kilo_tell_lanes(const struct cw_kilo *tm, enum cw_event_type type, struct cw_kilo_region region, cw_lanes lanes, cw_time now);
/* READ, VALIDATE or WRITE of a word. */
void cw_kilo_tell_word(const struct cw_kilo *tm, enum cw_event_type type, struct cw_kilo_region region, const struct cw_log_entry *word,
                       cw_time now);
/* COMMIT of a lane with that write set. */
void cw_kilo_tell_commit(const struct cw_kilo *tm, struct cw_kilo_region region, uint32_t lane, const struct cw_write_set *set,
                         cw_time now);

#endif
