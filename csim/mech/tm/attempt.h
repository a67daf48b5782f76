/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every system with redo logs counts of the attempts of a warp, and tells the oracle of them. Waiting and execution are counted in
 * core cycles, once per warp and once per thread; csim/base/stats.def says what belongs to which.
 */
#ifndef CW_MECH_TM_ATTEMPT_H
#define CW_MECH_TM_ATTEMPT_H

#include "mech/tm/tm.h"

static inline uint64_t cw_attempt_cycles(const struct cw_mech_host *cfg, cw_time from, cw_time to)
{
    return (to - from) / cfg->clocks->period[CW_DOMAIN_CORE];
}

/* These lanes have waited, for a token or before a restart. */
static inline void cw_attempt_waited(const struct cw_mech_host *cfg, uint32_t lanes, uint64_t cycles)
{
    cfg->stats->tx_wait_cycles += cycles;
    cfg->stats->tx_thread_wait_cycles += cycles * (uint32_t)__builtin_popcount(lanes);
}

/* These lanes of a warp begin a transaction, for which they have waited since then; running: warps of the core with one. */
static inline void cw_attempt_admit(const struct cw_mech_host *cfg, uint32_t lanes, uint32_t running, cw_time since, cw_time now)
{
    cfg->stats->tx_begun += (uint32_t)__builtin_popcount(lanes);
    cw_attempt_waited(cfg, lanes, cw_attempt_cycles(cfg, since, now));
    cw_stat_max(&cfg->stats->tx_warps_max, running);
}

/* Lanes begin an attempt; fills the observer's numbers of these. */
static inline void cw_attempt_begin(const struct cw_mech_host *cfg, uint64_t attempt[CW_LANES], uint32_t core, uint32_t warp,
                                    uint32_t lanes, cw_time now)
{
    const struct cw_tm_observer *o = cfg->observer;
    for (uint32_t rest = o != NULL ? lanes : 0; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        attempt[lane] = o->begin(o->self, core, warp, lane, now);
    }
}

/* Lanes abort. by_cause: the counter of the cause. */
static inline void cw_attempt_abort(const struct cw_mech_host *cfg, const uint64_t attempt[CW_LANES], uint32_t lanes, uint64_t *by_cause,
                                    cw_time now)
{
    const struct cw_tm_observer *o = cfg->observer;
    cfg->stats->tx_aborted += (uint32_t)__builtin_popcount(lanes);
    *by_cause += (uint32_t)__builtin_popcount(lanes);
    for (uint32_t rest = o != NULL ? lanes : 0; rest != 0; rest &= rest - 1)
        o->abort(o->self, attempt[__builtin_ctz(rest)], now);
}

/* The attempt of these lanes, of the transaction's tx_lanes, is over. ended: when it reached tx_commit. */
static inline void cw_attempt_end(const struct cw_mech_host *cfg, uint32_t tx_lanes, uint32_t lanes, cw_time begun, cw_time ended,
                                  cw_time now)
{
    uint64_t took = cw_attempt_cycles(cfg, begun, now);
    cfg->stats->tx_commit_cycles += cw_attempt_cycles(cfg, ended, now);
    cfg->stats->tx_thread_exec_cycles += took * (uint32_t)__builtin_popcount(lanes);
    cfg->stats->tx_thread_wait_cycles += took * (uint32_t)__builtin_popcount(tx_lanes & ~lanes);
}

#endif
