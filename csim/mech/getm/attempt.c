/* SPDX-License-Identifier: Apache-2.0 */
/* GETM, core half: an attempt of a warp from its begin to the restart of the lanes that lost. */
#include "cowarp/unit/validation_unit.h"
#include "mech/getm/core_private.h"
#include "mech/getm/statistics.h"
#include "mech/tm/backoff.h"

void cw_getm__attempt_begun(void *self, uint32_t warp, cw_time now)
{
    struct cw_getm_core *c = self;
    struct cw_getm_warp *own = c->warp + warp;
    (void)now;
    own->requested = 0;
    own->refused = 0;
    own->cleaned = own->full = false;
    own->next_warpts = own->warpts;
    cw_write_set_clear(&own->set);
    cw_getm__note_time(c->getm, own->warpts);
    if (own->warpts > c->largest)
        c->largest = own->warpts;
}

void cw_getm__attempt_abort(struct cw_getm_core *c, uint32_t warp, cw_lanes lanes, uint32_t cause, cw_time now)
{
    struct cw_getm_counters *counters = c->getm->counters;
    uint64_t *const by_cause[] = {[CW_VU_ABORT] = &counters->tx_aborted_timestamp,
                                  [CW_VU_FULL] = &counters->tx_aborted_stall_full,
                                  [CW_VU_ROLLOVER] = &counters->tx_aborted_rollover,
                                  [CW_GETM_INTRA_WARP] = &c->getm->common.counters->tx_aborted_intra_warp};
    static const char *const causes[] = {
        [CW_VU_ABORT] = "timestamp", [CW_VU_FULL] = "stall_full", [CW_VU_ROLLOVER] = "rollover", [CW_GETM_INTRA_WARP] = "intra_warp"};
    if (lanes == 0)
        return;
    c->warp[warp].full |= cause == CW_VU_FULL;
    if (cause != CW_GETM_INTRA_WARP)
        c->warp[warp].refused |= lanes;
    cw_tm_core_abort(&c->half, warp, lanes, causes[cause], by_cause[cause], now);
}

void cw_getm__attempt_restart(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_getm_warp *own = c->warp + warp;
    const uint32_t patience = c->getm->keys->getm_patience, each = c->in_vain / c->half.tokens.used;
    const uint32_t failed = each < own->failed ? each : own->failed; /* one warp's bad luck is none where others of the core get on */
    uint64_t delay = 0;
    own->warpts = own->next_warpts;
    if (patience != 0 && failed > patience)
        delay = cw_backoff_growing_cycles(c->getm->common.keys, &c->half.rng, failed - patience,
                                          (now - c->half.warp[warp].begun) / c->half.period);
    else if (own->cleaned || own->full)
        delay = cw_backoff_cycles(c->getm->common.keys, &c->half.rng, c->half.warp[warp].aborts);
    cw_tm_core_restart(&c->half, warp, delay, now);
}
