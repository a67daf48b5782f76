/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The convergence barriers of a warp scheduler (include/cowarp/unit/convergence_barriers.h), from the provider: C model, RTL, or both in
 * lockstep.
 */
#ifndef CW_ADAPT_CONVERGENCE_BARRIERS_H
#define CW_ADAPT_CONVERGENCE_BARRIERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/lanes.h"
#include "base/state.h"
#include "cowarp/unit/convergence_barriers.h"

struct cw_adapt_convergence_barriers;

#define CW_ADAPT_CONVERGENCE_BARRIERS_PC_MAX 0xffffu    /* The largest PC that the unit can hold */
#define CW_ADAPT_CONVERGENCE_BARRIERS_NONE   UINT32_MAX /* No such PC */

struct cw_adapt_convergence_barriers_op {
    enum cw_convergence_op kind;
    uint32_t warp;
    cw_lanes lanes, named;       /* Lanes named: WARPSYNC. */
    uint32_t target, next, meet; /* Meeting PC: of a BRANCH, or none. */
    bool first, yields;          /* BRANCH */
};

struct cw_adapt_convergence_barriers_view {
    bool taken;  /* The operation */
    bool answer; /* To an earlier one; what follows is of it */
    uint32_t warp;
    bool keep;                       /* Its active lanes stay */
    cw_lanes group, blocked, parked; /* Active; at barriers of convergence; at others */
    uint32_t pc;
    bool barred; /* A barrier of convergence waits for the group */
    bool busy;   /* The next cycle has something to see */
};

/* The name is the instance's, warps are the scheduler's. Status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_convergence_barriers_create(struct cw_adapt_convergence_barriers **out, const struct cw_unit_provider *units, const char *name,
                                         uint32_t lanes, uint32_t warps, struct cw_error *err);
void cw_adapt_convergence_barriers_destroy(struct cw_adapt_convergence_barriers *b);
void cw_adapt_convergence_barriers_state(struct cw_state *s, struct cw_adapt_convergence_barriers *b);
/* One cycle. op: offered; NULL: none. */
void cw_adapt_convergence_barriers_clock(struct cw_adapt_convergence_barriers *b, const struct cw_adapt_convergence_barriers_op *op,
                                         struct cw_adapt_convergence_barriers_view *view);

#endif
