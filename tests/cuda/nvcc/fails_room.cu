// SPDX-License-Identifier: Apache-2.0
// Dynamic shared memory of 40 KB, which the least machine has no room for; more than 48 KB have to be asked for.
#include "check.h"

__global__ void reverse(int *data, int n)
{
    extern __shared__ int room[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        room[i] = data[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        data[i] = room[n - 1 - i];
}

int main()
{
    const int n = 10240;
    static int host[n];
    int *data;
    for (int i = 0; i < n; i++)
        host[i] = i * i;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    reverse<<<1, 256, sizeof host>>>(data, n);
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT(host[i] == (n - 1 - i) * (n - 1 - i));
    reverse<<<1, 256, 49160>>>(data, n);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    return passed();
}
