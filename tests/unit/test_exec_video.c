/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The video instructions: by hand, and at random against a second reading of the ISA's text in which a register is an array of bytes and a
 * number is a double (none here has more than 53 bits, but products of whole words, which are done by hand).
 */
#include "exec_text.h"

#include <math.h>

#include "base/rng.h"

#define COUNT(t) (sizeof(t) / sizeof((t)[0]))

static void test_exec_video__by_hand(void **state)
{
    (void)state;
    static const struct et_case t[] = {
        {"vadd.s32.u32.s32 %r0, %r1.b3, %r2.h1;", "r0", {0xff000000, 0xfffe0000}, 253},
        {"vadd.s32.s32.s32.sat %r0, %r1, %r2;", "r0", {0x7fffffff, 1}, 0x7fffffff},
        {"vadd.s32.s32.s32 %r0, %r1, %r2;", "r0", {0x7fffffff, 1}, 0x80000000},
        {"vadd.u32.s32.s32.sat %r0, %r1, %r2;", "r0", {(uint32_t)-5, 1}, 0},
        {"vsub.u32.u32.u32.sat %r0, %r1, 7;", "r0", {5}, 0},
        {"vsub.s32.u32.u32 %r0.b1, %r1, %r2, %r3;", "r0", {5, 7, 0x12345678}, 0x1234fe78},
        {"vadd.u32.u32.u32.sat %r0.h1, %r1, %r2, %r3;", "r0", {0xffff, 7, 0x12345678}, 0xffff5678},
        {"vabsdiff.u32.s32.s32.add %r0, %r1, %r2, %r3;", "r0", {0x80000000, 0x7fffffff, 10}, 9}, /* 2^32 - 1 + 10 */
        {"vabsdiff.s32.s32.s32.sat %r0, %r1, %r2;", "r0", {0x80000000, 0x7fffffff}, 0x7fffffff},
        {"vmin.s32.s32.s32.max %r0, %r1, %r2, %r3;", "r0", {(uint32_t)-4, 3, (uint32_t)-2}, (uint32_t)-2},
        {"vmax.u32.u32.u32.min %r0, %r1, %r2, %r3;", "r0", {4, 0xffffffff, 0x80000000}, 0x80000000},
        {"vset.u32.s32.lt %r0, %r1, %r2;", "r0", {4, 0xffffffff}, 0},
        {"vset.u32.u32.lt.add %r0, %r1.b0, %r2, %r3;", "r0", {4, 5, 41}, 42},
        {"vshl.u32.u32.u32.clamp %r0, %r1, %r2;", "r0", {1, 40}, 0},
        {"vshl.u32.u32.u32.sat.clamp %r0, %r1, %r2;", "r0", {1, 40}, 0xffffffff},
        {"vshl.s32.s32.u32.clamp.sat %r0, %r1, %r2;", "r0", {(uint32_t)-1, 40}, 0x80000000},
        {"vshl.u32.u32.u32.wrap %r0, %r1, %r2;", "r0", {1, 40}, 0x100},
        {"vshr.s32.s32.u32.clamp %r0, %r1, %r2;", "r0", {0x80000000, 0xff}, 0xffffffff},
        {"vshr.u32.u32.u32.clamp %r0, %r1, %r2;", "r0", {0x80000000, 32}, 0},
        {"vshr.u32.u32.u32.wrap %r0, %r1, %r2;", "r0", {0x80000000, 63}, 1},
        {"vmad.u32.u32.u32 %r0, %r1, %r2, %r3;", "r0", {0xffffffff, 0xffffffff, 5}, 6},
        {"vmad.u32.u32.u32.sat %r0, %r1, %r2, %r3;", "r0", {0xffffffff, 0xffffffff, 5}, 0xffffffff},
        {"vmad.u32.u32.u32.shr15 %r0, %r1, %r2, %r3;", "r0", {0xffffffff, 0xffffffff, 0xffffffff}, 0xfffe0000},
        {"vmad.s32.s32.s32.sat %r0, %r1, %r2, %r3;", "r0", {0x80000000, 0x7fffffff, 5}, 0x80000000},
        {"vmad.u32.u32.u32.po.shr7 %r0, %r1.h0, %r2.h0, %r3;", "r0", {255, 1, 0x80000000}, 0x1000002},
        {"vmad.s32.u32.u32 %r0, -%r1, %r2, %r3;", "r0", {7, 6, 2}, (uint32_t)-40},
        {"vmad.s32.u32.u32 %r0, -%r1, -%r2, %r3;", "r0", {7, 6, 2}, 44},
        {"vmad.s32.u32.u32.sat %r0, %r1, %r2, -%r3;", "r0", {7, 6, 50}, (uint32_t)-8},
        {"vmad.s32.s32.u32.shr7 %r0, %r1.b1, %r2, %r3;", "r0", {0xff00, 129, 0}, (uint32_t)-2},
        {"vadd2.u32.u32.u32 %r0, %r1, %r2, %r3;", "r0", {0xffff0001, 0x00020003}, 0x00010004},
        {"vadd2.u32.u32.u32.sat %r0, %r1, %r2, %r3;", "r0", {0xffff0001, 0x00020003}, 0xffff0004},
        {"vadd2.u32.u32.u32.add %r0, %r1, %r2, %r3;", "r0", {0xffff0001, 0x00020003, 0x100}, 0x10105},
        {"vsub2.s32.s32.s32 %r0.h0, %r1.h10, %r2.h10, %r3;", "r0", {0x00050003, 0, 0xabcd1234}, 0xabcd0000},
        {"vsub2.s32.s32.s32 %r0.h1, %r1.h00, %r2.h32, %r3;", "r0", {0x00050003, 0x00070000, 0xabcd1234}, 0xfffc1234},
        {"vavrg2.u32.u32.u32 %r0, %r1, %r2, %r3;", "r0", {0x00010004, 0x00020004}, 0x00020004},
        {"vavrg2.s32.s32.s32 %r0, %r1, %r2, %r3;", "r0", {0xffffffff, 0xfffe0001}, 0xfffe0000}, /* -1.5 goes to -2, 0 is 0 */
        {"vset2.s32.s32.lt %r0, %r1, %r2, %r3;", "r0", {0xffff0001, 0x00000001, 0}, 0x00010000},
        {"vadd4.u32.u32.u32 %r0, %r1, %r2, %r3;", "r0", {0xff010203, 0x01010101}, 0x00020304},
        {"vadd4.s32.s32.s32.sat %r0, %r1, %r2, %r3;", "r0", {0x7f80ff01, 0x01ff0101}, 0x7f800002},
        {"vsub4.s32.u32.u32.add %r0, %r1, %r2, %r3;", "r0", {0x01010101, 0x02020202, 100}, 96},
        {"vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;", "r0", {0xff00ff00, 0x00ff00ff, 1}, 1021},
        {"vabsdiff4.u32.u32.u32 %r0.b20, %r1, %r2, %r3;", "r0", {0x09080706, 0x01010101, 0xaabbccdd}, 0xaa07cc05},
        {"vmax4.u32.u32.u32 %r0, %r1.b0123, %r2.b7777, %r3;", "r0", {0x04030201, 0x02000000, 0}, 0x02020304},
        {"vset4.u32.s32.gt.add %r0.b321, %r1, %r2, %r3;", "r0", {0x010203ff, 0xff0203ff, 7}, 8},
    };
    ET_CHECK_ALL(t);
}

/* ---- at random ---- */

struct choice { /* of one instruction; indices into the tables below */
    uint32_t op, lanes, d, a, b, second, sat, a_part, b_part, d_part, a_digits, b_digits, mask, cmp, wrap;
};

static const char *const scalar_ops[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vset", "vshl", "vshr"};
static const char *const lane_ops[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vset", "vavrg"};
static const char *const types[] = {"u32", "s32"};
static const char *const parts[] = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
static const char *const seconds[] = {"", ".add", ".min", ".max"};
static const char *const cmps[] = {"eq", "ne", "lt", "le", "gt", "ge"};

static bool is_op(const struct choice *c, const char *name)
{
    return strcmp(c->lanes == 1 ? scalar_ops[c->op] : lane_ops[c->op], name) == 0;
}

static bool is_shift(const struct choice *c)
{
    return is_op(c, "vshl") || is_op(c, "vshr");
}

/* A number in bytes first .. first + cnt - 1. */
static double number(const uint8_t *bytes, uint32_t first, uint32_t cnt, bool is_signed)
{
    double v = 0;
    for (uint32_t i = cnt; i-- > 0;)
        v = v * 256 + bytes[first + i];
    return is_signed && bytes[first + cnt - 1] >= 128 ? v - ldexp(1, 8 * (int)cnt) : v;
}

static void put(uint8_t *bytes, uint32_t first, uint32_t cnt, double v)
{
    double whole = fmod(v, 4294967296.0);
    uint64_t bits = (uint64_t)(whole < 0 ? whole + 4294967296.0 : whole);
    for (uint32_t i = 0; i < cnt; i++, bits /= 256)
        bytes[first + i] = (uint8_t)(bits % 256);
}

static double limit(double v, uint32_t cnt, bool is_signed)
{
    const double range = ldexp(1, 8 * (int)cnt), low = is_signed ? -range / 2 : 0;
    return fmin(fmax(v, low), low + range - 1);
}

static double operation(const struct choice *c, double a, double b)
{
    static const bool when[][3] = {{false, true, false}, {true, false, true},  {true, false, false},
                                   {true, true, false},  {false, false, true}, {false, true, true}};
    const double amount = c->wrap ? fmod(b, 32) : fmin(b, 32);
    if (is_op(c, "vadd"))
        return a + b;
    if (is_op(c, "vsub"))
        return a - b;
    if (is_op(c, "vabsdiff"))
        return fabs(a - b);
    if (is_op(c, "vmin"))
        return fmin(a, b);
    if (is_op(c, "vmax"))
        return fmax(a, b);
    if (is_op(c, "vset"))
        return when[c->cmp][a < b ? 0 : a == b ? 1 : 2];
    if (is_op(c, "vshl"))
        return ldexp(a, (int)amount);
    if (is_op(c, "vshr"))
        return floor(ldexp(a, -(int)amount));
    return floor((a + b) / 2 + (a + b >= 0 ? 0.5 : 0)); /* vavrg */
}

static const uint32_t part_first[] = {0, 0, 1, 2, 3, 0, 2}, part_bytes[] = {4, 1, 1, 1, 1, 2, 2};

static void one_lane(const struct choice *c, const uint8_t *ab, const uint8_t *old, uint8_t *d)
{
    const double a = number(ab, part_first[c->a_part], part_bytes[c->a_part], c->a != 0);
    const double b = number(ab + 4, part_first[c->b_part], part_bytes[c->b_part], c->b != 0 && !is_shift(c));
    const bool is_signed = c->d != 0 && !is_op(c, "vset");
    double v = operation(c, a, b);
    if (c->sat)
        v = limit(v, part_bytes[c->d_part], is_signed);
    put(d, part_first[c->d_part], part_bytes[c->d_part], v);
    if (c->second == 0)
        return;
    const double result = number(d, 0, 4, is_signed), other = number(old, 0, 4, is_signed);
    put(d, 0, 4, c->second == 1 ? result + other : c->second == 2 ? fmin(result, other) : fmax(result, other));
}

static uint32_t reference(const struct choice *c, uint32_t a, uint32_t b, uint32_t old)
{
    uint8_t ab[8], d[4], before[4];
    double sum = old;
    put(ab, 0, 4, a);
    put(ab + 4, 0, 4, b);
    put(d, 0, 4, old);
    put(before, 0, 4, old);
    if (c->lanes == 1)
        one_lane(c, ab, before, d);
    const uint32_t bytes = 4 / c->lanes;
    for (uint32_t i = 0; c->lanes > 1 && i < c->lanes; i++) {
        const uint32_t from_a = c->a_digits >> (4 * i) & 15, from_b = c->b_digits >> (4 * i) & 15;
        double v = operation(c, number(ab, from_a * bytes, bytes, c->a != 0), number(ab, from_b * bytes, bytes, c->b != 0));
        if (c->sat)
            v = limit(v, bytes, c->d != 0);
        if ((c->mask >> i & 1) == 0)
            continue;
        sum += v;
        if (c->second == 0)
            put(d, i * bytes, bytes, v);
    }
    if (c->lanes > 1 && c->second != 0)
        put(d, 0, 4, sum);
    return d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;
}

static struct choice choose(struct cw_rng *rng)
{
    struct choice c = {.lanes = 1u << cw_rng_below(rng, 3)};
    c.op = cw_rng_below(rng, c.lanes == 1 ? COUNT(scalar_ops) : COUNT(lane_ops));
    c.d = cw_rng_below(rng, 2);
    c.a = cw_rng_below(rng, 2);
    c.b = cw_rng_below(rng, 2);
    c.second = cw_rng_below(rng, 2) * cw_rng_below(rng, c.lanes == 1 ? 4 : 2);
    c.sat = is_op(&c, "vset") || (c.lanes > 1 && c.second != 0) ? 0 : cw_rng_below(rng, 2);
    c.a_part = cw_rng_below(rng, COUNT(parts));
    c.b_part = cw_rng_below(rng, COUNT(parts));
    c.d_part = c.second == 0 ? cw_rng_below(rng, COUNT(parts)) : 0;
    c.cmp = cw_rng_below(rng, COUNT(cmps));
    c.wrap = cw_rng_below(rng, 2);
    for (uint32_t i = 0; i < c.lanes; i++) {
        c.a_digits |= cw_rng_below(rng, 2 * c.lanes) << 4 * i;
        c.b_digits |= cw_rng_below(rng, 2 * c.lanes) << 4 * i;
    }
    c.mask = 1 + cw_rng_below(rng, (1u << c.lanes) - 1);
    return c;
}

static void write_text(char *text, size_t size, const struct choice *c)
{
    char type[16], mode[16] = "", mask[8] = "";
    snprintf(type, sizeof type, "%s.", types[c->d]);
    if (is_op(c, "vset")) {
        type[0] = '\0';
        snprintf(mode, sizeof mode, ".%s", cmps[c->cmp]);
    }
    if (is_shift(c))
        snprintf(mode, sizeof mode, "%s", c->wrap ? ".wrap" : ".clamp");
    if (c->lanes == 1) {
        snprintf(text, size, "%s.%s%s.%s%s%s%s %%r0%s, %%r1%s, %%r2%s%s;", scalar_ops[c->op], type, types[c->a],
                 types[is_shift(c) ? 0 : c->b], c->sat ? ".sat" : "", mode, seconds[c->second], parts[c->d_part], parts[c->a_part],
                 parts[c->b_part], c->second != 0 || c->d_part != 0 ? ", %r3" : "");
        return;
    }
    for (uint32_t i = c->lanes, n = 0; i-- > 0;)
        if (c->mask >> i & 1)
            mask[n++] = (char)('0' + i);
    const char k = c->lanes == 2 ? 'h' : 'b';
    snprintf(text, size, "%s%u.%s%s.%s%s%s%s %%r0.%c%s, %%r1.%c%0*x, %%r2.%c%0*x, %%r3;", lane_ops[c->op], c->lanes, type, types[c->a],
             types[c->b], c->sat ? ".sat" : "", mode, seconds[c->second], k, mask, k, (int)c->lanes, c->a_digits, k, (int)c->lanes,
             c->b_digits);
}

static void test_exec_video__at_random(void **state)
{
    (void)state;
    struct cw_rng rng;
    uint32_t checks = 0;
    cw_rng_seed(&rng, 17);
    for (uint32_t n = 0; n < 4000; n++) {
        static const uint32_t ends[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fff8000, 0x80ff7f00, 0x0000ffff};
        const struct choice c = choose(&rng);
        struct et_loaded k;
        char text[128];
        write_text(text, sizeof text, &c);
        et_load(&k, &(struct et_case){text, "r0", {0}, 0});
        for (uint32_t i = 0; i < 20; i++, checks++) {
            uint64_t in[4] = {0};
            for (uint32_t j = 0; j < 3; j++)
                in[j] = cw_rng_below(&rng, 3) == 0 ? ends[cw_rng_below(&rng, COUNT(ends))] : (uint32_t)(cw_rng_next(&rng) >> 32);
            if (is_shift(&c) && cw_rng_below(&rng, 2) == 0)
                in[1] = cw_rng_below(&rng, 40) * 0x01010101u;
            const uint32_t want = reference(&c, (uint32_t)in[0], (uint32_t)in[1], (uint32_t)in[2]);
            const uint64_t got = et_eval(&k, in);
            if (got != want)
                fail_msg("%s (%llx, %llx, %llx) gives %llx, not %x", text, (unsigned long long)in[0], (unsigned long long)in[1],
                         (unsigned long long)in[2], (unsigned long long)got, want);
        }
        et_free(&k);
    }
    printf("seed 17: %u checks\n", checks);
}

/* vmad of halves: all fits a double. */
static void test_exec_video__products(void **state)
{
    (void)state;
    struct cw_rng rng;
    cw_rng_seed(&rng, 19);
    for (uint32_t n = 0; n < 1000; n++) {
        const uint32_t a_s = cw_rng_below(&rng, 2), b_s = cw_rng_below(&rng, 2), neg = cw_rng_below(&rng, 4), sat = cw_rng_below(&rng, 2);
        static const int scales[] = {0, 7, 15};
        static const char *const scale_words[] = {"", ".shr7", ".shr15"};
        const uint32_t scale = cw_rng_below(&rng, 3);
        const bool is_signed = a_s || b_s || neg == 1 || neg == 2;
        const double sign = neg == 1 ? -1 : 1, c_sign = neg == 2 ? -1 : 1, extra = neg == 3 ? 1 : 0;
        struct et_loaded k;
        char text[128];
        snprintf(text, sizeof text, "vmad.%s.%s.%s%s%s%s %%r0, %s%%r1.h1, %%r2.h0, %s%%r3;", types[is_signed], types[a_s], types[b_s],
                 neg == 3 ? ".po" : "", sat ? ".sat" : "", scale_words[scale], neg == 1 ? "-" : "", neg == 2 ? "-" : "");
        et_load(&k, &(struct et_case){text, "r0", {0}, 0});
        for (uint32_t i = 0; i < 20; i++) {
            uint64_t in[4] = {cw_rng_next(&rng) >> 32, cw_rng_next(&rng) >> 32, cw_rng_next(&rng) >> (32 + 4 * (i % 8)), 0};
            uint8_t a[4], b[4], c[4], d[4];
            put(a, 0, 4, (double)in[0]);
            put(b, 0, 4, (double)in[1]);
            if (neg == 2 && !a_s && !b_s)
                in[2] &= 0x7fffffff; /* what the complement of a larger one means, the text leaves to its pseudocode */
            put(c, 0, 4, (double)in[2]);
            double v = sign * number(a, 2, 2, a_s) * number(b, 0, 2, b_s) + c_sign * number(c, 0, 4, is_signed) + extra;
            v = floor(ldexp(v, -scales[scale]));
            put(d, 0, 4, sat ? limit(v, 4, is_signed) : v);
            const uint64_t got = et_eval(&k, in), want = (uint64_t)number(d, 0, 4, false);
            if (got != want)
                fail_msg("%s (%llx, %llx, %llx) gives %llx, not %llx", text, (unsigned long long)in[0], (unsigned long long)in[1],
                         (unsigned long long)in[2], (unsigned long long)got, (unsigned long long)want);
        }
        et_free(&k);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_exec_video__by_hand),
    cmocka_unit_test(test_exec_video__at_random),
    cmocka_unit_test(test_exec_video__products),
};

CW_TEST_MAIN(tests)
