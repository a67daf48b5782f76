/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread block compaction for a policy that adds to it (csim/control/capri, csim/control/lw). Such a policy has the functions of CW_TBC_POLICY and
 * those that it changes; what it keeps for itself is cw_tbc_own. What is called a block here is a set of warps with one stack: one of lw's large
 * warps, too.
 */
#ifndef CW_CONTROL_TBC_TBC_H
#define CW_CONTROL_TBC_TBC_H

#include "control/control.h"
#include "cowarp/unit/block_stack.h"
#include "cowarp/unit/thread_compactor.h"

enum { CW_TBC_AGE, CW_TBC_RRB, CW_TBC_SRR };
enum { CW_TBC_COMPACT, CW_TBC_STATIC };
enum { CW_TBC_SYNC_PROVED, CW_TBC_SYNC_UNI, CW_TBC_SYNC_ALL };

extern const struct cw_key_set cw_tbc_keys;
extern const struct cw_counter_set cw_tbc_counters;
extern const struct cw_mech_unit cw_tbc_units[2];
extern const char *const cw_tbc_compactor_inner[];

/* The rows of cw_tbc_units, for a policy that has more. */
#define CW_TBC_UNITS                                                                                                        \
    {.unit = &cw_thread_compactor_unit,                                                                                     \
     .what = "makes warps of a block's threads that go one way (Fung 2015, 3.3.2); one per core",                           \
     .domain = CW_DOMAIN_CORE,                                                                                              \
     .inner = cw_tbc_compactor_inner,                                                                                       \
     .needs = "core.divergence=tbc"},                                                                                       \
    {                                                                                                                       \
        .unit = &cw_block_stack_unit, .what = "block-wide SIMT stacks of a core's blocks (Fung 2015, 3.3.2); one per core", \
        .domain = CW_DOMAIN_CORE, .needs = "core.divergence=tbc"                                                            \
    }

/* Of a warp and its block; the pointer is valid until the next call of the policy. */
struct cw_tbc_view {
    uint32_t block;
    const uint8_t *home; /* [lane]: the thread's home */
    uint64_t slots;      /* Of the block. */
    uint64_t entry;      /* The number of the block's top: another number, another top. From 1 on. */
    uint32_t warps;      /* Warps that the top was made into; 0: they are not counted yet. */
    uint32_t left;       /* Of these, those whose threads have all exited. */
    bool is_static;      /* Threads stay in their static warps. */
};

/* As cw_tbc_create, with so many bytes of zeros for the policy itself (cw_tbc_own), which cw_tbc_destroy frees; blocks: stacks that it uses, at
 * most as many as the unit has. */
int cw_tbc_create_for(struct cw_control **out, const struct cw_control_config *config, size_t bytes, uint32_t blocks, struct cw_error *err);
void *cw_tbc_own(const struct cw_control *p);
void cw_tbc_see(const struct cw_control *p, uint32_t warp, struct cw_tbc_view *view);
/* No thread of the block is left. */
bool cw_tbc_is_free(const struct cw_control *p, uint32_t block);
/* Whether the warps of a block wait for each other at the branch; and where its sides meet, or CW_PC_NONE. */
bool cw_tbc_waits_at(const struct cw_control *p, const struct cw_branch *b);
uint32_t cw_tbc_meet(const struct cw_control *p, uint32_t warp, const struct cw_branch *b);
/* The active threads, all of the warp, go on at pc without their block. */
void cw_tbc_go(struct cw_control *p, uint32_t warp, uint32_t pc);
/* Active lanes exit; others: the warp has more than the active ones. */
void cw_tbc_leave(struct cw_control *p, uint32_t warp, cw_lanes lanes, bool others);

/* Of struct cw_control_ops. */
int cw_tbc_create(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err);
void cw_tbc_destroy(struct cw_control *p);
void cw_tbc_state(struct cw_control *p, struct cw_state *s);
int cw_tbc_prepare(struct cw_control *p, const struct cw_kernel *kernel, const char *file, bool static_warps, struct cw_error *err);
uint64_t cw_tbc_tick(struct cw_control *p, uint64_t cycle);
void cw_tbc_block_start(struct cw_control *p, uint32_t block, const struct cw_slots *slots);
void cw_tbc_start(struct cw_control *p, uint32_t warp, cw_lanes lanes);
void cw_tbc_arrive(struct cw_control *p, uint32_t warp);
bool cw_tbc_branch(struct cw_control *p, uint32_t warp, cw_lanes taken, const struct cw_branch *b);
bool cw_tbc_branch_indexed(struct cw_control *p, uint32_t warp, const uint32_t target[CW_WARP_LANES_MAX], const struct cw_branch *b);
cw_lanes cw_tbc_repeats(const struct cw_control *p, uint32_t warp);
void cw_tbc_exit(struct cw_control *p, uint32_t warp, cw_lanes lanes);
cw_lanes cw_tbc_barrier(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes live);
uint32_t cw_tbc_held(const struct cw_control *p, uint32_t block);
bool cw_tbc_may_issue(const struct cw_control *p, uint32_t warp);
uint64_t cw_tbc_first(struct cw_control *p, uint32_t scheduler, uint64_t cycle, uint64_t candidates);
cw_lanes cw_tbc_waiting(const struct cw_control *p, uint32_t warp);
uint32_t cw_tbc_where(const struct cw_control *p, uint32_t home, uint32_t lane);
cw_lanes cw_tbc_below(const struct cw_control *p, uint32_t home);
void cw_tbc_report(const struct cw_control *p, uint32_t warp, uint32_t (*line)(const void *context, uint32_t pc), const void *context,
                   FILE *out);

#define CW_TBC_POLICY .regroups = true, .start = cw_tbc_start, .barrier = cw_tbc_barrier
/* And what a policy with a unit of its own has otherwise. */
#define CW_TBC_CLOCK .unit = cw_tbc_units, .unit_cnt = 2, .tick = cw_tbc_tick

#endif
