// SPDX-License-Identifier: Apache-2.0
// What a program may ask: properties, attributes, of kernels as well, occupancy.
#include <cstring>

#include "check.h"

__global__ void __launch_bounds__(256) bounded(int *out)
{
    __shared__ int room[100];
    room[threadIdx.x % 100] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = room[threadIdx.x % 100];
}

int main()
{
    cudaDeviceProp p;
    cudaFuncAttributes a;
    int devices = 0, blocks = 0, grid = 0, block = 0, value = 0;
    size_t free_bytes, total;
    CHECK(cudaGetDeviceCount(&devices));
    EXPECT(devices == 1);
    memset(&p, 0xff, sizeof p);
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaMemGetInfo(&free_bytes, &total));
    EXPECT(strncmp(p.name, "cowarp", 6) == 0);
    EXPECT(p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.maxThreadsDim[2] == 64 && p.maxGridSize[0] == 2147483647);
    EXPECT(p.totalGlobalMem == total && free_bytes <= total);
    EXPECT(p.major == 7 && p.minor == 5); // of the PTX
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(p.multiProcessorCount == value && value > 0);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    EXPECT(p.maxThreadsPerMultiProcessor == value && value % 32 == 0);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    EXPECT(p.sharedMemPerBlockOptin == (size_t)value);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxBlocksPerMultiprocessor, 0));
    EXPECT(p.maxBlocksPerMultiProcessor == value);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxTexture2DLinearPitch, 0));
    EXPECT(p.maxTexture2DLinear[2] == value && value > 0 && p.maxTexture1D > p.maxTexture3D[2] && p.maxTexture1DMipmap == 0);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSurface2DLayeredLayers, 0));
    EXPECT(p.maxSurface2DLayered[2] == value && value > 0 && p.maxSurfaceCubemapLayered[1] == 0 && p.surfaceAlignment == 512);
    EXPECT(p.managedMemory == 1 && p.unifiedAddressing == 1 && p.canMapHostMemory == 1);
    CHECK(cudaFuncGetAttributes(&a, bounded));
    EXPECT(a.sharedSizeBytes == 400 && a.maxThreadsPerBlock == 256 && a.numRegs > 0 && a.ptxVersion == 75);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 256, 0));
    EXPECT(blocks >= 1 && blocks * 256 <= p.maxThreadsPerMultiProcessor);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0));
    EXPECT(block >= 32 && block <= 256);
    EXPECT(cudaSetDevice(1) == cudaErrorInvalidDevice && cudaGetLastError() == cudaErrorInvalidDevice);
    return passed();
}
