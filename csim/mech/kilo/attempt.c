/* SPDX-License-Identifier: Apache-2.0 */
/* Kilo TM family, core half: begin and end of attempts, and what the other files of the core half do in common. */
#include <assert.h>

#include "mech/kilo/core_half.h"
#include "mech/tm/attempt.h"

/* The last attempt's reads leave the core's filter of running reads. */
static void forget_readers(struct cw_kilo_core *c, const struct cw_kilo_warp *w)
{
    if (!c->tm->early)
        return;
    for (uint32_t i = 0; i < w->log.read_cnt; i++)
        for (cw_lanes rest = w->log.read[i].lanes; rest != 0; rest = cw_lanes_rest(rest))
            --*cw_kilo__readers(c, w->log.read[i].addr[cw_lanes_first(rest)]);
}

void cw_kilo__begin_attempt(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    w->phase = CW_KILO_RUN;
    w->lanes = lanes;
    w->aborted = w->ready = w->losers = 0;
    w->begun = now;
    if (c->first_read != NULL)
        cw_adapt_first_read_table_begin(c->first_read, warp, lanes);
    forget_readers(c, w);
    cw_redo_log_clear(&w->log);
    cw_tell_lanes(&c->tm->host, CW_EVENT_REGION_BEGIN, cw_kilo__attempt_name(c, warp), lanes, now);
}

void cw_kilo__abort_lanes(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes, enum cw_kilo_abort cause, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    struct cw_tm_counters *counters = c->tm->common.counters;
    uint64_t *by_cause[] = {[CW_KILO_BY_VALIDATION] = &c->tm->counters->tx_aborted_validation,
                            [CW_KILO_BY_WARP] = &counters->tx_aborted_intra_warp,
                            [CW_KILO_EARLY] = &c->tm->counters->tx_aborted_early};
    static const char *const causes[] = {
        [CW_KILO_BY_VALIDATION] = "validation", [CW_KILO_BY_WARP] = "intra_warp", [CW_KILO_EARLY] = "early"};
    assert((lanes & (w->aborted | ~w->lanes)) == 0);
    if (lanes == 0)
        return;
    w->aborted |= lanes;
    counters->tx_aborted += cw_lanes_count(lanes);
    *by_cause[cause] += cw_lanes_count(lanes);
    cw_tell_aborts(&c->tm->host, cw_kilo__attempt_name(c, warp), lanes, causes[cause], now);
    cw_core_region_abort(c->core, warp, lanes);
}

void cw_kilo__seal(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    struct cw_tm_counters *counters = c->tm->common.counters;
    struct cw_write_set set = {0};
    for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
        cw_write_set_clear(&set);
        if (cw_write_set_merge(&set, &w->log, cw_lanes_one(lane), CW_GLOBAL_BASE, 5) != CW_OK)
            cw_mech_fault(&c->tm->host, CW_ENOMEM, "out of host memory for a write set");
        counters->tx_write_words += set.word_cnt;
        counters->tx_read_only += set.word_cnt == 0;
        cw_tell_commits(&c->tm->host, cw_kilo__attempt_name(c, warp), cw_lanes_one(lane), &set, now);
    }
    cw_write_set_free(&set);
    for (uint32_t i = 0; i < w->log.read_cnt; i++)
        counters->tx_read_words += cw_lanes_count(w->log.read[i].lanes & lanes);
    counters->tx_committed += cw_lanes_count(lanes);
    *c->tm->host.progress += cw_lanes_count(lanes);
}

void cw_kilo__accessed(const struct cw_kilo_warp *w, cw_lanes *reads, cw_lanes *writes)
{
    *reads = *writes = 0;
    for (uint32_t i = 0; i < w->log.read_cnt; i++)
        *reads |= w->log.read[i].lanes;
    for (uint32_t i = 0; i < w->log.write_cnt; i++)
        *writes |= w->log.write[i].lanes;
}

void cw_kilo__emit(struct cw_kilo_core *c, uint32_t warp, struct cw_message *p)
{
    p->core = (uint16_t)c->index;
    p->attempt = cw_core_attempt(c->core, warp);
    cw_access_emit(&c->access, warp, p);
}

void cw_kilo__read_log(struct cw_kilo_core *c, uint32_t warp, uint32_t total, bool write_log, uint32_t row, bool value, cw_time now)
{
    uint32_t max = c->tm->common.keys->tm_log_entries;
    cw_log_walk_read(&c->warp[warp].walk, c->core, warp, total, cw_redo_log_word(write_log, row % max, value, max), now);
}
