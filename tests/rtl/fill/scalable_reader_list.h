/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the scalable reader list: a word with all transactions as readers, then words until each place has an entry, then all go. */
#ifndef CW_TESTS_RTL_FILL_SCALABLE_READER_LIST_H
#define CW_TESTS_RTL_FILL_SCALABLE_READER_LIST_H

#include "fill/fill.h"

enum fill_step { FILL_RUN, FILL_ALL, FILL_LIST, FILL_ADD, FILL_KEEP, FILL_FREE, FILL_SWEEP, FILL_REMOVE, FILL_STEPS };

struct fill {
    const params_t *p;
    enum fill_step step;
    uint32_t done, rounds; /* operations of this step */
    uint64_t words;
    bool busy; /* a sweep has been seen */
    in_t last;
};

static bool fill_step_is_over(const struct fill *f, const out_t *out)
{
    const uint32_t ids = 1u << f->p->id_w;
    switch (f->step) {
    case FILL_LIST:
        return f->done == 2;
    case FILL_ADD:
        return f->done > f->p->entries + 8 && (out->used == f->p->entries || f->done > 8 * f->p->entries + 4000);
    case FILL_KEEP:
    case FILL_SWEEP:
        return f->busy && !out->sweep_busy && out->idle;
    default:
        return f->done == ids;
    }
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    static const uint64_t kind[] = {CW_READER_RUN, CW_READER_ADD, CW_READER_LIST, CW_READER_ADD, 0, CW_READER_FREE, 0, CW_READER_REMOVE};
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    if (f->last.op_valid && out->op_ready) {
        f->done++;
        f->words += f->step == FILL_ADD;
    }
    f->busy = f->busy || out->sweep_busy;
    if (fill_step_is_over(f, out)) {
        f->words += f->step == FILL_REMOVE;
        f->step = (f->step + 1) % FILL_STEPS;
        f->done = 0;
        f->busy = false;
    }
    const bool sweeps = f->step == FILL_KEEP || f->step == FILL_SWEEP;
    *in = (in_t){.op_valid = !sweeps, .op_kind = kind[f->step], .sweep = sweeps && !f->busy && !f->last.sweep};
    in->op_id = f->done & fill_mask(f->p->id_w);
    in->op_word = fill_value(f->words, f->p->word_w);
    in->rdr_ready = cw_rng_below(rng, 8) != 0;
    f->last = *in;
}

static const params_t fill_largest = {40, 10, 5, 65536, 8}, fill_smallest = {1, 2, 1, 1, 1}, fill_odd = {12, 6, 3, 61, 3};
static const params_t fill_roots = {20, 6, 1, 500, 7};
static const struct cw_lockstep_set fill_ends[] = {
    {"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}, {"roots", &fill_roots, 0}};
FILL_TEST(scalable_reader_list, fill_ends, 1200000, 6000000)

#endif
