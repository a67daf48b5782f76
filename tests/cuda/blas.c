/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each function of cuBLAS in each of its types, and what cuFFT and cuRAND have besides, against loops over the definitions. The numbers are
 * small integers, so results are exact in all types. Declarations have no parameters, because one macro calls four types.
 */
#define _GNU_SOURCE /* M_PI */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *error_name(int code)
{
    return code != 0 ? "an error" : "well";
}
#include "want.h"

typedef float _Complex c32;
typedef double _Complex c64;

extern int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int);
static void *h; /* of cuBLAS */

#define NEAR(got, wanted, most) want(__LINE__, !(cabs((c64)(got) - (c64)(wanted)) <= (most)), 0)

static void *device(const void *from, size_t bytes)
{
    void *at = NULL;
    WANT(cudaMalloc(&at, bytes), 0);
    WANT(cudaMemcpy(at, from, bytes, 1), 0);
    return at;
}

enum { N = 4, LD = 5, CNT = LD * N };

/* A matrix of the definition: op, and which triangle counts: 0 all, 'L', 'U' symmetric; 'l', 'u' triangular; 'H' hermitian, lower. */
static c64 element(const c64 *v, int op, int kind, int i, int j)
{
    if (op != 0)
        return op == 2 ? conj(element(v, 0, kind, j, i)) : element(v, 0, kind, j, i);
    if (kind == 'L' && i < j)
        return v[j + i * LD];
    if (kind == 'U' && i > j)
        return v[j + i * LD];
    if (kind == 'H')
        return i == j ? creal(v[i + i * LD]) : i < j ? conj(v[j + i * LD]) : v[i + j * LD];
    if ((kind == 'l' && i < j) || (kind == 'u' && i > j))
        return 0;
    return v[i + j * LD];
}

static c64 product(const c64 *a, int op_a, int kind_a, const c64 *b, int op_b, int kind_b, int i, int j)
{
    c64 sum = 0;
    for (int k = 0; k < N; k++)
        sum += element(a, op_a, kind_a, i, k) * element(b, op_b, kind_b, k, j);
    return sum;
}

/* Y = what the function has left, W = alpha * product + beta * before, in the whole matrix or its lower triangle. */
static void compare(int line, const c64 *got, const c64 *before, c64 alpha, c64 beta, c64 (*p)(const c64 *, const c64 *, int, int),
                    const c64 *a, const c64 *b, int lower)
{
    for (int j = 0; j < N; j++)
        for (int i = lower ? j : 0; i < N; i++)
            want(line, !(cabs(got[i + j * LD] - (alpha * p(a, b, i, j) + beta * before[i + j * LD])) <= 1e-5), 0);
}

static c64 plain(const c64 *a, const c64 *b, int i, int j)
{
    return product(a, 0, 0, b, 1, 0, i, j);
}
static c64 symmetric(const c64 *a, const c64 *b, int i, int j)
{
    return product(a, 0, 'L', b, 0, 0, i, j);
}
static c64 hermitian(const c64 *a, const c64 *b, int i, int j)
{
    return product(a, 0, 'H', b, 0, 0, i, j);
}
static c64 square(const c64 *a, const c64 *b, int i, int j)
{
    (void)b;
    return product(a, 0, 0, a, 1, 0, i, j);
}
static c64 hermitian_square(const c64 *a, const c64 *b, int i, int j)
{
    (void)b;
    return product(a, 0, 0, a, 2, 0, i, j);
}

/* T: a type, with functions that move matrices of it. */
#define MOVES(T, complex)                                                                                                  \
    static T *put_##T(const c64 *v)                                                                                        \
    {                                                                                                                      \
        T narrow[CNT];                                                                                                     \
        for (int i = 0; i < CNT; i++)                                                                                      \
            narrow[i] = (T)v[i];                                                                                           \
        return device(narrow, sizeof narrow);                                                                              \
    }                                                                                                                      \
    static void get_##T(c64 *v, T *at)                                                                                     \
    {                                                                                                                      \
        T narrow[CNT];                                                                                                     \
        WANT(cudaMemcpy(narrow, at, sizeof narrow, 2), 0);                                                                 \
        for (int i = 0; i < CNT; i++)                                                                                      \
            v[i] = narrow[i];                                                                                              \
    }                                                                                                                      \
    static void numbers_##T(c64 *v, int seed)                                                                              \
    {                                                                                                                      \
        for (int i = 0; i < CNT; i++)                                                                                      \
            v[i] = (double)((i * 37 + seed * 11) % 11 - 5) + ((complex) ? (double)((i * 13 + seed) % 7 - 3) * (c64)I : 0); \
    }
MOVES(float, 0)
MOVES(double, 0)
MOVES(c32, 1)
MOVES(c64, 1)

#define RESTORE(T, at, v)      \
    do {                       \
        WANT(cudaFree(at), 0); \
        at = put_##T(v);       \
    } while (0)

/* What all four types have. U, l: the letters. */
#define ALL(U, l, T, RU, R)                                                                                                         \
    extern int cublas##U##gemm_v2(), cublas##U##gemmBatched(), cublas##U##gemmStridedBatched(), cublas##U##symm_v2(),               \
        cublas##U##syrk_v2(), cublas##U##trsm_v2(), cublas##U##trsv_v2(), cublas##U##gemv_v2(), cublas##U##axpy_v2(),               \
        cublas##U##scal_v2(), cublas##U##copy_v2(), cublas##U##swap_v2(), cublasI##l##amax_v2(), cublasI##l##amin_v2(),             \
        cublas##RU##nrm2_v2(), cublas##RU##asum_v2();                                                                               \
    static void test_##U(void)                                                                                                      \
    {                                                                                                                               \
        c64 a[CNT], b[CNT], c[CNT], got[CNT], sum = 0;                                                                              \
        const T alpha = 2, beta = 3, one = 1;                                                                                       \
        R norm = 0, length = 0;                                                                                                     \
        int place = 0;                                                                                                              \
        numbers_##T(a, 1), numbers_##T(b, 2), numbers_##T(c, 3);                                                                    \
        T *da = put_##T(a), *db = put_##T(b), *dc = put_##T(c);                                                                     \
        WANT(cublas##U##gemm_v2(h, 0, 1, N, N, N, &alpha, da, LD, db, LD, &beta, dc, LD), 0);                                       \
        get_##T(got, dc), compare(__LINE__, got, c, 2, 3, plain, a, b, 0);                                                          \
        RESTORE(T, dc, c);                                                                                                          \
        WANT(cublas##U##gemmStridedBatched(h, 0, 1, N, N, N, &alpha, da, LD, (long long)CNT, db, LD, (long long)CNT, &beta, dc, LD, \
                                           (long long)CNT, 1),                                                                      \
             0);                                                                                                                    \
        get_##T(got, dc), compare(__LINE__, got, c, 2, 3, plain, a, b, 0);                                                          \
        RESTORE(T, dc, c);                                                                                                          \
        T *list[3] = {da, db, dc}, **dl = device(list, sizeof list);                                                                \
        WANT(cublas##U##gemmBatched(h, 0, 1, N, N, N, &alpha, dl, LD, dl + 1, LD, &beta, dl + 2, LD, 1), 0);                        \
        get_##T(got, dc), compare(__LINE__, got, c, 2, 3, plain, a, b, 0);                                                          \
        RESTORE(T, dc, c);                                                                                                          \
        WANT(cublas##U##symm_v2(h, 0, 0, N, N, &alpha, da, LD, db, LD, &beta, dc, LD), 0);                                          \
        get_##T(got, dc), compare(__LINE__, got, c, 2, 3, symmetric, a, b, 0);                                                      \
        RESTORE(T, dc, c);                                                                                                          \
        WANT(cublas##U##syrk_v2(h, 0, 0, N, N, &alpha, da, LD, &beta, dc, LD), 0);                                                  \
        get_##T(got, dc), compare(__LINE__, got, c, 2, 3, square, a, b, 1);                                                         \
        RESTORE(T, dc, c);                                                                                                          \
        /* A triangle with ones, which are not read, so that X is exact; A X = C, then A x = the first column */                    \
        WANT(cublas##U##trsm_v2(h, 0, 0, 0, 1, N, N, &one, da, LD, dc, LD), 0);                                                     \
        c64 unit[CNT];                                                                                                              \
        memcpy(unit, a, sizeof a);                                                                                                  \
        for (int i = 0; i < N; i++)                                                                                                 \
            unit[i + i * LD] = 1;                                                                                                   \
        get_##T(got, dc);                                                                                                           \
        for (int j = 0; j < N; j++)                                                                                                 \
            for (int i = 0; i < N; i++)                                                                                             \
                NEAR(product(unit, 0, 'l', got, 0, 0, i, j), c[i + j * LD], 0.02);                                                  \
        RESTORE(T, dc, c);                                                                                                          \
        WANT(cublas##U##trsv_v2(h, 0, 0, 1, N, da, LD, dc, 1), 0);                                                                  \
        c64 x[CNT];                                                                                                                 \
        get_##T(x, dc);                                                                                                             \
        for (int i = 0; i < N; i++)                                                                                                 \
            NEAR(x[i], got[i], 0.001);                                                                                              \
        RESTORE(T, dc, c);                                                                                                          \
        WANT(cublas##U##gemv_v2(h, 2, N, 3, &alpha, da, LD, db, 1, &beta, dc, 2), 0);                                               \
        get_##T(got, dc);                                                                                                           \
        for (int j = 0; j < 3; j++) {                                                                                               \
            sum = 0;                                                                                                                \
            for (int i = 0; i < N; i++)                                                                                             \
                sum += conj(a[i + j * LD]) * b[i];                                                                                  \
            NEAR(got[2 * j], 2 * sum + 3 * c[2 * j], 0);                                                                            \
        }                                                                                                                           \
        RESTORE(T, dc, c);                                                                                                          \
        WANT(cublas##U##axpy_v2(h, 3, &alpha, da, 2, dc, 1), 0), WANT(cublas##U##scal_v2(h, 2, &beta, dc + 10, 3), 0);              \
        get_##T(got, dc);                                                                                                           \
        NEAR(got[2], 2 * a[4] + c[2], 0), NEAR(got[3], c[3], 0), NEAR(got[13], 3 * c[13], 0), NEAR(got[11], c[11], 0);              \
        RESTORE(T, dc, c);                                                                                                          \
        WANT(cublas##U##copy_v2(h, 3, da, 1, dc, 2), 0), WANT(cublas##U##swap_v2(h, 2, da + 10, 1, dc + 10, 1), 0);                 \
        get_##T(got, dc), get_##T(x, da);                                                                                           \
        NEAR(got[4], a[2], 0), NEAR(got[3], c[3], 0), NEAR(got[11], a[11], 0), NEAR(x[11], c[11], 0);                               \
        RESTORE(T, da, a);                                                                                                          \
        double squares = 0, sums = 0;                                                                                               \
        int most = 0, least = 0;                                                                                                    \
        for (int i = 0; i < 7; i++) {                                                                                               \
            const double size = fabs(creal(a[i])) + fabs(cimag(a[i]));                                                              \
            squares += creal(a[i] * conj(a[i])), sums += size;                                                                      \
            most = size > fabs(creal(a[most])) + fabs(cimag(a[most])) ? i : most;                                                   \
            least = size < fabs(creal(a[least])) + fabs(cimag(a[least])) ? i : least;                                               \
        }                                                                                                                           \
        WANT(cublas##RU##nrm2_v2(h, 7, da, 1, &norm), 0), WANT(cublas##RU##asum_v2(h, 7, da, 1, &length), 0);                       \
        NEAR(norm, sqrt(squares), 1e-5), NEAR(length, sums, 0);                                                                     \
        WANT(cublasI##l##amax_v2(h, 7, da, 1, &place), 0), WANT(place, most + 1);                                                   \
        WANT(cublasI##l##amin_v2(h, 7, da, 1, &place), 0), WANT(place, least + 1);                                                  \
        WANT(cudaFree(da), 0), WANT(cudaFree(db), 0), WANT(cudaFree(dc), 0), WANT(cudaFree(dl), 0);                                 \
    }
ALL(S, s, float, S, float)
ALL(D, d, double, D, double)
ALL(C, c, c32, Sc, float)
ALL(Z, z, c64, Dz, double)

#define REAL(U, T)                                                                                                        \
    extern int cublas##U##symv_v2(), cublas##U##trmv_v2(), cublas##U##ger_v2(), cublas##U##dot_v2(), cublas##U##rot_v2(), \
        cublas##U##geam(), cublas##U##dgmm();                                                                             \
    static void test_real_##U(void)                                                                                       \
    {                                                                                                                     \
        c64 a[CNT], b[CNT], c[CNT], got[CNT], sum;                                                                        \
        const T alpha = 2, beta = 3, cosine = 0, sine = 1;                                                                \
        T dot = 0;                                                                                                        \
        numbers_##T(a, 1), numbers_##T(b, 2), numbers_##T(c, 3);                                                          \
        T *da = put_##T(a), *db = put_##T(b), *dc = put_##T(c);                                                           \
        WANT(cublas##U##symv_v2(h, 1, N, &alpha, da, LD, db, 1, &beta, dc, 1), 0);                                        \
        get_##T(got, dc);                                                                                                 \
        for (int i = 0; i < N; i++) {                                                                                     \
            sum = 0;                                                                                                      \
            for (int k = 0; k < N; k++)                                                                                   \
                sum += element(a, 0, 'U', i, k) * b[k];                                                                   \
            NEAR(got[i], 2 * sum + 3 * c[i], 0);                                                                          \
        }                                                                                                                 \
        RESTORE(T, dc, c);                                                                                                \
        WANT(cublas##U##trmv_v2(h, 1, 1, 0, N, da, LD, dc, 1), 0);                                                        \
        get_##T(got, dc);                                                                                                 \
        sum = a[2 * LD] * c[0] + a[1 + 2 * LD] * c[1] + a[2 + 2 * LD] * c[2]; /* the upper triangle, transposed */        \
        NEAR(got[2], sum, 0);                                                                                             \
        RESTORE(T, dc, c);                                                                                                \
        WANT(cublas##U##ger_v2(h, N, 2, &alpha, da, 1, db, 3, dc, LD), 0);                                                \
        get_##T(got, dc);                                                                                                 \
        NEAR(got[3 + LD], c[3 + LD] + 2 * a[3] * b[3], 0);                                                                \
        WANT(cublas##U##dot_v2(h, 2, da, 3, db, 1, &dot), 0);                                                             \
        NEAR(dot, a[0] * b[0] + a[3] * b[1], 0);                                                                          \
        RESTORE(T, dc, c);                                                                                                \
        WANT(cublas##U##geam(h, 1, 0, 3, 2, &alpha, da, LD, &beta, db, LD, dc, LD), 0);                                   \
        get_##T(got, dc);                                                                                                 \
        NEAR(got[2 + LD], 2 * a[1 + 2 * LD] + 3 * b[2 + LD], 0);                                                          \
        WANT(cublas##U##dgmm(h, 0, 3, 2, da, LD, db, -1, dc, LD), 0);                                                     \
        get_##T(got, dc);                                                                                                 \
        NEAR(got[LD], a[LD] * b[2], 0); /* a negative step begins at the end */                                           \
        WANT(cublas##U##rot_v2(h, 2, da, 1, db, 1, &cosine, &sine), 0);                                                   \
        get_##T(got, da), NEAR(got[1], b[1], 0);                                                                          \
        get_##T(got, db), NEAR(got[1], -a[1], 0);                                                                         \
        WANT(cudaFree(da), 0), WANT(cudaFree(db), 0), WANT(cudaFree(dc), 0);                                              \
    }
REAL(S, float)
REAL(D, double)

#define COMPLEX(U, T, R, RU)                                                                                                 \
    extern int cublas##U##hemm_v2(), cublas##U##herk_v2(), cublas##U##geru_v2(), cublas##U##gerc_v2(), cublas##U##dotu_v2(), \
        cublas##U##dotc_v2(), cublas##U##RU##scal_v2();                                                                      \
    static void test_complex_##U(void)                                                                                       \
    {                                                                                                                        \
        c64 a[CNT], b[CNT], c[CNT], got[CNT];                                                                                \
        const T alpha = 2, beta = 3, turn = (T)I;                                                                            \
        const R two = 2, three = 3;                                                                                          \
        T dot = 0;                                                                                                           \
        numbers_##T(a, 1), numbers_##T(b, 2), numbers_##T(c, 3);                                                             \
        for (int i = 0; i < N; i++)                                                                                          \
            c[i + i * LD] = creal(c[i + i * LD]); /* a hermitian matrix has a real diagonal */                               \
        T *da = put_##T(a), *db = put_##T(b), *dc = put_##T(c);                                                              \
        WANT(cublas##U##hemm_v2(h, 0, 0, N, N, &alpha, da, LD, db, LD, &beta, dc, LD), 0);                                   \
        get_##T(got, dc), compare(__LINE__, got, c, 2, 3, hermitian, a, b, 0);                                               \
        RESTORE(T, dc, c);                                                                                                   \
        WANT(cublas##U##herk_v2(h, 0, 0, N, N, &two, da, LD, &three, dc, LD), 0);                                            \
        get_##T(got, dc), compare(__LINE__, got, c, 2, 3, hermitian_square, a, b, 1);                                        \
        RESTORE(T, dc, c);                                                                                                   \
        WANT(cublas##U##geru_v2(h, N, 2, &turn, da, 1, db, 1, dc, LD), 0);                                                   \
        WANT(cublas##U##gerc_v2(h, N, 2, &turn, da, 1, db, 1, dc + 2 * LD, LD), 0);                                          \
        get_##T(got, dc);                                                                                                    \
        NEAR(got[3 + LD], c[3 + LD] + (c64)I * a[3] * b[1], 0);                                                              \
        NEAR(got[3 + 3 * LD], c[3 + 3 * LD] + (c64)I * a[3] * conj(b[1]), 0);                                                \
        WANT(cublas##U##dotu_v2(h, 2, da, 3, db, 1, &dot), 0), NEAR(dot, a[0] * b[0] + a[3] * b[1], 0);                      \
        WANT(cublas##U##dotc_v2(h, 2, da, 3, db, 1, &dot), 0), NEAR(dot, conj(a[0]) * b[0] + conj(a[3]) * b[1], 0);          \
        WANT(cublas##U##RU##scal_v2(h, 2, &three, da, 2), 0);                                                                \
        get_##T(got, da), NEAR(got[2], 3 * a[2], 0), NEAR(got[1], a[1], 0);                                                  \
        WANT(cudaFree(da), 0), WANT(cudaFree(db), 0), WANT(cudaFree(dc), 0);                                                 \
    }
COMPLEX(C, c32, float, s)
COMPLEX(Z, c64, double, d)

extern int cublasCreate_v2(), cublasDestroy_v2(), cublasGetVersion_v2(), cublasGetStream_v2(), cublasSetWorkspace_v2(), cublasSetMathMode(),
    cublasGetMathMode(), cublasSetAtomicsMode(), cublasGetAtomicsMode(), cublasGetPointerMode_v2(), cublasHgemm(), cublasSgemmEx(),
    cublasGemmStridedBatchedEx(), cublasSetMatrixAsync(), cublasGetMatrixAsync(), cublasSetVectorAsync(), cublasGetVectorAsync();
extern const char *cublasGetStatusString(int);

static void settings(void)
{
    int value = 7;
    void *stream = &value;
    WANT(cublasGetVersion_v2(h, &value), 0), WANT(value >= 11000, 1);
    WANT(cublasGetStream_v2(h, &stream), 0), WANT(stream == NULL, 1);
    WANT(cublasSetMathMode(h, 1), 0), WANT(cublasGetMathMode(h, &value), 0), WANT(value, 1);
    WANT(cublasSetAtomicsMode(h, 1), 0), WANT(cublasGetAtomicsMode(h, &value), 0), WANT(value, 1);
    WANT(cublasGetPointerMode_v2(h, &value), 0), WANT(value, 0);
    WANT(cublasSetWorkspace_v2(h, NULL, (size_t)0), 0);
    WANT(strlen(cublasGetStatusString(1)) > 8, 1);
}

/* Halves: 3 * 2 + 1 * 5; the same as singles of halves; two products behind each other. */
static void halves(void)
{
    const uint16_t v[4] = {0x4200, 0x4000, 0x3c00, 0x4500}, one = 0x3c00, zero = 0; /* 3 2 1 5 */
    const float one_f = 1, zero_f = 0;
    uint16_t r[2];
    float f;
    uint16_t *dv = device(v, sizeof v), *dr = device(v, 4);
    float *df = device(&zero_f, 4);
    WANT(cublasHgemm(h, 1, 0, 1, 1, 2, &one, dv, 2, dv + 1, 2, &zero, dr, 1), 0); /* (3 2) (2 1) */
    WANT(cudaMemcpy(r, dr, 2, 2), 0), WANT(r[0], 0x4800);
    WANT(cublasSgemmEx(h, 1, 0, 1, 1, 2, &one_f, dv, 2, 2, dv + 2, 2, 2, &zero_f, df, 0, 1), 0); /* (3 2) (1 5) */
    WANT(cudaMemcpy(&f, df, 4, 2), 0), WANT((long)f, 13);
    WANT(cublasGemmStridedBatchedEx(h, 0, 0, 1, 1, 1, &one_f, dv, 2, 1, 1LL, dv, 2, 1, 2LL, &zero_f, dr, 2, 1, 1LL, 2, 68, 0), 0);
    WANT(cudaMemcpy(r, dr, 4, 2), 0), WANT(r[0], 0x4880), WANT(r[1], 0x4000); /* 3 * 3, 2 * 1 */
    float m[4] = {1, 2, 3, 4}, n[4] = {0};
    WANT(cublasSetMatrixAsync(2, 2, 4, m, 2, df = device(m, 16), 2, NULL), 0), WANT(cublasGetMatrixAsync(2, 2, 4, df, 2, n, 2, NULL), 0);
    WANT(memcmp(m, n, sizeof m), 0);
    WANT(cublasSetVectorAsync(2, 4, m + 2, 1, df, 1, NULL), 0), WANT(cublasGetVectorAsync(2, 4, df, 1, n, 1, NULL), 0);
    WANT((long)n[0], 3);
    WANT(cudaFree(dv), 0), WANT(cudaFree(dr), 0), WANT(cudaFree(df), 0);
}

extern int cufftCreate(), cufftDestroy(), cufftMakePlan1d(), cufftMakePlan2d(), cufftMakePlan3d(), cufftMakePlanMany(), cufftSetStream(),
    cufftSetWorkArea(), cufftSetAutoAllocation(), cufftGetSize(), cufftEstimate1d(), cufftGetVersion(), cufftPlan3d(), cufftExecR2C(),
    cufftExecC2R(), cufftExecC2C(), cufftExecZ2Z();

/* A wave of one frequency has one number that is not 0; there and back gives the numbers times their count. */
static void transforms(void)
{
    enum { A = 2, B = 3, C = 4, ALL_OF = A * B * C };
    int plan, version;
    size_t work = 1;
    c64 v[ALL_OF], got[ALL_OF];
    for (int i = 0; i < ALL_OF; i++)
        v[i] = cexp(2 * M_PI * I * ((i / (B * C)) * 1.0 / A + (i / C % B) * 2.0 / B + (i % C) * 1.0 / C));
    void *d = device(v, sizeof v);
    WANT(cufftCreate(&plan), 0), WANT(cufftExecZ2Z(plan, d, d, -1), 1); /* no plan yet */
    WANT(cufftMakePlan3d(plan, A, B, C, 0x69, &work), 0), WANT(work, 0);
    WANT(cufftSetStream(plan, NULL), 0), WANT(cufftSetAutoAllocation(plan, 0), 0), WANT(cufftSetWorkArea(plan, NULL), 0);
    WANT(cufftGetSize(plan, &work), 0), WANT(cufftEstimate1d(8, 0x29, 1, &work), 0), WANT(cufftGetVersion(&version), 0);
    WANT(cufftExecZ2Z(plan, d, d, -1), 0);
    WANT(cudaMemcpy(got, d, sizeof got, 2), 0);
    for (int i = 0; i < ALL_OF; i++)
        NEAR(got[i], i == (1 * B + 2) * C + 1 ? ALL_OF : 0, 1e-10);
    WANT(cufftDestroy(plan), 0);
    WANT(cufftPlan3d(&plan, A, B, C, 0x69), 0), WANT(cufftExecZ2Z(plan, d, d, 1), 0), WANT(cufftDestroy(plan), 0);
    WANT(cudaMemcpy(got, d, sizeof got, 2), 0);
    for (int i = 0; i < ALL_OF; i++)
        NEAR(got[i], ALL_OF * v[i], 1e-9);
    float wave[8], back[8];
    c32 half[5];
    for (int i = 0; i < 8; i++)
        wave[i] = cosf((float)M_PI / 4 * (float)i);
    void *dw = device(wave, sizeof wave), *dh = device(half, sizeof half);
    WANT(cufftCreate(&plan), 0), WANT(cufftMakePlan1d(plan, 8, 0x2a, 1, &work), 0), WANT(cufftExecR2C(plan, dw, dh), 0);
    WANT(cudaMemcpy(half, dh, sizeof half, 2), 0);
    for (int i = 0; i < 5; i++)
        NEAR(half[i], i == 1 ? 4 : 0, 1e-5);
    WANT(cufftMakePlan1d(plan, 8, 0x2c, 1, &work), 0), WANT(cufftExecC2R(plan, dh, dw), 0);
    WANT(cudaMemcpy(back, dw, sizeof back, 2), 0);
    for (int i = 0; i < 8; i++)
        NEAR(back[i], 8 * wave[i], 1e-5);
    int n[2] = {2, 2};
    c32 four[4] = {1, 2, 3, 4};
    void *df = device(four, sizeof four);
    WANT(cufftMakePlan2d(plan, 2, 2, 0x29, &work), 0), WANT(cufftExecC2C(plan, df, df, -1), 0);
    WANT(cufftMakePlanMany(plan, 2, n, NULL, 1, 0, NULL, 1, 0, 0x29, 1, &work), 0), WANT(cufftExecC2C(plan, df, df, -1), 0);
    WANT(cudaMemcpy(four, df, sizeof four, 2), 0);
    NEAR(four[3], 16, 0); /* twice forward is four times the numbers, mirrored, which two by two are not changed by */
    WANT(cufftDestroy(plan), 0);
    WANT(cudaFree(d), 0), WANT(cudaFree(dw), 0), WANT(cudaFree(dh), 0), WANT(cudaFree(df), 0);
}

extern int curandCreateGeneratorHost(), curandDestroyGenerator(), curandSetPseudoRandomGeneratorSeed(), curandGenerateSeeds(),
    curandGetVersion(), curandSetStream(), curandSetGeneratorOffset(), curandGenerateNormalDouble(void *, double *, size_t, double, double),
    curandGenerateNormal(void *, float *, size_t, float, float), curandGenerateLogNormal(void *, float *, size_t, float, float),
    curandGenerateLogNormalDouble(void *, double *, size_t, double, double), curandGenerateUniform(void *, float *, size_t);

/* Logarithms of these are normal; the mean and the spread of many uniform numbers. */
static void logarithms(void)
{
    enum { MANY = 100000 };
    static float u[MANY];
    void *g;
    float f[2], e[2];
    double d[2], x[2], sum = 0, squares = 0;
    int version;
    WANT(curandCreateGeneratorHost(&g, 100), 0), WANT(curandSetStream(g, NULL), 0), WANT(curandGetVersion(&version), 0);
    WANT(curandSetPseudoRandomGeneratorSeed(g, 99ULL), 0), WANT(curandGenerateSeeds(g), 0);
    WANT(curandGenerateNormal(g, f, 2, 1, 0.5f), 0), WANT(curandSetGeneratorOffset(g, 0ULL), 0);
    WANT(curandGenerateLogNormal(g, e, 2, 1, 0.5f), 0), NEAR(logf(e[0]), f[0], 1e-5), NEAR(logf(e[1]), f[1], 1e-5);
    WANT(curandSetGeneratorOffset(g, 0ULL), 0), WANT(curandGenerateNormalDouble(g, d, 2, 1, 0.5), 0),
        WANT(curandSetGeneratorOffset(g, 0ULL), 0);
    WANT(curandGenerateLogNormalDouble(g, x, 2, 1, 0.5), 0), NEAR(log(x[0]), d[0], 1e-12);
    WANT(curandGenerateUniform(g, u, MANY), 0);
    for (int i = 0; i < MANY; i++)
        sum += (double)u[i], squares += (double)u[i] * (double)u[i];
    NEAR(sum / MANY, 0.5, 0.005), NEAR(squares / MANY - sum * sum / MANY / MANY, 1.0 / 12, 0.002); /* five standard errors */
    WANT(curandDestroyGenerator(g), 0);
    WANT(curandCreateGeneratorHost(&g, 141), 103); /* whose tables are NVIDIA's; the user is told */
    WANT(curandCreateGeneratorHost(&g, 99), 103);
}

/*
 * Two matrices whose rows have to change places, of 3 by 3 in columns of 4. What is asked for is x of A x = b, whose x is known, of A and its transpose;
 * the inverse times A; and the largest element of a column at the pivot. The third one has no inverse: its second pivot is 0.
 */
#define TRIANGLES(U, T)                                                                                                                \
    extern int cublas##U##getrfBatched(), cublas##U##getrsBatched(), cublas##U##getriBatched();                                        \
    static void triangles_##U(void)                                                                                                    \
    {                                                                                                                                  \
        static const T a[3][12] = {{0, 2, 4, 9, 1, 1, 3, 9, 3, 2, 8, 9}, {1, 8, 2, 9, 5, 3, 4, 9, 2, 2, 7, 9}, {1, 2, 3, 9, 2, 4, 6}}, \
                       x[6] = {3, -1, 2, 1, 4, -2};                                                                                    \
        T factors[3][12], inverse[3][12] = {{0}}, b[2][6] = {{0}}, got[6];                                                             \
        void *list[9], *dl;                                                                                                            \
        int pivot[9], info[3] = {9, 9, 9}, status = 9, *dp = device(pivot, sizeof pivot), *di = device(info, sizeof info);             \
        for (int i = 0; i < 3; i++) {                                                                                                  \
            list[i] = device(a[i], sizeof a[i]);                                                                                       \
            list[3 + i] = device(inverse[i], sizeof inverse[i]);                                                                       \
        }                                                                                                                              \
        for (int op = 0; op < 2; op++) {                                                                                               \
            for (int c = 0; c < 2; c++)                                                                                                \
                for (int i = 0; i < 3; i++) {                                                                                          \
                    b[op][i + 3 * c] = 0;                                                                                              \
                    for (int k = 0; k < 3; k++)                                                                                        \
                        b[op][i + 3 * c] += (op ? a[1][k + 4 * i] : a[1][i + 4 * k]) * x[k + 3 * c];                                   \
                }                                                                                                                      \
            list[6 + op] = device(b[op], sizeof b[op]);                                                                                \
        }                                                                                                                              \
        dl = device(list, sizeof list);                                                                                                \
        void **const at = dl;                                                                                                          \
        WANT(cublas##U##getrfBatched(h, 3, at, 4, dp, di, 3), 0);                                                                      \
        WANT(cudaMemcpy(info, di, sizeof info, 2), 0), WANT(cudaMemcpy(pivot, dp, sizeof pivot, 2), 0);                                \
        WANT(info[0], 0), WANT(info[1], 0), WANT(info[2], 2);                                                                          \
        WANT(pivot[0], 3), WANT(pivot[3], 2);                                                                                          \
        WANT(cudaMemcpy(factors, list[0], sizeof factors[0], 2), 0);                                                                   \
        NEAR(factors[0][0], 4, 0), NEAR(factors[0][3], 9, 0); /* what is between the columns stays */                                  \
        for (int op = 0; op < 2; op++) {                                                                                               \
            WANT(cublas##U##getrsBatched(h, op, 3, 2, at + 1, 4, dp + 3, at + 6 + op, 3, &status, 1), 0);                              \
            WANT(status, 0), WANT(cudaMemcpy(got, list[6 + op], sizeof got, 2), 0);                                                    \
            for (int i = 0; i < 6; i++)                                                                                                \
                NEAR(got[i], x[i], 1e-5);                                                                                              \
        }                                                                                                                              \
        WANT(cublas##U##getriBatched(h, 3, at, 4, dp, at + 3, 4, di, 3), 0);                                                           \
        WANT(cudaMemcpy(info, di, sizeof info, 2), 0), WANT(info[0], 0), WANT(info[2], 2);                                             \
        for (int m = 0; m < 2; m++) {                                                                                                  \
            WANT(cudaMemcpy(inverse[m], list[3 + m], sizeof inverse[m], 2), 0);                                                        \
            for (int i = 0; i < 9; i++) {                                                                                              \
                T sum = 0;                                                                                                             \
                for (int k = 0; k < 3; k++)                                                                                            \
                    sum += inverse[m][i % 3 + 4 * k] * a[m][k + 4 * (i / 3)];                                                          \
                NEAR(sum, i % 4 == 0, 1e-5);                                                                                           \
            }                                                                                                                          \
        }                                                                                                                              \
        WANT(cublas##U##getrfBatched(h, 3, at, 2, dp, di, 3), 7);                                                                      \
        WANT(cublas##U##getrfBatched(h, 3, at, 4, NULL, di, 3), 15); /* without exchanges */                                           \
    }
TRIANGLES(S, float)
TRIANGLES(D, double)
TRIANGLES(C, c32)
TRIANGLES(Z, c64)

/* Plans whose sizes are of 64 bits and whose types are those of the numbers: as the plan of the older call. */
static void extended(void)
{
    extern int cufftXtMakePlanMany(), cufftXtExec();
    enum { C32 = 4, R32 = 0, R16 = 2 };
    const long long n = 4;
    const float real[8] = {1, 2, 3, 4, 4, 3, 2, 1};
    c32 wide[6];
    int plan;
    size_t work = 9;
    float *d = device(real, sizeof real), *to = device(wide, sizeof wide);
    WANT(cufftCreate(&plan), 0);
    WANT(cufftXtMakePlanMany(plan, 1, &n, NULL, 1LL, 4LL, R32, NULL, 1LL, 3LL, C32, 2LL, &work, C32), 0);
    WANT(work, 0);
    WANT(cufftXtExec(plan, d, to, 1), 0);
    WANT(cudaMemcpy(wide, to, sizeof wide, 2), 0);
    const c32 wanted[6] = {10, -2 + 2 * I, -2, 10, 2 - 2 * I, 2};
    for (int i = 0; i < 6; i++)
        NEAR(wide[i], wanted[i], 1e-5);
    WANT(cufftXtMakePlanMany(plan, 1, &n, NULL, 1LL, 4LL, R16, NULL, 1LL, 3LL, C32, 2LL, &work, C32), 3); /* halves are not there */
    WANT(cufftDestroy(plan), 0);
}

/* In float 2^24 + 1 is 2^24: a sum that begins so, and has 2^20 ones behind, would not grow. */
static void long_sums(void)
{
    enum { ONES = 1 << 20 };
    float *data = malloc((ONES + 1) * sizeof *data), norm = 0, dot = 0, length = 0;
    void *at = NULL;
    data[0] = 4096;
    for (int i = 1; i <= ONES; i++)
        data[i] = 1;
    WANT(cudaMalloc(&at, (ONES + 1) * sizeof *data), 0), WANT(cudaMemcpy(at, data, (ONES + 1) * sizeof *data, 1), 0);
    WANT(cublasSnrm2_v2(h, ONES + 1, at, 1, &norm), 0), WANT(cublasSdot_v2(h, ONES + 1, at, 1, at, 1, &dot), 0);
    WANT(cublasSasum_v2(h, ONES / 2, (float *)at + 1, 2, &length), 0);
    NEAR(norm, sqrt(4096.0 * 4096.0 + ONES), 0.1), NEAR(dot, 4096.0 * 4096.0 + ONES, 300), NEAR(length, ONES / 2, 0);
    WANT(cudaFree(at), 0);
    free(data);
}

int main(void)
{
    WANT(cublasCreate_v2(&h), 0);
    long_sums();
    test_S(), test_D(), test_C(), test_Z(), test_real_S(), test_real_D(), test_complex_C(), test_complex_Z();
    settings(), halves();
    triangles_S(), triangles_D(), triangles_C(), triangles_Z(), extended();
    WANT(cublasDestroy_v2(h), 0);
    transforms(), logarithms();
    printf("%d wrong\n", bad);
    return bad;
}
