/* SPDX-License-Identifier: Apache-2.0 */
/* Launches, and what becomes of one that fails. */
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

#define THREADS_MOST 1024u
#define SHARED_MOST  49152u /* bytes of a block, unless a kernel asks for more */

/* What CUDA calls a fault of the kernel, which the library tells in words. */
static int fault_code(int status, const char *text)
{
    static const struct {
        const char *word;
        int code;
    } words[] = {{"assertion `", CW_CUDA_ASSERT}, {"misaligned", CW_CUDA_MISALIGNED}, {" address 0x", CW_CUDA_ADDRESS}};
    if (status == COWARP_EDEADLOCK || status == COWARP_ELIMIT)
        return CW_CUDA_TIMEOUT;
    for (size_t i = 0; status == COWARP_EFAULT && i < sizeof words / sizeof words[0]; i++)
        if (strstr(text, words[i].word) != NULL)
            return words[i].code;
    return CW_CUDA_LAUNCH;
}

static int count_failed(struct cw_cuda_process *p, int code)
{
    p->failed_launches++;
    if (p->page != NULL)
        __atomic_fetch_add(&p->page->failed, 1u, __ATOMIC_SEQ_CST);
    return code;
}

/* A card would have carried it out. */
static int count_denied(struct cw_cuda_process *p, int code)
{
    if (p->page != NULL)
        __atomic_fetch_add(&p->page->denied, 1u, __ATOMIC_SEQ_CST);
    return count_failed(p, code);
}

/* CUDA's own rules, in which its number of the error is known. */
static int check_shape(const struct cw_cuda_function *f, const struct cw_cuda_launch *l)
{
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    for (int i = 0; i < 3; i++)
        if (l->grid[i] == 0 || l->block[i] == 0)
            return CW_CUDA_CONFIGURATION;
    if (threads > THREADS_MOST || l->block[2] > 64 || l->grid[0] > INT32_MAX || l->grid[1] > UINT16_MAX || l->grid[2] > UINT16_MAX)
        return CW_CUDA_CONFIGURATION;
    if (f->info.max_threads != 0 && threads > f->info.max_threads)
        return CW_CUDA_RESOURCES;
    const size_t usual = SHARED_MOST > f->info.static_shared_bytes ? SHARED_MOST - f->info.static_shared_bytes : 0;
    if (l->shared_bytes <= (f->dynamic_shared_most > 0 ? (size_t)f->dynamic_shared_most : usual))
        return CW_CUDA_OK;
    cw_cuda__say("kernel %s: %zu bytes of dynamic shared memory; more than %zu have to be asked for with cudaFuncSetAttribute", f->name,
                 l->shared_bytes, usual);
    return CW_CUDA_INVALID_VALUE;
}

/* Whether a core has room for one block, and the machine for all blocks of a cooperative launch. One that does not fit is an error of the call,
 * not of the device. */
static int check_room(struct cowarp_gpu *gpu, const struct cw_cuda_function *f, const struct cowarp_launch *l, bool cooperative)
{
    struct cowarp_occupancy o;
    if (cowarp_occupancy(gpu, f->image->module, l, &o) != COWARP_OK) {
        cw_cuda__say("%s; --preset NAME chooses another machine ('cowarp list')", cowarp_error(gpu));
        return CW_CUDA_INVALID_VALUE;
    }
    const uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2],
                   at_once = (uint64_t)o.blocks_per_core * cw_cuda_value("core.count");
    if (cooperative && at_once > 0 && at_once < blocks)
        return CW_CUDA_COOPERATIVE;
    if (o.blocks_per_core > 0)
        return CW_CUDA_OK;
    cw_cuda__say("kernel %s: a core has no room for a block of %u threads, %u registers each, with %u bytes of shared memory; limit: %s. "
                 "--preset NAME chooses another machine ('cowarp list')",
                 f->name, (unsigned)o.threads, (unsigned)o.registers, (unsigned)o.block_shared_bytes, o.limit);
    return o.by_shared == 0 ? CW_CUDA_INVALID_VALUE : CW_CUDA_RESOURCES;
}

/* The arguments' bytes stay where the program has them. */
static int gather(const struct cw_cuda_function *f, const struct cw_cuda_launch *l, struct cowarp_arg **args)
{
    struct cowarp_arg *a = calloc(f->param_cnt + 1, sizeof *a + sizeof(struct cowarp_bytes));
    struct cowarp_bytes *b = (struct cowarp_bytes *)(a != NULL ? a + f->param_cnt + 1 : NULL);
    *args = a;
    if (a == NULL)
        return CW_CUDA_NO_MEMORY;
    for (uint32_t i = 0; i < f->param_cnt; i++) {
        const struct cowarp_param *p = &f->param[i];
        if (l->args == NULL && (l->packed == NULL || p->offset + p->bytes > l->packed_bytes))
            return CW_CUDA_INVALID_VALUE;
        b[i] = (struct cowarp_bytes){l->args != NULL ? l->args[i] : (const char *)l->packed + p->offset, p->bytes};
        if (b[i].data == NULL)
            return CW_CUDA_INVALID_VALUE;
        a[i] = COWARP_BYTES(&b[i]);
    }
    return CW_CUDA_OK;
}

int cw_cuda__make_launch(struct cowarp_launch *made, struct cowarp_arg **args, const struct cw_cuda_function *f,
                         const struct cw_cuda_launch *l)
{
    *made = (struct cowarp_launch){.size = sizeof *made,
                                   .kernel = f->name,
                                   .dynamic_shared_bytes = (uint32_t)l->shared_bytes,
                                   .arg_count = f->param_cnt,
                                   .cooperative = l->cooperative};
    memcpy(made->grid, l->grid, sizeof made->grid);
    memcpy(made->block, l->block, sizeof made->block);
    const int code = gather(f, l, args);
    made->args = *args;
    return code;
}

void cw_cuda__launch_failed(struct cowarp_gpu *gpu, const char *name, int status)
{
    struct cw_cuda_process *p = &cw_cuda__process;
    cw_cuda__say("launch of %s failed: %s", name, cowarp_error(gpu));
    p->sticky = fault_code(status, cowarp_error(gpu));
    status == COWARP_EFAULT ? count_failed(p, CW_CUDA_OK) : count_denied(p, CW_CUDA_OK);
}

/* The call is well when the kernel fails: who waits for it is told. */
static int run(struct cowarp_gpu *gpu, struct cw_cuda_function *f, const struct cw_cuda_launch *l)
{
    struct cowarp_launch launch;
    struct cowarp_arg *args;
    struct cw_cuda_order order;
    cw_cuda__order_launch(l->stream, &order);
    int code = cw_cuda__make_launch(&launch, &args, f, l);
    launch.stream = order.stream;
    launch.before = order.before;
    if (code == CW_CUDA_OK) {
        cw_cuda__process.session.title = f->name;
        cw_cuda__registered_to_device(gpu);
        const int status = cowarp_run(gpu, f->image->module, &launch);
        cw_cuda__registered_to_host(gpu);
        if (status != COWARP_OK)
            cw_cuda__launch_failed(gpu, f->name, status);
    } else
        count_failed(&cw_cuda__process, code);
    free(args);
    return code;
}

int cw_cuda__check_launch(struct cowarp_gpu *gpu, struct cw_cuda_function *function, const struct cw_cuda_launch *l)
{
    struct cw_cuda_process *p = &cw_cuda__process;
    struct cowarp_launch probe = {
        .size = sizeof probe, .kernel = function->name, .dynamic_shared_bytes = (uint32_t)l->shared_bytes, .cooperative = l->cooperative};
    if (function->info.refused != NULL) {
        cw_cuda__say("kernel %s cannot run: %s", function->name, function->info.refused);
        return count_denied(p, CW_CUDA_NOT_SUPPORTED);
    }
    int code = check_shape(function, l);
    if (code != CW_CUDA_OK)
        return count_failed(p, code);
    memcpy(probe.grid, l->grid, sizeof probe.grid);
    memcpy(probe.block, l->block, sizeof probe.block);
    code = check_room(gpu, function, &probe, l->cooperative);
    if (code == CW_CUDA_COOPERATIVE)
        return count_failed(p, code);
    return code != CW_CUDA_OK ? count_denied(p, code) : code;
}

int cw_cuda__carry_out_launch(struct cw_cuda_function *function, const struct cw_cuda_launch *launch)
{
    struct cowarp_gpu *gpu;
    int code = cw_cuda__gpu(&gpu);
    if (code == CW_CUDA_OK)
        code = cw_cuda__check_launch(gpu, function, launch);
    return code == CW_CUDA_OK ? run(gpu, function, launch) : code;
}

int cw_cuda_occupancy(int *blocks, struct cw_cuda_function *function, int threads, size_t shared_bytes)
{
    struct cowarp_gpu *gpu;
    struct cowarp_occupancy o = {0};
    if (threads <= 0 || (unsigned)threads > THREADS_MOST || function->info.refused != NULL) {
        *blocks = 0;
        return threads <= 0 ? CW_CUDA_INVALID_VALUE : CW_CUDA_OK;
    }
    const struct cowarp_launch l = {.size = sizeof l,
                                    .kernel = function->name,
                                    .grid = {1u << 20, 1, 1},
                                    .block = {(uint32_t)threads, 1, 1},
                                    .dynamic_shared_bytes = (uint32_t)shared_bytes};
    cw_cuda__lock();
    const int code = cw_cuda__gpu_as_is(&gpu);
    if (code == CW_CUDA_OK && cowarp_occupancy(gpu, function->image->module, &l, &o) != COWARP_OK)
        o.blocks_per_core = 0;
    *blocks = (int)o.blocks_per_core;
    return cw_cuda__leave(code);
}

int cw_cuda_occupancy_shared(size_t *bytes, struct cw_cuda_function *function, int blocks, int threads)
{
    int code = CW_CUDA_OK, there = 0;
    *bytes = 0;
    for (size_t step = 1u << 20; code == CW_CUDA_OK && step >= 256; step /= 2) {
        code = cw_cuda_occupancy(&there, function, threads, *bytes + step);
        if (code == CW_CUDA_OK && there >= blocks)
            *bytes += step;
    }
    return code;
}

/* One of them, as both APIs have it. */
struct attribute {
    int id, padding;
    uint32_t value[16];
};
enum attribute_id { COOPERATIVE = 2, CLUSTER = 4 };

int cw_cuda_launch_attributes(struct cw_cuda_launch *launch, const void *attributes, unsigned cnt)
{
    const struct attribute *a = attributes;
    for (unsigned i = 0; i < cnt; i++) {
        if (a[i].id == COOPERATIVE)
            launch->cooperative = a[i].value[0] != 0;
        if (a[i].id == CLUSTER && (uint64_t)a[i].value[0] * a[i].value[1] * a[i].value[2] > 1)
            return cw_cuda_missing("a launch in clusters of blocks");
    }
    return CW_CUDA_OK;
}

int cw_cuda_wait(void)
{
    struct cowarp_gpu *gpu;
    cw_cuda__lock();
    cw_cuda__waited_for_all();
    return cw_cuda__leave(cw_cuda__gpu(&gpu));
}
