/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuckoo table with stash and overflow area: GETM's exact metadata (GETM section V.B.1, Figure 8).
 *
 * Four ways of 2^row_w rows, one H3 hash and one synchronous-read RAM per way; a fully associative stash that is searched
 * in parallel; an overflow area in memory behind the mem_* ports. An entry is {granule, wts, rts, writes, owner}; it is
 * reserved while writes > 0. The table decides nothing about transactions: it offers the entry of a granule, and takes
 * the new value in the same cycle.
 *
 *   cycle t     look_valid & look_ready: the look-up waits in a queue of two
 *   cycle t+1   its granule is hashed, the rows are read
 *   cycle t+2   res_valid: res_found and the entry's fields, or not found. If upd_valid: the entry is written, or inserted
 *               when it was not found. The result of cycle t+3 sees this write.
 *
 * The result is offered for one cycle only, later than t+2 when it had to wait; results come in the order of the look-ups,
 * and at most three look-ups are inside. A second structure whose answer takes two cycles can be read in step (Figure
 * 8: both tables are accessed simultaneously): if it is asked for read_granule in every cycle with read_valid, then in a cycle
 * with res_valid its answer to the question of two cycles before is about res_granule. read_valid and read_granule are
 * the only outputs that depend on inputs of the same cycle.
 *
 * Insertion: into the lowest way with a free row; else the new entry displaces one, and the displaced one looks for a row of
 * its own, and so on. The chain ends when one finds a free row; or, once evict_fill/16 of the rows are in use, when an
 * unreserved one is displaced, which leaves by the evict channel; or after max_swaps displacements: then the last one, if
 * unreserved, leaves by the evict channel; else it goes to a free stash entry; else to the place of an unreserved stash
 * entry, which is evicted; else to the overflow area. No result is offered while an entry is on its way. An insertion that
 * ends at its first displacement with an eviction costs no cycle.
 *
 * res_easy: the insertion needs neither stash nor overflow area, as far as the look-up's own rows and the fill tell: the granule
 * is found, or one of its rows is free, or holds an unreserved entry, or fewer than evict_fill/16 of the rows are in use (a hint
 * there: the chain will most likely find a row). When res_easy = 0, a reserved entry is inserted all the same, by a chain that
 * ends in the stash or in the overflow area as a rule; an unreserved one starts no chain, it is evicted at once.
 *
 * Evict channel: an evicted entry is offered from the cycle after it left the table until it is taken; results of that time
 * do not find it. So who keeps evicted timestamps has to consult the channel as well as its own memory.
 *
 * Overflow area: entries 0 .. overflow_used-1 of memory, all reserved, in no order. A look-up that misses ways and stash reads
 * them one after another, only while there are any. An entry that loses its reservation there is evicted, and the last
 * entry moves into its place. When the area is full and no row is free (res_room = 0), a reserved entry must not be
 * inserted (it is ignored), and an unreserved one is evicted at once.
 *
 * Fields of a channel are 0 while its valid is 0. Memory reads are answered in order, in any later cycle.
 */
#ifndef COWARP_UNIT_CUCKOO_TABLE_H
#define COWARP_UNIT_CUCKOO_TABLE_H

#include "cowarp/unit.h"

/* granule_w + 2 ts_w + count_w + owner_w must not exceed 160. */
#define CW_CUCKOO_TABLE_PARAMS(P)                                                                      \
    P(ts_w, TS_W, 32, 4, 48, "bits of a logical timestamp")                                            \
    P(granule_w, GRANULE_W, 30, 8, 40, "bits of a granule number")                                     \
    P(owner_w, OWNER_W, 12, 2, 16, "bits of a global warp number")                                     \
    P(count_w, COUNT_W, 16, 2, 16, "bits of the #writes counter")                                      \
    P(row_w, ROW_W, 8, 1, 12, "log2 of the rows per way (4 ways)")                                     \
    P(stash_entries, STASH_ENTRIES, 4, 1, 16, "stash entries")                                         \
    P(max_swaps, MAX_SWAPS, 32, 1, 255, "entries that one insertion may displace")                     \
    P(evict_fill, EVICT_FILL, 11, 0, 16, "sixteenths of the rows in use from which a chain may evict") \
    P(overflow_w, OVERFLOW_W, 12, 1, 20, "log2 of the overflow area's entries")

/* 32-bit words of an overflow entry. Bit fields from bit 0 up: granule, wts, rts, writes, owner; the rest is 0. */
#define CW_CUCKOO_TABLE_OVERFLOW_WORDS 5

#define CW_CUCKOO_TABLE_CLOCK(C) C(1400, 32, "GETM Table II: validation unit")

#define CW_CUCKOO_TABLE_PORTS(IN, OUT, INW, OUTW)                                                         \
    /* look-up channel */                                                                                 \
    IN(look_valid, 1)                                                                                     \
    IN(look_granule, p->granule_w)                                                                        \
    OUT(look_ready, 1)                                                                                    \
    OUT(read_valid, 1)              /* depends on look_valid of the same cycle */                         \
    OUT(read_granule, p->granule_w) /* depends on look_granule of the same cycle; 0 without read_valid */ \
    /* result: one cycle, cannot be held back */                                                          \
    OUT(res_valid, 1)                                                                                     \
    OUT(res_granule, p->granule_w)                                                                        \
    OUT(res_found, 1)                                                                                     \
    OUT(res_room, 1) /* found, or a reserved entry may be inserted */                                     \
    OUT(res_easy, 1) /* found, or an insertion does not lead to the overflow area, see above */           \
    OUT(res_wts, p->ts_w)                                                                                 \
    OUT(res_rts, p->ts_w)                                                                                 \
    OUT(res_writes, p->count_w)                                                                           \
    OUT(res_owner, p->owner_w)                                                                            \
    /* new value of the offered granule's entry; ignored while res_valid is 0 */                          \
    IN(upd_valid, 1)                                                                                      \
    IN(upd_wts, p->ts_w)                                                                                  \
    IN(upd_rts, p->ts_w)                                                                                  \
    IN(upd_writes, p->count_w)                                                                            \
    IN(upd_owner, p->owner_w)                                                                             \
    /* evict channel: unreserved entries, to the approximate table */                                     \
    OUT(evict_valid, 1)                                                                                   \
    OUT(evict_granule, p->granule_w)                                                                      \
    OUT(evict_wts, p->ts_w)                                                                               \
    OUT(evict_rts, p->ts_w)                                                                               \
    IN(evict_ready, 1)                                                                                    \
    /* overflow area in memory: one access at a time, a read is answered by mem_rsp_valid */              \
    OUT(mem_valid, 1)                                                                                     \
    OUT(mem_write, 1)                                                                                     \
    OUT(mem_addr, p->overflow_w) /* entry number */                                                       \
    OUTW(mem_wdata, CW_CUCKOO_TABLE_OVERFLOW_WORDS, 160)                                                  \
    IN(mem_ready, 1)                                                                                      \
    IN(mem_rsp_valid, 1)                                                                                  \
    INW(mem_rdata, CW_CUCKOO_TABLE_OVERFLOW_WORDS, 160)                                                   \
    /* control */                                                                                         \
    IN(flush, 1)            /* pulse, obeyed only while busy = 0: empties everything */                   \
    OUT(busy, 1)            /* 0: a clock without look_valid or flush changes nothing */                  \
    OUT(used, p->row_w + 3) /* rows in use, all ways */                                                   \
    OUT(stash_used, 5)                                                                                    \
    OUT(overflow_used, p->overflow_w + 1)                                                                 \
    /* events, one-cycle pulses */                                                                        \
    OUT(evt_done, 1)     /* an access ended, its insertion included */                                    \
    OUT(evt_cycles, 8)   /* with evt_done: cycles that it took, at least 1; 255 = or more (Figure 13) */  \
    OUT(evt_evict, 1)    /* an entry left by the evict channel */                                         \
    OUT(evt_stash, 1)    /* an entry went to the stash */                                                 \
    OUT(evt_overflow, 1) /* an entry went to the overflow area */

CW_UNIT_DECLARE(cuckoo_table, CW_CUCKOO_TABLE_PARAMS, CW_CUCKOO_TABLE_PORTS)
CW_UNIT_CLOCK(cuckoo_table, CW_CUCKOO_TABLE_CLOCK)

#endif
