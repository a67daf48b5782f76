/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread block compaction (csim/control/tbc) that waits at those branches only of which a predictor says that compaction makes warps fewer: CAPRI
 * (Rhu 2012). At another branch each warp goes on by itself, with a stack of its own up to where its sides meet. README.md tells the
 * protocol.
 */
#include "control/capri/capri_state.h"

static struct capri *of(const struct cw_control *p)
{
    return cw_tbc_own(p);
}

/* ---- a warp by itself ---- */

static bool is_alone(const struct capri *d, uint32_t warp)
{
    return d->warp[warp].own.depth != 0;
}

/* The stack, with the PC up to which the front has gone on by itself. */
static struct cw_simt *current(struct cw_control *p, uint32_t warp)
{
    struct cw_simt *s = &of(p)->warp[warp].own;
    s->entry[s->depth - 1].pc = p->front[warp].pc;
    return s;
}

/* The top has changed. When all sides have met, the warp is one of its block again. */
static void show(struct cw_control *p, uint32_t warp)
{
    struct cw_simt *s = &of(p)->warp[warp].own;
    if (s->depth == 0)
        return;
    const struct cw_simt_entry *e = &s->entry[s->depth - 1];
    p->front[warp] = (struct cw_front){.pc = e->pc, .stop = e->rpc, .active = e->mask};
    if (s->depth > 1)
        return;
    s->depth = 0;
    cw_tbc_go(p, warp, e->pc);
}

/* It goes on without its block until its threads come to `meet`. */
static void begin_alone(struct cw_control *p, uint32_t warp, uint32_t meet)
{
    struct cw_simt *s = &of(p)->warp[warp].own;
    const struct cw_front *f = &p->front[warp];
    cw_simt_reset(s, meet, f->active);
    s->entry[s->depth++] = (struct cw_simt_entry){.pc = f->pc, .rpc = meet, .mask = f->active, .lpc = CW_PC_NONE};
}

static void arrive(struct cw_control *p, uint32_t warp)
{
    if (!is_alone(of(p), warp)) {
        cw_tbc_arrive(p, warp);
        return;
    }
    cw_simt_settle(current(p, warp));
    show(p, warp);
}

/* The predictor has answered. */
static void go_on(struct cw_control *p, uint32_t warp, bool waits)
{
    struct capri *d = of(p);
    struct capri_warp *w = &d->warp[warp];
    const struct cw_branch *b = &w->branch;
    const uint32_t lanes = w->asks;
    struct cw_tbc_view v;
    p->front[warp].active = lanes;
    w->asks = 0;
    if (waits) {
        cw_tbc_branch(p, warp, w->taken, b);
        return;
    }
    begin_alone(p, warp, cw_tbc_meet(p, warp, b));
    cw_simt_branch(current(p, warp), w->taken, b->target, b->next, b->rpc);
    show(p, warp);
    cw_tbc_see(p, warp, &v);
    if (p->front[warp].active != 0)
        d->host.form(d->host.context, warp, lanes, v.home, false); /* Lanes that wait in its stack are its own, too. */
}

static bool branch(struct cw_control *p, uint32_t warp, cw_lanes taken, const struct cw_branch *b)
{
    const cw_lanes active = p->front[warp].active;
    if (is_alone(of(p), warp)) {
        const bool diverged = cw_simt_branch(current(p, warp), taken, b->target, b->next, b->rpc);
        show(p, warp);
        return diverged;
    }
    if (!cw_tbc_waits_at(p, b))
        return cw_tbc_branch(p, warp, taken, b);
    cw_capri__ask(p, warp, (uint32_t)taken, b);
    return taken != 0 && taken != active && b->target != b->next;
}

static bool branch_indexed(struct cw_control *p, uint32_t warp, const uint32_t target[CW_WARP_LANES_MAX], const struct cw_branch *b)
{
    if (!is_alone(of(p), warp))
        return cw_tbc_branch_indexed(p, warp, target, b);
    const bool diverged = cw_simt_branch_indexed(current(p, warp), target, b->rpc);
    show(p, warp);
    return diverged;
}

static cw_lanes repeats(const struct cw_control *p, uint32_t warp)
{
    return is_alone(of(p), warp) ? 0 : cw_tbc_repeats(p, warp);
}

static void exit_lanes(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    if (!is_alone(of(p), warp)) {
        cw_tbc_exit(p, warp, lanes);
        return;
    }
    struct cw_simt *s = current(p, warp);
    cw_simt_exit(s, lanes);
    cw_tbc_leave(p, warp, lanes, s->depth != 0);
    show(p, warp);
}

/* ---- threads that wait in a warp's own stack ---- */

static cw_lanes waits_alone(const struct cw_control *p, uint32_t warp)
{
    const struct capri_warp *w = &of(p)->warp[warp];
    return w->own.depth != 0 ? cw_simt_waiting(&w->own) : 0;
}

static uint32_t held(const struct cw_control *p, uint32_t block)
{
    struct cw_tbc_view v;
    uint32_t cnt = cw_tbc_held(p, block);
    for (uint32_t w = 0; w < CAPRI_WARPS; w++) {
        if (!is_alone(of(p), w))
            continue;
        cw_tbc_see(p, w, &v);
        cnt += v.block == block ? cw_lanes_count(waits_alone(p, w)) : 0;
    }
    return cnt;
}

/* Of the warps of the block of the slot, those lanes that are at home there. */
static cw_lanes at_home(const struct cw_control *p, uint32_t home)
{
    struct cw_tbc_view v;
    cw_lanes lanes = 0;
    cw_tbc_see(p, home, &v);
    for (uint64_t left = v.slots; left != 0; left &= left - 1) {
        const uint32_t w = (uint32_t)__builtin_ctzll(left);
        cw_tbc_see(p, w, &v);
        for (cw_lanes waits = waits_alone(p, w); waits != 0; waits = cw_lanes_rest(waits))
            lanes |= v.home[cw_lanes_first(waits)] == home ? cw_lanes_one(cw_lanes_first(waits)) : 0;
    }
    return lanes;
}

static cw_lanes below(const struct cw_control *p, uint32_t home)
{
    return cw_tbc_below(p, home) | at_home(p, home);
}

static cw_lanes waiting(const struct cw_control *p, uint32_t warp)
{
    return cw_tbc_waiting(p, warp) | waits_alone(p, warp);
}

/* With static warps a thread's home is its warp. */
static uint32_t where(const struct cw_control *p, uint32_t home, uint32_t lane)
{
    const struct cw_simt *s = &of(p)->warp[home].own;
    struct cw_tbc_view v;
    cw_tbc_see(p, home, &v);
    if (v.is_static && (of(p)->warp[home].asks >> lane & 1u) != 0)
        return p->front[home].pc;
    const uint32_t at = v.is_static && s->depth != 0 ? cw_simt_where(s, p->front[home].pc, lane) : CW_PC_NONE;
    return at != CW_PC_NONE ? at : cw_tbc_where(p, home, lane);
}

static void report(const struct cw_control *p, uint32_t warp, uint32_t (*line)(const void *context, uint32_t pc), const void *context,
                   FILE *out)
{
    const struct cw_simt *s = &of(p)->warp[warp].own;
    cw_tbc_report(p, warp, line, context, out);
    for (uint32_t i = s->depth; i-- > 0;)
        if (i + 1 < s->depth && s->entry[i].pc != CW_PC_NONE)
            fprintf(out, "; lanes %08llx go on at line %u", (unsigned long long)s->entry[i].mask, line(context, s->entry[i].pc));
}

/* ---- creation ---- */

static void branch_state(struct cw_state *s, struct cw_branch *b)
{
    CW_STATE(s, b->target);
    CW_STATE(s, b->next);
    CW_STATE(s, b->rpc);
    CW_STATE(s, b->lpc);
    CW_STATE(s, b->kind);
    CW_STATE(s, b->uniform);
}

static void state(struct cw_control *p, struct cw_state *s)
{
    struct capri *d = of(p);
    cw_tbc_state(p, s);
    for (uint32_t w = 0; w < CAPRI_WARPS; w++) {
        CW_STATE(s, d->warp[w].top);
        CW_STATE(s, d->warp[w].next);
        CW_STATE(s, d->warp[w].asks);
        CW_STATE(s, d->warp[w].taken);
        branch_state(s, &d->warp[w].branch);
        cw_simt_state(s, &d->warp[w].own);
    }
    cw_capri__state(d, s);
}

static void destroy(struct cw_control *p)
{
    if (p != NULL)
        cw_adapt_adequacy_table_destroy(of(p)->table);
    cw_tbc_destroy(p);
}

static int create(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err)
{
    const struct cw_config *c = config->config;
    int status = cw_tbc_create_for(out, config, sizeof(struct capri), c->core_blocks, err);
    if (status != CW_OK)
        return status;
    struct capri *d = of(*out);
    d->keys = cw_config_own(c, &cw_capri_keys);
    d->counters = cw_stats_own(config->stats, &cw_capri_counters);
    d->host = config->host;
    d->stage_cycles = c->core_stage_cycles;
    d->blocks = c->core_blocks;
    for (uint32_t w = 0; w < CAPRI_WARPS; w++)
        d->warp[w].own = (struct cw_simt){.width = CW_LANES, .entry = d->entries[w]};
    const struct cw_adapt_adequacy_table_config table = {
        .core = config->core, .rows = d->blocks * CAPRI_AHEAD, .entries = d->keys->entries, .pc_w = CAPRI_PC_W};
    status = cw_adapt_adequacy_table_create(&d->table, config->units, &table, err);
    if (status == CW_OK)
        return CW_OK;
    destroy(*out);
    *out = NULL;
    return status;
}

/* The predictor's branches are those of one kernel. */
static int prepare(struct cw_control *p, const struct cw_kernel *kernel, const char *file, bool static_warps, struct cw_error *err)
{
    cw_adapt_adequacy_table_forget(of(p)->table);
    return cw_tbc_prepare(p, kernel, file, static_warps, err);
}

static uint64_t tick(struct cw_control *p, uint64_t cycle)
{
    const uint32_t stage = of(p)->stage_cycles;
    struct capri_answer answer = {0};
    const bool more = cycle % stage == 0 && cw_capri__clock(of(p), &answer);
    if (answer.there)
        go_on(p, answer.warp, answer.waits);
    const uint64_t next = cw_tbc_tick(p, cycle); /* Branches at which warps wait are on their way to the block's stack in this cycle. */
    return more && next > cycle + stage ? cycle + stage : next;
}

static const struct cw_key_set *const key_sets[] = {&cw_tbc_keys, &cw_capri_keys, NULL};
static const struct cw_counter_set *const counter_sets[] = {&cw_tbc_counters, &cw_capri_counters, NULL};

static const struct cw_mech_unit units[] = {
    CW_TBC_UNITS,
    {.unit = &cw_adequacy_table_unit,
     .what = "predicts at which branches the warps of a block should wait for each other (CAPRI, ISCA 2012); one per core",
     .domain = CW_DOMAIN_CORE,
     .needs = "core.divergence=capri"},
};

const struct cw_control_ops cw_control_capri = {
    CW_TBC_POLICY,
    .unit = units,
    .unit_cnt = sizeof units / sizeof units[0],
    .tick = tick,
    .name = "capri",
    .what = "thread block compaction at branches only that are predicted to make warps fewer (CAPRI, ISCA 2012)",
    .keys = key_sets,
    .counters = counter_sets,
    .create = create,
    .destroy = destroy,
    .state = state,
    .prepare = prepare,
    .block_start = cw_tbc_block_start,
    .arrive = arrive,
    .branch = branch,
    .branch_indexed = branch_indexed,
    .repeats = repeats,
    .exit = exit_lanes,
    .held = held,
    .may_issue = cw_tbc_may_issue,
    .first = cw_tbc_first,
    .waiting = waiting,
    .where = where,
    .below = below,
    .report = report,
};
