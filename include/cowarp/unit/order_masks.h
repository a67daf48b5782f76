/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Masks of scoped buffered persistency (SBRP, Pandey 2023, section 6, Figure 5): which warps of a core wait, and which warps'
 * persists have to wait. ODM, the order delay mask: warps that wait until their ordering entry leaves the persist buffer. EDM, the eviction
 * delay mask: warps that wait until all lines that have left are acknowledged. FSM, the flush status mask: warps that an ordering entry has
 * named, some earlier persist of which may not be acknowledged. ACTR: lines that have left the core and are not acknowledged.
 *
 * What a cycle means. At the clock edge, in this order:
 *  - Count. [1] ACTR' = ACTR + flush_valid + evict_valid - ack_valid. [2] An ack_valid with ACTR = 0 is ignored; [3] ACTR' is at most
 *    2^actr_w - 1. [4] A line that leaves and an acknowledgement in one cycle must be of different lines.
 *  - Waiting. [5] stall_valid: stall_warp into ODM. [6] delay_valid: delay_warp into EDM. [7] Both come before the ordering entry of the same
 *    cycle.
 *  - Order. [8] order_valid: an ordering entry leaves the buffer; kinds 1 to 6 (enum cw_persist_kind): order_warps into FSM. [9] Kinds 4 to 6
 *    also: those of order_warps that are in ODM go from ODM to EDM. [10] Kind 4, an acquire of device scope, arms the invalidation, too. [11]
 *    Kinds 0 and 7 do nothing. [12] An ordering entry is always taken: order_ready of the buffer must be 1.
 *  - Release. [13] If ACTR' = 0: FSM becomes 0, EDM becomes 0, and the invalidation is disarmed. [14] So what is set while nothing is
 *    outstanding is released at once: FSM or EDM is not 0 only while ACTR is not 0.
 *
 * In the cycle after a release: [15] resume_valid = 1 if EDM (with what came in its cycle) had a warp, or the invalidation was armed; [16]
 * resume_warps, the warps of EDM; [17] invalidate = 1 if it was armed. [18] A warp that resumes must try again what it waited for. [19] Else
 * the three are 0.
 *
 * Patience. [20] While EDM is not 0 at the start of a cycle, lines that leave in it are counted. [21] Once `patience` of them have left, hold
 * = 1 from the next cycle on, until ACTR' = 0. [22] Nobody must let a line leave meanwhile, but for one that is already on offer. [23] So ACTR
 * comes to 0 when the acknowledgements have come, and a warp of EDM does not wait for ever.
 *
 * [24] Who lets lines leave must look at actr_full: [25] there is no room for two more, one by the head of the buffer and one by eviction; it
 * depends on registers alone, as odm, edm, fsm, actr, hold and busy do. [26] busy = 0: a clock without a valid input changes nothing. [27] A
 * warp of `warps` or more names no warp. [28] A reset makes all 0.
 */
#ifndef COWARP_UNIT_ORDER_MASKS_H
#define COWARP_UNIT_ORDER_MASKS_H

#include "cowarp/unit.h"

#define CW_ORDER_MASKS_PARAMS(P)                                          \
    P(warps, WARPS, 32, 1, 64, "warps of a core")                         \
    P(actr_w, ACTR_W, 8, 2, 12, "bits of the count of lines outstanding") \
    P(patience, PATIENCE, 8, 1, 255, "lines that leave while a warp waits for all of them")

#define CW_ORDER_MASKS_CLOCK(C) C(1365, 32, "Pandey 2023 Table 1: core")

/* Bits of a number below n. */
#define CW_ORDER_MASKS_INDEX_W(n) (1 + ((n) > 2) + ((n) > 4) + ((n) > 8) + ((n) > 16) + ((n) > 32))

#define CW_ORDER_MASKS_PORTS(IN, OUT, INW, OUTW)                             \
    /* a warp waits for its ordering entry: dFence, device scope */          \
    IN(stall_valid, 1)                                                       \
    IN(stall_warp, CW_ORDER_MASKS_INDEX_W(p->warps))                         \
    /* a warp waits until nothing is outstanding: conflict, eviction */      \
    IN(delay_valid, 1)                                                       \
    IN(delay_warp, CW_ORDER_MASKS_INDEX_W(p->warps))                         \
    /* an ordering entry leaves the buffer */                                \
    IN(order_valid, 1)                                                       \
    IN(order_kind, 3) /* enum cw_persist_kind */                             \
    IN(order_warps, p->warps)                                                \
    /* lines leave the core, and are acknowledged */                         \
    IN(flush_valid, 1) /* by the head of the buffer */                       \
    IN(evict_valid, 1) /* by eviction */                                     \
    IN(ack_valid, 1)                                                         \
    /* the masks */                                                          \
    OUT(odm, p->warps)                                                       \
    OUT(edm, p->warps)                                                       \
    OUT(fsm, p->warps)                                                       \
    OUT(actr, p->actr_w)                                                     \
    OUT(actr_full, 1) /* no room for two more */                             \
    OUT(hold, 1)      /* no line may leave */                                \
    /* warps go on */                                                        \
    OUT(resume_valid, 1)                                                     \
    OUT(resume_warps, p->warps)                                              \
    OUT(invalidate, 1) /* first invalidate the lines of persistent memory */ \
    /* status */                                                             \
    OUT(busy, 1)

CW_UNIT_DECLARE(order_masks, CW_ORDER_MASKS_PARAMS, CW_ORDER_MASKS_PORTS)
CW_UNIT_CLOCK(order_masks, CW_ORDER_MASKS_CLOCK)

#endif
