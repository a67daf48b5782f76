/* SPDX-License-Identifier: Apache-2.0 */
/* cw_ir_finish(): the passes in their order, then final operands, constant file and tables: struct cw_kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/digest.h"
#include "ir/passes.h"

#define LANES 32u

struct out {
    struct cw_ir *ir;
    struct cw_code *k;
    const struct cw_ir_variables *variables;
    struct cw_kernel *kernel;
    uint32_t index;        /* of the kernel in the module */
    uint32_t *const_index; /* [constant of k]: index among those of its width */
    struct cw_register_slots slots;
};

/* ---- constants ---- */

static void number_constants(struct out *o)
{
    struct cw_kernel *kernel = o->kernel;
    o->const_index = cw_ir_alloc(o->ir, o->k->konsts.c.n, sizeof(uint32_t));
    for (uint32_t i = 0; i < o->k->konsts.c.n && o->const_index != NULL; i++)
        o->const_index[i] = o->k->konsts.c.a[i].bytes == 8 ? kernel->c64_cnt++ : kernel->c32_cnt++;
    if (kernel->c32_cnt > UINT16_MAX + 1u || kernel->c64_cnt > UINT16_MAX + 1u)
        cw_ir_fail(o->ir, CW_EUNSUP, "kernel has more than 65536 different constants of one width");
}

/* Its value, as far as it is known before the module has its place. */
static uint64_t value_of(struct out *o, const struct cw_vconst *c, uint32_t at)
{
    bool in_global = false;
    if (c->var == CW_IR_NONE)
        return c->value;
    const uint64_t value = c->value + o->variables->offset(o->variables->self, c->var, &in_global);
    if (in_global)
        CW_PUSH(o->ir, &o->ir->reloc, (struct cw_reloc){.kind = CW_RELOC_KERNEL, .kernel = o->index, .where = at, .value = value});
    return value;
}

static void fill_constants(struct out *o)
{
    struct cw_kernel *kernel = o->kernel;
    number_constants(o);
    if (o->ir->status != CW_OK)
        return;
    kernel->c32 = cw_ir_alloc(o->ir, (size_t)kernel->c32_cnt * LANES, sizeof(*kernel->c32));
    kernel->c64 = cw_ir_alloc(o->ir, (size_t)kernel->c64_cnt * LANES, sizeof(*kernel->c64));
    for (uint32_t i = 0; i < o->k->konsts.c.n && o->ir->status == CW_OK; i++) {
        const struct cw_vconst *c = &o->k->konsts.c.a[i];
        const uint32_t at = o->const_index[i];
        const uint64_t value = value_of(o, c, at);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            if (c->bytes == 8)
                kernel->c64[(size_t)at * LANES + lane] = value;
            else
                kernel->c32[(size_t)at * LANES + lane] = (uint32_t)value;
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
    kernel->uop = cw_ir_alloc(o->ir, o->k->code.n, sizeof(*kernel->uop));
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
        u->guard = v->guard == CW_IR_NONE ? -1 : (int16_t)o->slots.slot[v->guard];
        u->fu = (uint8_t)cw_op_fu((enum cw_op)u->op, (enum cw_type)u->type, (enum cw_type)u->stype);
    }
}

static void tables(struct out *o)
{
    struct cw_kernel *kernel = o->kernel;
    kernel->brx = cw_ir_alloc(o->ir, o->k->table.n, sizeof(*kernel->brx));
    if (kernel->brx == NULL)
        return;
    kernel->brx_cnt = o->k->table.n;
    for (uint32_t i = 0; i < kernel->brx_cnt; i++) {
        kernel->brx[i] = (struct cw_brx_table){.cnt = o->k->table.a[i].cnt, .target = o->k->table.a[i].target};
        o->k->table.a[i].target = NULL; /* the kernel's now */
    }
}

static void intrinsics(struct out *o)
{
    struct cw_kernel *kernel = o->kernel;
    kernel->intrinsic = o->k->intrinsic.a;
    kernel->intrinsic_cnt = o->k->intrinsic.n;
    memset(&o->k->intrinsic, 0, sizeof(o->k->intrinsic)); /* the kernel's now */
    for (uint32_t i = 0; i < kernel->intrinsic_cnt; i++)
        kernel->uses_region |= kernel->intrinsic[i]->role != CW_INTRINSIC_CALL;
}

/* ---- for a debugger ---- */

static char *name_of(struct out *o, const struct cw_vreg *r)
{
    char text[200], number[16] = "", element[3] = "";
    if (r->number != CW_IR_NONE)
        snprintf(number, sizeof number, "%u", r->number);
    if (r->element != '\0')
        snprintf(element, sizeof element, ".%c", r->element);
    const int length = snprintf(text, sizeof text, "%.*s%s%s", (int)(r->length < 160 ? r->length : 160), r->name, number, element);
    return cw_ir_strdup(o->ir, text, (uint32_t)length);
}

/* Registers of the text, and where each has its value. */
static void name_registers(struct out *o, const struct cw_live *live)
{
    struct cw_kernel *kernel = o->kernel;
    kernel->named = cw_ir_alloc(o->ir, o->k->vreg.n, sizeof(*kernel->named));
    for (uint32_t i = 0; i < o->k->vreg.n && o->ir->status == CW_OK; i++) {
        const struct cw_vreg *r = &o->k->vreg.a[i];
        if (r->length == 0 || live->first[i] > live->last[i])
            continue;
        kernel->named[kernel->named_cnt++] = (struct cw_named){.name = name_of(o, r),
                                                               .type = r->type,
                                                               .scope = r->scope,
                                                               .o = final_opnd(o, (struct cw_vopnd){.kind = CW_V_REG, .id = i}),
                                                               .first = (live->first[i] + 1) / 2,
                                                               .end = live->last[i] / 2 + 1};
    }
}

static void scopes(struct out *o)
{
    struct cw_kernel *kernel = o->kernel;
    kernel->scope = o->k->scope.a;
    kernel->scope_cnt = o->k->scope.n;
    memset(&o->k->scope, 0, sizeof(o->k->scope)); /* The kernel's now */
    kernel->variable = o->k->variable.a;
    kernel->variable_cnt = o->k->variable.n;
    memset(&o->k->variable, 0, sizeof(o->k->variable)); /* So are they */
    kernel->scope_of = cw_ir_alloc(o->ir, o->k->code.n, sizeof(*kernel->scope_of));
    for (uint32_t i = 0; i < o->k->code.n && kernel->scope_of != NULL; i++)
        kernel->scope_of[i] = o->k->code.a[i].scope;
}

/* ---- passes ---- */

/* Branches are gone. */
static void join_blocks(struct cw_ir *ir, struct cw_code *k, struct cw_cfg *cfg, struct cw_loops *loops)
{
    cw_loops_free(loops);
    cw_cfg_free(cfg);
    *loops = (struct cw_loops){0};
    *cfg = (struct cw_cfg){0};
    cw_cfg_build(ir, k, cfg);
    if (ir->status == CW_OK)
        cw_loops_find(ir, cfg, loops);
    if (ir->status == CW_OK)
        cw_meet_find(ir, k, cfg, loops);
    if (ir->status == CW_OK)
        cw_region_meet(ir, k, cfg);
}

/* Atomics whose result nothing reads, as compilers leave them. */
static void find_unread(struct out *o)
{
    struct cw_code *k = o->k;
    uint8_t *read = cw_ir_alloc(o->ir, k->vreg.n, 1);
    for (uint32_t i = 0; read != NULL && i < k->code.n; i++)
        for (uint32_t j = 0; j < CW_UOP_SRCS; j++)
            if (k->code.a[i].src[j].kind == CW_V_REG)
                read[k->code.a[i].src[j].id] = 1;
    for (uint32_t i = 0; read != NULL && i < k->code.n; i++) {
        struct cw_vop *v = &k->code.a[i];
        if (v->u.op == CW_OP_ATOM && (v->dst[0].kind != CW_V_REG || read[v->dst[0].id] == 0))
            v->u.flags |= CW_UF_UNREAD;
    }
    free(read);
}

static void analyse(struct out *o, const char *name, size_t length)
{
    struct cw_ir *ir = o->ir;
    struct cw_live live = {0};
    struct cw_cfg cfg = {0};
    struct cw_loops loops = {0};
    cw_cfg_build(ir, o->k, &cfg);
    if (ir->status == CW_OK)
        cw_loops_find(ir, &cfg, &loops);
    if (ir->status == CW_OK)
        cw_meet_find(ir, o->k, &cfg, &loops);
    if (ir->status == CW_OK)
        cw_region_meet(ir, o->k, &cfg);
    if (ir->status == CW_OK)
        cw_lpc_find(ir, o->k, &cfg, &loops);
    o->k->digest = cw_digest(o->k, o->variables);
    if (ir->status == CW_OK && ir->profile != NULL) {
        cw_lpc_profile(ir, o->k, &cfg, &loops, name, length);
        ir->is_final = ir->status != CW_OK;
    }
    if (ir->status == CW_OK && ir->machine != NULL && cw_lower_select(ir, o->k, &cfg))
        join_blocks(ir, o->k, &cfg, &loops);
    if (ir->status == CW_OK && ir->machine != NULL)
        cw_lower(ir, o->k, &cfg, o->variables, o->kernel);
    if (ir->status == CW_OK)
        cw_live_compute(ir, o->k, &cfg, &live);
    if (ir->status == CW_OK)
        o->kernel->uniform_regs = cw_uniform_find(ir, o->k, &cfg, &loops, &live);
    if (ir->status == CW_OK)
        o->kernel->transactions = cw_transactions_find(ir, o->k, &cfg);
    if (ir->status == CW_OK)
        cw_slots_assign(ir, o->k, &live, &o->slots);
    if (ir->status == CW_OK)
        find_unread(o);
    if (ir->status == CW_OK && ir->names)
        name_registers(o, &live);
    cw_loops_free(&loops);
    cw_cfg_free(&cfg);
    o->kernel->live_regs = live.live_regs;
    cw_live_free(&live);
}

void cw_ir_finish(struct cw_ir *ir, struct cw_code *code, const struct cw_ir_variables *variables, const char *name, size_t length,
                  uint32_t index, struct cw_kernel *kernel)
{
    struct out o = {.ir = ir, .k = code, .variables = variables, .kernel = kernel, .index = index};
    analyse(&o, name, length);
    kernel->r32_cnt = o.slots.r32_cnt;
    kernel->r64_cnt = o.slots.r64_cnt;
    kernel->pred_cnt = o.slots.pred_cnt;
    kernel->digest = code->digest;
    kernel->profiled = code->profiled;
    if (ir->status == CW_OK)
        fill_constants(&o);
    if (ir->status == CW_OK)
        final_uops(&o);
    if (ir->status == CW_OK)
        tables(&o);
    if (ir->status == CW_OK && ir->names)
        scopes(&o);
    if (ir->status == CW_OK)
        intrinsics(&o);
    free(o.const_index);
    free(o.slots.slot);
}
