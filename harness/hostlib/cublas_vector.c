/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS, level 1: vectors. */
#include <math.h>

#include "hostlib/cublas_call.h"

#define TWO_VECTORS(xw, yw)                                                                        \
    struct cw_operand o[2] = {{(void *)(uintptr_t)x, cw_vector_bytes(n, incx, sizeof *x), xw, 0},  \
                              {(void *)(uintptr_t)y, cw_vector_bytes(n, incy, sizeof *y), yw, 0}}; \
    BEGIN(false)
#define ONE_VECTOR(xw)                                                                             \
    struct cw_operand o[1] = {{(void *)(uintptr_t)x, cw_vector_bytes(n, incx, sizeof *x), xw, 0}}; \
    BEGIN(false)

/* U: the letter of cuBLAS, l: of CBLAS, T: element, A: what CBLAS takes as scalar, P: how */
#define AXPY(U, l, T, A, P)                                                                                            \
    int cublas##U##axpy_v2(const struct cublas_handle *h, int n, const T *alpha, const T *x, int incx, T *y, int incy) \
    {                                                                                                                  \
        typedef void call(int, A, const void *, int, void *, int);                                                     \
        T a;                                                                                                           \
        TWO_VECTORS(false, true);                                                                                      \
        SCALAR(a, alpha);                                                                                              \
        FETCH("cblas_" #l "axpy");                                                                                     \
        f(n, P(a), o[0].host, incx, o[1].host, incy);                                                                  \
        return PUT();                                                                                                  \
    }
AXPY(S, s, float, float, BY_VALUE)
AXPY(D, d, double, double, BY_VALUE)
AXPY(C, c, cw_c32, const void *, BY_ADDRESS)
AXPY(Z, z, cw_c64, const void *, BY_ADDRESS)

/* S: type of the scalar */
#define SCAL(U, l, T, S, A, P)                                                                   \
    int cublas##U##scal_v2(const struct cublas_handle *h, int n, const S *alpha, T *x, int incx) \
    {                                                                                            \
        typedef void call(int, A, void *, int);                                                  \
        S a;                                                                                     \
        ONE_VECTOR(true);                                                                        \
        SCALAR(a, alpha);                                                                        \
        FETCH("cblas_" #l "scal");                                                               \
        f(n, P(a), o[0].host, incx);                                                             \
        return PUT();                                                                            \
    }
SCAL(S, s, float, float, float, BY_VALUE)
SCAL(D, d, double, double, double, BY_VALUE)
SCAL(C, c, cw_c32, cw_c32, const void *, BY_ADDRESS)
SCAL(Z, z, cw_c64, cw_c64, const void *, BY_ADDRESS)
SCAL(Cs, cs, cw_c32, float, float, BY_VALUE)
SCAL(Zd, zd, cw_c64, double, double, BY_VALUE)

#define MOVE(U, l, T, what, xw)                                                                    \
    int cublas##U##what##_v2(const struct cublas_handle *h, int n, T *x, int incx, T *y, int incy) \
    {                                                                                              \
        typedef void call(int, void *, int, void *, int);                                          \
        TWO_VECTORS(xw, true);                                                                     \
        FETCH("cblas_" #l #what);                                                                  \
        f(n, o[0].host, incx, o[1].host, incy);                                                    \
        return PUT();                                                                              \
    }
MOVE(S, s, float, copy, false)
MOVE(D, d, double, copy, false)
MOVE(C, c, cw_c32, copy, false)
MOVE(Z, z, cw_c64, copy, false)
MOVE(S, s, float, swap, true)
MOVE(D, d, double, swap, true)
MOVE(C, c, cw_c32, swap, true)
MOVE(Z, z, cw_c64, swap, true)

/* A long sum in float stops to grow, which a card's sum of many threads does not: it is made of short ones, in double. */
#define PART          256
#define PART_OF(n, i) ((n) - (i) < PART ? (n) - (i) : PART)

/* Two vectors to a number: real ones return it, complex ones write it. A step below 0 begins at the end, so such vectors stay whole. */
#define DOT(U, l, T)                                                                                                   \
    int cublas##U##dot_v2(const struct cublas_handle *h, int n, const T *x, int incx, const T *y, int incy, T *result) \
    {                                                                                                                  \
        typedef T call(int, const void *, int, const void *, int);                                                     \
        TWO_VECTORS(false, false);                                                                                     \
        FETCH("cblas_" #l "dot");                                                                                      \
        const T *u = o[0].host, *v = o[1].host;                                                                        \
        double sum = 0;                                                                                                \
        if (incx < 0 || incy < 0)                                                                                      \
            sum = (double)f(n, u, incx, v, incy);                                                                      \
        for (int i = 0; incx >= 0 && incy >= 0 && i < n; i += PART_OF(n, i))                                           \
            sum += (double)f(PART_OF(n, i), u + (size_t)i * (size_t)incx, incx, v + (size_t)i * (size_t)incy, incy);   \
        const T r = (T)sum;                                                                                            \
        status = PUT();                                                                                                \
        return status == CUBLAS_OK ? cw_cublas_result(h, result, &r, sizeof r) : status;                               \
    }
DOT(S, s, float)
DOT(D, d, double)

#define DOT_COMPLEX(U, l, T, kind)                                                                                             \
    int cublas##U##dot##kind##_v2(const struct cublas_handle *h, int n, const T *x, int incx, const T *y, int incy, T *result) \
    {                                                                                                                          \
        typedef void call(int, const void *, int, const void *, int, void *);                                                  \
        T r;                                                                                                                   \
        TWO_VECTORS(false, false);                                                                                             \
        FETCH("cblas_" #l "dot" #kind "_sub");                                                                                 \
        f(n, o[0].host, incx, o[1].host, incy, &r);                                                                            \
        status = PUT();                                                                                                        \
        return status == CUBLAS_OK ? cw_cublas_result(h, result, &r, sizeof r) : status;                                       \
    }
DOT_COMPLEX(C, c, cw_c32, u)
DOT_COMPLEX(C, c, cw_c32, c)
DOT_COMPLEX(Z, z, cw_c64, u)
DOT_COMPLEX(Z, z, cw_c64, c)

static double add(double a, double b)
{
    return a + b;
}

/* One vector to a number. CUDA's increments are positive here; otherwise the result is 0. */
#define NORM(U, l, T, R, what, join)                                                                \
    int cublas##U##what##_v2(const struct cublas_handle *h, int n, const T *x, int incx, R *result) \
    {                                                                                               \
        typedef R call(int, const void *, int);                                                     \
        ONE_VECTOR(false);                                                                          \
        FETCH("cblas_" #l #what);                                                                   \
        const T *u = o[0].host;                                                                     \
        double all = 0;                                                                             \
        for (int i = 0; incx > 0 && i < n; i += PART_OF(n, i))                                      \
            all = join(all, (double)f(PART_OF(n, i), u + (size_t)i * (size_t)incx, incx));          \
        const R r = (R)all;                                                                         \
        status = PUT();                                                                             \
        return status == CUBLAS_OK ? cw_cublas_result(h, result, &r, sizeof r) : status;            \
    }
NORM(S, s, float, float, nrm2, hypot)
NORM(D, d, double, double, nrm2, hypot)
NORM(Sc, sc, cw_c32, float, nrm2, hypot)
NORM(Dz, dz, cw_c64, double, nrm2, hypot)
NORM(S, s, float, float, asum, add)
NORM(D, d, double, double, asum, add)
NORM(Sc, sc, cw_c32, float, asum, add)
NORM(Dz, dz, cw_c64, double, asum, add)

/* The place of the largest magnitude, counted from 1; 0: there is none. */
#define IAMAX(U, l, T)                                                                               \
    int cublasI##l##amax_v2(const struct cublas_handle *h, int n, const T *x, int incx, int *result) \
    {                                                                                                \
        typedef size_t call(int, const void *, int);                                                 \
        ONE_VECTOR(false);                                                                           \
        FETCH("cblas_i" #l "amax");                                                                  \
        const int r = n > 0 && incx > 0 ? (int)f(n, o[0].host, incx) + 1 : 0;                        \
        status = PUT();                                                                              \
        return status == CUBLAS_OK ? cw_cublas_result(h, result, &r, sizeof r) : status;             \
    }
IAMAX(S, s, float)
IAMAX(D, d, double)
IAMAX(C, c, cw_c32)
IAMAX(Z, z, cw_c64)

/* CBLAS has no least magnitude. */
#define IAMIN(l, T, magnitude)                                                                                 \
    int cublasI##l##amin_v2(const struct cublas_handle *h, int n, const T *x, int incx, int *result)           \
    {                                                                                                          \
        int least = 0;                                                                                         \
        ONE_VECTOR(false);                                                                                     \
        if (status == CUBLAS_OK)                                                                               \
            status = cw_cublas_status(cw_operands_get(o, 1));                                                  \
        if (status != CUBLAS_OK)                                                                               \
            return status;                                                                                     \
        const T *v = o[0].host;                                                                                \
        for (int i = 0; incx > 0 && i < n; i++)                                                                \
            if (i == 0 || magnitude(v[(size_t)i * (size_t)incx]) < magnitude(v[(size_t)least * (size_t)incx])) \
                least = i;                                                                                     \
        status = PUT();                                                                                        \
        least += n > 0 && incx > 0;                                                                            \
        return status == CUBLAS_OK ? cw_cublas_result(h, result, &least, sizeof least) : status;               \
    }
#define MAGNITUDE(x) ((x) < 0 ? -(x) : (x))
#define SUM_OF(x)    (MAGNITUDE((x).re) + MAGNITUDE((x).im)) /* as BLAS compares complex numbers */
IAMIN(s, float, MAGNITUDE)
IAMIN(d, double, MAGNITUDE)
IAMIN(c, cw_c32, SUM_OF)
IAMIN(z, cw_c64, SUM_OF)

#define ROT(U, l, T)                                                                                                    \
    int cublas##U##rot_v2(const struct cublas_handle *h, int n, T *x, int incx, T *y, int incy, const T *c, const T *s) \
    {                                                                                                                   \
        typedef void call(int, void *, int, void *, int, T, T);                                                         \
        T cosine, sine;                                                                                                 \
        TWO_VECTORS(true, true);                                                                                        \
        SCALAR(cosine, c);                                                                                              \
        SCALAR(sine, s);                                                                                                \
        FETCH("cblas_" #l "rot");                                                                                       \
        f(n, o[0].host, incx, o[1].host, incy, cosine, sine);                                                           \
        return PUT();                                                                                                   \
    }
ROT(S, s, float)
ROT(D, d, double)
