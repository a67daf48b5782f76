/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All devices, ports and the link are one component: it takes from the ports' queues and fills the queues of their answers, each with one
 * producer and one consumer. Within a tick the stages go from the device to the ports, so that what one passes on is seen later.
 */
#include "mem/nvm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem/address.h"

/* A read or a persist on its way. */
struct item {
    bool write;
    uint8_t sectors;
    uint32_t tag;
    struct port *port;
    struct cw_nvm_persist persist;
    struct item *next; /* free list, of the port */
};

/* What takes time by bytes: one request after the other. Times are in 65536ths, so that the rounding of many requests does not add up. */
struct lane {
    uint64_t free_at;
};
#define FRACTION 16

/* Where reads and persists meet the memory. */
struct device {
    struct cw_fifo reads, persists; /* arrive; a persist waits here for an entry of the write-pending queue; in turn: so does a read */
    struct cw_fifo pending;         /* the write-pending queue */
    struct cw_fifo leaving;         /* entries of it that are being written */
    uint32_t held;                  /* in turn: sectors that have been let in and are neither read nor written */
    struct lane lane;
};

struct port {
    struct cw_nvm_port answers; /* first: what others see of it */
    struct cw_nvm *nvm;
    struct cw_fifo reads, persists; /* far: wait for the link */
    struct cw_fifo written;         /* items of persists that are no longer in use; the port takes them when it looks */
    struct item *free_reads, *free_persists;
    struct item *item;     /* storage of both lists */
    struct device *device; /* near: its own */
};

struct cw_nvm {
    struct cw_component component;
    struct cw_nvm_config config;
    cw_time period, latency, link_latency;
    uint32_t ports, devices, turn;
    bool far, eadr, queue, in_turn; /* pm.attach, pm.eadr, pm.ack=queue, pm.order=arrival */
    struct port *port;
    struct device *device;
    struct lane up, down; /* the link */
};

/* ---- time ---- */

/* A configured latency, at least one unit of time. */
static cw_time duration(const struct cw_nvm_config *c, uint32_t value)
{
    if (c->config->pm_latency_unit == CW_PM_CYCLES)
        return cw_time_max(1, value * c->clocks->period[CW_DOMAIN_CORE]);
    return cw_time_max(1, (value * c->clocks->units_per_us + 999) / 1000);
}

/* Within the cycle that begins now: the next request follows the last one without a gap. */
static bool is_free(const struct cw_nvm *n, const struct lane *lane, cw_time now)
{
    return lane->free_at < (now + n->period) << FRACTION;
}

/* A time from which the next clock edge is one at which the lane is free. */
static cw_time free_from(const struct cw_nvm *n, const struct lane *lane)
{
    const cw_time at = lane->free_at >> FRACTION;
    return at >= n->period ? at - n->period + 1 : 0;
}

/* The lane carries so many bytes from now on; returns when the last one has passed. */
static cw_time carry(const struct cw_nvm *n, struct lane *lane, uint64_t bytes, uint32_t mbps, cw_time now)
{
    lane->free_at = cw_time_max(lane->free_at, now << FRACTION) + ((bytes * n->config.clocks->units_per_us) << FRACTION) / mbps;
    return (lane->free_at >> FRACTION) + 1;
}

/* ---- items ---- */

static struct item *take(struct item **list)
{
    struct item *i = *list;
    assert(i != NULL);
    *list = i->next;
    return i;
}

static void give(struct item **list, struct item *i)
{
    i->next = *list;
    *list = i;
}

static void end_persist(const struct cw_nvm *n, struct item *i, cw_time now)
{
    cw_fifo_push(&i->port->written, now, n->period, i);
}

static uint32_t bytes_of(const struct item *i)
{
    uint32_t sectors = i->sectors;
    for (uint32_t w = 0; i->write && w < CW_LINE_BYTES_MAX / 32; w++)
        sectors |= (uint32_t)(i->persist.byte_mask[w] != 0) << w;
    return CW_SECTOR_BYTES * cw_sectors_count(sectors);
}

/* ---- the device ---- */

static void tell(const struct cw_nvm *n, const struct cw_nvm_persist *p, cw_time now)
{
    if (!cw_events_want(n->config.events, CW_EVENT_PERSIST))
        return;
    const struct cw_event e = {.type = CW_EVENT_PERSIST,
                               .core = p->core,
                               .now = now,
                               .u.line = {.addr = p->addr, .id = p->id, .byte_mask = p->byte_mask, .data = p->data}};
    cw_events_tell(n->config.events, &e);
}

/* Whether the head of those that arrive may come in. */
static bool has_room(const struct cw_nvm *n, const struct device *d)
{
    const uint32_t all = n->config.config->pm_wpq;
    const struct item *first = cw_fifo_peek(&d->persists, CW_TIME_NEVER);
    if (first == NULL || (n->eadr && first->write))
        return true;
    return n->in_turn ? d->held == 0 || d->held + bytes_of(first) / CW_SECTOR_BYTES <= all : d->pending.count + d->leaving.count < all;
}

/* The answer sets out. A persist keeps its item until it is written. */
static void answer(struct cw_nvm *n, struct item *i, cw_time now, cw_time from)
{
    struct cw_fifo *to = i->write ? &i->port->answers.durable : &i->port->answers.done;
    if (n->far) {
        if (!i->write) {
            n->config.stats->pcie_bytes += bytes_of(i);
            from = carry(n, &n->down, bytes_of(i), n->config.config->pm_link_mbps, from);
        }
        from += n->link_latency;
    }
    cw_fifo_push(to, now, cw_time_max(from, now + n->period) - now, i->write ? (void *)i->persist.message : i);
}

/* A persist becomes durable. */
static void accept_persist(struct cw_nvm *n, struct device *d, struct item *i, cw_time now)
{
    n->config.stats->nvm_writes++;
    n->config.stats->pm_bytes += bytes_of(i);
    tell(n, &i->persist, now);
    cw_memory_persist(n->config.memory, i->persist.addr, i->persist.data, i->persist.byte_mask, n->config.config->mem_line_bytes);
    if (i->persist.message != NULL)
        answer(n, i, now, now);
    if (n->eadr)
        end_persist(n, i, now);
    else
        cw_fifo_push(&d->pending, now, n->in_turn && n->queue ? cw_time_max(n->latency, n->period) : n->period, i);
}

static void accept(struct cw_nvm *n, struct device *d, cw_time now)
{
    while (has_room(n, d)) {
        struct item *i = cw_fifo_pop(&d->persists, now);
        if (i == NULL)
            return;
        if (n->in_turn && !(n->eadr && i->write))
            d->held += bytes_of(i) / CW_SECTOR_BYTES;
        if (i->write)
            accept_persist(n, d, i, now);
        else
            cw_fifo_push(&d->reads, now, cw_time_max(n->latency, n->period), i);
    }
}

/* The device is done with it. */
static void let_go(const struct cw_nvm *n, struct device *d, const struct item *i)
{
    if (n->in_turn)
        d->held -= bytes_of(i) / CW_SECTOR_BYTES;
}

/* Each device has its part of the bandwidth. */
static cw_time occupy(struct cw_nvm *n, struct device *d, const struct item *i, cw_time now)
{
    const struct cw_config *c = n->config.config;
    return carry(n, &d->lane, (uint64_t)bytes_of(i) * n->devices, i->write ? c->pm_write_mbps : c->pm_read_mbps, now);
}

/* Whether the next request is a persist. */
static bool write_is_next(const struct cw_nvm *n, const struct device *d, cw_time now)
{
    if (cw_fifo_peek(&d->pending, now) == NULL)
        return false;
    if (n->in_turn)
        return cw_fifo_next(&d->pending) <= cw_fifo_next(&d->reads);
    return 2 * d->pending.count >= n->config.config->pm_wpq || cw_fifo_peek(&d->reads, now) == NULL;
}

static void serve(struct cw_nvm *n, struct device *d, cw_time now)
{
    for (struct item *i; (i = cw_fifo_pop(&d->leaving, now)) != NULL;) {
        let_go(n, d, i);
        end_persist(n, i, now);
    }
    while (is_free(n, &d->lane, now)) {
        const bool write = write_is_next(n, d, now);
        struct item *i = cw_fifo_pop(write ? &d->pending : &d->reads, now);
        if (i == NULL)
            return;
        const cw_time end = occupy(n, d, i, now) + (write && n->queue && !n->in_turn ? n->latency : 0);
        n->config.stats->nvm_reads += !write;
        if (write) {
            cw_fifo_push(&d->leaving, now, cw_time_max(end, now + 1) - now, i);
            continue;
        }
        let_go(n, d, i);
        answer(n, i, now, end);
    }
}

static cw_time device_next(const struct cw_nvm *n, const struct device *d)
{
    const cw_time work = cw_time_min(cw_fifo_next(&d->reads), cw_fifo_next(&d->pending));
    cw_time next = work == CW_TIME_NEVER ? work : cw_time_max(work, free_from(n, &d->lane));
    if (has_room(n, d))
        next = cw_time_min(next, cw_fifo_next(&d->persists));
    return cw_time_min(next, cw_fifo_next(&d->leaving));
}

/* ---- the link ---- */

static struct cw_fifo *arrivals(const struct cw_nvm *n, struct device *d, bool write)
{
    return write || n->in_turn ? &d->persists : &d->reads;
}

/* The next request goes up; ports take turns, and of a port its reads and its persists. */
static bool send_up(struct cw_nvm *n, cw_time now)
{
    const struct cw_config *c = n->config.config;
    for (uint32_t k = 0; k < 2 * n->ports; k++) {
        const uint32_t turn = (n->turn + k) % (2 * n->ports);
        struct port *p = &n->port[turn / 2];
        struct item *i = cw_fifo_pop(turn % 2 == 0 ? &p->reads : &p->persists, now);
        if (i == NULL)
            continue;
        const uint32_t bytes = i->write ? bytes_of(i) : 0;
        const bool at_once = i->write ? n->eadr || n->queue : n->in_turn;
        const cw_time there = carry(n, &n->up, bytes, c->pm_link_mbps, now) + n->link_latency + (at_once ? 0 : n->latency);
        n->config.stats->pcie_bytes += bytes;
        cw_fifo_push(arrivals(n, &n->device[0], i->write), now, there - now, i);
        n->turn = (turn + 1) % (2 * n->ports);
        return true;
    }
    return false;
}

static cw_time link_next(const struct cw_nvm *n)
{
    cw_time next = CW_TIME_NEVER;
    for (uint32_t i = 0; i < n->ports; i++)
        next = cw_time_min(next, cw_time_min(cw_fifo_next(&n->port[i].reads), cw_fifo_next(&n->port[i].persists)));
    return next == CW_TIME_NEVER ? next : cw_time_max(next, free_from(n, &n->up));
}

/* ---- the component ---- */

static void tick(void *self, cw_time now)
{
    struct cw_nvm *n = self;
    cw_time next = CW_TIME_NEVER;
    for (uint32_t i = 0; i < n->devices; i++) {
        serve(n, &n->device[i], now);
        accept(n, &n->device[i], now);
        next = cw_time_min(next, device_next(n, &n->device[i]));
    }
    if (n->far) {
        while (is_free(n, &n->up, now) && send_up(n, now))
            continue;
        next = cw_time_min(next, cw_time_min(link_next(n), device_next(n, &n->device[0])));
    }
    n->component.wake = next == CW_TIME_NEVER ? next : cw_time_max(next, now + n->period);
}

/* ---- ports ---- */

/* What stands behind the answers. */
static struct port *whole(struct cw_nvm_port *port)
{
    return (struct port *)port;
}

static cw_time arrival(const struct port *port, bool write, cw_time delay)
{
    const struct cw_nvm *n = port->nvm;
    const bool at_once = n->far || (write ? n->queue : n->in_turn);
    return delay + (at_once ? n->period : n->latency);
}

bool cw_nvm_can_read(struct cw_nvm_port *port)
{
    return whole(port)->free_reads != NULL;
}

bool cw_nvm_can_persist(struct cw_nvm_port *answers, cw_time now)
{
    struct port *port = whole(answers);
    for (struct item *i; (i = cw_fifo_pop(&port->written, now)) != NULL;)
        give(&port->free_persists, i);
    return port->free_persists != NULL;
}

void cw_nvm_read(struct cw_nvm_port *answers, uint8_t sectors, uint32_t tag, cw_time now)
{
    struct port *port = whole(answers);
    struct item *i = take(&port->free_reads);
    i->sectors = sectors;
    i->tag = tag;
    cw_fifo_push(port->nvm->far ? &port->reads : arrivals(port->nvm, port->device, false), now, arrival(port, false, 0), i);
}

void cw_nvm_persist(struct cw_nvm_port *answers, const struct cw_nvm_persist *persist, cw_time delay, cw_time now)
{
    struct port *port = whole(answers);
    struct item *i = take(&port->free_persists);
    i->persist = *persist;
    cw_fifo_push(port->nvm->far ? &port->persists : &port->device->persists, now, arrival(port, true, delay), i);
}

bool cw_nvm_pop(struct cw_nvm_port *port, uint32_t *tag, uint8_t *sectors, cw_time now)
{
    struct item *i = cw_fifo_pop(&port->done, now);
    if (i == NULL)
        return false;
    *tag = i->tag;
    *sectors = i->sectors;
    give(&whole(port)->free_reads, i);
    return true;
}

struct cw_message *cw_nvm_acknowledged(const struct cw_nvm_port *port, cw_time now)
{
    return cw_fifo_peek(&port->durable, now);
}

void cw_nvm_pop_acknowledged(struct cw_nvm_port *port, cw_time now)
{
    cw_fifo_pop(&port->durable, now);
}

cw_time cw_nvm_next(const struct cw_nvm_port *port)
{
    return cw_time_min(cw_fifo_next(&port->done), cw_fifo_next(&port->durable));
}

/* ---- creation ---- */

static int create_port(struct cw_nvm *n, uint32_t index)
{
    const uint32_t each = n->config.config->pm_queue;
    struct port *p = &n->port[index];
    p->nvm = n;
    p->device = &n->device[n->far ? 0 : index];
    p->item = calloc(2 * (size_t)each, sizeof *p->item);
    if (p->item == NULL || cw_fifo_create(&p->reads, 2 * each, &n->component.wake) != CW_OK ||
        cw_fifo_create(&p->persists, 2 * each, &n->component.wake) != CW_OK || cw_fifo_create(&p->written, 2 * each, NULL) != CW_OK)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < 2 * each; i++) {
        p->item[i].port = p;
        p->item[i].write = i >= each;
        give(i >= each ? &p->free_persists : &p->free_reads, &p->item[i]);
    }
    return CW_OK;
}

static int create_device(struct cw_nvm *n, struct device *d)
{
    const uint32_t all = 2 * n->config.config->pm_queue * (n->far ? n->ports : 1);
    const bool ok = cw_fifo_create(&d->reads, all, &n->component.wake) == CW_OK &&
                    cw_fifo_create(&d->persists, all, &n->component.wake) == CW_OK &&
                    cw_fifo_create(&d->pending, 2 * n->config.config->pm_wpq, NULL) == CW_OK &&
                    cw_fifo_create(&d->leaving, 2 * n->config.config->pm_wpq, NULL) == CW_OK;
    return ok ? CW_OK : CW_ENOMEM;
}

/* ---- state ---- */

/* Which item of which port. */
static void item_slot_state(struct cw_state *s, void **slot, void *context)
{
    struct cw_nvm *n = context;
    const struct item *i = *slot;
    uint32_t port = cw_state_loads(s) ? 0 : (uint32_t)(i->port - n->port);
    cw_state_count(s, "port", &port, n->ports - 1);
    cw_state_ref(s, "item", slot, n->port[port].item, sizeof *i, 2 * (size_t)n->config.config->pm_queue);
}

/* A persist has its message until it is durable; then the queue of answers has it. */
static void arriving_slot_state(struct cw_state *s, void **slot, void *context)
{
    item_slot_state(s, slot, context);
    struct item *i = *slot;
    if (i != NULL && i->write)
        cw_message_state(s, &i->persist.message);
}

static void item_state(struct cw_state *s, struct port *p, struct item *i, uint32_t cnt)
{
    CW_STATE(s, i->sectors);
    CW_STATE(s, i->tag);
    CW_STATE(s, i->persist.addr);
    CW_STATE(s, i->persist.byte_mask);
    CW_STATE(s, i->persist.data);
    CW_STATE(s, i->persist.core);
    CW_STATE(s, i->persist.id);
    CW_STATE_REF(s, i->next, p->item, cnt);
    if (cw_state_loads(s))
        i->persist.message = NULL;
}

static void port_state(struct cw_state *s, struct cw_nvm *n, struct port *p)
{
    const uint32_t cnt = 2 * n->config.config->pm_queue;
    for (uint32_t i = 0; i < cnt; i++)
        item_state(s, p, &p->item[i], cnt);
    CW_STATE_REF(s, p->free_reads, p->item, cnt);
    CW_STATE_REF(s, p->free_persists, p->item, cnt);
}

static void port_queues_state(struct cw_state *s, struct cw_nvm *n, struct port *p)
{
    cw_fifo_state(s, &p->answers.done, item_slot_state, n);
    cw_fifo_state(s, &p->answers.durable, cw_message_slot_state, NULL);
    cw_fifo_state(s, &p->reads, item_slot_state, n);
    cw_fifo_state(s, &p->persists, arriving_slot_state, n);
    cw_fifo_state(s, &p->written, item_slot_state, n);
}

static void device_state(struct cw_state *s, struct cw_nvm *n, struct device *d)
{
    cw_fifo_state(s, &d->reads, item_slot_state, n);
    cw_fifo_state(s, &d->persists, arriving_slot_state, n);
    cw_fifo_state(s, &d->pending, item_slot_state, n);
    cw_fifo_state(s, &d->leaving, item_slot_state, n);
    CW_STATE(s, d->held);
    CW_STATE(s, d->lane.free_at);
}

static void state(void *self, struct cw_state *s)
{
    struct cw_nvm *n = self;
    for (uint32_t i = 0; i < n->ports; i++)
        port_state(s, n, &n->port[i]);
    for (uint32_t i = 0; i < n->ports; i++)
        port_queues_state(s, n, &n->port[i]);
    for (uint32_t i = 0; i < n->devices; i++)
        device_state(s, n, &n->device[i]);
    CW_STATE(s, n->turn);
    CW_STATE(s, n->up.free_at);
    CW_STATE(s, n->down.free_at);
}

static bool idle(const void *self)
{
    return cw_nvm_idle(self);
}

static const struct cw_component_ops component_ops = {.kind = "nvm", .domain = CW_DOMAIN_L2, .tick = tick, .idle = idle, .state = state};

int cw_nvm_create(struct cw_nvm **out, const struct cw_nvm_config *config, struct cw_error *err)
{
    const struct cw_config *c = config->config;
    *out = NULL;
    if (c->pm_attach == CW_PM_NEAR && c->pm_eadr == CW_ON)
        return cw_fail(err, CW_EINVAL, "pm.eadr=on is about the host's last-level cache: set pm.attach=far");
    struct cw_nvm *n = calloc(1, sizeof *n);
    if (n == NULL)
        return cw_fail(err, CW_ENOMEM, "persistent memory: out of host memory");
    n->config = *config;
    n->far = c->pm_attach == CW_PM_FAR;
    n->eadr = c->pm_eadr == CW_ON;
    n->queue = c->pm_ack == CW_PM_ACK_QUEUE;
    n->in_turn = c->pm_order == CW_PM_ORDER_ARRIVAL;
    n->ports = c->partition_count;
    n->devices = n->far ? 1 : n->ports;
    n->period = config->clocks->period[CW_DOMAIN_L2];
    n->latency = duration(config, c->pm_latency);
    n->link_latency = duration(config, c->pm_link_latency);
    n->component = cw_component_of(&component_ops, n, 0);
    n->port = calloc(n->ports, sizeof *n->port);
    n->device = calloc(n->devices, sizeof *n->device);
    int status = n->port != NULL && n->device != NULL ? CW_OK : CW_ENOMEM;
    for (uint32_t i = 0; status == CW_OK && i < n->devices; i++)
        status = create_device(n, &n->device[i]);
    for (uint32_t i = 0; status == CW_OK && i < n->ports; i++)
        status = create_port(n, i);
    if (status != CW_OK) {
        cw_nvm_destroy(n);
        return cw_fail(err, status, "persistent memory: out of host memory");
    }
    *out = n;
    return CW_OK;
}

void cw_nvm_destroy(struct cw_nvm *n)
{
    if (n == NULL)
        return;
    for (uint32_t i = 0; n->port != NULL && i < n->ports; i++) {
        struct port *p = &n->port[i];
        struct cw_fifo *fifo[] = {&p->reads, &p->persists, &p->answers.done, &p->answers.durable, &p->written};
        for (size_t k = 0; k < sizeof fifo / sizeof fifo[0]; k++)
            cw_fifo_destroy(fifo[k]);
        free(p->item);
    }
    for (uint32_t i = 0; n->device != NULL && i < n->devices; i++) {
        struct cw_fifo *fifo[] = {&n->device[i].reads, &n->device[i].persists, &n->device[i].pending, &n->device[i].leaving};
        for (size_t k = 0; k < sizeof fifo / sizeof fifo[0]; k++)
            cw_fifo_destroy(fifo[k]);
    }
    free(n->port);
    free(n->device);
    free(n);
}

struct cw_component *cw_nvm_component(struct cw_nvm *n)
{
    return &n->component;
}

struct cw_nvm_port *cw_nvm_connect(struct cw_nvm *n, uint32_t partition, cw_time *wake)
{
    const uint32_t each = 2 * n->config.config->pm_queue;
    struct port *p = &n->port[partition];
    const bool ok = cw_fifo_create(&p->answers.done, each, wake) == CW_OK && cw_fifo_create(&p->answers.durable, each, wake) == CW_OK;
    return ok ? &p->answers : NULL;
}

bool cw_nvm_drains(const struct cw_nvm *n)
{
    uint32_t queued = 0;
    for (uint32_t i = 0; i < n->devices; i++)
        queued += n->device[i].persists.count + n->device[i].pending.count + n->device[i].leaving.count;
    for (uint32_t i = 0; i < n->ports; i++)
        queued += n->port[i].persists.count;
    return queued != 0;
}

bool cw_nvm_idle(const struct cw_nvm *n)
{
    uint32_t queued = 0;
    for (uint32_t i = 0; i < n->devices; i++)
        queued += n->device[i].reads.count + n->device[i].persists.count;
    for (uint32_t i = 0; i < n->ports; i++)
        queued += n->port[i].reads.count + n->port[i].persists.count + n->port[i].answers.done.count + n->port[i].answers.durable.count;
    return queued == 0;
}
