/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the MSHRs of an L2 slice: each place of each entry is taken, in every other round the last ones by writes that go on; a
 * request more finds no room; then all sectors come, so all entries are ready, and all requests are performed. */
#ifndef CW_TESTS_RTL_FILL_L2_MSHR_H
#define CW_TESTS_RTL_FILL_L2_MSHR_H

#include "fill/fill.h"

enum fill_step { FILL_WAIT, FILL_NO_ROOM, FILL_COME, FILL_PERFORM, FILL_STEPS };

struct fill {
    const params_t *p;
    enum fill_step step;
    uint32_t round, place, entry;
    in_t act[3]; /* of the operations of the last three cycles, the oldest one first */
};

static in_t fill_act(const struct fill *f)
{
    const uint64_t all = fill_mask(f->p->sectors);
    return (in_t){.act_valid = 1,
                  .act_pass = f->place > 0 && f->place == f->p->merge - 1 && f->round % 2 == 1,
                  .act_req = f->place * f->p->entries + f->entry,
                  .act_needs = all,
                  .act_fetch = all,
                  .act_here = all};
}

/* Whether that was the last operation of the step. */
static bool fill_step_ends(struct fill *f, const out_t *out)
{
    if (f->step == FILL_PERFORM)
        return out->empty;
    if (++f->entry < (f->step == FILL_NO_ROOM ? 2 : f->p->entries))
        return false;
    f->entry = 0;
    return f->step != FILL_WAIT || ++f->place == f->p->merge;
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    static const uint8_t kinds[] = {0, 0, 1, 2};
    struct fill *f = context;
    in_t *in = inputs;
    (void)rng;
    *in = f->act[0];
    f->act[0] = f->act[1];
    f->act[1] = f->act[2];
    in->op_valid = 1;
    in->op_kind = kinds[f->step];
    in->op_line = fill_value(f->step == FILL_NO_ROOM ? f->p->entries - f->entry : f->entry, f->p->line_w);
    in->op_entry = f->p->entries - 1 - f->entry % f->p->entries;
    in->op_sectors = fill_mask(f->p->sectors);
    f->act[2] = fill_act(f);
    if (!fill_step_ends(f, last_out))
        return;
    f->round += f->step == FILL_PERFORM;
    f->place = 0;
    f->step = (f->step + 1) % FILL_STEPS;
}

static const params_t fill_largest = {256, 64, 32, 8, 16}, fill_smallest = {1, 1, 1, 1, 1}, fill_odd = {5, 3, 4, 3, 4};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(l2_mshr, fill_ends, 10000, 150000)

#endif
