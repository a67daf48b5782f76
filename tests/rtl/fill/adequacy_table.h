/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the predictor of compaction-adequacy: warps come to each row, for a branch of each entry, some as often as a count of threads can
 * tell, and then all is forgotten. */
#ifndef CW_TESTS_RTL_FILL_ADEQUACY_TABLE_H
#define CW_TESTS_RTL_FILL_ADEQUACY_TABLE_H

#include "fill/fill.h"

struct fill {
    const params_t *p;
    uint32_t number, warp; /* of the branch; of the warps that come to it */
};

/* All lanes go each way, or lane after lane goes one. */
static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const uint32_t warps = f->number % 16 == 15 ? (1u << f->p->count_w) - 1 : 1, entries = 1u << f->p->index_w, rows = 1u << f->p->row_w;
    const uint32_t branches = 2 * (entries > rows ? entries : rows);
    const uint64_t all = fill_mask(f->p->lanes), one = UINT64_C(1) << f->warp % f->p->lanes;
    const bool pays = f->number / entries % 2 != 0;
    (void)rng;
    (void)last_out;
    if (f->number == branches) {
        *(in_t *)inputs = (in_t){.forget = 1};
        f->number = 0;
        return;
    }
    *(in_t *)inputs = (in_t){.op_valid = 1,
                             .op_row = f->number % rows,
                             .op_first = f->warp == 0,
                             .op_last = f->warp == warps - 1,
                             .op_pc = f->number % entries + (fill_value(f->number / entries, f->p->tag_w) << f->p->index_w),
                             .op_taken = pays ? one : all,
                             .op_other = pays ? one : all};
    if (++f->warp < warps)
        return;
    f->warp = 0;
    f->number++;
}

static const params_t fill_largest = {32, 8, 6, 10, 22}, fill_smallest = {1, 1, 1, 1, 1}, fill_odd = {5, 2, 3, 3, 4};
static const struct cw_lockstep_set fill_ends[] = {{"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}};
FILL_TEST(adequacy_table, fill_ends, 8000, 40000)

#endif
