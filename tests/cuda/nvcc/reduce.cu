// SPDX-License-Identifier: Apache-2.0
// Sums by shuffles, votes, shared memory and atomics; dynamic shared memory.
#include <vector>

#include "check.h"

__global__ void sum(const int *data, int n, unsigned long long *total, unsigned *odd)
{
    extern __shared__ int warps[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? data[i] : 0;
    const unsigned ballot = __ballot_sync(0xffffffffu, v & 1);
    if (threadIdx.x % 32 == 0)
        atomicAdd(odd, __popc(ballot));
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        int block = 0;
        for (unsigned w = 0; w < blockDim.x / 32; w++)
            block += warps[w];
        atomicAdd(total, (unsigned long long)block);
    }
}

int main()
{
    const int n = 3001;
    std::vector<int> data(n);
    unsigned long long wanted = 0, got = 0, *total;
    unsigned odd_wanted = 0, odd_got = 0, *odd;
    int *d;
    for (int i = 0; i < n; i++) {
        data[i] = i * 7 % 101;
        wanted += data[i];
        odd_wanted += data[i] & 1;
    }
    CHECK(cudaMalloc(&d, n * sizeof *d));
    CHECK(cudaMalloc(&total, sizeof *total));
    CHECK(cudaMalloc(&odd, sizeof *odd));
    CHECK(cudaMemset(total, 0, sizeof *total));
    CHECK(cudaMemset(odd, 0, sizeof *odd));
    CHECK(cudaMemcpy(d, data.data(), n * sizeof *d, cudaMemcpyHostToDevice));
    sum<<<(n + 191) / 192, 192, 192 / 32 * sizeof(int)>>>(d, n, total, odd);
    CHECK(cudaMemcpy(&got, total, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&odd_got, odd, sizeof odd_got, cudaMemcpyDeviceToHost));
    EXPECT(got == wanted);
    EXPECT(odd_got == odd_wanted);
    return passed();
}
