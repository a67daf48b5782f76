/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics: one struct of 64-bit counters for the whole chip; name, unit and definition of each are in stats.def. */
#ifndef CW_BASE_STATS_H
#define CW_BASE_STATS_H

#include <stdint.h>

struct cw_stats {
#define X(field, unit, definition) uint64_t field;
#define M(field, unit, definition) uint64_t field;
#include "base/stats.def"
#undef X
#undef M
};

static inline void cw_stat_max(uint64_t *field, uint64_t value)
{
    if (value > *field)
        *field = value;
}

#endif
