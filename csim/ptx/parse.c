/* SPDX-License-Identifier: Apache-2.0 */
/* Module level of PTX: directives, functions, and the statements of a body. */
#include <stdlib.h>
#include <string.h>

#include "ptx/lock_form.h"
#include "ptx/reader.h"

static void formals(struct cw_ptx *p)
{
    cw_ptx_expect(p, '(');
    while (p->ir.status == CW_OK && !cw_ptx_is_punct(p, ')')) {
        uint32_t var = cw_ptx_parameter(p, cw_ptx_fn(p)->is_entry);
        CW_PUSH(&p->ir, &cw_ptx_fn(p)->formal, var);
        if (!cw_ptx_accept(p, ','))
            break;
    }
    cw_ptx_expect(p, ')');
}

/* What an implementation of calls may rely on: calls are expanded in place here. False: none is here. */
static bool abi_directive(struct cw_ptx *p)
{
    if (cw_ptx_accept_word(p, ".abi_preserve") || cw_ptx_accept_word(p, ".abi_preserve_control"))
        cw_ptx_uint(p, UINT32_MAX, "number of registers");
    else if (!cw_ptx_accept_word(p, ".noreturn"))
        return false;
    return true;
}

static void abi_directives(struct cw_ptx *p)
{
    while (abi_directive(p))
        continue;
}

/* name: .callprototype (returned) _ (parameters); becomes a function of its own that nobody defines. */
static void call_prototype(struct cw_ptx *p, const struct cw_tok *name)
{
    uint32_t outer = p->cur, id = p->fn.n;
    CW_PUSH(&p->ir, &p->fn, (struct cw_fn){.name = name->text, .len = name->len, .line = name->line, .alias = CW_IR_NONE});
    if (p->ir.status != CW_OK)
        return;
    p->cur = id;
    if (cw_ptx_is_punct(p, '('))
        formals(p);
    cw_ptx_fn(p)->ret_cnt = cw_ptx_fn(p)->formal.n;
    cw_ptx_advance(p); /* _ */
    if (cw_ptx_is_punct(p, '('))
        formals(p);
    abi_directives(p);
    p->cur = outer;
    cw_ptx_define(p, name, CW_SYM_PROTOTYPE, id);
    cw_ptx_expect(p, ';');
}

/* name: .calltargets f, g; */
static void call_targets(struct cw_ptx *p, const struct cw_tok *name)
{
    struct cw_callees list = {.first = p->callee.n};
    do {
        const struct cw_sym *s = p->tok.kind == CW_TOK_WORD ? cw_ptx_lookup(p, p->tok.text, p->tok.len) : NULL;
        if (s == NULL || s->kind != CW_SYM_FN || p->fn.a[s->id].is_entry) {
            cw_ptx_fail(p, CW_EINVAL, "expected the name of a declared function");
            return;
        }
        CW_PUSH(&p->ir, &p->callee, s->id);
        cw_ptx_advance(p);
    } while (cw_ptx_accept(p, ','));
    list.cnt = p->callee.n - list.first;
    CW_PUSH(&p->ir, &p->callees, list);
    cw_ptx_define(p, name, CW_SYM_CALLEES, p->callees.n - 1);
    cw_ptx_expect(p, ';');
}

static void branch_targets(struct cw_ptx *p, const struct cw_tok *name)
{
    struct cw_fn *fn = cw_ptx_fn(p);
    uint32_t table = fn->table.n;
    CW_VEC(uint32_t) entry = {0};
    do {
        if (p->tok.kind != CW_TOK_WORD)
            cw_ptx_fail(p, CW_EINVAL, "expected a label");
        cw_ptx_label_ref(p, &p->tok, CW_IR_NONE, table, entry.n);
        CW_PUSH(&p->ir, &entry, 0);
        cw_ptx_advance(p);
    } while (cw_ptx_accept(p, ','));
    CW_PUSH(&p->ir, &fn->table, (struct cw_target_table){.target = entry.a, .cnt = entry.n});
    if (fn->table.n == table) { /* no memory for it */
        free(entry.a);
        return;
    }
    cw_ptx_define(p, name, CW_SYM_TABLE, table);
    cw_ptx_expect(p, ';');
}

static void label(struct cw_ptx *p)
{
    struct cw_tok name = p->tok;
    cw_ptx_advance(p);
    cw_ptx_advance(p);
    if (cw_ptx_accept_word(p, ".callprototype"))
        call_prototype(p, &name);
    else if (cw_ptx_accept_word(p, ".calltargets"))
        call_targets(p, &name);
    else if (cw_ptx_accept_word(p, ".branchtargets"))
        branch_targets(p, &name);
    else
        cw_ptx_label(p, &name);
}

static void guard(struct cw_ptx *p)
{
    p->guard_neg = cw_ptx_accept(p, '!');
    p->guard = cw_ptx_find_reg(p, &p->tok);
    if (p->guard == CW_IR_NONE && p->tok.kind == CW_TOK_WORD)
        p->guard = cw_sreg_predicate(p, &p->tok);
    if (p->tok.kind != CW_TOK_WORD || p->guard == CW_IR_NONE || cw_ptx_fn(p)->vreg.a[p->guard].ptype != CW_PT_PRED) {
        cw_ptx_fail(p, CW_EINVAL, "expected a predicate register after '@'");
        return;
    }
    cw_ptx_advance(p);
}

/* What lock_form.c says about the function: a line and a reason. */
static void no_lock_form(struct cw_ptx *p)
{
    const uint32_t line = (uint32_t)p->tok.value;
    cw_ptx_advance(p);
    if (p->ir.status == CW_OK)
        cw_ptx_fail_at(p, CW_EUNSUP, line, 1, "%.*s", p->tok.len > 2 ? (int)p->tok.len - 2 : 0, p->tok.text + 1);
}

static void statement(struct cw_ptx *p)
{
    p->stmt = p->tok;
    p->guard = CW_IR_NONE;
    p->guard_neg = 0;
    if (cw_ptx_accept(p, ';') || cw_ptx_skip_noise(p))
        return;
    if (p->tok.kind == CW_TOK_WORD && p->ahead.kind == CW_TOK_PUNCT && p->ahead.punct == ':') {
        label(p);
    } else if (cw_ptx_accept_word(p, CW_LOCK_FORM_REFUSED)) {
        no_lock_form(p);
    } else if (cw_ptx_accept(p, '@')) {
        guard(p);
        cw_ptx_instruction(p);
    } else if (!cw_ptx_declaration(p)) {
        if (p->tok.kind == CW_TOK_WORD && p->tok.text[0] == '.')
            cw_ptx_fail(p, CW_EUNSUP, "unknown directive");
        cw_ptx_instruction(p);
    }
}

/* The function's body, nested blocks included, with its last brace. */
static void statements(struct cw_ptx *p)
{
    uint32_t outer = p->depth;
    cw_ptx_expect(p, '{');
    while (p->ir.status == CW_OK && p->depth >= outer) {
        p->stmt = p->tok;
        if (p->tok.kind == CW_TOK_EOF) {
            cw_ptx_fail(p, CW_EINVAL, "expected '}'");
        } else if (cw_ptx_accept(p, '{')) {
            cw_ptx_scope_open(p);
        } else if (cw_ptx_is_punct(p, '}')) {
            if (p->depth == outer)
                break;
            cw_ptx_scope_close(p);
            cw_ptx_advance(p);
        } else {
            statement(p);
        }
    }
    cw_ptx_expect(p, '}');
}

static void body(struct cw_ptx *p)
{
    const struct cw_place begin = cw_ptx_place(p);
    const uint32_t fn = p->cur, outer = p->depth;
    cw_ptx_no_loc(p);
    if (p->narrow != NULL)
        cw_ptx_fail_tok(p, CW_EUNSUP, &p->fn.a[fn].at, "%s", p->narrow);
    else
        statements(p);
    cw_ptx_refuse_body(p, &begin, fn, outer);
}

static void three(struct cw_ptx *p, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (uint32_t i = 0; i < 3; i++) {
        out[i] = (uint32_t)cw_ptx_uint(p, UINT32_MAX, "size");
        if (!cw_ptx_accept(p, ','))
            return;
    }
}

/* The blocks of a cluster. Of one block, which is its own cluster here, nothing follows. */
static void cluster_size(struct cw_ptx *p, struct cw_fn *fn)
{
    const struct cw_tok at = p->tok;
    uint32_t size[3];
    three(p, size);
    fn->has_cluster_size = 1;
    if (p->ir.status == CW_OK && (size[0] != 1 || size[1] != 1 || size[2] != 1))
        cw_ptx_fail_tok(p, CW_EUNSUP, &at, "clusters of several blocks are not supported");
}

static bool bound(struct cw_ptx *p, const char *word, uint32_t *value, const char *what)
{
    if (!cw_ptx_accept_word(p, word))
        return false;
    *value = (uint32_t)cw_ptx_uint(p, UINT32_MAX, what);
    return true;
}

/* One of the directives between the parameters and the body; false: none is here. */
static bool performance_directive(struct cw_ptx *p, struct cw_fn *fn)
{
    uint32_t unused; /* a bound on what there is one of, and a wish about registers of functions that are not expanded in place */
    if (bound(p, ".maxnreg", &fn->max_registers, "number of registers") ||
        bound(p, ".minnctapersm", &fn->min_blocks_per_core, "number of blocks") ||
        bound(p, ".maxnctapersm", &fn->max_blocks_per_core, "number of blocks") ||
        bound(p, ".maxclusterrank", &unused, "number of blocks") || bound(p, ".local_maxnreg", &unused, "number of registers"))
        return true;
    if (cw_ptx_accept_word(p, ".reqntid"))
        three(p, fn->reqntid);
    else if (cw_ptx_accept_word(p, ".maxntid"))
        three(p, fn->maxntid);
    else if (cw_ptx_accept_word(p, ".reqnctapercluster"))
        cluster_size(p, fn);
    else if (cw_ptx_accept_word(p, ".explicitcluster"))
        fn->has_cluster_size = 1;
    else
        return cw_ptx_accept_word(p, ".blocksareclusters") || abi_directive(p) || cw_ptx_skip_noise(p);
    return true;
}

static void performance_directives(struct cw_ptx *p, struct cw_fn *fn)
{
    while (performance_directive(p, fn))
        continue;
    if (p->tok.kind == CW_TOK_WORD && p->tok.text[0] == '.')
        cw_ptx_fail(p, CW_EUNSUP, "unknown directive");
}

/* Index of the function of that name in the module, made when it is new. */
static uint32_t function_named(struct cw_ptx *p, const struct cw_tok *name, bool is_entry)
{
    const struct cw_sym *s = cw_ptx_find(p, name->text, name->len);
    if (s != NULL && s->kind == CW_SYM_FN)
        return s->id;
    uint32_t id = p->fn.n;
    CW_PUSH(&p->ir, &p->fn,
            (struct cw_fn){.name = name->text, .len = name->len, .line = name->line, .is_entry = is_entry, .alias = CW_IR_NONE});
    cw_ptx_define(p, name, CW_SYM_FN, id);
    return id;
}

static bool same_formals(const struct cw_ptx *p, const struct cw_fn *a, const struct cw_fn *b)
{
    if (a->is_opaque || b->is_opaque)
        return true;
    bool same = a->formal.n == b->formal.n && a->ret_cnt == b->ret_cnt;
    for (uint32_t i = 0; same && i < a->formal.n; i++) {
        const struct cw_var *x = &p->var.a[a->formal.a[i]], *y = &p->var.a[b->formal.a[i]];
        same = x->bytes == y->bytes && x->space == y->space;
    }
    return same;
}

/* .attribute(.unified(1, 2)) before the name. An unknown one refuses the function, as an unknown directive does. */
static void function_attributes(struct cw_ptx *p)
{
    while (cw_ptx_accept_word(p, ".attribute")) {
        const struct cw_place begin = cw_ptx_place(p);
        cw_ptx_skip_group(p, '(', ')');
        const struct cw_place end = cw_ptx_place(p);
        if (p->ir.status != CW_OK)
            return;
        for (cw_ptx_return_to(p, &begin); p->tok.text != end.tok.text; cw_ptx_advance(p))
            if (p->tok.kind == CW_TOK_WORD && !cw_tok_is(&p->tok, ".unified") && !cw_tok_is(&p->tok, ".managed"))
                p->prefix = p->tok;
    }
}

/* The name that follows the returned parameters, which have to be read into the function of that name. */
static struct cw_tok name_ahead(struct cw_ptx *p)
{
    const struct cw_place begin = cw_ptx_place(p);
    if (cw_ptx_is_punct(p, '('))
        while (p->tok.kind != CW_TOK_EOF && !cw_ptx_accept(p, ')'))
            cw_ptx_advance(p);
    struct cw_tok name = p->tok;
    if (name.kind != CW_TOK_WORD)
        cw_ptx_fail(p, CW_EINVAL, "expected the name of a function");
    if (p->ir.status == CW_OK)
        cw_ptx_return_to(p, &begin);
    return name;
}

static void function_parts(struct cw_ptx *p, const struct cw_tok *name)
{
    if (p->prefix.kind != CW_TOK_EOF)
        cw_ptx_fail_tok(p, CW_EUNSUP, &p->prefix, "unknown directive or attribute");
    if (cw_ptx_is_punct(p, '(') && !cw_ptx_fn(p)->is_entry)
        formals(p);
    cw_ptx_fn(p)->ret_cnt = cw_ptx_fn(p)->formal.n;
    cw_ptx_advance(p); /* the name */
    if (cw_ptx_is_punct(p, '('))
        formals(p);
    if (p->ir.status != CW_OK)
        return;
    performance_directives(p, cw_ptx_fn(p));
    if (p->ir.status != CW_OK || cw_ptx_accept(p, ';'))
        return;
    if (cw_ptx_fn(p)->is_defined)
        cw_ptx_fail_tok(p, CW_EINVAL, name, "%.*s is defined twice", (int)name->len, name->text);
    cw_ptx_fn(p)->is_defined = 1;
    cw_map_clear(&p->range_reg);
    body(p);
}

/* From the returned parameters to the end of the body. What cannot be read of it refuses the function. */
static void function_scope(struct cw_ptx *p, uint32_t id, const struct cw_tok *name)
{
    const struct cw_place begin = cw_ptx_place(p);
    const uint32_t depth = p->depth;
    p->cur = id;
    cw_ptx_scope_open(p);
    function_parts(p, name);
    cw_ptx_refuse_header(p, &begin, id, depth + 1);
    if (p->ir.status != CW_OK)
        return;
    const struct cw_place end = cw_ptx_place(p);
    cw_ptx_scope_close(p);
    if (p->ir.status == CW_EINVAL) { /* a label that is not there */
        cw_ptx_return_to(p, &end);
        cw_ptx_refuse_text(p, cw_ptx_fn(p));
        cw_ptx_fn(p)->call.n = 0;
    }
}

/* .entry name (params) { body }, .func (returned) name (params) { body }, or a declaration of these. A declaration may be repeated:
 * then parameters are read into a spare function and compared, and the latest names count. */
static void function(struct cw_ptx *p, bool is_entry)
{
    function_attributes(p);
    struct cw_tok name = name_ahead(p);
    uint32_t id = function_named(p, &name, is_entry);
    uint32_t spare = p->fn.n;
    CW_PUSH(&p->ir, &p->fn,
            (struct cw_fn){.name = name.text, .len = name.len, .line = name.line, .col = name.col, .at = p->stmt, .alias = CW_IR_NONE});
    if (p->ir.status != CW_OK)
        return;
    bool is_new = id + 1 == spare;
    bool was_defined = p->fn.a[id].is_defined;
    if (p->fn.a[id].is_entry != is_entry)
        cw_ptx_fail_tok(p, CW_EINVAL, &name, "%.*s is declared as both .entry and .func", (int)name.len, name.text);
    struct cw_fn before = p->fn.a[id];
    p->fn.a[id] = p->fn.a[spare];
    p->fn.a[id].is_entry = is_entry;
    p->fn.a[id].is_defined = was_defined;
    p->fn.a[id].is_address_taken = before.is_address_taken;
    p->fn.a[id].intrinsic = is_entry ? NULL : cw_ptx_intrinsic(p, name.text, name.len);
    function_scope(p, id, &name);
    p->prefix.kind = CW_TOK_EOF;
    p->fn.a[spare] = before;
    const bool is_known = p->fn.a[id].refused == NULL && before.refused == NULL;
    if (p->ir.status == CW_OK && !is_new && is_known && !same_formals(p, &before, &p->fn.a[id]))
        cw_ptx_fail_tok(p, CW_EINVAL, &name, "%.*s was declared with other parameters", (int)name.len, name.text);
    if (was_defined && p->ir.status == CW_OK) { /* the definition stays */
        before.is_address_taken |= p->fn.a[id].is_address_taken;
        p->fn.a[spare] = p->fn.a[id];
        p->fn.a[id] = before;
    }
}

static void alias(struct cw_ptx *p)
{
    struct cw_sym *a = cw_ptx_lookup(p, p->tok.text, p->tok.len);
    cw_ptx_advance(p);
    cw_ptx_expect(p, ',');
    struct cw_sym *b = cw_ptx_lookup(p, p->tok.text, p->tok.len);
    if (a == NULL || b == NULL || a->kind != CW_SYM_FN || b->kind != CW_SYM_FN || a->id == b->id || p->fn.a[b->id].alias != CW_IR_NONE) {
        cw_ptx_fail(p, CW_EINVAL, ".alias needs the names of two functions, the second defined");
        return;
    }
    p->fn.a[a->id].alias = b->id;
    cw_ptx_advance(p);
    cw_ptx_expect(p, ';');
}

/* Every function of a module of 32-bit addresses is refused. */
static void address_size(struct cw_ptx *p)
{
    uint64_t bits = cw_ptx_uint(p, 64, "address size");
    if (p->ir.status == CW_OK && bits != 64)
        p->narrow = "only 64-bit addresses are supported (.address_size 64)";
}

/* The words behind the first, such as texmode_independent and debug, change nothing here: textures are not supported, and map_f64_to_f32 is of
 * targets without .f64. */
static void target(struct cw_ptx *p)
{
    do {
        unsigned long number = 0;
        for (uint32_t i = 3; p->tok.len > 3 && memcmp(p->tok.text, "sm_", 3) == 0 && i < p->tok.len && i < 7; i++)
            number = p->tok.text[i] >= '0' && p->tok.text[i] <= '9' ? 10 * number + (unsigned long)(p->tok.text[i] - '0') : number;
        p->threads_apart |= number >= 70;
        if (p->tok.kind != CW_TOK_WORD)
            cw_ptx_fail(p, CW_EINVAL, "expected a target");
        cw_ptx_advance(p);
    } while (cw_ptx_accept(p, ','));
}

static void version(struct cw_ptx *p)
{
    if (p->tok.kind != CW_TOK_FLOAT)
        cw_ptx_fail(p, CW_EINVAL, "expected a version such as 7.0");
    cw_ptx_advance(p);
}

/* What linkage a definition has makes no difference in a module that is loaded alone, except that .extern and .common have no initial
 * value of their own. */
static void linked(struct cw_ptx *p)
{
    bool is_extern = false, is_common = false;
    for (;;) {
        if (cw_ptx_accept_word(p, ".extern"))
            is_extern = true;
        else if (cw_ptx_accept_word(p, ".common"))
            is_common = true;
        else if (!cw_ptx_accept_word(p, ".visible") && !cw_ptx_accept_word(p, ".weak"))
            break;
    }
    if (cw_ptx_accept_word(p, ".entry"))
        function(p, true);
    else if (cw_ptx_accept_word(p, ".func"))
        function(p, false);
    else if (cw_ptx_at_variable(p))
        cw_ptx_module_variable(p, is_extern, is_common);
    else if (!cw_ptx_unknown_directive(p))
        cw_ptx_fail(p, CW_EINVAL, "expected a directive");
}

static void module_statement(struct cw_ptx *p)
{
    const struct cw_place begin = cw_ptx_place(p);
    if (cw_ptx_skip_noise(p) || cw_ptx_accept(p, ';'))
        return;
    if (cw_ptx_accept_word(p, ".version"))
        version(p);
    else if (cw_ptx_accept_word(p, ".target"))
        target(p);
    else if (cw_ptx_accept_word(p, ".address_size"))
        address_size(p);
    else if (cw_ptx_accept_word(p, ".alias"))
        alias(p);
    else
        linked(p);
    cw_ptx_refuse_declaration(p, &begin);
}

static void statements_of_module(struct cw_ptx *p)
{
    while (p->ir.status == CW_OK && p->tok.kind != CW_TOK_EOF) {
        const struct cw_tok prefix = p->prefix;
        if (prefix.kind == CW_TOK_EOF)
            p->stmt = p->tok;
        module_statement(p);
        if (p->prefix.text == prefix.text) /* it was of the declaration that has been read */
            p->prefix.kind = CW_TOK_EOF;
    }
}

void cw_ptx_module(struct cw_ptx *p)
{
    cw_lex_next(&p->lex, &p->ahead);
    cw_ptx_advance(p);
    p->stmt = p->tok;
    if (p->ir.status == CW_OK && !cw_tok_is(&p->tok, ".version"))
        cw_ptx_fail(p, CW_EINVAL, "not PTX: the first directive has to be .version");
    statements_of_module(p);
}

void cw_ptx_further(struct cw_ptx *p, const char *text)
{
    const uint32_t line = p->lex.line;
    cw_lex_init(&p->lex, text, strlen(text));
    p->lex.line = line;
    cw_lex_next(&p->lex, &p->ahead);
    cw_ptx_advance(p);
    statements_of_module(p);
}
