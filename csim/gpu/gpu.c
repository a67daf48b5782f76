/* SPDX-License-Identifier: Apache-2.0 */
/* Construction of the chip and its clock loop. Kernel launch and block dispatch are in launch.c, the watchdog in watchdog.c. */
#include "gpu/gpu_private.h"

#include <stdlib.h>
#include <string.h>

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
    (void)core;
    gpu->blocks_finished++;
    gpu->dispatch_pending = true;
}

static void on_fault(void *context, int status, const char *text)
{
    struct cw_gpu *gpu = context;
    if (gpu->fault_status == CW_OK) {
        gpu->fault_status = status;
        cw_fail(&gpu->fault, status, "%s", text);
    }
}

static void add_component(struct cw_gpu *gpu, struct cw_component *component)
{
    gpu->component[gpu->component_cnt++] = component;
}

static int create_noc(struct cw_gpu *gpu, struct cw_error *err)
{
    const struct cw_config *c = &gpu->config;
    struct cw_crossbar_config x = {
        .inputs = c->core_count,
        .outputs = c->partition_count,
        .inputs_per_port = c->noc_concentration,
        .outputs_per_port = 1,
        .latency_cycles = c->noc_latency,
        .in_flits = c->noc_in_flits,
        .out_flits = c->noc_out_flits,
        .period = gpu->clocks.period[CW_DOMAIN_NOC],
        .to_partition = true,
        .packets = &gpu->stats.noc_up_packets,
        .flits = &gpu->stats.noc_up_flits,
        .tx_flits = &gpu->stats.noc_up_tx_flits,
    };
    int status = cw_crossbar_create(&gpu->up, &x, err);
    if (status != CW_OK)
        return status;
    x.inputs = c->partition_count;
    x.outputs = c->core_count;
    x.inputs_per_port = 1;
    x.outputs_per_port = c->noc_concentration;
    x.to_partition = false;
    x.packets = &gpu->stats.noc_down_packets;
    x.flits = &gpu->stats.noc_down_flits;
    x.tx_flits = &gpu->stats.noc_down_tx_flits;
    return cw_crossbar_create(&gpu->down, &x, err);
}

static int create_cores(struct cw_gpu *gpu, struct cw_error *err)
{
    gpu->core = calloc(gpu->config.core_count, sizeof gpu->core[0]);
    if (gpu->core == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < gpu->config.core_count; i++) {
        const struct cw_core_config c = {
            .config = &gpu->config,
            .clocks = &gpu->clocks,
            .stats = &gpu->stats,
            .memory = &gpu->memory,
            .pool = &gpu->pool,
            .up = gpu->up,
            .down = gpu->down,
            .index = i,
            .events = {gpu, on_block_done, on_fault},
            .progress = &gpu->progress,
        };
        int status = cw_core_create(&gpu->core[i], &c, err);
        if (status != CW_OK)
            return status;
    }
    return CW_OK;
}

static int create_partitions(struct cw_gpu *gpu, struct cw_error *err)
{
    gpu->partition = calloc(gpu->config.partition_count, sizeof gpu->partition[0]);
    if (gpu->partition == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < gpu->config.partition_count; i++) {
        const struct cw_partition_config p = {
            .config = &gpu->config,
            .clocks = &gpu->clocks,
            .stats = &gpu->stats,
            .memory = &gpu->memory,
            .pool = &gpu->pool,
            .up = gpu->up,
            .down = gpu->down,
            .index = i,
            .with_tm = gpu->system != NULL,
        };
        int status = cw_partition_create(&gpu->partition[i], &p, err);
        if (status != CW_OK)
            return status;
    }
    return CW_OK;
}

static uint32_t word_now(void *context, uint64_t addr)
{
    const struct cw_gpu *gpu = context;
    uint32_t value;
    memcpy(&value, cw_devmem_at(&gpu->memory, addr), sizeof value);
    return value;
}

static int create_oracle(struct cw_gpu *gpu, struct cw_error *err)
{
    int status = cw_serial_create(&gpu->serial, word_now, gpu, err);
    if (status != CW_OK)
        return status;
    cw_serial_bridge(&gpu->bridge, gpu->serial);
    cw_events_listen(&gpu->events, cw_serial_listener(gpu->serial));
    return CW_OK;
}

static int create_tm(struct cw_gpu *gpu, const struct cw_gpu_options *options, struct cw_error *err)
{
    if (options->check_serial) {
        int status = create_oracle(gpu, err);
        if (status != CW_OK)
            return status;
    }
    if (gpu->system == NULL)
        return CW_OK;
    const struct cw_mech_host t = {
        .config = &gpu->config,
        .clocks = &gpu->clocks,
        .stats = &gpu->stats,
        .memory = &gpu->memory,
        .pool = &gpu->pool,
        .core = gpu->core,
        .partition = gpu->partition,
        .units = gpu->units,
        .events = &gpu->events,
        .observer = gpu->serial != NULL ? &gpu->bridge : NULL,
        .seed = options->seed,
        .sabotage = options->sabotage,
        .progress = &gpu->progress,
        .fault = on_fault,
        .fault_context = gpu,
    };
    int status = gpu->system->create(&gpu->tm, &t, err);
    if (status != CW_OK)
        return status;
    for (uint32_t i = 0; i < gpu->config.core_count; i++)
        cw_core_attach_tm(gpu->core[i], gpu->system->core, gpu->system->core_self(gpu->tm, i));
    return CW_OK;
}

/* Components in the order in which they tick; reversed on request, which must change nothing. */
static int collect_components(struct cw_gpu *gpu, struct cw_error *err)
{
    const uint32_t tm_max = 4 * gpu->config.partition_count + gpu->config.core_count + 8;
    const uint32_t max = gpu->config.core_count + 2 + 2 * gpu->config.partition_count + tm_max;
    gpu->component = calloc(max, sizeof gpu->component[0]);
    if (gpu->component == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < gpu->config.core_count; i++)
        add_component(gpu, cw_core_component(gpu->core[i]));
    add_component(gpu, cw_crossbar_component(gpu->up));
    add_component(gpu, cw_crossbar_component(gpu->down));
    for (uint32_t i = 0; i < gpu->config.partition_count; i++) {
        add_component(gpu, cw_partition_l2_component(gpu->partition[i]));
        add_component(gpu, cw_partition_dram_component(gpu->partition[i]));
    }
    if (gpu->tm != NULL)
        gpu->component_cnt += gpu->system->components(gpu->tm, gpu->component + gpu->component_cnt, tm_max);
    for (uint32_t i = 0, j = gpu->component_cnt - 1; gpu->reverse_ticks && i < j; i++, j--) {
        struct cw_component *swap = gpu->component[i];
        gpu->component[i] = gpu->component[j];
        gpu->component[j] = swap;
    }
    return CW_OK;
}

static int create_parts(struct cw_gpu *gpu, const struct cw_gpu_options *options, struct cw_error *err)
{
    int status = cw_devmem_create(&gpu->memory, (uint64_t)gpu->config.mem_mbytes << 20, err);
    if (status == CW_OK)
        status = create_noc(gpu, err);
    if (status == CW_OK)
        status = create_cores(gpu, err);
    if (status == CW_OK)
        status = create_partitions(gpu, err);
    if (status == CW_OK)
        status = create_tm(gpu, options, err);
    if (status == CW_OK)
        status = collect_components(gpu, err);
    return status;
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
    gpu->system = options->tm;
    gpu->units = options->units != NULL ? options->units : cw_unit_provider_c();
    gpu->reverse_ticks = options->reverse_ticks;
    gpu->tick_always = options->tick_always;
    gpu->max_cycles = options->max_cycles;
    gpu->on_progress = options->on_progress;
    gpu->on_step = options->on_step;
    gpu->context = options->context;
    clocks_init(&gpu->clocks, &gpu->config);
    cw_message_pool_create(&gpu->pool);
    status = create_parts(gpu, options, err);
    if (status != CW_OK) {
        cw_gpu_destroy(gpu);
        return status;
    }
    *out = gpu;
    return CW_OK;
}

void cw_gpu_destroy(struct cw_gpu *gpu)
{
    if (gpu == NULL)
        return;
    if (gpu->tm != NULL)
        gpu->system->destroy(gpu->tm);
    for (uint32_t i = 0; gpu->core != NULL && i < gpu->config.core_count; i++)
        cw_core_destroy(gpu->core[i]);
    for (uint32_t i = 0; gpu->partition != NULL && i < gpu->config.partition_count; i++)
        cw_partition_destroy(gpu->partition[i]);
    cw_crossbar_destroy(gpu->up);
    cw_crossbar_destroy(gpu->down);
    cw_serial_destroy(gpu->serial);
    cw_message_pool_destroy(&gpu->pool);
    cw_devmem_destroy(&gpu->memory);
    free(gpu->core);
    free(gpu->partition);
    free(gpu->component);
    free(gpu->report);
    free(gpu);
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
    for (uint32_t i = 0; i < gpu->component_cnt; i++) {
        const struct cw_component *c = gpu->component[i];
        if (c->wake < wake[c->domain])
            wake[c->domain] = c->wake;
    }
    if (gpu->dispatch_pending)
        wake[CW_DOMAIN_CORE] = 0;
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
    const cw_time now = gpu->now;
    for (uint32_t i = 0; i < gpu->component_cnt; i++) {
        struct cw_component *c = gpu->component[i];
        if (due[c->domain] == now && (c->wake <= now || gpu->tick_always))
            c->tick(c->self, now);
    }
}

struct cw_devmem *cw_gpu_memory(struct cw_gpu *gpu)
{
    return &gpu->memory;
}

const struct cw_stats *cw_gpu_stats(const struct cw_gpu *gpu)
{
    return &gpu->stats;
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

const struct cw_serial_report *cw_gpu_serial_report(const struct cw_gpu *gpu)
{
    return &gpu->serial_report;
}

const char *cw_gpu_deadlock_report(const struct cw_gpu *gpu)
{
    return gpu->report != NULL ? gpu->report : "";
}
