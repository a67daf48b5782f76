/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the lane counter (contract: include/cowarp/unit/lane_counter.h). */
#include "cowarp/unit/lane_counter.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/state.h"

struct lane_counter {
    struct cw_lane_counter_params p;
    uint64_t total;
};

static int lc_create(void **self, const void *params)
{
    struct lane_counter *l = *self = calloc(1, sizeof *l);
    if (l == NULL)
        return CW_ENOMEM;
    l->p = *(const struct cw_lane_counter_params *)params;
    return CW_OK;
}

static void lc_destroy(void *self)
{
    free(self);
}

static void lc_reset(void *self)
{
    ((struct lane_counter *)self)->total = 0;
}

static void lc_eval(void *self, const void *inputs, void *outputs)
{
    const struct lane_counter *l = self;
    const struct cw_lane_counter_in *in = inputs;
    struct cw_lane_counter_out *out = outputs;
    out->slots = (uint64_t)__builtin_popcountll(in->issue_valid);
    out->total = l->total;
}

static void lc_tick(void *self, const void *inputs)
{
    struct lane_counter *l = self;
    const struct cw_lane_counter_in *in = inputs;
    const uint64_t lanes[CW_LANE_COUNTER_SLOTS] = {in->lanes_0, in->lanes_1, in->lanes_2, in->lanes_3};
    for (uint32_t s = 0; s < CW_LANE_COUNTER_SLOTS; s++)
        if ((in->issue_valid >> s & 1u) != 0)
            l->total += (uint64_t)__builtin_popcountll(lanes[s]);
    if (l->p.count_w < 64)
        l->total &= (UINT64_C(1) << l->p.count_w) - 1;
}

static void lc_state(void *self, struct cw_state *s)
{
    CW_STATE(s, ((struct lane_counter *)self)->total);
}

#define CW_UNIT__PARAMS_T struct cw_lane_counter_params
#define CW_UNIT__IN_T     struct cw_lane_counter_in
#define CW_UNIT__OUT_T    struct cw_lane_counter_out
CW_UNIT_DEFINE_WORDS(lane_counter, CW_LANE_COUNTER_PARAMS, CW_LANE_COUNTER_PORTS, CW_LANE_COUNTER_WORDS, lc_create, lc_destroy, lc_reset,
                     lc_eval, lc_tick, lc_state);
