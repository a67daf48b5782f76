/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files of a program that is linked on the device see of each other. */
#ifndef TESTS_CUDA_NVCC_LINKED_COMMON_H
#define TESTS_CUDA_NVCC_LINKED_COMMON_H

typedef int (*step)(int);

extern __device__ int counter;
extern __constant__ int table[16];
extern __device__ step steps[2];
__device__ int times3(int x);

/* Both files have it, with one variable. */
template <typename T> __device__ __noinline__ T counted(T x)
{
    static __device__ int calls;
    atomicAdd(&calls, 1);
    atomicAdd(&counter, 1);
    return 2 * x + 1;
}

void run_second(int *out);

#endif
