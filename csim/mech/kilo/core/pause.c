/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EAPG, core half: what commit units broadcast about commits under way. COMMITTING enters a write set in the conflict address table; loads
 * of such words pause until the commit is over. WRITTEN takes the words out again, and aborts the running transactions that have read
 * another value than the one just written.
 */
#include "mech/kilo/core/conflict_addresses.h"
#include "mech/kilo/core/core_half.h"

void cw_kilo__news(struct cw_kilo_core *c, const struct cw_message *p, cw_time now)
{
    const struct cw_kilo_log_body *body = cw_kilo_log_of(p);
    for (uint32_t i = 0; i < body->log.cnt; i++) {
        const struct cw_log_entry *e = body->log.entry + i;
        if (p->op == CW_KILO_COMMITTING) {
            c->tm->counters->eapg_cat_full += !cw_kilo_cat_enter(c->cat, e->addr, body->commit.first);
            continue;
        }
        cw_kilo_cat_remove(c->cat, e->addr, body->commit.first);
        if (e->flags != 0)
            cw_kilo__overwritten(c, e->addr, e->value, now);
    }
}

/* Lanes of the access that want a word that is being committed. */
static cw_lanes held(const struct cw_kilo_core *c, const struct cw_tm_access *a)
{
    uint32_t words = cw_inst_words(a->inst);
    cw_lanes lanes = 0;
    for (cw_lanes rest = a->unsent & ~c->half.warp[a->warp].aborted; rest != 0; rest = cw_lanes_rest(rest))
        for (uint32_t i = 0; i < words; i++)
            if (cw_kilo_cat_has(c->cat, (a->inst->addr[cw_lanes_first(rest)] & ~UINT64_C(3)) + 4 * i))
                lanes |= cw_lanes_one(cw_lanes_first(rest));
    return lanes;
}

bool cw_kilo__pause(struct cw_kilo_core *c, struct cw_tm_access *a, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + a->warp;
    cw_lanes lanes = a->store ? 0 : held(c, a);
    if (lanes == 0)
        return false;
    c->tm->counters->eapg_paused += cw_lanes_count(lanes & ~w->paused);
    w->paused |= lanes;
    c->load[cw_access_index(&c->half.access, a)].paused = now;
    c->tm->counters->eapg_pauses++;
    cw_access_queue_push(&c->pause, a);
    return true;
}

static bool may_go_on(struct cw_kilo_core *c, const struct cw_tm_access *a, cw_time now)
{
    uint64_t cycles = (now - c->load[cw_access_index(&c->half.access, a)].paused) / cw_kilo_period(c->tm, CW_DOMAIN_CORE);
    if (cycles < c->tm->keys->eapg_pause_max_cycles && held(c, a) != 0)
        return false;
    c->tm->counters->eapg_pause_cycles += cycles;
    return true;
}

/* Every load looks again in every cycle in which something has happened. */
void cw_kilo__resume(struct cw_kilo_core *c, cw_time now)
{
    struct cw_access_queue old = c->pause;
    if (old.first == NULL)
        return;
    c->pause = (struct cw_access_queue){0};
    while (old.first != NULL) {
        struct cw_tm_access *a = cw_access_queue_pop(&old);
        if (may_go_on(c, a, now))
            cw_access_go(&c->half.access, a);
        else
            cw_access_queue_push(&c->pause, a);
    }
}
