/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kilo TM family, core half: intra-warp conflict resolution (Fung 2015, 6.3) between tx_commit and the commit units.
 *
 *   2PCR  an ownership table (resolver.h) is cleared; every write row goes to it (MARK), then every read row and every write row (CHECK),
 *         each when its addresses have been read from the log; the table's cycles are its own
 *   SCR   clears its filter; then for every lane, per entry of its logs a log read and a shared-memory access
 *
 * The log unit reads through the L1 port, one access per cycle; warps in resolution share it and the shared memory.
 */
#include <assert.h>

#include "tm/intra_warp.h"
#include "tm/kilo_state.h"
#include "tm/resolver.h"

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
    if (!sequential(c->tm)) {
        if (cw_resolver_clock(c->resolver[w->resolver], c->core, NULL, now).cleared)
            enter(w, CW_KILO_MARK);
        return;
    }
    if (!cw_core_tx_shared_access(c->core, now) || ++w->step < cw_intra_warp_init_accesses(c->tm->config->warptm_scr_bits / 8))
        return;
    decide(c, w);
    enter(w, CW_KILO_SCAN);
}

static void mark_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    cw_kilo__read_log(c, warp, w->log.write_cnt, true, w->read, false, now);
    const struct cw_write_row *row = w->log.write + w->step;
    struct cw_resolver_op op = {.kind = CW_OWNERSHIP_MARK};
    if (w->step < w->back) {
        op.lanes = row->lanes;
        op.addr = row->addr;
    }
    w->step += cw_resolver_clock(c->resolver[w->resolver], c->core, w->step < w->back ? &op : NULL, now).taken;
    if (w->step == w->log.write_cnt)
        enter(w, CW_KILO_CHECK);
}

/* The pass over both logs, and END; true when the result is there. */
static bool table_check_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    uint32_t reads = w->log.read_cnt, total = reads + w->log.write_cnt;
    cw_kilo__read_log(c, warp, total, w->read >= reads, w->read >= reads ? w->read - reads : w->read, false, now);
    bool due = w->step < w->back || w->step == total;
    struct cw_resolver_op op = {.kind = CW_OWNERSHIP_END};
    if (w->step < w->back && w->step < reads)
        op = (struct cw_resolver_op){
            .kind = CW_OWNERSHIP_CHECK_READ, .lanes = w->log.read[w->step].lanes, .addr = w->log.read[w->step].addr};
    else if (w->step < w->back)
        op = (struct cw_resolver_op){
            .kind = CW_OWNERSHIP_CHECK_WRITE, .lanes = w->log.write[w->step - reads].lanes, .addr = w->log.write[w->step - reads].addr};
    struct cw_resolver_answer a = cw_resolver_clock(c->resolver[w->resolver], c->core, due ? &op : NULL, now);
    w->step += a.taken;
    if (!a.over)
        return false;
    w->losers = w->ready & ~a.lanes;
    c->resolver_busy &= ~(UINT64_C(1) << w->resolver);
    c->resolver_freed[w->resolver] = now;
    return over(c, warp, now);
}

/* Takes an ownership table that is free, and was in the cycle before; a table is clocked once in a cycle. */
static void start(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    for (uint32_t i = 0; i < c->tm->config->tm_resolvers; i++) {
        if ((c->resolver_busy >> i & 1) != 0 || c->resolver_freed[i] == now)
            continue;
        const struct cw_resolver_op op = {.start = true, .lanes = w->ready};
        bool taken = cw_resolver_clock(c->resolver[i], c->core, &op, now).taken;
        assert(taken);
        (void)taken;
        c->resolver_busy |= UINT64_C(1) << i;
        w->resolver = i;
        enter(w, CW_KILO_INIT);
        return;
    }
}

/* SCR: accesses of a pass over both logs for each lane. */
static bool scan_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    uint32_t reads = w->log.read_cnt, pass = reads + w->log.write_cnt;
    uint32_t total = pass * cw_kilo_lane_cnt(w->ready), row = w->read % pass;
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
    if (w->phase == CW_KILO_QUEUE && !sequential(c->tm)) {
        start(c, warp, now);
    } else if (w->phase == CW_KILO_QUEUE && c->resolving < c->tm->config->tm_resolvers) {
        c->resolving++;
        enter(w, CW_KILO_INIT);
    } else if (w->phase == CW_KILO_INIT) {
        init_step(c, w, now);
    } else if (w->phase == CW_KILO_MARK) {
        mark_step(c, warp, now);
    } else if (w->phase == CW_KILO_CHECK) {
        return table_check_step(c, warp, now);
    } else if (w->phase == CW_KILO_SCAN) {
        return scan_step(c, warp, now);
    }
    return false;
}
