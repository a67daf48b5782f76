/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of an L2 slice: each line of each set is written; a line more is read in each set, so dirty ones go, until all entries have all
 * their requests, and one finds no room; all comes, and all requests are performed; then all lines are dropped. */
#ifndef CW_TESTS_RTL_FILL_L2_SLICE_H
#define CW_TESTS_RTL_FILL_L2_SLICE_H

#include "fill/fill.h"

enum fill_step { FILL_WRITE, FILL_MISS, FILL_COME, FILL_PERFORM, FILL_DROP, FILL_STEPS };

struct fill {
    const params_t *p;
    enum fill_step step;
    uint32_t set, line, place; /* number of the line in its set; of the request in its entry */
    uint32_t number;           /* of the request that is on its way */
    bool begun;                /* an operation, a cycle ago */
};

/* Lines that miss: as many as there are entries or lines, whichever is less. */
static uint32_t fill_missing(const struct fill *f)
{
    const uint32_t lines = f->p->ways << f->p->set_w;
    return f->p->entries < lines ? f->p->entries : lines;
}

static uint32_t fill_tag(const struct fill *f)
{
    return f->step == FILL_WRITE ? f->line : f->p->ways + f->line;
}

static uint64_t fill_line(const struct fill *f)
{
    return fill_value(fill_tag(f), f->p->tag_w) << f->p->set_w | f->set;
}

/* That of the request with a number. */
static uint64_t fill_line_of(const struct fill *f, uint64_t number)
{
    const uint64_t index = number % f->p->entries;
    return fill_value(f->p->ways + (index >> f->p->set_w), f->p->tag_w) << f->p->set_w | (index & fill_mask(f->p->set_w));
}

/* Whether that was the last operation of the step. */
static bool fill_step_ends(struct fill *f, const out_t *out)
{
    const uint32_t sets = 1u << f->p->set_w, at = f->line * sets + f->set + 1;
    const bool all = at == (f->step == FILL_WRITE ? f->p->ways * sets : f->step == FILL_DROP ? 2 * f->p->ways * sets : fill_missing(f));
    if (f->step == FILL_PERFORM)
        return out->empty;
    if (++f->set == sets) {
        f->set = 0;
        f->line++;
    }
    if (!all)
        return false;
    f->set = f->line = 0;
    return f->step != FILL_MISS || ++f->place == f->p->merge + 1;
}

/* Each operation waits until the bytes of the one before have moved. */
static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    static const uint8_t kinds[] = {1, 0, 5, 0, 4};
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    (void)rng;
    *in = (in_t){.mem_space = 3, .mem_told = 1, .mem_pm = 1, .in_valid = 1, .act_req = f->number};
    in->in_data[0] = f->line;
    const bool begun = f->begun;
    f->begun = false;
    if (begun || !out->idle || (f->step == FILL_PERFORM && !out->head_valid && !out->empty))
        return;
    f->begun = true;
    in->op_valid = 1;
    f->number = f->place * f->p->entries + (f->line << f->p->set_w | f->set);
    in->op_kind = kinds[f->step];
    in->op_head = f->step == FILL_PERFORM;
    in->op_line = f->step == FILL_DROP ? (fill_value(f->line, f->p->tag_w) << f->p->set_w | f->set) : fill_line(f);
    if (f->step == FILL_PERFORM)
        in->op_line = fill_line_of(f, out->head_req);
    in->op_entry = f->line << f->p->set_w | f->set;
    in->op_sectors = fill_mask(f->p->sectors);
    for (uint32_t s = 0; s < 8; s++)
        in->op_mask[s] = UINT32_MAX;
    if (!fill_step_ends(f, out))
        return;
    f->place = 0;
    f->step = (f->step + 1) % FILL_STEPS;
}

static const params_t fill_largest = {16, 10, 22, 8, 256, 64, 16, 8, 1}, fill_smallest = {1, 1, 1, 1, 1, 1, 1, 1, 0};
static const params_t fill_odd = {5, 3, 6, 3, 11, 3, 6, 2, 0};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(l2_slice, fill_ends, 120000, 2000000)

#endif
