/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels side by side, and the host's work between them: which begins when, and which core has blocks of which.
 *
 * A core has one kernel at a time: its registers, its compiled instructions and the room for blocks are laid out for one launch
 * (cw_core_prepare). So kernels share the chip by cores. A kernel keeps a core as long as it has blocks to begin, or the core is at work for it.
 */
#include "gpu/gpu_private.h"

uint32_t cw_gpu__launch_cycles(const struct cw_gpu *gpu, bool first)
{
    const struct cw_config *c = &gpu->config;
    return !first && !gpu->host_came && c->gpu_next_launch_cycles != 0 ? c->gpu_next_launch_cycles : c->gpu_launch_cycles;
}

static bool is_after_all(const struct cw_gpu_together *t, uint32_t i)
{
    for (uint32_t k = 0; k < t->work[i].after_cnt; k++)
        if (t->resident[t->work[i].after[k]].state != CW_RESIDENT_OVER)
            return false;
    return true;
}

static void over(struct cw_gpu *gpu, uint32_t i)
{
    struct cw_gpu_together *t = gpu->together;
    t->resident[i].state = CW_RESIDENT_OVER;
    t->work[i].end = gpu->now;
    t->over++;
}

static void begin_host(struct cw_gpu *gpu, uint32_t i)
{
    const struct cw_gpu_together *t = gpu->together;
    const int status = t->host(t->context, i);
    if (status != CW_OK && gpu->fault_status == CW_OK) {
        gpu->fault_status = status;
        cw_fail(&gpu->fault, status, "work of the host between kernels has failed");
    }
    over(gpu, i);
}

/* The lowest place of local memory that no kernel has. */
static uint32_t free_place(const struct cw_gpu_together *t)
{
    uint32_t place = 0;
    for (uint32_t i = 0; i < t->cnt; i++)
        if ((t->resident[i].state == CW_RESIDENT_RUNS || t->resident[i].state == CW_RESIDENT_DRAINS) && t->resident[i].place == place) {
            place++;
            i = UINT32_MAX; /* From the beginning */
        }
    return place;
}

static void begin_kernel(struct cw_gpu *gpu, uint32_t i)
{
    struct cw_gpu_together *t = gpu->together;
    struct cw_gpu_resident *r = &t->resident[i];
    r->place = free_place(t);
    r->state = CW_RESIDENT_RUNS;
    r->launch.local_base = t->local_base + r->place * t->local_bytes;
    r->from = gpu->now + cw_gpu__launch_cycles(gpu, t->fresh) * gpu->clocks.period[CW_DOMAIN_CORE] + 1; /* behind this edge */
    r->next_core = gpu->next_core;
    t->fresh = gpu->host_came = false;
    t->running++;
}

/* Whether a work has begun. In a queue kernels begin one after the other. */
static bool begin_some(struct cw_gpu *gpu)
{
    struct cw_gpu_together *t = gpu->together;
    uint32_t held = 0;
    bool any = false;
    for (uint32_t i = 0; i < t->cnt; i++) {
        const struct cw_gpu_work *w = &t->work[i];
        const bool kernel = w->request != NULL;
        const uint32_t queue = kernel ? UINT32_C(1) << w->queue % gpu->config.gpu_queues : 0;
        if (t->resident[i].state != CW_RESIDENT_WAITS)
            continue;
        if (!is_after_all(t, i) || (held & queue) != 0 || (kernel && t->running == gpu->config.gpu_kernels)) {
            held |= queue;
            continue;
        }
        t->work[i].begin = gpu->now;
        kernel ? begin_kernel(gpu, i) : begin_host(gpu, i);
        any = true;
    }
    return any;
}

/* The core is nobody's. */
static bool release(struct cw_gpu *gpu, uint32_t core)
{
    struct cw_gpu_together *t = gpu->together;
    struct cw_gpu_work *w = &t->work[t->owner[core]];
    t->owner[core] = CW_NOBODY;
    for (uint32_t i = 0; t->before != NULL && i < cw_stats_count(); i++)
        if (!cw_stats_counter(i)->maximum)
            ((uint64_t *)(void *)&w->counted)[i] += *cw_stats_value(&gpu->part[core], i) - *cw_stats_value(&t->before[core], i);
    return true;
}

/* What to do with each core of a kernel, until the answer is false. */
static bool for_its_cores(struct cw_gpu *gpu, uint32_t i, bool (*what)(struct cw_gpu *gpu, uint32_t core))
{
    const uint32_t cores = gpu->config.core_count;
    bool all = true;
    for (uint32_t c = 0; all && c < cores; c++)
        all = gpu->together->owner[c] != i || what(gpu, c);
    return all;
}

static bool is_idle(struct cw_gpu *gpu, uint32_t core)
{
    return cw_core_idle(gpu->core[core]);
}

static bool end_on(struct cw_gpu *gpu, uint32_t core)
{
    cw_core_end_kernel(gpu->core[core], gpu->now);
    return true;
}

/* Kernels whose blocks have all finished, and whose cores have nothing outstanding, are over. */
static void end_some(struct cw_gpu *gpu)
{
    struct cw_gpu_together *t = gpu->together;
    for (uint32_t i = 0; i < t->cnt; i++)
        if (t->resident[i].state == CW_RESIDENT_DRAINS && for_its_cores(gpu, i, is_idle)) {
            for_its_cores(gpu, i, release);
            t->running--;
            over(gpu, i);
        }
}

static bool wants_cores(const struct cw_gpu_resident *r)
{
    return r->state == CW_RESIDENT_RUNS && r->started < r->blocks;
}

/* Whether the core is idle and kernel i may have it; it has it then. */
static bool takes_over(struct cw_gpu *gpu, uint32_t i, uint32_t core)
{
    struct cw_gpu_together *t = gpu->together;
    const uint32_t owner = t->owner[core];
    struct cw_error err;
    if ((owner != CW_NOBODY && wants_cores(&t->resident[owner])) || !cw_core_idle(gpu->core[core]))
        return false;
    if (owner != CW_NOBODY)
        release(gpu, core);
    cw_core_count_until(gpu->core[core], cw_gpu_cycles(gpu), CW_STALL_ISSUED);
    cw_core_flush(gpu->core[core]);
    gpu->of_core[core] = t->resident[i].launch;
    const int status = cw_core_prepare(gpu->core[core], &gpu->of_core[core], &err);
    if (status != CW_OK && gpu->fault_status == CW_OK) {
        gpu->fault_status = status;
        gpu->fault = err;
    }
    cw_core_count_from(gpu->core[core], cw_gpu_cycles(gpu));
    t->owner[core] = i;
    if (t->before != NULL)
        t->before[core] = gpu->part[core];
    return status == CW_OK;
}

/* As the dispatch of one kernel, of the cores that it has or gets. Returns whether a block has begun. */
static bool dispatch(struct cw_gpu *gpu, uint32_t i)
{
    struct cw_gpu_resident *r = &gpu->together->resident[i];
    const uint32_t cores = gpu->config.core_count, first = r->next_core, turn = gpu->config.gpu_dispatch;
    bool any = false;
    for (uint32_t k = 0; k < cores && wants_cores(r) && !(turn == CW_DISPATCH_ONE && any); k++) {
        const uint32_t core = (first + k) % cores;
        uint32_t ctaid[3];
        if (gpu->together->owner[core] != i && !takes_over(gpu, i, core))
            continue;
        if (!cw_core_can_take_block(gpu->core[core]))
            continue;
        cw_launch_ctaid(&r->launch, r->started++, ctaid);
        if (gpu->blocks_started++ == 0)
            cw_gpu__count(gpu, cw_gpu_cycles(gpu), CW_GPU_COUNT_START);
        cw_core_start_block(gpu->core[core], ctaid, gpu->now);
        if (turn != CW_DISPATCH_TURN)
            r->next_core = (core + 1) % cores;
        any = true;
    }
    if (turn == CW_DISPATCH_TURN)
        r->next_core = (first + 1) % cores;
    return any;
}

/* The next of those that want cores, by priority and then by place; CW_NOBODY: none. */
static uint32_t next_of(const struct cw_gpu *gpu, uint32_t last)
{
    const struct cw_gpu_together *t = gpu->together;
    uint32_t best = CW_NOBODY;
    for (uint32_t i = 0; i < t->cnt; i++) {
        const int32_t p = t->work[i].priority;
        const bool behind = last == CW_NOBODY || p > t->work[last].priority || (p == t->work[last].priority && i > last);
        if (behind && wants_cores(&t->resident[i]) && t->resident[i].from <= gpu->now && (best == CW_NOBODY || p < t->work[best].priority))
            best = i;
    }
    return best;
}

/* When to look again: at the next edge as long as something ends or may end, else when the next kernel may have its first block. */
static void look_again(struct cw_gpu *gpu, bool any)
{
    const struct cw_gpu_together *t = gpu->together;
    cw_time from = any ? gpu->now + 1 : CW_TIME_NEVER;
    bool wanted = false, spent = false;
    for (uint32_t i = 0; i < t->cnt; i++) {
        const struct cw_gpu_resident *r = &t->resident[i];
        if (wants_cores(r) && r->from > gpu->now && r->from < from)
            from = r->from;
        wanted |= wants_cores(r);
        spent |= r->state == CW_RESIDENT_RUNS && !wants_cores(r) && r->finished > 0;
        if (r->state == CW_RESIDENT_DRAINS)
            from = gpu->now + 1;
    }
    if (wanted && spent)
        from = gpu->now + 1;
    gpu->dispatch_pending = from != CW_TIME_NEVER;
    gpu->dispatch_from = from;
}

void cw_gpu__together_step(struct cw_gpu *gpu)
{
    bool any = false;
    do
        end_some(gpu);
    while (begin_some(gpu));
    for (uint32_t i = next_of(gpu, CW_NOBODY); i != CW_NOBODY; i = next_of(gpu, i))
        any |= dispatch(gpu, i);
    look_again(gpu, any);
}

void cw_gpu__together_end(struct cw_gpu *gpu)
{
    struct cw_gpu_together *t = gpu->together;
    for (uint32_t i = 0; i < t->cnt; i++) {
        struct cw_gpu_resident *r = &t->resident[i];
        if (r->ends)
            for_its_cores(gpu, i, end_on);
        r->state = r->ends ? CW_RESIDENT_DRAINS : r->state;
        r->ends = false;
    }
    gpu->dispatch_pending = true;
    gpu->dispatch_from = gpu->now + 1;
}
