/* SPDX-License-Identifier: Apache-2.0 */
/* Holds a unit's state function (include/cowarp/unit.h) to the C model: what was saved and loaded goes on like what was never saved. */
#ifndef CW_TESTS_RTL_SAVED_UNIT_H
#define CW_TESTS_RTL_SAVED_UNIT_H

#include "lockstep_driver.h"

/* Random stimulus, as in lockstep. At intervals the C model is saved, and loaded into a new one, which gets the same inputs until the next
 * interval: the outputs of each cycle and the digest at the end have to be the same. Fails the test if not. */
void cw_saved_run(const struct cw_lockstep_bench *bench, const struct cw_lockstep_set *set, uint64_t cycles, uint64_t seed);

#endif
