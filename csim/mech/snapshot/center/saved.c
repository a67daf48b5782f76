/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the version manager (base/state.h). */
#include "mech/snapshot/center/center.h"

static void ring_state(struct cw_state *s, struct cw_ring *r, uint32_t places)
{
    cw_state_count(s, "head", &r->head, places - 1);
    cw_state_count(s, "entries", &r->cnt, places);
}

static void queue_state(struct cw_state *s, struct cw_si_queue *q)
{
    ring_state(s, &q->ring, CW_SI_WAITING);
    for (uint32_t i = 0; i < q->ring.cnt; i++) {
        struct cw_si_request *r = &q->at[cw_ring_at(&q->ring, i, CW_SI_WAITING)];
        CW_STATE(s, r->core);
        CW_STATE(s, r->since);
        CW_STATE(s, r->age);
        cw_si_ask_state(s, &r->note);
    }
}

/* ---- transactions ---- */

static void transaction_state(struct cw_state *s, struct cw_si_transaction *t)
{
    CW_STATE(s, t->state);
    CW_STATE(s, t->begin);
    CW_STATE(s, t->committed);
    CW_STATE(s, t->cts);
    CW_STATE(s, t->slot);
    CW_STATE(s, t->serial);
}

static void ids_state(struct cw_state *s, struct cw_si_center *c)
{
    for (uint32_t i = 0; i < CW_SI_IDS; i++)
        transaction_state(s, &c->id[i]);
    CW_STATE(s, c->unused);
    ring_state(s, &c->unused_ring, CW_SI_IDS);
    CW_STATE(s, c->order);
    CW_STATE(s, c->order_serial);
    ring_state(s, &c->order_ring, CW_SI_IDS * 4);
    CW_STATE(s, c->serial);
    CW_STATE(s, c->kept);
    ring_state(s, &c->kept_ring, CW_SI_IDS);
    queue_state(s, &c->begin);
    CW_STATE(s, c->running);
    CW_STATE(s, c->window);
    CW_STATE(s, c->hopeless);
    CW_STATE(s, c->hopeless_core);
    CW_STATE(s, c->hopeless_warp);
    CW_STATE(s, c->alone);
    CW_STATE(s, c->crowded);
    CW_STATE(s, c->dying.bits);
    CW_STATE(s, c->swept.bits);
    CW_STATE(s, c->sweeping);
}

/* ---- logical times ---- */

static void op_state(struct cw_state *s, struct cw_adapt_postdate_unit_op *op)
{
    CW_STATE(s, op->kind);
    CW_STATE(s, op->a);
    CW_STATE(s, op->b);
    CW_STATE(s, op->writer_asks);
    CW_STATE(s, op->time);
    CW_STATE(s, op->tag);
}

static void question_state(struct cw_state *s, struct cw_si_question *q)
{
    CW_STATE(s, q->edge);
    CW_STATE(s, q->exact);
    CW_STATE(s, q->id);
    CW_STATE(s, q->read_only);
    CW_STATE(s, q->partition);
    cw_si_fact_state(s, &q->fact);
}

static void times_state(struct cw_state *s, struct cw_si_times *t)
{
    cw_adapt_postdate_unit_state(s, t->unit);
    cw_state_count(s, "head", &t->head, CW_SI_UPDATES - 1);
    cw_state_count(s, "updates", &t->cnt, CW_SI_UPDATES);
    for (uint32_t i = 0; i < t->cnt; i++)
        op_state(s, &t->update[(t->head + i) % CW_SI_UPDATES]);
    for (uint32_t i = 0; i < sizeof t->question / sizeof t->question[0]; i++)
        question_state(s, &t->question[i]);
    CW_STATE(s, t->tag);
    CW_STATE(s, t->has_edge);
    op_state(s, &t->edge);
    CW_STATE(s, t->committing);
    CW_STATE(s, t->run_over);
    CW_STATE(s, t->read_only_cts);
    if (t->graph != NULL)
        cw_si_graph_state(s, t->graph);
}

/* ---- versions ---- */

static void version_state(struct cw_state *s, struct cw_si_version *v)
{
    CW_STATE(s, v->state);
    CW_STATE(s, v->created);
    CW_STATE(s, v->time);
    CW_STATE(s, v->readers);
    CW_STATE(s, v->cts);
    CW_STATE(s, v->content);
}

static void committer_state(struct cw_state *s, struct cw_si_committer *w)
{
    CW_STATE(s, w->core);
    CW_STATE(s, w->warp);
    CW_STATE(s, w->done);
    CW_STATE(s, w->late);
    CW_STATE(s, w->ranges);
    CW_STATE(s, w->since);
    CW_STATE(s, w->lanes);
    CW_STATE(s, w->id);
}

static void versions_state(struct cw_state *s, struct cw_si_center *c)
{
    for (uint32_t i = 0; i < CW_SI_SLOTS; i++)
        version_state(s, &c->version[i]);
    cw_state_count(s, "newest", &c->newest, CW_SI_SLOTS - 1);
    CW_STATE(s, c->open);
    CW_STATE(s, c->number);
    CW_STATE(s, c->renumbering);
    CW_STATE(s, c->copying);
    CW_STATE(s, c->copy_began);
    queue_state(s, &c->admission);
    cw_state_count(s, "committers", &c->committer_cnt, CW_SI_WAITING);
    for (uint32_t i = 0; i < c->committer_cnt; i++)
        committer_state(s, &c->committer[i]);
    CW_STATE(s, c->undone);
    CW_STATE(s, c->closing);
    CW_STATE(s, c->turn);
}

void cw_si__center_state(void *self, struct cw_state *s)
{
    struct cw_si_center *c = self;
    ids_state(s, c);
    if (!c->tm->oracle)
        times_state(s, &c->times);
    if (c->exact != NULL)
        cw_si_exact_state(s, c->exact);
    CW_STATE(s, c->attempt);
    versions_state(s, c);
}
