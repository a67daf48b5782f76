/* SPDX-License-Identifier: Apache-2.0 */
/* Ordering operations of warps as all models see them: what a call or a fence asks for, and the events that tell of it. */
#ifndef CW_MECH_PERSIST_ORDERS_H
#define CW_MECH_PERSIST_ORDERS_H

#include "mech/mech.h"
#include "mech/persist/persist.h"

/* One operation of a warp. */
struct cw_persist_order {
    uint8_t kind;                    /* enum cw_event_order */
    bool device;                     /* device scope; also of a dFence */
    const struct cw_core_call *call; /* NULL: a fence of PTX, or a barrier */
    const struct cw_uop *uop;        /* the call's, or the fence */
};

/* What the call asks for; false: nothing, it may go on (the begin of an acquire). */
bool cw_persist_order_of(const struct cw_core_call *call, struct cw_persist_order *order);

/* Names of blocks for events, of one core. */
struct cw_persist_blocks {
    uint32_t core, started;
    uint32_t number[64]; /* of the block that has the warp slot */
};
/* A block takes the warps: tells that their threads are new. */
void cw_persist_block_starts(struct cw_persist_blocks *b, const struct cw_events *events, uint64_t warps, cw_time now);
/* The operation is done, as far as its warp has to wait for it: tells of it for each lane of the call. Of a fence of PTX for all lanes of
 * the warp. */
void cw_persist_tell(const struct cw_persist_blocks *b, const struct cw_events *events, const struct cw_persist_order *order, uint32_t warp,
                     cw_time now);

#endif
