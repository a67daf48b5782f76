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
    const struct cw_core_warps *const warps = c->warps;
    const struct cw_core_memory *const memory = c->memory;
    uint64_t cycle = sooner(sooner(c->issue.next, memory->lsu.next), sooner(memory->pipe.next, cw_core__wheel_next(warps)));
    cycle = sooner(cycle, c->blocks->control_next);
    if ((c->cache->misses.cnt | memory->pipe.log_cnt | c->blocks->flush.busy) != 0) {
        cycle = sooner(cycle, c->blocks->flush.next);
        cycle = sooner(cycle, cw_core__miss_next(c->cache));
        cycle = memory->pipe.log_cnt > 0 ? sooner(cycle, memory->pipe.log_done[memory->pipe.log_head].ready) : cycle;
    }
    cw_time wake = cycle == CW_CYCLE_NEVER ? CW_TIME_NEVER : cycle * warps->period;
    cw_time reply = cw_crossbar_next(warps->cfg.down, warps->cfg.index);
    if (reply <= warps->now) /* more than one has come; one is taken per cycle */
        reply = warps->now + warps->period;
    return sooner(sooner(wake, reply), warps->mech_next);
}

static cw_time tick_mechanisms(struct cw_core *c, cw_time now)
{
    struct cw_core_warps *const warps = c->warps;
    cw_time next = CW_TIME_NEVER;
    for (uint32_t i = 0; (warps->taken & CW_SOCKET_TICK) != 0 && i < warps->mech_cnt; i++)
        if (warps->mech[i].sockets->tick != NULL)
            next = sooner(next, warps->mech[i].sockets->tick(warps->mech[i].self, now));
    return next;
}

/* Of caches that only read, and of an L1 that writes back. */
static __attribute__((noinline)) void rare_ticks(struct cw_core *c)
{
    if (c->cache->misses.cnt > 0)
        cw_core__miss_tick(c->cache);
    if (c->blocks->flush.next <= c->warps->cycle)
        cw_core__flush_tick(c->blocks);
}

/* Stages in reverse order, so that what a stage passes on is seen in the next cycle. */
static void core_tick(void *self, cw_time now)
{
    struct cw_core *c = self;
    c->component.wake = CW_TIME_NEVER;
    if (c->warps->faulted || c->warps->launch == NULL)
        return;
    c->warps->cycle = now == c->warps->now + c->warps->period ? c->warps->cycle + 1 : now / c->warps->period;
    c->warps->now = now;
    cw_core__memory_tick(c->memory);
    if ((c->cache->misses.cnt | c->blocks->flush.busy) != 0)
        rare_ticks(c);
    c->warps->mech_next = tick_mechanisms(c, now);
    if (c->blocks->control_next <= c->warps->cycle)
        c->blocks->control_next = c->warps->control->ops->tick(c->warps->control, c->warps->cycle);
    cw_core__wheel_tick(c->warps);
    cw_core__issue_tick(&c->issue);
    if (c->warps->asks.cnt != 0)
        cw_core__fetch_tick(c->blocks);
    c->component.wake = c->warps->faulted ? CW_TIME_NEVER : next_wake(c);
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
    struct cw_core_warps *const warps = c->warps;
    struct cw_core_cache *const cache = c->cache;
    struct cw_core_memory *const memory = c->memory;
    const struct cw_config *config = warps->config;
    warps->mem_queue.most = config->core_mem_queue + (warps->collects ? cw_operands_places(config, CW_PIPE_MEM) : 0);
    memory->lsu.cap = warps->mem_queue.most + 3 * warps->halves; /* a generic access may come in parts, one per space and half */
    memory->pipe.cap = config->l1_pipeline + 1;
    memory->pipe.parked_cap = 2 * memory->pipe.cap;
    memory->pipe.log_cap = config->l1_latency + 2;
    memory->lsu.queue = calloc(memory->lsu.cap, sizeof *memory->lsu.queue);
    memory->pipe.entry = calloc(memory->pipe.cap, sizeof *memory->pipe.entry);
    memory->pipe.parked = calloc(memory->pipe.parked_cap, sizeof *memory->pipe.parked);
    memory->pipe.log_done = calloc(memory->pipe.log_cap, sizeof *memory->pipe.log_done);
    c->blocks->shared = calloc(1, config->core_shared_bytes);
    cache->misses.cap = config->icache_mshrs + config->const_mshrs;
    cache->misses.entry = calloc(cache->misses.cap, sizeof *cache->misses.entry);
    warps->asks.ask = calloc(warps->slots, sizeof *warps->asks.ask);
    warps->warp = aligned_alloc(64, (sizeof *warps->warp * warps->slots + 63) / 64 * 64);
    warps->storage.tid = calloc((size_t)warps->slots * warps->halves, sizeof *warps->storage.tid);
    warps->wheel.slot = calloc((size_t)CW_WHEEL_SLOTS * warps->rows, sizeof *warps->wheel.slot);
    if (warps->warp != NULL)
        memset(warps->warp, 0, sizeof *warps->warp * warps->slots);
    for (uint32_t w = 0; warps->warp != NULL && w < warps->slots; w++) {
        warps->warp[w].row = &warps->row[w / 64];
        warps->warp[w].wheel = warps->wheel.slot + w / 64 * CW_WHEEL_SLOTS;
    }
    return memory->lsu.queue != NULL && memory->pipe.entry != NULL && memory->pipe.parked != NULL && memory->pipe.log_done != NULL &&
           c->blocks->shared != NULL && warps->warp != NULL && warps->storage.tid != NULL && warps->asks.ask != NULL &&
           cache->misses.entry != NULL && warps->wheel.slot != NULL;
}

static void create_schedulers(struct cw_core_warps *warps)
{
    warps->scheduler_cnt = warps->config->core_schedulers;
    for (uint32_t s = 0; s < warps->scheduler_cnt; s++)
        warps->scheduler[s].policy = warps->config->core_scheduler;
    for (uint32_t w = 0; w < warps->slots && w < 64; w++)
        warps->scheduler[w % warps->scheduler_cnt].warps |= cw_core__bit(w);
    for (uint32_t row = 0; row < warps->rows; row++)
        warps->row[row].fu_warps[CW_FU_ALU] = UINT64_MAX; /* as the warps' zeroed fu says */
}

static void size_rows(struct cw_core_warps *warps)
{
    warps->slots = cw_control_slots(warps->cfg.control, warps->config);
    warps->rows = (warps->slots + 63) / 64;
}

#define SHARED_PASS_BYTES 128u /* 32 words */

/* What the configuration does not say takes a cycle, or in one pipeline the time of an issue slot. */
static void set_passes(struct cw_core_memory *memory, const struct cw_config *f)
{
    const uint32_t step = memory->unified ? f->core_issue_cycles : 1;
    memory->pass.line = f->l1_pass_cycles != 0 ? f->l1_pass_cycles : step;
    memory->pass.miss = f->l1_miss_cycles;
    memory->pass.shared = f->shared_pass_cycles != 0 ? f->shared_pass_cycles : step;
    memory->pass.least = (CW_LANES + f->core_mem_lanes - 1) / f->core_mem_lanes;
    memory->pass.wide = SHARED_PASS_BYTES / f->shared_width;
    memory->pass.together = f->core_mem_unit == CW_MEM_UNIT_ONE;
    memory->pass.constant = f->const_pass_cycles != 0 ? f->const_pass_cycles : step;
}

/* Without operand collectors an instruction is in its unit when it issues, and the load/store unit sees it a cycle later. */
static void set_stages(struct cw_core *c)
{
    struct cw_core_warps *const warps = c->warps;
    struct cw_core_memory *const memory = c->memory;
    warps->one_by_one = warps->config->core_scoreboard == CW_SCOREBOARD_WARP;
    warps->by_lane = warps->config->core_scoreboard == CW_SCOREBOARD_LANE;
    warps->collects = cw_operands_on(warps->config);
    memory->unified = warps->config->core_pipeline == CW_PIPELINE_UNIFIED;
    memory->chunks = warps->config->core_coalesce == CW_COALESCE_CHUNK && c->cache->line_bytes < CW_CHUNK_BYTES;
    set_passes(memory, warps->config);
    warps->buffer = warps->config->core_buffer;
    warps->stage = warps->config->core_stage_cycles;
    c->issue.turn_shift = (uint32_t)__builtin_ctz(warps->stage);
    memory->mem_stages = warps->collects ? warps->stage : 1;
    c->blocks->result_stages = warps->collects ? 2 * warps->stage : 0;
    memory->write_stages = warps->collects ? warps->stage : 0;
}

/* The caches that only read, as far as there are any. */
static int create_read_only(struct cw_core *c, struct cw_error *err)
{
    struct cw_core_warps *const warps = c->warps;
    struct cw_core_cache *const cache = c->cache;
    const struct cw_config *f = warps->config;
    int status = CW_OK;
    if (f->icache_bytes != 0)
        status = cw_l1_create(&c->blocks->fetch.cache, cache->line_bytes, f->icache_bytes, f->icache_ways, CW_REPLACE_LRU, f->icache_mshrs,
                              f->icache_mshr_merge, err);
    if (status == CW_OK && f->const_bytes != 0)
        status = cw_l1_create(&c->memory->constants.cache, f->const_line_bytes, f->const_bytes, f->const_ways, CW_REPLACE_LRU,
                              f->const_mshrs, f->const_mshr_merge, err);
    if (status == CW_OK && f->texture_bytes != 0)
        status = cw_l1_create(&cache->texture, f->texture_line_bytes, f->texture_bytes, f->texture_ways, CW_REPLACE_LRU, f->texture_mshrs,
                              f->texture_mshr_merge, err);
    c->blocks->fetch.cache.linear = c->memory->constants.cache.linear = cache->texture.linear = true;
    cache->l1.sectored = warps->config->l1_sectored == CW_ON;
    cache->l1.around = warps->config->l1_global == CW_L1_WRITE_BACK && warps->config->l1_write_miss == CW_L1_AROUND;
    return status;
}

/* A policy wants its tick in the cycle after this one. */
static void wake_control(void *context)
{
    struct cw_core *c = context;
    c->blocks->control_next = sooner(c->blocks->control_next, c->warps->cycle + 1); /* one that is due in this cycle is not put off */
}

static void hold_control(void *context, uint32_t block)
{
    struct cw_core *c = context;
    cw_core__barrier_exit(c->blocks, &c->warps->block[block]);
}

static void fault_control(void *context, uint32_t warp, const char *text)
{
    struct cw_core *c = context;
    const uint32_t pc = cw_core__pc(c->warps, warp);
    cw_core__fault(c->warps, warp, 0, &c->warps->uop[pc < c->warps->launch->kernel->uop_cnt ? pc : 0], CW_EFAULT, "%s", text);
}

static uint64_t done_control(const void *context, uint32_t home, uint32_t lane)
{
    const struct cw_core *c = context;
    return c->warps->thread_done[home * CW_LANES + lane];
}

static void notice_control(void *context, const char *text)
{
    const struct cw_core *c = context;
    if (c->warps->cfg.events.notice != NULL)
        c->warps->cfg.events.notice(c->warps->cfg.events.context, text);
}

/* What dynamic warps need. */
static bool create_dynamic(struct cw_core *c)
{
    struct cw_core_warps *const warps = c->warps;
    struct cw_core_blocks *const blocks = c->blocks;
    blocks->dynamic = calloc(warps->slots, sizeof *blocks->dynamic);
    if (warps->one_by_one)
        warps->thread_done = calloc((size_t)warps->slots * CW_LANES, sizeof *warps->thread_done);
    blocks->bar_insn = calloc((size_t)warps->slots * CW_LANES, sizeof *blocks->bar_insn);
    blocks->starts_at = calloc(warps->slots, sizeof *blocks->starts_at);
    return blocks->starts_at != NULL && blocks->dynamic != NULL && blocks->bar_insn != NULL &&
           (warps->thread_done != NULL || !warps->one_by_one);
}

static void form_control(void *context, uint32_t warp, cw_lanes lanes, const uint8_t *home, bool fetched)
{
    struct cw_core *c = context;
    cw_core__form(c->blocks, warp, lanes, home, fetched);
}

static void go_control(void *context, uint32_t warp)
{
    struct cw_core *c = context;
    cw_core__go(c->blocks, warp);
}

static cw_lanes stalled_control(const void *context, uint32_t warp)
{
    const struct cw_core *c = context;
    return cw_core__stalled_lanes(c->warps, warp);
}

static cw_lanes awaits_control(const void *context, uint32_t home, uint32_t pc, cw_lanes lanes)
{
    const struct cw_core *c = context;
    return cw_core__lanes_await(&c->warps->warp[home], &c->warps->op[pc], lanes);
}

static int create_control(struct cw_core *c, struct cw_error *err)
{
    struct cw_core_warps *const warps = c->warps;
    const struct cw_control_config config = {
        .warps = warps->slots,
        .homes = warps->config->core_warps,
        .width = warps->width,
        .config = warps->config,
        .stats = warps->cfg.stats,
        .units = warps->cfg.units,
        .core = warps->cfg.index,
        .host = {c, form_control, &warps->cycle, hold_control, wake_control, fault_control, notice_control, done_control, go_control,
                 stalled_control, awaits_control},
    };
    c->blocks->control_next = c->blocks->flush.next = CW_CYCLE_NEVER;
    warps->mixes = warps->cfg.control->mixes;
    warps->unusual = warps->cfg.control->regroups || warps->cfg.control->may_issue != NULL || warps->cfg.control->first != NULL ||
                     (warps->cfg.control->await != NULL && warps->cfg.control->stacked == NULL) || warps->one_by_one || warps->by_lane ||
                     c->memory->unified || warps->rows > 1 || warps->cfg.count_stalls;
    if (warps->cfg.control->regroups && warps->slots > 64)
        return cw_fail(err, CW_EINVAL,
                       "control policy %s makes warps of a core's threads, in at most 64 slots; it has %u: set core.warps=64",
                       warps->cfg.control->name, warps->slots);
    if (warps->cfg.control->regroups && warps->by_lane)
        return cw_fail(
            err, CW_EINVAL,
            "control policy %s makes warps of threads of several warps, whose loads core.scoreboard=lane does not tell apart; set "
            "core.scoreboard=register or warp",
            warps->cfg.control->name);
    if (warps->cfg.control->regroups && !create_dynamic(c))
        return cw_fail(err, CW_ENOMEM, "no memory for a core");
    return warps->cfg.control->create(&warps->control, &config, err);
}

/* The cycles before this tick are counted before it changes what they have waited for. */
static void counting_tick(void *self, cw_time now)
{
    struct cw_core *c = self;
    if (!c->warps->faulted && c->warps->launch != NULL)
        cw_core__stalls_charge(&c->issue, now / c->warps->period);
    core_tick(self, now);
}

static bool core_idle(const void *self)
{
    return cw_core_idle(self);
}

static const struct cw_component_ops component_ops = {
    .kind = "core", .domain = CW_DOMAIN_CORE, .tick = core_tick, .idle = core_idle, .state = cw_core__state};
static const struct cw_component_ops counting_ops = {
    .kind = "core", .domain = CW_DOMAIN_CORE, .tick = counting_tick, .idle = core_idle, .state = cw_core__state};

static void name_floors(struct cw_core *c)
{
    c->memory = &c->issue.memory;
    c->blocks = &c->memory->blocks;
    c->cache = &c->blocks->cache;
    c->warps = &c->cache->warps;
    c->warps->wake = &c->component.wake;
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
    name_floors(c);
    c->warps->cfg = *config;
    c->warps->config = config->config;
    c->warps->period = config->clocks->period[CW_DOMAIN_CORE];
    c->warps->width = c->warps->config->core_warp_width;
    c->warps->halves = c->warps->width / CW_LANES;
    c->cache->line_bytes = c->warps->config->mem_line_bytes;
    size_rows(c->warps);
    set_stages(c);
    c->component = cw_component_of(config->count_stalls ? &counting_ops : &component_ops, c, config->index);
    c->warps->all_lanes = cw_lanes_below(c->warps->width);
    cw_core__create_classes(c->warps);
    c->memory->pipe.stalled_at = c->memory->constants.stalled_at = c->memory->pipe.port_cycle = CW_CYCLE_NEVER;
    create_schedulers(c->warps);
    int status = cw_l1_create(&c->cache->l1, c->cache->line_bytes, c->warps->config->l1_bytes, c->warps->config->l1_ways,
                              (enum cw_replacement)c->warps->config->l1_replacement, c->warps->config->l1_mshrs,
                              c->warps->config->l1_mshr_merge, err);
    if (status == 0)
        status = create_read_only(c, err);
    if (status == 0 && !create_arrays(c))
        status = cw_fail(err, CW_ENOMEM, "no memory for a core");
    if (status == 0)
        status = create_control(c, err);
    if (status == 0 && config->count_stalls && (c->warps->stalls = cw_core__stalls_create(c->warps)) == NULL)
        status = cw_fail(err, CW_ENOMEM, "no memory for a core");
    if (status != 0) {
        cw_core_destroy(c);
        return status;
    }
    c->warps->control->ops = config->control; /* a policy may take another one's create, and change some functions */
    c->warps->front = c->warps->control->front;
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
    struct cw_core_warps *const warps = c->warps;
    struct cw_core_blocks *const blocks = c->blocks;
    struct cw_core_memory *const memory = c->memory;
    for (uint32_t w = 0; warps->warp != NULL && w < warps->slots; w++)
        free(warps->warp[w].print);
    if (warps->control != NULL)
        warps->control->ops->destroy(warps->control);
    cw_core__stalls_destroy(warps->stalls);
    void *owned[] = {memory->lsu.queue,
                     memory->pipe.entry,
                     memory->pipe.log_done,
                     blocks->shared,
                     warps->warp,
                     warps->storage.tid,
                     warps->op,
                     warps->storage.r32,
                     warps->storage.r64,
                     warps->storage.pred,
                     blocks->dynamic,
                     warps->storage.cc,
                     warps->storage.slot_cycle,
                     warps->checkpoint.r32,
                     warps->checkpoint.r64,
                     warps->checkpoint.pred,
                     warps->mech,
                     warps->asks.ask,
                     c->cache->misses.entry,
                     warps->wheel.slot,
                     warps->thread_done,
                     warps->storage.slot_lanes,
                     c->issue.branch,
                     blocks->bar_insn,
                     blocks->starts_at,
                     memory->pipe.parked};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    for (uint32_t i = 0; i < memory->pool.chunk_cnt; i++)
        free(memory->pool.chunk[i]);
    free(memory->pool.chunk);
    cw_l1_destroy(&c->cache->l1);
    cw_l1_destroy(&blocks->fetch.cache);
    cw_l1_destroy(&memory->constants.cache);
    cw_l1_destroy(&c->cache->texture);
    free(c);
}

void cw_core_hear(struct cw_core *c, const struct cw_core_events *events)
{
    c->warps->cfg.events = *events;
}

struct cw_component *cw_core_component(struct cw_core *c)
{
    return &c->component;
}

static uint32_t sockets_taken(const struct cw_core_sockets *s)
{
    return (s->tick != NULL ? CW_SOCKET_TICK : 0u) | (s->access != NULL ? CW_SOCKET_ACCESS : 0u) |
           (s->l1_line != NULL ? CW_SOCKET_L1_LINE : 0u) | (s->fence != NULL ? CW_SOCKET_FENCE : 0u) |
           (s->acquire != NULL ? CW_SOCKET_ACQUIRE : 0u) | (s->block_start != NULL || s->block_end != NULL ? CW_SOCKET_BLOCK : 0u) |
           (s->issued != NULL ? CW_SOCKET_ISSUED : 0u) | (s->barrier != NULL ? CW_SOCKET_BARRIER : 0u);
}

int cw_core_attach(struct cw_core *c, const struct cw_core_sockets *sockets, void *self, const struct cw_intrinsic *intrinsics,
                   struct cw_error *err)
{
    struct cw_core_warps *const warps = c->warps;
    struct cw_core_blocks *const blocks = c->blocks;
    static const struct cw_core_sockets none = {0};
    const ptrdiff_t region = blocks->region != NULL ? blocks->region - warps->mech : -1,
                    keeper = blocks->keeper != NULL ? blocks->keeper - warps->mech : -1;
    struct cw_core_mech *mech = realloc(warps->mech, (warps->mech_cnt + 1) * sizeof *mech);
    if (mech == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a core");
    warps->mech = mech;
    blocks->region = region >= 0 ? mech + region : NULL;
    blocks->keeper = keeper >= 0 ? mech + keeper : NULL;
    mech += warps->mech_cnt++;
    *mech = (struct cw_core_mech){sockets != NULL ? sockets : &none, self, intrinsics};
    warps->taken |= sockets_taken(mech->sockets);
    if (mech->sockets->region_begin != NULL)
        blocks->region = mech;
    if (mech->sockets->l1_store != NULL)
        blocks->keeper = mech;
    return CW_OK;
}

/* ---- launch ---- */

static int allocate_registers(struct cw_core *c, const struct cw_kernel *k, struct cw_error *err)
{
    size_t warps = c->warps->config->core_warps, vectors = warps * c->warps->halves, lanes = vectors * CW_LANES,
           *have = c->warps->storage.bytes;
    size_t saved = k->uses_region ? 1 : 0;
    c->warps->storage.r32 = storage(c->warps->storage.r32, &have[0], k->r32_cnt * lanes * 4);
    c->warps->storage.r64 = storage(c->warps->storage.r64, &have[1], k->r64_cnt * lanes * 8);
    c->warps->storage.pred = storage(c->warps->storage.pred, &have[2], k->pred_cnt * vectors * 4);
    c->warps->storage.cc = storage(c->warps->storage.cc, &have[3], vectors * 4);
    c->warps->storage.slot_cycle = storage(c->warps->storage.slot_cycle, &have[4], cw_scoreboard_slots(k) * c->warps->slots * 8);
    if (c->warps->by_lane)
        c->warps->storage.slot_lanes =
            storage(c->warps->storage.slot_lanes, &have[8], cw_scoreboard_slots(k) * c->warps->slots * sizeof(cw_lanes));
    c->warps->checkpoint.r32 = storage(c->warps->checkpoint.r32, &have[5], saved * k->r32_cnt * lanes * 4);
    c->warps->checkpoint.r64 = storage(c->warps->checkpoint.r64, &have[6], saved * k->r64_cnt * lanes * 8);
    c->warps->checkpoint.pred = storage(c->warps->checkpoint.pred, &have[7], saved * k->pred_cnt * vectors * 4);
    if (c->warps->storage.r32 == NULL || c->warps->storage.r64 == NULL || c->warps->storage.pred == NULL || c->warps->storage.cc == NULL ||
        c->warps->storage.slot_cycle == NULL || (c->warps->by_lane && c->warps->storage.slot_lanes == NULL) ||
        c->warps->checkpoint.r32 == NULL || c->warps->checkpoint.r64 == NULL || c->warps->checkpoint.pred == NULL)
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
    while (owner < c->warps->mech_cnt &&
           (c->warps->mech[owner].intrinsics == NULL || !cw_intrinsic_in(c->warps->mech[owner].intrinsics, i)))
        owner++;
    return owner;
}

static struct cw_branch branch_of(const struct cw_core *c, const struct cw_launch *l, uint32_t pc)
{
    const struct cw_uop *u = &l->kernel->uop[pc];
    const uint32_t lcp = c->warps->config->core_lcp;
    const bool likely = lcp == CW_LCP_LOOP || (lcp == CW_LCP_PROFILE && l->kernel->profiled);
    const enum cw_branch_kind kind = u->op == CW_OP_BRA && u->guard < 0 ? CW_BRANCH_ALWAYS
                                     : (u->flags & CW_UF_UNI) != 0      ? CW_BRANCH_UNI
                                                                        : CW_BRANCH_OPEN;
    return (struct cw_branch){
        .target = u->target, .next = pc + 1, .rpc = u->rpc, .lpc = likely ? u->lpc : CW_PC_NONE, .kind = kind, .uniform = u->uniform != 0};
}

static int compile_op(struct cw_core *c, const struct cw_launch *l, uint32_t i, struct cw_error *err)
{
    struct cw_core_warps *const warps = c->warps;
    const struct cw_uop *u = &l->kernel->uop[i];
    if (warps->width != CW_LANES && needs_32_lanes(u))
        return cw_fail(err, CW_EUNSUP, "kernel %s: %s:%u: %s works on warps of 32 lanes; set core.warp_width=32", l->kernel->name,
                       l->module->file, u->line, cw_op_mnemonic((enum cw_op)u->op));
    int status = cw_issue_op_compile(&warps->op[i], l->kernel, u, warps->config, err);
    c->issue.branch[i] = branch_of(c, l, i);
    if (status == CW_OK && u->op == CW_OP_INTRINSIC)
        warps->op[i].owner = (uint8_t)owner_of(c, u->intrinsic);
    return status;
}

/* Whether loads of several micro-ops issue as one: a mechanism in front of the L1 is asked for each, collectors take their operands, and a
 * half of a warp is an access of its own. */
static bool takes_wide(const struct cw_core_warps *warps)
{
    return !warps->collects && warps->halves == 1 && (warps->taken & CW_SOCKET_ACCESS) == 0;
}

static int compile_ops(struct cw_core *c, const struct cw_launch *l, struct cw_error *err)
{
    struct cw_core_warps *const warps = c->warps;
    struct cw_core_issue *const issue = &c->issue;
    const struct cw_kernel *k = l->kernel;
    if (k->uop_cnt > issue->op_cap) {
        free(warps->op);
        free(issue->branch);
        warps->op = malloc(k->uop_cnt * sizeof *warps->op);
        issue->branch = malloc(k->uop_cnt * sizeof *issue->branch);
        issue->op_cap = warps->op != NULL && issue->branch != NULL ? k->uop_cnt : 0;
        if (issue->op_cap == 0)
            return cw_fail(err, CW_ENOMEM, "no memory for kernel %s", k->name);
    }
    warps->uop = k->uop;
    int status = CW_OK;
    for (uint32_t i = 0; status == CW_OK && i < k->uop_cnt; i++)
        status = compile_op(c, l, i, err);
    for (uint32_t i = 0; status == CW_OK && i < k->uop_cnt; i++)
        if (k->uop[i].parts > 1 && takes_wide(warps))
            cw_issue_op_widen(&warps->op[i], &k->uop[i]);
    for (uint32_t i = k->uop_cnt; status == CW_OK && i-- > 1;)
        if (k->uop[i - 1].rides)
            cw_issue_op_ride(&warps->op[i - 1], &k->uop[i - 1], warps->config);
    return status;
}

/* What PTX leaves open is told once per instruction. */
static void left_open(void *context, const struct cw_uop *u, const struct cw_exec *x, enum cw_exec_open what, uint32_t lane, uint32_t other)
{
    struct cw_core *c = context;
    struct cw_issue_op *op = &c->warps->op[u - c->warps->uop];
    if ((op->told >> what & 1u) == 0)
        cw_core__tell_open(c->warps, u, x, what, lane, other);
    op->told |= (uint8_t)(1u << what);
}

/* What of a warp's view is the same for all blocks of the launch. */
static void prepare_warps(struct cw_core *c, const struct cw_launch *l)
{
    const uint32_t warps = c->warps->config->core_warps, vectors = warps * c->warps->halves;
    const size_t slots = cw_scoreboard_slots(l->kernel);
    for (uint32_t w = 0; w < c->warps->slots; w++) {
        c->warps->warp[w].slot_cycle = c->warps->storage.slot_cycle + w * slots;
        c->warps->warp[w].slot_lanes = c->warps->by_lane ? c->warps->storage.slot_lanes + w * slots : NULL;
    }
    for (uint32_t i = 0; i < vectors; i++) {
        c->warps->warp[i / c->warps->halves].x[i % c->warps->halves] = (struct cw_exec){
            .r32 = c->warps->storage.r32 + (size_t)i * l->kernel->r32_cnt * CW_LANES,
            .r64 = c->warps->storage.r64 + (size_t)i * l->kernel->r64_cnt * CW_LANES,
            .pred = c->warps->storage.pred + (size_t)i * l->kernel->pred_cnt,
            .cc = c->warps->storage.cc + i,
            .r32_stride = CW_LANES,
            .r64_stride = CW_LANES,
            .pred_stride = 1,
            .kernel = l->kernel,
            .param = l->param,
            .nwarpid = warps,
            .smid = c->warps->cfg.index,
            .nsmid = c->warps->config->core_count,
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
    struct cw_core_blocks *const blocks = c->blocks;
    const struct cw_config *f = c->warps->config;
    struct cw_occupancy o;
    cw_core_occupancy(&o, f, l);
    blocks->room.block_regs = o.block_registers;
    blocks->room.block_shared = o.block_shared;
    if (o.by_warps == 0)
        return cw_fail(err, CW_EINVAL, "kernel %s: a block of %u threads needs %u warps, a core has %u (core.warps)", l->kernel->name,
                       l->threads, l->warps, f->core_warps);
    if (o.by_registers == 0)
        return cw_fail(err, CW_EINVAL, "kernel %s: a block needs %u registers (%u per thread), a core has %u (core.registers)",
                       l->kernel->name, blocks->room.block_regs, l->regs_per_thread, f->core_registers);
    if (o.by_shared == 0)
        return cw_fail(err, CW_EINVAL, "kernel %s: a block needs %u bytes of shared memory, a core has %u (core.shared_bytes)",
                       l->kernel->name, blocks->room.block_shared, f->core_shared_bytes);
    blocks->room.blocks_max = o.by_shared < o.by_blocks ? o.by_shared : o.by_blocks;
    return 0;
}

/* Shared memory and L1 are one memory: what blocks take of it the L1 has not. */
static void carve_out(struct cw_core_cache *cache, const struct cw_launch *launch)
{
    const struct cw_config *f = cache->warps.config;
    struct cw_l1 *l1 = &cache->l1;
    struct cw_occupancy o;
    cw_core_occupancy(&o, f, launch);
    uint32_t shared = f->l1_shared_least, step = 8192;
    const uint64_t needed = (uint64_t)o.room * o.block_shared;
    while (step < needed)
        step *= 2;
    if (needed > shared)
        shared = step < f->core_shared_bytes ? step : f->core_shared_bytes;
    const uint64_t left = shared < f->l1_bytes ? f->l1_bytes - shared : 0, ways = left * l1->ways / f->l1_bytes;
    cw_l1_reset(l1);
    cw_cache_array_limit(&l1->array, ways > 0 ? (uint32_t)ways : 1);
}

int cw_core_prepare(struct cw_core *c, const struct cw_launch *launch, struct cw_error *err)
{
    struct cw_core_warps *const warps = c->warps;
    warps->launch = NULL;
    c->memory->hostile = warps->config->core_memory == CW_MEMORY_ADVERSARY;
    c->memory->whim = warps->config->core_memory_seed * UINT64_C(0x100000001b3) + 4096 + warps->cfg.index;
    int status = size_blocks(c, launch, err);
    if (status == 0)
        status = allocate_registers(c, launch->kernel, err);
    if (status == 0)
        status = compile_ops(c, launch, err);
    if (status != 0)
        return status;
    prepare_warps(c, launch);
    if (warps->stalls != NULL)
        status = cw_core__stalls_prepare(warps, launch->kernel, err);
    if (status == CW_OK && warps->control->ops->prepare != NULL)
        status = warps->control->ops->prepare(warps->control, launch->kernel, launch->module->file, launch->static_warps, err);
    if (status != 0)
        return status;
    warps->unusual |= cw_events_want(warps->cfg.stream, CW_EVENT_BEFORE);
    warps->taken &=
        ~(uint32_t)(CW_SOCKET_STREAM | CW_SOCKET_BRANCH | CW_SOCKET_BRANCHED | CW_SOCKET_PM | CW_SOCKET_PROGRAM | CW_SOCKET_FLIGHT);
    warps->taken |= cw_events_want(warps->cfg.stream, CW_EVENT_ISSUE) ? CW_SOCKET_STREAM : 0u;
    warps->taken |= cw_events_want(warps->cfg.stream, CW_EVENT_BRANCH) ? CW_SOCKET_BRANCH : 0u;
    warps->taken |= cw_events_want(warps->cfg.stream, CW_EVENT_BRANCHED) ? CW_SOCKET_BRANCHED : 0u;
    warps->taken |= cw_events_want(warps->cfg.stream, CW_EVENT_PM_ISSUE) ? CW_SOCKET_PM : 0u;
    warps->taken |= cw_events_want(warps->cfg.stream, CW_EVENT_REGION_ISSUE) ? CW_SOCKET_PROGRAM : 0u;
    warps->taken |= cw_events_want(warps->cfg.stream, CW_EVENT_FLIGHT) ? CW_SOCKET_FLIGHT : 0u;
    memset(c->blocks->shared, 0, warps->config->core_shared_bytes);
    if (warps->config->l1_carveout == CW_ON)
        carve_out(c->cache, launch);
    cw_operands_reset(&c->issue.operands, warps->config);
    warps->launch = launch;
    return 0;
}

void cw_core_count_from(struct cw_core *c, uint64_t cycle)
{
    if (c->warps->stalls != NULL)
        c->warps->stalls->charged = cycle;
}

void cw_core_count_until(struct cw_core *c, uint64_t cycle, enum cw_stall idle)
{
    if (c->warps->stalls == NULL)
        return;
    cw_core__stalls_charge(&c->issue, cycle);
    if (idle != CW_STALL_ISSUED)
        c->warps->stalls->idle = (uint8_t)idle;
}

void cw_core_count_late(struct cw_core *c, uint64_t cycle)
{
    cw_core__account(c->blocks, cycle);
    if (c->blocks->room.resident != 0 && c->warps->classes.counted < cycle)
        cw_classes_count_gap(&c->warps->classes, c->warps->cfg.stats, cycle);
}

bool cw_core_idle(const struct cw_core *c)
{
    const struct cw_core_warps *const warps = c->warps;
    if (c->blocks->room.resident != 0 || c->memory->pool.out != 0 || c->cache->acks != 0 || c->cache->l1.mshr_used != 0 ||
        c->blocks->fetch.cache.mshr_used != 0 || c->memory->pipe.log_cnt != 0)
        return false;
    if ((c->memory->constants.cache.mshr_used | c->cache->texture.mshr_used) != 0 || cw_core__has_dirty(c->blocks))
        return false;
    for (uint32_t i = 0; i < warps->mech_cnt; i++)
        if (warps->mech[i].sockets->idle != NULL && !warps->mech[i].sockets->idle(warps->mech[i].self))
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
    struct cw_core_cache *const cache = c->cache;
    for (uint32_t i = 0; i < cache->texture.sets * cache->texture.ways; i++) {
        const struct cw_l1_line *e = &cache->texture.line[i];
        const uint64_t bytes = cache->texture.line_bytes;
        uint8_t now[CW_LINE_BYTES];
        if ((e->valid[0] | e->valid[1]) == 0)
            continue;
        const bool there = cw_memory_valid(c->warps->cfg.memory, e->line, bytes);
        if (there)
            cw_memory_read(c->warps->cfg.memory, e->line, now, bytes);
        if (!there || memcmp(now, e->data + (e->line & (cache->line_bytes - 1)), bytes) != 0)
            cw_l1_invalidate(&cache->texture, e->line);
    }
}

void cw_core_flush(struct cw_core *c)
{
    struct cw_core_cache *const cache = c->cache;
    uint32_t at = 0;
    if (cw_l1_next_dirty(&cache->l1, &at) != NULL)
        flush_but_kept(&cache->l1);
    else
        cw_l1_reset(&cache->l1);
    if (c->warps->config->icache_launch == CW_LAUNCH_COLD)
        cw_l1_reset(&c->blocks->fetch.cache);
    if (c->warps->config->const_launch == CW_LAUNCH_COLD)
        cw_l1_reset(&c->memory->constants.cache);
    if (c->warps->config->texture_launch == CW_LAUNCH_COLD)
        cw_l1_reset(&cache->texture);
    else
        drop_changed(c);
}

void cw_core_forget_constants(struct cw_core *c)
{
    cw_l1_reset(&c->memory->constants.cache);
}
