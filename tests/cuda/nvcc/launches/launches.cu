// SPDX-License-Identifier: Apache-2.0
// Kernels that launch kernels: sums by halves, with memory, streams, events and dynamic shared memory of the device runtime.
#include <cstdio>

#include "../check.h"

// Threads of a block add pairs in shared memory that their launch gives.
__global__ void add_block(const int *in, int cnt, int *sum)
{
    extern __shared__ int part[];
    const int t = threadIdx.x;
    part[t] = t < cnt ? in[t] : 0;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        atomicAdd(sum, part[0]);
}

// A half each in a stream of its own, until a block is enough for it.
__global__ void add(const int *in, int cnt, int *sum)
{
    if (cnt <= 64) {
        add_block<<<1, 64, 64 * sizeof(int)>>>(in, cnt, sum);
        return;
    }
    for (int side = 0; side < 2; side++) {
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        add<<<1, 1, 0, stream>>>(in + side * (cnt / 2), side ? cnt - cnt / 2 : cnt / 2, sum);
        cudaStreamDestroy(stream);
    }
}

__global__ void hold(int **out, int value)
{
    int *p;
    if (cudaMalloc((void **)&p, 4) != cudaSuccess)
        return;
    *p = value;
    *out = p;
}

// Comes behind hold, by an event, and in the end as a tail.
__global__ void give(int **from, int *to)
{
    *to = **from + 1;
    cudaFree(*from);
}

__global__ void chain(int **held, int *to, int value)
{
    cudaStream_t a, b;
    cudaEvent_t held_it;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&held_it, cudaEventDisableTiming);
    give<<<1, 1, 0, cudaStreamTailLaunch>>>(held + 1, to + 1);
    hold<<<1, 1, 0, a>>>(held, value);
    cudaEventRecord(held_it, a);
    cudaStreamWaitEvent(b, held_it);
    give<<<1, 1, 0, b>>>(held, to);
    hold<<<1, 1, 0, cudaStreamFireAndForget>>>(held + 1, value + 10);
    cudaEventDestroy(held_it);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    to[2] = cudaPeekAtLastError() + cudaGetLastError();
}

// The copy comes behind the set, and hold's child behind both.
__global__ void copy(int *to, const int *from, int **held)
{
    cudaMemsetAsync(to, 0x11, 3 * sizeof *to, 0);
    cudaMemcpyAsync(to + 1, from, sizeof *to, cudaMemcpyDeviceToDevice, 0);
    give<<<1, 1>>>(held, to + 2);
    hold<<<1, 1, 0, cudaStreamTailLaunch>>>(held, to[0]); // what it was
}

// More children than there is room for.
__global__ void too_many(const int *in, int *sum, int *error)
{
    for (int i = 0; i < 5; i++)
        add_block<<<1, 32, 32 * sizeof(int)>>>(in, 1, sum);
    *error = cudaGetLastError();
    printf("%s, %s\n", cudaGetErrorString(cudaError_t(*error)), cudaGetErrorString(cudaGetLastError()));
}

int main()
{
    const int cnt = 1000;
    int *in, *sum, *to, **held, want = 0;
    size_t room = 0;
    CHECK(cudaDeviceGetLimit(&room, cudaLimitDevRuntimePendingLaunchCount));
    EXPECT(room == 2048);
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4));
    CHECK(cudaMallocManaged(&in, cnt * sizeof *in));
    CHECK(cudaMallocManaged(&sum, 2 * sizeof *sum));
    CHECK(cudaMallocManaged(&to, 3 * sizeof *to));
    CHECK(cudaMalloc(&held, 2 * sizeof *held));
    for (int i = 0; i < cnt; i++)
        want += in[i] = i * i % 97;
    sum[0] = 0;
    add<<<1, 1>>>(in, cnt, sum);
    CHECK(cudaDeviceSynchronize());
    EXPECT(sum[0] == want);
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 2048));
    EXPECT(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 8) == cudaErrorInvalidValue); // a kernel has used it
    chain<<<1, 1>>>(held, to, 40);
    CHECK(cudaDeviceSynchronize());
    EXPECT(to[0] == 41);
    EXPECT(to[1] == 51);
    EXPECT(to[2] == 0);
    to[0] = 6;
    hold<<<1, 1>>>(held, 8);
    copy<<<1, 1>>>(to, in + 7, held);
    CHECK(cudaDeviceSynchronize());
    EXPECT(to[0] == 0x11111111);
    EXPECT(to[1] == in[7]);
    EXPECT(to[2] == 9);
    give<<<1, 1>>>(held, to);
    CHECK(cudaDeviceSynchronize());
    EXPECT(to[0] == 7);
    sum[0] = 0;
    too_many<<<1, 1>>>(in + 5, sum, sum + 1);
    CHECK(cudaDeviceSynchronize());
    EXPECT(sum[0] == 4 * in[5]);
    EXPECT(sum[1] == 69); // cudaErrorLaunchPendingCountExceeded
    return passed();
}
