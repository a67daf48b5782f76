/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/op_class.h"

/* Classes beyond those of enum cw_fu. */
enum op_class {
    CLASS_UNIT,
    CLASS_MOVE,
    CLASS_MAX,
    CLASS_IMAD,
    CLASS_FMA,
    CLASS_DPMAX,
    CLASS_SHFL,
    CLASS_MMA,
    CLASS_CONVERT,
    CLASS_BITS,
    CLASS_HALF
};

static bool is_half(uint8_t type)
{
    return type == CW_F16 || type == CW_F16X2 || type == CW_BF16 || type == CW_BF16X2;
}

static bool is_float(uint8_t type)
{
    return is_half(type) || type == CW_F32 || type == CW_F64;
}

/* A conversion that the unit of special functions makes. That of 16 bits to f32 is an addition of halves. */
static enum op_class conversion(const struct cw_uop *u)
{
    if (u->type == CW_F32 && is_half(u->stype))
        return CLASS_HALF;
    return is_float(u->type) || is_float(u->stype) ? CLASS_CONVERT : CLASS_MOVE;
}

/* CLASS_UNIT: no finer class than the unit's. */
static enum op_class class_of(const struct cw_uop *u, enum cw_fu fu)
{
    if (fu == CW_FU_MEM || fu == CW_FU_CTRL || fu == CW_FU_SFU || u->op == CW_OP_LD)
        return CLASS_UNIT;
    switch ((enum cw_op)(u->timed != 0 ? u->timed : u->op)) {
    case CW_OP_ADD:
    case CW_OP_SUB:
        return is_half(u->type) ? CLASS_HALF : CLASS_UNIT;
    case CW_OP_MUL:
        return is_half(u->type) ? CLASS_HALF : CLASS_UNIT;
    case CW_OP_CVT:
        return conversion(u);
    case CW_OP_POPC:
    case CW_OP_CLZ:
    case CW_OP_BFIND:
    case CW_OP_BREV:
        return CLASS_BITS;
    case CW_OP_ADDC:
    case CW_OP_SUBC:
    case CW_OP_MUL24:
    case CW_OP_DP4A:
    case CW_OP_DP2A:
    case CW_OP_DIV:
    case CW_OP_REM:
    case CW_OP_RCP:
    case CW_OP_SQRT:
    case CW_OP_RSQRT:
        return CLASS_UNIT;
    case CW_OP_MIN:
    case CW_OP_MAX:
        return fu == CW_FU_DP ? CLASS_DPMAX : CLASS_MAX;
    case CW_OP_MAD:
    case CW_OP_MADC:
    case CW_OP_MAD24:
        return CLASS_IMAD;
    case CW_OP_FMA:
        return fu == CW_FU_DP ? CLASS_UNIT : is_half(u->type) ? CLASS_HALF : CLASS_FMA;
    case CW_OP_SHFL:
        return CLASS_SHFL;
    case CW_OP_MMA:
        return CLASS_MMA;
    default:
        return CLASS_MOVE;
    }
}

static struct cw_op_timing unit_timing(enum cw_fu fu, const struct cw_config *c)
{
    const uint32_t timing[CW_FU_COUNT][2] = {
        [CW_FU_ALU] = {c->fu_alu_latency, c->fu_alu_interval},
        [CW_FU_IMUL] = {c->fu_imul_latency, c->fu_imul_interval},
        [CW_FU_IDIV] = {c->fu_idiv_latency, c->fu_idiv_interval},
        [CW_FU_FP] = {c->fu_fp_latency, c->fu_fp_interval},
        [CW_FU_FDIV] = {c->fu_fdiv_latency, c->fu_fdiv_interval},
        [CW_FU_SFU] = {c->fu_sfu_latency, c->fu_sfu_interval},
        [CW_FU_DP] = {c->fu_dp_latency, c->fu_dp_interval},
        [CW_FU_DPDIV] = {c->fu_dpdiv_latency, c->fu_dpdiv_interval},
        [CW_FU_TENSOR] = {c->fu_mma_latency, c->fu_mma_interval},
        [CW_FU_MEM] = {1, 1},
        [CW_FU_CTRL] = {c->fu_alu_latency, 1},
    };
    return (struct cw_op_timing){timing[fu][0], timing[fu][1], fu};
}

/* A class that has no timing of its own, and whose it then is. */
static enum op_class without(enum op_class class, const struct cw_config *c, enum cw_op op)
{
    if (class == CLASS_CONVERT && c->fu_convert_latency == 0)
        return CLASS_MOVE;
    if (class == CLASS_BITS && c->fu_bits_latency == 0)
        return CLASS_MOVE;
    if (class == CLASS_HALF && c->fu_half_latency == 0)
        return op == CW_OP_FMA ? CLASS_FMA : op == CW_OP_CVT ? CLASS_MOVE : CLASS_UNIT;
    return class;
}

/* Further machine instructions. Of a unit that schedulers share, theirs is the arithmetic of most. Where each scheduler has one, the
 * instructions take its issue slots, and those of f64 the unit of f64. */
static void add_slots(struct cw_op_timing *t, const struct cw_uop *u, const struct cw_config *c)
{
    if (t->fu == CW_FU_ALU || t->fu == CW_FU_FP || t->fu == CW_FU_IMUL) {
        t->latency += u->slots * t->interval;
        t->interval *= 1u + u->slots;
        return;
    }
    t->latency += t->fu == CW_FU_SFU ? u->slots * c->fu_alu_interval : 0;
    if (c->core_sub_cores == CW_OFF)
        t->interval += u->slots * c->fu_alu_interval / c->core_schedulers;
    else if (u->type == CW_F64 && t->fu != CW_FU_DP && t->interval < u->slots * c->fu_dp_interval)
        t->interval = u->slots * c->fu_dp_interval;
}

struct cw_op_timing cw_op_timing(const struct cw_uop *u, enum cw_fu fu, const struct cw_config *c)
{
    const struct cw_op_timing finer[] = {
        [CLASS_MOVE] = {c->fu_move_latency, c->fu_move_interval, CW_FU_ALU},
        [CLASS_MAX] = {c->fu_max_latency, c->fu_max_interval, CW_FU_ALU},
        [CLASS_IMAD] = {c->fu_imad_latency, c->fu_imad_interval, CW_FU_ALU},
        [CLASS_FMA] = {c->fu_fma_latency, c->fu_fma_interval, CW_FU_FP},
        [CLASS_DPMAX] = {c->fu_dpmax_latency, c->fu_dpmax_interval, CW_FU_DP},
        [CLASS_SHFL] = {c->fu_shfl_latency, c->fu_shfl_interval, CW_FU_ALU},
        [CLASS_MMA] = {c->fu_mma_latency, c->fu_mma_interval, CW_FU_TENSOR},
        [CLASS_CONVERT] = {c->fu_convert_latency, c->fu_convert_interval, CW_FU_SFU},
        [CLASS_BITS] = {c->fu_bits_latency, c->fu_convert_interval, CW_FU_SFU},
        [CLASS_HALF] = {c->fu_half_latency, c->fu_half_interval, CW_FU_FP},
    };
    const enum op_class class = without(class_of(u, fu), c, (enum cw_op)(u->timed != 0 ? u->timed : u->op));
    struct cw_op_timing t = class == CLASS_UNIT || finer[class].latency == 0 ? unit_timing(fu, c) : finer[class];
    if (c->fu_products == CW_PRODUCTS_FP && (t.fu == CW_FU_IMUL || class == CLASS_IMAD))
        t.fu = CW_FU_FP;
    if (u->slots != 0)
        add_slots(&t, u, c);
    if ((u->flags & CW_UF_GUARDS) != 0 && t.latency < c->fu_guard_latency)
        t.latency = c->fu_guard_latency;
    return t;
}

enum cw_pipe cw_op_pipe(enum cw_fu fu)
{
    switch (fu) {
    case CW_FU_IDIV:
    case CW_FU_FDIV:
    case CW_FU_SFU:
    case CW_FU_DP:
    case CW_FU_DPDIV:
        return CW_PIPE_SFU;
    case CW_FU_MEM:
        return CW_PIPE_MEM;
    default:
        return CW_PIPE_ALU;
    }
}
