/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches without time. One core runs the blocks one after the other, so their registers and shared memory stay in the host's caches. A
 * block may wait for another one: by a barrier of the whole grid, or by a lock. When nothing but polling is left to do, a further block
 * begins, on any core that has room, until as many are there as the machine would hold at once. Blocks that do not hear of each other can
 * have threads of the host (crew.c).
 *
 * The cores are not those of timed launches, whose caches, queues and counters stay as they are. They are made when they are needed.
 */
#include <stdlib.h>
#include <string.h>

#include "control/control.h"
#include "core/functional.h"
#include "gpu/gpu_private.h"
#include "mem/direct.h"

#define ASK_EACH      4096u  /* Warp instructions after which the host's clock is read */
#define THREADS_WORTH 20000u /* Warp instructions after which threads of the host pay for being made */

/* Zeros, for types that begin at lines of the host. */
static void *in_lines(size_t cnt, size_t bytes)
{
    void *p = aligned_alloc(CW_HOST_LINE, cnt * bytes);
    return p != NULL ? memset(p, 0, cnt * bytes) : NULL;
}

static int create(struct cw_gpu *gpu, struct cw_error *err)
{
    struct cw_gpu_functional *f = calloc(1, sizeof *f);
    gpu->functional = f;
    if (f != NULL) {
        f->config = gpu->config;
        f->on = in_lines(gpu->config.core_count, sizeof *f->on);
        f->untimed = in_lines(gpu->config.core_count, sizeof *f->untimed);
        f->core = calloc(gpu->config.core_count, sizeof *f->core);
        f->prepared = calloc(gpu->config.core_count, sizeof *f->prepared);
    }
    if (f == NULL || f->on == NULL || f->untimed == NULL || f->core == NULL || f->prepared == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    f->config.core_buffer = f->config.core_collectors = 0;
    f->config.icache_bytes = f->config.const_bytes = f->config.texture_bytes = 0;
    f->config.core_scoreboard = CW_SCOREBOARD_REGISTER;
    f->config.core_pipeline = CW_PIPELINE_SPLIT;
    f->config.core_stage_cycles = 1;
    if (f->config.core_divergence != CW_DIVERGENCE_PDOM_ITS)
        f->config.core_divergence = cw_divergence_is_independent(f->config.core_divergence) ? CW_DIVERGENCE_ITS : CW_DIVERGENCE_PDOM;
    return CW_OK;
}

static int create_native(struct cw_gpu *gpu, struct cw_gpu_untimed *u, struct cw_error *err)
{
    if (gpu->native == NULL || u->native != NULL)
        return CW_OK;
    return cw_native_create(&u->native, gpu->functional->untimed[0].native, gpu->native, gpu->native_at_once, err);
}

static int create_core(struct cw_gpu *gpu, uint32_t i, struct cw_error *err)
{
    struct cw_gpu_functional *f = gpu->functional;
    struct cw_gpu_untimed *u = &f->untimed[i];
    const struct cw_control_ops *control;
    int status = cw_control_of(&control, &f->config, err);
    if (status != CW_OK)
        return status;
    const struct cw_core_config c = {
        .config = &f->config,
        .clocks = &gpu->clocks,
        .stats = &u->stats,
        .memory = gpu->memory,
        .index = i,
        .control = control,
        .units = cw_unit_provider_c(),
        .stream = &gpu->functional_events,
        .events = gpu->core_events,
        .oob = &gpu->oob,
        .checks = gpu->checks,
        .progress = &f->on[i].progress,
    };
    status = cw_core_create(&f->core[i], &c, err);
    f->on[i] = (struct cw_functional){.core = f->core[i], .memory = gpu->memory};
    return status == CW_OK ? cw_functional_attach(&f->on[i], err) : status;
}

/* Makes core i ready for the launch, if it is not. owner: the core whose native code it uses. */
static int prepare_core(struct cw_gpu *gpu, uint32_t i, uint32_t owner, struct cw_error *err)
{
    struct cw_gpu_functional *f = gpu->functional;
    int status = f->core[i] != NULL ? CW_OK : create_core(gpu, i, err);
    if (status == CW_OK && !f->prepared[i])
        status = cw_core_prepare(f->core[i], &gpu->launch, err);
    if (status == CW_OK && !f->prepared[i])
        status = create_native(gpu, &f->untimed[owner], err);
    if (status == CW_OK && !f->prepared[i] && f->untimed[owner].native != NULL)
        cw_functional_native(&f->on[i], f->untimed[owner].native);
    f->prepared[i] = status == CW_OK;
    f->used = f->used > i ? f->used : i + 1;
    return status;
}

static void start_block(struct cw_gpu *gpu, uint32_t i)
{
    uint32_t ctaid[3];
    cw_launch_ctaid(&gpu->launch, gpu->blocks_started++, ctaid);
    cw_functional_start_block(&gpu->functional->on[i], ctaid);
}

/* One block more, on the first core that has room for it. *started: there was one. */
static int start_further(struct cw_gpu *gpu, bool *started, struct cw_error *err)
{
    struct cw_gpu_functional *f = gpu->functional;
    *started = false;
    for (uint32_t n = 0; n < gpu->config.core_count && gpu->blocks_started < gpu->blocks_total && !*started; n++) {
        const uint32_t i = (f->next + n) % gpu->config.core_count;
        const int status = prepare_core(gpu, i, 0, err);
        if (status != CW_OK)
            return status;
        if (!cw_core_can_take_block(f->core[i]))
            continue;
        start_block(gpu, i);
        f->next = (i + 1) % gpu->config.core_count;
        *started = true;
    }
    return CW_OK;
}

struct done {
    uint64_t warp, thread; /* Instructions */
    uint64_t progress;
};

static struct done all_done(const struct cw_gpu *gpu)
{
    const struct cw_gpu_functional *f = gpu->functional;
    struct done sum = {0};
    for (uint32_t i = 0; i < f->used; i++) {
        sum.warp += f->on[i].warp_instructions;
        sum.thread += f->on[i].thread_instructions;
        sum.progress += f->on[i].progress;
    }
    return sum;
}

/* After a round of turns, or a turn that is not over. */
static int check(struct cw_gpu *gpu, struct cw_standing *w, struct cw_error *err)
{
    struct cw_gpu_functional *f = gpu->functional;
    const struct done d = all_done(gpu);
    if (gpu->fault_status != CW_OK)
        return cw_fail(err, gpu->fault_status, "%s", gpu->fault.text);
    if (cw_stands(w, d.progress, d.warp, gpu->config.watchdog_livelock_cycles))
        return cw_gpu__deadlock_functional(gpu, f->core, CW_GPU_SPINS, err);
    if (gpu->max_cycles != 0 && d.warp > gpu->max_cycles)
        return cw_fail(err, CW_ELIMIT, "%s: not finished after %llu warp instructions", gpu->launch.kernel->name,
                       (unsigned long long)gpu->max_cycles);
    if (d.warp - f->asked < ASK_EACH)
        return CW_OK;
    f->asked = d.warp;
    return cw_gpu__progress_due(gpu, err);
}

/* Each core with a block has a turn. */
static int turns(struct cw_gpu *gpu, struct cw_standing *w, bool *ran, bool *spins, struct cw_error *err)
{
    struct cw_gpu_functional *f = gpu->functional;
    int status = CW_OK;
    *ran = false;
    *spins = true;
    for (uint32_t i = 0; status == CW_OK && i < f->used; i++) {
        if (!f->prepared[i] || cw_core_idle(f->core[i]))
            continue;
        do {
            *ran |= cw_functional_turn(&f->on[i]);
            *spins &= f->on[i].spins;
            status = f->on[i].in_region ? check(gpu, w, err) : CW_OK;
        } while (status == CW_OK && f->on[i].in_region);
    }
    return status;
}

/* How many host threads may execute blocks of the launch, for which core 0 is prepared. */
static uint32_t threads_for(const struct cw_gpu *gpu)
{
    uint64_t host;
    const uint32_t threads = gpu->threads < gpu->config.core_count ? gpu->threads : gpu->config.core_count;
    if (threads < 2 || gpu->checks != 0 || gpu->max_cycles != 0 || gpu->oob.mode != CW_OOB_FAULT || !cw_memory_direct(gpu->memory, &host))
        return 1;
    return cw_functional_apart(&gpu->functional->on[0]) ? threads : 1;
}

/* The report of a block that does not end, as if it had been alone. */
static int report_block(struct cw_gpu *gpu, const struct cw_crew *crew, struct cw_error *err)
{
    struct cw_core **only = calloc(gpu->config.core_count, sizeof *only);
    if (only == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    only[crew->stuck - gpu->functional->on] = crew->stuck->core;
    gpu->blocks_finished = crew->block;
    const int status = cw_gpu__deadlock_functional(gpu, only, crew->stands ? CW_GPU_SPINS : CW_GPU_HALTED, err);
    free(only);
    return status;
}

static int ask_user(void *context, uint64_t finished, struct cw_error *err)
{
    struct cw_gpu *gpu = context;
    gpu->blocks_finished = gpu->blocks_started + finished;
    return cw_gpu__progress_due(gpu, err);
}

/* The blocks that have not begun, which are at least two. */
static int run_crew(struct cw_gpu *gpu, uint32_t threads, struct cw_error *err)
{
    const uint64_t left = gpu->blocks_total - gpu->blocks_started;
    struct cw_crew crew = {
        .launch = &gpu->launch,
        .on = gpu->functional->on,
        .threads = left < threads ? (uint32_t)left : threads,
        .begin = gpu->blocks_started,
        .end = gpu->blocks_total,
        .livelock_most = gpu->config.watchdog_livelock_cycles,
        .events = &gpu->core_events,
        .ask = ask_user,
        .context = gpu,
    };
    int status = CW_OK;
    for (uint32_t i = 0; i < crew.threads && status == CW_OK; i++)
        status = prepare_core(gpu, i, i, err);
    if (status == CW_OK)
        status = cw_crew_run(&crew, err);
    gpu->blocks_started = gpu->blocks_total;
    gpu->blocks_finished = crew.begin + crew.finished;
    return crew.stuck != NULL ? report_block(gpu, &crew, err) : status;
}

static int run(struct cw_gpu *gpu, struct cw_error *err)
{
    struct cw_gpu_functional *f = gpu->functional;
    struct cw_standing w = {.progress = all_done(gpu).progress};
    int status = cw_gpu__progress_due(gpu, err);
    if (status == CW_OK)
        status = prepare_core(gpu, 0, 0, err);
    const uint32_t threads = status == CW_OK ? threads_for(gpu) : 1;
    while (status == CW_OK && gpu->blocks_finished < gpu->blocks_total) {
        bool ran, spins, started = false;
        if (gpu->blocks_finished == gpu->blocks_started) {
            if (threads > 1 && gpu->blocks_total - gpu->blocks_started > 1 && all_done(gpu).warp >= THREADS_WORTH)
                return run_crew(gpu, threads, err);
            start_block(gpu, 0);
        }
        status = turns(gpu, &w, &ran, &spins, err);
        if (status == CW_OK)
            status = check(gpu, &w, err);
        if (status == CW_OK && spins && gpu->blocks_finished < gpu->blocks_started)
            status = start_further(gpu, &started, err);
        if (status == CW_OK && !ran && !started)
            status = cw_gpu__deadlock_functional(gpu, f->core, CW_GPU_HALTED, err);
    }
    return status;
}

/* What a mechanism does that is neither a transaction nor an order of persists needs the machine. */
static int check_calls(const struct cw_gpu *gpu, struct cw_error *err)
{
    const struct cw_kernel *k = gpu->launch.kernel;
    for (uint32_t i = 0; i < k->intrinsic_cnt; i++) {
        const struct cw_intrinsic *x = k->intrinsic[i];
        if (x->role == CW_INTRINSIC_CALL && !cw_gpu__carries_out(gpu, x, true))
            return cw_fail(err, CW_EUNSUP, "%s: the kernel calls %s (%s), which a functional launch cannot carry out: launch it with time",
                           k->name, x->name, x->what);
    }
    return CW_OK;
}

static int check_machine(struct cw_gpu *gpu, struct cw_error *err)
{
    const uint64_t bytes = (uint64_t)gpu->config.pm_mbytes << 20;
    const uint32_t keeper = bytes != 0 ? cw_gpu__keeper(gpu, CW_PM_BASE, bytes) : gpu->config.core_count;
    if (keeper < gpu->config.core_count)
        return cw_fail(err, CW_EUNSUP,
                       "%s: core %u keeps lines of persistent memory of an earlier kernel, which a functional launch would not see; set "
                       "pm.kernel_end=drain",
                       gpu->launch.kernel->name, keeper);
    return check_calls(gpu, err);
}

int cw_gpu__run_functional(struct cw_gpu *gpu, bool whole, struct cw_error *err)
{
    int status = check_machine(gpu, err);
    if (status == CW_OK && gpu->functional == NULL)
        status = create(gpu, err);
    if (status != CW_OK)
        return status;
    struct cw_gpu_functional *f = gpu->functional;
    f->used = 0;
    f->asked = 0;
    for (uint32_t i = 0; i < gpu->config.core_count; i++) {
        f->prepared[i] = false;
        f->on[i].warp_instructions = f->on[i].thread_instructions = 0;
    }
    status = run(gpu, err);
    gpu->stats.functional_launches += whole;
    gpu->stats.functional_warp_instructions += all_done(gpu).warp;
    gpu->stats.functional_thread_instructions += all_done(gpu).thread;
    gpu->kernel_ends = gpu->dispatch_pending = false;
    return status;
}
