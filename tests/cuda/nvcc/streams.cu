/* SPDX-License-Identifier: Apache-2.0 */
/* Two kernels on one array. The argument says what is between them; without one, each order that is none of a race is tried. */
#include <cstdlib>

#include "check.h"

static __global__ void one(int *a)
{
    a[threadIdx.x] = (int)threadIdx.x;
}

static __global__ void two(int *a)
{
    a[threadIdx.x] += 1;
}

static cudaStream_t s, t, u;
static cudaEvent_t e;

static void between(int how)
{
    if (how == 1 || how == 2)
        cudaEventRecord(e, s);
    if (how == 1)
        cudaStreamWaitEvent(t, e, 0);
    if (how == 2)
        cudaEventSynchronize(e);
    if (how == 3)
        cudaDeviceSynchronize();
    if (how == 4)
        cudaStreamSynchronize(s);
    if (how == 11)
        cudaStreamSynchronize(t);
    if (how == 12) { /* too early */
        cudaStreamWaitEvent(t, e, 0);
        cudaEventRecord(e, s);
    }
}

static void run(int *a, int how)
{
    cudaStream_t first = how == 7 ? nullptr : how == 14 ? nullptr : s, second = how == 5 ? s : how == 6 ? nullptr : how == 13 || how == 14 ? u : t;
    one<<<1, 64, 0, first>>>(a);
    between(how);
    two<<<1, 64, 0, second>>>(a);
    cudaDeviceSynchronize();
}

int main(int argc, char **argv)
{
    int *a;
    cudaMalloc(&a, 64 * sizeof *a);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaStreamCreateWithFlags(&u, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    if (argc > 1)
        run(a, atoi(argv[1]));
    for (int how = 1; argc == 1 && how <= 7; how++)
        run(a, how);
    int last;
    cudaMemcpy(&last, a + 63, sizeof last, cudaMemcpyDeviceToHost);
    EXPECT(last == 64);
    return passed();
}
