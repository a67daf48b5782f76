/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the ownership table: every entry gets an owner, each is read by all lanes and by its owner; then the next warp begins. */
#ifndef CW_TESTS_RTL_FILL_OWNERSHIP_TABLE_H
#define CW_TESTS_RTL_FILL_OWNERSHIP_TABLE_H

#include "fill/fill.h"

enum fill_step { FILL_START, FILL_MARK, FILL_OWN, FILL_READ, FILL_END, FILL_RESULT, FILL_STEPS };

struct fill {
    const params_t *p;
    enum fill_step step;
    uint32_t done;
    in_t last;
};

/* Lane l has an entry of bank l mod banks; an address below the number of entries is an entry's number. UINT32_MAX: none is left. */
static uint32_t fill_address(const struct fill *f, uint32_t op, uint32_t lane)
{
    const uint32_t entries = 4u << (f->p->row_w + f->p->bank_w);
    const uint32_t word = lane + f->p->lanes * (op / 4), entry = 4 * word + op % 4;
    return entry < entries ? entry : UINT32_MAX;
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    static const uint64_t kind[] = {0, CW_OWNERSHIP_MARK, CW_OWNERSHIP_CHECK_WRITE, CW_OWNERSHIP_CHECK_READ, CW_OWNERSHIP_END, 0};
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    const uint32_t entries = 4u << (f->p->row_w + f->p->bank_w), ops = (entries + f->p->lanes - 1) / f->p->lanes + 3;
    f->done += f->last.op_valid && out->op_ready;
    const bool over = f->step == FILL_START    ? f->last.start_valid && out->start_ready
                      : f->step == FILL_RESULT ? out->result_valid && f->last.result_ready
                      : f->step == FILL_END    ? f->done == 1
                                               : f->done == ops / 4 * 4;
    if (over) {
        f->step = (f->step + 1) % FILL_STEPS;
        f->done = 0;
    }
    *in = (in_t){.start_valid = f->step == FILL_START, .start_lanes = UINT64_MAX, .op_kind = kind[f->step], .op_lanes = UINT64_MAX};
    in->op_valid = f->step != FILL_START && f->step != FILL_RESULT;
    in->result_ready = cw_rng_below(rng, 2);
    for (uint32_t lane = 0; lane < f->p->lanes; lane++)
        if ((in->op_addr[lane] = fill_address(f, f->done, lane)) == UINT32_MAX)
            in->op_lanes &= ~(UINT64_C(1) << lane);
    f->last = *in;
}

static const params_t fill_largest = {32, 32, 5, 10}, fill_smallest = {2, 5, 1, 1}, fill_odd = {7, 13, 2, 3};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(ownership_table, fill_ends, 40000, 400000)

#endif
