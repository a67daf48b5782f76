/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XORWOW (Marsaglia, Xorshift RNGs, J. Stat. Software 8(14), 2003, section 3.1) as cuRAND seeds it, in 4,096 sequences that are 2^67 steps
 * apart.
 */
#ifndef CW_HARNESS_HOSTLIB_XORWOW_H
#define CW_HARNESS_HOSTLIB_XORWOW_H

#include <stdint.h>

#define CW_XORWOW_SEQUENCES 4096u

struct cw_xorwow {
    uint32_t v[5], d;
};

/* All sequences at their first word. */
void cw_xorwow_seed(struct cw_xorwow sequence[CW_XORWOW_SEQUENCES], uint64_t seed);
uint32_t cw_xorwow_next(struct cw_xorwow *s);

#endif
