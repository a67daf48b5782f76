/* SPDX-License-Identifier: Apache-2.0 */
/* What micro-operations on bits and integers do to a piece of lanes: the same as their lines in csim/exec/lane.def. */
#include <stddef.h>
#include <string.h>

#include "emit.h"

#define BIT(type) (1u << (type))
#define WORDS     (BIT(CW_U32) | BIT(CW_S32))
#define INTS      (BIT(CW_U16) | BIT(CW_S16) | WORDS | BIT(CW_U64) | BIT(CW_S64))
#define WIDE_INTS (WORDS | BIT(CW_U64) | BIT(CW_S64))

static bool is_signed(uint32_t type)
{
    return type == CW_S8 || type == CW_S16 || type == CW_S32 || type == CW_S64;
}

static bool is_wide(uint32_t type)
{
    return cw_type_bytes((enum cw_type)type) == 8;
}

static LLVMTypeRef vector_of(const struct cw_native_emit *e, uint32_t type)
{
    return is_wide(type) ? e->t.v64 : e->t.v32;
}

static cw_value number(const struct cw_native_emit *e, uint32_t type, uint64_t n)
{
    return cw_native_number(e, vector_of(e, type), n);
}

static cw_value source(struct cw_native_emit *e, const struct cw_uop *u, uint32_t i)
{
    return cw_native_integer(e, u->src[i], u->type);
}

static void result(struct cw_native_emit *e, const struct cw_uop *u, cw_value v)
{
    cw_native_set_integer(e, u->dst[0], u->type, v);
}

static cw_value lower(struct cw_native_emit *e, cw_value a, cw_value b, bool is_less_signed)
{
    return LLVMBuildICmp(e->b, is_less_signed ? LLVMIntSLT : LLVMIntULT, a, b, "");
}

/* ---- moves ---- */

static void copy(struct cw_native_emit *e, const struct cw_uop *u)
{
    if (is_wide(u->type))
        cw_native_set_double_word(e, u->dst[0], cw_native_double_word(e, u->src[0]));
    else
        cw_native_set_word(e, u->dst[0], cw_native_word(e, u->src[0]));
}

static cw_value lane_numbers(struct cw_native_emit *e)
{
    cw_value lane[CW_LANES];
    for (uint32_t i = 0; i < e->width; i++)
        lane[i] = LLVMConstInt(e->t.i32, i, 0);
    return LLVMBuildAdd(e->b, LLVMConstVector(lane, e->width), cw_native_splat(e, e->t.v32, e->shift), "");
}

/* Where struct cw_exec has a special register of 32 bits that is the same in all lanes; 0: it is none. */
static size_t place_of(uint32_t sreg)
{
    if (sreg >= CW_SREG_NTID_X && sreg <= CW_SREG_NTID_Z)
        return offsetof(struct cw_exec, ntid) + 4 * (sreg - CW_SREG_NTID_X);
    if (sreg >= CW_SREG_CTAID_X && sreg <= CW_SREG_CTAID_Z)
        return offsetof(struct cw_exec, ctaid) + 4 * (sreg - CW_SREG_CTAID_X);
    if (sreg >= CW_SREG_NCTAID_X && sreg <= CW_SREG_NCTAID_Z)
        return offsetof(struct cw_exec, nctaid) + 4 * (sreg - CW_SREG_NCTAID_X);
    return 0;
}

static void special(struct cw_native_emit *e, const struct cw_uop *u)
{
    const uint32_t sreg = u->src[0].idx;
    cw_value v;
    if (sreg <= CW_SREG_TID_Z) {
        cw_value lanes = cw_native_load(e, e->t.bytes, e->exec, offsetof(struct cw_exec, tid) + sizeof(void *) * sreg);
        lanes = LLVMBuildGEP2(e->b, e->t.i8, lanes, &e->at, 1, "");
        v = cw_native_load(e, e->t.v32, lanes, 0);
        LLVMSetAlignment(v, 4);
    } else if (sreg == CW_SREG_LANEID) {
        v = lane_numbers(e);
    } else {
        v = cw_native_splat(e, e->t.v32, cw_native_load(e, e->t.i32, e->exec, place_of(sreg)));
    }
    cw_native_set_word(e, u->dst[0], u->type == CW_U16 || u->type == CW_S16 ? LLVMBuildAnd(e->b, v, number(e, CW_U32, 0xffff), "") : v);
}

static bool knows_special(const struct cw_uop *u)
{
    return u->dst[0].kind == CW_OPND_R32 &&
           (u->src[0].idx <= CW_SREG_TID_Z || u->src[0].idx == CW_SREG_LANEID || place_of(u->src[0].idx) != 0);
}

static void predicates(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = cw_native_predicate(e, u->src[0]);
    switch (u->op) {
    case CW_OP_NOT:
    case CW_OP_CNOT:
        a = LLVMBuildNot(e->b, a, "");
        break;
    case CW_OP_AND:
        a = LLVMBuildAnd(e->b, a, cw_native_predicate(e, u->src[1]), "");
        break;
    case CW_OP_OR:
        a = LLVMBuildOr(e->b, a, cw_native_predicate(e, u->src[1]), "");
        break;
    case CW_OP_XOR:
        a = LLVMBuildXor(e->b, a, cw_native_predicate(e, u->src[1]), "");
        break;
    case CW_OP_SELP:
        a = LLVMBuildSelect(e->b, cw_native_predicate(e, u->src[2]), a, cw_native_predicate(e, u->src[1]), "");
        break;
    default:
        break;
    }
    cw_native_set_predicate(e, u->dst[0], a);
}

static void choice(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value p = cw_native_predicate(e, u->src[2]);
    if (is_wide(u->type))
        cw_native_set_double_word(e, u->dst[0],
                                  LLVMBuildSelect(e->b, p, cw_native_double_word(e, u->src[0]), cw_native_double_word(e, u->src[1]), ""));
    else
        cw_native_set_word(e, u->dst[0], LLVMBuildSelect(e->b, p, cw_native_word(e, u->src[0]), cw_native_word(e, u->src[1]), ""));
}

/* Short words in a word or a double word, one behind the other from the lowest bits on. */
static void pack_shorts(struct cw_native_emit *e, const struct cw_uop *u)
{
    const bool wide = is_wide(u->type);
    cw_value v = number(e, u->type, 0);
    for (uint32_t i = 0; i < (wide ? 4u : 2u); i++) {
        cw_value part = LLVMBuildAnd(e->b, cw_native_word(e, u->src[i]), number(e, CW_U32, 0xffff), "");
        part = wide ? LLVMBuildZExt(e->b, part, e->t.v64, "") : part;
        v = LLVMBuildOr(e->b, v, LLVMBuildShl(e->b, part, number(e, u->type, 16 * i), ""), "");
    }
    if (wide)
        cw_native_set_double_word(e, u->dst[0], v);
    else
        cw_native_set_word(e, u->dst[0], v);
}

static void unpack_shorts(struct cw_native_emit *e, const struct cw_uop *u)
{
    const bool wide = is_wide(u->type);
    cw_value v = wide ? cw_native_double_word(e, u->src[0]) : cw_native_word(e, u->src[0]);
    for (uint32_t i = 0; i < (wide ? 4u : 2u); i++) {
        cw_value part = LLVMBuildAnd(e->b, LLVMBuildLShr(e->b, v, number(e, u->type, 16 * i), ""), number(e, u->type, 0xffff), "");
        cw_native_set_word(e, u->dst[i], wide ? LLVMBuildTrunc(e->b, part, e->t.v32, "") : part);
    }
}

/* Two words in a double word. */
static void pack(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value low = LLVMBuildZExt(e->b, cw_native_word(e, u->src[0]), e->t.v64, "");
    cw_value high = LLVMBuildZExt(e->b, cw_native_word(e, u->src[1]), e->t.v64, "");
    cw_native_set_double_word(e, u->dst[0], LLVMBuildOr(e->b, low, LLVMBuildShl(e->b, high, number(e, CW_U64, 32), ""), ""));
}

static void unpack(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value v = cw_native_double_word(e, u->src[0]);
    cw_value high = LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, v, number(e, CW_U64, 32), ""), e->t.v32, "");
    cw_native_set_word(e, u->dst[0], LLVMBuildTrunc(e->b, v, e->t.v32, ""));
    cw_native_set_word(e, u->dst[1], high);
}

static void window(struct cw_native_emit *e, const struct cw_uop *u)
{
    const uint64_t base = u->space == CW_SPACE_SHARED  ? CW_SHARED_WINDOW
                          : u->space == CW_SPACE_LOCAL ? CW_LOCAL_WINDOW
                          : u->space == CW_SPACE_CONST ? CW_CONST_WINDOW
                          : u->space == CW_SPACE_PARAM ? CW_PARAM_WINDOW
                                                       : 0;
    const bool to = (u->flags & CW_UF_TO) != 0;
    result(e, u, LLVMBuildAdd(e->b, source(e, u, 0), number(e, u->type, to ? 0 - base : base), ""));
}

/* A kernel parameter at an address that is the same in all lanes. */
static void parameter(struct cw_native_emit *e, const struct cw_uop *u)
{
    const uint32_t bytes = cw_type_bytes((enum cw_type)u->type), cnt = u->vec > 1 ? u->vec : 1;
    const uint32_t all = e->kernel->param_bytes;
    cw_value param = cw_native_load(e, e->t.bytes, e->exec, offsetof(struct cw_exec, param));
    uint64_t base;
    cw_native_constant(e, u->src[0], &base);
    for (uint32_t i = 0; i < cnt; i++) {
        const uint64_t offset = base + (uint64_t)u->imm + i * bytes;
        const bool is_inside = offset <= all && all - offset >= bytes;
        LLVMTypeRef type = LLVMIntTypeInContext(e->context, 8 * bytes), slot = u->dst[i].kind == CW_OPND_R64 ? e->t.i64 : e->t.i32;
        cw_value v = is_inside ? cw_native_load(e, type, param, offset) : LLVMConstInt(type, 0, 0);
        if (is_inside)
            LLVMSetAlignment(v, 1);
        v = LLVMBuildIntCast2(e->b, v, slot, is_signed(u->type), "");
        if (u->dst[i].kind == CW_OPND_R64)
            cw_native_set_double_word(e, u->dst[i], cw_native_splat(e, e->t.v64, v));
        else
            cw_native_set_word(e, u->dst[i], cw_native_splat(e, e->t.v32, v));
    }
}

/* ---- arithmetic ---- */

static cw_value lesser(struct cw_native_emit *e, const struct cw_uop *u, cw_value a, cw_value b)
{
    return LLVMBuildSelect(e->b, lower(e, a, b, is_signed(u->type)), a, b, "");
}

static cw_value greater(struct cw_native_emit *e, const struct cw_uop *u, cw_value a, cw_value b)
{
    return LLVMBuildSelect(e->b, lower(e, b, a, is_signed(u->type)), a, b, "");
}

static void two(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = source(e, u, 0), b = source(e, u, 1), v;
    switch (u->op) {
    case CW_OP_ADD:
        v = LLVMBuildAdd(e->b, a, b, "");
        break;
    case CW_OP_SUB:
        v = LLVMBuildSub(e->b, a, b, "");
        break;
    case CW_OP_MUL:
        v = LLVMBuildMul(e->b, a, b, "");
        break;
    case CW_OP_AND:
        v = LLVMBuildAnd(e->b, a, b, "");
        break;
    case CW_OP_OR:
        v = LLVMBuildOr(e->b, a, b, "");
        break;
    case CW_OP_XOR:
        v = LLVMBuildXor(e->b, a, b, "");
        break;
    case CW_OP_MIN:
        v = lesser(e, u, a, b);
        break;
    default:
        v = greater(e, u, a, b);
        break;
    }
    result(e, u, v);
}

static void one(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = source(e, u, 0), zero = number(e, u->type, 0);
    if (u->op == CW_OP_NOT)
        a = LLVMBuildNot(e->b, a, "");
    else if (u->op == CW_OP_CNOT)
        a = LLVMBuildZExt(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, a, zero, ""), vector_of(e, u->type), "");
    else if (u->op == CW_OP_NEG)
        a = LLVMBuildNeg(e->b, a, "");
    else
        a = LLVMBuildSelect(e->b, lower(e, a, zero, true), LLVMBuildNeg(e->b, a, ""), a, "");
    result(e, u, a);
}

static cw_value longer(struct cw_native_emit *e, cw_value v, bool with_sign)
{
    return with_sign ? LLVMBuildSExt(e->b, v, e->t.v64, "") : LLVMBuildZExt(e->b, v, e->t.v64, "");
}

/* MUL and MAD: the lower half of the product of 16 to 64 bits; with .hi the upper one of 32; with .wide all of 16 or 32. */
static void product(struct cw_native_emit *e, const struct cw_uop *u)
{
    const bool adds = u->op == CW_OP_MAD, wide = (u->flags & CW_UF_WIDE) != 0, hi = (u->flags & CW_UF_HI) != 0;
    const uint32_t type = wide ? u->stype : u->type;
    cw_value a = cw_native_integer(e, u->src[0], type), b = cw_native_integer(e, u->src[1], type);
    if ((wide || hi) && (type == CW_U32 || type == CW_S32)) {
        a = longer(e, a, type == CW_S32);
        b = longer(e, b, type == CW_S32);
    }
    cw_value v = LLVMBuildMul(e->b, a, b, "");
    if (hi && (type == CW_U32 || type == CW_S32))
        v = LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, v, number(e, CW_U64, 32), ""), e->t.v32, "");
    if (adds)
        v = LLVMBuildAdd(e->b, v, cw_native_integer(e, u->src[2], u->type), "");
    result(e, u, v);
}

static bool knows_product(const struct cw_uop *u)
{
    const bool wide = (u->flags & CW_UF_WIDE) != 0, hi = (u->flags & CW_UF_HI) != 0;
    if (wide)
        return (BIT(u->stype) & (WORDS | BIT(CW_U16) | BIT(CW_S16))) != 0;
    return (BIT(u->type) & (hi ? WORDS : INTS)) != 0;
}

/* 24 bits of each factor. */
static void short_product(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value v[2], eight = number(e, CW_U32, 8);
    for (uint32_t i = 0; i < 2; i++) {
        v[i] = LLVMBuildShl(e->b, cw_native_word(e, u->src[i]), eight, "");
        v[i] = u->type == CW_S32 ? LLVMBuildAShr(e->b, v[i], eight, "") : LLVMBuildLShr(e->b, v[i], eight, "");
    }
    cw_value r = LLVMBuildMul(e->b, v[0], v[1], "");
    if (u->op == CW_OP_MAD24)
        r = LLVMBuildAdd(e->b, r, cw_native_word(e, u->src[2]), "");
    cw_native_set_word(e, u->dst[0], r);
}

static void difference(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = source(e, u, 0), b = source(e, u, 1), c = source(e, u, 2);
    cw_value d = LLVMBuildSelect(e->b, lower(e, a, b, is_signed(u->type)), LLVMBuildSub(e->b, b, a, ""), LLVMBuildSub(e->b, a, b, ""), "");
    result(e, u, LLVMBuildAdd(e->b, c, d, ""));
}

/*
 * Quotients of 32 bits by way of double precision: a quotient that is no whole number differs from the next one by 2^-32 or more, and its
 * 53 bits are rounded by less, so what is cut off is right. 2^52 added to a whole number shows it in the lower bits.
 */
static cw_value quotient(struct cw_native_emit *e, cw_value a, cw_value b)
{
    LLVMTypeRef f64 = e->t.f64;
    cw_value q = LLVMBuildFDiv(e->b, LLVMBuildUIToFP(e->b, a, f64, ""), LLVMBuildUIToFP(e->b, b, f64, ""), "");
    q = cw_native_call(e, "llvm.trunc", f64, &q, 1);
    q = LLVMBuildFAdd(e->b, q, LLVMConstBitCast(cw_native_number(e, e->t.v64, UINT64_C(0x4330000000000000)), f64), "");
    q = LLVMBuildTrunc(e->b, LLVMBuildBitCast(e->b, q, e->t.v64, ""), e->t.v32, "");
    return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, b, number(e, CW_U32, 0), ""), number(e, CW_U32, UINT32_MAX), q, "");
}

static cw_value magnitude(struct cw_native_emit *e, cw_value v)
{
    return LLVMBuildSelect(e->b, lower(e, v, number(e, CW_U32, 0), true), LLVMBuildNeg(e->b, v, ""), v, "");
}

static void division(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = source(e, u, 0), b = source(e, u, 1), zero = number(e, CW_U32, 0), q;
    cw_value none = LLVMBuildICmp(e->b, LLVMIntEQ, b, zero, "");
    if (u->type == CW_S32) {
        q = quotient(e, magnitude(e, a), magnitude(e, b));
        cw_value opposite = lower(e, LLVMBuildXor(e->b, a, b, ""), zero, true);
        q = LLVMBuildSelect(e->b, opposite, LLVMBuildNeg(e->b, q, ""), q, "");
        q = LLVMBuildSelect(e->b, none, number(e, CW_U32, UINT32_MAX), q, "");
    } else {
        q = quotient(e, a, b);
    }
    if (u->op == CW_OP_REM)
        q = LLVMBuildSelect(e->b, none, a, LLVMBuildSub(e->b, a, LLVMBuildMul(e->b, q, b, ""), ""), "");
    result(e, u, q);
}

/* ---- bits ---- */

static void shift(struct cw_native_emit *e, const struct cw_uop *u)
{
    const uint32_t bits = 8 * cw_type_bytes((enum cw_type)u->type);
    const bool with_sign = u->op == CW_OP_SHR && is_signed(u->type);
    cw_value a = source(e, u, 0), n = cw_native_word(e, u->src[1]);
    cw_value beyond = LLVMBuildICmp(e->b, LLVMIntUGT, n, number(e, CW_U32, bits - 1), "");
    n = with_sign ? LLVMBuildSelect(e->b, beyond, number(e, CW_U32, bits - 1), n, "")
                  : LLVMBuildAnd(e->b, n, number(e, CW_U32, bits - 1), "");
    if (bits == 64)
        n = LLVMBuildZExt(e->b, n, e->t.v64, "");
    cw_value v = u->op == CW_OP_SHL ? LLVMBuildShl(e->b, a, n, "")
                 : with_sign        ? LLVMBuildAShr(e->b, a, n, "")
                                    : LLVMBuildLShr(e->b, a, n, "");
    if (!with_sign)
        v = LLVMBuildSelect(e->b, beyond, number(e, u->type, 0), v, "");
    result(e, u, v);
}

static void funnel(struct cw_native_emit *e, const struct cw_uop *u)
{
    const bool left = u->op == CW_OP_SHF_L;
    cw_value low = cw_native_word(e, u->src[0]), high = cw_native_word(e, u->src[1]), n = cw_native_word(e, u->src[2]);
    cw_value args[3] = {high, low, LLVMBuildAnd(e->b, n, number(e, CW_U32, 31), "")};
    cw_value v = cw_native_call(e, left ? "llvm.fshl" : "llvm.fshr", e->t.v32, args, 3);
    if ((u->flags & CW_UF_WRAP) == 0)
        v = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntUGT, n, number(e, CW_U32, 31), ""), left ? low : high, v, "");
    cw_native_set_word(e, u->dst[0], v);
}

/* A function of two bits, by its table: bit 2 x + y is its value. */
static cw_value of_two(struct cw_native_emit *e, uint32_t table, cw_value x, cw_value y)
{
    const cw_value zero = number(e, CW_U32, 0), all = number(e, CW_U32, UINT32_MAX);
    if (table >= 8)
        return table == 15 ? all : LLVMBuildNot(e->b, of_two(e, 15 - table, x, y), "");
    switch (table) {
    case 0:
        return zero;
    case 1:
        return LLVMBuildNot(e->b, LLVMBuildOr(e->b, x, y, ""), "");
    case 2:
        return LLVMBuildAnd(e->b, LLVMBuildNot(e->b, x, ""), y, "");
    case 3:
        return LLVMBuildNot(e->b, x, "");
    case 4:
        return LLVMBuildAnd(e->b, x, LLVMBuildNot(e->b, y, ""), "");
    case 5:
        return LLVMBuildNot(e->b, y, "");
    case 6:
        return LLVMBuildXor(e->b, x, y, "");
    default:
        return LLVMBuildNot(e->b, LLVMBuildAnd(e->b, x, y, ""), "");
    }
}

/* By the first operand: one function of the other two where it has a 1, another one elsewhere. */
static void table(struct cw_native_emit *e, const struct cw_uop *u)
{
    const uint32_t with = (uint32_t)u->imm >> 4 & 15, without = (uint32_t)u->imm & 15;
    cw_value a = cw_native_word(e, u->src[0]), b = cw_native_word(e, u->src[1]), c = cw_native_word(e, u->src[2]), v;
    if (with == without) {
        v = of_two(e, with, b, c);
    } else if (with == 15 - without) {
        v = LLVMBuildXor(e->b, a, of_two(e, without, b, c), "");
    } else {
        cw_value yes = LLVMBuildAnd(e->b, a, of_two(e, with, b, c), "");
        v = LLVMBuildOr(e->b, yes, LLVMBuildAnd(e->b, LLVMBuildNot(e->b, a, ""), of_two(e, without, b, c), ""), "");
    }
    cw_native_set_word(e, u->dst[0], v);
}

/* Bytes by a selector that is known. */
static void permute(struct cw_native_emit *e, const struct cw_uop *u)
{
    uint64_t selector;
    cw_value v = number(e, CW_U32, 0);
    cw_native_constant(e, u->src[2], &selector);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t s = (uint32_t)(selector >> (4 * i)) & 15;
        cw_value from = cw_native_word(e, u->src[(s & 4) != 0 ? 1 : 0]), byte;
        byte = LLVMBuildShl(e->b, from, number(e, CW_U32, 24 - 8 * (s & 3)), "");
        byte = (s & 8) != 0 ? LLVMBuildAShr(e->b, byte, number(e, CW_U32, 31), "") : byte;
        byte = LLVMBuildLShr(e->b, byte, number(e, CW_U32, 24), "");
        v = LLVMBuildOr(e->b, v, LLVMBuildShl(e->b, byte, number(e, CW_U32, 8 * i), ""), "");
    }
    cw_native_set_word(e, u->dst[0], v);
}

/* A field whose place is known. */
static void extract(struct cw_native_emit *e, const struct cw_uop *u)
{
    uint64_t pos, len;
    cw_native_constant(e, u->src[1], &pos);
    cw_native_constant(e, u->src[2], &len);
    pos &= 255;
    len &= 255;
    const uint64_t top = pos + len - 1 < 31 ? pos + len - 1 : 31;
    cw_value a = cw_native_word(e, u->src[0]), v;
    if (len == 0)
        v = number(e, CW_U32, 0);
    else if (u->type == CW_S32)
        v = LLVMBuildAShr(e->b, LLVMBuildShl(e->b, a, number(e, CW_U32, 31 - top), ""), number(e, CW_U32, pos < 32 ? 31 - top + pos : 31),
                          "");
    else if (pos > 31)
        v = number(e, CW_U32, 0);
    else
        v = LLVMBuildLShr(e->b, LLVMBuildShl(e->b, a, number(e, CW_U32, 31 - top), ""), number(e, CW_U32, 31 - top + pos), "");
    cw_native_set_word(e, u->dst[0], v);
}

static bool is_known(struct cw_opnd o)
{
    return o.kind == CW_OPND_C32;
}

static void count_bits(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value args[2] = {source(e, u, 0), LLVMConstInt(LLVMInt1TypeInContext(e->context), 0, 0)};
    cw_value v = u->op == CW_OP_POPC  ? cw_native_call(e, "llvm.ctpop", vector_of(e, u->type), args, 1)
                 : u->op == CW_OP_CLZ ? cw_native_call(e, "llvm.ctlz", vector_of(e, u->type), args, 2)
                                      : cw_native_call(e, "llvm.bitreverse", vector_of(e, u->type), args, 1);
    if (u->op == CW_OP_BREV)
        result(e, u, v);
    else
        cw_native_set_word(e, u->dst[0], is_wide(u->type) ? LLVMBuildTrunc(e->b, v, e->t.v32, "") : v);
}

/* It gives the number of the highest bit that is set, or of zeros above it; of 0, all ones. */
static void find_bit(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value a = source(e, u, 0), args[2] = {a, LLVMConstInt(LLVMInt1TypeInContext(e->context), 0, 0)};
    cw_value v = cw_native_call(e, "llvm.ctlz", vector_of(e, u->type), args, 2);
    if ((u->flags & CW_UF_SHIFTAMT) == 0)
        v = LLVMBuildSub(e->b, number(e, CW_U32, 31), v, "");
    cw_value none = LLVMBuildICmp(e->b, LLVMIntEQ, a, number(e, CW_U32, 0), "");
    cw_native_set_word(e, u->dst[0], LLVMBuildSelect(e->b, none, number(e, CW_U32, UINT32_MAX), v, ""));
}

/* ---- conversions of integers ---- */

static void convert(struct cw_native_emit *e, const struct cw_uop *u)
{
    cw_value v = cw_native_integer(e, u->src[0], u->stype);
    if (is_wide(u->type)) {
        cw_native_set_double_word(e, u->dst[0], is_wide(u->stype) ? v : longer(e, v, is_signed(u->stype)));
        return;
    }
    v = is_wide(u->stype) ? LLVMBuildTrunc(e->b, v, e->t.v32, "") : v;
    const uint32_t spare = 32 - 8 * cw_type_bytes((enum cw_type)u->type);
    if (spare != 0) {
        cw_value n = number(e, CW_U32, spare);
        v = LLVMBuildShl(e->b, v, n, "");
        v = is_signed(u->type) ? LLVMBuildAShr(e->b, v, n, "") : LLVMBuildLShr(e->b, v, n, "");
    }
    cw_native_set_word(e, u->dst[0], v);
}

static bool is_wide_register(struct cw_opnd o)
{
    return o.kind == CW_OPND_R64 || o.kind == CW_OPND_C64;
}

static bool knows_conversion(const struct cw_uop *u)
{
    const uint32_t types = INTS | BIT(CW_U8) | BIT(CW_S8);
    return (BIT(u->type) & types) != 0 && (BIT(u->stype) & types) != 0 && is_wide_register(u->src[0]) == is_wide(u->stype) &&
           is_wide_register(u->dst[0]) == is_wide(u->type) && (u->flags & (CW_UF_SAT | CW_UF_FTZ)) == 0;
}

/* ---- comparison ---- */

static void compare(struct cw_native_emit *e, const struct cw_uop *u)
{
    static const LLVMIntPredicate with_sign[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT, LLVMIntSLE, LLVMIntSGT,
                                                 LLVMIntSGE, LLVMIntULT, LLVMIntULE, LLVMIntUGT, LLVMIntUGE},
                                  without[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntULT, LLVMIntULE, LLVMIntUGT,
                                               LLVMIntUGE, LLVMIntULT, LLVMIntULE, LLVMIntUGT, LLVMIntUGE};
    cw_value a = source(e, u, 0), b = source(e, u, 1);
    cw_native_set_comparison(e, u, LLVMBuildICmp(e->b, is_signed(u->type) ? with_sign[u->cmp] : without[u->cmp], a, b, ""));
}

/* ---- all of them ---- */

static const struct {
    uint8_t op;
    uint32_t types, flags; /* flags: those that it may have */
    cw_native_lanes *lanes;
} plain[] = {
    {CW_OP_ADD, INTS, 0, two},
    {CW_OP_SUB, INTS, 0, two},
    {CW_OP_MIN, INTS, 0, two},
    {CW_OP_MAX, INTS, 0, two},
    {CW_OP_AND, INTS, UINT32_MAX, two},
    {CW_OP_OR, INTS, UINT32_MAX, two},
    {CW_OP_XOR, INTS, UINT32_MAX, two},
    {CW_OP_NOT, INTS, UINT32_MAX, one},
    {CW_OP_CNOT, INTS, UINT32_MAX, one},
    {CW_OP_NEG, INTS, 0, one},
    {CW_OP_ABS, BIT(CW_S16) | BIT(CW_S32) | BIT(CW_S64), 0, one},
    {CW_OP_MUL24, WORDS, 0, short_product},
    {CW_OP_MAD24, WORDS, 0, short_product},
    {CW_OP_SAD, WIDE_INTS, 0, difference},
    {CW_OP_DIV, WORDS, 0, division},
    {CW_OP_REM, WORDS, 0, division},
    {CW_OP_SHL, INTS, 0, shift},
    {CW_OP_SHR, INTS, 0, shift},
    {CW_OP_SHF_L, WORDS, CW_UF_WRAP, funnel},
    {CW_OP_SHF_R, WORDS, CW_UF_WRAP, funnel},
    {CW_OP_LOP3, WORDS, UINT32_MAX, table},
    {CW_OP_POPC, WIDE_INTS, 0, count_bits},
    {CW_OP_CLZ, WIDE_INTS, 0, count_bits},
    {CW_OP_BREV, WIDE_INTS, 0, count_bits},
    {CW_OP_BFIND, BIT(CW_U32), UINT32_MAX, find_bit},
};

static cw_native_lanes *plain_of(const struct cw_uop *u)
{
    const uint32_t modifiers = CW_UF_FTZ | CW_UF_SAT | CW_UF_HI | CW_UF_WIDE | CW_UF_CIN | CW_UF_COUT | CW_UF_WRAP | CW_UF_RELU;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (plain[i].op == u->op && (BIT(u->type) & plain[i].types) != 0 && (u->flags & modifiers & ~plain[i].flags) == 0)
            return plain[i].lanes;
    return NULL;
}

static cw_native_lanes *move_of(const struct cw_uop *u)
{
    const bool is_logic = u->op == CW_OP_MOV || u->op == CW_OP_NOT || u->op == CW_OP_CNOT || u->op == CW_OP_AND || u->op == CW_OP_OR ||
                          u->op == CW_OP_XOR || u->op == CW_OP_SELP;
    if (u->type == CW_PRED)
        return is_logic ? predicates : NULL;
    if (u->op == CW_OP_MOV && u->src[0].kind == CW_OPND_SREG)
        return knows_special(u) ? special : NULL;
    const bool wide = is_wide_register(u->dst[0]);
    for (uint32_t i = 0; i < (u->op == CW_OP_SELP ? 2u : 1u); i++)
        if (is_wide_register(u->src[i]) != wide || u->src[i].kind == CW_OPND_NONE)
            return NULL;
    return wide != is_wide(u->type) || u->type == CW_TYPE_NONE ? NULL : u->op == CW_OP_SELP ? choice : copy;
}

static bool is_pair(const struct cw_uop *u)
{
    return cw_type_bytes((enum cw_type)u->type) == 8 && cw_type_bytes((enum cw_type)u->stype) == 4;
}

/* Short words, in registers of 32 bits. */
static bool is_short(const struct cw_uop *u)
{
    const uint32_t bytes = cw_type_bytes((enum cw_type)u->type);
    const struct cw_opnd *part = u->op == CW_OP_PACK ? u->src : u->dst, *all = u->op == CW_OP_PACK ? u->dst : u->src;
    bool ok = cw_type_bytes((enum cw_type)u->stype) == 2 && (bytes == 4 || bytes == 8) && is_wide_register(*all) == (bytes == 8);
    for (uint32_t i = 0; ok && i < bytes / 2; i++)
        ok = part[i].kind == CW_OPND_R32 || (u->op == CW_OP_PACK ? is_known(part[i]) : part[i].kind == CW_OPND_SINK);
    return ok;
}

/* With names of values that are known, of those that are. */
static cw_native_lanes *special_of(const struct cw_uop *u)
{
    switch (u->op) {
    case CW_OP_LD:
        return u->space == CW_SPACE_PARAM && u->src[0].kind != CW_OPND_R32 && u->src[0].kind != CW_OPND_R64 ? parameter : NULL;
    case CW_OP_PACK:
        return is_pair(u) ? pack : is_short(u) ? pack_shorts : NULL;
    case CW_OP_UNPACK:
        return is_pair(u) ? unpack : is_short(u) ? unpack_shorts : NULL;
    case CW_OP_MUL:
    case CW_OP_MAD:
        return (BIT(u->type) & INTS) != 0 && (u->flags & CW_UF_SAT) == 0 && knows_product(u) ? product : NULL;
    case CW_OP_PRMT:
        return u->cmp == CW_PRMT_INDEX && is_known(u->src[2]) ? permute : NULL;
    case CW_OP_BFE:
        return (BIT(u->type) & WORDS) != 0 && is_known(u->src[1]) && is_known(u->src[2]) ? extract : NULL;
    case CW_OP_SETP:
        return (BIT(u->type) & INTS) != 0 && u->cmp <= CW_CMP_HS ? compare : NULL;
    case CW_OP_CVTA:
        return (BIT(u->type) & WIDE_INTS) != 0 && is_wide_register(u->src[0]) == is_wide(u->type) ? window : NULL;
    case CW_OP_CVT:
        return knows_conversion(u) ? convert : NULL;
    default:
        return NULL;
    }
}

cw_native_lanes *cw_native_lanes_of(const struct cw_uop *u)
{
    cw_native_lanes *lanes;
    if (u->op == CW_OP_MOV || u->op == CW_OP_SELP || u->type == CW_PRED)
        lanes = move_of(u);
    else
        lanes = plain_of(u);
    if (lanes == NULL)
        lanes = special_of(u);
    return lanes != NULL ? lanes : cw_native_real_of(u);
}
