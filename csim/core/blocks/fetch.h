/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instruction buffers, the port to the instruction cache, and the cache. A warp whose buffer does not hold its next instructions asks
 * (buffer.c); at the end of the tick the port answers one after the other (fetch.c).
 *
 * Fields: fetch.c, core.c, saved.c, charge.c.
 */
#ifndef CW_CORE_BLOCKS_FETCH_H
#define CW_CORE_BLOCKS_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cache/l1.h"
#include "core/core.h"
#include "core/warps/calendar.h"

struct cw_fetch_port {
    struct cw_l1 cache; /* no sets: there is none, and every fetch hits */
    struct cw_calendar port;
    uint32_t busy_cnt; /* warps in CW_FETCH_BUSY */
    uint32_t last;     /* warp for which the port has fetched last */
};

#endif
