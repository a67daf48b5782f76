/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the scheduler of a DRAM channel: without step the queue fills, each request for another bank, row and tag than the one
 * before it; one more finds no place; then all have their commands, until the channel is idle. */
#ifndef CW_TESTS_RTL_FILL_DRAM_SCHEDULER_H
#define CW_TESTS_RTL_FILL_DRAM_SCHEDULER_H

#include "fill/fill.h"

struct fill {
    const params_t *p;
    bool drains;
    uint32_t n; /* requests of this round; one more than there is room for ends it */
};

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const out_t *out = last_out;
    (void)rng;
    if (f->drains && out->idle && f->n == 0)
        f->drains = false;
    f->n = f->drains ? 0 : f->n + 1;
    const uint64_t n = f->n;
    *(in_t *)inputs = (in_t){.push_valid = !f->drains,
                             .push_write = n & 1,
                             .push_bank = fill_mask(f->p->bank_w) - (n - 1) % (UINT64_C(1) << f->p->bank_w),
                             .push_row = fill_value(n, f->p->row_w),
                             .push_bursts = n % 8,
                             .push_tag = n & fill_mask(f->p->tag_w),
                             .step = f->drains};
    if (f->n > f->p->queue)
        f->drains = true;
}

static const params_t fill_largest = {64, 6, 4, 32, 8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 65535},
                      fill_smallest = {1, 1, 1, 1, 1, 4, 4, 1, 1, 1, 1, 2, 1, 1, 2, 2, 1},
                      fill_odd = {5, 3, 1, 3, 3, 4, 7, 3, 9, 3, 2, 4, 5, 6, 3, 7, 60};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(dram_scheduler, fill_ends, 20000, 500000)

#endif
