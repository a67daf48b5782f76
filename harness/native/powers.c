/* SPDX-License-Identifier: Apache-2.0 */
/* 2^x and log2(x) of numbers in double precision, which were floats: step by step as csim/exec/powers.h, which says why. */
#include "emit.h"
#include "exec/fp.h"

static cw_value real(const struct cw_native_emit *e, double n)
{
    return LLVMConstBitCast(cw_native_number(e, e->t.v64, cw_f64_raw(n)), e->t.f64);
}

static cw_value bits(const struct cw_native_emit *e, cw_value v)
{
    return LLVMBuildBitCast(e->b, v, e->t.v64, "");
}

static cw_value add(const struct cw_native_emit *e, cw_value a, cw_value b)
{
    return LLVMBuildFAdd(e->b, a, b, "");
}

static cw_value times(const struct cw_native_emit *e, cw_value a, cw_value b)
{
    return LLVMBuildFMul(e->b, a, b, "");
}

/* a + x b, of numbers. */
static cw_value line(const struct cw_native_emit *e, double a, cw_value x, double b)
{
    return add(e, real(e, a), times(e, x, real(e, b)));
}

static cw_value where(const struct cw_native_emit *e, LLVMRealPredicate p, cw_value x, double limit, cw_value yes, cw_value no)
{
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, p, x, real(e, limit), ""), yes, no, "");
}

cw_value cw_native_exp2(struct cw_native_emit *e, cw_value x)
{
    const cw_value to_integer = real(e, 0x1.8p52);
    cw_value y = where(e, LLVMRealOLT, x, -200.0, real(e, -200.0), x);
    y = where(e, LLVMRealOGT, y, 200.0, real(e, 200.0), y);
    cw_value n = add(e, y, to_integer), f = LLVMBuildFSub(e->b, y, LLVMBuildFSub(e->b, n, to_integer, ""), "");
    cw_value f2 = times(e, f, f), f4 = times(e, f2, f2), f8 = times(e, f4, f4);
    cw_value a = line(e, 0x1.62e42fefa39efp-1, f, 0x1.ebfbdff82c58fp-3), b = line(e, 0x1.c6b08d704a0cp-5, f, 0x1.3b2ab6fba4e77p-7);
    cw_value c = line(e, 0x1.5d87fe78a6731p-10, f, 0x1.430912f86c787p-13), d = line(e, 0x1.ffcbfc588b0c7p-17, f, 0x1.62c0223a5c824p-20);
    cw_value g = line(e, 0x1.b5253d395e7c4p-24, f, 0x1.e4cf5158b8ecap-28), h = line(e, 0x1.e8cac7351bb25p-32, f, 0x1.c3bd650fc2986p-36);
    cw_value low = add(e, a, times(e, f2, b)), middle = times(e, f4, add(e, c, times(e, f2, d)));
    cw_value high = times(e, f8, add(e, g, times(e, f2, h)));
    cw_value p = add(e, real(e, 1.0), times(e, f, add(e, add(e, low, middle), high)));
    cw_value shifted = LLVMBuildShl(e->b, bits(e, n), cw_native_number(e, e->t.v64, 52), "");
    return LLVMBuildBitCast(e->b, LLVMBuildAdd(e->b, bits(e, p), shifted, ""), e->t.f64, "");
}

/* x is m 2^k, m from sqrt(1/2) to sqrt(2). Returns k. */
static cw_value split(struct cw_native_emit *e, cw_value x, cw_value *m)
{
    cw_value above = LLVMBuildSub(e->b, bits(e, x), cw_native_number(e, e->t.v64, UINT64_C(0x3fe6a09e667f3bcd)), "");
    cw_value k = LLVMBuildLShr(e->b, above, cw_native_number(e, e->t.v64, 52), "");
    k = LLVMBuildXor(e->b, k, cw_native_number(e, e->t.v64, 0x800), "");
    k = LLVMBuildOr(e->b, k, cw_native_number(e, e->t.v64, UINT64_C(0x4330000000000000)), "");
    cw_value whole = LLVMBuildAnd(e->b, above, cw_native_number(e, e->t.v64, UINT64_C(0xfff0000000000000)), "");
    *m = LLVMBuildBitCast(e->b, LLVMBuildSub(e->b, bits(e, x), whole, ""), e->t.f64, "");
    return LLVMBuildFSub(e->b, LLVMBuildBitCast(e->b, k, e->t.f64, ""), real(e, 0x1p52 + 2048.0), "");
}

cw_value cw_native_log2(struct cw_native_emit *e, cw_value x)
{
    cw_value m, k = split(e, x, &m), unit = real(e, 1.0);
    cw_value s = LLVMBuildFDiv(e->b, LLVMBuildFSub(e->b, m, unit, ""), add(e, m, unit), "");
    cw_value z = times(e, s, s), z2 = times(e, z, z), z4 = times(e, z2, z2);
    cw_value a = line(e, 0x1.ec709dc3a03fdp-1, z, 0x1.2776c50ef9bfep-1), b = line(e, 0x1.a61762a7aded9p-2, z, 0x1.484b13d7c02a9p-2);
    cw_value c = line(e, 0x1.0c9a84994022dp-2, z, 0x1.c68f568d31760p-3), d = line(e, 0x1.89f3b1694cffep-3, z, 0x1.5b9ac9b743f0dp-3);
    cw_value g = line(e, 0x1.3703c1f4d0ffep-3, z, 0x1.1964ec6fc9491p-3);
    cw_value low = add(e, a, times(e, z2, b)), middle = times(e, z4, add(e, c, times(e, z2, d)));
    cw_value sum = add(e, add(e, low, middle), times(e, times(e, z4, z4), g));
    cw_value p = add(e, real(e, 0x1.71547652b82fep+1), times(e, z, sum));
    cw_value finite = where(e, LLVMRealOEQ, x, HUGE_VAL, real(e, HUGE_VAL), add(e, k, times(e, s, p)));
    cw_value defined = where(e, LLVMRealOEQ, x, 0.0, real(e, -HUGE_VAL), real(e, cw_f64_of(CW_NAN_F64)));
    return where(e, LLVMRealOGT, x, 0.0, finite, defined);
}
