/* SPDX-License-Identifier: Apache-2.0 */
/* Operands and results of a piece of a vector. */
#include <stddef.h>
#include <string.h>

#include "emit.h"

cw_value cw_native_number(const struct cw_native_emit *e, LLVMTypeRef vector, uint64_t n)
{
    cw_value lane[CW_LANES];
    LLVMTypeRef type = LLVMGetElementType(vector);
    for (uint32_t i = 0; i < e->width; i++)
        lane[i] = LLVMConstInt(type, n, 0);
    return LLVMConstVector(lane, e->width);
}

cw_value cw_native_place(struct cw_native_emit *e, LLVMTypeRef type, cw_value base, uint64_t offset)
{
    cw_value at = LLVMConstInt(e->t.i64, offset, 0);
    cw_value p = LLVMBuildGEP2(e->b, e->t.i8, base, &at, 1, "");
    return LLVMBuildBitCast(e->b, p, LLVMPointerType(type, 0), "");
}

cw_value cw_native_load(struct cw_native_emit *e, LLVMTypeRef type, cw_value base, uint64_t offset)
{
    return LLVMBuildLoad2(e->b, type, cw_native_place(e, type, base, offset), "");
}

cw_value cw_native_splat(struct cw_native_emit *e, LLVMTypeRef vector, cw_value v)
{
    cw_value one = LLVMBuildInsertElement(e->b, LLVMGetUndef(vector), v, LLVMConstInt(e->t.i32, 0, 0), "");
    LLVMTypeRef numbers = LLVMVectorType(e->t.i32, LLVMGetVectorSize(vector));
    return LLVMBuildShuffleVector(e->b, one, LLVMGetUndef(vector), LLVMConstNull(numbers), "");
}

/* Where the piece of a register lies. */
static cw_value piece(struct cw_native_emit *e, LLVMTypeRef vector, cw_value file, uint32_t slot, uint32_t lane_bytes)
{
    cw_value at = lane_bytes == 8 ? LLVMBuildShl(e->b, e->at, LLVMConstInt(e->t.i64, 1, 0), "") : e->at;
    cw_value p = LLVMBuildGEP2(e->b, e->t.i8, file, &at, 1, "");
    return cw_native_place(e, vector, p, (uint64_t)slot * CW_LANES * lane_bytes);
}

static cw_value read_register(struct cw_native_emit *e, struct cw_native_file *f, LLVMTypeRef vector, cw_value file, uint32_t slot,
                              uint32_t lane_bytes)
{
    if (f->value[slot] == NULL) {
        f->value[slot] = LLVMBuildLoad2(e->b, vector, piece(e, vector, file, slot, lane_bytes), "");
        LLVMSetAlignment(f->value[slot], lane_bytes * e->width < 64 ? lane_bytes * e->width : 64);
    }
    return f->value[slot];
}

bool cw_native_constant(const struct cw_native_emit *e, struct cw_opnd o, uint64_t *value)
{
    *value = o.kind == CW_OPND_C32   ? e->kernel->c32[(size_t)o.idx * CW_LANES]
             : o.kind == CW_OPND_C64 ? e->kernel->c64[(size_t)o.idx * CW_LANES]
                                     : 0;
    return o.kind == CW_OPND_C32 || o.kind == CW_OPND_C64;
}

cw_value cw_native_word(struct cw_native_emit *e, struct cw_opnd o)
{
    uint64_t n;
    if (cw_native_constant(e, o, &n))
        return cw_native_number(e, e->t.v32, n);
    return read_register(e, &e->words, e->t.v32, e->r32, o.idx, 4);
}

cw_value cw_native_double_word(struct cw_native_emit *e, struct cw_opnd o)
{
    uint64_t n;
    if (cw_native_constant(e, o, &n))
        return cw_native_number(e, e->t.v64, n);
    return read_register(e, &e->doubles, e->t.v64, e->r64, o.idx, 8);
}

static bool is_double(struct cw_opnd o)
{
    return o.kind == CW_OPND_R64 || o.kind == CW_OPND_C64;
}

LLVMTypeRef cw_native_row_type(struct cw_native_emit *e, struct cw_opnd o)
{
    return LLVMVectorType(is_double(o) ? e->t.i64 : e->t.i32, CW_LANES);
}

cw_value cw_native_row_place(struct cw_native_emit *e, struct cw_opnd o, LLVMTypeRef type)
{
    return cw_native_place(e, type, is_double(o) ? e->r64 : e->r32, (uint64_t)o.idx * CW_LANES * (is_double(o) ? 8 : 4));
}

cw_value cw_native_read_row(struct cw_native_emit *e, struct cw_opnd o)
{
    LLVMTypeRef row = cw_native_row_type(e, o);
    uint64_t n;
    if (cw_native_constant(e, o, &n))
        return cw_native_splat(e, row, LLVMConstInt(LLVMGetElementType(row), n, 0));
    cw_value v = LLVMBuildLoad2(e->b, row, cw_native_row_place(e, o, row), "");
    LLVMSetAlignment(v, 64);
    return v;
}

void cw_native_write_row(struct cw_native_emit *e, struct cw_opnd o, cw_value v)
{
    if (o.kind == CW_OPND_R32 || o.kind == CW_OPND_R64)
        LLVMSetAlignment(LLVMBuildStore(e->b, v, cw_native_row_place(e, o, LLVMTypeOf(v))), 64);
}

cw_value cw_native_predicate_place(struct cw_native_emit *e, uint32_t slot)
{
    return cw_native_place(e, e->t.i32, e->pred, 4u * slot);
}

/* The lanes of the piece, of a word with a bit for each of 32. */
static cw_value lanes_of(struct cw_native_emit *e, cw_value word)
{
    cw_value bits = LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, word, e->shift, ""), e->t.bits, "");
    return LLVMBuildBitCast(e->b, bits, e->t.on, "");
}

/* Negation is the operand's own. */
cw_value cw_native_predicate(struct cw_native_emit *e, struct cw_opnd o)
{
    cw_value v;
    if (o.kind == CW_OPND_PRED) {
        if (e->preds.value[o.idx] == NULL)
            e->preds.value[o.idx] = lanes_of(e, LLVMBuildLoad2(e->b, e->t.i32, cw_native_predicate_place(e, o.idx), ""));
        v = e->preds.value[o.idx];
    } else {
        v = cw_native_number(e, e->t.on, o.kind != CW_OPND_CPRED || o.idx != 0);
    }
    return o.neg ? LLVMBuildNot(e->b, v, "") : v;
}

static cw_value where_guarded(struct cw_native_emit *e, cw_value v, cw_value old)
{
    return LLVMBuildSelect(e->b, e->guard, v, old, "");
}

void cw_native_set_word(struct cw_native_emit *e, struct cw_opnd o, cw_value v)
{
    if (o.kind != CW_OPND_R32)
        return;
    e->words.value[o.idx] = e->guard != NULL ? where_guarded(e, v, cw_native_word(e, o)) : v;
    e->words.written[o.idx] = true;
}

void cw_native_set_double_word(struct cw_native_emit *e, struct cw_opnd o, cw_value v)
{
    if (o.kind != CW_OPND_R64)
        return;
    e->doubles.value[o.idx] = e->guard != NULL ? where_guarded(e, v, cw_native_double_word(e, o)) : v;
    e->doubles.written[o.idx] = true;
}

void cw_native_set_predicate(struct cw_native_emit *e, struct cw_opnd o, cw_value v)
{
    if (o.kind != CW_OPND_PRED)
        return;
    o.neg = 0;
    e->preds.value[o.idx] = e->guard != NULL ? where_guarded(e, v, cw_native_predicate(e, o)) : v;
    e->preds.written[o.idx] = true;
}

static cw_value extended(struct cw_native_emit *e, cw_value v, uint32_t bits, bool is_signed)
{
    if (!is_signed)
        return LLVMBuildAnd(e->b, v, cw_native_number(e, e->t.v32, (UINT64_C(1) << bits) - 1), "");
    cw_value n = cw_native_number(e, e->t.v32, 32 - bits);
    return LLVMBuildAShr(e->b, LLVMBuildShl(e->b, v, n, ""), n, "");
}

cw_value cw_native_integer(struct cw_native_emit *e, struct cw_opnd o, uint32_t type)
{
    switch (type) {
    case CW_U8:
    case CW_S8:
        return extended(e, cw_native_word(e, o), 8, type == CW_S8);
    case CW_U16:
    case CW_S16:
        return extended(e, cw_native_word(e, o), 16, type == CW_S16);
    case CW_U64:
    case CW_S64:
        return cw_native_double_word(e, o);
    default:
        return cw_native_word(e, o);
    }
}

void cw_native_set_integer(struct cw_native_emit *e, struct cw_opnd o, uint32_t type, cw_value v)
{
    if (type == CW_U64 || type == CW_S64)
        cw_native_set_double_word(e, o, v);
    else
        cw_native_set_word(e, o, type == CW_U16 || type == CW_S16 ? extended(e, v, 16, false) : v);
}

cw_value cw_native_call(struct cw_native_emit *e, const char *name, LLVMTypeRef type, cw_value *args, uint32_t cnt)
{
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    cw_value f = LLVMGetIntrinsicDeclaration(e->module, id, &type, 1);
    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->context, id, &type, 1), f, args, cnt, "");
}

void cw_native_set_comparison(struct cw_native_emit *e, const struct cw_uop *u, cw_value p)
{
    cw_value q = LLVMBuildNot(e->b, p, "");
    if (u->boolop != CW_BOOL_NONE) {
        cw_value c = cw_native_predicate(e, u->src[2]);
        LLVMOpcode op = u->boolop == CW_BOOL_AND ? LLVMAnd : u->boolop == CW_BOOL_OR ? LLVMOr : LLVMXor;
        p = LLVMBuildBinOp(e->b, op, p, c, "");
        q = LLVMBuildBinOp(e->b, op, q, c, "");
    }
    cw_native_set_predicate(e, u->dst[0], p);
    cw_native_set_predicate(e, u->dst[1], q);
}

void cw_native_note_progress(struct cw_native_emit *e)
{
    cw_value place = cw_native_place(e, e->t.i64, e->frame, offsetof(struct cw_native_frame, progress));
    LLVMBuildStore(e->b, LLVMConstInt(e->t.i64, 1, 0), place);
}
