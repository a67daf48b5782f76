/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the bank detector: all work-items of all groups live, one signature with all words, one write signature with all words; then all are cleared. */
#ifndef CW_TESTS_RTL_FILL_BANK_DETECTOR_H
#define CW_TESTS_RTL_FILL_BANK_DETECTOR_H

#include "fill/fill.h"

enum fill_step { FILL_LIVE, FILL_CLEAR, FILL_SIGNATURE, FILL_HITS, FILL_CLEAR_ONE, FILL_WRITES, FILL_MEETS, FILL_CLEAR_LAST, FILL_STEPS };

struct fill {
    const params_t *p;
    enum fill_step step;
    uint32_t done, wait; /* wait: cycles in which nothing comes */
};

static uint32_t fill_waves(const struct fill *f)
{
    return (f->p->work_items + (1u << f->p->lane_w) - 1) >> f->p->lane_w;
}

static uint32_t fill_times(const struct fill *f)
{
    switch (f->step) {
    case FILL_LIVE:
        return f->p->work_items * f->p->groups;
    case FILL_CLEAR:
        return fill_waves(f) * f->p->groups;
    case FILL_CLEAR_ONE:
    case FILL_CLEAR_LAST:
        return fill_waves(f);
    default:
        return 1u << f->p->word_w;
    }
}

/* A read that is shared makes a work-item live; the last work-item inserts all words, and the first one meets them. */
static void fill_request(const struct fill *f, in_t *in)
{
    const bool live = f->step == FILL_LIVE, inserts = f->step == FILL_SIGNATURE || f->step == FILL_WRITES;
    in->req_valid = 1;
    in->mode = live ? CW_LOCAL_SMDCD : f->step >= FILL_WRITES ? CW_LOCAL_SWO_SIG : CW_LOCAL_PRW_SIG;
    in->req_group = live ? f->done / f->p->work_items : f->p->groups - 1;
    in->req_item = live ? f->done % f->p->work_items : inserts ? f->p->work_items - 1 : 0;
    in->req_word = f->done & fill_mask(f->p->word_w);
    in->req_write = f->step == FILL_WRITES;
    in->req_owned = live;
    in->req_owner = (in->req_item + 1) % f->p->work_items;
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    in_t *in = inputs;
    (void)rng;
    (void)last_out;
    *in = (in_t){0};
    if (f->wait > 0) {
        f->wait--;
        return;
    }
    if (f->step == FILL_CLEAR || f->step == FILL_CLEAR_ONE || f->step == FILL_CLEAR_LAST) {
        in->clr_valid = in->wclr_valid = 1;
        in->clr_group = in->wclr_group = f->step == FILL_CLEAR ? f->done / fill_waves(f) : f->p->groups - 1;
        in->clr_wave = in->wclr_wave = f->done % fill_waves(f);
        in->clr_lanes = UINT64_MAX;
    } else {
        fill_request(f, in);
    }
    if (++f->done == fill_times(f)) {
        f->step = (f->step + 1) % FILL_STEPS;
        f->done = 0;
        f->wait = 5;
    }
}

static const params_t fill_largest = {256, 6, 16, 12, 32, 64, 2}, fill_smallest = {2, 1, 1, 1, 4, 8, 1}, fill_odd = {5, 1, 3, 4, 4, 8, 1};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(bank_detector, fill_ends, 60000, 160000)

#endif
