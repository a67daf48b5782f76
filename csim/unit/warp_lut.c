/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the PC-warp table (contract: include/cowarp/unit/warp_lut.h). */
#include "cowarp/unit/warp_lut.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"

typedef struct cw_warp_lut_in lut_in;
typedef struct cw_warp_lut_out lut_out;

#define SETS_MAX 64u
#define WAYS_MAX 8u

struct entry {
    bool used;
    uint32_t pc, warp, taken;
};

struct lut {
    struct cw_warp_lut_params p;
    uint32_t sets, lane_mask, pc_mask, warp_mask;
    struct entry entry[SETS_MAX][WAYS_MAX];
    uint32_t turn[SETS_MAX]; /* way that is evicted next */
    lut_out answer;
    uint32_t busy; /* cycles */
};

static void lut_reset(void *self)
{
    struct lut *t = self;
    memset(t->entry, 0, sizeof t->entry);
    memset(t->turn, 0, sizeof t->turn);
    memset(&t->answer, 0, sizeof t->answer);
    t->busy = 0;
}

static int lut_create(void **self, const void *params)
{
    const struct cw_warp_lut_params *p = params;
    if (cw_unit_params_check(&cw_warp_lut_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct lut *t = calloc(1, sizeof *t);
    if (t == NULL)
        return CW_ENOMEM;
    t->p = *p;
    t->sets = 1u << p->set_w;
    t->lane_mask = UINT32_MAX >> (32 - p->lanes);
    t->pc_mask = UINT32_MAX >> (32 - p->pc_w);
    t->warp_mask = UINT32_MAX >> (32 - p->warp_w);
    *self = t;
    return CW_OK;
}

static void lut_destroy(void *self)
{
    free(self);
}

static void close_warp(struct lut *t, uint32_t warp)
{
    for (uint32_t s = 0; s < t->sets; s++)
        for (uint32_t w = 0; w < t->p.ways; w++)
            if (t->entry[s][w].warp == warp)
                t->entry[s][w].used = false;
}

static struct entry *find(struct lut *t, uint32_t pc)
{
    struct entry *set = t->entry[pc % t->sets];
    for (uint32_t w = 0; w < t->p.ways; w++)
        if (set[w].used && set[w].pc == pc)
            return &set[w];
    return NULL;
}

/* A place for an entry of this PC; what is there is evicted. */
static struct entry *place_for(struct lut *t, uint32_t pc)
{
    uint32_t s = pc % t->sets;
    for (uint32_t w = 0; w < t->p.ways; w++)
        if (!t->entry[s][w].used)
            return &t->entry[s][w];
    struct entry *e = &t->entry[s][t->turn[s]];
    t->turn[s] = (t->turn[s] + 1) % t->p.ways;
    t->answer.evict_valid = 1;
    t->answer.evict_pc = e->pc;
    t->answer.evict_warp = e->warp;
    return e;
}

static void update(struct lut *t, uint32_t pc, uint32_t lanes, uint32_t warp)
{
    struct entry *e = find(t, pc);
    t->answer.ans_valid = 1;
    if (e != NULL) {
        uint32_t rest = lanes & e->taken;
        t->answer.ans_found = 1;
        t->answer.ans_join_lanes = lanes & ~e->taken;
        t->answer.ans_join_warp = e->warp;
        e->taken |= lanes;
        lanes = rest;
        if (lanes == 0)
            return;
    } else
        e = place_for(t, pc);
    *e = (struct entry){.used = true, .pc = pc, .warp = warp, .taken = lanes};
    t->answer.ans_begin_lanes = lanes;
    t->answer.ans_begin_warp = warp;
}

static void lut_tick(void *self, const void *inputs)
{
    struct lut *t = self;
    const lut_in *in = inputs;
    uint32_t lanes = (uint32_t)in->upd_lanes & t->lane_mask;
    memset(&t->answer, 0, sizeof t->answer);
    t->busy -= t->busy > 0;
    if (in->close_valid & 1) {
        close_warp(t, (uint32_t)in->close_warp & t->warp_mask);
        t->busy = t->busy > 1 ? t->busy : 1;
    }
    if (in->upd_valid & 1)
        t->busy = 2;
    if ((in->upd_valid & 1) && lanes != 0)
        update(t, (uint32_t)in->upd_pc & t->pc_mask, lanes, (uint32_t)in->upd_warp & t->warp_mask);
}

static void lut_eval(void *self, const void *inputs, void *outputs)
{
    const struct lut *t = self;
    lut_out *out = outputs;
    (void)inputs;
    *out = t->answer;
    out->busy = t->busy > 0;
}

static void lut_state(void *self, struct cw_state *s)
{
    struct lut *t = self;
    for (uint32_t i = 0; i < t->sets; i++) {
        for (uint32_t w = 0; w < t->p.ways; w++) {
            CW_STATE(s, t->entry[i][w].used);
            CW_STATE(s, t->entry[i][w].pc);
            CW_STATE(s, t->entry[i][w].warp);
            CW_STATE(s, t->entry[i][w].taken);
        }
        cw_state_count(s, "turn", &t->turn[i], t->p.ways - 1);
    }
    CW_STATE_PORTS(s, t->answer);
    CW_STATE(s, t->busy);
}

#define CW_UNIT__PARAMS_T struct cw_warp_lut_params
#define CW_UNIT__IN_T     struct cw_warp_lut_in
#define CW_UNIT__OUT_T    struct cw_warp_lut_out
CW_UNIT_DEFINE(warp_lut, CW_WARP_LUT_PARAMS, CW_WARP_LUT_PORTS, lut_create, lut_destroy, lut_reset, lut_eval, lut_tick, lut_state);
