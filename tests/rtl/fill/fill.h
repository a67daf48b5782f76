/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fill stimuli of the units have in common (docs/coverage.md, "Full, empty, and full again"). A unit's stimulus is
 * tests/rtl/fill/<unit>.h, which its test includes after it has the types params_t, in_t and out_t; what it must reach is <unit>.txt beside it.
 */
#ifndef CW_TESTS_RTL_FILL_H
#define CW_TESTS_RTL_FILL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "lockstep_driver.h"

static inline uint64_t fill_mask(uint32_t width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/* The n-th of many different values of that width, in no order: the factor is odd. */
static inline uint64_t fill_value(uint64_t n, uint32_t width)
{
    return n * 0x9e3779b97f4a7c15u & fill_mask(width);
}

/* The test test_<unit>__fills: `next` makes the inputs of a cycle, and `struct fill` is where it is. */
#define FILL_TEST(name, end_sets, all_cycles, most_cycles)                                            \
    static struct fill fill_state;                                                                    \
    static void test_##name##__fills(void **state)                                                    \
    {                                                                                                 \
        static const struct cw_lockstep_fill fill = {.unit = &DUT_UNIT,                               \
                                                     .ends = end_sets,                                \
                                                     .end_cnt = sizeof end_sets / sizeof end_sets[0], \
                                                     .cycles = all_cycles,                            \
                                                     .largest_cycles = most_cycles,                   \
                                                     .constrain = fill_next,                          \
                                                     .context = &fill_state,                          \
                                                     .context_size = sizeof fill_state};              \
        (void)state;                                                                                  \
        cw_lockstep_fill(&fill);                                                                      \
    }

#endif
