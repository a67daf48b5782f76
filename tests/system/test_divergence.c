/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random kernels under every way to treat divergence, against an interpreter that runs one thread after the other and knows nothing of
 * warps. A kernel has nested branches, loops with breaks, indexed branches, jumps out of several constructs at once, threads that exit,
 * predicated instructions, loads whose values come late, local memory, atomics, and barriers where all threads meet. What its threads have
 * in their registers at the end, and the sums of their atomics, must be what the interpreter finds. A kernel that fails is made smaller,
 * and printed.
 *
 * Each kernel also has its branches recorded, under one machine after the other. The counts must be the interpreter's. With them as its
 * profile (core.lcp=profile) it must come to the same results again.
 *
 * CW_DIVERGENCE_KERNELS=N in the environment: how many kernels (default 400).
 */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cowarp/cowarp.h"
#include "cw_test.h"

#define REGS      8u
#define PREDS     4u
#define DEPTH     4u /* of constructs inside each other */
#define INSNS     400u
#define TABLE     256u
#define SUMS      16u
#define THREADS   1024u
#define BLOCKS    3u
#define LOCALS    8u
#define STEPS_MAX 3000u

enum kind {
    ADD,
    XOR,
    MUL,
    MIN,
    SHR,
    SETP_LT,
    SETP_EQ,
    BRA,
    BRX,
    LABEL,
    LOAD,
    SUM,
    TX, /* a transaction adds to one sum or to two, and ends at one of three places by predicates guard and guard + 1 */
    STORE_LOCAL,
    LOAD_LOCAL,
    SHARE,
    TAKE,
    BAR,
    COUNT,   /* a barrier at which predicate a is counted */
    BALLOT,  /* from here on: operations across the lanes of a warp */
    SHUFFLE, /* from the lane b behind; 0 when it has left */
    MATCH,
    WARP_SYNC,
    TRAP, /* a side that no thread takes, and that ends in a trap */
    EXIT,
    KIND_CNT
};

struct insn {
    enum kind kind;
    int guard; /* predicate, -1: none */
    bool neg, keep, gone;
    bool uni; /* BRA: marked .uni; EXIT: not by way of the common end */
    uint32_t d, a, b;
    bool imm; /* b is a number */
    uint32_t label, target[4];
};

/* Registers 0 .. REGS - 1 are compared at the end; REGS + d counts the rounds of the loop at depth d, and REGS + DEPTH is the block's
 * number. */
#define REG_CNT (REGS + DEPTH + 1)

struct kernel {
    struct insn insn[INSNS];
    uint32_t cnt, labels, threads, blocks;
    bool barriers;
    bool warps; /* it has operations across the lanes of a warp */
    bool apart; /* for sm_80: threads return from anywhere */
    bool odd;   /* and wait for others on any side of a branch, as PTX 6 allows */
    bool tx;    /* sums are in transactions */
};

enum style { PLAIN, ODD, TRANSACTIONAL };

static uint64_t state;

static uint32_t roll(uint32_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % n;
}

/* ---- a random kernel ---- */

static struct insn *add(struct kernel *k, enum kind kind)
{
    static struct insn spill;
    struct insn *i = k->cnt < INSNS ? &k->insn[k->cnt++] : &spill;
    *i = (struct insn){.kind = kind, .guard = -1};
    return i;
}

static void put_label(struct kernel *k, uint32_t label)
{
    struct insn *i = add(k, LABEL);
    i->label = label;
    i->keep = true;
}

static struct insn *put_branch(struct kernel *k, uint32_t label)
{
    struct insn *i = add(k, BRA);
    i->label = label;
    i->keep = true;
    return i;
}

/* A predicate that says something about a register: which. */
static int put_condition(struct kernel *k)
{
    struct insn *i = add(k, roll(3) == 0 ? SETP_EQ : SETP_LT);
    i->d = roll(PREDS);
    i->a = roll(REGS);
    i->imm = roll(4) != 0;
    i->b = i->imm ? (i->kind == SETP_EQ ? roll(4) : roll(2) != 0 ? UINT32_C(1) << 31 : roll(64)) : roll(REGS);
    return (int)i->d;
}

static void put_simple(struct kernel *k)
{
    static const enum kind kinds[] = {ADD, XOR, MUL, MIN, SHR, LOAD, LOAD, SUM, STORE_LOCAL, LOAD_LOCAL, SETP_LT};
    const enum kind kind = kinds[roll(sizeof kinds / sizeof kinds[0])];
    if (kind == SETP_LT) {
        put_condition(k);
        return;
    }
    struct insn *i = add(k, kind);
    i->d = roll(REGS);
    i->a = roll(REGS);
    i->imm = roll(2) != 0;
    i->b = i->imm ? (kind == SHR ? 1 + roll(4) : roll(1000)) : roll(REGS);
    if (kind == SUM || kind == STORE_LOCAL) {
        i->imm = false;
        i->b = roll(REGS);
    }
    if (kind == SUM && k->tx) {
        i->kind = TX;
        i->guard = (int)roll(PREDS);
        return;
    }
    if (kind == SHR && !i->imm) {
        i->imm = true;
        i->b = 3;
    }
    if (roll(5) == 0) {
        i->guard = (int)roll(PREDS);
        i->neg = roll(2) != 0;
    }
}

/* Where a jump may go: behind the constructs around it. */
struct outside {
    uint32_t label[DEPTH + 1], cnt;
    bool may_exit;
};

static void put_sequence(struct kernel *k, uint32_t depth, const struct outside *out);

/* An operation across lanes, with registers of its own. */
static void put_across(struct kernel *k, enum kind kind)
{
    struct insn *i = add(k, kind);
    i->d = roll(REGS);
    i->a = roll(kind == BALLOT ? PREDS : REGS);
    i->b = 1 + roll(31);
}

static void put_if(struct kernel *k, uint32_t depth, const struct outside *out)
{
    static const enum kind kinds[] = {BALLOT, SHUFFLE, MATCH};
    const bool joint = k->odd && k->warps && roll(3) == 0; /* both sides have the same one */
    const enum kind kind = joint ? kinds[roll(3)] : KIND_CNT;
    const uint32_t other = k->labels++, end = k->labels++;
    struct outside in = *out;
    in.label[in.cnt++] = end;
    const int p = put_condition(k);
    struct insn *i = put_branch(k, other);
    i->guard = p;
    i->neg = roll(2) != 0;
    if (joint)
        put_across(k, kind);
    put_sequence(k, depth + 1, &in);
    const bool both = joint || roll(2) != 0;
    if (both)
        put_branch(k, end)->uni = roll(2) != 0;
    put_label(k, other);
    if (joint)
        put_across(k, kind);
    if (both)
        put_sequence(k, depth + 1, &in);
    put_label(k, end);
}

static void put_loop(struct kernel *k, uint32_t depth, const struct outside *out)
{
    const uint32_t top = k->labels++, end = k->labels++, counter = REGS + depth, p = roll(PREDS);
    struct outside in = *out;
    in.label[in.cnt++] = end;
    struct insn *i = add(k, SHR); /* 0 .. 3 of 4 rounds are over */
    *i = (struct insn){.kind = SHR, .guard = -1, .keep = true, .d = counter, .a = roll(REGS), .imm = true, .b = 30};
    put_label(k, top);
    put_sequence(k, depth + 1, &in);
    if (roll(3) == 0) {
        i = add(k, BRA);
        *i = (struct insn){.kind = BRA, .guard = (int)roll(PREDS), .label = end};
    }
    i = add(k, ADD);
    *i = (struct insn){.kind = ADD, .guard = -1, .keep = true, .d = counter, .a = counter, .imm = true, .b = 1};
    i = add(k, SETP_LT);
    *i = (struct insn){.kind = SETP_LT, .guard = -1, .keep = true, .d = p, .a = counter, .imm = true, .b = 4};
    i = put_branch(k, top);
    i->guard = (int)p;
    put_label(k, end);
}

static void put_switch(struct kernel *k, uint32_t depth, const struct outside *out)
{
    const uint32_t end = k->labels++, first = k->labels;
    struct outside in = *out;
    in.label[in.cnt++] = end;
    k->labels += 4;
    struct insn *i = add(k, BRX);
    *i = (struct insn){.kind = BRX, .guard = -1, .keep = true, .a = roll(REGS)};
    for (uint32_t n = 0; n < 4; n++)
        i->target[n] = first + (roll(4) == 0 ? roll(4) : n);
    for (uint32_t n = 0; n < 4; n++) {
        put_label(k, first + n);
        put_sequence(k, depth + 1, &in);
        if (roll(3) != 0)
            put_branch(k, end);
    }
    put_label(k, end);
}

/* A branch that all threads of a block take alike. */
static void put_uniform(struct kernel *k, uint32_t depth, const struct outside *out)
{
    const uint32_t end = k->labels++, p = roll(PREDS);
    struct insn *i = add(k, SETP_LT);
    *i = (struct insn){.kind = SETP_LT, .guard = -1, .keep = true, .d = p, .a = REGS + DEPTH, .imm = true, .b = roll(BLOCKS)};
    i = put_branch(k, end);
    i->guard = (int)p;
    i->uni = roll(2) != 0;
    put_sequence(k, depth + 1, out);
    put_label(k, end);
}

static void put_jump(struct kernel *k, const struct outside *out)
{
    const int p = put_condition(k);
    struct insn *i = add(k, BRA);
    *i = (struct insn){.kind = BRA, .guard = p, .neg = roll(2) != 0, .label = out->label[roll(out->cnt)]};
}

static void put_exit(struct kernel *k)
{
    struct insn *i = add(k, SETP_EQ);
    *i = (struct insn){.kind = SETP_EQ, .guard = -1, .d = roll(PREDS), .a = roll(REGS), .imm = true, .b = roll(8)};
    struct insn *x = add(k, EXIT);
    x->guard = (int)i->d;
    x->uni = roll(2) != 0;
    x->imm = k->apart && roll(2) != 0;
}

/* Waiting for others. */
static void put_sync(struct kernel *k)
{
    static const enum kind kinds[] = {BALLOT, SHUFFLE, MATCH, WARP_SYNC, COUNT, BAR};
    const enum kind kind = k->warps ? kinds[roll(6)] : kinds[4 + roll(2)];
    struct insn *i = add(k, kind);
    i->d = roll(REGS);
    i->a = kind == BALLOT || kind == COUNT ? roll(PREDS) : roll(REGS);
    i->b = 1 + roll(31);
}

static void put_sequence(struct kernel *k, uint32_t depth, const struct outside *out)
{
    for (uint32_t n = 1 + roll(3); n > 0 && k->cnt + 60 < INSNS; n--) {
        const uint32_t what = depth < DEPTH ? roll(12) : 11;
        if (what < 3)
            put_if(k, depth, out);
        else if (what == 3)
            put_loop(k, depth, out);
        else if (what == 4 && depth < 2)
            put_switch(k, depth, out);
        else if (what == 5)
            put_uniform(k, depth, out);
        else if (what == 6 && out->cnt > 0)
            put_jump(k, out);
        else if (what == 7 && out->may_exit)
            put_exit(k);
        else if (what == 8 && k->apart)
            add(k, TRAP);
        else if (what == 9 && k->odd && roll(2) == 0)
            put_sync(k);
        else
            put_simple(k);
    }
}

/* All threads that are left tell each other something. */
static void put_exchange(struct kernel *k)
{
    struct insn *i = add(k, SHARE);
    i->a = roll(REGS);
    add(k, BAR);
    i = add(k, TAKE);
    i->d = roll(REGS);
    i->b = 1 + roll(40);
    add(k, BAR);
}

/* Some threads leave; the others meet at barriers. Either way may be the one that jumps. */
static void put_leave(struct kernel *k)
{
    const uint32_t on = k->labels++;
    struct insn *i = add(k, SETP_EQ);
    *i = (struct insn){.kind = SETP_EQ, .guard = -1, .keep = true, .d = 0, .a = 1, .imm = true, .b = roll(8)};
    if (roll(2) == 0) {
        i = add(k, EXIT);
        i->guard = 0;
        i->uni = roll(2) != 0;
    } else {
        i = put_branch(k, on);
        i->guard = 0;
        i->neg = true;
        i = add(k, EXIT);
        i->keep = true;
        i->uni = roll(2) != 0;
    }
    put_label(k, on);
}

static void make_kernel(struct kernel *k, enum style style)
{
    const bool odd = style == ODD;
    static const uint32_t threads[] = {1, 31, 32, 33, 64, 65, 96, 100, 128, 192, 255, 256, 500, 1000, 1024};
    const uint32_t sizes = roll(8) == 0 && style != TRANSACTIONAL ? sizeof threads / sizeof threads[0] : 10;
    memset(k, 0, sizeof *k);
    k->threads = threads[roll(sizes)];
    k->blocks = 1 + roll(BLOCKS);
    k->barriers = roll(2) != 0;
    k->apart = odd || roll(2) != 0;
    k->odd = odd;
    k->tx = style == TRANSACTIONAL;
    k->warps = k->apart && roll(3) != 0;
    k->barriers &= !k->odd; /* what threads tell each other is in order only where all meet */
    const struct outside out = {.may_exit = !k->barriers || k->apart};
    for (uint32_t n = 2 + roll(3); n > 0; n--) {
        put_sequence(k, 0, &out);
        if (k->apart)
            put_sync(k);
        if (k->barriers)
            put_exchange(k);
        if (k->barriers && roll(6) == 0)
            put_leave(k);
    }
}

/* ---- as PTX ---- */

/* What a thread leaves behind. */
static void print_stores(FILE *f, const char *guard)
{
    fprintf(f, "mul.wide.u32 %%d0, %%g, %u;\nadd.u64 %%d0, %%d0, %%out;\n", 4 * REGS);
    for (uint32_t r = 0; r < REGS; r++)
        fprintf(f, "%sst.global.u32 [%%d0+%u], %%r%u;\n", guard, 4 * r, r);
}

/* A branch, a label or an end of the thread. false: it is something else. */
static bool print_control(FILE *f, const struct insn *i, uint32_t n, const char *guard)
{
    switch (i->kind) {
    case BRA:
        fprintf(f, "%sbra%s L%u;\n", guard, i->uni ? ".uni" : "", i->label);
        return true;
    case BRX:
        fprintf(f, "T%u: .branchtargets L%u, L%u, L%u, L%u;\nand.b32 %%x, %%r%u, 3;\nbrx.idx %%x, T%u;\n", n, i->target[0], i->target[1],
                i->target[2], i->target[3], i->a, n);
        return true;
    case LABEL:
        fprintf(f, "L%u:\n", i->label);
        return true;
    case TRAP:
        fprintf(f, "@%%never bra TRAP%u;\n", n % 2);
        return true;
    case EXIT:
        if (i->imm) { /* a side of its own */
            fprintf(f, "@%s%%p%d bra STAY%u;\n", i->neg ? "" : "!", i->guard, n);
            print_stores(f, "");
            fprintf(f, "%s;\nSTAY%u:\n", i->uni ? "exit" : "bra.uni RET", n);
            return true;
        }
        if (i->uni)
            print_stores(f, guard);
        fprintf(f, i->uni ? "%sexit;\n" : "%sbra LEAVE;\n", guard);
        return true;
    default:
        return false;
    }
}

static void print_transaction(FILE *f, const struct insn *i, uint32_t n)
{
    fprintf(f,
            "and.b32 %%x, %%r%u, %u;\nmad.wide.u32 %%d0, %%x, 4, %%sums;\nadd.u32 %%x, %%x, 1;\nand.b32 %%x, %%x, %u;\n"
            "mad.wide.u32 %%d1, %%x, 4, %%sums;\ncall tx_begin, ();\n"
            "ld.global.u32 %%y, [%%d0];\nadd.u32 %%y, %%y, %%r%u;\nst.global.u32 [%%d0], %%y;\nadd.u32 %%r%u, %%r%u, 5;\n",
            i->a, SUMS - 1, SUMS - 1, i->b, i->d, i->d);
    fprintf(f,
            "@%%p%d bra TWO%u;\n@%%p%u bra THREE%u;\ncall tx_commit, ();\nadd.u32 %%r%u, %%r%u, 7;\nbra DONE%u;\n"
            "TWO%u:\nld.global.u32 %%y, [%%d1];\nadd.u32 %%y, %%y, %%r%u;\nst.global.u32 [%%d1], %%y;\ncall tx_commit, ();\nbra DONE%u;\n"
            "THREE%u:\ncall tx_commit, ();\nxor.b32 %%r%u, %%r%u, 3;\nDONE%u:\n",
            i->guard, n, ((uint32_t)i->guard + 1) % PREDS, n, i->d, i->d, n, n, i->b, n, n, i->d, i->d, n);
}

/* A load, a store or an addition to memory. false: it is something else. */
static bool print_memory(FILE *f, const struct insn *i, uint32_t n, const char *guard)
{
    switch (i->kind) {
    case LOAD:
        fprintf(f, "and.b32 %%x, %%r%u, %u;\nmad.wide.u32 %%d0, %%x, 4, %%table;\n%sld.global.u32 %%r%u, [%%d0];\n", i->a, TABLE - 1, guard,
                i->d);
        return true;
    case SUM:
        fprintf(f, "and.b32 %%x, %%r%u, %u;\nmad.wide.u32 %%d0, %%x, 4, %%sums;\n%sred.global.add.u32 [%%d0], %%r%u;\n", i->a, SUMS - 1,
                guard, i->b);
        return true;
    case TX:
        print_transaction(f, i, n);
        return true;
    case STORE_LOCAL:
        fprintf(f, "and.b32 %%x, %%r%u, %u;\nmad.wide.u32 %%d0, %%x, 4, %%own;\n%sst.local.u32 [%%d0], %%r%u;\n", i->a, LOCALS - 1, guard,
                i->b);
        return true;
    case LOAD_LOCAL:
        fprintf(f, "and.b32 %%x, %%r%u, %u;\nmad.wide.u32 %%d0, %%x, 4, %%own;\n%sld.local.u32 %%r%u, [%%d0];\n", i->a, LOCALS - 1, guard,
                i->d);
        return true;
    case SHARE:
        fprintf(f, "st.shared.u32 [%%mine], %%r%u;\n", i->a);
        return true;
    case TAKE:
        fprintf(f, "add.u32 %%x, %%t, %u;\nrem.u32 %%x, %%x, %%n;\nmad.wide.u32 %%d0, %%x, 4, %%cells;\nld.shared.u32 %%r%u, [%%d0];\n",
                i->b, i->d);
        return true;
    default:
        return false;
    }
}

/* What threads of a block or of a warp do together. false: it is something else. */
static bool print_joint(FILE *f, const struct insn *i, bool odd)
{
    switch (i->kind) {
    case BAR:
        fprintf(f, odd ? "barrier.sync 0;\n" : "bar.sync 0;\n");
        return true;
    case COUNT:
        fprintf(f, "barrier.red.popc%s.u32 %%r%u, 0, %%p%u;\n", odd ? "" : ".aligned", i->d, i->a);
        return true;
    case BALLOT:
        fprintf(f, "vote.sync.ballot.b32 %%r%u, %%p%u, -1;\n", i->d, i->a);
        return true;
    case SHUFFLE:
        fprintf(f,
                "add.u32 %%x, %%t, %u;\nand.b32 %%x, %%x, 31;\nvote.sync.ballot.b32 %%y, %%all, -1;\nshr.u32 %%y, %%y, %%x;\n"
                "shfl.sync.idx.b32 %%x, %%r%u, %%x, 31, -1;\nand.b32 %%y, %%y, 1;\nmul.lo.u32 %%r%u, %%x, %%y;\n",
                i->b, i->a, i->d);
        return true;
    case MATCH:
        fprintf(f, "and.b32 %%x, %%r%u, 3;\nmatch.any.sync.b32 %%r%u, %%x, -1;\n", i->a, i->d);
        return true;
    case WARP_SYNC:
        fprintf(f, "bar.warp.sync -1;\n");
        return true;
    default:
        return false;
    }
}

static void print_insn(FILE *f, const struct insn *i, uint32_t n, bool odd)
{
    static const char *const alu[] = {[ADD] = "add.u32", [XOR] = "xor.b32", [MUL] = "mul.lo.u32", [MIN] = "min.u32", [SHR] = "shr.u32"};
    char b[24], guard[16] = "";
    snprintf(b, sizeof b, i->imm ? "%u" : "%%r%u", i->b);
    if (i->guard >= 0)
        snprintf(guard, sizeof guard, "@%s%%p%d ", i->neg ? "!" : "", i->guard);
    if (print_control(f, i, n, guard) || print_memory(f, i, n, guard) || print_joint(f, i, odd))
        return;
    if (i->kind == SETP_LT || i->kind == SETP_EQ)
        fprintf(f, "%ssetp.%s.u32 %%p%u, %%r%u, %s;\n", guard, i->kind == SETP_LT ? "lt" : "eq", i->d, i->a, b);
    else
        fprintf(f, "%s%s %%r%u, %%r%u, %s;\n", guard, alu[i->kind], i->d, i->a, b);
}

static void print_kernel(FILE *f, const struct kernel *k)
{
    fprintf(f,
            ".version 7.0\n.target %s\n.address_size 64\n.extern .func tx_begin ();\n.extern .func tx_commit ();\n"
            ".visible .entry k(.param .u64 pt, .param .u64 ps, .param .u64 po)\n{\n"
            ".reg .b32 %%r<%u>, %%x, %%t, %%n, %%c, %%g, %%y; .reg .pred %%p<%u>, %%all, %%never; .reg .b64 %%d0, %%d1, %%table, %%sums, "
            "%%out, "
            "%%own, %%mine, %%cells;\n"
            ".local .align 4 .b8 box[%u]; .shared .align 4 .b8 cell[%u];\n"
            "ld.param.u64 %%table, [pt]; ld.param.u64 %%sums, [ps]; ld.param.u64 %%out, [po];\n"
            "mov.u32 %%t, %%tid.x; mov.u32 %%n, %%ntid.x; mov.u32 %%c, %%ctaid.x; mad.lo.u32 %%g, %%c, %%n, %%t;\n"
            "mov.u64 %%own, box; mov.u64 %%cells, cell; mad.wide.u32 %%mine, %%t, 4, %%cells;\n",
            k->apart ? "sm_80" : "sm_50", REG_CNT, PREDS, LOCALS * 4, THREADS * 4);
    for (uint32_t r = 0; r < REGS; r++)
        fprintf(f, "mad.lo.u32 %%r%u, %%g, %u, %u;\n", r, r == 0 ? 1 : 2654435761u * r, r);
    for (uint32_t r = REGS; r < REG_CNT; r++)
        fprintf(f, "mov.u32 %%r%u, %s;\n", r, r == REGS + DEPTH ? "%c" : "0");
    for (uint32_t p = 0; p < PREDS; p++)
        fprintf(f, "setp.ne.u32 %%p%u, %%t, %%t;\n", p);
    for (uint32_t n = 0; n < LOCALS; n++)
        fprintf(f, "st.local.u32 [%%own+%u], %%t;\n", 4 * n);
    if (k->apart)
        fprintf(f, "setp.eq.u32 %%all, %%t, %%t;\nsetp.gt.u32 %%never, %%n, 4096;\n");
    if (k->apart && k->barriers) /* of threads that leave before they have told anything */
        fprintf(f, "st.shared.u32 [%%mine], 0;\nbar.sync 0;\n");
    for (uint32_t n = 0; n < k->cnt; n++)
        if (!k->insn[n].gone)
            print_insn(f, &k->insn[n], n, k->odd);
    fprintf(f, "LEAVE:\n");
    print_stores(f, "");
    fprintf(f, "RET:\nret;\n%s}\n", k->apart ? "TRAP0:\nst.shared.u32 [%mine], %t;\ntrap;\nTRAP1:\ntrap;\nbra.uni RET;\n" : "");
}

/* ---- one thread after the other ---- */

struct thread {
    uint32_t r[REG_CNT], pc, left, local[LOCALS];
    bool p[PREDS], at_barrier, at_warp;
};

struct outcome {
    uint32_t r[BLOCKS * THREADS][REGS], sum[SUMS];
    uint64_t went[INSNS][4], fell[INSNS]; /* by instruction: threads that went to each target, and that went on behind it */
};

static uint32_t table[TABLE];

/* Where each label is. */
static uint32_t place[4 * INSNS];

static void find_labels(const struct kernel *k)
{
    for (uint32_t n = 0; n < k->cnt; n++)
        if (k->insn[n].kind == LABEL)
            place[k->insn[n].label] = n;
}

static void begin(struct thread *t, const struct kernel *k, uint32_t block, uint32_t tid)
{
    const uint32_t g = block * k->threads + tid;
    memset(t, 0, sizeof *t);
    for (uint32_t r = 0; r < REGS; r++)
        t->r[r] = g * (r == 0 ? 1 : 2654435761u * r) + r;
    t->r[REGS + DEPTH] = block;
    for (uint32_t n = 0; n < LOCALS; n++)
        t->local[n] = tid;
}

/* Carries out an instruction that only the thread itself sees; others do nothing here. */
static void compute(struct thread *t, const struct insn *i, uint32_t a, uint32_t b)
{
    switch (i->kind) {
    case ADD:
        t->r[i->d] = a + b;
        break;
    case XOR:
        t->r[i->d] = a ^ b;
        break;
    case MUL:
        t->r[i->d] = a * b;
        break;
    case MIN:
        t->r[i->d] = a < b ? a : b;
        break;
    case SHR:
        t->r[i->d] = a >> b;
        break;
    case SETP_LT:
        t->p[i->d] = a < b;
        break;
    case SETP_EQ:
        t->p[i->d] = a == b;
        break;
    case LOAD:
        t->r[i->d] = table[a % TABLE];
        break;
    case STORE_LOCAL:
        t->local[a % LOCALS] = t->r[i->b];
        break;
    case LOAD_LOCAL:
        t->r[i->d] = t->local[a % LOCALS];
        break;
    default:
        break;
    }
}

static void transact(struct thread *t, const struct insn *i, uint32_t a, struct outcome *o)
{
    o->sum[a % SUMS] += t->r[i->b];
    t->r[i->d] += 5;
    if (t->p[i->guard])
        o->sum[(a + 1) % SUMS] += t->r[i->b];
    else if (t->p[(i->guard + 1) % (int)PREDS])
        t->r[i->d] ^= 3;
    else
        t->r[i->d] += 7;
}

/* Carries out an instruction. true: the thread has come to a barrier or to its end. */
static bool step(const struct kernel *k, struct thread *t, uint32_t tid, uint32_t *cell, struct outcome *o)
{
    const struct insn *i = &k->insn[t->pc];
    const uint32_t a = t->r[i->a], b = i->imm ? i->b : t->r[i->b % REG_CNT];
    switch (i->kind) {
    case BRA:
        o->went[t->pc][0]++;
        t->pc = place[i->label];
        return false;
    case BRX:
        o->went[t->pc][a & 3]++;
        t->pc = place[i->target[a & 3]];
        return false;
    case SUM:
        o->sum[a % SUMS] += t->r[i->b];
        return false;
    case TX:
        transact(t, i, a, o);
        return false;
    case SHARE:
        cell[tid] = a;
        return false;
    case TAKE:
        t->r[i->d] = cell[(tid + i->b) % k->threads];
        return false;
    case BAR:
    case COUNT:
        return t->at_barrier = true;
    case BALLOT:
    case SHUFFLE:
    case MATCH:
    case WARP_SYNC:
        return t->at_warp = true;
    case TRAP:
        o->fell[t->pc]++;
        return false;
    case EXIT:
        o->went[t->pc][0]++;
        t->pc = k->cnt;
        return true;
    default:
        compute(t, i, a, b);
        return false;
    }
}

/* Runs a thread up to its next barrier or its end. false: it does not end. */
static bool go_on(const struct kernel *k, struct thread *t, uint32_t tid, uint32_t *cell, struct outcome *o)
{
    for (t->at_barrier = t->at_warp = false; t->pc < k->cnt && t->left++ < STEPS_MAX; t->pc++) {
        const struct insn *i = &k->insn[t->pc];
        const bool passes = i->gone || (i->guard >= 0 && i->kind != TX && t->p[i->guard] == i->neg);
        o->fell[t->pc] += passes;
        if (!passes && step(k, t, tid, cell, o))
            return true;
    }
    return t->left < STEPS_MAX;
}

/* What PTX 6 leaves open, or what never ends. */
enum run { RUNS, NOT_DEFINED, ENDLESS };

static bool is_left(const struct kernel *k, const struct thread *t)
{
    return t->pc < k->cnt;
}

static uint64_t between_sides; /* lanes that have met others at another instruction of an operation with a result */

/* Whether lanes at the two instructions meet. Of two kinds PTX says nothing. */
static bool is_same(const struct insn *a, const struct insn *b)
{
    return a->kind == b->kind;
}

/* The value that thread n of the warp gets. */
static uint32_t across(const struct kernel *k, const struct thread *warp, uint32_t lanes, uint32_t n)
{
    const struct insn *mine = &k->insn[warp[n].pc];
    const uint32_t from = (n + mine->b) % 32;
    uint32_t v = 0;
    for (uint32_t l = 0; l < lanes; l++) {
        if (!is_left(k, &warp[l]))
            continue;
        const struct insn *i = &k->insn[warp[l].pc];
        if (mine->kind == BALLOT)
            v |= (uint32_t)warp[l].p[i->a] << l;
        else if (mine->kind == MATCH)
            v |= (uint32_t)((warp[l].r[i->a] & 3) == (warp[n].r[mine->a] & 3)) << l;
        else if (l == from)
            v = warp[l].r[i->a];
    }
    return v;
}

/* An operation across lanes waits for all threads of the warp that have not left. Each may come to an instruction of its own, with registers of
 * its own. Returns whether they have come; *run: to different operations. */
static bool warp_meets(const struct kernel *k, struct thread *warp, uint32_t lanes, enum run *run)
{
    uint32_t at = k->cnt, value[32];
    for (uint32_t l = 0; l < lanes; l++) {
        if (!is_left(k, &warp[l]))
            continue;
        if (!warp[l].at_warp)
            return false;
        *run = at != k->cnt && !is_same(&k->insn[at], &k->insn[warp[l].pc]) ? NOT_DEFINED : *run;
        between_sides += at != k->cnt && at != warp[l].pc && k->insn[at].kind != WARP_SYNC;
        at = warp[l].pc;
    }
    if (at == k->cnt || *run != RUNS)
        return false;
    for (uint32_t l = 0; l < lanes; l++)
        value[l] = is_left(k, &warp[l]) ? across(k, warp, lanes, l) : 0;
    for (uint32_t l = 0; l < lanes; l++) {
        if (!is_left(k, &warp[l]))
            continue;
        if (k->insn[at].kind != WARP_SYNC)
            warp[l].r[k->insn[warp[l].pc].d] = value[l];
        warp[l].at_warp = false;
        warp[l].pc++;
    }
    return true;
}

/* A barrier waits for all threads of the block that have not left. They need not come to one instruction, but those of a reduction do. */
static bool block_meets(const struct kernel *k, struct thread *t, enum run *run)
{
    uint32_t count = 0, counted = k->cnt;
    bool any = false, plain = false;
    for (uint32_t n = 0; n < k->threads; n++) {
        if (!is_left(k, &t[n]))
            continue;
        if (!t[n].at_barrier)
            return false;
        any = true;
        const struct insn *i = &k->insn[t[n].pc];
        plain |= i->kind == BAR;
        count += i->kind == COUNT && t[n].p[i->a];
        *run = i->kind == COUNT && counted != k->cnt && counted != t[n].pc ? NOT_DEFINED : *run;
        counted = i->kind == COUNT ? t[n].pc : counted;
    }
    if (plain && counted != k->cnt)
        *run = NOT_DEFINED;
    for (uint32_t n = 0; any && *run == RUNS && n < k->threads; n++) {
        if (!is_left(k, &t[n]))
            continue;
        if (counted != k->cnt)
            t[n].r[k->insn[counted].d] = count;
        t[n].at_barrier = false;
        t[n].pc++;
    }
    return any && *run == RUNS;
}

/* One thread after the other, each until it waits; then those go on for whom all have come. */
static enum run interpret_block(const struct kernel *k, struct thread *thread, struct outcome *o)
{
    static uint32_t cell[THREADS];
    enum run run = RUNS;
    memset(cell, 0, sizeof cell);
    for (bool again = true; again && run == RUNS;) {
        again = false;
        bool left = false;
        for (uint32_t n = 0; n < k->threads; n++) {
            struct thread *t = &thread[n];
            if (is_left(k, t) && !t->at_barrier && !t->at_warp && !go_on(k, t, n, cell, o))
                return ENDLESS;
            left |= is_left(k, t);
        }
        for (uint32_t w = 0; w < k->threads; w += 32)
            again |= warp_meets(k, &thread[w], k->threads - w < 32 ? k->threads - w : 32, &run);
        again |= run == RUNS && block_meets(k, thread, &run);
        if (left && !again)
            return NOT_DEFINED; /* some wait for ever */
    }
    return run;
}

static enum run interpret(const struct kernel *k, struct outcome *o)
{
    static struct thread thread[THREADS];
    memset(o, 0, sizeof *o);
    find_labels(k);
    for (uint32_t block = 0; block < k->blocks; block++) {
        for (uint32_t n = 0; n < k->threads; n++)
            begin(&thread[n], k, block, n);
        const enum run run = interpret_block(k, thread, o);
        if (run != RUNS)
            return run;
        for (uint32_t n = 0; n < k->threads; n++)
            memcpy(o->r[block * k->threads + n], thread[n].r, sizeof o->r[0]);
    }
    return RUNS;
}

/* ---- on the GPU ---- */

struct machine {
    const char *name, *settings[12], *system;
    bool functional; /* launches without time */
    struct cowarp_gpu *gpu;
    uint64_t refused, told, ran;
    uint64_t table, sums, out, made, ended, in, back;
};

#define SMALL "core.count=2", "partition.count=2", "core.warps=32", "core.scheduler=lrr", "mem.mbytes=64", "watchdog.cycles=50000"

static struct machine machines[] = {
    {.name = "pdom", .settings = {SMALL, NULL}},
    {.name = "dwf", .settings = {SMALL, "core.schedulers=1", "core.divergence=dwf", NULL}},
    {.name = "dwf-wb", .settings = {SMALL, "core.schedulers=1", "core.divergence=dwf-wb", NULL}},
    {.name = "dwf, small table",
     .settings = {SMALL, "core.schedulers=1", "core.divergence=dwf", "dwf.lut_entries=2", "dwf.lut_ways=1", NULL}},
    {.name = "tbc", .settings = {SMALL, "core.divergence=tbc", NULL}},
    {.name = "tbc, static", .settings = {SMALL, "core.divergence=tbc", "tbc.arrangement=static", "core.schedulers=1", NULL}},
    {.name = "tbc, rrb", .settings = {SMALL, "core.divergence=tbc", "tbc.priority=rrb", "tbc.sync=all", NULL}},
    {.name = "tbc, srr", .settings = {SMALL, "core.divergence=tbc", "tbc.priority=srr", "core.schedulers=1", "l1.global=on", NULL}},
    {.name = "tbc, stages", .settings = {SMALL, "core.divergence=tbc", "core.stage_cycles=4", "core.buffer=2", "core.collectors=4", NULL}},
    {.name = "pdom, likely", .settings = {SMALL, "core.lcp=loop", NULL}},
    {.name = "tbc, likely", .settings = {SMALL, "core.divergence=tbc", "core.lcp=loop", NULL}},
    {.name = "tbc, likely, one by one",
     .settings = {SMALL, "core.divergence=tbc", "core.lcp=loop", "core.scoreboard=warp", "tbc.sync=uni", NULL}},
    {.name = "its", .settings = {SMALL, "core.divergence=its", NULL}},
    {.name = "its, eager", .settings = {SMALL, "core.divergence=its", "its.yield_branches=1", "core.buffer=2", NULL}},
    {.name = "its, one by one", .settings = {SMALL, "core.divergence=its", "its.yield_branches=3", "core.scoreboard=warp", NULL}},
    {.name = "its, functional", .settings = {SMALL, "core.divergence=its", NULL}, .functional = true},
    {.name = "its, functional, eager", .settings = {SMALL, "core.divergence=its", "its.yield_branches=1", NULL}, .functional = true},
    {.name = "its, behind a stack", .settings = {SMALL, "core.divergence=pdom-its", NULL}},
    {.name = "its, behind a stack, eager", .settings = {SMALL, "core.divergence=pdom-its", "its.yield_branches=1", "core.buffer=2", NULL}},
    {.name = "its, behind a stack, functional", .settings = {SMALL, "core.divergence=pdom-its", NULL}, .functional = true},
    {.name = "its, by lane", .settings = {SMALL, "core.divergence=its", "core.scoreboard=lane", NULL}},
    {.name = "its, si", .settings = {SMALL, "core.divergence=si", "core.scoreboard=lane", NULL}},
    {.name = "its, si at once",
     .settings = {SMALL, "core.divergence=si", "core.scoreboard=lane", "subwarp.wait_cycles=0", "core.buffer=2", "l1.global=on", NULL}},
    {.name = "its, dws", .settings = {SMALL, "core.divergence=dws", "core.scoreboard=lane", NULL}},
    {.name = "its, dws, cached",
     .settings = {SMALL, "core.divergence=dws", "core.scoreboard=lane", "dws.wait_cycles=0", "l1.global=on", "its.yield_branches=3", NULL}},
    {.name = "pdom, by lane", .settings = {SMALL, "core.scoreboard=lane", "l1.global=on", NULL}},
    {.name = "capri", .settings = {SMALL, "core.divergence=capri", NULL}},
    {.name = "capri, two entries",
     .settings = {SMALL, "core.divergence=capri", "capri.entries=2", "tbc.sync=all", "core.scoreboard=warp", NULL}},
    {.name = "lw", .settings = {SMALL, "core.divergence=lw", NULL}},
    {.name = "lw, of three", .settings = {SMALL, "core.divergence=lw", "lw.warps=3", "core.schedulers=2", "core.scoreboard=warp", NULL}},
    {.name = "dwf, one by one", .settings = {SMALL, "core.schedulers=1", "core.divergence=dwf", "core.scoreboard=warp", NULL}},
    {.name = "tbc, stages, one by one",
     .settings = {SMALL, "core.divergence=tbc", "core.stage_cycles=4", "core.buffer=2", "core.collectors=4", "core.scoreboard=warp", NULL}},
};
#define MACHINES (sizeof machines / sizeof machines[0])

/* record: counts branches; profile: file of counts, or NULL. */
static void open_machine(struct machine *m, bool record, const char *profile)
{
    struct cowarp_options o;
    cowarp_options_init(&o);
    o.settings = m->settings;
    o.system = m->system;
    o.functional = m->functional;
    o.max_cycles = m->system != NULL ? 30000000 : 3000000;
    o.record_branches = record;
    o.lcp_profile = profile;
    if (cowarp_create(&m->gpu, &o) != 0)
        fail_msg("%s: %s", m->name, cowarp_error(m->gpu));
    assert_int_equal(cowarp_alloc(m->gpu, &m->table, sizeof table), 0);
    assert_int_equal(cowarp_alloc(m->gpu, &m->sums, SUMS * 4), 0);
    assert_int_equal(cowarp_alloc(m->gpu, &m->out, sizeof((struct outcome *)0)->r), 0);
    assert_int_equal(cowarp_write(m->gpu, m->table, table, sizeof table), 0);
}

static uint64_t joins; /* of all runs with a profile */

static uint64_t counter(struct machine *m, const char *name)
{
    uint64_t v;
    assert_int_equal(cowarp_counter(m->gpu, name, &v), 0);
    return v;
}

static bool has_warps(const struct kernel *k)
{
    for (uint32_t n = 0; n < k->cnt; n++)
        if (!k->insn[n].gone && k->insn[n].kind >= BALLOT && k->insn[n].kind <= WARP_SYNC)
            return true;
    return false;
}

static bool same_words(const struct kernel *k, const struct outcome *got, const struct outcome *expected, char why[400])
{
    for (uint32_t n = 0; n < k->blocks * k->threads; n++)
        for (uint32_t r = 0; r < REGS; r++)
            if (got->r[n][r] != expected->r[n][r]) {
                snprintf(why, 400, "thread %u of block %u: r%u is %u, expected %u", n % k->threads, n / k->threads, r, got->r[n][r],
                         expected->r[n][r]);
                return false;
            }
    for (uint32_t s = 0; s < SUMS; s++)
        if (got->sum[s] != expected->sum[s]) {
            snprintf(why, 400, "sum %u is %u, expected %u", s, got->sum[s], expected->sum[s]);
            return false;
        }
    return true;
}

/* Whether the machine comes to the outcome; why, if not. Dynamic warp formation may refuse a kernel that has operations across lanes, and a
 * SIMT stack may say of an odd one where it cannot follow PTX 6. Independent threads come to it always. */
static bool agrees(struct machine *m, const struct kernel *k, const struct outcome *expected, char why[400])
{
    static struct outcome got;
    static char text[INSNS * 200];
    struct cowarp_module *module;
    FILE *f = fmemopen(text, sizeof text, "w");
    assert_non_null(f);
    print_kernel(f, k);
    fclose(f);
    memset(&got, 0, sizeof got);
    assert_int_equal(cowarp_write(m->gpu, m->sums, got.sum, sizeof got.sum), 0);
    assert_int_equal(cowarp_write(m->gpu, m->out, got.r, sizeof got.r), 0);
    if (cowarp_load(m->gpu, &module, text, strlen(text), "random.ptx") != 0)
        fail_msg("%s\n%s", cowarp_error(m->gpu), text);
    const struct cowarp_arg args[] = {COWARP_U64(m->table), COWARP_U64(m->sums), COWARP_U64(m->out)};
    const struct cowarp_launch l = {
        .size = sizeof l, .kernel = "k", .grid = {k->blocks, 1, 1}, .block = {k->threads, 1, 1}, .arg_count = 3, .args = args};
    const bool by_threads = strncmp(m->name, "dwf", 3) == 0;
    if (cowarp_run(m->gpu, module, &l) != 0) {
        snprintf(why, 400, "%.300s", cowarp_error(m->gpu));
        const bool refused = by_threads && has_warps(k) && strstr(why, "works on a static warp") != NULL;
        const bool told = !by_threads && strncmp(m->name, "its", 3) != 0 && k->odd &&
                          (strstr(why, "which have not come; lane") != NULL || strstr(why, "without them. From sm_70 on") != NULL);
        m->refused += refused;
        m->told += told;
        assert_int_equal(cowarp_reset(m->gpu), 0);
        return refused || told;
    }
    m->ran++;
    assert_int_equal(cowarp_read(m->gpu, got.sum, m->sums, sizeof got.sum), 0);
    assert_int_equal(cowarp_read(m->gpu, got.r, m->out, sizeof got.r), 0);
    return same_words(k, &got, expected, why);
}

static bool has_block_stack(const struct machine *m)
{
    return strncmp(m->name, "tbc", 3) == 0 || strncmp(m->name, "capri", 5) == 0 || strncmp(m->name, "lw", 2) == 0;
}

/* What goes in comes out, and every warp that is made ends. */
static bool conserves(struct machine *m, bool used, char why[400])
{
    const uint64_t in = counter(m, "tbc_threads_in"), out = counter(m, "tbc_threads_out");
    const uint64_t made = counter(m, "tbc_warps_made"), ended = counter(m, "tbc_warps_ended");
    snprintf(why, 400, "%llu threads compacted to %llu, %llu warps made, %llu ended", (unsigned long long)in, (unsigned long long)out,
             (unsigned long long)made, (unsigned long long)ended);
    const uint64_t dwf_in = counter(m, "dwf_threads_in"), dwf_made = counter(m, "dwf_warps_made");
    if (dwf_in != counter(m, "dwf_threads_out") || dwf_made != counter(m, "dwf_warps_ended") ||
        (dwf_made > 0) != (used && strncmp(m->name, "dwf", 3) == 0))
        snprintf(why, 400, "%llu threads to the table, %llu warps made", (unsigned long long)dwf_in, (unsigned long long)dwf_made);
    else
        return in == out && made == ended && (made > 0) == (used && has_block_stack(m));
    return false;
}

/* ---- branches ---- */

static struct machine profiled[] = {
    {.name = "pdom, profile", .settings = {SMALL, "core.lcp=profile", NULL}},
    {.name = "tbc, profile", .settings = {SMALL, "core.lcp=profile", "core.divergence=tbc", NULL}},
    {.name = "tbc, profile, static",
     .settings = {SMALL, "core.lcp=profile", "core.divergence=tbc", "tbc.arrangement=static", "core.schedulers=1", NULL}},
    {.name = "tbc, profile, one by one",
     .settings = {SMALL, "core.lcp=profile", "core.divergence=tbc", "core.scoreboard=warp", "tbc.sync=uni", NULL}},
};
#define PROFILED (sizeof profiled / sizeof profiled[0])

/* The instruction that a thread comes to at the label: labels that stand together are one place. */
static uint32_t behind(const struct kernel *k, uint32_t label)
{
    uint32_t n = place[label];
    while (n < k->cnt && (k->insn[n].gone || k->insn[n].kind == LABEL))
        n++;
    return n;
}

/* Ways of an indexed branch: its targets, each once, with the threads that went there. Returns how many. */
static uint32_t indexed_ways(const struct kernel *k, const struct outcome *o, uint32_t n, uint64_t threads[4])
{
    uint32_t at[4], cnt = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t w = 0;
        while (w < cnt && at[w] != behind(k, k->insn[n].target[i]))
            w++;
        if (w == cnt) {
            at[cnt] = behind(k, k->insn[n].target[i]);
            threads[cnt++] = 0;
        }
        threads[w] += o->went[n][i];
    }
    return cnt;
}

/* The kernel's branches with a condition, in the order of its text, as a file of counts has them; without what only the simulator knows. */
static void print_counts(FILE *f, const struct kernel *k, const struct outcome *o)
{
    for (uint32_t n = 0; n < k->cnt; n++) {
        const struct insn *i = &k->insn[n];
        uint64_t threads[4] = {o->went[n][0]};
        const bool skips = i->kind == EXIT && i->imm; /* its branch goes round the side that leaves */
        const bool guarded = !i->gone && (i->kind == TRAP || (i->guard >= 0 && (i->kind == BRA || skips || (i->kind == EXIT && !i->uni))));
        if (!guarded && (i->gone || i->kind != BRX))
            continue;
        const uint32_t cnt = guarded ? 1 : indexed_ways(k, o, n, threads);
        if (skips)
            threads[0] = o->fell[n];
        for (uint32_t w = 0; w < cnt; w++)
            fprintf(f, " %llu", (unsigned long long)threads[w]);
        fprintf(f, guarded ? " next %llu\n" : "\n", (unsigned long long)(skips ? o->went[n][0] : o->fell[n]));
    }
}

/* The same of a file of counts. */
static void read_counts(FILE *f, const char *path)
{
    char line[1000];
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in) != NULL) {
        char *way = strncmp(line, "branch ", 7) == 0 ? strchr(line, ':') : NULL;
        for (way = way != NULL ? strtok(way + 1, " \n") : NULL; way != NULL; way = strtok(NULL, " \n"))
            fprintf(f, strncmp(way, "next", 4) == 0 ? " next %s" : " %s", strchr(way, '=') + 1);
        if (strncmp(line, "branch ", 7) == 0)
            fputc('\n', f);
    }
    fclose(in);
}

/* Whether `recorder` counts the branches as the interpreter does, and m comes to the outcome with these counts. */
static bool follows(const struct machine *recorder, struct machine *m, const struct kernel *k, const struct outcome *expected,
                    char why[400])
{
    static char counted[60000], found[60000];
    char path[64];
    struct machine r = *recorder;
    snprintf(path, sizeof path, "divergence-%ld.branches", (long)getpid());
    open_machine(&r, true, NULL);
    bool right = agrees(&r, k, expected, why);
    assert_int_equal(cowarp_write_branches(r.gpu, path), 0);
    cowarp_destroy(r.gpu);
    FILE *f = fmemopen(counted, sizeof counted, "w"), *g = fmemopen(found, sizeof found, "w");
    assert_true(f != NULL && g != NULL);
    print_counts(f, k, expected);
    read_counts(g, path);
    fclose(f);
    fclose(g);
    if (right && strcmp(counted, found) != 0) {
        snprintf(why, 400, "%s has other counts", recorder->name);
        right = false;
    }
    if (right) {
        open_machine(m, false, path);
        right = agrees(m, k, expected, why) && conserves(m, true, why);
        joins += counter(m, "lcp_joins");
        cowarp_destroy(m->gpu);
    }
    remove(path);
    return right;
}

/* recorder: NULL unless m runs with a profile. */
static bool is_right(const struct machine *recorder, struct machine *m, const struct kernel *k, const struct outcome *expected,
                     char why[400])
{
    return recorder != NULL ? follows(recorder, m, k, expected, why) : agrees(m, k, expected, why);
}

static bool fails(const struct machine *recorder, struct machine *m, const struct kernel *k, char why[400])
{
    static struct outcome o;
    return interpret(k, &o) == RUNS && !is_right(recorder, m, k, &o, why);
}

/* Takes instructions away as long as the kernel fails. */
static void shrink(const struct machine *recorder, struct machine *m, struct kernel *k, char why[400])
{
    char other[400];
    for (bool again = true; again;) {
        again = false;
        for (uint32_t n = 0; n < k->cnt; n++) {
            if (k->insn[n].gone || k->insn[n].keep || k->insn[n].kind == BAR || k->insn[n].kind == COUNT)
                continue;
            k->insn[n].gone = true;
            if (fails(recorder, m, k, other)) {
                memcpy(why, other, 400);
                again = true;
            } else {
                k->insn[n].gone = false;
            }
        }
    }
}

/* A kernel that is not right is made smaller and printed. */
static void expect_right(const struct machine *recorder, struct machine *m, struct kernel *k, const struct outcome *expected, uint32_t n,
                         uint64_t seed)
{
    char why[400] = "";
    if (is_right(recorder, m, k, expected, why))
        return;
    shrink(recorder, m, k, why);
    print_kernel(stderr, k);
    fail_msg("kernel %u of seed %llu, %u blocks of %u threads, %s: %s", n, (unsigned long long)seed, k->blocks, k->threads, m->name, why);
}

struct count {
    uint64_t threads, endless, open, refused, told, ran;
};

static void open_machines(void)
{
    for (uint32_t i = 0; i < MACHINES; i++)
        open_machine(&machines[i], false, NULL);
}

static void close_machines(struct count *c)
{
    for (uint32_t i = 0; i < MACHINES; i++) {
        c->refused += machines[i].refused;
        c->told += machines[i].told;
        c->ran += machines[i].ran;
        machines[i].refused = machines[i].told = machines[i].ran = 0;
        cowarp_destroy(machines[i].gpu);
    }
}

/* A kernel under the SIMT stack and another machine. false: it is none to be run. */
static bool try_kernel(uint32_t n, uint64_t seed, enum style style, struct count *c)
{
    static struct kernel k;
    static struct outcome expected;
    const bool odd = style == ODD;
    make_kernel(&k, style);
    const uint64_t between_before = between_sides;
    const enum run run = interpret(&k, &expected);
    between_sides = run == RUNS ? between_sides : between_before;
    c->endless += run == ENDLESS;
    c->open += run == NOT_DEFINED;
    if (run == NOT_DEFINED && !odd) {
        print_kernel(stderr, &k);
        fail_msg("kernel %u of seed %llu is not defined", n, (unsigned long long)seed);
    }
    if (run != RUNS)
        return false;
    c->threads += k.blocks * k.threads;
    for (uint32_t i = 0; i < MACHINES; i++)
        if (i == 0 || i == 1 + n % (MACHINES - 1))
            expect_right(NULL, &machines[i], &k, &expected, n, seed);
    const struct machine *recorder = &machines[n % MACHINES];
    if (!odd && !recorder->functional && !(has_warps(&k) && strncmp(recorder->name, "dwf", 3) == 0))
        expect_right(recorder, &profiled[n % PROFILED], &k, &expected, n, seed);
    return true;
}

static uint32_t kernels_wanted(void)
{
    const char *wanted = getenv("CW_DIVERGENCE_KERNELS");
    return wanted != NULL ? (uint32_t)strtoul(wanted, NULL, 10) : 400;
}

static uint64_t begin_random(void)
{
    const uint64_t seed = cw_test_seed(1);
    state = seed;
    for (uint32_t i = 0; i < TABLE; i++)
        table[i] = roll(UINT32_C(1) << 31) * 2 + roll(2);
    return seed;
}

/* All threads that stay meet wherever one waits: every machine is right, but for what dynamic warp formation refuses. */
static void test_divergence__random_kernels(void **state_)
{
    (void)state_;
    char why[400] = "";
    const uint32_t kernels = kernels_wanted() / 4 * 3 + 1;
    const uint64_t seed = begin_random();
    struct count c = {0};
    open_machines();
    for (uint32_t n = 0; n < kernels; n++)
        try_kernel(n, seed, PLAIN, &c);
    for (uint32_t i = 0; i < MACHINES; i++)
        if (!conserves(&machines[i], machines[i].ran != 0, why))
            fail_msg("%s: %s", machines[i].name, why);
    close_machines(&c);
    assert_in_range(c.endless, 0, kernels / 4);
    assert_int_equal(c.told, 0);
    assert_true(joins > 0);
    printf("%u kernels, %llu threads, %llu kernels without an end left out, %llu refused\n", kernels, (unsigned long long)c.threads,
           (unsigned long long)c.endless, (unsigned long long)c.refused);
}

/* Threads wait on any side of a branch. What PTX 6 leaves open is left out. Of the others a SIMT stack has some right, and tells the rest;
 * dynamic warp formation and independent threads have all right. */
static void test_divergence__waiting_anywhere(void **state_)
{
    (void)state_;
    const uint32_t kernels = kernels_wanted() / 4 + 1;
    const uint64_t seed = begin_random() + 1;
    struct count c = {0};
    uint32_t tried = 0;
    state = seed;
    open_machines();
    for (uint32_t n = 0; n < kernels; n++)
        tried += try_kernel(n, seed, ODD, &c);
    close_machines(&c);
    assert_in_range(tried, kernels / 8, kernels);
    assert_true(c.told > 0 && c.ran > 0 && between_sides > 0);
    printf("%u kernels, of which %llu are left open; %llu runs right, %llu told, %llu refused; %llu lanes met others across sides\n",
           kernels, (unsigned long long)c.open, (unsigned long long)c.ran, (unsigned long long)c.told, (unsigned long long)c.refused,
           (unsigned long long)between_sides);
}

/* ---- transactions ---- */

static struct machine transactional[] = {
    {.name = "pdom, getm", .settings = {SMALL, NULL}, .system = "getm"},
    {.name = "its, getm", .settings = {SMALL, "core.divergence=its", NULL}, .system = "getm"},
    {.name = "its, eager, warptm", .settings = {SMALL, "core.divergence=its", "its.yield_branches=1", NULL}, .system = "warptm"},
    {.name = "its, behind a stack, getm", .settings = {SMALL, "core.divergence=pdom-its", "its.yield_branches=1", NULL}, .system = "getm"},
    {.name = "its, kilotm", .settings = {SMALL, "core.divergence=its", "core.scoreboard=warp", NULL}, .system = "kilotm"},
    {.name = "its, si, getm",
     .settings = {SMALL, "core.divergence=si", "core.scoreboard=lane", "subwarp.wait_cycles=0", NULL},
     .system = "getm"},
    {.name = "its, dws, warptm",
     .settings = {SMALL, "core.divergence=dws", "core.scoreboard=lane", "dws.wait_cycles=0", NULL},
     .system = "warptm"},
    {.name = "its, eapg", .settings = {SMALL, "core.divergence=its", NULL}, .system = "eapg"},
    {.name = "its, serial", .settings = {SMALL, "core.divergence=its", NULL}, .system = "serial"},
    {.name = "its, functional", .settings = {SMALL, "core.divergence=its", NULL}, .system = "getm", .functional = true},
};
#define TRANSACTIONAL_CNT (sizeof transactional / sizeof transactional[0])

/* Sums in transactions, of lanes that begin together or apart, and end at up to three places. */
static void test_divergence__transactions(void **state_)
{
    (void)state_;
    static struct kernel k;
    static struct outcome expected;
    const uint32_t kernels = kernels_wanted() / 4 + 1;
    const uint64_t seed = begin_random() + 2;
    uint64_t committed = 0, aborted = 0, ran = 0;
    state = seed;
    for (uint32_t i = 0; i < TRANSACTIONAL_CNT; i++)
        open_machine(&transactional[i], false, NULL);
    for (uint32_t n = 0; n < kernels; n++) {
        make_kernel(&k, TRANSACTIONAL);
        if (interpret(&k, &expected) != RUNS)
            continue;
        expect_right(NULL, &transactional[n % TRANSACTIONAL_CNT], &k, &expected, n, seed);
        ran++;
    }
    for (uint32_t i = 0; i < TRANSACTIONAL_CNT; i++) {
        committed += counter(&transactional[i], "tx_committed");
        aborted += counter(&transactional[i], "tx_aborted");
        cowarp_destroy(transactional[i].gpu);
    }
    assert_true(ran > kernels / 2 && committed > 50 * kernels && aborted > kernels);
    printf("%llu kernels, %llu transactions, %llu aborts\n", (unsigned long long)ran, (unsigned long long)committed,
           (unsigned long long)aborted);
}

/* ---- lanes of a warp that wait for each other ---- */

#define SPIN                                                                                                                         \
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b) {\n.reg .pred %p<3>; .reg .b32 " \
    "%r<5>; .reg .b64 %d<3>;\nld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\nmov.u32 %r1, %tid.x;\n"
/* Each thread counts under a lock, whose holder leaves the loop before the others do. */
static const char lock_kernel[] = SPIN "TRY:\natom.global.cas.b32 %r2, [%d1], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra TRY;\n"
                                       "ld.volatile.global.u32 %r3, [%d2];\nadd.u32 %r3, %r3, 1;\nst.volatile.global.u32 [%d2], %r3;\n"
                                       "membar.gl;\natom.global.exch.b32 %r2, [%d1], 0;\nret;\n}";
/* Odd threads wait until thread 0, on the other side, has set a flag; then each counts. */
static const char flag_kernel[] =
    SPIN "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra EVEN;\nWAIT:\nld.volatile.global.u32 %r3, "
         "[%d1];\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra WAIT;\nbra.uni MEET;\nEVEN:\nmov.u32 %r3, 1;\nst.volatile."
         "global.u32 [%d1], %r3;\nMEET:\natom.global.add.u32 %r3, [%d2], 1;\nret;\n}";

/* Status of the run of 2 blocks of 64 threads, and what they have counted. */
static int count_by(struct machine *m, const char *text, uint32_t *counted)
{
    struct cowarp_module *module;
    const uint32_t zero[2] = {0, 0};
    uint64_t words;
    open_machine(m, false, NULL);
    assert_int_equal(cowarp_alloc(m->gpu, &words, sizeof zero), 0);
    assert_int_equal(cowarp_write(m->gpu, words, zero, sizeof zero), 0);
    if (cowarp_load(m->gpu, &module, text, strlen(text), "spin.ptx") != 0)
        fail_msg("%s", cowarp_error(m->gpu));
    const struct cowarp_arg args[] = {COWARP_U64(words), COWARP_U64(words + 4)};
    const struct cowarp_launch l = {.size = sizeof l, .kernel = "k", .grid = {2, 1, 1}, .block = {64, 1, 1}, .arg_count = 2, .args = args};
    const int status = cowarp_run(m->gpu, module, &l);
    assert_int_equal(cowarp_read(m->gpu, counted, words + 4, sizeof *counted), 0);
    cowarp_destroy(m->gpu);
    return status;
}

/* The programs are legal from sm_70 on. A SIMT stack lets the holder of the lock wait at the end of the loop for those who want it. */
static void test_divergence__lanes_that_spin(void **state_)
{
    (void)state_;
    uint32_t counted, its = 0;
    for (uint32_t i = 0; i < MACHINES; i++) {
        if (strncmp(machines[i].name, "its", 3) != 0)
            continue;
        its++;
        assert_int_equal(count_by(&machines[i], lock_kernel, &counted), 0);
        assert_int_equal(counted, 128);
        assert_int_equal(count_by(&machines[i], flag_kernel, &counted), 0);
        assert_int_equal(counted, 128);
    }
    assert_int_equal(its, 13);
    assert_int_not_equal(count_by(&machines[0], lock_kernel, &counted), 0);
}

/* ---- what policies are for ---- */

#define LOADS                                                                                                                     \
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a) {\n.reg .pred %p<3>; .reg .b32 %r<9>; .reg " \
    ".b64 %d<5>;\nld.param.u64 %d1, [a];\nmov.u32 %r1, %tid.x;\n"
/* Each side of a branch loads twice from lines of its own, the second time where the first value says. All values are 0. */
static const char sides_kernel[] =
    LOADS "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra EVEN;\n"
          "ld.global.u32 %r3, [%d1+1024];\nmad.wide.u32 %d2, %r3, 4, %d1;\nld.global.u32 %r3, [%d2+2048];\nbra.uni MEET;\n"
          "EVEN:\nld.global.u32 %r4, [%d1+3072];\nmad.wide.u32 %d3, %r4, 4, %d1;\nld.global.u32 %r3, [%d3+4096];\n"
          "MEET:\nst.global.u32 [%d1+8192], %r3;\nret;\n}";
/* The low half of a warp hits the line at 0 and then misses, the high half misses and then hits it. */
static const char halves_kernel[] =
    LOADS "ld.global.u32 %r2, [%d1];\nsetp.lt.u32 %p1, %r1, 16;\nselp.u32 %r3, 0, 1024, %p1;\nselp.u32 %r4, 2048, 0, %p1;\n"
          "add.u32 %r3, %r3, %r2;\ncvt.u64.u32 %d2, %r3;\nadd.u64 %d2, %d2, %d1;\nld.global.u32 %r5, [%d2];\n"
          "add.u32 %r4, %r4, %r5;\ncvt.u64.u32 %d3, %r4;\nadd.u64 %d3, %d3, %d1;\nld.global.u32 %r6, [%d3];\n"
          "st.global.u32 [%d1+8192], %r6;\nret;\n}";
/* Of two neighbouring warps the threads that go one way have different lanes. */
static const char chess_kernel[] = LOADS "shr.u32 %r2, %r1, 5;\nadd.u32 %r2, %r2, %r1;\nand.b32 %r2, %r2, 1;\nsetp.eq.u32 %p1, %r2, 0;\n"
                                         "@%p1 bra EVEN;\nmul.lo.u32 %r3, %r1, 3;\nbra.uni MEET;\nEVEN:\nmul.lo.u32 %r3, %r1, 5;\n"
                                         "MEET:\nst.global.u32 [%d1+8192], %r3;\nret;\n}";

/* A counter after the run of a block of so many threads; counter `moved`, if any, has to have moved. */
static uint64_t count_of(const char *const more[], const char *text, uint32_t threads, const char *name, const char *moved)
{
    static uint8_t zero[16384];
    struct machine m = {.name = more[0], .settings = {SMALL, "l1.global=on"}};
    struct cowarp_module *module;
    uint64_t data;
    for (uint32_t i = 0; more[i] != NULL; i++)
        m.settings[7 + i] = more[i];
    open_machine(&m, false, NULL);
    assert_int_equal(cowarp_alloc(m.gpu, &data, sizeof zero), 0);
    assert_int_equal(cowarp_write(m.gpu, data, zero, sizeof zero), 0);
    if (cowarp_load(m.gpu, &module, text, strlen(text), "loads.ptx") != 0)
        fail_msg("%s", cowarp_error(m.gpu));
    const struct cowarp_arg args[] = {COWARP_U64(data)};
    const struct cowarp_launch l = {
        .size = sizeof l, .kernel = "k", .grid = {1, 1, 1}, .block = {threads, 1, 1}, .arg_count = 1, .args = args};
    if (cowarp_run(m.gpu, module, &l) != 0)
        fail_msg("%s: %s", m.name, cowarp_error(m.gpu));
    assert_true(moved == NULL || counter(&m, moved) > 0);
    const uint64_t value = counter(&m, name);
    cowarp_destroy(m.gpu);
    return value;
}

/* Two misses in turn take twice as long as two at a time; a quarter less is asked for, as switches take time. */
static void test_divergence__loads_at_a_time(void **state_)
{
    (void)state_;
    static const char *const its[] = {"core.divergence=its", "core.scoreboard=lane", NULL};
    static const char *const si[] = {"core.divergence=si", "core.scoreboard=lane", NULL};
    static const char *const dws[] = {"core.divergence=dws", "core.scoreboard=lane", NULL};
    static const char *const off[] = {"core.divergence=dws", "core.scoreboard=lane", "dws.memory=off", NULL};
    const char *const cycles = "core_active_cycles";
    const uint64_t in_turn = count_of(its, sides_kernel, 32, cycles, NULL), halves = count_of(its, halves_kernel, 32, cycles, NULL);
    assert_in_range(count_of(si, sides_kernel, 32, cycles, "subwarp_switches"), 1, in_turn * 3 / 4);
    assert_in_range(count_of(off, sides_kernel, 32, cycles, "dws_switches"), 1, in_turn * 3 / 4);
    assert_in_range(count_of(dws, halves_kernel, 32, cycles, "dws_splits"), 1, halves * 3 / 4);
    assert_int_equal(count_of(si, halves_kernel, 32, cycles, NULL), halves);
    assert_int_equal(count_of(off, halves_kernel, 32, cycles, NULL), halves);
}

/* Four warps, of which two and two fit: four begin, two go each way, four meet. Large warps of one warp have nobody to be packed with. */
static void test_divergence__who_is_packed(void **state_)
{
    (void)state_;
    static const char *const tbc[] = {"core.divergence=tbc", NULL};
    static const char *const two[] = {"core.divergence=lw", "lw.warps=2", NULL};
    static const char *const one[] = {"core.divergence=lw", "lw.warps=1", NULL};
    static const char *const capri[] = {"core.divergence=capri", NULL};
    assert_int_equal(count_of(tbc, chess_kernel, 128, "tbc_warps_made", NULL), 12);
    assert_int_equal(count_of(two, chess_kernel, 128, "tbc_warps_made", NULL), 12);
    assert_int_equal(count_of(one, chess_kernel, 128, "tbc_warps_made", NULL), 16);
    assert_int_equal(count_of(capri, chess_kernel, 128, "capri_right", "capri_judged"), 1); /* the first guess: it pays */
    assert_int_equal(count_of(capri, sides_kernel, 128, "capri_right", "capri_judged"), 0); /* it does not: lanes are in one warp each */
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_divergence__loads_at_a_time),  cmocka_unit_test(test_divergence__who_is_packed),
    cmocka_unit_test(test_divergence__lanes_that_spin),  cmocka_unit_test(test_divergence__random_kernels),
    cmocka_unit_test(test_divergence__waiting_anywhere), cmocka_unit_test(test_divergence__transactions),
};

CW_TEST_MAIN(tests)
