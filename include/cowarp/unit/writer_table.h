/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writer table of snapshot isolation (SI-TM 4.2, 4.3): who writes each word of a memory partition.
 *
 * One running transaction at most may write a word, so that the writers of a word need no list. Those that have committed stay beside it as
 * long as somebody runs who began before their commit. Each takes an entry of its own: a word and a transaction's number.
 *
 * A transaction is nobody's (after a reset), runs, or has committed. RUN, COMMIT and FREE of op_id make it so. An entry counts as long as
 * its transaction is not nobody's. An entry that does not count may be taken for another word, and a sweep takes out all of them.
 *
 * Place of an entry. There are `ways` ways; way w has floor((entries + ways - 1 - w) / ways) rows, which makes `entries` places in all. A word has
 * one place in each way: row (H * rows) >> 16, where H are 16 bits of the H3 hash (rtl/README.md) of the word: of way seed w mod 4 bits 15:0
 * for w < 4, and bits 31:16 from there on. Entries do not move. So a word with entries of others in all its places finds no room though
 * others may be free, and a word has `ways` entries at most.
 *
 * What a cycle means. An operation is taken when op_valid and op_ready are 1, one per cycle; each sees all that those before it have done.
 *  - RUN, COMMIT, FREE have no answer.
 *  - QUERY, CLAIM, RELEASE of op_word by op_id: of one that is taken in cycle t, the answer is there in t + 5 (ans_valid). After a CLAIM or a
 *    RELEASE, op_ready is 0 in the cycles t + 1 to t + 4. ans_writers has a bit for each way with an entry of the word that counts and
 *    is not op_id's, in ans_ids are their numbers, of 16 bits each; what has no bit is 0. This is as the operation has found it.
 *     - QUERY: ans_result is OWN if op_id has an entry of the word, else GRANTED.
 *     - CLAIM: op_id wants to write the word. OWN: it has an entry. Else OWNED: ans_owner, another one, runs and has an entry (of the
 *       lowest way). Else GRANTED: the lowest of the word's places that is empty or does not count has become op_id's entry. Else FULL.
 *     - RELEASE: as QUERY; if OWN, the entry is gone.
 *    ans_owner is 0 if the answer is not OWNED. ans_* is 0 when not valid.
 *  - sweep = 1: all entries that do not count are to be taken out. sweep_busy is 1 from the next cycle until the last row is done. A row begins in a
 *    cycle t in which no operation is taken, and none could have to wait for a CLAIM, a RELEASE or a row; after an operation with an answer
 *    it has its turn before the next operation (op_ready = 0 until then). It is done in t + 5, and op_ready is 0 in t + 1 to
 *    t + 4. A sweep = 1 in the meantime begins at the first row anew.
 * used is the number of entries, also of those that do not count, as after the operations and rows that were taken five cycles ago or before.
 *
 * After a reset op_ready is 0 for max(rows of way 0, 2^(id_w - 4)) cycles. idle = 1: a clock without op_valid and sweep changes nothing.
 *
 * The user keeps, so that a word has one running writer at most: CLAIM is of a transaction that runs; RUN is of one that is nobody's, and if
 * it has claimed a word before, a sweep that began after its FREE is over.
 */
#ifndef COWARP_UNIT_WRITER_TABLE_H
#define COWARP_UNIT_WRITER_TABLE_H

#include "cowarp/unit.h"

/* entries must not be below ways. */
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
    IN(op_kind, 3) /* enum cw_writer_op; 6 and 7 as FREE */      \
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
