/* SPDX-License-Identifier: Apache-2.0 */
/* The driver API: memory, copies and sets. Addresses of the device are numbers. */
#include <string.h>

#include "cuda/driver.h"

/* Kinds of a copy, as the library below has them. */
enum kind { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2, DEVICE_TO_DEVICE = 3, AS_ADDRESSES_SAY = 4 };

static void *at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* Allocation */

static int allocate(uint64_t *address, size_t bytes, enum cw_cuda_memory kind)
{
    void *p = NULL;
    CW_DRIVER_NEEDS_CONTEXT();
    if (address == NULL || bytes == 0)
        return CW_CUDA_INVALID_VALUE;
    const int code = cw_cuda_malloc(&p, bytes, kind);
    *address = (uintptr_t)p;
    return code;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    return allocate(address, bytes, CW_CUDA_MEMORY_DEVICE);
}

int cuMemAllocManaged(uint64_t *address, size_t bytes, unsigned flags)
{
    return flags == 1 || flags == 2 ? allocate(address, bytes, CW_CUDA_MEMORY_MANAGED) : CW_CUDA_INVALID_VALUE;
}

int cuMemAllocAsync(uint64_t *address, size_t bytes, struct cw_cuda_stream *stream)
{
    const int code = cw_cuda_stream_check(stream);
    return code == CW_CUDA_OK ? cuMemAlloc_v2(address, bytes) : code;
}

int cuMemAllocPitch_v2(uint64_t *address, size_t *pitch, size_t width, size_t height, unsigned unit)
{
    if (unit != 4 && unit != 8 && unit != 16)
        return CW_CUDA_INVALID_VALUE;
    *pitch = (width + CW_CUDA_ROW - 1) / CW_CUDA_ROW * CW_CUDA_ROW;
    return cuMemAlloc_v2(address, *pitch * height);
}

int cuMemFree_v2(uint64_t address)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_free(at(address));
}

int cuMemFreeAsync(uint64_t address, struct cw_cuda_stream *stream)
{
    const int code = cw_cuda_stream_check(stream);
    return code == CW_CUDA_OK ? cuMemFree_v2(address) : code;
}

int cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_malloc_host(host, bytes, (flags & 2u) != 0);
}

int cuMemAllocHost_v2(void **host, size_t bytes)
{
    return cuMemHostAlloc(host, bytes, 0);
}

int cuMemFreeHost(void *host)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_free_host(host);
}

int cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_host_register(host, bytes, flags);
}

int cuMemHostUnregister(void *host)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_host_unregister(host);
}

int cuMemHostGetDevicePointer_v2(uint64_t *address, void *host, unsigned flags)
{
    void *device = NULL;
    (void)flags;
    CW_DRIVER_NEEDS_CONTEXT();
    const int code = cw_cuda_host_device(&device, host);
    *address = (uintptr_t)device;
    return code;
}

int cuMemHostGetFlags(unsigned *flags, void *host)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_host_flags(flags, host);
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_memory_info(free_bytes, total);
}

int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t address)
{
    uint64_t first;
    size_t size;
    CW_DRIVER_NEEDS_CONTEXT();
    const bool known = cw_cuda_memory_of(at(address), &first, &size) != CW_CUDA_MEMORY_NONE;
    if (known && base != NULL)
        *base = first;
    if (known && bytes != NULL)
        *bytes = size;
    return known ? CW_CUDA_OK : CW_CUDA_NOT_FOUND;
}

/* Wishes about where managed memory is to be; it is in one place. */
int cuMemAdvise(uint64_t address, size_t bytes, int advice, int device)
{
    (void)address, (void)bytes, (void)advice, (void)device;
    return cw_driver_ready();
}

int cuMemPrefetchAsync(uint64_t address, size_t bytes, int device, struct cw_cuda_stream *stream)
{
    (void)address, (void)bytes, (void)device;
    const int code = cw_driver_ready();
    return code == CW_CUDA_OK ? cw_cuda_stream_check(stream) : code;
}

struct location {
    int kind, number;
};

int cuMemAdvise_v2(uint64_t address, size_t bytes, int advice, struct location where)
{
    return cuMemAdvise(address, bytes, advice, where.number);
}

int cuMemPrefetchAsync_v2(uint64_t address, size_t bytes, struct location where, unsigned flags, struct cw_cuda_stream *stream)
{
    (void)flags;
    return cuMemPrefetchAsync(address, bytes, where.number, stream);
}

/* What is asked of an address */

enum pointer_attribute { CONTEXT = 1, KIND, DEVICE_ADDRESS, HOST_ADDRESS, ID = 7, IS_MANAGED, ORDINAL, FIRST = 11, SIZE, MAPPED };

static void put(void *to, uint64_t value, size_t bytes)
{
    memcpy(to, &value, bytes);
}

/* *data gets 0 for memory that CUDA does not know. */
static int pointer_attribute(void *data, int attribute, uint64_t address)
{
    uint64_t base;
    size_t bytes;
    void *device = at(address);
    const enum cw_cuda_memory kind = cw_cuda_memory_of(at(address), &base, &bytes);
    const bool registered = kind == CW_CUDA_MEMORY_NONE && cw_cuda_host_flags(&(unsigned){0}, at(address)) == CW_CUDA_OK;
    const bool host = registered || kind == CW_CUDA_MEMORY_HOST, known = registered || kind != CW_CUDA_MEMORY_NONE;
    int code = CW_CUDA_OK;
    if (registered && attribute == DEVICE_ADDRESS)
        code = cw_cuda_host_device(&device, at(address));
    switch (attribute) {
    case CONTEXT:
        put(data, known ? (uintptr_t)cw_driver_current() : 0, 8);
        break;
    case KIND:
        put(data, !known ? 0 : host ? 1 : 2, 4);
        break;
    case DEVICE_ADDRESS:
        put(data, known ? (uintptr_t)device : 0, 8);
        break;
    case HOST_ADDRESS:
        put(data, host || kind == CW_CUDA_MEMORY_MANAGED ? address : 0, 8);
        break;
    case ID:
    case FIRST:
        put(data, base, 8);
        break;
    case IS_MANAGED:
    case MAPPED:
        put(data, attribute == MAPPED ? known : kind == CW_CUDA_MEMORY_MANAGED, 1);
        break;
    case ORDINAL:
        put(data, known ? 0 : UINT64_MAX - 1, 4); /* -2 */
        break;
    case SIZE:
        put(data, bytes, 8);
        break;
    default:
        return CW_CUDA_NOT_SUPPORTED;
    }
    return code;
}

int cuPointerGetAttribute(void *data, int attribute, uint64_t address)
{
    int kind = 0;
    CW_DRIVER_NEEDS_CONTEXT();
    pointer_attribute(&kind, KIND, address);
    return kind != 0 ? pointer_attribute(data, attribute, address) : CW_CUDA_INVALID_VALUE;
}

int cuPointerGetAttributes(unsigned cnt, const int *attributes, void **data, uint64_t address)
{
    CW_DRIVER_NEEDS_CONTEXT();
    int code = CW_CUDA_OK;
    for (unsigned i = 0; code == CW_CUDA_OK && i < cnt; i++)
        code = pointer_attribute(data[i], attributes[i], address);
    return code;
}

/* Copies */

static int copy(void *to, const void *from, size_t bytes, enum kind kind, struct cw_cuda_stream *stream)
{
    CW_DRIVER_NEEDS_CONTEXT();
    const struct cw_cuda_box b = {.to = to,
                                  .from = from,
                                  .to_pitch = bytes,
                                  .from_pitch = bytes,
                                  .width = bytes,
                                  .height = 1,
                                  .depth = 1,
                                  .kind = (int)kind,
                                  .stream = stream};
    const int code = cw_cuda_stream_check(stream);
    return code == CW_CUDA_OK ? cw_cuda_copy_box(&b) : code;
}

int cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, struct cw_cuda_stream *stream)
{
    return copy(at(to), at(from), bytes, AS_ADDRESSES_SAY, stream);
}

int cuMemcpy(uint64_t to, uint64_t from, size_t bytes)
{
    return cuMemcpyAsync(to, from, bytes, NULL);
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, struct cw_cuda_stream *stream)
{
    return copy(at(to), from, bytes, HOST_TO_DEVICE, stream);
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    return cuMemcpyHtoDAsync_v2(to, from, bytes, NULL);
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, struct cw_cuda_stream *stream)
{
    return copy(to, at(from), bytes, DEVICE_TO_HOST, stream);
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    return cuMemcpyDtoHAsync_v2(to, from, bytes, NULL);
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, struct cw_cuda_stream *stream)
{
    return copy(at(to), at(from), bytes, DEVICE_TO_DEVICE, stream);
}

int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes)
{
    return cuMemcpyDtoDAsync_v2(to, from, bytes, NULL);
}

int cuMemcpyPeerAsync(uint64_t to, const struct cw_driver_context *to_context, uint64_t from, const struct cw_driver_context *from_context,
                      size_t bytes, struct cw_cuda_stream *stream)
{
    (void)to_context, (void)from_context; /* they have the same memory */
    return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}

int cuMemcpyPeer(uint64_t to, const struct cw_driver_context *to_context, uint64_t from, const struct cw_driver_context *from_context,
                 size_t bytes)
{
    return cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, NULL);
}

/* One end of a copy of rows: 1 the host's memory, 2 the device's, 3 an array, 4 as the address says. */
struct end2d {
    size_t x, y;
    int kind;
    void *host;
    uint64_t device;
    struct cw_cuda_array *array;
    size_t pitch;
};

struct copy2d {
    struct end2d from, to;
    size_t width, height;
};

struct end3d {
    size_t x, y, z, level;
    int kind;
    void *host;
    uint64_t device;
    struct cw_cuda_array *array;
    void *reserved;
    size_t pitch, rows;
};

struct copy3d {
    struct end3d from, to;
    size_t width, height, depth;
};

/* Where the box begins, with what follows from it. */
static char *first_of(const struct end3d *e, size_t *pitch, size_t *rows)
{
    if (e->kind == 3)
        return cw_cuda_array_place(e->array, e->x, e->y, e->z, pitch, rows);
    *pitch = e->pitch;
    *rows = e->rows;
    return (char *)(e->kind == 1 ? e->host : at(e->device)) + (e->z * e->rows + e->y) * e->pitch + e->x;
}

static int check_end(const struct end3d *e)
{
    if (e->kind < 1 || e->kind > 4)
        return CW_CUDA_INVALID_VALUE;
    return e->kind == 3 ? cw_cuda_array_check(e->array) : CW_CUDA_OK;
}

static int copy_box(const struct copy3d *c, struct cw_cuda_stream *stream)
{
    CW_DRIVER_NEEDS_CONTEXT();
    int code = cw_cuda_stream_check(stream);
    if (code == CW_CUDA_OK)
        code = check_end(&c->from);
    if (code == CW_CUDA_OK)
        code = check_end(&c->to);
    if (code != CW_CUDA_OK)
        return code;
    struct cw_cuda_box b = {.width = c->width, .height = c->height, .depth = c->depth, .kind = AS_ADDRESSES_SAY, .stream = stream};
    b.to = first_of(&c->to, &b.to_pitch, &b.to_slice);
    b.from = first_of(&c->from, &b.from_pitch, &b.from_slice);
    const int done = cw_cuda_copy_box(&b);
    return done == CW_CUDA_PITCH ? CW_CUDA_INVALID_VALUE : done;
}

static struct end3d in_3d(const struct end2d *e)
{
    return (struct end3d){
        .x = e->x, .y = e->y, .kind = e->kind, .host = e->host, .device = e->device, .array = e->array, .pitch = e->pitch};
}

int cuMemcpy2DAsync_v2(const struct copy2d *c, struct cw_cuda_stream *stream)
{
    const struct copy3d all = {.from = in_3d(&c->from), .to = in_3d(&c->to), .width = c->width, .height = c->height, .depth = 1};
    return copy_box(&all, stream);
}

int cuMemcpy2D_v2(const struct copy2d *c)
{
    return cuMemcpy2DAsync_v2(c, NULL);
}

int cuMemcpy2DUnaligned_v2(const struct copy2d *c)
{
    return cuMemcpy2D_v2(c);
}

int cuMemcpy3DAsync_v2(const struct copy3d *c, struct cw_cuda_stream *stream)
{
    return copy_box(c, stream);
}

int cuMemcpy3D_v2(const struct copy3d *c)
{
    return copy_box(c, NULL);
}

/* Sets */

static int set(uint64_t to, size_t pitch, uint32_t value, size_t unit, size_t width, size_t height, struct cw_cuda_stream *stream)
{
    CW_DRIVER_NEEDS_CONTEXT();
    const int code = cw_cuda_stream_check(stream);
    if (code != CW_CUDA_OK)
        return code;
    if (to % unit != 0 || (height > 1 && pitch % unit != 0))
        return CW_CUDA_INVALID_VALUE;
    return cw_cuda_set(at(to), value, unit, width, height, pitch, stream);
}

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t cnt, struct cw_cuda_stream *stream)
{
    return set(to, 0, value, 1, cnt, 1, stream);
}

int cuMemsetD16Async(uint64_t to, unsigned short value, size_t cnt, struct cw_cuda_stream *stream)
{
    return set(to, 0, value, 2, cnt, 1, stream);
}

int cuMemsetD32Async(uint64_t to, unsigned value, size_t cnt, struct cw_cuda_stream *stream)
{
    return set(to, 0, value, 4, cnt, 1, stream);
}

int cuMemsetD2D8Async(uint64_t to, size_t pitch, unsigned char value, size_t width, size_t height, struct cw_cuda_stream *stream)
{
    return set(to, pitch, value, 1, width, height, stream);
}

int cuMemsetD2D16Async(uint64_t to, size_t pitch, unsigned short value, size_t width, size_t height, struct cw_cuda_stream *stream)
{
    return set(to, pitch, value, 2, width, height, stream);
}

int cuMemsetD2D32Async(uint64_t to, size_t pitch, unsigned value, size_t width, size_t height, struct cw_cuda_stream *stream)
{
    return set(to, pitch, value, 4, width, height, stream);
}

int cuMemsetD8_v2(uint64_t to, unsigned char value, size_t cnt)
{
    return cuMemsetD8Async(to, value, cnt, NULL);
}

int cuMemsetD16_v2(uint64_t to, unsigned short value, size_t cnt)
{
    return cuMemsetD16Async(to, value, cnt, NULL);
}

int cuMemsetD32_v2(uint64_t to, unsigned value, size_t cnt)
{
    return cuMemsetD32Async(to, value, cnt, NULL);
}

int cuMemsetD2D8_v2(uint64_t to, size_t pitch, unsigned char value, size_t width, size_t height)
{
    return cuMemsetD2D8Async(to, pitch, value, width, height, NULL);
}

int cuMemsetD2D16_v2(uint64_t to, size_t pitch, unsigned short value, size_t width, size_t height)
{
    return cuMemsetD2D16Async(to, pitch, value, width, height, NULL);
}

int cuMemsetD2D32_v2(uint64_t to, size_t pitch, unsigned value, size_t width, size_t height)
{
    return cuMemsetD2D32Async(to, pitch, value, width, height, NULL);
}
