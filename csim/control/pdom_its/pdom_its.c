/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A SIMT stack, and independent threads where it cannot go on. A warp runs by its stack (csim/control/ipdom.c). It goes over to independent
 * threads (csim/control/its) when its active lanes wait for others of the warp that stand elsewhere: at a barrier, at an operation across
 * lanes, or in a loop that polls memory in vain. It comes back as soon as all its lanes run together.
 *
 * So what a stack can run takes the cycles that it takes under ipdom, and what it cannot run gets its answer.
 */
#include <stdlib.h>

#include "control/pdom_its/pdom_its_state.h"

static struct pdom_its *of(const struct cw_control *p)
{
    return cw_its_own(p);
}

static bool is_apart(const struct cw_control *p, uint32_t warp)
{
    return cw_slots_has(&of(p)->apart, warp);
}

/* ---- from one to the other ---- */

/* All lanes of the warp run together again, as its front says. */
static void come_back(struct cw_control *p, uint32_t warp)
{
    struct cw_front *f = &p->front[warp];
    cw_slots_put(&of(p)->apart, warp, false);
    f->stop = CW_PC_NONE;
    cw_simt_reset(cw_ipdom_stack(of(p)->stack, warp), f->pc, f->active);
}

/* Whether the warp is with independent threads now. */
static bool go_over(struct cw_control *p, uint32_t warp)
{
    struct pdom_its *d = of(p);
    struct cw_error err;
    if (!cw_its_can_run(d->kernel) || !d->kernel->threads_apart)
        return false;
    if (!d->prepared && cw_its_prepare(p, d->kernel, NULL, false, &err) != CW_OK) {
        cw_its_host(p)->fault(cw_its_host(p)->context, warp, err.text);
        return false;
    }
    d->prepared = true;
    d->counters->stack_handovers++;
    cw_slots_put(&d->apart, warp, true);
    cw_its_enter(p, warp, cw_ipdom_stack(d->stack, warp));
    return true;
}

/* Whether one of these lanes can come to a barrier or to an operation across lanes still. Others are as good as gone. */
static bool misses(const struct cw_control *p, uint32_t warp, cw_lanes absent)
{
    const struct cw_front *f = &p->front[warp];
    for (; absent != 0; absent = cw_lanes_rest(absent)) {
        const uint32_t lane = cw_lanes_first(absent);
        const uint32_t pc = cw_lanes_has(f->active, lane) ? f->pc + 1 : cw_control_ipdom.where(of(p)->stack, warp, lane);
        if (pc >= of(p)->kernel->uop_cnt || !of(p)->kernel->uop[pc].leaves)
            return true;
    }
    return false;
}

static bool await(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes named, uint32_t id)
{
    if (!is_apart(p, warp)) {
        const cw_lanes live = p->front[warp].active | cw_control_ipdom.waiting(of(p)->stack, warp);
        if (!misses(p, warp, named & live & ~lanes) || !go_over(p, warp))
            return false;
    }
    return cw_its_await(p, warp, lanes, named, id);
}

static cw_lanes guests(const struct cw_control *p, uint32_t warp)
{
    return is_apart(p, warp) ? cw_its_guests(p, warp) : 0;
}

static bool spins(struct cw_control *p, uint32_t warp, uint32_t polls)
{
    const struct pdom_its *d = of(p);
    if (is_apart(p, warp) || polls < d->keys->yield_branches || cw_simt_in_tx(cw_ipdom_stack(d->stack, warp)))
        return false;
    if (cw_control_ipdom.waiting(d->stack, warp) == 0 || !go_over(p, warp))
        return false;
    cw_its_yield(p, warp);
    return true;
}

static bool stacked(const struct cw_control *p, uint32_t warp)
{
    return !is_apart(p, warp);
}

/* ---- what the core says ---- */

static void start(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    cw_slots_put(&of(p)->apart, warp, false);
    cw_control_ipdom.start(of(p)->stack, warp, lanes);
}

static void arrive(struct cw_control *p, uint32_t warp)
{
    if (is_apart(p, warp))
        cw_its_arrive(p, warp);
    else
        cw_control_ipdom.arrive(of(p)->stack, warp);
}

static bool branch(struct cw_control *p, uint32_t warp, cw_lanes taken, const struct cw_branch *b)
{
    return is_apart(p, warp) ? cw_its_branch(p, warp, taken, b) : cw_control_ipdom.branch(of(p)->stack, warp, taken, b);
}

static bool branch_indexed(struct cw_control *p, uint32_t warp, const uint32_t *target, const struct cw_branch *b)
{
    return is_apart(p, warp) ? cw_its_branch_indexed(p, warp, target, b) : cw_control_ipdom.branch_indexed(of(p)->stack, warp, target, b);
}

static void exit_lanes(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    if (is_apart(p, warp))
        cw_its_exit(p, warp, lanes);
    else
        cw_control_ipdom.exit(of(p)->stack, warp, lanes);
}

static cw_lanes barrier(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes live)
{
    return is_apart(p, warp) ? cw_its_barrier(p, warp, lanes, live) : cw_control_ipdom.barrier(of(p)->stack, warp, lanes, live);
}

static void region_begin(struct cw_control *p, uint32_t warp, uint32_t pc)
{
    if (is_apart(p, warp))
        cw_its_region_begin(p, warp, pc);
    else
        cw_control_ipdom.region_begin(of(p)->stack, warp, pc);
}

static bool region_reach(struct cw_control *p, uint32_t warp, cw_lanes lanes, uint32_t next)
{
    return is_apart(p, warp) ? cw_its_region_reach(p, warp, lanes, next) : cw_control_ipdom.region_reach(of(p)->stack, warp, lanes, next);
}

static bool region_abort(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    return is_apart(p, warp) ? cw_its_region_abort(p, warp, lanes) : cw_control_ipdom.region_abort(of(p)->stack, warp, lanes);
}

static bool region_end(struct cw_control *p, uint32_t warp, const uint32_t *resume, uint32_t meet)
{
    return is_apart(p, warp) ? cw_its_region_end(p, warp, resume, meet) : cw_control_ipdom.region_end(of(p)->stack, warp, resume, meet);
}

static cw_lanes region_lanes(const struct cw_control *p, uint32_t warp)
{
    return is_apart(p, warp) ? cw_its_region_lanes(p, warp) : cw_control_ipdom.region_lanes(of(p)->stack, warp);
}

static cw_lanes region_aborted(const struct cw_control *p, uint32_t warp)
{
    return is_apart(p, warp) ? cw_its_region_aborted(p, warp) : cw_control_ipdom.region_aborted(of(p)->stack, warp);
}

static cw_lanes region_reached(const struct cw_control *p, uint32_t warp)
{
    return is_apart(p, warp) ? cw_its_region_reached(p, warp) : cw_control_ipdom.region_reached(of(p)->stack, warp);
}

static cw_lanes waiting(const struct cw_control *p, uint32_t warp)
{
    return is_apart(p, warp) ? cw_its_waiting(p, warp) : cw_control_ipdom.waiting(of(p)->stack, warp);
}

static uint32_t where(const struct cw_control *p, uint32_t warp, uint32_t lane)
{
    return is_apart(p, warp) ? cw_its_where(p, warp, lane) : cw_control_ipdom.where(of(p)->stack, warp, lane);
}

static cw_lanes repeats(const struct cw_control *p, uint32_t warp)
{
    return is_apart(p, warp) ? cw_its_repeats(p, warp) : 0;
}

static void report(const struct cw_control *p, uint32_t warp, uint32_t (*line)(const void *context, uint32_t pc), const void *context,
                   FILE *out)
{
    if (is_apart(p, warp))
        cw_its_report(p, warp, line, context, out);
    else
        cw_control_ipdom.report(of(p)->stack, warp, line, context, out);
}

/* Most kernels never need what independent threads prepare. */
static int prepare(struct cw_control *p, const struct cw_kernel *kernel, const char *file, bool static_warps, struct cw_error *err)
{
    (void)file;
    (void)static_warps;
    (void)err;
    of(p)->kernel = kernel;
    of(p)->prepared = false;
    return CW_OK;
}

/* ---- creation ---- */

static void state(struct cw_control *p, struct cw_state *s)
{
    struct pdom_its *d = of(p);
    const bool was = d->prepared;
    struct cw_error err;
    cw_control_ipdom.state(d->stack, s);
    CW_STATE(s, d->apart);
    CW_STATE(s, d->prepared);
    if (d->prepared && !was && cw_its_prepare(p, d->kernel, NULL, false, &err) != CW_OK)
        cw_state_fail(s, CW_ENOMEM, "%s", err.text);
    cw_its_state(p, s);
}

static void destroy(struct cw_control *p)
{
    if (p == NULL)
        return;
    if (of(p)->stack != NULL)
        of(p)->stack->front = NULL;
    cw_control_ipdom.destroy(of(p)->stack);
    cw_its_destroy(p);
}

/* Both have the same fronts. */
static int create(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err)
{
    int status = cw_its_create_for(out, config, sizeof(struct pdom_its), err);
    if (status != CW_OK)
        return status;
    struct pdom_its *d = of(*out);
    d->keys = cw_config_own(config->config, &cw_its_keys);
    d->counters = cw_stats_own(config->stats, &cw_pdom_its_counters);
    status = cw_control_ipdom.create(&d->stack, config, err);
    if (status != CW_OK) {
        cw_its_destroy(*out);
        *out = NULL;
        return status;
    }
    free(d->stack->front);
    d->stack->front = (*out)->front;
    cw_its_whole(*out, come_back);
    return CW_OK;
}

static const struct cw_key_set *const key_sets[] = {&cw_its_keys, NULL};
static const struct cw_counter_set *const counter_sets[] = {&cw_pdom_its_counters, NULL};

const struct cw_control_ops cw_control_pdom_its = {
    .name = "pdom-its",
    .what = "SIMT stack; a warp whose lanes have to wait for each other goes on as independent threads (Volta)",
    .unit = cw_its_units,
    .unit_cnt = 1,
    .keys = key_sets,
    .counters = counter_sets,
    .create = create,
    .destroy = destroy,
    .state = state,
    .prepare = prepare,
    .tick = cw_its_tick,
    .start = start,
    .arrive = arrive,
    .branch = branch,
    .branch_indexed = branch_indexed,
    .repeats = repeats,
    .exit = exit_lanes,
    .barrier = barrier,
    .await = await,
    .guests = guests,
    .part = cw_its_part,
    .stacked = stacked,
    .spins = spins,
    .region_begin = region_begin,
    .region_reach = region_reach,
    .region_abort = region_abort,
    .region_end = region_end,
    .region_lanes = region_lanes,
    .region_aborted = region_aborted,
    .region_reached = region_reached,
    .waiting = waiting,
    .where = where,
    .report = report,
};
