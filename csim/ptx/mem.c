/* SPDX-License-Identifier: Apache-2.0 */
/* Memory instructions: ld, ldu, st, atom, red, fences, and the hints that are dropped; the addresses of all. */
#include <string.h>

#include "ptx/insn.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* What the modifiers of a memory instruction said. */
struct mods {
    bool is_mmio, has_order, has_scope, has_space, strong;
};

static enum cw_space space_of(const struct cw_var *v)
{
    switch (v->space) {
    case CW_VAR_GLOBAL:
        return CW_SPACE_GLOBAL;
    case CW_VAR_CONST:
        return CW_SPACE_CONST;
    case CW_VAR_SHARED:
        return CW_SPACE_SHARED;
    case CW_VAR_LOCAL:
        return CW_SPACE_LOCAL;
    default:
        return CW_SPACE_PARAM;
    }
}

static void base_register(struct cw_ptx *p, struct cw_address *a, uint32_t reg)
{
    const struct cw_vreg *r = &cw_ptx_fn(p)->vreg.a[reg];
    if (r->bytes < 4 || cw_ptype_info[r->ptype].kind == 'f')
        cw_ptx_fail(p, CW_EINVAL, "an address has to be a 32-bit or 64-bit integer register");
    a->base = cw_opnd_reg(reg);
    cw_ptx_advance(p);
}

static void base_variable(struct cw_ptx *p, struct cw_address *a, uint8_t *space)
{
    struct cw_sym *s = cw_ptx_lookup(p, p->tok.text, p->tok.len);
    if (s == NULL || s->kind != CW_SYM_VAR) {
        cw_ptx_fail(p, CW_EINVAL, "address is not declared");
        return;
    }
    const struct cw_var *v = &p->var.a[s->id];
    const enum cw_space own = space_of(v);
    if (*space == CW_SPACE_GENERIC && (own == CW_SPACE_SHARED || own == CW_SPACE_LOCAL))
        *space = (uint8_t)own;                                                      /* the name says it, as for ptxas */
    if (*space != own && !(*space == CW_SPACE_GENERIC && own == CW_SPACE_GLOBAL)) { /* its generic address is the same */
        cw_ptx_fail(p, CW_EINVAL, "variable is not in the state space of the instruction");
        return;
    }
    a->var = s->id;
    if (v->space != CW_VAR_ENTRY_PARAM && v->space != CW_VAR_CALL_PARAM)
        a->base = (struct cw_vopnd){.kind = CW_V_CONST, .id = cw_konst_add(&p->ir, &p->konsts, 0, 8, s->id)};
    cw_ptx_advance(p);
}

/* [register + n], [variable + n], [n] */
struct cw_address cw_insn_address(struct cw_ptx *p, uint8_t *space)
{
    struct cw_address a = {.var = CW_IR_NONE};
    cw_ptx_expect(p, '[');
    if (p->tok.kind == CW_TOK_WORD) {
        uint32_t reg = cw_ptx_find_reg(p, &p->tok);
        if (reg != CW_IR_NONE)
            base_register(p, &a, reg);
        else
            base_variable(p, &a, space);
        if (cw_ptx_is_punct(p, '+') || cw_ptx_is_punct(p, '-'))
            a.offset = (int64_t)cw_ptx_expr(p, NULL);
    } else {
        a.base = cw_opnd_const(p, cw_ptx_expr(p, NULL), 8);
    }
    cw_ptx_expect(p, ']');
    return a;
}

/* ---- modifiers ---- */

static bool accept_space(struct cw_insn *in)
{
    static const struct {
        const char *word;
        uint8_t space;
    } spaces[] = {
        {"global", CW_SPACE_GLOBAL},    {"shared", CW_SPACE_SHARED}, {"shared::cta", CW_SPACE_SHARED}, {"shared::cluster", CW_SPACE_SHARED},
        {"local", CW_SPACE_LOCAL},      {"const", CW_SPACE_CONST},   {"param", CW_SPACE_PARAM},        {"param::entry", CW_SPACE_PARAM},
        {"param::func", CW_SPACE_PARAM}};
    for (uint32_t i = 0; i < COUNT(spaces); i++) {
        if (cw_insn_accept(in, spaces[i].word)) {
            in->v.u.space = spaces[i].space;
            return true;
        }
    }
    return false;
}

/* A cluster is a part of the GPU: the wider scope keeps every promise of the narrower one. */
static bool accept_scope(struct cw_insn *in)
{
    static const struct {
        const char *word;
        uint8_t scope;
    } scopes[] = {{"cta", CW_SCOPE_CTA}, {"cluster", CW_SCOPE_GPU}, {"gpu", CW_SCOPE_GPU}, {"sys", CW_SCOPE_SYS}};
    for (uint32_t i = 0; i < COUNT(scopes); i++) {
        if (cw_insn_accept(in, scopes[i].word)) {
            in->v.u.scope = scopes[i].scope;
            return true;
        }
    }
    return false;
}

/* .L1::evict_last, .L2::128B and the like are hints. .L2::cache_hint is one with an operand of its own, the last (cw_insn_policy). */
bool cw_insn_hint(struct cw_insn *in)
{
    if (in->next == in->part_cnt)
        return false;
    const struct cw_name_part *part = &in->part[in->next];
    bool hint = part->len > 4 && (memcmp(part->s, "L1::", 4) == 0 || memcmp(part->s, "L2::", 4) == 0);
    if (!hint)
        return false;
    in->has_policy |= cw_part_is(part, "L2::cache_hint");
    if (cw_part_is(part, "L1::no_allocate"))
        in->v.u.flags &= ~CW_UF_CACHE_ALL;
    in->next++;
    return true;
}

static bool accept_order(struct cw_insn *in, struct mods *m, bool is_load)
{
    static const struct {
        const char *word;
        uint32_t flags;
        bool load, store, scoped;
    } orders[] = {{"relaxed", CW_UF_VOLATILE | CW_UF_SCOPED, true, true, true},
                  {"acquire", CW_UF_VOLATILE | CW_UF_SCOPED | CW_UF_ACQUIRE, true, false, true},
                  {"release", CW_UF_VOLATILE | CW_UF_SCOPED | CW_UF_RELEASE, false, true, true},
                  {"volatile", CW_UF_VOLATILE, true, true, false},
                  {"weak", 0, true, true, false}};
    for (uint32_t i = 0; i < COUNT(orders); i++) {
        if (!(is_load ? orders[i].load : orders[i].store) || !cw_insn_accept(in, orders[i].word))
            continue;
        in->v.u.flags |= orders[i].flags;
        m->strong = orders[i].scoped;
        return true;
    }
    return false;
}

static bool accept_policy(struct cw_insn *in, bool is_load)
{
    static const struct {
        const char *word;
        bool load, store, all;
        uint32_t flag;
    } policies[] = {{"ca", true, false, true, 0},  {"cg", true, true, false, 0},  {"cs", true, true, false, 0},
                    {"lu", true, false, false, 0}, {"cv", true, false, false, 0}, {"nc", true, false, true, CW_UF_NC},
                    {"wb", false, true, true, 0},  {"wt", false, true, false, 0}};
    for (uint32_t i = 0; i < COUNT(policies); i++) {
        if (!(is_load ? policies[i].load : policies[i].store) || !cw_insn_accept(in, policies[i].word))
            continue;
        if (!policies[i].all)
            in->v.u.flags &= ~CW_UF_CACHE_ALL;
        in->v.u.flags |= policies[i].flag;
        return true;
    }
    return false;
}

/* 32 bytes: .v8 of 32 bits or .v4 of 64. */
static bool is_double(const struct cw_insn *in)
{
    return cw_ptype_info[in->type].bytes * (uint32_t)in->v.u.vec == 32;
}

/* .v2, .v4, .v8 */
static bool accept_elements(struct cw_insn *in)
{
    in->v.u.vec = cw_insn_accept(in, "v2") ? 2 : cw_insn_accept(in, "v4") ? 4 : cw_insn_accept(in, "v8") ? 8 : 1;
    return in->v.u.vec > 1;
}

/* The type; .b128 is two of 64 bits. */
static bool accept_access_type(struct cw_insn *in)
{
    if (in->v.u.vec == 1 && cw_insn_accept(in, "b128")) {
        in->type = CW_PT_B64;
        in->v.u.vec = 2;
        in->is_whole = true;
    } else {
        in->type = cw_insn_type(in);
    }
    return in->type != CW_PT_NONE;
}

/* One modifier, each kind of which may come once; false: the next part is none. */
static bool accept_access_mod(struct cw_insn *in, struct mods *m, bool is_load)
{
    bool *said = NULL;
    if (!m->is_mmio && cw_insn_accept(in, "mmio"))
        said = &m->is_mmio;
    else if (!m->has_order && accept_order(in, m, is_load))
        said = &m->has_order;
    else if (!m->has_scope && accept_scope(in))
        said = &m->has_scope;
    else if (!m->has_space && accept_space(in))
        said = &m->has_space;
    if (said != NULL)
        *said = true;
    return said != NULL || accept_policy(in, is_load) || cw_insn_hint(in) || (in->v.u.vec == 1 && accept_elements(in)) ||
           (in->type == CW_PT_NONE && accept_access_type(in));
}

/* The modifiers of ld and st, which ptxas takes in any order; false when something is left over or contradictory. */
static bool access_mods(struct cw_insn *in, bool is_load)
{
    struct mods m = {0};
    in->v.u.space = CW_SPACE_GENERIC;
    in->v.u.vec = 1;
    in->v.u.scope = CW_SCOPE_SYS;
    in->v.u.flags = CW_UF_CACHE_ALL;
    while (in->next < in->part_cnt && accept_access_mod(in, &m, is_load))
        continue;
    const struct cw_ptype_info *t = &cw_ptype_info[in->type];
    in->v.u.type = t->type;
    if ((in->v.u.flags & CW_UF_VOLATILE) != 0)
        in->v.u.flags &= ~CW_UF_CACHE_ALL;
    bool type_fits = t->bytes > 0 && in->type != CW_PT_F16 && in->type != CW_PT_F16X2 && in->type < CW_PT_BF16;
    type_fits &= t->bytes * in->v.u.vec <= 16 ? in->v.u.vec < 8 : is_double(in) && t->bytes >= 4 && in->v.u.space == CW_SPACE_GLOBAL;
    return type_fits && in->next == in->part_cnt && m.has_scope == m.strong && (!m.is_mmio || m.strong);
}

/* ---- ld, st ---- */

/* Parameters have known bounds, and what lies behind them is another parameter. */
static bool in_bounds(struct cw_ptx *p, const struct cw_insn *in, const struct cw_address *a)
{
    uint64_t bytes = (uint64_t)cw_ptype_info[in->type].bytes * in->v.u.vec;
    const struct cw_var *v = &p->var.a[a->var];
    if (a->offset >= 0 && (uint64_t)a->offset <= v->bytes && bytes <= v->bytes - (uint64_t)a->offset)
        return true;
    cw_ptx_fail_tok(p, CW_EINVAL, &in->word, "access outside of parameter %.*s", (int)v->len, v->name);
    return false;
}

static void note_access(struct cw_ptx *p, const struct cw_insn *in, const struct cw_address *a, bool is_store)
{
    struct cw_var *v = &p->var.a[a->var];
    uint8_t bytes = cw_ptype_info[in->type].bytes;
    for (uint32_t i = 0; i < in->v.u.vec; i++)
        CW_PUSH(&p->ir, &v->access, (struct cw_access){.offset = (uint32_t)a->offset + i * bytes, .bytes = bytes, .is_store = is_store});
}

/* Source 0 and the offset, after the space: kernel parameters lie in the parameter block, those of functions are variables of their own
 * (PLD, PST) or, when they are addressed by a register, in local memory. */
void cw_insn_set_address(struct cw_ptx *p, struct cw_insn *in, const struct cw_address *a, bool is_store)
{
    in->v.u.imm = a->offset;
    in->v.src[0] = a->base;
    if (in->v.u.space != CW_SPACE_PARAM || p->ir.status != CW_OK)
        return;
    bool is_entry = cw_ptx_fn(p)->is_entry;
    bool named = a->var != CW_IR_NONE;
    if (!named && (is_store || a->base.kind != CW_V_REG)) {
        cw_ptx_fail_tok(p, CW_EUNSUP, &in->word, "parameter space needs the name of a parameter");
    } else if (!named) {
        if (!is_entry)
            in->v.u.space = CW_SPACE_LOCAL;
    } else if (in_bounds(p, in, a)) {
        const struct cw_var *v = &p->var.a[a->var];
        if (v->space == CW_VAR_CALL_PARAM) {
            in->v.u.op = is_store ? CW_VOP_PST : CW_VOP_PLD;
            in->v.src[0] = (struct cw_vopnd){.kind = CW_V_PVAR, .id = a->var};
            note_access(p, in, a, is_store);
        } else if (is_store) {
            cw_ptx_fail_tok(p, CW_EINVAL, &in->word, "a kernel's parameters cannot be written");
        } else {
            in->v.u.imm += (int64_t)v->offset;
        }
    }
}

/* The operand of .L2::cache_hint says nothing that this machine's caches look at. */
void cw_insn_policy(struct cw_ptx *p, const struct cw_insn *in)
{
    if (!in->has_policy || p->ir.status != CW_OK)
        return;
    cw_ptx_expect(p, ',');
    cw_opnd_src(p, CW_PT_B64);
}

/* 64-bit registers take narrower values by way of a temporary, so that a micro-op's operands always are of its type's class. */
static void load(struct cw_ptx *p, struct cw_insn *in)
{
    struct cw_vopnd wide[CW_UOP_DSTS];
    uint32_t bytes = cw_ptype_info[in->type].bytes, n = in->v.u.vec;
    in->v.u.op = CW_OP_LD;
    in->v.u.src_cnt = 1;
    cw_opnd_list(p, CW_LIST_WIDE_DST, in->type, n, wide);
    for (uint32_t i = 0; i < n && p->ir.status == CW_OK; i++) {
        bool narrow = wide[i].kind == CW_V_REG && cw_opnd_bytes(p, wide[i]) == 8 && bytes < 8;
        cw_insn_dst(in, narrow ? cw_opnd_reg(cw_ptx_new_reg(p, in->type, true)) : wide[i]);
        if (cw_opnd_bytes(p, in->v.dst[i]) == 2)
            in->v.u.stype = CW_U16;
    }
    if (in->v.u.stype != CW_U16)
        in->v.u.stype = CW_U32;
    cw_ptx_expect(p, ',');
    struct cw_address a = cw_insn_address(p, &in->v.u.space);
    cw_insn_set_address(p, in, &a, false);
    cw_insn_policy(p, in);
    cw_insn_emit(p, in);
    bool is_signed = cw_ptype_info[in->type].kind == 's';
    for (uint32_t i = 0; i < n && p->ir.status == CW_OK; i++)
        if (in->v.dst[i].kind == CW_V_REG && in->v.dst[i].id != wide[i].id)
            cw_insn_convert(p, wide[i], is_signed ? CW_S64 : CW_U64, in->v.dst[i],
                            (enum cw_type)(bytes == 4 && !is_signed ? CW_U32 : in->v.u.type));
}

static void store(struct cw_ptx *p, struct cw_insn *in)
{
    in->v.u.op = CW_OP_ST;
    in->v.u.src_cnt = 1;
    uint32_t bytes = cw_ptype_info[in->type].bytes, n = in->v.u.vec;
    struct cw_vopnd wide[CW_UOP_DSTS];
    struct cw_address a = cw_insn_address(p, &in->v.u.space);
    cw_insn_set_address(p, in, &a, true);
    cw_ptx_expect(p, ',');
    cw_opnd_list(p, CW_LIST_WIDE_SRC, in->type, n, wide);
    for (uint32_t i = 0; i < n && p->ir.status == CW_OK; i++) {
        struct cw_vopnd o = wide[i];
        if (cw_opnd_bytes(p, o) == 8 && bytes < 8) {
            struct cw_vopnd low = cw_opnd_reg(cw_ptx_new_reg(p, CW_PT_B32, true));
            cw_insn_convert(p, low, CW_U32, o, CW_U64);
            o = low;
        }
        cw_insn_src(in, o);
    }
    cw_insn_policy(p, in);
    cw_insn_emit(p, in);
}

/* An access of 32 bytes is two of 16. A load whose first half overwrites the address begins with the second half. */
static void halves(struct cw_ptx *p, const struct cw_insn *in, const struct cw_address *a, const struct cw_vopnd *o, bool is_store)
{
    const uint32_t n = in->v.u.vec / 2;
    uint32_t first = 0;
    for (uint32_t i = 0; i < n && !is_store; i++)
        first |= o[i].kind == CW_V_REG && a->base.kind == CW_V_REG && o[i].id == a->base.id;
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t half = k ^ first;
        struct cw_insn one = *in;
        struct cw_address at = *a;
        at.offset += 16 * (int64_t)half;
        one.v.u.op = is_store ? CW_OP_ST : CW_OP_LD;
        one.v.u.vec = (uint8_t)n;
        one.v.u.stype = is_store ? one.v.u.stype : CW_U32;
        one.v.u.src_cnt = 1;
        cw_insn_set_address(p, &one, &at, is_store);
        for (uint32_t i = 0; i < n; i++)
            (is_store ? cw_insn_src : cw_insn_dst)(&one, o[half * n + i]);
        cw_insn_emit(p, &one);
    }
}

static void load_double(struct cw_ptx *p, struct cw_insn *in)
{
    struct cw_vopnd o[8];
    cw_opnd_list(p, CW_LIST_DST, in->type, in->v.u.vec, o);
    cw_ptx_expect(p, ',');
    const struct cw_address a = cw_insn_address(p, &in->v.u.space);
    cw_insn_policy(p, in);
    if (p->ir.status == CW_OK)
        halves(p, in, &a, o, false);
}

static void store_double(struct cw_ptx *p, struct cw_insn *in)
{
    struct cw_vopnd o[8];
    const struct cw_address a = cw_insn_address(p, &in->v.u.space);
    cw_ptx_expect(p, ',');
    cw_opnd_list(p, CW_LIST_SRC, in->type, in->v.u.vec, o);
    cw_insn_policy(p, in);
    if (p->ir.status == CW_OK)
        halves(p, in, &a, o, true);
}

static void ld(struct cw_ptx *p, struct cw_insn *in)
{
    if (!access_mods(in, true))
        cw_insn_refuse(p, in);
    else if (is_double(in))
        load_double(p, in);
    else
        load(p, in);
}

static void st(struct cw_ptx *p, struct cw_insn *in)
{
    if (!access_mods(in, false) || in->v.u.space == CW_SPACE_CONST)
        cw_insn_refuse(p, in);
    else if (is_double(in))
        store_double(p, in);
    else
        store(p, in);
}

/* ---- atom, red ---- */

#define CW_ATOM_ELEMENTS 8u

#define B(t) (1u << CW_PT_##t)

static const struct {
    const char *word;
    uint8_t op;
    uint32_t types;
} atoms[] = {{"add", CW_ATOM_ADD, B(U32) | B(S32) | B(U64) | B(S64) | B(F32) | B(F64) | B(F16) | B(F16X2) | B(BF16) | B(BF16X2)},
             {"exch", CW_ATOM_EXCH, B(B32) | B(B64)},
             {"cas", CW_ATOM_CAS, B(B16) | B(B32) | B(B64)},
             {"min", CW_ATOM_MIN, B(U32) | B(S32) | B(U64) | B(S64)},
             {"max", CW_ATOM_MAX, B(U32) | B(S32) | B(U64) | B(S64)},
             {"and", CW_ATOM_AND, B(B32) | B(B64)},
             {"or", CW_ATOM_OR, B(B32) | B(B64)},
             {"xor", CW_ATOM_XOR, B(B32) | B(B64)},
             {"inc", CW_ATOM_INC, B(U32)},
             {"dec", CW_ATOM_DEC, B(U32)}};

/* What the modifiers of atom and red have said so far. */
struct atom_mods {
    bool has_order, has_scope, has_space, has_op, noftz;
    uint32_t types;
};

static bool accept_atom_op(struct cw_insn *in, struct atom_mods *m)
{
    for (uint32_t i = 0; i < COUNT(atoms); i++) {
        if (!cw_insn_accept(in, atoms[i].word))
            continue;
        in->v.u.atom = atoms[i].op;
        m->types = atoms[i].types;
        return true;
    }
    return false;
}

static bool accept_atom_order(struct cw_insn *in)
{
    static const struct {
        const char *word;
        uint32_t flags;
    } orders[] = {{"relaxed", 0}, {"acquire", CW_UF_ACQUIRE}, {"release", CW_UF_RELEASE}, {"acq_rel", CW_UF_ACQUIRE | CW_UF_RELEASE}};
    for (uint32_t i = 0; i < COUNT(orders); i++) {
        if (!cw_insn_accept(in, orders[i].word))
            continue;
        in->v.u.flags |= orders[i].flags;
        return true;
    }
    return false;
}

/* Several elements side by side are an atomic operation each: at most 16 bytes of floating-point sums in global memory. */
static bool elements_fit(const struct cw_insn *in)
{
    const bool has =
        in->type == CW_PT_F32 || in->type == CW_PT_F16 || in->type == CW_PT_BF16 || in->type == CW_PT_F16X2 || in->type == CW_PT_BF16X2;
    return in->v.u.vec == 1 || (has && in->v.u.atom == CW_ATOM_ADD && in->v.u.space == CW_SPACE_GLOBAL &&
                                in->v.u.vec * (uint32_t)cw_ptype_info[in->type].bytes <= 16);
}

/* One modifier, each kind of which may come once; false: the next part is none. */
static bool accept_atom_mod(struct cw_insn *in, struct atom_mods *m)
{
    bool *said = NULL;
    if (!m->has_order && accept_atom_order(in))
        said = &m->has_order;
    else if (!m->has_scope && accept_scope(in))
        said = &m->has_scope;
    else if (!m->has_space && accept_space(in))
        said = &m->has_space;
    else if (!m->has_op && accept_atom_op(in, m))
        said = &m->has_op;
    else if (!m->noftz && cw_insn_accept(in, "noftz"))
        said = &m->noftz;
    else if (in->v.u.vec == 1 ? accept_elements(in) : in->type == CW_PT_NONE && (in->type = cw_insn_type(in)) != CW_PT_NONE)
        return true; /* the type of several may stand before the operation: .v2.f32.add */
    if (said != NULL)
        *said = true;
    return said != NULL || cw_insn_hint(in);
}

/* ptxas takes order, scope, space and operation in any order (atom.or.acq_rel.cta.b32, atom.global.sys.add.u32); the type comes last. */
static bool atom_mods(struct cw_insn *in)
{
    struct atom_mods m = {0};
    in->v.u.space = CW_SPACE_GENERIC;
    in->v.u.vec = 1;
    in->v.u.scope = CW_SCOPE_GPU; /* the ISA's default */
    while (accept_atom_mod(in, &m))
        continue;
    if (in->type == CW_PT_NONE)
        in->type = cw_insn_type(in);
    in->v.u.type = cw_ptype_info[in->type].type;
    bool space_fits_atom = in->v.u.space == CW_SPACE_GENERIC || in->v.u.space == CW_SPACE_GLOBAL || in->v.u.space == CW_SPACE_SHARED;
    bool is_half = in->type == CW_PT_F16 || in->type == CW_PT_F16X2 || in->type == CW_PT_BF16 || in->type == CW_PT_BF16X2;
    return m.has_op && space_fits_atom && in->next == in->part_cnt && (m.types >> in->type & 1) != 0 && m.noftz == is_half &&
           elements_fit(in);
}

/* Whether the old value of element i has to wait in a temporary: its register is still to be read as a later element's operand. */
static bool is_read_later(struct cw_vopnd old, const struct cw_vopnd *operand, uint32_t i, uint32_t n)
{
    for (uint32_t j = i + 1; j < n; j++)
        if (operand[j].kind == CW_V_REG && operand[j].id == old.id)
            return true;
    return false;
}

/* One micro-op for each element. */
static void emit_elements(struct cw_ptx *p, const struct cw_insn *in, const struct cw_address *a, const struct cw_vopnd *old,
                          const struct cw_vopnd *operand)
{
    const uint32_t n = in->v.u.vec;
    struct cw_vopnd result[CW_ATOM_ELEMENTS];
    for (uint32_t i = 0; i < n && p->ir.status == CW_OK; i++) {
        struct cw_insn one = *in;
        one.v.u.vec = 1;
        one.v.u.imm = a->offset + (int64_t)i * cw_ptype_info[in->type].bytes;
        result[i] = old[i];
        if (old[i].kind == CW_V_REG && is_read_later(old[i], operand, i, n))
            result[i] = cw_opnd_reg(cw_ptx_new_reg(p, in->type, true));
        if (old[i].kind == CW_V_REG)
            cw_insn_dst(&one, result[i]);
        cw_insn_src(&one, a->base);
        cw_insn_src(&one, operand[i]);
        cw_insn_emit(p, &one);
    }
    const enum cw_type bits = cw_ptype_info[in->type].bytes == 2 ? CW_U16 : CW_U32;
    for (uint32_t i = 0; i < n && p->ir.status == CW_OK; i++)
        if (old[i].kind == CW_V_REG && result[i].id != old[i].id)
            cw_insn_convert(p, old[i], bits, result[i], bits);
}

static void atomic(struct cw_ptx *p, struct cw_insn *in, bool has_dst)
{
    struct cw_vopnd old[CW_ATOM_ELEMENTS] = {{.kind = CW_V_NONE}}, operand[CW_ATOM_ELEMENTS];
    if (!atom_mods(in) || (!has_dst && (in->v.u.atom == CW_ATOM_EXCH || in->v.u.atom == CW_ATOM_CAS))) {
        cw_insn_refuse(p, in);
        return;
    }
    in->v.u.op = CW_OP_ATOM;
    if (has_dst) {
        cw_opnd_list(p, CW_LIST_DST, in->type, in->v.u.vec, old);
        cw_ptx_expect(p, ',');
    }
    struct cw_address a = cw_insn_address(p, &in->v.u.space);
    cw_ptx_expect(p, ',');
    cw_opnd_list(p, CW_LIST_SRC, in->type, in->v.u.vec, operand);
    if (in->v.u.atom == CW_ATOM_CAS) {
        cw_ptx_expect(p, ',');
        struct cw_vopnd value = cw_opnd_src(p, in->type);
        in->v.u.imm = a.offset;
        if (old[0].kind == CW_V_REG)
            cw_insn_dst(in, old[0]);
        cw_insn_src(in, a.base);
        cw_insn_src(in, operand[0]);
        cw_insn_src(in, value);
    }
    cw_insn_policy(p, in);
    if (in->v.u.atom == CW_ATOM_CAS)
        cw_insn_emit(p, in);
    else
        emit_elements(p, in, &a, old, operand);
}

static void atom(struct cw_ptx *p, struct cw_insn *in)
{
    atomic(p, in, true);
}

static void red(struct cw_ptx *p, struct cw_insn *in)
{
    atomic(p, in, false);
}

/* ---- fences and hints ---- */

static void membar(struct cw_ptx *p, struct cw_insn *in)
{
    in->v.u.op = CW_OP_MEMBAR;
    if (cw_insn_accept(in, "cta"))
        in->v.u.scope = CW_SCOPE_CTA;
    else if (cw_insn_accept(in, "gl"))
        in->v.u.scope = CW_SCOPE_GPU;
    else if (cw_insn_accept(in, "sys"))
        in->v.u.scope = CW_SCOPE_SYS;
    else if (cw_insn_accept(in, "proxy") && cw_insn_accept(in, "alias"))
        in->v.u.op = CW_OP_NOP; /* there is one proxy */
    else
        in->next = 0;
    if (cw_insn_all(p, in))
        cw_insn_emit(p, in);
}

/* All kinds are one: acquire or release alone is taken for both. There is one proxy, so that a fence between proxies has nothing to do. */
static void fence(struct cw_ptx *p, struct cw_insn *in)
{
    if (cw_insn_accept(in, "proxy")) {
        in->v.u.op = CW_OP_NOP;
        if (cw_insn_accept(in, "async"))
            accept_space(in);
        else if (!cw_insn_accept(in, "alias"))
            in->next = 0;
    } else if (cw_insn_accept(in, "mbarrier_init")) {
        in->v.u.op = CW_OP_NOP; /* mbarrier.init is a store to shared memory, whose order the block sees anyhow */
        if (!cw_insn_accept(in, "release") || !cw_insn_accept(in, "cluster"))
            in->next = 0;
    } else {
        in->v.u.op = CW_OP_MEMBAR;
        const bool has_scope = accept_scope(in);
        if (!cw_insn_accept(in, "sc") && (cw_insn_accept(in, "acq_rel") || cw_insn_accept(in, "acquire") || cw_insn_accept(in, "release")))
            in->v.u.flags = CW_UF_ACQUIRE | CW_UF_RELEASE;
        if (!has_scope && !accept_scope(in))
            in->next = 0;
    }
    if (cw_insn_all(p, in))
        cw_insn_emit(p, in);
}

/* prefetch, prefetchu, discard, applypriority: of no effect on values; issued as a NOP. */
static void hint(struct cw_ptx *p, struct cw_insn *in)
{
    bool sized = cw_part_is(&in->part[0], "discard") || cw_part_is(&in->part[0], "applypriority");
    in->v.u.op = CW_OP_NOP;
    const bool has_space = accept_space(in);
    if (!cw_insn_accept(in, "L1") && !cw_insn_accept(in, "L2") && !cw_insn_hint(in))
        in->next = 0;
    else if (!has_space)
        accept_space(in);
    if (!cw_insn_all(p, in))
        return;
    cw_insn_address(p, &in->v.u.space);
    if (sized) {
        cw_ptx_expect(p, ',');
        cw_ptx_uint(p, 128, "size");
    }
    in->v.u.space = CW_SPACE_GENERIC;
    cw_insn_emit(p, in);
}

bool cw_insn_memory(struct cw_ptx *p, struct cw_insn *in)
{
    static const struct {
        const char *name;
        void (*read)(struct cw_ptx *p, struct cw_insn *in);
    } table[] = {{"ld", ld},       {"ldu", ld},        {"st", st},          {"atom", atom},    {"red", red},           {"membar", membar},
                 {"fence", fence}, {"prefetch", hint}, {"prefetchu", hint}, {"discard", hint}, {"applypriority", hint}};
    for (uint32_t i = 0; i < COUNT(table); i++) {
        if (cw_part_is(&in->part[0], table[i].name)) {
            table[i].read(p, in);
            return true;
        }
    }
    return false;
}
