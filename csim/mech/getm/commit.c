/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GETM, core half: what happens from tx_commit on. A committing warp passes through the phases below. Each is limited by the ports that it
 * shares with the rest of the core: one L1 access and one shared-memory access per cycle. The oldest warp goes first.
 *
 *   DRAIN  its log writes reach the L1
 *   QUEUE  one of tm.resolvers ownership tables becomes free
 *   INIT   table cleared: a row of all banks of shared memory, 128 entries, per cycle
 *   MARK   per write row: a log read, and the cycles that the table takes for it
 *   CHECK  the same per read row and write row, and the result; the losers abort
 *   WALK   per write row: a log read of the addresses, and one of the values when a lane survived
 *   SEND   a message per core cycle; with the last one the attempt is over, and the warp goes on
 *
 * The table is a unit (mech/tm/resolver.h). QUEUE to CHECK are skipped when fewer than two lanes are left, or nothing was written.
 */
#include <assert.h>

#include "mech/getm/core_private.h"
#include "mech/tm/attempt.h"

void cw_getm__commit(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_getm_core *c = self;
    struct cw_getm_warp *w = c->warp + warp;
    assert(w->phase == CW_GETM_RUN && c->access.warp[warp].accesses == 0 && lanes == cw_lanes_without(w->lanes, w->aborted));
    c->getm->common.counters->tx_exec_cycles += (now - w->begun) / cw_getm_period(c->getm, CW_DOMAIN_CORE);
    w->phase = CW_GETM_DRAIN;
    w->ready = lanes;
    w->ended = now;
    c->committing[c->committing_cnt++] = (uint8_t)warp;
}

/* End of an attempt */

static void count_commit(struct cw_getm_core *c, const struct cw_getm_warp *w)
{
    struct cw_tm_counters *counters = c->getm->common.counters;
    cw_lanes wrote = 0;
    for (uint32_t i = 0; i < w->set.word_cnt; i++)
        wrote |= cw_lanes_one(w->set.word[i].lane);
    for (uint32_t i = 0; i < w->log.read_cnt; i++)
        counters->tx_read_words += cw_lanes_count(w->log.read[i].lanes & w->ready);
    counters->tx_write_words += w->set.word_cnt;
    counters->tx_read_only += cw_lanes_count(cw_lanes_without(w->ready, wrote));
    counters->tx_committed += cw_lanes_count(w->ready);
    *c->getm->host.progress += cw_lanes_count(w->ready);
}

/* The survivors' fate is sealed: merges the write log and makes the packets. */
static void seal(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    if (cw_write_set_merge(&w->set, &w->log, w->ready, CW_GLOBAL_BASE, c->getm->granule_shift) != CW_OK)
        cw_mech_fault(&c->getm->host, CW_ENOMEM, "out of host memory for a write set");
    for (uint32_t i = 0; i < w->log.write_cnt; i++)
        w->cleaned |= (w->log.write[i].lanes & w->aborted) != 0;
    cw_getm__log_send(c, warp, now);
    count_commit(c, w);
    cw_tell_commits(&c->getm->host, cw_getm__attempt_name(c, warp), w->ready, &w->set, now);
}

static void finish_attempt(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    cw_attempt_end(&c->getm->common, w->tx_lanes, w->lanes, w->begun, w->ended, now);
    w->done = now;
    assert(w->aborted == cw_core_region_aborted(c->core, warp));
    if (w->aborted == 0) {
        w->phase = CW_GETM_IDLE;
        cw_tokens_release(&c->tokens);
        cw_core_region_end(c->core, warp, now, now);
        cw_getm__wake_next(c, now);
        return;
    }
    uint64_t own = cw_getm_after(c->getm, w->warpts, cw_getm_owner(c->getm, c->index, warp));
    if (own > w->next_warpts)
        w->next_warpts = own;
    w->aborts++;
    w->starved = w->ready != 0 ? 0 : w->starved + w->full;
    w->phase = CW_GETM_HELD;
    if (!c->stopped)
        cw_getm__attempt_restart(c, warp, now);
}

/* Phases */

static void enter(struct cw_getm_warp *w, enum cw_getm_phase phase)
{
    w->phase = phase;
    w->walk = (struct cw_log_walk){0};
}

static void begin_walk(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    enter(w, w->set.granule_cnt > 0 ? CW_GETM_WALK : CW_GETM_SEND);
    if (w->phase == CW_GETM_SEND)
        seal(c, warp, now);
}

static void resolved(struct cw_getm_core *c, uint32_t warp, cw_lanes survivors, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    cw_lanes losers = cw_lanes_without(w->ready, survivors);
    w->ready = survivors;
    cw_getm__attempt_abort(c, warp, losers, CW_GETM_INTRA_WARP, now);
    begin_walk(c, warp, now);
}

static void resolve_step(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    const struct cw_resolvers_job job = {.warp = warp, .table = w->resolver, .log = &w->log, .walk = &w->walk};
    cw_lanes survivors;
    if (w->phase == CW_GETM_QUEUE && cw_resolvers_start(&c->resolvers, w->ready, &w->resolver, now))
        enter(w, CW_GETM_INIT);
    else if (w->phase == CW_GETM_INIT && cw_resolvers_clear(&c->resolvers, w->resolver, now))
        enter(w, CW_GETM_MARK);
    else if (w->phase == CW_GETM_MARK && cw_resolvers_mark(&c->resolvers, &job, now))
        enter(w, CW_GETM_CHECK);
    else if (w->phase == CW_GETM_CHECK && cw_resolvers_check(&c->resolvers, &job, &survivors, now))
        resolved(c, warp, survivors, now);
}

static void walk_step(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    uint32_t per_row = w->ready != 0 ? 2 : 1, total = per_row * w->log.write_cnt;
    uint32_t row = w->walk.read / per_row, max = c->getm->common.keys->tm_log_entries;
    cw_log_walk_read(&w->walk, c->core, warp, total, cw_redo_log_word(true, row % max, w->walk.read % per_row != 0, max), now);
    if (w->walk.back < total)
        return;
    w->phase = CW_GETM_SEND;
    seal(c, warp, now);
}

/* Whether the warp can do something in the next cycle without an event. */
static bool advance(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    if (w->phase == CW_GETM_DRAIN && c->access.warp[warp].posted == 0) {
        if (cw_lanes_count(w->ready) >= 2 && w->log.write_cnt > 0)
            w->phase = CW_GETM_QUEUE;
        else
            begin_walk(c, warp, now);
    } else if (w->phase >= CW_GETM_QUEUE && w->phase <= CW_GETM_CHECK) {
        resolve_step(c, warp, now);
    } else if (w->phase == CW_GETM_WALK) {
        walk_step(c, warp, now);
    }
    return w->phase != CW_GETM_DRAIN && (w->phase != CW_GETM_SEND || w->acks == 0);
}

bool cw_getm__commit_tick(struct cw_getm_core *c, cw_time now)
{
    uint32_t kept = 0;
    bool more = false;
    for (uint32_t i = 0; i < c->committing_cnt; i++) {
        uint32_t warp = c->committing[i];
        struct cw_getm_warp *w = c->warp + warp;
        if (w->phase == CW_GETM_SEND && c->access.warp[warp].messages == 0 && w->acks == 0) {
            finish_attempt(c, warp, now);
            continue;
        }
        more |= advance(c, warp, now);
        c->committing[kept++] = (uint8_t)warp;
    }
    c->committing_cnt = kept;
    return more;
}
