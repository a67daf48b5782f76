/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions (transactions): what a warp needs to begin one again.
 *
 * Fields: region.c, core.c, report.c, saved.c.
 */
#ifndef CW_CORE_WARPS_CHECKPOINT_H
#define CW_CORE_WARPS_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

struct cw_checkpoint {
    uint32_t *r32, *pred; /* copies of the register files, of all warps */
    uint64_t *r64;
    uint64_t longest_back_off; /* cycles, of all attempts, and of nanosleep */
};

#endif
