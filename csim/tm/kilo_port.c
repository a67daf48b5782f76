/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kilo TM family, partition half: what stands between the L2 and the network (L2 clock). Transactional loads that have passed the L2 take
 * their values here, together with the last-written time of temporal conflict detection, and messages of the commit unit pass here on their
 * way to the cores. The two share the way out in turn.
 *
 * What the commit unit tells comes through one queue, so that a core that has been told of a commit can only read after the table has been.
 */
#include <stdlib.h>
#include <string.h>

#include "tm/kilo_state.h"

#define EVENTS 64u

struct cw_kilo_port {
    struct cw_component component;
    struct cw_tm *tm;
    uint32_t index;
    cw_time period;
    struct cw_partition_tm *port;
    struct cw_fifo told; /* struct cw_kilo_event */
    struct cw_kilo_event event[EVENTS + 8];
    uint32_t told_cnt;
    struct cw_kilo_written *written; /* NULL: no temporal conflict detection */
    bool unit_turn;
    /* idealised systems: commits on their way, and the last one that has been carried out */
    struct cw_kilo_apply *apply; /* ring, power of two */
    uint32_t apply_cap, apply_head, apply_cnt;
    uint64_t commits;
};

/* Last-written time that the reply carries. */
static uint64_t written_time(const struct cw_kilo_port *u, const struct cw_packet *p)
{
    uint64_t block = p->addr / CW_LINE_BYTES;
    if (u->written == NULL)
        return 0;
    if (u->tm->tcd == CW_KILO_TCD_CLOSED && cw_kilo_written_expected(u->written, block))
        return UINT64_MAX;
    return cw_kilo_written_find(u->written, block);
}

static void tell_observer(const struct cw_kilo_port *u, const struct cw_packet *p, cw_time now)
{
    const struct cw_tm_observer *o = u->tm->cfg.observer;
    const uint64_t *attempt = u->tm->core[p->core].warp[p->warp].attempt;
    for (uint32_t rest = p->lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), first = p->lane_offset[lane] & ~3u;
        for (uint32_t at = first; at < (uint32_t)p->lane_offset[lane] + p->sub; at += 4) {
            uint32_t value;
            memcpy(&value, p->u.data + at, 4);
            o->read(o->self, attempt[lane], p->addr + at, value, now);
        }
    }
}

static void answer_load(struct cw_kilo_port *u, cw_time now)
{
    const struct cw_config *config = u->tm->config;
    struct cw_packet *p = cw_fifo_pop(&u->port->from_l2, now);
    p->kind = CW_PK_TX_REPLY;
    if (cw_kilo_arbitrated(u->tm)) /* there, only this port writes memory; else the values are those of the L2's access */
        memcpy(p->u.data, cw_devmem_at(u->tm->cfg.memory, p->addr), CW_LINE_BYTES);
    p->warpts = cw_kilo_arbitrated(u->tm) ? u->commits : written_time(u, p);
    uint32_t payload = CW_SECTOR_BYTES * (uint32_t)__builtin_popcount(p->sectors);
    if (u->written != NULL)
        payload += config->tcd_reply_bytes;
    cw_packet_size(p, payload, config->noc_header_bytes, config->noc_flit_bytes);
    if (u->tm->cfg.observer != NULL)
        tell_observer(u, p, now);
    cw_fifo_push(&u->port->reply, now, u->period, p);
}

static void note(struct cw_kilo_port *u, const struct cw_kilo_event *e, cw_time now)
{
    if (u->written == NULL)
        return;
    if (e->note == CW_KILO_EXPECT) {
        cw_kilo_written_expect(u->written, e->block, (int)e->cnt);
        return;
    }
    if (e->written)
        cw_kilo_written_enter(u->written, e->block, now);
    if (e->cnt > 0)
        cw_kilo_written_expect(u->written, e->block, -(int)e->cnt);
}

/* Notes are taken as they come; returns the packet that is next, or NULL. */
static struct cw_packet *listen(struct cw_kilo_port *u, cw_time now)
{
    struct cw_kilo_event *e;
    while ((e = cw_fifo_peek(&u->told, now)) != NULL && e->note != CW_KILO_PACKET) {
        note(u, e, now);
        cw_fifo_pop(&u->told, now);
    }
    return e != NULL ? e->packet : NULL;
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
        uint8_t *to = cw_devmem_at(u->tm->cfg.memory, e->addr);
        for (uint32_t b = 0; b < 4; b++)
            if (e->bytes >> b & 1)
                to[b] = (uint8_t)(e->value >> (8 * b));
        u->commits = e->commit;
        if (o != NULL)
            o->write(o->self, e->attempt, e->addr, e->value, e->bytes, now);
        u->apply_head = (u->apply_head + 1) & (u->apply_cap - 1);
        u->apply_cnt--;
    }
}

static void tick(void *self, cw_time now)
{
    struct cw_kilo_port *u = self;
    carry_out(u, now);
    struct cw_packet *message = listen(u, now);
    bool load = cw_fifo_peek(&u->port->from_l2, now) != NULL;
    if (cw_fifo_can_push(&u->port->reply, now) && (message != NULL || load)) {
        if (message != NULL && (u->unit_turn || !load)) {
            cw_fifo_pop(&u->told, now);
            cw_fifo_push(&u->port->reply, now, u->period, message);
        } else {
            answer_load(u, now);
        }
        u->unit_turn = !u->unit_turn;
    }
    cw_time a = cw_fifo_next(&u->port->from_l2), b = cw_fifo_next(&u->told);
    cw_time next = a < b ? a : b;
    next = next > now ? next : now + u->period;
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

int cw_kilo__port_create(struct cw_kilo_port **out, struct cw_tm *tm, uint32_t index)
{
    struct cw_kilo_port *u = *out = calloc(1, sizeof *u);
    if (u == NULL)
        return CW_ENOMEM;
    u->tm = tm;
    u->index = index;
    u->period = cw_kilo_period(tm, CW_DOMAIN_L2);
    u->component = (struct cw_component){.tick = tick, .self = u, .wake = CW_TIME_NEVER, .domain = CW_DOMAIN_L2};
    u->port = cw_partition_tm_ports(tm->cfg.partition[index]);
    u->port->from_l2.wake = &u->component.wake;
    if (tm->tcd != CW_KILO_TCD_OFF) {
        u->written = cw_kilo_written_create(tm->config->tcd_rows, tm->config->tcd_pending);
        if (u->written == NULL)
            return CW_ENOMEM;
    }
    return cw_fifo_create(&u->told, EVENTS, &u->component.wake);
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
    return u->told.count == 0 && u->apply_cnt == 0 && u->port->from_l2.count == 0 && u->port->reply.count == 0;
}
