/* SPDX-License-Identifier: Apache-2.0 */
/* GETM, core half: an attempt of a warp from its begin to the restart of the lanes that lost. */
#include <assert.h>

#include "cowarp/unit/validation_unit.h"
#include "mech/getm/core_private.h"
#include "mech/getm/statistics.h"
#include "mech/tm/attempt.h"
#include "mech/tm/backoff.h"

struct cw_attempt_name cw_getm__attempt_name(const struct cw_getm_core *c, uint32_t warp)
{
    return (struct cw_attempt_name){.core = c->index, .warp = warp, .attempt = cw_core_attempt(c->core, warp)};
}

void cw_getm__wake_next(struct cw_getm_core *c, cw_time now)
{
    if (!c->stopped)
        cw_tokens_wake_next(&c->tokens, c->core, now);
}

void cw_getm__attempt_begin(struct cw_getm_core *c, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    w->phase = CW_GETM_RUN;
    w->lanes = lanes;
    w->aborted = w->ready = 0;
    w->requested = 0;
    w->cleaned = w->full = false;
    w->begun = now;
    w->next_warpts = w->warpts;
    cw_redo_log_clear(&w->log);
    cw_write_set_clear(&w->set);
    cw_getm__note_time(c->getm, w->warpts);
    if (w->warpts > c->largest)
        c->largest = w->warpts;
    cw_tell_lanes(&c->getm->host, CW_EVENT_REGION_BEGIN, cw_getm__attempt_name(c, warp), lanes, now);
}

void cw_getm__attempt_abort(struct cw_getm_core *c, uint32_t warp, cw_lanes lanes, uint32_t cause, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    struct cw_getm_counters *counters = c->getm->counters;
    struct cw_tm_counters *common = c->getm->common.counters;
    uint64_t *by_cause[] = {[CW_VU_ABORT] = &counters->tx_aborted_timestamp,
                            [CW_VU_FULL] = &counters->tx_aborted_stall_full,
                            [CW_VU_ROLLOVER] = &counters->tx_aborted_rollover,
                            [CW_GETM_INTRA_WARP] = &common->tx_aborted_intra_warp};
    static const char *const causes[] = {
        [CW_VU_ABORT] = "timestamp", [CW_VU_FULL] = "stall_full", [CW_VU_ROLLOVER] = "rollover", [CW_GETM_INTRA_WARP] = "intra_warp"};
    assert((lanes & (w->aborted | ~w->lanes)) == 0);
    if (lanes == 0)
        return;
    w->aborted |= lanes;
    w->full |= cause == CW_VU_FULL;
    common->tx_aborted += cw_lanes_count(lanes);
    *by_cause[cause] += cw_lanes_count(lanes);
    cw_tell_aborts(&c->getm->host, cw_getm__attempt_name(c, warp), lanes, causes[cause], now);
    cw_core_region_abort(c->core, warp, lanes);
}

void cw_getm__attempt_restart(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    const struct cw_tm_common *common = &c->getm->common;
    uint64_t delay = w->cleaned || w->full ? cw_backoff_cycles(common->keys, &c->rng, w->aborts) : 0;
    uint64_t held = cw_attempt_cycles(common, w->done, now);
    common->counters->tx_backoff_cycles += delay;
    cw_attempt_waited(common, (uint32_t)w->tx_lanes, delay + held);
    w->warpts = w->next_warpts;
    w->done = now + delay * cw_getm_period(c->getm, CW_DOMAIN_CORE);
    cw_core_region_end(c->core, warp, now, w->done); /* first: it gives the next attempt its number */
    cw_getm__attempt_begin(c, warp, w->aborted, w->done);
}
