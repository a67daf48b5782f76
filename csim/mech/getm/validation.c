/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GETM, partition half: the adapter between the partition's queues and its validation unit (L2 clock). It cuts
 * packets into one request per granule, holds those whose ticket is not yet due, reads the values of granted loads,
 * and turns the last decision of a packet into its reply. Releases go before new requests. The unit is clocked only
 * while it has something to do.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mech/getm/getm_state.h"

#define OVERFLOW_W 12u
#define RELEASES   32u /* queue from the commit unit */
#define GRANULES   32u /* most granules per line */

/* A packet in the adapter. */
struct cw_getm_pending {
    struct cw_message *p;
    uint32_t left; /* granules to ask for */
    uint32_t open; /* asked for, not answered */
    uint32_t granted;
    uint32_t cause; /* worst outcome: enum cw_vu_outcome */
    uint64_t ts;    /* latest timestamp that aborted it */
};

/* Ring of places in the pending table. */
struct places {
    uint16_t *place;
    uint32_t head, cnt;
};

struct cw_getm_vu {
    struct cw_component component;
    struct cw_getm *tm;
    uint32_t index;
    cw_time period;
    struct cw_partition_socket *port;
    struct cw_unit_instance unit;
    struct cw_validation_unit_in in;
    struct cw_validation_unit_out out;
    bool awake; /* the unit may have work of its own */
    /* packets */
    struct cw_getm_pending *pending;
    uint32_t place_cnt, granule_bits, used;
    struct places free, ready, done;
    uint16_t *held; /* places that wait for their ticket, in order of arrival */
    uint32_t held_cnt;
    uint16_t *completed;           /* log packets carried out, per owner */
    struct cw_fifo release;        /* from the commit unit: struct cw_getm_release */
    uint64_t (*load_ts)[GRANULES]; /* sabotage drop-rts-update only */
    /* overflow area */
    uint32_t (*overflow)[CW_VU_OVERFLOW_WORDS];
    cw_time memory_free, memory_answer;
    uint32_t memory_addr;
    /* rollover */
    uint64_t epoch;
    uint32_t acks;
    bool draining;
    uint32_t flush_cycles; /* since the flush pulse, it included; 0: not yet */
    uint32_t control_left; /* partition 0: messages to cores not yet sent */
    uint8_t control;
    struct cw_message *ended_first, *ended_last; /* getm.commit_acks: on their way back */
    /* statistics */
    cw_time occupied_since;
    uint32_t stalled, stalled_lines;
};

static void places_push(struct cw_getm_vu *v, struct places *q, uint32_t place)
{
    q->place[(q->head + q->cnt++) % v->place_cnt] = (uint16_t)place;
}

static uint32_t places_pop(struct cw_getm_vu *v, struct places *q)
{
    uint32_t place = q->place[q->head];
    q->head = (q->head + 1) % v->place_cnt;
    q->cnt--;
    return place;
}

/* Granules of the line that a lane of the packet touches. */
static uint32_t lane_granules(const struct cw_getm_vu *v, const struct cw_message *p, uint32_t lane)
{
    uint32_t shift = v->tm->granule_shift, offset = cw_tx_access_of(p)->lane_offset[lane];
    uint32_t first = offset >> shift, last = (offset + cw_tx_access_of(p)->bytes - 1) >> shift;
    return (uint32_t)((UINT64_C(2) << last) - (UINT64_C(1) << first));
}

/* Packets in */

static void accept(struct cw_getm_vu *v, cw_time now)
{
    struct cw_message *p = cw_fifo_peek(&v->port->from_l2, now);
    if (p == NULL || v->free.cnt == 0)
        return;
    cw_fifo_pop(&v->port->from_l2, now);
    uint32_t place = places_pop(v, &v->free);
    v->pending[place] = (struct cw_getm_pending){.p = p, .left = cw_getm_access_of(p)->granules};
    v->used++;
    if (v->load_ts != NULL)
        memset(v->load_ts[place], 0, sizeof v->load_ts[place]);
    if (v->completed[cw_getm_access_of(p)->owner] == (uint16_t)cw_getm_access_of(p)->ticket)
        places_push(v, &v->ready, place);
    else
        v->held[v->held_cnt++] = (uint16_t)place;
}

/* A log packet of the owner has been carried out. */
static void punch_ticket(struct cw_getm_vu *v, uint32_t owner)
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

/* Replies out */

static void make_reply(struct cw_getm_vu *v, struct cw_getm_pending *n)
{
    struct cw_message *p = n->p;
    struct cw_getm_access_body *body = cw_getm_access(p);
    const struct cw_config *config = v->tm->config;
    bool load = p->kind == CW_MSG_READ;
    uint32_t sectors = 0;
    for (uint32_t rest = p->lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if ((lane_granules(v, p, lane) & ~n->granted) != 0)
            body->access.aborted |= 1u << lane;
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

static void send(struct cw_getm_vu *v, cw_time now)
{
    if (!cw_fifo_can_push(&v->port->reply, now))
        return;
    if (v->control_left > 0) {
        struct cw_message *p = cw_message_new(v->tm->cfg.pool, 0);
        p->mech = 1;
        p->kind = CW_MSG_OWN_REPLY;
        p->op = v->control;
        p->core = (uint16_t)--v->control_left;
        p->partition = (uint16_t)v->index;
        p->born = now;
        cw_message_size(p, 0, v->tm->config->noc_header_bytes, v->tm->config->noc_flit_bytes);
        cw_fifo_push(&v->port->reply, now, v->period, p);
    } else if (v->ended_first != NULL) {
        struct cw_message *p = v->ended_first;
        v->ended_first = p->next;
        cw_fifo_push(&v->port->reply, now, v->period, p);
    } else if (v->done.cnt > 0) {
        uint32_t place = places_pop(v, &v->done);
        cw_fifo_push(&v->port->reply, now, v->period, v->pending[place].p);
        places_push(v, &v->free, place);
        v->used--;
    }
}

/* Decisions */

static void observe_reads(struct cw_getm_vu *v, const struct cw_message *p, uint32_t granule, cw_time now)
{
    const struct cw_tm_observer *o = v->tm->cfg.observer;
    const struct cw_getm_warp *w = v->tm->core[p->core].warp + p->warp;
    uint32_t from = granule << v->tm->granule_shift, to = from + v->tm->config->tm_granule_bytes;
    for (uint32_t rest = p->lanes & w->lanes & ~w->aborted; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), first = cw_tx_access_of(p)->lane_offset[lane] & ~3u,
                 end = cw_tx_access_of(p)->lane_offset[lane] + cw_tx_access_of(p)->bytes;
        for (uint32_t at = first < from ? from : first; at < end && at < to; at += 4) {
            uint32_t value;
            memcpy(&value, cw_tx_access_of(p)->line.data + at, sizeof value);
            o->read(o->self, w->attempt[lane], p->addr + at, value, now);
        }
    }
}

static void grant(struct cw_getm_vu *v, struct cw_getm_pending *n, uint32_t granule, cw_time now)
{
    struct cw_message *p = n->p;
    uint32_t bytes = v->tm->config->tm_granule_bytes;
    n->granted |= 1u << granule;
    if (p->kind != CW_MSG_READ)
        return;
    cw_memory_read(v->tm->cfg.memory, p->addr + granule * bytes, cw_tx_access(p)->line.data + granule * bytes, bytes);
    if (v->tm->cfg.observer != NULL)
        observe_reads(v, p, granule, now);
}

/* drop-rts-update: a load asks at time 0 first, then at the granule's wts, which changes nothing there: the right answer without the trace
 * that it should leave. True: ask again. */
static bool load_without_trace(struct cw_getm_vu *v, uint32_t place, uint32_t granule, uint64_t *ts)
{
    struct cw_getm_pending *n = v->pending + place;
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

static void decided(struct cw_getm_vu *v, uint32_t id, uint32_t outcome, uint64_t ts, cw_time now)
{
    uint32_t place = id >> v->granule_bits, granule = id & ((1u << v->granule_bits) - 1);
    struct cw_getm_pending *n = v->pending + place;
    if (outcome == CW_VU_FULL && v->tm->sabotage == CW_GETM_FORGET_RELEASE)
        return;
    if (outcome == CW_VU_ABORT && load_without_trace(v, place, granule, &ts))
        return;
    if (outcome == CW_VU_SUCCESS) {
        grant(v, n, granule, now);
    } else {
        if (n->cause == CW_VU_SUCCESS || outcome < n->cause)
            n->cause = outcome;
        if (outcome != CW_VU_ROLLOVER && ts > n->ts)
            n->ts = ts;
    }
    if (--n->open > 0 || n->left != 0)
        return;
    make_reply(v, n);
    places_push(v, &v->done, place);
}

/* The unit's inputs */

static void end_log(struct cw_getm_vu *v, struct cw_message *p)
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
static const struct cw_getm_release *next_release(struct cw_getm_vu *v, cw_time now)
{
    const struct cw_getm_release *r;
    bool forget = v->tm->sabotage == CW_GETM_FORGET_RELEASE;
    while ((r = cw_fifo_peek(&v->release, now)) != NULL && (r->ack || r->count == 0 || forget)) {
        if (r->done != NULL)
            end_log(v, r->done);
        else if (r->ack)
            v->acks++;
        else if (r->last)
            punch_ticket(v, r->owner);
        cw_fifo_pop(&v->release, now);
    }
    return r;
}

static void drive_request(struct cw_getm_vu *v, const struct cw_getm_release *r)
{
    struct cw_validation_unit_in *in = &v->in;
    in->req_valid = r != NULL || v->ready.cnt > 0;
    if (r != NULL) {
        in->req_kind = CW_VU_RELEASE;
        in->req_granule = r->granule;
        in->req_count = r->count;
        in->req_owner = r->owner;
        in->req_warpts = in->req_id = in->req_spill = 0;
    } else if (in->req_valid) {
        uint32_t place = v->ready.place[v->ready.head];
        const struct cw_getm_pending *n = v->pending + place;
        uint32_t granule = (uint32_t)__builtin_ctz(n->left);
        bool load = n->p->kind == CW_MSG_READ;
        in->req_kind = load ? CW_VU_LOAD : CW_VU_STORE;
        in->req_granule = cw_getm_granule(v->tm, n->p->addr) + granule;
        in->req_warpts = load && v->load_ts != NULL ? v->load_ts[place][granule] : cw_getm_access_of(n->p)->warpts;
        in->req_owner = v->tm->sabotage == CW_GETM_SKIP_OWNER ? 0 : cw_getm_access_of(n->p)->owner;
        in->req_id = place << v->granule_bits | granule;
        in->req_count = 0;
        in->req_spill = !load && cw_getm_access_of(n->p)->spill;
    }
}

static void request_taken(struct cw_getm_vu *v, const struct cw_getm_release *r, cw_time now)
{
    if (r != NULL) {
        if (r->last)
            punch_ticket(v, r->owner);
        cw_fifo_pop(&v->release, now);
        return;
    }
    uint32_t place = v->ready.place[v->ready.head];
    struct cw_getm_pending *n = v->pending + place;
    n->left &= ~(1u << (v->in.req_id & ((1u << v->granule_bits) - 1)));
    n->open++;
    if (n->left == 0)
        places_pop(v, &v->ready);
}

static void drive_memory(struct cw_getm_vu *v, cw_time now)
{
    v->in.mem_ready = now >= v->memory_free;
    v->in.mem_rsp_valid = v->memory_answer <= now;
    if (v->in.mem_rsp_valid)
        memcpy(v->in.mem_rdata, v->overflow[v->memory_addr], sizeof v->in.mem_rdata);
}

static void serve_memory(struct cw_getm_vu *v, cw_time now)
{
    if (v->in.mem_rsp_valid)
        v->memory_answer = CW_TIME_NEVER;
    if (!v->in.mem_ready || !v->out.mem_valid)
        return;
    bool scan = !v->out.mem_write && v->out.mem_addr == v->memory_addr + 1;
    v->memory_free = now + (scan ? v->tm->config->getm_overflow_stream : v->tm->config->getm_overflow_latency) * v->period;
    if (v->out.mem_write) {
        memcpy(v->overflow[v->out.mem_addr], v->out.mem_wdata, sizeof v->out.mem_wdata);
    } else {
        v->memory_addr = (uint32_t)v->out.mem_addr;
        v->memory_answer = v->memory_free;
    }
}

/* Statistics */

/* Fold the sum over all stall buffers as it stood at the end of each instant: so the order of the partitions does not matter. */
static void fold_stalled(struct cw_getm *tm, cw_time now)
{
    if (now == tm->stalled_time)
        return;
    cw_stat_max(&tm->cfg.stats->vu_stall_max, tm->stalled);
    tm->stalled_time = now;
}

static void account_stalls(struct cw_getm_vu *v, cw_time now, uint32_t stalled, uint32_t lines)
{
    struct cw_stats *stats = v->tm->cfg.stats;
    uint64_t cycles = (now - v->occupied_since) / v->period;
    stats->vu_stall_line_cycles += cycles * v->stalled_lines;
    stats->vu_stall_request_cycles += cycles * v->stalled;
    v->occupied_since = now;
    if (stalled != v->stalled) {
        fold_stalled(v->tm, now);
        v->tm->stalled += (uint64_t)stalled - v->stalled;
    }
    v->stalled = stalled;
    v->stalled_lines = lines;
}

static void count_events(struct cw_getm_vu *v, cw_time now)
{
    struct cw_stats *stats = v->tm->cfg.stats;
    const struct cw_validation_unit_out *out = &v->out;
    stats->vu_busy_cycles++;
    stats->vu_requests += out->evt_lookup;
    stats->vu_table_cycles += out->evt_lookup ? out->evt_table_cycles : 0;
    stats->vu_stalls += out->evt_stall;
    stats->vu_retries += out->evt_retry;
    stats->vu_evictions += out->evt_evict;
    stats->vu_stashed += out->evt_stash;
    stats->vu_overflows += out->evt_overflow;
    account_stalls(v, now, (uint32_t)out->stall_occupancy, (uint32_t)out->stall_lines_used);
}

/* Rollover */

static cw_time ring_latency(const struct cw_getm_vu *v)
{
    return v->tm->config->getm_ring_latency * v->period;
}

static void wake_at(struct cw_getm_vu *v, cw_time at)
{
    if (at < v->component.wake)
        v->component.wake = at;
}

/* Partition 0 leads: whether every partition has said this in time to be heard by now; any: one is enough. */
static bool heard(const struct cw_getm_vu *v, const uint64_t *said, const cw_time *when, bool any, cw_time now)
{
    const struct cw_getm_ring *ring = &v->tm->ring;
    for (uint32_t i = 0; i < v->tm->config->partition_count; i++) {
        bool yes = said[i] == ring->epoch + 1 && when[i] + ring_latency(v) <= now;
        if (yes == any)
            return any;
    }
    return !any;
}

static void tell_cores(struct cw_getm_vu *v, uint8_t what)
{
    v->control = what;
    v->control_left = v->tm->config->core_count;
}

static void lead_rollover(struct cw_getm_vu *v, cw_time now)
{
    struct cw_getm *tm = v->tm;
    struct cw_getm_ring *ring = &tm->ring;
    if (v->control_left > 0)
        return;
    if (!ring->stopping && heard(v, ring->wanted, ring->wanted_time, true, now)) {
        ring->stopping = true;
        ring->stop_time = now;
        tell_cores(v, CW_GETM_STOP);
        for (uint32_t i = 0; i < tm->config->partition_count; i++)
            wake_at(tm->vu[i], now + ring_latency(v));
    } else if (ring->stopping && heard(v, ring->flushed, ring->flushed_time, false, now)) {
        ring->stopping = false;
        ring->epoch++;
        tell_cores(v, CW_GETM_RESUME);
        tm->cfg.stats->rollovers++;
        tm->cfg.stats->warpts_increments += tm->logical_max - tm->logical_counted;
        tm->logical_max = tm->logical_counted = 0;
    }
}

static void follow_rollover(struct cw_getm_vu *v, cw_time now)
{
    struct cw_getm_ring *ring = &v->tm->ring;
    if (v->out.rollover && ring->wanted[v->index] <= v->epoch) {
        ring->wanted[v->index] = v->epoch + 1;
        ring->wanted_time[v->index] = now;
        wake_at(v->tm->vu[0], now + ring_latency(v));
    }
    if (ring->stopping && ring->epoch == v->epoch && now >= ring->stop_time + ring_latency(v))
        v->draining = true;
    bool quiet = v->used == 0 && v->release.count == 0 && v->acks == v->tm->config->core_count;
    v->in.drain = v->draining && !quiet; /* the unit is busy as long as it is to drain */
    v->in.flush = 0;
    if (v->flush_cycles > 0)
        v->flush_cycles++;
    if (!v->draining || !quiet || v->out.busy)
        return;
    if (v->flush_cycles == 0) {
        v->in.flush = 1;
        v->flush_cycles = 1;
        return;
    }
    if (v->flush_cycles < 3) /* `out` is of the cycle before */
        return;
    v->flush_cycles = 0;
    v->draining = false;
    v->acks -= v->tm->config->core_count;
    ring->flushed[v->index] = ++v->epoch;
    ring->flushed_time[v->index] = now;
    wake_at(v->tm->vu[0], now + ring_latency(v));
}

/* The cycle */

static cw_time sooner(cw_time a, cw_time b)
{
    return a < b ? a : b;
}

static cw_time next_wake(const struct cw_getm_vu *v, cw_time now)
{
    const struct cw_getm_ring *ring = &v->tm->ring;
    if (v->awake || v->ready.cnt > 0 || v->done.cnt > 0 || v->ended_first != NULL || v->control_left > 0 || v->draining)
        return now + v->period;
    cw_time next = cw_fifo_next(&v->release);
    if (v->free.cnt > 0)
        next = sooner(next, cw_fifo_next(&v->port->from_l2));
    if (ring->stopping && ring->epoch == v->epoch)
        next = sooner(next, ring->stop_time + ring_latency(v));
    for (uint32_t i = 0; v->index == 0 && i < v->tm->config->partition_count; i++) {
        if (!ring->stopping && ring->wanted[i] == ring->epoch + 1)
            next = sooner(next, ring->wanted_time[i] + ring_latency(v));
        if (ring->stopping && ring->flushed[i] == ring->epoch + 1 && ring->flushed_time[i] + ring_latency(v) > now)
            next = sooner(next, ring->flushed_time[i] + ring_latency(v));
    }
    return next > now ? next : now + v->period;
}

static void clock_unit(struct cw_getm_vu *v, cw_time now)
{
    const struct cw_getm_release *r = next_release(v, now);
    drive_request(v, r);
    drive_memory(v, now);
    v->in.rsp_ready = 1; /* a place in the table was taken for every answer */
    if (!v->awake && !v->in.req_valid && !v->draining)
        return;
    v->unit.ops->eval(v->unit.self, &v->in, &v->out);
    count_events(v, now);
    bool taken = v->in.req_valid && v->out.req_ready;
    if (v->out.rsp_valid)
        decided(v, (uint32_t)v->out.rsp_id, (uint32_t)v->out.rsp_outcome, v->out.rsp_ts, now);
    serve_memory(v, now);
    if (taken)
        request_taken(v, r, now);
    v->awake = v->out.busy || taken || v->draining || v->in.mem_rsp_valid;
    if (v->awake || v->in.req_valid)
        v->unit.ops->tick(v->unit.self, &v->in);
}

static void tick(void *self, cw_time now)
{
    struct cw_getm_vu *v = self;
    if (v->index == 0)
        lead_rollover(v, now);
    follow_rollover(v, now);
    clock_unit(v, now);
    accept(v, now);
    send(v, now);
    v->component.wake = next_wake(v, now);
}

/* Everything else */

static int open_unit(struct cw_getm_vu *v, struct cw_error *err)
{
    const struct cw_config *c = v->tm->config;
    const struct cw_unit_provider *units = v->tm->cfg.units;
    uint32_t id_bits = (uint32_t)__builtin_ctz(v->place_cnt) + v->granule_bits;
    struct cw_validation_unit_params p;
    char name[64];
    cw_unit_params_default(&cw_validation_unit_unit, &p);
    p.ts_w = c->getm_ts_bits;
    p.id_w = id_bits > p.id_w ? id_bits : p.id_w;
    while (UINT32_C(1) << p.owner_w < c->core_count * c->core_warps)
        p.owner_w++;
    while (UINT64_C(1) << p.granule_w < ((uint64_t)c->mem_mbytes << 20) / c->tm_granule_bytes)
        p.granule_w++;
    p.row_w = (uint32_t)__builtin_ctz(c->getm_table_rows);
    p.bloom_row_w = (uint32_t)__builtin_ctz(c->getm_bloom_rows);
    p.stash_entries = c->getm_stash;
    p.max_swaps = c->getm_max_swaps;
    p.stall_lines = c->getm_stall_lines;
    p.stall_entries = c->getm_stall_entries;
    p.overflow_w = OVERFLOW_W;
    snprintf(name, sizeof name, "partition%u.validation_unit", v->index);
    return units->open(units->context, &cw_validation_unit_unit, name, &p, &v->unit, err);
}

static int allocate(struct cw_getm_vu *v)
{
    const struct cw_config *c = v->tm->config;
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
    v->overflow = calloc(UINT32_C(1) << OVERFLOW_W, sizeof *v->overflow);
    if (v->tm->sabotage == CW_GETM_DROP_RTS)
        v->load_ts = calloc(n, sizeof *v->load_ts);
    bool ok = place != NULL && v->pending != NULL && v->completed != NULL && v->overflow != NULL &&
              (v->load_ts != NULL || v->tm->sabotage != CW_GETM_DROP_RTS) &&
              cw_fifo_create(&v->release, RELEASES, &v->component.wake) == CW_OK;
    for (uint32_t i = 0; ok && i < n; i++)
        places_push(v, &v->free, i);
    return ok ? CW_OK : CW_ENOMEM;
}

int cw_getm__vu_create(struct cw_getm_vu **out, struct cw_getm *tm, uint32_t index, struct cw_error *err)
{
    struct cw_getm_vu *v = *out = calloc(1, sizeof *v);
    if (v == NULL)
        return cw_fail(err, CW_ENOMEM, "getm: out of host memory");
    v->tm = tm;
    v->index = index;
    v->period = cw_getm_period(tm, CW_DOMAIN_L2);
    v->component = (struct cw_component){.tick = tick, .self = v, .wake = 0, .domain = CW_DOMAIN_L2};
    v->port = cw_partition_socket_of(tm->cfg.partition[index], tm->cfg.index);
    v->port->from_l2.wake = &v->component.wake;
    v->granule_bits = (uint32_t)__builtin_ctz(CW_LINE_BYTES / tm->config->tm_granule_bytes);
    /* all stalled requests may be of different packets; some more keep the unit supplied meanwhile */
    uint32_t places = tm->config->getm_stall_lines * tm->config->getm_stall_entries + 32;
    for (v->place_cnt = 64; v->place_cnt < places;)
        v->place_cnt *= 2;
    v->memory_answer = CW_TIME_NEVER;
    v->awake = true;
    if (allocate(v) != CW_OK)
        return cw_fail(err, CW_ENOMEM, "getm: out of host memory");
    return open_unit(v, err);
}

void cw_getm__vu_destroy(struct cw_getm_vu *v)
{
    if (v == NULL)
        return;
    if (v->unit.ops != NULL)
        v->unit.ops->destroy(v->unit.self);
    cw_fifo_destroy(&v->release);
    free(v->free.place);
    free(v->pending);
    free(v->completed);
    free(v->overflow);
    free(v->load_ts);
    free(v);
}

struct cw_component *cw_getm__vu_component(struct cw_getm_vu *v)
{
    return &v->component;
}

struct cw_fifo *cw_getm__vu_releases(struct cw_getm_vu *v)
{
    return &v->release;
}

bool cw_getm__vu_idle(const struct cw_getm_vu *v)
{
    return v->used == 0 && v->ended_first == NULL && v->release.count == 0 && v->control_left == 0 && !v->draining && !v->awake;
}

void cw_getm__vu_finish(struct cw_getm_vu *v)
{
    cw_stat_max(&v->tm->cfg.stats->vu_stall_max, v->tm->stalled);
}
