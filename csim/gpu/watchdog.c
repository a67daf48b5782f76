/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlock and livelock are results: a report of who waits for whom, and CW_EDEADLOCK. */
#define _GNU_SOURCE /* open_memstream */
#include <stdio.h>
#include <stdlib.h>

#include "gpu/gpu_private.h"

void cw_gpu__watchdog_reset(struct cw_gpu *gpu)
{
    gpu->watchdog = (struct cw_watchdog){
        .instructions = cw_gpu_stats(gpu)->warp_instructions,
        .progress = gpu->progress,
        .instructions_at = gpu->now,
        .progress_at = gpu->now,
    };
}

/* Warps that poll memory in vain, one per core; those whose other lanes wait below in the SIMT stack are the SIMT deadlock of Fung 2015,
 * Example 5. */
static bool report_spinning(const struct cw_gpu *gpu, struct cw_core *const *core, FILE *out)
{
    bool simt = false;
    for (uint32_t i = 0; i < gpu->config.core_count; i++) {
        struct cw_core_spin s;
        if (core[i] == NULL || !cw_core_spin_report(core[i], &s))
            continue;
        simt |= s.waiting != 0;
        fprintf(out, "%s: core %u warp %u block (%u, %u, %u) spins at %s:%u: lanes 0x%08llx have polled memory %u times in vain",
                s.waiting != 0 ? "SIMT deadlock" : "spinning", i, s.warp, s.ctaid[0], s.ctaid[1], s.ctaid[2], gpu->launch.module->file,
                s.line, (unsigned long long)s.lanes, s.iterations);
        if (s.waiting != 0)
            fprintf(out, ", while lanes 0x%08llx of the same warp wait for them at the reconvergence point", (unsigned long long)s.waiting);
        fprintf(out, "\n");
    }
    return simt;
}

static void report_mechanisms(const struct cw_gpu *gpu, FILE *out)
{
    for (uint32_t m = 0; m < gpu->mech_cnt; m++)
        for (uint32_t i = 0; gpu->mech[m].mech->core != NULL && gpu->mech[m].mech->core->report != NULL && i < gpu->config.core_count; i++)
            gpu->mech[m].mech->core->report(gpu->mech[m].mech->core_self(gpu->mech[m].self, i), out);
}

/* Fills gpu->report. Returns what has happened, which may be more than `what`. */
static const char *write_report(struct cw_gpu *gpu, struct cw_core *const *core, bool functional, const char *what)
{
    size_t size = 0;
    free(gpu->report);
    gpu->report = NULL;
    FILE *out = open_memstream(&gpu->report, &size);
    if (out == NULL)
        return what;
    if (report_spinning(gpu, core, out))
        what = "lanes spin for what lanes of their own warp hold (SIMT deadlock; the report names them)";
    for (uint32_t i = 0; i < gpu->config.core_count; i++)
        if (core[i] != NULL)
            cw_core_report(core[i], out);
    if (!functional)
        report_mechanisms(gpu, out);
    fclose(out);
    return what;
}

int cw_gpu__deadlock(struct cw_gpu *gpu, const char *what, struct cw_error *err)
{
    what = write_report(gpu, gpu->core, false, what);
    return cw_fail(err, CW_EDEADLOCK, "%s: deadlock at cycle %llu: %s; %llu of %llu blocks are done", gpu->launch.kernel->name,
                   (unsigned long long)cw_gpu_cycles(gpu), what, (unsigned long long)gpu->blocks_finished,
                   (unsigned long long)gpu->blocks_total);
}

int cw_gpu__deadlock_functional(struct cw_gpu *gpu, struct cw_core *const *core, const char *what, struct cw_error *err)
{
    what = write_report(gpu, core, true, what);
    return cw_fail(err, CW_EDEADLOCK, "%s: deadlock: %s; %llu of %llu blocks are done", gpu->launch.kernel->name, what,
                   (unsigned long long)gpu->blocks_finished, (unsigned long long)gpu->blocks_total);
}

static bool anyone_backs_off(const struct cw_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->config.core_count; i++)
        if (cw_core_backs_off(gpu->core[i], gpu->now))
            return true;
    return false;
}

/* A transaction that nobody aborts gets on by its loads, which look like polling: they are no progress until it is known to be long. */
static bool has_long_attempt(const struct cw_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->config.core_count; i++)
        if (cw_core_has_long_attempt(gpu->core[i], gpu->config.watchdog_livelock_cycles, gpu->now))
            return true;
    return false;
}

/* Who backs off for long tries seldom, and has to be given several tries. */
static uint64_t livelock_cycles(const struct cw_gpu *gpu)
{
    uint64_t longest = 0;
    for (uint32_t i = 0; i < gpu->config.core_count; i++) {
        const uint64_t cycles = cw_core_longest_back_off(gpu->core[i]);
        longest = cycles > longest ? cycles : longest;
    }
    return gpu->config.watchdog_livelock_cycles + 4 * longest;
}

int cw_gpu__watchdog_check(struct cw_gpu *gpu, struct cw_error *err)
{
    struct cw_watchdog *w = &gpu->watchdog;
    const cw_time cycle = gpu->clocks.period[CW_DOMAIN_CORE];
    const uint64_t instructions = cw_gpu_stats(gpu)->warp_instructions;
    if (instructions != w->instructions) {
        w->instructions = instructions;
        w->instructions_at = gpu->now;
    }
    if (gpu->progress != w->progress) {
        w->progress = gpu->progress;
        w->progress_at = gpu->now;
        w->instructions_at = gpu->now;
    }
    if (gpu->now - w->instructions_at > gpu->config.watchdog_cycles * cycle && !anyone_backs_off(gpu))
        return cw_gpu__deadlock(gpu, "no instruction has issued for watchdog.cycles", err);
    if (gpu->now - w->progress_at > livelock_cycles(gpu) * cycle && !has_long_attempt(gpu))
        return cw_gpu__deadlock(gpu, "warps spin without any of them getting on (watchdog.livelock_cycles)", err);
    return CW_OK;
}
