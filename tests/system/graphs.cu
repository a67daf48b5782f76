/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of codes on graphs, as Indigo (ISPASS 2022) has them: push, pull and worklist, each right and with a race planted. A vertex v of the
 * n has the neighbours v + 1 and v + 70, which lie in other warps and blocks. `size` is one word. */
#include "../../examples/cuda/mini_cuda.h"

static __device__ __forceinline__ int vertex()
{
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int neighbour(int v, int i, int n)
{
    return (v + (i == 0 ? 1 : 70)) % n;
}

/* Push: a vertex raises its neighbours' numbers. */
extern "C" __global__ void push_right(int *data, int *next, int *size, int n)
{
    const int v = vertex();
    for (int i = 0; i < 2; i++)
        atomicMax(&next[neighbour(v, i, n)], data[v] + v);
}
extern "C" __global__ void push_racy(int *data, int *next, int *size, int n)
{
    const int v = vertex();
    for (int i = 0; i < 2; i++)
        if (next[neighbour(v, i, n)] < v)
            next[neighbour(v, i, n)] = v;
}

/* Pull: a vertex takes the sum of its neighbours; racy: where they take theirs. */
extern "C" __global__ void pull_right(int *data, int *next, int *size, int n)
{
    const int v = vertex();
    next[v] = data[neighbour(v, 0, n)] + data[neighbour(v, 1, n)] + v;
}
extern "C" __global__ void pull_racy(int *data, int *next, int *size, int n)
{
    const int v = vertex();
    next[v] = next[neighbour(v, 0, n)] + next[neighbour(v, 1, n)] + v;
}

/* Worklist: odd vertices go into a list, whose places an atomic gives out; racy: a load and a store do. */
extern "C" __global__ void worklist_right(int *data, int *next, int *size, int n)
{
    const int v = vertex();
    if (v % 2 != 0)
        next[atomicAdd(size, 1)] = v;
}
extern "C" __global__ void worklist_racy(int *data, int *next, int *size, int n)
{
    const int v = vertex();
    if (v % 2 != 0) {
        const int at = *size;
        *size = at + 1;
        next[at] = v;
    }
}
