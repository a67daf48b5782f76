/* SPDX-License-Identifier: Apache-2.0 */
/* Ordering operations of warps as all models see them: what a call asks for. */
#ifndef CW_MECH_PERSIST_ORDERS_H
#define CW_MECH_PERSIST_ORDERS_H

#include "mech/mech.h"
#include "mech/persist/persist.h"

/* One operation of a warp. */
struct cw_persist_order {
    uint8_t kind; /* enum cw_event_order */
    bool device;  /* device scope; also of a dFence */
};

/* What the call asks for; false: nothing, it may go on (the begin of an acquire). */
bool cw_persist_order_of(const struct cw_core_call *call, struct cw_persist_order *order);

#endif
