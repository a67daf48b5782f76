/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Crossbar, one direction: input queue per source, one flit per cycle and port, wormhole (a packet holds its output
 * until its last flit has passed), round-robin among inputs per output, fixed traversal latency, back-pressure through
 * bounded output buffers. An input serves one packet at a time, oldest first.
 *
 * Timing. A packet of n flits that is pushed at time t into an idle crossbar is granted at g, the first clock edge
 * after t (a push at an edge is not seen by that edge); it holds its input and its output during n cycles, and may be
 * popped from
 *     g + (n - 1 + latency_cycles) * period
 * on. A grant reserves room for all n flits in the output buffer; flit i leaves the input buffer at g + i * period.
 * Space that becomes free at time t, in either buffer, is seen by the other side after t. The packet whose turn it is
 * waits for room; none passes it on its way to that output. Packets from one source to one destination stay in order.
 *
 * Concentration: neighbouring inputs, or outputs, may share a port of the crossbar, which passes one flit per cycle of all of them. Each
 * keeps its own buffer. Inputs take turns; the one whose turn it is keeps the port until its packet has been granted and has passed.
 * Outputs take turns among those for which a packet can be granted.
 *
 * With units, each output is a hardware unit, crossbar_port, which says who is granted and when a packet has arrived; the packets are here.
 *
 * Links: neighbouring inputs may share a link in front of the crossbar, which passes link_bytes in a cycle: a packet takes its payload in
 * parts of 64, and 32 without one. The inputs take turns. A packet that the link has taken requests its output in the same cycle.
 */
#ifndef CW_MSG_CROSSBAR_H
#define CW_MSG_CROSSBAR_H

#include "base/component.h"
#include "base/error.h"
#include "base/fifo.h"
#include "cowarp/unit.h"
#include "msg/message.h"
#include "msg/pack.h"

struct cw_crossbar;

struct cw_crossbar_config {
    uint32_t inputs, outputs;
    uint32_t inputs_per_port, outputs_per_port; /* >= 1; the last port may have fewer */
    uint32_t inputs_per_link, link_bytes;       /* Both are 0 without links. */
    uint32_t latency_cycles;                    /* >= 1 */
    uint32_t in_flits, out_flits;               /* buffer per port; at least the largest packet */
    cw_time period;
    bool to_partition;                      /* output index of a packet is p->partition, else p->core */
    uint64_t *packets, *flits, *mech_flits; /* statistics, may be NULL */
    const struct cw_unit_provider *units;   /* Of the outputs' units, which have ports of their own then; NULL: there are none. */
    struct cw_pack_check *check; /* Messages go through bits (msg/pack.h), which must change nothing. NULL: they pass as they are. */
};

/* CW_EUNSUP: what the unit has not, with the key to change. */
int cw_crossbar_create(struct cw_crossbar **out, const struct cw_crossbar_config *config, struct cw_error *err);
void cw_crossbar_destroy(struct cw_crossbar *x);
struct cw_component *cw_crossbar_component(struct cw_crossbar *x);
/* Whether source may push a packet of that many flits now; the space is counted in flits. */
bool cw_crossbar_can_push(const struct cw_crossbar *x, uint32_t source, uint32_t flits, cw_time now);
/*
 * For a source that was refused: from when it will see room for that many flits, if it pushes nothing else until then. CW_TIME_NEVER when
 * that depends on grants to come; the grant that settles it lowers the wake time given to cw_crossbar_on_space.
 */
cw_time cw_crossbar_space_at(struct cw_crossbar *x, uint32_t source, uint32_t flits, cw_time now);
/* The producer's wake time of an input. */
void cw_crossbar_on_space(struct cw_crossbar *x, uint32_t input, cw_time *wake);
/* p->flits, p->core and p->partition are set. */
void cw_crossbar_push(struct cw_crossbar *x, uint32_t source, struct cw_message *p, cw_time now);
/* Oldest packet that has wholly arrived at the output, or NULL. */
struct cw_message *cw_crossbar_peek(const struct cw_crossbar *x, uint32_t output, cw_time now);
struct cw_message *cw_crossbar_pop(struct cw_crossbar *x, uint32_t output, cw_time now);
/* Time from which the output's head may be popped, CW_TIME_NEVER when empty. */
cw_time cw_crossbar_next(const struct cw_crossbar *x, uint32_t output);
/* The consumer's wake time of an output, lowered when a packet arrives there. */
void cw_crossbar_on_arrival(struct cw_crossbar *x, uint32_t output, cw_time *wake);
bool cw_crossbar_idle(const struct cw_crossbar *x);

#endif
