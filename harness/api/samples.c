/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: samples of counters, a row for each so many core cycles (options.sample_file). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"

/* What the columns are unless the options say so. Those of what the GPU does not have are left out: transactions, stalls. */
static const char *const usual[] = {
    "thread_instructions", "warp_instructions", "core_active_cycles", "core_issue_cycles", "core_stall",  "core_w0_mem",
    "core_w0_idle",        "mem_accesses",      "l1_reads",           "l1_read_misses",    "l2_reads",    "l2_read_misses",
    "l2_writes",           "noc_up_flits",      "noc_down_flits",     "dram_reads",        "dram_writes", "dram_busy_cycles"};
static const char *const transactions[] = {"tx_committed", "tx_aborted"};

struct cowarp_samples {
    struct cw_out_file out;
    bool open;
    uint32_t *counter; /* index of each column */
    uint64_t *last;    /* its value at the end of the last row */
    uint32_t cnt;
    uint64_t from; /* core cycle at which the next row begins */
};

static int add_counter(struct cowarp_gpu *gpu, const char *name)
{
    struct cowarp_samples *s = gpu->samples;
    struct cw_error why;
    uint32_t index;
    int status = cw_stats_find(&index, name, &why);
    if (status != CW_OK)
        return cw_fail(&gpu->err, status, "sample counters: %s", why.text);
    if (cw_stats_counter(index)->maximum)
        return cw_fail(&gpu->err, CW_EINVAL, "sample counters: %s is a maximum, and a row has what has been counted in it", name);
    for (uint32_t i = 0; i < s->cnt; i++)
        if (s->counter[i] == index)
            return cw_fail(&gpu->err, CW_EINVAL, "sample counters: %s is given twice; give it once", name);
    s->counter[s->cnt++] = index;
    return CW_OK;
}

static int add_usual(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    int status = CW_OK;
    for (size_t i = 0; status == CW_OK && i < sizeof usual / sizeof usual[0]; i++)
        status = add_counter(gpu, usual[i]);
    for (size_t i = 0; status == CW_OK && gpu->system != NULL && i < sizeof transactions / sizeof transactions[0]; i++)
        status = add_counter(gpu, transactions[i]);
    for (uint32_t i = 0; status == CW_OK && (options->count_stalls | options->record_profile) != 0 && i < cw_stats_count(); i++)
        if (strncmp(cw_stats_counter(i)->name, "issue_", 6) == 0)
            status = add_counter(gpu, cw_stats_counter(i)->name);
    return status;
}

/* "a,b,c" */
static int add_list(struct cowarp_gpu *gpu, const char *list)
{
    int status = CW_OK;
    for (const char *at = list; status == CW_OK; at += strcspn(at, ",") + 1) {
        char name[96];
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), at);
        if (length == 0)
            return cw_fail(&gpu->err, CW_EINVAL, "sample counters '%.80s': a name is empty; expected names with commas between them", list);
        status = add_counter(gpu, name);
        if (at[length] == '\0')
            break;
    }
    return status;
}

static int check(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    if (options->sample_file == NULL && (options->sample_cycles != 0 || options->sample_counters != NULL))
        return cw_fail(&gpu->err, CW_EINVAL, "samples: there is no file for them; give one (--samples FILE)");
    if (options->sample_file != NULL && options->sample_cycles == 0)
        return cw_fail(&gpu->err, CW_EINVAL, "samples: give the core cycles of a row, at least 1 (--sample N)");
    return options->sample_cycles <= UINT32_MAX ? CW_OK
                                                : cw_fail(&gpu->err, CW_EINVAL, "samples: a row has at most 4294967295 core cycles");
}

int cowarp__samples_create(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    struct cw_error why;
    int status = check(gpu, options);
    if (status != CW_OK || options->sample_file == NULL)
        return status;
    struct cowarp_samples *s = gpu->samples = calloc(1, sizeof *s);
    if (s == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    s->counter = calloc(cw_stats_count(), sizeof *s->counter);
    s->last = calloc(cw_stats_count(), sizeof *s->last);
    if (s->counter == NULL || s->last == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    status = options->sample_counters != NULL ? add_list(gpu, options->sample_counters) : add_usual(gpu, options);
    if (status != CW_OK)
        return status;
    status = cw_out_file_open(&s->out, options->sample_file, &why);
    if (status != CW_OK)
        return cw_fail(&gpu->err, status, "samples: %s", why.text);
    s->open = true;
    fputs("begin,end", s->out.file);
    for (uint32_t i = 0; i < s->cnt; i++)
        fprintf(s->out.file, ",%s", cw_stats_counter(s->counter[i])->name);
    fputc('\n', s->out.file);
    return CW_OK;
}

static void put_row(struct cowarp_samples *s, const struct cw_stats *stats, uint64_t until)
{
    fprintf(s->out.file, "%" PRIu64 ",%" PRIu64, s->from, until);
    for (uint32_t i = 0; i < s->cnt; i++) {
        const uint64_t value = *cw_stats_value(stats, s->counter[i]);
        fprintf(s->out.file, ",%" PRIu64, value - s->last[i]);
        s->last[i] = value;
    }
    fputc('\n', s->out.file);
    s->from = until;
}

void cowarp__samples_row(void *context, const struct cw_gpu *gpu, uint64_t cycle)
{
    const struct cowarp_gpu *g = context;
    put_row(g->samples, cw_gpu_stats(gpu), cycle);
}

static bool has_more(const struct cowarp_samples *s, const struct cw_stats *stats, uint64_t cycle)
{
    bool more = cycle > s->from;
    for (uint32_t i = 0; i < s->cnt; i++)
        more |= *cw_stats_value(stats, s->counter[i]) != s->last[i];
    return more;
}

int cowarp__samples_close(struct cowarp_gpu *gpu)
{
    struct cowarp_samples *s = gpu->samples;
    struct cw_error why;
    if (s == NULL || !s->open)
        return CW_OK;
    s->open = false;
    if (gpu->gpu == NULL || cw_gpu_cycles(gpu->gpu) == 0) {
        cw_out_file_discard(&s->out);
        return CW_OK;
    }
    const struct cw_stats *stats = cw_gpu_stats(gpu->gpu);
    if (has_more(s, stats, cw_gpu_cycles(gpu->gpu)))
        put_row(s, stats, cw_gpu_cycles(gpu->gpu));
    const int status = cw_out_file_close(&s->out, &why);
    return status == CW_OK ? CW_OK : cw_fail(&gpu->err, status, "samples: %s", why.text);
}

void cowarp__samples_destroy(struct cowarp_gpu *gpu)
{
    struct cowarp_samples *s = gpu->samples;
    if (s == NULL)
        return;
    if (s->open)
        cw_out_file_discard(&s->out);
    free(s->counter);
    free(s->last);
    free(s);
}
