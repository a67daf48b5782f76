/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: counts of branches, those of this run and those of an earlier one (core.lcp=profile). */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "file/in_file.h"
#include "ir/branch_counts.h"

struct cowarp_branches {
    struct cw_branch_counts *profile; /* of an earlier run; NULL: none */
    struct cw_branch_counts *counts;  /* of this run; NULL: not counted */
    struct cw_event_listener listener;
    /* the kernel that runs */
    const struct cw_kernel *kernel;
    struct cw_kernel_counts *entry;
    uint32_t *branch; /* [micro-op]: its number in the entry, of those that are conditional branches */
    uint32_t branch_cap;
};

static void count_indexed(struct cw_branch_way *way, const struct cw_event *e)
{
    for (cw_lanes left = e->u.branch.taken; left != 0; left = cw_lanes_rest(left)) {
        uint32_t i = 0;
        while (way[i].to != e->u.branch.target[cw_lanes_first(left)])
            i++;
        way[i].threads++;
    }
}

static void hear(void *self, const struct cw_event *e)
{
    const struct cowarp_branches *b = self;
    const struct cw_branch_count *c = &b->entry->branch[b->branch[e->u.branch.uop - b->kernel->uop]];
    struct cw_branch_way *way = &b->entry->way[c->way];
    if (e->u.branch.target != NULL)
        count_indexed(way, e);
    else
        way[0].threads += cw_lanes_count(e->u.branch.taken);
    if (c->falls)
        way[c->way_cnt - 1].threads += cw_lanes_count(e->u.branch.falls);
}

static int read_profile(struct cowarp_gpu *gpu, const char *path)
{
    char *text;
    size_t length;
    int status = cw_in_file_read(&text, &length, path, &gpu->err);
    if (status != CW_OK)
        return status;
    status = cw_branch_counts_read(&gpu->branches->profile, text, length, path, &gpu->err);
    free(text);
    return status;
}

int cowarp__branches_create(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    const bool wanted = gpu->config.core_lcp == CW_LCP_PROFILE;
    if (wanted && options->lcp_profile == NULL)
        return cw_fail(&gpu->err, CW_EINVAL,
                       "core.lcp=profile needs the branches of an earlier run; record them (--record-branches FILE) and give --lcp-profile "
                       "FILE");
    if (!wanted && options->lcp_profile != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "--lcp-profile %s: nothing would use it; set core.lcp=profile", options->lcp_profile);
    if (!wanted && options->record_branches == 0)
        return CW_OK;
    gpu->branches = calloc(1, sizeof *gpu->branches);
    if (gpu->branches == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    if (options->record_branches != 0 && (gpu->branches->counts = cw_branch_counts_create()) == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    return wanted ? read_profile(gpu, options->lcp_profile) : CW_OK;
}

void cowarp__branches_listen(struct cowarp_gpu *gpu)
{
    struct cowarp_branches *b = gpu->branches;
    if (b == NULL || b->counts == NULL)
        return;
    b->listener = (struct cw_event_listener){.types = UINT32_C(1) << CW_EVENT_BRANCH, .self = b, .hear = hear};
    cw_gpu_listen(gpu->gpu, &b->listener);
}

/* The kernel is that of the last launch no more: another module may have its place in memory. */
static int begin_counting(struct cowarp_gpu *gpu, struct cowarp_branches *b, const struct cw_kernel *k)
{
    int status = cw_branch_counts_add(b->counts, &b->entry, k, &gpu->err);
    if (status != CW_OK)
        return status;
    if (k->uop_cnt > b->branch_cap) {
        free(b->branch);
        b->branch = malloc(k->uop_cnt * sizeof *b->branch);
        b->branch_cap = b->branch != NULL ? k->uop_cnt : 0;
        if (b->branch == NULL)
            return cw_fail(&gpu->err, CW_ENOMEM, "no memory for the branches of kernel %s", k->name);
    }
    for (uint32_t i = 0; i < b->entry->branch_cnt; i++)
        b->branch[b->entry->branch[i].at] = i;
    b->kernel = k;
    return CW_OK;
}

int cowarp__branches_launch(struct cowarp_gpu *gpu, const struct cw_kernel *kernel)
{
    struct cowarp_branches *b = gpu->branches;
    if (b != NULL && b->profile != NULL && !kernel->profiled)
        return cw_fail(&gpu->err, CW_EINVAL, "kernel %s: not in %s, the branches of an earlier run; record a run that launches it",
                       kernel->name, b->profile->file);
    return b != NULL && b->counts != NULL ? begin_counting(gpu, b, kernel) : CW_OK;
}

const struct cw_branch_counts *cowarp__lcp_profile(const struct cowarp_gpu *gpu)
{
    return gpu->branches != NULL ? gpu->branches->profile : NULL;
}

void cowarp__branches_destroy(struct cowarp_gpu *gpu)
{
    struct cowarp_branches *b = gpu->branches;
    if (b == NULL)
        return;
    cw_branch_counts_destroy(b->profile);
    cw_branch_counts_destroy(b->counts);
    free(b->branch);
    free(b);
}

int cowarp_write_branches(struct cowarp_gpu *gpu, const char *path)
{
    struct cw_out_file out;
    struct cw_error why;
    if (gpu->branches == NULL || gpu->branches->counts == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "this GPU has not counted branches; create it with options.record_branches");
    int status = cw_out_file_open(&out, path, &why);
    if (status == CW_OK) {
        cw_branch_counts_write(gpu->branches->counts, out.file);
        status = cw_out_file_close(&out, &why);
    }
    return status == CW_OK ? CW_OK : cw_fail(&gpu->err, status, "%s", why.text);
}
