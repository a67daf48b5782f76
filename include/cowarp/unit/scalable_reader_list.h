/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scalable reader list of snapshot isolation (SI-TM 4.2, 4.3, Figure 10): who reads each word of a memory partition. A writer has to meet all
 * readers of its word, which may be all transactions. So a word with few readers has one entry with their numbers, and a word with many has
 * vectors.
 *
 * [1] A transaction's number is {leaf, bit}: id_w - leaf_w bits, leaf_w bits. [2] An entry is unused (type 0), or belongs to a word and is one of
 *  - [3] plain (1): one to three numbers, in the order in which they came;
 *  - [4] root (2): a bit for each leaf that the word has;
 *  - [5] leaf (3): its own number, and a bit for each of the 2^leaf_w transactions of that leaf.
 *
 * [6] A word has no entry, a plain one, or a root with one to 2^(id_w - leaf_w) leaves. [7] A fourth reader makes a root of a plain entry. [8] A
 * leaf without bits is freed, [9] and a root without leaves. [10] Nothing becomes plain again.
 *
 * Place of an entry. [11] There are `ways` ways; way w has floor((entries + ways - 1 - w) / ways) rows, which makes `entries` places in all.
 * [12] An entry has one place in each way: row (H * rows) >> 16, where H are 16 bits of the H3 hash (rtl/README.md) of {0, 0, word} for a plain
 * entry or root, of {1, leaf, word} for a leaf: [13] of way seed w mod 4 bits 15:0 for w < 4, and bits 31:16 from there on. [14] Entries do not
 * move. [15] A new one takes the lowest of its places that is unused; [16] if there is none, the list is full for it, though others may find room.
 *
 * What a cycle means. [17] An operation is taken when op_valid and op_ready are 1. [18] One with an answer goes alone: op_ready is 0 from the next
 * cycle until its answer is there (ans_valid), which is for one cycle (t: in which it is taken).
 *  - [19] ADD of op_id to the readers of op_word. [20] ans_result: DONE; [21] SAME, it was there; [22] FULL, there is no room, and nothing has
 *    changed. [23] The answer is there in
 *     - [24] t + 4, if the word has no entry, or a plain one that has op_id or room for it;
 *     - [25] t + 5, if it has a root, and the leaf of op_id is there [26] or finds no room; [27] t + 6 if the leaf is new;
 *     - [28] t + 21, if it has a plain entry with three others, which becomes a root: four cycles for the leaf of each of the three and of op_id.
 *       [29] t + 8 + 8 k, if the k-th of these leaves (0 to 3) finds no room, because the k before it are taken out again;
 *     - [30] t + 2, if the last operation with an answer was an ADD of the same word, and not FULL, [31] no row of a sweep has come between, [32] and
 *       the word's entry is plain with less than three, [33] or a root, and op_id is of the same leaf as that ADD's.
 *  - [34] REMOVE: the reverse. [35] DONE, or SAME: it was not there. [36] t + 4, if the word has no entry, a plain one, or a root without the leaf;
 *    [37] t + 5, [38] or t + 6 if the leaf has been freed.
 *  - [39] LIST gives the readers of op_word: rdr_id is one when rdr_valid is 1, and is taken when rdr_ready is 1. [40] Plain ones come in their
 *    order, [41] others in that of their numbers. [42] It goes by steps of four cycles, the first for the plain entry or root, and one for each leaf
 *    of a root. [43] Readers found by a step are given from the next cycle on, one per cycle; [44] meanwhile the next step goes on, and its last
 *    cycle lasts until the last of them is taken. [45] The answer (DONE) is there in the cycle after the last reader is taken, [46] or in t + 4 if
 *    there is none.
 *  - [47] RUN, FREE of op_id: the sweep leaves it, or takes it out. [48] No answer, and op_ready stays 1. [49] After a reset all are free.
 *  - [50] sweep = 1: all who are free are to be taken out. [51] sweep_busy is 1 from the next cycle until the last row is done. [52] A row begins in
 *    a cycle in which an operation could be taken and is not. [53] When eight operations with an answer have been taken since the last row began,
 *    it has its turn before the next operation (op_ready = 0 until then). [54] It takes two cycles, the one in which it begins among them;
 *    [55] and for each plain entry or leaf in it four if that stays as it is, [56] five if not, [57] nine if it is a leaf that is freed. [58] After
 *    the cycle in which it begins op_ready is 0 until it is over. [59] A sweep = 1 in the meantime begins at the first row anew.
 *
 * [60] used is the number of entries, as after the last operation or row that is over.
 *
 * [61] After a reset op_ready is 0 for max(rows of way 0, 2^(id_w - leaf_w)) cycles. [62] rdr_* and ans_* are 0 when not valid. [63] idle = 1: a
 * clock without op_valid and sweep changes nothing.
 */
#ifndef COWARP_UNIT_SCALABLE_READER_LIST_H
#define COWARP_UNIT_SCALABLE_READER_LIST_H

#include "cowarp/unit.h"

/* [64] entries must not be below ways, nor id_w - leaf_w be outside of 1 to 5. */
#define CW_SCALABLE_READER_LIST_PARAMS(P)                                               \
    P(word_w, WORD_W, 30, 1, 40, "bits of a word's number")                             \
    P(id_w, ID_W, 10, 2, 10, "bits of a transaction's number")                          \
    P(leaf_w, LEAF_W, 5, 1, 5, "of these, bits of its place in a leaf")                 \
    P(entries, ENTRIES, 14642, 1, 65536, "entries: SI-TM's 87,856 over six partitions") \
    P(ways, WAYS, 8, 1, 8, "places of an entry")

#define CW_SCALABLE_READER_LIST_CLOCK(C) C(700, 32, "L2 slice, clock.l2 of preset si-tm")

#define CW_SCALABLE_READER_LIST_PORTS(IN, OUT, INW, OUTW)       \
    /* operations */                                            \
    IN(op_valid, 1)                                             \
    OUT(op_ready, 1)                                            \
    IN(op_kind, 3) /* enum cw_reader_op; [65] 5 to 7 as FREE */ \
    IN(op_word, p->word_w)                                      \
    IN(op_id, p->id_w) /* LIST: any */                          \
    /* readers, of a LIST */                                    \
    OUT(rdr_valid, 1)                                           \
    IN(rdr_ready, 1)                                            \
    OUT(rdr_id, p->id_w)                                        \
    /* the end of an ADD, REMOVE or LIST */                     \
    OUT(ans_valid, 1)                                           \
    OUT(ans_result, 2) /* enum cw_reader_result */              \
    /* takes out who is free */                                 \
    IN(sweep, 1)                                                \
    OUT(sweep_busy, 1)                                          \
    /* status */                                                \
    OUT(used, 17)                                               \
    OUT(idle, 1)

#define CW_SCALABLE_READER_LIST_WORDS(PORT, CHANNEL)                 \
    PORT(op_kind, reader_op, "add", "remove", "list", "run", "free") \
    PORT(ans_result, reader_result, "done", "same", "full")          \
    CHANNEL(operation, reader_operation, op_valid, op_ready, op_kind)

enum cw_reader_op { CW_READER_ADD, CW_READER_REMOVE, CW_READER_LIST, CW_READER_RUN, CW_READER_FREE };
enum cw_reader_result { CW_READER_DONE, CW_READER_SAME, CW_READER_FULL };

CW_UNIT_DECLARE(scalable_reader_list, CW_SCALABLE_READER_LIST_PARAMS, CW_SCALABLE_READER_LIST_PORTS)
CW_UNIT_CLOCK(scalable_reader_list, CW_SCALABLE_READER_LIST_CLOCK)

#endif
