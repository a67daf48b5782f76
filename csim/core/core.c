/* SPDX-License-Identifier: Apache-2.0 */
/* The core as a component: creation, preparation of a launch, and the tick. */
#include <stdlib.h>
#include <string.h>

#include "core/core_state.h"

/* ---- tick ---- */

static cw_time sooner(cw_time a, cw_time b)
{
    return a < b ? a : b;
}

/* Earliest of what the stages need. */
static cw_time next_wake(const struct cw_core *c)
{
    uint64_t cycle = sooner(sooner(c->issue_next, c->lsu_next), sooner(c->pipe_next, cw_core__wheel_next(c)));
    if (c->log_cnt > 0)
        cycle = sooner(cycle, c->log_done[c->log_head].ready);
    cw_time wake = cycle == CW_CYCLE_NEVER ? CW_TIME_NEVER : cycle * c->period;
    cw_time reply = cw_crossbar_next(c->cfg.down, c->cfg.index);
    if (reply <= c->now) /* more than one has come; one is taken per cycle */
        reply = c->now + c->period;
    return sooner(sooner(wake, reply), c->tm_next);
}

/* Stages in reverse order, so that what a stage passes on is seen in the next cycle. */
static void core_tick(void *self, cw_time now)
{
    struct cw_core *c = self;
    c->component.wake = CW_TIME_NEVER;
    if (c->faulted || c->launch == 0)
        return;
    c->cycle = now == c->now + c->period ? c->cycle + 1 : now / c->period;
    c->now = now;
    cw_core__reply_tick(c);
    cw_core__pipe_tick(c);
    cw_core__log_tick(c);
    cw_core__lsu_tick(c);
    c->tm_next = c->tm != 0 ? c->tm->tick(c->tm_self, now) : CW_TIME_NEVER;
    cw_core__wheel_tick(c);
    cw_core__issue_tick(c);
    c->component.wake = c->faulted ? CW_TIME_NEVER : next_wake(c);
}

/* ---- creation ---- */

/* A 64-byte aligned zeroed array of at least `bytes`, in place of old; NULL when there is no memory (old is gone then). */
static void *storage(void *old, size_t *have, size_t bytes)
{
    bytes = (bytes + 63) / 64 * 64 + 64;
    if (bytes > *have) {
        free(old);
        old = aligned_alloc(64, bytes);
        *have = old != 0 ? bytes : 0;
    }
    if (old != 0)
        memset(old, 0, *have);
    return old;
}

static bool create_arrays(struct cw_core *c)
{
    const struct cw_config *config = c->config;
    c->queue_cap = config->core_mem_queue + 3; /* a generic access may come in parts, one per space */
    c->pipe_cap = config->l1_pipeline + 1;
    c->log_cap = config->l1_latency + 2;
    c->queue = calloc(c->queue_cap, sizeof *c->queue);
    c->pipe = calloc(c->pipe_cap, sizeof *c->pipe);
    c->log_done = calloc(c->log_cap, sizeof *c->log_done);
    c->shared = calloc(1, config->core_shared_bytes);
    c->warp = aligned_alloc(64, (sizeof *c->warp * config->core_warps + 63) / 64 * 64);
    c->tid = calloc(config->core_warps, sizeof *c->tid);
    if (c->warp != 0)
        memset(c->warp, 0, sizeof *c->warp * config->core_warps);
    return c->queue != 0 && c->pipe != 0 && c->log_done != 0 && c->shared != 0 && c->warp != 0 && c->tid != 0;
}

static void create_schedulers(struct cw_core *c)
{
    c->scheduler_cnt = c->config->core_schedulers;
    for (uint32_t s = 0; s < c->scheduler_cnt; s++)
        c->scheduler[s].policy = c->config->core_scheduler;
    for (uint32_t w = 0; w < c->config->core_warps; w++)
        c->scheduler[w % c->scheduler_cnt].warps |= cw_core__bit(w);
    c->fu_warps[CW_FU_ALU] = UINT64_MAX; /* as the warps' zeroed fu says */
}

int cw_core_create(struct cw_core **out, const struct cw_core_config *config, struct cw_error *err)
{
    _Static_assert(CW_SCHED_GTO == 0, "cw_scheduler_pick takes policy 0 for GTO");
    *out = 0;
    size_t bytes = (sizeof(struct cw_core) + 63) / 64 * 64;
    struct cw_core *c = aligned_alloc(64, bytes);
    if (c == 0)
        return cw_fail(err, CW_ENOMEM, "no memory for a core");
    memset(c, 0, bytes);
    c->cfg = *config;
    c->config = config->config;
    c->period = config->clocks->period[CW_DOMAIN_CORE];
    c->component = (struct cw_component){.tick = core_tick, .self = c, .wake = CW_TIME_NEVER, .domain = CW_DOMAIN_CORE};
    c->pipe_stalled_at = c->l1_port_cycle = CW_CYCLE_NEVER;
    create_schedulers(c);
    int status = cw_l1_create(&c->l1, c->config->l1_bytes, c->config->l1_ways, c->config->l1_mshrs, c->config->l1_mshr_merge, err);
    if (status == 0 && !create_arrays(c))
        status = cw_fail(err, CW_ENOMEM, "no memory for a core");
    if (status != 0) {
        cw_core_destroy(c);
        return status;
    }
    cw_crossbar_on_arrival(config->down, config->index, &c->component.wake);
    cw_crossbar_on_space(config->up, config->index, &c->component.wake);
    *out = c;
    return 0;
}

void cw_core_destroy(struct cw_core *c)
{
    if (c == 0)
        return;
    void *owned[] = {c->queue, c->pipe, c->log_done, c->shared,     c->warp,     c->tid,      c->op,       c->r32,
                     c->r64,   c->pred, c->cc,       c->slot_cycle, c->r32_save, c->r64_save, c->pred_save};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    for (uint32_t i = 0; i < c->inst_chunk_cnt; i++)
        free(c->inst_chunk[i]);
    free(c->inst_chunk);
    cw_l1_destroy(&c->l1);
    free(c);
}

struct cw_component *cw_core_component(struct cw_core *c)
{
    return &c->component;
}

void cw_core_attach_tm(struct cw_core *c, const struct cw_core_sockets *ops, void *tm_self)
{
    c->tm = ops;
    c->tm_self = tm_self;
}

/* ---- launch ---- */

static int allocate_registers(struct cw_core *c, const struct cw_kernel *k, struct cw_error *err)
{
    size_t warps = c->config->core_warps, lanes = warps * CW_LANES, *have = c->storage_bytes;
    size_t tx = k->uses_region ? 1 : 0;
    c->r32 = storage(c->r32, &have[0], k->r32_cnt * lanes * 4);
    c->r64 = storage(c->r64, &have[1], k->r64_cnt * lanes * 8);
    c->pred = storage(c->pred, &have[2], k->pred_cnt * warps * 4);
    c->cc = storage(c->cc, &have[3], warps * 4);
    c->slot_cycle = storage(c->slot_cycle, &have[4], cw_scoreboard_slots(k) * warps * 8);
    c->r32_save = storage(c->r32_save, &have[5], tx * k->r32_cnt * lanes * 4);
    c->r64_save = storage(c->r64_save, &have[6], tx * k->r64_cnt * lanes * 8);
    c->pred_save = storage(c->pred_save, &have[7], tx * k->pred_cnt * warps * 4);
    if (c->r32 == 0 || c->r64 == 0 || c->pred == 0 || c->cc == 0 || c->slot_cycle == 0 || c->r32_save == 0 || c->r64_save == 0 ||
        c->pred_save == 0)
        return cw_fail(err, CW_ENOMEM, "no memory for the registers of kernel %s", k->name);
    return 0;
}

static int compile_ops(struct cw_core *c, const struct cw_kernel *k, struct cw_error *err)
{
    if (k->uop_cnt > c->op_cap) {
        free(c->op);
        c->op = malloc(k->uop_cnt * sizeof *c->op);
        c->op_cap = c->op != 0 ? k->uop_cnt : 0;
        if (c->op == 0)
            return cw_fail(err, CW_ENOMEM, "no memory for kernel %s", k->name);
    }
    c->uop = k->uop;
    for (uint32_t i = 0; i < k->uop_cnt; i++) {
        int status = cw_issue_op_compile(&c->op[i], k, &k->uop[i], c->config, err);
        if (status != 0)
            return status;
    }
    return 0;
}

/* What of a warp's view is the same for all blocks of the launch. */
static void prepare_warps(struct cw_core *c, const struct cw_launch *l)
{
    const uint32_t warps = c->config->core_warps;
    const size_t slots = cw_scoreboard_slots(l->kernel);
    for (uint32_t w = 0; w < warps; w++) {
        c->warp[w].slot_cycle = c->slot_cycle + w * slots;
        c->warp[w].x = (struct cw_exec){
            .r32 = c->r32 + (size_t)w * CW_LANES,
            .r64 = c->r64 + (size_t)w * CW_LANES,
            .pred = c->pred + w,
            .cc = c->cc + w,
            .r32_stride = warps * CW_LANES,
            .r64_stride = warps * CW_LANES,
            .pred_stride = warps,
            .kernel = l->kernel,
            .param = l->param,
            .nwarpid = warps,
            .smid = c->cfg.index,
            .nsmid = c->config->core_count,
            .gridid = l->gridid,
            .dynamic_smem = l->dynamic_shared_bytes,
            .total_smem = l->shared_bytes,
        };
    }
}

#define REGISTER_UNIT 64u  /* registers are given to warps in such units (Fermi) */
#define SHARED_UNIT   128u /* bytes */

static uint32_t round_up(uint32_t n, uint32_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* How many blocks the core holds at once; each gets a slice of shared memory. */
static int size_blocks(struct cw_core *c, const struct cw_launch *l, struct cw_error *err)
{
    const struct cw_config *f = c->config;
    c->block_regs = l->warps * round_up(l->regs_per_thread * CW_LANES, REGISTER_UNIT);
    c->block_shared = round_up(l->shared_bytes, SHARED_UNIT);
    if (c->block_shared > f->core_shared_bytes && l->shared_bytes <= f->core_shared_bytes)
        c->block_shared = l->shared_bytes;
    if (l->warps > f->core_warps)
        return cw_fail(err, CW_EINVAL, "kernel %s: a block of %u threads needs %u warps, a core has %u (core.warps)", l->kernel->name,
                       l->threads, l->warps, f->core_warps);
    if (c->block_regs > f->core_registers)
        return cw_fail(err, CW_EINVAL, "kernel %s: a block needs %u registers (%u per thread), a core has %u (core.registers)",
                       l->kernel->name, c->block_regs, l->regs_per_thread, f->core_registers);
    if (c->block_shared > f->core_shared_bytes)
        return cw_fail(err, CW_EINVAL, "kernel %s: a block needs %u bytes of shared memory, a core has %u (core.shared_bytes)",
                       l->kernel->name, c->block_shared, f->core_shared_bytes);
    c->blocks_max = f->core_blocks;
    if (c->block_shared != 0 && f->core_shared_bytes / c->block_shared < c->blocks_max)
        c->blocks_max = f->core_shared_bytes / c->block_shared;
    return 0;
}

int cw_core_prepare(struct cw_core *c, const struct cw_launch *launch, struct cw_error *err)
{
    c->launch = 0;
    int status = size_blocks(c, launch, err);
    if (status == 0)
        status = allocate_registers(c, launch->kernel, err);
    if (status == 0)
        status = compile_ops(c, launch->kernel, err);
    if (status != 0)
        return status;
    prepare_warps(c, launch);
    memset(c->shared, 0, c->config->core_shared_bytes);
    c->launch = launch;
    return 0;
}

bool cw_core_idle(const struct cw_core *c)
{
    return c->resident == 0 && c->inst_out == 0 && c->acks == 0 && c->l1.mshr_used == 0 && c->log_cnt == 0 &&
           (c->tm == 0 || c->tm->idle(c->tm_self));
}

void cw_core_flush(struct cw_core *c)
{
    cw_l1_reset(&c->l1);
}
