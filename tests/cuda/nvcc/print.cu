// SPDX-License-Identifier: Apache-2.0
// printf in a kernel, in the order of the launches. The test looks at the lines.
#include "check.h"

__global__ void say(int launch)
{
    if (threadIdx.x == 0)
        printf("launch %d: %5.2f %s %c %x %lld%%\n", launch, 2.5 * launch, "text", 'c', 255, 1LL << 40);
}

int main()
{
    say<<<1, 32>>>(1);
    say<<<1, 32>>>(2);
    CHECK(cudaDeviceSynchronize());
    return passed();
}
