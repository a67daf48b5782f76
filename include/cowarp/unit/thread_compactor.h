/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread compactor of thread block compaction: makes warps out of the threads of a block that go one way (Fung 2015, section 3.3.2, Figures
 * 3.6 and 3.7). A thread stays in its lane, so a warp is one static warp's number per lane.
 *
 * [1] A mask has `lanes` x `warps` bits. [2] Bit l of word w is the thread of lane l of static warp w; bits of lanes and warps that the unit
 * does not have are ignored. [3] A compaction turns it into n warps:
 *  - start_static = 0: [4] n is the largest number of threads that one lane has. [5] Warp k, from 0, has of each lane the k-th of its
 * threads, counted from the lowest static warp, if the lane has that many.
 *  - start_static = 1 (the kernel relies on its static warps): [6] n is the number of static warps that have a thread. [7] Warp k has the
 * threads of the k-th of these.
 *
 * [8] So a mask without a thread gives n = 0.
 *
 * What a cycle means. [9] A mask is accepted in cycle t when start_valid and start_ready, which is 1 in the cycles in which no warp is
 * offered.
 *  - [10] In t+1, and then only, count_valid = 1 and count = n.
 *  - [11] From t+1 on warp_valid = 1 with warp 0, until warp_ready = 1. [12] In the cycle after a warp was taken the next one is offered.
 *  - [13] warp_last = 1 with warp n-1. [14] A warp that is not taken does not change.
 *  - [15] So a mask of n warps that are taken at once occupies the unit for n+1 cycles.
 *
 * [16] warp_lanes has the lanes that the warp uses. [17] Byte l of warp_home is the static warp of lane l, 0 in a lane that it does not
 * use. [18] Fields of a channel are 0 while its valid is 0. [19] A reset leaves no warp.
 */
#ifndef COWARP_UNIT_THREAD_COMPACTOR_H
#define COWARP_UNIT_THREAD_COMPACTOR_H

#include "cowarp/unit.h"

#define CW_THREAD_COMPACTOR_PARAMS(P)             \
    P(lanes, LANES, 32, 1, 32, "lanes of a warp") \
    P(warps, WARPS, 32, 1, 32, "static warps")

#define CW_THREAD_COMPACTOR_CLOCK(C) C(325, 65, "Fung 2015 Table 3.2: 1300 MHz, a warp in 4 cycles")

#define CW_THREAD_COMPACTOR_PORTS(IN, OUT, INW, OUTW)                                       \
    /* threads that go one way */                                                           \
    IN(start_valid, 1)                                                                      \
    IN(start_static, 1)       /* 1: leave them in their static warps */                     \
    INW(start_mask, 32, 1024) /* word w: threads of static warp w, in its low lanes bits */ \
    OUT(start_ready, 1)                                                                     \
    /* how many warps they make; one cycle */                                               \
    OUT(count_valid, 1)                                                                     \
    OUT(count, 6) /* 0 .. warps */                                                          \
    /* the warps */                                                                         \
    OUT(warp_valid, 1)                                                                      \
    OUT(warp_last, 1)                                                                       \
    OUT(warp_lanes, p->lanes)                                                               \
    OUTW(warp_home, 8, 256) /* byte l: static warp of lane l, 0 .. warps - 1 */             \
    IN(warp_ready, 1)

CW_UNIT_DECLARE(thread_compactor, CW_THREAD_COMPACTOR_PARAMS, CW_THREAD_COMPACTOR_PORTS)
CW_UNIT_CLOCK(thread_compactor, CW_THREAD_COMPACTOR_CLOCK)

#endif
