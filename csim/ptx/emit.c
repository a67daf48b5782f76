/* SPDX-License-Identifier: Apache-2.0 */
/* The last pass: struct cw_kernel with its final micro-ops, constant file and shared-memory layout. */
#include <stdlib.h>
#include <string.h>

#include "ptx/reader.h"

#define LANES 32u

struct shared_place { /* of a variable in the kernel's shared memory */
    uint32_t var;     /* first, as by_number compares it */
    uint64_t offset;
};

struct out {
    struct cw_ptx *p;
    struct cw_kcode *k;
    struct cw_kernel *kernel;
    uint32_t entry;        /* its function */
    uint32_t index;        /* of the kernel in the module */
    uint32_t *const_index; /* [constant of k]: index among those of its width */
    struct cw_slots slots;
    CW_VEC(struct shared_place) shared; /* the variables that the kernel names, by their numbers */
};

char *cw_ptx_strdup(struct cw_ptx *p, const char *s, uint32_t len)
{
    char *copy = cw_ptx_alloc(p, (size_t)len + 1, 1);
    if (copy != NULL)
        memcpy(copy, s, len);
    return copy;
}

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
    for (uint32_t i = 0; i < o->k->konsts.c.n; i++) {
        uint32_t var = o->k->konsts.c.a[i].var;
        if (var != CW_PTX_NONE && p->var.a[var].space == CW_VAR_SHARED)
            CW_PUSH(p, &used, var);
    }
    if (used.n > 0)
        qsort(used.a, used.n, sizeof(*used.a), by_number);
    for (uint32_t i = 0; i < used.n; i++)
        if (i == 0 || used.a[i] != used.a[i - 1])
            CW_PUSH(p, &o->shared, (struct shared_place){.var = used.a[i]});
    free(used.a);
}

/* The places are the kernel's own: another kernel of the module has the same variable elsewhere. */
static void lay_out_shared(struct out *o)
{
    struct cw_ptx *p = o->p;
    uint64_t bytes = 0;
    find_shared(o);
    for (uint32_t i = 0; i < o->shared.n && p->status == CW_OK; i++) {
        const struct cw_var *v = &p->var.a[o->shared.a[i].var];
        if (v->is_extern)
            continue;
        o->shared.a[i].offset = round_up(bytes, v->align);
        bytes = o->shared.a[i].offset + v->bytes;
        if (bytes > CW_WINDOW_BYTES)
            cw_ptx_fail_at(p, CW_EUNSUP, v->line, 1, "shared variables take more than %u bytes", (uint32_t)CW_WINDOW_BYTES);
    }
    for (uint32_t i = 0; i < o->shared.n && p->status == CW_OK; i++) {
        const struct cw_var *v = &p->var.a[o->shared.a[i].var];
        if (!v->is_extern)
            continue;
        o->shared.a[i].offset = round_up(bytes, v->align);
        o->kernel->uses_dynamic_shared = 1;
    }
    o->kernel->shared_bytes = (uint32_t)bytes;
}

static uint64_t shared_offset(const struct out *o, uint32_t var)
{
    const struct shared_place key = {.var = var}, *place = bsearch(&key, o->shared.a, o->shared.n, sizeof(key), by_number);
    return place != NULL ? place->offset : 0;
}

static void count_reserved(struct out *o)
{
    for (uint32_t i = 0; i < o->k->konsts.c.n; i++)
        if (o->k->konsts.c.a[i].var == CW_PTX_RESERVED)
            o->kernel->reserved_shared_bytes = CW_RESERVED_SHARED_BYTES;
}

/* ---- constants ---- */

static void number_constants(struct out *o)
{
    struct cw_kernel *kernel = o->kernel;
    o->const_index = cw_ptx_alloc(o->p, o->k->konsts.c.n, sizeof(uint32_t));
    for (uint32_t i = 0; i < o->k->konsts.c.n && o->const_index != NULL; i++)
        o->const_index[i] = o->k->konsts.c.a[i].bytes == 8 ? kernel->c64_cnt++ : kernel->c32_cnt++;
    if (kernel->c32_cnt > UINT16_MAX + 1u || kernel->c64_cnt > UINT16_MAX + 1u)
        cw_ptx_fail_at(o->p, CW_EUNSUP, 1, 1, "kernel has more than 65536 different constants of one width");
}

static void fill_constants(struct out *o)
{
    struct cw_kernel *kernel = o->kernel;
    struct cw_ptx *p = o->p;
    number_constants(o);
    if (p->status != CW_OK)
        return;
    kernel->c32 = cw_ptx_alloc(p, (size_t)kernel->c32_cnt * LANES, sizeof(*kernel->c32));
    kernel->c64 = cw_ptx_alloc(p, (size_t)kernel->c64_cnt * LANES, sizeof(*kernel->c64));
    for (uint32_t i = 0; i < o->k->konsts.c.n && p->status == CW_OK; i++) {
        struct cw_vconst c = o->k->konsts.c.a[i];
        uint32_t at = o->const_index[i];
        if (c.var != CW_PTX_NONE)
            c.value += p->var.a[c.var].space == CW_VAR_SHARED ? shared_offset(o, c.var) : p->var.a[c.var].offset;
        if (c.var != CW_PTX_NONE && p->var.a[c.var].space == CW_VAR_GLOBAL)
            CW_PUSH(p, &p->reloc, (struct cw_reloc){.kind = CW_RELOC_KERNEL, .kernel = o->index, .where = at, .value = c.value});
        for (uint32_t lane = 0; lane < LANES; lane++) {
            if (c.bytes == 8)
                kernel->c64[(size_t)at * LANES + lane] = c.value;
            else
                kernel->c32[(size_t)at * LANES + lane] = (uint32_t)c.value;
        }
    }
}

/* ---- micro-ops ---- */

static struct cw_opnd final_opnd(const struct out *o, struct cw_vopnd v)
{
    struct cw_opnd r = {.neg = v.neg, .idx = (uint16_t)v.id};
    switch (v.kind) {
    case CW_V_REG:
        r.idx = (uint16_t)o->slots.slot[v.id];
        r.kind = o->k->vreg.a[v.id].bytes == 0 ? CW_OPND_PRED : o->k->vreg.a[v.id].bytes == 8 ? CW_OPND_R64 : CW_OPND_R32;
        break;
    case CW_V_CONST:
        r.idx = (uint16_t)o->const_index[v.id];
        r.kind = o->k->konsts.c.a[v.id].bytes == 8 ? CW_OPND_C64 : CW_OPND_C32;
        break;
    case CW_V_CPRED:
        r.kind = CW_OPND_CPRED;
        break;
    case CW_V_SREG:
        r.kind = CW_OPND_SREG;
        if (v.id == CW_SREG_EXPLICIT_CLUSTER)
            r.idx = o->p->fn.a[o->entry].has_cluster_size ? CW_SREG_ONE : CW_SREG_ZERO;
        break;
    case CW_V_SINK:
        r.kind = CW_OPND_SINK;
        break;
    default:
        r.kind = CW_OPND_NONE;
        break;
    }
    return r;
}

static void final_uops(struct out *o)
{
    struct cw_kernel *kernel = o->kernel;
    kernel->uop = cw_ptx_alloc(o->p, o->k->code.n, sizeof(*kernel->uop));
    if (kernel->uop == NULL)
        return;
    kernel->uop_cnt = o->k->code.n;
    for (uint32_t i = 0; i < kernel->uop_cnt; i++) {
        const struct cw_vop *v = &o->k->code.a[i];
        struct cw_uop *u = &kernel->uop[i];
        *u = v->u;
        for (uint32_t j = 0; j < CW_UOP_DSTS; j++)
            u->dst[j] = final_opnd(o, v->dst[j]);
        for (uint32_t j = 0; j < CW_UOP_SRCS; j++)
            u->src[j] = final_opnd(o, v->src[j]);
        u->guard = v->guard == CW_PTX_NONE ? -1 : (int16_t)o->slots.slot[v->guard];
        u->fu = (uint8_t)cw_op_fu((enum cw_op)u->op, (enum cw_type)u->type, (enum cw_type)u->stype);
    }
}

static void tables(struct out *o)
{
    struct cw_kernel *kernel = o->kernel;
    kernel->brx = cw_ptx_alloc(o->p, o->k->table.n, sizeof(*kernel->brx));
    if (kernel->brx == NULL)
        return;
    kernel->brx_cnt = o->k->table.n;
    for (uint32_t i = 0; i < kernel->brx_cnt; i++) {
        kernel->brx[i] = (struct cw_brx_table){.cnt = o->k->table.a[i].cnt, .target = o->k->table.a[i].target};
        o->k->table.a[i].target = NULL; /* the kernel's now */
    }
}

static void parameters(struct out *o, const struct cw_fn *fn)
{
    struct cw_kernel *kernel = o->kernel;
    kernel->param = cw_ptx_alloc(o->p, fn->formal.n, sizeof(*kernel->param));
    kernel->param_bytes = fn->param_bytes;
    for (uint32_t i = 0; i < fn->formal.n && o->p->status == CW_OK; i++) {
        const struct cw_var *v = &o->p->var.a[fn->formal.a[i]];
        bool is_array = v->bytes != cw_ptype_info[v->ptype].bytes;
        kernel->param[i] = (struct cw_kernel_param){.name = cw_ptx_strdup(o->p, v->name, v->len),
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
    kernel->name = cw_ptx_strdup(o->p, fn->name, fn->len);
    memcpy(kernel->reqntid, fn->reqntid, sizeof(kernel->reqntid));
    memcpy(kernel->maxntid, fn->maxntid, sizeof(kernel->maxntid));
    kernel->max_threads = thread_bound(fn);
    kernel->max_registers = fn->max_registers;
    kernel->min_blocks_per_core = fn->min_blocks_per_core;
    kernel->max_blocks_per_core = fn->max_blocks_per_core;
    if (!fn->is_opaque)
        parameters(o, fn);
}

static void header(struct out *o, const struct cw_fn *fn)
{
    struct cw_kernel *kernel = o->kernel;
    kernel->digest = o->k->digest;
    kernel->profiled = o->k->profiled;
    kernel->threads_apart = o->p->threads_apart;
    kernel->intrinsic = o->k->intrinsic.a;
    kernel->intrinsic_cnt = o->k->intrinsic.n;
    memset(&o->k->intrinsic, 0, sizeof(o->k->intrinsic)); /* the kernel's now */
    for (uint32_t i = 0; i < kernel->intrinsic_cnt; i++)
        kernel->uses_region |= kernel->intrinsic[i]->role != CW_INTRINSIC_CALL;
    if (o->k->local_bytes > CW_WINDOW_BYTES)
        cw_ptx_fail_at(o->p, CW_EUNSUP, fn->line, 1, "kernel needs more than %u bytes of local memory per thread",
                       (uint32_t)CW_WINDOW_BYTES);
    kernel->local_bytes = (uint32_t)o->k->local_bytes;
    signature(o, fn);
}

static void finish(struct out *o, const struct cw_fn *fn)
{
    struct cw_live live = {0};
    struct cw_cfg cfg = {0};
    struct cw_loops loops = {0};
    cw_cfg_build(o->p, o->k, &cfg);
    if (o->p->status == CW_OK)
        cw_loops_find(o->p, &cfg, &loops);
    if (o->p->status == CW_OK)
        cw_meet_find(o->p, o->k, &cfg, &loops);
    if (o->p->status == CW_OK)
        cw_lpc_find(o->p, o->k, &cfg, &loops);
    o->k->digest = cw_digest(o->k);
    if (o->p->status == CW_OK && o->p->profile != NULL) {
        cw_lpc_profile(o->p, o->k, &cfg, &loops, fn->name, fn->len);
        o->p->is_final = o->p->status != CW_OK;
    }
    if (o->p->status == CW_OK)
        cw_live_compute(o->p, o->k, &cfg, &live);
    if (o->p->status == CW_OK)
        o->kernel->uniform_regs = cw_uniform_find(o->p, o->k, &cfg, &loops, &live);
    if (o->p->status == CW_OK)
        o->kernel->transactions = cw_transactions_find(o->p, o->k, &cfg);
    if (o->p->status == CW_OK)
        cw_slots_assign(o->p, o->k, &live, &o->slots);
    cw_loops_free(&loops);
    cw_cfg_free(&cfg);
    o->kernel->live_regs = live.live_regs;
    cw_live_free(&live);
    o->kernel->r32_cnt = o->slots.r32_cnt;
    o->kernel->r64_cnt = o->slots.r64_cnt;
    o->kernel->pred_cnt = o->slots.pred_cnt;
    if (o->p->status == CW_OK)
        lay_out_shared(o);
    count_reserved(o);
    if (o->p->status == CW_OK)
        fill_constants(o);
    if (o->p->status == CW_OK)
        final_uops(o);
    if (o->p->status == CW_OK)
        tables(o);
    if (o->p->status == CW_OK)
        header(o, fn);
}

void cw_ptx_emit_refused(struct cw_ptx *p, uint32_t entry, struct cw_kernel *kernel)
{
    struct out o = {.p = p, .kernel = kernel};
    const struct cw_fn *fn = &p->fn.a[entry];
    kernel->refused = cw_ptx_strdup(p, fn->refused, (uint32_t)strlen(fn->refused));
    kernel->refused_status = fn->refused_status;
    signature(&o, fn);
}

void cw_ptx_emit_kernel(struct cw_ptx *p, uint32_t entry, struct cw_kernel *kernel, uint32_t kernel_index)
{
    struct cw_kcode k;
    struct out o = {.p = p, .k = &k, .kernel = kernel, .entry = entry, .index = kernel_index};
    cw_ptx_expand(p, entry, &k);
    if (p->status == CW_OK)
        finish(&o, &p->fn.a[entry]);
    free(o.const_index);
    free(o.shared.a);
    free(o.slots.slot);
    cw_kcode_free(&k);
}
