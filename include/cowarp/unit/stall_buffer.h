/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stall buffer of GETM's validation unit (GETM section V.B.2, Figure 9): requests that passed the timestamp check but found
 * their granule reserved wait here, as in an MSHR, until the granule is released.
 *
 * `lines` lines, one granule each, of `entries` requests each. A line exists while it holds a request. A line is asleep when
 * its first request is pushed; wake makes it awake, sleep puts it back. The retry channel offers, of all requests in awake
 * lines, the one with the smallest warpts; of equal ones in a line the oldest, of equal ones in different lines the
 * one in the lowest-numbered line (lines are taken lowest free number first).
 *
 * What a cycle means. All of these look at the state at the start of the cycle:
 *  - push_ready: the presented push_granule has a line with a free entry, or it has no line and a line is free. It depends
 *    on push_granule of the same cycle, not on push_valid. A pop of the same cycle does not help.
 *  - retry_*: depend on state only. The offer is the best of the moment: while retry_ready is 0 it may be replaced by a
 *    better one (a push, a wake) or withdrawn (a sleep). retry_granule, _warpts, _payload are 0 when retry_valid is 0.
 * At the clock edge, in this order:
 *  1. retry_valid and retry_ready: the offered request is removed.
 *  2. sleep_valid: the line of sleep_granule, if there is one, goes to sleep.
 *  3. push_valid and push_ready: the request is appended to its granule's line, if that existed at the start of the cycle
 *     (even when 1 took its last request: the line then stays, awake or asleep as it is), else to the lowest line that was
 *     free at the start of the cycle, asleep.
 *  4. wake_valid: the line of wake_granule, if there is one by now, becomes awake. So a wake is never lost.
 *  5. A line without a request is free, and asleep.
 * drain = 1 makes every line count as awake from the next cycle on, and until the cycle after it is 0 again; whether
 * a line is awake on its own account does not change. With retry_ready = 1 it empties one request per cycle.
 * push_valid without push_ready is ignored.
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

#define CW_STALL_BUFFER_PORTS(IN, OUT, INW, OUTW)                        \
    /* a request goes to sleep */                                        \
    IN(push_valid, 1)                                                    \
    IN(push_granule, p->granule_w)                                       \
    IN(push_warpts, p->ts_w)                                             \
    IN(push_payload, p->payload_w)                                       \
    OUT(push_ready, 1) /* depends on push_granule of the same cycle */   \
    /* a granule's line is woken, or put back to sleep */                \
    IN(wake_valid, 1)                                                    \
    IN(wake_granule, p->granule_w)                                       \
    IN(sleep_valid, 1)                                                   \
    IN(sleep_granule, p->granule_w)                                      \
    /* the request to try next */                                        \
    OUT(retry_valid, 1)                                                  \
    OUT(retry_granule, p->granule_w)                                     \
    OUT(retry_warpts, p->ts_w)                                           \
    OUT(retry_payload, p->payload_w)                                     \
    IN(retry_ready, 1)                                                   \
    /* control and status */                                             \
    IN(drain, 1)       /* every line counts as awake, one cycle later */ \
    OUT(occupancy, 9)  /* requests held now, 0 .. 256 */                 \
    OUT(lines_used, 5) /* granules held now, 0 .. 16 */

CW_UNIT_DECLARE(stall_buffer, CW_STALL_BUFFER_PARAMS, CW_STALL_BUFFER_PORTS)
CW_UNIT_CLOCK(stall_buffer, CW_STALL_BUFFER_CLOCK)

#endif
