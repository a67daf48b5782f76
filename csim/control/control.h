/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control-flow policies: which lanes of a warp run next, and where. A core has one policy (--control). It tells the policy what
 * happens to a warp: a start, a branch, an exit, a region that begins or ends. The policy keeps a front for every warp slot: the PC and the
 * lanes of the warp's next instruction. The core reads the front; nothing else of a policy is visible.
 *
 * A policy also may regroup threads: it then places threads into lanes with cw_core_place_thread (csim/core/core.h).
 *
 * Called in the core's clock, from within the core's own tick. A policy calls nothing back.
 */
#ifndef CW_CONTROL_CONTROL_H
#define CW_CONTROL_CONTROL_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/lanes.h"
#include "ptx/uop.h"

/* The next instruction of a warp. */
struct cw_front {
    uint32_t pc;
    uint32_t stop;   /* the policy wants to hear (arrive) when the front's PC becomes this one; CW_PC_NONE: never */
    cw_lanes active; /* 0: no lane can run; the warp has exited, or waits in a region for its end */
};

struct cw_control_config {
    uint32_t warps; /* slots of the core, at most 64 */
    uint32_t width; /* lanes per warp: 32 or 64 */
};

struct cw_control_ops;

/* A policy at work in a core. A policy's own struct begins with it. */
struct cw_control {
    const struct cw_control_ops *ops;
    struct cw_front *front; /* [warp] */
};

struct cw_control_ops {
    const char *name; /* "ipdom": --control */
    const char *what; /* one line for `cowarp list` */
    /* Sets front; the core sets ops. */
    int (*create)(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err);
    void (*destroy)(struct cw_control *p);

    /* A block takes these warps; each is then started by itself. May be NULL. */
    void (*block_start)(struct cw_control *p, uint64_t warps);
    /* A warp starts at PC 0 with these lanes. */
    void (*start)(struct cw_control *p, uint32_t warp, cw_lanes lanes);
    /* The front's PC has become its stop. */
    void (*arrive)(struct cw_control *p, uint32_t warp);
    /* A branch by all active lanes: lanes `taken` go to target, the others to next; rpc: the reconvergence PC, or CW_PC_NONE. Returns
     * whether the warp diverged. */
    bool (*branch)(struct cw_control *p, uint32_t warp, cw_lanes taken, uint32_t target, uint32_t next, uint32_t rpc);
    /* A branch with a target of its own per active lane. */
    bool (*branch_indexed)(struct cw_control *p, uint32_t warp, const uint32_t target[CW_WARP_LANES_MAX], uint32_t rpc);
    /* Lanes exit. Outside a region only. Active lanes that stay stand at the front's PC. */
    void (*exit)(struct cw_control *p, uint32_t warp, cw_lanes lanes);
    /* Active lanes execute a barrier: the lanes that arrive at it now, with them; live are the warp's lanes that have not exited. */
    cw_lanes (*barrier)(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes live);
    /* Whether a warp with active lanes may issue now; NULL: always. When the answer turns to true the policy has been told something about
     * a warp of the same core in that cycle. */
    bool (*may_issue)(const struct cw_control *p, uint32_t warp);

    /* Regions (transactions, Fung 2015, 4.2.1): lanes begin together, each reaches the end or aborts; lanes that aborted restart.
     * A policy may leave all of them NULL: a GPU with a mechanism that has regions refuses it.
     * The active lanes begin a region; the attempt starts at pc. Not inside another one. */
    void (*region_begin)(struct cw_control *p, uint32_t warp, uint32_t pc);
    /* Active lanes have reached the region's end and wait; the others go on at next. Returns whether no lane is left to run. */
    bool (*region_reach)(struct cw_control *p, uint32_t warp, cw_lanes lanes, uint32_t next);
    /* Lanes of the attempt abort. Returns whether no lane is left to run. */
    bool (*region_abort)(struct cw_control *p, uint32_t warp, cw_lanes lanes);
    /* End of the attempt. true: lanes have aborted, and restart. false: none has; the region is over, and lane l goes on at resume[l]. */
    bool (*region_end)(struct cw_control *p, uint32_t warp, const uint32_t resume[CW_WARP_LANES_MAX]);
    /* Lanes of the attempt that have not aborted; lanes that have; of the former, those that wait at the end. */
    cw_lanes (*region_lanes)(const struct cw_control *p, uint32_t warp);
    cw_lanes (*region_aborted)(const struct cw_control *p, uint32_t warp);
    cw_lanes (*region_reached)(const struct cw_control *p, uint32_t warp);

    /* Lanes of the warp that cannot run before active ones have gone on. */
    cw_lanes (*waiting)(const struct cw_control *p, uint32_t warp);
    /* For a deadlock report: where the warp's lanes stand; line: of a PC in the PTX file. One line, without its end; may print nothing. */
    void (*report)(const struct cw_control *p, uint32_t warp, uint32_t (*line)(const void *context, uint32_t pc), const void *context,
                   FILE *out);
};

/* All policies, NULL-terminated; --control names one. */
extern const struct cw_control_ops *const cw_controls[];
const struct cw_control_ops *cw_control_find(const char *name);

/* All active lanes go on at pc. */
static inline void cw_control_advance(struct cw_control *p, uint32_t warp, uint32_t pc)
{
    struct cw_front *f = &p->front[warp];
    f->pc = pc;
    if (pc == f->stop)
        p->ops->arrive(p, warp);
}

#endif
