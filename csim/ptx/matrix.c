/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mma.sync, ldmatrix, stmatrix and movmatrix.
 *
 * A multiplication of any shape becomes steps of 8 rows, 8 columns and 32 bits of depth (csim/exec/matrix.c): the fragments of PTX are made
 * of such registers, first those of 8 rows, then those of the next 8, and so on in depth. ldmatrix becomes loads: lane 8 i + r has the
 * address of row r of matrix i, which goes to the lanes that get a part of the row by shfl. So its time is that of these instructions.
 * stmatrix is the reverse, and movmatrix two shfl.
 */
#include "ptx/fragment.h"

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define FRAGMENTS 4u /* registers of a fragment, at the most */

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
    cw_frag_list(p, CW_LIST_DST, sum, rows * m->per_row, m->d);
    cw_ptx_expect(p, ',');
    cw_frag_list(p, CW_LIST_SRC, factor, rows * m->steps, m->av);
    cw_ptx_expect(p, ',');
    cw_frag_list(p, CW_LIST_SRC, factor, m->steps, m->bv);
    cw_ptx_expect(p, ',');
    cw_frag_list(p, CW_LIST_SRC, sum, rows * m->per_row, m->c);
}

/* Whether a result of the first rows is needed by a later step. */
static bool overlaps(const struct mma *m)
{
    const uint32_t rows = m->shape->rows, cnt = rows * m->per_row;
    bool any = false;
    for (uint32_t i = 0; i < cnt; i++) {
        const uint32_t own = i / m->per_row * m->per_row;
        any |= cw_frag_among(m->d[i], m->av, rows * m->steps) || cw_frag_among(m->d[i], m->bv, m->steps) ||
               cw_frag_among(m->d[i], m->c, own) || cw_frag_among(m->d[i], m->c + own + m->per_row, cnt - own - m->per_row);
    }
    return any;
}

/* A step of 8 rows. */
static void emit_step(struct cw_ptx *p, const struct mma *m, uint32_t row, uint32_t step, const struct cw_vopnd *c,
                      const struct cw_vopnd *d)
{
    const struct cw_frag_kind k = {m->a->type, m->b->type, m->sum, m->saturates};
    cw_frag_step(p, &k, m->av[step * m->shape->rows + row], m->bv[step], c, d);
}

static void emit_mma(struct cw_ptx *p, const struct mma *m)
{
    const enum cw_ptype type = m->sum == CW_F64 ? CW_PT_B64 : CW_PT_B32;
    const bool apart = overlaps(m);
    const uint32_t cnt = m->shape->rows * m->per_row;
    struct cw_vopnd sum[FRAGMENTS];
    for (uint32_t i = 0; i < cnt; i++)
        sum[i] = apart || m->d[i].kind != CW_V_REG ? cw_frag_temporary(p, type) : m->d[i];
    for (uint32_t row = 0; row < m->shape->rows; row++) {
        const struct cw_vopnd *c = &m->c[row * m->per_row];
        struct cw_vopnd between[2] = {{0}};
        for (uint32_t step = 0; step < m->steps; step++) {
            const bool last = step + 1 == m->steps;
            for (uint32_t i = 0; i < m->per_row && !last; i++)
                between[i] = cw_frag_temporary(p, type);
            emit_step(p, m, row, step, step == 0 ? c : between, last ? &sum[row * m->per_row] : between);
        }
    }
    for (uint32_t i = 0; i < cnt && apart; i++)
        cw_frag_move(p, m->d[i], sum[i], type == CW_PT_B64 ? 8 : 4);
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

/* Bytes `bytes` (2 or 4) of the row whose address lane `row` has, from byte `at` on. */
static struct cw_vopnd row_part(struct cw_ptx *p, struct cw_vopnd address, struct cw_vopnd row, struct cw_vopnd at, int64_t offset,
                                enum cw_type type)
{
    const struct cw_vopnd d = cw_frag_temporary(p, CW_PT_B32);
    cw_frag_load(p, d, CW_SPACE_SHARED, cw_frag_computed(p, CW_OP_ADD, cw_frag_of_lane(p, address, row), at), offset, type);
    return d;
}

/* Lane 4 r + t gets elements 2 t and 2 t + 1 of row r, or of column r. */
static struct cw_vopnd matrix(struct cw_ptx *p, struct cw_vopnd address, uint32_t number, bool columns, int64_t offset)
{
    const struct cw_vopnd lane = cw_frag_lane(p), first = cw_frag_word(p, 8 * number);
    const struct cw_vopnd r = cw_frag_computed(p, CW_OP_SHR, lane, cw_frag_word(p, 2)),
                          t = cw_frag_computed(p, CW_OP_AND, lane, cw_frag_word(p, 3));
    if (!columns)
        return row_part(p, address, cw_frag_computed(p, CW_OP_ADD, r, first), cw_frag_computed(p, CW_OP_SHL, t, cw_frag_word(p, 2)), offset,
                        CW_U32);
    const struct cw_vopnd row = cw_frag_computed(p, CW_OP_ADD, cw_frag_computed(p, CW_OP_SHL, t, cw_frag_word(p, 1)), first);
    const struct cw_vopnd at = cw_frag_computed(p, CW_OP_SHL, r, cw_frag_word(p, 1));
    const struct cw_vopnd low = row_part(p, address, row, at, offset, CW_U16);
    const struct cw_vopnd high = row_part(p, address, cw_frag_computed(p, CW_OP_ADD, row, cw_frag_word(p, 1)), at, offset, CW_U16);
    return cw_frag_computed(p, CW_OP_OR, low, cw_frag_computed(p, CW_OP_SHL, high, cw_frag_word(p, 16)));
}

/* The addresses of rows, in 32 bits. */
static bool row_addresses(struct cw_ptx *p, const struct cw_insn *in, struct cw_vopnd *address, int64_t *offset)
{
    uint8_t space = CW_SPACE_SHARED;
    const struct cw_address a = cw_insn_address(p, &space);
    if (p->ir.status == CW_OK && a.base.kind != CW_V_REG)
        cw_ptx_fail_tok(p, CW_EUNSUP, &in->word, "%.*s takes its addresses from a register", (int)in->part[0].len, in->part[0].s);
    if (p->ir.status != CW_OK)
        return false;
    *offset = a.offset;
    *address = a.base;
    if (cw_opnd_bytes(p, a.base) == 8) {
        *address = cw_frag_temporary(p, CW_PT_B32);
        cw_insn_convert(p, *address, CW_U32, a.base, CW_U64);
    }
    return true;
}

static void load_matrices(struct cw_ptx *p, const struct cw_insn *in, uint32_t cnt, bool columns)
{
    struct cw_vopnd d[FRAGMENTS], got[FRAGMENTS], address;
    int64_t offset;
    cw_frag_list(p, CW_LIST_DST, CW_PT_B32, cnt, d);
    cw_ptx_expect(p, ',');
    if (!row_addresses(p, in, &address, &offset))
        return;
    for (uint32_t i = 0; i < cnt; i++)
        got[i] = matrix(p, address, i, columns, offset);
    for (uint32_t i = 0; i < cnt; i++)
        cw_frag_move(p, d[i], got[i], 4);
}

/* .sync.aligned.m8n8.x1|.x2|.x4[.trans].shared[::cta].b16; 0: another form. */
static uint32_t take_matrices(struct cw_ptx *p, struct cw_insn *in, bool *columns)
{
    uint32_t cnt = 0;
    const bool begins = cw_insn_accept(in, "sync") && cw_insn_accept(in, "aligned") && cw_insn_accept(in, "m8n8");
    if (begins)
        cnt = cw_insn_accept(in, "x1") ? 1 : cw_insn_accept(in, "x2") ? 2 : cw_insn_accept(in, "x4") ? 4 : 0;
    *columns = cnt != 0 && cw_insn_accept(in, "trans");
    const bool shared = cnt != 0 && (cw_insn_accept(in, "shared") || cw_insn_accept(in, "shared::cta"));
    if (shared && cw_insn_accept(in, "b16") && in->next == in->part_cnt)
        return cnt;
    cw_insn_refuse(p, in);
    return 0;
}

static void ldmatrix(struct cw_ptx *p, struct cw_insn *in)
{
    bool columns;
    const uint32_t cnt = take_matrices(p, in, &columns);
    if (cnt != 0)
        load_matrices(p, in, cnt, columns);
}

/* ---- stmatrix, movmatrix ---- */

/* A part of the row whose address lane `row` has, from byte `at` on. */
static void store_part(struct cw_ptx *p, struct cw_vopnd value, struct cw_vopnd address, struct cw_vopnd row, struct cw_vopnd at,
                       int64_t offset, enum cw_type type)
{
    cw_frag_store(p, value, CW_SPACE_SHARED, cw_frag_computed(p, CW_OP_ADD, cw_frag_of_lane(p, address, row), at), offset, type);
}

/* Lane 4 r + t has elements 2 t and 2 t + 1 of row r, or of column r. */
static void store_matrix(struct cw_ptx *p, struct cw_vopnd value, struct cw_vopnd address, uint32_t number, bool columns, int64_t offset)
{
    const struct cw_vopnd lane = cw_frag_lane(p), first = cw_frag_word(p, 8 * number);
    const struct cw_vopnd r = cw_frag_computed(p, CW_OP_SHR, lane, cw_frag_word(p, 2));
    const struct cw_vopnd t = cw_frag_computed(p, CW_OP_AND, lane, cw_frag_word(p, 3));
    if (!columns) {
        store_part(p, value, address, cw_frag_computed(p, CW_OP_ADD, r, first), cw_frag_computed(p, CW_OP_SHL, t, cw_frag_word(p, 2)),
                   offset, CW_U32);
        return;
    }
    const struct cw_vopnd row = cw_frag_computed(p, CW_OP_ADD, cw_frag_computed(p, CW_OP_SHL, t, cw_frag_word(p, 1)), first);
    const struct cw_vopnd at = cw_frag_computed(p, CW_OP_SHL, r, cw_frag_word(p, 1));
    store_part(p, value, address, row, at, offset, CW_U16);
    store_part(p, cw_frag_computed(p, CW_OP_SHR, value, cw_frag_word(p, 16)), address,
               cw_frag_computed(p, CW_OP_ADD, row, cw_frag_word(p, 1)), at, offset, CW_U16);
}

static void stmatrix(struct cw_ptx *p, struct cw_insn *in)
{
    struct cw_vopnd value[FRAGMENTS], address;
    int64_t offset;
    bool columns;
    const uint32_t cnt = take_matrices(p, in, &columns);
    if (cnt == 0 || !row_addresses(p, in, &address, &offset))
        return;
    cw_ptx_expect(p, ',');
    cw_frag_list(p, CW_LIST_SRC, CW_PT_B32, cnt, value);
    for (uint32_t i = 0; i < cnt && p->ir.status == CW_OK; i++)
        store_matrix(p, value[i], address, i, columns, offset);
}

/* Element (row, r) of the matrix in a, where lane 4 r + t gets rows 2 t and 2 t + 1 of column r: lane 4 row + r / 2 has it, as half r % 2. */
static struct cw_vopnd element_of(struct cw_ptx *p, struct cw_vopnd a, struct cw_vopnd row, struct cw_vopnd r)
{
    const struct cw_vopnd from = cw_frag_computed(p, CW_OP_ADD, cw_frag_computed(p, CW_OP_SHL, row, cw_frag_word(p, 2)),
                                                  cw_frag_computed(p, CW_OP_SHR, r, cw_frag_word(p, 1)));
    const struct cw_vopnd half = cw_frag_computed(p, CW_OP_AND, r, cw_frag_word(p, 1));
    const struct cw_vopnd pair = cw_frag_of_lane(p, a, from);
    return cw_frag_computed(p, CW_OP_AND, cw_frag_computed(p, CW_OP_SHR, pair, cw_frag_computed(p, CW_OP_SHL, half, cw_frag_word(p, 4))),
                            cw_frag_word(p, 0xffff));
}

/* .sync.aligned.m8n8.trans.b16 */
static void movmatrix(struct cw_ptx *p, struct cw_insn *in)
{
    if (!cw_insn_accept(in, "sync") || !cw_insn_accept(in, "aligned") || !cw_insn_accept(in, "m8n8") || !cw_insn_accept(in, "trans") ||
        !cw_insn_accept(in, "b16") || in->next != in->part_cnt) {
        cw_insn_refuse(p, in);
        return;
    }
    const struct cw_vopnd d = cw_opnd_dst(p, CW_PT_B32);
    cw_ptx_expect(p, ',');
    const struct cw_vopnd a = cw_opnd_src(p, CW_PT_B32);
    if (p->ir.status != CW_OK)
        return;
    const struct cw_vopnd lane = cw_frag_lane(p), r = cw_frag_computed(p, CW_OP_SHR, lane, cw_frag_word(p, 2));
    const struct cw_vopnd row =
        cw_frag_computed(p, CW_OP_SHL, cw_frag_computed(p, CW_OP_AND, lane, cw_frag_word(p, 3)), cw_frag_word(p, 1));
    const struct cw_vopnd low = element_of(p, a, row, r);
    const struct cw_vopnd high = element_of(p, a, cw_frag_computed(p, CW_OP_ADD, row, cw_frag_word(p, 1)), r);
    cw_frag_move(p, d, cw_frag_computed(p, CW_OP_OR, low, cw_frag_computed(p, CW_OP_SHL, high, cw_frag_word(p, 16))), 4);
}

bool cw_insn_matrix(struct cw_ptx *p, struct cw_insn *in)
{
    if (cw_part_is(&in->part[0], "mma"))
        mma(p, in);
    else if (cw_part_is(&in->part[0], "ldmatrix"))
        ldmatrix(p, in);
    else if (cw_part_is(&in->part[0], "stmatrix"))
        stmatrix(p, in);
    else if (cw_part_is(&in->part[0], "movmatrix"))
        movmatrix(p, in);
    else
        return false;
    return true;
}
