/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the first-read table: all lanes of all warps have a first read, then a conflict, then begin again. */
#ifndef CW_TESTS_RTL_FILL_FIRST_READ_TABLE_H
#define CW_TESTS_RTL_FILL_FIRST_READ_TABLE_H

#include "fill/fill.h"

struct fill {
    const params_t *p;
    uint32_t next;
};

/* A round: loads of all warps, queries, responses that conflict, queries, begins, queries. */
static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    in_t *in = inputs;
    const uint32_t n = f->p->warps + 4, step = f->next / n % 6, warp = f->next % n < f->p->warps ? f->next % n : f->p->warps - 1;
    const bool last = f->next % n >= f->p->warps; /* the last one again, for the pipeline */
    (void)last_out;
    f->next++;
    *in = (in_t){.beg_warp = warp, .load_warp = warp, .rsp_warp = warp, .qry_warp = warp};
    in->beg_lanes = in->load_lanes = in->rsp_lanes = UINT64_MAX;
    in->now = cw_rng_next(rng) & fill_mask(f->p->time_w - (f->p->time_w > 1)) & (f->p->time_w == 1 ? 0 : UINT64_MAX);
    in->rsp_written = UINT64_MAX - (f->p->time_w == 1 ? 0 : cw_rng_below(rng, 2));
    in->load_valid = step == 0 && !last;
    in->rsp_valid = step == 2 && !last;
    in->beg_valid = step == 4 && !last;
    in->qry_valid = step % 2 == 1 && !last;
}

static const params_t fill_largest = {64, 32, 64}, fill_smallest = {1, 1, 1}, fill_odd = {5, 3, 6};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(first_read_table, fill_ends, 6000, 6000)

#endif
