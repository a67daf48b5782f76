/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The load/store unit: a queue of memory instructions in issue order. Its head is cut into line accesses, which go into the pipe, or into
 * passes over the banks of shared memory.
 *
 * Fields: lsu.c, shared.c, core.c, report.c, issue.c, stall.c, saved.c. Private to: core_state.h.
 */
#ifndef CW_CORE_LSU_H
#define CW_CORE_LSU_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

struct cw_core_inst; /* core_state.h */
struct cw_issue_op;  /* scoreboard.h */

struct cw_lsu {
    struct cw_core_inst **queue; /* ring */
    uint32_t cap, head, cnt;
    uint32_t most;           /* nothing issues to it while so many are in it; those that their collectors still have count */
    uint64_t next;           /* cycle in which it needs a tick */
    uint64_t stage_free_at;  /* cycle in which the next access to global or local memory may go into the pipe; where each takes one, 0 */
    uint64_t shared_free_at; /* cycle from which the banks of shared memory are free */
};

bool cw_core__issue_mem(struct cw_core *c, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, cw_lanes mask);
void cw_core__lsu_tick(struct cw_core *c);
/* In one pipeline: whether a memory instruction keeps its stage, so that nothing issues. *until: it ends in that cycle; CW_CYCLE_NEVER:
 * when the load/store unit or its pipe moves. */
bool cw_core__memory_stalls(const struct cw_core *c, uint64_t *until);

#endif
