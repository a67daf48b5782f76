/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the faces of cuBLAS, cuRAND and cuFFT share: a call waits for the kernels before it, has its operands in host memory, computes
 * there with a library of the host, and writes what has changed back. It takes no simulated time.
 */
#ifndef CW_HARNESS_HOSTLIB_LIBRARY_H
#define CW_HARNESS_HOSTLIB_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/cuda.h"

/* Data of the device that a call works on. bytes 0: nothing is read or written. */
struct cw_operand {
    void *device;
    size_t bytes;
    bool written; /* goes back to the device; what is only read does not */
    void *host;   /* the copy, of malloc; made by cw_operands_get */
};

/* The copies of all operands. Returns one of CUDA's numbers (enum cw_cuda_code); after an error nothing is allocated. */
int cw_operands_get(struct cw_operand *operand, unsigned cnt);
/* Writes back those that are written, and frees all copies. */
int cw_operands_put(struct cw_operand *operand, unsigned cnt);

/* A function of a library of the host. `library` is its file ("libblas.so.3"), `package` Debian's name of what has it. NULL: it is not
 * there, which has been said once for the library. */
void *cw_library_function(const char *library, const char *package, const char *name);

/* Bytes of a vector of n elements, of which one stands every |inc| places; 0 when there is none. */
size_t cw_vector_bytes(int64_t n, int64_t inc, size_t element);
/* Bytes of a matrix in columns that are ld elements apart. */
size_t cw_matrix_bytes(int64_t rows, int64_t columns, int64_t ld, size_t element);

#endif
