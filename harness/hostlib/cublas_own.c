/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS: what BLAS does not have: sums of matrices, products with a diagonal one. */
#include "hostlib/cublas.h"

/* Element (i, j) of op(A). */
#define AT(v, op, i, j, ld) ((op) == 0 ? (v)[(size_t)(i) + (size_t)(j) * (size_t)(ld)] : (v)[(size_t)(j) + (size_t)(i) * (size_t)(ld)])

static bool is_wrong(int op, int m, int n, int ld)
{
    return op < 0 || op > 2 || m < 0 || n < 0 || ld < 1 || ld < (op == 0 ? m : n);
}

/* C = alpha op(A) + beta op(B). A matrix whose factor is 0 is not read. */
#define GEAM(U, T)                                                                                                            \
    int cublas##U##geam(const struct cublas_handle *h, int op_a, int op_b, int m, int n, const T *alpha, const T *a, int lda, \
                        const T *beta, const T *b, int ldb, T *c, int ldc)                                                    \
    {                                                                                                                         \
        T sa = 0, sb = 0;                                                                                                     \
        int status = cw_cublas_begin(h);                                                                                      \
        if (status == CUBLAS_OK && (is_wrong(op_a, m, n, lda) || is_wrong(op_b, m, n, ldb) || is_wrong(0, m, n, ldc)))        \
            status = CUBLAS_INVALID_VALUE;                                                                                    \
        if (status == CUBLAS_OK)                                                                                              \
            status = cw_cublas_scalar(h, &sa, alpha, sizeof sa);                                                              \
        if (status == CUBLAS_OK)                                                                                              \
            status = cw_cublas_scalar(h, &sb, beta, sizeof sb);                                                               \
        const bool with_a = sa < 0 || sa > 0 || sa != sa, with_b = sb < 0 || sb > 0 || sb != sb;                              \
        const int ra = op_a == 0 ? m : n, ca = op_a == 0 ? n : m, rb = op_b == 0 ? m : n, cb = op_b == 0 ? n : m;             \
        struct cw_operand o[] = {{(void *)(uintptr_t)a, with_a ? cw_matrix_bytes(ra, ca, lda, sizeof *a) : 0, false, 0},      \
                                 {(void *)(uintptr_t)b, with_b ? cw_matrix_bytes(rb, cb, ldb, sizeof *b) : 0, false, 0},      \
                                 {c, cw_matrix_bytes(m, n, ldc, sizeof *c), true, 0}};                                        \
        if (status == CUBLAS_OK)                                                                                              \
            status = cw_cublas_status(cw_operands_get(o, 3));                                                                 \
        if (status != CUBLAS_OK)                                                                                              \
            return status;                                                                                                    \
        const T *va = o[0].host, *vb = o[1].host;                                                                             \
        for (int j = 0; j < n; j++)                                                                                           \
            for (int i = 0; i < m; i++)                                                                                       \
                ((T *)o[2].host)[(size_t)i + (size_t)j * (size_t)ldc] =                                                       \
                    (with_a ? sa * AT(va, op_a, i, j, lda) : 0) + (with_b ? sb * AT(vb, op_b, i, j, ldb) : 0);                \
        return cw_cublas_status(cw_operands_put(o, 3));                                                                       \
    }
GEAM(S, float)
GEAM(D, double)

/* C = diag(x) A (side 0) or A diag(x). */
#define DGMM(U, T)                                                                                                                       \
    int cublas##U##dgmm(const struct cublas_handle *h, int side, int m, int n, const T *a, int lda, const T *x, int incx, T *c, int ldc) \
    {                                                                                                                                    \
        const int order = side == 0 ? m : n;                                                                                             \
        int status = cw_cublas_begin(h);                                                                                                 \
        if (status == CUBLAS_OK && (cw_cblas_side(side) < 0 || is_wrong(0, m, n, lda) || is_wrong(0, m, n, ldc)))                        \
            status = CUBLAS_INVALID_VALUE;                                                                                               \
        struct cw_operand o[] = {{(void *)(uintptr_t)a, cw_matrix_bytes(m, n, lda, sizeof *a), false, 0},                                \
                                 {(void *)(uintptr_t)x, cw_vector_bytes(order, incx, sizeof *x), false, 0},                              \
                                 {c, cw_matrix_bytes(m, n, ldc, sizeof *c), true, 0}};                                                   \
        if (status == CUBLAS_OK)                                                                                                         \
            status = cw_cublas_status(cw_operands_get(o, 3));                                                                            \
        if (status != CUBLAS_OK)                                                                                                         \
            return status;                                                                                                               \
        const T *va = o[0].host, *vx = o[1].host;                                                                                        \
        for (int j = 0; j < n; j++)                                                                                                      \
            for (int i = 0; i < m; i++) {                                                                                                \
                const long at = (long)(side == 0 ? i : j) * incx + (incx < 0 ? (long)(1 - order) * incx : 0);                            \
                ((T *)o[2].host)[(size_t)i + (size_t)j * (size_t)ldc] = vx[at] * AT(va, 0, i, j, lda);                                   \
            }                                                                                                                            \
        return cw_cublas_status(cw_operands_put(o, 3));                                                                                  \
    }
DGMM(S, float)
DGMM(D, double)
