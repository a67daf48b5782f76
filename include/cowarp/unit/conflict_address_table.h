/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conflict address table of EAPG (early abort and pause-and-go; Ren and Lis, HPCA 2018, VI.A and Table V): the words that commits under way
 * are going to write, as a core has heard of them. A transactional load of such a word pauses.
 *
 * [1] The table is a set of words; which commits a word belongs to, and how many, is known where it is announced
 * (reference_count_table.h). [2] It has 2^set_w sets of `ways` words; [3] a word's set is its H3 hash (rtl/README.md; seed 0x0ca7ca75).
 *
 * What a cycle means. [4] Both channels take one operation in every cycle in which `ready` is 1; [5] a valid without it is ignored.
 *  - Updates. [6] An update (upd_valid) enters a word (upd_remove = 0) or removes it (1). [7] Each update sees all that those before it have
 *    done. [8] A word is entered if its set has room, [9] or it is there already; [10] otherwise nothing changes. [11] A word that is not
 *    there is removed without effect. [12] The update of cycle t is answered in t + 3 (upd_done): [13] upd_refused = 1 if a word was not
 *    entered for want of room.
 *  - Queries. [14] A query (qry_valid) of cycle t is answered in t + 2 (ans_valid), with its tag: [15] ans_held = 1 if the word is in the
 *    table by the updates that were taken in cycle t - 2 or before.
 *  - [16] `empty` is 1 in cycle t if no word is in the table by the updates that were taken in cycle t - 3 or before.
 *
 * [17] upd_refused, ans_tag and ans_held are 0 without their valid. [18] After a reset the table is empty, and `ready` is 0 for 2^set_w
 * cycles. [19] idle = 1: a clock without upd_valid and qry_valid changes nothing.
 */
#ifndef COWARP_UNIT_CONFLICT_ADDRESS_TABLE_H
#define COWARP_UNIT_CONFLICT_ADDRESS_TABLE_H

#include "cowarp/unit.h"

#define CW_CONFLICT_ADDRESS_TABLE_PARAMS(P)                                                      \
    P(ways, WAYS, 8, 1, 8, "words of a set")                                                     \
    P(set_w, SET_W, 4, 1, 13, "bits of a set's number; a bank of eight, which have 1,024 words") \
    P(key_w, KEY_W, 30, 4, 30, "bits of a word's address")                                       \
    P(tag_w, TAG_W, 7, 1, 16, "bits of the tag that comes back with a query's answer")

#define CW_CONFLICT_ADDRESS_TABLE_CLOCK(C) C(1400, 32, "GETM Table II: SIMT core")

#define CW_CONFLICT_ADDRESS_TABLE_SEED 0x0ca7ca75u

#define CW_CONFLICT_ADDRESS_TABLE_PORTS(IN, OUT, INW, OUTW) \
    OUT(ready, 1)                                           \
    /* announced words come and go */                       \
    IN(upd_valid, 1)                                        \
    IN(upd_remove, 1)                                       \
    IN(upd_word, p->key_w)                                  \
    /* answer to an update, three cycles later */           \
    OUT(upd_done, 1)                                        \
    OUT(upd_refused, 1)                                     \
    /* a load asks for a word */                            \
    IN(qry_valid, 1)                                        \
    IN(qry_word, p->key_w)                                  \
    IN(qry_tag, p->tag_w)                                   \
    /* answer to a query, two cycles later */               \
    OUT(ans_valid, 1)                                       \
    OUT(ans_tag, p->tag_w)                                  \
    OUT(ans_held, 1)                                        \
    /* status */                                            \
    OUT(empty, 1)                                           \
    OUT(idle, 1)

CW_UNIT_DECLARE(conflict_address_table, CW_CONFLICT_ADDRESS_TABLE_PARAMS, CW_CONFLICT_ADDRESS_TABLE_PORTS)
CW_UNIT_CLOCK(conflict_address_table, CW_CONFLICT_ADDRESS_TABLE_CLOCK)

#endif
