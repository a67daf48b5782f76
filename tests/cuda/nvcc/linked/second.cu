// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "common.h"

static __device__ int hidden = 5;
__device__ int counter = 5;
__constant__ int table[16];

static __device__ __noinline__ int own(int x)
{
    return 11 * x + hidden;
}

__device__ int up(int x)
{
    return x + 5;
}

__device__ int down(int x)
{
    return x - 5;
}

__device__ step steps[2] = {up, down};

__device__ int times3(int x)
{
    return 3 * x + 100;
}

static __global__ void second(int *out)
{
    out[threadIdx.x] = own(threadIdx.x) + counted((int)threadIdx.x);
    if (threadIdx.x == 0)
        printf("second %d\n", hidden);
}

void run_second(int *out)
{
    second<<<1, 64>>>(out);
}
