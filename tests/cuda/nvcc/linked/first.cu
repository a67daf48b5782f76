// SPDX-License-Identifier: Apache-2.0
// Two files that nvcc -rdc=true compiles apart: functions, variables, constants and function pointers of the other one, and own names that
// both files have.
#include <cstdio>

#include "../check.h"
#include "common.h"

static __device__ int hidden = 7;

static __device__ __noinline__ int own(int x)
{
    return x + hidden;
}

__global__ void first(int *out)
{
    const int t = threadIdx.x;
    out[t] = times3(own(t)) + table[t & 15] + counted(t) + steps[t & 1](t);
    if (t == 0)
        printf("first %d\n", hidden);
}

int main()
{
    int squares[16], a[64], b[64], count = 0, *out;
    for (int i = 0; i < 16; i++)
        squares[i] = i * i;
    CHECK(cudaMalloc(&out, sizeof a + sizeof b));
    CHECK(cudaMemcpyToSymbol(table, squares, sizeof squares));
    first<<<1, 64>>>(out);
    run_second(out + 64);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(a, out, sizeof a, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(b, out + 64, sizeof b, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    for (int t = 0; t < 64; t++) {
        EXPECT(a[t] == (t + 7) * 3 + 100 + (t & 15) * (t & 15) + 2 * t + 1 + (t & 1 ? t - 5 : t + 5));
        EXPECT(b[t] == 11 * t + 5 + 2 * t + 1);
    }
    EXPECT(count == 5 + 128);
    return passed();
}
