/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the hazard unit: a writer in each way of each set, each checked; results that nobody takes fill the queue; a clear. */
#ifndef CW_TESTS_RTL_FILL_HAZARD_UNIT_H
#define CW_TESTS_RTL_FILL_HAZARD_UNIT_H

#include "fill/hashed_sets.h"

enum fill_step { FILL_RECORD, FILL_CHECK, FILL_EVICT, FILL_APPROX, FILL_CLEAR, FILL_STEPS };

struct fill {
    const params_t *p;
    struct fill_sets sets;
    enum fill_step step;
    uint32_t done, wait, cycle; /* wait: cycles before a clear */
    uint64_t cid;               /* of the last writer */
    in_t last;
};

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    const uint32_t room = f->p->ways << f->p->set_w;
    if (!f->sets.begun)
        fill_sets_choose(&f->sets, f->p->ways, f->p->set_w, f->p->addr_w);
    f->done += f->last.ent_valid && out->ent_ready;
    f->wait = f->step == FILL_CLEAR ? f->wait + 1 : 0;
    if (f->last.clear || f->done == room) {
        f->step = (f->step + 1) % FILL_STEPS;
        f->done = 0;
        if (f->step == FILL_RECORD)
            fill_sets_choose(&f->sets, f->p->ways, f->p->set_w, f->p->addr_w);
    }
    const bool second = f->step == FILL_EVICT, records = f->step == FILL_RECORD || second;
    *in = (in_t){.ent_valid = f->step != FILL_CLEAR, .ent_kind = records ? CW_HAZARD_RECORD : CW_HAZARD_CHECK};
    in->clear = f->wait == 40;
    in->ent_addr = f->sets.word[f->done + (second ? room : 0)];
    const uint64_t most = fill_mask(f->p->cid_w), n = f->done + (second ? room : 0) + 1;
    in->ent_cid = n + (second && most > 4 * room ? most - 2 * room : 0); /* up to the last one */
    if (in->ent_cid > most || !records)
        in->ent_cid = most;
    in->ent_last = 1;
    in->ent_id = f->done;
    in->res_ready = f->wait > 0 || (f->cycle++ % 256 > 40 && cw_rng_below(rng, 8) != 0); /* none for a while */
    f->last = *in;
}

static const params_t fill_largest = {8, 12, 64, 48, 4, 12, 16}, fill_smallest = {1, 1, 4, 4, 1, 1, 1}, fill_odd = {3, 2, 13, 9, 3, 3, 7};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(hazard_unit, fill_ends, 60000, 1600000)

#endif
