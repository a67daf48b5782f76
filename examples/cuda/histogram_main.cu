// SPDX-License-Identifier: Apache-2.0
// A whole CUDA program around histogram.cu: nvcc compiles it, cowarp cuda runs it as it is. docs/cuda.md does both.
#include <cstdio>
#include <cstring>
#include <vector>

#include "histogram.cu"

int main()
{
    const unsigned n = 10000;
    std::vector<unsigned char> data(n);
    unsigned wanted[BINS] = {0}, counted[BINS], *bins;
    unsigned char *input;
    cudaEvent_t begin, end;
    float ms = 0;
    for (unsigned i = 0, seed = 1; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (unsigned char)(seed >> 24);
        wanted[data[i]]++;
    }
    cudaMalloc(&input, n);
    cudaMalloc(&bins, sizeof counted);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaMemcpy(input, data.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, sizeof counted);
    cudaEventRecord(begin);
    histogram<<<8, 128>>>(input, bins, n);
    cudaEventRecord(end);
    cudaMemcpy(counted, bins, sizeof counted, cudaMemcpyDeviceToHost);
    cudaEventElapsedTime(&ms, begin, end);
    const bool right = cudaGetLastError() == cudaSuccess && memcmp(counted, wanted, sizeof counted) == 0;
    printf("%s, %.2f simulated us\n", right ? "right" : "WRONG", 1000 * ms);
    return right ? 0 : 1;
}
