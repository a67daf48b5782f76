/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The function of a kernel. It can be entered in front of each place to which a branch leads, or behind which the core hands over. From
 * there it goes on from block to block, until it meets what it leaves to the core, lanes that part for long, or the end of its turn.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"

#define SIDES_MOST 32u /* Micro-operations of both sides of a branch, for lanes that part there to stay in the code */

#define FIELD(e, type, name) cw_native_load((e), (type), (e)->frame, offsetof(struct cw_native_frame, name))

/* struct cw_native_parting */
struct parting {
    uint32_t pc;
    cw_value taken;
    bool second;
};

/* A kernel while its function is made. */
struct kernel {
    struct cw_native_emit *e;
    struct cw_native_live live;
    bool *leads, *meets;     /* [micro-operation]: a block begins there; a SIMT stack may want to hear of it */
    LLVMBasicBlockRef *body; /* [micro-operation]: of a block that can be entered; NULL */
    uint32_t first, end;     /* micro-operations of which the function is: first to end - 1 */
    cw_value left;           /* of the block: what the frame had at its begin */
    uint32_t done, whole;    /* micro-operations of the block that have been executed and not counted; those by all active lanes */
    uint32_t parted;         /* branches that have led to where code is made, on one side of each: */
    struct parting parting[CW_NATIVE_PARTINGS];
};

static const struct cw_uop *uop_at(const struct kernel *k, uint32_t pc)
{
    return &k->e->kernel->uop[pc];
}

static enum cw_native_kind kind_at(const struct kernel *k, uint32_t pc)
{
    return pc < k->e->kernel->uop_cnt ? (enum cw_native_kind)k->e->source->kind[pc] : CW_NATIVE_STOP;
}

static cw_value word(const struct kernel *k, uint32_t n)
{
    return LLVMConstInt(k->e->t.i32, n, 0);
}

static void go_on_in(const struct kernel *k, LLVMBasicBlockRef block)
{
    LLVMPositionBuilderAtEnd(k->e->b, block);
}

/* ---- counting ---- */

static void add_to(const struct kernel *k, cw_value place, cw_value n)
{
    struct cw_native_emit *e = k->e;
    LLVMBuildStore(e->b, LLVMBuildAdd(e->b, LLVMBuildLoad2(e->b, e->t.i64, place, ""), n, ""), place);
}

static cw_value lane_cnt(const struct kernel *k, cw_value bits)
{
    cw_value n = cw_native_call(k->e, "llvm.ctpop", LLVMTypeOf(bits), &bits, 1);
    return LLVMBuildZExt(k->e->b, n, k->e->t.i64, "");
}

static cw_value field_place(struct cw_native_emit *e, size_t offset)
{
    return cw_native_place(e, e->t.i64, e->frame, offset);
}

/* What the block has executed so far, at a place where it ends. */
static void count(const struct kernel *k, uint32_t done, uint32_t whole)
{
    struct cw_native_emit *e = k->e;
    if (done == 0)
        return;
    cw_value left = LLVMBuildSub(e->b, k->left, LLVMConstInt(e->t.i64, done, 0), "");
    LLVMBuildStore(e->b, left, field_place(e, offsetof(struct cw_native_frame, left)));
    cw_value lanes = e->whole ? LLVMConstInt(e->t.i64, CW_LANES, 0) : lane_cnt(k, e->active);
    lanes = LLVMBuildMul(e->b, lanes, LLVMConstInt(e->t.i64, whole, 0), "");
    lanes = LLVMBuildAdd(e->b, lanes, LLVMBuildLoad2(e->b, e->t.i64, e->threads, ""), "");
    add_to(k, field_place(e, offsetof(struct cw_native_frame, threads)), lanes);
}

static void set_field(const struct kernel *k, size_t offset, cw_value v)
{
    LLVMBuildStore(k->e->b, v, cw_native_place(k->e, k->e->t.i32, k->e->frame, offset));
}

static void leave(const struct kernel *k, uint32_t pc)
{
    for (uint32_t i = 0; i < k->parted; i++) {
        const size_t at = offsetof(struct cw_native_frame, parting) + i * sizeof(struct cw_native_parting);
        set_field(k, at + offsetof(struct cw_native_parting, pc), word(k, k->parting[i].pc));
        set_field(k, at + offsetof(struct cw_native_parting, taken), k->parting[i].taken);
        set_field(k, at + offsetof(struct cw_native_parting, second), word(k, k->parting[i].second));
    }
    if (k->parted != 0)
        set_field(k, offsetof(struct cw_native_frame, parted), word(k, k->parted));
    LLVMBuildRet(k->e->b, word(k, pc));
}

/* Leaves in front of pc unless the condition holds. */
static void leave_unless(struct kernel *k, cw_value condition, uint32_t pc)
{
    LLVMBasicBlockRef on = cw_native_block(k->e), off = cw_native_block(k->e);
    LLVMBuildCondBr(k->e->b, condition, on, off);
    go_on_in(k, off);
    count(k, k->done, k->whole);
    leave(k, pc);
    go_on_in(k, on);
}

/* ---- loops over pieces ---- */

static void forget(struct cw_native_file *f, uint32_t cnt)
{
    memset(f->value, 0, cnt * sizeof *f->value);
    memset(f->written, 0, cnt * sizeof *f->written);
}

/* Registers that the loop has written and somebody reads later. */
static void write_file(struct kernel *k, struct cw_native_file *f, uint32_t cnt, uint32_t first, uint32_t last, bool wide)
{
    struct cw_native_emit *e = k->e;
    LLVMTypeRef vector = wide ? e->t.v64 : e->t.v32;
    cw_value at = wide ? LLVMBuildShl(e->b, e->at, LLVMConstInt(e->t.i64, 1, 0), "") : e->at;
    for (uint32_t i = 0; i < cnt; i++) {
        if (!f->written[i] || !cw_native_is_live(&k->live, last, first + i))
            continue;
        cw_value index[] = {LLVMBuildAdd(e->b, at, LLVMConstInt(e->t.i64, (uint64_t)i * CW_LANES * (wide ? 8 : 4), 0), "")};
        cw_value p = LLVMBuildGEP2(e->b, e->t.i8, wide ? e->r64 : e->r32, index, 1, "");
        p = LLVMBuildBitCast(e->b, p, LLVMPointerType(vector, 0), "");
        cw_value v = f->value[i];
        const unsigned bytes = (wide ? 8 : 4) * e->width, align = bytes < 64 ? bytes : 64;
        if (e->on != NULL) {
            cw_value old = LLVMBuildLoad2(e->b, vector, p, "");
            LLVMSetAlignment(old, align);
            v = LLVMBuildSelect(e->b, e->on, v, old, "");
        }
        LLVMSetAlignment(LLVMBuildStore(e->b, v, p), align);
    }
}

static cw_value piece_bits(struct cw_native_emit *e, cw_value lanes)
{
    return LLVMBuildBitCast(e->b, lanes, e->t.bits, "");
}

static void gather_predicates(struct kernel *k, uint32_t first, uint32_t last)
{
    struct cw_native_emit *e = k->e;
    for (uint32_t i = 0; i < e->kernel->pred_cnt; i++) {
        if (!e->preds.written[i] || !cw_native_is_live(&k->live, last, first + i))
            continue;
        cw_value bits = LLVMBuildZExt(e->b, piece_bits(e, e->preds.value[i]), e->t.i32, "");
        bits = LLVMBuildShl(e->b, bits, e->shift, "");
        bits = LLVMBuildOr(e->b, LLVMBuildLoad2(e->b, e->t.i32, e->gathered[i], ""), bits, "");
        LLVMBuildStore(e->b, bits, e->gathered[i]);
    }
}

/* Behind the loop. */
static void write_predicates(struct kernel *k, uint32_t first, uint32_t last)
{
    struct cw_native_emit *e = k->e;
    for (uint32_t i = 0; i < e->kernel->pred_cnt; i++) {
        if (!e->preds.written[i] || !cw_native_is_live(&k->live, last, first + i))
            continue;
        cw_value place = cw_native_predicate_place(e, i), v = LLVMBuildLoad2(e->b, e->t.i32, e->gathered[i], "");
        if (!e->whole) {
            cw_value old = LLVMBuildLoad2(e->b, e->t.i32, place, "");
            v = LLVMBuildXor(e->b, old, LLVMBuildAnd(e->b, LLVMBuildXor(e->b, old, v, ""), e->active, ""), "");
        }
        LLVMBuildStore(e->b, v, place);
    }
}

/* The lanes of the piece in which the guard of u holds; NULL: it has none. */
static cw_value guard_of(struct cw_native_emit *e, const struct cw_uop *u)
{
    const struct cw_opnd o = {.kind = CW_OPND_PRED, .idx = (uint16_t)u->guard, .neg = u->guard_neg};
    return u->guard >= 0 ? cw_native_predicate(e, o) : NULL;
}

static void emit_lanes(struct kernel *k, uint32_t begin, uint32_t end)
{
    struct cw_native_emit *e = k->e;
    for (uint32_t pc = begin; pc < end; pc++) {
        const struct cw_uop *u = uop_at(k, pc);
        e->guard = guard_of(e, u);
        if (e->guard != NULL) {
            cw_value lanes = e->on != NULL ? LLVMBuildAnd(e->b, e->guard, e->on, "") : e->guard;
            add_to(k, e->threads, lane_cnt(k, piece_bits(e, lanes)));
        }
        k->done++;
        k->whole += e->guard == NULL;
        cw_native_lanes_of(u)(e, u);
    }
}

static void clear_gathered(struct kernel *k, uint32_t begin, uint32_t end)
{
    for (uint32_t pc = begin; pc < end; pc++)
        for (uint32_t i = 0; i < CW_UOP_DSTS; i++)
            if (uop_at(k, pc)->dst[i].kind == CW_OPND_PRED)
                LLVMBuildStore(k->e->b, word(k, 0), k->e->gathered[uop_at(k, pc)->dst[i].idx]);
}

/* Micro-operations begin to end - 1, as one loop. */
static void emit_loop(struct kernel *k, uint32_t begin, uint32_t end)
{
    struct cw_native_emit *e = k->e;
    const struct cw_kernel *kernel = e->kernel;
    const uint32_t first_pred = kernel->r32_cnt + kernel->r64_cnt;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b), loop = cw_native_block(k->e), after = cw_native_block(k->e);
    clear_gathered(k, begin, end);
    LLVMBuildBr(e->b, loop);
    go_on_in(k, loop);
    e->at = LLVMBuildPhi(e->b, e->t.i64, "");
    e->shift = LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, e->at, LLVMConstInt(e->t.i64, 2, 0), ""), e->t.i32, "");
    e->on = NULL;
    if (!e->whole)
        e->on = LLVMBuildBitCast(e->b, LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, e->active, e->shift, ""), e->t.bits, ""), e->t.on, "");
    emit_lanes(k, begin, end);
    write_file(k, &e->words, kernel->r32_cnt, 0, end - 1, false);
    write_file(k, &e->doubles, kernel->r64_cnt, kernel->r32_cnt, end - 1, true);
    gather_predicates(k, first_pred, end - 1);
    cw_value next = LLVMBuildAdd(e->b, e->at, LLVMConstInt(e->t.i64, 4 * e->width, 0), "");
    cw_value from[] = {LLVMConstInt(e->t.i64, 0, 0), next};
    LLVMBasicBlockRef blocks[] = {before, LLVMGetInsertBlock(e->b)};
    LLVMAddIncoming(e->at, from, blocks, 2);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, next, LLVMConstInt(e->t.i64, 4 * CW_LANES, 0), ""), loop, after);
    go_on_in(k, after);
    write_predicates(k, first_pred, end - 1);
    forget(&e->words, kernel->r32_cnt);
    forget(&e->doubles, kernel->r64_cnt);
    forget(&e->preds, kernel->pred_cnt);
}

/* ---- what the simulator's own functions do ---- */

static cw_value pointer(const struct kernel *k, const void *p, LLVMTypeRef type)
{
    return LLVMConstIntToPtr(LLVMConstInt(k->e->t.i64, (uintptr_t)p, 0), type);
}

/* Calls function(a, b, lanes). */
static cw_value call_out(struct kernel *k, uintptr_t function, LLVMTypeRef result, cw_value a, cw_value b, cw_value lanes)
{
    struct cw_native_emit *e = k->e;
    LLVMTypeRef args[] = {e->t.bytes, e->t.bytes, e->t.i32}, type = LLVMFunctionType(result, args, 3, 0);
    cw_value f = LLVMConstIntToPtr(LLVMConstInt(e->t.i64, function, 0), LLVMPointerType(type, 0)), values[] = {a, b, lanes};
    return LLVMBuildCall2(e->b, type, f, values, 3, "");
}

/* The lanes that execute u, as a word. */
static cw_value mask_of(struct kernel *k, const struct cw_uop *u)
{
    struct cw_native_emit *e = k->e;
    if (u->guard < 0)
        return e->active;
    cw_value p = LLVMBuildLoad2(e->b, e->t.i32, cw_native_predicate_place(e, (uint32_t)u->guard), "");
    return LLVMBuildAnd(e->b, u->guard_neg ? LLVMBuildNot(e->b, p, "") : p, e->active, "");
}

static void count_one(struct kernel *k, const struct cw_uop *u, cw_value mask)
{
    if (u->guard >= 0)
        add_to(k, k->e->threads, lane_cnt(k, mask));
    k->done++;
    k->whole += u->guard < 0;
}

/* Each thread has its own. */
static cw_value site_at(struct cw_native_emit *e, uint32_t pc)
{
    return cw_native_place(e, e->t.i8, FIELD(e, e->t.bytes, site), (uint64_t)pc * sizeof(struct cw_native_site));
}

/* By the simulator's function, where nothing better is there. */
static void emit_call(struct kernel *k, uint32_t pc, enum cw_native_kind kind, cw_value mask)
{
    struct cw_native_emit *e = k->e;
    const struct cw_uop *u = uop_at(k, pc);
    const bool access = kind == CW_NATIVE_ACCESS, executes = kind == CW_NATIVE_EXEC || kind == CW_NATIVE_WHOLE;
    cw_value site = access ? site_at(e, pc) : NULL;
    LLVMBasicBlockRef after = NULL;
    if ((access && cw_native_inlines(e, u)) || (executes && cw_native_crosses(e, u))) {
        LLVMBasicBlockRef other = cw_native_block(e);
        after = cw_native_block(e);
        if (access)
            cw_native_emit_access(e, u, site, other, after);
        else
            cw_native_emit_across(e, u, other, after);
        go_on_in(k, other);
    }
    if (access) {
        cw_value ok = call_out(k, (uintptr_t)e->source->access[pc], e->t.i32, e->frame, site, mask);
        leave_unless(k, LLVMBuildICmp(e->b, LLVMIntNE, ok, word(k, 0), ""), pc);
    } else if (executes) {
        call_out(k, (uintptr_t)u->exec, LLVMVoidTypeInContext(e->context), pointer(k, u, e->t.bytes), e->exec, mask);
    }
    if (after != NULL) {
        LLVMBuildBr(e->b, after);
        go_on_in(k, after);
    }
}

static void emit_other(struct kernel *k, uint32_t pc)
{
    struct cw_native_emit *e = k->e;
    const struct cw_uop *u = uop_at(k, pc);
    const enum cw_native_kind kind = kind_at(k, pc);
    LLVMBasicBlockRef after = NULL;
    cw_value mask = mask_of(k, u);
    if (kind == CW_NATIVE_WHOLE || kind == CW_NATIVE_TOGETHER)
        leave_unless(k, LLVMBuildICmp(e->b, LLVMIntEQ, mask, FIELD(e, e->t.i32, live), ""), pc);
    if (u->guard >= 0 && (kind == CW_NATIVE_EXEC || kind == CW_NATIVE_ACCESS)) {
        LLVMBasicBlockRef some = cw_native_block(k->e);
        after = cw_native_block(k->e);
        LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, mask, word(k, 0), ""), some, after);
        go_on_in(k, some);
    }
    emit_call(k, pc, kind, mask);
    if (after != NULL) {
        LLVMBuildBr(e->b, after);
        go_on_in(k, after);
    }
    count_one(k, u, mask);
}

/* ---- from block to block ---- */

/* The warp goes on at pc. What it has executed is counted. */
static void go_to(struct kernel *k, uint32_t pc)
{
    struct cw_native_emit *e = k->e;
    if (pc >= e->kernel->uop_cnt || k->body[pc] == NULL) {
        leave(k, pc);
        return;
    }
    if (!k->meets[pc]) {
        LLVMBuildBr(e->b, k->body[pc]);
        return;
    }
    LLVMBasicBlockRef met = cw_native_block(k->e);
    cw_value is_stop = LLVMBuildICmp(e->b, LLVMIntEQ, FIELD(e, e->t.i32, stop), word(k, pc), "");
    LLVMBuildCondBr(e->b, is_stop, met, k->body[pc]);
    go_on_in(k, met);
    leave(k, pc);
}

/* All active lanes take the branch. */
static void emit_taken(struct kernel *k, uint32_t pc)
{
    struct cw_native_emit *e = k->e;
    const struct cw_uop *u = uop_at(k, pc);
    if (u->target <= pc) {
        leave_unless(k, LLVMBuildICmp(e->b, LLVMIntEQ, FIELD(e, e->t.i32, polled), word(k, 0), ""), pc);
        if ((u->flags & CW_UF_ENDLESS) == 0)
            cw_native_note_progress(e);
    }
    count(k, k->done + 1, k->whole + 1);
    go_to(k, u->target);
}

static bool is_lanes(const struct kernel *k, uint32_t pc)
{
    return kind_at(k, pc) == CW_NATIVE_EXEC && cw_native_lanes_of(uop_at(k, pc)) != NULL;
}

/* Micro-operations begin to end - 1, of which none is a branch. */
static void emit_straight(struct kernel *k, uint32_t begin, uint32_t end)
{
    for (uint32_t pc = begin; pc < end;) {
        uint32_t until = pc;
        while (until < end && is_lanes(k, until))
            until++;
        if (until > pc)
            emit_loop(k, pc, until);
        else
            emit_other(k, until++);
        pc = until;
    }
}

/* ---- lanes that part for a few instructions ---- */

/*
 * Behind a branch, code is made once more of each side, up to where they meet, if it only leads forward and is short: the lanes that have taken
 * the branch run first, as in a SIMT stack (control/simt_stack.h). The stack hears of it only where the code stops in between.
 */

/* Micro-operations from pc to `end` by all ways, added up; above SIDES_MOST where it is nothing for this. */
static uint32_t copies(const struct kernel *k, uint32_t pc, uint32_t end, uint32_t depth)
{
    uint32_t cnt = 0;
    while (pc < end && cnt <= SIDES_MOST) {
        const struct cw_uop *u = uop_at(k, pc);
        const enum cw_native_kind kind = kind_at(k, pc);
        cnt++;
        if (kind != CW_NATIVE_BRANCH) {
            cnt += kind == CW_NATIVE_EXEC || kind == CW_NATIVE_ACCESS || kind == CW_NATIVE_NOTHING ? 0 : SIDES_MOST;
            pc++;
            continue;
        }
        const uint32_t meet = u->guard < 0 ? u->target : u->rpc;
        if (u->target <= pc || u->target > meet || meet > end || (u->guard >= 0 && depth == CW_NATIVE_PARTINGS))
            return SIDES_MOST + 1;
        if (u->guard >= 0)
            cnt += copies(k, u->target, meet, depth + 1) + copies(k, pc + 1, meet, depth + 1);
        pc = meet;
    }
    return pc == end ? cnt : SIDES_MOST + 1;
}

/* What follows is executed by these lanes. What came before is counted. */
static void go_on_with(struct kernel *k, cw_value lanes)
{
    struct cw_native_emit *e = k->e;
    k->done = k->whole = 0;
    k->left = FIELD(e, e->t.i64, left);
    e->active = lanes;
    LLVMBuildStore(e->b, LLVMConstInt(e->t.i64, 0, 0), e->threads);
}

static void emit_way(struct kernel *k, uint32_t pc, uint32_t end);

/* One side of the branch that has come last, if it has lanes. */
static void emit_side(struct kernel *k, uint32_t begin, uint32_t end, cw_value lanes, bool second)
{
    LLVMBasicBlockRef some = cw_native_block(k->e), after = cw_native_block(k->e);
    LLVMBuildCondBr(k->e->b, LLVMBuildICmp(k->e->b, LLVMIntNE, lanes, word(k, 0), ""), some, after);
    go_on_in(k, some);
    k->parting[k->parted - 1].second = second;
    go_on_with(k, lanes);
    emit_way(k, begin, end);
    LLVMBuildBr(k->e->b, after);
    go_on_in(k, after);
}

/* The branch at pc by the active lanes, and what is between it and where they meet. */
static void emit_sides(struct kernel *k, uint32_t pc)
{
    struct cw_native_emit *e = k->e;
    const struct cw_uop *u = uop_at(k, pc);
    const cw_value active = e->active, taken = mask_of(k, u), falls = LLVMBuildXor(e->b, active, taken, "");
    count_one(k, u, taken);
    count(k, k->done, k->whole);
    k->parting[k->parted++] = (struct parting){.pc = pc, .taken = taken};
    emit_side(k, u->target, u->rpc, taken, false);
    emit_side(k, pc + 1, u->rpc, falls, true);
    k->parted--;
    go_on_with(k, active);
}

/* From pc to `end`, by the active lanes. */
static void emit_way(struct kernel *k, uint32_t pc, uint32_t end)
{
    while (pc < end) {
        uint32_t until = pc;
        while (until < end && kind_at(k, until) != CW_NATIVE_BRANCH)
            until++;
        emit_straight(k, pc, until);
        pc = until;
        if (pc == end)
            break;
        const struct cw_uop *u = uop_at(k, pc);
        if (u->guard >= 0)
            emit_sides(k, pc);
        else
            count_one(k, u, k->e->active);
        pc = u->guard >= 0 ? u->rpc : u->target;
    }
    count(k, k->done, k->whole);
}

/* Lanes part at pc. */
static void emit_parting(struct kernel *k, uint32_t pc)
{
    struct cw_native_emit *e = k->e;
    const struct cw_uop *u = uop_at(k, pc);
    const uint32_t cnt = u->target > pc && u->rpc != CW_PC_NONE && u->rpc <= k->end ? copies(k, pc, u->rpc, 0) : SIDES_MOST + 1;
    if (cnt <= SIDES_MOST) {
        LLVMBasicBlockRef here = cw_native_block(e), off = cw_native_block(e);
        const struct kernel before = *k;
        const bool whole = e->whole;
        const cw_value active = e->active;
        LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntUGE, k->left, LLVMConstInt(e->t.i64, k->done + cnt, 0), ""), here, off);
        go_on_in(k, here);
        e->whole = false;
        emit_sides(k, pc);
        *k = before;
        e->whole = whole;
        e->active = active;
        go_to(k, u->rpc);
        go_on_in(k, off);
    }
    count(k, k->done, k->whole);
    leave(k, pc);
}

static void emit_branch(struct kernel *k, uint32_t pc)
{
    struct cw_native_emit *e = k->e;
    const struct cw_uop *u = uop_at(k, pc);
    if (u->guard < 0) {
        emit_taken(k, pc);
        return;
    }
    LLVMBasicBlockRef taken = cw_native_block(k->e), some = cw_native_block(k->e), none = cw_native_block(k->e),
                      parts = cw_native_block(k->e);
    cw_value mask = mask_of(k, u);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, mask, e->active, ""), taken, some);
    go_on_in(k, some);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, mask, word(k, 0), ""), none, parts);
    go_on_in(k, parts);
    emit_parting(k, pc);
    go_on_in(k, none);
    count(k, k->done + 1, k->whole);
    go_to(k, pc + 1);
    go_on_in(k, taken);
    emit_taken(k, pc);
}

/* Whether pc belongs to the block that begins before it. */
static bool goes_on(const struct kernel *k, uint32_t pc)
{
    return pc < k->end && kind_at(k, pc) != CW_NATIVE_STOP && !k->leads[pc];
}

static uint32_t block_end(const struct kernel *k, uint32_t begin)
{
    uint32_t pc = begin + 1;
    while (goes_on(k, pc) && kind_at(k, pc - 1) != CW_NATIVE_BRANCH)
        pc++;
    return pc;
}

/* Anew in each block: values that live through all of a large function would cost LLVM time by their square. */
static void read_frame(struct kernel *k)
{
    struct cw_native_emit *e = k->e;
    e->r32 = FIELD(e, e->t.bytes, r32);
    e->r64 = FIELD(e, e->t.bytes, r64);
    e->pred = FIELD(e, e->t.bytes, pred);
    e->exec = FIELD(e, e->t.bytes, x);
    e->active = e->whole ? word(k, UINT32_MAX) : FIELD(e, e->t.i32, active);
    k->left = FIELD(e, e->t.i64, left);
    LLVMBuildStore(e->b, LLVMConstInt(e->t.i64, 0, 0), e->threads);
}

static void emit_block(struct kernel *k, uint32_t begin)
{
    struct cw_native_emit *e = k->e;
    const uint32_t end = block_end(k, begin);
    k->done = k->whole = 0;
    go_on_in(k, k->body[begin]);
    read_frame(k);
    leave_unless(k, LLVMBuildICmp(e->b, LLVMIntUGE, k->left, LLVMConstInt(e->t.i64, end - begin, 0), ""), begin);
    const uint32_t branch = end - (kind_at(k, end - 1) == CW_NATIVE_BRANCH);
    emit_straight(k, begin, branch);
    if (branch < end) {
        emit_branch(k, branch);
        return;
    }
    count(k, k->done, k->whole);
    go_to(k, end);
}

/* ---- the function ---- */

static void find_blocks(struct kernel *k)
{
    const struct cw_kernel *kernel = k->e->kernel;
    k->leads[k->first] = true;
    for (uint32_t pc = 0; pc < kernel->uop_cnt; pc++) {
        const struct cw_uop *u = uop_at(k, pc);
        const bool branches = u->op == CW_OP_BRA || u->op == CW_OP_BRX;
        if (u->op == CW_OP_BRA)
            k->leads[u->target] = true;
        for (uint32_t i = 0; u->op == CW_OP_BRX && i < kernel->brx[u->target].cnt; i++)
            k->leads[kernel->brx[u->target].target[i]] = true;
        if (branches && u->rpc != CW_PC_NONE && u->rpc < kernel->uop_cnt)
            k->leads[u->rpc] = k->meets[u->rpc] = true;
        if (pc + 1 < kernel->uop_cnt)
            k->leads[pc + 1] |= branches || kind_at(k, pc) == CW_NATIVE_STOP;
    }
}

static void emit_entry(struct kernel *k, uint32_t *entry)
{
    struct cw_native_emit *e = k->e;
    LLVMBasicBlockRef nowhere = NULL;
    uint32_t cnt = 0;
    go_on_in(k, cw_native_block(k->e));
    e->frame = LLVMGetParam(e->function, 0);
    e->threads = LLVMBuildAlloca(e->b, e->t.i64, "");
    for (uint32_t i = 0; i < e->kernel->pred_cnt; i++)
        e->gathered[i] = LLVMBuildAlloca(e->b, e->t.i32, "");
    for (uint32_t pc = k->first; pc < k->end; pc++) {
        k->body[pc] = k->leads[pc] && kind_at(k, pc) != CW_NATIVE_STOP ? cw_native_block(k->e) : NULL;
        entry[pc] = k->body[pc] != NULL ? cnt++ : CW_NATIVE_NO_ENTRY;
    }
    nowhere = cw_native_block(k->e);
    cw_value choice = LLVMBuildSwitch(e->b, LLVMGetParam(e->function, 1), nowhere, cnt);
    for (uint32_t pc = k->first; pc < k->end; pc++)
        if (k->body[pc] != NULL)
            LLVMAddCase(choice, word(k, entry[pc]), k->body[pc]);
    go_on_in(k, nowhere);
    LLVMBuildUnreachable(e->b);
}

static bool create_file(struct cw_native_file *f, uint32_t cnt)
{
    f->value = calloc(cnt + 1, sizeof *f->value);
    f->written = calloc(cnt + 1, sizeof *f->written);
    return f->value != NULL && f->written != NULL;
}

static bool create(struct kernel *k)
{
    struct cw_native_emit *e = k->e;
    const struct cw_kernel *kernel = e->kernel;
    k->leads = calloc(kernel->uop_cnt, sizeof *k->leads);
    k->meets = calloc(kernel->uop_cnt, sizeof *k->meets);
    k->body = calloc(kernel->uop_cnt, sizeof *k->body);
    e->gathered = calloc(kernel->pred_cnt + 1, sizeof *e->gathered);
    const bool files =
        create_file(&e->words, kernel->r32_cnt) && create_file(&e->doubles, kernel->r64_cnt) && create_file(&e->preds, kernel->pred_cnt);
    const bool live = cw_native_live_create(&k->live, e->source);
    return files && live && k->leads != NULL && k->meets != NULL && k->body != NULL && e->gathered != NULL;
}

static void destroy(struct kernel *k)
{
    struct cw_native_file *file[] = {&k->e->words, &k->e->doubles, &k->e->preds};
    for (uint32_t i = 0; i < 3; i++) {
        free(file[i]->value);
        free(file[i]->written);
    }
    free(k->leads);
    free(k->meets);
    free(k->body);
    free(k->e->gathered);
    cw_native_live_destroy(&k->live);
}

bool cw_native_emit_kernel(struct cw_native_emit *e, const char *name, uint32_t first, uint32_t end, uint32_t *entry)
{
    struct kernel k = {.e = e, .first = first, .end = end};
    LLVMTypeRef args[] = {e->t.bytes, e->t.i32};
    const bool ok = create(&k);
    e->function = LLVMAddFunction(e->module, name, LLVMFunctionType(e->t.i32, args, 2, 0));
    if (ok) {
        find_blocks(&k);
        emit_entry(&k, entry);
        for (uint32_t pc = first; pc < end; pc++)
            if (k.body[pc] != NULL)
                emit_block(&k, pc);
    }
    destroy(&k);
    return ok;
}
