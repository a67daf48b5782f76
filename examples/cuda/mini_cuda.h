/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a simple CUDA program needs of a toolkit, for clang without one (docs/cuda.md): qualifiers, threadIdx and its like, some atomics and
 * functions, and a few calls of the host. __syncthreads is clang's own. For nvcc this file is empty.
 */
#ifndef MINI_CUDA_H
#define MINI_CUDA_H
#ifndef __NVCC__

#define __global__      __attribute__((global))
#define __device__      __attribute__((device))
#define __shared__      __attribute__((shared))
#define __constant__    __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__    __attribute__((noinline))

#include <__clang_cuda_builtin_vars.h>

#include <stddef.h>

/* The host's part, which libcudart has. */
struct dim3 {
    unsigned x, y, z;
    __attribute__((host, device)) dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
};
enum cudaError_t { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
typedef struct CUstream_st *cudaStream_t;
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
extern "C" cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
extern "C" cudaError_t cudaMalloc(void **, size_t);
extern "C" cudaError_t cudaFree(void *);
extern "C" cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
extern "C" cudaError_t cudaMemset(void *, int, size_t);
extern "C" cudaError_t cudaDeviceSynchronize();
extern "C" cudaError_t cudaGetLastError();
extern "C" const char *cudaGetErrorString(cudaError_t);
template <class T> static inline cudaError_t cudaMalloc(T **p, size_t bytes)
{
    return cudaMalloc((void **)p, bytes);
}

static __device__ __forceinline__ int atomicAdd(int *p, int v)
{
    return __nvvm_atom_add_gen_i(p, v);
}
static __device__ __forceinline__ unsigned atomicAdd(unsigned *p, unsigned v)
{
    return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v);
}
static __device__ __forceinline__ float atomicAdd(float *p, float v)
{
    return __nvvm_atom_add_gen_f(p, v);
}
static __device__ __forceinline__ int atomicExch(int *p, int v)
{
    return __nvvm_atom_xchg_gen_i(p, v);
}
static __device__ __forceinline__ int atomicCAS(int *p, int old, int v)
{
    return __nvvm_atom_cas_gen_i(p, old, v);
}
static __device__ __forceinline__ int atomicMax(int *p, int v)
{
    return __nvvm_atom_max_gen_i(p, v);
}
static __device__ __forceinline__ int atomicMin(int *p, int v)
{
    return __nvvm_atom_min_gen_i(p, v);
}
static __device__ __forceinline__ void __threadfence()
{
    __nvvm_membar_gl();
}
static __device__ __forceinline__ float sqrtf(float x)
{
    return __nvvm_sqrt_rn_f(x);
}
static __device__ __forceinline__ float fmaf(float a, float b, float c)
{
    return __nvvm_fma_rn_f(a, b, c);
}

#endif
#endif
