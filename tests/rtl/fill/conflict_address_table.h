/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the conflict address table: each way of each set gets a word, some find no room, then all go. */
#ifndef CW_TESTS_RTL_FILL_CONFLICT_ADDRESS_TABLE_H
#define CW_TESTS_RTL_FILL_CONFLICT_ADDRESS_TABLE_H

#include "fill/fill.h"
#include "unit/h3.h"

#define FILL_WORDS (8u << 13)

struct fill {
    const params_t *p;
    struct cw_h3 hash;
    bool begun, leaves;
    uint64_t next; /* number of the next word */
    uint32_t held, gone, wait;
    uint64_t word[FILL_WORDS];
    uint8_t in_set[1u << 13];
};

/* The next word of a set with room; every eighth of another. */
static uint64_t fill_word(struct fill *f)
{
    for (uint64_t tries = 0;; tries++) {
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

static void fill_turn(struct fill *f)
{
    f->wait = 16;
    f->leaves = !f->leaves;
    f->gone = 0;
    if (!f->leaves) {
        f->held = 0;
        f->next += 1000;
        memset(f->in_set, 0, sizeof f->in_set);
    }
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    const uint32_t room = f->p->ways << f->p->set_w;
    if (!f->begun)
        cw_h3_init(&f->hash, CW_CONFLICT_ADDRESS_TABLE_SEED, f->p->key_w, f->p->set_w);
    if (!out->ready) { /* after a reset */
        f->begun = f->leaves = true;
        f->gone = f->held = 0;
    }
    *in = (in_t){.qry_valid = 1, .qry_tag = cw_rng_next(rng)};
    in->qry_word = f->word[f->held > 0 ? cw_rng_below(rng, f->held) : 0];
    if (!out->ready)
        return;
    if (f->wait > 0) {
        f->wait--;
    } else if (f->leaves ? f->gone == f->held : f->held == room) {
        fill_turn(f);
    } else {
        in->upd_valid = 1;
        in->upd_remove = f->leaves;
        in->upd_word = f->leaves ? f->word[f->gone++] : fill_word(f);
    }
}

static const params_t fill_largest = {8, 13, 30, 16}, fill_smallest = {1, 1, 4, 1}, fill_odd = {5, 3, 9, 4};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(conflict_address_table, fill_ends, 20000, 900000)

#endif
