/* SPDX-License-Identifier: Apache-2.0 */
/* Kilo TM family, core half: the watchdog. It validates a transaction that runs for kilo.watchdog_cycles through the commit units, as a
 * read-only one; lanes that fail abort. */
#include "mech/kilo/core_half.h"

void cw_kilo__watchdog(struct cw_kilo_core *c, cw_time now)
{
    cw_time limit = c->tm->keys->kilo_watchdog_cycles * cw_kilo_period(c->tm, CW_DOMAIN_CORE);
    c->watchdog = now + limit / 4;
    if (cw_kilo_arbitrated(c->tm)) /* it has no need: what is doomed is aborted */
        return;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++) {
        struct cw_kilo_warp *w = c->warp + i;
        cw_time since = w->begun > w->probe_at ? w->begun : w->probe_at;
        cw_lanes reads, writes;
        cw_kilo__accessed(w, &reads, &writes);
        reads &= w->lanes & ~w->aborted;
        if (w->phase != CW_KILO_RUN || w->probe || reads == 0 || now < since + limit)
            continue;
        w->probe = true;
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
        struct cw_kilo_warp *w = c->warp + c->probing[i];
        if (w->probe_phase == CW_KILO_WALK)
            cw_kilo__walk_step(c, c->probing[i], now);
        if (w->probe_phase == CW_KILO_ANSWER && w->undecided == 0 && c->access.warp[c->probing[i]].messages == 0) {
            w->probe = false;
            w->probe_at = now;
            more = true; /* its commit may have waited for this */
            continue;
        }
        more |= w->probe_phase != CW_KILO_ANSWER || w->undecided == 0;
        c->probing[kept++] = c->probing[i];
    }
    c->probing_cnt = kept;
    return more;
}
