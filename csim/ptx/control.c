/* SPDX-License-Identifier: Apache-2.0 */
/* Branches, calls, barriers. */
#include <stdlib.h>

#include "ptx/insn.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void simple(struct cw_ptx *p, struct cw_insn *in, uint16_t op)
{
    in->v.u.op = op;
    if (cw_insn_all(p, in))
        cw_insn_emit(p, in);
}

static void exit_(struct cw_ptx *p, struct cw_insn *in)
{
    simple(p, in, CW_OP_EXIT);
}

static void trap(struct cw_ptx *p, struct cw_insn *in)
{
    simple(p, in, CW_OP_TRAP);
}

static void brkpt(struct cw_ptx *p, struct cw_insn *in)
{
    simple(p, in, CW_OP_BRKPT);
}

static void ret(struct cw_ptx *p, struct cw_insn *in)
{
    cw_insn_accept(in, "uni");
    simple(p, in, CW_VOP_RET);
}

static void pmevent(struct cw_ptx *p, struct cw_insn *in)
{
    cw_insn_accept(in, "mask");
    cw_ptx_uint(p, 0xffff, "event");
    simple(p, in, CW_OP_NOP);
}

/* Kernels run one after the other: nothing to wait for, and nobody to launch. */
static void griddepcontrol(struct cw_ptx *p, struct cw_insn *in)
{
    if (!cw_insn_accept(in, "wait") && !cw_insn_accept(in, "launch_dependents"))
        in->next = 0;
    simple(p, in, CW_OP_NOP);
}

static void bra(struct cw_ptx *p, struct cw_insn *in)
{
    in->v.u.op = CW_OP_BRA;
    in->v.u.flags = (cw_insn_accept(in, "uni") ? CW_UF_UNI : 0);
    if (!cw_insn_all(p, in))
        return;
    if (p->tok.kind != CW_TOK_WORD || p->tok.text[0] == '%') {
        cw_ptx_fail(p, CW_EINVAL, "expected a label");
        return;
    }
    cw_ptx_label_ref(p, &p->tok, cw_ptx_fn(p)->code.n, 0, 0);
    cw_insn_emit(p, in);
    cw_ptx_advance(p);
}

static void brx(struct cw_ptx *p, struct cw_insn *in)
{
    in->v.u.op = CW_OP_BRX;
    if (!cw_insn_accept(in, "idx"))
        in->next = 0;
    in->v.u.flags = (cw_insn_accept(in, "uni") ? CW_UF_UNI : 0);
    if (!cw_insn_all(p, in))
        return;
    in->v.u.type = CW_U32;
    cw_insn_src(in, cw_opnd_src(p, CW_PT_U32));
    cw_ptx_expect(p, ',');
    struct cw_sym *s = p->tok.kind == CW_TOK_WORD ? cw_ptx_lookup(p, p->tok.text, p->tok.len) : NULL;
    if (s == NULL || s->kind != CW_SYM_TABLE) {
        cw_ptx_fail(p, CW_EINVAL, "expected the name of a .branchtargets list");
        return;
    }
    in->v.u.target = s->id;
    cw_ptx_advance(p);
    cw_insn_emit(p, in);
}

/* ---- calls ---- */

struct actuals { /* rets first */
    CW_VEC(uint32_t) var;
    CW_VEC(struct cw_insn) after; /* moves out of returned values, to follow the call */
};

/* A .param variable that the reader makes so that a register or constant can be passed like any other argument. */
static uint32_t implicit_variable(struct cw_ptx *p, uint8_t ptype)
{
    uint32_t id = p->var.n;
    CW_PUSH(&p->ir, &p->var,
            (struct cw_var){.name = "",
                            .space = CW_VAR_CALL_PARAM,
                            .ptype = ptype,
                            .bytes = cw_ptype_info[ptype].bytes,
                            .align = 8,
                            .cell_base = CW_IR_NONE});
    CW_PUSH(&p->ir, &cw_ptx_fn(p)->pvar, id);
    if (p->ir.status == CW_OK)
        CW_PUSH(&p->ir, &p->var.a[id].access, (struct cw_access){.bytes = cw_ptype_info[ptype].bytes, .is_store = 1});
    return id;
}

static struct cw_insn parameter_move(const struct cw_insn *call, uint32_t op, uint32_t var, uint8_t ptype)
{
    struct cw_insn in = {.word = call->word, .type = (enum cw_ptype)ptype, .v = {.guard = CW_IR_NONE}};
    in.v.u.op = (uint16_t)op;
    in.v.u.type = cw_ptype_info[ptype].type;
    in.v.u.vec = 1;
    in.v.u.stype = cw_ptype_info[ptype].bytes == 2 ? CW_U16 : CW_U32;
    cw_insn_src(&in, (struct cw_vopnd){.kind = CW_V_PVAR, .id = var});
    return in;
}

/* One argument or returned value, for formal parameter f of the callee. */
static uint32_t actual(struct cw_ptx *p, const struct cw_insn *call, struct actuals *a, uint32_t f, bool is_ret)
{
    uint8_t ptype = p->var.a[f].ptype;
    uint64_t bytes = p->var.a[f].bytes;
    struct cw_sym *s = p->tok.kind == CW_TOK_WORD ? cw_ptx_lookup(p, p->tok.text, p->tok.len) : NULL;
    if (s != NULL && s->kind == CW_SYM_VAR && p->var.a[s->id].space == CW_VAR_CALL_PARAM) {
        uint32_t var = s->id;
        if (p->var.a[var].bytes != bytes)
            cw_ptx_fail(p, CW_EINVAL, "argument has %llu bytes, the parameter %llu", (unsigned long long)p->var.a[var].bytes,
                        (unsigned long long)bytes);
        cw_ptx_advance(p);
        return var;
    }
    if (cw_ptype_info[ptype].bytes != bytes) {
        cw_ptx_fail(p, CW_EINVAL, "argument has to be a .param variable");
        return 0;
    }
    uint32_t var = implicit_variable(p, ptype);
    struct cw_insn in = parameter_move(call, is_ret ? CW_VOP_PLD : CW_VOP_PST, var, ptype);
    if (is_ret) {
        cw_insn_dst(&in, cw_opnd_dst(p, (enum cw_ptype)ptype));
        CW_PUSH(&p->ir, &a->after, in);
    } else {
        cw_insn_src(&in, cw_opnd_src(p, (enum cw_ptype)ptype));
        cw_insn_emit(p, &in);
    }
    return var;
}

/* "(a, b)" for formal parameters from .. end - 1 of callee. */
static void actual_list(struct cw_ptx *p, const struct cw_insn *call, struct actuals *a, uint32_t callee, uint32_t from, uint32_t end)
{
    cw_ptx_expect(p, '(');
    uint32_t i = from;
    while (p->ir.status == CW_OK && !cw_ptx_is_punct(p, ')')) {
        if (i == end) {
            cw_ptx_fail(p, CW_EINVAL, "too many %s", from == 0 && end == p->fn.a[callee].ret_cnt ? "returned values" : "arguments");
            return;
        }
        uint32_t var = actual(p, call, a, p->fn.a[callee].formal.a[i], i < p->fn.a[callee].ret_cnt);
        CW_PUSH(&p->ir, &a->var, var);
        i++;
        if (!cw_ptx_accept(p, ','))
            break;
    }
    if (i < end)
        cw_ptx_fail(p, CW_EINVAL, "too few arguments or returned values");
    cw_ptx_expect(p, ')');
}

/* Who is called: a function, or who has the parameters of those that an address may mean. */
struct target {
    uint32_t callee, list;
    bool is_indirect;
};

static void skip_list(struct cw_ptx *p)
{
    while (p->tok.kind != CW_TOK_EOF && !cw_ptx_accept(p, ')'))
        cw_ptx_advance(p);
}

/* "register, (arguments), name": the name is that of a prototype or of a list of functions. */
static void indirect_ahead(struct cw_ptx *p, struct target *t)
{
    t->is_indirect = true;
    cw_ptx_advance(p);
    if (cw_ptx_accept(p, ',') && cw_ptx_is_punct(p, '(')) {
        skip_list(p);
        cw_ptx_accept(p, ',');
    }
    const struct cw_sym *s = p->tok.kind == CW_TOK_WORD ? cw_ptx_lookup(p, p->tok.text, p->tok.len) : NULL;
    if (s != NULL && s->kind == CW_SYM_PROTOTYPE) {
        t->callee = s->id;
    } else if (s != NULL && s->kind == CW_SYM_CALLEES) {
        t->list = s->id;
        t->callee = p->callee.a[p->callees.a[s->id].first];
    } else {
        cw_ptx_fail(p, CW_EINVAL, "an indirect call needs the name of a .callprototype or .calltargets");
    }
}

/* Found behind the list of returned values, which needs the declaration. */
static struct target target_ahead(struct cw_ptx *p)
{
    struct cw_lex lex = p->lex;
    struct cw_tok tok = p->tok, ahead = p->ahead;
    struct target t = {.callee = CW_IR_NONE, .list = CW_IR_NONE};
    if (cw_ptx_is_punct(p, '(')) {
        skip_list(p);
        cw_ptx_accept(p, ',');
    }
    const struct cw_sym *s = p->tok.kind == CW_TOK_WORD ? cw_ptx_lookup(p, p->tok.text, p->tok.len) : NULL;
    if (s != NULL && s->kind == CW_SYM_FN && !p->fn.a[s->id].is_entry)
        t.callee = s->id;
    else if (p->tok.kind == CW_TOK_WORD && cw_ptx_find_reg(p, &p->tok) != CW_IR_NONE)
        indirect_ahead(p, &t);
    else
        cw_ptx_fail(p, CW_EINVAL, "expected the name of a declared function");
    if (p->ir.status == CW_OK) {
        p->lex = lex;
        p->tok = tok;
        p->ahead = ahead;
    }
    return t;
}

static void call_emit(struct cw_ptx *p, struct cw_insn *in, struct actuals *a, const struct target *t)
{
    struct cw_fn *fn = cw_ptx_fn(p);
    in->v.u.op = CW_VOP_CALL;
    in->v.u.target = fn->call.n;
    CW_PUSH(&p->ir, &fn->call,
            (struct cw_call){
                .callee = t->callee, .is_indirect = t->is_indirect, .list = t->list, .arg = fn->arg.n, .arg_cnt = a->var.n, .at = p->stmt});
    for (uint32_t i = 0; i < a->var.n; i++)
        CW_PUSH(&p->ir, &fn->arg, a->var.a[i]);
    cw_insn_emit(p, in);
    for (uint32_t i = 0; i < a->after.n; i++)
        cw_insn_emit(p, &a->after.a[i]);
}

/* The lists of returned values and arguments around the name or the register. */
static void call_operands(struct cw_ptx *p, struct cw_insn *in, struct actuals *a, const struct target *t)
{
    uint32_t rets = p->fn.a[t->callee].ret_cnt, formals = p->fn.a[t->callee].formal.n;
    if (cw_ptx_is_punct(p, '(')) {
        actual_list(p, in, a, t->callee, 0, rets);
        cw_ptx_expect(p, ',');
    } else if (rets > 0) {
        cw_ptx_fail(p, CW_EINVAL, "too few arguments or returned values");
    }
    if (t->is_indirect)
        cw_insn_src(in, cw_opnd_src(p, CW_PT_U64));
    else
        cw_ptx_advance(p); /* the name */
    bool has_list = cw_ptx_accept(p, ',');
    if (has_list && (!t->is_indirect || cw_ptx_is_punct(p, '('))) {
        actual_list(p, in, a, t->callee, rets, formals);
        has_list = cw_ptx_accept(p, ',');
    } else if (formals > rets) {
        cw_ptx_fail(p, CW_EINVAL, "too few arguments or returned values");
    }
    if (t->is_indirect)
        cw_ptx_advance(p); /* the prototype */
    else if (has_list)
        cw_ptx_fail(p, CW_EINVAL, "a call by name takes no prototype");
}

/* call{.uni} (returned), function, (arguments); both lists may be missing when they are empty. */
static void call(struct cw_ptx *p, struct cw_insn *in)
{
    struct actuals a = {0};
    cw_insn_accept(in, "uni");
    if (!cw_insn_all(p, in))
        return;
    const struct target t = target_ahead(p);
    if (p->ir.status != CW_OK)
        return;
    call_operands(p, in, &a, &t);
    if (p->ir.status == CW_OK)
        call_emit(p, in, &a, &t);
    free(a.var.a);
    free(a.after.a);
}

/* ---- barriers ---- */

static bool at_predicate(struct cw_ptx *p)
{
    uint32_t reg = p->tok.kind == CW_TOK_WORD ? cw_ptx_find_reg(p, &p->tok) : CW_IR_NONE;
    return cw_ptx_is_punct(p, '!') || (reg != CW_IR_NONE && cw_ptx_fn(p)->vreg.a[reg].ptype == CW_PT_PRED);
}

/* a{, b}{, predicate} into src0 .. src2 */
static void barrier_operands(struct cw_ptx *p, struct cw_insn *in, bool with_predicate)
{
    in->v.src[0] = cw_opnd_src(p, CW_PT_U32);
    in->v.u.src_cnt = 1;
    if (p->ir.status == CW_OK && in->v.src[0].kind == CW_V_CONST && p->konsts.c.a[in->v.src[0].id].value > 15)
        cw_ptx_fail(p, CW_EINVAL, "barriers are numbered 0 to 15");
    if (cw_ptx_is_punct(p, ',') && p->ir.status == CW_OK) {
        cw_ptx_advance(p);
        if (with_predicate && at_predicate(p)) {
            in->v.src[2] = cw_opnd_pred(p);
            in->v.u.src_cnt = 3;
            return;
        }
        in->v.src[1] = cw_opnd_src(p, CW_PT_U32);
        in->v.u.src_cnt = 2;
    }
    if (with_predicate) {
        cw_ptx_expect(p, ',');
        in->v.src[2] = cw_opnd_pred(p);
        in->v.u.src_cnt = 3;
    }
}

/* `bar` is `barrier` with .aligned (PTX ISA, barrier). */
static void aligned(struct cw_insn *in)
{
    if (!cw_insn_accept(in, "aligned") && cw_part_is(&in->part[0], "barrier"))
        in->v.u.flags |= CW_UF_APART;
}

static void barrier_reduce(struct cw_ptx *p, struct cw_insn *in)
{
    enum cw_ptype type = CW_PT_PRED;
    if (cw_insn_accept(in, "popc")) {
        in->v.u.cmp = CW_BAR_RED_POPC;
        type = CW_PT_U32;
    } else {
        in->v.u.cmp = cw_insn_accept(in, "and") ? CW_BAR_RED_AND : CW_BAR_RED_OR;
        if (in->v.u.cmp == CW_BAR_RED_OR && !cw_insn_accept(in, "or"))
            in->next = 0;
    }
    if (in->next != 0)
        aligned(in);
    if (in->next == 0 || cw_insn_type(in) != type || in->next != in->part_cnt) {
        cw_insn_refuse(p, in);
        return;
    }
    in->v.u.type = cw_ptype_info[type].type;
    cw_insn_dst(in, cw_opnd_dst(p, type));
    cw_ptx_expect(p, ',');
    barrier_operands(p, in, true);
    cw_insn_emit(p, in);
}

static void bar(struct cw_ptx *p, struct cw_insn *in)
{
    in->v.u.op = CW_OP_BAR;
    if (cw_insn_accept(in, "warp")) {
        in->v.u.cmp = CW_BAR_WARP;
        if (!cw_insn_accept(in, "sync"))
            in->next = 0;
        if (!cw_insn_all(p, in))
            return;
        cw_insn_src(in, cw_opnd_src(p, CW_PT_B32));
        cw_insn_emit(p, in);
        return;
    }
    cw_insn_accept(in, "cta");
    if (cw_insn_accept(in, "red")) {
        barrier_reduce(p, in);
        return;
    }
    in->v.u.cmp = cw_insn_accept(in, "arrive") ? CW_BAR_ARRIVE : CW_BAR_SYNC;
    if (in->v.u.cmp == CW_BAR_SYNC && !cw_insn_accept(in, "sync"))
        in->next = 0;
    else
        aligned(in);
    if (!cw_insn_all(p, in))
        return;
    barrier_operands(p, in, false);
    if (in->v.u.cmp == CW_BAR_ARRIVE && in->v.u.src_cnt < 2)
        cw_ptx_fail(p, CW_EINVAL, "bar.arrive needs a number of threads");
    cw_insn_emit(p, in);
}

bool cw_insn_control(struct cw_ptx *p, struct cw_insn *in)
{
    static const struct {
        const char *name;
        void (*read)(struct cw_ptx *p, struct cw_insn *in);
    } table[] = {{"bra", bra},
                 {"brx", brx},
                 {"exit", exit_},
                 {"ret", ret},
                 {"call", call},
                 {"bar", bar},
                 {"barrier", bar},
                 {"trap", trap},
                 {"brkpt", brkpt},
                 {"pmevent", pmevent},
                 {"griddepcontrol", griddepcontrol}};
    for (uint32_t i = 0; i < COUNT(table); i++) {
        if (cw_part_is(&in->part[0], table[i].name)) {
            table[i].read(p, in);
            return true;
        }
    }
    return false;
}
