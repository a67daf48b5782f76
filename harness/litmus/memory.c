/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All states that PTX's memory model allows (PTX ISA, "Memory Consistency Model"). An execution is a choice of what each read reads, of an
 * order of the fences of kind sc, and of a coherence order of the writes to each place. The names of the relations and of the axioms are
 * the specification's. Of its parts these are left out: several proxies, accesses that overlap in part, and dependencies, since a test's
 * values are constants.
 *
 * A relation has a row of bits for each event: bit b of row a: a is related to b. What a place has at the beginning is no event; it is
 * before all writes to the place.
 */
#include <stdlib.h>
#include <string.h>

#include "litmus/litmus.h"

#define EVENTS  LITMUS_EVENTS
#define INITIAL EVENTS /* what a read reads when it reads no write of the test */

struct relation {
    uint16_t row[EVENTS];
};

struct execution {
    const struct litmus_test *t;
    struct litmus_allowed *allowed;
    uint32_t cnt;
    struct relation program, strong; /* program order; morally strong */
    uint16_t clique[1u << EVENTS];   /* sets of accesses to one place that are pairwise morally strong, none in another one */
    uint32_t cliques;
    /* the choice */
    uint32_t source[EVENTS];        /* of a read: the write, or INITIAL */
    uint32_t fence[EVENTS], fences; /* of kind sc, in their order */
    uint32_t rank[EVENTS];          /* of a write among those of its place */
    /* what follows from it */
    struct relation observation, causality, coherence, communication;
    bool out_of_memory;
};

/* ---- events ---- */

static const struct litmus_op *op_of(const struct execution *x, uint32_t e)
{
    return &x->t->op[e];
}

static bool is_fence(const struct litmus_op *op)
{
    return op->kind == LITMUS_MEMORY_FENCE;
}

static bool is_barrier(const struct litmus_op *op)
{
    return op->kind == LITMUS_MEMORY_BARRIER;
}

static bool reads(const struct litmus_op *op)
{
    return op->kind == LITMUS_MEMORY_LOAD || op->kind == LITMUS_MEMORY_EXCHANGE;
}

static bool writes(const struct litmus_op *op)
{
    return op->kind == LITMUS_MEMORY_STORE || op->kind == LITMUS_MEMORY_EXCHANGE;
}

static bool overlap(const struct litmus_op *a, const struct litmus_op *b)
{
    return (reads(a) || writes(a)) && (reads(b) || writes(b)) && a->place == b->place;
}

static bool acquires(const struct litmus_op *op)
{
    return reads(op) && (op->sem == LITMUS_ACQUIRE || op->sem == LITMUS_ACQ_REL);
}

static bool releases(const struct litmus_op *op)
{
    return writes(op) && (op->sem == LITMUS_RELEASING || op->sem == LITMUS_ACQ_REL);
}

static bool is_sc(const struct litmus_op *op)
{
    return is_fence(op) && op->sem == LITMUS_SC;
}

/* ---- relations ---- */

static bool related(const struct relation *r, uint32_t a, uint32_t b)
{
    return (r->row[a] >> b & 1) != 0;
}

static void relate(struct relation *r, uint32_t a, uint32_t b)
{
    r->row[a] = (uint16_t)(r->row[a] | 1u << b);
}

static void close_relation(struct relation *r, uint32_t cnt)
{
    for (uint32_t k = 0; k < cnt; k++)
        for (uint32_t i = 0; i < cnt; i++)
            if (related(r, i, k))
                r->row[i] |= r->row[k];
}

static bool has_cycle(const struct relation *r, uint32_t cnt)
{
    struct relation closed = *r;
    close_relation(&closed, cnt);
    for (uint32_t i = 0; i < cnt; i++)
        if (related(&closed, i, i))
            return true;
    return false;
}

/* "related in program order, or each is strong and has a scope that includes the other's thread"; accesses to the same bytes. */
static bool morally_strong(const struct litmus_test *t, const struct litmus_op *a, const struct litmus_op *b)
{
    const bool near = t->thread[a->thread].block == t->thread[b->thread].block;
    if (is_barrier(a) || is_barrier(b))
        return false;
    if (!is_fence(a) && !is_fence(b) && !overlap(a, b))
        return false;
    return a->thread == b->thread || (a->sem != LITMUS_WEAK && b->sem != LITMUS_WEAK && (near || (a->device && b->device)));
}

static bool is_clique(const struct execution *x, uint32_t set)
{
    for (uint32_t a = 0; a < x->cnt; a++)
        for (uint32_t b = a + 1; (set >> a & 1) != 0 && b < x->cnt; b++)
            if ((set >> b & 1) != 0 && (!overlap(op_of(x, a), op_of(x, b)) || !related(&x->strong, a, b)))
                return false;
    return true;
}

/* Larger sets come first. */
static void find_cliques(struct execution *x)
{
    for (uint32_t size = x->cnt; size > 1; size--)
        for (uint32_t set = 0; set < 1u << x->cnt; set++) {
            bool known = (uint32_t)__builtin_popcount(set) != size || !is_clique(x, set);
            for (uint32_t i = 0; i < x->cliques && !known; i++)
                known = (set & ~(uint32_t)x->clique[i]) == 0;
            if (!known)
                x->clique[x->cliques++] = (uint16_t)set;
        }
}

static void find_events(struct execution *x)
{
    x->cnt = x->t->op_cnt;
    for (uint32_t a = 0; a < x->cnt; a++) {
        for (uint32_t b = 0; b < x->cnt; b++) {
            if (a != b && morally_strong(x->t, op_of(x, a), op_of(x, b)))
                relate(&x->strong, a, b);
            if (a < b && op_of(x, a)->thread == op_of(x, b)->thread)
                relate(&x->program, a, b);
        }
        if (is_sc(op_of(x, a)))
            x->fence[x->fences++] = a;
    }
    find_cliques(x);
}

/* ---- observation, synchronisation, causality ---- */

static bool reads_from(const struct execution *x, uint32_t w, uint32_t r)
{
    return reads(op_of(x, r)) && x->source[r] == w;
}

/* A write and a read that returns its value, or that of a chain of atomics behind it. */
static void observe(struct execution *x)
{
    memset(&x->observation, 0, sizeof x->observation);
    for (uint32_t w = 0; w < x->cnt; w++)
        for (uint32_t r = 0; r < x->cnt; r++)
            if (reads_from(x, w, r) && related(&x->strong, w, r))
                relate(&x->observation, w, r);
    close_relation(&x->observation, x->cnt);
}

/* A release pattern: `first` is a release, or a fence, and `write` the same release, or a strong write behind it: to the release's place. */
static bool is_release_pattern(const struct execution *x, uint32_t first, uint32_t write)
{
    const struct litmus_op *f = op_of(x, first), *w = op_of(x, write);
    if (!writes(w) || (!is_fence(f) && !releases(f)))
        return false;
    if (first == write)
        return true;
    return related(&x->program, first, write) && w->sem != LITMUS_WEAK && (is_fence(f) || overlap(f, w));
}

/* The same of an acquire: `read` is strong, or itself the acquire `last`. */
static bool is_acquire_pattern(const struct execution *x, uint32_t read, uint32_t last)
{
    const struct litmus_op *r = op_of(x, read), *l = op_of(x, last);
    if (!reads(r) || (!is_fence(l) && !acquires(l)))
        return false;
    if (read == last)
        return true;
    return related(&x->program, read, last) && r->sem != LITMUS_WEAK && (is_fence(l) || overlap(r, l));
}

/* Whether a release pattern that begins with `first` synchronises with an acquire pattern that ends with `last`. */
static bool synchronises(const struct execution *x, uint32_t first, uint32_t last)
{
    if (!related(&x->strong, first, last))
        return false;
    for (uint32_t w = 0; w < x->cnt; w++)
        for (uint32_t r = 0; is_release_pattern(x, first, w) && r < x->cnt; r++)
            if (related(&x->observation, w, r) && is_acquire_pattern(x, r, last))
                return true;
    return false;
}

/* The number of a barrier among its thread's. */
static uint32_t round_of(const struct execution *x, uint32_t e)
{
    uint32_t cnt = 0;
    for (uint32_t k = 0; k < e; k++)
        cnt += is_barrier(op_of(x, k)) && op_of(x, k)->thread == op_of(x, e)->thread;
    return cnt;
}

/* "A synchronizes with B when they are barriers": what comes before one of them comes before what comes after the others that it meets. */
static bool meets(const struct execution *x, uint32_t a, uint32_t b)
{
    const struct litmus_op *p = op_of(x, a), *q = op_of(x, b);
    return is_barrier(p) && is_barrier(q) && p->thread != q->thread && x->t->thread[p->thread].block == x->t->thread[q->thread].block &&
           round_of(x, a) == round_of(x, b);
}

static void cause(struct execution *x)
{
    struct relation base = x->program;
    for (uint32_t a = 0; a < x->cnt; a++)
        for (uint32_t b = 0; b < x->cnt; b++)
            if (a != b && (synchronises(x, a, b) || meets(x, a, b)))
                relate(&base, a, b);
    for (uint32_t i = 0; i < x->fences; i++)
        for (uint32_t k = i + 1; k < x->fences; k++)
            if (related(&x->strong, x->fence[i], x->fence[k]))
                relate(&base, x->fence[i], x->fence[k]);
    close_relation(&base, x->cnt);
    x->causality = base;
    for (uint32_t a = 0; a < x->cnt; a++)
        for (uint32_t z = 0; z < x->cnt; z++)
            if (related(&x->observation, a, z))
                x->causality.row[a] |= base.row[z];
}

/* Axiom Fence-SC. */
static bool fences_agree(const struct execution *x)
{
    for (uint32_t i = 0; i < x->fences; i++)
        for (uint32_t k = 0; k < i; k++)
            if (related(&x->strong, x->fence[i], x->fence[k]) && related(&x->causality, x->fence[i], x->fence[k]))
                return false;
    return true;
}

/* ---- coherence and communication ---- */

static bool writes_one_place(const struct execution *x, uint32_t a, uint32_t b)
{
    return a != b && writes(op_of(x, a)) && writes(op_of(x, b)) && overlap(op_of(x, a), op_of(x, b));
}

/* Axiom Coherence; writes that race are in no order, whatever their ranks. */
static bool order_writes(struct execution *x)
{
    memset(&x->coherence, 0, sizeof x->coherence);
    for (uint32_t a = 0; a < x->cnt; a++)
        for (uint32_t b = 0; b < x->cnt; b++) {
            if (!writes_one_place(x, a, b))
                continue;
            const bool before = x->rank[a] < x->rank[b];
            if (related(&x->causality, a, b) && !before)
                return false;
            if (before && (related(&x->strong, a, b) || related(&x->causality, a, b)))
                relate(&x->coherence, a, b);
        }
    close_relation(&x->coherence, x->cnt);
    return true;
}

/* Whether the write that the read reads is before w in coherence order. */
static bool reads_before(const struct execution *x, uint32_t r, uint32_t w)
{
    const bool same = reads(op_of(x, r)) && writes(op_of(x, w)) && overlap(op_of(x, r), op_of(x, w)) && r != w;
    return same && (x->source[r] == INITIAL || related(&x->coherence, x->source[r], w));
}

static void communicate(struct execution *x)
{
    x->communication = x->coherence;
    for (uint32_t a = 0; a < x->cnt; a++)
        for (uint32_t b = 0; b < x->cnt; b++)
            if (reads_from(x, a, b) || reads_before(x, a, b))
                relate(&x->communication, a, b);
}

/* Axiom Atomicity: no write comes between the two halves of an atomic that is morally strong with it. */
static bool is_atomic(const struct execution *x)
{
    for (uint32_t a = 0; a < x->cnt; a++)
        for (uint32_t w = 0; op_of(x, a)->kind == LITMUS_MEMORY_EXCHANGE && w < x->cnt; w++)
            if (related(&x->strong, a, w) && reads_before(x, a, w) && related(&x->coherence, w, a))
                return false;
    return true;
}

/* Axiom SC-per-location. */
static bool is_sc_per_location(const struct execution *x)
{
    for (uint32_t i = 0; i < x->cliques; i++) {
        struct relation r = {{0}};
        for (uint32_t a = 0; a < x->cnt; a++)
            if ((x->clique[i] >> a & 1) != 0)
                r.row[a] = (x->program.row[a] | x->communication.row[a]) & x->clique[i];
        if (has_cycle(&r, x->cnt))
            return false;
    }
    return true;
}

/* Axiom Causality. */
static bool is_causal(const struct execution *x)
{
    for (uint32_t r = 0; r < x->cnt; r++)
        for (uint32_t w = 0; reads(op_of(x, r)) && w < x->cnt; w++) {
            if (reads_from(x, w, r) && related(&x->causality, r, w))
                return false;
            if (writes(op_of(x, w)) && related(&x->causality, w, r) && reads_before(x, r, w))
                return false;
        }
    return true;
}

/* ---- all executions ---- */

static void add_state(struct execution *x)
{
    struct litmus_state s = {{0}, {0}};
    uint32_t last[LITMUS_PLACES] = {0};
    if (!order_writes(x))
        return;
    communicate(x);
    if (!is_atomic(x) || !is_sc_per_location(x) || !is_causal(x))
        return;
    for (uint32_t e = 0; e < x->cnt; e++) {
        const struct litmus_op *op = op_of(x, e);
        if (reads(op))
            s.read[op->read] = x->source[e] == INITIAL ? 0 : op_of(x, x->source[e])->value;
        if (writes(op) && litmus_is_told(x->t, op->place) && x->rank[e] >= last[op->place]) {
            last[op->place] = x->rank[e];
            s.place[op->place] = op->value;
        }
    }
    x->out_of_memory |= !litmus_add_state(x->allowed, &s);
}

/* Every rank for the writes from this one on: it is put among those of its place that have one. */
static void rank_writes(struct execution *x, uint32_t e)
{
    uint32_t others = 0;
    while (e < x->cnt && !writes(op_of(x, e)))
        e++;
    if (e == x->cnt) {
        add_state(x);
        return;
    }
    for (uint32_t k = 0; k < e; k++)
        others += writes_one_place(x, k, e);
    for (uint32_t at = 0; at <= others && !x->out_of_memory; at++) {
        for (uint32_t k = 0; k < e; k++)
            x->rank[k] += writes_one_place(x, k, e) && x->rank[k] >= at;
        x->rank[e] = at;
        rank_writes(x, e + 1);
        for (uint32_t k = 0; k < e; k++)
            x->rank[k] -= writes_one_place(x, k, e) && x->rank[k] > at;
    }
}

static void swap_fences(struct execution *x, uint32_t a, uint32_t b)
{
    const uint32_t f = x->fence[a];
    x->fence[a] = x->fence[b];
    x->fence[b] = f;
}

/* Every order of the fences from this one on. */
static void order_fences(struct execution *x, uint32_t at)
{
    if (at + 1 >= x->fences) {
        cause(x);
        if (fences_agree(x))
            rank_writes(x, 0);
        return;
    }
    for (uint32_t k = at; k < x->fences && !x->out_of_memory; k++) {
        swap_fences(x, at, k);
        order_fences(x, at + 1);
        swap_fences(x, at, k);
    }
}

/* Every source of the reads from this one on. */
static void choose_sources(struct execution *x, uint32_t e)
{
    while (e < x->cnt && !reads(op_of(x, e)))
        e++;
    if (e == x->cnt) {
        observe(x);
        order_fences(x, 0);
        return;
    }
    for (uint32_t w = 0; w <= x->cnt && !x->out_of_memory; w++) {
        x->source[e] = w == x->cnt ? INITIAL : w;
        if (w == x->cnt || (w != e && writes(op_of(x, w)) && overlap(op_of(x, w), op_of(x, e))))
            choose_sources(x, e + 1);
    }
}

bool litmus_enumerate_memory(struct litmus_allowed *a, const struct litmus_test *t)
{
    struct execution *x = calloc(1, sizeof *x);
    if (x == NULL)
        return false;
    x->t = t;
    x->allowed = a;
    find_events(x);
    choose_sources(x, 0);
    const bool ok = !x->out_of_memory;
    free(x);
    return ok;
}
