/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Micro-ops for which a machine has no instruction of their own. Each rides: it issues together with what stands behind it, takes no slot,
 * and its result is there at once. It stands in front of the first that needs it, when the order is made. Values are computed as the text
 * says, each with its own rounding; only the time is that of the machine's instruction.
 *
 *   - moves between registers, of constants that the block itself uses, of what is in the bank of constants (parameters, block sizes);
 *   - conversions and masks that only name the lower or the zero upper half of a register; packing and unpacking of words;
 *   - additions of a constant whose sum is an address and nothing else: the access has an offset;
 *   - the product of a multiplication that only additions use: of floats when the text leaves the rounding open (fma), of 32-bit integers,
 *     and of two of them as a 64-bit product (mul.wide and add are one wide multiply-add);
 *   - a shift by a constant whose result one addition uses (lea); one of two logic operations (lop3); signs of floats; logic of predicates.
 */
#include <stdlib.h>

#include "ir/lower.h"

#define OFFSET_BITS 23 /* Of an access, beside its sign */

struct fold {
    struct cw_code *k;
    const uint32_t *block_of;
    uint32_t *defs, *at;               /* [register]: micro-ops that write it; the last one */
    uint32_t *uses, *user, *addresses; /* Those that read it, the last one, and how many of them as the address of an access */
    uint8_t *elsewhere;                /* It is read in a block in which it is not written */
};

static bool is_memory(const struct cw_uop *u)
{
    return u->op == CW_OP_LD || u->op == CW_OP_ST || u->op == CW_OP_ATOM;
}

static void note_use(struct fold *f, uint32_t i, uint32_t reg, bool address)
{
    f->uses[reg]++;
    f->addresses[reg] += address;
    f->user[reg] = i;
    f->elsewhere[reg] |= f->defs[reg] == 0 || f->block_of[f->at[reg]] != f->block_of[i];
}

static void count(struct fold *f)
{
    for (uint32_t i = 0; i < f->k->code.n; i++) {
        const struct cw_vop *v = &f->k->code.a[i];
        for (uint32_t j = 0; j < v->u.dst_cnt; j++)
            if (v->dst[j].kind == CW_V_REG) {
                f->defs[v->dst[j].id]++;
                f->at[v->dst[j].id] = i;
            }
    }
    for (uint32_t i = 0; i < f->k->code.n; i++) {
        const struct cw_vop *v = &f->k->code.a[i];
        if (v->guard != CW_IR_NONE)
            note_use(f, i, v->guard, false);
        for (uint32_t j = 0; j < CW_UOP_SRCS; j++)
            if (v->src[j].kind == CW_V_REG)
                note_use(f, i, v->src[j].id, j == 0 && is_memory(&v->u));
    }
}

static bool is_logic(const struct cw_uop *u)
{
    return u->op == CW_OP_AND || u->op == CW_OP_OR || u->op == CW_OP_XOR || u->op == CW_OP_NOT;
}

static bool is_integer(uint8_t type)
{
    return type == CW_U32 || type == CW_S32 || type == CW_U64 || type == CW_S64;
}

static bool is_real(uint8_t type)
{
    return type == CW_F32 || type == CW_F64;
}

static bool may_contract(const struct cw_uop *u)
{
    return is_real(u->type) && (u->flags & (CW_UF_ROUNDED | CW_UF_SAT)) == 0 && u->round == CW_RN;
}

static bool is_wide(uint8_t type)
{
    return cw_type_bytes((enum cw_type)type) == 8;
}

/* Whether one unguarded micro-op writes the register, and what reads it stands in its block. */
static bool is_local(const struct fold *f, uint32_t reg)
{
    return f->defs[reg] == 1 && f->uses[reg] != 0 && !f->elsewhere[reg];
}

/* The one micro-op that uses the result; NULL: there are several. */
static struct cw_vop *only_user(const struct fold *f, const struct cw_vop *v)
{
    const uint32_t reg = v->dst[0].id;
    return is_local(f, reg) && f->uses[reg] == 1 ? &f->k->code.a[f->user[reg]] : NULL;
}

static bool is_in_bank(uint32_t sreg)
{
    return (sreg >= CW_SREG_NTID_X && sreg <= CW_SREG_NTID_Z) || (sreg >= CW_SREG_NCTAID_X && sreg <= CW_SREG_NCTAID_Z) ||
           sreg == CW_SREG_ZERO || sreg == CW_SREG_ZERO64 || sreg == CW_SREG_ONE;
}

static bool move_vanishes(const struct fold *f, const struct cw_vop *v)
{
    const struct cw_vopnd *from = &v->src[0];
    if (from->kind == CW_V_SREG)
        return is_in_bank(from->id) && is_local(f, v->dst[0].id);
    if (from->kind == CW_V_CONST)
        return is_local(f, v->dst[0].id);
    return from->kind == CW_V_REG;
}

/* Of 16 bits and more: a narrower value stands in its register with zeros above it. */
static bool conversion_vanishes(const struct cw_uop *u)
{
    const uint32_t to = cw_type_bytes((enum cw_type)u->type), from = cw_type_bytes((enum cw_type)u->stype);
    const bool integers = u->type >= CW_U8 && u->type <= CW_S64 && u->stype >= CW_U8 && u->stype <= CW_S64;
    const bool is_signed = u->stype == CW_S8 || u->stype == CW_S16 || u->stype == CW_S32 || u->stype == CW_S64;
    if (!integers || (u->flags & CW_UF_SAT) != 0)
        return false;
    return to == from || (to < from ? to >= 2 : !is_signed && from >= 2);
}

/* A mask that leaves the lower word of two: the upper one is zero, and no register. */
static bool is_lower_half(const struct cw_code *k, const struct cw_vop *v)
{
    const struct cw_vopnd *mask = &v->src[1];
    return is_wide(v->u.type) && mask->kind == CW_V_CONST && k->konsts.c.a[mask->id].var == CW_IR_NONE &&
           k->konsts.c.a[mask->id].value == UINT32_MAX;
}

/* What ptxas makes of one micro-op alone, whoever reads it. */
static bool vanishes(const struct fold *f, const struct cw_vop *v)
{
    const struct cw_uop *u = &v->u;
    switch (u->op) {
    case CW_OP_MOV:
        return move_vanishes(f, v);
    case CW_OP_CVT:
        return conversion_vanishes(u);
    case CW_OP_CVTA:
        return u->space == CW_SPACE_GLOBAL;
    case CW_OP_PACK:
    case CW_OP_UNPACK:
        return cw_type_bytes((enum cw_type)u->stype) == 4;
    case CW_OP_LD:
        return u->space == CW_SPACE_PARAM && is_local(f, v->dst[0].id);
    case CW_OP_AND:
        return is_lower_half(f->k, v) || (u->type == CW_PRED && is_local(f, v->dst[0].id));
    case CW_OP_OR:
    case CW_OP_NOT:
        return u->type == CW_PRED && is_local(f, v->dst[0].id);
    default:
        return false;
    }
}

static bool fits_offset(const struct cw_code *k, const struct cw_vopnd *o)
{
    const int64_t most = INT64_C(1) << OFFSET_BITS;
    if (o->kind != CW_V_CONST || k->konsts.c.a[o->id].var != CW_IR_NONE)
        return false;
    const struct cw_vconst *c = &k->konsts.c.a[o->id];
    const int64_t value = c->bytes == 8 ? (int64_t)c->value : (int32_t)(uint32_t)c->value;
    return value >= -most && value < most;
}

/* All that reads the sum is accesses, by it. */
static bool is_offset(const struct fold *f, const struct cw_vop *v)
{
    const uint32_t reg = v->dst[0].id;
    if (v->u.op != CW_OP_ADD || !is_integer(v->u.type) || f->defs[reg] != 1 || f->uses[reg] == 0 || f->addresses[reg] != f->uses[reg])
        return false;
    return fits_offset(f->k, &v->src[0]) || fits_offset(f->k, &v->src[1]);
}

/* A product of 64 bits of two values of 32; scaled: by a shift that conversion and constant make. */
static bool is_wide_product(const struct cw_vop *v)
{
    return v->u.op == CW_OP_MUL && (v->u.flags & CW_UF_WIDE) != 0 && is_wide(v->u.type);
}

static bool all_users_add(const struct fold *f, const struct cw_vop *v)
{
    const uint32_t reg = v->dst[0].id, block = f->block_of[f->at[reg]];
    uint32_t found = 0;
    if (!is_local(f, reg))
        return false;
    for (uint32_t i = f->at[reg] + 1; i < f->k->code.n && f->block_of[i] == block; i++) {
        const struct cw_vop *u = &f->k->code.a[i];
        for (uint32_t j = 0; j < 2 && u->u.op == CW_OP_ADD && is_integer(u->u.type) && u->guard == CW_IR_NONE; j++)
            found += u->src[j].kind == CW_V_REG && u->src[j].id == reg;
    }
    return found == f->uses[reg];
}

/* The additions that read it become multiply-adds. */
static void time_users(struct fold *f, const struct cw_vop *v)
{
    const uint32_t reg = v->dst[0].id, block = f->block_of[f->at[reg]];
    for (uint32_t i = f->at[reg] + 1; i < f->k->code.n && f->block_of[i] == block; i++) {
        struct cw_vop *u = &f->k->code.a[i];
        for (uint32_t j = 0; j < 2 && u->u.op == CW_OP_ADD; j++)
            if (u->src[j].kind == CW_V_REG && u->src[j].id == reg) {
                u->u.timed = CW_OP_MAD;
                u->u.slots = 0;
            }
    }
}

/* Whether the machine has one instruction for it and the one micro-op that reads it. */
static bool joins(const struct cw_vop *v, const struct cw_vop *user)
{
    const struct cw_uop *a = &v->u, *b = &user->u;
    const bool adds = (b->op == CW_OP_ADD || b->op == CW_OP_SUB) && b->type == a->type && b->timed == 0;
    if (user->guard != CW_IR_NONE || b->rides)
        return false;
    switch (a->op) {
    case CW_OP_MUL:
        return adds && may_contract(a) && may_contract(b);
    case CW_OP_SHL:
        return v->src[1].kind == CW_V_CONST && b->op == CW_OP_ADD && is_integer(b->type) && !is_wide(b->type) == !is_wide(a->type);
    case CW_OP_AND:
    case CW_OP_OR:
    case CW_OP_XOR:
    case CW_OP_NOT:
        return is_logic(b) && a->type == b->type && a->type != CW_PRED && b->timed == 0;
    case CW_OP_NEG:
    case CW_OP_ABS:
        return is_real(a->type) && a->type == b->type &&
               (b->op == CW_OP_ADD || b->op == CW_OP_SUB || b->op == CW_OP_MUL || b->op == CW_OP_FMA || b->op == CW_OP_SETP);
    default:
        return false;
    }
}

static void join(struct cw_vop *v, struct cw_vop *user)
{
    v->u.rides = 1;
    if (v->u.op == CW_OP_MUL)
        user->u.timed = CW_OP_FMA;
    else if (is_logic(&v->u))
        user->u.timed = CW_OP_LOP3; /* Of three operands: it takes no second one */
}

static void fold_one(struct fold *f, struct cw_vop *v)
{
    struct cw_uop *u = &v->u;
    const bool product =
        is_wide_product(v) || (u->op == CW_OP_MUL && is_integer(u->type) && !is_wide(u->type) && (u->flags & CW_UF_HI) == 0);
    if (v->guard != CW_IR_NONE || u->dst_cnt == 0 || v->dst[0].kind != CW_V_REG)
        return;
    if (vanishes(f, v) || is_offset(f, v)) {
        u->rides = 1;
    } else if (product && all_users_add(f, v)) {
        u->rides = 1;
        time_users(f, v);
    } else {
        struct cw_vop *user = only_user(f, v);
        if (user != NULL && joins(v, user))
            join(v, user);
    }
    u->slots = u->rides ? 0 : u->slots;
}

void cw_lower_fold(struct cw_ir *ir, struct cw_code *k, const uint32_t *block_of)
{
    const size_t n = k->vreg.n;
    struct fold f = {.k = k, .block_of = block_of};
    f.defs = cw_ir_alloc(ir, n, sizeof *f.defs);
    f.at = cw_ir_alloc(ir, n, sizeof *f.at);
    f.uses = cw_ir_alloc(ir, n, sizeof *f.uses);
    f.user = cw_ir_alloc(ir, n, sizeof *f.user);
    f.addresses = cw_ir_alloc(ir, n, sizeof *f.addresses);
    f.elsewhere = cw_ir_alloc(ir, n, sizeof *f.elsewhere);
    if (ir->status == CW_OK) {
        count(&f);
        for (uint32_t i = 0; i < k->code.n; i++)
            k->code.a[i].u.slots = (uint8_t)(cw_lower_slots(&k->code.a[i]) - 1);
        for (uint32_t i = 0; i < k->code.n; i++)
            fold_one(&f, &k->code.a[i]);
    }
    free(f.defs);
    free(f.at);
    free(f.uses);
    free(f.user);
    free(f.addresses);
    free(f.elsewhere);
}
