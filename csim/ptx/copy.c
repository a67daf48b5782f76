/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cp.async. The copy is a load and a store, which the warp waits for: it is complete before any wait for it, so that commit_group,
 * wait_group and wait_all have nothing to do. Bytes that are not read are zero.
 */
#include "ptx/insn.h"

/* A copy: `bytes` bytes, 4, 8 or 16, by words. */
struct copy {
    struct cw_address to, from;
    uint32_t bytes;
};

/* Emits under a predicate of its own, in place of the statement's guard, which is part of that. */
static void emit_if(struct cw_ptx *p, struct cw_insn *in, struct cw_vopnd when)
{
    const uint32_t guard = p->guard;
    const uint8_t neg = p->guard_neg;
    if (when.kind == CW_V_REG) {
        p->guard = when.id;
        p->guard_neg = when.neg;
    }
    cw_insn_emit(p, in);
    p->guard = guard;
    p->guard_neg = neg;
}

static const struct cw_vopnd always = {.kind = CW_V_NONE};

static struct cw_vopnd temporary(struct cw_ptx *p, enum cw_ptype type)
{
    return cw_opnd_reg(cw_ptx_new_reg(p, type, true));
}

static struct cw_vopnd word(struct cw_ptx *p, uint64_t value)
{
    return cw_opnd_const(p, value, 4);
}

/* ---- the two halves of a copy ---- */

/* Words of global memory into temporaries, from word `first` on. */
static void load(struct cw_ptx *p, const struct cw_insn *in, const struct copy *c, uint32_t first, uint32_t cnt, struct cw_vopnd *words,
                 struct cw_vopnd when)
{
    struct cw_insn ld = *in;
    ld.v.u.op = CW_OP_LD;
    ld.v.u.space = CW_SPACE_GLOBAL;
    ld.v.u.type = ld.v.u.stype = CW_U32;
    ld.v.u.vec = (uint8_t)cnt;
    ld.v.u.src_cnt = 1;
    struct cw_address a = c->from;
    a.offset += 4 * (int64_t)first;
    cw_insn_set_address(p, &ld, &a, false);
    for (uint32_t i = 0; i < cnt; i++) {
        words[first + i] = temporary(p, CW_PT_B32);
        cw_insn_dst(&ld, words[first + i]);
    }
    emit_if(p, &ld, when);
}

static void store(struct cw_ptx *p, const struct cw_insn *in, const struct copy *c, uint32_t first, uint32_t cnt,
                  const struct cw_vopnd *words, struct cw_vopnd when)
{
    struct cw_insn st = *in;
    st.v.u.op = CW_OP_ST;
    st.v.u.space = CW_SPACE_SHARED;
    st.v.u.flags = 0;
    st.v.u.type = st.v.u.stype = CW_U32;
    st.v.u.vec = (uint8_t)cnt;
    st.v.u.src_cnt = 1;
    struct cw_address a = c->to;
    a.offset += 4 * (int64_t)first;
    cw_insn_set_address(p, &st, &a, true);
    for (uint32_t i = 0; i < cnt; i++)
        cw_insn_src(&st, words[first + i]);
    emit_if(p, &st, when);
}

static void store_zeros(struct cw_ptx *p, const struct cw_insn *in, const struct copy *c, struct cw_vopnd when)
{
    const struct cw_vopnd zero = word(p, 0), zeros[4] = {zero, zero, zero, zero};
    store(p, in, c, 0, c->bytes / 4, zeros, when);
}

/* ---- how much is read ---- */

/* One byte from global to shared memory. */
static void copy_byte(struct cw_ptx *p, const struct cw_insn *in, const struct copy *c, uint32_t at, struct cw_vopnd when)
{
    struct cw_insn ld = *in, st = *in;
    struct cw_address from = c->from, to = c->to;
    const struct cw_vopnd byte = temporary(p, CW_PT_B32);
    from.offset += at;
    to.offset += at;
    ld.v.u.op = CW_OP_LD;
    ld.v.u.space = CW_SPACE_GLOBAL;
    st.v.u.op = CW_OP_ST;
    st.v.u.space = CW_SPACE_SHARED;
    st.v.u.flags = 0;
    ld.v.u.type = st.v.u.type = CW_U8;
    ld.v.u.stype = st.v.u.stype = CW_U32;
    ld.v.u.vec = st.v.u.vec = 1;
    ld.v.u.src_cnt = st.v.u.src_cnt = 1;
    cw_insn_set_address(p, &ld, &from, false);
    cw_insn_dst(&ld, byte);
    emit_if(p, &ld, when);
    cw_insn_set_address(p, &st, &to, true);
    cw_insn_src(&st, byte);
    emit_if(p, &st, when);
}

/* The first `have` bytes: those that are no whole word after the others, one by one, so that nothing behind them is read. */
static void copy_number(struct cw_ptx *p, struct cw_insn *in, const struct copy *c, uint32_t have)
{
    struct cw_vopnd words[4];
    const uint32_t n = c->bytes / 4, loaded = have / 4, together = loaded == 3 ? 2 : loaded;
    if (together != 0)
        load(p, in, c, 0, together, words, always);
    if (loaded == 3)
        load(p, in, c, 2, 1, words, always);
    for (uint32_t i = loaded; i < n; i++)
        words[i] = word(p, 0);
    store(p, in, c, 0, n, words, always);
    for (uint32_t at = 4 * loaded; at < have; at++)
        copy_byte(p, in, c, at, always);
}

/* yes = (a cmp b) and only; no = not (a cmp b) and only, if it is wanted. Unsigned 32-bit. */
static void compare(struct cw_ptx *p, enum cw_cmp cmp, struct cw_vopnd a, struct cw_vopnd b, struct cw_vopnd only, struct cw_vopnd *yes,
                    struct cw_vopnd *no)
{
    struct cw_insn in = {.v = {.u = {.op = CW_OP_SETP, .type = CW_U32, .stype = CW_TYPE_NONE, .cmp = (uint8_t)cmp}}};
    *yes = temporary(p, CW_PT_PRED);
    cw_insn_dst(&in, *yes);
    if (no != NULL) {
        *no = temporary(p, CW_PT_PRED);
        cw_insn_dst(&in, *no);
    }
    cw_insn_src(&in, a);
    cw_insn_src(&in, b);
    if (only.kind == CW_V_REG) {
        in.v.u.boolop = CW_BOOL_AND;
        cw_insn_src(&in, only);
    }
    const uint32_t guard = p->guard;
    const uint8_t neg = p->guard_neg;
    p->guard = CW_IR_NONE;
    p->guard_neg = 0;
    cw_insn_emit(p, &in);
    p->guard = guard;
    p->guard_neg = neg;
}

static struct cw_vopnd statement_guard(const struct cw_ptx *p)
{
    struct cw_vopnd o = always;
    if (p->guard != CW_IR_NONE)
        o = cw_opnd_reg(p->guard);
    o.neg = p->guard_neg;
    return o;
}

/* A number of bytes that is neither 0 nor all, over the zeros that are there already: whole words, and the rest by bytes. */
static void copy_some(struct cw_ptx *p, struct cw_insn *in, const struct copy *c, struct cw_vopnd have, struct cw_vopnd some)
{
    for (uint32_t i = 0; i < c->bytes / 4; i++) {
        struct cw_vopnd words[4], whole, part, when;
        compare(p, CW_CMP_GE, have, word(p, 4 * i + 4), some, &whole, &part);
        load(p, in, c, i, 1, words, whole);
        store(p, in, c, i, 1, words, whole);
        for (uint32_t at = 4 * i; at < 4 * i + 3; at++) {
            compare(p, CW_CMP_GT, have, word(p, at), part, &when, NULL);
            copy_byte(p, in, c, at, when);
        }
    }
}

/* As many bytes as a register says. All or none is the usual case; a branch leads around the others. */
static void copy_register(struct cw_ptx *p, struct cw_insn *in, const struct copy *c, struct cw_vopnd have)
{
    struct cw_vopnd words[4], all, less, some;
    compare(p, CW_CMP_GE, have, word(p, c->bytes), statement_guard(p), &all, &less);
    load(p, in, c, 0, c->bytes / 4, words, all);
    store(p, in, c, 0, c->bytes / 4, words, all);
    store_zeros(p, in, c, less);
    compare(p, CW_CMP_NE, have, word(p, 0), less, &some, NULL);
    struct cw_insn over = {.v = {.u = {.op = CW_OP_BRA, .type = CW_TYPE_NONE, .stype = CW_TYPE_NONE}}};
    struct cw_vopnd none = some;
    none.neg = 1;
    const uint32_t branch = cw_ptx_fn(p)->code.n;
    emit_if(p, &over, none);
    copy_some(p, in, c, have, some);
    if (p->ir.status == CW_OK)
        cw_ptx_fn(p)->code.a[branch].u.target = cw_ptx_fn(p)->code.n;
}

/* Nothing is read where the predicate holds. */
static void copy_unless(struct cw_ptx *p, struct cw_insn *in, const struct copy *c, struct cw_vopnd ignore)
{
    struct cw_vopnd words[4], yes, no;
    struct cw_insn choose = {.v = {.u = {.op = CW_OP_SELP, .type = CW_U32, .stype = CW_TYPE_NONE}}};
    const struct cw_vopnd chosen = temporary(p, CW_PT_B32);
    cw_insn_dst(&choose, chosen);
    cw_insn_src(&choose, word(p, 1));
    cw_insn_src(&choose, word(p, 0));
    cw_insn_src(&choose, ignore);
    cw_insn_emit(p, &choose);
    compare(p, CW_CMP_EQ, chosen, word(p, 0), statement_guard(p), &yes, &no);
    load(p, in, c, 0, c->bytes / 4, words, yes);
    store(p, in, c, 0, c->bytes / 4, words, yes);
    store_zeros(p, in, c, no);
}

/* ---- the text ---- */

static bool is_predicate(struct cw_ptx *p)
{
    const struct cw_tok *tok = cw_ptx_is_punct(p, '!') ? &p->ahead : &p->tok;
    const uint32_t reg = tok->kind == CW_TOK_WORD ? cw_ptx_find_reg(p, tok) : CW_IR_NONE;
    return reg != CW_IR_NONE && cw_ptx_fn(p)->vreg.a[reg].ptype == CW_PT_PRED;
}

static bool sizes_fit(struct cw_ptx *p, const struct cw_insn *in, uint32_t bytes, uint32_t have, bool all)
{
    if ((bytes != 4 && bytes != 8 && bytes != 16) || (!all && bytes != 16) || have > bytes)
        cw_ptx_fail_tok(p, CW_EINVAL, &in->word, "cp.async copies 4, 8 or 16 bytes, with .cg 16, and reads at most as many");
    return p->ir.status == CW_OK;
}

/* What stands behind the size: nothing, how many bytes are read, or a predicate; then the policy. */
static void copy_operands(struct cw_ptx *p, struct cw_insn *in, const struct copy *c, bool all)
{
    uint32_t have = c->bytes;
    struct cw_vopnd reg = always;
    bool ignores = false;
    const bool is_more = cw_ptx_is_punct(p, ',');
    const bool is_policy = in->has_policy && p->ahead.kind == CW_TOK_WORD && cw_ptx_find_reg(p, &p->ahead) != CW_IR_NONE &&
                           cw_ptx_fn(p)->vreg.a[cw_ptx_find_reg(p, &p->ahead)].bytes == 8;
    if (is_more && !is_policy) {
        cw_ptx_expect(p, ',');
        ignores = is_predicate(p);
        if (p->tok.kind != CW_TOK_WORD && !ignores)
            have = (uint32_t)cw_ptx_uint(p, 16, "size of the source");
        else
            reg = ignores ? cw_opnd_pred(p) : cw_opnd_src(p, CW_PT_U32);
    }
    cw_insn_policy(p, in);
    if (p->ir.status != CW_OK || !sizes_fit(p, in, c->bytes, have, all))
        return;
    if (ignores)
        copy_unless(p, in, c, reg);
    else if (reg.kind != CW_V_NONE)
        copy_register(p, in, c, reg);
    else
        copy_number(p, in, c, have);
}

/* .ca or .cg, .shared.global, hints, in any order; false when something is missing. */
static bool copy_mods(struct cw_insn *in, bool *all)
{
    bool has_policy = false, has_to = false, has_from = false;
    *all = false;
    while (in->next < in->part_cnt) {
        bool *said = NULL;
        if (!has_policy && ((*all = cw_insn_accept(in, "ca")) || cw_insn_accept(in, "cg")))
            said = &has_policy;
        else if (!has_to && (cw_insn_accept(in, "shared") || cw_insn_accept(in, "shared::cta")))
            said = &has_to;
        else if (has_to && !has_from && cw_insn_accept(in, "global"))
            said = &has_from;
        else if (!cw_insn_hint(in))
            return false;
        if (said != NULL)
            *said = true;
    }
    return has_policy && has_to && has_from;
}

static void copy(struct cw_ptx *p, struct cw_insn *in)
{
    struct copy c;
    uint8_t to = CW_SPACE_SHARED, from = CW_SPACE_GLOBAL;
    bool all = false;
    if (in->next == 0 || !copy_mods(in, &all)) {
        cw_insn_refuse(p, in);
        return;
    }
    in->v.u.flags = all ? CW_UF_CACHE_ALL : 0;
    c.to = cw_insn_address(p, &to);
    cw_ptx_expect(p, ',');
    c.from = cw_insn_address(p, &from);
    cw_ptx_expect(p, ',');
    c.bytes = (uint32_t)cw_ptx_uint(p, 16, "size");
    copy_operands(p, in, &c, all);
}

bool cw_insn_copy(struct cw_ptx *p, struct cw_insn *in)
{
    if (!cw_part_is(&in->part[0], "cp"))
        return false;
    if (!cw_insn_accept(in, "async"))
        in->next = 0;
    if (in->next != 0 && cw_insn_accept(in, "mbarrier")) {
        cw_insn_copy_arrives(p, in);
        return true;
    }
    const bool group = in->next != 0 && cw_insn_accept(in, "wait_group");
    if (!group && (in->next == 0 || (!cw_insn_accept(in, "commit_group") && !cw_insn_accept(in, "wait_all")))) {
        copy(p, in);
        return true;
    }
    in->v.u.op = CW_OP_NOP;
    if (!cw_insn_all(p, in))
        return true;
    if (group)
        cw_ptx_uint(p, UINT32_MAX, "number of groups");
    cw_insn_emit(p, in);
    return true;
}
