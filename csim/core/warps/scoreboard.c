/* SPDX-License-Identifier: Apache-2.0 */
#include "core/warps/scoreboard.h"

#include "ir/op_class.h"

static void add_slot(struct cw_issue_op *op, const struct cw_kernel *k, const struct cw_opnd *o)
{
    uint32_t slot;
    switch (o->kind) {
    case CW_OPND_R32:
        slot = o->idx;
        break;
    case CW_OPND_R64:
        slot = k->r32_cnt + o->idx;
        break;
    case CW_OPND_PRED:
        slot = k->r32_cnt + k->r64_cnt + o->idx;
        break;
    default:
        return;
    }
    op->slot[op->slot_cnt++] = (uint16_t)slot;
}

static enum cw_issue_kind kind_of(const struct cw_uop *u)
{
    switch (u->op) {
    case CW_OP_LD:
        return u->space == CW_SPACE_PARAM ? CW_ISSUE_EXEC : u->space == CW_SPACE_CONST ? CW_ISSUE_CONST : CW_ISSUE_MEM;
    case CW_OP_ST:
    case CW_OP_ATOM:
        return CW_ISSUE_MEM;
    case CW_OP_MEMBAR:
        return CW_ISSUE_FENCE;
    case CW_OP_BRA:
        return CW_ISSUE_BRANCH;
    case CW_OP_BRX:
        return CW_ISSUE_BRANCH_INDEXED;
    case CW_OP_EXIT:
        return CW_ISSUE_EXIT;
    case CW_OP_TRAP:
    case CW_OP_BRKPT:
        return CW_ISSUE_TRAP;
    case CW_OP_BAR:
        return u->cmp == CW_BAR_WARP ? CW_ISSUE_WARP_BARRIER : CW_ISSUE_BARRIER;
    case CW_OP_SHFL:
    case CW_OP_VOTE:
    case CW_OP_MATCH:
    case CW_OP_REDUX:
    case CW_OP_ELECT:
    case CW_OP_MMA:
        return CW_ISSUE_WARP;
    case CW_OP_NANOSLEEP:
        return CW_ISSUE_SLEEP;
    case CW_OP_NOP:
        return u->rides ? CW_ISSUE_EXEC : CW_ISSUE_NOP;
    case CW_OP_REGION_BEGIN:
        return CW_ISSUE_REGION_BEGIN;
    case CW_OP_REGION_END:
        return CW_ISSUE_REGION_END;
    case CW_OP_INTRINSIC:
        return CW_ISSUE_INTRINSIC;
    case CW_OP_PRINT_WORD:
    case CW_OP_PRINT:
    case CW_OP_ASSERT:
        return CW_ISSUE_PRINT;
    case CW_OP_MOV:
        if (u->src[0].kind == CW_OPND_SREG && u->src[0].idx >= CW_SREG_CLOCK && u->src[0].idx <= CW_SREG_GLOBALTIMER_HI)
            return CW_ISSUE_CLOCK;
        return CW_ISSUE_EXEC;
    default:
        return CW_ISSUE_EXEC;
    }
}

/* Whether it reads a special register that is no constant of the launch, and no clock. */
static bool reads_special(const struct cw_uop *u)
{
    if (u->op != CW_OP_MOV || u->src[0].kind != CW_OPND_SREG)
        return false;
    switch ((enum cw_sreg)u->src[0].idx) {
    case CW_SREG_TID_X:
    case CW_SREG_TID_Y:
    case CW_SREG_TID_Z:
    case CW_SREG_CTAID_X:
    case CW_SREG_CTAID_Y:
    case CW_SREG_CTAID_Z:
    case CW_SREG_LANEID:
    case CW_SREG_WARPID:
    case CW_SREG_SMID:
        return true;
    default:
        return u->src[0].idx >= CW_SREG_LANEMASK_EQ && u->src[0].idx <= CW_SREG_LANEMASK_GT;
    }
}

/* Whether the instruction reads through the constant cache: as one of the load/store unit then. */
static bool uses_constant_cache(const struct cw_uop *u, const struct cw_config *c)
{
    if (u->op != CW_OP_LD || c->const_bytes == 0)
        return false;
    return u->space == CW_SPACE_CONST || (u->space == CW_SPACE_PARAM && c->const_params != CW_PARAMS_OFF);
}

/* Instructions of a pipeline with operand collectors compete for the same places, so they count as one unit. */
static void set_timing(struct cw_issue_op *op, const struct cw_uop *uop, const struct cw_config *c)
{
    static const uint8_t unit_of[CW_PIPE_COUNT] = {[CW_PIPE_ALU] = CW_FU_ALU, [CW_PIPE_SFU] = CW_FU_SFU, [CW_PIPE_MEM] = CW_FU_MEM};
    const struct cw_op_timing t = cw_op_timing(uop, (enum cw_fu)op->fu, c);
    op->latency = (uint16_t)t.latency;
    op->interval = (uint16_t)t.interval;
    op->taken = (uint16_t)(c->core_issue_cycles * (1u + uop->slots));
    op->pipe = (uint8_t)cw_op_pipe(t.fu);
    op->fu = c->core_collectors != 0 ? unit_of[op->pipe] : (uint8_t)t.fu;
}

int cw_issue_op_compile(struct cw_issue_op *op, const struct cw_kernel *kernel, const struct cw_uop *uop, const struct cw_config *config,
                        struct cw_error *err)
{
    *op = (struct cw_issue_op){.kind = (uint8_t)kind_of(uop), .fu = uop->fu, .parts = 1};
    if (cw_scoreboard_slots(kernel) > UINT16_MAX)
        return cw_fail(err, CW_EUNSUP, "kernel %s: more than %u registers", kernel->name, UINT16_MAX);
    if (config->core_convergence == CW_CONVERGENCE_IGNORE && op->kind == CW_ISSUE_WARP)
        op->kind = CW_ISSUE_EXEC;
    if (config->core_convergence == CW_CONVERGENCE_IGNORE && op->kind == CW_ISSUE_WARP_BARRIER)
        op->kind = CW_ISSUE_NOP;
    if (config->core_specials == CW_SPECIALS_MEMORY && op->kind == CW_ISSUE_EXEC && reads_special(uop))
        op->kind = CW_ISSUE_SPECIAL;
    if (op->kind <= CW_ISSUE_WARP && uop->exec == NULL)
        return cw_fail(err, CW_EUNSUP, "kernel %s, line %u: %s cannot be executed", kernel->name, uop->line,
                       cw_op_mnemonic((enum cw_op)uop->op));
    if (uses_constant_cache(uop, config)) {
        op->kind = CW_ISSUE_MEM;
        op->fu = CW_FU_MEM;
    }
    if (op->kind <= CW_ISSUE_CONST && op->fu == CW_FU_MEM)
        op->fu = CW_FU_ALU;
    else if (op->kind == CW_ISSUE_FENCE)
        op->fu = CW_FU_CTRL;
    set_timing(op, uop, config);
    const struct cw_opnd guard = {.kind = CW_OPND_PRED, .idx = (uint16_t)uop->guard};
    const struct cw_opnd carry = {.kind = CW_OPND_PRED, .idx = (uint16_t)kernel->pred_cnt};
    for (uint32_t i = 0; i < uop->dst_cnt; i++)
        add_slot(op, kernel, &uop->dst[i]);
    if ((uop->flags & CW_UF_COUT) != 0)
        add_slot(op, kernel, &carry);
    op->dst_cnt = op->slot_cnt;
    for (uint32_t i = 0; i < uop->src_cnt; i++)
        add_slot(op, kernel, &uop->src[i]);
    op->reads = (uint8_t)(op->slot_cnt - op->dst_cnt);
    if (uop->guard >= 0)
        add_slot(op, kernel, &guard);
    if ((uop->flags & CW_UF_CIN) != 0)
        add_slot(op, kernel, &carry);
    return 0;
}

static bool add_to(struct cw_issue_op *op, uint16_t slot)
{
    for (uint32_t i = 0; i < op->slot_cnt; i++)
        if (op->slot[i] == slot)
            return true;
    if (op->slot_cnt == CW_OP_SLOTS)
        return false;
    op->slot[op->slot_cnt++] = slot;
    return true;
}

/* What is performed once when it issues: what may be refused would perform what rides with it twice. */
static bool takes_riders(const struct cw_issue_op *op, const struct cw_uop *u)
{
    if (op->kind == CW_ISSUE_MEM)
        return (u->flags & (CW_UF_ACQUIRE | CW_UF_RELEASE)) == 0;
    return op->kind == CW_ISSUE_EXEC || op->kind == CW_ISSUE_CONST || op->kind == CW_ISSUE_BRANCH || op->kind == CW_ISSUE_RIDES;
}

void cw_issue_op_ride(struct cw_issue_op *op, const struct cw_uop *both, const struct cw_config *config)
{
    const struct cw_issue_op *next = op + 1;
    struct cw_issue_op joined = *next;
    if (op->kind != CW_ISSUE_EXEC || !takes_riders(next, both + 1) || config->core_collectors != 0)
        return;
    for (uint32_t i = 0; i < op->slot_cnt; i++)
        if (!add_to(&joined, op->slot[i]))
            return;
    joined.kind = CW_ISSUE_RIDES;
    joined.told = op->told;
    *op = joined;
}

void cw_issue_op_widen(struct cw_issue_op *op, const struct cw_uop *u)
{
    struct cw_issue_op whole = *op;
    whole.slot_cnt = 0;
    for (uint32_t p = 0; p < u->parts; p++)
        for (uint32_t i = 0; i < op[p].dst_cnt; i++)
            add_to(&whole, op[p].slot[i]);
    whole.dst_cnt = whole.slot_cnt;
    for (uint32_t p = 0; p < u->parts; p++)
        for (uint32_t i = op[p].dst_cnt; i < op[p].slot_cnt; i++)
            add_to(&whole, op[p].slot[i]);
    whole.parts = u->parts;
    whole.wide = u->wide;
    *op = whole;
}
