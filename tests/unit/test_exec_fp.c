/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point micro-ops: edge cases by hand (IEEE 754 and the PTX ISA), the bulk at random against the host's libm under fenv. */
#include "exec_fixture.h"

#include <fenv.h>
#include <math.h>

#define F(OP, FLAGS, E, ...)                                                     \
    {                                                                            \
        CW_OP_##OP, CW_F32, CW_TYPE_NONE, (FLAGS), CW_RN, {__VA_ARGS__}, (E), "" \
    }
#define FM(OP, MODE, E, ...)                                                \
    {                                                                       \
        CW_OP_##OP, CW_F32, CW_TYPE_NONE, 0, (MODE), {__VA_ARGS__}, (E), "" \
    }
#define D(OP, FLAGS, E, ...)                                                     \
    {                                                                            \
        CW_OP_##OP, CW_F64, CW_TYPE_NONE, (FLAGS), CW_RN, {__VA_ARGS__}, (E), "" \
    }
#define DM(OP, MODE, E, ...)                                                \
    {                                                                       \
        CW_OP_##OP, CW_F64, CW_TYPE_NONE, 0, (MODE), {__VA_ARGS__}, (E), "" \
    }
#define H(OP, FLAGS, E, ...)                                                     \
    {                                                                            \
        CW_OP_##OP, CW_F16, CW_TYPE_NONE, (FLAGS), CW_RN, {__VA_ARGS__}, (E), "" \
    }
#define H2(OP, FLAGS, E, ...)                                                      \
    {                                                                              \
        CW_OP_##OP, CW_F16X2, CW_TYPE_NONE, (FLAGS), CW_RN, {__VA_ARGS__}, (E), "" \
    }
#define FTZ    CW_UF_FTZ
#define SAT    CW_UF_SAT
#define NAN32  0x7fffffff
#define INF32  0x7f800000
#define NEG32  0x80000000
#define ONE32  0x3f800000
#define TWO32  0x40000000
#define HALF32 0x3f000000
#define TINY32 0x00000001 /* 2^-149 */
#define MIN32  0x00800000 /* 2^-126 */
#define MAX32  0x7f7fffff
#define INF64  UINT64_C(0x7ff0000000000000)
#define NAN64  UINT64_C(0xfff8000000000000)
#define ONE64  UINT64_C(0x3ff0000000000000)
#define NEG64  UINT64_C(0x8000000000000000)

static void test_exec_fp__specials(void **state)
{
    (void)state;
    static const struct fx_case t[] = {
        F(ADD, 0, TWO32, ONE32, ONE32),
        F(ADD, 0, NAN32, INF32, INF32 | NEG32),
        F(ADD, 0, NAN32, 0x7fc12345, ONE32),
        F(ADD, 0, NAN32, ONE32, 0xffc00001),
        F(ADD, 0, NAN32, 0x7f800001, 0),
        F(ADD, 0, 0, NEG32, 0),
        F(ADD, 0, NEG32, NEG32, NEG32),
        F(ADD, 0, 2, TINY32, TINY32),
        F(ADD, 0, INF32, MAX32, MAX32),
        F(ADD, 0, ONE32, ONE32, 0x33800000) /* 1 + 2^-24: tie to even */,
        F(ADD, 0, 0x3f800002, 0x3f800001, 0x33800000),
        F(ADD, FTZ, 0, TINY32, TINY32),
        F(ADD, FTZ, NEG32, NEG32 | TINY32, NEG32 | TINY32),
        F(ADD, FTZ, ONE32, ONE32, 0x007fffff),
        F(SUB, FTZ, 0, 0x00800001, MIN32),
        F(SUB, 0, 1, 0x00800001, MIN32),
        F(ADD, SAT, ONE32, ONE32, ONE32),
        F(SUB, SAT, 0, ONE32, TWO32),
        F(ADD, SAT, 0, INF32, 0xff800000),
        F(ADD, SAT, HALF32, HALF32, 0),
        F(ADD, SAT, 0, NEG32, NEG32),
        F(ADD, FTZ | SAT, 0, TINY32, 0),
        F(SUB, 0, NAN32, INF32, INF32),
        F(SUB, 0, 0, ONE32, ONE32),
        F(MUL, 0, NAN32, INF32, 0),
        F(MUL, 0, NEG32, NEG32, ONE32),
        F(MUL, 0, INF32, MAX32, TWO32),
        F(MUL, 0, 0x00400000, MIN32, HALF32),
        F(MUL, FTZ, 0, MIN32, HALF32),
        F(MUL, FTZ, NEG32, MIN32 | NEG32, HALF32),
        F(MUL, 0, 0, TINY32, HALF32) /* tie to even */,
        F(MUL, 0, 2, 3, HALF32),
        F(MUL, SAT, ONE32, TWO32, TWO32),
        F(DIV, 0, NAN32, 0, 0),
        F(DIV, 0, INF32, ONE32, 0),
        F(DIV, 0, 0xff800000, ONE32, NEG32),
        F(DIV, 0, 0x3eaaaaab, ONE32, 0x40400000),
        F(DIV, FTZ, 0, MIN32, TWO32),
        FM(DIV, CW_ROUND_APPROX, 0, TWO32, 0x7f000000) /* |b| > 2^126 is 0, not 2^-126 */,
        FM(DIV, CW_ROUND_APPROX, NAN32, INF32, 0x7f000000 | 0x100),
        FM(DIV, CW_ROUND_APPROX, MIN32, ONE32, 0x7e800000) /* b = 2^126 */,
        FM(DIV, CW_ROUND_APPROX, 0, TWO32, INF32),
        FM(DIV, CW_ROUND_FULL, 0x00400000, HALF32, 0x7e800000),
        F(RCP, 0, INF32, 0),
        F(RCP, 0, 0xff800000, NEG32),
        F(RCP, 0, 0, INF32),
        F(RCP, 0, HALF32, TWO32),
        F(RCP, 0, MIN32, 0x7e800000),
        F(RCP, 0, 0x00400000, 0x7f000000),
        F(RCP, FTZ, INF32, 0x00400000),
        F(RCP, 0, INF32, TINY32),
        F(SQRT, 0, NAN32, 0xbf800000),
        F(SQRT, 0, NEG32, NEG32),
        F(SQRT, 0, TWO32, 0x40800000),
        F(SQRT, 0, INF32, INF32),
        F(SQRT, 0, 0x3fb504f3, TWO32),
        F(RSQRT, 0, INF32, 0),
        F(RSQRT, 0, 0xff800000, NEG32),
        F(RSQRT, 0, NAN32, 0xbf800000),
        F(RSQRT, 0, HALF32, 0x40800000),
        F(RSQRT, 0, 0, INF32),
        F(RSQRT, FTZ, INF32, TINY32),
        F(SIN, 0, 0, 0),
        F(SIN, 0, NEG32, NEG32),
        F(SIN, 0, NAN32, INF32),
        F(COS, 0, ONE32, 0),
        F(COS, 0, NAN32, INF32),
        F(SIN, 0, ONE32, 0x3fc90fdb),
        F(LG2, 0, 0xff800000, 0),
        F(LG2, 0, NAN32, 0xbf800000),
        F(LG2, 0, 0x40400000, 0x41000000),
        F(LG2, 0, 0xc3150000, TINY32) /* -149 */,
        F(LG2, FTZ, 0xff800000, TINY32),
        F(EX2, 0, 0x41000000, 0x40400000),
        F(EX2, 0, 0, 0xff800000),
        F(EX2, 0, INF32, 0x43000000),
        F(EX2, 0, ONE32, NEG32),
        F(EX2, 0, 0x00400000, 0xc2fe0000) /* 2^-127 */,
        F(EX2, FTZ, 0, 0xc2fe0000),
        F(TANH, 0, ONE32, INF32),
        F(TANH, 0, 0, 0),
        F(TANH, 0, 0x3f42f7d6, ONE32),
        F(MIN, 0, ONE32, ONE32, NAN32),
        F(MIN, 0, ONE32, NAN32, ONE32),
        F(MIN, 0, NAN32, 0x7fc00001, 0xffc00000),
        F(MIN, 0, NEG32, NEG32, 0),
        F(MIN, 0, NEG32, 0, NEG32),
        F(MAX, 0, 0, NEG32, 0),
        F(MAX, 0, 0, 0, NEG32),
        F(MAX, 0, ONE32, ONE32, NAN32),
        F(MAX, 0, TWO32, ONE32, TWO32),
        F(MIN, 0, 0xff800000, 0xff800000, ONE32),
        F(MIN, CW_UF_NAN, NAN32, ONE32, 0x7fc00000),
        F(MAX, CW_UF_NAN, NAN32, 0xffc00000, ONE32),
        F(MIN, FTZ, 0, TINY32, ONE32),
        F(MAX, FTZ, NEG32, NEG32 | TINY32, 0xbf800000),
        F(MIN, CW_UF_XORSIGN, 0xbf800000, 0xbf800000, TWO32),
        F(MAX, CW_UF_XORSIGN, TWO32, 0xbf800000, 0xc0000000),
        F(MAX, CW_UF_XORSIGN, 0xc0000000, ONE32, 0xc0000000),
        F(ABS, 0, ONE32, 0xbf800000),
        F(ABS, 0, 0, NEG32),
        F(ABS, FTZ, 0, NEG32 | TINY32),
        F(ABS, 0, TINY32, NEG32 | TINY32),
        F(NEG, 0, NEG32, 0),
        F(NEG, FTZ, NEG32, TINY32),
        F(NEG, 0, 0xff800000, INF32),
        F(COPYSIGN, 0, 0xbf800000, NEG32, ONE32),
        F(COPYSIGN, 0, ONE32, 0, 0xbf800000),
        F(FMA, 0, NAN32, INF32, 0, ONE32),
        F(FMA, 0, NAN32, INF32, ONE32, 0xff800000),
        F(FMA, 0, INF32, MAX32, MAX32, ONE32),
        F(FMA, 0, INF32, ONE32, ONE32, INF32),
        F(FMA, 0, 0xb4000000, 0x3f7fffff, 0x3f7fffff, 0xbf800000) /* -2^-23 + 2^-48: tie */,
        F(FMA, FTZ, 0, MIN32, HALF32, 0),
        F(FMA, 0, 0x00400000, MIN32, HALF32, 0),
        F(FMA, SAT, ONE32, TWO32, TWO32, ONE32),
        F(FMA, SAT, 0, NAN32, ONE32, ONE32),
        F(FMA, 0, 0xa8800000, 0x3f800001, 0x3f7ffffe, 0xbf800000) /* -2^-46, exact */,
        D(ADD, 0, NAN64, INF64, INF64 | NEG64),
        D(ADD, 0, 2, 1, 1),
        D(SUB, 0, 0, ONE64, ONE64),
        D(MUL, 0, NAN64, INF64, 0),
        D(DIV, 0, INF64, ONE64, 0),
        D(DIV, 0, 0x3fd5555555555555, ONE64, 0x4008000000000000),
        D(RCP, 0, 0x3fe0000000000000, 0x4000000000000000),
        D(SQRT, 0, NAN64, ONE64 | NEG64),
        D(SQRT, 0, 0x3ff6a09e667f3bcd, 0x4000000000000000),
        D(RSQRT, 0, 0x3fe0000000000000, 0x4010000000000000),
        D(MIN, 0, ONE64, ONE64, NAN64),
        D(MAX, 0, 0, NEG64, 0),
        D(ABS, 0, ONE64, ONE64 | NEG64),
        D(NEG, 0, ONE64 | NEG64, ONE64),
        D(COPYSIGN, 0, ONE64 | NEG64, NEG64, ONE64),
        D(FMA, 0, NAN64, INF64, 0, ONE64),
        {CW_OP_RCP, CW_F64, CW_TYPE_NONE, FTZ, CW_ROUND_APPROX, {0x4008000012345678}, 0x3fd5555500000000, "gross"},
        {CW_OP_RSQRT, CW_F64, CW_TYPE_NONE, FTZ, CW_ROUND_APPROX, {0x4010000000000001}, 0x3fe0000000000000, "gross"},
        {CW_OP_RCP, CW_F64, CW_TYPE_NONE, FTZ, CW_ROUND_APPROX, {0x000fffff00000000}, INF64, "gross, subnormal"},
    };
    FX_CHECK_ALL(t);
}

static void test_exec_fp__directed_rounding(void **state)
{
    (void)state;
    static const struct fx_case t[] = {
        FM(ADD, CW_RZ, ONE32, ONE32, 0x33800000),
        FM(ADD, CW_RM, ONE32, ONE32, 0x33800000),
        FM(ADD, CW_RP, 0x3f800001, ONE32, 0x33800000),
        FM(ADD, CW_RP, 0xbf800000, 0xbf800000, 0xb3800000),
        FM(ADD, CW_RM, 0xbf800001, 0xbf800000, 0xb3800000),
        FM(SUB, CW_RM, NEG32, ONE32, ONE32),
        FM(SUB, CW_RZ, 0x3f7fffff, ONE32, TINY32),
        FM(ADD, CW_RZ, MAX32, MAX32, MAX32),
        FM(ADD, CW_RM, MAX32, MAX32, MAX32),
        FM(ADD, CW_RP, INF32, MAX32, MAX32),
        FM(MUL, CW_RP, TINY32, TINY32, HALF32),
        FM(MUL, CW_RZ, 0, TINY32, HALF32),
        FM(MUL, CW_RM, NEG32 | TINY32, NEG32 | TINY32, HALF32),
        FM(DIV, CW_RZ, 0x3eaaaaaa, ONE32, 0x40400000),
        FM(DIV, CW_RP, 0x3eaaaaab, ONE32, 0x40400000),
        FM(DIV, CW_RM, 0xbeaaaaab, 0xbf800000, 0x40400000),
        FM(RCP, CW_RZ, 0x3eaaaaaa, 0x40400000),
        FM(SQRT, CW_RP, 0x3fb504f4, TWO32),
        FM(SQRT, CW_RZ, 0x3fb504f3, TWO32),
        FM(FMA, CW_RP, 0x3f800001, ONE32, ONE32, TINY32),
        FM(FMA, CW_RZ, ONE32, ONE32, ONE32, TINY32),
        FM(FMA, CW_RM, 0x3f7fffff, ONE32, ONE32, NEG32 | TINY32),
        FM(ADD, CW_RZ, NAN32, INF32, 0xff800000),
        DM(ADD, CW_RP, ONE64 + 1, ONE64, 1),
        DM(ADD, CW_RZ, ONE64, ONE64, 1),
        DM(SUB, CW_RM, ONE64 - 1, ONE64, 1),
        DM(MUL, CW_RP, 1, 1, 0x3fe0000000000000),
        DM(DIV, CW_RP, 0x3fd5555555555556, ONE64, 0x4008000000000000),
        DM(RCP, CW_RZ, 0x3fd5555555555555, 0x4008000000000000),
        DM(SQRT, CW_RZ, 0x3ff6a09e667f3bcc, 0x4000000000000000),
        DM(FMA, CW_RP, ONE64 + 1, ONE64, ONE64, 1),
        DM(FMA, CW_RM, ONE64, ONE64, ONE64, 1),
    };
    int before = fegetround();
    FX_CHECK_ALL(t);
    assert_int_equal(fegetround(), before);
    fesetround(FE_UPWARD); /* the caller's mode is kept, and does not matter here */
    fx_check(&t[0]);
    assert_int_equal(fegetround(), FE_UPWARD);
    fesetround(before);
}

static void test_exec_fp__half(void **state)
{
    (void)state;
    static const struct fx_case t[] = {
        H(ADD, 0, 0x4000, 0x3c00, 0x3c00),
        H(ADD, 0, 0x3c00, 0x3c00, 0x1000) /* 1 + 2^-11: tie */,
        H(ADD, 0, 0x3c02, 0x3c01, 0x1000),
        H(ADD, 0, 0x7c00, 0x7bff, 0x7bff),
        H(ADD, 0, 2, 1, 1),
        H(ADD, FTZ, 0, 1, 1),
        H(ADD, SAT, 0x3c00, 0x3c00, 0x3c00),
        H(ADD, 0, 0x7fff, 0x7c00, 0xfc00),
        H(SUB, 0, 0x8001, 0, 1),
        H(MUL, 0, 0x3c00, 0x4000, 0x3800),
        H(MUL, 0, 0, 1, 0x3800),
        H(MUL, 0, 2, 3, 0x3800),
        H(MUL, 0, 0x7c00, 0x7bff, 0x4000),
        H(MUL, 0, 0x7fff, 0x7e00, 0x3c00),
        H(FMA, 0, 0x4400, 0x4000, 0x3c00, 0x4000),
        H(FMA, 0, 0x3c01, 0x3c00, 0x3c00, 0x1001) /* just above the tie */,
        H(FMA, 0, 0x0ffe, 0x3c01, 0x3bff, 0xbc00) /* 2^-11 - 2^-21, exact */,
        H(FMA, 0, 0x7bff, 0x7bff, 0x3c00, 1),
        H(MIN, 0, 0x3c00, 0x3c00, 0x7e00),
        H(MIN, 0, 0x8000, 0, 0x8000),
        H(MAX, CW_UF_NAN, 0x7fff, 0x7e00, 0x3c00),
        H(MAX, 0, 0x4000, 0x3c00, 0x4000),
        H(ABS, 0, 0x3c00, 0xbc00),
        H(ABS, FTZ, 0, 0x8001),
        H(NEG, FTZ, 0x8000, 0x03ff),
        H2(NEG, FTZ, 0x8000bc00, 0x00013c00),
        H2(ABS, FTZ, 0x3c000000, 0xbc0083ff),
        H(NEG, 0, 0xbc00, 0x3c00),
        H(EX2, 0, 0x4800, 0x4200),
        H(TANH, 0, 0x3c00, 0x7c00),
        H2(ADD, 0, 0x40004400, 0x3c004000, 0x3c004000),
        H2(SUB, 0, 0x00003c00, 0x3c004000, 0x3c003c00),
        H2(MUL, 0, 0x44003c00, 0x40003c00, 0x40003c00),
        H2(FMA, SAT, 0x3c003800, 0x40003800, 0x40003c00, 0x3c000000),
        H2(MIN, 0, 0x3c00bc00, 0x3c00bc00, 0x7e003c00),
        H2(ABS, 0, 0x3c003c00, 0xbc003c00),
        H2(NEG, 0, 0xbc003c00, 0x3c00bc00),
    };
    FX_CHECK_ALL(t);
}

static uint32_t random_f32(struct cw_rng *rng)
{
    uint32_t v = (uint32_t)(cw_rng_next(rng) >> 32);
    switch (cw_rng_below(rng, 6)) {
    case 0:
        return v; /* any bits */
    case 1:
        return (v & 0x80000000) | (v & 0x00ffffff); /* around the subnormals */
    case 2:
        return (v & 0x807fffff) | 0x3f800000; /* near 1: cancellation */
    case 3:
        return (v & 0x80000003) | 0x7f7ffffc; /* near overflow */
    case 4:
        return (v & 0x80ffffff) | (uint32_t)(120 + cw_rng_below(rng, 16)) << 23;
    default:
        return (v & 0xff800000) | (cw_rng_below(rng, 2) ? 0x7fffffu : 1u) >> cw_rng_below(rng, 23);
    }
}

static uint64_t random_f64(struct cw_rng *rng)
{
    uint64_t v = cw_rng_next(rng);
    switch (cw_rng_below(rng, 4)) {
    case 0:
        return v;
    case 1:
        return v & UINT64_C(0x801fffffffffffff);
    case 2:
        return (v & UINT64_C(0x800fffffffffffff)) | UINT64_C(0x3ff0000000000000);
    default:
        return (v & UINT64_C(0x8000000000000003)) | UINT64_C(0x7feffffffffffffc);
    }
}

static float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static double as_double(uint64_t bits)
{
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t want_f32(enum cw_op op, volatile float a, volatile float b, volatile float c)
{
    volatile float r;
    switch (op) {
    case CW_OP_ADD:
        r = a + b;
        break;
    case CW_OP_SUB:
        r = a - b;
        break;
    case CW_OP_MUL:
        r = a * b;
        break;
    case CW_OP_DIV:
        r = a / b;
        break;
    case CW_OP_RCP:
        r = 1.0f / a;
        break;
    case CW_OP_SQRT:
        r = sqrtf(a);
        break;
    case CW_OP_MIN:
        r = a == b ? (signbit(a) ? a : b) : isnan(b) || a < b ? a : b;
        break;
    case CW_OP_MAX:
        r = a == b ? (signbit(a) ? b : a) : isnan(b) || a > b ? a : b;
        break;
    default:
        r = fmaf(a, b, c);
        break;
    }
    return isnan(r) ? NAN32 : (uint32_t)fx_f32(r);
}

static uint64_t want_f64(enum cw_op op, volatile double a, volatile double b, volatile double c)
{
    volatile double r;
    switch (op) {
    case CW_OP_ADD:
        r = a + b;
        break;
    case CW_OP_SUB:
        r = a - b;
        break;
    case CW_OP_MUL:
        r = a * b;
        break;
    case CW_OP_DIV:
        r = a / b;
        break;
    case CW_OP_RCP:
        r = 1.0 / a;
        break;
    case CW_OP_SQRT:
        r = sqrt(a);
        break;
    case CW_OP_MIN:
        r = a == b ? (signbit(a) ? a : b) : isnan(b) || a < b ? a : b;
        break;
    case CW_OP_MAX:
        r = a == b ? (signbit(a) ? b : a) : isnan(b) || a > b ? a : b;
        break;
    default:
        r = fma(a, b, c);
        break;
    }
    return isnan(r) ? NAN64 : fx_f64(r);
}

/* One micro-op on 32 random lanes, all against the host in the same rounding mode. Returns the number of checks. */
static uint32_t random_warp(struct cw_rng *rng, enum cw_op op, enum cw_type type, enum cw_round round, enum cw_exec_isa isa)
{
    static const int mode[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    static struct fixture f;
    struct fx_case c = {.op = op, .type = type, .stype = CW_TYPE_NONE, .mode = round};
    struct cw_uop u = fx_uop(&c);
    fx_init(&f, cw_rng_next(rng));
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t l = 0; l < CW_LANES; l++) {
            f.r32[i][1][l] = random_f32(rng);
            f.r64[i][1][l] = random_f64(rng);
        }
    }
    if (!fx_run(&f, &u, isa, CW_FULL_MASK))
        return 0;
    fesetround(mode[round]);
    for (uint32_t l = 0; l < CW_LANES; l++) {
        const uint32_t a = f.r32[0][1][l], b = f.r32[1][1][l], d = f.r32[2][1][l];
        const uint64_t A = f.r64[0][1][l], B = f.r64[1][1][l], D = f.r64[2][1][l];
        uint64_t want =
            type == CW_F32 ? want_f32(op, as_float(a), as_float(b), as_float(d)) : want_f64(op, as_double(A), as_double(B), as_double(D));
        uint64_t got = type == CW_F32 ? f.r32[FX_D][1][l] : f.r64[FX_D][1][l];
        if (got != want) {
            fesetround(FE_TONEAREST);
            fail_msg("op %u type %u round %u isa %u: %08x %08x %08x / %016llx %016llx %016llx: %llx, not %llx", op, type, round, isa, a, b,
                     d, (unsigned long long)A, (unsigned long long)B, (unsigned long long)D, (unsigned long long)got,
                     (unsigned long long)want);
        }
    }
    fesetround(FE_TONEAREST);
    return CW_LANES;
}

static void test_exec_fp__random_against_host(void **state)
{
    (void)state;
    static const enum cw_op op[] = {CW_OP_ADD, CW_OP_SUB, CW_OP_MUL, CW_OP_DIV, CW_OP_FMA, CW_OP_RCP, CW_OP_SQRT, CW_OP_MIN, CW_OP_MAX};
    struct cw_rng rng;
    uint32_t checks = 0;
    cw_rng_seed(&rng, cw_test_seed(20));
    for (uint32_t i = 0; i < 150; i++)
        for (uint32_t k = 0; k < sizeof op / sizeof op[0]; k++)
            for (int type = CW_F32; type <= CW_F64; type++)
                for (int round = CW_RN; round <= (op[k] == CW_OP_MIN || op[k] == CW_OP_MAX ? CW_RN : CW_RP); round++)
                    for (int isa = CW_EXEC_BASE; isa <= CW_EXEC_AVX2; isa++)
                        checks += random_warp(&rng, op[k], (enum cw_type)type, (enum cw_round)round, (enum cw_exec_isa)isa);
    printf("%u checks\n", checks);
    assert_true(checks >= 150 * 32 * 30);
}

/* Where a first rounding to 53 bits lands on the tie of the second: the cases that a fused multiply-add in plain double gets wrong. */
static void test_exec_fp__fma_rounds_once(void **state)
{
    (void)state;
    struct cw_rng rng;
    uint32_t differs = 0;
    cw_rng_seed(&rng, cw_test_seed(21));
    for (uint32_t i = 0; i < 20000; i++) {
        float a = 1.0f + (float)cw_rng_below(&rng, 1 << 12) * 0x1p-12f, b = 1.0f + (float)cw_rng_below(&rng, 1 << 12) * 0x1p-12f;
        float c = ldexpf(cw_rng_below(&rng, 2) ? 1.0f : -1.0f, -30 - (int)cw_rng_below(&rng, 60));
        struct fx_case k = {.op = CW_OP_FMA, .type = CW_F32, .stype = CW_TYPE_NONE, .src = {fx_f32(a), fx_f32(b), fx_f32(c)}};
        k.expected = fx_f32(fmaf(a, b, c));
        bool twice = fx_f32((float)((double)a * (double)b + (double)c)) != k.expected;
        differs += twice;
        if (twice || i < 50)
            fx_check(&k);
    }
    printf("%u cases in which two roundings would differ\n", differs);
    assert_true(differs > 10);
}

static void test_exec_fp__approximations_are_close(void **state)
{
    (void)state;
    static struct fixture f;
    static const struct {
        enum cw_op op;
        double (*fn)(double);
        double low, high;
    } t[] = {{CW_OP_SIN, sin, -3.1, 3.1},
             {CW_OP_COS, cos, -3.1, 3.1},
             {CW_OP_LG2, log2, 0.01, 1000},
             {CW_OP_EX2, exp2, -100, 100},
             {CW_OP_TANH, tanh, -5, 5}};
    struct cw_rng rng;
    cw_rng_seed(&rng, cw_test_seed(22));
    for (uint32_t k = 0; k < sizeof t / sizeof t[0]; k++) {
        struct fx_case c = {.op = t[k].op, .type = CW_F32, .stype = CW_TYPE_NONE, .mode = CW_ROUND_APPROX};
        struct cw_uop u = fx_uop(&c);
        fx_init(&f, 1);
        for (uint32_t l = 0; l < CW_LANES; l++)
            f.r32[0][1][l] = (uint32_t)fx_f32((float)(t[k].low + (t[k].high - t[k].low) * (double)cw_rng_below(&rng, 1u << 30) * 0x1p-30));
        fx_run(&f, &u, CW_EXEC_BEST, CW_FULL_MASK);
        for (uint32_t l = 0; l < CW_LANES; l++) {
            double want = t[k].fn((double)as_float(f.r32[0][1][l])), got = (double)as_float(f.r32[FX_D][1][l]);
            assert_true(fabs(got - want) <= fabs(want) * 0x1p-23);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_exec_fp__specials),
    cmocka_unit_test(test_exec_fp__directed_rounding),
    cmocka_unit_test(test_exec_fp__half),
    cmocka_unit_test(test_exec_fp__random_against_host),
    cmocka_unit_test(test_exec_fp__fma_rounds_once),
    cmocka_unit_test(test_exec_fp__approximations_are_close),
};

CW_TEST_MAIN(tests)
