/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tags of an L2 slice: which line is in which way of a set, what the slice has of it, and which line goes when another one comes. The bytes
 * of lines are in a RAM beside it, and what waits for memory is in miss status registers. It is the L2 of csim/mem/l2.h.
 *
 * Lines. [1] There are 2^set_w sets of `ways` lines. [2] A line is present or not; one that is present has a tag, of each sector whether it is
 * valid and whether it is dirty, and is held (a miss is under way, and the line stays) or not. [3] The lines of a set have an order of use.
 *
 * What a cycle means. [4] An operation is taken in cycle t when op_valid and op_ready are 1, and its answer is there in t + 2 (ans_valid).
 * [5] It finds its set as all operations before it have left it. [6] op_ready is 0 in the cycle after an operation of the set op_set was
 * taken, and in the sweep; it is 1 in all others.
 *
 * The answer names a line of set op_set:
 *  - [7] the one that is present with the tag op_tag: ans_hit = 1;
 *  - else the victim, with ans_victim = 1: [8] the lowest way that is not present, [9] or when all are, of those that are not held the one
 *    whose last use is the longest ago;
 *  - [10] or none, when all are held: ans_hit and ans_victim are 0.
 *  - [11] ans_way is the way of the named line, and if that is present, ans_tag, ans_sectors (those valid), ans_dirty and ans_held are its own.
 *
 * What becomes of the named line:
 *  - [12] act_*, in the cycle of the answer, say it, and without act_valid nothing changes;
 *  - [13] with act_drop = 1 it is not present any more; else
 *  - [14] of a hit, the sectors act_fill become valid, [15] all sectors that were dirty become clean if act_clean = 1, then the sectors
 *    act_write become dirty, [16] it is held if act_hold = 1, [17] and with act_use = 1 it is the one used last;
 *  - [18] a victim becomes the line with the tag op_tag: its sectors act_fill are valid, its sectors act_write are dirty, it is held if
 *    act_hold = 1, and it is the one used last.
 *
 * [19] What is not said here is 0: ans_* without ans_valid, and of what is not named or not present. [20] act_* is not looked at without
 * ans_valid. [21] After a reset no line is present, and op_ready is 0 for 2^set_w cycles, the sweep. [22] idle = 1: a clock without op_valid
 * changes nothing.
 */
#ifndef COWARP_UNIT_L2_TAGS_H
#define COWARP_UNIT_L2_TAGS_H

#include "cowarp/unit.h"

#define CW_L2_TAGS_PARAMS(P)                                                             \
    P(ways, WAYS, 8, 1, 16, "lines of a set")                                            \
    P(set_w, SET_W, 7, 1, 13, "bits of a set's number; 128 KB in lines of 128 bytes")    \
    P(tag_w, TAG_W, 25, 1, 32, "bits of a tag: a line's number in its partition has 32") \
    P(sectors, SECTORS, 4, 1, 8, "sectors of a line, of 32 bytes each")

#define CW_L2_TAGS_CLOCK(C) C(1400, 32, "L2 slice, clock.l2 of preset getm")

#define CW_L2_TAGS_PORTS(IN, OUT, INW, OUTW)                         \
    /* an operation */                                               \
    IN(op_valid, 1)                                                  \
    OUT(op_ready, 1)                                                 \
    IN(op_set, p->set_w)                                             \
    IN(op_tag, p->tag_w)                                             \
    /* its answer, two cycles later */                               \
    OUT(ans_valid, 1)                                                \
    OUT(ans_hit, 1)                                                  \
    OUT(ans_victim, 1)                                               \
    OUT(ans_way, 4)                                                  \
    OUT(ans_tag, p->tag_w)                                           \
    OUT(ans_sectors, p->sectors)                                     \
    OUT(ans_dirty, p->sectors)                                       \
    OUT(ans_held, 1)                                                 \
    /* what becomes of the named line, in the cycle of the answer */ \
    IN(act_valid, 1)                                                 \
    IN(act_drop, 1)                                                  \
    IN(act_fill, p->sectors)                                         \
    IN(act_write, p->sectors)                                        \
    IN(act_clean, 1)                                                 \
    IN(act_hold, 1)                                                  \
    IN(act_use, 1)                                                   \
    /* status */                                                     \
    OUT(idle, 1)

CW_UNIT_DECLARE(l2_tags, CW_L2_TAGS_PARAMS, CW_L2_TAGS_PORTS)
CW_UNIT_CLOCK(l2_tags, CW_L2_TAGS_CLOCK)

#endif
