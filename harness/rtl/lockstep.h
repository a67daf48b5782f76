/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two implementations of one unit, driven with the same inputs and compared output by output after every eval. The caller
 * sees the first one's outputs (the C model's). The first difference is reported once; the pair runs on afterwards.
 */
#ifndef CW_HARNESS_LOCKSTEP_H
#define CW_HARNESS_LOCKSTEP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cowarp/unit.h"
#include "rtl_library.h"

/* Where the pairs of one provider report; the first difference wins. Zero it before use. */
struct cw_lockstep_report {
    atomic_flag taken;
    atomic_int status; /* 0, or CW_EMISMATCH once error is complete */
    struct cw_error error;
    char name[64]; /* of the pair, complete with status */
};

/* One cycle: inputs, and the outputs of both. */
struct cw_lockstep_frame {
    bool reset; /* and nothing else happened */
    const void *in, *out[2];
};

struct cw_lockstep_film {
    const struct cw_unit *unit;
    const void *params;
    const char *name;                                                                    /* instance path */
    uint64_t first, last;                                                                /* cycles to show */
    bool (*frame)(const void *context, uint64_t cycle, struct cw_lockstep_frame *frame); /* false: nobody looked at the pair in it */
    const void *context;
    /* Its inner signals are shown when it can go back to its state before cycle `from`, at or before first, from which on all cycles have a
     * frame. NULL: its ports alone. It is in `last` afterwards, as it was. */
    const struct cw_rtl_library *library;
    void *self;
    const void *state;
    size_t state_size;
    uint64_t from;
};

/* Makes a file of it. 0, CW_EIO or CW_ENOMEM. */
typedef int cw_lockstep_wave_fn(const struct cw_lockstep_film *film, const char *path, struct cw_error *err);

struct cw_lockstep_options {
    const char *name;                     /* instance path, for the report; copied */
    cw_lockstep_wave_fn *wave;            /* shows the last cycles at the difference (cw_lockstep_wave); NULL: nobody */
    const char *file;                     /* what it writes; NULL: nothing; copied */
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
