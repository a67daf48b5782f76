/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the persist buffer: lines up to the last place, then ordering entries, then both, and all leave. */
#ifndef CW_TESTS_RTL_FILL_PERSIST_BUFFER_H
#define CW_TESTS_RTL_FILL_PERSIST_BUFFER_H

#include "fill/fill.h"

struct fill {
    const params_t *p;
    bool leaves;
    uint32_t done, rounds;
};

/* Kinds 1 and 3 by turns of one warp: none is merged into the one before the last. */
static void fill_insert(const struct fill *f, struct cw_rng *rng, in_t *in)
{
    const bool orders = f->rounds % 3 == 1 || (f->rounds % 3 == 2 && f->done % 2 != 0);
    in->ins_valid = 1;
    in->ins_warp = f->rounds % 3 == 1 ? f->rounds % f->p->warps : f->done / 2 % f->p->warps;
    in->ins_kind = orders ? (f->done / (f->rounds % 3 == 2 ? 2 : 1) % 2 != 0 ? CW_PERSIST_OFENCE : CW_PERSIST_REL_BLOCK) : CW_PERSIST_LINE;
    in->ins_line = cw_rng_next(rng);
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    if (!f->leaves && out->full && f->done > f->p->entries + 4) {
        f->leaves = true;
    } else if (f->leaves && out->empty) {
        f->leaves = false;
        f->rounds++;
        f->done = 0;
    }
    *in = (in_t){.drain = f->leaves, .flush_ready = f->leaves, .order_ready = f->leaves};
    in->evict_entry = cw_rng_below(rng, f->p->entries);
    in->evict_valid = f->leaves && f->rounds % 2 == 0 && cw_rng_below(rng, 8) == 0;
    if (!f->leaves)
        fill_insert(f, rng, in);
    else
        in->ins_entry = f->p->entries - 1;
    f->done++;
}

static const params_t fill_largest = {512, 64, 12}, fill_smallest = {1, 1, 1}, fill_odd = {13, 4, 5};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(persist_buffer, fill_ends, 40000, 80000)

#endif
