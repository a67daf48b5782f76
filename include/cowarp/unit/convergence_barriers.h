/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convergence barriers: which lanes of a warp run next when each lane has a PC of its own. The mechanism is that of Volta and later (Hanoi,
 * arXiv 2407.02944: BSSY, BSYNC, YIELD, WARPSYNC), for the warps of a scheduler.
 *
 * [1] The unit has 2^warp_w warps of `lanes` lanes, each with `barriers` barriers. [2] A lane of a warp is active, ready, waiting at
 * barriers, or held; the active ones are the group that runs. [3] A lane that is not active has a PC. [4] A barrier has a PC, the lanes that it
 * waits for, and of these the ones that wait there; it is free when it waits for nobody, and is one of convergence or a strict one.
 *
 * What a cycle means:
 *  - [5] op_valid = 1 and op_ready = 1 in cycle t: an operation on warp op_warp is taken. [6] It is answered in t + 10 (ans_valid). [7] From
 *    t + 1 to t + 10 op_ready is 0; below, A is the set of the warp's active lanes, and L is op_lanes:
 *    - START (0): [8] the warp is L, all of them active, and has no barrier.
 *    - BRANCH (1): [9] the lanes of A that are in L come to op_target, the others of A to op_next. [10] When there are both and
 *      op_meet_valid = 1, they are to meet: [11] a barrier of convergence at op_meet that waits for all of A is enough, [12] else the lowest
 *      free barrier becomes one that does, [13] and without a free one they run on apart. [14] With op_yield = 1 those of A that are ready
 *      then have yielded.
 *    - WARPSYNC (2): [15] the lanes of A that are in L wait at a strict barrier at op_target: the lowest one that waits for all of them, [16]
 *      else the lowest free one, which waits for them and for the live lanes of op_named. [17] Without a free one they are ready at op_target,
 *      and have yielded. [18] The others of A come to op_next.
 *    - BLOCK (3): [19] the lanes of A that are in L are held, and the others of A come to op_next.
 *    - RESUME (4): [20] the held lanes of L come to op_target.
 *    - EXIT (5): [21] the lanes of L leave the warp and its barriers; a strict one at which nobody waits then is free.
 *    - 6, 7: [22] only what follows.
 *  - Then: [23] a lane that has come to the PC of barriers of convergence that wait for it waits at them, [24] else it is ready. [25] A barrier
 *    of convergence opens when lanes wait there, and all others that it waits for have yielded; [26] a strict one when all that it waits for
 *    wait there. [27] Who waits at a barrier that opens has left it, and is ready if he waits at no other. [28] If no lane is active or ready
 *    then, barriers of convergence open once more, also without lanes that are held or wait at strict ones.
 *  - Who runs: [29] while a lane is active, nobody else. [30] Else the ready lanes that a BRANCH has sent to op_target (op_first = 1) or
 *    op_next (0) are first, if they have not yielded; if there are none, those of its other side; and those that a WARPSYNC has let go. [31]
 *    Then it is the turn of the lowest ready lane that has had none in this round. [32] Where there is none, a round begins, with the lowest
 *    ready one; lanes of A that have yielded do not begin it, unless there are no others. [33] All ready lanes at the PC of the chosen one
 *    become active, have had their turn, and have not yielded any more. [34] So at most 2 lanes - 2 groups that come by their turn pass a
 *    ready lane by.
 *  - [35] The answer: ans_warp, ans_keep (lanes were active all the time), ans_group (the active lanes), ans_pc (theirs; 0 with ans_keep and
 *    without a group), ans_released (lanes that wait at no barrier any more since one opened), ans_blocked (at barriers of convergence),
 *    ans_parked (held, or at strict ones), ans_barred (a barrier of convergence waits for one of the group). [36] Without ans_valid they are 0.
 *
 * [37] After a reset no warp has a lane. [38] busy = 1 from t + 1 to t + 10; in a clock with busy and op_valid 0 nothing changes.
 */
#ifndef COWARP_UNIT_CONVERGENCE_BARRIERS_H
#define COWARP_UNIT_CONVERGENCE_BARRIERS_H

#include "cowarp/unit.h"

enum cw_convergence_op {
    CW_CONVERGENCE_START,
    CW_CONVERGENCE_BRANCH,
    CW_CONVERGENCE_WARPSYNC,
    CW_CONVERGENCE_BLOCK,
    CW_CONVERGENCE_RESUME,
    CW_CONVERGENCE_EXIT
};

/* From the cycle in which an operation is taken to its answer. */
#define CW_CONVERGENCE_BARRIERS_CYCLES 10

#define CW_CONVERGENCE_BARRIERS_PARAMS(P)                  \
    P(lanes, LANES, 32, 1, 64, "lanes of a warp")          \
    P(warp_w, WARP_W, 4, 1, 10, "log2 of the warps")       \
    P(barriers, BARRIERS, 16, 1, 16, "barriers of a warp") \
    P(pc_w, PC_W, 16, 1, 24, "bits of a PC")

#define CW_CONVERGENCE_BARRIERS_CLOCK(C) C(1400, 32, "GETM Table 2, core clock; a branch per warp scheduler in 11 cycles")

#define CW_CONVERGENCE_BARRIERS_PORTS(IN, OUT, INW, OUTW) \
    /* operations */                                      \
    IN(op_valid, 1)                                       \
    OUT(op_ready, 1)                                      \
    IN(op_kind, 3)                                        \
    IN(op_warp, p->warp_w)                                \
    IN(op_lanes, p->lanes)                                \
    IN(op_named, p->lanes)                                \
    IN(op_target, p->pc_w)                                \
    IN(op_next, p->pc_w)                                  \
    IN(op_meet_valid, 1)                                  \
    IN(op_meet, p->pc_w)                                  \
    IN(op_first, 1)                                       \
    IN(op_yield, 1)                                       \
    /* answers */                                         \
    OUT(ans_valid, 1)                                     \
    OUT(ans_warp, p->warp_w)                              \
    OUT(ans_keep, 1)                                      \
    OUT(ans_group, p->lanes)                              \
    OUT(ans_pc, p->pc_w)                                  \
    OUT(ans_released, p->lanes)                           \
    OUT(ans_blocked, p->lanes)                            \
    OUT(ans_parked, p->lanes)                             \
    OUT(ans_barred, 1)                                    \
    /* status */                                          \
    OUT(busy, 1)

#define CW_CONVERGENCE_BARRIERS_WORDS(PORT, CHANNEL)                                                                \
    PORT(op_kind, convergence_kind, "start", "branch", "warpsync", "block", "resume", "exit", "nothing", "nothing") \
    CHANNEL(operation, convergence_operation, op_valid, op_ready, op_kind)

CW_UNIT_DECLARE(convergence_barriers, CW_CONVERGENCE_BARRIERS_PARAMS, CW_CONVERGENCE_BARRIERS_PORTS)
CW_UNIT_CLOCK(convergence_barriers, CW_CONVERGENCE_BARRIERS_CLOCK)

#endif
