/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the priority encoder: all bits, taken one by one down to the last, and each bit alone. */
#ifndef CW_TESTS_RTL_FILL_PRIORITY_ENCODER_H
#define CW_TESTS_RTL_FILL_PRIORITY_ENCODER_H

#include "fill/fill.h"

struct fill {
    const params_t *p;
    uint32_t next;
};

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    const uint32_t at = f->next++ % (4 * f->p->width + 8);
    (void)rng;
    in->in_valid = 1;
    in->in_vector = at == 0 ? UINT64_MAX : at % 2 == 1 ? in->in_vector : out->rest;
    if (at > 2 * f->p->width + 4)
        in->in_vector = UINT64_C(1) << (at % f->p->width);
    else if (at % 2 == 1)
        in->in_valid = 0; /* until the outputs are those of the last one */
}

static const params_t fill_smallest = {1}, fill_widest = {64}, fill_odd = {13};
static const struct cw_lockstep_set fill_ends[] = {{"smallest", &fill_smallest, 0}, {"widest", &fill_widest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(priority_encoder, fill_ends, 4000, 4000)

#endif
