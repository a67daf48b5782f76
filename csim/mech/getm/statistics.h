/* SPDX-License-Identifier: Apache-2.0 */
/* Measures of the whole GPU that are no sum over components: how fast logical time runs, and how full all stall buffers are together. */
#ifndef CW_MECH_GETM_STATISTICS_H
#define CW_MECH_GETM_STATISTICS_H

#include "mech/getm/shared.h"

/* An attempt runs at this time. Largest over all cores: warpts_max; sum over rollovers of the largest: warpts_increments. */
void cw_getm__note_time(const struct cw_getm *g, uint64_t warpts);
/* A rollover ends: every core is stopped, and times begin at 0 again. */
void cw_getm__note_rollover(const struct cw_getm *g);
/* The stall buffer of a partition has changed from `before` requests to `after`. */
void cw_getm__note_stalled(const struct cw_getm *g, uint32_t before, uint32_t after, cw_time now);
/* End of a kernel: brings the counters up to date. */
void cw_getm__note_end(const struct cw_getm *g);

#endif
