/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: the heap of malloc in kernels. csim/ptx/library.c says how it is laid out. */
#include "ir/heap.h"
#include "api.h"

#define SYMBOL        "cowarp_heap"
#define DEFAULT_BYTES (UINT64_C(8) << 20)
#define LEAST_BYTES   UINT64_C(32768)

int cowarp_set_heap(struct cowarp_gpu *gpu, uint64_t bytes)
{
    if (gpu->heap != 0)
        return cw_fail(&gpu->err, CW_EINVAL, "heap: a kernel that uses it has been launched, so it is taken; set its size before that");
    gpu->heap_bytes = bytes;
    return CW_OK;
}

static int make(struct cowarp_gpu *gpu)
{
    uint64_t head[2] = {CW_HEAP_HEAD, gpu->heap_bytes != 0 ? gpu->heap_bytes : DEFAULT_BYTES};
    head[1] = head[1] < LEAST_BYTES ? LEAST_BYTES : head[1];
    const int status = cw_memory_alloc_top(cw_gpu_memory(gpu->gpu), &gpu->heap, head[1], CW_REGION_HEAP, &gpu->err);
    if (status != CW_OK)
        return status;
    cowarp_mark_unwritten(gpu, gpu->heap + CW_HEAP_HEAD, head[1] - CW_HEAP_HEAD);
    cw_memory_write(cw_gpu_memory(gpu->gpu), gpu->heap, head, sizeof head);
    return CW_OK;
}

bool cowarp__has_variable(const struct cowarp_module *module, const char *name)
{
    return cw_module_symbol(module->module, name) != NULL;
}

void cowarp__give_address(struct cowarp_gpu *gpu, const struct cowarp_module *module, const char *name, uint64_t address)
{
    const uint64_t place = module->global_base + cw_module_symbol(module->module, name)->offset;
    cw_memory_write(cw_gpu_memory(gpu->gpu), place, &address, sizeof address);
}

int cowarp__heap_place(struct cowarp_gpu *gpu, const struct cowarp_module *module)
{
    if (!cowarp__has_variable(module, SYMBOL))
        return CW_OK;
    const int status = gpu->heap == 0 ? make(gpu) : CW_OK;
    if (status == CW_OK)
        cowarp__give_address(gpu, module, SYMBOL, gpu->heap);
    return status;
}
