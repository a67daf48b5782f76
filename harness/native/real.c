/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What floating-point micro-operations do to a piece of lanes, bit for bit as csim/exec does it (fp.h): to nearest even, a result that is a
 * NaN is the canonical one, .ftz and .sat by the bits. Nothing is contracted or reordered: LLVM does so only where it is allowed to.
 */
#include <stddef.h>

#include "emit.h"
#include "exec/fp.h"

#define MODIFIERS (CW_UF_FTZ | CW_UF_SAT | CW_UF_NAN | CW_UF_XORSIGN | CW_UF_RELU)

static LLVMTypeRef real_of(const struct cw_native_emit *e, uint32_t type)
{
    return type == CW_F64 ? e->t.f64 : e->t.f32;
}

static cw_value real_number(const struct cw_native_emit *e, LLVMTypeRef vector, double n)
{
    cw_value lane[CW_LANES];
    for (uint32_t i = 0; i < e->width; i++)
        lane[i] = LLVMConstReal(LLVMGetElementType(vector), n);
    return LLVMConstVector(lane, e->width);
}

static cw_value words(const struct cw_native_emit *e, uint32_t n)
{
    return cw_native_number(e, e->t.v32, n);
}

/* Subnormals become zero of the same sign. */
static cw_value flushed(struct cw_native_emit *e, cw_value bits)
{
    cw_value small = LLVMBuildICmp(e->b, LLVMIntEQ, LLVMBuildAnd(e->b, bits, words(e, 0x7f800000u), ""), words(e, 0), "");
    return LLVMBuildSelect(e->b, small, LLVMBuildAnd(e->b, bits, words(e, 0x80000000u), ""), bits, "");
}

static cw_value of_type(struct cw_native_emit *e, const struct cw_uop *u, uint32_t i, uint32_t type)
{
    if (type == CW_F64)
        return LLVMBuildBitCast(e->b, cw_native_double_word(e, u->src[i]), e->t.f64, "");
    cw_value bits = cw_native_word(e, u->src[i]);
    return LLVMBuildBitCast(e->b, (u->flags & CW_UF_FTZ) != 0 ? flushed(e, bits) : bits, e->t.f32, "");
}

static cw_value source(struct cw_native_emit *e, const struct cw_uop *u, uint32_t i)
{
    return of_type(e, u, i, u->type);
}

static cw_value is_nan(struct cw_native_emit *e, cw_value f)
{
    return LLVMBuildFCmp(e->b, LLVMRealUNO, f, f, "");
}

/* As cw_f32_store and cw_f64_bits. */
static void result(struct cw_native_emit *e, const struct cw_uop *u, cw_value f)
{
    if (u->type == CW_F64) {
        cw_value bits = LLVMBuildBitCast(e->b, f, e->t.v64, "");
        cw_native_set_double_word(e, u->dst[0], LLVMBuildSelect(e->b, is_nan(e, f), cw_native_number(e, e->t.v64, CW_NAN_F64), bits, ""));
        return;
    }
    if ((u->flags & CW_UF_SAT) != 0) {
        cw_value zero = real_number(e, e->t.f32, 0.0), unit = real_number(e, e->t.f32, 1.0);
        cw_value most = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOLT, f, unit, ""), f, unit, "");
        f = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, f, zero, ""), most, zero, "");
    }
    cw_value bits = LLVMBuildSelect(e->b, is_nan(e, f), words(e, CW_NAN_F32), LLVMBuildBitCast(e->b, f, e->t.v32, ""), "");
    cw_native_set_word(e, u->dst[0], (u->flags & CW_UF_FTZ) != 0 ? flushed(e, bits) : bits);
}

static void two(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = source(e, u, 0), b = source(e, u, 1);
    result(e, u,
           u->op == CW_OP_ADD   ? LLVMBuildFAdd(e->b, a, b, "")
           : u->op == CW_OP_SUB ? LLVMBuildFSub(e->b, a, b, "")
           : u->op == CW_OP_MUL ? LLVMBuildFMul(e->b, a, b, "")
                                : LLVMBuildFDiv(e->b, a, b, ""));
}

/* a / b, and zero where b is above 2^126. */
static void quotient(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = source(e, u, 0), b = source(e, u, 1), sign = words(e, 0x80000000u);
    cw_value bits = LLVMBuildBitCast(e->b, b, e->t.v32, "");
    cw_value size = LLVMBuildBitCast(e->b, LLVMBuildAnd(e->b, bits, words(e, 0x7fffffffu), ""), e->t.f32, "");
    cw_value zero = LLVMBuildBitCast(e->b, LLVMBuildAnd(e->b, bits, sign, ""), e->t.f32, "");
    cw_value lost = LLVMBuildAnd(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, size, real_number(e, e->t.f32, 0x1p126), ""),
                                 LLVMBuildFCmp(e->b, LLVMRealOLT, size, real_number(e, e->t.f32, INFINITY), ""), "");
    result(e, u, LLVMBuildSelect(e->b, lost, LLVMBuildFMul(e->b, a, zero, ""), LLVMBuildFDiv(e->b, a, b, ""), ""));
}

static void fused(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value args[3] = {source(e, u, 0), source(e, u, 1), source(e, u, 2)};
    result(e, u, cw_native_call(e, "llvm.fma", real_of(e, u->type), args, 3));
}

/* A NaN loses against a number, -0 is less than +0. */
static void extreme(struct cw_native_emit *e, const struct cw_uop *u)
{
    const bool least = u->op == CW_OP_MIN;
    LLVMTypeRef slot = u->type == CW_F64 ? e->t.v64 : e->t.v32;
    cw_value a = source(e, u, 0), b = source(e, u, 1);
    cw_value r = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, least ? LLVMRealOLT : LLVMRealOGT, a, b, ""), a, b, "");
    r = LLVMBuildSelect(e->b, is_nan(e, b), a, r, "");
    cw_value x = LLVMBuildBitCast(e->b, a, slot, ""), y = LLVMBuildBitCast(e->b, b, slot, "");
    cw_value zero = least ? LLVMBuildOr(e->b, x, y, "") : LLVMBuildAnd(e->b, x, y, "");
    zero = LLVMBuildBitCast(e->b, zero, real_of(e, u->type), "");
    result(e, u, LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOEQ, a, b, ""), zero, r, ""));
}

/* Of bits: the payload of a NaN stays. */
static void sign(struct cw_native_emit *e, const struct cw_uop *u)
{
    const bool wide = u->type == CW_F64;
    const uint64_t bit = wide ? UINT64_C(1) << 63 : 0x80000000u;
    LLVMTypeRef slot = wide ? e->t.v64 : e->t.v32;
    cw_value a = wide ? cw_native_double_word(e, u->src[0]) : cw_native_word(e, u->src[0]);
    if (!wide && (u->flags & CW_UF_FTZ) != 0)
        a = flushed(e, a);
    a = u->op == CW_OP_ABS ? LLVMBuildAnd(e->b, a, cw_native_number(e, slot, bit - 1), "")
                           : LLVMBuildXor(e->b, a, cw_native_number(e, slot, bit), "");
    if (wide)
        cw_native_set_double_word(e, u->dst[0], a);
    else
        cw_native_set_word(e, u->dst[0], a);
}

static void inverse(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = source(e, u, 0);
    result(e, u, LLVMBuildFDiv(e->b, real_number(e, real_of(e, u->type), 1.0), a, ""));
}

static void root(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = source(e, u, 0);
    result(e, u, cw_native_call(e, "llvm.sqrt", real_of(e, u->type), &a, 1));
}

/* In double precision, and rounded then. */
static void inverse_root(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = source(e, u, 0);
    if (u->type == CW_F32)
        a = LLVMBuildFPExt(e->b, a, e->t.f64, "");
    a = cw_native_call(e, "llvm.sqrt", e->t.f64, &a, 1);
    a = LLVMBuildFDiv(e->b, real_number(e, e->t.f64, 1.0), a, "");
    result(e, u, u->type == CW_F32 ? LLVMBuildFPTrunc(e->b, a, e->t.f32, "") : a);
}

/* In double precision, and rounded then. */
static void power(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = LLVMBuildFPExt(e->b, source(e, u, 0), e->t.f64, "");
    a = u->op == CW_OP_EX2 ? cw_native_exp2(e, a) : cw_native_log2(e, a);
    result(e, u, LLVMBuildFPTrunc(e->b, a, e->t.f32, ""));
}

/* The sign of a with the magnitude of b. */
static void with_sign(struct cw_native_emit *e, const struct cw_uop *u)
{
    const bool wide = u->type == CW_F64;
    LLVMTypeRef slot = wide ? e->t.v64 : e->t.v32;
    cw_value sign_bit = cw_native_number(e, slot, wide ? UINT64_C(1) << 63 : 0x80000000u);
    cw_value a = wide ? cw_native_double_word(e, u->src[0]) : cw_native_word(e, u->src[0]);
    cw_value b = wide ? cw_native_double_word(e, u->src[1]) : cw_native_word(e, u->src[1]);
    a = LLVMBuildOr(e->b, LLVMBuildAnd(e->b, a, sign_bit, ""), LLVMBuildAnd(e->b, b, LLVMBuildNot(e->b, sign_bit, ""), ""), "");
    if (wide)
        cw_native_set_double_word(e, u->dst[0], a);
    else
        cw_native_set_word(e, u->dst[0], a);
}

/* ---- conversion ---- */

static void from_integer(struct cw_native_emit *e, const struct cw_uop *u)
{
    const bool has_sign = u->stype == CW_S32 || u->stype == CW_S64;
    cw_value a = cw_native_integer(e, u->src[0], u->stype);
    LLVMTypeRef type = real_of(e, u->type);
    result(e, u, has_sign ? LLVMBuildSIToFP(e->b, a, type, "") : LLVMBuildUIToFP(e->b, a, type, ""));
}

static void other_width(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = of_type(e, u, 0, u->stype);
    result(e, u, u->type == CW_F64 ? LLVMBuildFPExt(e->b, a, e->t.f64, "") : LLVMBuildFPTrunc(e->b, a, e->t.f32, ""));
}

static cw_value where(struct cw_native_emit *e, LLVMRealPredicate p, cw_value a, double limit, cw_value yes, cw_value no)
{
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, p, a, real_number(e, e->t.f32, limit), ""), yes, no, "");
}

/* The result is a whole number of the same type. */
static cw_value whole_number(struct cw_native_emit *e, LLVMTypeRef type, uint32_t round, cw_value a)
{
    const char *name = round == CW_RNI ? "llvm.nearbyint" : round == CW_RMI ? "llvm.floor" : round == CW_RPI ? "llvm.ceil" : "llvm.trunc";
    return cw_native_call(e, name, type, &a, 1);
}

static void same_width(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = source(e, u, 0);
    result(e, u, cw_round_is_integral((enum cw_round)u->round) ? whole_number(e, real_of(e, u->type), u->round, a) : a);
}

static LLVMTypeRef halves(const struct cw_native_emit *e)
{
    return LLVMVectorType(LLVMHalfTypeInContext(e->context), e->width);
}

static LLVMTypeRef shorts(const struct cw_native_emit *e)
{
    return LLVMVectorType(e->t.i16, e->width);
}

static void from_half(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = LLVMBuildTrunc(e->b, cw_native_word(e, u->src[0]), shorts(e), "");
    result(e, u, LLVMBuildFPExt(e->b, LLVMBuildBitCast(e->b, a, halves(e), ""), e->t.f32, ""));
}

static void to_half(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = of_type(e, u, 0, CW_F32);
    cw_value bits = LLVMBuildBitCast(e->b, LLVMBuildFPTrunc(e->b, a, halves(e), ""), shorts(e), "");
    bits = LLVMBuildZExt(e->b, bits, e->t.v32, "");
    cw_native_set_word(e, u->dst[0], LLVMBuildSelect(e->b, is_nan(e, a), words(e, CW_NAN_F16), bits, ""));
}

/* The operand is rounded as the result is to be. */
static cw_value to_integer(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = of_type(e, u, 0, CW_F32);
    return u->round == CW_RZI ? a : whole_number(e, e->t.f32, u->round, a);
}

/* As cw_f32_to_s32: towards zero, out of range clamps, a NaN is 0. */
static void to_signed(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = to_integer(e, u);
    cw_value low = real_number(e, e->t.f32, -0x1p31), zero = real_number(e, e->t.f32, 0.0);
    cw_value inside = where(e, LLVMRealOLT, a, 0x1p31, where(e, LLVMRealOGT, a, -0x1p31, a, low), zero);
    cw_value v = LLVMBuildFPToSI(e->b, inside, e->t.v32, "");
    cw_native_set_word(e, u->dst[0], where(e, LLVMRealOGE, a, 0x1p31, words(e, INT32_MAX), v));
}

/* As cw_f32_to_u32, in two parts that a signed conversion can hold. */
static void to_unsigned(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = to_integer(e, u), zero = real_number(e, e->t.f32, 0.0);
    cw_value low = where(e, LLVMRealOGT, a, 0.0, where(e, LLVMRealOLT, a, 0x1p31, a, zero), zero);
    cw_value less = LLVMBuildFSub(e->b, a, real_number(e, e->t.f32, 0x1p31), "");
    cw_value high = where(e, LLVMRealOGE, a, 0x1p31, where(e, LLVMRealOLT, a, 0x1p32, less, zero), zero);
    cw_value v = LLVMBuildAdd(e->b, LLVMBuildFPToSI(e->b, low, e->t.v32, ""), LLVMBuildFPToSI(e->b, high, e->t.v32, ""), "");
    v = where(e, LLVMRealOGE, a, 0x1p31, LLVMBuildOr(e->b, v, words(e, 0x80000000u), ""), v);
    cw_native_set_word(e, u->dst[0], where(e, LLVMRealOGE, a, 0x1p32, words(e, UINT32_MAX), v));
}

/* ---- comparison ---- */

static void compare(struct cw_native_emit *e, const struct cw_uop *u)
{
    static const LLVMRealPredicate is[] = {
        [CW_CMP_EQ] = LLVMRealOEQ,  [CW_CMP_NE] = LLVMRealONE,  [CW_CMP_LT] = LLVMRealOLT,  [CW_CMP_LE] = LLVMRealOLE,
        [CW_CMP_GT] = LLVMRealOGT,  [CW_CMP_GE] = LLVMRealOGE,  [CW_CMP_EQU] = LLVMRealUEQ, [CW_CMP_NEU] = LLVMRealUNE,
        [CW_CMP_LTU] = LLVMRealULT, [CW_CMP_LEU] = LLVMRealULE, [CW_CMP_GTU] = LLVMRealUGT, [CW_CMP_GEU] = LLVMRealUGE,
        [CW_CMP_NUM] = LLVMRealORD, [CW_CMP_NAN] = LLVMRealUNO,
    };
    cw_value a = source(e, u, 0), b = source(e, u, 1);
    cw_native_set_comparison(e, u, LLVMBuildFCmp(e->b, is[u->cmp], a, b, ""));
}

/* ---- all of them ---- */

static bool is_real(uint32_t type)
{
    return type == CW_F32 || type == CW_F64;
}

static cw_native_lanes *conversion_of(const struct cw_uop *u)
{
    const bool integer = u->stype == CW_S32 || u->stype == CW_U32 || u->stype == CW_S64 || u->stype == CW_U64,
               modified = (u->flags & (CW_UF_SAT | CW_UF_FTZ)) != 0;
    const bool whole = cw_round_is_integral((enum cw_round)u->round), nearest = u->round == CW_RN;
    if ((u->flags & (CW_UF_RELU | CW_UF_SATFINITE)) != 0)
        return NULL;
    if (u->stype == CW_F32 && whole && (u->type == CW_S32 || u->type == CW_U32))
        return u->type == CW_S32 ? to_signed : to_unsigned;
    if (is_real(u->type) && u->type == u->stype)
        return (whole || nearest) && (u->type == CW_F32 || !modified) ? same_width : NULL;
    if (!nearest || (u->flags & CW_UF_SAT) != 0)
        return NULL;
    if (u->type == CW_F32 && u->stype == CW_F16)
        return from_half;
    if (u->type == CW_F16 && u->stype == CW_F32)
        return to_half;
    if (!is_real(u->type) || modified)
        return NULL;
    return integer ? from_integer : is_real(u->stype) ? other_width : NULL;
}

static bool is_directed(const struct cw_uop *u)
{
    return u->round == CW_RZ || u->round == CW_RM || u->round == CW_RP;
}

static bool is_upper_half(const struct cw_uop *u)
{
    return u->type == CW_F64 && (u->flags & CW_UF_FTZ) != 0;
}

/* Compared are the registers' widths with those of the types. */
static bool has_width(struct cw_opnd o, uint32_t type)
{
    return (o.kind == CW_OPND_R64 || o.kind == CW_OPND_C64) == (cw_type_bytes((enum cw_type)type) == 8);
}

cw_native_lanes *cw_native_real_of(const struct cw_uop *u)
{
    if (u->op == CW_OP_CVT)
        return has_width(u->src[0], u->stype) && has_width(u->dst[0], u->type) ? conversion_of(u) : NULL;
    if (u->type == CW_F16 || u->type == CW_F16X2)
        return cw_native_half_of(u);
    if ((u->type != CW_F32 && u->type != CW_F64) || is_upper_half(u) || (u->flags & (CW_UF_NAN | CW_UF_XORSIGN | CW_UF_RELU)) != 0 ||
        (u->type == CW_F64 && (u->flags & MODIFIERS) != 0))
        return NULL;
    switch (u->op) {
    case CW_OP_ADD:
    case CW_OP_SUB:
    case CW_OP_MUL:
        return is_directed(u) ? NULL : two;
    case CW_OP_FMA:
        return is_directed(u) ? NULL : fused;
    case CW_OP_DIV:
        return is_directed(u) ? NULL : u->type == CW_F32 && u->round == CW_ROUND_APPROX ? quotient : two;
    case CW_OP_RCP:
        return is_directed(u) ? NULL : inverse;
    case CW_OP_SQRT:
        return is_directed(u) ? NULL : root;
    case CW_OP_RSQRT:
        return inverse_root;
    case CW_OP_EX2:
    case CW_OP_LG2:
        return u->type == CW_F32 ? power : NULL;
    case CW_OP_COPYSIGN:
        return (u->flags & MODIFIERS) == 0 ? with_sign : NULL;
    case CW_OP_MIN:
    case CW_OP_MAX:
        return extreme;
    case CW_OP_ABS:
    case CW_OP_NEG:
        return sign;
    case CW_OP_SETP:
        return u->cmp >= CW_CMP_LO && u->cmp <= CW_CMP_HS ? NULL : compare;
    default:
        return NULL;
    }
}
