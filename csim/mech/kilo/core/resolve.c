/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kilo TM family, core half: intra-warp conflict resolution (Fung 2015, 6.3) between tx_commit and the commit units.
 *
 *   2PCR  an ownership table (resolver.h) is cleared; every write row goes to it (MARK), then every read row and every write row (CHECK),
 *         each when its addresses have been read from the log; the table's cycles are its own
 *   SCR   clears its filter; then lane after lane, a log read and a shared-memory access per entry of both logs, to look, and per entry of
 *         the write log, to add
 *
 * The log unit reads through the L1 port, one access per cycle; warps in resolution share it and the shared memory.
 */
#include "mech/kilo/core/core_half.h"
#include "mech/tm/intra_warp.h"

static bool sequential(const struct cw_kilo *tm)
{
    return tm->resolution == CW_KILO_SCR || tm->resolution == CW_KILO_SCR_FREE;
}

static void decide(struct cw_kilo_core *c, uint32_t warp)
{
    const struct cw_tm_warp *w = c->half.warp + warp;
    if (sequential(c->tm))
        c->warp[warp].losers = cw_intra_warp_sequential(&w->log, w->ready, c->table, c->tm->keys->warptm_scr_bits);
    else
        c->warp[warp].losers = cw_intra_warp_resolve(&w->log, w->ready, c->table, c->tm->common.keys->tm_ownership_entries);
}

static bool over(struct cw_kilo_core *c, uint32_t warp, cw_lanes losers, cw_time now)
{
    struct cw_tm_warp *w = c->half.warp + warp;
    cw_tell_losers(c->half.common->host, cw_tm_core_name(&c->half, warp), &w->log, w->ready | losers, losers, now);
    w->ready &= ~losers;
    cw_kilo__abort_lanes(c, warp, losers, CW_KILO_BY_WARP, now);
    return true;
}

static void clear_filter_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_tm_warp *w = c->half.warp + warp;
    uint32_t accesses = cw_intra_warp_init_accesses(c->tm->keys->warptm_scr_bits / 8);
    if (!cw_core_take_shared(c->half.core, now) || ++w->walk.step < accesses)
        return;
    decide(c, warp);
    cw_tm_core_enter(w, CW_KILO_SCAN);
    c->warp[warp].unscanned = w->ready;
    c->warp[warp].adding = false;
}

/* Rows of the lane: of both logs, reads first, or of the write log. */
static uint32_t lane_rows(const struct cw_redo_log *log, uint32_t lane, bool reads)
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; reads && i < log->read_cnt; i++)
        cnt += cw_lanes_has(log->read[i].lanes, lane);
    for (uint32_t i = 0; i < log->write_cnt; i++)
        cnt += cw_lanes_has(log->write[i].lanes, lane);
    return cnt;
}

/* The n-th of them; at least read_cnt: a row of the write log. */
static uint32_t lane_row(const struct cw_redo_log *log, uint32_t lane, bool reads, uint32_t n)
{
    uint32_t row = reads ? 0 : log->read_cnt, end = log->read_cnt + log->write_cnt;
    for (; row < end; row++) {
        cw_lanes lanes = row < log->read_cnt ? log->read[row].lanes : log->write[row - log->read_cnt].lanes;
        if (cw_lanes_has(lanes, lane) && n-- == 0)
            break;
    }
    return row;
}

/* SCR: the lowest lane looks for the words of its logs in the filter. If none is there, it adds those that it writes. Only then the next
 * lane begins, whose answer depends on that: of a log access's latency nothing is hidden but behind the lane's own. */
static bool scan_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_tm_warp *w = c->half.warp + warp;
    struct cw_kilo_warp *own = c->warp + warp;
    const uint32_t lane = cw_lanes_first(own->unscanned), reads = w->log.read_cnt, total = lane_rows(&w->log, lane, !own->adding);
    if (w->walk.read < total) {
        const uint32_t row = lane_row(&w->log, lane, !own->adding, w->walk.read), max = c->tm->common.keys->tm_log_entries;
        const uint32_t word = cw_redo_log_word(row >= reads, (row >= reads ? row - reads : row) % max, false, max);
        cw_log_walk_read(&w->walk, c->half.core, warp, total, word, now);
    }
    if (w->walk.step < w->walk.back && cw_core_take_shared(c->half.core, now))
        w->walk.step++;
    if (w->walk.step < total)
        return false;
    w->walk = (struct cw_log_walk){0};
    own->adding = !own->adding && !cw_lanes_has(own->losers, lane);
    if (!own->adding)
        own->unscanned = cw_lanes_rest(own->unscanned);
    if (own->unscanned != 0)
        return false;
    c->resolving--;
    return over(c, warp, own->losers, now);
}

static bool sequential_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_tm_warp *w = c->half.warp + warp;
    if (w->phase == CW_KILO_SCAN)
        return scan_step(c, warp, now);
    if (w->phase == CW_TM_CLEAR) {
        clear_filter_step(c, warp, now);
    } else if (c->resolving < c->tm->common.keys->tm_resolvers) {
        c->resolving++;
        cw_tm_core_enter(w, CW_TM_CLEAR);
    }
    return false;
}

bool cw_kilo__resolve_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    const bool is_free = c->tm->resolution == CW_KILO_SCR_FREE || c->tm->resolution == CW_KILO_2PCR_FREE;
    cw_lanes losers;
    if (c->half.warp[warp].phase == CW_TM_QUEUE && is_free) {
        decide(c, warp);
        return over(c, warp, c->warp[warp].losers, now);
    }
    if (sequential(c->tm))
        return sequential_step(c, warp, now);
    return cw_tm_core_resolve(&c->half, warp, &losers, now) && over(c, warp, losers, now);
}
