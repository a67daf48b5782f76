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
    uint64_t cycle = sooner(sooner(c->issue.next, c->memory.lsu.next), sooner(c->memory.pipe.next, cw_core__wheel_next(&c->warps)));
    cycle = sooner(cycle, c->blocks.control_next);
    if ((c->cache.misses.cnt | c->memory.pipe.log_cnt | c->blocks.flush.busy) != 0) {
        cycle = sooner(cycle, c->blocks.flush.next);
        cycle = sooner(cycle, cw_core__miss_next(&c->cache));
        cycle = c->memory.pipe.log_cnt > 0 ? sooner(cycle, c->memory.pipe.log_done[c->memory.pipe.log_head].ready) : cycle;
    }
    cw_time wake = cycle == CW_CYCLE_NEVER ? CW_TIME_NEVER : cycle * c->warps.period;
    cw_time reply = cw_crossbar_next(c->warps.cfg.down, c->warps.cfg.index);
    if (reply <= c->warps.now) /* more than one has come; one is taken per cycle */
        reply = c->warps.now + c->warps.period;
    return sooner(sooner(wake, reply), c->warps.mech_next);
}

static cw_time tick_mechanisms(struct cw_core *c, cw_time now)
{
    cw_time next = CW_TIME_NEVER;
    for (uint32_t i = 0; i < c->warps.mech_cnt; i++)
        if (c->warps.mech[i].sockets->tick != NULL)
            next = sooner(next, c->warps.mech[i].sockets->tick(c->warps.mech[i].self, now));
    return next;
}

/* Of caches that only read, and of an L1 that writes back. */
static __attribute__((noinline)) void rare_ticks(struct cw_core *c)
{
    if (c->cache.misses.cnt > 0)
        cw_core__miss_tick(&c->cache);
    if (c->blocks.flush.next <= c->warps.cycle)
        cw_core__flush_tick(&c->blocks);
}

/* Stages in reverse order, so that what a stage passes on is seen in the next cycle. */
static void core_tick(void *self, cw_time now)
{
    struct cw_core *c = self;
    c->component.wake = CW_TIME_NEVER;
    if (c->warps.faulted || c->warps.launch == NULL)
        return;
    c->warps.cycle = now == c->warps.now + c->warps.period ? c->warps.cycle + 1 : now / c->warps.period;
    c->warps.now = now;
    cw_core__reply_tick(&c->memory);
    cw_core__pipe_tick(&c->memory);
    cw_core__log_tick(&c->memory);
    cw_core__lsu_tick(&c->memory);
    if ((c->cache.misses.cnt | c->blocks.flush.busy) != 0)
        rare_ticks(c);
    c->warps.mech_next = tick_mechanisms(c, now);
    if (c->blocks.control_next <= c->warps.cycle)
        c->blocks.control_next = c->warps.control->ops->tick(c->warps.control, c->warps.cycle);
    cw_core__wheel_tick(&c->warps);
    cw_core__issue_tick(&c->issue);
    if (c->warps.asks.cnt != 0) {
        cw_core__fetch_tick(&c->blocks);
        if (c->warps.stalls != NULL)
            cw_core__stalls_judge(&c->warps);
    }
    c->component.wake = c->warps.faulted ? CW_TIME_NEVER : next_wake(c);
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
    const struct cw_config *config = c->warps.config;
    c->warps.mem_queue.most = config->core_mem_queue + (c->warps.collects ? cw_operands_places(config, CW_PIPE_MEM) : 0);
    c->memory.lsu.cap = c->warps.mem_queue.most + 3 * c->warps.halves; /* a generic access may come in parts, one per space and half */
    c->memory.pipe.cap = config->l1_pipeline + 1;
    c->memory.pipe.log_cap = config->l1_latency + 2;
    c->memory.lsu.queue = calloc(c->memory.lsu.cap, sizeof *c->memory.lsu.queue);
    c->memory.pipe.entry = calloc(c->memory.pipe.cap, sizeof *c->memory.pipe.entry);
    c->memory.pipe.log_done = calloc(c->memory.pipe.log_cap, sizeof *c->memory.pipe.log_done);
    c->blocks.shared = calloc(1, config->core_shared_bytes);
    c->cache.misses.cap = config->icache_mshrs + config->const_mshrs;
    c->cache.misses.entry = calloc(c->cache.misses.cap, sizeof *c->cache.misses.entry);
    c->warps.asks.ask = calloc(c->warps.slots, sizeof *c->warps.asks.ask);
    c->warps.warp = aligned_alloc(64, (sizeof *c->warps.warp * c->warps.slots + 63) / 64 * 64);
    c->warps.storage.tid = calloc((size_t)c->warps.slots * c->warps.halves, sizeof *c->warps.storage.tid);
    c->warps.wheel.slot = calloc((size_t)CW_WHEEL_SLOTS * c->warps.rows, sizeof *c->warps.wheel.slot);
    if (c->warps.warp != NULL)
        memset(c->warps.warp, 0, sizeof *c->warps.warp * c->warps.slots);
    for (uint32_t w = 0; c->warps.warp != NULL && w < c->warps.slots; w++) {
        c->warps.warp[w].row = &c->warps.row[w / 64];
        c->warps.warp[w].wheel = c->warps.wheel.slot + w / 64 * CW_WHEEL_SLOTS;
    }
    return c->memory.lsu.queue != NULL && c->memory.pipe.entry != NULL && c->memory.pipe.log_done != NULL && c->blocks.shared != NULL &&
           c->warps.warp != NULL && c->warps.storage.tid != NULL && c->warps.asks.ask != NULL && c->cache.misses.entry != NULL &&
           c->warps.wheel.slot != NULL;
}

static void create_schedulers(struct cw_core *c)
{
    c->warps.scheduler_cnt = c->warps.config->core_schedulers;
    for (uint32_t s = 0; s < c->warps.scheduler_cnt; s++)
        c->warps.scheduler[s].policy = c->warps.config->core_scheduler;
    for (uint32_t w = 0; w < c->warps.slots && w < 64; w++)
        c->warps.scheduler[w % c->warps.scheduler_cnt].warps |= cw_core__bit(w);
    for (uint32_t row = 0; row < c->warps.rows; row++)
        c->warps.row[row].fu_warps[CW_FU_ALU] = UINT64_MAX; /* as the warps' zeroed fu says */
}

static void size_rows(struct cw_core *c)
{
    c->warps.slots = cw_control_slots(c->warps.cfg.control, c->warps.config);
    c->warps.rows = (c->warps.slots + 63) / 64;
}

/* What the configuration does not say takes a cycle, or in one pipeline the time of an issue slot. */
static void set_passes(struct cw_core *c)
{
    const struct cw_config *f = c->warps.config;
    const uint32_t step = c->memory.unified ? f->core_issue_cycles : 1;
    c->memory.pass.line = f->l1_pass_cycles != 0 ? f->l1_pass_cycles : step;
    c->memory.pass.miss = f->l1_miss_cycles;
    c->memory.pass.shared = f->shared_pass_cycles != 0 ? f->shared_pass_cycles : step;
    c->memory.pass.constant = f->const_pass_cycles != 0 ? f->const_pass_cycles : step;
}

/* Without operand collectors an instruction is in its unit when it issues, and the load/store unit sees it a cycle later. */
static void set_stages(struct cw_core *c)
{
    c->warps.one_by_one = c->warps.config->core_scoreboard == CW_SCOREBOARD_WARP;
    c->warps.collects = cw_operands_on(c->warps.config);
    c->memory.unified = c->warps.config->core_pipeline == CW_PIPELINE_UNIFIED;
    c->memory.chunks = c->warps.config->core_coalesce == CW_COALESCE_CHUNK && c->cache.line_bytes < CW_CHUNK_BYTES;
    set_passes(c);
    c->warps.buffer = c->warps.config->core_buffer;
    c->warps.stage = c->warps.config->core_stage_cycles;
    c->issue.turn_shift = (uint32_t)__builtin_ctz(c->warps.stage);
    c->memory.mem_stages = c->warps.collects ? c->warps.stage : 1;
    c->blocks.result_stages = c->warps.collects ? 2 * c->warps.stage : 0;
    c->memory.write_stages = c->warps.collects ? c->warps.stage : 0;
}

/* The caches that only read, as far as there are any. */
static int create_read_only(struct cw_core *c, struct cw_error *err)
{
    const struct cw_config *f = c->warps.config;
    int status = CW_OK;
    if (f->icache_bytes != 0)
        status = cw_l1_create(&c->blocks.fetch.cache, c->cache.line_bytes, f->icache_bytes, f->icache_ways, CW_REPLACE_LRU, f->icache_mshrs,
                              f->icache_mshr_merge, err);
    if (status == CW_OK && f->const_bytes != 0)
        status = cw_l1_create(&c->memory.constants.cache, f->const_line_bytes, f->const_bytes, f->const_ways, CW_REPLACE_LRU,
                              f->const_mshrs, f->const_mshr_merge, err);
    if (status == CW_OK && f->texture_bytes != 0)
        status = cw_l1_create(&c->cache.texture, f->texture_line_bytes, f->texture_bytes, f->texture_ways, CW_REPLACE_LRU, f->texture_mshrs,
                              f->texture_mshr_merge, err);
    c->blocks.fetch.cache.linear = c->memory.constants.cache.linear = c->cache.texture.linear = true;
    c->cache.l1.sectored = c->warps.config->l1_sectored == CW_ON;
    c->cache.l1.around = c->warps.config->l1_global == CW_L1_WRITE_BACK && c->warps.config->l1_write_miss == CW_L1_AROUND;
    return status;
}

/* A policy wants its tick in the cycle after this one. */
static void wake_control(void *context)
{
    struct cw_core *c = context;
    c->blocks.control_next = sooner(c->blocks.control_next, c->warps.cycle + 1); /* one that is due in this cycle is not put off */
}

static void hold_control(void *context, uint32_t block)
{
    struct cw_core *c = context;
    cw_core__barrier_exit(&c->blocks, &c->warps.block[block]);
}

static void fault_control(void *context, uint32_t warp, const char *text)
{
    struct cw_core *c = context;
    const uint32_t pc = cw_core__pc(&c->warps, warp);
    cw_core__fault(&c->warps, warp, 0, &c->warps.uop[pc < c->warps.launch->kernel->uop_cnt ? pc : 0], CW_EFAULT, "%s", text);
}

static uint64_t done_control(const void *context, uint32_t home, uint32_t lane)
{
    const struct cw_core *c = context;
    return c->warps.thread_done[home * CW_LANES + lane];
}

static void notice_control(void *context, const char *text)
{
    const struct cw_core *c = context;
    if (c->warps.cfg.events.notice != NULL)
        c->warps.cfg.events.notice(c->warps.cfg.events.context, text);
}

/* What dynamic warps need. */
static bool create_dynamic(struct cw_core *c)
{
    c->blocks.dynamic = calloc(c->warps.slots, sizeof *c->blocks.dynamic);
    if (c->warps.one_by_one)
        c->warps.thread_done = calloc((size_t)c->warps.slots * CW_LANES, sizeof *c->warps.thread_done);
    c->blocks.bar_insn = calloc((size_t)c->warps.slots * CW_LANES, sizeof *c->blocks.bar_insn);
    return c->blocks.dynamic != NULL && c->blocks.bar_insn != NULL && (c->warps.thread_done != NULL || !c->warps.one_by_one);
}

static void form_control(void *context, uint32_t warp, cw_lanes lanes, const uint8_t *home, bool fetched)
{
    struct cw_core *c = context;
    cw_core__form(&c->blocks, warp, lanes, home, fetched);
}

static int create_control(struct cw_core *c, struct cw_error *err)
{
    const struct cw_control_config config = {
        .warps = c->warps.slots,
        .homes = c->warps.config->core_warps,
        .width = c->warps.width,
        .config = c->warps.config,
        .stats = c->warps.cfg.stats,
        .units = c->warps.cfg.units,
        .core = c->warps.cfg.index,
        .host = {c, form_control, &c->warps.cycle, hold_control, wake_control, fault_control, notice_control, done_control},
    };
    c->blocks.control_next = c->blocks.flush.next = CW_CYCLE_NEVER;
    c->warps.mixes = c->warps.cfg.control->mixes;
    c->warps.unusual = c->warps.cfg.control->regroups || c->warps.cfg.control->may_issue != NULL || c->warps.cfg.control->first != NULL ||
                       c->warps.one_by_one || c->memory.unified || c->warps.rows > 1 || c->warps.cfg.count_stalls;
    if (c->warps.cfg.control->regroups && c->warps.slots > 64)
        return cw_fail(err, CW_EINVAL,
                       "control policy %s makes warps of a core's threads, in at most 64 slots; it has %u: set core.warps=64",
                       c->warps.cfg.control->name, c->warps.slots);
    if (c->warps.cfg.control->regroups && !create_dynamic(c))
        return cw_fail(err, CW_ENOMEM, "no memory for a core");
    return c->warps.cfg.control->create(&c->warps.control, &config, err);
}

static bool core_idle(const void *self)
{
    return cw_core_idle(self);
}

static const struct cw_component_ops component_ops = {
    .kind = "core", .domain = CW_DOMAIN_CORE, .tick = core_tick, .idle = core_idle, .state = cw_core__state};

/* Each floor knows those below it. */
static void join_floors(struct cw_core *c)
{
    c->warps.wake = &c->component.wake;
    c->cache.warps = c->blocks.warps = c->memory.warps = c->issue.warps = &c->warps;
    c->blocks.cache = c->memory.cache = c->issue.cache = &c->cache;
    c->memory.blocks = c->issue.blocks = &c->blocks;
    c->issue.memory = &c->memory;
}

int cw_core_create(struct cw_core **out, const struct cw_core_config *config, struct cw_error *err)
{
    _Static_assert(CW_SCHED_GTO == 0, "cw_scheduler_pick takes policy 0 for GTO");
    *out = NULL;
    size_t bytes = (sizeof(struct cw_core) + 63) / 64 * 64;
    struct cw_core *c = aligned_alloc(64, bytes);
    if (c == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a core");
    memset(c, 0, bytes);
    join_floors(c);
    c->warps.cfg = *config;
    c->warps.config = config->config;
    c->warps.period = config->clocks->period[CW_DOMAIN_CORE];
    c->warps.width = c->warps.config->core_warp_width;
    c->warps.halves = c->warps.width / CW_LANES;
    c->cache.line_bytes = c->warps.config->mem_line_bytes;
    size_rows(c);
    set_stages(c);
    c->component = cw_component_of(&component_ops, c, config->index);
    c->warps.all_lanes = cw_lanes_below(c->warps.width);
    cw_core__create_classes(&c->warps);
    c->memory.pipe.stalled_at = c->memory.constants.stalled_at = c->memory.pipe.port_cycle = CW_CYCLE_NEVER;
    create_schedulers(c);
    int status =
        cw_l1_create(&c->cache.l1, c->cache.line_bytes, c->warps.config->l1_bytes, c->warps.config->l1_ways,
                     (enum cw_replacement)c->warps.config->l1_replacement, c->warps.config->l1_mshrs, c->warps.config->l1_mshr_merge, err);
    if (status == 0)
        status = create_read_only(c, err);
    if (status == 0 && !create_arrays(c))
        status = cw_fail(err, CW_ENOMEM, "no memory for a core");
    if (status == 0)
        status = create_control(c, err);
    if (status == 0 && config->count_stalls && (c->warps.stalls = cw_core__stalls_create(&c->warps)) == NULL)
        status = cw_fail(err, CW_ENOMEM, "no memory for a core");
    if (status != 0) {
        cw_core_destroy(c);
        return status;
    }
    c->warps.control->ops = config->control; /* a policy may take another one's create, and change some functions */
    c->warps.front = c->warps.control->front;
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
    for (uint32_t w = 0; c->warps.warp != NULL && w < c->warps.slots; w++)
        free(c->warps.warp[w].print);
    if (c->warps.control != NULL)
        c->warps.control->ops->destroy(c->warps.control);
    cw_core__stalls_destroy(c->warps.stalls);
    void *owned[] = {
        c->memory.lsu.queue,      c->memory.pipe.entry, c->memory.pipe.log_done,     c->blocks.shared,        c->warps.warp,
        c->warps.storage.tid,     c->warps.op,          c->warps.storage.r32,        c->warps.storage.r64,    c->warps.storage.pred,
        c->blocks.dynamic,        c->warps.storage.cc,  c->warps.storage.slot_cycle, c->warps.checkpoint.r32, c->warps.checkpoint.r64,
        c->warps.checkpoint.pred, c->warps.mech,        c->warps.asks.ask,           c->cache.misses.entry,   c->warps.wheel.slot,
        c->warps.thread_done,     c->issue.branch,      c->blocks.bar_insn};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    for (uint32_t i = 0; i < c->memory.pool.chunk_cnt; i++)
        free(c->memory.pool.chunk[i]);
    free(c->memory.pool.chunk);
    cw_l1_destroy(&c->cache.l1);
    cw_l1_destroy(&c->blocks.fetch.cache);
    cw_l1_destroy(&c->memory.constants.cache);
    cw_l1_destroy(&c->cache.texture);
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
    const ptrdiff_t region = c->blocks.region != NULL ? c->blocks.region - c->warps.mech : -1,
                    keeper = c->blocks.keeper != NULL ? c->blocks.keeper - c->warps.mech : -1;
    struct cw_core_mech *mech = realloc(c->warps.mech, (c->warps.mech_cnt + 1) * sizeof *mech);
    if (mech == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a core");
    c->warps.mech = mech;
    c->blocks.region = region >= 0 ? mech + region : NULL;
    c->blocks.keeper = keeper >= 0 ? mech + keeper : NULL;
    mech += c->warps.mech_cnt++;
    *mech = (struct cw_core_mech){sockets != NULL ? sockets : &none, self, intrinsics};
    c->warps.taken |= sockets_taken(mech->sockets);
    if (mech->sockets->region_begin != NULL)
        c->blocks.region = mech;
    if (mech->sockets->l1_store != NULL)
        c->blocks.keeper = mech;
    return CW_OK;
}

/* ---- launch ---- */

static int allocate_registers(struct cw_core *c, const struct cw_kernel *k, struct cw_error *err)
{
    size_t warps = c->warps.config->core_warps, vectors = warps * c->warps.halves, lanes = vectors * CW_LANES,
           *have = c->warps.storage.bytes;
    size_t saved = k->uses_region ? 1 : 0;
    c->warps.storage.r32 = storage(c->warps.storage.r32, &have[0], k->r32_cnt * lanes * 4);
    c->warps.storage.r64 = storage(c->warps.storage.r64, &have[1], k->r64_cnt * lanes * 8);
    c->warps.storage.pred = storage(c->warps.storage.pred, &have[2], k->pred_cnt * vectors * 4);
    c->warps.storage.cc = storage(c->warps.storage.cc, &have[3], vectors * 4);
    c->warps.storage.slot_cycle = storage(c->warps.storage.slot_cycle, &have[4], cw_scoreboard_slots(k) * c->warps.slots * 8);
    c->warps.checkpoint.r32 = storage(c->warps.checkpoint.r32, &have[5], saved * k->r32_cnt * lanes * 4);
    c->warps.checkpoint.r64 = storage(c->warps.checkpoint.r64, &have[6], saved * k->r64_cnt * lanes * 8);
    c->warps.checkpoint.pred = storage(c->warps.checkpoint.pred, &have[7], saved * k->pred_cnt * vectors * 4);
    if (c->warps.storage.r32 == NULL || c->warps.storage.r64 == NULL || c->warps.storage.pred == NULL || c->warps.storage.cc == NULL ||
        c->warps.storage.slot_cycle == NULL || c->warps.checkpoint.r32 == NULL || c->warps.checkpoint.r64 == NULL ||
        c->warps.checkpoint.pred == NULL)
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
    while (owner < c->warps.mech_cnt && (c->warps.mech[owner].intrinsics == NULL || !cw_intrinsic_in(c->warps.mech[owner].intrinsics, i)))
        owner++;
    return owner;
}

static struct cw_branch branch_of(const struct cw_core *c, const struct cw_launch *l, uint32_t pc)
{
    const struct cw_uop *u = &l->kernel->uop[pc];
    const uint32_t lcp = c->warps.config->core_lcp;
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
    if (c->warps.width != CW_LANES && needs_32_lanes(u))
        return cw_fail(err, CW_EUNSUP, "kernel %s: %s:%u: %s works on warps of 32 lanes; set core.warp_width=32", l->kernel->name,
                       l->module->file, u->line, cw_op_mnemonic((enum cw_op)u->op));
    int status = cw_issue_op_compile(&c->warps.op[i], l->kernel, u, c->warps.config, err);
    c->issue.branch[i] = branch_of(c, l, i);
    if (status == CW_OK && u->op == CW_OP_INTRINSIC)
        c->warps.op[i].owner = (uint8_t)owner_of(c, u->intrinsic);
    return status;
}

static int compile_ops(struct cw_core *c, const struct cw_launch *l, struct cw_error *err)
{
    const struct cw_kernel *k = l->kernel;
    if (k->uop_cnt > c->issue.op_cap) {
        free(c->warps.op);
        free(c->issue.branch);
        c->warps.op = malloc(k->uop_cnt * sizeof *c->warps.op);
        c->issue.branch = malloc(k->uop_cnt * sizeof *c->issue.branch);
        c->issue.op_cap = c->warps.op != NULL && c->issue.branch != NULL ? k->uop_cnt : 0;
        if (c->issue.op_cap == 0)
            return cw_fail(err, CW_ENOMEM, "no memory for kernel %s", k->name);
    }
    c->warps.uop = k->uop;
    int status = CW_OK;
    for (uint32_t i = 0; status == CW_OK && i < k->uop_cnt; i++)
        status = compile_op(c, l, i, err);
    return status;
}

/* What PTX leaves open is told once per instruction. */
static void left_open(void *context, const struct cw_uop *u, const struct cw_exec *x, enum cw_exec_open what, uint32_t lane, uint32_t other)
{
    struct cw_core *c = context;
    struct cw_issue_op *op = &c->warps.op[u - c->warps.uop];
    if ((op->told >> what & 1u) == 0)
        cw_core__tell_open(&c->warps, u, x, what, lane, other);
    op->told |= (uint8_t)(1u << what);
}

/* What of a warp's view is the same for all blocks of the launch. */
static void prepare_warps(struct cw_core *c, const struct cw_launch *l)
{
    const uint32_t warps = c->warps.config->core_warps, vectors = warps * c->warps.halves;
    const size_t slots = cw_scoreboard_slots(l->kernel);
    for (uint32_t w = 0; w < c->warps.slots; w++)
        c->warps.warp[w].slot_cycle = c->warps.storage.slot_cycle + w * slots;
    for (uint32_t i = 0; i < vectors; i++) {
        c->warps.warp[i / c->warps.halves].x[i % c->warps.halves] = (struct cw_exec){
            .r32 = c->warps.storage.r32 + (size_t)i * CW_LANES,
            .r64 = c->warps.storage.r64 + (size_t)i * CW_LANES,
            .pred = c->warps.storage.pred + i,
            .cc = c->warps.storage.cc + i,
            .r32_stride = vectors * CW_LANES,
            .r64_stride = vectors * CW_LANES,
            .pred_stride = vectors,
            .kernel = l->kernel,
            .param = l->param,
            .nwarpid = warps,
            .smid = c->warps.cfg.index,
            .nsmid = c->warps.config->core_count,
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
    const struct cw_config *f = c->warps.config;
    struct cw_occupancy o;
    cw_core_occupancy(&o, f, l);
    c->blocks.room.block_regs = o.block_registers;
    c->blocks.room.block_shared = o.block_shared;
    if (o.by_warps == 0)
        return cw_fail(err, CW_EINVAL, "kernel %s: a block of %u threads needs %u warps, a core has %u (core.warps)", l->kernel->name,
                       l->threads, l->warps, f->core_warps);
    if (o.by_registers == 0)
        return cw_fail(err, CW_EINVAL, "kernel %s: a block needs %u registers (%u per thread), a core has %u (core.registers)",
                       l->kernel->name, c->blocks.room.block_regs, l->regs_per_thread, f->core_registers);
    if (o.by_shared == 0)
        return cw_fail(err, CW_EINVAL, "kernel %s: a block needs %u bytes of shared memory, a core has %u (core.shared_bytes)",
                       l->kernel->name, c->blocks.room.block_shared, f->core_shared_bytes);
    c->blocks.room.blocks_max = o.by_shared < o.by_blocks ? o.by_shared : o.by_blocks;
    return 0;
}

int cw_core_prepare(struct cw_core *c, const struct cw_launch *launch, struct cw_error *err)
{
    c->warps.launch = NULL;
    c->memory.hostile = c->warps.config->core_memory == CW_MEMORY_ADVERSARY;
    c->memory.whim = c->warps.config->core_memory_seed * UINT64_C(0x100000001b3) + 4096 + c->warps.cfg.index;
    int status = size_blocks(c, launch, err);
    if (status == 0)
        status = allocate_registers(c, launch->kernel, err);
    if (status == 0)
        status = compile_ops(c, launch, err);
    if (status != 0)
        return status;
    prepare_warps(c, launch);
    if (c->warps.stalls != NULL)
        status = cw_core__stalls_prepare(&c->warps, launch->kernel, err);
    if (status == CW_OK && c->warps.control->ops->prepare != NULL)
        status = c->warps.control->ops->prepare(c->warps.control, launch->kernel, launch->module->file, launch->static_warps, err);
    if (status != 0)
        return status;
    c->warps.taken &= ~(uint32_t)(CW_SOCKET_STREAM | CW_SOCKET_BRANCH | CW_SOCKET_BRANCHED | CW_SOCKET_PM | CW_SOCKET_PROGRAM);
    c->warps.taken |= cw_events_want(c->warps.cfg.stream, CW_EVENT_ISSUE) ? CW_SOCKET_STREAM : 0u;
    c->warps.taken |= cw_events_want(c->warps.cfg.stream, CW_EVENT_BRANCH) ? CW_SOCKET_BRANCH : 0u;
    c->warps.taken |= cw_events_want(c->warps.cfg.stream, CW_EVENT_BRANCHED) ? CW_SOCKET_BRANCHED : 0u;
    c->warps.taken |= cw_events_want(c->warps.cfg.stream, CW_EVENT_PM_ISSUE) ? CW_SOCKET_PM : 0u;
    c->warps.taken |= cw_events_want(c->warps.cfg.stream, CW_EVENT_REGION_ISSUE) ? CW_SOCKET_PROGRAM : 0u;
    memset(c->blocks.shared, 0, c->warps.config->core_shared_bytes);
    cw_operands_reset(&c->issue.operands, c->warps.config);
    c->warps.launch = launch;
    return 0;
}

void cw_core_count_from(struct cw_core *c, uint64_t cycle)
{
    if (c->warps.stalls != NULL)
        c->warps.stalls->charged = cycle;
}

void cw_core_count_until(struct cw_core *c, uint64_t cycle)
{
    if (c->warps.stalls != NULL)
        cw_core__stalls_charge(&c->warps, cycle);
}

void cw_core_count_late(struct cw_core *c, uint64_t cycle)
{
    cw_core__account(&c->blocks, cycle);
    if (c->blocks.room.resident != 0 && c->warps.classes.counted < cycle)
        cw_classes_count_gap(&c->warps.classes, c->warps.cfg.stats, cycle);
}

bool cw_core_idle(const struct cw_core *c)
{
    if (c->blocks.room.resident != 0 || c->memory.pool.out != 0 || c->cache.acks != 0 || c->cache.l1.mshr_used != 0 ||
        c->blocks.fetch.cache.mshr_used != 0 || c->memory.pipe.log_cnt != 0)
        return false;
    if ((c->memory.constants.cache.mshr_used | c->cache.texture.mshr_used) != 0 || cw_core__has_dirty(&c->blocks))
        return false;
    for (uint32_t i = 0; i < c->warps.mech_cnt; i++)
        if (c->warps.mech[i].sockets->idle != NULL && !c->warps.mech[i].sockets->idle(c->warps.mech[i].self))
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
    for (uint32_t i = 0; i < c->cache.texture.sets * c->cache.texture.ways; i++) {
        const struct cw_l1_line *e = &c->cache.texture.line[i];
        const uint64_t bytes = c->cache.texture.line_bytes;
        uint8_t now[CW_LINE_BYTES];
        if ((e->valid[0] | e->valid[1]) == 0)
            continue;
        const bool there = cw_memory_valid(c->warps.cfg.memory, e->line, bytes);
        if (there)
            cw_memory_read(c->warps.cfg.memory, e->line, now, bytes);
        if (!there || memcmp(now, e->data + (e->line & (c->cache.line_bytes - 1)), bytes) != 0)
            cw_l1_invalidate(&c->cache.texture, e->line);
    }
}

void cw_core_flush(struct cw_core *c)
{
    uint32_t at = 0;
    if (cw_l1_next_dirty(&c->cache.l1, &at) != NULL)
        flush_but_kept(&c->cache.l1);
    else
        cw_l1_reset(&c->cache.l1);
    if (c->warps.config->icache_launch == CW_LAUNCH_COLD)
        cw_l1_reset(&c->blocks.fetch.cache);
    if (c->warps.config->const_launch == CW_LAUNCH_COLD)
        cw_l1_reset(&c->memory.constants.cache);
    if (c->warps.config->texture_launch == CW_LAUNCH_COLD)
        cw_l1_reset(&c->cache.texture);
    else
        drop_changed(c);
}

void cw_core_forget_constants(struct cw_core *c)
{
    cw_l1_reset(&c->memory.constants.cache);
}
