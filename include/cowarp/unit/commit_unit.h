/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control of Kilo TM's commit unit: the ring buffer of commit entries with its logical stages (Fung 2015, section 4.2.5, Figures 4.4b and 4.5).
 * It decides what may happen next to which transaction; logs, value comparison, hazard detection and write-back are its neighbours.
 *
 * [1] Every commit ID (CID) has an entry in every commit unit; the entry of the oldest, at the retire pointer, is entry `oldest`. [2] The ring
 * covers the CIDs oldest .. oldest + entries - 1, the window. [3] CIDs count modulo 2^cid_w and may roll over; [4] entries + lanes may not exceed
 * 2^cid_w. [5] After reset oldest = 0. [6] Four pointers follow each other in CID order, from young to old hazard >= pass >= commit >= retire =
 * oldest, [7] and each of them moves by at most one entry in a cycle.
 *
 * Messages of the core. [8] One message is about up to `lanes` transactions with consecutive CIDs, as those of a warp are: bit i of msg_lanes
 * stands for the CID msg_cid + i, and so do the bits of msg_reads, msg_writes and msg_pass. [9] They may come in any order of CIDs, [10] and all
 * of their CIDs must lie in the window: cores keep credits for entries, so no message has to wait here.
 *  - [11] FILL: log transfer begins or goes on. [12] The first message of an entry makes its RCID the CID that is oldest when it is judged.
 *  - [13] DONE: the log is complete. [14] msg_reads: it has read-set words here, whose speculative validation is answered (val); without them the
 *    entry has passed. [15] msg_writes: it has write-set words here. [16] With neither it is a SKIP.
 *  - [17] SKIP: the transaction does not touch this partition. [18] It passes all pointers and nothing else happens to it.
 *  - [19] OUTCOME: the core's final decision, msg_pass; [20] legal once the entry has been reported.
 *
 * [21] Answers, each about one entry, in any order of CIDs: for each of them an entry remembers that it has had it.
 *  - [22] hza: the hazard unit has looked at an entry that the hazard pointer has passed. [23] hza_ycid must be the youngest CID not older than
 *    its RCID that may write what it has read (hza_found). [24] That is a hazard, and becomes the entry's YCID, if it is an older CID of less
 *    than `entries` before.
 *  - [25] val with val_again = 0: the speculative validation of an entry in the window has ended; [26] it may come before DONE.
 *  - [27] val with val_again = 1: the revalidation has ended that was asked for (rev).
 *  - [28] wb: the write-back of an entry that the commit pointer has passed has ended.
 *
 * Pointers:
 *  - [29] hazard waits for DONE or SKIP of its entry. [30] It puts the entry with its RCID into the register haz, for the hazard unit, and moves
 *    on.
 *  - [31] pass waits until the entry is validated and the hazard unit has answered. [32] Failed, or passed without hazard: the result is reported
 *    and the pointer moves on. [33] Passed with hazard: when YCID has retired, the entry is put into the register rev, for another validation,
 *    and the pointer moves on. [34] The new answer is reported when it comes.
 *  - [35] commit waits for the outcome. [36] If the transaction commits and has writes here it is put into the register com, for its write-back.
 *  - [37] retire waits for the end of the write-back, tells the core through the register ret, and frees the entry.
 *
 * [38] fail_waits = 0: an entry that has failed here does not wait for an outcome, [39] and must not be sent one.
 *
 * Cycles. [40] All decisions look at the state at the start of the cycle.
 *  - [41] Cycle t: an event is on its port, and its entry is in the range that is said above, or not.
 *  - [42] Cycle t + 1: the event is judged. [43] Legal, it changes its entries from t + 2 on; [44] illegal, it changes nothing and illegal = 1 in
 *    t + 2.
 *  - [45] Cycle t + 2: a pointer at the entry sees the change, and moves on. [46] Its register (haz, rev, com, ret) has the entry from t + 3 on.
 *
 * [47] A pointer whose register is not empty moves on in the cycle in which the register is taken. [48] So each of them passes an entry per
 * cycle. [49] haz, rev, com and ret are 0 when not valid. [50] Nothing goes from an input to an output within a cycle.
 *
 * [51] Reports leave through a queue of three (rep_*; 0 when not valid), [52] at most one enters per cycle. [53] val_ready = 1 while at most one
 * is in it. [54] The pass pointer adds its report while at most one is in it, and not in a cycle in which an answer with val_again = 1 is judged.
 *
 * [55] Illegal events: a message of which a CID lies outside the window; [56] FILL, DONE or SKIP after DONE or SKIP; [57] OUTCOME before the
 * report, [58] after another, [59] of pass for an entry that has failed here, [60] or (fail_waits = 0) for a failed one; [61] an answer (val:
 * when val_ready) out of its range, [62] about an entry that has retired when it is judged, [63] or one that its entry has had; [64] val with
 * val_again = 1 for an entry that has been reported. [65] In a message about several entries each is legal or not by itself. [66] The unit does
 * not check that an entry has reads before val, or writes before wb: such an answer counts as one that the entry has had, and nothing asks for
 * it. [67] Nor does it check that rev has asked before val with val_again = 1: such an answer is reported.
 *
 * [68] In hardware the ring may not have more than CW_COMMIT_UNIT_HARDWARE entries, which is what closes the clock; a larger one exists in C
 * only, for idealised systems and for studies.
 */
#ifndef COWARP_UNIT_COMMIT_UNIT_H
#define COWARP_UNIT_COMMIT_UNIT_H

#include "cowarp/unit.h"

/* Most entries in RTL: with the 32 lanes of a warp they fill 2,048 places. */
#define CW_COMMIT_UNIT_HARDWARE 2016u

enum cw_commit_message { CW_COMMIT_FILL = 0, CW_COMMIT_DONE = 1, CW_COMMIT_SKIP = 2, CW_COMMIT_OUTCOME = 3 };

/* Which pointer is at the oldest entry: the youngest of those that are. */
enum cw_commit_stage {
    CW_COMMIT_STAGE_LOG = 0,     /* hazard: its logs are not complete */
    CW_COMMIT_STAGE_PASS = 1,    /* pass: the hazard unit, the validation or the room for its report is missing */
    CW_COMMIT_STAGE_OUTCOME = 2, /* commit: the revalidation or the outcome is missing */
    CW_COMMIT_STAGE_WRITE = 3    /* retire only: the end of the write-back is missing */
};

/* Defaults: the ring of Fung 2015, section 4.4.4 (two warps on each of 30 cores), with the other values of the GPU. */
#define CW_COMMIT_UNIT_PARAMS(P)                                                                \
    P(entries, ENTRIES, 1920, 1, 65536, "entries of the ring, the window; in RTL at most 2016") \
    P(lanes, LANES, 32, 1, 32, "entries that one message can be about; a power of two")         \
    P(cid_w, CID_W, 20, 1, 32, "bits of a commit ID; entries + lanes <= 2^cid_w")               \
    P(fail_waits, FAIL_WAITS, 0, 0, 1, "1: a transaction that failed here waits for its outcome too")

#define CW_COMMIT_UNIT_CLOCK(C) C(700, 32, "GETM Table II: commit unit")

#define CW_COMMIT_UNIT_PORTS(IN, OUT, INW, OUTW)                                                                                       \
    /* messages of the core */                                                                                                         \
    IN(msg_valid, 1)                                                                                                                   \
    IN(msg_kind, 2) /* enum cw_commit_message */                                                                                       \
    IN(msg_cid, p->cid_w)                                                                                                              \
    IN(msg_lanes, p->lanes)                                                                                                            \
    IN(msg_reads, p->lanes)  /* DONE */                                                                                                \
    IN(msg_writes, p->lanes) /* DONE */                                                                                                \
    IN(msg_pass, p->lanes)   /* OUTCOME */                                                                                             \
    /* the hazard unit takes an entry, and answers */                                                                                  \
    OUT(haz_valid, 1)                                                                                                                  \
    OUT(haz_cid, p->cid_w)                                                                                                             \
    OUT(haz_rcid, p->cid_w)                                                                                                            \
    IN(haz_ready, 1)                                                                                                                   \
    IN(hza_valid, 1)                                                                                                                   \
    IN(hza_cid, p->cid_w)                                                                                                              \
    IN(hza_found, 1) /* there is such a CID */                                                                                         \
    IN(hza_ycid, p->cid_w)                                                                                                             \
    /* a validation is answered */                                                                                                     \
    IN(val_valid, 1)                                                                                                                   \
    IN(val_cid, p->cid_w)                                                                                                              \
    IN(val_again, 1) /* it is the one that rev has asked for */                                                                        \
    IN(val_pass, 1)                                                                                                                    \
    OUT(val_ready, 1)                                                                                                                  \
    /* a read-set is to be validated again */                                                                                          \
    OUT(rev_valid, 1)                                                                                                                  \
    OUT(rev_cid, p->cid_w)                                                                                                             \
    IN(rev_ready, 1)                                                                                                                   \
    /* local result, to the core */                                                                                                    \
    OUT(rep_valid, 1)                                                                                                                  \
    OUT(rep_cid, p->cid_w)                                                                                                             \
    OUT(rep_pass, 1)                                                                                                                   \
    IN(rep_ready, 1)                                                                                                                   \
    /* write-back begins, and ends */                                                                                                  \
    OUT(com_valid, 1)                                                                                                                  \
    OUT(com_cid, p->cid_w)                                                                                                             \
    IN(com_ready, 1)                                                                                                                   \
    IN(wb_valid, 1)                                                                                                                    \
    IN(wb_cid, p->cid_w)                                                                                                               \
    /* the oldest transaction is done; not for skipped ones */                                                                         \
    OUT(ret_valid, 1)                                                                                                                  \
    OUT(ret_cid, p->cid_w)                                                                                                             \
    OUT(ret_commit, 1)                                                                                                                 \
    IN(ret_ready, 1)                                                                                                                   \
    /* status */                                                                                                                       \
    OUT(oldest_cid, p->cid_w) /* the retire pointer */                                                                                 \
    OUT(oldest_stage, 2)      /* enum cw_commit_stage */                                                                               \
    OUT(commit_cid, p->cid_w) /* the commit pointer */                                                                                 \
    OUT(waiting, 1)           /* in the cycle before, the entry at the pass pointer waited for its YCID */                             \
    OUT(busy, 1)              /* a report or retirement is offered; or in the cycle before an event came or was judged, or a pointer \
                                 moved. 0: a clock without an event, in which haz, rev and com are not taken, changes nothing */ \
    OUT(illegal, 1)           /* an event of the cycle before the last was illegal */

/* Words in waves. */
#define CW_COMMIT_UNIT_WORDS(PORT, CHANNEL)                             \
    PORT(msg_kind, commit_kind, "fill", "done", "skip", "outcome")      \
    PORT(oldest_stage, commit_stage, "log", "pass", "outcome", "write") \
    CHANNEL(message, commit_message, msg_valid, msg_valid, msg_kind)

CW_UNIT_DECLARE(commit_unit, CW_COMMIT_UNIT_PARAMS, CW_COMMIT_UNIT_PORTS)
CW_UNIT_CLOCK(commit_unit, CW_COMMIT_UNIT_CLOCK)

#endif
