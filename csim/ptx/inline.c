/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls. Every call of a defined function is expanded in place: SIMT stacks then need no call frames, and each activation has virtual
 * registers of its own. A formal .param variable is the same thing as the caller's argument; it is held in registers, one per scalar
 * (cell), unless its address is taken or it is accessed in pieces that overlap: then it is a variable in local memory.
 *
 * Local memory of an activation lies behind that of its caller, so that calls one after the other share it, as on a stack.
 *
 * A function that calls itself, or that another one calls back, is expanded inside itself, as often as DEPTHS says and the code stays small
 * enough; a thread that calls it once more faults.
 */
#include <stdlib.h>
#include <string.h>

#include "ptx/reader.h"

/* ---- storage of call parameters ---- */

static int by_offset(const void *a, const void *b)
{
    const struct cw_access *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->bytes != y->bytes ? (int)y->bytes - (int)x->bytes : (int)y->is_store - (int)x->is_store;
}

/* Sorted and without repetitions. */
static void tidy(struct cw_var *v)
{
    uint32_t n = 0;
    if (v->access.n > 0)
        qsort(v->access.a, v->access.n, sizeof(*v->access.a), by_offset);
    for (uint32_t i = 0; i < v->access.n; i++)
        if (n == 0 || by_offset(&v->access.a[n - 1], &v->access.a[i]) != 0)
            v->access.a[n++] = v->access.a[i];
    v->access.n = n;
}

static void add_access(struct cw_ptx *p, struct cw_var *v, struct cw_access access)
{
    if (v->access.n == v->access.cap)
        tidy(v);
    CW_PUSH(&p->ir, &v->access, access);
}

/* What the callee does with its formal parameters it does with the arguments. */
static void merge_accesses(struct cw_ptx *p, const struct cw_fn *fn, const struct cw_call *call, const struct cw_fn *callee)
{
    for (uint32_t i = 0; i < call->arg_cnt && p->ir.status == CW_OK; i++) {
        struct cw_var *arg = &p->var.a[fn->arg.a[call->arg + i]], *formal = &p->var.a[callee->formal.a[i]];
        arg->in_memory |= formal->in_memory;
        for (uint32_t j = 0; j < formal->access.n; j++)
            add_access(p, arg, formal->access.a[j]);
        if (formal->space == CW_VAR_REG_PARAM)
            add_access(p, arg, (struct cw_access){.bytes = (uint8_t)formal->bytes, .is_store = i < callee->ret_cnt});
    }
}

/* Cells: the widest access at each offset. Not possible when a store is narrower than that, or when cells overlap. */
static void make_cells(struct cw_ptx *p, struct cw_fn *fn, struct cw_var *v)
{
    v->cell = cw_ir_alloc(&p->ir, v->access.n, sizeof(*v->cell));
    if (v->cell == NULL)
        return;
    v->cell_cnt = 0;
    for (uint32_t i = 0; i < v->access.n && !v->in_memory; i++) {
        const struct cw_access *a = &v->access.a[i];
        struct cw_cell *last = v->cell_cnt > 0 ? &v->cell[v->cell_cnt - 1] : NULL;
        if (last != NULL && last->offset == a->offset)
            v->in_memory |= a->is_store && a->bytes < last->bytes;
        else if (last != NULL && last->offset + last->bytes > a->offset)
            v->in_memory = 1;
        else
            v->cell[v->cell_cnt++] = (struct cw_cell){.offset = a->offset, .bytes = a->bytes};
    }
    if (v->in_memory) {
        uint64_t align = v->align > 8 ? v->align : 8;
        v->offset = (fn->frame_bytes + align - 1) & ~(align - 1);
        fn->frame_bytes = v->offset + v->bytes;
        fn->frame_align = align > fn->frame_align ? (uint32_t)align : fn->frame_align;
        return;
    }
    v->cell_base = fn->vreg.n;
    for (uint32_t i = 0; i < v->cell_cnt; i++) {
        static const uint8_t types[] = {0, CW_PT_B8, CW_PT_B16, 0, CW_PT_B32, 0, 0, 0, CW_PT_B64};
        CW_PUSH(&p->ir, &fn->vreg, (struct cw_vreg){.ptype = types[v->cell[i].bytes], .bytes = (uint8_t)v->cell[i].bytes});
    }
}

/* An intrinsic reads each argument and writes its result as a whole. */
static void intrinsic_accesses(struct cw_ptx *p, const struct cw_fn *fn, const struct cw_call *call, const struct cw_fn *callee)
{
    for (uint32_t i = 0; i < call->arg_cnt && p->ir.status == CW_OK; i++) {
        uint8_t bytes = (uint8_t)p->var.a[callee->formal.a[i]].bytes;
        add_access(p, &p->var.a[fn->arg.a[call->arg + i]], (struct cw_access){.bytes = bytes, .is_store = i < callee->ret_cnt});
    }
}

/* ---- the call graph ---- */

static uint32_t resolve_alias(const struct cw_ptx *p, uint32_t fn)
{
    return p->fn.a[fn].alias != CW_IR_NONE ? p->fn.a[fn].alias : fn;
}

enum visit { UNSEEN, ON_PATH, DONE };

/* Whether an indirect call may mean the function: it is defined, and has the prototype's parameters. */
static bool is_target(const struct cw_ptx *p, const struct cw_call *call, uint32_t id)
{
    const struct cw_fn *fn = &p->fn.a[resolve_alias(p, id)], *proto = &p->fn.a[call->callee];
    bool fits = fn->is_defined && !fn->is_entry && (p->fn.a[id].is_address_taken || call->list != CW_IR_NONE);
    fits = fits && fn->formal.n == proto->formal.n && fn->ret_cnt == proto->ret_cnt;
    for (uint32_t i = 0; fits && i < fn->formal.n; i++)
        fits = p->var.a[fn->formal.a[i]].bytes == p->var.a[proto->formal.a[i]].bytes;
    return fits;
}

static void fail_call(struct cw_ptx *p, int status, const struct cw_call *call, const char *what, const struct cw_fn *callee)
{
    p->stmt = call->at;
    cw_ptx_fail_tok(p, status, &call->at, "%s %.*s", what, (int)callee->len, callee->name);
}

static void fail_unknown(struct cw_ptx *p, const struct cw_call *call, const struct cw_fn *callee)
{
    static const char what[] = "call of an external function that this machine does not have:";
    const char *near = cw_ptx_near_intrinsic(p, callee->name, callee->len);
    if (near == NULL) {
        fail_call(p, CW_EUNSUP, call, what, callee);
        return;
    }
    p->stmt = call->at;
    cw_ptx_fail_tok(p, CW_EUNSUP, &call->at, "%s %.*s; did you mean %s?", what, (int)callee->len, callee->name, near);
}

static void visit_intrinsic(struct cw_ptx *p, const struct cw_fn *fn, const struct cw_call *call, const struct cw_fn *callee)
{
    cw_ptx_check_intrinsic(p, callee);
    if (p->ir.status == CW_OK)
        intrinsic_accesses(p, fn, call, callee);
}

/* The nth function, from 0, that an indirect call may reach; CW_IR_NONE: there are no more. */
static uint32_t target_at(const struct cw_ptx *p, const struct cw_call *call, uint32_t n)
{
    const struct cw_callees all = {0, p->fn.n};
    const struct cw_callees *list = call->list != CW_IR_NONE ? &p->callees.a[call->list] : &all;
    for (uint32_t i = 0; i < list->cnt; i++) {
        uint32_t id = call->list != CW_IR_NONE ? p->callee.a[list->first + i] : i;
        if (is_target(p, call, id) && n-- == 0)
            return id;
    }
    return CW_IR_NONE;
}

static void visit(struct cw_ptx *p, uint32_t index, uint32_t depth);

static void keep_in_memory(struct cw_ptx *p, const struct cw_fn *fn, const struct cw_call *call)
{
    for (uint32_t i = 0; i < call->arg_cnt; i++)
        p->var.a[fn->arg.a[call->arg + i]].in_memory = 1;
}

/* Several functions share the arguments, and which of them is called is not known: arguments are in memory, where each finds them. A
 * function that is on the way to this call is left out. */
static void visit_indirect(struct cw_ptx *p, const struct cw_fn *fn, const struct cw_call *call, uint32_t depth)
{
    if (depth == CW_PTX_MAX_CALLS) {
        fail_call(p, CW_EUNSUP, call, "calls nested too deep, at", &p->fn.a[call->callee]);
        return;
    }
    keep_in_memory(p, fn, call);
    uint32_t id;
    for (uint32_t n = 0; p->ir.status == CW_OK && (id = target_at(p, call, n)) != CW_IR_NONE; n++)
        if (p->fn.a[resolve_alias(p, id)].visit == UNSEEN)
            visit(p, resolve_alias(p, id), depth + 1);
}

static void visit(struct cw_ptx *p, uint32_t index, uint32_t depth)
{
    struct cw_fn *fn = &p->fn.a[index];
    fn->visit = ON_PATH;
    for (uint32_t i = 0; i < fn->call.n && p->ir.status == CW_OK; i++) {
        const struct cw_call *call = &fn->call.a[i];
        if (call->is_indirect) {
            visit_indirect(p, fn, call, depth);
            continue;
        }
        uint32_t id = resolve_alias(p, call->callee);
        struct cw_fn *callee = &p->fn.a[id];
        if (depth == CW_PTX_MAX_CALLS) {
            fail_call(p, CW_EUNSUP, call, "calls nested too deep, at", callee);
        } else if (!callee->is_defined && callee->intrinsic == NULL) {
            fail_unknown(p, call, callee);
        } else if (call->arg_cnt != callee->formal.n) {
            fail_call(p, CW_EINVAL, call, "wrong number of arguments for", callee);
        } else if (!callee->is_defined) {
            visit_intrinsic(p, fn, call, callee);
        } else if (callee->visit == ON_PATH) {
            keep_in_memory(p, fn, call); /* what the callee does with them is not known yet */
        } else {
            if (callee->visit == UNSEEN)
                visit(p, id, depth + 1);
            merge_accesses(p, fn, call, callee);
        }
    }
    for (uint32_t i = 0; i < fn->pvar.n && p->ir.status == CW_OK; i++) {
        struct cw_var *v = &p->var.a[fn->pvar.a[i]];
        tidy(v);
        if (!v->is_formal)
            make_cells(p, fn, v);
    }
    fn->visit = DONE;
    cw_ptx_refuse(p, fn);
}

void cw_ptx_check_calls(struct cw_ptx *p)
{
    for (uint32_t i = 0; i < p->fn.n && p->ir.status == CW_OK; i++)
        if (p->fn.a[i].is_defined && p->fn.a[i].visit == UNSEEN)
            visit(p, i, 0);
}

/* ---- expansion ---- */

struct binding { /* a call parameter where it lives: owner's cells, in the activation that owns it */
    uint32_t owner, vreg_base;
    uint64_t frame;
};

struct activation {
    const struct cw_fn *fn;
    const struct activation *caller; /* NULL: the kernel */
    uint32_t vreg_base;
    uint64_t frame;             /* offset in local memory */
    const struct binding *bind; /* of fn's formal parameters */
    uint32_t depth;
    uint32_t scope;          /* Its place in code.scope, with ir.names */
    uint32_t line;           /* of the call by which the program has come into the library; 0: it is not there */
    CW_VEC(uint32_t) branch; /* kernel micro-ops whose target is one of fn's */
    CW_VEC(uint32_t) ret;    /* branches to the end */
};

static void expand(struct cw_kcode *k, struct activation *act);

static struct binding binding_of(const struct cw_ptx *p, const struct activation *act, uint32_t var)
{
    if (p->var.a[var].is_formal)
        return act->bind[p->var.a[var].formal_index];
    return (struct binding){.owner = var, .vreg_base = act->vreg_base, .frame = act->frame};
}

/* Functions inside themselves: at most so often, and a kernel that has some at most so large. The depth is the first of the list with which
 * it is not larger, or else the last. A function that calls itself twice doubles with each. */
static const uint32_t depths[] = {64, 48, 32, 24, 20, 16, 14, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
#define RECURSIVE_UOPS  30000u
#define RECURSIVE_LOCAL 16384u /* bytes of a thread */

static void push(struct cw_kcode *k, const struct cw_vop *v)
{
    if (k->recurses && k->max_depth > 1 && (k->body.code.n >= RECURSIVE_UOPS || k->local_bytes > RECURSIVE_LOCAL)) {
        k->is_too_large = true;
        cw_ptx_fail_at(k->p, CW_EUNSUP, v->u.line, 1, "recursion makes the kernel too large");
    }
    if (k->body.code.n >= CW_PTX_MAX_UOPS)
        cw_ptx_fail_at(k->p, CW_EUNSUP, v->u.line, 1, "kernel has more than %u micro-operations after calls are expanded", CW_PTX_MAX_UOPS);
    CW_PUSH(&k->p->ir, &k->body.code, *v);
    if (k->p->ir.names && k->body.code.n > 0)
        k->body.code.a[k->body.code.n - 1].scope = k->scope;
}

static uint32_t new_temp(struct cw_kcode *k, enum cw_ptype type)
{
    CW_PUSH(&k->p->ir, &k->body.vreg, (struct cw_vreg){.ptype = (uint8_t)type, .bytes = cw_ptype_info[type].bytes, .is_temp = 1});
    return k->body.vreg.n - 1;
}

/* A constant of the module as one of the kernel. Variables of the kernel's own memory, which lies here as it does in every module, are
 * numbers by now. Where those of the module lie, and those of shared memory in this kernel, emit.c adds. */
static struct cw_vopnd constant(struct cw_kcode *k, const struct activation *act, uint32_t id)
{
    struct cw_ptx *p = k->p;
    struct cw_vconst c = p->konsts.c.a[id];
    if (cw_ptx_is_variable(c.var)) {
        const struct cw_var *v = &p->var.a[c.var];
        struct binding b = {0};
        bool is_number = true;
        switch (v->space) {
        case CW_VAR_LOCAL:
            cw_ptx_name_variable(k, v, CW_SPACE_LOCAL, act->scope, act->frame + v->offset);
            c.value += act->frame + v->offset;
            break;
        case CW_VAR_CALL_PARAM:
            b = binding_of(p, act, c.var);
            c.value += b.frame + p->var.a[b.owner].offset;
            break;
        case CW_VAR_GLOBAL:
        case CW_VAR_CONST:
        case CW_VAR_SHARED:
            is_number = false;
            break;
        default:
            c.value += v->offset;
            break;
        }
        if (v->unusable != 0)
            cw_ptx_fail_at(p, CW_EUNSUP, v->line, v->col, "%.*s: %s", (int)(v->len < 80 ? v->len : 80), v->name,
                           p->unusable.a[v->unusable - 1].why);
        if (v->is_extern && v->space != CW_VAR_SHARED)
            cw_ptx_fail_at(p, CW_EUNSUP, v->line, 1, "variable %.*s is declared .extern and defined nowhere", (int)v->len, v->name);
        if (is_number)
            c.var = CW_IR_NONE;
    }
    return (struct cw_vopnd){.kind = CW_V_CONST, .id = cw_konst_add(&p->ir, &k->body.konsts, c.value, c.bytes, c.var)};
}

static struct cw_vopnd rename_opnd(struct cw_kcode *k, const struct activation *act, struct cw_vopnd o)
{
    if (o.kind == CW_V_REG)
        o.id += act->vreg_base;
    else if (o.kind == CW_V_CONST)
        o = constant(k, act, o.id);
    return o;
}

static struct cw_vop renamed(struct cw_kcode *k, const struct activation *act, const struct cw_vop *v)
{
    struct cw_vop r = *v;
    if (r.guard != CW_IR_NONE)
        r.guard += act->vreg_base;
    for (uint32_t i = 0; i < CW_UOP_DSTS; i++)
        r.dst[i] = rename_opnd(k, act, v->dst[i]);
    for (uint32_t i = 0; i < CW_UOP_SRCS; i++)
        r.src[i] = rename_opnd(k, act, v->src[i]);
    return r;
}

/* dst = src as op, under the guard and with the line of v. */
static void push_move(struct cw_kcode *k, const struct cw_vop *v, struct cw_vopnd dst, struct cw_vopnd src, enum cw_op op,
                      enum cw_type type, enum cw_type stype)
{
    struct cw_vop m = {.guard = v->guard};
    m.u.op = (uint16_t)op;
    m.u.type = (uint8_t)type;
    m.u.stype = (uint8_t)stype;
    m.u.guard_neg = v->u.guard_neg;
    m.u.line = v->u.line;
    m.u.dst_cnt = m.u.src_cnt = 1;
    m.dst[0] = dst;
    m.src[0] = src;
    push(k, &m);
}

static enum cw_type unsigned_type(uint32_t bytes)
{
    return bytes == 1 ? CW_U8 : bytes == 2 ? CW_U16 : bytes == 4 ? CW_U32 : CW_U64;
}

static enum cw_type signed_type(uint32_t bytes)
{
    return bytes == 1 ? CW_S8 : bytes == 2 ? CW_S16 : bytes == 4 ? CW_S32 : CW_S64;
}

/* One element of ld.param out of a cell that starts with it. Slots of up to 32 bits are kept zero-extended, so a plain move is right for
 * what fills its cell. */
static void load_cell(struct cw_kcode *k, const struct cw_vop *v, struct cw_vopnd dst, uint32_t cell_reg, uint32_t cell_bytes)
{
    struct cw_vopnd src = {.kind = CW_V_REG, .id = cell_reg};
    enum cw_type type = (enum cw_type)v->u.type;
    uint32_t bytes = cw_type_bytes(type);
    bool is_signed = type == CW_S8 || type == CW_S16;
    if (dst.kind != CW_V_REG)
        return;
    if (bytes == 8) {
        push_move(k, v, dst, src, CW_OP_MOV, CW_U64, CW_TYPE_NONE);
        return;
    }
    if (cell_bytes == 8) {
        struct cw_vopnd low = {.kind = CW_V_REG, .id = new_temp(k, CW_PT_B32)};
        push_move(k, v, low, src, CW_OP_CVT, CW_U32, CW_U64);
        src = low;
    }
    uint32_t reg_bytes = k->body.vreg.a[dst.id].bytes;
    if (is_signed && bytes < reg_bytes)
        push_move(k, v, dst, src, CW_OP_CVT, signed_type(reg_bytes), type);
    else if (bytes < 4 && bytes < cell_bytes)
        push_move(k, v, dst, src, CW_OP_CVT, CW_U32, unsigned_type(bytes));
    else
        push_move(k, v, dst, src, CW_OP_MOV, CW_U32, CW_TYPE_NONE);
}

static void store_cell(struct cw_kcode *k, const struct cw_vop *v, struct cw_vopnd src, uint32_t cell_reg)
{
    struct cw_vopnd dst = {.kind = CW_V_REG, .id = cell_reg};
    uint32_t bytes = cw_type_bytes((enum cw_type)v->u.type);
    if (bytes == 8)
        push_move(k, v, dst, src, CW_OP_MOV, CW_U64, CW_TYPE_NONE);
    else if (src.kind == CW_V_REG && k->body.vreg.a[src.id].bytes > bytes)
        push_move(k, v, dst, src, CW_OP_CVT, CW_U32, unsigned_type(bytes));
    else
        push_move(k, v, dst, src, CW_OP_MOV, CW_U32, CW_TYPE_NONE);
}

static uint32_t find_cell(const struct cw_var *v, uint64_t offset)
{
    uint32_t lo = 0, hi = v->cell_cnt;
    while (lo + 1 < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (v->cell[mid].offset <= offset)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* ld.param and st.param of a call parameter; v is renamed but for src0, which names the variable. */
static void parameter_access(struct cw_kcode *k, const struct activation *act, struct cw_vop v)
{
    struct cw_ptx *p = k->p;
    bool is_store = v.u.op == CW_VOP_PST;
    struct binding b = binding_of(p, act, v.src[0].id);
    const struct cw_var *owner = &p->var.a[b.owner];
    uint32_t bytes = cw_type_bytes((enum cw_type)v.u.type);
    if (owner->in_memory) {
        v.u.op = is_store ? CW_OP_ST : CW_OP_LD;
        v.u.space = CW_SPACE_LOCAL;
        v.src[0] =
            (struct cw_vopnd){.kind = CW_V_CONST, .id = cw_konst_add(&p->ir, &k->body.konsts, b.frame + owner->offset, 8, CW_IR_NONE)};
        push(k, &v);
        return;
    }
    for (uint32_t i = 0; i < v.u.vec && p->ir.status == CW_OK; i++) {
        uint32_t cell = find_cell(owner, (uint64_t)v.u.imm + i * bytes);
        uint32_t reg = b.vreg_base + owner->cell_base + cell;
        if (is_store)
            store_cell(k, &v, v.src[1 + i], reg);
        else
            load_cell(k, &v, v.dst[i], reg, owner->cell[cell].bytes);
    }
}

/* Between the variable arg and a register: into the register, or, for what the callee returns, out of it. v: guard and line. */
static void copy_argument(struct cw_kcode *k, const struct activation *caller, struct cw_vop v, uint32_t arg, enum cw_type type,
                          struct cw_vopnd reg, bool is_ret)
{
    v.u.op = is_ret ? CW_VOP_PST : CW_VOP_PLD;
    v.u.type = (uint8_t)type;
    v.u.vec = 1;
    v.u.stype = cw_type_bytes(type) == 2 ? CW_U16 : CW_U32;
    v.src[0] = (struct cw_vopnd){.kind = CW_V_PVAR, .id = arg};
    v.u.src_cnt = is_ret ? 2 : 1;
    v.u.dst_cnt = !is_ret;
    if (is_ret)
        v.src[1] = reg;
    else
        v.dst[0] = reg;
    parameter_access(k, caller, v);
}

/* Old style: the formal parameter is a register of the callee. */
static void copy_register(struct cw_kcode *k, const struct activation *caller, const struct cw_vop *call, uint32_t arg,
                          const struct cw_var *formal, uint32_t callee_base, bool is_ret)
{
    struct cw_vop v = {.guard = CW_IR_NONE, .u = {.line = call->u.line}};
    struct cw_vopnd reg = {.kind = CW_V_REG, .id = callee_base + formal->vreg};
    copy_argument(k, caller, v, arg, (enum cw_type)cw_ptype_info[formal->ptype].type, reg, is_ret);
}

static uint64_t align_up(uint64_t v, uint64_t align)
{
    return align > 1 ? (v + align - 1) & ~(align - 1) : v;
}

static void expand_callee(struct cw_kcode *k, const struct activation *act, const struct cw_vop *v, const struct cw_call *call,
                          const struct cw_fn *callee)
{
    struct cw_ptx *p = k->p;
    if (callee->refused != NULL)
        cw_ptx_fail_refused(p, callee);
    struct binding *bind = p->ir.status == CW_OK ? cw_ir_alloc(&p->ir, call->arg_cnt, sizeof(*bind)) : NULL;
    if (bind == NULL)
        return;
    for (uint32_t i = 0; i < call->arg_cnt; i++)
        bind[i] = binding_of(p, act, act->fn->arg.a[call->arg + i]);
    struct activation inner = {.fn = callee, .caller = act, .bind = bind, .depth = act->depth + 1, .vreg_base = k->body.vreg.n};
    inner.line = act->line != 0 || !callee->is_library ? act->line : v->u.line;
    inner.frame = align_up(act->frame + act->fn->frame_bytes, callee->frame_align);
    inner.scope = cw_ptx_enter(k, callee, act->scope, v->u.line);
    for (uint32_t i = callee->ret_cnt; i < call->arg_cnt && p->ir.status == CW_OK; i++)
        if (p->var.a[callee->formal.a[i]].space == CW_VAR_REG_PARAM)
            copy_register(k, act, v, act->fn->arg.a[call->arg + i], &p->var.a[callee->formal.a[i]], inner.vreg_base, false);
    expand(k, &inner);
    k->scope = act->scope;
    for (uint32_t i = 0; i < callee->ret_cnt && p->ir.status == CW_OK; i++)
        if (p->var.a[callee->formal.a[i]].space == CW_VAR_REG_PARAM)
            copy_register(k, act, v, act->fn->arg.a[call->arg + i], &p->var.a[callee->formal.a[i]], inner.vreg_base, true);
    free(bind);
}

/* ---- intrinsics ---- */

static void note_intrinsic(struct cw_kcode *k, const struct cw_intrinsic *intrinsic)
{
    for (uint32_t i = 0; i < k->body.intrinsic.n; i++)
        if (k->body.intrinsic.a[i] == intrinsic)
            return;
    CW_PUSH(&k->p->ir, &k->body.intrinsic, intrinsic);
}

/* The register that holds the whole of the variable, or else a new one, *is_copy then. */
static struct cw_vopnd register_of(struct cw_kcode *k, const struct activation *act, uint32_t var, enum cw_type type, bool *is_copy)
{
    struct binding b = binding_of(k->p, act, var);
    const struct cw_var *owner = &k->p->var.a[b.owner];
    uint32_t bytes = cw_type_bytes(type);
    *is_copy = owner->in_memory || owner->cell[0].bytes != bytes;
    uint32_t id = *is_copy ? new_temp(k, bytes == 8 ? CW_PT_B64 : CW_PT_B32) : b.vreg_base + owner->cell_base;
    return (struct cw_vopnd){.kind = CW_V_REG, .id = id};
}

/* What a kernel can name: its functions, by the calls, and the variables of these, by the initial values too. */
struct reach {
    struct cw_ptx *p;
    uint8_t *fn, *var; /* by their numbers */
    CW_VEC(uint32_t) next;
};

static void reach_fn(struct reach *r, uint32_t id)
{
    id = resolve_alias(r->p, id);
    if (r->fn[id])
        return;
    r->fn[id] = 1;
    CW_PUSH(&r->p->ir, &r->next, id);
}

static void reach_calls(struct reach *r, const struct cw_fn *fn)
{
    uint32_t id;
    for (uint32_t i = 0; i < fn->call.n; i++) {
        const struct cw_call *call = &fn->call.a[i];
        if (!call->is_indirect)
            reach_fn(r, call->callee);
        for (uint32_t n = 0; call->is_indirect && (id = target_at(r->p, call, n)) != CW_IR_NONE; n++)
            reach_fn(r, id);
    }
}

static void reach_vars(struct reach *r, const struct cw_fn *fn)
{
    for (uint32_t i = 0; i < fn->code.n; i++) {
        for (uint32_t j = 0; j < CW_UOP_SRCS; j++) {
            const struct cw_vopnd *o = &fn->code.a[i].src[j];
            if (o->kind == CW_V_CONST && cw_ptx_is_variable(r->p->konsts.c.a[o->id].var))
                r->var[r->p->konsts.c.a[o->id].var] = 1;
        }
    }
}

static void reach_all(struct reach *r, uint32_t entry)
{
    struct cw_ptx *p = r->p;
    reach_fn(r, entry);
    while (r->next.n > 0 && p->ir.status == CW_OK) {
        const struct cw_fn *fn = &p->fn.a[r->next.a[--r->next.n]];
        reach_calls(r, fn);
        reach_vars(r, fn);
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < p->init.n; i++) {
            more |= r->var[p->init.a[i].owner] > r->var[p->init.a[i].var];
            r->var[p->init.a[i].var] |= r->var[p->init.a[i].owner];
        }
    }
}

static uint32_t conversions(const struct cw_var *v)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < v->init.n; j++)
        n += v->init.a[j] == '%' || v->init.a[j] == '*';
    return n;
}

/* Most conversions of a string that the kernel can name, or, when it can name none, of any of the module. */
static uint32_t most_conversions(const struct cw_ptx *p, const uint8_t *named)
{
    uint32_t own = 0, all = 0;
    bool any_own = false, any = false;
    for (uint32_t i = 0; i < p->var.n; i++) {
        const struct cw_var *v = &p->var.a[i];
        if (cw_ptype_info[v->ptype].bytes != 1 || v->init.n == 0)
            continue;
        const uint32_t n = conversions(v);
        any = true;
        any_own |= named[i];
        all = n > all ? n : all;
        own = named[i] && n > own ? n : own;
    }
    return any_own ? own : any ? all : CW_PRINT_ARGS;
}

/* Most 32-bit words that the arguments of a vprintf take: no format has more conversions than one of the kernel's strings. */
static uint32_t print_words(struct cw_ptx *p, uint32_t entry)
{
    struct reach r = {.p = p, .fn = cw_ir_alloc(&p->ir, p->fn.n, 1), .var = cw_ir_alloc(&p->ir, p->var.n, 1)};
    uint32_t most = 0;
    if (r.fn != NULL && r.var != NULL) {
        reach_all(&r, entry);
        most = most_conversions(p, r.var);
    }
    free(r.fn);
    free(r.var);
    free(r.next.a);
    return 2 * (most < CW_PRINT_ARGS ? most : CW_PRINT_ARGS);
}

/* The words of the arguments are loaded one by one, as the memory holds them then; lanes without arguments have the address 0. How many
 * there are only the format says: what is loaded beyond them is local memory that the kernel is given for this. */
static void load_print_words(struct cw_kcode *k, const struct cw_vop *call, struct cw_vopnd args)
{
    struct cw_ptx *p = k->p;
    struct cw_vop has = {.guard = CW_IR_NONE, .u = {.op = CW_OP_SETP, .type = CW_U64, .stype = CW_TYPE_NONE, .line = call->u.line}};
    has.u.cmp = CW_CMP_NE;
    has.u.dst_cnt = 1;
    has.u.src_cnt = 2;
    has.dst[0] = (struct cw_vopnd){.kind = CW_V_REG, .id = new_temp(k, CW_PT_PRED)};
    has.src[0] = args;
    has.src[1] = (struct cw_vopnd){.kind = CW_V_CONST, .id = cw_konst_add(&p->ir, &k->body.konsts, 0, 8, CW_IR_NONE)};
    if (call->guard != CW_IR_NONE) {
        has.u.boolop = CW_BOOL_AND;
        has.u.src_cnt = 3;
        has.src[2] = (struct cw_vopnd){.kind = CW_V_REG, .id = call->guard, .neg = call->u.guard_neg};
    }
    push(k, &has);
    for (uint32_t i = 0; i < k->print_words && p->ir.status == CW_OK; i++) {
        struct cw_vop load = {.guard = has.dst[0].id,
                              .u = {.op = CW_OP_LD, .type = CW_U32, .stype = CW_U32, .vec = 1, .line = call->u.line}};
        struct cw_vop word = {.guard = has.dst[0].id, .u = {.op = CW_OP_PRINT_WORD, .type = CW_U32, .stype = CW_TYPE_NONE, .imm = i}};
        load.u.space = CW_SPACE_GENERIC;
        load.u.flags = CW_UF_CACHE_ALL;
        load.u.imm = 4 * (int64_t)i;
        load.u.dst_cnt = load.u.src_cnt = word.u.src_cnt = 1;
        load.src[0] = args;
        load.dst[0] = word.src[0] = (struct cw_vopnd){.kind = CW_V_REG, .id = new_temp(k, CW_PT_B32)};
        word.u.line = call->u.line;
        push(k, &load);
        push(k, &word);
    }
}

/* The call v as one micro-op, whose operands are the registers of the arguments and of the result. */
static void expand_intrinsic(struct cw_kcode *k, const struct activation *act, struct cw_vop v, const struct cw_call *call,
                             const struct cw_intrinsic *intrinsic)
{
    static const uint16_t ops[] = {[CW_INTRINSIC_REGION_BEGIN] = CW_OP_REGION_BEGIN,
                                   [CW_INTRINSIC_REGION_END] = CW_OP_REGION_END,
                                   [CW_INTRINSIC_CALL] = CW_OP_INTRINSIC,
                                   [CW_INTRINSIC_PRINT] = CW_OP_PRINT,
                                   [CW_INTRINSIC_ASSERT] = CW_OP_ASSERT,
                                   [CW_INTRINSIC_BAD_FREE] = CW_OP_TRAP};
    const struct cw_vop around = {.guard = v.guard, .u = {.guard_neg = v.u.guard_neg, .line = v.u.line}};
    const uint32_t rets = cw_intrinsic_has_result(intrinsic);
    const enum cw_type result = (enum cw_type)intrinsic->result;
    bool is_copy = false;
    v.u.op = ops[intrinsic->role];
    if (intrinsic->role == CW_INTRINSIC_BAD_FREE)
        v.u.cmp = CW_TRAP_FREE;
    v.u.intrinsic = intrinsic;
    v.u.src_cnt = intrinsic->arg_cnt;
    v.u.dst_cnt = (uint8_t)rets;
    for (uint32_t i = 0; i < intrinsic->arg_cnt; i++) {
        const enum cw_type type = (enum cw_type)intrinsic->arg[i];
        const uint32_t arg = act->fn->arg.a[call->arg + rets + i];
        v.src[i] = register_of(k, act, arg, type, &is_copy);
        if (is_copy)
            copy_argument(k, act, around, arg, type, v.src[i], false);
    }
    is_copy = false;
    if (rets > 0) {
        v.u.type = (uint8_t)result;
        v.dst[0] = register_of(k, act, act->fn->arg.a[call->arg], result, &is_copy);
    }
    if (intrinsic->role == CW_INTRINSIC_PRINT) {
        if (!k->prints)
            k->print_words = print_words(k->p, k->entry);
        k->prints = true;
        load_print_words(k, &v, v.src[1]);
        v.u.src_cnt = 1;
        v.u.imm = k->print_words;
    }
    push(k, &v);
    if (is_copy)
        copy_argument(k, act, around, act->fn->arg.a[call->arg], result, v.dst[0], true);
    if (intrinsic->role <= CW_INTRINSIC_CALL)
        note_intrinsic(k, intrinsic);
}

/* ---- calls ---- */

static bool is_active(const struct activation *act, const struct cw_fn *fn)
{
    while (act != NULL && act->fn != fn)
        act = act->caller;
    return act != NULL;
}

/* Lanes whose address is not that of the function id branch away: the micro-op whose target is to be set. */
static uint32_t push_unless(struct cw_kcode *k, const struct cw_vop *v, uint32_t id)
{
    struct cw_vop compare = {.guard = CW_IR_NONE, .u = {.op = CW_OP_SETP, .type = CW_U64, .stype = CW_TYPE_NONE, .line = v->u.line}};
    struct cw_vop branch = {.u = {.op = CW_OP_BRA, .type = CW_TYPE_NONE, .stype = CW_TYPE_NONE, .line = v->u.line}};
    compare.u.cmp = CW_CMP_NE;
    compare.u.dst_cnt = 1;
    compare.u.src_cnt = 2;
    compare.dst[0] = (struct cw_vopnd){.kind = CW_V_REG, .id = new_temp(k, CW_PT_PRED)};
    compare.src[0] = v->src[0];
    compare.src[1] = (struct cw_vopnd){.kind = CW_V_CONST, .id = cw_konst_add(&k->p->ir, &k->body.konsts, 0, 8, CW_PTX_FUNCTION | id)};
    branch.guard = compare.dst[0].id;
    push(k, &compare);
    push(k, &branch);
    return k->body.code.n - 1;
}

/* One target after the other: the lanes that mean it call it, the others go on to the next one. Who is left means none of them. */
static void expand_indirect(struct cw_kcode *k, const struct activation *act, const struct cw_vop *v, const struct cw_call *call)
{
    struct cw_ptx *p = k->p;
    CW_VEC(uint32_t) done = {0};
    uint32_t id;
    for (uint32_t n = 0; p->ir.status == CW_OK && (id = target_at(p, call, n)) != CW_IR_NONE; n++) {
        const struct cw_fn *callee = &p->fn.a[resolve_alias(p, id)];
        if (is_active(act, callee))
            continue;
        uint32_t unless = push_unless(k, v, id);
        expand_callee(k, act, v, call, callee);
        struct cw_vop leave = {.guard = CW_IR_NONE, .u = {.op = CW_OP_BRA, .type = CW_TYPE_NONE, .stype = CW_TYPE_NONE, .line = v->u.line}};
        CW_PUSH(&p->ir, &done, k->body.code.n);
        push(k, &leave);
        if (p->ir.status == CW_OK)
            k->body.code.a[unless].u.target = k->body.code.n;
    }
    struct cw_vop nobody = {.guard = CW_IR_NONE, .u = {.op = CW_OP_TRAP, .type = CW_TYPE_NONE, .stype = CW_TYPE_NONE, .line = v->u.line}};
    nobody.u.cmp = CW_TRAP_CALL;
    push(k, &nobody);
    for (uint32_t i = 0; i < done.n && p->ir.status == CW_OK; i++)
        k->body.code.a[done.a[i]].u.target = k->body.code.n;
    free(done.a);
}

/* How often the function is active already. */
static uint32_t activations(const struct activation *act, const struct cw_fn *fn)
{
    uint32_t n = 0;
    for (; act != NULL; act = act->caller)
        n += act->fn == fn;
    return n;
}

static void expand_direct(struct cw_kcode *k, const struct activation *act, const struct cw_vop *v, const struct cw_call *call,
                          const struct cw_fn *callee)
{
    const uint32_t depth = activations(act, callee);
    k->recurses |= depth > 0;
    if (depth < k->max_depth) {
        expand_callee(k, act, v, call, callee);
        return;
    }
    struct cw_vop trap = {.guard = CW_IR_NONE, .u = {.op = CW_OP_TRAP, .type = CW_TYPE_NONE, .stype = CW_TYPE_NONE, .line = v->u.line}};
    trap.u.cmp = CW_TRAP_DEPTH;
    trap.u.imm = depth;
    push(k, &trap);
}

static void expand_call(struct cw_kcode *k, const struct activation *act, struct cw_vop v)
{
    struct cw_ptx *p = k->p;
    const struct cw_call *call = &act->fn->call.a[v.u.target];
    const struct cw_fn *callee = &p->fn.a[resolve_alias(p, call->callee)];
    v.u.target = 0;
    if (++k->expanded > CW_PTX_MAX_UOPS)
        cw_ptx_fail_at(p, CW_EUNSUP, v.u.line, 1, "more than %u calls to expand", CW_PTX_MAX_UOPS);
    if (!callee->is_defined && !call->is_indirect) {
        expand_intrinsic(k, act, v, call, callee->intrinsic);
        return;
    }
    uint32_t around = CW_IR_NONE;
    if (v.guard != CW_IR_NONE) { /* lanes whose guard is false skip the body */
        struct cw_vop skip = v;
        skip.u.op = CW_OP_BRA;
        skip.u.src_cnt = 0;
        skip.u.guard_neg = !v.u.guard_neg;
        around = k->body.code.n;
        push(k, &skip);
    }
    if (call->is_indirect)
        expand_indirect(k, act, &v, call);
    else
        expand_direct(k, act, &v, call, callee);
    if (around != CW_IR_NONE && p->ir.status == CW_OK)
        k->body.code.a[around].u.target = k->body.code.n;
}

static void expand_ret(struct cw_kcode *k, struct activation *act, struct cw_vop v, bool is_last)
{
    if (act->fn->is_entry) {
        v.u.op = CW_OP_EXIT;
        push(k, &v);
    } else if (!is_last) {
        v.u.op = CW_OP_BRA;
        CW_PUSH(&k->p->ir, &act->ret, k->body.code.n);
        push(k, &v);
    }
}

static void expand_op(struct cw_kcode *k, struct activation *act, const struct cw_vop *op, bool is_last)
{
    struct cw_vop v = renamed(k, act, op);
    if (k->p->ir.status != CW_OK)
        return;
    if (act->line != 0) {
        v.u.line = act->line;
        if (act->fn->has_heap)
            v.u.flags |= op->u.op == CW_OP_LD || op->u.op == CW_OP_ST || op->u.op == CW_OP_ATOM ? CW_UF_HEAP : 0;
    }
    switch (v.u.op) {
    case CW_VOP_CALL:
        expand_call(k, act, v);
        break;
    case CW_VOP_PLD:
    case CW_VOP_PST:
        parameter_access(k, act, v);
        break;
    case CW_VOP_RET:
        expand_ret(k, act, v, is_last);
        break;
    case CW_OP_BRA:
        CW_PUSH(&k->p->ir, &act->branch, k->body.code.n);
        push(k, &v);
        break;
    default:
        push(k, &v);
        break;
    }
}

/* fn's branch tables, with the targets still in fn's numbering; returns the kernel's number of the first. */
static uint32_t copy_tables(struct cw_kcode *k, const struct cw_fn *fn)
{
    uint32_t base = k->body.table.n;
    for (uint32_t i = 0; i < fn->table.n && k->p->ir.status == CW_OK; i++) {
        struct cw_target_table t = {.cnt = fn->table.a[i].cnt};
        t.target = cw_ir_alloc(&k->p->ir, t.cnt, sizeof(*t.target));
        uint32_t n = k->body.table.n;
        if (t.target != NULL) {
            memcpy(t.target, fn->table.a[i].target, t.cnt * sizeof(*t.target));
            CW_PUSH(&k->p->ir, &k->body.table, t);
        }
        if (k->body.table.n == n)
            free(t.target);
    }
    return base;
}

static void expand(struct cw_kcode *k, struct activation *act)
{
    struct cw_ptx *p = k->p;
    const struct cw_fn *fn = act->fn;
    uint64_t end = act->frame + fn->frame_bytes;
    k->local_bytes = end > k->local_bytes ? end : k->local_bytes;
    uint32_t *map = cw_ir_alloc(&p->ir, (size_t)fn->code.n + 1, sizeof(*map));
    if (map == NULL)
        return;
    uint32_t table_base = copy_tables(k, fn), table_end = k->body.table.n;
    for (uint32_t i = 0; i < fn->code.n && p->ir.status == CW_OK; i++) {
        map[i] = k->body.code.n;
        expand_op(k, act, &fn->code.a[i], i + 1 == fn->code.n && fn->code.a[i].guard == CW_IR_NONE);
        if (fn->code.a[i].u.op == CW_OP_BRX && p->ir.status == CW_OK)
            k->body.code.a[k->body.code.n - 1].u.target += table_base;
    }
    map[fn->code.n] = k->body.code.n;
    for (uint32_t i = 0; i < act->branch.n && p->ir.status == CW_OK; i++)
        k->body.code.a[act->branch.a[i]].u.target = map[k->body.code.a[act->branch.a[i]].u.target];
    for (uint32_t i = 0; i < act->ret.n && p->ir.status == CW_OK; i++)
        k->body.code.a[act->ret.a[i]].u.target = k->body.code.n;
    for (uint32_t i = table_base; i < table_end && p->ir.status == CW_OK; i++)
        for (uint32_t j = 0; j < k->body.table.a[i].cnt; j++)
            k->body.table.a[i].target[j] = map[k->body.table.a[i].target[j]];
    free(act->branch.a);
    free(act->ret.a);
    free(map);
}

/* A kernel that can run off its end, or that has a label there, gets the EXIT that this means. */
static void close_end(struct cw_kcode *k)
{
    uint32_t n = k->body.code.n;
    const struct cw_vop *last = n > 0 ? &k->body.code.a[n - 1] : NULL;
    bool open =
        last == NULL || last->guard != CW_IR_NONE || (last->u.op != CW_OP_EXIT && last->u.op != CW_OP_BRA && last->u.op != CW_OP_BRX);
    for (uint32_t i = 0; i < n && !open; i++)
        open = k->body.code.a[i].u.op == CW_OP_BRA && k->body.code.a[i].u.target == n;
    for (uint32_t i = 0; i < k->body.table.n && !open; i++)
        for (uint32_t j = 0; j < k->body.table.a[i].cnt && !open; j++)
            open = k->body.table.a[i].target[j] == n;
    if (open) {
        struct cw_vop v = {.guard = CW_IR_NONE, .u = {.type = CW_TYPE_NONE, .stype = CW_TYPE_NONE}};
        v.u.op = CW_OP_EXIT;
        v.u.line = last != NULL ? last->u.line : 1;
        push(k, &v);
    }
}

static void expand_kernel(struct cw_ptx *p, uint32_t entry, uint32_t max_depth, struct cw_kcode *k)
{
    *k = (struct cw_kcode){.p = p, .entry = entry, .max_depth = max_depth};
    struct activation act = {.fn = &p->fn.a[entry]};
    act.scope = cw_ptx_enter(k, act.fn, 0, 0);
    expand(k, &act);
    k->local_bytes += k->print_words > 0 ? (k->local_bytes % 8 == 0 ? 0 : 8 - k->local_bytes % 8) + 4 * (uint64_t)k->print_words : 0;
    if (p->ir.status == CW_OK)
        close_end(k);
}

void cw_ptx_expand(struct cw_ptx *p, uint32_t entry, struct cw_kcode *k)
{
    for (uint32_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
        expand_kernel(p, entry, depths[i], k);
        if (p->ir.status != CW_EUNSUP || !k->is_too_large)
            return;
        cw_code_free(&k->body);
        p->ir.status = CW_OK;
    }
}
