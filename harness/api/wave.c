/* SPDX-License-Identifier: Apache-2.0 */
/* Waves: taps between the GPU and its units, and the file that harness/wave writes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "api.h"

int cowarp__wave_tap(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    struct cw_error err;
    if (options->wave_file == NULL)
        return CW_OK;
    if (options->wave_end != 0 && options->wave_end <= options->wave_begin)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: the wave window ends before it begins", options->wave_file);
    /* now rather than after the RTL has been built */
    if (cw_out_file_check(options->wave_file, &err) != CW_OK)
        return cw_fail(&gpu->err, CW_EIO, "%s", err.text);
    return cw_taps_create(&gpu->taps, &gpu->tapped_units, &gpu->units, &gpu->err);
}

int cowarp__wave_open(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    const struct cw_rtl_instance *instance;
    if (options->wave_file == NULL)
        return CW_OK;
    const uint32_t cnt = cw_rtl_provider_instances(&gpu->units, &instance);
    struct cw_wave_rtl *rtl = calloc(cnt + 1u, sizeof *rtl);
    if (rtl == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "%s: out of memory", options->wave_file);
    for (uint32_t i = 0; i < cnt; i++)
        rtl[i] = (struct cw_wave_rtl){
            .model = instance[i].library->model(instance[i].self), .trace = instance[i].library->trace, .self = instance[i].self};
    const struct cw_wave_options o = {
        .path = options->wave_file,
        .plugin = COWARP_WAVE_PLUGIN,
        .begin = options->wave_begin,
        .end = options->wave_end != 0 ? options->wave_end : UINT64_MAX,
        .taps = gpu->taps,
        .rtl = rtl,
        .rtl_cnt = cnt,
    };
    int status = cw_wave_create(&gpu->wave, &o, gpu->gpu, &gpu->err);
    if (status != CW_OK)
        gpu->wave = NULL;
    free(rtl);
    return status;
}

void cowarp__wave_step(void *context, const struct cw_gpu *g, cw_time now)
{
    const struct cowarp_gpu *gpu = context;
    if (gpu->wave != NULL)
        cw_wave_step(gpu->wave, now);
    if (gpu->recorder != NULL)
        cw_recorder_step(gpu->recorder, now / cw_gpu_clocks(g)->period[CW_DOMAIN_L2]);
}

int cowarp__wave_close(struct cowarp_gpu *gpu)
{
    struct cw_wave *wave = gpu->wave;
    gpu->wave = NULL;
    if (wave == NULL)
        return CW_OK;
    if (cw_wave_empty(wave) && gpu->on_message != NULL) {
        char text[400];
        snprintf(text, sizeof text,
                 "%.200s: the wave window is empty, the run ended after %" PRIu64 " core cycles; the file holds the last state",
                 cw_wave_path(wave), cw_gpu_cycles(gpu->gpu));
        gpu->on_message(gpu->context, text);
    }
    return cw_wave_close(wave, &gpu->err);
}
