/* SPDX-License-Identifier: Apache-2.0 */
/* Construction of the chip and its clock loop. Kernel launch and block dispatch are in launch.c, the watchdog in watchdog.c. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "gpu/gpu_private.h"

#include "control/ipdom.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mech/mechs.h"
#include "mem/version.h"

#define SABOTAGES_MAX 64u /* names of deliberate faults of all mechanisms of a GPU */
#define MECH_INBOX    64u /* messages that wait at a partition for a mechanism that says nothing else */

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
    gpu->kernel_ends = ++gpu->blocks_finished == gpu->blocks_total;
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
        .mech_flits = &gpu->stats.noc_up_tx_flits,
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
    x.mech_flits = &gpu->stats.noc_down_tx_flits;
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
            .stats = cw_gpu__core_stats(gpu, i),
            .memory = gpu->memory,
            .pool = &gpu->pool,
            .up = gpu->up,
            .down = gpu->down,
            .units = gpu->units,
            .index = i,
            .control = gpu->control,
            .stream = &gpu->events,
            .events = gpu->core_events,
            .oob = &gpu->oob,
            .checks = gpu->checks,
            .count_stalls = gpu->count_stalls,
            .progress = &gpu->progress,
        };
        int status = cw_core_create(&gpu->core[i], &c, err);
        if (status != CW_OK)
            return status;
    }
    return CW_OK;
}

static int create_nvm(struct cw_gpu *gpu, struct cw_error *err)
{
    const struct cw_nvm_config n = {
        .config = &gpu->config, .clocks = &gpu->clocks, .stats = &gpu->stats, .memory = gpu->memory, .events = &gpu->events};
    return gpu->config.pm_mbytes != 0 ? cw_nvm_create(&gpu->nvm, &n, err) : CW_OK;
}

static int create_partitions(struct cw_gpu *gpu, struct cw_error *err)
{
    const uint32_t channels = cw_address_channels(&gpu->config);
    uint32_t *inbox = calloc(gpu->mech_cnt + 1, sizeof *inbox);
    gpu->partition = calloc(gpu->config.partition_count, sizeof gpu->partition[0]);
    int status = inbox != NULL && gpu->partition != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "out of memory");
    for (uint32_t i = 0; status == CW_OK && i < gpu->mech_cnt; i++)
        inbox[i] = gpu->mech[i].mech->inbox != NULL ? gpu->mech[i].mech->inbox(&gpu->config) : MECH_INBOX;
    for (uint32_t i = 0; status == CW_OK && i < gpu->config.partition_count; i++) {
        const struct cw_partition_config p = {
            .config = &gpu->config,
            .clocks = &gpu->clocks,
            .stats = cw_gpu__partition_stats(gpu, i),
            .memory = gpu->memory,
            .pool = &gpu->pool,
            .up = gpu->up,
            .down = gpu->down,
            .index = i,
            .nvm = gpu->nvm,
            .shares = i >= channels ? gpu->partition[i % channels] : NULL,
            .mech_cnt = gpu->mech_cnt,
            .mech_inbox = inbox,
            .events = &gpu->events,
        };
        status = cw_partition_create(&gpu->partition[i], &p, err);
    }
    free(inbox);
    return status;
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

/* What the persistency oracle holds the GPU to. */
static enum cw_event_contract contract_of(const struct cw_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->mech_cnt; i++)
        if (gpu->mech[i].mech->persistency)
            return (enum cw_event_contract)gpu->mech[i].mech->contract;
    return CW_CONTRACT_NONE;
}

static int create_oracles(struct cw_gpu *gpu, struct cw_error *err)
{
    int status = gpu->check_serial ? cw_serial_create(&gpu->serial, word_now, gpu, err) : CW_OK;
    if (gpu->serial != NULL)
        cw_events_listen(&gpu->events, cw_serial_listener(gpu->serial));
    if (status == CW_OK && gpu->check_persist)
        status = cw_persist_check_create(&gpu->persist, gpu->clocks.period[CW_DOMAIN_CORE], contract_of(gpu), err);
    if (gpu->persist != NULL)
        cw_events_listen(&gpu->events, cw_persist_check_listener(gpu->persist));
    if (status == CW_OK && gpu->model_persists)
        status = cw_persist_model_create(&gpu->model, contract_of(gpu), err);
    if (gpu->model != NULL)
        cw_events_listen(&gpu->events, cw_persist_model_listener(gpu->model));
    if (gpu->sanitizer != NULL)
        cw_events_listen(&gpu->events, cw_sanitizer_listener(gpu->sanitizer, 0));
    return status;
}

/* The machine that a mechanism wants. */
static int check_mech(const struct cw_gpu *gpu, const struct cw_mech *m, struct cw_error *err)
{
    if (!m->any_width && gpu->config.core_warp_width != CW_LANES)
        return cw_fail(err, CW_EINVAL, "%s works on warps of %u lanes; set core.warp_width=%u", m->name, CW_LANES, CW_LANES);
    if (!m->any_line && gpu->config.mem_line_bytes != CW_LINE_BYTES)
        return cw_fail(err, CW_EINVAL, "%s works on lines of %u bytes; set mem.line_bytes=%u", m->name, CW_LINE_BYTES, CW_LINE_BYTES);
    if (!m->any_warps && cw_control_slots(gpu->control, &gpu->config) > 64)
        return cw_fail(err, CW_EINVAL, "%s works with at most 64 warps per core; control policy %s with core.warps=%u has %u", m->name,
                       gpu->control->name, gpu->config.core_warps, cw_control_slots(gpu->control, &gpu->config));
    if (m->system && gpu->config.l1_global == CW_L1_WRITE_BACK)
        return cw_fail(err, CW_EINVAL, "%s does not see what an L1 with l1.global=write-back has not written back; set l1.global=on",
                       m->name);
    if (m->persistency && strcmp(m->name, CW_MECH_PERSISTENCY_NONE) != 0 && gpu->control->regroups)
        return cw_fail(err, CW_EINVAL,
                       "persistency model %s orders what a warp has written, and control policy %s moves threads to other warps; "
                       "set core.divergence=pdom (--control %s)",
                       m->name, gpu->control->name, cw_control_ipdom.name);
    if (m->core != NULL && m->core->region_begin != NULL && gpu->control->region_begin == NULL)
        return cw_fail(err, CW_EINVAL, "%s has regions, which control policy %s cannot run; set core.divergence=pdom (--control %s)",
                       m->name, gpu->control->name, cw_control_ipdom.name);
    return CW_OK;
}

static bool knows_sabotage(const struct cw_mech *m, const char *name)
{
    for (uint32_t i = 0; m->sabotage != NULL && m->sabotage[i] != NULL; i++)
        if (strcmp(m->sabotage[i], name) == 0)
            return true;
    return false;
}

/* The mechanism that is to break: one that knows the name, else the system or the persistency model, which refuses it with a suggestion. */
static bool is_to_break(const struct cw_gpu *gpu, uint32_t index, const char *name)
{
    for (uint32_t i = 0; i < gpu->mech_cnt; i++)
        if (knows_sabotage(gpu->mech[i].mech, name))
            return i == index;
    return gpu->mech[index].mech->system || gpu->mech[index].mech->persistency;
}

static int create_mech(struct cw_gpu *gpu, uint32_t index, struct cw_error *err)
{
    struct cw_gpu_mech *m = &gpu->mech[index];
    const struct cw_mech_host host = {
        .config = &gpu->config,
        .clocks = &gpu->clocks,
        .stats = &gpu->stats,
        .memory = gpu->memory,
        .pool = &gpu->pool,
        .core = gpu->core,
        .partition = gpu->partition,
        .units = gpu->units,
        .events = &gpu->events,
        .index = index,
        .seed = gpu->seed,
        .sabotage = gpu->sabotage != NULL && is_to_break(gpu, index, gpu->sabotage) ? gpu->sabotage : NULL,
        .progress = &gpu->progress,
        .fault = on_fault,
        .fault_context = gpu,
        .notice = on_notice,
        .notice_context = gpu,
    };
    int status = check_mech(gpu, m->mech, err);
    if (status == CW_OK)
        status = m->mech->create(&m->self, &host, err);
    for (uint32_t i = 0; status == CW_OK && i < gpu->config.core_count; i++)
        status = cw_core_attach(gpu->core[i], m->mech->core, m->mech->core_self != NULL ? m->mech->core_self(m->self, i) : NULL,
                                m->mech->intrinsic, err);
    return status;
}

static int create_mechs(struct cw_gpu *gpu, struct cw_error *err)
{
    int status = CW_OK;
    for (uint32_t i = 0; status == CW_OK && i < gpu->mech_cnt; i++)
        status = create_mech(gpu, i, err);
    return status;
}

/* Someone must know the name, for a run that breaks nothing looks as if the oracle saw nothing. */
static int check_sabotage(const struct cw_gpu *gpu, struct cw_error *err)
{
    const char *names[SABOTAGES_MAX], *near;
    char list[400] = "";
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < gpu->mech_cnt; i++)
        for (const char *const *name = gpu->mech[i].mech->sabotage; name != NULL && *name != NULL && cnt < SABOTAGES_MAX; name++)
            names[cnt++] = *name;
    for (uint32_t i = 0; i < cnt; i++) {
        if (strcmp(names[i], gpu->sabotage) == 0)
            return CW_OK;
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    if (cnt == 0)
        return cw_fail(err, CW_EINVAL, "sabotage '%.40s': nothing in this machine can be broken", gpu->sabotage);
    near = cw_nearest(gpu->sabotage, names, cnt);
    return cw_fail(err, CW_EINVAL, "sabotage '%.40s': unknown; %s%s%sthis machine has %s", gpu->sabotage,
                   near != NULL ? "did you mean '" : "", near != NULL ? near : "", near != NULL ? "'? " : "", list);
}

/* Whether launches that say nothing run under a baseline. */
static bool is_off(const struct cw_gpu *gpu)
{
    bool off = false;
    for (uint32_t i = 0; i < gpu->mech_cnt; i++)
        off |= gpu->mech[i].proper->is_off != NULL && gpu->mech[i].proper->is_off(&gpu->config);
    return off;
}

static void choose_mechs(struct cw_gpu *gpu, bool baseline)
{
    gpu->baseline = baseline;
    for (uint32_t i = 0; i < gpu->mech_cnt; i++)
        gpu->mech[i].mech = baseline && gpu->mech[i].proper->baseline != NULL ? gpu->mech[i].proper->baseline : gpu->mech[i].proper;
}

static int list_mechs(struct cw_gpu *gpu, const struct cw_gpu_options *options, struct cw_error *err)
{
    uint32_t cnt = 0;
    while (options->mechs != NULL && options->mechs[cnt] != NULL)
        cnt++;
    gpu->mech = calloc(cnt + 1, sizeof *gpu->mech);
    if (gpu->mech == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    for (; gpu->mech_cnt < cnt; gpu->mech_cnt++)
        gpu->mech[gpu->mech_cnt].mech = gpu->mech[gpu->mech_cnt].proper = options->mechs[gpu->mech_cnt];
    choose_mechs(gpu, is_off(gpu));
    return CW_OK;
}

/* Components in the order in which they tick; reversed on request, which must change nothing. */
static int collect_components(struct cw_gpu *gpu, struct cw_error *err)
{
    const uint32_t each = CW_MECH_COMPONENTS(&gpu->config);
    const uint32_t max = gpu->config.core_count + 3 + 2 * gpu->config.partition_count + gpu->mech_cnt * each;
    gpu->component = calloc(2 * (size_t)max, sizeof gpu->component[0]);
    gpu->machine = gpu->component + max;
    if (gpu->component == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < gpu->config.core_count; i++)
        add_component(gpu, cw_core_component(gpu->core[i]));
    add_component(gpu, cw_crossbar_component(gpu->up));
    add_component(gpu, cw_crossbar_component(gpu->down));
    for (uint32_t i = 0; i < gpu->config.partition_count; i++) {
        struct cw_component *dram = cw_partition_dram_component(gpu->partition[i]);
        add_component(gpu, cw_partition_l2_component(gpu->partition[i]));
        if (dram != NULL)
            add_component(gpu, dram);
    }
    if (gpu->nvm != NULL)
        add_component(gpu, cw_nvm_component(gpu->nvm));
    gpu->machine_cnt = gpu->component_cnt;
    memcpy(gpu->machine, gpu->component, gpu->machine_cnt * sizeof *gpu->machine);
    for (uint32_t i = 0; i < gpu->mech_cnt; i++)
        if (gpu->mech[i].mech->components != NULL)
            gpu->component_cnt += gpu->mech[i].mech->components(gpu->mech[i].self, gpu->component + gpu->component_cnt, each);
    for (uint32_t i = 0, j = gpu->component_cnt - 1; gpu->reverse_ticks && i < j; i++, j--) {
        struct cw_component *swap = gpu->component[i];
        gpu->component[i] = gpu->component[j];
        gpu->component[j] = swap;
    }
    return CW_OK;
}

/* The types of messages that mechanisms declare. */
static int list_messages(struct cw_gpu *gpu, struct cw_error *err)
{
    gpu->message_types = calloc(gpu->mech_cnt + 1, sizeof *gpu->message_types);
    if (gpu->message_types == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < gpu->mech_cnt; i++)
        gpu->message_types[i] = gpu->mech[i].mech->messages;
    gpu->pool.types = gpu->message_types;
    gpu->pool.type_lists = gpu->mech_cnt;
    return CW_OK;
}

/* Everything that a reset makes anew. */
static int create_machine(struct cw_gpu *gpu, struct cw_error *err)
{
    cw_message_pool_create(&gpu->pool);
    gpu->pool.fault = on_fault;
    gpu->pool.fault_context = gpu;
    gpu->pool.zeroed = gpu->renew_cycles != 0;
    int status = list_messages(gpu, err);
    if (status == CW_OK)
        status = create_noc(gpu, err);
    if (status == CW_OK)
        status = create_cores(gpu, err);
    if (status == CW_OK)
        status = create_nvm(gpu, err);
    if (status == CW_OK)
        status = create_partitions(gpu, err);
    if (status == CW_OK)
        status = create_oracles(gpu, err);
    if (status == CW_OK)
        status = create_mechs(gpu, err);
    if (status == CW_OK)
        status = collect_components(gpu, err);
    return status;
}

static void destroy_functional(struct cw_gpu *gpu)
{
    struct cw_gpu_functional *f = gpu->functional;
    if (f == NULL)
        return;
    for (uint32_t i = 0; f->core != NULL && i < gpu->config.core_count; i++)
        cw_core_destroy(f->core[i]);
    free(f->on);
    free(f->core);
    free(f->prepared);
    free(f);
    gpu->functional = NULL;
}

/* Also of a machine that has been created in part only. */
static void destroy_machine(struct cw_gpu *gpu)
{
    for (uint32_t i = gpu->mech_cnt; i-- > 0;) {
        if (gpu->mech[i].self != NULL)
            gpu->mech[i].mech->destroy(gpu->mech[i].self);
        gpu->mech[i].self = NULL;
    }
    for (uint32_t i = 0; gpu->core != NULL && i < gpu->config.core_count; i++)
        cw_core_destroy(gpu->core[i]);
    for (uint32_t i = gpu->partition != NULL ? gpu->config.partition_count : 0; i-- > 0;)
        cw_partition_destroy(gpu->partition[i]);
    cw_nvm_destroy(gpu->nvm);
    gpu->nvm = NULL;
    destroy_functional(gpu);
    cw_crossbar_destroy(gpu->up);
    cw_crossbar_destroy(gpu->down);
    cw_serial_destroy(gpu->serial);
    cw_persist_check_destroy(gpu->persist);
    cw_persist_model_destroy(gpu->model);
    cw_message_pool_destroy(&gpu->pool);
    free(gpu->core);
    free(gpu->partition);
    free(gpu->component);
    free(gpu->message_types);
    gpu->message_types = NULL;
    gpu->core = NULL;
    gpu->partition = NULL;
    gpu->up = gpu->down = NULL;
    gpu->serial = NULL;
    gpu->persist = NULL;
    gpu->model = NULL;
    gpu->component = NULL;
    gpu->component_cnt = gpu->machine_cnt = 0;
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
    gpu->units = options->units != NULL ? options->units : cw_unit_provider_c();
    gpu->reverse_ticks = options->reverse_ticks;
    gpu->tick_always = options->tick_always;
    gpu->renew_cycles = options->renew_cycles;
    gpu->on_save = options->on_save;
    gpu->save_at = options->on_save != NULL ? options->save_cycle * gpu->clocks.period[CW_DOMAIN_CORE] : CW_TIME_NEVER;
    gpu->max_cycles = options->max_cycles;
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
        status = list_mechs(gpu, options, err);
    if (status == CW_OK && gpu->sabotage != NULL)
        status = check_sabotage(gpu, err);
    if (status == CW_OK && options->split_stats)
        status = split(gpu, err);
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

void cw_gpu_destroy(struct cw_gpu *gpu)
{
    if (gpu == NULL)
        return;
    destroy_machine(gpu);
    cw_memory_destroy(gpu->memory);
    cw_sanitizer_destroy(gpu->sanitizer);
    free(gpu->part);
    free(gpu->sum);
    free(gpu->mech);
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

void cw_gpu_host_copied(struct cw_gpu *gpu, uint64_t addr, uint64_t bytes)
{
    const struct cw_config *c = &gpu->config;
    if (c->l2_host_copies == CW_OFF || bytes == 0 || !cw_gpu__at_rest(gpu))
        return;
    const uint64_t line = c->mem_line_bytes, end = addr + bytes;
    /* What lies further back has left the L2 again: this piece has at least as many lines of each set as the set has ways. */
    const uint64_t stays = 2 * (uint64_t)c->l2_bytes * c->partition_count;
    uint64_t at = bytes > stays ? end - stays : addr;
    for (at -= at % line; at < end; at += line)
        cw_partition_host_copy(gpu->partition[cw_address_partition(c, at)],
                               cw_version_place(gpu->memory, at, cw_version_newest(gpu->memory)));
}

uint32_t cw_gpu_versions(const struct cw_gpu *gpu)
{
    uint32_t versions = 0;
    for (uint32_t i = 0; i < gpu->mech_cnt; i++)
        if (gpu->mech[i].proper->versions != NULL)
            versions = gpu->mech[i].proper->versions(&gpu->config);
    return versions;
}

bool cw_gpu_keeps(const struct cw_gpu *gpu, uint64_t addr, uint64_t bytes)
{
    bool any = false;
    for (uint32_t i = 0; i < gpu->config.core_count && gpu->launch.param == NULL; i++)
        any |= cw_core_keeps(gpu->core[i], addr, bytes);
    return any;
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
    choose_mechs(gpu, baseline);
    /* Frequencies are whole MHz, so all clocks have an edge at a full microsecond, as they have at time 0. */
    gpu->now = (gpu->now + us - 1) / us * us;
    for (int d = 0; d < CW_DOMAIN_COUNT; d++)
        gpu->edge[d] = gpu->now;
    gpu->blocks_started = gpu->blocks_finished = gpu->blocks_total = 0;
    gpu->next_core = 0;
    gpu->dispatch_pending = false;
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
    return gpu->baseline == (baseline || is_off(gpu));
}

int cw_gpu_turn(struct cw_gpu *gpu, bool baseline, struct cw_error *err)
{
    bool any = false;
    for (uint32_t i = 0; i < gpu->mech_cnt; i++)
        any |= gpu->mech[i].proper->baseline != NULL;
    if (baseline && !any)
        return cw_fail(err, CW_EINVAL, "a launch asks for the baseline, and this GPU's system has none; sitm-ts and sitm-oracle have one");
    return make_anew(gpu, baseline || is_off(gpu), err);
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

const struct cw_partition *cw_gpu_partition(const struct cw_gpu *gpu, uint32_t index)
{
    return gpu->partition[index];
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
