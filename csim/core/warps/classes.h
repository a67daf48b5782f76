/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each active cycle of a core belongs to one class (Fung 2015, Figure 3.11): the number of threads of the instruction that has the issue
 * slot, or why none has.
 *
 * Fields: classes.c, issue.c, core.c, warp.c, saved.c.
 */
#ifndef CW_CORE_WARPS_CLASSES_H
#define CW_CORE_WARPS_CLASSES_H

#include <stdint.h>

#include "core/core.h"

/* Why no warp issues. */
enum cw_gap { CW_GAP_STALL, CW_GAP_MEM, CW_GAP_IDLE };

struct cw_classes {
    uint64_t active;                          /* core_active_cycles are counted up to this cycle, exclusive */
    uint64_t counted;                         /* classes are counted up to this one, exclusive; with the issue slot taken it lies ahead */
    uint64_t *slot;                           /* the counter that got the cycles for which the slot is taken */
    enum cw_gap gap;                          /* what those from `counted` on are, until an instruction issues */
    uint64_t *threads[CW_WARP_LANES_MAX + 1]; /* [threads]: the counter of an instruction's cycles */
};

static inline uint64_t *cw_core__gap_counter(struct cw_stats *s, enum cw_gap gap)
{
    return gap == CW_GAP_STALL ? &s->core_stall : gap == CW_GAP_MEM ? &s->core_w0_mem : &s->core_w0_idle;
}

/* The cycles up to that one, exclusive, had no instruction. */
static inline void cw_classes_count_gap(struct cw_classes *k, struct cw_stats *stats, uint64_t cycle)
{
    *cw_core__gap_counter(stats, k->gap) += cycle - k->counted;
    k->counted = cycle;
}

#endif
