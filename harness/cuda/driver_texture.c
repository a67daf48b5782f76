/* SPDX-License-Identifier: Apache-2.0 */
/* The driver API: arrays, textures and surfaces. They are the runtime's. */
#include <string.h>

#include "cuda/driver.h"

/* What texels are: 1 to 3 unsigned and 8 to 10 signed integers of 8, 16 and 32 bits, 10h and 20h floats of 16 and 32. */
enum format { UNSIGNED = 0x01, SIGNED = 0x08, HALF = 0x10, FLOAT = 0x20 };

struct array {
    size_t width, height;
    int format;
    unsigned channels;
};

struct array3d {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

enum resource_kind { ARRAY, MIPMAPPED, LINEAR, PITCHED };

struct resource {
    int kind;
    union {
        struct cw_cuda_array *array;
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t bytes; /* LINEAR; width, height and pitch: PITCHED */
            size_t height, pitch;
        } memory;
        int reserved[32];
    };
    unsigned flags;
};

enum sampling_flag { AS_INTEGER = 1, NORMALIZED = 2, SRGB = 16 };

struct sampling {
    int address[3], linear;
    unsigned flags, anisotropy;
    int mipmap_linear;
    float bias, least, most, border[4];
    int reserved[12];
};

static bool read_channel(struct cw_cuda_channel *c, int format, unsigned channels)
{
    int bits = 0;
    c->kind = format >= HALF ? 2 : format >= SIGNED ? 0 : 1;
    if (format == HALF || format == FLOAT)
        bits = format;
    else if ((format >= UNSIGNED && format <= UNSIGNED + 2) || (format >= SIGNED && format <= SIGNED + 2))
        bits = 8 << (format - (format >= SIGNED ? SIGNED : UNSIGNED));
    for (unsigned i = 0; i < 4; i++)
        c->bits[i] = i < channels ? bits : 0;
    return bits != 0 && channels <= 4;
}

static int format_of(const struct cw_cuda_channel *c, unsigned *channels)
{
    const int step = c->bits[0] == 8 ? 0 : c->bits[0] == 16 ? 1 : 2;
    *channels = 0;
    while (*channels < 4 && c->bits[*channels] != 0)
        ++*channels;
    return c->kind == 2 ? c->bits[0] : (c->kind == 0 ? SIGNED : UNSIGNED) + step;
}

/* Arrays */

int cuArray3DCreate_v2(struct cw_cuda_array **array, const struct array3d *d)
{
    struct cw_cuda_array_info i = {.width = d->width, .height = d->height, .depth = d->depth, .flags = d->flags};
    CW_DRIVER_NEEDS_CONTEXT();
    return read_channel(&i.channel, d->format, d->channels) ? cw_cuda_array_create(array, &i) : CW_CUDA_INVALID_VALUE;
}

int cuArrayCreate_v2(struct cw_cuda_array **array, const struct array *d)
{
    const struct array3d deep = {.width = d->width, .height = d->height, .format = d->format, .channels = d->channels};
    return cuArray3DCreate_v2(array, &deep);
}

int cuArrayDestroy(struct cw_cuda_array *array)
{
    CW_DRIVER_NEEDS_CONTEXT();
    const int code = cw_cuda_array_check(array);
    return code == CW_CUDA_OK ? cw_cuda_array_destroy(array) : code;
}

int cuArray3DGetDescriptor_v2(struct array3d *d, const struct cw_cuda_array *array)
{
    CW_DRIVER_NEEDS_CONTEXT();
    const int code = cw_cuda_array_check(array);
    if (code != CW_CUDA_OK)
        return code;
    const struct cw_cuda_array_info *i = cw_cuda_array_info(array);
    *d = (struct array3d){.width = i->width, .height = i->height, .depth = i->depth, .flags = i->flags};
    d->format = format_of(&i->channel, &d->channels);
    return CW_CUDA_OK;
}

int cuArrayGetDescriptor_v2(struct array *d, const struct cw_cuda_array *array)
{
    struct array3d deep;
    const int code = cuArray3DGetDescriptor_v2(&deep, array);
    if (code == CW_CUDA_OK)
        *d = (struct array){deep.width, deep.height, deep.format, deep.channels};
    return code;
}

/* Copies of bytes within the first row: the driver has these for arrays of one dimension. */
static int copy(struct cw_cuda_array *array, size_t offset, void *memory, size_t bytes, bool to, struct cw_cuda_stream *stream)
{
    size_t pitch, rows;
    CW_DRIVER_NEEDS_CONTEXT();
    int code = cw_cuda_array_check(array);
    if (code == CW_CUDA_OK)
        code = cw_cuda_stream_check(stream);
    if (code != CW_CUDA_OK)
        return code;
    if (offset + bytes > cw_cuda_array_info(array)->width * cw_cuda_array_texel_bytes(array))
        return CW_CUDA_INVALID_VALUE;
    void *at = cw_cuda_array_place(array, offset, 0, 0, &pitch, &rows);
    const struct cw_cuda_box b = {.to = to ? at : memory,
                                  .from = to ? memory : at,
                                  .to_pitch = bytes,
                                  .from_pitch = bytes,
                                  .width = bytes,
                                  .height = 1,
                                  .depth = 1,
                                  .kind = 4,
                                  .stream = stream};
    return cw_cuda_copy_box(&b);
}

int cuMemcpyHtoAAsync_v2(struct cw_cuda_array *to, size_t offset, const void *from, size_t bytes, struct cw_cuda_stream *stream)
{
    return copy(to, offset, (void *)(uintptr_t)from, bytes, true, stream);
}

int cuMemcpyHtoA_v2(struct cw_cuda_array *to, size_t offset, const void *from, size_t bytes)
{
    return cuMemcpyHtoAAsync_v2(to, offset, from, bytes, NULL);
}

int cuMemcpyAtoHAsync_v2(void *to, struct cw_cuda_array *from, size_t offset, size_t bytes, struct cw_cuda_stream *stream)
{
    return copy(from, offset, to, bytes, false, stream);
}

int cuMemcpyAtoH_v2(void *to, struct cw_cuda_array *from, size_t offset, size_t bytes)
{
    return cuMemcpyAtoHAsync_v2(to, from, offset, bytes, NULL);
}

int cuMemcpyDtoA_v2(struct cw_cuda_array *to, size_t offset, uint64_t from, size_t bytes)
{
    return copy(to, offset, (void *)(uintptr_t)from, bytes, true, NULL);
}

int cuMemcpyAtoD_v2(uint64_t to, struct cw_cuda_array *from, size_t offset, size_t bytes)
{
    return copy(from, offset, (void *)(uintptr_t)to, bytes, false, NULL);
}

/* Textures */

static int read_texels(struct cw_cuda_texels *t, const struct resource *r)
{
    *t = (struct cw_cuda_texels){0};
    if (r->kind == ARRAY) {
        t->array = r->array;
        return cw_cuda_array_check(r->array);
    }
    if (r->kind != LINEAR && r->kind != PITCHED)
        return cw_cuda_missing("a texture of a mipmapped array");
    if (!read_channel(&t->channel, r->memory.format, r->memory.channels))
        return CW_CUDA_INVALID_VALUE;
    t->memory = (void *)(uintptr_t)r->memory.address;
    t->bytes = r->kind == LINEAR ? r->memory.bytes : 0;
    t->width = r->kind == PITCHED ? r->memory.bytes : 0;
    t->height = r->kind == PITCHED ? r->memory.height : 0;
    t->pitch = r->kind == PITCHED ? r->memory.pitch : 0;
    return CW_CUDA_OK;
}

int cuTexObjectCreate(uint64_t *handle, const struct resource *r, const struct sampling *d, const void *view)
{
    struct cw_cuda_texels texels;
    CW_DRIVER_NEEDS_CONTEXT();
    int code = view == NULL ? read_texels(&texels, r) : cw_cuda_missing("a texture with a view of its resource");
    if (code != CW_CUDA_OK)
        return code;
    const struct cw_cuda_channel *c = texels.array != NULL ? &cw_cuda_array_info(texels.array)->channel : &texels.channel;
    struct cw_cuda_sampling how = {.linear = d->linear != 0,
                                   .normalized = (d->flags & NORMALIZED) != 0,
                                   .to_float = (d->flags & AS_INTEGER) == 0 && c->bits[0] < 32,
                                   .srgb = (d->flags & SRGB) != 0};
    memcpy(how.address, d->address, sizeof how.address);
    memcpy(how.border, d->border, sizeof how.border);
    return cw_cuda_texture_create(handle, &texels, &how);
}

int cuTexObjectDestroy(uint64_t handle)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_texture_destroy(handle);
}

int cuTexObjectGetResourceDesc(struct resource *r, uint64_t handle)
{
    struct cw_cuda_texels t;
    CW_DRIVER_NEEDS_CONTEXT();
    const int code = cw_cuda_texture_info(handle, &t, NULL);
    if (code != CW_CUDA_OK)
        return code;
    memset(r, 0, sizeof *r);
    r->kind = t.array != NULL ? ARRAY : t.pitch > 0 ? PITCHED : LINEAR;
    if (t.array != NULL) {
        r->array = t.array;
        return CW_CUDA_OK;
    }
    r->memory.address = (uintptr_t)t.memory;
    r->memory.format = format_of(&t.channel, &r->memory.channels);
    r->memory.bytes = t.pitch > 0 ? t.width : t.bytes;
    r->memory.height = t.height;
    r->memory.pitch = t.pitch;
    return CW_CUDA_OK;
}

int cuSurfObjectCreate(uint64_t *handle, const struct resource *r)
{
    const struct cw_cuda_sampling how = {.address = {1, 1, 1}};
    const struct cw_cuda_texels texels = {.array = r->array};
    CW_DRIVER_NEEDS_CONTEXT();
    return r->kind == ARRAY ? cw_cuda_texture_create(handle, &texels, &how) : CW_CUDA_INVALID_VALUE;
}

int cuSurfObjectDestroy(uint64_t handle)
{
    return cuTexObjectDestroy(handle);
}
