// SPDX-License-Identifier: Apache-2.0
// An assertion that does not hold.
#include <cassert>

#include "check.h"

__global__ void doubt(int n)
{
    assert((int)threadIdx.x < n);
}

int main()
{
    doubt<<<1, 32>>>(32);
    CHECK(cudaDeviceSynchronize());
    doubt<<<1, 32>>>(31);
    EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
    EXPECT(cudaGetLastError() == cudaErrorAssert);
    return passed();
}
