/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a partition's half of snapshot isolation (base/state.h). A transactional access is the partition's message while this half looks
 * at it, so it is named by reference.
 */
#include <stdlib.h>

#include "mech/snapshot/port/port.h"

#define OPS_MOST (UINT32_C(1) << 20)

static void ring_state(struct cw_state *s, struct cw_ring *r, uint32_t places)
{
    cw_state_count(s, "head", &r->head, places - 1);
    cw_state_count(s, "entries", &r->cnt, places);
}

static void name_state(struct cw_state *s, struct cw_attempt_name *n)
{
    CW_STATE(s, n->core);
    CW_STATE(s, n->warp);
    CW_STATE(s, n->attempt);
}

/* ---- accesses and tables ---- */

/* The array of accesses, those in use and the others. A free one has no message. */
static void accesses_state(struct cw_state *s, struct cw_si_port *u)
{
    uint32_t cap = u->op_cap;
    cw_state_count(s, "accesses", &cap, OPS_MOST);
    if (cw_state_loads(s) && cap > u->op_cap) {
        struct cw_si_op *all = realloc(u->op, cap * sizeof *all);
        if (all == NULL) {
            cw_state_fail(s, CW_ENOMEM, "out of host memory");
            return;
        }
        u->op = all;
    }
    u->op_cap = cap;
    bool *is_free = calloc(cap + 1, sizeof *is_free);
    if (is_free == NULL) {
        cw_state_fail(s, CW_ENOMEM, "out of host memory");
        return;
    }
    for (uint32_t i = 0; i < cap; i++)
        CW_STATE(s, u->op[i].next);
    CW_STATE(s, u->op_free);
    for (uint32_t i = u->op_free, left = cap; i < cap && left > 0; i = u->op[i].next, left--)
        is_free[i] = true;
    for (uint32_t i = 0; i < cap; i++) {
        struct cw_si_op *o = &u->op[i];
        if (is_free[i])
            continue;
        CW_STATE(s, o->gone);
        if (o->gone)
            cw_message_state(s, &o->p);
        else
            cw_message_ref_state(s, &o->p);
        CW_STATE(s, o->since);
        CW_STATE(s, o->scanned);
        CW_STATE(s, o->asked);
        CW_STATE(s, o->questions);
        CW_STATE(s, o->pending);
    }
    free(is_free);
    CW_STATE(s, u->op_first);
    CW_STATE(s, u->op_last);
    CW_STATE(s, u->ops);
    CW_STATE(s, u->ahead);
}

static void question_state(struct cw_state *s, struct cw_si_table_question *q)
{
    CW_STATE(s, q->kind);
    CW_STATE(s, q->op);
    CW_STATE(s, q->lane);
    CW_STATE(s, q->asked.kind);
    CW_STATE(s, q->asked.word);
    CW_STATE(s, q->asked.id);
    CW_STATE(s, q->answer.valid);
    CW_STATE(s, q->answer.result);
    CW_STATE(s, q->answer.owner);
    CW_STATE(s, q->answer.cnt);
    CW_STATE(s, q->answer.id);
    CW_STATE(s, q->to_add);
    CW_STATE(s, q->to_list);
    CW_STATE(s, q->open);
}

static void scan_state(struct cw_state *s, struct cw_si_scan *c)
{
    CW_STATE(s, c->left);
    CW_STATE(s, c->group);
    CW_STATE(s, c->word);
    ring_state(s, &c->ring, CW_SI_QUESTIONS);
    for (uint32_t i = 0; i < CW_SI_QUESTIONS; i++)
        question_state(s, &c->question[i]);
    CW_STATE(s, c->offered);
    CW_STATE(s, c->answered);
    CW_STATE(s, c->granted);
    CW_STATE(s, c->told_writers);
    CW_STATE(s, c->told_readers);
    CW_STATE(s, c->promised);
    for (uint32_t i = 0; i < CW_SI_LISTS; i++) {
        CW_STATE(s, c->list[i].question);
        CW_STATE(s, c->list[i].lane);
    }
}

/* sitm-oracle has no tables. */
static void tables_state(struct cw_state *s, struct cw_si_port *u)
{
    if (u->writers != NULL)
        cw_adapt_writer_table_state(s, u->writers);
    for (uint32_t i = 0; i < CW_SI_LISTS; i++)
        if (u->readers[i] != NULL)
            cw_adapt_scalable_reader_list_state(s, u->readers[i]);
    ring_state(s, &u->state_ring, CW_SI_STATES);
    for (uint32_t i = 0; i < u->state_ring.cnt; i++) {
        struct cw_si_writer_note *n = &u->state[cw_ring_at(&u->state_ring, i, CW_SI_STATES)];
        CW_STATE(s, n->sweep);
        CW_STATE(s, n->kind);
        CW_STATE(s, n->id);
    }
    CW_STATE(s, u->sweeping);
}

static void ids_state(struct cw_state *s, struct cw_si_port *u)
{
    CW_STATE(s, u->live.bits);
    CW_STATE(s, u->owner);
    CW_STATE(s, u->committed);
    for (uint32_t i = 0; i < CW_SI_IDS; i++) {
        CW_STATE(s, u->who[i].core);
        CW_STATE(s, u->who[i].warp);
        CW_STATE(s, u->who[i].lane);
    }
}

/* ---- commits ---- */

static void commit_state(struct cw_state *s, struct cw_si_commit *g)
{
    name_state(s, &g->attempt);
    CW_STATE_GROWN(s, g->word_cnt, g->word, g->word_cap);
    for (uint32_t i = 0; i < g->word_cnt; i++) {
        CW_STATE(s, g->word[i].addr);
        CW_STATE(s, g->word[i].value);
        CW_STATE(s, g->word[i].bytes);
        CW_STATE(s, g->word[i].lane);
        CW_STATE(s, g->word[i].taken);
    }
    CW_STATE(s, g->accessed);
    CW_STATE(s, g->fail);
    CW_STATE(s, g->pass);
    CW_STATE(s, g->slot);
    CW_STATE(s, g->written);
    CW_STATE(s, g->on_way);
    CW_STATE(s, g->active);
    CW_STATE(s, g->decided);
}

static void commits_state(struct cw_state *s, struct cw_si_port *u)
{
    const uint32_t warps = u->tm->config->core_count * u->tm->config->core_warps;
    for (uint32_t i = 0; i < warps; i++)
        commit_state(s, &u->commit[i]);
    cw_state_count(s, "active", &u->active_cnt, warps);
    cw_state_array(s, "active", u->active, u->active_cnt, sizeof *u->active);
    CW_STATE(s, u->input_free);
    CW_STATE(s, u->write_free);
}

static void request_state(struct cw_state *s, struct cw_si_request_out *r)
{
    CW_STATE(s, r->ready);
    CW_STATE(s, r->commit);
    cw_state_count(s, "words", &r->cnt, CW_LANES);
    CW_STATE(s, r->words);
}

/* A write that has not gone to the L2 is this half's own message. */
static void requests_state(struct cw_state *s, struct cw_si_port *u)
{
    bool own[CW_SI_REQUESTS] = {false};
    ring_state(s, &u->request_ring, CW_SI_REQUESTS);
    for (uint32_t i = 0; i < u->request_ring.cnt; i++)
        own[cw_ring_at(&u->request_ring, i, CW_SI_REQUESTS)] = true;
    for (uint32_t i = 0; i < CW_SI_REQUESTS; i++) {
        if (own[i])
            cw_message_state(s, &u->request[i].p);
        else
            cw_message_ref_state(s, &u->request[i].p);
        request_state(s, &u->request[i]);
    }
    CW_STATE(s, u->in_l2);
    CW_STATE(s, u->fed);
}

/* ---- the half ---- */

void cw_si__port_state(void *self, struct cw_state *s)
{
    struct cw_si_port *u = self;
    CW_STATE(s, u->renumbers);
    accesses_state(s, u);
    scan_state(s, &u->scan);
    tables_state(s, u);
    ids_state(s, u);
    commits_state(s, u);
    requests_state(s, u);
    CW_STATE(s, u->copy.active);
    CW_STATE(s, u->copy.copied);
    CW_STATE(s, u->copy.to);
    CW_STATE(s, u->copy.regions);
    ring_state(s, &u->out_ring, CW_SI_OUT);
    for (uint32_t i = 0; i < u->out_ring.cnt; i++)
        cw_message_state(s, &u->out[cw_ring_at(&u->out_ring, i, CW_SI_OUT)]);
}

/* The index table is a component of its own, behind this one. */
void cw_si__port_index_state(void *self, struct cw_state *s)
{
    struct cw_si_port *u = self;
    cw_si__index_state(s, u->index_table);
}
