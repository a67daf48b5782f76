/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Version index table of snapshot isolation (SI-TM section 3, Figures 4 to 6): which row of memory serves an access, by its address and by the
 * time at which its transaction began. One stands in front of each L2 slice. Memory is addressed in rows (row sets of csim/mem/row.h): the table
 * replaces the number of a row, and the bits below it pass beside the table.
 *
 * Regions. [1] An entry has a range of rows with versions, and behind it those that the versions displace (the paper's start, length and
 * relocated address). [2] A row of first <= row < end has versions: that of slot s lies in row + shift + s * stride. [3] A row of end <= row <
 * far, first included, lies in row + moved. [4] Sums are taken modulo 2^row_w. [5] Any other row is its own. [6] If entries overlap, the lowest
 * counts; a range that goes beyond a subarray has an entry for each.
 *
 * [7] Versions are slots, the same for all regions, so that what a commit writes in two regions is seen as a whole, and times and counts are
 * stored once. [8] A slot is in a state of section 3: S1 copying, S2 written to, S3 readable, S4 free. [9] A readable one has a time, [10] and a
 * count of transactions that read it. [11] The newest is the readable one with the largest time; [12] there is always one.
 *
 * What a cycle means. [13] A look-up is taken in each cycle with qry_valid = 1, [14] and sees the table as at the start of the cycle. [15] Its
 * answer is there two cycles later (ans_valid); [16] ans_* is 0 when not valid.
 *
 * By qry_kind the version is:
 *  - [17] SNAPSHOT: the readable one with the largest time that is not above qry_time;
 *  - [18] NEWEST: the newest;
 *  - [19] SLOT, 3: slot qry_slot, whatever its state.
 *
 * [20] ans_versioned says that the row has versions. [21] ans_found: so it has, and there is such a version (SLOT: qry_slot < versions);
 * [22] then ans_slot and ans_state are its slot and state. [23] ans_row is the row to go to; [24] it is 0 if the row has versions and none is
 * found.
 *
 * [25] An operation is taken in each cycle with op_valid = 1, and changes the table at the end of the cycle. [26] op_refused = 1 in the next
 * cycle says that it was not allowed and has changed nothing. [27] An operation on a slot from `versions` on is refused.
 *
 * Of a lower one:
 *  - [28] COPY: S4 to S1. [29] READY: S1 to S2.
 *  - [30] CLOSE: S2 to S3 with the time op_time, [31] which has to be above that of the newest (times do not wrap), [32] and with count 0.
 *  - [33] FREE: S3 to S4, [34] if its count is 0 and it is not the newest.
 *  - [35] HOLD, RELEASE: in S3, op_cnt is added to its count, [36] which may not exceed 2^count_w - 1, [37] or is taken from it, [38] which may
 *    not fall below 0.
 *  - [39] RESTART: the slot is in S3 with time op_time and count 0, all others are in S4 with count 0.
 *  - [40] RENUMBER: the time of the newest becomes op_time, [41] if its count is 0 and no other is readable.
 *
 * [42] set_valid = 1 writes region set_index at the end of the cycle; [43] set_used = 0 takes it out. [44] set_index >= regions: nothing happens.
 *
 * [45] readable and held have a bit for each slot in S3, and for each with a count above 0. [46] After a reset no region is used, slot 0 is in S3
 * with time 0, and the others are in S4. [47] idle = 1: a clock without qry_valid, op_valid and set_valid changes nothing.
 */
#ifndef COWARP_UNIT_VERSION_INDEX_TABLE_H
#define COWARP_UNIT_VERSION_INDEX_TABLE_H

#include "cowarp/unit.h"

#define CW_VERSION_INDEX_TABLE_PARAMS(P)                                                   \
    P(row_w, ROW_W, 20, 2, 30, "bits of a row's number")                                   \
    P(stride_w, STRIDE_W, 12, 1, 16, "bits of the rows from a slot to the next; <= row_w") \
    P(time_w, TIME_W, 32, 2, 32, "bits of a version's time")                               \
    P(count_w, COUNT_W, 11, 1, 16, "bits of a version's count: 1,024 transactions")        \
    P(versions, VERSIONS, 8, 2, 16, "slots")                                               \
    P(regions, REGIONS, 32, 1, 64, "entries of regions")

#define CW_VERSION_INDEX_TABLE_CLOCK(C) C(700, 32, "L2 slice, clock.l2 of preset si-tm")

#define CW_VERSION_INDEX_TABLE_PORTS(IN, OUT, INW, OUTW) \
    /* look-ups */                                       \
    IN(qry_valid, 1)                                     \
    IN(qry_kind, 2) /* enum cw_version_look */           \
    IN(qry_row, p->row_w)                                \
    IN(qry_time, p->time_w)                              \
    IN(qry_slot, 4)                                      \
    /* their answers, two cycles later */                \
    OUT(ans_valid, 1)                                    \
    OUT(ans_versioned, 1)                                \
    OUT(ans_found, 1)                                    \
    OUT(ans_slot, 4)                                     \
    OUT(ans_state, 2) /* enum cw_version_state */        \
    OUT(ans_row, p->row_w)                               \
    /* the life of versions */                           \
    IN(op_valid, 1)                                      \
    IN(op_kind, 3) /* enum cw_version_op */              \
    IN(op_slot, 4)                                       \
    IN(op_time, p->time_w)                               \
    IN(op_cnt, 6)                                        \
    OUT(op_refused, 1) /* the one before */              \
    /* regions */                                        \
    IN(set_valid, 1)                                     \
    IN(set_index, 6)                                     \
    IN(set_used, 1)                                      \
    IN(set_first, p->row_w)                              \
    IN(set_end, p->row_w)                                \
    IN(set_far, p->row_w)                                \
    IN(set_shift, p->row_w)                              \
    IN(set_stride, p->stride_w)                          \
    IN(set_moved, p->row_w)                              \
    /* status */                                         \
    OUT(readable, p->versions)                           \
    OUT(held, p->versions)                               \
    OUT(idle, 1)

#define CW_VERSION_INDEX_TABLE_WORDS(PORT, CHANNEL)                                                       \
    PORT(qry_kind, version_look, "snapshot", "newest", "slot", "slot")                                    \
    PORT(op_kind, version_op, "copy", "ready", "close", "free", "hold", "release", "restart", "renumber") \
    PORT(ans_state, version_state, "copying", "written", "readable", "free")                              \
    CHANNEL(look, version_query, qry_valid, qry_valid, qry_kind)                                          \
    CHANNEL(operation, version_operation, op_valid, op_valid, op_kind)

enum cw_version_look { CW_VERSION_SNAPSHOT, CW_VERSION_NEWEST, CW_VERSION_SLOT };
enum cw_version_op {
    CW_VERSION_COPY,
    CW_VERSION_READY,
    CW_VERSION_CLOSE,
    CW_VERSION_FREE,
    CW_VERSION_HOLD,
    CW_VERSION_RELEASE,
    CW_VERSION_RESTART,
    CW_VERSION_RENUMBER
};
enum cw_version_state { CW_VERSION_S1, CW_VERSION_S2, CW_VERSION_S3, CW_VERSION_S4 };

CW_UNIT_DECLARE(version_index_table, CW_VERSION_INDEX_TABLE_PARAMS, CW_VERSION_INDEX_TABLE_PORTS)
CW_UNIT_CLOCK(version_index_table, CW_VERSION_INDEX_TABLE_CLOCK)

#endif
