/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlock and livelock are results: a report of who waits for whom, and CW_EDEADLOCK. */
#define _GNU_SOURCE /* open_memstream */
#include <stdio.h>
#include <stdlib.h>

#include "gpu/gpu_private.h"

void cw_gpu__watchdog_reset(struct cw_gpu *gpu)
{
    gpu->watchdog = (struct cw_watchdog){
        .instructions = gpu->stats.warp_instructions,
        .progress = gpu->progress,
        .instructions_at = gpu->now,
        .progress_at = gpu->now,
    };
}

int cw_gpu__deadlock(struct cw_gpu *gpu, const char *what, struct cw_error *err)
{
    size_t size = 0;
    free(gpu->report);
    gpu->report = NULL;
    FILE *out = open_memstream(&gpu->report, &size);
    if (out != NULL) {
        for (uint32_t i = 0; i < gpu->config.core_count; i++)
            cw_core_report(gpu->core[i], out);
        if (gpu->tm != NULL && gpu->system->core_ops->report != NULL)
            for (uint32_t i = 0; i < gpu->config.core_count; i++)
                gpu->system->core_ops->report(gpu->system->core_self(gpu->tm, i), out);
        fclose(out);
    }
    return cw_fail(err, CW_EDEADLOCK, "%s: deadlock at cycle %llu: %s; %llu of %llu blocks are done", gpu->launch.kernel->name,
                   (unsigned long long)cw_gpu_cycles(gpu), what, (unsigned long long)gpu->blocks_finished,
                   (unsigned long long)gpu->blocks_total);
}

int cw_gpu__watchdog_check(struct cw_gpu *gpu, struct cw_error *err)
{
    struct cw_watchdog *w = &gpu->watchdog;
    const cw_time cycle = gpu->clocks.period[CW_DOMAIN_CORE];
    if (gpu->stats.warp_instructions != w->instructions) {
        w->instructions = gpu->stats.warp_instructions;
        w->instructions_at = gpu->now;
    }
    if (gpu->progress != w->progress) {
        w->progress = gpu->progress;
        w->progress_at = gpu->now;
        w->instructions_at = gpu->now;
    }
    if (gpu->now - w->instructions_at > gpu->config.watchdog_cycles * cycle)
        return cw_gpu__deadlock(gpu, "no instruction has issued for watchdog.cycles", err);
    if (gpu->now - w->progress_at > gpu->config.watchdog_livelock_cycles * cycle)
        return cw_gpu__deadlock(gpu, "warps spin without any of them getting on (watchdog.livelock_cycles)", err);
    return CW_OK;
}
