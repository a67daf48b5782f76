/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An output port of the crossbar to memory (include/cowarp/unit/crossbar_port.h), from the provider: C model, RTL, or both in lockstep.
 * Instance partition<N>.crossbar_port.
 *
 * A cycle of the crossbar is one clock of the unit. Its answer is there a cycle later, and here it is had at once: in a chip requests come a
 * cycle sooner, which is a part of noc.latency. A cycle in which the unit is idle, and nobody requests or frees, has no clock.
 */
#ifndef CW_ADAPT_CROSSBAR_PORT_H
#define CW_ADAPT_CROSSBAR_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/machine.h"
#include "base/state.h"
#include "cowarp/unit.h"
#include "cowarp/unit/crossbar_port.h"

struct cw_adapt_crossbar_port;

struct cw_adapt_crossbar_port_answer {
    bool granted;
    uint32_t input;
    bool arrives; /* The next packet on the way has all arrived in the next cycle. */
};

/* CW_EINVAL for parameters that the unit refuses, the status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_crossbar_port_create(struct cw_adapt_crossbar_port **out, const struct cw_unit_provider *units, uint32_t partition,
                                  const struct cw_crossbar_port_params *params, struct cw_error *err);
void cw_adapt_crossbar_port_destroy(struct cw_adapt_crossbar_port *a);
void cw_adapt_crossbar_port_state(struct cw_state *s, struct cw_adapt_crossbar_port *a);
/* Input `input` has a packet of that many flits, 1 to CW_PORT_FLITS, in the cycle that cw_adapt_crossbar_port_clock ends. */
void cw_adapt_crossbar_port_request(struct cw_adapt_crossbar_port *a, uint32_t input, uint32_t flits);
/* Room that has become free since the cycle before. */
void cw_adapt_crossbar_port_free(struct cw_adapt_crossbar_port *a, uint32_t flits);
/* Nothing passes or is on its way. Then a cycle without requests needs no clock. */
bool cw_adapt_crossbar_port_idle(const struct cw_adapt_crossbar_port *a);
struct cw_adapt_crossbar_port_answer cw_adapt_crossbar_port_clock(struct cw_adapt_crossbar_port *a);

#endif
