/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of cuBLAS as a program's object code has them, and the host's CBLAS. Names of functions are CUDA's, because they are the interface.
 * Matrices are in columns.
 *
 * Private to: cublas.c, cublas_call.h, cublas_gemm.c, cublas_lu.c, cublas_matrix.c, cublas_own.c, cublas_vector.c.
 */
#ifndef CW_HARNESS_HOSTLIB_CUBLAS_H
#define CW_HARNESS_HOSTLIB_CUBLAS_H

#include "hostlib/library.h"

enum cublas_status {
    CUBLAS_OK = 0,
    CUBLAS_NOT_INITIALIZED = 1,
    CUBLAS_ALLOC_FAILED = 3,
    CUBLAS_INVALID_VALUE = 7,
    CUBLAS_EXECUTION_FAILED = 13,
    CUBLAS_NOT_SUPPORTED = 15
};

struct cublas_handle {
    struct cw_cuda_stream *stream;
    int scalars_on_device; /* cublasPointerMode_t: where alpha, beta and results are */
    int math_mode, atomics_mode;
};

typedef struct {
    float re, im;
} cw_c32;
typedef struct {
    double re, im;
} cw_c64;
typedef union {
    float s;
    double d;
    cw_c32 c;
    cw_c64 z;
} cw_scalar;

/* CBLAS's numbers. */
enum { CBLAS_COLUMNS = 102 };
/* Of cublasOperation_t (0 to 2), cublasFillMode_t, cublasDiagType_t, cublasSideMode_t (0, 1); -1: no such value. */
int cw_cblas_trans(int operation);
int cw_cblas_fill(int fill);
int cw_cblas_diag(int diag);
int cw_cblas_side(int side);

/* CBLAS takes real scalars by value and complex ones by their address. */
#define BY_VALUE(x)   (x)
#define BY_ADDRESS(x) (&(x))
/* cblas_<name>; NULL: not there. */
void *cw_cblas(const char *name);
/* Before a function does anything: the handle, --libraries, the stream. */
int cw_cublas_begin(const struct cublas_handle *h);
/* A scalar of the caller's, wherever it is. */
int cw_cublas_scalar(const struct cublas_handle *h, void *value, const void *from, size_t bytes);
/* A result, to where the caller wants it. */
int cw_cublas_result(const struct cublas_handle *h, void *to, const void *value, size_t bytes);
/* One of CUDA's numbers as cuBLAS's. */
int cw_cublas_status(int code);

#endif
