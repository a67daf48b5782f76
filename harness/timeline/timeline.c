/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most of a timeline follows from events; states of warps and depths of queues are looked at after each step.
 *
 * What is open is known before the window begins, too, and is shown from there on. When the window is over, or the file is full, all that
 * is open ends there.
 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/look.h"
#include "trace_json.h"

#define CAUSES_MAX   6u
#define QUEUE_CYCLES 32u /* core cycles between two values of a queue's depth, at least */

/* Processes of the trace, and their threads. */
#define PID_GPU       1u
#define PID_CORE      10u
#define PID_PARTITION 1000u
#define TID_BLOCK     1u
#define TID_WARP      100u /* and one more: the warp's transactions */
#define BLOCKS_MAX    64u

enum window { BEFORE, INSIDE, BEHIND };

struct slice {
    bool open, shown; /* there is one; it is in the file */
    bool named;       /* its track is */
    cw_time since;
};

struct warp {
    struct slice state, tx;
    uint8_t is; /* index into states */
    uint32_t attempt;
    cw_lanes begun, committed, aborted; /* lanes of the attempt */
    const char *cause[CAUSES_MAX];
    uint32_t cause_cnt[CAUSES_MAX];
};

struct core {
    bool named;
    struct warp *warp;
    struct {
        struct slice slice;
        uint32_t ctaid[3];
    } block[BLOCKS_MAX];
};

struct partition {
    bool named;
    struct slice unit;
    cw_time busy_until;
    uint32_t l2, dram; /* depths shown last */
    cw_time looked_at;
};

struct cw_timeline {
    struct cw_trace_json json;
    struct cw_gpu *gpu;
    char *about;
    struct cw_event_listener listener;
    enum window window;
    cw_time begin, end, period, unit_period;
    uint64_t limit_mbytes;
    uint32_t core_cnt, warp_cnt, partition_cnt;
    struct core *core;
    struct partition *partition;
    struct slice launch;
    char kernel[128];
};

/* By cw_look_state; a warp that runs and has an open transaction has a word of its own. */
static const char *const states[] = {"", "running", "running", "barrier", "memory", "mechanism", "commit", "back-off", "transaction"};
#define IN_TRANSACTION 8u

/* ---- slices ---- */

static void name_process(struct cw_timeline *t, bool *named, uint32_t pid, const char *what, uint32_t index, cw_time at)
{
    char name[48];
    if (*named)
        return;
    snprintf(name, sizeof name, "%s %" PRIu32, what, index);
    cw_trace_json_name(&t->json, pid, -1, name, at);
    *named = true;
}

static void name_track(struct cw_timeline *t, struct slice *s, uint32_t pid, uint32_t tid, const char *name, cw_time at)
{
    if (!s->named)
        cw_trace_json_name(&t->json, pid, tid, name, at);
    s->named = true;
}

/* A slice that is open is to be in the file; in the window only. */
static void show(struct cw_timeline *t, struct slice *s)
{
    if (t->window == INSIDE && s->open && !s->shown)
        s->shown = cw_trace_json_begin(&t->json, s->since > t->begin ? s->since : t->begin);
}

static void finish_slice(struct cw_timeline *t, struct slice *s, uint32_t pid, uint32_t tid, const char *name, const char *args, cw_time at)
{
    const cw_time since = s->since > t->begin ? s->since : t->begin;
    if (s->shown)
        cw_trace_json_slice(&t->json, pid, tid, name, args, since, at > since ? at : since);
    s->open = s->shown = false;
}

/* ---- launches, blocks ---- */

static void show_launch(struct cw_timeline *t)
{
    if (t->window == INSIDE && !t->launch.named) {
        cw_trace_json_name(&t->json, PID_GPU, -1, "GPU", t->begin);
        name_track(t, &t->launch, PID_GPU, 1, "launches", t->begin);
    }
    show(t, &t->launch);
}

static void show_block(struct cw_timeline *t, uint32_t core, uint32_t slot)
{
    struct core *c = &t->core[core];
    char track[32];
    if (t->window != INSIDE || !c->block[slot].slice.open)
        return;
    snprintf(track, sizeof track, "block slot %" PRIu32, slot);
    name_process(t, &c->named, PID_CORE + core, "core", core, t->begin);
    name_track(t, &c->block[slot].slice, PID_CORE + core, TID_BLOCK + slot, track, t->begin);
    show(t, &c->block[slot].slice);
}

static void finish_block(struct cw_timeline *t, uint32_t core, uint32_t slot, cw_time at)
{
    const uint32_t *id = t->core[core].block[slot].ctaid;
    char name[48];
    snprintf(name, sizeof name, "block %" PRIu32 ",%" PRIu32 ",%" PRIu32, id[0], id[1], id[2]);
    finish_slice(t, &t->core[core].block[slot].slice, PID_CORE + core, TID_BLOCK + slot, name, "", at);
}

static void hear_block(struct cw_timeline *t, const struct cw_event *e)
{
    const uint32_t slot = e->u.block.slot;
    if (slot >= BLOCKS_MAX)
        return;
    if (e->type == CW_EVENT_BLOCK_END) {
        finish_block(t, e->core, slot, e->now);
        return;
    }
    struct slice *s = &t->core[e->core].block[slot].slice;
    memcpy(t->core[e->core].block[slot].ctaid, e->u.block.ctaid, sizeof e->u.block.ctaid);
    s->open = true;
    s->since = e->now;
    show_block(t, e->core, slot);
}

/* ---- transactions ---- */

static uint32_t tx_tid(uint32_t warp)
{
    return TID_WARP + 2 * warp + 1;
}

/* An attempt may be told of before its back-off is over: it shows from then on. */
static void show_tx(struct cw_timeline *t, uint32_t core, uint32_t warp, cw_time now)
{
    struct core *c = &t->core[core];
    struct warp *w = &c->warp[warp];
    char track[40];
    if (t->window != INSIDE || !w->tx.open || w->tx.shown || w->tx.since > now)
        return;
    snprintf(track, sizeof track, "warp %" PRIu32 " transactions", warp);
    name_process(t, &c->named, PID_CORE + core, "core", core, t->begin);
    name_track(t, &w->tx, PID_CORE + core, tx_tid(warp), track, t->begin);
    show(t, &w->tx);
}

static void finish_tx(struct cw_timeline *t, uint32_t core, uint32_t warp, cw_time at)
{
    struct warp *w = &t->core[core].warp[warp];
    const cw_lanes left = w->begun & ~(w->committed | w->aborted);
    char args[480];
    int n = snprintf(args, sizeof args,
                     "\"attempt\": %" PRIu32 ", \"outcome\": \"%s\", \"committed\": %" PRIu32 ", \"aborted\": %" PRIu32 ", \"causes\": {",
                     w->attempt,
                     left != 0           ? "open"
                     : w->aborted == 0   ? "committed"
                     : w->committed == 0 ? "aborted"
                                         : "mixed",
                     cw_lanes_count(w->committed), cw_lanes_count(w->aborted));
    for (uint32_t i = 0; i < CAUSES_MAX && w->cause[i] != NULL; i++)
        n += snprintf(args + n, sizeof args - (size_t)n, "%s\"%.40s\": %" PRIu32, i > 0 ? ", " : "", w->cause[i], w->cause_cnt[i]);
    snprintf(args + n, sizeof args - (size_t)n, "}");
    finish_slice(t, &w->tx, PID_CORE + core, tx_tid(warp), "attempt", args, at);
    w->begun = w->committed = w->aborted = 0;
    memset(w->cause, 0, sizeof w->cause);
}

static void count_cause(struct warp *w, const char *cause)
{
    uint32_t i = 0;
    while (i < CAUSES_MAX - 1 && w->cause[i] != NULL && strcmp(w->cause[i], cause) != 0)
        i++;
    if (w->cause[i] == NULL)
        w->cause_cnt[i] = 0;
    w->cause[i] = cause;
    w->cause_cnt[i]++;
}

static void hear_tx(struct cw_timeline *t, const struct cw_event *e, cw_time now)
{
    struct warp *w = &t->core[e->core].warp[e->warp];
    const cw_lanes lane = cw_lanes_one(e->lane);
    if (e->type == CW_EVENT_REGION_BEGIN) {
        if (w->tx.open && w->attempt != e->attempt)
            finish_tx(t, e->core, e->warp, e->now);
        w->begun |= lane;
        if (w->tx.open)
            return;
        w->attempt = e->attempt;
        w->tx.open = true;
        w->tx.since = e->now;
        show_tx(t, e->core, e->warp, now);
        return;
    }
    if (!w->tx.open || w->attempt != e->attempt)
        return;
    show_tx(t, e->core, e->warp, now);
    if (e->type == CW_EVENT_REGION_COMMIT)
        w->committed |= lane;
    else
        w->aborted |= lane;
    if (e->type == CW_EVENT_REGION_ABORT)
        count_cause(w, e->u.cause);
    if ((w->begun & ~(w->committed | w->aborted)) == 0)
        finish_tx(t, e->core, e->warp, e->now);
}

/* ---- units ---- */

/* A decision takes a cycle of the unit. */
static void hear_decision(struct cw_timeline *t, const struct cw_event *e)
{
    const struct cw_event_decision *d = &e->u.decision;
    char args[200];
    if (t->window != INSIDE || d->index >= t->partition_cnt)
        return;
    struct partition *p = &t->partition[d->index];
    const uint32_t pid = PID_PARTITION + d->index;
    snprintf(args, sizeof args,
             "\"core\": %" PRIu32 ", \"warp\": %" PRIu32 ", \"subject\": %" PRIu64 ", \"kind\": %" PRIu32 ", \"waited_cycles\": %" PRIu64,
             e->core, e->warp, d->subject, d->kind, d->slept ? (e->now - d->asked) / t->period : 0);
    name_process(t, &p->named, pid, "partition", d->index, t->begin);
    name_track(t, &p->unit, pid, 1, d->unit, t->begin);
    const cw_time at = e->now > p->busy_until ? e->now : p->busy_until;
    if (cw_trace_json_begin(&t->json, at))
        cw_trace_json_slice(&t->json, pid, 1, d->refused ? "refuses" : "accepts", args, at, at + t->unit_period);
    p->busy_until = at + t->unit_period;
}

static void hear_queue(struct cw_timeline *t, const struct cw_event *e)
{
    if (t->window != INSIDE || e->u.queue.index >= t->partition_cnt)
        return;
    name_process(t, &t->partition[e->u.queue.index].named, PID_PARTITION + e->u.queue.index, "partition", e->u.queue.index, t->begin);
    cw_trace_json_counter(&t->json, PID_PARTITION + e->u.queue.index, e->u.queue.unit, e->u.queue.depth, e->now);
}

static void look_at_queues(struct cw_timeline *t, cw_time now)
{
    for (uint32_t i = 0; i < t->partition_cnt; i++) {
        struct partition *p = &t->partition[i];
        uint32_t l2, dram;
        cw_gpu_queued(t->gpu, i, &l2, &dram);
        if ((l2 == p->l2 && dram == p->dram) || (p->looked_at != 0 && now < p->looked_at + QUEUE_CYCLES * t->period))
            continue;
        name_process(t, &p->named, PID_PARTITION + i, "partition", i, t->begin);
        if (l2 != p->l2)
            cw_trace_json_counter(&t->json, PID_PARTITION + i, "L2 queue", l2, now);
        if (dram != p->dram)
            cw_trace_json_counter(&t->json, PID_PARTITION + i, "DRAM queue", dram, now);
        p->l2 = l2;
        p->dram = dram;
        p->looked_at = now;
    }
}

/* ---- states of warps ---- */

static uint8_t state_of(const struct warp *w, uint32_t state)
{
    if (state == 2)
        state = 1;
    return (uint8_t)(state == 1 && w->tx.shown ? IN_TRANSACTION : state);
}

static void look_at_warp(struct cw_timeline *t, uint32_t core, uint32_t warp, uint32_t state, cw_time now)
{
    struct warp *w = &t->core[core].warp[warp];
    show_tx(t, core, warp, now);
    const uint8_t is = state_of(w, state);
    const uint32_t pid = PID_CORE + core, tid = TID_WARP + 2 * warp;
    char track[24];
    if (is == w->is)
        return;
    finish_slice(t, &w->state, pid, tid, states[w->is], "", now);
    w->is = is;
    if (is == 0)
        return;
    w->state.open = true;
    w->state.since = now;
    snprintf(track, sizeof track, "warp %" PRIu32, warp);
    name_process(t, &t->core[core].named, pid, "core", core, t->begin);
    name_track(t, &w->state, pid, tid, track, t->begin);
    show(t, &w->state);
}

/* ---- the window ---- */

static void close_all(struct cw_timeline *t, cw_time at)
{
    if (t->window != INSIDE)
        return;
    t->window = BEHIND;
    for (uint32_t c = 0; c < t->core_cnt; c++) {
        for (uint32_t i = 0; i < BLOCKS_MAX; i++)
            finish_block(t, c, i, at);
        for (uint32_t i = 0; i < t->warp_cnt; i++) {
            struct warp *w = &t->core[c].warp[i];
            finish_slice(t, &w->state, PID_CORE + c, TID_WARP + 2 * i, states[w->is], "", at);
            if (w->tx.open)
                finish_tx(t, c, i, at);
        }
    }
    finish_slice(t, &t->launch, PID_GPU, 1, t->kernel, "", at);
}

static void open_all(struct cw_timeline *t, cw_time now)
{
    t->window = INSIDE;
    show_launch(t);
    for (uint32_t c = 0; c < t->core_cnt; c++) {
        for (uint32_t i = 0; i < BLOCKS_MAX; i++)
            show_block(t, c, i);
        for (uint32_t i = 0; i < t->warp_cnt; i++)
            show_tx(t, c, i, now);
    }
}

static void advance(struct cw_timeline *t, cw_time now)
{
    if (t->window == BEFORE && now >= t->begin)
        open_all(t, now);
    if (t->window == INSIDE && now >= t->end)
        close_all(t, t->end);
}

/* The file has no room for what has just happened. */
static void stop_when_full(struct cw_timeline *t)
{
    if (t->json.full)
        close_all(t, t->json.full_at);
}

static void hear(void *self, const struct cw_event *e)
{
    struct cw_timeline *t = self;
    const cw_time now = cw_gpu_now(t->gpu); /* that of the event may lie ahead */
    advance(t, now);
    switch ((enum cw_event_type)e->type) {
    case CW_EVENT_BLOCK_BEGIN:
    case CW_EVENT_BLOCK_END:
        hear_block(t, e);
        break;
    case CW_EVENT_DECISION:
        hear_decision(t, e);
        break;
    case CW_EVENT_QUEUE:
        hear_queue(t, e);
        break;
    default:
        hear_tx(t, e, now);
        break;
    }
    stop_when_full(t);
}

void cw_timeline_step(struct cw_timeline *t, cw_time now)
{
    advance(t, now);
    if (t->window != INSIDE)
        return;
    for (uint32_t c = 0; c < t->core_cnt; c++)
        for (uint32_t w = 0; w < t->warp_cnt; w++)
            look_at_warp(t, c, w, cw_look_state(cw_core_look(cw_gpu_core(t->gpu, c)), w), now);
    look_at_queues(t, now);
    stop_when_full(t);
}

void cw_timeline_launch(struct cw_timeline *t, const char *kernel)
{
    const cw_time now = cw_gpu_now(t->gpu);
    advance(t, now);
    if (kernel == NULL) {
        finish_slice(t, &t->launch, PID_GPU, 1, t->kernel, "", now);
        return;
    }
    snprintf(t->kernel, sizeof t->kernel, "%s", kernel);
    t->launch.open = true;
    t->launch.since = now;
    show_launch(t);
    stop_when_full(t);
}

/* ---- the file ---- */

static bool make_room(struct cw_timeline *t, const struct cw_timeline_options *options)
{
    t->about = strdup(options->about);
    t->core = calloc(t->core_cnt, sizeof *t->core);
    t->partition = calloc(t->partition_cnt, sizeof *t->partition);
    bool ok = t->about != NULL && t->core != NULL && t->partition != NULL;
    for (uint32_t c = 0; ok && c < t->core_cnt; c++)
        ok = (t->core[c].warp = calloc(t->warp_cnt, sizeof *t->core[c].warp)) != NULL;
    return ok;
}

void cw_timeline_destroy(struct cw_timeline *t)
{
    if (t == NULL)
        return;
    if (t->json.file != NULL)
        cw_trace_json_discard(&t->json);
    for (uint32_t c = 0; t->core != NULL && c < t->core_cnt; c++)
        free(t->core[c].warp);
    free(t->core);
    free(t->partition);
    free(t->about);
    free(t);
}

static cw_time edge(uint64_t cycle, cw_time period)
{
    return cycle <= UINT64_MAX / period ? cycle * period : CW_TIME_NEVER;
}

int cw_timeline_create(struct cw_timeline **timeline, const struct cw_timeline_options *options, struct cw_gpu *gpu, struct cw_error *err)
{
    const struct cw_clocks *clocks = cw_gpu_clocks(gpu);
    struct cw_timeline *t = *timeline = calloc(1, sizeof *t);
    if (t == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    t->gpu = gpu;
    t->period = clocks->period[CW_DOMAIN_CORE];
    t->unit_period = clocks->period[CW_DOMAIN_L2];
    t->begin = edge(options->begin, t->period);
    t->end = options->end != 0 ? edge(options->end, t->period) : CW_TIME_NEVER;
    t->core_cnt = cw_gpu_config(gpu)->core_count;
    t->warp_cnt = options->warps;
    t->partition_cnt = cw_gpu_config(gpu)->partition_count;
    t->limit_mbytes = options->mbytes;
    int status = make_room(t, options) ? CW_OK : cw_fail(err, CW_ENOMEM, "out of memory");
    if (status == CW_OK)
        status = cw_trace_json_open(&t->json, options->path, clocks->units_per_us, t->limit_mbytes << 20, err);
    if (status != CW_OK) {
        cw_timeline_destroy(t);
        *timeline = NULL;
        return status;
    }
    t->listener = (struct cw_event_listener){
        .types = 1u << CW_EVENT_BLOCK_BEGIN | 1u << CW_EVENT_BLOCK_END | 1u << CW_EVENT_DECISION | 1u << CW_EVENT_QUEUE |
                 1u << CW_EVENT_REGION_BEGIN | 1u << CW_EVENT_REGION_COMMIT | 1u << CW_EVENT_REGION_ABORT,
        .self = t,
        .hear = hear,
    };
    cw_gpu_listen(gpu, &t->listener);
    return CW_OK;
}

static int complete(struct cw_timeline *t, cw_time now, struct cw_error *err)
{
    char other[800], cut[24] = "null";
    close_all(t, now);
    if (t->json.full)
        snprintf(cut, sizeof cut, "%" PRIu64, t->json.full_at / t->period);
    const cw_time end = t->json.full ? t->json.full_at : t->end < now ? t->end : now;
    snprintf(other, sizeof other,
             "%s, \"begin_cycle\": %" PRIu64 ", \"end_cycle\": %" PRIu64 ", \"cut_at_cycle\": %s, \"limit_mbytes\": %" PRIu64, t->about,
             t->begin / t->period, end / t->period, cut, t->limit_mbytes);
    return cw_trace_json_close(&t->json, other, err);
}

int cw_timeline_close(struct cw_timeline *t, struct cw_error *err)
{
    const cw_time now = cw_gpu_now(t->gpu);
    int status = CW_OK;
    if (t->json.file == NULL)
        return CW_OK;
    if (now == 0)
        cw_trace_json_discard(&t->json);
    else
        status = complete(t, now, err);
    t->json.file = NULL;
    t->window = BEHIND;
    return status;
}
