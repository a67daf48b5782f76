/* SPDX-License-Identifier: Apache-2.0 */
/* Kilo TM family, core half: the watchdog. It validates a transaction that runs for kilo.watchdog_cycles through the commit units, as a
 * read-only one; lanes that fail abort. */
#include "mech/kilo/core/core_half.h"

void cw_kilo__watchdog(struct cw_kilo_core *c, cw_time now)
{
    cw_time limit = c->tm->keys->kilo_watchdog_cycles * cw_kilo_period(c->tm, CW_DOMAIN_CORE);
    c->watchdog = now + limit / 4;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++) {
        const struct cw_tm_warp *w = c->half.warp + i;
        struct cw_kilo_warp *own = c->warp + i;
        cw_time since = w->begun > own->probe_at ? w->begun : own->probe_at;
        cw_lanes reads, writes;
        cw_kilo__accessed(&w->log, &reads, &writes);
        reads &= cw_tm_running(w);
        if (w->phase != CW_TM_RUN || own->probe || reads == 0 || now < since + limit)
            continue;
        own->probe = true;
        c->probing[c->probing_cnt++] = (uint8_t)i;
        c->tm->counters->tx_probes++;
        cw_kilo__validate(c, i, reads, now);
    }
}

bool cw_kilo__probe_tick(struct cw_kilo_core *c, cw_time now)
{
    uint32_t kept = 0;
    bool more = false;
    for (uint32_t i = 0; i < c->probing_cnt; i++) {
        const uint32_t warp = c->probing[i];
        struct cw_kilo_warp *own = c->warp + warp;
        if (own->probe_phase == CW_KILO_WALK)
            cw_kilo__walk_step(c, warp, now);
        if (own->probe_phase == CW_KILO_ANSWER && own->undecided == 0 && c->half.access.warp[warp].messages == 0) {
            own->probe = false;
            own->probe_at = now;
            more = true; /* its commit may have waited for this */
            continue;
        }
        more |= own->probe_phase != CW_KILO_ANSWER || own->undecided == 0;
        c->probing[kept++] = c->probing[i];
    }
    c->probing_cnt = kept;
    return more;
}
