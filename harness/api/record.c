/* SPDX-License-Identifier: Apache-2.0 */
/* Recording of what is sent into a unit. */
#include <string.h>

#include "api.h"

int cowarp__record_tap(struct cowarp_gpu *gpu, const struct cowarp_options *options, const struct cw_unit_provider **units)
{
    char instance[64];
    if (options->record == NULL)
        return CW_OK;
    const char *equals = strchr(options->record, '=');
    const size_t length = equals != NULL ? (size_t)(equals - options->record) : 0;
    if (length == 0 || length >= sizeof instance || equals[1] == '\0')
        return cw_fail(&gpu->err, CW_EINVAL, "record '%.80s': expected an instance and a file, as in partition0.validation_unit=vu.stim",
                       options->record);
    memcpy(instance, options->record, length);
    instance[length] = '\0';
    const struct cw_recorder_options o = {.instance = instance, .path = equals + 1};
    const int status = cw_recorder_create(&gpu->recorder, &gpu->recorded_units, *units, &o, &gpu->err);
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
