/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An operation across lanes that lanes carry out by different instructions: each lane's operands are those of its own instruction, and so is
 * the place of its result. The operands are brought together in registers of their own, and one instruction works on these.
 */
#include "exec/exec_private.h"

#define DST CW_UOP_SRCS /* Registers of the sources have their numbers; those of the results follow. */

struct together {
    const struct cw_exec_side *side;
    uint32_t cnt;
    const struct cw_exec *x;
    uint32_t r32[CW_UOP_SRCS + 2][CW_LANES], pred[CW_UOP_SRCS + 2];
    uint64_t r64[CW_UOP_SRCS][CW_LANES];
};

/* What PTX leaves open is told of the lane's own instruction. */
static void pass_on(void *context, const struct cw_uop *u, const struct cw_exec *x, enum cw_exec_open what, uint32_t lane, uint32_t other)
{
    const struct together *t = context;
    (void)x;
    for (uint32_t i = 0; i < t->cnt; i++)
        if ((t->side[i].lanes >> lane & 1u) != 0)
            u = t->side[i].uop;
    t->x->open(t->x->open_context, u, t->x, what, lane, other);
}

static bool is_pred(struct cw_opnd o)
{
    return o.kind == CW_OPND_PRED || o.kind == CW_OPND_CPRED;
}

/* Where a source is brought to. */
static struct cw_opnd source(struct cw_opnd o, uint32_t i)
{
    const uint8_t kind = is_pred(o) ? CW_OPND_PRED : cw_exec__is64(o) ? CW_OPND_R64 : CW_OPND_R32;
    return (struct cw_opnd){.kind = o.kind == CW_OPND_NONE ? CW_OPND_NONE : kind, .idx = (uint16_t)i};
}

static void bring(struct together *t, const struct cw_exec_side *side, uint32_t i)
{
    const struct cw_opnd o = side->uop->src[i];
    t->pred[i] |= is_pred(o) ? cw_exec__pred(t->x, o) & side->lanes : 0;
    for (uint32_t l = 0; !is_pred(o) && l < CW_LANES; l++)
        if ((side->lanes >> l & 1u) != 0) {
            t->r64[i][l] = cw_exec__get(t->x, o, l);
            t->r32[i][l] = (uint32_t)t->r64[i][l];
        }
}

static void take_result(const struct together *t, const struct cw_exec_side *side)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct cw_opnd o = side->uop->dst[i];
        cw_exec__set_pred(t->x, o, side->lanes, t->pred[DST + i]);
        for (uint32_t l = 0; l < CW_LANES; l++)
            if ((side->lanes >> l & 1u) != 0)
                cw_exec__set(t->x, o, l, t->r32[DST + i][l]);
    }
}

static void carry_out(const struct cw_uop *u, const struct cw_exec *x, uint32_t lanes)
{
    switch (u->op) {
    case CW_OP_SHFL:
        cw_exec__shfl(u, x, lanes);
        break;
    case CW_OP_VOTE:
        cw_exec__vote(u, x, lanes);
        break;
    case CW_OP_MATCH:
        cw_exec__match(u, x, lanes);
        break;
    case CW_OP_REDUX:
        cw_exec__redux(u, x, lanes);
        break;
    default:
        cw_exec__elect(u, x, lanes);
        break;
    }
}

void cw_exec_together(const struct cw_exec_side *side, uint32_t cnt, const struct cw_exec *x)
{
    struct together t = {.side = side, .cnt = cnt, .x = x};
    struct cw_exec joint = *x;
    struct cw_uop u = *side->uop;
    const bool votes = u.op == CW_OP_VOTE && u.cmp != CW_VOTE_BALLOT;
    uint32_t lanes = 0;
    joint.r32 = t.r32[0];
    joint.r64 = t.r64[0];
    joint.pred = t.pred;
    joint.r32_stride = joint.r64_stride = CW_LANES;
    joint.pred_stride = 1;
    joint.open = x->open != NULL ? pass_on : NULL;
    joint.open_context = &t;
    for (uint32_t s = 0; s < cnt; s++) {
        lanes |= side[s].lanes;
        for (uint32_t i = 0; i < u.src_cnt; i++)
            bring(&t, &side[s], i);
    }
    for (uint32_t i = 0; i < u.src_cnt; i++)
        u.src[i] = source(u.src[i], i);
    u.dst[0] = (struct cw_opnd){.kind = votes ? CW_OPND_PRED : CW_OPND_R32, .idx = DST};
    u.dst[1] = (struct cw_opnd){.kind = CW_OPND_PRED, .idx = DST + 1};
    carry_out(&u, &joint, lanes);
    for (uint32_t s = 0; s < cnt; s++)
        take_result(&t, &side[s]);
}
