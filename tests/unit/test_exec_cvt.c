/* SPDX-License-Identifier: Apache-2.0 */
/* CVT: edge cases by hand; all integer pairs, and all rounding modes against the host's conversions, at random. */
#include "exec_fixture.h"

#include <fenv.h>
#include <math.h>

#define C(T, ST, ROUND, FLAGS, E, V)                                  \
    {                                                                 \
        CW_OP_CVT, CW_##T, CW_##ST, (FLAGS), CW_##ROUND, {V}, (E), "" \
    }
#define SAT   CW_UF_SAT
#define FTZ   CW_UF_FTZ
#define INF32 0x7f800000
#define NAN32 0x7fc00000
#define INF64 UINT64_C(0x7ff0000000000000)
#define M64   UINT64_MAX

static void test_exec_cvt__integers(void **state)
{
    (void)state;
    static const struct fx_case t[] = {
        C(U8, U32, RN, 0, 0x34, 0x1234),
        C(U8, S32, RN, SAT, 0, 0xffffffff),
        C(U8, S32, RN, SAT, 0xff, 0x100),
        C(S8, S32, RN, SAT, 0x7f, 0x80),
        C(S8, S32, RN, SAT, 0x80, 0xffffff7f),
        C(S8, U64, RN, SAT, 0x7f, M64),
        C(U16, S16, RN, SAT, 0, 0x8000),
        C(S16, U16, RN, SAT, 0x7fff, 0x8000),
        C(S16, S64, RN, SAT, 0x8000, 0xfffffff000000000),
        C(U32, S64, RN, SAT, 0xffffffff, 0x100000000),
        C(U32, S64, RN, SAT, 0, M64),
        C(S32, U32, RN, SAT, 0x7fffffff, 0x80000000),
        C(U64, S32, RN, SAT, 0, 0xffffffff),
        C(S64, U64, RN, SAT, 0x7fffffffffffffff, M64),
        C(U64, S64, RN, SAT, 0, M64),
        C(U64, U32, RN, 0, 0xffffffff, 0xffffffff),
        C(U64, S32, RN, 0, M64, 0xffffffff),
        C(S64, S8, RN, 0, 0xffffffffffffff80, 0x80),
        C(S64, U8, RN, 0, 0x80, 0x80),
        C(U32, S8, RN, 0, 0xffffff80, 0x1280),
        C(S32, S16, RN, 0, 0xffff8000, 0x8000),
        C(U32, U16, RN, 0, 0x8000, 0xff8000),
        C(U32, U64, RN, 0, 0x89abcdef, 0x0123456789abcdef),
        C(U16, U64, RN, 0, 0xcdef, 0x0123456789abcdef),
    };
    FX_CHECK_ALL(t);
}

static void test_exec_cvt__float_to_integer(void **state)
{
    (void)state;
    static const struct fx_case t[] = {
        C(S32, F32, RZI, 0, 1, 0x3ff33333) /* 1.9 */,
        C(S32, F32, RZI, 0, 0xffffffff, 0xbff33333),
        C(S32, F32, RNI, 0, 2, 0x3fc00000) /* 1.5 */,
        C(S32, F32, RNI, 0, 2, 0x40200000) /* 2.5 */,
        C(S32, F32, RNI, 0, 0, 0x3f000000),
        C(S32, F32, RMI, 0, 0xfffffffe, 0xbf8ccccd) /* -1.1 */,
        C(S32, F32, RPI, 0, 0xffffffff, 0xbff33333),
        C(S32, F32, RPI, 0, 2, 0x3f8ccccd),
        C(S32, F32, RMI, 0, 0xffffffff, 0x80000001) /* -2^-149 */,
        C(S32, F32, RMI, FTZ, 0, 0x80000001),
        C(S32, F32, RPI, 0, 1, 1),
        C(S32, F32, RPI, FTZ, 0, 1),
        C(S32, F32, RZI, 0, 0x7fffffff, 0x4f000000) /* 2^31 */,
        C(S32, F32, RZI, 0, 0x80000000, 0xcf000000),
        C(S32, F32, RZI, 0, 0x80000000, 0xcf000001),
        C(S32, F32, RZI, 0, 0x7fffffff, INF32),
        C(S32, F32, RZI, 0, 0x80000000, 0xff800000),
        C(S32, F32, RZI, 0, 0, NAN32),
        C(S32, F32, RZI, 0, 0, 0xffc00000),
        C(U32, F32, RZI, 0, 0, 0xbf800000),
        C(U32, F32, RZI, 0, 0xffffffff, 0x4f800000),
        C(U32, F32, RZI, 0, 0x80000000, 0x4f000000),
        C(U32, F32, RZI, 0, 0xffffff00, 0x4f7fffff),
        C(U8, F32, RZI, 0, 0xff, 0x43800000),
        C(U8, F32, RNI, 0, 0xff, 0x437f8000) /* 255.5: 256 clamps */,
        C(S8, F32, RZI, 0, 0x80, 0xc3010000),
        C(S16, F32, RZI, 0, 0x7fff, 0x47800000),
        C(U16, F32, RNI, 0, 0, 0xbf000000),
        C(S64, F32, RZI, 0, 0x7fffffffffffffff, 0x5f000000),
        C(S64, F32, RZI, 0, 0x8000000000000000, 0xdf000000),
        C(U64, F32, RZI, 0, 0x8000000000000000, 0x5f000000),
        C(U64, F32, RZI, 0, M64, 0x5f800000),
        C(U64, F32, RZI, 0, 0, 0xdf000000),
        C(S32, F64, RZI, 0, 0x7fffffff, 0x41dfffffffffffff) /* 2^31 - eps */,
        C(S32, F64, RNI, 0, 0x7fffffff, 0x41dfffffffffffff),
        C(S32, F64, RMI, 0, 0x80000000, 0xc1e0000000000001),
        C(U32, F64, RZI, 0, 0xffffffff, 0x41f0000000000000),
        C(S64, F64, RZI, 0, 0x7ffffffffffffc00, 0x43dfffffffffffff),
        C(S64, F64, RZI, 0, 0x8000000000000000, 0x7ff8000000000000),
        C(U64, F64, RZI, 0, M64, INF64),
        C(U64, F64, RPI, 0, 1, 1),
        C(S32, F16, RZI, 0, 65504, 0x7bff),
        C(S16, F16, RZI, 0, 0x7fff, 0x7bff),
        C(U8, F16, RNI, 0, 2, 0x3e00),
        C(S32, F16, RZI, 0, 0x7fffffff, 0x7c00),
        C(S32, F16, RZI, 0, 0, 0x7e00),
    };
    FX_CHECK_ALL(t);
}

static void test_exec_cvt__to_float(void **state)
{
    (void)state;
    static const struct fx_case t[] = {
        C(F32, S32, RN, 0, 0xbf800000, 0xffffffff),
        C(F32, U32, RN, 0, 0x4f800000, 0xffffffff),
        C(F32, U32, RZ, 0, 0x4f7fffff, 0xffffffff),
        C(F32, U32, RM, 0, 0x4f7fffff, 0xffffffff),
        C(F32, U32, RP, 0, 0x4f800000, 0xffffffff),
        C(F32, S32, RP, 0, 0xcb800000, 0xfeffffff) /* -(2^24 + 1) */,
        C(F32, S32, RM, 0, 0xcb800001, 0xfeffffff),
        C(F32, S32, RN, 0, 0xcb800000, 0xfeffffff),
        C(F32, S32, RN, 0, 0xcf000000, 0x80000000),
        C(F32, U64, RN, 0, 0x5f800000, M64),
        C(F32, U64, RZ, 0, 0x5f7fffff, M64),
        C(F32, S64, RN, 0, 0xdf000000, 0x8000000000000000),
        C(F32, S8, RN, 0, 0xc3000000, 0x80),
        C(F32, U8, RN, 0, 0x43000000, 0x80),
        C(F32, U16, RN, 0, 0x477fff00, 0xffff),
        C(F32, S16, RN, 0, 0xbf800000, 0xffff),
        C(F32, U32, RN, 0, 0, 0),
        C(F32, S32, RN, SAT, 0, 0xffffffff),
        C(F32, U32, RN, SAT, 0x3f800000, 5),
        C(F64, U64, RN, 0, 0x43f0000000000000, M64),
        C(F64, U64, RZ, 0, 0x43efffffffffffff, M64),
        C(F64, S64, RN, 0, 0xbff0000000000000, M64),
        C(F64, S32, RN, 0, 0xc1e0000000000000, 0x80000000),
        C(F64, U32, RN, 0, 0x41efffffffe00000, 0xffffffff),
        C(F16, S32, RN, 0, 0xbc00, 0xffffffff),
        C(F16, U32, RN, 0, 0x7c00, 65520),
        C(F16, U32, RN, 0, 0x7bff, 65519),
        C(F16, U32, RZ, 0, 0x7bff, 100000),
        C(F16, U16, RN, 0, 0x6800, 2049),
        C(F16, U16, RP, 0, 0x6801, 2049),
        C(F64, F32, RN, 0, 0x36a0000000000000, 1) /* 2^-149 */,
        C(F64, F32, RN, FTZ, 0, 1),
        C(F64, F32, RN, 0, INF64, INF32),
        C(F64, F32, RN, 0, 0xfff8000000000000, 0x7f800001),
        C(F64, F32, RN, 0, 0x8000000000000000, 0x80000000),
        C(F32, F64, RN, 0, 0x3f800000, 0x3ff0000010000000) /* tie to even */,
        C(F32, F64, RN, 0, 0x3f800001, 0x3ff0000010000001),
        C(F32, F64, RZ, 0, 0x3f800000, 0x3ff000001fffffff),
        C(F32, F64, RP, 0, 0x3f800001, 0x3ff0000000000001),
        C(F32, F64, RM, 0, 0xbf800001, 0xbff0000000000001),
        C(F32, F64, RN, 0, INF32, 0x47f0000000000000),
        C(F32, F64, RZ, 0, 0x7f7fffff, 0x47f0000000000000),
        C(F32, F64, RM, 0, 0x7f7fffff, 0x47f0000000000000),
        C(F32, F64, RM, 0, 0xff800000, 0xc7f0000000000000),
        C(F32, F64, RN, 0, 1, 0x36a0000000000000),
        C(F32, F64, RN, 0, 0, 0x3690000000000000) /* 2^-150: tie */,
        C(F32, F64, RP, 0, 1, 1),
        C(F32, F64, RN, FTZ, 0, 0x3800000000000000 - 1 - 0x20000000),
        C(F32, F64, RN, 0, 0x7fffffff, 0xfff8000000000000),
        C(F32, F64, RN, SAT, 0x3f800000, 0x4000000000000000),
        C(F32, F64, RN, SAT, 0, 0xc000000000000000),
        C(F32, F64, RN, SAT, 0, 0x7ff8000000000000),
        C(F32, F32, RN, SAT, 0x3f800000, INF32),
        C(F32, F32, RN, SAT, 0x3f000000, 0x3f000000),
        C(F32, F32, RNI, 0, 0x40000000, 0x3fc00000),
        C(F32, F32, RNI, 0, 0x40000000, 0x40200000),
        C(F32, F32, RMI, 0, 0xc0000000, 0xbf8ccccd),
        C(F32, F32, RPI, 0, 0x80000000, 0xbf000000),
        C(F32, F32, RZI, 0, 0x80000000, 0xbf000000),
        C(F32, F32, RNI, 0, 0x4f000001, 0x4f000001),
        C(F32, F32, RZI, 0, INF32, INF32),
        C(F32, F32, RPI, FTZ, 0, 1),
        C(F64, F64, RMI, 0, 0xbff0000000000000, 0x8000000000000001),
        C(F64, F64, RNI, 0, 0x4000000000000000, 0x4004000000000000),
        C(F64, F64, RZI, 0, 0x4000000000000000, 0x4007ffffffffffff),
        C(F16, F32, RN, 0, 0x3c00, 0x3f801000) /* 1 + 2^-11 */,
        C(F16, F32, RN, 0, 0x3c01, 0x3f801001),
        C(F16, F32, RN, 0, 0x7c00, 0x477ff000),
        C(F16, F32, RN, 0, 0x7bff, 0x477fefff),
        C(F16, F32, RN, 0, 1, 0x33800000) /* 2^-24 */,
        C(F16, F32, RN, 0, 0, 0x33000000),
        C(F16, F32, RP, 0, 1, 1),
        C(F16, F32, RN, 0, 0x7fff, 0x7fc00000),
        C(F16, F32, RN, 0, 0x8000, 0x80000000),
        C(F16, F32, RZ, 0, 0x7bff, INF32 - 1),
        C(F16, F64, RN, 0, 0x3c01, 0x3ff0020000000001),
        C(F16, F32, RN, SAT, 0x3c00, 0x40000000),
        C(F32, F16, RN, 0, 0x33800000, 1),
        C(F32, F16, RN, 0, 0x477fe000, 0x7bff),
        C(F32, F16, RN, 0, INF32, 0x7c00),
        C(F32, F16, RN, 0, 0x7fffffff, 0x7e00),
        C(F64, F16, RN, 0, 0xbff0000000000000, 0xbc00),
        C(F32, F16, RN, 0, 0x387fc000, 0x03ff),
        {CW_OP_CVT, CW_F16X2, CW_F32, 0, CW_RN, {0x3f800000, 0xc0000000}, 0x3c00c000, "first operand above"},
        {CW_OP_CVT, CW_F16X2, CW_F32, 0, CW_RZ, {INF32 - 1, 0x3f801fff}, 0x7bff3c00, ""},
    };
    FX_CHECK_ALL(t);
}

static float as_float(uint64_t bits)
{
    uint32_t b = (uint32_t)bits;
    float f;
    memcpy(&f, &b, sizeof f);
    return f;
}

static double as_double(uint64_t bits)
{
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint64_t cut(uint64_t v, enum cw_type t)
{
    uint32_t unused = 64 - 8 * cw_type_bytes(t);
    bool is_signed = t == CW_S8 || t == CW_S16 || t == CW_S32 || t == CW_S64;
    return is_signed ? (uint64_t)((int64_t)(v << unused) >> unused) : (v << unused) >> unused;
}

/* A signed narrow result must come sign-extended to its slot: PTX allows a wider destination register. */
static void test_exec_cvt__all_integer_pairs(void **state)
{
    (void)state;
    static struct fixture f;
    struct cw_rng rng;
    cw_rng_seed(&rng, cw_test_seed(30));
    for (int isa = CW_EXEC_BASE; isa <= CW_EXEC_AVX2; isa++) {
        for (int from = CW_U8; from <= CW_S64; from++) {
            for (int to = CW_U8; to <= CW_S64; to++) {
                for (int wide = 0; wide < 4; wide++) { /* narrow types in 64-bit registers as well */
                    struct fx_case c = {.op = CW_OP_CVT, .type = (enum cw_type)to, .stype = (enum cw_type)from};
                    struct cw_uop u = fx_uop(&c);
                    fx_init(&f, cw_rng_next(&rng));
                    if (wide & 1)
                        u.src[0] = fx_opnd(CW_OPND_R64, 0);
                    if (wide & 2)
                        u.dst[0] = fx_opnd(CW_OPND_R64, FX_D);
                    if (!fx_run(&f, &u, (enum cw_exec_isa)isa, CW_FULL_MASK))
                        return;
                    for (uint32_t l = 0; l < CW_LANES; l++) {
                        uint64_t v = u.src[0].kind == CW_OPND_R64 ? f.r64[0][1][l] : f.r32[0][1][l];
                        uint64_t want = cut(cut(v, c.stype), c.type);
                        if (u.dst[0].kind == CW_OPND_R64)
                            assert_true(f.r64[FX_D][1][l] == want);
                        else
                            assert_int_equal(f.r32[FX_D][1][l], (uint32_t)want);
                    }
                }
            }
        }
    }
}

/* The host's own conversion in its own rounding mode. */
static uint64_t host_cvt(enum cw_type to, enum cw_type from, volatile uint64_t v)
{
    volatile float f;
    volatile double d;
    if (to == CW_F32) {
        f = from == CW_F64   ? (float)as_double(v)
            : from == CW_U64 ? (float)v
            : from == CW_S64 ? (float)(int64_t)v
            : from == CW_U32 ? (float)(uint32_t)v
                             : (float)(int32_t)(uint32_t)v;
        return isnan(f) ? 0x7fffffff : fx_f32(f);
    }
    if (to == CW_F64) {
        d = from == CW_F32   ? (double)as_float(v)
            : from == CW_U64 ? (double)v
            : from == CW_S64 ? (double)(int64_t)v
            : from == CW_U32 ? (double)(uint32_t)v
                             : (double)(int32_t)(uint32_t)v;
        return isnan(d) ? UINT64_C(0xfff8000000000000) : fx_f64(d);
    }
    double in = from == CW_F32 ? (double)as_float(v) : as_double(v);
    d = nearbyint(in);
    if (isnan(d)) /* PTX ISA, cvt */
        return cw_type_bytes(to) == 8 ? UINT64_C(1) << 63 : from == CW_F64 ? 0x80000000 : 0;
    switch (to) {
    case CW_S32:
        return (uint32_t)(d >= 0x1p31 ? INT32_MAX : d < -0x1p31 ? INT32_MIN : (int32_t)d);
    case CW_U32:
        return d >= 0x1p32 ? UINT32_MAX : d < 0 ? 0 : (uint32_t)d;
    case CW_S64:
        return d >= 0x1p63 ? INT64_MAX : d < -0x1p63 ? (uint64_t)INT64_MIN : (uint64_t)(int64_t)d;
    default:
        return d >= 0x1p64 ? UINT64_MAX : d < 0 ? 0 : (uint64_t)d;
    }
}

static void test_exec_cvt__random_against_host(void **state)
{
    (void)state;
    static const enum cw_type types[] = {CW_U32, CW_S32, CW_U64, CW_S64, CW_F32, CW_F64};
    static const int mode[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    static struct fixture f;
    struct cw_rng rng;
    uint32_t checks = 0;
    cw_rng_seed(&rng, cw_test_seed(31));
    for (uint32_t i = 0; i < 6 * 6 * 4 * 60; i++) {
        enum cw_type to = types[i % 6], from = types[i / 6 % 6];
        int round = (int)(i / 36 % 4);
        if ((to < CW_F16 && from < CW_F16) || to == from)
            continue;
        struct fx_case c = {.op = CW_OP_CVT, .type = to, .stype = from, .mode = (uint32_t)(to < CW_F16 ? CW_RNI + round : CW_RN + round)};
        struct cw_uop u = fx_uop(&c);
        fx_init(&f, cw_rng_next(&rng));
        for (uint32_t l = 0; l < CW_LANES; l++) { /* exponents in which rounding and clamping happen */
            uint64_t exponent = 1023 - 40 + cw_rng_below(&rng, 110);
            if (l & 1 && from == CW_F64)
                f.r64[0][1][l] = (f.r64[0][1][l] & UINT64_C(0x800fffffffffffff)) | exponent << 52;
            if (l & 1 && from == CW_F32)
                f.r32[0][1][l] = (f.r32[0][1][l] & 0x807fffffu) | (uint32_t)(exponent - 896) << 23;
        }
        if (!fx_run(&f, &u, i & 1 ? CW_EXEC_BASE : CW_EXEC_BEST, CW_FULL_MASK))
            continue;
        fesetround(mode[round]);
        for (uint32_t l = 0; l < CW_LANES; l++, checks++) {
            uint64_t v = cw_type_bytes(from) == 8 ? f.r64[0][1][l] : f.r32[0][1][l];
            uint64_t got = cw_type_bytes(to) == 8 ? f.r64[FX_D][1][l] : f.r32[FX_D][1][l], want = host_cvt(to, from, v);
            if (got != want) {
                fesetround(FE_TONEAREST);
                fail_msg("cvt %s from %s round %d of %llx: %llx, not %llx", cw_type_name(to), cw_type_name(from), round,
                         (unsigned long long)v, (unsigned long long)got, (unsigned long long)want);
            }
        }
        fesetround(FE_TONEAREST);
    }
    printf("%u checks\n", checks);
    assert_true(checks > 100000);
}

/* Every half there is, there and back; and its neighbours' midpoints round to even. */
static void test_exec_cvt__every_half(void **state)
{
    (void)state;
    static struct fixture f;
    struct fx_case c = {.op = CW_OP_CVT, .type = CW_F32, .stype = CW_F16}, d = {.op = CW_OP_CVT, .type = CW_F16, .stype = CW_F32};
    struct cw_uop up = fx_uop(&c), down = fx_uop(&d);
    down.src[0] = fx_reg(CW_F32, FX_D);
    down.dst[0] = fx_reg(CW_F16, FX_D + 1);
    fx_init(&f, 1);
    for (uint32_t h = 0; h < 65536; h += CW_LANES) {
        for (uint32_t l = 0; l < CW_LANES; l++)
            f.r32[0][1][l] = h + l;
        fx_run(&f, &up, CW_EXEC_BEST, CW_FULL_MASK);
        fx_run(&f, &down, CW_EXEC_BEST, CW_FULL_MASK);
        for (uint32_t l = 0; l < CW_LANES; l++) {
            uint32_t v = h + l, e = (v >> 10) & 31, m = v & 1023;
            bool is_nan = e == 31 && m != 0;
            assert_int_equal(f.r32[FX_D + 1][1][l], is_nan ? 0x7fff : v);
            if (e < 31) {
                double want = ldexp(e == 0 ? m : m + 1024, (e == 0 ? 1 : (int)e) - 25);
                assert_true((double)as_float(f.r32[FX_D][1][l]) == (v & 0x8000 ? -want : want));
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_exec_cvt__integers),
    cmocka_unit_test(test_exec_cvt__float_to_integer),
    cmocka_unit_test(test_exec_cvt__to_float),
    cmocka_unit_test(test_exec_cvt__all_integer_pairs),
    cmocka_unit_test(test_exec_cvt__random_against_host),
    cmocka_unit_test(test_exec_cvt__every_half),
};

CW_TEST_MAIN(tests)
