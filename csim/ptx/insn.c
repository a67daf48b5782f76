/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions: modifiers after the table in optab.c, operands, and the virtual micro-ops that come of them. */
#include "ptx/insn.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- special registers ---- */

static const struct {
    const char *name;
    uint8_t bytes; /* 4, 8; 0 = either */
} sregs[CW_SREG_COUNT] = {
    {"%tid.x", 4},          {"%tid.y", 4},       {"%tid.z", 4},          {"%ntid.x", 4},         {"%ntid.y", 4},
    {"%ntid.z", 4},         {"%ctaid.x", 4},     {"%ctaid.y", 4},        {"%ctaid.z", 4},        {"%nctaid.x", 4},
    {"%nctaid.y", 4},       {"%nctaid.z", 4},    {"%laneid", 4},         {"%warpid", 4},         {"%nwarpid", 4},
    {"%smid", 4},           {"%nsmid", 4},       {"%gridid", 0},         {"%lanemask_eq", 4},    {"%lanemask_le", 4},
    {"%lanemask_lt", 4},    {"%lanemask_ge", 4}, {"%lanemask_gt", 4},    {"%clock", 4},          {"%clock_hi", 4},
    {"%clock64", 8},        {"%globaltimer", 8}, {"%globaltimer_lo", 4}, {"%globaltimer_hi", 4}, {"%dynamic_smem_size", 4},
    {"%total_smem_size", 4}};

static uint32_t find_sreg(const struct cw_tok *tok)
{
    for (uint32_t i = 0; i < CW_SREG_COUNT; i++)
        if (cw_tok_is(tok, sregs[i].name))
            return i;
    return CW_SREG_COUNT;
}

/* ---- operands ---- */

struct cw_vopnd cw_opnd_reg(uint32_t vreg)
{
    return (struct cw_vopnd){.kind = CW_V_REG, .id = vreg};
}

struct cw_vopnd cw_opnd_const(struct cw_ptx *p, uint64_t value, uint32_t bytes)
{
    uint64_t mask = bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
    return (struct cw_vopnd){.kind = CW_V_CONST, .id = cw_konst_add(p, &p->konsts, value & mask, bytes == 8 ? 8 : 4, CW_PTX_NONE)};
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
    uint32_t reg = p->tok.kind == CW_TOK_WORD ? cw_ptx_find_reg(p, &p->tok) : CW_PTX_NONE;
    if (reg == CW_PTX_NONE)
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
    uint32_t reg = p->tok.kind == CW_TOK_WORD ? cw_ptx_find_reg(p, &p->tok) : CW_PTX_NONE;
    if (reg == CW_PTX_NONE)
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

/* Whether v, of the given signedness, can be meant for an operand of that many bytes: read as signed or as unsigned. */
static bool literal_fits(uint64_t v, bool is_unsigned, uint32_t bytes)
{
    if (bytes >= 8)
        return true;
    uint64_t range = UINT64_C(1) << 8 * bytes;
    bool negative = !is_unsigned && (v >> 63) != 0;
    return negative ? v >= 0 - range / 2 : v < range;
}

static struct cw_vopnd integer_literal(struct cw_ptx *p, enum cw_ptype want)
{
    const struct cw_ptype_info *w = &cw_ptype_info[want];
    struct cw_tok at = p->tok;
    bool is_unsigned;
    uint64_t v = cw_ptx_expr(p, &is_unsigned);
    if (p->status != CW_OK)
        return (struct cw_vopnd){.kind = CW_V_NONE};
    if (want == CW_PT_PRED)
        return (struct cw_vopnd){.kind = CW_V_CPRED, .id = v != 0};
    if (w->kind == 'f')
        cw_ptx_fail_tok(p, CW_EINVAL, &at, "an integer does not fit .%s", w->name);
    else if (!literal_fits(v, is_unsigned, w->bytes))
        cw_ptx_fail_tok(p, CW_EINVAL, &at, "constant does not fit .%s", w->name);
    return cw_opnd_const(p, v, w->bytes);
}

/* Special register as an operand of any instruction: by way of a MOV. */
static struct cw_vopnd sreg_operand(struct cw_ptx *p, enum cw_ptype want)
{
    uint32_t sreg = find_sreg(&p->tok);
    const struct cw_ptype_info *w = &cw_ptype_info[want];
    if (sreg == CW_SREG_COUNT)
        return none(p, CW_EUNSUP, "unknown special register");
    uint32_t bytes = sregs[sreg].bytes != 0 ? sregs[sreg].bytes : w->bytes < 4 ? 4 : w->bytes;
    bool fits = w->kind != 'p' && w->kind != 'f' && (w->bytes == bytes || (w->bytes == 2 && bytes == 4));
    if (!fits)
        return mismatch(p, want);
    cw_ptx_advance(p);
    struct cw_vopnd tmp = cw_opnd_reg(cw_ptx_new_reg(p, bytes == 8 ? CW_PT_U64 : CW_PT_U32, true));
    struct cw_insn in = {.v = {.guard = CW_PTX_NONE, .u = {.stype = CW_TYPE_NONE}}};
    in.v.u.op = CW_OP_MOV;
    in.v.u.type = bytes == 8 ? CW_U64 : CW_U32;
    cw_insn_dst(&in, tmp);
    cw_insn_src(&in, (struct cw_vopnd){.kind = CW_V_SREG, .id = sreg});
    cw_insn_emit(p, &in);
    if (w->bytes == 2) { /* historic .u16 reads */
        struct cw_vopnd half = cw_opnd_reg(cw_ptx_new_reg(p, CW_PT_U16, true));
        cw_insn_convert(p, half, CW_U16, tmp, CW_U32);
        tmp = half;
    }
    return tmp;
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
    return (struct cw_vopnd){.kind = CW_V_CONST, .id = cw_konst_add(p, &p->konsts, addend, w->bytes, var)};
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
        return none(p, CW_EUNSUP, "addresses of functions are not supported");
    if (p->tok.text[0] == '%')
        return find_sreg(&p->tok) == CW_SREG_COUNT ? none(p, CW_EINVAL, "register is not declared, or not supported")
                                                   : sreg_operand(p, want);
    return none(p, CW_EINVAL, "name is not declared");
}

struct cw_vopnd cw_opnd_src(struct cw_ptx *p, enum cw_ptype want)
{
    uint32_t reg = p->tok.kind == CW_TOK_WORD ? cw_ptx_find_reg(p, &p->tok) : CW_PTX_NONE;
    if (reg == CW_PTX_NONE)
        return constant_operand(p, want);
    if (!types_agree(want, (enum cw_ptype)cw_ptx_fn(p)->vreg.a[reg].ptype))
        return mismatch(p, want);
    cw_ptx_advance(p);
    return cw_opnd_reg(reg);
}

struct cw_vopnd cw_opnd_mov_src(struct cw_ptx *p, enum cw_ptype want)
{
    const struct cw_ptype_info *w = &cw_ptype_info[want];
    uint32_t sreg = p->tok.kind == CW_TOK_WORD ? find_sreg(&p->tok) : CW_SREG_COUNT;
    if (sreg == CW_SREG_COUNT || w->kind == 'f' || w->bytes < 4 || (sregs[sreg].bytes != 0 && sregs[sreg].bytes != w->bytes))
        return cw_opnd_src(p, want);
    cw_ptx_advance(p);
    return (struct cw_vopnd){.kind = CW_V_SREG, .id = sreg};
}

struct cw_vopnd cw_opnd_wide_src(struct cw_ptx *p, enum cw_ptype want)
{
    uint32_t reg = p->tok.kind == CW_TOK_WORD ? cw_ptx_find_reg(p, &p->tok) : CW_PTX_NONE;
    if (reg == CW_PTX_NONE)
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

void cw_insn_dst(struct cw_insn *in, struct cw_vopnd o)
{
    in->v.dst[in->v.u.dst_cnt++] = o;
}

void cw_insn_src(struct cw_insn *in, struct cw_vopnd o)
{
    in->v.src[in->v.u.src_cnt++] = o;
}

/* ---- emission ---- */

void cw_insn_emit(struct cw_ptx *p, struct cw_insn *in)
{
    if (p->status != CW_OK)
        return;
    in->v.guard = p->guard;
    in->v.u.guard_neg = p->guard_neg;
    in->v.u.line = p->stmt.line;
    struct cw_fn *fn = cw_ptx_fn(p);
    if (fn->code.n >= CW_PTX_MAX_UOPS)
        cw_ptx_fail(p, CW_EUNSUP, "more than %u instructions in one function", CW_PTX_MAX_UOPS);
    CW_PUSH(p, &fn->code, in->v);
}

void cw_insn_convert(struct cw_ptx *p, struct cw_vopnd dst, enum cw_type type, struct cw_vopnd src, enum cw_type stype)
{
    struct cw_insn in = {.v = {.guard = CW_PTX_NONE}};
    in.v.u.op = CW_OP_CVT;
    in.v.u.type = (uint8_t)type;
    in.v.u.stype = (uint8_t)stype;
    cw_insn_dst(&in, dst);
    cw_insn_src(&in, src);
    cw_insn_emit(p, &in);
}

/* ---- modifiers ---- */

bool cw_part_is(const struct cw_part *part, const char *word)
{
    return strlen(word) == part->len && memcmp(part->s, word, part->len) == 0;
}

bool cw_insn_accept(struct cw_insn *in, const char *word)
{
    if (in->next == in->part_cnt || !cw_part_is(&in->part[in->next], word))
        return false;
    in->next++;
    return true;
}

enum cw_ptype cw_insn_type(struct cw_insn *in)
{
    if (in->next == in->part_cnt)
        return CW_PT_NONE;
    uint32_t t = cw_ptype_of(in->part[in->next].s, in->part[in->next].len);
    in->next += t != CW_PT_NONE;
    return (enum cw_ptype)t;
}

void cw_insn_refuse(struct cw_ptx *p, const struct cw_insn *in)
{
    cw_ptx_fail_tok(p, CW_EUNSUP, &in->word, "unknown or unsupported form of %.*s", (int)(in->part[0].len < 40 ? in->part[0].len : 40),
                    in->part[0].s);
}

bool cw_insn_all(struct cw_ptx *p, const struct cw_insn *in)
{
    if (in->next < in->part_cnt)
        cw_insn_refuse(p, in);
    return p->status == CW_OK;
}

enum field { ROUND, CMP, BOOLOP, ATOM };

struct word { /* what a word of a group means */
    const char *group, *word;
    uint8_t field, value;
};

static const struct word words[] = {
    {"rnd", "rn", ROUND, CW_RN},
    {"rnd", "rz", ROUND, CW_RZ},
    {"rnd", "rm", ROUND, CW_RM},
    {"rnd", "rp", ROUND, CW_RP},
    {"approx", "approx", ROUND, CW_ROUND_APPROX},
    {"full", "full", ROUND, CW_ROUND_FULL},
    {"cmp", "eq", CMP, CW_CMP_EQ},
    {"cmp", "ne", CMP, CW_CMP_NE},
    {"cmp", "lt", CMP, CW_CMP_LT},
    {"cmp", "le", CMP, CW_CMP_LE},
    {"cmp", "gt", CMP, CW_CMP_GT},
    {"cmp", "ge", CMP, CW_CMP_GE},
    {"cmp", "lo", CMP, CW_CMP_LO},
    {"cmp", "ls", CMP, CW_CMP_LS},
    {"cmp", "hi", CMP, CW_CMP_HI},
    {"cmp", "hs", CMP, CW_CMP_HS},
    {"cmp", "equ", CMP, CW_CMP_EQU},
    {"cmp", "neu", CMP, CW_CMP_NEU},
    {"cmp", "ltu", CMP, CW_CMP_LTU},
    {"cmp", "leu", CMP, CW_CMP_LEU},
    {"cmp", "gtu", CMP, CW_CMP_GTU},
    {"cmp", "geu", CMP, CW_CMP_GEU},
    {"cmp", "num", CMP, CW_CMP_NUM},
    {"cmp", "nan", CMP, CW_CMP_NAN},
    {"bool", "and", BOOLOP, CW_BOOL_AND},
    {"bool", "or", BOOLOP, CW_BOOL_OR},
    {"bool", "xor", BOOLOP, CW_BOOL_XOR},
    {"testp", "finite", CMP, CW_TESTP_FINITE},
    {"testp", "infinite", CMP, CW_TESTP_INFINITE},
    {"testp", "number", CMP, CW_TESTP_NUMBER},
    {"testp", "notanumber", CMP, CW_TESTP_NOTANUMBER},
    {"testp", "normal", CMP, CW_TESTP_NORMAL},
    {"testp", "subnormal", CMP, CW_TESTP_SUBNORMAL},
    {"prmt", "f4e", CMP, CW_PRMT_F4E},
    {"prmt", "b4e", CMP, CW_PRMT_B4E},
    {"prmt", "rc8", CMP, CW_PRMT_RC8},
    {"prmt", "ecl", CMP, CW_PRMT_ECL},
    {"prmt", "ecr", CMP, CW_PRMT_ECR},
    {"prmt", "rc16", CMP, CW_PRMT_RC16},
    {"shfl", "up", CMP, CW_SHFL_UP},
    {"shfl", "down", CMP, CW_SHFL_DOWN},
    {"shfl", "bfly", CMP, CW_SHFL_BFLY},
    {"shfl", "idx", CMP, CW_SHFL_IDX},
    {"votep", "all", CMP, CW_VOTE_ALL},
    {"votep", "any", CMP, CW_VOTE_ANY},
    {"votep", "uni", CMP, CW_VOTE_UNI},
    {"ballot", "ballot", CMP, CW_VOTE_BALLOT},
    {"redop", "add", ATOM, CW_ATOM_ADD},
    {"redop", "min", ATOM, CW_ATOM_MIN},
    {"redop", "max", ATOM, CW_ATOM_MAX},
    {"redop", "and", ATOM, CW_ATOM_AND},
    {"redop", "or", ATOM, CW_ATOM_OR},
    {"redop", "xor", ATOM, CW_ATOM_XOR},
};

static const struct {
    const char *word;
    uint16_t flag;
} flags[] = {{"ftz", CW_UF_FTZ},   {"sat", CW_UF_SAT},           {"hi", CW_UF_HI},  {"wide", CW_UF_WIDE}, {"cc", CW_UF_COUT},
             {"wrap", CW_UF_WRAP}, {"shiftamt", CW_UF_SHIFTAMT}, {"NaN", CW_UF_NAN}};

static bool accept_group(struct cw_insn *in, const struct cw_part *group)
{
    const struct cw_part *have = &in->part[in->next];
    for (uint32_t i = 0; i < COUNT(words); i++) {
        if (!cw_part_is(group, words[i].group) || !cw_part_is(have, words[i].word))
            continue;
        uint8_t *fields[] = {&in->v.u.round, &in->v.u.cmp, &in->v.u.boolop, &in->v.u.atom};
        *fields[words[i].field] = words[i].value;
        in->next++;
        return true;
    }
    return false;
}

/* A word that stands for itself and sets its flag, if it has one. */
static bool accept_literal(struct cw_insn *in, const struct cw_part *literal)
{
    const struct cw_part *have = &in->part[in->next];
    if (have->len != literal->len || memcmp(have->s, literal->s, have->len) != 0)
        return false;
    for (uint32_t i = 0; i < COUNT(flags); i++)
        if (cw_part_is(have, flags[i].word))
            in->v.u.flags |= flags[i].flag;
    in->next++;
    return true;
}

static bool accept_type(struct cw_insn *in, uint32_t allowed, enum cw_ptype *out)
{
    uint32_t t = cw_ptype_of(in->part[in->next].s, in->part[in->next].len);
    if (t == CW_PT_NONE || (allowed >> t & 1) == 0)
        return false;
    *out = (enum cw_ptype)t;
    in->next++;
    return true;
}

static bool accept_mod(struct cw_insn *in, const struct cw_opspec *spec, const struct cw_part *mod)
{
    if (in->next == in->part_cnt)
        return false;
    if (cw_part_is(mod, "T"))
        return accept_type(in, spec->types, &in->type);
    if (cw_part_is(mod, "S"))
        return accept_type(in, spec->stypes, &in->stype);
    if (cw_part_is(mod, "hl"))
        return accept_literal(in, &(struct cw_part){"lo", 2}) || accept_literal(in, &(struct cw_part){"hi", 2});
    if (cw_part_is(mod, "xorsign")) {
        if (!cw_insn_accept(in, "xorsign") || !cw_insn_accept(in, "abs"))
            return false;
        in->v.u.flags |= CW_UF_XORSIGN;
        return true;
    }
    return accept_group(in, mod) || accept_literal(in, mod);
}

static enum cw_ptype widened(enum cw_ptype t)
{
    switch (t) {
    case CW_PT_U16:
        return CW_PT_U32;
    case CW_PT_S16:
        return CW_PT_S32;
    case CW_PT_U32:
        return CW_PT_U64;
    default:
        return CW_PT_S64;
    }
}

static bool match(struct cw_insn *in, const struct cw_opspec *spec)
{
    in->next = 1;
    in->type = in->stype = CW_PT_NONE;
    in->v.u = (struct cw_uop){.op = spec->op, .flags = spec->flags, .cmp = spec->cmp};
    for (const char *s = spec->mods; *s != '\0';) {
        struct cw_part mod = {s, (uint32_t)strcspn(s, " ?")};
        s += mod.len;
        bool optional = *s == '?';
        s += strspn(s, " ?");
        if (!accept_mod(in, spec, &mod) && !optional)
            return false;
    }
    if ((in->v.u.flags & CW_UF_WIDE) != 0) {
        in->stype = in->type;
        in->type = widened(in->type);
    }
    in->v.u.type = cw_ptype_info[in->type].type;
    in->v.u.stype = cw_ptype_info[in->stype].type;
    return in->next == in->part_cnt;
}

/* ---- operand patterns ---- */

/* d|p of shfl, match and setp: the second one is optional, and either may be the sink. */
static void dst_pair(struct cw_ptx *p, struct cw_insn *in, enum cw_ptype first)
{
    cw_insn_dst(in, cw_opnd_dst(p, first));
    if (cw_ptx_accept(p, '|'))
        cw_insn_dst(in, cw_opnd_dst(p, CW_PT_PRED));
}

/*
 * Letters: d destination of type T; u of 32 bits; p predicate; g T|predicate; U 32 bits|predicate; q predicate|predicate.
 * a source of type T; s of type S; e of 32 bits; m predicate, maybe complemented; k constant into imm.
 */
static void operand(struct cw_ptx *p, struct cw_insn *in, char letter)
{
    switch (letter) {
    case 'd':
        cw_insn_dst(in, cw_opnd_dst(p, in->type));
        break;
    case 'u':
        cw_insn_dst(in, cw_opnd_dst(p, CW_PT_B32));
        break;
    case 'p':
        cw_insn_dst(in, cw_opnd_dst(p, CW_PT_PRED));
        break;
    case 'g':
        dst_pair(p, in, in->type);
        break;
    case 'U':
        dst_pair(p, in, CW_PT_B32);
        break;
    case 'q':
        dst_pair(p, in, CW_PT_PRED);
        break;
    case 'a':
        cw_insn_src(in, cw_opnd_src(p, in->type));
        break;
    case 's':
        cw_insn_src(in, cw_opnd_src(p, in->stype));
        break;
    case 'e':
        cw_insn_src(in, cw_opnd_src(p, CW_PT_B32));
        break;
    case 'm':
        cw_insn_src(in, cw_opnd_pred(p));
        break;
    case 'k':
        in->v.u.imm = (int64_t)cw_ptx_uint(p, 255, "lookup table");
        break;
    default:
        break;
    }
}

static void operands(struct cw_ptx *p, struct cw_insn *in, const char *pattern)
{
    for (const char *c = pattern; *c != '\0' && p->status == CW_OK; c++) {
        if (c != pattern)
            cw_ptx_expect(p, ',');
        operand(p, in, *c);
    }
}

/* ---- opcodes ---- */

void cw_ptx_opcodes_init(struct cw_ptx *p)
{
    for (uint32_t i = cw_opspec_cnt; i-- > 0;) {
        if (i > 0 && strcmp(cw_opspecs[i].name, cw_opspecs[i - 1].name) == 0)
            continue; /* rows of one name are found by its first */
        uint32_t h = cw_ptx_hash(cw_opspecs[i].name, (uint32_t)strlen(cw_opspecs[i].name)) % 256;
        while (p->spec_first[h] != 0)
            h = (h + 1) % 256;
        p->spec_first[h] = i + 1;
    }
}

static const struct cw_opspec *find_spec(const struct cw_ptx *p, const struct cw_part *name)
{
    for (uint32_t h = cw_ptx_hash(name->s, name->len) % 256; p->spec_first[h] != 0; h = (h + 1) % 256)
        if (cw_part_is(name, cw_opspecs[p->spec_first[h] - 1].name))
            return &cw_opspecs[p->spec_first[h] - 1];
    return NULL;
}

static void split(struct cw_ptx *p, struct cw_insn *in)
{
    const char *s = in->word.text, *end = s + in->word.len;
    while (s <= end) {
        const char *dot = memchr(s, '.', (size_t)(end - s));
        if (dot == NULL)
            dot = end;
        if (in->part_cnt == CW_INSN_PARTS) {
            cw_ptx_fail(p, CW_EUNSUP, "unknown instruction");
            return;
        }
        in->part[in->part_cnt++] = (struct cw_part){s, (uint32_t)(dot - s)};
        s = dot + 1;
    }
}

/* Families that PTX has and this machine has not. */
static const struct {
    const char *name, *what;
} refused[] = {{"tex", "textures are"},
               {"tld4", "textures are"},
               {"txq", "textures are"},
               {"istypep", "textures are"},
               {"suld", "surfaces are"},
               {"sust", "surfaces are"},
               {"sured", "surfaces are"},
               {"suq", "surfaces are"},
               {"wmma", "matrix instructions are"},
               {"mma", "matrix instructions are"},
               {"wgmma", "matrix instructions are"},
               {"tcgen05", "matrix instructions are"},
               {"ldmatrix", "matrix instructions are"},
               {"stmatrix", "matrix instructions are"},
               {"movmatrix", "matrix instructions are"},
               {"vadd", "video instructions are"},
               {"vsub", "video instructions are"},
               {"vabsdiff", "video instructions are"},
               {"vmin", "video instructions are"},
               {"vmax", "video instructions are"},
               {"vshl", "video instructions are"},
               {"vshr", "video instructions are"},
               {"vmad", "video instructions are"},
               {"vset", "video instructions are"},
               {"vadd2", "video instructions are"},
               {"vsub2", "video instructions are"},
               {"vavrg2", "video instructions are"},
               {"vabsdiff2", "video instructions are"},
               {"vmin2", "video instructions are"},
               {"vmax2", "video instructions are"},
               {"vset2", "video instructions are"},
               {"vadd4", "video instructions are"},
               {"vsub4", "video instructions are"},
               {"vavrg4", "video instructions are"},
               {"vabsdiff4", "video instructions are"},
               {"vmin4", "video instructions are"},
               {"vmax4", "video instructions are"},
               {"vset4", "video instructions are"},
               {"cp", "asynchronous copies are"},
               {"mbarrier", "asynchronous barriers are"},
               {"multimem", "multicast memory is"},
               {"alloca", "dynamic stacks are"},
               {"stacksave", "dynamic stacks are"},
               {"stackrestore", "dynamic stacks are"}};

static void unknown(struct cw_ptx *p, const struct cw_insn *in)
{
    for (uint32_t i = 0; i < COUNT(refused); i++) {
        if (cw_part_is(&in->part[0], refused[i].name)) {
            cw_ptx_fail_tok(p, CW_EUNSUP, &in->word, "%s not supported", refused[i].what);
            return;
        }
    }
    cw_ptx_fail_tok(p, CW_EUNSUP, &in->word, "unknown instruction");
}

void cw_ptx_instruction(struct cw_ptx *p)
{
    struct cw_insn in = {.word = p->tok, .next = 1, .v = {.guard = CW_PTX_NONE, .u = {.type = CW_TYPE_NONE, .stype = CW_TYPE_NONE}}};
    if (p->tok.kind != CW_TOK_WORD || p->tok.text[0] == '%') {
        cw_ptx_fail(p, CW_EINVAL, "expected an instruction");
        return;
    }
    split(p, &in);
    cw_ptx_advance(p);
    const struct cw_opspec *spec = find_spec(p, &in.part[0]);
    if (spec == NULL) {
        if (!cw_insn_special(p, &in) && !cw_insn_memory(p, &in) && !cw_insn_control(p, &in))
            unknown(p, &in);
    } else {
        const struct cw_opspec *end = cw_opspecs + cw_opspec_cnt, *first = spec;
        while (spec < end && strcmp(spec->name, first->name) == 0 && !match(&in, spec))
            spec++;
        if (spec == end || strcmp(spec->name, first->name) != 0) {
            cw_insn_refuse(p, &in);
            return;
        }
        operands(p, &in, spec->opnds);
        cw_insn_emit(p, &in);
    }
    cw_ptx_expect(p, ';');
}
