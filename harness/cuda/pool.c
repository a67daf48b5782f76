/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of memory. Allocation takes no time and memory goes back at once, so a pool is a name, and what a program wishes of it is remembered. */
#include <stdlib.h>

#include "cuda/process.h"

#define POOL_MAGIC    UINT32_C(0x504f4f4c)
#define ATTRIBUTE_CNT 9

#define RESERVED_NOW 5 /* the first of those that tell bytes of the device, which the program may not set */

struct cw_cuda_pool {
    uint32_t magic;
    uint64_t attribute[ATTRIBUTE_CNT];
};

static struct cw_cuda_pool first = {.magic = POOL_MAGIC, .attribute = {0, 1, 1, 1}}, *current = &first;

static int check(const struct cw_cuda_pool *pool)
{
    return pool != NULL && pool->magic == POOL_MAGIC ? CW_CUDA_OK : CW_CUDA_INVALID_VALUE;
}

struct cw_cuda_pool *cw_cuda_pool_first(void)
{
    return &first;
}

struct cw_cuda_pool *cw_cuda_pool_current(void)
{
    return current;
}

int cw_cuda_pool_set_current(struct cw_cuda_pool *pool)
{
    const int code = check(pool);
    if (code == CW_CUDA_OK)
        current = pool;
    return code;
}

int cw_cuda_pool_create(struct cw_cuda_pool **pool)
{
    *pool = malloc(sizeof **pool);
    if (*pool == NULL)
        return CW_CUDA_NO_MEMORY;
    **pool = (struct cw_cuda_pool){.magic = POOL_MAGIC, .attribute = {0, 1, 1, 1}};
    return CW_CUDA_OK;
}

int cw_cuda_pool_destroy(struct cw_cuda_pool *pool)
{
    if (check(pool) != CW_CUDA_OK || pool == &first)
        return CW_CUDA_INVALID_VALUE;
    if (current == pool)
        current = &first;
    pool->magic = 0;
    free(pool);
    return CW_CUDA_OK;
}

int cw_cuda_pool_allocate(void **address, size_t bytes, const struct cw_cuda_pool *pool)
{
    const int code = check(pool);
    return code == CW_CUDA_OK ? cw_cuda_malloc(address, bytes, CW_CUDA_MEMORY_DEVICE) : code;
}

/* Numbers 1 to 3 are words of 32 bits. */
static bool is_short(int attribute)
{
    return attribute < 4;
}

int cw_cuda_pool_set(struct cw_cuda_pool *pool, int attribute, const void *value)
{
    if (check(pool) != CW_CUDA_OK || attribute < 1 || attribute >= ATTRIBUTE_CNT)
        return CW_CUDA_INVALID_VALUE;
    if (attribute < RESERVED_NOW)
        pool->attribute[attribute] = is_short(attribute) ? *(const uint32_t *)value : *(const uint64_t *)value;
    return CW_CUDA_OK;
}

int cw_cuda_pool_get(const struct cw_cuda_pool *pool, int attribute, void *value)
{
    size_t left = 0, total = 0;
    if (check(pool) != CW_CUDA_OK || attribute < 1 || attribute >= ATTRIBUTE_CNT)
        return CW_CUDA_INVALID_VALUE;
    if (is_short(attribute)) {
        *(uint32_t *)value = (uint32_t)pool->attribute[attribute];
        return CW_CUDA_OK;
    }
    const int code = cw_cuda_memory_info(&left, &total);
    *(uint64_t *)value = attribute < RESERVED_NOW ? pool->attribute[attribute] : total - left;
    return code;
}
