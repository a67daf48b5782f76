/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Last writer history of Kilo TM, one per commit unit (Fung 2015, section 4.2.5, Figure 4.4b; sizes: section 4.4.3): for a word,
 * the commit ID of the youngest committing transaction that writes it. The answer may be too young, never too old.
 *
 * A set-associative lookup table holds recent writers exactly: 2^set_w sets, indexed by an H3 hash of the address, of `ways`
 * entries of address and commit ID. When a set is full, its oldest commit ID goes to a recency Bloom filter, which answers for
 * addresses that the table does not hold. Commit ID 0 is no transaction.
 *
 * Operations, one per cycle, each when op_valid and op_ready, take effect in the order in which they are accepted:
 *  - RECORD (op_write = 1): op_cid is the last writer of op_addr. An entry of op_addr takes the new commit ID. Else the set's entry
 *    with the smallest commit ID (of equal ones that in the lowest way; an empty entry counts as 0) is replaced. The replaced
 *    one is inserted into the Bloom filter if its commit ID is not 0 and not below live_cid; else it is dropped. op_cid = 0
 *    does nothing. No response.
 *  - CHECK (op_write = 0): op_cid is ignored. rsp_valid is 1 six cycles later, always, without back-pressure. rsp_cid is the entry's
 *    commit ID, with rsp_exact = 1, or else the Bloom filter's answer, with rsp_exact = 0. 0: no transaction since clear
 *    wrote the word, or all that did are below live_cid. A commit ID below live_cid may be answered: the asker compares with its RCID.
 *
 * live_cid: the smallest commit ID that can still be a hazard to anyone: the smallest RCID of the transactions that have not passed
 * hazard detection, or the retire pointer when there is none. So a retired transaction's write-set is removed without a
 * search: its entries are the oldest of their sets, the first to be replaced, and are not inserted into the filter. It counts two
 * cycles after the RECORD that replaces an entry is accepted. 0 is always right, and fills the filter for nothing.
 *
 * What the user must keep: commit IDs of RECORDs do not decrease between clears (hazard detection goes in commit order), and
 * live_cid does not decrease between clears; otherwise an answer may be too old. Before commit IDs roll over, let all
 * transactions retire, then clear.
 *
 * Stages: 0 hashes the address; 1 reads the set; 2 searches it, writes a RECORD, and has the filter's stage 0; 3 and 4 are the filter's
 * stages 1 and 2; 5 puts both answers together. Each operation sees all before it: stage 2's new set goes to stage 1 when both are of
 * one set.
 *
 * clear = 1 (any cycle) forgets every RECORD accepted up to and including this cycle; CHECKs accepted up to then are answered from the
 * state before. op_ready is 0 from the next cycle on: for one or two cycles, until the operations inside have met the table, and then for
 * the larger of 2^set_w and 2^bloom_row_w cycles of sweep. A clear in that time has no effect. A reset starts the sweep.
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
    /* answer to a CHECK, six cycles later; fields are 0 while rsp_valid is 0 */                         \
    OUT(rsp_valid, 1)                                                                                    \
    OUT(rsp_cid, p->cid_w)                                                                               \
    OUT(rsp_exact, 1) /* 1: from the lookup table */                                                     \
    /* control */                                                                                        \
    IN(live_cid, p->cid_w) /* commit IDs below are no hazard to anyone any more */                       \
    IN(clear, 1)           /* forget everything */                                                       \
    OUT(busy, 1)           /* 0: a clock without op_valid or clear changes nothing */                    \
    OUT(evt_evict, 1)      /* an entry went to the Bloom filter, three cycles after its RECORD */

/* Words in waves. */
#define CW_LAST_WRITER_HISTORY_WORDS(PORT, CHANNEL) \
    PORT(op_write, history_kind, "check", "record") \
    CHANNEL(operation, history_operation, op_valid, op_ready, op_write)

CW_UNIT_DECLARE(last_writer_history, CW_LAST_WRITER_HISTORY_PARAMS, CW_LAST_WRITER_HISTORY_PORTS)
CW_UNIT_CLOCK(last_writer_history, CW_LAST_WRITER_HISTORY_CLOCK)

#endif
