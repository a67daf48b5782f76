/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Last written time table of temporal conflict detection (TCD), one per memory partition (Fung 2015, section 6.4, Figures 6.7 and
 * 6.8): when a committing transaction last wrote a block of memory. The answer may be too late, never too early.
 * It stands beside the L2 cache and sees what it serves, at most one access per cycle.
 *
 * [1] op_addr is the word, its block is op_addr >> block_w. [2] Accesses take effect in the order in which they are accepted:
 *  - WRITE (op_write = 1), a committing transaction's word: [3] the block's time becomes the larger of the stored one and op_time, the
 *    partition's synchronised timer. [4] No response.
 *  - READ (op_write = 0), a transactional load: [5] op_time is the time of its transaction's first load. [6] rsp_valid is 1 four cycles
 *    later, always, without back-pressure. [7] rsp_time is the block's last written time, 0 if never; [8] rsp_conflict is 1 when that is
 *    later than op_time: then the loaded value may be younger than the snapshot of the first load. [9] A core that compares for itself, as
 *    the thesis has it, sends any op_time and takes rsp_time home with the data.
 *  - Stages: [10] 0 hashes the block, 1 reads the sub-arrays, 2 chooses the smallest time (a WRITE: raises and writes), 3 compares it with
 *    op_time. [11] There is no tie to break: equal times are one answer, and no conflict with an equal op_time.
 *
 * [12] Times are unsigned numbers of time_w bits. [13] Timers of 64 bits do not roll over in practice; with narrower ones, when the timers
 * roll over (early_warning tells before), the system must validate the running transactions by value, set their first-read times to 0, and
 * clear this table (section 6.4.2).
 *
 * [14] The mechanism as published does not see that a snapshot may hold half of another transaction's commit (section 6.4), because a write
 * is stamped when it happens; a system that closes this hole must send a second WRITE of each block with the time at which the whole commit
 * had ended, and keep loads of the blocks in between from passing.
 *
 * [15] clear = 1 (any cycle) forgets all WRITEs accepted up to and including this cycle; [16] READs accepted up to then are answered from
 * the state before. [17] A sweep of 2^row_w cycles follows in which op_ready is 0. [18] A reset starts the same sweep.
 */
#ifndef COWARP_UNIT_LAST_WRITTEN_TABLE_H
#define COWARP_UNIT_LAST_WRITTEN_TABLE_H

#include "cowarp/unit.h"

/* The defaults are Table 6.1 of Fung 2015: 2,048 entries in 4 sub-arrays, 128-byte blocks, 64-bit times: 16 KB. Section 6.7.5 varies
 * them: row_w 10 and 5 (TCD-4K, TCD-128), ways 1 with row_w 11 (2K-1SubArray), block_w 0 (WordAddr). */
#define CW_LAST_WRITTEN_TABLE_PARAMS(P)                                        \
    P(ways, WAYS, 4, 1, 4, "sub-arrays, each with a hash of its own")          \
    P(row_w, ROW_W, 9, 1, 12, "log2 of the entries per sub-array")             \
    P(addr_w, ADDR_W, 28, 1, 64, "bits of a word number (byte address / 4)")   \
    P(block_w, BLOCK_W, 5, 0, 16, "log2 of the words per block; below addr_w") \
    P(time_w, TIME_W, 64, 4, 64, "bits of a time")

/* Cycles from a READ to its response. */
#define CW_LAST_WRITTEN_TABLE_LATENCY 4

#define CW_LAST_WRITTEN_TABLE_CLOCK(C) C(1400, 32, "L2 slice, clock.l2 of preset getm")

#define CW_LAST_WRITTEN_TABLE_PORTS(IN, OUT, INW, OUTW)                                                    \
    /* accesses that the L2 cache serves */                                                                \
    IN(op_valid, 1)                                                                                        \
    IN(op_write, 1) /* 1 WRITE, 0 READ */                                                                  \
    IN(op_addr, p->addr_w)                                                                                 \
    IN(op_time, p->time_w) /* WRITE: now; READ: the transaction's first load */                            \
    OUT(op_ready, 1)       /* [19] 0 only in a sweep; does not depend on inputs of the same cycle */       \
    /* answer to a READ, four cycles later; [20] fields are 0 while rsp_valid is 0 */                      \
    OUT(rsp_valid, 1)                                                                                      \
    OUT(rsp_time, p->time_w) /* when the block was last written, or later */                               \
    OUT(rsp_conflict, 1)     /* rsp_time is later than the READ's op_time */                               \
    /* control */                                                                                          \
    IN(clear, 1)          /* forget every write */                                                         \
    OUT(early_warning, 1) /* [21] sticky until clear: a WRITE's time was in the top eighth of the range */ \
    OUT(busy, 1)          /* [22] 0: a clock without op_valid or clear changes nothing */

/* Words in waves. */
#define CW_LAST_WRITTEN_TABLE_WORDS(PORT, CHANNEL) \
    PORT(op_write, access_kind, "read", "write")   \
    CHANNEL(operation, access_operation, op_valid, op_ready, op_write)

CW_UNIT_DECLARE(last_written_table, CW_LAST_WRITTEN_TABLE_PARAMS, CW_LAST_WRITTEN_TABLE_PORTS)
CW_UNIT_CLOCK(last_written_table, CW_LAST_WRITTEN_TABLE_CLOCK)

#endif
