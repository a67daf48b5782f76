/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binding: which function executes a micro-op. The vector loops of lane.def come first; what they leave has a
 * scalar function that serves every type of its operation.
 */
#include "exec/exec_private.h"
#include "exec/matrix.h"

#define BIT(type) (1u << (type))
#define INTS      (BIT(CW_U16) | BIT(CW_S16) | BIT(CW_U32) | BIT(CW_S32) | BIT(CW_U64) | BIT(CW_S64))
#define HALVES    (BIT(CW_F16) | BIT(CW_BF16))
#define PAIRS     (BIT(CW_F16X2) | BIT(CW_BF16X2))
#define EIGHTS    (BIT(CW_E4M3X2) | BIT(CW_E5M2X2))
#define CVTS      (INTS | BIT(CW_U8) | BIT(CW_S8) | HALVES | BIT(CW_F32) | BIT(CW_F64))
#define INT32     (BIT(CW_U32) | BIT(CW_S32))
#define WIDTHS    (CVTS | BIT(CW_F16X2))

/* Scalar functions: of an operation, in the types of a set. */
static const struct {
    uint8_t op;
    uint32_t types, stypes; /* stypes 0: not looked at */
    cw_exec_fn fn;
} scalar[] = {
    {CW_OP_MOV, BIT(CW_PRED), 0, cw_exec__pred_logic},
    {CW_OP_NOT, BIT(CW_PRED), 0, cw_exec__pred_logic},
    {CW_OP_CNOT, BIT(CW_PRED), 0, cw_exec__pred_logic},
    {CW_OP_AND, BIT(CW_PRED), 0, cw_exec__pred_logic},
    {CW_OP_OR, BIT(CW_PRED), 0, cw_exec__pred_logic},
    {CW_OP_XOR, BIT(CW_PRED), 0, cw_exec__pred_logic},
    {CW_OP_SELP, BIT(CW_PRED), 0, cw_exec__pred_logic},
    {CW_OP_PACK, WIDTHS, WIDTHS, cw_exec__pack},
    {CW_OP_UNPACK, WIDTHS, WIDTHS, cw_exec__unpack},
    {CW_OP_ADDC, INT32 | BIT(CW_U64) | BIT(CW_S64), 0, cw_exec__carry},
    {CW_OP_SUBC, INT32 | BIT(CW_U64) | BIT(CW_S64), 0, cw_exec__carry},
    {CW_OP_MADC, INT32 | BIT(CW_U64) | BIT(CW_S64), 0, cw_exec__carry},
    {CW_OP_TESTP, BIT(CW_F32) | BIT(CW_F64), 0, cw_exec__testp},
    {CW_OP_SETP, INTS | HALVES | BIT(CW_F32) | BIT(CW_F64), 0, cw_exec__setp},
    {CW_OP_SETP, PAIRS, 0, cw_exec__setp_pair},
    {CW_OP_SET, INT32 | BIT(CW_U16) | BIT(CW_S16) | HALVES | BIT(CW_F32), INTS | HALVES | BIT(CW_F32) | BIT(CW_F64), cw_exec__set_cmp},
    {CW_OP_SET, INT32 | PAIRS, PAIRS, cw_exec__set_cmp},
    {CW_OP_SLCT, INTS | BIT(CW_F16) | BIT(CW_F32) | BIT(CW_F64), BIT(CW_S32) | BIT(CW_F32), cw_exec__slct},
    {CW_OP_CVT, CVTS, CVTS, cw_exec__cvt},
    {CW_OP_CVT, BIT(CW_TF32), BIT(CW_F32), cw_exec__cvt},
    {CW_OP_CVT, PAIRS | EIGHTS, BIT(CW_F32) | BIT(CW_F16X2) | EIGHTS, cw_exec__cvt_pair},
    {CW_OP_CVT_PACK, INT32, 0, cw_exec__cvt_pack},
    {CW_OP_VIDEO, INT32, 0, cw_exec__video},
    {CW_OP_VMAD, INT32, 0, cw_exec__video},
    {CW_OP_CVTA, INT32 | BIT(CW_U64) | BIT(CW_S64), 0, cw_exec__cvta},
    {CW_OP_ISSPACEP, UINT32_MAX, 0, cw_exec__isspacep},
    {CW_OP_SHFL, INT32 | BIT(CW_F32), 0, cw_exec__shfl},
    {CW_OP_VOTE, UINT32_MAX, 0, cw_exec__vote},
    {CW_OP_MATCH, INT32 | BIT(CW_U64) | BIT(CW_S64), 0, cw_exec__match},
    {CW_OP_ACTIVEMASK, UINT32_MAX, 0, cw_exec__activemask},
    {CW_OP_ELECT, UINT32_MAX, 0, cw_exec__elect},
    {CW_OP_BMSK, INT32, 0, cw_exec__bits},
    {CW_OP_SZEXT, INT32, 0, cw_exec__bits},
    {CW_OP_REDUX, INT32, 0, cw_exec__redux},
    {CW_OP_MMA, BIT(CW_F32) | BIT(CW_F16X2) | BIT(CW_S32) | BIT(CW_F64), 0, cw_exec__mma},
    {CW_OP_LD, WIDTHS, 0, cw_exec__ld_param},
    {CW_OP_NOP, UINT32_MAX, 0, cw_exec__nop},
};

struct binder {
    const struct cw_exec_entry *entry;
    size_t cnt;
};

static cw_exec_fn lookup(const struct binder *b, uint32_t op, uint32_t type, uint32_t form)
{
    for (size_t i = 0; i < b->cnt; i++)
        if (b->entry[i].op == op && b->entry[i].type == type && b->entry[i].form == form)
            return b->entry[i].fn;
    return NULL;
}

static uint32_t unsigned_of(uint32_t type)
{
    return type == CW_S8 ? CW_U8 : type == CW_S16 ? CW_U16 : type == CW_S32 ? CW_U32 : type == CW_S64 ? CW_U64 : type;
}

static bool is_real(uint32_t type)
{
    return (type >= CW_F16 && type <= CW_BF16X2) || (type >= CW_TF32 && type <= CW_E5M2X2);
}

/* Left to the host's rounding modes. */
static bool is_directed(const struct cw_uop *u)
{
    bool rounds = u->op == CW_OP_ADD || u->op == CW_OP_SUB || u->op == CW_OP_MUL || u->op == CW_OP_FMA || u->op == CW_OP_DIV ||
                  u->op == CW_OP_RCP || u->op == CW_OP_SQRT;
    return rounds && (u->type == CW_F32 || u->type == CW_F64) && (u->round == CW_RZ || u->round == CW_RM || u->round == CW_RP);
}

static uint32_t form_of(const struct cw_uop *u)
{
    if (is_real(u->type)) {
        bool f64_gross = u->type == CW_F64 && u->flags & CW_UF_FTZ && u->round == CW_ROUND_APPROX;
        if (f64_gross || (u->op == CW_OP_DIV && u->type == CW_F32 && u->round == CW_ROUND_APPROX))
            return CW_FORM_APPROX;
        return u->flags & (CW_UF_FTZ | CW_UF_SAT | CW_UF_NAN | CW_UF_XORSIGN | CW_UF_RELU) ? CW_FORM_FLAGS : CW_FORM_PLAIN;
    }
    if (u->flags & CW_UF_RELU)
        return CW_FORM_RELU;
    if (u->flags & CW_UF_WIDE)
        return CW_FORM_WIDE;
    if (u->flags & CW_UF_HI && u->op != CW_OP_DP2A)
        return u->flags & CW_UF_SAT ? CW_FORM_HISAT : CW_FORM_HI;
    return u->flags & CW_UF_SAT ? CW_FORM_SAT : CW_FORM_PLAIN;
}

/* Operations whose one loop obeys .ftz and .sat by itself. */
static bool plain_obeys_flags(const struct cw_uop *u)
{
    return u->type == CW_F16X2 || u->type == CW_BF16X2 || u->op == CW_OP_RSQRT || u->op == CW_OP_SIN || u->op == CW_OP_COS ||
           u->op == CW_OP_LG2 || u->op == CW_OP_EX2 || u->op == CW_OP_TANH;
}

static uint32_t bits_type(uint32_t type)
{
    return cw_type_bytes((enum cw_type)type) == 8 ? CW_U64 : CW_U32;
}

/* CVT from and into registers of its types' own widths, without modifiers. */
static cw_exec_fn plain_cvt(const struct binder *b, const struct cw_uop *u)
{
    bool narrow_register = cw_exec__is64(u->src[0]) == (cw_type_bytes((enum cw_type)u->stype) == 8) &&
                           cw_exec__is64(u->dst[0]) == (cw_type_bytes((enum cw_type)u->type) == 8);
    bool to_int = !is_real(u->type) && is_real(u->stype);
    bool rounding = to_int ? u->round != CW_RZI : is_real(u->type) && u->round != CW_RN;
    bool modified = !to_int && (u->flags & CW_UF_SAT || (u->flags & CW_UF_FTZ && (u->type == CW_F32 || u->stype == CW_F32)));
    return narrow_register && !rounding && !modified ? lookup(b, CW_OP_CVT, u->type, u->stype) : NULL;
}

static cw_exec_fn vector_loop(const struct binder *b, const struct cw_uop *u)
{
    uint32_t form = form_of(u), type = u->type;
    cw_exec_fn fn;
    switch (u->op) {
    case CW_OP_MOV:
    case CW_OP_SELP:
        return u->type == CW_PRED || u->type == CW_TYPE_NONE ? NULL : lookup(b, u->op, bits_type(u->type), CW_FORM_PLAIN);
    case CW_OP_SETP:
        return u->flags & CW_UF_FTZ && is_real(u->type) ? NULL : lookup(b, u->op, u->type, u->cmp);
    case CW_OP_CVT:
        return plain_cvt(b, u);
    case CW_OP_MUL:
    case CW_OP_MAD:
        if (form == CW_FORM_WIDE)
            type = u->stype;
        break;
    case CW_OP_AND:
    case CW_OP_OR:
    case CW_OP_XOR:
    case CW_OP_NOT:
    case CW_OP_CNOT:
        type = is_real(type) ? bits_type(type) : type;
        break;
    case CW_OP_ABS:
    case CW_OP_NEG: /* the sign is in the same place */
        type = type == CW_BF16 ? CW_F16 : type == CW_BF16X2 ? CW_F16X2 : type;
        break;
    default:
        break;
    }
    fn = lookup(b, u->op, type, form);
    if (fn == NULL && !is_real(type))
        fn = lookup(b, u->op, unsigned_of(type), form);
    if (fn == NULL && form == CW_FORM_FLAGS && plain_obeys_flags(u))
        fn = lookup(b, u->op, type, CW_FORM_PLAIN);
    return fn;
}

static cw_exec_fn scalar_function(const struct cw_uop *u)
{
    if (u->op == CW_OP_MOV && u->src[0].kind == CW_OPND_SREG)
        return cw_exec__mov_sreg;
    if (is_directed(u))
        return cw_exec__rounded;
    for (size_t i = 0; i < sizeof scalar / sizeof scalar[0]; i++)
        if (scalar[i].op == u->op && scalar[i].types & BIT(u->type) && (scalar[i].stypes == 0 || scalar[i].stypes & BIT(u->stype)))
            return scalar[i].fn;
    return NULL;
}

/* The core's own: memory but ld.param, and control flow. */
static bool is_core_op(const struct cw_uop *u)
{
    switch (u->op) {
    case CW_OP_LD:
        return u->space != CW_SPACE_PARAM;
    case CW_OP_ST:
    case CW_OP_ATOM:
    case CW_OP_MEMBAR:
    case CW_OP_BRA:
    case CW_OP_BRX:
    case CW_OP_EXIT:
    case CW_OP_TRAP:
    case CW_OP_BRKPT:
    case CW_OP_BAR:
    case CW_OP_NANOSLEEP:
    case CW_OP_REGION_BEGIN:
    case CW_OP_REGION_END:
    case CW_OP_INTRINSIC:
    case CW_OP_PRINT_WORD:
    case CW_OP_PRINT:
    case CW_OP_ASSERT:
        return true;
    default:
        return u->op >= CW_OP_COUNT;
    }
}

static cw_exec_fn choose(const struct binder *b, const struct cw_uop *u)
{
    bool first_only = u->op != CW_OP_SHFL && u->op != CW_OP_SETP && u->op != CW_OP_MATCH && u->op != CW_OP_ELECT && u->op != CW_OP_UNPACK &&
                      u->op != CW_OP_LD && !(u->flags & CW_UF_COUT);
    if (first_only && u->dst[0].kind == CW_OPND_SINK)
        return cw_exec__nop;
    bool scalar_first = is_directed(u) || (u->op == CW_OP_MOV && u->src[0].kind == CW_OPND_SREG) || u->type == CW_PRED;
    cw_exec_fn fn = scalar_first ? NULL : vector_loop(b, u);
    return fn != NULL ? fn : scalar_function(u);
}

static bool host_has_avx2(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    return cw_exec__lane_avx2_cnt > 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

int cw_exec__bind_isa(struct cw_kernel *kernel, enum cw_exec_isa isa, struct cw_error *err)
{
    struct binder b = {cw_exec__lane_base, cw_exec__lane_base_cnt};
    if (isa == CW_EXEC_AVX2 && !host_has_avx2())
        return cw_fail(err, CW_EUNSUP, "this host has no AVX2 with FMA");
    if (isa != CW_EXEC_BASE && host_has_avx2())
        b = (struct binder){cw_exec__lane_avx2, cw_exec__lane_avx2_cnt};
    for (uint32_t i = 0; i < kernel->uop_cnt; i++) {
        struct cw_uop *u = &kernel->uop[i];
        u->exec = is_core_op(u) ? NULL : choose(&b, u);
        if (u->exec == NULL && !is_core_op(u))
            return cw_fail(err, CW_EUNSUP, "%s: line %u: the executor has no %s of type %s with these modifiers",
                           kernel->name != NULL ? kernel->name : "kernel", u->line, cw_op_mnemonic((enum cw_op)u->op),
                           cw_type_name((enum cw_type)u->type));
    }
    return CW_OK;
}

int cw_exec_bind(struct cw_kernel *kernel, struct cw_error *err)
{
    return cw_exec__bind_isa(kernel, CW_EXEC_BEST, err);
}
