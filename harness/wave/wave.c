/* SPDX-License-Identifier: Apache-2.0 */
#include "wave/wave.h"

#include <stdlib.h>
#include <string.h>

#include "wave/fst_file.h"
#include "wave/signals.h"

/* A tapped unit and the cycle that it shows. */
struct unit {
    struct cw_tap *tap;
    cw_time period;
    cw_time end; /* of its last cycle with an evaluation */
    bool idle;   /* shows a cycle in which the simulator left it alone */
};

struct cw_wave {
    struct cw_wave_options options;
    const struct cw_gpu *gpu;
    struct cw_fst_file file;
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
    const struct cw_wave_options *o = &w->options;
    const struct cw_fst_content content = {s->signal, s->signal_cnt, s->enums, s->enum_cnt, o->rtl, o->rtl_cnt};
    return cw_fst_file_open(&w->file, o->path, o->plugin, &content, err);
}

/* Instances are named after the part of the chip that they belong to, which says their clock. */
static enum cw_domain domain_of(const struct cw_tap *tap)
{
    return strncmp(tap->name, "partition", 9) == 0 ? CW_DOMAIN_L2 : CW_DOMAIN_CORE;
}

static int collect_units(struct cw_wave *w, struct cw_error *err)
{
    w->unit_cnt = w->options.taps != NULL ? cw_taps_count(w->options.taps) : 0;
    w->unit = calloc(w->unit_cnt + 1u, sizeof *w->unit);
    if (w->unit == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < w->unit_cnt; i++) {
        struct cw_tap *tap = cw_taps_at(w->options.taps, i);
        w->unit[i] = (struct unit){.tap = tap, .period = cw_gpu_clocks(w->gpu)->period[domain_of(tap)], .idle = true};
    }
    return CW_OK;
}

static void wave_free(struct cw_wave *w)
{
    if (w->options.taps != NULL)
        cw_taps_on_eval(w->options.taps, NULL, NULL);
    cw_wave_signals_destroy(&w->signals);
    free(w->unit);
    free(w);
}

static void dump(struct cw_wave *w, cw_time now)
{
    const uint64_t units = cw_gpu_clocks(w->gpu)->units_per_us;
    uint64_t ps = now / units * 1000000u + now % units * 1000000u / units;
    if (ps < w->next_ps) /* edges less than a picosecond apart */
        ps = w->next_ps;
    w->next_ps = ps + 1;
    w->dumped = true;
    cw_wave_sample_clocks(&w->signals, now);
    cw_wave_sample_units(&w->signals);
    cw_fst_file_dump(&w->file, ps);
}

static bool in_window(const struct cw_wave *w, cw_time now)
{
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

static cw_time edge_of(uint64_t cycle, cw_time period)
{
    return cycle > CW_TIME_NEVER / period ? CW_TIME_NEVER : cycle * period;
}

int cw_wave_create(struct cw_wave **wave, const struct cw_wave_options *options, const struct cw_gpu *gpu, struct cw_error *err)
{
    const cw_time period = cw_gpu_clocks(gpu)->period[CW_DOMAIN_CORE];
    struct cw_wave *w = calloc(1, sizeof *w);
    *wave = NULL;
    if (w == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    w->options = *options;
    w->gpu = gpu;
    w->begin = edge_of(options->begin, period);
    w->end = edge_of(options->end, period);
    int status = cw_wave_signals_create(&w->signals, gpu, options->taps, err);
    if (status == CW_OK)
        status = collect_units(w, err);
    if (status == CW_OK)
        status = open_file(w, err);
    if (status != CW_OK) {
        wave_free(w);
        return status;
    }
    if (options->taps != NULL)
        cw_taps_on_eval(options->taps, before_eval, w);
    *wave = w;
    return CW_OK;
}

void cw_wave_step(struct cw_wave *w, cw_time now)
{
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
    return !w->dumped;
}

const char *cw_wave_path(const struct cw_wave *w)
{
    return w->file.path;
}

int cw_wave_close(struct cw_wave *w, struct cw_error *err)
{
    if (w == NULL)
        return CW_OK;
    end_cycles(w, CW_TIME_NEVER);
    if (!w->dumped) {
        cw_wave_sample_chip(&w->signals);
        dump(w, cw_gpu_now(w->gpu));
    }
    const int status = cw_fst_file_close(&w->file, err);
    wave_free(w);
    return status;
}
