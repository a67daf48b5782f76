/* SPDX-License-Identifier: Apache-2.0 */
/* Small helpers shared by the workloads' host code. */
#ifndef KERNELS_HOST_H
#define KERNELS_HOST_H

#include <stdint.h>

#include "cowarp/workload.h"

/* Random numbers for inputs: equal seeds give equal inputs on every machine (splitmix64). */
static inline uint64_t host_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Allocates device memory and copies data into it (data NULL: leaves it zero). */
static inline int host_upload(struct cowarp_gpu *gpu, uint64_t *address, const void *data, uint64_t bytes)
{
    int status = cowarp_alloc(gpu, address, bytes);
    return status == 0 && data != 0 ? cowarp_write(gpu, *address, data, bytes) : status;
}

/* The same for what threads share in transactions: in versions, where the system keeps some and the variant has transactions. */
static inline int host_upload_shared(const struct cowarp_workload_context *x, uint64_t *address, const void *data, uint64_t bytes)
{
    if (x->variant != COWARP_TX)
        return host_upload(x->gpu, address, data, bytes);
    int status = cowarp_alloc_versioned(x->gpu, address, bytes);
    return status == 0 && data != 0 ? cowarp_write(x->gpu, *address, data, bytes) : status;
}

/* Loads the workload's PTX and runs one of its kernels on a one-dimensional grid. */
static inline int host_launch(struct cowarp_gpu *gpu, struct cowarp_module *module, const char *kernel, uint32_t blocks, uint32_t threads,
                              uint32_t arg_count, const struct cowarp_arg *args)
{
    const struct cowarp_launch launch = {
        .size = sizeof launch, .kernel = kernel, .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .arg_count = arg_count, .args = args};
    return cowarp_run(gpu, module, &launch);
}

#endif
