/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shuffles and votes by all 32 lanes whose membermask is all of them: the same as csim/exec/warp.c. Other ones go to the simulator's function.
 */
#include <stddef.h>

#include "emit.h"

static void write_predicate(struct cw_native_emit *e, struct cw_opnd o, cw_value lanes)
{
    if (o.kind == CW_OPND_PRED)
        LLVMBuildStore(e->b, lanes, cw_native_predicate_place(e, o.idx));
}

static bool is_word(struct cw_opnd o)
{
    return o.kind == CW_OPND_R32 || o.kind == CW_OPND_C32;
}

/* Each lane becomes a bit. */
static cw_value word_of(struct cw_native_emit *e, cw_value lanes)
{
    return LLVMBuildBitCast(e->b, lanes, e->t.i32, "");
}

/* Goes on where all lanes name all of them, and to `other` where they do not. */
static void emit_all_named(struct cw_native_emit *e, struct cw_opnd members, LLVMBasicBlockRef other)
{
    uint64_t mask;
    if (members.kind == CW_OPND_NONE || (cw_native_constant(e, members, &mask) && mask == UINT32_MAX))
        return;
    LLVMBasicBlockRef all = cw_native_block(e);
    cw_value named = cw_native_read_row(e, members);
    cw_value is = LLVMBuildICmp(e->b, LLVMIntEQ, named, LLVMConstAllOnes(LLVMTypeOf(named)), "");
    cw_value every = LLVMBuildICmp(e->b, LLVMIntEQ, word_of(e, is), LLVMConstInt(e->t.i32, UINT32_MAX, 0), "");
    LLVMBuildCondBr(e->b, every, all, other);
    LLVMPositionBuilderAtEnd(e->b, all);
}

/* ---- shuffles ---- */

static void write_shuffled(struct cw_native_emit *e, const struct cw_uop *u, cw_value v, cw_value in_range)
{
    cw_native_write_row(e, u->dst[0], v);
    write_predicate(e, u->dst[1], in_range);
}

/* The numbers are known. */
static void shuffle_by_constants(struct cw_native_emit *e, const struct cw_uop *u, uint32_t b, uint32_t c)
{
    uint32_t in_range = 0;
    cw_value from[CW_LANES], v = cw_native_read_row(e, u->src[0]);
    for (uint32_t l = 0; l < CW_LANES; l++) {
        bool inside;
        from[l] = LLVMConstInt(e->t.i32, cw_shfl_source((enum cw_shfl)u->cmp, l, b, c, &inside), 0);
        in_range |= (uint32_t)inside << l;
    }
    v = LLVMBuildShuffleVector(e->b, v, LLVMGetUndef(LLVMTypeOf(v)), LLVMConstVector(from, CW_LANES), "");
    write_shuffled(e, u, v, LLVMConstInt(e->t.i32, in_range, 0));
}

/* The lane that each lane reads if it is in range: cw_shfl_source() for all lanes. */
static cw_value source_lanes(struct cw_native_emit *e, enum cw_shfl mode, cw_value b, cw_value c, cw_value me, cw_value *in_range)
{
    LLVMTypeRef vector = LLVMTypeOf(me);
    cw_value low = cw_native_splat(e, vector, LLVMConstInt(e->t.i32, 31, 0)),
             eight = cw_native_splat(e, vector, LLVMConstInt(e->t.i32, 8, 0));
    cw_value segment = LLVMBuildAnd(e->b, LLVMBuildLShr(e->b, c, eight, ""), low, ""), outside = LLVMBuildXor(e->b, segment, low, "");
    cw_value first = LLVMBuildAnd(e->b, me, segment, "");
    cw_value last = LLVMBuildOr(e->b, first, LLVMBuildAnd(e->b, c, outside, ""), ""), from;
    b = LLVMBuildAnd(e->b, b, low, "");
    from = mode == CW_SHFL_UP     ? LLVMBuildSub(e->b, me, b, "")
           : mode == CW_SHFL_DOWN ? LLVMBuildAdd(e->b, me, b, "")
           : mode == CW_SHFL_BFLY ? LLVMBuildXor(e->b, me, b, "")
                                  : LLVMBuildOr(e->b, first, LLVMBuildAnd(e->b, b, outside, ""), "");
    *in_range = LLVMBuildICmp(e->b, mode == CW_SHFL_UP ? LLVMIntSGE : LLVMIntSLE, from, last, "");
    return LLVMBuildSelect(e->b, *in_range, from, me, "");
}

static void shuffle(struct cw_native_emit *e, const struct cw_uop *u)
{
    uint64_t b, c;
    if (cw_native_constant(e, u->src[1], &b) && cw_native_constant(e, u->src[2], &c)) {
        shuffle_by_constants(e, u, (uint32_t)b, (uint32_t)c);
        return;
    }
    cw_value lane[CW_LANES], in_range, from, v = cw_native_read_row(e, u->src[0]), to = LLVMGetUndef(LLVMTypeOf(v));
    for (uint32_t l = 0; l < CW_LANES; l++)
        lane[l] = LLVMConstInt(e->t.i32, l, 0);
    from = source_lanes(e, (enum cw_shfl)u->cmp, cw_native_read_row(e, u->src[1]), cw_native_read_row(e, u->src[2]),
                        LLVMConstVector(lane, CW_LANES), &in_range);
    for (uint32_t l = 0; l < CW_LANES; l++) {
        cw_value at = LLVMBuildZExt(e->b, LLVMBuildExtractElement(e->b, from, lane[l], ""), e->t.i64, "");
        cw_value place = cw_native_row_place(e, u->src[0], e->t.i32);
        cw_value word = LLVMBuildLoad2(e->b, e->t.i32, LLVMBuildGEP2(e->b, e->t.i32, place, &at, 1, ""), "");
        to = LLVMBuildInsertElement(e->b, to, word, lane[l], "");
    }
    write_shuffled(e, u, to, word_of(e, in_range));
}

/* ---- votes ---- */

static void vote(struct cw_native_emit *e, const struct cw_uop *u)
{
    const cw_value none = LLVMConstInt(e->t.i32, 0, 0), every = LLVMConstInt(e->t.i32, UINT32_MAX, 0);
    cw_value yes = LLVMBuildLoad2(e->b, e->t.i32, cw_native_predicate_place(e, u->src[0].idx), "");
    yes = u->src[0].neg ? LLVMBuildNot(e->b, yes, "") : yes;
    if (u->cmp == CW_VOTE_BALLOT) {
        LLVMTypeRef vector = LLVMVectorType(e->t.i32, CW_LANES);
        cw_native_write_row(e, u->dst[0], cw_native_splat(e, vector, yes));
        return;
    }
    cw_value all = LLVMBuildICmp(e->b, LLVMIntEQ, yes, every, ""), any = LLVMBuildICmp(e->b, LLVMIntNE, yes, none, "");
    cw_value r = u->cmp == CW_VOTE_ALL ? all : u->cmp == CW_VOTE_ANY ? any : LLVMBuildOr(e->b, all, LLVMBuildNot(e->b, any, ""), "");
    write_predicate(e, u->dst[0], LLVMBuildSelect(e->b, r, every, none, ""));
}

static bool knows(const struct cw_uop *u)
{
    const bool no_mask = u->op == CW_OP_SHFL ? u->src[3].kind == CW_OPND_NONE : u->src[1].kind == CW_OPND_NONE;
    if (u->op == CW_OP_SHFL)
        return u->src[0].kind == CW_OPND_R32 && is_word(u->src[1]) && is_word(u->src[2]) && (no_mask || is_word(u->src[3]));
    return u->op == CW_OP_VOTE && u->src[0].kind == CW_OPND_PRED && (no_mask || is_word(u->src[1])) &&
           (u->cmp != CW_VOTE_BALLOT || u->dst[0].kind != CW_OPND_R64);
}

bool cw_native_crosses(const struct cw_native_emit *e, const struct cw_uop *u)
{
    return e->whole && u->guard < 0 && knows(u);
}

void cw_native_emit_across(struct cw_native_emit *e, const struct cw_uop *u, LLVMBasicBlockRef other, LLVMBasicBlockRef after)
{
    emit_all_named(e, u->src[u->op == CW_OP_SHFL ? 3 : 1], other);
    if (u->op == CW_OP_SHFL)
        shuffle(e, u);
    else
        vote(e, u);
    LLVMBuildBr(e->b, after);
}
