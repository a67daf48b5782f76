/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of a cuBLAS function that the host's CBLAS has under the same name, in macros, since each is there for four types. Such a function
 * has its operands in `o` and its handle in `h`, and says: begin, its scalars, fetch, the call of `f`, put.
 *
 * Private to: cublas_matrix.c, cublas_vector.c.
 */
#ifndef CW_HARNESS_HOSTLIB_CUBLAS_CALL_H
#define CW_HARNESS_HOSTLIB_CUBLAS_CALL_H

#include "hostlib/cublas.h"

/* wrong: whether the arguments are. */
#define BEGIN(wrong)                    \
    int status = cw_cublas_begin(h);    \
    if (status == CUBLAS_OK && (wrong)) \
    status = CUBLAS_INVALID_VALUE
#define SCALAR(variable, from) \
    if (status == CUBLAS_OK)   \
    status = cw_cublas_scalar(h, &variable, from, sizeof variable)
/* The function of the host as `f`, of the type `call`, and the operands; returns with what goes wrong until here. */
#define FETCH(name)                                                            \
    call *const f = (call *)(uintptr_t)cw_cblas(name);                         \
    if (status == CUBLAS_OK && f == NULL)                                      \
        status = CUBLAS_NOT_SUPPORTED;                                         \
    if (status == CUBLAS_OK)                                                   \
        status = cw_cublas_status(cw_operands_get(o, sizeof o / sizeof o[0])); \
    if (status != CUBLAS_OK)                                                   \
    return status
#define PUT() cw_cublas_status(cw_operands_put(o, sizeof o / sizeof o[0]))

#endif
