/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attempts of wavefronts: their begin and end, who runs the next one, and the token of a group, whose holder runs alone.
 *
 * A wavefront that gets the token begins when no other one of its group has an attempt under way.
 */
#include <assert.h>
#include <string.h>

#include "mech/local/core_private.h"

/* Attempts without a commit after one that had the same lanes in conflict: one in wavefront serialisation, which the next attempt after it
 * in work-group serialisation cannot be. */
#define STUCK_MAX 2u

/* ---- phases ---- */

static uint64_t cycles(const struct cw_local_core *c, cw_time time)
{
    return time / c->local->period;
}

void cw_local__phase(struct cw_local_core *c, uint32_t warp, enum cw_local_phase phase, cw_time now)
{
    struct cw_local_counters *n = c->local->counters;
    struct cw_tm_counters *tm = c->local->tm;
    struct cw_local_wave *w = c->wave + warp;
    const uint64_t passed = cycles(c, now) - cycles(c, w->since);
    const uint64_t overhead = cycles(c, w->overhead);
    switch (w->phase) {
    case CW_LOCAL_OUT:
        n->ltm_other_cycles += passed;
        break;
    case CW_LOCAL_RUNS:
        assert(overhead <= passed);
        n->ltm_overhead_cycles += overhead;
        n->ltm_tx_cycles += passed - overhead;
        tm->tx_exec_cycles += passed;
        break;
    case CW_LOCAL_ENDS:
        n->ltm_commit_cycles += passed;
        tm->tx_commit_cycles += passed;
        break;
    default:
        n->ltm_begin_cycles += passed;
        n->ltm_token_wait_cycles += w->phase != CW_LOCAL_CHOOSES ? passed : 0;
        tm->tx_wait_cycles += passed;
        break;
    }
    w->phase = phase;
    w->since = now;
}

/* ---- begin ---- */

/* The core has the attempt under way; lanes of w->next are held back by the caller. */
static void start(struct cw_local_core *c, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_local_wave *w = c->wave + warp;
    w->attempt = cw_core_attempt(c->core, warp);
    w->start = w->next;
    w->dead = 0;
    w->mcm = ~(cw_lanes)0;
    w->stopped = false;
    w->overhead = w->overhead_until = 0;
    cw_local__clear(c, warp, 0, true);
    w->banks = 0;
    c->group[w->group].running++;
    cw_local__phase(c, warp, CW_LOCAL_RUNS, now);
    cw_tell_lanes(&c->local->host, CW_EVENT_REGION_BEGIN, cw_local__name(c, warp), lanes & ~w->start, now);
}

bool cw_local__begin(struct cw_local_core *c, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_local_wave *w = c->wave + warp;
    if (w->phase == CW_LOCAL_OUT) {
        w->mode = CW_LOCAL_TRANSACTIONAL;
        w->before = w->next = 0;
        w->stuck = 0;
        c->local->tm->tx_begun += cw_lanes_count(lanes);
        cw_local__phase(c, warp, CW_LOCAL_BEGINS, now);
    }
    if (c->group[w->group].holder != CW_LOCAL_NO_ONE)
        return false;
    start(c, warp, lanes, now);
    return true;
}

static void restart(struct cw_local_core *c, uint32_t warp, cw_time now)
{
    struct cw_local_wave *w = c->wave + warp;
    const cw_lanes lanes = cw_core_region_aborted(c->core, warp);
    c->local->counters->ltm_retries++;
    cw_core_region_end(c->core, warp, now, now);
    start(c, warp, lanes, now);
    if (w->start != 0)
        cw_core_region_abort(c->core, warp, w->start);
}

/* ---- abort, end ---- */

void cw_local__abort(struct cw_local_core *c, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_local_wave *w = c->wave + warp;
    assert(w->phase == CW_LOCAL_RUNS && (lanes & (w->dead | w->start)) == 0);
    if (w->mode == CW_LOCAL_WORK_GROUP)
        cw_mech_fault(&c->local->host, CW_EFAULT,
                      "localtm: a conflict in work-group serialisation: another wavefront of the block runs a transaction");
    w->dead |= lanes;
    c->local->tm->tx_aborted += cw_lanes_count(lanes);
    cw_tell_aborts(&c->local->host, cw_local__name(c, warp), lanes, "conflict", now);
    cw_local__undo(c, warp, lanes, now);
    cw_core_region_abort(c->core, warp, lanes);
}

void cw_local__end(struct cw_local_core *c, uint32_t warp, cw_lanes lanes, cw_time now)
{
    cw_local__phase(c, warp, CW_LOCAL_ENDS, now);
    cw_local__commit(c, warp, lanes, now);
    if (lanes != 0)
        cw_local__clear(c, warp, lanes, false);
    c->ends |= UINT64_C(1) << warp;
}

/* ---- the token ---- */

static void stop_others(struct cw_local_core *c, uint32_t group, cw_time now)
{
    const struct cw_local_group *g = c->group + group;
    for (uint64_t left = g->warps; left != 0; left &= left - 1) {
        const uint32_t warp = (uint32_t)__builtin_ctzll(left);
        struct cw_local_wave *w = c->wave + warp;
        if (warp == g->holder || w->phase != CW_LOCAL_RUNS)
            continue;
        const cw_lanes lanes = cw_core_region_lanes(c->core, warp);
        w->stopped = true;
        c->local->counters->ltm_token_aborts += cw_lanes_count(lanes);
        if (lanes != 0)
            cw_local__abort(c, warp, lanes, now);
    }
}

/* The token is free: the oldest that asks gets it, or all that wait go on. */
static void hand_on(struct cw_local_core *c, uint32_t group, cw_time now)
{
    struct cw_local_group *g = c->group + group;
    g->holder = CW_LOCAL_NO_ONE;
    g->used = false;
    if (g->queue_cnt > 0) {
        g->holder = g->queue[0];
        memmove(g->queue, g->queue + 1, --g->queue_cnt);
        stop_others(c, group, now);
        return;
    }
    for (uint64_t left = g->warps; left != 0; left &= left - 1) {
        const uint32_t warp = (uint32_t)__builtin_ctzll(left);
        assert(c->wave[warp].phase != CW_LOCAL_ASKS); /* nobody waits for a token that is free */
        if (c->wave[warp].phase == CW_LOCAL_STOPS)
            restart(c, warp, now);
        else if (c->wave[warp].phase == CW_LOCAL_BEGINS)
            cw_core_wake_warp(c->core, warp, now);
    }
}

static void ask_token(struct cw_local_core *c, uint32_t warp, cw_time now)
{
    struct cw_local_group *g = c->group + c->wave[warp].group;
    cw_local__phase(c, warp, CW_LOCAL_ASKS, now);
    g->queue[g->queue_cnt++] = (uint8_t)warp;
    if (g->holder == CW_LOCAL_NO_ONE)
        hand_on(c, c->wave[warp].group, now);
}

/* The holder begins when all others have stopped. */
static void use_tokens(struct cw_local_core *c, cw_time now)
{
    for (uint32_t group = 0; group < c->local->host.config->core_blocks; group++) {
        struct cw_local_group *g = c->group + group;
        if (g->holder == CW_LOCAL_NO_ONE || g->used || (g->running > 0 && c->local->sabotage != CW_LOCAL_TOKEN_TO_TWO))
            continue;
        g->used = true;
        c->local->counters->ltm_tokens++;
        restart(c, g->holder, now);
    }
}

/* ---- what comes next ---- */

/* Between attempts: the next one begins, unless another wavefront has the token. */
static void go_on(struct cw_local_core *c, uint32_t warp, cw_time now)
{
    const struct cw_local_group *g = c->group + c->wave[warp].group;
    if (g->holder == CW_LOCAL_NO_ONE || g->holder == warp || c->wave[warp].mode == CW_LOCAL_WORK_GROUP)
        restart(c, warp, now);
    else
        cw_local__phase(c, warp, CW_LOCAL_STOPS, now);
}

/* The attempt is over, and its words are free. */
static void resolve(struct cw_local_core *c, uint32_t warp, cw_time now)
{
    struct cw_local_wave *w = c->wave + warp;
    const cw_lanes tcm = cw_core_region_aborted(c->core, warp);
    c->group[w->group].running--;
    if (tcm == 0) {
        cw_local__phase(c, warp, CW_LOCAL_OUT, now);
        cw_core_region_end(c->core, warp, now, now);
        if (c->group[w->group].holder == warp)
            hand_on(c, w->group, now);
    } else if (w->stopped) {
        const bool second = c->local->sabotage == CW_LOCAL_TOKEN_TO_TWO;
        w->mode = second ? CW_LOCAL_WORK_GROUP : CW_LOCAL_TRANSACTIONAL;
        w->next = second ? cw_lanes_rest(tcm) : 0;
        w->before = 0;
        w->stuck = 0;
        go_on(c, warp, now);
    } else {
        cw_local__phase(c, warp, CW_LOCAL_CHOOSES, now);
        c->chooses |= UINT64_C(1) << warp;
    }
}

static void take_choice(struct cw_local_core *c, uint32_t warp, const struct cw_adapt_tcm_select_answer *choice, cw_time now)
{
    struct cw_local_wave *w = c->wave + warp;
    const cw_lanes tcm = cw_core_region_aborted(c->core, warp);
    w->stuck = w->before == tcm ? w->stuck + 1 : 0;
    if (w->stuck > STUCK_MAX)
        cw_mech_fault(&c->local->host, CW_EFAULT, "localtm: a wavefront's attempt in work-group serialisation has committed nothing");
    w->before = tcm;
    w->next = c->local->sabotage == CW_LOCAL_SELECT_NONE ? tcm : choice->tcm;
    w->mode = choice->mode;
    if (choice->want) {
        ask_token(c, warp, now);
        return;
    }
    if (choice->free && c->group[w->group].holder == warp && c->local->keys.ltm_token != CW_LOCAL_TOKEN_WAVEFRONT)
        hand_on(c, w->group, now);
    go_on(c, warp, now);
}

/* Asks for one wavefront per cycle; the answer is there in the next one. */
static void choose(struct cw_local_core *c, cw_time now)
{
    const struct cw_local_keys *keys = &c->local->keys;
    if (c->chosen != CW_LOCAL_NO_ONE) {
        const uint32_t warp = c->chosen;
        c->chosen = CW_LOCAL_NO_ONE;
        take_choice(c, warp, &c->choice, now);
    }
    if (c->chooses == 0)
        return;
    const uint32_t warp = (uint32_t)__builtin_ctzll(c->chooses);
    const struct cw_local_wave *w = c->wave + warp;
    const struct cw_adapt_tcm_select_ask ask = {.tcm = cw_core_region_aborted(c->core, warp),
                                                .start = w->start,
                                                .before = w->before,
                                                .mcm = w->mcm & cw_lanes_below(c->local->width),
                                                .mode = w->mode,
                                                .descending = (keys->ltm_serial & CW_LOCAL_DESCENDING) != 0,
                                                .multiple = (keys->ltm_serial & CW_LOCAL_MULTIPLE) != 0,
                                                .keep = keys->ltm_token == CW_LOCAL_TOKEN_LANES,
                                                .token = c->group[w->group].holder == warp || w->mode == CW_LOCAL_WORK_GROUP};
    cw_adapt_tcm_select_ask(c->select, &ask, &c->choice);
    c->chooses &= c->chooses - 1;
    c->chosen = warp;
}

cw_time cw_local__turns_cycle(struct cw_local_core *c, cw_time now)
{
    choose(c, now);
    for (uint64_t left = c->ends; left != 0; left &= left - 1) {
        const uint32_t warp = (uint32_t)__builtin_ctzll(left);
        if (c->wave[warp].undos + c->wave[warp].clears > 0)
            continue;
        c->ends &= ~(UINT64_C(1) << warp);
        resolve(c, warp, now);
    }
    use_tokens(c, now);
    const bool more = c->ends != 0 || c->chooses != 0 || c->chosen != CW_LOCAL_NO_ONE;
    return more ? now + c->local->period : CW_TIME_NEVER;
}
