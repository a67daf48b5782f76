/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the version index table: all regions, all slots readable, all counts at their ends, then all are freed. */
#ifndef CW_TESTS_RTL_FILL_VERSION_INDEX_TABLE_H
#define CW_TESTS_RTL_FILL_VERSION_INDEX_TABLE_H

#include "fill/fill.h"

enum fill_step { FILL_COPY, FILL_READY, FILL_CLOSE, FILL_HOLD, FILL_RELEASE, FILL_FREE, FILL_STEPS };

struct fill {
    const params_t *p;
    enum fill_step step;
    uint32_t slot, done, set, first; /* first: the slot that is the newest, and stays */
    uint64_t time;
};

static uint32_t fill_times(const struct fill *f)
{
    const uint32_t most = (1u << f->p->count_w) - 1;
    return f->step == FILL_HOLD || f->step == FILL_RELEASE ? most / 63 + most % 63 + 1 : 1;
}

/* 63 at a time, then one by one, to the end and one more. */
static uint64_t fill_count(const struct fill *f)
{
    const uint32_t most = (1u << f->p->count_w) - 1;
    return f->done < most / 63 ? 63 : 1;
}

static void fill_operation(struct fill *f, in_t *in)
{
    static const uint64_t kind[] = {CW_VERSION_COPY, CW_VERSION_READY,   CW_VERSION_CLOSE,
                                    CW_VERSION_HOLD, CW_VERSION_RELEASE, CW_VERSION_FREE};
    in->op_valid = 1;
    in->op_kind = kind[f->step];
    in->op_slot = f->slot;
    in->op_cnt = fill_count(f);
    if (f->step == FILL_CLOSE && f->time == fill_mask(f->p->time_w)) {
        in->op_kind = CW_VERSION_RESTART; /* times are at their end */
        f->time = 0;
    } else if (f->step == FILL_CLOSE) {
        f->time += f->time % 3 == 0 && f->time + 1 < fill_mask(f->p->time_w) ? 2 : 1;
    }
    in->op_time = f->time;
    if (++f->done < fill_times(f))
        return;
    f->done = 0;
    if (++f->slot == f->p->versions) {
        f->slot = 0;
        f->step = (f->step + 1) % FILL_STEPS;
    }
}

/* Region i has rows 4 i to 4 i + 3, as far as there are rows. */
static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    in_t *in = inputs;
    (void)last_out;
    *in = (in_t){.qry_valid = 1, .qry_kind = cw_rng_below(rng, 3), .qry_slot = cw_rng_below(rng, 16)};
    in->qry_row = cw_rng_below(rng, 2) != 0 ? 4 * f->p->regions - 1 - cw_rng_below(rng, 4) : cw_rng_below(rng, 4 * f->p->regions + 2);
    in->qry_time = cw_rng_below(rng, 2) != 0 ? f->time - cw_rng_below(rng, 4) : fill_mask(f->p->time_w);
    in->set_valid = f->set < f->p->regions;
    in->set_index = f->set;
    in->set_used = 1;
    in->set_first = 4 * f->set;
    in->set_end = 4 * f->set + 2;
    in->set_far = 4 * f->set + 4 > fill_mask(f->p->row_w) ? fill_mask(f->p->row_w) : 4 * f->set + 4;
    in->set_shift = cw_rng_next(rng);
    in->set_stride = UINT64_MAX;
    in->set_moved = cw_rng_next(rng);
    f->set += f->set < f->p->regions;
    fill_operation(f, in);
}

static const params_t fill_largest = {30, 16, 32, 16, 16, 64}, fill_smallest = {2, 1, 2, 1, 2, 1}, fill_odd = {7, 5, 6, 4, 5, 3};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(version_index_table, fill_ends, 40000, 400000)

#endif
