/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The MSHRs of an L2 slice (include/cowarp/unit/l2_mshr.h), from the provider: C model, RTL, or both in lockstep.
 *
 * A slice does one thing after the other: a request asks and waits or does not, sectors come, the head is performed. The unit is clocked when
 * it is asked, and until the head is known, so its cycles are part of those that the slice takes for tags and data (l2.latency).
 */
#ifndef CW_ADAPT_L2_MSHR_H
#define CW_ADAPT_L2_MSHR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit.h"

struct cw_adapt_l2_mshr;

struct cw_adapt_l2_mshr_config {
    uint32_t partition;
    uint32_t entries, merge, sectors;
};

/* What the unit answers. */
struct cw_adapt_l2_mshr_view {
    bool hit;  /* There is an entry, or a head. */
    bool room; /* The request may wait, or go on. */
    bool behind;
    bool ends;        /* With this the entry is not in use any more. */
    uint32_t entry;   /* 0 .. 255 */
    uint32_t line;    /* Number in its partition */
    uint8_t fetching; /* Sectors on their way */
};

/* What a request does that has room. */
struct cw_adapt_l2_mshr_request {
    bool passes; /* It has gone on to memory. */
    uint32_t number;
    uint8_t needs, fetch; /* Sectors */
};

/* CW_EUNSUP with the key that is too large for the unit, or the status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_l2_mshr_create(struct cw_adapt_l2_mshr **out, const struct cw_unit_provider *units,
                            const struct cw_adapt_l2_mshr_config *config, struct cw_error *err);
void cw_adapt_l2_mshr_destroy(struct cw_adapt_l2_mshr *t);
void cw_adapt_l2_mshr_state(struct cw_state *s, struct cw_adapt_l2_mshr *t);
/* A request for those sectors of the line of that number; then once cw_adapt_l2_mshr_does, with NULL: it does nothing. */
const struct cw_adapt_l2_mshr_view *cw_adapt_l2_mshr_ask(struct cw_adapt_l2_mshr *t, uint32_t line, uint8_t sectors);
void cw_adapt_l2_mshr_does(struct cw_adapt_l2_mshr *t, const struct cw_adapt_l2_mshr_request *request);
/* Sectors of an entry come, or the head is performed; then once cw_adapt_l2_mshr_here with the sectors that the line has now. */
const struct cw_adapt_l2_mshr_view *cw_adapt_l2_mshr_come(struct cw_adapt_l2_mshr *t, uint32_t entry, uint8_t sectors);
const struct cw_adapt_l2_mshr_view *cw_adapt_l2_mshr_perform(struct cw_adapt_l2_mshr *t);
void cw_adapt_l2_mshr_here(struct cw_adapt_l2_mshr *t, uint8_t sectors);
/* The number of the request at the head; false: there is none. */
bool cw_adapt_l2_mshr_head(const struct cw_adapt_l2_mshr *t, uint32_t *number);
bool cw_adapt_l2_mshr_empty(const struct cw_adapt_l2_mshr *t);

#endif
