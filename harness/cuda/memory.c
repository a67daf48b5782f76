/* SPDX-License-Identifier: Apache-2.0 */
/* Device and host memory, and copies between them. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

#define PIECE (1u << 16) /* bytes of a copy that goes through the host */

static struct cw_cuda_allocation **find(uint64_t address)
{
    struct cw_cuda_allocation **a = &cw_cuda__process.allocations;
    while (*a != NULL && address - (*a)->base >= ((*a)->bytes > 0 ? (*a)->bytes : 1))
        a = &(*a)->next;
    return a;
}

static int remember(uint64_t base, size_t bytes, enum cw_cuda_memory kind)
{
    struct cw_cuda_allocation *a = malloc(sizeof *a);
    if (a == NULL)
        return CW_CUDA_NO_MEMORY;
    *a = (struct cw_cuda_allocation){.base = base, .bytes = bytes, .kind = kind, .next = cw_cuda__process.allocations};
    cw_cuda__process.allocations = a;
    return CW_CUDA_OK;
}

int cw_cuda_malloc(void **address, size_t bytes, enum cw_cuda_memory kind)
{
    struct cowarp_gpu *gpu;
    uint64_t at = 0;
    if (address == NULL)
        return CW_CUDA_INVALID_VALUE;
    *address = NULL;
    cw_cuda__lock();
    int code = cw_cuda__gpu(&gpu);
    if (code == CW_CUDA_OK && kind != CW_CUDA_MEMORY_DEVICE && !cowarp_is_unified(gpu)) {
        cw_cuda__say("managed memory: the process has no room at the addresses of the device");
        code = CW_CUDA_NOT_SUPPORTED;
    }
    if (code == CW_CUDA_OK && bytes > 0)
        code = cw_cuda__failed(cowarp_alloc(gpu, &at, bytes));
    if (code == CW_CUDA_OK && kind == CW_CUDA_MEMORY_DEVICE) /* the host writes other kinds without a call */
        cowarp_mark_unwritten(gpu, at, bytes);
    if (code == CW_CUDA_NO_MEMORY && !cw_cuda__process.said_full) { /* a program may try sizes until one fits */
        cw_cuda__say("%s (--set mem.mbytes=N)", cowarp_error(gpu));
        cw_cuda__process.said_full = true;
    }
    if (code == CW_CUDA_OK && bytes > 0)
        code = remember(at, bytes, kind);
    *address = (void *)(uintptr_t)at;
    return cw_cuda__leave(code);
}

int cw_cuda__malloc_for_graph(void **address, size_t bytes)
{
    cw_cuda__lock();
    const int code = cw_cuda_malloc(address, bytes, CW_CUDA_MEMORY_DEVICE);
    if (code == CW_CUDA_OK && bytes > 0)
        (*find((uintptr_t)*address))->of_graph = true;
    return cw_cuda__leave(code);
}

uint64_t cw_cuda_graph_bytes(void)
{
    uint64_t bytes = 0;
    cw_cuda__lock();
    for (const struct cw_cuda_allocation *a = cw_cuda__process.allocations; a != NULL; a = a->next)
        bytes += a->of_graph ? a->bytes : 0;
    cw_cuda__unlock();
    return bytes;
}

/* Kernels may use it at the same address where the process has room at the addresses of the device; a program that has asked for that is told
 * when it is not so. */
int cw_cuda_malloc_host(void **address, size_t bytes, bool mapped)
{
    struct cowarp_gpu *gpu;
    if (address == NULL)
        return CW_CUDA_INVALID_VALUE;
    *address = NULL;
    cw_cuda__lock();
    int code = cw_cuda__gpu(&gpu);
    if (code == CW_CUDA_OK && (mapped || cowarp_is_unified(gpu)))
        code = cw_cuda_malloc(address, bytes, CW_CUDA_MEMORY_HOST);
    if (mapped || *address != NULL || (code != CW_CUDA_OK && code != CW_CUDA_NO_MEMORY))
        return cw_cuda__leave(code);
    code = posix_memalign(address, 4096, bytes > 0 ? bytes : 1) == 0 ? CW_CUDA_OK : CW_CUDA_NO_MEMORY;
    if (code == CW_CUDA_OK)
        code = remember((uintptr_t)*address, bytes, CW_CUDA_MEMORY_HOST);
    return cw_cuda__leave(code);
}

static int release(void *address, bool host)
{
    struct cowarp_gpu *gpu;
    const uint64_t at = (uintptr_t)address;
    if (address == NULL)
        return CW_CUDA_OK;
    cw_cuda__lock();
    struct cw_cuda_allocation **place = find(at), *a = *place;
    int code = cw_cuda__gpu(&gpu);
    if (code == CW_CUDA_OK && (a == NULL || a->base != at || (a->kind == CW_CUDA_MEMORY_HOST) != host))
        code = CW_CUDA_INVALID_VALUE;
    if (code != CW_CUDA_OK || a->of_graph)
        return cw_cuda__leave(code);
    if (cowarp_free(gpu, at) != COWARP_OK) /* no memory of the device */
        free(address);
    *place = a->next;
    free(a);
    return cw_cuda__leave(code);
}

int cw_cuda_free(void *address)
{
    cw_cuda__lock();
    cw_cuda__waited_for_all();
    cw_cuda__unlock();
    return release(address, false);
}

int cw_cuda_free_host(void *address)
{
    return release(address, true);
}

enum cw_cuda_memory cw_cuda_memory_of(const void *address, uint64_t *base, size_t *bytes)
{
    cw_cuda__lock();
    const struct cw_cuda_allocation *a = *find((uintptr_t)address);
    const enum cw_cuda_memory kind = a != NULL ? a->kind : CW_CUDA_MEMORY_NONE;
    *base = a != NULL ? a->base : 0;
    *bytes = a != NULL ? a->bytes : 0;
    cw_cuda__unlock();
    return kind;
}

int cw_cuda_memory_info(size_t *free_bytes, size_t *total_bytes)
{
    const size_t total = (size_t)cw_cuda_value("mem.mbytes") << 20;
    size_t used = 0;
    cw_cuda__lock();
    for (const struct cw_cuda_allocation *a = cw_cuda__process.allocations; a != NULL; a = a->next)
        used += a->kind != CW_CUDA_MEMORY_HOST ? (a->bytes + 255) / 256 * 256 : 0;
    cw_cuda__unlock();
    if (free_bytes != NULL)
        *free_bytes = used < total ? total - used : 0;
    if (total_bytes != NULL)
        *total_bytes = total;
    return total > 0 ? CW_CUDA_OK : CW_CUDA_INIT;
}

/* Copies */

/* Whether the bytes are the device's: of an allocation, or of a module's variables, which no list has. */
static bool on_device(struct cowarp_gpu *gpu, uint64_t at, size_t bytes)
{
    return cowarp_holds(gpu, at, bytes) != 0;
}

static int copy_on_device(struct cowarp_gpu *gpu, uint64_t to, uint64_t from, size_t bytes)
{
    char piece[PIECE];
    int status = COWARP_OK;
    const bool backwards = to > from && to < from + bytes; /* as memmove has it */
    for (size_t done = 0, n; status == COWARP_OK && done < bytes; done += n) {
        n = bytes - done < PIECE ? bytes - done : PIECE;
        const size_t at = backwards ? bytes - done - n : done;
        status = cowarp_read(gpu, piece, from + at, n);
        if (status == COWARP_OK)
            status = cowarp_write(gpu, to + at, piece, n);
    }
    return cw_cuda__failed(status);
}

static int copy(struct cowarp_gpu *gpu, void *to, const void *from, size_t bytes, int kind)
{
    const uint64_t target = (uintptr_t)to, source = (uintptr_t)from;
    if (bytes == 0)
        return CW_CUDA_OK;
    if (kind < 0 || kind > 4)
        return CW_CUDA_DIRECTION;
    if (to == NULL || from == NULL)
        return CW_CUDA_INVALID_VALUE;
    bool to_device = on_device(gpu, target, bytes), from_device = on_device(gpu, source, bytes);
    if (((kind == 1 || kind == 3) && !to_device) || ((kind == 2 || kind == 3) && !from_device))
        return CW_CUDA_INVALID_VALUE;
    void *own_to = to_device ? cw_cuda__registered_host(target) : NULL;
    void *own_from = from_device ? cw_cuda__registered_host(source) : NULL;
    to_device = to_device && own_to == NULL;
    from_device = from_device && own_from == NULL;
    to = own_to != NULL ? own_to : to;
    from = own_from != NULL ? own_from : from;
    if (to_device && from_device)
        return copy_on_device(gpu, target, source, bytes);
    if (to_device)
        return cw_cuda__failed(cowarp_write(gpu, target, from, bytes));
    if (from_device)
        return cw_cuda__failed(cowarp_read(gpu, to, source, bytes));
    memmove(to, from, bytes);
    return CW_CUDA_OK;
}

int cw_cuda_copy(void *to, const void *from, size_t bytes, int kind)
{
    struct cowarp_gpu *gpu;
    cw_cuda__lock();
    int code = cw_cuda__gpu(&gpu);
    if (code == CW_CUDA_OK)
        code = copy(gpu, to, from, bytes, kind);
    return cw_cuda__leave(code);
}

int cw_cuda__carry_out_box(const struct cw_cuda_box *b)
{
    struct cowarp_gpu *gpu;
    if (b->height > 1 && (b->width > b->to_pitch || b->width > b->from_pitch))
        return CW_CUDA_PITCH;
    int code = cw_cuda__gpu(&gpu);
    for (size_t z = 0; code == CW_CUDA_OK && z < b->depth; z++)
        for (size_t y = 0; code == CW_CUDA_OK && y < b->height; y++) {
            char *to = (char *)b->to + (z * b->to_slice + y) * b->to_pitch;
            code = copy(gpu, to, (const char *)b->from + (z * b->from_slice + y) * b->from_pitch, b->width, b->kind);
        }
    return code;
}

/* Memory that the program must not touch before the copy is done: the device's, and the host's that is pinned. */
static bool is_left_alone(const void *address, size_t bytes)
{
    struct cowarp_gpu *gpu;
    unsigned flags;
    cw_cuda__gpu_as_is(&gpu);
    return on_device(gpu, (uintptr_t)address, bytes) || cw_cuda_host_flags(&flags, address) == CW_CUDA_OK;
}

/* Whether the copy may wait behind work that has been put off: it is right, and CUDA would not do it at once. Copies from memory of the host that
 * is not pinned are done when CUDA's call returns. */
static bool may_wait(const struct cw_cuda_box *b)
{
    const uint32_t all =
        b->width > 0 && b->height == 1 && b->depth == 1 && b->to != NULL && b->from != NULL && b->kind >= 0 && b->kind <= 4;
    return all && cw_cuda__is_pending() && cw_cuda__may_put_off(b->stream) && is_left_alone(b->to, b->width) &&
           is_left_alone(b->from, b->width);
}

int cw_cuda_copy_box(const struct cw_cuda_box *b)
{
    struct cw_cuda_node *node;
    const struct cw_cuda_work work = {.kind = CW_CUDA_NODE_COPY, .box = b};
    if (cw_cuda_is_capturing(b->stream))
        return cw_cuda__capture_work(b->stream, &work);
    cw_cuda__lock();
    if (may_wait(b))
        return cw_cuda__leave(cw_cuda__put_off(&node, cw_cuda__after_of(b->stream), &work));
    if (b->stream == NULL)
        cw_cuda__waited(NULL);
    return cw_cuda__leave(cw_cuda__carry_out_box(b));
}

static int put(struct cowarp_gpu *gpu, uint64_t at, const void *from, size_t bytes)
{
    void *own = cw_cuda__registered_host(at);
    if (own == NULL)
        return cw_cuda__failed(cowarp_write(gpu, at, from, bytes));
    memcpy(own, from, bytes);
    return CW_CUDA_OK;
}

int cw_cuda__carry_out_set(const struct cw_cuda_set *s)
{
    struct cowarp_gpu *gpu;
    char piece[PIECE];
    int code = cw_cuda__gpu(&gpu);
    for (size_t i = 0; i < PIECE; i++)
        piece[i] = (char)(s->value >> 8 * (i % s->unit));
    for (size_t y = 0; code == CW_CUDA_OK && y < s->rows; y++)
        for (size_t done = 0, n; code == CW_CUDA_OK && done < s->count * s->unit; done += n) {
            n = s->count * s->unit - done < PIECE ? s->count * s->unit - done : PIECE;
            code = put(gpu, (uintptr_t)s->to + y * s->pitch + done, piece, n);
        }
    return code;
}

int cw_cuda_set(void *to, uint32_t value, size_t unit, size_t count, size_t rows, size_t pitch, struct cw_cuda_stream *stream)
{
    struct cw_cuda_node *node;
    const struct cw_cuda_set s = {to, value, unit, count, rows, pitch};
    const struct cw_cuda_work work = {
        .kind = CW_CUDA_NODE_SET, .to = to, .value = value, .unit = unit, .width = count, .height = rows, .pitch = pitch};
    if (cw_cuda_is_capturing(stream))
        return cw_cuda__capture_work(stream, &work);
    cw_cuda__lock();
    if (cw_cuda__is_pending() && cw_cuda__may_put_off(stream) && rows == 1 && is_left_alone(to, unit * count))
        return cw_cuda__leave(cw_cuda__put_off(&node, cw_cuda__after_of(stream), &work));
    return cw_cuda__leave(cw_cuda__carry_out_set(&s));
}

int cw_cuda_reset(void)
{
    struct cw_cuda_process *p = &cw_cuda__process;
    cw_cuda__lock();
    if (p->state == CW_CUDA_OPEN) {
        for (struct cw_cuda_allocation *a = p->allocations, *next; a != NULL; a = next) {
            next = a->next;
            if (cowarp_free(p->session.gpu, a->base) != COWARP_OK && a->kind == CW_CUDA_MEMORY_HOST)
                free((void *)(uintptr_t)a->base);
            free(a);
        }
        p->allocations = NULL;
        cw_cuda__registered_forget(p->session.gpu);
        if (p->sticky != CW_CUDA_OK && cowarp_reset(p->session.gpu) != COWARP_OK)
            cw_cuda__say("%s", cowarp_error(p->session.gpu));
        else
            p->sticky = CW_CUDA_OK;
    }
    return cw_cuda__leave(p->sticky);
}
