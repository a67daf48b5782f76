/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches of which a part is timed (options.estimate). A wave is as many blocks as the machine holds at once.
 *
 * Each wave of finished blocks is a sample: its cycles and its warp instructions. When the spread of a stretch of them is small enough, time
 * stands still: the blocks that are in the machine stay there as they are, and the next ones run without time. Then the machine goes on, with
 * blocks behind those, so it fills once and drains once. Time is taken again where blocks are of another kind by their instructions and their
 * divergence, and now and then whatever their kind, the sooner the more the samples differ: as TBPoint (IPDPS 2014) and Photon (MICRO 2023)
 * find homogeneous regions, without a profile made before.
 *
 * A launch takes the cycles that passed, and for each block without time its instructions times the cycles of one in its region.
 *
 * Blocks that are left out see what those before them have written to memory, as in a timed launch of a kernel without races.
 */
#include <math.h>

#include "gpu/gpu_private.h"

#define FEWEST_WAVES 6u   /* Samples of the first stretch of a launch, behind those that are left out */
#define FURTHER      6u   /* Samples of the others */
#define NEAR         0.10 /* Regions of one kind: threads of an instruction differ by no more, as a part */
#define ALIKE        0.30 /* And the instructions of a block */
#define MOST_REST    0.30 /* Of a launch's blocks run without time until the next stretch, */
#define FEWEST_REST  4u   /* And at least so many waves, for which an interruption pays */
#define LAST_WAVES   2u   /* Of a launch take time: the machine drains as it would */
#define UNKNOWN      0.5  /* Half of the interval of blocks that look like none that were timed, as a part */

/* What samples do not show, as a part of the cycles that are left out: rates drift in the course of a launch, and caches have less of what has run
 * without time. benchmarks/estimates.csv has the programs that it comes from. */
#define BIAS 0.01

/* ---- Samples of a stretch ---- */

/* While caches fill, the first samples of a launch differ from what follows. Those are left out without which the mean of the others is known
 * best (White's MSER rule, 1997), half of them at the most. */
static struct cw_samples settled(const struct cw_gpu_sampling *s)
{
    struct cw_samples rest = {0}, best = {0};
    double least = INFINITY;
    for (uint32_t i = s->wave_cnt; i-- > 0;) {
        cw_samples_add(&rest, s->wave[i].cycles, s->wave[i].instructions);
        const double spread = cw_samples_spread(&rest) / rest.cnt;
        if (s->stretches > 0 || (2 * i <= s->wave_cnt && spread <= least)) {
            least = spread;
            best = rest;
        }
    }
    return best;
}

static bool is_enough(const struct cw_gpu_sampling *s)
{
    if (s->stretches > 0 || s->wave_cnt == CW_WAVES)
        return s->wave_cnt >= FURTHER;
    const struct cw_samples rest = settled(s);
    return rest.cnt >= FEWEST_WAVES && cw_samples_half(&rest) <= s->bound * cw_samples_ratio(&rest);
}

static void begin_stretch(struct cw_gpu *gpu)
{
    struct cw_gpu_sampling *s = &gpu->sampling;
    s->wave_cnt = 0;
    s->is_first = true;
    s->next_wave = gpu->blocks_finished + s->room;
}

/* The wave that has ended is a sample, but for the first one, in which the machine fills, or gets used to other blocks. */
static void end_wave(struct cw_gpu *gpu)
{
    struct cw_gpu_sampling *s = &gpu->sampling;
    const struct cw_stats *counted = cw_gpu_stats(gpu);
    const uint64_t cycle = cw_gpu_cycles(gpu);
    if (s->is_first) {
        s->since_blocks = gpu->blocks_finished;
        s->since_instructions = counted->warp_instructions;
        s->since_threads = counted->thread_instructions;
    } else
        s->wave[s->wave_cnt++] = (struct cw_gpu_wave){(double)(cycle - s->cycle), (double)(counted->warp_instructions - s->instructions)};
    s->is_first = false;
    s->cycle = cycle;
    s->instructions = counted->warp_instructions;
    s->next_wave = gpu->blocks_finished + s->room;
}

/* ---- regions ---- */

/* That of blocks of so many warp instructions with so many threads each. With no room for another one, the most similar. */
static struct cw_gpu_region *region_of(struct cw_gpu_sampling *s, double per_block, double lanes)
{
    struct cw_gpu_region *best = NULL;
    double least = INFINITY;
    for (uint32_t i = 0; i < s->region_cnt; i++) {
        struct cw_gpu_region *r = &s->region[i];
        const double a = fabs(r->lanes / lanes - 1) / NEAR, b = fabs(r->per_block / per_block - 1) / ALIKE;
        if (best == NULL || fmax(a, b) < least) {
            best = r;
            least = fmax(a, b);
        }
    }
    if (least <= 1 || s->region_cnt == CW_REGIONS)
        return best;
    best = &s->region[s->region_cnt++];
    *best = (struct cw_gpu_region){.per_block = per_block, .lanes = lanes};
    return best;
}

/* Half of the interval of a region's ratio. Waves of one stretch are alike, so a few stretches may differ by more than their waves say. */
static double half_of(const struct cw_gpu_region *r)
{
    const double waves = cw_samples_half(&r->waves), stretches = r->stretches.cnt > 2 ? cw_samples_half(&r->stretches) : 0;
    return r->stretches.cnt > 3 || waves < stretches ? stretches : waves;
}

static void note_stretch(struct cw_gpu *gpu)
{
    struct cw_gpu_sampling *s = &gpu->sampling;
    const struct cw_stats *counted = cw_gpu_stats(gpu);
    const double work = (double)(counted->warp_instructions - s->since_instructions);
    const struct cw_samples waves = settled(s);
    struct cw_gpu_region *r = region_of(s, work / (double)(gpu->blocks_finished - s->since_blocks),
                                        (double)(counted->thread_instructions - s->since_threads) / work);
    cw_samples_join(&r->waves, &waves);
    cw_samples_add(&r->stretches, waves.y, waves.x);
    s->stretches++;
}

/* How many blocks run without time before time is taken again: intervals shrink with the root of the stretches, and those that are still
 * needed are spread over the blocks that are left. */
static uint64_t rest(const struct cw_gpu_sampling *s, uint64_t left)
{
    double worst = 0;
    for (uint32_t i = 0; i < s->region_cnt; i++)
        if (s->region[i].stretches.cnt > 0)
            worst = fmax(worst, half_of(&s->region[i]) / cw_samples_ratio(&s->region[i].waves) / s->bound);
    const double missing = worst > 1 ? (worst * worst - 1) * s->stretches : 0;
    const uint64_t wanted = (uint64_t)(fmin(1 / (missing + 1), MOST_REST) * (double)left), least = (uint64_t)FEWEST_REST * s->room;
    return wanted > least ? wanted : least;
}

/* Cycles of what ran without time, by regions. */
static void sum_regions(struct cw_gpu_sampling *s, struct cw_estimate *e)
{
    for (uint32_t i = 0; i < s->region_cnt; i++) {
        const struct cw_gpu_region *r = &s->region[i], *known = r;
        for (uint32_t k = 0; k < s->region_cnt && known->stretches.cnt == 0; k++)
            known = s->region[k].stretches.cnt > 0 ? &s->region[k] : known;
        const double ratio = cw_samples_ratio(&known->waves);
        cw_estimate_add(e, r->untimed * ratio, r->untimed * (known == r ? half_of(r) : UNKNOWN * ratio));
    }
}

/* ---- blocks without time ---- */

/* Local memory of the cores that take no time: the timed ones have theirs in use. */
static int place_local(struct cw_gpu *gpu, struct cw_error *err)
{
    struct cw_gpu_sampling *s = &gpu->sampling;
    if (gpu->local_capacity <= s->local_bytes)
        return CW_OK;
    if (s->local_bytes != 0)
        cw_memory_free(gpu->memory, s->local_base, NULL);
    s->local_bytes = 0;
    const int status = cw_memory_alloc_top(gpu->memory, &s->local_base, gpu->local_capacity, CW_REGION_LOCAL, err);
    s->local_bytes = status == CW_OK ? gpu->local_capacity : 0;
    return status;
}

/* The next wave of blocks runs without time. *known: blocks like these have been timed, or were asked for before. */
static int pass_wave(struct cw_gpu *gpu, bool *known, struct cw_error *err)
{
    struct cw_gpu_sampling *s = &gpu->sampling;
    const uint64_t done = gpu->stats.functional_warp_instructions, lanes = gpu->stats.functional_thread_instructions;
    gpu->blocks_finished = gpu->blocks_started;
    gpu->blocks_total = gpu->blocks_started + s->room;
    const int status = cw_gpu__run_functional(gpu, false, err);
    if (status != CW_OK)
        return status;
    const double work = (double)(gpu->stats.functional_warp_instructions - done);
    struct cw_gpu_region *r = region_of(s, work / (double)s->room, (double)(gpu->stats.functional_thread_instructions - lanes) / work);
    r->untimed += work;
    *known = r->stretches.cnt > 0 || r->asked;
    r->asked = true;
    s->untimed_instructions += work;
    return CW_OK;
}

/* Up to so many blocks run without time, while those that have begun stand still. */
static int pass(struct cw_gpu *gpu, uint64_t blocks, struct cw_error *err)
{
    struct cw_gpu_sampling *s = &gpu->sampling;
    const uint64_t total = gpu->blocks_total, in_machine = gpu->blocks_started - gpu->blocks_finished, local_base = gpu->launch.local_base;
    const uint64_t until = gpu->blocks_started + blocks;
    bool known = true;
    int status = place_local(gpu, err);
    cw_memory_settle(gpu->memory);
    gpu->launch.local_base = s->local_base;
    while (status == CW_OK && known && gpu->blocks_started + s->room <= until)
        status = pass_wave(gpu, &known, err);
    gpu->launch.local_base = local_base;
    cw_memory_reload(gpu->memory);
    gpu->blocks_total = total;
    gpu->blocks_finished = gpu->blocks_started - in_machine;
    gpu->kernel_ends = false;
    gpu->dispatch_pending = true;
    return status;
}

/* At a core edge of a timed launch, before blocks begin. */
static void watch(struct cw_gpu *gpu)
{
    struct cw_gpu_sampling *s = &gpu->sampling;
    const uint64_t kept = (uint64_t)LAST_WAVES * s->room, left = gpu->blocks_total - gpu->blocks_started;
    struct cw_error err;
    if (gpu->blocks_finished < s->next_wave)
        return;
    if (left < kept + (uint64_t)FEWEST_REST * s->room) {
        s->next_wave = UINT64_MAX;
        return;
    }
    end_wave(gpu);
    if (!is_enough(s))
        return;
    note_stretch(gpu);
    const uint64_t wanted = rest(s, left), most = left - kept;
    const int status = pass(gpu, wanted < most ? wanted : most, &err);
    if (status != CW_OK && gpu->fault_status == CW_OK) {
        gpu->fault_status = status;
        gpu->fault = err;
    }
    begin_stretch(gpu);
}

/* ---- launches ---- */

/* Time goes on to where what ran without it would have ended. */
static void advance(struct cw_gpu *gpu, double cycles)
{
    gpu->now += (cw_time)(cycles + 0.5) * gpu->clocks.period[CW_DOMAIN_CORE];
}

/* Whether a block may wait for another one: it has loads that others' stores reach, or atomics that tell what was there. Blocks that are left out
 * would wait for ever for those that stand still. */
static bool may_wait(const struct cw_kernel *k)
{
    for (uint32_t i = 0; i < k->uop_cnt; i++) {
        const struct cw_uop *u = &k->uop[i];
        if ((u->op == CW_OP_LD && (u->flags & CW_UF_VOLATILE) != 0) || (u->op == CW_OP_ATOM && u->dst_cnt != 0))
            return true;
    }
    return false;
}

static int without_time(struct cw_gpu *gpu, struct cw_launch_kind *k, struct cw_error *err)
{
    struct cw_gpu_sampling *s = &gpu->sampling;
    const uint64_t done = gpu->stats.functional_warp_instructions;
    const int status = cw_gpu__run_functional(gpu, true, err);
    if (status != CW_OK)
        return status;
    const double work = (double)(gpu->stats.functional_warp_instructions - done), cycles = cw_launch_untimed(k, work);
    advance(gpu, cycles);
    s->left_out += cycles;
    s->all.cycles += cycles;
    s->untimed_instructions += work;
    s->untimed_launches++;
    return CW_OK;
}

static int with_time(struct cw_gpu *gpu, struct cw_launch_kind *k, struct cw_error *err)
{
    struct cw_gpu_sampling *s = &gpu->sampling;
    const uint64_t cycle = cw_gpu_cycles(gpu), done = cw_gpu_stats(gpu)->warp_instructions;
    const double untimed = s->untimed_instructions;
    struct cw_estimate all = {0}, left_out = {0};
    struct cw_occupancy o;
    cw_core_occupancy(&o, &gpu->config, &gpu->launch);
    s->room = (uint64_t)o.room * gpu->config.core_count;
    s->stretches = s->region_cnt = 0;
    begin_stretch(gpu);
    int status = cw_gpu__begin_launch(gpu, err);
    s->watch = may_wait(gpu->launch.kernel) ? NULL : watch;
    if (status == CW_OK)
        status = cw_gpu__run(gpu, NULL, err);
    s->watch = NULL;
    if (status != CW_OK)
        return status;
    cw_gpu__finish(gpu);
    cw_memory_settle(gpu->memory);
    sum_regions(s, &left_out);
    all = left_out;
    all.cycles += (double)(cw_gpu_cycles(gpu) - cycle);
    advance(gpu, left_out.cycles);
    s->left_out += left_out.cycles;
    const double work = (double)(cw_gpu_stats(gpu)->warp_instructions - done);
    cw_launch_timed(k, all.cycles, work + s->untimed_instructions - untimed);
    s->timed_instructions += work;
    s->all.cycles += all.cycles;
    s->all.variance += all.variance;
    *(s->untimed_instructions > untimed ? &s->partly_timed_launches : &s->timed_launches) += 1;
    return CW_OK;
}

bool cw_gpu__is_sampled(const struct cw_gpu *gpu, const struct cw_gpu_request *q)
{
    return gpu->sampling.bound > 0 && !gpu->has_stateful && !q->kernel->uses_region && q->kernel->intrinsic_cnt == 0 && !q->cooperative &&
           q->saved == NULL;
}

int cw_gpu__run_sampled(struct cw_gpu *gpu, struct cw_error *err)
{
    struct cw_gpu_sampling *s = &gpu->sampling;
    struct cw_launch_kind *k = cw_launch_kind(&s->kinds, gpu->launch.kernel, gpu->launch.grid, gpu->launch.block);
    if (k == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    return cw_launch_wants_time(k, s->bound) ? with_time(gpu, k, err) : without_time(gpu, k, err);
}

void cw_gpu__note_whole(struct cw_gpu *gpu, uint64_t cycles, uint64_t done)
{
    gpu->sampling.timed_launches++;
    gpu->sampling.all.cycles += (double)cycles;
    gpu->sampling.timed_instructions += (double)done;
}

double cw_gpu_estimates(const struct cw_gpu *gpu)
{
    return gpu->sampling.bound;
}

void cw_gpu_estimated(const struct cw_gpu *gpu, struct cw_gpu_estimate *e)
{
    const struct cw_gpu_sampling *s = &gpu->sampling;
    struct cw_estimate all = s->all;
    cw_launch_kinds_sum(&s->kinds, &all);
    *e = (struct cw_gpu_estimate){.cycles = all.cycles,
                                  .half = cw_estimate_half(&all) + BIAS * s->left_out,
                                  .timed_instructions = s->timed_instructions,
                                  .untimed_instructions = s->untimed_instructions,
                                  .timed_launches = s->timed_launches,
                                  .partly_timed_launches = s->partly_timed_launches,
                                  .untimed_launches = s->untimed_launches};
}
