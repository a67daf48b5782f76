/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a commit unit of the Kilo TM family (base/state.h). A group is walked at the first of its entries that has not retired. Who
 * else points to it is saved with the ID of its last entry, which retires last.
 */
#include "mech/kilo/unit/commit_unit.h"

#define ENTRIES_MOST (UINT32_C(1) << 24)

/* ---- groups ---- */

static void word_state(struct cw_state *s, struct cw_kilo_word *w)
{
    CW_STATE(s, w->addr);
    CW_STATE(s, w->value);
    CW_STATE(s, w->next);
    CW_STATE(s, w->lane);
    CW_STATE(s, w->bytes);
}

/* Without the links to its neighbours: their groups may not be there yet. */
static void group_state(struct cw_state *s, struct cw_kilo_group *g)
{
    CW_STATE(s, g->first);
    CW_STATE(s, g->rcid);
    CW_STATE(s, g->attempt.core);
    CW_STATE(s, g->attempt.warp);
    CW_STATE(s, g->attempt.attempt);
    CW_STATE(s, g->cnt);
    CW_STATE(s, g->members);
    CW_STATE(s, g->accessed);
    CW_STATE(s, g->filled);
    CW_STATE(s, g->head);
    CW_STATE(s, g->tail);
    CW_STATE_GROWN(s, g->word_cnt, g->word, g->word_cap);
    for (uint32_t i = 0; i < g->word_cnt; i++)
        word_state(s, &g->word[i]);
    CW_STATE(s, g->passed);
    CW_STATE(s, g->failed);
    CW_STATE(s, g->out_pass);
    CW_STATE(s, g->out_fail);
    CW_STATE(s, g->readers);
    CW_STATE(s, g->writers);
    CW_STATE(s, g->undetected);
    CW_STATE(s, g->committing);
    CW_STATE(s, g->written);
    CW_STATE(s, g->probe);
    CW_STATE(s, g->over);
    cw_kilo_unit__news_state(s, &g->news);
    CW_STATE(s, g->live);
}

static void group_ref(struct cw_state *s, const struct cw_kilo_unit *u, struct cw_kilo_group **at)
{
    uint64_t last = !cw_state_loads(s) && *at != NULL ? (*at)->first + (*at)->cnt : 0; /* One more than the ID. */
    CW_STATE(s, last);
    if (cw_state_loads(s))
        *at = last > u->retire && last <= u->tail ? cw_kilo_unit__at(u, last - 1)->group : NULL;
    if (cw_state_loads(s) && last != 0 && *at == NULL)
        cw_state_fail(s, CW_EINVAL, "commit ID %llu belongs to no group", (unsigned long long)last);
}

/* ---- entries ---- */

static void entry_state(struct cw_state *s, struct cw_kilo_entry *e)
{
    CW_STATE(s, e->cursor);
    CW_STATE(s, e->checks);
    CW_STATE(s, e->writes);
    CW_STATE(s, e->lane);
    CW_STATE(s, e->pass_over);
    CW_STATE(s, e->differs);
    CW_STATE(s, e->again);
    CW_STATE(s, e->writing);
    CW_STATE(s, e->written);
    CW_STATE(s, e->used);
    CW_STATE(s, e->needed);
    CW_STATE(s, e->started);
    CW_STATE(s, e->over);
    CW_STATE(s, e->asked);
    CW_STATE(s, e->here);
}

/* What the entry belongs to: nothing yet, the group of the entry before it, or another one, which is walked here. */
static void entry_group_state(struct cw_state *s, struct cw_kilo_unit *u, struct cw_kilo_entry *e, struct cw_kilo_group *before)
{
    enum { NOTHING, SAME, OTHER };
    uint8_t which = e->group == NULL ? NOTHING : e->group == before ? SAME : OTHER;
    CW_STATE(s, which);
    if (cw_state_loads(s)) {
        e->group = which == SAME ? before : NULL;
        if (which == OTHER && (e->group = calloc(1, sizeof *e->group)) == NULL)
            cw_state_fail(s, CW_ENOMEM, "out of host memory");
    }
    if (which == OTHER && e->group != NULL)
        group_state(s, e->group);
    if (e->group != NULL)
        entry_state(s, e);
    (void)u;
}

static void ring_size_state(struct cw_state *s, struct cw_kilo_unit *u)
{
    uint32_t cap = u->entry_cap;
    cw_state_count(s, "entries", &cap, ENTRIES_MOST);
    if (!cw_state_loads(s))
        return;
    struct cw_kilo_entry *all = s->status == CW_OK && cap != 0 && (cap & (cap - 1)) == 0 ? calloc(cap, sizeof *all) : NULL;
    if (all == NULL) {
        cw_state_fail(s, CW_ENOMEM, "no room for %u commit entries", cap);
        u->tail = u->retire;
        return;
    }
    free(u->entry);
    u->entry = all;
    u->entry_cap = cap;
}

static void entries_state(struct cw_state *s, struct cw_kilo_unit *u)
{
    if (cw_state_loads(s))
        cw_kilo_unit__forget_groups(u);
    CW_STATE(s, u->retire);
    CW_STATE(s, u->commit);
    CW_STATE(s, u->tail);
    CW_STATE(s, u->epoch);
    if (u->tail - u->retire > ENTRIES_MOST) {
        cw_state_fail(s, CW_EINVAL, "%llu entries are under way", (unsigned long long)(u->tail - u->retire));
        u->tail = u->retire;
    }
    ring_size_state(s, u);
    struct cw_kilo_group *before = NULL;
    for (uint64_t id = u->retire; id < u->tail; id++) {
        entry_group_state(s, u, cw_kilo_unit__at(u, id), before);
        before = cw_kilo_unit__at(u, id)->group;
    }
}

static void order_state(struct cw_state *s, struct cw_kilo_unit *u)
{
    group_ref(s, u, &u->oldest);
    group_ref(s, u, &u->youngest);
    for (struct cw_kilo_group *g = u->oldest; g != NULL && s->status == CW_OK; g = g->younger) {
        group_ref(s, u, &g->older);
        group_ref(s, u, &g->younger);
    }
}

/* ---- accesses of the L2 ---- */

static void jobs_state(struct cw_state *s, struct cw_kilo_unit *u, struct cw_kilo_jobs *q)
{
    CW_STATE_GROWN(s, q->ring.cnt, q->at, q->cap);
    if (cw_state_loads(s))
        q->ring.head = 0;
    for (uint32_t i = 0; i < q->ring.cnt; i++) {
        struct cw_kilo_job *j = &q->at[cw_ring_at(&q->ring, i, q->cap)];
        group_ref(s, u, &j->group);
        CW_STATE(s, j->word);
        CW_STATE(s, j->batch);
    }
}

static void request_state(struct cw_state *s, struct cw_kilo_unit *u, struct cw_kilo_l2_request *r)
{
    group_ref(s, u, &r->group);
    cw_state_count(s, "words", &r->cnt, sizeof r->word / sizeof r->word[0]);
    CW_STATE(s, r->real);
    cw_state_array(s, "word", r->word, r->cnt, sizeof r->word[0]);
    CW_STATE(s, r->ready);
}

/* A request holds its message while it is in the delay line; then the message is on its way. */
static void requests_state(struct cw_state *s, struct cw_kilo_unit *u)
{
    bool is_free[CW_KILO_L2_REQUESTS] = {false};
    cw_state_count(s, "free requests", &u->idle_cnt, CW_KILO_L2_REQUESTS);
    cw_state_array(s, "idle", u->idle, CW_KILO_L2_REQUESTS, sizeof *u->idle);
    for (uint32_t i = 0; i < u->idle_cnt; i++)
        is_free[u->idle[i] % CW_KILO_L2_REQUESTS] = true;
    for (uint32_t i = 0; i < CW_KILO_L2_REQUESTS; i++)
        if (!is_free[i])
            request_state(s, u, &u->request[i]);
    cw_state_count(s, "head", &u->line_ring.head, CW_KILO_L2_REQUESTS - 1);
    cw_state_count(s, "delayed", &u->line_ring.cnt, CW_KILO_L2_REQUESTS);
    CW_STATE(s, u->line);
    for (uint32_t i = 0; i < u->line_ring.cnt; i++)
        cw_message_state(s, &u->request[u->line[cw_ring_at(&u->line_ring, i, CW_KILO_L2_REQUESTS)] % CW_KILO_L2_REQUESTS].p);
    jobs_state(s, u, &u->compare);
    jobs_state(s, u, &u->write);
    CW_STATE(s, u->batches);
}

/* ---- the unit ---- */

static void out_state(struct cw_state *s, struct cw_kilo_unit *u)
{
    CW_STATE_GROWN(s, u->out_ring.cnt, u->out, u->out_cap);
    if (cw_state_loads(s))
        u->out_ring.head = 0;
    for (uint32_t i = 0; i < u->out_ring.cnt; i++)
        cw_kilo_note_state(s, &u->out[cw_ring_at(&u->out_ring, i, u->out_cap)]);
}

void cw_kilo_unit__state(void *self, struct cw_state *s)
{
    struct cw_kilo_unit *u = self;
    entries_state(s, u);
    order_state(s, u);
    requests_state(s, u);
    out_state(s, u);
    cw_adapt_commit_unit_state(s, u->ring);
    if (u->detector != NULL)
        cw_kilo_hazard_state(s, u->detector);
    CW_STATE(s, u->detecting);
    CW_STATE(s, u->next_word_from);
    CW_STATE(s, u->waiting);
    if (u->rct != NULL)
        cw_kilo_unit__news_sets_state(s, u);
    CW_STATE(s, u->published);
    CW_STATE(s, u->input_free);
    CW_STATE(s, u->census.level);
    CW_STATE(s, u->census.since);
}
