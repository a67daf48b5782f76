/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two implementations of one unit, driven with the same inputs and compared output by output after every eval. The caller
 * sees the first one's outputs (the C model's). The first difference is reported once; the pair runs on afterwards.
 */
#ifndef CW_HARNESS_LOCKSTEP_H
#define CW_HARNESS_LOCKSTEP_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"
#include "cowarp/unit.h"
#include "rtl_library.h"

/* Where the pairs of one provider report; the first difference wins. Zero it before use. */
struct cw_lockstep_report {
    atomic_flag taken;
    atomic_int status; /* 0, or CW_EMISMATCH once error is complete */
    struct cw_error error;
};

struct cw_lockstep_options {
    const char *name;                     /* instance path, for the report; copied */
    const char *file;                     /* FST of the last cycles, written at the difference (lockstep_wave.h); NULL: none; copied */
    uint32_t ring_cycles;                 /* cycles kept for it; 0: 256; with a library at most 2048 */
    struct cw_lockstep_report *report;    /* not owned, outlives the pair */
    const struct cw_rtl_library *library; /* of the second instance, for its inner signals in the file; NULL: its outputs alone */
};

/* The ops of every pair; create is NULL, cw_lockstep_create stands for it. */
extern const struct cw_unit_ops cw_lockstep_ops;

/* Takes over both instances (destroys them with the pair, and on failure too). 0 or CW_ENOMEM. */
int cw_lockstep_create(void **self, const void *params, const struct cw_unit_instance *first, const struct cw_unit_instance *second,
                       const struct cw_lockstep_options *opt);

/* Clock cycles (ticks and resets) so far, and port values compared. */
uint64_t cw_lockstep_cycles(const void *self);
uint64_t cw_lockstep_checks(const void *self);

#endif
