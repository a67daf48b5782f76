/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the masks: all warps wait in each mask, the count goes to its end, then all is acknowledged. */
#ifndef CW_TESTS_RTL_FILL_ORDER_MASKS_H
#define CW_TESTS_RTL_FILL_ORDER_MASKS_H

#include "fill/fill.h"

enum fill_step { FILL_STALL, FILL_DELAY, FILL_ORDER, FILL_LEAVE, FILL_ACK, FILL_STEPS };

struct fill {
    const params_t *p;
    enum fill_step step;
    uint32_t done, rounds;
};

static bool fill_step_is_over(const struct fill *f, const out_t *out)
{
    const uint64_t most = fill_mask(f->p->actr_w);
    switch (f->step) {
    case FILL_LEAVE:
        return out->actr == most && f->done > most + 3;
    case FILL_ACK:
        return out->actr == 0 && f->done > 3;
    case FILL_ORDER:
        return f->done == 2;
    default:
        return f->done == f->p->warps;
    }
}

/* The order that sends all from ODM to EDM comes at the end, in every other round; else warps of EDM have come by themselves. */
static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    in_t *in = inputs;
    if (fill_step_is_over(f, last_out)) {
        f->step = (f->step + 1) % FILL_STEPS;
        f->rounds += f->step == 0;
        f->done = 0;
    }
    *in = (in_t){.stall_warp = f->done, .delay_warp = f->done, .order_warps = UINT64_MAX};
    in->stall_valid = f->step == FILL_STALL;
    in->delay_valid = f->step == FILL_DELAY && f->rounds % 2 == 0;
    in->order_valid = f->step == FILL_ORDER && f->done > 0;
    in->order_kind = f->rounds % 2 != 0 ? 4 : 1;
    in->flush_valid = f->step == FILL_LEAVE || f->step == FILL_DELAY || (f->step == FILL_STALL && f->done == 0);
    in->evict_valid = f->step == FILL_LEAVE && cw_rng_below(rng, 4) == 0;
    in->ack_valid = f->step == FILL_ACK;
    f->done++;
}

static const params_t fill_largest = {64, 12, 255}, fill_smallest = {1, 2, 1}, fill_odd = {5, 3, 3};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(order_masks, fill_ends, 40000, 80000)

#endif
