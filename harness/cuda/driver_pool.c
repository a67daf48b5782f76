/* SPDX-License-Identifier: Apache-2.0 */
/* The driver API: pools of memory. */
#include "cuda/driver.h"

static int check_device(int device)
{
    if (!cw_driver_is_init())
        return CW_CUDA_INIT;
    return device == 0 ? CW_CUDA_OK : CW_CUDA_DEVICE;
}

int cuDeviceGetDefaultMemPool(struct cw_cuda_pool **pool, int device)
{
    *pool = cw_cuda_pool_first();
    return check_device(device);
}

int cuDeviceGetMemPool(struct cw_cuda_pool **pool, int device)
{
    *pool = cw_cuda_pool_current();
    return check_device(device);
}

int cuDeviceSetMemPool(int device, struct cw_cuda_pool *pool)
{
    const int code = check_device(device);
    return code == CW_CUDA_OK ? cw_cuda_pool_set_current(pool) : code;
}

int cuMemPoolCreate(struct cw_cuda_pool **pool, const void *properties)
{
    (void)properties; /* where the memory is, of which there is one place */
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_pool_create(pool);
}

int cuMemPoolDestroy(struct cw_cuda_pool *pool)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_pool_destroy(pool);
}

int cuMemPoolSetAttribute(struct cw_cuda_pool *pool, int attribute, void *value)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_pool_set(pool, attribute, value);
}

int cuMemPoolGetAttribute(struct cw_cuda_pool *pool, int attribute, void *value)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_pool_get(pool, attribute, value);
}

/* Nothing is kept that could be given back. */
int cuMemPoolTrimTo(struct cw_cuda_pool *pool, size_t bytes)
{
    uint32_t value;
    (void)bytes;
    return cuMemPoolGetAttribute(pool, 1, &value);
}

int cuMemAllocFromPoolAsync(uint64_t *address, size_t bytes, struct cw_cuda_pool *pool, struct cw_cuda_stream *stream)
{
    void *at = NULL;
    CW_DRIVER_NEEDS_CONTEXT();
    int code = cw_cuda_stream_check(stream);
    if (code == CW_CUDA_OK)
        code = cw_cuda_pool_allocate(&at, bytes, pool);
    *address = (uintptr_t)at;
    return code;
}
