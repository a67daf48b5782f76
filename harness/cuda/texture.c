/* SPDX-License-Identifier: Apache-2.0 */
/* Textures and surfaces: what a kernel's handle stands for, in device memory, where the functions of sampler.cu read it. */
#include <stdlib.h>
#include <string.h>

#include "cuda/process.h"
#include "cuda/sampler.h"

/* What the program may ask for again. */
struct cw_cuda_texture {
    uint64_t handle;
    struct cw_cuda_texels texels;
    struct cw_cuda_sampling sampling;
    struct cw_cuda_texture *next;
};

static int fill_channel(struct cw_sampler *s, const struct cw_cuda_channel *c)
{
    size_t bytes = 0;
    const int code = cw_cuda_channel_check(c, &bytes);
    if (code != CW_CUDA_OK)
        return code;
    s->channel_bytes = (unsigned)c->bits[0] / 8;
    s->channels = (unsigned)bytes / s->channel_bytes;
    s->kind = (unsigned)c->kind;
    return CW_CUDA_OK;
}

static int fill_texels(struct cw_sampler *s, const struct cw_cuda_texels *t)
{
    const struct cw_cuda_channel *channel = t->array != NULL ? &cw_cuda_array_info(t->array)->channel : &t->channel;
    const int code = fill_channel(s, channel);
    if (code != CW_CUDA_OK)
        return code;
    if (t->array != NULL) {
        cw_cuda__array_sampler(t->array, s);
        return CW_CUDA_OK;
    }
    const unsigned texel = s->channels * s->channel_bytes;
    s->base = (uintptr_t)t->memory;
    s->size[0] = (unsigned)(t->pitch > 0 ? t->width : t->bytes / texel);
    s->size[1] = t->pitch > 0 ? (unsigned)t->height : 1;
    s->size[2] = s->layers = 1;
    s->row_bytes = (unsigned)t->pitch;
    s->slice_bytes = t->pitch * t->height;
    return t->memory != NULL && s->size[0] > 0 && s->base % texel == 0 && t->pitch % texel == 0 ? CW_CUDA_OK : CW_CUDA_INVALID_VALUE;
}

static int fill_sampling(struct cw_sampler *s, const struct cw_cuda_sampling *how)
{
    for (int d = 0; d < 3; d++) {
        if (how->address[d] < 0 || how->address[d] > 3)
            return CW_CUDA_INVALID_VALUE;
        s->address[d] = (unsigned)how->address[d];
    }
    s->linear = how->linear;
    s->normalized = how->normalized;
    s->to_float = how->to_float && s->kind != CW_SAMPLER_FLOAT;
    memcpy(s->border, how->border, sizeof s->border);
    if (how->to_float && s->kind != CW_SAMPLER_FLOAT && s->channel_bytes == 4)
        return CW_CUDA_INVALID_VALUE; /* CUDA has no such conversion */
    if (how->linear && s->kind != CW_SAMPLER_FLOAT && !how->to_float)
        return CW_CUDA_INVALID_VALUE; /* integers cannot be weighed */
    return how->srgb ? cw_cuda_missing("a texture in sRGB") : CW_CUDA_OK;
}

int cw_cuda_texture_create(uint64_t *handle, const struct cw_cuda_texels *texels, const struct cw_cuda_sampling *how)
{
    struct cw_sampler s = {0};
    void *at = NULL;
    *handle = 0;
    int code = texels->array != NULL ? cw_cuda_array_check(texels->array) : CW_CUDA_OK;
    if (code == CW_CUDA_OK)
        code = fill_texels(&s, texels);
    if (code == CW_CUDA_OK)
        code = fill_sampling(&s, how);
    struct cw_cuda_texture *t = code == CW_CUDA_OK ? calloc(1, sizeof *t) : NULL;
    if (t == NULL)
        return code != CW_CUDA_OK ? code : CW_CUDA_NO_MEMORY;
    code = cw_cuda_malloc(&at, sizeof s, CW_CUDA_MEMORY_DEVICE);
    if (code == CW_CUDA_OK)
        code = cw_cuda_copy(at, &s, sizeof s, 1);
    if (code != CW_CUDA_OK) {
        free(t);
        return code;
    }
    *t = (struct cw_cuda_texture){.handle = (uintptr_t)at, .texels = *texels, .sampling = *how};
    cw_cuda__lock();
    t->next = cw_cuda__process.textures;
    cw_cuda__process.textures = t;
    cw_cuda__unlock();
    *handle = t->handle;
    return CW_CUDA_OK;
}

static struct cw_cuda_texture **find(uint64_t handle)
{
    struct cw_cuda_texture **t = &cw_cuda__process.textures;
    while (*t != NULL && (*t)->handle != handle)
        t = &(*t)->next;
    return t;
}

int cw_cuda_texture_destroy(uint64_t handle)
{
    if (handle == 0)
        return CW_CUDA_OK;
    cw_cuda__lock();
    struct cw_cuda_texture **place = find(handle), *t = *place;
    int code = t != NULL ? cw_cuda_free((void *)(uintptr_t)handle) : CW_CUDA_INVALID_VALUE;
    if (t != NULL) {
        *place = t->next;
        free(t);
    }
    return cw_cuda__leave(code);
}

int cw_cuda_texture_info(uint64_t handle, struct cw_cuda_texels *texels, struct cw_cuda_sampling *how)
{
    cw_cuda__lock();
    const struct cw_cuda_texture *t = *find(handle);
    if (t != NULL && texels != NULL)
        *texels = t->texels;
    if (t != NULL && how != NULL)
        *how = t->sampling;
    return cw_cuda__leave(t != NULL ? CW_CUDA_OK : CW_CUDA_INVALID_VALUE);
}

int cw_cuda_reference_bind(const void *host, const struct cw_cuda_texels *texels, const struct cw_cuda_sampling *how)
{
    uint64_t handle = 0, last = 0;
    cw_cuda__lock();
    int code = cw_cuda_symbol_read(host, 0, &last, sizeof last);
    if (code == CW_CUDA_OK && texels != NULL)
        code = cw_cuda_texture_create(&handle, texels, how);
    if (code == CW_CUDA_OK)
        code = cw_cuda_symbol_write(host, 0, &handle, sizeof handle);
    if (code == CW_CUDA_OK && last != 0)
        code = cw_cuda_texture_destroy(last);
    return cw_cuda__leave(code);
}
