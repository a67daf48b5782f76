/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the chip is made of: cores, crossbars, partitions, persistent memory, mechanisms. This file alone knows of each kind how it is made, and
 * what it does when a kernel begins and ends. The rest of csim/gpu sees members (gpu_private.h) and their components (base/component.h).
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_private.h"
#include "mem/address.h"
#include "mem/nvm.h"
#include "mem/partition.h"

/* Usually all count in one place. Cores and partitions may count each for itself; then the chip's counters are a sum. */

struct cw_stats *cw_gpu__core_stats(struct cw_gpu *gpu, uint32_t core)
{
    return gpu->part != NULL ? &gpu->part[core] : &gpu->stats;
}

struct cw_stats *cw_gpu__partition_stats(struct cw_gpu *gpu, uint32_t partition)
{
    return gpu->part != NULL ? &gpu->part[gpu->config.core_count + partition] : &gpu->stats;
}

const struct cw_stats *cw_gpu_stats(const struct cw_gpu *gpu)
{
    if (gpu->part == NULL)
        return &gpu->stats;
    *gpu->sum = gpu->stats;
    for (uint32_t i = 0; i < gpu->config.core_count + gpu->config.partition_count; i++)
        cw_stats_add(gpu->sum, &gpu->part[i]);
    return gpu->sum;
}

const struct cw_stats *cw_gpu_core_stats(const struct cw_gpu *gpu, uint32_t core)
{
    return gpu->part != NULL ? &gpu->part[core] : NULL;
}

const struct cw_stats *cw_gpu_partition_stats(const struct cw_gpu *gpu, uint32_t partition)
{
    return gpu->part != NULL ? &gpu->part[gpu->config.core_count + partition] : NULL;
}

/* Kinds of members. The first three have no verbs of a launch beside those of their components. */

static uint32_t crossbar_components(void *self, struct cw_component **list, uint32_t max)
{
    (void)max;
    list[0] = cw_crossbar_component(self);
    return 1;
}

static void crossbar_destroy(void *self)
{
    cw_crossbar_destroy(self);
}

static const struct cw_gpu_member_ops crossbar_ops = {.components = crossbar_components, .destroy = crossbar_destroy};

static uint32_t nvm_components(void *self, struct cw_component **list, uint32_t max)
{
    (void)max;
    list[0] = cw_nvm_component(self);
    return 1;
}

static void nvm_destroy(void *self)
{
    cw_nvm_destroy(self);
}

static const struct cw_gpu_member_ops nvm_ops = {.components = nvm_components, .destroy = nvm_destroy};

static uint32_t partition_components(void *self, struct cw_component **list, uint32_t max)
{
    const struct cw_mem_service *s = self;
    (void)max;
    return s->ops->components(s->self, list);
}

static void partition_finish(void *self)
{
    const struct cw_mem_service *s = self;
    if (s->ops->finish != NULL)
        s->ops->finish(s->self);
}

static void partition_destroy(void *self)
{
    cw_mem_destroy(self);
}

static const struct cw_gpu_member_ops partition_ops = {
    .components = partition_components, .finish = partition_finish, .destroy = partition_destroy};

static uint32_t core_components(void *self, struct cw_component **list, uint32_t max)
{
    (void)max;
    list[0] = cw_core_component(self);
    return 1;
}

static int core_begin(void *self, const struct cw_launch *launch, struct cw_error *err)
{
    cw_core_flush(self);
    return cw_core_prepare(self, launch, err);
}

static void core_end(void *self, cw_time now)
{
    cw_core_end_kernel(self, now);
}

static void core_count(void *self, uint64_t cycle, enum cw_gpu_count what)
{
    static const enum cw_stall idle[] = {[CW_GPU_COUNT_FROM] = CW_STALL_LAUNCH,
                                         [CW_GPU_COUNT_UNTIL] = CW_STALL_ISSUED,
                                         [CW_GPU_COUNT_START] = CW_STALL_NO_WARP,
                                         [CW_GPU_COUNT_DRAIN] = CW_STALL_DRAIN};
    if (what == CW_GPU_COUNT_LATE)
        cw_core_count_late(self, cycle);
    if (what == CW_GPU_COUNT_FROM)
        cw_core_count_from(self, cycle);
    if (what != CW_GPU_COUNT_LATE)
        cw_core_count_until(self, cycle, idle[what]);
}

static void core_destroy(void *self)
{
    cw_core_destroy(self);
}

static const struct cw_gpu_member_ops core_ops = {
    .components = core_components, .begin = core_begin, .end = core_end, .count = core_count, .destroy = core_destroy};

static uint32_t mech_components(void *self, struct cw_component **list, uint32_t max)
{
    const struct cw_gpu_mech *m = self;
    return m->mech->components != NULL ? m->mech->components(m->self, list, max) : 0;
}

static int mech_begin(void *self, const struct cw_launch *launch, struct cw_error *err)
{
    const struct cw_gpu_mech *m = self;
    return m->mech->launch != NULL ? m->mech->launch(m->self, launch, err) : CW_OK;
}

static void mech_finish(void *self)
{
    const struct cw_gpu_mech *m = self;
    if (m->mech->finish != NULL)
        m->mech->finish(m->self);
}

static bool mech_idle(const void *self)
{
    const struct cw_gpu_mech *m = self;
    return m->mech->idle == NULL || m->mech->idle(m->self);
}

static void mech_state(void *self, struct cw_state *s)
{
    const struct cw_gpu_mech *m = self;
    cw_state_group(s, "mechanism", m->index);
    if (m->mech->state != NULL)
        m->mech->state(m->self, s);
    else if (m->mech->create != NULL && !m->mech->stateless)
        cw_state_fail(s, CW_EUNSUP, "%s cannot be saved", m->mech->name);
}

static void mech_report(const void *self, FILE *out)
{
    const struct cw_gpu_mech *m = self;
    for (uint32_t i = 0; m->mech->core != NULL && m->mech->core->report != NULL && i < m->cores; i++)
        m->mech->core->report(m->mech->core_self(m->self, i), out);
}

static void mech_destroy(void *self)
{
    struct cw_gpu_mech *m = self;
    if (m->self != NULL)
        m->mech->destroy(m->self);
    m->self = NULL;
}

static const struct cw_gpu_member_ops mech_ops = {.of_mechanism = true,
                                                  .components = mech_components,
                                                  .begin = mech_begin,
                                                  .finish = mech_finish,
                                                  .idle = mech_idle,
                                                  .state = mech_state,
                                                  .report = mech_report,
                                                  .destroy = mech_destroy};

/* Making them */

/* Places of the list: members tick in its order, and are destroyed in the reverse one. */
static uint32_t place_of_crossbars(const struct cw_gpu *gpu)
{
    return gpu->config.core_count;
}

static uint32_t place_of_partitions(const struct cw_gpu *gpu)
{
    return place_of_crossbars(gpu) + 2;
}

static uint32_t place_of_nvm(const struct cw_gpu *gpu)
{
    return place_of_partitions(gpu) + gpu->config.partition_count;
}

static void put(struct cw_gpu *gpu, uint32_t place, const struct cw_gpu_member_ops *ops, void *self)
{
    gpu->member[place] = (struct cw_gpu_member){ops, self};
}

static int create_noc(struct cw_gpu *gpu, struct cw_error *err)
{
    const struct cw_config *c = &gpu->config;
    struct cw_crossbar_config x = {
        .inputs = c->core_count,
        .outputs = c->partition_count,
        .inputs_per_port = c->noc_concentration,
        .outputs_per_port = 1,
        .inputs_per_link = c->noc_link_cores,
        .link_bytes = c->noc_link_bytes,
        .latency_cycles = c->noc_latency,
        .in_flits = c->noc_in_flits,
        .out_flits = c->noc_out_flits,
        .period = gpu->clocks.period[CW_DOMAIN_NOC],
        .to_partition = true,
        .packets = &gpu->stats.noc_up_packets,
        .flits = &gpu->stats.noc_up_flits,
        .mech_flits = &gpu->stats.noc_up_tx_flits,
        .units = c->noc_port_unit == CW_ON ? gpu->units : NULL,
        .check = gpu->pack_check,
    };
    int status = cw_crossbar_create(&gpu->up, &x, err);
    if (status != CW_OK)
        return status;
    put(gpu, place_of_crossbars(gpu), &crossbar_ops, gpu->up);
    x.units = NULL;
    x.inputs = c->partition_count;
    x.outputs = c->core_count;
    x.inputs_per_port = 1;
    x.inputs_per_link = 0;
    x.outputs_per_port = c->noc_concentration;
    x.to_partition = false;
    x.packets = &gpu->stats.noc_down_packets;
    x.flits = &gpu->stats.noc_down_flits;
    x.mech_flits = &gpu->stats.noc_down_tx_flits;
    status = cw_crossbar_create(&gpu->down, &x, err);
    if (status == CW_OK)
        put(gpu, place_of_crossbars(gpu) + 1, &crossbar_ops, gpu->down);
    return status;
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
            .trips = gpu->trips,
            .progress = &gpu->progress,
        };
        int status = cw_core_create(&gpu->core[i], &c, err);
        if (status != CW_OK)
            return status;
        put(gpu, i, &core_ops, gpu->core[i]);
    }
    return CW_OK;
}

static int create_nvm(struct cw_gpu *gpu, struct cw_error *err)
{
    const struct cw_nvm_config n = {
        .config = &gpu->config, .clocks = &gpu->clocks, .stats = &gpu->stats, .memory = gpu->memory, .events = &gpu->events};
    const int status = gpu->config.pm_mbytes != 0 ? cw_nvm_create(&gpu->nvm, &n, err) : CW_OK;
    if (status == CW_OK && gpu->nvm != NULL)
        put(gpu, place_of_nvm(gpu), &nvm_ops, gpu->nvm);
    return status;
}

static int create_partitions(struct cw_gpu *gpu, struct cw_error *err)
{
    const struct cw_mem_kind *kind = gpu->partitions != NULL ? gpu->partitions : &cw_partition_kind;
    const uint32_t channels = cw_address_channels(&gpu->config);
    gpu->partition = calloc(gpu->config.partition_count, sizeof gpu->partition[0]);
    int status = gpu->partition != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "out of memory");
    for (uint32_t i = 0; status == CW_OK && i < gpu->config.partition_count; i++) {
        const struct cw_mem_config p = {
            .config = &gpu->config,
            .clocks = &gpu->clocks,
            .stats = cw_gpu__partition_stats(gpu, i),
            .memory = gpu->memory,
            .pool = &gpu->pool,
            .up = gpu->up,
            .down = gpu->down,
            .index = i,
            .nvm = gpu->nvm,
            .shares = i >= channels ? &gpu->partition[i % channels] : NULL,
            .mech_cnt = gpu->mech_cnt,
            .mech_inbox = gpu->inbox,
            .units = gpu->units,
            .events = &gpu->events,
            .trips = gpu->trips,
        };
        status = kind->create(&gpu->partition[i], &p, err);
        if (status == CW_OK)
            put(gpu, place_of_partitions(gpu) + i, &partition_ops, &gpu->partition[i]);
    }
    return status;
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
        .sabotage = m->is_to_break ? gpu->sabotage : NULL,
        .progress = &gpu->progress,
        .fault = gpu->core_events.fault,
        .fault_context = gpu->core_events.context,
        .notice = gpu->core_events.notice,
        .notice_context = gpu->core_events.context,
    };
    m->index = index;
    m->cores = gpu->config.core_count;
    int status = cw_gpu__check_mech(gpu, m->mech, err);
    put(gpu, place_of_nvm(gpu) + 1 + index, &mech_ops, m);
    if (status == CW_OK)
        status = m->mech->create(&m->self, &host, err);
    for (uint32_t i = 0; status == CW_OK && i < gpu->config.core_count; i++)
        status = cw_core_attach(gpu->core[i], m->mech->core, m->mech->core_self != NULL ? m->mech->core_self(m->self, i) : NULL,
                                m->mech->intrinsic, err);
    return status;
}

int cw_gpu__create_machine(struct cw_gpu *gpu, struct cw_error *err)
{
    gpu->member_cnt = place_of_nvm(gpu) + 1 + gpu->mech_cnt;
    gpu->member = calloc(gpu->member_cnt, sizeof *gpu->member);
    int status = gpu->member != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "out of memory");
    if (status == CW_OK)
        status = create_noc(gpu, err);
    if (status == CW_OK)
        status = create_cores(gpu, err);
    if (status == CW_OK)
        status = create_nvm(gpu, err);
    return status == CW_OK ? create_partitions(gpu, err) : status;
}

static void reverse(struct cw_component **list, uint32_t cnt)
{
    for (uint32_t i = 0, j = cnt; i + 1 < j; i++) {
        struct cw_component *swap = list[i];
        list[i] = list[--j];
        list[j] = swap;
    }
}

/* Components in the order in which they tick; reversed on request, which must change nothing. */
static int collect_components(struct cw_gpu *gpu, struct cw_error *err)
{
    const uint32_t each = CW_MECH_COMPONENTS(&gpu->config);
    const uint32_t max = CW_MEM_COMPONENTS * gpu->member_cnt + gpu->mech_cnt * each;
    gpu->component = calloc(2 * (size_t)max, sizeof gpu->component[0]);
    gpu->machine = gpu->component + max;
    if (gpu->component == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    for (const struct cw_gpu_member *m = gpu->member; m < gpu->member + gpu->member_cnt; m++) {
        struct cw_component **list = gpu->component + gpu->component_cnt;
        const uint32_t cnt = m->self != NULL ? m->ops->components(m->self, list, each) : 0;
        gpu->component_cnt += cnt;
        for (uint32_t i = 0; i < cnt && !m->ops->of_mechanism; i++)
            gpu->machine[gpu->machine_cnt++] = list[i];
    }
    if (gpu->reverse_ticks)
        reverse(gpu->component, gpu->component_cnt);
    return CW_OK;
}

int cw_gpu__create_mechs(struct cw_gpu *gpu, struct cw_error *err)
{
    int status = CW_OK;
    for (uint32_t i = 0; status == CW_OK && i < gpu->mech_cnt; i++)
        status = create_mech(gpu, i, err);
    return status == CW_OK ? collect_components(gpu, err) : status;
}

void cw_gpu__destroy_members(struct cw_gpu *gpu)
{
    for (uint32_t i = gpu->member_cnt; i-- > 0;)
        if (gpu->member[i].self != NULL)
            gpu->member[i].ops->destroy(gpu->member[i].self);
    void *owned[] = {gpu->member, gpu->core, gpu->partition, gpu->component};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    gpu->member = NULL;
    gpu->core = NULL;
    gpu->partition = NULL;
    gpu->component = gpu->machine = NULL;
    gpu->nvm = NULL;
    gpu->up = gpu->down = NULL;
    gpu->member_cnt = gpu->component_cnt = gpu->machine_cnt = 0;
}

/* What members do in a launch */

int cw_gpu__begin(struct cw_gpu *gpu, struct cw_error *err)
{
    int status = CW_OK;
    for (const struct cw_gpu_member *m = gpu->member; status == CW_OK && m < gpu->member + gpu->member_cnt; m++)
        if (m->self != NULL && m->ops->begin != NULL)
            status = m->ops->begin(m->self, &gpu->launch, err);
    return status;
}

void cw_gpu__end(struct cw_gpu *gpu)
{
    for (const struct cw_gpu_member *m = gpu->member; m < gpu->member + gpu->member_cnt; m++)
        if (m->self != NULL && m->ops->end != NULL)
            m->ops->end(m->self, gpu->now);
}

void cw_gpu__finish(struct cw_gpu *gpu)
{
    for (const struct cw_gpu_member *m = gpu->member; m < gpu->member + gpu->member_cnt; m++)
        if (m->self != NULL && m->ops->finish != NULL)
            m->ops->finish(m->self);
}

void cw_gpu__count(struct cw_gpu *gpu, uint64_t cycle, enum cw_gpu_count what)
{
    for (const struct cw_gpu_member *m = gpu->member; m < gpu->member + gpu->member_cnt; m++)
        if (m->self != NULL && m->ops->count != NULL)
            m->ops->count(m->self, cycle, what);
}

bool cw_gpu__members_idle(const struct cw_gpu *gpu)
{
    for (const struct cw_gpu_member *m = gpu->member; m < gpu->member + gpu->member_cnt; m++)
        if (m->self != NULL && m->ops->idle != NULL && !m->ops->idle(m->self))
            return false;
    return true;
}

void cw_gpu__members_state(struct cw_gpu *gpu, struct cw_state *s)
{
    for (const struct cw_gpu_member *m = gpu->member; m < gpu->member + gpu->member_cnt; m++)
        if (m->self != NULL && m->ops->state != NULL)
            m->ops->state(m->self, s);
}

void cw_gpu__members_report(const struct cw_gpu *gpu, FILE *out)
{
    for (const struct cw_gpu_member *m = gpu->member; m < gpu->member + gpu->member_cnt; m++)
        if (m->self != NULL && m->ops->report != NULL)
            m->ops->report(m->self, out);
}
