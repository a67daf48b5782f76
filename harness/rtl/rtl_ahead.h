/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries built before they are opened, several at a time. What parameters a unit has comes out only when the machine is made. So one
 * makes a machine with the scout in the provider's place, which gives C models and notes what RTL would be asked for, destroys it, and has
 * all of that built. The provider then finds it in the cache.
 */
#ifndef CW_HARNESS_RTL_AHEAD_H
#define CW_HARNESS_RTL_AHEAD_H

#include "rtl_provider.h"

/* Whether two units or more are RTL or lockstep: for one there is nothing to gain. */
bool cw_rtl_ahead_pays(const struct cw_unit_provider *provider);

/* provider: made by cw_rtl_provider_create, outlives the scout. 0 or CW_ENOMEM. */
int cw_rtl_ahead_create(struct cw_unit_provider *scout, const struct cw_unit_provider *provider, struct cw_error *err);
/* Builds what was noted, as many at a time as there are processors. The provider's messages come one at a time, from any thread. A build
 * that fails says nothing: the provider will fail in the same way, and say why. */
void cw_rtl_ahead_build(struct cw_unit_provider *scout);
void cw_rtl_ahead_destroy(struct cw_unit_provider *scout);

#endif
