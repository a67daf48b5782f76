/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the convergence barriers: in each warp, branches nest, a lane less in each, until every barrier waits for somebody, and one
 * more finds none free; then the others exit, so that barriers open. */
#ifndef CW_TESTS_RTL_FILL_CONVERGENCE_BARRIERS_H
#define CW_TESTS_RTL_FILL_CONVERGENCE_BARRIERS_H

#include "fill/fill.h"

struct fill {
    const params_t *p;
    uint32_t warp, step, rounds;
};

/* Operations on a warp: START, a branch per barrier and one more; then the group waits at the last barrier, and the others exit. */
static void fill_operation(const struct fill *f, in_t *in)
{
    const uint32_t branches = f->p->barriers + 1, all = 1 + branches;
    const uint64_t lanes = fill_mask(f->p->lanes);
    in->op_warp = f->warp;
    in->op_lanes = lanes;
    in->op_next = in->op_target = fill_mask(f->p->pc_w) - f->step;
    if (f->step == 0)
        return;
    in->op_kind = CW_CONVERGENCE_BRANCH;
    if (f->step < all) { /* the lowest lane of the group parts from the others, which go on first */
        in->op_lanes = UINT64_C(1) << (f->step - 1) % f->p->lanes;
        in->op_target = f->rounds % 2 == 0 ? 0 : fill_mask(f->p->pc_w);
        in->op_meet_valid = 1;
        in->op_meet = f->step;
    } else if (f->step == all) { /* the last barrier waits for the lane that parted there */
        in->op_target = f->p->barriers;
    } else {
        in->op_kind = CW_CONVERGENCE_EXIT;
        in->op_lanes = fill_mask(branches);
    }
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    (void)rng;
    *in = (in_t){0};
    if (!out->ans_valid && out->busy)
        return;
    in->op_valid = 1;
    fill_operation(f, in);
    if (!out->op_ready)
        return;
    if (++f->step < f->p->barriers + 4)
        return;
    f->step = 0;
    f->warp++;
    if (f->warp == 1u << f->p->warp_w) {
        f->warp = 0;
        f->rounds++;
    }
}

static const params_t fill_largest = {64, 10, 16, 24}, fill_smallest = {1, 1, 1, 1}, fill_odd = {5, 2, 3, 4}, fill_its = {32, 4, 16, 16};
static const struct cw_lockstep_set fill_ends[] = {
    {"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}, {"its", &fill_its, 0}};
FILL_TEST(convergence_barriers, fill_ends, 20000, 40000)

#endif
