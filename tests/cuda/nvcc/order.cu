// SPDX-License-Identifier: Apache-2.0
// Streams, events between them, their times, functions of the host in a stream.
#include "check.h"

__global__ void scale(int *data, int factor)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}

__global__ void increase(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

static void CUDART_CB count(void *calls)
{
    ++*(int *)calls;
}

int main()
{
    const int n = 1024;
    int *data, *host, calls = 0;
    cudaStream_t one, two;
    cudaEvent_t begin, middle, end;
    float first = 0, both = 0;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&middle));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaMalloc(&data, n * sizeof *data));
    CHECK(cudaMallocHost(&host, n * sizeof *host));
    for (int i = 0; i < n; i++)
        host[i] = i;
    CHECK(cudaMemcpyAsync(data, host, n * sizeof *data, cudaMemcpyHostToDevice, one));
    CHECK(cudaEventRecord(begin, one));
    scale<<<n / 128, 128, 0, one>>>(data, 3);
    CHECK(cudaLaunchHostFunc(one, count, &calls));
    CHECK(cudaEventRecord(middle, one));
    CHECK(cudaStreamWaitEvent(two, middle, 0));
    increase<<<n / 128, 128, 0, two>>>(data);
    CHECK(cudaEventRecord(end, two));
    CHECK(cudaMemcpyAsync(host, data, n * sizeof *data, cudaMemcpyDeviceToHost, two));
    CHECK(cudaStreamSynchronize(two));
    CHECK(cudaEventQuery(end));
    CHECK(cudaEventElapsedTime(&first, begin, middle));
    CHECK(cudaEventElapsedTime(&both, begin, end));
    for (int i = 0; i < n; i++)
        EXPECT(host[i] == 3 * i + 1);
    EXPECT(calls == 1);
    EXPECT(first > 0 && both > first);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    return passed();
}
