/* SPDX-License-Identifier: Apache-2.0 */
/* The host's clock, and the caller of a launch who may want to stop. */
#include <time.h>

#include "gpu/gpu_private.h"

static uint64_t host_ns(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int cw_gpu__progress_due(struct cw_gpu *gpu, struct cw_error *err)
{
    if (gpu->on_progress == NULL)
        return CW_OK;
    const uint64_t ns = host_ns();
    if (gpu->asked_ns == 0) /* the first launch begins */
        gpu->asked_ns = ns;
    if (ns - gpu->asked_ns < 10000000u)
        return CW_OK;
    gpu->asked_ns = ns;
    if (gpu->on_progress(gpu->context, gpu) != 0)
        return cw_fail(err, CW_ELIMIT, "%s: interrupted after %llu cycles", gpu->launch.kernel->name,
                       (unsigned long long)cw_gpu_cycles(gpu));
    return CW_OK;
}
