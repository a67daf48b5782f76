/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names. One stack of symbols with hash buckets that chain the newest first, so that an inner name hides an outer one and leaving a scope
 * is popping. Labels belong to a scope too (inlined assembly repeats { ... LOOP: ... bra LOOP; }) and may be used before they
 * are defined: a reference is settled when the scope that has the label closes.
 */
#include <string.h>

#include "ptx/reader.h"

#define BUCKETS 4096u

static uint32_t *bucket_of(struct cw_ptx *p, uint32_t hash)
{
    if (p->bucket == NULL) {
        p->bucket = cw_ir_alloc(&p->ir, BUCKETS, sizeof(*p->bucket));
        for (uint32_t i = 0; p->bucket != NULL && i < BUCKETS; i++)
            p->bucket[i] = CW_IR_NONE;
    }
    return p->bucket == NULL ? NULL : &p->bucket[hash % BUCKETS];
}

struct cw_sym *cw_ptx_find(struct cw_ptx *p, const char *name, uint32_t len)
{
    uint32_t hash = cw_ptx_hash(name, len);
    uint32_t *bucket = bucket_of(p, hash);
    if (bucket == NULL)
        return NULL;
    for (uint32_t i = *bucket; i != CW_IR_NONE; i = p->sym.a[i].next) {
        struct cw_sym *s = &p->sym.a[i];
        if (s->hash == hash && s->len == len && memcmp(s->name, name, len) == 0)
            return s;
    }
    return NULL;
}

struct cw_sym *cw_ptx_lookup(struct cw_ptx *p, const char *name, uint32_t len)
{
    struct cw_sym *s = cw_ptx_find(p, name, len);
    if (s != NULL && s->kind == CW_SYM_REFUSED) {
        const struct cw_unusable *u = &p->unusable.a[s->id];
        cw_ptx_fail(p, CW_EUNSUP, "%.*s of line %u: %s", (int)(len < 60 ? len : 60), name, u->line, u->why);
    } else if (s != NULL && s->kind == CW_SYM_FN && p->fn.a[s->id].is_opaque) {
        cw_ptx_fail_refused(p, &p->fn.a[s->id]);
    }
    return s;
}

void cw_ptx_define(struct cw_ptx *p, const struct cw_tok *name, enum cw_sym_kind kind, uint32_t id)
{
    const struct cw_sym *old = cw_ptx_find(p, name->text, name->len);
    if (old != NULL && old->depth == p->depth) {
        cw_ptx_fail_tok(p, CW_EINVAL, name, "%.*s is defined twice", (int)name->len, name->text);
        return;
    }
    uint32_t hash = cw_ptx_hash(name->text, name->len);
    uint32_t *bucket = bucket_of(p, hash);
    if (bucket == NULL)
        return;
    uint32_t index = p->sym.n;
    CW_PUSH(&p->ir, &p->sym,
            (struct cw_sym){
                .name = name->text, .len = name->len, .hash = hash, .next = *bucket, .id = id, .depth = p->depth, .kind = (uint8_t)kind});
    if (p->ir.status == CW_OK)
        *bucket = index;
}

void cw_ptx_scope_open(struct cw_ptx *p)
{
    if (++p->depth > CW_PTX_MAX_DEPTH)
        cw_ptx_fail(p, CW_EUNSUP, "blocks nested more than %u deep", CW_PTX_MAX_DEPTH);
}

static void patch(struct cw_ptx *p, const struct cw_label_ref *ref, uint32_t target)
{
    struct cw_fn *fn = cw_ptx_fn(p);
    if (ref->vop != CW_IR_NONE)
        fn->code.a[ref->vop].u.target = target;
    else
        fn->table.a[ref->table].target[ref->entry] = target;
}

/* Settles the references of the closing scope that it can, hands the others to the scope around it. */
static void settle_labels(struct cw_ptx *p)
{
    uint32_t from = p->ref.n;
    while (from > 0 && p->ref.a[from - 1].depth == p->depth)
        from--;
    uint32_t kept = from;
    for (uint32_t i = from; i < p->ref.n; i++) {
        struct cw_label_ref ref = p->ref.a[i];
        const struct cw_sym *s = cw_ptx_find(p, ref.name, ref.len);
        if (s != NULL && s->kind == CW_SYM_LABEL && s->depth == p->depth) {
            patch(p, &ref, s->id);
        } else if (p->depth <= 1) {
            cw_ptx_fail_at(p, CW_EINVAL, ref.line, ref.col, "label %.*s is not defined", (int)ref.len, ref.name);
        } else {
            ref.depth--;
            p->ref.a[kept++] = ref;
        }
    }
    p->ref.n = kept;
}

void cw_ptx_scope_close(struct cw_ptx *p)
{
    if (p->ir.status == CW_OK)
        settle_labels(p);
    while (p->sym.n > 0 && p->sym.a[p->sym.n - 1].depth == p->depth) {
        struct cw_sym *s = &p->sym.a[--p->sym.n];
        p->bucket[s->hash % BUCKETS] = s->next;
    }
    p->depth--;
}

uint32_t cw_ptx_new_reg(struct cw_ptx *p, enum cw_ptype type, bool is_temp)
{
    struct cw_fn *fn = cw_ptx_fn(p);
    CW_PUSH(&p->ir, &fn->vreg, (struct cw_vreg){.ptype = (uint8_t)type, .bytes = cw_ptype_info[type].bytes, .is_temp = is_temp});
    return p->ir.status == CW_OK ? fn->vreg.n - 1 : 0;
}

/* As many registers, one after the other, as a register of like has elements; the first. */
static uint32_t new_elements(struct cw_ptx *p, const struct cw_range *like)
{
    const uint32_t first = cw_ptx_new_reg(p, (enum cw_ptype)like->ptype, false);
    for (uint32_t i = 1; i < like->vec; i++)
        cw_ptx_new_reg(p, (enum cw_ptype)like->ptype, false);
    return first;
}

/* The names of registers from `first` on, for a debugger. */
static void name_elements(struct cw_ptx *p, uint32_t first, const struct cw_range *like, const char *name, uint32_t length, uint32_t number)
{
    for (uint32_t i = 0; p->ir.names && p->ir.status == CW_OK && i < like->vec; i++) {
        struct cw_vreg *r = &cw_ptx_fn(p)->vreg.a[first + i];
        r->name = name;
        r->length = length;
        r->number = number;
        r->type = cw_ptype_info[like->ptype].type;
        r->element = like->vec > 1 ? "xyzw"[i % 4] : '\0';
    }
}

void cw_ptx_define_reg(struct cw_ptx *p, const struct cw_tok *name, const struct cw_range *like, bool is_range)
{
    if (is_range) {
        CW_PUSH(&p->ir, &p->range, *like);
        cw_ptx_define(p, name, CW_SYM_RANGE, p->range.n - 1);
    } else if (like->vec > 1) {
        const struct cw_vector v = {.first = new_elements(p, like), .cnt = like->vec, .is_whole = like->is_whole};
        name_elements(p, v.first, like, name->text, name->len, CW_IR_NONE);
        CW_PUSH(&p->ir, &p->vector, v);
        cw_ptx_define(p, name, CW_SYM_VECTOR, p->vector.n - 1);
    } else {
        const uint32_t reg = new_elements(p, like);
        name_elements(p, reg, like, name->text, name->len, CW_IR_NONE);
        cw_ptx_define(p, name, CW_SYM_REG, reg);
    }
}

/* Register number of a range: allocated on first use, so that %r<1000000> costs nothing. */
static uint32_t range_reg(struct cw_ptx *p, const struct cw_sym *sym, uint32_t number)
{
    const uint32_t range = sym->id;
    uint64_t key = (uint64_t)range << 32 | number;
    uint32_t id = cw_map_get(&p->range_reg, key);
    if (id != CW_IR_NONE)
        return id;
    const struct cw_range like = p->range.a[range];
    id = new_elements(p, &like);
    name_elements(p, id, &like, sym->name, sym->len, number);
    cw_map_put(&p->ir, &p->range_reg, key, id);
    return p->ir.status == CW_OK ? id : CW_IR_NONE;
}

/* The innermost range that name, split into a prefix and a number without a leading zero, is in: %r12 may be %r, 12 or %r1, 2. Only ranges
 * deeper than depth count. */
static struct cw_sym *find_range(struct cw_ptx *p, const struct cw_tok *name, uint32_t depth, uint32_t *number)
{
    struct cw_sym *best = NULL;
    uint64_t value = 0, weight = 1;
    for (uint32_t n = name->len; n > 1 && weight < UINT32_MAX; weight *= 10) {
        char c = name->text[--n];
        if (c < '0' || c > '9')
            break;
        value += (uint64_t)(c - '0') * weight;
        if (c == '0' && n + 1 < name->len)
            continue;
        struct cw_sym *s = cw_ptx_find(p, name->text, n);
        bool is_in = s != NULL && s->kind == CW_SYM_RANGE && value < p->range.a[s->id].count;
        if (!is_in || s->depth <= (best != NULL ? best->depth : depth))
            continue;
        best = s;
        *number = (uint32_t)value;
    }
    return best;
}

/* The symbol that the word means: a name, or a range and the register's number in it. */
static const struct cw_sym *meaning(struct cw_ptx *p, const struct cw_tok *name, uint32_t *number)
{
    const struct cw_sym *s = cw_ptx_lookup(p, name->text, name->len);
    if (s != NULL && s->depth == p->depth) /* nothing can hide it */
        return s;
    const struct cw_sym *range = find_range(p, name, s != NULL ? s->depth : 0, number);
    return range != NULL ? range : s;
}

bool cw_ptx_find_vector(struct cw_ptx *p, const struct cw_tok *name, struct cw_vector *out)
{
    uint32_t number = 0;
    const struct cw_sym *s = name->kind == CW_TOK_WORD ? meaning(p, name, &number) : NULL;
    if (s != NULL && s->kind == CW_SYM_VECTOR)
        *out = p->vector.a[s->id];
    else if (s != NULL && s->kind == CW_SYM_RANGE && p->range.a[s->id].vec > 1 && s->len < name->len) /* not the name without a number */
        *out = (struct cw_vector){range_reg(p, s, number), p->range.a[s->id].vec, p->range.a[s->id].is_whole};
    else
        return false;
    return p->ir.status == CW_OK;
}

/* v.x, v.y, v.z, v.w, or v.r, v.g, v.b, v.a */
static uint32_t element(struct cw_ptx *p, const struct cw_tok *name)
{
    static const char selectors[] = "xyzwrgba";
    const uint32_t n = name->len;
    struct cw_vector v;
    if (n < 3 || name->text[n - 2] != '.')
        return CW_IR_NONE;
    const char *selector = memchr(selectors, name->text[n - 1], sizeof(selectors) - 1);
    const struct cw_tok whole = {.kind = CW_TOK_WORD, .text = name->text, .len = n - 2};
    if (selector == NULL || !cw_ptx_find_vector(p, &whole, &v))
        return CW_IR_NONE;
    const uint32_t i = (uint32_t)(selector - selectors) % 4;
    return i < v.cnt && !v.is_whole ? v.first + i : CW_IR_NONE;
}

uint32_t cw_ptx_find_reg(struct cw_ptx *p, const struct cw_tok *name)
{
    uint32_t number = 0;
    const struct cw_sym *s = meaning(p, name, &number);
    if (s != NULL && s->kind == CW_SYM_REG)
        return s->id;
    if (s != NULL && s->kind == CW_SYM_RANGE && p->range.a[s->id].vec == 1 && s->len < name->len)
        return range_reg(p, s, number);
    return s == NULL ? element(p, name) : CW_IR_NONE;
}

void cw_ptx_label(struct cw_ptx *p, const struct cw_tok *name)
{
    cw_ptx_define(p, name, CW_SYM_LABEL, cw_ptx_fn(p)->code.n);
}

void cw_ptx_label_ref(struct cw_ptx *p, const struct cw_tok *name, uint32_t vop, uint32_t table, uint32_t entry)
{
    CW_PUSH(&p->ir, &p->ref,
            (struct cw_label_ref){.name = name->text,
                                  .len = name->len,
                                  .line = name->line,
                                  .col = name->col,
                                  .vop = vop,
                                  .table = table,
                                  .entry = entry,
                                  .depth = p->depth});
}

void cw_ptx_name_variable(struct cw_kcode *k, const struct cw_var *v, enum cw_space space, uint32_t scope, uint64_t offset)
{
    struct cw_ir *const ir = &k->p->ir;
    const struct cw_named_variable n = {
        .type = cw_ptype_info[v->ptype].type, .space = (uint8_t)space, .scope = scope, .offset = offset, .bytes = v->bytes};
    if (!ir->names || ir->status != CW_OK)
        return;
    for (uint32_t i = k->body.variable.n; i > 0 && k->body.variable.a[i - 1].scope >= scope; i--) {
        const struct cw_named_variable *old = &k->body.variable.a[i - 1];
        if (old->scope == scope && strncmp(old->name, v->name, v->len) == 0 && old->name[v->len] == '\0')
            return;
    }
    CW_PUSH(ir, &k->body.variable, n);
    if (ir->status == CW_OK)
        k->body.variable.a[k->body.variable.n - 1].name = cw_ir_strdup(ir, v->name, v->len);
}
