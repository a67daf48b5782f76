/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The crossbar moves packets, not flits, and is still exact to the flit: a packet of n flits that is granted at edge g
 * sends flit i at g + i, holds its input and its output during the n edges g .. g + n - 1, and its last flit arrives at
 * g + n - 1 + latency. So one grant per packet says all that happens to its flits, and an edge without a grant needs no
 * tick.
 *
 *   request: a head of an input queue that is visible (pushed before this edge) and whose input is not sending
 *   grant:   per output that is not receiving, the next requesting input in round-robin order; it must find space for
 *            all its flits in the output buffer, which it reserves. If not, the output waits: smaller packets do not
 *            pass it.
 */
#include "msg/crossbar.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/crossbar_port.h"
#include "base/ring.h"

#define PORTS_MAX 256u
#define PART      64u /* A link carries payloads in parts of this many bytes, and takes half of that for a packet without one. */
#define WORDS     (PORTS_MAX / 64u)

struct entry {
    struct cw_message *packet;
    cw_time ready; /* input: from when the crossbar sees it; output: arrival of the last flit */
};

struct ring {
    struct entry *entry;
    uint32_t places;
    struct cw_ring at;
};

struct input {
    struct ring queue;      /* not yet granted */
    uint32_t queued_flits;  /* of these */
    uint32_t sending_flits; /* of the packet granted last */
    cw_time granted;        /* its first flit left at granted, its last at free_at - period */
    cw_time free_at;
    cw_time request_at;    /* waiting inputs: from when the head requests its output */
    uint32_t wanted_flits; /* producer waits for a grant that makes room for these; 0: it does not */
    cw_time *wake;         /* producer's */
};

struct output {
    struct ring queue;
    uint32_t flits;      /* reserved: in the buffer or on the way to it */
    uint32_t popped_now; /* flits popped at time last_pop: not yet seen by the crossbar */
    cw_time last_pop;
    cw_time free_at;
    uint32_t last;                       /* input granted last */
    cw_time *wake;                       /* consumer's */
    uint64_t request[WORDS];             /* inputs that request this output */
    struct cw_adapt_crossbar_port *unit; /* NULL: it grants by itself */
};

/* Of inputs, or outputs, that share one. */
struct port {
    cw_time free_at;
    uint32_t last; /* input or output granted last */
    bool taken;    /* inputs: one of them requests */
};

/* Neighbouring inputs share it on their way to the crossbar. */
struct link {
    uint64_t bytes; /* It had these to pass at the clock edge `at`; with fewer than it passes in a cycle it takes another packet. */
    cw_time at;
    uint32_t last; /* The input that was served last. */
};

struct cw_crossbar {
    struct cw_component component;
    struct cw_crossbar_config config;
    uint32_t in_words, out_words; /* of the sets below that are in use */
    struct input *input;
    struct output *output;
    struct port *in_port, *out_port;
    struct link *link;       /* [input / inputs_per_link]; NULL: none */
    uint64_t waiting[WORDS]; /* inputs with a queue, whose head does not request yet */
    uint64_t active[WORDS];  /* outputs with a request */
    uint32_t packets;        /* inside */
};

static void set_bit(uint64_t *set, uint32_t i)
{
    set[i / 64] |= UINT64_C(1) << (i % 64);
}

static void clear_bit(uint64_t *set, uint32_t i)
{
    set[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

static int ring_create(struct ring *r, uint32_t entries)
{
    r->entry = malloc(entries * sizeof *r->entry);
    r->places = entries;
    r->at = (struct cw_ring){0};
    return r->entry != NULL ? CW_OK : CW_ENOMEM;
}

static struct entry *ring_head(const struct ring *r)
{
    return &r->entry[r->at.head];
}

static void ring_push(struct ring *r, struct cw_message *p, cw_time ready)
{
    struct entry *e = &r->entry[cw_ring_add(&r->at, r->places)];
    e->packet = p;
    e->ready = ready;
}

static struct cw_message *ring_pop(struct ring *r)
{
    return r->entry[cw_ring_take(&r->at, r->places)].packet;
}

static uint32_t output_of(const struct cw_crossbar *x, const struct cw_message *p)
{
    return x->config.to_partition ? p->partition : p->core;
}

static bool any_request(const struct cw_crossbar *x, const struct output *o)
{
    uint64_t any = 0;
    for (uint32_t w = 0; w < x->in_words; w++)
        any |= o->request[w];
    return any != 0;
}

/* First requesting input after the one granted last, cyclically; there is one. */
static uint32_t round_robin(const struct cw_crossbar *x, const struct output *o)
{
    assert(any_request(x, o));
    uint32_t start = o->last + 1 < x->config.inputs ? o->last + 1 : 0, w = start / 64;
    uint64_t bits = o->request[w] & ~UINT64_C(0) << (start % 64);
    while (bits == 0) {
        w = w + 1 < x->in_words ? w + 1 : 0;
        bits = o->request[w];
    }
    return w * 64 + (uint32_t)__builtin_ctzll(bits);
}

/* Time from which the producer sees room for that many flits; CW_TIME_NEVER: not before another packet has been granted. */
static cw_time space_at(const struct cw_crossbar *x, const struct input *in, uint32_t flits, cw_time now)
{
    const uint32_t occupied = in->queued_flits + flits;
    if (now >= in->free_at || occupied > x->config.in_flits)
        return CW_TIME_NEVER;
    const uint32_t room = x->config.in_flits - occupied; /* for unsent flits of the packet being sent */
    return in->sending_flits <= room ? now : in->granted + (in->sending_flits - room - 1) * x->config.period + 1;
}

static void wake_producer(const struct cw_crossbar *x, struct input *in, cw_time now)
{
    const cw_time when = space_at(x, in, in->wanted_flits, now);
    if (when == CW_TIME_NEVER)
        return;
    in->wanted_flits = 0;
    *in->wake = cw_time_min(*in->wake, when);
}

/* The packet has arrived at `arrival`; CW_TIME_NEVER: the unit will tell. */
static inline void grant(struct cw_crossbar *x, uint32_t i, struct output *o, cw_time now, cw_time arrival)
{
    struct input *in = &x->input[i];
    struct cw_message *p = ring_pop(&in->queue);
    cw_time hold = p->flits * x->config.period;
    in->queued_flits -= p->flits;
    in->sending_flits = p->flits;
    in->granted = now;
    in->free_at = o->free_at = now + hold;
    o->last = i;
    x->in_port[i / x->config.inputs_per_port] = (struct port){.free_at = now + hold, .last = i};
    o->flits += p->flits;
    clear_bit(o->request, i);
    ring_push(&o->queue, p, arrival);
    if (o->wake != NULL)
        *o->wake = cw_time_min(*o->wake, arrival);
    if (in->wanted_flits != 0)
        wake_producer(x, in, now);
    if (in->queue.at.cnt == 0)
        return;
    in->request_at = cw_time_max(ring_head(&in->queue)->ready, in->free_at);
    set_bit(x->waiting, i);
}

static uint32_t link_cnt(const struct cw_crossbar_config *c)
{
    return c->inputs_per_link != 0 ? (c->inputs + c->inputs_per_link - 1) / c->inputs_per_link : 0;
}

static bool waits(const struct cw_crossbar *x, uint32_t i, cw_time now)
{
    return (x->waiting[i / 64] >> i % 64 & 1) != 0 && x->input[i].request_at <= now;
}

/* Of the inputs that share a port: i, or one that waits too and whose turn is before i's. */
static uint32_t whose_turn(const struct cw_crossbar *x, uint32_t i, cw_time now)
{
    const uint32_t per_port = x->config.inputs_per_port, first = i / per_port * per_port;
    for (uint32_t k = 1; k <= per_port; k++) {
        uint32_t next = first + (x->in_port[i / per_port].last - first + k) % per_port;
        if (next < x->config.inputs && waits(x, next, now))
            return next;
    }
    return i;
}

static void request(struct cw_crossbar *x, uint32_t i)
{
    uint32_t o = output_of(x, ring_head(&x->input[i].queue)->packet);
    clear_bit(x->waiting, i);
    set_bit(x->output[o].request, i);
    set_bit(x->active, o);
}

static uint32_t bytes_on_link(const struct cw_message *p)
{
    return p->payload_bytes == 0 ? PART / 2 : (p->payload_bytes + PART - 1) / PART * PART;
}

static void pass_until(const struct cw_crossbar *x, struct link *l, cw_time now)
{
    const uint64_t passed = (now - l->at) / x->config.period * x->config.link_bytes;
    l->bytes = l->bytes > passed ? l->bytes - passed : 0;
    l->at = now;
}

/* Turns waiting inputs whose time has come into requests. */
static void collect(struct cw_crossbar *x, cw_time now)
{
    const bool shared = x->config.inputs_per_port > 1;
    for (uint32_t w = 0; w < x->in_words; w++)
        for (uint64_t bits = x->waiting[w]; bits != 0; bits &= bits - 1) {
            uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (x->input[i].request_at > now)
                continue;
            if (shared) {
                struct port *p = &x->in_port[i / x->config.inputs_per_port];
                if (p->taken || p->free_at > now)
                    continue;
                i = whose_turn(x, i, now);
                p->taken = true;
            }
            request(x, i);
        }
}

/* The same where inputs share links. Each takes from its inputs in turn until it has work for all of this cycle. */
static void collect_links(struct cw_crossbar *x, cw_time now)
{
    const uint32_t share = x->config.inputs_per_link;
    for (uint32_t first = 0; first < x->config.inputs; first += share) {
        struct link *l = &x->link[first / share];
        const uint32_t start = l->last - first + 1;
        pass_until(x, l, now);
        for (uint32_t k = 0; k < share && l->bytes < x->config.link_bytes; k++) {
            const uint32_t i = first + (start + k) % share;
            if (i >= x->config.inputs || !waits(x, i, now))
                continue;
            l->bytes += bytes_on_link(ring_head(&x->input[i].queue)->packet);
            l->last = i;
            request(x, i);
        }
    }
}

/* When collect has to look at a waiting input. */
static cw_time collect_at(const struct cw_crossbar *x, uint32_t i)
{
    const struct port *p = &x->in_port[i / x->config.inputs_per_port];
    if (x->link != NULL) {
        const struct link *l = &x->link[i / x->config.inputs_per_link];
        return cw_time_max(x->input[i].request_at, l->at + l->bytes / x->config.link_bytes * x->config.period);
    }
    return p->taken ? CW_TIME_NEVER : cw_time_max(x->input[i].request_at, p->free_at);
}

/* At most one grant for output o. Returns when it next needs attention. */
static cw_time arbitrate(struct cw_crossbar *x, uint32_t index, cw_time now)
{
    struct output *o = &x->output[index];
    if (o->free_at > now)
        return o->free_at;
    uint32_t i = round_robin(x, o);
    uint32_t hidden = o->last_pop == now ? o->popped_now : 0;
    if (o->flits + hidden + ring_head(&x->input[i].queue)->packet->flits > x->config.out_flits)
        return now + x->config.period;
    const uint32_t flits = ring_head(&x->input[i].queue)->packet->flits;
    grant(x, i, o, now, now + (flits + x->config.latency_cycles - 1) * x->config.period);
    if (any_request(x, o))
        return o->free_at;
    clear_bit(x->active, index);
    return CW_TIME_NEVER;
}

/* The same for the outputs of one port, which is held by one packet. */
static cw_time arbitrate_port(struct cw_crossbar *x, uint32_t index, cw_time now)
{
    const uint32_t per_port = x->config.outputs_per_port, first = index * per_port, start = x->out_port[index].last - first + 1;
    struct port *p = &x->out_port[index];
    cw_time next = CW_TIME_NEVER;
    for (uint32_t k = 0; k < per_port; k++) {
        uint32_t o = first + (start + k) % per_port;
        if (o >= x->config.outputs || (x->active[o / 64] >> o % 64 & 1) == 0)
            continue;
        if (p->free_at > now)
            return p->free_at;
        next = cw_time_min(next, arbitrate(x, o, now));
        if (x->output[o].free_at > now)
            *p = (struct port){.free_at = x->output[o].free_at, .last = o};
    }
    return next;
}

/* Room that was freed at this time is not seen yet. */
static void tell_room(struct output *o, cw_time now)
{
    if (o->last_pop == now || o->popped_now == 0)
        return;
    cw_adapt_crossbar_port_free(o->unit, o->popped_now);
    o->popped_now = 0;
}

/* The next packet on its way to the output arrives at that time. Wrong hardware may say so of none. */
static void arrive(struct output *o, cw_time when)
{
    for (uint32_t i = 0; i < o->queue.at.cnt; i++) {
        struct entry *e = &o->queue.entry[cw_ring_at(&o->queue.at, i, o->queue.places)];
        if (e->ready != CW_TIME_NEVER)
            continue;
        e->ready = when;
        if (o->wake != NULL)
            *o->wake = cw_time_min(*o->wake, when);
        return;
    }
}

/* Wrong hardware may grant who does not request, or more packets than the buffer has places. */
static bool may_grant(const struct cw_crossbar *x, const struct output *o, uint32_t i)
{
    return i < x->config.inputs && (o->request[i / 64] >> i % 64 & 1) != 0 && o->queue.at.cnt < o->queue.places;
}

/* A cycle of an output that is a unit. */
static cw_time clock_unit(struct cw_crossbar *x, uint32_t index, cw_time now)
{
    struct output *o = &x->output[index];
    tell_room(o, now);
    for (uint32_t w = 0; w < x->in_words; w++)
        for (uint64_t bits = o->request[w]; bits != 0; bits &= bits - 1) {
            const uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits);
            cw_adapt_crossbar_port_request(o->unit, i, ring_head(&x->input[i].queue)->packet->flits);
        }
    const struct cw_adapt_crossbar_port_answer answer = cw_adapt_crossbar_port_clock(o->unit);
    if (answer.granted && may_grant(x, o, answer.input))
        grant(x, answer.input, o, now, CW_TIME_NEVER);
    if (answer.arrives)
        arrive(o, now + x->config.period);
    if (any_request(x, o) || !cw_adapt_crossbar_port_idle(o->unit))
        return now + x->config.period;
    clear_bit(x->active, index);
    return CW_TIME_NEVER;
}

static cw_time clock_units(struct cw_crossbar *x, cw_time now)
{
    cw_time next = CW_TIME_NEVER;
    for (uint32_t o = 0; o < x->config.outputs; o++)
        if ((x->active[o / 64] >> o % 64 & 1) != 0)
            next = cw_time_min(next, clock_unit(x, o, now));
    return next;
}

static void tick(void *self, cw_time now)
{
    struct cw_crossbar *x = self;
    cw_time next = CW_TIME_NEVER;
    if (x->link != NULL)
        collect_links(x, now);
    else
        collect(x, now);
    if (x->config.units != NULL) {
        next = clock_units(x, now);
    } else if (x->config.outputs_per_port > 1) {
        for (uint32_t i = 0; i * x->config.outputs_per_port < x->config.outputs; i++)
            next = cw_time_min(next, arbitrate_port(x, i, now));
    } else {
        for (uint32_t w = 0; w < x->out_words; w++)
            for (uint64_t bits = x->active[w]; bits != 0; bits &= bits - 1)
                next = cw_time_min(next, arbitrate(x, w * 64 + (uint32_t)__builtin_ctzll(bits), now));
    }
    for (uint32_t w = 0; w < x->in_words; w++)
        for (uint64_t bits = x->waiting[w]; bits != 0; bits &= bits - 1)
            next = cw_time_min(next, collect_at(x, w * 64 + (uint32_t)__builtin_ctzll(bits)));
    x->component.wake = next;
}

static int create_ports(struct cw_crossbar *x)
{
    const struct cw_crossbar_config *c = &x->config;
    x->input = calloc(c->inputs, sizeof *x->input);
    x->output = calloc(c->outputs, sizeof *x->output);
    x->in_port = calloc(c->inputs, sizeof *x->in_port);
    x->out_port = calloc(c->outputs, sizeof *x->out_port);
    if (x->input == NULL || x->output == NULL || x->in_port == NULL || x->out_port == NULL)
        return CW_ENOMEM;
    if (c->inputs_per_link != 0) {
        x->link = calloc(link_cnt(c), sizeof *x->link);
        if (x->link == NULL)
            return CW_ENOMEM;
        for (uint32_t i = 0; i < link_cnt(c); i++)
            x->link[i].last = (i + 1) * c->inputs_per_link - 1;
    }
    for (uint32_t i = 0; i < c->inputs; i++) /* the first of each port is served first */
        x->in_port[i].last = (i + 1) * c->inputs_per_port - 1;
    for (uint32_t o = 0; o < c->outputs; o++)
        x->out_port[o].last = (o + 1) * c->outputs_per_port - 1;
    for (uint32_t i = 0; i < c->inputs; i++)
        if (ring_create(&x->input[i].queue, c->in_flits) != CW_OK) /* a packet has a flit at least */
            return CW_ENOMEM;
    for (uint32_t o = 0; o < c->outputs; o++) {
        if (ring_create(&x->output[o].queue, c->out_flits) != CW_OK)
            return CW_ENOMEM;
        x->output[o].last = c->inputs - 1;
        x->output[o].last_pop = CW_TIME_NEVER;
    }
    return CW_OK;
}

static int create_units(struct cw_crossbar *x, struct cw_error *err)
{
    const struct cw_crossbar_config *c = &x->config;
    const struct cw_crossbar_port_params p = {.inputs = c->inputs, .out_flits = c->out_flits, .latency = c->latency_cycles};
    struct cw_error why;
    int status = CW_OK;
    assert(c->outputs_per_port == 1);
    for (uint32_t o = 0; o < c->outputs && status == CW_OK; o++)
        status = cw_adapt_crossbar_port_create(&x->output[o].unit, c->units, o, &p, &why);
    if (status == CW_EINVAL)
        return cw_fail(err, CW_EUNSUP, "noc.port_unit: %s; set noc.port_unit=off", why.text);
    return status == CW_OK ? CW_OK : cw_fail(err, status, "%s", why.text);
}

/* ---- state ---- */

static void ring_state(struct cw_state *s, struct ring *r)
{
    cw_state_count(s, "packets", &r->at.cnt, r->places);
    if (cw_state_loads(s))
        r->at.head = 0;
    for (uint32_t i = 0; i < r->at.cnt; i++) {
        struct entry *e = &r->entry[cw_ring_at(&r->at, i, r->places)];
        CW_STATE(s, e->ready);
        cw_message_state(s, &e->packet);
    }
}

static void input_state(struct cw_state *s, struct input *in)
{
    ring_state(s, &in->queue);
    CW_STATE(s, in->queued_flits);
    CW_STATE(s, in->sending_flits);
    CW_STATE(s, in->granted);
    CW_STATE(s, in->free_at);
    CW_STATE(s, in->request_at);
    CW_STATE(s, in->wanted_flits);
}

static void output_state(struct cw_state *s, struct output *o)
{
    ring_state(s, &o->queue);
    CW_STATE(s, o->flits);
    CW_STATE(s, o->popped_now);
    CW_STATE(s, o->last_pop);
    CW_STATE(s, o->free_at);
    CW_STATE(s, o->last);
    CW_STATE(s, o->request);
    if (o->unit != NULL)
        cw_adapt_crossbar_port_state(s, o->unit);
}

static void port_state(struct cw_state *s, struct port *p)
{
    CW_STATE(s, p->free_at);
    CW_STATE(s, p->last);
    CW_STATE(s, p->taken);
}

static void state(void *self, struct cw_state *s)
{
    struct cw_crossbar *x = self;
    for (uint32_t i = 0; i < x->config.inputs; i++) {
        input_state(s, &x->input[i]);
        port_state(s, &x->in_port[i]);
    }
    for (uint32_t i = 0; i < link_cnt(&x->config); i++) {
        CW_STATE(s, x->link[i].bytes);
        CW_STATE(s, x->link[i].at);
        CW_STATE(s, x->link[i].last);
    }
    for (uint32_t o = 0; o < x->config.outputs; o++) {
        output_state(s, &x->output[o]);
        port_state(s, &x->out_port[o]);
    }
    CW_STATE(s, x->waiting);
    CW_STATE(s, x->active);
    CW_STATE(s, x->packets);
}

static bool idle(const void *self)
{
    return cw_crossbar_idle(self);
}

static const struct cw_component_ops component_ops = {
    .kind = "crossbar", .domain = CW_DOMAIN_NOC, .tick = tick, .idle = idle, .state = state};

int cw_crossbar_create(struct cw_crossbar **out, const struct cw_crossbar_config *config, struct cw_error *err)
{
    *out = NULL;
    if (config->inputs == 0 || config->inputs > PORTS_MAX || config->outputs == 0 || config->outputs > PORTS_MAX)
        return cw_fail(err, CW_EINVAL, "crossbar: %u inputs, %u outputs; both must be 1 to %u", config->inputs, config->outputs, PORTS_MAX);
    if (config->latency_cycles == 0 || config->period == 0 || config->in_flits == 0 || config->out_flits == 0 ||
        config->inputs_per_port == 0 || config->outputs_per_port == 0)
        return cw_fail(err, CW_EINVAL, "crossbar: latency, period, buffers and inputs and outputs per port must be at least 1");
    if (config->inputs_per_link != 0 && (config->link_bytes == 0 || config->inputs_per_port != 1))
        return cw_fail(err, CW_EINVAL,
                       "crossbar: inputs that share a link have ports of their own, and it passes a byte per cycle at least");
    struct cw_crossbar *x = calloc(1, sizeof *x);
    if (x == NULL)
        return cw_fail(err, CW_ENOMEM, "crossbar: out of host memory");
    x->config = *config;
    x->in_words = (config->inputs + 63) / 64;
    x->out_words = (config->outputs + 63) / 64;
    x->component = cw_component_of(&component_ops, x, config->to_partition ? 0 : 1);
    int status = create_ports(x);
    if (status != CW_OK)
        cw_fail(err, status, "crossbar: out of host memory for %u + %u ports", config->inputs, config->outputs);
    else if (config->units != NULL)
        status = create_units(x, err);
    if (status != CW_OK) {
        cw_crossbar_destroy(x);
        return status;
    }
    *out = x;
    return CW_OK;
}

void cw_crossbar_destroy(struct cw_crossbar *x)
{
    if (x == NULL)
        return;
    for (uint32_t i = 0; x->input != NULL && i < x->config.inputs; i++)
        free(x->input[i].queue.entry);
    for (uint32_t o = 0; x->output != NULL && o < x->config.outputs; o++) {
        cw_adapt_crossbar_port_destroy(x->output[o].unit);
        free(x->output[o].queue.entry);
    }
    free(x->input);
    free(x->output);
    free(x->in_port);
    free(x->out_port);
    free(x->link);
    free(x);
}

struct cw_component *cw_crossbar_component(struct cw_crossbar *x)
{
    return &x->component;
}

/* Flits of the packet being sent that are still in the input buffer, as the producer sees it: what leaves at now leaves
 * after now. */
static uint32_t unsent(const struct cw_crossbar *x, const struct input *in, cw_time now)
{
    if (now >= in->free_at)
        return 0;
    cw_time sent = (now - in->granted + x->config.period - 1) / x->config.period;
    return in->sending_flits - (uint32_t)sent;
}

bool cw_crossbar_can_push(const struct cw_crossbar *x, uint32_t source, uint32_t flits, cw_time now)
{
    const struct input *in = &x->input[source];
    if (in->queued_flits + in->sending_flits + flits <= x->config.in_flits) /* saves the division */
        return true;
    return in->queued_flits + unsent(x, in, now) + flits <= x->config.in_flits;
}

cw_time cw_crossbar_space_at(struct cw_crossbar *x, uint32_t source, uint32_t flits, cw_time now)
{
    struct input *in = &x->input[source];
    assert(in->wake != NULL);
    const cw_time when = space_at(x, in, flits, now);
    in->wanted_flits = when == CW_TIME_NEVER ? flits : 0;
    return when;
}

void cw_crossbar_on_space(struct cw_crossbar *x, uint32_t input, cw_time *wake)
{
    x->input[input].wake = wake;
}

static void count(const struct cw_crossbar_config *c, const struct cw_message *p)
{
    if (c->packets != NULL)
        ++*c->packets;
    if (c->flits != NULL)
        *c->flits += p->flits;
    if (c->mech_flits != NULL && p->mech != 0)
        *c->mech_flits += p->flits;
}

void cw_crossbar_push(struct cw_crossbar *x, uint32_t source, struct cw_message *p, cw_time now)
{
    struct input *in = &x->input[source];
    assert(p->flits > 0 && p->flits <= x->config.out_flits && output_of(x, p) < x->config.outputs);
    assert(cw_crossbar_can_push(x, source, p->flits, now));
    bool was_empty = in->queue.at.cnt == 0;
    if (__builtin_expect(x->config.check != NULL, 0))
        cw_pack_check(x->config.check, p);
    ring_push(&in->queue, p, now + 1);
    in->queued_flits += p->flits;
    x->packets++;
    count(&x->config, p);
    if (!was_empty)
        return;
    in->request_at = cw_time_max(now + 1, in->free_at);
    set_bit(x->waiting, source);
    x->component.wake = cw_time_min(x->component.wake, in->request_at);
}

struct cw_message *cw_crossbar_peek(const struct cw_crossbar *x, uint32_t output, cw_time now)
{
    const struct ring *q = &x->output[output].queue;
    return q->at.cnt > 0 && ring_head(q)->ready <= now ? ring_head(q)->packet : NULL;
}

struct cw_message *cw_crossbar_pop(struct cw_crossbar *x, uint32_t output, cw_time now)
{
    struct output *o = &x->output[output];
    if (cw_crossbar_peek(x, output, now) == NULL)
        return NULL;
    struct cw_message *p = ring_pop(&o->queue);
    if (__builtin_expect(o->unit != NULL, 0))
        tell_room(o, now);
    if (o->last_pop != now) {
        o->last_pop = now;
        o->popped_now = 0;
    }
    o->popped_now += p->flits;
    o->flits -= p->flits;
    x->packets--;
    return p;
}

cw_time cw_crossbar_next(const struct cw_crossbar *x, uint32_t output)
{
    const struct ring *q = &x->output[output].queue;
    return q->at.cnt > 0 ? ring_head(q)->ready : CW_TIME_NEVER;
}

void cw_crossbar_on_arrival(struct cw_crossbar *x, uint32_t output, cw_time *wake)
{
    x->output[output].wake = wake;
}

bool cw_crossbar_idle(const struct cw_crossbar *x)
{
    return x->packets == 0;
}
