/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floating point below the arithmetic operators: bit patterns, canonical NaNs, flush-to-zero, saturation, half precision, rounding.
 *
 * NaNs. Which operand's payload an x86 instruction passes on depends on the order in which a compiler puts the operands, so
 * payloads would make results depend on the compiler. Every arithmetic result that is a NaN is therefore the canonical one,
 * which for f32, f16 and bf16 is also what the hardware gives (PTX ISA: 0x7fffffff, 0x7fff); for f64 it is CUDA's CUDART_NAN.
 */
#ifndef CW_EXEC_FP_H
#define CW_EXEC_FP_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ir/uop.h"

#define CW_NAN_F16 UINT16_C(0x7fff) /* of bf16 too */
#define CW_NAN_F32 UINT32_C(0x7fffffff)
#define CW_NAN_F64 UINT64_C(0xfff8000000000000)

static inline float cw_f32_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t cw_f32_raw(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline double cw_f64_of(uint64_t bits)
{
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint64_t cw_f64_raw(double f)
{
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* Results: as bits, NaNs canonical. */
static inline uint32_t cw_f32_bits(float f)
{
    return f != f ? CW_NAN_F32 : cw_f32_raw(f);
}

static inline uint64_t cw_f64_bits(double f)
{
    return f != f ? CW_NAN_F64 : cw_f64_raw(f);
}

/* Subnormals become zero of the same sign. */
static inline uint32_t cw_f32_flush(uint32_t bits)
{
    return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}

/* The low half of bits. */
static inline uint32_t cw_f16_flush(uint32_t bits)
{
    return (bits & 0x7c00u) == 0 ? bits & 0x8000u : bits & 0xffffu;
}

static inline float cw_f32_load(uint32_t bits, bool ftz)
{
    return cw_f32_of(ftz ? cw_f32_flush(bits) : bits);
}

/* .sat: into [+0, 1], NaN to +0; then .ftz. */
static inline uint32_t cw_f32_store(float f, bool ftz, bool sat)
{
    float clamped = f > 0.0f ? (f < 1.0f ? f : 1.0f) : 0.0f;
    uint32_t bits = cw_f32_bits(sat ? clamped : f);
    return ftz ? cw_f32_flush(bits) : bits;
}

/* min and max: a NaN loses against a number, -0 is less than +0. */
static inline float cw_f32_min(float a, float b)
{
    float r = a < b ? a : b;
    r = b != b ? a : r;
    return a == b ? cw_f32_of(cw_f32_raw(a) | cw_f32_raw(b)) : r;
}

static inline float cw_f32_max(float a, float b)
{
    float r = a > b ? a : b;
    r = b != b ? a : r;
    return a == b ? cw_f32_of(cw_f32_raw(a) & cw_f32_raw(b)) : r;
}

static inline double cw_f64_min(double a, double b)
{
    double r = a < b ? a : b;
    r = b != b ? a : r;
    return a == b ? cw_f64_of(cw_f64_raw(a) | cw_f64_raw(b)) : r;
}

static inline double cw_f64_max(double a, double b)
{
    double r = a > b ? a : b;
    r = b != b ? a : r;
    return a == b ? cw_f64_of(cw_f64_raw(a) & cw_f64_raw(b)) : r;
}

/*
 * f32 fused multiply-add. Where the target has no FMA instruction: the product is exact in double; the sum is rounded to odd
 * (the inexact result that is even moves one ulp towards the error, which 2Sum gives exactly), and a value rounded to odd at 53
 * bits may be rounded again to 24 without harm (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved
 * algorithms using rounding to odd", IEEE TC 2008). Vectorises; a call of fmaf() does not.
 */
static inline float cw_f32_fma(float a, float b, float c)
{
#if defined(__FMA__) || defined(CW_TARGET_FMA)
    return __builtin_fmaf(a, b, c);
#else
    double p = (double)a * (double)b, s = p + (double)c;
    double t = s - p;
    double e = (p - (s - t)) + ((double)c - t);
    uint64_t bits = cw_f64_raw(s);
    uint64_t opposite = (bits ^ cw_f64_raw(e)) >> 63;
    uint64_t odd = bits + 1 - 2 * opposite;
    bool inexact = (e < 0.0) | (e > 0.0); /* false for the NaN that an infinite sum leaves */
    bool even = (bits & 1) == 0;
    return (float)cw_f64_of((inexact & even) ? odd : bits);
#endif
}

/* A binary format: precision with the hidden bit, exponent of the least subnormal, infinity's pattern. A format without infinities has its
 * NaN there. */
struct cw_fp_format {
    int precision, min_exp;
    uint64_t infinity, nan;
};

/* A number m * 2^e with sign. */
enum cw_fp_class { CW_FP_FINITE, CW_FP_INF, CW_FP_NAN };

struct cw_fp {
    enum cw_fp_class class;
    bool sign;
    uint64_t m;
    int e;
};

/* cvt.c; type is F16, BF16, TF32 (in the upper 19 bits of 32), F32, F64, or E4M3X2 or E5M2X2 for one number of the two; round one of RN,
 * RNA, RZ, RM, RP or its ..I twin. */
const struct cw_fp_format *cw_fp_format_of(enum cw_type type);
struct cw_fp cw_fp_decode(uint64_t bits, enum cw_type type);
uint64_t cw_fp_encode(struct cw_fp v, enum cw_type type, enum cw_round round);

/* Half precision is computed in double: sums, products and fused multiply-adds of 11-bit numbers round to double without
 * disturbing the second rounding, so each result is rounded once in effect. */
double cw_f16_load(uint32_t bits);
uint32_t cw_f16_store(double f, bool sat);

/* bf16 is the upper half of an f32. Sums and products are computed in double in the same way; a fused multiply-add would be rounded twice
 * where the addend is far below the product, so that its sum is rounded to odd first, as in cw_f32_fma. */
uint32_t cw_bf16_store(double f);

static inline double cw_bf16_load(uint32_t bits)
{
    return (double)cw_f32_of(bits << 16);
}

static inline uint32_t cw_bf16_flush(uint32_t bits)
{
    return (bits & 0x7f80u) == 0 ? bits & 0x8000u : bits & 0xffffu;
}

static inline double cw_bf16_fma(double a, double b, double c)
{
    double p = a * b, s = p + c, t = s - p;
    double e = (p - (s - t)) + (c - t);
    uint64_t bits = cw_f64_raw(s);
    bool inexact = (e < 0.0) | (e > 0.0); /* false for the NaN that an infinite sum leaves */
    if (!inexact || (bits & 1) != 0)
        return s;
    return cw_f64_of((bits ^ cw_f64_raw(e)) >> 63 ? bits - 1 : bits + 1);
}

#endif
