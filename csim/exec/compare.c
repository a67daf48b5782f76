/* SPDX-License-Identifier: Apache-2.0 */
/* SETP where it has no vector loop (.ftz, halves, the unsigned names lo ls hi hs), SET, TESTP and SLCT: lane by lane. */
#include "exec/exec_private.h"
#include "exec/fp.h"

enum { BELOW = 1, EQUAL = 2, ABOVE = 4, UNORDERED = 8 };

static uint32_t relation_f64(double a, double b)
{
    return a < b ? BELOW : a == b ? EQUAL : a > b ? ABOVE : UNORDERED;
}

static uint32_t relation_int(uint64_t a, uint64_t b, uint32_t bits, bool is_signed)
{
    a <<= 64 - bits;
    b <<= 64 - bits;
    bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    return a == b ? EQUAL : less ? BELOW : ABOVE;
}

static uint32_t relation_half(uint64_t a, uint64_t b, bool ftz)
{
    uint32_t x = (uint32_t)a & 0xffff, y = (uint32_t)b & 0xffff;
    if (ftz) {
        x = (x & 0x7c00) == 0 ? 0 : x;
        y = (y & 0x7c00) == 0 ? 0 : y;
    }
    return relation_f64(cw_f16_load(x), cw_f16_load(y));
}

static uint32_t relation(const struct cw_uop *u, enum cw_type type, uint64_t a, uint64_t b)
{
    bool ftz = (u->flags & CW_UF_FTZ) != 0;
    bool is_signed = type == CW_S16 || type == CW_S32 || type == CW_S64;
    switch (type) {
    case CW_F16:
        return relation_half(a, b, ftz);
    case CW_BF16:
        return relation_f64(cw_bf16_load((uint32_t)a & 0xffff), cw_bf16_load((uint32_t)b & 0xffff));
    case CW_F32:
        return relation_f64((double)cw_f32_load((uint32_t)a, ftz), (double)cw_f32_load((uint32_t)b, ftz));
    case CW_F64:
        return relation_f64(cw_f64_of(a), cw_f64_of(b));
    default:
        is_signed = is_signed && !(u->cmp >= CW_CMP_LO && u->cmp <= CW_CMP_HS);
        return relation_int(a, b, 8 * cw_type_bytes(type), is_signed);
    }
}

/* Relations in which a comparison is true. */
static uint32_t accepted(enum cw_cmp cmp)
{
    static const uint8_t set[] = {
        [CW_CMP_EQ] = EQUAL,
        [CW_CMP_NE] = BELOW | ABOVE,
        [CW_CMP_LT] = BELOW,
        [CW_CMP_LE] = BELOW | EQUAL,
        [CW_CMP_GT] = ABOVE,
        [CW_CMP_GE] = ABOVE | EQUAL,
        [CW_CMP_LO] = BELOW,
        [CW_CMP_LS] = BELOW | EQUAL,
        [CW_CMP_HI] = ABOVE,
        [CW_CMP_HS] = ABOVE | EQUAL,
        [CW_CMP_EQU] = EQUAL | UNORDERED,
        [CW_CMP_NEU] = BELOW | ABOVE | UNORDERED,
        [CW_CMP_LTU] = BELOW | UNORDERED,
        [CW_CMP_LEU] = BELOW | EQUAL | UNORDERED,
        [CW_CMP_GTU] = ABOVE | UNORDERED,
        [CW_CMP_GEU] = ABOVE | EQUAL | UNORDERED,
        [CW_CMP_NUM] = BELOW | EQUAL | ABOVE,
        [CW_CMP_NAN] = UNORDERED,
    };
    return set[cmp];
}

/* Lanes in which the comparison of operands of type holds, the operands shifted right first (upper halves). */
static uint32_t compare(const struct cw_uop *u, const struct cw_exec *x, enum cw_type type, uint32_t shift)
{
    uint32_t p = 0;
    for (uint32_t l = 0; l < CW_LANES; l++) {
        uint64_t a = cw_exec__get(x, u->src[0], l) >> shift, b = cw_exec__get(x, u->src[1], l) >> shift;
        p |= (relation(u, type, a, b) & accepted((enum cw_cmp)u->cmp)) != 0 ? 1u << l : 0;
    }
    return p;
}

static uint32_t combine(const struct cw_uop *u, const struct cw_exec *x, uint32_t p)
{
    uint32_t c = cw_exec__pred(x, u->src[2]);
    switch ((enum cw_boolop)u->boolop) {
    case CW_BOOL_AND:
        return p & c;
    case CW_BOOL_OR:
        return p | c;
    case CW_BOOL_XOR:
        return p ^ c;
    default:
        return p;
    }
}

void cw_exec__setp(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    uint32_t p = compare(u, x, (enum cw_type)u->type, 0);
    uint32_t yes = combine(u, x, p), no = combine(u, x, ~p); /* both before a write: dst0 may be src2 */
    cw_exec__set_pred(x, u->dst[0], mask, yes);
    cw_exec__set_pred(x, u->dst[1], mask, no);
}

static enum cw_type half_of(enum cw_type pair)
{
    return pair == CW_F16X2 ? CW_F16 : CW_BF16;
}

/* setp.f16x2 p|q: p from the lower halves, q from the upper. */
void cw_exec__setp_pair(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    const enum cw_type half = half_of((enum cw_type)u->type);
    uint32_t low = combine(u, x, compare(u, x, half, 0)), high = combine(u, x, compare(u, x, half, 16));
    cw_exec__set_pred(x, u->dst[0], mask, low);
    cw_exec__set_pred(x, u->dst[1], mask, high);
}

static uint64_t truth(enum cw_type type)
{
    switch (type) {
    case CW_F16:
    case CW_F16X2:
        return 0x3c00;
    case CW_BF16:
    case CW_BF16X2:
        return 0x3f80;
    case CW_F32:
        return 0x3f800000;
    case CW_U16:
    case CW_S16:
        return 0xffff;
    default:
        return UINT32_MAX;
    }
}

/* Of two halves: each half of the result is of its own. */
static void set_pair(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    const enum cw_type half = half_of((enum cw_type)u->stype);
    const uint32_t low = combine(u, x, compare(u, x, half, 0)), high = combine(u, x, compare(u, x, half, 16));
    const uint64_t yes = truth((enum cw_type)u->type) & 0xffff;
    for (uint32_t l = 0; l < CW_LANES; l++)
        if ((mask >> l) & 1)
            cw_exec__set(x, u->dst[0], l, ((high >> l) & 1 ? yes << 16 : 0) | ((low >> l) & 1 ? yes : 0));
}

void cw_exec__set_cmp(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    if (u->stype == CW_F16X2 || u->stype == CW_BF16X2) {
        set_pair(u, x, mask);
        return;
    }
    uint32_t p = combine(u, x, compare(u, x, (enum cw_type)u->stype, 0));
    for (uint32_t l = 0; l < CW_LANES; l++)
        if ((mask >> l) & 1)
            cw_exec__set(x, u->dst[0], l, (p >> l) & 1 ? truth((enum cw_type)u->type) : 0);
}

static bool has_property(uint64_t bits, enum cw_type type, enum cw_testp what)
{
    const struct cw_fp_format *f = cw_fp_format_of(type);
    uint64_t magnitude = bits & ((UINT64_C(1) << (8 * cw_type_bytes(type) - 1)) - 1);
    bool subnormal = magnitude != 0 && magnitude < UINT64_C(1) << (f->precision - 1);
    switch (what) {
    case CW_TESTP_FINITE:
        return magnitude < f->infinity;
    case CW_TESTP_INFINITE:
        return magnitude == f->infinity;
    case CW_TESTP_NUMBER:
        return magnitude <= f->infinity;
    case CW_TESTP_NOTANUMBER:
        return magnitude > f->infinity;
    case CW_TESTP_NORMAL: /* zero counts as normal (PTX ISA, testp) */
        return magnitude < f->infinity && !subnormal;
    case CW_TESTP_SUBNORMAL:
        return subnormal;
    }
    return false;
}

void cw_exec__testp(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    uint32_t p = 0;
    for (uint32_t l = 0; l < CW_LANES; l++)
        if (has_property(cw_exec__get(x, u->src[0], l), (enum cw_type)u->type, (enum cw_testp)u->cmp))
            p |= 1u << l;
    cw_exec__set_pred(x, u->dst[0], mask, p);
}

void cw_exec__slct(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    for (uint32_t l = 0; l < CW_LANES; l++) {
        if (!((mask >> l) & 1))
            continue;
        uint32_t c = (uint32_t)cw_exec__get(x, u->src[2], l);
        bool first = u->stype == CW_F32 ? cw_f32_load(c, (u->flags & CW_UF_FTZ) != 0) >= 0.0f : c >> 31 == 0;
        cw_exec__set(x, u->dst[0], l, cw_exec__get(x, u->src[first ? 0 : 1], l));
    }
}
