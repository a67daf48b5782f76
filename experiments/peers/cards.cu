/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Common patterns of kernels, of the shapes that others have measured on cards: cards KERNEL SIZE [NUMBER [LAUNCHES]]. A kernel is launched twice: the first
 * launch warms the L2. All inputs are zero. SIZE is a number of elements, or the side of a square matrix. NUMBER is one of iterations, or the threads of a block in x
 * for the kernels of PolyBench (rows_product to conv3d), which have 8 in y where they have two dimensions.
 *
 *     nvcc -O2 -cudart shared experiments/peers/cards.cu -o cards
 *     cowarp validate card.csv --preset=titanv -- ./cards saxpy 1048576
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define TILE 32

__global__ void vector_add(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void saxpy(float a, const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = a * x[i] + y[i];
}

__global__ void naive_transpose(const float *__restrict__ in, float *__restrict__ out, int rows, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows)
        out[x * rows + y] = in[y * columns + x];
}

__global__ void shared_transpose(const float *__restrict__ in, float *__restrict__ out, int rows, int columns)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < columns && y < rows)
        tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < rows && y < columns)
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

/* Each thread has the window that begins at its place. */
__global__ void conv2d_3x3(const float *__restrict__ in, const float *__restrict__ weight, float *__restrict__ out, int rows, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns - 2 || y >= rows - 2)
        return;
    float sum = 0;
    for (int i = 0; i < 9; i++)
        sum += in[(y + i / 3) * columns + x + i % 3] * weight[i];
    out[y * columns + x] = sum;
}

__global__ void matmul_tiled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int at = 0; at < n; at += TILE) {
        left[threadIdx.y][threadIdx.x] = a[row * n + at + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(at + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

/* A block sums twice as many as it has threads. */
__global__ void reduce_sum(const float *__restrict__ in, float *__restrict__ out, int n)
{
    __shared__ float part[256];
    int i = 2 * blockIdx.x * blockDim.x + threadIdx.x, other = i + blockDim.x;
    part[threadIdx.x] = (i < n ? in[i] : 0) + (other < n ? in[other] : 0);
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step >>= 1) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

__global__ void atomic_hotspot(unsigned *counter, int n, int iterations)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int k = 0; k < iterations; k++)
            atomicAdd(counter, 1u);
}

/* As PolyBench has it for GPUs, the sum stays in memory. */
__global__ void rows_product(const float *a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < n; j++)
            y[i] += a[i * n + j] * x[j];
}

__global__ void columns_product(const float *a, const float *x, float *y, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n)
        for (int i = 0; i < n; i++)
            y[j] += a[i * n + j] * x[i];
}

__global__ void gemm(const float *a, const float *b, float *c, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n)
        return;
    c[i * n + j] *= 2;
    for (int k = 0; k < n; k++)
        c[i * n + j] += 3 * a[i * n + k] * b[k * n + j];
}

__global__ void conv2d(const float *a, float *b, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1)
        return;
    const float *at = a + i * n + j;
    b[i * n + j] =
        2 * at[-n - 1] - 3 * at[-n] + 4 * at[-n + 1] + 5 * at[-1] + 6 * at[0] + 7 * at[1] - 8 * at[n - 1] - 9 * at[n] + 10 * at[n + 1];
}

/* A plane of a cube: 15 loads of 11 places. */
__global__ void conv3d(const float *a, float *b, int n, int i)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (j < 1 || k < 1 || j >= n - 1 || k >= n - 1)
        return;
    const float *at = a + (i * n + j) * n + k, *below = at - n * n, *above = at + n * n;
    b[(i * n + j) * n + k] = 2 * below[-n - 1] + 4 * above[-n - 1] + 5 * below[-n - 1] + 7 * above[-n - 1] - 8 * below[n - 1] +
                             10 * above[n - 1] - 3 * at[-n] + 6 * at[0] - 9 * at[n] + 2 * below[-n + 1] + 4 * above[-n + 1] + 5 * below[1] +
                             7 * above[1] - 8 * below[n + 1] + 10 * above[n + 1];
}

__global__ void empty()
{
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "cards KERNEL SIZE [NUMBER [LAUNCHES]]\n");
        return 2;
    }
    const char *what = argv[1];
    const int size = atoi(argv[2]), iterations = argc > 3 ? atoi(argv[3]) : 50;
    const bool square =
        strstr(what, "transpose") || strstr(what, "conv") || strstr(what, "matmul") || strstr(what, "product") || strstr(what, "gemm");
    const size_t bytes = 4 * (size_t)size * (square ? size : 1) * (strcmp(what, "conv3d") ? 1 : size);
    float *a, *b, *c;
    if (cudaMalloc(&a, bytes) != cudaSuccess || cudaMalloc(&b, bytes) != cudaSuccess || cudaMalloc(&c, bytes) != cudaSuccess)
        return 1;
    cudaMemset(a, 0, bytes);
    cudaMemset(b, 0, bytes);
    const dim3 flat((size + 255) / 256), small((size + 15) / 16, (size + 15) / 16), large(size / TILE, size / TILE), sixteen(16, 16),
        tile(TILE, TILE);
    const int x = iterations, launches = argc > 4 ? atoi(argv[4]) : 2; /* x: threads of a block */
    const dim3 line((size + x - 1) / x), plane((size + x - 1) / x, (size + 7) / 8), block(x, 8);
    for (int launch = 0; launch < launches; launch++) {
        if (!strcmp(what, "vector_add"))
            vector_add<<<flat, 256>>>(a, b, c, size);
        else if (!strcmp(what, "saxpy"))
            saxpy<<<flat, 256>>>(2, a, b, c, size);
        else if (!strcmp(what, "naive_transpose"))
            naive_transpose<<<small, sixteen>>>(a, b, size, size);
        else if (!strcmp(what, "shared_transpose"))
            shared_transpose<<<large, tile>>>(a, b, size, size);
        else if (!strcmp(what, "conv2d_3x3"))
            conv2d_3x3<<<small, sixteen>>>(a, c, b, size, size);
        else if (!strcmp(what, "matmul_tiled"))
            matmul_tiled<<<large, tile>>>(a, b, c, size);
        else if (!strcmp(what, "reduce_sum"))
            reduce_sum<<<(size + 511) / 512, 256>>>(a, c, size);
        else if (!strcmp(what, "atomic_hotspot"))
            atomic_hotspot<<<flat, 256>>>((unsigned *)a, size, iterations);
        else if (!strcmp(what, "rows_product"))
            rows_product<<<line, x>>>(a, b, c, size);
        else if (!strcmp(what, "columns_product"))
            columns_product<<<line, x>>>(a, b, c, size);
        else if (!strcmp(what, "gemm"))
            gemm<<<plane, block>>>(a, b, c, size);
        else if (!strcmp(what, "conv2d"))
            conv2d<<<plane, block>>>(a, b, size);
        else if (!strcmp(what, "conv3d"))
            for (int i = 1; i < size - 1; i++)
                conv3d<<<plane, block>>>(a, b, size, i);
        else if (!strcmp(what, "empty"))
            empty<<<size, x>>>();
        else
            return 2;
    }
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
