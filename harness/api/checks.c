/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: what the sanitizer is to look for, and what it has found. */
#include <string.h>

#include "api.h"

static const char *const names[CW_CHECKS] = {"memory", "sync", "race", "init"};

int cowarp__checks(uint32_t *checks, const char *list, struct cw_error *err)
{
    *checks = 0;
    while (list != NULL) {
        const size_t length = strcspn(list, ",");
        uint32_t i = 0;
        while (i < CW_CHECKS && (strlen(names[i]) != length || strncmp(names[i], list, length) != 0))
            i++;
        if (i == CW_CHECKS)
            return cw_fail(err, CW_EINVAL, "check '%.*s': unknown; choose of memory, sync, race and init", (int)(length < 40 ? length : 40),
                           list);
        *checks |= 1u << i;
        list = list[length] == ',' ? list + length + 1 : NULL;
    }
    return CW_OK;
}

void cowarp_mark_unwritten(struct cowarp_gpu *gpu, uint64_t address, uint64_t bytes)
{
    if (gpu->gpu != NULL)
        cw_gpu_mark(gpu->gpu, address, bytes, false);
}

void cowarp_mark_written(struct cowarp_gpu *gpu, uint64_t address, uint64_t bytes)
{
    if (gpu->gpu != NULL)
        cw_gpu_mark(gpu->gpu, address, bytes, true);
}

int cowarp_finding_at(const struct cowarp_gpu *gpu, uint32_t i, struct cowarp_finding *finding)
{
    const struct cw_sanitizer_place *p = gpu->gpu != NULL ? cw_gpu_finding_at(gpu->gpu, i) : NULL;
    if (p == NULL || finding->size == 0 || finding->size > sizeof *finding)
        return 0;
    const struct cw_finding *f = &p->first;
    struct cowarp_finding all = {.size = finding->size,
                                 .check = names[__builtin_ctz((uint32_t)f->check)],
                                 .kernel = p->kernel,
                                 .file = p->file,
                                 .line = f->line,
                                 .other_line = f->other_line,
                                 .source_file = p->source,
                                 .source_line = p->source_line,
                                 .address = f->address,
                                 .bytes = f->bytes,
                                 .count = p->cnt,
                                 .text = f->text};
    memcpy(all.block, f->block, sizeof all.block);
    memcpy(all.thread, f->thread, sizeof all.thread);
    memcpy(finding, &all, finding->size);
    return 1;
}

uint64_t cowarp_findings(const struct cowarp_gpu *gpu, const char *check)
{
    uint64_t cnt = 0;
    for (uint32_t i = 0; gpu->gpu != NULL && i < CW_CHECKS; i++)
        if (check == NULL || strcmp(check, names[i]) == 0)
            cnt += cw_gpu_findings(gpu->gpu, (enum cw_check)(1u << i));
    return cnt;
}
