/* SPDX-License-Identifier: Apache-2.0 */
/* mov with vectors, conversions, address-space conversions: data movement whose syntax is not that of the table. */
#include "ptx/insn.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void set_types(struct cw_insn *in, enum cw_ptype type, enum cw_ptype stype)
{
    in->type = type;
    in->stype = stype;
    in->v.u.type = cw_ptype_info[type].type;
    in->v.u.stype = cw_ptype_info[stype].type;
}

/* ---- mov ---- */

/* Elements of the { } list that starts at the current token, which is not consumed. */
static uint32_t count_elements(const struct cw_ptx *p)
{
    struct cw_lex lex = p->lex;
    struct cw_tok tok = p->ahead;
    uint32_t n = 1;
    while (tok.kind != CW_TOK_EOF && tok.kind != CW_TOK_BAD && !(tok.kind == CW_TOK_PUNCT && (tok.punct == '}' || tok.punct == ';'))) {
        n += tok.kind == CW_TOK_PUNCT && tok.punct == ',';
        cw_lex_next(&lex, &tok);
    }
    return n;
}

static enum cw_ptype element_type(struct cw_ptx *p, enum cw_ptype whole, uint32_t n)
{
    uint32_t bytes = cw_ptype_info[whole].bytes;
    if ((n == 2 || n == 4) && bytes / n >= 1 && cw_ptype_info[whole].kind == 'b') {
        static const uint8_t by_bytes[] = {0, CW_PT_B8, CW_PT_B16, 0, CW_PT_B32};
        return (enum cw_ptype)by_bytes[bytes / n];
    }
    cw_ptx_fail(p, CW_EUNSUP, "a vector of %u elements does not fit the type of mov", n);
    return CW_PT_NONE;
}

/* Elements of the list or of the vector register that the current token begins or names; 0: it is neither. */
static uint32_t elements_here(struct cw_ptx *p)
{
    struct cw_vector v;
    if (cw_ptx_is_punct(p, '{'))
        return count_elements(p);
    return cw_ptx_find_vector(p, &p->tok, &v) && !v.is_whole ? v.cnt : 0;
}

static void mov_unpack(struct cw_ptx *p, struct cw_insn *in, uint32_t n)
{
    struct cw_vopnd o[CW_UOP_DSTS];
    enum cw_ptype elem = element_type(p, in->type, n);
    if (p->ir.status != CW_OK)
        return;
    in->v.u.op = CW_OP_UNPACK;
    set_types(in, in->type, elem);
    cw_opnd_list(p, CW_LIST_DST, elem, n, o);
    for (uint32_t i = 0; i < n && p->ir.status == CW_OK; i++)
        cw_insn_dst(in, o[i]);
    cw_ptx_expect(p, ',');
    cw_insn_src(in, cw_opnd_src(p, in->type));
}

static void mov_pack(struct cw_ptx *p, struct cw_insn *in, uint32_t n)
{
    struct cw_vopnd o[CW_UOP_SRCS];
    enum cw_ptype elem = element_type(p, in->type, n);
    if (p->ir.status != CW_OK)
        return;
    in->v.u.op = CW_OP_PACK;
    set_types(in, in->type, elem);
    cw_opnd_list(p, CW_LIST_SRC, elem, n, o);
    for (uint32_t i = 0; i < n && p->ir.status == CW_OK; i++)
        cw_insn_src(in, o[i]);
}

/* dst[i] = src[i] for all i at once. type: by which the operands were read. */
static void emit_moves(struct cw_ptx *p, enum cw_ptype type, uint32_t n, const struct cw_vopnd *dst, const struct cw_vopnd *src)
{
    struct cw_vopnd to[4];
    for (uint32_t i = 0; i < n && p->ir.status == CW_OK; i++) {
        struct cw_insn one = {.v = {.guard = CW_IR_NONE, .u = {.op = CW_OP_MOV}}};
        bool is_read_later = false;
        for (uint32_t j = i + 1; j < n && dst[i].kind == CW_V_REG; j++)
            is_read_later |= src[j].kind == CW_V_REG && src[j].id == dst[i].id;
        to[i] = is_read_later ? cw_opnd_reg(cw_ptx_new_reg(p, type, true)) : dst[i];
        set_types(&one, type, CW_PT_NONE);
        cw_insn_dst(&one, to[i]);
        cw_insn_src(&one, src[i]);
        cw_insn_emit(p, &one);
    }
    for (uint32_t i = 0; i < n && p->ir.status == CW_OK; i++)
        if (dst[i].kind == CW_V_REG && to[i].id != dst[i].id)
            emit_moves(p, type, 1, &dst[i], &to[i]);
}

/* Special registers have 32 bits; halves of them are a conversion. */
static void narrow(struct cw_ptx *p, struct cw_vopnd *src)
{
    for (uint32_t i = 0; i < 4 && p->ir.status == CW_OK; i++) {
        const struct cw_vopnd word = cw_opnd_reg(cw_ptx_new_reg(p, CW_PT_U32, true)),
                              half = cw_opnd_reg(cw_ptx_new_reg(p, CW_PT_U16, true));
        emit_moves(p, CW_PT_U32, 1, &word, &src[i]);
        cw_insn_convert(p, half, CW_U16, word, CW_U32);
        src[i] = half;
    }
}

/* mov.v4.u32 v, %tid; mov.v2.f32 {a, b}, {c, d} */
static void mov_vector(struct cw_ptx *p, const struct cw_insn *in, enum cw_ptype type, uint32_t n)
{
    const uint32_t bytes = cw_ptype_info[type].bytes;
    struct cw_vopnd dst[4], src[4];
    if (bytes < 2 || bytes * n > 16) {
        cw_insn_refuse(p, in);
        return;
    }
    cw_opnd_list(p, CW_LIST_DST, type, n, dst);
    cw_ptx_expect(p, ',');
    if (n == 4 && cw_ptype_info[type].kind != 'f' && cw_opnd_sreg_vector(p, src)) {
        if (bytes == 2)
            narrow(p, src);
    } else {
        cw_opnd_list(p, CW_LIST_SRC, type, n, src);
    }
    emit_moves(p, type, n, dst, src);
}

/* A source or destination of mov.b128: a register of that type or a vector of two, or a list. The number of its elements. */
static uint32_t operand_of_16_bytes(struct cw_ptx *p, enum cw_list list, struct cw_vopnd *o)
{
    const uint32_t n = cw_ptx_is_punct(p, '{') ? count_elements(p) : 2;
    struct cw_vector v;
    if (n != 2 && n != 4)
        cw_ptx_fail(p, CW_EINVAL, "a vector of %u elements does not fit the type of mov", n);
    else if (!cw_ptx_is_punct(p, '{') && !cw_ptx_find_vector(p, &p->tok, &v))
        cw_ptx_fail(p, CW_EUNSUP, "expected a register of 16 bytes, or a list");
    else
        cw_opnd_list(p, list, n == 2 ? CW_PT_B64 : CW_PT_B32, n, o);
    return n;
}

/* mov.b128: of two registers of 64 bits. Words that make one, or are made of one, go by halves. */
static void mov_whole(struct cw_ptx *p)
{
    struct cw_vopnd dst[4], src[4], half[2];
    const uint32_t to = operand_of_16_bytes(p, CW_LIST_DST, dst);
    cw_ptx_expect(p, ',');
    const uint32_t from = operand_of_16_bytes(p, CW_LIST_SRC, src);
    if (p->ir.status != CW_OK)
        return;
    if (to == 4 && from == 4) {
        emit_moves(p, CW_PT_B32, 4, dst, src);
        return;
    }
    for (uint32_t k = 0; k < 2 && to + from == 6; k++) {
        struct cw_insn one = {.v = {.guard = CW_IR_NONE, .u = {.op = from == 4 ? CW_OP_PACK : CW_OP_UNPACK}}};
        set_types(&one, CW_PT_B64, CW_PT_B32);
        half[k] = from == 4 ? dst[k] : src[k];
        for (uint32_t i = 0; i < (to == 4 ? 2 : 1); i++)
            cw_insn_dst(&one, to == 4 ? dst[2 * k + i] : half[k]);
        for (uint32_t i = 0; i < (from == 4 ? 2 : 1); i++)
            cw_insn_src(&one, from == 4 ? src[2 * k + i] : half[k]);
        cw_insn_emit(p, &one);
    }
    if (to == 2 && from == 2)
        emit_moves(p, CW_PT_B64, 2, dst, src);
}

static uint32_t accept_vector(struct cw_insn *in)
{
    return cw_insn_accept(in, "v2") ? 2 : cw_insn_accept(in, "v4") ? 4 : 1;
}

/* Of one element, or of several as one. */
static void mov_scalar(struct cw_ptx *p, struct cw_insn *in, enum cw_ptype type)
{
    set_types(in, type, CW_PT_NONE);
    in->v.u.op = CW_OP_MOV;
    uint32_t n = elements_here(p);
    if (n > 0) {
        mov_unpack(p, in, n);
    } else {
        cw_insn_dst(in, cw_opnd_dst(p, type));
        cw_ptx_expect(p, ',');
        n = elements_here(p);
        if (n > 0)
            mov_pack(p, in, n);
        else if (type == CW_PT_PRED && cw_ptx_accept(p, '!'))
            in->v.u.op = CW_OP_NOT;
        if (n == 0)
            cw_insn_src(in, cw_opnd_mov_src(p, type));
    }
    cw_insn_emit(p, in);
}

static void mov(struct cw_ptx *p, struct cw_insn *in)
{
    uint32_t n = accept_vector(in);
    const bool is_whole = n == 1 && cw_insn_accept(in, "b128");
    enum cw_ptype type = is_whole ? CW_PT_B64 : cw_insn_type(in);
    n = n == 1 && !is_whole ? accept_vector(in) : n;
    if (type == CW_PT_NONE || type == CW_PT_F16 || type == CW_PT_F16X2 || type >= CW_PT_BF16 || cw_ptype_info[type].bytes == 1) {
        cw_insn_refuse(p, in);
        return;
    }
    if (!cw_insn_all(p, in))
        return;
    if (is_whole)
        mov_whole(p);
    else if (n > 1)
        mov_vector(p, in, type, n);
    else
        mov_scalar(p, in, type);
}

/* What makes a policy for .L2::cache_hint: the value is opaque, and the caches do not look at it. */
static void createpolicy(struct cw_ptx *p, struct cw_insn *in)
{
    in->v.u.op = CW_OP_MOV;
    set_types(in, CW_PT_B64, CW_PT_NONE);
    cw_insn_dst(in, cw_opnd_dst(p, CW_PT_B64));
    while (p->tok.kind != CW_TOK_EOF && !cw_ptx_is_punct(p, ';'))
        cw_ptx_advance(p);
    cw_insn_src(in, cw_opnd_const(p, 0, 8));
    cw_insn_emit(p, in);
}

/* ---- lop3 ---- */

/* lop3.or.b32 d|p, a, b, c, table, q: p = (d != 0) or q. The form without an operator is regular. */
static void lop3(struct cw_ptx *p, struct cw_insn *in, uint8_t boolop)
{
    struct cw_insn test = {.word = in->word, .v = {.guard = CW_IR_NONE, .u = {.op = CW_OP_SETP, .type = CW_U32, .stype = CW_TYPE_NONE}}};
    in->v.u.op = CW_OP_LOP3;
    set_types(in, CW_PT_B32, CW_PT_NONE);
    struct cw_vopnd d = cw_opnd_dst(p, CW_PT_B32);
    if (d.kind == CW_V_SINK)
        d = cw_opnd_reg(cw_ptx_new_reg(p, CW_PT_B32, true));
    cw_insn_dst(in, d);
    cw_ptx_expect(p, '|');
    cw_insn_dst(&test, cw_opnd_dst(p, CW_PT_PRED));
    for (uint32_t i = 0; i < 3; i++) {
        cw_ptx_expect(p, ',');
        cw_insn_src(in, cw_opnd_src(p, CW_PT_B32));
    }
    cw_ptx_expect(p, ',');
    in->v.u.imm = (int64_t)(cw_ptx_expr(p, NULL) & 255);
    cw_ptx_expect(p, ',');
    test.v.u.cmp = CW_CMP_NE;
    test.v.u.boolop = boolop;
    cw_insn_src(&test, d);
    cw_insn_src(&test, cw_opnd_const(p, 0, 4));
    cw_insn_src(&test, cw_opnd_pred(p));
    cw_insn_emit(p, in);
    cw_insn_emit(p, &test);
}

/* ---- cvt ---- */

static const struct {
    const char *word;
    uint8_t round;
} roundings[] = {{"rna", CW_RNA}, {"rn", CW_RN},   {"rz", CW_RZ},   {"rm", CW_RM},  {"rp", CW_RP},
                 {"rni", CW_RNI}, {"rzi", CW_RZI}, {"rmi", CW_RMI}, {"rpi", CW_RPI}};

/* Which roundings the ISA wants: to an integer value for float -> integer, to a float where precision is lost, none elsewhere. */
static bool rounding_fits(enum cw_ptype to, enum cw_ptype from, bool given, uint8_t round)
{
    bool to_float = cw_ptype_info[to].kind == 'f', from_float = cw_ptype_info[from].kind == 'f';
    bool integer = given && round >= CW_RNI;
    if (given && round == CW_RNA)
        return false;
    if (!to_float)
        return from_float ? integer : !given;
    if (!from_float)
        return given && !integer;
    if (cw_ptype_info[to].bytes < cw_ptype_info[from].bytes || (cw_ptype_info[to].bytes == 2 && from != to))
        return given && !integer; /* f16 and bf16 lose something of each other */
    return !given || (integer && to == from);
}

/* Destination register wider than the type: the value is extended by the type's sign. Slots of up to 32 bits are kept zero-extended, so
 * that only signed types and 64-bit registers need a second step. */
static void cvt_emit(struct cw_ptx *p, struct cw_insn *in, struct cw_vopnd dst, struct cw_vopnd src)
{
    if (p->ir.status != CW_OK)
        return;
    if (cw_opnd_bytes(p, src) == 8 && cw_ptype_info[in->stype].bytes < 8) {
        struct cw_vopnd low = cw_opnd_reg(cw_ptx_new_reg(p, CW_PT_B32, true));
        cw_insn_convert(p, low, CW_U32, src, CW_U64);
        src = low;
    }
    uint32_t have = cw_opnd_bytes(p, dst), bytes = cw_ptype_info[in->type].bytes;
    bool is_signed = cw_ptype_info[in->type].kind == 's';
    bool direct = dst.kind == CW_V_SINK || have == bytes || (!is_signed && have <= 4);
    struct cw_vopnd first = direct ? dst : cw_opnd_reg(cw_ptx_new_reg(p, in->type, true));
    cw_insn_dst(in, first);
    cw_insn_src(in, src);
    cw_insn_emit(p, in);
    if (!direct) {
        enum cw_type wide = have == 8   ? (is_signed ? CW_S64 : CW_U64)
                            : have == 4 ? (is_signed ? CW_S32 : CW_U32)
                                        : (is_signed ? CW_S16 : CW_U16);
        cw_insn_convert(p, dst, wide, first, (enum cw_type)in->v.u.type);
    }
}

/* cvt.rn.f16x2.f32 d, a, b: a to the upper half. From one operand of two numbers it is d, a. */
static void cvt_pair(struct cw_ptx *p, struct cw_insn *in, enum cw_ptype to, enum cw_ptype from)
{
    set_types(in, to, from);
    cw_insn_dst(in, cw_opnd_dst(p, to));
    for (uint32_t i = 0; i < (from == CW_PT_F32 ? 2 : 1); i++) {
        cw_ptx_expect(p, ',');
        cw_insn_src(in, cw_opnd_src(p, from));
    }
    cw_insn_emit(p, in);
}

/* cvt.pack.sat.s8.s32.b32 d, a, b, c: c moves up, and a and b, clamped, fill the lower bits. imm: bits of one, and 256 if it is signed. */
static void cvt_pack(struct cw_ptx *p, struct cw_insn *in)
{
    static const struct {
        const char *word;
        uint16_t imm;
    } packed[] = {{"u16", 16}, {"s16", 272}, {"u8", 8}, {"s8", 264}, {"u4", 4}, {"s4", 260}, {"u2", 2}, {"s2", 258}};
    if (!cw_insn_accept(in, "sat"))
        in->next = 0;
    for (uint32_t i = 0; i < COUNT(packed) && in->next != 0 && in->v.u.imm == 0; i++)
        in->v.u.imm = cw_insn_accept(in, packed[i].word) ? packed[i].imm : 0;
    const bool wide = (in->v.u.imm & 255) == 16;
    if (in->v.u.imm == 0 || cw_insn_type(in) != CW_PT_S32 || (!wide && cw_insn_type(in) != CW_PT_B32))
        in->next = 0;
    if (!cw_insn_all(p, in))
        return;
    in->v.u.op = CW_OP_CVT_PACK;
    set_types(in, CW_PT_B32, CW_PT_S32);
    cw_insn_dst(in, cw_opnd_dst(p, CW_PT_B32));
    for (uint32_t i = 0; i < (wide ? 2 : 3); i++) {
        cw_ptx_expect(p, ',');
        cw_insn_src(in, cw_opnd_src(p, i == 2 ? CW_PT_B32 : CW_PT_S32));
    }
    cw_insn_emit(p, in);
}

/* Conversions into and from the types that come in pairs, and into tf32: which modifiers the ISA gives them. */
static bool is_eighth(enum cw_ptype t)
{
    return t == CW_PT_E4M3X2 || t == CW_PT_E5M2X2;
}

static bool pair_fits(enum cw_ptype to, enum cw_ptype from, const struct cw_uop *u)
{
    const bool nearest = u->round == CW_RN, finite = (u->flags & CW_UF_SATFINITE) != 0;
    if (u->flags & (CW_UF_FTZ | CW_UF_SAT))
        return false;
    if (is_eighth(to))
        return (from == CW_PT_F32 || from == CW_PT_F16X2) && nearest && finite;
    if (is_eighth(from))
        return to == CW_PT_F16X2 && nearest && !finite;
    return (to == CW_PT_F16X2 || to == CW_PT_BF16X2) && from == CW_PT_F32 && (nearest || u->round == CW_RZ);
}

static bool tf32_fits(enum cw_ptype from, const struct cw_uop *u)
{
    if (from != CW_PT_F32 || u->flags & (CW_UF_FTZ | CW_UF_SAT))
        return false;
    return u->round == CW_RNA ? (u->flags & CW_UF_RELU) == 0 : u->round == CW_RN || u->round == CW_RZ;
}

/* Of two numbers of one each. */
static bool scalar_fits(enum cw_ptype to, enum cw_ptype from, bool given, const struct cw_uop *u)
{
    const struct cw_ptype_info *t = &cw_ptype_info[to], *f = &cw_ptype_info[from];
    if (t->bytes == 0 || f->bytes == 0 || t->kind == 'b' || f->kind == 'b' || to > CW_PT_BF16 || from > CW_PT_BF16)
        return false;
    if (to == CW_PT_F16X2 || from == CW_PT_F16X2)
        return false;
    const bool limited = (u->flags & (CW_UF_RELU | CW_UF_SATFINITE)) != 0;
    const bool may = from == CW_PT_F32 && (to == CW_PT_F16 || to == CW_PT_BF16) && (u->round == CW_RN || u->round == CW_RZ);
    return (!limited || (may && (u->flags & (CW_UF_FTZ | CW_UF_SAT)) == 0)) && rounding_fits(to, from, given, u->round);
}

/* What cvt's modifiers say, which ptxas takes in any order but for the two types. */
struct cvt_mods {
    bool is_rounded;
    enum cw_ptype to, from;
};

static bool accept_rounding(struct cw_insn *in, struct cvt_mods *m)
{
    for (uint32_t i = 0; i < COUNT(roundings) && !m->is_rounded; i++) {
        m->is_rounded = cw_insn_accept(in, roundings[i].word);
        in->v.u.round = m->is_rounded ? roundings[i].round : CW_RN;
    }
    return m->is_rounded;
}

static bool accept_cvt_flag(struct cw_insn *in)
{
    static const struct {
        const char *word;
        uint32_t flag;
    } mods[] = {{"ftz", CW_UF_FTZ}, {"sat", CW_UF_SAT}, {"relu", CW_UF_RELU}, {"satfinite", CW_UF_SATFINITE}};
    for (uint32_t i = 0; i < COUNT(mods); i++) {
        if ((in->v.u.flags & mods[i].flag) != 0 || !cw_insn_accept(in, mods[i].word))
            continue;
        in->v.u.flags |= mods[i].flag;
        return true;
    }
    return false;
}

static bool accept_cvt_type(struct cw_insn *in, struct cvt_mods *m)
{
    enum cw_ptype *type = m->to == CW_PT_NONE ? &m->to : &m->from;
    if (*type != CW_PT_NONE)
        return false;
    *type = cw_insn_type(in);
    return *type != CW_PT_NONE;
}

static struct cvt_mods cvt_mods(struct cw_insn *in)
{
    struct cvt_mods m = {.to = CW_PT_NONE, .from = CW_PT_NONE};
    in->v.u.flags = 0;
    in->v.u.round = CW_RN;
    while (in->next < in->part_cnt && ((!m.is_rounded && accept_rounding(in, &m)) || accept_cvt_flag(in) || accept_cvt_type(in, &m)))
        continue;
    return m;
}

static void cvt(struct cw_ptx *p, struct cw_insn *in)
{
    if (cw_insn_accept(in, "pack")) {
        cvt_pack(p, in);
        return;
    }
    in->v.u.op = CW_OP_CVT;
    const struct cvt_mods m = cvt_mods(in);
    const enum cw_ptype to = m.to, from = m.from;
    const bool given = m.is_rounded;
    if (given && in->next == in->part_cnt && pair_fits(to, from, &in->v.u)) {
        cvt_pair(p, in, to, from);
        return;
    }
    const bool fits = to == CW_PT_TF32 ? given && tf32_fits(from, &in->v.u) : scalar_fits(to, from, given, &in->v.u);
    if (!fits || in->next != in->part_cnt) {
        cw_insn_refuse(p, in);
        return;
    }
    set_types(in, to, from);
    const bool to_float = cw_ptype_info[to].kind == 'f';
    struct cw_vopnd dst = to_float ? cw_opnd_dst(p, to) : cw_opnd_wide_dst(p, cw_ptype_info[to].bytes);
    cw_ptx_expect(p, ',');
    struct cw_vopnd src = cw_ptype_info[from].kind == 'f' ? cw_opnd_src(p, from) : cw_opnd_wide_src(p, from);
    cvt_emit(p, in, dst, src);
}

/* ---- address spaces ---- */

static bool named_space(struct cw_insn *in)
{
    static const struct {
        const char *word;
        uint8_t space;
    } spaces[] = {
        {"global", CW_SPACE_GLOBAL}, {"shared", CW_SPACE_SHARED}, {"shared::cta", CW_SPACE_SHARED}, {"shared::cluster", CW_SPACE_SHARED},
        {"local", CW_SPACE_LOCAL},   {"const", CW_SPACE_CONST},   {"param", CW_SPACE_PARAM},        {"param::entry", CW_SPACE_PARAM}};
    for (uint32_t i = 0; i < COUNT(spaces); i++) {
        if (cw_insn_accept(in, spaces[i].word)) {
            in->v.u.space = spaces[i].space;
            return true;
        }
    }
    return false;
}

static void cvta(struct cw_ptx *p, struct cw_insn *in)
{
    in->v.u.op = CW_OP_CVTA;
    in->v.u.flags = (cw_insn_accept(in, "to") ? CW_UF_TO : 0);
    bool has_space = named_space(in);
    if (!has_space || cw_insn_type(in) != CW_PT_U64 || in->next != in->part_cnt) {
        cw_insn_refuse(p, in);
        return;
    }
    set_types(in, CW_PT_U64, CW_PT_NONE);
    cw_insn_dst(in, cw_opnd_dst(p, CW_PT_U64));
    cw_ptx_expect(p, ',');
    cw_insn_src(in, cw_opnd_src(p, CW_PT_U64));
    cw_insn_emit(p, in);
}

static void isspacep(struct cw_ptx *p, struct cw_insn *in)
{
    in->v.u.op = CW_OP_ISSPACEP;
    if (!named_space(in) || in->next != in->part_cnt) {
        cw_insn_refuse(p, in);
        return;
    }
    set_types(in, CW_PT_U64, CW_PT_NONE);
    cw_insn_dst(in, cw_opnd_dst(p, CW_PT_PRED));
    cw_ptx_expect(p, ',');
    cw_insn_src(in, cw_opnd_src(p, CW_PT_U64));
    cw_insn_emit(p, in);
}

bool cw_insn_combined(struct cw_ptx *p, struct cw_insn *in)
{
    const bool is_or = cw_part_is(&in->part[1], "or");
    if (in->part_cnt != 3 || !cw_part_is(&in->part[0], "lop3") || !cw_part_is(&in->part[2], "b32") ||
        (!is_or && !cw_part_is(&in->part[1], "and")))
        return false;
    in->next = in->part_cnt;
    lop3(p, in, is_or ? CW_BOOL_OR : CW_BOOL_AND);
    return true;
}

bool cw_insn_special(struct cw_ptx *p, struct cw_insn *in)
{
    static const struct {
        const char *name;
        void (*read)(struct cw_ptx *p, struct cw_insn *in);
    } table[] = {{"mov", mov}, {"cvt", cvt}, {"cvta", cvta}, {"isspacep", isspacep}, {"createpolicy", createpolicy}};
    for (uint32_t i = 0; i < COUNT(table); i++) {
        if (cw_part_is(&in->part[0], table[i].name)) {
            table[i].read(p, in);
            return true;
        }
    }
    return false;
}
