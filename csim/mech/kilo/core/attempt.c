/* SPDX-License-Identifier: Apache-2.0 */
/* Kilo TM family, core half: begin and end of attempts, and what the other files of the core half do in common. */
#include "mech/kilo/core/core_half.h"

/* The last attempt's reads leave the core's filter of running reads. */
static void forget_readers(struct cw_kilo_core *c, const struct cw_redo_log *log)
{
    if (!c->tm->system->early)
        return;
    for (uint32_t i = 0; i < log->read_cnt; i++)
        for (cw_lanes rest = log->read[i].lanes; rest != 0; rest = cw_lanes_rest(rest))
            --*cw_kilo__readers(c, log->read[i].addr[cw_lanes_first(rest)]);
}

void cw_kilo__begun(void *self, uint32_t warp, cw_time now)
{
    struct cw_kilo_core *c = self;
    const struct cw_tm_warp *w = c->half.warp + warp;
    (void)now;
    c->warp[warp].losers = c->warp[warp].refused = 0;
    if (c->first_read != NULL)
        cw_adapt_first_read_table_begin(c->first_read, warp, w->lanes);
    forget_readers(c, &w->log);
}

void cw_kilo__abort_lanes(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes, enum cw_kilo_abort cause, cw_time now)
{
    uint64_t *const by_cause[] = {[CW_KILO_BY_VALIDATION] = &c->tm->counters->tx_aborted_validation,
                                  [CW_KILO_BY_WARP] = &c->tm->common.counters->tx_aborted_intra_warp,
                                  [CW_KILO_EARLY] = &c->tm->counters->tx_aborted_early};
    static const char *const causes[] = {
        [CW_KILO_BY_VALIDATION] = "validation", [CW_KILO_BY_WARP] = "intra_warp", [CW_KILO_EARLY] = "early"};
    cw_tm_core_abort(&c->half, warp, lanes, causes[cause], by_cause[cause], now);
}

void cw_kilo__accessed(const struct cw_redo_log *log, cw_lanes *reads, cw_lanes *writes)
{
    *reads = *writes = 0;
    for (uint32_t i = 0; i < log->read_cnt; i++)
        *reads |= log->read[i].lanes;
    for (uint32_t i = 0; i < log->write_cnt; i++)
        *writes |= log->write[i].lanes;
}
