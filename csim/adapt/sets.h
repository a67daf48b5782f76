/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of a set-associative table of so many entries. */
#ifndef CW_ADAPT_SETS_H
#define CW_ADAPT_SETS_H

#include <stdbool.h>
#include <stdint.h>

#define CW_ADAPT_WAYS_MAX 8u

/* The most ways, 8 at most, with which the number of sets is a power of two from 2 on; false: there are none. */
static inline bool cw_adapt_sets(uint32_t entries, uint32_t *ways, uint32_t *set_bits)
{
    for (*ways = CW_ADAPT_WAYS_MAX; *ways > 0; --*ways) {
        const uint32_t sets = entries / *ways;
        if (sets < 2 || sets * *ways != entries || (sets & (sets - 1)) != 0)
            continue;
        *set_bits = (uint32_t)__builtin_ctz(sets);
        return true;
    }
    return false;
}

#endif
