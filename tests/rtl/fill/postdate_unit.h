/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the post-dating unit: all transactions run, at times up to the last one, meet their neighbours, and commit. */
#ifndef CW_TESTS_RTL_FILL_POSTDATE_UNIT_H
#define CW_TESTS_RTL_FILL_POSTDATE_UNIT_H

#include "fill/fill.h"

enum fill_step { FILL_BEGIN, FILL_EDGE, FILL_COMMIT, FILL_FREE, FILL_CLEAR, FILL_STEPS };

struct fill {
    const params_t *p;
    enum fill_step step;
    uint32_t done, rounds;
    in_t last;
};

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    static const uint64_t kind[] = {CW_POSTDATE_BEGIN, CW_POSTDATE_EDGE, CW_POSTDATE_COMMIT, CW_POSTDATE_FREE, 0};
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    const uint64_t ids = 1u << f->p->id_w, most = fill_mask(f->p->time_w);
    f->done += f->last.op_valid && out->op_ready;
    if (f->step == FILL_CLEAR ? f->last.clear : f->done == ids) {
        f->step = (f->step + 1) % FILL_STEPS;
        f->step += f->step == FILL_CLEAR && f->rounds % 2 == 0;
        f->step %= FILL_STEPS;
        f->rounds += f->step == FILL_BEGIN;
        f->done = 0;
    }
    *in = (in_t){.op_valid = f->step != FILL_CLEAR, .op_kind = kind[f->step], .clear = f->step == FILL_CLEAR};
    in->op_a = f->done;
    in->op_b = (f->done + 1) & (ids - 1);
    in->op_by = cw_rng_below(rng, 2);
    in->op_time = f->rounds % 3 == 0 ? most - (f->done & 1) : f->rounds % 3 == 1 ? most / 2 + cw_rng_below(rng, 2) : cw_rng_next(rng);
    in->op_tag = cw_rng_next(rng);
    f->last = *in;
}

static const params_t fill_largest = {10, 32, 2, 255, 16}, fill_smallest = {1, 2, 0, 1, 1}, fill_odd = {3, 9, 1, 100, 4};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(postdate_unit, fill_ends, 100000, 100000)

#endif
