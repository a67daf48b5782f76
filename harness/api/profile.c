/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: where the time of a kernel goes, by the lines of its PTX (options.record_profile). */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include "api.h"

struct cowarp_profile {
    struct cowarp_profile_kernel *first, *running;
    struct cw_event_listener listener;
    uint32_t warps;                        /* slots of a core */
    struct cowarp_contended_launch launch; /* That runs */
    uint32_t *begun;                       /* [core * warps + warp]: micro-operation with which its transaction has begun */
};

static void hear(void *self, const struct cw_event *e)
{
    struct cowarp_profile *p = self;
    const struct cw_uop *uop = p->running->kernel->uop;
    struct cowarp_profile_row *row = p->running->row;
    switch ((enum cw_event_type)e->type) {
    case CW_EVENT_ISSUE:
        row += e->u.access.uop - uop;
        row->warps++;
        row->threads += cw_lanes_count(e->u.access.lanes);
        break;
    case CW_EVENT_BRANCHED:
        row += e->u.branched.uop - uop;
        row->branches++;
        row->diverged += e->u.branched.diverged;
        break;
    case CW_EVENT_MEMORY:
        row[e->u.access.uop - uop].accesses++;
        break;
    case CW_EVENT_REGION_ACCESS:
        row[e->u.access.uop - uop].accesses += e->u.access.lines;
        break;
    case CW_EVENT_REGION_ENTER:
        p->begun[e->core * p->warps + e->warp] = (uint32_t)(e->u.access.uop - uop);
        break;
    case CW_EVENT_REGION_ABORT:
        row[p->begun[e->core * p->warps + e->warp]].aborts++;
        break;
    case CW_EVENT_STALL:
        if (e->u.stall.uop == NULL || e->u.stall.why == CW_STALL_ISSUED)
            break;
        row[e->u.stall.uop - uop].stall[e->u.stall.why] += e->u.stall.cycles;
        row += e->u.stall.by - uop;
        row->cause[e->u.stall.why] += e->u.stall.cycles;
        row->at[e->u.stall.at] += e->u.stall.cycles;
        break;
    case CW_EVENT_STRONG:
    case CW_EVENT_CONFLICT:
        cowarp__contended_hear(p->running->words, &p->launch, e);
        break;
    default:
        break;
    }
}

int cowarp__profile_create(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    if (options->record_profile == 0)
        return CW_OK;
    struct cowarp_profile *p = gpu->profile = calloc(1, sizeof *p);
    if (p == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    p->warps = cw_control_slots(gpu->control, &gpu->config);
    p->begun = calloc((size_t)gpu->config.core_count * p->warps, sizeof *p->begun);
    return p->begun != NULL ? CW_OK : cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
}

void cowarp__profile_listen(struct cowarp_gpu *gpu)
{
    struct cowarp_profile *p = gpu->profile;
    if (p == NULL)
        return;
    p->listener = (struct cw_event_listener){
        .types = UINT64_C(1) << CW_EVENT_STRONG | UINT64_C(1) << CW_EVENT_CONFLICT | 1u << CW_EVENT_ISSUE | 1u << CW_EVENT_BRANCHED |
                 1u << CW_EVENT_MEMORY | 1u << CW_EVENT_REGION_ACCESS | 1u << CW_EVENT_REGION_ENTER | 1u << CW_EVENT_REGION_ABORT |
                 1u << CW_EVENT_STALL,
        .self = p,
        .hear = hear,
    };
    cw_gpu_listen(gpu->gpu, &p->listener);
}

int cowarp__profile_launch(struct cowarp_gpu *gpu, const struct cowarp_module *module, const struct cw_kernel *kernel)
{
    struct cowarp_profile *p = gpu->profile;
    struct cowarp_profile_kernel **at, *k;
    if (p == NULL)
        return CW_OK;
    for (at = &p->first; *at != NULL && (*at)->kernel != kernel; at = &(*at)->next)
        ;
    if (*at == NULL) {
        k = calloc(1, sizeof *k);
        if (k == NULL || (k->row = calloc(kernel->uop_cnt, sizeof *k->row)) == NULL ||
            (k->words = calloc(COWARP_CONTENTIONS, sizeof *k->words)) == NULL) {
            free(k != NULL ? k->row : NULL);
            free(k);
            return cw_fail(&gpu->err, CW_ENOMEM, "no memory for the profile of kernel %s", kernel->name);
        }
        k->module = module->module;
        k->kernel = kernel;
        k->text = module->text;
        *at = k;
    }
    p->running = *at;
    p->running->launches++;
    return CW_OK;
}

void cowarp__profile_begins(struct cowarp_gpu *gpu, const struct cowarp_module *module, const struct cw_gpu_request *request)
{
    if (gpu->profile != NULL)
        gpu->profile->launch = (struct cowarp_contended_launch){.memory = cw_gpu_memory(gpu->gpu),
                                                                .module = request->module,
                                                                .kernel = request->kernel,
                                                                .global_base = module->global_base,
                                                                .param = request->param};
}

void cowarp__profile_destroy(struct cowarp_gpu *gpu)
{
    struct cowarp_profile *p = gpu->profile;
    while (p != NULL && p->first != NULL) {
        struct cowarp_profile_kernel *k = p->first;
        p->first = k->next;
        free(k->row);
        free(k->words);
        free(k);
    }
    if (p != NULL)
        free(p->begun);
    free(p);
}

int cowarp_write_profile(struct cowarp_gpu *gpu, const char *path)
{
    struct cw_out_file out;
    struct cw_error why;
    if (gpu->profile == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "this GPU has no profile; create it with options.record_profile");
    int status = cw_out_file_open(&out, path, &why);
    if (status != CW_OK)
        return cw_fail(&gpu->err, status, "%s", why.text);
    if (!cowarp__profile_text(gpu->profile->first, gpu->config.core_issue_cycles, out.file)) {
        cw_out_file_discard(&out);
        return cw_fail(&gpu->err, CW_ENOMEM, "no memory for the profile's text");
    }
    status = cw_out_file_close(&out, &why);
    return status == CW_OK ? CW_OK : cw_fail(&gpu->err, status, "%s", why.text);
}
