/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hazard detection of a Kilo TM commit unit (Fung 2015, section 4.2.5, stage 3 of Figure 4.5): does a committing transaction read
 * what an earlier one, still committing, writes? If so, its speculative validation may have seen old values: it has to wait
 * until the youngest such transaction (its YCID) has retired, and to validate again.
 *
 * [1] The commit unit must send the read- and write-set of one transaction after the other, in commit order, one word a cycle: first all
 * read-set words (CHECK), then all write-set words (RECORD), the last one with ent_last. [2] A transaction without a word in this partition
 * needs no entry; NONE with ent_last gives it a result all the same.
 *
 *  - RECORD: [3] ent_cid becomes the last writer of ent_addr in the last writer history (a part, see its contract).
 *  - CHECK: [4] the history answers the youngest writer w of ent_addr. [5] It is a conflict when w is not 0 and not below ent_rcid, the
 *    oldest transaction that was committing when this one's speculative validation started (RCID). [6] A w of ent_cid or above is taken as
 *    ent_cid - 1: it is the transaction's own write or later, which hides whoever wrote before. [7] ent_cid = 0: w is taken as it is.
 *  - ent_last: [8] one cycle after the entry's turn, seven cycles after it was accepted, the result is in the queue: [9] res_ycid is the
 *    youngest conflict of all CHECKs since the last ent_last, [10] res_hazard says whether there is any, [11] res_exact whether the
 *    youngest one comes from the history's table (else the recency Bloom filter guessed, or the conflict was taken as
 *    ent_cid - 1). [12] res_id is the ent_id of the entry with ent_last.
 *
 * [13] Of equally young conflicts one is enough: the result is exact when any of them is. [14] An entry's turn is the cycle in which the
 * history answers it.
 *
 * Stages: [15] 0 to 5 are the history's; 6 compares its answer with ent_cid, ent_rcid and the youngest conflict so far.
 *
 * Coalesced warps (WarpTM): [16] the transactions of a warp have consecutive commit IDs, must not have conflicts among them, and retire
 * together; they are one group: CHECKs carry the warp's smallest commit ID, RECORDs its largest, and ent_last comes once.
 *
 * [17] One entry per cycle is accepted, until results wait: at most 8 are inside (accepted with ent_last and not taken), then
 * ent_ready is 0. [18] Results come in order. [19] live_cid and clear are the history's; [20] the user must keep commit IDs of RECORDs and
 * live_cid from decreasing between clears. [21] A clear forgets every writer recorded up to and including its cycle; [22] CHECKs
 * accepted up to then are answered from before, and conflicts found stay with their transaction.
 */
#ifndef COWARP_UNIT_HAZARD_UNIT_H
#define COWARP_UNIT_HAZARD_UNIT_H

#include "cowarp/unit.h"

enum cw_hazard_kind { CW_HAZARD_CHECK = 0, CW_HAZARD_RECORD = 1, CW_HAZARD_NONE = 2 /* and 3 */ };

/* The defaults are the 5 KB form of Fung 2015, section 4.4.3; the 512-byte form: set_w = 4, bloom_row_w = 4. */
#define CW_HAZARD_UNIT_PARAMS(P)                                                           \
    P(ways, WAYS, 4, 1, 8, "entries per set of the history's lookup table")                \
    P(set_w, SET_W, 7, 1, 12, "log2 of the lookup table's sets")                           \
    P(addr_w, ADDR_W, 28, 1, 64, "bits of a word number (byte address / 4)")               \
    P(cid_w, CID_W, 20, 2, 48, "bits of a commit ID")                                      \
    P(bloom_ways, BLOOM_WAYS, 4, 1, 4, "sub-arrays of the history's recency Bloom filter") \
    P(bloom_row_w, BLOOM_ROW_W, 8, 1, 12, "log2 of the buckets per sub-array")             \
    P(id_w, ID_W, 10, 1, 16, "bits of the tag that a result carries back (commit unit entry)")

/* Cycles from an entry with ent_last to res_valid, when no earlier result waits. */
#define CW_HAZARD_UNIT_LATENCY 7
/* Results inside at most. */
#define CW_HAZARD_UNIT_RESULTS 8

#define CW_HAZARD_UNIT_CLOCK(C) C(700, 32, "GETM Table II: commit unit")

#define CW_HAZARD_UNIT_PORTS(IN, OUT, INW, OUTW)                                            \
    /* entries of read- and write-sets, in commit order */                                  \
    IN(ent_valid, 1)                                                                        \
    IN(ent_kind, 2) /* enum cw_hazard_kind */                                               \
    IN(ent_addr, p->addr_w)                                                                 \
    IN(ent_cid, p->cid_w)  /* the transaction's commit ID */                                \
    IN(ent_rcid, p->cid_w) /* CHECK: commit IDs below are no conflict */                    \
    IN(ent_last, 1)        /* the transaction's last entry */                               \
    IN(ent_id, p->id_w)    /* with ent_last: comes back with the result */                  \
    OUT(ent_ready, 1)      /* does not depend on inputs of the same cycle */                \
    /* results, one per transaction; [23] fields are 0 while res_valid is 0 */              \
    OUT(res_valid, 1)                                                                       \
    OUT(res_id, p->id_w)                                                                    \
    OUT(res_hazard, 1)      /* validate again after res_ycid has retired */                 \
    OUT(res_ycid, p->cid_w) /* 0 when there is no hazard */                                 \
    OUT(res_exact, 1)                                                                       \
    IN(res_ready, 1)                                                                        \
    /* control */                                                                           \
    IN(live_cid, p->cid_w) /* commit IDs below are no hazard to anyone any more */          \
    IN(clear, 1)           /* forget every writer, before commit IDs roll over */           \
    OUT(busy, 1)           /* [24] 0: a clock without ent_valid or clear changes nothing */ \
    /* events for statistics, one-cycle pulses */                                           \
    OUT(evt_exact, 1)  /* [25] a CHECK met a conflict in the table */                       \
    OUT(evt_approx, 1) /* [26] a CHECK met a conflict that the filter answered */           \
    OUT(evt_evict, 1)  /* [27] a writer went from the table to the filter */

/* Words in waves. */
#define CW_HAZARD_UNIT_WORDS(PORT, CHANNEL)                        \
    PORT(ent_kind, hazard_kind, "check", "record", "none", "none") \
    CHANNEL(entry, hazard_entry, ent_valid, ent_ready, ent_kind)

CW_UNIT_DECLARE(hazard_unit, CW_HAZARD_UNIT_PARAMS, CW_HAZARD_UNIT_PORTS)
CW_UNIT_CLOCK(hazard_unit, CW_HAZARD_UNIT_CLOCK)

#endif
