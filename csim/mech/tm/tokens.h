/* SPDX-License-Identifier: Apache-2.0 */
/* Transaction tokens of one core: at most tm.warps warps run transactions at once; the others wait in order of arrival. */
#ifndef CW_MECH_TM_TOKENS_H
#define CW_MECH_TM_TOKENS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "core/core.h"

#define CW_TOKENS_WARPS 64

struct cw_tokens {
    uint32_t limit; /* 0: unlimited */
    uint32_t used;
    uint64_t queued; /* bit w: warp w waits */
    uint8_t queue[CW_TOKENS_WARPS];
    struct cw_ring ring;
};

static inline bool cw_tokens_free(const struct cw_tokens *t)
{
    return t->limit == 0 || t->used < t->limit;
}

/* Joins the queue, if not there yet. */
static inline void cw_tokens_wait(struct cw_tokens *t, uint32_t warp)
{
    if (t->queued >> warp & 1)
        return;
    t->queued |= UINT64_C(1) << warp;
    t->queue[cw_ring_add(&t->ring, CW_TOKENS_WARPS)] = (uint8_t)warp;
}

/* Takes a token, or joins the queue. A warp never overtakes one that waits. */
static inline bool cw_tokens_take(struct cw_tokens *t, uint32_t warp)
{
    bool first = t->ring.cnt == 0 || t->queue[t->ring.head] == warp;
    if (!first || !cw_tokens_free(t)) {
        cw_tokens_wait(t, warp);
        return false;
    }
    if (t->ring.cnt > 0) {
        t->queued &= ~(UINT64_C(1) << warp);
        cw_ring_take(&t->ring, CW_TOKENS_WARPS);
    }
    t->used++;
    return true;
}

static inline void cw_tokens_release(struct cw_tokens *t)
{
    t->used--;
}

/* The waiting warp that could take a token now, or -1. */
static inline int cw_tokens_next(const struct cw_tokens *t)
{
    return t->ring.cnt > 0 && cw_tokens_free(t) ? t->queue[t->ring.head] : -1;
}

/* The core asks on behalf of that warp again. */
static inline void cw_tokens_wake_next(const struct cw_tokens *t, struct cw_core *core, cw_time now)
{
    const int warp = cw_tokens_next(t);
    if (warp >= 0)
        cw_core_wake_warp(core, (uint32_t)warp, now);
}

#endif
