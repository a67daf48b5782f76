/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the validation unit: stores until table, stash and overflow area have no room, loads until the stall buffer has none, then releases of all, and a flush. */
#ifndef CW_TESTS_RTL_FILL_VALIDATION_UNIT_H
#define CW_TESTS_RTL_FILL_VALIDATION_UNIT_H

#include "fill/fill.h"

#define FILL_OVERFLOW 16u /* entries of a larger overflow area */

enum fill_step { FILL_STORE, FILL_LOAD, FILL_RELEASE, FILL_FLUSH, FILL_STEPS };

struct fill {
    const params_t *p;
    struct overflow_memory memory;
    enum fill_step step;
    uint64_t first, next; /* granules of this round; the next one */
    uint32_t done, spilled, wait;
    in_t last;
};

static bool fill_step_is_over(const struct fill *f, const out_t *out)
{
    const uint64_t area = f->p->overflow_w > 4 ? FILL_OVERFLOW : 1u << f->p->overflow_w;
    switch (f->step) {
    case FILL_STORE:
        return f->spilled >= area && f->wait > 100;
    case FILL_LOAD:
        return f->done > 2 * f->p->stall_lines * f->p->stall_entries + 4 && f->wait > 100;
    case FILL_RELEASE:
        return f->done > 2 * (f->next - f->first) && out->stall_occupancy == 0 && f->wait > 100;
    default:
        return f->last.flush != 0;
    }
}

/* Stores of the first granules, which the loads then wait for; entries of the overflow area go by their place in it. */
static uint64_t fill_granule(const struct fill *f, struct cw_rng *rng)
{
    uint64_t granule = fill_value(f->next, f->p->granule_w);
    if (f->step == FILL_LOAD)
        granule = fill_value(f->first + f->done % f->p->stall_lines, f->p->granule_w);
    else if (f->step == FILL_RELEASE && f->done < f->next - f->first)
        granule = fill_value(f->first + f->done, f->p->granule_w);
    else if (f->step == FILL_RELEASE)
        memcpy(&granule, f->memory.entry[cw_rng_below(rng, FILL_OVERFLOW)], sizeof granule);
    return granule & fill_mask(f->p->granule_w);
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    static const uint64_t kind[] = {CW_VU_STORE, CW_VU_LOAD, CW_VU_RELEASE, CW_VU_RELEASE};
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    if (f->last.req_valid && out->req_ready) {
        f->next += f->step == FILL_STORE;
        f->done++;
    }
    f->spilled += (uint32_t)out->evt_overflow;
    f->wait++;
    if (fill_step_is_over(f, out)) {
        f->step = (f->step + 1) % FILL_STEPS;
        f->first = f->step == FILL_STORE ? f->next : f->first;
        f->spilled = f->step == FILL_STORE ? 0 : f->spilled;
        f->done = f->wait = 0;
    }
    *in = (in_t){.req_valid = f->step != FILL_FLUSH, .req_kind = kind[f->step], .rsp_ready = 1};
    in->req_granule = fill_granule(f, rng);
    in->req_warpts = f->step == FILL_LOAD ? fill_mask(f->p->ts_w) - 1 - cw_rng_below(rng, 2) : fill_mask(f->p->ts_w) - 3;
    in->req_owner = f->step == FILL_LOAD ? 1 : fill_mask(f->p->owner_w);
    in->req_count = 1;
    in->req_id = cw_rng_next(rng);
    in->req_spill = 1;
    in->flush = f->step == FILL_FLUSH && f->wait > 100 && !out->busy && out->stall_occupancy == 0;
    overflow_memory_step(&f->memory, out, in, true);
    in->mem_ready = 1;
    f->last = f->memory.last_in = *in;
}

static const params_t fill_largest = {48, 32, 16, 16, 16, 12, 16, 255, 12, 2, 16, 16, 20, 16};
static const params_t fill_smallest = {4, 8, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}, fill_odd = {9, 37, 7, 5, 6, 2, 3, 5, 3, 2, 3, 5, 4, 16};
static const params_t fill_stalls = {32, 30, 12, 16, 10, 4, 1, 2, 3, 2, 16, 16, 4, 0};
static const struct cw_lockstep_set fill_ends[] = {
    {"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}, {"stalls", &fill_stalls, 0}};
FILL_TEST(validation_unit, fill_ends, 200000, 3000000)

#endif
