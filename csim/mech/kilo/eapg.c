/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EAPG, core half: what commit units broadcast about commits under way. COMMITTING enters a write set in the conflict address table; loads
 * of such words pause until the commit is over. WRITTEN takes the words out again, and aborts the running transactions that have read
 * another value than the one just written.
 */
#include "mech/kilo/conflict_addresses.h"
#include "mech/kilo/kilo_state.h"

static uint32_t readers(const struct cw_kilo_warp *w, uint64_t addr, uint32_t value)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < w->log.read_cnt; i++)
        for (uint32_t rest = w->log.read[i].lanes & w->lanes & ~w->aborted; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            if (w->log.read[i].addr[lane] == addr && w->log.read[i].value[lane] != value)
                found |= 1u << lane;
        }
    return found;
}

static void abort_readers(struct cw_kilo_core *c, uint64_t addr, uint32_t value, cw_time now)
{
    if (c->readers[cw_kilo__reader_hash(addr)] == 0)
        return;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++)
        if (c->warp[i].phase == CW_KILO_RUN && c->warp[i].log.read_cnt > 0)
            cw_kilo__abort_lanes(c, i, readers(c->warp + i, addr, value), CW_KILO_EARLY, now);
}

void cw_kilo__eapg_news(struct cw_kilo_core *c, const struct cw_message *p, cw_time now)
{
    for (uint32_t i = 0; i < cw_kilo_commit_of(p)->log.cnt; i++) {
        const struct cw_log_entry *e = cw_kilo_commit_of(p)->log.entry + i;
        if (p->op == CW_KILO_COMMITTING) {
            c->tm->cfg.stats->eapg_cat_full += !cw_kilo_cat_enter(c->cat, e->addr, cw_kilo_commit_of(p)->first);
            continue;
        }
        cw_kilo_cat_remove(c->cat, e->addr, cw_kilo_commit_of(p)->first);
        if (e->flags != 0)
            abort_readers(c, e->addr, e->value, now);
    }
}

/* Lanes of the access that want a word that is being committed. */
static uint32_t held(const struct cw_kilo_core *c, const struct cw_access *a)
{
    uint32_t words = cw_inst_words(a->inst), lanes = 0;
    for (uint32_t rest = a->unsent & ~c->warp[a->warp].aborted; rest != 0; rest &= rest - 1)
        for (uint32_t i = 0; i < words; i++)
            if (cw_kilo_cat_has(c->cat, (a->inst->addr[__builtin_ctz(rest)] & ~UINT64_C(3)) + 4 * i))
                lanes |= rest & (0u - rest);
    return lanes;
}

bool cw_kilo__eapg_pause(struct cw_kilo_core *c, const struct cw_access *a, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + a->warp;
    uint32_t lanes = a->store ? 0 : held(c, a);
    if (lanes == 0)
        return false;
    c->tm->cfg.stats->eapg_paused += cw_kilo_lane_cnt(lanes & ~w->paused);
    w->paused |= lanes;
    c->load[cw_access_index(&c->access, a)].paused = now;
    c->tm->cfg.stats->eapg_pauses++;
    return true;
}

bool cw_kilo__eapg_resume(struct cw_kilo_core *c, const struct cw_access *a, cw_time now)
{
    uint64_t cycles = (now - c->load[cw_access_index(&c->access, a)].paused) / cw_kilo_period(c->tm, CW_DOMAIN_CORE);
    if (cycles < c->tm->config->eapg_pause_max_cycles && held(c, a) != 0)
        return false;
    c->tm->cfg.stats->eapg_pause_cycles += cycles;
    return true;
}
