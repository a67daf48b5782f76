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
#include "mech/kilo/core_half.h"
#include "mech/tm/intra_warp.h"

bool cw_kilo__resolve_needed(const struct cw_kilo_core *c, const struct cw_kilo_warp *w)
{
    return c->tm->resolution != CW_KILO_NONE && cw_lanes_count(w->ready) >= 2 && w->log.write_cnt > 0;
}

static bool sequential(const struct cw_kilo *tm)
{
    return tm->resolution == CW_KILO_SCR || tm->resolution == CW_KILO_SCR_FREE;
}

static void enter(struct cw_kilo_warp *w, enum cw_kilo_phase phase)
{
    w->phase = phase;
    w->walk = (struct cw_log_walk){0};
}

static void decide(struct cw_kilo_core *c, struct cw_kilo_warp *w)
{
    if (sequential(c->tm))
        w->losers = cw_intra_warp_sequential(&w->log, w->ready, c->table, c->tm->keys->warptm_scr_bits);
    else
        w->losers = cw_intra_warp_resolve(&w->log, w->ready, c->table, c->tm->common.keys->tm_ownership_entries);
}

static bool over(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    w->ready &= ~w->losers;
    cw_kilo__abort_lanes(c, warp, w->losers, CW_KILO_BY_WARP, now);
    return true;
}

static void clear_filter_step(struct cw_kilo_core *c, struct cw_kilo_warp *w, cw_time now)
{
    uint32_t accesses = cw_intra_warp_init_accesses(c->tm->keys->warptm_scr_bits / 8);
    if (!cw_core_take_shared(c->core, now) || ++w->walk.step < accesses)
        return;
    decide(c, w);
    enter(w, CW_KILO_SCAN);
    w->unscanned = w->ready;
    w->adding = false;
}

/* Rows of the lane: of both logs, reads first, or of the write log. */
static uint32_t lane_rows(const struct cw_kilo_warp *w, uint32_t lane, bool reads)
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; reads && i < w->log.read_cnt; i++)
        cnt += cw_lanes_has(w->log.read[i].lanes, lane);
    for (uint32_t i = 0; i < w->log.write_cnt; i++)
        cnt += cw_lanes_has(w->log.write[i].lanes, lane);
    return cnt;
}

/* The n-th of them; at least read_cnt: a row of the write log. */
static uint32_t lane_row(const struct cw_kilo_warp *w, uint32_t lane, bool reads, uint32_t n)
{
    uint32_t row = reads ? 0 : w->log.read_cnt, end = w->log.read_cnt + w->log.write_cnt;
    for (; row < end; row++) {
        cw_lanes lanes = row < w->log.read_cnt ? w->log.read[row].lanes : w->log.write[row - w->log.read_cnt].lanes;
        if (cw_lanes_has(lanes, lane) && n-- == 0)
            break;
    }
    return row;
}

/* SCR: the lowest lane looks for the words of its logs in the filter. If none is there, it adds those that it writes. Only then the next
 * lane begins, whose answer depends on that: of a log access's latency nothing is hidden but behind the lane's own. */
static bool scan_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    uint32_t lane = cw_lanes_first(w->unscanned), reads = w->log.read_cnt, total = lane_rows(w, lane, !w->adding);
    if (w->walk.read < total) {
        uint32_t row = lane_row(w, lane, !w->adding, w->walk.read);
        cw_kilo__read_log(c, warp, total, row >= reads, row >= reads ? row - reads : row, false, now);
    }
    if (w->walk.step < w->walk.back && cw_core_take_shared(c->core, now))
        w->walk.step++;
    if (w->walk.step < total)
        return false;
    w->walk = (struct cw_log_walk){0};
    w->adding = !w->adding && !cw_lanes_has(w->losers, lane);
    if (!w->adding)
        w->unscanned = cw_lanes_rest(w->unscanned);
    if (w->unscanned != 0)
        return false;
    c->resolving--;
    return over(c, warp, now);
}

static bool sequential_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    if (w->phase == CW_KILO_SCAN)
        return scan_step(c, warp, now);
    if (w->phase == CW_KILO_INIT) {
        clear_filter_step(c, w, now);
    } else if (c->resolving < c->tm->common.keys->tm_resolvers) {
        c->resolving++;
        enter(w, CW_KILO_INIT);
    }
    return false;
}

static bool table_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    const struct cw_resolvers_job job = {.warp = warp, .table = w->resolver, .log = &w->log, .walk = &w->walk};
    cw_lanes survivors;
    if (w->phase == CW_KILO_QUEUE && cw_resolvers_start(&c->resolvers, w->ready, &w->resolver, now)) {
        enter(w, CW_KILO_INIT);
    } else if (w->phase == CW_KILO_INIT && cw_resolvers_clear(&c->resolvers, w->resolver, now)) {
        enter(w, CW_KILO_MARK);
    } else if (w->phase == CW_KILO_MARK && cw_resolvers_mark(&c->resolvers, &job, now)) {
        enter(w, CW_KILO_CHECK);
    } else if (w->phase == CW_KILO_CHECK && cw_resolvers_check(&c->resolvers, &job, &survivors, now)) {
        w->losers = w->ready & ~survivors;
        return over(c, warp, now);
    }
    return false;
}

bool cw_kilo__resolve_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    bool is_free = c->tm->resolution == CW_KILO_SCR_FREE || c->tm->resolution == CW_KILO_2PCR_FREE;
    if (w->phase == CW_KILO_QUEUE && is_free) {
        decide(c, w);
        return over(c, warp, now);
    }
    return sequential(c->tm) ? sequential_step(c, warp, now) : table_step(c, warp, now);
}
