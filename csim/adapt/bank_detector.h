/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The detector of a bank of a core's scratch-pad (include/cowarp/unit/bank_detector.h; GPU-LocalTM, sections 2.1 and 4), from the provider:
 * C model, RTL, or both in lockstep.
 */
#ifndef CW_ADAPT_BANK_DETECTOR_H
#define CW_ADAPT_BANK_DETECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/lanes.h"
#include "base/state.h"
#include "cowarp/unit/bank_detector.h"

struct cw_adapt_bank_detector;

/* One cycle's inputs; the contract says what each means, and when a work-item may be cleared. */
struct cw_adapt_bank_detector_in {
    enum cw_local_detect mode;
    bool request; /* and what the bank knows of the word at the start of the cycle */
    uint32_t group, item, word;
    bool write, owned, shared, modified;
    uint32_t owner;
    bool clear; /* these lanes of a wavefront have committed or aborted */
    uint32_t clear_group, clear_wave;
    cw_lanes clear_lanes;
    bool begin; /* a wavefront begins transactions: its write signature becomes empty */
    uint32_t begin_group, begin_wave;
};

/* What the cycle answers: to the request and the clear of three cycles before. None of it depends on this cycle's inputs. First the bank
 * does what quiet says, then what the answer says, both at the end of the cycle. */
struct cw_adapt_bank_detector_view {
    bool quiet; /* shared = 0 for all words of quiet_group in this bank */
    uint32_t quiet_group;
    bool answer;
    uint32_t group, item, word;
    bool conflict;
    bool met; /* this owner, in a conflict */
    uint32_t owner;
    bool backup, own, share, modify; /* to be done with the word */
};

/* A detector for groups of work_items, in wavefronts of 2^lane_bits. */
struct cw_adapt_bank_detector_size {
    uint32_t work_items, lane_bits, groups, words;
    uint32_t sig_bits, wsig_bits, hashes;
};

/* Status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_bank_detector_create(struct cw_adapt_bank_detector **out, const struct cw_unit_provider *units, uint32_t core, uint32_t bank,
                                  const struct cw_adapt_bank_detector_size *size, struct cw_error *err);
void cw_adapt_bank_detector_destroy(struct cw_adapt_bank_detector *d);
void cw_adapt_bank_detector_state(struct cw_state *s, struct cw_adapt_bank_detector *d);
/* Back to the state after a reset. */
void cw_adapt_bank_detector_reset(struct cw_adapt_bank_detector *d);
/* Answers are to come. While it is false, a cycle without inputs need not be clocked, and may be left out. */
bool cw_adapt_bank_detector_busy(const struct cw_adapt_bank_detector *d);
/* One cycle, with its inputs and what it answers. */
void cw_adapt_bank_detector_clock(struct cw_adapt_bank_detector *d, const struct cw_adapt_bank_detector_in *in,
                                  struct cw_adapt_bank_detector_view *view);

#endif
