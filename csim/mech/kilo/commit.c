/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kilo TM family, core half: what happens from tx_commit on. A committing warp passes through these phases:
 *
 *   DRAIN         its log writes reach the L1; then the first-read table is asked, and read-only transactions that it clears commit
 * silently QUEUE .. SCAN intra-warp conflict resolution (resolve.c) ID .. ANSWER  validation and commit (validate.c)
 */
#include <assert.h>

#include "mech/kilo/core_half.h"
#include "mech/tm/attempt.h"
#include "mech/tm/backoff.h"

void cw_kilo__commit(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_kilo_core *c = self;
    struct cw_kilo_warp *w = c->warp + warp;
    assert(w->phase == CW_KILO_RUN && c->access.warp[warp].accesses == 0 && lanes == (w->lanes & ~w->aborted));
    c->tm->common.counters->tx_exec_cycles += (now - w->begun) / cw_kilo_period(c->tm, CW_DOMAIN_CORE);
    w->phase = CW_KILO_DRAIN;
    w->ready = lanes;
    w->ended = now;
    c->committing[c->committing_cnt++] = (uint8_t)warp;
}

/* End of an attempt */

static void restart(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    uint64_t delay = c->tm->kind == CW_KILO_IDEAL ? 0 : cw_backoff_linear_cycles(c->tm->common.keys, w->aborts);
    c->tm->common.counters->tx_backoff_cycles += delay;
    cw_attempt_waited(&c->tm->common, (uint32_t)w->tx_lanes, delay);
    w->done = now + delay * cw_kilo_period(c->tm, CW_DOMAIN_CORE);
    cw_core_region_end(c->core, warp, now, w->done);
    cw_kilo__begin_attempt(c, warp, w->aborted, w->done);
}

static void finish_attempt(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    cw_attempt_end(&c->tm->common, w->tx_lanes, w->lanes, w->begun, w->ended, now);
    w->done = now;
    assert(w->aborted == cw_core_region_aborted(c->core, warp));
    if (w->aborted != 0) {
        w->aborts++;
        restart(c, warp, now);
        return;
    }
    w->phase = CW_KILO_IDLE;
    cw_tokens_release(&c->tokens);
    cw_core_region_end(c->core, warp, now, now);
    cw_tokens_wake_next(&c->tokens, c->core, now);
}

/* Before the commit units */

/* Whether it is known which lanes of a warp at tx_commit may commit without validation: *silent, the empty ones, and read-only ones that
 * saw a snapshot (Fung 2015, 6.4.4). */
static bool judge_silent(struct cw_kilo_core *c, uint32_t warp, cw_lanes *silent)
{
    struct cw_kilo_warp *w = c->warp + warp;
    struct cw_kilo_counters *counters = c->tm->counters;
    cw_lanes reads, writes, conflict;
    cw_kilo__accessed(w, &reads, &writes);
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
    struct cw_kilo_warp *w = c->warp + warp;
    cw_lanes silent;
    w->ready &= ~w->aborted; /* a validation by the watchdog may have come in between */
    if (!judge_silent(c, warp, &silent))
        return;
    w->ready &= ~silent;
    cw_kilo__seal(c, warp, silent, now);
    if (cw_kilo__resolve_needed(c, w))
        w->phase = CW_KILO_QUEUE;
    else
        cw_kilo__validate(c, warp, w->ready, now);
}

/* Ticks */

/* Whether the warp can do something in the next cycle without an event. */
static bool advance(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    bool drained = c->access.warp[warp].posted == 0 && !w->probe;
    if (w->phase == CW_KILO_DRAIN && drained) {
        leave_drain(c, warp, now);
    } else if (w->phase >= CW_KILO_QUEUE && w->phase <= CW_KILO_SCAN) {
        if (cw_kilo__resolve_step(c, warp, now))
            cw_kilo__validate(c, warp, w->ready, now);
    } else if (w->phase == CW_KILO_WALK) {
        cw_kilo__walk_step(c, warp, now);
    }
    return (w->phase != CW_KILO_DRAIN || drained) && (w->phase != CW_KILO_ANSWER || (w->undecided == 0 && w->acks == 0));
}

bool cw_kilo__commit_tick(struct cw_kilo_core *c, cw_time now)
{
    uint32_t kept = 0;
    if (c->asking > 0)
        cw_kilo__take_grants(c, now);
    if (c->resend_cnt > 0)
        cw_kilo__resend_step(c, now);
    bool more = c->probing_cnt > 0 && cw_kilo__probe_tick(c, now);
    for (uint32_t i = 0; i < c->committing_cnt; i++) {
        uint32_t warp = c->committing[i];
        struct cw_kilo_warp *w = c->warp + warp;
        if (w->phase == CW_KILO_ANSWER && w->undecided == 0 && c->access.warp[warp].messages == 0 && w->acks == 0) {
            finish_attempt(c, warp, now);
            continue;
        }
        more |= advance(c, warp, now);
        c->committing[kept++] = (uint8_t)warp;
    }
    c->committing_cnt = kept;
    return more;
}
