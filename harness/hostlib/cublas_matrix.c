/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS, levels 2 and 3 but for products of two whole matrices: what CBLAS has under the same name. */
#include "hostlib/cublas_call.h"

#define A_OF(rows, columns, lda)                                                       \
    {                                                                                  \
        (void *)(uintptr_t)a, cw_matrix_bytes(rows, columns, lda, sizeof *a), false, 0 \
    }
#define B_OF(rows, columns, ldb, write)                                                \
    {                                                                                  \
        (void *)(uintptr_t)b, cw_matrix_bytes(rows, columns, ldb, sizeof *b), write, 0 \
    }
#define C_OF(rows, columns, ldc)                                                      \
    {                                                                                 \
        (void *)(uintptr_t)c, cw_matrix_bytes(rows, columns, ldc, sizeof *c), true, 0 \
    }
#define X_OF(n, write)                                                      \
    {                                                                       \
        (void *)(uintptr_t)x, cw_vector_bytes(n, incx, sizeof *x), write, 0 \
    }
#define Y_OF(n, write)                                                      \
    {                                                                       \
        (void *)(uintptr_t)y, cw_vector_bytes(n, incy, sizeof *y), write, 0 \
    }

/* U: the letter of cuBLAS, l: of CBLAS, T: element, S: what CBLAS takes as scalar, P: how */
#define GEMV(U, l, T, S, P)                                                                                                                \
    int cublas##U##gemv_v2(const struct cublas_handle *h, int op, int m, int n, const T *alpha, const T *a, int lda, const T *x, int incx, \
                           const T *beta, T *y, int incy)                                                                                  \
    {                                                                                                                                      \
        typedef void call(int, int, int, int, S, const void *, int, const void *, int, S, void *, int);                                    \
        T sa, sb;                                                                                                                          \
        struct cw_operand o[] = {A_OF(m, n, lda), X_OF(op == 0 ? n : m, false), Y_OF(op == 0 ? m : n, true)};                              \
        BEGIN(cw_cblas_trans(op) < 0 || m < 0 || n < 0 || lda < m || lda < 1 || incx == 0 || incy == 0);                                   \
        SCALAR(sa, alpha);                                                                                                                 \
        SCALAR(sb, beta);                                                                                                                  \
        FETCH("cblas_" #l "gemv");                                                                                                         \
        f(CBLAS_COLUMNS, cw_cblas_trans(op), m, n, P(sa), o[0].host, lda, o[1].host, incx, P(sb), o[2].host, incy);                        \
        return PUT();                                                                                                                      \
    }
GEMV(S, s, float, float, BY_VALUE)
GEMV(D, d, double, double, BY_VALUE)
GEMV(C, c, cw_c32, const void *, BY_ADDRESS)
GEMV(Z, z, cw_c64, const void *, BY_ADDRESS)

#define GER(U, l, T, S, P, kind)                                                                                                      \
    int cublas##U##kind##_v2(const struct cublas_handle *h, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, \
                             T *c, int ldc)                                                                                           \
    {                                                                                                                                 \
        typedef void call(int, int, int, S, const void *, int, const void *, int, void *, int);                                       \
        T sa;                                                                                                                         \
        struct cw_operand o[] = {X_OF(m, false), Y_OF(n, false), C_OF(m, n, ldc)};                                                    \
        BEGIN(m < 0 || n < 0 || ldc < m || ldc < 1 || incx == 0 || incy == 0);                                                        \
        SCALAR(sa, alpha);                                                                                                            \
        FETCH("cblas_" #l #kind);                                                                                                     \
        f(CBLAS_COLUMNS, m, n, P(sa), o[0].host, incx, o[1].host, incy, o[2].host, ldc);                                              \
        return PUT();                                                                                                                 \
    }
GER(S, s, float, float, BY_VALUE, ger)
GER(D, d, double, double, BY_VALUE, ger)
GER(C, c, cw_c32, const void *, BY_ADDRESS, geru)
GER(C, c, cw_c32, const void *, BY_ADDRESS, gerc)
GER(Z, z, cw_c64, const void *, BY_ADDRESS, geru)
GER(Z, z, cw_c64, const void *, BY_ADDRESS, gerc)

#define SYMV(U, l, T)                                                                                                                 \
    int cublas##U##symv_v2(const struct cublas_handle *h, int fill, int n, const T *alpha, const T *a, int lda, const T *x, int incx, \
                           const T *beta, T *y, int incy)                                                                             \
    {                                                                                                                                 \
        typedef void call(int, int, int, T, const void *, int, const void *, int, T, void *, int);                                    \
        T sa, sb;                                                                                                                     \
        struct cw_operand o[] = {A_OF(n, n, lda), X_OF(n, false), Y_OF(n, true)};                                                     \
        BEGIN(cw_cblas_fill(fill) < 0 || n < 0 || lda < n || lda < 1 || incx == 0 || incy == 0);                                      \
        SCALAR(sa, alpha);                                                                                                            \
        SCALAR(sb, beta);                                                                                                             \
        FETCH("cblas_" #l "symv");                                                                                                    \
        f(CBLAS_COLUMNS, cw_cblas_fill(fill), n, sa, o[0].host, lda, o[1].host, incx, sb, o[2].host, incy);                           \
        return PUT();                                                                                                                 \
    }
SYMV(S, s, float)
SYMV(D, d, double)

#define TRIANGULAR_VECTOR(U, l, T, what)                                                                                                 \
    int cublas##U##what##_v2(const struct cublas_handle *h, int fill, int op, int diag, int n, const T *a, int lda, T *x, int incx)      \
    {                                                                                                                                    \
        typedef void call(int, int, int, int, int, const void *, int, void *, int);                                                      \
        struct cw_operand o[] = {A_OF(n, n, lda), X_OF(n, true)};                                                                        \
        BEGIN(cw_cblas_fill(fill) < 0 || cw_cblas_trans(op) < 0 || cw_cblas_diag(diag) < 0 || n < 0 || lda < n || lda < 1 || incx == 0); \
        FETCH("cblas_" #l #what);                                                                                                        \
        f(CBLAS_COLUMNS, cw_cblas_fill(fill), cw_cblas_trans(op), cw_cblas_diag(diag), n, o[0].host, lda, o[1].host, incx);              \
        return PUT();                                                                                                                    \
    }
TRIANGULAR_VECTOR(S, s, float, trsv)
TRIANGULAR_VECTOR(D, d, double, trsv)
TRIANGULAR_VECTOR(C, c, cw_c32, trsv)
TRIANGULAR_VECTOR(Z, z, cw_c64, trsv)
TRIANGULAR_VECTOR(S, s, float, trmv)
TRIANGULAR_VECTOR(D, d, double, trmv)

#define SYMM(U, l, T, S, P, what)                                                                                                       \
    int cublas##U##what##_v2(const struct cublas_handle *h, int side, int fill, int m, int n, const T *alpha, const T *a, int lda,      \
                             const T *b, int ldb, const T *beta, T *c, int ldc)                                                         \
    {                                                                                                                                   \
        typedef void call(int, int, int, int, int, S, const void *, int, const void *, int, S, void *, int);                            \
        T sa, sb;                                                                                                                       \
        const int order = side == 0 ? m : n;                                                                                            \
        struct cw_operand o[] = {A_OF(order, order, lda), B_OF(m, n, ldb, false), C_OF(m, n, ldc)};                                     \
        BEGIN(cw_cblas_side(side) < 0 || cw_cblas_fill(fill) < 0 || m < 0 || n < 0 || lda < order || lda < 1 || ldb < m || ldb < 1 ||   \
              ldc < m || ldc < 1);                                                                                                      \
        SCALAR(sa, alpha);                                                                                                              \
        SCALAR(sb, beta);                                                                                                               \
        FETCH("cblas_" #l #what);                                                                                                       \
        f(CBLAS_COLUMNS, cw_cblas_side(side), cw_cblas_fill(fill), m, n, P(sa), o[0].host, lda, o[1].host, ldb, P(sb), o[2].host, ldc); \
        return PUT();                                                                                                                   \
    }
SYMM(S, s, float, float, BY_VALUE, symm)
SYMM(D, d, double, double, BY_VALUE, symm)
SYMM(C, c, cw_c32, const void *, BY_ADDRESS, symm)
SYMM(Z, z, cw_c64, const void *, BY_ADDRESS, symm)
SYMM(C, c, cw_c32, const void *, BY_ADDRESS, hemm)
SYMM(Z, z, cw_c64, const void *, BY_ADDRESS, hemm)

/* R: type of the scalars, real for hermitian matrices */
#define SYRK(U, l, T, R, S, P, what)                                                                                                  \
    int cublas##U##what##_v2(const struct cublas_handle *h, int fill, int op, int n, int k, const R *alpha, const T *a, int lda,      \
                             const R *beta, T *c, int ldc)                                                                            \
    {                                                                                                                                 \
        typedef void call(int, int, int, int, int, S, const void *, int, S, void *, int);                                             \
        R sa, sb;                                                                                                                     \
        struct cw_operand o[] = {A_OF(op == 0 ? n : k, op == 0 ? k : n, lda), C_OF(n, n, ldc)};                                       \
        BEGIN(cw_cblas_fill(fill) < 0 || cw_cblas_trans(op) < 0 || n < 0 || k < 0 || lda < (op == 0 ? n : k) || lda < 1 || ldc < n || \
              ldc < 1);                                                                                                               \
        SCALAR(sa, alpha);                                                                                                            \
        SCALAR(sb, beta);                                                                                                             \
        FETCH("cblas_" #l #what);                                                                                                     \
        f(CBLAS_COLUMNS, cw_cblas_fill(fill), cw_cblas_trans(op), n, k, P(sa), o[0].host, lda, P(sb), o[1].host, ldc);                \
        return PUT();                                                                                                                 \
    }
SYRK(S, s, float, float, float, BY_VALUE, syrk)
SYRK(D, d, double, double, double, BY_VALUE, syrk)
SYRK(C, c, cw_c32, cw_c32, const void *, BY_ADDRESS, syrk)
SYRK(Z, z, cw_c64, cw_c64, const void *, BY_ADDRESS, syrk)
SYRK(C, c, cw_c32, float, float, BY_VALUE, herk)
SYRK(Z, z, cw_c64, double, double, BY_VALUE, herk)

#define TRSM(U, l, T, S, P)                                                                                                                \
    int cublas##U##trsm_v2(const struct cublas_handle *h, int side, int fill, int op, int diag, int m, int n, const T *alpha, const T *a,  \
                           int lda, T *b, int ldb)                                                                                         \
    {                                                                                                                                      \
        typedef void call(int, int, int, int, int, int, int, S, const void *, int, void *, int);                                           \
        T sa;                                                                                                                              \
        const int order = side == 0 ? m : n;                                                                                               \
        struct cw_operand o[] = {A_OF(order, order, lda), B_OF(m, n, ldb, true)};                                                          \
        BEGIN(cw_cblas_side(side) < 0 || cw_cblas_fill(fill) < 0 || cw_cblas_trans(op) < 0 || cw_cblas_diag(diag) < 0 || m < 0 || n < 0 || \
              lda < order || lda < 1 || ldb < m || ldb < 1);                                                                               \
        SCALAR(sa, alpha);                                                                                                                 \
        FETCH("cblas_" #l "trsm");                                                                                                         \
        f(CBLAS_COLUMNS, cw_cblas_side(side), cw_cblas_fill(fill), cw_cblas_trans(op), cw_cblas_diag(diag), m, n, P(sa), o[0].host, lda,   \
          o[1].host, ldb);                                                                                                                 \
        return PUT();                                                                                                                      \
    }
TRSM(S, s, float, float, BY_VALUE)
TRSM(D, d, double, double, BY_VALUE)
TRSM(C, c, cw_c32, const void *, BY_ADDRESS)
TRSM(Z, z, cw_c64, const void *, BY_ADDRESS)
