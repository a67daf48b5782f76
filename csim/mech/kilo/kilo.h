/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Kilo TM family: transactions that keep their writes in a log, and validate what they have read, by value, at commit units beside the
 * L2 (Fung 2015, chapters 4 to 6); and two idealised systems that share its core half.
 *
 *   kilotm     Kilo TM: each transaction (thread) validates and commits by itself (chapter 4)
 *   warptm     WarpTM: a warp resolves conflicts among its lanes, then validates and commits as one (6.2, 6.3), with temporal conflict
 *              detection, TCD, for read-only transactions (6.4)
 *   eapg       WarpTM with early abort and pause-and-go, idealised as in footnote 3 of Ren and Lis, HPCA 2018
 *   warptm-el  WarpTM with eager detection at no cost (HPCA 2018, section III)
 *   ideal      Ideal TM (Fung 2015, 4.1)
 *
 *   core       kilo_core.c (accesses, messages), kilo_first_read.c, kilo_resolve.c (2PCR with resolver.c, SCR), kilo_commit.c, kilo_eapg.c
 *   partition  kilo_port.c (loads), kilo_written.c; the commit unit: kilo_unit.c, kilo_ring.c, kilo_hazard.c, kilo_unit_log.c (messages),
 *              kilo_unit_l2.c, kilo_unit_out.c
 *   both       kilo_vendor.c (commit IDs), kilo_arbiter.c (idealised)
 *
 * Messages (8-byte header; a log entry is 4 bytes of address and 4 of value, [art]):
 *
 *   TX_LOAD                8           lanes of one line -> ROP, L2 -> port -> TX_REPLY 8 + 32 per sector (+ tcd.reply_bytes with TCD)
 *   TX_LOG READS, WRITES   8 + 8 N     one log row, the lanes of one partition -> commit unit (no ROP delay)
 *   DONE                   8           to every partition: the logs are complete (DONE_FILL), or there is nothing here (SKIP)
 *   VERDICT                8           commit unit -> core: CU_PASS, CU_FAIL; only where a transaction has accesses
 *   OUTCOME                8           core -> commit unit: TX_PASS, TX_FAIL; only where it passed
 *   ACK                    8           commit unit -> core: writes are in memory
 *   RESEND, EOS            8           buffer overflow: set wanted again (then TX_LOG 16 per word), and its end
 *   COMMITTING, WRITTEN    8           eapg: to every core
 *
 * VERDICT, OUTCOME and ACK are one per transaction, or with warptm.aggregate one per warp.
 *
 * Order. Commit IDs order all transactions, and every commit unit handles its entries in that order, apart from comparisons in the
 * background. A transaction that has read what an earlier, unfinished one may write (hazard) is compared again when that one has retired.
 * Whoever waits waits for a smaller ID, so nothing deadlocks; with conflict-free warps that also holds for a warp as a whole, since false
 * hits on its own IDs count as hits on the ID before its first.
 *
 * Decisions where the sources are silent, or differ:
 *
 * 1. Entries are per transaction in warptm too, as in [art]: its pointers move one entry per cycle.
 * 2. The thesis records RCID when the comparison starts; so does this. [art] asks at hazard detection whether the writer has retired by
 * then, which misses a writer that retired between comparison and detection.
 * 3. A warp's last-writer hits: see above. The thesis does not say what keeps a warp from waiting for itself.
 * 4. Credits for commit entries are kept by the ID vendor for all cores, not in a pool per core: with few entries a pool per core could not
 * hold one warp. The request and the grant travel on wires of their own (kilo.id_latency).
 * 5. Input of a commit unit: a warp's message takes one cycle with warptm.aggregate; without it, as [art] says, one lane per cycle. Here:
 * a cycle per word of a log message; per transaction of the warp for DONE, with accesses here or not; and kilo.entry_cycles per ring entry,
 * at the warp's first message. With 1 HT-H's rate of 4.6 to 4.9 cycles per attempt, measured on GETM's simulator, fits (docs/systems.md);
 * the thesis's averages want 0 (preset thesis-warptm).
 * 6. TCD. The thesis admits that a snapshot may lie in the middle of a commit. tcd.mode = closed also counts, per block, the writes that a
 * commit unit has received and not carried out; a load of such a block is taken for a conflict. Whoever writes its first word has all its
 * write sets in the commit units by then, and the port hears of them before the verdict leaves, so no reader can miss the rest. Cost:
 * tcd.pending counters of 8 bits per partition, and false conflicts, which only cost a validation.
 * 7. Unbounded transactions: a read or write set beyond the buffer is sent again for each stage that walks it.
 * 8. The watchdog validates a transaction that runs for kilo.watchdog_cycles through the commit units, as a read-only one; lanes that fail
 * abort.
 * 9. Back-off: backoff.h, linear in the failed attempts ([art]).
 * 10. eapg: a commit unit announces a write set when its log arrives (COMMITTING) and when it has been written or dropped (WRITTEN). Loads
 * of announced words pause, for eapg.pause_max_cycles at most; running transactions that read another value than the one written abort.
 * 11. ideal, warptm-el: decided at one place that knows all commits (kilo_arbiter.c); memory changes at one clock edge in all partitions.
 * warptm-el still resolves intra-warp conflicts, and sends write logs, DONE and ACK, whose writes take time and change nothing. ideal sends
 * a store's bytes when it is executed, as an ordinary store does (the thesis hides the overheads of transactions, not the program's own
 * traffic); memory changes at commit.
 *
 * The oracle takes a read as made when it was last validated with success (5.1.3: a value that has gone and come back is no conflict).
 *
 * Faults on purpose (struct cw_mech_host.sabotage), for kilotm, warptm and eapg; each makes them not serialisable:
 *   skip-revalidation    an entry with a hazard waits, but keeps its first comparison
 *   commit-out-of-order  writes are carried out when the decision comes, in whatever order
 *   ignore-hazard        hazard detection finds nothing
 */
#ifndef CW_MECH_KILO_KILO_H
#define CW_MECH_KILO_KILO_H

#include "mech/tm/tm.h"

extern const struct cw_mech cw_mech_kilotm, cw_mech_warptm, cw_mech_warptm_el, cw_mech_eapg, cw_mech_ideal;

#endif
