/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instruction buffers, the port to the instruction cache, and the cache. A warp whose buffer does not hold its next instructions asks
 * (buffer.c); at the end of the tick the port answers one after the other (fetch.c).
 *
 * Fields: fetch.c, buffer.c, core.c, warp.c, saved.c. Private to: core_state.h.
 */
#ifndef CW_CORE_FETCH_H
#define CW_CORE_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/calendar.h"
#include "core/core.h"
#include "core/l1.h"

struct cw_fetch_port {
    struct cw_l1 cache; /* no sets: there is none, and every fetch hits */
    struct cw_calendar port;
    struct cw_fetch_ask {
        uint64_t cycle; /* from which it wants the port */
        uint32_t warp;
        bool astray; /* instructions that are not wanted come first */
    } * ask;         /* of this tick; one per warp at most */
    uint32_t ask_cnt;
    uint32_t busy_cnt; /* warps in CW_FETCH_BUSY */
    uint32_t last;     /* warp for which the port has fetched last */
};

/* With an instruction buffer: asks for the warp's next instructions when its buffer does not hold them. To be called when its front or its
 * buffer has changed. */
void cw_core__refill(struct cw_core *c, uint32_t w);

/* A line of the instruction cache has come. */
void cw_core__code_fill(struct cw_core *c, uint32_t mshr);
/* Answers all who have asked. */
void cw_core__fetch_tick(struct cw_core *c);

#endif
