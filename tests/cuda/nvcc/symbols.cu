// SPDX-License-Identifier: Apache-2.0
// Variables of the device: constant, global, an array, one that is managed.
#include "check.h"

__constant__ int table[4] = {1, 2, 3, 4};
__device__ int counter = 40;
__device__ short list[3];
__managed__ int shared_by_both = 5;

__global__ void use()
{
    atomicAdd(&counter, table[threadIdx.x]);
    if (threadIdx.x < 3)
        list[threadIdx.x] = (short)(table[threadIdx.x] * 100);
    if (threadIdx.x == 0)
        shared_by_both *= 3;
}

int main()
{
    const int other[2] = {10, 20};
    int got = 0;
    short back[3];
    void *address;
    size_t bytes;
    EXPECT(shared_by_both == 5);
    shared_by_both = 6;
    use<<<1, 4>>>();
    CHECK(cudaMemcpyFromSymbol(&got, counter, sizeof got));
    EXPECT(got == 50);
    EXPECT(shared_by_both == 18);
    CHECK(cudaMemcpyToSymbol(table, other, sizeof other, sizeof(int)));
    use<<<1, 4>>>();
    CHECK(cudaMemcpyFromSymbol(&got, counter, sizeof got));
    EXPECT(got == 50 + 1 + 10 + 20 + 4);
    CHECK(cudaMemcpyFromSymbol(back, list, sizeof back));
    EXPECT(back[0] == 100 && back[1] == 1000 && back[2] == 2000);
    CHECK(cudaGetSymbolAddress(&address, list));
    CHECK(cudaGetSymbolSize(&bytes, list));
    EXPECT(bytes == sizeof back);
    CHECK(cudaMemcpy(back, address, 2, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 100);
    return passed();
}
