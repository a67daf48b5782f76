/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bank detector of transactions in scratch-pad memory (GPU-LocalTM, sections 2.1, 3.1 and 4): one for each bank of a core's scratch-pad. It
 * says of each transactional access whether it conflicts, whether the old value has to be backed up, and who is met.
 *
 * [1] Several work-groups share a core, so a request names a group: a slot of the core; there are as many slots as the bits of a group's
 * number can name, at least `groups`. [2] Work-items are numbered within their group; the wavefront of a work-item is item >> lane_w.
 * [3] Work-items of different groups never conflict.
 *
 * What is kept. [4] A signature per work-item: a Bloom filter of sig_w bits in `hashes` parts; bit h of part i is set by the words whose H3
 * hash of way i (rtl/README.md) is h. [5] A write signature per wavefront: the same, of wsig_w bits, with ways 2 + i. [6] sig_w and
 * wsig_w must be powers of two, so that parts are. [7] A signature hits a word when all bits of the word are set. [8] A work-item is live from its first insertion, or
 * its first sharing read, until it is cleared; [9] the signature of a work-item that is not live is empty. [10] A reset empties everything.
 *
 * What the bank keeps. [11] It must send along with a request: of the word `owned` and its owner, `shared` (S) and `modified` (M), where
 * owned: the owner has a backup (signatures), has accessed the word (directories); shared: somebody who is not the owner may have read it;
 * modified: the owner has written it; modified without owned is illegal.
 *
 * What a cycle means. In each cycle t, in this order:
 *  1. [12] clr_valid: the work-items of clr_lanes of the wavefront clr_wave of clr_group have committed or aborted: they are not live any
 *     more. [13] In cycle t + 3 quiet_valid = 1 if no work-item of the group is live after that; [14] then the bank must make shared = 0 for
 *     all words of the group, before it does what the answer of the same cycle says.
 *  2. [15] wclr_valid: the wavefront wclr_wave of wclr_group begins transactions: its write signature becomes empty.
 *  3. [16] req_valid: a request of work-item req_item for the word req_word, a write or a read, with what the bank knows of the word at the
 *     start of the cycle; in cycle t + 3 ans_valid = 1 with the answer. [17] Requests are always taken, one per cycle; each of these sees all
 *     that was accepted before it, as if it were answered at once. [18] What requests of the three cycles before have made of the same word
 *     (ans_own, ans_share, ans_modify), [19] and what quiet_valid will say of the clears of this cycle and of the three before, the unit adds
 *     to what the bank has sent: nobody else has to forward anything. [20] The bank must do what an answer says at the end of its cycle.
 *
 * The answer (mine: the work-item owns the word):
 *  - ans_conflict. [21] A request that conflicts changes nothing, but for [42].
 *  - [22] prw-sig: the signature of another work-item of the group hits the word.
 *  - [23] swo-sig: a write: as prw-sig. [24] A read: as prw-sig, and a write signature hits: that of another wavefront of the group, or,
 *    unless the word is mine, that of the own one. [25] If the word is mine, nobody else can have written it, and what the own wavefront's
 *    shows is mine.
 *  - [26] dcd: owned, and not mine.
 *  - [27] smdcd: a read: owned, not mine, and modified; [28] a write: shared, or owned and not mine.
 *  - ans_backup, the old value has to be saved: [29] signatures: the word is not mine, and it is a write; [30] dcd: it is not mine; [31]
 *    smdcd: it is a write, and it is not mine or not modified.
 *  - ans_own, the work-item becomes the owner: [32] signatures: as ans_backup; [33] directories: it is not owned.
 *  - ans_share, shared becomes 1: [34] smdcd: a read of a word that is owned, not mine, and not shared.
 *  - ans_modify, modified becomes 1: [35] smdcd: as ans_backup; else 0.
 *  - ans_met, ans_owner: [36] the request conflicts, and the word is owned and not mine; its owner.
 *  - [37] ans_backup, ans_own, ans_share and ans_modify are 0 with a conflict, ans_met and ans_owner without one. [38] ans_group, ans_item
 *    and ans_word are the request's.
 *
 * What is inserted, without a conflict. [39] Signatures: the word into the work-item's signature; [40] by swo-sig a write also into the
 * wavefront's write signature. [41] smdcd: a read of a word that is owned and not mine makes the work-item live; so quiet_valid says that
 * nobody reads without being an owner, and shared may go.
 *
 * What is taken out with a conflict. [42] swo-sig: a write empties the work-item's signature, if its wavefront's write signature is empty: it
 * has lost, so what it has read need stop nobody (else two work-items that have read a word, and want to write it in one of the three cycles
 * before the first one's answer, would stop each other).
 *
 * [43] ans_*, and quiet_group, are 0 when not valid. [44] mode (enum cw_local_detect) holds for the request of its cycle; nobody stops the
 * use of several modes at a time, but what one mode inserts another one does not look for.
 *
 * [45] busy = 1 in the three cycles after a request or a clear of work-items; busy = 0: a clock without a valid input changes nothing.
 * [46] All outputs depend on registers alone.
 *
 * What the user must keep: [47] a request of a work-item of `work_items` or more is illegal (lanes of the last wavefront that do not exist
 * may be cleared); [48] it is illegal to clear a work-item, or the write signature of its wavefront, in one of the three cycles after a
 * request of it; [49] it is illegal to clear a write signature while a work-item of the wavefront is live that has written: others would
 * read what it has written.
 */
#ifndef COWARP_UNIT_BANK_DETECTOR_H
#define COWARP_UNIT_BANK_DETECTOR_H

#include "cowarp/unit.h"

enum cw_local_detect { CW_LOCAL_PRW_SIG = 0, CW_LOCAL_SWO_SIG = 1, CW_LOCAL_DCD = 2, CW_LOCAL_SMDCD = 3, CW_LOCAL_DETECT_CNT };

#define CW_BANK_DETECTOR_PARAMS(P)                                            \
    P(work_items, WORK_ITEMS, 256, 2, 256, "work-items of a group")           \
    P(lane_w, LANE_W, 6, 1, 6, "bits of the number of a lane of a wavefront") \
    P(groups, GROUPS, 16, 1, 16, "work-groups of a core")                     \
    P(word_w, WORD_W, 9, 1, 12, "bits of the number of a word of the bank")   \
    P(sig_w, SIG_W, 8, 4, 32, "bits of a signature, a power of two")          \
    P(wsig_w, WSIG_W, 32, 8, 64, "bits of a write signature, a power of two") \
    P(hashes, HASHES, 2, 1, 2, "hash functions, each with its part of the bits")

#define CW_BANK_DETECTOR_CLOCK(C) C(925, 32, "Southern Islands (HD 7970), 28 nm: engine clock; 32 nm is the nearest node of synth")

/* Bits of a number below n. */
#define CW_BANK_DETECTOR_INDEX_W(n) (1 + ((n) > 2) + ((n) > 4) + ((n) > 8) + ((n) > 16) + ((n) > 32) + ((n) > 64) + ((n) > 128))

/* Wavefronts of a group. */
#define CW_BANK_DETECTOR_WAVES(p) (((p)->work_items + (1u << (p)->lane_w) - 1) >> (p)->lane_w)

#define CW_BANK_DETECTOR_PORTS(IN, OUT, INW, OUTW)                            \
    IN(mode, 2) /* enum cw_local_detect */                                    \
    /* an access within a transaction, and what the bank knows of the word */ \
    IN(req_valid, 1)                                                          \
    IN(req_group, CW_BANK_DETECTOR_INDEX_W(p->groups))                        \
    IN(req_item, CW_BANK_DETECTOR_INDEX_W(p->work_items))                     \
    IN(req_word, p->word_w)                                                   \
    IN(req_write, 1)                                                          \
    IN(req_owned, 1)                                                          \
    IN(req_owner, CW_BANK_DETECTOR_INDEX_W(p->work_items))                    \
    IN(req_shared, 1)                                                         \
    IN(req_modified, 1)                                                       \
    /* work-items commit or abort */                                          \
    IN(clr_valid, 1)                                                          \
    IN(clr_group, CW_BANK_DETECTOR_INDEX_W(p->groups))                        \
    IN(clr_wave, CW_BANK_DETECTOR_INDEX_W(CW_BANK_DETECTOR_WAVES(p)))         \
    IN(clr_lanes, 1u << p->lane_w)                                            \
    /* a wavefront begins transactions */                                     \
    IN(wclr_valid, 1)                                                         \
    IN(wclr_group, CW_BANK_DETECTOR_INDEX_W(p->groups))                       \
    IN(wclr_wave, CW_BANK_DETECTOR_INDEX_W(CW_BANK_DETECTOR_WAVES(p)))        \
    /* the answer, three cycles after the request */                          \
    OUT(ans_valid, 1)                                                         \
    OUT(ans_group, CW_BANK_DETECTOR_INDEX_W(p->groups))                       \
    OUT(ans_item, CW_BANK_DETECTOR_INDEX_W(p->work_items))                    \
    OUT(ans_word, p->word_w)                                                  \
    OUT(ans_conflict, 1)                                                      \
    OUT(ans_met, 1)                                                           \
    OUT(ans_owner, CW_BANK_DETECTOR_INDEX_W(p->work_items))                   \
    OUT(ans_backup, 1)                                                        \
    OUT(ans_own, 1)                                                           \
    OUT(ans_share, 1)                                                         \
    OUT(ans_modify, 1)                                                        \
    /* no work-item of the group is live, three cycles after the clear */     \
    OUT(quiet_valid, 1)                                                       \
    OUT(quiet_group, CW_BANK_DETECTOR_INDEX_W(p->groups))                     \
    /* status */                                                              \
    OUT(busy, 1)

#define CW_BANK_DETECTOR_WORDS(PORT, CHANNEL) PORT(mode, local_detect, "pRW-sig", "sWO-sig", "DCD", "SMDCD")

CW_UNIT_DECLARE(bank_detector, CW_BANK_DETECTOR_PARAMS, CW_BANK_DETECTOR_PORTS)
CW_UNIT_CLOCK(bank_detector, CW_BANK_DETECTOR_CLOCK)

#endif
