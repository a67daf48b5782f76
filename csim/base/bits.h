/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about the bits of a number. */
#ifndef CW_BASE_BITS_H
#define CW_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* 0 is none. */
static inline bool cw_is_power_of_two(uint64_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

#endif
