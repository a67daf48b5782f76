/* SPDX-License-Identifier: Apache-2.0 */
/* Who counts where. Usually all count in one place. Cores and partitions may count each for itself; then the chip's counters are a sum. */
#include "gpu/gpu_private.h"

struct cw_stats *cw_gpu__core_stats(struct cw_gpu *gpu, uint32_t core)
{
    return gpu->part != NULL ? &gpu->part[core] : &gpu->stats;
}

struct cw_stats *cw_gpu__partition_stats(struct cw_gpu *gpu, uint32_t partition)
{
    return gpu->part != NULL ? &gpu->part[gpu->config.core_count + partition] : &gpu->stats;
}

const struct cw_stats *cw_gpu_stats(const struct cw_gpu *gpu)
{
    if (gpu->part == NULL)
        return &gpu->stats;
    *gpu->sum = gpu->stats;
    for (uint32_t i = 0; i < gpu->config.core_count + gpu->config.partition_count; i++)
        cw_stats_add(gpu->sum, &gpu->part[i]);
    return gpu->sum;
}

const struct cw_stats *cw_gpu_core_stats(const struct cw_gpu *gpu, uint32_t core)
{
    return gpu->part != NULL ? &gpu->part[core] : NULL;
}

const struct cw_stats *cw_gpu_partition_stats(const struct cw_gpu *gpu, uint32_t partition)
{
    return gpu->part != NULL ? &gpu->part[gpu->config.core_count + partition] : NULL;
}
