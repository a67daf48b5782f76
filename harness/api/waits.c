/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: what each cycle of the schedulers has gone into, by the instruction that was waited for (options.count_stalls). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "file/json.h"
#include "gpu/gpu.h"

typedef uint64_t row[CW_STALLS][CW_ATS];

struct kernel {
    const struct cw_kernel *kernel;
    uint32_t lines;
    row **of; /* [line of the PTX]; 0: of no instruction. NULL: nothing yet */
    struct kernel *next;
};

struct cowarp_waits {
    struct cw_event_listener listener;
    struct kernel *first, *last; /* last: of the last event */
    bool no_memory;
};

static void forget(struct cowarp_waits *w)
{
    while (w->first != NULL) {
        struct kernel *k = w->first;
        w->first = k->next;
        for (uint32_t i = 0; i < k->lines; i++)
            free(k->of[i]);
        free(k->of);
        free(k);
    }
    w->last = NULL;
}

/* NULL: no memory. */
static struct kernel *kernel_of(struct cowarp_waits *w, const struct cw_kernel *kernel)
{
    struct kernel **at = &w->first;
    if (w->last != NULL && w->last->kernel == kernel)
        return w->last;
    while (*at != NULL && (*at)->kernel != kernel)
        at = &(*at)->next;
    if (*at == NULL && (*at = calloc(1, sizeof **at)) != NULL) {
        (*at)->kernel = kernel;
        (*at)->lines = 1;
        for (uint32_t i = 0; i < kernel->uop_cnt; i++)
            (*at)->lines = kernel->uop[i].line >= (*at)->lines ? kernel->uop[i].line + 1 : (*at)->lines;
        (*at)->of = calloc((*at)->lines, sizeof *(*at)->of);
        if ((*at)->of == NULL) {
            free(*at);
            *at = NULL;
        }
    }
    return w->last = *at;
}

static void hear(void *self, const struct cw_event *e)
{
    struct cowarp_waits *w = self;
    const struct cw_kernel *kernel = e->u.stall.kernel;
    struct kernel *k = kernel != NULL ? kernel_of(w, kernel) : NULL;
    const uint32_t i = e->u.stall.by != NULL ? e->u.stall.by->line : 0;
    if (k != NULL && k->of[i] == NULL)
        k->of[i] = calloc(1, sizeof *k->of[i]);
    if (k != NULL && k->of[i] != NULL)
        (*k->of[i])[e->u.stall.why][e->u.stall.at] += e->u.stall.cycles;
    else
        w->no_memory |= kernel != NULL;
}

int cowarp__waits_create(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    if (options->count_stalls == 0 && options->record_profile == 0)
        return CW_OK;
    gpu->waits = calloc(1, sizeof *gpu->waits);
    return gpu->waits != NULL ? CW_OK : cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
}

void cowarp__waits_listen(struct cowarp_gpu *gpu)
{
    struct cowarp_waits *w = gpu->waits;
    if (w == NULL)
        return;
    forget(w);
    w->listener = (struct cw_event_listener){.types = UINT64_C(1) << CW_EVENT_STALL, .self = w, .hear = hear};
    cw_gpu_listen(gpu->gpu, &w->listener);
}

void cowarp__waits_destroy(struct cowarp_gpu *gpu)
{
    if (gpu->waits != NULL)
        forget(gpu->waits);
    free(gpu->waits);
}

/* ---- text ---- */

static void put_row(FILE *f, const struct cw_kernel *kernel, uint32_t line, const row *r, const char **comma)
{
    for (uint32_t why = 0; why < CW_STALLS; why++)
        for (uint32_t at = 0; at < CW_ATS; at++) {
            if ((*r)[why][at] == 0)
                continue;
            fprintf(f, "%s\n    {\"kernel\": ", *comma);
            cw_json_string(f, kernel->name);
            if (line != 0)
                fprintf(f, ", \"line\": %" PRIu32, line);
            fprintf(f, ", \"cause\": \"%s\"", cw_stall_name((enum cw_stall)why));
            if (at != CW_AT_NONE)
                fprintf(f, ", \"at\": \"%s\"", cw_stall_at_name((enum cw_stall_at)at));
            fprintf(f, ", \"cycles\": %" PRIu64 "}", (*r)[why][at]);
            *comma = ",";
        }
}

void cowarp__waits_write(const struct cowarp_gpu *gpu, FILE *f)
{
    const struct cowarp_waits *w = gpu->waits;
    const char *comma = "";
    if (w == NULL || w->no_memory)
        return;
    fputs("  \"waits\": [", f);
    for (const struct kernel *k = w->first; k != NULL; k = k->next)
        for (uint32_t line = 0; line < k->lines; line++)
            if (k->of[line] != NULL)
                put_row(f, k->kernel, line, (const row *)k->of[line], &comma);
    fputs("\n  ],\n", f);
}
