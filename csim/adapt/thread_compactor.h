/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread compactor (include/cowarp/unit/thread_compactor.h; Fung 2015, 3.3.2), one per core, from the provider: C model, RTL, or both in
 * lockstep.
 *
 * A cycle is a call of see, which tells what the unit shows, and one of clock, which ends it.
 */
#ifndef CW_ADAPT_THREAD_COMPACTOR_H
#define CW_ADAPT_THREAD_COMPACTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/thread_compactor.h"

struct cw_adapt_thread_compactor;

/* Most warps of the core that the unit has room for, and lanes of a warp. */
#define CW_ADAPT_COMPACTOR_WARPS 32u
#define CW_ADAPT_COMPACTOR_LANES 32u

struct cw_adapt_thread_compactor_view {
    bool ready;                             /* a mask may be given in this cycle */
    bool counted;                           /* the mask of the cycle before makes `count` warps */
    uint32_t count;                         /* 0 .. warps */
    bool warp;                              /* a warp is offered */
    bool last;                              /* of its mask */
    uint32_t lanes;                         /* of the warp */
    uint8_t home[CW_ADAPT_COMPACTOR_LANES]; /* static warp of each of them; 0 in others */
};

/* core: its number; warps: static warps of the core, 1 .. 32. Status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_thread_compactor_create(struct cw_adapt_thread_compactor **out, const struct cw_unit_provider *units, uint32_t core,
                                     uint32_t warps, struct cw_error *err);
void cw_adapt_thread_compactor_destroy(struct cw_adapt_thread_compactor *t);
void cw_adapt_thread_compactor_state(struct cw_state *s, struct cw_adapt_thread_compactor *t);
void cw_adapt_thread_compactor_see(struct cw_adapt_thread_compactor *t, struct cw_adapt_thread_compactor_view *view);
/* mask: a mask for the unit, a word per static warp, when it is ready; NULL: none. is_static: its threads stay in their static warps. take:
 * the warp that is offered is taken. Returns whether the next cycle has something to see. */
bool cw_adapt_thread_compactor_clock(struct cw_adapt_thread_compactor *t, const uint32_t *mask, bool is_static, bool take);

#endif
