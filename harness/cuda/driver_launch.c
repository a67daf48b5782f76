/* SPDX-License-Identifier: Apache-2.0 */
/* The driver API: functions and their launches. */
#include "cuda/driver.h"

/* Parameters as they lie in memory: a list of a number and its value, which NULL ends. */
enum extra { EXTRA_BUFFER = 1, EXTRA_BYTES = 2 };

static int read_extra(struct cw_cuda_launch *l, void **extra)
{
    for (; *extra != NULL; extra += 2)
        if ((uintptr_t)*extra == EXTRA_BUFFER)
            l->packed = extra[1];
        else if ((uintptr_t)*extra == EXTRA_BYTES)
            l->packed_bytes = *(const size_t *)extra[1];
        else
            return CW_CUDA_INVALID_VALUE;
    return CW_CUDA_OK;
}

static int launch(struct cw_cuda_function *function, struct cw_cuda_launch *l, struct cw_cuda_stream *stream, void **extra)
{
    struct cw_cuda_function *f;
    CW_DRIVER_NEEDS_CONTEXT();
    int code = cw_cuda_stream_check(stream);
    l->stream = stream;
    if (code == CW_CUDA_OK)
        code = cw_cuda_function(&f, function);
    if (code == CW_CUDA_DEVICE_FUNCTION)
        code = CW_CUDA_HANDLE;
    if (code == CW_CUDA_OK && extra != NULL)
        code = l->args == NULL ? read_extra(l, extra) : CW_CUDA_INVALID_VALUE;
    if (code == CW_CUDA_OK)
        code = cw_cuda_launch(f, l);
    return code == CW_CUDA_CONFIGURATION ? CW_CUDA_INVALID_VALUE : code; /* which the driver does not tell apart */
}

int cuLaunchKernel(struct cw_cuda_function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared, struct cw_cuda_stream *stream, void **args, void **extra)
{
    struct cw_cuda_launch l = {
        .grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}, .shared_bytes = shared, .args = args};
    return launch(function, &l, stream, extra);
}

int cuLaunchCooperativeKernel(struct cw_cuda_function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                              unsigned block_y, unsigned block_z, unsigned shared, struct cw_cuda_stream *stream, void **args)
{
    struct cw_cuda_launch l = {
        .grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}, .shared_bytes = shared, .args = args, .cooperative = true};
    return launch(function, &l, stream, NULL);
}

struct config {
    unsigned grid[3], block[3], shared;
    struct cw_cuda_stream *stream;
    const void *attributes;
    unsigned attribute_cnt;
};

int cuLaunchKernelEx(const struct config *c, struct cw_cuda_function *function, void **args, void **extra)
{
    struct cw_cuda_launch l = {.grid = {c->grid[0], c->grid[1], c->grid[2]},
                               .block = {c->block[0], c->block[1], c->block[2]},
                               .shared_bytes = c->shared,
                               .args = args};
    const int code = cw_cuda_launch_attributes(&l, c->attributes, c->attribute_cnt);
    return code == CW_CUDA_OK ? launch(function, &l, c->stream, extra) : code;
}

int cuLaunchHostFunc(struct cw_cuda_stream *stream, void (*call)(void *), void *data)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_host_call(stream, call, data);
}

/* Functions */

static int take(struct cw_cuda_function **f, const struct cw_cuda_function *function)
{
    CW_DRIVER_NEEDS_CONTEXT();
    const int code = cw_cuda_function(f, function);
    return code == CW_CUDA_DEVICE_FUNCTION ? CW_CUDA_HANDLE : code;
}

int cuFuncGetAttribute(int *value, int attribute, struct cw_cuda_function *function)
{
    struct cw_cuda_function *f;
    struct cw_cuda_function_info i = {0};
    int code = take(&f, function);
    if (code == CW_CUDA_OK)
        code = cw_cuda_function_info(f, &i);
    if (code != CW_CUDA_OK)
        return code;
    const int values[] = {i.threads_most,
                          (int)i.shared_bytes,
                          (int)i.constant_bytes,
                          (int)i.local_bytes,
                          i.registers,
                          i.architecture,
                          i.architecture,
                          0,
                          (int)i.dynamic_shared_most,
                          -1};
    if (attribute < 0 || attribute > 15)
        return CW_CUDA_INVALID_VALUE;
    *value = attribute < (int)(sizeof values / sizeof values[0]) ? values[attribute] : 0; /* the others are about clusters */
    return CW_CUDA_OK;
}

/* attribute 8: dynamic shared memory; others are wishes */
int cuFuncSetAttribute(struct cw_cuda_function *function, int attribute, int value)
{
    struct cw_cuda_function *f;
    const int code = take(&f, function);
    return code == CW_CUDA_OK && attribute == 8 ? cw_cuda_function_set_dynamic_shared(f, value) : code;
}

int cuKernelGetAttribute(int *value, int attribute, struct cw_cuda_function *kernel, int device)
{
    return device == 0 ? cuFuncGetAttribute(value, attribute, kernel) : CW_CUDA_DEVICE;
}

int cuKernelSetAttribute(int attribute, int value, struct cw_cuda_function *kernel, int device)
{
    return device == 0 ? cuFuncSetAttribute(kernel, attribute, value) : CW_CUDA_DEVICE;
}

int cuFuncSetCacheConfig(struct cw_cuda_function *function, int config)
{
    struct cw_cuda_function *f;
    (void)config;
    return take(&f, function);
}

int cuFuncSetSharedMemConfig(struct cw_cuda_function *function, int config)
{
    return cuFuncSetCacheConfig(function, config);
}

int cuKernelSetCacheConfig(struct cw_cuda_function *kernel, int config, int device)
{
    return device == 0 ? cuFuncSetCacheConfig(kernel, config) : CW_CUDA_DEVICE;
}

int cuFuncGetName(const char **name, struct cw_cuda_function *function)
{
    struct cw_cuda_function *f;
    const int code = take(&f, function);
    if (code == CW_CUDA_OK)
        *name = cw_cuda_function_name(f);
    return code;
}

int cuKernelGetName(const char **name, struct cw_cuda_function *kernel)
{
    return cuFuncGetName(name, kernel);
}

int cuFuncGetModule(struct cw_cuda_image **module, struct cw_cuda_function *function)
{
    struct cw_cuda_function *f;
    const int code = take(&f, function);
    if (code == CW_CUDA_OK)
        *module = cw_cuda_function_image(f);
    return code;
}

int cuFuncGetParamInfo(struct cw_cuda_function *function, size_t i, size_t *offset, size_t *bytes)
{
    struct cw_cuda_function *f;
    size_t size;
    const int code = take(&f, function);
    return code == CW_CUDA_OK ? cw_cuda_function_param(f, i, offset, bytes != NULL ? bytes : &size) : code;
}

int cuKernelGetParamInfo(struct cw_cuda_function *kernel, size_t i, size_t *offset, size_t *bytes)
{
    return cuFuncGetParamInfo(kernel, i, offset, bytes);
}

int cuFuncIsLoaded(int *state, struct cw_cuda_function *function)
{
    struct cw_cuda_function *f;
    *state = 1;
    return take(&f, function);
}

int cuFuncLoad(struct cw_cuda_function *function)
{
    struct cw_cuda_function *f;
    return take(&f, function);
}

/* Occupancy */

int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, struct cw_cuda_function *function, int threads, size_t shared,
                                                         unsigned flags)
{
    struct cw_cuda_function *f;
    (void)flags;
    const int code = take(&f, function);
    return code == CW_CUDA_OK ? cw_cuda_occupancy(blocks, f, threads, shared) : code;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, struct cw_cuda_function *function, int threads, size_t shared)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

/* The block with which a core holds the most threads; of those, the largest. */
int cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, struct cw_cuda_function *function, size_t (*shared_of)(int),
                                              size_t shared, int limit, unsigned flags)
{
    struct cw_cuda_function *f;
    struct cw_cuda_function_info info = {0};
    int code = take(&f, function), most = 0, blocks = 0;
    (void)flags;
    if (code == CW_CUDA_OK)
        code = cw_cuda_function_info(f, &info);
    const int top = limit > 0 && limit < info.threads_most ? limit : info.threads_most;
    for (int threads = top; code == CW_CUDA_OK && threads > 0; threads = (threads - 1) / 32 * 32) {
        code = cw_cuda_occupancy(&blocks, f, threads, shared_of != NULL ? shared_of(threads) : shared);
        if (code == CW_CUDA_OK && blocks * threads > most) {
            most = blocks * threads;
            *block = threads;
            *grid = blocks * (int)cw_cuda_value("core.count");
        }
    }
    return code;
}

int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, struct cw_cuda_function *function, size_t (*shared_of)(int), size_t shared,
                                     int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared, limit, 0);
}

int cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, struct cw_cuda_function *function, int blocks, int threads)
{
    struct cw_cuda_function *f;
    const int code = take(&f, function);
    return code == CW_CUDA_OK ? cw_cuda_occupancy_shared(bytes, f, blocks, threads) : code;
}
