/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of an output port of a crossbar: all inputs ask until the buffer has no room, and for a while more; then all is freed, a
 * flit in a cycle, until the buffer is empty and the port idle. */
#ifndef CW_TESTS_RTL_FILL_CROSSBAR_PORT_H
#define CW_TESTS_RTL_FILL_CROSSBAR_PORT_H

#include "fill/fill.h"

struct fill {
    const params_t *p;
    bool drains;
    uint32_t n; /* cycles of this round without a grant */
};

/* Sets the length of the packet that an input has. */
static void set_flits(in_t *in, uint32_t input, uint32_t flits)
{
    for (uint32_t b = 0; b < 5; b++) {
        const uint32_t at = 5 * input + b, bit = 1u << (at % 32);
        in->request_flits[at / 32] = (in->request_flits[at / 32] & ~bit) | ((flits - 1) >> b & 1) * bit;
    }
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    (void)rng;
    *in = (in_t){0};
    f->n = out->grant_valid ? 0 : f->n + 1;
    if (f->drains ? out->idle && out->used == 0 : f->n > 20) {
        f->drains = !f->drains;
        f->n = 0;
    }
    for (uint32_t i = 0; i < 256 && !f->drains; i++) { /* long packets while there is much room, then single flits */
        in->request[i / 32] |= 1u << (i % 32);
        set_flits(in, i, out->used + 72 < f->p->out_flits ? i % 32 + 1 : 1);
    }
    in->freed = f->drains;
}

static const params_t fill_largest = {256, 4096, 255}, fill_smallest = {1, 1, 1}, fill_odd = {5, 37, 7};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(crossbar_port, fill_ends, 20000, 500000)

#endif
