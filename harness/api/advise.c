/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: what transactions in shared memory take of a core, and which suit a kernel. */
#include "api.h"
#include "mech/local/advice.h"

static int only_kernel(struct cowarp_gpu *gpu, const struct cw_module *m, const struct cw_kernel **kernel)
{
    *kernel = NULL;
    for (uint32_t i = 0; i < m->kernel_cnt; i++) {
        if (m->kernel[i].transactions.cnt == 0)
            continue;
        if (*kernel != NULL)
            return cw_fail(&gpu->err, CW_EINVAL, "%s: %s and %s have transactions; name one of them", m->file, (*kernel)->name,
                           m->kernel[i].name);
        *kernel = &m->kernel[i];
    }
    return *kernel != NULL ? CW_OK : cw_fail(&gpu->err, CW_EINVAL, "%s: no kernel has transactions", m->file);
}

static int find(struct cowarp_gpu *gpu, const struct cw_module *m, const char *name, const struct cw_kernel **kernel)
{
    if (name == NULL)
        return only_kernel(gpu, m, kernel);
    *kernel = cw_module_kernel(m, name);
    if (*kernel == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: has no kernel '%s'", m->file, name);
    if ((*kernel)->refused != NULL)
        return cw_fail(&gpu->err, (*kernel)->refused_status, "%s", (*kernel)->refused);
    return (*kernel)->transactions.cnt > 0 ? CW_OK : cw_fail(&gpu->err, CW_EINVAL, "%s: %s has no transactions", m->file, (*kernel)->name);
}

static struct cowarp_advice_line line(const struct cw_local_line *l, const char *detect, const char *serial)
{
    return (struct cowarp_advice_line){.detect = detect,
                                       .serial = serial,
                                       .vector_registers = l->need.vector_registers,
                                       .scalar_registers = l->need.scalar_registers,
                                       .shared_bytes = l->need.shared_bytes,
                                       .groups = l->groups,
                                       .lacks = l->lacks != NULL ? l->lacks : ""};
}

int cowarp_advise(struct cowarp_gpu *gpu, const struct cowarp_module *module, const char *kernel, uint32_t threads,
                  uint32_t dynamic_shared_bytes, struct cowarp_advice *advice)
{
    struct cw_local_advice a;
    const struct cw_kernel *k;
    const int status = find(gpu, module->module, kernel, &k);
    if (status != CW_OK)
        return status;
    if (threads == 0 || threads > 1024 || dynamic_shared_bytes > UINT32_MAX / 16)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: a block has 1 to 1024 threads, and no %u bytes of shared memory", k->name,
                       dynamic_shared_bytes);
    cw_local_advise(&a, &gpu->config, k, threads, k->shared_bytes + dynamic_shared_bytes);
    *advice = (struct cowarp_advice){.kernel = k->name,
                                     .core_vector_registers = a.has.vector_registers,
                                     .core_scalar_registers = a.has.scalar_registers,
                                     .core_shared_bytes = a.has.shared_bytes,
                                     .words = k->transactions.words,
                                     .has_read_only = k->transactions.has_read_only,
                                     .reads_as_wrote = k->transactions.reads_as_wrote,
                                     .has_loop = k->transactions.has_loop,
                                     .alone = line(&a.alone, "", ""),
                                     .chosen = a.chosen < CW_LOCAL_COMBINATIONS ? (int)a.chosen : -1,
                                     .why = a.why};
    for (uint32_t i = 0; i < CW_LOCAL_COMBINATIONS; i++)
        advice->line[i] = line(&a.line[i], cw_local_detect_name(i / CW_LOCAL_SERIALS), cw_local_serial_name(i % CW_LOCAL_SERIALS));
    return CW_OK;
}
