/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs of own.py are made of. A program is compiled twice: for the GPU, and for the host, where it is the expectation. What PTX has
 * and C has not (carries, conversions of any bits, operations across lanes) is one instruction there, and a model here, written from the ISA.
 */
#ifndef CW_FUZZ_CPROG_H
#define CW_FUZZ_CPROG_H

#include <stdint.h>

#ifdef __CUDACC__
#define CP_DEVICE __device__
#define CP_ENTRY  extern "C" __global__
#else
#define CP_DEVICE
#ifdef __cplusplus
#define CP_ENTRY extern "C"
#else
#define CP_ENTRY
#endif
#endif

#ifdef __NVPTX__
#define CP_GPU
#endif

#ifndef __cplusplus
typedef unsigned __int128 u128;
typedef uint32_t v4u __attribute__((vector_size(16)));
#ifdef CP_GPU
typedef __fp16 half; /* with -fnative-half-type: clang-14 has no _Float16 there */
#else
typedef _Float16 half;
#endif

struct bits {
    unsigned a : 3;
    int b : 5;
    unsigned c : 11;
    int64_t d : 37;
    unsigned e : 7;
};

struct box {
    uint8_t small;
    uint16_t medium;
    float f;
    struct {
        int64_t low;
        int8_t high;
    } inner[2];
};

/* What a lane has. */
struct state {
    uint32_t r[4];
    uint64_t q[2];
    float f[2];
    double d[2];
    half h[2];
    u128 w[2];
    v4u v;
    struct bits b;
    struct box box[2];
};

static inline uint32_t cp_mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* ---- bits of numbers; a NaN's are open ---- */

static inline uint32_t cp_f32_bits(float f)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &f, 4);
    return f != f ? 0x7fc00000u : bits;
}

static inline uint64_t cp_f64_bits(double f)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &f, 8);
    return f != f ? 0x7ff8000000000000u : bits;
}

static inline uint32_t cp_f16_bits(half f)
{
    uint16_t bits;
    __builtin_memcpy(&bits, &f, 2);
    return f != f ? 0x7e00u : bits;
}

static inline float cp_f32_of(uint32_t bits)
{
    float f;
    __builtin_memcpy(&f, &bits, 4);
    return f;
}

static inline double cp_f64_of(uint64_t bits)
{
    double f;
    __builtin_memcpy(&f, &bits, 8);
    return f;
}

/* Without a NaN, whose sign is open. */
static inline float cp_number(float f)
{
    return f != f ? 1.0f : f;
}

static inline double cp_number64(double f)
{
    return f != f ? 1.0 : f;
}

/* C leaves open what does not fit. */
static inline int32_t cp_f32_to_int(float f)
{
    return f > -2e9f && f < 2e9f ? (int32_t)f : 7;
}

static inline int64_t cp_f64_to_int(double f)
{
    return f > -9e18 && f < 9e18 ? (int64_t)f : 7;
}

static inline int32_t cp_divide(int32_t a, int32_t b)
{
    return b == 0 || (a == INT32_MIN && b == -1) ? a : a / b;
}

static inline int64_t cp_remainder(int64_t a, int64_t b)
{
    return b == 0 || (a == INT64_MIN && b == -1) ? a : a % b;
}

/* ---- carries: an adder with one flag, which a subtraction feeds the complement ---- */

enum { CP_ADD, CP_SUB, CP_MAD_LO, CP_MAD_HI };

static inline uint64_t cp_carry(int op, int bits, uint64_t a, uint64_t b, uint64_t c, int reads, int writes, uint32_t *flag)
{
    const uint64_t width = UINT64_MAX >> (64 - bits);
    const u128 product = (u128)(a & width) * (b & width);
    const uint64_t x = op == CP_MAD_LO ? (uint64_t)product & width : op == CP_MAD_HI ? (uint64_t)(product >> bits) & width : a & width;
    const uint64_t y = (op == CP_SUB ? ~b : op == CP_ADD ? b : c) & width;
    const u128 sum = (u128)x + y + (reads ? *flag : op == CP_SUB);
    if (writes)
        *flag = (uint32_t)(sum >> bits) & 1;
    return (uint64_t)sum & width;
}

/* ---- cvt to an integer: to zero, clamped; of a NaN as the ISA says ---- */

static inline uint64_t cp_to_integer(double f, int from_f64, int bits, int is_signed)
{
    const uint64_t top = (uint64_t)1 << (bits - 1), all = UINT64_MAX >> (64 - bits);
    if (f != f)
        return !from_f64 && bits < 64 ? 0 : top;
    const double low = is_signed ? -(double)top : 0, high = is_signed ? (double)top : 2.0 * (double)top;
    if (f >= high)
        return is_signed ? top - 1 : all;
    if (f <= low)
        return is_signed ? top : 0;
    return (f < 0 ? (uint64_t)(int64_t)f : f >= 9e18 ? (uint64_t)(f - 0x1p63) + ((uint64_t)1 << 63) : (uint64_t)f) & all;
}

/* ---- other instructions, from the ISA's words ---- */

static inline uint32_t cp_prmt(uint32_t a, uint32_t b, uint32_t selector)
{
    uint32_t r = 0;
    for (int i = 0; i < 4; i++) {
        const uint32_t nibble = selector >> (4 * i) & 15, byte = (uint32_t)(((uint64_t)b << 32 | a) >> (8 * (nibble & 7))) & 255;
        r |= (nibble & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * i);
    }
    return r;
}

static inline uint32_t cp_bfe(uint32_t a, uint32_t pos, uint32_t len, int is_signed)
{
    uint32_t r = 0;
    pos &= 255, len &= 255;
    const uint32_t last = pos + len - 1 > 31 ? 31 : pos + len - 1, sign = is_signed && len != 0 ? a >> last & 1 : 0;
    for (uint32_t i = 0; i < 32; i++)
        r |= (i < len && pos + i <= 31 ? a >> (pos + i) & 1 : sign) << i;
    return r;
}

static inline uint32_t cp_bfi(uint32_t a, uint32_t b, uint32_t pos, uint32_t len)
{
    uint32_t r = b;
    pos &= 255, len &= 255;
    for (uint32_t i = 0; i < len && pos + i < 32; i++)
        r = (r & ~(1u << (pos + i))) | (a >> i & 1) << (pos + i);
    return r;
}

static inline uint32_t cp_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++)
        r |= (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i;
    return r;
}

static inline uint32_t cp_shf(uint32_t low, uint32_t high, uint32_t n, int left, int wrap)
{
    const uint64_t both = (uint64_t)high << 32 | low;
    n = wrap ? n & 31 : n > 32 ? 32 : n;
    return left ? (uint32_t)((both << n) >> 32) : (uint32_t)(both >> n);
}

static inline uint32_t cp_sad(uint32_t a, uint32_t b, uint32_t c, int is_signed)
{
    const int less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    return c + (less ? b - a : a - b);
}

static inline uint32_t cp_dp4a(uint32_t a, uint32_t b, uint32_t c)
{
    for (int i = 0; i < 32; i += 8)
        c += (uint32_t)((int8_t)(a >> i) * (int8_t)(b >> i));
    return c;
}

/* Shifts clamp. */
static inline uint64_t cp_shift(uint64_t a, uint32_t n, int bits, int left, int is_signed)
{
    const uint64_t width = UINT64_MAX >> (64 - bits);
    const int64_t value = (int64_t)(a << (64 - bits)) >> (64 - bits);
    const uint32_t by = n > 63 ? 63 : n;
    if (left)
        return n >= (uint32_t)bits ? 0 : a << n & width;
    if (is_signed)
        return (uint64_t)(value >> by) & width;
    return n >= (uint32_t)bits ? 0 : (a & width) >> n;
}

static inline uint32_t cp_find(uint64_t a, int bits, int is_signed, int shiftamt)
{
    const uint64_t sign = is_signed ? a >> (bits - 1) & 1 : 0;
    for (int i = bits - 1; i >= 0; i--)
        if ((a >> i & 1) != sign)
            return (uint32_t)(shiftamt ? bits - 1 - i : i);
    return UINT32_MAX;
}

static inline uint64_t cp_reverse(uint64_t a, int bits)
{
    uint64_t r = 0;
    for (int i = 0; i < bits; i++)
        r |= (a >> i & 1) << (bits - 1 - i);
    return r;
}

static inline uint64_t cp_field64(uint64_t a, uint32_t pos, uint32_t len, int is_signed)
{
    uint64_t r = 0;
    pos &= 255, len &= 255;
    const uint32_t last = pos + len - 1 > 63 ? 63 : pos + len - 1;
    const uint64_t sign = is_signed && len != 0 ? a >> last & 1 : 0;
    for (uint32_t i = 0; i < 64; i++)
        r |= (i < len && pos + i <= 63 ? a >> (pos + i) & 1 : sign) << i;
    return r;
}

static inline uint32_t cp_mask(uint32_t first, uint32_t n, int wrap)
{
    uint32_t r = 0;
    first = wrap ? first & 31 : first, n = wrap ? n & 31 : n;
    for (uint32_t i = 0; i < 32; i++)
        r |= (uint32_t)(i >= first && i - first < n) << i;
    return r;
}

static inline uint64_t cp_high(uint64_t a, uint64_t b, int bits, int is_signed)
{
    if (bits == 32)
        return is_signed ? (uint32_t)(((int64_t)(int32_t)a * (int32_t)b) >> 32) : (uint32_t)(a * b >> 32);
    return is_signed ? (uint64_t)(((__int128)(int64_t)a * (int64_t)b) >> 64) : (uint64_t)(((u128)a * b) >> 64);
}

static inline uint32_t cp_pairs(uint32_t a, uint32_t b, int max)
{
    const int16_t x = (int16_t)a, y = (int16_t)b, u = (int16_t)(a >> 16), v = (int16_t)(b >> 16);
    const uint16_t low = (uint16_t)((x < y) == !max ? x : y), high = (uint16_t)((u < v) == !max ? u : v);
    return (uint32_t)high << 16 | low;
}

static inline uint32_t cp_clamped(int32_t v, int32_t low, int32_t high)
{
    return (uint32_t)(v < low ? low : v > high ? high : v);
}

/* A NaN loses; -0 is less than +0. */
static inline float cp_min(float a, float b, int max)
{
    if (a != a || b != b)
        return a != a ? b : a;
    if (a == b)
        return cp_f32_of(max ? cp_f32_bits(a) & cp_f32_bits(b) : cp_f32_bits(a) | cp_f32_bits(b));
    return (a < b) == !max ? a : b;
}

static inline uint32_t cp_saturated(int64_t v)
{
    return (uint32_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

/* ---- across lanes, for the host: v[32] becomes what each lane of the mask gets ---- */

static inline void cp_shfl(uint32_t v[32], uint32_t mask, int kind, uint32_t n, uint32_t width)
{
    uint32_t old[32];
    for (uint32_t l = 0; l < 32; l++)
        old[l] = v[l];
    for (uint32_t l = 0; l < 32; l++) {
        const uint32_t first = l & ~(width - 1), last = first + width - 1;
        const uint32_t from = kind == 0 ? first + (n & (width - 1)) : kind == 1 ? l - n : kind == 2 ? l + n : l ^ n;
        const int inside = kind == 1 ? l >= first + n : from <= last;
        if (mask >> l & 1)
            v[l] = old[inside ? from : l];
    }
}

static inline uint32_t cp_ballot(const uint32_t v[32], uint32_t mask)
{
    uint32_t r = 0;
    for (uint32_t l = 0; l < 32; l++)
        r |= (mask >> l & v[l] & 1) << l;
    return r;
}

static inline void cp_match(uint32_t v[32], uint32_t mask)
{
    uint32_t old[32];
    for (uint32_t l = 0; l < 32; l++)
        old[l] = v[l];
    for (uint32_t l = 0; l < 32; l++) {
        uint32_t same = 0;
        for (uint32_t k = 0; k < 32; k++)
            same |= (uint32_t)(old[k] == old[l]) << k;
        if (mask >> l & 1)
            v[l] = same & mask;
    }
}

/* ---- begin and end ---- */

static inline void cp_begin(struct state *s, uint32_t seed, uint32_t lane)
{
    uint32_t x = cp_mix(seed * 64 + lane);
    for (int i = 0; i < 4; i++)
        s->r[i] = x = cp_mix(x + 1);
    for (int i = 0; i < 2; i++) {
        s->q[i] = (uint64_t)s->r[i] << 32 | s->r[i + 2];
        s->f[i] = (float)(int32_t)s->r[i] * 0x1p-20f;
        s->d[i] = (double)(int64_t)s->q[i] * 0x1p-40;
        s->h[i] = (half)((float)(int8_t)s->r[i] * 0.25f);
        s->w[i] = (u128)s->q[i] << 60 ^ s->q[1 - i];
        s->box[i].small = (uint8_t)x;
        s->box[i].medium = (uint16_t)(x >> 7);
        s->box[i].f = (float)(x & 1023);
        for (int k = 0; k < 2; k++) {
            s->box[i].inner[k].low = (int64_t)x << k;
            s->box[i].inner[k].high = (int8_t)(x >> (9 + k));
        }
    }
    s->v = (v4u){x, x + 1, x * 3, x ^ 0xff};
    s->b.a = x, s->b.b = (int)(x >> 3) % 16, s->b.c = x >> 5, s->b.d = (int64_t)x << 3, s->b.e = x >> 11;
}

static inline uint32_t cp_end(const struct state *s)
{
    uint32_t x = 0;
    for (int i = 0; i < 4; i++)
        x = cp_mix(x ^ s->r[i]) + s->v[i];
    for (int i = 0; i < 2; i++) {
        const uint64_t d = cp_f64_bits(s->d[i]), w = (uint64_t)(s->w[i] ^ s->w[i] >> 64);
        x = cp_mix(x ^ (uint32_t)s->q[i]) + (uint32_t)(s->q[i] >> 32);
        x = cp_mix(x ^ cp_f32_bits(s->f[i])) + cp_f16_bits(s->h[i]);
        x = cp_mix(x ^ (uint32_t)d) + (uint32_t)(d >> 32);
        x = cp_mix(x ^ (uint32_t)w) + (uint32_t)(w >> 32);
        x = cp_mix(x ^ s->box[i].small) + s->box[i].medium + cp_f32_bits(s->box[i].f);
        for (int k = 0; k < 2; k++)
            x = cp_mix(x ^ (uint32_t)s->box[i].inner[k].low) + (uint32_t)s->box[i].inner[k].high;
    }
    return cp_mix(x ^ s->b.a) + (uint32_t)s->b.b + s->b.c + (uint32_t)s->b.d + s->b.e;
}
#endif

#endif
