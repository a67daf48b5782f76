/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/uop.h"

static const struct {
    uint8_t fu;
    const char *mnemonic;
} ops[CW_OP_COUNT] = {
#define X(name, fu, mnemonic) {CW_FU_##fu, mnemonic},
#include "ir/uop.def"
#undef X
};

const char *cw_op_mnemonic(enum cw_op op)
{
    return (uint32_t)op < CW_OP_COUNT ? ops[op].mnemonic : "?";
}

const char *cw_type_name(enum cw_type t)
{
    static const char *const names[] = {"pred", "u8",    "s8",   "u16",    "s16",   "u32",   "s32",  "u64",    "s64",    "f16", "f32",
                                        "f64",  "f16x2", "bf16", "bf16x2", "u16x2", "s16x2", "tf32", "e4m3x2", "e5m2x2", ""};
    return (uint32_t)t <= CW_TYPE_NONE ? names[t] : "?";
}

static bool is_half_or_single(enum cw_type t)
{
    return t == CW_F16 || t == CW_F16X2 || t == CW_F32 || t == CW_BF16 || t == CW_BF16X2;
}

/* Which operations a floating-point unit does; the others only move bits, whatever the type. */
static bool is_arithmetic(enum cw_op op)
{
    switch (op) {
    case CW_OP_ADD:
    case CW_OP_SUB:
    case CW_OP_MUL:
    case CW_OP_FMA:
    case CW_OP_MIN:
    case CW_OP_MAX:
    case CW_OP_ABS:
    case CW_OP_NEG:
    case CW_OP_SETP:
    case CW_OP_SET:
    case CW_OP_COPYSIGN:
    case CW_OP_TESTP:
        return true;
    default:
        return false;
    }
}

enum cw_fu cw_op_fu(enum cw_op op, enum cw_type type, enum cw_type stype)
{
    enum cw_type t = op == CW_OP_SET ? stype : type;
    if (op == CW_OP_DIV && t == CW_F64)
        return CW_FU_DPDIV;
    if (op == CW_OP_DIV && is_half_or_single(t))
        return CW_FU_FDIV;
    if (op == CW_OP_MMA && t == CW_S32)
        return CW_FU_IMUL;
    if ((is_arithmetic(op) || op == CW_OP_MMA) && t == CW_F64)
        return CW_FU_DP;
    if (is_arithmetic(op) && is_half_or_single(t))
        return CW_FU_FP;
    if (op == CW_OP_CVT && (type == CW_F64 || stype == CW_F64))
        return CW_FU_DP;
    return (enum cw_fu)ops[op].fu;
}
