/* SPDX-License-Identifier: Apache-2.0 */
/* The last cycles of a lockstep pair as an FST file, under the names of a run's waves: the C model's ports in cowarp.<instance>, the RTL in
 * <instance>. */
#ifndef CW_HARNESS_WAVE_LOCKSTEP_WAVE_H
#define CW_HARNESS_WAVE_LOCKSTEP_WAVE_H

#include "rtl/lockstep.h"

/* A cw_lockstep_wave_fn. A cycle lasts a nanosecond; the cycle counter is cowarp.cycle, and cowarp.trigger is 1 in the last one. CW_OK,
 * CW_EIO or CW_ENOMEM. */
int cw_lockstep_wave(const struct cw_lockstep_film *film, const char *path, struct cw_error *err);

#endif
