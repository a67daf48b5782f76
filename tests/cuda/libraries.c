/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuBLAS, cuRAND and cuFFT on the host. What is wanted comes from loops over the definitions, and for cuRAND from NVIDIA's own libcurand
 * 10.4 (its generators of the host, seed 1234, which need no card).
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

extern int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int), cudaDeviceSynchronize(void);
extern int cudaStreamCreate(void **), cudaStreamBeginCapture(void *, int), cudaStreamEndCapture(void *, void **);

extern int cublasCreate_v2(void **), cublasDestroy_v2(void *), cublasSetStream_v2(void *, void *), cublasSetPointerMode_v2(void *, int);
extern int cublasSetMatrix(int, int, int, const void *, int, void *, int), cublasGetMatrix(int, int, int, const void *, int, void *, int);
extern int cublasSetVector(int, int, const void *, int, void *, int), cublasGetVector(int, int, const void *, int, void *, int);
extern int cublasDgemm_v2(void *, int, int, int, int, int, const double *, const double *, int, const double *, int, const double *,
                          double *, int);
extern int cublasZgemm_v2(void *, int, int, int, int, int, const c64 *, const c64 *, int, const c64 *, int, const c64 *, c64 *, int);
extern int cublasSgemmStridedBatched(void *, int, int, int, int, int, const float *, const float *, int, long long, const float *, int,
                                     long long, const float *, float *, int, long long, int);
extern int cublasSgemmBatched(void *, int, int, int, int, int, const float *, const float *const *, int, const float *const *, int,
                              const float *, float *const *, int, int);
extern int cublasGemmEx(void *, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int, const void *, void *,
                        int, int, int, int);
extern int cublasDgemv_v2(void *, int, int, int, const double *, const double *, int, const double *, int, const double *, double *, int);
extern int cublasDger_v2(void *, int, int, const double *, const double *, int, const double *, int, double *, int);
extern int cublasDtrsm_v2(void *, int, int, int, int, int, int, const double *, const double *, int, double *, int);
extern int cublasDsyrk_v2(void *, int, int, int, int, const double *, const double *, int, const double *, double *, int);
extern int cublasDaxpy_v2(void *, int, const double *, const double *, int, double *, int);
extern int cublasDdot_v2(void *, int, const double *, int, const double *, int, double *),
    cublasSnrm2_v2(void *, int, const float *, int, float *);
extern int cublasZdotc_v2(void *, int, const c64 *, int, const c64 *, int, c64 *);
extern int cublasIdamax_v2(void *, int, const double *, int, int *), cublasIdamin_v2(void *, int, const double *, int, int *);
extern int cublasDgeam(void *, int, int, int, int, const double *, const double *, int, const double *, const double *, int, double *, int);
extern int cublasDdgmm(void *, int, int, int, const double *, int, const double *, int, double *, int);
extern const char *cublasGetStatusName(int);

extern int cufftPlan1d(int *, int, int, int), cufftPlan2d(int *, int, int, int), cufftPlan3d(int *, int, int, int, int), cufftDestroy(int);
extern int cufftPlanMany(int *, int, int *, int *, int, int, int *, int, int, int, int);
extern int cufftExecC2C(int, void *, void *, int), cufftExecZ2Z(int, void *, void *, int), cufftExecD2Z(int, void *, void *);
extern int cufftExecZ2D(int, void *, void *), cufftExecR2C(int, void *, void *);

extern int curandCreateGenerator(void **, int), curandCreateGeneratorHost(void **, int), curandDestroyGenerator(void *);
extern int curandSetPseudoRandomGeneratorSeed(void *, unsigned long long), curandSetGeneratorOffset(void *, unsigned long long);
extern int curandGenerate(void *, uint32_t *, size_t), curandGenerateUniform(void *, float *, size_t),
    curandGenerateUniformDouble(void *, double *, size_t), curandGenerateNormal(void *, float *, size_t, float, float),
    curandGenerateNormalDouble(void *, double *, size_t, double, double), curandSetGeneratorOrdering(void *, int);

#define NEAR(got, wanted, most) want(__LINE__, !(fabs((double)(got) - (double)(wanted)) <= (most)), 0)

static void *h; /* of cuBLAS */

/* On the device: a copy of the host's bytes. */
static void *device(const void *from, size_t bytes)
{
    void *at = NULL;
    WANT(cudaMalloc(&at, bytes), 0);
    WANT(cudaMemcpy(at, from, bytes, 1), 0);
    return at;
}

static void back(void *to, void *at, size_t bytes)
{
    WANT(cudaMemcpy(to, at, bytes, 2), 0);
    WANT(cudaFree(at), 0);
}

/* Small numbers that differ, exact in every type. */
static void fill(double *v, int cnt, int seed)
{
    for (int i = 0; i < cnt; i++)
        v[i] = (double)((i * 37 + seed * 11) % 19 - 9);
}

enum { MOST = 12 * 12 };

static double at(const double *v, int op, int i, int j, int ld)
{
    return op == 0 ? v[i + j * ld] : v[j + i * ld];
}

/* All pairs of transposes, with rows that are left out between columns. */
static void products(void)
{
    enum { M = 5, N = 4, K = 3, LD = 7 };
    double a[MOST], b[MOST], c[MOST], wanted[MOST];
    for (int ops = 0; ops < 4; ops++) {
        const int ta = ops & 1, tb = ops >> 1;
        const double alpha = 3, beta = -2;
        fill(a, MOST, 1), fill(b, MOST, 2), fill(c, MOST, 3);
        memcpy(wanted, c, sizeof c);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double sum = 0;
                for (int k = 0; k < K; k++)
                    sum += at(a, ta, i, k, LD) * at(b, tb, k, j, LD);
                wanted[i + j * LD] = alpha * sum + beta * c[i + j * LD];
            }
        double *da = device(a, sizeof a), *db = device(b, sizeof b), *dc = device(c, sizeof c);
        WANT(cublasDgemm_v2(h, ta, tb, M, N, K, &alpha, da, LD, db, LD, &beta, dc, LD), 0);
        back(c, dc, sizeof c);
        WANT(memcmp(c, wanted, sizeof c), 0);
        WANT(cublasDgemm_v2(h, ta, tb, M, N, K, &alpha, da, 2, db, LD, &beta, da, LD), 7);
        WANT(cudaFree(da), 0), WANT(cudaFree(db), 0);
    }
}

static void complex_products(void)
{
    const c64 a[4] = {1 + 2 * I, 3, -1 * I, 2 - 1 * I}, b[4] = {2, 1 * I, 1 - 1 * I, 4}, alpha = 1 * I, beta = 0;
    c64 c[4] = {9, 9, 9, 9};
    c64 *da = device(a, sizeof a), *db = device(b, sizeof b), *dc = device(c, sizeof c);
    WANT(cublasZgemm_v2(h, 2, 0, 2, 2, 2, &alpha, da, 2, db, 2, &beta, dc, 2), 0); /* the first one conjugated and transposed */
    back(c, dc, sizeof c);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const c64 wanted = alpha * (conj(a[2 * i]) * b[2 * j] + conj(a[2 * i + 1]) * b[2 * j + 1]);
            NEAR(cabs(c[i + 2 * j] - wanted), 0, 0);
        }
    c64 dot = 0;
    WANT(cublasZdotc_v2(h, 4, da, 1, db, 1, &dot), 0);
    c64 wanted = 0;
    for (int i = 0; i < 4; i++)
        wanted += conj(a[i]) * b[i];
    NEAR(cabs(dot - wanted), 0, 0);
    WANT(cudaFree(da), 0), WANT(cudaFree(db), 0);
}

/* Many products, one behind the other and by lists of addresses; scalars on the device. */
static void batches(void)
{
    const float a[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, b[12] = {1, 0, 0, 1, 0, 1, 1, 0, 2, 0, 0, 2}, scalars[2] = {1, 0};
    const float wanted[12] = {1, 2, 3, 4, 7, 8, 5, 6, 18, 20, 22, 24}; /* the second one swaps columns, the third doubles */
    float c[12];
    float *da = device(a, sizeof a), *db = device(b, sizeof b), *ds = device(scalars, sizeof scalars), *dc = device(a, sizeof a);
    WANT(cublasSgemmStridedBatched(h, 0, 0, 2, 2, 2, &scalars[0], da, 2, 4, db, 2, 4, &scalars[1], dc, 2, 4, 3), 0);
    back(c, dc, sizeof c);
    WANT(memcmp(c, wanted, sizeof c), 0);
    dc = device(a, sizeof a);
    float *lists[9];
    for (int i = 0; i < 3; i++)
        lists[i] = da + 4 * i, lists[3 + i] = db + 4 * i, lists[6 + i] = dc + 4 * i;
    float **dl = device(lists, sizeof lists);
    WANT(cublasSetPointerMode_v2(h, 1), 0);
    WANT(cublasSgemmBatched(h, 0, 0, 2, 2, 2, ds, (const float *const *)dl, 2, (const float *const *)dl + 3, 2, ds + 1, dl + 6, 2, 3), 0);
    WANT(cublasSnrm2_v2(h, 2, da + 2, 1, ds), 0); /* of 3 and 4, to the device */
    WANT(cublasSetPointerMode_v2(h, 0), 0);
    back(c, dc, sizeof c);
    WANT(memcmp(c, wanted, sizeof c), 0);
    back(c, ds, sizeof scalars);
    WANT((long)c[0], 5);
    WANT(cudaFree(da), 0), WANT(cudaFree(db), 0), WANT(cudaFree(dl), 0);
}

/* Every half times one is itself; bytes give integers; a sum of halves is rounded to the nearest. */
static void types(void)
{
    static uint16_t half[65536], product[65536];
    const float one = 1, zero = 0;
    const uint16_t half_one = 0x3c00;
    for (int i = 0; i < 65536; i++)
        half[i] = (uint16_t)i;
    uint16_t *da = device(half, sizeof half), *db = device(&half_one, 2), *dc = device(half, sizeof half);
    WANT(cublasGemmEx(h, 0, 0, 65536, 1, 1, &one, da, 2, 65536, db, 2, 1, &zero, dc, 2, 65536, 68, -1), 0);
    back(product, dc, sizeof product);
    long differ = 0, nans = 0;
    for (int i = 0; i < 65536; i++) {
        const int nan = (i & 0x7fff) > 0x7c00;
        nans += nan && (product[i] & 0x7fff) > 0x7c00;
        differ += !nan && product[i] != (i == 0x8000 ? 0 : half[i]); /* a sum begins at +0, so -0 does not stay */
    }
    WANT(differ, 0), WANT(nans, 2046);
    const uint16_t terms[2] = {0x6800, 0x3c00}, ones[2] = {half_one, half_one}; /* 2048 + 1 lies between two halves: to the even one */
    uint16_t sum = 0;
    uint16_t *dt = device(terms, 4), *d1 = device(ones, 4), *ds = device(&sum, 2);
    WANT(cublasGemmEx(h, 0, 0, 1, 1, 2, &one, dt, 2, 1, d1, 2, 2, &zero, ds, 2, 1, 68, -1), 0);
    back(&sum, ds, 2);
    WANT(sum, 0x6800);
    const int8_t bytes[4] = {-128, 127, 5, -3};
    const int32_t one_i = 1, zero_i = 0;
    int32_t square = 0;
    int8_t *dy = device(bytes, 4);
    int32_t *dq = device(&square, 4);
    WANT(cublasGemmEx(h, 1, 0, 1, 1, 4, &one_i, dy, 3, 4, dy, 3, 4, &zero_i, dq, 10, 1, 72, -1), 0);
    WANT(cublasGemmEx(h, 1, 0, 1, 1, 4, &one, dy, 3, 4, dy, 3, 4, &zero, dq, 2, 1, 68, -1), 15); /* bytes do not become halves */
    back(&square, dq, 4);
    WANT(square, 128 * 128 + 127 * 127 + 25 + 9);
    WANT(cudaFree(da), 0), WANT(cudaFree(db), 0), WANT(cudaFree(dt), 0), WANT(cudaFree(d1), 0), WANT(cudaFree(dy), 0);
}

static void matrices(void)
{
    enum { N = 4, LD = 6 };
    const double two = 2, one = 1;
    double a[MOST], x[MOST], y[MOST], c[MOST];
    fill(a, MOST, 5), fill(x, MOST, 6), fill(y, MOST, 7), fill(c, MOST, 8);
    for (int i = 0; i < N; i++)
        a[i + i * LD] = 4; /* so that the triangle can be solved without rounding */
    double *da = device(a, sizeof a), *dx = device(x, sizeof x), *dy = device(y, sizeof y), *dc = device(c, sizeof c);
    double got[MOST];
    WANT(cublasDgemv_v2(h, 1, N, 3, &two, da, LD, dx, 2, &one, dy, -1), 0);
    WANT(cudaMemcpy(got, dy, sizeof got, 2), 0);
    for (int j = 0; j < 3; j++) {
        double sum = 0;
        for (int i = 0; i < N; i++)
            sum += a[i + j * LD] * x[2 * i];
        NEAR(got[2 - j], two * sum + y[2 - j], 0); /* a negative step begins at the end */
    }
    WANT(cublasDger_v2(h, N, 3, &two, dx, 1, dx, 3, dc, LD), 0);
    WANT(cudaMemcpy(got, dc, sizeof got, 2), 0);
    NEAR(got[2 + 1 * LD], c[2 + LD] + 2 * x[2] * x[3], 0);
    NEAR(got[4], c[4], 0);                                              /* between the columns */
    WANT(cublasDtrsm_v2(h, 0, 0, 0, 0, N, 2, &one, da, LD, dx, LD), 0); /* lower triangle, from the left */
    WANT(cudaMemcpy(got, dx, sizeof got, 2), 0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 2; j++) {
            double sum = 0;
            for (int k = 0; k <= i; k++)
                sum += a[i + k * LD] * got[k + j * LD];
            NEAR(sum, x[i + j * LD], 1e-12);
        }
    const double zero = 0;
    WANT(cublasDsyrk_v2(h, 1, 0, N, 3, &one, da, LD, &zero, dc, LD), 0);
    WANT(cudaMemcpy(got, dc, sizeof got, 2), 0);
    NEAR(got[1 + 2 * LD], a[1] * a[2] + a[1 + LD] * a[2 + LD] + a[1 + 2 * LD] * a[2 + 2 * LD], 0);
    WANT(cublasDgeam(h, 1, 0, 3, 2, &two, da, LD, &one, da, LD, dc, LD), 0);
    WANT(cudaMemcpy(got, dc, sizeof got, 2), 0);
    NEAR(got[2 + 1 * LD], 2 * a[1 + 2 * LD] + a[2 + LD], 0);
    WANT(cublasDdgmm(h, 1, 3, 2, da, LD, dy, 2, dc, LD), 0);
    WANT(cudaMemcpy(got, dc, sizeof got, 2), 0);
    WANT(cudaMemcpy(y, dy, sizeof y, 2), 0);
    NEAR(got[2 + 1 * LD], a[2 + LD] * y[2], 0);
    WANT(cudaFree(da), 0), WANT(cudaFree(dx), 0), WANT(cudaFree(dy), 0), WANT(cudaFree(dc), 0);
}

static void vectors(void)
{
    const double x[6] = {1, -7, 2, 0.5, -3, 4}, y[6] = {1, 2, 3, 4, 5, 6}, alpha = -2;
    double got[6], dot;
    int place;
    double *dx = device(x, sizeof x), *dy = device(y, sizeof y);
    WANT(cublasDaxpy_v2(h, 3, &alpha, dx, 2, dy, 1), 0);
    WANT(cudaMemcpy(got, dy, sizeof got, 2), 0);
    NEAR(got[0], -1, 0), NEAR(got[1], -2, 0), NEAR(got[2], 9, 0), NEAR(got[3], 4, 0);
    WANT(cublasDdot_v2(h, 6, dx, 1, dx, -1, &dot), 0); /* against itself, backwards */
    NEAR(dot, 2 * (1 * 4 + -7 * -3 + 2 * 0.5), 0);
    WANT(cublasIdamax_v2(h, 6, dx, 1, &place), 0), WANT(place, 2);
    WANT(cublasIdamin_v2(h, 6, dx, 1, &place), 0), WANT(place, 4);
    WANT(cublasIdamin_v2(h, 0, dx, 1, &place), 0), WANT(place, 0);
    const float m[6] = {1, 2, 3, 4, 5, 6};
    float n[8] = {0};
    WANT(cublasSetMatrix(2, 3, 4, m, 2, dx, 3), 0);
    WANT(cublasGetMatrix(2, 2, 4, dx, 3, n, 4), 0);
    WANT((long)n[0], 1), WANT((long)n[1], 2), WANT((long)n[2], 0), WANT((long)n[5], 4);
    WANT(cublasSetVector(3, 4, m, 2, dx, 1), 0);
    WANT(cublasGetVector(3, 4, dx, 1, n, 1), 0);
    WANT((long)n[1], 3), WANT((long)n[2], 5);
    WANT(cudaFree(dx), 0), WANT(cudaFree(dy), 0);
    WANT(strcmp(cublasGetStatusName(7), "CUBLAS_STATUS_INVALID_VALUE"), 0);
}

/* The definition, of one dimension. */
static c64 dft(const c64 *v, int n, int step, int k, int sign)
{
    c64 sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i * step] * cexp(sign * 2 * M_PI * I * i * k / n);
    return sum;
}

static void transforms(void)
{
    enum { N = 6, BATCH = 3 };
    int plan;
    c32 v[N * BATCH];
    c64 wide[N * BATCH];
    for (int i = 0; i < N * BATCH; i++)
        wide[i] = v[i] = (float)(i * 5 % 7) + (float)(i * 3 % 11) * (c32)I;
    c32 got[N * BATCH];
    void *d = device(v, sizeof v);
    WANT(cufftPlan1d(&plan, N, 0x29, BATCH), 0);
    WANT(cufftExecC2C(plan, d, d, 1), 0); /* inverse, in its place */
    WANT(cufftExecZ2Z(plan, d, d, 1), 3);
    WANT(cufftDestroy(plan), 0), WANT(cufftDestroy(plan), 1);
    back(got, d, sizeof got);
    for (int i = 0; i < N * BATCH; i++)
        NEAR(cabs(got[i] - dft(wide + i / N * N, N, 1, i % N, 1)), 0, 1e-4);
    /* The same numbers as columns: three transforms whose elements are three apart. */
    int n = N, embed = N;
    d = device(v, sizeof v);
    WANT(cufftPlanMany(&plan, 1, &n, &embed, BATCH, 1, &embed, BATCH, 1, 0x29, BATCH), 0);
    WANT(cufftExecC2C(plan, d, d, -1), 0);
    WANT(cufftDestroy(plan), 0);
    back(got, d, sizeof got);
    for (int i = 0; i < N * BATCH; i++)
        NEAR(cabs(got[i] - dft(wide + i % BATCH, N, BATCH, i / BATCH, -1)), 0, 1e-4);
}

/* Real numbers to half of the complex ones and back, apart and in one place; cuFFT does not divide by their count. */
static void real_transforms(void)
{
    enum { R = 3, C = 5, H = C / 2 + 1 };
    int plan, inverse;
    double v[R * C], got[R * C], padded[R * 2 * H] = {0};
    c64 half[R * H];
    for (int i = 0; i < R * C; i++)
        padded[i / C * 2 * H + i % C] = v[i] = (double)(i * 7 % 13);
    void *d = device(v, sizeof v), *dh = device(half, sizeof half), *dp = device(padded, sizeof padded);
    WANT(cufftPlan2d(&plan, R, C, 0x6a), 0);
    WANT(cufftPlan2d(&inverse, R, C, 0x6c), 0);
    WANT(cufftExecD2Z(plan, d, dh), 0);
    WANT(cudaMemcpy(half, dh, sizeof half, 2), 0);
    for (int r = 0; r < R; r++)
        for (int k = 0; k < H; k++) {
            c64 sum = 0;
            for (int i = 0; i < R; i++)
                for (int j = 0; j < C; j++)
                    sum += v[i * C + j] * cexp(-2 * M_PI * I * ((double)i * r / R + (double)j * k / C));
            NEAR(cabs(half[r * H + k] - sum), 0, 1e-11);
        }
    WANT(cufftExecZ2D(inverse, dh, d), 0);
    back(got, d, sizeof got);
    for (int i = 0; i < R * C; i++)
        NEAR(got[i], R * C * v[i], 1e-10);
    c64 there[R * H];
    WANT(cufftExecD2Z(plan, dp, dp), 0);
    WANT(cudaMemcpy(there, dp, sizeof there, 2), 0);
    for (int i = 0; i < R * H; i++)
        NEAR(cabs(there[i] - half[i]), 0, 1e-11);
    WANT(cufftExecZ2D(inverse, dp, dp), 0);
    back(padded, dp, sizeof padded);
    for (int i = 0; i < R * C; i++)
        NEAR(padded[i / C * 2 * H + i % C], R * C * v[i], 1e-10);
    WANT(cudaFree(dh), 0), WANT(cufftDestroy(plan), 0), WANT(cufftDestroy(inverse), 0);
    WANT(cufftPlan1d(&plan, 0, 0x29, 1), 8), WANT(cufftPlan1d(&plan, 8, 0x29, 0), 8), WANT(cufftPlan1d(&plan, 8, 1, 1), 3);
}

static void random_words(void *d)
{
    enum { CNT = 262146 };
    static uint32_t w[CNT];
    void *g;
    WANT(curandCreateGenerator(&g, 100), 0);
    WANT(curandSetPseudoRandomGeneratorSeed(g, 1234), 0);
    WANT(curandGenerate(g, d, CNT), 0);
    WANT(cudaMemcpy(w, d, sizeof w, 2), 0);
    WANT(w[0], 0x253d5e15), WANT(w[1], 0xd1f7605a), WANT(w[2], 0x8ce6f6f8), WANT(w[4095], 0xe5dcbada), WANT(w[4096], 0x6f558604);
    WANT(w[4097], 0xed29ae49), WANT(w[8192], 0xdee6daf2), WANT(w[12288], 0x7485b394);
    WANT(curandSetGeneratorOffset(g, 5), 0);
    WANT(curandGenerate(g, d, 2), 0);
    WANT(cudaMemcpy(w, d, 8, 2), 0);
    WANT(w[0], 0xde75663f);
    WANT(curandSetPseudoRandomGeneratorSeed(g, 0x123456789abcdefULL), 0), WANT(curandSetGeneratorOffset(g, 4096), 0);
    WANT(curandGenerate(g, d, 2), 0);
    WANT(cudaMemcpy(w, d, 8, 2), 0);
    WANT(w[0], 0x3fcca938);
    WANT(curandSetGeneratorOrdering(g, 102), 104);
    WANT(curandDestroyGenerator(g), 0);
    WANT(curandCreateGenerator(&g, 161), 0);
    WANT(curandSetPseudoRandomGeneratorSeed(g, 1234), 0);
    WANT(curandGenerate(g, d, CNT), 0);
    WANT(cudaMemcpy(w, d, sizeof w, 2), 0);
    WANT(w[0], 0x2090b348), WANT(w[3], 0xcbca470e), WANT(w[4], 0xd115a128), WANT(w[4096], 0x7a6635c0), WANT(w[65536], 0xdf22962d);
    WANT(w[262144], 0x9eeede35), WANT(w[262145], 0x1cbe137c);
    WANT(curandDestroyGenerator(g), 0);
    WANT(curandCreateGenerator(&g, 121), 103); /* MRG32k3a is not there */
}

static void random_numbers(void *d)
{
    static float f[8194];
    double n[4];
    void *g;
    WANT(curandCreateGenerator(&g, 101), 0);
    WANT(curandSetPseudoRandomGeneratorSeed(g, 1234), 0);
    WANT(curandGenerateUniform(g, d, 2), 0);
    WANT(cudaMemcpy(f, d, 8, 2), 0);
    NEAR(f[0], 0.145467639, 1e-9), NEAR(f[1], 0.820180893, 1e-9);
    WANT(curandSetGeneratorOffset(g, 0), 0), WANT(curandGenerateNormal(g, d, 8194, 0, 1), 0);
    WANT(cudaMemcpy(f, d, sizeof f, 2), 0);
    NEAR(f[0], 0.780973554, 1e-6), NEAR(f[1], -1.80157816, 1e-6), NEAR(f[2], -0.280848563, 1e-6), NEAR(f[8192], 0.14628233, 1e-6);
    WANT(curandSetGeneratorOffset(g, 0), 0), WANT(curandGenerateUniformDouble(g, d, 2), 0);
    WANT(cudaMemcpy(n, d, 16, 2), 0);
    NEAR(n[0], 0.43489880438841294, 1e-16), NEAR(n[1], 0.92641692020243771, 2e-16);
    WANT(curandSetGeneratorOffset(g, 0), 0), WANT(curandGenerateNormalDouble(g, d, 4, 10, 2), 0);
    WANT(cudaMemcpy(n, d, 32, 2), 0);
    NEAR(n[0], 10 + 2 * 0.35873979852445503, 1e-13), NEAR(n[1], 10 - 2 * 1.239592503223552, 1e-13);
    WANT(curandGenerateNormal(g, d, 3, 0, 1), 105);
    WANT(curandDestroyGenerator(g), 0);
    WANT(curandCreateGeneratorHost(&g, 161), 0); /* to the host's memory */
    WANT(curandSetPseudoRandomGeneratorSeed(g, 1234), 0);
    WANT(curandGenerateNormalDouble(g, n, 2, 0, 1), 0);
    NEAR(n[0], -0.53952669590731883, 1e-14), NEAR(n[1], 0.16063334644202293, 1e-14);
    WANT(curandDestroyGenerator(g), 0);
}

static void captured(void)
{
    void *stream, *graph;
    const double x = 1;
    double *dx = device(&x, sizeof x);
    WANT(cudaStreamCreate(&stream), 0), WANT(cublasSetStream_v2(h, stream), 0), WANT(cudaStreamBeginCapture(stream, 0), 0);
    WANT(cublasDaxpy_v2(h, 1, &x, dx, 1, dx, 1), 15);
    WANT(cudaStreamEndCapture(stream, &graph), 0), WANT(cublasSetStream_v2(h, NULL), 0);
    WANT(cudaFree(dx), 0);
}

int main(int argc, char **argv)
{
    int plan;
    void *d, *g;
    if (argc > 1 && strcmp(argv[1], "refused") == 0) {
        WANT(cublasCreate_v2(&h), 15), WANT(curandCreateGenerator(&g, 100), 203), WANT(cufftPlan1d(&plan, 8, 0x29, 1), 7);
        return bad;
    }
    WANT(cublasCreate_v2(&h), 0);
    products(), complex_products(), batches(), types(), matrices(), vectors();
    transforms(), real_transforms();
    WANT(cudaMalloc(&d, 2 << 20), 0);
    random_words(d), random_numbers(d);
    captured();
    WANT(cublasDgemv_v2(NULL, 0, 1, 1, NULL, NULL, 1, NULL, 1, NULL, NULL, 1), 1);
    WANT(cublasDestroy_v2(h), 0), WANT(cudaDeviceSynchronize(), 0);
    printf("%d wrong\n", bad);
    return bad;
}
