/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All states that PTX's memory model allows (PTX ISA, "Memory Consistency Model"). An execution is a choice of what each read reads, of an
 * order of the fences of kind sc, and of a coherence order of the writes to each place. The names of the relations and of the axioms are
 * the specification's.
 *
 * An event is a piece of an access: of one element of a vector, and of those bytes of it that no access of the test has in part. Elements of
 * a vector are in no order. Pieces of accesses of other sizes are not morally strong; if they race, the axioms say nothing, and the test is
 * refused. A load through the texture proxy is ordered with nothing, since no test has a fence of that proxy. An address that depends on a
 * read stands for two accesses, of which one is done.
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

struct event {
    uint8_t op;
    uint8_t element, first, last; /* of the vector; bytes of the place: the piece's first one, and the one behind it */
    uint8_t begin, end;           /* the same of the whole element */
    uint8_t chosen;               /* with an index: 1 + that for which this is the access */
};

struct execution {
    const struct litmus_test *t;
    struct litmus_allowed *allowed;
    struct event event[EVENTS];
    uint32_t cnt;
    bool too_many, races;            /* more than EVENTS; accesses of other sizes race in some execution */
    struct relation program, strong; /* program order; morally strong */
    uint16_t clique[1u << EVENTS];   /* sets of accesses to one place that are pairwise morally strong, none in another one */
    uint32_t cliques;
    /* the choice */
    uint32_t source[EVENTS];        /* of a read: the write, or INITIAL */
    uint32_t fence[EVENTS], fences; /* of kind sc, in their order */
    uint32_t rank[EVENTS];          /* of a write among those of its place */
    bool idle[EVENTS];              /* it depends on a read that has another value: it is not done */
    uint64_t value[EVENTS];         /* read or written, as bytes of the place from the piece's first one on */
    /* what follows from it */
    struct relation observation, causality, coherence, communication;
    bool out_of_memory;
};

/* ---- events ---- */

static const struct litmus_op *op_of(const struct execution *x, uint32_t e)
{
    return &x->t->op[x->event[e].op];
}

static bool is_fence(const struct litmus_op *op)
{
    return op->kind == LITMUS_MEMORY_FENCE;
}

static bool is_barrier(const struct litmus_op *op)
{
    return op->kind == LITMUS_MEMORY_BARRIER;
}

static bool reads(const struct execution *x, uint32_t e)
{
    return !x->idle[e] && (op_of(x, e)->kind == LITMUS_MEMORY_LOAD || op_of(x, e)->kind == LITMUS_MEMORY_EXCHANGE);
}

static bool writes(const struct execution *x, uint32_t e)
{
    return !x->idle[e] && (op_of(x, e)->kind == LITMUS_MEMORY_STORE || op_of(x, e)->kind == LITMUS_MEMORY_EXCHANGE);
}

/* Pieces are the same bytes, or none in common. */
static bool overlap(const struct execution *x, uint32_t a, uint32_t b)
{
    return (reads(x, a) || writes(x, a)) && (reads(x, b) || writes(x, b)) && op_of(x, a)->place == op_of(x, b)->place &&
           x->event[a].first == x->event[b].first;
}

/* "Completely": pieces of elements that are the same bytes. */
static bool is_whole(const struct execution *x, uint32_t a, uint32_t b)
{
    return x->event[a].begin == x->event[b].begin && x->event[a].end == x->event[b].end;
}

static bool acquires(const struct execution *x, uint32_t e)
{
    return reads(x, e) && (op_of(x, e)->sem == LITMUS_ACQUIRE || op_of(x, e)->sem == LITMUS_ACQ_REL);
}

static bool releases(const struct execution *x, uint32_t e)
{
    return writes(x, e) && (op_of(x, e)->sem == LITMUS_RELEASING || op_of(x, e)->sem == LITMUS_ACQ_REL);
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
static bool morally_strong(const struct execution *x, uint32_t first, uint32_t second)
{
    const struct litmus_op *a = op_of(x, first), *b = op_of(x, second);
    const bool near = x->t->thread[a->thread].block == x->t->thread[b->thread].block;
    if (is_barrier(a) || is_barrier(b) || a->texture || b->texture)
        return false;
    if (!is_fence(a) && !is_fence(b) && (!overlap(x, first, second) || !is_whole(x, first, second)))
        return false;
    return a->thread == b->thread || (a->sem != LITMUS_WEAK && b->sem != LITMUS_WEAK && (near || (a->device && b->device)));
}

static bool is_clique(const struct execution *x, uint32_t set)
{
    for (uint32_t a = 0; a < x->cnt; a++)
        for (uint32_t b = a + 1; (set >> a & 1) != 0 && b < x->cnt; b++)
            if ((set >> b & 1) != 0 && (!overlap(x, a, b) || !related(&x->strong, a, b)))
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

static bool is_access(const struct litmus_op *op)
{
    return !is_fence(op) && !is_barrier(op);
}

static uint32_t bytes_of(const struct litmus_op *op)
{
    return op->bytes != 0 ? op->bytes : 4;
}

/* Whether the access, with that index, has an element that begins or ends at that byte. */
static bool has_end(const struct litmus_op *op, uint32_t at)
{
    const uint32_t lanes = op->lanes != 0 ? op->lanes : 1, begin = op->offset;
    const uint32_t end = begin + (lanes + (op->index != 0)) * bytes_of(op);
    return at >= begin && at <= end && (at - begin) % bytes_of(op) == 0;
}

/* The end of the piece that begins there: where an element of some access of the place begins or ends. */
static uint32_t piece_end(const struct litmus_test *t, uint32_t place, uint32_t at)
{
    for (at++; at < LITMUS_EXTENT; at++)
        for (uint32_t i = 0; i < t->op_cnt; i++)
            if (is_access(&t->op[i]) && t->op[i].place == place && has_end(&t->op[i], at))
                return at;
    return at;
}

static void add_event(struct execution *x, struct event e)
{
    x->too_many |= x->cnt == EVENTS;
    if (!x->too_many)
        x->event[x->cnt++] = e;
}

static void add_pieces(struct execution *x, uint32_t i, uint32_t element, uint32_t chosen)
{
    const struct litmus_op *op = &x->t->op[i];
    const uint32_t begin = op->offset + (element + (chosen != 0 ? chosen - 1 : 0)) * bytes_of(op), end = begin + bytes_of(op);
    for (uint32_t at = begin, next; at < end; at = next) {
        next = piece_end(x->t, op->place, at);
        add_event(x, (struct event){.op = (uint8_t)i,
                                    .element = (uint8_t)element,
                                    .first = (uint8_t)at,
                                    .last = (uint8_t)next,
                                    .begin = (uint8_t)begin,
                                    .end = (uint8_t)end,
                                    .chosen = (uint8_t)chosen});
    }
}

static void cut(struct execution *x)
{
    for (uint32_t i = 0; i < x->t->op_cnt; i++) {
        const struct litmus_op *op = &x->t->op[i];
        if (!is_access(op))
            add_event(x, (struct event){.op = (uint8_t)i});
        else if (op->index != 0)
            for (uint32_t chosen = 1; chosen <= 2; chosen++)
                add_pieces(x, i, 0, chosen);
        else
            for (uint32_t element = 0; element < (op->lanes != 0 ? op->lanes : 1u); element++)
                add_pieces(x, i, element, 0);
    }
}

static void find_events(struct execution *x)
{
    for (uint32_t a = 0; a < x->cnt; a++) {
        for (uint32_t b = 0; b < x->cnt; b++) {
            if (a != b && morally_strong(x, a, b))
                relate(&x->strong, a, b);
            if (x->event[a].op < x->event[b].op && op_of(x, a)->thread == op_of(x, b)->thread)
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
    return reads(x, r) && x->source[r] == w;
}

static uint64_t value_read(const struct execution *x, uint32_t r)
{
    return x->source[r] == INITIAL ? 0 : x->value[x->source[r]];
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
    if (!writes(x, write) || (!is_fence(f) && !releases(x, first)))
        return false;
    if (first == write)
        return true;
    return related(&x->program, first, write) && w->sem != LITMUS_WEAK && (is_fence(f) || overlap(x, first, write));
}

/* The same of an acquire: `read` is strong, or itself the acquire `last`. */
static bool is_acquire_pattern(const struct execution *x, uint32_t read, uint32_t last)
{
    const struct litmus_op *r = op_of(x, read), *l = op_of(x, last);
    if (!reads(x, read) || (!is_fence(l) && !acquires(x, last)))
        return false;
    if (read == last)
        return true;
    return related(&x->program, read, last) && r->sem != LITMUS_WEAK && (is_fence(l) || overlap(x, read, last));
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
    for (uint32_t e = 0; e < x->cnt; e++) /* another proxy */
        for (uint32_t z = 0; z < x->cnt; z++)
            if (op_of(x, e)->texture || op_of(x, z)->texture)
                x->causality.row[e] = (uint16_t)(x->causality.row[e] & ~(1u << z));
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
    return a != b && writes(x, a) && writes(x, b) && overlap(x, a, b);
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
    const bool same = reads(x, r) && writes(x, w) && overlap(x, r, w) && r != w;
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
        for (uint32_t w = 0; reads(x, r) && w < x->cnt; w++) {
            if (reads_from(x, w, r) && related(&x->causality, r, w))
                return false;
            if (writes(x, w) && related(&x->causality, w, r) && reads_before(x, r, w))
                return false;
        }
    return true;
}

/* ---- all executions ---- */

/* Accesses of other sizes that no order keeps apart, one of them a write. */
static bool has_mixed_race(const struct execution *x)
{
    for (uint32_t a = 0; a < x->cnt; a++)
        for (uint32_t b = 0; b < a; b++)
            if (overlap(x, a, b) && (writes(x, a) || writes(x, b)) && !is_whole(x, a, b) && !related(&x->causality, a, b) &&
                !related(&x->causality, b, a))
                return true;
    return false;
}

/* Whether the operation says anything between all threads of the test. */
static bool is_wide(const struct execution *x, uint32_t e)
{
    for (uint32_t k = 0; k < x->t->thread_cnt; k++)
        if (!op_of(x, e)->device && x->t->thread[k].block != x->t->thread[op_of(x, e)->thread].block)
            return false;
    return true;
}

/* Whether what is between two accesses of a thread keeps b behind a. */
static bool separates(const struct execution *x, uint32_t a, uint32_t between, uint32_t b)
{
    const struct litmus_op *op = op_of(x, between);
    if (!related(&x->program, a, between) || !related(&x->program, between, b))
        return false;
    return is_barrier(op) || (is_fence(op) && is_wide(x, between) && (op->sem == LITMUS_SC || reads(x, a) || writes(x, b)));
}

/* Whether a machine on which each store is performed for all at once performs b behind a, which is before it in its thread. */
static bool is_kept(const struct execution *x, uint32_t a, uint32_t b)
{
    bool kept = (acquires(x, a) && is_wide(x, a)) || (releases(x, b) && is_wide(x, b));
    if (overlap(x, a, b) && !op_of(x, b)->texture)
        kept |= writes(x, a) || writes(x, b) || (op_of(x, a)->sem != LITMUS_WEAK && op_of(x, b)->sem != LITMUS_WEAK);
    for (uint32_t k = 0; k < x->cnt && !kept && !op_of(x, b)->texture; k++)
        kept = separates(x, a, k, b);
    return kept;
}

static bool is_between_accesses(const struct execution *x, uint32_t a, uint32_t b)
{
    return related(&x->program, a, b) && (reads(x, a) || writes(x, a)) && (reads(x, b) || writes(x, b));
}

/* The order in which accesses are performed, as far as the machine above has no choice. */
static void find_performed(const struct execution *x, struct relation *all)
{
    *all = x->communication;
    for (uint32_t a = 0; a < x->cnt; a++)
        for (uint32_t b = 0; b < x->cnt; b++)
            if ((is_between_accesses(x, a, b) && is_kept(x, a, b)) || (writes_one_place(x, a, b) && x->rank[a] < x->rank[b]))
                relate(all, a, b);
}

/* What a machine needs for this execution: program order is added to that order edge by edge, and the first that does not fit is told. */
static void find_needs(const struct execution *x, struct litmus_state *s)
{
    struct relation all;
    find_performed(x, &all);
    s->needs = has_cycle(&all, x->cnt) ? LITMUS_NEEDS_VIEWS : LITMUS_NEEDS_NOTHING;
    for (uint32_t a = 0; a < x->cnt && s->needs == LITMUS_NEEDS_NOTHING; a++)
        for (uint32_t b = 0; b < x->cnt && s->needs == LITMUS_NEEDS_NOTHING; b++) {
            struct relation more = all;
            if (!is_between_accesses(x, a, b))
                continue;
            relate(&more, a, b);
            if (!has_cycle(&more, x->cnt))
                all = more;
            else {
                s->needs = LITMUS_NEEDS_LATE;
                s->late = x->event[a].op;
                s->first = x->event[b].op;
            }
        }
}

/* Of a write: whether it is the last one of its piece. */
static bool is_last(const struct execution *x, uint32_t e)
{
    for (uint32_t k = 0; k < x->cnt; k++)
        if (writes_one_place(x, k, e) && x->rank[k] > x->rank[e])
            return false;
    return writes(x, e);
}

static void add_state(struct execution *x)
{
    struct litmus_state s = {{0}, {0}, 0, 0, 0};
    if (!order_writes(x))
        return;
    communicate(x);
    if (!is_atomic(x) || !is_sc_per_location(x) || !is_causal(x))
        return;
    x->races |= has_mixed_race(x);
    find_needs(x, &s);
    for (uint32_t e = 0; e < x->cnt; e++) {
        const struct litmus_op *op = op_of(x, e);
        const struct event *v = &x->event[e];
        if (reads(x, e))
            s.read[op->read + v->element] |= value_read(x, e) << 8 * (v->first - v->begin);
        if (is_last(x, e) && litmus_is_told(x->t, op->place) && v->first < 8)
            s.place[op->place] |= x->value[e] << 8 * v->first;
    }
    x->out_of_memory |= !litmus_add_state(x->allowed, &s);
}

/* Every rank for the writes from this one on: it is put among those of its place that have one. */
static void rank_writes(struct execution *x, uint32_t e)
{
    uint32_t others = 0;
    while (e < x->cnt && !writes(x, e))
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

/* What an operation depends on. */
enum knowledge { UNKNOWN, IDLE, DONE };

/* The value of a result, when all that make it are known. */
static bool find_result(const struct execution *x, const uint8_t *known, uint32_t read, uint64_t *value)
{
    *value = 0;
    for (uint32_t e = 0; e < x->cnt; e++) {
        const struct litmus_op *op = op_of(x, e);
        const bool load = op->kind == LITMUS_MEMORY_LOAD || op->kind == LITMUS_MEMORY_EXCHANGE;
        if (!load || op->read + x->event[e].element != read)
            continue;
        if (known[e] == UNKNOWN || (x->source[e] != INITIAL && known[x->source[e]] == UNKNOWN))
            return false;
        if (known[e] == DONE)
            *value |= value_read(x, e) << 8 * (x->event[e].first - x->event[e].begin);
    }
    return true;
}

static uint64_t piece(const struct event *v, uint64_t value)
{
    const uint32_t bits = 8u * (v->last - v->first);
    return value >> 8 * (v->first - v->begin) & (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1);
}

/* Whether the event is done, and what it writes. */
static uint8_t settle_one(struct execution *x, const uint8_t *known, uint32_t e)
{
    const struct litmus_op *op = op_of(x, e);
    const struct event *v = &x->event[e];
    uint64_t guard = op->guard_value, index = v->chosen, stored = v->element == 0 ? op->value : op->more[v->element - 1];
    if ((op->guard != 0 && !find_result(x, known, op->guard - 1u, &guard)) ||
        (op->index != 0 && !find_result(x, known, op->index - 1u, &index)) ||
        (op->data != 0 && !find_result(x, known, op->data - 1u, &stored)))
        return UNKNOWN;
    if (guard != op->guard_value || (op->index != 0 && index + 1 != v->chosen))
        return IDLE;
    x->value[e] = piece(v, stored);
    return op->kind == LITMUS_MEMORY_LOAD && x->source[e] != INITIAL && known[x->source[e]] == UNKNOWN ? UNKNOWN : DONE;
}

/* Works out the values that the choice gives. false: a value would come out of thin air, or what is not done takes part. */
static bool settle(struct execution *x)
{
    uint8_t known[EVENTS] = {UNKNOWN};
    for (bool more = true; more;) {
        more = false;
        for (uint32_t e = 0; e < x->cnt; e++) {
            const uint8_t now = known[e] == UNKNOWN ? settle_one(x, known, e) : known[e];
            more |= now != known[e];
            known[e] = now;
        }
    }
    for (uint32_t e = 0; e < x->cnt; e++) {
        const bool taken = reads(x, e) && x->source[e] != INITIAL;
        if (known[e] == UNKNOWN || (taken && (known[e] == IDLE || known[x->source[e]] == IDLE)))
            return false;
    }
    for (uint32_t e = 0; e < x->cnt; e++)
        x->idle[e] = known[e] == IDLE;
    return true;
}

/* Every source of the reads from this one on. */
static void choose_sources(struct execution *x, uint32_t e)
{
    while (e < x->cnt && !reads(x, e))
        e++;
    if (e == x->cnt) {
        if (settle(x)) {
            observe(x);
            order_fences(x, 0);
        }
        memset(x->idle, 0, sizeof x->idle);
        return;
    }
    for (uint32_t w = 0; w <= x->cnt && !x->out_of_memory; w++) {
        x->source[e] = w == x->cnt ? INITIAL : w;
        if (w == x->cnt || (w != e && writes(x, w) && overlap(x, w, e)))
            choose_sources(x, e + 1);
    }
}

int litmus_enumerate_memory(struct litmus_allowed *a, const struct litmus_test *t, struct cw_error *err)
{
    struct execution *x = calloc(1, sizeof *x);
    int status = CW_OK;
    if (x == NULL)
        return cw_fail(err, CW_ENOMEM, "%s: out of host memory", t->name);
    x->t = t;
    x->allowed = a;
    cut(x);
    if (x->too_many)
        status = cw_fail(err, CW_EINVAL, "%s: accesses of different sizes and vectors are more than %u pieces", t->name, EVENTS);
    if (status == CW_OK) {
        find_events(x);
        choose_sources(x, 0);
    }
    if (status == CW_OK && x->out_of_memory)
        status = cw_fail(err, CW_ENOMEM, "%s: out of host memory", t->name);
    if (status == CW_OK && x->races)
        status =
            cw_fail(err, CW_EINVAL, "%s: accesses of different sizes race, of which PTX says nothing; order them, as by 'if'", t->name);
    free(x);
    return status;
}
