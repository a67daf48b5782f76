/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the row copy engine: jobs of all regions, in which nothing but copies comes back until as many commands are out as may be. */
#ifndef CW_TESTS_RTL_FILL_ROW_COPY_ENGINE_H
#define CW_TESTS_RTL_FILL_ROW_COPY_ENGINE_H

#include "fill/fill.h"

struct fill {
    const params_t *p;
    uint32_t set; /* regions that have been set */
    bool full;
    uint32_t out, jobs;
    in_t last;
};

/* The regions have a row each, but the last has as many as make enough commands. */
static void fill_set(struct fill *f, struct cw_rng *rng, in_t *in)
{
    const uint32_t commands = f->p->banks * (2 * f->p->lines + 1), most = (1u << f->p->out_w) - 1;
    in->set_valid = 1;
    in->set_index = f->set;
    in->set_first = cw_rng_next(rng);
    in->set_rows = f->set == f->p->regions - 1 ? 2 + 2 * (most / commands) : 1;
    if (in->set_rows > fill_mask(f->p->row_w))
        in->set_rows = fill_mask(f->p->row_w);
    in->set_tail = f->set == f->p->regions - 1 ? 0 : 1 + f->set % f->p->banks;
    in->set_shift = cw_rng_next(rng);
    in->set_stride = UINT64_MAX;
    f->set++;
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    const uint32_t most = (1u << f->p->out_w) - 1;
    const bool taken = out->cmd_valid && f->last.cmd_ready, copy = taken && out->cmd_kind == CW_ROW_COPY_COPY;
    f->out += taken;
    *in = (in_t){.start_from = f->jobs % 16, .start_to = 15 - f->jobs % 16, .start_regions = UINT64_MAX, .cmd_ready = 1};
    f->full = f->full ? f->out > 0 : f->out == most;
    in->ret_copy = copy;
    in->ret_bank = out->cmd_bank;
    in->ret_valid = f->out > 0 && (copy || f->full || (out->idle && !taken));
    f->out -= (uint32_t)in->ret_valid;
    in->start_valid = f->set >= f->p->regions;
    f->jobs += (uint32_t)(in->start_valid && out->start_ready);
    if (f->set < f->p->regions)
        fill_set(f, rng, in);
    f->last = *in;
}

static const params_t fill_largest = {30, 16, 64, 64, 64, 16}, fill_smallest = {2, 1, 1, 1, 1, 2}, fill_odd = {7, 5, 5, 3, 11, 3};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(row_copy_engine, fill_ends, 100000, 2000000)

#endif
