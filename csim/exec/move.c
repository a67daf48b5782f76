/* SPDX-License-Identifier: Apache-2.0 */
/* Moves other than register to register, predicates, address spaces, kernel parameters and the carry chain. */
#include <string.h>

#include "exec/exec_private.h"

void cw_exec__nop(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    (void)u, (void)x, (void)mask;
}

/* The lanes of mask of a register from a vector; elsewhere than in a register the values are dropped. */
static void write_lanes(const struct cw_exec *x, struct cw_opnd o, uint32_t mask, const uint64_t v[CW_LANES])
{
    if (o.kind == CW_OPND_R32) {
        uint32_t *d = cw_exec__dst32(x, o);
        for (uint32_t l = 0; l < CW_LANES; l++)
            d[l] = mask & cw_lane_bit32[l] ? (uint32_t)v[l] : d[l];
    } else if (o.kind == CW_OPND_R64) {
        uint64_t *d = cw_exec__dst64(x, o);
        for (uint32_t l = 0; l < CW_LANES; l++)
            d[l] = mask & cw_lane_bit64[l] ? v[l] : d[l];
    }
}

/* One value for all lanes of mask. */
static void broadcast(const struct cw_exec *x, struct cw_opnd o, uint32_t mask, uint64_t v)
{
    uint32_t *d32 = cw_exec__dst32(x, o);
    uint64_t *d64 = cw_exec__dst64(x, o);
    if (o.kind == CW_OPND_R32 && mask == CW_FULL_MASK)
        for (uint32_t l = 0; l < CW_LANES; l++)
            d32[l] = (uint32_t)v;
    else if (o.kind == CW_OPND_R64 && mask == CW_FULL_MASK)
        for (uint32_t l = 0; l < CW_LANES; l++)
            d64[l] = v;
    else
        for (uint32_t l = 0; l < CW_LANES; l++)
            if ((mask >> l) & 1)
                cw_exec__set(x, o, l, v);
}

static uint64_t lane_mask(enum cw_sreg sreg, uint32_t lane)
{
    uint32_t eq = 1u << lane;
    switch (sreg) {
    case CW_SREG_LANEMASK_LT:
        return eq - 1;
    case CW_SREG_LANEMASK_LE:
        return eq | (eq - 1);
    case CW_SREG_LANEMASK_GT:
        return ~(eq | (eq - 1));
    case CW_SREG_LANEMASK_GE:
        return ~(eq - 1);
    default:
        return eq;
    }
}

/* A special register that is the same in all lanes of a warp. */
static uint64_t uniform(const struct cw_exec *x, enum cw_sreg sreg)
{
    switch (sreg) {
    case CW_SREG_NTID_X:
    case CW_SREG_NTID_Y:
    case CW_SREG_NTID_Z:
        return x->ntid[sreg - CW_SREG_NTID_X];
    case CW_SREG_CTAID_X:
    case CW_SREG_CTAID_Y:
    case CW_SREG_CTAID_Z:
        return x->ctaid[sreg - CW_SREG_CTAID_X];
    case CW_SREG_NCTAID_X:
    case CW_SREG_NCTAID_Y:
    case CW_SREG_NCTAID_Z:
        return x->nctaid[sreg - CW_SREG_NCTAID_X];
    case CW_SREG_WARPID:
        return x->warpid;
    case CW_SREG_NWARPID:
        return x->nwarpid;
    case CW_SREG_SMID:
        return x->smid;
    case CW_SREG_NSMID:
        return x->nsmid;
    case CW_SREG_GRIDID:
        return x->gridid;
    case CW_SREG_CLOCK:
        return x->clock & UINT32_MAX;
    case CW_SREG_CLOCK_HI:
        return x->clock >> 32;
    case CW_SREG_CLOCK64:
        return x->clock;
    case CW_SREG_GLOBALTIMER:
        return x->globaltimer_ns;
    case CW_SREG_GLOBALTIMER_LO:
        return x->globaltimer_ns & UINT32_MAX;
    case CW_SREG_GLOBALTIMER_HI:
        return x->globaltimer_ns >> 32;
    case CW_SREG_DYNAMIC_SMEM:
        return x->dynamic_smem;
    case CW_SREG_TOTAL_SMEM:
        return x->total_smem;
    case CW_SREG_AGGR_SMEM:
        return x->aggr_smem;
    case CW_SREG_ENVREG1:
        return x->grid_workspace >> 32;
    case CW_SREG_ENVREG2:
        return x->grid_workspace & UINT32_MAX;
    case CW_SREG_ONE:
        return 1;
    default:
        return 0;
    }
}

void cw_exec__mov_sreg(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    enum cw_sreg sreg = (enum cw_sreg)u->src[0].idx;
    uint64_t same = uniform(x, sreg);
    uint64_t keep = u->type == CW_U16 || u->type == CW_S16 ? UINT16_MAX : UINT64_MAX; /* mov.u16 %rs, %tid.x of old PTX */
    bool is_mask = sreg >= CW_SREG_LANEMASK_EQ && sreg <= CW_SREG_LANEMASK_GT;
    uint64_t v[CW_LANES];
    const uint32_t *lanes = sreg <= CW_SREG_TID_Z ? x->tid[sreg] : NULL;
    if (lanes == NULL && sreg != CW_SREG_LANEID && !is_mask) {
        broadcast(x, u->dst[0], mask, same & keep);
        return;
    }
    for (uint32_t l = 0; l < CW_LANES; l++)
        v[l] = (is_mask ? lane_mask(sreg, l) : sreg == CW_SREG_LANEID ? x->first_lane + l : lanes[l]) & keep;
    write_lanes(x, u->dst[0], mask, v);
}

/* MOV, NOT, AND, OR, XOR, SELP of predicates. */
void cw_exec__pred_logic(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    uint32_t a = cw_exec__pred(x, u->src[0]), b = cw_exec__pred(x, u->src[1]), r = a;
    switch (u->op) {
    case CW_OP_NOT:
    case CW_OP_CNOT:
        r = ~a;
        break;
    case CW_OP_AND:
        r = a & b;
        break;
    case CW_OP_OR:
        r = a | b;
        break;
    case CW_OP_XOR:
        r = a ^ b;
        break;
    case CW_OP_SELP:
        r = (a & cw_exec__pred(x, u->src[2])) | (b & ~cw_exec__pred(x, u->src[2]));
        break;
    default:
        break;
    }
    cw_exec__set_pred(x, u->dst[0], mask, r);
}

static uint64_t element(uint64_t v, uint32_t i, uint32_t bits)
{
    return (v >> (i * bits)) & (UINT64_MAX >> (64 - bits));
}

void cw_exec__pack(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    uint32_t bits = 8 * cw_type_bytes((enum cw_type)u->stype);
    uint32_t cnt = cw_type_bytes((enum cw_type)u->type) / cw_type_bytes((enum cw_type)u->stype);
    for (uint32_t l = 0; l < CW_LANES; l++) {
        uint64_t v = 0;
        for (uint32_t i = 0; i < cnt; i++)
            v |= element(cw_exec__get(x, u->src[i], l), 0, bits) << (i * bits);
        if ((mask >> l) & 1)
            cw_exec__set(x, u->dst[0], l, v);
    }
}

void cw_exec__unpack(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    uint32_t bits = 8 * cw_type_bytes((enum cw_type)u->stype);
    uint32_t cnt = cw_type_bytes((enum cw_type)u->type) / cw_type_bytes((enum cw_type)u->stype);
    for (uint32_t l = 0; l < CW_LANES; l++) {
        if (!((mask >> l) & 1))
            continue;
        uint64_t v = cw_exec__get(x, u->src[0], l); /* before the first write: a destination may be the source */
        for (uint32_t i = 0; i < cnt; i++)
            cw_exec__set(x, u->dst[i], l, element(v, i, bits));
    }
}

/* Start of a space's window; global addresses are generic addresses. */
static uint64_t window(enum cw_space space)
{
    return space == CW_SPACE_SHARED  ? CW_SHARED_WINDOW
           : space == CW_SPACE_LOCAL ? CW_LOCAL_WINDOW
           : space == CW_SPACE_CONST ? CW_CONST_WINDOW
           : space == CW_SPACE_PARAM ? CW_PARAM_WINDOW
                                     : 0;
}

void cw_exec__cvta(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    uint64_t base = window((enum cw_space)u->space);
    for (uint32_t l = 0; l < CW_LANES; l++) {
        uint64_t a = cw_exec__get(x, u->src[0], l);
        if ((mask >> l) & 1)
            cw_exec__set(x, u->dst[0], l, u->flags & CW_UF_TO ? a - base : a + base);
    }
}

void cw_exec__isspacep(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    uint64_t base = window((enum cw_space)u->space);
    uint32_t p = 0;
    for (uint32_t l = 0; l < CW_LANES; l++) {
        uint64_t a = cw_exec__get(x, u->src[0], l);
        bool inside = base != 0 ? a - base < CW_WINDOW_BYTES : u->space == CW_SPACE_GLOBAL && a >= CW_GLOBAL_BASE;
        p |= (uint32_t)inside << l;
    }
    cw_exec__set_pred(x, u->dst[0], mask, p);
}

/* bytes at offset of the parameter block, little-endian; what lies outside the block reads as zero. */
static uint64_t param_value(const struct cw_exec *x, uint64_t offset, uint32_t bytes, enum cw_type type)
{
    uint64_t v = 0;
    uint32_t unused = 64 - 8 * bytes;
    if (offset > x->kernel->param_bytes || x->kernel->param_bytes - offset < bytes)
        return 0;
    for (uint32_t i = 0; i < bytes; i++)
        v |= (uint64_t)x->param[offset + i] << (8 * i);
    bool is_signed = type == CW_S8 || type == CW_S16 || type == CW_S32 || type == CW_S64;
    return is_signed ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

void cw_exec__ld_param(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    enum cw_type type = (enum cw_type)u->type;
    uint32_t bytes = cw_type_bytes(type), cnt = u->vec > 1 ? u->vec : 1;
    struct cw_opnd a = u->src[0];
    if (a.kind != CW_OPND_R32 && a.kind != CW_OPND_R64) { /* one address for all lanes: the usual case */
        uint64_t base = cw_exec__get(x, a, 0) + (uint64_t)u->imm;
        for (uint32_t i = 0; i < cnt; i++)
            broadcast(x, u->dst[i], mask, param_value(x, base + i * bytes, bytes, type));
        return;
    }
    for (uint32_t l = 0; l < CW_LANES; l++) {
        uint64_t base = cw_exec__get(x, a, l) + (uint64_t)u->imm;
        base &= a.kind == CW_OPND_R32 ? UINT32_MAX : UINT64_MAX; /* parameter space has addresses of 32 bits */
        if ((mask >> l) & 1)
            for (uint32_t i = 0; i < cnt; i++)
                cw_exec__set(x, u->dst[i], l, param_value(x, base + i * bytes, bytes, type));
    }
}

static uint32_t bit_mask(uint32_t first, uint32_t cnt, bool wrap)
{
    if (wrap) {
        first &= 31;
        cnt &= 31;
    }
    if (first > 31 || cnt == 0)
        return 0;
    return (cnt > 31 ? UINT32_MAX : (1u << cnt) - 1) << first;
}

/* The number of that many bits in the low part of a; none is 0, and 32 are all of it. */
static uint32_t extended(uint32_t a, uint32_t bits, bool wrap, bool is_signed)
{
    bits = wrap ? bits & 31 : bits;
    if (bits > 31)
        return a;
    uint32_t low = bits == 0 ? 0 : a & ((1u << bits) - 1);
    bool negative = is_signed && bits > 0 && (low >> (bits - 1)) != 0;
    return negative ? low | UINT32_MAX << bits : low;
}

/* BMSK, SZEXT. */
void cw_exec__bits(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    const bool wrap = (u->flags & CW_UF_WRAP) != 0;
    for (uint32_t l = 0; l < CW_LANES; l++) {
        uint32_t a = (uint32_t)cw_exec__get(x, u->src[0], l), b = (uint32_t)cw_exec__get(x, u->src[1], l);
        if ((mask >> l) & 1)
            cw_exec__set(x, u->dst[0], l, u->op == CW_OP_BMSK ? bit_mask(a, b, wrap) : extended(a, b, wrap, u->type == CW_S32));
    }
}

/* The product that MADC adds, lo or hi, in width bits. */
static uint64_t product(const struct cw_uop *u, uint64_t a, uint64_t b)
{
    bool hi = (u->flags & CW_UF_HI) != 0;
    switch (u->type) {
    case CW_U32:
        return hi ? a * b >> 32 : a * b;
    case CW_S32:
        return (uint64_t)(((int64_t)(int32_t)(uint32_t)a * (int32_t)(uint32_t)b) >> (hi ? 32 : 0));
    case CW_S64:
        return (uint64_t)(((__int128)(int64_t)a * (int64_t)b) >> (hi ? 64 : 0));
    default:
        return (uint64_t)(((unsigned __int128)a * b) >> (hi ? 64 : 0));
    }
}

/*
 * ADDC, SUBC, MADC. There is one carry flag, and a subtraction adds the complement: SUBC is a + ~b + CF, with a CF of 1 where it reads none.
 * So CC.CF after it is NOT borrow, and each of the three reads what any of them left (docs/ptx.md has the table).
 */
void cw_exec__carry(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    uint64_t width = UINT64_MAX >> (64 - 8 * cw_type_bytes((enum cw_type)u->type));
    const bool subtracts = u->op == CW_OP_SUBC;
    uint32_t in = u->flags & CW_UF_CIN ? *x->cc : subtracts ? CW_FULL_MASK : 0, out = 0;
    for (uint32_t l = 0; l < CW_LANES; l++) {
        uint64_t a = cw_exec__get(x, u->src[0], l), b = cw_exec__get(x, u->src[1], l), c = (in >> l) & 1;
        if (u->op == CW_OP_MADC) {
            a = product(u, a, b) & width;
            b = cw_exec__get(x, u->src[2], l);
        }
        b = (subtracts ? ~b : b) & width;
        uint64_t r = (a + b + c) & width;
        bool carry = r < a || (c && r == a);
        out |= (uint32_t)carry << l;
        if ((mask >> l) & 1)
            cw_exec__set(x, u->dst[0], l, r);
    }
    if (u->flags & CW_UF_COUT)
        *x->cc = (*x->cc & ~mask) | (out & mask);
}
