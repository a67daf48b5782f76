/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic on numbers of half precision, alone or two in a word, in single precision. A second rounding does no harm to sums and products of
 * 11 bits that were rounded to 2 x 11 + 2; a fused sum is rounded to odd first, as in cw_f32_fma.
 */
#include "emit.h"
#include "exec/fp.h"

static cw_value words(const struct cw_native_emit *e, uint32_t n)
{
    return cw_native_number(e, e->t.v32, n);
}

static cw_value bits_of(struct cw_native_emit *e, cw_value f)
{
    return LLVMBuildBitCast(e->b, f, e->t.v32, "");
}

static LLVMTypeRef shorts(const struct cw_native_emit *e)
{
    return LLVMVectorType(e->t.i16, e->width);
}

static LLVMTypeRef halves(const struct cw_native_emit *e)
{
    return LLVMVectorType(LLVMHalfTypeInContext(e->context), e->width);
}

static cw_value operand(struct cw_native_emit *e, const struct cw_uop *u, uint32_t i, uint32_t shift)
{
    cw_value v = LLVMBuildLShr(e->b, cw_native_word(e, u->src[i]), words(e, shift), "");
    v = LLVMBuildBitCast(e->b, LLVMBuildTrunc(e->b, v, shorts(e), ""), halves(e), "");
    return LLVMBuildFPExt(e->b, v, e->t.f32, "");
}

/* Rounded to nearest even; a NaN is the canonical one. */
static cw_value rounded(struct cw_native_emit *e, cw_value f)
{
    cw_value bits = LLVMBuildBitCast(e->b, LLVMBuildFPTrunc(e->b, f, halves(e), ""), shorts(e), "");
    bits = LLVMBuildZExt(e->b, bits, e->t.v32, "");
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealUNO, f, f, ""), words(e, CW_NAN_F16), bits, "");
}

/* a b + c, to odd: an inexact result that is even moves one place towards the error, which 2Sum gives. The product is exact. */
static cw_value fused(struct cw_native_emit *e, cw_value a, cw_value b, cw_value c)
{
    cw_value p = LLVMBuildFMul(e->b, a, b, ""), s = LLVMBuildFAdd(e->b, p, c, ""), t = LLVMBuildFSub(e->b, s, p, "");
    cw_value error = LLVMBuildFAdd(e->b, LLVMBuildFSub(e->b, p, LLVMBuildFSub(e->b, s, t, ""), ""), LLVMBuildFSub(e->b, c, t, ""), "");
    cw_value zero = LLVMConstNull(e->t.f32), one = words(e, 1), bits = bits_of(e, s);
    cw_value opposite = LLVMBuildLShr(e->b, LLVMBuildXor(e->b, bits, bits_of(e, error), ""), words(e, 31), "");
    cw_value odd = LLVMBuildSub(e->b, LLVMBuildAdd(e->b, bits, one, ""), LLVMBuildShl(e->b, opposite, one, ""), "");
    cw_value is_even = LLVMBuildICmp(e->b, LLVMIntEQ, LLVMBuildAnd(e->b, bits, one, ""), words(e, 0), "");
    cw_value moves = LLVMBuildAnd(e->b, LLVMBuildFCmp(e->b, LLVMRealONE, error, zero, ""), is_even, "");
    return LLVMBuildBitCast(e->b, LLVMBuildSelect(e->b, moves, odd, bits, ""), e->t.f32, "");
}

/* A NaN loses against a number, -0 is less than +0. */
static cw_value extreme(struct cw_native_emit *e, bool least, cw_value a, cw_value b)
{
    cw_value r = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, least ? LLVMRealOLT : LLVMRealOGT, a, b, ""), a, b, "");
    r = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealUNO, b, b, ""), a, r, "");
    cw_value zero = LLVMBuildBinOp(e->b, least ? LLVMOr : LLVMAnd, bits_of(e, a), bits_of(e, b), "");
    zero = LLVMBuildBitCast(e->b, zero, e->t.f32, "");
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOEQ, a, b, ""), zero, r, "");
}

static cw_value of_half(struct cw_native_emit *e, const struct cw_uop *u, uint32_t shift)
{
    cw_value a = operand(e, u, 0, shift), b = operand(e, u, 1, shift);
    switch (u->op) {
    case CW_OP_ADD:
        return rounded(e, LLVMBuildFAdd(e->b, a, b, ""));
    case CW_OP_SUB:
        return rounded(e, LLVMBuildFSub(e->b, a, b, ""));
    case CW_OP_MUL:
        return rounded(e, LLVMBuildFMul(e->b, a, b, ""));
    case CW_OP_FMA:
        return rounded(e, fused(e, a, b, operand(e, u, 2, shift)));
    default:
        return rounded(e, extreme(e, u->op == CW_OP_MIN, a, b));
    }
}

static void numbers(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value v = of_half(e, u, 0);
    if (u->type == CW_F16X2)
        v = LLVMBuildOr(e->b, v, LLVMBuildShl(e->b, of_half(e, u, 16), words(e, 16), ""), "");
    cw_native_set_word(e, u->dst[0], v);
}

static bool is_word(struct cw_opnd o)
{
    return o.kind == CW_OPND_R32 || o.kind == CW_OPND_C32;
}

cw_native_lanes *cw_native_half_of(const struct cw_uop *u)
{
    const uint32_t modifiers = CW_UF_FTZ | CW_UF_SAT | CW_UF_NAN | CW_UF_XORSIGN | CW_UF_RELU;
    if ((u->type != CW_F16 && u->type != CW_F16X2) || (u->flags & modifiers) != 0 || !is_word(u->src[0]) || !is_word(u->src[1]))
        return NULL;
    switch (u->op) {
    case CW_OP_FMA:
        return is_word(u->src[2]) ? numbers : NULL;
    case CW_OP_ADD:
    case CW_OP_SUB:
    case CW_OP_MUL:
    case CW_OP_MIN:
    case CW_OP_MAX:
        return numbers;
    default:
        return NULL;
    }
}
