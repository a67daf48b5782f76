/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: creation and destruction of a GPU, memory, values that can be asked for. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "mech/mechs.h"
#include "mem/version.h"

/* How a kind is called, and how one chooses it. */
static const struct {
    const char *what, *option, *title;
} kinds[] = {
    [COWARP_MECH_SYSTEM] = {"system", "--system", "a transactional system"},
    [COWARP_MECH_PERSISTENCY] = {"persistency model", "--persistency", "a persistency model"},
    [COWARP_MECH_OTHER] = {"mechanism", "--mech", "a mechanism"},
};

static int unknown(struct cowarp_gpu *gpu, const char *name, enum cowarp_mech_kind kind)
{
    const char *what = kinds[kind].what, *near = NULL;
    const char **list = calloc(cw_mech_cnt() + 1u, sizeof *list);
    uint32_t cnt = 0;
    for (uint32_t i = 0; list != NULL && cw_mechs[i] != NULL; i++)
        if (cowarp__mech_kind(cw_mechs[i]) == kind)
            list[cnt++] = cw_mechs[i]->name;
    if (list != NULL && kind == COWARP_MECH_SYSTEM)
        list[cnt++] = "none";
    if (list != NULL)
        near = cw_nearest(name, list, cnt);
    free(list);
    if (near != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "unknown %s '%.40s'; did you mean '%s'?", what, name, near);
    return cw_fail(&gpu->err, CW_EINVAL, "unknown %s '%.40s'; 'cowarp list' shows all", what, name);
}

/* Puts the mechanism of this name behind the others. kind: what it is asked for as. */
static int add_mech(struct cowarp_gpu *gpu, uint32_t *cnt, const char *name, enum cowarp_mech_kind kind)
{
    const struct cw_mech *mech = cw_mech_find(name);
    if (mech == NULL)
        return unknown(gpu, name, kind);
    const enum cowarp_mech_kind is = cowarp__mech_kind(mech);
    if (is != kind)
        return cw_fail(&gpu->err, CW_EINVAL, "%s is %s; choose it as such (%s %s)", name, kinds[is].title, kinds[is].option, name);
    gpu->mechs[(*cnt)++] = mech;
    if (kind == COWARP_MECH_SYSTEM)
        gpu->system = mech;
    if (kind == COWARP_MECH_PERSISTENCY)
        gpu->persistency = mech;
    return CW_OK;
}

/* The transactional system comes first, then the persistency model, then the others in the order of the options. */
static int choose_mechs(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    const char *persistency = options->persistency != NULL ? options->persistency : CW_MECH_PERSISTENCY_NONE;
    int status = CW_OK;
    uint32_t cnt = 0, most = 2;
    for (const char *const *m = options->mechanisms; m != NULL && *m != NULL; m++)
        most++;
    gpu->mechs = calloc(most + 1u, sizeof *gpu->mechs);
    if (gpu->mechs == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    if (options->system != NULL && strcmp(options->system, "none") != 0)
        status = add_mech(gpu, &cnt, options->system, COWARP_MECH_SYSTEM);
    if (status == CW_OK)
        status = add_mech(gpu, &cnt, persistency, COWARP_MECH_PERSISTENCY);
    for (const char *const *m = options->mechanisms; status == CW_OK && m != NULL && *m != NULL; m++)
        status = add_mech(gpu, &cnt, *m, COWARP_MECH_OTHER);
    return status == CW_OK ? cw_mechs_check(gpu->mechs, &gpu->err) : status;
}

/* Settings are the user's own words, so one that nobody reads is a slip: its runs would differ by nothing. */
static int check_settings(struct cowarp_gpu *gpu, const char *const *settings)
{
    int status = CW_OK;
    for (; status == CW_OK && settings != NULL && *settings != NULL; settings++) {
        uint32_t index;
        status = cw_config_find_assigned(&index, *settings, &gpu->err);
        if (status == CW_OK)
            status = cw_mechs_check_key(gpu->mechs, gpu->control, &gpu->config, index, &gpu->err);
    }
    return status;
}

/* So is a line of a file. A file of all keys, as `cowarp config` prints it, is a machine of its own, for GPUs of any kind, like a preset.
 */
static int check_lines(struct cowarp_gpu *gpu, const char *path, const uint32_t *line_of)
{
    const uint32_t cnt = cw_config_count();
    uint32_t named = 0;
    for (uint32_t i = 0; i < cnt; i++)
        named += line_of[i] != 0;
    for (uint32_t i = 0; i < cnt && named < cnt; i++) {
        struct cw_error why;
        const int status = line_of[i] != 0 ? cw_mechs_check_key(gpu->mechs, gpu->control, &gpu->config, i, &why) : CW_OK;
        if (status != CW_OK)
            return cw_fail(&gpu->err, status, "%s:%" PRIu32 ": %s", path, line_of[i], why.text);
    }
    return CW_OK;
}

/* A deliberate fault needs something that can be broken. */
static int check_sabotage(struct cowarp_gpu *gpu, const char *name)
{
    if (name == NULL || gpu->system != NULL || gpu->mechs[1] != NULL || strcmp(gpu->persistency->name, CW_MECH_PERSISTENCY_NONE) != 0)
        return CW_OK;
    return cw_fail(&gpu->err, CW_EINVAL, "sabotage '%.40s': there is no transactional system and no persistency model to break; choose one",
                   name);
}

static int choose_control(struct cowarp_gpu *gpu, const char *name)
{
    const char *near = NULL;
    uint32_t cnt = 0;
    if (name == NULL)
        return cw_control_of(&gpu->control, &gpu->config, &gpu->err);
    gpu->control = cw_control_find(name);
    if (gpu->control != NULL)
        return cw_control_settle(&gpu->config, gpu->control, &gpu->err);
    while (cw_controls[cnt] != NULL)
        cnt++;
    const char **list = calloc(cnt + 1u, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < cnt; i++)
        list[i] = cw_controls[i]->name;
    if (list != NULL)
        near = cw_nearest(name, list, cnt);
    free(list);
    if (near != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "unknown control policy '%.40s'; did you mean '%s'?", name, near);
    return cw_fail(&gpu->err, CW_EINVAL, "unknown control policy '%.40s'; 'cowarp list' shows all", name);
}

static int check_bounds(struct cowarp_gpu *gpu, const struct cowarp_options *options, enum cw_oob_mode *mode)
{
    static const char *const names[] = {[CW_OOB_FAULT] = "fault", [CW_OOB_WARN] = "warn", [CW_OOB_ZERO] = "zero"};
    const char *given = options->out_of_bounds != NULL ? options->out_of_bounds : names[CW_OOB_FAULT];
    if (options->redzone_bytes > CW_REDZONE_MAX)
        return cw_fail(&gpu->err, CW_EINVAL, "red zones of %llu bytes; they have at most %llu", (unsigned long long)options->redzone_bytes,
                       (unsigned long long)CW_REDZONE_MAX);
    for (uint32_t i = CW_OOB_FAULT; i <= CW_OOB_ZERO; i++)
        if (strcmp(given, names[i]) == 0) {
            *mode = (enum cw_oob_mode)i;
            return CW_OK;
        }
    return cw_fail(&gpu->err, CW_EINVAL, "accesses out of bounds: '%.40s' is unknown; choose fault, warn or zero", given);
}

static int pass_progress(void *context, const struct cw_gpu *g)
{
    const struct cowarp_gpu *gpu = context;
    uint64_t done, total;
    cw_gpu_blocks(g, &done, &total);
    return gpu->on_progress(gpu->context, cw_gpu_cycles(g), done, total);
}

static void pass_print(void *context, const char *text, size_t length)
{
    const struct cowarp_gpu *gpu = context;
    if (gpu->debug != NULL && cw_debug_is_travelling(gpu->debug))
        return;
    if (gpu->on_print != NULL)
        gpu->on_print(gpu->context, text, length);
    else
        fwrite(text, 1, length, stderr);
}

static void pass_notice(void *context, const char *text)
{
    const struct cowarp_gpu *gpu = context;
    if (gpu->on_message != NULL)
        gpu->on_message(gpu->context, text);
}

static void on_step(void *context, const struct cw_gpu *g, cw_time now)
{
    const struct cowarp_gpu *gpu = context;
    if (gpu->timeline != NULL)
        cw_timeline_step(gpu->timeline, now);
    cowarp__wave_step(context, g, now);
    if (gpu->debug != NULL)
        cw_debug_step(gpu->debug);
}

/* Configuration, mechanisms, policy, and whether they go together. */
static int choose_machine(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    uint32_t *line_of = calloc(cw_config_count() + 1u, sizeof *line_of);
    if (line_of == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    int status = cowarp__configure(&gpu->config, options, line_of, &gpu->err);
    if (status == CW_OK)
        status = choose_mechs(gpu, options);
    if (status == CW_OK)
        status = choose_control(gpu, options->control);
    if (status == CW_OK)
        status = check_settings(gpu, options->settings);
    if (status == CW_OK && options->config_file != NULL)
        status = check_lines(gpu, options->config_file, line_of);
    free(line_of);
    return status == CW_OK ? check_sabotage(gpu, options->sabotage) : status;
}

/* What the GPU is to be, before it is one; *units: where its units come from. */
static int choose(struct cowarp_gpu *gpu, const struct cowarp_options *options, const struct cw_unit_provider **units)
{
    int status = choose_machine(gpu, options);
    if (status == CW_OK)
        status = cowarp__branches_create(gpu, options);
    if (status == CW_OK)
        status = cowarp__profile_create(gpu, options);
    if (status == CW_OK)
        status = cowarp__waits_create(gpu, options);
    if (status == CW_OK)
        status = cowarp__samples_create(gpu, options);
    if (status == CW_OK)
        status = cowarp__parts_create(gpu, options);
    if (status == CW_OK)
        status = cowarp__usage_create(gpu, options);
    if (status == CW_OK)
        status = cowarp__units_open(gpu, options->units, options->wave_file != NULL && options->wave_on == NULL, options->elastic != 0);
    if (status == CW_OK)
        status = cowarp__wave_tap(gpu, options);
    *units = gpu->taps != NULL ? &gpu->tapped_units : &gpu->units;
    if (status == CW_OK)
        status = cowarp__record_tap(gpu, options, units);
    if (status == CW_OK)
        status = cowarp__bins_tap(gpu, options, units);
    return status;
}

/* The files that the options name, for the manifest. That of persistent memory notes itself when it is opened. */
static int note_inputs(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    int status = cowarp__manifest_units(gpu);
    if (status == CW_OK && options->config_file != NULL)
        status = cowarp_manifest_file(gpu, "configuration", options->config_file);
    if (status == CW_OK && options->lcp_profile != NULL)
        status = cowarp_manifest_file(gpu, "profile", options->lcp_profile);
    if (status == CW_OK && options->resource_usage != NULL)
        status = cowarp_manifest_file(gpu, "resource-usage", options->resource_usage);
    return status;
}

/* Who looks on while the GPU, which has just been made, runs. */
static int open_watchers(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    cowarp__branches_listen(gpu);
    cowarp__profile_listen(gpu);
    cowarp__waits_listen(gpu);
    int status = cowarp__record_open(gpu);
    if (status == CW_OK)
        status = cowarp__bins_open(gpu);
    if (status == CW_OK)
        status = cowarp__wave_open(gpu, options);
    return status == CW_OK ? cowarp__timeline_open(gpu, options) : status;
}

/* What is asked for later than in cowarp_create. */
static void keep_options(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    gpu->seed = options->seed;
    gpu->registers = options->registers;
    gpu->functional = options->functional != 0;
    gpu->is_debugged = options->debug_socket != 0;
    gpu->timed_begin = options->timed_begin;
    gpu->timed_end = options->timed_end;
    gpu->check_serial = options->check_serial != 0;
    gpu->real_time = options->check_serial == 2;
    gpu->check_persist = options->check_persist != 0;
    gpu->omit_host_seconds = options->omit_host_seconds != 0;
    gpu->on_progress = options->on_progress;
    gpu->on_message = options->on_message;
    gpu->on_print = options->on_print;
    gpu->context = options->context;
}

/* The chip, and all that looks at it. */
static int make(struct cowarp_gpu *gpu, const struct cowarp_options *options, const struct cw_gpu_options *o)
{
    const struct cw_debug_waves waves = {.open = cowarp__wave_look, .close = cowarp__wave_looked, .context = gpu};
    int status = cowarp__units_build(gpu, o);
    if (status == CW_OK)
        status = note_inputs(gpu, options);
    if (status == CW_OK)
        status = cw_gpu_create(&gpu->gpu, o, &gpu->err);
    if (status == CW_OK)
        status = cowarp__units_check(gpu);
    if (status == CW_OK)
        status = cowarp__saved_open(gpu);
    if (status == CW_OK)
        status = open_watchers(gpu, options);
    if (status == CW_OK)
        status = cowarp__pm_create(gpu, options);
    if (status == CW_OK && gpu->is_debugged)
        status = cw_debug_create(&gpu->debug, options->debug_socket, gpu->gpu, gpu->taps, &waves, &gpu->err);
    return status;
}

static int build(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    const struct cw_unit_provider *units;
    enum cw_oob_mode oob = CW_OOB_FAULT;
    uint32_t checks = 0;
    keep_options(gpu, options);
    int status = cowarp__check_options(options, &gpu->err);
    if (status == CW_OK)
        status = check_bounds(gpu, options, &oob);
    if (status == CW_OK)
        status = cowarp__checks(&checks, options->checks, &gpu->err);
    if (status == CW_OK)
        status = choose(gpu, options, &units);
    if (status == CW_OK)
        status = cowarp__saved_create(gpu, options);
    if (status != CW_OK)
        return status;
    const struct cw_gpu_options o = {
        .config = &gpu->config,
        .mechs = gpu->mechs,
        .control = gpu->control,
        .units = units,
        .seed = options->seed,
        .check_serial = gpu->check_serial,
        .check_persist = gpu->check_persist,
        .model_persists = options->pm_log == 2,
        .count_stalls = options->count_stalls != 0 || options->record_profile != 0,
        .split_stats = cowarp__parts_split(options),
        .sample_cycles = options->sample_cycles,
        .on_sample = gpu->samples != NULL ? cowarp__samples_row : NULL,
        .reverse_ticks = options->reverse_ticks != 0,
        .tick_always = options->tick_always != 0,
        .pack_messages = options->pack_messages != 0,
        .renew_cycles = options->renew_cycles,
        .native = options->functional != COWARP_FUNCTIONAL_STEPS ? &cowarp__native : NULL,
        .native_at_once = options->functional == COWARP_FUNCTIONAL_NATIVE,
        .save_cycle = cowarp__saved_cycle(gpu),
        .on_save = cowarp__saves(gpu) ? cowarp__saved_write : NULL,
        .oob = oob,
        .checks = checks,
        .check_lines = options->check_lines,
        .redzone_bytes = options->redzone_bytes,
        .sabotage = options->sabotage,
        .max_cycles = options->max_cycles,
        .estimate = options->estimate,
        .threads = options->threads,
        .on_progress = options->on_progress != NULL ? pass_progress : NULL,
        .on_step = options->debug_socket != 0 || options->wave_file != NULL || options->timeline_file != NULL || gpu->recorder != NULL
                       ? on_step
                       : NULL,
        .on_print = pass_print,
        .on_notice = pass_notice,
        .context = gpu,
    };
    return make(gpu, options, &o);
}

int cowarp_create(struct cowarp_gpu **gpu, const struct cowarp_options *options)
{
    struct cowarp_options known;
    struct cowarp_gpu *g = calloc(1, sizeof *g);
    *gpu = g;
    if (g == NULL)
        return COWARP_ENOMEM;
    int status = cowarp__take(&known, sizeof known, options, "struct cowarp_options", &g->err);
    if (status == CW_OK)
        status = cowarp__manifest_create(g);
    if (status == CW_OK)
        status = build(g, &known);
    g->failed = status != CW_OK;
    return status;
}

int cowarp_finish(struct cowarp_gpu *gpu)
{
    if (gpu->debug != NULL)
        cw_debug_finish(gpu->debug);
    const int saved = cowarp__saved_close(gpu);
    int status = cowarp_pm_close(gpu); /* first: what was durable is to be kept, whatever becomes of the wave */
    if (status == CW_OK)
        status = cowarp__wave_close(gpu);
    if (status == CW_OK)
        status = cowarp__samples_close(gpu);
    if (status == CW_OK)
        status = cowarp__timeline_close(gpu);
    if (status == CW_OK)
        status = cowarp__bins_close(gpu);
    if (status == CW_OK)
        status = cowarp__record_close(gpu);
    return status != CW_OK ? status : saved;
}

void cowarp_destroy(struct cowarp_gpu *gpu)
{
    if (gpu == NULL)
        return;
    cw_debug_destroy(gpu->debug);
    cowarp__pm_destroy(gpu);
    cowarp__wave_close(gpu);
    cowarp__samples_close(gpu);
    cowarp__timeline_close(gpu);
    cw_gpu_destroy(gpu->gpu);
    cowarp__bins_destroy(gpu);
    cowarp__saved_destroy(gpu);
    cw_recorder_destroy(gpu->recorder);
    cw_taps_destroy(gpu->taps);
    cowarp__units_close(gpu);
    while (gpu->modules != NULL) {
        struct cowarp_module *m = gpu->modules;
        gpu->modules = m->next;
        cw_module_destroy(m->module);
        free(m->text);
        free(m);
    }
    cowarp__branches_destroy(gpu);
    cowarp__profile_destroy(gpu);
    cowarp__waits_destroy(gpu);
    cowarp__samples_destroy(gpu);
    cowarp__parts_destroy(gpu);
    cw_timeline_destroy(gpu->timeline);
    cw_konata_destroy(gpu->konata);
    cowarp__phases_destroy(gpu);
    cowarp__manifest_destroy(gpu);
    cowarp__occupancy_destroy(gpu);
    cowarp__usage_destroy(gpu);
    free(gpu->elastic);
    free(gpu->mechs);
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

const char *cowarp_persist_oracle(const struct cowarp_gpu *gpu)
{
    return gpu->persist_oracle;
}

/* A GPU whose creation failed has no memory. */
static int need_gpu(struct cowarp_gpu *gpu)
{
    return gpu->gpu != NULL ? CW_OK : cw_fail(&gpu->err, CW_EINVAL, "this GPU could not be created; destroy it");
}

int cowarp_alloc(struct cowarp_gpu *gpu, uint64_t *address, uint64_t bytes)
{
    int status = need_gpu(gpu);
    return status == CW_OK ? cw_memory_alloc(cw_gpu_memory(gpu->gpu), address, bytes, CW_REGION_GLOBAL, &gpu->err) : status;
}

int cowarp_keep_versions(struct cowarp_gpu *gpu, uint64_t address, uint64_t bytes)
{
    int status = need_gpu(gpu);
    const uint32_t versions = status == CW_OK ? cw_gpu_versions(gpu->gpu) : 0;
    if (status == CW_OK && versions == 0)
        status = cw_fail(&gpu->err, CW_EINVAL, "versions of memory: this GPU's system keeps none; choose sitm-ts or sitm-oracle");
    if (status != CW_OK)
        return status;
    return cw_version_add(cw_gpu_memory(gpu->gpu), cw_gpu_config(gpu->gpu), address, bytes, versions, &gpu->err);
}

int cowarp_alloc_versioned(struct cowarp_gpu *gpu, uint64_t *address, uint64_t bytes)
{
    int status = need_gpu(gpu);
    const uint32_t versions = status == CW_OK ? cw_gpu_versions(gpu->gpu) : 0;
    if (status == CW_OK && versions == 0)
        return cowarp_alloc(gpu, address, bytes);
    if (status == CW_OK)
        status = cw_version_alloc(cw_gpu_memory(gpu->gpu), cw_gpu_config(gpu->gpu), address, bytes, versions, &gpu->err);
    return status == CW_OK ? cowarp_keep_versions(gpu, *address, bytes) : status;
}

int cowarp_free(struct cowarp_gpu *gpu, uint64_t address)
{
    int status = need_gpu(gpu);
    if (status != CW_OK)
        return status;
    struct cw_memory *memory = cw_gpu_memory(gpu->gpu);
    const struct cw_region *r = cw_memory_region(memory, address);
    if (r != NULL && r->base == address && r->kind != CW_REGION_GLOBAL)
        return cw_fail(&gpu->err, CW_EINVAL, "free of 0x%llx: %s", (unsigned long long)address,
                       r->kind == CW_REGION_MODULE       ? "the variables of a module, which live as long as the GPU"
                       : r->kind == CW_REGION_LOCAL      ? "the threads' local memory, which lives as long as the GPU"
                       : r->kind == CW_REGION_HEAP       ? "the heap of malloc, which lives as long as the GPU"
                       : r->kind == CW_REGION_CHILDREN   ? "the children of kernels, which live as long as the GPU"
                       : r->kind == CW_REGION_PERSISTENT ? "a region of persistent memory; use cowarp_pm_free"
                                                         : "did not come from cowarp_alloc");
    if (r != NULL)
        cowarp_mark_written(gpu, address, r->bytes); /* whose it is next says what is known of it */
    return cw_memory_free(memory, address, &gpu->err);
}

int cowarp_is_unified(const struct cowarp_gpu *gpu)
{
    return gpu->gpu != NULL && cw_memory_is_unified(cw_gpu_memory(gpu->gpu));
}

int cowarp_holds(const struct cowarp_gpu *gpu, uint64_t address, uint64_t bytes)
{
    return gpu->gpu != NULL && cw_memory_holds(cw_gpu_memory(gpu->gpu), address, bytes);
}

/* The machine is made anew: why not. */
static int need_no_record(struct cowarp_gpu *gpu, const char *what)
{
    if (gpu->wave != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: a GPU with a wave file cannot be reset, its waves are those of one run; create a new one",
                       what);
    if (gpu->timeline != NULL || gpu->konata != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: a GPU with a timeline cannot be reset, it shows one run; create a new one", what);
    if (gpu->recorder != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: a GPU with a recording cannot be reset, it records one run; create a new one", what);
    cw_rtl_provider_forget(&gpu->units);
    return CW_OK;
}

static void listen_again(struct cowarp_gpu *gpu)
{
    cowarp__branches_listen(gpu);
    cowarp__profile_listen(gpu);
    cowarp__waits_listen(gpu);
    if (gpu->debug != NULL)
        cw_debug_listen(gpu->debug);
    cowarp__parts_reset(gpu);
}

int cowarp_reset(struct cowarp_gpu *gpu)
{
    struct cw_error why;
    int status = need_gpu(gpu);
    if (status == CW_OK)
        status = need_no_record(gpu, "reset");
    if (status != CW_OK)
        return status;
    status = cw_gpu_reset(gpu->gpu, &why);
    gpu->failed = status != CW_OK;
    gpu->oracle[0] = '\0';
    if (status != CW_OK)
        return cw_fail(&gpu->err, status, "the GPU could not be reset: %s", why.text);
    listen_again(gpu);
    return CW_OK;
}

int cowarp__turn(struct cowarp_gpu *gpu, const struct cowarp_launch *l)
{
    const bool baseline = l->baseline != 0;
    if (l->functional != 0 || cw_gpu_is_turned(gpu->gpu, baseline))
        return CW_OK;
    int status = need_no_record(gpu, "baseline");
    if (status == CW_OK)
        status = cw_gpu_turn(gpu->gpu, baseline, &gpu->err);
    if (status == CW_OK)
        listen_again(gpu);
    return status;
}

static int need_range(struct cowarp_gpu *gpu, uint64_t address, uint64_t bytes, const char *what)
{
    int status = need_gpu(gpu);
    if (status != CW_OK || bytes == 0)
        return status;
    if (cw_memory_holds(cw_gpu_memory(gpu->gpu), address, bytes))
        return cowarp__pm_left(gpu, address, bytes, what);
    return cw_fail(&gpu->err, CW_EINVAL, "%s of %llu bytes at 0x%llx: not in allocated device memory", what, (unsigned long long)bytes,
                   (unsigned long long)address);
}

int cowarp_write(struct cowarp_gpu *gpu, uint64_t address, const void *data, uint64_t bytes)
{
    int status = need_range(gpu, address, bytes, "write");
    if (status == CW_OK && bytes > 0) {
        cw_memory_write(cw_gpu_memory(gpu->gpu), address, data, bytes);
        cowarp__pm_written(gpu, address, bytes);
        cowarp_mark_written(gpu, address, bytes);
        cw_gpu_host_copied(gpu->gpu, address, bytes);
    }
    return status;
}

int cowarp_read(struct cowarp_gpu *gpu, void *data, uint64_t address, uint64_t bytes)
{
    int status = need_range(gpu, address, bytes, "read");
    if (status == CW_OK && bytes > 0) {
        cw_memory_read(cw_gpu_memory(gpu->gpu), address, data, bytes);
        cw_gpu_host_copied(gpu->gpu, address, bytes);
        status = cowarp__saved_read(gpu, data, bytes);
    }
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
