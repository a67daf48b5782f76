/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the thread compactor: all threads, one lane of all warps, all lanes of the last warp, the last thread alone. */
#ifndef CW_TESTS_RTL_FILL_THREAD_COMPACTOR_H
#define CW_TESTS_RTL_FILL_THREAD_COMPACTOR_H

#include "fill/fill.h"

struct fill {
    const params_t *p;
    uint32_t next;
};

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    in_t *in = inputs;
    const uint32_t last = 1u << (f->p->lanes - 1), all = (uint32_t)fill_mask(f->p->lanes);
    const uint32_t kind = f->next / 100 % 5;
    (void)last_out;
    f->next++;
    *in = (in_t){.start_valid = 1, .start_static = f->next / 500 % 2, .warp_ready = cw_rng_below(rng, 4) != 0};
    for (uint32_t w = 0; w < f->p->warps; w++) {
        const bool is_last = w == f->p->warps - 1;
        in->start_mask[w] = kind == 0 ? all : kind == 1 ? last : kind == 2 && is_last ? all : kind == 3 && is_last ? last : 0;
    }
}

static const params_t fill_smallest = {1, 1}, fill_odd = {5, 7};
static const struct cw_lockstep_set fill_ends[] = {{"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(thread_compactor, fill_ends, 8000, 8000)

#endif
