/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First-read time table of temporal conflict detection (TCD; Fung 2015, section 6.4, Figure 6.7): when each transaction of a SIMT core
 * sent its first load, and whether any of its loads has returned a word that was written later than that.
 *
 * [1] One time per thread: `warps` x `lanes` times of `time_w` bits (48 x 32 x 64 bits, the 12 kB of Table 6.3). [2] The time is that of the
 * core's synchronised timer, an input. [3] A transaction without a conflict has read a snapshot that existed at the time of its first load;
 * if it has written nothing it may commit without validation.
 *
 * What a cycle means. [4] Every channel takes one operation in every cycle; there is no back-pressure and no path from input to output. [5]
 * All of them look at the state at the start of the cycle, and change it at its end in this order:
 *  - [6] A response (rsp_valid) brings the last-written time of the block that lanes of a warp have loaded from. [7] In cycle t it is
 *    accepted for those of rsp_lanes that have a first read and do not begin in cycle t. [8] It is a conflict for an accepted lane when
 *    rsp_written is later (greater) than its first-read time. [9] Found in cycle t + 1: then the lanes that do not begin in t + 1 get their
 *    conflict recorded, [10] and in t + 2 found_valid = 1 with these lanes (found_valid = 0 if there are none).
 *  - [11] A begin (beg_valid) makes lanes of a warp start a new attempt: no first read, no conflict.
 *  - [12] A load (load_valid) gives the lanes of a warp that have no first read, or that begin in this cycle, the first-read time `now`.
 *    [13] With load_rebase = 1 it is no load: the lanes that have a first read get time 0, all others stay. [14] That is for a
 *    roll-over of the timer (section 6.4.2), once the transaction has been validated by value. [15] A response accepted in the cycle of
 *    a rebase is compared with the new time, 0.
 *  - [16] A query (qry_valid) of a warp in cycle t is answered in t + 1 (ans_valid): ans_read, the lanes with a first read, and ans_conflict,
 *    the lanes with a conflict. [17] It covers everything that was accepted in the cycles before t, and nothing of cycle t itself.
 *
 * [18] ans_* and found_* are 0 when not valid. [19] A warp number of `warps` or more names no warp: the operation does nothing, a query is
 * answered by 0. [20] idle = 1: a clock without a valid input changes nothing.
 */
#ifndef COWARP_UNIT_FIRST_READ_TABLE_H
#define COWARP_UNIT_FIRST_READ_TABLE_H

#include "cowarp/unit.h"

#define CW_FIRST_READ_TABLE_PARAMS(P)             \
    P(warps, WARPS, 48, 1, 64, "warps of a core") \
    P(lanes, LANES, 32, 1, 32, "lanes of a warp") \
    P(time_w, TIME_W, 64, 1, 64, "bits of the synchronised timers")

#define CW_FIRST_READ_TABLE_CLOCK(C) C(1400, 32, "GETM Table II: SIMT core")

#define CW_FIRST_READ_TABLE_PORTS(IN, OUT, INW, OUTW)                           \
    /* transactions begin, or begin again */                                    \
    IN(beg_valid, 1)                                                            \
    IN(beg_warp, 6)                                                             \
    IN(beg_lanes, p->lanes)                                                     \
    /* a transactional load is sent, or times go to zero */                     \
    IN(load_valid, 1)                                                           \
    IN(load_rebase, 1)                                                          \
    IN(load_warp, 6)                                                            \
    IN(load_lanes, p->lanes)                                                    \
    IN(now, p->time_w) /* the core's synchronised timer */                      \
    /* loaded data returns with the time at which its block was last written */ \
    IN(rsp_valid, 1)                                                            \
    IN(rsp_warp, 6)                                                             \
    IN(rsp_lanes, p->lanes)                                                     \
    IN(rsp_written, p->time_w)                                                  \
    /* lanes found in conflict, two cycles after the response */                \
    OUT(found_valid, 1)                                                         \
    OUT(found_warp, 6)                                                          \
    OUT(found_lanes, p->lanes)                                                  \
    /* a warp at tx_commit asks */                                              \
    IN(qry_valid, 1)                                                            \
    IN(qry_warp, 6)                                                             \
    OUT(ans_valid, 1)                                                           \
    OUT(ans_read, p->lanes)                                                     \
    OUT(ans_conflict, p->lanes)                                                 \
    /* status */                                                                \
    OUT(idle, 1)

CW_UNIT_DECLARE(first_read_table, CW_FIRST_READ_TABLE_PARAMS, CW_FIRST_READ_TABLE_PORTS)
CW_UNIT_CLOCK(first_read_table, CW_FIRST_READ_TABLE_CLOCK)

#endif
