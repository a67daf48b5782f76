/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GETM, core half: what happens from tx_commit on. A committing warp passes through the phases below. Each is limited by the ports that it
 * shares with the rest of the core: one L1 access and one shared-memory access per cycle. The oldest warp goes first.
 *
 *   DRAIN  its log writes reach the L1
 *   QUEUE  one of tm.resolvers ownership tables becomes free
 *   CLEAR  table cleared: a row of all banks of shared memory, 128 entries, per cycle
 *   MARK   per write row: a log read, and the cycles that the table takes for it
 *   CHECK  the same per read row and write row, and the result; the losers abort
 *   WALK   per write row: a log read of the addresses, and one of the values when a lane survived
 *   SEND   a message per core cycle; with the last one the attempt is over, and the warp goes on
 *   HELD   the attempt is over, but lanes may not begin again before the end of a rollover
 *
 * The table is a unit (mech/tm/resolver.h). QUEUE to CHECK are skipped when fewer than two lanes are left, or nothing was written.
 */
#include <assert.h>

#include "mech/getm/core_private.h"

/* End of an attempt */

/* The survivors' fate is sealed: merges the write log, sends it, and counts them. */
static void seal(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    const struct cw_tm_warp *w = c->half.warp + warp;
    struct cw_getm_warp *own = c->warp + warp;
    cw_lanes wrote = 0;
    if (cw_write_set_merge(&own->set, &w->log, w->ready, CW_GLOBAL_BASE, c->getm->granule_shift) != CW_OK)
        cw_mech_fault(&c->getm->host, CW_ENOMEM, "out of host memory for a write set");
    for (uint32_t i = 0; i < w->log.write_cnt; i++)
        own->cleaned |= (w->log.write[i].lanes & own->refused) != 0;
    cw_getm__log_send(c, warp, now);
    for (uint32_t i = 0; i < own->set.word_cnt; i++)
        wrote |= cw_lanes_one(own->set.word[i].lane);
    cw_tm_core_committed(&c->half, w, w->ready, own->set.word_cnt, cw_lanes_count(cw_lanes_without(w->ready, wrote)));
    cw_tell_commits(&c->getm->host, cw_tm_core_name(&c->half, warp), w->ready, &own->set, now);
}

static void finish_attempt(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_tm_warp *w = c->half.warp + warp;
    struct cw_getm_warp *own = c->warp + warp;
    const cw_lanes again = cw_tm_core_end(&c->half, warp, now);
    assert(again == w->aborted);
    if (again == 0) {
        c->in_vain = 0;
        return;
    }
    const uint64_t after = cw_getm_after(c->getm, own->warpts, cw_getm_owner(c->getm, c->half.index, warp));
    if (after > own->next_warpts)
        own->next_warpts = after;
    own->failed = w->ready != 0 ? 0 : own->failed + 1;
    c->in_vain = w->ready != 0 ? 0 : c->in_vain + 1;
    own->starved = w->ready != 0 ? 0 : own->starved + own->full;
    w->phase = CW_GETM_HELD;
    w->listed = false;
    if (!c->half.closed)
        cw_getm__attempt_restart(c, warp, now);
}

/* Phases */

static void begin_walk(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_tm_warp *w = c->half.warp + warp;
    cw_tm_core_enter(w, c->warp[warp].set.granule_cnt > 0 ? CW_GETM_WALK : CW_GETM_SEND);
    if (w->phase == CW_GETM_SEND)
        seal(c, warp, now);
}

static void walk_step(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    struct cw_tm_warp *w = c->half.warp + warp;
    uint32_t per_row = w->ready != 0 ? 2 : 1, total = per_row * w->log.write_cnt;
    uint32_t row = w->walk.read / per_row, max = c->getm->common.keys->tm_log_entries;
    cw_log_walk_read(&w->walk, c->half.core, warp, total, cw_redo_log_word(true, row % max, w->walk.read % per_row != 0, max), now);
    if (w->walk.back < total)
        return;
    w->phase = CW_GETM_SEND;
    seal(c, warp, now);
}

static void resolve_step(struct cw_getm_core *c, uint32_t warp, cw_time now)
{
    cw_lanes losers;
    if (!cw_tm_core_resolve(&c->half, warp, &losers, now))
        return;
    cw_tell_losers(c->half.common->host, cw_tm_core_name(&c->half, warp), &c->half.warp[warp].log, c->half.warp[warp].ready | losers,
                   losers, now);
    cw_getm__attempt_abort(c, warp, losers, CW_GETM_INTRA_WARP, now);
    begin_walk(c, warp, now);
}

cw_time cw_getm__commit_advance(void *self, uint32_t warp, cw_time now)
{
    struct cw_getm_core *c = self;
    struct cw_tm_warp *w = c->half.warp + warp;
    if (w->phase == CW_GETM_SEND) {
        if (c->warp[warp].acks > 0)
            return CW_TIME_NEVER;
        if (c->half.access.warp[warp].messages == 0) {
            finish_attempt(c, warp, now);
            return CW_TIME_NEVER;
        }
    } else if (w->phase == CW_GETM_WALK) {
        walk_step(c, warp, now);
    } else if (w->phase != CW_TM_DRAIN) {
        resolve_step(c, warp, now);
    } else {
        if (c->half.access.warp[warp].posted > 0)
            return CW_TIME_NEVER;
        if (cw_tm_core_must_resolve(w))
            w->phase = CW_TM_QUEUE;
        else
            begin_walk(c, warp, now);
    }
    const bool waits = w->phase == CW_GETM_SEND && c->warp[warp].acks > 0;
    return waits ? CW_TIME_NEVER : now + c->half.period;
}
