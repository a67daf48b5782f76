// SPDX-License-Identifier: Apache-2.0
// The first program of every CUDA course.
#include <vector>

#include "check.h"

__global__ void add(const float *a, const float *b, float *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main()
{
    const int n = 5000;
    std::vector<float> a(n), b(n), c(n);
    float *da, *db, *dc;
    for (int i = 0; i < n; i++) {
        a[i] = 0.5f * i;
        b[i] = 100.0f - i;
    }
    CHECK(cudaMalloc(&da, n * sizeof *da));
    CHECK(cudaMalloc(&db, n * sizeof *db));
    CHECK(cudaMalloc(&dc, n * sizeof *dc));
    CHECK(cudaMemcpy(da, a.data(), n * sizeof *da, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), n * sizeof *db, cudaMemcpyHostToDevice));
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), dc, n * sizeof *dc, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT(c[i] == a[i] + b[i]);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    return passed();
}
