/* SPDX-License-Identifier: Apache-2.0 */
/* Images on the GPU: their kernels and variables. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cuda/lower.h"
#include "cuda/process.h"
#include "file/in_file.h"

#define PARAM_MOST 4096u /* of a kernel; CUDA has 4 KB of parameters, later 32 KB */

static uint32_t bucket_of(const void *host)
{
    return (uint32_t)(((uintptr_t)host >> 2) * UINT64_C(0x9E3779B97F4A7C15) >> 54) % CW_CUDA_BUCKETS;
}

int cw_cuda__image_load(struct cw_cuda_image *image)
{
    struct cowarp_gpu *gpu;
    const int code = cw_cuda__gpu_as_is(&gpu);
    if (code != CW_CUDA_OK || image->module != NULL)
        return code;
    cw_cuda__settle();
    if (image->code == CW_CUDA_OK && !cw_cuda__lower(&image->text))
        return CW_CUDA_NO_MEMORY;
    if (image->code == CW_CUDA_OK && cowarp_load(gpu, &image->module, image->text, strlen(image->text), image->name) != COWARP_OK) {
        image->code = CW_CUDA_PTX;
        snprintf(image->why, sizeof image->why, "%.500s", cowarp_error(gpu));
    }
    if (image->why[0] != '\0')
        cw_cuda__say("%s", image->why);
    image->why[0] = '\0';
    free(image->text);
    image->text = NULL;
    return image->code;
}

int cw_cuda_load(struct cw_cuda_image **image, const void *data)
{
    cw_cuda__lock();
    struct cw_cuda_image *new = cw_cuda__image_new();
    cw_cuda__image_fill(new, data);
    const int code = cw_cuda__image_load(new);
    *image = code == CW_CUDA_OK ? new : NULL;
    return cw_cuda__leave(code);
}

int cw_cuda_load_file(struct cw_cuda_image **image, const char *path)
{
    struct cw_error err;
    char *data;
    size_t length;
    if (cw_in_file_read(&data, &length, path, &err) != CW_OK) {
        cw_cuda__say("%s", err.text);
        return CW_CUDA_FILE;
    }
    char *more = realloc(data, length + 64); /* so that it ends in a NUL, and has as many bytes as a header */
    if (more == NULL) {
        free(data);
        return CW_CUDA_NO_MEMORY;
    }
    memset(more + length, 0, 64);
    const int code = cw_cuda_load(image, more);
    free(more);
    return code;
}

int cw_cuda_image_check(const struct cw_cuda_image *image)
{
    cw_cuda__lock();
    const struct cw_cuda_image *i = cw_cuda__process.images;
    while (i != NULL && i != image)
        i = i->next;
    return cw_cuda__leave(i != NULL && !i->unloaded ? CW_CUDA_OK : CW_CUDA_HANDLE);
}

int cw_cuda_unload(struct cw_cuda_image *image)
{
    cw_cuda__lock();
    const int code = cw_cuda_image_check(image);
    if (code == CW_CUDA_OK)
        image->unloaded = true;
    return cw_cuda__leave(code);
}

static struct cw_cuda_function *new_function(struct cw_cuda_image *image, const void *host, const char *name)
{
    struct cw_cuda_process *p = &cw_cuda__process;
    struct cw_cuda_function *f = calloc(1, sizeof *f);
    if (f != NULL && (f->name = strdup(name)) == NULL) {
        free(f);
        f = NULL;
    }
    if (f == NULL)
        return NULL;
    f->host = host;
    f->image = image;
    f->next_all = p->functions;
    p->functions = f;
    if (host != NULL) {
        f->next = p->bucket[bucket_of(host)];
        p->bucket[bucket_of(host)] = f;
    }
    return f;
}

void cw_cuda_register_function(struct cw_cuda_image *image, const void *host, const char *name)
{
    cw_cuda__lock();
    new_function(image, host, name);
    cw_cuda__unlock();
}

static void new_variable(struct cw_cuda_image *image, const void *host, const char *name, size_t bytes, void **managed)
{
    struct cw_cuda_process *p = &cw_cuda__process;
    struct cw_cuda_variable *v = calloc(1, sizeof *v);
    if (v == NULL || (v->name = strdup(name)) == NULL) {
        free(v);
        return;
    }
    v->host = host;
    v->image = image;
    v->bytes = bytes;
    v->managed = managed;
    v->next = p->variable[bucket_of(host)];
    p->variable[bucket_of(host)] = v;
}

void cw_cuda_register_variable(struct cw_cuda_image *image, const void *host, const char *name, size_t bytes)
{
    cw_cuda__lock();
    new_variable(image, host, name, bytes, NULL);
    cw_cuda__unlock();
}

void cw_cuda_register_managed(struct cw_cuda_image *image, void **pointer, const char *name, size_t bytes)
{
    cw_cuda__lock();
    new_variable(image, pointer, name, bytes, pointer);
    cw_cuda__unlock();
}

/* Kernels */

/* The image has no such kernel or variable: says once why not, where that is known. */
static int absent(struct cw_cuda_image *image, int code)
{
    if (image->missing[0] != '\0')
        cw_cuda__say("%s", image->missing);
    image->missing[0] = '\0';
    return code;
}

/* What the module says of it. */
static int know(struct cw_cuda_function *f)
{
    struct cowarp_gpu *gpu;
    struct cowarp_param param;
    int code = cw_cuda__image_load(f->image);
    if (code != CW_CUDA_OK || f->known)
        return code;
    code = cw_cuda__gpu_as_is(&gpu);
    f->info = (struct cowarp_kernel_info){.size = sizeof f->info};
    if (code == CW_CUDA_OK && cowarp_kernel_info(gpu, f->image->module, f->name, &f->info) != COWARP_OK)
        code = absent(f->image, CW_CUDA_DEVICE_FUNCTION);
    while (code == CW_CUDA_OK && f->param_cnt < PARAM_MOST && cowarp_kernel_param_at(f->image->module, f->name, f->param_cnt, &param)) {
        struct cowarp_param *more = realloc(f->param, (f->param_cnt + 1) * sizeof *more);
        if (more == NULL)
            return CW_CUDA_NO_MEMORY;
        f->param = more;
        f->param[f->param_cnt++] = param;
    }
    f->known = code == CW_CUDA_OK;
    return code;
}

static struct cw_cuda_function *find(const void *host)
{
    const struct cw_cuda_process *p = &cw_cuda__process;
    for (struct cw_cuda_function *f = p->bucket[bucket_of(host)]; f != NULL; f = f->next)
        if (f->host == host)
            return f;
    for (struct cw_cuda_function *f = p->functions; f != NULL; f = f->next_all)
        if (f == host)
            return f;
    return NULL;
}

int cw_cuda_function(struct cw_cuda_function **function, const void *host)
{
    cw_cuda__lock();
    *function = find(host);
    return cw_cuda__leave(*function != NULL ? know(*function) : CW_CUDA_DEVICE_FUNCTION);
}

int cw_cuda_function_named(struct cw_cuda_function **function, struct cw_cuda_image *image, const char *name)
{
    cw_cuda__lock();
    struct cw_cuda_function *f = cw_cuda__process.functions;
    while (f != NULL && (f->image != image || strcmp(f->name, name) != 0))
        f = f->next_all;
    if (f == NULL)
        f = new_function(image, NULL, name);
    int code = f != NULL ? know(f) : CW_CUDA_NO_MEMORY;
    *function = code == CW_CUDA_OK ? f : NULL;
    return cw_cuda__leave(code == CW_CUDA_DEVICE_FUNCTION ? CW_CUDA_NOT_FOUND : code);
}

int cw_cuda_function_at(struct cw_cuda_function **function, struct cw_cuda_image *image, unsigned i)
{
    const char *name;
    cw_cuda__lock();
    int code = cw_cuda__image_load(image);
    if (code == CW_CUDA_OK)
        code = cowarp_kernel_at(image->module, i, &name) ? cw_cuda_function_named(function, image, name) : CW_CUDA_NOT_FOUND;
    return cw_cuda__leave(code);
}

const char *cw_cuda_function_name(const struct cw_cuda_function *function)
{
    return function->name;
}

struct cw_cuda_image *cw_cuda_function_image(const struct cw_cuda_function *function)
{
    return function->image;
}

int cw_cuda_function_param(struct cw_cuda_function *function, size_t i, size_t *offset, size_t *bytes)
{
    if (i >= function->param_cnt)
        return CW_CUDA_INVALID_VALUE;
    *offset = function->param[i].offset;
    *bytes = function->param[i].bytes;
    return CW_CUDA_OK;
}

int cw_cuda_function_info(struct cw_cuda_function *function, struct cw_cuda_function_info *info)
{
    const size_t shared = cw_cuda_value("core.shared_bytes");
    const size_t room = shared > function->info.static_shared_bytes ? shared - function->info.static_shared_bytes : 0;
    const uint32_t most = function->info.max_threads;
    *info = (struct cw_cuda_function_info){.shared_bytes = function->info.static_shared_bytes,
                                           .constant_bytes = function->info.constant_bytes,
                                           .local_bytes = function->info.local_bytes,
                                           .dynamic_shared_most = room < 49152 ? room : 49152,
                                           .threads_most = most != 0 && most < 1024 ? (int)most : 1024,
                                           .registers = (int)function->info.live_registers,
                                           .architecture = (int)function->image->architecture};
    if (function->dynamic_shared_most > 0)
        info->dynamic_shared_most = (size_t)function->dynamic_shared_most;
    return CW_CUDA_OK;
}

int cw_cuda_function_set_dynamic_shared(struct cw_cuda_function *function, int bytes)
{
    const uint32_t shared = cw_cuda_value("core.shared_bytes");
    if (bytes < 0 || (uint64_t)bytes + function->info.static_shared_bytes > shared) {
        cw_cuda__say("kernel %s asks for %d bytes of dynamic shared memory, and a core has %u; --preset sbrp-near has 65536, and --set "
                     "core.shared_bytes=N any number",
                     function->name, bytes, (unsigned)shared);
        return CW_CUDA_INVALID_VALUE;
    }
    function->dynamic_shared_most = bytes;
    return CW_CUDA_OK;
}

/* Variables */

static int find_variable(const void *host, struct cw_cuda_variable **v)
{
    *v = cw_cuda__process.variable[bucket_of(host)];
    while (*v != NULL && (*v)->host != host)
        *v = (*v)->next;
    return *v != NULL ? cw_cuda__image_load((*v)->image) : CW_CUDA_SYMBOL;
}

int cw_cuda_symbol(const void *host, void **address, size_t *bytes)
{
    struct cw_cuda_variable *v;
    struct cowarp_gpu *gpu;
    uint64_t at = 0, size = 0;
    cw_cuda__lock();
    int code = find_variable(host, &v);
    if (code == CW_CUDA_OK && address != NULL) {
        code = cw_cuda__gpu(&gpu);
        if (code == CW_CUDA_OK && cowarp_symbol(gpu, v->image->module, v->name, &at, &size) != COWARP_OK)
            code = size > 0 ? cw_cuda__constant(&at, gpu, v->image, v->name, size) : absent(v->image, CW_CUDA_SYMBOL);
        *address = (void *)(uintptr_t)at;
    }
    if (code == CW_CUDA_OK && bytes != NULL)
        *bytes = v->bytes;
    return cw_cuda__leave(code);
}

int cw_cuda_symbol_write(const void *host, size_t offset, const void *from, size_t bytes)
{
    struct cw_cuda_variable *v;
    struct cowarp_gpu *gpu;
    cw_cuda__lock();
    int code = find_variable(host, &v);
    if (code == CW_CUDA_OK)
        code = cw_cuda__gpu(&gpu);
    if (code == CW_CUDA_OK) {
        cw_cuda__constant_current(gpu, v->image, v->name);
        code = cw_cuda__failed(cowarp_symbol_write(gpu, v->image->module, v->name, offset, from, bytes));
        cw_cuda__constant_changed(gpu, v->image, v->name);
    }
    return cw_cuda__leave(code);
}

int cw_cuda_symbol_read(const void *host, size_t offset, void *to, size_t bytes)
{
    struct cw_cuda_variable *v;
    struct cowarp_gpu *gpu;
    cw_cuda__lock();
    int code = find_variable(host, &v);
    if (code == CW_CUDA_OK)
        code = cw_cuda__gpu(&gpu);
    if (code == CW_CUDA_OK)
        cw_cuda__constant_current(gpu, v->image, v->name);
    if (code == CW_CUDA_OK)
        code = cw_cuda__failed(cowarp_symbol_read(gpu, v->image->module, v->name, offset, to, bytes));
    return cw_cuda__leave(code);
}

int cw_cuda_global(struct cw_cuda_image *image, const char *name, uint64_t *address, size_t *bytes)
{
    struct cowarp_gpu *gpu;
    uint64_t at = 0, size = 0;
    cw_cuda__lock();
    int code = cw_cuda__image_load(image);
    if (code == CW_CUDA_OK)
        code = cw_cuda__gpu(&gpu);
    if (code == CW_CUDA_OK && cowarp_symbol(gpu, image->module, name, &at, &size) != COWARP_OK)
        code = size > 0 ? cw_cuda__constant(&at, gpu, image, name, size) : CW_CUDA_NOT_FOUND;
    *address = at;
    *bytes = size;
    return cw_cuda__leave(code);
}

int cw_cuda_place_managed(struct cw_cuda_image *image)
{
    struct cowarp_gpu *gpu;
    uint64_t bytes;
    cw_cuda__lock();
    int code = cw_cuda__image_load(image);
    if (code == CW_CUDA_OK)
        code = cw_cuda__gpu(&gpu);
    for (uint32_t i = 0; code == CW_CUDA_OK && i < CW_CUDA_BUCKETS; i++)
        for (struct cw_cuda_variable *v = cw_cuda__process.variable[i]; v != NULL; v = v->next) {
            uint64_t at = 0;
            if (v->image != image || v->managed == NULL)
                continue;
            if (cowarp_symbol(gpu, image->module, v->name, &at, &bytes) != COWARP_OK || !cowarp_is_unified(gpu))
                code = CW_CUDA_NOT_SUPPORTED;
            else
                *v->managed = (void *)(uintptr_t)at;
        }
    return cw_cuda__leave(code);
}
