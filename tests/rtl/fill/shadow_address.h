/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the shadow address: as many words as fit, and one more, in the first and the last bank. */
#ifndef CW_TESTS_RTL_FILL_SHADOW_ADDRESS_H
#define CW_TESTS_RTL_FILL_SHADOW_ADDRESS_H

#include "fill/fill.h"

struct fill {
    const params_t *p;
};

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    const struct fill *f = context;
    in_t *in = inputs;
    const uint32_t rows = 1u << f->p->row_w, most = rows * 4 / 9; /* words of a bank, their backups, and a fourth of a row for each owner */
    (void)last_out;
    const uint32_t words = most - 2 + cw_rng_below(rng, 5);
    in->req_valid = 1;
    in->req_base = cw_rng_below(rng, 4) != 0 ? 0 : cw_rng_below(rng, 4) != 0 ? rows - 1 - cw_rng_below(rng, 4) : 1;
    in->req_words = cw_rng_below(rng, 4) == 0 ? UINT64_MAX : (uint64_t)words << f->p->bank_w;
    in->req_bank = cw_rng_below(rng, 2) != 0 ? UINT64_MAX : 0;
    in->req_word = cw_rng_below(rng, 4) == 0 ? UINT64_MAX : words - 1 - cw_rng_below(rng, 2) + cw_rng_below(rng, 2);
    if (cw_rng_below(rng, 8) == 0) { /* one word, in the last row but two */
        in->req_base = rows - 3;
        in->req_words = (uint64_t)1 << f->p->bank_w;
        in->req_word = 0;
    }
}

static const params_t fill_largest = {6, 12}, fill_smallest = {1, 3};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}};
FILL_TEST(shadow_address, fill_ends, 8000, 8000)

#endif
