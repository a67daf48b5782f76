/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ownership table of two-phase parallel intra-warp conflict resolution (2PCR; Fung 2015, section 6.3.3, Figure 6.6): which
 * lanes of a warp may commit together.
 *
 * [1] An entry of the table stands for a region of global memory and holds the lowest lane that writes there, or null. [2] It is one byte of
 * shared memory, so with n = 2^(row_w + bank_w + 2) entries, entry e is byte e mod 4 of a word in bank (e / 4) mod 2^bank_w, row
 * e / 2^(bank_w + 2). [3] The entry of byte address a is (a + 17 * floor(a / n)) mod n. [4] A bank has one port: in a cycle it reads one
 * entry, for all lanes that want it, or writes one.
 *
 * A resolution: [5] start names the lanes, operations bring one log entry of all lanes each (Figure 6.6: first every write-log entry as
 * MARK, then every read-log entry as CHECK_READ and every write-log entry as CHECK_WRITE), END asks for the result.
 *  - MARK: [6] the entries of the operation's lanes become the lower of what they hold and the lane's number; null is above every lane.
 *  - CHECK_READ: [7] a lane loses when its entry holds a lower lane (not null).
 *  - CHECK_WRITE: [8] a lane loses when its entry holds anything but the lane itself; so a write that was never marked loses.
 *
 * Operations. [9] The lanes of an operation are op_lanes AND alive, both of the cycle in which it is accepted. [10] Operations take effect in
 * their order: each finds the entries as all operations before it have left them.
 *
 * What a cycle means:
 *  - [11] start is accepted in cycle t when start_valid and start_ready: [12] alive = start_lanes from t + 1 on, [13] and the 2^row_w cycles
 *    from t + 1 on set every entry to null, a row of all banks in each; op_ready is 0 until they are over.
 *  - [14] Operations wait in a queue of two: op_ready = 1 in the cycles after the clearing, up to the one that accepts END, in which fewer
 *    than two wait. [15] It does not depend on inputs of that cycle.
 *  - [16] From the head of the queue an operation goes to the place where its lanes are sorted by banks, and from there to the place where
 *    it is served; each of these two places holds one operation, which moves at the end of a cycle when the place before it is
 *    empty or becomes empty at the end of the same cycle. [17] So one that is accepted in t, with nothing before it, is served from t + 3 on.
 *  - [18] Service is in groups: of each bank, the lowest lane not served before names the entry, and every lane of that entry is served;
 *    k is the number of groups that the operation needs: the entries that its lanes have in the bank in which they have most; 0 without
 *    lanes:
 *    - [19] CHECK with k <= 1 is served in one cycle, CHECK with k > 1 in k + 1 cycles, of which the last chooses no group.
 *    - [20] MARK is served in 2 k cycles, of which every other one, from the first on, chooses a group; in 2 cycles for k = 0.
 *    - [21] END is served in one cycle.
 *    - [22] No group is chosen in the third cycle after a cycle that chose one for MARK, because the banks write in the cycle after it: a
 *      MARK or CHECK that would choose in that cycle makes no progress in it. [23] For this rule, one without lanes counts as choosing.
 *  - [24] A group chosen in cycle s is read in s + 1: access = 1, if it has a lane. [25] A CHECK takes its losers out of alive from s + 4
 *    on. [26] A MARK that changes an entry writes in s + 4: write = 1. [27] access and write are never both 1.
 *  - END served in cycle s: [28] result_valid is 1 from s + 4 until result_ready; [29] result_lanes, the lanes that may commit, is alive
 *    then, and 0 while result_valid is 0. [30] start_ready is 1 from the cycle after the result was taken on, and after reset.
 *
 * [31] So a MARK alone is written 7 cycles after it was accepted, and a result comes 7 cycles after an END that finds nothing before it.
 */
#ifndef COWARP_UNIT_OWNERSHIP_TABLE_H
#define COWARP_UNIT_OWNERSHIP_TABLE_H

#include "cowarp/unit.h"

enum cw_ownership_op {
    CW_OWNERSHIP_MARK = 0,
    CW_OWNERSHIP_CHECK_READ = 1,
    CW_OWNERSHIP_CHECK_WRITE = 2,
    CW_OWNERSHIP_END = 3 /* lanes and addresses are ignored */
};

#define CW_OWNERSHIP_TABLE_PARAMS(P)                                 \
    P(lanes, LANES, 32, 2, 32, "lanes of a warp")                    \
    P(addr_w, ADDR_W, 32, 1, 32, "bits of a byte address")           \
    P(bank_w, BANK_W, 5, 1, 5, "log2 of the banks of shared memory") \
    P(row_w, ROW_W, 5, 1, 10, "log2 of the rows of a bank, four entries each")

#define CW_OWNERSHIP_TABLE_CLOCK(C) C(1400, 32, "GETM Table II: SIMT core")

#define CW_OWNERSHIP_TABLE_PORTS(IN, OUT, INW, OUTW)                                    \
    /* a warp begins */                                                                 \
    IN(start_valid, 1)                                                                  \
    IN(start_lanes, p->lanes) /* lanes that want to commit */                           \
    OUT(start_ready, 1)                                                                 \
    /* one log entry of all lanes */                                                    \
    IN(op_valid, 1)                                                                     \
    IN(op_kind, 2)         /* enum cw_ownership_op */                                   \
    IN(op_lanes, p->lanes) /* lanes that have an access in this log entry */            \
    INW(op_addr, 32, 1024) /* word l: byte address of lane l, in its low addr_w bits */ \
    OUT(op_ready, 1)                                                                    \
    /* the lanes that may commit */                                                     \
    OUT(result_valid, 1)                                                                \
    OUT(result_lanes, p->lanes)                                                         \
    IN(result_ready, 1)                                                                 \
    /* status */                                                                        \
    OUT(alive, p->lanes) /* lanes that have not lost */                                 \
    OUT(access, 1)       /* the banks are read for a group */                           \
    OUT(write, 1)        /* the banks are written for a MARK */

/* Words in waves. */
#define CW_OWNERSHIP_TABLE_WORDS(PORT, CHANNEL)                               \
    PORT(op_kind, ownership_kind, "mark", "check_read", "check_write", "end") \
    CHANNEL(operation, ownership_operation, op_valid, op_ready, op_kind)

CW_UNIT_DECLARE(ownership_table, CW_OWNERSHIP_TABLE_PARAMS, CW_OWNERSHIP_TABLE_PORTS)
CW_UNIT_CLOCK(ownership_table, CW_OWNERSHIP_TABLE_CLOCK)

#endif
