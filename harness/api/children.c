/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: kernels that a kernel launches. csim/ptx/device_runtime.ptx says how it does that, and why they may run behind it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "ir/children.h"

#define SYMBOL       "cowarp_children"
#define DEFAULT_ROOM 2048u
#define MOST_ROOM    65536u

_Static_assert(sizeof(struct cw_child_head) == CW_CHILD_HEAD && sizeof(struct cw_child) == CW_CHILD_FRONT, "as device_runtime.ptx has it");

struct cowarp__child {
    struct cowarp__child *next;
    struct cw_child seen;
    struct cowarp_launch launch;
    struct cowarp_arg *arg; /* [kernel's parameters] */
    struct cowarp_bytes *bytes;
    uint8_t param[CW_CHILD_PARAM];
};

int cowarp_set_child_launches(struct cowarp_gpu *gpu, uint32_t count)
{
    if (gpu->children != 0)
        return cw_fail(&gpu->err, CW_EINVAL, "child launches: a kernel that launches kernels has run; set their number before that");
    if (count == 0 || count > MOST_ROOM)
        return cw_fail(&gpu->err, CW_EINVAL, "child launches: %" PRIu32 " are not 1 to %u", count, MOST_ROOM);
    gpu->child_room = count;
    return CW_OK;
}

bool cowarp__launches(const struct cowarp_module *module)
{
    return cowarp__has_variable(module, SYMBOL);
}

static void empty(struct cowarp_gpu *gpu)
{
    const struct cw_child_head head = {.room = gpu->child_room};
    cw_memory_write(cw_gpu_memory(gpu->gpu), gpu->children, &head, sizeof head);
}

static int make(struct cowarp_gpu *gpu)
{
    gpu->child_room = gpu->child_room != 0 ? gpu->child_room : DEFAULT_ROOM;
    const uint64_t bytes = CW_CHILD_HEAD + (uint64_t)gpu->child_room * CW_CHILD_STRIDE;
    return cw_memory_alloc_top(cw_gpu_memory(gpu->gpu), &gpu->children, bytes, CW_REGION_CHILDREN, &gpu->err);
}

int cowarp__children_place(struct cowarp_gpu *gpu, const struct cowarp_module *module)
{
    if (!cowarp__launches(module))
        return CW_OK;
    for (uint32_t i = 0; i < module->module->kernel_cnt; i++)
        if (module->module->kernel[i].param_bytes > CW_CHILD_PARAM)
            return cw_fail(&gpu->err, CW_EUNSUP,
                           "%s: has %u bytes of parameters; in a module whose kernels launch kernels there are at most %u",
                           module->module->kernel[i].name, (unsigned)module->module->kernel[i].param_bytes, (unsigned)CW_CHILD_PARAM);
    const int status = gpu->children == 0 ? make(gpu) : CW_OK;
    if (status != CW_OK)
        return status;
    empty(gpu); /* A kernel that has failed leaves children */
    cowarp__give_address(gpu, module, SYMBOL, gpu->children);
    return CW_OK;
}

/* A run that goes on from a file has kernels passed over, and reads what was read when the file was made. */
static int read_bytes(struct cowarp_gpu *gpu, uint64_t at, void *data, uint64_t bytes)
{
    cw_memory_read(cw_gpu_memory(gpu->gpu), at, data, bytes);
    return cowarp__saved_read(gpu, data, bytes);
}

static const struct cw_kernel *kernel_at(const struct cw_module *m, uint64_t address)
{
    for (uint32_t i = 0; i < m->kernel_cnt; i++)
        if (m->kernel[i].address == address)
            return &m->kernel[i];
    return NULL;
}

void cowarp__child_release(struct cowarp__child *child)
{
    free(child->arg);
    free(child->bytes);
    free(child);
}

static bool is_bytes(const struct cowarp__child *c)
{
    return c->seen.kernel == CW_CHILD_COPY || c->seen.kernel == CW_CHILD_SET;
}

static int out_of_memory(struct cowarp_gpu *gpu)
{
    return cw_fail(&gpu->err, CW_ENOMEM, "out of memory for the children of a kernel");
}

/* Its launch, when the parameters have been read. */
static int fill_in(struct cowarp_gpu *gpu, struct cowarp__child *c, const struct cw_kernel *k, uint32_t stream)
{
    c->arg = calloc(k->param_cnt + 1u, sizeof *c->arg);
    c->bytes = calloc(k->param_cnt + 1u, sizeof *c->bytes);
    if (c->arg == NULL || c->bytes == NULL)
        return out_of_memory(gpu);
    for (uint32_t i = 0; i < k->param_cnt; i++) {
        c->bytes[i] = (struct cowarp_bytes){c->param + k->param[i].offset, k->param[i].bytes};
        c->arg[i] = COWARP_BYTES(&c->bytes[i]);
    }
    c->launch = (struct cowarp_launch){.size = sizeof c->launch,
                                       .kernel = k->name,
                                       .dynamic_shared_bytes = c->seen.shared_bytes,
                                       .args = c->arg,
                                       .arg_count = k->param_cnt,
                                       .stream = stream};
    memcpy(c->launch.grid, c->seen.grid, sizeof c->launch.grid);
    memcpy(c->launch.block, c->seen.block, sizeof c->launch.block);
    return CW_OK;
}

static int read_child(struct cowarp_gpu *gpu, const struct cowarp_module *module, uint32_t stream, uint32_t i, struct cowarp__child **child)
{
    const uint64_t at = gpu->children + CW_CHILD_HEAD + (uint64_t)i * CW_CHILD_STRIDE;
    struct cowarp__child *c = calloc(1, sizeof *c);
    *child = c;
    if (c == NULL)
        return out_of_memory(gpu);
    int status = read_bytes(gpu, at, &c->seen, sizeof c->seen);
    if (status != CW_OK || c->seen.turn == 0)
        return status; /* A place that was asked for, and no more */
    if (is_bytes(c))
        return read_bytes(gpu, at + CW_CHILD_FRONT, c->param, sizeof(struct cw_child_bytes));
    const struct cw_kernel *k = kernel_at(module->module, c->seen.kernel);
    if (k == NULL)
        return cw_fail(&gpu->err, CW_EFAULT, "a kernel launches 0x%" PRIx64 ", which is no kernel of %s", c->seen.kernel,
                       module->module->file);
    status = read_bytes(gpu, at + CW_CHILD_FRONT, c->param, k->param_bytes);
    return status == CW_OK ? fill_in(gpu, c, k, stream) : status;
}

static bool is_tail(const struct cowarp__child *c)
{
    return c->seen.stream == CW_CHILD_TAIL;
}

static int by_turn(const void *a, const void *b)
{
    const struct cowarp__child *x = *(struct cowarp__child *const *)a, *y = *(struct cowarp__child *const *)b;
    if (is_tail(x) != is_tail(y))
        return is_tail(x) ? 1 : -1;
    return x->seen.turn < y->seen.turn ? -1 : 1;
}

int cowarp__children_take(struct cowarp_gpu *gpu, const struct cowarp_module *module, uint32_t stream, struct cowarp__child **waiting)
{
    struct cw_child_head head;
    if (!cowarp__launches(module))
        return CW_OK;
    int status = read_bytes(gpu, gpu->children, &head, sizeof head);
    const uint32_t asked = head.asked < head.room ? head.asked : head.room;
    if (status != CW_OK || asked == 0)
        return status;
    struct cowarp__child **child = calloc(asked, sizeof *child);
    status = child != NULL ? CW_OK : out_of_memory(gpu);
    uint32_t cnt = 0;
    for (uint32_t i = 0; status == CW_OK && i < asked; i++) {
        status = read_child(gpu, module, stream, i, &child[cnt]);
        if (status == CW_OK && child[cnt]->seen.turn != 0)
            cnt++;
        else if (child[cnt] != NULL)
            cowarp__child_release(child[cnt]);
    }
    if (status == CW_OK)
        qsort(child, cnt, sizeof *child, by_turn);
    for (uint32_t i = cnt; i-- > 0;) {
        child[i]->next = *waiting;
        *waiting = child[i];
    }
    free(child);
    return status;
}

const struct cowarp_launch *cowarp__child_launch(const struct cowarp__child *child)
{
    return is_bytes(child) ? NULL : &child->launch;
}

int cowarp__child_bytes(struct cowarp_gpu *gpu, const struct cowarp__child *child)
{
    struct cw_memory *memory = cw_gpu_memory(gpu->gpu);
    const bool copies = child->seen.kernel == CW_CHILD_COPY;
    struct cw_child_bytes b;
    uint8_t part[4096];
    memcpy(&b, child->param, sizeof b);
    if (b.cnt != 0 && (!cw_memory_holds(memory, b.to, b.cnt) || (copies && !cw_memory_holds(memory, b.from, b.cnt))))
        return cw_fail(&gpu->err, CW_EFAULT, "a kernel %s %" PRIu64 " bytes at 0x%" PRIx64 ": not in allocated device memory",
                       copies ? "copies" : "sets", b.cnt, !cw_memory_holds(memory, b.to, b.cnt) ? b.to : b.from);
    memset(part, (int)(b.from & 0xff), sizeof part);
    for (uint64_t i = 0, n; i < b.cnt; i += n) {
        n = b.cnt - i < sizeof part ? b.cnt - i : sizeof part;
        if (copies)
            cw_memory_read(memory, b.from + i, part, n);
        cw_memory_write(memory, b.to + i, part, n);
    }
    cowarp_mark_written(gpu, b.to, b.cnt);
    return CW_OK;
}

struct cowarp__child *cowarp__children_first(struct cowarp__child **waiting)
{
    struct cowarp__child *first = *waiting;
    if (first != NULL)
        *waiting = first->next;
    return first;
}
