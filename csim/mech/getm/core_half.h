/* SPDX-License-Identifier: Apache-2.0 */
/* GETM's half in a core: what becomes of begins, accesses and ends of transactions there. Its state is core_private.h. */
#ifndef CW_MECH_GETM_CORE_HALF_H
#define CW_MECH_GETM_CORE_HALF_H

#include "mech/getm/shared.h"

struct cw_getm_core;

extern const struct cw_core_sockets cw_getm__core_sockets;

/* The half of core `index`; g outlives it. Statuses: CW_ENOMEM, or the unit provider's, with err. Destroy it in any case. */
int cw_getm__core_create(struct cw_getm_core **out, const struct cw_getm *g, uint32_t index, struct cw_error *err);
void cw_getm__core_destroy(struct cw_getm_core *c);
void cw_getm__core_state(struct cw_state *s, struct cw_getm_core *c);

#endif
