/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ownership table of two-phase parallel intra-warp conflict resolution (2PCR; Fung 2015, section 6.3.3, Figure 6.6): which
 * lanes of a warp may commit together.
 *
 * An entry of the table stands for a region of global memory and holds the lowest lane that writes there, or null. It is one byte of
 * shared memory, so with n = 2^(row_w + bank_w + 2) entries, entry e is byte e mod 4 of a word in bank (e / 4) mod 2^bank_w, row
 * e / 2^(bank_w + 2). The entry of byte address a is (a + 17 * floor(a / n)) mod n. A bank serves one row per cycle, by a read
 * or by a write: that is the shared memory's bandwidth, and the reason for every wait below.
 *
 * A resolution: start names the lanes, operations bring one log entry of all lanes each (Figure 6.6: first every write-log entry as
 * MARK, then every read-log entry as CHECK_READ and every write-log entry as CHECK_WRITE), END asks for the result.
 *  - MARK: the entries of the operation's lanes become the lower of what they hold and the lane's number; null is above every lane.
 *  - CHECK_READ: a lane loses when its entry holds a lower lane (not null).
 *  - CHECK_WRITE: a lane loses when its entry holds anything but the lane itself. So a write that was never marked loses.
 * The lanes of an operation are op_lanes AND alive, both of the cycle in which it is accepted.
 *
 * What a cycle means.
 *  - start is accepted in cycle t when start_valid and start_ready: alive = start_lanes from t + 1 on, and the 2^row_w cycles
 *    from t + 1 on set every entry to null, a row of all banks in each. op_ready is 0 until they are over.
 *  - An operation accepted in cycle t accesses the banks from t + 1 on, in groups. The group of a cycle: in each bank the lowest lane that
 *    has not been served names the row, and every unserved lane of that bank and row is served. What a group has read counts in the
 *    cycle after it: CHECK takes the losers out of alive from the cycle after that one; MARK, if the group changes an entry, writes
 *    in that very cycle (write = 1), and no group accesses then.
 *  - op_ready = 1 between the clearing and END, in the cycles that leave no lane unserved. It does not depend on inputs.
 *  - END accepted in cycle t: result_valid is 1 from t + 2 until result_ready; result_lanes, the lanes that may commit, is alive then, and
 * 0 while result_valid is 0. start_ready is 1 from the cycle after the result was taken on, and after reset.
 *  - access = 1: a group is being read in this cycle. access and write are never both 1.
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
