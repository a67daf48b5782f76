/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order masks of a core, ODM, EDM, FSM and ACTR (include/cowarp/unit/order_masks.h; Pandey et al. 2023, section 6), from the provider:
 * C model, RTL, or both in lockstep.
 */
#ifndef CW_ADAPT_ORDER_MASKS_H
#define CW_ADAPT_ORDER_MASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/order_masks.h"

struct cw_adapt_order_masks;

/* One cycle's inputs; the contract says what each means. */
struct cw_adapt_order_masks_in {
    bool stall, delay, order;
    uint32_t stall_warp, delay_warp;
    uint32_t order_kind; /* enum cw_persist_kind */
    uint64_t order_warps;
    bool flush, evict, ack;
};

/* None of it depends on this cycle's inputs. */
struct cw_adapt_order_masks_view {
    uint64_t odm, edm, fsm;
    uint32_t actr;
    bool full, hold;
    bool resume, invalidate;
    uint64_t resume_warps;
    bool busy;
};

/* warps: up to 64. Status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_order_masks_create(struct cw_adapt_order_masks **out, const struct cw_unit_provider *units, uint32_t core, uint32_t warps,
                                uint32_t actr_bits, uint32_t patience, struct cw_error *err);
void cw_adapt_order_masks_destroy(struct cw_adapt_order_masks *m);
void cw_adapt_order_masks_state(struct cw_state *s, struct cw_adapt_order_masks *m);
/* The outputs of this cycle. */
void cw_adapt_order_masks_look(struct cw_adapt_order_masks *m, struct cw_adapt_order_masks_view *view);
/* The end of the cycle. */
void cw_adapt_order_masks_clock(struct cw_adapt_order_masks *m, const struct cw_adapt_order_masks_in *in);

#endif
