/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of GETM's validation unit, exact to the bit and the cycle: include/cowarp/unit/validation_unit.h is the
 * specification and docs/units/validation_unit.md its pipeline. GETM sections IV and V.B, Figures 6, 8 and 9.
 *
 * The C models of the cuckoo table, the recency Bloom filter and the stall buffer are its parts. All outputs are functions
 * of the state, so a tick leaves the next cycle's outputs in `out` and eval copies them. An idle clock returns at once.
 */
#include "cowarp/unit/validation_unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cowarp/unit/cuckoo_table.h"
#include "cowarp/unit/recency_bloom_filter.h"
#include "cowarp/unit/stall_buffer.h"

#define PIPE      3u /* look-ups that the table holds */
#define RESPONSES 4u /* places in the response queue */
#define RECENT    2u /* evictions that the Bloom filter's answer may not cover yet, besides the one on the channel */

struct request {
    uint64_t warpts;
    uint32_t kind, owner, count, id;
    bool retried, spill;
};

struct response {
    uint64_t ts;
    uint32_t id, outcome;
};

struct eviction {
    bool valid;
    uint64_t granule, wts, rts;
};

enum action { ANSWER, STALL, NO_ANSWER };

/* What the flow chart of Figure 6 says about one request. */
struct verdict {
    enum action action;
    enum cw_vu_outcome outcome;
    uint64_t ts;
    bool update, wake;
    uint64_t wts, rts;
    uint32_t writes, owner; /* the entry's new value */
};

struct vu {
    struct cw_validation_unit_params p;
    struct cw_validation_unit_out out;
    uint64_t ts_mask, granule_mask;
    uint32_t count_mask, owner_mask, id_mask;

    struct request pipe[PIPE]; /* in the table, oldest first */
    uint32_t piped;
    bool retrying; /* the one in the pipe came from the stall buffer */
    struct response response[RESPONSES];
    uint32_t first_response, responses;
    struct eviction recent[RECENT];
    bool rollover, draining;
    bool stall_ticked; /* the stall buffer may have changed since stall_out was taken */

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

/* The offered entry; for a granule without one, the approximate timestamps: the Bloom filter's, and those of evictions
 * that its answer is too old to cover. */
static void current_entry(const struct vu *u, struct verdict *v)
{
    const struct cw_cuckoo_table_out *t = &u->table_out;
    v->wts = t->res_wts;
    v->rts = t->res_rts;
    v->writes = (uint32_t)t->res_writes;
    v->owner = (uint32_t)t->res_owner;
    if (t->res_found)
        return;
    v->wts = u->bloom_out.rsp_v0;
    v->rts = u->bloom_out.rsp_v1;
    if (t->evict_valid && t->evict_granule == t->res_granule) {
        v->wts = max64(v->wts, t->evict_wts);
        v->rts = max64(v->rts, t->evict_rts);
    }
    for (uint32_t i = 0; i < RECENT; i++)
        if (u->recent[i].valid && u->recent[i].granule == t->res_granule) {
            v->wts = max64(v->wts, u->recent[i].wts);
            v->rts = max64(v->rts, u->recent[i].rts);
        }
}

static void answer(struct verdict *v, enum cw_vu_outcome outcome, uint64_t ts)
{
    v->action = ANSWER;
    v->outcome = outcome;
    v->ts = ts;
    v->update = outcome == CW_VU_SUCCESS;
}

/* Figure 6 for a request whose owner holds the reservation. */
static void decide_owner(const struct vu *u, const struct request *r, struct verdict *v)
{
    if (r->kind == CW_VU_STORE && v->writes == u->count_mask) {
        answer(v, CW_VU_FULL, r->warpts); /* the counter cannot count this write */
        return;
    }
    answer(v, CW_VU_SUCCESS, 0);
    if (r->kind == CW_VU_STORE)
        v->writes++;
    else
        v->rts = max64(v->rts, r->warpts);
}

/* Whether a reservation of r may be inserted. */
static bool has_place(const struct vu *u, const struct request *r)
{
    return u->table_out.res_room && (u->table_out.res_easy || r->spill);
}

static void decide_access(const struct vu *u, const struct request *r, bool drain, struct verdict *v)
{
    bool load = r->kind == CW_VU_LOAD;
    uint64_t newest = load ? v->wts : max64(v->wts, v->rts);
    if (r->warpts == u->ts_mask || (r->retried && drain))
        answer(v, CW_VU_ROLLOVER, r->warpts);
    else if (v->writes > 0 && v->owner == r->owner)
        decide_owner(u, r, v);
    else if (newest > r->warpts)
        answer(v, CW_VU_ABORT, newest);
    else if (v->writes > 0 && drain)
        answer(v, CW_VU_ROLLOVER, r->warpts);
    else if (v->writes > 0 && u->stall_out.push_ready)
        v->action = STALL;
    else if (v->writes > 0)
        answer(v, CW_VU_FULL, r->warpts);
    else if (!load && !has_place(u, r))
        answer(v, CW_VU_FULL, r->warpts);
    else {
        answer(v, CW_VU_SUCCESS, 0);
        if (load)
            v->rts = max64(v->rts, r->warpts);
        else {
            v->wts = r->warpts + 1;
            v->writes = 1;
            v->owner = r->owner;
        }
    }
}

static void decide_release(const struct request *r, struct verdict *v)
{
    v->action = NO_ANSWER;
    if (v->writes == 0)
        return;
    v->update = true;
    v->writes -= r->count < v->writes ? r->count : v->writes;
    v->wake = v->writes == 0;
}

static void push_response(struct vu *u, const struct request *r, const struct verdict *v)
{
    struct response *s = &u->response[(u->first_response + u->responses) % RESPONSES];
    s->id = r->id;
    s->outcome = v->outcome;
    s->ts = v->ts;
    u->responses++;
}

/* Decides the request whose result the table offers, and drives the parts' inputs accordingly. */
static void decide(struct vu *u, bool drain)
{
    struct request r = u->pipe[0];
    struct verdict v = {.action = NO_ANSWER};
    current_entry(u, &v);
    if (r.kind == CW_VU_LOAD || r.kind == CW_VU_STORE)
        decide_access(u, &r, drain, &v);
    else
        decide_release(&r, &v);
    u->table_in.upd_valid = v.update;
    u->table_in.upd_wts = v.wts;
    u->table_in.upd_rts = v.rts;
    u->table_in.upd_writes = v.writes;
    u->table_in.upd_owner = v.owner;
    u->stall_in.wake_valid = v.wake;
    u->stall_in.wake_granule = u->table_out.res_granule;
    if (v.action == STALL) {
        u->stall_in.push_valid = 1; /* push_granule was presented with the result */
        u->stall_in.push_warpts = r.warpts;
        u->stall_in.push_payload =
            r.id | (uint64_t)r.owner << u->p.id_w | (uint64_t)(r.kind | (uint32_t)r.spill << 1) << (u->p.id_w + u->p.owner_w);
        u->stall_in.sleep_valid = r.retried;
        u->stall_in.sleep_granule = u->table_out.res_granule;
    } else if (v.action == ANSWER)
        push_response(u, &r, &v);
    u->out.evt_stall = v.action == STALL;
    u->out.evt_retry = r.retried;
    u->piped--;
    for (uint32_t i = 0; i < u->piped; i++)
        u->pipe[i] = u->pipe[i + 1];
    u->retrying = u->retrying && !r.retried;
}

static bool in_top_eighth(const struct vu *u, uint64_t warpts)
{
    return warpts >> (u->p.ts_w - 3) == 7;
}

/* The request of this cycle: a retry before a new one. Drives the table's look-up channel; r is what goes into the pipe. */
static bool choose_request(struct vu *u, const struct cw_validation_unit_in *in, struct request *r)
{
    memset(r, 0, sizeof *r);
    if (u->stall_in.retry_ready) {
        uint64_t payload = u->stall_out.retry_payload;
        r->retried = true;
        r->id = (uint32_t)payload & u->id_mask;
        r->owner = (uint32_t)(payload >> u->p.id_w) & u->owner_mask;
        r->kind = (uint32_t)(payload >> (u->p.id_w + u->p.owner_w)) & 1;
        r->spill = payload >> (u->p.id_w + u->p.owner_w + 1) & 1;
        r->warpts = u->stall_out.retry_warpts;
        u->table_in.look_granule = u->stall_out.retry_granule;
        return true;
    }
    if (!u->out.req_ready || !(in->req_valid & 1))
        return false;
    r->kind = (uint32_t)in->req_kind & 3;
    r->warpts = in->req_warpts & u->ts_mask;
    r->owner = (uint32_t)in->req_owner & u->owner_mask;
    r->count = (uint32_t)in->req_count & u->count_mask;
    r->id = (uint32_t)in->req_id & u->id_mask;
    r->spill = in->req_spill & 1;
    u->table_in.look_granule = in->req_granule & u->granule_mask;
    if (r->kind < CW_VU_RELEASE && in_top_eighth(u, r->warpts))
        u->rollover = true;
    return true;
}

/* Lets the two newest accepted evictions be remembered until every later Bloom filter answer covers them. */
static void remember_eviction(struct vu *u)
{
    const struct cw_cuckoo_table_out *t = &u->table_out;
    u->recent[1] = u->recent[0];
    u->recent[0].valid = t->evict_valid && u->bloom_out.ins_ready;
    u->recent[0].granule = t->evict_granule;
    u->recent[0].wts = t->evict_wts;
    u->recent[0].rts = t->evict_rts;
}

static void drive_bloom(struct vu *u)
{
    struct cw_recency_bloom_filter_in *b = &u->bloom_in;
    bool queued = u->table_out.read_valid; /* evaluated without a look-up */
    b->lkp_valid = queued || u->table_in.look_valid;
    b->lkp_key = queued ? u->table_out.read_granule : u->table_in.look_granule;
    b->ins_valid = u->table_out.evict_valid;
    b->ins_key = u->table_out.evict_granule;
    b->ins_v0 = u->table_out.evict_wts;
    b->ins_v1 = u->table_out.evict_rts;
}

/* Clocks the parts; those to which nothing happens are left alone. */
static void tick_parts(struct vu *u)
{
    table_ops()->tick(u->table, &u->table_in);
    if (u->bloom_out.busy || u->bloom_in.lkp_valid || u->bloom_in.ins_valid || u->bloom_in.clear) {
        bloom_ops()->tick(u->bloom, &u->bloom_in);
        u->bloom_in.lkp_valid = u->bloom_in.ins_valid = 0;
        bloom_ops()->eval(u->bloom, &u->bloom_in, &u->bloom_out);
    }
    const struct cw_stall_buffer_in *s = &u->stall_in;
    u->stall_ticked = s->push_valid || s->wake_valid || s->retry_ready || s->drain || u->draining;
    if (u->stall_ticked)
        stall_ops()->tick(u->stall, s);
    u->draining = s->drain;
}

/* The parts' outputs of the coming cycle, all as functions of their states, and the unit's own. */
static void present(struct vu *u)
{
    struct cw_validation_unit_out *o = &u->out;
    struct cw_cuckoo_table_out *t = &u->table_out;
    u->table_in.look_valid = u->table_in.upd_valid = 0;
    table_ops()->eval(u->table, &u->table_in, t);
    u->stall_in.push_granule = t->res_granule;
    if (u->stall_ticked || u->stall_out.occupancy > 0) { /* an empty one's outputs do not depend on the granule */
        u->stall_in.push_valid = u->stall_in.wake_valid = u->stall_in.sleep_valid = u->stall_in.retry_ready = 0;
        stall_ops()->eval(u->stall, &u->stall_in, &u->stall_out);
        u->stall_ticked = false;
    }

    bool open = t->look_ready && u->bloom_out.lkp_ready;
    bool retry = u->stall_out.retry_valid;
    o->req_ready = open && !retry && !u->retrying && u->piped + u->responses < RESPONSES;
    u->stall_in.retry_ready = open && retry && u->piped == 0 && u->responses < RESPONSES;
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
    o->evt_evict = t->evict_valid;
    o->evt_stash = t->evt_stash;
    o->evt_overflow = t->evt_overflow;
    o->stall_occupancy = u->stall_out.occupancy;
    o->stall_lines_used = u->stall_out.lines_used;
    o->busy = t->busy || u->bloom_out.busy || u->piped > 0 || u->responses > 0 || retry || u->draining || u->recent[0].valid ||
              u->recent[1].valid || o->evt_stall || o->evt_retry;
}

static void flush(struct vu *u)
{
    u->table_in.flush = u->bloom_in.clear = 1;
    u->rollover = false;
}

static void vu_tick(void *self, const void *inputs)
{
    struct vu *u = self;
    const struct cw_validation_unit_in *in = inputs;
    if (!u->out.busy && !(in->req_valid & 1) && !(in->drain & 1) && !(in->flush & 1))
        return;
    u->table_in.flush = u->bloom_in.clear = 0;
    if ((in->flush & 1) && !u->out.busy && !(in->req_valid & 1) && u->stall_out.occupancy == 0)
        flush(u);
    if (u->out.rsp_valid && (in->rsp_ready & 1)) {
        u->first_response = (u->first_response + 1) % RESPONSES;
        u->responses--;
    }
    struct request r;
    u->table_in.look_valid = choose_request(u, in, &r);
    u->stall_in.drain = in->drain & 1;
    u->out.evt_stall = u->out.evt_retry = 0;
    if (u->table_out.res_valid)
        decide(u, in->drain & 1);
    if (u->table_in.look_valid) {
        u->pipe[u->piped++] = r;
        u->retrying = r.retried;
    }
    u->table_in.mem_ready = in->mem_ready;
    u->table_in.mem_rsp_valid = in->mem_rsp_valid;
    if (in->mem_rsp_valid & 1)
        memcpy(u->table_in.mem_rdata, in->mem_rdata, sizeof in->mem_rdata);
    drive_bloom(u);
    remember_eviction(u);
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
    u->piped = u->first_response = u->responses = 0;
    u->retrying = u->rollover = u->draining = false;
    memset(u->recent, 0, sizeof u->recent);
    memset(&u->out, 0, sizeof u->out);
    memset(&u->table_in, 0, sizeof u->table_in);
    memset(&u->bloom_in, 0, sizeof u->bloom_in);
    memset(&u->stall_in, 0, sizeof u->stall_in);
    u->stall_ticked = true;
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
                                           .row_w = p->row_w,
                                           .stash_entries = p->stash_entries,
                                           .max_swaps = p->max_swaps,
                                           .evict_fill = p->evict_fill,
                                           .overflow_w = p->overflow_w};
    struct cw_recency_bloom_filter_params bloom = {
        .ways = 4, .row_w = p->bloom_row_w, .key_w = p->granule_w, .fields = 2, .value_w = p->ts_w, .dual_read = 1};
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

#define CW_UNIT__PARAMS_T struct cw_validation_unit_params
#define CW_UNIT__IN_T     struct cw_validation_unit_in
#define CW_UNIT__OUT_T    struct cw_validation_unit_out
CW_UNIT_DEFINE_WORDS(validation_unit, CW_VALIDATION_UNIT_PARAMS, CW_VALIDATION_UNIT_PORTS, CW_VALIDATION_UNIT_WORDS, vu_create, vu_destroy,
                     vu_reset, vu_eval, vu_tick);
