/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the row copy engine (contract: include/cowarp/unit/row_copy_engine.h). */
#include "cowarp/unit/row_copy_engine.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"

typedef struct cw_row_copy_engine_in engine_in;
typedef struct cw_row_copy_engine_out engine_out;

#define REGIONS_MAX 64u

struct region {
    uint64_t first, rows, shift, stride;
    uint32_t tail; /* 1 .. banks */
};

struct engine {
    struct cw_row_copy_engine_params p;
    uint64_t row_mask, stride_mask, regions_mask, out_max;
    struct region region[REGIONS_MAX];
    enum { IDLE, CHOOSE, READ, WALK, WAIT } phase;
    uint64_t from, to, left; /* the job: slots, regions that are left */
    uint32_t chosen;
    struct region at;    /* the chosen one; WALK: its row `at.first` is the next, `at.rows` are left */
    uint32_t bank, step; /* next: of 0 .. 2 * lines, the last is the copy */
    uint64_t out;        /* commands */
    uint64_t copying;    /* banks, a bit each */
};

static void engine_reset(void *self)
{
    struct engine *e = self;
    memset(e->region, 0, sizeof e->region);
    e->phase = IDLE;
    e->out = e->copying = 0;
}

static int engine_create(void **self, const void *params)
{
    const struct cw_row_copy_engine_params *p = params;
    if (cw_unit_params_check(&cw_row_copy_engine_unit, p, NULL) != CW_OK || p->stride_w > p->row_w)
        return CW_EINVAL;
    struct engine *e = calloc(1, sizeof *e);
    if (e == NULL)
        return CW_ENOMEM;
    e->p = *p;
    e->row_mask = (UINT64_C(1) << p->row_w) - 1;
    e->stride_mask = (UINT64_C(1) << p->stride_w) - 1;
    e->regions_mask = UINT64_MAX >> (64 - p->regions);
    e->out_max = (UINT64_C(1) << p->out_w) - 1;
    engine_reset(e);
    *self = e;
    return CW_OK;
}

static void engine_destroy(void *self)
{
    free(self);
}

static bool is_copy(const struct engine *e)
{
    return e->step == 2 * e->p.lines;
}

static bool offers(const struct engine *e)
{
    return e->phase == WALK && e->out < e->out_max && !(is_copy(e) && (e->copying >> e->bank & 1) != 0);
}

static void engine_eval(void *self, const void *inputs, void *outputs)
{
    const struct engine *e = self;
    engine_out *out = outputs;
    (void)inputs;
    memset(out, 0, sizeof *out);
    out->start_ready = e->phase == IDLE;
    out->done = e->phase == WAIT && e->out == 0;
    out->idle = e->phase == IDLE || (e->phase == WAIT && e->out > 0);
    if (!offers(e))
        return;
    out->cmd_valid = 1;
    out->cmd_kind = is_copy(e) ? CW_ROW_COPY_COPY : e->step % 2 == 0 ? CW_ROW_COPY_CLEAN : CW_ROW_COPY_DROP;
    out->cmd_row = e->at.first;
    out->cmd_from = (e->at.first + e->at.shift + e->from * e->at.stride) & e->row_mask;
    out->cmd_to = (e->at.first + e->at.shift + e->to * e->at.stride) & e->row_mask;
    out->cmd_bank = e->bank;
    out->cmd_line = is_copy(e) ? 0 : e->step / 2;
}

/* The command that is offered has been taken. */
static void advance(struct engine *e)
{
    const uint32_t banks = e->at.rows == 1 ? e->at.tail : e->p.banks;
    if (!is_copy(e)) {
        e->step++;
        return;
    }
    e->copying |= UINT64_C(1) << e->bank;
    e->step = 0;
    if (++e->bank < banks)
        return;
    e->bank = 0;
    e->at.first = (e->at.first + 1) & e->row_mask;
    if (--e->at.rows == 0)
        e->phase = CHOOSE;
}

static void work(struct engine *e, bool taken)
{
    if (e->phase == CHOOSE) {
        e->phase = e->left == 0 ? WAIT : READ;
        e->chosen = e->left == 0 ? 0 : (uint32_t)__builtin_ctzll(e->left);
        e->left &= e->left - 1;
        e->at = e->region[e->chosen];
    } else if (e->phase == READ) {
        e->bank = e->step = 0;
        e->phase = e->at.rows == 0 ? CHOOSE : WALK;
    } else if (e->phase == WAIT && e->out == 0) {
        e->phase = IDLE;
    } else if (taken) {
        advance(e);
    }
}

static void set_region(struct engine *e, const engine_in *in)
{
    const uint32_t index = in->set_index & 63, tail = in->set_tail & 127;
    if (index >= e->p.regions)
        return;
    e->region[index] = (struct region){.first = in->set_first & e->row_mask,
                                       .rows = in->set_rows & e->row_mask,
                                       .shift = in->set_shift & e->row_mask,
                                       .stride = in->set_stride & e->stride_mask,
                                       .tail = tail == 0 || tail > e->p.banks ? e->p.banks : tail};
}

static void engine_tick(void *self, const void *inputs)
{
    struct engine *e = self;
    const engine_in *in = inputs;
    const bool taken = offers(e) && in->cmd_ready, returns = in->ret_valid && e->out > 0;
    if (in->set_valid)
        set_region(e, in);
    if (returns && in->ret_copy)
        e->copying &= ~(UINT64_C(1) << (in->ret_bank & 63));
    if (e->phase == IDLE && in->start_valid) {
        e->phase = CHOOSE;
        e->from = in->start_from & 15;
        e->to = in->start_to & 15;
        e->left = in->start_regions & e->regions_mask;
    } else {
        work(e, taken);
    }
    e->out = e->out + taken - returns;
}

static void region_state(struct cw_state *s, struct region *r)
{
    CW_STATE(s, r->first);
    CW_STATE(s, r->rows);
    CW_STATE(s, r->shift);
    CW_STATE(s, r->stride);
    CW_STATE(s, r->tail);
}

static void engine_state(void *self, struct cw_state *s)
{
    struct engine *e = self;
    for (uint32_t i = 0; i < e->p.regions; i++)
        region_state(s, &e->region[i]);
    CW_STATE(s, e->phase);
    CW_STATE(s, e->from);
    CW_STATE(s, e->to);
    CW_STATE(s, e->left);
    cw_state_count(s, "region", &e->chosen, e->p.regions - 1);
    region_state(s, &e->at);
    CW_STATE(s, e->bank);
    CW_STATE(s, e->step);
    CW_STATE(s, e->out);
    CW_STATE(s, e->copying);
}

#define CW_UNIT__PARAMS_T struct cw_row_copy_engine_params
#define CW_UNIT__IN_T     struct cw_row_copy_engine_in
#define CW_UNIT__OUT_T    struct cw_row_copy_engine_out
CW_UNIT_DEFINE_WORDS(row_copy_engine, CW_ROW_COPY_ENGINE_PARAMS, CW_ROW_COPY_ENGINE_PORTS, CW_ROW_COPY_ENGINE_WORDS, engine_create,
                     engine_destroy, engine_reset, engine_eval, engine_tick, engine_state);
