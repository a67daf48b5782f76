/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: cycles that are estimated. */
#include <math.h>
#include <string.h>

#include "api.h"
#include "file/json.h"

int cowarp_estimated(struct cowarp_gpu *gpu, struct cowarp_estimate *estimate)
{
    struct cw_gpu_estimate e;
    if (gpu->gpu == NULL || cw_gpu_estimates(gpu->gpu) == 0)
        return cw_fail(&gpu->err, CW_EINVAL, "nothing is estimated; create the GPU with options.estimate");
    if (estimate->size == 0 || estimate->size > sizeof *estimate)
        return cw_fail(&gpu->err, CW_EINVAL, "struct cowarp_estimate: its size is %u; this library knows %u bytes",
                       (unsigned)estimate->size, (unsigned)sizeof *estimate);
    cw_gpu_estimated(gpu->gpu, &e);
    const struct cowarp_estimate all = {.size = estimate->size,
                                        .cycles = e.cycles,
                                        .half = e.half,
                                        .timed_instructions = e.timed_instructions,
                                        .untimed_instructions = e.untimed_instructions,
                                        .timed_launches = e.timed_launches,
                                        .partly_timed_launches = e.partly_timed_launches,
                                        .untimed_launches = e.untimed_launches};
    memcpy(estimate, &all, estimate->size);
    return CW_OK;
}

void cowarp__estimate_write(struct cowarp_gpu *gpu, FILE *f)
{
    struct cowarp_estimate e = {.size = sizeof e};
    if (cw_gpu_estimates(gpu->gpu) == 0 || cowarp_estimated(gpu, &e) != CW_OK)
        return;
    const struct {
        const char *name;
        double value;
    } list[] = {
        {"wanted", cw_gpu_estimates(gpu->gpu)},
        {"cycles", e.cycles},
        {"half", e.half},
        {"timed_warp_instructions", e.timed_instructions},
        {"untimed_warp_instructions", e.untimed_instructions},
        {"timed_launches", (double)e.timed_launches},
        {"partly_timed_launches", (double)e.partly_timed_launches},
        {"untimed_launches", (double)e.untimed_launches},
    };
    fputs("  \"estimate\": {", f);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        fprintf(f, "%s\"%s\": ", i == 0 ? "" : ", ", list[i].name);
        cw_json_number(f, list[i].value);
    }
    fputs("},\n", f);
}
