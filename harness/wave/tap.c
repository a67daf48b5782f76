/* SPDX-License-Identifier: Apache-2.0 */
#include "wave/tap.h"

#include <stdlib.h>
#include <string.h>

#include "base/state.h"

struct cw_taps {
    const struct cw_unit_provider *inner;
    struct cw_tap **tap;
    uint32_t cnt;
    void (*before)(void *context);
    void *context;
    void (*op)(void *context, const struct cw_tap *tap, enum cw_tap_op op, const void *in);
    void *op_context;
    bool (*hold)(const void *context);
    const void *hold_context;
    const struct cw_tap_rewind *rewind;
    void *rewind_context;
};

static void note(const struct cw_tap *t, enum cw_tap_op op, const void *in)
{
    if (t->taps->op != NULL)
        t->taps->op(t->taps->op_context, t, op, in);
}

static void finish_cycle(struct cw_tap *t)
{
    if (t->edge_due || t->ahead)
        note(t, CW_TAP_TICK, t->in);
    if (t->ahead)
        t->taps->rewind->again(t->taps->rewind_context, t);
    else if (t->edge_due)
        t->inner.ops->tick(t->inner.self, t->in);
    t->edge_due = t->ahead = false;
}

static void tap_destroy(void *self)
{
    struct cw_tap *t = self;
    t->inner.ops->destroy(t->inner.self);
    t->inner.self = NULL; /* the tap itself lives as long as its list: a trace may still look at the last values */
    t->edge_due = t->ahead = false;
}

static void tap_reset(void *self)
{
    struct cw_tap *t = self;
    finish_cycle(t);
    note(t, CW_TAP_RESET, NULL);
    t->inner.ops->reset(t->inner.self);
}

/* Whether an evaluation comes in the time step in which the cycle shown was clocked: somebody looks at the outputs behind the edge. */
static bool behind_edge(const struct cw_tap *t)
{
    return t->evaluated && (t->edge_due || t->ahead);
}

/* The caller gets the outputs behind the edge, and the tap goes on showing the cycle before it. false: there is no way back. */
static bool look(struct cw_tap *t, const void *in, void *out)
{
    const struct cw_tap_rewind *rewind = t->taps->rewind;
    if (rewind == NULL || !(t->ahead || rewind->keep(t->taps->rewind_context, t)))
        return false;
    if (t->ahead)
        rewind->again(t->taps->rewind_context, t);
    else
        t->inner.ops->tick(t->inner.self, t->in);
    t->inner.ops->eval(t->inner.self, in, out);
    memcpy(t->next_out, out, t->unit->out_size);
    rewind->back(t->taps->rewind_context, t);
    t->edge_due = false;
    t->ahead = true;
    return true;
}

static void tap_eval(void *self, const void *in, void *out)
{
    struct cw_tap *t = self;
    if (t->taps->before != NULL)
        t->taps->before(t->taps->context);
    if (behind_edge(t) && look(t, in, out))
        return;
    finish_cycle(t);
    note(t, CW_TAP_EVAL, in);
    t->inner.ops->eval(t->inner.self, in, out);
    memcpy(t->in, in, t->unit->in_size);
    memcpy(t->out, out, t->unit->out_size);
    t->evaluated = true;
}

static void tap_tick(void *self, const void *in)
{
    struct cw_tap *t = self;
    if (t->ahead) /* a tick without eval before it, or with a look alone */
        memcpy(t->out, t->next_out, t->unit->out_size);
    finish_cycle(t);
    memcpy(t->in, in, t->unit->in_size);
    t->edge_due = true;
}

static bool is_valid_input(const struct cw_port *port)
{
    const size_t length = strlen(port->name);
    return port->dir == CW_PORT_IN && length > 6 && strcmp(port->name + length - 6, "_valid") == 0;
}

void cw_tap_idle(struct cw_tap *t)
{
    if (t->inner.self == NULL)
        return;
    finish_cycle(t);
    for (uint32_t i = 0; i < t->unit->port_cnt; i++)
        if (is_valid_input(&t->port[i]))
            memset((char *)t->in + t->port[i].offset, 0, sizeof(uint64_t));
    note(t, CW_TAP_EVAL, t->in);
    t->inner.ops->eval(t->inner.self, t->in, t->out);
}

/* Behind the edge that is due, so that the state is the one without a tap. What is loaded has no cycle to show yet. */
static void tap_state(void *self, struct cw_state *s)
{
    struct cw_tap *t = self;
    if (t->taps->before != NULL)
        t->taps->before(t->taps->context);
    if (!cw_state_loads(s))
        finish_cycle(t);
    else
        t->evaluated = t->edge_due = t->ahead = false;
    cw_unit_state_behind(s, &t->inner);
}

static const struct cw_unit_ops tap_ops = {
    .destroy = tap_destroy, .reset = tap_reset, .eval = tap_eval, .tick = tap_tick, .state = tap_state};

static void tap_free(struct cw_tap *t)
{
    if (t == NULL)
        return;
    free(t->name);
    free(t->port);
    free(t->in);
    free(t->out);
    free(t->next_out);
    free(t);
}

static struct cw_tap *tap_new(const struct cw_unit *unit, const char *name, const void *params)
{
    struct cw_tap *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->unit = unit;
    t->name = malloc(strlen(name) + 1);
    t->port = calloc(unit->port_cnt, sizeof *t->port);
    t->in = calloc(1, unit->in_size);
    t->out = calloc(1, unit->out_size);
    t->next_out = calloc(1, unit->out_size);
    if (t->name == NULL || t->port == NULL || t->in == NULL || t->out == NULL || t->next_out == NULL) {
        tap_free(t);
        return NULL;
    }
    strcpy(t->name, name);
    unit->ports(params, t->port);
    return t;
}

struct cw_tap *cw_taps_add(struct cw_taps *taps, const struct cw_unit *unit, const char *name, const void *params)
{
    struct cw_tap **grown = realloc(taps->tap, (taps->cnt + 1) * sizeof *grown);
    if (grown == NULL)
        return NULL;
    taps->tap = grown;
    struct cw_tap *t = tap_new(unit, name, params);
    if (t == NULL)
        return NULL;
    t->taps = taps;
    t->index = taps->cnt;
    taps->tap[taps->cnt++] = t;
    return t;
}

static int tap_open(void *context, const struct cw_unit *unit, const char *name, const void *params, struct cw_unit_instance *instance,
                    struct cw_error *err)
{
    struct cw_taps *taps = context;
    struct cw_tap *t = cw_taps_add(taps, unit, name, params);
    if (t == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    int status = taps->inner->open(taps->inner->context, unit, name, params, &t->inner, err);
    if (status != CW_OK) {
        tap_free(taps->tap[--taps->cnt]);
        return status;
    }
    *instance = (struct cw_unit_instance){.unit = unit, .ops = &tap_ops, .self = t};
    return CW_OK;
}

static int tap_poll(void *context, struct cw_error *err)
{
    const struct cw_taps *taps = context;
    if (taps->hold != NULL && taps->hold(taps->hold_context))
        return CW_OK;
    return taps->inner->poll != NULL ? taps->inner->poll(taps->inner->context, err) : CW_OK;
}

int cw_taps_create(struct cw_taps **taps, struct cw_unit_provider *outer, const struct cw_unit_provider *inner, struct cw_error *err)
{
    struct cw_taps *t = calloc(1, sizeof *t);
    if (t == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    t->inner = inner;
    if (outer != NULL)
        *outer = (struct cw_unit_provider){t, tap_open, tap_poll};
    *taps = t;
    return CW_OK;
}

void cw_taps_destroy(struct cw_taps *taps)
{
    if (taps == NULL)
        return;
    for (uint32_t i = 0; i < taps->cnt; i++)
        tap_free(taps->tap[i]);
    free(taps->tap);
    free(taps);
}

uint32_t cw_taps_count(const struct cw_taps *taps)
{
    return taps->cnt;
}

struct cw_tap *cw_taps_at(const struct cw_taps *taps, uint32_t i)
{
    return taps->tap[i];
}

void cw_taps_on_eval(struct cw_taps *taps, void (*before)(void *context), void *context)
{
    taps->before = before;
    taps->context = context;
}

void cw_taps_on_op(struct cw_taps *taps, void (*op)(void *context, const struct cw_tap *tap, enum cw_tap_op op, const void *in),
                   void *context)
{
    taps->op = op;
    taps->op_context = context;
}

void cw_taps_hold_poll(struct cw_taps *taps, bool (*hold)(const void *context), const void *context)
{
    taps->hold = hold;
    taps->hold_context = context;
}

void cw_taps_rewind(struct cw_taps *taps, const struct cw_tap_rewind *rewind, void *context)
{
    taps->rewind = rewind;
    taps->rewind_context = context;
}
