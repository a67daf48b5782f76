/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many machine instructions stand for one of PTX. The numbers are counts of what ptxas 13 emits for sm_75, whose instructions are
 * Volta's, in front of the kernel's end: ways that only rare values take, which lie behind it, do not count but for divisions of 64-bit
 * integers. experiments/lowering/counts.py counts anew.
 */
#include "ir/lower.h"

static bool is_wide(const struct cw_uop *u)
{
    return cw_type_bytes((enum cw_type)u->type) == 8;
}

static bool is_float(uint8_t type)
{
    return type == CW_F16 || type == CW_F32 || type == CW_F64 || type == CW_F16X2 || type == CW_BF16 || type == CW_BF16X2;
}

static uint32_t divisions(const struct cw_uop *u)
{
    const bool rem = u->op == CW_OP_REM;
    switch (u->type) {
    case CW_F32:
        return u->round == CW_ROUND_APPROX ? ((u->flags & CW_UF_FTZ) != 0 ? 2 : 7) : 10;
    case CW_F64:
        return 18;
    case CW_U64:
        return rem ? 64 : 68;
    case CW_S64:
        return rem ? 80 : 84;
    case CW_S32:
    case CW_S16:
        return rem ? 23 : 25;
    default:
        return rem ? 20 : 21;
    }
}

/* Reciprocals, roots and the like. With .ftz there is nothing to scale. */
static uint32_t special(const struct cw_uop *u)
{
    const bool approximate = u->round == CW_ROUND_APPROX || u->op == CW_OP_RSQRT || u->op == CW_OP_LG2 || u->op == CW_OP_EX2;
    if (u->type == CW_F64)
        return u->op == CW_OP_RCP ? 13 : u->op == CW_OP_SQRT ? 18 : 14;
    if (u->op == CW_OP_SIN || u->op == CW_OP_COS)
        return 2;
    if (u->op == CW_OP_TANH || u->type != CW_F32)
        return 1;
    if (!approximate)
        return u->op == CW_OP_RCP ? 12 : 11;
    return (u->flags & CW_UF_FTZ) != 0 ? 1 : u->op == CW_OP_RCP ? 8 : 5;
}

static uint32_t products(const struct cw_uop *u)
{
    if (u->op == CW_OP_MUL24 || u->op == CW_OP_MAD24)
        return 3;
    if (is_float(u->type) || (u->flags & CW_UF_WIDE) != 0)
        return 1;
    if (is_wide(u))
        return (u->flags & CW_UF_HI) != 0 ? 7 : 4;
    return u->op == CW_OP_MAD && (u->flags & CW_UF_HI) != 0 ? 3 : 1;
}

static uint32_t bits(const struct cw_vop *v)
{
    const struct cw_uop *u = &v->u;
    switch (u->op) {
    case CW_OP_POPC:
        return is_wide(u) ? 3 : 1;
    case CW_OP_CLZ:
        return is_wide(u) ? 4 : 2;
    case CW_OP_BFE:
        return v->src[1].kind == CW_V_CONST && v->src[2].kind == CW_V_CONST ? 2 : 5;
    case CW_OP_BFI:
        return 2;
    default:
        return 3; /* CNOT */
    }
}

/* Those of which two words are two instructions, one each. */
static bool is_by_words(const struct cw_uop *u)
{
    switch (u->op) {
    case CW_OP_ADD:
    case CW_OP_SUB:
    case CW_OP_NEG:
        return !is_float(u->type);
    case CW_OP_AND:
    case CW_OP_OR:
    case CW_OP_XOR:
    case CW_OP_NOT:
    case CW_OP_SHL:
    case CW_OP_SHR:
    case CW_OP_SELP:
    case CW_OP_MOV:
        return true;
    case CW_OP_SETP:
        return !is_float(u->type);
    default:
        return false;
    }
}

uint32_t cw_lower_slots(const struct cw_vop *v)
{
    const struct cw_uop *u = &v->u;
    switch (u->op) {
    case CW_OP_DIV:
    case CW_OP_REM:
        return divisions(u);
    case CW_OP_RCP:
    case CW_OP_SQRT:
    case CW_OP_RSQRT:
    case CW_OP_SIN:
    case CW_OP_COS:
    case CW_OP_LG2:
    case CW_OP_EX2:
    case CW_OP_TANH:
        return special(u);
    case CW_OP_MUL:
    case CW_OP_MAD:
    case CW_OP_MUL24:
    case CW_OP_MAD24:
        return products(u);
    case CW_OP_POPC:
    case CW_OP_CLZ:
    case CW_OP_BFE:
    case CW_OP_BFI:
    case CW_OP_CNOT:
        return bits(v);
    case CW_OP_MIN:
    case CW_OP_MAX:
        return u->type == CW_F64 ? 7 : is_wide(u) ? 4 : 1;
    case CW_OP_SET:
    case CW_OP_SLCT:
    case CW_OP_TESTP:
        return 2;
    default:
        return is_by_words(u) && is_wide(u) ? 2 : 1;
    }
}
