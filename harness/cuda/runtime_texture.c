/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API: arrays, textures and surfaces. */
#include <string.h>

#include "cuda/runtime.h"

enum resource_kind { ARRAY, MIPMAPPED, LINEAR, PITCHED };

struct cudaResourceDesc {
    int kind;
    union {
        struct cw_cuda_array *array;
        struct {
            void *memory;
            struct cw_cuda_channel channel;
            size_t bytes; /* LINEAR; width, height and pitch: PITCHED */
            size_t height, pitch;
        } memory;
        int reserved[14];
    };
    unsigned flags;
};

struct cudaTextureDesc {
    int address[3], linear, to_float, srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int mipmap_linear;
    float bias, least, most;
    int trilinear, seamless;
};

/* The variable that stands for a reference in the host. */
struct textureReference {
    int normalized, linear, address[3];
    struct cw_cuda_channel channel;
    int srgb;
};

/* Arrays */

int cudaMalloc3DArray(struct cw_cuda_array **array, const struct cw_cuda_channel *channel, struct cudaExtent extent, unsigned flags)
{
    const struct cw_cuda_array_info i = {
        .channel = *channel, .width = extent.width, .height = extent.height, .depth = extent.depth, .flags = flags};
    return cw_cuda_note(cw_cuda_array_create(array, &i));
}

int cudaMallocArray(struct cw_cuda_array **array, const struct cw_cuda_channel *channel, size_t width, size_t height, unsigned flags)
{
    return cudaMalloc3DArray(array, channel, (struct cudaExtent){width, height, 0}, flags);
}

int cudaFreeArray(struct cw_cuda_array *array)
{
    return cw_cuda_note(cw_cuda_array_destroy(array));
}

int cudaArrayGetInfo(struct cw_cuda_channel *channel, struct cudaExtent *extent, unsigned *flags, const struct cw_cuda_array *array)
{
    const int code = cw_cuda_array_check(array);
    if (code != CW_CUDA_OK)
        return cw_cuda_note(code);
    const struct cw_cuda_array_info *i = cw_cuda_array_info(array);
    if (channel != NULL)
        *channel = i->channel;
    if (extent != NULL)
        *extent = (struct cudaExtent){i->width, i->height, i->depth};
    if (flags != NULL)
        *flags = i->flags;
    return CW_CUDA_OK;
}

int cudaGetChannelDesc(struct cw_cuda_channel *channel, const struct cw_cuda_array *array)
{
    return cudaArrayGetInfo(channel, NULL, NULL, array);
}

struct cw_cuda_channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (struct cw_cuda_channel){{x, y, z, w}, kind};
}

/* Copies. One end is an array, x in bytes. */

static int to_array(struct cw_cuda_array *to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, int kind,
                    struct cw_cuda_stream *stream)
{
    struct cw_cuda_box b = {
        .stream = stream, .from = from, .from_pitch = pitch, .width = width, .height = height, .depth = 1, .kind = kind};
    const int code = cw_cuda_array_check(to);
    if (code != CW_CUDA_OK)
        return cw_cuda_note(code);
    b.to = cw_cuda_array_place(to, x, y, 0, &b.to_pitch, &b.to_slice);
    return cw_cuda_note(cw_cuda_copy_box(&b));
}

static int from_array(void *to, size_t pitch, const struct cw_cuda_array *from, size_t x, size_t y, size_t width, size_t height, int kind,
                      struct cw_cuda_stream *stream)
{
    struct cw_cuda_box b = {.stream = stream, .to = to, .to_pitch = pitch, .width = width, .height = height, .depth = 1, .kind = kind};
    const int code = cw_cuda_array_check(from);
    if (code != CW_CUDA_OK)
        return cw_cuda_note(code);
    b.from = cw_cuda_array_place(from, x, y, 0, &b.from_pitch, &b.from_slice);
    return cw_cuda_note(cw_cuda_copy_box(&b));
}

int cudaMemcpy2DToArray(struct cw_cuda_array *to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, int kind)
{
    return to_array(to, x, y, from, pitch, width, height, kind, NULL);
}

int cudaMemcpy2DToArrayAsync(struct cw_cuda_array *to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
                             int kind, struct cw_cuda_stream *stream)
{
    const int code = cw_cuda_stream_check(stream);
    return code == CW_CUDA_OK ? to_array(to, x, y, from, pitch, width, height, kind, stream) : cw_cuda_note(code);
}

int cudaMemcpy2DFromArray(void *to, size_t pitch, const struct cw_cuda_array *from, size_t x, size_t y, size_t width, size_t height,
                          int kind)
{
    return from_array(to, pitch, from, x, y, width, height, kind, NULL);
}

int cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, const struct cw_cuda_array *from, size_t x, size_t y, size_t width, size_t height,
                               int kind, struct cw_cuda_stream *stream)
{
    const int code = cw_cuda_stream_check(stream);
    return code == CW_CUDA_OK ? from_array(to, pitch, from, x, y, width, height, kind, stream) : cw_cuda_note(code);
}

/* Bytes in the order of the array's rows: the rest of the first row, whole rows, and the beginning of the last one. */
static int stream_rows(struct cw_cuda_array *array, size_t x, size_t y, char *memory, size_t bytes, int kind, bool to)
{
    int code = cw_cuda_array_check(array);
    if (code != CW_CUDA_OK)
        return cw_cuda_note(code);
    const size_t row = cw_cuda_array_info(array)->width * cw_cuda_array_texel_bytes(array);
    for (size_t n; code == CW_CUDA_OK && bytes > 0; bytes -= n, memory += n, x = 0, y++) {
        n = row - x < bytes ? row - x : bytes;
        code = to ? to_array(array, x, y, memory, n, n, 1, kind, NULL) : from_array(memory, n, array, x, y, n, 1, kind, NULL);
    }
    return code;
}

int cudaMemcpyToArray(struct cw_cuda_array *to, size_t x, size_t y, const void *from, size_t bytes, int kind)
{
    return stream_rows(to, x, y, (char *)(uintptr_t)from, bytes, kind, true);
}

int cudaMemcpyToArrayAsync(struct cw_cuda_array *to, size_t x, size_t y, const void *from, size_t bytes, int kind,
                           struct cw_cuda_stream *stream)
{
    const int code = cw_cuda_stream_check(stream);
    return code == CW_CUDA_OK ? cudaMemcpyToArray(to, x, y, from, bytes, kind) : cw_cuda_note(code);
}

int cudaMemcpyFromArray(void *to, const struct cw_cuda_array *from, size_t x, size_t y, size_t bytes, int kind)
{
    return stream_rows((struct cw_cuda_array *)(uintptr_t)from, x, y, to, bytes, kind, false);
}

int cudaMemcpyFromArrayAsync(void *to, const struct cw_cuda_array *from, size_t x, size_t y, size_t bytes, int kind,
                             struct cw_cuda_stream *stream)
{
    const int code = cw_cuda_stream_check(stream);
    return code == CW_CUDA_OK ? cudaMemcpyFromArray(to, from, x, y, bytes, kind) : cw_cuda_note(code);
}

int cudaMemcpy2DArrayToArray(struct cw_cuda_array *to, size_t to_x, size_t to_y, const struct cw_cuda_array *from, size_t x, size_t y,
                             size_t width, size_t height, int kind)
{
    size_t pitch, rows;
    const int code = cw_cuda_array_check(from);
    if (code != CW_CUDA_OK)
        return cw_cuda_note(code);
    const void *first = cw_cuda_array_place(from, x, y, 0, &pitch, &rows);
    return to_array(to, to_x, to_y, first, pitch, width, height, kind, NULL);
}

/* Textures */

static int read_texels(struct cw_cuda_texels *t, const struct cudaResourceDesc *r)
{
    *t = (struct cw_cuda_texels){0};
    if (r->kind == ARRAY) {
        t->array = r->array;
        return cw_cuda_array_check(r->array);
    }
    if (r->kind != LINEAR && r->kind != PITCHED)
        return cw_cuda_missing("a texture of a mipmapped array");
    t->memory = r->memory.memory;
    t->channel = r->memory.channel;
    t->bytes = r->kind == LINEAR ? r->memory.bytes : 0;
    t->width = r->kind == PITCHED ? r->memory.bytes : 0;
    t->height = r->kind == PITCHED ? r->memory.height : 0;
    t->pitch = r->kind == PITCHED ? r->memory.pitch : 0;
    return CW_CUDA_OK;
}

int cudaCreateTextureObject(uint64_t *handle, const struct cudaResourceDesc *r, const struct cudaTextureDesc *d, const void *view)
{
    struct cw_cuda_texels texels;
    struct cw_cuda_sampling how = {
        .linear = d->linear != 0, .normalized = d->normalized != 0, .to_float = d->to_float != 0, .srgb = d->srgb != 0};
    memcpy(how.address, d->address, sizeof how.address);
    memcpy(how.border, d->border, sizeof how.border);
    int code = read_texels(&texels, r);
    if (code == CW_CUDA_OK && view != NULL)
        code = cw_cuda_missing("a texture with a view of its resource");
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_texture_create(handle, &texels, &how) : code);
}

int cudaDestroyTextureObject(uint64_t handle)
{
    return cw_cuda_note(cw_cuda_texture_destroy(handle));
}

int cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *r, uint64_t handle)
{
    struct cw_cuda_texels t;
    const int code = cw_cuda_texture_info(handle, &t, NULL);
    if (code != CW_CUDA_OK)
        return cw_cuda_note(code);
    memset(r, 0, offsetof(struct cudaResourceDesc, flags)); /* which older versions do not have */
    r->kind = t.array != NULL ? ARRAY : t.pitch > 0 ? PITCHED : LINEAR;
    if (t.array != NULL) {
        r->array = t.array;
        return CW_CUDA_OK;
    }
    r->memory.memory = t.memory;
    r->memory.channel = t.channel;
    r->memory.bytes = t.pitch > 0 ? t.width : t.bytes;
    r->memory.height = t.height;
    r->memory.pitch = t.pitch;
    return CW_CUDA_OK;
}

int cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *d, uint64_t handle)
{
    struct cw_cuda_sampling how;
    const int code = cw_cuda_texture_info(handle, NULL, &how);
    if (code != CW_CUDA_OK)
        return cw_cuda_note(code);
    memset(d, 0, offsetof(struct cudaTextureDesc, trilinear)); /* the same */
    d->linear = how.linear;
    d->to_float = how.to_float;
    d->normalized = how.normalized;
    memcpy(d->address, how.address, sizeof d->address);
    memcpy(d->border, how.border, sizeof d->border);
    return CW_CUDA_OK;
}

/* A surface is read texel by texel. */
int cudaCreateSurfaceObject(uint64_t *handle, const struct cudaResourceDesc *r)
{
    const struct cw_cuda_sampling how = {.address = {1, 1, 1}};
    const struct cw_cuda_texels texels = {.array = r->array};
    return cw_cuda_note(r->kind == ARRAY ? cw_cuda_texture_create(handle, &texels, &how) : CW_CUDA_INVALID_VALUE);
}

int cudaDestroySurfaceObject(uint64_t handle)
{
    return cudaDestroyTextureObject(handle);
}

/* References: nvcc up to version 11 makes a variable of each. */

#define REFERENCES_MOST 256u /* whose integers are read as floats */
static const void *read_as_float[REFERENCES_MOST];
static unsigned read_as_float_cnt;

void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int directions, int to_float,
                           int external)
{
    (void)device, (void)directions, (void)external;
    cw_cuda_register_variable((struct cw_cuda_image *)(void *)handle, host, name, sizeof(uint64_t));
    if (to_float != 0 && read_as_float_cnt < REFERENCES_MOST)
        read_as_float[read_as_float_cnt++] = host;
}

void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int directions, int external)
{
    __cudaRegisterTexture(handle, host, device, name, directions, 0, external);
}

static int bind(const struct textureReference *reference, const struct cw_cuda_texels *texels)
{
    struct cw_cuda_sampling how = {
        .linear = reference->linear != 0, .normalized = reference->normalized != 0, .srgb = reference->srgb != 0};
    memcpy(how.address, reference->address, sizeof how.address);
    for (unsigned i = 0; i < read_as_float_cnt; i++)
        how.to_float |= read_as_float[i] == reference;
    return cw_cuda_note(cw_cuda_reference_bind(reference, texels, &how));
}

int cudaBindTexture(size_t *offset, const struct textureReference *reference, const void *memory, const struct cw_cuda_channel *channel,
                    size_t bytes)
{
    uint64_t base;
    size_t all;
    const bool known = cw_cuda_memory_of(memory, &base, &all) != CW_CUDA_MEMORY_NONE;
    const size_t left = known ? all - (size_t)((uintptr_t)memory - base) : bytes;
    const struct cw_cuda_texels t = {
        .memory = (void *)(uintptr_t)memory, .channel = *channel, .bytes = bytes < left ? bytes : left}; /* "all" is a usual size */
    if (offset != NULL)
        *offset = 0;
    return bind(reference, &t);
}

int cudaBindTexture2D(size_t *offset, const struct textureReference *reference, const void *memory, const struct cw_cuda_channel *channel,
                      size_t width, size_t height, size_t pitch)
{
    const struct cw_cuda_texels t = {
        .memory = (void *)(uintptr_t)memory, .channel = *channel, .width = width, .height = height, .pitch = pitch};
    if (offset != NULL)
        *offset = 0;
    return bind(reference, &t);
}

int cudaBindTextureToArray(const struct textureReference *reference, struct cw_cuda_array *array, const struct cw_cuda_channel *channel)
{
    const struct cw_cuda_texels t = {.array = array};
    (void)channel; /* it is the array's */
    const int code = cw_cuda_array_check(array);
    return code == CW_CUDA_OK ? bind(reference, &t) : cw_cuda_note(code);
}

int cudaBindSurfaceToArray(const void *reference, struct cw_cuda_array *array, const struct cw_cuda_channel *channel)
{
    const struct cw_cuda_texels t = {.array = array};
    const struct cw_cuda_sampling how = {.address = {1, 1, 1}};
    (void)channel;
    const int code = cw_cuda_array_check(array);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_reference_bind(reference, &t, &how) : code);
}

int cudaUnbindTexture(const struct textureReference *reference)
{
    return cw_cuda_note(cw_cuda_reference_bind(reference, NULL, NULL));
}

int cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *reference)
{
    (void)reference;
    *offset = 0;
    return CW_CUDA_OK;
}
