/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What GETM tells whoever listens (csim/event/event.h). A component tells only what it knows itself: the validation unit tells the reads of
 * all lanes of a message, also of those that have aborted since; the listener has heard of their abort from the core.
 */
#ifndef CW_MECH_GETM_EVENTS_H
#define CW_MECH_GETM_EVENTS_H

#include "mech/getm/messages.h"
#include "mech/getm/shared.h"
#include "mech/tm/write_set.h"

/* A warp's attempt, of which these lanes are meant. */
struct cw_getm_attempt_name {
    uint32_t core, warp, attempt;
    cw_lanes lanes;
};

/* type: CW_EVENT_REGION_BEGIN or _ABORT. */
void cw_getm__tell_region(const struct cw_getm *g, enum cw_event_type type, struct cw_getm_attempt_name name, cw_time now);
/* These lanes have committed; set holds their words. */
void cw_getm__tell_commit(const struct cw_getm *g, struct cw_getm_attempt_name name, const struct cw_write_set *set, cw_time now);
/* The lanes of a load took the values of this granule of their line, which are in the message. */
void cw_getm__tell_reads(const struct cw_getm *g, const struct cw_message *load, uint32_t granule, cw_time now);
/* Entries of a LOG message, bit i for entry i, have reached memory. */
void cw_getm__tell_writes(const struct cw_getm *g, const struct cw_message *log, cw_lanes entries, cw_time now);

#endif
