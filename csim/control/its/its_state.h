/* SPDX-License-Identifier: Apache-2.0 */
/* State of independent threads in a core. Private to: its.c, tick.c, saved.c, keys.c. */
#ifndef CW_CONTROL_ITS_ITS_STATE_H
#define CW_CONTROL_ITS_ITS_STATE_H

#include "adapt/convergence_barriers.h"
#include "base/config.h"
#include "base/ring.h"
#include "control/control.h"

struct cw_its_keys {
#define CW_LIST "control/its/keys.def"
#include "base/key_fields.h"
};

extern const struct cw_key_set cw_its_keys;

/* A slot. The unit has the barriers and the groups; here is what the core asks about, and what it need not ask the unit. */
struct its_warp {
    cw_lanes live;
    cw_lanes held;                  /* At barriers of the block. */
    cw_lanes again;                 /* They come back to the indexed branch at which they are. */
    cw_lanes last;                  /* The group of the last operation. */
    cw_lanes blocked, parked;       /* As the unit has said last. */
    uint32_t at[CW_WARP_LANES_MAX]; /* PCs of lanes that are not active. */
    uint32_t id[CW_WARP_LANES_MAX]; /* Of held lanes: the barrier. */
    uint32_t branches;              /* Backward ones of the group since its turn began. */
    bool barred;                    /* A barrier of convergence waits for the group. */
};

/* What is on its way to the unit of a scheduler, whose warps are those of slots that are its number modulo the schedulers. */
struct its_scheduler {
    struct cw_adapt_convergence_barriers *unit;
    struct cw_adapt_convergence_barriers_op *op; /* [op_cap] */
    struct cw_ring op_ring;
};

struct its {
    struct cw_control control;
    struct cw_control_config config;
    const struct cw_its_keys *keys;
    struct its_warp *warp; /* [slot] */
    struct its_scheduler *scheduler;
    uint32_t scheduler_cnt, op_cap;
    uint32_t *meet; /* [PC]: the first one from there on at which sides of a branch meet, or CW_PC_NONE; [uop_cnt] is one */
    uint32_t uop_cnt;
};

/* The first PC at which lanes may have to stop that run on at pc. */
static inline uint32_t cw_its__stop(const struct its *d, const struct its_warp *w, uint32_t pc)
{
    return w->barred && pc < d->uop_cnt ? d->meet[pc + 1] : CW_PC_NONE;
}

/* Of struct cw_control_ops. */
void cw_its__state(struct cw_control *p, struct cw_state *s);
uint64_t cw_its__tick(struct cw_control *p, uint64_t cycle);

#endif
