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
        in->request_flits[i / 8] |= (out->used + 40 < f->p->out_flits ? i & 15 : 0) << (i % 8 * 4);
    }
    in->freed = f->drains;
}

static const params_t fill_largest = {256, 1024, 255}, fill_smallest = {1, 1, 1}, fill_odd = {5, 37, 7};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(crossbar_port, fill_ends, 20000, 500000)

#endif
