/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuckoo table with stash and overflow area: GETM's exact metadata (GETM section V.B.1, Figure 8).
 *
 * [1] Four ways of 2^row_w rows, one H3 hash and one synchronous-read RAM per way; [2] a fully associative stash that is searched
 * in parallel; [3] an overflow area in memory behind the mem_* ports. [4] An entry is {granule, wts, rts, writes, owner}; it is
 * reserved while writes > 0. [5] The table decides nothing about transactions: it offers the entry of a granule, and takes
 * the new value in the same cycle.
 *
 *   [6] cycle t    look_valid & look_ready: the look-up enters
 *   [7] t+1        read_valid, read_granule: the question to a second structure, which knows what is not in the table
 *   [8] t+4        its answer, miss_wts and miss_rts
 *   [9] t+5        res_valid: the entry's fields; [10] or, when res_found = 0, the answer, and writes and owner 0. [11] If upd_valid, the
 *                  fields whose upd_*_set is 1 take new values: wts look_ts + 1, rts look_ts, owner look_owner, writes upd_writes. [12] The
 *                  others keep what the result shows. [13] A granule that was not found is inserted.
 *   [14] t+6       a result of this cycle sees the update; [15] evict_valid, if an entry was evicted to make place
 *
 * [16] With the fields come their comparisons with the look-up's own: res_wts_later, res_rts_later (the field is larger than look_ts),
 * [17] res_reserved (writes > 0) and res_own (and owner = look_owner). [18] The new timestamps can only be the look-up's, because the result
 * of the next cycle has been compared with them before it was known whether they are taken. [19] upd_wts_set with a look_ts of all ones is
 * not allowed: there is no time after it.
 *
 * [20] Each result follows from all updates before it. [21] Results come in the order of the look-ups, for one cycle each; [22] at most six
 * look-ups are inside. [23] look_ts, look_owner and look_tag come back with the result. [24] One look-up is taken per cycle, except [25] while
 * clearing, [26] while an entry is on its way, in the cycle after a repetition, and in the five cycles after the oldest look-up was repeated.
 *
 * [27] A look-up is repeated when its result cannot be trusted: instead of the result at t+5 there is none, the question comes again at
 * t+7, and the result at t+11, and so on. [28] A result is due only behind those of all older look-ups, so younger ones are repeated with
 * it.
 *
 * Repeated, with d the cycle in which the result was due:
 *  - [29] one whose question met read_ready = 0;
 *  - [30] one for which res_again = 1: the user cannot take the result now; upd_valid does not count then;
 *  - [31] one due while the overflow area is being accessed; [32] and one with an entry on its way in any of the cycles d-4 .. d;
 *  - [33] a granule that is not in the table, if an update of d-4 .. d-1 went to one of its rows (the same row of the same way);
 *  - [34] one whose granule was evicted in the cycle of its question;
 *  - [35] a granule that is not in the table while the overflow area has entries, until the area has been searched, two cycles before d at
 *    the latest.
 * [36] So it is enough that the second structure knows an evicted entry for questions of the cycles after evict_valid.
 *
 * Insertion: [37] into the lowest way with a free row. [38] Else, if at least evict_fill/16 of the rows were in use by insertions of d-5 and
 * before, and an entry of the four is unreserved: in the place of the first such entry, counted from a way counter; that entry
 * is evicted. [39] Else an unreserved new entry is evicted itself when no entry of the four is unreserved, or when the overflow area
 * is full. [40] Else, if the overflow area is full, a reserved new entry is ignored (res_room = 0 told). [41] Else it takes the row of the
 * way counter and displaces the entry there. [42] The way counter advances by one for each entry evicted or displaced by a new one; at d it
 * stands as the insertions of d-4 and before have left it.
 *
 * A displaced entry [43] looks at its own four rows, six cycles later. [44] A free row ends the chain. [45] Else, with evict_fill/16 of the
 * rows in use, the first unreserved entry of the four is evicted, counted from the way after the one that it came from. [46] Else, if
 * fewer than max_swaps entries have been displaced, it displaces the entry of the way after the one that it came from. [47] Else, if it
 * is unreserved, it is evicted; [48] else it goes to the lowest free stash entry; [49] else to the place of the lowest unreserved stash
 * entry, which is evicted; [50] else to the overflow area. [51] The chain is an entry on its way from the cycle after the insertion's result
 * to the last of these steps, k displacements after it: d+1+6k. [52] The eviction at the end is in that cycle.
 *
 * [53] res_easy: the insertion needs neither stash nor overflow area, as far as the look-up's own rows and the fill of d-5 tell: the granule
 * is found, or one of its rows is free or holds an unreserved entry, or fewer than evict_fill/16 of the rows were in use. [54] When
 * res_easy = 0, a reserved entry is inserted by a chain that ends in the stash or in the overflow area as a rule.
 *
 * [55] Overflow area: entries 0 .. overflow_used-1 of memory, all reserved, in no order. [56] A search reads them one after another from 0.
 * [57] An entry that is updated there is written back; [58] one that loses its reservation is evicted in the cycle after its result, and the
 * last entry then moves into its place (one read, one write). [59] Until this is done, the area is being accessed.
 *
 * [60] Fields of a channel are 0 while its valid is 0. [61] Memory reads must be answered in order, in any later cycle.
 */
#ifndef COWARP_UNIT_CUCKOO_TABLE_H
#define COWARP_UNIT_CUCKOO_TABLE_H

#include "cowarp/unit.h"

/* granule_w + 2 ts_w + count_w + owner_w must not exceed 160. */
#define CW_CUCKOO_TABLE_PARAMS(P)                                                                           \
    P(ts_w, TS_W, 32, 4, 48, "bits of a logical timestamp")                                                 \
    P(granule_w, GRANULE_W, 30, 8, 40, "bits of a granule number")                                          \
    P(owner_w, OWNER_W, 12, 2, 16, "bits of a global warp number")                                          \
    P(count_w, COUNT_W, 16, 2, 16, "bits of the #writes counter")                                           \
    P(tag_w, TAG_W, 31, 1, 64, "bits that travel with a look-up")                                           \
    P(row_w, ROW_W, 8, 1, 12, "log2 of the rows per way (4 ways)")                                          \
    P(stash_entries, STASH_ENTRIES, 4, 1, 16, "stash entries")                                              \
    P(max_swaps, MAX_SWAPS, 32, 1, 255, "entries that one insertion may displace")                          \
    P(evict_fill, EVICT_FILL, 11, 0, 16, "sixteenths of the rows in use from which an insertion may evict") \
    P(overflow_w, OVERFLOW_W, 12, 1, 20, "log2 of the overflow area's entries")

/* 32-bit words of an overflow entry. Bit fields from bit 0 up: granule, wts, rts, writes, owner; the rest is 0. */
#define CW_CUCKOO_TABLE_OVERFLOW_WORDS 5

#define CW_CUCKOO_TABLE_CLOCK(C) C(1400, 32, "GETM Table II: validation unit")

#define CW_CUCKOO_TABLE_PORTS(IN, OUT, INW, OUTW)                                                                                  \
    /* look-up */                                                                                                                  \
    IN(look_valid, 1)                                                                                                              \
    IN(look_granule, p->granule_w)                                                                                                 \
    IN(look_ts, p->ts_w)       /* compared with the entry's timestamps */                                                          \
    IN(look_owner, p->owner_w) /* compared with the entry's owner */                                                               \
    IN(look_tag, p->tag_w)     /* anything */                                                                                      \
    OUT(look_ready, 1)                                                                                                             \
    /* question to the second structure, and its answer three cycles later, a cycle before the result */                           \
    OUT(read_valid, 1)                                                                                                             \
    OUT(read_granule, p->granule_w)                                                                                                \
    IN(read_ready, 1) /* ignored while read_valid is 0 */                                                                          \
    IN(miss_wts, p->ts_w)                                                                                                          \
    IN(miss_rts, p->ts_w)                                                                                                          \
    /* result: one cycle */                                                                                                        \
    OUT(res_valid, 1)                                                                                                              \
    OUT(res_granule, p->granule_w)                                                                                                 \
    OUT(res_ts, p->ts_w)                                                                                                           \
    OUT(res_look_owner, p->owner_w)                                                                                                \
    OUT(res_tag, p->tag_w)                                                                                                         \
    OUT(res_found, 1)                                                                                                              \
    OUT(res_room, 1) /* found, or a reserved entry may be inserted */                                                              \
    OUT(res_easy, 1) /* found, or an insertion does not lead to the overflow area, see above */                                    \
    OUT(res_wts, p->ts_w)                                                                                                          \
    OUT(res_rts, p->ts_w)                                                                                                          \
    OUT(res_writes, p->count_w)                                                                                                    \
    OUT(res_owner, p->owner_w)                                                                                                     \
    OUT(res_wts_later, 1) /* res_wts > res_ts */                                                                                   \
    OUT(res_rts_later, 1)                                                                                                          \
    OUT(res_reserved, 1) /* res_writes > 0 */                                                                                      \
    OUT(res_own, 1)      /* and res_owner = res_look_owner */                                                                      \
    IN(res_again, 1)     /* the result is not taken: it comes again */                                                             \
    /* new value of the granule's entry; ignored while res_valid is 0 */                                                           \
    IN(upd_valid, 1)                                                                                                               \
    IN(upd_wts_set, 1)                                                                                                             \
    IN(upd_rts_set, 1)                                                                                                             \
    IN(upd_writes_set, 1)                                                                                                          \
    IN(upd_writes, p->count_w)                                                                                                     \
    IN(upd_owner_set, 1)                                                                                                           \
    /* evicted entry, unreserved: one cycle, cannot be held back */                                                                \
    OUT(evict_valid, 1)                                                                                                            \
    OUT(evict_granule, p->granule_w)                                                                                               \
    OUT(evict_wts, p->ts_w)                                                                                                        \
    OUT(evict_rts, p->ts_w)                                                                                                        \
    /* overflow area in memory: one access at a time, a read is answered by mem_rsp_valid */                                       \
    OUT(mem_valid, 1)                                                                                                              \
    OUT(mem_write, 1)                                                                                                              \
    OUT(mem_addr, p->overflow_w) /* entry number */                                                                                \
    OUTW(mem_wdata, CW_CUCKOO_TABLE_OVERFLOW_WORDS, 160)                                                                           \
    IN(mem_ready, 1)                                                                                                               \
    IN(mem_rsp_valid, 1)                                                                                                           \
    INW(mem_rdata, CW_CUCKOO_TABLE_OVERFLOW_WORDS, 160)                                                                            \
    /* control */                                                                                                                  \
    IN(flush, 1)                          /* [62] pulse, obeyed only while busy = 0: empties everything */                         \
    OUT(busy, 1)                          /* [63] 0: a clock without look_valid or flush changes nothing */                        \
    OUT(used, p->row_w + 3)               /* [64] rows in use, all ways, two cycles after a result */                              \
    OUT(stash_used, 5)                    /* [65] entries of the stash in use */                                                   \
    OUT(overflow_used, p->overflow_w + 1) /* [66] entries in the overflow area */                                                  \
    /* events, one-cycle pulses */                                                                                                 \
    OUT(evt_done, 1)     /* [67] an access ended, its insertion included: two cycles after its result if nothing was on its way */ \
    OUT(evt_cycles, 8)   /* [68] with evt_done: 1, and the cycles for which it kept later ones from being decided; 255 = more */   \
    OUT(evt_stash, 1)    /* [69] an entry went to the stash */                                                                     \
    OUT(evt_overflow, 1) /* [70] an entry went to the overflow area */

CW_UNIT_DECLARE(cuckoo_table, CW_CUCKOO_TABLE_PARAMS, CW_CUCKOO_TABLE_PORTS)
CW_UNIT_CLOCK(cuckoo_table, CW_CUCKOO_TABLE_CLOCK)

#endif
