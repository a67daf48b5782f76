/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces: texels that kernels read and write, in each form and at the edges. */
#include <cstring>

#include "check.h"

enum { W = 10, H = 6, D = 3 };

/* Adds up what is there and what lies beyond the edges, as each mode has it, and writes its own place. */
__global__ void step(int *out, cudaSurfaceObject_t s)
{
    const int x = threadIdx.x, y = threadIdx.y;
    int here, clamped, zero;
    surf2Dread(&here, s, x * 4, y);
    surf2Dread(&clamped, s, (x + W) * 4, y - 20, cudaBoundaryModeClamp);
    surf2Dread(&zero, s, (x - W) * 4, y, cudaBoundaryModeZero);
    out[y * W + x] = here + 1000 * clamped + 1000000 * zero;
    __syncthreads();
    if ((x + y) % 2 == 0)
        surf2Dwrite(here + 1, s, x * 4, y);
    surf2Dwrite(-1, s, x * 4, H + y, cudaBoundaryModeZero);
}

__global__ void volume(cudaSurfaceObject_t s)
{
    const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    surf3Dwrite(make_short2((short)(x + 10 * y), (short)(100 * z)), s, x * 4, y, z);
    short2 back;
    surf3Dread(&back, s, x * 4, y, z);
    surf3Dwrite(make_short2(back.x, (short)(back.y + 1)), s, x * 4, y, z);
}

__global__ void layer(cudaSurfaceObject_t s)
{
    surf2DLayeredwrite((unsigned char)(threadIdx.x + 20 * threadIdx.y + 100 * blockIdx.x), s, threadIdx.x, threadIdx.y, blockIdx.x);
}

static cudaSurfaceObject_t make(cudaArray_t *a, cudaChannelFormatDesc c, int depth, unsigned flags)
{
    cudaSurfaceObject_t s;
    cudaResourceDesc r = {};
    CHECK(cudaMalloc3DArray(a, &c, make_cudaExtent(W, H, depth), cudaArraySurfaceLoadStore | flags));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = *a;
    CHECK(cudaCreateSurfaceObject(&s, &r));
    return s;
}

static void download(void *to, cudaArray_t a, size_t row_bytes, int depth)
{
    cudaMemcpy3DParms p = {};
    p.srcArray = a;
    p.dstPtr = make_cudaPitchedPtr(to, row_bytes, row_bytes, H);
    p.extent = make_cudaExtent(W, H, depth);
    p.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&p));
}

int main()
{
    cudaArray_t a;
    int first[H][W], back[H][W], sums[H][W], *out;
    for (int i = 0; i < W * H; i++)
        first[i / W][i % W] = i + 1;
    const cudaSurfaceObject_t flat = make(&a, cudaCreateChannelDesc<int>(), 0, 0);
    CHECK(cudaMemcpy2DToArray(a, 0, 0, first, sizeof first[0], sizeof first[0], H, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&out, sizeof sums));
    step<<<1, dim3(W, H)>>>(out, flat);
    CHECK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy2DFromArray(back, sizeof back[0], a, 0, 0, sizeof back[0], H, cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            EXPECT(sums[y][x] == first[y][x] + 1000 * first[0][W - 1]);
            EXPECT(back[y][x] == first[y][x] + ((x + y) % 2 == 0));
        }
    CHECK(cudaDestroySurfaceObject(flat));

    short2 cells[D][H][W];
    const cudaSurfaceObject_t deep = make(&a, cudaCreateChannelDesc<short2>(), D, 0);
    volume<<<D, dim3(W, H)>>>(deep);
    download(cells, a, sizeof cells[0][0], D);
    unsigned char leaves[D][H][W];
    const cudaSurfaceObject_t stack = make(&a, cudaCreateChannelDesc<unsigned char>(), D, cudaArrayLayered);
    layer<<<D, dim3(W, H)>>>(stack);
    download(leaves, a, sizeof leaves[0][0], D);
    for (int i = 0; i < W * H * D; i++) {
        const int x = i % W, y = i / W % H, z = i / W / H;
        EXPECT(cells[z][y][x].x == x + 10 * y && cells[z][y][x].y == 100 * z + 1);
        EXPECT(leaves[z][y][x] == (unsigned char)(x + 20 * y + 100 * z));
    }
    return passed();
}
