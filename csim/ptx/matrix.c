/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mma.sync and ldmatrix.
 *
 * A multiplication of any shape becomes steps of 8 rows, 8 columns and 32 bits of depth (csim/exec/matrix.c): the fragments of PTX are made
 * of such registers, first those of 8 rows, then those of the next 8, and so on in depth. ldmatrix becomes loads: lane 8 i + r has the
 * address of row r of matrix i, which goes to the lanes that get a part of the row by shfl. So its time is that of these instructions.
 */
#include "ptx/insn.h"

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define FRAGMENTS 4u /* registers of a fragment, at the most */

static struct cw_vopnd temporary(struct cw_ptx *p, enum cw_ptype type)
{
    return cw_opnd_reg(cw_ptx_new_reg(p, type, true));
}

static struct cw_vopnd word(struct cw_ptx *p, uint64_t value)
{
    return cw_opnd_const(p, value, 4);
}

/* Registers of a fragment. One alone may be in braces, too. */
static void fragment(struct cw_ptx *p, enum cw_list list, enum cw_ptype type, uint32_t n, struct cw_vopnd *out)
{
    const bool braced = n == 1 && cw_ptx_is_punct(p, '{');
    if (braced)
        cw_ptx_expect(p, '{');
    cw_opnd_list(p, list, type, n, out);
    if (braced)
        cw_ptx_expect(p, '}');
}

/* ---- mma ---- */

/* A step's elements and their depth; sums in these types. */
static const struct kind {
    const char *name;
    enum cw_type type;
    uint32_t depth;
    const char *sum, *other; /* other: NULL, or also this one */
} kinds[] = {{"f16", CW_F16, 8, "f32", "f16"}, {"bf16", CW_BF16, 8, "f32", NULL}, {"tf32", CW_TF32, 4, "f32", NULL},
             {"s8", CW_S8, 16, "s32", NULL},   {"u8", CW_U8, 16, "s32", NULL},    {"f64", CW_F64, 4, "f64", NULL}};

/* Shapes by rows and depth; steps of depth 1 or 2. */
static const struct shape {
    const char *name;
    uint32_t rows, depth; /* rows: times 8 */
} shapes[] = {{"m16n8k4", 2, 4}, {"m16n8k8", 2, 8}, {"m16n8k16", 2, 16}, {"m16n8k32", 2, 32}, {"m8n8k4", 1, 4}, {"m8n8k16", 1, 16}};

struct mma {
    const struct kind *a, *b;
    const struct shape *shape;
    enum cw_type sum; /* CW_F32, CW_F16X2, CW_S32, CW_F64 */
    bool saturates;
    uint32_t steps, per_row; /* steps of depth; registers of a step's sums */
    struct cw_vopnd d[FRAGMENTS], av[FRAGMENTS], bv[FRAGMENTS], c[FRAGMENTS];
};

static const struct kind *take_kind(struct cw_insn *in)
{
    for (uint32_t i = 0; i < COUNT(kinds); i++)
        if (cw_insn_accept(in, kinds[i].name))
            return &kinds[i];
    return NULL;
}

static const struct shape *take_shape(struct cw_insn *in)
{
    for (uint32_t i = 0; i < COUNT(shapes); i++)
        if (cw_insn_accept(in, shapes[i].name))
            return &shapes[i];
    return NULL;
}

/* The word of a sum, twice. */
static bool take_sum(struct cw_insn *in, const char **name)
{
    static const char *const names[] = {"f32", "f16", "s32", "f64"};
    *name = NULL;
    for (uint32_t i = 0; i < COUNT(names) && *name == NULL; i++)
        if (cw_insn_accept(in, names[i]))
            *name = names[i];
    return *name != NULL;
}

static enum cw_type sum_type(const char *name)
{
    return name[0] == 's' ? CW_S32 : name[1] == '3' ? CW_F32 : name[1] == '6' ? CW_F64 : CW_F16X2;
}

/* Those shapes that PTX has: one step of depth, or two; of 8 rows only bytes and f64, of one step. */
static bool exists(const struct mma *m)
{
    const bool bytes = m->a->depth == 16;
    const bool one_kind = m->a == m->b || (bytes && m->b->depth == 16);
    const bool steps = m->steps * m->a->depth == m->shape->depth && (m->steps == 1 || (m->steps == 2 && m->a->type != CW_F64));
    return one_kind && steps && (m->shape->rows == 2 ? m->a->type != CW_F64 : bytes || m->a->type == CW_F64);
}

/* .sync.aligned.SHAPE.row.col[.satfinite].D.A.B.C */
static bool mma_form(struct cw_insn *in, struct mma *m)
{
    const char *d, *c;
    if (!cw_insn_accept(in, "sync") || !cw_insn_accept(in, "aligned") || (m->shape = take_shape(in)) == NULL ||
        !cw_insn_accept(in, "row") || !cw_insn_accept(in, "col"))
        return false;
    m->saturates = cw_insn_accept(in, "satfinite");
    if (!take_sum(in, &d) || (m->a = take_kind(in)) == NULL || (m->b = take_kind(in)) == NULL || !take_sum(in, &c) || d != c)
        return false;
    m->steps = m->shape->depth / m->a->depth;
    m->sum = sum_type(d);
    m->per_row = m->sum == CW_F16X2 ? 1 : 2;
    const bool sums = sum_type(m->a->sum) == m->sum || (m->a->other != NULL && sum_type(m->a->other) == m->sum);
    return in->next == in->part_cnt && sums && exists(m) && (!m->saturates || m->sum == CW_S32);
}

static void mma_operands(struct cw_ptx *p, struct mma *m)
{
    const enum cw_ptype sum = m->sum == CW_F64 ? CW_PT_F64 : m->sum == CW_F32 ? CW_PT_F32 : m->sum == CW_S32 ? CW_PT_S32 : CW_PT_B32;
    const enum cw_ptype factor = m->a->type == CW_F64 ? CW_PT_F64 : CW_PT_B32;
    const uint32_t rows = m->shape->rows;
    fragment(p, CW_LIST_DST, sum, rows * m->per_row, m->d);
    cw_ptx_expect(p, ',');
    fragment(p, CW_LIST_SRC, factor, rows * m->steps, m->av);
    cw_ptx_expect(p, ',');
    fragment(p, CW_LIST_SRC, factor, m->steps, m->bv);
    cw_ptx_expect(p, ',');
    fragment(p, CW_LIST_SRC, sum, rows * m->per_row, m->c);
}

static bool among(struct cw_vopnd o, const struct cw_vopnd *list, uint32_t cnt)
{
    for (uint32_t i = 0; i < cnt; i++)
        if (o.kind == CW_V_REG && list[i].kind == CW_V_REG && list[i].id == o.id)
            return true;
    return false;
}

/* Whether a result of the first rows is needed by a later step. */
static bool overlaps(const struct mma *m)
{
    const uint32_t rows = m->shape->rows, cnt = rows * m->per_row;
    bool any = false;
    for (uint32_t i = 0; i < cnt; i++) {
        const uint32_t own = i / m->per_row * m->per_row;
        any |= among(m->d[i], m->av, rows * m->steps) || among(m->d[i], m->bv, m->steps) || among(m->d[i], m->c, own) ||
               among(m->d[i], m->c + own + m->per_row, cnt - own - m->per_row);
    }
    return any;
}

/* A step of 8 rows. */
static void emit_step(struct cw_ptx *p, const struct mma *m, uint32_t row, uint32_t step, const struct cw_vopnd *c,
                      const struct cw_vopnd *d)
{
    struct cw_insn in = {.v = {.u = {.op = CW_OP_MMA, .flags = m->saturates ? CW_UF_SAT : 0, .type = (uint8_t)m->sum}}};
    in.v.u.stype = (uint8_t)m->a->type;
    in.v.u.cmp = (uint8_t)m->b->type;
    for (uint32_t i = 0; i < m->per_row; i++)
        cw_insn_dst(&in, d[i]);
    cw_insn_src(&in, m->av[step * m->shape->rows + row]);
    cw_insn_src(&in, m->bv[step]);
    for (uint32_t i = 0; i < m->per_row; i++)
        cw_insn_src(&in, c[i]);
    cw_insn_emit(p, &in);
}

static void emit_mma(struct cw_ptx *p, const struct mma *m)
{
    const enum cw_ptype type = m->sum == CW_F64 ? CW_PT_B64 : CW_PT_B32;
    const bool apart = overlaps(m);
    const uint32_t cnt = m->shape->rows * m->per_row;
    struct cw_vopnd sum[FRAGMENTS];
    for (uint32_t i = 0; i < cnt; i++)
        sum[i] = apart || m->d[i].kind != CW_V_REG ? temporary(p, type) : m->d[i];
    for (uint32_t row = 0; row < m->shape->rows; row++) {
        const struct cw_vopnd *c = &m->c[row * m->per_row];
        struct cw_vopnd between[2] = {{0}};
        for (uint32_t step = 0; step < m->steps; step++) {
            const bool last = step + 1 == m->steps;
            for (uint32_t i = 0; i < m->per_row && !last; i++)
                between[i] = temporary(p, type);
            emit_step(p, m, row, step, step == 0 ? c : between, last ? &sum[row * m->per_row] : between);
        }
    }
    for (uint32_t i = 0; i < cnt && apart; i++) {
        struct cw_insn in = {.v = {.u = {.op = CW_OP_MOV, .type = type == CW_PT_B64 ? CW_U64 : CW_U32, .stype = CW_TYPE_NONE}}};
        cw_insn_dst(&in, m->d[i]);
        cw_insn_src(&in, sum[i]);
        cw_insn_emit(p, &in);
    }
}

static void mma(struct cw_ptx *p, struct cw_insn *in)
{
    struct mma m = {0};
    if (!mma_form(in, &m)) {
        cw_insn_refuse(p, in);
        return;
    }
    mma_operands(p, &m);
    if (p->ir.status == CW_OK)
        emit_mma(p, &m);
}

/* ---- ldmatrix ---- */

/* A new register with a op b, of 32 bits. */
static struct cw_vopnd computed(struct cw_ptx *p, enum cw_op op, struct cw_vopnd a, struct cw_vopnd b)
{
    struct cw_insn in = {.v = {.u = {.op = (uint16_t)op, .type = CW_U32, .stype = CW_TYPE_NONE}}};
    const struct cw_vopnd d = temporary(p, CW_PT_B32);
    cw_insn_dst(&in, d);
    cw_insn_src(&in, a);
    cw_insn_src(&in, b);
    cw_insn_emit(p, &in);
    return d;
}

static struct cw_vopnd lane_number(struct cw_ptx *p)
{
    struct cw_insn in = {.v = {.u = {.op = CW_OP_MOV, .type = CW_U32, .stype = CW_TYPE_NONE}}};
    const struct cw_vopnd d = temporary(p, CW_PT_B32);
    cw_insn_dst(&in, d);
    cw_insn_src(&in, (struct cw_vopnd){.kind = CW_V_SREG, .id = CW_SREG_LANEID});
    cw_insn_emit(p, &in);
    return d;
}

/* What lane `from` has in a. */
static struct cw_vopnd of_lane(struct cw_ptx *p, struct cw_vopnd a, struct cw_vopnd from)
{
    struct cw_insn in = {.v = {.u = {.op = CW_OP_SHFL, .cmp = CW_SHFL_IDX, .type = CW_U32, .stype = CW_TYPE_NONE}}};
    const struct cw_vopnd d = temporary(p, CW_PT_B32);
    cw_insn_dst(&in, d);
    cw_insn_src(&in, a);
    cw_insn_src(&in, from);
    cw_insn_src(&in, word(p, 31));
    cw_insn_src(&in, word(p, UINT32_MAX));
    cw_insn_emit(p, &in);
    return d;
}

static void load(struct cw_ptx *p, struct cw_vopnd d, struct cw_vopnd address, int64_t offset, enum cw_type type)
{
    struct cw_insn in = {.v = {.u = {.op = CW_OP_LD, .type = (uint8_t)type, .stype = CW_U32, .vec = 1, .space = CW_SPACE_SHARED}}};
    in.v.u.imm = offset;
    cw_insn_dst(&in, d);
    cw_insn_src(&in, address);
    cw_insn_emit(p, &in);
}

/* Bytes `bytes` (2 or 4) of the row whose address lane `row` has, from byte `at` on. */
static struct cw_vopnd row_part(struct cw_ptx *p, struct cw_vopnd address, struct cw_vopnd row, struct cw_vopnd at, int64_t offset,
                                enum cw_type type)
{
    const struct cw_vopnd d = temporary(p, CW_PT_B32);
    load(p, d, computed(p, CW_OP_ADD, of_lane(p, address, row), at), offset, type);
    return d;
}

/* Lane 4 r + t gets elements 2 t and 2 t + 1 of row r, or of column r. */
static struct cw_vopnd matrix(struct cw_ptx *p, struct cw_vopnd address, uint32_t number, bool columns, int64_t offset)
{
    const struct cw_vopnd lane = lane_number(p), first = word(p, 8 * number);
    const struct cw_vopnd r = computed(p, CW_OP_SHR, lane, word(p, 2)), t = computed(p, CW_OP_AND, lane, word(p, 3));
    if (!columns)
        return row_part(p, address, computed(p, CW_OP_ADD, r, first), computed(p, CW_OP_SHL, t, word(p, 2)), offset, CW_U32);
    const struct cw_vopnd row = computed(p, CW_OP_ADD, computed(p, CW_OP_SHL, t, word(p, 1)), first);
    const struct cw_vopnd at = computed(p, CW_OP_SHL, r, word(p, 1));
    const struct cw_vopnd low = row_part(p, address, row, at, offset, CW_U16);
    const struct cw_vopnd high = row_part(p, address, computed(p, CW_OP_ADD, row, word(p, 1)), at, offset, CW_U16);
    return computed(p, CW_OP_OR, low, computed(p, CW_OP_SHL, high, word(p, 16)));
}

static void load_matrices(struct cw_ptx *p, const struct cw_insn *in, uint32_t cnt, bool columns)
{
    struct cw_vopnd d[FRAGMENTS], got[FRAGMENTS], address;
    uint8_t space = CW_SPACE_SHARED;
    fragment(p, CW_LIST_DST, CW_PT_B32, cnt, d);
    cw_ptx_expect(p, ',');
    const struct cw_address a = cw_insn_address(p, &space);
    if (p->ir.status == CW_OK && a.base.kind != CW_V_REG)
        cw_ptx_fail_tok(p, CW_EUNSUP, &in->word, "ldmatrix takes its addresses from a register");
    if (p->ir.status != CW_OK)
        return;
    address = a.base;
    if (cw_opnd_bytes(p, a.base) == 8) {
        address = temporary(p, CW_PT_B32);
        cw_insn_convert(p, address, CW_U32, a.base, CW_U64);
    }
    for (uint32_t i = 0; i < cnt; i++)
        got[i] = matrix(p, address, i, columns, a.offset);
    for (uint32_t i = 0; i < cnt; i++) {
        struct cw_insn move = {.v = {.u = {.op = CW_OP_MOV, .type = CW_U32, .stype = CW_TYPE_NONE}}};
        cw_insn_dst(&move, d[i]);
        cw_insn_src(&move, got[i]);
        cw_insn_emit(p, &move);
    }
}

/* .sync.aligned.m8n8.x1|.x2|.x4[.trans].shared[::cta].b16 */
static void ldmatrix(struct cw_ptx *p, struct cw_insn *in)
{
    uint32_t cnt = 0;
    const bool begins = cw_insn_accept(in, "sync") && cw_insn_accept(in, "aligned") && cw_insn_accept(in, "m8n8");
    if (begins)
        cnt = cw_insn_accept(in, "x1") ? 1 : cw_insn_accept(in, "x2") ? 2 : cw_insn_accept(in, "x4") ? 4 : 0;
    const bool columns = cnt != 0 && cw_insn_accept(in, "trans");
    const bool shared = cnt != 0 && (cw_insn_accept(in, "shared") || cw_insn_accept(in, "shared::cta"));
    if (!shared || !cw_insn_accept(in, "b16") || in->next != in->part_cnt)
        cw_insn_refuse(p, in);
    else
        load_matrices(p, in, cnt, columns);
}

bool cw_insn_matrix(struct cw_ptx *p, struct cw_insn *in)
{
    if (cw_part_is(&in->part[0], "mma"))
        mma(p, in);
    else if (cw_part_is(&in->part[0], "ldmatrix"))
        ldmatrix(p, in);
    else
        return false;
    return true;
}
