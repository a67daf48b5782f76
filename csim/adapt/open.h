/* SPDX-License-Identifier: Apache-2.0 */
/* How every adapter opens its unit and closes it. */
#ifndef CW_ADAPT_OPEN_H
#define CW_ADAPT_OPEN_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit.h"

/* Opens "<place><number>.<unit>", as core3.order_masks: the name that waves, messages and --rtl use. *out has been all zero. params: the
 * unit's. 0, or the provider's error with its text. */
static inline int cw_adapt_open(struct cw_unit_instance *out, const struct cw_unit_provider *units, const struct cw_unit *unit,
                                const char *place, uint32_t number, const void *params, struct cw_error *err)
{
    char name[64];
    snprintf(name, sizeof name, "%s%u.%s", place, number, unit->name);
    return units->open(units->context, unit, name, params, out, err);
}

/* Bits of a port that has numbers from 0 to most; 1 at the least. */
static inline uint32_t cw_adapt_bits(uint64_t most)
{
    return most > 1 ? 64 - (uint32_t)__builtin_clzll(most) : 1;
}

/* The unit's state: that of the C model, of the Verilog, or of both. One that has not been opened has none. */
static inline void cw_adapt_state(struct cw_state *s, struct cw_unit_instance *unit)
{
    if (unit->ops != NULL)
        cw_unit_state(s, unit);
}

/* Cycles in which a unit comes to rest after its reset: more than any table has rows. */
#define CW_ADAPT_REST_CYCLES (UINT32_C(1) << 20)
/* It has not: CW_ELIMIT. port: the output that says so, without _o. */
static inline int cw_adapt_restless(const struct cw_unit_instance *unit, const char *port, struct cw_error *err)
{
    return cw_fail(err, CW_ELIMIT, "unit %s: %s_o still says that it is at work %u cycles after its reset", unit->unit->name, port,
                   CW_ADAPT_REST_CYCLES);
}

/* An instance that has not been opened has nothing to close. */
static inline void cw_adapt_close(struct cw_unit_instance *unit)
{
    if (unit->ops != NULL)
        unit->ops->destroy(unit->self);
}

#endif
