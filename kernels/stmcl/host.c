/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stmcl: clustering by local search. A candidate becomes a centre if points that move to it, and centres that close, save more than a
 * centre costs. The check keeps books of its own, point by point, and the two must agree after every candidate.
 */
#include <string.h>

#include "../session.h"

enum { N, DIMS, CANDIDATES };
static const struct cowarp_workload_param params[] = {
    [N] = {"n", 8192, 2, 1 << 20, "points"},
    [DIMS] = {"dims", 32, 1, 64, "dimensions"},
    [CANDIDATES] = {"candidates", 12, 1, 10000, "points that are tried as centres"},
};

#define THREADS 512u
#define RANGE   1024u /* of a coordinate */

/* One set of books: what each point pays, to which centre, and which centres would close for the candidate. */
struct books {
    uint32_t *cost, *centre, *price;
    uint8_t *switches, *closes;
};

struct stream {
    uint32_t n, dims;
    uint64_t centre_cost;
    int32_t *coordinates; /* dimension by dimension */
    uint32_t *weight;
    int64_t *saved; /* of a centre: what closing it would save */
    struct books host, gpu;
    uint64_t d_coordinates, d_weight, d_cost, d_centre, d_price, d_switches, d_closes;
};

/* Sixteen clouds, of different sizes. */
static void make_points(struct session *s, struct stream *p)
{
    p->coordinates = session_array(s, (uint64_t)p->n * p->dims, sizeof *p->coordinates);
    p->weight = session_array(s, p->n, sizeof *p->weight);
    p->saved = session_array(s, p->n, sizeof *p->saved);
    struct books *const b[2] = {&p->host, &p->gpu};
    for (uint32_t i = 0; i < 2; i++) {
        b[i]->cost = session_array(s, p->n, sizeof(uint32_t));
        b[i]->centre = session_array(s, p->n, sizeof(uint32_t));
        b[i]->price = session_array(s, p->n, sizeof(uint32_t));
        b[i]->switches = session_array(s, p->n, 1);
        b[i]->closes = session_array(s, p->n, 1);
    }
    for (uint32_t d = 0; s->status == 0 && d < p->dims; d++) {
        uint32_t middle[16];
        for (uint32_t i = 0; i < 16; i++)
            middle[i] = session_below(s, RANGE);
        for (uint32_t i = 0; i < p->n; i++)
            p->coordinates[(size_t)d * p->n + i] = (int32_t)(middle[i % 16] + session_below(s, 32 + 4 * (i % 16)));
    }
    for (uint32_t i = 0; s->status == 0 && i < p->n; i++)
        p->weight[i] = 1 + session_below(s, 8);
}

/* What the point pays for the candidate as its centre. */
static uint32_t price(const struct stream *p, uint32_t point, uint32_t candidate)
{
    int64_t sum = 0;
    for (uint32_t d = 0; d < p->dims; d++) {
        const int64_t delta = p->coordinates[(size_t)d * p->n + candidate] - p->coordinates[(size_t)d * p->n + point];
        sum += delta * delta;
    }
    return (uint32_t)(sum * p->weight[point]);
}

/* Whether the candidate is worth it, from a set of books with prices; marks the centres that close. */
static int worth(struct stream *p, struct books *b)
{
    int64_t gain = -(int64_t)p->centre_cost;
    memset(p->saved, 0, p->n * sizeof *p->saved);
    for (uint32_t i = 0; i < p->n; i++) {
        const int64_t change = (int64_t)b->price[i] - (int64_t)b->cost[i];
        if (b->switches[i])
            gain -= change;
        else
            p->saved[b->centre[i]] -= change;
        p->saved[i] += b->centre[i] == i ? (int64_t)p->centre_cost : 0;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        b->closes[i] = b->centre[i] == i && p->saved[i] > 0;
        gain += b->closes[i] ? p->saved[i] : 0;
    }
    return gain > 0;
}

static int try_on_host(struct stream *p, uint32_t candidate)
{
    struct books *const b = &p->host;
    for (uint32_t i = 0; i < p->n; i++) {
        b->price[i] = price(p, i, candidate);
        b->switches[i] = b->price[i] < b->cost[i];
    }
    const int taken = worth(p, b);
    for (uint32_t i = 0; taken && i < p->n; i++)
        if (b->switches[i] || b->closes[b->centre[i]]) {
            b->cost[i] = b->price[i];
            b->centre[i] = candidate;
        }
    return taken;
}

static int try_on_gpu(struct session *s, struct stream *p, uint32_t candidate)
{
    const uint32_t blocks = (p->n + THREADS - 1) / THREADS;
    struct books *const b = &p->gpu;
    session_launch(s, "gain", blocks, THREADS, COWARP_U64(p->d_coordinates), COWARP_U64(p->d_weight), COWARP_U32(p->n), COWARP_U32(p->dims),
                   COWARP_U32(candidate), COWARP_U64(p->d_cost), COWARP_U64(p->d_price), COWARP_U64(p->d_switches));
    session_read(s, b->price, p->d_price, p->n * sizeof *b->price);
    session_read(s, b->switches, p->d_switches, p->n);
    const int taken = worth(p, b);
    if (taken) {
        session_write(s, p->d_closes, b->closes, p->n);
        session_launch(s, "move", blocks, THREADS, COWARP_U32(p->n), COWARP_U32(candidate), COWARP_U64(p->d_price),
                       COWARP_U64(p->d_switches), COWARP_U64(p->d_closes), COWARP_U64(p->d_cost), COWARP_U64(p->d_centre));
    }
    session_read(s, b->cost, p->d_cost, p->n * sizeof *b->cost);
    session_read(s, b->centre, p->d_centre, p->n * sizeof *b->centre);
    return taken;
}

static void begin(struct session *s, struct stream *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        p->host.cost[i] = p->gpu.cost[i] = price(p, i, 0);
    for (uint32_t i = 0; i < p->n; i++)
        p->centre_cost += p->host.cost[i] / 16;
    p->d_coordinates = session_upload(s, p->coordinates, (uint64_t)p->n * p->dims * sizeof *p->coordinates);
    p->d_weight = session_upload(s, p->weight, p->n * sizeof *p->weight);
    p->d_cost = session_upload(s, p->gpu.cost, p->n * sizeof *p->gpu.cost);
    p->d_centre = session_upload(s, NULL, p->n * sizeof(uint32_t));
    p->d_price = session_upload(s, NULL, p->n * sizeof(uint32_t));
    p->d_switches = session_upload(s, NULL, p->n);
    p->d_closes = session_upload(s, NULL, p->n);
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    struct stream p = {.n = (uint32_t)x->param[N], .dims = (uint32_t)x->param[DIMS]};
    uint32_t taken = 0;
    session_open(&s, x);
    make_points(&s, &p);
    if (s.status == 0)
        begin(&s, &p);
    for (int64_t i = 0; s.status == 0 && i < x->param[CANDIDATES]; i++) {
        const uint32_t candidate = session_below(&s, p.n);
        const int on_gpu = try_on_gpu(&s, &p, candidate), on_host = try_on_host(&p, candidate);
        session_compare_u32(&s, "price of point", p.gpu.price, p.host.price, p.n);
        session_compare_u32(&s, "cost of point", p.gpu.cost, p.host.cost, p.n);
        session_compare_u32(&s, "centre of point", p.gpu.centre, p.host.centre, p.n);
        if (on_gpu != on_host)
            session_fail(&s, COWARP_ECHECK, "candidate %u was %s, and should not have been", candidate, on_gpu ? "taken" : "refused");
        taken += on_host != 0;
    }
    session_passed(&s, "%u points pay and choose right; %u of %d candidates were taken", p.n, taken, (int)x->param[CANDIDATES]);
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_stmcl = {
    .name = "stmcl",
    .folder = "stmcl",
    .what = "clustering of a stream of points (coherent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
