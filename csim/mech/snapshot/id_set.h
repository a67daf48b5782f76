/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshot isolation: a set of transaction IDs. */
#ifndef CW_MECH_SNAPSHOT_ID_SET_H
#define CW_MECH_SNAPSHOT_ID_SET_H

#include <stdbool.h>
#include <stdint.h>

#define CW_SI_SET_WORDS 16u

/* IDs, a bit each. */
struct cw_si_set {
    uint64_t bits[CW_SI_SET_WORDS];
};

static inline bool cw_si_set_has(const struct cw_si_set *s, uint32_t id)
{
    return s->bits[id / 64] >> id % 64 & 1;
}

static inline void cw_si_set_put(struct cw_si_set *s, uint32_t id, bool in)
{
    const uint64_t bit = UINT64_C(1) << id % 64;
    s->bits[id / 64] = in ? s->bits[id / 64] | bit : s->bits[id / 64] & ~bit;
}

#endif
