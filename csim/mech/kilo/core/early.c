/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kilo TM family, core half: early aborts. A running transaction that has read a word which somebody has overwritten since is lost. EAPG
 * hears of such words from the commit units, by value; the idealised systems from the arbiter, by number of commit. A filter of the core's
 * running reads keeps most words away from the search.
 */
#include "mech/kilo/core/core_half.h"

/* Lanes of a running warp that have read the word, and another value than this one. */
static cw_lanes other_value(const struct cw_tm_warp *w, uint64_t addr, uint32_t value)
{
    cw_lanes found = 0;
    for (uint32_t i = 0; i < w->log.read_cnt; i++)
        for (cw_lanes rest = w->log.read[i].lanes & cw_tm_running(w); rest != 0; rest = cw_lanes_rest(rest)) {
            uint32_t lane = cw_lanes_first(rest);
            if (w->log.read[i].addr[lane] == addr && w->log.read[i].value[lane] != value)
                found |= cw_lanes_one(lane);
        }
    return found;
}

/* Lanes of a running warp that read the word before that commit. */
static cw_lanes before_commit(const struct cw_kilo_core *c, uint32_t warp, const struct cw_kilo_overwrite *o)
{
    const struct cw_tm_warp *w = c->half.warp + warp;
    cw_lanes found = 0;
    for (uint32_t i = 0; i < w->log.read_cnt; i++)
        for (cw_lanes rest = w->log.read[i].lanes & cw_tm_running(w); rest != 0; rest = cw_lanes_rest(rest)) {
            uint32_t lane = cw_lanes_first(rest);
            if (w->log.read[i].addr[lane] == o->word && c->warp[warp].stamp[i][lane] < o->commit)
                found |= cw_lanes_one(lane);
        }
    return found;
}

static bool running(const struct cw_tm_warp *w)
{
    return w->phase == CW_TM_RUN && w->log.read_cnt > 0;
}

/* The lanes of the warp are lost, by the word. */
static void lose(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes, uint64_t word, cw_time now)
{
    for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest))
        cw_tell_conflict(c->half.common->host, cw_tm_core_name(&c->half, warp), cw_lanes_first(rest), word, now);
    cw_kilo__abort_lanes(c, warp, lanes, CW_KILO_EARLY, now);
}

void cw_kilo__overwritten(struct cw_kilo_core *c, uint64_t addr, uint32_t value, cw_time now)
{
    if (*cw_kilo__readers(c, addr) == 0)
        return;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++)
        if (running(c->half.warp + i))
            lose(c, i, other_value(c->half.warp + i, addr, value), addr, now);
}

void cw_kilo__follow(struct cw_kilo_core *c, cw_time now)
{
    const struct cw_kilo_overwrite *o;
    /* What the core misses, the decision at commit catches. */
    while ((o = cw_kilo_overwritten_next(&c->tm->wires.overwritten, &c->overwritten, now)) != NULL) {
        if (*cw_kilo__readers(c, o->word) == 0)
            continue;
        for (uint32_t i = 0; i < c->tm->config->core_warps; i++)
            if (running(c->half.warp + i))
                lose(c, i, before_commit(c, i, o), o->word, now);
    }
}
