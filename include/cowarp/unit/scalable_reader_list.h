/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scalable reader list of snapshot isolation (SI-TM 4.2, 4.3, Figure 10): who reads each word of a memory partition.
 *
 * A writer has to meet all readers of its word, which may be all transactions. So a word with few readers has one entry with their numbers,
 * and a word with many has vectors. A transaction's number is {leaf, bit}: id_w - leaf_w bits, leaf_w bits. An entry belongs to a
 * word and is of a type:
 *  - 0 unused;
 *  - 1 plain: one to three numbers, in the order in which they came;
 *  - 2 root: a bit for each leaf that the word has;
 *  - 3 leaf: its own number, and a bit for each of the 2^leaf_w transactions of that leaf.
 * A word has no entry, a plain one, or a root with one to 2^(id_w - leaf_w) leaves. A fourth reader makes a root of a plain entry. A leaf without
 * bits is freed, and a root without leaves. Nothing becomes plain again.
 *
 * Place of an entry. There are `ways` ways; way w has floor((entries + ways - 1 - w) / ways) rows, which makes `entries` places in all. An
 * entry has one place in each way: row (H * rows) >> 16, where H are 16 bits of the H3 hash (rtl/README.md) of {0, 0, word} for a plain entry
 * or root, of {1, leaf, word} for a leaf: of way seed w mod 4 bits 15:0 for w < 4, and bits 31:16 from there on. Entries do not move. A
 * new one takes the lowest of its places that is unused; if there is none, the list is full for it, though others may find room.
 *
 * What a cycle means. An operation is taken when op_valid and op_ready are 1. One goes at a time: op_ready is 0 from the next cycle
 * until its answer is there (ans_valid), which is for one cycle. Of one that is taken in cycle t:
 *  - ADD of op_id to the readers of op_word. ans_result: DONE; SAME, it was there; FULL, there is no room, and nothing has changed. It is
 *    there in
 *     - t + 4, if the word has no entry, or a plain one that has op_id or room for it;
 *     - t + 5, if it has a root, and the leaf of op_id is there or finds no room; t + 6 if the leaf is new;
 *     - t + 21, if it has a plain entry with three others, which becomes a root: four cycles for the leaf of each of the three and of op_id.
 *       t + 8 + 8 k, if the k-th of these leaves (0 to 3) finds no room, because the k before it are taken out again;
 *     - t + 2, if the operation before was an ADD of the same word, and not FULL, no row of a sweep has come between, and the word's entry is
 *       plain with less than three, or a root, and op_id is of the same leaf as that ADD's.
 *  - REMOVE: the reverse. DONE, or SAME: it was not there. t + 4, if the word has no entry, a plain one, or a root without the leaf; t + 5,
 *    or t + 6 if the leaf has been freed.
 *  - LIST gives the readers of op_word: rdr_id is one when rdr_valid is 1, and is taken when rdr_ready is 1. Plain ones come in their order,
 *    others in that of their numbers. It goes by steps of four cycles, the first for the plain entry or root, and one for each leaf of a root.
 *    Readers found by a step are given from the next cycle on, one per cycle; meanwhile the next step goes on, and its last cycle lasts
 *    until the last of them is taken. The answer (DONE) is there in the cycle after the last reader is taken, or in t + 4 if there is none.
 *  - RUN, FREE of op_id: the sweep leaves it, or takes it out. No answer, and op_ready stays 1. After a reset all are free.
 *  - sweep = 1: all who are free are to be taken out. sweep_busy is 1 from the next cycle until the last row is done. A row begins in a cycle in
 *    which an operation could be taken and is not. When eight operations with an answer have been taken since the last row began, it has
 *    its turn before the next operation (op_ready = 0 until then). It takes two cycles, the one in which it begins among them; and
 *    for each plain entry or leaf in it four if that stays as it is, five if not, nine if it is a leaf that is freed. op_ready is 0
 *    meanwhile. A sweep = 1 in the meantime begins at the first row anew.
 * used is the number of entries, as after the last operation or row that is over.
 *
 * After a reset op_ready is 0 for max(rows of way 0, 2^(id_w - leaf_w)) cycles. rdr_* and ans_* are 0 when not valid. idle = 1: a clock without
 * op_valid and sweep changes nothing.
 */
#ifndef COWARP_UNIT_SCALABLE_READER_LIST_H
#define COWARP_UNIT_SCALABLE_READER_LIST_H

#include "cowarp/unit.h"

/* entries must not be below ways, nor id_w - leaf_w be outside of 1 to 5. */
#define CW_SCALABLE_READER_LIST_PARAMS(P)                                               \
    P(word_w, WORD_W, 30, 1, 40, "bits of a word's number")                             \
    P(id_w, ID_W, 10, 2, 10, "bits of a transaction's number")                          \
    P(leaf_w, LEAF_W, 5, 1, 5, "of these, bits of its place in a leaf")                 \
    P(entries, ENTRIES, 14642, 1, 65536, "entries: SI-TM's 87,856 over six partitions") \
    P(ways, WAYS, 8, 1, 8, "places of an entry")

#define CW_SCALABLE_READER_LIST_CLOCK(C) C(700, 32, "L2 slice, clock.l2 of preset si-tm")

#define CW_SCALABLE_READER_LIST_PORTS(IN, OUT, INW, OUTW)  \
    /* operations */                                       \
    IN(op_valid, 1)                                        \
    OUT(op_ready, 1)                                       \
    IN(op_kind, 3) /* enum cw_reader_op; 5 to 7 as FREE */ \
    IN(op_word, p->word_w)                                 \
    IN(op_id, p->id_w) /* LIST: any */                     \
    /* readers, of a LIST */                               \
    OUT(rdr_valid, 1)                                      \
    IN(rdr_ready, 1)                                       \
    OUT(rdr_id, p->id_w)                                   \
    /* the end of an ADD, REMOVE or LIST */                \
    OUT(ans_valid, 1)                                      \
    OUT(ans_result, 2) /* enum cw_reader_result */         \
    /* takes out who is free */                            \
    IN(sweep, 1)                                           \
    OUT(sweep_busy, 1)                                     \
    /* status */                                           \
    OUT(used, 17)                                          \
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
