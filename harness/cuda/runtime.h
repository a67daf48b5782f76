/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of the runtime API as a program's object code has them. Names are CUDA's, because they are the interface.
 *
 * Private to: runtime.c, runtime_copy.c, runtime_device.c, runtime_graph.c, runtime_launch.c, runtime_pool.c, runtime_stream.c,
 * runtime_texture.c.
 */
#ifndef CW_HARNESS_CUDA_RUNTIME_H
#define CW_HARNESS_CUDA_RUNTIME_H

#include "cuda/cuda.h"

struct dim3 {
    unsigned x, y, z;
};

struct cudaExtent {
    size_t width, height, depth;
};

struct cudaPos {
    size_t x, y, z;
};

struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};

struct cudaMemcpy3DParms {
    struct cw_cuda_array *srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    struct cw_cuda_array *dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    int kind;
};

struct cudaPointerAttributes {
    int type, device; /* type: 0 unregistered, 1 host, 2 device, 3 managed */
    void *devicePointer, *hostPointer;
    long reserved[8]; /* of version 13 only */
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes, preferredShmemCarveout;
    /* version 12 has more, which are zero here */
};

struct cudaLaunchConfig {
    struct dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    struct cw_cuda_stream *stream;
    void *attrs;
    unsigned numAttrs;
};

/* runtime_copy.c: the copy of cudaMemcpy3D. */
int cw_cuda_runtime_box(struct cw_cuda_box *box, const struct cudaMemcpy3DParms *p);

/* Version of the runtime that this library stands in for: 11, 12, 13. */
extern const int cw_cuda_runtime_version;

#endif
