/* SPDX-License-Identifier: Apache-2.0 */
/* The last step: shared memory laid out, struct cw_kernel filled in. */
#include <stdlib.h>
#include <string.h>

#include "ptx/reader.h"

struct shared_place { /* of a variable in the kernel's shared memory */
    uint32_t var;     /* first, as by_number compares it */
    uint64_t offset;
};

struct out {
    struct cw_ptx *p;
    struct cw_kcode *k;
    struct cw_kernel *kernel;
    uint32_t index;                     /* of the kernel in the module */
    CW_VEC(struct shared_place) shared; /* the variables that the kernel names, by their numbers */
};

/* ---- shared memory: the variables that the kernel names, in the order of their declaration; dynamic memory behind them ---- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t round_up(uint64_t v, uint64_t align)
{
    return align > 1 ? (v + align - 1) & ~(align - 1) : v;
}

/* Adds to o->shared each variable once. */
static void find_shared(struct out *o)
{
    struct cw_ptx *p = o->p;
    CW_VEC(uint32_t) used = {0};
    for (uint32_t i = 0; i < o->k->body.konsts.c.n; i++) {
        uint32_t var = o->k->body.konsts.c.a[i].var;
        if (cw_ptx_is_variable(var) && p->var.a[var].space == CW_VAR_SHARED)
            CW_PUSH(&p->ir, &used, var);
    }
    if (used.n > 0)
        qsort(used.a, used.n, sizeof(*used.a), by_number);
    for (uint32_t i = 0; i < used.n; i++)
        if (i == 0 || used.a[i] != used.a[i - 1])
            CW_PUSH(&p->ir, &o->shared, (struct shared_place){.var = used.a[i]});
    free(used.a);
}

/* The places are the kernel's own: another kernel of the module has the same variable elsewhere. */
static void lay_out_shared(struct out *o)
{
    struct cw_ptx *p = o->p;
    uint64_t bytes = 0;
    find_shared(o);
    for (uint32_t i = 0; i < o->shared.n && p->ir.status == CW_OK; i++) {
        const struct cw_var *v = &p->var.a[o->shared.a[i].var];
        if (v->is_extern)
            continue;
        o->shared.a[i].offset = round_up(bytes, v->align);
        bytes = o->shared.a[i].offset + v->bytes;
        if (bytes > CW_WINDOW_BYTES)
            cw_ptx_fail_at(p, CW_EUNSUP, v->line, 1, "shared variables take more than %u bytes", (uint32_t)CW_WINDOW_BYTES);
    }
    for (uint32_t i = 0; i < o->shared.n && p->ir.status == CW_OK; i++) {
        const struct cw_var *v = &p->var.a[o->shared.a[i].var];
        if (!v->is_extern)
            continue;
        o->shared.a[i].offset = round_up(bytes, v->align);
        o->kernel->uses_dynamic_shared = 1;
    }
    o->kernel->shared_bytes = (uint32_t)bytes;
    for (uint32_t i = 0; i < o->shared.n; i++)
        cw_ptx_name_variable(o->k, &p->var.a[o->shared.a[i].var], CW_SPACE_SHARED, 0, o->shared.a[i].offset);
}

static uint64_t shared_offset(const struct out *o, uint32_t var)
{
    const struct shared_place key = {.var = var}, *place = bsearch(&key, o->shared.a, o->shared.n, sizeof(key), by_number);
    return place != NULL ? place->offset : 0;
}

static void count_reserved(struct out *o)
{
    for (uint32_t i = 0; i < o->k->body.konsts.c.n; i++)
        if (o->k->body.konsts.c.a[i].var == CW_PTX_RESERVED)
            o->kernel->reserved_shared_bytes = CW_RESERVED_SHARED_BYTES;
}

/* ---- what the passes ask of the variables ---- */

static const char *name_of(const void *self, uint32_t var, uint32_t *length)
{
    const struct out *o = self;
    const struct cw_fn *fn = cw_ptx_is_variable(var) ? NULL : &o->p->fn.a[var - CW_PTX_FUNCTION];
    *length = fn != NULL ? fn->len : o->p->var.a[var].len;
    return fn != NULL ? fn->name : o->p->var.a[var].name;
}

static uint64_t offset_of(const void *self, uint32_t var, bool *in_global)
{
    const struct out *o = self;
    *in_global = false;
    if (!cw_ptx_is_variable(var))
        return cw_ptx_code_address(var - CW_PTX_FUNCTION);
    const struct cw_var *v = &o->p->var.a[var];
    *in_global = v->space == CW_VAR_GLOBAL;
    return v->space == CW_VAR_SHARED ? shared_offset(o, var) : v->offset;
}

/* ---- what the host asks of a kernel ---- */

static void parameters(struct out *o, const struct cw_fn *fn)
{
    struct cw_kernel *kernel = o->kernel;
    kernel->param = cw_ir_alloc(&o->p->ir, fn->formal.n, sizeof(*kernel->param));
    kernel->param_bytes = fn->param_bytes;
    for (uint32_t i = 0; i < fn->formal.n && o->p->ir.status == CW_OK; i++) {
        const struct cw_var *v = &o->p->var.a[fn->formal.a[i]];
        bool is_array = v->bytes != cw_ptype_info[v->ptype].bytes;
        kernel->param[i] = (struct cw_kernel_param){.name = cw_ir_strdup(&o->p->ir, v->name, v->len),
                                                    .type = is_array ? CW_U8 : (enum cw_type)cw_ptype_info[v->ptype].type,
                                                    .offset = (uint32_t)v->offset,
                                                    .bytes = (uint32_t)v->bytes,
                                                    .align = v->align,
                                                    .is_shared_ptr = v->is_shared_ptr,
                                                    .ptr_align = v->ptr_align > 0 ? v->ptr_align : 1};
        kernel->param_cnt = i + 1;
    }
}

/* 0: no bound. */
static uint32_t thread_bound(const struct cw_fn *fn)
{
    const uint32_t *size = fn->reqntid[0] != 0 ? fn->reqntid : fn->maxntid;
    uint64_t threads = 1;
    for (uint32_t i = 0; i < 3; i++)
        threads = threads * size[i] < UINT32_MAX ? threads * size[i] : UINT32_MAX;
    return (uint32_t)threads;
}

/* What the host asks of a kernel. */
static void signature(struct out *o, const struct cw_fn *fn)
{
    struct cw_kernel *kernel = o->kernel;
    kernel->name = cw_ir_strdup(&o->p->ir, fn->name, fn->len);
    memcpy(kernel->reqntid, fn->reqntid, sizeof(kernel->reqntid));
    memcpy(kernel->maxntid, fn->maxntid, sizeof(kernel->maxntid));
    kernel->max_threads = thread_bound(fn);
    kernel->max_registers = fn->max_registers;
    kernel->min_blocks_per_core = fn->min_blocks_per_core;
    kernel->max_blocks_per_core = fn->max_blocks_per_core;
    if (!fn->is_opaque)
        parameters(o, fn);
}

/* A special register whose value the kernel's directives say. */
static void fold_cluster(struct out *o, const struct cw_fn *fn)
{
    for (uint32_t i = 0; i < o->kernel->uop_cnt; i++)
        for (uint32_t j = 0; j < CW_UOP_SRCS; j++) {
            struct cw_opnd *src = &o->kernel->uop[i].src[j];
            if (src->kind == CW_OPND_SREG && src->idx == CW_SREG_EXPLICIT_CLUSTER)
                src->idx = fn->has_cluster_size ? CW_SREG_ONE : CW_SREG_ZERO;
        }
}

static void finish(struct out *o, const struct cw_fn *fn)
{
    struct cw_ptx *p = o->p;
    const struct cw_ir_variables variables = {o, name_of, offset_of};
    lay_out_shared(o);
    count_reserved(o);
    if (p->ir.status == CW_OK && o->k->local_bytes > CW_WINDOW_BYTES)
        cw_ptx_fail_at(p, CW_EUNSUP, fn->line, 1, "kernel needs more than %u bytes of local memory per thread", (uint32_t)CW_WINDOW_BYTES);
    if (p->ir.status == CW_OK)
        cw_ir_finish(&p->ir, &o->k->body, &variables, fn->name, fn->len, o->index, o->kernel);
    if (p->ir.status != CW_OK)
        return;
    fold_cluster(o, fn);
    o->kernel->threads_apart = p->threads_apart;
    o->kernel->local_bytes = (uint32_t)o->k->local_bytes;
    signature(o, fn);
}

void cw_ptx_emit_refused(struct cw_ptx *p, uint32_t entry, struct cw_kernel *kernel)
{
    struct out o = {.p = p, .kernel = kernel};
    const struct cw_fn *fn = &p->fn.a[entry];
    kernel->refused = cw_ir_strdup(&p->ir, fn->refused, (uint32_t)strlen(fn->refused));
    kernel->refused_status = fn->refused_status;
    signature(&o, fn);
}

void cw_ptx_emit_kernel(struct cw_ptx *p, uint32_t entry, struct cw_kernel *kernel, uint32_t kernel_index)
{
    struct cw_kcode k;
    struct out o = {.p = p, .k = &k, .kernel = kernel, .index = kernel_index};
    cw_ptx_expand(p, entry, &k);
    if (p->ir.status == CW_OK)
        finish(&o, &p->fn.a[entry]);
    free(o.shared.a);
    cw_code_free(&k.body);
}
