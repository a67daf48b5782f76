/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions (transactions): what a warp needs to begin one again.
 *
 * Fields: region.c, core.c, report.c, saved.c. Private to: core_state.h.
 */
#ifndef CW_CORE_CHECKPOINT_H
#define CW_CORE_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

struct cw_checkpoint {
    uint32_t *r32, *pred; /* copies of the register files, of all warps */
    uint64_t *r64;
    uint64_t longest_back_off; /* cycles, of all attempts */
};

/* false: not now. */
bool cw_core__region_begin(struct cw_core *c, uint32_t w, cw_lanes active, cw_lanes mask);
void cw_core__region_reach(struct cw_core *c, uint32_t w, cw_lanes mask);
/* No lane of the attempt is left to run, and its memory instructions are back. */
void cw_core__region_drained(struct cw_core *c, uint32_t w);

#endif
