/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: modules, symbols, kernel launches. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api.h"
#include "file/in_file.h"
#include "mech/mechs.h"
#include "ptx/lock_form.h"
#include "ptx/ptx.h"

static int unusable(struct cowarp_gpu *gpu)
{
    if (!gpu->failed)
        return CW_OK;
    return cw_fail(&gpu->err, CW_EINVAL, "this GPU has stopped with an error before; reset it (cowarp_reset) or create a new one");
}

/* Gives the module's .global variables their memory and their first values. They lie at the top of device memory, so that buffers have the
 * same addresses, and runs the same cycles, whether they are allocated before a module is loaded or after it. */
static int place(struct cowarp_gpu *gpu, struct cowarp_module *m)
{
    const uint64_t bytes = m->module->global_bytes;
    int status = CW_OK;
    if (bytes > 0)
        status = cw_memory_alloc_top(cw_gpu_memory(gpu->gpu), &m->global_base, bytes, CW_REGION_MODULE, &gpu->err);
    if (status == CW_OK)
        status = cw_module_place(m->module, m->global_base, &gpu->err);
    for (uint32_t i = 0; status == CW_OK && i < m->module->kernel_cnt; i++)
        status = cw_exec_bind(&m->module->kernel[i], &gpu->err);
    if (status == CW_OK && bytes > 0)
        cw_memory_write(cw_gpu_memory(gpu->gpu), m->global_base, m->module->global_image, bytes);
    return status;
}

/* Reads the text, in its lock form when the system asks for that. */
static int read_module(struct cowarp_gpu *gpu, struct cowarp_module *m, const char *text, size_t length, const char *name,
                       const struct cw_intrinsic *const *intrinsics)
{
    char *locked = NULL;
    size_t locked_length = length;
    int status = CW_OK;
    const struct cw_ir_wishes wishes = {.profile = cowarp__lcp_profile(gpu),
                                        .machine = gpu->config.core_lowering == CW_LOWERING_PTXAS ? &gpu->config : NULL,
                                        .names = gpu->is_debugged || gpu->profile != NULL};
    if (gpu->system != NULL && gpu->system->lock_form)
        status = cw_ptx_lock_form(&locked, &locked_length, text, length, name, "tx_begin", "tx_commit", &gpu->err);
    if (status == CW_OK)
        status = cw_ptx_load(&m->module, locked != NULL ? locked : text, locked_length, name, intrinsics, &wishes, &gpu->err);
    if (status == CW_OK && (gpu->profile != NULL || gpu->is_debugged || gpu->konata != NULL) &&
        (m->text = strndup(locked != NULL ? locked : text, locked_length)) == NULL)
        status = cw_fail(&gpu->err, CW_ENOMEM, "%s: out of memory", name);
    free(locked);
    return status;
}

static void tell_refused(const struct cowarp_gpu *gpu, const struct cw_module *m)
{
    for (uint32_t i = 0; i < m->notice_cnt && gpu->on_message != NULL; i++)
        gpu->on_message(gpu->context, m->notice[i]);
    for (uint32_t i = 0; i < m->kernel_cnt; i++) {
        struct cw_error text;
        if (m->kernel[i].refused == NULL || gpu->on_message == NULL)
            continue;
        cw_fail(&text, CW_OK, "kernel %s of %s cannot run: %s", m->kernel[i].name, m->file, m->kernel[i].refused);
        gpu->on_message(gpu->context, text.text);
    }
}

int cowarp_load(struct cowarp_gpu *gpu, struct cowarp_module **module, const char *text, size_t length, const char *name)
{
    *module = NULL;
    int status = unusable(gpu);
    if (status != CW_OK)
        return status;
    struct cowarp_module *m = calloc(1, sizeof *m);
    if (m == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "%s: out of memory", name);
    /* all that the build knows: a kernel may be loaded on a GPU without the mechanism, and is refused when it is launched */
    const struct cw_intrinsic **intrinsics = calloc(cw_mech_cnt() + 1, sizeof *intrinsics);
    if (intrinsics != NULL)
        cw_mech_intrinsics(intrinsics);
    status = intrinsics != NULL ? read_module(gpu, m, text, length, name, intrinsics) : CW_ENOMEM;
    free(intrinsics);
    if (status == CW_OK)
        status = cowarp__manifest_text(gpu, "module", name, text, length);
    if (status == CW_OK)
        status = place(gpu, m);
    if (status != CW_OK) {
        if (m->global_base != 0)
            cw_memory_free(cw_gpu_memory(gpu->gpu), m->global_base, NULL);
        cw_module_destroy(m->module);
        free(m->text);
        free(m);
        return status;
    }
    tell_refused(gpu, m->module);
    m->program_base = gpu->program_bytes;
    gpu->program_bytes += cw_gpu_program_bytes(m->module);
    m->next = gpu->modules;
    gpu->modules = m;
    *module = m;
    return CW_OK;
}

/* What compilers, archivers and editors make of PTX, by its first bytes; NULL: none of these. */
static const char *foreign(const char *bytes, size_t length)
{
    static const struct {
        const char *begin;
        const char *what;
    } kinds[] = {
        {"\177ELF", "an ELF file (a program, a library or a cubin); 'cuobjdump -ptx FILE' prints the PTX that is in it"},
        {"\x50\xed\x55\xba", "a fatbinary; 'cuobjdump -ptx FILE' prints the PTX that is in it"},
        {"\x1f\x8b", "compressed by gzip; gunzip it first"},
        {"\375"
         "7zXZ",
         "compressed by xz; unxz it first"},
        {"\x28\xb5\x2f\xfd", "compressed by Zstandard; unzstd it first"},
        {"BZh", "compressed by bzip2; bunzip2 it first"},
        {"PK\x03\x04", "a ZIP archive; unzip it first"},
        {"!<arch>\n", "an archive of object files; 'cuobjdump -ptx FILE' prints the PTX that is in it"},
        {"BC\xc0\xde", "LLVM bitcode; 'llc -march=nvptx64 FILE' makes PTX of it"},
        {"\xff\xfe", "text in UTF-16; save it as ASCII or UTF-8"},
        {"\xfe\xff", "text in UTF-16; save it as ASCII or UTF-8"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (length >= strlen(kinds[i].begin) && memcmp(bytes, kinds[i].begin, strlen(kinds[i].begin)) == 0)
            return kinds[i].what;
    return NULL;
}

/* Before the reader shows a line of it: is this text at all? */
static int check_text(struct cowarp_gpu *gpu, const char *text, size_t length, const char *path)
{
    const char *what = foreign(text, length);
    uint32_t line = 1;
    if (what != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: is %s", path, what);
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        const bool end = c == 0 && i + 1 == length; /* as embedded text has it */
        if (c < 0x20 && (c < '\t' || c > '\r') && !end)
            return cw_fail(&gpu->err, CW_EINVAL, "%s:%" PRIu32 ": a byte that is no text, so this is no PTX file", path, line);
        line += c == '\n';
    }
    return CW_OK;
}

int cowarp_load_file(struct cowarp_gpu *gpu, struct cowarp_module **module, const char *path)
{
    char *text;
    size_t length = 0;
    *module = NULL;
    int status = unusable(gpu);
    if (status == CW_OK)
        status = cw_in_file_read(&text, &length, path, &gpu->err);
    if (status != CW_OK)
        return status;
    status = check_text(gpu, text, length, path);
    if (status == CW_OK)
        status = cowarp_load(gpu, module, text, length, path);
    free(text);
    return status;
}

/* Bytes of a variable: constants are the module's, everything else is in device memory. */
struct place {
    uint8_t *constant; /* NULL: at `device` */
    uint64_t device;
};

static int find_bytes(struct cowarp_gpu *gpu, const struct cowarp_module *module, const char *name, uint64_t offset, uint64_t bytes,
                      struct place *place)
{
    const struct cw_module *m = module->module;
    const struct cw_symbol *s = cw_module_symbol(m, name);
    if (s == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: has no variable '%s'", m->file, name);
    if (offset > s->bytes || bytes > s->bytes - offset)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: variable '%s' has %" PRIu64 " bytes; %" PRIu64 " at offset %" PRIu64 " are not in it",
                       m->file, name, s->bytes, bytes, offset);
    *place = s->space == CW_SPACE_CONST ? (struct place){.constant = m->const_image + s->offset + offset}
                                        : (struct place){.device = module->global_base + s->offset + offset};
    return CW_OK;
}

int cowarp_symbol_write(struct cowarp_gpu *gpu, struct cowarp_module *module, const char *name, uint64_t offset, const void *data,
                        uint64_t bytes)
{
    struct place to = {0};
    int status = find_bytes(gpu, module, name, offset, bytes, &to);
    if (status == CW_OK && to.constant != NULL) {
        memcpy(to.constant, data, bytes);
        cw_gpu_constants_written(gpu->gpu);
    } else if (status == CW_OK && bytes > 0)
        cw_memory_write(cw_gpu_memory(gpu->gpu), to.device, data, bytes);
    return status;
}

int cowarp_symbol_read(struct cowarp_gpu *gpu, const struct cowarp_module *module, const char *name, uint64_t offset, void *data,
                       uint64_t bytes)
{
    struct place from = {0};
    int status = find_bytes(gpu, module, name, offset, bytes, &from);
    if (status == CW_OK && from.constant != NULL)
        memcpy(data, from.constant, bytes);
    else if (status == CW_OK && bytes > 0)
        cw_memory_read(cw_gpu_memory(gpu->gpu), from.device, data, bytes);
    return status == CW_OK && from.constant == NULL ? cowarp__saved_read(gpu, data, bytes) : status;
}

int cowarp_symbol(struct cowarp_gpu *gpu, const struct cowarp_module *module, const char *name, uint64_t *address, uint64_t *bytes)
{
    const struct cw_symbol *s = cw_module_symbol(module->module, name);
    if (s == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: has no variable '%s'", module->module->file, name);
    *bytes = s->bytes;
    if (s->space != CW_SPACE_GLOBAL)
        return cw_fail(&gpu->err, CW_EINVAL,
                       "%s: variable '%s' is not in .global and has no address in device memory; use cowarp_symbol_write",
                       module->module->file, name);
    *address = module->global_base + s->offset;
    return CW_OK;
}

int cowarp_kernel_at(const struct cowarp_module *module, uint32_t i, const char **name)
{
    if (i >= module->module->kernel_cnt)
        return 0;
    *name = module->module->kernel[i].name;
    return 1;
}

static enum cowarp_param_kind kind_of(const struct cw_kernel_param *p)
{
    if (p->is_shared_ptr)
        return COWARP_PARAM_SHARED;
    if (p->bytes != cw_type_bytes(p->type))
        return COWARP_PARAM_AGGREGATE;
    return p->type == CW_F16 || p->type == CW_F32 || p->type == CW_F64 ? COWARP_PARAM_FLOAT : COWARP_PARAM_INTEGER;
}

int cowarp_kernel_param_at(const struct cowarp_module *module, const char *kernel, uint32_t i, struct cowarp_param *param)
{
    const struct cw_kernel *k = cw_module_kernel(module->module, kernel);
    if (k == NULL || i >= k->param_cnt)
        return 0;
    const struct cw_kernel_param *p = &k->param[i];
    *param = (struct cowarp_param){.name = p->name, .offset = p->offset, .bytes = p->bytes, .alignment = p->align, .kind = kind_of(p)};
    return 1;
}

int cowarp_kernel_info(struct cowarp_gpu *gpu, const struct cowarp_module *module, const char *kernel, struct cowarp_kernel_info *info)
{
    const struct cw_kernel *k = cw_module_kernel(module->module, kernel);
    if (k == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: no kernel '%s'", module->module->file, kernel);
    if (info->size == 0 || info->size > sizeof *info)
        return cw_fail(&gpu->err, CW_EINVAL, "struct cowarp_kernel_info: its size is %u; this library knows %u bytes", (unsigned)info->size,
                       (unsigned)sizeof *info);
    const struct cowarp_kernel_info all = {.size = info->size,
                                           .static_shared_bytes = k->shared_bytes,
                                           .local_bytes = k->local_bytes,
                                           .live_registers = k->live_regs,
                                           .max_threads = k->max_threads,
                                           .dynamic_shared = k->uses_dynamic_shared,
                                           .constant_bytes = module->module->const_bytes,
                                           .refused = k->refused};
    memcpy(info, &all, info->size);
    return CW_OK;
}

static int find_kernel(struct cowarp_gpu *gpu, const struct cw_module *m, const char *name, const struct cw_kernel **kernel)
{
    const char *near = NULL;
    *kernel = cw_module_kernel(m, name);
    if (*kernel != NULL)
        return CW_OK;
    if (m->kernel_cnt == 0)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: holds no kernel (.entry)", m->file);
    const char **list = calloc(m->kernel_cnt, sizeof *list);
    if (list != NULL) {
        for (uint32_t i = 0; i < m->kernel_cnt; i++)
            list[i] = m->kernel[i].name;
        near = cw_nearest(name, list, m->kernel_cnt);
        free(list);
    }
    if (near != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: no kernel '%s'; did you mean '%s'?", m->file, name, near);
    return cw_fail(&gpu->err, CW_EINVAL, "%s: no kernel '%s'; it holds '%s'%s", m->file, name, m->kernel[0].name,
                   m->kernel_cnt > 1 ? " and others" : "");
}

/* Bits of an argument, and how many bytes its type has. */
static uint64_t arg_bits(const struct cowarp_arg *a, uint32_t *bytes)
{
    uint64_t bits = 0;
    *bytes = a->type == COWARP_ARG_U32 || a->type == COWARP_ARG_S32 || a->type == COWARP_ARG_F32 ? 4 : 8;
    memcpy(&bits, &a->value, *bytes);
    return bits;
}

/* Parameters of one and two bytes take a 32-bit argument that they can hold. */
static bool fits(const struct cowarp_arg *a, uint32_t bytes)
{
    const unsigned bits = 8 * bytes;
    if (a->type == COWARP_ARG_U32)
        return a->value.u32 >> bits == 0;
    return a->type == COWARP_ARG_S32 && a->value.s32 >= -(1 << (bits - 1)) && a->value.s32 < 1 << bits;
}

/* A struct or an array. */
static int place_bytes(struct cowarp_gpu *gpu, const struct cw_kernel *k, uint32_t i, const struct cowarp_bytes *b, uint8_t *block)
{
    const struct cw_kernel_param *p = &k->param[i];
    if (b == NULL || b->data == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: argument %u (%s): there are no bytes (NULL)", k->name, (unsigned)i + 1, p->name);
    if (p->is_shared_ptr)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: argument %u (%s): the parameter points to shared memory; give a size in bytes (local)",
                       k->name, (unsigned)i + 1, p->name);
    if (b->bytes != p->bytes)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: argument %u (%s): the parameter has %u bytes, the argument %" PRIu64, k->name,
                       (unsigned)i + 1, p->name, (unsigned)p->bytes, b->bytes);
    memcpy(block + p->offset, b->data, p->bytes);
    return CW_OK;
}

static int place_arg(struct cowarp_gpu *gpu, const struct cw_kernel *k, uint32_t i, const struct cowarp_arg *a, uint8_t *block)
{
    const struct cw_kernel_param *p = &k->param[i];
    uint32_t bytes;
    if (a->type == COWARP_ARG_BYTES)
        return place_bytes(gpu, k, i, a->value.bytes, block);
    const uint64_t bits = arg_bits(a, &bytes);
    const bool local = a->type == COWARP_ARG_LOCAL;
    if (p->is_shared_ptr && !local)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: argument %u (%s): the parameter points to shared memory; give a size in bytes (local)",
                       k->name, (unsigned)i + 1, p->name);
    if (local && p->bytes < 4)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: argument %u (%s): a parameter of %u bytes is no pointer to shared memory", k->name,
                       (unsigned)i + 1, p->name, (unsigned)p->bytes);
    if (local)
        bytes = p->bytes;
    if (local && bytes < 8 && bits >> (8 * bytes) != 0)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: argument %u (%s): too much shared memory", k->name, (unsigned)i + 1, p->name);
    if (p->bytes < 4 && bytes == 4 && fits(a, p->bytes))
        bytes = p->bytes;
    if (bytes != p->bytes)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: argument %u (%s): the parameter has %u bytes, the argument %u", k->name, (unsigned)i + 1,
                       p->name, (unsigned)p->bytes, (unsigned)bytes);
    memcpy(block + p->offset, &bits, bytes);
    return CW_OK;
}

static double host_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A launch that stopped before its end was not judged. */
static void note_oracle(struct cowarp_gpu *gpu, int status)
{
    const struct cw_serial_report *r = cw_gpu_serial_report(gpu->gpu);
    gpu->oracle[0] = '\0';
    if (gpu->check_serial && status == CW_ECHECK)
        snprintf(gpu->oracle, sizeof gpu->oracle, "%s", r->text);
    else if (gpu->check_serial && status == CW_OK && r->committed == 0)
        snprintf(gpu->oracle, sizeof gpu->oracle, "no transaction has committed, so there was nothing to judge");
    else if (gpu->check_serial && status == CW_OK)
        snprintf(gpu->oracle, sizeof gpu->oracle,
                 "serializable: %" PRIu64 " transactions, %" PRIu64 " words read, %" PRIu64 " written; %" PRIu64 " of %" PRIu64
                 " aborted attempts saw an inconsistent snapshot",
                 r->committed, r->reads, r->writes, r->inconsistent_aborted, r->aborted);
    size_t at = strlen(gpu->oracle);
    if (gpu->check_serial && status == CW_OK && r->unordered_aborted != 0)
        snprintf(gpu->oracle + at, sizeof gpu->oracle - at, ", %" PRIu64 " a whole one that no order of the commits explains",
                 r->unordered_aborted);
    at = strlen(gpu->oracle);
    if (gpu->real_time && status == CW_OK && r->committed != 0)
        snprintf(gpu->oracle + at, sizeof gpu->oracle - at, "; out of real-time order: %" PRIu64 "%s%s", r->early,
                 r->early != 0 ? ", as " : "", r->real_time);
}

static void note_persist_oracle(struct cowarp_gpu *gpu, int status)
{
    const struct cw_persist_report *r = cw_gpu_persist_report(gpu->gpu);
    gpu->persist_oracle[0] = '\0';
    if (gpu->check_persist && status == CW_ECHECK)
        snprintf(gpu->persist_oracle, sizeof gpu->persist_oracle, "%s", r->text);
    else if (gpu->check_persist && status == CW_OK)
        snprintf(gpu->persist_oracle, sizeof gpu->persist_oracle, "persist order: %" PRIu64 " persists, %" PRIu64 " orderings, right",
                 r->persists, r->orderings);
}

/* A launch as the chip takes it. */
struct prepared {
    const struct cowarp_module *module;
    uint8_t *block;
    bool *local;
    struct cw_gpu_request request;
    const char *registers_from; /* NULL: the chip says */
};

/* What the user says of a thread's registers; 0: nothing. */
static uint32_t registers(const struct cowarp_gpu *gpu, const struct cw_kernel *k, const struct cowarp_launch *l, const char **from)
{
    const uint32_t said[] = {l->registers, gpu->registers, cowarp__usage_registers(gpu, k->name)};
    static const char *const who[] = {"launch", "options", "resource usage"};
    for (uint32_t i = 0; i < sizeof said / sizeof said[0]; i++)
        if (said[i] != 0) {
            *from = who[i];
            return said[i];
        }
    *from = NULL;
    return 0;
}

static bool is_functional(const struct cowarp_gpu *gpu, const struct cowarp_launch *l)
{
    const bool timed = gpu->launches >= gpu->timed_begin && gpu->launches < gpu->timed_end;
    return l->functional != 0 || (gpu->functional && !timed);
}

static int prepare(struct cowarp_gpu *gpu, struct prepared *p, const struct cowarp_module *module, const struct cw_kernel *k,
                   const struct cowarp_launch *l)
{
    int status = CW_OK;
    *p = (struct prepared){.module = module};
    if (l->arg_count > 0) {
        p->block = calloc(1, k->param_bytes + 1u);
        p->local = calloc(k->param_cnt + 1u, sizeof *p->local);
        status = p->block != NULL && p->local != NULL ? CW_OK : cw_fail(&gpu->err, CW_ENOMEM, "%s: out of memory", k->name);
    }
    for (uint32_t i = 0; status == CW_OK && i < l->arg_count; i++) {
        p->local[i] = l->args[i].type == COWARP_ARG_LOCAL;
        status = place_arg(gpu, k, i, &l->args[i], p->block);
    }
    p->request = (struct cw_gpu_request){.module = module->module,
                                         .kernel = k,
                                         .program_base = module->program_base,
                                         .dynamic_shared_bytes = l->dynamic_shared_bytes,
                                         .static_warps = l->static_warps != 0,
                                         .baseline = l->baseline != 0,
                                         .cooperative = l->cooperative != 0,
                                         .functional = is_functional(gpu, l),
                                         .stream = l->size >= sizeof *l ? l->stream % COWARP_STREAMS : 0,
                                         .before = l->size >= sizeof *l ? l->before : NULL, /* older callers have none */
                                         .param = p->block,
                                         .local_size = p->local};
    p->request.registers = registers(gpu, k, l, &p->registers_from);
    memcpy(p->request.grid, l->grid, sizeof l->grid);
    memcpy(p->request.block, l->block, sizeof l->block);
    return status;
}

static void release(struct prepared *p)
{
    free(p->block);
    free(p->local);
}

static void add_word(char text[64], const char *word)
{
    const size_t used = strlen(text);
    snprintf(text + used, 64 - used, "%s%s", used > 0 ? ", " : "", word);
}

static void name_limits(struct cowarp_occupancy *o, uint32_t room)
{
    o->limit[0] = '\0';
    if (o->by_grid < room) {
        add_word(o->limit, "grid");
        return;
    }
    if (o->by_registers == room)
        add_word(o->limit, "registers");
    if (o->by_shared == room)
        add_word(o->limit, "shared memory");
    if (o->by_warps == room)
        add_word(o->limit, "warps");
    if (o->by_blocks == room)
        add_word(o->limit, "blocks");
}

static int find_occupancy(struct cowarp_gpu *gpu, struct cowarp_occupancy *o, const struct prepared *p)
{
    static const char *const from[] = {
        [CW_REGISTERS_LIVE] = "liveness",        [CW_REGISTERS_MAXNREG] = ".maxnreg", [CW_REGISTERS_BLOCK] = ".maxntid",
        [CW_REGISTERS_BLOCKS] = ".minnctapersm", [CW_REGISTERS_THREAD] = "thread",    [CW_REGISTERS_LAUNCHED] = "block",
        [CW_REGISTERS_REQUESTED] = "launch"};
    struct cw_gpu_occupancy found;
    const struct cw_gpu_request *q = &p->request;
    const int status = cw_gpu_occupancy(gpu->gpu, &found, q, &gpu->err);
    if (status != CW_OK)
        return status;
    *o = (struct cowarp_occupancy){.kernel = q->kernel->name,
                                   .grid_blocks = (uint64_t)q->grid[0] * q->grid[1] * q->grid[2],
                                   .threads = found.threads,
                                   .warps = found.warps,
                                   .registers = found.registers,
                                   .live_registers = q->kernel->live_regs,
                                   .registers_from = p->registers_from != NULL ? p->registers_from : from[found.registers_from],
                                   .block_registers = found.core.block_registers,
                                   .block_shared_bytes = found.core.block_shared,
                                   .blocks_per_core = found.blocks,
                                   .warps_per_core = found.blocks * found.warps,
                                   .by_registers = found.core.by_registers,
                                   .by_shared = found.core.by_shared,
                                   .by_warps = found.core.by_warps,
                                   .by_blocks = found.core.by_blocks,
                                   .by_grid = found.by_grid};
    name_limits(o, found.core.room);
    return CW_OK;
}

/* The launch has been found right. */
static int run_prepared(struct cowarp_gpu *gpu, struct prepared *p)
{
    const char *kernel = p->request.kernel->name;
    const double start = host_seconds();
    gpu->launches++;
    cowarp__saved_launch(gpu, &p->request);
    cowarp__profile_begins(gpu, p->module, &p->request);
    if (gpu->timeline != NULL)
        cw_timeline_launch(gpu->timeline, kernel);
    if (gpu->debug != NULL)
        cw_debug_launch(gpu->debug,
                        &(struct cw_debug_launch){p->request.module, p->request.kernel, p->module->text, p->module->global_base}, 1);
    int status = cw_gpu_launch(gpu->gpu, &p->request, &gpu->err);
    if (gpu->timeline != NULL)
        cw_timeline_launch(gpu->timeline, NULL);
    if (gpu->debug != NULL)
        cw_debug_launched(gpu->debug, status, &gpu->err);
    gpu->host_seconds += host_seconds() - start;
    status = cowarp__wave_launched(gpu, status);
    const int noted = cowarp__parts_launched(gpu, kernel, p->request.stream);
    status = status == CW_OK ? noted : status;
    gpu->failed = status != CW_OK;
    note_oracle(gpu, status);
    note_persist_oracle(gpu, status);
    return status;
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Blocks that wait for each other have to be there at once. Registers are none of a functional launch's limits. */
static int check_cooperative(struct cowarp_gpu *gpu, const struct cowarp_launch *l, const struct cowarp_occupancy *o)
{
    const uint32_t without = lesser(lesser(o->by_shared, o->by_warps), o->by_blocks);
    const uint64_t room = (uint64_t)(is_functional(gpu, l) ? without : o->blocks_per_core) * gpu->config.core_count;
    if (l->cooperative == 0 || o->grid_blocks <= room || o->blocks_per_core == 0)
        return CW_OK;
    return cw_fail(&gpu->err, CW_EINVAL, "%s: a cooperative launch of %" PRIu64 " blocks; the cores have room for %" PRIu64 " at once (%s)",
                   o->kernel, o->grid_blocks, room, o->limit);
}

/* All of a launch but the run. */
static int make_ready(struct cowarp_gpu *gpu, struct prepared *p, struct cowarp_module *module, const struct cw_kernel *k,
                      const struct cowarp_launch *l)
{
    struct cowarp_occupancy occupancy;
    int status = prepare(gpu, p, module, k, l);
    if (status == CW_OK)
        status = find_occupancy(gpu, &occupancy, p);
    if (status == CW_OK)
        status = check_cooperative(gpu, l, &occupancy);
    if (status == CW_OK)
        status = cowarp__heap_place(gpu, module);
    if (status == CW_OK)
        status = cowarp__children_place(gpu, module);
    if (status == CW_OK)
        status = cowarp__manifest_launch(gpu, module->module->file, l);
    if (status == CW_OK && p->registers_from == NULL)
        status = cowarp__usage_missing(gpu, k->name);
    if (status == CW_OK && occupancy.blocks_per_core > 0)
        status = cowarp__occupancy_note(gpu, &occupancy);
    return status;
}

/* What is asked of a launch before its arguments are looked at. */
static int take_launch(struct cowarp_gpu *gpu, struct cowarp_launch *l, const struct cowarp_launch *given, const struct cw_module *m,
                       const struct cw_kernel **k)
{
    int status = unusable(gpu);
    if (status == CW_OK)
        status = cowarp__take(l, sizeof *l, given, "struct cowarp_launch", &gpu->err);
    if (status == CW_OK && l->kernel == NULL)
        status = cw_fail(&gpu->err, CW_EINVAL, "struct cowarp_launch: names no kernel");
    if (status == CW_OK)
        status = find_kernel(gpu, m, l->kernel, k);
    if (status == CW_OK && (*k)->refused != NULL)
        status = cw_fail(&gpu->err, (*k)->refused_status, "%s", (*k)->refused);
    return status;
}

static int check_arguments(struct cowarp_gpu *gpu, const struct cowarp_launch *l, const struct cw_kernel *k)
{
    if (l->arg_count != k->param_cnt)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: takes %u arguments, given %u", k->name, (unsigned)k->param_cnt, (unsigned)l->arg_count);
    if (l->arg_count > 0 && l->args == NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "%s: takes %u arguments, but args is NULL", k->name, (unsigned)k->param_cnt);
    return CW_OK;
}

static int take_and_prepare(struct cowarp_gpu *gpu, struct prepared *p, struct cowarp_module *module, const struct cowarp_launch *given)
{
    const struct cw_kernel *k;
    struct cowarp_launch l;
    *p = (struct prepared){0};
    int status = take_launch(gpu, &l, given, module->module, &k);
    if (status == CW_OK)
        status = check_arguments(gpu, &l, k);
    if (status == CW_OK)
        status = cowarp__turn(gpu, &l);
    if (status == CW_OK)
        status = cowarp__branches_launch(gpu, k);
    if (status == CW_OK)
        status = cowarp__profile_launch(gpu, module, k);
    if (status == CW_OK)
        status = cowarp__timeline_launch(gpu, module, k);
    return status == CW_OK ? make_ready(gpu, p, module, k, &l) : status;
}

/* What the kernel has launched stands in front of *waiting then. */
static int run_alone(struct cowarp_gpu *gpu, struct cowarp_module *module, const struct cowarp_launch *launch,
                     struct cowarp__child **waiting)
{
    struct prepared p;
    int status = take_and_prepare(gpu, &p, module, launch);
    if (status == CW_OK)
        status = run_prepared(gpu, &p);
    if (status == CW_OK)
        status = cowarp__children_take(gpu, module, p.request.stream, waiting);
    release(&p);
    return status;
}

int cowarp_run(struct cowarp_gpu *gpu, struct cowarp_module *module, const struct cowarp_launch *launch)
{
    struct cowarp__child *waiting = NULL, *child;
    int status = run_alone(gpu, module, launch, &waiting);
    while ((child = cowarp__children_first(&waiting)) != NULL) {
        const struct cowarp_launch *own = cowarp__child_launch(child);
        if (status == CW_OK)
            status = own != NULL ? run_alone(gpu, module, own, &waiting) : cowarp__child_bytes(gpu, child);
        cowarp__child_release(child);
    }
    return status;
}

static int run_one(struct cowarp_gpu *gpu, struct cowarp_work *w)
{
    w->begin = cowarp_microseconds(gpu);
    const int status = w->launch != NULL ? cowarp_run(gpu, w->module, w->launch) : w->call(w->data);
    w->end = cowarp_microseconds(gpu);
    return status;
}

/* Whether work i comes after every kernel before it. before: [count] whether it does, for each. */
static bool is_after_kernels(const struct cowarp_work *work, uint32_t i, bool *before)
{
    bool all = true;
    memset(before, 0, (i + 1) * sizeof *before);
    before[i] = true;
    for (uint32_t k = i + 1; k-- > 0;) {
        for (uint32_t n = 0; before[k] && n < work[k].after_count; n++)
            before[work[k].after[n]] = true;
        all = all && (before[k] || work[k].launch == NULL);
    }
    return all;
}

/* Whether two of the kernels may overlap. Profiles count lines and branches of one kernel at a time. */
static bool overlap(const struct cowarp_gpu *gpu, const struct cowarp_work *work, uint32_t count, bool *before)
{
    bool any = false, all = cw_gpu_runs_together(gpu->gpu) && !gpu->functional && gpu->profile == NULL && gpu->branches == NULL;
    for (uint32_t i = 0; all && i < count; i++) {
        all = work[i].launch == NULL ||
              (work[i].launch->functional == 0 && work[i].launch->cooperative == 0 && !cowarp__launches(work[i].module));
        any = any || (work[i].launch != NULL && !is_after_kernels(work, i, before));
    }
    return all && any;
}

struct together {
    struct cowarp_work *work;
    struct cw_gpu_work *on_gpu;
    struct prepared *prepared;
};

static int call_host(void *context, uint32_t i)
{
    const struct together *t = context;
    return t->work[i].call(t->work[i].data);
}

/* Statistics and times of the works. */
static int note_together(struct cowarp_gpu *gpu, const struct together *t, uint32_t count)
{
    const double us = (double)cw_gpu_clocks(gpu->gpu)->units_per_us;
    const cw_time period = cw_gpu_clocks(gpu->gpu)->period[CW_DOMAIN_CORE];
    int status = CW_OK;
    for (uint32_t i = 0; i < count; i++) {
        const struct cw_gpu_work *w = &t->on_gpu[i];
        t->work[i].begin = (double)w->begin / us;
        t->work[i].end = (double)w->end / us;
        if (status == CW_OK && w->request != NULL)
            status = cowarp__parts_overlapped(gpu, w->request->kernel->name, w->request->stream, (w->end - w->begin) / period, &w->counted);
    }
    return status == CW_OK ? cowarp__parts_launched(gpu, "(what these kernels share)", 0) : status;
}

static int tell_debugger(struct cowarp_gpu *gpu, const struct together *t, uint32_t count)
{
    struct cw_debug_launch *launch = calloc(count + 1u, sizeof *launch);
    uint32_t cnt = 0;
    if (launch == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < count; i++) {
        const struct prepared *p = &t->prepared[i];
        if (t->on_gpu[i].request != NULL)
            launch[cnt++] = (struct cw_debug_launch){p->request.module, p->request.kernel, p->module->text, p->module->global_base};
    }
    cw_debug_launch(gpu->debug, launch, cnt);
    free(launch);
    return CW_OK;
}

static int run_overlapping(struct cowarp_gpu *gpu, struct together *t, uint32_t count)
{
    const double start = host_seconds();
    int status = CW_OK;
    for (uint32_t i = 0; status == CW_OK && i < count; i++) {
        const struct cowarp_work *w = &t->work[i];
        t->on_gpu[i] = (struct cw_gpu_work){
            .after = w->after, .after_cnt = w->after_count, .queue = w->queue % 32, .priority = w->priority, .request = NULL};
        if (w->launch == NULL)
            continue;
        status = take_and_prepare(gpu, &t->prepared[i], w->module, w->launch);
        t->on_gpu[i].request = &t->prepared[i].request;
        gpu->launches++;
    }
    if (status != CW_OK)
        return status;
    if (gpu->timeline != NULL)
        cw_timeline_launch(gpu->timeline, "kernels side by side");
    if (gpu->debug != NULL)
        status = tell_debugger(gpu, t, count);
    if (status == CW_OK)
        status = cw_gpu_launch_together(gpu->gpu, t->on_gpu, count, call_host, t, &gpu->err);
    if (gpu->timeline != NULL)
        cw_timeline_launch(gpu->timeline, NULL);
    if (gpu->debug != NULL)
        cw_debug_launched(gpu->debug, status, &gpu->err);
    gpu->host_seconds += host_seconds() - start;
    status = cowarp__wave_launched(gpu, status);
    const int noted = note_together(gpu, t, count);
    status = status == CW_OK ? noted : status;
    gpu->failed = status != CW_OK;
    return status;
}

int cowarp_run_together(struct cowarp_gpu *gpu, struct cowarp_work *work, uint32_t count)
{
    int status = unusable(gpu);
    for (uint32_t i = 0; status == CW_OK && i < count; i++)
        if (work[i].size != sizeof work[i])
            status = cw_fail(&gpu->err, CW_EINVAL, "struct cowarp_work: its size is %u; this library knows %u bytes",
                             (unsigned)work[i].size, (unsigned)sizeof work[i]);
    for (uint32_t i = 0; status == CW_OK && i < count; i++)
        for (uint32_t k = 0; status == CW_OK && k < work[i].after_count; k++)
            if (work[i].after[k] >= i)
                status = cw_fail(&gpu->err, CW_EINVAL, "work %u comes after work %u, which does not stand before it", (unsigned)i,
                                 (unsigned)work[i].after[k]);
    if (status != CW_OK)
        return status;
    struct together t = {work, calloc(count + 1u, sizeof *t.on_gpu), calloc(count + 1u, sizeof *t.prepared)};
    bool *before = calloc(count + 1u, sizeof *before);
    if (t.on_gpu == NULL || t.prepared == NULL || before == NULL)
        status = cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    else if (overlap(gpu, work, count, before))
        status = run_overlapping(gpu, &t, count);
    else
        for (uint32_t i = 0; status == CW_OK && i < count; i++)
            status = run_one(gpu, &work[i]);
    for (uint32_t i = 0; t.prepared != NULL && i < count; i++)
        release(&t.prepared[i]);
    free(t.on_gpu);
    free(t.prepared);
    free(before);
    return status;
}

int cowarp_occupancy(struct cowarp_gpu *gpu, struct cowarp_module *module, const struct cowarp_launch *given,
                     struct cowarp_occupancy *occupancy)
{
    const struct cw_kernel *k;
    struct cowarp_launch l;
    struct prepared p;
    int status = take_launch(gpu, &l, given, module->module, &k);
    if (status == CW_OK && l.arg_count != 0)
        status = check_arguments(gpu, &l, k);
    if (status != CW_OK)
        return status;
    status = prepare(gpu, &p, module, k, &l);
    if (status == CW_OK)
        status = find_occupancy(gpu, occupancy, &p);
    release(&p);
    return status;
}

double cowarp_host_seconds(const struct cowarp_gpu *gpu)
{
    return gpu->host_seconds;
}
