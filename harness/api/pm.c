/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: persistent memory: the named regions of a GPU, their file, and crashes. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "pm.h"

/* A GPU's persistent memory. */
struct cowarp_pm {
    struct cowarp_pm_space space;
    char *file; /* that the regions come from and go to; NULL: none */
    struct cowarp_pm_lock lock;
    struct cowarp_pm_log *log; /* NULL: none is kept */
    struct cowarp_pm_graph_copy *graph;
};

static void hear(void *self, uint64_t address, const uint8_t *data, const uint32_t *mask, uint32_t bytes)
{
    const struct cowarp_gpu *gpu = self;
    cowarp__pm_log_persist(gpu->pm->log, cw_gpu_cycles(gpu->gpu), address, data, mask, bytes);
}

static char *copy_of(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return copy != NULL ? strcpy(copy, text) : NULL;
}

/* The regions of a file that cannot be used are gone again. */
static int open_file(struct cowarp_gpu *gpu, const char *path)
{
    struct cowarp_pm *pm = gpu->pm;
    int status = cw_out_file_check(path, &gpu->err);
    if (status == CW_OK)
        status = cowarp__pm_lock(&pm->lock, path, &gpu->err);
    if (status == CW_OK)
        status = cowarp__pm_read(&pm->space, cw_gpu_memory(gpu->gpu), path, &gpu->err);
    if (status == CW_OK && (pm->file = copy_of(path)) == NULL)
        status = cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    if (status == CW_OK)
        return CW_OK;
    cowarp__pm_clear(&pm->space, cw_gpu_memory(gpu->gpu));
    cowarp__pm_unlock(&pm->lock);
    return status;
}

/* A log whose first moment is this one. */
static int begin_log(struct cowarp_gpu *gpu)
{
    cowarp__pm_log_destroy(gpu->pm->log);
    const int status = cowarp__pm_log_create(&gpu->pm->log, &gpu->err);
    for (uint32_t i = 0; status == CW_OK && i < gpu->pm->space.cnt; i++) {
        const struct cowarp_pm_region *r = &gpu->pm->space.region[i];
        cowarp__pm_log_add(gpu->pm->log, r);
        cowarp__pm_written(gpu, r->address, r->bytes);
    }
    return status;
}

int cowarp__pm_create(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    gpu->pm = calloc(1, sizeof *gpu->pm);
    int status = gpu->pm != NULL ? CW_OK : cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    if (status == CW_OK && options->pm_file != NULL)
        status = cowarp_pm_open(gpu, options->pm_file);
    if (status != CW_OK || !options->pm_log)
        return status;
    status = begin_log(gpu);
    if (status == CW_OK)
        cw_memory_listen(cw_gpu_memory(gpu->gpu), hear, gpu);
    return status;
}

void cowarp__pm_destroy(struct cowarp_gpu *gpu)
{
    struct cowarp_pm *pm = gpu->pm;
    if (pm == NULL)
        return;
    cowarp_pm_close(gpu);
    cowarp__pm_log_destroy(pm->log);
    cowarp__pm_graph_destroy(pm->graph);
    free(pm->space.region);
    free(pm);
    gpu->pm = NULL;
}

void cowarp__pm_written(struct cowarp_gpu *gpu, uint64_t address, uint64_t bytes)
{
    const struct cw_memory *memory = cw_gpu_memory(gpu->gpu);
    struct cowarp_pm_log *log = gpu->pm->log;
    uint8_t data[4096];
    if (log == NULL || !cw_memory_is_pm(address))
        return;
    for (uint64_t at = 0; at < bytes; at += sizeof data) {
        const uint64_t piece = bytes - at < sizeof data ? bytes - at : sizeof data;
        cw_memory_durable_read(memory, address + at, data, piece);
        cowarp__pm_log_write(log, address + at, data, piece);
    }
}

/* A GPU whose creation failed has none, and transactions go past it. */
static int need_pm(struct cowarp_gpu *gpu)
{
    if (gpu->gpu == NULL || gpu->pm == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "this GPU could not be created; destroy it");
    if (gpu->system != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "persistent memory cannot be combined with transactional system %s; choose system none",
                       gpu->system->name);
    return CW_OK;
}

int cowarp__pm_left(struct cowarp_gpu *gpu, uint64_t address, uint64_t bytes, const char *what)
{
    if (gpu->failed || !cw_memory_is_pm(address) || !cw_gpu_keeps(gpu->gpu, address, bytes))
        return CW_OK;
    return cw_fail(&gpu->err, CW_EINVAL,
                   "%s of persistent memory: a kernel has left lines of it in an L1 (pm.kernel_end=keep); end the kernel with dfence()",
                   what);
}

static int check_name(struct cowarp_gpu *gpu, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    const size_t length = strlen(name);
    if (length > 0 && length < COWARP_PM_NAME_BYTES && strspn(name, letters) == length)
        return CW_OK;
    return cw_fail(&gpu->err, CW_EINVAL, "persistent memory: '%.80s' is no name; take 1 to %u letters, digits, '_', '-' and '.'", name,
                   COWARP_PM_NAME_BYTES - 1);
}

int cowarp_pm_open(struct cowarp_gpu *gpu, const char *path)
{
    const int status = need_pm(gpu);
    if (status != CW_OK)
        return status;
    if (gpu->pm->file != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: this GPU's persistent memory is already that of %s; close it first", path, gpu->pm->file);
    if (gpu->pm->space.cnt > 0)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: this GPU has persistent regions already ('%s'); open the file before the first is made",
                       path, gpu->pm->space.region[0].name);
    const int opened = open_file(gpu, path);
    return opened == CW_OK ? cowarp__manifest_maybe(gpu, "persistent-memory", path) : opened; /* it is written only when it is closed */
}

int cowarp_pm_save(struct cowarp_gpu *gpu, const char *path)
{
    const int status = need_pm(gpu);
    return status == CW_OK ? cowarp__pm_write(&gpu->pm->space, cw_gpu_memory(gpu->gpu), path, &gpu->err) : status;
}

void cowarp_pm_discard(struct cowarp_gpu *gpu)
{
    struct cowarp_pm *pm = gpu->pm;
    if (pm == NULL || pm->file == NULL)
        return;
    cowarp__pm_unlock(&pm->lock);
    free(pm->file);
    pm->file = NULL;
}

int cowarp_pm_close(struct cowarp_gpu *gpu)
{
    const struct cowarp_pm *pm = gpu->pm;
    if (pm == NULL || pm->file == NULL)
        return CW_OK;
    struct cw_error why; /* the GPU's own error may be that of a launch that failed */
    const int status = cowarp__pm_write(&pm->space, cw_gpu_memory(gpu->gpu), pm->file, &why);
    cowarp_pm_discard(gpu);
    return status == CW_OK ? CW_OK : cw_fail(&gpu->err, status, "%s", why.text);
}

int cowarp_pm_alloc(struct cowarp_gpu *gpu, uint64_t *address, const char *name, uint64_t bytes)
{
    int status = need_pm(gpu);
    if (status == CW_OK)
        status = check_name(gpu, name);
    if (status != CW_OK)
        return status;
    struct cowarp_pm_space *space = &gpu->pm->space;
    const struct cowarp_pm_region *r = cowarp__pm_region(space, name);
    if (r != NULL && r->bytes != bytes)
        return cw_fail(&gpu->err, CW_EINVAL,
                       "persistent memory: region '%s' has %llu bytes, %llu are asked for; free it first, or take another name", name,
                       (unsigned long long)r->bytes, (unsigned long long)bytes);
    if (r == NULL) {
        status = cowarp__pm_add(space, cw_gpu_memory(gpu->gpu), name, bytes, 0, &gpu->err);
        if (status != CW_OK)
            return status;
        r = &space->region[space->cnt - 1];
        cowarp__pm_log_add(gpu->pm->log, r);
    }
    *address = r->address;
    return CW_OK;
}

static int find(struct cowarp_gpu *gpu, const char *name, struct cowarp_pm_region **r)
{
    const int status = need_pm(gpu);
    if (status != CW_OK)
        return status;
    *r = cowarp__pm_region(&gpu->pm->space, name);
    return *r != NULL ? CW_OK : cw_fail(&gpu->err, CW_EINVAL, "persistent memory: there is no region '%.80s'", name);
}

int cowarp_pm_find(struct cowarp_gpu *gpu, const char *name, uint64_t *address, uint64_t *bytes)
{
    struct cowarp_pm_region *r;
    const int status = find(gpu, name, &r);
    if (status != CW_OK)
        return status;
    *address = r->address;
    *bytes = r->bytes;
    return CW_OK;
}

int cowarp_pm_free(struct cowarp_gpu *gpu, const char *name)
{
    struct cowarp_pm_region *r;
    int status = find(gpu, name, &r);
    if (status == CW_OK)
        status = cowarp__pm_left(gpu, r->address, r->bytes, "free");
    if (status != CW_OK)
        return status;
    cowarp__pm_log_remove(gpu->pm->log, r);
    cowarp__pm_remove(&gpu->pm->space, cw_gpu_memory(gpu->gpu), r);
    return CW_OK;
}

int cowarp_pm_at(const struct cowarp_gpu *gpu, uint32_t i, const char **name, uint64_t *address, uint64_t *bytes)
{
    if (gpu->pm == NULL || i >= gpu->pm->space.cnt)
        return 0;
    const struct cowarp_pm_region *r = &gpu->pm->space.region[i];
    *name = r->name;
    *address = r->address;
    *bytes = r->bytes;
    return 1;
}

uint64_t cowarp_persist_count(const struct cowarp_gpu *gpu)
{
    return gpu->pm != NULL && gpu->pm->log != NULL ? cowarp__pm_log_count(gpu->pm->log) : 0;
}

int cowarp_persist_at(const struct cowarp_gpu *gpu, uint64_t i, struct cowarp_persist *persist)
{
    if (i >= cowarp_persist_count(gpu))
        return 0;
    cowarp__pm_log_at(gpu->pm->log, i, persist);
    return 1;
}

int cowarp_pm_graph_if(struct cowarp_gpu *gpu, enum cowarp_pm_change change, uint32_t line, struct cowarp_pm_graph *graph)
{
    const int status = need_pm(gpu);
    return status == CW_OK ? cowarp__pm_graph(gpu, &gpu->pm->graph, change, line, graph) : status;
}

int cowarp_pm_graph(struct cowarp_gpu *gpu, uint32_t without_line, struct cowarp_pm_graph *graph)
{
    return cowarp_pm_graph_if(gpu, without_line != 0 ? COWARP_PM_WITHOUT : COWARP_PM_SAME, without_line, graph);
}

/* The .global variables of all modules have their first values again. */
static void restore_variables(struct cowarp_gpu *gpu)
{
    for (const struct cowarp_module *m = gpu->modules; m != NULL; m = m->next)
        if (m->module->global_bytes > 0)
            cw_memory_write(cw_gpu_memory(gpu->gpu), m->global_base, m->module->global_image, m->module->global_bytes);
}

int cowarp_pm_crash(struct cowarp_gpu *to, const struct cowarp_gpu *from, uint64_t persists)
{
    int status = need_pm(to);
    for (uint32_t i = 0; status == CW_OK && i < to->pm->space.cnt; i++)
        status = cowarp__pm_left(to, to->pm->space.region[i].address, to->pm->space.region[i].bytes, "crash");
    if (status != CW_OK)
        return status;
    if (from->pm == NULL || from->pm->log == NULL || from == to)
        return cw_fail(&to->err, CW_EINVAL, "crash: takes the log of one GPU (options.pm_log) and another GPU");
    if (persists > cowarp_persist_count(from))
        return cw_fail(&to->err, CW_EINVAL, "crash: after %llu persists, but only %llu have been made", (unsigned long long)persists,
                       (unsigned long long)cowarp_persist_count(from));
    status = cowarp__pm_log_image(from->pm->log, persists, &to->pm->space, cw_gpu_memory(to->gpu), &to->err);
    restore_variables(to);
    if (status != CW_OK || to->pm->log == NULL)
        return status;
    cw_gpu_forget_persists(to->gpu);
    return begin_log(to);
}
