/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GETM: GPU transactional memory with eager conflict detection and lazy versioning (Ren and Lis, HPCA 2018).
 *
 * Every transactional load and store asks the validation unit (VU) of its memory partition for permission; stores
 * reserve their granule there, and their data waits in a redo log in the core. A transaction that reaches tx_commit
 * has therefore already won against other warps: it resolves conflicts among its own lanes (2PCR), hands its write
 * log to the commit units (CU), and goes on. Unit of conflict: the warp's attempt, at one logical time warpts; unit
 * of abort: the lane.
 *
 *   core: getm_core.c, getm_commit.c         partition: getm_partition.c (VU and its adapter), getm_commit_unit.c
 *
 *   TX_LOAD   8 B: lanes of one line, warpts, owner, ticket   -> ROP, L2 -> VU -> TX_REPLY 8 B + 32 B per sector won
 *   TX_STORE  8 B: the same; no data                          -> ROP, L2 -> VU -> TX_REPLY 8 B
 *   TX_LOG    8 B + 8 B per word + 4 B per clean-up entry     -> CU -> L2 writes; then releases -> VU
 *   TX_CONTROL, TX_CONTROL_REPLY 8 B: rollover; with getm.commit_acks, end of a warp's log to every CU, and back when it
 *                                     has been carried out
 *
 * With getm.store_data, TX_STORE is longer by the sectors that it touches, which nobody looks at. Both are [art]'s.
 *
 * A packet is split into one VU request per granule that it touches. A lane wins when all its granules do. Values of
 * a load are read from memory in the cycle in which the VU says yes. A lane that aborted issues no more requests in
 * this attempt.
 *
 * Decisions where the paper is silent, or cannot be followed:
 *
 * 1. Equal logical times (getm.ties). The paper lets two warps run at the same warpts and aborts a store only when
 *    rts > warpts. Then A: read x, write y and B: read y, write x at equal times pass all checks and both commit:
 *    write skew, not serialisable. The published simulator records the last reader of a granule and aborts an
 *    equal-time store of anyone else; with two readers per granule the hole remains, since only the last one is
 *    known. Default here: the low bits of a timestamp are the global warp number, so that no two warps share a time
 *    (Lamport's total order) and the VU's rules are right as they stand. `none` is the paper, for comparison; the
 *    serialisability oracle finds the hole in it.
 * 2. Restart time. Paper: warpts := cause + 1. The published code: the cause itself, which suffices, because wts is
 *    already the writer's time + 1. Paper's rule here; with ties by warp it is the own slot in the logical instant
 *    after the cause's. A lane that lost without a timestamp (intra-warp, stall buffer full) restarts after the
 *    attempt's own time: its granules may now carry that time + 1.
 * 3. New transaction (getm.new_warpts). Paper: the warp's last time. Published code: the largest time that the core
 *    has used. The default is the code's, because the printed abort rates (Table IV) come from it and it spares
 *    fresh warps a certain abort on every warm granule.
 * 4. Commits off the critical path. The owner check takes "the same warp" for "the same transaction", but a warp may
 *    begin its next attempt while its last log is on its way, and would then read data that is not yet there and
 *    slip under the timestamp check. Each request therefore carries a ticket, the number of log packets that the
 *    warp has sent to this partition so far, and waits in the VU adapter until as many have been carried out (16-bit
 *    counter per warp and partition). No acknowledgements are needed, and the wait is almost always over before the
 *    ROP delay is. Within an attempt "owner" then means just this attempt.
 * 5. Release. The CU sends a granule's release after the L2 has taken the granule's data, so that whoever gets past
 *    #writes = 0 sees the data. Store requests are counted per granule in the core when the VU accepts them, and
 *    given back exactly.
 * 6. Intra-warp resolution happens once, at tx_commit (2PCR as in [art]), not at each access. It is skipped with one
 *    lane or no write.
 * 7. Back-off: backoff.h, before the restart of an attempt that left reservations to clean up ([art]).
 * 8. Rollover (V.B.1). A VU that sees a time in the top eighth raises rollover; the request travels the VUs' ring to
 *    the VU of partition 0. It sends STOP to all cores and drain around the ring. Cores abort attempts that have
 *    made requests, hold their restarts and new transactions, and when nothing of theirs is in flight send ACK to
 *    every partition (behind their logs: the crossbar keeps the order). A partition with all ACKs and an empty CU
 *    flushes its VU and says so on the ring; then partition 0 sends RESUME, and the cores begin at time 0.
 * 9. Access size: with granules smaller than an access, a lane may win some granules and lose others; the reply
 *    names the winning granules, so that they are given back.
 * 10. Overflow area. The VU scans it entry by entry; the adapter answers a scan's next entry after
 *    getm.overflow_stream cycles (it fetches ahead), any other access after getm.overflow_latency. Even so a VU with
 *    hundreds of reserved granules in overflow crawls, as the published simulator does: size getm.table_rows for the
 *    granules that tm.warps lets be reserved at once.
 *
 * Faults on purpose (struct cw_mech_host.sabotage), to show that the oracles see them:
 *   skip-owner-check         every warp has the same owner number: reservations hold nobody back. Not serialisable.
 *   drop-rts-update          loads leave no read timestamp: later writers do not see them. Not serialisable.
 *   forget-writes-decrement  releases are lost (and a full stall buffer keeps its requests waiting): deadlock.
 */
#ifndef CW_MECH_GETM_GETM_H
#define CW_MECH_GETM_GETM_H

#include "mech/tm/tm.h"

extern const struct cw_mech cw_mech_getm;

#endif
