/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API: kernels. */
#include <string.h>

#include "cuda/runtime.h"

#define PENDING_MOST 16u /* kernel<<<...>>> whose arguments launch kernels */

/* Between <<<...>>> and the stub that launches. */
static _Thread_local struct {
    struct dim3 grid, block;
    size_t shared;
    struct cw_cuda_stream *stream;
} pending[PENDING_MOST];
static _Thread_local uint32_t pending_cnt;

unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared, struct cw_cuda_stream *stream)
{
    if (pending_cnt == PENDING_MOST)
        return 1;
    pending[pending_cnt].grid = grid;
    pending[pending_cnt].block = block;
    pending[pending_cnt].shared = shared;
    pending[pending_cnt++].stream = stream;
    return 0;
}

int __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared, void *stream)
{
    if (pending_cnt == 0)
        return cw_cuda_note(CW_CUDA_MISSING_CONFIGURATION);
    pending_cnt--;
    *grid = pending[pending_cnt].grid;
    *block = pending[pending_cnt].block;
    *shared = pending[pending_cnt].shared;
    memcpy(stream, &pending[pending_cnt].stream, sizeof(void *));
    return CW_CUDA_OK;
}

static int launch(const void *host, struct cw_cuda_launch *l, struct cw_cuda_stream *stream)
{
    struct cw_cuda_function *f;
    int code = cw_cuda_stream_check(stream);
    l->stream = stream;
    if (code == CW_CUDA_OK)
        code = cw_cuda_function(&f, host);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_launch(f, l) : code);
}

static struct cw_cuda_launch shape(struct dim3 grid, struct dim3 block, void **args, size_t shared)
{
    return (struct cw_cuda_launch){
        .grid = {grid.x, grid.y, grid.z}, .block = {block.x, block.y, block.z}, .shared_bytes = shared, .args = args};
}

int cudaLaunchKernel(const void *host, struct dim3 grid, struct dim3 block, void **args, size_t shared, struct cw_cuda_stream *stream)
{
    struct cw_cuda_launch l = shape(grid, block, args, shared);
    return launch(host, &l, stream);
}

int __cudaLaunchKernel(void *kernel, struct dim3 grid, struct dim3 block, void **args, size_t shared, struct cw_cuda_stream *stream)
{
    return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

int cudaLaunchCooperativeKernel(const void *host, struct dim3 grid, struct dim3 block, void **args, size_t shared,
                                struct cw_cuda_stream *stream)
{
    struct cw_cuda_launch l = shape(grid, block, args, shared);
    l.cooperative = true;
    return launch(host, &l, stream);
}

int cudaLaunchKernelExC(const struct cudaLaunchConfig *c, const void *host, void **args)
{
    struct cw_cuda_launch l = shape(c->gridDim, c->blockDim, args, c->dynamicSmemBytes);
    const int code = cw_cuda_launch_attributes(&l, c->attrs, c->numAttrs);
    return code == CW_CUDA_OK ? launch(host, &l, c->stream) : cw_cuda_note(code);
}

/* The handle is the function of the library below; a launch takes it as well as the host's address. */
int __cudaGetKernel(void **kernel, const void *host)
{
    struct cw_cuda_function *f;
    const int code = cw_cuda_function(&f, host);
    *kernel = f;
    return cw_cuda_note(code);
}

int cudaGetKernel(void **kernel, const void *host)
{
    return __cudaGetKernel(kernel, host);
}

int cudaGetFuncBySymbol(void **function, const void *host)
{
    return __cudaGetKernel(function, host);
}

int cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *host)
{
    struct cw_cuda_function *f;
    struct cw_cuda_function_info info = {0};
    int code = cw_cuda_function(&f, host);
    if (code == CW_CUDA_OK)
        code = cw_cuda_function_info(f, &info);
    if (code == CW_CUDA_OK)
        *a = (struct cudaFuncAttributes){.sharedSizeBytes = info.shared_bytes,
                                         .constSizeBytes = info.constant_bytes,
                                         .localSizeBytes = info.local_bytes,
                                         .maxThreadsPerBlock = info.threads_most,
                                         .numRegs = info.registers,
                                         .ptxVersion = info.architecture,
                                         .binaryVersion = info.architecture,
                                         .maxDynamicSharedSizeBytes = (int)info.dynamic_shared_most,
                                         .preferredShmemCarveout = -1};
    return cw_cuda_note(code);
}

/* attribute 8: dynamic shared memory; others are wishes */
int cudaFuncSetAttribute(const void *host, int attribute, int value)
{
    struct cw_cuda_function *f;
    int code = cw_cuda_function(&f, host);
    if (code == CW_CUDA_OK && attribute == 8)
        code = cw_cuda_function_set_dynamic_shared(f, value);
    return cw_cuda_note(code);
}

int cudaFuncSetCacheConfig(const void *host, int config)
{
    struct cw_cuda_function *f;
    (void)config;
    return cw_cuda_note(cw_cuda_function(&f, host));
}

int cudaFuncSetSharedMemConfig(const void *host, int config)
{
    return cudaFuncSetCacheConfig(host, config);
}

int cudaFuncGetName(const char **name, const void *host)
{
    struct cw_cuda_function *f;
    const int code = cw_cuda_function(&f, host);
    if (code == CW_CUDA_OK)
        *name = cw_cuda_function_name(f);
    return cw_cuda_note(code);
}

int cudaFuncGetParamInfo(const void *host, size_t i, size_t *offset, size_t *bytes)
{
    struct cw_cuda_function *f;
    const int code = cw_cuda_function(&f, host);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_function_param(f, i, offset, bytes) : code);
}

int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host, int threads, size_t shared, unsigned flags)
{
    struct cw_cuda_function *f;
    (void)flags;
    const int code = cw_cuda_function(&f, host);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_occupancy(blocks, f, threads, shared) : code);
}

int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int threads, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, threads, shared, 0);
}

int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *host, int blocks, int threads)
{
    struct cw_cuda_function *f;
    const int code = cw_cuda_function(&f, host);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_occupancy_shared(bytes, f, blocks, threads) : code);
}
