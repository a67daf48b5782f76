/* SPDX-License-Identifier: Apache-2.0 */
/* What every instruction does while it is read: its modifiers one by one, its operands, and the micro-op that comes of it. */
#include "ptx/insn.h"

#include <string.h>

/* ---- modifiers ---- */

bool cw_part_is(const struct cw_name_part *part, const char *word)
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
    return p->ir.status == CW_OK;
}

/* ---- the micro-op ---- */

void cw_insn_dst(struct cw_insn *in, struct cw_vopnd o)
{
    in->v.dst[in->v.u.dst_cnt++] = o;
}

void cw_insn_src(struct cw_insn *in, struct cw_vopnd o)
{
    in->v.src[in->v.u.src_cnt++] = o;
}

void cw_insn_emit(struct cw_ptx *p, struct cw_insn *in)
{
    if (p->ir.status != CW_OK)
        return;
    in->v.guard = p->guard;
    in->v.u.guard_neg = p->guard_neg;
    in->v.u.line = p->stmt.line;
    struct cw_fn *fn = cw_ptx_fn(p);
    if (fn->code.n >= CW_PTX_MAX_UOPS)
        cw_ptx_fail(p, CW_EUNSUP, "more than %u instructions in one function", CW_PTX_MAX_UOPS);
    CW_PUSH(&p->ir, &fn->code, in->v);
}

void cw_insn_convert(struct cw_ptx *p, struct cw_vopnd dst, enum cw_type type, struct cw_vopnd src, enum cw_type stype)
{
    struct cw_insn in = {.v = {.guard = CW_IR_NONE}};
    in.v.u.op = CW_OP_CVT;
    in.v.u.type = (uint8_t)type;
    in.v.u.stype = (uint8_t)stype;
    cw_insn_dst(&in, dst);
    cw_insn_src(&in, src);
    cw_insn_emit(p, &in);
}
