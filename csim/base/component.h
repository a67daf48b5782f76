/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Components: what a machine is made of. A core, a crossbar, an L2 slice, a DRAM channel, a commit unit: each answers the same verbs, so
 * that whoever runs the machine loops over components and knows no kind of them.
 *
 *   create    each kind's own function: it says what the component is connected to
 *   tick      one edge of its clock. A tick earlier than `wake` changes nothing, so that skipping idle time is exact
 *   wake      the time from which it needs a tick (any time: the tick comes at the first edge of its domain at or after it). At the end of
 *             a tick a component sets it to the earliest of its own next event and the heads of its input queues (cw_fifo_next); one that
 *             is blocked by a full output asks for its next edge. Pushes into its inputs lower it
 *   idle      nothing is under way in it: no tick will change anything until something comes in
 *   state     names each piece of what it holds (base/state.h): saves, loads, digests
 *   report    for the report of a hang: a line for each thing that waits
 *   drain     ticks until idle, when nothing comes in (whoever runs the machine does that)
 *   reset     whoever made the component destroys it and makes it anew
 *   destroy   each kind's own function
 *
 * tests/unit/test_components.c holds every component of every preset to that.
 */
#ifndef CW_BASE_COMPONENT_H
#define CW_BASE_COMPONENT_H

#include <stdio.h>

#include "base/clock.h"
#include "base/state.h"

struct cw_component_ops {
    const char *kind; /* "core", "l2": a word for messages and saved files, of at most 31 letters */
    enum cw_domain domain;
    void (*tick)(void *self, cw_time now);
    bool (*idle)(const void *self);                /* NULL: it is never at work for itself */
    void (*state)(void *self, struct cw_state *s); /* NULL: it cannot be saved, and a run with it is refused that asks for it */
    void (*report)(const void *self, FILE *out);   /* NULL: it has nothing to say */
};

/* The part of a component that whoever runs the machine looks at in each step; a member of the component's own struct. */
struct cw_component {
    void (*tick)(void *self, cw_time now); /* ops->tick */
    void *self;
    cw_time wake;
    enum cw_domain domain;
    uint32_t index; /* among those of its kind */
    const struct cw_component_ops *ops;
};

/* ops outlives the component. It sleeps until something comes in. */
static inline struct cw_component cw_component_of(const struct cw_component_ops *ops, void *self, uint32_t index)
{
    return (struct cw_component){.tick = ops->tick, .self = self, .wake = CW_TIME_NEVER, .domain = ops->domain, .index = index, .ops = ops};
}

static inline bool cw_component_idle(const struct cw_component *c)
{
    return c->ops->idle == NULL || c->ops->idle(c->self);
}

static inline void cw_component_report(const struct cw_component *c, FILE *out)
{
    if (c->ops->report != NULL)
        c->ops->report(c->self, out);
}

/* Walks its state, with the wake time in front. CW_EUNSUP when it has none to name. */
void cw_component_state(struct cw_component *c, struct cw_state *s);

#endif
