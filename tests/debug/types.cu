// SPDX-License-Identifier: Apache-2.0
// Variables of many types, for the debugger's scenarios. clang makes types_clang.ptx of it in the build (cmake/tests.cmake). types.ptx is nvcc's, behind a
// licence line:
//     nvcc -G -ptx -arch=sm_75 types.cu -o types.ptx
#ifdef __clang__ /* without CUDA's headers */
#define __global__      __attribute__((global))
#define __device__      __attribute__((device))
#define __shared__      __attribute__((shared))
#define __constant__    __attribute__((constant))
#define __forceinline__ __attribute__((always_inline)) inline
#define __noinline__    __attribute__((noinline))
#define TID             __nvvm_read_ptx_sreg_tid_x()
#else
#define TID threadIdx.x
#endif
struct point {
    float x;
    int y;
    short tag[3];
};
struct flags {
    unsigned low : 3;
    int high : 5;
    bool set;
};
struct base {
    long long id;
};
struct node : base {
    int value;
    const node *next;
    union {
        float f;
        unsigned u;
    };
};
enum colour { red, green = 5, blue };
typedef unsigned int word;
namespace room {
__device__ int counter = 41;
}
__device__ int total;
__device__ point origin = {1.5f, 2, {7, 8, 9}};
__constant__ word table[4] = {10, 20, 30, 40};
__device__ double matrix[2][3] = {{1, 2, 3}, {4, 5, 6.25}};
__device__ char name[6] = "cowrp";
extern __shared__ float lent[];

__device__ __forceinline__ int twice(int a)
{
    int doubled = a * 2;
    return doubled;
}

__device__ __noinline__ int deep(const point &p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += p.tag[i];
    return sum;
}

__global__ void types(int *out, point seed, word n)
{
    __shared__ int part[64];
    point mine = seed;
    int own[4];
    flags f = {5, -3, true};
    node first = {{7}, 3, nullptr, {1.0f}};
    node second = {{8}, 4, &first, {0.5f}};
    colour hue = green;
    int tid = TID;
    for (int i = 0; i < 4; i++)
        own[i] = tid * 10 + i;
    mine.y += tid;
    lent[tid] = 0.5f * tid;
    part[tid] = twice(tid);
    __syncthreads();
    int r = deep(mine, 3) + twice(own[2]);
    r += part[63 - tid] + second.next->value + f.low + (hue == blue) + room::counter + name[tid & 3];
    if (tid == 0)
        total = n + (int)matrix[1][2] + origin.y;
    out[tid] = r + (int)table[tid & 3] + (int)lent[tid];
}
