// SPDX-License-Identifier: Apache-2.0
// How often each byte value occurs, counted per block in shared memory first. docs/cuda.md compiles and runs it.
#include "mini_cuda.h"

#define BINS 256

// Without extern "C" the kernel's name in the PTX is _Z9histogramPKhPjj.
extern "C" __global__ void histogram(const unsigned char *data, unsigned *bins, unsigned n)
{
    __shared__ unsigned own[BINS];
    for (unsigned b = threadIdx.x; b < BINS; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[data[i]], 1u);
    __syncthreads();
    for (unsigned b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&bins[b], own[b]);
}
