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

/*
 * For who has failed too often: uniform below a window that doubles with each further attempt, from two units up to 64. The unit is at least
 * as long as the attempt that has failed. The formula above never waits longer than nine units of tm.backoff_cycles, so transactions that
 * take longer than that go on meeting each other in the same order.
 */
static inline uint64_t cw_backoff_growing_cycles(const struct cw_tm_keys *keys, struct cw_rng *rng, uint32_t doublings,
                                                 uint64_t attempt_cycles)
{
    const uint64_t unit = attempt_cycles > keys->tm_backoff_cycles ? attempt_cycles : keys->tm_backoff_cycles;
    const uint64_t window = unit << (doublings < 6 ? doublings : 6);
    return window == 0 ? 0 : cw_rng_below(rng, window < UINT32_MAX ? (uint32_t)window : UINT32_MAX);
}

/* Linear back-off of Kilo TM ([art]; the thesis has none): one unit per attempt that failed, at most the cap. */
static inline uint64_t cw_backoff_linear_cycles(const struct cw_tm_keys *keys, uint32_t aborts)
{
    uint64_t cycles = (uint64_t)aborts * keys->tm_backoff_cycles;
    return cycles < keys->tm_backoff_max_cycles ? cycles : keys->tm_backoff_max_cycles;
}

#endif
