/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the stall buffer: each place of each line gets a request, one more is refused, then all leave. */
#ifndef CW_TESTS_RTL_FILL_STALL_BUFFER_H
#define CW_TESTS_RTL_FILL_STALL_BUFFER_H

#include "fill/fill.h"

struct fill {
    const params_t *p;
    bool leaves;
    uint32_t step, rounds; /* of a push, in three cycles; rounds: times that it was full */
    uint64_t pushes;
};

static uint64_t fill_granule(const struct fill *f, uint64_t n)
{
    return fill_value(n % f->p->lines + 1, f->p->granule_w);
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    const uint64_t room = (uint64_t)f->p->lines * f->p->entries;
    if (f->leaves && out->occupancy == 0) {
        f->leaves = false;
        f->pushes = 0;
    } else if (!f->leaves && f->pushes == room + 2) {
        f->leaves = true;
        f->rounds++;
    }
    *in = (in_t){.ask_granule = fill_granule(f, f->pushes), .push_granule = fill_granule(f, f->pushes)};
    in->push_warpts = cw_rng_next(rng);
    in->push_payload = cw_rng_next(rng);
    if (f->leaves) {
        in->wake_valid = f->rounds % 2;
        in->wake_granule = fill_granule(f, cw_rng_next(rng));
        in->drain = f->rounds % 2 == 0;
        in->retry_ready = in->done_valid = 1;
        return;
    }
    in->push_valid = f->step == 2;
    f->pushes += f->step == 2;
    f->step = (f->step + 1) % 3;
}

static const params_t fill_largest = {16, 16, 64, 64, 64}, fill_smallest = {1, 1, 1, 1, 1}, fill_odd = {3, 5, 8, 4, 64};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(stall_buffer, fill_ends, 20000, 200000)

#endif
