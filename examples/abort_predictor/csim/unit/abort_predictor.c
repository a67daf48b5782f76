/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the abort predictor (contract: include/cowarp/unit/abort_predictor.h). */
#include "cowarp/unit/abort_predictor.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"

#define ENTRIES_MAX 64u

struct predictor {
    uint32_t index_mask, count_max;
    uint8_t count[ENTRIES_MAX];
};

static void predictor_reset(void *self)
{
    struct predictor *t = self;
    memset(t->count, 0, sizeof t->count);
}

static int predictor_create(void **self, const void *params)
{
    const struct cw_abort_predictor_params *p = params;
    if (cw_unit_params_check(&cw_abort_predictor_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct predictor *t = calloc(1, sizeof *t);
    if (t == NULL)
        return CW_ENOMEM;
    t->index_mask = (1u << p->index_w) - 1;
    t->count_max = (1u << p->count_w) - 1;
    *self = t;
    return CW_OK;
}

static void predictor_destroy(void *self)
{
    free(self);
}

static void predictor_eval(void *self, const void *inputs, void *outputs)
{
    const struct predictor *t = self;
    const struct cw_abort_predictor_in *in = inputs;
    struct cw_abort_predictor_out *out = outputs;
    out->qry_count = t->count[in->qry_index & t->index_mask];
    out->qry_abort = 2 * out->qry_count > t->count_max;
}

static void predictor_tick(void *self, const void *inputs)
{
    struct predictor *t = self;
    const struct cw_abort_predictor_in *in = inputs;
    uint8_t *count = t->count + (in->upd_index & t->index_mask);
    if (in->upd_valid && in->upd_abort && *count < t->count_max)
        ++*count;
    else if (in->upd_valid && !in->upd_abort && *count > 0)
        --*count;
}

static void predictor_state(void *self, struct cw_state *s)
{
    struct predictor *t = self;
    CW_STATE(s, t->count);
}

#define CW_UNIT__PARAMS_T struct cw_abort_predictor_params
#define CW_UNIT__IN_T     struct cw_abort_predictor_in
#define CW_UNIT__OUT_T    struct cw_abort_predictor_out
CW_UNIT_DEFINE(abort_predictor, CW_ABORT_PREDICTOR_PARAMS, CW_ABORT_PREDICTOR_PORTS, predictor_create, predictor_destroy, predictor_reset,
               predictor_eval, predictor_tick, predictor_state);
