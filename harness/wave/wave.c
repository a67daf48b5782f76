/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "wave/wave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mech/mechs.h"
#include "wave/fst_file.h"
#include "wave/ring.h"
#include "wave/signals.h"

/* A tapped unit and the cycle that it shows. */
struct unit {
    struct cw_tap *tap;
    cw_time period;
    cw_time end; /* of its last cycle with an evaluation */
    bool idle;   /* shows a cycle in which the simulator left it alone */
    struct cw_wave_ring_rtl rtl;
    unsigned char *state; /* of the RTL, before the edge over which it goes back */
    size_t state_size;
    void *out; /* room for outputs that nobody asks for */
};

/* A unit's decision that threads of a warp fail. */
struct refusal {
    const char *unit; /* its stem; NULL: none yet */
    uint32_t index;
};

struct cw_wave {
    struct cw_wave_options options;
    const struct cw_gpu *gpu;
    char *path;
    struct cw_fst_file file;   /* of a window */
    struct cw_wave_ring *ring; /* while waiting for an event, and in the cycles after it; else NULL */
    bool fired, written;
    cw_time fired_at, turn_at;
    struct cw_wave_place place;
    struct refusal *refusal; /* CW_WAVE_ABORT: of each warp slot of each core, the last one */
    uint64_t aborts;         /* CW_WAVE_ABORT: how many there were so far */
    uint64_t waits;          /* CW_WAVE_WAIT: how many of those decisions there were so far */
    struct cw_event_listener listener;
    struct cw_error failure; /* of writing the ring */
    int failed;
    struct cw_wave_signals signals;
    struct unit *unit;
    uint32_t unit_cnt;
    cw_time begin, end; /* the window */
    uint64_t next_ps;   /* earliest time that the file takes */
    bool dumped;
};

static int open_file(struct cw_wave *w, struct cw_error *err)
{
    const struct cw_wave_signals *s = &w->signals;
    const struct cw_rtl_instance *instance;
    const uint32_t cnt = cw_rtl_provider_instances(w->options.units, &instance);
    struct cw_wave_rtl *rtl = calloc(cnt + 1u, sizeof *rtl);
    if (rtl == NULL)
        return cw_fail(err, CW_ENOMEM, "%s: out of memory", w->path);
    for (uint32_t i = 0; i < cnt; i++)
        rtl[i] = (struct cw_wave_rtl){
            .model = instance[i].library->model(instance[i].self), .trace = instance[i].library->trace, .self = instance[i].self};
    const struct cw_fst_content content = {s->signal, s->signal_cnt, s->enums, s->enum_cnt, rtl, cnt};
    int status = cw_fst_file_open(&w->file, w->path, &content, err);
    free(rtl);
    return status;
}

/* The RTL behind a tap, alone or in a lockstep pair. */
static struct cw_wave_ring_rtl rtl_behind(const struct cw_wave *w, const struct cw_tap *tap)
{
    const struct cw_rtl_instance *instance;
    const uint32_t cnt = cw_rtl_provider_instances(w->options.units, &instance);
    struct cw_wave_ring_rtl rtl = {.in_size = tap->unit->in_size, .out_size = tap->unit->out_size};
    for (uint32_t i = 0; i < cnt; i++)
        if (strcmp(instance[i].name, tap->name) == 0 && instance[i].library->save(instance[i].self, NULL, 0) > 0) {
            rtl.library = instance[i].library;
            rtl.self = instance[i].self;
        }
    return rtl;
}

static void on_op(void *context, const struct cw_tap *tap, enum cw_tap_op op, const void *in)
{
    struct cw_wave *w = context;
    cw_wave_ring_op(w->ring, tap->index, op, in);
}

/* The run goes on until the cycles after a lockstep difference are in the ring too. */
static bool hold_mismatch(const void *context)
{
    const struct cw_wave *w = context;
    return w->options.event == CW_WAVE_MISMATCH && w->ring != NULL;
}

static int open_ring(struct cw_wave *w, struct cw_error *err)
{
    const struct cw_wave_signals *s = &w->signals;
    const struct cw_fst_content content = {s->signal, s->signal_cnt, s->enums, s->enum_cnt, NULL, 0};
    struct cw_wave_ring_rtl *rtl = calloc(w->unit_cnt + 1u, sizeof *rtl);
    if (rtl == NULL)
        return cw_fail(err, CW_ENOMEM, "%s: out of memory", w->path);
    for (uint32_t i = 0; i < w->unit_cnt; i++)
        rtl[i] = w->unit[i].rtl;
    int status = cw_wave_ring_create(&w->ring, &content, rtl, w->unit_cnt, err);
    free(rtl);
    if (status == CW_OK && w->options.taps != NULL) {
        cw_taps_on_op(w->options.taps, on_op, w);
        cw_taps_hold_poll(w->options.taps, hold_mismatch, w);
    }
    return status;
}

static void close_ring(struct cw_wave *w)
{
    if (w->ring != NULL && w->options.taps != NULL) {
        cw_taps_on_op(w->options.taps, NULL, NULL);
        cw_taps_hold_poll(w->options.taps, NULL, NULL);
    }
    cw_wave_ring_destroy(w->ring);
    w->ring = NULL;
}

/* What brings the unit says its clock. One that nothing brings has that of the cores. */
static enum cw_domain domain_of(const struct cw_tap *tap)
{
    const struct cw_mech_unit *u;
    for (uint32_t i = 0; (u = cw_mech_unit_at(i)) != NULL; i++)
        if (u->unit == tap->unit)
            return u->domain;
    return CW_DOMAIN_CORE;
}

static int collect_units(struct cw_wave *w, struct cw_error *err)
{
    w->unit_cnt = w->options.taps != NULL ? cw_taps_count(w->options.taps) : 0;
    w->unit = calloc(w->unit_cnt + 1u, sizeof *w->unit);
    if (w->unit == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < w->unit_cnt; i++) {
        struct cw_tap *tap = cw_taps_at(w->options.taps, i);
        struct unit *u = &w->unit[i];
        *u = (struct unit){.tap = tap, .period = cw_gpu_clocks(w->gpu)->period[domain_of(tap)], .idle = true};
        u->rtl = rtl_behind(w, tap);
        u->state_size = u->rtl.library != NULL ? u->rtl.library->save(u->rtl.self, NULL, 0) : 0;
        u->state = malloc(u->state_size + 1u);
        u->out = malloc(tap->unit->out_size);
        if (u->state == NULL || u->out == NULL)
            return cw_fail(err, CW_ENOMEM, "out of memory");
    }
    return CW_OK;
}

static void wave_free(struct cw_wave *w)
{
    if (w->options.taps != NULL) {
        cw_taps_on_eval(w->options.taps, NULL, NULL);
        cw_taps_rewind(w->options.taps, NULL, NULL);
    }
    close_ring(w);
    cw_wave_signals_destroy(&w->signals);
    for (uint32_t i = 0; w->unit != NULL && i < w->unit_cnt; i++) {
        free(w->unit[i].state);
        free(w->unit[i].out);
    }
    free(w->path);
    free(w->unit);
    free(w->refusal);
    free(w);
}

static uint64_t picoseconds(const struct cw_wave *w, cw_time now)
{
    const uint64_t units = cw_gpu_clocks(w->gpu)->units_per_us;
    return now / units * 1000000u + now % units * 1000000u / units;
}

static void dump(struct cw_wave *w, cw_time now)
{
    uint64_t ps = picoseconds(w, now);
    if (ps < w->next_ps) /* edges less than a picosecond apart */
        ps = w->next_ps;
    w->next_ps = ps + 1;
    w->dumped = true;
    cw_wave_sample_clocks(&w->signals, now);
    cw_wave_sample_units(&w->signals);
    if (w->ring != NULL)
        cw_wave_ring_dump(w->ring, ps);
    else
        cw_fst_file_dump(&w->file, ps);
}

static bool in_window(const struct cw_wave *w, cw_time now)
{
    if (w->options.event != CW_WAVE_WINDOW)
        return w->ring != NULL;
    return now >= w->begin && now < w->end;
}

/* A unit that the simulator leaves alone after a cycle would show that cycle's handshakes until it is evaluated again. So the ends of such
 * cycles before `now` are dumped too, though nothing else happened then. */
static void end_cycles(struct cw_wave *w, cw_time now)
{
    for (;;) {
        cw_time end = CW_TIME_NEVER;
        for (uint32_t i = 0; i < w->unit_cnt; i++)
            if (!w->unit[i].idle && w->unit[i].end < end)
                end = w->unit[i].end;
        if (end >= now)
            return;
        for (uint32_t i = 0; i < w->unit_cnt; i++)
            if (!w->unit[i].idle && w->unit[i].end == end) {
                cw_tap_idle(w->unit[i].tap);
                w->unit[i].idle = true;
            }
        if (in_window(w, end))
            dump(w, end);
    }
}

static void before_eval(void *context)
{
    struct cw_wave *w = context;
    if (in_window(w, cw_gpu_now(w->gpu)))
        end_cycles(w, cw_gpu_now(w->gpu));
}

/* Where nothing is dumped, nobody looks, and the way back would be for nothing. */
static bool keep_state(void *context, const struct cw_tap *tap)
{
    const struct cw_wave *w = context;
    const struct unit *u = &w->unit[tap->index];
    if (!in_window(w, cw_gpu_now(w->gpu)))
        return false;
    if (u->rtl.library != NULL)
        u->rtl.library->save(u->rtl.self, u->state, u->state_size);
    return true;
}

static void restore_state(void *context, const struct cw_tap *tap)
{
    const struct cw_wave *w = context;
    const struct unit *u = &w->unit[tap->index];
    if (u->rtl.library == NULL)
        return;
    u->rtl.library->restore(u->rtl.self, u->state, u->state_size);
    u->rtl.library->ops.eval(u->rtl.self, tap->in, u->out);
}

static void clock_again(void *context, const struct cw_tap *tap)
{
    const struct cw_wave *w = context;
    const struct unit *u = &w->unit[tap->index];
    if (u->rtl.library != NULL)
        u->rtl.library->ops.tick(u->rtl.self, tap->in);
}

static const struct cw_tap_rewind rewind_rtl = {keep_state, restore_state, clock_again};

static cw_time edge_of(uint64_t cycle, cw_time period)
{
    return cycle > CW_TIME_NEVER / period ? CW_TIME_NEVER : cycle * period;
}

/* "partition3.validation_unit": the tap of the unit's instance of that number says how it is called. */
static void name_unit(struct cw_wave *w, const struct refusal *r)
{
    char end[64];
    snprintf(end, sizeof end, "%u.%s", r->index, r->unit);
    for (uint32_t i = 0; i < w->unit_cnt; i++) {
        const char *name = w->unit[i].tap->name, *digits = name + strcspn(name, "0123456789");
        if (strcmp(digits, end) == 0)
            snprintf(w->place.unit, sizeof w->place.unit, "%s", name);
    }
}

static void name_warp(struct cw_wave *w, const struct cw_event *e)
{
    w->place.in_warp = true;
    w->place.core = e->core;
    w->place.warp = e->warp;
}

/* One whose beginning is in the file as well. */
static void hear_wait(struct cw_wave *w, const struct cw_event *e)
{
    const struct cw_event_decision *d = &e->u.decision;
    const cw_time period = cw_gpu_clocks(w->gpu)->period[CW_DOMAIN_CORE];
    if (!d->slept || e->now - d->asked > w->options.keep * period || ++w->waits != w->options.number)
        return;
    name_warp(w, e);
    name_unit(w, &(struct refusal){d->unit, d->index});
}

static void hear(void *self, const struct cw_event *e)
{
    struct cw_wave *w = self;
    struct refusal *r = &w->refusal[e->core * cw_gpu_config(w->gpu)->core_warps + e->warp];
    if (w->options.event == CW_WAVE_WAIT) {
        hear_wait(w, e);
        return;
    }
    if (e->type == CW_EVENT_DECISION) {
        if (e->u.decision.refused)
            *r = (struct refusal){e->u.decision.unit, e->u.decision.index};
        return;
    }
    if (++w->aborts != w->options.number)
        return;
    name_warp(w, e);
    if (r->unit != NULL)
        name_unit(w, r);
}

static int listen(struct cw_wave *w, struct cw_gpu *gpu, struct cw_error *err)
{
    const struct cw_config *c = cw_gpu_config(gpu);
    if (w->options.event != CW_WAVE_ABORT && w->options.event != CW_WAVE_WAIT)
        return CW_OK;
    w->refusal = calloc((size_t)c->core_count * c->core_warps, sizeof *w->refusal);
    if (w->refusal == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    const uint32_t types = 1u << CW_EVENT_DECISION | (w->options.event == CW_WAVE_ABORT ? 1u << CW_EVENT_REGION_ABORT : 0u);
    w->listener = (struct cw_event_listener){.types = types, .self = w, .hear = hear};
    cw_gpu_listen(gpu, &w->listener);
    return CW_OK;
}

int cw_wave_create(struct cw_wave **wave, const struct cw_wave_options *options, struct cw_gpu *gpu, struct cw_error *err)
{
    const cw_time period = cw_gpu_clocks(gpu)->period[CW_DOMAIN_CORE];
    struct cw_wave *w = calloc(1, sizeof *w);
    *wave = NULL;
    if (w == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    w->options = *options;
    w->gpu = gpu;
    w->path = strdup(options->path);
    w->begin = edge_of(options->begin, period);
    w->end = edge_of(options->end, period);
    w->turn_at = cw_gpu_now(gpu) + edge_of(options->keep, period);
    int status = w->path != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "out of memory");
    if (status == CW_OK)
        status = cw_wave_signals_create(&w->signals, gpu, options->taps, options->event != CW_WAVE_WINDOW, err);
    if (status == CW_OK)
        status = collect_units(w, err);
    if (status == CW_OK)
        status = options->event == CW_WAVE_WINDOW ? open_file(w, err) : open_ring(w, err);
    if (status == CW_OK)
        status = listen(w, gpu, err);
    if (status != CW_OK) {
        wave_free(w);
        return status;
    }
    if (options->taps != NULL) {
        cw_taps_on_eval(options->taps, before_eval, w);
        cw_taps_rewind(options->taps, &rewind_rtl, w);
    }
    *wave = w;
    return CW_OK;
}

static void fire(struct cw_wave *w, cw_time now)
{
    w->fired = true;
    w->fired_at = now;
    w->place.time_ps = picoseconds(w, now);
    if (w->options.event == CW_WAVE_MISMATCH)
        snprintf(w->place.unit, sizeof w->place.unit, "%s", cw_rtl_provider_failed(w->options.units));
    cw_wave_sample_trigger(&w->signals);
}

static void write_ring(struct cw_wave *w)
{
    const cw_time kept = w->options.keep * cw_gpu_clocks(w->gpu)->period[CW_DOMAIN_CORE];
    const cw_time from = w->fired_at > kept ? w->fired_at - kept : 0;
    w->failed = cw_wave_ring_write(w->ring, picoseconds(w, from), w->path, &w->failure);
    w->written = w->failed == CW_OK;
    close_ring(w);
}

static bool event_comes(const struct cw_wave *w, cw_time now)
{
    struct cw_error err;
    switch (w->options.event) {
    case CW_WAVE_CYCLE:
        return now / cw_gpu_clocks(w->gpu)->period[CW_DOMAIN_CORE] >= w->options.number;
    case CW_WAVE_ABORT:
        return w->aborts >= w->options.number;
    case CW_WAVE_WAIT:
        return w->waits >= w->options.number;
    case CW_WAVE_MISMATCH:
        return w->options.units->poll(w->options.units->context, &err) != CW_OK;
    default:
        return false;
    }
}

/* At the beginning of a step: is this the event, are the cycles after it over, does a segment of the ring begin? */
static void watch(struct cw_wave *w, cw_time now)
{
    const cw_time period = cw_gpu_clocks(w->gpu)->period[CW_DOMAIN_CORE];
    end_cycles(w, now);
    if (w->fired && now >= w->fired_at + w->options.tail * period) {
        write_ring(w);
    } else if (!w->fired && event_comes(w, now)) {
        fire(w, w->options.event == CW_WAVE_CYCLE ? w->options.number * period : now); /* nothing ticked in the cycles that were skipped */
    } else if (!w->fired && now >= w->turn_at) {
        cw_wave_ring_turn(w->ring);
        w->turn_at = now + w->options.keep * period;
    }
}

void cw_wave_end(struct cw_wave *w, int status)
{
    if (w->ring == NULL || w->fired || w->options.event != CW_WAVE_DEADLOCK || status != CW_EDEADLOCK)
        return;
    end_cycles(w, CW_TIME_NEVER);
    fire(w, cw_gpu_now(w->gpu));
    cw_wave_sample_chip(&w->signals);
    dump(w, cw_gpu_now(w->gpu));
    write_ring(w);
}

void cw_wave_step(struct cw_wave *w, cw_time now)
{
    if (w->ring != NULL)
        watch(w, now);
    for (uint32_t i = 0; i < w->unit_cnt; i++) {
        struct unit *u = &w->unit[i];
        if (!u->tap->evaluated)
            continue;
        u->tap->evaluated = false;
        u->idle = false;
        u->end = now + u->period;
    }
    if (!in_window(w, now))
        return;
    end_cycles(w, now);
    for (uint32_t i = 0; i < w->unit_cnt; i++)
        if (!w->unit[i].idle && w->unit[i].end <= now) {
            cw_tap_idle(w->unit[i].tap);
            w->unit[i].idle = true;
        }
    cw_wave_sample_chip(&w->signals);
    dump(w, now);
}

bool cw_wave_empty(const struct cw_wave *w)
{
    return w->options.event == CW_WAVE_WINDOW ? !w->dumped : !w->fired;
}

const struct cw_wave_place *cw_wave_place(const struct cw_wave *w)
{
    return w->fired ? &w->place : NULL;
}

const char *cw_wave_path(const struct cw_wave *w)
{
    return w->path;
}

static int finish_event(struct cw_wave *w, struct cw_error *err)
{
    if (w->fired && w->ring != NULL) {
        end_cycles(w, CW_TIME_NEVER);
        write_ring(w);
    }
    return w->failed == CW_OK ? CW_OK : cw_fail(err, w->failed, "%s", w->failure.text);
}

static int finish_window(struct cw_wave *w, struct cw_error *err)
{
    end_cycles(w, CW_TIME_NEVER);
    if (!w->dumped) {
        cw_wave_sample_chip(&w->signals);
        dump(w, cw_gpu_now(w->gpu));
    }
    return cw_fst_file_close(&w->file, err);
}

void cw_wave_discard(struct cw_wave *w)
{
    if (w != NULL && w->options.event == CW_WAVE_WINDOW)
        cw_fst_file_discard(&w->file);
    if (w != NULL)
        wave_free(w);
}

int cw_wave_close(struct cw_wave *w, struct cw_error *err)
{
    if (w == NULL)
        return CW_OK;
    const int status = w->options.event == CW_WAVE_WINDOW ? finish_window(w, err) : finish_event(w, err);
    wave_free(w);
    return status;
}
