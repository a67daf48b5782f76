/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Post-dating unit of snapshot isolation (SI-TM 4.1, Figure 7): the logical timestamp table, and the pipeline that judges edges by it.
 * Transactions that read past each other's writes in a circle see a state that no serial order has (write skew).
 *
 * [1] An edge leads from a reader of a word to the writer of its next version: the reader is the predecessor, the writer the successor. [2] Each
 * transaction has a logical time (CTS) and, once it is the predecessor of an edge, a bound that its CTS may not exceed (PDTS). [3] A transaction
 * is nobody's (after a reset), runs, or has committed. [4] The CTS of one that has committed is final: it is the figure's PrevTS, without a third
 * column, because a number stands for one attempt, and the next attempt begins with the CTS that it is given.
 *
 * What a cycle means. [5] An operation is taken when op_valid and op_ready are 1, one per cycle. [6] Each sees all that those before it have
 * done.
 *  - [7] BEGIN: op_a runs, with CTS op_time and no PDTS, [8] whatever it was.
 *  - [9] COMMIT: op_a has committed. [10] Answer: accepted = 1 and ans_time its last CTS. [11] Of one that does not run: nothing happens,
 *    accepted = 0, ans_time = 0.
 *  - [12] FREE: op_a is nobody's: it has aborted, or nobody needs its last CTS any more.
 *  - [13] EDGE from reader op_a to writer op_b, found by an access of the writer (op_by = 1) or of the reader (0). [14] Answer: one of accepted,
 *    loop (who asks has to abort) and overflow (a logical time would exceed 2^time_w - 1; [15] nothing has changed).
 *
 * [16] An edge is accepted and changes nothing if op_a = op_b, [17] if one of both is nobody's, [18] or if who asks does not run.
 *
 * Else, with the lines of the figure:
 *  - [19] T, what the writer's CTS has to exceed, is the CTS of a reader that has committed (line 2).
 *  - [20] Of a reader that runs it is its PDTS, after this. [21] If the writer has no PDTS, or one not above the reader's CTS (lines 3 to 8), a
 *    reader without PDTS gets CTS + step. [22] Else the PDTS falls to the midpoint (CTS + writer's PDTS) / 2, rounded down, if it is above it
 *    (lines 10 to 12). [23] A PDTS that the reader does not have is above everything by the rules 0 and 1; [24] by rule 2 it is the number -1, so
 *    that it stays missing, and T is -1.
 *  - [25] Loop if the writer has a PDTS and T is not below it (line 17). [26] What the reader got stays. [27] Else the writer's CTS becomes T + 1
 *    (line 20), [28] by rule 0 only if it is not above T already.
 *  - A writer that has committed cannot move. [29] Rules 0 and 1: loop, without a change, if the reader's CTS is not below the writer's;
 *    [30] else the reader's PDTS falls to the writer's CTS - 1 if it is above that, or missing; the figure has no such line. [31] By rule 2 the
 *    writer has no PDTS (line 26), the edge is accepted, and only the reader changes.
 *
 * [32] The answer to an EDGE or a COMMIT that was taken in cycle t is there in t + 2 (ans_valid), with its tag. [33] ans_* is 0 when not valid.
 *
 * [34] After a reset, and after a cycle with clear = 1, all transactions are nobody's, and op_ready is 0 for 2^id_w cycles. [35] What was taken
 * in the cycle of clear, or before, is answered as if there was no clear. [36] A clear in the meantime begins the wait anew. [37] idle = 1: a
 * clock without op_valid and clear changes nothing.
 *
 * [38] By rule 0 the CTS of who commits rises to its PDTS, or by 4 step if it has none, unless that exceeds 2^time_w - 1: so a reader of what it
 * has overwritten stays below it.
 */
#ifndef COWARP_UNIT_POSTDATE_UNIT_H
#define COWARP_UNIT_POSTDATE_UNIT_H

#include "cowarp/unit.h"

#define CW_POSTDATE_UNIT_PARAMS(P)                                                                  \
    P(id_w, ID_W, 10, 1, 10, "bits of a transaction's number")                                      \
    P(time_w, TIME_W, 24, 2, 32, "bits of a logical time")                                          \
    P(rules, RULES, 0, 0, 2, "0: corrected; 1: a missing PDTS is infinity; 2: Figure 7 as printed") \
    P(step, STEP, 10, 1, 255, "from a CTS to the first PDTS")                                       \
    P(tag_w, TAG_W, 8, 1, 16, "bits of the tag that comes back with the answer")

#define CW_POSTDATE_UNIT_CLOCK(C) C(700, 32, "L2 slice, clock.l2 of preset si-tm")

#define CW_POSTDATE_UNIT_PORTS(IN, OUT, INW, OUTW)                            \
    /* operations */                                                          \
    IN(op_valid, 1)                                                           \
    OUT(op_ready, 1)                                                          \
    IN(op_kind, 2)         /* enum cw_postdate_op */                          \
    IN(op_a, p->id_w)      /* the transaction; EDGE: the reader */            \
    IN(op_b, p->id_w)      /* EDGE: the writer */                             \
    IN(op_by, 1)           /* EDGE: who asks; 0: the reader, 1: the writer */ \
    IN(op_time, p->time_w) /* BEGIN: CTS */                                   \
    IN(op_tag, p->tag_w)                                                      \
    /* answers to EDGE and COMMIT, two cycles later */                        \
    OUT(ans_valid, 1)                                                         \
    OUT(ans_tag, p->tag_w)                                                    \
    OUT(ans_accepted, 1)                                                      \
    OUT(ans_loop, 1)                                                          \
    OUT(ans_overflow, 1)                                                      \
    OUT(ans_time, p->time_w) /* COMMIT: last CTS */                           \
    /* all times anew */                                                      \
    IN(clear, 1)                                                              \
    /* status */                                                              \
    OUT(idle, 1)

#define CW_POSTDATE_UNIT_WORDS(PORT, CHANNEL)                     \
    PORT(op_kind, postdate_op, "begin", "edge", "commit", "free") \
    CHANNEL(operation, postdate_operation, op_valid, op_ready, op_kind)

enum cw_postdate_op { CW_POSTDATE_BEGIN, CW_POSTDATE_EDGE, CW_POSTDATE_COMMIT, CW_POSTDATE_FREE };

CW_UNIT_DECLARE(postdate_unit, CW_POSTDATE_UNIT_PARAMS, CW_POSTDATE_UNIT_PORTS)
CW_UNIT_CLOCK(postdate_unit, CW_POSTDATE_UNIT_CLOCK)

#endif
