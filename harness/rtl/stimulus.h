/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Biased random inputs for a unit, made from its port list alone. Names carry the meaning: x_valid and x_ready toggle with a
 * density that is drawn anew for each port every phase (0, 1/8, 1/2, 7/8 or 1), other one-bit inputs are pulses with a
 * density of 0, 1/64 or, rarely, 1/2; a wider input is mostly one of a few values (the same few for all ports
 * of one width, so that keys collide), sometimes a corner or any value.
 */
#ifndef CW_HARNESS_STIMULUS_H
#define CW_HARNESS_STIMULUS_H

#include <stdint.h>

#include "base/rng.h"
#include "cowarp/unit.h"

struct cw_stimulus;

/* Changes inputs to what the unit's contract allows; last_out are the outputs of the cycle before. */
typedef void cw_stimulus_constrain_fn(void *context, struct cw_rng *rng, const void *last_out, void *in);

/* phase_cycles: cycles between two draws of the densities; 0: 128. constrain may be NULL. NULL when out of memory. */
struct cw_stimulus *cw_stimulus_create(const struct cw_unit *unit, const void *params, uint64_t seed, uint32_t phase_cycles,
                                       cw_stimulus_constrain_fn *constrain, void *context);
void cw_stimulus_destroy(struct cw_stimulus *s);

/* Inputs of the next cycle. */
void cw_stimulus_next(struct cw_stimulus *s, const void *last_out, void *in);

#endif
