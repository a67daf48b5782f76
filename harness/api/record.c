/* SPDX-License-Identifier: Apache-2.0 */
/* Recording of what is sent into a unit. */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include <stdlib.h>
#include <string.h>

#include "api.h"

int cowarp__record_tap(struct cowarp_gpu *gpu, const struct cowarp_options *options, const struct cw_unit_provider **units)
{
    if (options->record == NULL)
        return CW_OK;
    const char *equals = strchr(options->record, '=');
    if (equals == NULL || equals == options->record || equals[1] == '\0')
        return cw_fail(&gpu->err, CW_EINVAL, "record '%.80s': expected an instance and a file, as in partition0.validation_unit=vu.stim",
                       options->record);
    char *instance = strndup(options->record, (size_t)(equals - options->record));
    if (instance == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    const struct cw_recorder_options o = {.instance = instance, .path = equals + 1};
    const int status = cw_recorder_create(&gpu->recorder, &gpu->recorded_units, *units, &o, &gpu->err);
    free(instance);
    *units = &gpu->recorded_units;
    return status;
}

int cowarp__record_open(struct cowarp_gpu *gpu)
{
    /* the units that a GPU can have are clocked with its L2 */
    return gpu->recorder != NULL ? cw_recorder_begin(gpu->recorder, cw_gpu_config(gpu->gpu)->clock_l2_mhz, &gpu->err) : CW_OK;
}

int cowarp__record_close(struct cowarp_gpu *gpu)
{
    return gpu->recorder != NULL ? cw_recorder_close(gpu->recorder, &gpu->err) : CW_OK;
}
