/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two hazard detectors that thesis 4.4.3 (Fung 2015, Figure 4.11) sets beside the last-writer history. Neither is built here as hardware;
 * a word per clock and seven clocks to the answer are those of the hazard unit, so that runs differ by what is detected alone.
 *
 *   perfect      knows the last writer of every word
 *   bloom-array  keeps a read and a write signature of each transaction, 512 bits in four sub-arrays with an H3 hash each. An incoming word
 *                is looked up in the signatures of all older transactions: a read in their write sets, a write in both. The thesis says
 *                that reads and writes check all signatures; a write that an older transaction reads or writes has to be ordered
 *                behind it where, as with signatures, nothing says who wrote last.
 */
#ifndef CW_MECH_KILO_DETECTOR_H
#define CW_MECH_KILO_DETECTOR_H

#include "mech/kilo/unit/hazard.h"

struct cw_kilo_detector;

/* CW_OK or CW_ENOMEM. kind is not HISTORY. */
int cw_kilo_detector_create(struct cw_kilo_detector **out, enum cw_kilo_detection kind);
void cw_kilo_detector_destroy(struct cw_kilo_detector *d);
void cw_kilo_detector_state(struct cw_state *s, struct cw_kilo_detector *d);
/* As cw_adapt_hazard_unit_clock, and takes every entry. */
bool cw_kilo_detector_clock(struct cw_kilo_detector *d, const struct cw_adapt_hazard_unit_word *e, uint64_t live,
                            struct cw_adapt_hazard_unit_result *result);
bool cw_kilo_detector_busy(const struct cw_kilo_detector *d);
/* Whether host memory has run out; answers are void from then on. */
bool cw_kilo_detector_failed(const struct cw_kilo_detector *d);

#endif
