/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest time is a maximum, whose terms may come in any order. The sum over all stall buffers counts as it stood at the end of each
 * instant: changes of one instant are added up first, and the maximum is taken when time has gone on.
 */
#include "mech/getm/statistics.h"

static void count_increments(const struct cw_getm *g)
{
    struct cw_getm_statistics *s = g->statistics;
    g->counters->warpts_increments += s->time_max - s->time_counted;
    s->time_counted = s->time_max;
}

void cw_getm__note_time(const struct cw_getm *g, uint64_t warpts)
{
    uint64_t logical = warpts >> g->id_bits;
    if (logical <= g->statistics->time_max)
        return;
    g->statistics->time_max = logical;
    cw_stat_max(&g->counters->warpts_max, logical);
}

void cw_getm__note_rollover(const struct cw_getm *g)
{
    g->counters->rollovers++;
    count_increments(g);
    g->statistics->time_max = g->statistics->time_counted = 0;
}

void cw_getm__note_stalled(const struct cw_getm *g, uint32_t before, uint32_t after, cw_time now)
{
    struct cw_getm_statistics *s = g->statistics;
    if (now != s->stalled_at) {
        cw_stat_max(&g->counters->vu_stall_max, s->stalled);
        s->stalled_at = now;
    }
    s->stalled += (uint64_t)after - before;
}

void cw_getm__note_end(const struct cw_getm *g)
{
    cw_stat_max(&g->counters->vu_stall_max, g->statistics->stalled);
    count_increments(g);
}
