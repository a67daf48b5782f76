/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kilo TM family, core half: intra-warp conflict resolution (Fung 2015, 6.3) between tx_commit and the commit units.
 *
 *   2PCR  clears its ownership table (128 entries per shared-memory access); per write row a log read and a shared-memory access, and
 * another one when a lane enters itself; then per read row and write row a log read and a shared-memory access SCR   clears its filter;
 * then for every lane, per entry of its logs a log read and a shared-memory access
 *
 * The log unit reads through the L1 port, one access per cycle; warps in resolution share it and the shared memory.
 */
#include <assert.h>

#include "tm/intra_warp.h"
#include "tm/kilo_state.h"

bool cw_kilo__resolve_needed(const struct cw_kilo_core *c, const struct cw_kilo_warp *w)
{
    return c->tm->resolution != CW_KILO_NONE && cw_kilo_lane_cnt(w->ready) >= 2 && w->log.write_cnt > 0;
}

static bool sequential(const struct cw_tm *tm)
{
    return tm->resolution == CW_KILO_SCR || tm->resolution == CW_KILO_SCR_FREE;
}

static void enter(struct cw_kilo_warp *w, enum cw_kilo_phase phase)
{
    w->phase = phase;
    w->step = w->read = w->back = 0;
    w->half = false;
}

void cw_kilo__read_log(struct cw_kilo_core *c, uint32_t warp, uint32_t total, bool write_log, uint32_t row, bool value, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    uint32_t max = c->tm->config->tm_log_entries;
    if (w->read < total &&
        cw_core_tx_log_access(c->core, warp, cw_redo_log_word(write_log, row % max, value, max), false, CW_LOG_COOKIE_RESOLVE, now))
        w->read++;
}

static void decide(struct cw_kilo_core *c, struct cw_kilo_warp *w)
{
    const struct cw_config *config = c->tm->config;
    if (sequential(c->tm))
        w->losers = cw_intra_warp_sequential(&w->log, w->ready, c->table, config->warptm_scr_bits);
    else
        w->losers = cw_intra_warp_resolve(&w->log, w->ready, c->table, config->tm_ownership_entries);
}

static bool over(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    w->ready &= ~w->losers;
    cw_kilo__abort_lanes(c, warp, w->losers, CW_KILO_BY_WARP, now);
    return true;
}

static void init_step(struct cw_kilo_core *c, struct cw_kilo_warp *w, cw_time now)
{
    const struct cw_config *config = c->tm->config;
    uint32_t entries = sequential(c->tm) ? config->warptm_scr_bits / 8 : config->tm_ownership_entries;
    if (!cw_core_tx_shared_access(c->core, now) || ++w->step < cw_intra_warp_init_accesses(entries))
        return;
    decide(c, w);
    enter(w, sequential(c->tm) ? CW_KILO_SCAN : CW_KILO_MARK);
}

static void mark_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    cw_kilo__read_log(c, warp, w->log.write_cnt, true, w->read, false, now);
    if (w->step < w->back && cw_core_tx_shared_access(c->core, now)) {
        w->half = !w->half && w->log.write[w->step].marked;
        if (!w->half)
            w->step++;
    }
    if (w->step == w->log.write_cnt)
        enter(w, CW_KILO_CHECK);
}

/* Accesses of a pass over both logs; SCR makes one per lane. */
static bool check_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    uint32_t reads = w->log.read_cnt, pass = reads + w->log.write_cnt;
    uint32_t total = w->phase == CW_KILO_SCAN ? pass * cw_kilo_lane_cnt(w->ready) : pass, row = w->read % pass;
    cw_kilo__read_log(c, warp, total, row >= reads, row >= reads ? row - reads : row, false, now);
    if (w->step < w->back && cw_core_tx_shared_access(c->core, now))
        w->step++;
    if (w->step < total)
        return false;
    c->resolving--;
    return over(c, warp, now);
}

bool cw_kilo__resolve_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    bool is_free = c->tm->resolution == CW_KILO_SCR_FREE || c->tm->resolution == CW_KILO_2PCR_FREE;
    if (w->phase == CW_KILO_QUEUE && is_free) {
        decide(c, w);
        return over(c, warp, now);
    }
    if (w->phase == CW_KILO_QUEUE && c->resolving < c->tm->config->tm_resolvers) {
        c->resolving++;
        enter(w, CW_KILO_INIT);
    } else if (w->phase == CW_KILO_INIT) {
        init_step(c, w, now);
    } else if (w->phase == CW_KILO_MARK) {
        mark_step(c, warp, now);
    } else if (w->phase == CW_KILO_CHECK || w->phase == CW_KILO_SCAN) {
        return check_step(c, warp, now);
    }
    return false;
}
