/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Independent threads for a policy that adds to them when a group stops and goes on (csim/control/si, csim/control/dws). Such a policy has the functions of
 * CW_ITS_POLICY; what it keeps for itself is cw_its_own.
 */
#ifndef CW_CONTROL_ITS_ITS_H
#define CW_CONTROL_ITS_ITS_H

#include "control/control.h"
#include "control/simt_stack.h"

/* As cw_its_create, with so many bytes of zeros for the policy itself: cw_its_own. cw_its_destroy frees them. */
int cw_its_create_for(struct cw_control **out, const struct cw_control_config *config, size_t bytes, struct cw_error *err);
void *cw_its_own(const struct cw_control *p);
const struct cw_control_host *cw_its_host(const struct cw_control *p);
/* Lanes that can run when the active ones stop; 0 in a region, where these keep the warp. */
cw_lanes cw_its_others(const struct cw_control *p, uint32_t warp);
/* Active lanes stop at the front's PC until cw_its_resume, and others have their turn. Outside of a region. Before another reason than this one
 * takes the warp from its group, all that have stopped are resumed: a convergence barrier so waits for them. */
void cw_its_stop(struct cw_control *p, uint32_t warp, cw_lanes lanes);
void cw_its_resume(struct cw_control *p, uint32_t warp, cw_lanes lanes);
/* Of the lanes that have stopped, those at the PC of the lowest one; 0: none has. */
cw_lanes cw_its_stopped(const struct cw_control *p, uint32_t warp, cw_lanes among, uint32_t *pc);
/* Whether the active lanes keep the warp: they are in a region. */
bool cw_its_keeps(const struct cw_control *p, uint32_t warp);
/* The active lanes are to meet at this PC, which lies behind theirs; until the unit has answered none is active. Some of them are in `lanes`,
 * and some are not. */
void cw_its_meet(struct cw_control *p, uint32_t warp, cw_lanes lanes, uint32_t meet);

/* For a policy whose warps are with independent threads for a while only (csim/control/pdom_its). Whether the kernel has few enough instructions. */
bool cw_its_can_run(const struct cw_kernel *kernel);
/* The warp is with independent threads from now on: its lanes stand where this stack, outside of a region, has them, and meet where they would have.
 * The front is that of the stack, and stays, until the policy asks for something: cw_its_await or cw_its_yield is to follow. */
void cw_its_enter(struct cw_control *p, uint32_t warp, const struct cw_simt *stack);
/* The active lanes let others of the warp run. */
void cw_its_yield(struct cw_control *p, uint32_t warp);
/* From now on `whole` is called when all lanes of a warp have become active together, at its front; it may change the front's stop. */
void cw_its_whole(struct cw_control *p, void (*whole)(struct cw_control *p, uint32_t warp));

/* Warps whose group waits for a load, for a policy that then looks whether others can run; zeros at first. */
struct cw_its_stalls {
    struct cw_slots warps;
    uint64_t since[CW_SLOTS_MAX]; /* [slot]: of these, from this cycle on */
};
/* The warp's group waits from now on, unless it does already. */
void cw_its_stalls_note(struct cw_control *p, struct cw_its_stalls *s, uint32_t warp);
/* Calls look for each of them, at the beginning of a stage. look: returns the cycle in which it wants to be called again; UINT64_MAX: none. Returns
 * the first of these and of `next`. */
uint64_t cw_its_stalls_look(struct cw_control *p, const struct cw_its_stalls *s, uint64_t cycle, uint64_t next,
                            uint64_t (*look)(struct cw_control *p, uint32_t warp, uint64_t cycle));
void cw_its_stalls_state(const struct cw_control *p, struct cw_state *s, struct cw_its_stalls *stalls);

/* Of struct cw_control_ops. */
int cw_its_create(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err);
void cw_its_destroy(struct cw_control *p);
void cw_its_state(struct cw_control *p, struct cw_state *s);
int cw_its_prepare(struct cw_control *p, const struct cw_kernel *kernel, const char *file, bool static_warps, struct cw_error *err);
uint64_t cw_its_tick(struct cw_control *p, uint64_t cycle);
void cw_its_start(struct cw_control *p, uint32_t warp, cw_lanes lanes);
void cw_its_arrive(struct cw_control *p, uint32_t warp);
bool cw_its_branch(struct cw_control *p, uint32_t warp, cw_lanes taken, const struct cw_branch *b);
bool cw_its_branch_indexed(struct cw_control *p, uint32_t warp, const uint32_t target[CW_WARP_LANES_MAX], const struct cw_branch *b);
cw_lanes cw_its_repeats(const struct cw_control *p, uint32_t warp);
void cw_its_exit(struct cw_control *p, uint32_t warp, cw_lanes lanes);
cw_lanes cw_its_barrier(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes live);
bool cw_its_await(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes named, uint32_t id);
cw_lanes cw_its_guests(const struct cw_control *p, uint32_t warp);
void cw_its_part(struct cw_control *p, uint32_t warp);
void cw_its_region_begin(struct cw_control *p, uint32_t warp, uint32_t pc);
bool cw_its_region_reach(struct cw_control *p, uint32_t warp, cw_lanes lanes, uint32_t next);
bool cw_its_region_abort(struct cw_control *p, uint32_t warp, cw_lanes lanes);
bool cw_its_region_end(struct cw_control *p, uint32_t warp, const uint32_t resume[CW_WARP_LANES_MAX], uint32_t meet);
cw_lanes cw_its_region_lanes(const struct cw_control *p, uint32_t warp);
cw_lanes cw_its_region_aborted(const struct cw_control *p, uint32_t warp);
cw_lanes cw_its_region_reached(const struct cw_control *p, uint32_t warp);
cw_lanes cw_its_waiting(const struct cw_control *p, uint32_t warp);
uint32_t cw_its_where(const struct cw_control *p, uint32_t home, uint32_t lane);
void cw_its_report(const struct cw_control *p, uint32_t warp, uint32_t (*line)(const void *context, uint32_t pc), const void *context,
                   FILE *out);

struct cw_its_keys {
#define CW_LIST "control/its/keys.def"
#include "base/key_fields.h"
};

extern const struct cw_key_set cw_its_keys;
extern const struct cw_mech_unit cw_its_units[1];

#define CW_ITS_POLICY                                                                                                                   \
    .unit = cw_its_units, .unit_cnt = 1, .arrive = cw_its_arrive, .branch = cw_its_branch, .branch_indexed = cw_its_branch_indexed,     \
    .repeats = cw_its_repeats, .exit = cw_its_exit, .barrier = cw_its_barrier, .await = cw_its_await, .guests = cw_its_guests,          \
    .part = cw_its_part, .region_begin = cw_its_region_begin, .region_reach = cw_its_region_reach, .region_abort = cw_its_region_abort, \
    .region_end = cw_its_region_end, .region_lanes = cw_its_region_lanes, .region_aborted = cw_its_region_aborted,                      \
    .region_reached = cw_its_region_reached, .waiting = cw_its_waiting, .where = cw_its_where, .report = cw_its_report

#endif
