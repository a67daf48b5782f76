/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every system with redo logs counts of the attempts of a warp. Waiting and execution are counted in core cycles, once per warp and
 * once per thread; counters.def says what belongs to which. What is told of attempts is in tell.h.
 */
#ifndef CW_MECH_TM_ATTEMPT_H
#define CW_MECH_TM_ATTEMPT_H

#include "mech/tm/keys.h"
#include "mech/tm/tm.h"

static inline uint64_t cw_attempt_cycles(const struct cw_tm_common *common, cw_time from, cw_time to)
{
    return (to - from) / common->host->clocks->period[CW_DOMAIN_CORE];
}

/* These lanes have waited, for a token or before a restart. */
static inline void cw_attempt_waited(const struct cw_tm_common *common, cw_lanes lanes, uint64_t cycles)
{
    common->counters->tx_wait_cycles += cycles;
    common->counters->tx_thread_wait_cycles += cycles * cw_lanes_count(lanes);
}

/* These lanes of a warp begin a transaction, for which they have waited since then; running: warps of the core with one. */
static inline void cw_attempt_admit(const struct cw_tm_common *common, cw_lanes lanes, uint32_t running, cw_time since, cw_time now)
{
    common->counters->tx_begun += cw_lanes_count(lanes);
    cw_attempt_waited(common, lanes, cw_attempt_cycles(common, since, now));
    cw_stat_max(&common->counters->tx_warps_max, running);
}

/* Lanes abort, so many cycles after their begin. by_cause: the counter of the cause. */
static inline void cw_attempt_aborted(const struct cw_tm_common *common, cw_lanes lanes, uint64_t cycles, uint64_t *by_cause)
{
    common->counters->tx_aborted += cw_lanes_count(lanes);
    common->counters->tx_aborted_cycles += cycles * cw_lanes_count(lanes);
    *by_cause += cw_lanes_count(lanes);
}

/* The attempt of these lanes, of the transaction's tx_lanes, is over. ended: when it reached tx_commit. */
static inline void cw_attempt_end(const struct cw_tm_common *common, cw_lanes tx_lanes, cw_lanes lanes, cw_time begun, cw_time ended,
                                  cw_time now)
{
    uint64_t took = cw_attempt_cycles(common, begun, now);
    common->counters->tx_commit_cycles += cw_attempt_cycles(common, ended, now);
    common->counters->tx_thread_exec_cycles += took * cw_lanes_count(lanes);
    common->counters->tx_thread_wait_cycles += took * cw_lanes_count(cw_lanes_without(tx_lanes, lanes));
}

#endif
