/* SPDX-License-Identifier: Apache-2.0 */
/* Functional coverage of the units in a run: options.bins_file. */
#include <inttypes.h>
#include <stdlib.h>

#include "api.h"
#include "file/out_file.h"
#include "rtl/bin_watch.h"

struct cowarp_bins {
    struct cw_bin_watch *watch;
    struct cw_unit_provider units;
    struct cw_out_file out;
    bool open;
};

int cowarp__bins_tap(struct cowarp_gpu *gpu, const struct cowarp_options *options, const struct cw_unit_provider **units)
{
    struct cw_error why;
    if (options->bins_file == NULL)
        return CW_OK;
    struct cowarp_bins *b = gpu->bins = calloc(1, sizeof *b);
    if (b == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    int status = cw_bin_watch_create(&b->watch, &b->units, *units, &gpu->err);
    if (status != CW_OK)
        return status;
    *units = &b->units;
    status = cw_out_file_open(&b->out, options->bins_file, &why);
    b->open = status == CW_OK;
    return status == CW_OK ? CW_OK : cw_fail(&gpu->err, status, "bins: %s", why.text);
}

int cowarp__bins_open(struct cowarp_gpu *gpu)
{
    const char *unit;
    if (gpu->bins == NULL || cw_bin_watch_at(gpu->bins->watch, 0, &unit) != NULL)
        return CW_OK;
    return cw_fail(&gpu->err, CW_EINVAL, "bins: this GPU has no hardware units with bins; choose a system that has (cowarp list)");
}

int cowarp__bins_close(struct cowarp_gpu *gpu)
{
    struct cowarp_bins *b = gpu->bins;
    const struct cw_bins *bins;
    struct cw_error why;
    const char *unit;
    if (b == NULL || !b->open)
        return CW_OK;
    b->open = false;
    fputs("unit,bin,cycles\n", b->out.file);
    for (uint32_t u = 0; (bins = cw_bin_watch_at(b->watch, u, &unit)) != NULL; u++)
        for (uint32_t i = 0; i < cw_bins_count(bins); i++)
            fprintf(b->out.file, "%s,%s,%" PRIu64 "\n", unit, cw_bins_name(bins, i), cw_bins_hits(bins, i));
    const int status = cw_out_file_close(&b->out, &why);
    return status == CW_OK ? CW_OK : cw_fail(&gpu->err, status, "bins: %s", why.text);
}

void cowarp__bins_destroy(struct cowarp_gpu *gpu)
{
    struct cowarp_bins *b = gpu->bins;
    if (b == NULL)
        return;
    if (b->open)
        cw_out_file_discard(&b->out);
    cw_bin_watch_destroy(b->watch);
    free(b);
}
