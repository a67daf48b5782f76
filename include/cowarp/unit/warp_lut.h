/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PC-warp table of dynamic warp formation, with the split of conflicts (Fung 2015, sections 2.4 and 3.3.2: the "warp LUT"). After an
 * instruction, a warp's threads go where their next PCs say. The table has the warps that still take threads: for a PC, the warp that is
 * being formed and its lanes that are taken. A thread stays in its lane.
 *
 * [1] The table has 2^set_w sets of `ways` entries. [2] The low set_w bits of a PC are its set. [3] At most one entry has a PC.
 *
 * What a cycle means:
 *  - Update. [4] upd_valid = 1: threads of upd_lanes have the next PC upd_pc; upd_warp is a name for a warp that may have to begin. [5]
 *    Without a lane nothing happens, else:
 *    - The PC has an entry: [6] lanes that its warp has not taken join this warp. [7] The others, if any, begin the warp upd_warp, [8] and
 *      the entry now names that one, with just these lanes taken. [9] So the warp before takes nobody more.
 *    - It has none: [10] all lanes begin the warp upd_warp, and it gets an entry: [11] the lowest free one of the set, [12] or else the one
 *      whose turn it is, which is evicted: its warp takes nobody more. [13] Turns go round, from way 0 after a reset.
 *    - [14] The answer is in the next cycle: ans_valid = 1; ans_found; ans_join_lanes (may be 0) of ans_join_warp; ans_begin_lanes of
 *      ans_begin_warp, which is 0 without lanes; evict_valid, evict_pc and evict_warp.
 *  - Close. [15] close_valid = 1: the warp close_warp issues, and takes nobody more. [16] An entry that names it becomes free.
 *
 * [17] An update finds the table as all updates of earlier cycles, and all closes up to its own cycle, have left it. [18] Fields are 0 when
 * they say nothing: all of them without ans_valid, ans_join_* without ans_found, evict_* without evict_valid. [19] A reset empties the table.
 * [20] busy = 1 in the two cycles after an update and in the cycle after a close; [21] in a clock with busy, upd_valid and close_valid 0
 * nothing changes.
 */
#ifndef COWARP_UNIT_WARP_LUT_H
#define COWARP_UNIT_WARP_LUT_H

#include "cowarp/unit.h"

#define CW_WARP_LUT_PARAMS(P)                     \
    P(lanes, LANES, 32, 1, 32, "lanes of a warp") \
    P(set_w, SET_W, 3, 1, 6, "log2 of the sets")  \
    P(ways, WAYS, 4, 1, 8, "entries of a set")    \
    P(pc_w, PC_W, 16, 7, 24, "bits of a PC")      \
    P(warp_w, WARP_W, 10, 1, 10, "bits of the name of a warp")

#define CW_WARP_LUT_CLOCK(C) \
    C(650, 65, "Fung 2015 Table 3.2: 1300 MHz, a warp in 4 cycles; 3.3.2: it is looked up in these, the sides of a branch one by one")

#define CW_WARP_LUT_PORTS(IN, OUT, INW, OUTW)                   \
    /* threads with one next PC */                              \
    IN(upd_valid, 1)                                            \
    IN(upd_pc, p->pc_w)                                         \
    IN(upd_lanes, p->lanes)                                     \
    IN(upd_warp, p->warp_w) /* name of a warp that may begin */ \
    /* in the next cycle: whom they join, and what begins */    \
    OUT(ans_valid, 1)                                           \
    OUT(ans_found, 1)                                           \
    OUT(ans_join_lanes, p->lanes)                               \
    OUT(ans_join_warp, p->warp_w)                               \
    OUT(ans_begin_lanes, p->lanes)                              \
    OUT(ans_begin_warp, p->warp_w)                              \
    /* the entry that had to go */                              \
    OUT(evict_valid, 1)                                         \
    OUT(evict_pc, p->pc_w)                                      \
    OUT(evict_warp, p->warp_w)                                  \
    /* a warp takes nobody more */                              \
    IN(close_valid, 1)                                          \
    IN(close_warp, p->warp_w)                                   \
    /* status */                                                \
    OUT(busy, 1)

CW_UNIT_DECLARE(warp_lut, CW_WARP_LUT_PARAMS, CW_WARP_LUT_PORTS)
CW_UNIT_CLOCK(warp_lut, CW_WARP_LUT_CLOCK)

#endif
