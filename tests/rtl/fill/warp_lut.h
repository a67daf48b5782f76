/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the PC-warp table: an entry in each way of each set, each found again, evicted and closed. */
#ifndef CW_TESTS_RTL_FILL_WARP_LUT_H
#define CW_TESTS_RTL_FILL_WARP_LUT_H

#include "fill/fill.h"

enum fill_step { FILL_ENTER, FILL_FIND, FILL_EVICT, FILL_CLOSE, FILL_WAIT, FILL_STEPS };

struct fill {
    const params_t *p;
    enum fill_step step;
    uint32_t done, rounds;
};

/* The low bits of a PC are its set; those above are another number for each way and round. The name is that of the PC. */
static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    in_t *in = inputs;
    const uint32_t room = f->p->ways << f->p->set_w;
    const uint64_t above = 1 + f->rounds % 2 * 2 * f->p->ways;
    (void)last_out;
    (void)rng;
    if (f->done == (f->step == FILL_WAIT ? 4 : f->step == FILL_CLOSE ? 1u << f->p->warp_w : room)) {
        f->step = (f->step + 1) % FILL_STEPS;
        f->rounds += f->step == 0;
        f->done = 0;
    }
    *in = (in_t){.upd_lanes = UINT64_MAX, .upd_warp = f->done, .close_warp = f->done};
    in->upd_valid = f->step < FILL_CLOSE;
    in->upd_pc = f->done + (((f->step == FILL_EVICT ? f->p->ways : 0) + above) << f->p->set_w);
    if (f->step == FILL_EVICT)
        in->upd_warp = fill_mask(f->p->warp_w) - f->done;
    in->close_valid = f->step == FILL_CLOSE;
    f->done++;
}

static const params_t fill_largest = {32, 6, 8, 24, 10}, fill_smallest = {1, 1, 1, 7, 1}, fill_odd = {7, 2, 3, 9, 5};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(warp_lut, fill_ends, 20000, 40000)

#endif
