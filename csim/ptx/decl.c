/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations: registers, variables of all spaces with their initialisers, formal parameters. */
#include <stdio.h>
#include <string.h>

#include "ptx/reader.h"

#define MAX_DIMENSIONS 8u

/* A type word such as ".u32"; CW_PT_NONE, without error, when the token is none. */
static enum cw_ptype accept_type(struct cw_ptx *p)
{
    if (p->tok.kind != CW_TOK_WORD || p->tok.text[0] != '.')
        return CW_PT_NONE;
    uint32_t t = cw_ptype_of(p->tok.text + 1, p->tok.len - 1);
    if (t >= CW_PT_BF16)
        t = CW_PT_NONE;
    if (t != CW_PT_NONE)
        cw_ptx_advance(p);
    return (enum cw_ptype)t;
}

static enum cw_ptype expect_type(struct cw_ptx *p)
{
    static const char *const opaque[][2] = {{".texref", "textures are not supported"},
                                            {".samplerref", "textures are not supported"},
                                            {".surfref", "surfaces are not supported"}};
    enum cw_ptype t = accept_type(p);
    for (uint32_t i = 0; i < sizeof(opaque) / sizeof(opaque[0]) && t == CW_PT_NONE; i++)
        if (cw_tok_is(&p->tok, opaque[i][0]))
            cw_ptx_fail(p, CW_EUNSUP, "%s", opaque[i][1]);
    if (t == CW_PT_NONE)
        cw_ptx_fail(p, CW_EUNSUP, "unknown or unsupported type");
    return t;
}

static bool power_of_two(uint64_t v)
{
    return v != 0 && (v & (v - 1)) == 0;
}

static uint32_t alignment(struct cw_ptx *p)
{
    uint64_t a = cw_ptx_uint(p, 1u << 20, "alignment");
    if (p->ir.status == CW_OK && !power_of_two(a))
        cw_ptx_fail(p, CW_EINVAL, "alignment has to be a power of two");
    return p->ir.status == CW_OK ? (uint32_t)a : 1;
}

static uint64_t round_up(uint64_t v, uint64_t align)
{
    return (v + align - 1) & ~(align - 1);
}

/* The type of registers: .u32, .v4 .u32, or .b128, which is two of 64 bits. */
static struct cw_range register_type(struct cw_ptx *p)
{
    struct cw_range like = {.vec = 1};
    if (cw_ptx_accept_word(p, ".align"))
        alignment(p); /* a register has no address */
    if (cw_ptx_accept_word(p, ".b128"))
        return (struct cw_range){.ptype = CW_PT_B64, .vec = 2, .is_whole = 1};
    if (cw_ptx_accept_word(p, ".v2"))
        like.vec = 2;
    else if (cw_ptx_accept_word(p, ".v4"))
        like.vec = 4;
    like.ptype = (uint8_t)expect_type(p);
    if (like.vec > 1 && (like.ptype == CW_PT_PRED || cw_ptype_info[like.ptype].bytes * like.vec > 16))
        cw_ptx_fail(p, CW_EINVAL, "a vector of registers has at most 16 bytes, and no predicates");
    return like;
}

static void registers(struct cw_ptx *p)
{
    struct cw_range like = register_type(p);
    do {
        struct cw_tok name = p->tok;
        if (name.kind != CW_TOK_WORD || name.text[0] == '.') {
            cw_ptx_fail(p, CW_EINVAL, "expected the name of a register");
            return;
        }
        cw_ptx_advance(p);
        const bool is_range = cw_ptx_accept(p, '<');
        if (is_range) { /* not an expression: '>' ends it */
            struct cw_tok count = p->tok;
            if (count.kind != CW_TOK_INT || count.value > INT32_MAX)
                cw_ptx_fail(p, CW_EINVAL, "expected the number of registers");
            cw_ptx_advance(p);
            cw_ptx_expect(p, '>');
            like.count = (uint32_t)count.value;
        }
        if (p->ir.status == CW_OK)
            cw_ptx_define_reg(p, &name, &like, is_range);
    } while (cw_ptx_accept(p, ','));
    cw_ptx_expect(p, ';');
}

/* [2][3] after a name. The elements of a vector are one more dimension. */
struct shape {
    uint64_t elems;                   /* product of all but an empty first dimension */
    uint64_t row[MAX_DIMENSIONS + 1]; /* elements of one row below dimension i */
    uint32_t rank;
    uint32_t elem_bytes;
    bool is_unsized;
};

static void dimensions(struct cw_ptx *p, struct shape *s, uint32_t vec, uint32_t elem_bytes)
{
    uint64_t size[MAX_DIMENSIONS + 1];
    *s = (struct shape){.elems = 1, .elem_bytes = elem_bytes};
    while (cw_ptx_accept(p, '[')) {
        if (s->rank == MAX_DIMENSIONS) {
            cw_ptx_fail(p, CW_EUNSUP, "more than %u dimensions", MAX_DIMENSIONS);
            return;
        }
        if (s->rank == 0 && cw_ptx_is_punct(p, ']')) {
            s->is_unsized = true;
            size[0] = 1;
        } else {
            size[s->rank] = cw_ptx_uint(p, UINT64_MAX, "array size");
        }
        uint64_t d = size[s->rank++];
        s->elems = d != 0 && s->elems > CW_PTX_MAX_BYTES / d ? CW_PTX_MAX_BYTES + 1 : s->elems * d;
        if (s->elems > CW_PTX_MAX_BYTES)
            cw_ptx_fail(p, CW_EUNSUP, "array is larger than 1 GiB");
        cw_ptx_expect(p, ']');
    }
    if (vec > 1)
        size[s->rank++] = vec;
    s->elems *= vec;
    uint64_t below = 1;
    for (uint32_t i = s->rank; i-- > 0; below *= size[i])
        s->row[i] = below;
}

/* What stands before the names of variables. */
struct head {
    enum cw_ptype type;
    uint32_t vec, elem_bytes; /* of a vector's element */
    uint32_t align;           /* 0: that of the type */
    bool is_ptr, is_shared_ptr;
    uint32_t ptr_align;
};

/* The state space and the alignment of what a parameter points to. */
static void pointer(struct cw_ptx *p, struct head *h)
{
    h->is_ptr = true;
    h->is_shared_ptr = cw_ptx_accept_word(p, ".shared");
    if (!h->is_shared_ptr && !cw_ptx_accept_word(p, ".global") && !cw_ptx_accept_word(p, ".const"))
        cw_ptx_accept_word(p, ".local");
    h->ptr_align = cw_ptx_accept_word(p, ".align") ? alignment(p) : 1;
}

/* .align, .v2, type. Of .b128 an element is 16 bytes, and its type that of one half. */
static void variable_head(struct cw_ptx *p, struct head *h)
{
    *h = (struct head){.vec = 1};
    for (;;) {
        if (cw_ptx_accept_word(p, ".align"))
            h->align = alignment(p);
        else if (cw_ptx_accept_word(p, ".v2"))
            h->vec = 2;
        else if (cw_ptx_accept_word(p, ".v4"))
            h->vec = 4;
        else
            break;
    }
    const bool is_wide = cw_ptx_accept_word(p, ".b128");
    h->type = is_wide ? CW_PT_B64 : expect_type(p);
    h->elem_bytes = is_wide ? 16 : cw_ptype_info[h->type].bytes;
    if (p->ir.status == CW_OK && h->elem_bytes == 0)
        cw_ptx_fail(p, CW_EUNSUP, "a variable or parameter cannot be a predicate");
    if (cw_ptx_accept_word(p, ".ptr"))
        pointer(p, h);
}

/* A name and its dimensions. false after an error. */
static bool variable_name(struct cw_ptx *p, const struct head *h, struct cw_var *v, struct cw_tok *name, struct shape *shape)
{
    *name = p->tok;
    if (p->tok.kind != CW_TOK_WORD || p->tok.text[0] == '.') {
        cw_ptx_fail(p, p->tok.kind == CW_TOK_WORD ? CW_EUNSUP : CW_EINVAL, "expected the name of a variable");
        return false;
    }
    cw_ptx_advance(p);
    dimensions(p, shape, h->vec, h->elem_bytes);
    v->ptype = (uint8_t)h->type;
    v->is_shared_ptr = h->is_shared_ptr;
    v->ptr_align = h->is_ptr ? h->ptr_align : 0;
    v->is_unsized = shape->is_unsized;
    v->bytes = shape->is_unsized ? 0 : shape->elems * h->elem_bytes;
    v->align = h->align > 0 ? h->align : h->elem_bytes * h->vec;
    v->name = name->text;
    v->len = name->len;
    v->line = name->line;
    v->col = name->col;
    if (p->ir.status == CW_OK && v->bytes > CW_PTX_MAX_BYTES)
        cw_ptx_fail_tok(p, CW_EUNSUP, name, "variable is larger than 1 GiB");
    return p->ir.status == CW_OK;
}

static uint32_t add_variable(struct cw_ptx *p, const struct cw_tok *name, const struct cw_var *v)
{
    uint32_t id = p->var.n;
    CW_PUSH(&p->ir, &p->var, *v);
    if (!cw_tok_is(name, "_")) /* a prototype's parameters need no names */
        cw_ptx_define(p, name, CW_SYM_VAR, id);
    return id;
}

/* ---- initialisers ---- */

struct image { /* the initial value being read */
    struct cw_var *var;
    uint32_t owner; /* its index, once it is in the table */
    const struct shape *shape;
    uint64_t at;    /* next byte */
    uint64_t limit; /* end of the row that the innermost brace fills */
};

static void put(struct cw_ptx *p, struct image *im, uint64_t bits, uint32_t n)
{
    if (p->ir.status == CW_OK && im->at + n > im->limit)
        cw_ptx_fail(p, CW_EINVAL, "more initial values than elements");
    while (p->ir.status == CW_OK && im->var->init.n < im->at)
        CW_PUSH(&p->ir, &im->var->init, 0);
    for (uint32_t i = 0; i < n && p->ir.status == CW_OK; i++)
        CW_PUSH(&p->ir, &im->var->init, (uint8_t)(bits >> 8 * i));
    im->at += n;
}

/* An address, or some bytes of it. */
struct part {
    uint32_t shift, bytes;
};

static void put_function(struct cw_ptx *p, struct image *im, uint32_t fn, struct part part)
{
    p->fn.a[fn].is_address_taken = !p->fn.a[fn].is_entry;
    cw_ptx_advance(p);
    put(p, im, cw_ptx_code_address(fn) >> part.shift, part.bytes);
}

static uint64_t addend(struct cw_ptx *p)
{
    return cw_ptx_is_punct(p, '+') || cw_ptx_is_punct(p, '-') ? cw_ptx_expr(p, NULL) : 0;
}

/* name, name + n, generic(name) + n: bytes that are filled in when all variables have addresses. */
static void put_address(struct cw_ptx *p, struct image *im, struct part part)
{
    bool generic = cw_ptx_accept_word(p, "generic");
    if (generic)
        cw_ptx_expect(p, '(');
    struct cw_sym *s = p->tok.kind == CW_TOK_WORD ? cw_ptx_lookup(p, p->tok.text, p->tok.len) : NULL;
    if (s != NULL && s->kind == CW_SYM_FN && !generic) {
        put_function(p, im, s->id, part);
        return;
    }
    if (s == NULL || s->kind != CW_SYM_VAR) {
        cw_ptx_fail(p, CW_EINVAL, "expected a number or the name of a variable");
        return;
    }
    uint32_t var = s->id;
    if (p->var.a[var].space != CW_VAR_GLOBAL && p->var.a[var].space != CW_VAR_CONST)
        cw_ptx_fail(p, CW_EUNSUP, "only addresses of .global and .const variables can be initial values");
    cw_ptx_advance(p);
    if (generic)
        cw_ptx_expect(p, ')');
    struct cw_init init = {.owner = im->owner, .is_generic = generic, .var = var, .where = im->at};
    init.addend = addend(p);
    init.shift = (uint8_t)part.shift;
    init.bytes = (uint8_t)part.bytes;
    CW_PUSH(&p->ir, &p->init, init);
    put(p, im, 0, part.bytes);
}

/* 0xFF00(address): the byte of the address that the mask has ones for. */
static void put_masked(struct cw_ptx *p, struct image *im)
{
    const uint64_t mask = p->tok.value;
    struct part part = {.bytes = 1};
    while (part.shift < 64 && mask != UINT64_C(0xff) << part.shift)
        part.shift += 8;
    if (part.shift == 64)
        cw_ptx_fail(p, CW_EUNSUP, "a mask of an address is one byte of ones");
    if (cw_ptype_info[im->var->ptype].bytes != 1)
        cw_ptx_fail(p, CW_EUNSUP, "a byte of an address needs an 8-bit element");
    cw_ptx_advance(p);
    cw_ptx_expect(p, '(');
    put_address(p, im, part);
    cw_ptx_expect(p, ')');
}

/* A floating-point literal, negated or not, as an element of type: bits. */
static uint64_t float_bits(struct cw_ptx *p, enum cw_ptype type)
{
    bool neg = cw_ptx_accept(p, '-');
    double d;
    float f;
    if (p->tok.kind == CW_TOK_F32) {
        uint32_t bits = (uint32_t)p->tok.value;
        memcpy(&f, &bits, sizeof(f));
        if (type == CW_PT_F32 && !neg) { /* not by way of double, which would quiet a signalling NaN */
            cw_ptx_advance(p);
            return bits;
        }
        d = f;
    } else {
        memcpy(&d, &p->tok.value, sizeof(d));
    }
    cw_ptx_advance(p);
    if (neg)
        d = -d;
    uint64_t bits = 0;
    if (type == CW_PT_F32) {
        uint32_t word;
        f = (float)d;
        memcpy(&word, &f, sizeof(word));
        bits = word;
    } else {
        memcpy(&bits, &d, sizeof(bits));
    }
    return bits;
}

static bool at_float(const struct cw_ptx *p)
{
    const struct cw_tok *t = cw_ptx_is_punct(p, '-') ? &p->ahead : &p->tok;
    return t->kind == CW_TOK_FLOAT || t->kind == CW_TOK_F32 || t->kind == CW_TOK_F64;
}

static void put_scalar(struct cw_ptx *p, struct image *im)
{
    enum cw_ptype type = (enum cw_ptype)im->var->ptype;
    const struct cw_ptype_info *info = &cw_ptype_info[type];
    if (at_float(p)) {
        if (type != CW_PT_F32 && type != CW_PT_F64)
            cw_ptx_fail(p, CW_EINVAL, "a floating-point value cannot initialise .%s", info->name);
        put(p, im, float_bits(p, type), info->bytes);
    } else if (p->tok.kind == CW_TOK_WORD && !cw_tok_is(&p->tok, "WARP_SZ")) {
        if (info->kind == 'f' || info->bytes < 4)
            cw_ptx_fail(p, CW_EUNSUP, "an address needs an element of 32 or 64 bits");
        put_address(p, im, (struct part){.bytes = info->bytes});
    } else if (p->tok.kind == CW_TOK_INT && p->ahead.kind == CW_TOK_PUNCT && p->ahead.punct == '(') {
        put_masked(p, im);
    } else {
        uint64_t v = cw_ptx_expr(p, NULL);
        if (p->ir.status == CW_OK && (type == CW_PT_F32 || type == CW_PT_F64)) {
            double d = (double)(int64_t)v;
            float f = (float)d;
            uint32_t word;
            memcpy(&word, &f, sizeof(word));
            memcpy(&v, &d, sizeof(v));
            v = type == CW_PT_F32 ? word : v;
        }
        put(p, im, v, info->bytes);
    }
    if (im->shape->elem_bytes == 16) /* the upper half of .b128 */
        put(p, im, 0, 8);
}

/* { ... } nested as the dimensions are; a brace fills its row in order and leaves the rest of it zero. */
static void braces(struct cw_ptx *p, struct image *im, uint32_t depth)
{
    uint64_t elem = im->shape->elem_bytes;
    while (p->ir.status == CW_OK && !cw_ptx_is_punct(p, '}')) {
        if (cw_ptx_is_punct(p, '{')) {
            if (depth + 1 >= im->shape->rank) {
                cw_ptx_fail(p, CW_EINVAL, "initialiser has more braces than the variable has dimensions");
                return;
            }
            cw_ptx_advance(p);
            uint64_t row = im->shape->row[depth] * elem, limit = im->limit;
            im->limit = im->at + row < limit ? im->at + row : limit;
            uint64_t next = im->limit;
            braces(p, im, depth + 1);
            im->at = next;
            im->limit = limit;
        } else {
            put_scalar(p, im);
        }
        if (!cw_ptx_accept(p, ','))
            break;
    }
    cw_ptx_expect(p, '}');
}

static void initialiser(struct cw_ptx *p, struct cw_var *v, uint32_t owner, const struct shape *shape)
{
    struct image im = {.var = v, .owner = owner, .shape = shape, .limit = v->is_unsized ? CW_PTX_MAX_BYTES : v->bytes};
    if ((v->space != CW_VAR_GLOBAL && v->space != CW_VAR_CONST) || v->is_extern)
        cw_ptx_fail(p, CW_EINVAL, "only .global and .const variables that are not .extern can have initial values");
    if (cw_ptx_accept(p, '{'))
        braces(p, &im, 0);
    else
        put_scalar(p, &im);
    if (v->is_unsized && p->ir.status == CW_OK) {
        uint64_t row = shape->row[0] * shape->elem_bytes;
        v->bytes = row == 0 ? 0 : (im.at + row - 1) / row * row;
        v->is_unsized = 0;
    }
}

/* ---- variables ---- */

static bool accept_space(struct cw_ptx *p, bool in_function, uint8_t *space)
{
    static const struct {
        const char *word;
        uint8_t space;
        bool in_function, in_module;
    } spaces[] = {{".global", CW_VAR_GLOBAL, true, true},
                  {".const", CW_VAR_CONST, true, true},
                  {".shared", CW_VAR_SHARED, true, true},
                  {".local", CW_VAR_LOCAL, true, false},
                  {".param", CW_VAR_CALL_PARAM, true, false}};
    for (uint32_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
        if ((in_function ? spaces[i].in_function : spaces[i].in_module) && cw_ptx_accept_word(p, spaces[i].word)) {
            *space = spaces[i].space;
            return true;
        }
    }
    return false;
}

/* Gives a variable its place in its segment or frame; shared memory is laid out per kernel, by what the kernel uses. */
static void place(struct cw_ptx *p, struct cw_var *v)
{
    uint64_t *end = v->space == CW_VAR_GLOBAL ? &p->global_bytes : v->space == CW_VAR_CONST ? &p->const_bytes : NULL;
    if (v->space == CW_VAR_LOCAL)
        end = &cw_ptx_fn(p)->frame_bytes;
    if (end == NULL || v->is_extern)
        return;
    const uint64_t offset = round_up(*end, v->align);
    if (offset + v->bytes > CW_PTX_MAX_BYTES) {
        cw_ptx_fail(p, CW_EUNSUP, "variables take more than 1 GiB");
        return;
    }
    if (v->space == CW_VAR_LOCAL && v->align > cw_ptx_fn(p)->frame_align)
        cw_ptx_fn(p)->frame_align = v->align;
    v->offset = offset;
    *end = offset + v->bytes;
}

/* The variable of that name that v repeats or completes (.extern declarations may), or CW_IR_NONE. */
static uint32_t redeclared(struct cw_ptx *p, const struct cw_tok *name, const struct cw_var *v)
{
    const struct cw_sym *s = cw_ptx_find(p, name->text, name->len);
    if (s == NULL || s->depth != p->depth || s->kind != CW_SYM_VAR)
        return CW_IR_NONE;
    const struct cw_var *old = &p->var.a[s->id];
    bool fits = old->space == v->space && (old->is_extern || v->is_extern);
    return fits ? s->id : CW_IR_NONE;
}

/* .attribute(...), as often as there is one; memory is one, so nothing follows. */
static void attributes(struct cw_ptx *p)
{
    while (cw_ptx_accept_word(p, ".attribute")) {
        cw_ptx_expect(p, '(');
        do {
            if (cw_ptx_accept_word(p, ".unified")) {
                cw_ptx_skip_group(p, '(', ')');
            } else if (!cw_ptx_accept_word(p, ".managed")) {
                cw_ptx_fail(p, CW_EUNSUP, "unknown attribute");
                return;
            }
        } while (cw_ptx_accept(p, ','));
        cw_ptx_expect(p, ')');
    }
}

static void one_variable(struct cw_ptx *p, const struct head *h, uint8_t space, bool is_extern)
{
    struct cw_var v = {.space = space, .is_extern = is_extern, .cell_base = CW_IR_NONE};
    struct shape shape;
    struct cw_tok name;
    if (!variable_name(p, h, &v, &name, &shape))
        return;
    uint32_t id = redeclared(p, &name, &v);
    if (id == CW_IR_NONE)
        id = add_variable(p, &name, &v);
    else if (!is_extern)
        p->var.a[id] = v;
    if (p->ir.status != CW_OK)
        return;
    struct cw_var *var = &p->var.a[id];
    if (cw_ptx_accept(p, '='))
        initialiser(p, var, id, &shape);
    if (var->is_unsized && !var->is_extern)
        cw_ptx_fail_tok(p, CW_EINVAL, &name, "array without a size");
    if (var->is_extern == is_extern)
        place(p, var);
    if (space == CW_VAR_CALL_PARAM)
        CW_PUSH(&p->ir, &cw_ptx_fn(p)->pvar, id);
}

static void variables(struct cw_ptx *p, uint8_t space, bool is_extern)
{
    struct head h;
    attributes(p);
    variable_head(p, &h);
    do {
        one_variable(p, &h, space, is_extern);
    } while (cw_ptx_accept(p, ','));
    cw_ptx_expect(p, ';');
}

bool cw_ptx_declaration(struct cw_ptx *p)
{
    uint8_t space;
    if (cw_ptx_accept_word(p, ".reg")) {
        registers(p);
        return true;
    }
    bool is_extern = cw_ptx_accept_word(p, ".extern");
    if (accept_space(p, true, &space)) {
        variables(p, space, is_extern);
        return true;
    }
    return false;
}

bool cw_ptx_at_variable(const struct cw_ptx *p)
{
    static const char *const words[] = {".global", ".const", ".shared", ".tex", ".local", ".param", ".reg", ".sreg"};
    for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (cw_tok_is(&p->tok, words[i]))
            return true;
    return false;
}

void cw_ptx_module_variable(struct cw_ptx *p, bool is_extern, bool is_common)
{
    uint8_t space;
    (void)is_common; /* zero unless initialised, as any other */
    if (p->prefix.kind != CW_TOK_EOF)
        cw_ptx_fail_tok(p, CW_EUNSUP, &p->prefix, "unknown directive");
    else if (cw_tok_is(&p->tok, ".tex"))
        cw_ptx_fail(p, CW_EUNSUP, "textures are not supported");
    else if (accept_space(p, false, &space))
        variables(p, space, is_extern);
    else
        cw_ptx_fail(p, CW_EUNSUP, "%.*s is not supported outside of functions", (int)p->tok.len, p->tok.text);
}

uint32_t cw_ptx_parameter(struct cw_ptx *p, bool is_entry)
{
    struct cw_var v = {.space = is_entry ? CW_VAR_ENTRY_PARAM : CW_VAR_CALL_PARAM, .is_formal = 1, .cell_base = CW_IR_NONE};
    struct head head;
    struct shape shape;
    struct cw_tok name;
    struct cw_fn *fn = cw_ptx_fn(p);
    v.formal_index = fn->formal.n;
    if (!is_entry && cw_ptx_accept_word(p, ".reg"))
        v.space = CW_VAR_REG_PARAM;
    else if (!cw_ptx_accept_word(p, ".param"))
        cw_ptx_fail(p, p->tok.kind == CW_TOK_WORD ? CW_EUNSUP : CW_EINVAL, "expected .param");
    variable_head(p, &head);
    if (!variable_name(p, &head, &v, &name, &shape))
        return 0;
    if (v.is_unsized)
        cw_ptx_fail_tok(p, CW_EUNSUP, &name, "parameters of variable length are not supported");
    if (is_entry) {
        v.offset = round_up(fn->param_bytes, v.align);
        if (v.offset + v.bytes > CW_PTX_MAX_PARAM)
            cw_ptx_fail_tok(p, CW_EINVAL, &name, "more than %u bytes of parameters", CW_PTX_MAX_PARAM);
        fn->param_bytes = (uint32_t)(v.offset + v.bytes);
    }
    uint32_t id = p->var.n;
    if (v.space == CW_VAR_REG_PARAM) {
        if (head.elem_bytes * head.vec != v.bytes || head.vec > 1 || head.elem_bytes > 8)
            cw_ptx_fail_tok(p, CW_EUNSUP, &name, "a parameter of this type in a register is not supported");
        v.vreg = cw_ptx_new_reg(p, (enum cw_ptype)v.ptype, false);
        CW_PUSH(&p->ir, &p->var, v);
        if (!cw_tok_is(&name, "_"))
            cw_ptx_define(p, &name, CW_SYM_REG, v.vreg);
        return id;
    }
    if (!is_entry)
        CW_PUSH(&p->ir, &fn->pvar, id);
    return add_variable(p, &name, &v);
}

/* ---- addresses in initial values ---- */

/* A variable with the address of one that is nowhere cannot be used. */
static void unusable(struct cw_ptx *p, struct cw_var *owner, const struct cw_var *v)
{
    struct cw_unusable u = {.line = owner->line};
    snprintf(u.why, sizeof(u.why), "variable %.*s is declared .extern and defined nowhere", (int)(v->len < 80 ? v->len : 80), v->name);
    CW_PUSH(&p->ir, &p->unusable, u);
    owner->unusable = p->unusable.n;
}

static void resolve(struct cw_ptx *p, const struct cw_init *init)
{
    struct cw_var *owner = &p->var.a[init->owner];
    const struct cw_var *v = &p->var.a[init->var];
    if (v->is_extern || v->unusable != 0 || owner->unusable != 0) {
        if (owner->unusable == 0)
            unusable(p, owner, v);
        return;
    }
    uint64_t value = v->offset + init->addend;
    uint64_t where = owner->offset + init->where;
    bool in_const = owner->space == CW_VAR_CONST;
    if (v->space == CW_VAR_GLOBAL) {
        CW_PUSH(&p->ir, &p->ir.reloc,
                (struct cw_reloc){.kind = in_const ? CW_RELOC_CONST : CW_RELOC_GLOBAL,
                                  .shift = init->shift,
                                  .bytes = init->bytes,
                                  .where = where,
                                  .value = value});
        return;
    }
    value += init->is_generic ? CW_CONST_WINDOW : 0;
    uint8_t *image = in_const ? p->module->const_image : p->module->global_image;
    for (uint32_t i = 0; i < init->bytes; i++)
        image[where + i] = (uint8_t)(value >> (init->shift + 8 * i));
}

void cw_ptx_resolve_inits(struct cw_ptx *p)
{
    struct cw_module *m = p->module;
    m->global_bytes = p->global_bytes;
    m->const_bytes = p->const_bytes;
    m->global_image = cw_ir_alloc(&p->ir, p->global_bytes, 1);
    m->const_image = cw_ir_alloc(&p->ir, p->const_bytes, 1);
    for (uint32_t i = 0; i < p->var.n && p->ir.status == CW_OK; i++) {
        const struct cw_var *v = &p->var.a[i];
        if (v->init.n > 0 && v->unusable == 0)
            memcpy((v->space == CW_VAR_CONST ? m->const_image : m->global_image) + v->offset, v->init.a, v->init.n);
    }
    for (uint32_t i = 0; i < p->init.n && p->ir.status == CW_OK; i++)
        resolve(p, &p->init.a[i]);
}
