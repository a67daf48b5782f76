/* SPDX-License-Identifier: Apache-2.0 */
/* C model of TCD's first-read time table (contract: include/cowarp/unit/first_read_table.h). */
#include "cowarp/unit/first_read_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"

typedef struct cw_first_read_table_in first_in;
typedef struct cw_first_read_table_out first_out;

#define WARPS_MAX 64u
#define LANES_MAX 32u

/* A response between its acceptance and its verdict. The verdict is known at once; it is recorded a cycle later. */
struct verdict {
    uint32_t warp, accepted, conflict;
};

struct first {
    struct cw_first_read_table_params p;
    uint64_t time_mask;
    uint32_t lane_mask;
    uint32_t read[WARPS_MAX], conflict[WARPS_MAX]; /* lanes */
    uint64_t time[WARPS_MAX][LANES_MAX];           /* of the first load, where read */
    struct verdict pending;
    first_out answer; /* found_* and ans_* of this cycle */
};

static void first_reset(void *self)
{
    struct first *f = self;
    memset(f->read, 0, sizeof f->read);
    memset(f->conflict, 0, sizeof f->conflict);
    memset(&f->pending, 0, sizeof f->pending);
    memset(&f->answer, 0, sizeof f->answer);
}

static int first_create(void **self, const void *params)
{
    const struct cw_first_read_table_params *p = params;
    if (cw_unit_params_check(&cw_first_read_table_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct first *f = calloc(1, sizeof *f);
    if (f == NULL)
        return CW_ENOMEM;
    f->p = *p;
    f->time_mask = UINT64_MAX >> (64 - p->time_w);
    f->lane_mask = UINT32_MAX >> (32 - p->lanes);
    *self = f;
    return CW_OK;
}

static void first_destroy(void *self)
{
    free(self);
}

static void first_eval(void *self, const void *inputs, void *outputs)
{
    const struct first *f = self;
    first_out *out = outputs;
    (void)inputs;
    *out = f->answer;
    out->idle = f->pending.accepted == 0 && !f->answer.found_valid && !f->answer.ans_valid;
}

static void answer_query(struct first *f, const first_in *in)
{
    uint32_t warp = (uint32_t)in->qry_warp;
    f->answer.ans_valid = 1;
    if (warp >= f->p.warps)
        return;
    f->answer.ans_read = f->read[warp];
    f->answer.ans_conflict = f->conflict[warp] | (f->pending.warp == warp ? f->pending.conflict : 0);
}

/* The verdict on the response of this cycle; first reads are those of the start of the cycle, times those after a rebase. */
static struct verdict judge(const struct first *f, const first_in *in, uint32_t begins)
{
    struct verdict v = {(uint32_t)in->rsp_warp, 0, 0};
    if (!in->rsp_valid || v.warp >= f->p.warps)
        return v;
    v.accepted = (uint32_t)in->rsp_lanes & f->read[v.warp] & ~begins;
    for (uint32_t rest = v.accepted; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        bool rebased = in->load_valid && in->load_rebase && in->load_warp == v.warp && (in->load_lanes >> lane & 1);
        if ((in->rsp_written & f->time_mask) > (rebased ? 0 : f->time[v.warp][lane]))
            v.conflict |= 1u << lane;
    }
    return v;
}

static void load(struct first *f, const first_in *in)
{
    uint32_t warp = (uint32_t)in->load_warp;
    uint32_t lanes = (uint32_t)in->load_lanes & f->lane_mask;
    uint32_t changed = lanes & (in->load_rebase ? f->read[warp] : ~f->read[warp]);
    for (uint32_t rest = changed; rest != 0; rest &= rest - 1)
        f->time[warp][__builtin_ctz(rest)] = in->load_rebase ? 0 : in->now & f->time_mask;
    if (!in->load_rebase)
        f->read[warp] |= lanes;
}

static void first_tick(void *self, const void *inputs)
{
    struct first *f = self;
    const first_in *in = inputs;
    uint32_t beg_warp = (uint32_t)in->beg_warp;
    uint32_t beg_lanes = in->beg_valid ? (uint32_t)in->beg_lanes : 0;
    memset(&f->answer, 0, sizeof f->answer);
    if (in->qry_valid)
        answer_query(f, in);
    struct verdict next = judge(f, in, in->rsp_warp == beg_warp ? beg_lanes : 0);
    uint32_t found = f->pending.conflict & ~(f->pending.warp == beg_warp ? beg_lanes : 0);
    if (found != 0) {
        f->conflict[f->pending.warp] |= found;
        f->answer.found_valid = 1;
        f->answer.found_warp = f->pending.warp;
        f->answer.found_lanes = found;
    }
    f->pending = next;
    if (beg_warp < f->p.warps) {
        f->read[beg_warp] &= ~beg_lanes;
        f->conflict[beg_warp] &= ~beg_lanes;
    }
    if (in->load_valid && in->load_warp < f->p.warps)
        load(f, in);
}

static void first_state(void *self, struct cw_state *s)
{
    struct first *f = self;
    CW_STATE(s, f->read);
    CW_STATE(s, f->conflict);
    CW_STATE(s, f->time);
    CW_STATE(s, f->pending.warp);
    CW_STATE(s, f->pending.accepted);
    CW_STATE(s, f->pending.conflict);
    CW_STATE_PORTS(s, f->answer);
}

#define CW_UNIT__PARAMS_T struct cw_first_read_table_params
#define CW_UNIT__IN_T     struct cw_first_read_table_in
#define CW_UNIT__OUT_T    struct cw_first_read_table_out
CW_UNIT_DEFINE(first_read_table, CW_FIRST_READ_TABLE_PARAMS, CW_FIRST_READ_TABLE_PORTS, first_create, first_destroy, first_reset,
               first_eval, first_tick, first_state);
