/* SPDX-License-Identifier: Apache-2.0 */
#include "cw_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "msg/crossbar.h"

#define T 10u /* period */

static uint64_t packets, flits, mech_flits;

static bool by_unit; /* The outputs are units. */

static struct cw_crossbar *make_shared(uint32_t inputs, uint32_t outputs, uint32_t latency, uint32_t in_flits, uint32_t out_flits,
                                       uint32_t inputs_per_port, uint32_t outputs_per_port)
{
    struct cw_crossbar *x;
    struct cw_error err;
    packets = flits = mech_flits = 0;
    struct cw_crossbar_config c = {.inputs = inputs,
                                   .outputs = outputs,
                                   .inputs_per_port = inputs_per_port,
                                   .outputs_per_port = outputs_per_port,
                                   .latency_cycles = latency,
                                   .in_flits = in_flits,
                                   .out_flits = out_flits,
                                   .period = T,
                                   .to_partition = true,
                                   .packets = &packets,
                                   .flits = &flits,
                                   .mech_flits = &mech_flits,
                                   .units = by_unit ? cw_unit_provider_c() : NULL};
    assert_int_equal(cw_crossbar_create(&x, &c, &err), CW_OK);
    return x;
}

static struct cw_crossbar *make(uint32_t inputs, uint32_t outputs, uint32_t latency, uint32_t in_flits, uint32_t out_flits)
{
    return make_shared(inputs, outputs, latency, in_flits, out_flits, 1, 1);
}

/* Ticks at an edge if the component wants it. */
static void edge(struct cw_crossbar *x, cw_time now)
{
    struct cw_component *c = cw_crossbar_component(x);
    if (c->wake <= now)
        c->tick(c->self, now);
}

static struct cw_message packet(uint32_t to, uint32_t n, uint32_t tag)
{
    struct cw_message p;
    memset(&p, 0, sizeof p);
    p.partition = (uint16_t)to;
    p.flits = (uint16_t)n;
    p.tag = tag;
    return p;
}

/* A packet of n flits pushed at t is granted at the first edge after t and is there n - 1 + latency cycles later. */
static void check_latency(uint32_t n, uint32_t latency, cw_time pushed, cw_time granted)
{
    struct cw_crossbar *x = make(3, 2, latency, 16, 16);
    struct cw_message p = packet(1, n, 0);
    cw_time wake = CW_TIME_NEVER, arrival = granted + (n - 1 + latency) * T;
    cw_crossbar_on_arrival(x, 1, &wake);
    cw_crossbar_push(x, 2, &p, pushed);
    for (cw_time t = (pushed + T - 1) / T * T; t < arrival + 5 * T; t += T) {
        edge(x, t);
        assert_true((cw_crossbar_peek(x, 1, t) != NULL) == (t >= arrival));
        assert_null(cw_crossbar_peek(x, 0, t));
    }
    assert_int_equal(wake, arrival);
    assert_int_equal(cw_crossbar_next(x, 1), arrival);
    assert_false(cw_crossbar_idle(x));
    assert_ptr_equal(cw_crossbar_pop(x, 1, arrival), &p);
    assert_true(cw_crossbar_idle(x));
    assert_int_equal(cw_crossbar_next(x, 1), CW_TIME_NEVER);
    cw_crossbar_destroy(x);
}

static void test_crossbar__latency(void **state)
{
    (void)state;
    for (uint32_t latency = 1; latency < 7; latency++)
        for (uint32_t n = 1; n < 6; n++) {
            check_latency(n, latency, 0, T); /* on an edge: not seen by that edge */
            check_latency(n, latency, 3, T); /* between edges, from another clock domain */
            check_latency(n, latency, T - 1, T);
            check_latency(n, latency, T, 2 * T);
        }
}

/* All sources send n-flit packets as fast as they may; source i to output dst(i). Returns packets that came out in the
 * cycles 100 .. 1099 of each output, by source. */
static void saturate(uint32_t sources, uint32_t outputs, uint32_t n, bool all_to_one, uint32_t *out)
{
    static struct cw_message pool[64][2048];
    struct cw_crossbar *x = make(sources, outputs, 5, 32, 32);
    memset(out, 0, sources * sizeof *out);
    uint32_t sent[64] = {0};
    for (uint32_t c = 0; c < 1100; c++) {
        cw_time now = c * T;
        for (uint32_t s = 0; s < sources; s++)
            while (cw_crossbar_can_push(x, s, n, now)) {
                struct cw_message *p = &pool[s][sent[s]++];
                *p = packet(all_to_one ? 0 : (s + 1) % outputs, n, s);
                cw_crossbar_push(x, s, p, now);
            }
        edge(x, now);
        for (uint32_t o = 0; o < outputs; o++)
            for (struct cw_message *p; (p = cw_crossbar_pop(x, o, now)) != NULL;)
                out[p->tag] += c >= 100;
    }
    cw_crossbar_destroy(x);
}

static void test_crossbar__one_flit_per_cycle_and_port(void **state)
{
    (void)state;
    uint32_t out[64];
    for (uint32_t n = 1; n <= 5; n++) {
        saturate(6, 6, n, false, out);
        for (uint32_t s = 0; s < 6; s++)
            assert_in_range(out[s], 1000 / n - 1, 1000 / n + 1);
        saturate(15, 2, n, true, out);
        uint32_t sum = 0;
        for (uint32_t s = 0; s < 15; s++)
            sum += out[s];
        assert_in_range(sum, 1000 / n - 1, 1000 / n + 1);
    }
}

/* A crossbar of which each `share` inputs have a link. */
static struct cw_crossbar *make_links(uint32_t inputs, uint32_t share, uint32_t bytes)
{
    struct cw_crossbar *x;
    struct cw_error err;
    const struct cw_crossbar_config c = {.inputs = inputs,
                                         .outputs = inputs,
                                         .inputs_per_port = 1,
                                         .outputs_per_port = 1,
                                         .inputs_per_link = share,
                                         .link_bytes = bytes,
                                         .latency_cycles = 1,
                                         .in_flits = 8,
                                         .out_flits = 64,
                                         .period = T,
                                         .to_partition = true,
                                         .units = by_unit ? cw_unit_provider_c() : NULL};
    assert_int_equal(cw_crossbar_create(&x, &c, &err), CW_OK);
    return x;
}

/*
 * Six inputs of each of two links send packets of that many bytes as fast as they may, over 1,000 cycles, to outputs that never stop them.
 * Returns what each input has sent.
 */
static void saturate_links(uint32_t payload, uint32_t senders, uint32_t *sent)
{
    static struct cw_message pool[12][1200];
    struct cw_crossbar *x = make_links(12, 6, 144);
    memset(sent, 0, 12 * sizeof *sent);
    uint32_t pushed[12] = {0};
    for (uint32_t cycle = 0; cycle < 1001; cycle++) {
        for (uint32_t s = 0; s < senders; s++)
            while (cw_crossbar_can_push(x, s, 1, cycle * T)) {
                struct cw_message *p = &pool[s][pushed[s]++];
                *p = packet(s, 1, s);
                p->payload_bytes = payload;
                cw_crossbar_push(x, s, p, cycle * T);
            }
        edge(x, cycle * T);
        for (uint32_t o = 0; o < 12; o++)
            for (struct cw_message *p; (p = cw_crossbar_pop(x, o, cycle * T)) != NULL;)
                sent[p->tag]++;
    }
    cw_crossbar_destroy(x);
}

/* 144 bytes a cycle, the payload in parts of 64, 32 without one; a port of its own keeps each input to a packet a cycle. */
static void test_crossbar__links_pass_their_bytes(void **state)
{
    (void)state;
    const struct {
        uint32_t payload, senders, each;
    } rows[] = {{0, 12, 750}, {1, 12, 375}, {64, 12, 375}, {65, 12, 187}, {128, 12, 187}, {32, 2, 999}, {32, 3, 750}, {256, 1, 562}};
    for (uint32_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint32_t sent[12];
        saturate_links(rows[r].payload, rows[r].senders, sent);
        for (uint32_t s = 0; s < rows[r].senders; s++)
            assert_in_range(sent[s], rows[r].each - 2, rows[r].each + 2);
    }
}

/* With 32 bytes a cycle, a payload of 128 has the link for four cycles; the other input's packet comes behind it, at an output of its own. */
static void test_crossbar__a_link_passes_one_packet_behind_the_other(void **state)
{
    (void)state;
    struct cw_crossbar *x = make_links(3, 2, 32);
    struct cw_message p[3] = {packet(0, 1, 0), packet(1, 1, 1), packet(2, 1, 2)};
    cw_time came[3] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        p[i].payload_bytes = 128;
        cw_crossbar_push(x, i, &p[i], 0);
    }
    for (cw_time t = T; t < 20 * T; t += T) {
        edge(x, t);
        for (uint32_t o = 0; o < 3; o++)
            if (cw_crossbar_pop(x, o, t) != NULL)
                came[o] = t;
    }
    assert_int_equal(came[0], 2 * T);
    assert_int_equal(came[1], came[0] + 4 * T);
    assert_int_equal(came[2], came[0]); /* Of another link */
    cw_crossbar_destroy(x);
}

static void test_crossbar__round_robin_is_fair(void **state)
{
    (void)state;
    uint32_t out[64];
    saturate(7, 1, 3, true, out);
    for (uint32_t s = 0; s < 7; s++)
        assert_in_range(out[s], 333 / 7 - 1, 333 / 7 + 1);
}

static void test_crossbar__back_pressure_counts_flits(void **state)
{
    (void)state;
    struct cw_crossbar *x = make(1, 1, 2, 7, 9);
    struct cw_message p[8];
    uint32_t sent = 0;
    cw_time now = 0;
    for (uint32_t c = 0; c < 40; c++, now += T) { /* nobody pops */
        if (sent < 8 && cw_crossbar_can_push(x, 0, 2, now)) {
            p[sent] = packet(0, 2, sent);
            cw_crossbar_push(x, 0, &p[sent++], now);
        }
        edge(x, now);
    }
    assert_int_equal(sent, 7); /* 4 packets in 9 flits of output, 3 in 7 of input */
    assert_false(cw_crossbar_can_push(x, 0, 2, now));
    assert_true(cw_crossbar_can_push(x, 0, 1, now));
    assert_int_equal(cw_crossbar_pop(x, 0, now)->tag, 0);
    edge(x, now); /* the space is seen one edge later */
    assert_false(cw_crossbar_can_push(x, 0, 2, now + 1));
    edge(x, now + T);
    /* the first flit left at now + T: seen after it; 2 + 2 + 1 of 7 are left behind, then 2 + 2 */
    assert_false(cw_crossbar_can_push(x, 0, 2, now + T));
    assert_true(cw_crossbar_can_push(x, 0, 2, now + T + 1));
    assert_false(cw_crossbar_can_push(x, 0, 3, now + T + 1));
    assert_true(cw_crossbar_can_push(x, 0, 3, now + 2 * T + 1));
    for (uint32_t i = 1; i < 7; i++, now += 10 * T) {
        assert_int_equal(cw_crossbar_pop(x, 0, now + 5 * T)->tag, i);
        for (cw_time t = now + 5 * T; t <= now + 14 * T; t += T)
            edge(x, t);
    }
    assert_true(cw_crossbar_idle(x));
    cw_crossbar_destroy(x);
}

static void test_crossbar__counts_traffic(void **state)
{
    (void)state;
    struct cw_crossbar *x = make(2, 1, 1, 64, 64);
    struct cw_message p[12];
    for (uint32_t i = 0; i < 12; i++) {
        p[i] = packet(0, i + 1, 0);
        p[i].mech = i % 3 == 0 ? (uint8_t)(1 + i / 3) : 0;
        cw_crossbar_push(x, i % 2, &p[i], 0);
    }
    assert_int_equal(packets, 12);
    assert_int_equal(flits, 78);
    assert_int_equal(mech_flits, 1 + 4 + 7 + 10); /* every third one is a mechanism's */
    cw_crossbar_destroy(x);
}

/*
 * Flit-by-flit reference, from the words of crossbar.h alone. Each cycle: outputs that hold no packet choose one; then
 * every held output moves one flit, which arrives latency cycles later.
 */
#define PORTS  5
#define RANDOM 4000

struct flit_xbar {
    uint32_t latency, in_cap, out_cap, in_share, out_share;
    struct {
        int turn; /* in: whose it is, -1 nobody's */
        uint32_t last;
    } in_port[PORTS], out_port[PORTS];
    struct {
        uint32_t pkt[256], head, tail, sent; /* queue of packets, flits of the head that left */
        uint32_t flits;
        bool busy;
    } in[PORTS];
    struct {
        int from; /* input that holds it, -1 none */
        uint32_t last;
        uint32_t reserved;
        uint32_t pkt[256], head, tail;
    } out[PORTS];
};

struct traffic {
    uint32_t source, to, n, pushed; /* cycle of the push */
    uint32_t popped;                /* cycle */
    uint32_t arrival;               /* reference: cycle of the last flit */
};

/* Who of those that share a port has the next turn, counted from the one after the last. */
static uint32_t in_turn(uint32_t port, uint32_t share, uint32_t last, uint32_t k)
{
    return port * share + (last + 1 + k) % share;
}

static bool has_head(const struct flit_xbar *r, const struct traffic *q, uint32_t i, uint32_t cycle)
{
    return r->in[i].head != r->in[i].tail && q[r->in[i].pkt[r->in[i].head % 256]].pushed < cycle;
}

static void flit_take_ports(struct flit_xbar *r, const struct traffic *q, uint32_t cycle)
{
    for (uint32_t port = 0; port * r->in_share < PORTS; port++)
        for (uint32_t k = 0; k < r->in_share && r->in_port[port].turn < 0; k++) {
            uint32_t i = in_turn(port, r->in_share, r->in_port[port].last, k);
            if (i < PORTS && has_head(r, q, i, cycle))
                r->in_port[port].turn = (int)i;
        }
}

/* Whether output o takes a packet in this cycle. */
static bool flit_grant(struct flit_xbar *r, const struct traffic *q, uint32_t o)
{
    for (uint32_t k = 1; k <= PORTS; k++) {
        uint32_t i = (r->out[o].last + k) % PORTS;
        if (r->in[i].busy || r->in_port[i / r->in_share].turn != (int)i)
            continue;
        const struct traffic *p = &q[r->in[i].pkt[r->in[i].head % 256]];
        if (p->to != o)
            continue;
        if (r->out[o].reserved + p->n > r->out_cap)
            return false; /* its turn: nobody passes it */
        r->out[o].from = (int)i;
        r->out[o].last = i;
        r->out[o].reserved += p->n;
        r->in[i].busy = true;
        r->in[i].sent = 0;
        return true;
    }
    return false;
}

static void flit_grant_port(struct flit_xbar *r, const struct traffic *q, uint32_t port)
{
    for (uint32_t k = 0; k < r->out_share; k++) {
        uint32_t o = port * r->out_share + k;
        if (o < PORTS && r->out[o].from >= 0)
            return;
    }
    uint32_t last = r->out_port[port].last;
    for (uint32_t k = 0; k < r->out_share; k++) {
        uint32_t o = in_turn(port, r->out_share, last, k);
        if (o < PORTS && flit_grant(r, q, o)) {
            r->out_port[port].last = o - port * r->out_share;
            return;
        }
    }
}

static void flit_cycle(struct flit_xbar *r, struct traffic *q, uint32_t cycle)
{
    flit_take_ports(r, q, cycle);
    for (uint32_t port = 0; port * r->out_share < PORTS; port++)
        flit_grant_port(r, q, port);
    for (uint32_t o = 0; o < PORTS; o++) {
        if (r->out[o].from < 0)
            continue;
        uint32_t i = (uint32_t)r->out[o].from, pkt = r->in[i].pkt[r->in[i].head % 256];
        r->in[i].flits--;
        if (++r->in[i].sent < q[pkt].n)
            continue;
        q[pkt].arrival = cycle + r->latency;
        r->out[o].pkt[r->out[o].tail++ % 256] = pkt;
        r->in[i].head++;
        r->in[i].busy = false;
        r->in_port[i / r->in_share].turn = -1;
        r->in_port[i / r->in_share].last = i % r->in_share;
        r->out[o].from = -1;
    }
}

enum order { CROSSBAR_FIRST, CROSSBAR_LAST, CROSSBAR_ALWAYS, REFERENCE };

/* Random traffic, equal for every way of ticking; fills q with the times of all packets. Returns packets sent. */
static uint32_t random_traffic(uint64_t seed, enum order order, struct traffic *q)
{
    static struct cw_message pool[RANDOM];
    struct cw_rng rng;
    cw_rng_seed(&rng, seed);
    uint32_t latency = 1 + cw_rng_below(&rng, 6);
    uint32_t in_cap = 8 + cw_rng_below(&rng, 24), out_cap = 8 + cw_rng_below(&rng, 24);
    uint32_t load = 1 + cw_rng_below(&rng, 8), drain = 1 + cw_rng_below(&rng, 8), sent = 0;
    uint32_t in_share = 1 + cw_rng_below(&rng, 3), out_share = 1 + (by_unit ? 0 : cw_rng_below(&rng, 3));
    struct cw_crossbar *x = make_shared(PORTS, PORTS, latency, in_cap, out_cap, in_share, out_share);
    struct flit_xbar r = {.latency = latency, .in_cap = in_cap, .out_cap = out_cap, .in_share = in_share, .out_share = out_share};
    for (uint32_t o = 0; o < PORTS; o++) {
        r.in_port[o].turn = -1;
        r.in_port[o].last = in_share - 1;
        r.out_port[o].last = out_share - 1;
        r.out[o].from = -1;
        r.out[o].last = PORTS - 1;
    }
    for (uint32_t c = 0; c < 3000; c++) {
        cw_time now = c * T;
        uint32_t freed[PORTS] = {0}, space[PORTS];
        for (uint32_t i = 0; i < PORTS; i++)
            space[i] = in_cap - r.in[i].flits; /* before this cycle's flits leave */
        if (order == CROSSBAR_FIRST)
            edge(x, now);
        if (order == CROSSBAR_ALWAYS)
            cw_crossbar_component(x)->tick(x, now);
        for (uint32_t i = 0; i < PORTS; i++) {
            uint32_t n = 1 + cw_rng_below(&rng, 8), to = cw_rng_below(&rng, PORTS), dice = cw_rng_below(&rng, 8);
            bool can = order == REFERENCE ? n <= space[i] : cw_crossbar_can_push(x, i, n, now);
            if (c > 2000 || sent == RANDOM || dice >= load || !can)
                continue;
            q[sent] = (struct traffic){.source = i, .to = to, .n = n, .pushed = c};
            pool[sent] = packet(to, n, sent);
            if (order == REFERENCE) {
                r.in[i].pkt[r.in[i].tail++ % 256] = sent;
                r.in[i].flits += n;
            } else
                cw_crossbar_push(x, i, &pool[sent], now);
            sent++;
        }
        for (uint32_t o = 0; o < PORTS; o++) {
            uint32_t dice = cw_rng_below(&rng, 8);
            struct cw_message *p = NULL;
            if (c <= 2000 && dice >= drain)
                continue;
            if (order != REFERENCE)
                p = cw_crossbar_pop(x, o, now);
            else if (r.out[o].head != r.out[o].tail && q[r.out[o].pkt[r.out[o].head % 256]].arrival <= c)
                p = &pool[r.out[o].pkt[r.out[o].head++ % 256]];
            if (p == NULL)
                continue;
            assert_int_equal(p->partition, o);
            q[p->tag].popped = c;
            freed[o] = p->flits;
        }
        if (order == CROSSBAR_LAST)
            edge(x, now);
        if (order == REFERENCE)
            flit_cycle(&r, q, c);
        for (uint32_t o = 0; o < PORTS; o++)
            r.out[o].reserved -= order == REFERENCE ? freed[o] : 0; /* seen after this cycle */
    }
    assert_true(cw_crossbar_idle(x));
    cw_crossbar_destroy(x);
    return sent;
}

static void test_crossbar__equals_flit_by_flit_reference_in_any_tick_order(void **state)
{
    (void)state;
    static struct traffic want[RANDOM], got[RANDOM];
    uint64_t seed = cw_test_seed(1);
    uint32_t checks = 0;
    for (uint32_t round = 0; round < 60; round++) {
        uint32_t sent = random_traffic(seed + round, REFERENCE, want);
        for (uint32_t i = 0; i < sent; i++)
            want[i].arrival = 0;
        for (enum order order = CROSSBAR_FIRST; order < REFERENCE; order++) {
            memset(got, 0, sizeof got);
            assert_int_equal(random_traffic(seed + round, order, got), sent);
            assert_memory_equal(got, want, sent * sizeof *got);
            checks += sent;
        }
    }
    print_message("%u packets compared\n", checks);
    assert_true(checks > 10000);
}

/* Between one source and one destination packets keep their order, with any load. */
static void test_crossbar__keeps_order_per_pair(void **state)
{
    (void)state;
    static struct traffic q[RANDOM];
    uint64_t seed = cw_test_seed(7);
    uint32_t sent = random_traffic(seed, CROSSBAR_FIRST, q), checks = 0;
    uint32_t last[PORTS][PORTS] = {{0}};
    for (uint32_t i = 0; i < sent; i++) {
        uint32_t *before = &last[q[i].source][q[i].to];
        assert_true(q[i].popped > *before);
        *before = q[i].popped;
        checks++;
    }
    assert_true(checks > 100);
}

static void test_crossbar__refuses_bad_sizes(void **state)
{
    (void)state;
    struct cw_crossbar *x;
    struct cw_error err;
    struct cw_crossbar_config c = {.inputs = 0,
                                   .outputs = 1,
                                   .inputs_per_port = 1,
                                   .outputs_per_port = 1,
                                   .latency_cycles = 1,
                                   .in_flits = 1,
                                   .out_flits = 1,
                                   .period = 1};
    assert_int_equal(cw_crossbar_create(&x, &c, &err), CW_EINVAL);
    c.inputs = 257;
    assert_int_equal(cw_crossbar_create(&x, &c, &err), CW_EINVAL);
    c.inputs = 256;
    assert_int_equal(cw_crossbar_create(&x, &c, &err), CW_OK);
    cw_crossbar_destroy(x);
    c.latency_cycles = 0;
    assert_int_equal(cw_crossbar_create(&x, &c, &err), CW_EINVAL);
    assert_null(x);
    c.latency_cycles = 1;
    c.inputs_per_link = 2;
    assert_int_equal(cw_crossbar_create(&x, &c, &err), CW_EINVAL); /* of no bytes */
    c.link_bytes = 32;
    c.inputs_per_port = 2;
    assert_int_equal(cw_crossbar_create(&x, &c, &err), CW_EINVAL);
}

/* The same words hold for outputs that are units. */
static int choose_units(void **state)
{
    (void)state;
    by_unit = true;
    return 0;
}

static int choose_itself(void **state)
{
    (void)state;
    by_unit = false;
    return 0;
}

static void test_crossbar__units_refuse_what_they_have_not(void **state)
{
    struct cw_crossbar *x;
    struct cw_error err;
    struct cw_crossbar_config c = {.inputs = 3,
                                   .outputs = 2,
                                   .inputs_per_port = 1,
                                   .outputs_per_port = 1,
                                   .latency_cycles = 256,
                                   .in_flits = 32,
                                   .out_flits = 32,
                                   .period = 1,
                                   .units = cw_unit_provider_c()};
    (void)state;
    assert_int_equal(cw_crossbar_create(&x, &c, &err), CW_EUNSUP);
    assert_string_equal(
        err.text,
        "noc.port_unit: crossbar_port: latency = 256 is outside 1..255 (cycles of a flit from input to buffer); set noc.port_unit=off");
    c.latency_cycles = 255;
    assert_int_equal(cw_crossbar_create(&x, &c, &err), CW_OK);
    cw_crossbar_destroy(x);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_crossbar__latency),
    cmocka_unit_test(test_crossbar__one_flit_per_cycle_and_port),
    cmocka_unit_test(test_crossbar__links_pass_their_bytes),
    cmocka_unit_test(test_crossbar__a_link_passes_one_packet_behind_the_other),
    cmocka_unit_test(test_crossbar__round_robin_is_fair),
    cmocka_unit_test(test_crossbar__back_pressure_counts_flits),
    cmocka_unit_test(test_crossbar__counts_traffic),
    cmocka_unit_test(test_crossbar__equals_flit_by_flit_reference_in_any_tick_order),
    cmocka_unit_test(test_crossbar__keeps_order_per_pair),
    cmocka_unit_test(test_crossbar__refuses_bad_sizes),
    cmocka_unit_test(test_crossbar__units_refuse_what_they_have_not),
#define OF_UNITS(NAME)                                                                          \
    {                                                                                           \
        "test_crossbar__units_" #NAME, test_crossbar__##NAME, choose_units, choose_itself, NULL \
    }
    OF_UNITS(latency),
    OF_UNITS(one_flit_per_cycle_and_port),
    OF_UNITS(links_pass_their_bytes),
    OF_UNITS(a_link_passes_one_packet_behind_the_other),
    OF_UNITS(round_robin_is_fair),
    OF_UNITS(back_pressure_counts_flits),
    OF_UNITS(counts_traffic),
    OF_UNITS(equals_flit_by_flit_reference_in_any_tick_order),
    OF_UNITS(keeps_order_per_pair),
};
CW_TEST_MAIN(tests)
