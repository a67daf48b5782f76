/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: creation and destruction of a GPU, memory, values that can be asked for. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "mech/mechs.h"

const char *cowarp_version(void)
{
    return COWARP_VERSION;
}

void cowarp_options_init(struct cowarp_options *options)
{
    *options = (struct cowarp_options){.preset = "getm", .system = "none", .seed = 1};
}

static int configure(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    int status = cw_config_preset(&gpu->config, options->preset != NULL ? options->preset : "getm", &gpu->err);
    if (status == CW_OK && options->config_file != NULL)
        status = cw_config_load(&gpu->config, options->config_file, &gpu->err);
    for (const char *const *s = options->settings; status == CW_OK && s != NULL && *s != NULL; s++)
        status = cw_config_set(&gpu->config, *s, &gpu->err);
    return status == CW_OK ? cw_config_check(&gpu->config, &gpu->err) : status;
}

static int choose_system(struct cowarp_gpu *gpu, const char *name)
{
    const char *list[32] = {"none"};
    uint32_t cnt = 1;
    if (name == NULL || strcmp(name, "none") == 0)
        return CW_OK;
    gpu->system = cw_mech_find(name);
    if (gpu->system != NULL)
        return CW_OK;
    for (uint32_t i = 0; cw_mechs[i] != NULL && cnt < 32; i++)
        list[cnt++] = cw_mechs[i]->name;
    const char *near = cw_nearest(name, list, cnt);
    if (near != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "unknown system '%.40s'; did you mean '%s'?", name, near);
    return cw_fail(&gpu->err, CW_EINVAL, "unknown system '%.40s'; 'cowarp list' shows all", name);
}

static int pass_progress(void *context, const struct cw_gpu *g)
{
    const struct cowarp_gpu *gpu = context;
    uint64_t done, total;
    cw_gpu_blocks(g, &done, &total);
    return gpu->on_progress(gpu->context, cw_gpu_cycles(g), done, total);
}

static int build(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    gpu->seed = options->seed;
    gpu->check_serial = options->check_serial != 0;
    gpu->omit_host_seconds = options->omit_host_seconds != 0;
    gpu->on_progress = options->on_progress;
    gpu->on_message = options->on_message;
    gpu->context = options->context;
    int status = configure(gpu, options);
    if (status == CW_OK)
        status = choose_system(gpu, options->system);
    if (status == CW_OK && options->sabotage != NULL && gpu->system == NULL)
        status =
            cw_fail(&gpu->err, CW_EINVAL, "sabotage '%.40s': there is no transactional system to break; choose one", options->sabotage);
    if (status == CW_OK)
        status = cowarp__units_open(gpu, options->units, options->wave_file != NULL && options->wave_on == NULL);
    if (status == CW_OK)
        status = cowarp__wave_tap(gpu, options);
    const struct cw_unit_provider *units = gpu->taps != NULL ? &gpu->tapped_units : &gpu->units;
    if (status == CW_OK)
        status = cowarp__record_tap(gpu, options, &units);
    if (status != CW_OK)
        return status;
    const struct cw_gpu_options o = {
        .config = &gpu->config,
        .tm = gpu->system,
        .units = units,
        .seed = options->seed,
        .check_serial = gpu->check_serial,
        .reverse_ticks = options->reverse_ticks != 0,
        .tick_always = options->tick_always != 0,
        .sabotage = options->sabotage,
        .max_cycles = options->max_cycles,
        .on_progress = options->on_progress != NULL ? pass_progress : NULL,
        .on_step = options->wave_file != NULL || gpu->recorder != NULL ? cowarp__wave_step : NULL,
        .context = gpu,
    };
    status = cw_gpu_create(&gpu->gpu, &o, &gpu->err);
    if (status == CW_OK)
        status = cowarp__record_open(gpu);
    return status == CW_OK ? cowarp__wave_open(gpu, options) : status;
}

int cowarp_create(struct cowarp_gpu **gpu, const struct cowarp_options *options)
{
    struct cowarp_gpu *g = calloc(1, sizeof *g);
    *gpu = g;
    if (g == NULL)
        return COWARP_ENOMEM;
    int status = build(g, options);
    g->failed = status != CW_OK;
    return status;
}

int cowarp_finish(struct cowarp_gpu *gpu)
{
    const int status = cowarp__wave_close(gpu);
    return status != CW_OK ? status : cowarp__record_close(gpu);
}

void cowarp_destroy(struct cowarp_gpu *gpu)
{
    if (gpu == NULL)
        return;
    cowarp__wave_close(gpu);
    cw_gpu_destroy(gpu->gpu);
    cw_recorder_destroy(gpu->recorder);
    cw_taps_destroy(gpu->taps);
    if (gpu->units_created)
        cw_rtl_provider_destroy(&gpu->units);
    while (gpu->modules != NULL) {
        struct cowarp_module *m = gpu->modules;
        gpu->modules = m->next;
        cw_module_destroy(m->module);
        free(m);
    }
    for (uint32_t i = 0; i < cowarp__unit_cnt; i++)
        free(gpu->verilog[i]);
    free(gpu);
}

const char *cowarp_error(const struct cowarp_gpu *gpu)
{
    return gpu != NULL ? gpu->err.text : "out of memory";
}

const char *cowarp_report(const struct cowarp_gpu *gpu)
{
    return gpu != NULL && gpu->gpu != NULL ? cw_gpu_deadlock_report(gpu->gpu) : "";
}

const char *cowarp_oracle(const struct cowarp_gpu *gpu)
{
    return gpu->oracle;
}

/* A GPU whose creation failed has no memory. */
static int need_gpu(struct cowarp_gpu *gpu)
{
    return gpu->gpu != NULL ? CW_OK : cw_fail(&gpu->err, CW_EINVAL, "this GPU could not be created; destroy it");
}

int cowarp_alloc(struct cowarp_gpu *gpu, uint64_t *address, uint64_t bytes)
{
    int status = need_gpu(gpu);
    return status == CW_OK ? cw_devmem_alloc(cw_gpu_memory(gpu->gpu), address, bytes, &gpu->err) : status;
}

static int need_range(struct cowarp_gpu *gpu, uint64_t address, uint64_t bytes, const char *what)
{
    int status = need_gpu(gpu);
    if (status != CW_OK || bytes == 0 || cw_devmem_valid(cw_gpu_memory(gpu->gpu), address, bytes))
        return status;
    return cw_fail(&gpu->err, CW_EINVAL, "%s of %llu bytes at 0x%llx: not in allocated device memory", what, (unsigned long long)bytes,
                   (unsigned long long)address);
}

int cowarp_write(struct cowarp_gpu *gpu, uint64_t address, const void *data, uint64_t bytes)
{
    int status = need_range(gpu, address, bytes, "write");
    if (status == CW_OK && bytes > 0)
        memcpy(cw_devmem_at(cw_gpu_memory(gpu->gpu), address), data, bytes);
    return status;
}

int cowarp_read(struct cowarp_gpu *gpu, void *data, uint64_t address, uint64_t bytes)
{
    int status = need_range(gpu, address, bytes, "read");
    if (status == CW_OK && bytes > 0)
        memcpy(data, cw_devmem_at(cw_gpu_memory(gpu->gpu), address), bytes);
    return status;
}

int cowarp_config_value(struct cowarp_gpu *gpu, const char *name, uint32_t *value)
{
    uint32_t index;
    int status = cw_config_find(&index, name, &gpu->err);
    if (status != CW_OK)
        return status;
    struct cw_config_info info;
    cw_config_info(&gpu->config, index, &info);
    *value = info.value;
    return CW_OK;
}
