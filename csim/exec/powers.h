/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 2^x and log2(x) of a float, in double precision: arithmetic alone, so that a compiler makes vectors of a loop over lanes, and results do not
 * depend on the host's C library. Rounded to a float they are what glibc's exp2() and log2() give, for each of the 2^32 floats
 * (test_exec_isa; COWARP_EVERY_FLOAT=1 takes them all). Not for doubles: errors are some units in the 53rd bit.
 *
 * Private to: lane.h.
 */
#ifndef CW_EXEC_POWERS_H
#define CW_EXEC_POWERS_H

#include "exec/fp.h"

/* With x = n + f, |f| <= 1/2, it is 2^n times the Taylor series of 2^f, whose first term left out is below 2^-59. Beyond 2^200 and 2^-200 a float is infinite or 0. */
static inline __attribute__((always_inline)) double cw_exp2_of_float(double x)
{
    const double to_integer = 0x1.8p52; /* Behind this sum the lowest bits are a whole number, rounded. */
    double y = x < -200.0 ? -200.0 : x;
    y = y > 200.0 ? 200.0 : y;
    const double n = y + to_integer, f = y - (n - to_integer), f2 = f * f, f4 = f2 * f2, f8 = f4 * f4;
    const double a = 0x1.62e42fefa39efp-1 + f * 0x1.ebfbdff82c58fp-3, b = 0x1.c6b08d704a0cp-5 + f * 0x1.3b2ab6fba4e77p-7;
    const double c = 0x1.5d87fe78a6731p-10 + f * 0x1.430912f86c787p-13, d = 0x1.ffcbfc588b0c7p-17 + f * 0x1.62c0223a5c824p-20;
    const double e = 0x1.b5253d395e7c4p-24 + f * 0x1.e4cf5158b8ecap-28, g = 0x1.e8cac7351bb25p-32 + f * 0x1.c3bd650fc2986p-36;
    const double p = 1.0 + f * ((a + f2 * b) + f4 * (c + f2 * d) + f8 * (e + f2 * g));
    return cw_f64_of(cw_f64_raw(p) + (cw_f64_raw(n) << 52));
}

/* With x = 2^k m, m from sqrt(1/2) to sqrt(2), and s = (m - 1) / (m + 1), log2(m) = 2 / ln 2 (s + s^3 / 3 + s^5 / 5 + ...), s^2 < 0.03. */
static inline __attribute__((always_inline)) double cw_log2_of_float(double x)
{
    const uint64_t bits = cw_f64_raw(x), above = bits - UINT64_C(0x3fe6a09e667f3bcd);
    /* What lies above sqrt(1/2) has k in the place of the exponent. */
    const double k = cw_f64_of(UINT64_C(0x4330000000000000) | ((above >> 52) ^ 0x800)) - (0x1p52 + 2048.0);
    const double m = cw_f64_of(bits - (above & UINT64_C(0xfff0000000000000)));
    const double s = (m - 1.0) / (m + 1.0), z = s * s, z2 = z * z, z4 = z2 * z2;
    const double a = 0x1.ec709dc3a03fdp-1 + z * 0x1.2776c50ef9bfep-1, b = 0x1.a61762a7aded9p-2 + z * 0x1.484b13d7c02a9p-2;
    const double c = 0x1.0c9a84994022dp-2 + z * 0x1.c68f568d31760p-3, d = 0x1.89f3b1694cffep-3 + z * 0x1.5b9ac9b743f0dp-3;
    const double e = 0x1.3703c1f4d0ffep-3 + z * 0x1.1964ec6fc9491p-3;
    const double p = 0x1.71547652b82fep+1 + z * ((a + z2 * b) + z4 * (c + z2 * d) + z4 * z4 * e);
    const double sum = k + s * p;
    const double finite = x == HUGE_VAL ? HUGE_VAL : sum, defined = x == 0.0 ? -HUGE_VAL : cw_f64_of(CW_NAN_F64);
    return x > 0.0 ? finite : defined;
}

#endif
