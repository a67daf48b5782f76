/* SPDX-License-Identifier: Apache-2.0 */
/* What libcowarp asks of a writer of wave files. One is chosen in wave.c. */
#ifndef CW_HARNESS_WAVE_WRITER_H
#define CW_HARNESS_WAVE_WRITER_H

#include "cowarp/unit.h"
#include "gpu/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cw_wave_request {
    const char *path;                     /* to be written; a temporary name that libcowarp renames after close */
    cw_time begin, end;                   /* [begin, end) is traced; end may be CW_TIME_NEVER */
    const struct cw_gpu *gpu;             /* outlives the writer's instance */
    const struct cw_unit_provider *units; /* of the RTL instances, see cw_rtl_provider_instances(); outlives it too */
};

struct cw_wave_writer {
    /* Called once, after the GPU and all its units exist and before the first time step. */
    int (*open)(void **self, const struct cw_wave_request *request, struct cw_error *err);
    /* After every time step in which anything ticked; times only grow. */
    void (*step)(void *self, const struct cw_gpu *gpu, cw_time now);
    /* Completes the file and frees self, also after an error. */
    int (*close)(void *self, struct cw_error *err);
};

#ifdef __cplusplus
}
#endif
#endif
