/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the select of the transaction conflict mask (contract: include/cowarp/unit/tcm_select.h). */
#include "cowarp/unit/tcm_select.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/state.h"

struct selector {
    uint32_t lanes;
    uint64_t lane_mask;
    uint64_t tcm, run;
    uint64_t mode; /* enum cw_local_mode */
    bool want, free;
};

static void select_reset(void *self)
{
    struct selector *s = self;
    s->tcm = s->run = 0;
    s->mode = CW_LOCAL_TRANSACTIONAL;
    s->want = s->free = false;
}

static int select_create(void **self, const void *params)
{
    const struct cw_tcm_select_params *p = params;
    if (cw_unit_params_check(&cw_tcm_select_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct selector *s = calloc(1, sizeof *s);
    if (s == NULL)
        return CW_ENOMEM;
    s->lanes = p->lanes;
    s->lane_mask = UINT64_MAX >> (64 - p->lanes);
    *self = s;
    return CW_OK;
}

static void select_destroy(void *self)
{
    free(self);
}

static void select_eval(void *self, const void *inputs, void *outputs)
{
    const struct selector *s = self;
    struct cw_tcm_select_out *out = outputs;
    (void)inputs;
    out->sel_tcm = s->tcm;
    out->sel_run = s->run;
    out->sel_mode = s->mode;
    out->sel_want = s->want;
    out->sel_free = s->free;
}

static uint64_t next_mode(uint64_t mode, bool same, bool conflict, bool keep)
{
    if (mode == CW_LOCAL_TRANSACTIONAL)
        return same ? CW_LOCAL_WAVEFRONT : CW_LOCAL_TRANSACTIONAL;
    if (mode == CW_LOCAL_WAVEFRONT)
        return (same | conflict) ? CW_LOCAL_WORK_GROUP : CW_LOCAL_TRANSACTIONAL;
    return (same | conflict | keep) ? CW_LOCAL_WORK_GROUP : CW_LOCAL_TRANSACTIONAL;
}

/* The first lane of tcm in the order, as a mask. A fixed number of steps without branches, so that a proof does not split for each lane. */
static uint64_t first_lane(const struct selector *s, uint64_t tcm, uint64_t descending)
{
    uint64_t lowest = 0, highest = 0, before = 0, after = 0;
    for (uint32_t i = 0; i < s->lanes; i++) {
        const uint32_t j = s->lanes - 1 - i;
        const uint64_t up = tcm >> i & 1, down = tcm >> j & 1;
        lowest |= (up & ~before) << i;
        highest |= (down & ~after) << j;
        before |= up;
        after |= down;
    }
    return descending != 0 ? highest : lowest;
}

static void select_tick(void *self, const void *inputs)
{
    struct selector *s = self;
    const struct cw_tcm_select_in *in = inputs;
    if ((in->ask_valid & 1) == 0)
        return;
    const uint64_t tcm = in->ask_tcm & s->lane_mask, before = in->ask_before & s->lane_mask;
    const uint64_t ran_into = tcm & ~in->ask_start;
    const bool token = (in->ask_token & 1) != 0;
    select_reset(s);
    if (tcm != 0)
        s->mode = next_mode(in->ask_mode & 3, tcm == before, ran_into != 0, (in->ask_keep & 1) != 0);
    s->run = tcm;
    if (s->mode != CW_LOCAL_TRANSACTIONAL) {
        const uint64_t chosen = s->mode == CW_LOCAL_WAVEFRONT && (in->ask_multiple & 1) != 0 ? tcm & in->ask_mcm : 0;
        s->run = chosen != 0 ? chosen : first_lane(s, tcm, in->ask_descending & 1);
    }
    s->tcm = tcm & ~s->run;
    s->want = s->mode == CW_LOCAL_WORK_GROUP && !token;
    s->free = s->mode != CW_LOCAL_WORK_GROUP && token;
}

static void select_state(void *self, struct cw_state *s)
{
    struct selector *t = self;
    CW_STATE(s, t->tcm);
    CW_STATE(s, t->run);
    CW_STATE(s, t->mode);
    CW_STATE(s, t->want);
    CW_STATE(s, t->free);
}

#define CW_UNIT__PARAMS_T struct cw_tcm_select_params
#define CW_UNIT__IN_T     struct cw_tcm_select_in
#define CW_UNIT__OUT_T    struct cw_tcm_select_out
CW_UNIT_DEFINE_WORDS(tcm_select, CW_TCM_SELECT_PARAMS, CW_TCM_SELECT_PORTS, CW_TCM_SELECT_WORDS, select_create, select_destroy,
                     select_reset, select_eval, select_tick, select_state);
