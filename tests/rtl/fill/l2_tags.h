/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the tags of an L2 slice: each way of each set has a line that is held, then none is held, one goes in each set, and all
 * are dropped. */
#ifndef CW_TESTS_RTL_FILL_L2_TAGS_H
#define CW_TESTS_RTL_FILL_L2_TAGS_H

#include "fill/fill.h"

enum fill_step { FILL_ENTER, FILL_NO_ROOM, FILL_LOOSE, FILL_REPLACE, FILL_DROP, FILL_STEPS };

struct fill {
    const params_t *p;
    enum fill_step step;
    uint32_t set, line; /* number of the line in its set */
    in_t act[2];        /* of the operations of the last two cycles, the older one first */
};

/* Lines of a set that a step names, and the first of them. */
static uint32_t fill_lines(const struct fill *f, uint32_t *first)
{
    const bool one = f->step == FILL_NO_ROOM || f->step == FILL_REPLACE;
    *first = one ? f->p->ways : f->step == FILL_DROP;
    return one ? 1 : f->p->ways;
}

/* What becomes of the line: all its sectors are here and dirty. */
static in_t fill_act(const struct fill *f)
{
    const uint64_t all = fill_mask(f->p->sectors);
    return (in_t){.act_valid = 1,
                  .act_fill = all,
                  .act_write = all,
                  .act_drop = f->step == FILL_DROP,
                  .act_hold = f->step == FILL_ENTER,
                  .act_use = f->step == FILL_LOOSE};
}

/* The next set comes before the next line, so that no operation waits. */
static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    uint32_t first;
    (void)rng;
    *in = f->act[0];
    f->act[0] = f->act[1];
    f->act[1] = (in_t){0};
    if (!out->op_ready) /* after a reset */
        return;
    const uint32_t lines = fill_lines(f, &first);
    in->op_valid = 1;
    in->op_set = f->set;
    in->op_tag = fill_value(first + f->line, f->p->tag_w);
    f->act[1] = fill_act(f);
    if (++f->set < 1u << f->p->set_w)
        return;
    f->set = 0;
    if (++f->line < lines)
        return;
    f->line = 0;
    f->step = (f->step + 1) % FILL_STEPS;
}

static const params_t fill_largest = {16, 13, 32, 8}, fill_smallest = {1, 1, 1, 1}, fill_odd = {5, 3, 6, 3};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(l2_tags, fill_ends, 20000, 1200000)

#endif
