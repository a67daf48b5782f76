/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An output port of a crossbar: which input has it next, when a packet that it passes has arrived, and the room of the buffer behind it.
 * It is the arbiter of a wormhole switch with credits (Dally and Towles, Principles and Practices of Interconnection Networks, 2004,
 * chapters 17 to 19), as csim/msg/crossbar.c has it for each output. The flits themselves are not here.
 *
 * Requests. [1] Bit i of request says in cycle t that input i has a packet for this output. [2] It is of 1 more flits than the number in bits
 * 5 i + 4 .. 5 i of request_flits: 1 to 32. [3] Bits of inputs that there are not, and the length of one that does not request, say nothing.
 *
 * Choice. [4] The turn is with the first input that requests, from the one after the input that was granted last on, cyclically; after a
 * reset from input 0 on. [5] It is granted in t if the port is free and the buffer has room for all flits of its packet. [6] If not, nobody
 * is granted: no other packet passes it. [7] grant_valid and grant_input say so in t + 1. [8] Without grant_valid grant_input is 0. [9] In
 * t + 1 the input that was granted speaks of its next packet.
 *
 * Passing. [10] A packet of n flits that is granted in t holds the port: the next one is granted in t + n or later. [11] arrive = 1 in cycle
 * t + n + latency - 1, and only then: it has all arrived, and may be taken from the buffer from the next cycle on.
 *
 * Buffer. [12] It has room for out_flits flits. [13] A packet that is granted in t has room there for all its flits from t + 1 on. [14]
 * freed: flits of the packets that were taken in the cycle before, whose room is free in the choice of this cycle. [15] used is the room
 * that packets have, those of freed among them. [16] If freed is more, all is freed.
 *
 * [17] After a reset the port is free, the buffer empty, and nothing on its way. [18] idle = 1: no packet passes or is on its way to the
 * buffer; a clock without request and freed changes nothing that is seen.
 */
#ifndef COWARP_UNIT_CROSSBAR_PORT_H
#define COWARP_UNIT_CROSSBAR_PORT_H

#include "cowarp/unit.h"

#define CW_CROSSBAR_PORT_PARAMS(P)                                             \
    P(inputs, INPUTS, 15, 1, 256, "inputs of the crossbar")                    \
    P(out_flits, OUT_FLITS, 64, 1, 4096, "flits that the buffer has room for") \
    P(latency, LATENCY, 5, 1, 255, "cycles of a flit from input to buffer")

#define CW_CROSSBAR_PORT_CLOCK(C) C(1400, 32, "GETM Table II: clock of the interconnect")

#define CW_CROSSBAR_PORT_PORTS(IN, OUT, INW, OUTW)                                        \
    /* who asks for the port */                                                           \
    INW(request, 8, 256)         /* bit i: input i, 0 .. inputs - 1 */                    \
    INW(request_flits, 40, 1280) /* bits 5 i + 4 .. 5 i: flits of its packet, less one */ \
    /* who has it, a cycle later */                                                       \
    OUT(grant_valid, 1)                                                                   \
    OUT(grant_input, 8)                                                                   \
    /* the buffer */                                                                      \
    OUT(arrive, 1)                                                                        \
    IN(freed, 13)                                                                         \
    OUT(used, 13)                                                                         \
    /* status */                                                                          \
    OUT(idle, 1)

CW_UNIT_DECLARE(crossbar_port, CW_CROSSBAR_PORT_PARAMS, CW_CROSSBAR_PORT_PORTS)
CW_UNIT_CLOCK(crossbar_port, CW_CROSSBAR_PORT_CLOCK)

#endif
