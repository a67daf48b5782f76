/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timing wheel: one bit per warp in the slot of the cycle in which it enters the ready mask. A cycle costs no scan over warps.
 *
 * Fields: ready.c, core.c, saved.c.
 */
#ifndef CW_CORE_WARPS_WHEEL_H
#define CW_CORE_WARPS_WHEEL_H

#include <stdint.h>

#define CW_WHEEL_SLOTS 512u

struct cw_wheel {
    uint64_t *slot;                     /* row by row, CW_WHEEL_SLOTS words each */
    uint64_t used[CW_WHEEL_SLOTS / 64]; /* slots that are not empty */
    uint32_t words;                     /* words of `used` that are not 0 */
};

#endif
