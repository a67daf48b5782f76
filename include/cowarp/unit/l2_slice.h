/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An L2 slice: it takes requests for lines, keeps their bytes, asks memory for what is missing, and gives back what goes. Inside are the tags
 * (l2_tags.h) and the miss registers (l2_mshr.h), and between them what this contract says: the order of work and the bytes. It is the slice
 * of csim/mem/l2.h; messages, queues and latencies are the partition's.
 *
 * What a cycle means. [1] An operation is taken in cycle t when op_valid and op_ready are 1, and answered in t + 3 (ans_valid). [2] It finds
 * the slice as all operations before it have left it. [3] op_ready is 0 in the cycle after an operation of the set of op_line was taken, and in
 * the sweep; it is 1 in all others. [4] A line's number has its set in its low set_w bits, and above them its tag.
 *
 * Lines. [5] One that is here has `sectors` sectors of 32 bytes; of each the slice has some bytes, it is valid when it has all, and it is dirty or not.
 *
 * Results. [6] ans_result is 0: done; 1, passed: done, and the write goes on to memory; 2, missed: it waits in an entry; 3: no room; 4: memory
 * has no room; 5, busy: it has bytes to move, and those of the operation before have more turns than the one of this cycle. [7] With 3, 4 and
 * 5 nothing changes, and the operation may come again.
 *
 * Reads, writes, atomics (kind 0, 1, 2); the line is here:
 *  - [8] it needs op_sectors, those that are read, written in the bytes op_mask, or changed, but a write with op_pass = 0 needs nothing; when all that is valid, and no request that waits has touched op_sectors, it is done;
 *  - [9] else it needs a place in the line's entry, or a new entry, without which the result is 3;
 *  - [10] it asks memory for the sectors that are needed and neither valid nor on their way, with whole = 1 for all such sectors of the line if one
 *    that is needed is not valid;
 *  - [11] a write with op_pass = 1 is passed if nobody who waits has touched its sectors; all others have missed, and wait.
 *
 * If it is not here:
 *  - [12] the line goes that is unused for longest and has no entry, and its dirty sectors, with whole = 1 all if one is dirty, go to
 *    memory: ans_back of line ans_line; when all have an entry, the result is 3;
 *  - [13] a write with op_pass = 0 is done; any other request needs a new entry, asks for its sectors, with whole = 1 for all, and has missed, but a
 *    write with op_pass = 1 is passed.
 *
 * Memory. [14] It takes the requests of an operation when there are no more than mem_space, the places that are free (3: three or more): a read, a
 * line that goes, a write that passes; the latter two need mem_told = 1, too. [15] With op_pm = 1, persistent memory, a read needs mem_pm = 1 and no
 * place, a write that passes needs nothing and is done, and a line that goes needs a place alone. [16] Without that the result is 4. [17] ans_fetch
 * are the sectors that are asked for of op_line, under the entry's number ans_entry; with them the others of their groups of `burst` sectors are on
 * their way, but not in persistent memory.
 *
 * What is performed: done or passed. [18] With op_head = 1 it is the request head_req, which has missed before. [19] It is the line's last use. [20] Of a write the slice takes
 * the bytes op_mask, with op_pass = 1 those of valid sectors alone. [21] The sectors that a write or an atomic changes are dirty then, but not with op_pm = 1.
 *
 * Others. [22] Kind 3 cleans: dirty sectors of op_line go to memory as in 12, need mem_space alone, and are clean then. [23] Kind 4 drops: op_line is not here
 * any more; if it has an entry, the result is 3. [24] Both are done if the line is not here, and so is kind 7. [25] Kind 5 comes from memory: the sectors op_sectors of op_line, asked for
 * under op_entry, are valid, and the bytes of them that the slice had stay. [26] The first request of the entry, if it needs none but valid sectors, is
 * the next head. [27] If the entry is not in use, or the line not here, the result is 3. [28] Kind 6 is the host's: op_sectors are valid, the line is the one
 * used last, and what goes for it is lost; with op_head = 1 bytes of a line that is here change, and nothing else. [29] Kind 7 looks at op_sectors of a line that is here, and changes nothing.
 *
 * Bytes move in turns, lowest sector first:
 *  - [30] The first turn is in the cycle after the answer; out_valid is 1 in the cycle after the turn of a sector that comes out.
 *  - [31] First the sectors ans_back come out, with out_back = 1; out_mask are the bytes that the slice has, and all others are 0 in out_data.
 *  - [32] Then those that are read or looked at, in the same form, and those that are changed, as they were before.
 *  - [33] in_ready = 1 asks for the sector in_sector that is written, changed, or given, and in_valid = 1 gives its bytes in_data; of one that is
 *    changed in the cycle of its out_valid or later.
 *  - [34] Of them the slice takes op_mask for a write, those that it lacked for kind 5, and all for an atomic and for kind 6.
 *
 * [35] head_valid and head_req are those of l2_mshr.h. [36] ans_way, with results 0 to 2, is the way of op_line if it is here after the operation, or was
 * before it. [37] What is not said here is 0: ans_* without ans_valid, out_* without out_valid, in_sector without in_ready, head_req without
 * head_valid. [38] After a reset no line is here, and op_ready is 0 for 2^set_w + 1 cycles. [39] empty = 1: no entry is in use. [40] idle = 1: a clock
 * without op_valid changes nothing.
 */
#ifndef COWARP_UNIT_L2_SLICE_H
#define COWARP_UNIT_L2_SLICE_H

#include "cowarp/unit.h"

#define CW_L2_SLICE_PARAMS(P)                                                         \
    P(ways, WAYS, 8, 1, 16, "lines of a set")                                         \
    P(set_w, SET_W, 7, 1, 10, "bits of a set's number; 128 KB in lines of 128 bytes") \
    P(tag_w, TAG_W, 20, 1, 22, "bits of a tag: the rest of a line's number")          \
    P(sectors, SECTORS, 4, 1, 8, "sectors of a line, of 32 bytes each")               \
    P(entries, ENTRIES, 64, 1, 256, "entries: lines that are fetched")                \
    P(merge, MERGE, 8, 1, 64, "places of an entry: requests merged")                  \
    P(req_w, REQ_W, 9, 1, 16, "bits of a request's number; each place may be taken")  \
    P(burst, BURST, 1, 1, 8, "sectors that memory reads together")                    \
    P(whole, WHOLE, 0, 0, 1, "1: lines are fetched and written back whole, as without sectors")

#define CW_L2_SLICE_CLOCK(C) C(700, 32, "L2 slice, clock.l2 of preset thesis-kilotm")

#define CW_L2_SLICE_PORTS(IN, OUT, INW, OUTW)                                                  \
    /* an operation */                                                                         \
    IN(op_valid, 1)                                                                            \
    OUT(op_ready, 1)                                                                           \
    IN(op_kind, 3)                                                                             \
    IN(op_head, 1)                                                                             \
    IN(op_pass, 1)                                                                             \
    IN(op_pm, 1)                                                                               \
    IN(op_line, p->set_w + p->tag_w)                                                           \
    IN(op_entry, 8)                                                                            \
    IN(op_sectors, p->sectors)                                                                 \
    INW(op_mask, 8, 256) /* word s: bytes of sector s, 0 .. sectors - 1 */                     \
    /* its answer, three cycles later */                                                       \
    OUT(ans_valid, 1)                                                                          \
    OUT(ans_result, 3)                                                                         \
    OUT(ans_way, 4)                                                                            \
    OUT(ans_entry, 8)                                                                          \
    OUT(ans_fetch, p->sectors)                                                                 \
    OUT(ans_back, p->sectors)                                                                  \
    OUT(ans_line, p->set_w + p->tag_w)                                                         \
    /* in the cycle of the answer: what memory takes; a number for the request, if it waits */ \
    IN(mem_space, 2)                                                                           \
    IN(mem_told, 1)                                                                            \
    IN(mem_pm, 1)                                                                              \
    IN(act_req, p->req_w)                                                                      \
    /* bytes */                                                                                \
    OUT(out_valid, 1)                                                                          \
    OUT(out_back, 1)                                                                           \
    OUT(out_sector, 3)                                                                         \
    OUTW(out_data, 8, 256)                                                                     \
    OUT(out_mask, 32)                                                                          \
    OUT(in_ready, 1)                                                                           \
    OUT(in_sector, 3)                                                                          \
    IN(in_valid, 1)                                                                            \
    INW(in_data, 8, 256)                                                                       \
    /* the request that is performed next */                                                   \
    OUT(head_valid, 1)                                                                         \
    OUT(head_req, p->req_w)                                                                    \
    /* status */                                                                               \
    OUT(empty, 1)                                                                              \
    OUT(idle, 1)

CW_UNIT_DECLARE(l2_slice, CW_L2_SLICE_PARAMS, CW_L2_SLICE_PORTS)
CW_UNIT_CLOCK(l2_slice, CW_L2_SLICE_CLOCK)

#endif
