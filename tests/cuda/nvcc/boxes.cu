// SPDX-License-Identifier: Apache-2.0
// Rows with a pitch, boxes of three dimensions, and their copies.
#include <cstring>

#include "check.h"

__global__ void negate(char *rows, size_t pitch, int width)
{
    signed char *row = (signed char *)(rows + pitch * blockIdx.x);
    for (int x = threadIdx.x; x < width; x += blockDim.x)
        row[x] = (signed char)-row[x];
}

static void two_dimensions()
{
    signed char from[7][50], to[7][60];
    char *rows;
    size_t pitch;
    for (int i = 0; i < 7 * 50; i++)
        from[i / 50][i % 50] = (signed char)(i % 100);
    CHECK(cudaMallocPitch(&rows, &pitch, 50, 7));
    EXPECT(pitch >= 50 && pitch % 32 == 0);
    CHECK(cudaMemcpy2D(rows, pitch, from, 50, 50, 7, cudaMemcpyHostToDevice));
    negate<<<7, 32>>>(rows, pitch, 50);
    CHECK(cudaMemset2D(rows, pitch, 9, 3, 2));
    CHECK(cudaMemcpy2D(to, 60, rows, pitch, 50, 7, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 7; y++)
        for (int x = 0; x < 50; x++)
            EXPECT(to[y][x] == (y < 2 && x < 3 ? 9 : -from[y][x]));
}

static void three_dimensions()
{
    int from[4][3][5], to[2][2][2];
    cudaPitchedPtr box;
    cudaMemcpy3DParms in = {}, out = {};
    for (int i = 0; i < 60; i++)
        from[i / 15][i / 5 % 3][i % 5] = i;
    CHECK(cudaMalloc3D(&box, make_cudaExtent(5 * sizeof(int), 3, 4)));
    in.srcPtr = make_cudaPitchedPtr(from, 5 * sizeof(int), 5, 3);
    in.dstPtr = box;
    in.extent = make_cudaExtent(5 * sizeof(int), 3, 4);
    in.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&in));
    out.srcPtr = box;
    out.srcPos = make_cudaPos(3 * sizeof(int), 1, 2);
    out.dstPtr = make_cudaPitchedPtr(to, 2 * sizeof(int), 2, 2);
    out.extent = make_cudaExtent(2 * sizeof(int), 2, 2);
    out.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&out));
    for (int i = 0; i < 8; i++)
        EXPECT(to[i / 4][i / 2 % 2][i % 2] == from[2 + i / 4][1 + i / 2 % 2][3 + i % 2]);
}

int main()
{
    two_dimensions();
    three_dimensions();
    return passed();
}
