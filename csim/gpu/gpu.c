/* SPDX-License-Identifier: Apache-2.0 */
/* Construction of the chip and its clock loop. Kernel launch and block dispatch are in launch.c, the watchdog in watchdog.c. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "gpu/gpu_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem/address.h"
#include "mem/nvm.h"
#include "mem/version.h"

static uint64_t gcd64(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static void clocks_init(struct cw_clocks *clocks, const struct cw_config *c)
{
    const uint32_t mhz[CW_DOMAIN_COUNT] = {
        [CW_DOMAIN_CORE] = c->clock_core_mhz, [CW_DOMAIN_NOC] = c->clock_noc_mhz,   [CW_DOMAIN_L2] = c->clock_l2_mhz,
        [CW_DOMAIN_CU] = c->clock_cu_mhz,     [CW_DOMAIN_DRAM] = c->clock_dram_mhz,
    };
    uint64_t lcm = 1;
    for (int d = 0; d < CW_DOMAIN_COUNT; d++)
        lcm = lcm / gcd64(lcm, mhz[d]) * mhz[d];
    clocks->units_per_us = lcm;
    for (int d = 0; d < CW_DOMAIN_COUNT; d++)
        clocks->period[d] = lcm / mhz[d];
}

static void on_block_done(void *context, uint32_t core)
{
    struct cw_gpu *gpu = context;
    gpu->blocks_finished++;
    gpu->dispatch_pending = true;
    if (gpu->together == NULL) {
        gpu->kernel_ends = gpu->blocks_finished == gpu->blocks_total;
        return;
    }
    struct cw_gpu_resident *r = &gpu->together->resident[gpu->together->owner[core]];
    r->ends = ++r->finished == r->blocks;
    gpu->kernel_ends |= r->ends;
    gpu->dispatch_from = gpu->now + 1;
}

static void on_fault(void *context, int status, const char *text)
{
    struct cw_gpu *gpu = context;
    if (gpu->fault_status == CW_OK) {
        gpu->fault_status = status;
        cw_fail(&gpu->fault, status, "%s", text);
    }
}

static void on_print(void *context, const char *text, size_t length)
{
    const struct cw_gpu *gpu = context;
    if (gpu->on_print != NULL)
        gpu->on_print(gpu->context, text, length);
}

static void on_notice(void *context, const char *text)
{
    const struct cw_gpu *gpu = context;
    if (gpu->on_notice != NULL)
        gpu->on_notice(gpu->context, text);
}

/* Without memory to remember it the notice may come again. */
static void on_notice_once(void *context, const char *file, uint32_t line, uint32_t what, const char *text)
{
    struct cw_gpu *gpu = context;
    for (uint32_t i = 0; i < gpu->told_cnt; i++)
        if (gpu->told[i].line == line && gpu->told[i].what == what && strcmp(gpu->told[i].file, file) == 0)
            return;
    struct cw_told *const told = realloc(gpu->told, (gpu->told_cnt + 1) * sizeof *told);
    if (told != NULL) {
        gpu->told = told;
        told[gpu->told_cnt] = (struct cw_told){strdup(file), line, what};
        gpu->told_cnt += told[gpu->told_cnt].file != NULL;
    }
    on_notice(context, text);
}

static void on_finding(void *context, const struct cw_finding *f)
{
    const struct cw_gpu *gpu = context;
    cw_sanitizer_add(gpu->sanitizer, f);
}

static void forget_told(struct cw_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->told_cnt; i++)
        free(gpu->told[i].file);
    free(gpu->told);
}

static uint32_t word_now(void *context, uint64_t addr)
{
    const struct cw_gpu *gpu = context;
    uint32_t value;
    if ((addr & CW_EVENT_SHARED) != 0)
        return cw_core_shared_word(gpu->core[addr >> 40 & 0xffff], addr >> 32 & 0xff, (uint32_t)addr);
    cw_memory_read(gpu->memory, addr, &value, sizeof value);
    return value;
}

static int create_oracles(struct cw_gpu *gpu, struct cw_error *err)
{
    int status = gpu->check_serial ? cw_serial_create(&gpu->serial, word_now, gpu, err) : CW_OK;
    if (gpu->serial != NULL)
        cw_events_listen(&gpu->events, cw_serial_listener(gpu->serial));
    if (status == CW_OK && gpu->check_persist)
        status = cw_persist_check_create(&gpu->persist, gpu->clocks.period[CW_DOMAIN_CORE], gpu->contract, err);
    if (gpu->persist != NULL)
        cw_events_listen(&gpu->events, cw_persist_check_listener(gpu->persist));
    if (status == CW_OK && gpu->model_persists)
        status = cw_persist_model_create(&gpu->model, gpu->contract, err);
    if (gpu->model != NULL)
        cw_events_listen(&gpu->events, cw_persist_model_listener(gpu->model));
    if (gpu->sanitizer != NULL)
        cw_events_listen(&gpu->events, cw_sanitizer_listener(gpu->sanitizer, 0));
    return status;
}

/* Everything that a reset makes anew. */
static int create_machine(struct cw_gpu *gpu, struct cw_error *err)
{
    cw_message_pool_create(&gpu->pool);
    gpu->pool.fault = on_fault;
    gpu->pool.fault_context = gpu;
    gpu->pool.zeroed = gpu->renew_cycles != 0;
    gpu->pool.types = gpu->message_types;
    gpu->pool.type_lists = gpu->mech_cnt;
    int status = CW_OK;
    if (gpu->count_stalls && (gpu->trips = cw_trips_create(gpu->config.core_count, gpu->config.partition_count, &gpu->now)) == NULL)
        status = cw_fail(err, CW_ENOMEM, "out of memory");
    gpu->pool.trips = gpu->trips;
    if (status == CW_OK)
        status = cw_gpu__create_machine(gpu, err);
    if (status == CW_OK)
        status = create_oracles(gpu, err);
    if (status == CW_OK)
        status = cw_gpu__create_mechs(gpu, err);
    cw_memory_settle(gpu->memory);
    return status;
}

static void destroy_functional(struct cw_gpu *gpu)
{
    struct cw_gpu_functional *f = gpu->functional;
    if (f == NULL)
        return;
    for (uint32_t i = 0; f->core != NULL && f->untimed != NULL && i < gpu->config.core_count; i++) {
        cw_core_destroy(f->core[i]);
        cw_native_destroy(f->untimed[i].native);
    }
    free(f->untimed);
    free(f->on);
    free(f->core);
    free(f->prepared);
    free(f);
    gpu->functional = NULL;
}

/* Also of a machine that has been created in part only. */
static void destroy_machine(struct cw_gpu *gpu)
{
    cw_gpu__destroy_members(gpu);
    destroy_functional(gpu);
    cw_serial_destroy(gpu->serial);
    cw_persist_check_destroy(gpu->persist);
    cw_persist_model_destroy(gpu->model);
    cw_message_pool_destroy(&gpu->pool);
    cw_trips_destroy(gpu->trips);
    gpu->trips = NULL;
    gpu->serial = NULL;
    gpu->persist = NULL;
    gpu->model = NULL;
    gpu->events = (struct cw_events){0}; /* who listened was a part of the machine */
}

/* It outlives a reset, for what the host has written stays written. */
static int create_sanitizer(struct cw_gpu *gpu, uint32_t lines, struct cw_error *err)
{
    const struct cw_sanitizer_config c = {.checks = gpu->checks, .config = &gpu->config, .tell = on_notice, .context = gpu, .tells = lines};
    if (gpu->checks == 0)
        return CW_OK;
    if ((gpu->checks & (CW_CHECK_SYNC | CW_CHECK_RACE)) != 0 && gpu->config.core_convergence != CW_CONVERGENCE_CHECK)
        return cw_fail(err, CW_EINVAL, "checks of sync and race need to know where lanes wait for each other; set core.convergence=check");
    const int status = cw_sanitizer_create(&gpu->sanitizer, &c, err);
    if (status == CW_OK)
        cw_events_listen(&gpu->functional_events, cw_sanitizer_listener(gpu->sanitizer, 1));
    return status;
}

/* Addresses of local memory come from the end of memory, so less of it may be other cycles. */
static void tell_of_less_memory(struct cw_gpu *gpu)
{
    const uint64_t mbytes = cw_memory_bytes(gpu->memory, false) >> 20, pm = cw_memory_bytes(gpu->memory, true) >> 20;
    char text[300];
    if (mbytes == gpu->config.mem_mbytes && pm == gpu->config.pm_mbytes)
        return;
    snprintf(text, sizeof text,
             "the host limits addresses (ulimit -v): %" PRIu64 " of %u MiB of device memory, %" PRIu64 " of %u MiB of persistent memory; "
             "with mem.mbytes=%" PRIu64 " and pm.mbytes=%" PRIu64 " a run is the same elsewhere",
             mbytes, gpu->config.mem_mbytes, pm, gpu->config.pm_mbytes, mbytes, pm);
    on_notice(gpu, text);
}

static int create_memory(struct cw_gpu *gpu, uint64_t redzone_bytes, struct cw_error *err)
{
    const bool checked = (gpu->checks & CW_CHECK_MEMORY) != 0;
    const int status = cw_memory_create(&gpu->memory, (uint64_t)gpu->config.mem_mbytes << 20, (uint64_t)gpu->config.pm_mbytes << 20, err);
    if (status != CW_OK)
        return status;
    tell_of_less_memory(gpu);
    cw_memory_set_redzone(gpu->memory, checked && redzone_bytes == 0 ? 1 : redzone_bytes);
    if (checked)
        cw_memory_keep_freed(gpu->memory);
    return CW_OK;
}

static int split(struct cw_gpu *gpu, struct cw_error *err)
{
    gpu->part = calloc(gpu->config.core_count + gpu->config.partition_count, sizeof *gpu->part);
    gpu->sum = calloc(1, sizeof *gpu->sum);
    return gpu->part != NULL && gpu->sum != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "out of memory");
}

static int create_check(struct cw_gpu *gpu, struct cw_error *err)
{
    gpu->pack_check = calloc(1, sizeof *gpu->pack_check);
    if (gpu->pack_check == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    gpu->pack_check->shape = (struct cw_pack_shape){gpu->config.core_warp_width, gpu->config.mem_line_bytes / CW_SECTOR_BYTES};
    gpu->pack_check->flit_bytes = gpu->config.noc_flit_bytes;
    gpu->pack_check->pool = &gpu->pool;
    return CW_OK;
}

int cw_gpu_create(struct cw_gpu **out, const struct cw_gpu_options *options, struct cw_error *err)
{
    *out = NULL;
    int status = cw_config_check(options->config, err);
    if (status != CW_OK)
        return status;
    struct cw_gpu *gpu = calloc(1, sizeof *gpu);
    if (gpu == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    gpu->config = *options->config;
    clocks_init(&gpu->clocks, &gpu->config);
    gpu->checks = options->checks;
    gpu->core_events =
        (struct cw_core_events){gpu, on_block_done, on_fault, on_print, on_notice, on_notice_once, gpu->checks != 0 ? on_finding : NULL};
    gpu->control = options->control;
    if (gpu->control == NULL)
        status = cw_control_of(&gpu->control, &gpu->config, err);
    gpu->partitions = options->partitions;
    gpu->units = options->units != NULL ? options->units : cw_unit_provider_c();
    gpu->reverse_ticks = options->reverse_ticks;
    gpu->tick_always = options->tick_always;
    gpu->renew_cycles = options->renew_cycles;
    gpu->on_save = options->on_save;
    gpu->save_at = options->on_save != NULL ? options->save_cycle * gpu->clocks.period[CW_DOMAIN_CORE] : CW_TIME_NEVER;
    gpu->max_cycles = options->max_cycles;
    gpu->native = options->native;
    gpu->native_at_once = options->native_at_once;
    gpu->threads = options->threads;
    gpu->sampling.bound = options->estimate;
    gpu->on_progress = options->on_progress;
    gpu->on_step = options->on_step;
    gpu->on_sample = options->on_sample;
    gpu->sample_cycles = options->sample_cycles;
    gpu->sample_at = options->on_sample != NULL ? options->sample_cycles * gpu->clocks.period[CW_DOMAIN_CORE] : CW_TIME_NEVER;
    gpu->on_print = options->on_print;
    gpu->on_notice = options->on_notice;
    gpu->context = options->context;
    gpu->check_serial = options->check_serial;
    gpu->check_persist = options->check_persist;
    gpu->model_persists = options->model_persists;
    gpu->count_stalls = options->count_stalls;
    gpu->seed = options->seed;
    gpu->oob.mode = options->oob;
    if (status == CW_OK && options->sabotage != NULL && (gpu->sabotage = strdup(options->sabotage)) == NULL)
        status = cw_fail(err, CW_ENOMEM, "out of memory");
    if (status == CW_OK)
        status = cw_gpu__list_mechs(gpu, options->mechs, err);
    if (status == CW_OK && gpu->sabotage != NULL)
        status = cw_gpu__check_sabotage(gpu, err);
    if (status == CW_OK && options->split_stats)
        status = split(gpu, err);
    if (status == CW_OK && options->pack_messages)
        status = create_check(gpu, err);
    if (status == CW_OK)
        status = create_memory(gpu, options->redzone_bytes, err);
    if (status == CW_OK)
        status = create_sanitizer(gpu, options->check_lines, err);
    if (status == CW_OK)
        status = create_machine(gpu, err);
    if (status != CW_OK) {
        cw_gpu_destroy(gpu);
        return status;
    }
    *out = gpu;
    return CW_OK;
}

void cw_gpu__forget_together(struct cw_gpu *gpu)
{
    void *owned[] = {gpu->apart.resident, gpu->apart.owner, gpu->apart.before};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    gpu->apart = (struct cw_gpu_together){0};
    gpu->together = NULL;
}

void cw_gpu_destroy(struct cw_gpu *gpu)
{
    if (gpu == NULL)
        return;
    destroy_machine(gpu);
    cw_gpu__forget_together(gpu);
    free(gpu->of_core);
    cw_memory_destroy(gpu->memory);
    cw_sanitizer_destroy(gpu->sanitizer);
    free(gpu->part);
    free(gpu->pack_check);
    free(gpu->sum);
    cw_gpu__forget_mechs(gpu);
    cw_launch_kinds_free(&gpu->sampling.kinds);
    forget_told(gpu);
    free(gpu->sabotage);
    free(gpu->report);
    free(gpu);
}

bool cw_gpu__at_rest(const struct cw_gpu *gpu)
{
    if (gpu->blocks_finished < gpu->blocks_total || gpu->pool.in_use > 0)
        return false;
    for (uint32_t i = 0; i < gpu->machine_cnt; i++)
        if (!cw_component_idle(gpu->machine[i]))
            return false;
    return true;
}

void cw_gpu_constants_written(struct cw_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->config.core_count; i++)
        cw_core_forget_constants(gpu->core[i]);
}

static void host_copied_line(const struct cw_mem_service *s, uint64_t place)
{
    if (s->ops->host_copy != NULL)
        s->ops->host_copy(s->self, place);
}

void cw_gpu_host_copied(struct cw_gpu *gpu, uint64_t addr, uint64_t bytes)
{
    const struct cw_config *c = &gpu->config;
    gpu->host_came = true;
    if (c->l2_host_copies == CW_OFF || bytes == 0 || !cw_gpu__at_rest(gpu))
        return;
    const uint64_t line = c->mem_line_bytes, end = addr + bytes;
    /* What lies further back has left the L2 again: this piece has at least as many lines of each set as the set has ways. */
    const uint64_t stays = 2 * (uint64_t)c->l2_bytes * c->partition_count;
    uint64_t at = bytes > stays ? end - stays : addr;
    for (at -= at % line; at < end; at += line)
        host_copied_line(&gpu->partition[cw_address_partition(c, at)], cw_version_place(gpu->memory, at, cw_version_newest(gpu->memory)));
}

uint32_t cw_gpu_versions(const struct cw_gpu *gpu)
{
    return gpu->versions;
}

uint32_t cw_gpu__keeper(const struct cw_gpu *gpu, uint64_t addr, uint64_t bytes)
{
    uint32_t i = 0;
    while (i < gpu->config.core_count && !cw_core_keeps(gpu->core[i], addr, bytes))
        i++;
    return i;
}

bool cw_gpu_keeps(const struct cw_gpu *gpu, uint64_t addr, uint64_t bytes)
{
    return gpu->launch.param == NULL && cw_gpu__keeper(gpu, addr, bytes) < gpu->config.core_count;
}

int cw_gpu__make_machine_anew(struct cw_gpu *gpu, struct cw_error *err)
{
    destroy_machine(gpu);
    return create_machine(gpu, err);
}

static int make_anew(struct cw_gpu *gpu, bool baseline, struct cw_error *err)
{
    const cw_time us = gpu->clocks.units_per_us;
    destroy_machine(gpu);
    cw_gpu__choose_mechs(gpu, baseline);
    /* Frequencies are whole MHz, so all clocks have an edge at a full microsecond, as they have at time 0. */
    gpu->now = (gpu->now + us - 1) / us * us;
    for (int d = 0; d < CW_DOMAIN_COUNT; d++)
        gpu->edge[d] = gpu->now;
    gpu->blocks_started = gpu->blocks_finished = gpu->blocks_total = 0;
    gpu->next_core = 0;
    gpu->described = (struct cw_gpu_described){0}; /* By other mechanisms than there may be now. */
    gpu->dispatch_pending = false;
    gpu->together = NULL;
    gpu->fault_status = CW_OK;
    free(gpu->report);
    gpu->report = NULL;
    return create_machine(gpu, err);
}

int cw_gpu_reset(struct cw_gpu *gpu, struct cw_error *err)
{
    return make_anew(gpu, gpu->baseline, err);
}

bool cw_gpu_is_turned(const struct cw_gpu *gpu, bool baseline)
{
    return gpu->baseline == (baseline || gpu->is_off);
}

int cw_gpu_turn(struct cw_gpu *gpu, bool baseline, struct cw_error *err)
{
    if (baseline && !gpu->has_baseline)
        return cw_fail(err, CW_EINVAL, "a launch asks for the baseline, and this GPU's system has none; sitm-ts and sitm-oracle have one");
    return make_anew(gpu, baseline || gpu->is_off, err);
}

/* First edge of domain d after the current time. */
static cw_time next_edge(struct cw_gpu *gpu, int d)
{
    const cw_time period = gpu->clocks.period[d];
    if (gpu->edge[d] <= gpu->now) {
        gpu->edge[d] += period;
        if (gpu->edge[d] <= gpu->now)
            gpu->edge[d] = (gpu->now / period + 1) * period;
    }
    return gpu->edge[d];
}

cw_time cw_gpu__next_step(struct cw_gpu *gpu, cw_time due[CW_DOMAIN_COUNT])
{
    cw_time wake[CW_DOMAIN_COUNT];
    for (int d = 0; d < CW_DOMAIN_COUNT; d++)
        wake[d] = gpu->tick_always ? 0 : CW_TIME_NEVER;
    struct cw_component *const *const end = gpu->component + gpu->component_cnt;
    for (struct cw_component *const *c = gpu->component; c < end; c++)
        if ((*c)->wake < wake[(*c)->domain])
            wake[(*c)->domain] = (*c)->wake;
    if (gpu->dispatch_pending && gpu->dispatch_from < wake[CW_DOMAIN_CORE])
        wake[CW_DOMAIN_CORE] = gpu->dispatch_from;
    cw_time step = CW_TIME_NEVER;
    for (int d = 0; d < CW_DOMAIN_COUNT; d++) {
        const cw_time period = gpu->clocks.period[d];
        const cw_time edge = next_edge(gpu, d);
        if (wake[d] == CW_TIME_NEVER)
            due[d] = CW_TIME_NEVER;
        else
            due[d] = wake[d] <= edge ? edge : (wake[d] + period - 1) / period * period;
        if (due[d] < step)
            step = due[d];
    }
    return step;
}

void cw_gpu__tick(struct cw_gpu *gpu, const cw_time due[CW_DOMAIN_COUNT])
{
    const cw_time now = gpu->now, latest = gpu->tick_always ? CW_TIME_NEVER : now;
    struct cw_component *const *const end = gpu->component + gpu->component_cnt;
    for (struct cw_component *const *c = gpu->component; c < end; c++)
        if ((*c)->wake <= latest && due[(*c)->domain] == now)
            (*c)->tick((*c)->self, now);
}

struct cw_memory *cw_gpu_memory(struct cw_gpu *gpu)
{
    return gpu->memory;
}

const struct cw_config *cw_gpu_config(const struct cw_gpu *gpu)
{
    return &gpu->config;
}

const struct cw_clocks *cw_gpu_clocks(const struct cw_gpu *gpu)
{
    return &gpu->clocks;
}

struct cw_core *cw_gpu_core(const struct cw_gpu *gpu, uint32_t index)
{
    return gpu->core[index];
}

void cw_gpu_queued(const struct cw_gpu *gpu, uint32_t partition, uint32_t *l2, uint32_t *dram)
{
    const struct cw_mem_service *s = &gpu->partition[partition];
    s->ops->queued(s->self, l2, dram);
}

uint64_t cw_gpu_cycles(const struct cw_gpu *gpu)
{
    return gpu->now / gpu->clocks.period[CW_DOMAIN_CORE];
}

cw_time cw_gpu_now(const struct cw_gpu *gpu)
{
    return gpu->now;
}

void cw_gpu_blocks(const struct cw_gpu *gpu, uint64_t *finished, uint64_t *total)
{
    *finished = gpu->blocks_finished;
    *total = gpu->blocks_total;
}

void cw_gpu_listen(struct cw_gpu *gpu, struct cw_event_listener *listener)
{
    cw_events_listen(&gpu->events, listener);
}

const struct cw_serial_report *cw_gpu_serial_report(const struct cw_gpu *gpu)
{
    return &gpu->serial_report;
}

const struct cw_persist_report *cw_gpu_persist_report(const struct cw_gpu *gpu)
{
    return &gpu->persist_report;
}

const char *cw_gpu_persist_violation(const struct cw_gpu *gpu)
{
    return gpu->persist != NULL ? cw_persist_check_violation(gpu->persist) : NULL;
}

const struct cw_sanitizer_place *cw_gpu_finding_at(const struct cw_gpu *gpu, uint32_t i)
{
    return gpu->sanitizer != NULL ? cw_sanitizer_at(gpu->sanitizer, i) : NULL;
}

uint64_t cw_gpu_findings(const struct cw_gpu *gpu, enum cw_check check)
{
    return gpu->sanitizer != NULL ? cw_sanitizer_count(gpu->sanitizer, check) : 0;
}

void cw_gpu_mark(struct cw_gpu *gpu, uint64_t addr, uint64_t bytes, bool written)
{
    if (gpu->sanitizer != NULL && written)
        cw_sanitizer_written(gpu->sanitizer, addr, bytes);
    else if (gpu->sanitizer != NULL)
        cw_sanitizer_fresh(gpu->sanitizer, addr, bytes);
}

const char *cw_gpu_deadlock_report(const struct cw_gpu *gpu)
{
    return gpu->report != NULL ? gpu->report : "";
}

int cw_gpu_persist_graph(struct cw_gpu *gpu, enum cw_persist_change change, uint32_t line, struct cw_persist_model_graph *graph,
                         struct cw_error *err)
{
    if (gpu->model == NULL)
        return cw_fail(err, CW_EINVAL, "the graph of persists: this GPU keeps none; create it with options.pm_log = 2");
    return cw_persist_model_graph(gpu->model, change, line, graph, err);
}

void cw_gpu_forget_persists(struct cw_gpu *gpu)
{
    if (gpu->model != NULL)
        cw_persist_model_forget(gpu->model);
}

uint64_t cw_gpu_persists_before(const struct cw_gpu *gpu, uint32_t launch)
{
    return cw_persist_model_persists(gpu->model, launch);
}

bool cw_gpu_persist_order_at(const struct cw_gpu *gpu, uint32_t i, struct cw_persist_model_order *order)
{
    return gpu->model != NULL && cw_persist_model_order_at(gpu->model, i, order);
}
