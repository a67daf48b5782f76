/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel launch: checks, memory layout, what the oracles say of it. */
#include <stdlib.h>
#include <string.h>

#include "core/core_local.h"
#include "gpu/gpu_private.h"
#include "mem/address.h"
#include "mem/version.h"

#define SHARED_ALIGN         16u
#define GRID_WORKSPACE_BYTES 8u

static uint32_t align_up(uint32_t value, uint32_t align)
{
    return (value + align - 1) / align * align;
}

/* Replaces the sizes given for __local arguments by offsets behind static and dynamic shared memory. */
static int place_shared(const struct cw_gpu *gpu, struct cw_launch *l, uint8_t *param, const bool *local_size, struct cw_error *err)
{
    const struct cw_kernel *k = l->kernel;
    uint64_t next = (uint64_t)k->shared_bytes;
    if (l->dynamic_shared_bytes > 0 || k->uses_dynamic_shared)
        next = align_up(k->shared_bytes, SHARED_ALIGN) + (uint64_t)l->dynamic_shared_bytes;
    for (uint32_t i = 0; i < k->param_cnt; i++) {
        const struct cw_kernel_param *p = &k->param[i];
        if (local_size == NULL || !local_size[i])
            continue;
        const uint32_t align = p->ptr_align > SHARED_ALIGN ? p->ptr_align : SHARED_ALIGN;
        uint64_t bytes = 0;
        memcpy(&bytes, param + p->offset, p->bytes);
        const uint64_t offset = (next + align - 1) / align * align;
        if (bytes > gpu->config.core_shared_bytes || offset > gpu->config.core_shared_bytes)
            return cw_fail(err, CW_EINVAL, "%s: __local argument %s: %llu bytes do not fit into shared memory of %u bytes", k->name,
                           p->name, (unsigned long long)bytes, gpu->config.core_shared_bytes);
        memcpy(param + p->offset, &offset, p->bytes);
        next = offset + bytes;
    }
    if (next > gpu->config.core_shared_bytes)
        return cw_fail(err, CW_EINVAL, "%s: a block needs %llu bytes of shared memory, a core has %u (core.shared_bytes)", k->name,
                       (unsigned long long)next, gpu->config.core_shared_bytes);
    l->shared_bytes = (uint32_t)next;
    return CW_OK;
}

/* What mechanisms take of a block's shared memory, behind the kernel's own. */
static int place_further(const struct cw_gpu *gpu, struct cw_launch *l, struct cw_error *err)
{
    int status = CW_OK;
    for (uint32_t i = 0; status == CW_OK && i < gpu->mech_cnt; i++) {
        uint32_t bytes = 0;
        if (gpu->mech[i].mech->shared_bytes != NULL && l->kernel->uses_region)
            status = gpu->mech[i].mech->shared_bytes(&bytes, &gpu->config, l, err);
        l->shared_further += bytes;
    }
    return status;
}

static int place_local(struct cw_gpu *gpu, struct cw_error *err)
{
    struct cw_launch *l = &gpu->launch;
    l->log_offset = align_up(l->kernel->local_bytes, 4);
    l->local_bytes = l->log_offset;
    for (uint32_t i = 0; i < gpu->mech_cnt; i++)
        if (gpu->mech[i].mech->local_bytes != NULL && l->kernel->uses_region)
            l->local_bytes += align_up(gpu->mech[i].mech->local_bytes(&gpu->config), 4);
    const uint64_t bytes =
        cw_local_total_bytes(gpu->config.core_count, gpu->config.core_warps * (gpu->config.core_warp_width / CW_LANES), l->local_bytes);
    if (bytes > gpu->local_capacity) {
        int status = cw_memory_alloc(gpu->memory, &gpu->local_base, bytes, CW_REGION_LOCAL, err);
        if (status != CW_OK)
            return status;
        gpu->local_capacity = bytes;
    }
    l->local_base = gpu->local_base;
    return CW_OK;
}

/* Two words: a size, which nobody reads, and the barrier. A launch that has failed leaves it as it was then. */
static int place_workspace(struct cw_gpu *gpu, bool cooperative, struct cw_error *err)
{
    int status = CW_OK;
    if (cooperative && gpu->grid_workspace == 0)
        status = cw_memory_alloc_top(gpu->memory, &gpu->grid_workspace, GRID_WORKSPACE_BYTES, CW_REGION_MODULE, err);
    if (cooperative && status == CW_OK) {
        const uint8_t zeros[GRID_WORKSPACE_BYTES] = {0};
        cw_memory_write(gpu->memory, gpu->grid_workspace, zeros, sizeof zeros);
        gpu->launch.grid_workspace = gpu->grid_workspace;
    }
    return status;
}

static int check_shape(const struct cw_kernel *k, const uint32_t grid[3], const uint32_t block[3], struct cw_error *err)
{
    uint64_t threads = 1, blocks = 1;
    for (int i = 0; i < 3; i++) {
        if (grid[i] == 0 || block[i] == 0)
            return cw_fail(err, CW_EINVAL, "%s: grid and block dimensions are at least 1", k->name);
        if (grid[i] > 0x7fffffffu)
            return cw_fail(err, CW_EINVAL, "%s: grid dimension %u is too large", k->name, grid[i]);
        threads *= block[i];
        if (threads > 1024)
            return cw_fail(err, CW_EINVAL, "%s: a block has at most 1024 threads", k->name);
        blocks *= grid[i];
        if (blocks > UINT64_C(1) << 40)
            return cw_fail(err, CW_EINVAL, "%s: the grid has too many blocks", k->name);
        if (k->reqntid[0] != 0 && block[i] != k->reqntid[i])
            return cw_fail(err, CW_EINVAL, "%s: the kernel requires blocks of %u x %u x %u threads (.reqntid), not of %u x %u x %u",
                           k->name, k->reqntid[0], k->reqntid[1], k->reqntid[2], block[0], block[1], block[2]);
    }
    if (k->max_threads != 0 && threads > k->max_threads)
        return cw_fail(err, CW_EINVAL, "%s: the kernel takes blocks of at most %u threads (.maxntid), not of %u x %u x %u", k->name,
                       k->max_threads, block[0], block[1], block[2]);
    return CW_OK;
}

/* Every intrinsic that the kernel calls needs a mechanism of this GPU that carries it out. */
static int check_intrinsics(const struct cw_gpu *gpu, const struct cw_kernel *k, struct cw_error *err)
{
    for (uint32_t i = 0; i < k->intrinsic_cnt; i++) {
        const struct cw_intrinsic *x = k->intrinsic[i];
        if (cw_gpu__carries_out(gpu, x, false))
            continue;
        if (x->role != CW_INTRINSIC_CALL)
            return cw_fail(err, CW_EINVAL, "%s: the kernel uses transactions; choose a transactional system ('cowarp list' shows all)",
                           k->name);
        return cw_fail(err, CW_EINVAL, "%s: the kernel calls %s (%s), which no mechanism of this GPU carries out", k->name, x->name,
                       x->what);
    }
    return CW_OK;
}

/* Kernels of a module lie one behind the other, at multiples of 256 bytes. NULL: behind the last one. */
static uint64_t code_offset(const struct cw_module *module, const struct cw_kernel *kernel)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < module->kernel_cnt && &module->kernel[i] != kernel; i++)
        offset += align_up(8u * module->kernel[i].uop_cnt, 256);
    return offset;
}

uint64_t cw_gpu_descriptions(const struct cw_gpu *gpu)
{
    return gpu->descriptions;
}

uint64_t cw_gpu_program_bytes(const struct cw_module *module)
{
    const uint64_t code = code_offset(module, NULL), constants = (module->const_bytes + 255) / 256 * 256;
    return code > constants ? code : constants;
}

/* Parameters of a launch have addresses of their own, so that no cache finds those of an earlier one. They come with the host's copies. In
 * GPGPU-Sim they begin at 0 in every launch, and no copy brings them. */
static void place_param(struct cw_gpu *gpu)
{
    struct cw_launch *l = &gpu->launch;
    const uint64_t bytes = align_up(l->kernel->param_bytes, 256);
    if (gpu->config.const_params == CW_PARAMS_SAME)
        return;
    l->param_offset = gpu->param_next % CW_PARAM_BYTES;
    gpu->param_next += bytes;
    const bool came = gpu->host_came;
    if (gpu->config.const_bytes != 0 && gpu->config.const_params == CW_PARAMS_OWN)
        cw_gpu_host_copied(gpu, CW_PARAM_BASE + l->param_offset, l->kernel->param_bytes);
    gpu->host_came = came;
}

/*
 * As a compiler would choose them that knew this machine: those that live at once, and no more than the directives allow. What it would
 * spill for that is not modelled. A directive that cannot be followed does not count.
 *
 * The order of PTX is no schedule: ptxas moves loads to their uses and computes addresses again, so that what lives at once there is an upper
 * bound alone (of 94 loads ptxas keeps 61 registers, of 94 sums 10). It must not refuse a launch: one block fits, whatever is counted.
 */
static uint32_t choose_registers(const struct cw_gpu *gpu, const struct cw_gpu_request *q, uint32_t block_warps,
                                 enum cw_registers_from *from)
{
    const struct cw_config *f = &gpu->config;
    const struct cw_kernel *k = q->kernel;
    const uint32_t threads = k->max_threads <= f->core_warps * f->core_warp_width ? k->max_threads : 0;
    const uint32_t warps = (threads + f->core_warp_width - 1) / f->core_warp_width;
    const uint32_t wanted = k->min_blocks_per_core != 0 ? k->min_blocks_per_core : k->max_blocks_per_core; /* the latter: its old name */
    const bool fit = warps != 0 && wanted <= f->core_blocks && wanted * warps <= f->core_warps;
    const uint32_t bound[] = {
        [CW_REGISTERS_MAXNREG] = k->max_registers,
        [CW_REGISTERS_BLOCK] = cw_core_registers_for(f, 1, warps),
        [CW_REGISTERS_BLOCKS] = fit ? cw_core_registers_for(f, wanted, warps) : 0,
        [CW_REGISTERS_THREAD] = CW_REGISTERS_PTX,
        [CW_REGISTERS_LAUNCHED] = cw_core_registers_for(f, 1, block_warps),
    };
    uint32_t registers = k->live_regs;
    *from = q->registers != 0 ? CW_REGISTERS_REQUESTED : CW_REGISTERS_LIVE;
    for (uint32_t i = CW_REGISTERS_MAXNREG; q->registers == 0 && i <= CW_REGISTERS_LAUNCHED; i++)
        if (bound[i] != 0 && bound[i] < registers) {
            registers = bound[i];
            *from = (enum cw_registers_from)i;
        }
    if (q->functional && q->registers > bound[CW_REGISTERS_LAUNCHED])
        return bound[CW_REGISTERS_LAUNCHED];
    return q->registers != 0 ? q->registers : registers;
}

static bool has_local_sizes(const struct cw_gpu_request *q)
{
    for (uint32_t i = 0; q->local_size != NULL && i < q->kernel->param_cnt; i++)
        if (q->local_size[i])
            return true;
    return false;
}

/* Whether the launch that was described last is this one, but for the values of its parameters. Its module is told from others by its place. */
static bool is_described(const struct cw_gpu *gpu, const struct cw_gpu_request *q)
{
    const struct cw_gpu_described *d = &gpu->described;
    return d->launch.kernel == q->kernel && d->launch.module == q->module && d->program_base == q->program_base &&
           memcmp(d->launch.grid, q->grid, sizeof q->grid) == 0 && memcmp(d->launch.block, q->block, sizeof q->block) == 0 &&
           d->launch.dynamic_shared_bytes == q->dynamic_shared_bytes && d->registers == q->registers &&
           d->launch.static_warps == q->static_warps && !has_local_sizes(q);
}

/* Offsets take the place of sizes in `param`. */
static int describe_anew(const struct cw_gpu *gpu, struct cw_launch *l, const struct cw_gpu_request *q, uint8_t *param,
                         enum cw_registers_from *from, struct cw_error *err)
{
    const struct cw_kernel *k = q->kernel;
    int status = k->refused == NULL ? check_shape(k, q->grid, q->block, err) : cw_fail(err, k->refused_status, "%s", k->refused);
    if (status == CW_OK)
        status = check_intrinsics(gpu, k, err);
    if (status == CW_OK && q->registers > CW_REGISTERS_MAX)
        status = cw_fail(err, CW_EINVAL, "%s: %u registers of a thread; it has 1 to %u", k->name, q->registers, CW_REGISTERS_MAX);
    if (status != CW_OK)
        return status;
    *l = (struct cw_launch){.kernel = k, .module = q->module, .param = param};
    memcpy(l->grid, q->grid, sizeof l->grid);
    memcpy(l->block, q->block, sizeof l->block);
    l->threads = q->block[0] * q->block[1] * q->block[2];
    l->warps = (l->threads + gpu->config.core_warp_width - 1) / gpu->config.core_warp_width;
    l->dynamic_shared_bytes = q->dynamic_shared_bytes;
    l->static_warps = q->static_warps;
    l->regs_per_thread = choose_registers(gpu, q, l->warps, from);
    l->code_offset = q->program_base + code_offset(q->module, k);
    l->const_offset = q->program_base;
    status = place_shared(gpu, l, param, q->local_size, err);
    return status == CW_OK ? place_further(gpu, l, err) : status;
}

/* What a launch is, as far as it depends on no other one. Who has asked for its occupancy and then makes it has it described once. param: see
 * describe_anew; needed only where the request has sizes. */
static int describe(struct cw_gpu *gpu, struct cw_launch *l, const struct cw_gpu_request *q, uint8_t *param, enum cw_registers_from *from,
                    struct cw_error *err)
{
    struct cw_gpu_described *d = &gpu->described;
    if (is_described(gpu, q)) {
        *l = d->launch;
        *from = d->from;
        return CW_OK;
    }
    const int status = describe_anew(gpu, l, q, param, from, err);
    gpu->descriptions++;
    *d = (struct cw_gpu_described){0};
    if (status == CW_OK && !has_local_sizes(q))
        *d = (struct cw_gpu_described){.launch = *l, .program_base = q->program_base, .registers = q->registers, .from = *from};
    return status;
}

static int prepare(struct cw_gpu *gpu, const struct cw_gpu_request *q, uint8_t *param, struct cw_error *err)
{
    struct cw_launch *l = &gpu->launch;
    enum cw_registers_from from;
    int status = describe(gpu, l, q, param, &from, err);
    if (status != CW_OK)
        return status;
    static const uint8_t nothing[1];
    l->param = param != NULL ? param : q->param != NULL ? q->param : nothing;
    l->gridid = gpu->launches++;
    if (q->functional)
        l->regs_per_thread = 0; /* they bound how many blocks run at once, which without time means nothing */
    place_param(gpu);
    status = place_local(gpu, err);
    if (status == CW_OK)
        status = place_workspace(gpu, q->cooperative, err);
    gpu->blocks_total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    gpu->blocks_started = gpu->blocks_finished = 0;
    return status;
}

/* A copy of the parameter block for offsets in the place of sizes; NULL: out of memory. */
static uint8_t *copy_of_param(const struct cw_gpu_request *q)
{
    uint8_t *copy = calloc(1, q->kernel->param_bytes + 16u);
    if (copy != NULL && q->kernel->param_bytes > 0)
        memcpy(copy, q->param, q->kernel->param_bytes);
    return copy;
}

int cw_gpu_occupancy(struct cw_gpu *gpu, struct cw_gpu_occupancy *o, const struct cw_gpu_request *q, struct cw_error *err)
{
    struct cw_launch l;
    uint8_t *param = has_local_sizes(q) ? copy_of_param(q) : NULL;
    if (param == NULL && has_local_sizes(q))
        return cw_fail(err, CW_ENOMEM, "out of memory");
    memset(o, 0, sizeof *o);
    const int status = describe(gpu, &l, q, param, &o->registers_from, err);
    free(param);
    if (status != CW_OK)
        return status;
    cw_core_occupancy(&o->core, &gpu->config, &l);
    const uint64_t each = ((uint64_t)l.grid[0] * l.grid[1] * l.grid[2] + gpu->config.core_count - 1) / gpu->config.core_count;
    o->threads = l.threads;
    o->warps = l.warps;
    o->registers = l.regs_per_thread;
    o->by_grid = each < UINT32_MAX ? (uint32_t)each : UINT32_MAX - 1;
    o->blocks = o->by_grid < o->core.room ? o->by_grid : o->core.room;
    return CW_OK;
}

/* The oracles judge each launch; their numbers are sums over all, their texts are the last launch's. */
static int judge_persists(struct cw_gpu *gpu, struct cw_error *err)
{
    struct cw_persist_report *sum = &gpu->persist_report, r;
    const int status = cw_persist_check_launched(gpu->persist, &r, err);
    for (const char *text = cw_persist_check_scope(gpu->persist); text != NULL; text = cw_persist_check_scope(gpu->persist))
        if (gpu->on_notice != NULL)
            gpu->on_notice(gpu->context, text);
    r.stores += sum->stores;
    r.persists += sum->persists;
    r.orderings += sum->orderings;
    *sum = r;
    return status;
}

static int judge(struct cw_gpu *gpu, struct cw_error *err)
{
    struct cw_serial_report *sum = &gpu->serial_report, r;
    const int status = cw_serial_check(gpu->serial, &r, err);
    r.committed += sum->committed;
    r.aborted += sum->aborted;
    r.reads += sum->reads;
    r.writes += sum->writes;
    r.value_errors += sum->value_errors;
    r.lost_writes += sum->lost_writes;
    r.inconsistent_aborted += sum->inconsistent_aborted;
    r.unordered_aborted += sum->unordered_aborted;
    r.stray_events += sum->stray_events;
    r.late_reads += sum->late_reads;
    r.early += sum->early;
    if (sum->real_time[0] != '\0')
        memcpy(r.real_time, sum->real_time, sizeof r.real_time);
    *sum = r;
    return status;
}

/* What has passed the crossbars in this launch. */
static void tell_packed(struct cw_gpu *gpu)
{
    char text[200];
    for (uint32_t i = 0; i < gpu->pack_check->cnt; i++) {
        cw_pack_tell(&gpu->pack_check->tally[i], text, sizeof text);
        gpu->core_events.notice(gpu->core_events.context, text);
    }
    gpu->pack_check->cnt = 0;
}

static int launch_timed(struct cw_gpu *gpu, const struct cw_gpu_request *q, struct cw_error *err)
{
    const uint64_t cycle = cw_gpu_cycles(gpu), done = cw_gpu_stats(gpu)->warp_instructions;
    int status = cw_gpu__begin_launch(gpu, err);
    if (status == CW_OK && gpu->persist != NULL)
        status = cw_persist_check_file(gpu->persist, q->module->file, err);
    if (status == CW_OK)
        status = cw_gpu__run(gpu, q->saved, err);
    if (gpu->pack_check != NULL)
        tell_packed(gpu);
    if (status == CW_OK)
        cw_gpu__finish(gpu);
    if (status == CW_OK && gpu->serial != NULL)
        status = judge(gpu, err);
    if (status == CW_OK && gpu->persist != NULL)
        status = judge_persists(gpu, err);
    if (gpu->model != NULL)
        cw_persist_model_launched(gpu->model, q->module, !cw_gpu__keeps_persists(gpu));
    cw_memory_settle(gpu->memory);
    cw_gpu__note_whole(gpu, cw_gpu_cycles(gpu) - cycle, cw_gpu_stats(gpu)->warp_instructions - done);
    return status;
}

static int run_described(struct cw_gpu *gpu, const struct cw_gpu_request *q, struct cw_error *err)
{
    if (q->functional)
        return cw_gpu__run_functional(gpu, true, err);
    return cw_gpu__is_sampled(gpu, q) ? cw_gpu__run_sampled(gpu, err) : launch_timed(gpu, q, err);
}

int cw_gpu_launch(struct cw_gpu *gpu, const struct cw_gpu_request *q, struct cw_error *err)
{
    uint8_t *block_param = has_local_sizes(q) ? copy_of_param(q) : NULL;
    if (block_param == NULL && has_local_sizes(q))
        return cw_fail(err, CW_ENOMEM, "out of memory");
    int status = prepare(gpu, q, block_param, err);
    if (status == CW_OK && gpu->sanitizer != NULL)
        cw_sanitizer_launch(gpu->sanitizer,
                            &(struct cw_sanitizer_launch){q->module, q->kernel, gpu->launch.shared_bytes, q->stream, q->before});
    if (q->passed)
        gpu->blocks_finished = gpu->blocks_total;
    bool plain = status == CW_OK && gpu->baseline && !q->functional && !q->passed;
    if (plain) {
        status = cw_version_hide(gpu->memory, err);
        plain = status == CW_OK;
    }
    if (status == CW_OK && !q->passed)
        status = run_described(gpu, q, err);
    if (plain)
        cw_version_show(gpu->memory);
    free(block_param);
    gpu->launch.param = NULL;
    return status;
}

bool cw_gpu_runs_together(const struct cw_gpu *gpu)
{
    return gpu->config.gpu_kernels > 1 && gpu->sampling.bound == 0 && !gpu->has_stateful && gpu->serial == NULL && gpu->persist == NULL &&
           gpu->model == NULL && gpu->sanitizer == NULL && gpu->on_save == NULL && gpu->renew_cycles == 0;
}

/* What the works have in common; no launch has been prepared. */
static int make_together(struct cw_gpu *gpu, struct cw_gpu_together *t, uint32_t cnt, struct cw_error *err)
{
    const uint32_t cores = gpu->config.core_count;
    t->resident = calloc(cnt, sizeof *t->resident);
    t->owner = calloc(cores, sizeof *t->owner);
    t->before = gpu->part != NULL ? calloc(cores, sizeof *t->before) : NULL;
    if (gpu->of_core == NULL)
        gpu->of_core = calloc(cores, sizeof *gpu->of_core);
    if (gpu->of_core == NULL || t->resident == NULL || t->owner == NULL || (gpu->part != NULL && t->before == NULL))
        return cw_fail(err, CW_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < cores; i++)
        t->owner[i] = CW_NOBODY;
    t->fresh = gpu->launches == 0;
    return CW_OK;
}

static int prepare_work(struct cw_gpu *gpu, uint32_t i, struct cw_error *err)
{
    struct cw_gpu_resident *r = &gpu->apart.resident[i];
    const struct cw_gpu_request *q = gpu->apart.work[i].request;
    if (q->functional || q->cooperative || q->baseline || q->passed || q->saved != NULL || has_local_sizes(q))
        return cw_fail(err, CW_EINVAL, "%s: a launch of this kind runs alone", q->kernel->name);
    const int status = prepare(gpu, q, NULL, err);
    r->launch = gpu->launch;
    r->blocks = gpu->blocks_total;
    return status;
}

/* Each kernel that runs at once has local memory of its own. */
static int place_apart(struct cw_gpu *gpu, struct cw_gpu_together *t, uint32_t kernels, struct cw_error *err)
{
    int status = CW_OK;
    const uint32_t most = kernels < gpu->config.gpu_kernels ? kernels : gpu->config.gpu_kernels;
    t->local_bytes = gpu->local_capacity;
    const uint64_t bytes = t->local_bytes * most;
    if (bytes > gpu->apart_bytes) {
        if (gpu->apart_bytes != 0)
            cw_memory_free(gpu->memory, gpu->apart_base, NULL);
        gpu->apart_bytes = 0;
        status = cw_memory_alloc_top(gpu->memory, &gpu->apart_base, bytes, CW_REGION_LOCAL, err);
        gpu->apart_bytes = status == CW_OK ? bytes : 0;
    }
    t->local_base = gpu->apart_base;
    return status;
}

static int run_together(struct cw_gpu *gpu, struct cw_error *err)
{
    gpu->together = &gpu->apart;
    gpu->kernel_ends = false;
    gpu->blocks_started = gpu->blocks_finished = 0;
    cw_memory_reload(gpu->memory);
    cw_gpu__together_step(gpu);
    int status = gpu->fault_status == CW_OK ? cw_gpu__run(gpu, NULL, err) : cw_fail(err, gpu->fault_status, "%s", gpu->fault.text);
    if (status == CW_OK)
        cw_gpu__finish(gpu);
    cw_memory_settle(gpu->memory);
    gpu->together = NULL;
    return status;
}

int cw_gpu_launch_together(struct cw_gpu *gpu, struct cw_gpu_work *work, uint32_t cnt, int (*host)(void *context, uint32_t i),
                           void *context, struct cw_error *err)
{
    uint64_t blocks = 0;
    uint32_t kernels = 0;
    if (!cw_gpu_runs_together(gpu))
        return cw_fail(err, CW_EINVAL, "this GPU runs one kernel after the other");
    cw_gpu__forget_together(gpu);
    gpu->apart = (struct cw_gpu_together){.work = work, .cnt = cnt, .host = host, .context = context};
    int status = make_together(gpu, &gpu->apart, cnt, err);
    for (uint32_t i = 0; status == CW_OK && i < cnt; i++)
        if (work[i].request != NULL && (status = prepare_work(gpu, i, err)) == CW_OK) {
            blocks += gpu->apart.resident[i].blocks;
            kernels++;
        }
    if (status == CW_OK)
        status = place_apart(gpu, &gpu->apart, kernels, err);
    gpu->blocks_total = blocks;
    if (status == CW_OK)
        status = run_together(gpu, err);
    gpu->launch.param = NULL;
    return status;
}
