/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fill stimulus of the writer table: a word gets a writer in each of its places, then all transactions claim words until each place of the
 * table has an entry; then all are free, and a sweep takes all.
 */
#ifndef CW_TESTS_RTL_FILL_WRITER_TABLE_H
#define CW_TESTS_RTL_FILL_WRITER_TABLE_H

#include "fill/fill.h"

enum fill_step { FILL_RUN, FILL_SHARE, FILL_CLAIM, FILL_QUERY, FILL_COMMIT, FILL_FREE, FILL_SWEEP, FILL_WAIT };

struct fill {
    const params_t *p;
    enum fill_step step;
    uint32_t done; /* operations of this step */
    uint64_t words;
    bool again; /* the word of the claim before is claimed */
    in_t last;  /* inputs of the last cycle */
};

static bool fill_step_is_over(const struct fill *f, const out_t *out)
{
    switch (f->step) {
    case FILL_SHARE:
        return f->done == 2 * f->p->ways + 1;
    case FILL_CLAIM:
        return out->used == f->p->entries && f->done > f->p->entries + 20;
    case FILL_QUERY:
        return f->done == 64;
    case FILL_SWEEP:
        return f->last.sweep;
    case FILL_WAIT:
        return !out->sweep_busy && out->used == 0 && out->idle;
    default:
        return f->done == 1u << f->p->id_w;
    }
}

/* The transactions below `ways` claim the same word and commit, one after the other; those above claim the others. */
static void fill_operation(struct fill *f, struct cw_rng *rng, in_t *in)
{
    static const uint64_t kind[] = {CW_WRITER_RUN, 0, CW_WRITER_CLAIM, CW_WRITER_QUERY, CW_WRITER_COMMIT, CW_WRITER_FREE, 0, 0};
    const uint32_t ids = 1u << f->p->id_w;
    in->op_kind = kind[f->step];
    in->op_id = f->done & (ids - 1);
    in->op_word = fill_value(cw_rng_next(rng) % (f->words + 1), f->p->word_w);
    f->again = f->step == FILL_CLAIM && f->done % 16 == 1;
    if (f->step == FILL_CLAIM) {
        in->op_id = ids - 1 - f->done % (ids - f->p->ways);
        in->op_word = fill_value(f->words - f->again, f->p->word_w);
    } else if (f->step == FILL_SHARE) {
        in->op_kind = f->done == 2 * f->p->ways ? CW_WRITER_QUERY : f->done % 2 == 0 ? CW_WRITER_CLAIM : CW_WRITER_COMMIT;
        in->op_id = f->done / 2;
        in->op_word = fill_value(f->words, f->p->word_w);
    }
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    if (f->last.op_valid && out->op_ready) {
        f->done++;
        f->words += f->step == FILL_CLAIM && !f->again;
    }
    if (fill_step_is_over(f, out)) {
        f->words += f->step == FILL_SHARE;
        f->step = f->step == FILL_WAIT ? FILL_RUN : f->step + 1;
        f->done = 0;
    }
    *in = (in_t){.op_valid = f->step < FILL_SWEEP, .sweep = f->step == FILL_SWEEP};
    fill_operation(f, rng, in);
    f->last = *in;
}

static const params_t fill_largest = {40, 10, 65536, 8}, fill_smallest = {1, 1, 1, 1}, fill_odd = {9, 5, 23, 3};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(writer_table, fill_ends, 100000, 3600000)

#endif
