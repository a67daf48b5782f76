/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS: products of two matrices, one or many, also of halves and bytes. */
#include "hostlib/cublas.h"

#include <stdlib.h>
#include <string.h>

struct shape {
    int op_a, op_b, m, n, k, lda, ldb, ldc;
};

static size_t a_bytes(const struct shape *s, size_t element)
{
    return s->op_a == 0 ? cw_matrix_bytes(s->m, s->k, s->lda, element) : cw_matrix_bytes(s->k, s->m, s->lda, element);
}

static size_t b_bytes(const struct shape *s, size_t element)
{
    return s->op_b == 0 ? cw_matrix_bytes(s->k, s->n, s->ldb, element) : cw_matrix_bytes(s->n, s->k, s->ldb, element);
}

static bool is_wrong(const struct shape *s)
{
    const int rows_a = s->op_a == 0 ? s->m : s->k, rows_b = s->op_b == 0 ? s->k : s->n;
    return cw_cblas_trans(s->op_a) < 0 || cw_cblas_trans(s->op_b) < 0 || s->m < 0 || s->n < 0 || s->k < 0 || s->lda < 1 || s->ldb < 1 ||
           s->ldc < 1 || s->lda < rows_a || s->ldb < rows_b || s->ldc < s->m;
}

/* One product, after the checks. T: element, S: what CBLAS takes as scalar, P: how */
#define PRODUCT(l, T, S, P)                                                                                                          \
    static int product_##l(const struct shape *s, T alpha, const void *a, const void *b, T beta, void *c)                            \
    {                                                                                                                                \
        typedef void call(int, int, int, int, int, int, S, const void *, int, const void *, int, S, void *, int);                    \
        call *const f = (call *)(uintptr_t)cw_cblas("cblas_" #l "gemm");                                                             \
        struct cw_operand o[] = {{(void *)(uintptr_t)a, a_bytes(s, sizeof(T)), false, 0},                                            \
                                 {(void *)(uintptr_t)b, b_bytes(s, sizeof(T)), false, 0},                                            \
                                 {c, cw_matrix_bytes(s->m, s->n, s->ldc, sizeof(T)), true, 0}};                                      \
        if (f == NULL)                                                                                                               \
            return CUBLAS_NOT_SUPPORTED;                                                                                             \
        const int status = cw_cublas_status(cw_operands_get(o, 3));                                                                  \
        if (status != CUBLAS_OK)                                                                                                     \
            return status;                                                                                                           \
        f(CBLAS_COLUMNS, cw_cblas_trans(s->op_a), cw_cblas_trans(s->op_b), s->m, s->n, s->k, P(alpha), o[0].host, s->lda, o[1].host, \
          s->ldb, P(beta), o[2].host, s->ldc);                                                                                       \
        return cw_cublas_status(cw_operands_put(o, 3));                                                                              \
    }
PRODUCT(s, float, float, BY_VALUE)
PRODUCT(d, double, double, BY_VALUE)
PRODUCT(c, cw_c32, const void *, BY_ADDRESS)
PRODUCT(z, cw_c64, const void *, BY_ADDRESS)

#define BEGIN(T)                                                 \
    const struct shape s = {op_a, op_b, m, n, k, lda, ldb, ldc}; \
    T sa, sb;                                                    \
    int status = cw_cublas_begin(h);                             \
    if (status == CUBLAS_OK && is_wrong(&s))                     \
        status = CUBLAS_INVALID_VALUE;                           \
    if (status == CUBLAS_OK)                                     \
        status = cw_cublas_scalar(h, &sa, alpha, sizeof sa);     \
    if (status == CUBLAS_OK)                                     \
    status = cw_cublas_scalar(h, &sb, beta, sizeof sb)

#define GEMM(U, l, T)                                                                                                                     \
    int cublas##U##gemm_v2(const struct cublas_handle *h, int op_a, int op_b, int m, int n, int k, const T *alpha, const T *a, int lda,   \
                           const T *b, int ldb, const T *beta, T *c, int ldc)                                                             \
    {                                                                                                                                     \
        BEGIN(T);                                                                                                                         \
        return status == CUBLAS_OK ? product_##l(&s, sa, a, b, sb, c) : status;                                                           \
    }                                                                                                                                     \
    int cublas##U##gemmStridedBatched(const struct cublas_handle *h, int op_a, int op_b, int m, int n, int k, const T *alpha, const T *a, \
                                      int lda, long long step_a, const T *b, int ldb, long long step_b, const T *beta, T *c, int ldc,     \
                                      long long step_c, int count)                                                                        \
    {                                                                                                                                     \
        BEGIN(T);                                                                                                                         \
        for (long long i = 0; status == CUBLAS_OK && i < count; i++)                                                                      \
            status = product_##l(&s, sa, a + i * step_a, b + i * step_b, sb, c + i * step_c);                                             \
        return status;                                                                                                                    \
    }                                                                                                                                     \
    int cublas##U##gemmBatched(const struct cublas_handle *h, int op_a, int op_b, int m, int n, int k, const T *alpha, const T *const *a, \
                               int lda, const T *const *b, int ldb, const T *beta, T *const *c, int ldc, int count)                       \
    {                                                                                                                                     \
        const size_t bytes = count > 0 ? (size_t)count * sizeof(void *) : 0; /* the lists of addresses are the device's, too */           \
        struct cw_operand list[] = {                                                                                                      \
            {(void *)(uintptr_t)a, bytes, false, 0}, {(void *)(uintptr_t)b, bytes, false, 0}, {(void *)(uintptr_t)c, bytes, false, 0}};   \
        BEGIN(T);                                                                                                                         \
        if (status == CUBLAS_OK)                                                                                                          \
            status = cw_cublas_status(cw_operands_get(list, 3));                                                                          \
        if (status != CUBLAS_OK)                                                                                                          \
            return status;                                                                                                                \
        for (int i = 0; status == CUBLAS_OK && i < count; i++)                                                                            \
            status = product_##l(&s, sa, ((void **)list[0].host)[i], ((void **)list[1].host)[i], sb, ((void **)list[2].host)[i]);         \
        cw_operands_put(list, 3);                                                                                                         \
        return status;                                                                                                                    \
    }
GEMM(S, s, float)
GEMM(D, d, double)
GEMM(C, c, cw_c32)
GEMM(Z, z, cw_c64)

/* Elements of other types. They are computed as doubles, whose sums of products of halves and bytes lose nothing that a card keeps. */

enum { TYPE_F32 = 0, TYPE_F64 = 1, TYPE_F16 = 2, TYPE_I8 = 3, TYPE_I32 = 10, TYPE_BF16 = 14 }; /* cudaDataType_t */

static size_t type_bytes(int type)
{
    switch (type) {
    case TYPE_I8:
        return 1;
    case TYPE_F16:
    case TYPE_BF16:
        return 2;
    case TYPE_F32:
    case TYPE_I32:
        return 4;
    case TYPE_F64:
        return 8;
    default:
        return 0;
    }
}

static float bits_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static double from_half(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exponent = h >> 10 & 31u, fraction = h & 1023u;
    if (exponent == 0) /* a multiple of 2^-24 */
        return (sign != 0 ? -1.0 : 1.0) * fraction / 16777216.0;
    return bits_float(sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13);
}

/* To nearest, ties to even, first to single precision, as a card rounds its sums. */
static uint16_t to_half(double value)
{
    const float f = (float)value;
    const uint32_t bits = float_bits(f), magnitude = bits & 0x7fffffffu;
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
    if (magnitude > 0x7f800000u)
        return 0x7fff;
    if (magnitude >= 0x477ff000u) /* 65520 and more */
        return sign | 0x7c00;
    if (magnitude < 0x38800000u) /* below 2^-14: the sum with 0.5 has its unit at 2^-24 */
        return (uint16_t)(sign | (float_bits(bits_float(magnitude) + 0.5f) - 0x3f000000u));
    const uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
    return (uint16_t)(sign | (rounded - 0x38000000u) >> 13);
}

static uint16_t to_bfloat(double value)
{
    const uint32_t bits = float_bits((float)value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return 0x7fff;
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

static void to_doubles(double *to, const void *from, size_t cnt, int type)
{
    for (size_t i = 0; i < cnt; i++)
        switch (type) {
        case TYPE_F32:
            to[i] = (double)((const float *)from)[i];
            break;
        case TYPE_F64:
            to[i] = ((const double *)from)[i];
            break;
        case TYPE_F16:
            to[i] = from_half(((const uint16_t *)from)[i]);
            break;
        case TYPE_BF16:
            to[i] = (double)bits_float((uint32_t)((const uint16_t *)from)[i] << 16);
            break;
        case TYPE_I8:
            to[i] = ((const int8_t *)from)[i];
            break;
        default:
            to[i] = ((const int32_t *)from)[i];
        }
}

static void from_doubles(void *to, const double *from, size_t cnt, int type)
{
    for (size_t i = 0; i < cnt; i++)
        switch (type) {
        case TYPE_F32:
            ((float *)to)[i] = (float)from[i];
            break;
        case TYPE_F64:
            ((double *)to)[i] = from[i];
            break;
        case TYPE_F16:
            ((uint16_t *)to)[i] = to_half(from[i]);
            break;
        case TYPE_BF16:
            ((uint16_t *)to)[i] = to_bfloat(from[i]);
            break;
        default:
            ((int32_t *)to)[i] = (int32_t)from[i];
        }
}

struct types {
    int a, b, c;
};

static int product_mixed(const struct shape *s, const struct types *t, double alpha, const void *a, const void *b, double beta, void *c)
{
    typedef void call(int, int, int, int, int, int, double, const void *, int, const void *, int, double, void *, int);
    call *const f = (call *)(uintptr_t)cw_cblas("cblas_dgemm");
    const int type[3] = {t->a, t->b, t->c};
    struct cw_operand o[] = {{(void *)(uintptr_t)a, a_bytes(s, type_bytes(t->a)), false, 0},
                             {(void *)(uintptr_t)b, b_bytes(s, type_bytes(t->b)), false, 0},
                             {c, cw_matrix_bytes(s->m, s->n, s->ldc, type_bytes(t->c)), true, 0}};
    double *wide[3] = {NULL, NULL, NULL};
    if (f == NULL)
        return CUBLAS_NOT_SUPPORTED;
    int status = cw_cublas_status(cw_operands_get(o, 3));
    if (status != CUBLAS_OK)
        return status;
    for (int i = 0; i < 3; i++) {
        const size_t cnt = o[i].bytes / type_bytes(type[i]);
        wide[i] = malloc((cnt + 1) * sizeof(double));
        if (wide[i] == NULL)
            status = CUBLAS_ALLOC_FAILED;
        else
            to_doubles(wide[i], o[i].host, cnt, type[i]);
    }
    if (status == CUBLAS_OK) {
        f(CBLAS_COLUMNS, cw_cblas_trans(s->op_a), cw_cblas_trans(s->op_b), s->m, s->n, s->k, alpha, wide[0], s->lda, wide[1], s->ldb, beta,
          wide[2], s->ldc);
        from_doubles(o[2].host, wide[2], o[2].bytes / type_bytes(type[2]), type[2]);
    }
    for (int i = 0; i < 3; i++)
        free(wide[i]);
    o[2].written = status == CUBLAS_OK;
    const int put = cw_cublas_status(cw_operands_put(o, 3));
    return status == CUBLAS_OK ? put : status;
}

/* Type of alpha and beta of a cublasComputeType_t; the older cudaDataType_t has its numbers, too. -1: none. */
static int compute_type(int compute)
{
    switch (compute) {
    case 64: /* CUBLAS_COMPUTE_16F, and pedantic */
    case 65:
        return TYPE_F16;
    case 68: /* CUBLAS_COMPUTE_32F, pedantic, and those that may round operands */
    case 69:
    case 74:
    case 75:
    case 77:
        return TYPE_F32;
    case 70:
    case 71:
        return TYPE_F64;
    case 72:
    case 73:
        return TYPE_I32;
    default:
        return compute == TYPE_F32 || compute == TYPE_F64 || compute == TYPE_F16 || compute == TYPE_I32 ? compute : -1;
    }
}

static int mixed_scalar(const struct cublas_handle *h, double *value, const void *from, int type)
{
    cw_c64 bits = {0, 0}; /* room for any */
    const int status = cw_cublas_scalar(h, &bits, from, type_bytes(type));
    to_doubles(value, &bits, 1, type);
    return status;
}

/* Which types cuBLAS lets stand together. */
static bool is_allowed(const struct types *t, int scalar)
{
    if (t->a != t->b)
        return false;
    if (scalar == TYPE_I32)
        return t->a == TYPE_I8 && t->c == TYPE_I32;
    if (scalar == TYPE_F64)
        return t->a == TYPE_F64 && t->c == TYPE_F64;
    if (scalar == TYPE_F16)
        return t->a == TYPE_F16 && t->c == TYPE_F16;
    return (t->c == TYPE_F32 && (t->a == TYPE_F32 || t->a == TYPE_F16 || t->a == TYPE_BF16 || t->a == TYPE_I8)) ||
           (t->c == t->a && (t->a == TYPE_F16 || t->a == TYPE_BF16));
}

int cublasGemmStridedBatchedEx(const struct cublas_handle *h, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a,
                               int type_a, int lda, long long step_a, const void *b, int type_b, int ldb, long long step_b,
                               const void *beta, void *c, int type_c, int ldc, long long step_c, int count, int compute, int algorithm)
{
    const struct shape s = {op_a, op_b, m, n, k, lda, ldb, ldc};
    const struct types t = {type_a, type_b, type_c};
    const int scalar = compute_type(compute);
    double sa = 0, sb = 0;
    (void)algorithm;
    int status = cw_cublas_begin(h);
    if (status == CUBLAS_OK && is_wrong(&s))
        status = CUBLAS_INVALID_VALUE;
    if (status == CUBLAS_OK && (scalar < 0 || !is_allowed(&t, scalar)))
        status = CUBLAS_NOT_SUPPORTED;
    if (status == CUBLAS_OK)
        status = mixed_scalar(h, &sa, alpha, scalar);
    if (status == CUBLAS_OK)
        status = mixed_scalar(h, &sb, beta, scalar);
    for (long long i = 0; status == CUBLAS_OK && i < count; i++)
        status = product_mixed(&s, &t, sa, (const char *)a + i * step_a * (long long)type_bytes(type_a),
                               (const char *)b + i * step_b * (long long)type_bytes(type_b), sb,
                               (char *)c + i * step_c * (long long)type_bytes(type_c));
    return status;
}

int cublasGemmEx(const struct cublas_handle *h, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a, int type_a,
                 int lda, const void *b, int type_b, int ldb, const void *beta, void *c, int type_c, int ldc, int compute, int algorithm)
{
    return cublasGemmStridedBatchedEx(h, op_a, op_b, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb, 0, beta, c, type_c, ldc, 0, 1,
                                      compute, algorithm);
}

int cublasSgemmEx(const struct cublas_handle *h, int op_a, int op_b, int m, int n, int k, const float *alpha, const void *a, int type_a,
                  int lda, const void *b, int type_b, int ldb, const float *beta, void *c, int type_c, int ldc)
{
    return cublasGemmEx(h, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, 68, 0);
}

int cublasHgemm(const struct cublas_handle *h, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a, int lda,
                const void *b, int ldb, const void *beta, void *c, int ldc)
{
    return cublasGemmEx(h, op_a, op_b, m, n, k, alpha, a, TYPE_F16, lda, b, TYPE_F16, ldb, beta, c, TYPE_F16, ldc, 64, 0);
}
