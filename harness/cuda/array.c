/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays: texels in device memory, row by row. CUDA leaves open how they lie; a card has them in tiles. Rows begin at multiples of 32 bytes,
 * the sector of a cache.
 */
#include <stdlib.h>

#include "cuda/process.h"
#include "cuda/sampler.h"

#define ARRAY_MAGIC UINT32_C(0x41525259)
#define ROW_ALIGN   32u

enum flag { LAYERED = 1, SURFACE = 2, CUBE = 4, GATHER = 8 };

struct cw_cuda_array {
    uint32_t magic;
    struct cw_cuda_array_info info;
    uint64_t base;
    size_t texel_bytes, row_bytes, rows; /* rows: of a slice */
};

int cw_cuda_channel_check(const struct cw_cuda_channel *c, size_t *texel_bytes)
{
    int cnt = 0;
    while (cnt < 4 && c->bits[cnt] != 0)
        cnt++;
    const int bits = c->bits[0];
    for (int i = 0; i < 4; i++)
        if (c->bits[i] != (i < cnt ? bits : 0))
            return CW_CUDA_INVALID_VALUE;
    if ((bits != 8 && bits != 16 && bits != 32) || cnt == 3 || c->kind < 0 || c->kind > 2 || (c->kind == CW_SAMPLER_FLOAT && bits == 8))
        return CW_CUDA_INVALID_VALUE;
    *texel_bytes = (size_t)(cnt * bits / 8);
    return CW_CUDA_OK;
}

int cw_cuda_array_create(struct cw_cuda_array **array, const struct cw_cuda_array_info *info)
{
    void *at = NULL;
    size_t texel;
    *array = NULL;
    int code = cw_cuda_channel_check(&info->channel, &texel);
    if (code != CW_CUDA_OK || info->width == 0)
        return CW_CUDA_INVALID_VALUE;
    if ((info->flags & CUBE) != 0)
        return cw_cuda_missing("an array of a cube map");
    struct cw_cuda_array *a = calloc(1, sizeof *a);
    if (a == NULL)
        return CW_CUDA_NO_MEMORY;
    *a = (struct cw_cuda_array){.magic = ARRAY_MAGIC, .info = *info, .texel_bytes = texel, .rows = info->height > 0 ? info->height : 1};
    a->row_bytes = (info->width * texel + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
    code = cw_cuda_malloc(&at, a->row_bytes * a->rows * (info->depth > 0 ? info->depth : 1), CW_CUDA_MEMORY_DEVICE);
    a->base = (uintptr_t)at;
    if (code == CW_CUDA_OK)
        *array = a;
    else
        free(a);
    return code;
}

int cw_cuda_array_check(const struct cw_cuda_array *array)
{
    return array != NULL && array->magic == ARRAY_MAGIC ? CW_CUDA_OK : CW_CUDA_HANDLE;
}

int cw_cuda_array_destroy(struct cw_cuda_array *array)
{
    if (array == NULL)
        return CW_CUDA_OK;
    int code = cw_cuda_array_check(array);
    if (code == CW_CUDA_OK) {
        code = cw_cuda_free((void *)(uintptr_t)array->base);
        array->magic = 0;
        free(array);
    }
    return code;
}

const struct cw_cuda_array_info *cw_cuda_array_info(const struct cw_cuda_array *array)
{
    return &array->info;
}

size_t cw_cuda_array_texel_bytes(const struct cw_cuda_array *array)
{
    return array->texel_bytes;
}

void *cw_cuda_array_place(const struct cw_cuda_array *array, size_t x_bytes, size_t y, size_t z, size_t *pitch, size_t *rows)
{
    *pitch = array->row_bytes;
    *rows = array->rows;
    return (void *)(uintptr_t)(array->base + (z * array->rows + y) * array->row_bytes + x_bytes);
}

void cw_cuda__array_sampler(const struct cw_cuda_array *array, struct cw_sampler *s)
{
    const struct cw_cuda_array_info *i = &array->info;
    const unsigned depth = i->depth > 0 ? (unsigned)i->depth : 1;
    const bool layered = (i->flags & LAYERED) != 0;
    s->base = array->base;
    s->row_bytes = (unsigned)array->row_bytes;
    s->slice_bytes = array->row_bytes * array->rows;
    s->size[0] = (unsigned)i->width;
    s->size[1] = (unsigned)array->rows;
    s->size[2] = layered ? 1 : depth;
    s->layers = layered ? depth : 1;
}
