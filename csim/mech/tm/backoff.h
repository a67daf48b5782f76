/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probabilistically increasing back-off (GETM V.A, [36]); the formula is the published simulator's: (aborts mod (r +
 * 1)) units with r uniform in 0 .. 9, at most a cap. aborts: attempts of this transaction that failed so far.
 */
#ifndef CW_MECH_TM_BACKOFF_H
#define CW_MECH_TM_BACKOFF_H

#include "base/rng.h"
#include "mech/tm/keys.h"

/* Core cycles to wait before the next attempt. */
static inline uint64_t cw_backoff_cycles(const struct cw_tm_keys *keys, struct cw_rng *rng, uint32_t aborts)
{
    uint64_t cycles = (uint64_t)(aborts % (cw_rng_below(rng, 10) + 1)) * keys->tm_backoff_cycles;
    return cycles < keys->tm_backoff_max_cycles ? cycles : keys->tm_backoff_max_cycles;
}

/* Linear back-off of Kilo TM ([art]; the thesis has none): one unit per attempt that failed, at most the cap. */
static inline uint64_t cw_backoff_linear_cycles(const struct cw_tm_keys *keys, uint32_t aborts)
{
    uint64_t cycles = (uint64_t)aborts * keys->tm_backoff_cycles;
    return cycles < keys->tm_backoff_max_cycles ? cycles : keys->tm_backoff_max_cycles;
}

#endif
