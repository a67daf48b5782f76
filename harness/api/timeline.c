/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: the timeline, and the log for Konata, that the options ask for. */
#include <inttypes.h>
#include <stdio.h>

#include "api.h"

#define DEFAULT_MBYTES 64u
#define MBYTES_MAX     65536u

static int check(struct cowarp_gpu *gpu, const struct cowarp_options *o)
{
    if (o->timeline_file == NULL && o->konata_file == NULL && (o->timeline_begin | o->timeline_end | o->timeline_mbytes) != 0)
        return cw_fail(&gpu->err, CW_EINVAL, "timeline: there is no file for it; give one (--timeline FILE)");
    if (o->timeline_end != 0 && o->timeline_end <= o->timeline_begin)
        return cw_fail(&gpu->err, CW_EINVAL, "timeline: its window ends before it begins");
    if (o->timeline_mbytes > MBYTES_MAX)
        return cw_fail(&gpu->err, CW_EINVAL, "timeline: %u Mbytes are out of range, 1 to %u", o->timeline_mbytes, MBYTES_MAX);
    return CW_OK;
}

static int open_konata(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    struct cw_error why;
    const struct cw_konata_options o = {
        .path = options->konata_file,
        .begin = options->timeline_begin,
        .end = options->timeline_end,
        .mbytes = options->timeline_mbytes != 0 ? options->timeline_mbytes : DEFAULT_MBYTES,
        .warps = cw_control_slots(gpu->control, &gpu->config),
    };
    if (options->konata_file == NULL)
        return CW_OK;
    const int status = cw_konata_create(&gpu->konata, &o, gpu->gpu, &why);
    return status == CW_OK ? CW_OK : cw_fail(&gpu->err, status, "log for Konata: %s", why.text);
}

static int close_konata(struct cowarp_gpu *gpu)
{
    struct cw_error why;
    uint64_t full_at;
    if (gpu->konata == NULL)
        return CW_OK;
    const int status = cw_konata_close(gpu->konata, &full_at, &why);
    if (status != CW_OK)
        return cw_fail(&gpu->err, status, "log for Konata: %s", why.text);
    if (full_at != UINT64_MAX && gpu->on_message != NULL) {
        char text[160];
        snprintf(text, sizeof text, "the log for Konata is full: it has no instructions from core cycle %" PRIu64 " on", full_at);
        gpu->on_message(gpu->context, text);
    }
    return CW_OK;
}

int cowarp__timeline_launch(struct cowarp_gpu *gpu, const struct cowarp_module *module, const struct cw_kernel *kernel)
{
    struct cw_error why;
    if (gpu->konata == NULL)
        return CW_OK;
    const int status = cw_konata_launch(gpu->konata, kernel, module->text, &why);
    return status == CW_OK ? CW_OK : cw_fail(&gpu->err, status, "log for Konata: %s", why.text);
}

int cowarp__timeline_open(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    struct cw_error why;
    char about[200];
    int status = check(gpu, options);
    if (status == CW_OK)
        status = open_konata(gpu, options);
    if (status != CW_OK || options->timeline_file == NULL)
        return status;
    snprintf(about, sizeof about, "\"simulator\": \"cowarp %s\", \"preset\": \"%s\", \"system\": \"%s\"", cowarp_version(),
             gpu->config.preset, gpu->system != NULL ? gpu->system->name : "none");
    const struct cw_timeline_options o = {
        .path = options->timeline_file,
        .begin = options->timeline_begin,
        .end = options->timeline_end,
        .mbytes = options->timeline_mbytes != 0 ? options->timeline_mbytes : DEFAULT_MBYTES,
        .warps = cw_control_slots(gpu->control, &gpu->config),
        .about = about,
    };
    status = cw_timeline_create(&gpu->timeline, &o, gpu->gpu, &why);
    return status == CW_OK ? CW_OK : cw_fail(&gpu->err, status, "timeline: %s", why.text);
}

int cowarp__timeline_close(struct cowarp_gpu *gpu)
{
    struct cw_error why;
    const int logged = close_konata(gpu);
    if (gpu->timeline == NULL)
        return logged;
    const int status = cw_timeline_close(gpu->timeline, &why);
    return status == CW_OK ? logged : cw_fail(&gpu->err, status, "timeline: %s", why.text);
}
