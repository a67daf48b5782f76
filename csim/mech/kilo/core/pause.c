/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EAPG, core half: what commit units broadcast about commits under way. COMMITTING enters words in the conflict address table; loads of
 * such words pause until the commits are over. WRITTEN takes words out again, and aborts the running transactions that have read another
 * value than the one just written.
 *
 * The table is asked for one word per cycle, and for one load after the other: new ones first, then paused ones when a word has left the
 * table since they were asked for. A load goes on without a question while the table is empty. What the table learns while a load
 * is asked for, and after, the decision at commit catches.
 *
 * With eapg.ideal all of this takes no time: within the core's cycle, the table is clocked until it has taken what came, and has answered.
 */
#include "mech/kilo/core/core_half.h"

static bool ideal(const struct cw_kilo_core *c)
{
    return c->tm->keys->eapg_ideal == CW_ON;
}

/* A clock of the table. */
static void clock_table(struct cw_kilo_core *c)
{
    struct cw_kilo_question *q = &c->question;
    struct cw_adapt_conflict_address_table_result r;
    if (q->access != NULL && q->asked < q->cnt) {
        cw_adapt_conflict_address_table_ask(c->cat, q->word[q->asked], q->asked);
        q->asked++;
    }
    cw_adapt_conflict_address_table_clock(c->cat, &r);
    c->removals += r.removed;
    c->tm->counters->eapg_cat_full += r.refused;
    if (r.answered) {
        q->answered++;
        q->held |= r.held ? q->lanes[r.tag] : 0;
    }
}

void cw_kilo__news(struct cw_kilo_core *c, const struct cw_message *p, cw_time now)
{
    const struct cw_kilo_log_body *body = cw_kilo_log_of(p);
    const bool written = p->op == CW_KILO_WRITTEN;
    for (uint32_t i = 0; i < body->log.cnt; i++) {
        const struct cw_log_entry *e = body->log.entry + i;
        const bool known = !written || (e->flags & CW_KILO_LAST) != 0;
        if (known && cw_adapt_conflict_address_table_update(c->cat, e->addr, written) != CW_OK)
            cw_mech_fault(&c->tm->host, CW_ENOMEM, "out of host memory for the conflict address table's updates");
        if (written && (e->flags & CW_KILO_CHANGED) != 0)
            cw_kilo__overwritten(c, e->addr, e->value, now);
    }
    while (ideal(c) && cw_adapt_conflict_address_table_busy(c->cat))
        clock_table(c);
}

static struct cw_kilo_load *load_of(const struct cw_kilo_core *c, const struct cw_tm_access *a)
{
    return c->load + cw_access_index(&c->half.access, a);
}

static void add_word(struct cw_kilo_question *q, uint64_t word, uint32_t lane)
{
    uint32_t i = 0;
    while (i < q->cnt && q->word[i] != word)
        i++;
    if (i == q->cnt) {
        q->word[q->cnt++] = word;
        q->lanes[i] = 0;
    }
    q->lanes[i] |= cw_lanes_one(lane);
}

static void begin_question(struct cw_kilo_core *c, struct cw_tm_access *a)
{
    struct cw_kilo_question *q = &c->question;
    const uint32_t words = cw_inst_words(a->inst);
    q->access = a;
    q->cnt = q->asked = q->answered = 0;
    q->held = 0;
    load_of(c, a)->removals = c->removals;
    for (cw_lanes rest = a->unsent & ~c->half.warp[a->warp].aborted; rest != 0; rest = cw_lanes_rest(rest))
        for (uint32_t i = 0; i < words; i++) {
            const uint32_t lane = cw_lanes_first(rest);
            add_word(q, (a->inst->addr[lane] & ~UINT64_C(3)) + 4 * i, lane);
        }
}

static cw_time pause_end(const struct cw_kilo_core *c, const struct cw_tm_access *a)
{
    return load_of(c, a)->paused + c->tm->keys->eapg_pause_max_cycles * c->half.period;
}

static void go_on(struct cw_kilo_core *c, struct cw_tm_access *a, cw_time now)
{
    const cw_time since = load_of(c, a)->paused;
    if (since != CW_TIME_NEVER)
        c->tm->counters->eapg_pause_cycles += (now - since) / c->half.period;
    cw_access_go(&c->half.access, a);
}

/* The end of a question: whether the load has to pause, and does so from now on. */
static bool hold(struct cw_kilo_core *c, cw_time now)
{
    struct cw_tm_access *a = c->question.access;
    struct cw_kilo_warp *w = c->warp + a->warp;
    const cw_lanes held = c->question.held & ~c->half.warp[a->warp].aborted;
    c->question.access = NULL;
    if (held == 0)
        return false;
    c->tm->counters->eapg_paused += cw_lanes_count(held & ~w->paused);
    w->paused |= held;
    if (load_of(c, a)->paused == CW_TIME_NEVER) {
        load_of(c, a)->paused = now;
        c->tm->counters->eapg_pauses++;
    }
    cw_access_queue_push(&c->pause, a);
    return true;
}

/* A question that takes no time. */
static bool hold_at_once(struct cw_kilo_core *c, struct cw_tm_access *a, cw_time now)
{
    begin_question(c, a);
    while (c->question.answered < c->question.cnt)
        clock_table(c);
    return hold(c, now);
}

bool cw_kilo__pause(struct cw_kilo_core *c, struct cw_tm_access *a, cw_time now)
{
    if (a->store || cw_adapt_conflict_address_table_empty(c->cat))
        return false;
    load_of(c, a)->paused = CW_TIME_NEVER;
    if (ideal(c))
        return hold_at_once(c, a, now);
    cw_access_queue_push(&c->fresh, a);
    return true;
}

/* Loads that have paused long enough go on. The first one that a word's leaving may have freed; NULL: none. */
static struct cw_tm_access *look_at_paused(struct cw_kilo_core *c, bool wanted, cw_time now)
{
    struct cw_access_queue old = c->pause;
    struct cw_tm_access *next = NULL;
    c->pause = (struct cw_access_queue){0};
    while (old.first != NULL) {
        struct cw_tm_access *a = cw_access_queue_pop(&old);
        if (now >= pause_end(c, a))
            go_on(c, a, now);
        else if (wanted && next == NULL && load_of(c, a)->removals != c->removals)
            next = a;
        else
            cw_access_queue_push(&c->pause, a);
    }
    return next;
}

static void resume_at_once(struct cw_kilo_core *c, cw_time now)
{
    struct cw_tm_access *a;
    while (c->pause.first != NULL && (a = look_at_paused(c, true, now)) != NULL)
        if (!hold_at_once(c, a, now))
            go_on(c, a, now);
}

void cw_kilo__resume(struct cw_kilo_core *c, cw_time now)
{
    struct cw_kilo_question *q = &c->question;
    const bool wanted = q->access == NULL && c->fresh.first == NULL;
    if (ideal(c)) {
        resume_at_once(c, now);
        return;
    }
    struct cw_tm_access *a = c->pause.first != NULL ? look_at_paused(c, wanted, now) : NULL;
    if (q->access == NULL && c->fresh.first != NULL)
        a = cw_access_queue_pop(&c->fresh);
    if (a != NULL)
        begin_question(c, a);
    clock_table(c);
    a = q->access;
    if (a != NULL && q->answered == q->cnt && !hold(c, now))
        go_on(c, a, now);
}

cw_time cw_kilo__resume_next(const struct cw_kilo_core *c, cw_time now)
{
    cw_time next = CW_TIME_NEVER;
    if (cw_adapt_conflict_address_table_busy(c->cat) || c->question.access != NULL || c->fresh.first != NULL)
        return now + c->half.period;
    for (const struct cw_tm_access *a = c->pause.first; a != NULL; a = a->next) {
        const cw_time due = load_of(c, a)->removals != c->removals ? now + c->half.period : pause_end(c, a);
        next = due < next ? due : next;
    }
    return next;
}
