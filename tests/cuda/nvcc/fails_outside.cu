// SPDX-License-Identifier: Apache-2.0
// A store outside of all memory: CUDA's number, which stays until the device is reset.
#include "check.h"

__global__ void store(int *at)
{
    at[threadIdx.x] = 1;
}

int main()
{
    int *good;
    CHECK(cudaMalloc(&good, 32 * sizeof *good));
    store<<<1, 32>>>(good + (1 << 20));
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    EXPECT(cudaMemset(good, 0, 4) == cudaErrorIllegalAddress);
    CHECK(cudaDeviceReset());
    CHECK(cudaMalloc(&good, 32 * sizeof *good));
    store<<<1, 32>>>(good);
    CHECK(cudaDeviceSynchronize());
    return passed();
}
