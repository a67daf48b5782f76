/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writer table of snapshot isolation (SI-TM 4.2, 4.3): who writes each word of a memory partition.
 *
 * [1] One running transaction at most may write a word, so that the writers of a word need no list. [2] One that has committed stays beside it
 * until it is free, as long as somebody runs who began before its commit. [3] Each takes an entry of its own: a word and a transaction's number.
 *
 * [4] A transaction is nobody's (after a reset), runs, or has committed. [5] RUN, COMMIT and FREE of op_id make it so. [6] An entry counts as
 * long as its transaction is not nobody's. [7] An entry that does not count may be taken for another word, [8] and a sweep takes out all of them.
 *
 * Place of an entry. [9] There are `ways` ways; way w has floor((entries + ways - 1 - w) / ways) rows, which makes `entries` places in all.
 * [10] A word has one place in each way: row (H * rows) >> 16, where H are 16 bits of the H3 hash (rtl/README.md) of the word: of way seed w mod
 * 4 bits 15:0 for w < 4, and bits 31:16 from there on. [11] Entries do not move. [12] So a word with entries of others in all its places finds no
 * room though others may be free, and a word has `ways` entries at most.
 *
 * What a cycle means. [13] An operation is taken when op_valid and op_ready are 1, one per cycle; [14] each sees all that those before it have
 * done.
 *  - [15] RUN, COMMIT, FREE have no answer.
 *  - [16] QUERY, CLAIM, RELEASE of op_word by op_id: of one that is taken in cycle t, the answer is there in t + 5 (ans_valid). [17] After a
 *    CLAIM or a RELEASE, op_ready is 0 in the cycles t + 1 to t + 4. [18] ans_writers has a bit for each way with an entry of the word that
 *    counts and is not op_id's, in ans_ids are their numbers, of 16 bits each; [19] what has no bit is 0. [20] This is as the operation has found
 *    it.
 *     - [21] QUERY: ans_result is OWN if op_id has an entry of the word, else GRANTED.
 *     - [22] CLAIM, by which op_id wants to write the word: OWN if it has an entry. [23] Else OWNED: ans_owner, another one, runs and has an
 *       entry [24] (of the lowest way). [25] Else GRANTED: the lowest of the word's places that is empty or does not count has become op_id's
 *       entry. [26] Else FULL.
 *     - [27] RELEASE: as QUERY; [28] if OWN, the entry is gone. [29] ans_owner is 0 if the answer is not OWNED. [30] ans_* is 0 when not valid.
 *  - [31] sweep = 1: all entries that do not count are to be taken out. [32] sweep_busy is 1 from the next cycle until the last row is done.
 *    [33] A row begins in a cycle t in which no operation is taken, and none could have to wait for a CLAIM, a RELEASE or a row; [34] after an
 *    operation with an answer it has its turn before the next operation (op_ready = 0 until then). [35] It is done in t + 5, and op_ready is 0 in
 *    t + 1 to t + 4. [36] A sweep = 1 in the meantime begins at the first row anew.
 *
 * [37] used is the number of entries, also of those that do not count, [38] as after the operations and rows that were taken five cycles ago or
 * before.
 *
 * [39] After a reset op_ready is 0 for max(rows of way 0, 2^(id_w - 4)) cycles. [40] idle = 1: a clock without op_valid and sweep changes
 * nothing.
 *
 * So that a word has one running writer at most: [41] CLAIM must be of a transaction that runs; [42] RUN must be of one that is nobody's, and if
 * it has claimed a word before, a sweep that began after its FREE is over.
 */
#ifndef COWARP_UNIT_WRITER_TABLE_H
#define COWARP_UNIT_WRITER_TABLE_H

#include "cowarp/unit.h"

/* [43] entries must not be below ways. */
#define CW_WRITER_TABLE_PARAMS(P)                                                    \
    P(word_w, WORD_W, 30, 1, 40, "bits of a word's number")                          \
    P(id_w, ID_W, 10, 1, 10, "bits of a transaction's number")                       \
    P(entries, ENTRIES, 500, 1, 65536, "entries: SI-TM's 3,000 over six partitions") \
    P(ways, WAYS, 8, 1, 8, "places of a word")

#define CW_WRITER_TABLE_CLOCK(C) C(700, 32, "L2 slice, clock.l2 of preset si-tm")

#define CW_WRITER_TABLE_PORTS(IN, OUT, INW, OUTW)                \
    /* operations */                                             \
    IN(op_valid, 1)                                              \
    OUT(op_ready, 1)                                             \
    IN(op_kind, 3) /* enum cw_writer_op; [44] 6 and 7 as FREE */ \
    IN(op_word, p->word_w)                                       \
    IN(op_id, p->id_w)                                           \
    /* answers to QUERY, CLAIM and RELEASE, five cycles later */ \
    OUT(ans_valid, 1)                                            \
    OUT(ans_result, 2) /* enum cw_writer_result */               \
    OUT(ans_owner, p->id_w)                                      \
    OUT(ans_writers, p->ways)                                    \
    OUTW(ans_ids, 4, 128) /* bits 16 w + 15 .. 16 w: of way w */ \
    /* takes out what does not count */                          \
    IN(sweep, 1)                                                 \
    OUT(sweep_busy, 1)                                           \
    /* status */                                                 \
    OUT(used, 17)                                                \
    OUT(idle, 1)

#define CW_WRITER_TABLE_WORDS(PORT, CHANNEL)                                       \
    PORT(op_kind, writer_op, "query", "claim", "release", "run", "commit", "free") \
    PORT(ans_result, writer_result, "granted", "own", "owned", "full")             \
    CHANNEL(operation, writer_operation, op_valid, op_ready, op_kind)

enum cw_writer_op { CW_WRITER_QUERY, CW_WRITER_CLAIM, CW_WRITER_RELEASE, CW_WRITER_RUN, CW_WRITER_COMMIT, CW_WRITER_FREE };
enum cw_writer_result { CW_WRITER_GRANTED, CW_WRITER_OWN, CW_WRITER_OWNED, CW_WRITER_FULL };

CW_UNIT_DECLARE(writer_table, CW_WRITER_TABLE_PARAMS, CW_WRITER_TABLE_PORTS)
CW_UNIT_CLOCK(writer_table, CW_WRITER_TABLE_CLOCK)

#endif
