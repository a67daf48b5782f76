/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: modules, symbols, kernel launches. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api.h"
#include "file/in_file.h"
#include "mech/mechs.h"
#include "ptx/lock_form.h"

static int unusable(struct cowarp_gpu *gpu)
{
    if (!gpu->failed)
        return CW_OK;
    return cw_fail(&gpu->err, CW_EINVAL, "this GPU has stopped with an error before; reset it (cowarp_reset) or create a new one");
}

/* Gives the module's .global variables their memory and their first values. They lie at the top of device memory, so that buffers have the
 * same addresses, and runs the same cycles, whether they are allocated before a module is loaded or after it. */
static int place(struct cowarp_gpu *gpu, struct cowarp_module *m)
{
    const uint64_t bytes = m->module->global_bytes;
    int status = CW_OK;
    if (bytes > 0)
        status = cw_memory_alloc_top(cw_gpu_memory(gpu->gpu), &m->global_base, bytes, CW_REGION_MODULE, &gpu->err);
    if (status == CW_OK)
        status = cw_module_place(m->module, m->global_base, &gpu->err);
    for (uint32_t i = 0; status == CW_OK && i < m->module->kernel_cnt; i++)
        status = cw_exec_bind(&m->module->kernel[i], &gpu->err);
    if (status == CW_OK && bytes > 0)
        cw_memory_write(cw_gpu_memory(gpu->gpu), m->global_base, m->module->global_image, bytes);
    return status;
}

/* Reads the text, in its lock form when the system asks for that. */
static int read_module(struct cowarp_gpu *gpu, struct cowarp_module *m, const char *text, size_t length, const char *name,
                       const struct cw_intrinsic *const *intrinsics)
{
    char *locked = NULL;
    size_t locked_length = length;
    int status = CW_OK;
    if (gpu->system != NULL && gpu->system->lock_form)
        status = cw_ptx_lock_form(&locked, &locked_length, text, length, name, "tx_begin", "tx_commit", &gpu->err);
    if (status == CW_OK)
        status = cw_module_load(&m->module, locked != NULL ? locked : text, locked_length, name, intrinsics, cowarp__lcp_profile(gpu),
                                &gpu->err);
    if (status == CW_OK && gpu->profile != NULL && (m->text = strndup(locked != NULL ? locked : text, locked_length)) == NULL)
        status = cw_fail(&gpu->err, CW_ENOMEM, "%s: out of memory", name);
    free(locked);
    return status;
}

static void tell_refused(const struct cowarp_gpu *gpu, const struct cw_module *m)
{
    for (uint32_t i = 0; i < m->kernel_cnt; i++) {
        struct cw_error text;
        if (m->kernel[i].refused == NULL || gpu->on_message == NULL)
            continue;
        cw_fail(&text, CW_OK, "kernel %s of %s cannot run: %s", m->kernel[i].name, m->file, m->kernel[i].refused);
        gpu->on_message(gpu->context, text.text);
    }
}

int cowarp_load(struct cowarp_gpu *gpu, struct cowarp_module **module, const char *text, size_t length, const char *name)
{
    *module = NULL;
    int status = unusable(gpu);
    if (status != CW_OK)
        return status;
    struct cowarp_module *m = calloc(1, sizeof *m);
    if (m == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "%s: out of memory", name);
    /* all that the build knows: a kernel may be loaded on a GPU without the mechanism, and is refused when it is launched */
    const struct cw_intrinsic **intrinsics = calloc(cw_mech_cnt() + 1, sizeof *intrinsics);
    if (intrinsics != NULL)
        cw_mech_intrinsics(intrinsics);
    status = intrinsics != NULL ? read_module(gpu, m, text, length, name, intrinsics) : CW_ENOMEM;
    free(intrinsics);
    if (status == CW_OK)
        status = cowarp__manifest_text(gpu, "module", name, text, length);
    if (status == CW_OK)
        status = place(gpu, m);
    if (status != CW_OK) {
        if (m->global_base != 0)
            cw_memory_free(cw_gpu_memory(gpu->gpu), m->global_base, NULL);
        cw_module_destroy(m->module);
        free(m->text);
        free(m);
        return status;
    }
    tell_refused(gpu, m->module);
    m->next = gpu->modules;
    gpu->modules = m;
    *module = m;
    return CW_OK;
}

int cowarp_load_file(struct cowarp_gpu *gpu, struct cowarp_module **module, const char *path)
{
    char *text;
    size_t length = 0;
    *module = NULL;
    int status = unusable(gpu);
    if (status == CW_OK)
        status = cw_in_file_read(&text, &length, path, &gpu->err);
    if (status != CW_OK)
        return status;
    status = cowarp_load(gpu, module, text, length, path);
    free(text);
    return status;
}

/* Bytes of a variable: constants are the module's, everything else is in device memory. */
struct place {
    uint8_t *constant; /* NULL: at `device` */
    uint64_t device;
};

static int find_bytes(struct cowarp_gpu *gpu, const struct cowarp_module *module, const char *name, uint64_t offset, uint64_t bytes,
                      struct place *place)
{
    const struct cw_module *m = module->module;
    const struct cw_symbol *s = cw_module_symbol(m, name);
    if (s == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: has no variable '%s'", m->file, name);
    if (offset > s->bytes || bytes > s->bytes - offset)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: variable '%s' has %" PRIu64 " bytes; %" PRIu64 " at offset %" PRIu64 " are not in it",
                       m->file, name, s->bytes, bytes, offset);
    *place = s->space == CW_SPACE_CONST ? (struct place){.constant = m->const_image + s->offset + offset}
                                        : (struct place){.device = module->global_base + s->offset + offset};
    return CW_OK;
}

int cowarp_symbol_write(struct cowarp_gpu *gpu, struct cowarp_module *module, const char *name, uint64_t offset, const void *data,
                        uint64_t bytes)
{
    struct place to = {0};
    int status = find_bytes(gpu, module, name, offset, bytes, &to);
    if (status == CW_OK && to.constant != NULL)
        memcpy(to.constant, data, bytes);
    else if (status == CW_OK && bytes > 0)
        cw_memory_write(cw_gpu_memory(gpu->gpu), to.device, data, bytes);
    return status;
}

int cowarp_symbol_read(struct cowarp_gpu *gpu, const struct cowarp_module *module, const char *name, uint64_t offset, void *data,
                       uint64_t bytes)
{
    struct place from = {0};
    int status = find_bytes(gpu, module, name, offset, bytes, &from);
    if (status == CW_OK && from.constant != NULL)
        memcpy(data, from.constant, bytes);
    else if (status == CW_OK && bytes > 0)
        cw_memory_read(cw_gpu_memory(gpu->gpu), from.device, data, bytes);
    return status;
}

int cowarp_symbol(struct cowarp_gpu *gpu, const struct cowarp_module *module, const char *name, uint64_t *address, uint64_t *bytes)
{
    const struct cw_symbol *s = cw_module_symbol(module->module, name);
    if (s == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: has no variable '%s'", module->module->file, name);
    if (s->space != CW_SPACE_GLOBAL)
        return cw_fail(&gpu->err, CW_EINVAL,
                       "%s: variable '%s' is not in .global and has no address in device memory; use cowarp_symbol_write",
                       module->module->file, name);
    *address = module->global_base + s->offset;
    *bytes = s->bytes;
    return CW_OK;
}

int cowarp_kernel_at(const struct cowarp_module *module, uint32_t i, const char **name)
{
    if (i >= module->module->kernel_cnt)
        return 0;
    *name = module->module->kernel[i].name;
    return 1;
}

static enum cowarp_param_kind kind_of(const struct cw_kernel_param *p)
{
    if (p->is_shared_ptr)
        return COWARP_PARAM_SHARED;
    if (p->bytes != cw_type_bytes(p->type))
        return COWARP_PARAM_AGGREGATE;
    return p->type == CW_F16 || p->type == CW_F32 || p->type == CW_F64 ? COWARP_PARAM_FLOAT : COWARP_PARAM_INTEGER;
}

int cowarp_kernel_param_at(const struct cowarp_module *module, const char *kernel, uint32_t i, struct cowarp_param *param)
{
    const struct cw_kernel *k = cw_module_kernel(module->module, kernel);
    if (k == NULL || i >= k->param_cnt)
        return 0;
    const struct cw_kernel_param *p = &k->param[i];
    *param = (struct cowarp_param){.name = p->name, .offset = p->offset, .bytes = p->bytes, .alignment = p->align, .kind = kind_of(p)};
    return 1;
}

static int find_kernel(struct cowarp_gpu *gpu, const struct cw_module *m, const char *name, const struct cw_kernel **kernel)
{
    const char *near = NULL;
    *kernel = cw_module_kernel(m, name);
    if (*kernel != NULL)
        return CW_OK;
    if (m->kernel_cnt == 0)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: holds no kernel (.entry)", m->file);
    const char **list = calloc(m->kernel_cnt, sizeof *list);
    if (list != NULL) {
        for (uint32_t i = 0; i < m->kernel_cnt; i++)
            list[i] = m->kernel[i].name;
        near = cw_nearest(name, list, m->kernel_cnt);
        free(list);
    }
    if (near != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: no kernel '%s'; did you mean '%s'?", m->file, name, near);
    return cw_fail(&gpu->err, CW_EINVAL, "%s: no kernel '%s'; it holds '%s'%s", m->file, name, m->kernel[0].name,
                   m->kernel_cnt > 1 ? " and others" : "");
}

/* Bits of an argument, and how many bytes its type has. */
static uint64_t arg_bits(const struct cowarp_arg *a, uint32_t *bytes)
{
    uint64_t bits = 0;
    *bytes = a->type == COWARP_ARG_U32 || a->type == COWARP_ARG_S32 || a->type == COWARP_ARG_F32 ? 4 : 8;
    memcpy(&bits, &a->value, *bytes);
    return bits;
}

/* Parameters of one and two bytes take a 32-bit argument that they can hold. */
static bool fits(const struct cowarp_arg *a, uint32_t bytes)
{
    const unsigned bits = 8 * bytes;
    if (a->type == COWARP_ARG_U32)
        return a->value.u32 >> bits == 0;
    return a->type == COWARP_ARG_S32 && a->value.s32 >= -(1 << (bits - 1)) && a->value.s32 < 1 << bits;
}

/* A struct or an array. */
static int place_bytes(struct cowarp_gpu *gpu, const struct cw_kernel *k, uint32_t i, const struct cowarp_bytes *b, uint8_t *block)
{
    const struct cw_kernel_param *p = &k->param[i];
    if (b == NULL || b->data == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: argument %u (%s): there are no bytes (NULL)", k->name, (unsigned)i + 1, p->name);
    if (p->is_shared_ptr)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: argument %u (%s): the parameter points to shared memory; give a size in bytes (local)",
                       k->name, (unsigned)i + 1, p->name);
    if (b->bytes != p->bytes)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: argument %u (%s): the parameter has %u bytes, the argument %" PRIu64, k->name,
                       (unsigned)i + 1, p->name, (unsigned)p->bytes, b->bytes);
    memcpy(block + p->offset, b->data, p->bytes);
    return CW_OK;
}

static int place_arg(struct cowarp_gpu *gpu, const struct cw_kernel *k, uint32_t i, const struct cowarp_arg *a, uint8_t *block)
{
    const struct cw_kernel_param *p = &k->param[i];
    uint32_t bytes;
    if (a->type == COWARP_ARG_BYTES)
        return place_bytes(gpu, k, i, a->value.bytes, block);
    const uint64_t bits = arg_bits(a, &bytes);
    const bool local = a->type == COWARP_ARG_LOCAL;
    if (p->is_shared_ptr && !local)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: argument %u (%s): the parameter points to shared memory; give a size in bytes (local)",
                       k->name, (unsigned)i + 1, p->name);
    if (local && p->bytes < 4)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: argument %u (%s): a parameter of %u bytes is no pointer to shared memory", k->name,
                       (unsigned)i + 1, p->name, (unsigned)p->bytes);
    if (local)
        bytes = p->bytes;
    if (local && bytes < 8 && bits >> (8 * bytes) != 0)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: argument %u (%s): too much shared memory", k->name, (unsigned)i + 1, p->name);
    if (p->bytes < 4 && bytes == 4 && fits(a, p->bytes))
        bytes = p->bytes;
    if (bytes != p->bytes)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: argument %u (%s): the parameter has %u bytes, the argument %u", k->name, (unsigned)i + 1,
                       p->name, (unsigned)p->bytes, (unsigned)bytes);
    memcpy(block + p->offset, &bits, bytes);
    return CW_OK;
}

static double host_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A launch that stopped before its end was not judged. */
static void note_oracle(struct cowarp_gpu *gpu, int status)
{
    const struct cw_serial_report *r = cw_gpu_serial_report(gpu->gpu);
    gpu->oracle[0] = '\0';
    if (gpu->check_serial && status == CW_ECHECK)
        snprintf(gpu->oracle, sizeof gpu->oracle, "%s", r->text);
    else if (gpu->check_serial && status == CW_OK && r->committed == 0)
        snprintf(gpu->oracle, sizeof gpu->oracle, "no transaction has committed, so there was nothing to judge");
    else if (gpu->check_serial && status == CW_OK)
        snprintf(gpu->oracle, sizeof gpu->oracle,
                 "serializable: %" PRIu64 " transactions, %" PRIu64 " words read, %" PRIu64 " written; %" PRIu64 " of %" PRIu64
                 " aborted attempts saw an inconsistent snapshot",
                 r->committed, r->reads, r->writes, r->inconsistent_aborted, r->aborted);
}

static void note_persist_oracle(struct cowarp_gpu *gpu, int status)
{
    const struct cw_persist_report *r = cw_gpu_persist_report(gpu->gpu);
    gpu->persist_oracle[0] = '\0';
    if (gpu->check_persist && status == CW_ECHECK)
        snprintf(gpu->persist_oracle, sizeof gpu->persist_oracle, "%s", r->text);
    else if (gpu->check_persist && status == CW_OK)
        snprintf(gpu->persist_oracle, sizeof gpu->persist_oracle, "persist order: %" PRIu64 " persists, %" PRIu64 " orderings, right",
                 r->persists, r->orderings);
}

static int launch(struct cowarp_gpu *gpu, const struct cowarp_module *module, const struct cw_kernel *k, const struct cowarp_launch *l)
{
    uint8_t *block = calloc(1, k->param_bytes + 1u);
    bool *local = calloc(k->param_cnt + 1u, sizeof *local);
    int status = block != NULL && local != NULL ? CW_OK : cw_fail(&gpu->err, CW_ENOMEM, "%s: out of memory", k->name);
    for (uint32_t i = 0; status == CW_OK && i < k->param_cnt; i++) {
        local[i] = l->args[i].type == COWARP_ARG_LOCAL;
        status = place_arg(gpu, k, i, &l->args[i], block);
    }
    if (status == CW_OK)
        status = cowarp__manifest_launch(gpu, module->module->file, l);
    if (status == CW_OK) {
        const double start = host_seconds();
        if (gpu->timeline != NULL)
            cw_timeline_launch(gpu->timeline, k->name);
        status = cw_gpu_launch(gpu->gpu, module->module, k, l->grid, l->block, l->dynamic_shared_bytes, l->static_warps != 0, block, local,
                               &gpu->err);
        if (gpu->timeline != NULL)
            cw_timeline_launch(gpu->timeline, NULL);
        gpu->host_seconds += host_seconds() - start;
        status = cowarp__wave_launched(gpu, status);
        const int noted = cowarp__parts_launched(gpu, k->name);
        status = status == CW_OK ? noted : status;
        gpu->failed = status != CW_OK;
        note_oracle(gpu, status);
        note_persist_oracle(gpu, status);
    }
    free(block);
    free(local);
    return status;
}

int cowarp_run(struct cowarp_gpu *gpu, struct cowarp_module *module, const struct cowarp_launch *given)
{
    const struct cw_kernel *k;
    struct cowarp_launch l;
    int status = unusable(gpu);
    if (status == CW_OK)
        status = cowarp__take(&l, sizeof l, given, "struct cowarp_launch", &gpu->err);
    if (status == CW_OK && l.kernel == NULL)
        status = cw_fail(&gpu->err, CW_EINVAL, "struct cowarp_launch: names no kernel");
    if (status == CW_OK)
        status = find_kernel(gpu, module->module, l.kernel, &k);
    if (status != CW_OK)
        return status;
    if (k->refused != NULL)
        return cw_fail(&gpu->err, CW_EUNSUP, "%s", k->refused);
    if (l.arg_count != k->param_cnt)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: takes %u arguments, given %u", k->name, (unsigned)k->param_cnt, (unsigned)l.arg_count);
    if (l.arg_count > 0 && l.args == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: takes %u arguments, but args is NULL", k->name, (unsigned)k->param_cnt);
    status = cowarp__branches_launch(gpu, k);
    if (status == CW_OK)
        status = cowarp__profile_launch(gpu, module, k);
    return status != CW_OK ? status : launch(gpu, module, k, &l);
}

double cowarp_host_seconds(const struct cowarp_gpu *gpu)
{
    return gpu->host_seconds;
}
