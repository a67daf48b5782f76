/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/library.h"
#include "ptx/reader.h"

static void free_reader(struct cw_ptx *p)
{
    for (uint32_t i = 0; i < p->fn.n; i++) {
        struct cw_fn *fn = &p->fn.a[i];
        for (uint32_t j = 0; j < fn->table.n; j++)
            free(fn->table.a[j].target);
        free(fn->formal.a);
        free(fn->code.a);
        free(fn->vreg.a);
        free(fn->call.a);
        free(fn->arg.a);
        free(fn->table.a);
        free(fn->pvar.a);
    }
    for (uint32_t i = 0; i < p->refusal.n; i++)
        free(p->refusal.a[i]);
    free(p->refusal.a);
    for (uint32_t i = 0; i < p->var.n; i++) {
        free(p->var.a[i].access.a);
        free(p->var.a[i].cell);
        free(p->var.a[i].init.a);
    }
    for (uint32_t i = 0; i < p->notice.n; i++)
        free(p->notice.a[i]);
    free(p->notice.a);
    for (uint32_t i = 0; i < p->source.n; i++)
        free(p->source.a[i].name);
    free(p->source.a);
    for (uint32_t i = 0; i < p->function.n; i++) {
        free(p->function.a[i].label);
        free(p->function.a[i].name);
    }
    free(p->function.a);
    free(p->loc.a);
    free(p->unusable.a);
    free(p->skipped.a);
    free(p->sym.a);
    free(p->bucket);
    free(p->range.a);
    free(p->vector.a);
    free(p->callee.a);
    free(p->callees.a);
    cw_map_clear(&p->range_reg);
    free(p->ref.a);
    free(p->fn.a);
    free(p->var.a);
    cw_konsts_free(&p->konsts);
    free(p->init.a);
    free(p->ir.reloc.a);
}

/* Whether a function that is left to others to define is this one. */
static bool is_of_library(const struct cw_ptx *p, const struct cw_fn *fn, const struct cw_library_function *f)
{
    bool same = fn->len == strlen(f->name) && memcmp(fn->name, f->name, fn->len) == 0;
    same = same && !fn->is_defined && !fn->is_entry && fn->alias == CW_IR_NONE && fn->refused == NULL;
    same = same && fn->formal.n == f->formals && fn->ret_cnt == f->results;
    for (uint32_t i = 0; same && i < f->formals; i++)
        same = p->var.a[fn->formal.a[i]].bytes == f->bytes[i];
    return same;
}

/* The number of the function that is; CW_IR_NONE: nobody wants it. */
static uint32_t who_wants(const struct cw_ptx *p, const struct cw_library_function *f)
{
    for (uint32_t i = 0; i < p->fn.n; i++)
        if (is_of_library(p, &p->fn.a[i], f))
            return i;
    return CW_IR_NONE;
}

/* Its functions are read all together, when one of them is wanted. */
static void device_runtime(struct cw_ptx *p)
{
    const struct cw_library_function *f;
    bool any = false;
    for (uint32_t i = 0; (f = cw_ptx_library_at(i)) != NULL && p->ir.status == CW_OK; i++)
        any = any || (f->text == NULL && who_wants(p, f) != CW_IR_NONE);
    if (any)
        cw_ptx_further(p, cw_ptx_device_runtime);
    for (uint32_t i = 0; any && i < p->fn.n; i++)
        p->fn.a[i].is_library |= p->fn.a[i].len > 10 && memcmp(p->fn.a[i].name, "__cudaCDP2", 10) == 0;
}

/* Reads the definitions of what the module has declared and a toolkit would link to it. */
static void library(struct cw_ptx *p)
{
    const struct cw_library_function *f;
    bool has_heap = false;
    device_runtime(p);
    for (uint32_t i = 0; (f = cw_ptx_library_at(i)) != NULL; i++) {
        const uint32_t id = p->ir.status == CW_OK && f->text != NULL ? who_wants(p, f) : CW_IR_NONE;
        if (id == CW_IR_NONE)
            continue;
        if (f->has_heap && !has_heap)
            cw_ptx_further(p, cw_ptx_library_heap);
        has_heap |= f->has_heap;
        cw_ptx_further(p, f->text);
        p->fn.a[id].is_library = 1;
        p->fn.a[id].has_heap = f->has_heap;
    }
}

/* Micro-ops of the function `entry`, or what is left of a kernel that cannot run. */
static void read_kernel(struct cw_ptx *p, uint32_t entry, uint32_t index)
{
    struct cw_kernel *kernel = &p->module->kernel[index];
    struct cw_fn *fn = &p->fn.a[entry];
    const uint32_t relocs = p->ir.reloc.n;
    if (fn->refused == NULL)
        cw_ptx_emit_kernel(p, entry, kernel, index);
    cw_ptx_refuse(p, fn);
    if (fn->refused == NULL || p->ir.status != CW_OK)
        return;
    p->ir.reloc.n = relocs;
    cw_kernel_free(kernel);
    *kernel = (struct cw_kernel){0};
    cw_ptx_emit_refused(p, entry, kernel);
}

static void kernels(struct cw_ptx *p)
{
    struct cw_module *m = p->module;
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->fn.n; i++)
        n += p->fn.a[i].is_entry && p->fn.a[i].is_defined;
    m->kernel = cw_ir_alloc(&p->ir, n, sizeof(*m->kernel));
    for (uint32_t i = 0; i < p->fn.n && p->ir.status == CW_OK; i++) {
        if (!p->fn.a[i].is_entry || !p->fn.a[i].is_defined)
            continue;
        read_kernel(p, i, m->kernel_cnt);
        m->kernel[m->kernel_cnt++].address = cw_ptx_code_address(i);
    }
}

static void symbols(struct cw_ptx *p)
{
    struct cw_module *m = p->module;
    m->symbol = cw_ir_alloc(&p->ir, p->var.n, sizeof(*m->symbol));
    for (uint32_t i = 0; i < p->var.n && p->ir.status == CW_OK; i++) {
        const struct cw_var *v = &p->var.a[i];
        if ((v->space != CW_VAR_GLOBAL && v->space != CW_VAR_CONST) || v->is_extern || v->unusable != 0)
            continue;
        m->symbol[m->symbol_cnt++] = (struct cw_symbol){.name = cw_ir_strdup(&p->ir, v->name, v->len),
                                                        .type = cw_ptype_info[v->ptype].type,
                                                        .space = v->space == CW_VAR_CONST ? CW_SPACE_CONST : CW_SPACE_GLOBAL,
                                                        .offset = v->offset,
                                                        .bytes = v->bytes};
    }
}

/* What the text says beside its kernels becomes the module's. */
static void hand_over(struct cw_ptx *p)
{
    struct cw_module *m = p->module;
    m->reloc = p->ir.reloc.a;
    m->reloc_cnt = p->ir.reloc.n;
    p->ir.reloc.a = NULL;
    m->notice = p->notice.a;
    m->notice_cnt = p->notice.n;
    p->notice.a = NULL;
    p->notice.n = 0;
    m->loc = p->loc.a;
    m->loc_cnt = p->loc.n;
    p->loc.a = NULL;
    m->source = p->source.a;
    m->source_cnt = p->source.n;
    p->source.a = NULL;
    p->source.n = 0;
    m->function = p->function.a;
    m->function_cnt = p->function.n;
    p->function.a = NULL;
    p->function.n = 0;
}

static void read_module(struct cw_ptx *p)
{
    cw_ptx_opcodes_init(p);
    cw_ptx_reserve_shared(p);
    cw_ptx_module(p);
    library(p);
    if (p->ir.status == CW_OK)
        cw_ptx_check_calls(p);
    if (p->ir.status == CW_OK && p->const_bytes > CW_WINDOW_BYTES)
        cw_ptx_fail_at(p, CW_EUNSUP, 1, 1, "constant variables take more than %u bytes", (uint32_t)CW_WINDOW_BYTES);
    if (p->ir.status == CW_OK)
        cw_ptx_resolve_inits(p);
    if (p->ir.status == CW_OK)
        kernels(p);
    if (p->ir.status == CW_OK)
        symbols(p);
    if (p->ir.status == CW_OK)
        hand_over(p);
}

int cw_ptx_load(struct cw_module **out, const char *text, size_t length, const char *file, const struct cw_intrinsic *const *intrinsics,
                const struct cw_ir_wishes *wishes, struct cw_error *err)
{
    *out = NULL;
    if (length > UINT32_MAX / 2)
        return cw_fail(err, CW_EUNSUP, "%s: larger than 2 GiB", file);
    struct cw_module *m = calloc(1, sizeof(*m));
    struct cw_ptx *p = calloc(1, sizeof(*p));
    struct cw_error own;
    int status = CW_ENOMEM;
    if (m != NULL && p != NULL) {
        p->ir.err = err != NULL ? err : &own; /* its text is kept of kernels that cannot run */
        p->ir.file = file;
        p->ir.failed = cw_ptx_failed;
        p->text = text;
        p->length = length;
        p->intrinsics = intrinsics;
        p->ir.profile = wishes != NULL ? wishes->profile : NULL;
        p->ir.machine = wishes != NULL ? wishes->machine : NULL;
        p->ir.names = wishes != NULL && wishes->names;
        p->module = m;
        p->guard = CW_IR_NONE;
        cw_lex_init(&p->lex, text, length);
        m->file = cw_ir_strdup(&p->ir, file, (uint32_t)strlen(file));
        if (p->ir.status == CW_OK)
            read_module(p);
        free_reader(p);
        status = p->ir.status;
    } else {
        cw_fail(err, CW_ENOMEM, "%s: out of memory", file);
    }
    free(p);
    if (status != CW_OK)
        cw_module_destroy(m);
    else
        *out = m;
    return status;
}
