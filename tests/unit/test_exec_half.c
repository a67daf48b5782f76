/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The narrow floating-point formats: bf16 in arithmetic and comparison, the conversions into bf16, f16, tf32, e4m3 and e5m2, and pairs of
 * 16-bit integers. The expected bf16 results come from the host's f32 operation rounded towards zero with a sticky last bit; those of
 * conversions from a search through all codes of the format.
 */
#include "exec_text.h"

#include <fenv.h>
#include <math.h>

#include "base/rng.h"

#define COUNT(t) (sizeof(t) / sizeof((t)[0]))

static float f32_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static const uint16_t specials[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x8080, 0x3f80, 0xbf80, 0x3f81, 0x3f7f, 0x4000,
                                    0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81, 0x3b80, 0x3c00, 0x0100, 0x4b00, 0xcb01};

/* bf16 operands: special ones, and random ones whose exponents are near enough to each other to meet. */
static uint16_t operand(struct cw_rng *rng)
{
    uint64_t r = cw_rng_next(rng);
    if (r % 8 == 0)
        return specials[(r >> 8) % COUNT(specials)];
    if (r % 8 == 1)
        return (uint16_t)(r >> 16);
    return (uint16_t)((r >> 16 & 0x807f) | (110 + (r >> 40) % 34) << 7);
}

/* ---- arithmetic ---- */

enum which { ADD, SUB, MUL, FMA, FMA_RELU, MIN, MAX, MIN_NAN, MAX_XORSIGN };

static uint16_t rounded_sum(enum which op, uint16_t a, uint16_t b, uint16_t c)
{
    volatile float x = f32_of((uint32_t)a << 16), y = f32_of((uint32_t)b << 16), z = f32_of((uint32_t)c << 16), r;
    fesetround(FE_TOWARDZERO);
    feclearexcept(FE_ALL_EXCEPT);
    r = op == ADD ? x + y : op == SUB ? x - y : op == MUL ? x * y : fmaf(x, y, z);
    bool inexact = fetestexcept(FE_INEXACT) != 0;
    fesetround(FE_TONEAREST);
    if (isnan(r))
        return 0x7fff;
    uint32_t bits = bits_of(r) | inexact, low = bits & 0xffff, high = bits >> 16;
    high += low > 0x8000 || (low == 0x8000 && (high & 1));
    return op == FMA_RELU && (high & 0x8000) != 0 ? 0 : (uint16_t)high;
}

static bool is_nan(uint16_t a)
{
    return (a & 0x7fff) > 0x7f80;
}

/* Position of a number on the line, -0 just below +0. */
static int32_t place(uint16_t a)
{
    return a & 0x8000 ? -(int32_t)(a & 0x7fff) - 1 : a;
}

static uint16_t chosen(enum which op, uint16_t a, uint16_t b)
{
    const uint16_t sign = op == MAX_XORSIGN ? (uint16_t)((a ^ b) & 0x8000) : 0;
    if (op == MIN_NAN ? is_nan(a) || is_nan(b) : is_nan(a) && is_nan(b))
        return 0x7fff;
    if (is_nan(a) || is_nan(b))
        return (uint16_t)(op == MAX_XORSIGN ? ((is_nan(a) ? b : a) & 0x7fff) | sign : is_nan(a) ? b : a);
    if (op == MAX_XORSIGN)
        return (uint16_t)(((a & 0x7fff) > (b & 0x7fff) ? a & 0x7fff : b & 0x7fff) | sign);
    return (op == MAX) == (place(a) > place(b)) ? a : b;
}

static uint16_t expected_bf16(enum which op, uint16_t a, uint16_t b, uint16_t c)
{
    return op <= FMA_RELU ? rounded_sum(op, a, b, c) : chosen(op, a, b);
}

static void check_pair(const struct et_case *text, struct et_loaded *pair, enum which op, const uint16_t low[3], const uint16_t high[3])
{
    const uint64_t in[4] = {low[0] | (uint64_t)high[0] << 16, low[1] | (uint64_t)high[1] << 16, low[2] | (uint64_t)high[2] << 16, 0};
    const uint64_t got = et_eval(pair, in);
    const uint64_t want = expected_bf16(op, low[0], low[1], low[2]) | (uint64_t)expected_bf16(op, high[0], high[1], high[2]) << 16;
    if (got != want)
        fail_msg("%s (%llx, %llx, %llx) gives %llx, not %llx", text->text, (unsigned long long)in[0], (unsigned long long)in[1],
                 (unsigned long long)in[2], (unsigned long long)got, (unsigned long long)want);
}

static void test_exec_half__bf16_arithmetic(void **state)
{
    (void)state;
    static const struct {
        enum which op;
        struct et_case one, two;
    } t[] = {
        {ADD, {"add.bf16 %h0, %h1, %h2;", "h0", {0}, 0}, {"add.rn.bf16x2 %r0, %r1, %r2;", "r0", {0}, 0}},
        {SUB, {"sub.rn.bf16 %h0, %h1, %h2;", "h0", {0}, 0}, {"sub.bf16x2 %r0, %r1, %r2;", "r0", {0}, 0}},
        {MUL, {"mul.bf16 %h0, %h1, %h2;", "h0", {0}, 0}, {"mul.bf16x2 %r0, %r1, %r2;", "r0", {0}, 0}},
        {FMA, {"fma.rn.bf16 %h0, %h1, %h2, %h3;", "h0", {0}, 0}, {"fma.rn.bf16x2 %r0, %r1, %r2, %r3;", "r0", {0}, 0}},
        {FMA_RELU, {"fma.rn.relu.bf16 %h0, %h1, %h2, %h3;", "h0", {0}, 0}, {"fma.rn.relu.bf16x2 %r0, %r1, %r2, %r3;", "r0", {0}, 0}},
        {MIN, {"min.bf16 %h0, %h1, %h2;", "h0", {0}, 0}, {"min.bf16x2 %r0, %r1, %r2;", "r0", {0}, 0}},
        {MAX, {"max.bf16 %h0, %h1, %h2;", "h0", {0}, 0}, {"max.bf16x2 %r0, %r1, %r2;", "r0", {0}, 0}},
        {MIN_NAN, {"min.NaN.bf16 %h0, %h1, %h2;", "h0", {0}, 0}, {"min.NaN.bf16x2 %r0, %r1, %r2;", "r0", {0}, 0}},
        {MAX_XORSIGN, {"max.xorsign.abs.bf16 %h0, %h1, %h2;", "h0", {0}, 0}, {"max.xorsign.abs.bf16x2 %r0, %r1, %r2;", "r0", {0}, 0}},
    };
    struct cw_rng rng;
    uint64_t seed = 31, cases = 0;
    cw_rng_seed(&rng, seed);
    for (size_t i = 0; i < COUNT(t); i++) {
        struct et_loaded one, two;
        et_load(&one, &t[i].one);
        et_load(&two, &t[i].two);
        for (uint32_t n = 0; n < 20000; n++, cases += 3) {
            uint16_t low[3], high[3];
            for (uint32_t k = 0; k < 3; k++) {
                low[k] = n < COUNT(specials) * COUNT(specials) && k < 2 ? specials[k == 0 ? n % COUNT(specials) : n / COUNT(specials)]
                                                                        : operand(&rng);
                high[k] = operand(&rng);
            }
            const uint64_t in[4] = {low[0], low[1], low[2], 0};
            const uint64_t got = et_eval(&one, in), want = expected_bf16(t[i].op, low[0], low[1], low[2]);
            if (got != want)
                fail_msg("%s (%x, %x, %x) gives %llx, not %llx", t[i].one.text, low[0], low[1], low[2], (unsigned long long)got,
                         (unsigned long long)want);
            check_pair(&t[i].two, &two, t[i].op, low, high);
        }
        et_free(&one);
        et_free(&two);
    }
    printf("seed %llu: %llu results\n", (unsigned long long)seed, (unsigned long long)cases);
}

/* By hand, from the ISA's text: where rounding twice would go wrong, and what has no random test. */
static void test_exec_half__by_hand(void **state)
{
    (void)state;
    static const struct et_case t[] = {
        /* (1 + 2^-7) * 1.5 lies in the middle of two numbers; 2^-100 above and below it decides */
        {"fma.rn.bf16 %h0, %h1, %h2, %h3;", "h0", {0x3f81, 0x3fc0, 0x0000}, 0x3fc2},
        {"fma.rn.bf16 %h0, %h1, %h2, %h3;", "h0", {0x3f81, 0x3fc0, 0x0d80}, 0x3fc2},
        {"fma.rn.bf16 %h0, %h1, %h2, %h3;", "h0", {0x3f81, 0x3fc0, 0x8d80}, 0x3fc1},
        {"add.bf16 %h0, %h1, %h2;", "h0", {0x7f7f, 0x7b00}, 0x7f80}, /* 2^119 is half of the last place: the tie goes to infinity */
        {"add.bf16 %h0, %h1, %h2;", "h0", {0x7f7f, 0x7aff}, 0x7f7f},
        {"neg.bf16 %h0, %h1;", "h0", {0x3f80}, 0xbf80},
        {"neg.bf16x2 %r0, %r1;", "r0", {0x3f800000}, 0xbf808000},
        {"abs.bf16 %h0, %h1;", "h0", {0xbf80}, 0x3f80},
        {"abs.bf16x2 %r0, %r1;", "r0", {0xbf80ff80}, 0x3f807f80},
        {"ex2.approx.ftz.bf16 %h0, %h1;", "h0", {0x4040}, 0x4100},
        {"ex2.approx.ftz.bf16 %h0, %h1;", "h0", {0xc2fe}, 0}, /* 2^-127 is subnormal */
        {"ex2.approx.ftz.bf16x2 %r0, %r1;", "r0", {0x40400001}, 0x41003f80},
        {"tanh.approx.bf16 %h0, %h1;", "h0", {0xff80}, 0xbf80},
        {"tanh.approx.bf16x2 %r0, %r1;", "r0", {0x7f800000}, 0x3f800000},
        {"setp.lt.bf16 %p0, %h1, %h2;", "p0", {0x3f80, 0x3f81}, 1},
        {"setp.lt.bf16 %p0, %h1, %h2;", "p0", {0x3f80, 0x7fc0}, 0},
        {"setp.ltu.bf16 %p0, %h1, %h2;", "p0", {0x3f80, 0x7fc0}, 1},
        {"setp.eq.bf16 %p0, %h1, %h2;", "p0", {0x0000, 0x8000}, 1},
        {"setp.lt.bf16x2 %p0|%p3, %r1, %r2;", "p0", {0x40003f80, 0x3f804000}, 1},
        {"setp.lt.bf16x2 %p3|%p0, %r1, %r2;", "p0", {0x40003f80, 0x3f804000}, 0},
        {"set.lt.bf16.bf16 %h0, %h1, %h2;", "h0", {0x3f80, 0x4000}, 0x3f80},
        {"set.lt.u16.bf16 %h0, %h1, %h2;", "h0", {0x3f80, 0x4000}, 0xffff},
        {"set.nan.s32.bf16 %r0, %h1, %h2;", "r0", {0x3f80, 0x7fc0}, 0xffffffff},
        {"set.lt.bf16x2.bf16x2 %r0, %r1, %r2;", "r0", {0x40003f80, 0x3f804000}, 0x00003f80},
        {"set.ge.f16x2.f16x2 %r0, %r1, %r2;", "r0", {0x40003c00, 0x3c004000}, 0x3c000000},
        {"set.ge.u32.f16x2 %r0, %r1, %r2;", "r0", {0x40003c00, 0x3c004000}, 0xffff0000},
        {"set.eq.ftz.s32.f16x2 %r0, %r1, %r2;", "r0", {0x00018001, 0x80000000}, 0xffffffff},
        {"set.lt.and.u32.bf16x2 %r0, %r1, %r2, %p2;", "r0", {0x3f803f80, 0}, 0}, /* p2 is false */
        {"set.gt.and.u32.bf16x2 %r0, %r1, %r2, %p2;", "r0", {0x3f803f80, 0x00013f80}, 0xffff0000},
        {"fma.rn.relu.f16 %h0, %h1, %h2, %h3;", "h0", {0x3c00, 0xc000, 0x3c00}, 0},
        {"fma.rn.relu.f16 %h0, %h1, %h2, %h3;", "h0", {0x3c00, 0x4000, 0x3c00}, 0x4200},
        {"fma.rn.relu.f16 %h0, %h1, %h2, %h3;", "h0", {0x7c00, 0x0000, 0x3c00}, 0x7fff},
        {"fma.rn.ftz.relu.f16x2 %r0, %r1, %r2, %r3;", "r0", {0x3c003c00, 0xc0000001, 0}, 0},
        {"add.s16x2 %r0, %r1, %r2;", "r0", {0x7fffffff, 0x00010001}, 0x80000000},
        {"add.u16x2 %r0, %r1, %r2;", "r0", {0xffff0001, 0x00010002}, 0x00000003},
        {"min.s16x2 %r0, %r1, %r2;", "r0", {0x8000ffff, 0x00010001}, 0x8000ffff},
        {"min.u16x2 %r0, %r1, %r2;", "r0", {0x8000ffff, 0x00010001}, 0x00010001},
        {"max.s16x2 %r0, %r1, %r2;", "r0", {0x80007fff, 0xffff0001}, 0xffff7fff},
        {"max.u16x2 %r0, %r1, %r2;", "r0", {0x80007fff, 0xffff0001}, 0xffff7fff},
        {"max.u16x2 %r0, %r1, %r2;", "r0", {0x80000000, 0x00010001}, 0x80000001},
        {"max.relu.s16x2 %r0, %r1, %r2;", "r0", {0x80000005, 0xffff0001}, 0x00000005},
        {"min.relu.s16x2 %r0, %r1, %r2;", "r0", {0x00048000, 0x00030001}, 0x00030000},
        {"min.relu.s32 %r0, %r1, %r2;", "r0", {0x80000000, 5}, 0},
        {"min.relu.s32 %r0, %r1, %r2;", "r0", {4, 5}, 4},
        {"max.relu.s32 %r0, %r1, %r2;", "r0", {0x80000000, 0xffffffff}, 0},
        {"max.relu.s32 %r0, %r1, %r2;", "r0", {0x80000000, 7}, 7},
        {"max.s32.relu %r0, %r1, %r2;", "r0", {0x80000000, 0xffffffff}, 0},
        {"min.s16x2.relu %r0, %r1, %r2;", "r0", {0x00048000, 0x00030001}, 0x00030000},
    };
    ET_CHECK_ALL(t);
}

/* ---- conversions ---- */

/* A format of sign, exponent and fraction; last: the largest finite code without its sign. */
struct format {
    int fraction, bias;
    uint32_t last, sign, nan;
    bool has_infinity;
};

static const struct format bf16 = {7, 127, 0x7f7f, 0x8000, 0x7fff, true};
static const struct format f16 = {10, 15, 0x7bff, 0x8000, 0x7fff, true};
static const struct format tf32 = {10, 127, 0x3fbff, 0x40000, 0, true};
static const struct format e4m3 = {3, 7, 0x7e, 0x80, 0x7f, false};
static const struct format e5m2 = {2, 15, 0x7b, 0x80, 0x7f, true};

static double value_of(const struct format *f, uint32_t code)
{
    const uint32_t m = code & ((1u << f->fraction) - 1), e = code >> f->fraction;
    return e == 0 ? ldexp(m, 1 - f->bias - f->fraction) : ldexp(m + (double)(1u << f->fraction), (int)e - f->bias - f->fraction);
}

enum mode { NEAREST, AWAY, ZERO, DOWN, UP };

/* The code of v, which is a number; last + 1 stands for infinity. */
static uint32_t code_of(const struct format *f, double v, enum mode mode)
{
    const double size = fabs(v);
    const bool negative = signbit(v) != 0;
    uint32_t low = 0, high = f->last + 1;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        *(value_of(f, middle) <= size ? &low : &high) = middle;
    }
    if (value_of(f, low) == size)
        return low | (negative ? f->sign : 0);
    const double below = size - value_of(f, low), above = value_of(f, high) - size;
    const bool tie_up = mode == AWAY || (low & 1) != 0;
    bool up = mode == ZERO ? false : mode == DOWN ? negative : mode == UP ? !negative : below > above || (below == above && tie_up);
    if (isinf(v))
        up = f->has_infinity;
    return (up ? high : low) | (negative ? f->sign : 0);
}

struct limits {
    bool relu, finite;
};

static uint32_t limited(const struct format *f, double v, enum mode mode, struct limits limits)
{
    if (isnan(v))
        return f->nan;
    uint32_t code = code_of(f, v, mode), sign = code & f->sign;
    if (limits.relu && sign != 0)
        return 0;
    if (limits.finite && (code & ~f->sign) > f->last)
        code = sign | f->last;
    return code;
}

/* f32 numbers: at, and next to, the codes of the format and the middles between them, and any. */
static uint32_t f32_near(const struct format *f, struct cw_rng *rng)
{
    static const uint32_t ends[] = {0, 0x80000000, 1, 0x807fffff, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0xff800001};
    const uint64_t r = cw_rng_next(rng);
    const uint32_t code = (uint32_t)(r >> 8) % (f->last + 2), sign = (uint32_t)(r >> 62) << 31;
    if (r % 16 == 0)
        return ends[(r >> 8) % COUNT(ends)];
    if (r % 16 == 1)
        return (uint32_t)(r >> 32);
    const double v = r % 2 ? value_of(f, code) : (value_of(f, code) + value_of(f, code + 1)) / 2;
    return (bits_of((float)v) + (uint32_t)((r >> 4) % 3 - 1)) | sign;
}

static void convert_many(const struct et_case *c, const struct format *f, enum mode mode, struct limits limits)
{
    struct cw_rng rng;
    struct et_loaded k;
    cw_rng_seed(&rng, 77);
    et_load(&k, c);
    const bool pair = strstr(c->text, "x2.") != NULL;
    const uint32_t width = f->sign == 0x80 ? 8 : 16;
    for (uint32_t n = 0; n < 20000; n++) {
        const uint64_t in[4] = {f32_near(f, &rng), f32_near(f, &rng), 0, 0};
        uint64_t want = limited(f, (double)f32_of((uint32_t)in[0]), mode, limits);
        if (pair)
            want = want << width | limited(f, (double)f32_of((uint32_t)in[1]), mode, limits);
        if (f == &tf32)
            want = isnan(f32_of((uint32_t)in[0])) ? 0x7fffffff : want << 13;
        const uint64_t got = et_eval(&k, in);
        if (got != want)
            fail_msg("%s (%llx, %llx) gives %llx, not %llx", c->text, (unsigned long long)in[0], (unsigned long long)in[1],
                     (unsigned long long)got, (unsigned long long)want);
    }
    et_free(&k);
}

static void test_exec_half__from_f32(void **state)
{
    (void)state;
    static const struct {
        struct et_case c;
        const struct format *f;
        enum mode mode;
        struct limits limits;
    } t[] = {
        {{"cvt.rn.bf16.f32 %h0, %f1;", "h0", {0}, 0}, &bf16, NEAREST, {false, false}},
        {{"cvt.rz.bf16.f32 %h0, %f1;", "h0", {0}, 0}, &bf16, ZERO, {false, false}},
        {{"cvt.rm.bf16.f32 %h0, %f1;", "h0", {0}, 0}, &bf16, DOWN, {false, false}},
        {{"cvt.rp.bf16.f32 %h0, %f1;", "h0", {0}, 0}, &bf16, UP, {false, false}},
        {{"cvt.rn.relu.bf16.f32 %h0, %f1;", "h0", {0}, 0}, &bf16, NEAREST, {true, false}},
        {{"cvt.rn.satfinite.bf16.f32 %h0, %f1;", "h0", {0}, 0}, &bf16, NEAREST, {false, true}},
        {{"cvt.rn.bf16x2.f32 %r0, %f1, %f2;", "r0", {0}, 0}, &bf16, NEAREST, {false, false}},
        {{"cvt.rz.relu.satfinite.bf16x2.f32 %r0, %f1, %f2;", "r0", {0}, 0}, &bf16, ZERO, {true, true}},
        {{"cvt.rn.relu.f16.f32 %h0, %f1;", "h0", {0}, 0}, &f16, NEAREST, {true, false}},
        {{"cvt.rn.relu.f16x2.f32 %r0, %f1, %f2;", "r0", {0}, 0}, &f16, NEAREST, {true, false}},
        {{"cvt.rz.satfinite.f16x2.f32 %r0, %f1, %f2;", "r0", {0}, 0}, &f16, ZERO, {false, true}},
        {{"cvt.rna.tf32.f32 %r0, %f1;", "r0", {0}, 0}, &tf32, AWAY, {false, false}},
        {{"cvt.rna.satfinite.tf32.f32 %r0, %f1;", "r0", {0}, 0}, &tf32, AWAY, {false, true}},
        {{"cvt.rn.tf32.f32 %r0, %f1;", "r0", {0}, 0}, &tf32, NEAREST, {false, false}},
        {{"cvt.rz.relu.tf32.f32 %r0, %f1;", "r0", {0}, 0}, &tf32, ZERO, {true, false}},
        {{"cvt.rn.satfinite.e4m3x2.f32 %h0, %f1, %f2;", "h0", {0}, 0}, &e4m3, NEAREST, {false, true}},
        {{"cvt.rn.satfinite.relu.e4m3x2.f32 %h0, %f1, %f2;", "h0", {0}, 0}, &e4m3, NEAREST, {true, true}},
        {{"cvt.rn.satfinite.e5m2x2.f32 %h0, %f1, %f2;", "h0", {0}, 0}, &e5m2, NEAREST, {false, true}},
        {{"cvt.rn.relu.satfinite.e5m2x2.f32 %h0, %f1, %f2;", "h0", {0}, 0}, &e5m2, NEAREST, {true, true}},
    };
    for (size_t i = 0; i < COUNT(t); i++)
        convert_many(&t[i].c, t[i].f, t[i].mode, t[i].limits);
    printf("%zu conversions, 20000 values each\n", COUNT(t));
}

/* Every code: what it is worth as a number of f16, and where that number goes back to. */
static void every_code(const struct format *f, const char *to_f16, const char *from_f16)
{
    struct et_loaded there, back;
    et_load(&there, &(struct et_case){to_f16, "r0", {0}, 0});
    et_load(&back, &(struct et_case){from_f16, "h0", {0}, 0});
    for (uint32_t code = 0; code < 256; code++) {
        const uint32_t size = code & 0x7f, other = 0x35, is_nan_code = size > f->last + (uint32_t)f->has_infinity;
        const double v = size > f->last ? INFINITY : value_of(f, size);
        const uint32_t half = is_nan_code ? 0x7fff : code_of(&f16, code & 0x80 ? -v : v, NEAREST);
        const uint64_t low[4] = {code | other << 8, 0, 0, 0}, high[4] = {other | code << 8, 0, 0, 0};
        assert_int_equal(et_eval(&there, low) & 0xffff, half);
        assert_int_equal(et_eval(&there, high) >> 16, half);
        const uint64_t halves[4] = {half | (uint64_t)0x3c00 << 16, 0, 0, 0};
        const uint32_t finite = (code & 0x80) | f->last;
        assert_int_equal(et_eval(&back, halves) & 0xff, is_nan_code ? f->nan : size > f->last ? finite : code);
    }
    et_free(&there);
    et_free(&back);
}

static void test_exec_half__eight_bits(void **state)
{
    (void)state;
    every_code(&e4m3, "cvt.rn.f16x2.e4m3x2 %r0, %h1;", "cvt.rn.satfinite.e4m3x2.f16x2 %h0, %r1;");
    every_code(&e5m2, "cvt.rn.f16x2.e5m2x2 %r0, %h1;", "cvt.rn.satfinite.e5m2x2.f16x2 %h0, %r1;");
    static const struct et_case t[] = {
        {"cvt.rn.relu.f16x2.e4m3x2 %r0, %h1;", "r0", {0xb838}, 0x00003c00}, /* -1 and 1 */
        {"cvt.rn.relu.f16x2.e5m2x2 %r0, %h1;", "r0", {0xff3c}, 0x7fff3c00}, /* a NaN stays */
        {"cvt.rn.satfinite.relu.e5m2x2.f16x2 %h0, %r1;", "h0", {0xbc007c00}, 0x007b},
        {"cvt.rn.satfinite.e4m3x2.f16x2 %h0, %r1;", "h0", {0x5f405f42}, 0x7e7e}, /* 464 is the tie, and more is too much */
    };
    ET_CHECK_ALL(t);
}

static void test_exec_half__bf16_and_others(void **state)
{
    (void)state;
    struct cw_rng rng;
    struct et_loaded to_f32, to_f64, to_int, from_int, from_f64, from_f16;
    cw_rng_seed(&rng, 5);
    et_load(&to_f32, &(struct et_case){"cvt.f32.bf16 %f0, %h1;", "f0", {0}, 0});
    et_load(&to_f64, &(struct et_case){"cvt.f64.bf16 %d0, %h1;", "d0", {0}, 0});
    et_load(&to_int, &(struct et_case){"cvt.rzi.s32.bf16 %r0, %h1;", "r0", {0}, 0});
    et_load(&from_int, &(struct et_case){"cvt.rz.bf16.s32 %h0, %r1;", "h0", {0}, 0});
    et_load(&from_f64, &(struct et_case){"cvt.rn.bf16.f64 %h0, %d1;", "h0", {0}, 0});
    et_load(&from_f16, &(struct et_case){"cvt.rn.bf16.f16 %h0, %h1;", "h0", {0}, 0});
    for (uint32_t n = 0; n < 65536; n++) {
        const float f = f32_of(n << 16);
        const double d = (double)f * (1 + ldexp((double)(cw_rng_next(&rng) >> 60), -13));
        const int32_t i = (int32_t)(uint32_t)(cw_rng_next(&rng) >> (32 + n % 24));
        uint64_t bits, in[4] = {n, 0, 0, 0};
        memcpy(&bits, &d, sizeof bits);
        assert_int_equal(et_eval(&to_f32, in), isnan(f) ? 0x7fffffff : n << 16);
        assert_int_equal(et_eval(&to_int, in), isnan(f) ? 0
                                                        : (uint32_t)(f >= 0x1p31f    ? INT32_MAX
                                                                     : f <= -0x1p31f ? INT32_MIN
                                                                                     : (int32_t)f));
        if (!isnan(f)) {
            const double wide = (double)f;
            uint64_t raw;
            memcpy(&raw, &wide, sizeof raw);
            assert_true(et_eval(&to_f64, in) == raw);
            in[0] = bits;
            assert_int_equal(et_eval(&from_f64, in), isnan(d) ? 0x7fff : code_of(&bf16, d, NEAREST));
        }
        in[0] = (uint32_t)i;
        assert_int_equal(et_eval(&from_int, in), code_of(&bf16, (double)i, ZERO));
        in[0] = n;
        if ((n & 0x7fff) < 0x7c00) /* 16 bits of f16 */
            assert_int_equal(et_eval(&from_f16, in), code_of(&bf16, (n & 0x8000 ? -1 : 1) * value_of(&f16, n & 0x7fff), NEAREST));
    }
    struct et_loaded *all[] = {&to_f32, &to_f64, &to_int, &from_int, &from_f64, &from_f16};
    for (size_t i = 0; i < COUNT(all); i++)
        et_free(all[i]);
    static const struct et_case t[] = {
        {"cvt.rni.bf16.bf16 %h0, %h1;", "h0", {0x4020}, 0x4000}, /* 2.5: to even */
        {"cvt.rpi.bf16.bf16 %h0, %h1;", "h0", {0x4020}, 0x4040},   {"cvt.rz.f16.bf16 %h0, %h1;", "h0", {0x7f7f}, 0x7bff},
        {"cvt.rn.f16.bf16 %h0, %h1;", "h0", {0x3380}, 0x0001}, /* 2^-24 */
        {"cvt.rn.bf16.u64 %h0, %l1;", "h0", {UINT64_MAX}, 0x5f80}, {"cvt.rzi.u64.bf16 %l0, %h1;", "l0", {0x5f80}, UINT64_MAX},
    };
    ET_CHECK_ALL(t);
}

static void test_exec_half__pack(void **state)
{
    (void)state;
    static const struct et_case t[] = {
        {"cvt.pack.sat.s16.s32 %r0, %r1, %r2;", "r0", {40000, (uint32_t)-40000}, 0x7fff8000},
        {"cvt.pack.sat.s16.s32 %r0, %r1, %r2;", "r0", {(uint32_t)-2, 3}, 0xfffe0003},
        {"cvt.pack.sat.u16.s32 %r0, %r1, %r2;", "r0", {70000, (uint32_t)-1}, 0xffff0000},
        {"cvt.pack.sat.s8.s32.b32 %r0, %r1, %r2, %r3;", "r0", {200, (uint32_t)-200, 0x12345678}, 0x56787f80},
        {"cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;", "r0", {300, (uint32_t)-5, 0x12345678}, 0x5678ff00},
        {"cvt.pack.sat.s4.s32.b32 %r0, %r1, %r2, %r3;", "r0", {9, (uint32_t)-9, 0x12345678}, 0x34567878},
        {"cvt.pack.sat.u4.s32.b32 %r0, %r1, %r2, 0;", "r0", {5, 99}, 0x5f},
        {"cvt.pack.sat.s2.s32.b32 %r0, %r1, %r2, %r3;", "r0", {(uint32_t)-7, 7, 0x12345678}, 0x23456789},
        {"cvt.pack.sat.u2.s32.b32 %r0, %r1, %r2, %r3;", "r0", {1, 8, 0}, 0x7},
    };
    ET_CHECK_ALL(t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_exec_half__bf16_arithmetic), cmocka_unit_test(test_exec_half__by_hand),
    cmocka_unit_test(test_exec_half__from_f32),        cmocka_unit_test(test_exec_half__eight_bits),
    cmocka_unit_test(test_exec_half__bf16_and_others), cmocka_unit_test(test_exec_half__pack),
};

CW_TEST_MAIN(tests)
