/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Priority encoder: the lowest set bit of a vector, and the vector without it (Fung 2015, section 3.3.2, Figure 3.6: "priority encoder" and
 * "selective reset"). The thread compactor has one per lane. It gives the rest back as the next vector, and so takes one bit per cycle.
 *
 * What a cycle means. [1] With in_valid = 1 in cycle t, the outputs from t+1 on are those of in_vector, until the cycle after the next one
 * with in_valid = 1:
 *  - [2] none: 1 when no bit is set;
 *  - [3] index: the number of the lowest bit that is set; [4] 0 when none is;
 *  - [5] rest: the vector with this bit 0.
 *
 * [6] A reset leaves the outputs of the vector 0. [7] A clock with in_valid = 0 changes nothing.
 */
#ifndef COWARP_UNIT_PRIORITY_ENCODER_H
#define COWARP_UNIT_PRIORITY_ENCODER_H

#include "cowarp/unit.h"

#define CW_PRIORITY_ENCODER_PARAMS(P) P(width, WIDTH, 32, 1, 64, "bits of a vector")

#define CW_PRIORITY_ENCODER_CLOCK(C) C(325, 65, "Fung 2015 Table 3.2: 1300 MHz, a warp in 4 cycles")

#define CW_PRIORITY_ENCODER_PORTS(IN, OUT, INW, OUTW) \
    /* a vector comes */                              \
    IN(in_valid, 1)                                   \
    IN(in_vector, p->width)                           \
    /* about the last one that came */                \
    OUT(none, 1)                                      \
    OUT(index, 6) /* 0 .. width - 1 */                \
    OUT(rest, p->width)

CW_UNIT_DECLARE(priority_encoder, CW_PRIORITY_ENCODER_PARAMS, CW_PRIORITY_ENCODER_PORTS)
CW_UNIT_CLOCK(priority_encoder, CW_PRIORITY_ENCODER_CLOCK)

#endif
