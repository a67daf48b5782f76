/* SPDX-License-Identifier: Apache-2.0 */
/* From a launch that has been laid out to a chip at rest: block dispatch, the loop over time steps, saving and making anew in between. */
#include "gpu/gpu_private.h"

int cw_gpu__begin_launch(struct cw_gpu *gpu, struct cw_error *err)
{
    cw_memory_reload(gpu->memory);
    const int status = cw_gpu__begin(gpu, err);
    gpu->dispatch_pending = true;
    gpu->kernel_ends = false;
    gpu->dispatch_from =
        gpu->now + cw_gpu__launch_cycles(gpu, gpu->launches == 1) * gpu->clocks.period[CW_DOMAIN_CORE] + 1; /* Behind this edge */
    gpu->host_came = false;
    return status;
}

/* At most one block per core and core cycle, cores taking turns. */
static void dispatch(struct cw_gpu *gpu)
{
    const uint32_t cores = gpu->config.core_count, first = gpu->next_core;
    if (gpu->sampling.watch != NULL)
        gpu->sampling.watch(gpu);
    bool any = false;
    const bool one = gpu->config.gpu_dispatch == CW_DISPATCH_ONE;
    if (gpu->blocks_started == 0)
        cw_gpu__count(gpu, cw_gpu_cycles(gpu), CW_GPU_COUNT_START);
    for (uint32_t i = 0; i < cores && gpu->blocks_started < gpu->blocks_total && !(one && any); i++) {
        const uint32_t core = (first + i) % cores;
        if (!cw_core_can_take_block(gpu->core[core]))
            continue;
        uint32_t ctaid[3];
        cw_launch_ctaid(&gpu->launch, gpu->blocks_started++, ctaid);
        cw_core_start_block(gpu->core[core], ctaid, gpu->now);
        if (gpu->config.gpu_dispatch != CW_DISPATCH_TURN)
            gpu->next_core = (core + 1) % cores;
        any = true;
    }
    if (gpu->config.gpu_dispatch == CW_DISPATCH_TURN)
        gpu->next_core = (first + 1) % cores;
    gpu->dispatch_pending = any && gpu->blocks_started < gpu->blocks_total;
}

static bool at_rest(const struct cw_gpu *gpu)
{
    return cw_gpu__at_rest(gpu) && cw_gpu__members_idle(gpu) && (gpu->together == NULL || gpu->together->over == gpu->together->cnt);
}

static int checks_after_step(struct cw_gpu *gpu, struct cw_error *err)
{
    if (gpu->fault_status != CW_OK)
        return cw_fail(err, gpu->fault_status, "%s", gpu->fault.text);
    if (gpu->units->poll != NULL) {
        int status = gpu->units->poll(gpu->units->context, err);
        if (status != CW_OK)
            return status;
    }
    if (++gpu->watchdog.steps % 4096 != 0)
        return CW_OK;
    int status = cw_gpu__watchdog_check(gpu, err);
    return status == CW_OK ? cw_gpu__progress_due(gpu, err) : status;
}

/* The last core cycle that the launch may use is over: time stops at its edge. */
static int out_of_cycles(struct cw_gpu *gpu, uint64_t last_cycle, struct cw_error *err)
{
    gpu->now = last_cycle * gpu->clocks.period[CW_DOMAIN_CORE];
    return cw_fail(err, CW_ELIMIT, "%s: not finished after %llu core cycles", gpu->launch.kernel->name,
                   (unsigned long long)gpu->max_cycles);
}

/* The last block has finished. */
static void end_kernel(struct cw_gpu *gpu)
{
    gpu->kernel_ends = false;
    if (gpu->blocks_finished == gpu->blocks_total)
        cw_gpu__count(gpu, cw_gpu_cycles(gpu), CW_GPU_COUNT_DRAIN);
    gpu->together != NULL ? cw_gpu__together_end(gpu) : cw_gpu__end(gpu);
}

/* Those that are due up to the next step, in which something happens. */
static void sample(struct cw_gpu *gpu, cw_time step)
{
    for (const cw_time period = gpu->clocks.period[CW_DOMAIN_CORE]; gpu->sample_at <= step; gpu->sample_at += gpu->sample_cycles * period) {
        const uint64_t cycle = gpu->sample_at / period;
        cw_gpu__count(gpu, cycle, CW_GPU_COUNT_UNTIL);
        cw_gpu__count(gpu, cycle, CW_GPU_COUNT_LATE);
        gpu->on_sample(gpu->context, gpu, cycle);
    }
}

static int load(struct cw_gpu *gpu, struct cw_state *saved)
{
    cw_gpu__state(gpu, saved);
    return saved->status;
}

static int save(struct cw_gpu *gpu, struct cw_error *err)
{
    struct cw_state saved;
    gpu->save_at = CW_TIME_NEVER;
    cw_state_save_begin(&saved, err);
    cw_gpu__state(gpu, &saved);
    const int status = saved.status == CW_OK ? gpu->on_save(gpu->context, &saved, err) : saved.status;
    cw_state_end(&saved);
    return status;
}

/* Saves once more, and compares: what was loaded is what was saved. Else names the piece that differs first. */
static int compare(struct cw_gpu *gpu, const struct cw_state *saved, struct cw_error *err)
{
    struct cw_state again;
    size_t at = 0;
    cw_state_save_begin(&again, err);
    cw_gpu__state(gpu, &again);
    while (at < again.bytes && at < saved->bytes && again.stream[at] == saved->stream[at])
        at++;
    const bool same = again.status == CW_OK && at == again.bytes && at == saved->bytes;
    cw_state_end(&again);
    if (same)
        return CW_OK;
    cw_state_save_begin(&again, err);
    again.watch = at;
    cw_gpu__state(gpu, &again);
    const int status = cw_fail(err, CW_ECHECK, "state: %s of %s is not as it was saved, when it is made anew (byte %zu)",
                               again.name != NULL ? again.name : "the end", again.name != NULL ? again.name_group : "all", at);
    cw_state_end(&again);
    return status;
}

/* What is saved, destroyed, made anew and loaded has to go on as if nothing had happened. */
static int renew(struct cw_gpu *gpu, struct cw_error *err)
{
    struct cw_state saved, loaded;
    gpu->renew_at = gpu->now + gpu->renew_cycles * gpu->clocks.period[CW_DOMAIN_CORE];
    cw_state_save_begin(&saved, err);
    cw_gpu__state(gpu, &saved);
    int status = saved.status;
    const struct cw_events events = gpu->events; /* Who listens goes on; an oracle, which is a part of the machine, is not saved. */
    if (status == CW_OK)
        status = cw_gpu__make_machine_anew(gpu, err);
    gpu->events = events;
    if (status == CW_OK)
        status = cw_gpu__begin_launch(gpu, err);
    if (status == CW_OK) {
        cw_state_load_begin(&loaded, saved.stream, saved.bytes, err);
        status = load(gpu, &loaded);
        cw_state_end(&loaded);
    }
    if (status == CW_OK)
        status = compare(gpu, &saved, err);
    cw_state_end(&saved);
    return status;
}

static int steps(struct cw_gpu *gpu, struct cw_error *err)
{
    const uint64_t last_cycle = gpu->began + gpu->max_cycles;
    const cw_time end = gpu->max_cycles == 0 ? CW_TIME_NEVER : (last_cycle + 1) * gpu->clocks.period[CW_DOMAIN_CORE];
    int status = cw_gpu__progress_due(gpu, err);
    if (status != CW_OK)
        return status;
    gpu->renew_at = gpu->renew_cycles != 0 ? gpu->now + gpu->renew_cycles * gpu->clocks.period[CW_DOMAIN_CORE] : CW_TIME_NEVER;
    while (!at_rest(gpu)) {
        if (gpu->now >= gpu->renew_at && (status = renew(gpu, err)) != CW_OK)
            return status;
        if (gpu->now >= gpu->save_at && (status = save(gpu, err)) != CW_OK)
            return status;
        cw_time due[CW_DOMAIN_COUNT];
        const cw_time step = cw_gpu__next_step(gpu, due);
        if (step == CW_TIME_NEVER)
            return cw_gpu__deadlock(gpu, "nothing can ever happen again", err);
        if (step >= gpu->sample_at)
            sample(gpu, step < end ? step : end - gpu->clocks.period[CW_DOMAIN_CORE]);
        if (step >= end)
            return out_of_cycles(gpu, last_cycle, err);
        gpu->now = step;
        if (gpu->dispatch_pending && due[CW_DOMAIN_CORE] == step && step >= gpu->dispatch_from)
            gpu->together != NULL ? cw_gpu__together_step(gpu) : dispatch(gpu);
        cw_gpu__tick(gpu, due);
        if (gpu->kernel_ends)
            end_kernel(gpu);
        if (gpu->on_step != NULL)
            gpu->on_step(gpu->context, gpu, step);
        status = checks_after_step(gpu, err);
        if (status != CW_OK)
            return status;
    }
    return CW_OK;
}

int cw_gpu__run(struct cw_gpu *gpu, struct cw_state *saved, struct cw_error *err)
{
    int status = CW_OK;
    gpu->began = cw_gpu_cycles(gpu);
    cw_gpu__count(gpu, cw_gpu_cycles(gpu), CW_GPU_COUNT_FROM);
    cw_gpu__watchdog_reset(gpu);
    if (saved != NULL)
        status = load(gpu, saved);
    if (status == CW_OK)
        status = steps(gpu, err);
    cw_gpu__count(gpu, cw_gpu_cycles(gpu), CW_GPU_COUNT_UNTIL);
    if (gpu->on_sample != NULL)
        cw_gpu__count(gpu, cw_gpu_cycles(gpu), CW_GPU_COUNT_LATE);
    return status;
}
