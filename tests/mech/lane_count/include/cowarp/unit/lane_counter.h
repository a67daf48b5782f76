/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lane counter: adds up the lanes of the instructions that a core issues.
 *
 * What a cycle means. Slot s issues an instruction when bit s of issue_valid is 1, with the lanes of lanes_s. slots is the number of slots
 * that issue in this cycle, answered in the same cycle. total is the sum of all lanes up to the cycle before, modulo 2^COUNT_W. A reset
 * makes it 0. A clock with issue_valid = 0 changes nothing.
 */
#ifndef COWARP_UNIT_LANE_COUNTER_H
#define COWARP_UNIT_LANE_COUNTER_H

#include "cowarp/unit.h"

#define CW_LANE_COUNTER_SLOTS 4u

#define CW_LANE_COUNTER_PARAMS(P)                 \
    P(lanes, LANES, 32, 1, 64, "lanes of a warp") \
    P(count_w, COUNT_W, 48, 8, 64, "bits of the sum")

#define CW_LANE_COUNTER_CLOCK(C) C(1400, 32, "GETM Table II: SIMT core")

#define CW_LANE_COUNTER_PORTS(IN, OUT, INW, OUTW) \
    IN(issue_valid, CW_LANE_COUNTER_SLOTS)        \
    IN(lanes_0, p->lanes)                         \
    IN(lanes_1, p->lanes)                         \
    IN(lanes_2, p->lanes)                         \
    IN(lanes_3, p->lanes)                         \
    OUT(slots, 3)                                 \
    OUT(total, p->count_w)

/* Words in waves. */
#define CW_LANE_COUNTER_WORDS(PORT, CHANNEL) PORT(slots, lane_counter_slots, "idle", "one", "two", "three", "four")

CW_UNIT_DECLARE(lane_counter, CW_LANE_COUNTER_PARAMS, CW_LANE_COUNTER_PORTS)
CW_UNIT_CLOCK(lane_counter, CW_LANE_COUNTER_CLOCK)

#endif
