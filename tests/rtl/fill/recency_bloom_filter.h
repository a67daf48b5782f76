/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the filter: many more keys than rows, with values up to the last one, each looked up; a clear. */
#ifndef CW_TESTS_RTL_FILL_RECENCY_BLOOM_FILTER_H
#define CW_TESTS_RTL_FILL_RECENCY_BLOOM_FILTER_H

#include "fill/fill.h"

enum fill_step { FILL_INSERT, FILL_LOOK, FILL_CLEAR, FILL_EMPTY, FILL_STEPS };

struct fill {
    const params_t *p;
    enum fill_step step;
    uint32_t done;
    uint64_t base;
    in_t last;
};

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    const uint32_t keys = 12u << f->p->row_w;
    f->done += (f->last.ins_valid && out->ins_ready) || (f->last.lkp_valid && out->lkp_ready);
    if (f->last.clear || f->done == keys) {
        f->step = (f->step + 1) % FILL_STEPS;
        f->base += f->step == FILL_INSERT ? keys : 0;
        f->done = 0;
    }
    *in = (in_t){.ins_valid = f->step == FILL_INSERT, .clear = f->step == FILL_CLEAR};
    in->lkp_valid = f->step == FILL_LOOK || f->step == FILL_EMPTY;
    in->ins_key = in->lkp_key = fill_value(f->base + f->done, f->p->key_w);
    in->ins_v0 = cw_rng_below(rng, 8) == 0 ? UINT64_MAX : cw_rng_next(rng) | 1;
    in->ins_v1 = cw_rng_below(rng, 8) == 0 ? UINT64_MAX : cw_rng_next(rng) | 1;
    f->last = *in;
}

static const params_t fill_largest = {4, 12, 64, 2, 64, 1}, fill_smallest = {1, 1, 1, 1, 1, 0}, fill_odd = {3, 3, 13, 2, 17, 0};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(recency_bloom_filter, fill_ends, 30000, 1000000)

#endif
