/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit provider that stands before another one and shows every instance as a wave needs it: inputs and outputs of the running cycle,
 * with the state that they belong to.
 *
 * A tick is held back until the instance is next evaluated or looked at, so that between two time steps an RTL unit still stands in the
 * cycle that the ports show, settled before its clock edge. Nobody can tell from the outputs: eval is the only thing that returns any.
 *
 * Some callers evaluate a unit again behind the edge, in the same time step, because they want what it says then. Shown as it is, such a
 * unit would stand a cycle too far, with the inputs of that question, and its requests would be in no wave. So the instance
 * answers, and goes back to before the edge (cw_taps_rewind).
 */
#ifndef CW_HARNESS_WAVE_TAP_H
#define CW_HARNESS_WAVE_TAP_H

#include <stdbool.h>

#include "base/error.h"
#include "cowarp/unit.h"

struct cw_taps;

struct cw_tap {
    char *name;     /* instance path, "partition2.validation_unit" */
    uint32_t index; /* in the list of taps */
    const struct cw_unit *unit;
    struct cw_port *port; /* unit->port_cnt, at this instance's parameters */
    void *in, *out;       /* the unit's structs in the cycle shown */
    struct cw_unit_instance inner;
    struct cw_taps *taps;
    bool evaluated; /* since the reader last set it to false */
    bool edge_due;  /* the clock edge that ends the cycle shown has been asked for */
    bool ahead;     /* it has been made, somebody has seen the outputs behind it, and the RTL has gone back */
    void *next_out; /* those outputs */
};

/* How the RTL behind a tap goes back over a clock edge. A C model does not: nothing of it is shown but the ports. */
struct cw_tap_rewind {
    /* Before the edge. false: the tap shall show the cycle behind it. */
    bool (*keep)(void *context, const struct cw_tap *tap);
    /* To where keep was, settled with tap->in. */
    void (*back)(void *context, const struct cw_tap *tap);
    /* Over the edge again, with tap->in. */
    void (*again)(void *context, const struct cw_tap *tap);
};

enum cw_tap_op { CW_TAP_EVAL, CW_TAP_TICK, CW_TAP_RESET };

/* *outer behaves as inner does, and records. inner must outlive it; NULL, with outer NULL: taps come from cw_taps_add alone. 0 or
 * CW_ENOMEM. */
int cw_taps_create(struct cw_taps **taps, struct cw_unit_provider *outer, const struct cw_unit_provider *inner, struct cw_error *err);
/* After the instances. */
void cw_taps_destroy(struct cw_taps *taps);
uint32_t cw_taps_count(const struct cw_taps *taps);
struct cw_tap *cw_taps_at(const struct cw_taps *taps, uint32_t i);

/* To be called before an instance leaves the cycle that it shows, from its eval; NULL: nobody. */
void cw_taps_on_eval(struct cw_taps *taps, void (*before)(void *context), void *context);

/* How instances go back over an edge; rewind NULL: not at all, and none may be ahead. */
void cw_taps_rewind(struct cw_taps *taps, const struct cw_tap_rewind *rewind, void *context);

/* To be told all that is asked of the instances behind the taps, in its order; in: NULL for a reset. op NULL: nobody. */
void cw_taps_on_op(struct cw_taps *taps, void (*op)(void *context, const struct cw_tap *tap, enum cw_tap_op op, const void *in),
                   void *context);
/* While hold answers true, a lockstep difference is not passed on, and the run goes on with the C model's outputs. hold NULL: never. */
void cw_taps_hold_poll(struct cw_taps *taps, bool (*hold)(const void *context), const void *context);

/* A tap of a unit that somebody else drives, who fills in and out: inner is nothing. NULL when out of memory. */
struct cw_tap *cw_taps_add(struct cw_taps *taps, const struct cw_unit *unit, const char *name, const void *params);

/* Shows the cycle after, in which the simulator left the instance alone: every input *_valid is 0, other inputs are as they were. */
void cw_tap_idle(struct cw_tap *tap);

#endif
