/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the thread compactor (contract: include/cowarp/unit/thread_compactor.h). */
#include "cowarp/unit/thread_compactor.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"

#define WARPS_MAX 32u
#define LANES_MAX 32u

/* A warp that was made. */
struct made {
    uint32_t lanes;
    uint32_t home[LANES_MAX / 4]; /* A byte of a lane, as the port has them */
};

struct compactor {
    struct cw_thread_compactor_params p;
    uint32_t lane_mask;
    bool counted; /* a mask came in the last cycle */
    uint32_t count, next;
    struct made warp[WARPS_MAX]; /* those from next on are still to be taken */
};

static void compactor_reset(void *self)
{
    struct compactor *c = self;
    c->counted = false;
    c->count = c->next = 0;
}

static int compactor_create(void **self, const void *params)
{
    const struct cw_thread_compactor_params *p = params;
    if (cw_unit_params_check(&cw_thread_compactor_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct compactor *c = calloc(1, sizeof *c);
    if (c == NULL)
        return CW_ENOMEM;
    c->p = *p;
    c->lane_mask = UINT32_MAX >> (32 - p->lanes);
    *self = c;
    return CW_OK;
}

static void compactor_destroy(void *self)
{
    free(self);
}

static void give(struct made *warp, uint32_t lane, uint32_t home)
{
    warp->lanes |= 1u << lane;
    warp->home[lane / 4] |= home << 8 * (lane % 4);
}

/* Each lane's threads go to warps 0, 1, ... in their order. */
static uint32_t compact(struct compactor *c, const uint32_t *mask)
{
    uint32_t threads[LANES_MAX] = {0}, count = 0;
    for (uint32_t w = 0; w < c->p.warps; w++)
        for (uint32_t left = mask[w] & c->lane_mask, l = 0; left != 0; left >>= 1, l++)
            if (left & 1)
                give(&c->warp[threads[l]++], l, w);
    for (uint32_t l = 0; l < c->p.lanes; l++)
        if (threads[l] > count)
            count = threads[l];
    return count;
}

static uint32_t keep(struct compactor *c, const uint32_t *mask)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < c->p.warps; w++) {
        uint32_t lanes = mask[w] & c->lane_mask;
        for (uint32_t l = 0; l < c->p.lanes; l++)
            if (lanes >> l & 1)
                give(&c->warp[count], l, w);
        count += lanes != 0;
    }
    return count;
}

static void compactor_tick(void *self, const void *inputs)
{
    struct compactor *c = self;
    const struct cw_thread_compactor_in *in = inputs;
    c->counted = false;
    if (c->next < c->count) {
        c->next += in->warp_ready & 1;
        return;
    }
    if ((in->start_valid & 1) == 0)
        return;
    memset(c->warp, 0, sizeof c->warp);
    c->counted = true;
    c->next = 0;
    c->count = in->start_static & 1 ? keep(c, in->start_mask) : compact(c, in->start_mask);
}

static void compactor_eval(void *self, const void *inputs, void *outputs)
{
    const struct compactor *c = self;
    struct cw_thread_compactor_out *out = outputs;
    (void)inputs;
    memset(out, 0, sizeof *out);
    out->count_valid = c->counted;
    out->count = c->counted ? c->count : 0;
    out->start_ready = c->next == c->count;
    if (c->next == c->count)
        return;
    const struct made *warp = &c->warp[c->next];
    out->warp_valid = 1;
    out->warp_last = c->next + 1 == c->count;
    out->warp_lanes = warp->lanes;
    memcpy(out->warp_home, warp->home, sizeof warp->home);
}

static void compactor_state(void *self, struct cw_state *s)
{
    struct compactor *c = self;
    CW_STATE(s, c->counted);
    cw_state_count(s, "warps", &c->count, WARPS_MAX);
    cw_state_count(s, "next", &c->next, c->count);
    for (uint32_t i = c->next; i < c->count; i++) {
        CW_STATE(s, c->warp[i].lanes);
        CW_STATE(s, c->warp[i].home);
    }
}

#define CW_UNIT__PARAMS_T struct cw_thread_compactor_params
#define CW_UNIT__IN_T     struct cw_thread_compactor_in
#define CW_UNIT__OUT_T    struct cw_thread_compactor_out
CW_UNIT_DEFINE(thread_compactor, CW_THREAD_COMPACTOR_PARAMS, CW_THREAD_COMPACTOR_PORTS, compactor_create, compactor_destroy,
               compactor_reset, compactor_eval, compactor_tick, compactor_state);
