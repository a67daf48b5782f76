/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scoreboard: for each register of a warp the core cycle from which an instruction that reads or writes it may issue. A fixed-latency
 * instruction writes the cycle at issue, so it needs no release event; a load writes CW_CYCLE_PENDING and the data's arrival replaces it.
 * This is the pending bitmap with a release queue in other words: the warp's next instruction is ready at the latest cycle of its
 * registers, and a timing wheel with one bit per warp wakes it then. Sources wait for RAW, destinations for WAW; there is no WAR,
 * because sources are read at issue.
 */
#ifndef CW_CORE_WARPS_SCOREBOARD_H
#define CW_CORE_WARPS_SCOREBOARD_H

#include <stdint.h>

#include "base/config.h"
#include "base/error.h"
#include "ir/module.h"

#define CW_CYCLE_PENDING UINT64_MAX

/* What the core does with a micro-op at issue. */
enum cw_issue_kind {
    CW_ISSUE_EXEC,    /* call uop->exec */
    CW_ISSUE_CLOCK,   /* the same after setting the clock values */
    CW_ISSUE_SPECIAL, /* the same for a special register that comes by way of the load/store unit */
    CW_ISSUE_WARP,    /* the same after a check that the lanes are there that a membermask names */
    CW_ISSUE_CONST,
    CW_ISSUE_MEM,
    CW_ISSUE_FENCE,
    CW_ISSUE_BRANCH,
    CW_ISSUE_BRANCH_INDEXED,
    CW_ISSUE_EXIT,
    CW_ISSUE_TRAP,
    CW_ISSUE_BARRIER,
    CW_ISSUE_WARP_BARRIER, /* bar.warp.sync: nothing after the same check */
    CW_ISSUE_SLEEP,
    CW_ISSUE_NOP,
    CW_ISSUE_REGION_BEGIN,
    CW_ISSUE_REGION_END,
    CW_ISSUE_INTRINSIC,
    CW_ISSUE_PRINT,
    CW_ISSUE_RIDES /* An EXEC that issues together with the next one */
};

#define CW_OP_SLOTS 12 /* 4 destinations, 5 sources, the guard, the carry flag */

/* A micro-op as the issue stage sees it; compiled once per launch. */
struct cw_issue_op {
    uint8_t kind;               /* enum cw_issue_kind */
    uint8_t fu;                 /* enum cw_fu; memory instructions that do not use the load/store unit count as ALU */
    uint8_t dst_cnt;            /* slot[0 .. dst_cnt-1] are destinations */
    uint8_t slot_cnt;           /* slot[dst_cnt .. slot_cnt-1] are sources */
    uint8_t owner;              /* CW_ISSUE_INTRINSIC: index of the mechanism that carries it out */
    uint8_t pipe;               /* enum cw_pipe: with operand collectors, the pipeline that takes it; fu is then one unit of it */
    uint8_t reads;              /* slot[dst_cnt .. dst_cnt+reads-1] are read through the register banks: sources without guard and carry */
    uint8_t told;               /* bit per enum cw_exec_open: the user has been told that the instruction did this */
    uint8_t parts;              /* CW_ISSUE_MEM: micro-ops from this one on that issue as one load; 1: it stands alone */
    uint8_t wide;               /* Of several: the bytes of the access, as in struct cw_uop */
    uint16_t latency;           /* cycles in the unit; without operand collectors, until the destinations may be used */
    uint16_t interval;          /* cycles until the unit takes another instruction */
    uint16_t taken;             /* Cycles for which it has the scheduler's issue slot */
    uint16_t slot[CW_OP_SLOTS]; /* r32 registers, then r64, then predicates, then the carry flag */
};

/* Slots per warp of a kernel. */
static inline uint32_t cw_scoreboard_slots(const struct cw_kernel *k)
{
    return k->r32_cnt + k->r64_cnt + k->pred_cnt + 1;
}

/* Compiles uop; CW_EUNSUP when the executor has no function for it. */
int cw_issue_op_compile(struct cw_issue_op *op, const struct cw_kernel *kernel, const struct cw_uop *uop, const struct cw_config *config,
                        struct cw_error *err);

/* What issues together with the next micro-op, when the core can do that: it waits for the registers of both, and takes the slot and the unit
 * of the next one. both: the micro-op, and behind it the next one, which is compiled. */
void cw_issue_op_ride(struct cw_issue_op *op, const struct cw_uop *both, const struct cw_config *config);

/* As one load with the u->parts - 1 micro-ops behind it, which are compiled: all their registers are its own. */
void cw_issue_op_widen(struct cw_issue_op *op, const struct cw_uop *u);

/* First cycle at which op may issue as far as registers are concerned, CW_CYCLE_PENDING when it waits for a load. */
static inline uint64_t cw_scoreboard_ready(const uint64_t *slot_cycle, const struct cw_issue_op *op)
{
    uint64_t latest = 0;
    for (uint32_t i = 0; i < op->slot_cnt; i++) {
        uint64_t t = slot_cycle[op->slot[i]];
        latest = t > latest ? t : latest;
    }
    return latest;
}

/* The destinations of op may be used from cycle on (CW_CYCLE_PENDING: not yet known). */
static inline void cw_scoreboard_set(uint64_t *slot_cycle, const struct cw_issue_op *op, uint64_t cycle)
{
    for (uint32_t i = 0; i < op->dst_cnt; i++)
        slot_cycle[op->slot[i]] = cycle;
}

#endif
