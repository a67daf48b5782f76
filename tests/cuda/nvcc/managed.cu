// SPDX-License-Identifier: Apache-2.0
// Memory that has one pointer on both sides: a list whose nodes the host links and a kernel follows; mapped host memory.
#include "check.h"

struct node {
    int value;
    node *next;
};

__global__ void follow(node *first, int *sum)
{
    int s = 0;
    for (node *n = first; n != nullptr; n = n->next) {
        s += n->value;
        n->value = -n->value;
    }
    *sum = s;
}

int main()
{
    node *first = nullptr;
    int *sum, *seen_by_device;
    for (int i = 1; i <= 20; i++) {
        node *n;
        CHECK(cudaMallocManaged(&n, sizeof *n));
        n->value = i;
        n->next = first;
        first = n;
    }
    CHECK(cudaHostAlloc(&sum, sizeof *sum, cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&seen_by_device, sum, 0));
    follow<<<1, 1>>>(first, seen_by_device);
    CHECK(cudaDeviceSynchronize());
    EXPECT(*sum == 210);
    for (node *n = first, *next; n != nullptr; n = next) {
        EXPECT(n->value < 0);
        next = n->next;
        CHECK(cudaFree(n));
    }
    cudaPointerAttributes a;
    CHECK(cudaPointerGetAttributes(&a, sum));
    EXPECT(a.type == cudaMemoryTypeHost);
    CHECK(cudaFreeHost(sum));
    return passed();
}
