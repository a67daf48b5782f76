/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The MSHRs of a slice in hardware: unit l2_mshr (l2.mshr_unit). The unit says who waits and who is performed next; here are the messages, which
 * it knows by their numbers.
 *
 * Private to: mshr_unit.c, l2_private.h.
 */
#ifndef CW_MEM_MSHR_UNIT_H
#define CW_MEM_MSHR_UNIT_H

#include "adapt/l2_mshr.h"
#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit.h"
#include "msg/message.h"

struct cw_mshr_unit;

/* The status of the adapter, or CW_ENOMEM; *out is NULL then. */
int cw_mshr_unit_create(struct cw_mshr_unit **out, const struct cw_unit_provider *units, const struct cw_adapt_l2_mshr_config *config,
                        struct cw_error *err);
void cw_mshr_unit_destroy(struct cw_mshr_unit *u);
void cw_mshr_unit_state(struct cw_state *s, struct cw_mshr_unit *u);
/* A request for those sectors of a line of the partition; then at most once cw_mshr_unit_waits or _passes, and cw_mshr_unit_done in any case. */
const struct cw_adapt_l2_mshr_view *cw_mshr_unit_ask(struct cw_mshr_unit *u, uint32_t line, uint8_t sectors);
/* The unit has p until it is performed. fetch: sectors that are on their way for it. */
void cw_mshr_unit_waits(struct cw_mshr_unit *u, struct cw_message *p, uint8_t needs, uint8_t fetch);
void cw_mshr_unit_passes(struct cw_mshr_unit *u, uint8_t fetch);
void cw_mshr_unit_done(struct cw_mshr_unit *u);
/* Sectors of an entry come; then once cw_mshr_unit_here. */
const struct cw_adapt_l2_mshr_view *cw_mshr_unit_come(struct cw_mshr_unit *u, uint32_t entry, uint8_t sectors);
/* The request that is performed next, or NULL. */
struct cw_message *cw_mshr_unit_head(const struct cw_mshr_unit *u);
/* It is performed: *p is the caller's; then once cw_mshr_unit_here. */
const struct cw_adapt_l2_mshr_view *cw_mshr_unit_perform(struct cw_mshr_unit *u, struct cw_message **p);
/* The sectors that the line has now. */
void cw_mshr_unit_here(struct cw_mshr_unit *u, uint8_t sectors);
bool cw_mshr_unit_empty(const struct cw_mshr_unit *u);

#endif
