// SPDX-License-Identifier: Apache-2.0
// Transfers between accounts, each a transaction. tx_begin and tx_commit are instructions of the simulated machine, so nobody defines them.
// docs/cuda.md compiles this program with nvcc, and with clang alone.
#include <cstdio>

#include "mini_cuda.h"

#define ACCOUNTS 64u
#define THREADS  1024u

extern "C" __device__ void tx_begin();
extern "C" __device__ void tx_commit();

__global__ void transfer(int *account)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    tx_begin();
    account[i % ACCOUNTS] -= 1;
    account[(7 * i + 1) % ACCOUNTS] += 1;
    tx_commit();
}

int main()
{
    int account[ACCOUNTS], wanted[ACCOUNTS] = {0}, *device, wrong = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        wanted[i % ACCOUNTS]--;
        wanted[(7 * i + 1) % ACCOUNTS]++;
    }
    cudaMalloc(&device, sizeof account);
    cudaMemset(device, 0, sizeof account);
    transfer<<<THREADS / 128, 128>>>(device);
    const cudaError_t code = cudaMemcpy(account, device, sizeof account, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < ACCOUNTS; i++)
        wrong += account[i] != wanted[i];
    printf("%s: %d accounts are wrong\n", cudaGetErrorString(code), wrong);
    return code != cudaSuccess || wrong != 0;
}
