/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS: handles, their settings, vectors and matrices between host and device. */
#include "hostlib/cublas.h"

#include <stdlib.h>
#include <string.h>

int cw_cblas_trans(int operation)
{
    return operation >= 0 && operation <= 2 ? 111 + operation : -1;
}

int cw_cblas_fill(int fill)
{
    return fill == 0 ? 122 : fill == 1 ? 121 : -1; /* lower, upper */
}

int cw_cblas_diag(int diag)
{
    return diag == 0 || diag == 1 ? 131 + diag : -1;
}

int cw_cblas_side(int side)
{
    return side == 0 || side == 1 ? 141 + side : -1;
}

void *cw_cblas(const char *name)
{
    return cw_library_function("libblas.so.3", "libblas3", name);
}

int cw_cublas_status(int code)
{
    switch (code) {
    case CW_CUDA_OK:
        return CUBLAS_OK;
    case CW_CUDA_NO_MEMORY:
        return CUBLAS_ALLOC_FAILED;
    case CW_CUDA_INIT:
        return CUBLAS_NOT_INITIALIZED;
    case CW_CUDA_NOT_SUPPORTED:
        return CUBLAS_NOT_SUPPORTED;
    default:
        return CUBLAS_EXECUTION_FAILED;
    }
}

int cw_cublas_begin(const struct cublas_handle *h)
{
    return h == NULL ? CUBLAS_NOT_INITIALIZED : cw_cublas_status(cw_cuda_library("cuBLAS", h->stream));
}

int cw_cublas_scalar(const struct cublas_handle *h, void *value, const void *from, size_t bytes)
{
    if (from == NULL)
        return CUBLAS_INVALID_VALUE;
    if (h->scalars_on_device)
        return cw_cublas_status(cw_cuda_copy(value, from, bytes, 2));
    memcpy(value, from, bytes);
    return CUBLAS_OK;
}

int cw_cublas_result(const struct cublas_handle *h, void *to, const void *value, size_t bytes)
{
    if (to == NULL)
        return CUBLAS_INVALID_VALUE;
    if (h->scalars_on_device)
        return cw_cublas_status(cw_cuda_copy(to, value, bytes, 1));
    memcpy(to, value, bytes);
    return CUBLAS_OK;
}

/* Handles */

int cublasCreate_v2(struct cublas_handle **h)
{
    const int status = cw_cublas_status(cw_cuda_library("cuBLAS", NULL));
    if (status != CUBLAS_OK)
        return status;
    *h = calloc(1, sizeof **h);
    return *h != NULL ? CUBLAS_OK : CUBLAS_ALLOC_FAILED;
}

int cublasDestroy_v2(struct cublas_handle *h)
{
    free(h);
    return h != NULL ? CUBLAS_OK : CUBLAS_NOT_INITIALIZED;
}

int cublasGetVersion_v2(const struct cublas_handle *h, int *version)
{
    (void)h;
    *version = 120000;
    return CUBLAS_OK;
}

int cublasSetStream_v2(struct cublas_handle *h, struct cw_cuda_stream *stream)
{
    if (h == NULL)
        return CUBLAS_NOT_INITIALIZED;
    h->stream = stream;
    return CUBLAS_OK;
}

int cublasGetStream_v2(const struct cublas_handle *h, struct cw_cuda_stream **stream)
{
    if (h == NULL)
        return CUBLAS_NOT_INITIALIZED;
    *stream = h->stream;
    return CUBLAS_OK;
}

#define SETTING(Name, member)                                      \
    int cublasSet##Name(struct cublas_handle *h, int value)        \
    {                                                              \
        if (h == NULL)                                             \
            return CUBLAS_NOT_INITIALIZED;                         \
        h->member = value;                                         \
        return CUBLAS_OK;                                          \
    }                                                              \
    int cublasGet##Name(const struct cublas_handle *h, int *value) \
    {                                                              \
        if (h == NULL)                                             \
            return CUBLAS_NOT_INITIALIZED;                         \
        *value = h->member;                                        \
        return CUBLAS_OK;                                          \
    }
SETTING(PointerMode_v2, scalars_on_device)
SETTING(MathMode, math_mode)
SETTING(AtomicsMode, atomics_mode)

int cublasSetWorkspace_v2(const struct cublas_handle *h, const void *workspace, size_t bytes)
{
    (void)workspace, (void)bytes; /* nothing here needs one */
    return h != NULL ? CUBLAS_OK : CUBLAS_NOT_INITIALIZED;
}

static const struct {
    int status;
    const char *name, *text;
} statuses[] = {{CUBLAS_OK, "CUBLAS_STATUS_SUCCESS", "success"},
                {CUBLAS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
                {CUBLAS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
                {CUBLAS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an invalid value was used"},
                {CUBLAS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
                {CUBLAS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality is not supported"}};

const char *cublasGetStatusName(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        if (statuses[i].status == status)
            return statuses[i].name;
    return "CUBLAS_STATUS_UNKNOWN";
}

const char *cublasGetStatusString(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        if (statuses[i].status == status)
            return statuses[i].text;
    return "unknown status";
}

/* Copies */

/* rows x columns elements between two matrices in columns. */
static int copy(int rows, int columns, int bytes, const void *from, int from_ld, void *to, int to_ld, int kind)
{
    if (rows < 0 || columns < 0 || bytes <= 0 || from_ld < 1 || to_ld < 1)
        return CUBLAS_INVALID_VALUE;
    const size_t element = (size_t)bytes;
    const struct cw_cuda_box box = {.to = to,
                                    .from = from,
                                    .to_pitch = (size_t)to_ld * element,
                                    .from_pitch = (size_t)from_ld * element,
                                    .width = (size_t)rows * element,
                                    .height = (size_t)columns,
                                    .depth = 1,
                                    .kind = kind};
    return rows > 0 && columns > 0 ? cw_cublas_status(cw_cuda_copy_box(&box)) : CUBLAS_OK;
}

int cublasSetMatrix(int rows, int columns, int bytes, const void *from, int from_ld, void *to, int to_ld)
{
    return copy(rows, columns, bytes, from, from_ld, to, to_ld, 1);
}

int cublasGetMatrix(int rows, int columns, int bytes, const void *from, int from_ld, void *to, int to_ld)
{
    return copy(rows, columns, bytes, from, from_ld, to, to_ld, 2);
}

/* A vector is a matrix of one row. */
int cublasSetVector(int n, int bytes, const void *from, int from_step, void *to, int to_step)
{
    return copy(1, n, bytes, from, from_step, to, to_step, 1);
}

int cublasGetVector(int n, int bytes, const void *from, int from_step, void *to, int to_step)
{
    return copy(1, n, bytes, from, from_step, to, to_step, 2);
}

int cublasSetMatrixAsync(int rows, int columns, int bytes, const void *from, int from_ld, void *to, int to_ld, const void *stream)
{
    (void)stream; /* work is done when it is asked for */
    return copy(rows, columns, bytes, from, from_ld, to, to_ld, 1);
}

int cublasGetMatrixAsync(int rows, int columns, int bytes, const void *from, int from_ld, void *to, int to_ld, const void *stream)
{
    (void)stream;
    return copy(rows, columns, bytes, from, from_ld, to, to_ld, 2);
}

int cublasSetVectorAsync(int n, int bytes, const void *from, int from_step, void *to, int to_step, const void *stream)
{
    (void)stream;
    return copy(1, n, bytes, from, from_step, to, to_step, 1);
}

int cublasGetVectorAsync(int n, int bytes, const void *from, int from_step, void *to, int to_step, const void *stream)
{
    (void)stream;
    return copy(1, n, bytes, from, from_step, to, to_step, 2);
}
