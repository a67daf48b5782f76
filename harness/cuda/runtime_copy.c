/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API: memory and copies. */
#include "cuda/runtime.h"

int cudaMalloc(void **address, size_t bytes)
{
    return cw_cuda_note(cw_cuda_malloc(address, bytes, CW_CUDA_MEMORY_DEVICE));
}

int cudaMallocManaged(void **address, size_t bytes, unsigned flags)
{
    if (bytes == 0 || (flags != 1 && flags != 2))
        return cw_cuda_note(CW_CUDA_INVALID_VALUE);
    return cw_cuda_note(cw_cuda_malloc(address, bytes, CW_CUDA_MEMORY_MANAGED));
}

int cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height)
{
    *pitch = (width + CW_CUDA_ROW - 1) / CW_CUDA_ROW * CW_CUDA_ROW;
    return cudaMalloc(address, *pitch * height);
}

int cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent)
{
    p->xsize = extent.width;
    p->ysize = extent.height;
    return cudaMallocPitch(&p->ptr, &p->pitch, extent.width, extent.height * extent.depth);
}

int cudaMallocAsync(void **address, size_t bytes, struct cw_cuda_stream *stream)
{
    return cw_cuda_is_capturing(stream) ? cw_cuda_note(cw_cuda_capture_allocate(address, bytes, stream)) : cudaMalloc(address, bytes);
}

int cudaFree(void *address)
{
    return cw_cuda_note(cw_cuda_free(address));
}

int cudaFreeAsync(void *address, struct cw_cuda_stream *stream)
{
    return cw_cuda_is_capturing(stream) ? cw_cuda_note(cw_cuda_capture_free(address, stream)) : cudaFree(address);
}

int cudaHostAlloc(void **address, size_t bytes, unsigned flags)
{
    return cw_cuda_note(cw_cuda_malloc_host(address, bytes, (flags & 2u) != 0)); /* 2: mapped */
}

int cudaMallocHost(void **address, size_t bytes)
{
    return cudaHostAlloc(address, bytes, 0);
}

int cudaFreeHost(void *address)
{
    return cw_cuda_note(cw_cuda_free_host(address));
}

int cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    (void)flags;
    return cw_cuda_note(cw_cuda_host_device(device, host));
}

int cudaHostGetFlags(unsigned *flags, void *host)
{
    return cw_cuda_note(cw_cuda_host_flags(flags, host));
}

int cudaHostRegister(void *host, size_t bytes, unsigned flags)
{
    return cw_cuda_note(cw_cuda_host_register(host, bytes, flags));
}

int cudaHostUnregister(void *host)
{
    return cw_cuda_note(cw_cuda_host_unregister(host));
}

int cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    return cw_cuda_note(cw_cuda_memory_info(free_bytes, total));
}

int cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *address)
{
    uint64_t base;
    size_t bytes;
    unsigned flags;
    void *at = (void *)(uintptr_t)address;
    enum cw_cuda_memory kind = cw_cuda_memory_of(address, &base, &bytes);
    if (kind == CW_CUDA_MEMORY_NONE && cw_cuda_host_flags(&flags, address) == CW_CUDA_OK)
        kind = CW_CUDA_MEMORY_HOST;
    a->type = (int)kind;
    a->device = kind != CW_CUDA_MEMORY_NONE ? 0 : -2;
    a->devicePointer = kind == CW_CUDA_MEMORY_DEVICE || kind == CW_CUDA_MEMORY_MANAGED ? at : NULL;
    a->hostPointer = kind != CW_CUDA_MEMORY_DEVICE ? at : NULL;
    return kind == CW_CUDA_MEMORY_HOST ? cw_cuda_note(cw_cuda_host_device(&a->devicePointer, at)) : CW_CUDA_OK;
}

int cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    return cw_cuda_note(cw_cuda_copy(to, from, bytes, kind));
}

int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, struct cw_cuda_stream *stream)
{
    const struct cw_cuda_box b = {.to = to,
                                  .from = from,
                                  .to_pitch = bytes,
                                  .from_pitch = bytes,
                                  .width = bytes,
                                  .height = 1,
                                  .depth = 1,
                                  .kind = kind,
                                  .stream = stream};
    const int code = cw_cuda_stream_check(stream);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_copy_box(&b) : code);
}

int cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    if (to_device != 0 || from_device != 0)
        return cw_cuda_note(CW_CUDA_DEVICE);
    return cudaMemcpy(to, from, bytes, 3);
}

int cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes, struct cw_cuda_stream *stream)
{
    if (to_device != 0 || from_device != 0)
        return cw_cuda_note(CW_CUDA_DEVICE);
    return cudaMemcpyAsync(to, from, bytes, 3, stream);
}

int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, int kind,
                      struct cw_cuda_stream *stream)
{
    const struct cw_cuda_box b = {.to = to,
                                  .from = from,
                                  .to_pitch = to_pitch,
                                  .from_pitch = from_pitch,
                                  .width = width,
                                  .height = height,
                                  .depth = 1,
                                  .kind = kind,
                                  .stream = stream};
    const int code = cw_cuda_stream_check(stream);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_copy_box(&b) : code);
}

int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, int kind)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL);
}

/* One end of it. unit: bytes of what extents and places in arrays count. */
static char *end_of(struct cw_cuda_array *array, const struct cudaPitchedPtr *p, struct cudaPos at, size_t unit, size_t *pitch,
                    size_t *rows)
{
    if (array != NULL)
        return cw_cuda_array_place(array, at.x * unit, at.y, at.z, pitch, rows);
    *pitch = p->pitch;
    *rows = p->ysize;
    return (char *)p->ptr + (at.z * p->ysize + at.y) * p->pitch + at.x;
}

int cw_cuda_runtime_box(struct cw_cuda_box *box, const struct cudaMemcpy3DParms *p)
{
    struct cw_cuda_array *const any = p->srcArray != NULL ? p->srcArray : p->dstArray;
    int code = any != NULL ? cw_cuda_array_check(any) : CW_CUDA_OK;
    if (code == CW_CUDA_OK && p->dstArray != NULL)
        code = cw_cuda_array_check(p->dstArray);
    if (code != CW_CUDA_OK)
        return code;
    const size_t unit = any != NULL ? cw_cuda_array_texel_bytes(any) : 1;
    *box = (struct cw_cuda_box){.width = p->extent.width * unit, .height = p->extent.height, .depth = p->extent.depth, .kind = p->kind};
    box->to = end_of(p->dstArray, &p->dstPtr, p->dstPos, unit, &box->to_pitch, &box->to_slice);
    box->from = end_of(p->srcArray, &p->srcPtr, p->srcPos, unit, &box->from_pitch, &box->from_slice);
    return CW_CUDA_OK;
}

int cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, struct cw_cuda_stream *stream)
{
    struct cw_cuda_box b;
    int code = cw_cuda_stream_check(stream);
    if (code == CW_CUDA_OK)
        code = cw_cuda_runtime_box(&b, p);
    b.stream = stream;
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_copy_box(&b) : code);
}

int cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    return cudaMemcpy3DAsync(p, NULL);
}

int cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, struct cw_cuda_stream *stream)
{
    const int code = cw_cuda_stream_check(stream);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_set(to, (uint32_t)value & 255u, 1, width, height, pitch, stream) : code);
}

int cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(to, pitch, value, width, height, NULL);
}

int cudaMemsetAsync(void *to, int value, size_t bytes, struct cw_cuda_stream *stream)
{
    return cudaMemset2DAsync(to, bytes, value, bytes, 1, stream);
}

int cudaMemset(void *to, int value, size_t bytes)
{
    return cudaMemsetAsync(to, value, bytes, NULL);
}

int cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent, struct cw_cuda_stream *stream)
{
    int code = CW_CUDA_OK;
    for (size_t z = 0; code == CW_CUDA_OK && z < extent.depth; z++)
        code = cudaMemset2DAsync((char *)p.ptr + z * p.ysize * p.pitch, p.pitch, value, extent.width, extent.height, stream);
    return code;
}

int cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent)
{
    return cudaMemset3DAsync(p, value, extent, NULL);
}

int cudaGetSymbolAddress(void **address, const void *symbol)
{
    return cw_cuda_note(cw_cuda_symbol(symbol, address, NULL));
}

int cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    return cw_cuda_note(cw_cuda_symbol(symbol, NULL, bytes));
}

/* from: of the host or the device */
int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
    void *address;
    if (kind != 3 && kind != 4)
        return cw_cuda_note(kind == 1 ? cw_cuda_symbol_write(symbol, offset, from, bytes) : CW_CUDA_DIRECTION);
    const int code = cw_cuda_symbol(symbol, &address, NULL);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_copy((char *)address + offset, from, bytes, kind) : code);
}

int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
    void *address;
    if (kind != 3 && kind != 4)
        return cw_cuda_note(kind == 2 ? cw_cuda_symbol_read(symbol, offset, to, bytes) : CW_CUDA_DIRECTION);
    const int code = cw_cuda_symbol(symbol, &address, NULL);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_copy(to, (char *)address + offset, bytes, kind) : code);
}

int cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, int kind, struct cw_cuda_stream *stream)
{
    void *address;
    if (!cw_cuda_is_capturing(stream))
        return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
    const int code = cw_cuda_symbol(symbol, &address, NULL);
    return code == CW_CUDA_OK ? cudaMemcpyAsync((char *)address + offset, from, bytes, kind, stream) : cw_cuda_note(code);
}

int cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int kind, struct cw_cuda_stream *stream)
{
    void *address;
    if (!cw_cuda_is_capturing(stream))
        return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
    const int code = cw_cuda_symbol(symbol, &address, NULL);
    return code == CW_CUDA_OK ? cudaMemcpyAsync(to, (char *)address + offset, bytes, kind, stream) : cw_cuda_note(code);
}

/* Advice about managed memory, of which every byte is near here. Its arguments differ from version to version and are not looked at. */
int cudaMemAdvise(void)
{
    return CW_CUDA_OK;
}

int cudaMemPrefetchAsync(void)
{
    return CW_CUDA_OK;
}

int cudaStreamAttachMemAsync(void)
{
    return CW_CUDA_OK;
}
