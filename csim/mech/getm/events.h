/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What GETM tells whoever listens (csim/event/event.h). A component tells only what it knows itself: the validation unit tells the reads of
 * all lanes of a message, also of those that have aborted since; the listener has heard of their abort from the core.
 */
#ifndef CW_MECH_GETM_EVENTS_H
#define CW_MECH_GETM_EVENTS_H

#include "mech/getm/messages.h"
#include "mech/getm/shared.h"
#include "mech/tm/tell.h"

/* The lanes of a load took the values of this granule of their line, which are in the message. */
void cw_getm__tell_reads(const struct cw_getm *g, const struct cw_message *load, uint32_t granule, cw_time now);
/* Entries of a LOG message, bit i for entry i, have reached memory. */
void cw_getm__tell_writes(const struct cw_getm *g, const struct cw_message *log, cw_lanes entries, cw_time now);

#endif
