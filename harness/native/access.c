/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads and stores by all 32 lanes in which each half of them is a row: its elements follow each other in memory, or its lanes load the same
 * one. In local memory all lanes have one address. Other patterns, and addresses that the site has not seen before, go to the simulator's
 * function (core/native_access.c).
 */
#include <stddef.h>
#include <string.h>

#include "emit.h"

#define ROW (CW_LANES / 2)

/* An access while its code is made. */
struct access {
    struct cw_native_emit *e;
    const struct cw_uop *u;
    cw_value site;
    uint32_t bytes;          /* of an element */
    LLVMTypeRef word, words; /* of an address, and of 32 */
    LLVMTypeRef element;
    cw_value first[2], host[2]; /* of the rows: the first lane's address, here and for the host */
    LLVMBasicBlockRef other;    /* for the simulator's function */
};

static cw_value field(const struct access *a, cw_value of, size_t offset)
{
    return cw_native_load(a->e, a->e->t.i64, of, offset);
}

/* x in the lanes of the first row, y in those of the second. */
static cw_value two_rows(struct cw_native_emit *e, LLVMTypeRef vector, cw_value x, cw_value y)
{
    cw_value lane[CW_LANES], v = LLVMGetUndef(vector);
    for (uint32_t i = 0; i < CW_LANES; i++)
        lane[i] = LLVMConstInt(e->t.i32, i / ROW, 0);
    v = LLVMBuildInsertElement(e->b, v, x, LLVMConstInt(e->t.i32, 0, 0), "");
    v = LLVMBuildInsertElement(e->b, v, y, LLVMConstInt(e->t.i32, 1, 0), "");
    return LLVMBuildShuffleVector(e->b, v, LLVMGetUndef(vector), LLVMConstVector(lane, CW_LANES), "");
}

static cw_value steps(const struct access *a, uint64_t step)
{
    cw_value lane[CW_LANES];
    for (uint32_t i = 0; i < CW_LANES; i++)
        lane[i] = LLVMConstInt(a->word, i % ROW * step, 0);
    return LLVMConstVector(lane, CW_LANES);
}

static cw_value all_equal(struct cw_native_emit *e, cw_value a, cw_value b)
{
    cw_value bits = LLVMBuildBitCast(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, a, b, ""), e->t.i32, "");
    return LLVMBuildICmp(e->b, LLVMIntEQ, bits, LLVMConstInt(e->t.i32, UINT32_MAX, 0), "");
}

/* Where the frame has the memory of a space and its bytes; NULL: addresses lie in an allocation, which the site knows. */
struct own {
    size_t memory, bytes;
};

static const struct own *own_memory(uint32_t space)
{
    static const struct own shared = {offsetof(struct cw_native_frame, shared), offsetof(struct cw_native_frame, shared_bytes)},
                            constant = {offsetof(struct cw_native_frame, constant), offsetof(struct cw_native_frame, constant_bytes)},
                            local = {offsetof(struct cw_native_frame, local), offsetof(struct cw_native_frame, local_bytes)};
    return space == CW_SPACE_SHARED ? &shared : space == CW_SPACE_CONST ? &constant : space == CW_SPACE_LOCAL ? &local : NULL;
}

/* Whether `span` bytes behind a row's first address lie inside, aligned to `align`. */
static cw_value is_inside(const struct access *a, cw_value first, uint32_t span, uint32_t align)
{
    struct cw_native_emit *e = a->e;
    const struct own *own = own_memory(a->u->space);
    cw_value zero = LLVMConstInt(e->t.i64, 0, 0), bytes;
    bytes = own != NULL ? field(a, e->frame, own->bytes) : field(a, a->site, offsetof(struct cw_native_site, bytes));
    cw_value at = own != NULL ? first : LLVMBuildSub(e->b, first, field(a, a->site, offsetof(struct cw_native_site, base)), "");
    cw_value room = LLVMBuildSub(e->b, bytes, LLVMConstInt(e->t.i64, span, 0), "");
    cw_value ok = LLVMBuildAnd(e->b, LLVMBuildICmp(e->b, LLVMIntULE, at, room, ""), LLVMBuildICmp(e->b, LLVMIntSGE, room, zero, ""), "");
    cw_value odd = LLVMBuildAnd(e->b, first, LLVMConstInt(e->t.i64, align - 1, 0), "");
    return LLVMBuildAnd(e->b, ok, LLVMBuildICmp(e->b, LLVMIntEQ, odd, zero, ""), "");
}

/* Works out the host's addresses of both rows; goes elsewhere when they are not all inside. */
static void find_rows(struct access *a, uint32_t span, uint32_t align)
{
    struct cw_native_emit *e = a->e;
    const struct own *own = own_memory(a->u->space);
    const size_t offset = own != NULL ? own->memory : offsetof(struct cw_native_frame, host);
    cw_value first[2], ok = NULL;
    for (uint32_t i = 0; i < 2; i++) {
        first[i] = LLVMBuildZExt(e->b, a->first[i], e->t.i64, "");
        cw_value good = is_inside(a, first[i], span, align);
        ok = ok != NULL ? LLVMBuildAnd(e->b, ok, good, "") : good;
    }
    LLVMBasicBlockRef inside = cw_native_block(e);
    LLVMBuildCondBr(e->b, ok, inside, a->other);
    LLVMPositionBuilderAtEnd(e->b, inside);
    for (uint32_t i = 0; i < 2; i++)
        a->host[i] = LLVMBuildAdd(e->b, first[i], field(a, e->frame, offset), "");
}

static cw_value pointer(struct cw_native_emit *e, cw_value address, uint64_t offset, LLVMTypeRef type)
{
    address = LLVMBuildAdd(e->b, address, LLVMConstInt(e->t.i64, offset, 0), "");
    return LLVMBuildIntToPtr(e->b, address, LLVMPointerType(type, 0), "");
}

/* An element or 32, as the register has them. */
static cw_value extended(const struct access *a, cw_value v, LLVMTypeRef type)
{
    struct cw_native_emit *e = a->e;
    if (a->bytes >= 4)
        return v;
    if (a->u->type != CW_S8 && a->u->type != CW_S16)
        return LLVMBuildZExt(e->b, v, type, "");
    return LLVMBuildSExt(e->b, v, type, "");
}

/* The lanes of each row load the same elements. */
static void emit_same(struct access *a)
{
    struct cw_native_emit *e = a->e;
    const uint32_t all = a->bytes * a->u->vec;
    cw_value v[4][2] = {{NULL}};
    find_rows(a, all, all);
    for (uint32_t i = 0; i < 2 * a->u->vec; i++) {
        v[i / 2][i % 2] = LLVMBuildLoad2(e->b, a->element, pointer(e, a->host[i % 2], i / 2 * a->bytes, a->element), "");
        LLVMSetAlignment(v[i / 2][i % 2], a->bytes);
    }
    for (uint32_t i = 0; i < a->u->vec; i++) {
        LLVMTypeRef vector = cw_native_row_type(e, a->u->dst[i]), lane = LLVMGetElementType(vector);
        if (a->u->dst[i].kind != CW_OPND_SINK)
            cw_native_write_row(e, a->u->dst[i], two_rows(e, vector, extended(a, v[i][0], lane), extended(a, v[i][1], lane)));
    }
}

/* Lanes from to from + cnt - 1 of x and y, one behind the other. */
static cw_value part_of(struct cw_native_emit *e, cw_value x, cw_value y, uint32_t from, uint32_t cnt)
{
    cw_value lane[CW_LANES];
    for (uint32_t i = 0; i < cnt; i++)
        lane[i] = LLVMConstInt(e->t.i32, from + i, 0);
    return LLVMBuildShuffleVector(e->b, x, y, LLVMConstVector(lane, cnt), "");
}

static cw_value stored(const struct access *a, struct cw_opnd o)
{
    struct cw_native_emit *e = a->e;
    cw_value v = cw_native_read_row(e, o);
    return a->bytes < 4 ? LLVMBuildTrunc(e->b, v, LLVMVectorType(a->element, CW_LANES), "") : v;
}

/* Element i of each lane's vector of a row. */
static cw_value element_of(const struct access *a, cw_value row, uint32_t i)
{
    cw_value lane[ROW];
    for (uint32_t l = 0; l < ROW; l++)
        lane[l] = LLVMConstInt(a->e->t.i32, (uint64_t)l * a->u->vec + i, 0);
    return LLVMBuildShuffleVector(a->e->b, row, LLVMGetUndef(LLVMTypeOf(row)), LLVMConstVector(lane, ROW), "");
}

/* The elements of lanes `from` to from + 15, those of a lane one behind the other. */
static cw_value row_of(const struct access *a, const cw_value element[4], uint32_t from)
{
    struct cw_native_emit *e = a->e;
    const uint32_t vec = a->u->vec;
    cw_value part[4], lane[4 * ROW];
    for (uint32_t i = 0; i < vec; i++)
        part[i] = part_of(e, element[i], LLVMGetUndef(LLVMTypeOf(element[i])), from, ROW);
    if (vec == 1)
        return part[0];
    for (uint32_t i = 0; i < 2 * ROW; i++)
        lane[i] = LLVMConstInt(e->t.i32, i / 2 + i % 2 * ROW, 0); /* Two vectors by turns */
    cw_value pairs = LLVMBuildShuffleVector(e->b, part[0], part[1], LLVMConstVector(lane, 2 * ROW), "");
    if (vec == 2)
        return pairs;
    cw_value others = LLVMBuildShuffleVector(e->b, part[2], part[3], LLVMConstVector(lane, 2 * ROW), "");
    for (uint32_t i = 0; i < 4 * ROW; i++)
        lane[i] = LLVMConstInt(e->t.i32, i / 4 * 2 + i % 2 + i % 4 / 2 * (2 * ROW), 0);
    return LLVMBuildShuffleVector(e->b, pairs, others, LLVMConstVector(lane, 4 * ROW), "");
}

/* The second row is stored last: of two lanes that store to one address the higher one stays. */
static void emit_adjacent(struct access *a)
{
    struct cw_native_emit *e = a->e;
    const uint32_t vec = a->u->vec;
    LLVMTypeRef elements = LLVMVectorType(a->element, ROW * vec);
    cw_value row[2], p[2], v[4];
    find_rows(a, ROW * vec * a->bytes, vec * a->bytes);
    for (uint32_t i = 0; i < 2; i++)
        p[i] = pointer(e, a->host[i], 0, elements);
    if (a->u->op == CW_OP_ST) {
        for (uint32_t i = 0; i < vec; i++)
            v[i] = stored(a, a->u->src[i + 1]);
        for (uint32_t i = 0; i < 2; i++)
            LLVMSetAlignment(LLVMBuildStore(e->b, row_of(a, v, i * ROW), p[i]), a->bytes);
        cw_native_note_progress(e);
        return;
    }
    for (uint32_t i = 0; i < 2; i++) {
        row[i] = LLVMBuildLoad2(e->b, elements, p[i], "");
        LLVMSetAlignment(row[i], a->bytes);
    }
    for (uint32_t i = 0; i < vec; i++) {
        LLVMTypeRef vector = cw_native_row_type(e, a->u->dst[i]);
        if (a->u->dst[i].kind != CW_OPND_SINK)
            cw_native_write_row(e, a->u->dst[i],
                                extended(a, part_of(e, element_of(a, row[0], i), element_of(a, row[1], i), 0, CW_LANES), vector));
    }
}

/* Words of local memory at one address lie in a row of 32 lanes (core/core_local.h). */
static void emit_local(struct access *a)
{
    struct cw_native_emit *e = a->e;
    LLVMTypeRef vector = LLVMVectorType(e->t.i32, CW_LANES);
    find_rows(a, a->bytes, a->bytes);
    cw_value first = LLVMBuildZExt(e->b, a->first[0], e->t.i64, "");
    cw_value row = LLVMBuildAdd(e->b, a->host[0], LLVMBuildMul(e->b, first, LLVMConstInt(e->t.i64, CW_LANES - 1, 0), ""), "");
    cw_value p = pointer(e, row, 0, vector), v = a->u->op == CW_OP_ST ? stored(a, a->u->src[1]) : LLVMBuildLoad2(e->b, vector, p, "");
    LLVMSetAlignment(a->u->op == CW_OP_ST ? LLVMBuildStore(e->b, v, p) : v, 4);
    if (a->u->op == CW_OP_LD && a->u->dst[0].kind != CW_OPND_SINK)
        cw_native_write_row(e, a->u->dst[0], v);
}

/* A backward branch behind a volatile load may be one of a loop that waits for other threads. */
static void note_poll(const struct access *a)
{
    struct cw_native_emit *e = a->e;
    cw_value place = cw_native_place(e, e->t.i32, e->frame, offsetof(struct cw_native_frame, polled));
    if (a->u->op == CW_OP_LD && (a->u->flags & CW_UF_VOLATILE) != 0)
        LLVMBuildStore(e->b, LLVMConstInt(e->t.i32, 1, 0), place);
}

static cw_value addresses(const struct access *a)
{
    cw_value imm = LLVMConstInt(a->word, (uint64_t)a->u->imm, 0);
    return LLVMBuildAdd(a->e->b, cw_native_read_row(a->e, a->u->src[0]), cw_native_splat(a->e, a->words, imm), "");
}

bool cw_native_inlines(const struct cw_native_emit *e, const struct cw_uop *u)
{
    const bool narrow = u->src[0].kind == CW_OPND_R32;
    if (!e->whole || u->guard >= 0 || (u->src[0].kind != CW_OPND_R64 && !(narrow && u->space == CW_SPACE_SHARED)))
        return false;
    if (u->space == CW_SPACE_LOCAL)
        return cw_type_bytes((enum cw_type)u->type) == 4;
    return !(u->stype == CW_U16 && (u->type == CW_S8 || u->type == CW_S16));
}

/* Where each row's elements follow each other; goes on behind it where they do not, and that may be. */
static void emit_rows(struct access *a, cw_value address, cw_value all, LLVMBasicBlockRef after)
{
    struct cw_native_emit *e = a->e;
    LLVMBasicBlockRef adjacent = cw_native_block(e), apart = a->u->op == CW_OP_LD ? cw_native_block(e) : a->other;
    cw_value is_adjacent = all_equal(e, address, LLVMBuildAdd(e->b, all, steps(a, (uint64_t)a->bytes * a->u->vec), ""));
    LLVMBuildCondBr(e->b, is_adjacent, adjacent, apart);
    LLVMPositionBuilderAtEnd(e->b, adjacent);
    emit_adjacent(a);
    note_poll(a);
    LLVMBuildBr(e->b, after);
    if (a->u->op == CW_OP_LD)
        LLVMPositionBuilderAtEnd(e->b, apart);
}

void cw_native_emit_access(struct cw_native_emit *e, const struct cw_uop *u, cw_value site, LLVMBasicBlockRef other,
                           LLVMBasicBlockRef after)
{
    struct access a = {.e = e, .u = u, .site = site, .bytes = cw_type_bytes((enum cw_type)u->type), .other = other};
    const bool local = u->space == CW_SPACE_LOCAL;
    a.word = u->src[0].kind == CW_OPND_R64 ? e->t.i64 : e->t.i32;
    a.words = LLVMVectorType(a.word, CW_LANES);
    a.element = LLVMIntTypeInContext(e->context, 8 * a.bytes);
    cw_value address = addresses(&a);
    for (uint32_t i = 0; i < 2; i++)
        a.first[i] = LLVMBuildExtractElement(e->b, address, LLVMConstInt(e->t.i32, local ? 0 : i * ROW, 0), "");
    cw_value all = two_rows(e, a.words, a.first[0], a.first[1]);
    if (!local)
        emit_rows(&a, address, all, after);
    if (!local && u->op == CW_OP_ST)
        return;
    LLVMBasicBlockRef same = cw_native_block(e);
    LLVMBuildCondBr(e->b, all_equal(e, address, all), same, other);
    LLVMPositionBuilderAtEnd(e->b, same);
    if (local)
        emit_local(&a);
    else
        emit_same(&a);
    note_poll(&a);
    LLVMBuildBr(e->b, after);
}
