/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Persist buffer of scoped buffered persistency (SBRP, Pandey 2023, section 6, Figure 5): a FIFO of the lines of persistent memory
 * that are dirty in a core's L1, and of the ordering entries between them. A line names the warps that have written it, an ordering entry
 * the warps that are ordered. The lines' data stays in the L1.
 *
 * [1] After a reset the next index of the ring of `entries` entries is 0; [2] it goes up by one with each entry that is appended, modulo `entries`.
 * [3] An entry is a line or an ordering entry (enum cw_persist_kind), with a mask of warps ("older" and "younger" are about the order in which
 * entries were appended; "now" is the state at the start of the cycle). [4] A warp of `warps` or more names no warp: its entry has an empty mask.
 *
 * Insert: [5] ins_valid = 1 in cycle t is judged and carried out in t + 1, from the state now, in t + 1: [6] ins_answer and ins_at are there in
 * that cycle, [7] and are 0 in a cycle after one without ins_valid. [8] One may come per cycle (below, an insert is of the cycle of its answer).
 *  - [9] CW_PERSIST_LINE with ins_held = 0, warp ins_warp writes the line ins_line, of which the L1 has nothing dirty: appended with this warp
 *    as mask (ins_at is the index), [10] or full.
 *  - [11] CW_PERSIST_LINE with ins_held = 1, the line is dirty, and ins_entry is its entry: busy, try again, if ins_entry is no line that is in
 *    the buffer (it may just have left), [12] if it is on offer, [13] or if its eviction is being answered. [14] Else conflict if an ordering
 *    entry of ins_warp is younger: the write has to wait until this entry is durable. [15] Else coalesced: ins_warp joins its mask.
 *  - [16] An ordering entry of ins_warp is merged into the youngest entry of its kind (ins_at is its index), whose mask ins_warp joins, [17] if no
 *    entry whose mask has ins_warp is younger than that one, [18] it is not on offer, [19] and, for an acquire, no release of either scope is
 *    younger than it: what the acquirer persists next would else go before what the releaser has persisted. [20] Else it is appended, or full.
 *  - [21] Kind 7: busy.
 *
 * [22] ins_at is 0 unless appended or merged. [23] Full means that there are `entries` entries now.
 *
 * Evict: [24] evict_valid = 1 in cycle t asks whether the line of entry evict_entry may leave before its turn: in t + 1 evict_done = 1, [25] unless
 * in t the head was read, [26] or the entry appended: then ask again. [27] With evict_done = 1, evict_go says whether the line leaves in this
 * cycle t + 1: it does if now, in t + 1,
 *  - [28] the entry is a line that is in the buffer, [29] and not on offer,
 *  - [30] no ordering entry is older than it (section 6.1, Eviction: of any warp),
 *  - [31] its mask does not meet fsm, [32] and hold is 0,
 *  - [33] the head is not blocked, that is, not in sight as a line that has not gone, is not on offer, and whose mask meets fsm: else evictions
 *    could keep lines outstanding for ever, and the head would wait for ever.
 *
 * [34] A line that has gone so keeps its place, [35] and leaves silently when it is the head. [36] evict_go is 0 without evict_done.
 *
 * Head, the oldest entry. [37] It is read in the first cycle in which it is the head, the one after the entry before it has left, or after it was
 * appended, [38] and is in sight from the next one on. [39] In a cycle in which it is in sight and not on offer, and its eviction is not being
 * answered,
 *  - [40] a line that has gone leaves;
 *  - [41] a line is put on offer if its mask, with the warp that joins it in this cycle, does not meet fsm, [42] hold is 0, [43] and drain or
 *    demand is 1: [44] flush_* from the next cycle on;
 *  - [45] an ordering entry is put on offer, with the warp that joins it in this cycle: [46] order_* from the next cycle on.
 *
 * [47] An offer does not change until it is taken (flush_ready, order_ready); [48] then the entry leaves (windows and the room in ACTR are the
 * matter of who gives flush_ready). [49] So at most one entry leaves in three cycles. [50] flush_* and order_* are 0 when not valid.
 *
 * [51] fsm and hold are those of cw_order_masks, which must know in the cycle after an ordering entry has left, or a line, that it has.
 *
 * Demand. [52] drain = 0 is the lazy policy: lines stay until somebody asks for them. [53] All entries that are in the buffer at the end of a
 * cycle are asked for when in this cycle a dFence, or a release or acquire of device scope is appended, [54] an insert is answered conflict
 * [55] or full, [56] or evict_done comes without evict_go. [57] demand = 1 until the last of them has left. [58] It does not depend on drain.
 *
 * [59] count: entries, also of lines that have gone. [60] busy = 0: a clock without ins_valid, evict_valid, flush_ready and order_ready changes
 * nothing while fsm, hold and drain stay what they are. [61] busy = 1 in the first cycle in which the head is in sight, whatever it is. [62] A
 * reset empties the buffer. [63] Within a cycle fsm, hold and drain lead to evict_go and busy; [64] all else depends on registers alone.
 */
#ifndef COWARP_UNIT_PERSIST_BUFFER_H
#define COWARP_UNIT_PERSIST_BUFFER_H

#include "cowarp/unit.h"

enum cw_persist_kind {
    CW_PERSIST_LINE = 0,
    CW_PERSIST_OFENCE = 1,
    CW_PERSIST_ACQ_BLOCK = 2,
    CW_PERSIST_REL_BLOCK = 3,
    CW_PERSIST_ACQ_DEV = 4,
    CW_PERSIST_REL_DEV = 5,
    CW_PERSIST_DFENCE = 6,
    CW_PERSIST_KIND_CNT
};

enum cw_persist_answer {
    CW_PERSIST_APPENDED = 0,
    CW_PERSIST_COALESCED = 1,
    CW_PERSIST_MERGED = 2,
    CW_PERSIST_CONFLICT = 3,
    CW_PERSIST_FULL = 4,
    CW_PERSIST_BUSY = 5
};

#define CW_PERSIST_BUFFER_PARAMS(P)                         \
    P(entries, ENTRIES, 256, 1, 512, "entries of the FIFO") \
    P(warps, WARPS, 32, 1, 64, "warps of a core")           \
    P(line_w, LINE_W, 9, 1, 12, "bits of the index of a line of the L1")

#define CW_PERSIST_BUFFER_CLOCK(C) C(1365, 32, "Pandey 2023 Table 1: core")

/* Bits of a number below n. */
#define CW_PERSIST_BUFFER_INDEX_W(n) \
    (1 + ((n) > 2) + ((n) > 4) + ((n) > 8) + ((n) > 16) + ((n) > 32) + ((n) > 64) + ((n) > 128) + ((n) > 256) + ((n) > 512))

#define CW_PERSIST_BUFFER_PORTS(IN, OUT, INW, OUTW)                                  \
    /* a warp writes a line, or orders; the answer in the next cycle */              \
    IN(ins_valid, 1)                                                                 \
    IN(ins_kind, 3) /* enum cw_persist_kind */                                       \
    IN(ins_warp, CW_PERSIST_BUFFER_INDEX_W(p->warps))                                \
    IN(ins_line, p->line_w)                                                          \
    IN(ins_held, 1) /* the line is dirty, and its entry is the next one */           \
    IN(ins_entry, CW_PERSIST_BUFFER_INDEX_W(p->entries))                             \
    OUT(ins_answer, 3) /* enum cw_persist_answer */                                  \
    OUT(ins_at, CW_PERSIST_BUFFER_INDEX_W(p->entries))                               \
    /* the L1 would evict a line; the answer in the next cycle */                    \
    IN(evict_valid, 1)                                                               \
    IN(evict_entry, CW_PERSIST_BUFFER_INDEX_W(p->entries))                           \
    OUT(evict_done, 1) /* 0: ask again */                                            \
    OUT(evict_go, 1)   /* the line leaves now */                                     \
    /* the line at the head leaves */                                                \
    OUT(flush_valid, 1)                                                              \
    OUT(flush_line, p->line_w)                                                       \
    OUT(flush_entry, CW_PERSIST_BUFFER_INDEX_W(p->entries))                          \
    IN(flush_ready, 1)                                                               \
    /* the ordering entry at the head leaves */                                      \
    OUT(order_valid, 1)                                                              \
    OUT(order_kind, 3) /* enum cw_persist_kind */                                    \
    OUT(order_warps, p->warps)                                                       \
    IN(order_ready, 1)                                                               \
    /* what may leave */                                                             \
    IN(fsm, p->warps) /* warps whose earlier persists have left unacknowledged */    \
    IN(hold, 1)       /* nothing */                                                  \
    IN(drain, 1)      /* 1: lines as they come (window, eager); 0: when asked for */ \
    /* status */                                                                     \
    OUT(count, CW_PERSIST_BUFFER_INDEX_W(p->entries + 1))                            \
    OUT(full, 1)                                                                     \
    OUT(empty, 1)                                                                    \
    OUT(demand, 1) /* something has been asked for, and has not left */              \
    OUT(busy, 1)

#define CW_PERSIST_BUFFER_WORDS(PORT, CHANNEL)                                                                     \
    PORT(ins_kind, persist_kind, "line", "oFence", "pAcq block", "pRel block", "pAcq dev", "pRel dev", "dFence")   \
    PORT(ins_answer, persist_answer, "appended", "coalesced", "merged", "conflict", "full", "busy")                \
    PORT(order_kind, persist_kind, "line", "oFence", "pAcq block", "pRel block", "pAcq dev", "pRel dev", "dFence") \
    CHANNEL(order, persist_ordering, order_valid, order_ready, order_kind)

CW_UNIT_DECLARE(persist_buffer, CW_PERSIST_BUFFER_PARAMS, CW_PERSIST_BUFFER_PORTS)
CW_UNIT_CLOCK(persist_buffer, CW_PERSIST_BUFFER_CLOCK)

#endif
