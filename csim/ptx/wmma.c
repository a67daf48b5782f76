/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wmma: matrices that a warp loads, multiplies and stores. PTX leaves open which lane has which element; here each 8 rows or columns are as
 * mma has them, so that wmma.mma is made of the same steps (csim/exec/matrix.c). A and C begin with 8 rows, B with 8 columns: these are the
 * outer index. The inner one is the depth, or the column of C.
 *
 * Lane 4 g + t has the outer index o + g, and the inner ones i + n t to i + n t + n - 1, of the o and i that each register has its own of. Of
 * f16, PTX gives a fragment eight registers in every shape; those that are too many are copies.
 */
#include <string.h>

#include "ptx/fragment.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct shape {
    const char *name;
    uint32_t rows, columns, depth;
} shapes[] = {{"m16n16k16", 16, 16, 16}, {"m32n8k16", 32, 8, 16}, {"m8n32k16", 8, 32, 16}, {"m16n16k8", 16, 16, 8}, {"m8n8k4", 8, 8, 4}};

/* Elements of A and B; each: of a lane in one step. */
static const struct kind {
    const char *name;
    enum cw_type type;
    uint32_t bytes, each;
    uint32_t depth; /* of the shapes that have it */
} kinds[] = {{"f16", CW_F16, 2, 2, 16}, {"bf16", CW_BF16, 2, 2, 16}, {"tf32", CW_TF32, 4, 1, 8},
             {"s8", CW_S8, 1, 4, 16},   {"u8", CW_U8, 1, 4, 16},     {"f64", CW_F64, 8, 1, 4}};

/* Elements of C and D. */
static const struct sum {
    const char *name;
    enum cw_type type;
    uint32_t bytes;
} sums[] = {{"f32", CW_F32, 4}, {"f16", CW_F16X2, 2}, {"s32", CW_S32, 4}, {"f64", CW_F64, 8}};

static const struct shape *take_shape(struct cw_insn *in)
{
    for (uint32_t i = 0; i < COUNT(shapes); i++)
        if (cw_insn_accept(in, shapes[i].name))
            return &shapes[i];
    return NULL;
}

static const struct kind *take_kind(struct cw_insn *in)
{
    for (uint32_t i = 0; i < COUNT(kinds); i++)
        if (cw_insn_accept(in, kinds[i].name))
            return &kinds[i];
    return NULL;
}

static const struct sum *take_sum(struct cw_insn *in)
{
    for (uint32_t i = 0; i < COUNT(sums); i++)
        if (cw_insn_accept(in, sums[i].name))
            return &sums[i];
    return NULL;
}

/* Sums of a kind of elements. */
static bool go_together(const struct kind *k, const struct sum *s)
{
    if (k->type == CW_F64)
        return s->type == CW_F64;
    if (k->each == 4)
        return s->type == CW_S32;
    return s->type == CW_F32 || (s->type == CW_F16X2 && k->type == CW_F16);
}

/* Whether a shape has such sums. */
static bool has_sums(const struct shape *s, const struct sum *sum)
{
    return sum->type == CW_F64 ? s->depth == 4 : sum->type == CW_F32 ? s->depth >= 8 : s->depth == 16;
}

static bool take_layout(struct cw_insn *in, bool *columns)
{
    *columns = cw_insn_accept(in, "col");
    return *columns || cw_insn_accept(in, "row");
}

/* ---- fragments ---- */

/* A matrix as its fragment and memory have it. */
struct fragment {
    uint32_t outer, inner; /* extents */
    uint32_t bytes, each;  /* of an element; elements of a lane in one register, or, of sums of 4 and 8 bytes, in two */
    bool inner_adjoins;    /* elements of one outer index lie side by side in memory */
    uint32_t used, cnt;    /* registers that differ; registers */
};

static uint32_t per_register(const struct fragment *f)
{
    return f->bytes >= 4 ? 1 : f->each;
}

/* The indices that register r of lane 0 begins with. Those of one outer index follow each other. */
static void indices(const struct fragment *f, uint32_t r, uint32_t *o, uint32_t *i)
{
    const uint32_t apart = f->each / per_register(f), row = f->inner / (4 * f->each) * apart; /* registers of 8 outer indices */
    *o = r / row * 8;
    *i = r % row / apart * (4 * f->each) + r % apart;
}

static struct fragment fragment_of(uint32_t outer, uint32_t inner, uint32_t bytes, uint32_t each, bool inner_adjoins)
{
    struct fragment f = {.outer = outer, .inner = inner, .bytes = bytes, .each = each, .inner_adjoins = inner_adjoins};
    f.used = f.cnt = outer / 8 * (inner / (4 * each)) * (each / per_register(&f));
    return f;
}

static struct fragment fragment_a(const struct shape *s, const struct kind *k, bool columns)
{
    struct fragment f = fragment_of(s->rows, s->depth, k->bytes, k->each, !columns);
    f.cnt = k->type == CW_F16 ? 8 : f.used;
    return f;
}

static struct fragment fragment_b(const struct shape *s, const struct kind *k, bool columns)
{
    struct fragment f = fragment_of(s->columns, s->depth, k->bytes, k->each, columns);
    f.cnt = k->type == CW_F16 ? 8 : f.used;
    return f;
}

static struct fragment fragment_c(const struct shape *s, const struct sum *k, bool columns)
{
    return fragment_of(s->rows, s->columns, k->bytes, 2, !columns);
}

/* ---- memory ---- */

struct place {
    uint8_t space;
    struct cw_vopnd lane;   /* address of the lane's element with o = i = 0, without the offset */
    struct cw_vopnd stride; /* bytes between elements that do not adjoin, in 32 bits */
    int64_t offset;
};

static struct cw_vopnd wide_sum(struct cw_ptx *p, struct cw_vopnd base, struct cw_vopnd bytes)
{
    struct cw_insn in = {.v = {.u = {.op = CW_OP_ADD, .type = CW_U64, .stype = CW_TYPE_NONE}}};
    const struct cw_vopnd wide = cw_frag_temporary(p, CW_PT_B64), d = cw_frag_temporary(p, CW_PT_B64);
    cw_insn_convert(p, wide, CW_U64, bytes, CW_U32);
    cw_insn_dst(&in, d);
    cw_insn_src(&in, base);
    cw_insn_src(&in, wide);
    cw_insn_emit(p, &in);
    return d;
}

/* The address in a 64-bit register. */
static struct cw_vopnd base_of(struct cw_ptx *p, const struct cw_address *a)
{
    const struct cw_vopnd d = cw_frag_temporary(p, CW_PT_B64);
    if (cw_opnd_bytes(p, a->base) == 8)
        return a->base;
    if (a->base.kind == CW_V_REG)
        cw_insn_convert(p, d, CW_U64, a->base, CW_U32);
    else
        cw_frag_move(p, d, a->base, 8);
    return d;
}

/* {, stride}: in elements; as many as lie side by side if it is not there. */
static struct cw_vopnd take_stride(struct cw_ptx *p, const struct fragment *f)
{
    if (!cw_ptx_accept(p, ','))
        return cw_frag_word(p, f->inner_adjoins ? f->inner : f->outer);
    return cw_opnd_src(p, CW_PT_B32);
}

static struct place find_place(struct cw_ptx *p, const struct fragment *f, const struct cw_address *a, uint8_t space,
                               struct cw_vopnd stride)
{
    struct place at = {.space = space, .offset = a->offset};
    const struct cw_vopnd lane = cw_frag_lane(p), bytes = cw_frag_word(p, f->bytes);
    const struct cw_vopnd g = cw_frag_computed(p, CW_OP_SHR, lane, cw_frag_word(p, 2));
    const struct cw_vopnd t = cw_frag_computed(p, CW_OP_AND, lane, cw_frag_word(p, 3));
    const struct cw_vopnd first = cw_frag_computed(p, CW_OP_MUL, t, cw_frag_word(p, f->each));
    at.stride = cw_frag_computed(p, CW_OP_MUL, stride, bytes);
    const struct cw_vopnd far = cw_frag_computed(p, CW_OP_MUL, f->inner_adjoins ? g : first, at.stride);
    const struct cw_vopnd near = cw_frag_computed(p, CW_OP_MUL, f->inner_adjoins ? first : g, bytes);
    at.lane = wide_sum(p, base_of(p, a), cw_frag_computed(p, CW_OP_ADD, far, near));
    return at;
}

/* Address and offset of an element of the lane. */
static struct cw_vopnd element(struct cw_ptx *p, const struct fragment *f, const struct place *at, uint32_t o, uint32_t i, int64_t *offset)
{
    const uint32_t far = f->inner_adjoins ? o : i, near = f->inner_adjoins ? i : o;
    *offset = at->offset + (int64_t)near * f->bytes;
    return far == 0 ? at->lane : wide_sum(p, at->lane, cw_frag_computed(p, CW_OP_MUL, at->stride, cw_frag_word(p, far)));
}

static enum cw_type bits(uint32_t bytes)
{
    return bytes == 1 ? CW_U8 : bytes == 2 ? CW_U16 : bytes == 4 ? CW_U32 : CW_U64;
}

static void load_register(struct cw_ptx *p, const struct fragment *f, const struct place *at, uint32_t r, struct cw_vopnd d)
{
    const uint32_t n = per_register(f);
    uint32_t o, i;
    int64_t offset;
    indices(f, r, &o, &i);
    if (n == 1 || f->inner_adjoins) {
        const struct cw_vopnd address = element(p, f, at, o, i, &offset);
        cw_frag_load(p, d, at->space, address, offset, bits(n * f->bytes));
        return;
    }
    struct cw_vopnd all = cw_frag_word(p, 0);
    for (uint32_t e = 0; e < n; e++) {
        const struct cw_vopnd one = cw_frag_temporary(p, CW_PT_B32), address = element(p, f, at, o, i + e, &offset);
        cw_frag_load(p, one, at->space, address, offset, bits(f->bytes));
        all = cw_frag_computed(p, CW_OP_OR, all, cw_frag_computed(p, CW_OP_SHL, one, cw_frag_word(p, 8 * f->bytes * e)));
    }
    cw_frag_move(p, d, all, 4);
}

static void store_register(struct cw_ptx *p, const struct fragment *f, const struct place *at, uint32_t r, struct cw_vopnd a)
{
    const uint32_t n = per_register(f);
    uint32_t o, i;
    int64_t offset;
    indices(f, r, &o, &i);
    if (n == 1 || f->inner_adjoins) {
        const struct cw_vopnd address = element(p, f, at, o, i, &offset);
        cw_frag_store(p, a, at->space, address, offset, bits(n * f->bytes));
        return;
    }
    for (uint32_t e = 0; e < n; e++) {
        const struct cw_vopnd one = cw_frag_computed(p, CW_OP_SHR, a, cw_frag_word(p, 8 * f->bytes * e));
        const struct cw_vopnd address = element(p, f, at, o, i + e, &offset);
        cw_frag_store(p, one, at->space, address, offset, bits(f->bytes));
    }
}

static uint8_t take_space(struct cw_insn *in)
{
    if (cw_insn_accept(in, "global"))
        return CW_SPACE_GLOBAL;
    return cw_insn_accept(in, "shared") || cw_insn_accept(in, "shared::cta") ? CW_SPACE_SHARED : CW_SPACE_GENERIC;
}

static enum cw_ptype register_type(const struct fragment *f, bool is_float)
{
    return f->bytes == 8 ? CW_PT_F64 : f->bytes == 4 && is_float ? CW_PT_F32 : CW_PT_B32;
}

/* Registers that may hold the address: it has to stay until all is loaded. */
static void load_all(struct cw_ptx *p, const struct fragment *f, const struct place *at, const struct cw_vopnd *d)
{
    struct cw_vopnd got[CW_FRAGMENT_MOST];
    for (uint32_t r = 0; r < f->used; r++) {
        got[r] = cw_frag_temporary(p, f->bytes == 8 ? CW_PT_B64 : CW_PT_B32);
        load_register(p, f, at, r, got[r]);
    }
    for (uint32_t r = 0; r < f->cnt; r++)
        cw_frag_move(p, d[r], got[r % f->used], f->bytes == 8 ? 8 : 4);
}

/* .sync.aligned.LAYOUT.SHAPE[.SPACE] of a load or a store; NULL: another form. */
static const struct shape *take_access(struct cw_insn *in, bool *columns, uint8_t *space)
{
    if (!cw_insn_accept(in, "sync") || !cw_insn_accept(in, "aligned") || !take_layout(in, columns))
        return NULL;
    const struct shape *shape = take_shape(in);
    if (shape != NULL)
        *space = take_space(in);
    return shape;
}

/* .load.a|b|c.sync.aligned.LAYOUT.SHAPE[.SPACE].TYPE */
static bool load_form(struct cw_insn *in, struct fragment *f, uint8_t *space, bool *is_float)
{
    const char which = cw_insn_accept(in, "a") ? 'a' : cw_insn_accept(in, "b") ? 'b' : cw_insn_accept(in, "c") ? 'c' : '?';
    bool columns;
    const struct shape *shape = take_access(in, &columns, space);
    if (shape == NULL)
        return false;
    const struct sum *s = which == 'c' ? take_sum(in) : NULL;
    const struct kind *k = which == 'a' || which == 'b' ? take_kind(in) : NULL;
    if (in->next != in->part_cnt || !(s != NULL ? has_sums(shape, s) : k != NULL && k->depth == shape->depth))
        return false;
    *is_float = s != NULL && s->type == CW_F32;
    *f = s != NULL ? fragment_c(shape, s, columns) : which == 'a' ? fragment_a(shape, k, columns) : fragment_b(shape, k, columns);
    return true;
}

static void load(struct cw_ptx *p, struct cw_insn *in)
{
    struct fragment f = {0};
    struct cw_vopnd d[CW_FRAGMENT_MOST];
    uint8_t space = CW_SPACE_GENERIC;
    bool is_float = false;
    if (!load_form(in, &f, &space, &is_float)) {
        cw_insn_refuse(p, in);
        return;
    }
    cw_frag_list(p, CW_LIST_DST, register_type(&f, is_float), f.cnt, d);
    cw_ptx_expect(p, ',');
    const struct cw_address a = cw_insn_address(p, &space);
    const struct cw_vopnd stride = take_stride(p, &f);
    if (p->ir.status != CW_OK)
        return;
    const struct place at = find_place(p, &f, &a, space, stride);
    load_all(p, &f, &at, d);
}

/* .store.d.sync.aligned.LAYOUT.SHAPE[.SPACE].TYPE */
static bool store_form(struct cw_insn *in, struct fragment *f, uint8_t *space, bool *is_float)
{
    bool columns;
    const struct shape *shape = cw_insn_accept(in, "d") ? take_access(in, &columns, space) : NULL;
    if (shape == NULL)
        return false;
    const struct sum *s = take_sum(in);
    if (s == NULL || !has_sums(shape, s) || in->next != in->part_cnt)
        return false;
    *is_float = s->type == CW_F32;
    *f = fragment_c(shape, s, columns);
    return true;
}

static void store(struct cw_ptx *p, struct cw_insn *in)
{
    struct fragment f = {0};
    struct cw_vopnd value[CW_FRAGMENT_MOST];
    uint8_t space = CW_SPACE_GENERIC;
    bool is_float = false;
    if (!store_form(in, &f, &space, &is_float)) {
        cw_insn_refuse(p, in);
        return;
    }
    const struct cw_address a = cw_insn_address(p, &space);
    cw_ptx_expect(p, ',');
    cw_frag_list(p, CW_LIST_SRC, register_type(&f, is_float), f.cnt, value);
    const struct cw_vopnd stride = take_stride(p, &f);
    if (p->ir.status != CW_OK)
        return;
    const struct place at = find_place(p, &f, &a, space, stride);
    for (uint32_t r = 0; r < f.used; r++)
        store_register(p, &f, &at, r, value[r]);
}

/* ---- multiplication ---- */

struct wmma {
    const struct shape *shape;
    const struct kind *a, *b;
    const struct sum *d, *c;
    struct cw_frag_kind step;
    struct cw_vopnd dv[CW_FRAGMENT_MOST], av[CW_FRAGMENT_MOST], bv[CW_FRAGMENT_MOST], cv[CW_FRAGMENT_MOST];
};

/* Behind D: .A.B.C of other elements, and of f16 .C alone. */
static bool take_factors(struct cw_insn *in, struct wmma *w)
{
    w->a = w->b = &kinds[0];
    if (in->part_cnt - in->next > 1 && ((w->a = take_kind(in)) == NULL || (w->b = take_kind(in)) == NULL))
        return false;
    return (w->c = take_sum(in)) != NULL;
}

/* .mma.sync.aligned.LAYOUT.LAYOUT.SHAPE[.rn].D[.A.B].C[.satfinite] */
static bool mma_form(struct cw_insn *in, struct wmma *w)
{
    bool columns;
    if (!cw_insn_accept(in, "sync") || !cw_insn_accept(in, "aligned") || !take_layout(in, &columns) || !take_layout(in, &columns) ||
        (w->shape = take_shape(in)) == NULL)
        return false;
    cw_insn_accept(in, "rn"); /* of f64: as it is without it */
    if ((w->d = take_sum(in)) == NULL || !take_factors(in, w))
        return false;
    w->step = (struct cw_frag_kind){w->a->type, w->b->type, w->d->type == w->c->type ? w->d->type : CW_F32, false};
    w->step.saturates = w->d->type == CW_S32 && cw_insn_accept(in, "satfinite");
    return in->next == in->part_cnt && w->a == w->b && w->shape->depth == w->a->depth && go_together(w->a, w->d) && go_together(w->a, w->c);
}

static uint32_t sum_registers(const struct wmma *w, const struct sum *s)
{
    return fragment_c(w->shape, s, false).cnt;
}

static void mma_operands(struct cw_ptx *p, struct wmma *w)
{
    const enum cw_ptype factor = w->a->bytes == 8 ? CW_PT_F64 : CW_PT_B32;
    const struct fragment d = fragment_c(w->shape, w->d, false), c = fragment_c(w->shape, w->c, false);
    cw_frag_list(p, CW_LIST_DST, register_type(&d, w->d->type == CW_F32), d.cnt, w->dv);
    cw_ptx_expect(p, ',');
    cw_frag_list(p, CW_LIST_SRC, factor, fragment_a(w->shape, w->a, false).cnt, w->av);
    cw_ptx_expect(p, ',');
    cw_frag_list(p, CW_LIST_SRC, factor, fragment_b(w->shape, w->b, false).cnt, w->bv);
    cw_ptx_expect(p, ',');
    cw_frag_list(p, CW_LIST_SRC, register_type(&c, w->c->type == CW_F32), c.cnt, w->cv);
}

/* A pair of f16 as two f32. */
static void widen(struct cw_ptx *p, struct cw_vopnd pair, struct cw_vopnd out[2])
{
    for (uint32_t i = 0; i < 2; i++) {
        out[i] = cw_frag_temporary(p, CW_PT_B32);
        cw_insn_convert(p, out[i], CW_F32, i == 0 ? pair : cw_frag_computed(p, CW_OP_SHR, pair, cw_frag_word(p, 16)), CW_F16);
    }
}

static struct cw_vopnd narrow(struct cw_ptx *p, const struct cw_vopnd two[2])
{
    struct cw_vopnd half[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct cw_insn in = {.v = {.guard = CW_IR_NONE, .u = {.op = CW_OP_CVT, .type = CW_F16, .stype = CW_F32, .round = CW_RN}}};
        half[i] = cw_frag_temporary(p, CW_PT_B32);
        cw_insn_dst(&in, half[i]);
        cw_insn_src(&in, two[i]);
        cw_insn_emit(p, &in);
    }
    return cw_frag_computed(p, CW_OP_OR, half[0], cw_frag_computed(p, CW_OP_SHL, half[1], cw_frag_word(p, 16)));
}

/* The sums of 8 rows and 8 columns, number n, as the steps take them: those of C, and those that become D's. */
static void sums_before(struct cw_ptx *p, const struct wmma *w, uint32_t n, struct cw_vopnd sum[2])
{
    const uint32_t per = w->c->type == CW_F16X2 ? 1 : 2;
    if (per == 1 && w->step.sum == CW_F32)
        widen(p, w->cv[n], sum);
    else
        for (uint32_t i = 0; i < per; i++)
            sum[i] = w->cv[n * per + i];
}

static void sums_behind(struct cw_ptx *p, const struct wmma *w, uint32_t n, const struct cw_vopnd sum[2], struct cw_vopnd *out)
{
    const uint32_t per = w->d->type == CW_F16X2 ? 1 : 2;
    if (per == 1 && w->step.sum == CW_F32)
        out[n] = narrow(p, sum);
    else
        for (uint32_t i = 0; i < per; i++)
            out[n * per + i] = sum[i];
}

/* Whether the last steps may write D's registers: none is read behind that. */
static bool writes_at_once(const struct wmma *w, uint32_t steps)
{
    const uint32_t cnt = sum_registers(w, w->d);
    bool free = w->step.sum == w->d->type;
    for (uint32_t i = 0; free && i < cnt; i++) {
        const struct cw_vopnd d = w->dv[i];
        free = d.kind == CW_V_REG && !cw_frag_among(d, w->av, CW_FRAGMENT_MOST) && !cw_frag_among(d, w->bv, CW_FRAGMENT_MOST);
        if (steps == 1)
            free &= !cw_frag_among(d, w->cv, i) && !cw_frag_among(d, w->cv + i + 1, CW_FRAGMENT_MOST - i - 1);
    }
    return free;
}

/* All sums go on in depth together, so that a step does not wait for the one before it. */
static void emit_mma(struct cw_ptx *p, const struct wmma *w)
{
    const uint32_t columns = w->shape->columns / 8, blocks = w->shape->rows / 8 * columns, steps = w->shape->depth / (4 * w->a->each);
    const uint32_t per = cw_frag_sums(&w->step);
    const bool at_once = writes_at_once(w, steps);
    struct cw_vopnd sum[CW_FRAGMENT_MOST][2] = {{{0}}}, out[CW_FRAGMENT_MOST];
    for (uint32_t n = 0; n < blocks; n++)
        sums_before(p, w, n, sum[n]);
    for (uint32_t k = 0; k < steps; k++)
        for (uint32_t n = 0; n < blocks; n++) {
            struct cw_vopnd next[2] = {{0}};
            for (uint32_t i = 0; i < per; i++)
                next[i] =
                    at_once && k + 1 == steps ? w->dv[n * per + i] : cw_frag_temporary(p, w->d->type == CW_F64 ? CW_PT_B64 : CW_PT_B32);
            cw_frag_step(p, &w->step, w->av[n / columns * steps + k], w->bv[n % columns * steps + k], sum[n], next);
            memcpy(sum[n], next, sizeof next);
        }
    for (uint32_t n = 0; n < blocks && !at_once; n++)
        sums_behind(p, w, n, sum[n], out);
    for (uint32_t r = 0; r < sum_registers(w, w->d) && !at_once; r++)
        cw_frag_move(p, w->dv[r], out[r], w->d->bytes == 8 ? 8 : 4);
}

static void mma(struct cw_ptx *p, struct cw_insn *in)
{
    struct wmma w = {0};
    if (!mma_form(in, &w)) {
        cw_insn_refuse(p, in);
        return;
    }
    mma_operands(p, &w);
    if (p->ir.status == CW_OK)
        emit_mma(p, &w);
}

bool cw_insn_wmma(struct cw_ptx *p, struct cw_insn *in)
{
    if (!cw_part_is(&in->part[0], "wmma"))
        return false;
    if (cw_insn_accept(in, "load"))
        load(p, in);
    else if (cw_insn_accept(in, "store"))
        store(p, in);
    else if (cw_insn_accept(in, "mma"))
        mma(p, in);
    else
        cw_insn_refuse(p, in);
    return true;
}
