/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the select: all lanes, none, and the first and the last lane alone. */
#ifndef CW_TESTS_RTL_FILL_TCM_SELECT_H
#define CW_TESTS_RTL_FILL_TCM_SELECT_H

#include "fill/fill.h"

struct fill {
    const params_t *p;
};

static uint64_t fill_lanes(const struct fill *f, struct cw_rng *rng)
{
    switch (cw_rng_below(rng, 5)) {
    case 0:
        return UINT64_MAX;
    case 1:
        return 0;
    case 2:
        return UINT64_C(1) << (f->p->lanes - 1);
    case 3:
        return fill_mask(f->p->lanes) & ~(UINT64_C(1) << (f->p->lanes - 1));
    default:
        return 1;
    }
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    const struct fill *f = context;
    in_t *in = inputs;
    (void)last_out;
    in->ask_valid = 1;
    in->ask_tcm = fill_lanes(f, rng);
    in->ask_start = fill_lanes(f, rng);
    in->ask_before = fill_lanes(f, rng);
    in->ask_mcm = fill_lanes(f, rng);
    in->ask_descending = cw_rng_below(rng, 2);
    in->ask_multiple = cw_rng_below(rng, 2);
    in->ask_keep = cw_rng_below(rng, 2);
    in->ask_token = cw_rng_below(rng, 2);
}

static const params_t fill_smallest = {2}, fill_odd = {5};
static const struct cw_lockstep_set fill_ends[] = {{"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(tcm_select, fill_ends, 8000, 8000)

#endif
