/* SPDX-License-Identifier: Apache-2.0 */
/* The last cycles of a lockstep pair as an FST file, under the names of a run's waves: the C model's ports in cowarp.<instance>, the RTL in
 * <instance>. */
#ifndef CW_HARNESS_LOCKSTEP_WAVE_H
#define CW_HARNESS_LOCKSTEP_WAVE_H

#include <stdbool.h>

#include "base/error.h"
#include "cowarp/unit.h"
#include "rtl_library.h"

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

/* A cycle lasts a nanosecond; the cycle counter is cowarp.cycle, and cowarp.trigger is 1 in the last one. CW_OK, CW_EIO or CW_ENOMEM. */
int cw_lockstep_wave(const struct cw_lockstep_film *film, const char *path, struct cw_error *err);

#endif
