/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wide loads of shared memory: what an assembler makes of several loads of words that stand side by side. Each stays a micro-op, with its
 * line and its destination; they issue as one, and the banks give their words in one access (struct cw_uop.parts, wide).
 *
 * The rules are those of what ptxas 13 makes for sm_75 of the small kernels of experiments/lowering/wide.cu (widths.py): loads of 4 and 8
 * bytes, by one register or by constants, with one guard. Three or four words of 16 bytes that are aligned make a load of 128 bits, two of
 * 8 bytes one of 64. No store to shared memory, no barrier and no atomic stands between them. Global and local memory has none, nor have
 * bytes and halves.
 * What is known of an address is by how many bits it is a multiple: a sum that a loop carries keeps the least of what it is made of.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/lower.h"

#define MOST_BITS  16u /* Of which a value is known to be a multiple */
#define WIDE_BYTES 16u
#define MOST_PARTS (WIDE_BYTES / 4u)
#define REACH      512u /* Micro-ops behind the first load in which others are looked for */

/* ---- multiples ---- */

static uint8_t low_zeros(uint64_t value)
{
    const uint32_t n = value == 0 ? MOST_BITS : (uint32_t)__builtin_ctzll(value);
    return (uint8_t)(n < MOST_BITS ? n : MOST_BITS);
}

/* Of a variable of shared memory: its segment begins at a multiple. false: its place is not known. */
static bool constant(const struct cw_lower *l, const struct cw_vopnd *o, uint64_t *value)
{
    bool in_global = false;
    if (o->kind != CW_V_CONST)
        return false;
    const struct cw_vconst *c = &l->k->konsts.c.a[o->id];
    *value = c->value;
    if (c->var != CW_IR_NONE)
        *value += l->variables->offset(l->variables->self, c->var, &in_global);
    return !in_global;
}

static uint32_t bits_of(const struct cw_lower *l, const struct cw_vopnd *o)
{
    uint64_t value;
    if (constant(l, o, &value))
        return low_zeros(value);
    return o->kind == CW_V_REG ? l->multiple[o->id] : 0;
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Of a shift by a constant; by n bits down as -n. */
static uint32_t shifted(const struct cw_lower *l, const struct cw_vop *v, bool left)
{
    uint64_t by;
    if (!constant(l, &v->src[1], &by) || by >= MOST_BITS)
        return 0;
    const uint32_t bits = bits_of(l, &v->src[0]);
    return left ? bits + (uint32_t)by : bits > by ? bits - (uint32_t)by : 0;
}

/* Whether its result follows from its operands as that of whole numbers does: a carry may come in, and what is saturated is any number. */
static bool is_whole(const struct cw_vop *v)
{
    const bool of_real = v->u.op == CW_OP_CVT && (v->u.stype < CW_U8 || v->u.stype > CW_S64);
    return !of_real && v->u.type >= CW_U8 && v->u.type <= CW_S64 && (v->u.flags & (CW_UF_SAT | CW_UF_HI | CW_UF_CIN)) == 0;
}

static uint32_t result_bits(const struct cw_lower *l, const struct cw_vop *v)
{
    const uint32_t a = bits_of(l, &v->src[0]), b = bits_of(l, &v->src[1]);
    if (!is_whole(v))
        return v->u.op == CW_OP_MOV ? a : 0;
    switch (v->u.op) {
    case CW_OP_MOV:
    case CW_OP_CVT:
    case CW_OP_CVTA:
        return a;
    case CW_OP_ADD:
    case CW_OP_ADDC:
    case CW_OP_SUB:
    case CW_OP_SUBC:
    case CW_OP_OR:
    case CW_OP_XOR:
    case CW_OP_SELP:
    case CW_OP_MIN:
    case CW_OP_MAX:
        return lesser(a, b);
    case CW_OP_AND:
        return a > b ? a : b;
    case CW_OP_SHL:
    case CW_OP_SHR:
        return shifted(l, v, v->u.op == CW_OP_SHL);
    case CW_OP_MUL:
        return a + b;
    case CW_OP_MAD:
        return lesser(a + b, bits_of(l, &v->src[2]));
    default:
        return 0;
    }
}

/* From the most downwards until nothing changes, so that sums of loops are found. */
static void find_multiples(struct cw_lower *l)
{
    memset(l->multiple, MOST_BITS, l->k->vreg.n);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < l->k->code.n; i++) {
            const struct cw_vop *v = &l->k->code.a[i];
            const uint32_t bits = v->u.dst_cnt == 1 ? result_bits(l, v) : 0;
            for (uint32_t j = 0; j < v->u.dst_cnt; j++)
                if (v->dst[j].kind == CW_V_REG && bits < l->multiple[v->dst[j].id]) {
                    l->multiple[v->dst[j].id] = (uint8_t)bits;
                    changed = true;
                }
        }
    }
}

/* Of registers that one addition of a constant writes: what it is beyond another register's multiple. */
static void find_residues(struct cw_lower *l)
{
    for (uint32_t i = 0; i < l->k->code.n; i++)
        for (uint32_t j = 0; j < l->k->code.a[i].u.dst_cnt; j++)
            if (l->k->code.a[i].dst[j].kind == CW_V_REG)
                l->writes[l->k->code.a[i].dst[j].id]++;
    for (uint32_t i = 0; i < l->k->code.n; i++) {
        const struct cw_vop *v = &l->k->code.a[i];
        uint64_t value;
        if (v->u.op != CW_OP_ADD || !is_whole(v) || v->u.dst_cnt != 1 || v->dst[0].kind != CW_V_REG || v->src[0].kind != CW_V_REG ||
            l->writes[v->dst[0].id] != 1 || !constant(l, &v->src[1], &value))
            continue;
        l->multiple[v->dst[0].id] = l->multiple[v->src[0].id];
        l->residue[v->dst[0].id] = (uint32_t)value + l->residue[v->src[0].id];
    }
    memset(l->writes, 0, l->k->vreg.n * sizeof *l->writes);
}

void cw_wide_prepare(struct cw_lower *l)
{
    find_multiples(l);
    find_residues(l);
}

/* ---- loads side by side ---- */

struct wide {
    struct cw_lower *l;
    struct cw_vop *op;
    uint32_t part[MOST_PARTS], cnt; /* In the stretch, in its order */
    uint32_t words;                 /* Bit per word of the 16 bytes */
};

static bool is_candidate(const struct cw_vop *v)
{
    const struct cw_uop *u = &v->u;
    const uint32_t bytes = cw_type_bytes((enum cw_type)u->type);
    if (u->op != CW_OP_LD || u->space != CW_SPACE_SHARED || (bytes != 4 && bytes != 8) || bytes * u->vec > 8 || u->parts != 0)
        return false;
    return (u->flags & (CW_UF_VOLATILE | CW_UF_ACQUIRE | CW_UF_SCOPED | CW_UF_HEAP)) == 0;
}

/* Where it is in 16 bytes, and how many of its address's bits that says: 0, nothing is known. */
static uint32_t place(const struct cw_lower *l, const struct cw_vop *v, uint32_t *bits)
{
    const struct cw_vopnd *o = &v->src[0];
    uint64_t value;
    if (constant(l, o, &value)) {
        *bits = MOST_BITS;
        return (uint32_t)value + (uint32_t)v->u.imm;
    }
    *bits = o->kind == CW_V_REG ? l->multiple[o->id] : 0;
    return (o->kind == CW_V_REG ? l->residue[o->id] : 0) + (uint32_t)v->u.imm;
}

static bool same_base(const struct cw_vop *a, const struct cw_vop *b)
{
    if (a->guard != b->guard || a->u.guard_neg != b->u.guard_neg || a->src[0].kind != b->src[0].kind)
        return false;
    return a->src[0].kind == CW_V_CONST || a->src[0].id == b->src[0].id;
}

static bool writes(const struct cw_vop *v, uint32_t reg)
{
    for (uint32_t j = 0; j < v->u.dst_cnt; j++)
        if (v->dst[j].kind == CW_V_REG && v->dst[j].id == reg)
            return true;
    return false;
}

static bool touches(const struct cw_vop *v, uint32_t reg)
{
    bool found = v->guard == reg || writes(v, reg);
    for (uint32_t j = 0; j < CW_UOP_SRCS; j++)
        found |= v->src[j].kind == CW_V_REG && v->src[j].id == reg;
    return found;
}

/* Whether no load comes up past it. */
static bool parts_loads(const struct cw_vop *v, const struct cw_vop *load)
{
    const struct cw_uop *u = &v->u;
    if (u->op == CW_OP_NOP || u->op == CW_OP_BAR || u->op == CW_OP_MEMBAR || u->op == CW_OP_ATOM)
        return true;
    if (u->op == CW_OP_LD && (u->flags & (CW_UF_VOLATILE | CW_UF_ACQUIRE | CW_UF_HEAP)) != 0)
        return true;
    if (u->op == CW_OP_ST &&
        (u->space == CW_SPACE_SHARED || u->space == CW_SPACE_GENERIC || (u->flags & (CW_UF_VOLATILE | CW_UF_RELEASE)) != 0))
        return true;
    return (load->guard != CW_IR_NONE && writes(v, load->guard)) || (load->src[0].kind == CW_V_REG && writes(v, load->src[0].id));
}

/* Whether the load at `at` may stand at the first one: nothing between the two has to do with what it writes. */
static bool comes_up(const struct cw_vop *op, uint32_t first, uint32_t at)
{
    for (uint32_t j = 0; j < op[at].u.dst_cnt; j++)
        for (uint32_t i = first; i < at && op[at].dst[j].kind == CW_V_REG; i++)
            if (touches(&op[i], op[at].dst[j].id))
                return false;
    return op[at].src[0].kind != CW_V_REG || !writes(&op[at], op[at].src[0].id);
}

static uint32_t words_at(const struct cw_vop *v, uint32_t from)
{
    const uint32_t cnt = cw_type_bytes((enum cw_type)v->u.type) * v->u.vec / 4;
    return ((1u << cnt) - 1u) << from % WIDE_BYTES / 4;
}

/* Those of the 16 bytes in which the first load is. */
static void collect(struct wide *w, uint32_t first, uint32_t cnt)
{
    const struct cw_vop *lead = &w->op[first];
    uint32_t bits;
    const uint32_t from = place(w->l, lead, &bits);
    w->cnt = 1;
    w->part[0] = first;
    w->words = words_at(lead, from);
    for (uint32_t i = first + 1; i < cnt && i < first + REACH && !parts_loads(&w->op[i], lead) && w->cnt < MOST_PARTS; i++) {
        if (!is_candidate(&w->op[i]) || !same_base(lead, &w->op[i]))
            continue;
        const uint32_t at = place(w->l, &w->op[i], &bits), words = words_at(&w->op[i], at);
        if (at / WIDE_BYTES != from / WIDE_BYTES || at % 4 != 0 || (words & w->words) != 0 || !comes_up(w->op, first, i))
            continue;
        w->part[w->cnt++] = i;
        w->words |= words;
    }
}

/* Leaves the parts that are in the first one's 8 bytes. */
static void keep_half(struct wide *w)
{
    uint32_t bits, cnt = 0;
    const uint32_t half = place(w->l, &w->op[w->part[0]], &bits) / 8;
    w->words = 0;
    for (uint32_t i = 0; i < w->cnt; i++) {
        const struct cw_vop *v = &w->op[w->part[i]];
        const uint32_t at = place(w->l, v, &bits);
        if (at / 8 != half)
            continue;
        w->words |= words_at(v, at);
        w->part[cnt++] = w->part[i];
    }
    w->cnt = cnt;
}

/* Puts the parts behind the first one. */
static void gather(const struct wide *w, uint8_t bytes)
{
    struct cw_vop *op = w->op;
    for (uint32_t i = 1; i < w->cnt; i++) {
        const uint32_t to = w->part[0] + i, at = w->part[i];
        const struct cw_vop v = op[at];
        memmove(&op[to + 1], &op[to], (at - to) * sizeof *op);
        op[to] = v;
    }
    op[w->part[0]].u.parts = (uint8_t)w->cnt;
    op[w->part[0]].u.wide = bytes;
}

void cw_wide_find(struct cw_lower *l, struct cw_vop *op, uint32_t cnt)
{
    struct wide w = {.l = l, .op = op};
    for (uint32_t i = 0; i < cnt; i++) {
        uint32_t bits;
        if (!is_candidate(&op[i]) || place(l, &op[i], &bits) % 4 != 0 || bits < 3 || !comes_up(op, i, i))
            continue;
        collect(&w, i, cnt);
        const bool whole = bits >= 4 && __builtin_popcount(w.words) >= 3;
        if (!whole)
            keep_half(&w);
        if (w.cnt < 2)
            continue;
        gather(&w, whole ? WIDE_BYTES : WIDE_BYTES / 2);
        i += w.cnt - 1;
    }
}
