/* SPDX-License-Identifier: Apache-2.0 */
/* The core as a component: creation, preparation of a launch, and the tick. */
#include <stddef.h>
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
    uint64_t cycle = sooner(sooner(c->issue.next, c->lsu.next), sooner(c->pipe.next, cw_core__wheel_next(c)));
    cycle = sooner(cycle, c->control_next);
    if ((c->misses.cnt | c->pipe.log_cnt | c->flush.busy) != 0) {
        cycle = sooner(cycle, c->flush.next);
        cycle = sooner(cycle, cw_core__miss_next(c));
        cycle = c->pipe.log_cnt > 0 ? sooner(cycle, c->pipe.log_done[c->pipe.log_head].ready) : cycle;
    }
    cw_time wake = cycle == CW_CYCLE_NEVER ? CW_TIME_NEVER : cycle * c->period;
    cw_time reply = cw_crossbar_next(c->cfg.down, c->cfg.index);
    if (reply <= c->now) /* more than one has come; one is taken per cycle */
        reply = c->now + c->period;
    return sooner(sooner(wake, reply), c->mech_next);
}

static cw_time tick_mechanisms(struct cw_core *c, cw_time now)
{
    cw_time next = CW_TIME_NEVER;
    for (uint32_t i = 0; i < c->mech_cnt; i++)
        if (c->mech[i].sockets->tick != NULL)
            next = sooner(next, c->mech[i].sockets->tick(c->mech[i].self, now));
    return next;
}

/* Of caches that only read, and of an L1 that writes back. */
static __attribute__((noinline)) void rare_ticks(struct cw_core *c)
{
    if (c->misses.cnt > 0)
        cw_core__miss_tick(c);
    if (c->flush.next <= c->cycle)
        cw_core__flush_tick(c);
}

/* Stages in reverse order, so that what a stage passes on is seen in the next cycle. */
static void core_tick(void *self, cw_time now)
{
    struct cw_core *c = self;
    c->component.wake = CW_TIME_NEVER;
    if (c->faulted || c->launch == NULL)
        return;
    c->cycle = now == c->now + c->period ? c->cycle + 1 : now / c->period;
    c->now = now;
    cw_core__reply_tick(c);
    cw_core__pipe_tick(c);
    cw_core__log_tick(c);
    cw_core__lsu_tick(c);
    if ((c->misses.cnt | c->flush.busy) != 0)
        rare_ticks(c);
    c->mech_next = tick_mechanisms(c, now);
    if (c->control_next <= c->cycle)
        c->control_next = c->control->ops->tick(c->control, c->cycle);
    cw_core__wheel_tick(c);
    cw_core__issue_tick(c);
    if (c->fetch.ask_cnt != 0) {
        cw_core__fetch_tick(c);
        if (c->stalls != NULL)
            cw_core__stalls_judge(c);
    }
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
        *have = old != NULL ? bytes : 0;
    }
    if (old != NULL)
        memset(old, 0, *have);
    return old;
}

static bool create_arrays(struct cw_core *c)
{
    const struct cw_config *config = c->config;
    c->lsu.most = config->core_mem_queue + (c->collects ? cw_operands_places(config, CW_PIPE_MEM) : 0);
    c->lsu.cap = c->lsu.most + 3 * c->halves; /* a generic access may come in parts, one per space and half */
    c->pipe.cap = config->l1_pipeline + 1;
    c->pipe.log_cap = config->l1_latency + 2;
    c->lsu.queue = calloc(c->lsu.cap, sizeof *c->lsu.queue);
    c->pipe.entry = calloc(c->pipe.cap, sizeof *c->pipe.entry);
    c->pipe.log_done = calloc(c->pipe.log_cap, sizeof *c->pipe.log_done);
    c->shared = calloc(1, config->core_shared_bytes);
    c->misses.cap = config->icache_mshrs + config->const_mshrs;
    c->misses.entry = calloc(c->misses.cap, sizeof *c->misses.entry);
    c->fetch.ask = calloc(c->slots, sizeof *c->fetch.ask);
    c->warp = aligned_alloc(64, (sizeof *c->warp * c->slots + 63) / 64 * 64);
    c->storage.tid = calloc((size_t)c->slots * c->halves, sizeof *c->storage.tid);
    c->wheel.slot = calloc((size_t)CW_WHEEL_SLOTS * c->rows, sizeof *c->wheel.slot);
    if (c->warp != NULL)
        memset(c->warp, 0, sizeof *c->warp * c->slots);
    for (uint32_t w = 0; c->warp != NULL && w < c->slots; w++) {
        c->warp[w].row = &c->row[w / 64];
        c->warp[w].wheel = c->wheel.slot + w / 64 * CW_WHEEL_SLOTS;
    }
    return c->lsu.queue != NULL && c->pipe.entry != NULL && c->pipe.log_done != NULL && c->shared != NULL && c->warp != NULL &&
           c->storage.tid != NULL && c->fetch.ask != NULL && c->misses.entry != NULL && c->wheel.slot != NULL;
}

static void create_schedulers(struct cw_core *c)
{
    c->scheduler_cnt = c->config->core_schedulers;
    for (uint32_t s = 0; s < c->scheduler_cnt; s++)
        c->scheduler[s].policy = c->config->core_scheduler;
    for (uint32_t w = 0; w < c->slots && w < 64; w++)
        c->scheduler[w % c->scheduler_cnt].warps |= cw_core__bit(w);
    for (uint32_t row = 0; row < c->rows; row++)
        c->row[row].fu_warps[CW_FU_ALU] = UINT64_MAX; /* as the warps' zeroed fu says */
}

static void size_rows(struct cw_core *c)
{
    c->slots = cw_control_slots(c->cfg.control, c->config);
    c->rows = (c->slots + 63) / 64;
}

/* What the configuration does not say takes a cycle, or in one pipeline the time of an issue slot. */
static void set_passes(struct cw_core *c)
{
    const struct cw_config *f = c->config;
    const uint32_t step = c->unified ? f->core_issue_cycles : 1;
    c->pass.line = f->l1_pass_cycles != 0 ? f->l1_pass_cycles : step;
    c->pass.miss = f->l1_miss_cycles;
    c->pass.shared = f->shared_pass_cycles != 0 ? f->shared_pass_cycles : step;
    c->pass.constant = f->const_pass_cycles != 0 ? f->const_pass_cycles : step;
}

/* Without operand collectors an instruction is in its unit when it issues, and the load/store unit sees it a cycle later. */
static void set_stages(struct cw_core *c)
{
    c->one_by_one = c->config->core_scoreboard == CW_SCOREBOARD_WARP;
    c->collects = cw_operands_on(c->config);
    c->unified = c->config->core_pipeline == CW_PIPELINE_UNIFIED;
    c->chunks = c->config->core_coalesce == CW_COALESCE_CHUNK && c->line_bytes < CW_CHUNK_BYTES;
    set_passes(c);
    c->buffer = c->config->core_buffer;
    c->stage = c->config->core_stage_cycles;
    c->turn_shift = (uint32_t)__builtin_ctz(c->stage);
    c->mem_stages = c->collects ? c->stage : 1;
    c->result_stages = c->collects ? 2 * c->stage : 0;
    c->write_stages = c->collects ? c->stage : 0;
}

/* The caches that only read, as far as there are any. */
static int create_read_only(struct cw_core *c, struct cw_error *err)
{
    const struct cw_config *f = c->config;
    int status = CW_OK;
    if (f->icache_bytes != 0)
        status = cw_l1_create(&c->fetch.cache, c->line_bytes, f->icache_bytes, f->icache_ways, CW_REPLACE_LRU, f->icache_mshrs,
                              f->icache_mshr_merge, err);
    if (status == CW_OK && f->const_bytes != 0)
        status = cw_l1_create(&c->constants.cache, f->const_line_bytes, f->const_bytes, f->const_ways, CW_REPLACE_LRU, f->const_mshrs,
                              f->const_mshr_merge, err);
    if (status == CW_OK && f->texture_bytes != 0)
        status = cw_l1_create(&c->texture, f->texture_line_bytes, f->texture_bytes, f->texture_ways, CW_REPLACE_LRU, f->texture_mshrs,
                              f->texture_mshr_merge, err);
    c->fetch.cache.linear = c->constants.cache.linear = c->texture.linear = true;
    c->l1.sectored = c->config->l1_sectored == CW_ON;
    c->l1.around = c->config->l1_global == CW_L1_WRITE_BACK && c->config->l1_write_miss == CW_L1_AROUND;
    return status;
}

/* A policy wants its tick in the cycle after this one. */
static void wake_control(void *context)
{
    struct cw_core *c = context;
    c->control_next = sooner(c->control_next, c->cycle + 1); /* one that is due in this cycle is not put off */
}

static void hold_control(void *context, uint32_t block)
{
    struct cw_core *c = context;
    cw_core__barrier_exit(c, &c->block[block]);
}

static void fault_control(void *context, uint32_t warp, const char *text)
{
    struct cw_core *c = context;
    const uint32_t pc = cw_core__pc(c, warp);
    cw_core__fault(c, warp, 0, &c->uop[pc < c->launch->kernel->uop_cnt ? pc : 0], CW_EFAULT, "%s", text);
}

static uint64_t done_control(const void *context, uint32_t home, uint32_t lane)
{
    const struct cw_core *c = context;
    return c->thread_done[home * CW_LANES + lane];
}

static void notice_control(void *context, const char *text)
{
    const struct cw_core *c = context;
    if (c->cfg.events.notice != NULL)
        c->cfg.events.notice(c->cfg.events.context, text);
}

/* What dynamic warps need. */
static bool create_dynamic(struct cw_core *c)
{
    c->dynamic = calloc(c->slots, sizeof *c->dynamic);
    if (c->one_by_one)
        c->thread_done = calloc((size_t)c->slots * CW_LANES, sizeof *c->thread_done);
    c->bar_insn = calloc((size_t)c->slots * CW_LANES, sizeof *c->bar_insn);
    return c->dynamic != NULL && c->bar_insn != NULL && (c->thread_done != NULL || !c->one_by_one);
}

static int create_control(struct cw_core *c, struct cw_error *err)
{
    const struct cw_control_config config = {
        .warps = c->slots,
        .homes = c->config->core_warps,
        .width = c->width,
        .config = c->config,
        .stats = c->cfg.stats,
        .units = c->cfg.units,
        .core = c->cfg.index,
        .host = {c, cw_core__form, &c->cycle, hold_control, wake_control, fault_control, notice_control, done_control},
    };
    c->control_next = c->flush.next = CW_CYCLE_NEVER;
    c->mixes = c->cfg.control->mixes;
    c->unusual = c->cfg.control->regroups || c->cfg.control->may_issue != NULL || c->cfg.control->first != NULL || c->one_by_one ||
                 c->unified || c->rows > 1 || c->cfg.count_stalls;
    if (c->cfg.control->regroups && c->slots > 64)
        return cw_fail(err, CW_EINVAL,
                       "control policy %s makes warps of a core's threads, in at most 64 slots; it has %u: set core.warps=64",
                       c->cfg.control->name, c->slots);
    if (c->cfg.control->regroups && !create_dynamic(c))
        return cw_fail(err, CW_ENOMEM, "no memory for a core");
    return c->cfg.control->create(&c->control, &config, err);
}

static bool core_idle(const void *self)
{
    return cw_core_idle(self);
}

static const struct cw_component_ops component_ops = {
    .kind = "core", .domain = CW_DOMAIN_CORE, .tick = core_tick, .idle = core_idle, .state = cw_core__state};

int cw_core_create(struct cw_core **out, const struct cw_core_config *config, struct cw_error *err)
{
    _Static_assert(CW_SCHED_GTO == 0, "cw_scheduler_pick takes policy 0 for GTO");
    *out = NULL;
    size_t bytes = (sizeof(struct cw_core) + 63) / 64 * 64;
    struct cw_core *c = aligned_alloc(64, bytes);
    if (c == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a core");
    memset(c, 0, bytes);
    c->cfg = *config;
    c->config = config->config;
    c->period = config->clocks->period[CW_DOMAIN_CORE];
    c->width = c->config->core_warp_width;
    c->halves = c->width / CW_LANES;
    c->line_bytes = c->config->mem_line_bytes;
    size_rows(c);
    set_stages(c);
    c->component = cw_component_of(&component_ops, c, config->index);
    c->all_lanes = cw_lanes_below(c->width);
    cw_core__create_classes(c);
    c->pipe.stalled_at = c->constants.stalled_at = c->pipe.port_cycle = CW_CYCLE_NEVER;
    create_schedulers(c);
    int status = cw_l1_create(&c->l1, c->line_bytes, c->config->l1_bytes, c->config->l1_ways,
                              (enum cw_replacement)c->config->l1_replacement, c->config->l1_mshrs, c->config->l1_mshr_merge, err);
    if (status == 0)
        status = create_read_only(c, err);
    if (status == 0 && !create_arrays(c))
        status = cw_fail(err, CW_ENOMEM, "no memory for a core");
    if (status == 0)
        status = create_control(c, err);
    if (status == 0 && config->count_stalls && (c->stalls = cw_core__stalls_create(c)) == NULL)
        status = cw_fail(err, CW_ENOMEM, "no memory for a core");
    if (status != 0) {
        cw_core_destroy(c);
        return status;
    }
    c->control->ops = config->control; /* a policy may take another one's create, and change some functions */
    c->front = c->control->front;
    if (config->down != NULL) {
        cw_crossbar_on_arrival(config->down, config->index, &c->component.wake);
        cw_crossbar_on_space(config->up, config->index, &c->component.wake);
    }
    *out = c;
    return 0;
}

void cw_core_destroy(struct cw_core *c)
{
    if (c == NULL)
        return;
    for (uint32_t w = 0; c->warp != NULL && w < c->slots; w++)
        free(c->warp[w].print);
    if (c->control != NULL)
        c->control->ops->destroy(c->control);
    cw_core__stalls_destroy(c->stalls);
    void *owned[] = {
        c->lsu.queue,      c->pipe.entry,      c->pipe.log_done, c->shared,    c->warp,         c->storage.tid,        c->op,
        c->storage.r32,    c->storage.r64,     c->storage.pred,  c->dynamic,   c->storage.cc,   c->storage.slot_cycle, c->checkpoint.r32,
        c->checkpoint.r64, c->checkpoint.pred, c->mech,          c->fetch.ask, c->misses.entry, c->wheel.slot,         c->thread_done,
        c->branch,         c->bar_insn};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    for (uint32_t i = 0; i < c->pool.chunk_cnt; i++)
        free(c->pool.chunk[i]);
    free(c->pool.chunk);
    cw_l1_destroy(&c->l1);
    cw_l1_destroy(&c->fetch.cache);
    cw_l1_destroy(&c->constants.cache);
    cw_l1_destroy(&c->texture);
    free(c);
}

struct cw_component *cw_core_component(struct cw_core *c)
{
    return &c->component;
}

static uint32_t sockets_taken(const struct cw_core_sockets *s)
{
    return (s->access != NULL ? CW_SOCKET_ACCESS : 0u) | (s->l1_line != NULL ? CW_SOCKET_L1_LINE : 0u) |
           (s->fence != NULL ? CW_SOCKET_FENCE : 0u) | (s->acquire != NULL ? CW_SOCKET_ACQUIRE : 0u) |
           (s->block_start != NULL || s->block_end != NULL ? CW_SOCKET_BLOCK : 0u) | (s->issued != NULL ? CW_SOCKET_ISSUED : 0u) |
           (s->barrier != NULL ? CW_SOCKET_BARRIER : 0u);
}

int cw_core_attach(struct cw_core *c, const struct cw_core_sockets *sockets, void *self, const struct cw_intrinsic *intrinsics,
                   struct cw_error *err)
{
    static const struct cw_core_sockets none = {0};
    const ptrdiff_t region = c->region != NULL ? c->region - c->mech : -1, keeper = c->keeper != NULL ? c->keeper - c->mech : -1;
    struct cw_core_mech *mech = realloc(c->mech, (c->mech_cnt + 1) * sizeof *mech);
    if (mech == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a core");
    c->mech = mech;
    c->region = region >= 0 ? mech + region : NULL;
    c->keeper = keeper >= 0 ? mech + keeper : NULL;
    mech += c->mech_cnt++;
    *mech = (struct cw_core_mech){sockets != NULL ? sockets : &none, self, intrinsics};
    c->taken |= sockets_taken(mech->sockets);
    if (mech->sockets->region_begin != NULL)
        c->region = mech;
    if (mech->sockets->l1_store != NULL)
        c->keeper = mech;
    return CW_OK;
}

/* ---- launch ---- */

static int allocate_registers(struct cw_core *c, const struct cw_kernel *k, struct cw_error *err)
{
    size_t warps = c->config->core_warps, vectors = warps * c->halves, lanes = vectors * CW_LANES, *have = c->storage.bytes;
    size_t saved = k->uses_region ? 1 : 0;
    c->storage.r32 = storage(c->storage.r32, &have[0], k->r32_cnt * lanes * 4);
    c->storage.r64 = storage(c->storage.r64, &have[1], k->r64_cnt * lanes * 8);
    c->storage.pred = storage(c->storage.pred, &have[2], k->pred_cnt * vectors * 4);
    c->storage.cc = storage(c->storage.cc, &have[3], vectors * 4);
    c->storage.slot_cycle = storage(c->storage.slot_cycle, &have[4], cw_scoreboard_slots(k) * c->slots * 8);
    c->checkpoint.r32 = storage(c->checkpoint.r32, &have[5], saved * k->r32_cnt * lanes * 4);
    c->checkpoint.r64 = storage(c->checkpoint.r64, &have[6], saved * k->r64_cnt * lanes * 8);
    c->checkpoint.pred = storage(c->checkpoint.pred, &have[7], saved * k->pred_cnt * vectors * 4);
    if (c->storage.r32 == NULL || c->storage.r64 == NULL || c->storage.pred == NULL || c->storage.cc == NULL ||
        c->storage.slot_cycle == NULL || c->checkpoint.r32 == NULL || c->checkpoint.r64 == NULL || c->checkpoint.pred == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for the registers of kernel %s", k->name);
    return 0;
}

/* Instructions across lanes speak of 32 of them: shfl, vote, match, redux, activemask, and the masks of lanes. */
static bool needs_32_lanes(const struct cw_uop *u)
{
    if (u->op == CW_OP_MOV && u->src[0].kind == CW_OPND_SREG)
        return u->src[0].idx >= CW_SREG_LANEMASK_EQ && u->src[0].idx <= CW_SREG_LANEMASK_GT;
    return u->op == CW_OP_SHFL || u->op == CW_OP_VOTE || u->op == CW_OP_MATCH || u->op == CW_OP_ELECT || u->op == CW_OP_REDUX ||
           u->op == CW_OP_ACTIVEMASK || u->op == CW_OP_MMA;
}

/* The mechanism that carries out an intrinsic; mech_cnt: none. */
static uint32_t owner_of(const struct cw_core *c, const struct cw_intrinsic *i)
{
    uint32_t owner = 0;
    while (owner < c->mech_cnt && (c->mech[owner].intrinsics == NULL || !cw_intrinsic_in(c->mech[owner].intrinsics, i)))
        owner++;
    return owner;
}

static struct cw_branch branch_of(const struct cw_core *c, const struct cw_launch *l, uint32_t pc)
{
    const struct cw_uop *u = &l->kernel->uop[pc];
    const uint32_t lcp = c->config->core_lcp;
    const bool likely = lcp == CW_LCP_LOOP || (lcp == CW_LCP_PROFILE && l->kernel->profiled);
    const enum cw_branch_kind kind = u->op == CW_OP_BRA && u->guard < 0 ? CW_BRANCH_ALWAYS
                                     : (u->flags & CW_UF_UNI) != 0      ? CW_BRANCH_UNI
                                                                        : CW_BRANCH_OPEN;
    return (struct cw_branch){
        .target = u->target, .next = pc + 1, .rpc = u->rpc, .lpc = likely ? u->lpc : CW_PC_NONE, .kind = kind, .uniform = u->uniform != 0};
}

static int compile_op(struct cw_core *c, const struct cw_launch *l, uint32_t i, struct cw_error *err)
{
    const struct cw_uop *u = &l->kernel->uop[i];
    if (c->width != CW_LANES && needs_32_lanes(u))
        return cw_fail(err, CW_EUNSUP, "kernel %s: %s:%u: %s works on warps of 32 lanes; set core.warp_width=32", l->kernel->name,
                       l->module->file, u->line, cw_op_mnemonic((enum cw_op)u->op));
    int status = cw_issue_op_compile(&c->op[i], l->kernel, u, c->config, err);
    c->branch[i] = branch_of(c, l, i);
    if (status == CW_OK && u->op == CW_OP_INTRINSIC)
        c->op[i].owner = (uint8_t)owner_of(c, u->intrinsic);
    return status;
}

static int compile_ops(struct cw_core *c, const struct cw_launch *l, struct cw_error *err)
{
    const struct cw_kernel *k = l->kernel;
    if (k->uop_cnt > c->op_cap) {
        free(c->op);
        free(c->branch);
        c->op = malloc(k->uop_cnt * sizeof *c->op);
        c->branch = malloc(k->uop_cnt * sizeof *c->branch);
        c->op_cap = c->op != NULL && c->branch != NULL ? k->uop_cnt : 0;
        if (c->op_cap == 0)
            return cw_fail(err, CW_ENOMEM, "no memory for kernel %s", k->name);
    }
    c->uop = k->uop;
    int status = CW_OK;
    for (uint32_t i = 0; status == CW_OK && i < k->uop_cnt; i++)
        status = compile_op(c, l, i, err);
    return status;
}

/* What PTX leaves open is told once per instruction. */
static void left_open(void *context, const struct cw_uop *u, const struct cw_exec *x, enum cw_exec_open what, uint32_t lane, uint32_t other)
{
    struct cw_core *c = context;
    struct cw_issue_op *op = &c->op[u - c->uop];
    if ((op->told >> what & 1u) == 0)
        cw_core__tell_open(c, u, x, what, lane, other);
    op->told |= (uint8_t)(1u << what);
}

/* What of a warp's view is the same for all blocks of the launch. */
static void prepare_warps(struct cw_core *c, const struct cw_launch *l)
{
    const uint32_t warps = c->config->core_warps, vectors = warps * c->halves;
    const size_t slots = cw_scoreboard_slots(l->kernel);
    for (uint32_t w = 0; w < c->slots; w++)
        c->warp[w].slot_cycle = c->storage.slot_cycle + w * slots;
    for (uint32_t i = 0; i < vectors; i++) {
        c->warp[i / c->halves].x[i % c->halves] = (struct cw_exec){
            .r32 = c->storage.r32 + (size_t)i * CW_LANES,
            .r64 = c->storage.r64 + (size_t)i * CW_LANES,
            .pred = c->storage.pred + i,
            .cc = c->storage.cc + i,
            .r32_stride = vectors * CW_LANES,
            .r64_stride = vectors * CW_LANES,
            .pred_stride = vectors,
            .kernel = l->kernel,
            .param = l->param,
            .nwarpid = warps,
            .smid = c->cfg.index,
            .nsmid = c->config->core_count,
            .gridid = l->gridid,
            .dynamic_smem = l->dynamic_shared_bytes,
            .total_smem = l->shared_bytes - l->kernel->reserved_shared_bytes,
            .aggr_smem = l->shared_bytes,
            .grid_workspace = l->grid_workspace,
            .open = left_open,
            .open_context = c,
        };
    }
}

/* How many blocks the core holds at once; each gets a slice of shared memory. */
static int size_blocks(struct cw_core *c, const struct cw_launch *l, struct cw_error *err)
{
    const struct cw_config *f = c->config;
    struct cw_occupancy o;
    cw_core_occupancy(&o, f, l);
    c->room.block_regs = o.block_registers;
    c->room.block_shared = o.block_shared;
    if (o.by_warps == 0)
        return cw_fail(err, CW_EINVAL, "kernel %s: a block of %u threads needs %u warps, a core has %u (core.warps)", l->kernel->name,
                       l->threads, l->warps, f->core_warps);
    if (o.by_registers == 0)
        return cw_fail(err, CW_EINVAL, "kernel %s: a block needs %u registers (%u per thread), a core has %u (core.registers)",
                       l->kernel->name, c->room.block_regs, l->regs_per_thread, f->core_registers);
    if (o.by_shared == 0)
        return cw_fail(err, CW_EINVAL, "kernel %s: a block needs %u bytes of shared memory, a core has %u (core.shared_bytes)",
                       l->kernel->name, c->room.block_shared, f->core_shared_bytes);
    c->room.blocks_max = o.by_shared < o.by_blocks ? o.by_shared : o.by_blocks;
    return 0;
}

int cw_core_prepare(struct cw_core *c, const struct cw_launch *launch, struct cw_error *err)
{
    c->launch = NULL;
    c->hostile = c->config->core_memory == CW_MEMORY_ADVERSARY;
    c->whim = c->config->core_memory_seed * UINT64_C(0x100000001b3) + 4096 + c->cfg.index;
    int status = size_blocks(c, launch, err);
    if (status == 0)
        status = allocate_registers(c, launch->kernel, err);
    if (status == 0)
        status = compile_ops(c, launch, err);
    if (status != 0)
        return status;
    prepare_warps(c, launch);
    if (c->stalls != NULL)
        status = cw_core__stalls_prepare(c, launch->kernel, err);
    if (status == CW_OK && c->control->ops->prepare != NULL)
        status = c->control->ops->prepare(c->control, launch->kernel, launch->module->file, launch->static_warps, err);
    if (status != 0)
        return status;
    c->taken &= ~(uint32_t)(CW_SOCKET_STREAM | CW_SOCKET_BRANCH | CW_SOCKET_BRANCHED | CW_SOCKET_PM | CW_SOCKET_PROGRAM);
    c->taken |= cw_events_want(c->cfg.stream, CW_EVENT_ISSUE) ? CW_SOCKET_STREAM : 0u;
    c->taken |= cw_events_want(c->cfg.stream, CW_EVENT_BRANCH) ? CW_SOCKET_BRANCH : 0u;
    c->taken |= cw_events_want(c->cfg.stream, CW_EVENT_BRANCHED) ? CW_SOCKET_BRANCHED : 0u;
    c->taken |= cw_events_want(c->cfg.stream, CW_EVENT_PM_ISSUE) ? CW_SOCKET_PM : 0u;
    c->taken |= cw_events_want(c->cfg.stream, CW_EVENT_REGION_ISSUE) ? CW_SOCKET_PROGRAM : 0u;
    memset(c->shared, 0, c->config->core_shared_bytes);
    cw_operands_reset(&c->operands, c->config);
    c->launch = launch;
    return 0;
}

void cw_core_count_from(struct cw_core *c, uint64_t cycle)
{
    if (c->stalls != NULL)
        c->stalls->charged = cycle;
}

void cw_core_count_until(struct cw_core *c, uint64_t cycle)
{
    if (c->stalls != NULL)
        cw_core__stalls_charge(c, cycle);
}

void cw_core_count_late(struct cw_core *c, uint64_t cycle)
{
    cw_core__account(c, cycle);
    if (c->room.resident != 0 && c->classes.counted < cycle)
        cw_classes_count_gap(&c->classes, c->cfg.stats, cycle);
}

bool cw_core_idle(const struct cw_core *c)
{
    if (c->room.resident != 0 || c->pool.out != 0 || c->acks != 0 || c->l1.mshr_used != 0 || c->fetch.cache.mshr_used != 0 ||
        c->pipe.log_cnt != 0)
        return false;
    if ((c->constants.cache.mshr_used | c->texture.mshr_used) != 0 || cw_core__has_dirty(c))
        return false;
    for (uint32_t i = 0; i < c->mech_cnt; i++)
        if (c->mech[i].sockets->idle != NULL && !c->mech[i].sockets->idle(c->mech[i].self))
            return false;
    return true;
}

/* Dirty lines that a mechanism keeps stay from one kernel to the next, and nothing else does. */
static void flush_but_kept(struct cw_l1 *l1)
{
    for (uint32_t i = 0; i < l1->sets * l1->ways; i++) {
        struct cw_l1_line *e = &l1->line[i];
        if (e->global && cw_l1_is_dirty(e))
            cw_l1_forget(l1, e);
        else if ((e->valid[0] | e->valid[1]) != 0)
            cw_l1_invalidate(l1, e->line);
    }
}

/* Lines of the texture cache that other bytes lie behind now. */
static void drop_changed(struct cw_core *c)
{
    for (uint32_t i = 0; i < c->texture.sets * c->texture.ways; i++) {
        const struct cw_l1_line *e = &c->texture.line[i];
        const uint64_t bytes = c->texture.line_bytes;
        uint8_t now[CW_LINE_BYTES];
        if ((e->valid[0] | e->valid[1]) == 0)
            continue;
        const bool there = cw_memory_valid(c->cfg.memory, e->line, bytes);
        if (there)
            cw_memory_read(c->cfg.memory, e->line, now, bytes);
        if (!there || memcmp(now, e->data + (e->line & (c->line_bytes - 1)), bytes) != 0)
            cw_l1_invalidate(&c->texture, e->line);
    }
}

void cw_core_flush(struct cw_core *c)
{
    uint32_t at = 0;
    if (cw_l1_next_dirty(&c->l1, &at) != NULL)
        flush_but_kept(&c->l1);
    else
        cw_l1_reset(&c->l1);
    if (c->config->icache_launch == CW_LAUNCH_COLD)
        cw_l1_reset(&c->fetch.cache);
    if (c->config->const_launch == CW_LAUNCH_COLD)
        cw_l1_reset(&c->constants.cache);
    if (c->config->texture_launch == CW_LAUNCH_COLD)
        cw_l1_reset(&c->texture);
    else
        drop_changed(c);
}

void cw_core_forget_constants(struct cw_core *c)
{
    cw_l1_reset(&c->constants.cache);
}
