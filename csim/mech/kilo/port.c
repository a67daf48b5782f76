/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kilo TM family, partition half: what stands between the L2 and the network (L2 clock). Transactional loads that have passed the L2 take
 * their values here, together with the last-written time of temporal conflict detection, and messages of the commit unit pass here on their
 * way to the cores. The two share the way out in turn.
 *
 * The last-written table takes one access per cycle: a load's READ, or a WRITE that the commit unit tells of, in turn. A load leaves two
 * cycles after its READ; it waits in a short queue for the answer. With tcd.granule_bytes below a line it has a READ per block touched.
 *
 * What the commit unit tells comes through one queue, so that a core that has been told of a commit can only read after the table has been.
 */
#include <stdlib.h>
#include <string.h>

#include "mech/kilo/kilo_state.h"

#define EVENTS 64u
#define ASKED  4u  /* loads between their READ and their reply: covers the table's latency */
#define BLOCKS 32u /* of the finest granularity in a line */
#define READS  8u  /* READs without an answer; more than the table's latency */

struct asked {
    struct cw_message *p;
    uint32_t todo, left;   /* blocks of the line: not read yet; a count of those without an answer */
    uint64_t time[BLOCKS]; /* last written, or UINT64_MAX: a write is to come */
};

/* A READ without an answer. */
struct reading {
    uint8_t asked, block;
    bool expected;
};

struct cw_kilo_port {
    struct cw_component component;
    struct cw_kilo *tm;
    uint32_t index;
    cw_time period;
    struct cw_partition_socket *port;
    struct cw_fifo told; /* struct cw_kilo_event */
    struct cw_kilo_event event[EVENTS + 8];
    uint32_t told_cnt;
    struct cw_kilo_written *written; /* NULL: no temporal conflict detection */
    struct asked asked[ASKED];       /* ring */
    uint32_t asked_head, asked_cnt, answered_cnt;
    struct reading reading[READS]; /* ring */
    uint32_t reading_head, reading_cnt;
    bool unit_turn, load_turn; /* of the way out; of the table */
    /* idealised systems: commits on their way, and the last one that has been carried out */
    struct cw_kilo_apply *apply; /* ring, power of two */
    uint32_t apply_cap, apply_head, apply_cnt;
    uint64_t commits;
};

static void tell_observer(const struct cw_kilo_port *u, const struct cw_message *p, cw_time now)
{
    const struct cw_tm_observer *o = u->tm->cfg.observer;
    const uint64_t *attempt = u->tm->core[p->core].warp[p->warp].attempt;
    for (uint32_t rest = p->lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), first = cw_tx_access_of(p)->lane_offset[lane] & ~3u;
        for (uint32_t at = first; at < (uint32_t)cw_tx_access_of(p)->lane_offset[lane] + cw_tx_access_of(p)->bytes; at += 4) {
            uint32_t value;
            memcpy(&value, cw_line_body_of(p)->data + at, 4);
            o->read(o->self, attempt[lane], p->addr + at, value, now);
        }
    }
}

/* The load's values are those of its access of the L2; this is the oracle's time of it. */
static struct cw_message *take_load(struct cw_kilo_port *u, cw_time now)
{
    struct cw_message *p = cw_fifo_pop(&u->port->from_l2, now);
    if (u->tm->cfg.observer != NULL)
        tell_observer(u, p, now);
    return p;
}

/* Blocks of the line that the lane's access touches. */
static uint32_t blocks_of(const struct cw_kilo_port *u, const struct cw_message *p, uint32_t lane)
{
    uint32_t bytes = u->tm->config->tcd_granule_bytes, first = cw_tx_access_of(p)->lane_offset[lane] / bytes;
    uint32_t last = (cw_tx_access_of(p)->lane_offset[lane] + (cw_tx_access_of(p)->bytes > 0 ? cw_tx_access_of(p)->bytes - 1u : 0)) / bytes;
    return (uint32_t)((UINT64_C(2) << last) - (UINT64_C(1) << first));
}

static uint32_t all_blocks(const struct cw_kilo_port *u, const struct cw_message *p)
{
    uint32_t blocks = 0;
    for (uint32_t rest = cw_kilo_tcd_by_lane(u->tm) ? p->lanes : 0; rest != 0; rest &= rest - 1)
        blocks |= blocks_of(u, p, (uint32_t)__builtin_ctz(rest));
    return blocks != 0 ? blocks : 1;
}

/* The youngest time of what each lane has touched. */
static void time_lanes(const struct cw_kilo_port *u, const struct asked *a)
{
    for (uint32_t rest = a->p->lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t *time = &cw_kilo_access(a->p)->time[lane];
        *time = 0;
        for (uint32_t blocks = blocks_of(u, a->p, lane); blocks != 0; blocks &= blocks - 1) {
            uint64_t other = a->time[__builtin_ctz(blocks)];
            *time = other > *time ? other : *time;
        }
    }
}

static void reply(struct cw_kilo_port *u, struct cw_message *p, uint64_t time, cw_time now)
{
    const struct cw_config *config = u->tm->config;
    p->kind = CW_MSG_OWN_REPLY;
    p->op = CW_KILO_LOADED;
    cw_kilo_access(p)->stamp = time;
    uint32_t payload = CW_SECTOR_BYTES * (uint32_t)__builtin_popcount(p->sectors);
    if (u->written != NULL)
        payload += config->tcd_reply_bytes * cw_kilo_lane_cnt(all_blocks(u, p));
    cw_message_size(p, payload, config->noc_header_bytes, config->noc_flit_bytes);
    cw_fifo_push(&u->port->reply, now, u->period, p);
}

static void answer_load(struct cw_kilo_port *u, cw_time now)
{
    if (u->written != NULL) {
        const struct asked *a = u->asked + u->asked_head;
        if (cw_kilo_tcd_by_lane(u->tm))
            time_lanes(u, a);
        reply(u, a->p, a->time[0], now);
        u->asked_head = (u->asked_head + 1) % ASKED;
        u->asked_cnt--;
        u->answered_cnt--;
        return;
    }
    struct cw_message *p = cw_fifo_peek(&u->port->from_l2, now);
    if (cw_kilo_arbitrated(u->tm)) /* there, only this port writes memory */
        cw_memory_read(u->tm->cfg.memory, p->addr, cw_line_body(p)->data, CW_LINE_BYTES);
    reply(u, take_load(u, now), cw_kilo_arbitrated(u->tm) ? u->commits : 0, now);
}

/* Notes that need no access of the table are taken as they come; returns the WRITE or the packet that is next, or NULL. */
static struct cw_kilo_event *listen(struct cw_kilo_port *u, cw_time now)
{
    struct cw_kilo_event *e;
    while ((e = cw_fifo_peek(&u->told, now)) != NULL && e->note != CW_KILO_PACKET) {
        if (u->written != NULL && e->written)
            return e;
        if (u->written != NULL)
            cw_kilo_written_expect(u->written, e->block, e->note == CW_KILO_EXPECT ? (int)e->cnt : -(int)e->cnt);
        cw_fifo_pop(&u->told, now);
    }
    return e;
}

/* The load that has blocks to be read, NULL if none has. */
static struct asked *unfinished(struct cw_kilo_port *u)
{
    struct asked *last = u->asked + (u->asked_head + u->asked_cnt + ASKED - 1) % ASKED;
    return u->asked_cnt > 0 && last->todo != 0 ? last : NULL;
}

/* The table has taken a READ of the load's next block. */
static void ask(struct cw_kilo_port *u, uint64_t block, cw_time now)
{
    struct asked *a = unfinished(u);
    if (a == NULL) {
        a = u->asked + (u->asked_head + u->asked_cnt++) % ASKED;
        a->p = take_load(u, now);
        a->todo = all_blocks(u, a->p);
        a->left = cw_kilo_lane_cnt(a->todo);
    }
    u->reading[(u->reading_head + u->reading_cnt++) % READS] =
        (struct reading){.asked = (uint8_t)(a - u->asked),
                         .block = (uint8_t)__builtin_ctz(a->todo),
                         .expected = u->tm->tcd == CW_KILO_TCD_CLOSED && cw_kilo_written_expected(u->written, block)};
    a->todo &= a->todo - 1;
}

static void take_answer(struct cw_kilo_port *u, uint64_t time)
{
    const struct reading *r = u->reading + u->reading_head;
    struct asked *a = u->asked + r->asked;
    a->time[r->block] = r->expected ? UINT64_MAX : time;
    u->answered_cnt += --a->left == 0;
    u->reading_head = (u->reading_head + 1) % READS;
    u->reading_cnt--;
}

/* The block that is to be read next; false if there is none. */
static bool next_read(struct cw_kilo_port *u, uint64_t *block, cw_time now)
{
    const struct asked *a = unfinished(u);
    const struct cw_message *p = a != NULL ? a->p : u->asked_cnt < ASKED ? cw_fifo_peek(&u->port->from_l2, now) : NULL;
    if (p == NULL || u->reading_cnt == READS)
        return false;
    *block = cw_kilo_tcd_block(u->tm, p->addr) + (uint32_t)__builtin_ctz(a != NULL ? a->todo : all_blocks(u, p));
    return true;
}

/* A cycle of the last-written table. Writes to come are counted down as the WRITE is accepted, and looked at as a READ is: so a load finds
 * either the one or the other. */
static void clock_table(struct cw_kilo_port *u, cw_time now)
{
    const struct cw_kilo_event *e = listen(u, now);
    uint64_t block = 0, time;
    bool load = next_read(u, &block, now), answered;
    bool write = e != NULL && e->note != CW_KILO_PACKET && (!load || !u->load_turn);
    struct cw_kilo_written_op op = {.write = write, .block = write ? e->block : block, .time = now};
    bool taken = cw_kilo_written_clock(u->written, write || load ? &op : NULL, &answered, &time);
    if (answered)
        take_answer(u, time);
    if (!taken)
        return;
    u->load_turn = write;
    if (!write) {
        ask(u, op.block, now);
        return;
    }
    if (e->cnt > 0)
        cw_kilo_written_expect(u->written, e->block, -(int)e->cnt);
    cw_fifo_pop(&u->told, now);
}

void cw_kilo__port_apply(struct cw_kilo_port *u, const struct cw_kilo_apply *e)
{
    if (u->apply_cnt == u->apply_cap) {
        uint32_t cap = u->apply_cap == 0 ? 256 : 2 * u->apply_cap;
        struct cw_kilo_apply *larger = malloc(cap * sizeof *larger);
        if (larger == NULL) {
            cw_kilo__fault(u->tm, CW_ENOMEM, "out of host memory for idealised commits");
            return;
        }
        for (uint32_t i = 0; i < u->apply_cnt; i++)
            larger[i] = u->apply[(u->apply_head + i) & (u->apply_cap - 1)];
        free(u->apply);
        u->apply = larger;
        u->apply_cap = cap;
        u->apply_head = 0;
    }
    u->apply[(u->apply_head + u->apply_cnt++) & (u->apply_cap - 1)] = *e;
    if (e->ready < u->component.wake)
        u->component.wake = e->ready;
}

static void carry_out(struct cw_kilo_port *u, cw_time now)
{
    const struct cw_tm_observer *o = u->tm->cfg.observer;
    while (u->apply_cnt > 0 && u->apply[u->apply_head].ready <= now) {
        const struct cw_kilo_apply *e = u->apply + u->apply_head;
        const uint32_t mask = e->bytes;
        const uint8_t byte[4] = {(uint8_t)e->value, (uint8_t)(e->value >> 8), (uint8_t)(e->value >> 16), (uint8_t)(e->value >> 24)};
        cw_memory_write_masked(u->tm->cfg.memory, e->addr, byte, &mask, sizeof byte);
        u->commits = e->commit;
        if (o != NULL)
            o->write(o->self, e->attempt, e->addr, e->value, e->bytes, now);
        u->apply_head = (u->apply_head + 1) & (u->apply_cap - 1);
        u->apply_cnt--;
    }
}

static void leave(struct cw_kilo_port *u, cw_time now)
{
    const struct cw_kilo_event *e = listen(u, now);
    bool message = e != NULL && e->note == CW_KILO_PACKET;
    bool load = u->written != NULL ? u->answered_cnt > 0 : cw_fifo_peek(&u->port->from_l2, now) != NULL;
    if (!cw_fifo_can_push(&u->port->reply, now) || (!message && !load))
        return;
    if (message && (u->unit_turn || !load)) {
        cw_fifo_push(&u->port->reply, now, u->period, e->packet);
        cw_fifo_pop(&u->told, now);
    } else {
        answer_load(u, now);
    }
    u->unit_turn = !u->unit_turn;
}

static void tick(void *self, cw_time now)
{
    struct cw_kilo_port *u = self;
    carry_out(u, now);
    if (u->written != NULL)
        clock_table(u, now);
    leave(u, now);
    cw_time a = cw_fifo_next(&u->port->from_l2), b = cw_fifo_next(&u->told);
    cw_time next = a < b ? a : b;
    if (next <= now || u->asked_cnt > 0 || (u->written != NULL && cw_kilo_written_busy(u->written)))
        next = now + u->period;
    if (u->apply_cnt > 0 && u->apply[u->apply_head].ready < next)
        next = u->apply[u->apply_head].ready;
    u->component.wake = next;
}

bool cw_kilo__port_room(const struct cw_kilo_port *p, cw_time now)
{
    return cw_fifo_can_push(&p->told, now);
}

void cw_kilo__port_tell(struct cw_kilo_port *p, struct cw_kilo_event e, cw_time now)
{
    struct cw_kilo_event *place = p->event + p->told_cnt++ % (EVENTS + 8);
    *place = e;
    cw_fifo_push(&p->told, now, p->period, place);
}

int cw_kilo__port_create(struct cw_kilo_port **out, struct cw_kilo *tm, uint32_t index, struct cw_error *err)
{
    struct cw_kilo_port *u = *out = calloc(1, sizeof *u);
    if (u == NULL)
        return CW_ENOMEM;
    u->tm = tm;
    u->index = index;
    u->period = cw_kilo_period(tm, CW_DOMAIN_L2);
    u->component = (struct cw_component){.tick = tick, .self = u, .wake = CW_TIME_NEVER, .domain = CW_DOMAIN_L2};
    u->port = cw_partition_socket_of(tm->cfg.partition[index], tm->cfg.index);
    u->port->from_l2.wake = &u->component.wake;
    int status = cw_fifo_create(&u->told, EVENTS, &u->component.wake);
    if (status == CW_OK && tm->tcd != CW_KILO_TCD_OFF)
        status = cw_kilo_written_create(&u->written, &tm->cfg, index, err);
    return status;
}

void cw_kilo__port_destroy(struct cw_kilo_port *u)
{
    if (u == NULL)
        return;
    cw_fifo_destroy(&u->told);
    cw_kilo_written_destroy(u->written);
    free(u->apply);
    free(u);
}

struct cw_component *cw_kilo__port_component(struct cw_kilo_port *u)
{
    return &u->component;
}

bool cw_kilo__port_idle(const struct cw_kilo_port *u)
{
    return u->told.count == 0 && u->asked_cnt == 0 && u->apply_cnt == 0 && u->port->from_l2.count == 0 && u->port->reply.count == 0;
}
