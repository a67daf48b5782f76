/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slice's port serves one request per L2 cycle, in this order: requests whose miss has been resolved, then new
 * requests and commit writes in turn. A request is performed (its bytes move) when it takes the port and its reply
 * leaves l2.latency cycles later. With all clocks equal, a read that hits, popped from the crossbar at cycle t, is
 * performed at t + l2.rop_latency and enters the other crossbar at t + l2.rop_latency + l2.latency.
 *
 * A request takes the port only when the queue for its reply has room, whether it hits or not; otherwise it waits at
 * the head, and so do those behind it. Commit writes and requests do not block each other, so that a commit always gets
 * through (GETM: its progress is what lets stalled transactional requests go).
 *
 * What leaves the slice is queued behind the registers of the access pipeline: each such FIFO has l2.latency entries
 * for these.
 */
#include "mem/partition.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cowarp/unit/crossbar_port.h"
#include "cowarp/unit/dram_scheduler.h"
#include "cowarp/unit/l2_mshr.h"
#include "cowarp/unit/l2_slice.h"
#include "cowarp/unit/l2_tags.h"
#include "mem/address.h"
#include "mem/adversary.h"
#include "mem/copier.h"
#include "mem/device_memory.h"
#include "mem/dram.h"
#include "mem/l2.h"
#include "mem/nvm.h"
#include "mem/version.h"

#define MECH_QUEUE 8u /* entries of from_l2, reply, to_l2 and l2_done */

/* A queue in front of the slice's port. */
struct source {
    struct cw_fifo *queue;
    cw_time stalled_from; /* first failed attempt of the head, CW_TIME_NEVER when there was none */
    bool blocked;         /* the head failed, and only what makes the slice tick anyway can help it */
};

struct cw_partition {
    struct cw_component component; /* L2 domain */
    struct cw_mem_config config;
    cw_time period;
    struct cw_pack_shape shape;
    struct cw_dram *own_channel; /* NULL: dram is a port of another partition's */
    struct cw_dram_port *dram;
    struct cw_nvm_port *nvm; /* NULL: no persistent memory */
    bool uses_nvm;           /* some request has been for persistent memory */
    struct cw_l2 *l2;
    struct cw_fifo rop, reply;
    struct cw_mem_socket *mech; /* [config.mech_cnt] */
    struct hook {
        const struct cw_mem_hooks *hooks;
        void *self;
    } * hook;
    uint32_t hook_cnt;
    struct source *source; /* new requests, then the to_l2 of each mechanism */
    uint32_t source_cnt;
    uint32_t turn; /* source that is tried first */
    cw_time port_free_at;
    bool hostile; /* core.memory=adversary */
    struct cw_adversary adversary;
    struct cw_copier *copier; /* NULL: nobody has asked for it */
    uint32_t copies;          /* of rows, that DRAM has and that have not come back */
    uint32_t reply_turn;      /* queue of replies that is looked at first: 0 the slice's, 1 + i mechanism i's */
};

/* Crossbar side */

static struct cw_fifo *replies(struct cw_partition *s, uint32_t i)
{
    return i == 0 ? &s->reply : &s->mech[i - 1].reply;
}

static void send_reply(struct cw_partition *s, cw_time now)
{
    for (uint32_t k = 0; k < s->source_cnt; k++) {
        const uint32_t i = (s->reply_turn + k) % s->source_cnt;
        struct cw_fifo *from = replies(s, i);
        struct cw_message *p = cw_fifo_peek(from, now);
        if (p == NULL)
            continue;
        if (cw_crossbar_can_push(s->config.down, s->config.index, p->flits, now)) {
            if (i != 0)
                cw_trips_pass(s->config.trips, p, CW_TRIP_RETURNED, now);
            cw_crossbar_push(s->config.down, s->config.index, cw_fifo_pop(from, now), now);
            s->reply_turn = (i + 1) % s->source_cnt;
        }
        return;
    }
}

/* L2 cycles by which mechanisms want the message held before the L2. */
static uint32_t held(const struct cw_partition *s, struct cw_message *p, cw_time now)
{
    uint32_t cycles = 0;
    for (uint32_t i = 0; i < s->hook_cnt; i++)
        if (s->hook[i].hooks->before_l2 != NULL)
            cycles += s->hook[i].hooks->before_l2(s->hook[i].self, p, now);
    return cycles;
}

/* With an adversary all that has come is held, and what is due goes on. */
static void let_in(struct cw_partition *s, cw_time now)
{
    struct cw_message *p = cw_crossbar_peek(s->config.up, s->config.index, now);
    if (p != NULL && cw_adversary_hold(&s->adversary, p, now))
        cw_crossbar_pop(s->config.up, s->config.index, now);
}

static void take_request(struct cw_partition *s, cw_time now)
{
    uint32_t index = 0;
    if (__builtin_expect(s->hostile, 0))
        let_in(s, now);
    struct cw_message *p =
        s->hostile ? cw_adversary_peek(&s->adversary, now, &index) : cw_crossbar_peek(s->config.up, s->config.index, now);
    if (p == NULL)
        return;
    const bool bypass = p->kind == CW_MSG_OWN;
    assert(p->kind <= CW_MSG_OWN && p->mech <= s->config.mech_cnt && (!bypass || p->mech != 0));
    assert(bypass || cw_address_partition(s->config.config, p->addr) == s->config.index);
    struct cw_fifo *to = bypass ? &s->mech[p->mech - 1].from_noc : &s->rop;
    if (!cw_fifo_can_push(to, now))
        return;
    if (s->hostile)
        cw_adversary_take(&s->adversary, index);
    else
        cw_crossbar_pop(s->config.up, s->config.index, now);
    p->place = 0;
    const cw_time delay = (bypass ? 1 : s->config.config->l2_rop_latency + held(s, p, now)) * s->period;
    cw_trips_pass_two(s->config.trips, p, bypass ? CW_TRIP_HANDED : CW_TRIP_CAME, now, bypass ? CW_TRIP_HANDED : CW_TRIP_DUE, now + delay);
    cw_fifo_push(to, now, delay, p);
}

/* Slice side */

/* Where p goes after the slice; NULL when it ends there. */
static struct cw_fifo *destination(struct cw_partition *s, const struct cw_message *p)
{
    if (p->after == CW_AFTER_MECH)
        return &s->mech[p->mech - 1].from_l2;
    if (p->after == CW_AFTER_RETURN)
        return &s->mech[p->mech - 1].l2_done;
    if (p->kind != CW_MSG_WRITE)
        return &s->reply;
    return p->needs_reply ? &s->reply : NULL;
}

static bool persists(const struct cw_message *p)
{
    return (p->kind == CW_MSG_WRITE || p->kind == CW_MSG_ATOMIC) && cw_memory_is_pm(p->addr) && !p->timing_only;
}

static bool has_room(struct cw_partition *s, const struct cw_message *p, cw_time now)
{
    const struct cw_fifo *to = destination(s, p);
    s->uses_nvm |= cw_memory_is_pm(p->addr);
    if (s->uses_nvm && persists(p) && !cw_nvm_can_persist(s->nvm, now))
        return false;
    return to == NULL || cw_fifo_can_push(to, now);
}

/* Bytes of an acknowledgement beside its header. With noc.sector_acks each further sector adds as many flits as one of its own would have. */
static uint32_t ack_payload(const struct cw_config *config, const struct cw_message *p)
{
    const uint32_t flits = (config->noc_header_bytes + config->noc_flit_bytes - 1) / config->noc_flit_bytes;
    const uint32_t sectors = cw_sectors_count(p->sectors);
    return config->noc_sector_acks == CW_ON && sectors > 1 ? (sectors - 1) * flits * config->noc_flit_bytes : 0;
}

/* Turns a performed request into its reply. */
static void make_reply(struct cw_partition *s, struct cw_message *p)
{
    uint32_t payload = 0;
    if (p->kind == CW_MSG_READ) {
        p->kind = CW_MSG_READ_REPLY;
        payload = cw_pack_body_bits(p, &s->shape) / 8;
    } else if (p->kind == CW_MSG_ATOMIC && p->needs_reply) {
        p->kind = CW_MSG_ATOMIC_REPLY;
        payload = s->config.config->noc_atomic_sectors == CW_ON
                      ? CW_SECTOR_BYTES * cw_sectors_count(p->sectors)
                      : (cw_type_bytes((enum cw_type)cw_atomic_body_of(p)->type) > 4 ? 8u : 4u) * cw_lanes_count(p->lanes);
    } else {
        p->kind = CW_MSG_WRITE_ACK;
        payload = ack_payload(s->config.config, p);
    }
    cw_message_size(p, payload, s->config.config->noc_header_bytes, s->config.config->noc_flit_bytes);
}

/* The bytes that p has written: those of a write, or what an atomic has made of memory just now. */
static void written_bytes(const struct cw_partition *s, const struct cw_message *p, struct cw_nvm_persist *to)
{
    if (p->kind == CW_MSG_WRITE) {
        memcpy(to->byte_mask, cw_line_body_of(p)->byte_mask, sizeof to->byte_mask);
        memcpy(to->data, cw_line_body_of(p)->data, sizeof to->data);
        return;
    }
    const struct cw_atomic_body *b = cw_atomic_body_of(p);
    const uint32_t bytes = cw_type_bytes((enum cw_type)b->type);
    for (cw_lanes left = p->lanes; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t at = b->lane_offset[cw_lanes_first(left)];
        to->byte_mask[at / 32] |= ((1u << bytes) - 1) << at % 32;
        cw_memory_read(s->config.memory, p->addr + at, to->data + at, bytes);
    }
}

/* The slice has performed a write to persistent memory: the bytes set out, with the message if it is to be answered. */
static __attribute__((noinline)) bool send_persist(struct cw_partition *s, struct cw_message *p, cw_time delay, cw_time now)
{
    struct cw_nvm_persist persist = {.addr = p->addr, .core = p->core, .id = p->attempt};
    const bool answered = destination(s, p) == &s->reply;
    cw_trips_pass(s->config.trips, p, CW_TRIP_SERVED, now);
    persist.message = answered ? p : NULL;
    written_bytes(s, p, &persist);
    cw_nvm_persist(s->nvm, &persist, delay, now);
    return answered;
}

/* Bytes are durable: the answer to who has written them. */
static __attribute__((noinline)) void take_durable(struct cw_partition *s, cw_time now)
{
    struct cw_message *p = cw_nvm_acknowledged(s->nvm, now);
    if (p == NULL || !cw_fifo_can_push(&s->reply, now))
        return;
    cw_nvm_pop_acknowledged(s->nvm, now);
    make_reply(s, p);
    cw_trips_pass(s->config.trips, p, CW_TRIP_RETURNED, now + s->period);
    cw_fifo_push(&s->reply, now, s->period, p);
}

/* p, whose destination has room, is done with here: its reply sets out, or it ends. */
static void send_on(struct cw_partition *s, struct cw_message *p, cw_time delay, cw_time now)
{
    struct cw_fifo *to = destination(s, p);
    if (to == NULL) {
        cw_message_free(s->config.pool, p);
        return;
    }
    if (to == &s->reply)
        make_reply(s, p);
    cw_fifo_push(to, now, delay, p);
}

/* What the next lane with the address of this one has found is what this one has left. */
static uint64_t left_by(const struct cw_partition *s, const struct cw_message *p, uint32_t lane)
{
    const struct cw_atomic_body *b = cw_atomic_body_of(p);
    for (cw_lanes left = p->lanes & ~(((cw_lanes)2 << lane) - 1); left != 0; left = cw_lanes_rest(left))
        if (b->lane_offset[cw_lanes_first(left)] == b->lane_offset[lane])
            return b->a[cw_lanes_first(left)];
    uint64_t value = 0;
    cw_memory_read(s->config.memory, cw_message_place(p) + b->lane_offset[lane], &value, cw_type_bytes((enum cw_type)b->type));
    return value;
}

static __attribute__((noinline)) void tell_atomic(const struct cw_partition *s, const struct cw_message *p, cw_time now)
{
    struct cw_event e = {.type = CW_EVENT_STRONG, .core = p->core, .warp = p->warp, .now = now};
    e.u.strong.kind = CW_STRONG_PERFORM;
    for (cw_lanes left = p->lanes; left != 0; left = cw_lanes_rest(left)) {
        e.lane = cw_lanes_first(left);
        e.u.strong.addr = p->addr + cw_atomic_body_of(p)->lane_offset[e.lane];
        e.u.strong.old = cw_atomic_body_of(p)->a[e.lane];
        e.u.strong.value = left_by(s, p, e.lane);
        cw_events_tell(s->config.events, &e);
    }
}

/* p has been performed and holds the port for that many cycles. */
static void finish(struct cw_partition *s, struct cw_message *p, uint32_t cycles, cw_time now)
{
    if (__builtin_expect(p->kind == CW_MSG_ATOMIC && s->config.events != NULL && cw_events_want(s->config.events, CW_EVENT_STRONG), 0))
        tell_atomic(s, p, now);
    const cw_time delay = (s->config.config->l2_latency + cycles - 1) * s->period;
    s->port_free_at = now + cycles * s->period;
    if (s->uses_nvm && persists(p) && send_persist(s, p, delay, now))
        return;
    cw_trips_pass_two(s->config.trips, p, CW_TRIP_SERVED, now, p->after == CW_AFTER_REPLY ? CW_TRIP_RETURNED : CW_TRIP_HANDED, now + delay);
    send_on(s, p, delay, now);
}

/* DRAM has the bytes of writes that went past the slice. */
static void take_written(struct cw_partition *s, cw_time now)
{
    struct cw_message *p;
    while ((p = cw_dram_written(s->dram, now)) != NULL) {
        const struct cw_fifo *to = destination(s, p);
        if (to != NULL && !cw_fifo_can_push(to, now))
            return;
        cw_dram_pop_written(s->dram, now);
        cw_trips_pass(s->config.trips, p, CW_TRIP_RETURNED, now + s->period);
        send_on(s, p, s->period, now);
    }
}

/* A message whose row DRAM has copied: all its lines now have their bytes in both. */
static __attribute__((noinline)) void take_copied(struct cw_partition *s, cw_time now)
{
    struct cw_message *p;
    while ((p = cw_dram_copied(s->dram, now)) != NULL && cw_fifo_can_push(destination(s, p), now)) {
        cw_dram_pop_copied(s->dram, now);
        s->copies--;
        cw_version_copy_row(s->config.memory, p->addr, cw_copy_body_of(p)->to);
        cw_fifo_push(destination(s, p), now, s->period, p);
    }
}

/* CLEAN, DROP, COPY. */
static enum cw_l2_result maintain(struct cw_partition *s, struct cw_message *p, cw_time now)
{
    if (p->kind != CW_MSG_COPY)
        return cw_l2_maintain(s->l2, p, now);
    if (!cw_dram_can_copy(s->dram, now))
        return CW_L2_STALL_DRAM;
    const struct cw_config *c = s->config.config;
    cw_dram_push_copy(s->dram, cw_address_local(c, p->addr), cw_address_local(c, cw_copy_body_of(p)->to), cw_copy_body_of(p)->over_bus, p,
                      now);
    s->copies++;
    return CW_L2_MISS;
}

/* Tries the head of a source; whether it took the port. */
static bool try_source(struct cw_partition *s, struct source *from, cw_time now)
{
    struct cw_message *p = cw_fifo_peek(from->queue, now);
    enum cw_l2_result result = CW_L2_STALL_DRAM;
    uint32_t cycles = 1;
    from->blocked = false;
    if (p == NULL)
        return false;
    if (has_room(s, p, now) && p->kind >= CW_MSG_CLEAN)
        result = maintain(s, p, now);
    else if (has_room(s, p, now))
        result = p->kind == CW_MSG_PASS ? CW_L2_DONE : cw_l2_access(s->l2, p, &cycles, now);
    if (result == CW_L2_STALL || result == CW_L2_STALL_DRAM) {
        from->stalled_from = cw_time_min(from->stalled_from, now);
        from->blocked = result == CW_L2_STALL;
        return false;
    }
    if (from->stalled_from != CW_TIME_NEVER)
        s->config.stats->l2_stalls += (now - from->stalled_from) / s->period;
    from->stalled_from = CW_TIME_NEVER;
    cw_fifo_pop(from->queue, now);
    if (result == CW_L2_MISS)
        cw_trips_pass(s->config.trips, p, CW_TRIP_MISSED, now);
    if (result == CW_L2_DONE)
        finish(s, p, cycles, now);
    else
        s->port_free_at = now + (result == CW_L2_PASSED ? cycles : 1) * s->period;
    return true;
}

static void unblock(struct cw_partition *s)
{
    for (uint32_t i = 0; i < s->source_cnt; i++)
        s->source[i].blocked = false;
}

/* Gives the port to one request, if one can take it. */
static void serve(struct cw_partition *s, cw_time now)
{
    struct cw_message *p = cw_l2_replay_head(s->l2);
    if (p != NULL && has_room(s, p, now)) {
        uint32_t cycles;
        cw_l2_replay(s->l2, &cycles);
        finish(s, p, cycles, now);
        unblock(s);
        return;
    }
    for (uint32_t k = 0; k < s->source_cnt; k++) {
        uint32_t i = (s->turn + k) % s->source_cnt;
        if (!try_source(s, &s->source[i], now))
            continue;
        s->turn = (i + 1) % s->source_cnt;
        unblock(s);
        return;
    }
}

/* Earliest time at which a tick can do something. A head that is ready but blocked by a full queue asks for the next
 * edge. */
static cw_time next_event(struct cw_partition *s)
{
    cw_time port = cw_l2_replay_head(s->l2) != NULL ? 0 : CW_TIME_NEVER;
    for (uint32_t i = 0; i < s->source_cnt; i++)
        if (!s->source[i].blocked)
            port = cw_time_min(port, cw_fifo_next(s->source[i].queue));
    cw_time next = cw_time_max(port, s->port_free_at);
    next = cw_time_min(next, cw_crossbar_next(s->config.up, s->config.index));
    next = cw_time_min(next, cw_time_min(cw_dram_next(s->dram), cw_dram_next_written(s->dram)));
    if (s->hostile)
        next = cw_time_min(next, cw_adversary_next(&s->adversary));
    if (s->uses_nvm)
        next = cw_time_min(next, cw_nvm_next(s->nvm));
    if (s->copies > 0)
        next = cw_time_min(next, cw_dram_next_copied(s->dram));
    next = cw_time_min(next, cw_fifo_next(&s->reply));
    for (uint32_t i = 0; i < s->config.mech_cnt; i++)
        next = cw_time_min(next, cw_fifo_next(&s->mech[i].reply));
    return next;
}

static void tick(void *self, cw_time now)
{
    struct cw_partition *s = self;
    send_reply(s, now);
    if (s->uses_nvm)
        take_durable(s, now);
    if (s->copies > 0)
        take_copied(s, now);
    take_written(s, now);
    take_request(s, now);
    cw_l2_fill(s->l2, now);
    if (now >= s->port_free_at)
        serve(s, now);
    s->component.wake = cw_time_max(next_event(s), now + s->period);
}

/* For who counts what loads wait for: why the port takes none of the requests that are due. */
static void note_block(struct cw_partition *s, bool served, cw_time now)
{
    enum cw_trip_block why = !served && cw_l2_replay_head(s->l2) != NULL ? CW_BLOCKED_DOWN : CW_BLOCKS;
    for (uint32_t i = 0; i < s->source_cnt && !served; i++) {
        const struct cw_message *p = cw_fifo_peek(s->source[i].queue, now);
        if (p != NULL)
            why = has_room(s, p, now) ? CW_BLOCKED_DRAM : CW_BLOCKED_DOWN;
    }
    cw_trips_block(s->config.trips, s->config.index, why, now);
}

static void counting_tick(void *self, cw_time now)
{
    struct cw_partition *s = self;
    const bool was_free = now >= s->port_free_at;
    tick(self, now);
    if (was_free)
        note_block(s, s->port_free_at > now, now);
}

/* Everything else */

static int create_socket(struct cw_partition *s, uint32_t i)
{
    const struct cw_config *c = s->config.config;
    struct cw_mem_socket *m = &s->mech[i];
    cw_time *wake = &s->component.wake;
    const bool ok = cw_fifo_create(&m->from_l2, c->l2_latency + MECH_QUEUE, NULL) == CW_OK &&
                    cw_fifo_create(&m->from_noc, s->config.mech_inbox[i], NULL) == CW_OK &&
                    cw_fifo_create(&m->reply, MECH_QUEUE, wake) == CW_OK && cw_fifo_create(&m->to_l2, MECH_QUEUE, wake) == CW_OK &&
                    cw_fifo_create(&m->l2_done, c->l2_latency + MECH_QUEUE, NULL) == CW_OK;
    s->source[1 + i] = (struct source){.queue = &m->to_l2, .stalled_from = CW_TIME_NEVER};
    return ok ? CW_OK : CW_ENOMEM;
}

/* Its own channel, or that of the partition with which it shares one. */
static struct cw_dram *channel_of(const struct cw_partition *s)
{
    const struct cw_mem_service *shares = s->config.shares;
    return shares == NULL ? s->own_channel : shares->ops->channel(shares->self);
}

/* The first partition of a channel makes it (cw_address_channels). */
static int connect_dram(struct cw_partition *s, struct cw_error *err)
{
    const struct cw_config *c = s->config.config;
    const uint32_t fetches = c->l2_mshrs * (c->mem_line_bytes / CW_SECTOR_BYTES); /* one per sector at most */
    const uint32_t port = s->config.index / cw_address_channels(c);
    int status = CW_OK;
    assert((port == 0) == (s->config.shares == NULL));
    if (port == 0)
        status = cw_dram_create(&s->own_channel, c, s->config.clocks, s->config.stats, fetches, err);
    if (s->own_channel != NULL)
        cw_dram_component(s->own_channel)->index = s->config.index;
    if (status == CW_OK && s->own_channel != NULL && c->dram_unit == CW_ON)
        status = cw_dram_use_unit(s->own_channel, s->config.units, s->config.index, err);
    if (status == CW_OK)
        s->dram = cw_dram_connect(channel_of(s), port, &s->component.wake);
    return status;
}

static int create_parts(struct cw_partition *s, struct cw_error *err)
{
    const struct cw_config *c = s->config.config;
    int status = connect_dram(s, err);
    if (status == CW_OK && s->config.nvm != NULL) {
        s->nvm = cw_nvm_connect(s->config.nvm, s->config.index, &s->component.wake);
        status = s->nvm != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "partition %u: out of host memory", s->config.index);
    }
    if (status == CW_OK)
        status = cw_l2_create(&s->l2, c, s->config.index, s->config.stats, s->config.memory, s->dram, s->nvm, s->config.units, err);
    if (status != CW_OK)
        return status;
    if (cw_fifo_create(&s->rop, c->l2_rop_queue, NULL) != CW_OK ||
        cw_fifo_create(&s->reply, c->l2_latency + c->l2_reply_queue, NULL) != CW_OK)
        return cw_fail(err, CW_ENOMEM, "partition %u: out of host memory", s->config.index);
    for (uint32_t i = 0; status == CW_OK && i < s->config.mech_cnt; i++)
        status = create_socket(s, i);
    return status == CW_OK ? CW_OK : cw_fail(err, status, "partition %u: out of host memory", s->config.index);
}

/* State */

static void socket_state(struct cw_state *s, struct cw_mem_socket *m)
{
    struct cw_fifo *fifo[] = {&m->from_l2, &m->from_noc, &m->reply, &m->to_l2, &m->l2_done};
    for (size_t i = 0; i < sizeof fifo / sizeof *fifo; i++)
        cw_fifo_state(s, fifo[i], cw_message_slot_state, NULL);
}

static void state(void *self, struct cw_state *s)
{
    struct cw_partition *p = self;
    CW_STATE(s, p->uses_nvm);
    cw_adversary_state(s, &p->adversary);
    cw_l2_state(s, p->l2);
    cw_fifo_state(s, &p->rop, cw_message_slot_state, NULL);
    cw_fifo_state(s, &p->reply, cw_message_slot_state, NULL);
    for (uint32_t i = 0; i < p->config.mech_cnt; i++)
        socket_state(s, &p->mech[i]);
    for (uint32_t i = 0; i < p->source_cnt; i++) {
        CW_STATE(s, p->source[i].stalled_from);
        CW_STATE(s, p->source[i].blocked);
    }
    CW_STATE(s, p->turn);
    CW_STATE(s, p->port_free_at);
    CW_STATE(s, p->copies);
    if (p->copier != NULL)
        cw_copier_state(s, p->copier);
    CW_STATE(s, p->reply_turn);
}

static bool idle(const void *self)
{
    const struct cw_partition *s = self;
    uint32_t queued = s->rop.count + s->reply.count;
    for (uint32_t i = 0; i < s->config.mech_cnt; i++) {
        const struct cw_mem_socket *m = &s->mech[i];
        queued += m->from_l2.count + m->from_noc.count + m->reply.count + m->to_l2.count + m->l2_done.count;
    }
    return queued == 0 && s->adversary.cnt == 0 && cw_l2_idle(s->l2) && cw_dram_idle(s->dram);
}

static const struct cw_component_ops component_ops = {
    .kind = "partition", .domain = CW_DOMAIN_L2, .tick = tick, .idle = idle, .state = state};
static const struct cw_component_ops counting_ops = {
    .kind = "partition", .domain = CW_DOMAIN_L2, .tick = counting_tick, .idle = idle, .state = state};

static void destroy(void *self)
{
    struct cw_partition *s = self;
    for (uint32_t i = 0; s->mech != NULL && i < s->config.mech_cnt; i++) {
        struct cw_mem_socket *m = &s->mech[i];
        struct cw_fifo *fifo[] = {&m->from_l2, &m->from_noc, &m->reply, &m->to_l2, &m->l2_done};
        for (size_t k = 0; k < sizeof fifo / sizeof fifo[0]; k++)
            cw_fifo_destroy(fifo[k]);
    }
    cw_fifo_destroy(&s->rop);
    cw_fifo_destroy(&s->reply);
    free(s->mech);
    free(s->source);
    free(s->hook);
    cw_copier_destroy(s->copier);
    cw_l2_destroy(s->l2);
    cw_dram_destroy(s->own_channel);
    free(s);
}

/* What others ask */

static uint32_t components(void *self, struct cw_component *list[CW_MEM_COMPONENTS])
{
    struct cw_partition *s = self;
    list[0] = &s->component;
    if (s->own_channel != NULL)
        list[1] = cw_dram_component(s->own_channel);
    return s->own_channel != NULL ? 2 : 1;
}

static struct cw_mem_socket *socket_of(void *self, uint32_t mech)
{
    struct cw_partition *s = self;
    assert(mech < s->config.mech_cnt);
    return &s->mech[mech];
}

/* The DRAM channel tells of its acceptances and commands. */
static void on_accepted(void *self, uint64_t local, uint8_t sectors, bool write, cw_time now)
{
    const struct cw_partition *s = self;
    for (uint32_t i = 0; i < s->hook_cnt; i++)
        if (s->hook[i].hooks->accepted != NULL)
            s->hook[i].hooks->accepted(s->hook[i].self, local, sectors, write, now);
}

static void on_command(void *self, uint64_t local, bool write, cw_time now)
{
    const struct cw_partition *s = self;
    for (uint32_t i = 0; i < s->hook_cnt; i++)
        if (s->hook[i].hooks->dram_command != NULL)
            s->hook[i].hooks->dram_command(s->hook[i].self, local, write, now);
}

static int take_hook(void *self, const struct cw_mem_hooks *hooks, void *context)
{
    struct cw_partition *s = self;
    struct hook *more = realloc(s->hook, (s->hook_cnt + 1) * sizeof *more);
    if (more == NULL)
        return CW_ENOMEM;
    s->hook = more;
    s->hook[s->hook_cnt++] = (struct hook){hooks, context};
    cw_dram_listen(s->dram, on_accepted, on_command, s);
    return CW_OK;
}

static void count_queued(const void *self, uint32_t *l2, uint32_t *dram)
{
    const struct cw_partition *s = self;
    *l2 = s->rop.count;
    *dram = cw_dram_queued(s->dram);
}

static void host_copy(void *self, uint64_t addr)
{
    assert(idle(self));
    cw_l2_host_copy(((struct cw_partition *)self)->l2, addr);
}

/* Every line of the slice goes, and memory has the bytes of dirty ones. Their outstanding write-backs are neither sent to DRAM nor counted. */
static void finish_kernel(void *self)
{
    struct cw_partition *s = self;
    assert(idle(self));
    if (s->config.config->l2_launch == CW_LAUNCH_COLD)
        cw_l2_flush(s->l2);
}

static struct cw_dram *channel(void *self)
{
    return ((struct cw_partition *)self)->own_channel;
}

static int make_copier(void *self, struct cw_copier **out, const struct cw_copier_config *config, struct cw_error *err)
{
    struct cw_partition *s = self;
    assert(s->copier == NULL);
    if (s->config.config->dram_unit == CW_ON)
        return cw_fail(err, CW_EUNSUP, "dram.unit: unit dram_scheduler copies no rows, as this system does; set dram.unit=off");
    const int status = cw_copier_create(&s->copier, &s->config, config, err);
    *out = s->copier;
    return status;
}

static const struct cw_mem_service_ops service_ops = {
    .kind = "partition",
    .destroy = destroy,
    .components = components,
    .socket = socket_of,
    .hook = take_hook,
    .queued = count_queued,
    .host_copy = host_copy,
    .finish = finish_kernel,
    .channel = channel,
    .copier = make_copier,
};

static int create(struct cw_mem_service *out, const struct cw_mem_config *config, struct cw_error *err)
{
    *out = (struct cw_mem_service){0};
    struct cw_partition *s = calloc(1, sizeof *s);
    if (s == NULL)
        return cw_fail(err, CW_ENOMEM, "partition %u: out of host memory", config->index);
    s->config = *config;
    s->period = config->clocks->period[CW_DOMAIN_L2];
    s->shape = (struct cw_pack_shape){config->config->core_warp_width, config->config->mem_line_bytes / CW_SECTOR_BYTES};
    s->component = cw_component_of(config->trips != NULL ? &counting_ops : &component_ops, s, config->index);
    s->hostile = config->config->core_memory == CW_MEMORY_ADVERSARY;
    s->adversary.period = s->period;
    s->adversary.seed = config->config->core_memory_seed * UINT64_C(0x100000001b3);
    cw_rng_seed(&s->adversary.rng, s->adversary.seed + config->index);
    s->source_cnt = 1 + config->mech_cnt;
    s->source = calloc(s->source_cnt, sizeof *s->source);
    s->mech = calloc(config->mech_cnt + 1, sizeof *s->mech);
    int status = s->source != NULL && s->mech != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "partition %u: out of host memory", config->index);
    if (status == CW_OK) {
        s->source[0] = (struct source){.queue = &s->rop, .stalled_from = CW_TIME_NEVER};
        status = create_parts(s, err);
    }
    if (status != CW_OK) {
        destroy(s);
        return status;
    }
    cw_crossbar_on_arrival(config->up, config->index, &s->component.wake);
    *out = (struct cw_mem_service){&service_ops, s};
    return CW_OK;
}

const struct cw_mem_kind cw_partition_kind = {"partition", create};

static bool has_tags_unit(const struct cw_config *config)
{
    return config->l2_tags_unit == CW_ON;
}

static bool has_mshr_unit(const struct cw_config *config)
{
    return config->l2_mshr_unit == CW_ON;
}

static bool has_slice_unit(const struct cw_config *config)
{
    return config->l2_slice_unit == CW_ON;
}

static bool has_dram_unit(const struct cw_config *config)
{
    return config->dram_unit == CW_ON;
}

static bool has_port_unit(const struct cw_config *config)
{
    return config->noc_port_unit == CW_ON;
}

const struct cw_mech_unit cw_partition_units[CW_PARTITION_UNITS] = {
    {.unit = &cw_l2_tags_unit,
     .what = "which line is where in an L2 slice, and which one goes; one per partition",
     .domain = CW_DOMAIN_L2,
     .used = has_tags_unit,
     .needs = "l2.tags_unit=on"},
    {.unit = &cw_l2_mshr_unit,
     .what = "which requests of an L2 slice wait for memory, and who is next; one per partition",
     .domain = CW_DOMAIN_L2,
     .used = has_mshr_unit,
     .needs = "l2.mshr_unit=on"},
    {.unit = &cw_l2_slice_unit,
     .what = "what an L2 slice does with each request, and its bytes; one per partition",
     .domain = CW_DOMAIN_L2,
     .used = has_slice_unit,
     .needs = "l2.slice_unit=on"},
    {.unit = &cw_dram_scheduler_unit,
     .what = "which command a DRAM channel is given next; one per channel",
     .domain = CW_DOMAIN_DRAM,
     .used = has_dram_unit,
     .needs = "dram.unit=on"},
    {.unit = &cw_crossbar_port_unit,
     .what = "which core sends to a partition next, and whether there is room; one per partition",
     .domain = CW_DOMAIN_NOC,
     .used = has_port_unit,
     .needs = "noc.port_unit=on"},
};
