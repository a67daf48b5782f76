/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An undo log in persistent memory, for one batch of writes that become durable as a whole or not at all. Each writer has a partition of
 * its own, with room for one entry; its head says whether the entry counts. The log counts as long as `valid` is set:
 *
 *     log_begin; writers: log_old(), then the new value, dfence(); log_end; log_clear
 *
 * A recovery finds `valid` set and puts back what the entries say, or finds it clear and clears the heads that are left.
 */
#ifndef KERNELS_UNDO_LOG_H
#define KERNELS_UNDO_LOG_H

#include "persist.h"

/* Keeps what is at `place` now: two words. Later persists of the thread come after it. */
static inline void log_old(__global uint4 *entry, __global uint *head, uint writer, uint place, uint first, uint second)
{
    entry[writer] = (uint4)(place, first, second, 0);
    ofence();
    head[writer] = 1;
    ofence();
}

__kernel void log_begin(__global uint *valid)
{
    *valid = 1;
    dfence();
}

__kernel void log_end(__global uint *valid)
{
    *valid = 0;
    dfence();
}

__kernel void log_clear(__global uint *head, uint writers)
{
    uint i = get_global_id(0);
    if (i < writers)
        head[i] = 0;
    dfence();
}

#endif
