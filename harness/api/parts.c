/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: counters by launch, by core and by partition (options.per_launch, per_core, per_partition). */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "file/json.h"

struct launch {
    char *kernel;
    uint32_t stream;
    uint64_t cycles;
    struct cw_stats counted;
};

struct cowarp_parts {
    bool launches, cores, partitions;
    struct launch *launch;
    uint32_t launch_cnt, launch_cap;
    struct cw_stats before; /* at the end of the last launch */
    uint64_t cycles;        /* then */
};

bool cowarp__parts_split(const struct cowarp_options *options)
{
    return (options->per_core | options->per_partition | options->per_launch) != 0; /* kernels that overlap are told apart by their cores */
}

int cowarp__parts_create(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    if (!cowarp__parts_split(options))
        return CW_OK;
    gpu->parts = calloc(1, sizeof *gpu->parts);
    if (gpu->parts == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    gpu->parts->launches = options->per_launch != 0;
    gpu->parts->cores = options->per_core != 0;
    gpu->parts->partitions = options->per_partition != 0;
    return CW_OK;
}

static struct launch *next_launch(struct cowarp_parts *p)
{
    if (p->launch_cnt == p->launch_cap) {
        const uint32_t cap = p->launch_cap != 0 ? 2 * p->launch_cap : 16;
        struct launch *larger = realloc(p->launch, cap * sizeof *larger);
        if (larger == NULL)
            return NULL;
        p->launch = larger;
        p->launch_cap = cap;
    }
    return &p->launch[p->launch_cnt];
}

/* NULL: no memory; it has been said. */
static struct launch *add_launch(struct cowarp_gpu *gpu, const char *kernel, uint32_t stream, uint64_t cycles)
{
    struct cowarp_parts *p = gpu->parts;
    struct launch *l = next_launch(p);
    char *name = strdup(kernel);
    if (l == NULL || name == NULL) {
        free(name);
        cw_fail(&gpu->err, CW_ENOMEM, "no memory for the counters of a launch");
        return NULL;
    }
    *l = (struct launch){.kernel = name, .stream = stream, .cycles = cycles};
    p->launch_cnt++;
    return l;
}

int cowarp__parts_launched(struct cowarp_gpu *gpu, const char *kernel, uint32_t stream)
{
    struct cowarp_parts *p = gpu->parts;
    if (p == NULL || !p->launches)
        return CW_OK;
    const struct cw_stats *now = cw_gpu_stats(gpu->gpu);
    struct launch *l = add_launch(gpu, kernel, stream, cw_gpu_cycles(gpu->gpu) - p->cycles);
    if (l == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < cw_stats_count(); i++)
        if (!cw_stats_counter(i)->maximum)
            ((uint64_t *)(void *)&l->counted)[i] = *cw_stats_value(now, i) - *cw_stats_value(&p->before, i);
    p->before = *now;
    p->cycles = cw_gpu_cycles(gpu->gpu);
    return CW_OK;
}

int cowarp__parts_overlapped(struct cowarp_gpu *gpu, const char *kernel, uint32_t stream, uint64_t cycles, const struct cw_stats *counted)
{
    struct cowarp_parts *p = gpu->parts;
    if (p == NULL || !p->launches)
        return CW_OK;
    struct launch *l = add_launch(gpu, kernel, stream, cycles);
    if (l == NULL)
        return CW_ENOMEM;
    l->counted = *counted;
    cw_stats_add(&p->before, counted); /* maxima are no matter there */
    return CW_OK;
}

void cowarp__parts_reset(struct cowarp_gpu *gpu)
{
    if (gpu->parts != NULL)
        gpu->parts->cycles = cw_gpu_cycles(gpu->gpu);
}

static void put_launches(FILE *f, const struct cowarp_parts *p)
{
    fputs("  \"per_launch\": [", f);
    for (uint32_t n = 0; n < p->launch_cnt; n++) {
        const struct launch *l = &p->launch[n];
        const char *comma = "";
        fprintf(f, "%s\n    {\"kernel\": ", n > 0 ? "," : "");
        cw_json_string(f, l->kernel);
        if (l->stream != 0)
            fprintf(f, ", \"stream\": %u", (unsigned)l->stream);
        fprintf(f, ", \"cycles\": %" PRIu64 ", \"counters\": {", l->cycles);
        for (uint32_t i = 0; i < cw_stats_count(); i++)
            if (*cw_stats_value(&l->counted, i) != 0) {
                fprintf(f, "%s\"%s\": %" PRIu64, comma, cw_stats_counter(i)->name, *cw_stats_value(&l->counted, i));
                comma = ", ";
            }
        fputs("}}", f);
    }
    fputs("\n  ],\n", f);
}

/* Counters that some part has counted, with the values of all parts. */
static void put_split(FILE *f, const char *member, const struct cw_gpu *gpu, uint32_t cnt,
                      const struct cw_stats *(*part)(const struct cw_gpu *gpu, uint32_t index))
{
    const char *comma = "";
    fprintf(f, "  \"%s\": {", member);
    for (uint32_t i = 0; i < cw_stats_count(); i++) {
        bool any = false;
        for (uint32_t n = 0; n < cnt; n++)
            any |= *cw_stats_value(part(gpu, n), i) != 0;
        if (!any)
            continue;
        fprintf(f, "%s\n    \"%s\": [", comma, cw_stats_counter(i)->name);
        for (uint32_t n = 0; n < cnt; n++)
            fprintf(f, "%s%" PRIu64, n > 0 ? ", " : "", *cw_stats_value(part(gpu, n), i));
        fputs("]", f);
        comma = ",";
    }
    fputs("\n  },\n", f);
}

void cowarp__parts_write(const struct cowarp_gpu *gpu, FILE *f)
{
    const struct cowarp_parts *p = gpu->parts;
    if (p == NULL)
        return;
    if (p->launches)
        put_launches(f, p);
    if (p->cores)
        put_split(f, "per_core", gpu->gpu, gpu->config.core_count, cw_gpu_core_stats);
    if (p->partitions)
        put_split(f, "per_partition", gpu->gpu, gpu->config.partition_count, cw_gpu_partition_stats);
}

void cowarp__parts_destroy(struct cowarp_gpu *gpu)
{
    struct cowarp_parts *p = gpu->parts;
    for (uint32_t i = 0; p != NULL && i < p->launch_cnt; i++)
        free(p->launch[i].kernel);
    if (p != NULL)
        free(p->launch);
    free(p);
}
