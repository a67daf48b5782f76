/* SPDX-License-Identifier: Apache-2.0 */
/* Operands: registers, special registers, literals, addresses of variables, each checked against the type that the instruction wants. */
#include <stdio.h>
#include <string.h>

#include "ptx/insn.h"

struct cw_vopnd cw_opnd_reg(uint32_t vreg)
{
    return (struct cw_vopnd){.kind = CW_V_REG, .id = vreg};
}

struct cw_vopnd cw_opnd_const(struct cw_ptx *p, uint64_t value, uint32_t bytes)
{
    uint64_t mask = bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
    return (struct cw_vopnd){.kind = CW_V_CONST, .id = cw_konst_add(&p->ir, &p->konsts, value & mask, bytes == 8 ? 8 : 4, CW_IR_NONE)};
}

uint32_t cw_opnd_bytes(const struct cw_ptx *p, struct cw_vopnd o)
{
    const struct cw_fn *fn = &p->fn.a[p->cur];
    return o.kind == CW_V_REG && o.id < fn->vreg.n ? fn->vreg.a[o.id].bytes : 0; /* no such register: memory ran out */
}

/* The PTX rule: sizes are equal; .b goes with all, integers with integers, floats only with the same float. */
static bool types_agree(enum cw_ptype want, enum cw_ptype have)
{
    const struct cw_ptype_info *w = &cw_ptype_info[want], *h = &cw_ptype_info[have];
    if (want == have)
        return true;
    if (w->bytes != h->bytes || w->kind == 'p' || h->kind == 'p')
        return false;
    bool w_float = w->kind == 'f', h_float = h->kind == 'f';
    return w->kind == 'b' || h->kind == 'b' || (!w_float && !h_float);
}

static struct cw_vopnd none(struct cw_ptx *p, int status, const char *why)
{
    cw_ptx_fail(p, status, "%s", why);
    return (struct cw_vopnd){.kind = CW_V_NONE};
}

static struct cw_vopnd mismatch(struct cw_ptx *p, enum cw_ptype want)
{
    cw_ptx_fail(p, CW_EINVAL, "%.*s does not fit .%s", (int)(p->tok.len < 60 ? p->tok.len : 60), p->tok.text, cw_ptype_info[want].name);
    return (struct cw_vopnd){.kind = CW_V_NONE};
}

struct cw_vopnd cw_opnd_dst(struct cw_ptx *p, enum cw_ptype want)
{
    if (cw_ptx_accept_word(p, "_"))
        return (struct cw_vopnd){.kind = CW_V_SINK};
    uint32_t reg = p->tok.kind == CW_TOK_WORD ? cw_ptx_find_reg(p, &p->tok) : CW_IR_NONE;
    if (reg == CW_IR_NONE)
        return none(p, CW_EINVAL, "expected a register");
    if (!types_agree(want, (enum cw_ptype)cw_ptx_fn(p)->vreg.a[reg].ptype))
        return mismatch(p, want);
    cw_ptx_advance(p);
    return cw_opnd_reg(reg);
}

struct cw_vopnd cw_opnd_wide_dst(struct cw_ptx *p, uint32_t bytes)
{
    if (cw_ptx_accept_word(p, "_"))
        return (struct cw_vopnd){.kind = CW_V_SINK};
    uint32_t reg = p->tok.kind == CW_TOK_WORD ? cw_ptx_find_reg(p, &p->tok) : CW_IR_NONE;
    if (reg == CW_IR_NONE)
        return none(p, CW_EINVAL, "expected a register");
    if (cw_ptx_fn(p)->vreg.a[reg].bytes < bytes)
        return none(p, CW_EINVAL, "register is too narrow");
    cw_ptx_advance(p);
    return cw_opnd_reg(reg);
}

static uint64_t double_to(double d, enum cw_ptype want)
{
    uint64_t bits;
    float f = (float)d;
    uint32_t word;
    memcpy(&bits, &d, sizeof(bits));
    memcpy(&word, &f, sizeof(word));
    return want == CW_PT_F32 ? word : bits;
}

/* A floating-point literal, maybe negative. In a .b instruction 0f and 0d literals are bit patterns. */
static struct cw_vopnd float_literal(struct cw_ptx *p, enum cw_ptype want)
{
    const struct cw_ptype_info *w = &cw_ptype_info[want];
    bool negate = cw_ptx_accept(p, '-');
    uint64_t bits = p->tok.value;
    double d;
    if (p->tok.kind == CW_TOK_F32) {
        uint32_t word = (uint32_t)bits;
        float f;
        memcpy(&f, &word, sizeof(f));
        d = f;
    } else {
        memcpy(&d, &bits, sizeof(d));
    }
    bool same_width = p->tok.kind != CW_TOK_FLOAT && w->bytes == (p->tok.kind == CW_TOK_F32 ? 4 : 8);
    if (!same_width) { /* not converted when widths are equal: the bits of a NaN stay */
        if (want != CW_PT_F32 && want != CW_PT_F64)
            return mismatch(p, want);
        bits = double_to(d, want);
    } else if (w->kind != 'f' && w->kind != 'b') {
        return mismatch(p, want);
    }
    if (negate)
        bits ^= UINT64_C(1) << (8 * w->bytes - 1);
    cw_ptx_advance(p);
    return cw_opnd_const(p, bits, w->bytes);
}

/* Of a constant that is wider than its operand the lower part counts: PTX constants have 64 bits, and ptxas cuts them. */
static struct cw_vopnd integer_literal(struct cw_ptx *p, enum cw_ptype want)
{
    const struct cw_ptype_info *w = &cw_ptype_info[want];
    struct cw_tok at = p->tok;
    uint64_t v = cw_ptx_expr(p, NULL);
    if (p->ir.status != CW_OK)
        return (struct cw_vopnd){.kind = CW_V_NONE};
    if (want == CW_PT_PRED)
        return (struct cw_vopnd){.kind = CW_V_CPRED, .id = v != 0};
    if (w->kind == 'f')
        cw_ptx_fail_tok(p, CW_EINVAL, &at, "an integer does not fit .%s", w->name);
    return cw_opnd_const(p, v, w->bytes);
}

/* The address of a variable, plus a constant. */
static struct cw_vopnd address_of(struct cw_ptx *p, enum cw_ptype want, const struct cw_sym *s)
{
    const struct cw_ptype_info *w = &cw_ptype_info[want];
    uint32_t var = s->id;
    struct cw_var *v = &p->var.a[var];
    if (w->kind == 'f' || w->kind == 'p' || w->bytes < 4)
        return mismatch(p, want);
    if (w->bytes == 4 && v->space == CW_VAR_GLOBAL)
        return none(p, CW_EUNSUP, "the address of a .global variable needs 64 bits");
    if (v->space == CW_VAR_CALL_PARAM && !v->is_formal)
        return none(p, CW_EUNSUP, "the address of a call's .param variable cannot be taken");
    if (v->space == CW_VAR_CALL_PARAM)
        v->in_memory = 1;
    cw_ptx_advance(p);
    uint64_t addend = cw_ptx_is_punct(p, '+') || cw_ptx_is_punct(p, '-') ? cw_ptx_expr(p, NULL) : 0;
    return (struct cw_vopnd){.kind = CW_V_CONST, .id = cw_konst_add(&p->ir, &p->konsts, addend, w->bytes, var)};
}

static struct cw_vopnd function_address(struct cw_ptx *p, enum cw_ptype want, uint32_t fn)
{
    const struct cw_ptype_info *w = &cw_ptype_info[want];
    if (w->bytes != 8 || w->kind == 'f')
        return mismatch(p, want);
    p->fn.a[fn].is_address_taken = !p->fn.a[fn].is_entry; /* A kernel is launched by its address, and not called */
    cw_ptx_advance(p);
    return (struct cw_vopnd){.kind = CW_V_CONST, .id = cw_konst_add(&p->ir, &p->konsts, 0, 8, CW_PTX_FUNCTION | fn)};
}

static bool at_float_literal(const struct cw_ptx *p)
{
    const struct cw_tok *t = cw_ptx_is_punct(p, '-') ? &p->ahead : &p->tok;
    return t->kind == CW_TOK_FLOAT || t->kind == CW_TOK_F32 || t->kind == CW_TOK_F64;
}

/* Anything that is not a register. */
static struct cw_vopnd constant_operand(struct cw_ptx *p, enum cw_ptype want)
{
    if (at_float_literal(p))
        return float_literal(p, want);
    if (p->tok.kind != CW_TOK_WORD || cw_tok_is(&p->tok, "WARP_SZ"))
        return integer_literal(p, want);
    const struct cw_sym *s = cw_ptx_lookup(p, p->tok.text, p->tok.len);
    if (s != NULL && s->kind == CW_SYM_VAR)
        return address_of(p, want, s);
    if (s != NULL && s->kind == CW_SYM_FN)
        return function_address(p, want, s->id);
    if (p->tok.text[0] == '%')
        return cw_opnd_sreg(p, want);
    return none(p, CW_EINVAL, "name is not declared");
}

struct cw_vopnd cw_opnd_src(struct cw_ptx *p, enum cw_ptype want)
{
    uint32_t reg = p->tok.kind == CW_TOK_WORD ? cw_ptx_find_reg(p, &p->tok) : CW_IR_NONE;
    if (reg == CW_IR_NONE)
        return constant_operand(p, want);
    if (!types_agree(want, (enum cw_ptype)cw_ptx_fn(p)->vreg.a[reg].ptype))
        return mismatch(p, want);
    cw_ptx_advance(p);
    return cw_opnd_reg(reg);
}

struct cw_vopnd cw_opnd_mov_src(struct cw_ptx *p, enum cw_ptype want)
{
    const struct cw_ptype_info *w = &cw_ptype_info[want];
    uint32_t sreg = p->tok.kind == CW_TOK_WORD ? cw_sreg_find(p->tok.text, p->tok.len) : CW_SREG_COUNT;
    if (sreg == CW_SREG_COUNT || w->kind == 'f' || w->bytes < 4 || (cw_sreg_bytes(sreg) != 0 && cw_sreg_bytes(sreg) != w->bytes) ||
        sreg == CW_SREG_EXPLICIT_CLUSTER)
        return cw_opnd_src(p, want);
    cw_ptx_advance(p);
    return (struct cw_vopnd){.kind = CW_V_SREG, .id = sreg};
}

struct cw_vopnd cw_opnd_wide_src(struct cw_ptx *p, enum cw_ptype want)
{
    uint32_t reg = p->tok.kind == CW_TOK_WORD ? cw_ptx_find_reg(p, &p->tok) : CW_IR_NONE;
    if (reg == CW_IR_NONE)
        return constant_operand(p, want);
    if (cw_ptx_fn(p)->vreg.a[reg].bytes < cw_ptype_info[want].bytes)
        return none(p, CW_EINVAL, "register is too narrow");
    cw_ptx_advance(p);
    return cw_opnd_reg(reg);
}

struct cw_vopnd cw_opnd_pred(struct cw_ptx *p)
{
    bool neg = cw_ptx_accept(p, '!');
    struct cw_vopnd o = cw_opnd_src(p, CW_PT_PRED);
    if (o.kind == CW_V_CPRED)
        o.id ^= neg;
    else
        o.neg = neg;
    return o;
}

/* ---- several operands ---- */

static struct cw_vopnd one_of_list(struct cw_ptx *p, enum cw_list list, enum cw_ptype want)
{
    switch (list) {
    case CW_LIST_DST:
        return cw_opnd_dst(p, want);
    case CW_LIST_SRC:
        return cw_opnd_src(p, want);
    case CW_LIST_WIDE_DST:
        return cw_opnd_wide_dst(p, cw_ptype_info[want].bytes);
    default:
        return cw_opnd_wide_src(p, want);
    }
}

/* The registers of the vector that the current token names. */
static void vector_operand(struct cw_ptx *p, enum cw_list list, enum cw_ptype want, uint32_t n, const struct cw_vector *v,
                           struct cw_vopnd *out)
{
    const struct cw_vreg like = cw_ptx_fn(p)->vreg.a[v->first];
    const bool is_wide = list == CW_LIST_WIDE_DST || list == CW_LIST_WIDE_SRC;
    if (v->cnt != n)
        cw_ptx_fail(p, CW_EINVAL, "a vector of %u elements, where %u are wanted", v->cnt, n);
    else if (is_wide ? like.bytes < cw_ptype_info[want].bytes : !types_agree(want, (enum cw_ptype)like.ptype))
        mismatch(p, want);
    for (uint32_t i = 0; i < n && i < v->cnt; i++)
        out[i] = cw_opnd_reg(v->first + i);
    cw_ptx_advance(p);
}

void cw_opnd_list(struct cw_ptx *p, enum cw_list list, enum cw_ptype want, uint32_t n, struct cw_vopnd *out)
{
    struct cw_vector v;
    if (n > 1 && cw_ptx_find_vector(p, &p->tok, &v)) {
        vector_operand(p, list, want, n, &v, out);
        return;
    }
    if (n > 1)
        cw_ptx_expect(p, '{');
    for (uint32_t i = 0; i < n && p->ir.status == CW_OK; i++) {
        if (i > 0)
            cw_ptx_expect(p, ',');
        out[i] = one_of_list(p, list, want);
    }
    if (n > 1)
        cw_ptx_expect(p, '}');
}

bool cw_opnd_sreg_vector(struct cw_ptx *p, struct cw_vopnd *out)
{
    static const char *const names[] = {"%tid",       "%ntid",       "%ctaid",         "%nctaid",
                                        "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};
    for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!cw_tok_is(&p->tok, names[i]))
            continue;
        for (uint32_t k = 0; k < 3; k++) {
            char name[24];
            const int len = snprintf(name, sizeof(name), "%s.%c", names[i], "xyz"[k]);
            out[k] = (struct cw_vopnd){.kind = CW_V_SREG, .id = cw_sreg_find(name, (uint32_t)len)};
        }
        out[3] = cw_opnd_const(p, 0, 4); /* the ISA's fourth element */
        cw_ptx_advance(p);
        return true;
    }
    return false;
}
