/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Last writer history of Kilo TM, one per commit unit (Fung 2015, section 4.2.5, Figure 4.4b; sizes: section 4.4.3): for a word,
 * the commit ID of the youngest committing transaction that writes it.
 *
 * [1] The answer may be too young, never too old. [2] A set-associative lookup table holds recent writers exactly: 2^set_w sets, indexed by
 * an H3 hash of the address, of `ways` entries of address and commit ID. [3] When a set is full, its oldest commit ID goes to a recency
 * Bloom filter, which answers for addresses that the table does not hold. [4] Commit ID 0 is no transaction.
 *
 * Operations. [5] One per cycle is accepted, when op_valid and op_ready; they take effect in the order in which they are accepted:
 *  - RECORD (op_write = 1): [6] op_cid is the last writer of op_addr. [7] An entry of op_addr takes the new commit ID. [8] Else the set's
 *    entry with the smallest commit ID is replaced, [9] of equal ones that in the lowest way; [10] an empty entry counts as 0. [11] The
 *    replaced one is inserted into the Bloom filter if its commit ID is not 0 and not below live_cid; else it is dropped. [12] op_cid = 0
 *    does nothing. [13] No response.
 *  - CHECK (op_write = 0): [14] op_cid is ignored. [15] rsp_valid is 1 six cycles later, always, without back-pressure. [16] rsp_cid is the
 *    entry's commit ID, with rsp_exact = 1, [17] or else the Bloom filter's answer, with rsp_exact = 0. [18] 0: no transaction since clear
 *    wrote the word, or all that did are below live_cid. [19] A commit ID below live_cid may be answered: the asker compares with its RCID.
 *
 * live_cid. [20] It must not be above the smallest commit ID that can still be a hazard to anyone: the smallest RCID of the transactions that
 * have not passed hazard detection, or the retire pointer when there is none. [21] So a retired transaction's write-set is removed without
 * a search: its entries are the oldest of their sets, the first to be replaced, and are not inserted into the filter. [22] live_cid counts
 * two cycles after the RECORD that replaces an entry is accepted. [23] 0 is always right, and fills the filter for nothing.
 *
 * What the user must keep: [24] between clears, commit IDs of RECORDs must not decrease (hazard detection goes in commit order), nor must
 * live_cid; otherwise an answer may be too old. [25] Before commit IDs roll over, all transactions must retire, and then comes a clear.
 *
 * Stages: [26] 0 hashes the address; 1 reads the set; 2 searches it, writes a RECORD, and has the filter's stage 0; 3 and 4 are the
 * filter's stages 1 and 2; 5 puts both answers together. [27] Each operation sees all before it: stage 2's new set goes to stage 1 when
 * both are of one set.
 *
 * Clear. [28] clear = 1 (any cycle) forgets every RECORD accepted up to and including this cycle; [29] CHECKs accepted up to then are
 * answered from the state before. [30] op_ready is 0 from the next cycle on: for one or two cycles, until the operations inside have met the
 * table, and then for the larger of 2^set_w and 2^bloom_row_w cycles of sweep. [31] A clear in that time has no effect. [32] A reset starts
 * the sweep.
 */
#ifndef COWARP_UNIT_LAST_WRITER_HISTORY_H
#define COWARP_UNIT_LAST_WRITER_HISTORY_H

#include "cowarp/unit.h"

/* The defaults are the 5 KB form of Fung 2015, section 4.4.3: 512 entries, 4 x 256 buckets. The 512-byte form: set_w = 4 and
 * bloom_row_w = 4. */
#define CW_LAST_WRITER_HISTORY_PARAMS(P)                                         \
    P(ways, WAYS, 4, 1, 8, "entries per set of the lookup table")                \
    P(set_w, SET_W, 7, 1, 12, "log2 of the lookup table's sets")                 \
    P(addr_w, ADDR_W, 28, 1, 64, "bits of a word number (byte address / 4)")     \
    P(cid_w, CID_W, 20, 2, 48, "bits of a commit ID")                            \
    P(bloom_ways, BLOOM_WAYS, 4, 1, 4, "sub-arrays of the recency Bloom filter") \
    P(bloom_row_w, BLOOM_ROW_W, 8, 1, 12, "log2 of the buckets per sub-array")

/* Cycles from a CHECK to its response. */
#define CW_LAST_WRITER_HISTORY_LATENCY 6

#define CW_LAST_WRITER_HISTORY_CLOCK(C) C(700, 32, "GETM Table II: commit unit")

#define CW_LAST_WRITER_HISTORY_PORTS(IN, OUT, INW, OUTW)                                                 \
    /* operation channel */                                                                              \
    IN(op_valid, 1)                                                                                      \
    IN(op_write, 1) /* 1 RECORD, 0 CHECK */                                                              \
    IN(op_addr, p->addr_w)                                                                               \
    IN(op_cid, p->cid_w) /* RECORD: the writer */                                                        \
    OUT(op_ready, 1)     /* 0 only after reset and clear; does not depend on inputs of the same cycle */ \
    /* answer to a CHECK, six cycles later; [33] fields are 0 while rsp_valid is 0 */                    \
    OUT(rsp_valid, 1)                                                                                    \
    OUT(rsp_cid, p->cid_w)                                                                               \
    OUT(rsp_exact, 1) /* 1: from the lookup table */                                                     \
    /* control */                                                                                        \
    IN(live_cid, p->cid_w) /* commit IDs below are no hazard to anyone any more */                       \
    IN(clear, 1)           /* forget everything */                                                       \
    OUT(busy, 1)           /* [34] 0: a clock without op_valid or clear changes nothing */               \
    OUT(evt_evict, 1)      /* [35] an entry went to the Bloom filter, three cycles after its RECORD */

/* Words in waves. */
#define CW_LAST_WRITER_HISTORY_WORDS(PORT, CHANNEL) \
    PORT(op_write, history_kind, "check", "record") \
    CHANNEL(operation, history_operation, op_valid, op_ready, op_write)

CW_UNIT_DECLARE(last_writer_history, CW_LAST_WRITER_HISTORY_PARAMS, CW_LAST_WRITER_HISTORY_PORTS)
CW_UNIT_CLOCK(last_writer_history, CW_LAST_WRITER_HISTORY_CLOCK)

#endif
