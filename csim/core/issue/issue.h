/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The issue floor: the schedulers choose a warp, and its instruction is executed.
 */
#ifndef CW_CORE_ISSUE_ISSUE_H
#define CW_CORE_ISSUE_ISSUE_H

#include "core/issue/operands.h"
#include "core/memory/memory.h"

struct cw_core_issue {
    struct cw_core_memory memory; /* The floor below; it comes first, so both have one address. */
    uint64_t next;                /* cycle in which it needs a tick */
    struct cw_branch *branch;     /* [PC]; of instructions that are no branches nobody reads it */
    uint32_t op_cap;              /* of branch, and of the warps' op */
    uint32_t turn_shift;          /* log2 of the cycles per stage */
    struct cw_dynamic_warp alone; /* with one_by_one: the threads of the instruction that is issuing, */
    cw_lanes alone_active;        /* and its lanes */
    uint32_t wide_only;           /* with more than one row: the candidate that a scheduler tries, of those in wide */
    struct cw_slots wide;
    struct cw_operands operands;
};

/* In charge.c; only where warps->stalls is there. */
/* Counts the cycles up to that one, exclusive. */
void cw_core__stalls_charge(struct cw_core_issue *issue, uint64_t cycle);
/* At the end of a tick: what the cycles from this one on are judged by. stopped: a memory instruction keeps the one pipeline. */
void cw_core__stalls_tick(struct cw_core_issue *issue, bool stopped);
/* issue.c */
void cw_core__issue_tick(struct cw_core_issue *issue);
/* Targets of a brx, by lane, of the active lanes; false: a lane's index is beyond the table, and a fault was raised. */
bool cw_core__indexed_targets(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, uint32_t pc, cw_lanes mask,
                              uint32_t *target);
/* The fault of TRAP and BRKPT by these lanes. */
void cw_core__trap(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, cw_lanes mask);
/* print.c */
/* PRINT_WORD, PRINT and ASSERT by these lanes. false: a fault was raised. */
bool cw_core__print(struct cw_core_issue *issue, uint32_t w, const struct cw_uop *u, cw_lanes mask);

#endif
