/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of GETM's validation unit, exact to the bit and the cycle: include/cowarp/unit/validation_unit.h is the
 * specification. GETM sections IV and V.B, Figures 6, 8 and 9.
 *
 * The C models of the cuckoo table, the recency Bloom filter and the stall buffer are its parts. All outputs are functions
 * of the state, so a tick leaves the next cycle's outputs in `out` and eval copies them. An idle clock returns at once.
 */
#include "cowarp/unit/validation_unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/cuckoo_table.h"
#include "cowarp/unit/recency_bloom_filter.h"
#include "cowarp/unit/stall_buffer.h"

#define OPEN     8u /* requests that are undecided or whose responses wait */
#define FORESEEN 3u /* cycles from the table's question about a granule until the stall buffer is asked for a place, inclusive */

struct request {
    uint64_t warpts, granule;
    uint32_t kind, owner, count, id;
    bool retried, spill;
};

struct response {
    uint64_t ts;
    uint32_t id, outcome;
};

enum action { ANSWER, STALL, NO_ANSWER };

/* What Figure 6 looks at: the granule's entry, or for a granule without one what the filter answered. */
struct metadata {
    uint64_t wts, rts;
    uint32_t writes, owner;
    bool room; /* a reservation of this request may be inserted */
};

/* What it says about one request. set_*: the entry takes the request's time (wts: the one after it), owner or the count of writes. */
struct verdict {
    enum action action;
    enum cw_vu_outcome outcome;
    uint64_t ts;
    bool update, wake;
    bool set_wts, set_rts, set_owner, set_writes;
    uint32_t writes;
};

/* A decision, a cycle later. */
struct decision {
    bool valid;
    struct request request;
    struct verdict verdict;
};

struct vu {
    struct cw_validation_unit_params p;
    struct cw_validation_unit_out out;
    uint64_t ts_mask, granule_mask;
    uint32_t count_mask, owner_mask, id_mask;

    uint32_t undecided; /* requests that are in the table, or whose decision is not carried out */
    uint32_t open;      /* these, and responses that wait */
    struct decision last;
    bool pushed; /* the decision before it went to the stall buffer */
    struct response response[OPEN];
    uint32_t first_response, responses;
    uint64_t foreseen[FORESEEN]; /* granules of results to come, as the table has asked for them */
    bool rollover, draining;

    void *table, *bloom, *stall;
    struct cw_cuckoo_table_in table_in;
    struct cw_cuckoo_table_out table_out;
    struct cw_recency_bloom_filter_in bloom_in;
    struct cw_recency_bloom_filter_out bloom_out;
    struct cw_stall_buffer_in stall_in;
    struct cw_stall_buffer_out stall_out;
};

static const struct cw_unit_ops *table_ops(void)
{
    return &cw_cuckoo_table_unit.c_model;
}

static const struct cw_unit_ops *bloom_ops(void)
{
    return &cw_recency_bloom_filter_unit.c_model;
}

static const struct cw_unit_ops *stall_ops(void)
{
    return &cw_stall_buffer_unit.c_model;
}

static uint64_t max64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t mask_of(uint32_t width)
{
    return ((uint64_t)1 << width) - 1;
}

/* Figure 6 ---------------------------------------------------------------------------------------------------------------- */

static void answer(struct verdict *v, enum cw_vu_outcome outcome, uint64_t ts)
{
    v->action = ANSWER;
    v->outcome = outcome;
    v->ts = ts;
    v->update = outcome == CW_VU_SUCCESS;
}

/* For a request whose owner holds the reservation. */
static void decide_owner(const struct vu *u, const struct request *r, const struct metadata *m, struct verdict *v)
{
    if (r->kind == CW_VU_STORE && m->writes == u->count_mask) {
        answer(v, CW_VU_FULL, r->warpts); /* the counter cannot count this write */
        return;
    }
    answer(v, CW_VU_SUCCESS, 0);
    if (r->kind == CW_VU_STORE) {
        v->set_writes = true;
        v->writes = m->writes + 1;
    } else
        v->set_rts = r->warpts > m->rts;
}

/* For a request whose time is right, of a granule that is not reserved. */
static void decide_free(const struct request *r, const struct metadata *m, struct verdict *v)
{
    if (r->kind == CW_VU_LOAD) {
        answer(v, CW_VU_SUCCESS, 0);
        v->set_rts = r->warpts > m->rts;
    } else if (m->room) {
        answer(v, CW_VU_SUCCESS, 0);
        v->set_wts = v->set_owner = v->set_writes = true;
        v->writes = 1;
    } else
        answer(v, CW_VU_FULL, r->warpts);
}

static void decide_access(const struct vu *u, const struct request *r, const struct metadata *m, bool drain, bool place, struct verdict *v)
{
    uint64_t newest = r->kind == CW_VU_LOAD ? m->wts : max64(m->wts, m->rts);
    if (r->warpts == u->ts_mask || (r->retried && drain))
        answer(v, CW_VU_ROLLOVER, r->warpts);
    else if (m->writes > 0 && m->owner == r->owner)
        decide_owner(u, r, m, v);
    else if (newest > r->warpts)
        answer(v, CW_VU_ABORT, newest);
    else if (m->writes == 0)
        decide_free(r, m, v);
    else if (drain)
        answer(v, CW_VU_ROLLOVER, r->warpts);
    else if (r->retried || place)
        v->action = STALL;
    else
        answer(v, CW_VU_FULL, r->warpts);
}

static void decide_release(const struct request *r, const struct metadata *m, struct verdict *v)
{
    v->action = NO_ANSWER;
    if (m->writes == 0)
        return;
    v->update = v->set_writes = true;
    v->writes = m->writes - (r->count < m->writes ? r->count : m->writes);
    v->wake = v->writes == 0;
}

static struct verdict decide(const struct vu *u, const struct request *r, const struct metadata *m, bool drain, bool place)
{
    struct verdict v = {.action = NO_ANSWER};
    if (r->kind == CW_VU_LOAD || r->kind == CW_VU_STORE)
        decide_access(u, r, m, drain, place, &v);
    else
        decide_release(r, m, &v);
    return v;
}

/* The request goes through the table ---------------------------------------------------------------------------------------- */

/* What travels with a look-up beside its granule, time and owner. */
static uint64_t pack_tag(const struct vu *u, const struct request *r)
{
    uint64_t flags = r->kind | (uint64_t)r->retried << 2 | (uint64_t)r->spill << 3;
    return r->id | (uint64_t)r->count << u->p.id_w | flags << (u->p.id_w + u->p.count_w);
}

static struct request request_of(const struct vu *u, const struct cw_cuckoo_table_out *t)
{
    uint64_t flags = t->res_tag >> (u->p.id_w + u->p.count_w);
    return (struct request){.warpts = t->res_ts,
                            .granule = t->res_granule,
                            .kind = (uint32_t)(flags & 3),
                            .owner = (uint32_t)t->res_look_owner,
                            .count = (uint32_t)(t->res_tag >> u->p.id_w) & u->count_mask,
                            .id = (uint32_t)t->res_tag & u->id_mask,
                            .retried = flags >> 2 & 1,
                            .spill = flags >> 3 & 1};
}

/* The table's result: decides its request, or asks for it again. Drives the table's inputs. */
static void serve_result(struct vu *u, bool drain)
{
    const struct cw_cuckoo_table_out *t = &u->table_out;
    struct cw_cuckoo_table_in *in = &u->table_in;
    bool just_pushed = u->pushed || (u->last.valid && u->last.verdict.action == STALL && !u->last.request.retried);
    struct request r = request_of(u, t);
    struct metadata m = {t->res_wts, t->res_rts, (uint32_t)t->res_writes, (uint32_t)t->res_owner, t->res_room && (t->res_easy || r.spill)};
    u->pushed = u->last.valid && u->last.verdict.action == STALL && !u->last.request.retried;
    u->last.valid = false;
    in->res_again = in->upd_valid = 0;
    if (!t->res_valid)
        return;
    in->res_again = just_pushed && r.kind < CW_VU_RELEASE && !r.retried && m.writes > 0;
    if (in->res_again)
        return;
    struct verdict v = decide(u, &r, &m, drain, u->stall_out.ask_place);
    in->upd_valid = v.update;
    in->upd_wts_set = v.set_wts;
    in->upd_rts_set = v.set_rts;
    in->upd_owner_set = v.set_owner;
    in->upd_writes_set = v.set_writes;
    in->upd_writes = v.writes;
    u->last = (struct decision){true, r, v};
}

/* What was decided in the cycle before: the response into its queue, or the stall buffer's inputs. */
static void carry_out(struct vu *u)
{
    struct cw_stall_buffer_in *in = &u->stall_in;
    const struct request *r = &u->last.request;
    const struct verdict *v = &u->last.verdict;
    bool stall = u->last.valid && v->action == STALL;
    in->push_valid = stall && !r->retried;
    in->wake_valid = u->last.valid && v->wake;
    in->done_valid = u->last.valid && r->retried;
    in->done_sleep = stall;
    if (!u->last.valid)
        return;
    in->push_granule = in->wake_granule = r->granule;
    in->push_warpts = r->warpts;
    in->push_payload = r->id | (uint64_t)r->owner << u->p.id_w | (uint64_t)(r->kind & 1) << (u->p.id_w + u->p.owner_w) |
                       (uint64_t)r->spill << (u->p.id_w + u->p.owner_w + 1);
    u->undecided--;
    if (v->action != ANSWER) {
        u->open--;
        return;
    }
    u->response[(u->first_response + u->responses) % OPEN] = (struct response){v->ts, r->id, v->outcome};
    u->responses++;
}

static bool in_top_eighth(const struct vu *u, uint64_t warpts)
{
    return warpts >> (u->p.ts_w - 3) == 7;
}

static struct request waiting_request(const struct vu *u)
{
    const struct cw_stall_buffer_out *s = &u->stall_out;
    uint64_t payload = s->retry_payload;
    return (struct request){.warpts = s->retry_warpts,
                            .granule = s->retry_granule,
                            .kind = (uint32_t)(payload >> (u->p.id_w + u->p.owner_w)) & 1,
                            .owner = (uint32_t)(payload >> u->p.id_w) & u->owner_mask,
                            .id = (uint32_t)payload & u->id_mask,
                            .retried = true,
                            .spill = payload >> (u->p.id_w + u->p.owner_w + 1) & 1};
}

static struct request new_request(const struct vu *u, const struct cw_validation_unit_in *in)
{
    return (struct request){.warpts = in->req_warpts & u->ts_mask,
                            .granule = in->req_granule & u->granule_mask,
                            .kind = (uint32_t)in->req_kind & 3,
                            .owner = (uint32_t)in->req_owner & u->owner_mask,
                            .count = (uint32_t)in->req_count & u->count_mask,
                            .id = (uint32_t)in->req_id & u->id_mask,
                            .spill = in->req_spill & 1};
}

/* The request of this cycle, if there is one, into the table's look-up channel. */
static void take_request(struct vu *u, const struct cw_validation_unit_in *in)
{
    struct request r;
    u->table_in.look_valid = 0;
    if (u->stall_in.retry_ready)
        r = waiting_request(u);
    else if (u->out.req_ready && (in->req_valid & 1))
        r = new_request(u, in);
    else
        return;
    if (!r.retried && r.kind < CW_VU_RELEASE && in_top_eighth(u, r.warpts))
        u->rollover = true;
    u->table_in.look_valid = 1;
    u->table_in.look_granule = r.granule;
    u->table_in.look_ts = r.warpts;
    u->table_in.look_owner = r.owner;
    u->table_in.look_tag = pack_tag(u, &r);
    u->undecided++;
    u->open++;
}

/* Cycles ------------------------------------------------------------------------------------------------------------------ */

/* The filter takes every eviction; with one copy of its RAMs, the table's question of that cycle is refused. */
static void drive_bloom(struct vu *u)
{
    struct cw_recency_bloom_filter_in *b = &u->bloom_in;
    const struct cw_cuckoo_table_out *t = &u->table_out;
    u->table_in.read_ready = u->p.bloom_copies == 2 || !t->evict_valid;
    b->lkp_valid = t->read_valid && u->table_in.read_ready;
    b->lkp_key = t->read_granule;
    b->ins_valid = t->evict_valid;
    b->ins_key = t->evict_granule;
    b->ins_v0 = t->evict_wts;
    b->ins_v1 = t->evict_rts;
    u->table_in.miss_wts = u->bloom_out.rsp_v0;
    u->table_in.miss_rts = u->bloom_out.rsp_v1;
}

/* The stall buffer is asked for a place for the granule whose result comes in the next cycle. */
static void foresee(struct vu *u)
{
    for (uint32_t i = FORESEEN - 1; i > 0; i--)
        u->foreseen[i] = u->foreseen[i - 1];
    u->foreseen[0] = u->table_out.read_granule;
}

static void tick_parts(struct vu *u)
{
    table_ops()->tick(u->table, &u->table_in);
    if (u->bloom_out.busy || u->bloom_in.lkp_valid || u->bloom_in.ins_valid || u->bloom_in.clear) {
        bloom_ops()->tick(u->bloom, &u->bloom_in);
        u->bloom_in.lkp_valid = u->bloom_in.ins_valid = 0;
        bloom_ops()->eval(u->bloom, &u->bloom_in, &u->bloom_out);
    }
    stall_ops()->tick(u->stall, &u->stall_in);
    u->draining = u->stall_in.drain;
}

/* The parts' outputs of the coming cycle, all as functions of their states, and the unit's own. */
static void present(struct vu *u)
{
    struct cw_validation_unit_out *o = &u->out;
    struct cw_cuckoo_table_out *t = &u->table_out;
    table_ops()->eval(u->table, &u->table_in, t);
    stall_ops()->eval(u->stall, &u->stall_in, &u->stall_out);

    bool open = t->look_ready && u->bloom_out.lkp_ready && u->open < OPEN;
    o->req_ready = open && !u->stall_out.pending;
    u->stall_in.retry_ready = open && u->stall_out.retry_valid && u->undecided == 0;
    const struct response *s = &u->response[u->first_response];
    o->rsp_valid = u->responses > 0;
    o->rsp_id = u->responses > 0 ? s->id : 0;
    o->rsp_outcome = u->responses > 0 ? s->outcome : 0;
    o->rsp_ts = u->responses > 0 ? s->ts : 0;
    if (t->mem_valid || o->mem_valid) {
        o->mem_valid = t->mem_valid;
        o->mem_write = t->mem_write;
        o->mem_addr = t->mem_addr;
        memcpy(o->mem_wdata, t->mem_wdata, sizeof o->mem_wdata);
    }
    o->rollover = u->rollover;
    o->evt_lookup = t->evt_done;
    o->evt_table_cycles = t->evt_cycles;
    o->evt_stall = u->last.valid && u->last.verdict.action == STALL;
    o->evt_retry = u->last.valid && u->last.request.retried;
    o->evt_evict = t->evict_valid;
    o->evt_stash = t->evt_stash;
    o->evt_overflow = t->evt_overflow;
    o->stall_occupancy = u->stall_out.occupancy;
    o->stall_lines_used = u->stall_out.lines_used;
    o->busy = t->busy || u->bloom_out.busy || u->open > 0 || u->last.valid || u->pushed || u->stall_out.pending || u->draining;
}

static void vu_tick(void *self, const void *inputs)
{
    struct vu *u = self;
    const struct cw_validation_unit_in *in = inputs;
    if (!u->out.busy && !(in->req_valid & 1) && !(in->drain & 1) && !(in->flush & 1))
        return;
    bool flush = (in->flush & 1) && !u->out.busy && !(in->req_valid & 1) && u->stall_out.occupancy == 0;
    u->table_in.flush = u->bloom_in.clear = flush;
    u->rollover = u->rollover && !flush;
    if (u->out.rsp_valid && (in->rsp_ready & 1)) {
        u->first_response = (u->first_response + 1) % OPEN;
        u->responses--;
        u->open--;
    }
    take_request(u, in);
    carry_out(u);
    serve_result(u, in->drain & 1);
    u->stall_in.drain = in->drain & 1;
    u->stall_in.ask_granule = u->foreseen[FORESEEN - 1];
    u->table_in.mem_ready = in->mem_ready;
    u->table_in.mem_rsp_valid = in->mem_rsp_valid;
    if (in->mem_rsp_valid & 1)
        memcpy(u->table_in.mem_rdata, in->mem_rdata, sizeof in->mem_rdata);
    foresee(u);
    drive_bloom(u);
    tick_parts(u);
    present(u);
}

static void vu_eval(void *self, const void *inputs, void *outputs)
{
    const struct vu *u = self;
    (void)inputs;
    memcpy(outputs, &u->out, sizeof u->out);
}

static void vu_reset(void *self)
{
    struct vu *u = self;
    table_ops()->reset(u->table);
    bloom_ops()->reset(u->bloom);
    stall_ops()->reset(u->stall);
    u->undecided = u->open = u->first_response = u->responses = 0;
    u->rollover = u->draining = u->pushed = u->last.valid = false;
    memset(u->foreseen, 0, sizeof u->foreseen);
    memset(&u->out, 0, sizeof u->out);
    memset(&u->table_in, 0, sizeof u->table_in);
    memset(&u->bloom_in, 0, sizeof u->bloom_in);
    memset(&u->stall_in, 0, sizeof u->stall_in);
    bloom_ops()->eval(u->bloom, &u->bloom_in, &u->bloom_out);
    present(u);
}

static void vu_destroy(void *self)
{
    struct vu *u = self;
    if (u == NULL)
        return;
    table_ops()->destroy(u->table);
    bloom_ops()->destroy(u->bloom);
    stall_ops()->destroy(u->stall);
    free(u);
}

static int create_parts(struct vu *u)
{
    const struct cw_validation_unit_params *p = &u->p;
    struct cw_cuckoo_table_params table = {.ts_w = p->ts_w,
                                           .granule_w = p->granule_w,
                                           .owner_w = p->owner_w,
                                           .count_w = p->count_w,
                                           .tag_w = 4 + p->count_w + p->id_w,
                                           .row_w = p->row_w,
                                           .stash_entries = p->stash_entries,
                                           .max_swaps = p->max_swaps,
                                           .evict_fill = p->evict_fill,
                                           .overflow_w = p->overflow_w};
    struct cw_recency_bloom_filter_params bloom = {
        .ways = 4, .row_w = p->bloom_row_w, .key_w = p->granule_w, .fields = 2, .value_w = p->ts_w, .dual_read = p->bloom_copies - 1};
    struct cw_stall_buffer_params stall = {.lines = p->stall_lines,
                                           .entries = p->stall_entries,
                                           .granule_w = p->granule_w,
                                           .ts_w = p->ts_w,
                                           .payload_w = 2 + p->owner_w + p->id_w};
    int status = table_ops()->create(&u->table, &table);
    if (status == CW_OK)
        status = bloom_ops()->create(&u->bloom, &bloom);
    if (status == CW_OK)
        status = stall_ops()->create(&u->stall, &stall);
    return status;
}

static int vu_create(void **self, const void *params)
{
    const struct cw_validation_unit_params *p = params;
    if (cw_unit_params_check(&cw_validation_unit_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct vu *u = calloc(1, sizeof *u);
    if (u == NULL)
        return CW_ENOMEM;
    u->p = *p;
    u->ts_mask = mask_of(p->ts_w);
    u->granule_mask = mask_of(p->granule_w);
    u->count_mask = (uint32_t)mask_of(p->count_w);
    u->owner_mask = (uint32_t)mask_of(p->owner_w);
    u->id_mask = (uint32_t)mask_of(p->id_w);
    int status = create_parts(u);
    if (status != CW_OK) {
        vu_destroy(u);
        return status;
    }
    vu_reset(u);
    *self = u;
    return CW_OK;
}

/* State ------------------------------------------------------------------------------------------------------------------- */

static void decision_state(struct cw_state *s, struct decision *d)
{
    CW_STATE(s, d->valid);
    CW_STATE(s, d->request.warpts);
    CW_STATE(s, d->request.granule);
    CW_STATE(s, d->request.kind);
    CW_STATE(s, d->request.owner);
    CW_STATE(s, d->request.id);
    CW_STATE(s, d->request.retried);
    CW_STATE(s, d->request.spill);
    CW_STATE(s, d->verdict.action);
    CW_STATE(s, d->verdict.outcome);
    CW_STATE(s, d->verdict.ts);
    CW_STATE(s, d->verdict.wake); /* The rest has gone to the table. */
}

static void parts_state(struct cw_state *s, struct vu *u)
{
    table_ops()->state(u->table, s);
    bloom_ops()->state(u->bloom, s);
    stall_ops()->state(u->stall, s);
    CW_STATE_PORTS(s, u->table_in);
    CW_STATE_PORTS(s, u->table_out);
    CW_STATE_PORTS(s, u->bloom_in);
    CW_STATE_PORTS(s, u->bloom_out);
    CW_STATE_PORTS(s, u->stall_in);
    CW_STATE_PORTS(s, u->stall_out);
}

static void vu_state(void *self, struct cw_state *s)
{
    struct vu *u = self;
    CW_STATE_PORTS(s, u->out);
    CW_STATE(s, u->undecided);
    CW_STATE(s, u->open);
    decision_state(s, &u->last);
    CW_STATE(s, u->pushed);
    cw_state_count(s, "first response", &u->first_response, OPEN - 1);
    cw_state_count(s, "responses", &u->responses, OPEN);
    for (uint32_t i = 0; i < OPEN; i++) {
        CW_STATE(s, u->response[i].ts);
        CW_STATE(s, u->response[i].id);
        CW_STATE(s, u->response[i].outcome);
    }
    CW_STATE(s, u->foreseen);
    CW_STATE(s, u->rollover);
    CW_STATE(s, u->draining);
    parts_state(s, u);
}

#define CW_UNIT__PARAMS_T struct cw_validation_unit_params
#define CW_UNIT__IN_T     struct cw_validation_unit_in
#define CW_UNIT__OUT_T    struct cw_validation_unit_out
CW_UNIT_DEFINE_WORDS(validation_unit, CW_VALIDATION_UNIT_PARAMS, CW_VALIDATION_UNIT_PORTS, CW_VALIDATION_UNIT_WORDS, vu_create, vu_destroy,
                     vu_reset, vu_eval, vu_tick, vu_state);
