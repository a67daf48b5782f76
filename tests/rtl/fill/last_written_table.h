/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the last-written table: many more blocks than entries, at times up to the last one, each read; a clear. */
#ifndef CW_TESTS_RTL_FILL_LAST_WRITTEN_TABLE_H
#define CW_TESTS_RTL_FILL_LAST_WRITTEN_TABLE_H

#include "fill/fill.h"

enum fill_step { FILL_WRITE, FILL_READ, FILL_CLEAR, FILL_EMPTY, FILL_STEPS };

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
    const uint32_t blocks = 12u << f->p->row_w;
    f->done += f->last.op_valid && out->op_ready;
    if (f->last.clear || f->done == blocks) {
        f->step = (f->step + 1) % FILL_STEPS;
        f->base += f->step == FILL_WRITE ? blocks : 0;
        f->done = 0;
    }
    *in = (in_t){.op_valid = f->step != FILL_CLEAR, .op_write = f->step == FILL_WRITE, .clear = f->step == FILL_CLEAR};
    in->op_addr = fill_value(f->base + f->done, f->p->addr_w - f->p->block_w) << f->p->block_w;
    in->op_time = f->step != FILL_WRITE       ? fill_mask(f->p->time_w) - cw_rng_below(rng, 2)
                  : cw_rng_below(rng, 8) == 0 ? UINT64_MAX
                                              : cw_rng_next(rng) | 1;
    f->last = *in;
}

static const params_t fill_largest = {4, 12, 64, 16, 64}, fill_smallest = {1, 1, 1, 0, 4}, fill_odd = {3, 3, 13, 2, 17};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(last_written_table, fill_ends, 100000, 1000000)

#endif
