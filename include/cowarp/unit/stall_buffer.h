/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stall buffer of GETM's validation unit (GETM section V.B.2, Figure 9): requests that passed the timestamp check but found
 * their granule reserved wait here, as in an MSHR, until the granule is released.
 *
 * [1] It has `lines` lines, one granule each, of `entries` requests each. [2] A line is used while it holds a request. [3] A line is
 * asleep when its first request comes.
 *
 * [4] "Now" is the state at the start of the cycle.
 *  - Ask and push. [5] ask_granule in cycle t: is there a place for a request of it now, a free entry in its line, or a free line if it has
 *    none? [6] ask_place in t+1 is the answer; [7] 0 if t was before the end of a reset. [8] push_* in t+2 puts the request there: into the
 *    line's lowest free entry, or into entry 0 of the lowest free line. [9] It is ignored when the answer was no, [10] and when a push was
 *    obeyed in t or t+1, which the question has not seen. [11] push_granule must be what was asked.
 *  - Wake. [12] wake_granule's line, if it is used now, becomes awake. [13] A push of the same cycle is not seen.
 *  - Retry. [14] Let t be a cycle in which no request is offered or being retried, and in which awake lines hold n > 0 requests; then the
 *    one with the smallest warpts of these n is offered [15] from t+n+2 on until retry_ready = 1; [16] of equal ones the one of the lowest
 *    line, there of the lowest entry. [17] What comes later does not change the offer. [18] The request that was taken keeps its place until
 *    done_valid = 1: [19] with done_sleep = 0 it leaves, [20] with done_sleep = 1 it stays and its line goes to sleep. [21] done_valid at
 *    other times is ignored.
 *  - At the clock edge: [22] the request that is done leaves, or its line goes to sleep; the push enters; [23] the wake acts, also on a line
 *    that was put to sleep; [24] a line without a request is asleep.
 * [25] drain = 1 makes every line count as awake from the next cycle on, and until the cycle after it is 0 again; [26] whether a line is
 * awake on its own account does not change.
 */
#ifndef COWARP_UNIT_STALL_BUFFER_H
#define COWARP_UNIT_STALL_BUFFER_H

#include "cowarp/unit.h"

#define CW_STALL_BUFFER_PARAMS(P)                                  \
    P(lines, LINES, 4, 1, 16, "lines (granules)")                  \
    P(entries, ENTRIES, 4, 1, 16, "entries per line (requests)")   \
    P(granule_w, GRANULE_W, 30, 1, 64, "bits of a granule number") \
    P(ts_w, TS_W, 32, 1, 64, "bits of a logical timestamp")        \
    P(payload_w, PAYLOAD_W, 24, 1, 64, "bits that a request carries besides")

#define CW_STALL_BUFFER_CLOCK(C) C(1400, 32, "GETM Table II: validation unit")

#define CW_STALL_BUFFER_PORTS(IN, OUT, INW, OUTW)                                                   \
    /* a request may have to wait */                                                                \
    IN(ask_granule, p->granule_w)                                                                   \
    OUT(ask_place, 1) /* about the granule of the cycle before */                                   \
    /* it has to: the granule of two cycles before */                                               \
    IN(push_valid, 1)                                                                               \
    IN(push_granule, p->granule_w)                                                                  \
    IN(push_warpts, p->ts_w)                                                                        \
    IN(push_payload, p->payload_w)                                                                  \
    /* a granule's line is woken */                                                                 \
    IN(wake_valid, 1)                                                                               \
    IN(wake_granule, p->granule_w)                                                                  \
    /* the request to try next; [27] 0 while retry_valid is 0 */                                    \
    OUT(retry_valid, 1)                                                                             \
    OUT(retry_granule, p->granule_w)                                                                \
    OUT(retry_warpts, p->ts_w)                                                                      \
    OUT(retry_payload, p->payload_w)                                                                \
    IN(retry_ready, 1)                                                                              \
    /* what became of it */                                                                         \
    IN(done_valid, 1)                                                                               \
    IN(done_sleep, 1) /* it has to wait again */                                                    \
    /* control and status */                                                                        \
    IN(drain, 1)       /* every line counts as awake, one cycle later */                            \
    OUT(pending, 1)    /* [28] an awake line holds a request, or one is offered or being retried */ \
    OUT(occupancy, 9)  /* [29] requests held now, 0 .. 256 */                                       \
    OUT(lines_used, 5) /* [30] granules held now, 0 .. 16 */

CW_UNIT_DECLARE(stall_buffer, CW_STALL_BUFFER_PARAMS, CW_STALL_BUFFER_PORTS)
CW_UNIT_CLOCK(stall_buffer, CW_STALL_BUFFER_CLOCK)

#endif
