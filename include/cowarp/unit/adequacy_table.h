/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CAPRI's predictor of compaction-adequacy (Rhu 2012): at which branches the warps of a block should wait for each other, because the threads
 * that go one way then make fewer warps. The paper's abstract says a simple single-level structure; what is here is ours where it says no more.
 * One unit per core.
 *
 * Two memories. [1] A table has 2^index_w entries, each of one branch, or of none, which says whether compaction was adequate there. [2] The
 * entry of a branch is that of the lowest index_w bits of its PC. [3] There are 2^row_w rows, each of a branch to which warps are coming: what was
 * predicted there, for each lane how many threads have gone each way, and how many sides of warps.
 *
 * What a cycle means. [4] An operation is taken in every cycle with op_valid = 1: a warp is at the branch op_pc, its threads op_taken go to the
 * target, its threads op_other go on behind the branch. [5] With op_first = 1, or when its row op_row has had none since the reset, it is the
 * first of the row. [6] With the first one a row forgets all that it had.
 *
 * Prediction. [7] The answer to an operation that is taken in t is there in t + 2 (ans_valid). [8] Its ans_wait says whether warps should wait,
 * and is the same for all operations of a row, from a first one to the next. [9] To a first one it is 0 if the entry of op_pc is of op_pc and
 * says that compaction was not adequate, else 1. [10] It is then as the table is after all judgements up to cycle t.
 *
 * Judgement. [11] An operation with op_last = 1 that is taken in t is judged in t + 3 (jdg_valid). [12] A side of a warp is one of op_taken and
 * op_other that is not 0. [13] In a row are the sides and threads of its operations from a first one on, with that one. [14] Compaction is
 * adequate (jdg_adequate = 1) when the fullest lane of those taken, and that of the others, together have fewer threads than there are sides:
 * one warp for each thread of the fullest lane. [15] Counts of threads are modulo 2^count_w, those of sides modulo 2^(count_w + 1). [16] In
 * that cycle the entry of op_pc becomes one of op_pc, and says the same as jdg_adequate.
 *
 * [17] With forget = 1 in t no entry is of a branch, as an operation that is taken in t sees it. [18] Operations that were taken before t are judged, but
 * no entry becomes theirs. [19] ans_wait is 0 without ans_valid, jdg_adequate without jdg_valid. [20] After a reset no entry is of a branch.
 * [21] idle = 1 when nothing waits for its answer or its judgement: a clock without op_valid and forget then changes nothing.
 */
#ifndef COWARP_UNIT_ADEQUACY_TABLE_H
#define COWARP_UNIT_ADEQUACY_TABLE_H

#include "cowarp/unit.h"

#define CW_ADEQUACY_TABLE_PARAMS(P)                                               \
    P(lanes, LANES, 32, 1, 32, "lanes of a warp")                                 \
    P(row_w, ROW_W, 7, 1, 8, "bits of a row's number; 8 blocks with 16 branches") \
    P(count_w, COUNT_W, 6, 1, 6, "bits of a count of threads: 32 warps have 6")   \
    P(index_w, INDEX_W, 6, 1, 10, "bits of an entry's number")                    \
    P(tag_w, TAG_W, 10, 1, 22, "bits of a PC above these")

#define CW_ADEQUACY_TABLE_CLOCK(C) C(325, 65, "Fung 2015 Table 3.2: 1300 MHz, a warp in 4 cycles")

#define CW_ADEQUACY_TABLE_PORTS(IN, OUT, INW, OUTW)        \
    /* a warp is at a branch */                            \
    IN(op_valid, 1)                                        \
    IN(op_row, p->row_w)                                   \
    IN(op_first, 1)                                        \
    IN(op_last, 1)                                         \
    IN(op_pc, p->index_w + p->tag_w)                       \
    IN(op_taken, p->lanes)                                 \
    IN(op_other, p->lanes)                                 \
    /* no branch is known */                               \
    IN(forget, 1)                                          \
    /* two cycles after an operation: what is predicted */ \
    OUT(ans_valid, 1)                                      \
    OUT(ans_wait, 1)                                       \
    /* three cycles after the last one: what is right */   \
    OUT(jdg_valid, 1)                                      \
    OUT(jdg_adequate, 1)                                   \
    /* status */                                           \
    OUT(idle, 1)

CW_UNIT_DECLARE(adequacy_table, CW_ADEQUACY_TABLE_PARAMS, CW_ADEQUACY_TABLE_PORTS)
CW_UNIT_CLOCK(adequacy_table, CW_ADEQUACY_TABLE_CLOCK)

#endif
