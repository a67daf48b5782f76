/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Validation unit of GETM, one per memory partition (GETM sections IV and V.B, Figures 6, 8 and 9).
 *
 * [1] It decides each transactional load and store of one 32-byte granule by the owner check, the timestamp check and the
 * write-lock check of Figure 6, and takes the releases that committing and aborting warps send. [2] Composed of a cuckoo
 * table with stash (exact metadata), a recency Bloom filter (approximate metadata) and a stall buffer.
 *
 * Rules; w: req_warpts, wts, rts, writes, owner of the entry: [3] an address without an entry has the values that the recency
 * Bloom filter answers and writes = 0.
 *   [4] owner check: writes > 0 and owner = request's owner -> success; [5] LOAD: rts := max(rts, w); [6] STORE: writes += 1.
 *   [7] LOAD:  wts > w -> abort, rsp_ts = wts. [8] Else if writes > 0 -> stall. [9] Else success, rts := max(rts, w).
 *   [10] STORE: max(rts, wts) > w -> abort, rsp_ts = max(rts, wts). [11] Else if writes > 0 -> stall. [12] Else success,
 *          writes := 1, owner := request's owner, wts := w + 1.
 *   [13] stall, but the stall buffer has no place -> abort with outcome FULL, rsp_ts = w.
 *   [14] RELEASE: writes -= count (never below 0; [15] the entry stays, unless it is in the overflow area: then it is evicted). [16] When
 *          writes becomes 0 and the stall buffer holds requests for the granule, they are retried one after another, the
 *          smallest warpts first (over all such granules), [17] until one has to wait again: it stays where it is, and the granule's requests
 *          sleep on. [18] (A retried STORE that succeeds does not end the retries: its warp's other requests for the granule must
 *          not wait for a commit that waits for them.) [19] No response.
 *   [20] A warpts of all ones -> ROLLOVER, rsp_ts = w. [21] While drain = 1: what would stall, and every retried request whatever it would
 *          meet, -> ROLLOVER, rsp_ts = w; it changes no entry.
 *   [22] A STORE whose entry finds no place, or that would count beyond count_w bits -> FULL, rsp_ts = w. [23] It finds no place when the
 *          overflow area is full; [24] or, unless req_spill was 1, when its insertion would lead there (the cuckoo table's
 *          res_easy = 0). [25] So the requester, who knows how long it has been starving, decides about the use of the area,
 *          which every later miss has to search; [26] who never sets req_spill lives within the table.
 *   [27] The first successful access of a granule inserts an entry.
 *
 *   [28] cycle t      req_valid & req_ready: the request enters the cuckoo table's pipeline (cuckoo_table.h)
 *   [29] t+5          it is decided, and later decisions know it
 *   [30] t+7          rsp_valid, if no earlier response waits
 *
 * [31] A look-up that the table repeats is decided six cycles later, or twelve, and so on; the requests behind it wait. [32] A LOAD or STORE
 * that meets a reservation is also repeated when a request went to the stall buffer in the two cycles before (decided at d-1 or d-2), because
 * the buffer's answer about a place does not know that one yet.
 *
 * [33] One request per cycle is accepted while no insertion chain, overflow access, repetition or retry intervenes, [34] and while fewer than
 * eight requests are undecided or wait for rsp_ready. [35] Responses come in the order in which decisions are made. [36] While requests of an
 * awake granule wait, none is accepted; [37] a retry enters when all requests inside have been decided and carried out (a cycle after
 * the decision), and stall_buffer.h says when it is offered.
 *
 * [38] rsp_ts is 0 for SUCCESS. [39] Fields of a channel are 0 while its valid is 0. [40] A RELEASE of a granule without
 * an entry does nothing; [41] req_kind 3 acts as RELEASE. [42] A flush is ignored unless busy = 0, the stall buffer is empty and
 * req_valid = 0.
 */
#ifndef COWARP_UNIT_VALIDATION_UNIT_H
#define COWARP_UNIT_VALIDATION_UNIT_H

#include "cowarp/unit.h"

enum cw_vu_kind { CW_VU_LOAD = 0, CW_VU_STORE = 1, CW_VU_RELEASE = 2 };
enum cw_vu_outcome {
    CW_VU_SUCCESS = 0,
    CW_VU_ABORT = 1,   /* timestamp check failed; rsp_ts is the cause */
    CW_VU_FULL = 2,    /* had to wait, and the stall buffer was full; or no place for its reservation */
    CW_VU_ROLLOVER = 3 /* drained, or warpts was the largest value that ts_w bits hold */
};

/* granule_w + 2 ts_w + count_w + owner_w must not exceed 160, the width of an overflow entry. */
#define CW_VALIDATION_UNIT_PARAMS(P)                                                                                \
    P(ts_w, TS_W, 32, 4, 48, "bits of a logical timestamp")                                                         \
    P(granule_w, GRANULE_W, 30, 8, 40, "bits of a granule number (byte address / granularity)")                     \
    P(owner_w, OWNER_W, 12, 2, 16, "bits of a global warp number")                                                  \
    P(count_w, COUNT_W, 16, 2, 16, "bits of the #writes counter")                                                   \
    P(id_w, ID_W, 10, 1, 16, "bits of the tag that a response carries back")                                        \
    P(row_w, ROW_W, 8, 1, 12, "log2 of the cuckoo table's rows per way (4 ways)")                                   \
    P(stash_entries, STASH_ENTRIES, 4, 1, 16, "stash entries")                                                      \
    P(max_swaps, MAX_SWAPS, 32, 1, 255, "swaps of an insertion before it gives up")                                 \
    P(bloom_row_w, BLOOM_ROW_W, 6, 1, 12, "log2 of the recency Bloom filter's rows per way (4 ways)")               \
    P(bloom_copies, BLOOM_COPIES, 2, 1, 2, "copies of its RAMs; 1: an eviction takes the read port from a look-up") \
    P(stall_lines, STALL_LINES, 4, 1, 16, "stall buffer lines (granules)")                                          \
    P(stall_entries, STALL_ENTRIES, 4, 1, 16, "stall buffer entries per line (requests)")                           \
    P(overflow_w, OVERFLOW_W, 12, 1, 20, "log2 of the overflow area's entries")                                     \
    P(evict_fill, EVICT_FILL, 11, 0, 16, "sixteenths of the table's rows in use from which an insertion may evict")

/* Words of an overflow entry, see the cuckoo table's contract for its fields. */
#define CW_VU_OVERFLOW_WORDS 5

#define CW_VALIDATION_UNIT_CLOCK(C) C(1400, 32, "GETM Table II: validation unit")

#define CW_VALIDATION_UNIT_PORTS(IN, OUT, INW, OUTW)                                                                  \
    /* request channel */                                                                                             \
    IN(req_valid, 1)                                                                                                  \
    IN(req_kind, 2) /* enum cw_vu_kind */                                                                             \
    IN(req_granule, p->granule_w)                                                                                     \
    IN(req_warpts, p->ts_w)   /* LOAD, STORE */                                                                       \
    IN(req_owner, p->owner_w) /* global warp number */                                                                \
    IN(req_count, p->count_w) /* RELEASE: writes to give back, at least 1 */                                          \
    IN(req_id, p->id_w)       /* LOAD, STORE: comes back with the response */                                         \
    IN(req_spill, 1)          /* STORE: may use the overflow area */                                                  \
    OUT(req_ready, 1)         /* does not depend on inputs of the same cycle */                                       \
    /* response channel: LOAD and STORE */                                                                            \
    OUT(rsp_valid, 1)                                                                                                 \
    OUT(rsp_id, p->id_w)                                                                                              \
    OUT(rsp_outcome, 2)  /* enum cw_vu_outcome */                                                                     \
    OUT(rsp_ts, p->ts_w) /* abort: the timestamp that caused it */                                                    \
    IN(rsp_ready, 1)                                                                                                  \
    /* overflow area in memory: one access at a time, a read is answered by mem_rsp_valid */                          \
    OUT(mem_valid, 1)                                                                                                 \
    OUT(mem_write, 1)                                                                                                 \
    OUT(mem_addr, p->overflow_w) /* entry number */                                                                   \
    OUTW(mem_wdata, CW_VU_OVERFLOW_WORDS, 160)                                                                        \
    IN(mem_ready, 1)                                                                                                  \
    IN(mem_rsp_valid, 1)                                                                                              \
    INW(mem_rdata, CW_VU_OVERFLOW_WORDS, 160)                                                                         \
    /* timestamp rollover (GETM V.B.1) */                                                                             \
    OUT(rollover, 1) /* [43] sticky until flush: a warpts in the top eighth of the range was seen */                  \
    IN(drain, 1)     /* while 1: stalled requests, and those that would stall, are answered ROLLOVER */               \
    IN(flush, 1)     /* pulse: clears every table, see above; busy until done */                                      \
    OUT(busy, 1)     /* [44] 0: a clock without req_valid, drain or flush changes nothing (requests may be asleep) */ \
    /* events for statistics, one-cycle pulses and counts */                                                          \
    OUT(evt_lookup, 1)       /* a request's table access ended, its insertion included */                             \
    OUT(evt_table_cycles, 8) /* with evt_lookup: cycles that it took, at least 1; 255 = or more (Figure 13) */        \
    OUT(evt_stall, 1)        /* it went to the stall buffer */                                                        \
    OUT(evt_retry, 1)        /* it came from the stall buffer */                                                      \
    OUT(evt_evict, 1)        /* an entry went to the Bloom filter */                                                  \
    OUT(evt_stash, 1)        /* an entry went to the stash */                                                         \
    OUT(evt_overflow, 1)     /* an entry went to the overflow area */                                                 \
    OUT(stall_occupancy, 9)  /* requests in the stall buffer now */                                                   \
    OUT(stall_lines_used, 5) /* granules in the stall buffer now */

/* Words in waves. */
#define CW_VALIDATION_UNIT_WORDS(PORT, CHANNEL)                                   \
    PORT(req_kind, validation_kind, "load", "store", "release", "reserved")       \
    PORT(rsp_outcome, validation_outcome, "success", "abort", "full", "rollover") \
    CHANNEL(request, validation_request, req_valid, req_ready, req_kind)          \
    CHANNEL(response, validation_response, rsp_valid, rsp_ready, rsp_outcome)

CW_UNIT_DECLARE(validation_unit, CW_VALIDATION_UNIT_PARAMS, CW_VALIDATION_UNIT_PORTS)
CW_UNIT_CLOCK(validation_unit, CW_VALIDATION_UNIT_CLOCK)

#endif
