/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GETM, partition half: the commit unit (GETM V.C). It takes LOG messages in order. In each cycle it gathers those words of a message that
 * lie in one region of cu.write_bytes into one write of the L2. Writes pass a delay line of cu.rop_latency cycles first. The unit gives the
 * write counts of a granule to the validation unit when the granule's data are in the L2, in the order of the entries.
 */
#include "mech/getm/log_writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/ring.h"
#include "mech/getm/events.h"
#include "mem/service.h"

#define WRITES      256u /* commit writes in flight; power of two */
#define RELEASES    256u /* waiting for their writes */
#define HANDED_OVER 64u  /* more than the queue to the validation unit holds */

struct cw_getm_log_writer {
    struct cw_component component;
    const struct cw_getm *getm;
    uint32_t index;
    cw_time period;
    struct cw_mem_socket *port;
    struct cw_fifo *to_validation;
    /* log messages */
    struct cw_message **queue; /* ring of cu.buffer */
    struct cw_ring ring;
    uint32_t left;     /* entries of the head that are not written */
    bool begun;        /* head: left is valid */
    uint32_t released; /* head: entries whose release is made */
    /* commit writes, numbered in order of issue */
    struct cw_message *write[WRITES];
    struct cw_message *log[WRITES]; /* its log message: stays until its writes are done; `writing` counts them */
    cw_time ready[WRITES];          /* end of the delay line */
    bool done[WRITES];
    uint64_t issued, sent, finished; /* finished: all before it are done */
    /* releases waiting for their writes */
    struct cw_getm_release release[RELEASES];
    uint64_t release_first, release_end;
    struct cw_getm_release handed[HANDED_OVER];
    uint32_t handed_next;
};

/* L2 writes */

/* One L2 write with all entries of the head message in the region of its first unwritten entry. */
static void issue_write(struct cw_getm_log_writer *u, struct cw_message *log, cw_time now)
{
    const struct cw_log_entry *entry = cw_getm_log_of(log)->log.entry;
    uint64_t mask = ~(uint64_t)(u->getm->common.keys->cu_write_bytes - 1);
    uint64_t region = entry[__builtin_ctz(u->left)].addr & mask;
    struct cw_message *p = cw_message_new(u->getm->host.pool, &cw_line_body_type);
    struct cw_line_body *body = cw_line_body(p);
    memset(body->byte_mask, 0, sizeof body->byte_mask);
    p->kind = CW_MSG_WRITE;
    p->after = CW_AFTER_RETURN;
    p->mech = (uint8_t)(u->getm->host.index + 1);
    p->partition = (uint16_t)u->index;
    p->addr = region & ~(uint64_t)(CW_LINE_BYTES - 1);
    p->born = now;
    p->tag = (uint32_t)(u->issued % WRITES);
    for (uint32_t rest = u->left; rest != 0; rest &= rest - 1) {
        const struct cw_log_entry *e = entry + __builtin_ctz(rest);
        if ((e->addr & mask) != region)
            continue;
        uint32_t at = (uint32_t)(e->addr - p->addr);
        for (uint32_t b = 0; b < 4; b++)
            if (e->bytes >> b & 1)
                body->data[at + b] = (uint8_t)(e->value >> (8 * b));
        body->byte_mask[at / 32] |= (uint32_t)e->bytes << (at % 32);
        p->sectors |= (uint8_t)(1u << (at / CW_SECTOR_BYTES));
        p->lanes |= rest & -rest; /* not lanes: entries in this write */
    }
    u->left &= ~(uint32_t)p->lanes;
    u->write[u->issued % WRITES] = p;
    u->log[u->issued % WRITES] = log;
    cw_getm_log(log)->writing++;
    u->done[u->issued % WRITES] = false;
    u->ready[u->issued % WRITES] = now + u->getm->common.keys->cu_rop_latency * u->period;
    u->issued++;
    u->getm->common.counters->cu_writes++;
}

static void drop_log(struct cw_getm_log_writer *u, struct cw_message *log)
{
    cw_message_free(u->getm->host.pool, log);
}

static void take_done(struct cw_getm_log_writer *u, cw_time now)
{
    struct cw_message *p;
    while ((p = cw_fifo_pop(&u->port->l2_done, now)) != NULL) {
        uint32_t slot = p->tag;
        struct cw_message *log = u->log[slot];
        cw_getm__tell_writes(u->getm, log, p->lanes, now);
        u->done[slot] = true;
        /* its last entry may still be unwritten: then it is the head */
        if (--cw_getm_log(log)->writing == 0 && (u->ring.cnt == 0 || log != u->queue[u->ring.head]))
            drop_log(u, log);
        cw_message_free(u->getm->host.pool, p);
    }
    while (u->finished < u->sent && u->done[u->finished % WRITES])
        u->finished++;
}

static void send_write(struct cw_getm_log_writer *u, cw_time now)
{
    if (u->sent == u->issued || u->ready[u->sent % WRITES] > now || !cw_fifo_can_push(&u->port->to_l2, now))
        return;
    cw_fifo_push(&u->port->to_l2, now, cw_getm_period(u->getm, CW_DOMAIN_L2), u->write[u->sent++ % WRITES]);
}

/* Releases */

static struct cw_getm_release *new_release(struct cw_getm_log_writer *u, uint32_t owner)
{
    struct cw_getm_release *r = u->release + u->release_end++ % RELEASES;
    *r = (struct cw_getm_release){.owner = owner, .after = u->issued};
    return r;
}

/* Releases of the head's entries before which nothing is left to write. */
static void make_releases(struct cw_getm_log_writer *u, const struct cw_message *log)
{
    uint32_t cnt = cw_getm_log_of(log)->log.cnt, until = u->left != 0 ? (uint32_t)__builtin_ctz(u->left) : cnt;
    struct cw_getm_release *r = NULL;
    for (; u->released < until; u->released++) {
        const struct cw_log_entry *e = cw_getm_log_of(log)->log.entry + u->released;
        r = NULL;
        if (e->count == 0)
            continue;
        r = new_release(u, cw_getm_log_of(log)->owner);
        r->granule = cw_getm_granule(u->getm, e->addr);
        r->count = e->count;
    }
    if (until < cnt)
        return;
    if (r == NULL)
        r = new_release(u, cw_getm_log_of(log)->owner);
    r->last = true;
}

static void hand_over(struct cw_getm_log_writer *u, cw_time now)
{
    if (u->release_first == u->release_end || u->release[u->release_first % RELEASES].after > u->finished ||
        !cw_fifo_can_push(u->to_validation, now))
        return;
    struct cw_getm_release *r = u->handed + u->handed_next++ % HANDED_OVER;
    *r = u->release[u->release_first++ % RELEASES];
    cw_fifo_push(u->to_validation, now, cw_getm_period(u->getm, CW_DOMAIN_L2), r);
}

/* Messages */

static void pop_head(struct cw_getm_log_writer *u)
{
    cw_ring_take(&u->ring, u->getm->common.keys->cu_buffer);
    u->begun = false;
}

static void begin_head(struct cw_getm_log_writer *u, const struct cw_message *log)
{
    u->begun = true;
    u->left = u->released = 0;
    for (uint32_t i = 0; i < cw_getm_log_of(log)->log.cnt; i++)
        if ((cw_getm_log_of(log)->log.entry[i].flags & CW_GETM_CLEAN) == 0)
            u->left |= 1u << i;
}

static void work(struct cw_getm_log_writer *u, cw_time now)
{
    if (u->ring.cnt == 0 || u->issued - u->finished >= WRITES || u->release_end - u->release_first + CW_PACKET_ENTRIES + 1 > RELEASES)
        return;
    struct cw_message *log = u->queue[u->ring.head];
    if (log->op == CW_GETM_DONE) {
        new_release(u, 0)->done = log;
        pop_head(u);
        return;
    }
    if (log->op == CW_GETM_ACK) {
        new_release(u, 0)->ack = true;
        pop_head(u);
        cw_message_free(u->getm->host.pool, log);
        return;
    }
    if (!u->begun)
        begin_head(u, log);
    if (u->left != 0)
        issue_write(u, log, now);
    make_releases(u, log);
    if (u->left != 0)
        return;
    pop_head(u);
    if (cw_getm_log_of(log)->writing == 0)
        drop_log(u, log);
}

static void accept(struct cw_getm_log_writer *u, cw_time now)
{
    struct cw_message *p = u->ring.cnt < u->getm->common.keys->cu_buffer ? cw_fifo_pop(&u->port->from_noc, now) : NULL;
    if (p == NULL)
        return;
    u->queue[cw_ring_add(&u->ring, u->getm->common.keys->cu_buffer)] = p;
    if (p->op == CW_GETM_LOG) {
        u->getm->common.counters->cu_packets++;
        u->getm->common.counters->cu_entries += cw_getm_log_of(p)->log.cnt;
    }
}

static cw_time next_wake(const struct cw_getm_log_writer *u, cw_time now)
{
    bool release = u->release_first != u->release_end && u->release[u->release_first % RELEASES].after <= u->finished;
    if (u->ring.cnt > 0 || release)
        return now + u->period;
    cw_time next = cw_time_min(cw_fifo_next(&u->port->from_noc), cw_fifo_next(&u->port->l2_done));
    if (u->sent != u->issued)
        next = cw_time_min(next, u->ready[u->sent % WRITES]);
    return next > now ? next : now + u->period;
}

static void tick(void *self, cw_time now)
{
    struct cw_getm_log_writer *u = self;
    take_done(u, now);
    hand_over(u, now);
    send_write(u, now);
    work(u, now);
    accept(u, now);
    u->component.wake = next_wake(u, now);
}

/* Everything else */

/* State */

static void release_state(struct cw_state *s, struct cw_getm_release *r)
{
    CW_STATE(s, r->granule);
    CW_STATE(s, r->count);
    CW_STATE(s, r->owner);
    CW_STATE(s, r->last);
    CW_STATE(s, r->ack);
    CW_STATE(s, r->after);
    cw_message_state(s, &r->done);
}

/* What is on its way to the validation unit lies here. */
static void handed_state(struct cw_state *s, void **slot, void *context)
{
    struct cw_getm_log_writer *u = context;
    cw_state_ref(s, "release", slot, u->handed, sizeof *u->handed, HANDED_OVER);
    if (*slot != NULL)
        release_state(s, *slot);
}

/* A write that has been sent is held by the L2, or has come back. Its log message is held by each write that has not, and by the queue. */
static void write_state(struct cw_state *s, struct cw_getm_log_writer *u, uint64_t number)
{
    const uint32_t i = (uint32_t)(number % WRITES);
    CW_STATE(s, u->ready[i]);
    CW_STATE(s, u->done[i]);
    if (number >= u->sent)
        cw_message_state(s, &u->write[i]);
    if (!u->done[i])
        cw_message_shared_state(s, &u->log[i]);
}

static void queue_state(struct cw_state *s, struct cw_getm_log_writer *u)
{
    const uint32_t places = u->getm->common.keys->cu_buffer;
    cw_state_count(s, "log messages", &u->ring.cnt, places);
    if (cw_state_loads(s))
        u->ring.head = 0;
    for (uint32_t i = 0; i < u->ring.cnt; i++)
        cw_message_shared_state(s, &u->queue[cw_ring_at(&u->ring, i, places)]);
    CW_STATE(s, u->left);
    CW_STATE(s, u->begun);
    CW_STATE(s, u->released);
}

static void state(void *self, struct cw_state *s)
{
    struct cw_getm_log_writer *u = self;
    queue_state(s, u);
    CW_STATE(s, u->issued);
    CW_STATE(s, u->sent);
    CW_STATE(s, u->finished);
    for (uint64_t n = u->finished; n < u->issued && s->status == CW_OK; n++)
        write_state(s, u, n);
    CW_STATE(s, u->release_first);
    CW_STATE(s, u->release_end);
    for (uint64_t n = u->release_first; n < u->release_end && s->status == CW_OK; n++)
        release_state(s, &u->release[n % RELEASES]);
    CW_STATE(s, u->handed_next);
    cw_fifo_state(s, u->to_validation, handed_state, u);
}

static bool idle(const void *self)
{
    return cw_getm__log_writer_idle(self);
}

static const struct cw_component_ops component_ops = {
    .kind = "getm_commit_unit", .domain = CW_DOMAIN_CU, .tick = tick, .idle = idle, .state = state};

int cw_getm__log_writer_create(struct cw_getm_log_writer **out, const struct cw_getm *g, uint32_t index, struct cw_fifo *releases)
{
    struct cw_getm_log_writer *u = *out = calloc(1, sizeof *u);
    if (u == NULL)
        return CW_ENOMEM;
    u->getm = g;
    u->index = index;
    u->period = cw_getm_period(g, CW_DOMAIN_CU);
    u->component = cw_component_of(&component_ops, u, u->index);
    u->port = cw_mem_socket_of(&g->host.partition[index], g->host.index);
    u->port->from_noc.wake = &u->component.wake;
    u->port->l2_done.wake = &u->component.wake;
    u->to_validation = releases;
    assert(releases->capacity < HANDED_OVER);
    u->queue = calloc(g->common.keys->cu_buffer, sizeof *u->queue);
    return u->queue != NULL ? CW_OK : CW_ENOMEM;
}

void cw_getm__log_writer_destroy(struct cw_getm_log_writer *u)
{
    if (u == NULL)
        return;
    free(u->queue);
    free(u);
}

struct cw_component *cw_getm__log_writer_component(struct cw_getm_log_writer *u)
{
    return &u->component;
}

bool cw_getm__log_writer_idle(const struct cw_getm_log_writer *u)
{
    return u->ring.cnt == 0 && u->finished == u->issued && u->release_first == u->release_end;
}
