/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warp scheduler: which of the ready warps issues. Warps are bits of a 64-bit mask; a core with more slots has a word of such bits for each
 * 64 slots, and looks for the next or the oldest itself (issue.c). GTO: the warp that issued last while it can, else the oldest (by time of
 * its block's start, then by position in the block). LRR: the next warp after the one that issued last, cyclically.
 */
#ifndef CW_CORE_WARPS_SCHEDULER_H
#define CW_CORE_WARPS_SCHEDULER_H

#include <stdint.h>

struct cw_scheduler {
    uint64_t warps;   /* of the first 64 slots, those that belong to it */
    uint64_t free_at; /* core cycle from which it may issue again */
    uint32_t policy;  /* CW_SCHED_GTO or CW_SCHED_LRR */
    uint32_t last;    /* warp that issued last */
};

/* older[w]: resident warps older than w. Kept by cw_age_start and cw_age_end. */
struct cw_ages {
    uint64_t resident;
    uint64_t older[64];
};

static inline void cw_age_start(struct cw_ages *a, uint32_t warp)
{
    a->older[warp] = a->resident;
    a->resident |= UINT64_C(1) << warp;
}

static inline void cw_age_end(struct cw_ages *a, uint32_t warp)
{
    a->resident &= ~(UINT64_C(1) << warp);
    for (uint32_t w = 0; w < 64; w++)
        a->older[w] &= ~(UINT64_C(1) << warp);
}

/* One of the candidates (not 0). Does not change the scheduler. */
static inline uint32_t cw_scheduler_pick(const struct cw_scheduler *s, const struct cw_ages *ages, uint64_t candidates)
{
    if (s->policy == 0) { /* CW_SCHED_GTO */
        if ((candidates >> s->last & 1u) != 0)
            return s->last;
        uint32_t w = (uint32_t)__builtin_ctzll(candidates);
        for (uint64_t older; (older = ages->older[w] & candidates) != 0;)
            w = (uint32_t)__builtin_ctzll(older);
        return w;
    }
    uint64_t after = s->last < 63 ? candidates & ~UINT64_C(0) << (s->last + 1) : 0;
    return (uint32_t)__builtin_ctzll(after != 0 ? after : candidates);
}

#endif
