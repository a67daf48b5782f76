// SPDX-License-Identifier: Apache-2.0
// A product of matrices through tiles in shared memory, with two-dimensional grids and a size that no tile divides.
#include <vector>

#include "check.h"

template <int TILE> __global__ void multiply(const int *a, const int *b, int *c, int n)
{
    __shared__ int sa[TILE][TILE], sb[TILE][TILE + 1];
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    int sum = 0;
    for (int k = 0; k < n; k += TILE) {
        sa[threadIdx.y][threadIdx.x] = y < n && k + threadIdx.x < n ? a[y * n + k + threadIdx.x] : 0;
        sb[threadIdx.y][threadIdx.x] = x < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + x] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        __syncthreads();
    }
    if (x < n && y < n)
        c[y * n + x] = sum;
}

int main()
{
    const int n = 37;
    std::vector<int> a(n * n), b(n * n), c(n * n);
    int *da, *db, *dc;
    for (int i = 0; i < n * n; i++) {
        a[i] = i % 13 - 6;
        b[i] = i % 17 - 8;
    }
    CHECK(cudaMalloc(&da, n * n * sizeof *da));
    CHECK(cudaMalloc(&db, n * n * sizeof *db));
    CHECK(cudaMalloc(&dc, n * n * sizeof *dc));
    CHECK(cudaMemcpy(da, a.data(), n * n * sizeof *da, cudaMemcpyDefault));
    CHECK(cudaMemcpy(db, b.data(), n * n * sizeof *db, cudaMemcpyDefault));
    multiply<8><<<dim3((n + 7) / 8, (n + 7) / 8), dim3(8, 8)>>>(da, db, dc, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(c.data(), dc, n * n * sizeof *dc, cudaMemcpyDeviceToHost));
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            int sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[y * n + k] * b[k * n + x];
            EXPECT(c[y * n + x] == sum);
        }
    return passed();
}
