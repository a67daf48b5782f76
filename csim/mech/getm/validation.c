/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GETM, partition half: what happens around a validation unit. A message of a core becomes one request of the unit per granule that it
 * touches. A message whose ticket is not yet due waits. The values of a granted load are read from memory in the cycle of the decision. The
 * last decision about a message makes its answer, which leaves getm.validation_delay cycles later, as if the unit had so many stages more.
 * Releases go before new requests.
 */
#include "mech/getm/validation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/validation_unit.h"
#include "base/ring.h"
#include "mech/getm/events.h"
#include "mech/getm/rollover.h"
#include "mech/getm/statistics.h"
#include "mem/service.h"

#define RELEASES 32u /* queue from the commit unit */
#define GRANULES 32u /* most granules per line */

/* A message that is here. */
struct pending {
    struct cw_message *p;
    uint32_t left; /* granules to ask for */
    uint32_t open; /* asked for, not answered */
    uint32_t granted;
    uint32_t cause; /* worst outcome: enum cw_vu_outcome */
    uint64_t ts;    /* latest timestamp that aborted it */
    cw_time due;    /* of its answer: in `done` only */
    cw_time asked[GRANULES];
};

/* Ring of places in the pending table. */
struct places {
    uint16_t *place;
    struct cw_ring ring;
};

struct cw_getm_validation {
    struct cw_component component;
    const struct cw_getm *getm;
    uint32_t index;
    cw_time period;
    struct cw_mem_socket *port;
    struct cw_adapt_validation_unit unit;
    bool retried;       /* the next response is of a request that has waited in the stall buffer */
    bool awake;         /* the unit has to be clocked though nothing is offered */
    cw_time offer_from; /* not before: RAMs with one port are busy */
    /* messages */
    struct pending *pending;
    uint32_t place_cnt, granule_bits, used;
    struct places free, ready, done;
    uint16_t *held; /* places that wait for their ticket, in order of arrival */
    uint32_t held_cnt;
    uint16_t *completed;           /* log messages carried out, per owner */
    struct cw_fifo release;        /* from the commit unit: struct cw_getm_release */
    uint64_t (*load_ts)[GRANULES]; /* sabotage drop-rts-update only */
    struct cw_getm_rollover rollover;
    struct cw_message *ended_first, *ended_last; /* getm.commit_acks: on their way back */
    /* statistics */
    cw_time occupied_since;
    uint32_t stalled, stalled_lines;
};

static void places_push(struct cw_getm_validation *v, struct places *q, uint32_t place)
{
    q->place[cw_ring_add(&q->ring, v->place_cnt)] = (uint16_t)place;
}

static uint32_t places_pop(struct cw_getm_validation *v, struct places *q)
{
    uint32_t place = q->place[q->ring.head];
    cw_ring_take(&q->ring, v->place_cnt);
    return place;
}

/* Granules of the line that a lane of the message touches. */
static uint32_t lane_granules(const struct cw_getm_validation *v, const struct cw_message *p, uint32_t lane)
{
    uint32_t shift = v->getm->granule_shift, offset = cw_tx_access_of(p)->lane_offset[lane];
    uint32_t first = offset >> shift, last = (offset + cw_tx_access_of(p)->bytes - 1) >> shift;
    return (uint32_t)((UINT64_C(2) << last) - (UINT64_C(1) << first));
}

/* Messages in */

static void accept(struct cw_getm_validation *v, cw_time now)
{
    struct cw_message *p = cw_fifo_peek(&v->port->from_l2, now);
    if (p == NULL || v->free.ring.cnt == 0)
        return;
    cw_fifo_pop(&v->port->from_l2, now);
    uint32_t place = places_pop(v, &v->free);
    v->pending[place] = (struct pending){.p = p, .left = cw_getm_access_of(p)->granules};
    v->used++;
    if (v->load_ts != NULL)
        memset(v->load_ts[place], 0, sizeof v->load_ts[place]);
    if (v->completed[cw_getm_access_of(p)->owner] == (uint16_t)cw_getm_access_of(p)->ticket)
        places_push(v, &v->ready, place);
    else
        v->held[v->held_cnt++] = (uint16_t)place;
}

/* A log message of the owner has been carried out. */
static void punch_ticket(struct cw_getm_validation *v, uint32_t owner)
{
    uint32_t kept = 0;
    v->completed[owner]++;
    for (uint32_t i = 0; i < v->held_cnt; i++) {
        const struct cw_message *p = v->pending[v->held[i]].p;
        if (cw_getm_access_of(p)->owner == owner && v->completed[owner] == (uint16_t)cw_getm_access_of(p)->ticket)
            places_push(v, &v->ready, v->held[i]);
        else
            v->held[kept++] = v->held[i];
    }
    v->held_cnt = kept;
}

/* Messages out */

static void make_reply(struct cw_getm_validation *v, struct pending *n)
{
    struct cw_message *p = n->p;
    struct cw_getm_access_body *body = cw_getm_access(p);
    const struct cw_config *config = v->getm->config;
    bool load = p->kind == CW_MSG_READ;
    uint32_t sectors = 0;
    for (cw_lanes rest = p->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
        if ((lane_granules(v, p, lane) & ~n->granted) != 0)
            body->access.aborted |= cw_lanes_one(lane);
        else
            sectors |= 1u << (body->access.lane_offset[lane] / CW_SECTOR_BYTES);
    }
    p->kind = CW_MSG_OWN_REPLY;
    p->op = CW_GETM_ANSWER;
    p->sectors = (uint8_t)(load ? sectors : 0);
    body->warpts = n->ts;
    body->granted = n->granted;
    body->cause = n->cause;
    uint32_t payload = load ? CW_SECTOR_BYTES * (uint32_t)__builtin_popcount(sectors) : 0;
    cw_message_size(p, payload, config->noc_header_bytes, config->noc_flit_bytes);
}

/* When the oldest answer may leave. All are delayed alike, so none is due before an older one. */
static cw_time next_answer(const struct cw_getm_validation *v)
{
    return v->done.ring.cnt > 0 ? v->pending[v->done.place[v->done.ring.head]].due : CW_TIME_NEVER;
}

static void send(struct cw_getm_validation *v, cw_time now)
{
    if (!cw_fifo_can_push(&v->port->reply, now))
        return;
    struct cw_message *p = NULL;
    if (v->rollover.messages_left > 0) {
        p = cw_getm__rollover_message(&v->rollover, now);
    } else if (v->ended_first != NULL) {
        p = v->ended_first;
        v->ended_first = p->next;
    } else if (next_answer(v) <= now) {
        uint32_t place = places_pop(v, &v->done);
        p = v->pending[place].p;
        places_push(v, &v->free, place);
        v->used--;
    }
    if (p != NULL)
        cw_fifo_push(&v->port->reply, now, v->period, p);
}

/* Decisions */

static void grant(struct cw_getm_validation *v, struct pending *n, uint32_t granule, cw_time now)
{
    struct cw_message *p = n->p;
    uint32_t bytes = v->getm->common.keys->tm_granule_bytes;
    n->granted |= 1u << granule;
    if (p->kind != CW_MSG_READ)
        return;
    cw_memory_read(v->getm->host.memory, p->addr + granule * bytes, cw_tx_access(p)->line.data + granule * bytes, bytes);
    cw_getm__tell_reads(v->getm, p, granule, now);
}

/* drop-rts-update: a load asks at time 0 first, then at the granule's wts, which changes nothing there: the right answer without the trace
 * that it should leave. True: ask again. */
static bool load_without_trace(struct cw_getm_validation *v, uint32_t place, uint32_t granule, uint64_t *ts)
{
    struct pending *n = v->pending + place;
    if (v->load_ts == NULL || n->p->kind != CW_MSG_READ || *ts > cw_getm_access_of(n->p)->warpts)
        return false;
    if (v->load_ts[place][granule] >= *ts) {
        *ts = cw_getm_access_of(n->p)->warpts;
        return false;
    }
    v->load_ts[place][granule] = *ts;
    if (n->left == 0)
        places_push(v, &v->ready, place);
    n->left |= 1u << granule;
    n->open--;
    return true;
}

static void tell(const struct cw_getm_validation *v, const struct pending *n, uint32_t granule, uint32_t outcome, cw_time now)
{
    const struct cw_event_decision d = {.unit = "validation_unit",
                                        .index = v->index,
                                        .kind = outcome,
                                        .subject = cw_getm_granule(v->getm, n->p->addr) + granule,
                                        .refused = outcome != CW_VU_SUCCESS,
                                        .slept = v->retried,
                                        .asked = v->retried ? n->asked[granule] : 0};
    cw_tell_decision(&v->getm->host, cw_attempt_name_of(n->p), &d, now);
}

/* The lanes whose words lie in a granule that has been refused. */
static void tell_conflicts(const struct cw_getm_validation *v, const struct cw_message *p, uint32_t granule, cw_time now)
{
    const uint32_t bytes = v->getm->common.keys->tm_granule_bytes;
    for (cw_lanes rest = cw_tell_wanted(&v->getm->host, CW_EVENT_CONFLICT) ? p->lanes : 0; rest != 0; rest = cw_lanes_rest(rest)) {
        const uint32_t lane = cw_lanes_first(rest), offset = cw_tx_access_of(p)->lane_offset[lane];
        if ((lane_granules(v, p, lane) >> granule & 1u) != 0)
            cw_tell_conflict(&v->getm->host, cw_attempt_name_of(p), lane, p->addr + (offset > granule * bytes ? offset : granule * bytes),
                             now);
    }
}

static void decided(struct cw_getm_validation *v, cw_time now)
{
    uint32_t id = (uint32_t)v->unit.out.rsp_id, place = id >> v->granule_bits, granule = id & ((1u << v->granule_bits) - 1);
    uint32_t outcome = (uint32_t)v->unit.out.rsp_outcome;
    struct pending *n = v->pending + place;
    uint64_t ts = v->unit.out.rsp_ts;
    if (outcome == CW_VU_FULL && v->getm->sabotage == CW_GETM_FORGET_RELEASE)
        return;
    if (outcome == CW_VU_ABORT && load_without_trace(v, place, granule, &ts))
        return;
    tell(v, n, granule, outcome, now);
    v->retried = false;
    if (outcome == CW_VU_SUCCESS) {
        grant(v, n, granule, now);
    } else {
        if (outcome != CW_VU_ROLLOVER)
            tell_conflicts(v, n->p, granule, now);
        if (n->cause == CW_VU_SUCCESS || outcome < n->cause)
            n->cause = outcome;
        if (outcome != CW_VU_ROLLOVER && ts > n->ts)
            n->ts = ts;
    }
    if (--n->open > 0 || n->left != 0)
        return;
    make_reply(v, n);
    n->due = now + v->getm->keys->getm_validation_delay * v->period;
    places_push(v, &v->done, place);
}

/* Requests and releases */

static void end_log(struct cw_getm_validation *v, struct cw_message *p)
{
    p->kind = CW_MSG_OWN_REPLY;
    p->next = NULL;
    if (v->ended_first == NULL)
        v->ended_first = p;
    else
        v->ended_last->next = p;
    v->ended_last = p;
}

/* Takes what needs no decision; the release that does, or NULL. */
static const struct cw_getm_release *next_release(struct cw_getm_validation *v, cw_time now)
{
    const struct cw_getm_release *r;
    bool forget = v->getm->sabotage == CW_GETM_FORGET_RELEASE;
    while ((r = cw_fifo_peek(&v->release, now)) != NULL && (r->ack || r->count == 0 || forget)) {
        if (r->done != NULL)
            end_log(v, r->done);
        else if (r->ack)
            v->rollover.acks++;
        else if (r->last)
            punch_ticket(v, r->owner);
        cw_fifo_pop(&v->release, now);
    }
    return r;
}

static struct cw_adapt_validation_unit_request release_request(const struct cw_getm_release *r)
{
    return (struct cw_adapt_validation_unit_request){.kind = CW_VU_RELEASE, .granule = r->granule, .count = r->count, .owner = r->owner};
}

/* Of the oldest message that is ready, about its lowest granule that is left. */
static struct cw_adapt_validation_unit_request access_request(const struct cw_getm_validation *v)
{
    uint32_t place = v->ready.place[v->ready.ring.head];
    const struct pending *n = v->pending + place;
    const struct cw_getm_access_body *body = cw_getm_access_of(n->p);
    uint32_t granule = (uint32_t)__builtin_ctz(n->left);
    bool load = n->p->kind == CW_MSG_READ;
    return (struct cw_adapt_validation_unit_request){
        .kind = load ? CW_VU_LOAD : CW_VU_STORE,
        .granule = cw_getm_granule(v->getm, n->p->addr) + granule,
        .warpts = load && v->load_ts != NULL ? v->load_ts[place][granule] : body->warpts,
        .owner = v->getm->sabotage == CW_GETM_SKIP_OWNER ? 0 : body->owner,
        .id = place << v->granule_bits | granule,
        .spill = !load && body->spill,
    };
}

static void release_taken(struct cw_getm_validation *v, const struct cw_getm_release *r, cw_time now)
{
    if (r->last)
        punch_ticket(v, r->owner);
    cw_fifo_pop(&v->release, now);
}

static void access_taken(struct cw_getm_validation *v, uint32_t id, cw_time now)
{
    struct pending *n = v->pending + v->ready.place[v->ready.ring.head];
    const uint32_t granule = id & ((1u << v->granule_bits) - 1);
    n->left &= ~(1u << granule);
    n->asked[granule] = now;
    n->open++;
    if (n->left == 0)
        places_pop(v, &v->ready);
}

/* Statistics */

static void note_stalled(const struct cw_getm_validation *v, uint32_t stalled, cw_time now)
{
    cw_getm__note_stalled(v->getm, v->stalled, stalled, now);
    if (!cw_tell_wanted(&v->getm->host, CW_EVENT_QUEUE))
        return;
    const struct cw_event e = {.type = CW_EVENT_QUEUE, .now = now, .u.queue = {"stall_buffer", v->index, stalled}};
    cw_events_tell(v->getm->host.events, &e);
}

static void account_stalls(struct cw_getm_validation *v, cw_time now, uint32_t stalled, uint32_t lines)
{
    struct cw_getm_counters *counters = v->getm->counters;
    uint64_t cycles = (now - v->occupied_since) / v->period;
    counters->vu_stall_line_cycles += cycles * v->stalled_lines;
    counters->vu_stall_request_cycles += cycles * v->stalled;
    v->occupied_since = now;
    if (stalled != v->stalled)
        note_stalled(v, stalled, now);
    v->stalled = stalled;
    v->stalled_lines = lines;
}

static void count_events(struct cw_getm_validation *v, cw_time now)
{
    struct cw_getm_counters *counters = v->getm->counters;
    const struct cw_validation_unit_out *out = &v->unit.out;
    counters->vu_busy_cycles++;
    if (out->evt_retry && !out->evt_stall) /* it is alone in the pipeline, so the next response is its own */
        v->retried = true;
    counters->vu_requests += out->evt_lookup;
    counters->vu_table_cycles += out->evt_lookup ? out->evt_table_cycles : 0;
    counters->vu_stalls += out->evt_stall;
    counters->vu_retries += out->evt_retry;
    counters->vu_evictions += out->evt_evict;
    counters->vu_stashed += out->evt_stash;
    counters->vu_overflows += out->evt_overflow;
    account_stalls(v, now, (uint32_t)out->stall_occupancy, (uint32_t)out->stall_lines_used);
}

/* The cycle */

static void clock_unit(struct cw_getm_validation *v, cw_time now)
{
    const bool may_offer = now >= v->offer_from;
    const struct cw_getm_release *r = may_offer ? next_release(v, now) : NULL;
    const struct cw_getm_rollover *o = &v->rollover;
    bool offered = r != NULL || (may_offer && v->ready.ring.cnt > 0);
    if (!v->awake && !offered && !o->draining)
        return;
    uint32_t id = 0;
    if (r != NULL) {
        cw_adapt_validation_unit_offer(&v->unit, release_request(r));
    } else if (offered) {
        const struct cw_adapt_validation_unit_request request = access_request(v);
        id = request.id;
        cw_adapt_validation_unit_offer(&v->unit, request);
    } else {
        cw_adapt_validation_unit_offer_nothing(&v->unit);
    }
    v->awake = cw_adapt_validation_unit_clock(&v->unit, o->drain_unit, o->flush_unit, now) || o->draining;
    count_events(v, now);
    if (v->unit.out.rsp_valid)
        decided(v, now);
    if (!offered || !v->unit.out.req_ready)
        return;
    if (v->getm->keys->getm_ports == 1)
        v->offer_from = now + 2 * v->period;
    if (r != NULL)
        release_taken(v, r, now);
    else
        access_taken(v, id, now);
}

static cw_time next_wake(const struct cw_getm_validation *v, cw_time now)
{
    if (v->awake || v->ready.ring.cnt > 0 || v->ended_first != NULL)
        return now + v->period;
    cw_time next = cw_time_min(cw_fifo_next(&v->release), cw_getm__rollover_next(&v->rollover, now));
    next = cw_time_min(next, next_answer(v));
    if (v->free.ring.cnt > 0)
        next = cw_time_min(next, cw_fifo_next(&v->port->from_l2));
    return next > now ? next : now + v->period;
}

static void tick(void *self, cw_time now)
{
    struct cw_getm_validation *v = self;
    if (v->index == 0)
        cw_getm__rollover_lead(&v->rollover, now);
    if (cw_getm__rollover_due(&v->rollover, v->unit.out.rollover, now)) {
        const struct cw_getm_rollover_view view = {v->unit.out.rollover, v->unit.out.busy, v->used == 0 && v->release.count == 0};
        cw_getm__rollover_follow(&v->rollover, view, now);
    }
    clock_unit(v, now);
    accept(v, now);
    send(v, now);
    v->component.wake = next_wake(v, now);
}

/* Everything else */

static int open_unit(struct cw_getm_validation *v, struct cw_error *err)
{
    const struct cw_config *c = v->getm->config;
    const struct cw_getm_keys *keys = v->getm->keys;
    const struct cw_adapt_validation_unit_config config = {
        .units = v->getm->host.units,
        .partition = v->index,
        .ts_bits = keys->getm_ts_bits,
        .id_bits = (uint32_t)__builtin_ctz(v->place_cnt) + v->granule_bits,
        .owners = c->core_count * c->core_warps,
        .granules = ((uint64_t)c->mem_mbytes << 20) / v->getm->common.keys->tm_granule_bytes,
        .table_rows = keys->getm_table_rows,
        .bloom_rows = keys->getm_bloom_rows,
        .bloom_copies = keys->getm_bloom_copies,
        .stash = keys->getm_stash,
        .max_swaps = keys->getm_max_swaps,
        .stall_lines = keys->getm_stall_lines,
        .stall_entries = keys->getm_stall_entries,
        .overflow_latency = keys->getm_overflow_latency * v->period,
        .overflow_stream = keys->getm_overflow_stream * v->period,
    };
    return cw_adapt_validation_unit_open(&v->unit, &config, err);
}

static int allocate(struct cw_getm_validation *v)
{
    const struct cw_config *c = v->getm->config;
    uint32_t n = v->place_cnt;
    uint16_t *place = calloc(4 * (size_t)n, sizeof *place);
    v->free.place = place;
    if (place != NULL) {
        v->ready.place = place + n;
        v->done.place = place + 2 * n;
        v->held = place + 3 * n;
    }
    v->pending = calloc(n, sizeof *v->pending);
    v->completed = calloc((size_t)c->core_count * c->core_warps, sizeof *v->completed);
    if (v->getm->sabotage == CW_GETM_DROP_RTS)
        v->load_ts = calloc(n, sizeof *v->load_ts);
    bool ok = place != NULL && v->pending != NULL && v->completed != NULL &&
              (v->load_ts != NULL || v->getm->sabotage != CW_GETM_DROP_RTS) &&
              cw_fifo_create(&v->release, RELEASES, &v->component.wake) == CW_OK;
    for (uint32_t i = 0; ok && i < n; i++)
        places_push(v, &v->free, i);
    return ok ? CW_OK : CW_ENOMEM;
}

/* State */

static void places_state(struct cw_state *s, struct cw_getm_validation *v, struct places *q)
{
    cw_state_count(s, "places", &q->ring.cnt, v->place_cnt);
    if (cw_state_loads(s))
        q->ring.head = 0;
    for (uint32_t i = 0; i < q->ring.cnt; i++)
        CW_STATE(s, q->place[cw_ring_at(&q->ring, i, v->place_cnt)]);
}

/* A free place has no message. */
static void pending_state(struct cw_state *s, struct pending *n, bool is_free)
{
    if (is_free)
        return;
    cw_message_state(s, &n->p);
    CW_STATE(s, n->left);
    CW_STATE(s, n->open);
    CW_STATE(s, n->granted);
    CW_STATE(s, n->cause);
    CW_STATE(s, n->ts);
    CW_STATE(s, n->due);
    CW_STATE(s, n->asked);
}

static bool is_free(const struct cw_getm_validation *v, uint32_t place)
{
    for (uint32_t i = 0; i < v->free.ring.cnt; i++)
        if (v->free.place[cw_ring_at(&v->free.ring, i, v->place_cnt)] == place)
            return true;
    return false;
}

static void messages_state(struct cw_state *s, struct cw_getm_validation *v)
{
    CW_STATE(s, v->used);
    places_state(s, v, &v->free);
    places_state(s, v, &v->ready);
    places_state(s, v, &v->done);
    cw_state_count(s, "held", &v->held_cnt, v->place_cnt);
    cw_state_array(s, "held", v->held, v->held_cnt, sizeof *v->held);
    for (uint32_t i = 0; i < v->place_cnt; i++)
        pending_state(s, &v->pending[i], is_free(v, i));
    if (v->load_ts != NULL)
        cw_state_array(s, "load_ts", v->load_ts, (size_t)v->place_cnt * GRANULES, sizeof(uint64_t));
    if (!cw_state_loads(s) && v->ended_first == NULL)
        v->ended_last = NULL;
    cw_message_list_state(s, &v->ended_first, &v->ended_last);
}

static void state(void *self, struct cw_state *s)
{
    struct cw_getm_validation *v = self;
    const struct cw_config *c = v->getm->config;
    messages_state(s, v);
    CW_STATE(s, v->retried);
    CW_STATE(s, v->awake);
    CW_STATE(s, v->offer_from);
    cw_state_array(s, "completed", v->completed, (size_t)c->core_count * c->core_warps, sizeof *v->completed);
    cw_getm__rollover_state(s, &v->rollover);
    CW_STATE(s, v->occupied_since);
    CW_STATE(s, v->stalled);
    CW_STATE(s, v->stalled_lines);
    cw_adapt_validation_unit_state(s, &v->unit); /* the queue of releases is walked where they lie, in log_writer.c */
}

static bool idle(const void *self)
{
    return cw_getm__validation_idle(self);
}

static const struct cw_component_ops component_ops = {
    .kind = "getm_validation", .domain = CW_DOMAIN_L2, .tick = tick, .idle = idle, .state = state};

int cw_getm__validation_create(struct cw_getm_validation **out, const struct cw_getm *g, uint32_t index, struct cw_error *err)
{
    struct cw_getm_validation *v = *out = calloc(1, sizeof *v);
    if (v == NULL)
        return CW_ENOMEM;
    v->getm = g;
    v->index = index;
    v->period = cw_getm_period(g, CW_DOMAIN_L2);
    v->component = cw_component_of(&component_ops, v, v->index);
    v->component.wake = 0;
    v->port = cw_mem_socket_of(&g->host.partition[index], g->host.index);
    v->port->from_l2.wake = &v->component.wake;
    cw_getm__rollover_init(&v->rollover, g, index, &v->component.wake);
    v->granule_bits = (uint32_t)__builtin_ctz(CW_LINE_BYTES / g->common.keys->tm_granule_bytes);
    /* all stalled requests may be of different messages; some more keep the unit supplied meanwhile, also while answers are delayed */
    uint32_t places = g->keys->getm_stall_lines * g->keys->getm_stall_entries + 32 + g->keys->getm_validation_delay;
    for (v->place_cnt = 64; v->place_cnt < places;)
        v->place_cnt *= 2;
    v->awake = true;
    return allocate(v) == CW_OK ? open_unit(v, err) : CW_ENOMEM;
}

void cw_getm__validation_destroy(struct cw_getm_validation *v)
{
    if (v == NULL)
        return;
    cw_adapt_validation_unit_close(&v->unit);
    cw_fifo_destroy(&v->release);
    free(v->free.place);
    free(v->pending);
    free(v->completed);
    free(v->load_ts);
    free(v);
}

struct cw_component *cw_getm__validation_component(struct cw_getm_validation *v)
{
    return &v->component;
}

struct cw_fifo *cw_getm__validation_releases(struct cw_getm_validation *v)
{
    return &v->release;
}

bool cw_getm__validation_idle(const struct cw_getm_validation *v)
{
    return v->used == 0 && v->ended_first == NULL && v->release.count == 0 && cw_getm__rollover_idle(&v->rollover) && !v->awake;
}
