/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recency Bloom filter (Fung 2015, sections 4.2.5 and 6.4; GETM section V.B.1): an approximate map from a key to the
 * largest value that was inserted for it. GETM keeps wts in field 0 and rts in field 1; Kilo TM and temporal conflict detection need one
 * field (commit ID, last-written time).
 *
 * [1] It may answer too much, never too little. [2] Each of `ways` ways has 2^row_w rows of `fields` values, indexed by an H3 hash of the
 * key (rtl/README.md; way w has the seed of way w). [3] Insertion sets each field of the key's row in each way to the larger of stored and
 * new; [4] a lookup answers, for each field, the smallest of the ways' rows.
 *
 * What a cycle means:
 *  - [5] A lookup is accepted in cycle t when lkp_valid and lkp_ready. [6] rsp_valid is 1 in cycle t + 3, always, without back-pressure;
 *    [7] the answer covers every insertion accepted in cycles before t, [8] and none accepted in t or later.
 *  - [9] An insertion is accepted when ins_valid and ins_ready.
 *  - [10] dual_read = 1: two copies of each RAM, so one lookup and one insertion per cycle. [11] dual_read = 0: one copy; an insertion
 *    needs the read port as well, so ins_ready is 0 in a cycle with lkp_valid = 1 (the one path from input to output).
 *  - [12] clear = 1 forgets every insertion accepted up to and including this cycle; [13] a sweep of 2^row_w cycles follows, in which
 *    lkp_ready and ins_ready are 0; [14] a clear during the sweep starts it anew, [15] and a reset starts the same sweep. [16] Lookups
 *    accepted up to and including the cycle of clear are still answered, from the state before it.
 *  - [17] rsp_v0, rsp_v1 are 0 while rsp_valid is 0.
 *  - [18] busy is 1 while clearing, in the two cycles after an accepted insertion, and in the three after an accepted lookup.
 *
 * Stages (rtl/README.md counts them so): [19] 0, in which an operation is accepted and hashed; 1, in which its rows are read; 2, in which a
 * lookup's rows are compared and the smallest is chosen, and an insertion's rows are raised and written; the answer is in registers in the
 * third cycle after the lookup was accepted.
 *
 * Accuracy. [20] For random keys of at least 2 row_w bits, the share of keys that are answered too much is e(n) within a twentieth, where
 * n is the number of keys and e(n) is given in the next comment.
 */
/*
 * The share of [20]. "As good as its papers" means a filter whose ways fail independently of each other. Let n distinct random keys be
 * inserted, each once, with n distinct values in random order, and then each be looked up. A key with r larger values among the others is
 * answered too much only if in every way one of those r keys shares its row, so with probability (1 - (1 - 2^-row_w)^r)^ways. The share of
 * keys that are answered too much, over many sets of keys, is on average
 *
 *     e(n) = 1/n * sum over r = 0 .. n - 1 of (1 - (1 - 2^-row_w)^r)^ways
 *
 * More is a filter that forgets its ways' differences; less is one that is larger than it says.
 */
#ifndef COWARP_UNIT_RECENCY_BLOOM_FILTER_H
#define COWARP_UNIT_RECENCY_BLOOM_FILTER_H

#include "cowarp/unit.h"

#define CW_RECENCY_BLOOM_FILTER_PARAMS(P)                                              \
    P(ways, WAYS, 4, 1, 4, "ways, each with a hash of its own")                        \
    P(row_w, ROW_W, 6, 1, 12, "log2 of the rows per way")                              \
    P(key_w, KEY_W, 30, 1, 64, "bits of a key (granule or word number)")               \
    P(fields, FIELDS, 2, 1, 2, "values per row: 2 for wts and rts, 1 for a commit ID") \
    P(value_w, VALUE_W, 32, 1, 64, "bits of a value")                                  \
    P(dual_read, DUAL_READ, 1, 0, 1, "1: a second RAM copy, so that lookup and insertion share a cycle")

#define CW_RECENCY_BLOOM_FILTER_CLOCK(C) C(1400, 32, "GETM Table II: validation unit")

#define CW_RECENCY_BLOOM_FILTER_PORTS(IN, OUT, INW, OUTW)                                  \
    /* insertion channel */                                                                \
    IN(ins_valid, 1)                                                                       \
    IN(ins_key, p->key_w)                                                                  \
    IN(ins_v0, p->value_w) /* field 0 (GETM: wts) */                                       \
    IN(ins_v1, p->value_w) /* field 1 (GETM: rts); ignored when fields = 1 */              \
    OUT(ins_ready, 1)      /* depends on lkp_valid of the same cycle when dual_read = 0 */ \
    /* lookup channel, and its answer three cycles later */                                \
    IN(lkp_valid, 1)                                                                       \
    IN(lkp_key, p->key_w)                                                                  \
    OUT(lkp_ready, 1) /* 0 only while clearing */                                          \
    OUT(rsp_valid, 1)                                                                      \
    OUT(rsp_v0, p->value_w)                                                                \
    OUT(rsp_v1, p->value_w) /* [21] 0 when fields = 1 */                                   \
    /* control */                                                                          \
    IN(clear, 1) /* forget everything */                                                   \
    OUT(busy, 1) /* 0: a clock without a valid input or clear changes nothing */

/* Cycles from a lookup to its answer. */
#define CW_RECENCY_BLOOM_FILTER_LATENCY 3

CW_UNIT_DECLARE(recency_bloom_filter, CW_RECENCY_BLOOM_FILTER_PARAMS, CW_RECENCY_BLOOM_FILTER_PORTS)
CW_UNIT_CLOCK(recency_bloom_filter, CW_RECENCY_BLOOM_FILTER_CLOCK)

#endif
