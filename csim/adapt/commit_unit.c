/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/commit_unit.h"

#include <stdlib.h>

#include "adapt/open.h"
#include "base/machine.h"
#include "base/ring.h"

struct answer {
    uint64_t id, ycid;
    bool again, yes; /* yes: found, passed */
};

struct answers {
    struct answer *at;
    uint32_t cap;
    struct cw_ring ring;
};

struct cw_adapt_commit_unit {
    struct cw_unit_instance unit;
    struct cw_commit_unit_in in;
    struct cw_commit_unit_out out;
    struct cw_adapt_commit_unit_view view;
    uint64_t mask; /* of the hardware's IDs */
    uint32_t entries;
    bool looked; /* the view is of this state */
    struct answers detected, validated, written;
    void (*fault)(void *context, int status, const char *text); /* may be NULL */
    void *fault_context;
};

/* The system's ID of one in the window. */
static uint64_t from_unit(const struct cw_adapt_commit_unit *r, uint64_t cid)
{
    return r->view.oldest + ((cid - r->view.oldest) & r->mask);
}

const struct cw_adapt_commit_unit_view *cw_adapt_commit_unit_look(struct cw_adapt_commit_unit *r)
{
    struct cw_adapt_commit_unit_view *v = &r->view;
    if (r->looked)
        return v;
    const struct cw_commit_unit_out *out = &r->out;
    r->looked = true;
    r->unit.ops->eval(r->unit.self, &r->in, &r->out);
    if (out->illegal && r->fault != NULL)
        r->fault(r->fault_context, CW_EFAULT, "a commit unit says that an event was illegal: it has lost count of its entries");
    v->oldest = from_unit(r, out->oldest_cid);
    v->hazard = out->haz_valid;
    v->hazard_id = from_unit(r, out->haz_cid);
    v->hazard_rcid = v->hazard_id - ((out->haz_cid - out->haz_rcid) & r->mask);
    v->revalidate = out->rev_valid;
    v->revalidate_id = from_unit(r, out->rev_cid);
    v->write = out->com_valid;
    v->write_id = from_unit(r, out->com_cid);
    v->commit = out->com_valid ? v->write_id : from_unit(r, out->commit_cid);
    v->report = out->rep_valid;
    v->report_id = from_unit(r, out->rep_cid);
    v->report_pass = out->rep_pass;
    v->waiting = out->waiting;
    return v;
}

void cw_adapt_commit_unit_take_hazard(struct cw_adapt_commit_unit *r)
{
    r->in.haz_ready = 1;
}

void cw_adapt_commit_unit_take_revalidate(struct cw_adapt_commit_unit *r)
{
    r->in.rev_ready = 1;
}

void cw_adapt_commit_unit_take_write(struct cw_adapt_commit_unit *r)
{
    r->in.com_ready = 1;
}

static int push(struct answers *q, struct answer a)
{
    if (q->ring.cnt == q->cap) {
        struct answer *larger = cw_ring_grow(&q->ring, q->at, &q->cap, sizeof *q->at);
        if (larger == NULL)
            return CW_ENOMEM;
        q->at = larger;
    }
    q->at[cw_ring_add(&q->ring, q->cap)] = a;
    return CW_OK;
}

int cw_adapt_commit_unit_detected(struct cw_adapt_commit_unit *r, uint64_t id, bool found, uint64_t ycid)
{
    return push(&r->detected, (struct answer){.id = id, .ycid = ycid, .yes = found});
}

int cw_adapt_commit_unit_validated(struct cw_adapt_commit_unit *r, uint64_t id, bool again, bool pass)
{
    return push(&r->validated, (struct answer){.id = id, .again = again, .yes = pass});
}

int cw_adapt_commit_unit_written(struct cw_adapt_commit_unit *r, uint64_t id)
{
    return push(&r->written, (struct answer){.id = id});
}

bool cw_adapt_commit_unit_send(struct cw_adapt_commit_unit *r, const struct cw_adapt_commit_unit_message *m)
{
    struct cw_commit_unit_in *in = &r->in;
    int skip = __builtin_ctz(m->entries); /* those before may have retired, and be outside the window */
    if (m->first + (uint32_t)(31 - __builtin_clz(m->entries)) >= r->view.oldest + r->entries)
        return false;
    in->msg_valid = 1;
    in->msg_kind = m->kind;
    in->msg_cid = (m->first + (uint32_t)skip) & r->mask;
    in->msg_lanes = m->entries >> skip;
    in->msg_reads = m->reads >> skip;
    in->msg_writes = m->writes >> skip;
    in->msg_pass = m->pass >> skip;
    return true;
}

/* The answer of this cycle, or NULL. */
static const struct answer *next_answer(struct answers *q)
{
    const struct answer *a = q->at + q->ring.head;
    if (q->ring.cnt == 0)
        return NULL;
    cw_ring_take(&q->ring, q->cap);
    return a;
}

static void drive_answers(struct cw_adapt_commit_unit *r)
{
    struct cw_commit_unit_in *in = &r->in;
    const struct answer *a = next_answer(&r->detected);
    in->hza_valid = a != NULL;
    if (a != NULL) {
        in->hza_cid = a->id & r->mask;
        in->hza_found = a->yes;
        in->hza_ycid = a->ycid & r->mask;
    }
    a = next_answer(&r->validated); /* a report is taken in every cycle, so at most one waits, and val is always ready */
    in->val_valid = a != NULL;
    if (a != NULL) {
        in->val_cid = a->id & r->mask;
        in->val_again = a->again;
        in->val_pass = a->yes;
    }
    a = next_answer(&r->written);
    in->wb_valid = a != NULL;
    if (a != NULL)
        in->wb_cid = a->id & r->mask;
}

bool cw_adapt_commit_unit_clock(struct cw_adapt_commit_unit *r)
{
    struct cw_commit_unit_in *in = &r->in;
    bool events = in->msg_valid || r->detected.ring.cnt + r->validated.ring.cnt + r->written.ring.cnt > 0;
    if (!events && !in->haz_ready && !in->rev_ready && !in->com_ready && !r->out.busy)
        return false;
    drive_answers(r);
    if (r->unit.ops != &cw_commit_unit_unit.c_model) /* which needs it only for the outputs; a trace shows the inputs too */
        r->unit.ops->eval(r->unit.self, in, &r->out);
    r->unit.ops->tick(r->unit.self, in);
    r->looked = false;
    in->msg_valid = in->haz_ready = in->rev_ready = in->com_ready = 0;
    in->hza_valid = in->val_valid = in->wb_valid = 0;
    return true;
}

int cw_adapt_commit_unit_create(struct cw_adapt_commit_unit **out, const struct cw_adapt_commit_unit_config *config, struct cw_error *err)
{
    struct cw_adapt_commit_unit *r = *out = calloc(1, sizeof *r);
    if (r == NULL)
        return CW_ENOMEM;
    struct cw_commit_unit_params p;
    r->fault = config->fault;
    r->fault_context = config->fault_context;
    cw_unit_params_default(&cw_commit_unit_unit, &p);
    p.entries = r->entries = config->entries;
    p.lanes = CW_LANES;
    p.cid_w = config->id_bits;
    p.fail_waits = 0; /* a core decides nothing for what has failed here */
    r->mask = (UINT64_C(1) << config->id_bits) - 1;
    r->in.rep_ready = r->in.ret_ready = 1;
    return cw_adapt_open(&r->unit, config->units, &cw_commit_unit_unit, "partition", config->partition, &p, err);
}

void cw_adapt_commit_unit_destroy(struct cw_adapt_commit_unit *r)
{
    if (r == NULL)
        return;
    cw_adapt_close(&r->unit);
    free(r->detected.at);
    free(r->validated.at);
    free(r->written.at);
    free(r);
}

static void view_state(struct cw_state *s, struct cw_adapt_commit_unit_view *v)
{
    CW_STATE(s, v->oldest);
    CW_STATE(s, v->commit);
    CW_STATE(s, v->hazard);
    CW_STATE(s, v->hazard_id);
    CW_STATE(s, v->hazard_rcid);
    CW_STATE(s, v->revalidate);
    CW_STATE(s, v->revalidate_id);
    CW_STATE(s, v->write);
    CW_STATE(s, v->write_id);
    CW_STATE(s, v->report);
    CW_STATE(s, v->report_id);
    CW_STATE(s, v->report_pass);
    CW_STATE(s, v->waiting);
}

static void answers_state(struct cw_state *s, struct answers *q)
{
    CW_STATE_GROWN(s, q->ring.cnt, q->at, q->cap);
    if (cw_state_loads(s))
        q->ring.head = 0;
    for (uint32_t i = 0; i < q->ring.cnt; i++) {
        struct answer *a = &q->at[cw_ring_at(&q->ring, i, q->cap)];
        CW_STATE(s, a->id);
        CW_STATE(s, a->ycid);
        CW_STATE(s, a->again);
        CW_STATE(s, a->yes);
    }
}

void cw_adapt_commit_unit_state(struct cw_state *s, struct cw_adapt_commit_unit *r)
{
    cw_adapt_state(s, &r->unit);
    CW_STATE_PORTS(s, r->in);
    CW_STATE_PORTS(s, r->out);
    view_state(s, &r->view);
    CW_STATE(s, r->looked);
    answers_state(s, &r->detected);
    answers_state(s, &r->validated);
    answers_state(s, &r->written);
}
