/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PC-warp table of dynamic warp formation (include/cowarp/unit/warp_lut.h; Fung 2015, 2.4), one per core, from the provider: C model,
 * RTL, or both in lockstep.
 */
#ifndef CW_ADAPT_WARP_LUT_H
#define CW_ADAPT_WARP_LUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/warp_lut.h"

struct cw_adapt_warp_lut;

#define CW_ADAPT_WARP_LUT_NAMES  1024u   /* of warps: 0 .. */
#define CW_ADAPT_WARP_LUT_PC_MAX 0xffffu /* the largest PC that the unit can hold */

struct cw_adapt_warp_lut_in {
    bool update; /* threads of these lanes go to pc; name: of a warp that may have to begin */
    uint32_t pc, lanes, name;
    bool close; /* the warp closed takes nobody more */
    uint32_t closed;
};

/* The answer to the update of the clock before. */
struct cw_adapt_warp_lut_view {
    bool answer;
    uint32_t join_lanes, join;   /* lanes that join a warp, and its name; lanes 0: none */
    uint32_t begin_lanes, begin; /* lanes that begin one */
    bool evicted;                /* an entry had to go */
};

/* entries: a power of two times ways, from 2 sets on. Status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_warp_lut_create(struct cw_adapt_warp_lut **out, const struct cw_unit_provider *units, uint32_t core, uint32_t entries,
                             uint32_t ways, struct cw_error *err);
void cw_adapt_warp_lut_destroy(struct cw_adapt_warp_lut *l);
void cw_adapt_warp_lut_state(struct cw_state *s, struct cw_adapt_warp_lut *l);
void cw_adapt_warp_lut_clock(struct cw_adapt_warp_lut *l, const struct cw_adapt_warp_lut_in *in, struct cw_adapt_warp_lut_view *view);

#endif
