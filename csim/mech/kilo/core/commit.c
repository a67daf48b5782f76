/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kilo TM family, core half: what happens from tx_commit on. A committing warp passes through these phases:
 *
 *   DRAIN            its log writes reach the L1; then the first-read table is asked
 *                    read-only transactions that it clears commit silently
 *   QUEUE to CHECK   intra-warp conflict resolution (resolve.c)
 *   or SCAN
 *   ID to ANSWER     validation and commit (validate.c)
 */
#include <assert.h>

#include "mech/kilo/core/core_half.h"
#include "mech/tm/backoff.h"

static void finish_attempt(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    const struct cw_tm_warp *w = c->half.warp + warp;
    const cw_lanes again = cw_tm_core_end(&c->half, warp, now);
    assert(again == w->aborted);
    if (again != 0)
        cw_tm_core_restart(&c->half, warp, c->warp[warp].refused != 0 ? cw_backoff_linear_cycles(c->tm->common.keys, w->aborts) : 0, now);
}

/* Before the commit units */

/* Whether it is known which lanes of a warp at tx_commit may commit without validation: *silent, the empty ones, and read-only ones that
 * saw a snapshot (Fung 2015, 6.4.4). */
static bool judge_silent(struct cw_kilo_core *c, uint32_t warp, cw_lanes *silent)
{
    const struct cw_tm_warp *w = c->half.warp + warp;
    struct cw_kilo_counters *counters = c->tm->counters;
    cw_lanes reads, writes, conflict;
    cw_kilo__accessed(&w->log, &reads, &writes);
    *silent = w->ready & ~reads & ~writes;
    cw_lanes only = w->ready & reads & ~writes;
    if (c->first_read == NULL || only == 0)
        return true;
    if (!cw_adapt_first_read_table_ask(c->first_read, warp, &conflict))
        return false;
    *silent |= only & ~conflict;
    counters->tx_silent += cw_lanes_count(only & ~conflict);
    counters->tx_silent_failed += cw_lanes_count(only & conflict);
    return true;
}

/* Log writes are done. */
static void leave_drain(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_tm_warp *w = c->half.warp + warp;
    cw_lanes silent;
    w->ready &= ~w->aborted; /* a validation by the watchdog may have come in between */
    if (!judge_silent(c, warp, &silent))
        return;
    w->ready &= ~silent;
    cw_tm_core_seal(&c->half, warp, silent, now);
    if (c->tm->resolution != CW_KILO_NONE && cw_tm_core_must_resolve(w))
        w->phase = CW_TM_QUEUE;
    else
        cw_kilo__validate(c, warp, w->ready, now);
}

/* Ticks */

cw_time cw_kilo__commit_advance(void *self, uint32_t warp, cw_time now)
{
    struct cw_kilo_core *c = self;
    struct cw_tm_warp *w = c->half.warp + warp;
    const struct cw_kilo_warp *own = c->warp + warp;
    if (w->phase == CW_KILO_ANSWER) {
        w->asleep = own->undecided != 0 || own->acks != 0; /* until a verdict or an acknowledgement comes */
        if (w->asleep)
            return CW_TIME_NEVER;
        if (c->half.access.warp[warp].messages == 0) {
            finish_attempt(c, warp, now);
            return CW_TIME_NEVER;
        }
    } else if (w->phase == CW_KILO_WALK) {
        cw_kilo__walk_step(c, warp, now);
    } else if (w->phase == CW_TM_DRAIN) {
        if (c->half.access.warp[warp].posted > 0 || own->probe) /* log writes, or a validation by the watchdog */
            return CW_TIME_NEVER;
        leave_drain(c, warp, now);
    } else if (w->phase != CW_KILO_ID && cw_kilo__resolve_step(c, warp, now)) {
        cw_kilo__validate(c, warp, w->ready, now);
    }
    const bool waits = w->phase == CW_KILO_ANSWER && (own->undecided != 0 || own->acks != 0);
    return waits ? CW_TIME_NEVER : now + c->half.period;
}
