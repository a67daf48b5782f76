/* SPDX-License-Identifier: Apache-2.0 */
/* The video instructions: operands with selectors (%r2.b0, %r3.h10), a second operation or a merge with operand c. */
#include "ir/video.h"

#include <string.h>

#include "ptx/insn.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
    const char *name;
    uint8_t op, lanes;
} names[] = {{"vadd", CW_VIDEO_ADD, 1},  {"vsub", CW_VIDEO_SUB, 1},  {"vabsdiff", CW_VIDEO_ABSDIFF, 1},  {"vmin", CW_VIDEO_MIN, 1},
             {"vmax", CW_VIDEO_MAX, 1},  {"vshl", CW_VIDEO_SHL, 1},  {"vshr", CW_VIDEO_SHR, 1},          {"vset", CW_VIDEO_SET, 1},
             {"vmad", CW_VIDEO_MAD, 1},  {"vadd2", CW_VIDEO_ADD, 2}, {"vsub2", CW_VIDEO_SUB, 2},         {"vavrg2", CW_VIDEO_AVRG, 2},
             {"vmin2", CW_VIDEO_MIN, 2}, {"vmax2", CW_VIDEO_MAX, 2}, {"vabsdiff2", CW_VIDEO_ABSDIFF, 2}, {"vset2", CW_VIDEO_SET, 2},
             {"vadd4", CW_VIDEO_ADD, 4}, {"vsub4", CW_VIDEO_SUB, 4}, {"vavrg4", CW_VIDEO_AVRG, 4},       {"vmin4", CW_VIDEO_MIN, 4},
             {"vmax4", CW_VIDEO_MAX, 4}, {"vset4", CW_VIDEO_SET, 4}, {"vabsdiff4", CW_VIDEO_ABSDIFF, 4}};

/* ---- selectors ---- */

/* What stands behind the dot of a register: 'b' or 'h' and digits, or len 0. */
struct selector {
    const char *s;
    uint32_t len;
};

/* Cuts the selector off the current token. Special registers keep their dots: what follows is no selector. */
static struct selector cut(struct cw_ptx *p)
{
    const char *dot = p->tok.kind == CW_TOK_WORD ? memchr(p->tok.text, '.', p->tok.len) : NULL;
    if (dot == NULL)
        return (struct selector){"", 0};
    struct selector sel = {dot + 1, p->tok.len - (uint32_t)(dot + 1 - p->tok.text)};
    if (sel.len < 2 || (sel.s[0] != 'b' && sel.s[0] != 'h') || sel.s[1] < '0' || sel.s[1] > '9')
        return (struct selector){"", 0};
    p->tok.len = (uint32_t)(dot - p->tok.text);
    return sel;
}

static uint32_t bad_selector(struct cw_ptx *p, struct selector sel)
{
    cw_ptx_fail(p, CW_EINVAL, "the instruction has no selector .%.*s", (int)(sel.len < 20 ? sel.len : 20), sel.s);
    return 0;
}

/* Of one element: enum cw_video_part. */
static uint32_t part_of(struct cw_ptx *p, struct selector sel)
{
    static const char *const parts[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};
    for (uint32_t i = 0; i < COUNT(parts); i++)
        if (strlen(parts[i]) == sel.len && memcmp(parts[i], sel.s, sel.len) == 0)
            return i;
    return bad_selector(p, sel);
}

/* Of several: one digit for each lane, the last lane first, each below 2 * lanes. */
static uint32_t digits_of(struct cw_ptx *p, struct selector sel, uint32_t lanes, uint32_t otherwise)
{
    uint32_t v = 0;
    if (sel.len == 0)
        return otherwise;
    if (sel.len != lanes + 1 || sel.s[0] != (lanes == 2 ? 'h' : 'b'))
        return bad_selector(p, sel);
    for (uint32_t i = 1; i < sel.len; i++) {
        if (sel.s[i] < '0' || sel.s[i] >= (char)('0' + 2 * lanes))
            return bad_selector(p, sel);
        v = v << 4 | (uint32_t)(sel.s[i] - '0');
    }
    return v;
}

/* Lanes that are written: their numbers, the highest first. */
static uint32_t mask_of(struct cw_ptx *p, struct selector sel, uint32_t lanes)
{
    uint32_t mask = 0;
    if (sel.len == 0)
        return (1u << lanes) - 1;
    if (sel.s[0] != (lanes == 2 ? 'h' : 'b'))
        return bad_selector(p, sel);
    for (uint32_t i = 1; i < sel.len; i++) {
        const uint32_t lane = (uint32_t)(sel.s[i] - '0');
        if (lane >= lanes || (i > 1 && sel.s[i] >= sel.s[i - 1]))
            return bad_selector(p, sel);
        mask |= 1u << lane;
    }
    return mask;
}

/* ---- modifiers ---- */

static bool accept_second(struct cw_insn *in, struct cw_video *v)
{
    static const char *const words[] = {"", "add", "min", "max"};
    for (uint32_t i = 1; i < (v->lanes == 1 ? COUNT(words) : 2); i++) {
        if (v->second == CW_VIDEO_NONE && v->op != CW_VIDEO_MAD && cw_insn_accept(in, words[i])) {
            v->second = i;
            return true;
        }
    }
    return false;
}

static bool accept_scale(struct cw_insn *in, struct cw_video *v)
{
    if (v->op != CW_VIDEO_MAD || v->shift != 0)
        return false;
    v->shift = cw_insn_accept(in, "shr7") ? 7 : cw_insn_accept(in, "shr15") ? 15 : 0;
    return v->shift != 0;
}

/* .clamp or .wrap, which shifts have to have; .sat, which comparisons have not, nor sums with a second operation over lanes. */
static bool accept_mods(struct cw_insn *in, struct cw_video *v)
{
    const bool is_shift = v->op == CW_VIDEO_SHL || v->op == CW_VIDEO_SHR;
    bool mode = false, sat = false;
    for (bool more = true; more;) {
        more = false;
        if (is_shift && !mode)
            mode = more = cw_insn_accept(in, "clamp");
        if (is_shift && !mode && cw_insn_accept(in, "wrap")) {
            in->v.u.flags |= CW_UF_WRAP;
            more = mode = true;
        }
        if (v->op != CW_VIDEO_SET && !sat && cw_insn_accept(in, "sat"))
            more = sat = true;
        if (v->op == CW_VIDEO_MAD && v->plus_one == 0 && cw_insn_accept(in, "po")) {
            v->plus_one = 1;
            more = true;
        }
        more |= accept_scale(in, v) || accept_second(in, v);
    }
    in->v.u.flags |= sat ? CW_UF_SAT : 0;
    return mode == is_shift && !(sat && v->lanes > 1 && v->second != CW_VIDEO_NONE);
}

static bool accept_cmp(struct cw_insn *in)
{
    static const char *const words[] = {"eq", "ne", "lt", "le", "gt", "ge"}; /* enum cw_cmp begins so */
    for (uint32_t i = 0; i < COUNT(words); i++) {
        if (!cw_insn_accept(in, words[i]))
            continue;
        in->v.u.cmp = (uint8_t)i;
        return true;
    }
    return false;
}

static bool is_word(enum cw_ptype t)
{
    return t == CW_PT_U32 || t == CW_PT_S32;
}

/* Types and what follows them; type becomes that of the result, stype that of a. */
static bool mods(struct cw_insn *in, struct cw_video *v)
{
    in->type = v->op == CW_VIDEO_SET ? CW_PT_U32 : cw_insn_type(in); /* a truth value has no sign */
    in->stype = cw_insn_type(in);
    const enum cw_ptype b = cw_insn_type(in);
    v->b_signed = b == CW_PT_S32;
    in->v.u.type = cw_ptype_info[in->type].type;
    in->v.u.stype = cw_ptype_info[in->stype].type;
    if (!is_word(in->type) || !is_word(in->stype) || !is_word(b) || (v->op == CW_VIDEO_SET && !accept_cmp(in)))
        return false;
    if ((v->op == CW_VIDEO_SHL || v->op == CW_VIDEO_SHR) && b != CW_PT_U32)
        return false;
    return accept_mods(in, v) && in->next == in->part_cnt;
}

/* ---- operands ---- */

/* One of a, b, c of vmad may have a minus sign. */
static uint32_t sign(struct cw_ptx *p, const struct cw_video *v)
{
    if (v->op != CW_VIDEO_MAD || v->plus_one != 0 || !cw_ptx_is_punct(p, '-') || p->ahead.kind != CW_TOK_WORD)
        return 0;
    cw_ptx_advance(p);
    return 1;
}

static uint32_t source(struct cw_ptx *p, struct cw_insn *in, const struct cw_video *v, enum cw_ptype type, uint32_t otherwise)
{
    const struct selector sel = cut(p);
    const uint32_t which = v->lanes == 1 ? part_of(p, sel) : digits_of(p, sel, v->lanes, otherwise);
    cw_insn_src(in, cw_opnd_src(p, type));
    return which;
}

static void operands(struct cw_ptx *p, struct cw_insn *in, struct cw_video *v)
{
    const struct selector sel = cut(p);
    v->dst = v->lanes == 1 ? part_of(p, sel) : mask_of(p, sel, v->lanes);
    cw_insn_dst(in, cw_opnd_dst(p, in->type));
    cw_ptx_expect(p, ',');
    v->neg_ab = sign(p, v);
    v->a = source(p, in, v, in->stype, v->lanes == 2 ? 0x10 : 0x3210);
    cw_ptx_expect(p, ',');
    v->neg_ab ^= sign(p, v);
    v->b = source(p, in, v, v->b_signed ? CW_PT_S32 : CW_PT_U32, v->lanes == 2 ? 0x32 : 0x7654);
    const bool merges = v->lanes == 1 && v->dst != CW_VIDEO_WORD;
    if ((merges && v->second != CW_VIDEO_NONE) || (merges && v->op == CW_VIDEO_MAD))
        cw_ptx_fail_tok(p, CW_EINVAL, &in->word, "a result with a selector cannot have a second operation");
    if (!merges && v->second == CW_VIDEO_NONE && v->lanes == 1 && v->op != CW_VIDEO_MAD)
        return;
    cw_ptx_expect(p, ',');
    v->neg_c = sign(p, v);
    if (v->neg_ab != 0 && v->neg_c != 0)
        cw_ptx_fail_tok(p, CW_EINVAL, &in->word, "vmad negates the product or the addend, not both");
    cw_insn_src(in, cw_opnd_src(p, CW_PT_B32));
}

bool cw_insn_video(struct cw_ptx *p, struct cw_insn *in)
{
    for (uint32_t i = 0; i < COUNT(names); i++) {
        if (!cw_part_is(&in->part[0], names[i].name))
            continue;
        struct cw_video v = {.op = names[i].op, .lanes = names[i].lanes};
        in->v.u.op = v.op == CW_VIDEO_MAD ? CW_OP_VMAD : CW_OP_VIDEO;
        if (!mods(in, &v)) {
            cw_insn_refuse(p, in);
            return true;
        }
        operands(p, in, &v);
        in->v.u.imm = cw_video_pack(&v);
        cw_insn_emit(p, in);
        return true;
    }
    return false;
}
