/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: named phases of a program, each with its cycles. */
#include <stdlib.h>
#include <string.h>

#include "api.h"

uint64_t cowarp_cycles(const struct cowarp_gpu *gpu)
{
    return gpu->gpu != NULL ? cw_gpu_cycles(gpu->gpu) : 0;
}

double cowarp_microseconds(const struct cowarp_gpu *gpu)
{
    return gpu->gpu != NULL ? (double)cw_gpu_now(gpu->gpu) / (double)cw_gpu_clocks(gpu->gpu)->units_per_us : 0;
}

/* Adds what has passed since the phase began. */
static void count(struct cowarp_gpu *gpu)
{
    if (gpu->phase == NULL)
        return;
    gpu->phase->cycles += cowarp_cycles(gpu) - gpu->phase_cycles;
    gpu->phase->microseconds += cowarp_microseconds(gpu) - gpu->phase_microseconds;
}

static struct cowarp_phase *phase_of(struct cowarp_gpu *gpu, const char *name)
{
    struct cowarp_phase **at = &gpu->phases;
    while (*at != NULL && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    if (*at == NULL && (*at = calloc(1, sizeof **at)) != NULL)
        strcpy((*at)->name, name);
    return *at;
}

int cowarp_phase(struct cowarp_gpu *gpu, const char *name)
{
    struct cowarp_phase *next = NULL;
    if (gpu->gpu == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "this GPU could not be created; destroy it");
    if (name != NULL && (name[0] == '\0' || strlen(name) >= sizeof next->name))
        return cw_fail(&gpu->err, CW_EINVAL, "phase '%.40s': its name has 1 to %u characters", name, (unsigned)sizeof next->name - 1);
    if (name != NULL && (next = phase_of(gpu, name)) == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    count(gpu);
    gpu->phase = next;
    gpu->phase_cycles = cowarp_cycles(gpu);
    gpu->phase_microseconds = cowarp_microseconds(gpu);
    return CW_OK;
}

const struct cowarp_phase *cowarp__phases(struct cowarp_gpu *gpu)
{
    count(gpu);
    gpu->phase_cycles = cowarp_cycles(gpu);
    gpu->phase_microseconds = cowarp_microseconds(gpu);
    return gpu->phases;
}

void cowarp__phases_destroy(struct cowarp_gpu *gpu)
{
    while (gpu->phases != NULL) {
        struct cowarp_phase *p = gpu->phases;
        gpu->phases = p->next;
        free(p);
    }
}
