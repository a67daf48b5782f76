/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Block-wide SIMT stacks of thread block compaction (Fung 2015, sections 3.3.2 and 3.3.3, Figures 3.6 and 3.7), with likely-convergence
 * points (section 3.4, Figure 3.8). One unit per core. It has a stack for each block, whose warps wait for each other at a branch.
 *
 * [1] Masks are of the core: word w has the threads of static warp w, bit l that of lane l. [2] A block has the static warps in which its
 * first mask has a thread, and touches their words only. [3] Two blocks must not have one static warp.
 *
 * [4] An entry has PC, RPC (where it is popped; perhaps none), LPC and LPos (perhaps none: at LPC its threads join the entry at position
 * LPos) and a mask. [5] Position 0 is the bottom. [6] The top also has WCnt, the warps that still run its code. [7] A thread that has
 * exited is in no mask any more.
 *
 * Operations. [8] One is accepted when op_valid and op_ready. [9] Its threads are, for each lane l of op_lanes, that of lane l of static
 * warp byte l of op_home; [10] other blocks' threads do not count. [11] An operation on a block that is in another state than named here,
 * or of a number that the unit does not have, is ignored.
 *  - START, block without entry: [12] its stack is one entry, PC op_first_pc, no RPC, no LPC, mask op_mask. [13] The unit checks this top
 *    (below).
 *  - BRANCH, block that runs: [14] one of its warps is at the branch, of which threads of op_lanes and op_first go to op_first_pc, the
 *    others to op_second_pc. [15] op_rpc: where the sides meet (if op_rpc_valid); [16] op_lpc: where they are likely to (if
 *    op_lpc_valid). [17] WCnt goes down by one.
 *  - ARRIVE, block that runs: [18] a warp is at the top's RPC, and WCnt goes down by one.
 *  - JOIN, block that runs: [19] a warp is at the top's LPC, and WCnt goes down by one.
 *  - EXIT, block that runs: [20] the threads exit. [21] With op_last the warp has no thread left, and WCnt goes down by one.
 *  - END, block that runs or has overflowed: [22] its entries are forgotten.
 *  - [23] The warps of an entry must end alike: all at one branch, all at the RPC or all at the LPC, but for those that exit.
 *
 * [24] When WCnt becomes 0, the unit turns the stack. [25] The last BRANCH, ARRIVE or JOIN says how; [26] if all warps have exited, as
 * after ARRIVE.
 *  - BRANCH that all threads of the top take one way. [27] The top stays, with its RPC, LPC and LPos. [28] Its PC becomes op_first_pc, or
 *    op_second_pc when none went first.
 *  - BRANCH with threads on both sides. [29] It is a tail when its RPC is that of the top, or neither has one, and then the top is
 *    replaced by what follows; [30] else the top stays, with PC = RPC of the branch. [31] With a LPC that is not the branch's RPC, a
 *    likely-convergence entry is pushed: PC = LPC, RPC of the branch, no thread, and LPC and LPos of the top in a tail, else none. [32]
 *    In a tail whose top has the same LPC there is one already, and none is pushed. [33] Then the entry of op_second_pc is pushed, with
 *    the threads of the top that did not go first. [34] It is left out when its PC is the RPC: it would be popped as soon as it were the
 *    top, and each round of a loop would leave one. [35] Then the entry of op_first_pc is pushed, with those that did. [36] Both have the
 *    branch's RPC. [37] Both have the LPC and the position of the likely-convergence entry if there is one, else those of the top in a
 *    tail, else none.
 *  - ARRIVE. [38] The top is popped.
 *  - JOIN. [39] The top's threads are added to the entry at LPos, if it has a LPC, and the top is popped.
 *  - Then the unit checks the top: [40] without a thread or with PC = RPC it is popped; [41] with PC = LPC its threads join, and it is
 *    popped; [42] and the next top is checked. [43] A block whose last entry was popped is reported by ended, and has no entry. [44] Else
 *    the top is offered.
 *  - [45] A stack has positions 0 .. 2^pos_w - 1. [46] When a push needs one more, the block has overflowed, and only END is obeyed.
 *
 * Outputs:
 *  - [47] top_*: a block's top, with the mask for the thread compactor, until top_ready. [48] It stays as it is until then.
 *  - [49] made_*: how many warps the compactor has made of it, which becomes WCnt, and the block runs. [50] Ignored for a block that does
 *    not wait for it, and with made_count 0.
 *  - [51] pop_*, one cycle: an entry was popped; pop_empty: it had no thread.
 *  - [52] ended_*, one cycle: the block has no entry left (not after END).
 *  - [53] qry_*: in t+1, the state in t of the block asked about in t: enum cw_block_state, the top's PC, WCnt, and the number of
 *    entries. [54] All 0 without qry_valid, for a block that the unit does not have, and for one without entry.
 *  - [55] peak: the most entries that a block has had since reset. [56] overflow: a block has overflowed since reset.
 *  - [57] busy = 0: a clock without op_valid, made_valid and qry_valid changes nothing.
 *  - [58] Fields of top, pop, ended, qry and mem are 0 while their valid is 0 (qry: in the cycle after).
 *
 * [59] The unit keeps `depth` entries of each block below its top. [60] Those of lower positions are in memory: mem_addr = block *
 * 2^pos_w + position. [61] An entry in memory is its mask (words 0 to 31), then, from bit 1024 up, PC, RPC valid, RPC, LPC valid, LPC,
 * LPos, and what is not valid is 0. [62] mem_mask_only: the write leaves the fields as they are. [63] One access at a time; it stays
 * until mem_ready. [64] A read must be answered by mem_rsp_valid in a later cycle.
 *
 * Time. [65] op_ready = 1 in the cycles in which no block is turned. [66] The turn that an operation in t begins has these steps from t+1
 * on, a cycle each:
 *  - START: [67] check.
 *  - BRANCH one way: [68] decide; check.
 *  - BRANCH with two sides: [69] decide; write the top that stays, not in a tail; write the likely-convergence entry, if there is one;
 *    write the second entry, if it is not left out, while the first becomes the top; check. [70] Before each write that finds `depth`
 *    entries of the block: read the lowest one, and store it: as long as mem_ready is 0 and one cycle more.
 *  - ARRIVE: [71] decide; pop.
 *  - JOIN: [72] decide; join; pop. [73] A join without a LPC takes no cycle.
 *  - join: [74] read, stage, write. [75] In memory: fetch until mem_ready, await until mem_rsp_valid, store until mem_ready.
 *  - pop: [76] pop, then load; then check. [77] In memory: pop, fetch until mem_ready, await until mem_rsp_valid; then check. [78] The
 *    pop of the last entry is not followed by a check.
 *  - [79] An overflow is noted instead of the write that needs the position.
 *  - [80] pop_* and ended_* are 1 in the cycle after the step pop.
 *  - [81] A check in s that finds nothing to pop makes the block's top ready to be offered from s+1 on; [82] in a cycle in which none is
 *    offered, or the offer is taken, the lowest block that is ready is chosen, and is offered from the next on.
 */
#ifndef COWARP_UNIT_BLOCK_STACK_H
#define COWARP_UNIT_BLOCK_STACK_H

#include "cowarp/unit.h"

enum cw_block_stack_op {
    CW_BLOCK_STACK_START = 0,
    CW_BLOCK_STACK_BRANCH = 1,
    CW_BLOCK_STACK_ARRIVE = 2,
    CW_BLOCK_STACK_JOIN = 3,
    CW_BLOCK_STACK_EXIT = 4,
    CW_BLOCK_STACK_END = 5 /* 6 and 7 do nothing */
};

enum cw_block_state {
    CW_BLOCK_NONE = 0,    /* no entry */
    CW_BLOCK_RUNS = 1,    /* WCnt warps run */
    CW_BLOCK_OFFERED = 2, /* its top is ready for the compactor, or is offered */
    CW_BLOCK_WAITS = 3,   /* for the number of warps */
    CW_BLOCK_TURNS = 4,
    CW_BLOCK_OVERFLOWED = 5
};

#define CW_BLOCK_STACK_PARAMS(P)                                                 \
    P(lanes, LANES, 32, 1, 32, "lanes of a warp")                                \
    P(warps, WARPS, 32, 1, 32, "static warps of the core")                       \
    P(blocks, BLOCKS, 8, 1, 16, "blocks of the core")                            \
    P(depth, DEPTH, 16, 2, 64, "entries of a block, below its top, in the unit") \
    P(pc_w, PC_W, 16, 1, 24, "bits of a PC")                                     \
    P(pos_w, POS_W, 8, 2, 8, "log2 of the entries of a block, with those in memory")

/* 32-bit words of an entry in memory. */
#define CW_BLOCK_STACK_ENTRY_WORDS 36

#define CW_BLOCK_STACK_CLOCK(C) C(325, 65, "Fung 2015 Table 3.2: 1300 MHz, a warp in 4 cycles")

#define CW_BLOCK_STACK_PORTS(IN, OUT, INW, OUTW)                                                   \
    /* operations */                                                                               \
    IN(op_valid, 1)                                                                                \
    IN(op_kind, 3) /* enum cw_block_stack_op */                                                    \
    IN(op_block, 4)                                                                                \
    IN(op_lanes, p->lanes)    /* BRANCH, EXIT: lanes of the warp */                                \
    INW(op_home, 8, 256)      /* BRANCH, EXIT: byte l: static warp of lane l */                    \
    IN(op_first, p->lanes)    /* BRANCH: lanes that go first */                                    \
    IN(op_first_pc, p->pc_w)  /* START, BRANCH */                                                  \
    IN(op_second_pc, p->pc_w) /* BRANCH */                                                         \
    IN(op_rpc_valid, 1)       /* BRANCH */                                                         \
    IN(op_rpc, p->pc_w)       /* BRANCH */                                                         \
    IN(op_lpc_valid, 1)       /* BRANCH */                                                         \
    IN(op_lpc, p->pc_w)       /* BRANCH */                                                         \
    IN(op_last, 1)            /* EXIT: no thread of the warp is left */                            \
    INW(op_mask, 32, 1024)    /* START: word w: threads of static warp w, in its low lanes bits */ \
    OUT(op_ready, 1)                                                                               \
    /* a top that runs next */                                                                     \
    OUT(top_valid, 1)                                                                              \
    OUT(top_block, 4)                                                                              \
    OUT(top_pc, p->pc_w)                                                                           \
    OUT(top_rpc_valid, 1)                                                                          \
    OUT(top_rpc, p->pc_w)                                                                          \
    OUT(top_lpc_valid, 1)                                                                          \
    OUT(top_lpc, p->pc_w)                                                                          \
    OUTW(top_mask, 32, 1024)                                                                       \
    IN(top_ready, 1)                                                                               \
    /* how many warps it makes */                                                                  \
    IN(made_valid, 1)                                                                              \
    IN(made_block, 4)                                                                              \
    IN(made_count, 6)                                                                              \
    /* what was popped, and whose stack is empty */                                                \
    OUT(pop_valid, 1)                                                                              \
    OUT(pop_block, 4)                                                                              \
    OUT(pop_pc, p->pc_w)                                                                           \
    OUT(pop_empty, 1)                                                                              \
    OUT(ended_valid, 1)                                                                            \
    OUT(ended_block, 4)                                                                            \
    /* questions, answered in the next cycle */                                                    \
    IN(qry_valid, 1)                                                                               \
    IN(qry_block, 4)                                                                               \
    OUT(qry_state, 3) /* enum cw_block_state */                                                    \
    OUT(qry_pc, p->pc_w)                                                                           \
    OUT(qry_wcnt, 6)                                                                               \
    OUT(qry_depth, p->pos_w + 1)                                                                   \
    /* entries that the unit has no place for */                                                   \
    OUT(mem_valid, 1)                                                                              \
    OUT(mem_write, 1)                                                                              \
    OUT(mem_mask_only, 1)                                                                          \
    OUT(mem_addr, p->pos_w + 4)                                                                    \
    OUTW(mem_wdata, CW_BLOCK_STACK_ENTRY_WORDS, 1152)                                              \
    IN(mem_ready, 1)                                                                               \
    IN(mem_rsp_valid, 1)                                                                           \
    INW(mem_rdata, CW_BLOCK_STACK_ENTRY_WORDS, 1152)                                               \
    /* status */                                                                                   \
    OUT(peak, p->pos_w + 1)                                                                        \
    OUT(overflow, 1)                                                                               \
    OUT(busy, 1)

/* Words in waves. */
#define CW_BLOCK_STACK_WORDS(PORT, CHANNEL)                                                     \
    PORT(op_kind, block_stack_op, "start", "branch", "arrive", "join", "exit", "end", "-", "-") \
    PORT(qry_state, block_state, "none", "runs", "offered", "waits", "turns", "overflowed")     \
    CHANNEL(operation, block_stack_operation, op_valid, op_ready, op_kind)

CW_UNIT_DECLARE(block_stack, CW_BLOCK_STACK_PARAMS, CW_BLOCK_STACK_PORTS)
CW_UNIT_CLOCK(block_stack, CW_BLOCK_STACK_CLOCK)

#endif
