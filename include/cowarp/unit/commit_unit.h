/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control of Kilo TM's commit unit: the ring buffer of commit entries with its logical stages (Fung 2015, section 4.2.5, Figures 4.4b and
 * 4.5). It decides what may happen next to which transaction; logs, value comparison, hazard detection and write-back are its neighbours.
 *
 * Every commit ID (CID) has an entry in every commit unit; the entry of the oldest, at the retire pointer, is entry `oldest`. The ring
 * covers the CIDs oldest .. oldest + entries - 1, the window. CIDs count modulo 2^cid_w and may roll over; entries may not exceed 2^cid_w.
 * After reset oldest = 0. Four pointers follow each other in CID order, each by at most one entry in a cycle:
 *
 *     younger   hazard >= pass >= commit >= retire = oldest   older
 *
 * Messages of the core. One message is about up to `lanes` transactions with consecutive CIDs, as those of a warp are: bit i of
 * msg_lanes stands for the CID msg_cid + i, and so do the bits of msg_reads, msg_writes and msg_pass. They may come in any order of CIDs;
 * of which msg_cid or another of its CIDs lies outside the window waits (msg_ready = 0).
 *  - FILL: log transfer begins or goes on. The first message of an entry makes its RCID the CID that is oldest in that cycle.
 *  - DONE: the log is complete. msg_reads: it has read-set words here, whose speculative validation will be answered (val); without
 *    them the entry has passed. msg_writes: it has write-set words here. With neither it is a SKIP.
 *  - SKIP: the transaction does not touch this partition. It passes all pointers and nothing else happens to it.
 *  - OUTCOME: the core's final decision, msg_pass; legal once the entry has been reported.
 *
 * Pointers.
 *  - hazard waits for DONE or SKIP of its entry. It hands the entry with its RCID to the hazard unit (haz) and moves on when that has
 *    taken it. The answer (hza) may come in any later cycle, and in any order: hza_cid is the entry, hza_ycid the youngest CID not older
 *    than its RCID that may write what it has read (hza_found). That is a hazard, and becomes the entry's YCID, if it is an older CID of
 *    less than `entries` before.
 *  - pass waits until the entry is validated and the hazard unit has answered. Failed, or passed without hazard: the result is reported
 *    and the pointer moves on. Passed with hazard: when YCID has retired, a revalidation is asked for (rev), the pointer moves on, and the
 *    new answer (val) is reported as it comes.
 *  - commit waits for the outcome. If the transaction commits and has writes here its write-back is started (com), which ends with wb.
 *  - retire waits for the end of the write-back, tells the core (ret), and frees the entry.
 * fail_waits = 0: an entry that has failed here does not wait for an outcome, and must not be sent one.
 *
 * What a cycle means. All decisions look at the state at the start of the cycle, so an event moves a pointer in the next cycle at the
 * earliest. Outputs depend on state only, except: msg_ready on msg_cid and msg_lanes, val_ready on rep_ready. haz, rev, com and ret are
 * stable while valid and not ready; their fields are 0 when not valid. The report leaves through one register (rep_*): it is filled in a
 * cycle in which it is empty or being taken, by the answer to a revalidation first, else by the pass pointer. val_ready = 1 in exactly
 * these cycles.
 *
 * Illegal events change nothing, and illegal = 1 in the cycle after: FILL, DONE or SKIP after DONE or SKIP; OUTCOME before the report,
 * after another, of pass for an entry that has failed here, or (fail_waits = 0) for a failed one; val (when val_ready) for a CID outside
 * the window or not waiting for validation; wb for one not being written back; hza for one that waits for no answer. In a message about
 * several entries each is legal or not by itself.
 */
#ifndef COWARP_UNIT_COMMIT_UNIT_H
#define COWARP_UNIT_COMMIT_UNIT_H

#include "cowarp/unit.h"

enum cw_commit_message { CW_COMMIT_FILL = 0, CW_COMMIT_DONE = 1, CW_COMMIT_SKIP = 2, CW_COMMIT_OUTCOME = 3 };

/* What the oldest entry waits for. */
enum cw_commit_state {
    CW_COMMIT_STATE_EMPTY = 0,      /* a first message */
    CW_COMMIT_STATE_FILL = 1,       /* DONE */
    CW_COMMIT_STATE_HAZARD = 2,     /* the hazard pointer, or the hazard unit's answer */
    CW_COMMIT_STATE_VALIDATE = 3,   /* the answer to the speculative validation */
    CW_COMMIT_STATE_PASS = 4,       /* the pass pointer: report or revalidation request */
    CW_COMMIT_STATE_REVALIDATE = 5, /* the answer to the revalidation */
    CW_COMMIT_STATE_OUTCOME = 6,    /* OUTCOME */
    CW_COMMIT_STATE_COMMIT = 7,     /* the commit pointer: start of the write-back */
    CW_COMMIT_STATE_WRITE = 8,      /* the end of the write-back */
    CW_COMMIT_STATE_RETIRE = 9      /* the retire pointer */
};

#define CW_COMMIT_UNIT_PARAMS(P)                                                       \
    P(entries, ENTRIES, 1024, 1, 65536, "entries of the ring, a multiple of lanes")    \
    P(lanes, LANES, 1, 1, 32, "entries that one message can be about; a power of two") \
    P(cid_w, CID_W, 16, 1, 32, "bits of a commit ID; entries <= 2^cid_w")              \
    P(fail_waits, FAIL_WAITS, 1, 0, 1, "1: a transaction that failed here waits for its outcome too")

#define CW_COMMIT_UNIT_CLOCK(C) C(700, 32, "GETM Table II: commit unit")

#define CW_COMMIT_UNIT_PORTS(IN, OUT, INW, OUTW)                                                                          \
    /* messages of the core */                                                                                            \
    IN(msg_valid, 1)                                                                                                      \
    IN(msg_kind, 2) /* enum cw_commit_message */                                                                          \
    IN(msg_cid, p->cid_w)                                                                                                 \
    IN(msg_lanes, p->lanes)                                                                                               \
    IN(msg_reads, p->lanes)  /* DONE */                                                                                   \
    IN(msg_writes, p->lanes) /* DONE */                                                                                   \
    IN(msg_pass, p->lanes)   /* OUTCOME */                                                                                \
    OUT(msg_ready, 1)        /* the CIDs are in the window; depends on msg_cid, msg_lanes of the same cycle */            \
    /* the hazard unit takes an entry, and answers */                                                                     \
    OUT(haz_valid, 1)                                                                                                     \
    OUT(haz_cid, p->cid_w)                                                                                                \
    OUT(haz_rcid, p->cid_w)                                                                                               \
    IN(haz_ready, 1)                                                                                                      \
    IN(hza_valid, 1)                                                                                                      \
    IN(hza_cid, p->cid_w)                                                                                                 \
    IN(hza_found, 1) /* there is such a CID */                                                                            \
    IN(hza_ycid, p->cid_w)                                                                                                \
    /* a validation, speculative or not, is answered */                                                                   \
    IN(val_valid, 1)                                                                                                      \
    IN(val_cid, p->cid_w)                                                                                                 \
    IN(val_pass, 1)                                                                                                       \
    OUT(val_ready, 1) /* depends on rep_ready of the same cycle */                                                        \
    /* a read-set is to be validated again */                                                                             \
    OUT(rev_valid, 1)                                                                                                     \
    OUT(rev_cid, p->cid_w)                                                                                                \
    IN(rev_ready, 1)                                                                                                      \
    /* local result, to the core */                                                                                       \
    OUT(rep_valid, 1)                                                                                                     \
    OUT(rep_cid, p->cid_w)                                                                                                \
    OUT(rep_pass, 1)                                                                                                      \
    IN(rep_ready, 1)                                                                                                      \
    /* write-back begins, and ends */                                                                                     \
    OUT(com_valid, 1)                                                                                                     \
    OUT(com_cid, p->cid_w)                                                                                                \
    IN(com_ready, 1)                                                                                                      \
    IN(wb_valid, 1)                                                                                                       \
    IN(wb_cid, p->cid_w)                                                                                                  \
    /* the oldest transaction is done; not for skipped ones */                                                            \
    OUT(ret_valid, 1)                                                                                                     \
    OUT(ret_cid, p->cid_w)                                                                                                \
    OUT(ret_commit, 1)                                                                                                    \
    IN(ret_ready, 1)                                                                                                      \
    /* status */                                                                                                          \
    OUT(oldest_cid, p->cid_w) /* the retire pointer */                                                                    \
    OUT(oldest_state, 4)      /* enum cw_commit_state */                                                                  \
    OUT(commit_cid, p->cid_w) /* the commit pointer */                                                                    \
    OUT(waiting, 1)           /* the entry at the pass pointer waits for its YCID to retire */                            \
    OUT(busy, 1)              /* 0: a clock without an event, in which haz, rev and com are not taken, changes nothing */ \
    OUT(credits, 17)          /* entries younger than every message so far, 0 .. entries */                               \
    OUT(illegal, 1)           /* an event of the cycle before was illegal */

/* Words in waves. */
#define CW_COMMIT_UNIT_WORDS(PORT, CHANNEL)                                                                                               \
    PORT(msg_kind, commit_kind, "fill", "done", "skip", "outcome")                                                                        \
    PORT(oldest_state, commit_state, "empty", "fill", "hazard", "validate", "pass", "revalidate", "outcome", "commit", "write", "retire") \
    CHANNEL(message, commit_message, msg_valid, msg_ready, msg_kind)

CW_UNIT_DECLARE(commit_unit, CW_COMMIT_UNIT_PARAMS, CW_COMMIT_UNIT_PORTS)
CW_UNIT_CLOCK(commit_unit, CW_COMMIT_UNIT_CLOCK)

#endif
