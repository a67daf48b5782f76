/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expands lane.def into one execution function per line and a table of them. Included once per instruction set by a file that
 * defines CW_LANE_TABLE, the table's name; everything here is static, so that each gets code of its own.
 *
 * A function computes all 32 lanes and, unless all are on, blends under the mask: no branch per lane, so the compiler makes
 * vector code of it, and a lane that is off keeps its value.
 *
 * Private to: lane.c, lane_avx2.c.
 */
#include "exec/exec_private.h"
#include "exec/fp.h"
#include "exec/powers.h"

#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* divisions and calls of libm stay scalar: expected */
#endif

#define CW_INLINE static inline __attribute__((always_inline))

CW_INLINE int32_t cw_clamp_s32(int64_t v)
{
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}

/* Towards zero; out of range clamps, a NaN is 0. The casts see only what they can hold. */
CW_INLINE int32_t cw_f32_to_s32(float a)
{
    float inside = a < 0x1p31f ? (a > -0x1p31f ? a : -0x1p31f) : 0.0f;
    int32_t v = (int32_t)inside;
    return a >= 0x1p31f ? INT32_MAX : v;
}

CW_INLINE uint32_t cw_f32_to_u32(float a)
{
    float low = a > 0.0f && a < 0x1p31f ? a : 0.0f;
    float high = a >= 0x1p31f && a < 0x1p32f ? a - 0x1p31f : 0.0f;
    uint32_t v = (uint32_t)(int32_t)low + (uint32_t)(int32_t)high;
    v = a >= 0x1p31f ? v | 0x80000000u : v;
    return a >= 0x1p32f ? UINT32_MAX : v;
}

CW_INLINE uint64_t cw_mulhi_u64(uint64_t a, uint64_t b)
{
    return (uint64_t)(((unsigned __int128)a * b) >> 64);
}

CW_INLINE int64_t cw_mulhi_s64(int64_t a, int64_t b)
{
    return (int64_t)(((__int128)a * b) >> 64);
}

CW_INLINE uint32_t cw_u24(uint32_t a)
{
    return a & 0xffffffu;
}

CW_INLINE int32_t cw_s24(uint32_t a)
{
    return (int32_t)(a << 8) >> 8;
}

CW_INLINE uint32_t cw_shf_amount(uint32_t c, const struct cw_uop *u)
{
    return u->flags & CW_UF_WRAP ? c & 31 : c > 32 ? 32 : c;
}

CW_INLINE uint32_t cw_shf_l(uint32_t low, uint32_t high, uint32_t n)
{
    return (uint32_t)(((((uint64_t)high << 32) | low) << n) >> 32);
}

CW_INLINE uint32_t cw_shf_r(uint32_t low, uint32_t high, uint32_t n)
{
    return (uint32_t)((((uint64_t)high << 32) | low) >> n);
}

/* Bit i of the table is the result where the bits of a, b, c spell i. */
CW_INLINE uint32_t cw_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t r = 0;
    for (uint32_t i = 0; i < 8; i++)
        r |= (0 - ((table >> i) & 1)) & (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return r;
}

/* Selector nibbles, result byte 3 first, of the modes other than the default one (PTX ISA, prmt), by the low two bits of c. */
static const uint16_t cw_prmt_selector[][4] = {
    [CW_PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543}, [CW_PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
    [CW_PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333}, [CW_PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
    [CW_PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210}, [CW_PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
};

CW_INLINE uint32_t cw_prmt(uint32_t a, uint32_t b, uint32_t c, uint32_t mode)
{
    uint64_t bytes = ((uint64_t)b << 32) | a;
    uint32_t selector = mode == CW_PRMT_INDEX ? c : cw_prmt_selector[mode][c & 3], r = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t s = (selector >> (4 * i)) & 15;
        uint32_t byte = (uint32_t)(bytes >> (8 * (s & 7))) & 255;
        if (s & 8) /* only in the default mode: replicate the byte's sign */
            byte = byte & 128 ? 255 : 0;
        r |= byte << (8 * i);
    }
    return r;
}

/* Bit field; beyond the most significant bit, and for a signed field beyond its end, the sign is repeated. */
CW_INLINE uint64_t cw_bfe(uint64_t a, uint32_t pos, uint32_t len, uint32_t width, bool is_signed)
{
    if (len == 0)
        return 0;
    uint32_t top = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
    uint64_t fill = is_signed && (a >> top) & 1 ? UINT64_MAX : 0;
    uint64_t field = pos < width ? a >> pos : 0;
    uint32_t have = pos < width ? top - pos + 1 : 0;
    return have > 63 ? field : (field & ((UINT64_C(1) << have) - 1)) | (fill << have);
}

CW_INLINE uint64_t cw_bfi(uint64_t a, uint64_t b, uint32_t pos, uint32_t len)
{
    if (pos > 63 || len == 0)
        return b;
    uint64_t field = (len > 63 ? UINT64_MAX : (UINT64_C(1) << len) - 1) << pos;
    return (b & ~field) | ((a << pos) & field);
}

CW_INLINE uint32_t cw_bfind(uint64_t a, uint32_t msb, uint32_t flags)
{
    if (a == 0)
        return UINT32_MAX;
    uint32_t at = 63 - (uint32_t)__builtin_clzll(a);
    return flags & CW_UF_SHIFTAMT ? msb - at : at;
}

/* The |offset|-th set bit of mask from base on, upwards or downwards; offset 0: bit base itself. */
CW_INLINE uint32_t cw_fns(uint32_t mask, uint32_t base, int32_t offset)
{
    if (base > 31)
        return UINT32_MAX;
    if (offset == 0)
        return (mask >> base) & 1 ? base : UINT32_MAX;
    uint32_t left = offset < 0 ? 0 - (uint32_t)offset : (uint32_t)offset;
    for (uint32_t pos = base; pos < 32; pos += offset < 0 ? UINT32_MAX : 1)
        if ((mask >> pos) & 1 && --left == 0)
            return pos;
    return UINT32_MAX;
}

CW_INLINE uint64_t cw_brev64(uint64_t a)
{
    a = ((a >> 1) & UINT64_C(0x5555555555555555)) | ((a & UINT64_C(0x5555555555555555)) << 1);
    a = ((a >> 2) & UINT64_C(0x3333333333333333)) | ((a & UINT64_C(0x3333333333333333)) << 2);
    a = ((a >> 4) & UINT64_C(0x0f0f0f0f0f0f0f0f)) | ((a & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4);
    return __builtin_bswap64(a);
}

CW_INLINE uint32_t cw_popc64(uint64_t a)
{
    a -= (a >> 1) & UINT64_C(0x5555555555555555);
    a = (a & UINT64_C(0x3333333333333333)) + ((a >> 2) & UINT64_C(0x3333333333333333));
    a = (a + (a >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)((a * UINT64_C(0x0101010101010101)) >> 56);
}

/* Byte or half-word i of v, extended as type says. */
CW_INLINE int32_t cw_piece(uint32_t v, uint32_t i, uint32_t bits, bool is_signed)
{
    uint32_t left = 32 - bits * (i + 1);
    return is_signed ? (int32_t)(v << left) >> (32 - bits) : (int32_t)((v << left) >> (32 - bits));
}

CW_INLINE uint32_t cw_dp4a(uint32_t a, uint32_t b, uint32_t c, const struct cw_uop *u)
{
    for (uint32_t i = 0; i < 4; i++)
        c += (uint32_t)(cw_piece(a, i, 8, u->type == CW_S32) * cw_piece(b, i, 8, u->stype == CW_S32));
    return c;
}

CW_INLINE uint32_t cw_dp2a(uint32_t a, uint32_t b, uint32_t c, const struct cw_uop *u)
{
    uint32_t first = u->flags & CW_UF_HI ? 2 : 0;
    for (uint32_t i = 0; i < 2; i++)
        c += (uint32_t)(cw_piece(a, i, 16, u->type == CW_S32) * cw_piece(b, first + i, 8, u->stype == CW_S32));
    return c;
}

/* div.approx.f32 is a times the reciprocal of b, which is zero for b above 2^126 (PTX ISA, div). */
CW_INLINE float cw_div_approx(float a, float b)
{
    float size = b < 0.0f ? -b : b;
    bool lost = (size > 0x1p126f) & (size < INFINITY);
    return lost ? a * (b < 0.0f ? -0.0f : 0.0f) : a / b;
}

/* rcp and rsqrt.approx.ftz.f64 see and make only the upper 32 bits of a double. */
CW_INLINE double cw_gross_operand(uint64_t bits)
{
    bits &= ~UINT64_C(0xffffffff);
    return cw_f64_of((bits >> 52 & 0x7ff) == 0 ? bits & (UINT64_C(1) << 63) : bits);
}

CW_INLINE uint64_t cw_gross64(double f)
{
    uint64_t bits = cw_f64_bits(f) & ~UINT64_C(0xffffffff);
    return (bits >> 52 & 0x7ff) == 0 ? bits & (UINT64_C(1) << 63) : bits;
}

/* min and max with .NaN (a NaN wins) and .xorsign.abs (of magnitudes, with the product's sign). */
CW_INLINE double cw_minmax_flags(double a, double b, uint32_t flags, bool max)
{
    uint64_t sign = (cw_f64_raw(a) ^ cw_f64_raw(b)) & (UINT64_C(1) << 63);
    if (flags & CW_UF_NAN && (a != a || b != b))
        return cw_f64_of(CW_NAN_F64);
    if (flags & CW_UF_XORSIGN) {
        a = fabs(a);
        b = fabs(b);
    }
    double r = max ? cw_f64_max(a, b) : cw_f64_min(a, b);
    return flags & CW_UF_XORSIGN ? cw_f64_of(cw_f64_raw(r) | sign) : r;
}

#define cw_min_flags64(a, b, flags) cw_minmax_flags((a), (b), (flags), false)
#define cw_max_flags64(a, b, flags) cw_minmax_flags((a), (b), (flags), true)
#define cw_min_flags(a, b, flags)   (float)cw_minmax_flags((double)(a), (double)(b), (flags), false)
#define cw_max_flags(a, b, flags)   (float)cw_minmax_flags((double)(a), (double)(b), (flags), true)

CW_INLINE double cw_half_in(uint32_t bits, bool ftz)
{
    return cw_f16_load(ftz ? cw_f16_flush(bits) : bits & 0xffffu);
}

CW_INLINE uint32_t cw_half_out(double f, bool ftz, bool sat)
{
    uint32_t bits = cw_f16_store(f, sat);
    return ftz ? cw_f16_flush(bits) : bits;
}

#define CW_FTZ ((u->flags & CW_UF_FTZ) != 0)
#define CW_SAT ((u->flags & CW_UF_SAT) != 0)

CW_INLINE double cw_bf16_in(uint32_t bits, bool ftz)
{
    return cw_bf16_load(ftz ? cw_bf16_flush(bits) : bits & 0xffffu);
}

CW_INLINE uint32_t cw_bf16_out(double f, bool ftz)
{
    uint32_t bits = cw_bf16_store(f);
    return ftz ? cw_bf16_flush(bits) : bits;
}

/* .relu: a NaN stays one. */
CW_INLINE double cw_relu(double f, const struct cw_uop *u)
{
    return u->flags & CW_UF_RELU && f <= 0.0 ? 0.0 : f;
}

/* Two 16-bit integers each of a and b. */
CW_INLINE uint32_t cw_pair16(uint32_t a, uint32_t b, enum cw_op op, const struct cw_uop *u)
{
    uint32_t r = 0;
    for (uint32_t shift = 0; shift < 32; shift += 16) {
        int32_t x = (int32_t)(a >> shift & 0xffffu), y = (int32_t)(b >> shift & 0xffffu);
        if (u->type == CW_S16X2) {
            x = (int16_t)(uint16_t)x;
            y = (int16_t)(uint16_t)y;
        }
        int32_t v = op == CW_OP_ADD ? x + y : (op == CW_OP_MIN) == (x < y) ? x : y;
        v = u->flags & CW_UF_RELU && v < 0 ? 0 : v;
        r |= ((uint32_t)v & 0xffffu) << shift;
    }
    return r;
}

/* Both halves of a, b, c through one operation. */
CW_INLINE uint32_t cw_halves(uint32_t a, uint32_t b, uint32_t c, enum cw_op op, const struct cw_uop *u)
{
    uint32_t r = 0;
    for (uint32_t shift = 0; shift < 32; shift += 16) {
        const bool bf = u->type == CW_BF16X2;
        double x = bf ? cw_bf16_in(a >> shift, CW_FTZ) : cw_half_in(a >> shift, CW_FTZ);
        double y = bf ? cw_bf16_in(b >> shift, CW_FTZ) : cw_half_in(b >> shift, CW_FTZ);
        double z = bf ? cw_bf16_in(c >> shift, CW_FTZ) : cw_half_in(c >> shift, CW_FTZ);
        double v = op == CW_OP_ADD    ? x + y
                   : op == CW_OP_SUB  ? x - y
                   : op == CW_OP_MUL  ? x * y
                   : op == CW_OP_FMA  ? (bf ? cw_bf16_fma(x, y, z) : x * y + z)
                   : op == CW_OP_EX2  ? cw_exp2_of_float(x)
                   : op == CW_OP_TANH ? tanh(x)
                                      : cw_minmax_flags(x, y, u->flags, op == CW_OP_MAX);
        v = cw_relu(v, u);
        r |= (bf ? cw_bf16_out(v, CW_FTZ) : cw_half_out(v, CW_FTZ, CW_SAT)) << shift;
    }
    return r;
}

/* Lane types: slot width, C type, from slot, to slot. xs8 and xs16 are results that are sign-extended to the slot, as PTX wants of
 * a narrow signed result in a wide register; the users of narrow values look only at the low bits. */
#define CW_W_u8   32
#define CW_W_s8   32
#define CW_W_xs8  32
#define CW_W_u16  32
#define CW_W_s16  32
#define CW_W_xs16 32
#define CW_W_u32  32
#define CW_W_s32  32
#define CW_W_u64  64
#define CW_W_s64  64
#define CW_W_f16  32
#define CW_W_bf16 32
#define CW_W_f32  32
#define CW_W_f32x 32
#define CW_W_f64  64
typedef uint8_t cw_t_u8;
typedef int8_t cw_t_s8, cw_t_xs8;
typedef uint16_t cw_t_u16;
typedef int16_t cw_t_s16, cw_t_xs16;
typedef uint32_t cw_t_u32;
typedef int32_t cw_t_s32;
typedef uint64_t cw_t_u64;
typedef int64_t cw_t_s64;
typedef double cw_t_f16, cw_t_bf16, cw_t_f64;
typedef float cw_t_f32, cw_t_f32x;
#define CW_LD_u8(v)   ((uint8_t)(v))
#define CW_LD_s8(v)   ((int8_t)(uint8_t)(v))
#define CW_LD_u16(v)  ((uint16_t)(v))
#define CW_LD_s16(v)  ((int16_t)(uint16_t)(v))
#define CW_LD_u32(v)  (v)
#define CW_LD_s32(v)  ((int32_t)(v))
#define CW_LD_u64(v)  (v)
#define CW_LD_s64(v)  ((int64_t)(v))
#define CW_LD_f16(v)  cw_half_in((v), CW_FTZ)
#define CW_LD_bf16(v) cw_bf16_in((v), CW_FTZ)
#define CW_LD_f32(v)  cw_f32_of(v)
#define CW_LD_f32x(v) cw_f32_load((v), CW_FTZ)
#define CW_LD_f64(v)  cw_f64_of(v)
#define CW_ST_u8(v)   ((uint32_t)(v))
#define CW_ST_xs8(v)  ((uint32_t)(int32_t)(v))
#define CW_ST_u16(v)  ((uint32_t)(v))
#define CW_ST_s16(v)  ((uint32_t)(uint16_t)(v))
#define CW_ST_xs16(v) ((uint32_t)(int32_t)(v))
#define CW_ST_u32(v)  (v)
#define CW_ST_s32(v)  ((uint32_t)(v))
#define CW_ST_u64(v)  (v)
#define CW_ST_s64(v)  ((uint64_t)(v))
#define CW_ST_f16(v)  cw_half_out(cw_relu((v), u), CW_FTZ, CW_SAT)
#define CW_ST_bf16(v) cw_bf16_out(cw_relu((v), u), CW_FTZ)
#define CW_ST_f32(v)  cw_f32_bits(v)
#define CW_ST_f32x(v) cw_f32_store((v), CW_FTZ, CW_SAT)
#define CW_ST_f64(v)  cw_f64_bits(v)

CW_INLINE void cw_setp_write(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask, uint32_t p)
{
    if (u->boolop == CW_BOOL_NONE) {
        cw_exec__set_pred(x, u->dst[0], mask, p);
        cw_exec__set_pred(x, u->dst[1], mask, ~p);
        return;
    }
    uint32_t c = cw_exec__pred(x, u->src[2]), q = ~p;
    p = u->boolop == CW_BOOL_AND ? p & c : u->boolop == CW_BOOL_OR ? p | c : p ^ c;
    q = u->boolop == CW_BOOL_AND ? q & c : u->boolop == CW_BOOL_OR ? q | c : q ^ c;
    cw_exec__set_pred(x, u->dst[0], mask, p);
    cw_exec__set_pred(x, u->dst[1], mask, q);
}

#define CW_CAT(a, b)  a##b
#define CW_CAT2(a, b) CW_CAT(a, b)
#define CW_SLOT(t)    CW_CAT2(CW_CAT2(uint, CW_CAT2(CW_W_, t)), _t)
#define CW_SRC(t)     CW_CAT2(cw_exec_src, CW_CAT2(CW_W_, t))
#define CW_DST(t)     CW_CAT2(cw_exec__dst, CW_CAT2(CW_W_, t))
#define CW_BIT(t)     CW_CAT2(cw_lane_bit, CW_CAT2(CW_W_, t))
#define CW_EXEC_ARGS  const struct cw_uop *u, const struct cw_exec *x, uint32_t mask

/* The loop; VALUE is the new slot of lane l, d the destination vector. */
#define CW_LANES_WRITE(t, VALUE)                                                                     \
    CW_SLOT(t) *d = CW_DST(t)(x, u->dst[0]);                                                         \
    if (mask == CW_FULL_MASK) {                                                                      \
        CW_LANE_LOOP                                                                                 \
        d[l] = (VALUE);                                                                              \
    } else {                                                                                         \
        CW_LANE_LOOP                                                                                 \
        {                                                                                            \
            CW_SLOT(t) v = (VALUE), on = (mask & CW_BIT(t)[l]) == CW_BIT(t)[l] ? ~(CW_SLOT(t))0 : 0; \
            d[l] ^= (d[l] ^ v) & on; /* not ?: , which would be made a branch around v */            \
        }                                                                                            \
    }

#define L1(OP, T, FORM, td, ta, ...)                                                    \
    CW_INLINE cw_t_##td cw_op_##OP##_##T##_##FORM(cw_t_##ta a, const struct cw_uop *u)  \
    {                                                                                   \
        (void)u;                                                                        \
        return (cw_t_##td)(__VA_ARGS__);                                                \
    }                                                                                   \
    static void cw_lane_##OP##_##T##_##FORM(CW_EXEC_ARGS)                               \
    {                                                                                   \
        const CW_SLOT(ta) *sa = CW_SRC(ta)(x, u->src[0]);                               \
        CW_LANES_WRITE(td, CW_ST_##td(cw_op_##OP##_##T##_##FORM(CW_LD_##ta(sa[l]), u))) \
    }
#define L2(OP, T, FORM, td, ta, tb, ...)                                                                   \
    CW_INLINE cw_t_##td cw_op_##OP##_##T##_##FORM(cw_t_##ta a, cw_t_##tb b, const struct cw_uop *u)        \
    {                                                                                                      \
        (void)u;                                                                                           \
        return (cw_t_##td)(__VA_ARGS__);                                                                   \
    }                                                                                                      \
    static void cw_lane_##OP##_##T##_##FORM(CW_EXEC_ARGS)                                                  \
    {                                                                                                      \
        const CW_SLOT(ta) *sa = CW_SRC(ta)(x, u->src[0]);                                                  \
        const CW_SLOT(tb) *sb = CW_SRC(tb)(x, u->src[1]);                                                  \
        CW_LANES_WRITE(td, CW_ST_##td(cw_op_##OP##_##T##_##FORM(CW_LD_##ta(sa[l]), CW_LD_##tb(sb[l]), u))) \
    }
#define L3(OP, T, FORM, td, ta, tb, tc, ...)                                                                                  \
    CW_INLINE cw_t_##td cw_op_##OP##_##T##_##FORM(cw_t_##ta a, cw_t_##tb b, cw_t_##tc c, const struct cw_uop *u)              \
    {                                                                                                                         \
        (void)u;                                                                                                              \
        return (cw_t_##td)(__VA_ARGS__);                                                                                      \
    }                                                                                                                         \
    static void cw_lane_##OP##_##T##_##FORM(CW_EXEC_ARGS)                                                                     \
    {                                                                                                                         \
        const CW_SLOT(ta) *sa = CW_SRC(ta)(x, u->src[0]);                                                                     \
        const CW_SLOT(tb) *sb = CW_SRC(tb)(x, u->src[1]);                                                                     \
        const CW_SLOT(tc) *sc = CW_SRC(tc)(x, u->src[2]);                                                                     \
        CW_LANES_WRITE(td, CW_ST_##td(cw_op_##OP##_##T##_##FORM(CW_LD_##ta(sa[l]), CW_LD_##tb(sb[l]), CW_LD_##tc(sc[l]), u))) \
    }
#define L4(OP, T, FORM, td, ta, tb, tc, te, ...)          \
    static void cw_lane_##OP##_##T##_##FORM(CW_EXEC_ARGS) \
    {                                                     \
        const CW_SLOT(ta) *sa = CW_SRC(ta)(x, u->src[0]); \
        const CW_SLOT(tb) *sb = CW_SRC(tb)(x, u->src[1]); \
        const CW_SLOT(tc) *sc = CW_SRC(tc)(x, u->src[2]); \
        const CW_SLOT(te) *se = CW_SRC(te)(x, u->src[3]); \
        CW_SLOT(td) t[CW_LANES];                          \
        for (uint32_t l = 0; l < CW_LANES; l++) {         \
            cw_t_##ta a = CW_LD_##ta(sa[l]);              \
            cw_t_##tb b = CW_LD_##tb(sb[l]);              \
            cw_t_##tc c = CW_LD_##tc(sc[l]);              \
            cw_t_##te e = CW_LD_##te(se[l]);              \
            t[l] = CW_ST_##td((cw_t_##td)(__VA_ARGS__));  \
        }                                                 \
        CW_LANES_WRITE(td, t[l])                          \
    }
/* SETP: the lanes in which the comparison holds, then boolean operator and the two predicates. */
#define LC(T, CMP, t, ...)                                       \
    static void cw_lane_SETP_##T##_##CMP(CW_EXEC_ARGS)           \
    {                                                            \
        const CW_SLOT(t) *sa = CW_SRC(t)(x, u->src[0]);          \
        const CW_SLOT(t) *sb = CW_SRC(t)(x, u->src[1]);          \
        CW_SLOT(t) p = 0;                                        \
        for (uint32_t l = 0; l < CW_LANES; l++) {                \
            cw_t_##t a = CW_LD_##t(sa[l]), b = CW_LD_##t(sb[l]); \
            (void)a, (void)b;                                    \
            p |= (__VA_ARGS__) ? CW_BIT(t)[l] : 0;               \
        }                                                        \
        cw_setp_write(u, x, mask, (uint32_t)p);                  \
    }

#include "exec/lane.def"

#define CW_SELP(W)                                                                                \
    static void cw_lane_selp##W(CW_EXEC_ARGS)                                                     \
    {                                                                                             \
        const uint##W##_t *sa = cw_exec_src##W(x, u->src[0]), *sb = cw_exec_src##W(x, u->src[1]); \
        uint32_t p = cw_exec__pred(x, u->src[2]);                                                 \
        CW_LANES_WRITE(u##W, CW_BIT(u##W)[l] & p ? sa[l] : sb[l])                                 \
    }
CW_SELP(32)
CW_SELP(64)

#undef L1
#undef L2
#undef L3
#undef L4
#undef LC
#define L1(OP, T, FORM, ...) {CW_OP_##OP, CW_##T, CW_FORM_##FORM, cw_lane_##OP##_##T##_##FORM},
#define L2                   L1
#define L3                   L1
#define L4                   L1
#define LC(T, CMP, ...)      {CW_OP_SETP, CW_##T, CW_CMP_##CMP, cw_lane_SETP_##T##_##CMP},

const struct cw_exec_entry CW_LANE_TABLE[] = {
    {CW_OP_SELP, CW_U32, CW_FORM_PLAIN, cw_lane_selp32},
    {CW_OP_SELP, CW_U64, CW_FORM_PLAIN, cw_lane_selp64},
#include "exec/lane.def"
};
