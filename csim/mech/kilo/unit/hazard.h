/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hazard detection of a commit unit, as kilo.hazard chooses it: the hazard unit with its last-writer history (adapt/hazard_unit.h), or one
 * of the two detectors that thesis 4.4.3 sets beside it (detector.h). A clock, an offered word and an answer mean the same for all three.
 */
#ifndef CW_MECH_KILO_HAZARD_H
#define CW_MECH_KILO_HAZARD_H

#include "adapt/hazard_unit.h"
#include "mech/mech.h"

struct cw_kilo_hazard;
enum cw_kilo_detection { CW_KILO_HISTORY, CW_KILO_PERFECT, CW_KILO_BLOOM_ARRAY }; /* kilo.hazard */

/* For the commit unit of a partition. host is used after the call. Statuses: CW_ENOMEM, or the unit provider's, with err. Destroy it in any
 * case. */
int cw_kilo_hazard_create(struct cw_kilo_hazard **out, const struct cw_mech_host *host, uint32_t partition, struct cw_error *err);
void cw_kilo_hazard_destroy(struct cw_kilo_hazard *h);
void cw_kilo_hazard_state(struct cw_state *s, struct cw_kilo_hazard *h);
/* An epoch of commit IDs begins with this one: forgets every writer. Only when nothing is under way. */
void cw_kilo_hazard_begin_epoch(struct cw_kilo_hazard *h, uint64_t first);
/* As cw_adapt_hazard_unit_clock; counts the history's evictions. */
bool cw_kilo_hazard_clock(struct cw_kilo_hazard *h, const struct cw_adapt_hazard_unit_word *e, uint64_t live,
                          struct cw_adapt_hazard_unit_result *result);
/* Whether the next clock changes anything without a word. */
bool cw_kilo_hazard_busy(const struct cw_kilo_hazard *h);

#endif
