/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reference count table of EAPG (early abort and pause-and-go; Ren and Lis, HPCA 2018, VI.A and Table V): how many commits under way at a memory
 * partition are going to write a word. The first of them is announced to the cores, and the last one taken back, so that a core need not know
 * whose word it is.
 *
 * [1] The table has 2^set_w sets of `ways` entries of a word and its count; [2] a word's set is its H3 hash (rtl/README.md; seed 0x4ef0c043).
 * [3] A word without an entry has the count 0.
 *
 * What a cycle means. [4] An operation is taken when op_valid and op_ready are 1, one per cycle. [5] Each sees all that those before it have
 * done.
 *  - [6] ACQUIRE (op_release = 0) counts the word up. [7] It is refused if the word has no entry and its set has no free one, [8] or if the count
 *    is 2^count_w - 1; [9] nothing changes then.
 *  - [10] RELEASE (1) counts it down; [11] at 0 the entry is free. [12] Of a word without an entry it is refused, [13] and nothing changes.
 *
 * [14] The operation of cycle t is answered in t + 2 (ans_valid): [15] ans_counted = 1 unless it was refused; [16] ans_edge = 1 if the count has
 * left 0, or come to 0. [17] Both are 0 when not valid.
 *
 * [18] After a reset all counts are 0, [19] and op_ready is 0 for 2^set_w cycles. [20] idle = 1: a clock without op_valid changes nothing.
 */
#ifndef COWARP_UNIT_REFERENCE_COUNT_TABLE_H
#define COWARP_UNIT_REFERENCE_COUNT_TABLE_H

#include "cowarp/unit.h"

#define CW_REFERENCE_COUNT_TABLE_PARAMS(P)                 \
    P(ways, WAYS, 6, 1, 8, "entries of a set")             \
    P(set_w, SET_W, 9, 1, 13, "bits of a set's number")    \
    P(key_w, KEY_W, 30, 4, 30, "bits of a word's address") \
    P(count_w, COUNT_W, 10, 1, 16, "bits of a count")

#define CW_REFERENCE_COUNT_TABLE_CLOCK(C) C(700, 32, "GETM Table II: commit unit")

#define CW_REFERENCE_COUNT_TABLE_SEED 0x4ef0c043u

#define CW_REFERENCE_COUNT_TABLE_PORTS(IN, OUT, INW, OUTW) \
    /* operations */                                       \
    IN(op_valid, 1)                                        \
    OUT(op_ready, 1)                                       \
    IN(op_release, 1)                                      \
    IN(op_word, p->key_w)                                  \
    /* answer, two cycles later */                         \
    OUT(ans_valid, 1)                                      \
    OUT(ans_counted, 1)                                    \
    OUT(ans_edge, 1)                                       \
    /* status */                                           \
    OUT(idle, 1)

CW_UNIT_DECLARE(reference_count_table, CW_REFERENCE_COUNT_TABLE_PARAMS, CW_REFERENCE_COUNT_TABLE_PORTS)
CW_UNIT_CLOCK(reference_count_table, CW_REFERENCE_COUNT_TABLE_CLOCK)

#endif
