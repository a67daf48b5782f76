/* SPDX-License-Identifier: Apache-2.0 */
/* Hazard detection of a commit unit: the words of the entry at the hazard pointer go to the hazard unit one by one, reads before writes. */
#include "mech/kilo/unit/commit_unit.h"

/* Commit IDs below are a hazard to nobody any more: RCIDs ascend in the order of arrival. */
static uint64_t live(const struct cw_kilo_unit *u)
{
    return u->oldest != NULL ? u->oldest->rcid : u->retire;
}

/* Whether both sets of the entry are at hand as far as they are needed now. */
static bool word_here(struct cw_kilo_unit *u, struct cw_kilo_entry *e, cw_time now)
{
    const struct cw_kilo_group *g = e->group;
    if (!cw_kilo_unit__whole(u, e, e->pass_over, now))
        return false;
    if (!e->started) {
        e->started = true;
        e->cursor = g->head[e->pass_over][e->lane];
    }
    if (e->pass_over == 0 && e->cursor == CW_KILO_NIL) {
        cw_kilo_unit__cut(u, e, 0);
        e->pass_over = 1;
        e->started = cw_kilo_unit__whole(u, e, 1, now);
        e->cursor = g->head[1][e->lane];
    }
    return e->started;
}

/* The word at the cursor is the last of both sets. */
static bool last_word(const struct cw_kilo_group *g, const struct cw_kilo_entry *e)
{
    return g->word[e->cursor].next == CW_KILO_NIL && (e->pass_over == 1 || (g->head[1][e->lane] == CW_KILO_NIL && !e->over[1]));
}

/* What the hazard unit is offered of the ring's entry: false if nothing. */
static bool next_word(struct cw_kilo_unit *u, const struct cw_adapt_commit_unit_view *v, struct cw_adapt_hazard_unit_word *offer,
                      cw_time now)
{
    struct cw_kilo_entry *e = cw_kilo_unit__at(u, v->hazard_id);
    const struct cw_kilo_group *g = e->group;
    if (!word_here(u, e, now))
        return false;
    *offer = (struct cw_adapt_hazard_unit_word){.kind = CW_HAZARD_NONE, .entry = v->hazard_id, .last = e->cursor == CW_KILO_NIL};
    if (e->cursor == CW_KILO_NIL)
        return true;
    offer->kind = e->pass_over == 0 ? CW_HAZARD_CHECK : CW_HAZARD_RECORD;
    offer->last = last_word(g, e);
    offer->addr = g->word[e->cursor].addr;
    offer->rcid = v->hazard_rcid;
    /* A warp without conflicts among its lanes never waits for itself: this would be a false hit, behind which an older writer may be. */
    offer->own = u->tm->resolution != CW_KILO_NONE ? g->first : v->hazard_id;
    offer->id = offer->kind == CW_HAZARD_CHECK ? offer->own : v->hazard_id;
    return true;
}

/* Returns whether the entry has been taken in full. */
static bool word_taken(struct cw_kilo_unit *u, uint64_t id)
{
    struct cw_kilo_entry *e = cw_kilo_unit__at(u, id);
    bool last = e->cursor == CW_KILO_NIL || last_word(e->group, e);
    if (e->cursor != CW_KILO_NIL) {
        e->cursor = e->group->word[e->cursor].next;
        u->tm->counters->cu_hazard_cycles++;
    }
    if (!last)
        return false;
    cw_kilo_unit__cut(u, e, 0);
    cw_kilo_unit__cut(u, e, 1);
    cw_adapt_commit_unit_take_hazard(u->ring);
    if (--e->group->undetected == 0)
        cw_kilo_unit__hazards_done(u, e->group);
    return true;
}

static void detected(struct cw_kilo_unit *u, const struct cw_adapt_hazard_unit_result *r)
{
    bool hazard = r->hazard && u->tm->sabotage != CW_KILO_IGNORE_HAZARD;
    u->tm->counters->cu_hazards += hazard;
    u->tm->counters->cu_hazards_filter += hazard && !r->exact;
    cw_kilo_unit__check(u, cw_adapt_commit_unit_detected(u->ring, r->entry, hazard, r->ycid));
}

bool cw_kilo_unit__hazard_step(struct cw_kilo_unit *u, const struct cw_adapt_commit_unit_view *v, cw_time now)
{
    struct cw_adapt_hazard_unit_word offer;
    struct cw_adapt_hazard_unit_result result = {.entry = v->hazard_id};
    bool taken = false, busy = false;
    if (u->detector == NULL) { /* nothing is left to detect */
        if (v->hazard) {
            cw_kilo_unit__at(u, v->hazard_id)->cursor = CW_KILO_NIL;
            taken = word_taken(u, v->hazard_id);
            detected(u, &result);
        }
        return taken;
    }
    for (uint32_t i = 0; i < u->tm->keys->kilo_hazard_rate; i++) {
        bool may_offer = now >= u->next_word_from, offered = may_offer && v->hazard && !taken && next_word(u, v, &offer, now);
        if (cw_kilo_hazard_clock(u->detector, offered ? &offer : NULL, live(u), &result)) {
            taken = word_taken(u, v->hazard_id);
            u->next_word_from = u->tm->keys->kilo_history_ports == 1 ? now + 2 * u->period : now;
        }
        if (result.valid)
            detected(u, &result);
        busy |= offered || !may_offer;
    }
    u->detecting = cw_kilo_hazard_busy(u->detector);
    return busy || u->detecting;
}
