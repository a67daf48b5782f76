/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the priority encoder (contract: include/cowarp/unit/priority_encoder.h). */
#include "cowarp/unit/priority_encoder.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/state.h"

struct encoder {
    uint64_t vector_mask;
    bool none;
    uint32_t index;
    uint64_t rest;
};

static void encoder_reset(void *self)
{
    struct encoder *e = self;
    e->none = true;
    e->index = 0;
    e->rest = 0;
}

static int encoder_create(void **self, const void *params)
{
    const struct cw_priority_encoder_params *p = params;
    if (cw_unit_params_check(&cw_priority_encoder_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct encoder *e = calloc(1, sizeof *e);
    if (e == NULL)
        return CW_ENOMEM;
    e->vector_mask = UINT64_MAX >> (64 - p->width);
    encoder_reset(e);
    *self = e;
    return CW_OK;
}

static void encoder_destroy(void *self)
{
    free(self);
}

static void encoder_eval(void *self, const void *inputs, void *outputs)
{
    const struct encoder *e = self;
    struct cw_priority_encoder_out *out = outputs;
    (void)inputs;
    out->none = e->none;
    out->index = e->index;
    out->rest = e->rest;
}

static void encoder_tick(void *self, const void *inputs)
{
    struct encoder *e = self;
    const struct cw_priority_encoder_in *in = inputs;
    if ((in->in_valid & 1) == 0)
        return;
    uint64_t vector = in->in_vector & e->vector_mask;
    encoder_reset(e);
    if (vector == 0)
        return;
    e->none = false;
    while ((vector >> e->index & 1) == 0)
        e->index++;
    e->rest = vector & ~((uint64_t)1 << e->index);
}

static void encoder_state(void *self, struct cw_state *s)
{
    struct encoder *e = self;
    CW_STATE(s, e->none);
    CW_STATE(s, e->index);
    CW_STATE(s, e->rest);
}

#define CW_UNIT__PARAMS_T struct cw_priority_encoder_params
#define CW_UNIT__IN_T     struct cw_priority_encoder_in
#define CW_UNIT__OUT_T    struct cw_priority_encoder_out
CW_UNIT_DEFINE(priority_encoder, CW_PRIORITY_ENCODER_PARAMS, CW_PRIORITY_ENCODER_PORTS, encoder_create, encoder_destroy, encoder_reset,
               encoder_eval, encoder_tick, encoder_state);
