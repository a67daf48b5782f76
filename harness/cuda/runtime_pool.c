/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API: pools of memory. */
#include "cuda/runtime.h"

int cudaDeviceGetDefaultMemPool(struct cw_cuda_pool **pool, int device)
{
    *pool = cw_cuda_pool_first();
    return cw_cuda_note(device == 0 ? CW_CUDA_OK : CW_CUDA_DEVICE);
}

int cudaDeviceGetMemPool(struct cw_cuda_pool **pool, int device)
{
    *pool = cw_cuda_pool_current();
    return cw_cuda_note(device == 0 ? CW_CUDA_OK : CW_CUDA_DEVICE);
}

int cudaDeviceSetMemPool(int device, struct cw_cuda_pool *pool)
{
    return cw_cuda_note(device == 0 ? cw_cuda_pool_set_current(pool) : CW_CUDA_DEVICE);
}

int cudaMemPoolCreate(struct cw_cuda_pool **pool, const void *properties)
{
    (void)properties; /* where the memory is, of which there is one place */
    return cw_cuda_note(cw_cuda_pool_create(pool));
}

int cudaMemPoolDestroy(struct cw_cuda_pool *pool)
{
    return cw_cuda_note(cw_cuda_pool_destroy(pool));
}

int cudaMemPoolSetAttribute(struct cw_cuda_pool *pool, int attribute, void *value)
{
    return cw_cuda_note(cw_cuda_pool_set(pool, attribute, value));
}

int cudaMemPoolGetAttribute(struct cw_cuda_pool *pool, int attribute, void *value)
{
    return cw_cuda_note(cw_cuda_pool_get(pool, attribute, value));
}

/* Nothing is kept that could be given back. */
int cudaMemPoolTrimTo(struct cw_cuda_pool *pool, size_t bytes)
{
    uint32_t value;
    (void)bytes;
    return cw_cuda_note(cw_cuda_pool_get(pool, 1, &value));
}

int cudaMallocFromPoolAsync(void **address, size_t bytes, struct cw_cuda_pool *pool, struct cw_cuda_stream *stream)
{
    const int code = cw_cuda_stream_check(stream);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_pool_allocate(address, bytes, pool) : code);
}
