/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GETM's validation in a memory partition: a component in the L2's clock. Requests come from the partition's L2 slice, releases from the
 * commit unit, and answers leave for the cores. Its state is in validation.c.
 */
#ifndef CW_MECH_GETM_VALIDATION_H
#define CW_MECH_GETM_VALIDATION_H

#include "mech/getm/shared.h"

struct cw_getm_validation;

/* Statuses: CW_ENOMEM, or the unit provider's, with err. Destroy it in any case. g outlives it. */
int cw_getm__validation_create(struct cw_getm_validation **out, const struct cw_getm *g, uint32_t index, struct cw_error *err);
void cw_getm__validation_destroy(struct cw_getm_validation *v);
struct cw_component *cw_getm__validation_component(struct cw_getm_validation *v);
/* Where the commit unit pushes: struct cw_getm_release (messages.h). */
struct cw_fifo *cw_getm__validation_releases(struct cw_getm_validation *v);
bool cw_getm__validation_idle(const struct cw_getm_validation *v);

#endif
