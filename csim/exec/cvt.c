/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CVT in all its combinations, and the rounding that it rests on: in integer arithmetic, so that neither the host's rounding mode
 * nor its conversion instructions (which differ out of range) can show. The frequent combinations have vector
 * loops in lane.def.
 */
#include "exec/exec_private.h"
#include "exec/fp.h"

const struct cw_fp_format *cw_fp_format_of(enum cw_type type)
{
    static const struct cw_fp_format f16 = {11, -24, 0x7c00, CW_NAN_F16};
    static const struct cw_fp_format f32 = {24, -149, 0x7f800000, CW_NAN_F32};
    static const struct cw_fp_format f64 = {53, -1074, UINT64_C(0x7ff0000000000000), CW_NAN_F64};
    static const struct cw_fp_format bf16 = {8, -133, 0x7f80, CW_NAN_F16};
    static const struct cw_fp_format tf32 = {11, -136, 0x3fc00, 0x3ffff};
    static const struct cw_fp_format e4m3 = {4, -9, 0x7f, 0x7f}; /* no infinity */
    static const struct cw_fp_format e5m2 = {3, -16, 0x7c, 0x7f};
    switch (type) {
    case CW_F16:
        return &f16;
    case CW_BF16:
        return &bf16;
    case CW_TF32:
        return &tf32;
    case CW_E4M3X2:
        return &e4m3;
    case CW_E5M2X2:
        return &e5m2;
    default:
        return type == CW_F32 ? &f32 : &f64;
    }
}

static uint32_t sign_shift(enum cw_type type)
{
    if (type == CW_E4M3X2 || type == CW_E5M2X2)
        return 7;
    return type == CW_TF32 ? 18 : 8 * cw_type_bytes(type) - 1;
}

struct cw_fp cw_fp_decode(uint64_t bits, enum cw_type type)
{
    const struct cw_fp_format *f = cw_fp_format_of(type);
    uint64_t hidden = UINT64_C(1) << (f->precision - 1), magnitude = bits & ((UINT64_C(1) << sign_shift(type)) - 1);
    struct cw_fp v = {CW_FP_FINITE, (bits >> sign_shift(type)) & 1, magnitude & (hidden - 1), f->min_exp};
    uint64_t exponent = magnitude >> (f->precision - 1);
    if (magnitude >= f->infinity)
        v.class = magnitude > f->infinity || f->infinity == f->nan ? CW_FP_NAN : CW_FP_INF;
    else if (exponent > 0) {
        v.m |= hidden;
        v.e += (int)exponent - 1;
    }
    return v;
}

/* m / 2^shift, rounded; sign is that of the number whose magnitude m is. */
static uint64_t shift_round(uint64_t m, uint32_t shift, bool sign, enum cw_round round)
{
    if (shift == 0)
        return m;
    uint64_t q = shift < 64 ? m >> shift : 0;
    bool half = shift <= 64 && (m >> (shift - 1)) & 1;
    bool rest = shift <= 64 ? (m & ((UINT64_C(1) << (shift - 1)) - 1)) != 0 : m != 0;
    switch (round) {
    case CW_RZ:
    case CW_RZI:
        return q;
    case CW_RM:
    case CW_RMI:
        return q + (sign && (half || rest));
    case CW_RP:
    case CW_RPI:
        return q + (!sign && (half || rest));
    case CW_RNA:
        return q + half;
    default:
        return q + (half && (rest || (q & 1)));
    }
}

static uint64_t overflow(const struct cw_fp_format *f, bool sign, enum cw_round round)
{
    bool to_max = round == CW_RZ || round == CW_RZI || ((round == CW_RM || round == CW_RMI) && !sign) ||
                  ((round == CW_RP || round == CW_RPI) && sign);
    return f->infinity - to_max;
}

uint64_t cw_fp_encode(struct cw_fp v, enum cw_type type, enum cw_round round)
{
    const struct cw_fp_format *f = cw_fp_format_of(type);
    uint64_t sign = (uint64_t)v.sign << sign_shift(type);
    if (v.class == CW_FP_NAN)
        return f->nan;
    if (v.class == CW_FP_INF)
        return sign | f->infinity;
    if (v.m == 0)
        return sign;
    int up = __builtin_clzll(v.m);
    int e = v.e - up;
    int lsb = e + 64 - f->precision;
    if (lsb < f->min_exp)
        lsb = f->min_exp;
    uint64_t q = shift_round(v.m << up, (uint32_t)(lsb - e), v.sign, round);
    /* the hidden bit of a normal number, and a carry out of the rounding, add one to the exponent field by themselves */
    uint64_t magnitude = q + ((uint64_t)(lsb - f->min_exp) << (f->precision - 1));
    if (magnitude >= f->infinity)
        magnitude = overflow(f, v.sign, round);
    return sign | magnitude;
}

double cw_f16_load(uint32_t bits)
{
    uint64_t sign = (uint64_t)(bits & 0x8000u) << 48;
    uint64_t exponent = (bits >> 10) & 31, m = bits & 1023;
    if (exponent == 0)
        return cw_f64_of(sign | cw_f64_raw((double)m * 0x1p-24));
    if (exponent == 31)
        return cw_f64_of(m != 0 ? CW_NAN_F64 : sign | UINT64_C(0x7ff0000000000000));
    return cw_f64_of(sign | (exponent + 1008) << 52 | m << 42);
}

uint32_t cw_f16_store(double f, bool sat)
{
    if (sat)
        f = f > 0.0 ? (f < 1.0 ? f : 1.0) : 0.0;
    return (uint32_t)cw_fp_encode(cw_fp_decode(cw_f64_raw(f), CW_F64), CW_F16, CW_RN);
}

uint32_t cw_bf16_store(double f)
{
    return (uint32_t)cw_fp_encode(cw_fp_decode(cw_f64_raw(f), CW_F64), CW_BF16, CW_RN);
}

static bool is_float(enum cw_type t)
{
    return (t >= CW_F16 && t <= CW_F64) || t == CW_BF16 || t == CW_TF32 || t == CW_E4M3X2 || t == CW_E5M2X2;
}

static bool is_signed(enum cw_type t)
{
    return t == CW_S8 || t == CW_S16 || t == CW_S32 || t == CW_S64;
}

/* Low bits of a value of type, sign- or zero-extended to 64. */
static uint64_t extend(uint64_t bits, enum cw_type type)
{
    uint32_t unused = 64 - 8 * cw_type_bytes(type);
    return is_signed(type) ? (uint64_t)((int64_t)(bits << unused) >> unused) : (bits << unused) >> unused;
}

/* A magnitude with sign into an integer type, clamped to its range. */
static uint64_t clamp(uint64_t magnitude, bool sign, enum cw_type type)
{
    uint32_t bits = 8 * cw_type_bytes(type);
    if (!is_signed(type)) {
        uint64_t max = UINT64_MAX >> (64 - bits);
        return sign ? 0 : magnitude > max ? max : magnitude;
    }
    uint64_t limit = (UINT64_C(1) << (bits - 1)) - !sign;
    if (magnitude > limit)
        magnitude = limit;
    return sign ? 0 - magnitude : magnitude;
}

/* A NaN as an integer is 0 in words of up to 32 bits from a source other than .f64, and the highest bit alone in all others (PTX ISA, cvt). */
static uint64_t nan_to_int(enum cw_type to, enum cw_type from)
{
    const uint32_t bits = 8 * cw_type_bytes(to);
    return from != CW_F64 && bits < 64 ? 0 : UINT64_C(1) << (bits - 1);
}

static uint64_t float_to_int(struct cw_fp v, enum cw_type type, enum cw_round round)
{
    uint64_t q = UINT64_MAX;
    if (v.class == CW_FP_FINITE && v.e < 0)
        q = shift_round(v.m, (uint32_t)-v.e, v.sign, round);
    else if (v.class == CW_FP_FINITE && (v.m == 0 || v.e <= __builtin_clzll(v.m)))
        q = v.m << (v.m == 0 ? 0 : v.e);
    return clamp(q, v.sign, type);
}

/* .sat: into [+0, 1], a NaN to +0. */
static uint64_t saturated(uint64_t bits, struct cw_fp v, enum cw_type type)
{
    const struct cw_fp one = {CW_FP_FINITE, false, 1, 0};
    const uint64_t limit = cw_fp_encode(one, type, CW_RN);
    if (v.class == CW_FP_NAN || v.sign)
        return 0;
    return bits > limit ? limit : bits;
}

/* .relu and .satfinite leave a NaN as it is. */
static uint64_t limited(uint64_t bits, struct cw_fp v, const struct cw_uop *u)
{
    const uint64_t infinity = cw_fp_format_of((enum cw_type)u->type)->infinity;
    const uint64_t sign = UINT64_C(1) << sign_shift((enum cw_type)u->type);
    if (v.class == CW_FP_NAN)
        return bits;
    if (u->flags & CW_UF_RELU && v.sign)
        return 0;
    if (u->flags & CW_UF_SATFINITE && (bits & ~sign) >= infinity)
        return (bits & sign) | (infinity - 1);
    return bits;
}

static uint64_t float_result(struct cw_fp v, const struct cw_uop *u)
{
    enum cw_type type = (enum cw_type)u->type;
    enum cw_round round = (enum cw_round)u->round;
    if (cw_round_is_integral(round) && v.class == CW_FP_FINITE && v.e < 0) {
        v.m = shift_round(v.m, (uint32_t)-v.e, v.sign, round);
        v.e = 0;
    }
    uint64_t bits = cw_fp_encode(v, type, round);
    if (u->flags & CW_UF_SAT)
        bits = saturated(bits, v, type);
    bits = limited(bits, v, u);
    if (type == CW_TF32)
        return v.class == CW_FP_NAN ? CW_NAN_F32 : bits << 13;
    return type == CW_F32 && u->flags & CW_UF_FTZ ? cw_f32_flush((uint32_t)bits) : bits;
}

static uint64_t convert(uint64_t bits, const struct cw_uop *u)
{
    enum cw_type to = (enum cw_type)u->type, from = (enum cw_type)u->stype;
    struct cw_fp v;
    bits = extend(bits, from);
    if (is_float(from)) {
        if (from == CW_F32 && u->flags & CW_UF_FTZ)
            bits = cw_f32_flush((uint32_t)bits);
        v = cw_fp_decode(bits, from);
        if (!is_float(to))
            return v.class == CW_FP_NAN ? nan_to_int(to, from) : float_to_int(v, to, (enum cw_round)u->round);
        return float_result(v, u);
    }
    bool sign = is_signed(from) && bits >> 63;
    uint64_t magnitude = sign ? 0 - bits : bits;
    if (!is_float(to))
        return u->flags & CW_UF_SAT ? clamp(magnitude, sign, to) : extend(bits, to);
    v = (struct cw_fp){CW_FP_FINITE, sign, magnitude, 0};
    return float_result(v, u);
}

void cw_exec__cvt(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    for (uint32_t l = 0; l < CW_LANES; l++)
        if ((mask >> l) & 1)
            cw_exec__set(x, u->dst[0], l, convert(cw_exec__get(x, u->src[0], l), u));
}

/* The type of one number of a pair. Those of 8 bits have no type of their own. */
static enum cw_type element(enum cw_type pair)
{
    return pair == CW_F16X2 ? CW_F16 : pair == CW_BF16X2 ? CW_BF16 : pair;
}

static uint32_t element_bits(enum cw_type pair)
{
    return 4 * cw_type_bytes(pair);
}

/* Two numbers at once: from two operands, the first one to the upper half, or from both halves of one. */
void cw_exec__cvt_pair(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    struct cw_uop one = *u;
    const uint32_t to = element_bits((enum cw_type)u->type), from = element_bits((enum cw_type)u->stype);
    const bool two = u->stype == CW_F32;
    one.type = (uint8_t)element((enum cw_type)u->type);
    one.stype = (uint8_t)element((enum cw_type)u->stype);
    for (uint32_t l = 0; l < CW_LANES; l++) {
        uint64_t a = cw_exec__get(x, u->src[0], l), b = two ? cw_exec__get(x, u->src[1], l) : a & ((1u << from) - 1);
        if ((mask >> l) & 1)
            cw_exec__set(x, u->dst[0], l, convert(two ? a : (a >> from) & ((1u << from) - 1), &one) << to | convert(b, &one));
    }
}

/* A signed number into that many bits, clamped to what they hold. */
static uint64_t clamp_bits(uint64_t bits, uint32_t width, bool to_signed)
{
    const int64_t v = (int32_t)(uint32_t)bits, high = (INT64_C(1) << (to_signed ? width - 1 : width)) - 1, low = to_signed ? -high - 1 : 0;
    const int64_t inside = v > high ? high : v < low ? low : v;
    return (uint64_t)inside & ((UINT64_C(1) << width) - 1);
}

void cw_exec__cvt_pack(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    const uint32_t width = (uint32_t)u->imm & 255;
    const bool to_signed = (u->imm & 256) != 0;
    for (uint32_t l = 0; l < CW_LANES; l++) {
        const uint64_t a = clamp_bits(cw_exec__get(x, u->src[0], l), width, to_signed);
        const uint64_t b = clamp_bits(cw_exec__get(x, u->src[1], l), width, to_signed);
        if ((mask >> l) & 1)
            cw_exec__set(x, u->dst[0], l, cw_exec__get(x, u->src[2], l) << 2 * width | a << width | b);
    }
}
