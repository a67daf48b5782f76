/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of the device behind which there is something else.
 *
 * Memory of the program's own that it has registered (cudaHostRegister): a kernel cannot reach the program's pages, so it works on a copy on
 * the device. The copy is made when the program asks for the device's address, brought up to date before each launch, and brought back
 * after it. No kernel runs while the program does, so neither sees a difference.
 *
 * Constants, which lie in no device memory here: the program gets an address for its copies and sets, whose bytes go to the constant before
 * each launch. A kernel changes no constant.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/process.h"

struct cw_cuda_registered {
    char *host;
    size_t bytes;
    unsigned flags;
    uint64_t device;             /* of the copy; 0: nobody has asked for it */
    struct cw_cuda_image *image; /* of the constant, whose bytes host has, and its name; NULL: it is the program's memory */
    const char *name;
    struct cw_cuda_registered *next;
};

static struct cw_cuda_registered **find(const void *host)
{
    struct cw_cuda_registered **r = &cw_cuda__process.registered;
    while (*r != NULL && (uintptr_t)host - (uintptr_t)(*r)->host >= (*r)->bytes)
        r = &(*r)->next;
    return r;
}

/* Whether it is memory that cw_cuda_malloc_host or its like gave, which is in one place for both. */
static bool is_given(const void *address)
{
    const struct cw_cuda_allocation *a = cw_cuda__process.allocations;
    while (a != NULL && (uintptr_t)address - a->base >= a->bytes)
        a = a->next;
    return a != NULL && a->kind != CW_CUDA_MEMORY_DEVICE;
}

static bool overlaps(const struct cw_cuda_registered *r, uintptr_t host, size_t bytes)
{
    return host < (uintptr_t)r->host + r->bytes && (uintptr_t)r->host < host + bytes;
}

int cw_cuda_host_register(void *host, size_t bytes, unsigned flags)
{
    struct cowarp_gpu *gpu;
    struct cw_cuda_process *p = &cw_cuda__process;
    if (host == NULL || bytes == 0 || flags > 15)
        return CW_CUDA_INVALID_VALUE;
    cw_cuda__lock();
    int code = cw_cuda__gpu(&gpu);
    for (const struct cw_cuda_registered *r = p->registered; code == CW_CUDA_OK && r != NULL; r = r->next)
        code = overlaps(r, (uintptr_t)host, bytes) ? CW_CUDA_REGISTERED : CW_CUDA_OK;
    struct cw_cuda_registered *new = code == CW_CUDA_OK ? malloc(sizeof *new) : NULL;
    if (new != NULL) {
        *new = (struct cw_cuda_registered){.host = host, .bytes = bytes, .flags = flags, .next = p->registered};
        p->registered = new;
    }
    return cw_cuda__leave(code == CW_CUDA_OK && new == NULL ? CW_CUDA_NO_MEMORY : code);
}

int cw_cuda_host_unregister(const void *host)
{
    struct cowarp_gpu *gpu;
    cw_cuda__lock();
    int code = cw_cuda__gpu(&gpu);
    struct cw_cuda_registered **place = find(host), *r = *place;
    if (code == CW_CUDA_OK && (r == NULL || r->host != host || r->image != NULL))
        code = CW_CUDA_NOT_REGISTERED;
    if (code == CW_CUDA_OK) {
        if (r->device != 0)
            cowarp_free(gpu, r->device);
        *place = r->next;
        free(r);
    }
    return cw_cuda__leave(code);
}

int cw_cuda_host_flags(unsigned *flags, const void *host)
{
    cw_cuda__lock();
    const struct cw_cuda_registered *r = *find(host);
    const bool given = is_given(host);
    *flags = r != NULL ? r->flags : 0;
    return cw_cuda__leave(r != NULL || given ? CW_CUDA_OK : CW_CUDA_INVALID_VALUE);
}

int cw_cuda_host_device(void **device, void *host)
{
    struct cowarp_gpu *gpu;
    cw_cuda__lock();
    int code = cw_cuda__gpu(&gpu);
    struct cw_cuda_registered *r = *find(host);
    if (code == CW_CUDA_OK && r != NULL && r->device == 0)
        code = cw_cuda__failed(cowarp_alloc(gpu, &r->device, r->bytes));
    if (code == CW_CUDA_OK && r == NULL && !is_given(host))
        code = CW_CUDA_INVALID_VALUE;
    *device = code != CW_CUDA_OK ? NULL : r == NULL ? host : (void *)(uintptr_t)(r->device + (uintptr_t)((char *)host - r->host));
    return cw_cuda__leave(code);
}

void *cw_cuda__registered_host(uint64_t address)
{
    for (const struct cw_cuda_registered *r = cw_cuda__process.registered; r != NULL; r = r->next)
        if (r->device != 0 && address - r->device < r->bytes)
            return r->host + (address - r->device);
    return NULL;
}

void cw_cuda__registered_to_device(struct cowarp_gpu *gpu)
{
    for (const struct cw_cuda_registered *r = cw_cuda__process.registered; r != NULL; r = r->next)
        if (r->image != NULL)
            cowarp_symbol_write(gpu, r->image->module, r->name, 0, r->host, r->bytes);
        else if (r->device != 0)
            cowarp_write(gpu, r->device, r->host, r->bytes);
}

void cw_cuda__registered_to_host(struct cowarp_gpu *gpu)
{
    for (const struct cw_cuda_registered *r = cw_cuda__process.registered; r != NULL; r = r->next)
        if (r->image == NULL && r->device != 0)
            cowarp_read(gpu, r->host, r->device, r->bytes);
}

static struct cw_cuda_registered *find_constant(const struct cw_cuda_image *image, const char *name)
{
    struct cw_cuda_registered *r = cw_cuda__process.registered;
    while (r != NULL && (r->image != image || strcmp(r->name, name) != 0))
        r = r->next;
    return r;
}

int cw_cuda__constant(uint64_t *address, struct cowarp_gpu *gpu, struct cw_cuda_image *image, const char *name, size_t bytes)
{
    struct cw_cuda_registered *r = find_constant(image, name);
    if (r == NULL) {
        r = calloc(1, sizeof *r + bytes + strlen(name) + 1);
        if (r == NULL)
            return CW_CUDA_NO_MEMORY;
        *r = (struct cw_cuda_registered){.host = (char *)(r + 1), .bytes = bytes, .image = image, .next = cw_cuda__process.registered};
        r->name = strcpy(r->host + bytes, name);
        const int code = cw_cuda__failed(cowarp_alloc(gpu, &r->device, bytes));
        if (code != CW_CUDA_OK) {
            free(r);
            return code;
        }
        cowarp_symbol_read(gpu, image->module, name, 0, r->host, bytes);
        cw_cuda__process.registered = r;
    }
    *address = r->device;
    return CW_CUDA_OK;
}

void cw_cuda__constant_changed(struct cowarp_gpu *gpu, const struct cw_cuda_image *image, const char *name)
{
    const struct cw_cuda_registered *r = find_constant(image, name);
    if (r != NULL)
        cowarp_symbol_read(gpu, image->module, name, 0, r->host, r->bytes);
}

void cw_cuda__constant_current(struct cowarp_gpu *gpu, const struct cw_cuda_image *image, const char *name)
{
    const struct cw_cuda_registered *r = find_constant(image, name);
    if (r != NULL)
        cowarp_symbol_write(gpu, image->module, name, 0, r->host, r->bytes);
}

void cw_cuda__registered_forget(struct cowarp_gpu *gpu)
{
    struct cw_cuda_process *p = &cw_cuda__process;
    for (struct cw_cuda_registered *r = p->registered, *next; r != NULL; r = next) {
        next = r->next;
        if (r->device != 0)
            cowarp_free(gpu, r->device);
        free(r);
    }
    p->registered = NULL;
}
