/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One unit of one backend in a directed test, and the cycle in progress. A unit's test includes this once, after it has the types params_t,
 * in_t and out_t of the unit and
 *
 *   DUT_UNIT     the unit
 *   DUT_NEXT(d)  if not all 0: the inputs at the beginning of the next cycle, an in_t
 *   DUT_OWN      if any: further members that the test keeps, all 0 after dut_open
 */
#ifndef CW_TESTS_RTL_DUT_H
#define CW_TESTS_RTL_DUT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cw_test.h"
#include "lockstep_driver.h"

#ifndef DUT_NEXT
#define DUT_NEXT(d) ((in_t){0})
#endif
#ifndef DUT_OWN
#define DUT_OWN
#endif

struct dut {
    struct cw_unit_provider provider;
    struct cw_unit_instance inst;
    in_t in;
    out_t out;
    uint64_t cycle; /* cycles that have ended */
    DUT_OWN
};

static const enum cw_unit_backend backends[] = {CW_UNIT_C, CW_UNIT_RTL};

/* Out of reset, inputs 0. Fails the test when it cannot. */
static inline void dut_open(struct dut *d, const params_t *p, enum cw_unit_backend backend)
{
    memset(d, 0, sizeof *d);
    d->provider = cw_directed_open(&DUT_UNIT, p, backend, &d->inst);
}

static inline void dut_close(struct dut *d)
{
    cw_directed_close(&d->provider, &d->inst);
}

/* The same for one that is too large for the stack. */
static inline struct dut *dut_new(const params_t *p, enum cw_unit_backend backend)
{
    struct dut *d = malloc(sizeof *d);
    assert_non_null(d);
    dut_open(d, p, backend);
    return d;
}

static inline void dut_delete(struct dut *d)
{
    dut_close(d);
    free(d);
}

/* The outputs that belong to d->in; inputs may still change before dut_tick, with another dut_eval. */
static inline void dut_eval(struct dut *d)
{
    d->inst.ops->eval(d->inst.self, &d->in, &d->out);
}

/* Ends the cycle whose outputs dut_eval has given. */
static inline void dut_tick(struct dut *d)
{
    d->inst.ops->tick(d->inst.self, &d->in);
    d->in = DUT_NEXT(d);
    d->cycle++;
}

/* Ends the cycle in progress; d->out holds its outputs. */
static inline void dut_cycle(struct dut *d)
{
    dut_eval(d);
    dut_tick(d);
}

#endif
