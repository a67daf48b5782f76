/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All states that Box 2 allows. It builds the persist memory order of each execution, that is of each choice of what the reads read, and
 * takes every set of writes that is closed under it: with a write, all that are ordered before it. Of the writes to one place in the set,
 * one that no other one of the set comes after in that order may be the last.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "litmus/litmus.h"

/* Operations, and behind each release to a persistent place its write as one of its own: what the release orders, it does not order
 * before what follows the acquire. */
#define NODES (2 * LITMUS_OPS)

struct node {
    struct litmus_op op; /* the write of a release is a LITMUS_WRITE */
    bool own;            /* it is such a write */
};

struct execution {
    const struct litmus_test *t;
    struct node node[NODES];
    uint32_t cnt;
    bool before[NODES][NODES];                /* [a][b]: a before b */
    uint32_t write[LITMUS_WRITES], write_cnt; /* nodes */
    struct litmus_state state;
};

static void list_nodes(struct execution *x)
{
    for (uint32_t i = 0; i < x->t->op_cnt; i++) {
        const struct litmus_op *op = &x->t->op[i];
        x->node[x->cnt++] = (struct node){.op = *op};
        if (op->kind == LITMUS_RELEASE && x->t->place[op->place].space == LITMUS_PERSISTENT) {
            x->node[x->cnt] = (struct node){.op = *op, .own = true};
            x->node[x->cnt++].op.kind = LITMUS_WRITE;
        }
    }
    for (uint32_t i = 0; i < x->cnt; i++)
        if (x->node[i].op.kind == LITMUS_WRITE)
            x->write[x->write_cnt++] = i;
}

/* A fence of PTX of block scope may order persists, and need not. */
static bool is_fence(const struct litmus_op *op)
{
    return op->kind == LITMUS_OFENCE || op->kind == LITMUS_DFENCE || (op->kind == LITMUS_FENCE && op->device);
}

static bool is_acquire(const struct litmus_op *op)
{
    return op->kind == LITMUS_WAIT || op->kind == LITMUS_READ;
}

static bool is_write(const struct litmus_op *op)
{
    return op->kind == LITMUS_WRITE || op->kind == LITMUS_RELEASE;
}

static bool scopes_include_both(const struct litmus_test *t, const struct litmus_op *a, const struct litmus_op *b)
{
    return t->thread[a->thread].block == t->thread[b->thread].block || (a->device && b->device);
}

/* Has a result. */
static bool is_read(const struct litmus_op *op)
{
    return op->kind == LITMUS_READ || op->kind == LITMUS_LOAD;
}

static uint64_t value_read(const struct execution *x, const struct litmus_op *op)
{
    return op->kind == LITMUS_WAIT ? op->value : x->state.read[op->read];
}

/* Of a and b, in this order in one thread. */
static bool ordered_in_thread(const struct node *a, const struct node *b)
{
    if (a->op.kind == LITMUS_RELEASE) /* it orders what comes before it, not what comes after it */
        return b->own && b == a + 1;
    if (a->op.kind == LITMUS_WRITE && b->op.kind == LITMUS_WRITE)
        return a->op.place == b->op.place; /* as memory orders them */
    return is_fence(&a->op) || is_acquire(&a->op) || is_fence(&b->op) || b->op.kind == LITMUS_RELEASE;
}

/* Whether the write, which may be that of a release, is the one whose value is read. */
static bool reads_from(const struct execution *x, const struct litmus_op *write, const struct litmus_op *read)
{
    const bool reads = is_acquire(read) || read->kind == LITMUS_LOAD;
    return is_write(write) && reads && write->place == read->place && write->value == value_read(x, read);
}

/* Only a release hands its thread's writes over. */
static bool synchronises(const struct execution *x, const struct litmus_op *release, const struct litmus_op *acquire)
{
    return release->kind == LITMUS_RELEASE && is_acquire(acquire) && reads_from(x, release, acquire) &&
           scopes_include_both(x->t, release, acquire);
}

static void close_order(struct execution *x)
{
    for (uint32_t k = 0; k < x->cnt; k++)
        for (uint32_t i = 0; i < x->cnt; i++)
            for (uint32_t j = 0; x->before[i][k] && j < x->cnt; j++)
                x->before[i][j] |= x->before[k][j];
}

/* Whether there is such an execution: nobody reads what is written only after, and because of, this read; and a thread does not miss its
 * own write. Nothing waits for a load. */
static bool is_possible(struct execution *x)
{
    memset(x->before, 0, sizeof x->before);
    for (uint32_t i = 0; i < x->cnt; i++)
        for (uint32_t j = 0; j < x->cnt; j++) {
            const struct litmus_op *a = &x->node[i].op, *b = &x->node[j].op;
            const bool earlier = a->thread == b->thread && i < j;
            if (earlier && is_write(a) && is_read(b) && a->place == b->place && value_read(x, b) == 0)
                return false;
            x->before[i][j] = (earlier && a->kind != LITMUS_LOAD) || reads_from(x, a, b);
        }
    close_order(x);
    for (uint32_t i = 0; i < x->cnt; i++)
        if (x->before[i][i])
            return false;
    return true;
}

/* Box 2. */
static void order(struct execution *x)
{
    memset(x->before, 0, sizeof x->before);
    for (uint32_t i = 0; i < x->cnt; i++)
        for (uint32_t j = 0; j < x->cnt; j++) {
            const struct node *a = &x->node[i], *b = &x->node[j];
            const bool in_thread = a->op.thread == b->op.thread && i < j && ordered_in_thread(a, b);
            x->before[i][j] = in_thread || synchronises(x, &a->op, &b->op);
        }
    close_order(x);
}

static bool is_last(const struct execution *x, uint32_t set, uint32_t w)
{
    for (uint32_t k = 0; k < x->write_cnt; k++)
        if ((set >> k & 1) != 0 && x->node[x->write[k]].op.place == x->node[x->write[w]].op.place && x->before[x->write[w]][x->write[k]])
            return false;
    return true;
}

/* Every choice of a last write for the places from this one on. */
static bool add_choices(struct execution *x, struct litmus_allowed *a, uint32_t set, uint32_t place)
{
    bool any = false, ok = true;
    if (place == x->t->place_cnt)
        return litmus_add_state(a, &x->state);
    for (uint32_t k = 0; ok && k < x->write_cnt; k++) {
        const struct litmus_op *w = &x->node[x->write[k]].op;
        if ((set >> k & 1) == 0 || w->place != place || !is_last(x, set, k))
            continue;
        any = true;
        x->state.place[place] = w->value;
        ok = add_choices(x, a, set, place + 1);
    }
    x->state.place[place] = 0;
    return any ? ok : add_choices(x, a, set, place + 1);
}

static bool is_closed(const struct execution *x, uint32_t set)
{
    for (uint32_t k = 0; k < x->write_cnt; k++)
        for (uint32_t i = 0; (set >> k & 1) != 0 && i < x->write_cnt; i++)
            if (x->before[x->write[i]][x->write[k]] && (set >> i & 1) == 0)
                return false;
    return true;
}

/* Every value for the reads from this one on. */
static bool add_executions(struct execution *x, struct litmus_allowed *a, uint32_t read)
{
    const struct litmus_test *t = x->t;
    bool ok = true;
    if (read < t->read_cnt) {
        uint32_t place = 0;
        for (uint32_t i = 0; i < t->op_cnt; i++)
            if (is_read(&t->op[i]) && t->op[i].read == read)
                place = t->op[i].place;
        x->state.read[read] = 0;
        ok = add_executions(x, a, read + 1);
        for (uint32_t i = 0; ok && i < t->op_cnt; i++)
            if (is_write(&t->op[i]) && t->op[i].place == place) {
                x->state.read[read] = t->op[i].value;
                ok = add_executions(x, a, read + 1);
            }
        return ok;
    }
    if (!is_possible(x))
        return true;
    order(x);
    for (uint32_t set = 0; ok && set < 1u << x->write_cnt; set++)
        ok = !is_closed(x, set) || add_choices(x, a, set, 0);
    return ok;
}

static bool enumerate_persists(struct litmus_allowed *a, const struct litmus_test *t)
{
    struct execution *x = calloc(1, sizeof *x);
    bool ok = x != NULL;
    if (ok) {
        x->t = t;
        list_nodes(x);
        ok = add_executions(x, a, 0);
    }
    free(x);
    return ok;
}

int litmus_enumerate(struct litmus_allowed *a, const struct litmus_test *t, struct cw_error *err)
{
    *a = (struct litmus_allowed){0};
    int status = CW_OK;
    if (t->memory)
        status = litmus_enumerate_memory(a, t, err);
    else if (!enumerate_persists(a, t))
        status = cw_fail(err, CW_ENOMEM, "%s: out of host memory", t->name);
    return status == CW_OK ? litmus_conclude(a, t, err) : status;
}
