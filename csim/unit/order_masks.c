/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the order masks (contract: include/cowarp/unit/order_masks.h). */
#include "cowarp/unit/order_masks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/persist_buffer.h"

struct masks {
    struct cw_order_masks_params p;
    uint64_t warp_mask, warp_number_mask; /* of ports */
    uint32_t actr_max;
    uint64_t odm, edm, fsm;
    uint32_t actr;
    uint32_t left; /* lines that have left while a warp was in EDM, at most `patience` */
    bool armed;    /* an acquire of device scope has left the buffer */
    uint64_t resume_warps;
    bool resume, invalidate;
};

static void masks_reset(void *self)
{
    struct masks *m = self;
    m->odm = m->edm = m->fsm = m->resume_warps = 0;
    m->actr = m->left = 0;
    m->armed = m->resume = m->invalidate = false;
}

static int masks_create(void **self, const void *params)
{
    const struct cw_order_masks_params *p = params;
    if (cw_unit_params_check(&cw_order_masks_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct masks *m = calloc(1, sizeof *m);
    if (m == NULL)
        return CW_ENOMEM;
    m->p = *p;
    m->warp_mask = UINT64_MAX >> (64 - p->warps);
    m->warp_number_mask = (1u << CW_ORDER_MASKS_INDEX_W(p->warps)) - 1;
    m->actr_max = (1u << p->actr_w) - 1;
    *self = m;
    return CW_OK;
}

static void masks_destroy(void *self)
{
    free(self);
}

static void masks_eval(void *self, const void *inputs, void *outputs)
{
    const struct masks *m = self;
    struct cw_order_masks_out *out = outputs;
    (void)inputs;
    out->odm = m->odm;
    out->edm = m->edm;
    out->fsm = m->fsm;
    out->actr = m->actr;
    out->actr_full = m->actr + 2 > m->actr_max;
    out->hold = m->left == m->p.patience;
    out->resume_valid = m->resume;
    out->resume_warps = m->resume_warps;
    out->invalidate = m->invalidate;
    out->busy = m->resume;
}

/* The bit of a warp, if it is valid and the core has one of this number. No case of its own for either: this is compiled for proofs, too.
 */
static uint64_t bit_of(const struct masks *m, uint64_t valid, uint64_t warp)
{
    return (valid & 1) << (warp & m->warp_number_mask) & m->warp_mask;
}

static void count_lines(struct masks *m, const struct cw_order_masks_in *in)
{
    const uint32_t leave = (uint32_t)(in->flush_valid & 1) + (uint32_t)(in->evict_valid & 1);
    const uint32_t ack = (uint32_t)(in->ack_valid & (m->actr != 0));
    if (m->edm != 0)
        m->left = m->left + leave < m->p.patience ? m->left + leave : m->p.patience;
    m->actr = m->actr + leave - ack;
    if (m->actr > m->actr_max)
        m->actr = m->actr_max;
}

static void order(struct masks *m, uint64_t kind, uint64_t warps)
{
    if (kind == CW_PERSIST_LINE || kind >= CW_PERSIST_KIND_CNT)
        return;
    m->fsm |= warps;
    if (kind < CW_PERSIST_ACQ_DEV)
        return;
    m->edm |= warps & m->odm;
    m->odm &= ~warps;
    m->armed |= kind == CW_PERSIST_ACQ_DEV;
}

/* Nothing is outstanding. */
static void release(struct masks *m)
{
    m->resume = (m->edm != 0) | m->armed;
    m->resume_warps = m->edm;
    m->invalidate = m->armed;
    m->edm = m->fsm = 0;
    m->left = 0;
    m->armed = false;
}

static void masks_tick(void *self, const void *inputs)
{
    struct masks *m = self;
    const struct cw_order_masks_in *in = inputs;
    m->resume = m->invalidate = false;
    m->resume_warps = 0;
    count_lines(m, in);
    m->odm |= bit_of(m, in->stall_valid, in->stall_warp);
    m->edm |= bit_of(m, in->delay_valid, in->delay_warp);
    if (in->order_valid & 1)
        order(m, in->order_kind & 7, in->order_warps & m->warp_mask);
    if (m->actr == 0)
        release(m);
}

static void masks_state(void *self, struct cw_state *s)
{
    struct masks *m = self;
    CW_STATE(s, m->odm);
    CW_STATE(s, m->edm);
    CW_STATE(s, m->fsm);
    CW_STATE(s, m->actr);
    CW_STATE(s, m->left);
    CW_STATE(s, m->armed);
    CW_STATE(s, m->resume_warps);
    CW_STATE(s, m->resume);
    CW_STATE(s, m->invalidate);
}

#define CW_UNIT__PARAMS_T struct cw_order_masks_params
#define CW_UNIT__IN_T     struct cw_order_masks_in
#define CW_UNIT__OUT_T    struct cw_order_masks_out
CW_UNIT_DEFINE(order_masks, CW_ORDER_MASKS_PARAMS, CW_ORDER_MASKS_PORTS, masks_create, masks_destroy, masks_reset, masks_eval, masks_tick,
               masks_state);
