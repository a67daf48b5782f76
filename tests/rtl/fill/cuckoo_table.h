/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the cuckoo table: reserved entries until a chain fails, others into the rows that are left, reserved ones again until stash and overflow area are full; then all are released, and a flush. */
#ifndef CW_TESTS_RTL_FILL_CUCKOO_TABLE_H
#define CW_TESTS_RTL_FILL_CUCKOO_TABLE_H

#include "fill/fill.h"

#define FILL_OVERFLOW 24u /* entries of a larger overflow area: each look-up that finds nothing searches all */

enum fill_step { FILL_RESERVE, FILL_REST, FILL_SPILL, FILL_RELEASE, FILL_FLUSH, FILL_STEPS };

struct fill {
    const params_t *p;
    struct overflow_memory memory;
    enum fill_step step;
    uint64_t first, next; /* granules of this round */
    uint32_t wait;
    in_t last;
};

static bool fill_step_is_over(const struct fill *f, const out_t *out)
{
    const uint64_t area = f->p->overflow_w > 4 ? FILL_OVERFLOW : 1u << f->p->overflow_w, rows = 4u << f->p->row_w;
    switch (f->step) {
    case FILL_RESERVE:
        return out->stash_used == f->p->stash_entries || out->overflow_used > 0 || f->next > f->first + 4 * rows;
    case FILL_REST:
        return out->used == rows && f->wait > 200;
    case FILL_SPILL:
        return out->stash_used == f->p->stash_entries && out->overflow_used >= area && f->wait > 200;
    case FILL_RELEASE:
        return out->overflow_used == 0 && f->wait > 4 * rows + 200;
    default:
        return f->last.flush != 0;
    }
}

/* A granule of this round, every other time of the overflow area. */
static uint64_t fill_old(const struct fill *f, struct cw_rng *rng, const out_t *out)
{
    uint64_t granule = fill_value(f->first + cw_rng_next(rng) % (f->next - f->first + 1), f->p->granule_w);
    if (out->overflow_used > 0 && cw_rng_below(rng, 2) != 0)
        memcpy(&granule, f->memory.entry[cw_rng_below(rng, (uint32_t)out->overflow_used)], sizeof granule);
    return granule & fill_mask(f->p->granule_w);
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    if (f->last.look_valid && out->look_ready)
        f->next++;
    f->wait++;
    if (fill_step_is_over(f, out)) {
        f->step = (f->step + 1) % FILL_STEPS;
        f->first = f->step == FILL_RESERVE ? f->next : f->first;
        f->wait = 0;
    }
    *in = (in_t){.look_valid = f->step != FILL_FLUSH, .look_owner = cw_rng_next(rng), .look_tag = cw_rng_next(rng), .read_ready = 1};
    in->look_ts = cw_rng_next(rng) & ~UINT64_C(1);
    in->look_granule = fill_value(f->next, f->p->granule_w);
    if (f->step == FILL_RELEASE)
        in->look_granule = fill_old(f, rng, out);
    in->miss_wts = cw_rng_next(rng);
    in->miss_rts = cw_rng_next(rng);
    in->upd_valid = in->upd_wts_set = in->upd_rts_set = in->upd_owner_set = in->upd_writes_set = 1;
    in->upd_writes = f->step == FILL_RESERVE || f->step == FILL_SPILL ? (cw_rng_below(rng, 8) == 0 ? UINT64_MAX : 1) : 0;
    in->flush = f->step == FILL_FLUSH && f->wait > 60 && !out->busy;
    overflow_memory_step(&f->memory, out, in, true);
    in->mem_ready = 1;
    f->last = f->memory.last_in = *in;
}

static const params_t fill_largest = {44, 40, 16, 16, 64, 12, 16, 32, 0, 20}, fill_smallest = {4, 8, 2, 2, 1, 1, 1, 1, 0, 1};
static const params_t fill_tight = {32, 30, 12, 16, 20, 3, 3, 255, 16, 3};
static const struct cw_lockstep_set fill_ends[] = {
    {"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"tight", &fill_tight, 0}};
FILL_TEST(cuckoo_table, fill_ends, 200000, 5000000)

#endif
