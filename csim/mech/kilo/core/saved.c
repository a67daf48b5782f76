/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a core half of the Kilo TM family (base/state.h). What it works with inside one cycle alone (`table`) is not among it. */
#include "mech/tm/saved.h"
#include "mech/kilo/core/core_half.h"

/* A request for commit IDs is one of the wires' records; what it points to is the warp's. */
static void request_state(struct cw_state *s, struct cw_kilo_core *c, uint32_t warp)
{
    struct cw_kilo_request *r = cw_kilo_request_of(&c->tm->wires, c->half.index, warp);
    if (!cw_state_loads(s))
        return;
    r->log = &c->half.warp[warp].log;
    r->stamp = c->warp[warp].stamp;
}

static void walk_state(struct cw_state *s, struct cw_kilo_warp *w)
{
    CW_STATE(s, w->probe);
    CW_STATE(s, w->probe_phase);
    CW_STATE(s, w->probe_at);
    CW_STATE(s, w->first_id);
    CW_STATE(s, w->epoch);
    CW_STATE(s, w->walk_free);
    CW_STATE(s, w->members);
    CW_STATE(s, w->rows_read);
    CW_STATE(s, w->rows_written);
    CW_STATE(s, w->verdicts);
    CW_STATE(s, w->passed_at);
    CW_STATE(s, w->undecided);
    CW_STATE(s, w->failed);
    CW_STATE(s, w->acks);
}

static void warp_state(struct cw_state *s, struct cw_kilo_core *c, uint32_t warp)
{
    struct cw_kilo_warp *w = &c->warp[warp];
    uint32_t rows = w->stamp != NULL ? c->half.warp[warp].log.read_cnt : 0;
    CW_STATE(s, w->paused);
    CW_STATE(s, w->losers);
    CW_STATE(s, w->refused);
    CW_STATE(s, w->unscanned);
    CW_STATE(s, w->adding);
    walk_state(s, w);
    CW_STATE_GROWN(s, rows, w->stamp, w->stamp_cap);
    cw_state_array(s, "stamp", w->stamp, (size_t)rows * CW_LANES, sizeof(uint64_t));
    request_state(s, c, warp);
}

static void load_state(struct cw_state *s, struct cw_kilo_load *l)
{
    CW_STATE(s, l->paused);
    CW_STATE(s, l->removals);
    CW_STATE(s, l->word);
    CW_STATE(s, l->stamp);
}

static void question_state(struct cw_state *s, struct cw_kilo_core *c)
{
    struct cw_kilo_question *q = &c->question;
    const uint32_t words = sizeof q->word / sizeof q->word[0];
    CW_STATE_REF(s, q->access, c->half.access.pool, CW_ACCESSES);
    cw_state_count(s, "words", &q->cnt, words);
    cw_state_count(s, "asked", &q->asked, words);
    cw_state_count(s, "answered", &q->answered, words);
    cw_state_array(s, "word", q->word, q->cnt, sizeof q->word[0]);
    cw_state_array(s, "lanes", q->lanes, q->cnt, sizeof q->lanes[0]);
    CW_STATE(s, q->held);
}

static void resend_state(struct cw_state *s, struct cw_kilo_core *c)
{
    cw_state_count(s, "head", &c->resend_ring.head, CW_KILO_RESENDS - 1);
    cw_state_count(s, "resends", &c->resend_ring.cnt, CW_KILO_RESENDS);
    for (uint32_t i = 0; i < c->resend_ring.cnt; i++) {
        struct cw_kilo_resend *r = &c->resend[cw_ring_at(&c->resend_ring, i, CW_KILO_RESENDS)];
        CW_STATE(s, r->first_id);
        CW_STATE(s, r->row);
        CW_STATE(s, r->warp);
        CW_STATE(s, r->lane);
        CW_STATE(s, r->partition);
        CW_STATE(s, r->write);
        CW_STATE(s, r->half);
    }
}

/* EAPG: loads that wait, and the table that they wait for. */
static void pauses_state(struct cw_state *s, struct cw_kilo_core *c)
{
    cw_tm_queue_state(s, &c->half.access, &c->fresh);
    cw_tm_queue_state(s, &c->half.access, &c->pause);
    question_state(s, c);
    CW_STATE(s, c->removals);
    if (c->cat != NULL)
        cw_adapt_conflict_address_table_state(s, c->cat);
}

void cw_kilo__core_state(struct cw_state *s, struct cw_kilo_core *c)
{
    cw_tm_core_state(s, &c->half);
    for (uint32_t w = 0; w < c->tm->config->core_warps; w++)
        warp_state(s, c, w);
    for (uint32_t i = 0; i < CW_ACCESSES; i++)
        load_state(s, &c->load[i]);
    pauses_state(s, c);
    cw_state_count(s, "probing", &c->probing_cnt, sizeof c->probing);
    CW_STATE(s, c->probing);
    CW_STATE(s, c->resolving);
    if (c->first_read != NULL)
        cw_adapt_first_read_table_state(s, c->first_read);
    CW_STATE(s, c->asking);
    CW_STATE(s, c->watchdog);
    resend_state(s, c);
    CW_STATE(s, c->readers);
    CW_STATE(s, c->overwritten);
}
