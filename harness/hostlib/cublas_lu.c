/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS: many small matrices at once, as products of triangles (getrf), their inverses (getri), and equations with them (getrs). LAPACK has
 * each for one matrix. */
#include <stdlib.h>
#include <string.h>

#include "hostlib/cublas.h"

/* LAPACK's functions take the addresses of their arguments; behind them stand the lengths of strings. */
typedef void lapack_getrf(const int *rows, const int *columns, void *a, const int *lda, int *pivot, int *info);
typedef void lapack_getri(const int *n, void *a, const int *lda, const int *pivot, void *work, const int *work_elements, int *info);
typedef void lapack_getrs(const char *op, const int *n, const int *columns, const void *a, const int *lda, const int *pivot, void *b,
                          const int *ldb, int *info, size_t op_bytes);

/* What the matrices of one call share. All addresses are the device's. */
struct batch {
    const char *name; /* LAPACK's, with the letter of the type and the underscore */
    size_t element;
    int n, columns, lda, ldb, count;
    void *const *a, *const *b; /* lists of matrices; b NULL: there is none */
    const int *pivot;          /* [count * n]; NULL: rows have stayed where they are */
    int *pivot_to, *info;      /* results; NULL: none */
    const char *op;
    bool factors; /* A is written */
};

/* Carries LAPACK's function out on one matrix; returns the matrix's info, or -1: out of memory. */
typedef int one_matrix(const struct batch *t, void *function, void *a, int *pivot, void *b);

static int factor(const struct batch *t, void *function, void *a, int *pivot, void *b)
{
    int info = 0;
    (void)b;
    ((lapack_getrf *)(uintptr_t)function)(&t->n, &t->n, a, &t->lda, pivot, &info);
    return info;
}

static int solve(const struct batch *t, void *function, void *a, int *pivot, void *b)
{
    int info = 0;
    ((lapack_getrs *)(uintptr_t)function)(t->op, &t->n, &t->columns, a, &t->lda, pivot, b, &t->ldb, &info, 1);
    return info;
}

/* LAPACK's is in place, cuBLAS's is not. */
static int invert(const struct batch *t, void *function, void *a, int *pivot, void *b)
{
    const size_t column = (size_t)t->n * t->element;
    void *work = malloc(column);
    int info = -1;
    if (work == NULL)
        return info;
    for (size_t c = 0; c < (size_t)t->n; c++)
        memcpy((char *)b + c * (size_t)t->ldb * t->element, (const char *)a + c * (size_t)t->lda * t->element, column);
    ((lapack_getri *)(uintptr_t)function)(&t->n, b, &t->ldb, pivot, work, &t->n, &info);
    free(work);
    return info;
}

/* The pivots of a matrix whose rows have stayed where they are. */
static int *no_pivots(int n)
{
    int *pivot = malloc((size_t)n * sizeof *pivot);
    for (int i = 0; pivot != NULL && i < n; i++)
        pivot[i] = i + 1;
    return pivot;
}

/* Matrix i. The host's copies of the lists and of all pivots: all. */
static int carry_out(const struct batch *t, one_matrix *what, void *function, const struct cw_operand *all, int *still, size_t i)
{
    struct cw_operand o[] = {{((void **)all[0].host)[i], cw_matrix_bytes(t->n, t->n, t->lda, t->element), t->factors, 0},
                             {t->b != NULL ? ((void **)all[1].host)[i] : NULL,
                              t->b != NULL ? cw_matrix_bytes(t->n, t->columns, t->ldb, t->element) : 0, true, 0}};
    const int status = cw_cublas_status(cw_operands_get(o, 2));
    if (status != CUBLAS_OK)
        return status;
    const int info = what(t, function, o[0].host, still != NULL ? still : (int *)all[2].host + i * (size_t)t->n, o[1].host);
    if (t->info != NULL)
        ((int *)all[3].host)[i] = info;
    const int put = cw_cublas_status(cw_operands_put(o, 2));
    return info < 0 ? CUBLAS_ALLOC_FAILED : put;
}

static int each(const struct cublas_handle *h, const struct batch *t, one_matrix *what)
{
    const size_t list = t->count > 0 ? (size_t)t->count * sizeof(void *) : 0, pivots = (size_t)t->count * (size_t)t->n * sizeof(int);
    void *const pivot = t->pivot_to != NULL ? (void *)t->pivot_to : (void *)(uintptr_t)t->pivot;
    int status = cw_cublas_begin(h);
    if (status == CUBLAS_OK &&
        (t->n < 0 || t->columns < 0 || t->count < 0 || t->lda < t->n || t->lda < 1 || (t->b != NULL && t->ldb < t->n)))
        status = CUBLAS_INVALID_VALUE;
    if (status != CUBLAS_OK || t->count == 0 || t->n == 0)
        return status;
    void *const function = cw_library_function("liblapack.so.3", "liblapack3", t->name);
    if (function == NULL || (pivot == NULL && t->factors)) /* LAPACK always exchanges rows */
        return CUBLAS_NOT_SUPPORTED;
    int *const still = pivot == NULL ? no_pivots(t->n) : NULL;
    if (pivot == NULL && still == NULL)
        return CUBLAS_ALLOC_FAILED;
    struct cw_operand all[] = {{(void *)(uintptr_t)t->a, list, false, 0},
                               {(void *)(uintptr_t)t->b, t->b != NULL ? list : 0, false, 0},
                               {pivot, pivot != NULL ? pivots : 0, t->pivot_to != NULL, 0},
                               {t->info, t->info != NULL ? (size_t)t->count * sizeof(int) : 0, true, 0}};
    status = cw_cublas_status(cw_operands_get(all, 4));
    if (status == CUBLAS_OK) {
        for (size_t i = 0; status == CUBLAS_OK && i < (size_t)t->count; i++)
            status = carry_out(t, what, function, all, still, i);
        const int put = cw_cublas_status(cw_operands_put(all, 4));
        status = status == CUBLAS_OK ? put : status;
    }
    free(still);
    return status;
}

/* U: the letter of cuBLAS, l: of LAPACK, T: element */
#define FACES(U, l, T)                                                                                                                    \
    int cublas##U##getrfBatched(const struct cublas_handle *h, int n, T *const *a, int lda, int *pivot, int *info, int count)             \
    {                                                                                                                                     \
        const struct batch t = {.name = #l "getrf_",                                                                                      \
                                .element = sizeof(T),                                                                                     \
                                .n = n,                                                                                                   \
                                .lda = lda,                                                                                               \
                                .count = count,                                                                                           \
                                .a = (void *const *)a,                                                                                    \
                                .pivot_to = pivot,                                                                                        \
                                .info = info,                                                                                             \
                                .factors = true};                                                                                         \
        return each(h, &t, factor);                                                                                                       \
    }                                                                                                                                     \
    int cublas##U##getriBatched(const struct cublas_handle *h, int n, const T *const *a, int lda, const int *pivot, T *const *c, int ldc, \
                                int *info, int count)                                                                                     \
    {                                                                                                                                     \
        const struct batch t = {.name = #l "getri_",                                                                                      \
                                .element = sizeof(T),                                                                                     \
                                .n = n,                                                                                                   \
                                .columns = n,                                                                                             \
                                .lda = lda,                                                                                               \
                                .ldb = ldc,                                                                                               \
                                .count = count,                                                                                           \
                                .a = (void *const *)(uintptr_t)a,                                                                         \
                                .b = (void *const *)c,                                                                                    \
                                .pivot = pivot,                                                                                           \
                                .info = info};                                                                                            \
        return each(h, &t, invert);                                                                                                       \
    }                                                                                                                                     \
    /* *info is the host's here: arguments that are wrong, of which there are none. */                                                    \
    int cublas##U##getrsBatched(const struct cublas_handle *h, int op, int n, int columns, const T *const *a, int lda, const int *pivot,  \
                                T *const *b, int ldb, int *info, int count)                                                               \
    {                                                                                                                                     \
        const struct batch t = {.name = #l "getrs_",                                                                                      \
                                .element = sizeof(T),                                                                                     \
                                .n = n,                                                                                                   \
                                .columns = columns,                                                                                       \
                                .lda = lda,                                                                                               \
                                .ldb = ldb,                                                                                               \
                                .count = count,                                                                                           \
                                .a = (void *const *)(uintptr_t)a,                                                                         \
                                .b = (void *const *)b,                                                                                    \
                                .pivot = pivot,                                                                                           \
                                .op = op == 0   ? "N"                                                                                     \
                                      : op == 1 ? "T"                                                                                     \
                                                : "C"};                                                                                   \
        if (info != NULL)                                                                                                                 \
            *info = 0;                                                                                                                    \
        return op < 0 || op > 2 ? CUBLAS_INVALID_VALUE : each(h, &t, solve);                                                              \
    }
FACES(S, s, float)
FACES(D, d, double)
FACES(C, c, cw_c32)
FACES(Z, z, cw_c64)
