/* SPDX-License-Identifier: Apache-2.0 */
/* Waves: taps between the GPU and its units, and the file that harness/wave writes. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "wave/fst_file.h"

#define KEEP_DEFAULT 1000u
#define KEEP_MAX     100000u
#define TAIL_SHARE   10u /* cycles after the event: this part of those before it */

static const char *const events[] = {[CW_WAVE_CYCLE] = "cycle",
                                     [CW_WAVE_ABORT] = "abort",
                                     [CW_WAVE_WAIT] = "wait",
                                     [CW_WAVE_DEADLOCK] = "deadlock",
                                     [CW_WAVE_MISMATCH] = "lockstep-mismatch"};
#define EVENT_CNT ((uint32_t)(sizeof events / sizeof events[0]))

/* The digits behind "cycle:" and "abort:". */
static bool read_number(const char *text, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

static int read_event(struct cowarp_gpu *gpu, const char *text)
{
    const char *colon = strchr(text, ':'), *near;
    char name[32];
    uint32_t e = CW_WAVE_WINDOW + 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    while (e < EVENT_CNT && strcmp(events[e], name) != 0)
        e++;
    if (e == EVENT_CNT) {
        near = cw_nearest(name, events + 1, EVENT_CNT - 1);
        if (near != NULL)
            return cw_fail(&gpu->err, CW_EINVAL, "wave trigger '%.40s': unknown; did you mean '%s%s'?", text, near,
                           strcmp(near, "cycle") == 0 ? ":N" : "");
        return cw_fail(&gpu->err, CW_EINVAL,
                       "wave trigger '%.40s': unknown; takes lockstep-mismatch, abort[:N], wait[:N], deadlock or cycle:N", text);
    }
    gpu->wave_event = (enum cw_wave_event)e;
    gpu->wave_number = 1;
    if (e == CW_WAVE_CYCLE && (colon == NULL || !read_number(colon + 1, &gpu->wave_number)))
        return cw_fail(&gpu->err, CW_EINVAL, "wave trigger '%.40s': expected a core cycle, as in cycle:20000", text);
    if ((e == CW_WAVE_ABORT || e == CW_WAVE_WAIT) && colon != NULL && (!read_number(colon + 1, &gpu->wave_number) || gpu->wave_number == 0))
        return cw_fail(&gpu->err, CW_EINVAL, "wave trigger '%.40s': expected which of them, as in %s:1", text, name);
    if (e > CW_WAVE_WAIT && colon != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "wave trigger '%.40s': %s takes no number", text, name);
    return CW_OK;
}

/* An event that cannot come is a mistake in the request. */
static int check_event(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    bool lockstep = false;
    for (uint32_t i = 0; i < gpu->choice_cnt; i++)
        lockstep = lockstep || gpu->unit[i].backend == CW_UNIT_LOCKSTEP;
    if (gpu->wave_event == CW_WAVE_MISMATCH && !lockstep)
        return cw_fail(&gpu->err, CW_EINVAL, "wave trigger lockstep-mismatch: no unit runs in lockstep; choose one: UNIT=lockstep");
    if (gpu->wave_event == CW_WAVE_ABORT && gpu->system == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "wave trigger abort: without a transactional system nothing aborts; choose one");
    if (gpu->wave_event == CW_WAVE_WAIT && gpu->system == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "wave trigger wait: without a transactional system no unit decides about warps; choose one");
    if (options->wave_begin != 0 || options->wave_end != 0)
        return cw_fail(&gpu->err, CW_EINVAL, "wave trigger %s: the window follows from the event; give no window", options->wave_on);
    if (options->wave_keep > KEEP_MAX)
        return cw_fail(&gpu->err, CW_EINVAL, "wave trigger %s: keeps 1 to %u core cycles, not %" PRIu64, options->wave_on, KEEP_MAX,
                       options->wave_keep);
    return CW_OK;
}

int cowarp__wave_tap(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    struct cw_error err;
    int status = CW_OK;
    if (options->wave_file == NULL && (options->wave_on != NULL || options->wave_keep != 0))
        return cw_fail(&gpu->err, CW_EINVAL, "a wave trigger without a wave file; give one");
    if (options->wave_file == NULL) /* a debugger looks at ports too */
        return gpu->is_debugged ? cw_taps_create(&gpu->taps, &gpu->tapped_units, &gpu->units, &gpu->err) : CW_OK;
    if (options->wave_on == NULL && options->wave_keep != 0)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: cycles to keep, but no wave trigger; give one", options->wave_file);
    if (options->wave_end != 0 && options->wave_end <= options->wave_begin)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: the wave window ends before it begins", options->wave_file);
    if (options->wave_on != NULL)
        status = read_event(gpu, options->wave_on);
    if (status == CW_OK && options->wave_on != NULL)
        status = check_event(gpu, options);
    if (status != CW_OK)
        return status;
    /* now rather than after the RTL has been built */
    if (cw_fst_file_check(options->wave_file, &err) != CW_OK)
        return cw_fail(&gpu->err, CW_EIO, "%s", err.text);
    return cw_taps_create(&gpu->taps, &gpu->tapped_units, &gpu->units, &gpu->err);
}

int cowarp__wave_open(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    if (options->wave_file == NULL)
        return CW_OK;
    const uint64_t keep = options->wave_keep != 0 ? options->wave_keep : KEEP_DEFAULT;
    const struct cw_wave_options o = {
        .path = options->wave_file,
        .event = gpu->wave_event,
        .begin = options->wave_begin,
        .end = options->wave_end != 0 ? options->wave_end : UINT64_MAX,
        .number = gpu->wave_number,
        .keep = keep,
        .tail = (keep + TAIL_SHARE - 1) / TAIL_SHARE,
        .taps = gpu->taps,
        .units = &gpu->units,
    };
    int status = cw_wave_create(&gpu->wave, &o, gpu->gpu, &gpu->err);
    if (status != CW_OK)
        gpu->wave = NULL;
    return status;
}

int cowarp__wave_launched(struct cowarp_gpu *gpu, int status)
{
    if (gpu->wave == NULL)
        return status;
    cw_wave_end(gpu->wave, status);
    return status == CW_OK && gpu->units.poll != NULL ? gpu->units.poll(gpu->units.context, &gpu->err) : status;
}

void cowarp__wave_step(void *context, const struct cw_gpu *g, cw_time now)
{
    const struct cowarp_gpu *gpu = context;
    if (gpu->wave != NULL)
        cw_wave_step(gpu->wave, now);
    if (gpu->recorder != NULL)
        cw_recorder_step(gpu->recorder, now / cw_gpu_clocks(g)->period[CW_DOMAIN_L2]);
}

static void tell_empty(const struct cowarp_gpu *gpu)
{
    struct cw_error text;
    if (gpu->wave_event == CW_WAVE_WINDOW)
        cw_fail(&text, CW_OK, "%s: the wave window is empty, the run ended after %" PRIu64 " core cycles; the file holds the last state",
                cw_wave_path(gpu->wave), cw_gpu_cycles(gpu->gpu));
    else
        cw_fail(&text, CW_OK, "%s: not written: the run ended after %" PRIu64 " core cycles and the event, %s, did not come",
                cw_wave_path(gpu->wave), cw_gpu_cycles(gpu->gpu), events[gpu->wave_event]);
    gpu->on_message(gpu->context, text.text);
}

static void keep_place(struct cowarp_gpu *gpu, const struct cw_wave *wave)
{
    const struct cw_wave_place *place = cw_wave_place(wave);
    gpu->wave_fired = place != NULL;
    if (place != NULL)
        gpu->wave_place = *place;
}

int cowarp__wave_close(struct cowarp_gpu *gpu)
{
    struct cw_wave *wave = gpu->wave;
    if (wave == NULL)
        return CW_OK;
    if (cw_gpu_cycles(gpu->gpu) == 0) { /* no launch, or one that was refused: what is there stays as it is */
        gpu->wave = NULL;
        cw_wave_discard(wave);
        return CW_OK;
    }
    const bool empty = cw_wave_empty(wave);
    if (empty && gpu->on_message != NULL)
        tell_empty(gpu);
    gpu->wave = NULL;
    keep_place(gpu, wave);
    const int status = cw_wave_close(wave, &gpu->err);
    gpu->wave_written = status == CW_OK && !(empty && gpu->wave_event != CW_WAVE_WINDOW);
    return status;
}

int cowarp__wave_look(void *context, const char *path, uint64_t begin, struct cw_error *err)
{
    struct cowarp_gpu *gpu = context;
    const struct cw_wave_options o = {
        .path = path, .event = CW_WAVE_WINDOW, .begin = begin, .end = UINT64_MAX, .taps = gpu->taps, .units = &gpu->units};
    return cw_wave_create(&gpu->wave, &o, gpu->gpu, err);
}

int cowarp__wave_looked(void *context, struct cw_error *err)
{
    struct cowarp_gpu *gpu = context;
    struct cw_wave *wave = gpu->wave;
    gpu->wave = NULL;
    return cw_wave_close(wave, err);
}

int cowarp_wave_written(const struct cowarp_gpu *gpu)
{
    return gpu->wave_written;
}

int cowarp_wave_event(struct cowarp_gpu *gpu, struct cowarp_wave_event *event)
{
    if (gpu->wave != NULL)
        keep_place(gpu, gpu->wave);
    if (!gpu->wave_fired)
        return cw_fail(&gpu->err, CW_EINVAL, "no wave trigger has come");
    const struct cw_wave_place *place = &gpu->wave_place;
    *event = (struct cowarp_wave_event){.picoseconds = place->time_ps, .core = -1, .warp = -1, .core_warps = (int)gpu->config.core_warps};
    if (place->in_warp) {
        event->core = (int)place->core;
        event->warp = (int)place->warp;
    }
    memcpy(event->unit, place->unit, sizeof event->unit);
    return CW_OK;
}

int cowarp_wave_signals(struct cowarp_gpu *gpu, const char *file, void (*each)(void *context, const char *name), void *context)
{
    return cw_fst_file_names(file, each, context, &gpu->err);
}
