/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Miss status holding registers (MSHRs) of an L2 slice: which lines are fetched, which of their sectors are on their way, and which requests
 * wait for them. It is the MSHRs of csim/mem/l2.h. The unit knows a request by its number; what the request asks for is in a RAM beside it.
 *
 * Entries. [1] There are `entries` entries; one is in use or not. [2] One in use has a line, which no other one has, and the line's sectors
 * that are on their way. [3] It has `merge` places: a request that waits takes one, and so does a write that has gone on to memory. [4] The
 * requests that wait in it have an order, and each has a number and the sectors that it needs. [5] Its touched sectors are those of all
 * requests that have waited since nobody waited last. [6] It is ready or not.
 *
 * What a cycle means. [7] An operation is taken in each cycle t with op_valid = 1, and its answer is there in t + 3 (ans_valid). [8] It finds
 * the entries as all operations before it have left them. [9] act_*, in the cycle of the answer, say what it does, and without act_valid
 * nothing changes.
 *
 * Kind 0 asks for the sectors op_sectors of the line op_line:
 *  - [10] ans_hit = 1: the line has an entry, which is named; [11] else the lowest entry that is not in use is named, if there is one.
 *  - [12] ans_room = 1: one is named, and has a free place; without it nothing changes.
 *  - [13] ans_behind = 1: one of the sectors is touched.
 *  - [14] act_pass = 0: the request waits, as the last one, with the number act_req; it needs the sectors act_needs, and touches op_sectors.
 *  - [15] act_pass = 1: it is a write that goes on to memory; in both cases: [16] the sectors act_fetch are on their way now, and [17] the entry
 *    is in use, with the line op_line.
 *
 * Kind 1 says that sectors of the entry op_entry come:
 *  - [18] ans_hit = 1: the entry is in use, and is named.
 *  - [19] The sectors op_sectors are no longer on their way; when none is, the places of writes are free.
 *  - [20] If somebody waits in it, and the first one needs no sector but those of act_here, it becomes ready; if it was not, it joins the list
 *    of ready entries as its last.
 *
 * Kind 2 says that the head is performed:
 *  - [21] ans_hit = 1: head_valid is 1 in this cycle; the head's entry is named.
 *  - [22] The head leaves it.
 *  - [23] If another request waits in it, and needs no sector but those of act_here, that is the head in the next cycle; else the entry is not
 *    ready, and there is no head.
 *
 * [24] op_kind = 3 names nothing. [25] ans_ends = 1, of kinds 1 and 2: with act_valid nobody waits in the entry and nothing is on its way, so
 * it is not in use any more. [26] ans_entry is the number of the named entry; if that is in use, ans_line and ans_fetching, the sectors on
 * their way, are its own.
 *
 * The head. [27] Is there none in cycle t, and none to come, the first entry of the list leaves it, and its first request is the head from
 * t + 2 on. [28] head_req is the head's number.
 *
 * [29] What is not said here is 0: ans_* without ans_valid, and head_req without head_valid. [30] act_* is not looked at without ans_valid.
 * [31] After a reset no entry is in use. [32] empty = 1: no entry is in use. [33] idle = 1: a clock without op_valid changes nothing.
 */
#ifndef COWARP_UNIT_L2_MSHR_H
#define COWARP_UNIT_L2_MSHR_H

#include "cowarp/unit.h"

#define CW_L2_MSHR_PARAMS(P)                                                 \
    P(entries, ENTRIES, 64, 1, 256, "entries: lines that are fetched")       \
    P(merge, MERGE, 8, 1, 64, "places of an entry: requests merged")         \
    P(line_w, LINE_W, 32, 1, 32, "bits of a line's number in its partition") \
    P(sectors, SECTORS, 4, 1, 8, "sectors of a line, of 32 bytes each")      \
    P(req_w, REQ_W, 9, 1, 16, "bits of a request's number; each place may be taken")

#define CW_L2_MSHR_CLOCK(C) C(1400, 32, "L2 slice, clock.l2 of preset getm")

#define CW_L2_MSHR_PORTS(IN, OUT, INW, OUTW)       \
    /* an operation */                             \
    IN(op_valid, 1)                                \
    IN(op_kind, 2)                                 \
    IN(op_line, p->line_w)                         \
    IN(op_entry, 8)                                \
    IN(op_sectors, p->sectors)                     \
    /* its answer, three cycles later */           \
    OUT(ans_valid, 1)                              \
    OUT(ans_hit, 1)                                \
    OUT(ans_room, 1)                               \
    OUT(ans_behind, 1)                             \
    OUT(ans_ends, 1)                               \
    OUT(ans_entry, 8)                              \
    OUT(ans_line, p->line_w)                       \
    OUT(ans_fetching, p->sectors)                  \
    /* what it does, in the cycle of the answer */ \
    IN(act_valid, 1)                               \
    IN(act_pass, 1)                                \
    IN(act_req, p->req_w)                          \
    IN(act_needs, p->sectors)                      \
    IN(act_fetch, p->sectors)                      \
    IN(act_here, p->sectors)                       \
    /* the request that is performed next */       \
    OUT(head_valid, 1)                             \
    OUT(head_req, p->req_w)                        \
    /* status */                                   \
    OUT(empty, 1)                                  \
    OUT(idle, 1)

CW_UNIT_DECLARE(l2_mshr, CW_L2_MSHR_PARAMS, CW_L2_MSHR_PORTS)
CW_UNIT_CLOCK(l2_mshr, CW_L2_MSHR_CLOCK)

#endif
