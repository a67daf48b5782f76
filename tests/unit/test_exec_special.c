/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PTX ISA's tables of special values, row by row, and its sentences about NaN, -0, subnormals and saturation, from PTX text to bits. Each
 * expectation is the ISA's word. Where it says NaN without bits, any NaN is right.
 */
#include "exec_text.h"

#define PINF 0x7f800000
#define NINF 0xff800000
#define QNAN 0x7fc00001
#define CNAN 0x7fffffff /* the canonical one, which f32 arithmetic gives */
#define PSUB 0x00000001
#define NSUB 0x80000001
#define N0   0x80000000
#define ONE  0x3f800000
#define MAXF 0x7f7fffff

#define D_PINF UINT64_C(0x7ff0000000000000)
#define D_NINF UINT64_C(0xfff0000000000000)
#define D_NAN  UINT64_C(0x7ff8000000000000)
#define D_N0   UINT64_C(0x8000000000000000)
#define D_PSUB UINT64_C(0x000f000000000000)
#define D_NSUB UINT64_C(0x800f000000000000)
#define D_ONE  UINT64_C(0x3ff0000000000000)
#define TOP64  UINT64_C(0x8000000000000000)

/* op of one, two, three operands in registers of that letter. */
#define F1(op, a, want)                  \
    {                                    \
        op " %f0, %f1;", "f0", {a}, want \
    }
#define F2(op, a, b, want)                       \
    {                                            \
        op " %f0, %f1, %f2;", "f0", {a, b}, want \
    }
#define F3(op, a, b, c, want)                            \
    {                                                    \
        op " %f0, %f1, %f2, %f3;", "f0", {a, b, c}, want \
    }
#define D1(op, a, want)                  \
    {                                    \
        op " %d0, %d1;", "d0", {a}, want \
    }
#define D2(op, a, b, want)                       \
    {                                            \
        op " %d0, %d1, %d2;", "d0", {a, b}, want \
    }
#define H1(op, a, want)                  \
    {                                    \
        op " %h0, %h1;", "h0", {a}, want \
    }
#define H2(op, a, b, want)                       \
    {                                            \
        op " %h0, %h1, %h2;", "h0", {a, b}, want \
    }
#define H3(op, a, b, c, want)                            \
    {                                                    \
        op " %h0, %h1, %h2, %h3;", "h0", {a, b, c}, want \
    }
#define R2(op, a, b, want)                       \
    {                                            \
        op " %r0, %r1, %r2;", "r0", {a, b}, want \
    }
#define R3(op, a, b, c, want)                            \
    {                                                    \
        op " %r0, %r1, %r2, %r3;", "r0", {a, b, c}, want \
    }

static bool is_nan64(uint64_t bits)
{
    return (bits & UINT64_C(0x7fffffffffffffff)) > D_PINF;
}

static void check_rows(const struct et_case *t, size_t cnt)
{
    for (size_t i = 0; i < cnt; i++)
        if (t[i].result[0] == 'd' && is_nan64(t[i].expected))
            assert_true(is_nan64(et_run(&t[i])));
        else
            et_check(&t[i]);
    printf("%zu rows\n", cnt);
}

#define CHECK_ROWS(t) check_rows(t, sizeof(t) / sizeof((t)[0]))

/* The tables of rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh, and div. */
static void test_exec_special__functions(void **state)
{
    (void)state;
    static const struct et_case t[] = {
        F1("rcp.approx.f32", NINF, N0),
        F1("rcp.approx.f32", N0, NINF),
        F1("rcp.approx.f32", 0, PINF),
        F1("rcp.approx.f32", PINF, 0),
        F1("rcp.approx.f32", QNAN, CNAN),
        F1("rcp.approx.ftz.f32", NSUB, NINF),
        F1("rcp.approx.ftz.f32", PSUB, PINF),
        F1("rcp.approx.ftz.f32", 0x7f000000, 0) /* 2^-127 is flushed */,
        F1("rcp.rn.f32", N0, NINF),
        F1("rcp.rn.f32", QNAN, CNAN),
        F1("rcp.rn.ftz.f32", NSUB, NINF),
        D1("rcp.rn.f64", D_N0, D_NINF),
        D1("rcp.rn.f64", D_NINF, D_N0),
        D1("rcp.rn.f64", D_NAN, D_NAN),
        D1("rcp.approx.ftz.f64", D_NINF, D_N0),
        D1("rcp.approx.ftz.f64", D_NSUB, D_NINF),
        D1("rcp.approx.ftz.f64", D_N0, D_NINF),
        D1("rcp.approx.ftz.f64", D_PSUB, D_PINF),
        D1("rcp.approx.ftz.f64", D_PINF, 0),
        D1("rcp.approx.ftz.f64", D_NAN, D_NAN),
        F1("sqrt.approx.f32", NINF, CNAN),
        F1("sqrt.approx.f32", 0xbf800000, CNAN),
        F1("sqrt.approx.f32", N0, N0),
        F1("sqrt.approx.f32", 0, 0),
        F1("sqrt.approx.f32", PINF, PINF),
        F1("sqrt.approx.f32", QNAN, CNAN),
        F1("sqrt.approx.ftz.f32", NSUB, N0),
        F1("sqrt.approx.ftz.f32", PSUB, 0),
        F1("sqrt.rn.f32", NSUB, CNAN),
        F1("sqrt.rn.f32", N0, N0),
        F1("sqrt.rn.ftz.f32", NSUB, N0),
        D1("sqrt.rn.f64", D_N0, D_N0),
        D1("sqrt.rn.f64", D_NINF, D_NAN),
        F1("rsqrt.approx.f32", NINF, CNAN),
        F1("rsqrt.approx.f32", 0xbf800000, CNAN),
        F1("rsqrt.approx.f32", N0, NINF),
        F1("rsqrt.approx.f32", 0, PINF),
        F1("rsqrt.approx.f32", PINF, 0),
        F1("rsqrt.approx.f32", QNAN, CNAN),
        F1("rsqrt.approx.ftz.f32", NSUB, NINF),
        F1("rsqrt.approx.ftz.f32", PSUB, PINF),
        D1("rsqrt.approx.f64", D_NINF, D_NAN),
        D1("rsqrt.approx.f64", D_N0, D_NINF),
        D1("rsqrt.approx.f64", D_PINF, 0),
        D1("rsqrt.approx.ftz.f64", D_NINF, D_NAN),
        D1("rsqrt.approx.ftz.f64", D_NSUB, D_NINF),
        D1("rsqrt.approx.ftz.f64", D_N0, D_NINF),
        D1("rsqrt.approx.ftz.f64", D_PSUB, D_PINF),
        D1("rsqrt.approx.ftz.f64", D_PINF, 0),
        D1("rsqrt.approx.ftz.f64", D_NAN, D_NAN),
        F1("sin.approx.f32", NINF, CNAN),
        F1("sin.approx.f32", N0, N0),
        F1("sin.approx.f32", 0, 0),
        F1("sin.approx.f32", PINF, CNAN),
        F1("sin.approx.f32", QNAN, CNAN),
        F1("sin.approx.ftz.f32", NSUB, N0),
        F1("cos.approx.f32", NINF, CNAN),
        F1("cos.approx.f32", N0, ONE),
        F1("cos.approx.f32", PINF, CNAN),
        F1("cos.approx.f32", QNAN, CNAN),
        F1("cos.approx.ftz.f32", NSUB, ONE),
        F1("lg2.approx.f32", NINF, CNAN),
        F1("lg2.approx.f32", 0xbf800000, CNAN),
        F1("lg2.approx.f32", N0, NINF),
        F1("lg2.approx.f32", 0, NINF),
        F1("lg2.approx.f32", PINF, PINF),
        F1("lg2.approx.f32", QNAN, CNAN),
        F1("lg2.approx.ftz.f32", NSUB, NINF),
        F1("lg2.approx.ftz.f32", PSUB, NINF),
        F1("ex2.approx.f32", NINF, 0),
        F1("ex2.approx.f32", N0, ONE),
        F1("ex2.approx.f32", PINF, PINF),
        F1("ex2.approx.f32", QNAN, CNAN),
        F1("ex2.approx.ftz.f32", NSUB, ONE),
        F1("ex2.approx.ftz.f32", 0xc2fe0000, 0) /* 2^-127 is flushed */,
        H1("ex2.approx.f16", 0xfc00, 0),
        H1("ex2.approx.f16", 0x8000, 0x3c00),
        H1("ex2.approx.f16", 0x7c00, 0x7c00),
        H1("ex2.approx.f16", 0x7e01, 0x7fff),
        H1("ex2.approx.ftz.bf16", 0xff80, 0),
        H1("ex2.approx.ftz.bf16", 0x8001, 0x3f80),
        H1("ex2.approx.ftz.bf16", 0x7fc1, 0x7fff),
        F1("tanh.approx.f32", NINF, 0xbf800000),
        F1("tanh.approx.f32", N0, N0),
        F1("tanh.approx.f32", PINF, ONE),
        F1("tanh.approx.f32", QNAN, CNAN),
        H1("tanh.approx.f16", 0xfc00, 0xbc00),
        H1("tanh.approx.bf16", 0x7f80, 0x3f80),
        F2("div.approx.f32", PINF, 0x7e800001, CNAN) /* beyond 2^126 */,
        F2("div.approx.f32", ONE, 0x7e800001, 0),
        F2("div.approx.f32", ONE, 0, PINF),
        F2("div.approx.ftz.f32", ONE, NSUB, NINF),
        F2("div.full.f32", 0, 0, CNAN),
        F2("div.full.ftz.f32", PSUB, ONE, 0),
        F2("div.rn.f32", 0xbf800000, 0, NINF),
        F2("div.rn.f32", PINF, PINF, CNAN),
        F2("div.rn.ftz.f32", ONE, PSUB, PINF),
        D2("div.rn.f64", D_ONE, D_N0, D_NINF),
    };
    CHECK_ROWS(t);
}

/* "If one of the inputs is NaN, the result is the other; if both are, canonical NaN; .NaN: either. +0.0 > -0.0. .xorsign.abs: of magnitudes,
 * with the XOR of the signs; none of a NaN." */
static void test_exec_special__min_max(void **state)
{
    (void)state;
    static const struct et_case t[] = {
        F2("min.f32", QNAN, ONE, ONE),
        F2("min.f32", ONE, QNAN, ONE),
        F2("min.f32", QNAN, 0xffc00000, CNAN),
        F2("min.f32", 0, N0, N0),
        F2("min.f32", N0, 0, N0),
        F2("max.f32", 0, N0, 0),
        F2("max.f32", N0, 0, 0),
        F2("max.f32", QNAN, NINF, NINF),
        F2("min.NaN.f32", QNAN, ONE, CNAN),
        F2("min.NaN.f32", ONE, QNAN, CNAN),
        F2("max.NaN.f32", PINF, QNAN, CNAN),
        F2("max.ftz.f32", PSUB, N0, 0),
        F2("min.ftz.f32", PSUB, NSUB, N0),
        F2("max.ftz.NaN.f32", NSUB, QNAN, CNAN),
        F2("min.xorsign.abs.f32", 0xc0000000, ONE, 0xbf800000),
        F2("min.xorsign.abs.f32", 0xc0000000, 0xbf800000, ONE),
        F2("max.xorsign.abs.f32", 0xc0000000, ONE, 0xc0000000),
        F2("max.xorsign.abs.f32", 0xc0000000, 0xbf800000, 0x40000000),
        F2("min.xorsign.abs.f32", 0, N0, N0),
        F2("min.xorsign.abs.f32", N0, N0, 0),
        F2("min.xorsign.abs.f32", QNAN, 0xc0000000, 0xc0000000) /* signs: + and - */,
        F2("min.xorsign.abs.f32", 0xffc00000, 0xc0000000, 0x40000000),
        F2("min.NaN.xorsign.abs.f32", 0xffc00000, ONE, CNAN),
        D2("min.f64", D_NAN, D_ONE, D_ONE),
        D2("max.f64", D_ONE, D_NAN, D_ONE),
        D2("min.f64", 0, D_N0, D_N0),
        D2("max.f64", D_N0, 0, 0),
        D2("max.f64", D_NAN, D_NAN, D_NAN),
        H2("min.f16", 0x7e01, 0x3c00, 0x3c00),
        H2("max.f16", 0x7e01, 0xfe01, 0x7fff),
        H2("min.f16", 0, 0x8000, 0x8000),
        H2("max.f16", 0x8000, 0, 0),
        H2("max.NaN.f16", 0x7e01, 0x3c00, 0x7fff),
        H2("max.ftz.f16", 0x0001, 0x8000, 0),
        H2("min.xorsign.abs.f16", 0xc000, 0x3c00, 0xbc00),
        H2("min.NaN.xorsign.abs.f16", 0xc000, 0x7e01, 0x7fff),
        H2("min.bf16", 0x7fc1, 0x3f80, 0x3f80),
        H2("max.NaN.bf16", 0x7fc1, 0x3f80, 0x7fff),
        H2("max.bf16", 0x8000, 0, 0),
        H2("max.xorsign.abs.bf16", 0xc000, 0x3f80, 0xc000),
        R2("min.f16x2", 0x7e018000, 0x3c000000, 0x3c008000),
        R2("max.NaN.f16x2", 0x7e018000, 0x3c000000, 0x7fff0000),
        R2("max.xorsign.abs.f16x2", 0xc000bc00, 0x3c00bc00, 0xc0003c00),
        R2("min.NaN.bf16x2", 0x7fc18000, 0x3f800000, 0x7fff8000),
        R2("max.relu.s32", 0xfffffff0, 0xffffffff, 0),
        R2("min.relu.s32", 5, 0xffffffff, 0),
        R2("max.s16x2.relu", 0x0005ffff, 0x0003fffe, 0x00050000),
    };
    CHECK_ROWS(t);
}

/* .ftz: of inputs and results, with the sign. .sat: to [0, 1], a NaN to +0. .relu: negative to 0, a NaN canonical. */
static void test_exec_special__arithmetic(void **state)
{
    (void)state;
    static const struct et_case t[] = {
        F2("add.f32", PINF, NINF, CNAN),
        F2("add.f32", ONE, 0xbf800000, 0),
        F2("add.rm.f32", ONE, 0xbf800000, N0),
        F2("add.f32", N0, N0, N0),
        F2("add.f32", N0, 0, 0),
        F2("add.f32", PSUB, PSUB, 2),
        F2("add.ftz.f32", PSUB, NSUB, 0),
        F2("add.ftz.f32", NSUB, NSUB, N0),
        F2("add.sat.f32", ONE, ONE, ONE),
        F2("add.sat.f32", 0xbf800000, 0, 0),
        F2("add.sat.f32", N0, N0, 0),
        F2("add.sat.f32", QNAN, 0, 0),
        F2("sub.sat.f32", PINF, PINF, 0),
        F2("add.rz.f32", MAXF, MAXF, MAXF),
        F2("add.rn.f32", MAXF, MAXF, PINF),
        F2("mul.f32", PINF, 0, CNAN),
        F2("mul.f32", N0, ONE, N0),
        F2("mul.ftz.f32", PSUB, PINF, CNAN) /* 0 * Inf */,
        F2("mul.ftz.f32", 0x00800000, 0x3f000000, 0),
        F2("mul.rp.f32", PSUB, PSUB, PSUB),
        F2("mul.sat.f32", NINF, 0, 0),
        F3("fma.rn.f32", PINF, 0, ONE, CNAN),
        F3("fma.rn.f32", PINF, ONE, NINF, CNAN),
        F3("fma.rn.f32", ONE, ONE, QNAN, CNAN),
        F3("fma.rn.f32", N0, ONE, N0, N0),
        F3("fma.rn.f32", N0, ONE, 0, 0),
        F3("fma.rn.ftz.f32", PSUB, PINF, ONE, CNAN),
        F3("fma.rn.ftz.f32", ONE, ONE, NSUB, ONE),
        F3("fma.rn.ftz.f32", 0x00800000, 0xbf000000, 0, N0),
        F3("fma.rn.sat.f32", PINF, 0, ONE, 0),
        F3("fma.rn.sat.f32", ONE, ONE, ONE, ONE),
        F3("fma.rn.sat.f32", ONE, 0xbf800000, 0, 0),
        F3("fma.rn.ftz.sat.f32", PSUB, ONE, 0, 0),
        H2("add.f16", 0x7c00, 0xfc00, 0x7fff),
        H2("add.ftz.f16", 0x8001, 0x8001, 0x8000),
        H2("add.sat.f16", 0x7e00, 0, 0),
        H2("add.sat.f16", 0x3c00, 0x3c00, 0x3c00),
        H2("mul.f16", 0x7bff, 0x7bff, 0x7c00),
        H2("mul.ftz.f16", 0x0001, 0x7c00, 0x7fff),
        H2("sub.sat.f16", 0x3c00, 0x4000, 0),
        H2("add.rn.bf16", 0x7f80, 0xff80, 0x7fff),
        H2("mul.rn.bf16", 0x7f7f, 0x7f7f, 0x7f80),
        H3("fma.rn.f16", 0x7c00, 0, 0x3c00, 0x7fff),
        H3("fma.rn.ftz.f16", 0x0001, 0x3c00, 0, 0),
        H3("fma.rn.sat.f16", 0x7c00, 0, 0x3c00, 0),
        H3("fma.rn.sat.f16", 0x4000, 0x3c00, 0, 0x3c00),
        H3("fma.rn.relu.f16", 0x3c00, 0xbc00, 0, 0),
        H3("fma.rn.relu.f16", 0x7e01, 0xbc00, 0, 0x7fff),
        H3("fma.rn.relu.f16", 0x3c00, 0x3c00, 0x3c00, 0x4000),
        H3("fma.rn.bf16", 0x7f80, 0, 0x3f80, 0x7fff),
        H3("fma.rn.relu.bf16", 0x3f80, 0xbf80, 0, 0),
        H3("fma.rn.relu.bf16", 0x7fc1, 0xbf80, 0, 0x7fff),
        R3("fma.rn.relu.f16x2", 0x3c007e01, 0xbc003c00, 0, 0x00007fff),
        R3("fma.rn.sat.f16x2", 0x4000fc00, 0x3c003c00, 0, 0x3c000000),
        R3("fma.rn.relu.bf16x2", 0x3f807fc1, 0xbf803f80, 0, 0x00007fff),
        F1("abs.ftz.f32", NSUB, 0),
        F1("abs.f32", N0, 0),
        F1("neg.ftz.f32", PSUB, N0),
        F1("neg.f32", 0, N0),
        H1("abs.ftz.f16", 0x8001, 0),
        H1("neg.ftz.f16", 0x0001, 0x8000),
        R3("mad.hi.sat.s32", 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff),
        R2("add.sat.s32", 0x80000000, 0xffffffff, 0x80000000),
        R2("sub.sat.s32", 0x7fffffff, 0xffffffff, 0x7fffffff),
    };
    CHECK_ROWS(t);
}

/* setp, set and testp with NaN: ordered comparisons are false, unordered ones true. */
static void test_exec_special__comparisons(void **state)
{
    (void)state;
#define P2(op, a, b, want)                       \
    {                                            \
        op " %p0, %f1, %f2;", "p0", {a, b}, want \
    }
#define PH2(op, a, b, want)                      \
    {                                            \
        op " %p0, %h1, %h2;", "p0", {a, b}, want \
    }
#define TESTP(what, a, want)                            \
    {                                                   \
        "testp." what ".f32 %p0, %f1;", "p0", {a}, want \
    }
    static const struct et_case t[] = {
        P2("setp.eq.f32", QNAN, QNAN, 0),
        P2("setp.ne.f32", QNAN, ONE, 0),
        P2("setp.lt.f32", QNAN, ONE, 0),
        P2("setp.ge.f32", ONE, QNAN, 0),
        P2("setp.equ.f32", QNAN, ONE, 1),
        P2("setp.neu.f32", QNAN, QNAN, 1),
        P2("setp.ltu.f32", QNAN, ONE, 1),
        P2("setp.leu.f32", ONE, QNAN, 1),
        P2("setp.gtu.f32", QNAN, ONE, 1),
        P2("setp.geu.f32", ONE, QNAN, 1),
        P2("setp.num.f32", ONE, QNAN, 0),
        P2("setp.num.f32", ONE, PINF, 1),
        P2("setp.nan.f32", ONE, QNAN, 1),
        P2("setp.nan.f32", ONE, ONE, 0),
        P2("setp.eq.f32", 0, N0, 1),
        P2("setp.lt.f32", N0, 0, 0),
        P2("setp.gt.f32", PSUB, 0, 1),
        P2("setp.gt.ftz.f32", PSUB, 0, 0),
        P2("setp.eq.ftz.f32", PSUB, NSUB, 1),
        PH2("setp.ne.f16", 0x7e01, 0x3c00, 0),
        PH2("setp.neu.f16", 0x7e01, 0x3c00, 1),
        PH2("setp.gt.ftz.f16", 0x0001, 0, 0),
        PH2("setp.eq.bf16", 0x8000, 0, 1),
        PH2("setp.nan.bf16", 0x7fc1, 0, 1),
        {"set.lt.u32.f32 %r0, %f1, %f2;", "r0", {QNAN, ONE}, 0},
        {"set.ltu.u32.f32 %r0, %f1, %f2;", "r0", {QNAN, ONE}, 0xffffffff},
        {"set.ltu.f32.f32 %f0, %f1, %f2;", "f0", {QNAN, ONE}, ONE},
        {"slct.u32.f32 %r0, %r1, %r2, %f3;", "r0", {1, 2, QNAN}, 2},
        {"slct.u32.f32 %r0, %r1, %r2, %f3;", "r0", {1, 2, N0}, 1},
        {"slct.u32.f32 %r0, %r1, %r2, %f3;", "r0", {1, 2, NSUB}, 2},
        {"slct.ftz.u32.f32 %r0, %r1, %r2, %f3;", "r0", {1, 2, NSUB}, 1},
        TESTP("finite", PINF, 0),
        TESTP("finite", PSUB, 1),
        TESTP("infinite", NINF, 1),
        TESTP("infinite", QNAN, 0),
        TESTP("number", PINF, 1),
        TESTP("number", QNAN, 0),
        TESTP("notanumber", QNAN, 1),
        TESTP("normal", 0, 1) /* "zero is considered a normal number" */,
        TESTP("normal", PSUB, 0),
        TESTP("normal", PINF, 0),
        TESTP("subnormal", NSUB, 1),
        TESTP("subnormal", 0, 0),
    };
    CHECK_ROWS(t);
}

/* NaN to integer: "zero if source is not .f64 and destination is not .s64, .u64; otherwise 1 << (BitWidth(dst) - 1)". A result in a wider
 * register is extended by its type's sign. */
static void test_exec_special__nan_to_integer(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t bits;
        bool is_signed;
    } to[] = {{"u8", 8, false},   {"s8", 8, true},   {"u16", 16, false}, {"s16", 16, true},
              {"u32", 32, false}, {"s32", 32, true}, {"u64", 64, false}, {"s64", 64, true}};
    static const struct {
        const char *name, *reg;
        uint64_t nan[2];
    } from[] = {{"f16", "h1", {0x7e00, 0xfc01}},
                {"bf16", "h1", {0x7fc0, 0xff81}},
                {"f32", "f1", {QNAN, 0xff800001}},
                {"f64", "d1", {D_NAN, UINT64_MAX}}};
    static const char *const rounding[] = {"rni", "rzi", "rmi", "rpi", "rzi.sat"};
    uint32_t rows = 0;
    for (uint32_t i = 0; i < 8 * 4 * 5 * 2; i++, rows++) {
        const uint32_t t = i % 8, f = i / 8 % 4, r = i / 32 % 5;
        const bool wide = to[t].bits == 64;
        char text[80];
        snprintf(text, sizeof text, "cvt.%s.%s.%s %%%s0, %%%s;", rounding[r], to[t].name, from[f].name, wide ? "l" : "r", from[f].reg);
        uint64_t want = f == 3 || wide ? UINT64_C(1) << (to[t].bits - 1) : 0;
        if (to[t].is_signed && want != 0 && !wide)
            want = (uint32_t)(0 - want);
        et_check(&(struct et_case){text, wide ? "l0" : "r0", {from[f].nan[i / 160]}, want});
    }
    printf("%u rows\n", rows);
}

#define TO(op, d, s, a, want)                     \
    {                                             \
        op " %" d "0, %" s "1;", d "0", {a}, want \
    }

/* To an integer: rounded as named, then clamped. */
static void test_exec_special__float_to_integer(void **state)
{
    (void)state;
    static const struct et_case t[] = {
        TO("cvt.rzi.s32.f32", "r", "f", PINF, 0x7fffffff),
        TO("cvt.rzi.s32.f32", "r", "f", NINF, 0x80000000),
        TO("cvt.rzi.u32.f32", "r", "f", PINF, 0xffffffff),
        TO("cvt.rzi.u32.f32", "r", "f", NINF, 0),
        TO("cvt.rzi.u32.f32", "r", "f", 0xbf800000, 0),
        TO("cvt.rzi.s64.f32", "l", "f", PINF, TOP64 - 1),
        TO("cvt.rzi.s64.f32", "l", "f", NINF, TOP64),
        TO("cvt.rzi.u64.f32", "l", "f", PINF, UINT64_MAX),
        TO("cvt.rzi.u64.f64", "l", "d", D_NINF, 0),
        TO("cvt.rzi.s8.f32", "r", "f", 0x43800000, 0x7f),
        TO("cvt.rzi.s8.f32", "r", "f", 0xc3800000, 0xffffff80),
        TO("cvt.rzi.u8.f32", "r", "f", 0x43800000, 0xff),
        TO("cvt.rzi.s16.f64", "r", "d", 0x4110000000000000, 0x7fff),
        TO("cvt.rni.s32.f32", "r", "f", 0x3f000000, 0) /* .5 */,
        TO("cvt.rni.s32.f32", "r", "f", 0x3fc00000, 2) /* 1.5 */,
        TO("cvt.rni.s32.f32", "r", "f", 0xc0200000, 0xfffffffe) /* -2.5 */,
        TO("cvt.rmi.s32.f32", "r", "f", 0xbf000000, 0xffffffff),
        TO("cvt.rpi.s32.f32", "r", "f", 0xbf000000, 0),
        TO("cvt.rpi.s32.f32", "r", "f", PSUB, 1),
        TO("cvt.rpi.ftz.s32.f32", "r", "f", PSUB, 0),
        TO("cvt.rmi.s32.f32", "r", "f", NSUB, 0xffffffff),
        TO("cvt.rmi.ftz.s32.f32", "r", "f", NSUB, 0),
        TO("cvt.rmi.s64.f64", "l", "d", D_NSUB, UINT64_MAX),
        TO("cvt.rzi.s32.f16", "r", "h", 0x7c00, 0x7fffffff),
        TO("cvt.rzi.u16.f16", "r", "h", 0xfc00, 0),
        TO("cvt.rzi.s64.f16", "l", "h", 0xfc00, TOP64),
        TO("cvt.rpi.s32.f16", "r", "h", 0x0001, 1),
        TO("cvt.rzi.s32.bf16", "r", "h", 0x7f80, 0x7fffffff),
        TO("cvt.sat.u8.s32", "r", "r", 0xffffffff, 0),
        TO("cvt.sat.u8.s32", "r", "r", 256, 255),
        TO("cvt.sat.s8.u32", "r", "r", 0xffffffff, 127),
        TO("cvt.sat.s32.u64", "r", "l", UINT64_MAX, 0x7fffffff),
        TO("cvt.sat.u64.s32", "l", "r", 0xffffffff, 0),
        TO("cvt.u8.u32", "r", "r", 0x1ff, 0xff),
    };
    CHECK_ROWS(t);
}

/* To a float: NaN, Inf, overflow by rounding, subnormals, .ftz, .sat, .relu, .satfinite. */
static void test_exec_special__to_float(void **state)
{
    (void)state;
    static const struct et_case t[] = {
        TO("cvt.rn.f32.f64", "f", "d", D_NAN, CNAN),
        TO("cvt.rn.f32.f64", "f", "d", D_NINF, NINF),
        TO("cvt.rn.f32.f64", "f", "d", D_N0, N0),
        TO("cvt.rn.f32.f64", "f", "d", 0x7fefffffffffffff, PINF),
        TO("cvt.rz.f32.f64", "f", "d", 0x7fefffffffffffff, MAXF),
        TO("cvt.rp.f32.f64", "f", "d", 0xffefffffffffffff, 0xff7fffff),
        TO("cvt.rm.f32.f64", "f", "d", 0xffefffffffffffff, NINF),
        TO("cvt.rp.f32.f64", "f", "d", 1, PSUB),
        TO("cvt.rp.ftz.f32.f64", "f", "d", 1, 0),
        TO("cvt.rn.ftz.f32.f64", "f", "d", 0xb800000000000000, N0) /* -2^-127 */,
        TO("cvt.rn.sat.f32.f64", "f", "d", D_NAN, 0),
        TO("cvt.rn.sat.f32.f64", "f", "d", D_NINF, 0),
        TO("cvt.rn.sat.f32.f64", "f", "d", D_PINF, ONE),
        TO("cvt.rn.sat.f32.f64", "f", "d", D_N0, 0),
        TO("cvt.f64.f32", "d", "f", QNAN, D_NAN),
        TO("cvt.f64.f32", "d", "f", NSUB, 0xb6a0000000000000),
        TO("cvt.ftz.f64.f32", "d", "f", NSUB, D_N0),
        TO("cvt.sat.f64.f32", "d", "f", QNAN, 0),
        TO("cvt.sat.f64.f32", "d", "f", PINF, D_ONE),
        TO("cvt.rni.f32.f32", "f", "f", 0x3f000000, 0),
        TO("cvt.rni.f32.f32", "f", "f", 0xbf000000, N0),
        TO("cvt.rpi.f32.f32", "f", "f", 0xbf000000, N0),
        TO("cvt.rmi.f32.f32", "f", "f", NSUB, 0xbf800000),
        TO("cvt.rmi.ftz.f32.f32", "f", "f", NSUB, N0),
        TO("cvt.rzi.f32.f32", "f", "f", PINF, PINF),
        TO("cvt.rzi.f32.f32", "f", "f", QNAN, CNAN),
        TO("cvt.rni.sat.f32.f32", "f", "f", 0x40200000, ONE),
        TO("cvt.sat.f32.f32", "f", "f", QNAN, 0),
        TO("cvt.sat.f32.f32", "f", "f", N0, 0),
        TO("cvt.ftz.f32.f32", "f", "f", NSUB, N0),
        TO("cvt.rmi.f64.f64", "d", "d", D_NSUB, 0xbff0000000000000),
        TO("cvt.rpi.f64.f64", "d", "d", D_NSUB, D_N0),
        TO("cvt.sat.f64.f64", "d", "d", D_NAN, 0),
        TO("cvt.rn.f16.f32", "h", "f", QNAN, 0x7fff),
        TO("cvt.rn.f16.f32", "h", "f", 0x477ff000, 0x7c00) /* 65520 */,
        TO("cvt.rz.f16.f32", "h", "f", 0x477ff000, 0x7bff),
        TO("cvt.rz.f16.f32", "h", "f", PINF, 0x7c00),
        TO("cvt.rn.f16.f32", "h", "f", NSUB, 0x8000),
        TO("cvt.rn.f16.f32", "h", "f", 0x33800000, 1) /* 2^-24 stays */,
        TO("cvt.rn.sat.f16.f32", "h", "f", QNAN, 0),
        TO("cvt.rn.sat.f16.f32", "h", "f", 0x40000000, 0x3c00),
        TO("cvt.rn.relu.f16.f32", "h", "f", 0xc0000000, 0),
        TO("cvt.rn.relu.f16.f32", "h", "f", QNAN, 0x7fff),
        TO("cvt.rn.satfinite.f16.f32", "h", "f", PINF, 0x7bff),
        TO("cvt.rn.satfinite.f16.f32", "h", "f", 0xc7800000, 0xfbff),
        TO("cvt.rn.satfinite.f16.f32", "h", "f", QNAN, 0x7fff),
        TO("cvt.rn.bf16.f32", "h", "f", MAXF, 0x7f80),
        TO("cvt.rz.bf16.f32", "h", "f", MAXF, 0x7f7f),
        TO("cvt.rn.bf16.f32", "h", "f", QNAN, 0x7fff),
        TO("cvt.rn.relu.bf16.f32", "h", "f", NINF, 0),
        TO("cvt.rn.satfinite.bf16.f32", "h", "f", NINF, 0xff7f),
        TO("cvt.f32.f16", "f", "h", 0x7e01, CNAN),
        TO("cvt.f32.f16", "f", "h", 0xfc00, NINF),
        TO("cvt.f32.f16", "f", "h", 0x8001, 0xb3800000),
        TO("cvt.f32.bf16", "f", "h", 0x8001, 0x80010000),
        TO("cvt.rni.f16.f16", "h", "h", 0xb800, 0x8000) /* -.5 */,
        TO("cvt.sat.f16.f16", "h", "h", 0x7e01, 0),
        TO("cvt.rna.tf32.f32", "r", "f", PINF, PINF),
        TO("cvt.rn.relu.tf32.f32", "r", "f", NINF, 0),
        TO("cvt.rn.f32.s32", "f", "r", 0x01000001, 0x4b800000),
        TO("cvt.rp.f32.s32", "f", "r", 0x01000001, 0x4b800001),
        TO("cvt.rm.f32.s32", "f", "r", 0xfeffffff, 0xcb800001),
        TO("cvt.rn.f32.u64", "f", "l", UINT64_MAX, 0x5f800000),
        TO("cvt.rz.f32.u64", "f", "l", UINT64_MAX, 0x5f7fffff),
        TO("cvt.rn.sat.f32.s32", "f", "r", 0xffffffff, 0),
        TO("cvt.rn.f16.s32", "h", "r", 65520, 0x7c00),
        TO("cvt.rz.f16.u32", "h", "r", 0xffffffff, 0x7bff),
        {"cvt.rn.satfinite.e4m3x2.f32 %h0, %f1, %f2;", "h0", {QNAN, PINF}, 0x7f7e},
        {"cvt.rn.satfinite.e5m2x2.f32 %h0, %f1, %f2;", "h0", {NINF, QNAN}, 0xfb7f},
        {"cvt.rn.satfinite.relu.e4m3x2.f32 %h0, %f1, %f2;", "h0", {NINF, ONE}, 0x0038},
        {"cvt.rn.f16x2.e4m3x2 %r0, %h1;", "r0", {0x7f7e}, 0x7fff5f00},
        {"cvt.rn.f16x2.e5m2x2 %r0, %h1;", "r0", {0xfc7f}, 0xfc007fff},
        {"cvt.rn.relu.f16x2.f32 %r0, %f1, %f2;", "r0", {NINF, QNAN}, 0x00007fff},
        {"cvt.rn.bf16x2.f32 %r0, %f1, %f2;", "r0", {MAXF, NSUB}, 0x7f808000},
        {"cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;", "r0", {0xffffffff, 300, 0x1234}, 0x123400ff},
    };
    CHECK_ROWS(t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_exec_special__functions),      cmocka_unit_test(test_exec_special__min_max),
    cmocka_unit_test(test_exec_special__arithmetic),     cmocka_unit_test(test_exec_special__comparisons),
    cmocka_unit_test(test_exec_special__nan_to_integer), cmocka_unit_test(test_exec_special__float_to_integer),
    cmocka_unit_test(test_exec_special__to_float),
};

CW_TEST_MAIN(tests)
