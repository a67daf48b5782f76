/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlock and livelock are results: a report of who waits for whom, and CW_EDEADLOCK. And a caller may want to stop. */
#define _GNU_SOURCE /* open_memstream */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gpu/gpu_private.h"
#include "mem/nvm.h"

/* Crossbars, banks, DRAM and persistent memory: of the chip, however its counters are shared out. */
static uint64_t moves(const struct cw_gpu *gpu)
{
    const struct cw_stats *s = cw_gpu_stats(gpu);
    return s->noc_up_packets + s->noc_down_packets + s->l2_reads + s->l2_writes + s->l2_atomics + s->dram_reads + s->dram_writes +
           s->dram_row_copies + s->nvm_reads + s->nvm_writes;
}

void cw_gpu__watchdog_reset(struct cw_gpu *gpu)
{
    gpu->watchdog = (struct cw_watchdog){
        .instructions = cw_gpu_stats(gpu)->warp_instructions,
        .progress = gpu->progress,
        .moved = moves(gpu),
        .instructions_at = gpu->now,
        .progress_at = gpu->now,
        .stands_since = gpu->now,
    };
}

static const char scope_of_load[] = "lanes poll a copy in their own L1, and memory has another value: the scope of the load is too narrow";
static const char scope_of_store[] =
    "lanes poll a word that another core's L1 has dirty: the scope of the store is too narrow, or a release is missing";

/* The word that a spinning warp polls, wherever it is. */
struct polled {
    uint32_t memory, owner; /* owner: the core whose L1 has it dirty */
    bool has_own, has_other;
    struct cw_core_copy own, other;
    const char *why; /* why the warp cannot see its last value; NULL: it can */
};

static struct polled find_polled(const struct cw_gpu *gpu, struct cw_core *const *core, uint32_t reader, const struct cw_core_spin *s)
{
    struct polled p = {0};
    cw_memory_read(gpu->memory, s->poll_at, &p.memory, sizeof p.memory);
    p.has_own = cw_core_copy_report(core[reader], s->poll_at, &p.own);
    for (uint32_t i = 0; i < gpu->config.core_count && !p.has_other; i++) {
        p.owner = i;
        p.has_other = i != reader && core[i] != NULL && cw_core_copy_report(core[i], s->poll_at, &p.other) && p.other.dirty;
    }
    if (p.has_other && p.other.value != (p.has_own ? p.own.value : p.memory))
        p.why = scope_of_store;
    else if (p.has_own && !p.own.dirty && p.own.value != p.memory)
        p.why = scope_of_load;
    return p;
}

static void report_polled(const struct polled *p, uint32_t reader, const struct cw_core_spin *s, FILE *out)
{
    fprintf(out, "core %u polls 0x%llx in line %u, at %s scope: memory has 0x%x", reader, (unsigned long long)s->poll_at, s->poll->line,
            s->poll->scope == CW_SCOPE_CTA ? "block" : "device", p->memory);
    if (p->has_own)
        fprintf(out, ", its own L1 0x%x%s", p->own.value, p->own.dirty ? ", dirty" : "");
    if (p->has_other)
        fprintf(out, ", the L1 of core %u 0x%x, dirty: by a store without scope or of block scope", p->owner, p->other.value);
    fprintf(out, "\n");
}

static void report_spin(const struct cw_gpu *gpu, uint32_t core, const struct cw_core_spin *s, bool simt, FILE *out)
{
    fprintf(out, "%s: core %u warp %u block (%u, %u, %u) spins at %s:%u: lanes 0x%08llx have polled memory %u times in vain",
            simt ? "SIMT deadlock" : "spinning", core, s->warp, s->ctaid[0], s->ctaid[1], s->ctaid[2], gpu->launch.module->file, s->line,
            (unsigned long long)s->lanes, s->iterations);
    if (s->waiting != 0)
        fprintf(out, ", while lanes 0x%08llx of the same warp wait for them at the reconvergence point%s", (unsigned long long)s->waiting,
                !cw_divergence_is_independent(gpu->config.core_divergence) ? " (core.divergence=its lets them run)" : "");
    fprintf(out, "\n");
}

/* Warps that poll memory in vain, one per core. Those whose other lanes wait below in the SIMT stack are the SIMT deadlock of Fung 2015,
 * Example 5, unless the value that they wait for is there, in a cache where they do not see it. Returns which; NULL: neither. */
static const char *report_spinning(const struct cw_gpu *gpu, struct cw_core *const *core, bool functional, FILE *out)
{
    const char *hidden = NULL;
    bool simt = false;
    for (uint32_t i = 0; i < gpu->config.core_count; i++) {
        struct cw_core_spin s;
        struct polled p = {0};
        if (core[i] == NULL)
            continue;
        cw_core_find_waiting(core[i]);
        if (!cw_core_spin_report(core[i], &s))
            continue;
        const bool polls = s.poll != NULL && !functional;
        if (polls)
            p = find_polled(gpu, core, i, &s);
        report_spin(gpu, i, &s, s.waiting != 0 && p.why == NULL, out);
        if (polls)
            report_polled(&p, i, &s, out);
        simt |= s.waiting != 0 && p.why == NULL;
        hidden = hidden != NULL ? hidden : p.why;
    }
    if (hidden != NULL)
        return hidden;
    return simt ? "lanes spin for what lanes of their own warp hold (SIMT deadlock; the report names them)" : NULL;
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
    const char *why = report_spinning(gpu, core, functional, out);
    what = why != NULL ? why : what;
    for (uint32_t i = 0; i < gpu->config.core_count; i++)
        if (core[i] != NULL)
            cw_core_report(core[i], out);
    if (!functional)
        cw_gpu__members_report(gpu, out);
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

static struct cw_core_patience patience(const struct cw_gpu *gpu)
{
    const uint64_t still = (gpu->now - gpu->watchdog.stands_since) / gpu->clocks.period[CW_DOMAIN_CORE];
    struct cw_core_patience p = {0};
    for (uint32_t i = 0; i < gpu->config.core_count; i++)
        cw_core_add_patience(gpu->core[i], gpu->now, gpu->config.watchdog_livelock_cycles, still, &p);
    return p;
}

/* Whether nobody gets on. Who backs off for long tries seldom, and is given several tries. A transaction that nobody aborts gets on by its loads,
 * which look like polling: it counts once it is long. A loop with long iterations gets on while it has more and more of them. */
static bool livelocked(struct cw_gpu *gpu, const struct cw_core_patience *p)
{
    struct cw_watchdog *w = &gpu->watchdog;
    const uint64_t cycles = gpu->config.watchdog_livelock_cycles + 4 * p->longest_back_off;
    if (gpu->now - w->progress_at <= cycles * gpu->clocks.period[CW_DOMAIN_CORE] || p->long_attempt)
        return false;
    if (p->polls <= w->polls)
        return true;
    w->polls = p->polls;
    w->progress_at = gpu->now;
    return false;
}

/* What has happened since the last look. While no instruction issues, what moves is what earlier ones have asked for, and comes to an end:
 * threads that spin issue. */
static void look(struct cw_gpu *gpu)
{
    struct cw_watchdog *w = &gpu->watchdog;
    const uint64_t instructions = cw_gpu_stats(gpu)->warp_instructions, moved = moves(gpu);
    if (instructions == w->instructions && moved != w->moved)
        w->instructions_at = w->progress_at = w->stands_since = gpu->now;
    w->moved = moved;
    if (instructions != w->instructions) {
        w->instructions = instructions;
        w->instructions_at = gpu->now;
    }
    if (gpu->progress != w->progress || (gpu->nvm != NULL && cw_nvm_drains(gpu->nvm))) {
        w->progress = gpu->progress;
        w->polls = 0;
        w->progress_at = w->stands_since = gpu->now;
        w->instructions_at = gpu->now;
    }
}

int cw_gpu__watchdog_check(struct cw_gpu *gpu, struct cw_error *err)
{
    struct cw_watchdog *w = &gpu->watchdog;
    const cw_time cycle = gpu->clocks.period[CW_DOMAIN_CORE];
    look(gpu);
    const struct cw_core_patience p = patience(gpu);
    const bool reads = gpu->nvm != NULL && !cw_nvm_idle(gpu->nvm); /* which warps that spin have, too */
    if (gpu->now - w->instructions_at > gpu->config.watchdog_cycles * cycle && !p.backs_off && !reads)
        return cw_gpu__deadlock(gpu, "no instruction has issued for watchdog.cycles", err);
    if (livelocked(gpu, &p))
        return cw_gpu__deadlock(gpu, "warps spin without any of them getting on (watchdog.livelock_cycles)", err);
    return CW_OK;
}

static uint64_t host_ns(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int cw_gpu__progress_due(struct cw_gpu *gpu, struct cw_error *err)
{
    if (gpu->on_progress == NULL)
        return CW_OK;
    const uint64_t ns = host_ns();
    if (gpu->asked_ns == 0) /* The first launch begins */
        gpu->asked_ns = ns;
    if (ns - gpu->asked_ns < 10000000u)
        return CW_OK;
    gpu->asked_ns = ns;
    if (gpu->on_progress(gpu->context, gpu) != 0)
        return cw_fail(err, CW_ELIMIT, "%s: interrupted after %llu cycles", gpu->launch.kernel->name,
                       (unsigned long long)cw_gpu_cycles(gpu));
    return CW_OK;
}
