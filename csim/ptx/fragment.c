/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/fragment.h"

void cw_frag_list(struct cw_ptx *p, enum cw_list list, enum cw_ptype type, uint32_t n, struct cw_vopnd *out)
{
    const bool braced = n == 1 && cw_ptx_is_punct(p, '{');
    if (braced)
        cw_ptx_expect(p, '{');
    cw_opnd_list(p, list, type, n, out);
    if (braced)
        cw_ptx_expect(p, '}');
}

struct cw_vopnd cw_frag_temporary(struct cw_ptx *p, enum cw_ptype type)
{
    return cw_opnd_reg(cw_ptx_new_reg(p, type, true));
}

struct cw_vopnd cw_frag_word(struct cw_ptx *p, uint64_t value)
{
    return cw_opnd_const(p, value, 4);
}

struct cw_vopnd cw_frag_computed(struct cw_ptx *p, enum cw_op op, struct cw_vopnd a, struct cw_vopnd b)
{
    struct cw_insn in = {.v = {.u = {.op = (uint16_t)op, .type = CW_U32, .stype = CW_TYPE_NONE}}};
    const struct cw_vopnd d = cw_frag_temporary(p, CW_PT_B32);
    cw_insn_dst(&in, d);
    cw_insn_src(&in, a);
    cw_insn_src(&in, b);
    cw_insn_emit(p, &in);
    return d;
}

struct cw_vopnd cw_frag_lane(struct cw_ptx *p)
{
    const struct cw_vopnd d = cw_frag_temporary(p, CW_PT_B32);
    cw_frag_move(p, d, (struct cw_vopnd){.kind = CW_V_SREG, .id = CW_SREG_LANEID}, 4);
    return d;
}

struct cw_vopnd cw_frag_of_lane(struct cw_ptx *p, struct cw_vopnd a, struct cw_vopnd from)
{
    struct cw_insn in = {.v = {.u = {.op = CW_OP_SHFL, .cmp = CW_SHFL_IDX, .type = CW_U32, .stype = CW_TYPE_NONE}}};
    const struct cw_vopnd d = cw_frag_temporary(p, CW_PT_B32);
    cw_insn_dst(&in, d);
    cw_insn_src(&in, a);
    cw_insn_src(&in, from);
    cw_insn_src(&in, cw_frag_word(p, 31));
    cw_insn_src(&in, cw_frag_word(p, UINT32_MAX));
    cw_insn_emit(p, &in);
    return d;
}

void cw_frag_move(struct cw_ptx *p, struct cw_vopnd d, struct cw_vopnd a, uint32_t bytes)
{
    struct cw_insn in = {.v = {.u = {.op = CW_OP_MOV, .type = bytes == 8 ? CW_U64 : CW_U32, .stype = CW_TYPE_NONE}}};
    cw_insn_dst(&in, d);
    cw_insn_src(&in, a);
    cw_insn_emit(p, &in);
}

static struct cw_insn access(enum cw_op op, uint8_t space, int64_t offset, enum cw_type type)
{
    struct cw_insn in = {.v = {.u = {.op = (uint16_t)op, .type = (uint8_t)type, .vec = 1, .space = space}}};
    in.v.u.stype = cw_type_bytes(type) == 8 ? CW_TYPE_NONE : CW_U32;
    in.v.u.imm = offset;
    return in;
}

void cw_frag_load(struct cw_ptx *p, struct cw_vopnd d, uint8_t space, struct cw_vopnd address, int64_t offset, enum cw_type type)
{
    struct cw_insn in = access(CW_OP_LD, space, offset, type);
    cw_insn_dst(&in, d);
    cw_insn_src(&in, address);
    cw_insn_emit(p, &in);
}

void cw_frag_store(struct cw_ptx *p, struct cw_vopnd a, uint8_t space, struct cw_vopnd address, int64_t offset, enum cw_type type)
{
    struct cw_insn in = access(CW_OP_ST, space, offset, type);
    cw_insn_src(&in, address);
    cw_insn_src(&in, a);
    cw_insn_emit(p, &in);
}

bool cw_frag_among(struct cw_vopnd o, const struct cw_vopnd *list, uint32_t cnt)
{
    for (uint32_t i = 0; i < cnt; i++)
        if (o.kind == CW_V_REG && list[i].kind == CW_V_REG && list[i].id == o.id)
            return true;
    return false;
}

uint32_t cw_frag_sums(const struct cw_frag_kind *k)
{
    return k->sum == CW_F16X2 ? 1 : 2;
}

void cw_frag_step(struct cw_ptx *p, const struct cw_frag_kind *k, struct cw_vopnd a, struct cw_vopnd b, const struct cw_vopnd *c,
                  const struct cw_vopnd *d)
{
    struct cw_insn in = {.v = {.u = {.op = CW_OP_MMA, .flags = k->saturates ? CW_UF_SAT : 0, .type = (uint8_t)k->sum}}};
    in.v.u.stype = (uint8_t)k->a;
    in.v.u.cmp = (uint8_t)k->b;
    for (uint32_t i = 0; i < cw_frag_sums(k); i++)
        cw_insn_dst(&in, d[i]);
    cw_insn_src(&in, a);
    cw_insn_src(&in, b);
    for (uint32_t i = 0; i < cw_frag_sums(k); i++)
        cw_insn_src(&in, c[i]);
    cw_insn_emit(p, &in);
}
