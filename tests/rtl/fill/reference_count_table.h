/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the reference count table: an entry in each way of each set, a word that is counted to its end, then all go. */
#ifndef CW_TESTS_RTL_FILL_REFERENCE_COUNT_TABLE_H
#define CW_TESTS_RTL_FILL_REFERENCE_COUNT_TABLE_H

#include "fill/fill.h"
#include "unit/h3.h"

#define FILL_WORDS (8u << 13)

enum fill_step { FILL_ENTER, FILL_COUNT, FILL_LEAVE, FILL_WAIT, FILL_STEPS };

struct fill {
    const params_t *p;
    struct cw_h3 hash;
    bool begun;
    enum fill_step step;
    uint32_t held, done;
    uint64_t next; /* number of the next word */
    uint64_t word[FILL_WORDS];
    uint8_t in_set[1u << 13];
};

/* The next word of a set with room; every eighth of another. */
static uint64_t fill_word(struct fill *f)
{
    for (;;) {
        const uint64_t word = fill_value(f->next++, f->p->key_w);
        uint8_t *in_set = &f->in_set[cw_h3(&f->hash, word)];
        if (*in_set < f->p->ways) {
            ++*in_set;
            f->word[f->held++] = word;
            return word;
        }
        if (f->next % 8 == 0)
            return word;
    }
}

/* The last word is counted to its end and two times more, then down to 1; then each is released, and each once more. */
static void fill_operation(struct fill *f, in_t *in)
{
    const uint32_t most = (1u << f->p->count_w) - 1;
    in->op_valid = f->step != FILL_WAIT;
    if (f->step == FILL_ENTER) {
        in->op_word = fill_word(f);
    } else if (f->step == FILL_COUNT) {
        in->op_word = f->word[f->held - 1];
        in->op_release = f->done > most;
    } else if (f->step == FILL_LEAVE) {
        in->op_word = f->word[f->done % f->held];
        in->op_release = 1;
    }
    f->done++;
}

static bool fill_step_is_over(const struct fill *f)
{
    const uint32_t most = (1u << f->p->count_w) - 1;
    switch (f->step) {
    case FILL_ENTER:
        return f->held == f->p->ways << f->p->set_w;
    case FILL_COUNT:
        return f->done == 2 * most;
    case FILL_LEAVE:
        return f->done == f->held + 4;
    default:
        return f->done == 8;
    }
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    (void)rng;
    if (!f->begun)
        cw_h3_init(&f->hash, CW_REFERENCE_COUNT_TABLE_SEED, f->p->key_w, f->p->set_w);
    f->begun = true;
    *in = (in_t){0};
    if (!out->op_ready) { /* after a reset */
        f->step = FILL_WAIT;
        f->done = 7;
        return;
    }
    if (fill_step_is_over(f)) {
        f->step = (f->step + 1) % FILL_STEPS;
        f->done = 0;
        if (f->step == FILL_ENTER) {
            f->held = 0;
            memset(f->in_set, 0, sizeof f->in_set);
        }
    }
    fill_operation(f, in);
}

static const params_t fill_largest = {8, 13, 30, 4}, fill_smallest = {1, 1, 4, 1}, fill_counts = {5, 2, 12, 16};
static const struct cw_lockstep_set fill_ends[] = {
    {"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"counts", &fill_counts, 0}};
FILL_TEST(reference_count_table, fill_ends, 700000, 700000)

#endif
