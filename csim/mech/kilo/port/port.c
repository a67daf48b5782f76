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

#include "adapt/last_written_table.h"
#include "base/ring.h"
#include "mech/kilo/parts.h"
#include "mech/kilo/port/expected_writes.h"
#include "mech/tm/tell.h"

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
    /* Where there is no last-written table: completes a load's values, and returns its stamp. */
    uint64_t (*stamp)(const struct cw_kilo_port *u, struct cw_message *p);
    uint32_t index;
    cw_time period;
    struct cw_mem_socket *port;
    struct cw_kilo_notes *told;                  /* by the commit unit */
    struct cw_kilo_writes *writes;               /* idealised systems: commits on their way */
    uint64_t commits;                            /* the last one that has been carried out */
    struct cw_adapt_last_written_table *written; /* NULL: no temporal conflict detection */
    cw_time access_from;                         /* not before: its RAMs with one port are busy */
    struct cw_kilo_expected *expected;           /* with it */
    struct asked asked[ASKED];                   /* ring */
    struct cw_ring asked_ring;
    uint32_t answered_cnt;
    struct reading reading[READS]; /* ring */
    struct cw_ring reading_ring;
    bool unit_turn, load_turn; /* of the way out; of the table */
};

static void tell_reads(const struct cw_kilo_port *u, const struct cw_message *p, cw_time now)
{
    const struct cw_tx_access_body *body = cw_tx_access_of(p);
    for (cw_lanes rest = p->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest), first = body->lane_offset[lane], end = first + body->bytes, value;
        for (uint32_t at = first & ~3u; at < end; at += 4) {
            memcpy(&value, body->line.data + at, sizeof value);
            cw_tell_word(&u->tm->host, CW_EVENT_REGION_READ, cw_attempt_name_of(p), lane, p->addr + at, value, 15, now);
        }
    }
}

/* The load's values are those of its access of the L2; as an event it happens now. */
static struct cw_message *take_load(struct cw_kilo_port *u, cw_time now)
{
    struct cw_message *p = cw_fifo_pop(&u->port->from_l2, now);
    if (cw_tell_wanted(&u->tm->host, CW_EVENT_REGION_READ))
        tell_reads(u, p, now);
    return p;
}

/* Blocks of the line that the lane's access touches. */
static uint32_t blocks_of(const struct cw_kilo_port *u, const struct cw_message *p, uint32_t lane)
{
    const struct cw_tx_access_body *body = cw_tx_access_of(p);
    uint32_t bytes = u->tm->keys->tcd_granule_bytes, first = body->lane_offset[lane] / bytes;
    uint32_t last = (body->lane_offset[lane] + (body->bytes > 0 ? body->bytes - 1u : 0)) / bytes;
    return (uint32_t)((UINT64_C(2) << last) - (UINT64_C(1) << first));
}

static uint32_t all_blocks(const struct cw_kilo_port *u, const struct cw_message *p)
{
    uint32_t blocks = 0;
    for (cw_lanes rest = cw_kilo_tcd_by_lane(u->tm) ? p->lanes : 0; rest != 0; rest = cw_lanes_rest(rest))
        blocks |= blocks_of(u, p, cw_lanes_first(rest));
    return blocks != 0 ? blocks : 1;
}

/* The youngest time of what each lane has touched. */
static void time_lanes(const struct cw_kilo_port *u, const struct asked *a)
{
    for (cw_lanes rest = a->p->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
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
        payload += u->tm->keys->tcd_reply_bytes * (uint32_t)__builtin_popcount(all_blocks(u, p));
    cw_message_size(p, payload, config->noc_header_bytes, config->noc_flit_bytes);
    cw_fifo_push(&u->port->reply, now, u->period, p);
}

static uint64_t no_stamp(const struct cw_kilo_port *u, struct cw_message *p)
{
    (void)u;
    (void)p;
    return 0;
}

/* Arbitrated systems: only this port writes memory. The last commit that it has carried out. */
static uint64_t last_commit(const struct cw_kilo_port *u, struct cw_message *p)
{
    cw_memory_read(u->tm->host.memory, p->addr, cw_line_body(p)->data, CW_LINE_BYTES);
    return u->commits;
}

static void answer_load(struct cw_kilo_port *u, cw_time now)
{
    if (u->written != NULL) {
        const struct asked *a = u->asked + u->asked_ring.head;
        if (cw_kilo_tcd_by_lane(u->tm))
            time_lanes(u, a);
        reply(u, a->p, a->time[0], now);
        cw_ring_take(&u->asked_ring, ASKED);
        u->answered_cnt--;
        return;
    }
    const uint64_t stamp = u->stamp(u, cw_fifo_peek(&u->port->from_l2, now));
    reply(u, take_load(u, now), stamp, now);
}

/* Notes that need no access of the table are taken as they come; returns the WRITE or the message that is next, or NULL. */
static struct cw_kilo_note *listen(struct cw_kilo_port *u, cw_time now)
{
    struct cw_kilo_note *e;
    while ((e = cw_fifo_peek(&u->told->fifo, now)) != NULL && e->kind != CW_KILO_NOTE_MESSAGE) {
        if (u->written != NULL && e->written)
            return e;
        if (u->written != NULL)
            cw_kilo_expected_add(u->expected, e->block, e->kind == CW_KILO_NOTE_EXPECT ? (int)e->cnt : -(int)e->cnt);
        cw_fifo_pop(&u->told->fifo, now);
    }
    return e;
}

/* The load that has blocks to be read, NULL if none has. */
static struct asked *unfinished(struct cw_kilo_port *u)
{
    if (u->asked_ring.cnt == 0)
        return NULL;
    struct asked *last = u->asked + cw_ring_at(&u->asked_ring, u->asked_ring.cnt - 1, ASKED);
    return last->todo != 0 ? last : NULL;
}

/* The table has taken a READ of the load's next block. */
static void ask(struct cw_kilo_port *u, uint64_t block, cw_time now)
{
    struct asked *a = unfinished(u);
    if (a == NULL) {
        a = u->asked + cw_ring_add(&u->asked_ring, ASKED);
        a->p = take_load(u, now);
        a->todo = all_blocks(u, a->p);
        a->left = (uint32_t)__builtin_popcount(a->todo);
    }
    u->reading[cw_ring_add(&u->reading_ring, READS)] =
        (struct reading){.asked = (uint8_t)(a - u->asked),
                         .block = (uint8_t)__builtin_ctz(a->todo),
                         .expected = u->tm->tcd == CW_KILO_TCD_CLOSED && cw_kilo_expected_has(u->expected, block)};
    a->todo &= a->todo - 1;
}

static void take_answer(struct cw_kilo_port *u, uint64_t time)
{
    const struct reading *r = u->reading + u->reading_ring.head;
    struct asked *a = u->asked + r->asked;
    a->time[r->block] = r->expected ? UINT64_MAX : time;
    u->answered_cnt += --a->left == 0;
    cw_ring_take(&u->reading_ring, READS);
}

/* The block that is to be read next; false if there is none. */
static bool next_read(struct cw_kilo_port *u, uint64_t *block, cw_time now)
{
    const struct asked *a = unfinished(u);
    const struct cw_message *p = a != NULL ? a->p : u->asked_ring.cnt < ASKED ? cw_fifo_peek(&u->port->from_l2, now) : NULL;
    if (p == NULL || u->reading_ring.cnt == READS)
        return false;
    *block = cw_kilo_tcd_block(u->tm, p->addr) + (uint32_t)__builtin_ctz(a != NULL ? a->todo : all_blocks(u, p));
    return true;
}

/* A cycle of the last-written table. Writes to come are counted down as the WRITE is accepted, and looked at as a READ is: so a load finds
 * either the one or the other. */
static void clock_table(struct cw_kilo_port *u, cw_time now)
{
    const struct cw_kilo_note *e = listen(u, now);
    uint64_t block = 0, time;
    bool may_access = now >= u->access_from, load = may_access && next_read(u, &block, now), answered;
    bool write = may_access && e != NULL && e->kind != CW_KILO_NOTE_MESSAGE && (!load || !u->load_turn);
    struct cw_adapt_last_written_table_op op = {.write = write, .block = write ? e->block : block, .time = now};
    bool taken = cw_adapt_last_written_table_clock(u->written, write || load ? &op : NULL, &answered, &time);
    if (answered)
        take_answer(u, time);
    if (!taken)
        return;
    if (u->tm->keys->tcd_ports == 1)
        u->access_from = now + 2 * u->period;
    u->load_turn = write;
    if (!write) {
        ask(u, op.block, now);
        return;
    }
    if (e->cnt > 0)
        cw_kilo_expected_add(u->expected, e->block, -(int)e->cnt);
    cw_fifo_pop(&u->told->fifo, now);
}

/* Idealised systems: the arbiter's writes. */
static void carry_out(struct cw_kilo_port *u, cw_time now)
{
    const struct cw_kilo_write *e;
    while ((e = cw_kilo_writes_first(u->writes)) != NULL && e->ready <= now) {
        const struct cw_attempt_name name = {.core = e->core, .warp = e->warp, .attempt = e->attempt};
        const uint32_t mask = e->bytes;
        const uint8_t byte[4] = {(uint8_t)e->value, (uint8_t)(e->value >> 8), (uint8_t)(e->value >> 16), (uint8_t)(e->value >> 24)};
        cw_memory_write_masked(u->tm->host.memory, e->addr, byte, &mask, sizeof byte);
        u->commits = e->commit;
        cw_tell_word(&u->tm->host, CW_EVENT_REGION_WRITE, name, e->lane, e->addr, e->value, e->bytes, now);
        cw_kilo_writes_pop(u->writes);
    }
}

static void leave(struct cw_kilo_port *u, cw_time now)
{
    const struct cw_kilo_note *e = listen(u, now);
    bool message = e != NULL && e->kind == CW_KILO_NOTE_MESSAGE;
    bool load = u->written != NULL ? u->answered_cnt > 0 : cw_fifo_peek(&u->port->from_l2, now) != NULL;
    if (!cw_fifo_can_push(&u->port->reply, now) || (!message && !load))
        return;
    if (message && (u->unit_turn || !load)) {
        cw_fifo_push(&u->port->reply, now, u->period, e->message);
        cw_fifo_pop(&u->told->fifo, now);
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
    cw_time a = cw_fifo_next(&u->port->from_l2), b = cw_fifo_next(&u->told->fifo);
    cw_time next = a < b ? a : b;
    if (next <= now || u->asked_ring.cnt > 0 || (u->written != NULL && cw_adapt_last_written_table_busy(u->written)))
        next = now + u->period;
    const struct cw_kilo_write *write = cw_kilo_writes_first(u->writes);
    if (write != NULL && write->ready < next)
        next = write->ready;
    u->component.wake = next;
}

static int create_table(struct cw_kilo_port *u, struct cw_error *err)
{
    const struct cw_kilo_keys *keys = u->tm->keys;
    const struct cw_adapt_last_written_table_config table = {.units = u->tm->host.units,
                                                             .partition = u->index,
                                                             .ways = keys->tcd_ways,
                                                             .rows = keys->tcd_rows,
                                                             .granule_bytes = keys->tcd_granule_bytes,
                                                             .memory_base = CW_GLOBAL_BASE,
                                                             .memory_bytes = (uint64_t)u->tm->config->mem_mbytes << 20};
    u->expected = cw_kilo_expected_create(keys->tcd_pending, keys->tcd_granule_bytes);
    return u->expected != NULL ? cw_adapt_last_written_table_create(&u->written, &table, err) : CW_ENOMEM;
}

static void table_state(struct cw_state *s, struct cw_kilo_port *u)
{
    cw_state_count(s, "head", &u->asked_ring.head, ASKED - 1);
    cw_state_count(s, "asked", &u->asked_ring.cnt, ASKED);
    for (uint32_t i = 0; i < u->asked_ring.cnt; i++) {
        struct asked *a = &u->asked[cw_ring_at(&u->asked_ring, i, ASKED)];
        cw_message_state(s, &a->p);
        CW_STATE(s, a->todo);
        CW_STATE(s, a->left);
        CW_STATE(s, a->time);
    }
    CW_STATE(s, u->answered_cnt);
    cw_state_count(s, "head", &u->reading_ring.head, READS - 1);
    cw_state_count(s, "reads", &u->reading_ring.cnt, READS);
    for (uint32_t i = 0; i < READS; i++) {
        CW_STATE(s, u->reading[i].asked);
        CW_STATE(s, u->reading[i].block);
        CW_STATE(s, u->reading[i].expected);
    }
    cw_adapt_last_written_table_state(s, u->written);
    cw_kilo_expected_state(s, u->expected);
    CW_STATE(s, u->access_from);
    CW_STATE(s, u->load_turn);
}

static void state(void *self, struct cw_state *s)
{
    struct cw_kilo_port *u = self;
    CW_STATE(s, u->commits);
    CW_STATE(s, u->unit_turn);
    if (u->written != NULL)
        table_state(s, u);
}

static const struct cw_component_ops component_ops = {.kind = "kilo_port", .domain = CW_DOMAIN_L2, .tick = tick, .state = state};

int cw_kilo__port_create(struct cw_kilo_port **out, struct cw_kilo *tm, uint32_t index, struct cw_error *err)
{
    struct cw_kilo_port *u = *out = calloc(1, sizeof *u);
    if (u == NULL)
        return CW_ENOMEM;
    u->tm = tm;
    u->stamp = tm->system->arbitrated ? last_commit : no_stamp;
    u->index = index;
    u->period = cw_kilo_period(tm, CW_DOMAIN_L2);
    u->component = cw_component_of(&component_ops, u, u->index);
    u->port = cw_mem_socket_of(&tm->host.partition[index], tm->host.index);
    u->port->from_l2.wake = &u->component.wake;
    u->told = tm->wires.notes + index;
    u->told->fifo.wake = &u->component.wake;
    u->writes = tm->wires.write + index;
    u->writes->wake = &u->component.wake;
    return tm->tcd != CW_KILO_TCD_OFF ? create_table(u, err) : CW_OK;
}

void cw_kilo__port_destroy(struct cw_kilo_port *u)
{
    if (u == NULL)
        return;
    cw_adapt_last_written_table_destroy(u->written);
    cw_kilo_expected_destroy(u->expected);
    free(u);
}

struct cw_component *cw_kilo__port_component(struct cw_kilo_port *u)
{
    return &u->component;
}

bool cw_kilo__port_idle(const struct cw_kilo_port *u)
{
    return u->told->fifo.count == 0 && u->asked_ring.cnt == 0 && u->writes->ring.cnt == 0 && u->port->from_l2.count == 0 &&
           u->port->reply.count == 0;
}
