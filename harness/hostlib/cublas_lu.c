/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS: many small matrices at once, as products of triangles (getrf), their inverses (getri), and equations with them (getrs). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hostlib/cublas.h"

/* What the functions of one call share. All addresses are the device's. */
struct batch {
    int n, columns, lda, ldb, count;
    void *const *a, *const *b; /* lists of matrices; b NULL: there is none */
    const int *pivot;          /* NULL: rows stay where they are */
    int *pivot_to, *info;      /* results; NULL: none */
    bool transposed;
};

typedef int one_matrix(const struct batch *t, void *a, int *pivot, void *b);

/* Calls `what` with each matrix in host memory; its answer is the matrix's info. */
static int each(const struct cublas_handle *h, const struct batch *t, size_t element, bool changes_a, one_matrix *what)
{
    const size_t list = t->count > 0 ? (size_t)t->count * sizeof(void *) : 0, pivots = (size_t)t->count * (size_t)t->n * sizeof(int);
    int *const pivot = t->pivot_to != NULL ? t->pivot_to : (int *)(uintptr_t)t->pivot;
    int status = cw_cublas_begin(h);
    if (status == CUBLAS_OK &&
        (t->n < 0 || t->columns < 0 || t->count < 0 || t->lda < t->n || t->lda < 1 || (t->b != NULL && t->ldb < t->n)))
        status = CUBLAS_INVALID_VALUE;
    if (status != CUBLAS_OK || t->count == 0 || t->n == 0)
        return status;
    struct cw_operand all[] = {{(void *)(uintptr_t)t->a, list, false, 0},
                               {(void *)(uintptr_t)t->b, t->b != NULL ? list : 0, false, 0},
                               {pivot, pivot != NULL ? pivots : 0, t->pivot_to != NULL, 0},
                               {t->info, t->info != NULL ? (size_t)t->count * sizeof(int) : 0, true, 0}};
    status = cw_cublas_status(cw_operands_get(all, 4));
    if (status != CUBLAS_OK)
        return status;
    for (int i = 0; status == CUBLAS_OK && i < t->count; i++) {
        struct cw_operand o[] = {{((void **)all[0].host)[i], cw_matrix_bytes(t->n, t->n, t->lda, element), changes_a, 0},
                                 {t->b != NULL ? ((void **)all[1].host)[i] : NULL,
                                  t->b != NULL ? cw_matrix_bytes(t->n, t->columns, t->ldb, element) : 0, true, 0}};
        status = cw_cublas_status(cw_operands_get(o, 2));
        if (status != CUBLAS_OK)
            break;
        const int info = what(t, o[0].host, pivot != NULL ? (int *)all[2].host + (size_t)i * (size_t)t->n : NULL, o[1].host);
        if (t->info != NULL)
            ((int *)all[3].host)[i] = info;
        status = cw_cublas_status(cw_operands_put(o, 2));
    }
    const int put = cw_cublas_status(cw_operands_put(all, 4));
    return status == CUBLAS_OK ? put : status;
}

/* factor: A = P L U in place, by rows of the largest element in a column. Returns the first column whose pivot is 0, counted from 1; 0: none.
 * solve: B = inverse of A, or of its transpose, times B. invert: C = inverse of A. */
#define LU(l, T, ABS)                                                                                        \
    static void swap_##l(T *a, int ld, int columns, int r, int s)                                            \
    {                                                                                                        \
        for (int c = 0; r != s && c < columns; c++) {                                                        \
            const T x = a[r + (ptrdiff_t)c * (ptrdiff_t)ld];                                                 \
            a[r + (ptrdiff_t)c * (ptrdiff_t)ld] = a[s + (ptrdiff_t)c * (ptrdiff_t)ld];                       \
            a[s + (ptrdiff_t)c * (ptrdiff_t)ld] = x;                                                         \
        }                                                                                                    \
    }                                                                                                        \
    static int factor_##l(const struct batch *t, void *at, int *pivot, void *none)                           \
    {                                                                                                        \
        T *const a = at;                                                                                     \
        const ptrdiff_t ld = (ptrdiff_t)t->lda;                                                              \
        int info = 0;                                                                                        \
        (void)none;                                                                                          \
        for (int k = 0; k < t->n; k++) {                                                                     \
            int largest = k;                                                                                 \
            for (int r = k + 1; pivot != NULL && r < t->n; r++)                                              \
                if (ABS(a[r + (ptrdiff_t)k * ld]) > ABS(a[largest + (ptrdiff_t)k * ld]))                     \
                    largest = r;                                                                             \
            if (pivot != NULL)                                                                               \
                pivot[k] = largest + 1;                                                                      \
            swap_##l(a, t->lda, t->n, k, largest);                                                           \
            const T d = a[k + (ptrdiff_t)k * ld];                                                            \
            if (!(d < 0 || d > 0)) {                                                                         \
                info = info != 0 ? info : k + 1;                                                             \
                continue;                                                                                    \
            }                                                                                                \
            for (int r = k + 1; r < t->n; r++)                                                               \
                a[r + (ptrdiff_t)k * ld] /= d;                                                               \
            for (int c = k + 1; c < t->n; c++)                                                               \
                for (int r = k + 1; r < t->n; r++)                                                           \
                    a[r + (ptrdiff_t)c * ld] -= a[r + (ptrdiff_t)k * ld] * a[k + (ptrdiff_t)c * ld];         \
        }                                                                                                    \
        return info;                                                                                         \
    }                                                                                                        \
    /* x = L\x, then U\x; of the transpose U'\x, then L'\x. */                                               \
    static void triangles_##l(const T *a, ptrdiff_t ld, int n, T *x, bool transposed)                        \
    {                                                                                                        \
        for (int r = 0; r < n; r++) {                                                                        \
            for (int c = 0; c < r; c++)                                                                      \
                x[r] -= (transposed ? a[c + (ptrdiff_t)r * ld] : a[r + (ptrdiff_t)c * ld]) * x[c];           \
            x[r] /= transposed ? a[r + (ptrdiff_t)r * ld] : 1;                                               \
        }                                                                                                    \
        for (int r = n; r-- > 0;) {                                                                          \
            for (int c = r + 1; c < n; c++)                                                                  \
                x[r] -= (transposed ? a[c + (ptrdiff_t)r * ld] : a[r + (ptrdiff_t)c * ld]) * x[c];           \
            x[r] /= transposed ? 1 : a[r + (ptrdiff_t)r * ld];                                               \
        }                                                                                                    \
    }                                                                                                        \
    static int solve_##l(const struct batch *t, void *at, int *pivot, void *to)                              \
    {                                                                                                        \
        T *const b = to;                                                                                     \
        for (int k = 0; pivot != NULL && !t->transposed && k < t->n; k++)                                    \
            swap_##l(b, t->ldb, t->columns, k, pivot[k] - 1);                                                \
        for (int c = 0; c < t->columns; c++)                                                                 \
            triangles_##l(at, (ptrdiff_t)t->lda, t->n, b + (ptrdiff_t)c * (ptrdiff_t)t->ldb, t->transposed); \
        for (int k = t->n; pivot != NULL && t->transposed && k-- > 0;)                                       \
            swap_##l(b, t->ldb, t->columns, k, pivot[k] - 1);                                                \
        return 0;                                                                                            \
    }                                                                                                        \
    static int invert_##l(const struct batch *t, void *at, int *pivot, void *to)                             \
    {                                                                                                        \
        const T *const a = at;                                                                               \
        T *const c = to;                                                                                     \
        for (int k = 0; k < t->n; k++) {                                                                     \
            const T d = a[k + (ptrdiff_t)k * (ptrdiff_t)t->lda];                                             \
            if (!(d < 0 || d > 0))                                                                           \
                return k + 1;                                                                                \
            memset(c + (ptrdiff_t)k * (ptrdiff_t)t->ldb, 0, (size_t)t->n * sizeof *c);                       \
            c[k + (ptrdiff_t)k * (ptrdiff_t)t->ldb] = 1;                                                     \
        }                                                                                                    \
        return solve_##l(t, at, pivot, to);                                                                  \
    }
LU(s, float, fabsf)
LU(d, double, fabs)

#define FACES(U, l, T)                                                                                                                    \
    int cublas##U##getrfBatched(const struct cublas_handle *h, int n, T *const *a, int lda, int *pivot, int *info, int count)             \
    {                                                                                                                                     \
        const struct batch t = {.n = n, .lda = lda, .count = count, .a = (void *const *)a, .pivot_to = pivot, .info = info};              \
        return each(h, &t, sizeof(T), true, factor_##l);                                                                                  \
    }                                                                                                                                     \
    int cublas##U##getriBatched(const struct cublas_handle *h, int n, const T *const *a, int lda, const int *pivot, T *const *c, int ldc, \
                                int *info, int count)                                                                                     \
    {                                                                                                                                     \
        const struct batch t = {.n = n,                                                                                                   \
                                .columns = n,                                                                                             \
                                .lda = lda,                                                                                               \
                                .ldb = ldc,                                                                                               \
                                .count = count,                                                                                           \
                                .a = (void *const *)(uintptr_t)a,                                                                         \
                                .b = (void *const *)c,                                                                                    \
                                .pivot = pivot,                                                                                           \
                                .info = info};                                                                                            \
        return each(h, &t, sizeof(T), false, invert_##l);                                                                                 \
    }                                                                                                                                     \
    /* *info is the host's here: arguments that are wrong, of which there are none. */                                                    \
    int cublas##U##getrsBatched(const struct cublas_handle *h, int op, int n, int columns, const T *const *a, int lda, const int *pivot,  \
                                T *const *b, int ldb, int *info, int count)                                                               \
    {                                                                                                                                     \
        const struct batch t = {.n = n,                                                                                                   \
                                .columns = columns,                                                                                       \
                                .lda = lda,                                                                                               \
                                .ldb = ldb,                                                                                               \
                                .count = count,                                                                                           \
                                .a = (void *const *)(uintptr_t)a,                                                                         \
                                .b = (void *const *)b,                                                                                    \
                                .pivot = pivot,                                                                                           \
                                .transposed = op != 0};                                                                                   \
        if (info != NULL)                                                                                                                 \
            *info = 0;                                                                                                                    \
        return op < 0 || op > 2 ? CUBLAS_INVALID_VALUE : each(h, &t, sizeof(T), false, solve_##l);                                        \
    }
FACES(S, s, float)
FACES(D, d, double)
