/* SPDX-License-Identifier: Apache-2.0 */
/* Waves: the file's life from the options to its final name. What goes into it is the writer's matter. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "api.h"

/* The writer of this build; NULL: built without one. */
static const struct cw_wave_writer *const wave_writer = NULL;

int cowarp__wave_open(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    struct cowarp__wave *w = &gpu->wave;
    const char *path = options->wave_file;
    if (path == NULL)
        return CW_OK;
    if (wave_writer == NULL)
        return cw_fail(&gpu->err, CW_EUNSUP, "%s: this libcowarp was built without a wave writer", path);
    if (options->wave_end != 0 && options->wave_end <= options->wave_begin)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: the wave window ends before it begins", path);
    int status = cw_out_file_check(path, &gpu->err);
    if (status != CW_OK)
        return status;
    if (snprintf(w->path, sizeof w->path, "%s", path) >= (int)sizeof w->path ||
        snprintf(w->temporary, sizeof w->temporary, "%s.%ld", path, (long)getpid()) >= (int)sizeof w->temporary)
        return cw_fail(&gpu->err, CW_EIO, "%.80s...: file name too long", path);
    const cw_time period = cw_gpu_clocks(gpu->gpu)->period[CW_DOMAIN_CORE];
    const struct cw_wave_request request = {
        .path = w->temporary,
        .begin = options->wave_begin * period,
        .end = options->wave_end != 0 ? options->wave_end * period : CW_TIME_NEVER,
        .gpu = gpu->gpu,
        .units = &gpu->units,
    };
    status = wave_writer->open(&w->self, &request, &gpu->err);
    if (status == CW_OK)
        w->writer = wave_writer;
    return status;
}

void cowarp__wave_step(void *context, const struct cw_gpu *g, cw_time now)
{
    struct cowarp_gpu *gpu = context;
    if (gpu->wave.writer != NULL)
        gpu->wave.writer->step(gpu->wave.self, g, now);
}

int cowarp__wave_close(struct cowarp_gpu *gpu)
{
    struct cowarp__wave *w = &gpu->wave;
    if (w->writer == NULL)
        return CW_OK;
    int status = w->writer->close(w->self, &gpu->err);
    w->writer = NULL;
    if (status == CW_OK && rename(w->temporary, w->path) != 0)
        status = cw_fail(&gpu->err, CW_EIO, "%s: cannot be written: %s", w->path, strerror(errno));
    if (status != CW_OK)
        unlink(w->temporary);
    return status;
}
